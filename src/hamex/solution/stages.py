"""What happens inside the steps of an element with several stages: dense output and the energy balance.

The balance is that of the quadrature: with weights b and stage values V, F, g,

    Δ(kinetic + stored) + h Σ b VᵀCV + h Σ b Fᵀg + jumps = h Σ b fᵀV,

an identity for any law and step, in which F g splits into what hardening stores and what is dissipated. ``jumps`` is
the energy of the jumps at the start of the steps, (h²/2) Σ m_ij ⟨k_i, k_j⟩ with m_ij = b_i a_ij + b_j a_ji − b_i b_j
over the rates k of the state in the norm of the energy, hardening included; it vanishes for the continuous elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.algebra import rows
from hamex.model.per_spring import damps, parameter
from hamex.model.record import Model
from hamex.solution.energy import closed, cumulative, kinetic, outside, split

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class StageHistory:
    """Stage values of a run.

    Attributes
    ----------
    nodes, matrix, weights : the element's table c, A, b on [0, 1].
    place, place_slip : maps from (u, p, slip, loads) and slip rates to stage displacements relative to the start.
    loads : (step, stage, channel); slip_rates, force : (step, stage, spring).
    continuous : False for elements with jumps, whose polynomial does not start at the old value.
    """

    nodes: Array
    matrix: Array
    weights: Array
    place: Array
    place_slip: Array
    loads: Array
    slip_rates: Array
    force: Array
    continuous: bool

    def displacement(self, u: Array, p: Array, slip: Array) -> Array:
        """Displacements at the stages, (step, stage, dof)."""
        steps, dofs = len(u) - 1, u.shape[1]
        inputs = np.hstack([u[:-1], p[:-1], slip[:-1], self.loads.reshape(steps, -1)])
        moved = inputs @ self.place.T + self.slip_rates.reshape(steps, -1) @ self.place_slip.T
        return u[:-1, None, :] + moved.reshape(steps, len(self.nodes), dofs)

    def rates(self, stage: Array, start: Array, h: float) -> Array:
        """Rates at the stages from stage values and the value at the start: A⁻¹(U − u₀)/h."""
        return np.einsum("ij,rjk->rik", self.inverse, stage - start[:-1, None, :]) / h

    @cached_property
    def inverse(self) -> Array:
        """A⁻¹."""
        return np.asarray(np.linalg.inv(self.matrix))

    def inside(self, u: Array, stage: Array, at: Array) -> Array:
        """Values at the places ``at`` on [0, 1] inside every step, (step, place, dof)."""
        known = np.concatenate([[0.0], self.nodes]) if self.continuous else self.nodes
        values = np.concatenate([u[:-1, None, :], stage], axis=1) if self.continuous else stage
        shapes = np.array([[np.prod([(x - b) / (a - b) for b in known if b != a]) for a in known] for x in at])
        return np.einsum("ij,rjk->rik", shapes, values)

    def largest(self, u: Array, stage: Array) -> tuple[float, float, int]:
        """Largest absolute value inside the steps: value, place in steps, and column.

        Nine places a step find the step; the extremes of its polynomial are the roots of a small derivative.
        """
        at = np.linspace(0.0, 1.0, 9)
        size = np.abs(self.inside(u, stage, at))
        r, _, column = (int(i) for i in np.unravel_index(int(size.argmax()), size.shape))
        best, where = float(size[r, :, column].max()), r + float(at[int(size[r, :, column].argmax())])
        known = np.concatenate([[0.0], self.nodes]) if self.continuous else self.nodes
        values = stage[r, :, column] if not self.continuous else np.concatenate([u[r, [column]], stage[r, :, column]])
        curve = np.polynomial.Polynomial.fit(known, values, len(known) - 1)
        for root in np.atleast_1d(curve.deriv().roots()):
            if abs(root.imag) < 1e-9 and 0 <= root.real <= 1 and abs(curve(root.real)) > best:
                best, where = float(abs(curve(root.real))), r + float(root.real)
        return best, where, column


def stage_balance(model: Model, h: float, inside: StageHistory, patterns: Array,
                  nodes: Mapping[str, Array], spent: Mapping[str, float] | None = None) -> dict[str, Array]:
    """All entries of the balance, like those of :mod:`hamex.solution.energy`, with ``jumps`` beside them.

    Springs without flow (elastic laws) give back what they store at the nodes; the quadrature of their work is not
    exact, and the imbalance says by how much.
    """
    b, u, before = inside.weights, nodes["displacement"], spent or {}
    held = split(model, h, model.deformation(u), np.einsum("i,rij->rj", b, inside.force), nodes)
    stage = inside.displacement(u, nodes["momentum"], nodes["slip"])
    v = inside.rates(stage, u, h)
    flat = v.reshape(-1, v.shape[2])
    slipped = h * np.einsum("i,rij->rj", b, inside.force * inside.slip_rates)
    pushed = inside.loads @ patterns.T
    work = cumulative(h * (pushed * v).sum(axis=2) @ b, before.get("input", 0.0))
    of_hardening = hardening_jumps(model, h, inside.matrix, b, inside.slip_rates)
    damper = damps(model)
    viscous = cumulative(h * model.damping_power(flat).reshape(v.shape[:2]) @ b + slipped[:, damper].sum(axis=1),
                         before.get("viscous", 0.0))
    hardening = held.hardening.sum(axis=1)
    plastic = cumulative(slipped[:, ~damper].sum(axis=1) - np.diff(hardening) - of_hardening,
                         before.get("plastic", 0.0))
    lost = jump_form(model, h, inside.matrix, b, v, pushed, stage, inside.force, inside.slip_rates)
    return closed(kinetic(model, nodes["momentum"]), outside(model, u) + held.stored.sum(axis=1), viscous, plastic,
                  hardening, cumulative(lost + of_hardening, before.get("jumps", 0.0)), work)


def jump_form(model: Model, h: float, a: Array, b: Array, v: Array, pushed: Array, stage: Array, force: Array,
              slip_rates: Array) -> Array:
    """(h²/2) Σ m_ij ⟨k_i, k_j⟩ per step, k the rates of momentum, elastic deformation and displacement."""
    m = _jump_weights(a, b)
    if m is None:
        return np.zeros(len(v))
    spring = rows(force.reshape(-1, force.shape[2]), model.compatibility.T).reshape(v.shape)
    flat = v.reshape(-1, v.shape[2])
    damped = model.damping_force(flat).reshape(v.shape)
    beside = rows(stage.reshape(-1, stage.shape[2]), model.stiffness).reshape(v.shape)
    dp = pushed - damped - beside - spring
    de = model.deformation(flat).reshape(force.shape) - slip_rates
    lost = _form(m, dp, model.velocity(dp.reshape(flat.shape)).reshape(v.shape))
    lost += _form(m, de, model.elastic_force(de.reshape(-1, de.shape[2])).reshape(de.shape))
    lost += _form(m, v, rows(flat, model.stiffness).reshape(v.shape))
    return 0.5 * h**2 * lost


def hardening_jumps(model: Model, h: float, a: Array, b: Array, slip_rates: Array) -> Array:
    """The same for the energy that hardening stores, ½Hk[slip]² + ½Hi[w]² per step."""
    m = _jump_weights(a, b)
    if m is None:
        return np.zeros(len(slip_rates))
    size = np.abs(slip_rates)
    held = _form(m, slip_rates * parameter(model, "kinematic"), slip_rates)
    held += _form(m, size * parameter(model, "isotropic"), size)
    return 0.5 * h**2 * held


def _jump_weights(a: Array, b: Array) -> Array | None:
    """m_ij, or None for the continuous elements, where it is round-off."""
    m = b[:, None] * a + (b[:, None] * a).T - np.outer(b, b)
    return None if np.abs(m).max() < 1e-13 else m


def _form(m: Array, x: Array, y: Array) -> Array:
    return np.einsum("ij,rik,rjk->r", m, x, y)
