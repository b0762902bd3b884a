"""Files: NetCDF, CSV and Excel, out; written whole or not at all. A file without a problem keeps names and places of
dofs and springs as text. In a workbook a sheet is a table, with names and units in its first row."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_whole
from hamex.errors import FileError, InputError, LargeFileWarning, warn
from hamex.files import FORMATS, check_writable, write_atomically
from hamex.problem import ON_DOFS
from hamex.solution.fields import Times
from hamex.solution.keeping import body_tree, model_tree, names_tree, packed, problem_tree, scheme_tree, sized
from hamex.solution.outline import ENERGIES, MOVING, Answers, Extent, variable
from hamex.solution.shaking import level_dofs
from hamex.solution.source import THRIFTY, HistoriesOnly, Run

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[Any]
Columns = Mapping[str, Iterable[Any]]
_ROWS, _COLUMNS = 1_048_576, 16_384  # of a sheet, by Excel's own specification
_NAME = 31  # characters of a sheet's name
_NARROW, _WIDE = 9, 48  # characters of a column
_SHEETS = {"": "overall", "direction": "base"}  # names that tell more than that of the dimension
_SPRINGS_OWN = {"base_shear": "base_shear of the springs"}  # beside the applied one of a capacity curve
SERIES = (".pvd", ".vtu")  # of bodies
_LONG, _HUGE = 19, 50e6  # bytes of a number in a table, and of a table that few programs open
_TABLE = 2000  # dofs of a body in a table
_WIDEST = 60  # columns of histories in a sheet, beyond which people look for what they need
_LEAN = {  # what a wider sheet keeps, by dimension
    "dof": ("displacement", "velocity", "absolute_acceleration"),
    "spring": ("deformation", "force"),
    "hinge": ("hinge_rotation",),
    "group": ("plastic_by_group",),
}
# Slow loading has no time: these are all zero, or no more than the load itself.
_NOISE = 1e-12  # of the largest number beside it: what slow loading leaves where nothing moves
_ON_DOFS = {"displacement", "momentum", *ON_DOFS}


def layout_words(solution: Answers) -> dict[str, Any]:
    """What JSON knows of a structure's layout, with the mean motion of its supports."""
    layout = solution.layout
    names = ("directions", "influence", "groups", "yields", "together", "storeys", "geometry")
    return {name: _plain(getattr(layout, name)) for name in names} | {"base": _plain(solution.base)}


def _plain(value: Any) -> Any:
    """As what JSON knows; a matrix becomes its shape and entries."""
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "tocoo"):
        entries = value.tocoo()
        return {
            "shape": entries.shape,
            "row": entries.row.tolist(),
            "column": entries.col.tolist(),
            "value": entries.data.tolist(),
        }
    return value.tolist() if isinstance(value, np.ndarray) else value


def save(
    solution: Answers,
    path: Path,
    problem: bool = True,
    times: Times = None,
    names: Sequence[str] | None = None,
    every: int = 1,
) -> Path:
    """Write a solution by the ending of its path; NetCDF with its problem and scheme, if there are and if asked for;
    the series of a body at some times; a table of some results at every so many nodes."""
    check_writable(path, FORMATS if solution.layout.body is None else (*FORMATS, *SERIES))
    if (names is not None or every != 1) and path.suffix.lower() != ".csv":
        raise InputError(f"save: names and every are for .csv; {path.name} holds all that was kept")
    if isinstance(names, str) or not is_whole(every, 1):
        raise InputError(f"save: names are a list, every is a whole number ≥ 1; got {names!r:.60} and {every!r:.60}")
    if path.suffix.lower() in SERIES:
        from hamex.solution.containers import save_series

        return save_series(solution, path, times)
    if times is not None:
        raise InputError(f"save: times are those of a series; {path.name} holds all that was kept")
    if path.suffix.lower() == ".nc":
        return write_atomically(path, lambda temporary: _netcdf(solution, temporary, problem))
    if solution.layout.body is not None and len(solution.dofs) > _TABLE:
        raise FileError(
            f"cannot write {path}: a table of {len(solution.dofs):,} dofs helps nobody; write .nc (everything) or .pvd "
            "(for ParaView), or probe some places"
        )
    if path.suffix.lower() == ".xlsx":
        return write_sheets(path, sheets_of(solution))
    columns = _table(solution, names, every)
    size = _LONG * len(columns) * len(columns["time [s]"])
    if size > _HUGE:
        warn(
            f"save: {path.name} will take about {size / 1e6:,.0f} MB, {len(columns):,} columns of "
            f"{len(columns['time [s]']):,} rows; choose results by names and nodes by every=10, or write .nc",
            LargeFileWarning,
        )
    return write_atomically(path, lambda temporary: _csv(columns, temporary))


def netcdf_bytes(solution: Answers) -> bytes:
    """What :func:`save` writes as NetCDF, in memory."""
    return _image(solution, True)


def _netcdf(solution: Answers, path: Path, problem: bool) -> None:
    path.write_bytes(_image(solution, problem))


def _image(solution: Answers, problem: bool) -> bytes:
    from hamex.solution.containers import group_of, image

    kept = solution.source if problem and isinstance(solution.source, Run) else None
    trees: dict[str, Any] = {}
    if kept is not None:
        trees = {
            "model": model_tree(kept.problem.model),
            "problem": problem_tree(kept.problem, kept.step),
            "scheme": scheme_tree(kept.scheme),
        }
        if solution.inside is not None:
            trees["inside"] = {
                each.name: getattr(solution.inside, each.name) for each in dataclasses.fields(solution.inside)
            }
    if kept is None and solution.layout.body is not None:
        # What fields and pictures need where there is no model: names, mesh, and what its supports do.
        trees["body"] = {
            "dofs": names_tree(solution.dofs),
            "springs": names_tree(solution.springs),
            "body": body_tree(solution.layout.body),
            "driven": None if solution.driven is None else vars(solution.driven),
        }
    results = group_of(_labelled(solution, kept is not None))
    return image({"": results, **{name: sized(packed(tree)) for name, tree in trees.items()}})


def _body_results(solution: Answers, whole: bool) -> xr.Dataset:
    """Of a body the histories that all else follows from, and velocities where there are no masses to find them with;
    dofs and springs go by number."""
    import xarray as xr

    names = [name for name in solution.names if name in solution.histories or name in ENERGIES]
    names += [name for name in ("velocity",) if not whole and name in solution.names and name not in names]
    labelled = solution.labelled(names)
    clocks = {name: labelled[name] for name in labelled.coords if name not in ("dof", "spring")}
    found = xr.Dataset({name: labelled[name].variable for name in names}, coords=clocks)
    return found.assign_coords({dim: np.arange(found.sizes[dim]) for dim in ("dof", "spring") if dim in found.dims})


def _labelled(solution: Answers, whole: bool) -> xr.Dataset:
    """Every result, the state at the end, and what is known of the run; without a problem the layout beside it."""
    import xarray as xr

    dataset = solution.dataset if solution.layout.body is None else _body_results(solution, whole)
    last: dict[str, Any] = dict(solution.internal)
    if solution.is_thinned:  # its histories may not hold the last node, nor all of the state
        final = solution.final
        last |= {"displacement": final.displacement, "momentum": final.momentum, "slip": final.slip, **final.internal}
    for name, value in last.items():
        dataset[f"final_{name}"] = xr.Variable(("dof" if name in _ON_DOFS else "spring",), value)
    if not whole and solution.layout.is_structure and not solution.layout.is_body:
        dataset["places"] = xr.Variable((), json.dumps(layout_words(solution)))  # too long for an attribute
    dataset.attrs = {
        "Conventions": "hamex-2",
        "step": solution.step,
        "at_ends": int(solution.at_ends),
        "status": solution.status.name,
        "limit": json.dumps(dataclasses.asdict(solution.limit)),
        "length": solution.units.length,
        "force": solution.units.force,
        "provenance": json.dumps(solution.provenance),
        "error": json.dumps(dict(solution.error)),
        "extent": json.dumps(extent_words(solution.extent)),
        "why": "" if whole else solution.source.why if isinstance(solution.source, HistoriesOnly) else THRIFTY,
    }
    return dataset


def extent_words(extent: Extent) -> dict[str, Any]:
    """Which steps a solution tells of, as plain words and numbers."""
    words: dict[str, Any] = {
        "every": extent.every,
        "steps": extent.steps,
        "uncertain": extent.uncertain,
        "stopped": extent.stopped,
    }
    if extent.promise != "beforehand":
        words["promise"] = extent.promise
    if extent.settled is not None:
        words["settled"] = extent.settled
    if extent.solver:
        words["solver"] = extent.solver
    if extent.peaks is not None:
        words["peaks"] = {name: dataclasses.asdict(peak) for name, peak in extent.peaks.items()}
    if extent.exceeded is not None:
        words["exceeded"] = dataclasses.asdict(extent.exceeded)
    return words


def _csv(columns: Mapping[str, np.ndarray], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_rows(columns, file)


def write_csv(solution: Answers, file: TextIO) -> None:
    """All results as a table."""
    write_rows(_table(solution), file)


def _table(solution: Answers, names: Sequence[str] | None = None, every: int = 1) -> dict[str, np.ndarray]:
    """One row per node; step means, and results of an increment of slow loading, stand on the row of the node that
    ends their step."""
    columns = {"time [s]": solution.times} | {name: column for _, name, column in _columns(solution, names)}
    return {name: column[::every] for name, column in columns.items()}


def write_rows(columns: Mapping[str, np.ndarray], file: TextIO) -> None:
    """Columns by their heads, with all digits."""
    csv.writer(file, lineterminator="\n").writerow(columns)
    for row in zip(*(column.tolist() for column in columns.values()), strict=True):
        file.write(",".join("" if value != value else repr(value) for value in row) + "\n")


def sheets_of(solution: Answers) -> dict[str, Any]:
    """What an Excel file of a run holds: about it, its peaks, and its histories by where they are taken; of wide sheets
    what people look for, which is told."""
    slow = solution.at_ends
    named = {"energy residual": solution.residual} if "residual" in solution.names else {}
    about = {
        "status": solution.message,
        "length": solution.units.length,
        "force": solution.units.force,
        "step [s]": solution.step,
        **named,
        **solution.provenance,
    }
    peaks = {name: solution.peaks[name] for name in solution.peaks if not (slow and name in MOVING)}
    largest: dict[str, float] = {}
    for peak in peaks.values():
        largest[peak.unit] = max(largest.get(peak.unit, 0.0), abs(peak.value))
    barred = any(peak.error is not None for peak in peaks.values())
    found = {
        "peak": [_SPRINGS_OWN.get(name, name) for name in peaks],
        "value": [_quiet(peak.value, largest[peak.unit] if slow else 0.0) for peak in peaks.values()],
        **({"± error": [peak.error for peak in peaks.values()]} if barred else {}),
        "unit": [peak.unit for peak in peaks.values()],
        "at increment" if slow else "at [s]": [peak.time for peak in peaks.values()],
        "where": [peak.where for peak in peaks.values()],
    }
    first = {"increment" if slow else "time [s]": solution.times}
    names = [name for name in solution.names if not (slow and name in MOVING)]
    wide = _wide(solution, names)
    if wide:
        about["left out"] = _left_out(wide, solution)
    kept = [name for name in names if variable(name).dims[1:] not in wide or name in wide[variable(name).dims[1:]]]
    histories: dict[str, dict[str, np.ndarray]] = {}
    for place, name, column in _columns(solution, kept, level_dofs(solution) if ("dof",) in wide else None):
        most = float(np.nanmax(np.abs(column), initial=0.0)) if slow else 0.0
        cleaned = np.where(np.abs(column) > _NOISE * most, column, 0.0 * column) if slow else column
        histories.setdefault(_SHEETS.get(place, f"{place}s"), dict(first))[name] = cleaned
    return {"peaks": found, **histories, "about": pairs(about)}


def _quiet(value: float, largest: float) -> float:
    return value if abs(value) > _NOISE * largest else 0.0


def _wide(solution: Answers, names: list[str]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Dimensions whose sheet would be too wide, with the results that it keeps; springs that storeys or hinges tell of
    are left out."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for place, kept in _LEAN.items():
        count = sum(
            len(solution.labels(place))
            for name in names
            if variable(name).dims in (("time", place), ("interval", place))
        )
        if count > _WIDEST:
            summarised = place == "spring" and {"storey_drift", "hinge_rotation"} & set(names)
            found[(place,)] = () if summarised else kept
    return found


def _left_out(wide: Mapping[tuple[str, ...], tuple[str, ...]], solution: Answers) -> str:
    """Sheets that would have been too wide, and what they keep."""
    levels = " of the levels" if level_dofs(solution) is not None else ""
    words = [
        f"{place}s: {', '.join(kept) + (levels if place == 'dof' else '') + ' alone' if kept else 'all'}"
        for (place,), kept in wide.items()
    ]
    return f"of sheets wider than {_WIDEST} columns ({'; '.join(words)}); a file .nc has every result of every node"


def _columns(
    solution: Answers, names: Iterable[str] | None = None, dofs: set[str] | None = None
) -> Iterator[tuple[str, str, np.ndarray]]:
    """Histories: the dimension beside time, "" for those of the whole; name and unit; numbers, one per node. Of all
    results and dofs, or of these."""
    of_steps = "" if solution.at_ends else " step mean"
    chosen = list(solution.names if names is None else names)
    dataset = solution.labelled(chosen)
    for name in chosen:
        result = dataset[name]
        if not result.dims or result.dims[0] not in ("time", "interval"):
            continue
        values = result.values.reshape(len(result.values), -1).astype(float)
        of_step = result.dims[0] == "interval"
        if of_step:
            values = np.vstack([np.full((1, values.shape[1]), np.nan), values])
        place = str(result.dims[1]) if len(result.dims) > 1 else ""
        labels = [str(x) for x in result[place].values] if place else [""]
        turns = dataset[f"{place}_turns"].values if "units_where_turning" in result.attrs else [False] * len(labels)
        for label, turning, column in zip(labels, turns, values.T, strict=True):
            if place == "dof" and dofs is not None and label not in dofs:
                continue
            where = f" {label}" if label else ""
            units = result.attrs["units_where_turning" if turning else "units"]
            yield place, f"{_SPRINGS_OWN.get(name, name)}{where} [{units}]" + (of_steps if of_step else ""), column


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
    tables = {name: {head: _cells(column) for head, column in columns.items()} for name, columns in sheets.items()}
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


def _cells(column: Any) -> list[Any]:
    """As Python's own numbers and texts."""
    return column.tolist() if hasattr(column, "tolist") else list(column)
