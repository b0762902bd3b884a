"""Plain text: one column of samples, time and samples in two, or one of several columns by number or name.

Where there are several columns, the first is the time. Nothing is guessed: a step is given or follows from the times; a
unit is given, or taken from a column's name if it stands there in full, as ``acceleration_g`` or ``acc [cm/s2]``; a
column that calls itself another quantity is refused.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import LoadError
from hamex.files import read_text
from hamex.motion.records.table import TextColumns, table_of
from hamex.motion.records.text import FileRecord, Text, number
from hamex.motion.units import acceleration_in, is_other_quantity, unit_in_words

Array = NDArray[Any]
# Files print times with few digits (1/60 s as 0.0167), so a time may be off by this share of a step.
_ROUNDING = 0.01
OWN = "# hamex record"  # first line of what :mod:`hamex.motion.records.write` writes
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
