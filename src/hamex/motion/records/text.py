"""A record file as numbered lines, its numbers, and what a reader finds in it.

Whatever is wrong is told by file, line and reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex import files
from hamex.errors import FileError, LoadError

Array = NDArray[Any]
_PLAIN = re.compile(r"[0-9eE.+\-\s]*", re.ASCII)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_DOS_END = "\x1a"
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf(?:inity)?)", re.ASCII | re.IGNORECASE)


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, or in Latin-1 where station names need it; lines end with line feeds."""
    return text_of(files.read_bytes(path, files.RECORD), path)


def text_of(data: bytes, path: Path) -> str:
    """The text that bytes of a file hold; ``path`` names it in messages."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = text.rstrip(_DOS_END).replace("\r\n", "\n").replace("\r", "\n")
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

    def numbers(self, first: int, count: int, announced: int) -> Array:
        """The ``count`` numbers from line ``first`` to the end of the file, which line ``announced`` promises."""
        words = "\n".join(self.lines[first - 1 :])
        if _PLAIN.fullmatch(words):
            try:
                values = np.array(words.split(), dtype=float)
                if len(values) == count and np.isfinite(values).all():
                    return values
            except ValueError:
                pass
        return self._slowly(first, count, announced)

    def _slowly(self, first: int, count: int, announced: int) -> Array:
        """Word by word, to find the one that is wrong."""
        values: list[float] = []
        for line, text in enumerate(self.lines[first - 1 :], start=first):
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
        if value is None:
            raise self.error(line, f"{word!r} is not a number" if word else "a value is missing")
        if not np.isfinite(value):
            raise self.error(line, f"{word!r} is not finite; mend or cut the record")
        return value


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
    """

    samples: Array
    step: float | None
    unit: str | None
    component: str = ""
    origin: str = ""
    kind: str = "recorded"
    unit_line: int | None = None
    step_line: int | None = None
