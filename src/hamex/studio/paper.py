"""Paper view: section 6 live, OpenSees beside it, every equation audited."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Query
from fastapi.responses import Response

from hamex.paper.cases import CASES
from hamex.paper.results import converge, milli, opensees_reference
from hamex.studio.answer import attached
from hamex.studio.paper_audit import Audit
from hamex.studio.paper_code import paper_code
from hamex.studio.paper_table import PaperRequest, answer, newmark_runs

_audit = Audit()


@asynccontextmanager
async def _until_shutdown(app: FastAPI) -> AsyncIterator[None]:
    yield
    _audit.end()


router = APIRouter(prefix="/api/paper", lifespan=_until_shutdown)


class Once:
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
    cases = {name: {**case, "slip": milli(case["slip"]), "momentum": milli(case["momentum"])}
             for name, case in found["cases"].items()}
    return {**found, "cases": cases}


_opensees = Once(_compared)


@router.get("/opensees")
def opensees() -> dict[str, Any]:
    """OpenSees on the six cases: run here where it is installed (``live``), else what was recorded."""
    return _opensees()


def _halved() -> dict[str, Any]:
    studies = [converge(case) for case in (CASES[0], CASES[3])]
    return {"studies": [{"case": study.case.loading, "steps": study.steps.tolist(),
                         "errors": {name: values.tolist() for name, values in study.errors.items()},
                         "orders": {name: study.order(name) for name in study.errors}} for study in studies]}


_convergence = Once(_halved)


@router.get("/convergence")
def convergence() -> dict[str, Any]:
    """Error against the step, for both load rules and Newmark."""
    return _convergence()


@router.get("/audit")
def audit(items: int = Query(0, ge=0, description="number of items known already"),
          drawings: int = Query(0, ge=0, description="number of drawings known already")) -> dict[str, Any]:
    """The audit as far as it is; the first question starts it."""
    return _audit.ask(items, drawings)
