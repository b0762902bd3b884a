"""Records in fields of fixed width: SMC files of the U.S. Geological Survey, V1A and V2A files of GeoNet."""

from __future__ import annotations

import re

from hamex.motion.records.text import Fields, FileRecord, HeaderPeak, Text, header_peak, numbers_in_fields
from hamex.motion.units import unit_in_words

_SMC_FIRST = re.compile(r"\s?(\d)\s+(?:(?:UN)?CORRECTED|UNKNOWN|ACCEL|VELOC|DISPL|RESPONSE)", re.IGNORECASE)
_WHOLE = re.compile(r"(?:\s*-?\d+){8}\s*")
_SMC_COMPONENT = re.compile(r"component\s*=\s*(\S+)", re.IGNORECASE)
_STATION = re.compile(r"station\s*=\s*(.*?)\s*(?:component\b|$)", re.IGNORECASE)
_QUANTITIES = {3: "velocity", 4: "displacement", 5: "response spectra", 6: "Fourier spectra"}
_UNKNOWN_QUANTITY = 0
_INTEGERS, _REALS, _COMMENTS = 12, 18, 28  # first lines
_NONE, _NONE_INTEGER = 1.7e38, -32768
_LINE = 80  # characters
_GEONET_FIRST = re.compile(r"\s*(?:un)?corrected accelerogram\b", re.IGNORECASE)
_POINTS = re.compile(r"\s*Number of points\s+\d+", re.IGNORECASE)
_SCALE = re.compile(r"in units of\s+(\S+)\s+(\S+)", re.IGNORECASE)
_PEAK = re.compile(r"Acceleration:?\s+peak\s+(\S+)\s+(\S+)", re.IGNORECASE)
_GEONET_COMPONENT = re.compile(r"Component\s+(\S+)", re.IGNORECASE)
_TEXT, _HEADER = 16, 26  # lines of text, and of text, integers and reals
_TEN = Fields(10, 8)


def is_smc(text: Text) -> bool:
    """True for a file that starts as an SMC file does: a number for the quantity, and integers in line 12."""
    lines = text.lines
    return len(lines) > _REALS and bool(_SMC_FIRST.match(lines[0]) and _WHOLE.fullmatch(lines[_INTEGERS - 1]))


def read_smc(text: Text) -> list[FileRecord]:
    """SMC: 11 lines of text, 48 integers, 50 reals, comments, then accelerations in cm/s².

    Integer 16 is the number of comments, 17 that of values, 47 their digits after the point (4 if unknown); real 2 is
    the sampling rate, reals 30 and 32 are the largest and the smallest value. A file without a rate holds pairs of time
    and acceleration, as they were read off a film. Described in USGS Open-File Report 92-296 and in Boore's "SMC-format
    data files".
    """
    integers = [int(n) for n in numbers_in_fields(text, _INTEGERS, 48, Fields(8, 10), "integers of the header")]
    reals = numbers_in_fields(text, _REALS, 50, Fields(5, 15), "reals of the header")
    match = _SMC_FIRST.match(text.line(1, "the kind of data"))
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
    component, station = _SMC_COMPONENT.search(words), _STATION.search(" ".join(text.lines[5].split()))
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


def is_geonet(text: Text) -> bool:
    """True for a file that starts as one of GeoNet does."""
    lines = text.lines
    return len(lines) > _HEADER and bool(_GEONET_FIRST.match(lines[0]) and _POINTS.match(lines[9]))


def read_geonet(text: Text) -> list[FileRecord]:
    """GeoNet V1A (uncorrected) and V2A (corrected): component after component, ten values of eight characters a line.

    A header is 16 lines of text, 4 of integers and 6 of reals; the fourth line of integers tells how many values of
    acceleration, velocity and displacement follow, the third line of reals the step, line 14 unit and peak. Velocities
    and displacements are passed over. Described at geonet.org.nz, "strong motion data: file formats".
    """
    found: list[FileRecord] = []
    line, end = 1, len(text.lines)
    while line <= end:
        record, line = _component(text, line)
        found.append(record)
        while line <= end and not text.lines[line - 1].strip():
            line += 1
    return found


def _component(text: Text, first: int) -> tuple[FileRecord, int]:
    """One component, and the line after it."""
    words = [text.line(first + i, "the header of a component") for i in range(_HEADER)]
    if not (_GEONET_FIRST.match(words[0]) and _POINTS.match(words[9])):
        raise text.error(first, "expected a component to start here, with '(Un)corrected accelerogram'")
    integers = numbers_in_fields(text, first + _TEXT, 40, _TEN, "integers of the header")
    reals = numbers_in_fields(text, first + _TEXT + 4, 60, _TEN, "reals of the header")
    count, *others = (int(n) for n in integers[33:36])
    text.count(first + _TEXT + 3, str(count), "the number of accelerations")
    step_line = first + _TEXT + 6
    step = text.positive(step_line, str(reals[25]), "the step (sixth real of this line)")
    peak, component = _PEAK.match(words[13]), _GEONET_COMPONENT.match(words[12])
    unit = unit_in_words(peak[2]) if peak else None
    scale = _SCALE.search(words[10])  # a factor on the readings, always 1.00 in files of today
    factor = text.positive(first + 10, scale[1], "the unit of the readings") if scale else 1.0
    samples = numbers_in_fields(text, first + _HEADER, count, _TEN, "samples")
    site = " ".join(words[1].partition("  ")[0].split())
    return FileRecord(
        samples * factor,
        step,
        unit,
        component[1] if component else "",
        f"{site}, {words[2].strip()}, {' '.join(words[7].split())}",
        unit_line=first + 13,
        step_line=step_line,
        peak=header_peak(peak[1], first + 13, "Acceleration: peak") if peak else None,
    ), first + _HEADER + sum(_TEN.lines(max(n, 0)) for n in (count, *others))
