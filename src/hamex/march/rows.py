"""A matrix by rows, with an optional low-rank part, and what the drivers do with vectors.

Spelled out in loops, because the compiler takes seconds over a slice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Array = Any


class Rows(NamedTuple):
    """A matrix in compressed rows plus low · diag(low_weight) · lowᵀ."""

    row: Array
    column: Array
    value: Array
    low: Array
    low_weight: Array


def times(matrix: Rows, x: Array, factor: float, out: Array) -> None:
    """out += factor · matrix x."""
    for i in range(len(out)):
        total = 0.0
        for m in range(matrix.row[i], matrix.row[i + 1]):
            total += matrix.value[m] * x[matrix.column[m]]
        out[i] += factor * total
    for a in range(len(matrix.low_weight)):
        total = 0.0
        for i in range(len(out)):
            total += matrix.low[i, a] * x[i]
        total *= factor * matrix.low_weight[a]
        for i in range(len(out)):
            out[i] += matrix.low[i, a] * total


def product(matrix: Rows, x: Array, out: Array) -> None:
    """out = matrix x."""
    filled(0.0, out)
    times(matrix, x, 1.0, out)


def copied(x: Array, out: Array) -> None:
    """out = x."""
    for i in range(len(out)):
        out[i] = x[i]


def filled(x: float, out: Array) -> None:
    """out = x everywhere."""
    for i in range(len(out)):
        out[i] = x


def added(x: Array, y: Array, out: Array) -> None:
    """out = x + y."""
    for i in range(len(out)):
        out[i] = x[i] + y[i]
