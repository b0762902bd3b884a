"""Equations as SVG, drawn from LaTeX without script or network; drawn once, then kept in memory and on disk."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

_EM = 16.0       # pixels per em of a page: sizes are given in em, so that equations grow with the text


@cache
def equation(latex: str, size: float = 20) -> str:
    """A displayed equation as an HTML block with inline SVG."""
    return f'<div class="equation" role="img" aria-label="{_plain(latex)}">{svg(latex, size)}</div>'


@cache
def inline(latex: str, size: float = 17, label: str = "", shared: bool = False, tagged: bool = False) -> str:
    """An equation inside a line of text, standing on its line of writing; the rest as in :func:`svg`."""
    drawing = svg(latex, size, shared, tagged)
    box = re.search(r'width="([\d.]+)" height="([\d.]+)" viewBox="\S+ (\S+) ', drawing)
    if box is None:
        raise ValueError(f"not a drawing with a size: {latex}")
    across, height, top = (float(number) for number in box.groups())
    style = (f'style="width:{across / _EM:.3f}em;height:{height / _EM:.3f}em;'
             f'vertical-align:{-(height + top) / _EM:.3f}em"')
    return drawing.replace("<svg ", f'<svg class="inline" role="img" aria-label="{_plain(label or latex)}" {style} ', 1)


@cache
def svg(latex: str, size: float = 20, shared: bool = False, tagged: bool = False) -> str:
    """The SVG element alone; ``shared`` draws it from named letters, which :func:`share` puts on the page once.

    ``tagged`` writes on every letter what it may stand for; :func:`hamex.report.tagged.marked` reads it.
    """
    folder = cache_folder()
    if folder is None:
        return _draw(latex, size, shared, tagged)
    key = hashlib.sha256(f"{_version()}\n{size} {shared}{' tagged' * tagged}\n{latex}".encode()).hexdigest()
    path = folder / f"{key}.svg"
    with suppress(OSError, UnicodeDecodeError):
        kept = path.read_text(encoding="utf-8")
        if kept.startswith("<svg ") and kept.endswith("</svg>"):
            return kept
    drawing = _draw(latex, size, shared, tagged)
    _keep(path, drawing)
    return drawing


def cache_folder() -> Path | None:
    """Where drawn equations are kept: ``HAMEX_CACHE``, or the user's cache folder; None when there is no home."""
    chosen = os.environ.get("HAMEX_CACHE")
    if chosen is not None:
        return Path(chosen) / "equations" if chosen else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "hamex" / "equations"


def _keep(path: Path, drawing: str) -> None:
    """Written whole or not at all; a cache that cannot be written only costs time."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(drawing)
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)


@cache
def _version() -> str:
    """What the drawing depends on beside the LaTeX."""
    from importlib.metadata import version

    return f"{version('ziamath')} {version('ziafont')} {version('latex2mathml')}"


# A letter without a shape (a blank) comes as an empty element.
_LETTER = re.compile(r'<symbol id="([^"]+)"(?:[^>]*/>|.*?</symbol>)', re.DOTALL)


def share(page: str) -> str:
    """A page with every letter of its shared equations kept once, before the first of them."""
    store, rest = letters_apart(page)
    return rest.replace("<main>", f"<main>{store}", 1)


def letters_apart(page: str) -> tuple[str, str]:
    """The letters of all shared equations of a page as one hidden drawing, and the page without them."""
    letters: dict[str, str] = {}
    for found in _LETTER.finditer(page):
        letters.setdefault(found[1], found[0])
    if not letters:
        return "", page
    store = f'<svg aria-hidden="true" width="0" height="0" style="position:absolute">{"".join(letters.values())}</svg>'
    return store, _LETTER.sub("", page)


def _named_by_content(drawing: str) -> str:
    """Letters called by what they look like: the same in every process, and never two under one name."""
    for found in list(_LETTER.finditer(drawing)):
        shape = found[0].partition(found[1])[2]
        name = f"g{hashlib.sha256(shape.encode()).hexdigest()[:10]}"
        drawing = drawing.replace(f'id="{found[1]}"', f'id="{name}"').replace(f'href="#{found[1]}"', f'href="#{name}"')
    return drawing


_FENCE = re.compile(r"\\(left|right)\s*(\\[{}|]|[^\\\s])")
_TALL = re.compile(r"\\frac|\\begin|\\sum|\\int")


def _relaxed(latex: str) -> str:
    r"""Fences around what is not tall need not stretch: each level of ``\left`` doubles the time of drawing."""
    waiting: list[re.Match[str]] = []
    plain: dict[int, str] = {}
    for fence in _FENCE.finditer(latex):
        if fence[1] == "left":
            waiting.append(fence)
        elif waiting:
            start = waiting.pop()
            if not _TALL.search(latex[start.end():fence.start()]) and "." not in (start[2], fence[2]):
                plain |= {start.start(): start[2], fence.start(): fence[2]}
    relaxed = _FENCE.sub(lambda fence: plain.get(fence.start(), fence[0]), latex)
    # A minus behind a bracket or a sign of order belongs to what follows it.
    return re.sub(r"([(\[=<>]|\\\{)\s*-\s*", r"\1{-}", relaxed)


def _draw(latex: str, size: float, shared: bool, tagged: bool = False) -> str:
    from ziamath.config import config
    from ziamath.zmath import Latex, Math

    from hamex.report.tagged import with_tags

    config.svg2 = shared          # otherwise each SVG stands alone on the page
    if tagged:
        drawing: str = Math(with_tags(_relaxed(latex)), size=size).svg()
    else:
        drawing = Latex(_relaxed(latex), size=size, color="currentColor").svg()
    return _named_by_content(drawing) if shared else drawing


def _plain(latex: str) -> str:
    return latex.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
