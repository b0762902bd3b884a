"""A density on a mesh as a model: element matrices from the coefficients of its quadratic forms.

With Z the shape functions of the places in a form (fields, and their space derivatives) and D its coefficients, the
matrix of a cell is ∫ Zᵀ D Z dx, whatever the density. Numerical integration is exact for constant coefficients on
lines, triangles and tetrahedra, and of the degree of the mass matrix on quadrilaterals and hexahedra.

Where the energy couples the value of one field with a derivative of another, as (w′ − ψ)² of a beam in shear, thin
bodies lock: with equal degrees the two cannot cancel. The impulse of that stress is then taken of one degree less than
the fields, at as many points in each direction as the degree: the element of eqs. (34)-(44), known as reduced
integration.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory
from hamex.errors import LockingWarning, ModelError
from hamex.model.assembly import gather
from hamex.model.damping import Damping
from hamex.model.fields import ELEMENTS, Fields, Fixed
from hamex.model.forms import (
    WHO,
    Attached,
    Forms,
    Place,
    Summed,
    carry,
    held_by,
    is_negative,
    refuse_negative,
    summed_up,
    symmetric,
    with_part,
)
from hamex.model.inputs import semidefinite
from hamex.model.record import Model
from hamex.model.solids.meshes import scikit_fem
from hamex.model.units import Units

Array = NDArray[Any]
_AT_ONCE = 4_000_000  # numbers of shape functions in memory at a time
_SIMPLICES = ("RefTri", "RefTet")
_DIMENSIONS = ("no dimension", "one dimension", "two dimensions", "three dimensions")


def laid_out(
    forms: Forms, mesh: Any, space: int, degree: int, fixed: Fixed, lumped: tuple[str, ...], parts: list[Attached]
) -> Fields:
    """The fields of a density on a mesh, or why it does not fit."""
    fem = scikit_fem()
    if not isinstance(mesh, fem.Mesh):
        raise ModelError(f"{WHO}: mesh must be a mesh of scikit-fem, got {type(mesh).__name__}")
    if mesh.dim() != space:
        raise ModelError(f"{WHO}: the density is one of {_DIMENSIONS[space]}, the mesh of {_DIMENSIONS[mesh.dim()]}")
    if degree not in (1, 2) or isinstance(degree, bool):
        raise ModelError(f"{WHO}: degree must be 1 or 2, got {degree!r:.40}")
    places = (*forms.kinetic, *forms.dissipation, *forms.potential)
    orders = tuple(max(len(axes) for place, axes in places if place == field) for field, _ in enumerate(forms.fields))
    if max(orders) > 1 and space > 1:
        raise ModelError(
            f"{WHO}: {forms.fields[int(np.argmax(orders))]} has second derivatives in space, which need shape "
            "functions with continuous slopes; those are there on lines only. Take a density with rotations of their "
            "own (Timoshenko, Mindlin)"
        )
    fields = Fields(mesh, forms.fields, degree, orders, np.zeros(0, dtype=np.intp), np.zeros(0), lumped)
    if (fields.cell, degree) not in ELEMENTS:
        raise ModelError(f"{WHO}: cells of the kind {fields.cell} are not supported")
    lost = np.setdiff1d(np.arange(mesh.p.shape[1]), mesh.t)
    if lost.size:
        raise ModelError(f"{WHO}: point {lost[0]} of the mesh belongs to no cell; remove it")
    with np.errstate(all="ignore"):  # scikit-fem inverts the maps on the way
        volume = np.asarray(mesh.mapping().detDF(fields.rule()[0]))
    flat = np.flatnonzero(~(volume.min(axis=1) * volume.max(axis=1) > 0))
    if flat.size:
        raise ModelError(f"{WHO}: cell {flat[0]} of the mesh has no volume, or is turned inside out; mend the mesh")
    held = np.concatenate([fields.held(WHO, fixed), *(held_by(part, fields) for part in parts)])
    free = np.setdiff1d(np.arange(fields.size), held)
    if not free.size:
        raise ModelError(f"{WHO}: every dof is fixed; nothing can move")
    local = sum(fields.element(field).doflocs.shape[0] for field, _ in enumerate(forms.fields))
    check_memory(WHO, 3 * mesh.t.shape[1] * local**2, f"{mesh.t.shape[1]:,} cells", "take fewer")
    return replace(fields, free=free)


def assembled(
    forms: Forms,
    fields: Fields,
    mass: str,
    integration: str,
    negative_stiffness: bool,
    units: Units | None,
    parts: list[Attached],
) -> Model:
    """The model of what is free."""
    whole = _gathered(forms, fields, mass, integration)
    for part in parts:
        whole = with_part(part, whole, fields)
    if integration == "selective" and fields.cell in _SIMPLICES and _locking(forms.potential, whole.coupled).any():
        warnings.warn(
            f"{WHO}: the energy couples a field with the derivative of another, and triangles and tetrahedra are too "
            "stiff for that where a body is thin; take quadrilaterals or hexahedra",
            LockingWarning,
            stacklevel=3,
        )
    free = fields.free
    M, C, K = (symmetric(matrix[free][:, free]) for matrix in (whole.mass, whole.damping, whole.stiffness))
    names = fields.all_names()
    dofs = tuple(names[number] for number in free)
    if whole.turned and not negative_stiffness:
        try:
            semidefinite(WHO, "the potential", K, dofs, abs(K.diagonal()))
        except ModelError as problem:
            raise ModelError(f"{problem}. Say negative_stiffness=True where that is meant") from None
    resisted = M.diagonal() + C.diagonal() + abs(K.diagonal())
    if np.any(resisted == 0):
        raise ModelError(f"{WHO}: neither mass nor damping nor stiffness resists {dofs[int(np.argmin(resisted))]}")
    springs = gather([], len(dofs))
    directions, influence = _uniform(forms, fields, whole.coupled)
    carry(fields, whole.stiffness, influence)
    return Model(
        mass=M,
        damping=Damping.full(C),
        stiffness=K,
        flexibility=springs.flexibility,
        compatibility=springs.compatibility,
        laws=springs.laws,
        influence=influence[free],
        supports=springs.supports,
        dofs=dofs,
        springs=(),
        directions=directions,
        units=units or Units(),
        ground_inertia=symmetric(whole.mass)[free] @ influence,
        fields=replace(fields, stated_load=whole.load[free]),
    )


def _gathered(forms: Forms, fields: Fields, mass: str, integration: str) -> Summed:
    M = C = K = summed_up([], [], [], fields.size)
    load = np.zeros(fields.size)
    coupled = np.zeros((len(forms.potential),) * 2, dtype=bool)
    turned = False
    for cells in _chunks(forms, fields):
        part = _Cells(forms, fields, cells, fields.rule())
        T, D, V, b = part.coefficients
        refuse_negative("the kinetic energy", T)
        refuse_negative("the dissipation", D)
        turned = turned or is_negative(V)
        met = np.any(V != 0, axis=tuple(range(2, V.ndim)))
        coupled |= met
        M = M + (part.lumped(T) if mass == "lumped" else part.matrix(forms.kinetic, T))
        C = C + part.matrix(forms.dissipation, D)
        few = _locking(forms.potential, met) & (integration == "selective" and _has_gauss(fields))
        if np.any(few):
            K = K + part.matrix(forms.potential, _kept(V, ~few))
            fewer = _Cells(forms, fields, cells, fields.rule(reduced=True))
            K = K + fewer.matrix(forms.potential, _kept(fewer.coefficients[2], few))
        else:
            K = K + part.matrix(forms.potential, V)
        part.add_load(b, load)
    return Summed(M, C, K, load, coupled, turned)


class _Cells:
    """Shape functions of some cells at the points of a rule, and the density's coefficients there."""

    def __init__(self, forms: Forms, fields: Fields, cells: Array, rule: tuple[Array, Array]) -> None:
        self.forms, self.fields = forms, fields
        fem = scikit_fem()
        self.bases = {
            cubic: fem.Basis(
                fields.mesh, fields.element(field), elements=cells, quadrature=rule, dofs=fields.dofs(field)
            )
            for cubic, field in {order == 2: field for field, order in enumerate(fields.orders)}.items()
        }
        one = next(iter(self.bases.values()))
        self.dx = np.asarray(one.dx)  # (cell, point)
        self.coefficients = forms.at(np.asarray(one.global_coordinates()))
        counts = [len(self._basis(field).basis) for field, _ in enumerate(forms.fields)]
        self.columns = np.cumsum([0, *counts])
        self.dofs = np.concatenate(  # (local, cell)
            [fields.place[field][self._basis(field).element_dofs] for field, _ in enumerate(forms.fields)]
        )

    def _basis(self, field: int) -> Any:
        return self.bases[self.fields.orders[field] == 2]

    def shapes(self, place: Place) -> Array:
        """(cell, point, local) of one place."""
        field, axes = place
        parts = []
        for (shape,) in self._basis(field).basis:
            if not axes:
                parts.append(np.broadcast_to(np.asarray(shape), self.dx.shape))
            elif len(axes) == 1:
                parts.append(np.broadcast_to(shape.grad[axes[0]], self.dx.shape))
            else:
                parts.append(np.broadcast_to(shape.hess[axes[0], axes[1]], self.dx.shape))
        return np.stack(parts, axis=-1)

    def operator(self, places: tuple[Place, ...]) -> Array:
        """Z, (cell, point, place, local)."""
        Z = np.zeros((*self.dx.shape, len(places), self.columns[-1]))
        for row, place in enumerate(places):
            first, last = self.columns[place[0]], self.columns[place[0] + 1]
            Z[:, :, row, first:last] = self.shapes(place)
        return Z

    def matrix(self, places: tuple[Place, ...], D: Array) -> Any:
        """Σ ∫ Zᵀ D Z dx as a sparse matrix of all dofs; D is (place, place), or with one entry per cell and point."""
        if not np.any(D):
            return summed_up([], [], [], self.fields.size)
        Z = self.operator(places)
        D = np.moveaxis(D, (0, 1), (-2, -1))
        weighted = (D @ Z) * self.dx[..., None, None]
        cells, points, rows, local = Z.shape
        flat = (cells, points * rows, local)
        found = Z.reshape(flat).transpose(0, 2, 1) @ weighted.reshape(flat)
        row = np.repeat(self.dofs.T[:, :, None], local, axis=2)
        return summed_up(row.ravel(), row.transpose(0, 2, 1).ravel(), found.ravel(), self.fields.size)

    def lumped(self, T: Array) -> Any:
        """Diagonal masses in the proportions of the consistent ones, the mass of every cell kept (Hinton, Rock and
        Zienkiewicz): sums of rows would be zero or negative at the corners of cells of degree 2."""
        where, masses = [], []
        met = np.any(T != 0, axis=tuple(range(2, T.ndim)))
        for row, (field, axes) in enumerate(self.forms.kinetic):
            if self.fields.orders[field] == 2 or met[row].sum() > 1 or axes:
                raise ModelError(
                    f"{WHO}: the mass of {self.forms.fields[field]} cannot be lumped: its kinetic energy couples "
                    'fields or has slopes, or its shape functions have; take mass="consistent"'
                )
            weight = T[row, row] * self.dx
            N = self.shapes((field, ()))
            main = np.einsum("cq,cql,cql->cl", weight, N, N)
            masses.append((main * (weight.sum(axis=1) / main.sum(axis=1))[:, None]).ravel())
            where.append(self.fields.place[field][self._basis(field).element_dofs].T.ravel())
        place = np.concatenate(where)
        return summed_up(place, place, np.concatenate(masses), self.fields.size)

    def add_load(self, b: Array, out: Array) -> None:
        """Add the forces of the stated load."""
        for row, (field, _) in enumerate(self.forms.load):
            forces = np.einsum("cq,cql->lc", b[row] * self.dx, self.shapes((field, ())))
            np.add.at(out, self.fields.place[field][self._basis(field).element_dofs], forces)


def _chunks(forms: Forms, fields: Fields) -> Iterator[Array]:
    """Cell numbers, as many at a time as memory allows."""
    local = sum(fields.element(field).doflocs.shape[0] for field, _ in enumerate(forms.fields))
    each = fields.rule()[1].size * max(1, len(forms.potential), len(forms.kinetic)) * local
    count = fields.mesh.t.shape[1]
    size = max(1, _AT_ONCE // each)
    for first in range(0, count, size):
        yield np.arange(first, min(first + size, count))


def _locking(places: tuple[Place, ...], coupled: Array) -> Array:
    """(place,), True in groups of coupled places that hold the value of one field and a derivative of another."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    _, group = connected_components(csr_array(coupled), directed=False)
    out = np.zeros(len(places), dtype=bool)
    for number in np.unique(group):
        members = np.flatnonzero(group == number)
        values = {places[m][0] for m in members if not places[m][1]}
        slopes = {places[m][0] for m in members if places[m][1]}
        out[members] = any(a != b for a in values for b in slopes)
    return out


def _kept(V: Array, which: Array) -> Array:
    """A form with some of its places only."""
    both = np.logical_and.outer(which, which)
    return np.where(both.reshape(*both.shape, *(1,) * (V.ndim - 2)), V, 0.0)


def _has_gauss(fields: Fields) -> bool:
    """True where a rule has as many points in each direction as wanted, and no field needs more of them."""
    return fields.cell not in _SIMPLICES and 2 not in fields.orders


def _uniform(forms: Forms, fields: Fields, coupled: Array) -> tuple[tuple[str, ...], Array]:
    """Fields that a moving ground carries along, and the motion of the dofs with it: those with a mass whose value
    meets no other place in the potential."""
    heavy = {field for field, _ in forms.kinetic}
    tied = {place[0] for place, row in zip(forms.potential, coupled, strict=True) if not place[1] and row.sum() > 1}
    carried = sorted(heavy - tied) or [0]
    influence = np.zeros((fields.size, len(carried)))
    for column, field in enumerate(carried):
        step = 2 if fields.orders[field] == 2 else 1
        influence[fields.place[field][::step], column] = float(field in heavy - tied)
    return tuple(forms.fields[field] for field in carried), influence
