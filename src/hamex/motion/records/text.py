"""A record file as numbered lines, its numbers, free or in fields of fixed width, and what a reader finds in it.

And the formats that hamex recognises and does not read, so that a refusal can name them.

Whatever is wrong is told by file, line and reason.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex import files
from hamex.errors import FileError, LoadError

Array = NDArray[Any]
_PLAIN = re.compile(r"[0-9eE.+\-\s]*", re.ASCII)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_PADDING = "\x00\x1a\r\n"  # the end of a file under DOS, and empty blocks
_END_MARK = re.compile(r"\*+\s*end\b.*", re.IGNORECASE)  # "*** End Data ***"
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eEdD][+-]?\d+)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?", re.ASCII)
_FORMAT = re.compile(r"\s*(\d*)\s*(?:P|p)?\s*([FEGDIfegdi])[NSns]?(\d+)(?:\.\d+)?\s*")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf(?:inity)?)", re.ASCII | re.IGNORECASE)


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, or in Latin-1 where station names need it; lines end with line feeds."""
    return text_of(files.read_bytes(path, files.RECORD), path)


def text_of(data: bytes, path: Path) -> str:
    """The text that bytes of a file hold; ``path`` names it in messages."""
    foreign = binary_format(data)
    if foreign:
        raise FileError(
            f"cannot read {path}: this is {foreign}, which hamex does not read; give its accelerations as text"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if text[-1:] == "\x1a" or "\x00" in text[-200:]:
        text = text.rstrip(_PADDING) + "\n"
    text = re.sub("\r+\n|\r", "\n", text)  # some files end their lines with CR CR LF
    if _UNPRINTABLE.search(text):
        raise FileError(f"cannot read {path}: not a text file")
    return text


def number(word: str) -> float | None:
    """A word as a number; None if it is not one. ``nan`` and ``inf`` are numbers here, so that they can be refused.

    Python's own float() takes "1_000" too, and not the exponent D of Fortran.

    >>> number("1.5D-3"), number("1_000")
    (0.0015, None)
    """
    if _NUMBER.fullmatch(word):
        return float(word.replace("d", "e").replace("D", "e"))
    return float(word) if _NOT_FINITE.fullmatch(word) else None


@dataclass(frozen=True, eq=False)
class Text:
    """A text file of numbered lines, the first of them 1."""

    path: Path
    content: str

    @cached_property
    def lines(self) -> list[str]:
        """As an editor counts them: ended by line feeds and nothing else."""
        lines = self.content.split("\n")
        return lines[:-1] if not lines[-1] else lines

    def line(self, number: int, what: str) -> str:
        """Line ``number``; ``what`` stands there, so that a file that ends too early can say what is missing."""
        if number > len(self.lines):
            raise self.error(len(self.lines), f"the file ends before {what}, which belongs to line {number}")
        return self.lines[number - 1]

    def error(self, line: int | None, reason: str) -> LoadError:
        """An error with file, line and reason, to be raised."""
        # "record" in front: a bare "name.AT2: …" would pass for the name of a constructor where files are quoted.
        return LoadError(f"{self.path}, line {line}: {reason}" if line else f"record {self.path}: {reason}")

    def positive(self, line: int, word: str, what: str) -> float:
        """A word of a header as a positive number."""
        value = number(word.strip())
        if value is None or not 0 < value < np.inf:
            raise self.error(line, f"{what} must be a positive number, got {word.strip()!r}")
        return value

    def count(self, line: int, word: str, what: str) -> int:
        """A word of a header as a number of things, at least one."""
        if not re.fullmatch(r"\d{1,9}", word.strip(), re.ASCII) or int(word) < 1:
            raise self.error(line, f"{what} must be a whole number above 0, got {word.strip()!r}")
        return int(word)

    def samples_in(self, line: int, seconds: float, rate: float) -> int:
        """How many samples a duration and a rate of the header make, at least one."""
        if not seconds * rate < 1e9:
            raise self.error(line, f"{seconds:g} s at {rate:g} samples a second are more than any record holds")
        return max(round(seconds * rate), 1)

    def numbers(self, first: int, count: int, announced: int) -> Array:
        """The ``count`` numbers from line ``first`` to the end of the file, which line ``announced`` promises."""
        last = self.last_line(first)
        words = "\n".join(self.lines[first - 1 : last])
        if _PLAIN.fullmatch(words):
            try:
                values = np.array(words.split(), dtype=float)
                if len(values) == count and np.isfinite(values).all():
                    return values
            except ValueError:
                pass
        return self._slowly(first, last, count, announced)

    def last_line(self, first: int) -> int:
        """The last line of the samples, before a mark such as ``*** End Data ***``."""
        last = len(self.lines)
        while last >= first and not self.lines[last - 1].strip():
            last -= 1
        return last - 1 if last >= first and _END_MARK.match(self.lines[last - 1].strip()) else len(self.lines)

    def _slowly(self, first: int, last: int, count: int, announced: int) -> Array:
        """Word by word, to find the one that is wrong."""
        values: list[float] = []
        for line, text in enumerate(self.lines[first - 1 : last], start=first):
            for word in text.split():
                values.append(self.sample(line, word))
                if len(values) > count:
                    raise self.error(line, f"more than the {count} samples that line {announced} announces")
        if len(values) < count:
            raise self.error(
                len(self.lines),
                f"the file ends after {len(values)} of the {count} samples that line {announced} announces",
            )
        return np.array(values)

    def sample(self, line: int, word: str) -> float:
        """One sample: a finite number."""
        value = number(word)
        if value is None and _DECIMAL_COMMA.fullmatch(word):
            raise self.error(line, f"{word!r} is not a number; write decimals with a point")
        if value is None:
            raise self.error(line, f"{word!r} is not a number" if word else "a value is missing")
        if not np.isfinite(value):
            raise self.error(line, f"{word!r} is not finite; mend or cut the record")
        return value


class HeaderPeak(NamedTuple):
    """The largest acceleration as a header prints it, in the record's unit, good to one of its last digit."""

    value: float
    digit: float
    line: int | None
    name: str


def header_peak(word: str, line: int, name: str, factor: float = 1.0) -> HeaderPeak | None:
    """A header's peak; None where the word is no number. ``factor`` takes it to the record's unit.

    >>> header_peak("-4.078", 15, "Max. Acc.")
    HeaderPeak(value=4.078, digit=0.001, line=15, name='Max. Acc.')
    """
    value = number(word.strip())
    if value is None or not np.isfinite(value):
        return None
    mantissa, _, power = word.strip().upper().replace("D", "E").partition("E")
    digit = 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
    return HeaderPeak(abs(value) * factor, digit * factor, line, name)


@dataclass(frozen=True, eq=False)
class FileRecord:
    """One record of a file. What the file does not tell is None.

    Attributes
    ----------
    samples : accelerations, (n,), in ``unit``.
    step : time between samples [s].
    unit : as :func:`hamex.motion.units.acceleration_unit` spells it.
    component : direction, channel or name, as the file spells it.
    origin : event and station, as the file spells them; or what made the record.
    kind : "recorded", "synthetic" or "matched".
    unit_line : line of the file that tells the unit.
    step_line : line of the file that tells the step.
    peak : the largest acceleration that the header tells.
    offset : whether the samples hold the instrument's offset, which the network itself takes off by their mean.
    remarks : what does not agree in the file and was read all the same.
    """

    samples: Array
    step: float | None
    unit: str | None
    component: str = ""
    origin: str = ""
    kind: str = "recorded"
    unit_line: int | None = None
    step_line: int | None = None
    peak: HeaderPeak | None = None
    offset: bool = False
    remarks: tuple[str, ...] = ()


class Fields(NamedTuple):
    """So many numbers per line, each so many characters wide."""

    per_line: int
    width: int

    def lines(self, count: int) -> int:
        """Lines that ``count`` numbers take."""
        return -(-count // self.per_line)


def fields(text: Text, line: int, words: str) -> Fields:
    """A format such as ``8F10.5`` or ``10I8``.

    >>> from pathlib import Path
    >>> fields(Text(Path("a.v2"), ""), 1, "8F10.5")
    Fields(per_line=8, width=10)
    """
    match = _FORMAT.fullmatch(words)
    if match is None or int(match[1] or 1) < 1 or int(match[3]) < 1:
        raise text.error(line, f"expected a format as in (8F10.5), got ({words})")
    return Fields(int(match[1] or 1), int(match[3]))


def numbers_in_fields(text: Text, first: int, count: int, layout: Fields, what: str) -> Array:
    """``count`` numbers from line ``first`` on."""
    last = first + layout.lines(count) - 1
    values: list[float] = []
    for line in range(first, last + 1):
        if line > len(text.lines):
            raise text.error(len(text.lines), f"the file ends after {len(values)} of the {count} {what}")
        wanted = min(layout.per_line, count - len(values))
        words = _words(text.lines[line - 1], wanted, layout.width)
        if len(words) != wanted:
            raise text.error(line, f"expected {wanted} {what} in this line, found {len(words)}")
        values += [text.sample(line, word) for word in words]
    return np.array(values)


def _words(line: str, wanted: int, width: int) -> list[str]:
    """Numbers between blanks where that gives as many as wanted; else the fields of the line."""
    words = line.split()
    if len(words) == wanted:
        return words
    return [line[at : at + width].strip() for at in range(0, len(line.rstrip()), width)]


# Formats that are not read ----------------------------------------------------------------------------------

_SAC_VERSION = 304  # byte at which SAC keeps the version of its header, 6 or 7


def _is_sac(data: bytes) -> bool:
    if len(data) < 632:  # the length of its header
        return False
    return any(struct.unpack_from(order, data, _SAC_VERSION)[0] in (6, 7) for order in ("<i", ">i"))


# What the bytes of a file look like; the first that fits names it.
_BINARY: dict[str, Callable[[bytes], object]] = {
    "MiniSEED": re.compile(rb"\d{6}[DRQM][ \x00]").match,
    "MiniSEED 3": re.compile(rb"MS\x03").match,
    "SEED": re.compile(rb"\d{6}V ").match,
    "a ZIP archive": re.compile(rb"PK[\x03\x05]").match,
    "a gzip archive": re.compile(rb"\x1f\x8b").match,
    "HDF5 (ASDF)": re.compile(rb"\x89HDF").match,
    "a MATLAB file": re.compile(rb"MATLAB \d").match,
    "PDF": re.compile(rb"%PDF").match,
    "Kinemetrics EVT": re.compile(rb"KMI|K\x01\x01").match,
    "an Excel workbook": re.compile(rb"\xd0\xcf\x11\xe0").match,
    "SAC": _is_sac,
}


class Unread(NamedTuple):
    """A text format by how it starts: its name, and what to do instead."""

    starts: re.Pattern[str]
    name: str
    instead: str


_INSTEAD = "write its accelerations as text columns"
_TEXT = (
    Unread(
        re.compile(r"\s*Response and Fourier amplitude spectra", re.IGNORECASE),
        "spectra (CSMIP volume 3)",
        "take the file of volume 1 or 2",
    ),
    Unread(re.compile(r"[^\n]*Response spectr", re.IGNORECASE), "a file of spectra", "take the file of accelerations"),
    Unread(
        re.compile(r"(?:[^\n]*\n){3,8}?\s*SAMPLES/SEC\s*=.*DATA TYPE\s*=", re.IGNORECASE),
        "the tape format of USGS and NOAA (SAMPLES/SEC, DATA TYPE)",
        _INSTEAD,
    ),
    Unread(re.compile(r"#?DELTA:.*\n#?LENGTH:"), "ASCII of Seismic Handler", _INSTEAD),
    Unread(re.compile(r"(?:BEGIN\b|WID[12]\b|DATA_TYPE )"), "GSE or IMS", _INSTEAD),
    Unread(re.compile(r"TIMESERIES \S+,"), "SLIST or TSPAIR of the SEED services", _INSTEAD),
    Unread(re.compile(r"\s*<(?:!DOCTYPE\s+html|html)", re.IGNORECASE), "a web page", "download the record itself"),
    Unread(re.compile(r"\s*<\?xml|\s*<\w"), "XML", "take the waveform that it describes"),
)


def binary_format(data: bytes) -> str | None:
    """The name of a format that is no text; None where it is none that hamex recognises.

    >>> binary_format(b"000001D STA"), binary_format(b"PK\\x03\\x04"), binary_format(b"\\x00\\x01")
    ('MiniSEED', 'a ZIP archive', None)
    """
    return next((name for name, looks in _BINARY.items() if looks(data)), None)


def text_format(content: str) -> Unread | None:
    """What a text is that hamex recognises and does not read; None where it is nothing of the kind.

    >>> text_format("<!DOCTYPE html>").name, text_format("0.1 0.2")
    ('a web page', None)
    """
    return next((entry for entry in _TEXT if entry.starts.match(content[:2000])), None)
