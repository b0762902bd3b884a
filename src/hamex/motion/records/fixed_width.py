"""Formats in fields of fixed width, as Fortran prints them: COSMOS and CSMIP, volumes 1 and 2; SMC files of the U.S.
Geological Survey, V1A and V2A files of GeoNet, and uncorrected records in the form of Caltech's volume 1 (SMA-1 films
of CDMG and USC, RENADIC of Chile, BHRC of Iran)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import UnitError
from hamex.model.units import in_gravities, unit_in_words
from hamex.motion.records.text import Fields, FileRecord, HeaderPeak, Text, fields, header_peak, numbers_in_fields

Array = NDArray[Any]
_COSMOS_FIRST = re.compile(r"\(Format\s+v\s*[\d.]+\s+with\s+(\d{1,3})\s+text\s+lines?\)", re.IGNORECASE)
_COSMOS_HEADER = re.compile(r"\s*(\d{1,6})\s+(Integer|Real)-header.*?Format\s*=\s*\(([^)]*)\)", re.IGNORECASE)
_COSMOS_COMMENTS = re.compile(r"\s*(\d{1,6})\s+Comment line", re.IGNORECASE)
_COSMOS_DATA = re.compile(
    r"\s*(\d{1,9})\s+.*?pts\.?\s*,\s*approx\s+([\d.]+)\s*secs?\s*,\s*units\s*=\s*([^,(]*?)\s*"
    r"(?:\(\s*(\d{1,4})\s*\))?\s*,?\s*Format\s*=\s*\(([^)]*)\)",
    re.IGNORECASE,
)
_COSMOS_END = re.compile(r"\W*End", re.IGNORECASE)
_COSMOS_CHANNEL = re.compile(r"Sta\s+Chan?\b:?\s*(\S+?)\s*:\s*(.*?)\s*(?:\(|Location|$)", re.IGNORECASE)
_COSMOS_UNITS = {2: ("g", 1.0), 4: ("cm/s2", 1.0), 7: ("in/s2", 1.0), 10: ("gal", 1.0), 11: ("g", 1e-3)}  # 11: mg
_COUNTS, _ACCELERATION, _UNKNOWN = 50, 1, -999
_COSMOS_MAX = re.compile(r"Processed\b.*\bMax\s*=\s*(\S+)", re.IGNORECASE)
_LEAST = 66  # header values that a channel must have to tell unit and step

_CSMIP_CORRECTED = re.compile(
    r"\s*(\d{1,9})\s+points\s+of\s+acc(?:el\w*)?\s+data\s+equally\s+spaced\s+at\s+(\S+)\s+sec", re.IGNORECASE
)
_CSMIP_UNCORRECTED = re.compile(r"\s*(\d{1,9})\s+Accelerogram\s+points\s+at\s+(\S+)\s+pts/sec", re.IGNORECASE)
_CSMIP_UNIT = re.compile(r"(?:in\s+units(?:\s+of)?|units:?|,\s*in)\s+([a-z/0-9^*]+)", re.IGNORECASE)
# Volume 2 tells the peak with its unit, volume 1 beside its units: not the "Uncor Max" that volume 2 repeats.
_CSMIP_PEAK = re.compile(r"Peak\s+accel\w*\s*=\s*(\S+)\s+([a-z/0-9^*]+)", re.IGNORECASE)
_CSMIP_MAX = re.compile(r"Units\s+of\s+uncor\b.*\bMax\s*=\s*(\S+)\s+([a-z/0-9^*]+)", re.IGNORECASE)
_CSMIP_FORMAT = re.compile(r"\((\d*[FEG]\d+\.\d+)\)", re.IGNORECASE)
_CSMIP_CHANNEL = re.compile(r"Chan\s+(\S+?)\s*:\s*(.*?)(?:\s{2,}|\s+Location|$)|^COMP\s+(\S+)", re.IGNORECASE)
_CSMIP_HEADER = 150  # lines in which the first data must be announced
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


def is_cosmos(text: Text) -> bool:
    """True for a file that starts as a COSMOS file does."""
    return bool(_COSMOS_FIRST.search(text.content[:200]))


def read_cosmos(text: Text) -> list[FileRecord]:
    """COSMOS strong-motion format, version 1.20: volumes V1 (uncorrected) and V2 (corrected), one or more channels.

    A channel is a text header, whose length line 1 tells; integer and real headers, each announced with count and
    format; comments; a line that announces the data with count, unit and format; the data; a line that ends them.
    Integer 2 is the quantity (1 is acceleration), integer 3 the unit, real 62 the step in milliseconds. Blocks of
    velocity and displacement are passed over. Described in "COSMOS Strong Motion Data Format, Ver. 1.20" (2001) and in
    the format's tables.
    """
    found: list[FileRecord] = []
    line, end = 1, len(text.lines)
    while line <= end:
        channel, line = _cosmos_channel(text, line)
        found += [] if channel is None else [channel]
        while line <= end and not text.lines[line - 1].strip():
            line += 1
    if not found:
        raise text.error(None, "no channel of acceleration in the file")
    return found


def _cosmos_channel(text: Text, first: int) -> tuple[FileRecord | None, int]:
    """One channel, None if it is no acceleration; and the line after it."""
    match = _COSMOS_FIRST.search(text.line(first, "a channel"))
    if match is None:
        raise text.error(first, "expected a channel to start here, with '(Format v01.20 with 13 text lines)'")
    words = [text.line(first + i, "the text header") for i in range(int(match[1]))]
    integers_from = first + len(words) + 1
    integers, line = _cosmos_header(text, integers_from - 1, "Integer")
    reals_from = line + 1
    reals, line = _cosmos_header(text, line, "Real")
    comments = _COSMOS_COMMENTS.match(text.line(line, "the number of comment lines"))
    if comments is None:
        raise text.error(line, f"expected the number of comment lines, got {text.lines[line - 1].strip()!r}")
    line += 1 + int(comments[1])
    data = _COSMOS_DATA.match(text.line(line, "the line that announces the data"))
    if data is None:
        raise text.error(
            line,
            "expected the line that announces the data, as in '4000 acceleration pts, approx 40 "
            f"secs, units=cm/sec2 (04), Format=(8F10.5)'; got {text.lines[line - 1].strip()!r}",
        )
    count, layout = text.count(line, data[1], "the number of samples"), fields(text, line, data[5])
    samples = numbers_in_fields(text, line + 1, count, layout, "samples")
    after = line + 1 + layout.lines(count)
    if after > len(text.lines) or not _COSMOS_END.match(text.lines[after - 1]):
        raise text.error(
            min(after, len(text.lines)),
            f"expected the end of the data after {count} samples, as in 'End-of-data for Chan 1'",
        )
    if integers[1] != _ACCELERATION and not (integers[1] == _UNKNOWN and "accel" in data[0].lower()):
        return None, after + 1
    unit, factor = _cosmos_unit(text, line, data[3], data[4], int(integers[2]), integers_from)
    step = _cosmos_step(text, line, count, float(data[2]), reals, reals_from)
    named = next((found for found in map(_COSMOS_CHANNEL.match, words) if found), None)
    about = " ".join(words[i].strip() for i in (1, 4) if i < len(words))
    return FileRecord(
        samples * factor,
        step,
        unit,
        (named[2] or named[1]) if named else "",
        about,
        unit_line=line,
        step_line=reals_from,
        peak=_cosmos_peak(words, first, reals, reals_from, factor),
    ), after + 1


def _cosmos_peak(words: list[str], first: int, reals: Array, reals_from: int, factor: float) -> HeaderPeak | None:
    """Real 64, in the unit of the data; else the "Max =" of the text, which is in that unit too."""
    if reals[63] != _UNKNOWN:
        return HeaderPeak(abs(float(reals[63])) * factor, 1e-6, reals_from, "real-header value 64")
    for line, text in enumerate(words, start=first):
        match = _COSMOS_MAX.search(text)
        if match:
            return header_peak(match[1], line, "Max", factor)
    return None


def _cosmos_header(text: Text, line: int, name: str) -> tuple[Array, int]:
    """Values of the integer or real header, and the line after them."""
    words = text.line(line, f"the {name}-header")
    match = _COSMOS_HEADER.match(words)
    if match is None or match[2].lower() != name.lower():
        raise text.error(line, f"expected '100 {name}-header values follow …, Format= (…)', got {words.strip()!r}")
    layout, count = fields(text, line, match[3]), int(match[1])
    if count < _LEAST:
        raise text.error(line, f"{count} {name}-header values do not tell unit and step; the format has 100")
    return numbers_in_fields(text, line + 1, count, layout, f"{name}-header values"), line + 1 + layout.lines(count)


def _cosmos_unit(
    text: Text, line: int, words: str, code: str | None, header: int, header_line: int
) -> tuple[str | None, float]:
    """Unit and factor; the header's code, and the words and code of the line that announces the data, must agree."""
    codes = {header, int(code) if code else header} - {_UNKNOWN}
    if len(codes) > 1:
        raise text.error(line, f"unit code {code}, but the header says {header} (line {header_line}, third number)")
    for known in codes:
        if known == _COUNTS:
            raise UnitError(f"{text.path}, line {line}: raw counts of the instrument; take the file of volume 1 or 2")
        if known not in _COSMOS_UNITS:
            raise UnitError(f"{text.path}, line {line}: unit code {known} is none of acceleration that hamex knows")
        unit, factor = _COSMOS_UNITS[known]
        spelled = unit_in_words(words)
        if spelled is not None and factor == 1 and {spelled, unit} not in ({unit}, {"gal", "cm/s2"}):
            raise text.error(line, f"units={words}, but the header's code {known} is {unit}")
        return unit, factor
    return unit_in_words(words), 1.0


def _cosmos_step(text: Text, line: int, count: int, seconds: float, reals: Array, reals_from: int) -> float | None:
    """The step [s], real 62 in milliseconds; it must agree with the length that the data line gives in passing."""
    milliseconds = float(reals[61])
    if milliseconds == _UNKNOWN:
        return None
    if not milliseconds > 0:
        raise text.error(
            reals_from,
            f"real-header value 62, the step, must be a positive number of milliseconds, got {milliseconds:g}",
        )
    step = milliseconds / 1000
    if abs(count * step - seconds) > 1.5 + 0.01 * seconds:
        raise text.error(
            line,
            f"{count} samples of {step:g} s (real-header value 62) are {count * step:g} s, but this "
            f"line says approx {seconds:g} secs",
        )
    return step


def is_csmip(text: Text) -> bool:
    """True for a file that announces data as a CSMIP file does."""
    return any(_CSMIP_CORRECTED.match(line) or _CSMIP_UNCORRECTED.match(line) for line in text.lines[:_CSMIP_HEADER])


def read_csmip(text: Text) -> list[FileRecord]:
    """CSMIP volumes 1 and 2 (files .V1 and .V2 of CGS and CESMD): the form before COSMOS, still handed out today.

    A channel is a header of text and numbers, then lines that announce equally spaced data with count, step or rate,
    unit and format; volume 2 has velocity and displacement after the acceleration, which are passed over. Described in
    Shakal and Huang, "Standard tape format for CSMIP strong-motion data tapes", OSMS 85-03 (1985).
    """
    found: list[FileRecord] = []
    line, header = 1, 1
    while line <= len(text.lines):
        words = text.lines[line - 1]
        corrected, uncorrected = _CSMIP_CORRECTED.match(words), _CSMIP_UNCORRECTED.match(words)
        match = corrected or uncorrected
        if match is None:
            line += 1
            continue
        count = text.count(line, match[1], "the number of points")
        spacing = text.positive(line, match[2], "the step" if corrected else "the rate")
        above = text.lines[header - 1 : line - 1]
        spelled, layout = _CSMIP_UNIT.search(words, match.end()), _CSMIP_FORMAT.search(words)
        unit = unit_in_words(spelled[1]) if spelled else _csmip_unit(above)
        shape = fields(text, line, layout[1]) if layout else Fields(8, 10)
        samples = numbers_in_fields(text, line + 1, count, shape, "samples")
        # The last naming wins: a file of volume 2 repeats the header of volume 1 above its own.
        names = [named for named in map(_CSMIP_CHANNEL.search, above) if named]
        component = (names[-1][3] or names[-1][2].strip() or names[-1][1]) if names else ""
        # Event and station: the first lines that name them.
        about = [" ".join(line.split()) for line in above if re.match(r"(Rcrd|Record) of|Station (No|Id)", line)]
        found.append(
            FileRecord(
                samples,
                spacing if corrected else 1 / spacing,
                unit,
                component,
                ", ".join(dict.fromkeys(about[:2])),
                unit_line=line,
                step_line=line,
                peak=_csmip_peak(above, header, unit),
            )
        )
        line += 1 + shape.lines(count)
        header = line
    if not found:
        raise text.error(
            None,
            "no line announces equally spaced accelerations, as in '4000 points of accel data "
            "equally spaced at .005 sec, in cm/sec2. (8f10.6)'",
        )
    return found


def _csmip_unit(header: list[str]) -> str | None:
    """The unit of the peak, where the line that announces the data tells none: both are of the same processing."""
    named = next(filter(None, map(_CSMIP_PEAK.search, header)), None)
    return unit_in_words(named[2]) if named else None


def _csmip_peak(header: list[str], first: int, unit: str | None) -> HeaderPeak | None:
    corrected = any(words.lstrip().lower().startswith("corrected") for words in header)
    for pattern in (_CSMIP_PEAK,) if corrected else (_CSMIP_PEAK, _CSMIP_MAX):
        for line, words in enumerate(header, start=first):
            match = pattern.search(words)
            peak_unit = unit_in_words(match[2]) if match else None
            if match and peak_unit is not None and unit is not None:
                return header_peak(match[1], line, "peak acceleration", in_gravities(peak_unit) / in_gravities(unit))
    return None


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
