"""read_motions: the motions of a region from a table of stations, a record, or "el-centro"."""

from __future__ import annotations

import csv
from pathlib import Path

from hamex.errors import FileError, HamexError, InputError
from hamex.motion.ground import GroundMotion, el_centro
from hamex.motion.records import read_record
from hamex.study.region.motions import MotionGrid

EL_CENTRO = "el-centro"
TABLE = "stations.csv"
_NEEDED = ("longitude", "latitude", "file")
COLUMNS = ("id", *_NEEDED, "unit", "step", "component", "scale")


def read_motions(path: str | Path, *, unit: str | None = None, step: float | None = None,
                 interpolated: bool = False) -> MotionGrid:
    """Motions of a region.

    Parameters
    ----------
    path : a table of stations (``.csv`` with columns longitude, latitude and file, and where needed id, unit, step,
        component and scale; files are sought beside the table), a folder with such a ``stations.csv``, a record of any
        format that :func:`hamex.read_record` knows, for all buildings alike, or "el-centro".
    unit, step : of records that do not tell.
    interpolated : between stations, see :class:`MotionGrid`.

    Examples
    --------
    >>> grid = read_motions("el-centro")
    >>> grid.interpolated
    False
    """
    if str(path) == EL_CENTRO:
        return MotionGrid((el_centro(),), id=("El Centro",))
    path = Path(path)
    if path.is_dir():
        if not (path / TABLE).is_file():
            raise FileError(f"cannot read {path}: the folder has no {TABLE} with the columns {', '.join(_NEEDED)}")
        path = path / TABLE
    rows = _table(path)
    if rows is None:
        return MotionGrid((read_record(path, unit=unit, step=step),), id=(path.stem,))
    return _grid(path, rows, unit, step, interpolated)


def _table(path: Path) -> list[dict[str, str]] | None:
    """Rows of a table of stations; None if the file is something else."""
    if path.suffix.lower() != ".csv":
        return None
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            names = [name.strip().lower() for name in rows.fieldnames or ()]
            if not {"longitude", "latitude"} & set(names):
                return None
            for name in _NEEDED:
                if name not in names:
                    raise InputError(f"{path}: there is no column {name}; a table of stations has the columns "
                                     f"{', '.join(COLUMNS)}, of which {', '.join(_NEEDED)} are needed")
            return [{name: (value or "").strip() for name, value in zip(names, row.values(), strict=False)}
                    for row in rows]
    except UnicodeDecodeError:
        return None
    except OSError as problem:
        raise FileError(f"cannot read {path}: {problem.strerror}") from None


def _grid(path: Path, rows: list[dict[str, str]], unit: str | None, step: float | None,
          interpolated: bool) -> MotionGrid:
    if not rows:
        raise InputError(f"{path}: no stations")
    motions, places, names = [], [], []
    read: dict[tuple[str, ...], GroundMotion] = {}       # stations may share a file
    for number, row in enumerate(rows, start=1):
        where = f"{path}, row {number}"
        places.append([_number(where, name, row[name]) for name in ("longitude", "latitude")])
        names.append(row.get("id") or str(number))
        if not row["file"]:
            raise InputError(f"{where}, column file: no record is given")
        key = tuple(row.get(name, "") for name in ("file", "unit", "step", "component"))
        if key not in read:
            own = _number(where, "step", row["step"]) if row.get("step") else step
            try:
                read[key] = read_record(path.parent / row["file"], unit=row.get("unit") or unit, step=own,
                                        component=row.get("component") or None)
            except HamexError as problem:
                raise InputError(f"{where}, column file: {problem}") from None
        factor = row.get("scale")
        motions.append(read[key].scaled(_number(where, "scale", factor)) if factor else read[key])
    longitude, latitude = zip(*places, strict=True)
    try:
        return MotionGrid(tuple(motions), longitude, latitude, tuple(names), interpolated)
    except InputError as problem:
        raise InputError(f"{path}: {problem}") from None


def _number(where: str, column: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{where}, column {column}: {text!r} is not a number") from None
