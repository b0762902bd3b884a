"""Menegotto and Pinto's steel with Filippou's isotropic hardening: curves that leave each reversal with the elastic
slope and bend towards the hardening asymptote of the side they go to.

With x = (e − eᵣ)/ℓ from the reversal (eᵣ, Fᵣ), ℓ the way along the elastic line to the asymptote, the force is
F = Fᵣ + kℓ (b x + (1 − b) x/(1 + xᴿ)^(1/R)). Menegotto and Pinto (1973), IABSE Symposium, Lisbon; Filippou, Popov and
Bertero (1983), EERC 83-19; the numbers are those of OpenSees' Steel02.

One thing is ours: a spring that turns back within ``DEAD`` yield deformations of a reversal returns to it on the same
curve and goes on as if it had not turned. By the plain rule a reversal of no size begins a new curve, which jumps ahead
to the asymptote: up to 2^(1/R) − 1 of the yield force on the first bend.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from hamex.errors import LawError
from hamex.model.laws.law import Array, checked
from hamex.model.laws.path import FOLLOWED, FORCE, LAST, RECOVERABLE, SLIP, WAY, PathLaw

# Behind the state of every law that is followed: the curve (its reversal, ℓ with the sign of its way, R), how far the
# extremes went beyond yield, and all of these as they were before the last reversal.
TURN, AT_TURN, LENGTH, BEND, LARGEST, SMALLEST, LEFT = range(5, 12)
CURVE = LEFT - TURN
_NAMES = ("turn", "at_turn", "length", "bend", "largest", "smallest")
DEAD = 1e-6
NO_BEND = 39.0  # e⁻³⁹ is nothing beside 1
# Nodes in [0, 1] and weights of Gauss' quadrature with 16 points: half of them, the others are mirrored.
GAUSS = (
    (0.09501250983763744 / 2, 0.18945061045506850 / 2),
    (0.28160355077925891 / 2, 0.18260341504492359 / 2),
    (0.45801677765722739 / 2, 0.16915651939500254 / 2),
    (0.61787624440264375 / 2, 0.14959598881657673 / 2),
    (0.75540440835500303 / 2, 0.12462897125553387 / 2),
    (0.86563120238783174 / 2, 0.09515851168249278 / 2),
    (0.94457502307323258 / 2, 0.06225352393864789 / 2),
    (0.98940093499164993 / 2, 0.02715245941175409 / 2),
)


def bent(x: float, R: float) -> tuple[float, float]:
    """x/(1 + xᴿ)^(1/R) and its slope, x ≥ 0."""
    if x <= 0.0:
        return 0.0, 1.0
    if R * math.log(x) > NO_BEND:
        return 1.0, 0.0
    w = 1.0 + x**R
    f = w ** (-1.0 / R)
    return x * f, f / w


def over(a: float, b: float, R: float) -> tuple[float, float, float]:
    """Means over [a, b] of f = x/(1 + xᴿ)^(1/R), of f' and of f' times the share of the way.

    f is analytic but for x = 0 and xᴿ = −1: on pieces whose ends have the ratio e^(6/R), at most e, sixteen points of
    Gauss are good for 1e-13. Where xᴿ or x⁻ᴿ is nothing beside 1 the curve is straight.
    """
    ratio = math.exp(min(6.0 / R, 1.0))
    low, high = math.exp(-NO_BEND / R), math.exp(NO_BEND / R)
    mean, slope, tilt, here = 0.0, 0.0, 0.0, a
    while here < b:
        if here < low:
            there = min(low, b)
        elif here >= high:
            there = b
        else:
            there = min(here * ratio, high, b) if ratio > 1.0 else min(high, b)
        width, from_a = (there - here) / (b - a), (here - a) / (b - a)
        if there <= low:
            mean += width * (0.5 * (here + there))
            slope += width
            tilt += width * (from_a + 0.5 * width)
        elif here >= high:
            mean += width
        else:
            for node, weight in GAUSS:
                for share in (0.5 - node, 0.5 + node):
                    f, df = bent(here + share * (there - here), R)
                    mean += width * weight * f
                    slope += width * weight * df
                    tilt += width * weight * df * (from_a + share * width)
        here = there
    return mean, slope, tilt


def area(x: float, R: float) -> float:
    """∫₀ˣ y/(1 + yᴿ)^(1/R) dy: x²/2 (1 + w)^(−1/R) ₂F₁(1/R, 1; 1 + 2/R; w/(1 + w)) with w = xᴿ, a series below 1."""
    if x <= 0.0:
        return 0.0
    low = min(x, 1.0)
    w = low**R
    v, term, total, n = w / (1.0 + w), 1.0, 1.0, 0.0
    while term > 1e-17:
        term *= v * (1.0 / R + n) / (1.0 + 2.0 / R + n)
        total += term
        n += 1.0
    found = 0.5 * low * low * (1.0 + w) ** (-1.0 / R) * total
    return found if x <= 1.0 else found + (x - 1.0) * over(1.0, x, R)[0]


def asymptote(p: Array, r: int, e: float, force: float, way: float, z: Array, o: int) -> tuple[float, float]:
    """ℓ and R of the curve from a reversal at e on the way given, when the extremes are those of the state."""
    k, Fy, b = p[r], p[r + 1], p[r + 2]
    s = r + 8 if way > 0.0 else r + 6  # a3, a4 or a1, a2
    largest, smallest = Fy / k + z[o + LARGEST], Fy / k + z[o + SMALLEST]
    shift = 1.0
    if p[s] > 0.0:
        shift += p[s] * ((largest + smallest) / (2.0 * p[s + 1] * (Fy / k))) ** 0.8
    length = ((1.0 - b) * Fy * shift - way * force + b * k * (way * e)) / (k * (1.0 - b))
    from_extreme = abs((largest if way > 0.0 else smallest) - (way * e + length)) / (Fy / k)
    return way * length, p[r + 3] * (1.0 - p[r + 4] * from_extreme / (p[r + 5] + from_extreme))


def point(p: Array, r: int, e: float, z: Array, o: int) -> tuple[float, float]:
    """Force and slope on the present curve."""
    k, b, length = p[r], p[r + 2], z[o + LENGTH]
    x = (e - z[o + TURN]) / length
    f, df = bent(x, z[o + BEND])
    return z[o + AT_TURN] + k * length * (b * x + (1.0 - b) * f), k * (b + (1.0 - b) * df)


def set_out(p: Array, r: int, e: float, force: float, way: float, z: Array, o: int) -> None:
    """Choose the curve on which the spring leaves e; a reversal leaves the curve before behind."""
    z[o + WAY] = way
    if z[o + LENGTH] == 0.0:
        z[o + LENGTH], z[o + BEND] = way * (p[r + 1] / p[r]), p[r + 3]
        return
    if z[o + LENGTH] * way > 0.0 or goes_back(p, r, e, z, o):
        return
    for v in range(CURVE):
        z[o + LEFT + v] = z[o + TURN + v]
    if way < 0.0:
        z[o + LARGEST] = max(z[o + LARGEST], e - p[r + 1] / p[r])
    else:
        z[o + SMALLEST] = max(z[o + SMALLEST], -e - p[r + 1] / p[r])
    z[o + TURN], z[o + AT_TURN] = e, force
    z[o + LENGTH], z[o + BEND] = asymptote(p, r, e, force, way, z, o)


def goes_back(p: Array, r: int, e: float, z: Array, o: int) -> bool:
    """Whether a spring that turns at e is still so near to its last reversal that it returns to it."""
    return z[o + LEFT + 2] != 0.0 and abs(e - z[o + TURN]) <= DEAD * (p[r + 1] / p[r])


def is_back(way: float, e: float, z: Array, o: int) -> bool:
    """Whether a spring on its way back to a reversal passes it before e; it is then on the curve that it had left."""
    if z[o + LENGTH] * way > 0.0 or way * (e - z[o + TURN]) <= 0.0:
        return False
    for v in range(CURVE):
        z[o + TURN + v] = z[o + LEFT + v]
        z[o + LEFT + v] = 0.0
    return True


def gives_back(p: Array, r: int, e: float, force: float, z: Array, o: int) -> float:
    """Energy that unloading now gives back: the area of the curve that leads to the zero of the force."""
    if force == 0.0:
        return 0.0
    k, b, way = p[r], p[r + 2], -1.0 if force > 0.0 else 1.0
    turn, at_turn, length, R = z[o + TURN], z[o + AT_TURN], z[o + LENGTH], z[o + BEND]
    if length * way < 0.0:
        turn, at_turn = e, force
        kept = z[o + LARGEST], z[o + SMALLEST]
        yields = p[r + 1] / k
        z[o + LARGEST], z[o + SMALLEST] = max(kept[0], e - yields), max(kept[1], -e - yields)
        length, R = asymptote(p, r, e, force, way, z, o)
        z[o + LARGEST], z[o + SMALLEST] = kept
    zero = -at_turn / (k * length)
    x, goal = (e - turn) / length, zero
    for _ in range(60):
        f, df = bent(goal, R)
        step = (b * goal + (1.0 - b) * f - zero) / (b + (1.0 - b) * df)
        goal -= step
        if abs(step) <= 1e-15 * goal:
            break
    under = 0.5 * b * (goal * goal - x * x) + (1.0 - b) * (area(goal, R) - area(x, R))
    return k * length * length * (zero * (goal - x) - under)


def settle(p: Array, r: int, e: float, force: float, z: Array, o: int) -> None:
    """Note where the spring is."""
    z[o + LAST], z[o + FORCE], z[o + SLIP] = e, force, e - force / p[r]
    z[o + RECOVERABLE] = gives_back(p, r, e, force, z, o)


def along(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Mean force on the way from e to e + d, its slope in d, and the state at the end."""
    for v in range(LEFT + CURVE):
        dz[o + v] = z[o + v]
    k, b, force = p[r], p[r + 2], z[o + FORCE]
    way = 1.0 if d > 0.0 or (d == 0.0 and z[o + WAY] >= 0.0) else -1.0
    set_out(p, r, e, force, way, dz, o)
    if d == 0.0:
        _, ahead = point(p, r, e, dz, o)
        for v in range(LEFT + CURVE):
            dz[o + v] = z[o + v]
        return force, 0.5 * ahead, 0
    mean, slope, back = 0.0, 0.0, 0.0
    turn, at_turn = dz[o + TURN], dz[o + AT_TURN]
    if is_back(way, e + d, dz, o):  # so short a way that it is straight
        back = (turn - e) / d
        mean, slope = back * 0.5 * (force + at_turn), 0.5 * k * back * back
    start, length = (turn if back > 0.0 else e), dz[o + LENGTH]
    x, end = (start - dz[o + TURN]) / length, ((e + d) - dz[o + TURN]) / length
    f, df, tilt = over(min(x, end), max(x, end), dz[o + BEND])
    if end < x:
        tilt = df - tilt
    share = 1.0 - back
    mean += share * (dz[o + AT_TURN] + k * length * (b * (0.5 * (x + end)) + (1.0 - b) * f))
    slope += share * (back * k * (b + (1.0 - b) * df) + share * k * (0.5 * b + (1.0 - b) * tilt))
    settle(p, r, e + d, point(p, r, e + d, dz, o)[0], dz, o)
    return mean, slope, 0


def at(p: Array, r: int, e: float, tau: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Force and slope at the end of a straight path from where the state was left, and the state there."""
    for v in range(LEFT + CURVE):
        dz[o + v] = z[o + v]
    way = 1.0 if e > z[o + LAST] or (e == z[o + LAST] and z[o + WAY] >= 0.0) else -1.0
    set_out(p, r, z[o + LAST], z[o + FORCE], way, dz, o)
    is_back(way, e, dz, o)
    force, slope = point(p, r, e, dz, o)
    if e == z[o + LAST]:
        for v in range(LEFT + CURVE):
            dz[o + v] = z[o + v]
        return z[o + FORCE], slope, 0
    settle(p, r, e, force, dz, o)
    return force, slope, 0


@dataclass(frozen=True)
class MenegottoPinto(PathLaw):
    """Menegotto and Pinto's steel: smooth from elastic to hardening, with the Bauschinger effect, as in OpenSees'
    Steel02.

    The force is that of the elastic part of the deformation, and has its rounding: at n yield deformations about
    n·10⁻¹⁶ of the yield force, which is nothing in steel, and all digits of a spring without hardening at 10¹⁵.

    Parameters
    ----------
    yield_force : Fy [force].
    b : hardening slope over the stiffness, from 0 to below 1 [1].
    R0 : sharpness of the first bend, 10 to 20 for steel [1].
    cR1, cR2 : how the bends grow wider with the plastic deformation before them [1].
    a1, a2 : isotropic hardening in compression: the yield force grows by a1 after a2 yield deformations [1].
    a3, a4 : the same in tension [1].

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.MenegottoPinto(yield_force=1.0, b=0.02, R0=20.0)
    >>> hx.respond(law, [0.0, 0.03, -0.03, 0.03], stiffness=100.0).force.round(4).tolist()
    [0.0, 1.04, -1.0083, 0.965]
    """

    kind = "menegotto_pinto"
    example: ClassVar[dict[str, Any]] = {"stiffness": 15000.0, "reach": 0.08, "yield_force": 150.0, "b": 0.02}
    variables = (*FOLLOWED, *(f"steel_{x}" for x in _NAMES), *(f"steel_left_{x}" for x in _NAMES))
    effort = 6
    spring_at = staticmethod(at)
    spring_along = staticmethod(along)

    yield_force: float
    b: float = 0.01
    R0: float = 20.0
    cR1: float = 0.925  # noqa: N815 — the names of the field
    cR2: float = 0.15  # noqa: N815
    a1: float = 0.0
    a2: float = 1.0
    a3: float = 0.0
    a4: float = 1.0

    def __post_init__(self) -> None:
        for name in ("yield_force", "R0", "cR2", "a2", "a4"):
            checked(self, name, positive=True)
        for name in ("b", "cR1"):
            if not checked(self, name) < 1:
                raise LawError(f"MenegottoPinto: {name} must be from 0 to below 1, got {getattr(self, name):g}")
        for name in ("a1", "a3"):
            checked(self, name)
        if self.R0 * (1 - self.cR1) < 0.5:
            raise LawError(
                f"MenegottoPinto: R0 (1 − cR1) is the widest bend and must be at least 0.5; "
                f"it is {self.R0 * (1 - self.cR1):.3g}: raise R0 or lower cR1"
            )

    def in_opensees(self, stiffness: float) -> tuple[str, list[float | str]]:
        rest = (self.b, self.R0, self.cR1, self.cR2, self.a1, self.a2, self.a3, self.a4)
        return "Steel02", [self.yield_force, stiffness, *rest]

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        return group.b * k

    @classmethod
    def first_yield(cls, group: Any) -> Array:
        return group.yield_force
