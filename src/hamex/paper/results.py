"""Section 6 of the paper: its six runs, and everything that `hamex paper` shows of them, computed.

Inputs are those of Table 1, printed results those of Table 2. The paper leaves out four conventions without which
Table 2 does not come out; each stands here where it acts. Beside them references, energy balance and convergence.

``python -m hamex.paper.results`` records the OpenSees column for machines without OpenSees.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ShortRunWarning
from hamex.files import write_atomically
from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.model.record import Model
from hamex.model.units import Units
from hamex.motion.artificial import sine
from hamex.motion.ground import el_centro
from hamex.motion.load import Load
from hamex.paper import opensees
from hamex.schemes import Galerkin, Newmark, Scheme
from hamex.solution.solution import Solution
from hamex.solve import Problem
from hamex.solve import run as solve  # without what users are warned of

Array = NDArray[Any]
RECORDED = "data/opensees_recorded.json"
_HALVINGS = 7
_REFERENCE = 1024

MASS, STIFFNESS, YIELD_FORCE = 1.0, 225.0, 0.27  # kip s²/in, kip/in, kip
RESONANT_OMEGA, RESONANT_SCALE, RESONANT_END = 15.0, 0.2, 30.0
RECORD_SCALE = 2.0
DURATION = 40.0

CONVENTIONS = (
    "The force is minus mass times scale times the input, f = −m·scale·a(t), for sine and record.",
    "The sine acts while t ≤ 30 s; the force is zero from the next node on.",
    "El Centro is the series of Chopra's appendix: 1560 samples at 0.02 s, the first zero, the last at 31.18 s, "
    "then zeros to 40 s. Its values are in g and are used as bare numbers: no factor of gravity.",
    "The load of a step is the value at its end, the discrete force of eq. (51). This makes the method first "
    "order in the step.",
)


@dataclass(frozen=True)
class Case:
    """One row of Table 2. Printed values (external: the paper) stay text, so that every digit counts."""

    name: str
    loading: str
    parameter: str
    step: float
    damping: float  # c = η in every run
    slip_printed: str  # milli-in
    momentum_printed: str  # milli-in/s times the unit mass

    @property
    def is_resonant(self) -> bool:
        """True for the sine, False for the record."""
        return self.loading == "Resonant"

    @property
    def model(self) -> Model:
        """The oscillator of Fig. 8."""
        law = Slider(yield_force=YIELD_FORCE, viscosity=self.damping)
        return oscillator(MASS, STIFFNESS, self.damping, law=law, units=Units("in", "kip"))

    @property
    def load(self) -> Load:
        """Force on the mass."""
        if self.is_resonant:
            return sine(-MASS * RESONANT_SCALE, RESONANT_OMEGA, RESONANT_END)
        return el_centro().scaled(RECORD_SCALE).on(self.model, g=1.0)  # g as a bare number

    @property
    def problem(self) -> Problem:
        """Initially at rest, 40 s."""
        return Problem(self.model, self.load, DURATION)


CASES = (
    Case("resonant-0.02", "Resonant", "h = 0.02", 0.02, 1.5, "0.0924", "-0.0120"),
    Case("resonant-0.01", "Resonant", "h = 0.01", 0.01, 1.5, "0.0965", "-0.0085"),
    Case("resonant-0.005", "Resonant", "h = 0.005", 0.005, 1.5, "0.0909", "-0.0072"),
    Case("elcentro-0.05", "El Centro", "ξ = 0.05", 0.02, 1.5, "-5.1638", "-0.0054"),
    Case("elcentro-0.03", "El Centro", "ξ = 0.03", 0.02, 0.9, "-5.0293", "-0.1417"),
    Case("elcentro-0.01", "El Centro", "ξ = 0.01", 0.02, 0.3, "-3.5814", "-3.1699"),
)


@dataclass(frozen=True, eq=False)
class PaperRow:
    """One case with the new method (both load rules), our Newmark, and OpenSees."""

    case: Case
    end: Solution
    average: Solution
    newmark: Solution
    opensees: Mapping[str, Any]

    @property
    def slip_computed(self) -> str:
        """Final slip in milli-in, to the digits of the print."""
        return milli(self.end.values("slip")[-1, 0])

    @property
    def momentum_computed(self) -> str:
        """Final momentum in milli-in/s, to the digits of the print."""
        return milli(self.end.values("momentum")[-1, 0])

    @property
    def digits_match(self) -> bool:
        """True when both numbers agree with the print in every digit."""
        return (self.slip_computed, self.momentum_computed) == (self.case.slip_printed, self.case.momentum_printed)


@dataclass(frozen=True, eq=False)
class Convergence:
    """RMS displacement error against the step for each scheme, relative to the RMS displacement."""

    case: Case
    steps: Array
    errors: Mapping[str, Array]

    def order(self, name: str) -> float:
        """Slope of the line fitted through all but the coarsest step, which is a third of a radian long."""
        return float(np.polyfit(np.log(self.steps[1:]), np.log(self.errors[name][1:]), 1)[0])


@dataclass(frozen=True, eq=False)
class PaperResults:
    """What the page, the terminal and ``--json`` draw from."""

    rows: tuple[PaperRow, ...]
    convergence: tuple[Convergence, ...]
    opensees: Mapping[str, Any]

    @property
    def energy_residual_max(self) -> float:
        """Largest energy residual of the new method over all cases and both load rules."""
        return max(max(row.end.residual, row.average.residual) for row in self.rows)

    def as_json(self) -> dict[str, Any]:
        """The contract of ``hamex paper --json``; slips and momenta in milli-in and milli-in/s."""
        table = [
            {
                "case": row.case.loading,
                "parameter": row.case.parameter,
                "u1_printed": float(row.case.slip_printed),
                "u1_computed": 1e3 * float(row.end.values("slip")[-1, 0]),
                "p_printed": float(row.case.momentum_printed),
                "p_computed": 1e3 * float(row.end.values("momentum")[-1, 0]),
                "digits_match": row.digits_match,
            }
            for row in self.rows
        ]
        keys = ("version", "eta_honoured", "live")
        return {
            "table2": table,
            "energy_residual_max": self.energy_residual_max,
            "opensees": {key: self.opensees[key] for key in keys},
        }


def milli(value: float) -> str:
    """A number in thousandths with the four decimals that Table 2 prints."""
    return f"{1e3 * value:.4f}"


def table2() -> PaperResults:
    """Table 2 with its references, without the convergence study."""
    newmark = {case.name: solve(case.problem, Newmark(case.step)) for case in CASES}
    reference = opensees_reference(newmark)
    rows = tuple(
        PaperRow(
            case,
            solve(case.problem, Galerkin(case.step, load="end")),
            solve(case.problem, Galerkin(case.step, load="average")),
            newmark[case.name],
            reference["cases"][case.name],
        )
        for case in CASES
    )
    return PaperResults(rows, (), reference)


def everything() -> PaperResults:
    """Table 2 with its references and the convergence study."""
    results = table2()
    return PaperResults(results.rows, tuple(converge(case) for case in (CASES[0], CASES[3])), results.opensees)


def converge(case: Case, until: float = 30.0) -> Convergence:
    """Halve the step from 0.02 s and compare with an own run at 0.02/1024 s.

    Errors are taken at the nodes of the coarsest step up to 30 s, where the sine is smooth. Newmark iterates to
    1e-12 here, so that its tolerance does not hide its order.
    """
    problem = case.problem.replace(duration=until)
    parts = [2**i for i in range(_HALVINGS)]
    reference = _coarse_nodes(problem, Galerkin(0.02 / _REFERENCE), _REFERENCE)
    schemes: dict[str, Any] = {
        "end": lambda h: Galerkin(h, load="end"),
        "average": lambda h: Galerkin(h),
        "newmark": lambda h: Newmark(h, tolerance=1e-12, max_iterations=50),
    }
    size = np.sqrt(np.mean(reference**2))
    errors = {}
    for name, make in schemes.items():
        gaps = [_coarse_nodes(problem, make(0.02 / n), n) - reference for n in parts]
        errors[name] = np.array([float(np.sqrt(np.mean(gap**2))) / size for gap in gaps])
    return Convergence(case, np.array([0.02 / n for n in parts]), errors)


def _coarse_nodes(problem: Problem, scheme: Scheme, parts: int) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortRunWarning)  # errors are compared up to 30 s, records go on
        return solve(problem, scheme).values("displacement")[::parts, 0]


def opensees_reference(newmark: Mapping[str, Solution]) -> dict[str, Any]:
    """Real OpenSees where it is installed, else the values recorded in the repository; ``live`` says which."""
    reason = opensees.available()
    if reason is None:
        return {**run_opensees(newmark), "live": True, "reason": ""}
    text = resources.files("hamex.paper").joinpath(RECORDED).read_text(encoding="utf-8")
    return {**json.loads(text), "live": False, "reason": reason}


def run_opensees(newmark: Mapping[str, Solution]) -> dict[str, Any]:
    """Run the six cases in OpenSees and keep what the tables show.

    ``difference`` is the largest distance between its displacements and our Newmark's, relative to their peak.
    """
    answer = opensees.run(_opensees_cases())
    cases = {}
    for case in CASES:
        history = answer["cases"][case.name]
        u = np.array(history["displacement"])
        distance = np.abs(u - newmark[case.name].values("displacement")[:, 0]).max()
        cases[case.name] = {
            "slip": history["slip"][-1],
            "momentum": history["velocity"][-1] * float(case.model.mass[0, 0]),
            "iterations": history["iterations"],
            "failed_at": history["failed_at"],
            "difference": float(distance / np.abs(u).max()),
        }
    return {"version": answer["version"], "eta_honoured": answer["eta_honoured"], "cases": cases}


def _opensees_cases() -> list[dict[str, Any]]:
    """The six cases as plain numbers: nodal forces fᵣ, r = 0 … n."""
    cases = []
    for case in CASES:
        law = case.model.laws["slider"]
        steps = case.problem.steps(case.step)
        forces = case.load.node_values(case.step, steps) @ (
            np.eye(1) if case.load.patterns is None else case.load.patterns.T
        )
        cases.append(
            {
                "name": case.name,
                "mass": float(case.model.mass[0, 0]),
                "stiffness": 1 / float(case.model.flexibility[0, 0]),
                "damping": case.damping,
                "yield_force": float(law.yield_force[0]),
                "viscosity": float(law.viscosity[0]),
                "step": case.step,
                "forces": forces[:, 0].tolist(),
            }
        )
    return cases


def record() -> None:
    """Run OpenSees on the six cases and write what `hamex paper` falls back on."""
    reason = opensees.available()
    if reason is not None:
        sys.exit(f"nothing recorded: {reason}")
    answer = run_opensees({case.name: solve(case.problem, Newmark(case.step)) for case in CASES})
    path = Path(__file__).parent / RECORDED
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(answer, indent=1) + "\n"
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
    sys.stdout.write(f"recorded OpenSees {answer['version']} in {path}\n")


if __name__ == "__main__":
    record()
