"""Derivation view: systems of the library or typed ones, their derivation, their motion, and that motion as a script.

Nothing is worked out in the server itself: SymPy can take for ever, so a worker does it and is ended when its time is
over. A typed system is read by a parser of our own, never run. No request waits for long: what takes more than a moment
is answered with 202, and whoever asks the same again gets the answer once it is there.
"""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI
from fastapi.responses import Response
from pydantic import Field, model_validator

from hamex.errors import HamexError
from hamex.spec.base import Finite, Positive, Table
from hamex.studio import wire
from hamex.studio.jobs import Answer, Crew, LostError, QueueFullError, TimeUpError
from hamex.studio.wire import RequestTable

_Name = Annotated[str, Field(max_length=24)]
_Words = Annotated[str, Field(max_length=120)]
_Text = Annotated[str, Field(max_length=wire.TEXT)]

_LONG = ("derive", "latex", "page")
_WAIT = 1.5  # seconds that a request waits for its answer, before it is told to ask again
_PATIENCE = 15.0  # seconds without a question after which work is given up: its page went away
_RESPONSES: dict[int | str, dict[str, Any]] = {
    202: {"description": "being worked out: ask the same again"},
    503: {"description": "others use all workers, or the one at work was ended from outside"},
}


class SystemTable(RequestTable):
    """A system of the library by its name, or one that is typed."""

    system: str = Field("", max_length=40, description="name in the library; empty for a typed one")
    fields: list[_Name] = Field(
        [], max_length=8, description="unknown functions of time; when empty, names with a rate"
    )
    lagrangian: _Text = Field("", description="L in the small language, as m*u'^2/2 - k*u^2/2")
    dissipation: _Text = Field("", description="φ of rates and places, as c*u'^2/2")
    loads: dict[_Name, _Text] = Field({}, max_length=8, description="force on a field, as f(t)")
    constraints: list[_Text] = Field(
        [], max_length=6, description="what vanishes, of places or linear in rates, as x^2 + y^2 - l^2"
    )
    meanings: dict[_Name, _Words] = Field({}, max_length=60, description="what a name stands for, its unit in brackets")

    @model_validator(mode="after")
    def _one_of_both(self) -> SystemTable:
        typed = (self.lagrangian, self.dissipation, self.fields, self.loads, self.constraints, self.meanings)
        if self.system and any(typed):
            raise ValueError("give a system of the library or a typed one, not both")
        return self


class ZeroShape(Table):
    """Nothing acts."""

    shape: Literal["zero"]


class ConstantShape(Table):
    """The same at all times."""

    shape: Literal["constant"]
    amplitude: Finite


class SineShape(Table):
    """A sine from t = 0 on."""

    shape: Literal["sine"]
    amplitude: Finite
    period: Annotated[Positive, Field(description="[s]")]


class PulseShape(Table):
    """Half a sine, then nothing."""

    shape: Literal["pulse"]
    amplitude: Finite
    length: Annotated[Positive, Field(description="[s]")]


Shape = Annotated[ZeroShape | ConstantShape | SineShape | PulseShape, Field(discriminator="shape")]


class RunTable(SystemTable):
    """A system with numbers in it."""

    parameters: dict[_Name, Finite] = Field({}, max_length=60, description="a number for every parameter")
    shapes: dict[_Name, Shape] = Field(
        {}, max_length=40, description="history of a given function of time; zero when left out"
    )
    start: dict[Annotated[str, Field(max_length=30)], Finite] = Field(
        {}, max_length=24, description="u, u_dot or P_u at t = 0; zero when left out"
    )
    near: dict[Annotated[str, Field(max_length=30)], Finite] = Field(
        {}, max_length=8, description="side of a value that follows from a curved constraint"
    )
    duration: Positive = Field(10.0, le=1e6, description="[s]")
    step: Positive = Field(0.01, description="[s]")
    degree: int = Field(1, ge=0, le=4, description="of the polynomials in time; 0 with jumps only")
    jumps: bool = Field(False, description="fields may jump between steps (discontinuous elements)")

    @model_validator(mode="after")
    def _few_steps(self) -> RunTable:
        if self.degree == 0 and not self.jumps:
            raise ValueError("the degree must be at least 1 where fields do not jump between steps")
        if self.duration / self.step * (self.degree + self.jumps) > wire.SLOW_STEPS:
            raise ValueError(
                f"duration / step times the degree must be at most {wire.SLOW_STEPS}: "
                "take a longer step or a shorter duration"
            )
        return self


crew = Crew("hamex.studio.derivation_work", size=2)


@asynccontextmanager
async def _while_serving(app: FastAPI) -> AsyncIterator[None]:
    crew.warm()
    yield
    crew.end()
    kept.clear()


router = APIRouter(prefix="/api/derive", lifespan=_while_serving)


class PendingAnswer:
    """Something that was asked for: its answer, there or on its way, and when somebody asked last."""

    def __init__(self) -> None:
        self.answer: Future[Answer] = Future()
        self.last_question = time.monotonic()

    def wanted(self) -> bool:
        """Whether somebody still asks."""
        return time.monotonic() - self.last_question < _PATIENCE


class KeptAnswers:
    """Answers by what was asked. Who asks for one that is on its way waits for it a little and asks again."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._answers: OrderedDict[str, PendingAnswer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, task: str, given: dict[str, Any]) -> Answer | None:
        """The answer, or None while it is worked out."""
        key = json.dumps([task, given], sort_keys=True)
        with self._lock:
            pending = self._answers.get(key)
            if pending is None:
                pending = self._answers[key] = PendingAnswer()
                threading.Thread(target=self._work, args=(key, pending, task, given), daemon=True).start()
            pending.last_question = time.monotonic()
            self._answers.move_to_end(key)
            while len(self._answers) > self.size:
                self._answers.popitem(last=False)
        try:
            return pending.answer.result(timeout=_WAIT)
        except TimeoutError:
            return None

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._answers.clear()

    def _work(self, key: str, pending: PendingAnswer, task: str, given: dict[str, Any]) -> None:
        """Refusals are told and forgotten: the next one who asks may have more luck."""
        try:
            answer = crew.ask(task, given, wire.DERIVATION, task in _LONG, pending.wanted)
        except HamexError as problem:
            answer = _failure(task, problem)
        if answer[0] != 200:
            with self._lock:
                self._answers.pop(key, None)
        pending.answer.set_result(answer)


def _failure(task: str, problem: HamexError) -> Answer:
    advice = "a longer step or a shorter duration" if task == "run" else "fewer fields or simpler functions"
    said = f"{problem}; try {advice}" if isinstance(problem, TimeUpError) else str(problem)
    status = 503 if isinstance(problem, QueueFullError | LostError) else 422
    return status, json.dumps({"message": said, "field": None}).encode()


kept = KeptAnswers(40)


@router.get("", responses=_RESPONSES)
def library() -> Response:
    """The systems of the library: what they are, their texts, symbols, controls and starts."""
    return _sent("library")


@router.post("/read", responses=_RESPONSES)
def read(request: SystemTable) -> Response:
    """A typed system as it was understood, before anything is derived."""
    return _sent("read", request)


@router.post("", responses=_RESPONSES)
def derive(request: SystemTable) -> Response:
    """The derivation of a system: numbered sections as HTML, in which letters carry the name of their symbol."""
    return _sent("derive", request)


@router.post("/run", responses=_RESPONSES)
def run(request: RunTable) -> Response:
    """The motion of a system, with its energy and what of it is unaccounted for."""
    return _sent("run", request)


@router.post("/latex", responses=_RESPONSES)
def latex(request: SystemTable) -> Response:
    """The derivation of a system as a LaTeX document."""
    return _sent("latex", request)


@router.post("/page", responses=_RESPONSES)
def page(request: SystemTable) -> Response:
    """The derivation of a system as a page of its own, without script or network."""
    return _sent("page", request)


@router.post("/python")
def python(request: RunTable) -> dict[str, str]:
    """A script that gives the numbers of a run."""
    return {"text": script(request)}


def _sent(task: str, request: SystemTable | None = None) -> Response:
    """The answer of a worker as it stands, or the news that it is on its way."""
    given = {} if request is None else request.model_dump(mode="json")
    status, body = kept.get(task, given) or (202, b'{"working": true}')
    return Response(body, status, media_type="application/json")


def script(run: RunTable) -> str:
    """Python that gives the numbers of a run. All that came with the request stands in it as literals."""
    numbers = [f"    {name!r}: {value!r}," for name, value in run.parameters.items()]
    numbers += [f"    {name!r}: {_history(shape)}," for name, shape in run.shapes.items()]
    lines = ['"""A motion from hamex studio."""', ""]
    curved = any(isinstance(shape, SineShape | PulseShape) for shape in run.shapes.values())
    lines += ["import math", ""] if curved else []
    lines += [
        "import hamex as hx",
        *_system(run),
        "numbers = {",
        *numbers,
        "}",
        f"sol = hx.simulate(system, numbers, {dict(run.start)!r}, duration={run.duration!r}, {_march(run)}"
        + (f", near={dict(run.near)!r})" if run.near else ")"),
        "",
        "print(sol)",
        'print(f"energy unaccounted for: {sol.residual:.3e}")',
        "",
    ]
    return "\n".join(lines)


def _march(run: RunTable) -> str:
    if run.jumps:
        return f"step=hx.DiscontinuousGalerkin(step={run.step!r}, degree={run.degree!r})"
    return f"step={run.step!r}, degree={run.degree!r}"


def _system(run: RunTable) -> list[str]:
    if run.system:
        return ["from hamex.principle.library import action", "", f"system = action({run.system!r})"]
    given: dict[str, Any] = {
        "fields": list(run.fields),
        "lagrangian": run.lagrangian,
        "dissipation": run.dissipation,
        "loads": dict(run.loads),
        "constraints": list(run.constraints),
        "meanings": dict(run.meanings),
    }
    said = [f"    {name}={value!r}," for name, value in given.items() if value or name == "fields"]
    return ["from hamex.principle.language import read_action", "", "system = read_action(", *said, ")"]


def _history(shape: Shape) -> str:
    if isinstance(shape, ConstantShape):
        return repr(shape.amplitude)
    if isinstance(shape, SineShape):
        return f"lambda time: {shape.amplitude!r} * math.sin(2 * math.pi * time / {shape.period!r})"
    if isinstance(shape, PulseShape):
        return (
            f"lambda time: {shape.amplitude!r} * math.sin(math.pi * time / {shape.length!r}) "
            f"if 0 <= time <= {shape.length!r} else 0.0"
        )
    return "0.0"
