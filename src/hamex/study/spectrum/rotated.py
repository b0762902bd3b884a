"""Spectra of two horizontal components whatever their orientation: RotD00, RotD50, RotD100 and the geometric mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.march import rotated as kernels
from hamex.march.lanes import padded
from hamex.march.run import compiled
from hamex.march.spectrum import LANES
from hamex.solve.threads import each
from hamex.study.spectrum.elastic import KINDS, PSEUDO, QUANTITIES, tasks
from hamex.study.spectrum.records import Record
from hamex.study.spectrum.result import Quantity

Array = NDArray[Any]

DIRECTIONS = 180         # one degree apart; the other half circle is the same with another sign
COMBINATIONS = ("RotD00", "RotD50", "RotD100", "geometric mean")
MEANING = (f"RotDnn: of the peaks in {DIRECTIONS} directions one degree apart, the least, the median and the largest, "
           "for each oscillator by itself; geometric mean: of the peaks of the two components as given")


@dataclass(frozen=True, eq=False)
class Rotated:
    """Everything that the spectra of pairs of components come from; attributes as for ``Elastic``."""

    pairs: tuple[tuple[Record, Record], ...]
    several: bool
    omega: Array
    zeta: Array
    threads: int | None

    @property
    def quantities(self) -> dict[str, Quantity]:
        """What can be computed."""
        return {name: quantity for name, quantity in QUANTITIES.items() if name in KINDS or name in PSEUDO}

    def compute(self, name: str, known: Callable[[str], Array]) -> Array:
        """A result by name, (motion?, combination, damping, period); ``known`` gives others."""
        if name in PSEUDO:
            return self.omega ** PSEUDO[name] * known("displacement")
        omega, zeta = self.omega.ravel(), self.zeta.ravel()

        def go(task: tuple[int, slice]) -> Array:
            number, part = task
            return combined(all_directions(*self.pairs[number], omega[part], zeta[part], KINDS[name]))

        samples = [DIRECTIONS * x.a.size for x, _ in self.pairs]
        threads, chosen = tasks(samples, omega.size, self.threads)
        found = np.concatenate(each(go, chosen, threads), axis=1)
        out = found.reshape((len(COMBINATIONS), len(self.pairs), *self.omega.shape))
        return np.ascontiguousarray(out.swapaxes(0, 1)) if self.several else out[:, 0]


def combined(peaks: Array) -> Array:
    """The combinations of the peaks (oscillator, direction)."""
    ordered = np.sort(peaks, axis=1)
    half = DIRECTIONS // 2
    median = 0.5 * (ordered[:, half - 1] + ordered[:, half])
    return np.stack([ordered[:, 0], median, ordered[:, -1], np.sqrt(peaks[:, 0] * peaks[:, half])])


def all_directions(x: Record, y: Record, omega: Array, zeta: Array, kind: int) -> Array:
    """Largest |q| of each oscillator in each direction, the first component being at 0°."""
    out = np.empty((omega.size, padded(DIRECTIONS, LANES)))
    compiled(kernels.rotated)(x.a, y.a, x.step, omega, zeta, kind, _directions().copy(), out)
    return out[:, :DIRECTIONS]


@cache
def _directions() -> Array:
    """Cosines and sines, exact at 0° and 90°; the last direction again where lanes are left over."""
    table = np.zeros((kernels.LEAST + 1, padded(DIRECTIONS, LANES)))
    for place in range(table.shape[1]):
        degree = 180 * min(place, DIRECTIONS - 1) / DIRECTIONS
        table[kernels.COS, place] = math.sin(math.radians(90 - degree))
        table[kernels.SIN, place] = math.sin(math.radians(degree))
    return table
