"""Inelastic spectra, at constant strength and at constant ductility: yielding oscillators of unit mass, and the
strength that gives them a ductility.

Each period has its own step: the record's step over 4, 6, 8, 12, 16, 24 …, the first that leaves a period at least
:data:`STEPS_PER_PERIOD` steps; few different steps serve many periods. The run goes on after the record for at least
half a period, so that a peak in free vibration is not missed.

Ductility falls with strength on the whole, but not everywhere: a stronger oscillator may be tuned to a later pulse. The
curve is scanned from the elastic strength down, cells near the target are scanned again, and the highest crossing is
closed in on by multisection, which cannot lose it. The curve is continuous, so that every bracket holds a root.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.oscillator import oscillators
from hamex.motion.ground import GroundMotion
from hamex.schemes import Galerkin
from hamex.solution.error import bar
from hamex.solve.batch import batch
from hamex.study.spectra.elastic import Quantity

Array = NDArray[Any]
DuctilityCurve = Callable[[Array, Array], Array]  # of periods and strengths over the elastic strength
Brackets = tuple[Array, Array, Array, Array]  # period, target, and the ends: stronger, weaker

STEPS_PER_PERIOD = 200
LEAST_PARTS = 4  # steps to a sample of the record
COARSE = 128  # points of the first scan, equal ratios
CHUNK = 16  # of them at a time, until the largest target is passed
WEAKEST = 0.01  # of the elastic strength: the end of the scan
NEAR = 0.85  # a cell whose ends come this near to the target is scanned again
FINE = 8  # points of that scan, and of every multisection
ROUNDS = 5
_QUANTITIES = {
    "strength": Quantity("one", "yield force over weight"),
    "yield_displacement": Quantity("length", "displacement at first yield"),
    "pseudo_acceleration": Quantity("acceleration", "yield force over mass, ω² times the yield displacement"),
    "displacement": Quantity("length", "largest displacement relative to the ground"),
    "reached_ductility": Quantity("one", "largest displacement over that at first yield, by the run itself"),
    "strength_reduction": Quantity("one", "elastic strength demand over strength"),
    "residual_displacement": Quantity("length", "displacement at the end, half a period or more after the record"),
    "velocity": Quantity("velocity", "largest velocity relative to the ground"),
    "absolute_acceleration": Quantity("acceleration", "largest mean acceleration of a step, ground included"),
    "plastic_energy": Quantity("energy_per_mass", "energy dissipated by slip, per unit mass"),
    "displacement_error": Quantity("length", "error bar of the largest displacement here, by h/2 and h/4"),
    "residual_error": Quantity("length", "error bar of the residual displacement here, by h/2 and h/4"),
    "step": Quantity("time", "step of the runs", ("period",)),
}
_RUN = {  # result → measure of a batch
    "displacement": "displacement",
    "residual_displacement": "residual_displacement",
    "velocity": "velocity",
    "absolute_acceleration": "absolute_acceleration",
    "plastic_energy": "plastic_work",
    "reached_ductility": "ductility",
}
_BARRED = ("displacement", "residual_displacement")
SHORTEST_YIELDING = STEPS_PER_PERIOD / 4096  # shortest period over the record's step
STEPS = (
    f"the record's step over {LEAST_PARTS}, 6, 8, 12, 16, 24 …, the first that leaves at least {STEPS_PER_PERIOD} "
    "steps a period; error bars are from runs with a half and a quarter of it"
)
SEARCH = (
    f"the largest strength that gives the ductility, sought from the elastic strength down to {WEAKEST:g} of it "
    f"in {COARSE} ratios and again where it comes near; crossings closer together may be missed"
)


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
class Yielding:
    """Oscillators that yield, under some motions.

    Attributes
    ----------
    motions : ground motions.
    several : whether results have the dimension motion.
    periods, damping : of the oscillators.
    targets : ductilities, or strengths (yield force over weight).
    by_ductility : which of the two.
    branches : keep every strength that gives a ductility, as dimension branch, the largest first.
    hardening : stiffness after yield over elastic stiffness.
    relaxation : viscosity of the slider over the elastic stiffness [s].
    g : one gravity.
    threads : number of threads; None for all processors.
    """

    motions: tuple[GroundMotion, ...]
    several: bool
    periods: Array
    damping: Array
    targets: Array
    by_ductility: bool
    branches: bool
    hardening: float
    relaxation: float
    g: float
    threads: int | None
    _runs: dict[str, Array] = field(default_factory=dict, init=False)

    @property
    def width(self) -> int:
        """Number of branches found; needs the search."""
        self._search()
        return int(self._runs["strength"].shape[3])

    @property
    def quantities(self) -> dict[str, Quantity]:
        """What can be computed."""
        return _QUANTITIES

    def compute(self, name: str, known: Callable[[str], Array]) -> Array:
        """A result by name, (motion?, damping, target, branch?, period)."""
        if name == "step":
            return self._oscillators(self.motions[0], self.damping[0]).steps()
        if name in ("strength", "strength_reduction"):
            self._search()
        elif name in _RUN:
            self._search()
            self._run_all(1)
        elif name in ("displacement_error", "residual_error"):
            self._search()
            return self._shown(self._bar(_BARRED[name == "residual_error"]))
        if name == "pseudo_acceleration":
            return known("strength") * self.g
        if name == "yield_displacement":
            return known("pseudo_acceleration") / (2 * np.pi / self.periods) ** 2
        key = f"{_RUN[name]} 1" if name in _RUN else name
        return self._shown(self._runs[key])

    def _bar(self, name: str) -> Array:
        """Error bar at the strengths shown, as :mod:`hamex.solution.error` has it: peak and residual witness for each
        other, and a peak lies above the ends of the finest steps by h²|ü|/8; a quarter counts the ground's part too."""
        for finer in (1, 2, 4):
            self._run_all(finer)
        moved = [
            self._runs[f"{each} 2"] - self._runs[f"{each} 4"] for each in ("displacement", "residual_displacement")
        ]
        found: Array = bar([self._runs[f"{name} {finer}"] for finer in (1, 2, 4)], np.abs(moved).max(axis=0))
        if name == "displacement":
            finest = np.array([self._oscillators(motion, 0.0).steps() for motion in self.motions]) / 4
            found = found + finest[:, None, None, None] ** 2 / 4 * self._runs["absolute_acceleration 4"]
        return found

    def _shown(self, found: Array) -> Array:
        """(motion, damping, target, branch, period) without what was not asked for."""
        with_branch = found if self.branches else found[:, :, :, 0]
        return np.array(with_branch if self.several else with_branch[0])

    def _oscillators(self, motion: GroundMotion, damping: float) -> YieldingOscillators:
        return YieldingOscillators(
            motion, self.periods, damping, self.hardening, self.relaxation, self.g, threads=self.threads
        )

    def _search(self) -> None:
        """Strengths (motion, damping, target, branch, period), over weight, and elastic ones over them."""
        if "strength" in self._runs:
            return
        every = np.arange(len(self.periods))
        found, elastic = [], []
        for motion in self.motions:
            for ratio in self.damping:
                yielding = self._oscillators(motion, float(ratio))
                if self.by_ductility:
                    search = strengths(yielding, self.targets, self.branches)
                    found.append(search.yields.swapaxes(1, 2))
                    elastic.append(search.elastic)
                else:
                    yields = np.broadcast_to(
                        self.targets[:, None, None] * self.g, (len(self.targets), 1, len(self.periods))
                    )
                    found.append(yields)
                    peak = yielding.run(every, np.full(len(every), np.inf), ("displacement",))["displacement"]
                    elastic.append((2 * np.pi / self.periods) ** 2 * peak)
        width = max(array.shape[1] for array in found)
        shape = (len(self.motions), len(self.damping), len(self.targets), width, len(self.periods))
        table = np.full((len(found), *shape[2:]), np.nan)
        for row, array in zip(table, found, strict=True):
            row[:, : array.shape[1]] = array
        self._runs["strength"] = table.reshape(shape) / self.g
        demands = np.array(elastic).reshape(shape[0], shape[1], 1, 1, shape[4]) / self.g
        self._runs["strength_reduction"] = demands / self._runs["strength"]

    def _run_all(self, finer: int) -> None:
        """All measures at the strengths found, on steps ``finer`` times as short."""
        if f"displacement {finer}" in self._runs:
            return
        table = self._runs["strength"] * self.g
        out = {name: np.full(table.shape, np.nan) for name in _RUN.values()}
        for i, motion in enumerate(self.motions):
            for j, ratio in enumerate(self.damping):
                yielding = replace(self._oscillators(motion, float(ratio)), finer=finer)
                there = np.argwhere(~np.isnan(table[i, j]))
                place = tuple(there.T)
                for name, values in yielding.run(place[2], table[i, j][place], tuple(_RUN.values())).items():
                    out[name][i, j][place] = values
        self._runs.update({f"{name} {finer}": values for name, values in out.items()})


# The search ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Strengths:
    """Result of a search.

    Attributes
    ----------
    yields : yield acceleration [length/s²], (target, period, branch), the largest first; NaN where there is none.
    elastic : elastic pseudo-acceleration of each period on the same steps [length/s²].
    """

    yields: Array
    elastic: Array


def strengths(yielding: YieldingOscillators, targets: Array, branches: bool) -> Strengths:
    """Yield accelerations that give the target ductilities; the largest only, or all that the scan sees."""
    periods = len(yielding.periods)
    every = np.arange(periods)
    w2 = (2 * np.pi / yielding.periods) ** 2
    elastic = w2 * yielding.run(every, np.full(periods, np.inf), ("displacement",))["displacement"]

    def curve(which: Array, share: Array) -> Array:
        return yielding.run(which, elastic[which] * share, ("ductility",))["ductility"]

    grid = np.geomspace(1.0, WEAKEST, COARSE)
    scanned = _scan(curve, grid, periods, np.inf if branches else targets.max())
    found = _brackets(curve, grid, scanned, targets, branches)
    which, target, high, low = _closed_in(curve, found, targets)
    return _arranged(which, target, elastic[which] * np.sqrt(high * low), targets, elastic)


def _scan(curve: DuctilityCurve, grid: Array, periods: int, enough: float) -> Array:
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


def _brackets(curve: DuctilityCurve, grid: Array, scanned: Array, targets: Array, branches: bool) -> Brackets:
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
    curve: DuctilityCurve, grid: Array, doubtful: list[tuple[int, int, int]], targets: Array
) -> list[tuple[int, int, float, float]]:
    period, target, cell = (np.array(column) for column in zip(*doubtful, strict=True))
    inside = np.geomspace(grid[cell], grid[cell + 1], FINE + 1, axis=1)
    values = curve(np.repeat(period, FINE + 1), inside.ravel()).reshape(inside.shape) >= targets[target][:, None]
    rows, places = np.nonzero(values[:, 1:] != values[:, :-1])
    return [(int(period[i]), int(target[i]), inside[i, j], inside[i, j + 1]) for i, j in zip(rows, places, strict=True)]


def _closed_in(curve: DuctilityCurve, brackets: Brackets, targets: Array) -> Brackets:
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


def _arranged(which: Array, target: Array, yields: Array, targets: Array, elastic: Array) -> Strengths:
    """Brackets as arrays (target, period, branch)."""
    order = np.lexsort((-yields, which, target))
    key = target[order] * len(elastic) + which[order]
    branch = np.arange(len(key)) - np.searchsorted(key, key) if key.size else np.zeros(0, dtype=np.intp)
    shape = (len(targets), len(elastic), int(branch.max(initial=0)) + 1)
    strength = np.full(shape, np.nan)
    strength[target[order], which[order], branch] = yields[order]
    return Strengths(strength, elastic)
