"""Files: NetCDF and CSV, out; written whole or not at all. A file without a problem keeps names and places of
dofs and springs as text."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
from numpy.typing import NDArray

from hamex.errors import FileError
from hamex.problem import ON_DOFS
from hamex.solution import netcdf
from hamex.solution.keeping import model_tree, packed, problem_tree, scheme_tree, sized
from hamex.solution.outline import Answers, Extent
from hamex.solution.source import THRIFTY, HistoriesOnly, Run

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[Any]
_ON_DOFS = {"displacement", "momentum", *ON_DOFS}
FORMATS = (".nc", ".csv")


def layout_words(solution: Answers) -> dict[str, Any]:
    """What JSON knows of a structure's layout, with the mean motion of its supports."""
    layout = solution.layout
    names = ("directions", "influence", "groups", "yields", "storeys", "geometry")
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


def check_writable(path: Path, formats: tuple[str, ...] = FORMATS) -> None:
    """Refuse an output path that cannot be written, before any work starts."""
    if path.suffix.lower() not in formats:
        raise FileError(f"cannot write {path}: the ending must be one of {', '.join(formats)}")
    folder = path.parent
    if not os.path.isdir(folder):
        raise FileError(f"cannot write {path}: the folder {folder} does not exist")
    if os.path.isdir(path):
        raise FileError(f"cannot write {path}: it is a folder, not a file")
    if not os.access(folder, os.W_OK):
        raise FileError(f"cannot write {path}: the folder {folder} is not writable")


def write_atomically(path: Path, write: Callable[[Path], object]) -> Path:
    """Let ``write`` fill a temporary file beside ``path``, then put it in place in one step."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
    except OSError as problem:
        raise FileError(f"cannot write {path}: {problem.strerror}") from None
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # mkstemp makes files private; outputs are ordinary files
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def save(solution: Answers, path: Path, problem: bool = True) -> Path:
    """Write a solution by the ending of its path; NetCDF with its problem and scheme, if there are and if asked for."""
    check_writable(path)
    if path.suffix.lower() == ".nc":
        return write_atomically(path, lambda temporary: _netcdf(solution, temporary, problem))
    return write_atomically(path, lambda temporary: _csv(solution, temporary))


def netcdf_bytes(solution: Answers) -> bytes:
    """What :func:`save` writes as NetCDF, in memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "solution.nc")
        _netcdf(solution, path, True)
        return path.read_bytes()


def _netcdf(solution: Answers, path: Path, problem: bool) -> None:
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
    results = netcdf.group_of(_labelled(solution, kept is not None))
    netcdf.write(path, {"": results, **{name: sized(packed(tree)) for name, tree in trees.items()}})


def _labelled(solution: Answers, whole: bool) -> xr.Dataset:
    """Every result, the state at the end, and what is known of the run; without a problem the layout beside it."""
    import xarray as xr

    dataset = solution.dataset
    last: dict[str, Any] = dict(solution.internal)
    if solution.is_thinned:  # its histories may not hold the last node, nor all of the state
        final = solution.final
        last |= {"displacement": final.displacement, "momentum": final.momentum, "slip": final.slip, **final.internal}
    for name, value in last.items():
        dataset[f"final_{name}"] = xr.Variable(("dof" if name in _ON_DOFS else "spring",), value)
    if not whole and solution.layout.is_structure:
        dataset["places"] = xr.Variable((), json.dumps(layout_words(solution)))  # too long for an attribute
    dataset.attrs = {
        "Conventions": "hamex-2",
        "step": solution.step,
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
    if extent.peaks is not None:
        words["peaks"] = {name: dataclasses.asdict(peak) for name, peak in extent.peaks.items()}
    if extent.exceeded is not None:
        words["exceeded"] = dataclasses.asdict(extent.exceeded)
    return words


def _csv(solution: Answers, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_csv(solution, file)


def write_csv(solution: Answers, file: TextIO) -> None:
    """One row per node; step means stand on the row of the node that ends their step."""
    columns: dict[str, np.ndarray] = {"time [s]": solution.times}
    dataset = solution.dataset
    for name in solution.names:
        variable = dataset[name]
        if not variable.dims or variable.dims[0] not in ("time", "interval"):
            continue
        values = variable.values.reshape(len(variable.values), -1).astype(float)
        of_step = variable.dims[0] == "interval"
        if of_step:
            values = np.vstack([np.full((1, values.shape[1]), np.nan), values])
        labels = [str(x) for x in variable[variable.dims[1]].values] if len(variable.dims) > 1 else [""]
        for label, column in zip(labels, values.T, strict=True):
            where = f" {label}" if label else ""
            columns[f"{name}{where} [{variable.attrs['units']}]" + (" step mean" if of_step else "")] = column
    csv.writer(file, lineterminator="\n").writerow(columns)
    for row in zip(*(column.tolist() for column in columns.values()), strict=True):
        file.write(",".join("" if value != value else repr(value) for value in row) + "\n")
