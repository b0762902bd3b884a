"""Overshoot: how far a motion much faster than the step leaves its bounds in the first steps.

Hilber & Hughes (1978): spectral radii say nothing about it; started with u₀ or v₀, the first steps can be far too large
although the motion decays later. Undamped oscillator, h/T = 10, maxima over the first steps relative to the exact
ones, 1 at best: u/u₀ and u̇/(ωu₀) from a displacement, ωu/v₀ and u̇/v₀ from a velocity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.schemes import Scheme
from hamex.study.lab.marching import oscillator_history
from hamex.study.lab.spectrum import radius

Array = NDArray[Any]
STEPS_PER_PERIOD = 0.1      # h/T = 10
STEPS = 20


@dataclass(frozen=True)
class Overshoot:
    """Largest |u| and |u̇| over the first steps, relative to the exact ones; histories (steps + 1, 2) of both."""

    from_displacement: tuple[float, float]
    from_velocity: tuple[float, float]
    displaced: Array
    kicked: Array


def overshoot(scheme: Scheme) -> Overshoot | None:
    """Both starts; None for a scheme that is unstable at this step."""
    step = 1 / STEPS_PER_PERIOD
    omega = 2 * np.pi
    if radius(scheme, omega * step)[0] > 1 + 1e-7:
        return None
    load = np.zeros((STEPS, len(scheme.linear(1.0).nodes)))
    displaced = oscillator_history(scheme, omega, 0.0, step, load, u=1.0) / [1.0, omega]
    kicked = oscillator_history(scheme, omega, 0.0, step, load, v=omega) / [1.0, omega]
    (u_u, v_u), (u_v, v_v) = (np.abs(history).max(axis=0).tolist() for history in (displaced, kicked))
    return Overshoot((u_u, v_u), (u_v, v_v), displaced, kicked)
