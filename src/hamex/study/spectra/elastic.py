"""Elastic spectra of one component, and of two whatever their orientation (RotD00, RotD50, RotD100, geometric mean).

Motions become samples in length/s², with the zero sample at the end and what lies between; the compiled kernels are fed
block by block and only with what is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import OverflowRunError
from hamex.march import rotated
from hamex.march import spectrum as kernels
from hamex.march.exact_step import input_energy
from hamex.march.lanes import padded
from hamex.march.run import compiled, in_threads, processors, settled
from hamex.model.units import in_gravities
from hamex.motion.ground import GroundMotion
from hamex.study.spectra.result import Quantity

Array = NDArray[Any]

FINER = 32  # samples to one of the record's: what is left of linear interpolation is 0.1 % at Nyquist

INTERPOLATIONS = {
    "linear": "linear between samples; one zero sample follows the last",
    "band-limited": f"band-limited: {FINER} samples to one of the record's by Fourier series of the record and as many "
    "zeros at least, linear between these; cut to the record and the zero sample that follows it",
}

MOST_PARTS = 4096  # of a step, for the shortest period let in
SHORTEST = {"inside": kernels.FINEST / MOST_PARTS, "samples": 1e-6}  # period over step
_BLOCK = 64  # oscillators of a task, at least
_WORTH_THREADS = 20_000_000  # oscillator-steps; below, starting threads costs more than they save

QUANTITIES = {
    "displacement": Quantity("length", "largest displacement relative to the ground, Sd"),
    "pseudo_velocity": Quantity("velocity", "pseudo-velocity ω Sd"),
    "pseudo_acceleration": Quantity("acceleration", "pseudo-acceleration ω² Sd"),
    "velocity": Quantity("velocity", "largest velocity relative to the ground"),
    "absolute_acceleration": Quantity("acceleration", "largest acceleration with that of the ground"),
    "input_energy": Quantity(
        "energy_per_mass", "work of the ground on the relative motion, −∫ a u̇ dt per unit mass, to the record's end"
    ),
}
KINDS = {
    "displacement": kernels.DISPLACEMENT,
    "velocity": kernels.VELOCITY,
    "absolute_acceleration": kernels.ABSOLUTE_ACCELERATION,
}
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

DIRECTIONS = 180  # one degree apart; the other half circle is the same with another sign
COMBINATIONS = ("RotD00", "RotD50", "RotD100", "geometric mean")
MEANING = (
    f"RotDnn: of the peaks in {DIRECTIONS} directions one degree apart, the least, the median and the largest, "
    "for each oscillator by itself; geometric mean: of the peaks of the two components as given"
)


class Accelerogram(NamedTuple):
    """Accelerations that end with a zero, linear in between, and their step [s]."""

    a: Array
    step: float


def accelerogram(motion: GroundMotion, g: float, interpolation: str, samples: int = 0) -> Accelerogram:
    """The motion times g, followed by zeros to ``samples`` and one more."""
    count = max(samples, motion.acceleration.size)
    a = np.zeros(count + 1)
    np.multiply(motion.acceleration, in_gravities(motion.unit) * g, out=a[: motion.acceleration.size])
    return Accelerogram(a, motion.step) if interpolation == "linear" else finer(Accelerogram(a, motion.step))


def finer(given: Accelerogram) -> Accelerogram:
    """The same record with :data:`FINER` times its samples, from its Fourier series.

    Zeros behind it, as many as it has samples or more, keep its end from ringing into its beginning.
    """
    count = given.a.size
    long = 1 << (2 * count - 1).bit_length()
    parts = np.fft.rfft(given.a, long)
    parts[-1] *= 0.5  # the Nyquist term stands for two when it is no longer the last
    dense = FINER * np.fft.irfft(parts, FINER * long)[: FINER * (count - 1) + 1]
    dense[::FINER] = given.a  # round-off only
    return Accelerogram(dense, given.step / FINER)


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

    records: tuple[Accelerogram, ...]
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
        found = in_threads(go, chosen, threads)
        out = found[0] if len(found) == 1 else np.concatenate(found)
        _check_finite(name, out)
        return out.reshape((len(self.records), *self.omega.shape) if self.several else self.omega.shape)


def _check_finite(name: str, found: Array) -> None:
    if not np.isfinite(found).all():
        raise OverflowRunError(
            f"spectrum: the {name.replace('_', ' ')} is beyond what numbers hold; check the unit of the motion and g"
        )


def peaks(record: Accelerogram, omega: Array, zeta: Array, kind: int, where: str) -> Array:
    """Largest |q| of each oscillator."""
    out = np.empty(omega.size)
    compiled(settled(kernels.peaks, INSIDE=where == "inside"))(record.a, record.step, omega, zeta, kind, out)
    return out


def _energies(record: Accelerogram, omega: Array, zeta: Array, kind: int, where: str) -> Array:
    out = np.empty(omega.size)
    compiled(input_energy)(record.a, record.step, omega, zeta, out)
    return out


def tasks(samples: list[int], oscillators: int, threads: int | None) -> tuple[int, list[tuple[int, slice]]]:
    """Threads to use, and (motion, oscillators) to hand out to them; results do not depend on either."""
    if threads is None:
        threads = processors() if sum(samples) * oscillators > _WORTH_THREADS else 1
    size = oscillators if threads == 1 else max(_BLOCK, -(-oscillators // (4 * threads)))
    return threads, [
        (number, slice(begin, begin + size)) for number in range(len(samples)) for begin in range(0, oscillators, size)
    ]


@dataclass(frozen=True, eq=False)
class Rotated:
    """Everything that the spectra of pairs of components come from; attributes as for :class:`Elastic`."""

    pairs: tuple[tuple[Accelerogram, Accelerogram], ...]
    several: bool
    omega: Array
    zeta: Array
    peaks: str
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
            return combinations_of(
                all_directions(*self.pairs[number], omega[part], zeta[part], KINDS[name], self.peaks)
            )

        samples = [DIRECTIONS * x.a.size for x, _ in self.pairs]
        threads, chosen = tasks(samples, omega.size, self.threads)
        found = np.concatenate(in_threads(go, chosen, threads), axis=1)
        _check_finite(name, found)
        out = found.reshape((len(COMBINATIONS), len(self.pairs), *self.omega.shape))
        return np.ascontiguousarray(out.swapaxes(0, 1)) if self.several else out[:, 0]


def combinations_of(peaks: Array) -> Array:
    """The combinations of the peaks (oscillator, direction)."""
    ordered = np.sort(peaks, axis=1)
    half = DIRECTIONS // 2
    median = 0.5 * (ordered[:, half - 1] + ordered[:, half])
    return np.stack([ordered[:, 0], median, ordered[:, -1], np.sqrt(peaks[:, 0] * peaks[:, half])])


def all_directions(
    x: Accelerogram, y: Accelerogram, omega: Array, zeta: Array, kind: int, where: str = "inside"
) -> Array:
    """Largest |q| of each oscillator in each direction, the first component being at 0°."""
    out = np.empty((omega.size, padded(DIRECTIONS, kernels.LANES)))
    kernel = compiled(settled(rotated.rotated, INSIDE=where == "inside"))
    kernel(x.a, y.a, x.step, omega, zeta, kind, _directions().copy(), out)
    return out[:, :DIRECTIONS]


@cache
def _directions() -> Array:
    """Cosines and sines, exact at 0° and 90°; the last direction again where lanes are left over."""
    table = np.zeros((rotated.LEAST + 1, padded(DIRECTIONS, kernels.LANES)))
    for place in range(table.shape[1]):
        degree = 180 * min(place, DIRECTIONS - 1) / DIRECTIONS
        table[rotated.COS, place] = math.sin(math.radians(90 - degree))
        table[rotated.SIN, place] = math.sin(math.radians(degree))
    return table
