"""COSMOS strong-motion format, version 1.20: volumes V1 (uncorrected) and V2 (corrected), one or more channels.

A channel is a text header, whose length line 1 tells; integer and real headers, each announced with count and format;
comments; a line that announces the data with count, unit and format; the data; a line that ends them. Integer 2 is the
quantity (1 is acceleration), integer 3 the unit, real 62 the step in milliseconds. Blocks of velocity and displacement
are passed over. Described in "COSMOS Strong Motion Data Format, Ver. 1.20" (2001) and in the format's tables.
"""

from __future__ import annotations

import re

from hamex.errors import UnitError
from hamex.motion.records.fortran import fields, table
from hamex.motion.records.found import Found
from hamex.motion.records.text import Array, Text
from hamex.motion.records.unitwords import unit_in_words

_FIRST = re.compile(r"\(Format\s+v\s*[\d.]+\s+with\s+(\d{1,3})\s+text\s+lines?\)", re.IGNORECASE)
_HEADER = re.compile(r"\s*(\d{1,6})\s+(Integer|Real)-header.*?Format\s*=\s*\(([^)]*)\)", re.IGNORECASE)
_COMMENTS = re.compile(r"\s*(\d{1,6})\s+Comment line", re.IGNORECASE)
_DATA = re.compile(r"\s*(\d{1,9})\s+.*?pts\.?\s*,\s*approx\s+([\d.]+)\s*secs?\s*,\s*units\s*=\s*([^,(]*?)\s*"
                   r"(?:\(\s*(\d{1,4})\s*\))?\s*,\s*Format\s*=\s*\(([^)]*)\)", re.IGNORECASE)
_END = re.compile(r"\W*End", re.IGNORECASE)
_CHANNEL = re.compile(r"Sta\s+Chan\s+(\S+?)\s*:\s*(.*?)\s*(?:\(|Location|$)", re.IGNORECASE)
_UNITS = {2: ("g", 1.0), 4: ("cm/s2", 1.0), 7: ("in/s2", 1.0), 10: ("gal", 1.0), 11: ("g", 1e-3)}   # 11: mg
_COUNTS, _ACCELERATION, _UNKNOWN = 50, 1, -999
_LEAST = 66          # header values that a channel must have to tell unit and step


def looks(text: Text) -> bool:
    """True for a file that starts as a COSMOS file does."""
    return bool(_FIRST.search(text.content[:200]))


def read(text: Text) -> list[Found]:
    """All channels of acceleration."""
    found: list[Found] = []
    line, end = 1, len(text.lines)
    while line <= end:
        channel, line = _channel(text, line)
        found += [] if channel is None else [channel]
        while line <= end and not text.lines[line - 1].strip():
            line += 1
    if not found:
        raise text.error(None, "no channel of acceleration in the file")
    return found


def _channel(text: Text, first: int) -> tuple[Found | None, int]:
    """One channel, None if it is no acceleration; and the line after it."""
    match = _FIRST.search(text.line(first, "a channel"))
    if match is None:
        raise text.error(first, "expected a channel to start here, with '(Format v01.20 with 13 text lines)'")
    words = [text.line(first + i, "the text header") for i in range(int(match[1]))]
    integers_from = first + len(words) + 1
    integers, line = _header(text, integers_from - 1, "Integer")
    reals_from = line + 1
    reals, line = _header(text, line, "Real")
    comments = _COMMENTS.match(text.line(line, "the number of comment lines"))
    if comments is None:
        raise text.error(line, f"expected the number of comment lines, got {text.lines[line - 1].strip()!r}")
    line += 1 + int(comments[1])
    data = _DATA.match(text.line(line, "the line that announces the data"))
    if data is None:
        raise text.error(line, "expected the line that announces the data, as in '4000 acceleration pts, approx 40 "
                               f"secs, units=cm/sec2 (04), Format=(8F10.5)'; got {text.lines[line - 1].strip()!r}")
    count, layout = text.count(line, data[1], "the number of samples"), fields(text, line, data[5])
    samples = table(text, line + 1, count, layout, "samples")
    after = line + 1 + layout.lines(count)
    if after > len(text.lines) or not _END.match(text.lines[after - 1]):
        raise text.error(min(after, len(text.lines)), f"expected the end of the data after {count} samples, as in "
                                                      "'End-of-data for Chan 1'")
    if integers[1] != _ACCELERATION:
        return None, after + 1
    unit, factor = _unit(text, line, data[3], data[4], int(integers[2]), integers_from)
    step = _step(text, line, count, float(data[2]), reals, reals_from)
    named = next((found for found in map(_CHANNEL.match, words) if found), None)
    about = " ".join(words[i].strip() for i in (1, 4) if i < len(words))
    return Found(samples * factor, step, unit, (named[2] or named[1]) if named else "", about, unit_line=line,
                 step_line=reals_from), after + 1


def _header(text: Text, line: int, name: str) -> tuple[Array, int]:
    """Values of the integer or real header, and the line after them."""
    words = text.line(line, f"the {name}-header")
    match = _HEADER.match(words)
    if match is None or match[2].lower() != name.lower():
        raise text.error(line, f"expected '100 {name}-header values follow …, Format= (…)', got {words.strip()!r}")
    layout, count = fields(text, line, match[3]), int(match[1])
    if count < _LEAST:
        raise text.error(line, f"{count} {name}-header values do not tell unit and step; the format has 100")
    return table(text, line + 1, count, layout, f"{name}-header values"), line + 1 + layout.lines(count)


def _unit(text: Text, line: int, words: str, code: str | None, header: int, header_line: int) -> tuple[
        str | None, float]:
    """Unit and factor; the header's code, and the words and code of the line that announces the data, must agree."""
    codes = {header, int(code) if code else header} - {_UNKNOWN}
    if len(codes) > 1:
        raise text.error(line, f"unit code {code}, but the header says {header} (line {header_line}, third number)")
    for known in codes:
        if known == _COUNTS:
            raise UnitError(f"{text.path}, line {line}: raw counts of the instrument; take the file of volume 1 or 2")
        if known not in _UNITS:
            raise UnitError(f"{text.path}, line {line}: unit code {known} is none of acceleration that hamex knows")
        unit, factor = _UNITS[known]
        spelled = unit_in_words(words)
        if spelled is not None and factor == 1 and {spelled, unit} not in ({unit}, {"gal", "cm/s2"}):
            raise text.error(line, f"units={words}, but the header's code {known} is {unit}")
        return unit, factor
    return unit_in_words(words), 1.0


def _step(text: Text, line: int, count: int, seconds: float, reals: Array, reals_from: int) -> float | None:
    """The step [s], real 62 in milliseconds; it must agree with the length that the data line gives in passing."""
    milliseconds = float(reals[61])
    if milliseconds == _UNKNOWN:
        return None
    if not milliseconds > 0:
        raise text.error(reals_from, f"real-header value 62, the step, must be a positive number of milliseconds, "
                                     f"got {milliseconds:g}")
    step = milliseconds / 1000
    if abs(count * step - seconds) > 1.5 + 0.01 * seconds:
        raise text.error(line, f"{count} samples of {step:g} s (real-header value 62) are {count * step:g} s, but this "
                               f"line says approx {seconds:g} secs")
    return step
