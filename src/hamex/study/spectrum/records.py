"""Ground motions as the kernels take them: samples in length/s², the zero sample at the end, and what lies between."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.motion.ground import GroundMotion
from hamex.motion.units import in_gravities

Array = NDArray[Any]

FINER = 32               # samples to one of the record's: what is left of linear interpolation is 0.1 % at Nyquist

INTERPOLATIONS = {
    "linear": "linear between samples; one zero sample follows the last",
    "band-limited": f"band-limited: {FINER} samples to one of the record's by Fourier series of the record and as many "
                    "zeros at least, linear between these; cut to the record and the zero sample that follows it",
}


class Record(NamedTuple):
    """Accelerations that end with a zero, linear in between, and their step [s]."""

    a: Array
    step: float


def record(motion: GroundMotion, g: float, interpolation: str, samples: int = 0) -> Record:
    """The motion times g, followed by zeros to ``samples`` and one more."""
    count = max(samples, motion.acceleration.size)
    a = np.zeros(count + 1)
    np.multiply(motion.acceleration, in_gravities(motion.unit) * g, out=a[:motion.acceleration.size])
    return Record(a, motion.step) if interpolation == "linear" else finer(Record(a, motion.step))


def finer(given: Record) -> Record:
    """The same record with :data:`FINER` times its samples, from its Fourier series.

    Zeros behind it, as many as it has samples or more, keep its end from ringing into its beginning.
    """
    count = given.a.size
    long = 1 << (2 * count - 1).bit_length()
    parts = np.fft.rfft(given.a, long)
    parts[-1] *= 0.5                               # the Nyquist term stands for two when it is no longer the last
    dense = FINER * np.fft.irfft(parts, FINER * long)[:FINER * (count - 1) + 1]
    dense[::FINER] = given.a                       # round-off only
    return Record(dense, given.step / FINER)
