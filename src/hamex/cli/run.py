"""``hamex run``: a problem file in, a table on the screen and files out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hamex.solution.solution import Solution


def command(
    problem: Annotated[
        Path, typer.Argument(metavar="PROBLEM.toml", help="Problem file; `hamex init` writes one.", show_default=False)
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write all results: .nc (complete) or .csv (histories)."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Write a plot of the histories: .png, .svg or .html.")
    ] = None,
    animate: Annotated[
        Path | None,
        typer.Option(
            "--animate", metavar="FILE", help="Write the motion as a film: .gif, .html or, with ffmpeg, .mp4."
        ),
    ] = None,
    error: Annotated[
        bool,
        typer.Option(
            "--error", help="Estimate the error of every peak by halving the step twice: seven times the work."
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of tables.")] = False,
) -> None:
    """Run a problem file: peaks, residual slip, energies, status."""
    # Work starts only when every file that was asked for can be written.
    if output is not None:
        from hamex.solution.atomic import check_writable

        check_writable(output)
    if plot is not None:
        from hamex.report.history import write_plot
        from hamex.report.page import FORMATS
        from hamex.solution.atomic import check_writable

        check_writable(plot, FORMATS)
    if animate is not None:
        from hamex.report.animation import check_film

        check_film(animate)
    from hamex.cli.summary import show, summary
    from hamex.solve import solve
    from hamex.spec import read_problem

    file = read_problem(problem)
    solution = solve(file.problem, file.scheme, error=error, limit=file.limit, settle=file.settle)
    written = []
    if output is not None:
        written.append(solution.save(output))
    if plot is not None:
        written.append(write_plot(solution, plot, file.title))
    if animate is not None:
        written.append(_film(solution, animate, file.title))
    found = summary(file, solution)
    if json:
        from json import dumps

        found.pop("tables", None)  # the same numbers, for the screen
        print(dumps(found | {"written": [str(path) for path in written]}, indent=2, ensure_ascii=False))
        return
    show(found)
    for path in written:
        print(f"wrote {path}")


def _film(solution: Solution, path: Path, title: str) -> Path:
    """Write the film, with a bar where somebody may be watching."""
    import sys

    from rich.console import Console
    from rich.progress import Progress

    from hamex.report.animation import animate

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        frames = bar.add_task("drawing frames", total=None)
        return animate(
            solution, path, title=title, progress=lambda done, count: bar.update(frames, completed=done, total=count)
        )
