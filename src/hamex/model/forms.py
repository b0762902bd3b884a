"""Quadratic forms on a mesh: those of a density, and those of the parts of an action at points and on boundaries.

With Z the motions at the points of a part (values of fields and, at a point of a beam, slopes) and D the coefficients
of a form there, the part adds Σ w Zᵀ D Z, w the weights of the points: one at a point, those of integration on a
boundary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError
from hamex.model.fields import Fields

Array = NDArray[Any]
Place = tuple[int, tuple[int, ...]]  # a field by number, and the axes that it is derived by
WHO = "discretise"
_ROUNDED = 1e-10  # negative eigenvalue of a scaled form, or shape function, that rounding explains


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
