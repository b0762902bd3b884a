"""Tripartite diagram: pseudo-velocity against period, both logarithmic, crossed by lines of equal Sd and PSa."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hamex.report.colours import BROWN, FAINT, PINE
from hamex.report.spectrum.axes import period_axis
from hamex.report.spectrum.lines import Array, Lines

_SIZE = 7.5                                   # points
_LETTER = 0.62 * _SIZE / 72                   # width of a letter [inch]


class Place(NamedTuple):
    """Where a name may stand: its anchor in decades, and whether it runs back from there."""

    x: float
    y: float
    back: bool


class Box(NamedTuple):
    """Frame in decades of period and pseudo-velocity, and inches per decade."""

    left: float
    right: float
    low: float
    high: float
    scale: float


def frame(lines: Lines, size: tuple[float, float]) -> Box | None:
    """The frame around the curves, neither a ribbon nor a tower; None where there is nothing to frame."""
    v = lines.values("pseudo_velocity")
    positive = v[v > 0]
    if len(lines.periods) < 2 or lines.periods[0] == lines.periods[-1] or not positive.size:
        return None
    left, right = (math.log10(T) for T in (lines.periods[0], lines.periods[-1]))
    top = math.log10(positive.max())
    height = min(max(top - math.log10(positive.min()) + 0.35, 0.62 * (right - left)), 1.2 * (right - left))
    low, high = top + 0.2 - height, top + 0.2
    return Box(left, right, low, high, min(size[0] / (right - left), size[1] / height))


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
    here.set_aspect("equal", anchor="W")      # to the left, where the layout has room for the numbers
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
            here.plot(*(10 ** np.array(ends)).T, color=FAINT, lw=0.9 if _is_decade(value) else 0.4, zorder=0.5,
                      scalex=False, scaley=False)
        for value in sorted(values, key=lambda value: not _is_decade(value)):
            _name(here, box, _crossing(box, math.log10(value * factor), rising), rising, f"{value:g} {unit}", colour,
                  curve, taken)
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


def _crossing(box: Box, c: float, rising: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    """Both ends of a line in the frame, lower left or upper left first."""
    if rising:                                                   # y = x + c
        xs = max(box.left, box.low - c), min(box.right, box.high - c)
        return (xs[0], xs[0] + c), (xs[1], xs[1] + c)
    xs = max(box.left, c - box.high), min(box.right, c - box.low)       # y = c − x
    return (xs[0], c - xs[0]), (xs[1], c - xs[1])


def _name(here: Any, box: Box, ends: Any, rising: bool, text: str, colour: str, curve: Array,
          taken: list[tuple[float, float, float]]) -> None:
    """Write a line's name on it near one of its ends, where neither a curve nor another name stands."""
    long = _LETTER * (len(text) + 1) / box.scale / math.sqrt(2)          # its reach in decades, either way
    gap, thick = 0.11 / box.scale, 1.3 * _SIZE / 72 / box.scale
    (x0, y0), (x1, y1) = ends
    if x1 - x0 < long + 2 * gap:
        return
    turn = 1 if rising else -1
    first, last = Place(x0 + gap, y0 + turn * gap, False), Place(x1 - gap, y1 - turn * gap, True)
    inner = [Place(x0 + part * (x1 - x0), y0 + part * (y1 - y0), False) for part in (0.15, 0.3, 0.45, 0.6)]
    for place in (first, last, *inner) if rising else (last, first, *inner[::-1]):
        away = -long if place.back else long
        along = np.linspace(0, 1, 7)
        dots = np.stack([place.x + away * along, place.y + turn * away * along + 0.5 * thick], axis=1)
        clear = all(np.hypot(x - tx, y - ty) > 0.5 * thick + size for x, y in dots for tx, ty, size in taken)
        near = np.abs(curve[0][:, None] - dots[:, 0]) + np.abs(curve[1][:, None] - dots[:, 1]) < 1.1 * thick
        if clear and not near.any():
            taken += [(x, y, 0.5 * thick) for x, y in dots]
            here.text(10**place.x, 10**place.y, text, fontsize=_SIZE, color=colour, rotation=45 * turn,
                      rotation_mode="anchor", ha="right" if place.back else "left", va="bottom")
            return
