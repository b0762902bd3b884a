"""K-NET and KiK-net ASCII of NIED: 17 lines of header, then counts along the lines.

Accelerations are counts times the scale factor, ``3920(gal)/6182761``, in gal, offset included: the instrument's zero
is not at zero, so take ``motion.detrended("mean")`` before you integrate. Described at
kyoshin.bosai.go.jp/kyoshin/man/knetform_en.html.
"""

from __future__ import annotations

import re

from hamex.motion.records.found import Found
from hamex.motion.records.text import Text

# What a line starts with; spellings differ between years ("Lon." and "Long.", "Max Acc." and "Max. Acc.").
_LABELS = ("Origin Time", "Lat.", "Lon", "Depth", "Mag", "Station Code", "Station Lat", "Station Lon", "Station Height",
           "Record Time", "Sampling Freq", "Duration Time", "Dir.", "Scale Factor", "Max", "Last Correction", "Memo")
_SCALE = re.compile(r"([^(\s]+)\(gal\)/(\S+)", re.IGNORECASE)
_VALUES_FROM = 18     # column, counted from 0
_CHANNELS = {"1": "NS1", "2": "EW1", "3": "UD1", "4": "NS2", "5": "EW2", "6": "UD2"}   # KiK-net: 1 below, 2 at the top


def looks(text: Text) -> bool:
    """True for a file that starts as a K-NET file does."""
    return text.content.startswith("Origin Time")


def read(text: Text) -> list[Found]:
    """The one record of the file, in gal."""
    values = []
    for line, label in enumerate(_LABELS, start=1):
        words = text.line(line, repr(label))
        if not words.startswith(label):
            raise text.error(line, f"expected {label!r}, got {words[:_VALUES_FROM].strip()!r}")
        values.append(words[_VALUES_FROM:].strip())
    origin, station, start, rate, duration, channel, scale = (values[i] for i in (0, 5, 9, 10, 11, 12, 13))
    frequency = text.positive(11, re.sub(r"Hz$", "", rate, flags=re.IGNORECASE), "the sampling frequency")
    seconds = text.positive(12, duration, "the duration")
    match = _SCALE.fullmatch(scale)
    if match is None:
        raise text.error(14, f"expected a scale factor as in '3920(gal)/6182761', got {scale!r}")
    full, counts = (text.positive(14, word, "the scale factor") for word in match.groups())
    samples = text.numbers(18, max(round(seconds * frequency), 1), 12)
    return [Found(samples * full / counts, 1 / frequency, "gal", _CHANNELS.get(channel, channel),
                  f"{station}, {start}, event of {origin}", unit_line=14, step_line=11)]
