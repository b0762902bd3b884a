"""Equations as SVG, drawn from LaTeX without script or network; drawn once, then kept in memory and on disk.

Letters of a drawn equation can know what they stand for, so that a page can point at them. While it is drawn each
letter gets a colour that is none: the symbols it may be part of, ``p|u;u|`` for the index of p_u. One drawing serves
every system; which of these symbols there are is decided when a page is put together.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

from hamex.files import ROOM, is_whole, stamped

_SEALED = f"{'0' * 64} -->"  # where the checksum of a kept drawing stands, and what ends it
_EM = 16.0  # pixels per em of a page: sizes are given in em, so that equations grow with the text
_LEAVES = ("mi", "mn", "mo", "mtext")
_STEP = re.compile(r"r|r−1|\*|0")  # an instant, behind the index of a field
_PLACE = re.compile(r"[xyz]+")  # a derivative by a place, behind a comma
_USE = re.compile(r'<use href="(#\w+)" x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)" fill="([^"]*)" ?/>')


@cache
def equation(latex: str, size: float = 20) -> str:
    """A displayed equation as an HTML block with inline SVG."""
    return f'<div class="equation" role="img" aria-label="{_attribute(latex)}">{svg(latex, size)}</div>'


@cache
def inline(latex: str, size: float = 17, label: str = "", shared: bool = False, tagged: bool = False) -> str:
    """An equation inside a line of text, standing on its line of writing; the rest as in :func:`svg`."""
    drawing = svg(latex, size, shared, tagged)
    box = re.search(r'width="([\d.]+)" height="([\d.]+)" viewBox="\S+ (\S+) ', drawing)
    if box is None:
        raise ValueError(f"not a drawing with a size: {latex}")
    across, height, top = (float(number) for number in box.groups())
    style = (
        f'style="width:{across / _EM:.3f}em;height:{height / _EM:.3f}em;vertical-align:{-(height + top) / _EM:.3f}em"'
    )
    start = f'<svg class="inline" role="img" aria-label="{_attribute(label or latex)}" {style} '
    return drawing.replace("<svg ", start, 1)


@cache
def svg(latex: str, size: float = 20, shared: bool = False, tagged: bool = False) -> str:
    """The SVG element alone; ``shared`` draws it from named letters, which :func:`share` puts on the page once.

    ``tagged`` writes on every letter what it may stand for; :func:`marked` reads it.
    """
    folder = cache_folder()
    if folder is None:
        return _draw(latex, size, shared, tagged)
    key = hashlib.sha256(f"{_version()}\n{size} {shared}{' tagged' * tagged}\n{latex}".encode()).hexdigest()
    path = folder / f"{key}.svg"
    seal = f"<!-- {key} {ROOM} -->".encode()
    with suppress(OSError):
        kept = path.read_bytes()
        if is_whole(kept) and seal[: -len(_SEALED)] in kept:
            return kept[: -len(seal)].decode()
    drawing = _draw(latex, size, shared, tagged)
    _keep(path, stamped(drawing.encode() + seal))
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


def _keep(path: Path, content: bytes) -> None:
    """Written whole or not at all; a cache that cannot be written only costs time."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
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
            if not _TALL.search(latex[start.end() : fence.start()]) and "." not in (start[2], fence[2]):
                plain |= {start.start(): start[2], fence.start(): fence[2]}
    relaxed = _FENCE.sub(lambda fence: plain.get(fence.start(), fence[0]), latex)
    # A minus behind a bracket or a sign of order belongs to what follows it.
    return re.sub(r"([(\[=<>]|\\\{)\s*-\s*", r"\1{-}", relaxed)


def _draw(latex: str, size: float, shared: bool, tagged: bool = False) -> str:
    from ziamath.config import config
    from ziamath.zmath import Latex, Math

    config.svg2 = shared  # otherwise each SVG stands alone on the page
    if tagged:
        drawing: str = Math(with_tags(_relaxed(latex)), size=size).svg()
    else:
        drawing = Latex(_relaxed(latex), size=size, color="currentColor").svg()
    return _named_by_content(drawing) if shared else drawing


def _attribute(latex: str) -> str:
    return latex.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def with_tags(latex: str) -> Element:
    """An equation as MathML with a tag on every letter."""
    root = _mathml(latex)
    root.set("mathcolor", "currentColor")
    for child in root:
        _tag(child, (), alone=True)
    return root


@cache
def key(latex: str) -> str:
    """The tag that the letters of a symbol carry: ``F|y`` for F_{y}."""
    node = _mathml(latex)
    while _kind(node) in ("math", "mrow") and len(node) == 1:
        node = node[0]
    return f"{_letter_of(node[0])}|{_text(node[1])}" if _kind(node) == "msub" else f"{_letter_of(node)}|"


def marked(html: str, names: Mapping[str, str]) -> str:
    """A page whose tagged letters are gathered in groups with ``data-symbol``; ``names`` maps keys to symbols."""
    found, group, symbol, end = [], list[re.Match[str]](), "", 0
    for use in _USE.finditer(html):
        name = _resolved(use[6], names)
        between = html[end : use.start()]
        if group and (name != symbol or between.strip()):
            found.append(_grouped(group, symbol))
            group = []
        found.append(between)
        end = use.end()
        if name:
            group, symbol = [*group, use], name
        else:
            found.append(_uncoloured(use))
    found.append(_grouped(group, symbol) if group else "")
    return "".join(found) + html[end:]


def _resolved(tags: str, names: Mapping[str, str]) -> str:
    """The first symbol among those that a letter may be part of."""
    if "|" not in tags:
        return ""
    for tag in tags.split(";"):
        letter, _, index = tag.partition("|")
        parts = index.split(",") if index else []
        while True:
            name = names.get(f"{letter}|{','.join(parts)}")
            if name:
                return name
            if not parts or not (_STEP.fullmatch(parts[-1]) or (len(parts) > 1 and _PLACE.fullmatch(parts[-1]))):
                break
            parts.pop()
            parts = [] if parts == [""] else parts
    return ""


def _uncoloured(use: re.Match[str]) -> str:
    return use[0].replace(f'fill="{use[6]}"', 'fill="currentColor"')


def _grouped(uses: list[re.Match[str]], symbol: str) -> str:
    """Letters of one symbol on a box that a pointer can meet, also between their strokes."""
    left = min(float(use[2]) for use in uses)
    right = max(float(use[2]) + float(use[4]) for use in uses)
    # A letter hangs in a box of 4.27 em, its line of writing 2.63 em below the top.
    lines = [(float(use[3]) + 0.6155 * float(use[5]), 0.2343 * float(use[5])) for use in uses]
    top, bottom = min(y - 0.75 * em for y, em in lines), max(y + 0.25 * em for y, em in lines)
    box = f'<rect x="{left:.2f}" y="{top:.2f}" width="{max(right - left, 4):.2f}" height="{bottom - top:.2f}" rx="2"/>'
    return f'<g data-symbol="{symbol}">{box}{"".join(map(_uncoloured, uses))}</g>'


def _mathml(latex: str) -> Element:
    from ziamath.tex import tex2mml

    return fromstring(tex2mml(latex))


def _kind(node: Element) -> str:
    return node.tag.rpartition("}")[2]


def _text(node: Element) -> str:
    return "".join(node.itertext())


def _letter_of(node: Element) -> str:
    """The letter that a node is, without its accents; upright words count, single upright letters do not."""
    kind = _kind(node)
    if kind == "mover":
        return _letter_of(node[0])
    if kind == "mrow":
        upright = len(node) > 1 and all(_kind(child) == "mi" and child.get("mathvariant") for child in node)
        return _text(node) if upright else _letter_of(node[0]) if len(node) == 1 else ""
    return node.text or "" if kind == "mi" and not node.get("mathvariant") else ""


def _tag(node: Element, outer: tuple[str, ...], alone: bool) -> None:
    """Put on each leaf the symbols it may be part of, the largest first; ``alone`` when it may be one itself."""
    kind = _kind(node)
    letter = _letter_of(node)
    if kind in ("msub", "msubsup"):
        base = _letter_of(node[0])
        whole = (*outer, f"{base}|{_text(node[1])}") if base else outer
        _tag(node[0], whole, alone=not base)
        _tag(node[1], whole, alone=True)
        for other in node[2:]:
            _tag(other, outer, alone=True)
        return
    if letter and alone and (kind in ("mi", "mover") or len(node) > 1):
        outer, alone = (*outer, f"{letter}|"), False
    if kind in _LEAVES:
        if outer:
            node.set("mathcolor", ";".join(outer))
        return
    for child in node:
        _tag(child, outer, alone)
