"""What a scheme makes of modes that are faster than its step, in two structures marched mode by mode.

A stiff spring before a soft one, moved at its end: the model problem of Bathe & Noh (2012). Masses m₂ = m₃ = 1, springs
k₁ = 10⁷ (stiff) and k₂ = 1, and a support that moves by u₁ = sin 1.2t. The stiff motion has a period of 0.002 s, the
step is 0.2618 s: what a good scheme computes is the slow motion, with the stiff part following its force. That is also
the reference here: the soft mode exactly, the stiff one statically.

A step load at the end of an elastic bar: how much the front rings. Length 1, wave speed 1, stiffness EA = 1: a row of
masses, fixed at x = 0, pulled by a unit force at x = 1 from t = 0. The exact force at mid-length is 0 before the front
(t = 0.5), 1 behind it and 2 after its reflection (t = 1.5).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.lab.free_vibration import at_nodes, spectral_radius
from hamex.schemes import Scheme
from hamex.schemes.linear import start

Array = NDArray[Any]
STIFF, SOFT, FORCING = 1e7, 1.0, 1.2
STIFF_SOFT_STEP = 0.2618  # s, a twentieth of the period of the support
STIFF_SOFT_STEPS = 76  # about 20 s
SETTLED = 10  # steps after which a scheme should have forgotten the start
BAR_MASSES = 100
BAR_DURATION = 2.0
COURANT = (0.5, 1.0, 2.0)  # h c/Δx


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
    omega, shapes, push = _stiff_soft_modes()
    u, v = modal_history(scheme, omega, shapes, push, lambda t: np.sin(FORCING * t), STIFF_SOFT_STEP, STIFF_SOFT_STEPS)
    time = np.arange(STIFF_SOFT_STEPS + 1) * STIFF_SOFT_STEP
    exact_u, exact_v = stiff_soft_reference(time)
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


def stiff_soft_reference(time: Array) -> tuple[Array, Array]:
    """Displacements and velocities (n, 2): the soft mode from rest, the stiff one at its static value."""
    omega, shapes, push = _stiff_soft_modes()
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
def _stiff_soft_modes() -> tuple[Array, Array, Array]:
    """Frequencies, shapes with unit modal mass, and the force for a unit displacement of the support."""
    values, shapes = np.linalg.eigh([[STIFF + SOFT, -SOFT], [-SOFT, SOFT]])
    values[0] = (STIFF * SOFT) / values[1]  # the product is the determinant: no cancellation
    return np.sqrt(values), shapes, np.array([STIFF, 0.0])


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
    omega, shapes, push = _bar_modes()
    step = courant / BAR_MASSES
    steps = round(BAR_DURATION / step)
    if spectral_radius(scheme, omega * step).max() > 1 + 1e-7:
        return None
    u, _ = modal_history(scheme, omega, shapes, push, np.ones_like, step, steps)
    middle = BAR_MASSES // 2
    force = 0.5 * (u[:, middle] - u[:, middle - 2]) * BAR_MASSES  # at the mass, from the springs on both sides
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


def exact_front(time: Array) -> Array:
    """Force at mid-length of the continuous bar."""
    return np.where(time < 0.5, 0.0, np.where(time < 1.5, 1.0, 2.0))


@cache
def _bar_modes() -> tuple[Array, Array, Array]:
    """Frequencies, shapes of unit modal mass (mass i at (i + 1)Δx, half a mass at the end), and the pull."""
    size = 1 / BAR_MASSES
    mass = np.full(BAR_MASSES, size)
    mass[-1] /= 2
    stiffness = (np.diag([2.0] * (BAR_MASSES - 1) + [1.0]) - np.eye(BAR_MASSES, k=1) - np.eye(BAR_MASSES, k=-1)) / size
    root = 1 / np.sqrt(mass)
    values, vectors = np.linalg.eigh(root[:, None] * stiffness * root)
    push = np.zeros(BAR_MASSES)
    push[-1] = 1.0
    return np.sqrt(values), root[:, None] * vectors, push


def modal_history(
    scheme: Scheme, omega: Array, shapes: Array, push: Array, load: Callable[[Array], Array], step: float, steps: int
) -> tuple[Array, Array]:
    """Displacements and velocities (steps + 1, dof) of an undamped structure from rest, mode by mode.

    ``shapes`` (dof, mode) are normalised to unit modal mass, ``push`` (dof,) is the force for a unit of ``load``.
    """
    Omega = omega * step
    one = scheme.linear(Omega)
    q = step**2 * (shapes.T @ push)
    values = at_nodes(load, one.nodes, step, steps)
    first = float(load(np.zeros(1))[0])
    x = np.empty((steps + 1, len(omega), one.size))
    x[0] = start(one.size, Omega, 0.0, 0.0, 0.0, q * first)
    kicks = np.einsum("mik,m,rk->rmi", one.loading, q, values)
    with np.errstate(over="ignore", invalid="ignore"):  # unstable schemes run away; the caller looks
        for r in range(steps):
            x[r + 1] = (one.matrix @ x[r, :, :, None])[:, :, 0] + kicks[r]
        return x[:, :, 0] @ shapes.T, x[:, :, 1] @ shapes.T / step
