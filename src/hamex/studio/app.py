"""The web application: routes of each view, one way to refuse, limits on what comes in, a page that loads nothing from
elsewhere; and serving it on this computer.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import threading
import webbrowser
from typing import Any, get_type_hints

import numpy as np
import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from hamex import __version__
from hamex.errors import HamexError, InputError, at_the_door
from hamex.spec import allowed_keys
from hamex.spec.base import Table, explain, path_of
from hamex.studio import derivation_view as derivation
from hamex.studio import history, home, ida, paper, problems, spectrum, wire

_log = logging.getLogger("uvicorn.error")
LOCAL = ("localhost", "127.0.0.1", "::1")
# Messages name what they are about, as "model.mass must be …", "unknown key model.colour …", "[motion] give …" or
# "… let solve cut it: promise = "cut"".
_PLACE = re.compile(
    r"^\[([\w.]+)\] |\b([a-z_]{2,}(?:\.[a-z_]\w*|\[\d+\])+)|^(duration|tail|motion|load|scheme)\b|\b(promise) = \""
)


def create_app(hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "testserver")) -> FastAPI:
    """The studio as an ASGI application; ``hosts`` are the names under which it may be called."""
    app = FastAPI(
        title="hamex studio",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        responses={422: {"description": "refused: {message, field}"}},
    )
    views = (problems.router, home.router, derivation.router, history.waves, spectrum.router, ida.router, paper.router)
    for router in (home.served, history.router, *views):
        app.include_router(router)
    app.add_exception_handler(HamexError, _refused)
    for kind in (ArithmeticError, ValueError):
        app.add_exception_handler(kind, _out_of_proportion)
    app.add_exception_handler(RequestValidationError, _misread)
    app.add_exception_handler(HTTPException, _plain)
    # A page of another site may not talk to the studio under a name of its own that points to this computer.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    app.add_middleware(Guard)
    return app


async def _refused(request: Request, problem: Exception) -> JSONResponse:
    """What hamex refuses, in its own words."""
    return _refusal(at_the_door(str(problem), {}), 422)


async def _out_of_proportion(request: Request, problem: Exception) -> JSONResponse:
    """Numbers that are allowed one by one may be too far apart together: eigenvalues fail, ratios overflow."""
    _log.warning("%s: %r", request.url.path, problem)
    return _refusal(f"the numbers are out of proportion, nothing can be computed with them ({problem})", 422)


async def _misread(request: Request, problem: Exception) -> JSONResponse:
    """What the tables refuse, in the words of problem files."""
    assert isinstance(problem, RequestValidationError)
    errors: list[dict[str, Any]] = []
    for error in problem.errors():
        if error["type"] == "json_invalid":
            return _refusal("the request is not JSON", 422)
        errors.append({**error, "loc": error["loc"][1:]})
    body = problem.body if isinstance(problem.body, dict) else {}
    hints = get_type_hints(request.scope["endpoint"]).values()
    table = next((hint for hint in hints if isinstance(hint, type) and issubclass(hint, Table)), None)
    known = {} if table is None else allowed_keys(table, body)
    said = [
        sentence.replace("a problem file", "a request").replace("[problem.", "[")
        for sentence in explain(errors, body, known)
    ]
    field = path_of(errors[0]["loc"], body).removeprefix("problem.")
    return _refusal(said[0].replace("problem.", "", 1) if said else "the request cannot be read", 422, field=field)


async def _plain(request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, HTTPException)
    said = str(problem.detail)
    if said.startswith("There was an error parsing"):  # fastapi's word for what its reader of JSON gave up on
        said = "the request cannot be read: it is nested too deep, or no text"
    return _refusal(said, problem.status_code, problem.headers)


def _refusal(message: str, status: int, headers: Any = None, field: str = "") -> JSONResponse:
    place = _PLACE.search(message)
    found = field or (place and place[place.lastindex or 0]) or None
    return JSONResponse({"message": message, "field": found}, status, headers=headers)


# Styles are set by our own scripts and by plotly; nothing is ever loaded from elsewhere.
_HEADERS = {
    b"content-security-policy": b"default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    b"object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
}
_TOO_LARGE = f"a request may have {wire.BODY / 1e6:g} MB at most"


class Guard:
    """Refuses bodies beyond :data:`wire.BODY` while they arrive, and adds the headers of a closed page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > wire.BODY:
                raise HTTPException(413, _TOO_LARGE)
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_HEADERS.items()]
            await send(message)

        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length) > wire.BODY:
            await JSONResponse({"message": _TOO_LARGE, "field": None}, 413)(scope, receive, with_headers)
            return
        await self.app(scope, counted, with_headers)


# Serving ---------------------------------------------------------------------------------------------------


class PatientProtocol(H11Protocol):
    """Closes connections on which a client keeps the studio waiting; by itself uvicorn waits for ever.

    From its beginning, or from the answer before, a request has :data:`wire.REQUEST` seconds to arrive whole; an
    answer may not rest for as long in being taken.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come."""
        super().connection_made(transport)
        self._since, self._unsent = self.loop.time(), 0
        self._watch = self.loop.call_later(wire.REQUEST / 4, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._watch.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """The next request may begin."""
        self._since = self.loop.time()
        super().on_response_complete()

    def _look(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        at_work = self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body
        if unsent != self._unsent or (at_work and not unsent):  # it takes what was sent, or the studio works for it
            self._since = self.loop.time()
        self._unsent = unsent
        if self.loop.time() - self._since >= wire.REQUEST:
            self.transport.abort()
        else:
            self._watch = self.loop.call_later(wire.REQUEST / 4, self._look)


def serve(host: str = "127.0.0.1", port: int = 8765, open_page: bool = False) -> None:
    """Serve until interrupted. ``port`` 0 takes any that is free."""
    listening = _bound(host, port)
    name = "localhost" if host in LOCAL else host
    address = f"http://{name}:{listening.getsockname()[1]}/"
    app = create_app(hosts=(*LOCAL, "[::1]", host))
    print(f"hamex studio: {address}  (Ctrl-C ends it)", flush=True)
    if host not in LOCAL:
        print("note: anybody who reaches this computer on that port can use the studio", flush=True)
    # Kernels are loaded while the page loads, so that the first control is as quick as the others.
    threading.Thread(target=warm_up, daemon=True).start()
    if open_page:
        threading.Timer(0.5, webbrowser.open, (address,)).start()
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    config = uvicorn.Config(
        app, log_level="warning", timeout_graceful_shutdown=2, access_log=False, http=PatientProtocol
    )
    server = uvicorn.Server(config)
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # uvicorn has closed everything and passes the key on
    finally:
        listening.close()


def _is_news(record: logging.LogRecord) -> bool:
    """False for requests that were under way when the studio was ended: that is no error."""
    return not (record.exc_info and record.exc_info[0] and issubclass(record.exc_info[0], asyncio.CancelledError))


def _bound(host: str, port: int) -> socket.socket:
    """A listening socket, or a message before anything is loaded."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)  # whoever comes before the studio is ready waits for it
    except (OSError, OverflowError) as problem:
        listening.close()
        why = getattr(problem, "strerror", None) or str(problem)
        raise InputError(
            f"cannot serve on {host}:{port}: {why}; another studio may run there, "
            "--port takes another port, 0 any that is free"
        ) from None
    return listening


def warm_up() -> None:
    """One short run of each kind, compiled; what is compiled already is loaded from the cache."""
    from hamex.model.damping import modal
    from hamex.model.laws.slider import Slider
    from hamex.model.oscillator import oscillator
    from hamex.model.shear_frame import shear_frame
    from hamex.motion.ground import el_centro
    from hamex.schemes import DiscontinuousGalerkin, Galerkin, Newmark
    from hamex.solve import Problem, solve
    from hamex.study.spectra import spectrum

    law = Slider(yield_force=0.2, viscosity=0.1, kinematic=0.1)
    models = (oscillator(1.0, 100.0, 0.5, law=law), shear_frame([1.0] * 3, [100.0] * 3, modal(0.05), laws=law))
    motion = el_centro()
    for model in models:
        # Long enough for the compiled kernels: below a measured size the same functions run uncompiled.
        problem = Problem(model, motion.on(model, g=1.0), duration=32.0)
        for scheme in (Galerkin(0.01), Newmark(0.01), DiscontinuousGalerkin(0.01, degree=2)):
            _ = solve(problem, scheme).energy
    spectrum(motion, np.geomspace(0.05, 4.0, 20), damping=0.05, g=9.81)
