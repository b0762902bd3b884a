"""A derivation as part of somebody else's page: sections to put in place, and letters that know their symbol."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hamex.report.derivation.blocks import Block, Document, Heading
from hamex.report.derivation.html import anchor, words, written
from hamex.report.equations import letters_apart
from hamex.report.tagged import key, marked

_PREFIX = "derivation-"         # of the names of headings, which share the page with others


@dataclass(frozen=True)
class Fragment:
    """``body`` is HTML; ``contents`` names its sections with their links."""

    title: str
    contents: tuple[tuple[str, str], ...]
    body: str


def fragment(document: Document, symbols: Iterable[tuple[str, str]]) -> Fragment:
    """A document in sections; the letters of ``symbols``, pairs of name and LaTeX, carry ``data-symbol``."""
    parts: list[tuple[Heading, list[Block]]] = []
    for block in document.blocks:
        if isinstance(block, Heading) and block.level == 2:
            parts.append((block, []))
        else:
            parts[-1][1].append(block)
    names: dict[str, str] = {}
    for name, latex in symbols:
        names.setdefault(key(latex), name)          # the first of two takes the letter
    # The title of a section is drawn within its section, and once more, without tags, in the contents.
    contents = tuple((_PREFIX + anchor(head.text), head.text) for head, _ in parts)
    sections = "\n".join(
        f'<section aria-labelledby="{link}"><h2 id="{link}">{words(head.text, tagged=True)}</h2>'
        + "\n".join(_part(block) for block in blocks) + "</section>"
        for (head, blocks), (link, _) in zip(parts, contents, strict=True))
    lead = f'<p class="lead">{words(document.lead)}</p>'
    store, rest = letters_apart(f'{lead}{sections}<p class="quiet">{words(document.foot)}</p>')
    return Fragment(document.title, contents, store + marked(rest, names))


def _part(block: Block) -> str:
    """A block; only sections are linked to, so the headings within them go without a name."""
    return re.sub(r'<h3 id="[^"]*">', "<h3>", written(block, tagged=True))
