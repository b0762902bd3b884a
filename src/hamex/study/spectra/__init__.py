"""Response spectra of ground motions, targets for them, and what a motion is worth as one number.

``spectrum`` checks what is given, chooses who computes, labels.
Every refusal names the value, and comes before any work.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex import __version__
from hamex.checks import check_memory, check_range, floats, is_finite, is_one_of, is_positive
from hamex.errors import InputError, LoadError, UnitError
from hamex.model.units import UNSTATED_LENGTH, Units
from hamex.motion.ground import GroundMotion, kinds_of
from hamex.study.spectra.elastic import (
    COMBINATIONS,
    FINER,
    INTERPOLATIONS,
    MEANING,
    PARTS,
    PEAKS,
    SHORTEST,
    Accelerogram,
    Elastic,
    Rotated,
    Spectrum,
    accelerogram,
)
from hamex.study.spectra.yielding import SEARCH, SHORTEST_YIELDING, STEPS, Yielding

Array = NDArray[Any]
LONGEST = 1e9  # period over step: beyond, the record is an instant
_GRAVITY = 0.01  # g may be rounded, not mistaken


def spectrum(
    motion: GroundMotion | Sequence[GroundMotion],
    periods: ArrayLike,
    damping: ArrayLike = 0.05,
    *,
    g: float,
    across: GroundMotion | Sequence[GroundMotion] | None = None,
    peaks: Literal["inside", "samples"] = "inside",
    interpolation: Literal["linear", "band-limited"] = "linear",
    measures: Sequence[str] = ("displacement",),
    ductility: ArrayLike | None = None,
    strength: ArrayLike | None = None,
    branches: bool = False,
    hardening: float = 0.0,
    viscosity: float = 0.0,
    units: Units | None = None,
    threads: int | None = None,
) -> Spectrum:
    """Response spectrum: the largest that oscillators of many periods do under a ground motion.

    Elastic unless ``ductility`` or ``strength`` is given; then the oscillators yield, and each point is the largest
    strength that gives a ductility, or what a strength gives, with error bars.

    The motion of the oscillators is exact for the interpolated record. Results are the same bits for any number of
    threads, any order of the periods and whatever else is computed beside them.

    Parameters
    ----------
    motion : a ground motion, or a list of them for the dimension motion in front. One zero sample follows the last.
    periods : natural periods [s], a number or (n,).
    damping : ratios of critical damping, 0 ≤ ζ < 1, a number or (n,).
    g : one gravity in the units of the result, e.g. 9.80665 for metres or 386.0886 for inches.
    across : the other horizontal component, at 90° to ``motion`` and with the same step; results then have the
        dimension combination: RotD00, RotD50 and RotD100 over 180 directions one degree apart, and the geometric mean.
        The shorter component is followed by zeros.
    peaks : "inside" finds the peak at any time, between samples to round-off and in the free vibration after the
        record too; "samples" looks at the samples only, as many programs and published spectra do, and falls short of
        it for short periods. Either way for one component and for two.
    interpolation : of the record between its samples, "linear" or "band-limited".
    measures : names to compute at once; the others are computed when first asked for.
    ductility : largest displacement over that at first yield, above 1: spectra of constant ductility.
    strength : yield force over weight, above 0: spectra of constant strength.
    branches : every strength that gives a ductility, as dimension branch, the largest first; NaN where there are fewer.
    hardening : stiffness after yield over elastic stiffness, 0 ≤ … < 1 (kinematic).
    viscosity : of the slider, over the elastic stiffness [s]: the time in which overstress decays.
    units : names of the units, for labels.
    threads : number of threads; by default as many as pay.

    Returns
    -------
    Spectrum with displacement [length], pseudo_velocity [length/s], pseudo_acceleration [length/s²], velocity,
    absolute_acceleration and, for single components, input_energy [length²/s²], dims (damping, period). Inelastic ones
    have strength, yield_displacement, reached_ductility, residual_displacement, error bars and more, dims (damping,
    ductility or strength, period).

    Examples
    --------
    >>> import hamex as hx
    >>> spec = hx.spectrum(hx.el_centro(), [0.1, 0.5, 2.0], damping=0.05, g=9.80665)
    >>> (spec.values("pseudo_acceleration") / 9.80665).round(3).tolist()
    [[0.649, 0.919, 0.137]]
    >>> spec.attributes["interpolation"]
    'linear between samples; one zero sample follows the last'
    >>> hx.spectrum(hx.el_centro(), [0.5], g=9.80665, ductility=[4]).values("strength").round(3).tolist()
    [[[0.18]]]
    """
    first = _motions("motion", motion)
    several = not isinstance(motion, GroundMotion)
    others = None if across is None else _motions("across", across)
    period, ratio = _periods(periods), _damping(damping)
    length = _length_of(g, units)
    _choice("peaks", peaks, tuple(PEAKS))
    _choice("interpolation", interpolation, tuple(INTERPOLATIONS))
    _threads(threads)
    if ductility is not None or strength is not None:
        there = {"across": across is not None, "interpolation": interpolation != "linear", "peaks": peaks != "inside"}
        for name in filter(there.get, there):
            raise InputError(f"spectrum: {name} is for elastic spectra; leave it out with ductility or strength")
        return _yielding(
            first,
            several,
            period,
            ratio,
            ductility,
            strength,
            _share("hardening", hardening),
            _share("viscosity", viscosity, math.inf),
            bool(branches),
            float(g),
            length,
            threads,
        )
    shortest = SHORTEST[peaks] / (FINER if interpolation == "band-limited" else 1)
    _refuse_outside(period, [given.step for given in first], shortest)
    _check_memory(len(first) * ratio.size * period.size)
    omega, zeta = np.empty((ratio.size, period.size)), np.empty((ratio.size, period.size))
    omega[:], zeta[:] = 2 * math.pi / period, ratio[:, None]
    coordinates: dict[str, Array] = {"damping": ratio, "period": period}
    family: Elastic | Rotated
    if others is None:
        records = tuple(accelerogram(given, g, interpolation) for given in first)
        family = Elastic(records, several, omega, zeta, peaks, threads)
    else:
        _refuse_unlike(first, others)
        family = Rotated(
            tuple(_pair(x, y, g, interpolation) for x, y in zip(first, others, strict=True)),
            several,
            omega,
            zeta,
            peaks,
            threads,
        )
        coordinates = {"combination": np.array(COMBINATIONS), **coordinates}
    wanted = _names(measures, tuple(family.quantities))
    if several:
        labels = [given.source or f"motion {number}" for number, given in enumerate(first)]
        coordinates = {"motion": np.array(labels), **coordinates}
    words: dict[str, str | float] = {
        "interpolation": INTERPOLATIONS[interpolation],
        "peaks": PEAKS[peaks],
        "parts_of_steps": PARTS[peaks],
        "source": _sources(first),
        "motions": kinds_of(first),
        "g": float(g),
        "length": length,
        "hamex": __version__,
    }
    if others is not None:
        words |= {"across": _sources(others), "combination": MEANING}
    result = Spectrum(coordinates, family, length, words)
    for name in wanted:
        result.values(name)
    return result


def _yielding(
    motions: list[GroundMotion],
    several: bool,
    periods: Array,
    damping: Array,
    ductility: ArrayLike | None,
    strength: ArrayLike | None,
    hardening: float,
    viscosity: float,
    branches: bool,
    g: float,
    length: str,
    threads: int | None,
) -> Spectrum:
    if ductility is not None and strength is not None:
        raise InputError("spectrum: give either ductility or strength")
    by = "strength" if ductility is None else "ductility"
    targets = _above(by, strength if ductility is None else ductility, 0.0 if ductility is None else 1.0)
    if branches and by == "strength":
        raise InputError("spectrum: branches are of a ductility; a strength gives one answer")
    _refuse_outside(periods, [motion.step for motion in motions], SHORTEST_YIELDING)
    _check_memory(len(motions) * periods.size * damping.size * targets.size)
    still = [number for number, motion in enumerate(motions) if motion.peak == 0]
    if still and by == "ductility":
        raise InputError(f"spectrum: motion {still[0]} is zero throughout; nothing yields under it")
    family = Yielding(
        tuple(motions),
        several,
        periods,
        damping,
        targets,
        by == "ductility",
        branches,
        hardening,
        viscosity,
        g,
        threads,
    )
    coordinates: dict[str, Array] = {"damping": damping, by: targets}
    if several:
        labels = [motion.source or f"motion {number}" for number, motion in enumerate(motions)]
        coordinates = {"motion": np.array(labels), **coordinates}
    if branches:
        coordinates["branch"] = np.arange(family.width)
    words: dict[str, str | float] = {
        "interpolation": INTERPOLATIONS["linear"],
        "peaks": "largest value at the ends of the steps",
        "steps": STEPS,
        "law": f"bilinear, hardening {hardening:g}, viscosity over stiffness {viscosity:g} s",
        "g": g,
        "length": length,
        "source": _sources(motions),
        "motions": kinds_of(motions),
        "hamex": __version__,
    }
    if by == "ductility":
        words["search"] = SEARCH
    return Spectrum({**coordinates, "period": periods}, family, length, words)


def _check_memory(oscillators: int) -> None:
    """Refuse more oscillators than memory has room for the results of."""
    check_memory(
        "spectrum", 12 * oscillators, f"results of {oscillators:,} oscillators", "take fewer periods or motions at once"
    )


def _sources(motions: list[GroundMotion]) -> str:
    return "; ".join(motion.source for motion in motions)


def _pair(x: GroundMotion, y: GroundMotion, g: float, interpolation: str) -> tuple[Accelerogram, Accelerogram]:
    count = max(x.acceleration.size, y.acceleration.size)
    return accelerogram(x, g, interpolation, count), accelerogram(y, g, interpolation, count)


def _periods(given: ArrayLike) -> Array:
    """Periods as (n,), all of them positive seconds."""
    array = _numbers("periods", given)
    if not 0 < array[array.argmin()] <= array[array.argmax()] < math.inf:  # false where there is a NaN
        bad = int(np.flatnonzero(~((array > 0) & np.isfinite(array)))[0])
        raise InputError(f"spectrum: periods must be positive seconds, but periods[{bad}] is {array[bad]:g}")
    return array


def _damping(given: ArrayLike) -> Array:
    """Damping ratios as (n,), from 0 up to but not including 1."""
    array = _numbers("damping", given)
    if not 0 <= array[array.argmin()] <= array[array.argmax()] < 1:
        bad = int(np.flatnonzero(~((array >= 0) & (array < 1)))[0])
        raise InputError(
            f"spectrum: damping is a ratio of critical, 0 ≤ ζ < 1 (0.05 for 5 %), but damping[{bad}] is {array[bad]:g}"
        )
    return array


def _numbers(name: str, given: ArrayLike) -> Array:
    array = np.atleast_1d(floats(given, f"spectrum: {name} must be numbers"))
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"spectrum: {name} must be a number or (n,) with at least one, got shape {np.shape(given)}")
    return array


def _motions(name: str, given: object) -> list[GroundMotion]:
    """One motion or several as a list."""
    found = [given] if isinstance(given, GroundMotion) else list(given) if isinstance(given, Sequence) else None
    if found is None or not all(isinstance(motion, GroundMotion) for motion in found):
        raise LoadError(f"spectrum: {name} must be a GroundMotion or a list of them, got {type(given).__name__}")
    if not found:
        raise LoadError(f"spectrum: {name} is empty; give at least one GroundMotion")
    for motion in found:
        check_peak("spectrum", motion)
    return found


def check_peak(who: str, motion: GroundMotion) -> None:
    """Refuse a motion whose squares no double holds."""
    if motion.peak > 1:
        check_range(who, f"the peak of {motion.source or 'the motion'}", motion.peak, LoadError)


def _refuse_unlike(first: list[GroundMotion], across: list[GroundMotion]) -> None:
    """Refuse components that are not two of one motion."""
    if len(first) != len(across):
        raise LoadError(f"spectrum: {len(first)} motions and {len(across)} across them; each needs its own")
    for number, (x, y) in enumerate(zip(first, across, strict=True)):
        if x.step != y.step:
            raise LoadError(
                f"spectrum: the components of motion {number} have steps {x.step:g} s and {y.step:g} s; "
                "resample one of them"
            )


def _refuse_outside(array: Array, steps: Sequence[float], shortest: float) -> None:
    """Refuse periods far outside what a record's step can say anything about."""
    low, high = int(array.argmin()), int(array.argmax())
    if array[low] < shortest * max(steps):
        raise InputError(
            f"spectrum: periods[{low}] is {array[low]:g} s, far below the record's step {max(steps):g} s; "
            f"take at least {shortest * max(steps):.3g} s"
        )
    if array[high] > LONGEST * min(steps):
        raise InputError(f"spectrum: periods[{high}] is {array[high]:g} s; take at most {LONGEST * min(steps):.3g} s")


def _length_of(g: float, units: Units | None) -> str:
    """Check g and return the unit of length."""
    if not is_positive(g):
        raise InputError(f"spectrum: g must be positive, one gravity in the units of the result; got {g!r}")
    check_range("spectrum", "g", g)
    if units is None:
        return UNSTATED_LENGTH
    if not isinstance(units, Units):
        raise UnitError(f'spectrum: units must be Units, e.g. hx.Units("m", "kN"); got {units!r}')
    if units.length != UNSTATED_LENGTH and abs(g / units.gravity - 1) > _GRAVITY:
        raise UnitError(f"spectrum: one gravity is {units.gravity:g} {units.length}/s², but g is {g:g}")
    return units.length


def _choice(name: str, given: object, known: Sequence[str]) -> str:
    """One of a few words."""
    if not is_one_of(given, known):
        raise InputError(f"spectrum: {name} must be one of {', '.join(map(repr, known))}; got {given!r}")
    return str(given)


def _names(given: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Names of results."""
    wanted = (given,) if isinstance(given, str) else tuple(given)
    wrong = [name for name in wanted if name not in known]
    if wrong:
        raise InputError(f"spectrum: unknown measure {wrong[0]!r}; known: {', '.join(known)}")
    return wanted


def _threads(given: int | None) -> int | None:
    """Number of threads, or None."""
    if given is not None and (not isinstance(given, int) or isinstance(given, bool) or given < 1):
        raise InputError(f"spectrum: threads must be a whole number, at least 1; got {given!r}")
    return given


def _above(name: str, given: Any, above: float) -> Array:
    """Ductilities or strengths, all of them above a number."""
    array = _numbers(name, given)
    good = (array > above) & np.isfinite(array)
    if not good.all():
        bad = int(np.argmin(good))
        raise InputError(f"spectrum: {name} must be above {above:g}, but {name}[{bad}] is {array[bad]:g}")
    return array


def _share(name: str, given: object, below: float = 1.0) -> float:
    """A number from 0 up to but not including another."""
    if not is_finite(given) or not 0 <= float(given) < below:  # type: ignore[arg-type]
        raise InputError(
            f"spectrum: {name} must be a number ≥ 0{'' if math.isinf(below) else f' and < {below:g}'}; got {given!r}"
        )
    return float(given)  # type: ignore[arg-type]
