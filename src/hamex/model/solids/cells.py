"""Cells of a body with their materials: checked, and asked for stiffness, density and wave speeds at their points; and
the matrices they make: stiffness of elastic points, masses, and the points that are springs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory, is_one_of
from hamex.errors import LockingWarning, ModelError
from hamex.model.inputs import Numbered, few, number
from hamex.model.laws.law import Group
from hamex.model.laws.stress import StressLaw, moduli
from hamex.model.solids.material import CELLS, CHUNK, STRAINS, Elements, Material, Pattern

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


def stiffness(cells: Cells, pattern: Pattern, which: Array) -> Any:
    """K of the cells whose stress impulse is eliminated: Σ Bᵀ D B · volume."""

    def of(some: Array) -> Array:
        B, volumes = cells.elements.strains(some)
        stress = (cells.stiffness(some) * volumes[..., None, None]) @ B
        n = B.shape[-1]
        return np.asarray(B.reshape(len(B), -1, n).transpose(0, 2, 1) @ stress.reshape(len(B), -1, n))

    d = cells.elements.dimension
    data = np.zeros((len(pattern.indices), d, d))
    for some, matrices in cells.matrices(np.flatnonzero(which), of):
        pattern.added(data, some, 0.5 * (matrices + matrices.transpose(0, 2, 1)))
    K = pattern.matrix(data)
    if not which.all():
        K.eliminate_zeros()
    return K


def mass(cells: Cells, pattern: Pattern, kind: str, lumped: Array) -> Any:
    """M of all nodes: consistent, or lumped everywhere or in some cells."""
    from scipy import sparse

    e = cells.elements
    X, W = e.mass_rule
    shapes, _ = e.shapes(X)

    def of(some: Array) -> Array:
        weight = cells.density(some, X) * e.volumes(some, X, W)
        return np.asarray(np.einsum("eq,aq,bq->eab", weight, shapes, shapes, optimize=True))

    data = np.zeros((len(pattern.indices), 1, 1))
    diagonal = np.zeros(len(e.points))
    for some, matrices in cells.matrices(np.arange(len(cells.kind)), of):
        lump = np.ones(len(some), dtype=bool) if kind == "lumped" else lumped[some]
        if lump.any():
            np.add.at(diagonal, e.nodes[some[lump]], _lumped(matrices[lump], e.degree))
        if not lump.all():
            pattern.added(data, some[~lump], matrices[~lump])
    scalar = sparse.diags_array(diagonal) if kind == "lumped" else pattern.matrix(data) + sparse.diags_array(diagonal)
    return sparse.csr_array(sparse.kron(scalar, sparse.eye_array(e.dimension), format="csr"))


def _lumped(matrices: Array, degree: int) -> Array:
    """(cell, node): row sums, or diagonals scaled to the whole mass (HRZ), which stay positive at degree 2."""
    if degree == 1:
        return np.asarray(matrices.sum(axis=2))
    own = np.einsum("eaa->ea", matrices)
    return own * (matrices.sum(axis=(1, 2)) / own.sum(axis=1))[:, None]


@dataclass(frozen=True, eq=False)
class PointSprings:
    """The points that are springs."""

    names: Numbered
    flexibility: Any
    compatibility: Any
    groups: list[Any]
    first: Array  # (cell, point), first spring of a point that can yield, −1 elsewhere


def point_springs(cells: Cells, which: Array) -> PointSprings:
    """Blocks of springs of the points of some cells; elastic ones as single springs along the principal directions of
    their elasticity, each a column of B."""
    from scipy import sparse

    e = cells.elements
    m, points, n = e.size, e.rule[0].shape[1], e.nodes.shape[1] * e.dimension
    count = len(which) * points * m
    check_memory(WHO, 3.0 * count * n, f"{len(which) * points:,} points that can yield", "take a coarser mesh")
    yields = cells.yields
    flexibility, entries, volumes = [], [], []
    for some in e.chunks(which):
        B, volume = e.strains(some)
        D = cells.stiffness(some) * volume[..., None, None]
        elastic = ~yields[some]
        A = np.linalg.inv(D)
        if elastic.any():
            stiff, turn = np.linalg.eigh(D[elastic])
            B[elastic] = np.swapaxes(turn, -1, -2) @ B[elastic]
            A[elastic] = np.eye(m) / stiff[..., None]
        flexibility.append(A.reshape(-1, m, m))
        entries.append(B.reshape(-1, n))
        volumes.append(volume)
    first = np.full((len(cells.kind), points), -1, dtype=np.int64)
    start = np.arange(len(which) * points).reshape(-1, points) * m
    first[which] = np.where(yields[which][:, None], start, -1)
    dofs = (e.nodes[which][:, :, None] * e.dimension + np.arange(e.dimension)).reshape(len(which), 1, 1, n)
    rows = np.array(np.broadcast_to(dofs, (len(which), points, m, n))).ravel()
    values = np.concatenate(entries).ravel() if entries else np.zeros(0)
    B = sparse.csc_array((values, rows, np.arange(count + 1) * n), shape=(e.points.size, count))
    B.eliminate_zeros()
    A = np.concatenate(flexibility) if flexibility else np.zeros((0, m, m))
    inside = np.arange(count).reshape(-1, 1, m) + np.zeros((1, m, 1), dtype=np.int64)
    flexible = sparse.csr_array((A.ravel(), inside.ravel(), np.arange(count + 1) * m), shape=(count, count))
    flexible.eliminate_zeros()
    volume = np.concatenate(volumes) if volumes else np.zeros((0, points))
    groups = [
        of_points(material, e.plane, start[own].ravel(), volume[own].ravel())
        for place, material in enumerate(cells.materials)
        for own in [(cells.kind[which] == place) & yields[which]]
        if material.law is not None and own.any()
    ]
    return PointSprings(Numbered("spring", count), flexible, sparse.csr_array(B), groups, first)


def of_points(material: Material, plane: str, first: Array, volume: Array) -> Group:
    """A group of blocks from the law of a material; refuses laws of springs, and elasticity that a law cannot have."""
    law = material.law
    if not isinstance(law, StressLaw):
        raise ModelError(
            f"{WHO}: {type(law).__name__} is a law of springs, not of stresses; take J2 or DruckerPrager of hamex.laws"
        )
    own = {name: getattr(law, name) for name in law.names()}
    group = Group.of(type(law), first, **own | {"volume": volume, "components": len(STRAINS[plane])})
    if material.elasticity is not None:
        moduli(group, material.stiffness(plane, np.zeros((3, 1))) * volume[:, None, None])
    return group
