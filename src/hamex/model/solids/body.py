"""Body: where the dofs and the points of stress of a solid are, and what follows from that: loads on it, fields in it.

Plain arrays only, so that files can keep it; shapes and gradients are computed when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import floats
from hamex.errors import ModelError
from hamex.model.inputs import few
from hamex.model.solids.meshes import scikit_fem

if TYPE_CHECKING:  # every model names this class, and few have a body
    from hamex.model.solids.material import Elements
    from hamex.model.solids.skin import Skin

Array = NDArray[Any]
Matrix = Any
Vector = ArrayLike | Callable[[Array], Any]
_MESHES = {("tri", 2): "MeshTri", ("quad", 2): "MeshQuad", ("tet", 3): "MeshTet", ("hex", 3): "MeshHex"}
_OUTSIDE = 1e-6  # of the body's size: a point this close to it counts as in it


class DofNames(Sequence[str]):
    """``node 1.x``, ``node 1.y``, … of the dofs that are free, made when they are asked for.

    >>> names = DofNames(np.array([0, 3, 4]), 2)
    >>> list(names), names.index("node 3.x")
    (['node 1.x', 'node 2.y', 'node 3.x'], 2)
    """

    def __init__(self, free: Array, dimension: int) -> None:
        self.free, self.dimension = free, dimension

    def __len__(self) -> int:
        return len(self.free)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...

    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(map(self._name, self.free[place]))
        return self._name(self.free[place])

    def __iter__(self) -> Iterator[str]:
        return map(self._name, self.free)

    def __contains__(self, name: object) -> bool:
        return self._place(name) is not None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DofNames):
            return self.dimension == other.dimension and np.array_equal(self.free, other.free)
        return isinstance(other, Sequence) and len(other) == len(self) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((len(self.free), self.dimension))

    def __repr__(self) -> str:
        return f"DofNames({len(self.free)} of nodes in {self.dimension} dimensions)"

    def index(self, name: object, start: int = 0, stop: int | None = None) -> int:
        """Place of a name."""
        place = self._place(name)
        if place is None:
            raise ValueError(f"{name!r} is not among the {len(self)} dofs")
        return place

    def _name(self, number: int) -> str:
        node, way = divmod(int(number), self.dimension)
        return f"node {node + 1}.{'xyz'[way]}"

    def _place(self, name: object) -> int | None:
        if not isinstance(name, str) or not name.startswith("node "):
            return None
        node, _, way = name[5:].partition(".")
        if not node.isdecimal() or way not in tuple("xyz"[: self.dimension]) or node != str(int(node)):
            return None
        number = (int(node) - 1) * self.dimension + "xyz".index(way)
        place = int(np.searchsorted(self.free, number))
        return place if place < len(self.free) and self.free[place] == number else None


@dataclass(frozen=True, eq=False)
class Body:
    """The body behind a model that :func:`hamex.solid` built.

    Attributes
    ----------
    cell : "tri", "quad", "tet" or "hex".
    vertices : (vertex, dimension), corners of the mesh [length].
    corners : (cell, corner), their numbers.
    degree : of the displacement, 1 or 2.
    plane : "strain", "stress", "axisymmetric" or "space".
    thickness : of a body in the plane [length].
    mean_dilatation : whether volume changes are those of whole cells (B-bar).
    boundaries : by name, (facet, corner).
    regions : by name, cell numbers.
    motion : (node · dimension, dof): displacements of all nodes are ``motion @ u + given @ (that of the supports)``.
    given : (node · dimension, support).
    kind : (cell,), number of the material of each cell.
    elasticity : (material, m, m), or (cell, point, m, m) where it is a field [force/length²].
    slipping : (cell, point), first of the m springs of a point that can yield; −1 where it is elastic.
    speeds : (material, 2), of pressure and shear waves; the largest, and the smallest, of fields [length/time].
    outgoing : (dof, dof), dashpots of absorbing boundaries, which are part of the damping [force·time/length].

    Examples
    --------
    >>> import hamex as hx
    >>> material = hx.Material(density=1.0, modulus=10.0, poisson=0.25)
    >>> body = hx.solid(hx.meshes.rectangle(2.0, 1.0, (4, 2)), material, fixed={"left": "xy"}).body
    >>> pulled = body.traction("right", (3.0, 0.0))           # 3 per area on an edge of length 1 and thickness 1
    >>> pulled.shape, round(float(pulled.sum()), 12)
    ((24,), 3.0)
    """

    cell: str
    vertices: Array
    corners: Array
    degree: int
    plane: str
    thickness: float
    mean_dilatation: bool
    boundaries: Mapping[str, Array]
    regions: Mapping[str, Array]
    motion: Matrix
    given: Matrix
    kind: Array
    elasticity: Array
    slipping: Array
    speeds: Array
    outgoing: Matrix

    @property
    def dimension(self) -> int:
        """Of space."""
        return int(self.vertices.shape[1])

    @property
    def components(self) -> tuple[str, ...]:
        """Names of strains and stresses, in their order."""
        from hamex.model.solids.material import STRAINS

        return STRAINS[self.plane]

    @cached_property
    def elements(self) -> Elements:
        """Its cells with their nodes."""
        from hamex.model.solids.material import Elements

        mesh = getattr(scikit_fem(), _MESHES[self.cell, self.dimension])(
            np.ascontiguousarray(self.vertices.T), np.ascontiguousarray(self.corners.T), validate=False
        )
        return Elements.on(mesh, self.degree, self.plane, self.thickness, self.mean_dilatation)

    @property
    def nodes(self) -> Array:
        """(node, dimension), where the nodes are [length]."""
        return self.elements.points

    @cached_property
    def places(self) -> Array:
        """(cell, point, dimension), where stresses live [length]."""
        elements, X = self.elements, self.elements.rule[0]
        return np.concatenate([elements.places(cells, X).transpose(1, 2, 0) for cells in elements.chunks()])

    @cached_property
    def volumes(self) -> Array:
        """(cell, point), volume of each point [length³]."""
        elements = self.elements
        return np.concatenate([elements.volumes(cells, *elements.rule) for cells in elements.chunks()])

    def nodes_per_wave(self, frequency: float) -> tuple[float, float]:
        """Nodes per wave length of the shortest shear wave at a frequency [1/time], and that wave's speed."""
        spacing = np.ptp(self.vertices[self.corners], axis=1).max(axis=1) / self.degree
        longest = np.zeros(len(self.speeds))
        np.maximum.at(longest, self.kind, spacing)
        nodes = self.speeds[:, 1] / (frequency * longest)
        worst = int(nodes.argmin())
        return float(nodes[worst]), float(self.speeds[worst, 1])

    @cached_property
    def skin(self) -> Skin:
        """What is seen of it."""
        from hamex.model.solids.skin import skin_of

        return skin_of(self.elements)

    @property
    def held(self) -> Array:
        """(node, dimension), True where a node cannot move."""
        return np.asarray((np.diff(self.motion.indptr) == 0) & ~self.driven.ravel()).reshape(-1, self.dimension)

    @property
    def driven(self) -> Array:
        """(node, dimension), True where the displacement is given in time."""
        return np.asarray(np.diff(self.given.indptr) > 0).reshape(-1, self.dimension)

    # Loads.

    def traction(self, boundary: str, value: Vector) -> Array:
        """(dof,): forces of a traction on a named boundary [force].

        ``value`` is force per area, one number a direction, or a function of points (dimension, …) that returns them.
        """
        return self._on(boundary, lambda x, _: self._vector("traction", value, x))

    def pressure(self, boundary: str, value: float | Callable[[Array], Any]) -> Array:
        """(dof,): forces of a pressure on a named boundary, positive inwards [force]; a number, or a function of
        points."""

        def inwards(x: Array, normal: Array) -> Array:
            size = value(x) if callable(value) else value
            return -normal * floats(size, "pressure must be a number", ModelError)

        return self._on(boundary, inwards)

    def force(self, value: Vector) -> Array:
        """(dof,): forces of a body force, force per volume: one number a direction, or a function of points [force]."""
        elements = self.elements
        X, W = elements.mass_rule
        shapes, _ = elements.shapes(X)
        total = np.zeros((len(elements.points), self.dimension))
        for cells in elements.chunks():
            values = self._vector("force", value, elements.places(cells, X)) * elements.volumes(cells, X, W)
            np.add.at(total, elements.nodes[cells], np.einsum("nq,deq->end", shapes, values))
        return np.asarray(self.motion.T @ total.ravel())

    def point_force(self, place: ArrayLike, value: ArrayLike) -> Array:
        """(dof,): a force at a point of the body, one number a direction [force]."""
        shares = self.interpolation(np.atleast_2d(floats(place, "a place must be numbers", ModelError)))
        vector = floats(value, "a force must be numbers", ModelError)
        if vector.shape != (self.dimension,):
            raise ModelError(f"point_force: the force has {vector.size} components, the body {self.dimension}")
        return np.asarray(self.motion.T @ (shares.T @ vector[None, :]).ravel())

    def field(self, value: Vector) -> Array:
        """(dof,): a field of displacements or velocities at the nodes: one number a direction, or a function of points
        (dimension, …). Momentum is ``model.mass @`` a field of velocities."""
        nodal = self._vector("field", value, self.nodes.T).T.ravel()
        count = np.asarray(self.motion.sum(axis=0)).ravel()
        return np.asarray(self.motion.T @ nodal) / np.where(count > 0, count, 1.0)

    # Fields.

    def displacement(self, u: Array, moved: Array | None = None) -> Array:
        """(…, node, dimension) from displacements of the dofs (…, dof), and of the supports (…, support)."""
        flat = (self.motion @ u.reshape(-1, u.shape[-1]).T).T
        if moved is not None and self.given.shape[1]:
            flat = flat + (self.given @ moved.reshape(-1, moved.shape[-1]).T).T
        return np.asarray(flat).reshape(*u.shape[:-1], -1, self.dimension)

    def strain(self, nodal: Array, cells: Array | None = None) -> Array:
        """(cell, point, m) from displacements of the nodes (node, dimension); of all cells, or of some."""
        elements, parts = self.elements, []
        for some in elements.chunks(cells):
            B, _ = elements.strains(some)
            parts.append(np.einsum("eqmi,ei->eqm", B, nodal[elements.nodes[some]].reshape(len(some), -1)))
        return np.concatenate(parts)

    def plastic_strain(self, slip: Array, cells: Array | None = None) -> Array:
        """(cell, point, m) from the slip of the springs (spring,)."""
        first = self.slipping if cells is None else self.slipping[cells]
        m = len(self.components)
        if not len(slip):
            return np.zeros((*first.shape, m))
        found = slip[np.maximum(first, 0)[..., None] + np.arange(m)]
        return np.where(first[..., None] >= 0, found, 0.0)

    def stress(self, nodal: Array, slip: Array, cells: Array | None = None) -> Array:
        """(cell, point, m): D (ε − plastic strain) [force/length²]."""
        elastic = self.strain(nodal, cells) - self.plastic_strain(slip, cells)
        which = slice(None) if cells is None else cells
        if self.elasticity.ndim == 4:
            return np.einsum("eqab,eqb->eqa", self.elasticity[which], elastic)
        return np.einsum("eab,eqb->eqa", self.elasticity[self.kind[which]], elastic)

    def at_nodes(self, values: Array) -> Array:
        """(node, …) from values at the points (cell, point, …): carried linearly to the nodes of each cell, and means
        over the cells around a node, by volume; zero at nodes of no cell."""
        from hamex.model.solids.skin import carried

        elements = self.elements
        weight = self.volumes.sum(axis=1)
        ends = carried(elements.rule[0], elements.element.doflocs.T)
        rest = values.shape[2:]
        total = np.zeros((len(elements.points), *rest))
        share = np.zeros(len(elements.points))
        for node, row in zip(elements.nodes.T, ends, strict=True):
            np.add.at(total, node, np.einsum("e,q,eq...->e...", weight, row, values))
            np.add.at(share, node, weight)
        return total / np.where(share > 0, share, 1.0).reshape(-1, *(1,) * len(rest))

    def in_cells(self, values: Array) -> Array:
        """(cell, …) from values at the points (cell, point, …): means by volume."""
        volume = self.volumes
        return np.asarray(np.einsum("eq,eq...->e...", volume / volume.sum(axis=1, keepdims=True), values))

    def interpolation(self, places: Array) -> Matrix:
        """(point, node), sparse: values at points (point, dimension) from those at the nodes; refuses others."""
        from scipy import sparse

        places = np.atleast_2d(np.asarray(places, dtype=float))
        if places.shape[1] != self.dimension:
            raise ModelError(f"points have {places.shape[1]} coordinates, the body has {self.dimension}")
        elements = self.elements
        cells, X = self.found(places)
        shapes, _ = elements.shapes(X)
        k, count = shapes.shape
        rows = np.repeat(np.arange(count), k)
        return sparse.csr_array(
            (shapes.T.ravel(), (rows, elements.nodes[cells].ravel())), shape=(count, len(elements.points))
        )

    def found(self, places: Array) -> tuple[Array, Array]:
        """Cells in which points (point, dimension) lie, and where in the reference cell (dimension, point)."""
        cells = self._cells_at(places)
        return cells, np.asarray(self.elements.mapping.invF(places.T[:, :, None], tind=cells))[:, :, 0]

    def slopes(self, place: Array) -> Matrix:
        """(dimension, node), sparse: slopes at a point from values at the nodes."""
        from scipy import sparse

        elements = self.elements
        cells, X = self.found(np.atleast_2d(np.asarray(place, dtype=float)))
        inverse = np.asarray(elements.mapping.invDF(X, tind=cells))[:, :, 0, 0]
        found = np.einsum("nj,ji->in", elements.shapes(X)[1][..., 0], inverse)
        ways = np.repeat(np.arange(self.dimension), found.shape[1])
        nodes = np.tile(elements.nodes[cells[0]], self.dimension)
        return sparse.csr_array((found.ravel(), (ways, nodes)), shape=(self.dimension, len(elements.points)))

    def dof(self, place: ArrayLike, direction: str) -> int:
        """Number of the dof of the node nearest to a place, in a direction ("x", "y" or "z")."""
        point = floats(place, "a place must be numbers", ModelError)
        if point.shape != (self.dimension,) or direction not in tuple("xyz"[: self.dimension]):
            raise ModelError(f"dof: give {self.dimension} coordinates and one of {', '.join('xyz'[: self.dimension])}")
        node = int(np.argmin(((self.nodes - point) ** 2).sum(axis=1)))
        row = self.motion[[node * self.dimension + "xyz".index(direction)]]
        if not row.nnz:
            raise ModelError(f"dof: the node nearest to {point.tolist()} is held in {direction}")
        return int(row.indices[0])

    def _cells_at(self, places: Array) -> Array:
        mesh = self.elements.mesh
        extent = float(np.ptp(self.vertices, axis=0).max())
        middle = self.vertices.mean(axis=0)
        find = mesh.element_finder()
        try:
            return np.asarray(find(*places.T))
        except ValueError:
            pass  # one of them is not inside: they are asked one by one
        found = np.zeros(len(places), dtype=np.int64)
        for number, place in enumerate(places):
            # A point on an edge may lie outside by rounding: it is asked again a little further in.
            for inwards in (0.0, 1e-12, 1e-9, _OUTSIDE):
                try:
                    found[number] = find(*(place + inwards * (middle - place))[:, None])[0]
                    break
                except ValueError:
                    continue
            else:
                low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
                raise ModelError(
                    f"the point {place.tolist()} is not in the body, which spans {low.tolist()} to {high.tolist()} "
                    f"(size {extent:g})"
                )
        return found

    def _on(self, boundary: str, value: Callable[[Array, Array], Array]) -> Array:
        fem, elements = scikit_fem(), self.elements
        basis = fem.FacetBasis(
            elements.mesh, elements.element, facets=self.facets(boundary), intorder=2 * self.degree + 1
        )
        x = np.asarray(basis.default_parameters()["x"])
        size = np.asarray(basis.dx) * (2 * np.pi * x[0] if self.plane == "axisymmetric" else self.thickness)
        density = value(x, np.asarray(basis.normals)) * size
        total = np.zeros((len(elements.points), self.dimension))
        for i, nodes in enumerate(basis.element_dofs):
            np.add.at(total, nodes, np.einsum("eq,deq->ed", np.asarray(basis.basis[i][0]), density))
        return np.asarray(self.motion.T @ total.ravel())

    def facets(self, boundary: str) -> Array:
        """Numbers of the mesh's facets on a named boundary."""
        if boundary not in self.boundaries:
            raise ModelError(f"there is no boundary {boundary!r}; the body has {few(tuple(self.boundaries), boundary)}")
        return facet_numbers(self.elements.mesh, self.boundaries[boundary])

    def _vector(self, who: str, value: Vector, x: Array) -> Array:
        """(dimension, …) at points (dimension, …)."""
        found = floats(value(x) if callable(value) else value, f"{who}: give numbers", ModelError)
        if found.shape == (self.dimension,):
            found = np.broadcast_to(found.reshape(-1, *(1,) * (x.ndim - 1)), x.shape)
        if found.shape != x.shape or not np.all(np.isfinite(found)):
            raise ModelError(f"{who}: give {self.dimension} finite numbers, or a function that returns them at points")
        return found


def facet_numbers(mesh: Any, corners: Array) -> Array:
    """Numbers of facets of a mesh by their corners (facet, corner)."""
    count = mesh.p.shape[1]

    def keys(rows: Array) -> Array:
        ordered = np.sort(rows, axis=1).astype(np.int64)
        mixed = ordered[:, 0]
        for column in ordered.T[1:3]:  # three corners tell a facet
            mixed = mixed * count + column
        return mixed

    known = keys(mesh.facets.T)
    order = np.argsort(known)
    return order[np.searchsorted(known[order], keys(corners))]
