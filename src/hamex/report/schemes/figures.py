"""Figures of the laboratory, and how a scheme is drawn and called: one colour a family, one dash a member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hamex.lab import STEPS, WIDE, Laboratory
from hamex.lab.catalogue import CATALOGUE, Entry
from hamex.lab.convergence import PERIOD, overstress
from hamex.lab.free_vibration import BAR_DURATION, STIFF_SOFT_STEP, STIFF_SOFT_STEPS, exact_front, stiff_soft_reference
from hamex.report.style import BLUE, GREEN, GREY, INK, ORANGE, PINK, RED, figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {"element": BLUE, "jump": GREEN, "alpha": ORANGE, "collocation": PINK, "composite": RED, "explicit": INK}
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1, 1.2)), (0, (5, 1.4, 1, 1.4)), (0, (2.5, 1)))
MARKERS = ("o", "s", "^", "D", "v")
SHORT = {
    "newmark-average": "Newmark 1/4",
    "newmark-linear": "Newmark 1/6",
    "newmark-damped": "Newmark γ = 0.6",
    "generalised-alpha": "Generalised-α",
    "hht": "HHT-α",
    "central": "Central difference",
    "runge-kutta-4": "Runge-Kutta 4",
    "wilson": "Wilson-θ",
    "bathe-rho": "ρ∞-Bathe",
}
CASES = {
    "smooth": "smooth: elastic, sine",
    "viscous": "yielding, with viscosity",
    "rate-independent": "yielding, rate-independent",
}
WORK_CASES = {
    "elastic": "elastic",
    "viscous": "yielding, with viscosity",
    "rate-independent": "yielding, rate-independent",
}
_FRONTS = ("galerkin-1", "galerkin-2", "discontinuous-1", "generalised-alpha", "bathe", "central")
_STIFF = ("newmark-average", "generalised-alpha", "discontinuous-1", "bathe")
_SHOTS = ("galerkin-1", "discontinuous-1", "hht", "generalised-alpha", "wilson", "bathe")


def short(entry: Entry) -> str:
    """A name for legends."""
    return SHORT.get(entry.key, entry.name.replace(", degree", ""))


def member(entry: Entry) -> int:
    """Which one of its family."""
    family = [other.key for other in CATALOGUE if other.family == entry.family]
    return family.index(entry.key) if entry.key in family else 0


def line(entry: Entry) -> dict[str, Any]:
    """Options of a curve."""
    return {
        "color": COLOURS[entry.family],
        "ls": DASHES[member(entry) % len(DASHES)],
        "label": short(entry),
        "lw": 1.7 if entry.family in ("element", "jump") else 1.1,
    }


def marked(entry: Entry) -> dict[str, Any]:
    """Options of a curve through points."""
    return line(entry) | {"marker": MARKERS[member(entry) % len(MARKERS)], "ms": 3.6}


def figures(lab: Laboratory) -> dict[str, Figure]:
    """All figures by name."""
    drawn = {
        "spectrum": spectrum(lab),
        "overshoot": overshoot(lab),
        "order": order(lab),
        "stiff": stiff(lab),
        "bar": fronts(lab),
        "overstress": overstressed(),
    }
    if all(row.work for row in lab.rows):
        drawn["work"] = work(lab)
    if lab.peaks:
        drawn["peaks"] = peaks(lab)
    return drawn


def overview(lab: Laboratory) -> Figure:
    """One picture: spectral radius, period elongation, damping; orders and work where measured."""
    with figure(2, 3, width=13, height=8.6) as (drawing, axes):
        _radius(axes[0, 0], lab)
        _elongation(axes[0, 1], lab)
        _damping(axes[0, 2], lab)
        for axis, case in zip(axes[1], ("smooth", "viscous", "rate-independent"), strict=True):
            _errors(axis, lab, case)
        _legend(drawing, axes[0, 0], 5)
    return drawing


def spectrum(lab: Laboratory) -> Figure:
    """Spectral radius, period elongation and algorithmic damping against h/T."""
    with figure(1, 3, width=11.5, height=5.2) as (drawing, axes):
        _radius(axes[0, 0], lab)
        _elongation(axes[0, 1], lab)
        _damping(axes[0, 2], lab)
        _legend(drawing, axes[0, 0], 5)
    return drawing


def _radius(axis: Any, lab: Laboratory) -> None:
    for row in lab.rows:
        axis.semilogx(WIDE, np.where(row.wide_radius < 1.2, row.wide_radius, np.nan), **line(row.entry))
    axis.set(title="spectral radius ρ", xlabel="h/T", ylim=(-0.02, 1.12), xlim=(WIDE[0], WIDE[-1]))


def _elongation(axis: Any, lab: Laboratory) -> None:
    for row in lab.rows:
        axis.plot(STEPS, 100 * row.curves.elongation, **line(row.entry))
    axis.set(title="period elongation (T̄ − T)/T [%]", xlabel="h/T", ylim=(-8, 22), xlim=(0, 0.3))


def _damping(axis: Any, lab: Laboratory) -> None:
    for row in lab.rows:
        axis.plot(STEPS, 100 * row.curves.damping, **line(row.entry))
    axis.set(title="algorithmic damping ζ̄ [%]", xlabel="h/T", ylim=(-0.2, 8), xlim=(0, 0.3))


def _legend(drawing: Any, axis: Any, columns: int) -> None:
    drawing.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=columns, handlelength=3.2)


def overshoot(lab: Laboratory) -> Figure:
    """The first steps of a motion ten times faster than the step."""
    rows = [row for row in lab.rows if row.entry.key in _SHOTS and row.overshoot is not None]
    titles = ("u/u₀ from a displacement u₀", "u̇/(ωu₀) from a displacement u₀", "ωu/v₀ from a velocity v₀")
    with figure(1, 3, width=11.5, height=4.1) as (drawing, axes):
        for row in rows:
            shot = row.overshoot
            assert shot is not None
            histories = (shot.displaced[:, 0], shot.displaced[:, 1], shot.kicked[:, 0])
            for axis, history in zip(axes[0], histories, strict=True):
                axis.plot(history[:13], **marked(row.entry))
        for axis, title in zip(axes[0], titles, strict=True):
            axis.set_yscale("symlog", linthresh=1.5)
            axis.set_yticks([-100, -10, -1, 0, 1, 10, 100], ["−100", "−10", "−1", "0", "1", "10", "100"])
            axis.set_yticks([], minor=True)
            axis.axhspan(-1, 1, color=INK, alpha=0.06, lw=0)
            axis.set(title=title, xlabel="step")
        _legend(drawing, axes[0, 0], 6)
    return drawing


def order(lab: Laboratory) -> Figure:
    """Error against step on three problems."""
    with figure(1, 3, width=11.5, height=5.4) as (drawing, axes):
        for axis, case in zip(axes[0], CASES, strict=True):
            _errors(axis, lab, case)
        _legend(drawing, axes[0, 0], 5)
    return drawing


def _errors(axis: Any, lab: Laboratory, case: str) -> None:
    for row in lab.rows:
        found = row.orders[case]
        axis.loglog(found.steps / PERIOD, np.where(found.errors < 1, found.errors, np.nan), **marked(row.entry))
    axis.set(title=CASES[case], xlabel="h/T")
    if case == "smooth":
        axis.set(ylabel="relative error of u", ylim=(1e-13, 1))


def work(lab: Laboratory) -> Figure:
    """CPU time against error."""
    with figure(1, 3, width=11.5, height=5.4) as (drawing, axes):
        for axis, (case, title) in zip(axes[0], WORK_CASES.items(), strict=True):
            for row in lab.rows:
                found = row.work[case]
                good = found.errors < 1
                axis.loglog(found.errors[good], 1e3 * found.cpu[good], **marked(row.entry))
            axis.invert_xaxis()
            axis.set(title=title, xlabel="largest error of u / largest u")
        axes[0, 0].set_ylabel("CPU time [ms]")
        _legend(drawing, axes[0, 0], 5)
    return drawing


def stiff(lab: Laboratory) -> Figure:
    """Velocity of the mass behind the stiff spring."""
    rows = [row for row in lab.rows if row.entry.key in _STIFF]
    with figure(1, len(rows), width=11.5, height=3.1, sharey=True) as (drawing, axes):
        fine = np.linspace(0, STIFF_SOFT_STEP * STIFF_SOFT_STEPS, 600)
        exact = stiff_soft_reference(fine)[1][:, 0]
        for row, axis in zip(rows, axes[0], strict=True):
            axis.plot(fine, exact, color=GREY, lw=2.4, label="reference")
            axis.plot(row.stiff.time, row.stiff.velocity, **line(row.entry) | {"lw": 1.1, "ls": "-"})
            axis.set(title=short(row.entry), xlabel="time [s]", ylim=(-4, 4))
        axes[0, 0].set_ylabel("velocity of mass 2")
    return drawing


def fronts(lab: Laboratory) -> Figure:
    """Force at mid-length of the bar, one panel a scheme, step = Δx/c."""
    rows = [row for row in lab.rows if row.entry.key in _FRONTS]
    with figure(2, 3, width=11.5, height=5.4, sharex=True, sharey=True) as (drawing, axes):
        fine = np.linspace(0, BAR_DURATION, 2001)
        for row, axis in zip(rows, axes.ravel(), strict=False):
            front = row.fronts[1.0]
            axis.plot(fine, exact_front(fine), color=GREY, lw=2.2)
            if front is not None:
                axis.plot(front.time, front.force, **line(row.entry) | {"lw": 1.0, "ls": "-"})
            axis.set(title=short(row.entry), ylim=(-0.4, 2.6), xlim=(0, BAR_DURATION))
        for axis in axes[-1]:
            axis.set_xlabel("time · c / length")
        for axis in axes[:, 0]:
            axis.set_ylabel("force at mid-length")
    return drawing


def overstressed() -> Figure:
    """Node forces with next to no viscosity: the continuous elements above, those with jumps below."""
    found = overstress()
    with figure(2, 2, width=11.5, height=5.6, sharex=True, sharey=True) as (drawing, axes):
        for axis, run in zip(axes.ravel(), found, strict=True):
            part = (run.times >= 2) & (run.times <= 6)
            for limit in (-1, 1):
                axis.axhline(limit, color=INK, lw=0.6, ls=":")
            axis.plot(run.times[part], run.force[part], color=BLUE, lw=1.0)
            axis.set_title(
                f"{run.name}: {100 * run.largest:.2g} % over the limit"
                if run.largest > 1e-4
                else f"{run.name}: on the limit"
            )
        for axis in axes[:, 0]:
            axis.set_ylabel("node force / yield force")
        for axis in axes[-1]:
            axis.set_xlabel("time [s]")
    return drawing


def peaks(lab: Laboratory) -> Figure:
    """Share of the 72 oscillators whose peak is off by at most so much."""
    colours = _peak_colours(lab)
    with figure(1, len(lab.peaks), width=11.5, height=4.6, sharey=True) as (drawing, axes):
        for axis, (title, schemes) in zip(axes[0], lab.peaks.items(), strict=True):
            for found in schemes:
                errors = np.sort(found.peaks)
                axis.step(
                    100 * np.maximum(errors, 1e-6),
                    np.arange(1, len(errors) + 1) / len(errors),
                    where="post",
                    label=found.name,
                    **colours[found.name],
                )
            for level, text in ((0.5, "median"), (0.9, "90th percentile")):
                axis.axhline(level, color=INK, lw=0.6, ls=":")
                axis.annotate(text, (0.011, level), xytext=(2, 2), textcoords="offset points", fontsize=8)
            axis.set(
                xscale="log", xlim=(0.01, 100), ylim=(0, 1), xlabel="error of the peak displacement [%]", title=title
            )
        axes[0, 0].set_ylabel("share of the oscillators")
        _legend(drawing, axes[0, 0], 4)
    return drawing


def _peak_colours(lab: Laboratory) -> dict[str, dict[str, Any]]:
    named = {row.entry.name: line(row.entry) for row in lab.rows}
    others = iter(({"color": INK, "ls": "-", "lw": 1.4}, {"color": INK, "ls": ":", "lw": 1.8}, *[{}] * 20))
    return {
        found.name: {k: v for k, v in (named.get(found.name) or next(others)).items() if k != "label"}
        for found in next(iter(lab.peaks.values()))
    }
