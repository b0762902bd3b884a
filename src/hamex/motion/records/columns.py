"""Plain text: one column of samples, time and samples in two, or one of several columns by number or name.

Columns are separated by commas, semicolons or blanks; lines that start with ``#``, blank lines and one line of names
are passed over. Where there are several columns, the first is the time. Nothing is guessed: a step is given or follows
from the times; a unit is given, or taken from a column's name if it stands there in full, as ``acceleration_g`` or
``acc [cm/s2]``.
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
from hamex.motion.ground import GroundMotion
from hamex.motion.records.text import FileRecord, Text, number
from hamex.motion.units import unit_in_words

Array = NDArray[Any]
_SEPARATOR = re.compile(r"\s*[,;]\s*|\s+")
# Files print times with few digits (1/60 s as 0.0167), so a time may be off by this share of a step.
_ROUNDING = 0.01
OWN = "# hamex record"  # first line of what :mod:`hamex.motion.records.write` writes
_NOTE = re.compile(r"#\s*(component|kind|source)\s*:\s*(.*?)\s*")
_UNIT = re.compile(r".*?[\[(]\s*([^\])]*?)\s*[\])]\s*|a(?:cc\w*)?_(\S+)", re.IGNORECASE)
_TIME = re.compile(r"t(?:ime)?\s*[_\[(]\s*([^\])]*?)\s*[\])]?", re.IGNORECASE)
_SECONDS = ("s", "sec", "secs", "second", "seconds")


def read_motion(path: str | os.PathLike[str], unit: str, step: float | None = None) -> GroundMotion:
    """A ground motion from a text file.

    Parameters
    ----------
    path : one column of accelerations, or two columns, time [s] and acceleration.
    unit : unit of the acceleration, "g", "m/s2", "cm/s2" …; files do not tell, so you must.
    step : time between samples [s]; needed with one column, checked with two.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "motion.csv")
    ...     _ = path.write_text("time_s,acceleration_g\\n0.00,0.0\\n0.01,0.2\\n0.02,-0.1\\n")
    ...     motion = read_motion(path, unit="g")
    >>> motion.step, motion.peak
    (0.01, 0.2)
    """
    samples, found = read_samples(path, step)
    return GroundMotion(samples, found, unit, source=Path(path).name)


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
    lines: list[int] = []
    rows: list[list[float]] = []
    names: list[str] = []
    names_line: int | None = None
    for line, content in enumerate(text.split("\n"), start=1):
        content = content.strip()
        if not content or content.startswith("#"):
            continue
        words = _SEPARATOR.split(content)
        if not rows and names_line is None and all(number(word) is None for word in words):
            # A name may have blanks inside, "time [s], acceleration [g]".
            names, names_line = [name.strip() for name in re.split("[,;\t]", content)], line
            continue
        if ";" in content and "," in content:
            raise LoadError(f"{path}, line {line}: commas and semicolons in one line; write decimals with a point")
        row = [_sample(path, line, content, word) for word in words]
        if rows and len(row) != len(rows[0]):
            raise LoadError(f"{path}, line {line}: {_columns(len(row))}, the lines before have {len(rows[0])}")
        lines.append(line)
        rows.append(row)
    if not rows:
        raise LoadError(f"no samples in {path}")
    if len(names) != len(rows[0]):  # blanks between the names, or names that do not fit the columns
        names = _SEPARATOR.split(text.split("\n")[names_line - 1].strip()) if names_line else []
        names = names if len(names) == len(rows[0]) else []
    return TextColumns(path, np.array(rows), lines, names, names_line)


def samples_of(table: TextColumns, step: float | None, column: int) -> tuple[Array, float | None]:
    """Samples of a column, counted from 0, and their step [s]; None where neither the file nor the user tells it.

    The first of several columns is the time.
    """
    samples = table.values[:, column]
    return samples, step if column == 0 else _uniform_step(table.path, table.lines, table.values[:, 0], step)


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
    """The one record of the file, or of the chosen column."""
    table = table_of(text.path, text.content)
    chosen = _column(table, column)
    samples, found = samples_of(table, step, chosen)
    unit = _unit(table.names[chosen]) if table.names else None
    if table.names and chosen > 0:
        _check_seconds(text, table)
    own = text.lines[:8] if text.content.startswith(OWN) else []
    notes = {match[1]: match[2] for match in map(_NOTE.fullmatch, own) if match}
    component = notes.get("component", table.names[chosen] if table.names and isinstance(column, str) else "")
    return [
        FileRecord(
            samples,
            found,
            unit,
            component,
            notes.get("source", ""),
            notes.get("kind", "recorded"),
            unit_line=table.names_line,
        )
    ]


def _column(table: TextColumns, column: int | str | None) -> int:
    """Place of the column, counted from 0."""
    width = table.values.shape[1]
    if column is None:
        if width > 2:
            raise LoadError(
                f"{table.path}, line {table.lines[0]}: {width} columns; choose one with column=, or say "
                'format="opensees" if the numbers are one record along the lines'
            )
        return width - 1
    if isinstance(column, str):
        if column not in table.names:
            names = ", ".join(table.names) or "nameless"
            raise LoadError(f"record {table.path}: no column is named {column!r}; columns are {names}")
        return table.names.index(column)
    if not 1 <= column <= width:
        raise LoadError(f"record {table.path}: column {column} does not exist; the file has {width}")
    return column - 1


def _unit(name: str) -> str | None:
    match = _UNIT.fullmatch(name.strip())
    return unit_in_words(match[1] or match[2] or "") if match else None


def _check_seconds(text: Text, table: TextColumns) -> None:
    match = _TIME.fullmatch(table.names[0].strip())
    if match and match[1].lower() not in _SECONDS:
        raise text.error(table.names_line, f"times must be in seconds, the column is named {table.names[0].strip()!r}")
