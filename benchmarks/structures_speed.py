"""CPU time of a step: hamex beside OpenSees, and how it grows with the number of storeys.

hamex is timed through its public call, full histories stored. The time of a step is the slope between a shorter and a
longer run; what a call costs before that (checks, matrices, factors) is shown beside it, as a call of one step. Memory
of earlier runs is used again, as in a loop over runs; "new" is the same where every history goes to new pages, which
the system must clear first.
OpenSees is timed inside its process, in one ``analyze`` of all steps with nothing recorded, in the fastest set-up
found: plain numbering and constraints, profile solver, spring and dashpot in one element, increments below 1e-8 m as
the test. Repeats of both alternate, so that a busy spell hits both; the least of each counts.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import frames
import measuring
import numpy as np
import opensees_twin
import structures_cases as cases

import hamex as hx

STEP = 0.02
RECORD = 1560  # steps of El Centro
# Storeys, records end to end in the long run, steps of OpenSees.
SIZES = ((5, 40, RECORD), (20, 20, RECORD), (100, 5, 780), (1000, 1, 156))
TALL = (20, 50, 100, 200, 500, 1000, 2000)
LAWS = {"viscous": 1.0, "rate independent": 0.0}  # viscosity: Hardening in OpenSees; none: Steel01
GATE = 10.0  # s, length of the runs that compare peak drifts


class Slope:
    """CPU of calls of one frame with one, some and many steps, the least of the repeats so far."""

    def __init__(self, storeys: int, viscosity: float, times: int) -> None:
        self.steps = (1, RECORD // 4 if times == 1 else RECORD, times * RECORD)
        frame = frames.frame(storeys, viscosity)
        self.problems = [cases.problem(frame, steps * STEP, times=times) for steps in self.steps]
        self.repeat()  # compiles
        self.least = {True: [math.inf] * 3, False: [math.inf] * 3}

    def repeat(self) -> None:
        """Run each once more, on memory used before and on new memory."""
        found = {}
        for recycle in (False, True):
            cases.recycle_memory(recycle)
            hx.solve(self.problems[2], hx.Galerkin(STEP))
            found[recycle] = [
                cases.cpu(lambda problem=problem: hx.solve(problem, hx.Galerkin(STEP))) for problem in self.problems
            ]
        if hasattr(self, "least"):
            self.least = {recycle: list(map(min, self.least[recycle], found[recycle])) for recycle in found}

    def step(self, recycle: bool = True) -> float:
        """Seconds of one step."""
        _, some, many = self.least[recycle]
        return (many - some) / (self.steps[2] - self.steps[1])

    @property
    def call(self) -> float:
        """Seconds of a call of one step."""
        return self.least[True][0]


def against_opensees(repeats: int) -> list[dict[str, Any]]:
    """One row per number of storeys and law."""
    measuring.compile_at_once()
    rows = []
    for storeys, times, steps in SIZES:
        for law, viscosity in LAWS.items():
            frame = frames.frame(storeys, viscosity)
            ours, theirs = Slope(storeys, viscosity, times), math.inf
            for _ in range(repeats):
                (answer,) = opensees_twin.run([cases.opensees(frame, steps * STEP, STEP, timed=1)])
                if answer["failed_at"] is not None:
                    raise RuntimeError(f"OpenSees failed in step {answer['failed_at']} of {storeys} storeys, {law}")
                theirs = min(theirs, answer["cpu"] / (steps - 1))
                for _ in range(3):
                    ours.repeat()
            rows.append(
                {
                    "storeys": storeys,
                    "law": law,
                    "hamex": ours.step(),
                    "hamex_new": ours.step(False),
                    "call": ours.call,
                    "opensees": theirs,
                    "ratio": theirs / ours.step(),
                    "ratio_new": theirs / ours.step(False),
                    **gate(frame),
                }
            )
    return rows


def gate(frame: frames.Frame) -> dict[str, float]:
    """Peak drifts at the timed step: both against a converged run, and one against the other."""
    (answer,) = opensees_twin.run([cases.opensees(frame, GATE, STEP)])
    theirs = np.array(answer["deformation"])
    problem = cases.problem(frame, GATE)
    ours = hx.solve(problem, hx.Galerkin(STEP)).values("deformation")
    fine = hx.solve(problem, hx.Galerkin(STEP / 16)).values("deformation")
    return {
        "hamex_error": cases.apart(frame, ours, fine),
        "opensees_error": cases.apart(frame, theirs, fine),
        "apart": cases.apart(frame, ours, theirs),
    }


def by_storeys(repeats: int) -> list[dict[str, Any]]:
    """Seconds per storey and step from low to tall frames; repeats go round, so that a busy spell hits all."""
    measuring.compile_at_once()
    # Long runs of about as many numbers each, whole records, at least one.
    slopes = {storeys: Slope(storeys, 1.0, max(1, 400 // storeys)) for storeys in TALL}
    for _ in range(repeats):
        for slope in slopes.values():
            slope.repeat()
    return [
        {
            "storeys": storeys,
            "storey_step": slope.step() / storeys,
            "storey_step_new": slope.step(False) / storeys,
            "call": slope.call,
        }
        for storeys, slope in slopes.items()
    ]


def options(repeats: int) -> dict[str, Any]:
    """What options cost: a call of one step, steps that are cut or halved, modes that are damped one by one."""
    measuring.compile_at_once()
    cases.recycle_memory(True)
    mass = hx.oscillator(mass=1.0, stiffness=225.0, damping=1.5, law=hx.Slider(0.27, 1.5))
    one = hx.Problem(mass, cases.motion().on(mass, g=1.0), duration=STEP)
    calls = {"oscillator": _call(one, hx.Galerkin(STEP))}
    for storeys in (5, 20):
        calls[f"{storeys} storeys"] = _call(cases.problem(frames.frame(storeys), STEP), hx.Galerkin(STEP))
    inside, damped = [], []
    for storeys in (5, 20):
        frame = frames.frame(storeys)
        problem = cases.problem(frame, RECORD * STEP)
        fine = hx.solve(problem, hx.Galerkin(STEP / 16, degree=2)).values("deformation")
        for degree in (2, 3):
            small = 1e-4 * float(np.abs(fine).max())
            schemes = {
                "plain": hx.Galerkin(STEP, degree=degree),
                "locate": hx.Galerkin(STEP, degree=degree, locate=True),
                "tolerance": hx.Galerkin(STEP, degree=degree, tolerance=small),
            }
            row: dict[str, Any] = {"storeys": storeys, "degree": degree}
            rivals = {name: _call(problem, scheme) for name, scheme in schemes.items()}
            for name, scheme in schemes.items():
                row[f"{name}_error"] = cases.apart(frame, hx.solve(problem, scheme).values("deformation"), fine)
            inside.append(row | measuring.alternate(rivals, repeats))
    for storeys in (20, 200):
        rivals, frame = {}, frames.frame(storeys)
        for name, damping in {
            "Rayleigh": hx.rayleigh(0.05),
            "10 modes": hx.modal(0.05, modes=10),
            "all modes": hx.modal(0.05),
        }.items():
            laws = [hx.Slider(*row) for row in zip(frame.yield_forces, frame.viscosities, strict=True)]
            model = hx.shear_frame(frame.masses, frame.stiffnesses, damping, laws)
            problem = hx.Problem(model, cases.motion().on(model, g=frames.GRAVITY), duration=RECORD * STEP)
            rivals[name] = _call(problem, hx.Galerkin(STEP))
        damped.append({"storeys": storeys, "residual": hx.solve(problem, hx.Galerkin(STEP)).residual})
        damped[-1] |= measuring.alternate(rivals, repeats)
    return {"calls": measuring.alternate(calls, 20 * repeats), "inside": inside, "damped": damped}


def _call(problem: hx.Problem, scheme: hx.schemes.Scheme) -> Callable[[], float]:
    def work() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hx.solve(problem, scheme)

    work()  # compiles
    return lambda: cases.cpu(work)


def show_options(found: dict[str, Any]) -> None:
    """The third table."""
    print("CPU of a call of one step [µs]: " + ", ".join(f"{n} {1e6 * s:.0f}" for n, s in found["calls"].items()))
    print(f"\nCPU of {RECORD:,} steps [ms], times the plain steps, and error of peak drifts\n")
    for r in found["inside"]:
        cells = "".join(
            f"   {name} {1e3 * r[name]:.1f} ({r[name] / r['plain']:.1f} ×, {r[f'{name}_error']:.2%})"
            for name in ("plain", "locate", "tolerance")
        )
        print(f"{r['storeys']:4d} storeys, degree {r['degree']}{cells}")
    print(f"\nCPU of {RECORD:,} steps [ms], times Rayleigh's; energy balance with all modes damped\n")
    for r in found["damped"]:
        cells = "".join(
            f"   {name} {1e3 * r[name]:.1f} ({r[name] / r['Rayleigh']:.1f} ×)"
            for name in ("Rayleigh", "10 modes", "all modes")
        )
        print(f"{r['storeys']:4d} storeys{cells}   {r['residual']:.0e}")


def show_against_opensees(rows: list[dict[str, Any]]) -> None:
    """The first table."""
    print(f"CPU time of a step of {STEP:g} s [ns]; peak drifts of {GATE:g} s of El Centro against a converged run\n")
    print(
        f"{'storeys':>8} {'law':>17} {'hamex':>7} {'/storey':>8} {'new':>7} {'OpenSees':>9} {'ratio':>6} {'new':>5} "
        f"{'call [ms]':>10} {'error: hamex':>13} {'OpenSees':>9} {'apart':>6}"
    )
    for r in rows:
        print(
            f"{r['storeys']:8d} {r['law']:>17} {1e9 * r['hamex']:7.0f} {1e9 * r['hamex'] / r['storeys']:8.1f} "
            f"{1e9 * r['hamex_new']:7.0f} {1e9 * r['opensees']:9.0f} {r['ratio']:6.0f} {r['ratio_new']:5.0f} "
            f"{1e3 * r['call']:10.2f} {r['hamex_error']:13.1%} {r['opensees_error']:9.1%} {r['apart']:6.1%}"
        )


def show_by_storeys(rows: list[dict[str, Any]]) -> None:
    """The second table."""
    print("CPU time per storey and step [ns]\n")
    print(f"{'storeys':>8} {'hamex':>7} {'new':>7} {'call [ms]':>10}")
    for r in rows:
        print(
            f"{r['storeys']:8d} {1e9 * r['storey_step']:7.1f} {1e9 * r['storey_step_new']:7.1f} {1e3 * r['call']:10.2f}"
        )
    spread = [max(r[key] for r in rows) / min(r[key] for r in rows) for key in ("storey_step", "storey_step_new")]
    print(f"largest over smallest: {spread[0]:.2f}; on new pages {spread[1]:.2f}")
