"""A step load at the end of an elastic bar: how much the front rings.

Length 1, wave speed 1, stiffness EA = 1: a row of masses, fixed at x = 0, pulled by a unit force at x = 1 from t = 0.
The exact force at mid-length is 0 before the front (t = 0.5), 1 behind it and 2 after its reflection (t = 1.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.lab.free_vibration import spectral_radius
from hamex.lab.marching import modal_history
from hamex.schemes import Scheme

Array = NDArray[Any]
MASSES = 100
DURATION = 2.0
COURANT = (0.5, 1.0, 2.0)  # h c/Δx


@dataclass(frozen=True)
class Front:
    """Force in the bar at mid-length in time. ``overshoot``: largest force behind the front, before the reflection,
    minus 1; ``ringing``: root mean square distance from 1 there; ``smear``: time the force takes from 0.1 to 0.9."""

    time: Array
    force: Array
    overshoot: float
    ringing: float
    smear: float


def front(scheme: Scheme, courant: float = 1.0) -> Front | None:
    """The wave front at a Courant number; None if the scheme is unstable there."""
    omega, shapes, push = _masses()
    step = courant / MASSES
    steps = round(DURATION / step)
    if spectral_radius(scheme, omega * step).max() > 1 + 1e-7:
        return None
    u, _ = modal_history(scheme, omega, shapes, push, np.ones_like, step, steps)
    middle = MASSES // 2
    force = 0.5 * (u[:, middle] - u[:, middle - 2]) * MASSES  # at the mass, from the springs on both sides
    time = np.arange(steps + 1) * step
    behind = force[(time > 0.55) & (time < 1.4)]
    reached = [
        float(np.interp(1.0, [force[i - 1] / level, force[i] / level], time[i - 1 : i + 1]))
        for level in (0.1, 0.9)
        for i in [int(np.argmax(force >= level))]
    ]
    return Front(
        time,
        force,
        float(force[time < 1.4].max() - 1),
        float(np.sqrt(np.mean((behind - 1) ** 2))),
        reached[1] - reached[0],
    )


def exact(time: Array) -> Array:
    """Force at mid-length of the continuous bar."""
    return np.where(time < 0.5, 0.0, np.where(time < 1.5, 1.0, 2.0))


@cache
def _masses() -> tuple[Array, Array, Array]:
    """Frequencies, shapes of unit modal mass (mass i at (i + 1)Δx, half a mass at the end), and the pull."""
    size = 1 / MASSES
    mass = np.full(MASSES, size)
    mass[-1] /= 2
    stiffness = (np.diag([2.0] * (MASSES - 1) + [1.0]) - np.eye(MASSES, k=1) - np.eye(MASSES, k=-1)) / size
    root = 1 / np.sqrt(mass)
    values, vectors = np.linalg.eigh(root[:, None] * stiffness * root)
    push = np.zeros(MASSES)
    push[-1] = 1.0
    return np.sqrt(values), root[:, None] * vectors, push
