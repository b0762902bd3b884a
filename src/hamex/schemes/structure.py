"""Prepare a structure: matrices of the step, springs by law, and the check that every step is convex.

One step of any scheme with one stage is ``S x + weight · B F(e₀ + reach · Bᵀx) = r`` with the springs' slip over the
time τ inside F; see :mod:`hamex.march.newton`. Here stand the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.record import Model, dense
from hamex.schemes._stepforms import linear_element as linear_element_form
from hamex.schemes.prepare import lift
from hamex.schemes.springs import Blocks

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class OneStage:
    """The equation of a step: S = matrix + low · diag(low_weight) · lowᵀ, its three numbers, and what displacement
    control holds (dof,), empty for none."""

    matrix: Any
    low: Array
    low_weight: Array
    weight: float
    reach: float
    tau: float
    pull: Array = field(default_factory=lambda: np.zeros(0))

    def gathered(self) -> OneStage:
        """The same with the low-rank part inside the matrix, which it fills."""
        full = dense(self.matrix) + (self.low * self.low_weight) @ self.low.T
        return replace(self, matrix=by_rows(full), low=self.low[:, :0], low_weight=self.low_weight[:0])


def galerkin_stage(model: Model, h: float) -> OneStage:
    """The linear time element, from the generated step form: rows "motion" and "spring" at the start of the step."""
    form = linear_element_form(h)
    damping = model.damping
    blocks = {"m": model.mass, "c": damping.matrix, "k": model.stiffness, "a": 1.0, "b": 1.0}
    start, spring = (lift(form[name], blocks) for name in ("motion_start", "spring_start"))
    half = form["motion_start"]["du"]["c"]
    return OneStage(
        by_rows(start["du"]),
        damping.shapes,
        half * damping.weights,
        weight=start["F"],
        reach=-spring["du"],
        tau=spring["g"],
    )


def nodal_stage(
    model: Model, h: float, beta: float, gamma: float, alpha_m: float = 0.0, alpha_f: float = 0.0
) -> OneStage:
    """Newmark's family: M/(βh²) + γC/(βh) + K, with the shares of the new node; springs returned at its end."""
    to_a, to_v, share = (1 - alpha_m) / (beta * h * h), (1 - alpha_f) * gamma / (beta * h), 1 - alpha_f
    damping = model.damping
    matrix = to_a * model.mass + to_v * damping.matrix + share * model.stiffness
    return OneStage(by_rows(matrix), damping.shapes, to_v * damping.weights, weight=share, reach=1.0, tau=h)


def static_stage(model: Model, blocks: Blocks, drag: float, pull: Array, penalty: float) -> OneStage:
    """Equilibrium, with a drag of that share of the elastic stiffness so that a mechanism still has one answer."""
    elastic = tangent_matrix(model, blocks, blocks.tangents) + by_rows(model.stiffness)
    matrix = by_rows(model.stiffness) + drag * elastic
    if len(pull):
        column = by_rows(pull[:, None])
        matrix = matrix + penalty * (column @ column.T)
    return OneStage(
        by_rows(matrix), np.zeros((len(model.dofs), 0)), np.zeros(0), weight=1.0, reach=1.0, tau=1.0, pull=pull
    )


def by_rows(matrix: Any) -> Any:
    """A plain or sparse matrix by rows."""
    from scipy import sparse

    return sparse.csr_array(matrix)


def tangent_matrix(model: Model, blocks: Blocks, T: Array) -> Any:
    """B T Bᵀ."""
    from scipy import sparse

    springs = len(model.springs)
    left, right, entry = blocks.pairs()
    b = by_rows(model.compatibility)
    return b @ sparse.csr_array((T[entry], (left, right)), shape=(springs, springs)) @ b.T
