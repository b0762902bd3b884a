"""Energy balance: an identity of the linear time element, for any law, damping and step.

``Δ(½pᵀM⁻¹p) + Δ(½uᵀKu) + Δ(½eᵀA⁻¹e) + ΔuᵀCΔu/h + FᵀΔu₁ = f*ᵀΔu``, where ``FᵀΔu₁`` splits into what
hardening stores and what slip dissipates. It checks the arithmetic; accuracy is another question, which only the
error estimate answers. Other schemes do not satisfy it, and their residual says by how much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class System:
    """The matrices and slider parameters that the balance needs, as plain arrays."""

    mass: Array
    damping: Array
    stiffness: Array
    flexibility: Array
    compatibility: Array
    yield_force: Array
    viscosity: Array
    kinematic: Array
    isotropic: Array


def balance(system: System, h: float, u: Array, p: Array, slip: Array, back_force: Array | None,
            accumulated: Array | None, load: Array) -> dict[str, Array]:
    """All entries of the balance; arrays are (nodes, dof), (nodes, spring) and, for the load, (steps, dof)."""
    du, dslip = np.diff(u, axis=0), np.abs(np.diff(slip, axis=0))
    e = u @ system.compatibility - slip
    kinetic = 0.5 * _quadratic(p, np.linalg.inv(system.mass))
    stored = 0.5 * (_quadratic(u, system.stiffness) + _quadratic(e, np.linalg.inv(system.flexibility)))
    viscous = _cumulative(_quadratic(du, system.damping) / h)
    # h(Fy|u̇₁| + η u̇₁²), spring by spring. A spring that never slips has |Δu₁| = 0 and perhaps Fy = ∞.
    resistance = np.where(np.isinf(system.yield_force), 0.0, system.yield_force) + system.viscosity * dslip / h
    plastic = _cumulative((dslip * resistance).sum(axis=1))
    hardening = _hardening(system, back_force, accumulated, len(u))
    work = _cumulative((load * du).sum(axis=1))
    total = kinetic + stored + viscous + plastic + hardening - work
    imbalance = total - total[0]
    largest = max(float(np.abs(x).max()) for x in (kinetic, stored, viscous, plastic, hardening, work))
    residual = float(np.abs(imbalance).max()) / largest if largest > 0 else 0.0
    return {"kinetic": kinetic, "stored": stored, "viscous": viscous, "plastic": plastic, "hardening": hardening,
            "input": work, "imbalance": imbalance, "residual": np.array(residual)}


def _hardening(system: System, back_force: Array | None, accumulated: Array | None, nodes: int) -> Array:
    energy = np.zeros(nodes)
    if back_force is not None:
        soft = np.divide(1.0, system.kinematic, out=np.zeros_like(system.kinematic), where=system.kinematic > 0)
        energy = energy + 0.5 * (back_force**2 * soft).sum(axis=1)
    if accumulated is not None:
        energy = energy + 0.5 * (accumulated**2 * system.isotropic).sum(axis=1)
    return energy


def _quadratic(x: Array, matrix: Array) -> Array:
    return np.asarray(((x @ matrix) * x).sum(axis=1))


def _cumulative(increments: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(increments)])
