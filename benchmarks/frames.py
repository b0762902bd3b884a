"""Shear frames of any height made of the same storeys, as plain arrays: what every rival is given.

Storey stiffness follows the shear of an inverted triangle of floor forces, so the first mode is a straight line and
its period is exactly 0.1 s per storey. Strength decreases less than stiffness, as codes ask because upper modes whip
the upper storeys: ductilities reach 4 to 7 under El Centro as recorded. Damping c/k and relaxation time η/k are the
same in all storeys of all frames. Units: floors of mass 1, metre, second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

YIELD_DRIFT = 0.005  # m, of the first storey
STRENGTH_POWER = 0.75  # storey strength goes with this power of its stiffness
DAMPING_RATIO, DAMPING_PERIOD = 0.05, 0.5  # 5 % at 0.5 s, the first period of five storeys
RELAXATION = 1.5 / 225.0  # s: η/k of the paper's oscillator
GRAVITY = 9.80665  # m/s²
DURATION = 32.0  # s: the record and a little more, a whole number of all the steps below

STOREYS = (5, 20, 100)
SCALES = (1.0, 3.0, 10.0)
VISCOSITIES = (1.0, 1e-2, 1e-4, 1e-6)
STEPS = (0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True, eq=False)
class Frame:
    """One entry per storey, from the ground up."""

    masses: np.ndarray
    stiffnesses: np.ndarray
    dashpots: np.ndarray
    yield_forces: np.ndarray
    viscosities: np.ndarray
    kinematic: np.ndarray
    isotropic: np.ndarray


def frame(storeys: int, viscosity: float = 1.0, kinematic: float = 0.0, isotropic: float = 0.0) -> Frame:
    """Frame with ``viscosity`` times the paper's relaxation time; hardening as shares of the storey stiffness.

    The straight first mode has ω₁² Σ_{j≥i} j as storey shears, per unit of drift: they are the stiffnesses.
    The highest frequency is ω₁ √(N(2N − 1)), close to 89 rad/s for every height.
    """
    omega = 2.0 * math.pi / (0.1 * storeys)
    i = np.arange(1, storeys + 1)
    stiffnesses = omega**2 * (storeys * (storeys + 1) - i * (i - 1)) / 2.0
    return Frame(
        masses=np.ones(storeys),
        stiffnesses=stiffnesses,
        dashpots=stiffnesses * DAMPING_RATIO * DAMPING_PERIOD / math.pi,
        yield_forces=YIELD_DRIFT * stiffnesses[0] * (stiffnesses / stiffnesses[0]) ** STRENGTH_POWER,
        viscosities=stiffnesses * RELAXATION * viscosity,
        kinematic=stiffnesses * kinematic,
        isotropic=stiffnesses * isotropic,
    )


def elastic(frame: Frame) -> Frame:
    """The same frame, never yielding (OpenSees wants a finite yield force)."""
    return replace(frame, yield_forces=frame.yield_forces * 1e9)


def grid() -> list[tuple[int, float, float, float]]:
    """The 144 cases (storeys, record scale, viscosity, step)."""
    return [
        (n, scale, viscosity, step) for n in STOREYS for scale in SCALES for viscosity in VISCOSITIES for step in STEPS
    ]
