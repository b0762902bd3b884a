"""Pictures of an incremental dynamic analysis: curves, stripes, and the fragility with what it was fitted to."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.report.style import BLUE, GREEN, GREY, INK, LINE, ORANGE, PAPER, RED, SOFT, figure
from hamex.study.ida.curves import IdaCurves
from hamex.study.ida.fragility import Fragility

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
FRACTILES = ((16, GREEN), (50, BLUE), (84, ORANGE))
_BEYOND = 2.2  # demands are drawn up to so many limits
_POINTS = 240
_OPEN: dict[str, Any] = {"ls": "", "marker": "o", "mfc": PAPER, "zorder": 4}  # how a ring is drawn


def draw_curves(curves: IdaCurves, title: str = "") -> Figure:
    """Intensity over demand, record by record, with fractiles, limit, capacities and ends of censored records."""
    with figure(width=6.6, height=4.9) as (drawing, grid):
        axes = grid[0, 0]
        right, top = _reach(curves)
        for im, demand in zip(curves.im, curves.demand, strict=True):
            axes.plot(*_line(im, demand, right), color=GREY, lw=0.6, alpha=0.75, zorder=1)
        axes.plot([], [], color=GREY, lw=0.8, label=f"{len(curves.labels)} {curves.motions} motions")
        _fractiles(axes, curves, right)
        axes.axvline(curves.limit, color=RED, lw=1.2, ls=(0, (5, 2)), zorder=2)
        axes.annotate(
            curves.limit_name,
            (curves.limit, top),
            xytext=(-4, -3) if right < 1.5 * curves.limit else (4, -3),
            textcoords="offset points",
            color=RED,
            va="top",
            ha="right" if right < 1.5 * curves.limit else "left",
            fontsize=8.5,
            bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.5, "alpha": 0.85},
        )
        capacity = curves.capacities
        passed = np.isfinite(capacity)
        axes.plot(
            np.full(passed.sum(), curves.limit),
            capacity[passed],
            label=("collapse" if curves.collapse else "limit passed") if passed.any() else None,
            **{**_OPEN, "ms": 3.6, "mfc": RED, "mec": PAPER, "mew": 0.5},
        )
        ends = [_end(im, demand) for im, demand in zip(curves.im[~passed], curves.demand[~passed], strict=True)]
        if ends:
            label = f"never {'collapsed' if curves.collapse else 'passed'} (censored)"
            axes.plot(*zip(*ends, strict=True), ms=4.6, mec=INK, mew=0.9, label=label, **_OPEN)
        axes.set(xlabel=curves.demand_label, ylabel=_axis(curves.im_name), xlim=(0, right), ylim=(0, top))
        axes.legend(loc="lower right", fontsize=8, frameon=True, framealpha=0.9, edgecolor="none", facecolor=PAPER)
        _title(axes, title, curves.model)
        _foot(drawing, curves)
    return drawing


def draw_stripes(curves: IdaCurves, title: str = "") -> Figure:
    """Demands at each level of intensity, those beyond the limit in red, and how many they are."""
    levels = curves.levels
    assert levels is not None
    with figure(width=6.6, height=4.9) as (drawing, grid):
        axes = grid[0, 0]
        right = _BEYOND * curves.limit
        over = curves.demand > curves.limit
        shown = np.minimum(curves.demand, right)
        im = np.broadcast_to(levels, shown.shape)
        gone = curves.demand > right
        style: dict[str, Any] = {"ls": "", "ms": 3.4, "mew": 0.0, "alpha": 0.75, "clip_on": False}
        axes.plot(shown[~over], im[~over], marker="o", color=BLUE, label="within the limit", **style)
        axes.plot(shown[over & ~gone], im[over & ~gone], marker="o", color=RED, label="beyond", **style)
        if gone.any():
            axes.plot(shown[gone], im[gone], marker=">", color=RED, label="beyond the picture", **style)
        axes.axvline(curves.limit, color=RED, lw=1.2, ls=(0, (5, 2)), zorder=2.5)
        gap = float(np.diff(levels).min()) if len(levels) > 1 else float(levels[0])
        top = float(levels[-1]) + 2 * gap
        every = int(np.ceil(len(levels) / 26))
        for place in range(len(levels) - 1, -1, -every):
            axes.annotate(
                f"{over[:, place].sum()}/{len(over)}",
                (1.015, levels[place]),
                fontsize=7,
                va="center",
                xycoords=("axes fraction", "data"),
                color=SOFT,
                annotation_clip=False,
            )
        axes.annotate(
            "beyond",
            (1.015, levels[-1] + gap),
            xycoords=("axes fraction", "data"),
            fontsize=7.5,
            color=SOFT,
            va="center",
        )
        axes.annotate(
            curves.limit_name,
            (curves.limit, top),
            xytext=(4, -2),
            textcoords="offset points",
            color=RED,
            va="top",
            fontsize=8.5,
        )
        axes.set(xlabel=curves.demand_label, ylabel=_axis(curves.im_name), xlim=(0, right), ylim=(0, top))
        axes.legend(loc="lower right", fontsize=8)
        _title(axes, title, curves.model)
        _foot(drawing, curves)
    return drawing


class FragilityWords(NamedTuple):
    """What a picture says of a fragility that stands by itself."""

    im_name: str
    limit_name: str
    model: str = ""
    flags: tuple[str, ...] = ()


def draw_fragility(fitted: Sequence[tuple[IdaCurves | FragilityWords, Fragility]], title: str = "") -> Figure:
    """P(limit exceeded) over intensity: fit, bootstrap band and data; one curve a model."""
    with figure(width=6.6, height=4.9) as (drawing, grid):
        axes = grid[0, 0]
        colours = (BLUE, ORANGE, GREEN, RED, INK, GREY)
        right = max(_last(found) for _, found in fitted)
        im = np.linspace(right / _POINTS, right, _POINTS)
        for number, (curves, found) in enumerate(fitted):
            colour = colours[number % len(colours)]
            low, high = found.band(im)
            alone = len(fitted) == 1
            axes.fill_between(
                im,
                low,
                high,
                color=colour,
                alpha=0.16,
                lw=0,
                label=f"90 % band, {found.resamples} bootstraps of {_drawn(found)}" if alone else None,
            )
            axes.plot(
                im,
                found.probability(im),
                color=colour,
                lw=1.8,
                label=f"lognormal fit{' with modelling dispersion' if found.modelling else ''}"
                if alone and found.link == "probit"
                else curves.model or f"{found.link} fit",
            )
            if alone and found.modelling:
                bare = found.replace(modelling=0.0)
                axes.plot(im, bare.probability(im), color=colour, lw=1.0, ls=(0, (4, 2)), label="record to record only")
            _data(axes, curves, found, colour, alone)
        if len(fitted) == 1:
            _parameters(axes, fitted[0][1])
        curves = fitted[0][0]
        axes.set(xlabel=_axis(curves.im_name), ylabel=f"P({curves.limit_name})", xlim=(0, right), ylim=(-0.02, 1.02))
        data = "capacities" if "capacity" in fitted[0][1].data.columns() else "shares of motions"
        axes.legend(
            loc="lower right",
            fontsize=8,
            title_fontsize=7.5,
            alignment="left",
            title="" if len(fitted) == 1 else f"bands: 90 %, bootstrap of records\npoints: {data}",
        )
        _title(axes, title, curves.model if len(fitted) == 1 else "")
        _foot(drawing, *(curves for curves, _ in fitted))
    return drawing


# Pieces ------------------------------------------------------------------------------------------------------


def _reach(curves: IdaCurves) -> tuple[float, float]:
    """Ends of the axes: some limits wide, and as high as the highest point that is seen."""
    finite = curves.demand[np.isfinite(curves.demand)]
    right = min(_BEYOND * curves.limit, max(1.15 * curves.limit, 1.05 * float(finite.max())))
    seen = curves.im[(curves.demand <= right) & ~np.isnan(curves.im)]
    return right, 1.06 * max(float(seen.max()), float(np.nanmin(curves.im)))


def _line(im: Array, demand: Array, right: float) -> tuple[Array, Array]:
    """A curve from the origin; a run that ran away ends it with a flat line."""
    there = ~np.isnan(im)
    x, y = np.append(0.0, demand[there]), np.append(0.0, im[there])
    away = np.flatnonzero(np.isinf(x))
    if away.size:
        n = int(away[0])
        x, y = np.append(x[:n], 10 * right), np.append(y[:n], y[n])
    return x, y


def _end(im: Array, demand: Array) -> tuple[float, float]:
    last = int(np.flatnonzero(~np.isnan(im))[-1])
    return float(demand[last]), float(im[last])


def _fractiles(axes: Any, curves: IdaCurves, right: float) -> None:
    """Intensity that brings a demand; a fractile ends where censored records hide it."""
    demands = np.linspace(0, right, _POINTS)[1:]
    found = curves.intensity_for(demands.tolist(), [percent for percent, _ in FRACTILES])
    for (percent, colour), values in reversed(list(zip(FRACTILES, found, strict=True))):
        axes.plot(
            np.append(0.0, demands),
            np.append(0.0, values),
            color=colour,
            lw=1.9,
            zorder=3,
            label=f"{percent} % fractile" if percent != 50 else "median",
        )


def _data(axes: Any, curves: IdaCurves | FragilityWords, found: Fragility, colour: str, alone: bool) -> None:
    """What was fitted: shares at the levels, or the distribution of capacities with censored records below."""
    columns = found.data.columns()
    if "level" in columns:
        share = np.array(columns["exceedances"]) / np.array(columns["counts"])
        label = f"share of {columns['counts'][0]} motions" if alone else None
        axes.plot(columns["level"], share, ms=4.4, mec=colour, mew=1.1, label=label, clip_on=False, **_OPEN)
        return
    if "capacity" not in columns:  # of a cloud
        return
    x, hidden = np.array(columns["capacity"]), np.array(columns["censored"])
    place, share = kaplan_meier(x, hidden)
    axes.step(
        np.concatenate([[0.0], place]), np.concatenate([[0.0], share]), where="post", color=colour, lw=0.8, zorder=3
    )
    label = f"capacities of {len(x)} motions" if alone else None
    axes.plot(place, share, ms=3.4, mec=colour, mew=1.0, label=label, **_OPEN)
    if hidden.any():
        label = f"{hidden.sum()} censored, tried up to here" if alone else None
        ticks: dict[str, Any] = {"ls": "", "marker": "|", "ms": 9, "color": colour, "mew": 1.2, "clip_on": False}
        axes.plot(x[hidden], np.zeros(hidden.sum()), zorder=4, label=label, **ticks)


def kaplan_meier(values: Array, censored: Array) -> tuple[Array, Array]:
    """The empirical distribution with censored values: points, and the share at or below them.

    >>> place, share = kaplan_meier(np.array([1.0, 2.0, 3.0]), np.array([False, True, False]))
    >>> place.tolist(), share.round(3).tolist()
    ([1.0, 3.0], [0.333, 1.0])
    """
    place = np.unique(values[~censored])
    at_risk = (values[None, :] >= place[:, None]).sum(axis=1)
    happened = ((values[None, :] == place[:, None]) & ~censored[None, :]).sum(axis=1)
    return place, 1 - np.cumprod(1 - happened / at_risk)


def _parameters(axes: Any, found: Fragility) -> None:
    bounds = found.interval()
    unit = found.intensity.partition("[")[2].rstrip("]")
    lines = [
        f"median {found.median:.3g} {unit}  ({bounds['median'][0]:.3g} to {bounds['median'][1]:.3g})",
        f"dispersion {found.dispersion:.2f}  ({bounds['dispersion'][0]:.2f} to {bounds['dispersion'][1]:.2f})",
    ]
    if found.modelling:
        lines.append(f"with modelling {found.modelling:g}: {found.total_dispersion:.2f}")
    axes.axvline(found.median, color=SOFT, lw=0.8, ls=":", zorder=1)
    axes.axhline(0.5, color=SOFT, lw=0.8, ls=":", zorder=1)
    axes.text(
        0.025,
        0.975,
        "\n".join(lines),
        transform=axes.transAxes,
        va="top",
        fontsize=8.5,
        linespacing=1.5,
        bbox={"facecolor": PAPER, "edgecolor": LINE, "boxstyle": "round,pad=0.45", "linewidth": 0.8},
    )


def _drawn(found: Fragility) -> str:
    return "records" if found.data.resampling.startswith("records") else found.data.resampling


def _last(found: Fragility) -> float:
    """Until the curve has nearly reached 1, with room for words on its right."""
    return float(max(found.median * np.exp(2.4 * found.total_dispersion), 1.9 * found.median))


def _axis(im_name: str) -> str:
    return im_name.replace("Sa(", "$S_a$(", 1)


def _title(axes: Any, title: str, model: str) -> None:
    axes.set_title(" · ".join(filter(None, (title, model))), fontweight="bold")


def flags_of(*models: IdaCurves | FragilityWords) -> list[str]:
    """What a reader should know: once where it holds for all models, else with the model's name."""
    everywhere = set.intersection(*(set(curves.flags) for curves in models))
    return list(
        dict.fromkeys(
            flag if flag in everywhere else f"{curves.model}: {flag}" for curves in models for flag in curves.flags
        )
    )


def _foot(drawing: Figure, *models: IdaCurves | FragilityWords) -> None:
    """What a reader should know, below the axes."""
    lines = textwrap.wrap(" · ".join(flags_of(*models)), 124)
    if lines:
        drawing.supxlabel("\n".join(lines), fontsize=7.5, color=SOFT, x=0.01, ha="left")
