"""Intensity of a record as one number: what levels, curves and fragilities are drawn over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hamex.checks import is_positive
from hamex.errors import InputError
from hamex.motion.ground import GroundMotion
from hamex.motion.units import in_gravities


class Intensity(Protocol):
    """A number of a record that grows in proportion to its scale."""

    @property
    def name(self) -> str:
        """What stands at an axis."""

    @property
    def unit(self) -> str:
        """Its unit."""

    def __call__(self, motion: GroundMotion) -> float:
        """Its value for a record."""


@dataclass(frozen=True)
class Sa:
    """Spectral acceleration, PSa(T) of one component as it was recorded.

    Examples
    --------
    >>> from hamex import el_centro
    >>> round(Sa(0.5)(el_centro()), 3)
    0.919
    """

    period: float
    damping: float = 0.05

    def __post_init__(self) -> None:
        if not is_positive(self.period):
            raise InputError(f"Sa: the period must be positive, got {self.period!r}")

    @property
    def name(self) -> str:
        """What stands at an axis."""
        return f"Sa({self.period:g} s, {100 * self.damping:g} %)"

    @property
    def unit(self) -> str:
        """Gravities."""
        return "g"

    def __call__(self, motion: GroundMotion) -> float:
        """PSa in gravities, peaks inside the steps included."""
        from hamex.study.spectrum import spectrum

        found = spectrum(motion, [self.period], damping=self.damping, g=1.0)
        return float(found.values("pseudo_acceleration").ravel()[0])


@dataclass(frozen=True)
class Pga:
    """Peak ground acceleration.

    Examples
    --------
    >>> from hamex import el_centro
    >>> round(Pga()(el_centro()), 3)
    0.319
    """

    @property
    def name(self) -> str:
        """What stands at an axis."""
        return "PGA"

    @property
    def unit(self) -> str:
        """Gravities."""
        return "g"

    def __call__(self, motion: GroundMotion) -> float:
        """PGA in gravities."""
        return motion.peak * in_gravities(motion.unit)
