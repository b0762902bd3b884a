"""Uncorrected records in the form of Caltech's volume 1: SMA-1 films of CDMG and USC, RENADIC of Chile, BHRC of Iran.

A channel is 13 lines of text, 100 integers in 7 lines and 50 reals in 7 lines, then pairs of time and acceleration or,
from digital instruments, accelerations alone, in tenths of a gravity. Described in Hudson et al., "Strong motion
earthquake accelerograms: digitized and plotted data, volume I", EERL 69-20 (1969).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.motion.records.text import Fields, FileRecord, Text, header_peak, numbers_in_fields

Array = NDArray[Any]
_POINTS = re.compile(r"\s*NO\.?\s+OF\s+POINTS\s*=\s*(\d+)\s+(?:DURATION|RECORD\s+LENGTH)\s*=\s*([\d.]+)", re.IGNORECASE)
_UNITS = re.compile(r"\s*UNITS\b.*\bSEC(?:ONDS?)?\s+AND\s+G(/10)?(?=[\s.]|$)", re.IGNORECASE)
_MAX = re.compile(r"\bMAX\s*=\s*(\S+)\s*G\b", re.IGNORECASE)
_CHANNEL = re.compile(r"\s*CHAN\s+(\S+?)\s*:\s*(.*?)\s*(?:\(|\s{2,}|$)|\s*COMP\s+(\S+)", re.IGNORECASE)
_END = re.compile(r"\s*/&")
_DIGITAL = re.compile(r"\* VOL", re.IGNORECASE)  # BHRC
_TEXT, _HEADER = 13, 27  # lines of text, and of text, integers and reals
_POINTS_LINE, _UNITS_LINE, _RATE_LINE = 11, 12, 22
_PAIRS, _SINGLE = Fields(10, 7), Fields(10, 13)
_TIME_DIGIT = 0.00101  # s; half of the last digit for a time, half for the last one, which tells the mean


def is_volume_one(text: Text) -> bool:
    """True for a file whose lines 11 and 12 tell points and units as volume 1 does."""
    lines = text.lines
    return len(lines) > _HEADER and bool(
        _POINTS.match(lines[_POINTS_LINE - 1]) and _UNITS.match(lines[_UNITS_LINE - 1])
    )


def read_volume_one(text: Text) -> list[FileRecord]:
    """Channel after channel; refused where times are unequal, as a hand that follows a film leaves them."""
    found: list[FileRecord] = []
    line, end = 1, len(text.lines)
    while line <= end:
        record, line = _channel(text, line)
        found.append(record)
        while line <= end and (not text.lines[line - 1].strip() or _END.match(text.lines[line - 1])):
            line += 1
    return found


def _channel(text: Text, first: int) -> tuple[FileRecord, int]:
    """One channel, and the line after its samples."""
    words = [text.line(first + i, "the header of a channel") for i in range(_HEADER)]
    points, units = _POINTS.match(words[_POINTS_LINE - 1]), _UNITS.match(words[_UNITS_LINE - 1])
    points_line, units_line = first + _POINTS_LINE - 1, first + _UNITS_LINE - 1
    if points is None:
        raise text.error(points_line, "expected 'NO. OF POINTS = …  DURATION = …' here")
    if units is None:
        raise text.error(units_line, "expected 'UNITS ARE SEC AND G/10' here")
    count = text.count(points_line, points[1], "the number of points")
    data = first + _HEADER
    if _DIGITAL.match(words[0]):
        step = _rate_step(text, words, first, count, text.positive(points_line, points[2], "the duration"))
        samples, lines = numbers_in_fields(text, data, count, _SINGLE, "samples"), _SINGLE.lines(count)
    else:
        pairs = numbers_in_fields(text, data, 2 * count, _PAIRS, "times and samples").reshape(-1, 2)
        step, samples, lines = _equal_step(text, data, pairs[:, 0]), pairs[:, 1], _PAIRS.lines(2 * count)
    unit = 0.1 if units[1] else 1.0
    named = next(filter(None, map(_CHANNEL.match, words[:_TEXT])), None)
    largest = _MAX.search(words[_UNITS_LINE - 1])
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
    return (7, 2) if _DIGITAL.match(words[0]) else (5, 1)


def _equal_step(text: Text, line: int, times: Array) -> float:
    """The one step [s] of times that are printed to a thousandth of a second."""
    mean = float(times[-1] - times[0]) / max(len(times) - 1, 1)
    away = np.abs(times - times[0] - mean * np.arange(len(times)))
    if not mean > 0 or away.max() > _TIME_DIGIT or times[0] != 0:
        raise text.error(
            line + int(away.argmax()) // (_PAIRS.per_line // 2),
            "the accelerations are at unequal times, as read off a film (SMA-1); take the file of volume 2, or "
            "resample it to one step",
        )
    return float(f"{mean:.6g}")


def _rate_step(text: Text, words: list[str], first: int, count: int, duration: float) -> float:
    """The step of the rate that begins the second line of reals; duration over number of points must agree."""
    step = duration / count
    rate = text.positive(first + _RATE_LINE - 1, (words[_RATE_LINE - 1].split() or [""])[0], "the sampling rate")
    if abs(step * rate - 1) > 0.01:
        raise text.error(
            first + _POINTS_LINE - 1,
            f"{count} points in {duration:g} s are a step of {step:g} s, but line {first + _RATE_LINE - 1} tells "
            f"{rate:g} samples a second",
        )
    return 1 / rate
