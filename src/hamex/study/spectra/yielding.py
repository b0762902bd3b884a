"""Inelastic spectra, at constant strength and at constant ductility: yielding oscillators of unit mass, and the
strength that gives them a ductility.

Each period has its own step: the record's step over 4, 6, 8, 12, 16, 24 …, the first that leaves a period at least
:data:`STEPS_PER_PERIOD` steps; few different steps serve many periods. The run goes on after the record for at least
half a period, so that a peak in free vibration is not missed.

Ductility falls with strength on the whole, but not everywhere: a stronger oscillator may be tuned to a later pulse. The
curve is scanned from the elastic strength down; cells in which it crosses the target, or would if it rose once more as
it does nearby, are scanned again, and the highest crossing is closed in on by brackets, which cannot lose it. The curve
is continuous, so that every bracket holds a root.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.oscillator import oscillators
from hamex.motion.ground import GroundMotion
from hamex.schemes import Galerkin
from hamex.solution.error import bar
from hamex.solve.batch import march_each, sampled
from hamex.solve.runners import SampledMotion
from hamex.study.spectra.elastic import Quantity

Array = NDArray[Any]
DuctilityCurve = Callable[[Array, Array], Array]  # of periods and strengths over the elastic strength

STEPS_PER_PERIOD = 200
LEAST_PARTS = 4  # steps to a sample of the record
COARSE = 128  # points of the first scan, equal ratios
CHUNK = 16  # of them at a time, until the largest target is passed
WEAKEST = 0.01  # of the elastic strength: the end of the scan
FINE = 8  # parts of a cell that is scanned again
EVEN = 2  # times that the part in which it crosses is scanned in as many parts once more
CLOSE = 1e-6  # relative error of a ductility, or width of a bracket, that is taken for a root
SPREAD = 1 / 32  # of a bracket: how far on either side of a guess the ductility is asked for
ROUNDS = 40
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
        k = (2 * np.pi / self.periods[which]) ** 2
        many = oscillators(
            stiffness=k,
            damping_ratio=self.damping,
            yield_force=yields,
            viscosity=self.relaxation * k,
            kinematic=k * self.hardening / (1 - self.hardening),
        )
        return march_each(many, self._records, self._record_of[which], measures, self.threads)

    @cached_property
    def _plans(self) -> list[tuple[int, int]]:
        """How each period is marched."""
        return [self._plan(T) for T in self.periods]

    @cached_property
    def _records(self) -> list[SampledMotion]:
        """The motion in the steps of each plan that occurs."""
        step = self.motion.step
        self.motion.warn_if_violent()
        return [
            sampled(self.motion, Galerkin(step / parts), samples * step, self.g)
            for parts, samples in dict.fromkeys(self._plans)
        ]

    @cached_property
    def _record_of(self) -> Array:
        """Which of these each period takes."""
        number = {plan: i for i, plan in enumerate(dict.fromkeys(self._plans))}
        return np.array([number[plan] for plan in self._plans])

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
    found = _closed_in(curve, _brackets(curve, grid, scanned, targets, branches), targets)
    return _arranged(found.period, found.target, elastic[found.period] * found.root, targets, elastic)


@dataclass(frozen=True, eq=False)
class Brackets:
    """Shares of the elastic strength between which the curve crosses a target: numbers of period and target, the ends,
    stronger and weaker, and the ductility there over the target."""

    period: Array
    target: Array
    high: Array
    low: Array
    at_high: Array
    at_low: Array

    @property
    def share(self) -> Array:
        """Where the chord crosses, from 0 at the stronger end to 1, in equal ratios."""
        return np.asarray((self.at_high - 1) / (self.at_high - self.at_low))

    @property
    def root(self) -> Array:
        """Strength where the chord crosses."""
        return np.asarray(self.high * (self.low / self.high) ** self.share)


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
    """Parts of cells in which the curve crosses a target, after a second scan of cells where it does, or may."""
    period, target, cell = _cells(scanned, targets, branches)
    inside = np.geomspace(grid[cell], grid[cell + 1], FINE + 1, axis=1)
    values = np.empty(inside.shape)
    values[:, 0], values[:, -1] = scanned[period, cell], scanned[period, cell + 1]
    values[:, 1:-1] = curve(np.repeat(period, FINE - 1), inside[:, 1:-1].ravel()).reshape(-1, FINE - 1)
    values /= targets[target][:, None]
    above = values >= 1
    row, part = np.nonzero(above[:, 1:] != above[:, :-1])
    if not branches:  # cells of a period and target stand together, the strongest first
        key = period[row] * len(targets) + target[row]
        first = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
        row, part = row[first], part[first]
    ends = (inside[row, part], inside[row, part + 1], values[row, part], values[row, part + 1])
    return Brackets(period[row], target[row], *ends)


def _cells(scanned: Array, targets: Array, branches: bool) -> tuple[Array, Array, Array]:
    """Cells that are scanned again: period, target and cell, the strongest first.

    Those that cross the target, and those that would if the curve rose above their ends by as much as it changes over
    them or a neighbour; of the latter only those that are stronger than the first crossing, if that is all one seeks.
    """
    before, after = scanned[:, :-1], scanned[:, 1:]
    change = np.abs(after - before)
    beside = np.pad(change, ((0, 0), (1, 1)), constant_values=np.nan)
    reach = np.fmax(before, after) + np.fmax(np.fmax(beside[:, :-2], beside[:, 2:]), change)
    wanted = np.zeros((len(scanned), len(targets), change.shape[1]), dtype=bool)
    for n, target in enumerate(targets):
        crossing = ((before >= target) != (after >= target)) & ~np.isnan(after)
        near = ~crossing & (after < target) & (reach >= target)
        if not branches:
            crossed = np.cumsum(crossing, axis=1)
            near &= crossed == 0
            crossing &= crossed == 1
        wanted[:, n] = near | crossing
    period, number, cell = np.nonzero(wanted)
    return period, number, cell


def _closed_in(curve: DuctilityCurve, found: Brackets, targets: Array) -> Brackets:
    """Narrow brackets, each to its strongest crossing that is seen, until the ductility is met.

    It is asked for at even ratios, then where the chord crosses and a little on either side of that; where
    this does not narrow a bracket by much, in its quarters the next time.
    """
    even = np.broadcast_to(np.arange(1, FINE) / FINE, (len(found.period), FINE - 1))
    for _ in range(EVEN):
        found = _narrowed(curve, found, targets, even)
    parts = vars(found)
    open_, stubborn = np.arange(len(found.period)), np.zeros(len(found.period), dtype=bool)
    for _ in range(ROUNDS):
        if not open_.size:
            break
        here = Brackets(*(values[open_] for values in parts.values()))
        guess = np.clip(here.share, 2 * SPREAD, 1 - 2 * SPREAD)[:, None] + np.array([-SPREAD, 0, SPREAD])
        place = np.where(stubborn[:, None], np.array([0.25, 0.5, 0.75]), guess)
        next_ = _narrowed(curve, here, targets, place)
        for name, values in vars(next_).items():
            parts[name][open_] = values
        met = np.minimum(np.abs(next_.at_high - 1), np.abs(next_.at_low - 1)) <= CLOSE
        left = ~met & (next_.high > next_.low * (1 + CLOSE))
        stubborn = (np.log(next_.high / next_.low) > np.log(here.high / here.low) / 8)[left]
        open_ = open_[left]
    return Brackets(**parts)


def _narrowed(curve: DuctilityCurve, found: Brackets, targets: Array, place: Array) -> Brackets:
    """The strongest crossing that is seen with the ductility at some places of each bracket, from 0 to 1."""
    inner = found.high[:, None] * (found.low / found.high)[:, None] ** place
    values = curve(np.repeat(found.period, place.shape[1]), inner.ravel()).reshape(inner.shape)
    shares = np.column_stack([found.high, inner, found.low])
    values = np.column_stack([found.at_high, values / targets[found.target][:, None], found.at_low])
    above = values >= 1
    row, part = np.arange(len(inner)), np.argmax(above[:, 1:] != above[:, :1], axis=1)
    ends = (shares[row, part], shares[row, part + 1], values[row, part], values[row, part + 1])
    return Brackets(found.period, found.target, *ends)


def _arranged(which: Array, target: Array, yields: Array, targets: Array, elastic: Array) -> Strengths:
    """Brackets as arrays (target, period, branch)."""
    order = np.lexsort((-yields, which, target))
    key = target[order] * len(elastic) + which[order]
    branch = np.arange(len(key)) - np.searchsorted(key, key) if key.size else np.zeros(0, dtype=np.intp)
    shape = (len(targets), len(elastic), int(branch.max(initial=0)) + 1)
    strength = np.full(shape, np.nan)
    strength[target[order], which[order], branch] = yields[order]
    return Strengths(strength, elastic)
