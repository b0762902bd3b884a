"""One verb, ``plot``, for every noun that can be seen: the pictures of the reports, and small ones of what no report
shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hamex.errors import InputError
from hamex.lab.laws import Law, LawTrial
from hamex.report.body_sheets import draw_body_modes, draw_instants, draw_mesh, paint_mesh
from hamex.report.history import draw_record, draw_run
from hamex.report.ida import FragilityWords, draw_curves, draw_fragility
from hamex.report.interactive import interactive_figure
from hamex.report.law import draw_fit, draw_law
from hamex.report.moving import draw_rod_instants, is_rod, moving_figure
from hamex.report.push import draw_push
from hamex.report.region import draw_map
from hamex.report.spectrum import draw_spectrum
from hamex.report.structure import bare, draw_modes, paint
from hamex.report.style import BLUE, FAINT, GREEN, INK, ORANGE, PINK, RED, SKY, check_installed, figure
from hamex.solution.batch import MEASURES
from hamex.solution.outline import unit
from hamex.solution.solution import Solution
from hamex.study.ida.fragility import Fragility
from hamex.study.spectra import spectrum
from hamex.study.spectra.elastic import Spectrum
from hamex.study.spectra.intensities import histories

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METRES = 9.80665  # one gravity, for pictures of motions
_LONG = 10.0  # s of a load that has no end
_FINE = 1000  # points of a load
_CHANNELS = 6  # curves of a load, an analysis of runs or floors that have a colour each
_PANELS = 4  # measures of a batch
_COLOURS = (BLUE, RED, GREEN, ORANGE, PINK, SKY)


def plot(noun: Any, title: str = "", *, interactive: bool = False, field: str | None = None, times: Any = None) -> Any:
    """A figure of what a noun holds, in the house style; ``sol.plot()`` is the same.

    Parameters
    ----------
    noun : a solution of :func:`hamex.solve` or of slow loading, a spectrum or spectra of floors, a target, motions
        scaled to or selected for one, an IDA or its curves, a fragility, a region, a batch, the table of a study, a
        ground motion, a suite, list or sequence of them, a load, a problem, a backbone, a law that was tried
        (:func:`hamex.law_trial`) or fitted (:func:`hamex.fit_law`), modes, or a model that has a shape.
    title : of the figure.
    interactive : the same picture as a figure of plotly, to zoom in and to read numbers off; of a run of a body its
        moving mesh, with a slider.
    field : of a run of a body or a rod: what is shown at some instants side by side, as "velocity" or "stress.xx" (see
        :meth:`hamex.Solution.field`; of a rod "displacement", "velocity" or "force").
    times : these instants [s], the nearest ones that were kept; six of the run by default.

    Returns
    -------
    A matplotlib figure; ``figure.savefig("run.png")`` writes it. Or a plotly figure; ``figure.write_html("run.html")``
    writes it.

    Examples
    --------
    >>> import hamex as hx
    >>> frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], laws=hx.Slider(2.0), heights=3.0)
    >>> push = hx.pushover(frame, "floor 2", 0.1)
    >>> len(hx.plot(push).axes)
    2
    >>> [trace.name for trace in hx.plot(push, interactive=True).data][0]
    'base shear, applied'
    """
    check_installed()
    kind = "Suite" if isinstance(noun, list | tuple) else type(noun).__name__
    if isinstance(noun, Law):
        raise InputError(
            f"plot: a law alone, here {kind}, has neither stiffness nor path; its loop and backbone are drawn by "
            "hx.plot(hx.law_trial(law, stiffness=…, reach=…))"
        )
    if kind not in _PICTURES:
        raise InputError(f"plot: there is no picture of a {kind}; there is of {', '.join(_PICTURES)}")
    if field is not None or times is not None:
        return _instants(noun, title, interactive, field, times)
    if interactive and kind == "Solution" and noun.layout.body is not None:
        return moving_figure(noun, title)
    drawing = _PICTURES[kind](noun, title)
    return interactive_figure(drawing) if interactive else drawing


def _instants(noun: Any, title: str, interactive: bool, field: str | None, times: Any) -> Any:
    """A field of a run at some instants."""
    layout = getattr(noun, "layout", None) if isinstance(noun, Solution) else None
    if layout is not None and layout.body is not None:
        if interactive:
            return moving_figure(noun, title, field or "von_mises", times)
        return draw_instants(noun, field or "von_mises", times, title)
    if layout is not None and is_rod(layout):
        drawing = draw_rod_instants(noun, field or "displacement", times, title)
        return interactive_figure(drawing) if interactive else drawing
    raise InputError("plot: fields and their instants are those of a run of a body or of a rod")


# Pictures that reports have ------------------------------------------------------------------------------------


def _run(solution: Solution, title: str) -> Figure:
    slow = "load_factor" in solution.histories and not solution.layout.is_body
    return draw_push(solution, title) if slow else draw_run(solution, title)


def _fragility(found: Fragility, title: str) -> Figure:
    return draw_fragility([(FragilityWords(found.intensity, found.limit or "limit exceeded"), found)], title)


def _spectrum(found: Spectrum, title: str) -> Figure:
    return _floors(found, title) if "level" in found.coordinates else draw_spectrum(found, title=title)


def _tried(trial: LawTrial, title: str) -> Figure:
    return draw_law(trial, title=title or type(trial.law).__name__)


def _motion(motion: Any, title: str) -> Figure:
    return draw_record(histories(motion, _METRES), title or motion.source or "ground motion", "m")


def _motions(suite: Any, title: str) -> Figure:
    """Spectra of all motions, and their median."""
    motions = list(getattr(suite, "motions", suite))
    if not motions:
        raise InputError("plot: there is no motion to draw")
    low = max(0.02, 2 * max(motion.step for motion in motions))
    found = spectrum(motions, np.geomspace(low, 5.0, 120), g=_METRES)
    return draw_spectrum(replace(found, length="m"), "period", title=title or f"{len(motions)} motions")


def _region(region: Any, title: str) -> Figure:
    drawing = draw_map(region)
    if title:
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return drawing


def _modes(modes: Any, title: str) -> Figure:
    if modes.body is not None:
        return draw_body_modes(modes, 4, title)
    if modes.geometry is None:
        raise InputError("these modes have no shape to draw: an oscillator, or matrices from elsewhere")
    return draw_modes(modes, modes.geometry, modes.geometry.motion, 4, title)


# Pictures of what no report shows ------------------------------------------------------------------------------


def _model(model: Any, title: str) -> Figure:
    """The structure, or the body, at rest."""
    if model.geometry is None and model.body is not None:
        return draw_mesh(model, title)
    with figure(width=5.0, height=4.6) as (drawing, axes):
        _at_rest(axes[0, 0], model)
        axes[0, 0].set_title(title or f"{len(model.dofs)} degrees of freedom, {len(model.springs)} springs")
    return drawing


def _at_rest(here: Any, model: Any) -> None:
    if model.geometry is None and model.body is not None:
        paint_mesh(here, model)
        return
    if model.geometry is None:
        raise InputError("this model has no shape to draw: an oscillator, or matrices from elsewhere")
    paint(here, model.geometry, model.geometry.coordinates, BLUE)
    bare(here, model.geometry)


def _problem(problem: Any, title: str) -> Figure:
    """The structure at rest, and what acts on it."""
    shape = problem.model.geometry is not None or problem.model.body is not None
    with figure(1, 2 if shape else 1, width=9.0 if shape else 6.4, height=3.8) as (drawing, axes):
        if shape:
            _at_rest(axes[0, 0], problem.model)
            axes[0, 0].set_title("at rest")
        _histories(axes[0, -1], problem.load, problem.duration, problem.model.units)
        drawing.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return drawing


def _load(load: Any, title: str) -> Figure:
    parts = getattr(load, "parts", (load,))
    ends = [part.end for part in parts if np.isfinite(part.end)]
    with figure(width=7.4, height=3.2) as (drawing, axes):
        _histories(axes[0, 0], load, max(ends, default=_LONG) or _LONG, None)
        if title:
            axes[0, 0].set_title(title)
    return drawing


def _histories(here: Any, load: Any, duration: float, units: Any) -> None:
    """Channels of a load over time: accelerations of the ground, or forces where they act most."""
    shown = 0
    for part in getattr(load, "parts", (load,)):
        h = min(part.step or duration / _FINE, duration / 2)
        values = part.node_values(h, int(duration / h), quiet=True)
        t = h * np.arange(len(values))
        for channel in range(min(values.shape[1], _CHANNELS - shown)):
            ground = part.ground is not None and bool(np.any(part.ground[:, channel]))
            # A pattern spreads a channel over the dofs: what is drawn is the largest force of it.
            most = 1.0 if ground or part.patterns is None else float(np.abs(part.patterns[:, channel]).max())
            words = "acceleration of the ground" if ground else "largest force"
            here.plot(t, most * values[:, channel], color=_COLOURS[shown], lw=0.9, label=f"{shown + 1}: {words}")
            shown += 1
    of = "" if units is None else f" [{units.force}, {units.length}, s]"
    here.set(xlabel="time [s]", xlim=(0.0, duration), title=f"load{of}", ylabel="in the model's units")
    here.legend(loc="best", fontsize=8)


def _target(target: Any, title: str) -> Figure:
    periods = np.linspace(max(target.shortest, 0.01), min(target.longest, 4.0), 400)
    with figure(width=6.4, height=3.6) as (drawing, axes):
        here = axes[0, 0]
        here.plot(periods, target.acceleration(periods), color=BLUE)
        here.set(xlabel="period [s]", ylabel="pseudo-acceleration [g]", xlim=(0.0, periods[-1]))
        here.set_title(title or f"{target.name}, damping {100 * target.damping:g} %")
        here.set_ylim(bottom=0)
    return drawing


def draw_scaling(found: Any, title: str = "", names: Sequence[str] = ()) -> Figure:
    """Spectra of the scaled motions, their mean, and the target; a few motions have a name and a colour each."""
    # A motion that was scaled tells so in its source; the factor stands behind the name here.
    sources = (motion.source.rpartition(" × ")[0] or motion.source for motion in found.motions)
    names = names or [source or f"motion {number}" for number, source in enumerate(sources, start=1)]
    order = np.argsort(found.periods, kind="stable")
    periods, few = found.periods[order], len(found.spectra) <= _CHANNELS and len(names) == len(found.spectra)
    with figure(width=7.4, height=4.2) as (drawing, axes):
        here = axes[0, 0]
        for place, (row, factor) in enumerate(zip(found.spectra[:, order], found.factors, strict=True)):
            words = f"{names[place]} × {factor:.3g}" if few else f"{len(found.spectra)} records, scaled"
            label = {"label": words if few or place == 0 else None}
            here.plot(periods, row, color=_COLOURS[place] if few else FAINT, lw=0.9, **label)
        here.plot(periods, found.mean[order], color=INK, lw=2.0, label="their mean")
        here.plot(periods, found.wanted[order], color=INK, lw=1.6, ls="--", label=f"target, {found.target.name}")
        here.set(xlabel="period [s]", ylabel="pseudo-acceleration [g]", xscale="log")
        if len(periods) > 1:
            here.set_xlim(periods[0], periods[-1])
        ticks = [T for T in (0.05, 0.1, 0.2, 0.5, 1, 2, 5) if periods[0] <= T <= periods[-1] * 1.001]
        here.set_xticks(ticks, [f"{T:g}" for T in ticks])
        here.minorticks_off()
        here.set_ylim(bottom=0)
        here.set_title(
            title or f"damping {100 * found.target.damping:g} %; mean off by {100 * found.suite_error:.1f} %"
        )
        here.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), fontsize=8)
    return drawing


def _backbone(law: Any, title: str) -> Figure:
    """Force at a deformation that grows from zero: the sum of the springs side by side."""
    yields = [part.yield_force / k for k, part in law.parts if np.isfinite(part.yield_force)]
    e = np.linspace(0.0, 2 * max(yields, default=1.0), 801)
    total = np.zeros_like(e)
    for k, part in law.parts:
        hard, first = part.kinematic + part.isotropic, part.yield_force / k
        total += k * np.minimum(e, first) + k * hard / (k + hard) * np.maximum(e - first, 0.0)
    with figure(width=5.6, height=3.6) as (drawing, axes):
        here = axes[0, 0]
        here.plot(e, total, color=BLUE)
        bends = sorted(yields)
        here.plot(bends, np.interp(bends, e, total), "o", ms=4, color=RED, label="a part yields")
        here.set(xlabel="deformation [length]", ylabel="force [force]", xlim=(0, e[-1]))
        here.set_title(title or f"{len(law.parts)} springs side by side")
        here.set_ylim(bottom=0)
        here.legend(loc="lower right", fontsize=8)
    return drawing


def _batch(batch: Any, title: str) -> Figure:
    """How the measures spread over the runs; of several storeys or floors, the largest."""
    columns = {}
    for name in batch.names[:_PANELS]:
        values = np.abs(batch.values(name))
        columns[name] = (values.reshape(*values.shape[: len(batch.dims)], -1).max(axis=-1), MEASURES[name].kind)
    return _spread(columns, batch.units, title or repr(batch).strip("<>"))


def _table(table: Any, title: str) -> Figure:
    base = [name for name in table.measures if name in MEASURES][:_PANELS]
    columns = {name: (np.abs(np.asarray(table.columns[name], dtype=float)), MEASURES[name].kind) for name in base}
    if not columns:
        raise InputError("plot: this table holds no measure to draw")
    return _spread(columns, table.units, title or repr(table).strip("<>"))


def _spread(columns: dict[str, tuple[Any, str]], units: Any, title: str) -> Figure:
    """Shares of the runs that stay below a value, measure by measure."""
    with figure(1, len(columns), width=3.2 * len(columns) + 0.6, height=3.4, sharey=True) as (drawing, axes):
        drawing.suptitle(title, x=0.01, ha="left", fontsize=10.5)
        for here, (name, (values, kind)) in zip(axes[0], columns.items(), strict=True):
            flat = np.sort(values[np.isfinite(values)].ravel())
            share = 100 * np.arange(1, flat.size + 1) / max(flat.size, 1)
            here.step(flat, share, where="post", color=BLUE, lw=1.4)
            if 0 < flat.size <= 40:
                here.plot(flat, share, ls="", marker="o", ms=3, color=BLUE)
            if flat.size:
                here.axvline(float(np.median(flat)), color=INK, lw=0.8, ls=":")
                here.set_title(f"{name.replace('_', ' ')}, median {np.median(flat):.3g}")
            said = unit(kind, units.length, units.force)
            here.set_xlabel("[1]" if said == "1" else f"[{said}]")
            here.locator_params(axis="x", nbins=4)
        axes[0, 0].set(ylabel="runs that stay below [%]", ylim=(0, 102))
    return drawing


def _floors(found: Spectrum, title: str) -> Figure:
    """Absolute acceleration of equipment over its period, floor by floor."""
    periods, levels = found.periods, [str(level) for level in found.coordinates["level"]]
    order = np.argsort(periods, kind="stable")
    stated = found.attributes["g"] != 1.0
    values = found.values("absolute_acceleration")[..., order] / (found.attributes["g"] if stated else 1.0)
    damping = found.coordinates["damping"]
    with figure(width=7.4, height=4.2) as (drawing, axes):
        here = axes[0, 0]
        styles: Sequence[str] = ("-", "--", "-.", ":")
        for place, name in enumerate(levels):
            for d, ratio in enumerate(damping):
                colour = INK if name == "ground" else _level_colour(place, len(levels))
                words = name if len(damping) == 1 else f"{name}, damping {100 * ratio:g} %"
                here.plot(periods[order], values[place, d], color=colour, ls=styles[d % 4], lw=1.2, label=words)
        here.set(
            xlabel="period of the equipment [s]",
            ylabel=f"absolute acceleration [{'g' if stated else found.unit('absolute_acceleration')}]",
            xscale="log",
            xlim=(periods[order[0]], periods[order[-1]]) if len(periods) > 1 else None,
        )
        ticks = [T for T in (0.05, 0.1, 0.2, 0.5, 1, 2, 5) if periods.min() <= T <= periods.max() * 1.001]
        here.set_xticks(ticks, [f"{T:g}" for T in ticks])
        here.minorticks_off()
        here.set_ylim(bottom=0)
        one = f", damping {100 * damping[0]:g} %" if len(damping) == 1 else ""
        here.set_title(title or f"floor spectra{one}; {found.attributes['source']}")
        here.legend(loc="upper right", fontsize=8, reverse=True)
    return drawing


def _level_colour(place: int, count: int) -> Any:
    """Of a few levels a colour each; of many, from light below to dark above."""
    if count <= _CHANNELS:
        return _COLOURS[place]
    light, dark = (np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]) for colour in (FAINT, BLUE))
    share = place / (count - 1)
    return tuple((1 - share) * light + share * dark)


_PICTURES: dict[str, Callable[[Any, str], Figure]] = {
    "Solution": _run,
    "Spectrum": _spectrum,
    "Target": _target,
    "Scaling": draw_scaling,
    "Selection": draw_scaling,
    "Ida": lambda found, title: draw_curves(found.curves[0], title),
    "IdaCurves": draw_curves,
    "Fragility": _fragility,
    "Region": _region,
    "Batch": _batch,
    "StudyTable": _table,
    "GroundMotion": _motion,
    "Suite": _motions,
    "MotionSequence": _motions,
    "Load": _load,
    "LoadSum": _load,
    "Problem": _problem,
    "Parallel": _backbone,
    "LawTrial": _tried,
    "FittedLaw": draw_fit,
    "Modes": _modes,
    "Model": _model,
}
