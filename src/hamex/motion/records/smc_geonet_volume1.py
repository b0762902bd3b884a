"""Records in fields of fixed width: SMC files of the U.S. Geological Survey, V1A and V2A files of GeoNet, and
uncorrected records in the form of Caltech's volume 1 (SMA-1 films of CDMG and USC, RENADIC of Chile, BHRC of Iran)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.units import unit_in_words
from hamex.motion.records.text import Fields, FileRecord, HeaderPeak, Text, header_peak, numbers_in_fields

Array = NDArray[Any]
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
_GEONET_POINTS = re.compile(r"\s*Number of points\s+\d+", re.IGNORECASE)
_GEONET_SCALE = re.compile(r"in units of\s+(\S+)\s+(\S+)", re.IGNORECASE)
_GEONET_PEAK = re.compile(r"Acceleration:?\s+peak\s+(\S+)\s+(\S+)", re.IGNORECASE)
_GEONET_COMPONENT = re.compile(r"Component\s+(\S+)", re.IGNORECASE)
_GEONET_TEXT, _GEONET_HEADER = 16, 26  # lines of text, and of text, integers and reals
_TEN = Fields(10, 8)
_V1_POINTS = re.compile(
    r"\s*NO\.?\s+OF\s+POINTS\s*=\s*(\d+)\s+(?:DURATION|RECORD\s+LENGTH)\s*=\s*([\d.]+)", re.IGNORECASE
)
_V1_UNITS = re.compile(r"\s*UNITS\b.*\bSEC(?:ONDS?)?\s+AND\s+G(/10)?(?=[\s.]|$)", re.IGNORECASE)
_V1_MAX = re.compile(r"\bMAX\s*=\s*(\S+)\s*G\b", re.IGNORECASE)
_V1_CHANNEL = re.compile(r"\s*CHAN\s+(\S+?)\s*:\s*(.*?)\s*(?:\(|\s{2,}|$)|\s*COMP\s+(\S+)", re.IGNORECASE)
_V1_END = re.compile(r"\s*/&")
_V1_DIGITAL = re.compile(r"\* VOL", re.IGNORECASE)  # BHRC
_V1_TEXT, _V1_HEADER = 13, 27  # lines of text, and of text, integers and reals
_V1_POINTS_LINE, _V1_UNITS_LINE, _V1_RATE_LINE = 11, 12, 22
_V1_PAIRS, _V1_SINGLE = Fields(10, 7), Fields(10, 13)
_V1_TIME_DIGIT = 0.00101  # s; half of the last digit for a time, half for the last one, which tells the mean


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
    return len(lines) > _GEONET_HEADER and bool(_GEONET_FIRST.match(lines[0]) and _GEONET_POINTS.match(lines[9]))


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
    words = [text.line(first + i, "the header of a component") for i in range(_GEONET_HEADER)]
    if not (_GEONET_FIRST.match(words[0]) and _GEONET_POINTS.match(words[9])):
        raise text.error(first, "expected a component to start here, with '(Un)corrected accelerogram'")
    integers = numbers_in_fields(text, first + _GEONET_TEXT, 40, _TEN, "integers of the header")
    reals = numbers_in_fields(text, first + _GEONET_TEXT + 4, 60, _TEN, "reals of the header")
    count, *others = (int(n) for n in integers[33:36])
    text.count(first + _GEONET_TEXT + 3, str(count), "the number of accelerations")
    step_line = first + _GEONET_TEXT + 6
    step = text.positive(step_line, str(reals[25]), "the step (sixth real of this line)")
    peak, component = _GEONET_PEAK.match(words[13]), _GEONET_COMPONENT.match(words[12])
    unit = unit_in_words(peak[2]) if peak else None
    scale = _GEONET_SCALE.search(words[10])  # a factor on the readings, always 1.00 in files of today
    factor = text.positive(first + 10, scale[1], "the unit of the readings") if scale else 1.0
    samples = numbers_in_fields(text, first + _GEONET_HEADER, count, _TEN, "samples")
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
    ), first + _GEONET_HEADER + sum(_TEN.lines(max(n, 0)) for n in (count, *others))


def is_volume_one(text: Text) -> bool:
    """True for a file whose lines 11 and 12 tell points and units as volume 1 does."""
    lines = text.lines
    return len(lines) > _V1_HEADER and bool(
        _V1_POINTS.match(lines[_V1_POINTS_LINE - 1]) and _V1_UNITS.match(lines[_V1_UNITS_LINE - 1])
    )


def read_volume_one(text: Text) -> list[FileRecord]:
    """Channel after channel; refused where times are unequal, as a hand that follows a film leaves them.

    A channel is 13 lines of text, 100 integers in 7 lines and 50 reals in 7 lines, then pairs of time and acceleration
    or, from digital instruments, accelerations alone, in tenths of a gravity. Described in Hudson et al., "Strong
    motion earthquake accelerograms: digitized and plotted data, volume I", EERL 69-20 (1969).
    """
    found: list[FileRecord] = []
    line, end = 1, len(text.lines)
    while line <= end:
        record, line = _channel(text, line)
        found.append(record)
        while line <= end and (not text.lines[line - 1].strip() or _V1_END.match(text.lines[line - 1])):
            line += 1
    return found


def _channel(text: Text, first: int) -> tuple[FileRecord, int]:
    """One channel, and the line after its samples."""
    words = [text.line(first + i, "the header of a channel") for i in range(_V1_HEADER)]
    points, units = _V1_POINTS.match(words[_V1_POINTS_LINE - 1]), _V1_UNITS.match(words[_V1_UNITS_LINE - 1])
    points_line, units_line = first + _V1_POINTS_LINE - 1, first + _V1_UNITS_LINE - 1
    if points is None:
        raise text.error(points_line, "expected 'NO. OF POINTS = …  DURATION = …' here")
    if units is None:
        raise text.error(units_line, "expected 'UNITS ARE SEC AND G/10' here")
    count = text.count(points_line, points[1], "the number of points")
    data = first + _V1_HEADER
    if _V1_DIGITAL.match(words[0]):
        step = _rate_step(text, words, first, count, text.positive(points_line, points[2], "the duration"))
        samples, lines = numbers_in_fields(text, data, count, _V1_SINGLE, "samples"), _V1_SINGLE.lines(count)
    else:
        pairs = numbers_in_fields(text, data, 2 * count, _V1_PAIRS, "times and samples").reshape(-1, 2)
        step, samples, lines = _equal_step(text, data, pairs[:, 0]), pairs[:, 1], _V1_PAIRS.lines(2 * count)
    unit = 0.1 if units[1] else 1.0
    named = next(filter(None, map(_V1_CHANNEL.match, words[:_V1_TEXT])), None)
    largest = _V1_MAX.search(words[_V1_UNITS_LINE - 1])
    return FileRecord(
        samples * unit,
        step,
        "g",
        (named[3] or named[2] or named[1]) if named else "",
        ", ".join(" ".join(words[place].split()) for place in _about(words)),
        unit_line=units_line,
        step_line=points_line,
        peak=header_peak(largest[1], units_line, "MAX") if largest else None,
    ), data + lines


def _about(words: list[str]) -> tuple[int, ...]:
    """Lines of station and event: BHRC has them elsewhere."""
    return (7, 2) if _V1_DIGITAL.match(words[0]) else (5, 1)


def _equal_step(text: Text, line: int, times: Array) -> float:
    """The one step [s] of times that are printed to a thousandth of a second."""
    mean = float(times[-1] - times[0]) / max(len(times) - 1, 1)
    away = np.abs(times - times[0] - mean * np.arange(len(times)))
    if not mean > 0 or away.max() > _V1_TIME_DIGIT or times[0] != 0:
        raise text.error(
            line + int(away.argmax()) // (_V1_PAIRS.per_line // 2),
            "the accelerations are at unequal times, as read off a film (SMA-1); take the file of volume 2, or "
            "resample it to one step",
        )
    return float(f"{mean:.6g}")


def _rate_step(text: Text, words: list[str], first: int, count: int, duration: float) -> float:
    """The step of the rate that begins the second line of reals; duration over number of points must agree."""
    step = duration / count
    rate = text.positive(first + _V1_RATE_LINE - 1, (words[_V1_RATE_LINE - 1].split() or [""])[0], "the sampling rate")
    if abs(step * rate - 1) > 0.01:
        raise text.error(
            first + _V1_POINTS_LINE - 1,
            f"{count} points in {duration:g} s are a step of {step:g} s, but line {first + _V1_RATE_LINE - 1} tells "
            f"{rate:g} samples a second",
        )
    return 1 / rate
