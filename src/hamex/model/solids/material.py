"""What a body is made of: material (density, elasticity, the law by which it yields; numbers, or fields over the body)
in elements (shapes and points of the reference cell from scikit-fem, strains of cells, their matrices added into a
sparse one).

Displacement is continuous, of degree 1 or 2; the stress impulse lives at the points of integration alone, so that the
flexibility A has one block a point. Cells are taken some thousand at a time: a body with a million dofs never holds the
gradients of all of them. Cells that are equal but for where they stand (most of those of a box) are computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import LEAST, MOST, floats
from hamex.errors import ModelError
from hamex.model.laws.law import Law
from hamex.model.solids.meshes import scikit_fem

Array = NDArray[Any]
Field = float | Callable[[Array], Any]
Plane = Literal["strain", "stress", "axisymmetric", "space"]
# Strains in the order of vectors; shear strains are γ = 2ε. Around an axis x is the radius, y the axis, zz the hoop.
STRAINS: dict[str, tuple[str, ...]] = {
    "space": ("xx", "yy", "zz", "xy", "yz", "zx"),
    "strain": ("xx", "yy", "zz", "xy"),
    "axisymmetric": ("xx", "yy", "zz", "xy"),
    "stress": ("xx", "yy", "xy"),
}


@dataclass(frozen=True, eq=False)
class Material:
    """What a body is made of.

    Every number may be a function of the place instead: it is given points (dimension, …) and returns one number for
    each, asked at the points of integration.

    Parameters
    ----------
    density : mass per volume ρ [force·time²/length⁴].
    modulus : Young's modulus E [force/length²].
    poisson : Poisson's ratio ν, between −1 and ½ [1].
    elasticity : instead of both, for materials with directions: the symmetric matrix of stresses over strains, 6 × 6 in
        the order xx, yy, zz, xy, yz, zx, shear strains being γ [force/length²]. In the plane the rows and columns of
        xx, yy, zz, xy count.
    law : how it yields, from :mod:`hamex.laws` (``J2``, ``DruckerPrager``); None: it stays elastic.

    Examples
    --------
    >>> steel = Material(density=7.85e-9, modulus=210e3, poisson=0.3)   # t, mm, s, N
    >>> soil = Material.of_waves(density=1.8, shear=200.0, pressure=400.0)
    >>> soil.modulus, round(soil.poisson, 4)
    (192000.0, 0.3333)
    """

    density: Field
    modulus: Field | None = None
    poisson: Field | None = None
    elasticity: ArrayLike | None = None
    law: Law | None = None

    def __post_init__(self) -> None:
        isotropic = self.modulus is not None and self.poisson is not None
        if isotropic == (self.elasticity is not None) or (self.modulus is None) != (self.poisson is None):
            raise ModelError("Material: give modulus and poisson, or elasticity instead of both")
        if self.law is not None and not isinstance(self.law, Law):
            raise ModelError(f"Material: law must be one of hamex.laws, as J2(…), got {self.law!r:.60}")
        for name in ("density", "modulus", "poisson"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                got = floats(value, f"Material: {name} must be a number or a function of the place", ModelError)
                if got.ndim:
                    raise ModelError(
                        f"Material: {name} must be a number or a function of the place, got {got.size} numbers"
                    )
                object.__setattr__(self, name, float(_checked(name, got)))
        if self.elasticity is not None:
            object.__setattr__(self, "elasticity", _definite(self.elasticity))

    @classmethod
    def of_waves(cls, density: float, shear: float, pressure: float, law: Law | None = None) -> Material:
        """From the speeds of shear and pressure waves [length/time], as soils are measured.

        ``c_S² = G/ρ`` and ``c_P² = (λ + 2G)/ρ``; c_P must exceed √(4/3) c_S.
        """
        ratio = float(pressure) / float(shear) if float(shear) > 0 else 0.0
        if not ratio > np.sqrt(4 / 3):
            raise ModelError(
                f"Material.of_waves: pressure waves must be faster than √(4/3) times shear waves, got {pressure!r} "
                f"and {shear!r}"
            )
        poisson = (ratio**2 - 2) / (2 * (ratio**2 - 1))
        return cls(density, 2 * density * shear**2 * (1 + poisson), poisson, law=law)

    @property
    def uniform(self) -> bool:
        """True when no number is a field."""
        return not any(callable(x) for x in (self.density, self.modulus, self.poisson))

    def weight(self, x: Array) -> Array:
        """Density at points (dimension, …)."""
        return _values_at("density", self.density, x)

    def stiffness(self, plane: str, x: Array) -> Array:
        """Stresses over strains at points (dimension, …): (…, m, m) in the order xx, yy, zz, xy, yz, zx."""
        if self.elasticity is not None:
            full = np.asarray(self.elasticity)
            return np.broadcast_to(reduced(full, plane), (*x.shape[1:], *(len(STRAINS[plane]),) * 2))
        E, nu = _values_at("modulus", self.modulus, x), _values_at("poisson", self.poisson, x)
        lame, shear = E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))
        full = np.zeros((*E.shape, 6, 6))
        for i in range(3):
            for j in range(3):
                full[..., i, j] = lame
            full[..., i, i] += 2 * shear
            full[..., 3 + i, 3 + i] = shear
        return reduced(full, plane)

    def speeds(self, x: Array) -> tuple[Array, Array]:
        """Speeds of pressure and shear waves at points (dimension, …) [length/time]; the largest moduli of anisotropic
        ones."""
        rho = self.weight(x)
        D = self.stiffness("space", x)
        stiff = np.maximum.reduce([D[..., i, i] for i in range(3)])
        shear = np.maximum.reduce([D[..., i, i] for i in range(3, 6)])
        return np.sqrt(stiff / rho), np.sqrt(shear / rho)

    def with_law(self, law: Law | None) -> Material:
        """The same with another law."""
        return replace(self, law=law)


def reduced(full: Array, plane: str) -> Array:
    """The rows of a plane out of (…, 6, 6): strains that are zero left out, stresses that are zero condensed."""
    if plane == "space":
        return full
    if plane != "stress":
        return full[..., :4, :4]
    keep, out = [0, 1, 3], [2, 4, 5]
    own, across = full[..., keep, :][..., keep], full[..., keep, :][..., out]
    return own - across @ np.linalg.solve(full[..., out, :][..., out], np.swapaxes(across, -1, -2))


def _values_at(name: str, given: Any, x: Array) -> Array:
    if not callable(given):
        return np.full(x.shape[1:], given)
    values = floats(given(x), f"Material: {name} must return numbers", ModelError)
    try:
        values = np.broadcast_to(values, x.shape[1:])
    except ValueError:
        raise ModelError(
            f"Material: {name} returned shape {values.shape} for points of shape {x.shape[1:]}; return one each"
        ) from None
    return _checked(name, values)


def _checked(name: str, values: Array) -> Array:
    if name == "poisson":
        bad, wanted = ~((values > -1) & (values < 0.5)), "between −1 and 0.5; nearly incompressible is 0.499"
    else:
        bad, wanted = ~((values > LEAST) & (values < MOST)), "positive, and of a size that can be computed with"
    if np.any(bad):
        raise ModelError(f"Material: {name} must be {wanted}; got {np.asarray(values)[bad].flat[0]:g}")
    return values


def _definite(given: ArrayLike) -> Array:
    D = floats(given, "Material: elasticity must be a 6 × 6 matrix of numbers", ModelError)
    if D.shape != (6, 6) or not np.all(np.isfinite(D)):
        raise ModelError(f"Material: elasticity must be a finite 6 × 6 matrix, got shape {D.shape}")
    size = np.abs(D).max()
    if not np.allclose(D, D.T, rtol=0, atol=1e-9 * size):
        raise ModelError("Material: elasticity must be symmetric: stresses come from an energy")
    low = np.linalg.eigvalsh(0.5 * (D + D.T)).min()
    if not low > 0 or not LEAST < size < MOST:
        raise ModelError(
            f"Material: elasticity must be positive definite, its least eigenvalue is {low:g}: some strain would "
            "give energy away"
        )
    return 0.5 * (D + D.T)


CHUNK = 4096  # cells at a time
_ALIKE = 1e-11  # of a cell's size: corners this close count as equal
# Degree of exactness of the rules at whose points stresses live, and of those for masses, by cell and degree. Triangles
# and tetrahedra of degree 1 have constant strains; of degree 2 three and four points keep their rank and do not lock.
_STRESS = {("tri", 1): 1, ("tri", 2): 2, ("quad", 1): 3, ("quad", 2): 5}
_STRESS |= {("tet", 1): 1, ("tet", 2): 2, ("hex", 1): 3, ("hex", 2): 5}
_MASS = {"tri": 2, "tet": 2, "quad": 2, "hex": 2}  # times the degree
ELEMENTS = {
    ("tri", 1): "ElementTriP1",
    ("tri", 2): "ElementTriP2",
    ("quad", 1): "ElementQuad1",
    ("quad", 2): "ElementQuad2",
    ("tet", 1): "ElementTetP1",
    ("tet", 2): "ElementTetP2",
    ("hex", 1): "ElementHex1",
    ("hex", 2): "ElementHex2",
}
CELLS = {"RefTri": "tri", "RefQuad": "quad", "RefTet": "tet", "RefHex": "hex"}


def rule(cell: str, exact: int) -> tuple[Array, Array]:
    """Points (dimension, point) and weights of a quadrature on the reference cell."""
    fem = scikit_fem()
    if (cell, exact) == ("tri", 1):  # one point, where scikit-fem takes three
        return np.full((2, 1), 1 / 3), np.array([0.5])
    refdom = getattr(fem, ELEMENTS[cell, 1])().refdom
    points, weights = fem.quadrature.get_quadrature(refdom, exact)
    return np.asarray(points), np.asarray(weights)


@dataclass(frozen=True, eq=False)
class Elements:
    """Cells of one kind and degree on a mesh.

    Attributes
    ----------
    cell : "tri", "quad", "tet" or "hex".
    degree : of the displacement.
    plane : hypothesis, a key of :data:`hamex.model.solids.material.STRAINS`.
    thickness : of a body in the plane [length].
    mesh : scikit-fem's mesh of corners.
    nodes : (cell, node), nodes of the displacement in each cell.
    points : (node, dimension) [length].
    mean_dilatation : volume changes are those of the whole cell (B-bar), which does not lock in plastic flow.
    """

    cell: str
    degree: int
    plane: str
    thickness: float
    mesh: Any
    nodes: Array
    points: Array
    mean_dilatation: bool

    @classmethod
    def on(cls, mesh: Any, degree: int, plane: str, thickness: float, mean_dilatation: bool) -> Elements:
        """Number the nodes: corners first, then sides, faces and insides."""
        fem = scikit_fem()
        cell = CELLS[mesh.elem.refdom.__name__]
        element = getattr(fem, ELEMENTS[cell, degree])()
        dofs = fem.Dofs(mesh, element)
        nodes = np.ascontiguousarray(dofs.element_dofs.T)
        points = np.zeros((dofs.N, mesh.p.shape[0]))
        if degree == 1:
            points[: mesh.p.shape[1]] = mesh.p.T
        else:
            placed = mesh.mapping().F(np.ascontiguousarray(element.doflocs.T))  # (dimension, cell, node)
            points[nodes] = placed.transpose(1, 2, 0)
            points[: mesh.p.shape[1]] = mesh.p.T  # corners to the last bit
        return cls(cell, degree, plane, thickness, mesh, nodes, points, mean_dilatation)

    @property
    def dimension(self) -> int:
        """Of space."""
        return int(self.points.shape[1])

    @property
    def size(self) -> int:
        """Number of strains at a point."""
        return len(STRAINS[self.plane])

    @cached_property
    def element(self) -> Any:
        """scikit-fem's element of one component of the displacement."""
        return getattr(scikit_fem(), ELEMENTS[self.cell, self.degree])()

    @cached_property
    def mapping(self) -> Any:
        """From the reference cell to the cells."""
        return self.mesh.mapping()

    @cached_property
    def rule(self) -> tuple[Array, Array]:
        """Points and weights at which stresses live."""
        return rule(self.cell, _STRESS[self.cell, self.degree])

    @cached_property
    def mass_rule(self) -> tuple[Array, Array]:
        """Points and weights for masses and body forces; one degree more where the radius is a factor."""
        return rule(self.cell, _MASS[self.cell] * self.degree + (self.plane == "axisymmetric"))

    def shapes(self, X: Array) -> tuple[Array, Array]:
        """Of the reference cell at points (dimension, point): values (node, point), slopes (node, dimension, point)."""
        element = self.element
        found = [element.lbasis(X, i) for i in range(self.nodes.shape[1])]
        values = np.stack([np.broadcast_to(value, X.shape[1:]) for value, _ in found])
        slopes = np.stack([np.broadcast_to(slope, X.shape) for _, slope in found])
        return values, slopes

    def chunks(self, cells: Array | None = None) -> Iterator[Array]:
        """Cell numbers, some thousand at a time."""
        every = np.arange(len(self.nodes)) if cells is None else cells
        for first in range(0, len(every), CHUNK):
            yield every[first : first + CHUNK]

    def places(self, cells: Array, X: Array) -> Array:
        """Points of the cells in space: (dimension, cell, point)."""
        return np.asarray(self.mapping.F(X, tind=cells))

    def volumes(self, cells: Array, X: Array, W: Array) -> Array:
        """Volume of each point, thickness or 2πr included: (cell, point)."""
        found = np.abs(self.mapping.detDF(X, tind=cells)) * W
        if self.plane == "axisymmetric":
            return np.asarray(found * (2 * np.pi * self.places(cells, X)[0]))
        return np.asarray(found * self.thickness) if self.plane != "space" else np.asarray(found)

    def strains(self, cells: Array) -> tuple[Array, Array]:
        """Strain over displacement at the points of the cells, (cell, point, m, node · dimension), and volumes."""
        X, W = self.rule
        values, slopes = self.shapes(X)
        inverse = np.asarray(self.mapping.invDF(X, tind=cells))  # (reference, space, cell, point)
        grad = np.einsum("njq,jieq->eqni", slopes, inverse, optimize=True)
        volumes = self.volumes(cells, X, W)
        n, d = grad.shape[2:]
        B = np.zeros((*grad.shape[:2], self.size, n * d))
        ways = STRAINS[self.plane]
        for i, way in enumerate("xyz"[:d]):
            B[..., ways.index(way * 2), i::d] = grad[..., i]
        for pair in [way for way in ways if way[0] != way[1]]:
            a, b = ("xyz".index(way) for way in pair)
            B[..., ways.index(pair), a::d] = grad[..., b]
            B[..., ways.index(pair), b::d] = grad[..., a]
        if self.plane == "axisymmetric":
            B[..., 2, 0::d] = values.T[None] / self.places(cells, X)[0][..., None]
        if self.mean_dilatation:
            change = B[..., 0, :] + B[..., 1, :] + B[..., 2, :]
            mean = (change * volumes[..., None]).sum(axis=1) / volumes.sum(axis=1)[:, None]
            B[..., :3, :] += ((mean[:, None] - change) / 3)[..., None, :]
        return B, volumes

    def alike(self, kind: Array) -> tuple[Array, Array]:
        """Cells that stand for all others of one form and kind: their numbers, and which of them each cell is like."""
        corners = self.mesh.p[:, self.mesh.t].transpose(2, 1, 0)  # (cell, corner, dimension)
        extent = np.ptp(corners, axis=1).max()
        form = np.rint((corners[:, 1:] - corners[:, :1]) / (_ALIKE * extent)).astype(np.int64).reshape(len(corners), -1)
        if self.plane == "axisymmetric":  # the radius counts too
            form = np.hstack([form, np.rint(corners[:, 0, :1] / (_ALIKE * extent)).astype(np.int64)])
        form = np.hstack([form, kind[:, None].astype(np.int64)])
        factors = np.random.default_rng(1).integers(1, 2**62, form.shape[1]) | 1
        with np.errstate(over="ignore"):
            mixed = (form * factors).sum(axis=1)
        _, first, which = np.unique(mixed, return_index=True, return_inverse=True)
        if np.any(form != form[first][which]):  # two forms with one sum: then every cell stands for itself
            return np.arange(len(form)), np.arange(len(form))
        return first, which


@dataclass(frozen=True, eq=False)
class Pattern:
    """Places of pairs of nodes in a sparse matrix of nodes, by rows."""

    indptr: Array
    indices: Array
    place: Array  # (cell, node, node)

    @classmethod
    def of(cls, nodes: Array, count: int) -> Pattern:
        """Nodes of one cell touch each other."""
        key = (nodes[:, :, None].astype(np.int64) * count + nodes[:, None, :]).ravel()
        pairs, place = np.unique(key, return_inverse=True)
        row, column = np.divmod(pairs, count)
        small = np.int32 if len(pairs) * 9 < 2**31 else np.int64  # of all entries in space
        indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=count))]).astype(small)
        shape = (len(nodes), nodes.shape[1], nodes.shape[1])
        return cls(indptr, column.astype(small), place.astype(np.int32).reshape(shape))

    def added(self, data: Array, cells: Array, matrices: Array) -> None:
        """Add matrices (cell, node · k, node · k) of some cells to data (pair, k, k)."""
        k = data.shape[1]
        n = self.place.shape[1]
        flat = data.reshape(-1)
        inside = k * np.arange(k)[:, None, None] + np.arange(k)  # (row, 1, column) of a pair's own k × k
        place = self.place[cells].astype(np.int64)[:, :, None, :, None] * (k * k) + inside
        np.add.at(flat, place.ravel(), matrices.reshape(len(cells), n, k, n, k).ravel())

    def matrix(self, data: Array) -> Any:
        """Data (pair, k, k) as a sparse array by rows."""
        from scipy import sparse

        k, count = data.shape[1], len(self.indptr) - 1
        if k == 1:
            return sparse.csr_array((data.ravel(), self.indices, self.indptr), shape=(count, count))
        return sparse.bsr_array((data, self.indices, self.indptr), shape=(count * k, count * k)).tocsr()
