"""Blocks of springs: what every builder of structures collects, and how it becomes A, B and the laws of a Model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError
from hamex.model.laws.law import Group, Law
from hamex.model.laws.slider import Slider
from hamex.model.laws.surface import Surfaces

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
    for number, group in enumerate(groups):
        springs, law = group.springs, group.law.__name__
        if not group.law.symmetric:
            raise ModelError(f"{who}: the tangent of {law} is not symmetric; such laws are refused")
        if springs.size and (springs.min() < 0 or springs.max() >= count):
            raise ModelError(f"{who}: group {number} of {law} names springs beyond the {count} there are")
        if len(np.unique(springs)) < len(springs) or np.any(owner[springs] >= 0):
            raise ModelError(f"{who}: a spring of group {number} of {law} has two laws")
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
        kind, number = group.law.kind, 2
        name = kind
        while name in laws:
            name, number = f"{kind} {number}", number + 1
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
