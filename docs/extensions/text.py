"""Plain text as Markdown or reStructuredText, signs and all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_KEEP_MARKDOWN = re.compile(r"(`+[^`]+`+)")
_KEEP_RST = re.compile(
    r"(``.+?``|:[\w:]+:`[^`]+`|`[^`]+`_?|\*\*[^*\s][^*]*\*\*"
    r"|(?<!\w)\*[^*\s](?:[^*]*[^*\s])?\*(?!\w))",
    re.S,
)


def markdown(text: str) -> str:
    """Prose of a docstring for a Markdown page: code stays code, every other sign means itself."""
    text = re.sub(r":\w+:`(?:hamex\.)?([^`]+)`", r"`\1`", text)
    parts = _KEEP_MARKDOWN.split(text)
    return "".join(
        part if place % 2 else re.sub(r"([\\*_<>|$\[\]~])", r"\\\1", part) for place, part in enumerate(parts)
    )


def rst(text: str) -> str:
    """Prose of a docstring for autodoc: bars, stars and underscores that are mathematics stay what they are."""
    parts = _KEEP_RST.split(text)
    return "".join(
        part if place % 2 else re.sub(r"([\\*|]|_(?!\w))", r"\\\1", part) for place, part in enumerate(parts)
    )


def cell(text: str) -> str:
    """One cell of a table, bars within code included."""
    return " ".join(text.replace("\\|", "|").split()).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell(each) for each in row) + " |" for row in lines) + "\n"
