"""Plots of what ``run.py`` stored: bars of speed per section, curves of scaling."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

COLOURS = {"hamex": "#c0392b", "limit": "#7f8c8d", "peer": "#2c3e50"}
LINES = {"hamex": COLOURS["hamex"], "C": COLOURS["limit"], "ideal": "#bbbbbb"}


def draw(found: dict[str, Any], folder: Path) -> list[Path]:
    """Write what can be drawn; returns the files."""
    import run

    drawn = []
    for name, section in found.items():
        if "result" not in section:
            continue
        module = importlib.import_module(run.SECTIONS[name])
        if hasattr(module, "bars"):
            drawn.append(_bars(*module.bars(section["result"]), section["context"], folder / f"{name}.png"))
        if hasattr(module, "curves"):
            drawn += _curves(module.curves(section["result"]), section["context"], folder / f"{name}.png")
    return drawn


def _figure(width: float, height: float, columns: int = 1) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, columns, squeeze=False)[0]


def _bars(title: str, unit: str, rows: list[tuple[str, float, str]], context: dict[str, Any], path: Path) -> Path:
    rows = sorted(rows, key=lambda row: -row[1])
    figure, (axes,) = _figure(8.0, 1.2 + 0.34 * len(rows))
    axes.barh([row[0] for row in rows], [row[1] for row in rows], color=[COLOURS[row[2]] for row in rows])
    axes.set_xscale("log")
    for place, (_, value, _kind) in enumerate(rows):
        axes.annotate(f"{value:.3g}", (value, place), xytext=(3, 0), textcoords="offset points", va="center", size=8)
    axes.margins(x=0.12)
    axes.set_xlabel(f"{unit}   ({context['cpu']}, {context['date'][:10]})", size=8)
    axes.set_title(title, size=10)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)
    return path


def _curves(curves: list[tuple[str, str, dict[str, Any]]], context: dict[str, Any], path: Path) -> list[Path]:
    if not curves:
        return []
    figure, all_axes = _figure(3.4 * len(curves), 3.2, len(curves))
    for axes, (name, unit, lines) in zip(all_axes, curves, strict=True):
        for label, (x, y) in lines.items():
            axes.plot(x, y, "o-", color=LINES[label], label=label, markersize=4)
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0.0)
        axes.set_xlabel(name)
        axes.set_ylabel(unit, size=8)
        axes.legend(frameon=False, fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"{context['cpu']}, {context['date'][:10]}", size=8)
    figure.savefig(path, dpi=130)
    return [path]
