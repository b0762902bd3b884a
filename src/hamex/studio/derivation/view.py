"""Derivation view: systems of the library or typed ones, their derivation, and their motion.

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
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import Response

from hamex.errors import HamexError
from hamex.studio import limits
from hamex.studio.derivation.tables import RunTable, SystemTable, script
from hamex.studio.workers import Answer, Crew, QueueFullError, TimeUpError

crew = Crew("hamex.studio.derivation.work", size=2)
_LONG = ("derive", "latex", "page")
_WAIT = 1.5  # seconds that a request waits for its answer, before it is told to ask again
_PATIENCE = 15.0  # seconds without a question after which work is given up: its page went away
_RESPONSES: dict[int | str, dict[str, Any]] = {
    202: {"description": "being worked out: ask the same again"},
    503: {"description": "others use all workers"},
}


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
        self.asked = time.monotonic()

    def wanted(self) -> bool:
        """Whether somebody still asks."""
        return time.monotonic() - self.asked < _PATIENCE


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
            pending.asked = time.monotonic()
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
            answer = crew.ask(task, given, limits.DERIVATION, task in _LONG, pending.wanted)
        except HamexError as problem:
            answer = _failure(task, problem)
        if answer[0] != 200:
            with self._lock:
                self._answers.pop(key, None)
        pending.answer.set_result(answer)


def _failure(task: str, problem: HamexError) -> Answer:
    advice = "a longer step or a shorter duration" if task == "run" else "fewer fields or simpler functions"
    said = f"{problem}; try {advice}" if isinstance(problem, TimeUpError) else str(problem)
    return 503 if isinstance(problem, QueueFullError) else 422, json.dumps({"message": said, "field": None}).encode()


kept = KeptAnswers(40)


@router.get("", responses=_RESPONSES)
def library() -> Response:
    """The systems of the library: what they are, their texts, symbols, controls and starts."""
    return _sent("library", {})


@router.post("/read", responses=_RESPONSES)
def read(request: SystemTable) -> Response:
    """A typed system as it was understood, before anything is derived."""
    return _sent("read", request.model_dump(mode="json"))


@router.post("", responses=_RESPONSES)
def derive(request: SystemTable) -> Response:
    """The derivation of a system: numbered sections as HTML, in which letters carry the name of their symbol."""
    return _sent("derive", request.model_dump(mode="json"))


@router.post("/run", responses=_RESPONSES)
def run(request: RunTable) -> Response:
    """The motion of a system, with its energy and what of it is unaccounted for."""
    return _sent("run", request.model_dump(mode="json"))


@router.post("/latex", responses=_RESPONSES)
def latex(request: SystemTable) -> Response:
    """The derivation of a system as a LaTeX document."""
    return _sent("latex", request.model_dump(mode="json"))


@router.post("/page", responses=_RESPONSES)
def page(request: SystemTable) -> Response:
    """The derivation of a system as a page of its own, without script or network."""
    return _sent("page", request.model_dump(mode="json"))


@router.post("/python")
def python(request: RunTable) -> dict[str, str]:
    """A script that gives the numbers of a run."""
    return {"text": script(request)}


def _sent(task: str, given: dict[str, Any]) -> Response:
    """The answer of a worker as it stands, or the news that it is on its way."""
    status, body = kept.get(task, given) or (202, b'{"working": true}')
    return Response(body, status, media_type="application/json")
