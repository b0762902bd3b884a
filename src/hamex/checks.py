"""Checks of single numbers; like :mod:`hamex.errors` a leaf that every layer may import."""

from __future__ import annotations

import math
from numbers import Real


def is_finite(value: object) -> bool:
    """True for a real number that is neither infinite nor NaN; False for anything else, True and False included.

    >>> is_finite(0.05), is_finite("5 %"), is_finite(None)
    (True, False, False)
    """
    if isinstance(value, bool):
        return False
    return isinstance(value, Real) and math.isfinite(value)


def is_positive(value: object) -> bool:
    """True for a finite real number above zero."""
    return is_finite(value) and float(value) > 0  # type: ignore[arg-type]
