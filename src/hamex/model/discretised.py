"""A density on a mesh as a model: element matrices from the coefficients of its quadratic forms, and those of the parts
of an action at points and on boundaries.

With Z the shape functions of the places in a form (fields, and their space derivatives) and D its coefficients, the
matrix of a cell is ∫ Zᵀ D Z dx, whatever the density. Numerical integration is exact for constant coefficients on
lines, triangles and tetrahedra, and of the degree of the mass matrix on quadrilaterals and hexahedra.

With Z the motions at the points of a part (values of fields and, at a point of a beam, slopes) and D the coefficients
of a form there, the part adds Σ w Zᵀ D Z, w the weights of the points: one at a point, those of integration on a
boundary.

Where the energy couples the value of one field with a derivative of another, as (w′ − ψ)² of a beam in shear, thin
bodies lock: with equal degrees the two cannot cancel. The impulse of that stress is then taken of one degree less than
the fields, at as many points in each direction as the degree: the element of eqs. (34)-(44), known as reduced
integration.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory
from hamex.errors import LockingWarning, ModelError
from hamex.model.assembly import gather
from hamex.model.damping import Damping
from hamex.model.fields import ELEMENTS, Fields, Fixed
from hamex.model.inputs import semidefinite
from hamex.model.record import Model
from hamex.model.solids.meshes import scikit_fem
from hamex.model.units import Units

Array = NDArray[Any]
Place = tuple[int, tuple[int, ...]]  # a field by number, and the axes that it is derived by
WHO = "discretise"
_ROUNDED = 1e-10  # negative eigenvalue of a scaled form, or shape function, that rounding explains
_AT_ONCE = 4_000_000  # numbers of shape functions in memory at a time
_SIMPLICES = ("RefTri", "RefTet")
_DIMENSIONS = ("no dimension", "one dimension", "two dimensions", "three dimensions")


class Forms(NamedTuple):
    """Quadratic forms of a density: places in each, and the coefficients of all four at points (dimension, …)."""

    fields: tuple[str, ...]
    kinetic: tuple[Place, ...]
    dissipation: tuple[Place, ...]
    potential: tuple[Place, ...]
    load: tuple[Place, ...]
    at: Callable[[Array], tuple[Array, Array, Array, Array]]


class Summed(NamedTuple):
    """Sums over all cells, of all dofs; which places of the potential meet, and whether it is negative somewhere."""

    mass: Any
    damping: Any
    stiffness: Any
    load: Array
    coupled: Array
    turned: bool


class Attached(NamedTuple):
    """A part of the action on a mesh: its forms, its motions (field by name, and whether it is its slope), those that
    are held, and where: a point of a line, or the name of a boundary."""

    forms: Forms
    motions: tuple[tuple[str, bool], ...]
    held: tuple[tuple[str, bool], ...]
    where: float | str


def held_by(part: Attached, fields: Fields) -> Array:
    """Dofs that a part holds: at a point those of its node, on a boundary all whose shape functions reach it."""
    found = [np.zeros(0, dtype=np.intp)]
    for name, slope in part.held:
        Z = fields.trace(name, slope, _where(part, fields))[0]
        reached = np.unique(Z.indices[abs(Z.data) > _ROUNDED])
        if isinstance(part.where, float) and len(reached) > 1:
            raise ModelError(f"{WHO}: {name}{chr(39) * slope} is held at {part.where:g}, where the mesh has no node")
        found.append(reached)
    return np.concatenate(found)


def _where(part: Attached, fields: Fields) -> float | Array:
    if isinstance(part.where, str):
        return fields.facets(WHO, part.where)
    low, high = fields.mesh.p.min(), fields.mesh.p.max()
    if not low <= part.where <= high:
        raise ModelError(f"{WHO}: a part is at {part.where:g}, outside of the mesh from {low:g} to {high:g}")
    return part.where


def with_part(part: Attached, whole: Summed, fields: Fields) -> Summed:
    """What a part adds: Σ Zᵀ (w D) Z over its points, with Z the motions there."""
    from scipy import sparse

    traces = [fields.trace(name, slope, _where(part, fields)) for name, slope in part.motions]
    if not traces:
        return whole
    _, x, weights = traces[0]
    T, D, V, b = part.forms.at(x)
    refuse_negative(f"the kinetic energy of the part at {part.where}", T)
    refuse_negative(f"the dissipation of the part at {part.where}", D)

    def summed(places: tuple[Place, ...], form: Array) -> Any:
        total = summed_up([], [], [], fields.size)
        for i, (one, _) in enumerate(places):
            for j, (other, _) in enumerate(places):
                total = total + traces[one][0].T @ sparse.diags_array(weights * form[i, j]) @ traces[other][0]
        return total

    load = whole.load.copy()
    for i, (field, _) in enumerate(part.forms.load):
        load += traces[field][0].T @ (weights * b[i])
    return Summed(
        whole.mass + summed(part.forms.kinetic, T),
        whole.damping + summed(part.forms.dissipation, D),
        whole.stiffness + summed(part.forms.potential, V),
        load,
        whole.coupled,
        whole.turned or is_negative(V),
    )


def carry(fields: Fields, K: Any, influence: Array) -> None:
    """Lumped fields go with the ground as their springs say: at rest beside what carries them."""
    if fields.lumped:
        own = np.arange(fields.size - len(fields.lumped), fields.size)
        influence[own] = -np.linalg.pinv(K[own][:, own].toarray()) @ (K[own] @ influence)


def _lowest(D: Array) -> float:
    """Least eigenvalue of a form at any point, its diagonal scaled to one."""
    D = np.moveaxis(D, (0, 1), (-2, -1))
    if not D.shape[-1]:
        return 0.0
    main = np.diagonal(D, axis1=-2, axis2=-1)
    if np.any(main < 0):
        return -1.0
    unit = np.where(main > 0, 1 / np.sqrt(np.where(main > 0, main, 1.0)), 0.0)
    empty = main == 0
    if np.any(D[empty] != 0):
        return -1.0  # something beside a zero on the diagonal
    return float(np.linalg.eigvalsh(unit[..., None] * D * unit[..., None, :]).min())


def is_negative(D: Array) -> bool:
    return _lowest(D) < -_ROUNDED


def refuse_negative(what: str, D: Array) -> None:
    if is_negative(D):
        raise ModelError(f"{WHO}: {what} is negative for some motion at some point; mend the density or its parameters")


def summed_up(row: Any, column: Any, data: Any, size: int) -> Any:
    from scipy import sparse

    return sparse.coo_array((data, (row, column)), shape=(size, size), dtype=float).tocsr()


def symmetric(matrix: Any) -> Any:
    """Without what rounding makes of symmetry, and of entries that cancel."""
    from scipy import sparse

    out = sparse.csr_array(0.5 * (matrix + matrix.T))
    out.eliminate_zeros()
    return out


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
    # A rule has as many points in each direction as wanted, and no field needs more of them.
    gauss = fields.cell not in _SIMPLICES and 2 not in fields.orders
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
        few = _locking(forms.potential, met) & (integration == "selective" and gauss)
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
