"""Waves in a bar and in a membrane: a table in, pictures of what happened out, with energies and a script of it."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from fastapi import APIRouter
from fastapi.responses import Response
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.problem import Problem
from hamex.schemes import Galerkin, LeapFrog, Scheme
from hamex.solution.solution import Solution
from hamex.solve import solve
from hamex.spec.base import inside
from hamex.studio import wire
from hamex.studio.wave_tables import BarTable, MembraneTable, WaveTable
from hamex.studio.wire import FRAMED, framed, number, warned

Array = NDArray[Any]
router = APIRouter(prefix="/api/waves", tags=["waves"])
_RESPONSES: dict[int | str, dict[str, Any]] = {200: {"content": {FRAMED: {}}}}
_ENERGIES = ("kinetic", "stored", "viscous", "plastic", "input", "imbalance")
_PICTURES = {"bar": 400, "membrane": 200}  # of a run that are sent, at most
_DRUM = 2.404825557695773  # first zero of the Bessel function J₀


@router.post("/bar", response_class=Response, responses=_RESPONSES)
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


@router.post("/membrane", response_class=Response, responses=_RESPONSES)
def membrane(table: MembraneTable) -> Response:
    """Deflections of the nodes of a membrane in rows along x, picture by picture."""
    columns, rows = (count + 1 for count in table.counts)
    steps, every = counted("membrane", table, table.elements, columns * rows)
    sol, answer = _solved(table, steps, every)
    fields = sol.problem.model.fields
    assert fields is not None
    w = np.zeros((steps // every + 1, columns * rows))
    w[:, fields.free] = sol.values("displacement")[::every]
    order = _in_rows(table)
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
        energy = {name: sol.values(name)[::every] for name in _ENERGIES if name in sol.names}
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


def _in_rows(table: MembraneTable) -> Array:
    """Numbers of the points of the mesh, row by row: those of the square, for a disc is its map."""
    x, y = table.grid().p
    return np.lexsort((x, y))
