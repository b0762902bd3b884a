"""Plain text: one column of samples, time and samples in two, or one of several columns by number or name.

Where there are several columns, the first is the time. Nothing is guessed: a step is given or follows from the times; a
unit is given, or taken from a column's name if it stands there in full, as ``acceleration_g`` or ``acc [cm/s2]``; a
column that calls itself another quantity is refused.

Columns are separated by commas, semicolons or blanks; blank lines and lines that start with ``#`` are passed over. The
decimal mark, point or comma, is that of the whole file: a comma between digits may part two columns or a number, which
semicolons, blanks or tabs between the columns tell, and so does a single column; where nothing tells, the file is
refused.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import LoadError
from hamex.files import read_text
from hamex.model.units import acceleration_in, is_other_quantity, unit_in_words
from hamex.motion.records.text import FileRecord, Text, number

Array = NDArray[Any]
Numbered = list[tuple[int, str]]
_SEPARATOR = re.compile(r"\s*[,;]\s*|\s+")
_BESIDE_COMMAS = re.compile(r"\s*;\s*|\s+")  # where the comma is the decimal mark
_BLANK_BETWEEN = re.compile(r"\d[\s;]+[+-]?[\d,]")
_COMMA_AND_BLANK = re.compile(r",\s|\s,")
_LEADING_ZERO = re.compile(r"(?:^|[,\s])[+-]?0\d")
_BRACKETS = re.compile(r"\s*[\[(][^\])]*[\])]\s*")
# Files print times with few digits (1/60 s as 0.0167), so a time may be off by this share of a step.
_ROUNDING = 0.01
OWN = "# hamex record"  # first line of what :mod:`hamex.motion.records.suite` writes
_NOTE = re.compile(r"#\s*(component|kind|source)\s*:\s*(.*?)\s*")
_UNIT_NOTE = re.compile(r"#.*\bunits?\s*[:=]\s*(\S+)", re.IGNORECASE)
_TIME = re.compile(r"t(?:ime)?\s*[_\[(]\s*([^\])]*?)\s*[\])]?", re.IGNORECASE)
_SECONDS = ("s", "sec", "secs", "second", "seconds")


def read_samples(path: str | os.PathLike[str], step: float | None = None) -> tuple[Array, float]:
    """Samples and their step [s] from a text file of one or two columns."""
    table = table_of(Path(path), read_text(Path(path)))
    width = table.values.shape[1]
    if width > 2:
        raise LoadError(
            f"{path}, line {table.lines[0]}: {width} columns; give one column of samples, or time and samples"
        )
    samples, found = samples_of(table, step, width - 1)
    if found is None:
        raise LoadError(f"the one column of samples in {path} needs its step, e.g. step = 0.01")
    return samples, found


def read_path(text: Text) -> list[FileRecord]:
    """All numbers of a text as one record along the lines; it tells neither step nor unit."""
    words = [word for line in text.lines[: text.last_line(1)] for word in line.split()]
    if not words:
        raise text.error(None, "no samples in the file")
    return [FileRecord(text.numbers(1, len(words), 1), None, None)]


def samples_of(table: TextColumns, step: float | None, column: int) -> tuple[Array, float | None]:
    """Samples of a column, counted from 0, and their step [s]; None where neither the file nor the user tells it.

    The first of several columns is the time.
    """
    samples = table.values[:, column]
    return samples, step if column == 0 else _uniform_step(table.path, table.lines, table.values[:, 0], step)


def _uniform_step(path: Path, lines: list[int], times: Array, given: float | None) -> float:
    """The one step of the time column, which must start at 0 and agree with a given step."""
    if len(times) < 2:
        raise LoadError(f"the two columns in {path} need at least two samples, to tell the step")
    if times[0] != 0:
        raise LoadError(
            f"{path}, line {lines[0]}: the times start at {times[0]:g} s; hamex's clock starts at 0, "
            "so shift the times or add the samples from 0 on"
        )
    widths = np.diff(times)
    back = np.flatnonzero(widths <= 0)
    if back.size:
        raise LoadError(
            f"{path}, line {lines[back[0] + 1]}: the time {times[back[0] + 1]:g} s does not come after "
            f"{times[back[0]]:g} s"
        )
    if given is not None:
        off = np.flatnonzero(~(np.abs(times - given * np.arange(len(times))) <= _ROUNDING * given))
        if off.size:
            raise LoadError(
                f"{path}, line {lines[off[0]]}: the time {times[off[0]]:g} s does not fit the given step "
                f"of {given:g} s; leave step out to take it from the file"
            )
        return given
    mean = times[-1] / len(widths)
    if np.abs(times - mean * np.arange(len(times))).max() > _ROUNDING * mean:
        usual = float(np.median(widths))
        worst = int(np.abs(widths - usual).argmax())
        raise LoadError(
            f"{path}, line {lines[worst + 1]}: the time step changes from {usual:.6g} s to "
            f"{widths[worst]:.6g} s; resample the record to one step"
        )
    return float(f"{mean:.12g}")  # 31.18/1559 is 0.02 and not its neighbour


def read_columns(text: Text, step: float | None = None, column: int | str | None = None) -> list[FileRecord]:
    """The one record of the file, or of the chosen column; or of all numbers, if they can only run along the lines."""
    if column is None and _runs_along_lines(text):
        return read_path(text)
    table = table_of(text.path, text.content)
    chosen = _column(table, column)
    name = table.names[chosen] if table.names else ""
    if is_other_quantity(name):
        raise text.error(
            table.names_line, f"the column is named {name!r}, which is no acceleration, whatever its unit; choose one"
        )
    if table.names and chosen > 0:
        _check_seconds(text, table)
    samples, found = samples_of(table, step, chosen)
    unit, unit_line = acceleration_in(name), table.names_line
    if unit is None:
        unit, unit_line = _unit_note(text, table.lines[0])
    own = text.lines[:8] if text.content.startswith(OWN) else []
    notes = {match[1]: match[2] for match in map(_NOTE.fullmatch, own) if match}
    component = notes.get("component", name if isinstance(column, str) else "")
    return [
        FileRecord(
            samples, found, unit, component, notes.get("source", ""), notes.get("kind", "recorded"), unit_line=unit_line
        )
    ]


def _runs_along_lines(text: Text) -> bool:
    """Whether bare numbers, several a line, end with a shorter line: no columns do, but the path files of OpenSees.

    Not where the first column is a time that begins at zero: that is a table whose last row was cut.
    """
    rows = [words for words in map(str.split, text.lines[: text.last_line(1)]) if words]
    if len(rows) < 2 or not 0 < len(rows[-1]) < len(rows[0]):
        return False
    if any(len(row) != len(rows[0]) for row in rows[:-1]) or any(number(word) is None for row in rows for word in row):
        return False
    first = [float(row[0]) for row in rows]
    return len(rows[0]) > 2 and not (first[0] == 0 and all(np.diff(first) > 0))


def _column(table: TextColumns, column: int | str | None) -> int:
    """Place of the column, counted from 0."""
    width = table.values.shape[1]
    if column is None:
        left = [place for place in range(1, width) if table.names and not is_other_quantity(table.names[place])]
        if width > 2 and len(left) != 1:
            raise LoadError(
                f"{table.path}, line {table.lines[0]}: {width} columns; choose one with column=, or say "
                'format="opensees" if the numbers are one record along the lines'
            )
        return left[0] if width > 2 else width - 1
    if isinstance(column, str):
        if column not in table.names:
            names = ", ".join(table.names) or "nameless"
            raise LoadError(f"record {table.path}: no column is named {column!r}; columns are {names}")
        return table.names.index(column)
    if not 1 <= column <= width:
        raise LoadError(f"record {table.path}: column {column} does not exist; the file has {width}")
    return column - 1


def _unit_note(text: Text, first: int) -> tuple[str | None, int | None]:
    """The unit that a comment above the samples tells, as in ``# unit: cm/s2``."""
    for line, words in enumerate(text.lines[: first - 1], start=1):
        match = _UNIT_NOTE.match(words)
        unit = unit_in_words(match[1]) if match else None
        if unit is not None:
            return unit, line
    return None, None


def _check_seconds(text: Text, table: TextColumns) -> None:
    name = table.names[0].strip()
    match = _TIME.fullmatch(name)
    if match and match[1].lower() not in _SECONDS:
        raise text.error(table.names_line, f"times must be in seconds, the column is named {name!r}")
    if is_other_quantity(name):
        raise text.error(table.names_line, f"the first column must be the time, it is named {name!r}")


@dataclass(frozen=True, eq=False)
class TextColumns:
    """Columns of numbers, (row, column), with the line of every row, and the names above them where there are any."""

    path: Path
    values: Array
    lines: list[int]
    names: list[str]
    names_line: int | None


def table_of(path: Path, text: str, columns: int = 0) -> TextColumns:
    """The columns of a text; every row must have as many as the first. Where their number is known, ``columns``, it
    tells whether a comma between whole numbers parts them."""
    numbered = [(line, content.strip()) for line, content in enumerate(text.split("\n"), start=1)]
    written = [(line, content) for line, content in numbered if content and not content.startswith("#")]
    names_line = written[0][0] if written and _is_names(written[0][1]) else None
    # A second line of names holds the units, "[s], [cm/s2]".
    units = names_line is not None and len(written) > 1 and all(map(_BRACKETS.fullmatch, _parts(written[1][1])))
    names = _parts(written[0][1]) if names_line else []
    body = written[(names_line is not None) + units :]
    if not body:
        raise LoadError(f"no samples in {path}")
    comma = _decimal_comma(path, columns or len(names), body)
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
