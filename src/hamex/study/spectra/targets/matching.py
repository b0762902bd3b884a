"""Motions for a target spectrum: chosen from a suite so that their mean follows it, or matched to it one by one.

Choosing is greedy: the motion that brings the mean closest is taken, again and again; then single motions are
exchanged as long as that brings the mean closer. The exchange makes up for early picks that later ones would not have
asked for, and so do several beginnings: from each of the motions that are closest by themselves. No random numbers,
and ties go to the one that stands first: the same suite gives the same choice.

Matching works in the frequency domain: Fourier amplitudes are multiplied by target over spectrum, phases stay, and
this is repeated, as Gasparini and Vanmarcke (1976) did; the motion of the smallest deviation is kept. The deviation
ends at a few per cent and not at zero: a spectrum at one period is moved by amplitudes at many frequencies.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hamex.checks import floats, is_finite, is_positive, is_whole
from hamex.errors import InputError, MatchWarning
from hamex.motion.artificial import synthetic_suite
from hamex.motion.ground import GroundMotion, at_rest
from hamex.study.spectra.targets.target import Array, Scaling, Target, motions_for, response, scale_to_target

LIMITS = (0.25, 4.0)  # of the factors
_BEGINNINGS = 20
_GAIN = 1e-9  # an exchange must bring the mean closer by this share, or rounding would go on for ever


@dataclass(frozen=True, eq=False, repr=False)
class Selection(Scaling):
    """Motions chosen from a suite, scaled, and how close their mean comes to the target.

    Attributes
    ----------
    chosen : places of the motions in the suite, rising.
    limits : smallest and largest factor that was allowed.

    Examples
    --------
    >>> import hamex as hx
    >>> suite = hx.synthetic_suite(6, seed=1)
    >>> found = hx.select_to_target(suite, hx.eurocode8(0.2, "B"), 3, [0.2, 0.4, 0.8])
    >>> len(found.chosen), len(found.motions), found.spread.shape
    (3, 3, (3,))
    """

    chosen: tuple[int, ...]
    limits: tuple[float, float]


def select_to_target(
    motions: Iterable[GroundMotion],
    target: Target,
    count: int,
    periods: ArrayLike | None = None,
    *,
    limits: tuple[float, float] = LIMITS,
    spectra: ArrayLike | None = None,
) -> Selection:
    """Choose motions whose mean spectrum, after scaling, follows a target; the same suite gives the same choice.

    Parameters
    ----------
    motions : to choose from; may be empty if ``spectra`` are given.
    target : spectrum to follow, with the damping it holds for.
    count : how many to choose.
    periods : [s], rising; 100 from 0.05 s to 4 s in equal ratios by default, as far as the target goes. Codes ask for
        0.2 to 1.5 or 2 times the period of the structure.
    limits : smallest and largest factor. Each motion takes the factor of :func:`hamex.scale_to_target`, or the limit
        where that lies beyond.
    spectra : pseudo-accelerations of the motions [g], (motion, period), if you have them; computed otherwise.

    Returns
    -------
    A scaling of the chosen motions: ``suite_error`` tells how far their mean is from the target, ``least_ratio`` how
    far it falls below, ``spread`` how far the motions differ among themselves.

    Examples
    --------
    >>> import hamex as hx
    >>> spectra = [[0.5, 0.5], [1.2, 0.9], [0.8, 1.1]]
    >>> flat = hx.Target.from_points([0.1, 1.0], [1.0, 1.0])
    >>> found = hx.select_to_target([], flat, 2, [0.2, 0.5], limits=(1.0, 1.0), spectra=spectra)
    >>> found.chosen, found.mean.round(12).tolist()
    ((1, 2), [1.0, 1.0])
    """
    who = "select_to_target"
    least, most = _checked(who, limits)
    if not is_whole(count, 1):
        raise InputError(f"{who}: count must be a whole number ≥ 1, got {count!r:.40}")
    motions = motions_for(who, motions, target)
    every = scale_to_target(motions, target, periods_of(who, target, periods), spectra=spectra)
    if len(every.factors) < count:
        raise InputError(f"{who}: count asks for {count} motions, and there are {len(every.factors)} to choose from")
    factors = np.clip(every.factors, least, most)
    scaled = every.spectra * (factors / every.factors)[:, None]
    chosen = np.array(sorted(best_mean(scaled / every.wanted, count)))
    return Selection(
        target,
        factors[chosen],
        f"{count} of {len(factors)}, factors from {least:g} to {most:g}",
        every.periods,
        scaled[chosen],
        every.wanted,
        tuple(motions[place].scaled(float(factors[place])) for place in chosen) if motions else (),
        tuple(chosen.tolist()),
        (least, most),
    )


def best_mean(ratios: Array, count: int) -> list[int]:
    """Places of ``count`` rows whose mean is closest to one, greedily, then by exchange; rows are (motion, period)."""
    firsts = np.argsort(_distance(ratios), kind="stable")[:_BEGINNINGS]
    found = [_grown(ratios, count, int(first)) for first in firsts]
    return min(found, key=lambda taken: float(_distance(ratios[taken].mean(axis=0))))


def _grown(ratios: Array, count: int, first: int) -> list[int]:
    taken, total = [first], ratios[first]
    for number in range(2, count + 1):
        place = _closest((total + ratios) / number, taken)
        taken.append(place)
        total = total + ratios[place]
    off, closer = _distance(total / count), True
    while closer:
        closer = False
        for turn, old in enumerate(taken):
            rest = ratios[[place for place in taken if place != old]].sum(axis=0)
            place = _closest((rest + ratios) / count, [other for other in taken if other != old])
            now = _distance((rest + ratios[place]) / count)
            if now < off * (1 - _GAIN):
                taken[turn], off, closer = place, now, True
    return taken


def _distance(means: Array) -> Array:
    """Root mean square of the logarithm, over the periods."""
    return np.asarray(np.sqrt(np.mean(np.log(means) ** 2, axis=-1)))


def _closest(means: Array, without: list[int]) -> int:
    distances = _distance(means)
    distances[without] = np.inf
    return int(np.argmin(distances))


def _checked(who: str, limits: tuple[float, float]) -> tuple[float, float]:
    ends = tuple(limits) if isinstance(limits, Iterable) else ()
    if len(ends) != 2 or not all(is_finite(end) for end in ends) or not 0 < ends[0] <= ends[1]:
        raise InputError(f"{who}: limits must be the smallest and the largest factor, as 0.5 and 2; got {limits!r:.60}")
    return float(ends[0]), float(ends[1])


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
