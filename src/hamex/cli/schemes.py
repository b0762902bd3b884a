"""`hamex schemes`: time integration schemes side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="OUT.html", help="Write a page of definitions, tables, figures and data."),
    ] = None,
    png: Annotated[
        Path | None, typer.Option("--png", metavar="OUT.png", help="Write one picture (.png or .svg).")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--json", metavar="OUT.json|-", help="Write all numbers; - prints them.")
    ] = None,
) -> None:
    """Compare time integration schemes: accuracy, damping, overshoot, order, work.

    Elements of the extended Hamilton's principle beside Newmark, HHT-α, generalised-α, Wilson-θ, Bathe, TR-BDF2,
    central difference and Runge-Kutta, each through the same experiments. Takes up to a minute.
    """
    from hamex.report.schemes import as_text, check_outputs, write_data, write_page, write_picture

    file = None if data in (None, "-") else Path(str(data))
    check_outputs(html, png, file)
    from hamex.lab import everything

    lab = everything(work=html is not None or data is not None, progress=_progress if sys.stderr.isatty() else _quiet)
    if data == "-":
        sys.stdout.write(as_text(lab))
    else:
        from hamex.report.schemes.tables import text

        sys.stdout.write(text(lab))
    # With --json - the screen belongs to the data.
    say = sys.stderr if data == "-" else sys.stdout
    for path, write in ((html, write_page), (png, write_picture), (file, write_data)):
        if path is not None:
            say.write(f"wrote {write(lab, path)}\n")


def _progress(name: str) -> None:
    sys.stderr.write(f"\r\033[K{name}")
    sys.stderr.flush()


def _quiet(name: str) -> None:
    pass
