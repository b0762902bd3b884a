"""SMC files of the U.S. Geological Survey: one record a file, in fields of fixed width."""

from __future__ import annotations

import re

from hamex.motion.records.text import Fields, FileRecord, HeaderPeak, Text, numbers_in_fields

_FIRST = re.compile(r"\s?(\d)\s+(?:(?:UN)?CORRECTED|UNKNOWN|ACCEL|VELOC|DISPL|RESPONSE)", re.IGNORECASE)
_WHOLE = re.compile(r"(?:\s*-?\d+){8}\s*")
_COMPONENT = re.compile(r"component\s*=\s*(\S+)", re.IGNORECASE)
_STATION = re.compile(r"station\s*=\s*(.*?)\s*(?:component\b|$)", re.IGNORECASE)
_QUANTITIES = {3: "velocity", 4: "displacement", 5: "response spectra", 6: "Fourier spectra"}
_UNKNOWN_QUANTITY = 0
_INTEGERS, _REALS, _COMMENTS = 12, 18, 28  # first lines
_NONE, _NONE_INTEGER = 1.7e38, -32768
_LINE = 80  # characters


def is_smc(text: Text) -> bool:
    """True for a file that starts as an SMC file does: a number for the quantity, and integers in line 12."""
    lines = text.lines
    return len(lines) > _REALS and bool(_FIRST.match(lines[0]) and _WHOLE.fullmatch(lines[_INTEGERS - 1]))


def read_smc(text: Text) -> list[FileRecord]:
    """SMC: 11 lines of text, 48 integers, 50 reals, comments, then accelerations in cm/s².

    Integer 16 is the number of comments, 17 that of values, 47 their digits after the point (4 if unknown); real 2 is
    the sampling rate, reals 30 and 32 are the largest and the smallest value. A file without a rate holds pairs of time
    and acceleration, as they were read off a film. Described in USGS Open-File Report 92-296 and in Boore's "SMC-format
    data files".
    """
    integers = [int(n) for n in numbers_in_fields(text, _INTEGERS, 48, Fields(8, 10), "integers of the header")]
    reals = numbers_in_fields(text, _REALS, 50, Fields(5, 15), "reals of the header")
    match = _FIRST.match(text.line(1, "the kind of data"))
    kind = int(match[1]) if match else _UNKNOWN_QUANTITY
    if kind in _QUANTITIES:
        raise text.error(1, f"this is an SMC file of {_QUANTITIES[kind]}; give one of accelerations")
    rate = float(reals[1])
    if not 0 < rate < _NONE:
        raise text.error(
            _REALS,
            "this SMC file has no sampling rate (real 2): its accelerations are at unequal times, as read off a film; "
            "take the corrected file of the record, or resample it to one step",
        )
    comments, count = (max(integers[place], 0) for place in (15, 16))
    text.count(_INTEGERS + 2, str(count), "the number of values (integer 17)")
    digits = 4 if integers[46] == _NONE_INTEGER else integers[46]
    width = digits + 6
    if not 0 < width <= _LINE:
        raise text.error(_INTEGERS + 5, f"values have 1 to 70 digits (integer 47), got {digits}")
    first = _COMMENTS + comments
    samples = numbers_in_fields(text, first, count, Fields(_LINE // width, width), "samples")
    words = " ".join(text.lines[:11])
    component, station = _COMPONENT.search(words), _STATION.search(" ".join(text.lines[5].split()))
    event = " ".join(text.lines[3].strip("* ").split())
    largest = [abs(float(reals[place])) for place in (29, 31) if abs(reals[place]) < _NONE]
    return [
        FileRecord(
            samples,
            1 / rate,
            None if kind == _UNKNOWN_QUANTITY else "cm/s2",
            component[1] if component else "",
            ", ".join(filter(None, (station[1] if station else "", event))),
            unit_line=1,
            step_line=_REALS,
            peak=HeaderPeak(max(largest), 0.0, _REALS + 5, "reals 30 and 32") if len(largest) == 2 else None,
        )
    ]
