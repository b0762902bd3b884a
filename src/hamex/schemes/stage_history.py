"""What happens inside the steps of an element with several stages: dense output, and the energies of its quadrature.

The balance is that of the quadrature: with weights b and stage values V, F, g,

    Δ(kinetic + stored) + h Σ b VᵀCV + h Σ b Fᵀg + jumps = h Σ b fᵀV,

an identity for any law and step, in which F g splits into what hardening stores and what is dissipated. ``jumps`` is
the energy of the jumps at the start of the steps, (h²/2) Σ m_ij ⟨k_i, k_j⟩ with m_ij = b_i a_ij + b_j a_ji − b_i b_j
over the rates k of the state in the norm of the energy, hardening included; it vanishes for the continuous elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.algebra import rows
from hamex.model.record import Model, damps, parameter

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class StageHistory:
    """Stage values of a run.

    Attributes
    ----------
    nodes, matrix, weights : the element's table c, A, b on [0, 1].
    moved : (step, stage, dof), displacements at the stages relative to the start of the step.
    loads : (step, stage, channel); slip_rates, growth, force : (step, stage, spring), growth that of accumulated slip.
    continuous : False for elements with jumps, whose polynomial does not start at the old value.
    """

    nodes: Array
    matrix: Array
    weights: Array
    moved: Array
    loads: Array
    slip_rates: Array
    growth: Array
    force: Array
    continuous: bool

    def joined(self, parts: Sequence[StageHistory]) -> StageHistory:
        """Several marches in a row as one."""
        names = ("moved", "loads", "slip_rates", "growth", "force")
        whole: Any = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return replace(self, **whole)

    def displacement(self, u: Array) -> Array:
        """Displacements at the stages, (step, stage, dof)."""
        return u[:-1, None, :] + self.moved

    def velocity(self, h: float) -> Array:
        """Velocities at the stages, A⁻¹(U − u₀)/h, (step, stage, dof)."""
        return np.einsum("ij,rjk->rik", self.inverse, self.moved) / h

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


def spent_inside(model: Model, h: float, inside: StageHistory, patterns: Array, u: Array) -> Array:
    """(step, 4): energies that dashpots and dampers take, that slip takes beyond them (what hardening stores included),
    that the jumps lose, and that the load gives; ``u`` are the displacements at the nodes."""
    b, v = inside.weights, inside.velocity(h)
    flat = v.reshape(-1, v.shape[2])
    slipped = h * np.einsum("i,rij->rj", b, inside.force * inside.slip_rates)
    pushed = inside.loads @ patterns.T
    of_hardening = hardening_jumps(model, h, inside.matrix, b, inside.slip_rates, inside.growth)
    lost = jump_form(model, h, inside.matrix, b, v, pushed, inside.displacement(u), inside.force, inside.slip_rates)
    damper = damps(model)
    return np.stack(
        [
            h * model.damping_power(flat).reshape(v.shape[:2]) @ b + slipped[:, damper].sum(axis=1),
            slipped[:, ~damper].sum(axis=1) - of_hardening,
            lost + of_hardening,
            h * (pushed * v).sum(axis=2) @ b,
        ],
        axis=1,
    )


def jump_form(
    model: Model, h: float, a: Array, b: Array, v: Array, pushed: Array, stage: Array, force: Array, slip_rates: Array
) -> Array:
    """(h²/2) Σ m_ij ⟨k_i, k_j⟩ per step, k the rates of momentum, elastic deformation and displacement."""
    m = _jump_weights(a, b)
    if m is None:
        return np.zeros(len(v))
    flat = v.reshape(-1, v.shape[2])
    # By numbers, not by −1: a model without springs has no size to divide by.
    spring = rows(force.reshape(len(flat), force.shape[2]), model.compatibility.T).reshape(v.shape)
    damped = model.damping_force(flat).reshape(v.shape)
    beside = rows(stage.reshape(-1, stage.shape[2]), model.stiffness).reshape(v.shape)
    dp = pushed - damped - beside - spring
    de = model.deformation(flat).reshape(force.shape) - slip_rates
    lost = _form(m, dp, model.velocity(dp.reshape(flat.shape)).reshape(v.shape))
    lost += _form(m, de, model.elastic_force(de.reshape(len(flat), de.shape[2])).reshape(de.shape))
    lost += _form(m, v, rows(flat, model.stiffness).reshape(v.shape))
    return 0.5 * h**2 * lost


def hardening_jumps(model: Model, h: float, a: Array, b: Array, slip_rates: Array, growth: Array) -> Array:
    """The same for the energy that hardening stores, ½Hk[slip]² + ½Hi[w]² per step."""
    m = _jump_weights(a, b)
    if m is None:
        return np.zeros(len(slip_rates))
    held = _form(m, growth * parameter(model, "isotropic"), growth)
    for group in model.laws.values():
        own = slip_rates[..., group.springs]
        held += _form(m, group.law.back_force(group, own), own)
    return 0.5 * h**2 * held


def _jump_weights(a: Array, b: Array) -> Array | None:
    """m_ij, or None for the continuous elements, where it is round-off."""
    m = b[:, None] * a + (b[:, None] * a).T - np.outer(b, b)
    return None if np.abs(m).max() < 1e-13 else m


def _form(m: Array, x: Array, y: Array) -> Array:
    return np.einsum("ij,rik,rjk->r", m, x, y)
