"""Motions matched to a target spectrum in the frequency domain.

Fourier amplitudes are multiplied by target over spectrum, phases stay, and this is repeated, as Gasparini and Vanmarcke
(1976) did; the motion of the smallest deviation is kept. The deviation ends at a few per cent and not at zero: a
spectrum at one period is moved by amplitudes at many frequencies.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import floats, is_positive
from hamex.errors import InputError, MatchWarning
from hamex.motion.ground import GroundMotion
from hamex.motion.process import at_rest
from hamex.motion.synthetic import synthetic_suite
from hamex.study.spectra.targets.target import Target, motions_for, response

Array = NDArray[Any]
PERIODS = (0.05, 4.0, 100)  # matched by default: from, to [s], how many, in equal ratios
ITERATIONS = 30
TOLERANCE = 0.05


@dataclass(frozen=True, eq=False)
class Match:
    """A matched motion and how close it came.

    Attributes
    ----------
    motion : of kind "matched"; its source tells target and deviation.
    periods, spectrum, wanted : [s]; pseudo-accelerations of motion and target there [g].
    history : root mean square of ln(spectrum/target) before every iteration; the motion is that of the smallest,
        or of the last where that is within the tolerance.
    tolerance : largest |ln(spectrum/target)| that was asked for.

    Examples
    --------
    >>> import hamex as hx
    >>> found = hx.match_to_target(hx.el_centro(), hx.eurocode8(0.3, "B"), tolerance=0.5)
    >>> bool(found.deviation < found.history[0]), found.reached
    (True, True)
    """

    motion: GroundMotion
    periods: Array
    spectrum: Array
    wanted: Array
    history: Array
    tolerance: float = TOLERANCE

    @property
    def reached(self) -> bool:
        """Whether the spectrum is within the tolerance at every period."""
        return self.largest <= self.tolerance

    @property
    def deviation(self) -> float:
        """Root mean square of ln(spectrum/target) over the periods."""
        return float(np.sqrt(np.mean(np.log(self.spectrum / self.wanted) ** 2)))

    @property
    def largest(self) -> float:
        """Largest |ln(spectrum/target)| over the periods."""
        return float(np.abs(np.log(self.spectrum / self.wanted)).max())


def match_to_target(
    motion: GroundMotion,
    target: Target,
    periods: ArrayLike | None = None,
    *,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
) -> Match:
    """Change a motion until its spectrum follows a target. No random numbers: the same motion gives the same match.

    Parameters
    ----------
    motion : the start; the closer its spectrum and duration, the less is changed. The match starts and ends at rest.
    target : spectrum to follow, with the damping it holds for.
    periods : [s], rising; 100 from 0.05 s to 4 s in equal ratios by default, as far as the target goes. Outside them
        amplitudes are multiplied as at the nearest.
    iterations : at most.
    tolerance : largest |ln(spectrum/target)| at which to stop. Where the iterations end before, ``reached`` of the
        result is False, and a warning says how far off it is and where.

    Examples
    --------
    >>> import hamex as hx
    >>> found = hx.match_to_target(hx.el_centro(), hx.eurocode8(0.3, "B"), tolerance=0.5)
    >>> found.motion.kind, found.reached
    ('matched', True)
    """
    found = _matched("match_to_target", motion, target, periods, iterations, tolerance)
    if not found.reached:
        worst = int(np.abs(np.log(found.spectrum / found.wanted)).argmax())
        warnings.warn(
            f"match_to_target: the spectrum is off the target by up to {100 * found.largest:.1f} %, at "
            f"{found.periods[worst]:.3g} s; the tolerance is {100 * tolerance:g} %. More iterations bring little after "
            "the first ten: start from a motion whose spectrum is closer, ask for fewer periods or more tolerance",
            MatchWarning,
            stacklevel=2,
        )
    return found


def _matched(
    who: str, motion: GroundMotion, target: Target, periods: ArrayLike | None, iterations: int, tolerance: float
) -> Match:
    motions_for(who, (motion,), target)
    T = periods_of(who, target, periods)
    if not isinstance(iterations, int) or isinstance(iterations, bool) or iterations < 1:
        raise InputError(f"{who}: iterations must be a whole number ≥ 1, got {iterations!r}")
    if not is_positive(tolerance):
        raise InputError(f"{who}: tolerance must be a positive number, got {tolerance!r}")
    if not motion.peak > 0:
        raise InputError(f"{who}: the motion is zero throughout; nothing to multiply")
    wanted = target.acceleration(T)
    samples = len(motion.acceleration)
    size = 1 << (2 * samples - 1).bit_length()
    log_f = np.log(np.maximum(np.fft.rfftfreq(size, motion.step), 1e-6))
    best = now = replace(motion, acceleration=at_rest(motion.acceleration, motion.step))
    least, found, history = np.inf, wanted, []
    for turn in range(iterations + 1):
        spectrum = response([now], T, target.damping)[0]
        off = np.log(wanted / spectrum)
        history.append(float(np.sqrt(np.mean(off**2))))
        there = np.abs(off).max() <= tolerance
        if history[-1] < least or there:
            least, best, found = history[-1], now, spectrum
        if there or turn == iterations:
            break
        factors = np.exp(np.interp(log_f, -np.log(T[::-1]), off[::-1]))
        changed = np.fft.irfft(np.fft.rfft(now.acceleration, size) * factors, size)[:samples]
        now = replace(now, acceleration=at_rest(changed, motion.step))
    match = Match(best, T, found, wanted, np.array(history), float(tolerance))
    note = f"matched to {target.name}, deviation {100 * match.deviation:.1f} % rms, {100 * match.largest:.1f} % at most"
    source = f"{motion.source}; {note}" if motion.source else note
    return replace(match, motion=replace(best, source=source, kind="matched"))


def matched_suite(
    count: int,
    target: Target,
    *,
    seed: int,
    periods: ArrayLike | None = None,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    **shaking: Any,
) -> tuple[GroundMotion, ...]:
    """Synthetic motions, each matched to a target spectrum; the source of each tells its deviation, and a warning how
    many are off by more than the tolerance.

    ``shaking`` takes magnitude, distance, vs30, step, duration and scatter of :func:`hamex.synthetic_suite`; they
    decide duration and phases, the target decides the amplitudes. Motion i does not depend on the count.

    Examples
    --------
    >>> import hamex as hx
    >>> [motion.kind for motion in hx.matched_suite(2, hx.eurocode8(0.3, "B"), seed=1, tolerance=0.5)]
    ['matched', 'matched']
    """
    found = [
        _matched("matched_suite", motion, target, periods, iterations, tolerance)
        for motion in synthetic_suite(count, seed=seed, **shaking)
    ]
    missed = [match.largest for match in found if not match.reached]
    if missed:
        warnings.warn(
            f"matched_suite: {len(missed)} of {count} motions are off the target by more than the tolerance of "
            f"{100 * tolerance:g} %, by up to {100 * max(missed):.1f} %; take a larger tolerance, or fewer periods",
            MatchWarning,
            stacklevel=2,
        )
    return tuple(match.motion for match in found)


def periods_of(who: str, target: Target, periods: ArrayLike | None) -> Array:
    """Periods as given, or the usual ones as far as the target goes."""
    if periods is None:
        first, last, count = PERIODS
        return np.geomspace(max(first, target.shortest), min(last, target.longest), count).clip(
            target.shortest, target.longest
        )
    T = floats(periods, f"{who}: periods must be two or more positive seconds, rising")
    if T.ndim != 1 or len(T) < 2 or not (np.isfinite(T) & (T > 0)).all() or not (np.diff(T) > 0).all():
        raise InputError(f"{who}: periods must be two or more positive seconds, rising")
    return T
