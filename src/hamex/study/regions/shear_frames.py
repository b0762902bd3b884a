"""From an inventory to models: shear frames whose period, strength and damping are what the inventory says.

Floors weigh the same, 1 t each: only ratios count. Storey i of N is one bilinear spring with

* stiffness ω²(N(N + 1) − i(i − 1))/2 per floor mass, so that the first mode is a straight line of exactly the period
  asked for, and the second has √6 times its frequency whatever the height;
* yield force in proportion to the storey shears of lateral forces i^k, with k = 1 up to a period of 0.5 s, 2 from 2.5 s
  on and linear in between (ASCE 7, 12.8.3): all storeys yield at once under these, at the base shear asked for;
* kinematic hardening, and viscosity where the inventory has a relaxation time.

Damping is Rayleigh's with the same ratio in the first two modes and the initial stiffness; one storey has stiffness
proportional damping.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.laws.slider import Slider
from hamex.model.record import Model
from hamex.model.shear_frame import shear_frame
from hamex.model.shear_frames import ShearFrames, diagonals
from hamex.model.units import STANDARD_GRAVITY, Units

Array = NDArray[Any]

UNITS = Units("m", "kN")
GRAVITY = STANDARD_GRAVITY  # m/s²
_SECOND = np.sqrt(6.0)  # ω₂/ω₁


def regular_shear_frames(
    storeys: int, period: Array, strength: Array, damping: Array, hardening: Array, relaxation: Array, height: Array
) -> ShearFrames:
    """Models of buildings of one height; each parameter is an array with one entry per building.

    >>> from hamex.model.shear_frames import frequencies
    >>> one = np.ones(1)
    >>> town = regular_shear_frames(12, 1.45 * one, 0.07 * one, 0.05 * one, 0.1 * one, 0 * one, 3 * one)
    >>> round(float(2 * np.pi / frequencies(town.mass, town.stiffness, 1)[0]), 12)
    1.45
    """
    count = len(period)
    i = np.arange(1, storeys + 1)
    omega = 2 * np.pi / period
    k = (omega**2)[:, None] * ((storeys * (storeys + 1) - i * (i - 1)) / 2.0)
    forces = i ** np.clip(1.0 + (period - 0.5) / 2.0, 1.0, 2.0)[:, None]
    shears = np.cumsum(forces[:, ::-1], axis=1)[:, ::-1]
    limit = (strength * storeys * GRAVITY)[:, None] * (shears / shears[:, :1])
    alpha, beta = rayleigh_of(storeys, omega, damping)
    main, side = diagonals(beta[:, None] * k)
    ones, none = np.ones((count, storeys)), np.broadcast_to(0.0, (count, storeys))
    return ShearFrames(
        ones,
        k,
        main + alpha[:, None],
        side,
        none,
        none,
        limit,
        relaxation[:, None] * k,
        k * (hardening / (1 - hardening))[:, None],
        none,
        height[:, None] * ones,
        UNITS,
    )


def rayleigh_of(storeys: int, omega: Array, damping: Array) -> tuple[Array, Array]:
    """alpha and beta of C = alpha M + beta K."""
    if storeys == 1:
        return np.zeros_like(omega), 2 * damping / omega
    total = omega * (1 + _SECOND)
    return 2 * damping * omega * (_SECOND * omega) / total, 2 * damping / total


def single(shear_frames: ShearFrames, number: int) -> Model:
    """One of the buildings as a model of its own, for :func:`hamex.solve`."""
    rows = [getattr(shear_frames, name)[number] for name in ("yield_force", "viscosity", "kinematic", "isotropic")]
    side = shear_frames.damping_side[number, 1:]
    full = np.diag(shear_frames.damping_main[number]) + np.diag(side, 1) + np.diag(side, -1)
    laws = [Slider(*(float(value) for value in law)) for law in zip(*rows, strict=True)]
    return shear_frame(
        shear_frames.mass[number],
        shear_frames.stiffness[number],
        full,
        laws,
        heights=shear_frames.heights[number],
        units=shear_frames.units,
    )
