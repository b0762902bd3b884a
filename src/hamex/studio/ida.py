"""Incremental dynamic analyses as jobs: admitted or refused, told record by record, their fragility at the end; ended,
or taken home as file, table or script.
"""

from __future__ import annotations

import io
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import tomli_w
from fastapi import APIRouter, FastAPI, HTTPException, Query
from fastapi.responses import PlainTextResponse, Response
from numpy.typing import NDArray
from pydantic import Field

from hamex.errors import HamexError, InputError
from hamex.model.record import Model
from hamex.report.ida import kaplan_meier
from hamex.schemes.time_elements import is_linear
from hamex.solution.batch import write_columns
from hamex.spec.structures import ShearFrameTable
from hamex.spec.study import StudyFile, StudyTables, study_of
from hamex.spec.tables import OscillatorTable
from hamex.studio import wire
from hamex.studio.jobs import FINISHED, Job, Jobs, TooManyJobsError
from hamex.studio.problems import admit_synthetic
from hamex.studio.scripts import NoCodeError, ida_code
from hamex.studio.wire import RequestTable, attached, number, packed
from hamex.study.axes import first_of
from hamex.study.engine import Columns
from hamex.study.ida import Ida, ida
from hamex.study.ida.curves import IdaCurves
from hamex.study.ida.fragility import Fragility
from hamex.study.study import FINISHED as RUN_FINISHED
from hamex.study.table import heights_of, in_words, with_ratios

Array = NDArray[Any]
FRACTILES = (16, 50, 84)
_BEYOND = 2.2  # fractiles are told up to so many limits
_POINTS = 161
_DOUBTFUL = 0.05  # of the longest study: what the plan tells to take less, several times too short, is not timed


class IdaRequest(StudyTables, RequestTable):
    """A study file of one oscillator or shear frame under synthetic motions or the shipped record."""

    model: Annotated[OscillatorTable | ShearFrameTable, Field(discriminator="kind")]

    @property
    def tables(self) -> dict[str, Any]:
        """The study file that says the same."""
        return self.model_dump(exclude_unset=True, exclude_none=True)

    def build(self) -> StudyFile:
        """The study itself; reads no files."""
        return study_of(self, self.tables)

    def first(self) -> IdaRequest:
        """The same study with one motion only: all that can be refused is refused by it, in no time."""
        if self.records.synthetic is None:
            return self
        synthetic = self.records.synthetic.model_copy(update={"count": 1})
        return self.model_copy(update={"records": self.records.model_copy(update={"synthetic": synthetic})})


def admitted(request: IdaRequest) -> StudyFile:
    """The study with its first motion only, when the whole of it is one that the studio runs."""
    check_study(request)
    with in_proportion():
        first = request.first().build()
        _check_size(request, first)
    return first


@dataclass(frozen=True, eq=False)
class RecordCurve:
    """One record: its runs by growing intensity."""

    label: str
    im: Array
    demand: Array


class Analysis:
    """The work of a job, and where it stands."""

    def __init__(self, request: IdaRequest) -> None:
        admitted(request)
        self.request = request
        self.total = 1 if request.records.synthetic is None else request.records.synthetic.count
        self.curves: list[RecordCurve] = []
        self.found: Ida | None = None
        self._begin = self._first = time.monotonic()

    def __call__(self, job: Job[Any]) -> dict[str, Any]:
        """Run it in the thread of the job; returns what is told of the finished study."""
        file = self.request.build()
        self._begin = time.monotonic()

        def took(payload: Mapping[str, Any], table: Columns) -> None:
            if not self.curves:
                self._first = time.monotonic()
            self.curves.append(_curve(file, payload, table))

        with in_proportion():
            found = ida(
                file.study,
                file.demand,
                file.limit,
                intensity=file.intensity,
                hunting=file.hunting,
                executor=WatchedExecutor(job.check, took),
            )
        job.check()
        answer = _finished(file, found)
        self.found = found
        return answer

    def progress(self, since: int) -> dict[str, Any]:
        """How far it is, and the curves from number ``since`` on."""
        curves = self.curves[:]
        seconds = time.monotonic() - self._begin
        # The first record waits for what is compiled, so that it tells nothing of the others.
        since_first = time.monotonic() - self._first
        left = since_first * (self.total - len(curves)) / (len(curves) - 1) if len(curves) > 1 else None
        return {
            "done": len(curves),
            "total": self.total,
            "seconds": seconds,
            "left": left,
            "curves": [_curve_answer(curve) for curve in curves[since:]],
        }

    def csv(self) -> str | None:
        """All runs as a table; None until it is finished."""
        if self.found is None:
            return None
        text = io.StringIO()
        write_columns(text, in_words(self.found.columns))
        return text.getvalue()


class WatchedExecutor(Executor):
    """Runs each part of a study at once and in this thread, and hands on what came of it.

    ``check`` may raise to end the study; ``took`` is given the payload of a part and its table.
    """

    def __init__(self, check: Callable[[], None], took: Callable[[Mapping[str, Any], Columns], None]) -> None:
        self.check, self.took = check, took

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future of a part that is done already."""
        self.check()
        table = fn(*args, **kwargs)
        self.took(args[0], table)
        future: Future[Any] = Future()
        future.set_result(table)
        return future


def _check_size(request: IdaRequest, first: StudyFile) -> None:
    """Refuse what would take too long: the plan of one record, times their number."""
    study = first.study
    if not is_linear(study.scheme):
        raise InputError('scheme.kind must be "galerkin" of degree 1 in the studio; `hamex ida` takes any scheme')
    if not study.together:
        raise InputError(
            "[model] the studio studies oscillators and shear frames without links that need not come to "
            "rest; `hamex ida` takes any model"
        )
    longest = study.scheme.longest_step(study.template) if isinstance(study.template, Model) else math.inf
    if study.scheme.step >= longest:
        raise InputError(
            f"scheme.step must be below {longest:.6g} s, up to which every step of a model that softens like this one "
            f"has one solution; got {study.scheme.step:g} s"
        )
    times = (1 if request.records.synthetic is None else request.records.synthetic.count) * (
        1 if first.hunting is None else first.hunting.runs
    )
    plan = study.plan()
    if plan.runs * times > wire.RUNS:
        raise InputError(
            f"{plan.runs * times:,} runs are more than the {wire.RUNS:,} that the studio takes; ask for "
            "fewer records or levels"
        )
    seconds = plan.seconds * times
    if _DOUBTFUL * wire.STUDY < seconds <= wire.STUDY:
        seconds = study.timed().seconds * times
    if seconds > wire.STUDY:
        raise InputError(
            f"the study would take about {seconds:.0f} s, the studio takes "
            f"{wire.STUDY:.0f} s; ask for fewer runs, a smaller model or a longer scheme.step"
        )


def _curve(file: StudyFile, payload: Mapping[str, Any], table: Columns) -> RecordCurve:
    """Runs of one record as they come out of the engine."""
    record = payload["record"]
    scale = np.abs(table["scale"] if "scale" in table else payload["scales"])
    heights = heights_of(payload["systems"])
    columns = (
        table
        if file.demand in table
        else with_ratios(table, None if heights is None else np.repeat(heights, len(scale), axis=0))
    )
    # A record whose runs all ran away has no numbers to tell.
    values = columns.get(file.demand, np.full(len(scale), np.nan))
    demand = np.where(columns["status"] == RUN_FINISHED, np.abs(values), np.inf)
    order = np.argsort(scale, kind="stable")
    return RecordCurve(record.source, scale[order] * file.intensity(first_of(record)), demand[order])


def _curve_answer(curve: RecordCurve) -> dict[str, Any]:
    return {"label": curve.label, "im": packed(curve.im, "f8"), "demand": packed(curve.demand, "f8")}


def _finished(file: StudyFile, found: Ida) -> dict[str, Any]:
    curves = found.curves[0]
    demands = np.linspace(0, _BEYOND * curves.limit, _POINTS)[1:]
    there = [~np.isnan(im) for im in curves.im]
    final = [
        RecordCurve(label, im[kept], demand[kept])
        for label, im, demand, kept in zip(curves.labels, curves.im, curves.demand, there, strict=True)
    ]
    return {
        "curves": [_curve_answer(curve) for curve in final],
        "intensity": curves.im_name,
        "demand": curves.demand_label,
        "limit": curves.limit,
        "limit_name": curves.limit_name,
        "collapse": curves.collapse,
        "motions": curves.motions,
        "flags": list(curves.flags),
        "runs": len(found.columns["status"]),
        "seconds": found.seconds,
        "fractiles": {
            "percent": FRACTILES,
            "demand": packed(demands, "f8"),
            "im": packed(curves.intensity_for(demands.tolist(), FRACTILES), "f8"),
        },
        "capacities": [number(value) for value in curves.capacities.tolist()],
        "tried": curves.tried.tolist(),
        "fragility": _fragility(file, curves),
    }


def _fragility(file: StudyFile, curves: IdaCurves) -> dict[str, Any]:
    """The fit with its band and what it was fitted to, or why there is none."""
    try:
        found = curves.fragility(file.modelling, file.study.seed, file.resamples, stripes=file.stripes)
    except HamexError as problem:
        return {"why": str(problem)}
    right = max(found.median * np.exp(2.4 * found.total_dispersion), 1.9 * found.median)
    im = np.linspace(right / _POINTS, right, _POINTS)
    low, high = found.band(im)
    bounds = {name: [number(end) for end in ends] for name, ends in found.interval().items()}
    return {
        "why": "",
        "median": found.median,
        "dispersion": found.dispersion,
        "modelling": found.modelling,
        "total_dispersion": found.total_dispersion,
        "interval": bounds,
        "method": found.method,
        "resamples": found.resamples,
        "resampled": found.data.resampling,
        # Median over the intensity of the maximum considered earthquake, and what is probable there.
        "margin": None
        if file.mce is None
        else {"level": file.mce, "ratio": found.margin(file.mce), "probability": float(found.probability(file.mce))},
        "im": packed(im, "f8"),
        "probability": packed(found.probability(im), "f8"),
        "low": packed(low, "f8"),
        "high": packed(high, "f8"),
        **_data(found),
    }


def _data(found: Fragility) -> dict[str, Any]:
    """Shares at the levels, or the distribution of the capacities with censored records beside it."""
    columns = found.data.columns()
    if "level" in columns:
        share = np.array(columns["exceedances"]) / np.array(columns["counts"])
        return {"points": {"im": columns["level"], "share": share.tolist(), "steps": False}, "censored": []}
    values, hidden = np.array(columns["capacity"]), np.array(columns["censored"])
    place, share = kaplan_meier(values, hidden)
    return {
        "points": {"im": place.tolist(), "share": share.tolist(), "steps": True},
        "censored": values[hidden].tolist(),
    }


@contextmanager
def in_proportion() -> Iterator[None]:
    """Numbers that are allowed one by one may be too far apart together: eigenvalues fail, ratios overflow."""
    try:
        yield
    except HamexError:
        raise
    except (ArithmeticError, ValueError) as problem:
        raise InputError(f"the numbers are out of proportion, nothing can be computed with them ({problem})") from None


def check_study(tables: StudyTables) -> None:
    """Refuse lists, models and numbers of motions beyond what the studio takes; and files, which it never reads."""
    if tables.records.files is not None:
        raise InputError("records.files cannot be read here; `hamex ida` reads them")
    if tables.parameters:
        raise InputError("parameters is for `hamex ida`; the studio studies one model at a time")
    storeys = len(getattr(tables.model, "masses", ()))
    if storeys > wire.STOREYS:
        raise InputError(f"model.masses: {storeys} storeys are more than the {wire.STOREYS} that the studio takes")
    for name in ("scales", "stripes"):
        spaced = getattr(tables, name)
        if spaced is not None and spaced.count is not None and spaced.count > wire.RUNS:
            raise InputError(f"{name}.count must be at most {wire.RUNS:,}, got {spaced.count}")
    if tables.fragility.resamples > wire.RESAMPLES:
        raise InputError(f"fragility.resamples must be at most {wire.RESAMPLES:,}, got {tables.fragility.resamples}")
    if tables.records.synthetic is not None:
        admit_synthetic(tables.records.synthetic, tables.records.synthetic.count, "records.synthetic")


jobs: Jobs[Analysis] = Jobs(wire.STUDIES)


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
