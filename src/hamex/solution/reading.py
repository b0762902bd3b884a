"""Files of solutions read back: with their problem, or with what a record without one kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import FileError, HamexError, ModelError
from hamex.files import check_file
from hamex.model.layout import Geometry, Layout, Storeys
from hamex.model.solids.body import Body
from hamex.problem import Limit, State
from hamex.schemes.stages import StageHistory
from hamex.solution import containers
from hamex.solution.containers import Contents
from hamex.solution.keeping import body_of, model_of, names_of, problem_of, scheme_of, unpacked
from hamex.solution.outline import OF_FORCES, Driven, Exceedance, Extent, Peak
from hamex.solution.solution import Solution
from hamex.solution.source import OLD_FILE, HistoriesOnly, KeptLayout, KeptUnits, Run

Array = NDArray[Any]


def layout_of(
    words: dict[str, Any],
    dofs: tuple[str, ...],
    springs: tuple[str, ...],
    body: Body | None = None,
    angles: tuple[str, ...] = (),
) -> tuple[Layout, Array | None]:
    """The layout, and the mean motion of the supports; no words for an oscillator, an elastic body or an action, of
    which some dofs may be angles."""
    if not words:
        none = np.zeros(len(springs), dtype=bool)
        return KeptLayout(dofs, springs, yields=none, together=none, body=body, angles=angles), None
    base = words["base"]
    return KeptLayout(
        dofs,
        springs,
        tuple(words["directions"]),
        np.array(words["influence"], dtype=float),
        {name: tuple(numbers) for name, numbers in words["groups"].items()},
        _storeys(words["storeys"]),
        _geometry(words["geometry"]),
        np.array(words["yields"], dtype=bool),
        np.array(words.get("together", [False] * len(springs)), dtype=bool),  # older files do not say
        body,
    ), None if base is None else np.array(base, dtype=float)


def _storeys(words: dict[str, Any] | None) -> Storeys | None:
    return (
        None
        if words is None
        else Storeys(
            tuple(words["names"]),
            np.array(words["heights"], dtype=float),
            _matrix(words["drift"]),
            _matrix(words["above"]),
            None if words.get("floors") is None else _matrix(words["floors"]),
        )
    )


def _geometry(words: dict[str, Any] | None) -> Geometry | None:
    return (
        None
        if words is None
        else Geometry(
            tuple(words["nodes"]),
            np.array(words["coordinates"]),
            _matrix(words["motion"]),
            np.array(words["elements"], dtype=int),
            tuple(words["names"]),
            tuple(tuple(springs) for springs in words["springs"]),
        )
    )


def _matrix(plain: dict[str, Any]) -> Any:
    from scipy.sparse import csr_array

    return csr_array(
        (np.array(plain["value"], dtype=float), (plain["row"], plain["column"])), shape=tuple(plain["shape"])
    )


def read(path: str | Path, *, verify: bool = True) -> Solution:
    """Read a solution that :meth:`Solution.save` wrote as NetCDF.

    A file that does not match the checksum inside it is refused: it is damaged, or another program has changed it.
    ``verify=False`` reads it as it stands; a file that was damaged may then give wrong numbers, or no answer at all.

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
    check_file(path, sys.maxsize)
    try:
        if verify and containers.is_damaged(path):
            raise FileError(
                f"cannot read {path}: it does not match its checksum, so it is damaged or was changed by another "
                "program; take a copy, or hx.read(path, verify=False) if the change was meant"
            )
        groups = containers.read(path)
    except FileError:
        raise
    except Exception as problem:  # h5py raises what it likes: OSError, KeyError, RuntimeError, SystemError …
        raise FileError(f"cannot read {path}: not a NetCDF file ({_first_line(problem)})") from None
    if groups[""].attributes.get("Conventions") not in ("hamex-1", "hamex-2"):
        raise FileError(f"cannot read {path}: not a solution written by hamex")
    try:
        return _rebuild(groups)
    except ModelError as problem:  # a law of the user's own that is not there, or not as it was
        raise FileError(f"cannot read {path}: {problem}") from None
    except Exception as problem:  # what was not verified may hold anything
        said = _first_line(problem)
        raise FileError(f"cannot read {path}: the file is damaged or from another version ({said})") from None


def _first_line(problem: Exception) -> str:
    said = str(problem).partition("\n")[0]
    return said if isinstance(problem, HamexError | ValueError) else f"{type(problem).__name__}: {said}"


def _rebuild(groups: dict[str, Contents]) -> Solution:
    results = groups[""]
    attributes = results.attributes
    stored = {name: each for name, each in results.values.items() if name not in {*results.coordinates, "places"}}
    internal = {name.removeprefix("final_"): value for name, value in stored.items() if name.startswith("final_")}
    internal.pop("start_impulse", None)  # of hamex-1: the history of the impulse has it
    extent = extent_of(json.loads(attributes.get("extent", "{}")), internal)
    of_body = unpacked(groups["body"].values) if "body" in groups else {}
    source = _run(groups) if "model" in groups else _record(results, of_body)
    if isinstance(source, Run) and source.scheme.at_ends and "at_ends" not in attributes:
        # It kept means of the increments; what comes from forces is found anew.
        kept = {name: value for name, value in stored.items() if name not in OF_FORCES}
        stored = {**kept, "force": stored["node_force"][1:]}
    inside = StageHistory(**unpacked(groups["inside"].values)) if "inside" in groups else None
    return Solution(
        source,
        {name: value for name, value in stored.items() if not name.startswith("final_")},
        internal,
        json.loads(attributes["error"]),
        Limit(**json.loads(attributes["limit"])),
        inside,
        extent,
    )


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


def _run(groups: dict[str, Contents]) -> Run:
    model = model_of(unpacked(groups["model"].values))
    return Run(problem_of(unpacked(groups["problem"].values), model), scheme_of(unpacked(groups["scheme"].values)))


def _record(results: Contents, of_body: dict[str, Any]) -> HistoriesOnly:
    attributes = results.attributes
    if of_body:
        dofs, springs = names_of(of_body["dofs"]), names_of(of_body["springs"])
    else:
        dofs, springs = (tuple(str(name) for name in results.values[dim]) for dim in ("dof", "spring"))
    words = json.loads(str(results.values["places"])) if "places" in results.values else {}
    turning = results.values.get("dof_turns", np.zeros(len(dofs), dtype=bool))
    angles = tuple(name for name, turns in zip(dofs, turning, strict=True) if turns)
    layout, moved = layout_of(words, dofs, springs, body_of(of_body.get("body")), angles)
    driven = of_body.get("driven")
    return HistoriesOnly(
        attributes.get("why", OLD_FILE),
        layout,
        KeptUnits(attributes["length"], attributes["force"]),
        float(attributes["step"]),
        json.loads(attributes["provenance"]),
        moved,
        bool(attributes.get("at_ends", 0)),
        None if driven is None else Driven(**driven),
    )
