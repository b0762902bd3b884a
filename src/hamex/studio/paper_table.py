"""Section 6 of the paper for the page: Table 2 digit by digit, and the histories of figures 10 to 13."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from hamex.discretise.schemes import Galerkin, Newmark
from hamex.errors import ConvergenceError
from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.model.units import Units
from hamex.paper.cases import CASES, CONVENTIONS, MASS, STIFFNESS, YIELD_FORCE, Case
from hamex.paper.page import CAPTIONS
from hamex.paper.results import milli
from hamex.solution.solution import Solution
from hamex.solve import Problem, solve
from hamex.spec.base import Finite
from hamex.studio.answer import packed
from hamex.studio.asked import Asked


class PaperRequest(Asked):
    """How to run the six cases; as it stands it is the paper's own way."""

    load: Literal["end", "average", "mean"] = Field("end", description='load of a step; "end" is the paper\'s')
    parts: Literal[1, 2, 4, 8] = Field(1, description="every step of the paper is divided into so many")
    viscosity: Annotated[Finite, Field(ge=0, le=100)] = Field(1.0, description="factor on the slider's viscosity")
    kinematic: Annotated[Finite, Field(ge=0, le=1e6)] = Field(0.0, description="hardening [kip/in], none in the paper")

    @property
    def is_the_paper_s(self) -> bool:
        """Whether the numbers must be those of the print."""
        return self == PaperRequest.model_validate({})

    def problem(self, case: Case) -> Problem:
        """A case with the changes that were asked for."""
        if self.viscosity == 1 and self.kinematic == 0:
            return case.problem
        law = Slider(YIELD_FORCE, viscosity=self.viscosity * case.damping, kinematic=self.kinematic)
        return case.problem.replace(model=oscillator(MASS, STIFFNESS, case.damping, law, Units("in", "kip")))


def answer(request: PaperRequest) -> dict[str, Any]:
    """Six rows with their histories; slips and displacements in milli-in, momenta in milli-in/s, forces in kip."""
    rows = [_row(request, case) for case in CASES]
    return {"rows": rows, "paper": request.is_the_paper_s, "captions": CAPTIONS, "conventions": list(CONVENTIONS),
            "matches": sum(row["slip"]["match"] + row["momentum"]["match"] for row in rows),
            "numbers": 2 * len(rows), "residual": max(row["residual"] for row in rows)}


def newmark_runs() -> dict[str, Solution]:
    """Our Newmark on the paper's own steps, which OpenSees is compared with."""
    return {case.name: solve(case.problem, Newmark(case.step)) for case in CASES}


def _row(request: PaperRequest, case: Case) -> dict[str, Any]:
    refined = replace(case, step=case.step / request.parts)
    problem = request.problem(case)
    new = solve(problem, Galerkin(refined.step, load=request.load))
    every = slice(None, None, request.parts)            # as many points as the paper has, however short the step
    u = 1e3 * new.values("displacement")[every, 0]
    slip = new.values("slip")
    return {
        "name": case.name, "resonant": case.is_resonant, "case": case.loading, "parameter": case.parameter,
        "step": refined.step, "spacing": case.step,
        "slip": _digits(case.slip_printed, slip[-1, 0]),
        "momentum": _digits(case.momentum_printed, new.values("momentum")[-1, 0]),
        "residual": new.residual, "slipping": float(np.mean(np.diff(slip[:, 0]) != 0)), "steps": new.steps,
        "displacement": packed(u), "mean_displacement": packed(1e3 * new.values("mean_displacement")[every, 0]),
        "force": packed(new.values("force")[every, 0]), "newmark": _newmark(problem, refined, every)}


def _digits(printed: str, value: float) -> dict[str, Any]:
    computed = milli(value)
    return {"printed": printed, "computed": computed, "match": printed == computed, "value": 1e3 * float(value)}


def _newmark(problem: Problem, case: Case, every: slice) -> dict[str, Any]:
    """The paper's comparison, or why it has none."""
    try:
        found = solve(problem, Newmark(case.step))
    except ConvergenceError as failure:
        return {"why": str(failure)}
    iterations = int(found.values("iterations").sum())
    return {"why": "", "slip": milli(found.values("slip")[-1, 0]), "momentum": milli(found.values("momentum")[-1, 0]),
            "iterations": iterations, "per_step": iterations / found.steps, "residual": found.residual,
            "displacement": packed(1e3 * found.values("displacement")[every, 0]),
            "force": packed(found.values("node_force")[every, 0])}
