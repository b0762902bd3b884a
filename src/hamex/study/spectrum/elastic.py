"""Elastic spectra: the compiled kernels, fed block by block and only with what is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.march import input_energy
from hamex.march import spectrum as kernels
from hamex.march.run import compiled, settled
from hamex.solve.threads import each, processors
from hamex.study.spectrum.records import Record
from hamex.study.spectrum.result import Quantity

Array = NDArray[Any]

MOST_PARTS = 4096        # of a step, for the shortest period let in
SHORTEST = {"inside": kernels.FINEST / MOST_PARTS, "samples": 1e-6}      # period over step
_BLOCK = 64              # oscillators of a task, at least
_WORTH_THREADS = 20_000_000    # oscillator-steps; below, starting threads costs more than they save

QUANTITIES = {
    "displacement": Quantity("length", "largest displacement relative to the ground, Sd"),
    "pseudo_velocity": Quantity("velocity", "pseudo-velocity ω Sd"),
    "pseudo_acceleration": Quantity("acceleration", "pseudo-acceleration ω² Sd"),
    "velocity": Quantity("velocity", "largest velocity relative to the ground"),
    "absolute_acceleration": Quantity("acceleration", "largest acceleration with that of the ground"),
    "input_energy": Quantity("energy_per_mass",
                             "work of the ground on the relative motion, −∫ a u̇ dt per unit mass, to the record's end"),
}
KINDS = {"displacement": kernels.DISPLACEMENT, "velocity": kernels.VELOCITY,
         "absolute_acceleration": kernels.ABSOLUTE_ACCELERATION}
PSEUDO = {"pseudo_velocity": 1, "pseudo_acceleration": 2}

PEAKS = {
    "inside": "largest value at any time, inside the steps to round-off, and in the free vibration after the record",
    "samples": "largest value at the samples of the record",
}
PARTS = {
    "inside": f"steps are cut into the least power of two of parts that are at most T/{kernels.FINEST:g} long; this "
              "serves the search for peaks only, the motion is exact for any step",
    "samples": "none; the motion is exact for any step",
}


@dataclass(frozen=True, eq=False)
class Elastic:
    """Everything that the spectra of some motions come from.

    Attributes
    ----------
    records : one per motion.
    several : whether results have the dimension motion.
    omega, zeta : circular frequency [1/s] and damping ratio, (damping, period).
    peaks : "inside" or "samples".
    threads : number of threads; None for as many as pay.
    """

    records: tuple[Record, ...]
    several: bool
    omega: Array
    zeta: Array
    peaks: str
    threads: int | None

    @property
    def quantities(self) -> dict[str, Quantity]:
        """What can be computed."""
        return QUANTITIES

    def compute(self, name: str, known: Callable[[str], Array]) -> Array:
        """A result by name, (motion?, damping, period); ``known`` gives others."""
        if name in PSEUDO:
            return self.omega ** PSEUDO[name] * known("displacement")
        omega, zeta = self.omega.ravel(), self.zeta.ravel()
        run = _energies if name == "input_energy" else peaks

        def go(task: tuple[int, slice]) -> Array:
            number, part = task
            return run(self.records[number], omega[part], zeta[part], KINDS.get(name, 0), self.peaks)

        threads, chosen = tasks([record.a.size for record in self.records], omega.size, self.threads)
        found = each(go, chosen, threads)
        out = found[0] if len(found) == 1 else np.concatenate(found)
        return out.reshape((len(self.records), *self.omega.shape) if self.several else self.omega.shape)


def peaks(record: Record, omega: Array, zeta: Array, kind: int, where: str) -> Array:
    """Largest |q| of each oscillator."""
    out = np.empty(omega.size)
    compiled(settled(kernels.peaks, INSIDE=where == "inside"))(record.a, record.step, omega, zeta, kind, out)
    return out


def _energies(record: Record, omega: Array, zeta: Array, kind: int, where: str) -> Array:
    out = np.empty(omega.size)
    compiled(input_energy.input_energy)(record.a, record.step, omega, zeta, out)
    return out


def tasks(samples: list[int], oscillators: int, threads: int | None) -> tuple[int, list[tuple[int, slice]]]:
    """Threads to use, and (motion, oscillators) to hand out to them; results do not depend on either."""
    if threads is None:
        threads = processors() if sum(samples) * oscillators > _WORTH_THREADS else 1
    size = oscillators if threads == 1 else max(_BLOCK, -(-oscillators // (4 * threads)))
    return threads, [(number, slice(begin, begin + size))
                     for number in range(len(samples)) for begin in range(0, oscillators, size)]
