"""V1A and V2A files of GeoNet, New Zealand: three components, each a header and its histories."""

from __future__ import annotations

import re

from hamex.motion.records.text import Fields, FileRecord, Text, header_peak, numbers_in_fields
from hamex.motion.units import unit_in_words

_FIRST = re.compile(r"\s*(?:un)?corrected accelerogram\b", re.IGNORECASE)
_POINTS = re.compile(r"\s*Number of points\s+\d+", re.IGNORECASE)
_SCALE = re.compile(r"in units of\s+(\S+)\s+(\S+)", re.IGNORECASE)
_PEAK = re.compile(r"Acceleration:?\s+peak\s+(\S+)\s+(\S+)", re.IGNORECASE)
_COMPONENT = re.compile(r"Component\s+(\S+)", re.IGNORECASE)
_TEXT, _HEADER = 16, 26  # lines of text, and of text, integers and reals
_TEN = Fields(10, 8)


def is_geonet(text: Text) -> bool:
    """True for a file that starts as one of GeoNet does."""
    lines = text.lines
    return len(lines) > _HEADER and bool(_FIRST.match(lines[0]) and _POINTS.match(lines[9]))


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
    if not (_FIRST.match(words[0]) and _POINTS.match(words[9])):
        raise text.error(first, "expected a component to start here, with '(Un)corrected accelerogram'")
    integers = numbers_in_fields(text, first + _TEXT, 40, _TEN, "integers of the header")
    reals = numbers_in_fields(text, first + _TEXT + 4, 60, _TEN, "reals of the header")
    count, *others = (int(n) for n in integers[33:36])
    text.count(first + _TEXT + 3, str(count), "the number of accelerations")
    step_line = first + _TEXT + 6
    step = text.positive(step_line, str(reals[25]), "the step (sixth real of this line)")
    peak, component = _PEAK.match(words[13]), _COMPONENT.match(words[12])
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
