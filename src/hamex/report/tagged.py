"""Letters of drawn equations that know what they stand for, so that a page can point at them.

While an equation is drawn each letter gets a colour that is none: the symbols it may be part of, ``p|u;u|`` for the
index of p_u. One drawing serves every system; which of these symbols there are is decided when a page is put together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from xml.etree.ElementTree import Element, fromstring

_LEAVES = ("mi", "mn", "mo", "mtext")
_STEP = re.compile(r"r|r−1|\*|0")          # an instant, behind the index of a field
_PLACE = re.compile(r"[xyz]+")               # a derivative by a place, behind a comma
_USE = re.compile(r'<use href="(#\w+)" x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)" fill="([^"]*)" ?/>')


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
    return f"{_letter(node[0])}|{_text(node[1])}" if _kind(node) == "msub" else f"{_letter(node)}|"


def marked(html: str, names: Mapping[str, str]) -> str:
    """A page whose tagged letters are gathered in groups with ``data-symbol``; ``names`` maps keys to symbols."""
    found, group, symbol, end = [], list[re.Match[str]](), "", 0
    for use in _USE.finditer(html):
        name = _resolved(use[6], names)
        between = html[end:use.start()]
        if group and (name != symbol or between.strip()):
            found.append(_grouped(group, symbol))
            group = []
        found.append(between)
        end = use.end()
        if name:
            group, symbol = [*group, use], name
        else:
            found.append(_plain(use))
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


def _plain(use: re.Match[str]) -> str:
    return use[0].replace(f'fill="{use[6]}"', 'fill="currentColor"')


def _grouped(uses: list[re.Match[str]], symbol: str) -> str:
    """Letters of one symbol on a box that a pointer can meet, also between their strokes."""
    left = min(float(use[2]) for use in uses)
    right = max(float(use[2]) + float(use[4]) for use in uses)
    # A letter hangs in a box of 4.27 em, its line of writing 2.63 em below the top.
    lines = [(float(use[3]) + 0.6155 * float(use[5]), 0.2343 * float(use[5])) for use in uses]
    top, bottom = min(y - 0.75 * em for y, em in lines), max(y + 0.25 * em for y, em in lines)
    box = f'<rect x="{left:.2f}" y="{top:.2f}" width="{max(right - left, 4):.2f}" height="{bottom - top:.2f}" rx="2"/>'
    return f'<g data-symbol="{symbol}">{box}{"".join(map(_plain, uses))}</g>'


def _mathml(latex: str) -> Element:
    from ziamath.tex import tex2mml

    return fromstring(tex2mml(latex))


def _kind(node: Element) -> str:
    return node.tag.rpartition("}")[2]


def _text(node: Element) -> str:
    return "".join(node.itertext())


def _letter(node: Element) -> str:
    """The letter that a node is, without its accents; upright words count, single upright letters do not."""
    kind = _kind(node)
    if kind == "mover":
        return _letter(node[0])
    if kind == "mrow":
        upright = len(node) > 1 and all(_kind(child) == "mi" and child.get("mathvariant") for child in node)
        return _text(node) if upright else _letter(node[0]) if len(node) == 1 else ""
    return node.text or "" if kind == "mi" and not node.get("mathvariant") else ""


def _tag(node: Element, outer: tuple[str, ...], alone: bool) -> None:
    """Put on each leaf the symbols it may be part of, the largest first; ``alone`` when it may be one itself."""
    kind = _kind(node)
    letter = _letter(node)
    if kind in ("msub", "msubsup"):
        base = _letter(node[0])
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
