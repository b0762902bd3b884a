"""Laws around a law that break: beyond limits of the deformation (:class:`MinMax`), and by low-cycle fatigue
(:class:`Fatigue`): Coffin and Manson's line, Miner's sum, ranges counted as they close.

A range X of the deformation uses up (X/E₀)^(−1/m) of the life in a whole cycle, half of that in half a cycle. Ranges
are counted by the modified rainflow of OpenSees' Fatigue (Uriz and Mahin 2008, PEER 2008/08), which remembers four
turning points. The spring is lost where the damage, with the present deformation counted as a turning point, passes
D_max in tension; and in any state where turning back would bring the counted damage to D_max. OpenSees takes it away at
that reversal itself, where no step could end, so that a spring in compression may hold a little longer there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hamex.errors import LawError
from hamex.model.laws.combined import BROKEN, GONE, OWN, Combined, part_of, settle, together
from hamex.model.laws.law import Array, Law, checked, number
from hamex.model.laws.path import FOLLOWED, FORCE, WAY


def along_limits(
    p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array
) -> tuple[float, float, int]:
    """A part between two limits: unbroken to the end of the path, and gone behind it where that is beyond."""
    mean, slope, force, broken = together(p, r, e, d, h, z, o, dz)
    at = where_limited(p, r, e, d, h, z, o, dz)
    dz[o + GONE] = 1.0 if z[o + GONE] != 0.0 or at < math.inf else 0.0
    settle(p, r, e, d, 0.0 if dz[o + GONE] != 0.0 else force, z, o, dz)
    if z[o + GONE] != 0.0 or at == e:
        return 0.0, 0.0, 0
    return mean, slope, BROKEN if at < math.inf else broken


def where_limited(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> float:
    """Deformation at which the part is lost on the way from e to e + d; infinite where it is not."""
    limit = p[r + OWN + 1] if d > 0.0 else p[r + OWN]
    if z[o + GONE] != 0.0 or d == 0.0 or (e + d < limit if d > 0.0 else e + d > limit):
        return math.inf
    return e if (e >= limit if d > 0.0 else e <= limit) else limit


# Behind what all combinations have: the damage counted, the turning points A, B, C, the range Y that is open, whether
# one is held beside it, and whether there was a turning point.
DAMAGE, A, B, C, RANGE, HELD, SEEN = range(GONE + 1, GONE + 8)
E_0, M, D_MAX, MIN, MAX = range(OWN, OWN + 5)


def used(p: Array, r: int, x: float) -> float:
    """Share of the life that a whole cycle of the range x takes."""
    return (x / p[r + E_0]) ** (-1.0 / p[r + M]) if x > 0.0 else 0.0


def reach(p: Array, r: int, share: float) -> float:
    """Range whose whole cycle takes a share of the life."""
    return p[r + E_0] * share ** (-p[r + M]) if share > 0.0 else 0.0


def counted(p: Array, r: int, e: float, z: Array, o: int) -> None:
    """A turning point at e."""
    if z[o + SEEN] == 0.0:
        z[o + B], z[o + RANGE], z[o + SEEN] = e, abs(e - z[o + A]), 1.0
        return
    if z[o + HELD] == 0.0:
        x = abs(e - z[o + B])
        if x < z[o + RANGE]:
            z[o + C], z[o + RANGE], z[o + HELD] = e, x, 1.0
            return
        z[o + DAMAGE] += 0.5 * used(p, r, z[o + RANGE])
        z[o + A], z[o + B], z[o + RANGE] = z[o + B], e, x
        return
    x = abs(e - z[o + C])
    if x < z[o + RANGE]:
        z[o + DAMAGE] += used(p, r, x)
    else:
        z[o + DAMAGE] += used(p, r, z[o + RANGE])
        z[o + B] = e
    z[o + RANGE], z[o + HELD] = abs(z[o + B] - z[o + A]), 0.0


def exhausted(p: Array, r: int, e: float, way: float, z: Array, o: int) -> tuple[float, float]:
    """On the way from e: where the damage with the present deformation passes D_max, and where turning back would be
    fatal."""
    left, a, b, c, y = p[r + D_MAX] - z[o + DAMAGE], z[o + A], z[o + B], z[o + C], z[o + RANGE]
    if z[o + SEEN] == 0.0:
        return a + way * reach(p, r, 2.0 * left), way * math.inf
    if z[o + HELD] == 0.0:
        half = 0.5 * used(p, r, y)
        return b + way * reach(p, r, 2.0 * (left - half)), (b + way * y if half >= left else way * math.inf)
    inner = reach(p, r, left - 0.5 * used(p, r, abs(a - b)))
    first = c + way * inner if inner <= y else a + way * reach(p, r, 2.0 * (left - used(p, r, y)))
    closed = reach(p, r, left)
    return first, (c + way * closed if closed <= y else way * math.inf)


def is_lost_by_turning(p: Array, r: int, e: float, z: Array, o: int) -> bool:
    """Whether turning back at e takes a spring in tension at once: inside a range that is held the damage with the
    present deformation jumps there, by the half cycle that is open again."""
    x, y = abs(e - z[o + C]), z[o + RANGE]
    if z[o + FORCE] <= 0.0 or z[o + HELD] == 0.0 or not x < y:
        return False
    outer = 0.5 * used(p, r, abs(z[o + A] - z[o + B]))
    return z[o + DAMAGE] + outer + used(p, r, x) + 0.5 * used(p, r, y - x) > p[r + D_MAX]


def where_lost(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> float:
    """Deformation at which the spring is lost on the way from e to e + d; infinite where it is not."""
    if z[o + GONE] == 0.0 and is_lost_by_turning(p, r, e, z, o):
        return e  # whichever way it moves: a step whose force jumps at its start may have no solution
    if z[o + GONE] != 0.0 or d == 0.0:
        return math.inf
    way = 1.0 if d > 0.0 else -1.0
    for v in range(DAMAGE, SEEN + 1):
        dz[o + v] = z[o + v]
    if way * z[o + WAY] < 0.0:
        counted(p, r, e, dz, o)
    limit = p[r + MAX] if way > 0.0 else p[r + MIN]
    first, fatal = exhausted(p, r, e, way, dz, o)
    at = way * min(way * fatal, way * limit)
    if way * first <= min(way * at, way * (e + d)):
        low = way * max(way * first, way * e)
        _, _, force, _ = together(p, r, e, low - e, h, z, o, dz)
        if force > 0.0:
            at = low
        elif way > 0.0:  # in tension only: from the zero of the force on
            high = min(at, e + d)
            _, _, force, _ = together(p, r, e, high - e, h, z, o, dz)
            if force > 0.0:
                for _ in range(60):
                    middle = 0.5 * (low + high)
                    _, _, force, _ = together(p, r, e, middle - e, h, z, o, dz)
                    if force > 0.0:
                        high = middle
                    else:
                        low = middle
                at = high
    return way * max(way * at, way * e) if way * (at - (e + d)) <= 0.0 else math.inf


def along(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """The law, unbroken to the end of the path, and gone behind it where it is lost on the way."""
    at = where_lost(p, r, e, d, h, z, o, dz)
    for v in range(DAMAGE, SEEN + 1):
        dz[o + v] = z[o + v]
    if d * z[o + WAY] < 0.0 and z[o + GONE] == 0.0:
        counted(p, r, e, dz, o)
    mean, slope, force, broken = together(p, r, e, d, h, z, o, dz)
    dz[o + GONE] = 1.0 if z[o + GONE] != 0.0 or at < math.inf else 0.0
    settle(p, r, e, d, 0.0 if dz[o + GONE] != 0.0 else force, z, o, dz)
    if z[o + GONE] != 0.0 or at == e:
        return 0.0, 0.0, 0
    return mean, slope, BROKEN if at < math.inf else broken


@dataclass(frozen=True)
class MinMax(Combined):
    """A law between two deformations: beyond either the spring is gone for good, as in OpenSees' MinMax.

    Parameters
    ----------
    law : of the spring while it is whole.
    min, max : deformations at which it breaks, below and above zero [length]; infinite by default.

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.MinMax(hx.laws.MenegottoPinto(yield_force=1.0), max=0.05)
    >>> hx.respond(law, [0.0, 0.04, 0.06, 0.0], stiffness=100.0).force.round(3).tolist()
    [0.0, 1.03, 0.0, 0.0]
    """

    kind = "min_max"
    own = ("min", "max")
    spring_combined = staticmethod(along_limits)
    spring_lost = staticmethod(where_limited)

    law: Law
    min: float = -math.inf
    max: float = math.inf

    def __new__(cls, law: Any = None, *args: Any, **more: Any) -> Self:
        return object.__new__(cls if cls.parts else cls.around(type(part_of("MinMax", law))))

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", part_of("MinMax", self.law))
        low, high = (number("MinMax", name, getattr(self, name)) for name in ("min", "max"))
        if not low < 0 < high:
            raise LawError(f"MinMax: min must lie below zero and max above, got {low:g} and {high:g}")
        if math.isinf(low) and math.isinf(high):
            raise LawError("MinMax: min and max are both infinite, so nothing breaks; give one of them")
        object.__setattr__(self, "min", low)
        object.__setattr__(self, "max", high)

    def made_of(self) -> tuple[tuple[Law, ...], tuple[float, ...]]:
        return (self.law,), (1.0,)

    @classmethod
    def jumps(cls, group: Any) -> Array:
        return np.ones(len(group.first), dtype=bool)


@dataclass(frozen=True)
class Fatigue(Combined):
    """A law that breaks by low-cycle fatigue, with the parameters of OpenSees' Fatigue.

    Cycles are counted as there, by the rainflow rule, and the spring breaks in tension where the damage with the
    present deformation passes Dmax. One that turning back would break at once goes at the end of a step, or at a point
    of :func:`hamex.respond`, whichever way it then moves, as every spring that would not survive a reversal; OpenSees'
    goes on until it turns. Between turning points both are the same.

    Parameters
    ----------
    law : of the spring while it is whole.
    E0 : range of the deformation of which one cycle breaks the spring [length]; 0.191 in strain of rolled sections.
    m : slope of Coffin and Manson's line, negative; −0.458 of rolled sections [1].
    Dmax : damage at which the spring breaks, above 0 and at most 1 [1].
    min, max : deformations at which it breaks in any case, below and above zero [length]; infinite by default.

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.Fatigue(hx.laws.MenegottoPinto(yield_force=1.0), E0=0.191)
    >>> cycles = hx.respond(law, [0.0] + [0.04, -0.04] * 12, stiffness=100.0)
    >>> int((cycles.force[1::2] > 0).sum()), float(cycles.states["damage"][-1].round(3))
    (7, 0.914)
    """

    kind = "fatigue"
    variables = (*FOLLOWED, "gone", "damage", "point_a", "point_b", "point_c", "open_range", "held_range", "turned")
    more = 7
    own = ("E0", "m", "Dmax", "min", "max")
    spring_combined = staticmethod(along)
    spring_lost = staticmethod(where_lost)

    law: Law
    E0: float
    m: float = -0.458
    Dmax: float = 1.0
    min: float = -math.inf
    max: float = math.inf

    def __new__(cls, law: Any = None, *args: Any, **more: Any) -> Self:
        return object.__new__(cls if cls.parts else cls.around(type(part_of("Fatigue", law))))

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", part_of("Fatigue", self.law))
        checked(self, "E0", positive=True)
        if not checked(self, "m", signed=True) < 0:
            raise LawError(f"Fatigue: m, the slope of Coffin and Manson's line, must be negative, got {self.m:g}")
        if not 0 < checked(self, "Dmax") <= 1:
            raise LawError(f"Fatigue: Dmax must be above 0 and at most 1, got {self.Dmax:g}")
        for name in ("min", "max"):
            object.__setattr__(self, name, number("Fatigue", name, getattr(self, name)))
        if not self.min < 0 < self.max:
            raise LawError(f"Fatigue: min must lie below zero and max above, got {self.min:g} and {self.max:g}")

    def made_of(self) -> tuple[tuple[Law, ...], tuple[float, ...]]:
        return (self.law,), (1.0,)

    @classmethod
    def jumps(cls, group: Any) -> Array:
        return np.ones(len(group.first), dtype=bool)
