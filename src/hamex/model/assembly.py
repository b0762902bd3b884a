"""Blocks of springs, masses and dashpots: what every builder of structures collects, and how it becomes A, B, the laws
and the rest of a Model."""

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
from hamex.model.damping import Damping, Modal, Ratio, Rayleigh, proportional, refuse_number, widened
from hamex.model.inputs import number, semidefinite, square, weak_dof
from hamex.model.laws.law import Group, Law
from hamex.model.laws.slider import Slider
from hamex.model.laws.surface import Surface, Surfaces
from hamex.model.layout import Geometry, Storeys
from hamex.model.record import Model
from hamex.model.units import Units

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Block:
    """Springs that share a flexibility: one spring, or the end forces of one beam.

    Attributes
    ----------
    names : of the springs.
    columns : per spring, deformation by dof number, ``{dof: factor}``.
    flexibility : (m, m), symmetric positive definite [length/force].
    laws : pairs (components, law). A law of as many components as there are springs has them all; else a block has
        any number of Surfaces on some of its components, in the order of the surface's yield forces. A component that
        no law names is elastic.
    group : what the springs belong to.
    supports : per spring, deformation by support number, like ``columns``.
    """

    names: tuple[str, ...]
    columns: tuple[Mapping[int, float], ...]
    flexibility: Array
    laws: tuple[tuple[tuple[int, ...], Law], ...]
    group: str
    supports: tuple[Mapping[int, float], ...] = ()


@dataclass(frozen=True, eq=False)
class GatheredSprings:
    """The spring part of a Model: A, B, supports, laws, names and groups."""

    flexibility: Any
    compatibility: Any
    supports: Any
    laws: Mapping[str, Any]
    names: Any
    groups: Mapping[str, tuple[int, ...]]


def gather(blocks: Sequence[Block], dofs: int, supports: int = 0) -> GatheredSprings:
    """Number the springs in the order of the blocks and put everything into sparse arrays."""
    from scipy import sparse

    names = [name for block in blocks for name in block.names]
    doubled = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else set()
    if doubled:
        raise ModelError(f"two springs are named {min(doubled)!r}; give every element and link its own name")
    first = np.cumsum([0, *(len(block.names) for block in blocks)])
    groups: dict[str, list[int]] = {}
    for block, start in zip(blocks, first[:-1], strict=True):
        _check(block)
        groups.setdefault(block.group, []).extend(range(start, start + len(block.names)))
    columns = [column for block in blocks for column in block.columns]
    moved = [column for block in blocks for column in (block.supports or ({},) * len(block.names))]
    # SciPy builds no block diagonal of nothing.
    flexibility = sparse.block_diag([block.flexibility for block in blocks]) if blocks else np.zeros((0, 0))
    return GatheredSprings(
        sparse.csr_array(flexibility),
        _by_column(columns, dofs),
        _by_column(moved, supports),
        _laws(blocks, first),
        tuple(names),
        {name: tuple(numbers) for name, numbers in groups.items()},
    )


def from_groups(
    who: str, names: Sequence[str], flexibility: Any, compatibility: Any, supports: Any, groups: Sequence[Any]
) -> GatheredSprings:
    """The spring part of a Model from groups of laws as arrays: no object per spring. Others are elastic by
    themselves."""
    from scipy import sparse

    count = len(names)
    owner = np.full(count, -1)
    for place, group in enumerate(groups):
        springs, law = group.springs, group.law.__name__
        if not group.law.symmetric:
            raise ModelError(f"{who}: the tangent of {law} is not symmetric; such laws are refused")
        if springs.size and (springs.min() < 0 or springs.max() >= count):
            raise ModelError(f"{who}: group {place} of {law} names springs beyond the {count} there are")
        if len(np.unique(springs)) < len(springs) or np.any(owner[springs] >= 0):
            raise ModelError(f"{who}: a spring of group {place} of {law} has two laws")
        owner[springs] = np.repeat(group.first, group.sizes)
    free = np.flatnonzero(owner < 0)
    owner[free] = free
    entries = sparse.coo_array(flexibility)
    apart = np.flatnonzero(owner[entries.row] != owner[entries.col])
    if apart.size:
        i, j = entries.row[apart[0]], entries.col[apart[0]]
        raise ModelError(f"{who}: springs {names[i]!r} and {names[j]!r} share flexibility and need one law for both")
    laws: dict[str, Any] = {}
    for group in (Group.of(Slider, free), *groups) if free.size else groups:
        kind, again = group.law.kind, 2
        name = kind
        while name in laws:
            name, again = f"{kind} {again}", again + 1
        laws[name] = group
    together = {name: tuple(group.springs.tolist()) for name, group in laws.items()}
    return GatheredSprings(
        sparse.csr_array(flexibility),
        sparse.csr_array(compatibility),
        sparse.csr_array(supports),
        laws,
        names,
        together,
    )


def _by_column(columns: Sequence[Mapping[int, float]], rows: int) -> Any:
    from scipy import sparse

    entries = [(row, number, value) for number, column in enumerate(columns) for row, value in column.items()]
    row, column, value = zip(*entries, strict=True) if entries else ((), (), ())
    return sparse.csr_array(
        (np.array(value, dtype=float), (np.array(row, dtype=int), np.array(column, dtype=int))),
        shape=(rows, len(columns)),
    )


def _check(block: Block) -> None:
    for _, law in block.laws:
        if not law.symmetric:
            raise ModelError(
                f"{block.names[0]}: the tangent of {type(law).__name__} is not symmetric, so that a step "
                "has no potential and no promise of one solution; such laws are refused"
            )
    a = block.flexibility
    size = len(block.names)
    if size == 1 and a.shape == (1, 1) and 0 < a[0, 0] < np.inf:  # most springs
        return
    if a.shape != (size, size) or not np.all(np.isfinite(a)) or not np.allclose(a, a.T, rtol=1e-12, atol=0):
        raise ModelError(f"{block.names[0]}: the flexibility must be a finite symmetric {size} × {size} matrix")
    if np.linalg.eigvalsh(a).min() <= 0:
        raise ModelError(
            f"{block.names[0]}: the flexibility must be positive definite; a spring without flexibility is a constraint"
        )


def _laws(blocks: Sequence[Block], first: Array) -> dict[str, Any]:
    """Groups of laws by kind. Sliders come first and are always there: elastic springs are among them."""
    whole: dict[type[Law], list[tuple[int, Law]]] = {Slider: []}
    surfaces: list[tuple[int, Block]] = []
    for block, start in zip(blocks, first[:-1], strict=True):
        law = block.laws[0][1] if block.laws else Slider()
        size = len(block.names)
        if law.kind != "surface" and law.size == size and len(block.laws) <= 1:
            whole.setdefault(type(law), []).append((int(start), law))
        else:
            surfaces.append((int(start), block))
    laws: dict[str, Any] = {}
    for kind, pairs in whole.items():
        for size in sorted({law.size for _, law in pairs}) or [1]:
            own = [(start, law) for start, law in pairs if law.size == size]
            name = kind.kind if kind.kind not in laws else f"{kind.kind} {size}"
            laws[name] = kind.grouped([law for _, law in own], [start for start, _ in own])
    if surfaces:
        laws["surface"] = Surfaces.of(surfaces)
    return laws


Column = Mapping[int, float]
SpringLaw = Law | Parallel
# A matrix, sparse ones included; coefficients, one each storey; 0 for none; what ratio, rayleigh and modal return.
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
    hinged: int = 0,
) -> Model:
    """Check that the structure can stand, work out its damping, and fill the record.

    ``motions`` says per dof what moves ("node 'A' can move in direction x"), ``critical`` names the place where a
    shape loses its stability. Elements of ``geometry`` find their springs by the name of their group. The last
    ``hinged`` dofs are rotations of hinges, which have neither mass nor damping.
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
            hinged,
            units,
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
    hinged: int = 0,
    units: Units | None = None,
) -> Damping:
    """What is asked for, in terms of the modes at rest or as a matrix, and the dashpots beside it.

    ``stiffness`` gives what resists a slow small motion, where the damping needs it. The last ``hinged`` dofs are
    rotations of hinges: damping is that of the structure before they turn, or a hinge that yields would be held by a
    dashpot as stiff as itself (Zareian and Medina 2010, Comput. Struct. 88:45).
    """
    from scipy import sparse

    refuse_number(who, damping, units)
    size, nodes = len(dofs), len(dofs) - hinged
    if isinstance(damping, Ratio | Rayleigh | Modal):
        base = widened(proportional(who, damping, mass[:nodes, :nodes], _condensed(stiffness(), nodes)), hinged)
    elif damping is None or (is_finite(damping) and damping == 0):
        base = Damping.full(sparse.csr_array((size, size)))
    elif np.ndim(damping) == 2 or sparse.issparse(damping):
        own = hinged if np.shape(damping)[0] == nodes else 0
        matrix = square(who, "the damping matrix", damping, size - own)
        semidefinite(who, "the damping matrix", matrix, dofs[: size - own])
        base = widened(Damping.full(matrix), own)
    else:
        raise ModelError(f"{who}: damping must be a matrix, ratio(…), rayleigh(…) or modal(…), got {damping!r}")
    if not dashpots:
        return base
    added = matrix_of([each.column for each in dashpots], [each.coefficient for each in dashpots], size)
    return replace(base, matrix=sparse.csr_array(base.matrix + added))


def _condensed(stiffness: Any, size: int) -> Any:
    """The stiffness of the first dofs where nothing acts on the others."""
    from scipy import sparse
    from scipy.sparse.linalg import spsolve

    if size == stiffness.shape[0]:
        return stiffness
    K = sparse.csc_array(stiffness)
    across = K[size:, :size]
    follow = spsolve(sparse.csc_array(K[size:, size:]), sparse.csc_array(across))
    return sparse.csr_array(K[:size, :size] - across.T @ sparse.csc_array(follow).reshape(across.shape))


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
