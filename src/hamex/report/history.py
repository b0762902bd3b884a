"""Plot of one run: displacement with slip, hysteresis, energy balance."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from hamex.report.colours import BLUE, ENERGIES, INK, PINK, RED
from hamex.report.page import captioned, page, table
from hamex.report.style import check_installed, figure, save, to_svg
from hamex.solution.files import check_writable, write_atomically
from hamex.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".html")
# From the bottom up: what is lost, then what is stored, then what moves.
_PARTS = tuple((name, ENERGIES[name]) for name in ("plastic", "viscous", "hardening", "stored", "kinetic"))
_OSCILLATOR = ("Displacement and slip over time; mean force over mean displacement of each step; energies, stacked, "
               "beside the work put in; and what is left of their balance.")
_STRUCTURE = ("The structure at its largest displacement, over its shape at rest; envelopes of the storeys where there "
              "are storeys; hysteresis, displacement and energies over time.")


def write_plot(solution: Solution, path: str | Path, title: str = "") -> Path:
    """Write the plot as ``.png``, ``.svg`` or a page ``.html`` that needs no network."""
    path = Path(path)
    check_plot(path)
    name = heading(path, title)
    if not solution.layout.is_structure:
        drawing, caption = draw(solution, name), _OSCILLATOR
    else:
        from hamex.report.structure import draw_structure

        drawing, caption = draw_structure(solution, name), _STRUCTURE
    about = " · ".join(f"{escape(key)}: {escape(str(value))}" for key, value in solution.provenance.items()
                       if key != "hamex")
    return write_drawing(drawing, path, title or "A run", "run", caption, _numbers(solution), about)


def heading(path: Path, title: str) -> str:
    """The title that stands in the figure: a page has it above."""
    return "" if path.suffix.lower() == ".html" else title


def write_drawing(drawing: Figure, path: Path, title: str, kind: str = "", caption: str = "", more: str = "",
                  footer: str = "") -> Path:
    """Write a figure, or a page around it with its ``caption`` and ``more`` below, both HTML."""
    def write(temporary: Path) -> None:
        if path.suffix.lower() == ".html":
            body = f"<h1>{escape(title)}</h1>{captioned(to_svg(drawing), caption)}{more}"
            temporary.write_text(page(title, body, footer, kind), encoding="utf-8")
        else:
            save(drawing, temporary)

    return write_atomically(path, write)


def _numbers(solution: Solution) -> str:
    """Every peak, with its error where one was estimated."""
    estimated = any(peak.error is not None for peak in solution.peaks.values())
    rows = [[escape(name.replace("_", " ")), f"{peak.value:.5g}",
             *(["–" if peak.error is None else f"{peak.error:.2g}"] if estimated else []),
             "" if peak.unit == "1" else escape(peak.unit), f"{peak.time:g}", escape(peak.where)]
            for name, peak in solution.peaks.items()]
    head = ["", "largest", *(["± error"] if estimated else []), "unit", "at [s]", "where"]
    said = solution.status.value if solution.exceeded is None else str(solution.exceeded)
    return f"<h2>Peaks</h2>{table(head, rows)}<p>{escape(said[:1].upper() + said[1:])}.</p>"


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
        history.set(xlabel="time [s]", ylabel=f"[{length}]", title=title or "displacement and slip", xlim=(t[0], t[-1]))
        history.legend(loc="best", ncols=2)
        loop.plot(solution.values("mean_displacement")[:, 0], solution.values("force")[:, 0], color=INK, lw=0.8)
        loop.set(xlabel=f"mean displacement [{length}]", ylabel=f"mean force [{force}]", title="hysteresis, step means")
        parts = [(name, colour, solution.values(name)) for name, colour in _PARTS if solution.values(name).any()]
        energy.stackplot(t, *(values for _, _, values in parts), colors=[colour for _, colour, _ in parts],
                         labels=[name for name, _, _ in parts], alpha=0.85)
        start = sum(float(values[0]) for _, _, values in parts)
        energy.plot(t, solution.values("input") + start, color=INK, lw=0.9, ls="--", label="input")
        energy.set(xlabel="time [s]", ylabel=f"energy [{force} {length}]", xlim=(t[0], t[-1]),
                   title="energy balance: a check of the arithmetic, not of accuracy")
        energy.legend(loc="lower right", ncols=2, frameon=True, framealpha=0.9, edgecolor="none")
        residual.plot(t, solution.values("imbalance"), color=PINK, lw=0.8)
        residual.set(xlabel="time [s]", ylabel=f"[{force} {length}]", xlim=(t[0], t[-1]),
                     title=f"imbalance (residual {solution.residual:.0e})")
    return drawing
