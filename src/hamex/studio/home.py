"""The page, served and taken home: its files, our own and plotly's script from its package, read once and served from
memory by name; and a state of it as Python code, problem file, data, or one page that needs no server.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import math
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from typing import Any, Literal, NamedTuple

import tomli_w
from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import Field
from starlette.exceptions import HTTPException

from hamex import __version__
from hamex.errors import InputError
from hamex.report.page import STYLE, packed_plotly, plotly_script
from hamex.solution.files import netcdf_bytes, write_csv
from hamex.spec.base import Table
from hamex.spec.tables import ProblemTables
from hamex.studio import wire
from hamex.studio.history import history_answer, solved
from hamex.studio.problems import AnyProblem, HistoryRequest, admit_effort, admitted, law_choices
from hamex.studio.scripts import NoCodeError, python_code
from hamex.studio.wire import RequestTable, attached, taken_home

served = APIRouter(include_in_schema=False)
START, ALONE = "start.js", "history/classroom.js"  # the modules that the studio and a page taken home begin with
STYLES = ("studio.css", "derivation.css", "study.css", "paper.css", "waves.css", "scenes.css")
# A module begins with comments and imports, of names or of all of a module; what it exports it declares.
_HEAD = re.compile(r"\s+|//[^\n]*|/\*.*?\*/|(?P<statement>import\b[^;]*;)", re.DOTALL)
_IMPORT = re.compile(r'import (?P<names>\{[^}]*\}|\* as \w+) from "(?P<module>\.{1,2}/[\w/]+\.js)";')
_EXPORT = re.compile(r"^export (?P<kind>(?:async )?(?:function|class|const) )(?P<name>\w+)", re.MULTILINE)
_OTHER_EXPORT = re.compile(r"^export\b.*", re.MULTILINE)
TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8"}


@dataclass(frozen=True)
class Asset:
    """One file as it goes over the wire."""

    packed: bytes  # gzip
    plain: bytes
    type: str
    tag: str  # changes with the content, so that a browser may keep what it has


def _asset(name: str, text: str) -> Asset:
    plain = text.encode()
    # Plotly's script is 4 MB: the lightest compression saves most of the bytes and little time on one computer.
    return Asset(
        gzip.compress(plain, 1, mtime=0),
        plain,
        TYPES[name.rpartition(".")[2]],
        f'"{hashlib.sha256(plain).hexdigest()[:20]}"',
    )


def text(name: str) -> str:
    """One of our own files."""
    return resources.files("hamex.studio").joinpath("page", *name.split("/")).read_text(encoding="utf-8")


def modules(name: str) -> list[str]:
    """A module of the page and all that it imports, each behind what it imports itself."""
    ordered: dict[str, None] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise RecursionError(f"modules of the page import each other: {' → '.join((*above, name))}")
        if name not in ordered:
            for imported in _read(name).imports:
                visit(imported.module, (*above, name))
            ordered[name] = None

    visit(name, ())
    return list(ordered)


def one_script(name: str) -> str:
    """A module of the page and all that it imports as one plain script: browsers import nothing from a disk.

    Each module becomes a function that returns what it exports; imports read from what other functions returned.
    """
    return '"use strict";\n' + "\n".join(_as_function(module) for module in modules(name))


class _Import(NamedTuple):
    names: str  # as they stand behind `const`
    module: str


class _Module(NamedTuple):
    imports: list[_Import]
    body: str  # what stands below the imports


def _read(name: str) -> _Module:
    """Imports are read at the head of a module alone: further down, what looks like one is a text."""
    source, imports, at = text(name), list[_Import](), 0
    while piece := _HEAD.match(source, at):
        at = piece.end()
        if (statement := piece["statement"]) is not None:
            given = _IMPORT.fullmatch(statement)
            if given is None:
                raise ValueError(f"{name}: import by name from a file of the page, not: {statement}")
            names = given["names"].removeprefix("* as ").replace(" as ", ": ")
            imports.append(_Import(names, posixpath.normpath(posixpath.join(posixpath.dirname(name), given["module"]))))
    return _Module(imports, source[at:])


def _as_function(name: str) -> str:
    imports, body = _read(name)
    given = "".join(f"const {names} = {_variable(module)};\n" for names, module in imports)
    exports = ", ".join(export["name"] for export in _EXPORT.finditer(body))
    body = _EXPORT.sub(lambda export: export["kind"] + export["name"], body)
    if other := _OTHER_EXPORT.search(body):
        raise ValueError(f"{name}: export what is declared there, not: {other[0]}")
    return f"const {_variable(name)} = (() => {{\n{given}{body}return {{{exports}}};\n}})();"


def _variable(module: str) -> str:
    """A folder's stroke becomes a letter that no file has in its name: `a/b.js` and `a_b.js` are two variables."""
    return "module_" + module.removesuffix(".js").replace("/", "$")


@cache
def assets() -> dict[str, Asset]:
    """All files by the name under which they are served."""
    scripts = modules(START)
    found = {name: _asset(name, text(name)) for name in (*scripts, *STYLES)}
    found["style.css"] = _asset("style.css", STYLE)
    found["plotly.js"] = _asset("plotly.js", plotly_script())
    links = "\n".join(f'<link rel="stylesheet" href="/page/{name}">' for name in STYLES)
    # All modules are asked for at once, not one import after the other.
    loads = "\n".join(f'<link rel="modulepreload" href="/page/{name}">' for name in scripts)
    begin = f'{loads}\n<script type="module" src="/page/{START}"></script>'
    laws = f'<script type="application/json" id="laws">{json.dumps(law_choices())}</script>'
    index = text("index.html").replace("<!-- styles -->", links).replace("<!-- scripts -->", f"{laws}\n{begin}")
    return {**found, "index.html": _asset("index.html", index)}


@served.get("/")
def index(request: Request) -> Response:
    return _sent(assets()["index.html"], request)


@served.get("/page/{name:path}")
def file(name: str, request: Request) -> Response:
    found = assets().get(name)  # a key of a dictionary, never a path
    if found is None:
        raise HTTPException(404, "there is no such file")
    return _sent(found, request)


def _sent(asset: Asset, request: Request) -> Response:
    headers = {"etag": asset.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == asset.tag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.packed, media_type=asset.type, headers={**headers, "content-encoding": "gzip"})
    return Response(asset.plain, media_type=asset.type, headers=headers)


router = APIRouter(prefix="/api/home", tags=["take home"])
# Curves of a page are rounded to a share of their largest value that no screen shows; the numbers beside them are not.
_FINE, _COARSE = 15, 12  # bits
_MANY = 100_000  # displacements of a page beyond which they are rounded coarsely


@router.post("/python")
def python(request: HistoryRequest) -> Response:
    """A script that gives the numbers of the page."""
    admitted(request)
    try:
        code = python_code(request.problem, request.against)
    except NoCodeError as problem:
        raise InputError(f"there is no code for {problem}; take the problem file home") from None
    return attached(code, "text/x-python", f"{_stem(request.problem)}.py")


@router.post("/problem")
def problem(request: HistoryRequest) -> Response:
    """A problem file for `hamex run`."""
    admitted(request)
    return attached(toml_text(request.problem), "application/toml", f"{_stem(request.problem)}.toml")


@router.post("/csv")
def csv(request: HistoryRequest) -> Response:
    """All histories, one row per node."""
    file, _ = admitted(request)
    rows = io.StringIO(newline="")
    write_csv(solved(file, file.scheme, request.error)[0], rows)
    return attached(rows.getvalue(), "text/csv", f"{_stem(request.problem)}.csv")


@router.post("/netcdf")
def netcdf(request: HistoryRequest) -> Response:
    """Everything, to be read by `hamex.read` or xarray."""
    file, _ = admitted(request)
    return attached(
        netcdf_bytes(solved(file, file.scheme, request.error)[0]),
        "application/x-netcdf",
        f"{_stem(request.problem)}.nc",
    )


class Variant(Table):
    """The problem with one number changed."""

    value: float = Field(allow_inf_nan=False, description="the number, as the control shows it")
    problem: AnyProblem
    beside: AnyProblem | None = None


class PageRequest(RequestTable):
    """What a page of its own shows: a state, and the same with one number changed."""

    view: Literal["oscillator", "building"]
    history: HistoryRequest
    storey: int = Field(0, ge=0, description="whose loop is shown, from 0")
    viscous: bool = True
    isolated: bool = Field(False, description="whether the lowest storey is one of isolators")
    label: str = Field("", max_length=80)
    unit: str = Field("", max_length=40)
    variants: list[Variant] = Field(default_factory=list, max_length=wire.VARIANTS)


@router.post("/page")
def page(request: PageRequest) -> Response:
    """One HTML file: interactive, self-contained."""
    kind = "shear_frame" if request.view == "building" else "oscillator"
    problems = [request.history.problem, *(one.problem for one in request.variants)]
    besides = [request.history.beside, *(one.beside for one in request.variants)]
    problems += [tables for tables in besides if tables is not None]
    if any(tables.model.kind != kind for tables in problems):
        raise InputError(f"view {request.view} shows models of kind {kind}")
    file, _ = admitted(request.history)
    admit_effort(file, [file.scheme] * (1 + len(request.variants)), request.history.error)
    now = history_answer(request.history)
    cells = (now["steps"] + 1) * len(now["dofs"]) * (1 + len(request.variants))
    if cells > wire.PAGE_CELLS:
        raise InputError(
            f"variants: {cells:,} displacements are too many for one page ({wire.PAGE_CELLS:,}); "
            "a longer step, or no control"
        )
    others = [
        history_answer(request.history.model_copy(update={"problem": one.problem, "beside": one.beside}))
        for one in request.variants
    ]
    return attached(
        _small_page(request, now, others, _FINE if cells <= _MANY else _COARSE),
        "text/html",
        f"{_stem(request.history.problem)}.html",
    )


def _small_page(request: PageRequest, now: dict[str, Any], others: list[dict[str, Any]], bits: int) -> str:
    """The page, with as many nodes of the histories as its size allows."""
    title = request.history.problem.title or "a history"
    values = [one.value for one in request.variants]
    data = request.model_dump(include={"view", "storey", "viscous", "isolated", "label", "unit"})
    every = 1
    while True:
        thin = f"; curves: one of {every} time steps, and every peak; numbers: all steps" if every > 1 else ""
        words = f"{now['load']}; {_in_words(now)}{thin}"
        first, *varied = (taken_home(one, bits, every) for one in (now, *others))
        answers = answers_of(first, list(zip(values, varied, strict=True)))
        written = classroom_page(title, words, {**data, "answers": answers}, packed_plotly())
        over = len(written.encode()) - wire.PAGE
        if over <= 0 or every >= now["steps"]:
            return written
        room = wire.PAGE - len(classroom_page(title, words, {**data, "answers": []}, packed_plotly()).encode())
        every = max(every + 1, math.ceil(every * (over + room) / room))


def _in_words(run: Mapping[str, Any]) -> str:
    """The scheme of a run, for readers who know no Python.

    >>> _in_words({"scheme": "DiscontinuousGalerkin(step=0.02, degree=2, load='average')", "step": 0.02})
    'Discontinuous Galerkin, degree 2, time step 0.02 s'
    """
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", run["scheme"].partition("(")[0])
    degree = re.search(r"degree=(\d+)", run["scheme"])
    return f"{name}{f', degree {degree[1]}' if degree else ''}, time step {run['step']:g} s"


def toml_text(tables: ProblemTables) -> str:
    """The tables as a problem file: what was given and nothing else."""
    return tomli_w.dumps(_plain(tables.model_dump(exclude_unset=True)))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items() if entry is not None}
    return [_plain(entry) for entry in value] if isinstance(value, list) else value


def _stem(tables: ProblemTables) -> str:
    """A name for a file, from the title."""
    return re.sub(r"[^a-z0-9]+", "-", (tables.title or "hamex").lower()).strip("-")[:60] or "hamex"


def classroom_page(title: str, words: str, data: Mapping[str, Any], plotly: str) -> str:
    """The page; ``data`` holds the answers, one of them without a value: the state as it was. ``plotly`` is packed."""
    scripts = f'<script type="text/plain" id="plotly">{plotly}</script>\n<script>{_inside(one_script(ALONE))}</script>'
    # In a script element only the end tag and comments have a meaning; as \\u003c they are the same JSON.
    held = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}
{text("studio.css")}</style>
</head>
<body class="studio alone">
<header class="top"><p class="wordmark">hamex <span>{escape(title)}</span></p></header>
<main>
<p class="quiet">{escape(words)}</p>
<div id="stage" class="stage{" building" if data["view"] == "building" else ""}"></div>
<footer>Computed by hamex {escape(__version__)}; this page needs no network.</footer>
</main>
<script type="application/json" id="data">{held}</script>
{scripts}
</body>
</html>
"""


def _inside(source: str) -> str:
    """A script that can stand in a page: nothing in it may close the element."""
    return source.replace("</script", "<\\/script")


def answers_of(now: Mapping[str, Any], varied: Sequence[tuple[float, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The present state first, without a value, then the others by theirs, with what differs from it."""
    return [
        {"value": None, "answer": now},
        *(
            {"value": value, "answer": {key: part for key, part in answer.items() if part != now.get(key)}}
            for value, answer in varied
        ),
    ]
