"""Files: NetCDF out and in, CSV out; written whole or not at all."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from hamex.errors import FileError
from hamex.solution.limit import Limit
from hamex.solution.places import Geometry, Places, Storeys
from hamex.solution.solution import Solution
from hamex.solution.state import ON_DOFS

if TYPE_CHECKING:
    import xarray as xr

FORMATS = (".nc", ".csv")


@dataclass(frozen=True)
class Names:
    """Unit names as they stand in a file."""

    length: str
    force: str


def check_writable(path: Path, formats: tuple[str, ...] = FORMATS) -> None:
    """Refuse an output path that cannot be written, before any work starts."""
    if path.suffix.lower() not in formats:
        raise FileError(f"cannot write {path}: the ending must be one of {', '.join(formats)}")
    folder = path.parent
    if not folder.is_dir():
        raise FileError(f"cannot write {path}: the folder {folder} does not exist")
    if path.is_dir():
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
        temporary.chmod(0o666 & ~mask)   # mkstemp makes files private; outputs are ordinary files
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def save(solution: Solution, path: Path) -> Path:
    """Write a solution by the ending of its path."""
    check_writable(path)
    write = _netcdf if path.suffix.lower() == ".nc" else _csv
    return write_atomically(path, lambda temporary: write(solution, temporary))


def netcdf_bytes(solution: Solution) -> bytes:
    """What :func:`save` writes as NetCDF, in memory."""
    return bytes(_labelled(solution).to_netcdf(engine="h5netcdf"))


def _netcdf(solution: Solution, path: Path) -> None:
    _labelled(solution).to_netcdf(path, engine="h5netcdf")


def _labelled(solution: Solution) -> xr.Dataset:
    import xarray as xr

    dataset = solution.dataset
    for name, value in solution.internal.items():
        dataset[f"final_{name}"] = xr.Variable(("dof" if name in ON_DOFS else "spring",), value)
    if solution.places is not None:
        dataset["places"] = xr.Variable((), json.dumps(_plain(solution.places)))     # too long for an attribute
    dataset.attrs = {
        "Conventions": "hamex-1", "step": solution.step, "status": solution.status.name,
        "limit": json.dumps(dataclasses.asdict(solution.limit)),
        "length": solution.units.length, "force": solution.units.force,
        "provenance": json.dumps(solution.provenance), "error": json.dumps(dict(solution.error)),
    }
    return dataset


def read(path: str | Path) -> Solution:
    """Read a solution that :meth:`Solution.save` wrote as NetCDF."""
    import xarray as xr

    path = Path(path)
    if not path.is_file():
        raise FileError(f"cannot read {path}: no such file")
    try:
        with xr.open_dataset(path, engine="h5netcdf") as opened:
            dataset = opened.load()
        if dataset.attrs.get("Conventions") != "hamex-1":
            raise FileError(f"cannot read {path}: not a solution written by hamex")
    except (OSError, ValueError) as problem:
        if isinstance(problem, FileError):
            raise
        raise FileError(f"cannot read {path}: not a NetCDF file ({problem})") from None
    return _rebuild(dataset)


def _rebuild(dataset: xr.Dataset) -> Solution:
    attributes = dataset.attrs
    stored = {str(name): dataset[name].values for name in dataset.data_vars if name != "places"}
    internal = {name.removeprefix("final_"): value for name, value in stored.items() if name.startswith("final_")}
    provenance = json.loads(attributes["provenance"])
    places = _places(json.loads(str(dataset["places"].values))) if "places" in dataset else None
    return Solution(
        histories={name: value for name, value in stored.items() if not name.startswith("final_")},
        step=float(attributes["step"]),
        dofs=tuple(str(name) for name in dataset["dof"].values),
        springs=tuple(str(name) for name in dataset["spring"].values),
        units=Names(attributes["length"], attributes["force"]),
        system=None, internal=internal, describe=lambda: provenance, error=json.loads(attributes["error"]),
        locate=lambda: places, limit=Limit(**json.loads(attributes["limit"])))


def _plain(value: Any) -> Any:
    """Places as what JSON knows; a matrix becomes its shape and entries."""
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "tocoo"):
        entries = value.tocoo()
        return {"shape": entries.shape, "row": entries.row.tolist(), "column": entries.col.tolist(),
                "value": entries.data.tolist()}
    return value.tolist() if isinstance(value, np.ndarray) else value


def _places(plain: dict[str, Any]) -> Places:
    storeys, geometry = plain.pop("storeys"), plain.pop("geometry")
    base = plain.pop("base")
    return Places(
        directions=tuple(plain["directions"]), influence=np.array(plain["influence"]),
        groups={name: tuple(springs) for name, springs in plain["groups"].items()},
        yields=np.array(plain["yields"], dtype=bool), turning_dofs=np.array(plain["turning_dofs"], dtype=bool),
        turning_springs=np.array(plain["turning_springs"], dtype=bool), moving_supports=plain["moving_supports"],
        base=None if base is None else np.array(base),
        storeys=storeys and Storeys(tuple(storeys["names"]), np.array(storeys["heights"], dtype=float),
                                    _matrix(storeys["drift"]), _matrix(storeys["above"])),
        geometry=geometry and Geometry(
            tuple(geometry["nodes"]), np.array(geometry["coordinates"]), _matrix(geometry["motion"]),
            np.array(geometry["elements"], dtype=int), tuple(geometry["names"]),
            tuple(tuple(springs) for springs in geometry["springs"])))


def _matrix(plain: dict[str, Any]) -> Any:
    from scipy.sparse import csr_array

    return csr_array((np.array(plain["value"], dtype=float), (plain["row"], plain["column"])),
                     shape=tuple(plain["shape"]))


def _csv(solution: Solution, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_csv(solution, file)


def write_csv(solution: Solution, file: TextIO) -> None:
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
