"""The files of the page: our own and plotly's script from its package, read once and served from memory by name."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from hamex.report.interactive import plotly_script
from hamex.report.page import STYLE

router = APIRouter(include_in_schema=False)
# In the order in which they are loaded: what a script uses stands before it.
SCRIPTS = ("core.js", "player.js", "motion.js", "sketch.js", "history.js", "oscillator.js", "building.js",
           "derivation.js", "sheets.js", "spectra.js", "ida.js", "study.js", "paper.js", "home.js", "start.js")
STYLES = ("studio.css", "derivation.css", "study.css", "paper.css")
TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8"}


@dataclass(frozen=True)
class Asset:
    """One file as it goes over the wire."""

    packed: bytes           # gzip
    plain: bytes
    type: str
    tag: str                # changes with the content, so that a browser may keep what it has


def _asset(name: str, text: str) -> Asset:
    plain = text.encode()
    # Plotly's script is 4 MB: the lightest compression saves most of the bytes and little time on one computer.
    return Asset(gzip.compress(plain, 1, mtime=0), plain, TYPES[name.rpartition(".")[2]],
                 f'"{hashlib.sha256(plain).hexdigest()[:20]}"')


def text(name: str) -> str:
    """One of our own files."""
    return resources.files("hamex.studio").joinpath("page", name).read_text(encoding="utf-8")


@cache
def assets() -> dict[str, Asset]:
    """All files by the name under which they are served."""
    found = {name: _asset(name, text(name)) for name in (*SCRIPTS, *STYLES)}
    found["style.css"] = _asset("style.css", STYLE)
    found["plotly.js"] = _asset("plotly.js", plotly_script())
    links = "\n".join(f'<link rel="stylesheet" href="/page/{name}">' for name in STYLES)
    scripts = "\n".join(f'<script src="/page/{name}" defer></script>' for name in SCRIPTS)
    index = text("index.html").replace("<!-- styles -->", links).replace("<!-- scripts -->", scripts)
    return {**found, "index.html": _asset("index.html", index)}


@router.get("/")
def index(request: Request) -> Response:
    return _sent(assets()["index.html"], request)


@router.get("/page/{name}")
def file(name: str, request: Request) -> Response:
    found = assets().get(name)          # a key of a dictionary, never a path
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
