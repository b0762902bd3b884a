"""Histories as pictures: of one ground motion its acceleration, velocity, displacement, Husid curve and response
spectrum; of one run displacement with slip, hysteresis, energy balance, of a structure also its shape and storeys.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.report.body_sheets import draw_body_run
from hamex.report.law import LOST, draw_loops, draw_strength, weakened
from hamex.report.moving import draw_rod, is_rod
from hamex.report.page import captioned, check_plot, heading, table, write_drawing
from hamex.report.structure import bare, good_scale, mark, marks, paint, proportion
from hamex.report.style import BLUE, GREEN, INK, ORANGE, PINK, RED, draw_energy, mosaic, to_svg
from hamex.solution.outline import unit
from hamex.solution.peaks import WORDS
from hamex.solution.results import frames_at
from hamex.solution.solution import Solution
from hamex.solution.source import Run
from hamex.study.spectra.intensities import MotionHistories

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_CAPTION = (
    "Acceleration, velocity and displacement with their peaks; the share of the Arias intensity over time; and "
    "the response spectrum."
)


def write_record_plot(found: MotionHistories, path: str | Path, title: str, length: str) -> Path:
    """Write the picture as ``.png``, ``.svg`` or a page ``.html``; ``length`` names the unit of length."""
    path = Path(path)
    check_plot(path)
    return write_drawing(draw_record(found, heading(path, title), length), path, title, "record", _CAPTION)


def draw_record(found: MotionHistories, title: str, length: str) -> Figure:
    """Three histories on one clock with their peaks marked; Husid curve and spectrum below."""
    rows = (("acceleration", "g", BLUE), ("velocity", f"{length}/s", GREEN), ("displacement", length, ORANGE))
    layout = [[name, name] for name, _, _ in rows] + [["husid", "spectrum"]]
    with mosaic(layout, 8.4, 8.0, height_ratios=[1, 1, 1, 1.35]) as (drawing, axes):
        t = found.times
        for name, unit, colour in rows:
            values, here = getattr(found, name), axes[name]
            here.plot(t, values, color=colour, lw=0.8)
            place = int(np.abs(values).argmax())
            here.plot(t[place], values[place], "o", ms=4, color=RED)
            # The mark stands beside the number; near the right edge the number stands left of it.
            late = t[place] > 0.8 * t[-1]
            here.annotate(
                f"{found.peaks[name]:.3g} {unit}",
                (t[place], values[place]),
                xytext=(-6 if late else 6, 0),
                textcoords="offset points",
                ha="right" if late else "left",
                va="center",
                color=RED,
                fontsize=8.5,
            )
            here.set(ylabel=f"{name}\n[{unit}]", xlim=(t[0], t[-1]))
            here.margins(y=0.12)
            if name != "displacement":
                here.tick_params(labelbottom=False)
        axes["displacement"].set_xlabel("time [s]")
        axes["acceleration"].set_title(title if len(title) < 100 else title[:99] + "…")
        _husid(axes["husid"], found)
        spectrum = axes["spectrum"]
        spectrum.plot(found.periods, found.pseudo_acceleration, color=INK)
        spectrum.set(
            xlabel="period [s]",
            ylabel="[g]",
            xscale="log",
            xlim=(found.periods[0], found.periods[-1]),
            title=f"pseudo-acceleration, damping {100 * found.damping:g} %",
        )
        spectrum.set_ylim(bottom=0)
        ticks = [T for T in (0.05, 0.1, 0.2, 0.5, 1, 2, 5) if found.periods[0] <= T <= found.periods[-1] * 1.001]
        spectrum.set_xticks(ticks, [f"{T:g}" for T in ticks])
        spectrum.minorticks_off()
    return drawing


def _husid(here: Any, found: MotionHistories) -> None:
    """Share of the Arias intensity; shaded between 5 and 95 %."""
    t, share = found.times, found.husid
    begin, end = np.interp([0.05, 0.95], share, t) if share[-1] > 0 else (t[0], t[0])
    here.axvspan(begin, end, color=BLUE, alpha=0.12, lw=0)
    here.plot(t, 100 * share, color=BLUE)
    here.set(
        xlabel="time [s]",
        ylabel="[%]",
        xlim=(t[0], t[-1]),
        ylim=(0, 101),
        title=f"Arias intensity; 5–95 % in {end - begin:.3g} s",
    )


Array = NDArray[Any]
_LOOPS = 2  # hysteresis loops, of the groups that dissipate most
_COLOURS = (BLUE, ORANGE, GREEN, PINK)
_OSCILLATOR = (
    "Displacement and slip over time; mean force over mean displacement of each step; energies, stacked, "
    "beside the work put in."
)
_ACTION = "Fields of the action over time; the phase portrait of the one that moves most; its Hamiltonian."
_STRUCTURE = (
    "The structure at its largest displacement, over its shape at rest; envelopes of the storeys where there "
    "are storeys; hysteresis, displacement and energies over time."
)
_BODY = (
    "The body when it has moved farthest, over its outline at rest, coloured by its von Mises stress; displacement "
    "where it is largest, and energies over time."
)
_ROD = (
    "Axial force over place and time; displacements along the rod at some instants; the largest displacement and "
    "energies over time."
)


def write_plot(solution: Solution, path: str | Path, title: str = "") -> Path:
    """Write the plot as ``.png``, ``.svg`` or a page ``.html`` that needs no network."""
    path = Path(path)
    check_plot(path)
    drawing = draw_run(solution, heading(path, title))
    layout = solution.layout
    of_structure = _ROD if is_rod(layout) else _STRUCTURE
    of_one = _ACTION if "hamiltonian" in solution.names else _OSCILLATOR
    caption = _BODY if layout.is_body else of_structure if layout.is_structure else of_one
    about = " · ".join(
        f"{escape(key)}: {escape(str(value))}" for key, value in solution.provenance.items() if key != "hamex"
    )
    return write_drawing(drawing, path, title or "A run", "run", caption, _numbers(solution), about)


def draw_run(solution: Solution, title: str = "") -> Figure:
    """The run on one sheet."""
    if solution.layout.is_body:
        return draw_body_run(solution, title)
    if is_rod(solution.layout):
        return draw_rod(solution, title)
    if "hamiltonian" in solution.names:
        return draw_action(solution, title)
    return draw_structure(solution, title) if solution.layout.is_structure else draw(solution, title)


def phases(solution: Solution) -> tuple[Array, Array, str, str, str]:
    """Places and rates of the field of an action that moves most, their units, and its name."""
    u, v = solution.values("displacement"), solution.values("velocity")
    most = int(np.ptp(u, axis=0).argmax())
    turns = bool(solution.layout.turning_dofs[most])
    across = "rad" if turns else solution.units.length
    return u[:, most], v[:, most], across, f"{across}/s", solution.dofs[most]


def draw_action(solution: Solution, title: str = "") -> Figure:
    """Histories of the fields of an action, the phase portrait of the one that moves most, and the energy."""
    with mosaic([["history"] * 3 + ["phase"] * 2, ["energy"] * 5], 8.4, 5.6) as (drawing, axes):
        t, u, v, across, up, name = solution.times, *phases(solution)
        turning = solution.layout.turning_dofs
        for field, values in zip(solution.dofs, solution.values("displacement").T, strict=True):
            axes["history"].plot(t, values, lw=1.0, label=field)
        units = ", ".join(dict.fromkeys("rad" if turns else solution.units.length for turns in turning))
        axes["history"].set(xlabel="time [s]", ylabel=f"[{units}]", title=title or "fields", xlim=(t[0], t[-1]))
        axes["history"].legend(loc="best", ncols=3)
        axes["phase"].plot(u, v, color=INK, lw=0.8)
        axes["phase"].set(xlabel=f"{name} [{across}]", ylabel=f"rate of {name} [{up}]", title="phase portrait")
        energy = axes["energy"]
        energy.plot(t, solution.values("hamiltonian"), color=BLUE, label="Hamiltonian")
        energy.plot(t, solution.values("imbalance"), color=RED, lw=1.0, label="imbalance")
        label = unit("energy", solution.units.length, solution.units.force)
        energy.set(xlabel="time [s]", ylabel=f"energy [{label}]", xlim=(t[0], t[-1]))
        energy.set_title(f"energy, balance within {solution.residual:.0e} of the largest work or kinetic energy")
        energy.legend(loc="best", ncols=2)
    return drawing


def _numbers(solution: Solution) -> str:
    """Every peak, with its error where one was estimated."""
    estimated = any(peak.error is not None for peak in solution.peaks.values())
    rows = [
        [
            escape(WORDS.get(name, name.replace("_", " "))),
            f"{peak.value:.5g}",
            *(["–" if peak.error is None else f"{peak.error:.2g}"] if estimated else []),
            "" if peak.unit == "1" else escape(peak.unit),
            f"{peak.time:g}",
            escape(peak.where),
        ]
        for name, peak in solution.peaks.items()
        if not (solution.layout.is_structure and "slip" in name and peak.value == 0)  # hinges in series turn instead
    ]
    head = ["", "largest", *(["± error"] if estimated else []), "unit", "at [s]", "where"]
    said = ". ".join(text[:1].upper() + text[1:] for text in _ending(solution))
    lost = weakened(solution)
    loops = "" if lost is None else captioned(to_svg(draw_loops(solution, lost)), LOST)
    return f"<h2>Peaks</h2>{table(head, rows)}<p>{escape(said)}.</p>{loops}"


def _ending(solution: Solution) -> list[str]:
    """How the run ended, whether it went down, and what was promised of it."""
    whole = not (solution.is_thinned or solution.at_ends or solution.layout.is_body)
    down = solution.collapse if whole and isinstance(solution.source, Run) else None
    promises = [f"{name.replace('_', ' ')}: {words}" for name, words in solution.promises._asdict().items()]
    return [solution.message, *([] if down is None else [str(down)]), "; ".join(promises)]


def draw(solution: Solution, title: str = "") -> Figure:
    """Displacement and slip, hysteresis by eqs. (88)-(89), energies, of the first component."""
    length, force = solution.units.length, solution.units.force
    lost = weakened(solution)
    below = ["energy"] * 5 if lost is None else ["energy"] * 3 + ["strength"] * 2
    with mosaic([["history"] * 3 + ["loop"] * 2, below], 8.4, 5.6) as (drawing, axes):
        if lost is not None:
            draw_strength(axes["strength"], solution, lost)
        history, loop, energy = (axes[name] for name in ("history", "loop", "energy"))
        t = solution.times
        history.plot(t, solution.values("displacement")[:, 0], color=BLUE, label="displacement $u$")
        history.plot(t, solution.values("slip")[:, 0], color=RED, lw=1.0, label="slip $u_1$")
        history.set(
            xlabel="time [s]",
            ylabel=f"displacement, slip [{length}]",
            title=title or "displacement and slip",
            xlim=(t[0], t[-1]),
        )
        history.legend(loc="best", ncols=2)
        of, title_of = ("", "hysteresis") if solution.at_ends else ("mean ", "hysteresis, means over each time step")
        along = solution.values("displacement")[1:] if solution.at_ends else solution.values("mean_displacement")
        loop.plot(along[:, 0], solution.values("force")[:, 0], color=INK, lw=0.8)
        loop.locator_params(axis="x", nbins=4)
        loop.set(xlabel=f"{of}displacement [{length}]", ylabel=f"{of}force [{force}]", title=title_of)
        closes = f"closes to {solution.residual:.0e}" + (
            ": a check of the arithmetic, not of accuracy" if lost is None else ""
        )
        draw_energy(energy, solution, f"energy balance, {closes}", visible=0.0, fontsize=None)
    return drawing


def draw_structure(solution: Solution, title: str = "") -> Figure:
    """The whole run on one sheet."""
    storeys = "storey_drift" in solution.names
    lost = weakened(solution)
    loops = chosen_loops(solution, 1 if storeys else _LOOPS)
    if lost is not None and storeys:
        loops = [lost.loop(solution)]
    top = ["drift", "shear", "acceleration"] if storeys else [f"loop {i}" for i in range(len(loops))]
    shape = ["shape"] if solution.layout.geometry is not None else []
    bottom = ["history", "loop 0", "energy"] if storeys and loops else ["history", "energy"]
    wide = 12  # columns of the mosaic, shared out evenly in each row
    upper, geometry = _spread([*shape, *top], wide) if shape or top else [], solution.layout.geometry
    # Below a low structure there is room for what shook it.
    ground = _ground(solution) if geometry is not None and top and proportion(geometry) < 1.0 else []
    below = [["ground" if name == "shape" else name for name in upper]] if ground else []
    layout, ratios = [upper, *below, _spread(bottom, wide)], [0.75, 0.5, 1] if ground else [1.25, 1]
    if not (shape or top):  # neither a drawing nor a loop
        layout, ratios = layout[1:], ratios[1:]
    if lost is not None:  # a row more: its loop beside what is left
        named = [name for name in bottom if name.startswith("loop")]
        layout[-1:] = [_spread(["history", "energy"], wide), _spread([*named, "strength"], wide)]
    tall = 7.2 if lost is None else 9.8
    with mosaic(layout, 11.0, tall, height_ratios=[*ratios, 1][: len(layout)]) as (drawing, axes):
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        if shape:
            _shape(axes["shape"], solution)
        if storeys:
            _profiles(axes, solution)
        for number, loop in enumerate(loops):
            if f"loop {number}" in axes:
                _loop(axes[f"loop {number}"], solution, loop)
        if ground:
            _shaken(axes["ground"], solution, ground)
        _history(axes["history"], solution)
        if lost is not None:
            draw_strength(axes["strength"], solution, lost)
        draw_energy(axes["energy"], solution)
    return drawing


def _ground(solution: Solution) -> list[Array]:
    """Accelerations of the ground at the nodes, channel by channel; none where a file kept no problem."""
    if not isinstance(solution.source, Run):
        return []
    found = []
    for part in getattr(solution.problem.load, "parts", (solution.problem.load,)):
        if part.ground is not None and np.any(part.ground):
            values = part.node_values(solution.step, solution.all_steps, quiet=True)
            most = np.abs(part.ground).argmax(axis=0)
            found += [part.ground[dof, k] * values[:, k] for k, dof in enumerate(most) if part.ground[dof, k]]
    return found


def _shaken(axes: Any, solution: Solution, ground: list[Array]) -> None:
    length = solution.units.length
    for colour, values in zip(_COLOURS, ground, strict=False):
        axes.plot(solution.step * np.arange(len(values)), values, color=colour, lw=0.6)
    peak = max(float(np.abs(values).max()) for values in ground)
    axes.set(
        xlabel="time [s]",
        ylabel=f"acceleration\n[{length}/s²]",
        xlim=(0.0, solution.times[-1]),
        title=f"ground, peak {peak:.3g} {length}/s²",
    )


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
    deformed = frames_at(solution, np.array([node]), scale).positions[0]
    slipped = frames_at(solution, np.array([solution.steps]), scale).slipped[0]
    paint(axes, geometry, geometry.coordinates, weight=1.0, thin=True)
    paint(axes, geometry, deformed)
    mark(axes, marks(geometry, deformed, slipped, solution.springs, solution.layout.together))
    bare(axes, geometry)
    axes.set_title(
        f"t = {peak.time:g} s, displacements × {scale:g}" + ("\ndots: yielded in this run" if slipped.any() else "")
    )


def _profiles(axes: Any, solution: Solution) -> None:
    layout = solution.layout
    storeys = layout.storeys
    assert storeys is not None
    heights = storeys.drawn
    ground = heights[0] if storeys.heights[0] == 0 else 0.0  # isolators are drawn below it
    direction = np.abs(storeys.above @ layout.influence).argmax(axis=1)
    ratio = "drift_ratio" in solution.names
    drift = 100 * solution.values("drift_ratio") if ratio else solution.values("storey_drift")
    level = f"height [{solution.units.length}]" if storeys.has_heights else "level"
    for number, way in enumerate(np.unique(direction)):
        own = np.flatnonzero(direction == way)
        elevation = np.concatenate([[0.0], np.cumsum(heights[own])]) - ground
        colour = _COLOURS[number]
        label = layout.directions[way] if len(np.unique(direction)) > 1 else None
        _steps(axes["drift"], elevation, drift[:, own], colour, label)
        axes["drift"].stairs(
            drift[-1, own], elevation, orientation="horizontal", baseline=None, color=colour, lw=1.2, ls=":"
        )
        _steps(axes["shear"], elevation, solution.values("storey_shear")[:, own], colour, label)
        # A floor's motion is the sum of the drifts below it, unless its foot moves too.
        matrix = storeys.drift if storeys.floors is None else storeys.floors
        each = np.asarray((matrix @ solution.values("absolute_acceleration").T).T)[:, own]
        floors = np.cumsum(each, axis=1) if storeys.floors is None else each
        for extreme in (floors.max(axis=0), floors.min(axis=0)):
            axes["acceleration"].plot(extreme, elevation[1:], color=colour, marker="o", ms=3, lw=1.2)
    if len(np.unique(direction)) > 1:
        axes["drift"].legend(loc="best", fontsize=8)
    axes["drift"].set(
        xlabel="drift ratio [%]" if ratio else f"drift [{solution.units.length}]",
        ylabel=level,
        title="storey drift, envelope\ndotted: at the end",
    )
    axes["shear"].set(xlabel=f"shear of the springs [{solution.units.force}]", title="storey shear, envelope")
    axes["acceleration"].set(
        xlabel=f"acceleration [{solution.units.length}/s²]", title="absolute acceleration\nof the floors, envelope"
    )
    for name in ("drift", "shear", "acceleration"):
        axes[name].axvline(0, color=INK, lw=0.6)
        axes[name].use_sticky_edges = False
        axes[name].margins(x=0.06)
        axes[name].autoscale_view()
        axes[name].set_axisbelow(True)
        axes[name].set_ylim(float(elevation[0]), float(elevation[-1]) * 1.04)
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
        found.append(
            (
                names[place] if together else solution.springs[first],
                deformation[:, first],
                force[:, springs].sum(axis=1) if together else force[:, first],
                bool(layout.turning_springs[first]),
            )
        )
    return found


def _loop(axes: Any, solution: Solution, loop: tuple[str, Array, Array, bool]) -> None:
    name, deformation, force, turns = loop
    length, kilo = solution.units.length, solution.units.force
    axes.plot(deformation, force, color=INK, lw=0.7)
    axes.locator_params(axis="x", nbins=5)
    axes.set(
        title=f"hysteresis of {name}",
        xlabel="rotation, elastic part included [rad]" if turns else f"deformation, elastic part included [{length}]",
        ylabel=f"moment [{unit('moment', length, kilo)}]" if turns else f"force [{kilo}]",
    )


def _history(axes: Any, solution: Solution) -> None:
    peak = solution.peaks["displacement"]
    t, u = solution.times, solution.values("displacement")[:, solution.dofs.index(peak.where)]
    axes.plot(t, u, color=BLUE, lw=0.9)
    axes.plot([peak.time], [u[round(peak.time / solution.step)]], "o", color=RED, ms=4)
    axes.set(
        xlabel="time [s]",
        ylabel=f"displacement [{solution.units.length}]",
        xlim=(t[0], t[-1]),
        title=f"displacement of {peak.where}, peak {peak.value:.4g} {solution.units.length}",
    )
