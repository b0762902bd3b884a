"""Plot of a structure's run: deformed shape with yielded springs, storey profiles, hysteresis, energies; modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hamex.report.colours import BLUE, ENERGIES, GREEN, INK, ORANGE, PINK, RED
from hamex.report.skeleton import Drawn, bare, good_scale, mark, marks, paint
from hamex.report.style import mosaic
from hamex.solution.schema import unit
from hamex.solution.shape import at
from hamex.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
_LOOPS = 2           # hysteresis loops, of the groups that dissipate most
_VISIBLE = 0.002     # of the largest energy: less is no area on the page
_COLOURS = (BLUE, ORANGE, GREEN, PINK)
# From the bottom up: what is lost, then what is stored, then what moves.
_PARTS = tuple((name, ENERGIES[name]) for name in ("plastic", "viscous", "hardening", "stored", "kinetic"))


class Shapes(Protocol):
    """What a picture or a table needs to know of modes."""

    @property
    def shapes(self) -> Array:
        """(dof, mode)."""

    @property
    def periods(self) -> Array:
        """[s]."""

    @property
    def effective_ratio(self) -> Array:
        """(mode, direction)."""

    @property
    def directions(self) -> tuple[str, ...]:
        """Names of the directions."""


def draw_structure(solution: Solution, title: str = "") -> Figure:
    """The whole run on one sheet."""
    storeys = "storey_drift" in solution.names
    loops = chosen_loops(solution, 1 if storeys else _LOOPS)
    top = ["drift", "shear", "acceleration"] if storeys else [f"loop {i}" for i in range(len(loops))]
    shape = ["shape"] if solution.layout.geometry is not None else []
    bottom = ["history", "loop 0", "energy"] if storeys and loops else ["history", "energy"]
    wide = 12     # columns of the mosaic, shared out evenly in each row
    layout = [_spread([*shape, *top] or ["history"], wide), _spread(bottom, wide)]
    with mosaic(layout, 11.0, 7.2, height_ratios=[1.25, 1]) as (drawing, axes):
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        if shape:
            _shape(axes["shape"], solution)
        if storeys:
            _profiles(axes, solution)
        for number, loop in enumerate(loops):
            if f"loop {number}" in axes:
                _loop(axes[f"loop {number}"], solution, loop)
        _history(axes["history"], solution)
        _energy(axes["energy"], solution)
    return drawing


def _spread(names: list[str], wide: int) -> list[str]:
    share = wide // len(names)
    row = [name for name in names for _ in range(share)]
    return row + [names[-1]] * (wide - len(row))


def _shape(axes: Any, solution: Solution) -> None:
    """The structure when its displacement is largest, magnified, with everything that has yielded by the end."""
    geometry = solution.layout.geometry
    assert geometry is not None
    peak = solution.peaks["displacement"]
    node = round(peak.time / solution.step)
    scale = good_scale(geometry, peak.value)
    deformed = at(solution, np.array([node]), scale).positions[0]
    slipped = at(solution, np.array([solution.steps]), scale).slipped[0]
    paint(axes, geometry, geometry.coordinates, weight=1.0, thin=True)
    paint(axes, geometry, deformed)
    mark(axes, marks(geometry, deformed, slipped, solution.springs))
    bare(axes, geometry)
    axes.set_title(f"t = {peak.time:g} s, displacements × {scale:g}" + ("\nred: yielded in this run" if slipped.any()
                                                                        else ""))


def _profiles(axes: Any, solution: Solution) -> None:
    layout = solution.layout
    storeys = layout.storeys
    assert storeys is not None
    heights = storeys.heights if storeys.has_heights else np.ones(len(storeys.names))
    direction = np.abs(storeys.above @ layout.influence).argmax(axis=1)
    ratio = "drift_ratio" in solution.names
    drift = 100 * solution.values("drift_ratio") if ratio else solution.values("storey_drift")
    level = f"height [{solution.units.length}]" if storeys.has_heights else "level"
    for number, way in enumerate(np.unique(direction)):
        own = np.flatnonzero(direction == way)
        elevation = np.concatenate([[0.0], np.cumsum(heights[own])])
        colour = _COLOURS[number]
        label = layout.directions[way] if len(np.unique(direction)) > 1 else None
        _steps(axes["drift"], elevation, drift[:, own], colour, label)
        axes["drift"].stairs(drift[-1, own], elevation, orientation="horizontal", baseline=None, color=colour, lw=1.2,
                             ls=":")
        _steps(axes["shear"], elevation, solution.values("storey_shear")[:, own], colour, label)
        # A floor's motion is the sum of the drifts below it.
        each = np.asarray((storeys.drift @ solution.values("absolute_acceleration").T).T)[:, own]
        floors = np.cumsum(each, axis=1)
        for extreme in (floors.max(axis=0), floors.min(axis=0)):
            axes["acceleration"].plot(extreme, elevation[1:], color=colour, marker="o", ms=3, lw=1.2)
    if len(np.unique(direction)) > 1:
        axes["drift"].legend(loc="best", fontsize=8)
    axes["drift"].set(xlabel="drift ratio [%]" if ratio else f"drift [{solution.units.length}]", ylabel=level,
                      title="storey drift, envelope\ndotted: at the end")
    axes["shear"].set(xlabel=f"[{solution.units.force}]", title="storey shear, envelope\nof step means")
    axes["acceleration"].set(xlabel=f"[{solution.units.length}/s²]",
                             title="absolute acceleration\nof the floors, envelope")
    for name in ("drift", "shear", "acceleration"):
        axes[name].axvline(0, color=INK, lw=0.6)
        axes[name].use_sticky_edges = False
        axes[name].margins(x=0.06)
        axes[name].autoscale_view()
        axes[name].set_axisbelow(True)
        axes[name].set_ylim(0, float(elevation[-1]) * 1.04)
        axes[name].locator_params(axis="y", integer=not storeys.has_heights)


def _steps(axes: Any, elevation: Array, values: Array, colour: str, label: str | None) -> None:
    """Largest and smallest value of each storey, constant over its height."""
    high, low = values.max(axis=0), values.min(axis=0)
    axes.stairs(high, elevation, orientation="horizontal", baseline=low, fill=True, color=colour, alpha=0.15, lw=0)
    axes.stairs(high, elevation, orientation="horizontal", baseline=None, color=colour, lw=1.5, label=label)
    axes.stairs(low, elevation, orientation="horizontal", baseline=None, color=colour, lw=1.5)


def chosen_loops(solution: Solution, count: int) -> list[tuple[str, Array, Array, bool]]:
    """Groups that dissipate most: name, mean deformation and mean force of each step, and whether it is a moment.

    Springs side by side are added up; of springs that deform differently the one that works most is shown.
    """
    layout = solution.layout
    lost = solution.values("plastic_by_group")[-1]
    nodes = solution.values("deformation")
    force, deformation = solution.values("force"), 0.5 * (nodes[:-1] + nodes[1:])
    work = np.abs((force * np.diff(solution.values("slip"), axis=0)).sum(axis=0))
    names = solution.labels("group")
    found = []
    for place in [int(i) for i in np.argsort(-lost, kind="stable") if lost[i] > 0][:count]:
        springs = list(layout.groups[names[place]])
        first = springs[int(work[springs].argmax())]
        together = all(np.array_equal(deformation[:, i], deformation[:, first]) for i in springs)
        found.append((names[place] if together else solution.springs[first], deformation[:, first],
                      force[:, springs].sum(axis=1) if together else force[:, first],
                      bool(layout.turning_springs[first])))
    return found


def _loop(axes: Any, solution: Solution, loop: tuple[str, Array, Array, bool]) -> None:
    name, deformation, force, turns = loop
    length, kilo = solution.units.length, solution.units.force
    axes.plot(deformation, force, color=INK, lw=0.7)
    axes.locator_params(axis="x", nbins=5)
    axes.set(title=f"hysteresis of {name}, step means",
             xlabel="rotation [rad]" if turns else f"deformation [{length}]",
             ylabel=f"moment [{unit('moment', length, kilo)}]" if turns else f"force [{kilo}]")


def _history(axes: Any, solution: Solution) -> None:
    peak = solution.peaks["displacement"]
    t, u = solution.times, solution.values("displacement")[:, solution.dofs.index(peak.where)]
    axes.plot(t, u, color=BLUE, lw=0.9)
    axes.plot([peak.time], [u[round(peak.time / solution.step)]], "o", color=RED, ms=4)
    axes.set(xlabel="time [s]", ylabel=f"[{solution.units.length}]", xlim=(t[0], t[-1]),
             title=f"displacement of {peak.where}, peak {peak.value:.4g} {solution.units.length}")


def _energy(axes: Any, solution: Solution) -> None:
    t = solution.times
    largest = max(float(np.abs(solution.values(name)).max()) for name, _ in _PARTS)
    parts = [(name, colour, solution.values(name)) for name, colour in _PARTS
             if np.abs(solution.values(name)).max() > _VISIBLE * largest]
    axes.stackplot(t, *(values for _, _, values in parts), colors=[colour for _, colour, _ in parts],
                   labels=[name for name, _, _ in parts], alpha=0.85)
    start = sum(float(values[0]) for _, _, values in parts)
    axes.plot(t, solution.values("input") + start, color=INK, lw=0.9, ls="--", label="input")
    axes.set(xlabel="time [s]", ylabel=f"[{unit('energy', solution.units.length, solution.units.force)}]",
             xlim=(t[0], t[-1]), title=f"energy balance (closes to {solution.residual:.0e})")
    axes.legend(loc="lower right", ncols=2, fontsize=8, frameon=True, framealpha=0.9, edgecolor="none")


def draw_modes(modes: Shapes, geometry: Drawn, motion: Any, count: int, title: str = "") -> Figure:
    """The first mode shapes side by side, each as large as a sixth of the structure."""
    count = min(count, modes.shapes.shape[1])
    size = float(np.ptp(geometry.coordinates, axis=0).max())
    columns = min(count, 4)
    layout = [[f"{row * columns + column}" for column in range(columns)] for row in range(-(-count // columns))]
    with mosaic(layout, 2.6 * columns + 0.4, 3.4 * len(layout)) as (drawing, axes):
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        for name, each in axes.items():
            mode = int(name)
            if mode >= count:
                each.set_visible(False)
                continue
            moved = np.asarray(motion @ modes.shapes[:, mode]).reshape(geometry.coordinates.shape)
            largest = float(np.linalg.norm(moved, axis=1).max())
            paint(each, geometry, geometry.coordinates, weight=1.0, thin=True)
            paint(each, geometry, geometry.coordinates + moved * (size / 6 / largest if largest > 0 else 0.0))
            bare(each, geometry)
            share = modes.effective_ratio[mode]
            mass = ", ".join(f"{100 * x:.0f} % in {way}" for x, way in zip(share, modes.directions, strict=True)
                             if x >= 0.005)
            each.set_title(f"mode {mode + 1}: T = {modes.periods[mode]:.4g} s\n"
                           + (f"mass {mass}" if mass else "no effective mass"))
    return drawing
