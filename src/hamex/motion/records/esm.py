"""ESM and ITACA ASCII (header DYNA): lines ``KEY: VALUE``, 64 in version 1.2, then one acceleration per line.

Described with the Engineering Strong-Motion database, esm-db.eu.
"""

from __future__ import annotations

import re

from hamex.motion.records.found import Found
from hamex.motion.records.text import Text
from hamex.motion.records.unitwords import unit_in_words

_KEY = re.compile(r"([A-Z][A-Z0-9_/^\-.]*)\s*:(.*)")


def looks(text: Text) -> bool:
    """True for a file that starts as an ESM file does."""
    return text.content.startswith("EVENT_NAME:")


def read(text: Text) -> list[Found]:
    """The one record of the file."""
    header: dict[str, tuple[int, str]] = {}
    first = len(text.lines) + 1
    for line, words in enumerate(text.lines, start=1):
        match = _KEY.match(words)
        if match is None:
            first = line
            break
        header[match[1]] = line, match[2].strip()

    def told(key: str) -> tuple[int, str]:
        if key not in header:
            raise text.error(first - 1, f"the header ends here without {key}")
        return header[key]

    line, quantity = told("DATA_TYPE")
    if quantity.upper() != "ACCELERATION":
        raise text.error(line, f"DATA_TYPE is {quantity!r}; give a file of ACCELERATION")
    step_line, words = told("SAMPLING_INTERVAL_S")
    step = text.positive(step_line, words, "SAMPLING_INTERVAL_S")
    unit_line, words = told("UNITS")
    unit = unit_in_words(words) if words else None
    if words and unit is None:
        raise text.error(unit_line, f"UNITS is {words!r}, no unit of acceleration that hamex knows")
    count_line, words = told("NDATA")
    samples = text.numbers(first, text.count(count_line, words, "NDATA"), count_line)
    about = [header.get(key, (0, ""))[1] for key in ("NETWORK", "STATION_CODE", "EVENT_ID", "EVENT_NAME",
                                                     "DATE_TIME_FIRST_SAMPLE_YYYYMMDD_HHMMSS")]
    return [Found(samples, step, unit, told("STREAM")[1], " ".join(word for word in about if word),
                  unit_line=unit_line, step_line=step_line)]
