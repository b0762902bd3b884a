"""From blocks of springs, masses and dashpots to a Model: what all builders of structures share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite
from hamex.errors import ModelError
from hamex.model.algebra import DENSE, elastic_stiffness, static_stiffness
from hamex.model.backbone import Parallel
from hamex.model.blocks import Block, GatheredSprings, gather
from hamex.model.damping import Damping, Modal, Ratio, Rayleigh, proportional
from hamex.model.inputs import number, semidefinite, square, weak_dof
from hamex.model.laws.law import Law
from hamex.model.laws.slider import Slider
from hamex.model.laws.surface import Surface
from hamex.model.layout import Geometry, Storeys
from hamex.model.record import Model
from hamex.model.units import Units

Array = NDArray[Any]
Column = Mapping[int, float]
SpringLaw = Law | Parallel
# A matrix, sparse ones included; coefficients, one a storey; 0 for none; what ratio, rayleigh and modal return.
DampingLike = float | Sequence[float] | Array | Ratio | Rayleigh | Modal | None


@dataclass(frozen=True)
class Dashpot:
    """A linear dashpot between dofs: ``coefficient`` times the rate of ``Σ factor · u`` [force·time/length]."""

    column: Column
    coefficient: float


def spring(
    who: str,
    name: str,
    column: Column,
    stiffness: float | None,
    law: SpringLaw | None,
    group: str,
    moved: Column | None = None,
) -> list[Block]:
    """One spring with its law as a block, or several side by side if the law is :class:`Parallel`."""

    def block(part: str, k: float, own: Law) -> Block:
        return Block((part,), (column,), np.array([[1 / k]]), (((0,), own),), group, (moved or {},))

    if isinstance(law, Parallel):
        if stiffness is not None:
            given = number(who, f"stiffness of {name}", stiffness, positive=True)
            if abs(given - law.stiffness) > 1e-9 * law.stiffness:
                raise ModelError(
                    f"{who}: {name} has stiffness {given:g}, but its Parallel law has {law.stiffness:g}; "
                    "make them equal"
                )
        if len(law.parts) == 1:
            return [block(name, *law.parts[0])]
        return [block(f"{name}/{place}", k, own) for place, (k, own) in enumerate(law.parts, 1)]
    if stiffness is None:
        raise ModelError(f"{who}: {name} needs a stiffness; only a Parallel law brings its own")
    if law is not None and not isinstance(law, Law):
        raise ModelError(f"{who}: {name}: the law must be a law such as Slider(…), got {law!r}")
    if law is not None and law.size != 1:
        raise ModelError(f"{who}: {name}: {type(law).__name__} couples {law.size} forces, and this is one spring")
    return [block(name, number(who, f"stiffness of {name}", stiffness, positive=True), law or Slider())]


def as_surface(who: str, name: str, law: Law) -> Law:
    """The law of one component in the form that blocks of coupled springs want; others as they are."""
    if not isinstance(law, Slider):
        return law
    if law.yield_force == 0:
        raise ModelError(f"{who}: {name} shares its flexibility with other springs and needs a yield force above zero")
    return Surface((law.yield_force,), viscosity=law.viscosity, kinematic=law.kinematic, isotropic=law.isotropic)


def assemble(
    who: str,
    *,
    dofs: tuple[str, ...],
    motions: Sequence[str],
    mass: Any,
    blocks: Sequence[Block],
    dashpots: Sequence[Dashpot],
    geometric: Any,
    damping: DampingLike,
    influence: Array,
    directions: tuple[str, ...],
    support_names: tuple[str, ...],
    units: Units | None,
    storeys: Storeys | None,
    geometry: Geometry,
    critical: Callable[[Array], str],
) -> Model:
    """Check that the structure can stand, work out its damping, and fill the record.

    ``motions`` says per dof what moves ("node 'A' can move in direction x"), ``critical`` names the place where a
    shape loses its stability. Elements of ``geometry`` find their springs by the name of their group.
    """
    springs = gather(blocks, len(dofs), len(support_names))
    _refuse_unstable(who, springs, geometric, motions, critical)
    return Model(
        mass=mass,
        damping=damping_of(
            who,
            damping,
            mass,
            lambda: static_stiffness(geometric, springs.flexibility, springs.compatibility, springs.laws),
            dashpots,
            dofs,
        ),
        stiffness=geometric,
        flexibility=springs.flexibility,
        compatibility=springs.compatibility,
        laws=springs.laws,
        influence=influence,
        supports=springs.supports,
        dofs=dofs,
        springs=springs.names,
        directions=directions,
        units=units or Units(),
        support_names=support_names,
        groups=springs.groups,
        storeys=storeys,
        geometry=replace(geometry, springs=tuple(springs.groups.get(name, ()) for name in geometry.names)),
    )


def matrix_of(columns: Sequence[Column], weights: Iterable[float], size: int) -> Any:
    """``Σ weight · b bᵀ`` over columns ``b`` given by dof number."""
    from scipy import sparse

    entries = [
        (i, j, weight * x * y)
        for column, weight in zip(columns, weights, strict=True)
        for i, x in column.items()
        for j, y in column.items()
    ]
    if not entries:
        return sparse.csr_array((size, size))
    row, column, value = zip(*entries, strict=True)
    return sparse.csr_array((value, (row, column)), shape=(size, size))


def damping_of(
    who: str,
    damping: DampingLike,
    mass: Any,
    stiffness: Callable[[], Any],
    dashpots: Sequence[Dashpot],
    dofs: Sequence[str],
) -> Damping:
    """What is asked for, in terms of the modes at rest or as a matrix, and the dashpots beside it.

    ``stiffness`` gives what resists a slow small motion, where the damping needs it.
    """
    from scipy import sparse

    size = len(dofs)
    if isinstance(damping, Ratio | Rayleigh | Modal):
        base = proportional(who, damping, mass, stiffness())
    elif damping is None or (is_finite(damping) and damping == 0):
        base = Damping.full(sparse.csr_array((size, size)))
    elif np.ndim(damping) == 2 or sparse.issparse(damping):
        matrix = square(who, "the damping matrix", damping, size)
        semidefinite(who, "the damping matrix", matrix, dofs)
        base = Damping.full(matrix)
    else:
        raise ModelError(f"{who}: damping must be a matrix, ratio(…), rayleigh(…) or modal(…), got {damping!r}")
    if not dashpots:
        return base
    added = matrix_of([each.column for each in dashpots], [each.coefficient for each in dashpots], size)
    return replace(base, matrix=sparse.csr_array(base.matrix + added))


def _refuse_unstable(
    who: str, springs: GatheredSprings, geometric: Any, motions: Sequence[str], critical: Callable[[Array], str]
) -> None:
    from scipy import sparse

    # Whether something resists depends on B alone; springs of one size keep stiff ones from drowning the answer.
    size = np.sqrt((springs.compatibility**2).sum(axis=0))
    unit = springs.compatibility @ sparse.diags_array(1 / np.where(size > 0, size, 1.0))
    weak = weak_dof(sparse.csr_array(unit @ unit.T))
    if weak is not None:
        raise ModelError(
            f"{who}: unstable structure: {motions[weak]}, nothing resists it; add a support, a brace or a stiffness"
        )
    elastic = elastic_stiffness(0 * geometric, springs.flexibility, springs.compatibility)
    if geometric.nnz and weak_dof(elastic + geometric) is not None:
        factor, shape = _critical(elastic, geometric)
        raise ModelError(
            f"{who}: the gravity loads ({'compression of members' if who == 'frame' else 'weights'}) exceed what the "
            f"elastic structure can carry: it buckles at {factor:.4g} times these loads, {critical(shape)}; "
            "reduce them or stiffen the structure"
        )


def _critical(elastic: Any, geometric: Any) -> tuple[float, Array]:
    """Smallest factor of the geometric stiffness at which ``elastic + factor · geometric`` is singular."""
    from scipy import sparse
    from scipy.linalg import eigh
    from scipy.sparse.linalg import eigsh

    size = elastic.shape[0]
    if size <= DENSE:
        value, shape = eigh(-geometric.toarray(), elastic.toarray(), subset_by_index=[size - 1, size - 1])
    else:
        start = np.random.default_rng(1).standard_normal(size)
        value, shape = eigsh(-sparse.csc_array(geometric), 1, sparse.csc_array(elastic), which="LA", v0=start)
    return 1 / float(value[0]), shape[:, 0]
