"""Paper view: section 6 live, Table 2 digit by digit, OpenSees beside it, every equation audited.

The audit runs in child processes: started once, told while it runs, kept while the server lives.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, FastAPI, Query
from fastapi.responses import Response
from pydantic import Field

from hamex.errors import ConvergenceError
from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.model.units import Units
from hamex.paper.page import CAPTIONS
from hamex.paper.results import (
    CASES,
    CONVENTIONS,
    DURATION,
    MASS,
    RECORD_SCALE,
    RESONANT_END,
    RESONANT_OMEGA,
    RESONANT_SCALE,
    STIFFNESS,
    YIELD_FORCE,
    Case,
    converge,
    milli,
    opensees_reference,
)
from hamex.schemes import Galerkin, Newmark
from hamex.solution.solution import Solution
from hamex.solve import Problem
from hamex.solve import run as solve  # without what users are warned of
from hamex.spec.base import Finite
from hamex.studio.jobs import FAILED, FINISHED, RUNNING, ending
from hamex.studio.scripts import headline, said
from hamex.studio.wire import RequestTable, attached, packed

_STREAMS = ("verdicts", "drawings")


class PaperRequest(RequestTable):
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
        return case.problem.replace(model=oscillator(MASS, STIFFNESS, case.damping, law=law, units=Units("in", "kip")))


def answer(request: PaperRequest) -> dict[str, Any]:
    """Six rows with their histories; slips and displacements in milli-in, momenta in milli-in/s, forces in kip."""
    rows = [_row(request, case) for case in CASES]
    return {
        "rows": rows,
        "paper": request.is_the_paper_s,
        "captions": CAPTIONS,
        "conventions": list(CONVENTIONS),
        "matches": sum(row["slip"]["match"] + row["momentum"]["match"] for row in rows),
        "numbers": 2 * len(rows),
        "residual": max(row["residual"] for row in rows),
    }


def newmark_runs() -> dict[str, Solution]:
    """Our Newmark on the paper's own steps, which OpenSees is compared with."""
    return {case.name: solve(case.problem, Newmark(case.step)) for case in CASES}


def _row(request: PaperRequest, case: Case) -> dict[str, Any]:
    refined = replace(case, step=case.step / request.parts)
    problem = request.problem(case)
    new = solve(problem, Galerkin(refined.step, load=request.load))
    every = slice(None, None, request.parts)  # as many points as the paper has, however short the step
    u = 1e3 * new.values("displacement")[every, 0]
    slip = new.values("slip")
    return {
        "name": case.name,
        "resonant": case.is_resonant,
        "case": case.loading,
        "parameter": case.parameter,
        "step": refined.step,
        "spacing": case.step,
        "slip": _digits(case.slip_printed, slip[-1, 0]),
        "momentum": _digits(case.momentum_printed, new.values("momentum")[-1, 0]),
        "residual": new.residual,
        "slipping": float(np.mean(np.diff(slip[:, 0]) != 0)),
        "steps": new.steps,
        "displacement": packed(u),
        "mean_displacement": packed(1e3 * new.values("mean_displacement")[every, 0]),
        "force": packed(new.values("force")[every, 0]),
        "newmark": _newmark(problem, refined, every),
    }


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
    return {
        "why": "",
        "slip": milli(found.values("slip")[-1, 0]),
        "momentum": milli(found.values("momentum")[-1, 0]),
        "iterations": iterations,
        "per_step": iterations / found.steps,
        "residual": found.residual,
        "displacement": packed(1e3 * found.values("displacement")[every, 0]),
        "force": packed(found.values("node_force")[every, 0]),
    }


_LOOP = """
slips, momenta, residuals = [], [], []
print("case                   slip (printed)  computed   momentum (printed)  computed")
for loading, parameter, step, damping, slip_printed, momentum_printed in cases:
    law = hx.Slider(yield_force, viscosity=viscosity * damping, kinematic=kinematic)
    model = hx.oscillator(mass, stiffness, damping, law, units)
    if loading == "Resonant":
        load = hx.sine(-mass * {sine_scale!r}, omega={omega!r}, duration={end!r})
    else:
        load = hx.el_centro().scaled({scale!r}).on(model, g=1.0)      # values in g, used as bare numbers
    problem = hx.Problem(model, load, duration={duration!r})
    sol = hx.solve(problem, hx.Galerkin(step / parts, load={load}))
    slips.append(1e3 * sol.values("slip")[-1, 0])
    momenta.append(1e3 * sol.values("momentum")[-1, 0])
    residuals.append(sol.residual)
    print(f"{{loading + ', ' + parameter:22s}} {{slip_printed:>14s}} {{slips[-1]:9.4f}} "
          f"{{momentum_printed:>20s}} {{momenta[-1]:9.4f}}")
    try:
        newmark = hx.solve(problem, hx.Newmark(step / parts))
    except ConvergenceError as failure:
        print(f"    Newmark: {{failure}}")
        continue
    print(f"    Newmark: slip {{1e3 * newmark.values('slip')[-1, 0]:.4f}}, "
          f"momentum {{1e3 * newmark.values('momentum')[-1, 0]:.4f}}, "
          f"{{int(newmark.values('iterations').sum())}} iterations")
print("largest energy residual", max(residuals))
"""


def paper_code(request: PaperRequest) -> str:
    """A script that computes Table 2 as the view shows it."""
    rows = [
        f'"{case.loading}", "{case.parameter}", {case.step!r}, {case.damping!r}, "{case.slip_printed}", '
        f'"{case.momentum_printed}"'
        for case in CASES
    ]
    lines = [
        headline("Table 2 of the paper" if request.is_the_paper_s else "Table 2 with other settings"),
        "",
        "import hamex as hx",
        "from hamex.errors import ConvergenceError",
        "",
        'units = hx.Units(length="in", force="kip")',
        f"mass, stiffness, yield_force = {MASS!r}, {STIFFNESS!r}, {YIELD_FORCE!r}",
        f"parts = {request.parts!r}          # of every step of the paper",
        f"viscosity = {request.viscosity!r}    # times the paper's",
        f"kinematic = {request.kinematic!r}    # hardening [kip/in], none in the paper",
        "# Loading, what is varied, step [s], c = η [kip·s/in], and what the paper prints [milli-in, milli-in/s].",
        "cases = [",
        *(f"    ({row})," for row in rows),
        "]",
        _LOOP.strip().format(
            sine_scale=RESONANT_SCALE,
            omega=RESONANT_OMEGA,
            end=RESONANT_END,
            scale=RECORD_SCALE,
            duration=DURATION,
            load=said(request.load),
        ),
    ]
    return "\n".join(lines) + "\n"


class AuditStream:
    """Lines of one child process."""

    def __init__(self, what: str) -> None:
        self.total = 0
        self.lines: list[dict[str, Any]] = []
        # Nothing from a request reaches the child. Equations are drawn again rather than kept on disk, and the child
        # finds this very copy of the package.
        paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", "hamex.paper.audit.run", what],
            text=True,
            encoding="utf-8",
            stdin=subprocess.PIPE,  # never written to: it ends with this process, and the child with it
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, paths)),
                "HAMEX_CACHE": "",
                "PYTHONIOENCODING": "utf-8",
            },
        )
        self._reader = threading.Thread(target=self._read, name=f"audit {what}", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        with self._child.stdin, self._child.stdout as lines:
            for line in lines:
                try:
                    message = json.loads(line)
                except ValueError:  # half a line: the child was ended while it wrote
                    break
                if "total" in message:
                    self.total = message["total"]
                else:
                    self.lines.append(next(iter(message.values())))
        self._child.wait()

    @property
    def state(self) -> str:
        """Running, finished or failed."""
        if self._reader.is_alive():
            return RUNNING
        return FINISHED if self._child.returncode == 0 and len(self.lines) == self.total else FAILED

    @property
    def why(self) -> str:
        """What became of a child that failed; nothing of others."""
        if self.state != FAILED:
            return ""
        return f"the audit's process {ending(self._child.wait())}; reload the page to start it again"

    def end(self) -> None:
        """Kill the child."""
        self._child.kill()
        self._reader.join(2.0)


class Audit:
    """Verdicts and drawings, side by side: on two processors they are ready together."""

    def __init__(self) -> None:
        self._streams: dict[str, AuditStream] = {}
        self._lock = threading.Lock()
        atexit.register(self.end)

    def ask(self, items: int, drawings: int) -> dict[str, Any]:
        """What there is from these numbers on; the first question starts it, and starts it again after a failure."""
        with self._lock:
            failed = any(stream.state == FAILED for stream in self._streams.values())
            if not self._streams or (failed and not items and not drawings):
                self._end()
                self._streams = {what: AuditStream(what) for what in _STREAMS}
            verdicts, drawn = (self._streams[what] for what in _STREAMS)
        # States are read before the lines: what is finished has all of them.
        state = {what: stream.state for what, stream in self._streams.items()}
        return {
            "state": state["verdicts"],
            "total": verdicts.total,
            "done": len(verdicts.lines),
            "items": verdicts.lines[items:],
            "drawn": state["drawings"],
            "drawings": drawn.lines[drawings:],
            "why": verdicts.why or drawn.why,
        }

    def end(self) -> None:
        """Kill what runs and forget it."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        for stream in self._streams.values():
            if stream.state == RUNNING:
                stream.end()
        self._streams = {}


_audit = Audit()


@asynccontextmanager
async def _until_shutdown(app: FastAPI) -> AsyncIterator[None]:
    yield
    _audit.end()


router = APIRouter(prefix="/api/paper", lifespan=_until_shutdown)


class ComputedOnce:
    """A value that is computed when first asked for, by one at a time."""

    def __init__(self, compute: Callable[[], dict[str, Any]]) -> None:
        self._compute, self._lock = compute, threading.Lock()
        self._value: dict[str, Any] | None = None

    def __call__(self) -> dict[str, Any]:
        with self._lock:
            if self._value is None:
                self._value = self._compute()
            return self._value


@router.post("")
def paper(request: PaperRequest) -> dict[str, Any]:
    """Table 2 and the histories of figures 10 to 13."""
    return answer(request)


@router.post("/python")
def python(request: PaperRequest) -> Response:
    """A script that computes Table 2 with these settings."""
    return attached(paper_code(request), "text/x-python", "table-2.py")


def _compared() -> dict[str, Any]:
    found = opensees_reference(newmark_runs())
    cases = {
        name: {**case, "slip": milli(case["slip"]), "momentum": milli(case["momentum"])}
        for name, case in found["cases"].items()
    }
    return {**found, "cases": cases}


_opensees = ComputedOnce(_compared)


@router.get("/opensees")
def opensees() -> dict[str, Any]:
    """OpenSees on the six cases: run here where it is installed (``live``), else what was recorded."""
    return _opensees()


def _halved() -> dict[str, Any]:
    studies = [converge(case) for case in (CASES[0], CASES[3])]
    return {
        "studies": [
            {
                "case": study.case.loading,
                "steps": study.steps.tolist(),
                "errors": {name: values.tolist() for name, values in study.errors.items()},
                "orders": {name: study.order(name) for name in study.errors},
            }
            for study in studies
        ]
    }


_convergence = ComputedOnce(_halved)


@router.get("/convergence")
def convergence() -> dict[str, Any]:
    """Error against the step, for both load rules and Newmark."""
    return _convergence()


@router.get("/audit")
def audit(
    items: int = Query(0, ge=0, description="number of items known already"),
    drawings: int = Query(0, ge=0, description="number of drawings known already"),
) -> dict[str, Any]:
    """The audit as far as it is; the first question starts it."""
    return _audit.ask(items, drawings)
