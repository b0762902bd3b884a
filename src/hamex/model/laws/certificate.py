"""What a law does when it is tried: that its force is continuous, what its tangents are, that it gives no energy away,
and that neither the number of points nor reversals of no size change it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hamex.checks import is_positive
from hamex.errors import LawError
from hamex.model.laws.law import Law
from hamex.model.laws.path import OnPath, Walk, followed_by

_TURNS, _BETWEEN, _HALVINGS = 12, 24, 34
_LEAP = 1e-6  # of the largest force: what is left of a difference after so many halvings is a jump
_SLOPE = 1e-4  # of the stiffness: difference between a tangent and a quotient of differences
_SOFT = 1e-6  # of the stiffness, by which a tangent may be below the stated one
_GAIN = 1e-9  # of force × reach
_SPLIT = 1e-9  # of the largest force
_MICRO, _REVERSALS, _SMALL = 1e-6, 20, 1e-9  # of the largest force; how many; of the line
_CYCLES, _NEAR = 20, 1e-6  # of the line, for quotients of differences


@dataclass(frozen=True)
class LawCertificate:
    """What a law showed on random paths; forces over its largest force, tangents over its stiffness, work over largest
    force × reach.

    Attributes
    ----------
    largest : force that was seen [force].
    jump : largest jump of the force.
    tangent : largest difference between a tangent and a quotient of differences; bends left out.
    softest, stated : least tangent that was seen, and the one that the law states.
    gain : most work that a new spring gave away, on random paths and in many equal cycles.
    splitting : change of the force when every line of a path has many points instead of two.
    micro : change of the force by twenty reversals of no size.
    breaks : the force may jump: the law says so.
    failures : what a law may not do, in words; none: it keeps what the promise of one solution rests on.

    Examples
    --------
    >>> import hamex as hx
    >>> found = certify(hx.laws.Bilinear(yield_force=1.0, plastic=0.02, post_cap=0.1), stiffness=100.0, reach=0.1)
    >>> found.failures, round(found.softest, 6), round(found.stated, 6)
    ((), -0.1, -0.1)
    """

    largest: float
    jump: float
    tangent: float
    softest: float
    stated: float
    gain: float
    splitting: float
    micro: float
    breaks: bool

    @property
    def failures(self) -> tuple[str, ...]:
        found = []
        if self.jump > _LEAP and not self.breaks:
            found.append(f"its force jumps by {self.jump:.3g} of the largest")
        if self.tangent > _SLOPE:
            found.append(f"its tangent is off by {self.tangent:.3g} of the stiffness from what its force does")
        if self.softest < self.stated - _SOFT:
            found.append(
                f"its tangent falls to {self.softest:.4g} of the stiffness, below the stated {self.stated:.4g}"
            )
        if self.gain > _GAIN:
            found.append(f"it gives away {self.gain:.3g} of force × reach more than was put in")
        if self.splitting > _SPLIT:
            found.append(
                f"its force changes by {self.splitting:.3g} of the largest with the number of points on a line"
            )
        if self.micro > _MICRO:
            found.append(f"{_REVERSALS} reversals of no size change its force by {self.micro:.3g} of the largest")
        return tuple(found)


def certify(law: Law, *, stiffness: float, reach: float, seed: int = 0, histories: int = 12) -> LawCertificate:
    """Try a law of one spring on random paths.

    Parameters
    ----------
    stiffness : of the elastic spring [force/length].
    reach : how far the paths go either way [length].
    seed, histories : of the random paths, and how many.

    Examples
    --------
    >>> import hamex as hx
    >>> certify(hx.laws.IMK(yield_force=1.0, plastic=0.03, post_cap=0.1), stiffness=100.0, reach=0.08).failures
    ()
    """
    if not is_positive(reach) or not is_positive(stiffness):
        raise LawError(f"certify: stiffness and reach must be positive, got {stiffness!r} and {reach!r}")
    if float(getattr(law, "viscosity", 0.0)) > 0:
        raise LawError("certify: the force of this law depends on the rate; give it without viscosity")
    followed, group, p = followed_by(law, stiffness, "certify")
    walk = Walk(followed, p)
    rng = np.random.default_rng(seed)
    seen = [_tried(walk, rng, reach * (0.05 + 0.95 * n / max(histories - 1, 1))) for n in range(histories)]
    largest = max(float(np.finfo(float).tiny), *(one.largest for one in seen))
    return LawCertificate(
        largest,
        max(one.jump for one in seen) / largest,
        max(one.tangent for one in seen) / stiffness,
        min(one.softest for one in seen) / stiffness,
        float(np.min(followed.slow_tangent(group, np.array([stiffness])))) / stiffness,
        max(one.gain for one in seen) / (largest * reach),
        max(one.splitting for one in seen) / largest,
        max(one.micro for one in seen) / largest,
        bool(np.any(followed.jumps(group))),
    )


class _Seen(NamedTuple):
    """Of one history, as it is."""

    largest: float
    jump: float
    tangent: float
    softest: float
    gain: float
    splitting: float
    micro: float


def _tried(walk: Walk, rng: np.random.Generator, reach: float) -> _Seen:
    """One random history: every line of it whole, in many points, with reversals of no size, and looked at closely."""
    here = fine = walk.new()
    work, given, force = 0.0, 0.0, 0.0
    jump = tangent = splitting = micro = 0.0
    softest = math.inf
    for goal in (reach * rng.uniform(-1, 1, _TURNS)).tolist():
        jump = max(jump, _jump(walk, here, goal))
        for share in rng.uniform(0, 1, 3).tolist():
            quotient, off = _slope(walk, here, share, goal)
            softest, tangent = min(softest, quotient), max(tangent, off)
        end, done = walk.with_work(here, goal)
        micro = max(micro, abs(_shaken(walk, here, rng.uniform(0, 1), goal) - end.force))
        for point in np.linspace(fine.e, goal, _BETWEEN)[1:].tolist():
            fine = walk.to(fine, point)
        here, work = end, work + done
        given, force = min(given, work), max(force, abs(here.force))
        splitting = max(splitting, abs(fine.force - here.force))
    return _Seen(force, jump, tangent, softest, max(-given, _cycled(walk, rng, reach)), splitting, micro)


def _jump(walk: Walk, here: OnPath, goal: float) -> float:
    """What remains of the largest difference of force on a line when the line is halved around it."""
    ends = np.linspace(here.e, goal, 9).tolist()
    forces = [here.force, *(walk.to(here, e).force for e in ends[1:])]
    at = int(np.argmax(np.abs(np.diff(forces))))
    low, high, below, above = ends[at], ends[at + 1], forces[at], forces[at + 1]
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        between = walk.to(here, middle).force
        if abs(between - below) > abs(above - between):
            high, above = middle, between
        else:
            low, below = middle, between
    return abs(above - below)


def _slope(walk: Walk, here: OnPath, share: float, goal: float) -> tuple[float, float]:
    """Least quotient of differences beside a point of a line, and by how much the tangent misses both of them."""
    d = _NEAR * (goal - here.e)
    e = here.e + max(share, 2 * _NEAR) * (goal - here.e)
    before, at, after = (walk.to(here, x).force for x in (e - d, e, e + d))
    tangent = walk.tangent(here, e, goal)
    sides = (at - before) / d, (after - at) / d
    return min(sides), 0.0 if tangent is None else min(abs(tangent - one) for one in sides)


def _shaken(walk: Walk, here: OnPath, share: float, goal: float) -> float:
    """The force at the goal after reversals on the way."""
    e = here.e + share * (goal - here.e)
    here = walk.to(here, e)
    for _ in range(_REVERSALS):
        for to in (e - _SMALL * (goal - e), e):
            here = walk.to(here, to)
    return walk.to(here, goal).force


def _cycled(walk: Walk, rng: np.random.Generator, reach: float) -> float:
    """Most work that a new spring has given away in many equal cycles; a single one may give back what was stored."""
    (first, second), here, work, given = (reach * rng.uniform(-1, 1, 2)).tolist(), walk.new(), 0.0, 0.0
    for _ in range(_CYCLES):
        for end in (first, second):
            here, done = walk.with_work(here, end)
            work += done
            given = min(given, work)
    return -given
