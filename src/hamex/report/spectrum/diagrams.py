"""Diagrams of spectra, one function each, on axes that are given.

The tripartite one is pseudo-velocity against period, both logarithmic, crossed by lines of equal Sd and PSa.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hamex.report.spectrum.lines import Array, Lines, middle
from hamex.report.style import BROWN, FAINT, INK, PINE, SOFT

_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
_RADIAL = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0)
_BARS = 24  # error bars a curve, at most
_SIZE = 7.5  # points
_LETTER = 0.62 * _SIZE / 72  # width of a letter [inch]


def over_period(
    here: Any,
    lines: Lines,
    name: str,
    *,
    linear: bool,
    words: str,
    unit: str,
    per: float = 1.0,
    elastic: str = "",
    legend: str = "",
) -> None:
    """A result against the period, over its elastic counterpart if there is one."""
    if elastic:
        lines.draw(here, elastic, alternatives=False)
    lines.draw(here, name, per=per)
    period_axis(here, lines, linear)
    here.set(ylabel=f"[{unit}]" if unit else "", title=words)
    here.set_ylim(bottom=0)
    if legend:
        lines.legend(here, legend)


def period_axis(here: Any, lines: Lines, linear: bool) -> None:
    """Periods along the lower edge, logarithmic unless ``linear``; a single period stands by itself."""
    first, last = float(lines.periods[0]), float(lines.periods[-1])
    here.set_xlabel("period [s]")
    if first == last:
        for line in here.lines:
            line.set_marker("o")
        return
    here.set_xlim(first, last)
    if linear:
        return
    here.set_xscale("log")
    ticks = [T for T in _TICKS if first * 0.999 <= T <= last * 1.001]
    if len(ticks) > 1:
        here.set_xticks(ticks, [f"{T:g}" for T in ticks])
        here.minorticks_off()


def with_bars(
    here: Any,
    lines: Lines,
    name: str,
    error: str,
    *,
    linear: bool,
    words: str,
    unit: str,
    elastic: str = "",
    legend: str = "",
) -> None:
    """A result of yielding oscillators with its error bars; of a median, the largest bar of the motions."""
    over_period(here, lines, name, linear=linear, words=words, unit=unit, elastic=elastic, legend=legend)
    every = max(1, -(-len(lines.periods) // _BARS))
    y, bars = lines.values(name), lines.values(error)
    for curve in lines.curves:
        place = (slice(None), curve.alternative, curve.damping)
        shown = slice(every // 2, None, every)
        here.errorbar(
            lines.periods[shown],
            middle(y[place])[shown],
            bars[place].max(axis=0)[shown],
            fmt="none",
            ecolor=INK if lines.motions and len(lines.curves) == 1 else curve.colour,
            elinewidth=0.9,
            capsize=1.8,
            capthick=0.8,
        )
    here.set_ylim(bottom=0)


def relative_error(here: Any, lines: Lines, linear: bool) -> None:
    """Error bars of the displacement as shares of it."""
    u, bars = lines.values("displacement"), lines.values("displacement_error")
    share = 100 * np.divide(bars, u, out=np.zeros_like(u), where=u != 0)
    top = _most(share)
    for curve in lines.curves:
        rows = share[:, curve.alternative, curve.damping]
        here.plot(
            lines.periods,
            rows.max(axis=0),
            ls="none",
            marker="os^D"[curve.damping % 4],
            ms=2.2,
            color=curve.colour,
            label=curve.label,
        )
    period_axis(here, lines, linear)
    most = "largest of the motions" if lines.motions else f"largest {top:.2g} %"
    here.set(ylabel="[%]", title=f"error bar over displacement, {most}")
    if top > 0:
        here.set_yscale("log")
        here.set_ylim(top * 1e-4, top * 2)
    here.legend(loc="lower left", fontsize=8, ncols=3)
    plain_numbers(here)


def steps(here: Any, lines: Lines, linear: bool) -> None:
    """Step of the runs against the period."""
    here.plot(lines.periods, 1000 * lines.spec.values("step")[lines.order], color=INK, drawstyle="steps-mid")
    here.set_yscale("log")
    period_axis(here, lines, linear)
    here.set(ylabel="[ms]", title="step of the runs" + (", first motion" if lines.motions else ""))
    low, high = here.get_ylim()
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    here.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    here.minorticks_off()


def adrs(here: Any, lines: Lines, size: tuple[float, float], legend: bool = True) -> None:
    """Acceleration against displacement, and lines through the origin for periods; ``size`` of the axes [inch].

    Of yielding oscillators, yield force over weight against the largest displacement: a line through the origin is then
    the period of the secant stiffness.
    """
    if lines.yielding:
        y, per, elastic = "strength", 1.0, lines.values("elastic_strength")
        widest = max(_most(lines.values("displacement")), _most(lines.values("elastic_displacement")))
        lines.draw(here, "elastic_strength", "elastic_displacement", alternatives=False)
    else:
        y, per, elastic = "pseudo_acceleration", lines.g, lines.values("pseudo_acceleration") / lines.g
        widest = _most(lines.values("displacement"))
    lines.draw(here, y, "displacement", per)
    right, top = 1.06 * widest or 1.0, 1.1 * max(_most(elastic), _most(lines.values(y) / per)) or 1.0
    here.set(
        xlim=(0, right),
        ylim=(0, top),
        xlabel=f"displacement Sd [{lines.spec.length}]",
        ylabel="yield force over weight" if lines.yielding else "pseudo-acceleration PSa [g]",
    )
    here.grid(False)
    _radial(here, (right, top), size, lines.g, "secant period" if lines.yielding else "period")
    if legend:
        lines.legend(here, "upper right")


def _radial(here: Any, corner: tuple[float, float], size: tuple[float, float], g: float, words: str) -> None:
    """Lines of equal period, named where they leave the frame; names that would touch are left out."""
    right, top = corner
    last = -1.0
    for T in _RADIAL:
        slope = (2 * np.pi / T) ** 2 / g  # [g] per length
        end = (top / slope, top) if top / slope <= right else (right, slope * right)
        along = end[0] / right + (top - end[1]) / top  # round the corner from the upper left
        if along < 0.035 or along > 1.97:
            continue
        here.plot([0, end[0]], [0, end[1]], color=FAINT, lw=0.7, zorder=0.5)
        on_top = end[1] == top
        if along - last < (0.38 / size[0] if on_top else 0.16 / size[1]):
            continue
        last = along
        here.annotate(
            f"{T:g} s",
            end,
            xytext=(0, 2) if on_top else (3, 0),
            textcoords="offset points",
            fontsize=7.5,
            color=SOFT,
            ha="center" if on_top else "left",
            va="bottom" if on_top else "center",
            annotation_clip=False,
        )
    here.set_title(f"ADRS; grey lines: {words}", pad=16)


def plain_numbers(here: Any) -> None:
    """0.01, 1, 100 up a logarithmic axis instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter

    here.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _most(values: Any) -> float:
    return float(np.nanmax(values)) if np.isfinite(values).any() else 0.0


class NamePlace(NamedTuple):
    """Where a name may stand: its anchor in decades, and whether it runs back from there."""

    x: float
    y: float
    back: bool


class DecadeFrame(NamedTuple):
    """Frame in decades of period and pseudo-velocity, and inches per decade."""

    left: float
    right: float
    low: float
    high: float
    scale: float


def frame(lines: Lines, size: tuple[float, float]) -> DecadeFrame | None:
    """The frame around the curves, neither a ribbon nor a tower; None where there is nothing to frame."""
    v = lines.values("pseudo_velocity")
    positive = v[v > 0]
    if len(lines.periods) < 2 or lines.periods[0] == lines.periods[-1] or not positive.size:
        return None
    left, right = (math.log10(T) for T in (lines.periods[0], lines.periods[-1]))
    top = math.log10(positive.max())
    height = min(max(top - math.log10(positive.min()) + 0.35, 0.62 * (right - left)), 1.2 * (right - left))
    low, high = top + 0.2 - height, top + 0.2
    return DecadeFrame(left, right, low, high, min(size[0] / (right - left), size[1] / height))


def tripartite(here: Any, lines: Lines, size: tuple[float, float]) -> None:
    """Draw the diagram into axes of about ``size`` [inch]; decades are equally long both ways."""
    lines.draw(here, "pseudo_velocity")
    period_axis(here, lines, linear=False)
    length, v = lines.spec.length, lines.values("pseudo_velocity")
    here.set(ylabel=f"pseudo-velocity PSv [{length}/s]")
    box = frame(lines, size)
    if box is None:
        return
    left, right, low, high, _ = box
    here.set_yscale("log")
    here.set_ylim(10**low, 10**high)
    ticks = list(_round_numbers(10**low, 10**high))
    here.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    here.minorticks_off()
    here.set_aspect("equal", anchor="W")  # to the left, where the layout has room for the numbers
    here.grid(False)
    curve = np.log10(np.stack([np.broadcast_to(lines.periods, v.shape), np.maximum(v, 1e-300)]).reshape(2, -1))
    taken: list[tuple[float, float, float]] = []
    # A line of equal PSa rises, PSv = PSa T/2π; a line of equal Sd falls, PSv = 2π Sd/T.
    families = (("g", BROWN, True, lines.g / (2 * math.pi)), (length, PINE, False, 2 * math.pi))
    for unit, colour, rising, factor in families:
        span = (low - right, high - left) if rising else (low + left, high + right)
        values = list(_round_numbers(10 ** span[0] / factor, 10 ** span[1] / factor))
        for value in values:
            c = math.log10(value * factor)
            ends = _crossing(box, c, rising)
            here.plot(
                *(10 ** np.array(ends)).T,
                color=FAINT,
                lw=0.9 if _is_decade(value) else 0.4,
                zorder=0.5,
                scalex=False,
                scaley=False,
            )
        for value in sorted(values, key=lambda value: not _is_decade(value)):
            _name(
                here,
                box,
                _crossing(box, math.log10(value * factor), rising),
                rising,
                f"{value:g} {unit}",
                colour,
                curve,
                taken,
            )
    here.set_title(f"tripartite; rising lines: PSa [g], falling lines: Sd [{length}]")


def _round_numbers(low: float, high: float) -> Iterator[float]:
    """1, 2, 5, 10 … between two numbers."""
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for digit in (1, 2, 5):
            value = float(f"{digit}e{power}")
            if low < value < high:
                yield value


def _is_decade(value: float) -> bool:
    return f"{value:e}".startswith("1.000000")


def _crossing(box: DecadeFrame, c: float, rising: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    """Both ends of a line in the frame, lower left or upper left first."""
    if rising:  # y = x + c
        xs = max(box.left, box.low - c), min(box.right, box.high - c)
        return (xs[0], xs[0] + c), (xs[1], xs[1] + c)
    xs = max(box.left, c - box.high), min(box.right, c - box.low)  # y = c − x
    return (xs[0], c - xs[0]), (xs[1], c - xs[1])


def _name(
    here: Any,
    box: DecadeFrame,
    ends: Any,
    rising: bool,
    text: str,
    colour: str,
    curve: Array,
    taken: list[tuple[float, float, float]],
) -> None:
    """Write a line's name on it near one of its ends, where neither a curve nor another name stands."""
    long = _LETTER * (len(text) + 1) / box.scale / math.sqrt(2)  # its reach in decades, either way
    gap, thick = 0.11 / box.scale, 1.3 * _SIZE / 72 / box.scale
    (x0, y0), (x1, y1) = ends
    if x1 - x0 < long + 2 * gap:
        return
    turn = 1 if rising else -1
    first, last = NamePlace(x0 + gap, y0 + turn * gap, False), NamePlace(x1 - gap, y1 - turn * gap, True)
    inner = [NamePlace(x0 + part * (x1 - x0), y0 + part * (y1 - y0), False) for part in (0.15, 0.3, 0.45, 0.6)]
    for place in (first, last, *inner) if rising else (last, first, *inner[::-1]):
        away = -long if place.back else long
        along = np.linspace(0, 1, 7)
        dots = np.stack([place.x + away * along, place.y + turn * away * along + 0.5 * thick], axis=1)
        clear = all(np.hypot(x - tx, y - ty) > 0.5 * thick + size for x, y in dots for tx, ty, size in taken)
        near = np.abs(curve[0][:, None] - dots[:, 0]) + np.abs(curve[1][:, None] - dots[:, 1]) < 1.1 * thick
        if clear and not near.any():
            taken += [(x, y, 0.5 * thick) for x, y in dots]
            here.text(
                10**place.x,
                10**place.y,
                text,
                fontsize=_SIZE,
                color=colour,
                rotation=45 * turn,
                rotation_mode="anchor",
                ha="right" if place.back else "left",
                va="bottom",
            )
            return
