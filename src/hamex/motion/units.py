"""Units of acceleration, and the many spellings of record files."""

from __future__ import annotations

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
    ("gals", "gal"),
    ("s*s", "s2"),
    ("s/s", "s2"),
    ("g's", "g"),
    ("ps2", "/s2"),
)


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
