"""Units of acceleration in the many spellings of record files."""

from __future__ import annotations

from hamex.errors import UnitError
from hamex.motion.units import acceleration_unit

_SPELLED = (("seconds", "s"), ("second", "s"), ("sec", "s"), ("**", ""), ("^", ""), (" ", ""), ("inch", "in"),
            ("gals", "gal"), ("s*s", "s2"), ("s/s", "s2"), ("g's", "g"), ("ps2", "/s2"))


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
