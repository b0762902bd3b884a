"""`hamex paper`: reproduce section 6 of the paper."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hamex.paper.results import PaperResults


def paper(
    out: Annotated[Path | None, typer.Option(help="Folder for page and figures [default: hamex-paper].")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; draw only if --out is given.")] = False,
) -> None:
    """Reproduce section 6 of the paper: Table 2 digit by digit, figures 10-13, one page."""
    from hamex.paper import results
    from hamex.paper.write import check_folder, write_paper

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
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    table = Table(title="Table 2: final slip u₁ [milli-in] and momentum p [milli-in/s]", title_justify="left",
                  box=None, header_style="bold")
    table.add_column("case")
    for name in ("u₁ printed", "computed", "p printed", "computed", "OpenSees u₁", "p"):
        table.add_column(name, justify="right")
    for row in results.rows:
        style = "green" if row.digits_match else "red"
        table.add_row(f"{row.case.loading} {row.case.parameter}", row.case.slip_printed,
                      f"[{style}]{row.slip_computed}[/]", row.case.momentum_printed,
                      f"[{style}]{row.momentum_computed}[/]", f"{1e3 * row.opensees['slip']:.4f}",
                      f"{1e3 * row.opensees['momentum']:.4f}")
    console.print(table)
    matches = sum(2 for row in results.rows if row.digits_match)
    source = results.opensees
    how = "run live" if source["live"] else f"recorded values, because: {source['reason']}"
    console.print(f"\n{matches} of {2 * len(results.rows)} printed numbers met in every digit; "
                  f"energy residual at most {results.energy_residual_max:.1e} of the largest work.")
    honoured = "yes" if source["eta_honoured"] else "NO"
    console.print(f"OpenSees {source['version']} ({how}), viscosity honoured: {honoured}.")
