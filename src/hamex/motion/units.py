"""Units of acceleration, the many spellings of record files, and what the name of a column says of its quantity."""

from __future__ import annotations

import re

from hamex.errors import UnitError
from hamex.model.units import METRE, STANDARD_GRAVITY

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
