"""Files: NetCDF out and in, CSV out; written whole or not at all."""

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

from hamex.discretise.stage_history import StageHistory
from hamex.errors import FileError
from hamex.problem import Limit, State
from hamex.problem.state import ON_DOFS
from hamex.solution.exceedance import Exceedance
from hamex.solution.keeping import model_of, model_tree, problem_of, problem_tree, scheme_of, scheme_tree
from hamex.solution.layout import layout_of, layout_words
from hamex.solution.packing import packed, unpacked
from hamex.solution.peaks import Peak
from hamex.solution.solution import Extent, Solution
from hamex.solution.source import OLD_FILE, THRIFTY, Names, Record, Run

if TYPE_CHECKING:
    import xarray as xr

_ON_DOFS = {"displacement", "momentum", *ON_DOFS}
FORMATS = (".nc", ".csv")



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


def save(solution: Solution, path: Path, problem: bool = True) -> Path:
    """Write a solution by the ending of its path; NetCDF with its problem and scheme, if there are and if asked for."""
    check_writable(path)
    if path.suffix.lower() == ".nc":
        return write_atomically(path, lambda temporary: _netcdf(solution, temporary, problem))
    return write_atomically(path, lambda temporary: _csv(solution, temporary))


def netcdf_bytes(solution: Solution) -> bytes:
    """What :func:`save` writes as NetCDF, in memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "solution.nc")
        _netcdf(solution, path, True)
        return path.read_bytes()


def _netcdf(solution: Solution, path: Path, problem: bool) -> None:
    kept = solution.source if problem and isinstance(solution.source, Run) else None
    _labelled(solution, kept is not None).to_netcdf(path, engine="h5netcdf")
    if kept is None:
        return
    trees = {"model": model_tree(kept.problem.model), "problem": problem_tree(kept.problem, kept.step),
             "scheme": scheme_tree(kept.scheme)}
    if solution.inside is not None:
        trees["inside"] = {each.name: getattr(solution.inside, each.name)
                           for each in dataclasses.fields(solution.inside)}
    for name, tree in trees.items():
        packed(tree).to_netcdf(path, mode="a", group=name, engine="h5netcdf")


def _labelled(solution: Solution, whole: bool) -> xr.Dataset:
    """Every result, the state at the end, and what is known of the run; without a problem the layout beside it."""
    import xarray as xr

    dataset = solution.dataset
    last: dict[str, Any] = dict(solution.internal)
    if solution.is_thinned:                   # its histories may not hold the last node, nor all of the state
        final = solution.final
        last |= {"displacement": final.displacement, "momentum": final.momentum, "slip": final.slip, **final.internal}
    for name, value in last.items():
        dataset[f"final_{name}"] = xr.Variable(("dof" if name in _ON_DOFS else "spring",), value)
    if not whole and solution.layout.is_structure:
        dataset["places"] = xr.Variable((), json.dumps(layout_words(solution)))     # too long for an attribute
    dataset.attrs = {
        "Conventions": "hamex-2", "step": solution.step, "status": solution.status.name,
        "limit": json.dumps(dataclasses.asdict(solution.limit)),
        "length": solution.units.length, "force": solution.units.force,
        "provenance": json.dumps(solution.provenance), "error": json.dumps(dict(solution.error)),
        "extent": json.dumps(extent_words(solution.extent)),
        "why": "" if whole else solution.source.why if isinstance(solution.source, Record) else THRIFTY,
    }
    return dataset


def read(path: str | Path) -> Solution:
    """Read a solution that :meth:`Solution.save` wrote as NetCDF.

    Files that kept the problem give ``sol.problem`` and ``sol.scheme``; others have histories, peaks and energies. A
    load that was a function of the user's own is kept as samples of the run's duration, exact at its nodes.

    Examples
    --------
    >>> import tempfile
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=225)
    >>> sol = hx.solve(hx.Problem(model, hx.el_centro().on(model, g=1.0), duration=2.0), hx.Galerkin(step=0.02))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.nc")
    ...     _ = sol.save(path)
    ...     again = hx.read(path)
    >>> bool((again.values("displacement") == sol.values("displacement")).all()), again.scheme.step
    (True, 0.02)
    """
    path = Path(path)
    if not path.is_file():
        raise FileError(f"cannot read {path}: no such file")
    try:
        groups = _groups(path)
    except (OSError, ValueError) as problem:
        raise FileError(f"cannot read {path}: not a NetCDF file ({problem})") from None
    if groups[""].attrs.get("Conventions") not in ("hamex-1", "hamex-2"):
        raise FileError(f"cannot read {path}: not a solution written by hamex")
    try:
        return _rebuild(groups)
    except (KeyError, TypeError, ValueError, FileError) as problem:
        raise FileError(f"cannot read {path}: the file is damaged or from another version ({problem})") from None


def _groups(path: Path) -> dict[str, xr.Dataset]:
    """The results under "", the rest by the names of their groups."""
    import h5netcdf
    import xarray as xr

    with h5netcdf.File(path, "r") as file:
        names = ["", *file.groups]
    found = {}
    for name in names:
        with xr.open_dataset(path, engine="h5netcdf", group=name or None) as opened:
            found[name] = opened.load()
    return found


def _rebuild(groups: dict[str, xr.Dataset]) -> Solution:
    dataset = groups[""]
    attributes = dataset.attrs
    stored = {str(name): dataset[name].values for name in dataset.data_vars if name != "places"}
    internal = {name.removeprefix("final_"): value for name, value in stored.items() if name.startswith("final_")}
    internal.pop("start_impulse", None)          # of hamex-1: the history of the impulse has it
    extent = extent_of(json.loads(attributes.get("extent", "{}")), internal)
    source = _run(groups) if "model" in groups else _record(dataset)
    inside = StageHistory(**unpacked(groups["inside"])) if "inside" in groups else None
    return Solution(source, {name: value for name, value in stored.items() if not name.startswith("final_")}, internal,
                    json.loads(attributes["error"]), Limit(**json.loads(attributes["limit"])), inside, extent)


def extent_words(extent: Extent) -> dict[str, Any]:
    """Which steps a solution tells of, as plain words and numbers."""
    words: dict[str, Any] = {"every": extent.every, "steps": extent.steps, "uncertain": extent.uncertain,
                             "stopped": extent.stopped}
    if extent.peaks is not None:
        words["peaks"] = {name: dataclasses.asdict(peak) for name, peak in extent.peaks.items()}
    if extent.exceeded is not None:
        words["exceeded"] = dataclasses.asdict(extent.exceeded)
    return words


def extent_of(words: dict[str, Any], last: dict[str, Any]) -> Extent:
    """The extent that :func:`extent_words` was given; takes the state at the end out of ``last`` where it stands
    there."""
    if words.get("steps") is None:
        return Extent(**words)
    base = {name: last.pop(name) for name in ("displacement", "momentum", "slip")}
    final = State(**base, internal=dict(last))
    last.pop("impulse", None)
    peaks = {name: Peak(**peak) for name, peak in words.pop("peaks").items()}
    exceeded = Exceedance(**words.pop("exceeded")) if "exceeded" in words else None
    return Extent(**words, peaks=peaks, exceeded=exceeded, final=final)


def _run(groups: dict[str, xr.Dataset]) -> Run:
    model = model_of(unpacked(groups["model"]))
    return Run(problem_of(unpacked(groups["problem"]), model), scheme_of(unpacked(groups["scheme"])))


def _record(dataset: xr.Dataset) -> Record:
    attributes = dataset.attrs
    dofs, springs = (tuple(str(name) for name in dataset[dim].values) for dim in ("dof", "spring"))
    words = json.loads(str(dataset["places"].values)) if "places" in dataset else {}
    layout, moved = layout_of(words, dofs, springs)
    return Record(attributes.get("why", OLD_FILE), layout, Names(attributes["length"], attributes["force"]),
                  float(attributes["step"]), json.loads(attributes["provenance"]), moved)


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
