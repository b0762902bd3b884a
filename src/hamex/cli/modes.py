"""``hamex modes``: periods, participation and shapes of the model in a problem file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hamex.cli.text import aligned, heading, tell

if TYPE_CHECKING:
    from hamex.model.record import Modes
    from hamex.spec import ProblemFile


def command(
    problem: Annotated[
        Path, typer.Argument(metavar="PROBLEM.toml", help="Problem file; `hamex init` writes one.", show_default=False)
    ],
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many modes, lowest frequency first.")] = 10,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Write the mode shapes: .png, .svg or .html.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, with the shapes, instead of a table.")] = False,
) -> None:
    """Show the natural modes of a problem file's model: periods, participation, effective masses."""
    if plot is not None:
        from hamex.report.page import check_plot

        check_plot(plot)
    from hamex.spec import read_problem

    file = read_problem(problem)
    from hamex.cli.structure import first_modes

    found = first_modes(file.problem.model, count)
    written = [_plot(file, found, plot, count)] if plot is not None else []
    tell(written, json, lambda: _data(file, found), lambda: _show(file, found))


def _show(file: ProblemFile, found: Modes) -> None:
    print(heading(file.title))
    print(aligned(*_table(found)))
    units = file.problem.model.units
    masses = ", ".join(f"{mass:.5g} in {way}" for mass, way in zip(found.total_mass, found.directions, strict=True))
    print(f"\ntotal mass [{units.mass}]: {masses}")


def _table(found: Modes) -> tuple[list[str], list[list[str]]]:
    """One row a mode; per direction the participation, the share of the mass, and its sum so far.

    80 columns hold the participation of two directions at most; JSON has them all.
    """
    ways = [column for column, mass in enumerate(found.total_mass) if mass > 0]
    columns = ["mode", ">T [s]", ">f [Hz]", *([">ω [rad/s]"] if len(ways) == 1 else [])]
    for column in ways:
        way = found.directions[column]
        columns += [*([f">Γ {way}"] if len(ways) < 3 else []), f">mass {way}", ">sum"]
    least = 1e-9 * float(abs(found.participation).max())
    rows = []
    for mode, (period, omega) in enumerate(zip(found.periods, found.frequencies, strict=True)):
        row = [str(mode + 1), f"{period:.4g}", f"{1 / period:.4g}", *([f"{omega:.4g}"] if len(ways) == 1 else [])]
        for column in ways:
            part = float(found.participation[mode, column])
            row += [
                *([_short(part if abs(part) > least else 0.0)] if len(ways) < 3 else []),
                f"{100 * found.effective_ratio[mode, column]:.1f} %",
                f"{100 * found.cumulative_ratio[mode, column]:.1f} %",
            ]
        rows.append(row)
    return columns, rows


def _short(part: float) -> str:
    """A number of at most eight characters, so that two directions fit a screen of 80 columns."""
    return f"{part:.1e}" if 0 < abs(part) < 1e-3 else f"{part:.3g}"


def _data(file: ProblemFile, found: Modes) -> dict[str, Any]:
    units = file.problem.model.units
    return {
        "title": file.title,
        "units": {"length": units.length, "force": units.force},
        "directions": list(found.directions),
        "dofs": list(found.dofs),
        "total_mass": found.total_mass.tolist(),
        "modes": [
            {
                "mode": mode + 1,
                "period": float(found.periods[mode]) if found.frequencies[mode] > 0 else None,
                "angular_frequency": float(found.frequencies[mode]),
                "participation": found.participation[mode].tolist(),
                "effective_mass": found.effective_mass[mode].tolist(),
                "effective_ratio": [x if x == x else None for x in found.effective_ratio[mode].tolist()],
                "cumulative_ratio": [x if x == x else None for x in found.cumulative_ratio[mode].tolist()],
                "shape": found.shapes[:, mode].tolist(),
            }
            for mode in range(len(found.frequencies))
        ],
    }


def _plot(file: ProblemFile, found: Modes, path: Path, count: int) -> Path:
    from hamex.errors import InputError
    from hamex.report.page import heading, table, write_drawing

    columns, rows = _table(found)
    title, geometry = heading(path, file.title), file.problem.model.geometry
    if found.body is not None:
        from hamex.report.body_sheets import draw_body_modes

        drawing = draw_body_modes(found, min(count, 8), title)
    elif geometry is None:
        raise InputError("an oscillator has one mode and no shape to draw; leave --plot out")
    else:
        from hamex.report.structure import draw_modes

        drawing = draw_modes(found, geometry, geometry.motion, min(count, 8), title)
    return write_drawing(
        drawing,
        path,
        file.title,
        "modes",
        "Mode shapes, over the structure at rest.",
        table([column.removeprefix(">") for column in columns], rows),
    )
