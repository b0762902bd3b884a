"""144 shear frames, from easy to cruel: who solves every step, and what the others do instead.

False slip: a spring inside its yield limit at the end of a step has not slipped in that step (backward Euler). The
Hardening material of OpenSees lets it: when an iteration that was given up had slipped, and the last one is elastic,
the slip of the former is committed, since the elastic branch does not reset it. Such a run ends without a word. What it
does to the answer is seen beside hamex's Newmark, which solves the equations of the very same step to round-off.
"""

from __future__ import annotations

import warnings
from typing import Any

import frames
import numpy as np
import opensees_twin
import structures_cases as cases

import hamex as hx
from hamex.errors import HamexError

ALGORITHMS = ("Newton", "NewtonLineSearch")
ITERATIONS = 50
VISIBLE = 1e-3  # false slip in one step that counts, in yield deformations


def run() -> list[dict[str, Any]]:
    """One row per case, with the outcome of every solver."""
    rows = []
    for storeys, scale, viscosity, step in frames.grid():
        frame = frames.frame(storeys, viscosity)
        row: dict[str, Any] = {"storeys": storeys, "scale": scale, "viscosity": viscosity, "step": step}
        row["hamex"] = _hamex(frame, scale, step)
        same = _march(frame, scale, hx.Newmark(step, safeguarded=True)).values("deformation")
        for algorithm in ALGORITHMS:
            (answer,) = opensees_twin.run(
                [cases.opensees(frame, frames.DURATION, step, scale, algorithm=algorithm, iterations=ITERATIONS)]
            )
            force, deformation = np.array(answer["force"]), np.array(answer["deformation"])
            row[algorithm] = {
                "failed_at": answer["failed_at"],
                "most": max(answer["iterations"]),
                "false_slip": false_slip(frame, force, deformation),
                "off": cases.apart(frame, deformation, same[: len(deformation)]),
            }
        rows.append(row)
    return rows


def _march(frame: frames.Frame, scale: float, scheme: hx.Galerkin | hx.Newmark) -> hx.Solution:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of samples that are skipped; OpenSees skips them too
        return hx.solve(cases.problem(frame, frames.DURATION, scale), scheme)


def _hamex(frame: frames.Frame, scale: float, step: float) -> dict[str, Any]:
    try:
        sol = _march(frame, scale, hx.Galerkin(step))
    except HamexError as error:
        return {"failed_at": str(error), "most": None, "false_slip": None}
    solves = sol.values("solves")
    moved, force = np.abs(np.diff(sol.values("slip"), axis=0)), np.abs(sol.values("force"))
    inside = force < (1.0 - 1e-9) * frame.yield_forces  # step means obey the limit in this scheme
    return {
        "failed_at": None,
        "most": int(solves.max()),
        "mean": float(solves.mean()),
        "residual": sol.residual,
        "false_slip": float((moved * inside * frame.stiffnesses / frame.yield_forces).max()),
    }


def false_slip(frame: frames.Frame, force: np.ndarray[Any, Any], deformation: np.ndarray[Any, Any]) -> float:
    """Largest slip in one step of a spring that ends it inside its yield limit, in yield deformations."""
    moved = np.abs(np.diff(deformation - force / frame.stiffnesses, axis=0))
    inside = np.abs(force[1:]) < (1.0 - 1e-9) * frame.yield_forces
    return float((moved * inside * frame.stiffnesses / frame.yield_forces).max())


def show(rows: list[dict[str, Any]]) -> None:
    """Failures, iterations and false slip by step size."""
    print("""36 frames per step size (5, 20, 100 storeys; record × 1, 3, 10; four viscosities)
hamex: failed runs, most solves in a step. OpenSees: failed runs; completed runs with false slip and its largest in a
step [yield drifts]; how far peak drifts are off the exact solution of the same steps, median and worst
""")
    print(f"{'step [s]':>8}{'hamex':>12}" + "".join(f"{algorithm:>48}" for algorithm in ALGORITHMS))
    for step in (*frames.STEPS, None):
        mine = [row for row in rows if step in (None, row["step"])]
        ours = [row["hamex"] for row in mine]
        failed = sum(r["failed_at"] is not None for r in ours)
        most = max(r["most"] for r in ours if r["failed_at"] is None)
        cells = (f"{_cell([row[algorithm] for row in mine]):>48}" for algorithm in ALGORITHMS)
        print(f"{'all' if step is None else f'{step:.2f}':>8}{f'{failed}, {most}':>12}" + "".join(cells))
    done = [row["hamex"] for row in rows if row["hamex"]["failed_at"] is None]
    print(
        f"\nhamex: mean solves per step {np.mean([r['mean'] for r in done]):.2f}, energy residual at most "
        f"{max(r['residual'] for r in done):.0e}, largest false slip {max(r['false_slip'] for r in done):.0e}.\n"
        f"""OpenSees stops after {ITERATIONS} iterations. A completed run with false slip breaks its own material law
and says nothing: Hardening commits the slip of an iteration that was given up. Failures are of the iteration, false
slip is of the material. Steel01 has none, but knows no viscosity."""
    )


def _cell(outcomes: list[dict[str, Any]]) -> str:
    ended = [r for r in outcomes if r["failed_at"] is None]
    false = [r for r in ended if r["false_slip"] > VISIBLE]
    text = f"{len(outcomes) - len(ended)} failed"
    if not false:
        return text
    off = [r["off"] for r in ended]
    return (
        f"{text}; {len(false)} false to {max(r['false_slip'] for r in false):.2g}; "
        f"off {np.median(off):.1%} … {max(off):.0%}"
    )
