"""Blocks that are filled from the package: a page says what belongs there, a function writes it as Markdown.

A block is a fence whose name is one of :data:`MAKERS`; its text is handed to the function. Working on the text of the
page keeps headings, links and the table of contents what they are in pages written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sphinx.application import Sphinx

from extensions import commands, errata, examples, layers, names, problem_files, verification

MAKERS: dict[str, Callable[[str], str]] = {
    "names": names.section,
    "name-index": names.index,
    "namespaces": names.namespaces,
    "errors": names.errors,
    "example": examples.section,
    "problem-list": examples.problems,
    "problem-file": problem_files.problem,
    "study-file": problem_files.study,
    "commands": commands.all_of_them,
    "layers": layers.section,
    "errata": errata.table,
    "verdicts": errata.verdicts,
    "verification-counts": verification.counts,
    "verification-cases": verification.tables,
}
BLOCK = re.compile(r"^```\{([\w-]+)\}\n(.*?)^```\n", re.M | re.S)


def filled(text: str) -> str:
    """The page with its blocks filled; fences of other names are left alone."""
    return BLOCK.sub(lambda block: MAKERS[block[1]](block[2].strip()) + "\n" if block[1] in MAKERS else block[0], text)


def _fill(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = filled(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
