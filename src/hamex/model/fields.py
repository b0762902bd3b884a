"""Fields on a mesh: which dofs they have, and the vectors that loads, starts and probes are made of.

Every field is a sum of shape functions, continuous of degree 1 or 2; a field whose density has second derivatives in
space (a slender beam) has Hermite's cubics, with values and slopes at the points. Dofs of one node stand together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError
from hamex.model.inputs import few
from hamex.model.solids.meshes import scikit_fem

Array = NDArray[Any]
Given = float | Callable[[Array], Any]
Fixed = Mapping[str, str | Sequence[str]]
WHOLE = "all"  # the whole boundary, or all fields
ELEMENTS = {
    ("RefLine", 1): "ElementLineP1",
    ("RefLine", 2): "ElementLineP2",
    ("RefTri", 1): "ElementTriP1",
    ("RefTri", 2): "ElementTriP2",
    ("RefQuad", 1): "ElementQuad1",
    ("RefQuad", 2): "ElementQuad2",
    ("RefTet", 1): "ElementTetP1",
    ("RefTet", 2): "ElementTetP2",
    ("RefHex", 1): "ElementHex1",
    ("RefHex", 2): "ElementHex2",
}
_HERMITE = "ElementLineHermite"
# What the determinant of the map to a cell adds to the degree of an integrand, in each direction.
_BENT = {"RefLine": 0, "RefTri": 0, "RefTet": 0, "RefQuad": 1, "RefHex": 2}


@dataclass(frozen=True, eq=False)
class Fields:
    """Fields on a mesh, as :func:`hamex.discretise` laid them out: ``model.fields``.

    Functions of the place are given points x (dimension, …) and return one number for each; a number stands for a
    constant. Vectors have one entry per dof of the model.

    Attributes
    ----------
    mesh : scikit-fem's.
    names : of the fields.
    degree : of the shape functions.
    orders : highest space derivative of each field in the density; 2 has Hermite's cubics.
    free : dofs that move, among those of all nodes.
    stated_load : forces of the load that the action states, with the shapes that its parameters gave.
    lumped : names of the fields of time alone that parts of the action hold; their dofs come last.

    Examples
    --------
    >>> import skfem, hamex as hx
    >>> from hamex.principle.library import action
    >>> mesh = skfem.MeshLine(np.linspace(0.0, 2.0, 5)).with_boundaries({"wall": lambda x: x[0] == 0.0})
    >>> string = hx.discretise(action("string"), mesh, {"mu": 1.0, "N": 9.0}, fixed={"wall": "w"})
    >>> string.fields.load(w=1.0).tolist(), string.fields.at("w", 1.25).tolist()
    ([0.5, 0.5, 0.5, 0.25], [0.0, 0.5, 0.5, 0.0])
    """

    mesh: Any
    names: tuple[str, ...]
    degree: int
    orders: tuple[int, ...]
    free: Array
    stated_load: Array
    lumped: tuple[str, ...] = ()

    def __repr__(self) -> str:
        kind = self.cell.removeprefix("Ref").lower()
        return f"<Fields: {', '.join(self.names)} of degree {self.degree} on {self.mesh.t.shape[1]} cells ({kind})>"

    def load(self, **densities: Given) -> Array:
        """Forces of loads per length, area or volume on fields by name: ∫ N b dx."""
        total = np.zeros(self.size)
        for name, given in densities.items():
            field = self._field(name)
            basis = scikit_fem().Basis(self.mesh, self.element(field), quadrature=self.rule(), dofs=self.dofs(field))
            np.add.at(total, self.place[field], _integrated(basis, f"load: {name}", given))
        return np.asarray(total[self.free])

    def boundary_load(self, boundary: str, **densities: Given) -> Array:
        """Forces of loads on a boundary, per area of it (per length in the plane, as they are at an end of a line)."""
        facets = self.facets("boundary_load", boundary)
        total = np.zeros(self.size)
        for name, given in densities.items():
            field = self._field(name)
            basis = scikit_fem().FacetBasis(
                self.mesh, self.element(field), facets=facets, intorder=self.exactness, dofs=self.dofs(field)
            )
            np.add.at(total, self.place[field], _integrated(basis, f"boundary_load: {name}", given))
        return np.asarray(total[self.free])

    def interpolated(self, **values: Given) -> Array:
        """Displacements, or velocities, of fields by name: their values at the nodes; the others are zero.

        A field of Hermite's cubics, whose slopes a function does not tell, is the nearest in the mean square.
        """
        total = np.zeros(self.size)
        for name, given in values.items():
            if name in self.lumped:
                total[self._number(name)] = values_at(f"interpolated: {name}", given, np.zeros((0, 1)))[0]
                continue
            field = self._field(name)
            if self.orders[field] == 2:
                total[self.place[field]] = self._projected(field, f"interpolated: {name}", given)
            else:
                total[self.place[field]] = values_at(f"interpolated: {name}", given, self.points(name))
        return np.asarray(total[self.free])

    def at(self, name: str, *point: float) -> Array:
        """Shape functions of a field at a point: the field there is their product with the displacement, and a force
        of one there has them as its pattern. A lumped field has no place: give its name alone."""
        if name in self.lumped and not point:
            return np.asarray((np.arange(self.size) == self._number(name))[self.free], dtype=float)
        field = self._field(name)
        where = np.asarray(point, dtype=float).reshape(-1, 1)
        if len(where) != self.mesh.dim() or not np.all(np.isfinite(where)):
            raise ModelError(f"at: give {self.mesh.dim()} coordinates, got {point!r:.60}")
        basis = scikit_fem().Basis(self.mesh, self.element(field), quadrature=self.rule(), dofs=self.dofs(field))
        try:
            found = basis.probes(where).toarray()[0]
        except (ValueError, IndexError):  # scikit-fem's ways to say so, in the plane and on a line
            raise ModelError(f"at: the point {', '.join(f'{x:g}' for x in point)} is outside of the mesh") from None
        total = np.zeros(self.size)
        total[self.place[field]] = found
        return np.asarray(total[self.free])

    def values(self, name: str, displacement: Array) -> Array:
        """A field at all of its nodes, fixed ones included, from displacements (…, dof): (…, node)."""
        if name in self.lumped:
            return np.asarray(displacement)[..., self.free == self._number(name)]
        field = self._field(name)
        every = np.zeros((*np.shape(displacement)[:-1], self.size))
        every[..., self.free] = displacement
        step = 2 if self.orders[field] == 2 else 1  # slopes stand between values
        return np.asarray(every[..., self.place[field][::step]])

    def points(self, name: str) -> Array:
        """Nodes of a field, (dimension, node) [length]; corners of the mesh first."""
        field = self._field(name)
        element = self.element(field)
        if self.orders[field] == 2 or self.degree == 1:
            return np.asarray(self.mesh.p)
        dofs = self.dofs(field)
        places = self.mesh.mapping().F(np.ascontiguousarray(element.doflocs.T))
        out = np.zeros((self.mesh.dim(), dofs.N))
        out[:, dofs.element_dofs.T] = places
        return out

    # ------------------------------------------------------------------------------------------------ layout
    def element(self, field: int) -> Any:
        """scikit-fem's element of a field."""
        kind = _HERMITE if self.orders[field] == 2 else ELEMENTS[self.cell, self.degree]
        return getattr(scikit_fem(), kind)()

    def dofs(self, field: int) -> Any:
        """scikit-fem's numbers of the dofs of a field by itself."""
        return self._numbers[self.orders[field] == 2]

    @cached_property
    def _numbers(self) -> dict[bool, Any]:
        fem = scikit_fem()
        return {self.orders[field] == 2: fem.Dofs(self.mesh, self.element(field)) for field in range(len(self.names))}

    @property
    def cell(self) -> str:
        """Name of the reference cell."""
        return str(self.mesh.elem.refdom.__name__)

    @cached_property
    def place(self) -> tuple[Array, ...]:
        """Number of each dof of each field among those of all: those of one node together."""
        counts = [self.dofs(field).N for field in range(len(self.names))]
        order = np.argsort(np.concatenate([np.arange(count) for count in counts]), kind="stable")
        number = np.empty(len(order), dtype=np.intp)
        number[order] = np.arange(len(order))
        return tuple(np.split(number, np.cumsum(counts)[:-1]))

    @property
    def size(self) -> int:
        """Dofs of all nodes, fixed ones included."""
        return sum(len(place) for place in self.place) + len(self.lumped)

    @property
    def exactness(self) -> int:
        """Degree, in each direction, of polynomials that are integrated exactly: products of two shape functions, on
        quadrilaterals and hexahedra with straight sides too."""
        return 2 * (3 if 2 in self.orders else self.degree) + _BENT[self.cell]

    def rule(self, reduced: bool = False) -> tuple[Array, Array]:
        """Points and weights of the reference cell; ``reduced``: as many in each direction as the degree."""
        if reduced:  # scikit-fem takes two points where one would do
            points, weights = np.polynomial.legendre.leggauss(self.degree)
            grid = np.meshgrid(*[0.5 + 0.5 * points] * self.mesh.dim(), indexing="ij")
            shares = np.meshgrid(*[0.5 * weights] * self.mesh.dim(), indexing="ij")
            return np.stack([axis.ravel() for axis in grid]), np.prod(shares, axis=0).ravel()
        for exact in range(self.exactness, self.exactness + 4):  # weights of all signs would spoil what is positive
            points, weights = scikit_fem().quadrature.get_quadrature(self.mesh.elem.refdom, exact)
            if weights.min() > 0:
                break
        return np.asarray(points), np.asarray(weights)

    def all_names(self) -> list[str]:
        """Names of all dofs, fixed ones included: ``w[3]``, and ``w'[3]`` for slopes."""
        out = [""] * self.size
        for field, name in enumerate(self.names):
            cubic = self.orders[field] == 2
            for number, place in enumerate(self.place[field].tolist()):
                node, slope = divmod(number, 2) if cubic else (number, 0)
                out[place] = f"{name}{chr(39) * slope}[{node}]"
        return [*out[: self.size - len(self.lumped)], *self.lumped]

    def _number(self, lumped: str) -> int:
        """Number of the dof of a lumped field among all."""
        return self.size - len(self.lumped) + self.lumped.index(lumped)

    def trace(self, name: str, slope: bool, where: float | Array) -> tuple[Any, Array, Array]:
        """Shape functions of a field, or of its slope, at a point of a line, or at the points of integration of some
        facets: a matrix (point, dof of all), the points (dimension, point), and their weights."""
        from scipy import sparse

        if name in self.lumped:
            unit = sparse.csr_array(([1.0], ([0], [self._number(name)])), shape=(1, self.size))
            return unit, np.full((1, 1), where), np.ones(1)
        field, fem = self._field(name), scikit_fem()
        if isinstance(where, float):
            cell = self.mesh.element_finder()(np.array([where]))
            local = self.mesh.mapping().invF(np.array([[[where]]]), tind=cell)[:, 0]
            basis = fem.Basis(
                self.mesh, self.element(field), elements=cell, quadrature=(local, np.ones(1)), dofs=self.dofs(field)
            )
            weights = np.ones(1)
        else:
            basis = fem.FacetBasis(
                self.mesh, self.element(field), facets=where, intorder=self.exactness, dofs=self.dofs(field)
            )
            weights = np.asarray(basis.dx).ravel()
        shapes = np.stack(
            [np.broadcast_to(s.grad[0] if slope else np.asarray(s), basis.dx.shape) for (s,) in basis.basis]
        )
        columns = self.place[field][basis.element_dofs][:, :, None] + np.zeros(basis.dx.shape, dtype=np.intp)
        rows = np.broadcast_to(np.arange(weights.size).reshape(basis.dx.shape), shapes.shape)
        Z = sparse.coo_array((shapes.ravel(), (rows.ravel(), columns.ravel())), shape=(weights.size, self.size))
        return Z.tocsr(), np.asarray(basis.global_coordinates()).reshape(self.mesh.dim(), -1), weights

    def facets(self, who: str, boundary: object) -> Array:
        """Facets of a boundary by name."""
        known = dict(self.mesh.boundaries or {})
        known.setdefault(WHOLE, self.mesh.boundary_facets())
        if not isinstance(boundary, str) or boundary not in known:
            names = few(sorted(known), boundary)
            raise ModelError(f"{who}: the mesh has no boundary {boundary!r:.60}; it has {names}")
        if not len(known[boundary]):
            raise ModelError(f"{who}: the boundary {boundary!r} of the mesh is empty")
        return np.asarray(known[boundary])

    def held(self, who: str, fixed: Fixed) -> Array:
        """Numbers of the dofs that are fixed: {boundary: fields}, a slope being ``"w'"``."""
        motions = [
            *self.names,
            *(f"{name}'" for name, order in zip(self.names, self.orders, strict=True) if order == 2),
        ]
        found = [np.zeros(0, dtype=np.intp)]
        for boundary, given in fixed.items():
            facets = self.facets(who, boundary)
            wanted = motions if given == WHOLE else [given] if isinstance(given, str) else list(given)
            for name in wanted:
                if name not in motions:
                    raise ModelError(f"{who}: no field is called {name!r:.40}; {few(motions, name)} can be fixed")
                field = self.names.index(name.removesuffix("'"))
                numbers = np.asarray(self.dofs(field).get_facet_dofs(facets).all())
                if self.orders[field] == 2:
                    numbers = numbers[numbers % 2 == (1 if name.endswith("'") else 0)]
                found.append(self.place[field][numbers])
        return np.unique(np.concatenate(found))

    def _field(self, name: str) -> int:
        if name not in self.names:
            raise ModelError(f"no field is called {name!r:.40}; there are {few(self.names, name)}")
        return self.names.index(name)

    def _projected(self, field: int, what: str, given: Given) -> Array:
        from scipy.sparse.linalg import spsolve

        fem = scikit_fem()
        basis = fem.Basis(self.mesh, self.element(field), quadrature=self.rule(), dofs=self.dofs(field))
        square = fem.BilinearForm(lambda u, v, w: u * v).assemble(basis)
        moves = np.flatnonzero(np.isin(self.place[field], self.free))
        found = np.zeros(basis.N)
        right = _integrated(basis, what, given)
        found[moves] = spsolve(square[moves][:, moves].tocsc(), right[moves])
        return found


def values_at(what: str, given: Given, x: Array) -> Array:
    """A number, or a function of the place, at points (dimension, …)."""
    try:
        values = np.asarray(given(x) if callable(given) else given, dtype=float)
        values = np.broadcast_to(values, x.shape[1:])
    except (TypeError, ValueError):
        raise ModelError(
            f"{what} must be a number, or a function of points x (dimension, …) with one number for each; "
            f"got {given!r:.60}"
        ) from None
    if not np.all(np.isfinite(values)):
        raise ModelError(f"{what} is no finite number at some point")
    return values


def _integrated(basis: Any, what: str, given: Given) -> Array:
    """∫ N b, by the basis' own numbers."""
    b = values_at(what, given, np.asarray(basis.global_coordinates())) * basis.dx
    out = np.zeros(basis.N)
    for local in range(len(basis.basis)):
        np.add.at(out, basis.element_dofs[local], (np.asarray(basis.basis[local][0]) * b).sum(axis=-1))
    return out
