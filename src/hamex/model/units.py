"""Units: labels that travel with the numbers of a model, never a hidden conversion; and units of acceleration, in the
many spellings of record files."""

from __future__ import annotations

import re
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


# Accelerations ------------------------------------------------------------------------------------------------
# One of each unit in gravities. The unit "g" itself stays out of any conversion.
_IN_GRAVITY = {f"{name}/s2": 1 / (per_metre * STANDARD_GRAVITY) for name, per_metre in METRE.items()}
_IN_GRAVITY["gal"] = _IN_GRAVITY["cm/s2"]
ACCELERATION_UNITS = ("g", *_IN_GRAVITY)
_SPELLED = (
    ("seconds", "s"),
    ("second", "s"),
    ("sec", "s"),
    ("**", ""),
    ("^", ""),
    (" ", ""),
    ("inch", "in"),
    ("cms/", "cm/"),
    ("gals", "gal"),
    ("s*s", "s2"),
    ("s/s", "s2"),
    ("g's", "g"),
    ("ps2", "/s2"),
)

_WORDS = re.compile(r"[a-zäöüéíóñç]+")
_IN_BRACKETS = re.compile(r"[\[(]\s*([^\])]*?)\s*[\])]")
_ACCELERATION = re.compile(r"a(?:cc\w*?)?(?:\s*[_,:]\s*|\s+(?:in\s+)?)(\S+)", re.IGNORECASE)
_SUFFIX = re.compile(r"\w+?_(\S*/\S*|gal)", re.IGNORECASE)
_OTHER_NAME = re.compile(
    "(?:vel|displ?|cav|arias|husid|pgv|pgd|psa|psv|sa|sv|sd|jerk|freq|periods?|phase|intensity|counts?)$"
    "|veloc|displac|frequen|spectr|fourier|geschwindigkeit|verschiebung|desplaz|spostament|vitesse|deplac"
)
_OTHER_UNIT = re.compile(r"(?:[nuµmck]?m|in|ft)(?:/s|ps)?|%g|mg|g/10|counts?", re.IGNORECASE)


def acceleration_unit(name: str) -> str:
    """The unit's one spelling; ``m/s²``, ``m/s^2`` and ``m/s/s`` are ``m/s2``.

    >>> acceleration_unit("cm/s²")
    'cm/s2'
    """
    spelled = str(name).strip().lower().replace("²", "2").replace("^2", "2").replace("/s/s", "/s2")
    if spelled not in ACCELERATION_UNITS:
        raise UnitError(f"unknown unit of acceleration {name!r}; known: {', '.join(ACCELERATION_UNITS)}")
    return spelled


def in_gravities(unit: str) -> float:
    """One of ``unit`` in multiples of standard gravity, through 9.80665 m/s²."""
    return 1.0 if unit == "g" else _IN_GRAVITY[unit]


def unit_in_words(words: str) -> str | None:
    """The unit that a file spells, or None where it is none that hamex knows.

    >>> unit_in_words("cm/sec/sec"), unit_in_words("G."), unit_in_words("inchps2"), unit_in_words("counts")
    ('cm/s2', 'g', 'in/s2', None)
    """
    spelled = words.strip().lower().rstrip(".,;:")
    for old, new in _SPELLED:
        spelled = spelled.replace(old, new)
    try:
        return acceleration_unit(spelled)
    except UnitError:
        return None


def is_other_quantity(name: str) -> bool:
    """Whether a name says that its column is no acceleration.

    >>> [is_other_quantity(name) for name in ("Velocity", "NS [cm/s]", "Arias intensity", "vel_x", "Sa (g)", "acc [g]")]
    [True, True, True, True, True, False]
    """
    plain = _IN_BRACKETS.sub(" ", name).lower()
    if any(map(_OTHER_NAME.match, _WORDS.findall(plain))):
        return True
    return any(_OTHER_UNIT.fullmatch(_plain_unit(words)) for words in _units_in(name))


def acceleration_in(name: str) -> str | None:
    """The unit of acceleration that a name tells; None where it tells none.

    >>> [acceleration_in(name) for name in ("acc [cm/s2]", "acceleration_g", "NS_cm/s2", "Acceleration, gal", "x_g")]
    ['cm/s2', 'g', 'cm/s2', 'gal', None]
    """
    return next(filter(None, map(unit_in_words, _units_in(name))), None)


def _units_in(name: str) -> list[str]:
    """What may be a unit: between brackets, behind "acc…", or behind an underscore if it is a quotient."""
    found = _IN_BRACKETS.findall(name)
    plain = _IN_BRACKETS.sub(" ", name).strip()
    return found + [match[1] for match in (_ACCELERATION.fullmatch(plain), _SUFFIX.fullmatch(plain)) if match]


def _plain_unit(words: str) -> str:
    spelled = words.strip().lower()
    for old, new in (("seconds", "s"), ("second", "s"), ("sec", "s"), ("inches", "in"), ("inch", "in"), (" ", "")):
        spelled = spelled.replace(old, new)
    return spelled
