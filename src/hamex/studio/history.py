"""Runs: a problem or a table in, what happened out. Histories of the oscillator and the building; waves in a bar and
in a membrane as pictures, with energies and a script.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict
from typing import Any

import numpy as np
from fastapi import APIRouter
from fastapi.responses import Response
from numpy.typing import NDArray

from hamex.errors import InputError, ModelError
from hamex.model.record import modes
from hamex.motion.ground import GroundMotion
from hamex.problem import Problem
from hamex.schemes import Galerkin, LeapFrog, Scheme
from hamex.solution.results import strength_left
from hamex.solution.solution import Solution
from hamex.solve import solve
from hamex.spec import ProblemFile
from hamex.spec.base import inside
from hamex.spec.tables import ProblemTables
from hamex.studio import wire
from hamex.studio.problems import HistoryRequest, admitted, admitted_beside
from hamex.studio.wave_tables import BarTable, MembraneTable, WaveTable
from hamex.studio.wire import FRAMED, framed, number, warned
from hamex.study.spectra import spectrum

router = APIRouter(prefix="/api", tags=["histories"])
PERIODS = np.geomspace(0.05, 5.0, 140)  # of the small spectrum beside a history [s]
_INSTANTS = 60  # at which what is left of the strength is told, at most
_ENERGIES = ("kinetic", "stored", "hardening", "viscous", "plastic", "jumps", "input", "imbalance")


@router.post("/history", response_class=Response, responses={200: {"content": {FRAMED: {}}}})
def history(request: HistoryRequest) -> Response:
    """Run a problem, and beside it a second scheme: histories, energy balance, peaks, spectrum of the motion."""
    return framed(history_answer(request))


def history_answer(request: HistoryRequest) -> dict[str, Any]:
    """What happened, with arrays as they are."""
    begin = time.perf_counter()
    file, scheme = admitted(request)
    changed = admitted_beside(request)
    found, notes = solved(file, file.scheme, request.error)
    model, motion = file.problem.model, _motion(request.problem)
    answer = {
        "title": file.title,
        "load": file.load_text,
        "notes": notes,
        **run_answer(found),
        "promise": file.promise,
        "asked_step": file.scheme.step,
        "units": {"length": model.units.length, "force": model.units.force, "energy": model.units.energy},
        "period": _period(file),
        "ground": _ground(motion, found),
        "spectrum": _spectrum(motion, file),
        "yield_deformation": [number(value) for value in found.values("yield_deformation")],
    }
    if scheme is not None:
        other, more = solved(file, scheme, request.error)
        answer["against"] = {**run_answer(other), "notes": more}
    elif changed is not None:
        other, more = solved(changed, changed.scheme, request.error)
        answer["against"] = {**run_answer(other), "notes": more, "title": changed.title}
    return {**answer, "seconds": time.perf_counter() - begin}


def solved(file: ProblemFile, scheme: Any, error: bool = False) -> tuple[Solution, list[str]]:
    """The solution, and what hamex warned of."""
    with warned() as notes:
        solution = solve(file.problem, scheme, error=error, limit=file.limit, settle=file.settle, promise=file.promise)
        _ = dict(solution.peaks)
    return solution, notes


def run_answer(solution: Solution) -> dict[str, Any]:
    """Histories, the balance and the peaks of one run; each component of an array in one piece."""
    # Loops are drawn from step means, eqs. (88)-(89): forces at nodes overshoot the yield limit at viscosity 0.
    # Reference schemes know their nodes only.
    scheme, means = repr(solution.scheme), solution.scheme.means
    names = {
        "displacement": "displacement",
        "slip": "slip",
        "loop_force": "force" if means else "node_force",
        **({"loop_displacement": "mean_displacement"} if means else {}),
    }
    arrays = {key: solution.values(name).T.ravel() for key, name in names.items()}
    found = solution.collapse
    iterations = next((name for name in ("iterations", "solves") if name in solution.names), None)
    return {
        "scheme": scheme,
        "step": solution.step,
        "steps": solution.steps,
        "dofs": solution.dofs,
        "springs": solution.springs,
        **arrays,
        "energy": {name: solution.values(name) for name in _ENERGIES if name in solution.names},
        "residual": number(solution.residual),
        "peaks": {
            name: {**asdict(peak), "value": number(peak.value), "error": peak.error and number(peak.error)}
            for name, peak in solution.peaks.items()
        },
        "iterations": None
        if iterations is None
        else {
            "kind": iterations,
            "total": int(solution.values(iterations).sum()),
            "most": int(solution.values(iterations).max(initial=0)),
        },
        "status": solution.status.name.lower(),
        "status_message": solution.message,
        "promises": solution.promises._asdict(),
        "collapse": None if found is None else {"time": found.time, "where": found.where, "message": str(found)},
        "strength": _strength(solution),
        "profiles": _profiles(solution),
    }


def _strength(solution: Solution) -> dict[str, Any] | None:
    """What is left of the strength of each spring at some instants, by its name, 1 of those that cannot lose any; None
    where none can."""
    nodes = np.unique(np.linspace(0, solution.steps, _INSTANTS).round().astype(int))
    left = strength_left(solution, nodes)
    if np.isnan(left).all():
        return None
    shares = np.nan_to_num(left, nan=1.0).round(4).T.tolist()
    return {"times": solution.times[nodes].tolist(), "left": dict(zip(solution.springs, shares, strict=True))}


def _profiles(solution: Solution) -> dict[str, Any] | None:
    """Largest drift and shear of each storey from the ground up, and its ductility; None for an oscillator.

    What is left of the drifts is told where it is that of a structure at rest in which something has slipped.
    """
    storeys = solution.layout.storeys
    if not solution.layout.is_structure or storeys is None:
        return None
    limit = solution.values("yield_deformation")
    drift, shear = (np.abs(solution.values(name)).max(axis=0) for name in ("storey_drift", "storey_shear"))
    demand = np.abs(solution.values("deformation")).max(axis=0)
    with np.errstate(invalid="ignore"):
        ductility = demand / limit
    rest = solution.rest
    swings = rest is None or rest.swings
    left = solution.values("storey_drift")[-1].tolist() if np.any(solution.values("slip")) and not swings else None
    return {
        "storeys": storeys.names,
        "drift": drift.tolist(),
        "shear": shear.tolist(),
        "heights": [number(height) for height in storeys.heights],
        "residual": left,
        "swings": swings,
        "ductility": [number(value) if np.isfinite(at) else None for value, at in zip(ductility, limit, strict=True)],
    }


def _period(file: ProblemFile) -> float | None:
    """Of the first mode, undamped and elastic [s]; None where P-Delta outweighs what carries at rest."""
    if file.kind == "oscillator":
        m, _, k = _numbers(file)
        return 2 * math.pi * math.sqrt(m / k)
    try:
        return number(float(modes(file.problem.model, count=1).periods[0]))
    except ModelError:
        return None


def _numbers(file: ProblemFile) -> tuple[float, float, float]:
    """Mass, damping and stiffness of an oscillator."""
    model = file.problem.model
    k = float(model.compatibility[0, 0] ** 2 / model.flexibility[0, 0] + model.stiffness[0, 0])
    return float(model.mass[0, 0]), float(model.damping.dense()[0, 0]), k


def _motion(tables: ProblemTables) -> GroundMotion | None:
    """The first ground motion in g, or None where forces shake it."""
    if tables.motion is None:
        return None
    first = tables.motion[0] if isinstance(tables.motion, list) else tables.motion
    return first.build(None).converted("g")


def _ground(motion: GroundMotion | None, solution: Solution) -> dict[str, Any]:
    """What shakes it at the nodes: the ground's acceleration in g, or the force on the first dof."""
    if motion is not None:
        clock = motion.step * np.arange(len(motion.acceleration) + 1)  # a record ends with one appended zero
        values = np.interp(solution.times, clock, np.append(motion.acceleration, 0.0), right=0.0)
        return {"kind": "ground", "unit": "g", "values": values, "peak": motion.peak, "source": motion.source}
    force = solution.values("load")  # one per step; the first stands at t = 0 too
    values = np.concatenate([force[:1, 0], force[:, 0]])
    return {
        "kind": "force",
        "unit": solution.units.force,
        "values": values,
        "peak": number(float(np.abs(force).max(initial=0.0))),
        "source": "force on the mass",
    }


def _spectrum(motion: GroundMotion | None, file: ProblemFile) -> dict[str, Any] | None:
    """Elastic pseudo-acceleration of the motion in g, at the damping ratio of the oscillator."""
    if motion is None or file.kind != "oscillator":
        return None
    m, c, k = _numbers(file)
    damping = c / (2 * math.sqrt(k * m))
    if not damping < 1:
        return None
    found = spectrum(motion, PERIODS, damping=damping, g=1.0)
    return {"periods": PERIODS, "values": found.values("pseudo_acceleration")[0], "damping": damping}


Array = NDArray[Any]
waves = APIRouter(prefix="/api/waves", tags=["waves"])
_RESPONSES: dict[int | str, dict[str, Any]] = {200: {"content": {FRAMED: {}}}}
_WAVE_ENERGIES = ("kinetic", "stored", "viscous", "plastic", "input", "imbalance")
_PICTURES = {"bar": 400, "membrane": 200}  # of a run that are sent, at most
_DRUM = 2.404825557695773  # first zero of the Bessel function J₀


@waves.post("/bar", response_class=Response, responses=_RESPONSES)
def bar(table: BarTable) -> Response:
    """Displacements of the nodes and stresses of the elements of a bar, picture by picture."""
    steps, every = counted("bar", table, table.elements, table.elements + 1)
    sol, answer = _solved(table, steps, every)
    u = np.zeros((steps // every + 1, table.elements + 1))
    u[:, : len(sol.dofs)] = sol.values("displacement")[::every]
    stress = _between_steps(sol)[::every, : table.elements] / table.area
    largest = {"displacement": number(np.abs(u).max()), "stress": number(np.abs(stress).max())}
    crossing = table.length / table.speed
    arrays = {"displacement": u.ravel(), "stress": stress.ravel()}
    return framed({**answer, **arrays, "nodes": table.elements + 1, "largest": largest, "crossing": crossing})


@waves.post("/membrane", response_class=Response, responses=_RESPONSES)
def membrane(table: MembraneTable) -> Response:
    """Deflections of the nodes of a membrane in rows along x, picture by picture."""
    columns, rows = (count + 1 for count in table.counts)
    steps, every = counted("membrane", table, table.elements, columns * rows)
    sol, answer = _solved(table, steps, every)
    fields = sol.problem.model.fields
    assert fields is not None
    w = np.zeros((steps // every + 1, columns * rows))
    w[:, fields.free] = sol.values("displacement")[::every]
    x, y = table.grid().p
    order = np.lexsort((x, y))  # row by row: those of the square, for a disc is its map
    x, y = fields.mesh.p[:, order]
    away = np.hypot(x - table.x * table.width, y - table.y * table.high)
    frequency = (
        _DRUM * table.speed / (np.pi * table.width)
        if table.shape == "disc"
        else 0.5 * table.speed * math.hypot(1 / table.width, 1 / table.height)
    )
    return framed(
        {
            **answer,
            "displacement": w[:, order].ravel(),
            "x": x,
            "y": y,
            "columns": columns,
            "nodes": columns * rows,
            "nearest": int(away.argmin()),
            "largest": {"displacement": number(np.abs(w).max())},
            "crossing": table.width / table.speed,
            "frequency": frequency,
        }
    )


def counted(kind: str, table: WaveTable, elements: int, nodes: int) -> tuple[int, int]:
    """Steps of a run, and how many of them lie between two of its pictures; refused where they are too many."""
    wanted = math.ceil(table.crossings * elements / table.courant - 1e-9)
    every = math.ceil(wanted / _PICTURES[kind])
    steps = every * math.ceil(wanted / every)
    if steps * nodes > wire.WAVES[kind]:
        raise InputError(
            f"courant must be larger, or elements and crossings fewer: {steps:,} steps of {nodes:,} nodes are more "
            "than the studio runs; the script runs any number"
        )
    return steps, every


def _solved(table: BarTable | MembraneTable, steps: int, every: int) -> tuple[Solution, dict[str, Any]]:
    """The run, and what a bar and a membrane are both told of it."""
    begin = time.perf_counter()
    with warned() as notes, inside("", table):
        model, load, start, step = table.posed()
        scheme: Scheme = LeapFrog(step) if table.scheme == "leapfrog" else Galerkin(step)
        if isinstance(scheme, LeapFrog) and step > (longest := scheme.longest_step(model)):
            most = math.floor(1e3 * table.courant * longest / step) / 1e3
            raise InputError(
                f"courant must be {most:g} at most with leap-frog, which is stable up to steps of {longest:.3g} s, "
                f"Galerkin takes any; got {table.courant:g}"
            )
        sol = solve(Problem(model, load, duration=steps * step, start=start), scheme)
        energy = {name: sol.values(name)[::every] for name in _WAVE_ENERGIES if name in sol.names}
    if isinstance(sol.scheme, LeapFrog):
        notes.append("leap-frog claims no balance: the residual tells how far the energies at the nodes are from one")
    for name in ("viscous", "plastic"):  # what is not there needs no key below the balance
        if name in energy and not energy[name].any():
            del energy[name]
    return sol, {
        "scheme": repr(sol.scheme),
        "step": step * every,
        "pictures": steps // every + 1,
        "steps": steps,
        "time_step": step,
        "speed": table.speed,
        "energy": energy,
        "units": {"energy": "J"},
        "residual": number(sol.residual),
        "notes": notes,
        "code": table.code(steps),
        "seconds": time.perf_counter() - begin,
    }


def _between_steps(sol: Solution) -> Array:
    """Forces at the nodes from the means of the steps on either side, eqs. (88)-(89): those at the nodes themselves
    overshoot the yield limit at viscosity 0, and ring from step to step where leap-frog takes its longest step."""
    means = sol.values("force")
    return np.concatenate([sol.values("node_force")[:1], 0.5 * (means[1:] + means[:-1]), means[-1:]])
