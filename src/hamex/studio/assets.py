"""The page: our own files and plotly's script from its package, read once and served from memory."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from hamex.report.page import STYLE, plotly_script

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
