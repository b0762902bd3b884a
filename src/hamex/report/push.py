"""Picture of slow loading: the capacity curve with its bilinear fit, the deformed structure, what yields and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.report.structure import bare, good_scale, mark, marks, paint
from hamex.report.style import BLUE, GREY, INK, RED, mosaic
from hamex.solution.capacity import bilinear, controlled
from hamex.solution.results import frames_at
from hamex.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]


def draw_push(solution: Solution, title: str = "") -> Figure:
    """Base shear, or the load factor where there is none, over the controlled displacement; the shape at the end."""
    shape = solution.layout.geometry is not None
    with mosaic([["curve", "curve", *(["shape"] if shape else [])]], 8.4 if shape else 6.0, 3.8) as (drawing, axes):
        _curve(axes["curve"], solution, title)
        if shape:
            _shape(axes["shape"], solution)
    return drawing


def _curve(axes: Any, solution: Solution, title: str) -> None:
    u, factor, length = controlled(solution), solution.values("load_factor"), solution.units.length
    axes.plot(u, factor, color=BLUE, label="load factor")
    fit = bilinear(u, factor)
    if fit is not None:
        bend = f"bilinear, yield at {fit.yield_displacement:.4g} {length}"
        axes.plot(*fit.corners, color=INK, lw=0.9, ls="--", label=bend)
    slip = np.abs(np.diff(solution.values("slip"), axis=0)).max(axis=0) > 0
    if slip.any():
        first = np.argmax(np.abs(np.diff(solution.values("slip"), axis=0))[:, slip] > 0, axis=0) + 1
        axes.plot(u[first], factor[first], ls="", marker="o", ms=4, color=RED, label="a spring begins to yield")
    axes.axhline(0, color=GREY, lw=0.6)
    axes.set(xlabel=f"controlled displacement [{length}]", ylabel="load factor", title=title or "slow loading")
    axes.legend(loc="best", fontsize=8)


def _shape(axes: Any, solution: Solution) -> None:
    geometry = solution.layout.geometry
    assert geometry is not None
    scale = good_scale(geometry, float(np.abs(solution.values("displacement")[-1]).max()))
    last = frames_at(solution, np.array([solution.steps]), scale)
    paint(axes, geometry, geometry.coordinates, weight=1.0, thin=True)
    paint(axes, geometry, last.positions[0])
    mark(axes, marks(geometry, last.positions[0], last.slipped[0], solution.springs))
    bare(axes, geometry)
    axes.set_title(f"at the end, displacements × {scale:g}")
