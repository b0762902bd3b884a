"""A stiff spring before a soft one, moved at its end: the model problem of Bathe & Noh (2012).

Masses m₂ = m₃ = 1, springs k₁ = 10⁷ (stiff) and k₂ = 1, and a support that moves by u₁ = sin 1.2t. The stiff motion has
a period of 0.002 s, the step is 0.2618 s: what a good scheme computes is the slow motion, with the stiff part following
its force. That is also the reference here: the soft mode exactly, the stiff one statically.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.lab.marching import modal_history
from hamex.schemes import Scheme

Array = NDArray[Any]
STIFF, SOFT, FORCING = 1e7, 1.0, 1.2
STEP = 0.2618  # s, a twentieth of the period of the support
STEPS = 76  # about 20 s
SETTLED = 10  # steps after which a scheme should have forgotten the start


@dataclass(frozen=True)
class StiffSoft:
    """Largest errors after the first steps, relative to the largest true value; infinite if the scheme is unstable."""

    soft_displacement: float
    stiff_velocity: float
    reaction: float
    time: Array
    velocity: Array


def stiff_soft(scheme: Scheme) -> StiffSoft:
    """Motion of the soft mass, velocity of the stiff one, and the reaction at the support."""
    omega, shapes, push = _structure()
    u, v = modal_history(scheme, omega, shapes, push, lambda t: np.sin(FORCING * t), STEP, STEPS)
    time = np.arange(STEPS + 1) * STEP
    exact_u, exact_v = reference(time)
    support = np.sin(FORCING * time)

    def error(found: Array, exact: Array) -> float:
        worst = float(np.abs(found - exact)[SETTLED:].max() / np.abs(exact).max())
        return worst if worst < 1e6 else float("inf")

    with np.errstate(invalid="ignore", over="ignore"):
        return StiffSoft(
            error(u[:, 1], exact_u[:, 1]),
            error(v[:, 0], exact_v[:, 0]),
            error(STIFF * (support - u[:, 0]), STIFF * (support - exact_u[:, 0])),
            time,
            v[:, 0],
        )


def reference(time: Array) -> tuple[Array, Array]:
    """Displacements and velocities (n, 2): the soft mode from rest, the stiff one at its static value."""
    omega, shapes, push = _structure()
    (slow, fast), (load, stiff_load) = omega, shapes.T @ push
    gain = load / (slow**2 - FORCING**2)
    y = np.stack(
        [
            gain * (np.sin(FORCING * time) - FORCING / slow * np.sin(slow * time)),
            stiff_load / (fast**2 - FORCING**2) * np.sin(FORCING * time),
        ],
        axis=1,
    )
    rate = np.stack(
        [
            gain * FORCING * (np.cos(FORCING * time) - np.cos(slow * time)),
            stiff_load / (fast**2 - FORCING**2) * FORCING * np.cos(FORCING * time),
        ],
        axis=1,
    )
    return y @ shapes.T, rate @ shapes.T


@cache
def _structure() -> tuple[Array, Array, Array]:
    """Frequencies, shapes with unit modal mass, and the force for a unit displacement of the support."""
    values, shapes = np.linalg.eigh([[STIFF + SOFT, -SOFT], [-SOFT, SOFT]])
    values[0] = (STIFF * SOFT) / values[1]  # the product is the determinant: no cancellation
    return np.sqrt(values), shapes, np.array([STIFF, 0.0])
