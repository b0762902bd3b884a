"""Numbers in fields of fixed width, as Fortran prints them: long neighbours touch."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.motion.records.text import Text

Array = NDArray[Any]
_FORMAT = re.compile(r"\s*(\d*)\s*(?:P|p)?\s*([FEGDIfegdi])[NSns]?(\d+)(?:\.\d+)?\s*")


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
