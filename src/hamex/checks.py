"""Checks of single numbers; like :mod:`hamex.errors` a leaf that every layer may import."""

from __future__ import annotations

import math
from numbers import Real

from hamex.errors import ProblemError

_WHOLE = 1e-9


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


def whole_steps(who: str, duration: float, step: float) -> int:
    """Number of steps in a duration; refuses one that is not a whole number of them within 1e-9.

    >>> whole_steps("Problem", 40.0, 0.02)
    2000
    """
    ratio = duration / step
    whole = round(ratio)
    # Division itself may be off by an ulp of the ratio.
    if whole < 1 or abs(ratio - whole) > _WHOLE + 4 * math.ulp(ratio):
        near = max(whole, 1)
        raise ProblemError(
            f"{who}: the duration {duration:g} s is no whole number of steps of {step:g} s; "
            f"take duration={near * step:.12g} or step={duration / near:.12g}"
        )
    return whole
