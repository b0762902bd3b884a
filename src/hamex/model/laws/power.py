"""Fluid dampers: a dashpot whose force is a power of its velocity, behind an elastic spring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hamex.model.laws.law import Array, Group, Law, Split, checked
from hamex.model.laws.slider import Slider

_NEWTON = 100  # far more than the quadratic iterations below ever need


def at(p: Array, r: int, e: float, tau: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Force, tangent and travel of the piston within τ."""
    elastic, a = e - z[o], 1.0 / p[r]
    size = power_force(abs(elastic), a, tau, p[r + 1], p[r + 2])
    force = size if elastic > 0.0 else -size
    dz[o] = elastic - force / p[r]
    return force, power_tangent(size, a, tau, p[r + 1], p[r + 2]), 0


def power_force(e: float, a: float, tau: float, c: float, alpha: float) -> float:
    """F ≥ 0 with a F + τ (F/c)^(1/α) = e, by Newton from above on a convex increasing function."""
    if e <= 0.0:
        return 0.0
    if alpha <= 1.0:
        power = 1.0 / alpha
        F = min(e / a, c * (e / tau) ** alpha)
        for _ in range(_NEWTON):
            flow = tau * (F / c) ** power
            step = (a * F + flow - e) / (a + power * flow / F)
            if step <= 1e-16 * F:
                break
            F -= step
        return F
    z = min(e / tau, (e / (a * c)) ** (1.0 / alpha))  # slip rate; here the force is its convex function
    for _ in range(_NEWTON):
        stretch = a * c * z**alpha
        step = (stretch + tau * z - e) / (tau + alpha * stretch / z)
        if step <= 1e-16 * z:
            break
        z -= step
    return c * z**alpha


def power_tangent(F: float, a: float, tau: float, c: float, alpha: float) -> float:
    """dF/de of :func:`power_force`."""
    if F <= 0.0:
        return 1.0 / a if alpha < 1.0 else (0.0 if alpha > 1.0 else 1.0 / (a + tau / c))
    return 1.0 / (a + tau / (alpha * c) * (F / c) ** (1.0 / alpha - 1.0))


@dataclass(frozen=True)
class PowerLaw(Law):
    """Dashpot with ``F = coefficient · |v|^exponent · sgn v``, in series with the elastic spring that carries it.

    Its slip is the travel of the piston. Exponents of 0.3 to 0.5 are usual in buildings; 1 is a Maxwell damper.

    Parameters
    ----------
    coefficient : of the dashpot, c > 0 [force·(time/length)^exponent].
    exponent : of the velocity, α > 0 [1].

    Examples
    --------
    >>> PowerLaw(coefficient=100.0, exponent=0.3).exponent
    0.3
    """

    kind = "power"
    spring_at = staticmethod(at)

    coefficient: float
    exponent: float

    def __post_init__(self) -> None:
        for name in ("coefficient", "exponent"):
            checked(self, name, positive=True)

    @classmethod
    def static_share(cls, group: Any, k: Array) -> Array:
        """A damper carries no force at rest, so its brace does not count."""
        return np.zeros(len(group.first))

    @classmethod
    def slow(cls, group: Any) -> Any:
        """A slider that yields to any force."""
        none = np.zeros(len(group.first))
        return Group(Slider, group.first, 1, dict.fromkeys(Slider.names(), none))

    @classmethod
    def damps(cls, group: Any) -> Array:
        return np.ones(len(group.first), dtype=bool)

    @classmethod
    def split(
        cls, group: Any, k: Array, h: float, deformation: Array, force: Array, states: Mapping[str, Array]
    ) -> Split:
        elastic = deformation - states["slip"]
        size = np.abs(np.diff(states["slip"], axis=0))
        lost = size * (group.coefficient * (size / h) ** group.exponent)
        return Split(0.5 * elastic * (k * elastic), np.zeros_like(elastic), np.zeros_like(lost), lost)
