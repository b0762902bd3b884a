"""Peak response of yielding oscillators of unit mass under one motion, and the strength that gives them a ductility.

Each period has its own step: the record's step over 4, 6, 8, 12, 16, 24 …, the first that leaves a period at least
:data:`STEPS_PER_PERIOD` steps; few different steps serve many periods. The run goes on after the record for at least
half a period, so that a peak in free vibration is not missed.

Ductility falls with strength on the whole, but not everywhere: a stronger oscillator may be tuned to a later pulse. The
curve is scanned from the elastic strength down, cells near the target are scanned again, and the highest crossing is
closed in on by multisection, which cannot lose it. The curve is continuous, so that every bracket holds a root.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.oscillators import oscillators
from hamex.motion.ground import GroundMotion
from hamex.schemes import Galerkin
from hamex.solve.batch import batch

Array = NDArray[Any]
STEPS_PER_PERIOD = 200
LEAST_PARTS = 4  # steps to a sample of the record
COARSE = 128  # points of the first scan, equal ratios
CHUNK = 16  # of them at a time, until the largest target is passed
WEAKEST = 0.01  # of the elastic strength: the end of the scan
NEAR = 0.85  # a cell whose ends come this near to the target is scanned again
FINE = 8  # points of that scan, and of every multisection
ROUNDS = 5


def parts_of(period: float, step: float) -> int:
    """Steps per sample of the record.

    >>> parts_of(2.0, 0.02), parts_of(0.1, 0.02)
    (4, 48)
    """
    wanted = max(LEAST_PARTS, STEPS_PER_PERIOD * step / period) * (1 - 1e-9)
    power = 1 << math.ceil(math.log2(wanted))
    return power * 3 // 4 if power * 3 // 4 >= wanted else power


@dataclass(frozen=True, eq=False)
class YieldingOscillators:
    """Oscillators of given periods under one motion.

    Attributes
    ----------
    motion : ground motion.
    periods : elastic periods [s].
    damping : fraction of critical of each period.
    hardening : stiffness after yield over elastic stiffness, below 1.
    relaxation : viscosity of the slider over the elastic stiffness [s].
    g : one gravity in the user's units.
    finer : every step divided by this once more.
    threads : number of threads; all processors by default.
    """

    motion: GroundMotion
    periods: Array
    damping: float
    hardening: float
    relaxation: float
    g: float
    finer: int = 1
    threads: int | None = None

    def steps(self) -> Array:
        """Step of each period [s]."""
        return np.array([self.motion.step / (self.finer * parts_of(T, self.motion.step)) for T in self.periods])

    def run(self, which: Array, yields: Array, measures: Sequence[str]) -> dict[str, Array]:
        """Measures of the oscillators with the periods ``which`` and yield accelerations ``yields`` [length/s²]."""
        out = {name: np.empty(len(which)) for name in measures}
        keys = np.array([self._plan(T) for T in self.periods])[which]
        for parts, samples in np.unique(keys, axis=0):
            here = np.flatnonzero((keys == (parts, samples)).all(axis=1))
            T = self.periods[which[here]]
            k = (2 * np.pi / T) ** 2
            many = oscillators(
                stiffness=k,
                damping_ratio=self.damping,
                yield_force=yields[here],
                viscosity=self.relaxation * k,
                kinematic=k * self.hardening / (1 - self.hardening),
            )
            found = batch(
                many,
                self.motion,
                Galerkin(self.motion.step / parts),
                measures,
                g=self.g,
                duration=samples * self.motion.step,
                threads=self.threads,
            )
            for name in measures:
                out[name][here] = found.values(name)[:, 0, 0]
        return out

    def _plan(self, period: float) -> tuple[int, int]:
        """Steps per sample, and samples of the run: powers of two after the record, so that few plans serve all."""
        parts = self.finer * parts_of(period, self.motion.step)
        after = max(1, math.ceil(0.5 * period / self.motion.step))
        return parts, len(self.motion.acceleration) + (1 << math.ceil(math.log2(after)))


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


def strengths(yielding: YieldingOscillators, targets: Array, branches: bool) -> Strengths:
    """Yield accelerations that give the target ductilities; the largest only, or all that the scan sees."""
    periods = len(yielding.periods)
    every = np.arange(periods)
    w2 = (2 * np.pi / yielding.periods) ** 2
    elastic = w2 * yielding.run(every, np.full(periods, np.inf), ("displacement",))["displacement"]
    curve = _DuctilityCurve(yielding, elastic)
    grid = np.geomspace(1.0, WEAKEST, COARSE)
    scanned = _scan(curve, grid, periods, np.inf if branches else targets.max())
    found = _brackets(curve, grid, scanned, targets, branches)
    which, target, high, low = _closed_in(curve, found, targets)
    middle = np.sqrt(high * low)
    return _arranged(which, target, elastic[which] * middle, curve(which, middle), targets, elastic)


class _DuctilityCurve:
    """Ductility as a function of strength relative to the elastic strength."""

    def __init__(self, yielding: YieldingOscillators, elastic: Array) -> None:
        self.yielding, self.elastic = yielding, elastic

    def __call__(self, which: Array, share: Array) -> Array:
        yields = self.elastic[which] * share
        return self.yielding.run(which, yields, ("ductility",))["ductility"]


def _scan(curve: _DuctilityCurve, grid: Array, periods: int, enough: float) -> Array:
    """Ductility on the grid, (period, strength); a period that has passed ``enough`` is not followed further."""
    scanned = np.full((periods, len(grid)), np.nan)
    open_ = np.arange(periods)
    for begin in range(0, len(grid), CHUNK):
        here = grid[begin : begin + CHUNK]
        values = curve(np.repeat(open_, len(here)), np.tile(here, len(open_))).reshape(len(open_), -1)
        scanned[open_, begin : begin + CHUNK] = values
        open_ = open_[values.max(axis=1) < enough]
        if not open_.size:
            break
    return scanned


Brackets = tuple[Array, Array, Array, Array]  # period, target, and the ends: stronger, weaker


def _brackets(curve: _DuctilityCurve, grid: Array, scanned: Array, targets: Array, branches: bool) -> Brackets:
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
    return (
        np.array(columns[0], dtype=np.intp),
        np.array(columns[1], dtype=np.intp),
        np.array(columns[2], dtype=float),
        np.array(columns[3], dtype=float),
    )


def _second_scan(
    curve: _DuctilityCurve, grid: Array, doubtful: list[tuple[int, int, int]], targets: Array
) -> list[tuple[int, int, float, float]]:
    period, target, cell = (np.array(column) for column in zip(*doubtful, strict=True))
    inside = np.geomspace(grid[cell], grid[cell + 1], FINE + 1, axis=1)
    values = curve(np.repeat(period, FINE + 1), inside.ravel()).reshape(inside.shape) >= targets[target][:, None]
    rows, places = np.nonzero(values[:, 1:] != values[:, :-1])
    return [(int(period[i]), int(target[i]), inside[i, j], inside[i, j + 1]) for i, j in zip(rows, places, strict=True)]


def _closed_in(curve: _DuctilityCurve, brackets: Brackets, targets: Array) -> Brackets:
    """Multisection: every bracket keeps its strongest crossing."""
    which, target, high, low = brackets
    if not which.size:
        return brackets
    first = curve(which, high) >= targets[target]  # the side of the stronger end; a crossing runs either way
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
