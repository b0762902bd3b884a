"""Plain text: one column of accelerations, time and acceleration in two, or one of several columns by number or name.

Columns are separated by commas, semicolons or blanks; lines that start with ``#``, blank lines and one line of names
are passed over. Where there are several columns, the first is the time. The unit is taken from a column's name only if
it stands there in full, as ``acceleration_g`` or ``acc [cm/s2]``; a step is given or follows from the times.
"""

from __future__ import annotations

import re

from hamex.errors import LoadError
from hamex.motion.records.text import FileRecord, Text
from hamex.motion.textfile import TextColumns, samples_of, table_of
from hamex.motion.units import unit_in_words

OWN = "# hamex record"  # first line of what :mod:`hamex.motion.records.write` writes
_NOTE = re.compile(r"#\s*(component|kind|source)\s*:\s*(.*?)\s*")
_UNIT = re.compile(r".*?[\[(]\s*([^\])]*?)\s*[\])]\s*|a(?:cc\w*)?_(\S+)", re.IGNORECASE)
_TIME = re.compile(r"t(?:ime)?\s*[_\[(]\s*([^\])]*?)\s*[\])]?", re.IGNORECASE)
_SECONDS = ("s", "sec", "secs", "second", "seconds")


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
