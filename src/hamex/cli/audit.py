"""`hamex audit`: every equation of the paper against what the engine derives."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hamex.paper.audit.run import Item

_WIDTH = 80


def command(
    out: Annotated[Path | None, typer.Argument(help="Where --html writes.", show_default="audit.html")] = None,
    html: Annotated[bool, typer.Option("--html", help="Write a page with all equations drawn.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: equations, tables, claims.")] = False,
) -> None:
    """Audit the paper: equations (1)-(89), its tables and its claims.

    Each printed form is compared with the derivation; verdicts are computed, not looked up.
    """
    from hamex.paper.audit.run import audit, check, write_page

    target = out or Path("audit.html")
    if html or out:
        check(target)
    items = audit()
    page = write_page(items, target) if html or out else None
    if as_json:
        sys.stdout.write(json.dumps([item.as_json() for item in items], indent=2, ensure_ascii=False) + "\n")
        return
    show(items)
    if page is not None:
        sys.stdout.write(f"\npage: {page}\n")


def show(items: list[Item]) -> None:
    """Counts, then what does not stand as printed, within 80 columns."""
    from hamex.paper.audit.run import counts

    equations = sum(item.equation.isdigit() for item in items)
    lines = [f"{equations} equations, 2 tables, {len(items) - equations - 2} claims in words", ""]
    lines += [f"{number:5}  {verdict}" for verdict, number in counts(items).items()]
    for verdict in list(counts(items))[1:]:
        chosen = [item for item in items if item.verdict == verdict]
        if chosen:
            lines += ["", verdict.upper(), "-" * len(verdict)]
        for item in chosen:
            lines += _entry(item)
    sys.stdout.write("\n".join(lines) + "\n")


def _entry(item: Item) -> list[str]:
    """The name on the left, the evidence beside it; a claim's better wording below."""
    name = item.equation.removeprefix("claim: ")
    label = f"({name})" if name.isdigit() else name
    text = f"{item.evidence}. {item.reading}" if item.reading else item.evidence
    indent = " " * 8
    if len(label) < len(indent):
        return textwrap.wrap(text, _WIDTH, initial_indent=label.ljust(len(indent)), subsequent_indent=indent)
    return [label, *textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)]
