"""Cells of a body with their materials: checked, and asked for stiffness, density and wave speeds at their points."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory, is_one_of
from hamex.errors import LockingWarning, ModelError
from hamex.model.inputs import few, number
from hamex.model.solids.elements import CELLS, CHUNK, Elements
from hamex.model.solids.material import Material

Array = NDArray[Any]
WHO = "solid"
_FLAT = 1e-10  # of its size to the power of the dimension: a cell with less volume counts as flat
_STIFF = 0.45  # Poisson's ratio beyond which plain linear triangles and tetrahedra lock
_PLANES = ("strain", "stress", "axisymmetric")


@dataclass(frozen=True, eq=False)
class Cells:
    """A mesh with its materials: what is asked of it again and again."""

    elements: Elements
    materials: tuple[Material, ...]
    kind: Array
    names: tuple[str, ...]

    @classmethod
    def of(
        cls, mesh: Any, material: Any, plane: Any, degree: Any, thickness: Any, mean_dilatation: bool | None
    ) -> Cells:
        d, cell = _checked(mesh)
        if not is_one_of(plane, _PLANES):
            raise ModelError(f"{WHO}: plane must be one of {', '.join(_PLANES)}; got {plane!r:.40}")
        if degree not in (1, 2) or isinstance(degree, bool):
            raise ModelError(f"{WHO}: degree must be 1 or 2, got {degree!r:.40}")
        thickness = number(WHO, "thickness", thickness, positive=True)
        if plane == "axisymmetric" and d == 2 and mesh.p[0].min() < -1e-12 * np.abs(mesh.p[0]).max():
            raise ModelError(f"{WHO}: x is the radius of an axisymmetric body and must not be negative")
        check_memory(WHO, 600 * mesh.t.shape[1], f"{mesh.t.shape[1]:,} cells", "take fewer")
        hypothesis = "space" if d == 3 else plane
        locks = cell in ("quad", "hex") and degree == 1 and hypothesis != "stress"
        if mean_dilatation and not locks:
            raise ModelError(
                f"{WHO}: mean_dilatation is for quadrilaterals and hexahedra of degree 1, not in plane stress"
            )
        mean = locks if mean_dilatation is None else bool(mean_dilatation)
        names, materials, kind = _materials(mesh, material)
        elements = Elements.on(mesh, int(degree), hypothesis, 1.0 if d == 3 else thickness, mean)
        _check_cells(elements)
        found = cls(elements, materials, kind, names)
        found._warn_of_locking()
        return found

    @property
    def yields(self) -> Array:
        """(cell,), True where the material can yield."""
        laws = np.array([material.law is not None and not material.law.is_elastic for material in self.materials])
        return laws[self.kind]

    @property
    def uniform(self) -> bool:
        """True when no material is a field."""
        return all(material.uniform for material in self.materials)

    def stiffness(self, cells: Array) -> Array:
        """(cell, point, m, m), stresses over strains."""
        x = self.elements.places(cells, self.elements.rule[0])
        m = self.elements.size
        out = np.zeros((*x.shape[1:], m, m))
        for place, material in enumerate(self.materials):
            own = self.kind[cells] == place
            if own.any():
                out[own] = material.stiffness(self.elements.plane, x[:, own])
        return out

    def density(self, cells: Array, X: Array) -> Array:
        """(cell, point)."""
        x = self.elements.places(cells, X)
        out = np.zeros(x.shape[1:])
        for place, material in enumerate(self.materials):
            own = self.kind[cells] == place
            if own.any():
                out[own] = material.weight(x[:, own])
        return out

    def speeds(self, cells: Array, X: Array) -> tuple[Array, Array]:
        """Speeds of pressure and shear waves, (cell, point) each."""
        x = self.elements.places(cells, X)
        out = np.zeros((2, *x.shape[1:]))
        for place, material in enumerate(self.materials):
            own = self.kind[cells] == place
            if own.any():
                out[0][own], out[1][own] = material.speeds(x[:, own])
        return out[0], out[1]

    def matrices(self, cells: Array, of: Callable[[Array], Array]) -> Iterator[tuple[Array, Array]]:
        """Chunks (cells, matrices) of what ``of`` computes; alike cells are computed once."""
        first, which = self.elements.alike(self.kind) if self.uniform else (self.kind, self.kind)
        wanted, place = np.unique(which[cells], return_inverse=True)
        if not self.uniform or 2 * len(wanted) >= len(cells):
            for some in self.elements.chunks(cells):
                yield some, of(some)
            return
        table = np.concatenate([of(some) for some in self.elements.chunks(first[wanted])])
        for begin in range(0, len(cells), CHUNK):
            yield cells[begin : begin + CHUNK], table[place[begin : begin + CHUNK]]

    def _warn_of_locking(self) -> None:
        e = self.elements
        if e.cell not in ("tri", "tet") or e.degree != 1 or e.plane == "stress":
            return
        stiff = [m for m in self.materials if isinstance(m.poisson, float) and m.poisson > _STIFF]
        if self.yields.any() or stiff:
            why = "in plastic flow" if self.yields.any() else f"near ν = ½ (here {stiff[0].poisson:g})"
            warnings.warn(
                f"{WHO}: {'triangles' if e.cell == 'tri' else 'tetrahedra'} of degree 1 lock {why}: too stiff, and too "
                "strong. Take degree=2, or quadrilaterals or hexahedra",
                LockingWarning,
                stacklevel=5,
            )

    def fastest(self) -> Array:
        """(material, 2): fastest pressure wave, slowest shear wave."""
        out = np.zeros((len(self.materials), 2))
        for place, material in enumerate(self.materials):
            cells = np.flatnonzero(self.kind == place)[:: 1 if not material.uniform else max(len(self.kind), 1)]
            pressure, shear = material.speeds(self.elements.places(cells, self.elements.rule[0]))
            out[place] = pressure.max(), shear.min()
        return out


def _checked(mesh: Any) -> tuple[int, str]:
    """Dimension and kind of cells of a mesh that can be used."""
    kind = getattr(getattr(getattr(mesh, "elem", None), "refdom", None), "__name__", None)
    if kind == "RefLine":
        raise ModelError(f"{WHO}: a mesh of lines is a rod: use hamex.rod, or hamex.discretise")
    if kind not in CELLS or type(mesh).__name__.endswith("2"):
        raise ModelError(
            f"{WHO}: mesh must be one of triangles, quadrilaterals, tetrahedra or hexahedra with straight sides, from "
            f"hamex.meshes or scikit-fem; got {type(mesh).__name__}"
        )
    if not np.all(np.isfinite(mesh.p)):
        raise ModelError(f"{WHO}: a point of the mesh is no finite number")
    if mesh.p.shape[0] != (2 if kind in ("RefTri", "RefQuad") else 3):
        raise ModelError(f"{WHO}: the points of the mesh have {mesh.p.shape[0]} coordinates, its cells other ones")
    return int(mesh.p.shape[0]), CELLS[kind]


def _check_cells(elements: Elements) -> None:
    """Refuse cells that are flat or turned inside out."""
    X = np.concatenate([elements.rule[0], 0.5 + 0.999 * (elements.mesh.elem().doflocs.T - 0.5)], axis=1)
    if elements.cell in ("tri", "tet"):
        X = elements.rule[0]
    for cells in elements.chunks():
        det = np.broadcast_to(np.asarray(elements.mapping.detDF(X, tind=cells)), (len(cells), X.shape[1]))
        corners = elements.mesh.p[:, elements.mesh.t[:, cells]]
        size = np.ptp(corners, axis=1).max(axis=0) ** elements.dimension
        lowest = np.abs(det).min(axis=1) * np.where((det.min(axis=1) < 0) & (det.max(axis=1) > 0), -1, 1)
        bad = np.flatnonzero(lowest <= _FLAT * size)
        if bad.size:
            what = "is turned inside out" if lowest[bad[0]] < 0 else "has no volume"
            at = corners[:, :, bad[0]].mean(axis=1).round(6).tolist()
            raise ModelError(f"{WHO}: cell {cells[bad[0]]} around {at} {what}; mend the mesh")


def _materials(mesh: Any, given: Any) -> tuple[tuple[str, ...], tuple[Material, ...], Array]:
    """Names of regions, their materials, and the number of that of each cell."""
    count = mesh.t.shape[1]
    if isinstance(given, Material):
        return ("body",), (given,), np.zeros(count, dtype=np.int64)
    if not isinstance(given, Mapping) or not given or not all(isinstance(m, Material) for m in given.values()):
        raise ModelError(f"{WHO}: material must be a Material, or one by region; got {given!r:.60}")
    regions = mesh.subdomains or {}
    kind = np.full(count, -1, dtype=np.int64)
    for place, name in enumerate(given):
        if name not in regions:
            known = few(tuple(regions), name) if regions else "none (mesh.with_subdomains names some)"
            raise ModelError(f"{WHO}: there is no region {name!r} in the mesh; it has {known}")
        cells = np.asarray(regions[name])
        if np.any(kind[cells] >= 0):
            raise ModelError(f"{WHO}: a cell of region {name!r} has two materials")
        kind[cells] = place
    if np.any(kind < 0):
        raise ModelError(f"{WHO}: {int((kind < 0).sum())} cells are in no region with a material")
    return tuple(given), tuple(given.values()), kind
