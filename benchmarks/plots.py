"""Plots of what ``run.py`` stored, in the style of the reports: bars of speed per section, curves of scaling."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hamex.report.style import BLUE, FAINT, GREY, RED, figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {"hamex": RED, "limit": GREY, "peer": BLUE}
LINES = {"hamex": RED, "C": GREY, "ideal": FAINT}


class Plot(NamedTuple):
    """A figure of one section, and what it shows."""

    section: str
    caption: str
    figure: Figure


def plots(found: dict[str, Any]) -> list[Plot]:
    """All that can be drawn."""
    import run

    drawn = []
    for name, section in found.items():
        if "result" not in section:
            continue
        module = importlib.import_module(run.SECTIONS[name])
        made = f"{section['context']['cpu']}, {section['context']['date'][:10]}"
        if hasattr(module, "bars"):
            title, unit, rows = module.bars(section["result"])
            drawn.append(Plot(name, f"{title}, {unit}. {made}.", _bars(title, f"{unit}   ({made})", rows)))
        curves = module.curves(section["result"]) if hasattr(module, "curves") else []
        if curves:
            said = ", ".join(f"{unit} over {axis}" for axis, unit, _ in curves)
            drawn.append(Plot(name, f"{said[0].upper()}{said[1:]}. {made}.", _curves(curves, made)))
    return drawn


def draw(found: dict[str, Any], folder: Path) -> list[Path]:
    """Write what can be drawn; returns the files."""
    paths = []
    for plot in plots(found):
        paths.append(folder / f"{plot.section}.png")
        save(plot.figure, paths[-1])
    return paths


def _bars(title: str, label: str, rows: list[tuple[str, float, str]]) -> Figure:
    rows = sorted(rows, key=lambda row: -row[1])
    with figure(width=8.4, height=1.2 + 0.34 * len(rows)) as (drawing, grid):
        axes = grid[0, 0]
        axes.barh([row[0] for row in rows], [row[1] for row in rows], color=[COLOURS[row[2]] for row in rows])
        axes.set_xscale("log")
        for place, (_, value, _kind) in enumerate(rows):
            axes.annotate(
                f"{value:.3g}", (value, place), xytext=(3, 0), textcoords="offset points", va="center", size=8
            )
        axes.margins(x=0.12)
        axes.grid(False, axis="y")
        axes.set_axisbelow(True)
        axes.set_xlabel(label, size=8)
        axes.set_title(title)
    return drawing


def _curves(curves: list[tuple[str, str, dict[str, Any]]], made: str) -> Figure:
    with figure(1, len(curves), width=3.4 * len(curves), height=3.2) as (drawing, grid):
        for axes, (name, unit, lines) in zip(grid[0], curves, strict=True):
            for label, (x, y) in lines.items():
                axes.plot(x, y, "o-", color=LINES[label], label=label, markersize=4)
            axes.set_xscale("log", base=2)
            axes.set_ylim(bottom=0.0)
            axes.set_xlabel(name)
            axes.set_ylabel(unit, size=8)
            axes.legend(fontsize=8)
        drawing.suptitle(made, size=8)
    return drawing
