"""Many shear buildings of five storeys under El Centro: one batch beside the same buildings one by one.

All are viscoplastic; stiffness varies by a factor of four and strength by eight. One by one is the march of the
single-building kernel alone (a call of all steps less a call of one step), and beside it the whole public call. Both
are timed on a sample of the same buildings. The gate: equal peaks.
"""

from __future__ import annotations

import functools
from typing import Any

import frames
import measuring
import numpy as np
import oscillators
import ours
import structures_cases as cases
from measuring import NotMeasuredError

import hamex as hx

STOREYS = 5
COUNT = 100_000
SAMPLE = 60  # buildings marched one by one
# Bounds of the lines that must be shown.
FASTER, EQUAL = 3.0, 1e-10


def family(count: int, storeys: int = STOREYS) -> dict[str, np.ndarray[Any, Any]]:
    """Arrays (building, storey): the frame of ``frames.py`` with stiffness and strength spread evenly."""
    base = frames.frame(storeys)
    place = ((np.arange(count) + 0.5) / count)[:, None]
    other = ((np.arange(count) * 0.6180339887498949) % 1.0)[:, None]
    stiffer, stronger = 0.5 * 4.0**place, 0.5 * 8.0**other
    return {
        "masses": np.tile(base.masses, (count, 1)),
        "stiffnesses": base.stiffnesses * stiffer,
        "dashpots": base.dashpots * stiffer,
        "yield_forces": base.yield_forces * stronger,
        "viscosities": base.viscosities * stiffer,
    }


def single(given: dict[str, np.ndarray[Any, Any]], i: int, steps: int = oscillators.STEPS) -> hx.Problem:
    """One of them as a problem of its own."""
    rows = {name: values[i] for name, values in given.items()}
    none = np.zeros(STOREYS)
    frame = frames.Frame(**rows, kinematic=none, isotropic=none)
    return cases.problem(frame, steps * oscillators.STEP)


def measure(repeats: int, quick: bool = False) -> dict[str, Any]:
    """Seconds per building, and how far the peaks are apart."""
    measuring.compile_at_once()
    count = COUNT // 50 if quick else COUNT
    given = family(count)
    cases.recycle_memory(True)
    picked = np.linspace(0, count - 1, SAMPLE).astype(int)
    scheme = hx.Galerkin(oscillators.STEP)

    def one_by_one(steps: int) -> Any:
        problems = [single(given, i, steps) for i in picked]

        def march() -> None:
            for problem in problems:
                hx.solve(problem, scheme)  # nothing is kept, so that memory is used again

        return lambda: measuring.cpu(march) / SAMPLE

    rivals: dict[str, Any] = {"call": one_by_one(oscillators.STEPS), "start": one_by_one(1)}
    missing = {}
    found: dict[str, Any] = {"storeys": STOREYS, "buildings": count, "steps": oscillators.STEPS, "apart": None}
    try:
        ours.need("batch", "shear_frames")
        rivals["batch"] = lambda: measuring.cpu(functools.partial(ours.buildings, given)) / count
        found["apart"] = gate(given)
    except NotMeasuredError as reason:
        missing["hamex"] = str(reason)
    for work in rivals.values():
        work()  # compiles
    least = measuring.alternate(rivals, repeats)
    found |= {
        "kernel": least["call"] - least["start"],
        "call": least["call"],
        "batch": least.get("batch"),
        "not_measured": missing,
    }
    found["claims"] = [
        measuring.claim(
            f"{COUNT:,} buildings of five storeys: times as fast per building as the single kernel",
            measuring.ratio(found["kernel"], found["batch"]),
            FASTER,
            " ×",
        ),
        measuring.claim(
            "their peak displacements against one by one: largest relative difference",
            found["apart"],
            EQUAL,
            at_most=True,
        ),
    ]
    return found


def gate(given: dict[str, np.ndarray[Any, Any]]) -> float:
    """Largest relative difference of peak displacements, batch against one by one."""
    count = len(given["masses"])
    pick = np.linspace(0, count - 1, SAMPLE).astype(int)
    # The sample is taken out of the whole batch: its neighbours must not matter.
    together = ours.buildings(given)[pick]
    marched = (hx.solve(single(given, i), hx.Galerkin(oscillators.STEP)).values("displacement") for i in pick)
    alone = np.array([np.abs(u).max(axis=0) for u in marched])
    return float(np.abs(together / alone - 1.0).max())


def show(found: dict[str, Any]) -> None:
    """Three numbers and the gate."""
    print(
        f"{found['buildings']:,} shear buildings of {found['storeys']} storeys under El Centro "
        f"({found['steps']:,} steps): CPU µs per building\n"
    )
    names = {"batch": "hamex, one batch", "kernel": "one by one, kernel alone", "call": "one by one, hx.solve"}
    for key, name in names.items():
        if found[key] is not None:
            share = 1e9 * found[key] / found["steps"] / found["storeys"]
            print(f"  {name:<28}{1e6 * found[key]:>9.1f}   {share:.2f} ns per storey and step")
    if found["apart"] is not None:
        print(f"peak displacements, batch against one by one: {found['apart']:.0e} apart")
    measuring.show_not_measured(found["not_measured"])
