"""Strength for a given ductility: safe root finding on a curve that is not monotone.

Ductility falls with strength on the whole, but not everywhere: a stronger oscillator may be tuned to a later pulse. The
curve is scanned from the elastic strength down, cells near the target are scanned again, and the highest crossing is
closed in on by multisection, which cannot lose it. The curve is continuous, so that every bracket holds a root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.study.spectrum.demand import Demand

Array = NDArray[Any]

COARSE = 128             # points of the first scan, equal ratios
CHUNK = 16               # of them at a time, until the largest target is passed
WEAKEST = 0.01           # of the elastic strength: the end of the scan
NEAR = 0.85              # a cell whose ends come this near to the target is scanned again
FINE = 8                 # points of that scan, and of every multisection
ROUNDS = 5


@dataclass(frozen=True, eq=False)
class Strengths:
    """Result of a search.

    Attributes
    ----------
    yields : yield acceleration [length/s²], (target, period, branch), the largest first; NaN where there is none.
    reached : ductility reached there.
    elastic : elastic pseudo-acceleration of each period on the same steps [length/s²].
    """

    yields: Array
    reached: Array
    elastic: Array


def strengths(demand: Demand, targets: Array, branches: bool) -> Strengths:
    """Yield accelerations that give the target ductilities; the largest only, or all that the scan sees."""
    periods = len(demand.periods)
    every = np.arange(periods)
    w2 = (2 * np.pi / demand.periods) ** 2
    elastic = w2 * demand.run(every, np.full(periods, np.inf), ("displacement",))["displacement"]
    curve = _Curve(demand, elastic)
    grid = np.geomspace(1.0, WEAKEST, COARSE)
    scanned = _scan(curve, grid, periods, np.inf if branches else targets.max())
    found = _brackets(curve, grid, scanned, targets, branches)
    which, target, high, low = _closed_in(curve, found, targets)
    middle = np.sqrt(high * low)
    return _arranged(which, target, elastic[which] * middle, curve(which, middle), targets, elastic)


class _Curve:
    """Ductility as a function of strength relative to the elastic strength."""

    def __init__(self, demand: Demand, elastic: Array) -> None:
        self.demand, self.elastic = demand, elastic

    def __call__(self, which: Array, share: Array) -> Array:
        yields = self.elastic[which] * share
        return self.demand.run(which, yields, ("ductility",))["ductility"]


def _scan(curve: _Curve, grid: Array, periods: int, enough: float) -> Array:
    """Ductility on the grid, (period, strength); a period that has passed ``enough`` is not followed further."""
    scanned = np.full((periods, len(grid)), np.nan)
    open_ = np.arange(periods)
    for begin in range(0, len(grid), CHUNK):
        here = grid[begin:begin + CHUNK]
        values = curve(np.repeat(open_, len(here)), np.tile(here, len(open_))).reshape(len(open_), -1)
        scanned[open_, begin:begin + CHUNK] = values
        open_ = open_[values.max(axis=1) < enough]
        if not open_.size:
            break
    return scanned


Brackets = tuple[Array, Array, Array, Array]     # period, target, and the ends: stronger, weaker


def _brackets(curve: _Curve, grid: Array, scanned: Array, targets: Array, branches: bool) -> Brackets:
    """Cells in which the curve crosses a target, after a second scan of cells that come near to it."""
    found: list[tuple[int, int, float, float]] = []
    doubtful: list[tuple[int, int, int]] = []
    for n, target in enumerate(targets):
        above = scanned >= target
        crossing = (above[:, 1:] != above[:, :-1]) & ~np.isnan(scanned[:, 1:])
        near = ~crossing & (np.maximum(scanned[:, 1:], scanned[:, :-1]) >= NEAR * target) & ~above[:, 1:]
        for period in range(len(scanned)):
            cells = np.flatnonzero(crossing[period])
            first = int(cells[0]) if cells.size else len(grid)
            doubtful += [(period, n, int(cell)) for cell in np.flatnonzero(near[period]) if branches or cell < first]
            found += [(period, n, grid[cell], grid[cell + 1]) for cell in (cells if branches else cells[:1])]
    if doubtful:
        found += _second_scan(curve, grid, doubtful, targets)
    found.sort(key=lambda cell: (cell[0], cell[1], -cell[2]))
    if not branches:
        found = [cell for i, cell in enumerate(found) if i == 0 or found[i - 1][:2] != cell[:2]]
    columns = list(zip(*found, strict=True)) or [(), (), (), ()]
    return (np.array(columns[0], dtype=np.intp), np.array(columns[1], dtype=np.intp), np.array(columns[2], dtype=float),
            np.array(columns[3], dtype=float))


def _second_scan(curve: _Curve, grid: Array, doubtful: list[tuple[int, int, int]], targets: Array) -> list[
        tuple[int, int, float, float]]:
    period, target, cell = (np.array(column) for column in zip(*doubtful, strict=True))
    inside = np.geomspace(grid[cell], grid[cell + 1], FINE + 1, axis=1)
    values = curve(np.repeat(period, FINE + 1), inside.ravel()).reshape(inside.shape) >= targets[target][:, None]
    rows, places = np.nonzero(values[:, 1:] != values[:, :-1])
    return [(int(period[i]), int(target[i]), inside[i, j], inside[i, j + 1])
            for i, j in zip(rows, places, strict=True)]


def _closed_in(curve: _Curve, brackets: Brackets, targets: Array) -> Brackets:
    """Multisection: every bracket keeps its strongest crossing."""
    which, target, high, low = brackets
    if not which.size:
        return brackets
    first = curve(which, high) >= targets[target]         # the side of the stronger end; a crossing runs either way
    for _ in range(ROUNDS):
        inside = np.geomspace(high, low, FINE + 1, axis=1)
        middle = curve(np.repeat(which, FINE - 1), inside[:, 1:-1].ravel()).reshape(-1, FINE - 1)
        above = middle >= targets[target][:, None]
        # The strongest crossing: the first cell whose far end lies on the other side; so does the end of the bracket.
        cell = np.argmax(np.column_stack([above, ~first]) != first[:, None], axis=1)
        row = np.arange(len(which))
        high, low = inside[row, cell], inside[row, cell + 1]
    return which, target, high, low


def _arranged(which: Array, target: Array, yields: Array, reached: Array, targets: Array, elastic: Array) -> Strengths:
    """Brackets as arrays (target, period, branch)."""
    order = np.lexsort((-yields, which, target))
    key = target[order] * len(elastic) + which[order]
    branch = np.arange(len(key)) - np.searchsorted(key, key) if key.size else np.zeros(0, dtype=np.intp)
    shape = (len(targets), len(elastic), int(branch.max(initial=0)) + 1)
    strength, ductility = np.full(shape, np.nan), np.full(shape, np.nan)
    place = target[order], which[order], branch
    strength[place], ductility[place] = yields[order], reached[order]
    return Strengths(strength, ductility, elastic)
