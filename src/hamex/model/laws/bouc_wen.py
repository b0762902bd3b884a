"""Bouc and Wen's smooth hysteresis with the deterioration of Baber and Noori.

F = αk e + (1 − α)k z with dz/de = (A − |z|ⁿ(γ + β sgn(z de))ν)/η, where A = A₀ − δ_A ε, ν = 1 + δ_ν ε, η = 1 + δ_η ε,
ε = (1 − α)k ∫z de. Bouc (1967); Wen (1976), J. Eng. Mech. Div. 102:249; Baber and Noori (1985), J. Eng. Mech. 111:1010;
parameters as in OpenSees' BoucWen, which takes one implicit Euler step from sample to sample: its error falls with the
first power of their number. Here the equation is solved to ``TOLERANCE`` along the path, and A does not fall below
``LEAST`` of A₀, where OpenSees lets it change its sign.

On the way, y is z with the sign of the way and s the length: dy/ds = rate(y, ε). Midpoint rules of 2, 4 … 16 steps are
extrapolated to order 16 (Gragg); y = 0, where the rate has a corner, is met exactly by exchanging the roles of s and y.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hamex.errors import LawError
from hamex.model.laws.law import Array, checked
from hamex.model.laws.path import FOLLOWED, FORCE, LAST, RECOVERABLE, SLIP, WAY, PathLaw

Z, ENERGY = len(FOLLOWED), len(FOLLOWED) + 1
ALPHA, POWER, GAMMA, BETA, A_0, DELTA_A, DELTA_NU, DELTA_ETA, SCALE = range(1, 10)
TOLERANCE = 1e-12  # of the largest z, for what the last extrapolation changes; what is left is far less
LEAST = 1e-3
FAR, NEAR, PARTS, SHIFT = 500.0, 1e-10, 100, 1e-4  # for ways of more than so many times the bound of z
# Steps of the midpoint rule, their weights in the extrapolation Πᵢ n²/(n² − nᵢ²), and those without the last.
STEPS = (2, 4, 6, 8, 10, 12, 14, 16)
WEIGHTS = tuple(math.prod(n * n / (n * n - i * i) for i in STEPS if i != n) for n in STEPS)
LOWER = (*(math.prod(n * n / (n * n - i * i) for i in STEPS[:-1] if i != n) for n in STEPS[:-1]), 0.0)


Numbers = tuple[float, float, float, float, float, float, float, float]


def numbers(p: Array, r: int) -> Numbers:
    """Exponent, A₀, δ_A, δ_ν, δ_η, largest z, (1 − α)k, and the power by which a way is stretched where it meets y = 0:
    |y|ⁿ is smooth there for whole n alone."""
    n = float(p[r + POWER])
    stretched = 1.0 if n == math.floor(n) else 6.0
    hard = (1.0 - float(p[r + ALPHA])) * float(p[r])
    delta_A, delta_nu, delta_eta = float(p[r + DELTA_A]), float(p[r + DELTA_NU]), float(p[r + DELTA_ETA])
    return n, float(p[r + A_0]), delta_A, delta_nu, delta_eta, float(p[r + SCALE]), hard, stretched


def rate(law: Numbers, psi: float, y: float, energy: float) -> float:
    """dy/ds; trial leaps that are too long must not end beyond all numbers."""
    A = max(law[1] - law[2] * energy, LEAST * law[1])
    held = min(abs(y), 2.0 * law[5]) ** law[0] * (psi * (1.0 + law[3] * energy))
    return (A - held) / (1.0 + law[4] * energy)


def leap(
    law: Numbers, psi: float, energy: float, by_y: bool, x0: float, x1: float, q: float,
    u: float, h: float, a: float,
) -> tuple[float, float, float, float]:  # fmt: skip
    """y (or s, by y) at u + h on the way x₀ + (x₁ − x₀)u^q, what ∫y ds and ∫s dy grow by, and what the last
    extrapolation changed in the first two, of themselves or of the largest z and its square; ε is ``energy`` at u and
    what (1 − α)k ∫y ds adds."""
    A, B, M, A_low, B_low = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(STEPS)):
        n = STEPS[i]
        step = h / n
        a0, b0, m0, a1, b1, m1 = a, 0.0, 0.0, a, 0.0, 0.0
        for j in range(n):
            at_u = u + j * step
            x = x0 + (x1 - x0) * at_u**q
            dx = (x1 - x0) * (q * at_u ** (q - 1.0)) * (step if j == 0 else 2.0 * step)
            y = x if by_y else a1
            v = rate(law, psi, y, energy + law[6] * b1)
            if by_y:
                fa, fb, fm = dx / v, dx * y / v, dx * a1
            else:
                fa, fb, fm = dx * v, dx * y, dx * x * v
            a0, b0, m0, a1, b1, m1 = a1, b1, m1, a0 + fa, b0 + fb, m0 + fm
        A, B, M = A + WEIGHTS[i] * a1, B + WEIGHTS[i] * b1, M + WEIGHTS[i] * m1
        A_low, B_low = A_low + LOWER[i] * a1, B_low + LOWER[i] * b1
    one, square = law[5], law[5] * law[5]
    return A, B, M, max(abs(A - A_low) / max(one, abs(A)), abs(B - B_low) / max(square, abs(B)))


def first_bound(law: Numbers, psi: float, energy: float) -> float:
    """The y at which its rate is nothing."""
    A, held = max(law[1] - law[2] * energy, LEAST * law[1]), psi * (1.0 + law[3] * energy)
    return (A / held) ** (1.0 / law[0])


def second_bound(law: Numbers, psi: float, energy: float) -> float:
    """The y whose rate is the fall of the first bound."""
    by = SHIFT * (energy + law[6] * law[5] * law[5])
    slope = (first_bound(law, psi, energy + by) - first_bound(law, psi, energy - by)) / (2.0 * by)
    return falling(law, psi, energy, first_bound(law, psi, energy) * slope)


def bound(law: Numbers, psi: float, energy: float) -> float:
    """The y that follows its bound as that falls with ε: the one whose rate is the fall of the second."""
    if law[2] == 0.0 and law[3] == 0.0:
        return first_bound(law, psi, energy)
    by = SHIFT * (energy + law[6] * law[5] * law[5])
    slope = (second_bound(law, psi, energy + by) - second_bound(law, psi, energy - by)) / (2.0 * by)
    return falling(law, psi, energy, second_bound(law, psi, energy) * slope)


def falling(law: Numbers, psi: float, energy: float, falls: float) -> float:
    """The y at which its rate is (1 − α)k times what is given."""
    A, held = max(law[1] - law[2] * energy, LEAST * law[1]), psi * (1.0 + law[3] * energy)
    return max((A - (1.0 + law[4] * energy) * law[6] * falls) / held, 0.0) ** (1.0 / law[0])


def on_bound(law: Numbers, psi: float, energy: float, length: float) -> tuple[float, float]:
    """y at the end of a way on its bound, and ∫y ds: by the rule of Runge and Kutta in steps that grow with the way."""
    y = bound(law, psi, energy)
    if law[2] == 0.0 and law[3] == 0.0:
        return y, y * length
    unit = FAR * y
    b, part, s = 0.0, math.log(1.0 + length / unit) / PARTS, 0.0
    for i in range(PARTS):
        there = length if i == PARTS - 1 else unit * (math.exp((i + 1) * part) - 1.0)
        h = there - s
        two = bound(law, psi, energy + law[6] * (b + 0.5 * h * y))
        three = bound(law, psi, energy + law[6] * (b + 0.5 * h * two))
        four = bound(law, psi, energy + law[6] * (b + h * three))
        b, s = b + h * (y + 2.0 * two + 2.0 * three + four) / 6.0, there
        y = bound(law, psi, energy + law[6] * b)
    return y, b


def followed(
    law: Numbers, psi: float, energy: float, by_y: bool, x0: float, x1: float, q: float, a: float, m: float
) -> tuple[float, float, float]:
    """The three at x₁, from a, 0 and m at x₀, in leaps that are halved and doubled as they are found good; a way by y
    ends at zero, where u does."""
    if by_y:
        x0, x1, u, end = x1, x0, 1.0, 0.0
    else:
        u, end = 0.0, 1.0
    b, h = 0.0, end - u
    while u != end:
        last = abs(h) >= abs(end - u)
        if last:
            h = end - u
        A, B, M, wrong = leap(law, psi, energy + law[6] * b, by_y, x0, x1, q, u, h, a)
        if not wrong <= TOLERANCE and abs(h) > 1e-6:
            h *= 0.5
            continue
        u, a, b, m = (end if last else u + h), A, b + B, m + M
        h *= 2.0
        if a != a or b != b:  # beyond all numbers: a million leaps would not bring them back
            break
    return a, b, m


def home(law: Numbers, psi: float, y: float, energy: float) -> float:
    """Energy that the hysteretic part gives back on its way to zero from y ≤ 0."""
    if y == 0.0 or rate(law, psi, y, energy) <= 0.0:
        return 0.0
    return -law[6] * followed(law, psi, energy, True, y, 0.0, law[7], 0.0, 0.0)[1]


def travelled(
    law: Numbers, out: float, back: float, y: float, energy: float, length: float
) -> tuple[float, float, float]:
    """y at the end of a way of this length, ∫y ds and ∫s dy on it."""
    s, b, m, q = 0.0, 0.0, 0.0, 1.0
    if y < 0.0:
        here = rate(law, back, y, energy)
        if here > 0.0 and 4.0 * length * max(here, rate(law, back, 0.0, energy)) > -y:
            s, b, m = followed(law, back, energy, True, y, 0.0, law[7], 0.0, 0.0)
        if not 0.0 < s < length:
            return followed(law, back, energy, False, 0.0, length, 1.0, y, 0.0)
        y = 0.0
    if y == 0.0:
        q = law[7]
    far = FAR * first_bound(law, out, energy)
    while True:
        goal = length if length - s <= 2.0 * far else s + far
        y, more, m = followed(law, out, energy + law[6] * b, False, s, goal, q, y, m)
        s, b, q, far = goal, b + more, 1.0, 2.0 * far
        if not s < length or y != y:
            return y, b, m
        # Leaps are no longer than the way in which y comes to its bound: so far out they would be many, for nothing.
        if abs(y - bound(law, out, energy + law[6] * b)) <= NEAR * y + TOLERANCE * law[5]:
            end, more = on_bound(law, out, energy + law[6] * b, length - s)
            return end, b + more, m + (length * end - s * y - more)


def moved(p: Array, r: int, e: float, goal: float, z: Array, o: int, dz: Array) -> tuple[float, float, float]:
    """Mean force on the way, its slope in the length of the way, slope of the force at its end; dz is the state
    there."""
    law, way, length = numbers(p, r), (1.0 if goal > e else -1.0), float(abs(goal - e))
    out, back = float(p[r + GAMMA] + p[r + BETA]), float(p[r + GAMMA] - p[r + BETA])
    soft, hard = p[r + ALPHA] * p[r], law[6]
    y, b, m = travelled(law, out, back, float(way * z[o + Z]), float(z[o + ENERGY]), length)
    energy = float(z[o + ENERGY]) + hard * b
    dz[o + WAY], dz[o + LAST], dz[o + Z], dz[o + ENERGY] = way, goal, way * y, energy
    dz[o + FORCE] = soft * goal + hard * (way * y)
    dz[o + SLIP] = goal - dz[o + FORCE] / p[r]
    dz[o + RECOVERABLE] = 0.5 * soft * goal * goal + home(law, back, -abs(y), energy)
    mean = soft * (e + 0.5 * (goal - e)) + way * hard * (b / length)
    end = soft + hard * rate(law, out if y >= 0.0 else back, y, energy)
    return mean, 0.5 * soft + hard * (m / (length * length)), end


def ahead(p: Array, r: int, z: Array, o: int) -> float:
    """Slope of the force on the way it went last."""
    law, y = numbers(p, r), z[o + Z] if z[o + WAY] >= 0.0 else -z[o + Z]
    psi = p[r + GAMMA] + (p[r + BETA] if y >= 0.0 else -p[r + BETA])
    return p[r] * p[r + ALPHA] + law[6] * rate(law, psi, y, z[o + ENERGY])


def along(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Mean force on the way from e to e + d, its slope in d, and the state at the end."""
    for v in range(ENERGY + 1):
        dz[o + v] = z[o + v]
    if e + d == e:
        return z[o + FORCE], 0.5 * ahead(p, r, z, o), 0
    mean, slope, _ = moved(p, r, e, e + d, z, o, dz)
    return mean, slope, 0


def at(p: Array, r: int, e: float, tau: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Force and slope at the end of a straight path from where the state was left, and the state there."""
    for v in range(ENERGY + 1):
        dz[o + v] = z[o + v]
    if e == z[o + LAST]:
        return z[o + FORCE], ahead(p, r, z, o), 0
    _, _, slope = moved(p, r, z[o + LAST], e, z, o, dz)
    return dz[o + FORCE], slope, 0


@dataclass(frozen=True)
class BoucWen(PathLaw):
    """Bouc and Wen's smooth hysteresis, with the parameters of OpenSees' BoucWen; k₀ is the stiffness of the spring.

    Parameters
    ----------
    alpha : share of the stiffness that stays, from 0 to below 1 [1].
    n : sharpness of the bend, at least 1 [1].
    gamma, beta : how the hysteretic part is held: by gamma + beta on the way out, by gamma − beta on the way back
        [1/lengthⁿ]; its largest value is (A0/(gamma + beta))^(1/n).
    A0 : first slope of the hysteretic part [1].
    deltaA, deltaNu, deltaEta : fall of A, growth of ν and of η with the energy ε [1/(force·length)].

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.BoucWen(alpha=0.05, n=2.0, gamma=5000.0, beta=5000.0)        # yields at 0.01
    >>> hx.respond(law, [0.0, 0.03, -0.03, 0.03], stiffness=100.0).force.round(4).tolist()
    [0.0, 1.0953, -1.0999, 1.0999]
    """

    kind = "bouc_wen"
    example: ClassVar[dict[str, Any]] = {
        "stiffness": 15000.0, "reach": 0.05, "alpha": 0.05, "n": 2.0, "gamma": 5000.0, "beta": 5000.0,
    }  # fmt: skip
    variables = (*FOLLOWED, "bouc_wen_z", "bouc_wen_energy")
    effort = 20  # solved along its path
    softens = True
    spring_at = staticmethod(at)
    spring_along = staticmethod(along)

    alpha: float
    n: float
    gamma: float
    beta: float
    A0: float = 1.0
    deltaA: float = 0.0  # noqa: N815 — the names of the field
    deltaNu: float = 0.0  # noqa: N815
    deltaEta: float = 0.0  # noqa: N815

    def __post_init__(self) -> None:
        if not checked(self, "alpha") < 1:
            raise LawError(f"BoucWen: alpha must be from 0 to below 1, got {self.alpha:g}")
        if checked(self, "n", positive=True) < 1:
            raise LawError(f"BoucWen: n must be at least 1, got {self.n:g}")
        checked(self, "gamma", signed=True)
        checked(self, "beta", hint="; the spring would give out more energy than it takes")
        if self.gamma + self.beta <= 0:
            raise LawError(
                f"BoucWen: gamma + beta must be positive, else nothing yields; got {self.gamma + self.beta:g}"
            )
        checked(self, "A0", positive=True)
        for name in ("deltaA", "deltaNu", "deltaEta"):
            checked(self, name)

    def in_opensees(self, stiffness: float) -> tuple[str, list[float | str]]:
        rest = (self.n, self.gamma, self.beta, self.A0, self.deltaA, self.deltaNu, self.deltaEta)
        return "BoucWen", [self.alpha, stiffness, *rest]

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        return np.column_stack([k, *(getattr(group, name) for name in cls.names()), largest(group)])

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        """Without deterioration that of the straight part. With it z falls no faster than its bound
        (A/((γ + β)ν))^(1/n) does, at A₀ or, for n > 2, where A has come to its least; and on the way back by as much
        more as z may be beyond its bound."""
        least = np.where(group.n > 2, LEAST ** (2 / group.n - 1), 1.0)
        fall = (1 - group.alpha) * k * largest(group) ** 2 / group.n * (group.deltaA / group.A0 * least + group.deltaNu)
        back = 1 + np.abs(group.gamma - group.beta) / (group.gamma + group.beta)
        return k * (group.alpha - (1 - group.alpha) * fall * back)

    @classmethod
    def stiffest(cls, group: Any, k: Array) -> Array:
        back = np.maximum(1.0, 2 * group.beta / (group.gamma + group.beta))
        return k * (group.alpha + (1 - group.alpha) * group.A0 * back)

    @classmethod
    def static_share(cls, group: Any, k: Array) -> Array:
        return group.alpha + (1 - group.alpha) * group.A0


def largest(group: Any) -> Array:
    """(spring,), largest z of a new spring [length]."""
    return (group.A0 / (group.gamma + group.beta)) ** (1 / group.n)
