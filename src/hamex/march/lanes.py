"""Lanes: the same number of several systems side by side, one instruction for all of them.

Batch kernels are written with these few functions and ordinary operators. Uncompiled, lanes are NumPy arrays of
a few numbers; compiled, :mod:`hamex.march.vector` makes them vector registers, which the compiler keeps there
through the whole time loop. Nothing flows from lane to lane, so neighbours and padding cannot change a result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Lane = Any  # some numbers
Mask = Any  # as many truths
Table = Any  # (row, place), rows contiguous and a whole number of lanes long


def take(table: Table, row: int, first: int, count: int) -> Lane:
    """The ``count`` places from ``first`` on in a row of a table; compiled, ``count`` must be a constant."""
    return table[row, first : first + count].copy()


def take_fusing(table: Table, row: int, first: int, count: int) -> Lane:
    """As :func:`take`; compiled, products of such lanes may be fused with sums: faster, with other last digits."""
    return table[row, first : first + count].copy()


def put(table: Table, row: int, first: int, values: Lane) -> None:
    """Write lanes into a row of a table."""
    table[row, first : first + len(values)] = values


def spread(value: float, like: Lane) -> Lane:
    """A single number in every lane."""
    return np.full_like(like, value)


def minimum(x: Lane, y: Lane) -> Lane:
    """The smaller one; y where they cannot be compared."""
    return np.where(x < y, x, y)


def maximum(x: Lane, y: Lane) -> Lane:
    """The larger one; y where they cannot be compared."""
    return np.where(x > y, x, y)


def size(x: Lane) -> Lane:
    """|x|."""
    return np.abs(x)


def choose(where: Mask, x: Lane, y: Lane) -> Lane:
    """x where the mask is true, y elsewhere."""
    return np.where(where, x, y)


def some(where: Mask) -> bool:
    """True when the mask is true in any lane."""
    return bool(np.any(where))


def align() -> None:
    """Say once in a kernel that lanes which find no register shall lie on whole lines of the cache; here nothing."""


def padded(count: int, lanes: int) -> int:
    """The next whole number of lanes."""
    return -(-count // lanes) * lanes
