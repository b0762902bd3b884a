"""Figures 10-13 of the paper, and the convergence plot it does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hamex.paper.results import Convergence, PaperResults, Row
from hamex.report.style import BLUE, GREEN, INK, ORANGE, RED, figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEW = {"color": RED, "ls": (0, (1, 1.1)), "lw": 1.5, "label": "new method, eqs. (66)-(68)", "zorder": 3}
OLD = {"color": BLUE, "ls": "-", "lw": 0.9, "label": "Newmark with Newton-Raphson"}


def figures(results: PaperResults) -> dict[str, Figure]:
    """All figures by name."""
    resonant = [row for row in results.rows if row.case.is_resonant]
    record = [row for row in results.rows if not row.case.is_resonant]
    drawn = {"figure-10": displacement(resonant), "figure-11": hysteresis(resonant),
             "figure-12": displacement(record), "figure-13": hysteresis(record)}
    if results.convergence:
        drawn["convergence"] = convergence(results.convergence)
    return drawn


def displacement(rows: list[Row]) -> Figure:
    """Displacement histories, one panel a case: Figs. 10 and 12."""
    with figure(len(rows), 1, height=1.95 * len(rows), sharex=True) as (drawing, axes):
        for row, axis in zip(rows, axes[:, 0], strict=True):
            for solution, style in ((row.newmark, OLD), (row.end, NEW)):
                axis.plot(solution.times, 1e3 * solution.values("displacement")[:, 0], **style)
            axis.set(title=row.case.parameter + (" s" if row.case.is_resonant else ""), ylabel="$u$ [milli-in]",
                     xlim=(0, 40))
        axes[-1, 0].set_xlabel("time [s]")
        drawing.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return drawing


def hysteresis(rows: list[Row]) -> Figure:
    """Force against displacement, by eqs. (88)-(89) for the new method and at the nodes for Newmark: Figs. 11, 13."""
    with figure(1, len(rows), height=3.3, sharey=True) as (drawing, axes):
        for row, axis in zip(rows, axes[0], strict=True):
            axis.plot(1e3 * row.newmark.values("displacement"), row.newmark.values("node_force"), **OLD)
            axis.plot(1e3 * row.end.values("mean_displacement"), row.end.values("force"), **NEW)
            axis.set(title=row.case.parameter + (" s" if row.case.is_resonant else ""), xlabel="$u$ [milli-in]")
        axes[0, 0].set_ylabel("spring force [kip]")
        drawing.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return drawing


def convergence(studies: tuple[Convergence, ...]) -> Figure:
    """Error against step for both load rules and Newmark."""
    looks = {"end": (RED, "o", "new, load at end (paper)", "top"),
             "newmark": (BLUE, "s", "Newmark with Newton-Raphson", "bottom"),
             "average": (GREEN, "D", "new, average load (default)", "center")}
    with figure(1, len(studies), height=3.9, sharey=True) as (drawing, axes):
        for study, axis in zip(studies, axes[0], strict=True):
            for name, (colour, mark, label, side) in looks.items():
                axis.loglog(study.steps, study.errors[name], color=colour, marker=mark, ms=4.5, label=label)
                axis.annotate(f"order {study.order(name):.1f}", (study.steps[-1], study.errors[name][-1]),
                              xytext=(-4, 0), textcoords="offset points", ha="right", va=side, fontsize=8,
                              color=colour)
            for power, level in ((1, 0.25), (2, 0.06)):
                guide = level * (study.steps / study.steps[0]) ** power
                axis.loglog(study.steps, guide, color=INK if power == 1 else ORANGE, lw=0.7, ls=":")
            axis.set(title=f"{study.case.loading}, {study.case.parameter.replace('h = 0.02', 'η = c = 1.5')}",
                     xlabel="step $h$ [s]", xlim=(1.3e-4, 0.03), ylim=(1e-6, 0.5))
            axis.set_xticks(study.steps[::2], [f"{h:.2g}" for h in study.steps[::2]])
            axis.set_xticks([], minor=True)
        axes[0, 0].set_ylabel("RMS error of $u$, relative")
        drawing.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=3)
    return drawing


def yield_share(row: Row) -> float:
    """Share of the steps in which the spring slips."""
    return float(np.mean(np.diff(row.end.values("slip")[:, 0]) != 0))
