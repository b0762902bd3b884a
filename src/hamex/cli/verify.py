"""Cases with known answers, run here: ``hamex verify``."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hamex.cli.paper import progress
from hamex.cli.text import aligned, heading, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hamex.verify import Result

_TITLE, _NUMBER = 20, 9  # letters of a line of a title and of a number: a row then has 80
_WORDS = {"passed": "ok", "failed": "FAIL", "skipped": "skip"}
_COLOURS = {"FAIL": "\033[31m", "skip": "\033[33m"}


def command(
    chapter: Annotated[
        str | None, typer.Option("--chapter", metavar="NAME", show_default=False, help="One chapter, e.g. frames.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one entry for each case.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT.html", show_default=False, help="Write one page.")
    ] = None,
) -> None:
    """Verify hamex on this machine: cases with known answers, each beside its reference.

    References are closed forms, printed numbers and, where it is installed, OpenSees run live. Differences are relative
    to the reference; of several numbers, the one that uses most of its tolerance is shown.

    Exit code 1 when a case fails; cases that need a program that is not there are skipped, and named.
    """
    from hamex.verify import cases, run, summary

    if html is not None:
        from hamex.files import check_writable

        check_writable(html, (".html",))
    begin = time.perf_counter()
    with progress("verifying", len(cases(chapter))) as advance:
        results = run(chapter, lambda result: advance())
    seconds, counts = time.perf_counter() - begin, summary(results)
    if html is not None:
        from hamex.verify.page import write_page

        write_page(results, html)
    if as_json:
        total = {name: counts[name] for name in ("passed", "failed", "skipped", "not own")}
        print_json({"cases": [result.as_json() for result in results], **total, "seconds": seconds})
    else:
        _show(results, seconds)
        if html is not None:
            print(f"wrote {html}")
    if counts["failed"]:
        raise typer.Exit(1)


def _show(results: Sequence[Result], seconds: float) -> None:
    """A table for each chapter, within 80 columns, and the counts."""
    from hamex.verify import summary
    from hamex.verify.case import KINDS

    for name in dict.fromkeys(result.case.chapter for result in results):
        rows = [row for result in results if result.case.chapter == name for row in _rows(result)]
        head = ["", name.capitalize(), "kind", ">reference", ">hamex", ">off", ">within", ""]
        print("\n".join(_coloured(line) for line in aligned(head, rows).splitlines()) + "\n")
    for result in results:
        if result.note:
            print(textwrap.fill(f"{result.case.id} {result.verdict}: {result.note}", 80, subsequent_indent="   "))
    counts = summary(results)
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("passed", "failed", "skipped"))
    print(heading(f"{len(results)} cases ({kinds}): {verdicts}, in {seconds:.1f} s"))


def _rows(result: Result) -> list[list[str]]:
    """One row; a long title goes on below."""
    case = result.case
    title = textwrap.wrap(f"{case.title} [{case.unit}]" if case.unit != "1" else case.title, _TITLE)
    numbers = [_short(value) for value in (result.reference, result.result)]
    numbers += [
        "–" if value is None else f"{value:.0e}".replace("e-0", "e-") for value in (result.difference, result.tolerance)
    ]
    return [
        [case.id, title[0], case.kind, *numbers, _WORDS[result.verdict]],
        *(["", line, *6 * [""]] for line in title[1:]),
    ]


def _short(value: float | None) -> str:
    texts = ["–"] if value is None else [f"{value:.{digits}g}" for digits in (6, 5, 4, 3, 2)]
    return next((text for text in texts if len(text) <= _NUMBER), texts[-1])


def _coloured(line: str) -> str:
    word = line.rpartition(" ")[2]
    if word not in _COLOURS or not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return line
    return f"{line.removesuffix(word)}{_COLOURS[word]}{word}\033[0m"
