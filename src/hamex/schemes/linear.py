"""One step of a scheme on the linear oscillator, as a matrix; no units: only Ω = ωh and ζ enter.

The state is x = (u, h u̇), or (u, h u̇, h² ü) for schemes that carry their acceleration; the load is q = h² f/m at the
load nodes of the step, and one step is x ← G x + H q.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class LinearMap:
    """G (…, n, n) and H (…, n, k) for arrays of Ω; ``nodes`` (k,) are the load nodes as fractions of the step."""

    matrix: Array
    loading: Array
    nodes: Array

    @property
    def size(self) -> int:
        """Numbers in the state: 2, or 3 with the acceleration."""
        return int(self.matrix.shape[-1])


def start(
    size: int, Omega: Array | float, zeta: float, u: Array | float, hv: Array | float, q: Array | float = 0.0
) -> Array:
    """The state (…, size) of a displacement and h times a velocity; the acceleration, where carried, balances q."""
    acceleration = q - 2 * zeta * Omega * hv - np.square(Omega) * u
    return np.stack(np.broadcast_arrays(u, hv, acceleration)[:size], axis=-1).astype(float)


def alpha_map(
    Omega: Array | float, zeta: float, alpha_m: float, alpha_f: float, beta: float, gamma: float
) -> LinearMap:
    """Generalised-α: rows of u, of h u̇ and of the weighted balance."""
    Omega = np.asarray(Omega, dtype=float)
    ahead, behind = np.zeros((*Omega.shape, 3, 3)), np.zeros((*Omega.shape, 3, 3))
    damping, stiffness = 2 * zeta * Omega, Omega**2
    ahead[..., 0, :], behind[..., 0, :] = [1, 0, -beta], [1, 1, 0.5 - beta]
    ahead[..., 1, :], behind[..., 1, :] = [0, 1, -gamma], [0, 1, 1 - gamma]
    for rows, inertia, weight in ((ahead, 1 - alpha_m, 1 - alpha_f), (behind, -alpha_m, -alpha_f)):
        rows[..., 2, 0], rows[..., 2, 1], rows[..., 2, 2] = weight * stiffness, weight * damping, inertia
    load = np.zeros((*Omega.shape, 3, 2))
    load[..., 2, :] = [alpha_f, 1 - alpha_f]
    return LinearMap(np.linalg.solve(ahead, behind), np.linalg.solve(ahead, load), np.array([0.0, 1.0]))


def collocation_map(Omega: Array | float, zeta: float, theta: float, beta: float, gamma: float) -> LinearMap:
    """Wilson-θ and its kin: the balance stands at t + θh, the load carried on linearly."""
    Omega = np.asarray(Omega, dtype=float)
    ahead, behind = np.zeros((*Omega.shape, 3, 3)), np.zeros((*Omega.shape, 3, 3))
    damping, stiffness = 2 * zeta * Omega, Omega**2
    ahead[..., 0, :], behind[..., 0, :] = [1, 0, -beta], [1, 1, 0.5 - beta]
    ahead[..., 1, :], behind[..., 1, :] = [0, 1, -gamma], [0, 1, 1 - gamma]
    # A(t + θh) = (1 − θ) A₀ + θ A₁ inside Newmark's formulas over θh.
    ahead[..., 2, 2] = theta * (1 + damping * theta * gamma + stiffness * theta**2 * beta)
    of_velocity, of_displacement = 1 - gamma + gamma * (1 - theta), 0.5 - beta + beta * (1 - theta)
    behind[..., 2, 0] = -stiffness
    behind[..., 2, 1] = -damping - stiffness * theta
    behind[..., 2, 2] = theta - 1 - damping * theta * of_velocity - stiffness * theta**2 * of_displacement
    load = np.zeros((*Omega.shape, 3, 2))
    load[..., 2, :] = [1 - theta, theta]
    return LinearMap(np.linalg.solve(ahead, behind), np.linalg.solve(ahead, load), np.array([0.0, 1.0]))


def table_map(Omega: Array | float, zeta: float, A: Array, b: Array, c: Array) -> LinearMap:
    """Any Runge-Kutta table: all stages in one linear solve."""
    Omega = np.asarray(Omega, dtype=float)
    stages = len(c)
    system = np.zeros((*Omega.shape, 2, 2))
    system[..., 0, 1], system[..., 1, 0], system[..., 1, 1] = 1, -(Omega**2), -2 * zeta * Omega
    coupled = np.eye(2 * stages) - np.einsum("ij,...kl->...ikjl", A, system).reshape(*Omega.shape, 2 * stages, -1)
    push = np.zeros((stages, 2, stages))
    push[:, 1, :] = A
    known = np.concatenate([np.tile(np.eye(2), (stages, 1)), push.reshape(2 * stages, stages)], axis=1)
    stage = np.linalg.solve(coupled, np.broadcast_to(known, (*Omega.shape, *known.shape)))
    stage = stage.reshape(*Omega.shape, stages, 2, 2 + stages)
    slope = system[..., None, :, :] @ stage
    slope[..., 1, 2:] += np.eye(stages)
    change = np.einsum("i,...ijk->...jk", b, slope)
    return LinearMap(np.eye(2) + change[..., :2], change[..., 2:], np.asarray(c, dtype=float))
