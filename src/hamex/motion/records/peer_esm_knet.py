"""Formats of a header and one record: PEER AT2, ESM and K-NET; and the bare numbers of OpenSees."""

from __future__ import annotations

import re

from hamex.model.units import in_gravities, unit_in_words
from hamex.motion.records.columns import read_path
from hamex.motion.records.text import FileRecord, Text, header_peak

_WORD = r"([^\s,;=]+)"
_LABELLED = re.compile(rf"NPTS\s*=?\s*{_WORD}\s*[,;]?\s*DT\s*=?\s*{_WORD}", re.IGNORECASE)
_TRAILING = re.compile(rf"^[ \t]*{_WORD}[ \t]+{_WORD}[ \t]+NPTS\s*,?\s*DT", re.IGNORECASE | re.MULTILINE)
_AT2_POINTS, _AT2_HEADER = 4, 20  # line in which NPTS and DT stand, and lines in which they must
_AT2_UNIT = re.compile(r"UNITS?\s+OF\s+(\S.*?)(?:\s{2,}|\.?\s*$|\.\s)", re.IGNORECASE)
_AT2_UNIT_BESIDE = re.compile(r"(?:ACCEL\w*|UNITS?)\b[^()\n]*?(?:\bIN\s+(\S+)\s*$|\(([^)]*)\))", re.IGNORECASE)
_ESM_KEY = re.compile(r"([A-Z][A-Z0-9_/^\-.]*)\s*:(.*)")
# What a line of K-NET starts with; spellings differ between years ("Lon." and "Long.", "Max Acc." and "Max. Acc.").
_KNET_LABELS = (
    "Origin Time",
    "Lat.",
    "Lon",
    "Depth",
    "Mag",
    "Station Code",
    "Station Lat",
    "Station Lon",
    "Station Height",
    "Record Time",
    "Sampling Freq",
    "Duration Time",
    "Dir.",
    "Scale Factor",
    "Max",
    "Last Correction",
    "Memo",
)
_KNET_SCALE = re.compile(r"([^(\s]+)\(gal\)/(\S+)", re.IGNORECASE)
_VALUES_FROM = 18  # column, counted from 0
# KiK-net: 1 below, 2 at the top.
_KNET_CHANNELS = {"1": "NS1", "2": "EW1", "3": "UD1", "4": "NS2", "5": "EW2", "6": "UD2"}


def is_at2(text: Text) -> bool:
    """True for a file that announces its points as an AT2 file does."""
    head = "\n".join(text.lines[:_AT2_HEADER])
    return bool(_LABELLED.search(head) or _TRAILING.search(head))


def read_at2(text: Text) -> list[FileRecord]:
    """PEER AT2: four lines of header, then accelerations along the lines.

    Line 1 names the database, line 2 event, station and component, line 3 quantity and unit, line 4 the number of
    points and the step. Line 4 has changed over the years: ``4000  .01000 NPTS, DT``, ``NPTS= 4000, DT= .01000 SEC``
    and ``NPTS=   4000, DT=   .0100 SEC,`` are all read; so are headers with more lines above it, as others write them.
    Described at peer.berkeley.edu/smcat/data.html.
    """
    text.line(1, "the name of the database")
    about = text.line(2, "event and station").strip()
    text.line(3, "quantity and unit")
    head = "\n".join(text.lines[:_AT2_HEADER])
    match = _TRAILING.search(head) or _LABELLED.search(head)
    if match is None:
        points = text.line(_AT2_POINTS, "NPTS and DT")
        raise text.error(
            _AT2_POINTS, f"expected NPTS and DT, as in 'NPTS=  4000, DT= .0050 SEC', got {points.strip()!r}"
        )
    line = head.count("\n", 0, match.end()) + 1
    count = text.count(line, match[1], "NPTS")
    step = text.positive(line, match[2], "DT")
    unit_line, unit = _at2_unit(text, line)
    samples = text.numbers(line + 1, count, line)
    if line != _AT2_POINTS:  # another header: what stands in its second line is not known
        return [FileRecord(samples, step, unit, "", text.lines[0].strip(), unit_line=unit_line, step_line=line)]
    component = about.rsplit(",", 1)[1].strip() if "," in about else ""
    return [FileRecord(samples, step, unit, component, about, unit_line=unit_line, step_line=line)]


def _at2_unit(text: Text, end: int) -> tuple[int, str | None]:
    """The line of the header that tells quantity and unit, and the unit; refuses velocities and displacements."""
    header = list(enumerate(text.lines[: end - 1], start=1))
    for line, words in header:
        for other in ("VELOCITY", "DISPLACEMENT"):
            if re.search(rf"\b{other}\s+(?:TIME|HISTORY|SERIES|IN\b)", words.upper()) and "ACCEL" not in words.upper():
                raise text.error(line, f"this is a history of {other.lower()}; give the file of accelerations (.AT2)")
    for pattern in (_AT2_UNIT, _AT2_UNIT_BESIDE):
        for line, words in header:
            spelled = pattern.search(words)
            if spelled:
                return line, unit_in_words(next(filter(None, spelled.groups()), ""))
    return min(3, end), None


def is_esm(text: Text) -> bool:
    """True for a file that starts as an ESM file does."""
    return text.content.startswith("EVENT_NAME:")


def read_esm(text: Text) -> list[FileRecord]:
    """ESM and ITACA ASCII (header DYNA): lines ``KEY: VALUE``, 64 in version 1.2, then one acceleration per line.

    Described with the Engineering Strong-Motion database, esm-db.eu.
    """
    header: dict[str, tuple[int, str]] = {}
    first = len(text.lines) + 1
    for line, words in enumerate(text.lines, start=1):
        match = _ESM_KEY.match(words)
        if match is None:
            first = line
            break
        header[match[1]] = line, match[2].strip()

    def value_of(key: str) -> tuple[int, str]:
        if key not in header:
            raise text.error(first - 1, f"the header ends here without {key}")
        return header[key]

    line, quantity = value_of("DATA_TYPE")
    if quantity.upper() != "ACCELERATION":
        raise text.error(line, f"DATA_TYPE is {quantity!r}; give a file of ACCELERATION")
    step_line, words = value_of("SAMPLING_INTERVAL_S")
    step = text.positive(step_line, words, "SAMPLING_INTERVAL_S")
    unit_line, words = value_of("UNITS")
    unit = unit_in_words(words) if words else None
    if words and unit is None:
        raise text.error(unit_line, f"UNITS is {words!r}, no unit of acceleration that hamex knows")
    count_line, words = value_of("NDATA")
    samples = text.numbers(first, text.count(count_line, words, "NDATA"), count_line)
    peak_line, words = header.get("PGA_CM/S^2", (0, ""))
    factor = 1.0 if unit is None else in_gravities("cm/s2") / in_gravities(unit)
    about = [
        header.get(key, (0, ""))[1]
        for key in ("NETWORK", "STATION_CODE", "EVENT_ID", "EVENT_NAME", "DATE_TIME_FIRST_SAMPLE_YYYYMMDD_HHMMSS")
    ]
    return [
        FileRecord(
            samples,
            step,
            unit,
            value_of("STREAM")[1],
            " ".join(word for word in about if word),
            unit_line=unit_line,
            step_line=step_line,
            peak=header_peak(words, peak_line, "PGA_CM/S^2", factor),  # in the unit of the samples
        )
    ]


def is_knet(text: Text) -> bool:
    """True for a file that starts as a K-NET file does."""
    return text.content.startswith("Origin Time")


def read_knet(text: Text) -> list[FileRecord]:
    """K-NET and KiK-net ASCII of NIED: 17 lines of header, then counts along the lines.

    Accelerations are counts times the scale factor, ``3920(gal)/6182761``, in gal. The instrument's zero is not at
    zero: the header's ``Max. Acc.`` is the largest of the samples minus the mean of all of them. Described at
    kyoshin.bosai.go.jp/kyoshin/man/knetform_en.html.
    """
    values = []
    for line, label in enumerate(_KNET_LABELS, start=1):
        words = text.line(line, repr(label))
        if not words.startswith(label):
            raise text.error(line, f"expected {label!r}, got {words[:_VALUES_FROM].strip()!r}")
        values.append(words[_VALUES_FROM:].strip())
    origin, station, start, rate, duration, channel, scale = (values[i] for i in (0, 5, 9, 10, 11, 12, 13))
    frequency = text.positive(11, re.sub(r"Hz$", "", rate, flags=re.IGNORECASE), "the sampling frequency")
    seconds = text.positive(12, duration, "the duration")
    match = _KNET_SCALE.fullmatch(scale)
    if match is None:
        raise text.error(14, f"expected a scale factor as in '3920(gal)/6182761', got {scale!r}")
    full, counts = (text.positive(14, word, "the scale factor") for word in match.groups())
    samples = text.numbers(18, text.samples_in(12, seconds, frequency), 12)
    return [
        FileRecord(
            samples * full / counts,
            1 / frequency,
            "gal",
            _KNET_CHANNELS.get(channel, channel),
            f"{station}, {start}, event of {origin}",
            unit_line=14,
            step_line=11,
            peak=header_peak(values[14], 15, "Max. Acc."),
            offset=True,
        )
    ]


def read_opensees(text: Text) -> list[FileRecord]:
    """Path files of OpenSees: bare numbers along the lines, as ``timeSeries Path -dt … -filePath …`` reads them.

    They tell neither step nor unit: give both.
    """
    return read_path(text)
