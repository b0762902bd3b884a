"""Blocks of springs: what every builder of structures collects, and how it becomes A, B and the laws of a Model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError
from hamex.model.laws.law import Law
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
        any number of Surfaces on some of its components, in the order of the surface's yield forces. A component that no
        law names is elastic.
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
class Springs:
    """The spring part of a Model: A, B, supports, laws, names and groups."""

    flexibility: Any
    compatibility: Any
    supports: Any
    laws: Mapping[str, Any]
    names: tuple[str, ...]
    groups: Mapping[str, tuple[int, ...]]


def gather(blocks: Sequence[Block], dofs: int, supports: int = 0) -> Springs:
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
    return Springs(sparse.csr_array(flexibility), _by_column(columns, dofs),
                   _by_column(moved, supports), _laws(blocks, first), tuple(names),
                   {name: tuple(numbers) for name, numbers in groups.items()})


def _by_column(columns: Sequence[Mapping[int, float]], rows: int) -> Any:
    from scipy import sparse

    entries = [(row, number, value) for number, column in enumerate(columns) for row, value in column.items()]
    row, column, value = zip(*entries, strict=True) if entries else ((), (), ())
    return sparse.csr_array((np.array(value, dtype=float), (np.array(row, dtype=int), np.array(column, dtype=int))),
                            shape=(rows, len(columns)))


def _check(block: Block) -> None:
    for _, law in block.laws:
        if not law.symmetric:
            raise ModelError(f"{block.names[0]}: the tangent of {type(law).__name__} is not symmetric, so that a step has "
                             "no potential and no promise of one solution; such laws are refused")
    a = block.flexibility
    size = len(block.names)
    if size == 1 and a.shape == (1, 1) and 0 < a[0, 0] < np.inf:      # most springs
        return
    if a.shape != (size, size) or not np.all(np.isfinite(a)) or not np.allclose(a, a.T, rtol=1e-12, atol=0):
        raise ModelError(f"{block.names[0]}: the flexibility must be a finite symmetric {size} × {size} matrix")
    if np.linalg.eigvalsh(a).min() <= 0:
        raise ModelError(f"{block.names[0]}: the flexibility must be positive definite; "
                         "a spring without flexibility is a constraint")


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
