"""Units of a model: labels that travel with the numbers, never a hidden conversion."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass

from hamex.checks import is_one_of, is_positive
from hamex.errors import ImplausibleWarning, LoadError, UnitError
from hamex.model.inputs import near

# One metre in each unit of length: exact by definition (international inch, foot).
METRE = {"m": 1.0, "cm": 100.0, "mm": 1000.0, "in": 1 / 0.0254, "ft": 1 / 0.3048}
STANDARD_GRAVITY = 9.80665  # m/s², exact by definition (CGPM 1901)
_POUND = 0.45359237 * STANDARD_GRAVITY  # lbf in N, exact by definition
NEWTONS = {
    "N": 1.0,
    "kN": 1e3,
    "MN": 1e6,
    "kip": 1e3 * _POUND,
    "lbf": _POUND,
    "tf": 1e3 * STANDARD_GRAVITY,
    "kgf": STANDARD_GRAVITY,
}
FORCES = tuple(NEWTONS)
UNSTATED_LENGTH, UNSTATED_FORCE = "length", "force"
# Masses are force·time²/length; some have a name.
_MASSES = {("m", "N"): "kg", ("m", "kN"): "t (kN s²/m)", ("mm", "N"): "t (N s²/mm)", ("ft", "lbf"): "slug (lbf s²/ft)"}
_SLOW = 2.0, 1.0  # s, and s per storey: isolated buildings stay below, kg taken for t is 30 times a building's period
_OTHER_PLANET = 0.01  # gravity differs by 0.5 % between the poles and the equator

_SPELT = {"m": "meters metres", "in": "inches", "ft": "foot feet", "kip": "kips", "tf": "tonf", "N": "newtons"}


def unknown(what: str, given: object, names: Iterable[str]) -> str:
    """Words for a unit that is not known, with the one that was probably meant.

    >>> unknown("force", "KN", NEWTONS)
    "unknown unit of force 'KN'; known: N, kN, MN, kip, lbf, tf, kgf; did you mean kN?"
    """
    known = tuple(names)
    spelt = {word: name for name in known for word in (name, *_SPELT.get(name, "").split())}
    meant = near(given, spelt)
    said = f"unknown unit of {what} {given!r}; known: {', '.join(known)}"
    return f"{said}; did you mean {spelt[meant[0]]}?" if meant else said


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
            raise UnitError(unknown("length", self.length, METRE))
        if not is_one_of(self.force, (*FORCES, UNSTATED_FORCE)):
            raise UnitError(unknown("force", self.force, NEWTONS))

    @property
    def momentum(self) -> str:
        """Unit of momentum and impulse."""
        return f"{self.force} s"

    @property
    def energy(self) -> str:
        """Unit of energy and work."""
        return f"{self.force} {self.length}"

    @property
    def mass(self) -> str:
        """What masses are in, by its own name where it has one."""
        return _MASSES.get((self.length, self.force), f"{self.force} s²/{self.length}")

    @property
    def gravity(self) -> float:
        """Standard gravity in this unit of length per second squared."""
        if self.length == UNSTATED_LENGTH:
            raise UnitError(
                "the model does not state its unit of length, so gravity is unknown; "
                "give g in the model's units, or units=Units(length=…, force=…)"
            )
        return STANDARD_GRAVITY * METRE[self.length]

    def one_gravity(self, given: float | None, who: str) -> float:
        """One gravity in these units: the standard one where none is given. A given one that is another planet's is
        warned of; 1, which takes a record in g as bare numbers as the paper does, is not.

        >>> Units("m", "kN").one_gravity(None, "doctest"), Units().one_gravity(386.4, "doctest")
        (9.80665, 386.4)
        """
        if given is None:
            return self.gravity
        if not is_positive(given):
            raise LoadError(f"{who}: g must be positive, one gravity in the model's units; got {given!r}")
        if self.length != UNSTATED_LENGTH and given != 1.0 and abs(given / self.gravity - 1) > _OTHER_PLANET:
            warnings.warn(
                f"{who}: g is {given:g}, but one gravity is {self.gravity:g} {self.length}/s² in the model's units; "
                "leave g out, or state the units that the masses and stiffnesses are in",
                ImplausibleWarning,
                stacklevel=3,
            )
        return float(given)

    @property
    def are_stated(self) -> bool:
        """Whether both units are named, so that sizes can be judged."""
        return self.length != UNSTATED_LENGTH and self.force != UNSTATED_FORCE

    def gigapascals(self, stress: float) -> float:
        """A stress or a modulus in GPa.

        >>> round(Units("in", "kip").gigapascals(29000.0), 1)
        199.9
        """
        return stress * NEWTONS[self.force] * METRE[self.length] ** 2 * 1e-9

    def warn_if_slow(self, who: str, period: float, storeys: int, beside: str, stacklevel: int = 4) -> None:
        """Warn of a first period, or a bound from below, that no building of so many storeys has. ``beside``: what may
        be in wrong units instead of the masses, such as "the stiffnesses in kN/m"."""
        if self.are_stated and period > _SLOW[0] + _SLOW[1] * storeys:
            warnings.warn(
                f"{who}: the first period is above {period:.3g} s, more than {storeys} "
                f"{'storeys have' if storeys > 1 else 'storey has'}; in {self.length} and {self.force} masses are in "
                f"{self.mass}: are they, and {beside}?",
                ImplausibleWarning,
                stacklevel=stacklevel,
            )
