"""Plot of one run: displacement with slip, hysteresis, energy balance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hamex.report.page import page
from hamex.report.style import BLACK, BLUE, GREEN, ORANGE, PINK, RED, SKY, check_installed, figure, save, to_svg
from hamex.solution.files import check_writable, write_atomically
from hamex.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".html")
# From the bottom up: what is lost, then what is stored, then what moves.
_PARTS = (("plastic", RED), ("viscous", ORANGE), ("hardening", GREEN), ("stored", BLUE), ("kinetic", SKY))


def write_plot(solution: Solution, path: str | Path, title: str = "") -> Path:
    """Write the plot as ``.png``, ``.svg`` or a page ``.html`` that needs no network."""
    path = Path(path)
    check_plot(path)
    if solution.places is None:
        return write_drawing(draw(solution, title), path, title or "hamex run")
    from hamex.report.structure import draw_structure

    return write_drawing(draw_structure(solution, title), path, title or "hamex run")


def write_drawing(drawing: Figure, path: Path, title: str, more: str = "") -> Path:
    """Write a figure, or a page around it with ``more`` below."""
    def write(temporary: Path) -> None:
        if path.suffix.lower() == ".html":
            temporary.write_text(page(title, f"<figure>{to_svg(drawing)}</figure>{more}"), encoding="utf-8")
        else:
            save(drawing, temporary)

    return write_atomically(path, write)


def check_plot(path: Path) -> None:
    """Refuse a plot that cannot be drawn or written, before any work starts."""
    check_installed()
    check_writable(path, FORMATS)


def draw(solution: Solution, title: str = "") -> Figure:
    """Displacement and slip, hysteresis by eqs. (88)-(89), energies, of the first component."""
    length, force = solution.units.length, solution.units.force
    with figure(2, 2, height=5.6, width_ratios=[2.2, 1]) as (drawing, axes):
        (history, loop), (energy, residual) = axes
        t = solution.times
        history.plot(t, solution.values("displacement")[:, 0], color=BLUE, label="displacement $u$")
        history.plot(t, solution.values("slip")[:, 0], color=RED, lw=1.0, label="slip $u_1$")
        history.set(xlabel="time [s]", ylabel=f"[{length}]", title=title, xlim=(t[0], t[-1]))
        history.legend(loc="best", ncols=2)
        loop.plot(solution.values("mean_displacement")[:, 0], solution.values("force")[:, 0], color=BLACK, lw=0.8)
        loop.set(xlabel=f"mean displacement [{length}]", ylabel=f"mean force [{force}]", title="hysteresis, step means")
        parts = [(name, colour, solution.values(name)) for name, colour in _PARTS if solution.values(name).any()]
        energy.stackplot(t, *(values for _, _, values in parts), colors=[colour for _, colour, _ in parts],
                         labels=[name for name, _, _ in parts], alpha=0.85)
        start = sum(float(values[0]) for _, _, values in parts)
        energy.plot(t, solution.values("input") + start, color=BLACK, lw=0.9, ls="--", label="input")
        energy.set(xlabel="time [s]", ylabel=f"energy [{force} {length}]", xlim=(t[0], t[-1]),
                   title="energy balance: a check of the arithmetic, not of accuracy")
        energy.legend(loc="upper left", ncols=2)
        residual.plot(t, solution.values("imbalance"), color=PINK, lw=0.8)
        residual.set(xlabel="time [s]", ylabel=f"[{force} {length}]", xlim=(t[0], t[-1]),
                     title=f"imbalance (residual {solution.residual:.0e})")
    return drawing
