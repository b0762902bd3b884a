"""Laws of springs: convex dissipation potentials with their internal variables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import LawError

Vector = NDArray[Any]


@dataclass(frozen=True)
class Slider:
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

    yield_force: float = math.inf
    viscosity: float = 0.0
    kinematic: float = 0.0
    isotropic: float = 0.0

    def __post_init__(self) -> None:
        for name in ("yield_force", "viscosity", "kinematic", "isotropic"):
            value = _number(name, getattr(self, name))
            if value < 0:
                hint = "; softening is not a convex law" if name in ("kinematic", "isotropic") else ""
                raise LawError(f"Slider: {name} must not be negative, got {value:g}{hint}")
            if math.isinf(value) and name != "yield_force":
                raise LawError(f"Slider: {name} must be finite; for an elastic spring leave yield_force out")
            object.__setattr__(self, name, value)
        if self.yield_force == self.viscosity == self.kinematic == self.isotropic == 0:
            raise LawError("Slider: yield_force, viscosity and hardening are all zero, so the spring "
                           "resists nothing; give one of them, or leave the spring out")

    @property
    def is_elastic(self) -> bool:
        """True when the slider can never slip."""
        return math.isinf(self.yield_force)


def _number(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise LawError(f"Slider: {name} must be a number, got {value!r}") from None
    if math.isnan(number):
        raise LawError(f"Slider: {name} is not a number (NaN)")
    return number


@dataclass(frozen=True, eq=False)
class Sliders:
    """All springs of kind slider in a model: one array per parameter, indexed alike."""

    springs: NDArray[np.intp]
    yield_force: Vector
    viscosity: Vector
    kinematic: Vector
    isotropic: Vector

    @classmethod
    def of(cls, laws: Sequence[Slider]) -> Sliders:
        """Group one law per spring, in the order of the springs."""
        def column(name: str) -> Vector:
            return np.array([getattr(law, name) for law in laws], dtype=float)

        return cls(np.arange(len(laws)), column("yield_force"), column("viscosity"),
                   column("kinematic"), column("isotropic"))
