"""Units of a model: labels that travel with the numbers, never a hidden conversion."""

from __future__ import annotations

from dataclasses import dataclass

from hamex.checks import is_one_of
from hamex.errors import UnitError

# One metre in each unit of length: exact by definition (international inch, foot).
METRE = {"m": 1.0, "cm": 100.0, "mm": 1000.0, "in": 1 / 0.0254, "ft": 1 / 0.3048}
FORCES = ("N", "kN", "MN", "kip", "lbf", "tf", "kgf")
STANDARD_GRAVITY = 9.80665  # m/s², exact by definition (CGPM 1901)
UNSTATED_LENGTH, UNSTATED_FORCE = "length", "force"


@dataclass(frozen=True)
class Units:
    """Names of the model's length and force units; time is in seconds.

    Examples
    --------
    >>> Units("in", "kip").momentum
    'kip s'
    >>> round(Units("in", "kip").gravity, 4)
    386.0886
    """

    length: str = UNSTATED_LENGTH
    force: str = UNSTATED_FORCE

    def __post_init__(self) -> None:
        if not is_one_of(self.length, (*METRE, UNSTATED_LENGTH)):
            raise UnitError(f"unknown unit of length {self.length!r}; known: {', '.join(METRE)}")
        if not is_one_of(self.force, (*FORCES, UNSTATED_FORCE)):
            raise UnitError(f"unknown unit of force {self.force!r}; known: {', '.join(FORCES)}")

    @property
    def momentum(self) -> str:
        """Unit of momentum and impulse."""
        return f"{self.force} s"

    @property
    def energy(self) -> str:
        """Unit of energy and work."""
        return f"{self.force} {self.length}"

    @property
    def gravity(self) -> float:
        """Standard gravity in this unit of length per second squared."""
        if self.length == UNSTATED_LENGTH:
            raise UnitError(
                "the model does not state its unit of length, so gravity is unknown; "
                "give g in the model's units, or units=Units(length=…, force=…)"
            )
        return STANDARD_GRAVITY * METRE[self.length]
