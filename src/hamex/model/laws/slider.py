"""Slider beside a dashpot, behind an elastic spring: the law of the paper, with hardening. Elastic springs are its
limit.

The local question is ``A F + τ g(F) ∋ e``. Letters as in ``docs/glossary.md``: X back force, w accumulated slip at the
start; κ = τ k · rate is the share of the excess force that slipping takes away.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hamex.checks import check_range
from hamex.errors import LawError
from hamex.model.laws.law import Array, Group, Law, Split, number

HEAD = 8  # entries of I before the springs, see hamex.march.springs
# A stage of several may start from an accumulated slip so far below zero that no force is admissible. The law is the
# normal cone of the convex set |F − X| ≤ Fy + Hi w; at its apex, F = X, it allows any slip up to the growth of w.
APEX = 2


def at(
    I: Array,
    begin: int,
    P: Array,
    row: int,
    e0: Array,
    dx: Array,
    reach: float,
    tau: float,
    z: Array,
    forced: int,
    F: Array,
    T: Array,
    dz: Array,
    branch: Array,
    work: Array,
) -> bool:
    """All sliders of a model. When ``forced`` they stay on the branch given, on its straight line prolonged."""
    changed = False
    for i in range(I[begin]):
        j = I[begin + HEAD + i]
        r = row + 6 * i
        o = I[begin + 3] + 3 * i
        k = P[r]
        trial = k * ((e0[j] + reach * dx[j]) - z[o])
        from_back = trial - z[o + 1]
        limit = P[r + 1] + P[r + 3] * z[o + 2]
        sign = branch[j]
        if not forced:
            sign = 0
            if limit < 0.0 and abs(from_back) <= -limit * (1.0 / (P[r + 4] * apex(P, r, tau)) - 1.0):
                sign = APEX
            elif limit < 0.0:
                sign = 1 if from_back > 0.0 else -1
            elif from_back > limit:
                sign = 1
            elif from_back < -limit:
                sign = -1
            if sign != branch[j]:
                changed = True
                branch[j] = sign
        if sign == 0:
            F[j] = trial
            T[j] = k
            dz[o] = 0.0
            dz[o + 1] = 0.0
            dz[o + 2] = 0.0
        elif sign == APEX:
            slip = from_back / (k + P[r + 2])
            F[j] = trial - k * slip
            T[j] = k * (P[r + 2] / (k + P[r + 2]))
            dz[o] = slip
            dz[o + 1] = P[r + 2] * slip
            dz[o + 2] = -tau * limit / apex(P, r, tau)
        else:
            excess = from_back - sign * limit
            slip = tau * (P[r + 4] * excess)
            F[j] = trial - P[r + 5] * excess
            T[j] = k * (1.0 - P[r + 5])
            dz[o] = slip
            dz[o + 1] = P[r + 2] * slip
            dz[o + 2] = sign * slip
    return changed


def relaxed(x: float) -> tuple[float, float, float]:
    """1 − e⁻ˣ, 1 − (1 − e⁻ˣ)/x and its like of the third order, x/6 − x²/24 + …; small x by their series."""
    if x > 0.5:
        first = 1.0 - math.exp(-x)
        second = 1.0 - first / x
        return first, second, 0.5 - second / x
    term, second, third = 1.0, 0.0, 0.0
    for n in range(2, 19):
        term = -term * x / n  # (−x)ⁿ⁻¹/n!
        second -= term
        third -= term / (n + 1)
    return -math.expm1(-x), second, third


def along(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Mean force on the way from e to e + d in the time h, its slope in d, and the sign of the slip at its end."""
    mean, slope, _, sign = walked(p, r, e, d, h, z, o, dz)
    return mean, slope, sign


def ended(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Force at the end of that way, its slope in d, and the sign of the slip."""
    _, _, moved, sign = walked(p, r, e, d, h, z, o, dz)
    return p[r] * ((e + d) - dz[o]), p[r] * (1.0 - moved), sign


def walked(
    p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array
) -> tuple[float, float, float, int]:
    """Mean force on the way from e to e + d in the time h, slopes in d of it and of the slip, and the sign of the slip.

    At most three pieces: slip that was under way, elastic, slip. While it slips to the side q, the overstress
    y = q(F − X) − Fy − Hi w obeys y' = q k v − y/τ with τ = η/(k + Hk + Hi), v = d/h. Slopes by the same equations for
    δ/δd: y and its rate are continuous where slip begins and ends, so that the instants need not be varied; at η = 0
    the overstress is zero at once, and so is δy.
    """
    k, eta, kinematic, isotropic = p[r], p[r + 2], p[r + 3], p[r + 4]
    stiff = k + kinematic + isotropic
    tau, v, way = eta / stiff, d / h, 1 if d > 0.0 else -1
    slip, back, total = z[o], z[o + 1], z[o + 2]
    from_back = k * (e - slip) - back
    side, y = 1 if from_back > 0.0 else -1, abs(from_back) - (p[r + 1] + isotropic * total)
    if eta == 0.0 and y > 0.0:  # rounding, or a start beyond the limit: at once
        slip, back, total = slip + side * y / stiff, back + kinematic * (side * y / stiff), total + y / stiff
        y = 0.0
    sign = side if y > 0.0 or (y == 0.0 and side == way and d != 0.0) else 0
    t, mean, slope, moved, more = 0.0, 0.0, 0.0, 0.0, 0.0  # moved, more: δ slip and δ of the accumulated one, per δd
    while t < h:
        here, T = e + v * t, h - t
        if sign == 0:
            if v != 0.0:
                room = p[r + 1] + isotropic * total - way * (k * (here - slip) - back)
                T = min(T, max(room, 0.0) / (k * abs(v)))
            mean += (T / h) * (k * (here + 0.5 * v * T - slip))
            slope += (T / h) * (k * ((t + 0.5 * T) / h - moved))
            t, sign, y = (h, 0, 0.0) if h - t == T else (t + T, way, 0.0)
            continue
        over = k * abs(v) * tau
        if sign != way and over > 0.0:
            T = min(T, tau * math.log1p(y / over))
        first, second, third = relaxed(T / tau) if tau > 0.0 else (1.0, 1.0, 0.5)
        pull, rate = k * T / stiff, sign * y / stiff
        change = sign * (k * (t / h) - (k + kinematic) * moved) - isotropic * more
        mean += (T / h) * (k * (here + 0.5 * v * T - slip - (pull * v * third + rate * second)))
        slope += (T / h) * (k * ((t + 0.5 * T) / h - moved - (pull / h * third + sign * change / stiff * second)))
        grown, step = pull / h * second + sign * change / stiff * first, pull * v * second + rate * first
        moved, more = moved + grown, more + sign * grown
        slip, back, total = slip + step, back + kinematic * step, total + sign * step
        t, sign = (h, sign) if h - t == T else (t + T, 0)
    dz[o], dz[o + 1], dz[o + 2] = slip, back, total
    return mean, slope, moved, sign


def apex(P: Array, r: int, tau: float) -> float:
    """η + τ Hi of a slider."""
    return 1.0 / P[r + 4] - tau * (P[r] + P[r + 2])


@dataclass(frozen=True)
class Slider(Law):
    """Slider beside a dashpot, in series with the elastic spring (Fig. 8 of the paper).

    The slip rate is ``⟨|F − X| − Fy − R⟩ / viscosity · sgn(F − X)``, eq. (57) with hardening, where
    ``X`` is the back force and ``R`` the growth of the yield force. Viscosity 0 is rate-independent
    plasticity. An infinite yield force is an elastic spring.

    Parameters
    ----------
    yield_force : force at first slip [force]; infinite by default.
    viscosity : coefficient η of the dashpot beside the slider [force·time/length].
    kinematic : stiffness of kinematic hardening, ``X = kinematic · slip`` [force/length].
    isotropic : stiffness of isotropic hardening, ``R = isotropic · accumulated slip`` [force/length].

    Examples
    --------
    >>> Slider(yield_force=0.27, viscosity=1.5).is_elastic
    False
    >>> Slider().is_elastic
    True
    """

    kind = "slider"
    example: ClassVar[dict[str, Any]] = {"stiffness": 15000.0, "reach": 0.12, "yield_force": 150.0, "kinematic": 500.0}
    variables = ("slip", "back_force", "accumulated_slip")
    straight = True
    group_at = staticmethod(at)

    yield_force: float = math.inf
    viscosity: float = 0.0
    kinematic: float = 0.0
    isotropic: float = 0.0

    def __post_init__(self) -> None:
        for name in ("yield_force", "viscosity", "kinematic", "isotropic"):
            value = number("Slider", name, getattr(self, name))
            if value < 0:
                hint = "; softening is not a convex law" if name in ("kinematic", "isotropic") else ""
                raise LawError(f"Slider: {name} must not be negative, got {value:g}{hint}")
            if math.isinf(value) and name != "yield_force":
                raise LawError(f"Slider: {name} must be finite; for an elastic spring leave yield_force out")
            if name != "yield_force" or value < 1:  # large for "never" is usual
                check_range("Slider", name, value, LawError)
            object.__setattr__(self, name, value)
        if self.yield_force == self.viscosity == self.kinematic == self.isotropic == 0:
            raise LawError(
                "Slider: yield_force, viscosity and hardening are all zero, so the spring "
                "resists nothing; give one of them, or leave the spring out"
            )

    def in_opensees(self, stiffness: float) -> tuple[str, list[float | str]]:
        return "Hardening", [stiffness, self.yield_force, self.isotropic, self.kinematic, self.viscosity]

    @property
    def is_elastic(self) -> bool:
        """True when the slider can never slip."""
        return math.isinf(self.yield_force)

    @classmethod
    def recorded(cls, group: Any) -> tuple[str, ...]:
        """Without hardening the variables beside slip say nothing."""
        return cls.variables[1:] if np.any(group.kinematic > 0) or np.any(group.isotropic > 0) else ()

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        rate = 1 / (group.viscosity + tau * (k + group.kinematic + group.isotropic))
        return np.stack([k, group.yield_force, group.kinematic, group.isotropic, rate, tau * k * rate], axis=1)

    @classmethod
    def softest(cls, group: Any, k: Array, tau: float, isotropic: bool = True) -> Array:
        if math.isinf(tau):
            return cls.slow_tangent(group, k, isotropic)
        held = group.viscosity + tau * (group.kinematic + (group.isotropic if isotropic else 0.0))
        return np.where(np.isinf(group.yield_force), k, k * held / (held + tau * k))

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        hard = group.kinematic + (group.isotropic if isotropic else 0.0)
        return np.where(np.isinf(group.yield_force), k, k * hard / (hard + k))

    @classmethod
    def static_share(cls, group: Any, k: Array) -> Array:
        """A slider with yield force zero counts with its hardening in series."""
        hardening = group.kinematic + group.isotropic
        return np.where(group.yield_force == 0, hardening / (k + hardening), 1.0)

    @classmethod
    def slow(cls, group: Any) -> Any:
        return Group(cls, group.first, 1, {**group.parameters, "viscosity": np.zeros(len(group.first))})

    @classmethod
    def yields(cls, group: Any) -> Array:
        return np.isfinite(group.yield_force) & (group.yield_force > 0)

    @classmethod
    def first_yield(cls, group: Any) -> Array:
        return np.where(cls.yields(group), group.yield_force, np.nan)

    @classmethod
    def stays(cls, group: Any) -> bool:
        return bool(np.all(np.isinf(group.yield_force)))

    @classmethod
    def slides(cls, group: Any) -> Array | None:
        return np.asarray(group.yield_force)

    @classmethod
    def damps(cls, group: Any) -> Array:
        """Where nothing but viscosity resists."""
        return (group.yield_force == 0) & (group.kinematic == 0) & (group.isotropic == 0)

    @classmethod
    def split(
        cls, group: Any, k: Array, h: float, deformation: Array, force: Array, states: Mapping[str, Array]
    ) -> Split:
        """Slip dissipates ``|Δs|(Fy + η|Δs|/h)``."""
        elastic = deformation - states["slip"]
        soft = np.divide(1.0, group.kinematic, out=np.zeros_like(group.kinematic), where=group.kinematic > 0)
        hardening = 0.5 * states["back_force"] ** 2 * soft + 0.5 * states["accumulated_slip"] ** 2 * group.isotropic
        size = np.abs(np.diff(states["slip"], axis=0))
        limit = np.where(np.isinf(group.yield_force), 0.0, group.yield_force)
        lost = size * (limit + group.viscosity * size / h)
        damps = cls.damps(group)
        return Split(0.5 * elastic * (k * elastic), hardening, np.where(damps, 0.0, lost), np.where(damps, lost, 0.0))


class FollowedSlider(Slider):
    """The slider along the straight path of a step, in closed form for any viscosity: what ``Galerkin(law="path")`` and
    :func:`hamex.respond` ask."""

    form = "path"
    effort = 3
    straight = False
    group_at = None  # type: ignore[assignment]
    spring_along = staticmethod(along)
    spring_end = staticmethod(ended)  # as a part of another law

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        return super(Slider, cls).prepared(group, k, tau)

    @classmethod
    def softest(cls, group: Any, k: Array, tau: float, isotropic: bool = True) -> Array:
        """Twice the slope of the mean force, where it slips from the start; viscosity then resists by its own share."""
        slow = cls.slow_tangent(group, k, isotropic=isotropic)
        if math.isinf(tau):
            return slow
        stiff = k + group.kinematic + group.isotropic
        relaxation = np.where(group.viscosity > 0, group.viscosity, 1.0) / stiff
        share = np.array([2.0 * relaxed(2.0 * tau / one)[2] for one in relaxation.tolist()])
        viscous = k * (1.0 - share * (k / stiff))
        return np.where((group.viscosity > 0) & np.isfinite(group.yield_force), np.maximum(viscous, slow), slow)

    @classmethod
    def split(
        cls, group: Any, k: Array, h: float, deformation: Array, force: Array, states: Mapping[str, Array]
    ) -> Split:
        """Slip may turn within a step: what is neither stored nor held by hardening is lost."""
        held = super().split(group, k, h, deformation, force, states)
        given = force * np.diff(deformation, axis=0) - np.diff(held.stored + held.hardening, axis=0)
        damps = cls.damps(group)
        return Split(held.stored, held.hardening, np.where(damps, 0.0, given), np.where(damps, given, 0.0))


Slider.followed = FollowedSlider
