"""Motions chosen from a suite so that their mean spectrum follows a target.

Greedy: the motion that brings the mean closest is taken, again and again; then single motions are exchanged as long as
that brings the mean closer. The exchange makes up for early picks that later ones would not have asked for, and so do
several beginnings: from each of the motions that are closest by themselves. No random numbers, and ties go to the one
that stands first: the same suite gives the same choice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hamex.checks import is_finite, is_whole
from hamex.errors import InputError
from hamex.motion.ground import GroundMotion
from hamex.study.spectra.targets.matching import periods_of
from hamex.study.spectra.targets.target import Array, Scaling, Target, motions_for, scale_to_target

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
