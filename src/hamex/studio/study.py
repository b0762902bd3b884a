"""Study view: spectra at once, incremental dynamic analyses as jobs that tell their curves while they run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import tomli_w
from fastapi import APIRouter, FastAPI, HTTPException, Query
from fastapi.responses import PlainTextResponse, Response

from hamex.errors import InputError
from hamex.studio import limits
from hamex.studio.answer import attached
from hamex.studio.code_parts import NoCodeError
from hamex.studio.jobs import FINISHED, BusyError, Job, Jobs
from hamex.studio.study_code import ida_code, spectrum_code
from hamex.studio.study_ida import Analysis, IdaRequest, admitted
from hamex.studio.study_spectrum import SpectrumRequest, SpectrumScript, answer
from hamex.studio.study_spectrum import admitted as admitted_spectrum

jobs: Jobs[Analysis] = Jobs(limits.STUDIES)


@asynccontextmanager
async def _until_shutdown(app: FastAPI) -> AsyncIterator[None]:
    yield
    jobs.end()


router = APIRouter(prefix="/api/study", lifespan=_until_shutdown)


@router.post("/spectrum")
def spectrum(request: SpectrumRequest) -> dict[str, Any]:
    """Response spectrum of a ground motion, elastic or of constant ductility."""
    return answer(request)


@router.post("/spectrum/python")
def spectrum_python(request: SpectrumScript) -> Response:
    """A script that gives the numbers of the spectra."""
    admitted_spectrum(request)
    return attached(spectrum_code(request), "text/x-python", "spectrum.py")


@router.post("/ida", responses={429: {"description": "too many studies are running"}})
def start(request: IdaRequest) -> dict[str, Any]:
    """Start an incremental dynamic analysis."""
    analysis = Analysis(request)
    try:
        job = jobs.start(analysis)
    except BusyError as problem:
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
    return {"state": state, "message": job.message, **job.work.progress(since),
            "result": job.result if state == FINISHED else None}


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
