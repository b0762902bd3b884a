"""Columns of numbers in a text, with the names above them; the decimal mark, point or comma, is that of the whole file.

Columns are separated by commas, semicolons or blanks; blank lines and lines that start with ``#`` are passed over. A
comma between digits may part two columns or a number: semicolons, blanks or tabs between the columns tell, and so does
a single column; where nothing tells, the file is refused.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import LoadError
from hamex.motion.records.text import number

Array = NDArray[Any]
Numbered = list[tuple[int, str]]
_SEPARATOR = re.compile(r"\s*[,;]\s*|\s+")
_BESIDE_COMMAS = re.compile(r"\s*;\s*|\s+")  # where the comma is the decimal mark
_BLANK_BETWEEN = re.compile(r"\d[\s;]+[+-]?[\d,]")
_COMMA_AND_BLANK = re.compile(r",\s|\s,")
_LEADING_ZERO = re.compile(r"(?:^|[,\s])[+-]?0\d")
_BRACKETS = re.compile(r"\s*[\[(][^\])]*[\])]\s*")


@dataclass(frozen=True, eq=False)
class TextColumns:
    """Columns of numbers, (row, column), with the line of every row, and the names above them where there are any."""

    path: Path
    values: Array
    lines: list[int]
    names: list[str]
    names_line: int | None


def table_of(path: Path, text: str) -> TextColumns:
    """The columns of a text; every row must have as many as the first."""
    numbered = [(line, content.strip()) for line, content in enumerate(text.split("\n"), start=1)]
    written = [(line, content) for line, content in numbered if content and not content.startswith("#")]
    names_line = written[0][0] if written and _is_names(written[0][1]) else None
    # A second line of names holds the units, "[s], [cm/s2]".
    units = names_line is not None and len(written) > 1 and all(map(_BRACKETS.fullmatch, _parts(written[1][1])))
    names = _parts(written[0][1]) if names_line else []
    body = written[(names_line is not None) + units :]
    if not body:
        raise LoadError(f"no samples in {path}")
    comma = _decimal_comma(path, len(names), body)
    rows = [_row(path, line, content, comma) for line, content in body]
    for (line, _), row in zip(body, rows, strict=True):
        if len(row) != len(rows[0]):
            raise LoadError(f"{path}, line {line}: {_columns(len(row))}, the lines before have {len(rows[0])}")
    width = len(rows[0])
    if names_line is None:  # numpy.savetxt and others write the names behind a #
        names_line, names = _names_in_comment(numbered[: body[0][0] - 1], width)
    elif len(names) != width:  # blanks between the names, or names that do not fit the columns
        names = _SEPARATOR.split(written[0][1])
    names = names if len(names) == width else []
    if units and names and len(_parts(written[1][1])) == width:
        names = [f"{name} {unit}" for name, unit in zip(names, _parts(written[1][1]), strict=True)]
    return TextColumns(path, np.array(rows), [line for line, _ in body], names, names_line)


def _is_names(content: str) -> bool:
    return all(number(word) is None for word in _SEPARATOR.split(content))


def _parts(content: str) -> list[str]:
    """Names may have blanks inside, "time [s], acceleration [g]", and commas where semicolons or tabs part them."""
    separator = ";" if ";" in content else "\t" if "\t" in content else ","
    return [name.strip() for name in content.split(separator)]


def _names_in_comment(above: Numbered, width: int) -> tuple[int | None, list[str]]:
    """The last comment above the samples, if it names as many columns."""
    line, content = next(((line, content) for line, content in reversed(above) if content), (0, ""))
    names = _parts(content.lstrip("# \t"))
    if len(names) != width:
        names = content.lstrip("# \t").split()
    return (line, names) if len(names) == width and _is_names(content.lstrip("# \t")) else (None, [])


def _decimal_comma(path: Path, names: int, body: Numbered) -> bool:
    """Whether the comma is the decimal mark."""
    contents = [content for _, content in body]
    if not any("," in content for content in contents) or any("." in content for content in contents):
        return False
    if any(map(_COMMA_AND_BLANK.search, contents)):
        return False
    if any(map(_BLANK_BETWEEN.search, contents)):
        return True
    most = max(content.count(",") for content in contents)
    if most > 1:
        if any(map(_LEADING_ZERO.search, contents)):
            raise LoadError(
                f"{path}, line {body[0][0]}: commas between columns and in decimals cannot be told apart; write "
                "decimals with a point, or put semicolons between the columns"
            )
        return False
    return names == 1 if names else not _are_pairs(contents)


def _are_pairs(contents: list[str]) -> bool:
    """Whether lines such as ``3,14`` are a time and a sample: whole numbers, the first of them 0, 1, 2 …"""
    halves = [content.split(",") for content in contents]
    if any(len(half) != 2 or number(half[0]) is None or number(half[1]) is None for half in halves):
        return any(len(half) == 2 and number(half[1]) is None for half in halves)  # refused word by word, as columns
    if any(half[1][0] in "+-" for half in halves):
        return True
    if any(map(_LEADING_ZERO.search, contents)) or any(half[0].startswith("-") for half in halves):
        return False
    times = [float(half[0]) for half in halves]
    return all(time == place * (times[-1] / max(len(times) - 1, 1)) for place, time in enumerate(times))


def _row(path: Path, line: int, content: str, comma: bool) -> list[float]:
    if comma:
        return [_sample(path, line, content, word.replace(",", ".", 1)) for word in _BESIDE_COMMAS.split(content)]
    if ";" in content and "," in content:
        raise LoadError(f"{path}, line {line}: commas and semicolons in one line; write decimals with a point")
    return [_sample(path, line, content, word) for word in _SEPARATOR.split(content)]


def _sample(path: Path, line: int, text: str, word: str) -> float:
    value = number(word)
    if value is None:
        raise LoadError(
            f"{path}, line {line}: {word!r} is not a number"
            if word
            else f"{path}, line {line}: a value is missing in {text!r}"
        )
    if not math.isfinite(value):
        raise LoadError(f"{path}, line {line}: {word!r} is not finite; mend or cut the record")
    return value


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"
