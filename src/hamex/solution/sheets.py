"""Tables as an Excel workbook: one sheet a table, names with units in its first row, whole or not at all."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hamex.errors import FileError
from hamex.solution.atomic import write_atomically

Columns = Mapping[str, Iterable[Any]]
_ROWS, _COLUMNS = 1_048_576, 16_384  # of a sheet, by Excel's own specification
_NAME = 31  # characters of a sheet's name
_NARROW, _WIDE = 9, 48  # characters of a column


def write_sheets(path: Path, sheets: Mapping[str, Columns]) -> Path:
    """Write tables by the name of their sheet: columns by header, each one entry a row; empty tables are left out.

    What is no number (NaN) is an empty cell. Text stays text, whatever it begins with.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_sheets(Path(folder, "a.xlsx"), {"curve": {"drift [m]": [0.0, 0.1], "shear [kN]": [0.0, 5.0]}}).name
    'a.xlsx'
    """
    tables = {name: {head: _plain(column) for head, column in columns.items()} for name, columns in sheets.items()}
    for name, columns in tables.items():
        rows = 1 + max((len(column) for column in columns.values()), default=0)
        if rows > _ROWS or len(columns) > _COLUMNS:
            raise FileError(
                f"cannot write {path}: a sheet of Excel holds {_ROWS:,} rows and {_COLUMNS:,} columns, the table "
                f"{name!r} has {rows:,} and {len(columns):,}; write .csv or .nc"
            )
    # Libraries fill memory, our own file fills the disk.
    return write_atomically(path, lambda part: part.write_bytes(_workbook(tables)))


def pairs(about: Mapping[str, Any]) -> Columns:
    """What is told of the numbers, as a table of names and values."""
    return {"what": list(about), "value": [value if _is_number(value) else str(value) for value in about.values()]}


def _workbook(tables: Mapping[str, Mapping[str, list[Any]]]) -> bytes:
    from xlsxwriter import Workbook

    content = io.BytesIO()
    with Workbook(content, {"in_memory": True}) as book:
        head = book.add_format({"bold": True, "bottom": 1})
        for name, columns in tables.items():
            if not columns:
                continue
            sheet = book.add_worksheet(name[:_NAME])
            sheet.freeze_panes(1, 1)
            for place, (title, column) in enumerate(columns.items()):
                sheet.write_string(0, place, title, head)
                texts = [len(value) for value in column if isinstance(value, str)]
                sheet.set_column(place, place, min(max(_NARROW, len(title) + 1, *texts, 0), _WIDE))
                for row, value in enumerate(column, start=1):
                    _write(sheet, row, place, value)
    return content.getvalue()


def _write(sheet: Any, row: int, place: int, value: Any) -> None:
    if isinstance(value, bool):
        sheet.write_boolean(row, place, value)
    elif not _is_number(value):
        if value is not None:
            sheet.write_string(row, place, str(value))
    elif math.isfinite(value):
        sheet.write_number(row, place, value)
    elif value == value:  # Excel has no infinity
        sheet.write_string(row, place, "infinite" if value > 0 else "-infinite")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _plain(column: Any) -> list[Any]:
    """As Python's own numbers and texts."""
    return column.tolist() if hasattr(column, "tolist") else list(column)
