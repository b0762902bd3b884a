"""Records and forces from plain text: one column of samples, or time and samples in two.

Columns are separated by commas, semicolons or blanks. Lines that start with ``#``, blank lines and one line of
column names are skipped. Nothing is guessed: a unit is always given, a step is given or stands in the file.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import FileError, LoadError
from hamex.motion.ground import GroundMotion

Array = NDArray[Any]
_SEPARATOR = re.compile(r"\s*[,;]\s*|\s+")
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
    path = Path(path)
    lines: list[int] = []
    rows: list[list[float]] = []
    for line, row in _rows(path):
        if rows and len(row) != len(rows[0]):
            raise LoadError(f"{path}, line {line}: {_columns(len(row))}, the lines before have {len(rows[0])}")
        if len(row) > 2:
            raise LoadError(f"{path}, line {line}: {len(row)} columns; give one column of samples, or time and samples")
        lines.append(line)
        rows.append(row)
    if not rows:
        raise LoadError(f"no samples in {path}")
    table = np.array(rows)
    if table.shape[1] == 2:
        return table[:, 1], _uniform_step(path, lines, table[:, 0], step)
    if step is None:
        raise LoadError(f"the one column of samples in {path} needs its step, e.g. step = 0.01")
    return table[:, 0], step


def _rows(path: Path) -> Iterator[tuple[int, list[float]]]:
    """Line number and numbers of every line with samples."""
    named = False
    try:
        with path.open(encoding="utf-8-sig") as file:
            for line, text in enumerate(file, start=1):
                text = text.strip()
                if not text or text.startswith("#"):
                    continue
                words = _SEPARATOR.split(text)
                numbers = [_number(word) for word in words]
                if not named and all(number is None for number in numbers):
                    named = True
                    continue
                named = True     # names may only stand above the first sample
                if ";" in text and "," in text:
                    raise LoadError(f"{path}, line {line}: commas and semicolons in one line; write decimals with "
                                    "a point")
                yield line, [_sample(path, line, text, word) for word in words]
    except FileNotFoundError:
        raise FileError(f"cannot read {path}: no such file") from None
    except UnicodeDecodeError:
        raise FileError(f"cannot read {path}: not a text file in UTF-8") from None
    except OSError as problem:
        raise FileError(f"cannot read {path}: {problem.strerror}") from None


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _sample(path: Path, line: int, text: str, word: str) -> float:
    number = _number(word)
    if number is None:
        raise LoadError(f"{path}, line {line}: {word!r} is not a number" if word else
                        f"{path}, line {line}: a value is missing in {text!r}")
    if not math.isfinite(number):
        raise LoadError(f"{path}, line {line}: {word!r} is not finite; mend or cut the record")
    return number


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _uniform_step(path: Path, lines: list[int], times: Array, given: float | None) -> float:
    """The one step of the time column, which must start at 0 and agree with a given step."""
    if len(times) < 2:
        raise LoadError(f"the two columns in {path} need at least two samples, to tell the step")
    if times[0] != 0:
        raise LoadError(f"{path}, line {lines[0]}: the times start at {times[0]:g} s; hamex's clock starts at 0, "
                        "so shift the times or add the samples from 0 on")
    widths = np.diff(times)
    back = np.flatnonzero(widths <= 0)
    if back.size:
        raise LoadError(f"{path}, line {lines[back[0] + 1]}: the time {times[back[0] + 1]:g} s does not come after "
                        f"{times[back[0]]:g} s")
    if given is not None:
        off = np.flatnonzero(~(np.abs(times - given * np.arange(len(times))) <= _ROUNDING * given))
        if off.size:
            raise LoadError(f"{path}, line {lines[off[0]]}: the time {times[off[0]]:g} s does not fit the given step "
                            f"of {given:g} s; leave step out to take it from the file")
        return given
    mean = times[-1] / len(widths)
    if np.abs(times - mean * np.arange(len(times))).max() > _ROUNDING * mean:
        usual = float(np.median(widths))
        worst = int(np.abs(widths - usual).argmax())
        raise LoadError(f"{path}, line {lines[worst + 1]}: the time step changes from {usual:.6g} s to "
                        f"{widths[worst]:.6g} s; resample the record to one step")
    return float(f"{mean:.12g}")     # 31.18/1559 is 0.02 and not its neighbour
