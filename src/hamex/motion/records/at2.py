"""PEER AT2: four lines of header, then accelerations along the lines.

Line 1 names the database, line 2 event, station and component, line 3 quantity and unit, line 4 the number of points
and the step. Line 4 has changed over the years: ``4000  .01000 NPTS, DT``, ``NPTS= 4000, DT= .01000 SEC`` and
``NPTS=   4000, DT=   .0100 SEC,`` are all read. Described at peer.berkeley.edu/smcat/data.html.
"""

from __future__ import annotations

import re

from hamex.motion.records.found import Found
from hamex.motion.records.text import Text
from hamex.motion.records.unitwords import unit_in_words

_VALUE = r"([^\s,;=]+)"
_LABELLED = re.compile(rf"NPTS\s*=?\s*{_VALUE}\s*[,;]?\s*DT\s*=?\s*{_VALUE}", re.IGNORECASE)
_TRAILING = re.compile(rf"\s*{_VALUE}\s+{_VALUE}\s+NPTS\s*,?\s*DT", re.IGNORECASE)
_UNIT = re.compile(r"UNITS?\s+OF\s+(\S.*?)(?:\s{2,}|\.?\s*$|\.\s)|\(([^)]*)\)", re.IGNORECASE)


def looks(text: Text) -> bool:
    """True for a file that starts as an AT2 file does."""
    head = "\n".join(text.lines[:5]).upper()
    named = re.search(r"STRONG.MOTION|ACCELERATION|VELOCITY|DISPLACEMENT", head)
    return "NPTS" in head and "DT" in head and named is not None


def read(text: Text) -> list[Found]:
    """The one record of the file."""
    text.line(1, "the name of the database")
    about = text.line(2, "event and station").strip()
    quantity = text.line(3, "quantity and unit").upper()
    for other in ("VELOCITY", "DISPLACEMENT"):
        if other in quantity and "ACCELERATION" not in quantity:
            raise text.error(3, f"this is a history of {other.lower()}; give the file of accelerations (.AT2)")
    points = text.line(4, "NPTS and DT")
    match = _TRAILING.match(points) or _LABELLED.search(points)
    if match is None:
        raise text.error(4, f"expected NPTS and DT, as in 'NPTS=  4000, DT= .0050 SEC', got {points.strip()!r}")
    count = text.count(4, match[1], "NPTS")
    step = text.positive(4, match[2], "DT")
    told = _UNIT.search(quantity)
    unit = unit_in_words(told[1] or told[2] or "") if told else None
    samples = text.numbers(5, count, 4)
    component = about.rsplit(",", 1)[1].strip() if "," in about else ""
    return [Found(samples, step, unit, component, about, unit_line=3, step_line=4)]
