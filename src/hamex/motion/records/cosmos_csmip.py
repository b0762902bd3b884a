"""Formats of several channels in fields of fixed width, as Fortran prints them: COSMOS and CSMIP, volumes 1 and 2."""

from __future__ import annotations

import re
from typing import Any

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
        found.append(
            FileRecord(
                samples,
                spacing if corrected else 1 / spacing,
                unit,
                component,
                _csmip_about(above),
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


def _csmip_about(header: list[str]) -> str:
    """Event and station: the first lines that name them."""
    named = [" ".join(line.split()) for line in header if re.match(r"(Rcrd|Record) of|Station (No|Id)", line)]
    return ", ".join(dict.fromkeys(named[:2]))


def _csmip_unit(header: list[str]) -> str | None:
    """The unit of the peak, where the line that announces the data tells none: both are of the same processing."""
    named = next(filter(None, map(_CSMIP_PEAK.search, header)), None)
    return unit_in_words(named[2]) if named else None


def _csmip_peak(header: list[str], first: int, unit: str | None) -> HeaderPeak | None:
    corrected = any(words.lstrip().lower().startswith("corrected") for words in header)
    for pattern in (_CSMIP_PEAK,) if corrected else (_CSMIP_PEAK, _CSMIP_MAX):
        for line, words in enumerate(header, start=first):
            match = pattern.search(words)
            told = unit_in_words(match[2]) if match else None
            if match and told is not None and unit is not None:
                return header_peak(match[1], line, "peak acceleration", in_gravities(told) / in_gravities(unit))
    return None
