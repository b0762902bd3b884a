"""CSMIP volumes 1 and 2 (files .V1 and .V2 of CGS and CESMD): the form before COSMOS, still handed out today.

A channel is a header of text and numbers, then lines that announce equally spaced data with count, step or rate, unit
and format; volume 2 has velocity and displacement after the acceleration, which are passed over. Described in Shakal
and Huang, "Standard tape format for CSMIP strong-motion data tapes", OSMS 85-03 (1985).
"""

from __future__ import annotations

import re

from hamex.motion.records.fortran import Fields, fields, table
from hamex.motion.records.found import Found
from hamex.motion.records.text import Text
from hamex.motion.records.unitwords import unit_in_words

_CORRECTED = re.compile(r"\s*(\d{1,9})\s+points\s+of\s+accel\w*\s+data\s+equally\s+spaced\s+at\s+(\S+)\s+sec",
                        re.IGNORECASE)
_UNCORRECTED = re.compile(r"\s*(\d{1,9})\s+Accelerogram\s+points\s+at\s+(\S+)\s+pts/sec", re.IGNORECASE)
_UNIT = re.compile(r"(?:in\s+units\s+of|units:?|,\s*in)\s+([a-z/0-9^*]+)", re.IGNORECASE)
_FORMAT = re.compile(r"\((\d*[FEG]\d+\.\d+)\)", re.IGNORECASE)
_CHANNEL = re.compile(r"Chan\s+(\S+?)\s*:\s*(.*?)(?:\s{2,}|\s+Location|$)", re.IGNORECASE)
_HEADER = 150      # lines in which the first data must be announced
_USUAL = Fields(8, 10)


def looks(text: Text) -> bool:
    """True for a file that announces data as a CSMIP file does."""
    return any(_CORRECTED.match(line) or _UNCORRECTED.match(line) for line in text.lines[:_HEADER])


def read(text: Text) -> list[Found]:
    """All channels."""
    found: list[Found] = []
    line, header = 1, 1
    while line <= len(text.lines):
        words = text.lines[line - 1]
        corrected, uncorrected = _CORRECTED.match(words), _UNCORRECTED.match(words)
        match = corrected or uncorrected
        if match is None:
            line += 1
            continue
        count = text.count(line, match[1], "the number of points")
        spacing = text.positive(line, match[2], "the step" if corrected else "the rate")
        told, layout = _UNIT.search(words, match.end()), _FORMAT.search(words)
        shape = fields(text, line, layout[1]) if layout else _USUAL
        samples = table(text, line + 1, count, shape, "samples")
        # The last naming wins: a file of volume 2 repeats the header of volume 1 above its own.
        names = [named for named in map(_CHANNEL.search, text.lines[header - 1:line - 1]) if named]
        component = (names[-1][2].strip() or names[-1][1]) if names else ""
        found.append(Found(samples, spacing if corrected else 1 / spacing, unit_in_words(told[1]) if told else None,
                           component, _about(text.lines[header - 1:line - 1]), unit_line=line, step_line=line))
        line += 1 + shape.lines(count)
        header = line
    if not found:
        raise text.error(None, "no line announces equally spaced accelerations, as in '4000 points of accel data "
                               "equally spaced at .005 sec, in cm/sec2. (8f10.6)'")
    return found


def _about(header: list[str]) -> str:
    """Event and station: the first lines that name them."""
    named = [" ".join(line.split()) for line in header if re.match(r"(Rcrd|Record) of|Station (No|Id)", line)]
    return ", ".join(dict.fromkeys(named[:2]))
