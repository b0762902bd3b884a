"""`hamex paper` reproduces section 6 of the paper, `hamex audit` compares each of its equations with the derivation."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hamex.paper.audit.run import Item
    from hamex.paper.results import PaperResults

_WIDTH = 80


def command(
    out: Annotated[Path | None, typer.Option(help="Folder for page and figures [default: hamex-paper].")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; draw only if --out is given.")] = False,
) -> None:
    """Reproduce section 6 of the paper, beside OpenSees.

    Table 2 digit by digit, figures 10-13, convergence, and one page that works offline.
    """
    from hamex.paper import results
    from hamex.paper.page import check_folder, write_paper

    folder = Path("hamex-paper") if out is None else out
    draw = out is not None or not as_json
    if draw:
        check_folder(folder)
    found = results.everything() if draw else results.table2()
    page = write_paper(found, folder) if draw else None
    if as_json:
        sys.stdout.write(json.dumps(found.as_json(), indent=2) + "\n")
    else:
        show(found)
        sys.stdout.write(f"\npage: {page}\n")


def show(results: PaperResults) -> None:
    """Table 2 on the terminal, within 80 columns."""
    lines = [
        "Table 2: final slip u₁ in milli-in and momentum p in milli-in/s",
        "",
        f"{'':22}{'u₁':>8}{'':10}{'p':>10}{'':11}{'OpenSees':>15}",
        f"{'case':20}{'printed':>10}{'computed':>10}{'printed':>10}{'computed':>10}{'u₁':>10}{'p':>9}",
    ]
    for row in results.rows:
        case = row.case
        lines.append(
            f"{case.loading + ' ' + case.parameter:20}{case.slip_printed:>10}{row.slip_computed:>10}"
            f"{case.momentum_printed:>10}{row.momentum_computed:>10}"
            f"{1e3 * row.opensees['slip']:10.4f}{1e3 * row.opensees['momentum']:9.4f}"
            + ("" if row.digits_match else "  differs")
        )
    matches = sum(2 for row in results.rows if row.digits_match)
    source = results.opensees
    how = "run live" if source["live"] else f"recorded values, because: {source['reason']}"
    honoured = "yes" if source["eta_honoured"] else "NO"
    lines += [
        "",
        f"{matches} of {2 * len(results.rows)} printed numbers met in every digit",
        f"energy balance closes to {results.energy_residual_max:.1e} of the largest work in every case",
        f"OpenSees {source['version']} ({how}), viscosity honoured: {honoured}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")


def audit(
    out: Annotated[Path | None, typer.Argument(help="Where --html writes.", show_default="audit.html")] = None,
    html: Annotated[bool, typer.Option("--html", help="Write a page with all equations drawn.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: equations, tables, claims.")] = False,
) -> None:
    """Audit the paper: equations (1)-(89), its tables and its claims.

    Each printed form is compared with the derivation; verdicts are computed, not looked up.
    """
    from hamex.paper.audit import run

    target = out or Path("audit.html")
    if html or out:
        run.check(target)
    items = run.audit()
    page = run.write_page(items, target) if html or out else None
    if as_json:
        sys.stdout.write(json.dumps([item.as_json() for item in items], indent=2, ensure_ascii=False) + "\n")
        return
    _show_audit(items)
    if page is not None:
        sys.stdout.write(f"\npage: {page}\n")


def _show_audit(items: list[Item]) -> None:
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
