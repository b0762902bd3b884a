"""Records and forces from plain text: one column of samples, or time and samples in two.

Columns are separated by commas, semicolons or blanks. Lines that start with ``#``, blank lines and one line of
column names are skipped. Nothing is guessed: a unit is always given, a step is given or stands in the file.
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

from hamex.errors import FileError, LoadError
from hamex.motion.ground import GroundMotion

Array = NDArray[Any]
_SEPARATOR = re.compile(r"\s*[,;]\s*|\s+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf(?:inity)?)", re.ASCII | re.IGNORECASE)
# Files print times with few digits (1/60 s as 0.0167), so a time may be off by this share of a step.
_ROUNDING = 0.01


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
    table = table_of(Path(path), _text(Path(path)))
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


def number(word: str) -> float | None:
    """A word as a number; None if it is not one. ``nan`` and ``inf`` are numbers here, so that they can be refused.

    Python's own float() takes "1_000" too, and not the exponent D of Fortran.

    >>> number("1.5D-3"), number("1_000")
    (0.0015, None)
    """
    if _NUMBER.fullmatch(word):
        return float(word.replace("d", "e").replace("D", "e"))
    return float(word) if _NOT_FINITE.fullmatch(word) else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileError(f"cannot read {path}: no such file") from None
    except UnicodeDecodeError:
        raise FileError(f"cannot read {path}: not a text file in UTF-8") from None
    except OSError as problem:
        raise FileError(f"cannot read {path}: {problem.strerror}") from None


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
