"""Waves in rods: force over place and time, displacements at some instants, and a field over the rod at chosen ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.report.bodies import Colours
from hamex.report.style import BLUE, INK, RED, draw_energy, figure, mosaic, short_ticks
from hamex.solution.outline import unit
from hamex.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
_INSTANTS = 6
_DOTS = 600  # along each side of a diagram: more would not be seen
# Results over the rod: name of the result, and whether it lives at nodes.
_FIELDS = {"displacement": ("displacement", True), "velocity": ("velocity", True), "force": ("node_force", False)}


def is_rod(layout: Any) -> bool:
    """True for a model of :func:`hamex.rod`: elements one after the other along x."""
    geometry = layout.geometry
    return geometry is not None and geometry.nodes[0] == "node 0" and geometry.names[:1] == ("element 1",)


def draw_rod(solution: Solution, title: str = "") -> Figure:
    """A run of a rod on one sheet."""
    layout = [["diagram", "shapes"], ["history", "energy"]]
    with mosaic(layout, 10.0, 6.6) as (drawing, axes):
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        _diagram(drawing, axes["diagram"], solution)
        _curves(axes["shapes"], solution, "displacement", _evenly(solution))
        axes["shapes"].set_title("displacement along the rod")
        _farthest(axes["history"], solution)
        draw_energy(axes["energy"], solution)
        short_ticks(axes["history"])
        short_ticks(axes["energy"])
    return drawing


def draw_rod_instants(solution: Solution, field: str, times: Any = None, title: str = "") -> Figure:
    """A field over the rod at some instants."""
    if field not in _FIELDS:
        raise InputError(f"plot: fields of a rod are {', '.join(_FIELDS)}; got {field!r:.40}")
    instants = _evenly(solution) if times is None else _nearest(solution, times)
    with figure(width=7.4, height=3.8) as (drawing, axes):
        _curves(axes[0, 0], solution, field, instants)
        axes[0, 0].set_title(title or f"{field} along the rod")
    return drawing


def _evenly(solution: Solution) -> Array:
    return np.unique(np.linspace(0, solution.steps, _INSTANTS + 1).round().astype(int))[1:]


def _nearest(solution: Solution, times: Any) -> Array:
    wanted = np.atleast_1d(np.asarray(times, dtype=float))
    first, last = solution.times[[0, -1]]
    if not np.all((wanted >= first - solution.step) & (wanted <= last + solution.step)):
        raise InputError(f"plot: instants go from {first:g} to {last:g} s, got {wanted.tolist()!s:.60}")
    return np.unique(np.abs(solution.times[None] - wanted[:, None]).argmin(axis=1))


def along(solution: Solution, field: str, instants: Array) -> tuple[Array, Array, str]:
    """Places [length], values (instant, place), and the unit of a field over the rod."""
    geometry = solution.layout.geometry
    assert geometry is not None
    name, at_nodes = _FIELDS[field]
    x = geometry.coordinates[:, 0]
    label = unit({"displacement": "length"}.get(field, field), solution.units.length, solution.units.force)
    if not at_nodes:
        elements = len(geometry.names)
        return 0.5 * (x[:-1] + x[1:]), solution.values(name)[instants][:, :elements], label
    found = (geometry.motion @ solution.values(name)[instants].T).T.reshape(len(instants), -1, 2)[:, :, 0]
    return x, np.asarray(found), label


def _curves(here: Any, solution: Solution, field: str, instants: Array) -> None:
    """One curve an instant, from pale to dark."""
    x, values, label = along(solution, field, instants)
    shades = Colours(0.0, 1.0, False, False).rgba(np.linspace(0.3, 0.8, len(instants)))
    for colour, instant, own in zip(shades, instants, values, strict=True):
        here.plot(x, own, color=tuple(colour), lw=1.3, label=f"t = {solution.times[instant]:.3g} s")
    here.axhline(0, color=INK, lw=0.6)
    here.set(xlabel=f"x [{solution.units.length}]", ylabel=f"{field} [{label}]", xlim=(0.0, x[0] + x[-1]))
    here.legend(loc="best", fontsize=7.5, ncols=2)


def _diagram(drawing: Any, here: Any, solution: Solution) -> None:
    """Axial force over place and time: waves are lines whose slope is their speed."""
    rows = np.unique(np.linspace(0, solution.steps, min(solution.steps + 1, _DOTS)).round().astype(int))
    x, force, label = along(solution, "force", rows)
    every = -(-len(x) // _DOTS)
    colours = Colours.of(force, signed=True)
    here.pcolormesh(
        x[::every],
        solution.times[rows],
        force[:, ::every],
        cmap=colours.map,
        vmin=colours.low,
        vmax=colours.high,
        shading="nearest",
        rasterized=True,
    )
    here.grid(False)
    here.set(
        xlabel=f"x [{solution.units.length}]", ylabel="time [s]", title="axial force; the slope of a wave is its speed"
    )
    colours.bar(drawing, here, "axial force, tension positive", label)


def _farthest(here: Any, solution: Solution) -> None:
    peak = solution.peaks["displacement"]
    t, u = solution.times, solution.values("displacement")[:, solution.dofs.index(peak.where)]
    most = int(np.abs(u).argmax())
    here.plot(t, u, color=BLUE, lw=0.9)
    here.plot([t[most]], [u[most]], "o", color=RED, ms=4)
    length = solution.units.length
    here.set(
        xlabel="time [s]",
        ylabel=f"displacement [{length}]",
        xlim=(t[0], t[-1]),
        title=f"displacement of {peak.where}, peak {peak.value:.4g} {length}",
    )
