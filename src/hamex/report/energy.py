"""Energies of a run over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from hamex.report.style import ENERGIES, INK
from hamex.solution.outline import unit
from hamex.solution.solution import Solution

_VISIBLE = 0.002  # of the largest energy: less is no area on the page
# From the bottom up: what is lost, then what is stored, then what moves.
PARTS = tuple((name, colour) for name, colour in ENERGIES.items() if name != "input")


def draw_energy(axes: Any, solution: Solution) -> None:
    """Energies over time, stacked, beside the work put in."""
    t = solution.times
    largest = max(float(np.abs(solution.values(name)).max()) for name, _ in PARTS)
    parts = [
        (name, colour, solution.values(name))
        for name, colour in PARTS
        if np.abs(solution.values(name)).max() > _VISIBLE * largest
    ]
    axes.stackplot(
        t,
        *(values for _, _, values in parts),
        colors=[colour for _, colour, _ in parts],
        labels=[name for name, _, _ in parts],
        alpha=0.85,
    )
    start = sum(float(values[0]) for _, _, values in parts)
    axes.plot(t, solution.values("input") + start, color=INK, lw=0.9, ls="--", label="input")
    axes.set(
        xlabel="time [s]",
        ylabel=f"energy [{unit('energy', solution.units.length, solution.units.force)}]",
        xlim=(t[0], t[-1]),
        title=f"energy balance (closes to {solution.residual:.0e})",
    )
    axes.legend(loc="lower right", ncols=2, fontsize=8, frameon=True, framealpha=0.9, edgecolor="none")
