"""Error against CPU time: hamex, OpenSees and the explicit leap-frog on frames of five and twenty storeys.

The error is the largest difference of peak storey drifts to a converged run, relative to the storey's peak (its yield
drift where that is larger). CPU time is that of the whole public call in hamex, fixed cost included, LeapFrog
too; of the compiled leap-frog alone, as a program made for nothing else would run it; and of one ``analyze`` with
nothing recorded in OpenSees. "march" is hamex less a call of one step, to be compared with the bare loop. The least of
several, the programs taking turns.
"""

from __future__ import annotations

import math
from typing import Any

import frames
import measuring
import numpy as np
import opensees_twin
import structures_cases as cases

import hamex as hx
from hamex.march.leapfrog import stable_step

FRAMES = ((5, 1.0), (5, 0.0), (20, 1.0), (20, 0.0))  # storeys, viscosity
STEPS = tuple(0.02 / 2**i for i in range(6))
SCALE, DURATION = 2.0, 10.0  # record; s, the strong part
FINEST = 0.02 / 2**9
GOALS = (0.01, 0.001, 0.0005)
SCHEMES = {"Galerkin": hx.Galerkin, "Newmark": lambda step: hx.Newmark(step, safeguarded=True), "LeapFrog": hx.LeapFrog}
LOOP = "leap-frog, bare loop"
MARCH = "Galerkin, march"  # the public call less one of a single step


def study(storeys: int, viscosity: float, repeats: int) -> dict[str, Any]:
    """One frame: points (step, seconds, error) of every rival, and how far two converged runs are apart."""
    frame = frames.frame(storeys, viscosity)
    problem = cases.problem(frame, DURATION, SCALE)
    fine = hx.solve(problem, hx.Galerkin(FINEST)).values("deformation")
    march, u = cases.explicit(frame, DURATION, FINEST, SCALE)
    march()
    doubt = cases.apart(frame, cases.drifts(u[:, 1:]), fine)
    points: dict[str, list[dict[str, float]]] = {name: [] for name in (*SCHEMES, MARCH, LOOP, "OpenSees")}
    call = problem.replace(duration=STEPS[0])
    for step in STEPS:
        march, u = cases.explicit(frame, DURATION, step, SCALE)
        stable = step <= limit(frame)
        ours = {name: scheme(step) for name, scheme in SCHEMES.items() if stable or name != "LeapFrog"}
        seconds, errors = dict.fromkeys(points, math.inf), dict.fromkeys(points, math.nan)
        (answer,) = opensees_twin.run([cases.opensees(frame, DURATION, step, SCALE)])
        if answer["failed_at"] is None:
            errors["OpenSees"] = cases.apart(frame, np.array(answer["deformation"]), fine)
        for name, scheme in ours.items():
            errors[name] = cases.apart(frame, hx.solve(problem, scheme).values("deformation"), fine)
        if stable and march() == 0:
            errors[LOOP] = cases.apart(frame, cases.drifts(u[:, 1:]), fine)
        once, errors[MARCH] = math.inf, errors["Galerkin"]
        for _ in range(repeats):
            (answer,) = opensees_twin.run([cases.opensees(frame, DURATION, step, SCALE, timed=1)])
            seconds["OpenSees"] = min(seconds["OpenSees"], answer["cpu"])
            for _ in range(3):
                for name, scheme in ours.items():
                    seconds[name] = min(seconds[name], cases.cpu(lambda scheme=scheme: hx.solve(problem, scheme)))
                once = min(once, cases.cpu(lambda: hx.solve(call, hx.Galerkin(STEPS[0]))))
                if stable:
                    seconds[LOOP] = min(seconds[LOOP], cases.cpu(march))
        seconds[MARCH] = seconds["Galerkin"] - once
        for name in points:
            points[name].append({"step": step, "seconds": seconds[name], "error": errors[name]})
    return {
        "storeys": storeys,
        "viscosity": viscosity,
        "doubt": doubt,
        "points": points,
        "seconds_for": {name: {str(goal): cost(rows, goal) for goal in GOALS} for name, rows in points.items()},
    }


def limit(frame: frames.Frame) -> float:
    """Longest stable step of the leap-frog; the straight first mode fixes the highest frequency."""
    n = frame.masses.size
    omega = 2.0 * math.pi / (0.1 * n) * math.sqrt(n * (2 * n - 1))
    return stable_step(omega, 0.5 * omega * float(frame.dashpots[0] / frame.stiffnesses[0]), 0.5)


def cost(rows: list[dict[str, float]], goal: float) -> float:
    """Seconds of the longest step from which on every error is below the goal; infinite if there is none."""
    found = math.inf
    for row in reversed(rows):
        if not row["error"] <= goal:
            break
        found = row["seconds"]
    return found


def run(repeats: int) -> list[dict[str, Any]]:
    """All frames."""
    measuring.compile_at_once()
    cases.recycle_memory(True)
    return [study(storeys, viscosity, repeats) for storeys, viscosity in FRAMES]


def show(studies: list[dict[str, Any]]) -> None:
    """One table per frame, and the time that every rival needs for a given error."""
    for study in studies:
        law = "viscous" if study["viscosity"] else "rate independent"
        print(
            f"{study['storeys']} storeys, {law}, El Centro × {SCALE:g}, {DURATION:g} s: CPU ms and error of peak "
            f"drifts\n(converged Galerkin and leap-frog are {study['doubt']:.0e} apart)\n"
        )
        print(f"{'step ms':>8}" + "".join(f"{name:>22}" for name in study["points"]))
        for i, step in enumerate(STEPS):
            cells = (rows[i] for rows in study["points"].values())
            print(f"{1e3 * step:8.3f}" + "".join(f"{_cell(cell):>22}" for cell in cells))
        for goal in GOALS:
            needed = (study["seconds_for"][name][str(goal)] for name in study["points"])
            print(f"≤ {goal:6.2%}" + "".join(f"{_milliseconds(s):>22}" for s in needed))
        print()


def _milliseconds(seconds: float | None) -> str:
    return "not reached" if seconds is None or math.isinf(seconds) else f"{1e3 * seconds:.2f} ms"


def _cell(point: dict[str, float | None]) -> str:
    """Numbers that are not finite come back from a file as None."""
    seconds, error = point["seconds"], point["error"]
    if seconds is None or error is None or math.isnan(error):
        return "unstable or failed"
    return f"{1e3 * seconds:.2f}  {error:.2%}"
