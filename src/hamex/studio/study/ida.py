"""Incremental dynamic analyses: started, asked about while they run, ended, taken home as file, table or script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import tomli_w
from fastapi import APIRouter, FastAPI, HTTPException, Query
from fastapi.responses import PlainTextResponse, Response

from hamex.errors import InputError
from hamex.spec.study import StudyFile, StudyTables
from hamex.studio import limits
from hamex.studio.jobs import FINISHED, Job, Jobs, TooManyJobsError
from hamex.studio.scripts import (
    NoCodeError,
    arguments,
    called,
    headline,
    import_lines,
    model_lines,
    said,
    suite_code,
    units_lines,
    wrapped,
)
from hamex.studio.study.analysis import Analysis, IdaRequest, admitted
from hamex.studio.wire import attached

jobs: Jobs[Analysis] = Jobs(limits.STUDIES)
_CURVES = """
curves = found.curves[0]
for label, capacity in zip(curves.labels, curves.capacities):
    print(f"{label}: {curves.limit_name} at {capacity:.8g} {intensity.unit}")
"""
_FIT = """
low, high = fit.interval()["median"]
print(f"median capacity {fit.median:.8g} {intensity.unit} ({low:.4g} to {high:.4g})")
print(f"dispersion {fit.dispersion:.8g}, with modelling {fit.total_dispersion:.8g}")
"""


@asynccontextmanager
async def _until_shutdown(app: FastAPI) -> AsyncIterator[None]:
    yield
    jobs.end()


router = APIRouter(prefix="/api/study", lifespan=_until_shutdown)


@router.post("/ida", responses={429: {"description": "too many studies are running"}})
def start(request: IdaRequest) -> dict[str, Any]:
    """Start an incremental dynamic analysis."""
    analysis = Analysis(request)
    try:
        job = jobs.start(analysis)
    except TooManyJobsError as problem:
        raise HTTPException(429, str(problem)) from None
    return {"id": job.id, "total": analysis.total}


@router.post("/ida/file")
def file(request: IdaRequest) -> dict[str, str]:
    """The study as a file for ``hamex ida``."""
    return {"name": "study.toml", "text": tomli_w.dumps(request.tables)}


@router.post("/ida/python")
def python(request: IdaRequest) -> Response:
    """A script that runs the study and fits its fragility."""
    first = admitted(request)
    try:
        return attached(ida_code(request, first), "text/x-python", "study.py")
    except NoCodeError as problem:
        raise InputError(f"there is no code for {problem}; take the study file home") from None


@router.get("/ida/{name}")
def ask(name: str, since: int = Query(0, ge=0, description="number of curves known already")) -> dict[str, Any]:
    """Where a study stands; its result once it is finished. Who does not ask for a minute is taken to be gone."""
    job = _job(name)
    state = job.state
    return {
        "state": state,
        "message": job.message,
        **job.work.progress(since),
        "result": job.result if state == FINISHED else None,
    }


@router.delete("/ida/{name}")
def cancel(name: str) -> dict[str, Any]:
    """End a study."""
    job = _job(name)
    job.cancel()
    return {"state": job.state}


@router.get("/ida/{name}/runs.csv", response_class=PlainTextResponse)
def runs(name: str) -> PlainTextResponse:
    """All runs of a finished study."""
    text = _job(name).work.csv()
    if text is None:
        raise HTTPException(409, "the study is not finished")
    return PlainTextResponse(text, media_type="text/csv")


def _job(name: str) -> Job[Analysis]:
    job = jobs.find(name)
    if job is None:
        raise HTTPException(404, "there is no such study; it may have been forgotten, start it again")
    return job


def ida_code(tables: StudyTables, file: StudyFile) -> str:
    """A script of a study. ``file`` is what the tables build, with as many records as one likes: it knows the levels
    and measures."""
    lines = [headline(tables.title or "A study of the studio"), ""]
    lines += [*import_lines(tables.model, tables.scheme), *units_lines(tables.units), *model_lines(tables.model)]
    records = tables.records.synthetic
    lines.append(f"records = {'[hx.el_centro()]' if records is None else suite_code(records, records.count)}")
    intensity = tables.intensity
    lines.append(f"intensity = hx.{type(file.intensity).__name__}({arguments(_given(intensity))})")
    axes = ['"record": records']
    for name in ("scale", "level"):
        if name in file.study.axes:
            lines.append(f"{name}s = {wrapped(file.study.axes[name])}")
            axes.append(f'"{name}": {name}s')
    more = arguments(tables.given("duration", "seed"))
    lines.append(
        f"study = hx.Study(model, {{{', '.join(axes)}}}, [{', '.join(map(said, file.study.measures))}],\n"
        f"                 {called(tables.scheme)}, g=g, intensity=intensity{more and ', ' + more})"
    )
    hunting = "" if tables.hunt is None else f", hunting=hx.Hunt({arguments(_given(tables.hunt))})"
    lines.append(f"found = hx.ida(study, {said(file.demand)}, {file.limit!r}, intensity=intensity{hunting}, workers=1)")
    lines += [_CURVES.rstrip(), ""]
    # One record has a curve and no distribution.
    if records is not None and records.count > 1:
        lines += [
            f"fit = curves.fragility({file.modelling!r}, {file.study.seed!r}, {file.resamples!r}, "
            f"stripes={file.stripes!r})",
            _FIT.strip(),
        ]
    return "\n".join(lines) + "\n"


def _given(table: Any) -> dict[str, Any]:
    return dict(table.given(*(name for name in type(table).model_fields if name != "kind")))
