"""The files of the page: our own and plotly's script from its package, read once and served from memory by name."""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from hamex.report.page import STYLE, plotly_script

router = APIRouter(include_in_schema=False)
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
    index = text("index.html").replace("<!-- styles -->", links).replace("<!-- scripts -->", begin)
    return {**found, "index.html": _asset("index.html", index)}


@router.get("/")
def index(request: Request) -> Response:
    return _sent(assets()["index.html"], request)


@router.get("/page/{name:path}")
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
