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

_COLOURS = {"FAILED": "\033[31m", "skipped": "\033[33m"}


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
        total = {name: counts[name] for name in ("passed", "failed", "skipped", "not_own")}
        print_json({"cases": [result.as_json() for result in results], **total, "seconds": seconds})
    else:
        _show(results, seconds)
        if html is not None:
            print(f"wrote {html}")
    if counts["failed"]:
        raise typer.Exit(1)


def _show(results: Sequence[Result], seconds: float) -> None:
    """A table for each chapter, within 80 columns, and the counts; titles stand above their numbers."""
    from hamex.verify import summary
    from hamex.verify.case import KINDS

    for name in dict.fromkeys(result.case.chapter for result in results):
        chosen = [result for result in results if result.case.chapter == name]
        head = [f">{word:>12}" for word in ("reference", "hamex", "difference", "allowed")]
        rows = [_row(result) for result in chosen]
        lines = aligned([f"{name.capitalize():14}", *head, ""], rows).splitlines()
        print("\n".join(lines[:2]))
        for result, line in zip(chosen, lines[2:], strict=True):
            title = f"{result.case.title} [{result.case.unit}]" if result.case.unit else result.case.title
            print(textwrap.fill(title, 80, initial_indent=f"  {result.case.id:4}", subsequent_indent=6 * " "))
            print(_coloured(line))
            if result.note:
                print(textwrap.fill(result.note, 80, initial_indent=6 * " ", subsequent_indent=6 * " "))
        print()
    counts = summary(results)
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("passed", "failed", "skipped"))
    print(heading(f"{len(results)} cases ({kinds}):\n{verdicts}, in {seconds:.1f} s"))


def _row(result: Result) -> list[str]:
    values = [f"{x:.7g}" if x is not None else "–" for x in (result.reference, result.result)]
    values += [f"{x:.0e}" if x is not None else "–" for x in (result.difference, result.tolerance)]
    return [f"    {result.case.kind}", *values, result.verdict.replace("failed", "FAILED")]


def _coloured(line: str) -> str:
    word = line.rpartition(" ")[2]
    if word not in _COLOURS or not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return line
    return f"{line.removesuffix(word)}{_COLOURS[word]}{word}\033[0m"
