"""Inelastic spectra: at constant strength, and at constant ductility."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.motion.ground import GroundMotion
from hamex.study.spectra.result import Quantity
from hamex.study.spectra.strengths import COARSE, LEAST_PARTS, STEPS_PER_PERIOD, WEAKEST, YieldingOscillators, strengths

Array = NDArray[Any]

_MEASURES = ("displacement", "residual_displacement", "velocity", "absolute_acceleration", "plastic_work", "ductility")
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
    "displacement_error": Quantity("length", "error bar: change of the largest displacement at half the step"),
    "residual_error": Quantity("length", "error bar: change of the residual displacement at half the step"),
    "step": Quantity("time", "step of the runs", ("period",)),
}
_RUN = {
    "displacement": "displacement",
    "residual_displacement": "residual_displacement",
    "velocity": "velocity",
    "absolute_acceleration": "absolute_acceleration",
    "plastic_energy": "plastic_work",
    "reached_ductility": "ductility",
}
SHORTEST_YIELDING = STEPS_PER_PERIOD / 4096  # shortest period over the record's step
STEPS = (
    f"the record's step over {LEAST_PARTS}, 6, 8, 12, 16, 24 …, the first that leaves at least {STEPS_PER_PERIOD} "
    "steps a period; error bars are the change at half of it"
)
SEARCH = (
    f"the largest strength that gives the ductility, sought from the elastic strength down to {WEAKEST:g} of it "
    f"in {COARSE} ratios and again where it comes near; crossings closer together may be missed"
)


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
            of = "displacement" if name == "displacement_error" else "residual_displacement"
            self._search()
            self._run_all(2)
            return np.abs(self._shown(self._runs[f"{_RUN[of]} 2"]) - known(of))
        if name == "pseudo_acceleration":
            return known("strength") * self.g
        if name == "yield_displacement":
            return known("pseudo_acceleration") / (2 * np.pi / self.periods) ** 2
        key = f"{_RUN[name]} 1" if name in _RUN else name
        return self._shown(self._runs[key])

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
        out = {name: np.full(table.shape, np.nan) for name in _MEASURES}
        for i, motion in enumerate(self.motions):
            for j, ratio in enumerate(self.damping):
                yielding = replace(self._oscillators(motion, float(ratio)), finer=finer)
                there = np.argwhere(~np.isnan(table[i, j]))
                place = tuple(there.T)
                for name, values in yielding.run(place[2], table[i, j][place], _MEASURES).items():
                    out[name][i, j][place] = values
        self._runs.update({f"{name} {finer}": values for name, values in out.items()})
