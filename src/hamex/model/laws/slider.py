"""Slider beside a dashpot, behind an elastic spring: the law of the paper, with hardening. Elastic springs are its
limit.

The local question is ``A F + τ g(F) ∋ e``. Letters as in ``docs/glossary.md``: X back force, w accumulated slip at the
start; κ = τ k · rate is the share of the excess force that slipping takes away.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
    forced: bool,
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
