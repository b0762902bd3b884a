"""Peak response of yielding oscillators of unit mass under one motion: what inelastic spectra are made of.

Each period has its own step: the record's step over 4, 6, 8, 12, 16, 24 …, the first that leaves a period at least
:data:`STEPS_PER_PERIOD` steps; few different steps serve many periods. The run goes on after the record for at least
half a period, so that a peak in free vibration is not missed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.schemes import Galerkin
from hamex.model.oscillators import oscillators
from hamex.motion.ground import GroundMotion
from hamex.solve.batch import batch

Array = NDArray[Any]
STEPS_PER_PERIOD = 200
LEAST_PARTS = 4


def parts_of(period: float, step: float) -> int:
    """Steps per sample of the record.

    >>> parts_of(2.0, 0.02), parts_of(0.1, 0.02)
    (4, 48)
    """
    wanted = max(LEAST_PARTS, STEPS_PER_PERIOD * step / period) * (1 - 1e-9)
    power = 1 << math.ceil(math.log2(wanted))
    return power * 3 // 4 if power * 3 // 4 >= wanted else power


@dataclass(frozen=True, eq=False)
class Demand:
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
            many = oscillators(stiffness=k, damping_ratio=self.damping, yield_force=yields[here],
                               viscosity=self.relaxation * k, kinematic=k * self.hardening / (1 - self.hardening))
            found = batch(many, self.motion, Galerkin(self.motion.step / parts), measures, g=self.g,
                          duration=samples * self.motion.step, threads=self.threads)
            for name in measures:
                out[name][here] = found.values(name)[:, 0, 0]
        return out

    def _plan(self, period: float) -> tuple[int, int]:
        """Steps per sample, and samples of the run: powers of two after the record, so that few plans serve all."""
        parts = self.finer * parts_of(period, self.motion.step)
        after = max(1, math.ceil(0.5 * period / self.motion.step))
        return parts, len(self.motion.acceleration) + (1 << math.ceil(math.log2(after)))
