"""What the door of the spectra lets in: every refusal names the value, and comes before any work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import is_finite, is_positive
from hamex.errors import InputError, LoadError, UnitError
from hamex.model.units import UNSTATED_LENGTH, Units
from hamex.motion.ground import GroundMotion

Array = NDArray[Any]

LONGEST = 1e9            # period over step: beyond, the record is an instant
_GRAVITY = 0.01          # g may be rounded, not mistaken


def periods(given: ArrayLike) -> Array:
    """Periods as (n,), all of them positive seconds."""
    array = _numbers("periods", given)
    if not 0 < array[array.argmin()] <= array[array.argmax()] < math.inf:         # false where there is a NaN
        bad = int(np.flatnonzero(~((array > 0) & np.isfinite(array)))[0])
        raise InputError(f"spectrum: periods must be positive seconds, but periods[{bad}] is {array[bad]:g}")
    return array


def damping(given: ArrayLike) -> Array:
    """Damping ratios as (n,), from 0 up to but not including 1."""
    array = _numbers("damping", given)
    if not 0 <= array[array.argmin()] <= array[array.argmax()] < 1:
        bad = int(np.flatnonzero(~((array >= 0) & (array < 1)))[0])
        raise InputError("spectrum: damping is a ratio of critical, 0 ≤ ζ < 1 (0.05 for 5 %), "
                         f"but damping[{bad}] is {array[bad]:g}")
    return array


def _numbers(name: str, given: ArrayLike) -> Array:
    try:
        array = np.array(given, dtype=float, ndmin=1)
    except (TypeError, ValueError):
        raise InputError(f"spectrum: {name} must be numbers, got {given!r:.60}") from None
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"spectrum: {name} must be a number or (n,) with at least one, got shape {np.shape(given)}")
    return array


def motions(name: str, given: object) -> list[GroundMotion]:
    """One motion or several as a list."""
    found = [given] if isinstance(given, GroundMotion) else list(given) if isinstance(given, Sequence) else None
    if found is None or not all(isinstance(motion, GroundMotion) for motion in found):
        raise LoadError(f"spectrum: {name} must be a GroundMotion or a list of them, got {type(given).__name__}")
    if not found:
        raise LoadError(f"spectrum: {name} is empty; give at least one GroundMotion")
    return found


def pairs(first: list[GroundMotion], across: list[GroundMotion]) -> None:
    """Refuse components that are not two of one motion."""
    if len(first) != len(across):
        raise LoadError(f"spectrum: {len(first)} motions and {len(across)} across them; each needs its own")
    for number, (x, y) in enumerate(zip(first, across, strict=True)):
        if x.step != y.step:
            raise LoadError(f"spectrum: the components of motion {number} have steps {x.step:g} s and {y.step:g} s; "
                            "resample one of them")


def span(array: Array, steps: Sequence[float], shortest: float) -> None:
    """Refuse periods far outside what a record's step can say anything about."""
    low, high = int(array.argmin()), int(array.argmax())
    if array[low] < shortest * max(steps):
        raise InputError(f"spectrum: periods[{low}] is {array[low]:g} s, far below the record's step {max(steps):g} s; "
                         f"take at least {shortest * max(steps):.3g} s")
    if array[high] > LONGEST * min(steps):
        raise InputError(f"spectrum: periods[{high}] is {array[high]:g} s; take at most {LONGEST * min(steps):.3g} s")


def gravity(g: float, units: Units | None) -> str:
    """Check g and return the unit of length."""
    if not is_positive(g):
        raise InputError(f"spectrum: g must be positive, one gravity in the units of the result; got {g!r}")
    if units is None:
        return UNSTATED_LENGTH
    if not isinstance(units, Units):
        raise UnitError(f'spectrum: units must be Units, e.g. hx.Units("m", "kN"); got {units!r}')
    if units.length != UNSTATED_LENGTH and abs(g / units.gravity - 1) > _GRAVITY:
        raise UnitError(f"spectrum: one gravity is {units.gravity:g} {units.length}/s², but g is {g:g}")
    return units.length


def choice(name: str, given: object, known: Sequence[str]) -> str:
    """One of a few words."""
    if given not in known:
        raise InputError(f"spectrum: {name} must be one of {', '.join(map(repr, known))}; got {given!r}")
    return str(given)


def names(given: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Names of results."""
    wanted = (given,) if isinstance(given, str) else tuple(given)
    wrong = [name for name in wanted if name not in known]
    if wrong:
        raise InputError(f"spectrum: unknown measure {wrong[0]!r}; known: {', '.join(known)}")
    return wanted


def threads(given: int | None) -> int | None:
    """Number of threads, or None."""
    if given is not None and (not isinstance(given, int) or isinstance(given, bool) or given < 1):
        raise InputError(f"spectrum: threads must be a whole number, at least 1; got {given!r}")
    return given


def targets(name: str, given: Any, above: float) -> Array:
    """Ductilities or strengths, all of them above a number."""
    array = _numbers(name, given)
    good = (array > above) & np.isfinite(array)
    if not good.all():
        bad = int(np.argmin(good))
        raise InputError(f"spectrum: {name} must be above {above:g}, but {name}[{bad}] is {array[bad]:g}")
    return array


def share(name: str, given: object, below: float = 1.0) -> float:
    """A number from 0 up to but not including another."""
    if not is_finite(given) or not 0 <= float(given) < below:  # type: ignore[arg-type]
        raise InputError(f"spectrum: {name} must be a number ≥ 0{'' if math.isinf(below) else f' and < {below:g}'}; "
                         f"got {given!r}")
    return float(given)  # type: ignore[arg-type]


def elastic_only(**asked: bool) -> None:
    """Refuse what only elastic spectra know."""
    for name, there in asked.items():
        if there:
            raise InputError(f"spectrum: {name} is for elastic spectra; leave it out with ductility or strength")
