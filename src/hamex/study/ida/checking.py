"""Checks of arrays given to an estimator: each message names the place of the first bad number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import InputError

Array = NDArray[Any]


def numbers(who: str, name: str, values: ArrayLike, least: int = 1) -> Array:
    """A read-only copy, (n,), of at least ``least`` numbers."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{who}: {name} must be numbers") from None
    if array.ndim != 1 or array.size < least:
        raise InputError(f"{who}: {name} must be (n,) with n ≥ {least}, got shape {array.shape}")
    array.setflags(write=False)
    return array


def positive(who: str, name: str, values: ArrayLike, least: int = 1) -> Array:
    """Numbers that have a logarithm."""
    array = numbers(who, name, values, least)
    refuse(who, name, array, ~(np.isfinite(array) & (array > 0)), "must be positive and finite")
    return array


def whole(who: str, name: str, values: ArrayLike, size: int) -> Array:
    """Counts, one for each of ``size`` levels; a single number serves all."""
    array = numbers(who, name, np.full(size, values) if np.ndim(values) == 0 else values)
    if len(array) != size:
        raise InputError(f"{who}: {len(array)} {name} for {size} levels")
    refuse(
        who,
        name,
        array,
        ~(np.isfinite(array) & (array >= 0) & (array == np.floor(array))),
        "must be a whole number ≥ 0",
    )
    return array


def refuse(who: str, name: str, values: Array, bad: Array, must: str) -> None:
    """Raise for the first bad value."""
    if bad.any():
        first = int(np.argmax(bad))
        raise InputError(f"{who}: {name}[{first}] = {values[first]:g}; it {must}")
