"""Checks of numbers and of the memory that they ask for; a leaf that every layer may import."""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from contextlib import suppress
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hamex.errors import InputError, ProblemError, SizeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHOLE = 1e-9
_COUNTED = 2**53  # steps beyond which a double does not tell one time from the next
# Sizes that a physical quantity may have in any units: products of six of them stay within what a double holds.
LEAST, MOST = 1e-50, 1e50


def is_finite(value: object) -> bool:
    """True for a real number that is neither infinite nor NaN; False for anything else, True and False included.

    >>> is_finite(0.05), is_finite("5 %"), is_finite(None), is_finite(10**400)
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of more digits than a double holds
        return False


def is_positive(value: object) -> bool:
    """True for a finite real number above zero."""
    return is_finite(value) and float(value) > 0  # type: ignore[arg-type]


def is_whole(value: object, least: int = 0) -> bool:
    """True for a whole number of at least ``least``; not for True and False.

    >>> is_whole(3), is_whole(3.0), is_whole(True), is_whole(0, least=1)
    (True, False, False, False)
    """
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least


def is_one_of(value: object, known: Collection[str]) -> bool:
    """True for one of a few words; False for anything else, arrays included, which ``in`` cannot compare.

    >>> is_one_of("mean", ("mean", "end")), is_one_of([], ("mean", "end"))
    (True, False)
    """
    return isinstance(value, str) and value in known


def floats(given: object, message: str, error: type[InputError] = InputError) -> NDArray[Any]:
    """A copy of what is given as an array of floats; text, ragged lists and whatever else is none are refused.

    >>> floats([1, 2.5], "scales must be numbers").tolist()
    [1.0, 2.5]
    """
    import numpy as np

    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise error(f"{message}, got {given!r:.60}") from None


def check_range(who: str, what: str, value: float, error: type[InputError] = InputError) -> None:
    """Refuse a number that is neither zero nor of a size that a quantity can have: what is computed with it overflows.

    >>> check_range("shear_frame", "height of storey 1", 3.0)
    """
    if value and math.isfinite(value) and not LEAST <= abs(value) <= MOST:
        raise error(
            f"{who}: {what} is {value:g}; sizes from {LEAST:g} to {MOST:g} can be computed with: "
            "mend the number, or choose other units"
        )


def whole_steps(who: str, duration: float, step: float) -> int:
    """Number of steps in a duration; refuses one that is not a whole number of them within 1e-9.

    >>> whole_steps("Problem", 40.0, 0.02)
    2000
    """
    ratio = duration / step if step > 0 else math.inf
    if not ratio <= _COUNTED:
        raise ProblemError(
            f"{who}: {duration:g} s in steps of {step:g} s are {ratio:.3g} steps, more than can be counted; "
            "take a longer step or a shorter duration"
        )
    whole = round(ratio)
    # Division itself may be off by an ulp of the ratio.
    if whole < 1 or abs(ratio - whole) > _WHOLE + 4 * math.ulp(ratio):
        near = max(whole, 1)
        raise ProblemError(
            f"{who}: the duration {duration:g} s is no whole number of steps of {step:g} s; "
            f"take duration={near * step:.12g} or step={duration / near:.12g}"
        )
    return whole


def check_memory(who: str, numbers: float, what: str, advice: str) -> None:
    """Refuse to ask for more memory than there is, before it is asked for; ``numbers`` of eight bytes each.

    >>> check_memory("solve", 6 * 2000, "histories of 2,000 steps", "take a longer step")
    """
    if 8 * numbers > memory() / 2:  # what is made of them needs as much again
        raise SizeError(
            f"{who}: {what} would take {_gigabytes(float(min(8 * numbers, 1e300)))} of memory, more than half of the "
            f"{_gigabytes(memory())} there are; {advice}"
        )


def said(count: int) -> str:
    """A count in words of a message, whatever its size.

    >>> said(12_000), said(10**400)
    ('12,000', 'more than 1e+18')
    """
    return f"{count:,}" if count < 10**18 else "more than 1e+18"


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:,.1f} GB" if size < 1e14 else f"{size / 1e9:.3g} GB"


@cache
def memory() -> float:
    """Bytes that this process may have: those of the machine, or fewer where it is given fewer."""
    found = [float(1 << 40)]
    with suppress(AttributeError, OSError, ValueError):  # not on every system
        found.append(float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")))
    with suppress(ImportError):
        import resource

        found += [float(limit) for limit in resource.getrlimit(resource.RLIMIT_AS)[:1] if limit > 0]
    for place in ("memory.max", "memory/memory.limit_in_bytes"):  # of a container
        try:
            word = Path("/sys/fs/cgroup", place).read_text().strip()
        except OSError:
            continue
        found += [float(word)] if word.isdigit() else []
    return min(found)
