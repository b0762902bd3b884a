"""Docstrings of the package for autodoc: their sections as fields, their signs as signs.

A line of ``Parameters`` or ``Attributes`` reads ``name : meaning``; types stand in the signature.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from extensions.text import rst

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ENTRY = re.compile(r"^(\*{0,2}\w[\w, *]*?) : (.*(?:\n(?: +.*)?)*)", re.M)
_QUALIFIED = re.compile(r"~?(?<![\w.])(?:[A-Za-z_]\w*\.)+(\w+)")
# NumPy's types of any array, and of what makes one, are longer than all the rest of a signature.
_ARRAY = re.compile(r"ndarray\[(?:tuple\[Any, \.\.\.\]|Any), dtype\[\w+\]\]")
_ARRAY_LIKE = re.compile(r"_Buffer \| _SupportsArray.*?_NestedSequence\[complex \| bytes \| str\]")
_PRIVATE = re.compile(r", _\w+: [^=]* = \.\.\.(?=[,)])")
FIELDS = ("Parameters", "Attributes", "Returns", "Raises")


def converted(lines: list[str]) -> list[str]:
    """A docstring as reStructuredText."""
    made: list[str] = []
    for title, body in sections(lines):
        text = "\n".join(body).strip("\n")
        if title in FIELDS:
            made += [f":{title}:", *_entries(text), ""]
        elif title is not None:
            made += [f".. rubric:: {'Example' if title == 'Examples' else title}", "", *_prose(text), ""]
        else:
            made += [*_prose(text), ""]
    return made


def sections(lines: list[str]) -> list[tuple[str | None, list[str]]]:
    """Titles with what stands under them; None for what stands before the first."""
    found: list[tuple[str | None, list[str]]] = [(None, [])]
    place = 0
    while place < len(lines):
        rule = lines[place + 1] if place + 1 < len(lines) else ""
        if lines[place].strip() and re.fullmatch(r"-{3,}", rule.strip()):
            found.append((lines[place].strip(), []))
            place += 2
        else:
            found[-1][1].append(lines[place])
            place += 1
    return found


def meanings(thing: Any) -> dict[str, str]:
    """Words for the parameters of a function or class, of its bases too."""
    found: dict[str, str] = {}
    for each in reversed(getattr(thing, "__mro__", (thing, object))[:-1]):
        for title, body in sections(inspect.cleandoc(each.__doc__ or "").splitlines()):
            if title in ("Parameters", "Attributes"):
                for names, words in ENTRY.findall("\n".join(body)):
                    found |= dict.fromkeys(names.split(", "), " ".join(words.split()).removesuffix("."))
    return found


def _entries(text: str) -> list[str]:
    """``name : meaning`` as a list, every other text as it stands."""
    entries = ENTRY.findall(text)
    if not entries:
        return ["    " + line for line in rst(text).splitlines()]
    return [
        f"    * {', '.join(f'``{name}``' for name in names.split(', '))} – {rst(' '.join(words.split()))}"
        for names, words in entries
    ]


def _prose(text: str) -> list[str]:
    """Paragraphs; examples and indented blocks are left alone."""
    made = []
    for block in text.split("\n\n"):
        if ENTRY.match(block):
            made += [line.strip() for line in _entries(block)] + [""]
            continue
        plain = not re.match(r"\s*(>>>|\.\. )", block) and not block.startswith("  ")
        made += [*(rst(block) if plain else block).splitlines(), ""]
    return made


def _process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = converted(lines)


def _signature(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, arguments: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """A signature in the words of the sources; private fields are nobody's arguments."""
    said = _PRIVATE.sub("", _plain(arguments or "").replace("<factory>", "..."))
    return said or None, _plain(result or "") or None


def _plain(signature: str) -> str:
    return _ARRAY_LIKE.sub("ArrayLike", _ARRAY.sub("Array", _QUALIFIED.sub(r"\1", signature)))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-signature", _signature)
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
