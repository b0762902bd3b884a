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
Indices = NDArray[np.intp]


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


@dataclass(frozen=True)
class PowerLaw:
    """Dashpot with ``F = coefficient · |v|^exponent · sgn v``, in series with the elastic spring that carries it.

    Its slip is the travel of the piston. Exponents of 0.3 to 0.5 are usual in buildings; 1 is a Maxwell damper.

    Parameters
    ----------
    coefficient : c > 0 [force·(time/length)^exponent].
    exponent : α > 0 [1].

    Examples
    --------
    >>> PowerLaw(coefficient=100.0, exponent=0.3).exponent
    0.3
    """

    coefficient: float
    exponent: float

    def __post_init__(self) -> None:
        for name in ("coefficient", "exponent"):
            value = _number(name, getattr(self, name), "PowerLaw")
            if not 0 < value < math.inf:
                raise LawError(f"PowerLaw: {name} must be positive and finite, got {value:g}")
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Surface:
    """Slider of several force components that yield together, on an ellipsoid, by associated flow.

    With ``n = √Σ((Fᵢ − Xᵢ − centerᵢ)/yield_forcesᵢ)²`` and r the reference force (the smallest of ``yield_forces``),
    the slip rate is normal to the surface, and its size ``λ`` (that of the component r, if alone) obeys
    ``viscosity · λ = ⟨r(n − 1) − isotropic · accumulated slip⟩``. One component is :class:`Slider`; two equal ones
    are the circle of an isolator in plan; axial force and moment make the interaction curve of a hinge.

    Parameters
    ----------
    yield_forces : half axes of the ellipsoid, one per component [force]; infinite: the component never yields.
    center : centre of the ellipsoid, one per component [force]; zero by default.
    viscosity : η ≥ 0 [force·time/length], 0 is rate independent.
    kinematic : stiffness of kinematic hardening of every component, ``X = kinematic · slip`` [force/length].
        A number, or one per component.
    isotropic : stiffness of isotropic hardening [force/length].

    Examples
    --------
    >>> Surface(yield_forces=(100.0, 100.0)).reference
    100.0
    """

    yield_forces: tuple[float, ...]
    center: tuple[float, ...] = ()
    viscosity: float = 0.0
    kinematic: float | tuple[float, ...] = 0.0
    isotropic: float = 0.0

    def __post_init__(self) -> None:
        radii = self._numbers("yield_forces", self.yield_forces)
        size = len(radii)
        if size == 0 or any(not value > 0 for value in radii):
            raise LawError(f"Surface: yield_forces must be positive, at least one; got {self.yield_forces!r}")
        if all(math.isinf(value) for value in radii):
            raise LawError("Surface: every yield force is infinite, so nothing yields; use elastic springs")
        center = self._numbers("center", self.center or (0.0,) * size)
        hardening = self.kinematic if isinstance(self.kinematic, Sequence) else (self.kinematic,) * size
        kinematic = self._numbers("kinematic", hardening)
        if len(center) != size or len(kinematic) != size:
            raise LawError(f"Surface: center and kinematic need {size} entries, one per component")
        if any(math.isinf(value) for value in center):
            raise LawError("Surface: center must be finite")
        if sum((c / r) ** 2 for c, r in zip(center, radii, strict=True)) >= 1:
            raise LawError(f"Surface: the center {center} lies so far off that the surface leaves zero force outside: "
                           "a spring at rest would yield, and gain energy")
        for name, values in (("viscosity", (self.viscosity,)), ("kinematic", kinematic),
                             ("isotropic", (self.isotropic,))):
            for value in self._numbers(name, values):
                if not 0 <= value < math.inf:
                    hint = "; softening is not a convex law" if name != "viscosity" else ""
                    raise LawError(f"Surface: {name} must be finite and not negative, got {value:g}{hint}")
        for name, checked in (("yield_forces", radii), ("center", center), ("kinematic", kinematic),
                              ("viscosity", float(self.viscosity)), ("isotropic", float(self.isotropic))):
            object.__setattr__(self, name, checked)

    @staticmethod
    def _numbers(name: str, values: Sequence[float]) -> tuple[float, ...]:
        return tuple(_number(name, value, "Surface") for value in values)

    @property
    def reference(self) -> float:
        """Reference force r: the smallest half axis [force]."""
        return min(self.yield_forces)


Law = Slider | PowerLaw | Surface


def _number(name: str, value: float, who: str = "Slider") -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise LawError(f"{who}: {name} must be a number, got {value!r}") from None
    if math.isnan(number):
        raise LawError(f"{who}: {name} is not a number (NaN)")
    return number


@dataclass(frozen=True, eq=False)
class Sliders:
    """All springs of kind slider in a model: one array per parameter, indexed alike."""

    springs: Indices
    yield_force: Vector
    viscosity: Vector
    kinematic: Vector
    isotropic: Vector

    @classmethod
    def of(cls, laws: Sequence[Slider], springs: Sequence[int] | None = None) -> Sliders:
        """Group one law per spring; ``springs`` are their numbers, 0, 1, … by default."""
        places = np.arange(len(laws)) if springs is None else np.array(springs, dtype=np.intp)
        return cls(places, *(_column(laws, name) for name in ("yield_force", "viscosity", "kinematic", "isotropic")))


@dataclass(frozen=True, eq=False)
class Powers:
    """All springs of kind power in a model: one array per parameter, indexed alike."""

    springs: Indices
    coefficient: Vector
    exponent: Vector

    @classmethod
    def of(cls, laws: Sequence[PowerLaw], springs: Sequence[int]) -> Powers:
        """Group one law per spring; ``springs`` are their numbers."""
        return cls(np.array(springs, dtype=np.intp), _column(laws, "coefficient"), _column(laws, "exponent"))


@dataclass(frozen=True, eq=False)
class Surfaces:
    """All blocks of springs that yield on surfaces.

    Block i holds the springs ``first[i] … first[i] + size[i] − 1`` and the surfaces ``begin[i] … begin[i + 1] − 1``;
    their parameters are rows with one column per component of the block (zeros beyond its size).

    Attributes
    ----------
    first, size, begin : of the blocks; ``begin`` has one entry more.
    weight : 1/yield_force², 0 where a component takes no part.
    center : centre of each surface [force].
    reference, viscosity, isotropic : one per surface.
    primary : spring that carries the accumulated slip of the surface.
    kinematic : (block, component), hardening of the component.
    """

    first: Indices
    size: Indices
    begin: Indices
    weight: Vector
    center: Vector
    reference: Vector
    viscosity: Vector
    isotropic: Vector
    primary: Indices
    kinematic: Vector


def _column(laws: Sequence[Law], name: str) -> Vector:
    return np.array([getattr(law, name) for law in laws], dtype=float)
