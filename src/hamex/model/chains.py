"""One natural frequency of many chains of masses, by bisection on the number of modes below a bound.

Modes of small full matrices cost more than the march of a batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_BLOCK = 4096  # chains that are worked on while they lie close to the processor
_STILL = 1e-14  # ω² relative to the largest one below which a motion counts as free


def frequencies(mass: Array, storeys: Array, mode: int) -> Array:
    """ω of one mode, counted from 1, of each chain: masses and stiffnesses (chain, storey), from the ground up.

    >>> frequencies(np.array([[1.0, 1.0]]), np.array([[3.0, 2.0]]), 1).round(12).tolist()
    [1.0]
    """
    return np.concatenate(
        [_block(mass[at : at + _BLOCK], storeys[at : at + _BLOCK], mode) for at in range(0, len(mass), _BLOCK)]
    )


def _block(mass: Array, storeys: Array, mode: int) -> Array:
    # M^−½ K M^−½, a row per floor.
    root = 1 / np.sqrt(mass.T)
    k = storeys.T
    main = k.copy()
    main[:-1] += k[1:]
    main *= root * root
    side = k[1:] * root[1:] * root[:-1]
    squared = side * side
    bound = main.copy()  # Gershgorin: no eigenvalue beyond
    bound[:-1] += abs(side)
    bound[1:] += abs(side)
    largest = bound.max(axis=0)
    squared = np.maximum(squared, np.finfo(float).tiny)  # so that a pivot of zero gives ∞ and never NaN
    low, high = np.zeros_like(largest), largest * (1 + 1e-15)
    with np.errstate(divide="ignore"):
        while np.any(high - low > 5e-16 * largest):
            middle = 0.5 * (low + high)
            above = _below(main, squared, middle) >= mode
            low, high = np.where(above, low, middle), np.where(above, middle, high)
    found = 0.5 * (low + high)
    return np.sqrt(np.where(found < _STILL * largest, 0.0, found))


def _below(main: Array, squared: Array, bound: Array) -> Array:
    """Number of eigenvalues below a bound: negative pivots of the shifted matrix (Sturm)."""
    pivot = main[0] - bound
    count = (pivot < 0).astype(np.int32)
    for row, coupling in zip(main[1:], squared, strict=True):
        np.divide(coupling, pivot, out=pivot)
        np.subtract(row - bound, pivot, out=pivot)
        count += pivot < 0
    return count
