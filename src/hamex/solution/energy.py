"""Energy balance: an identity of the linear time element, for any law, damping and step.

``Δ(½pᵀM⁻¹p) + Δ(½uᵀKu) + Δ(½eᵀA⁻¹e) + ΔuᵀCΔu/h + FᵀΔu₁ = f*ᵀΔu + Fᵀ Δ(imposed)``, where ``FᵀΔu₁`` splits into what
hardening stores and what slip dissipates. It checks the arithmetic; accuracy is another question, which only the
error estimate answers. Other schemes do not satisfy it, and their residual says by how much.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.solution.system import System, quadratic

Array = NDArray[Any]


def balance(system: System, h: float, u: Array, p: Array, slip: Array, force: Array, back_force: Array | None,
            accumulated: Array | None, work: Array, imposed: Array | None) -> dict[str, Array]:
    """All entries of the balance; arrays are (nodes, dof), (nodes, spring); force (steps, spring); ``work`` of the
    loads in each step (steps,); ``imposed`` deformation by moving supports (nodes, spring) or None."""
    du, dslip = np.diff(u, axis=0), np.diff(slip, axis=0)
    e = system.deformation(u) - slip
    if imposed is not None:
        e = e + imposed
        work = work + (force * np.diff(imposed, axis=0)).sum(axis=1)
    kinetic, stored = held(system, u, p, e)
    viscous = cumulative(system.damping_power(du) / h)
    hardening = stored_by_hardening(system, back_force, accumulated, len(u)).sum(axis=1)
    plastic = cumulative(slip_dissipation(system, h, force, dslip, back_force, accumulated).sum(axis=1))
    given = cumulative(work)
    return closed(kinetic, stored, viscous, plastic, hardening, np.zeros_like(given), given)


def closed(kinetic: Array, stored: Array, viscous: Array, plastic: Array, hardening: Array, jumps: Array,
           given: Array) -> dict[str, Array]:
    """The entries by name, with what is left over in time and its largest share of the largest entry."""
    imbalance = kinetic + stored + viscous + plastic + hardening + jumps - given
    imbalance = imbalance - imbalance[0]
    entries = (kinetic, stored, viscous, plastic, hardening, jumps, given)
    largest = max(float(np.abs(x).max()) for x in entries)
    residual = float(np.abs(imbalance).max()) / largest if largest > 0 else 0.0
    return {"kinetic": kinetic, "stored": stored, "viscous": viscous, "plastic": plastic, "hardening": hardening,
            "jumps": jumps, "input": given, "imbalance": imbalance, "residual": np.array(residual)}


def slip_dissipation(system: System, h: float, force: Array, dslip: Array, back_force: Array | None,
                     accumulated: Array | None) -> Array:
    """Energy that slip dissipates in each step, spring by spring, by the law of the spring.

    Sliders: h(Fy|u̇₁| + η u̇₁²); power laws: h c|u̇₁|^(1+α). Springs on a surface share their slip, so theirs is
    F Δu₁ less what hardening stores.
    """
    size = np.abs(dslip)
    # A spring that never slips has |Δu₁| = 0 and perhaps Fy = ∞.
    resistance = np.where(np.isinf(system.yield_force), 0.0, system.yield_force) + system.viscosity * size / h
    if np.any(system.coefficient > 0):
        resistance = resistance + system.coefficient * (size / h) ** np.where(
            system.coefficient > 0, system.exponent, 1.0)
    out = np.asarray(size * resistance)
    if np.any(system.blocked):
        on = system.blocked
        out[:, on] = (force * dslip)[:, on] - np.diff(stored_by_hardening(
            system, back_force, accumulated, len(dslip) + 1), axis=0)[:, on]
    return out


def held(system: System, u: Array, p: Array, e: Array) -> tuple[Array, Array]:
    """Kinetic and elastic energy at the nodes; e is the elastic deformation of the springs."""
    return (0.5 * (system.velocity(p) * p).sum(axis=1),
            0.5 * (quadratic(u, system.stiffness) + (system.force(e) * e).sum(axis=1)))


def stored_by_hardening(system: System, back_force: Array | None, accumulated: Array | None, nodes: int) -> Array:
    """Energy that hardening stores, (node, spring)."""
    energy = np.zeros((nodes, len(system.kinematic)))
    if back_force is not None:
        soft = np.divide(1.0, system.kinematic, out=np.zeros_like(system.kinematic), where=system.kinematic > 0)
        energy = energy + 0.5 * back_force**2 * soft
    if accumulated is not None:
        energy = energy + 0.5 * accumulated**2 * system.isotropic
    return energy


def cumulative(increments: Array) -> Array:
    """Sums from zero on, one entry more than the steps."""
    return np.concatenate([[0.0], np.cumsum(increments)])


def energy_entries(system: System, u: Array, p: Array, slip: Array, X: Array, w: Array,
                   spent: Array) -> dict[str, Array]:
    """All entries of the balance from node values and what was summed up inside the steps: ``spent`` is (node, 4),
    cumulative, for dashpots, slip, jumps and input."""
    hardening = stored_by_hardening(system, X, w, len(u)).sum(axis=1)
    kinetic, stored = held(system, u, p, system.deformation(u) - slip)
    viscous, slipped, jumps, work = spent.T.copy()
    return closed(kinetic, stored, viscous, slipped - (hardening - hardening[0]), hardening, jumps, work)
