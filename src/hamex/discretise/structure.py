"""Prepare a structure: matrices of the step, springs by law, and the check that every step is convex.

One step of any scheme with one stage is ``S x + weight · B F(e₀ + reach · Bᵀx) = r`` with the springs' slip over the
time τ inside F; see :mod:`hamex.march.newton`. Here stand the numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise._stepforms import linear_element as linear_element_form
from hamex.discretise.lift import lift
from hamex.discretise.springs import Blocks
from hamex.errors import ModelError, SchemeError
from hamex.model.record import Model

Array = NDArray[Any]
_ZERO = 1e-13     # of the elastic diagonal: what counts as no resistance


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


def galerkin_stage(model: Model, h: float) -> OneStage:
    """The linear time element, from the generated step form: rows "motion" and "spring" at the start of the step."""
    form = linear_element_form(h)
    damping = model.damping
    blocks = {"m": model.mass, "c": damping.matrix, "k": model.stiffness, "a": 1.0, "b": 1.0}
    start, spring = (lift(form[name], blocks) for name in ("motion_start", "spring_start"))
    half = form["motion_start"]["du"]["c"]
    return OneStage(_sparse(start["du"]), damping.shapes, half * damping.weights,
                    weight=start["F"], reach=-spring["du"], tau=spring["g"])


def nodal_stage(model: Model, h: float, beta: float, gamma: float, alpha_m: float = 0.0,
                alpha_f: float = 0.0) -> OneStage:
    """Newmark's family: M/(βh²) + γC/(βh) + K, with the shares of the new node; springs returned at its end."""
    to_a, to_v, share = (1 - alpha_m) / (beta * h * h), (1 - alpha_f) * gamma / (beta * h), 1 - alpha_f
    damping = model.damping
    matrix = to_a * model.mass + to_v * damping.matrix + share * model.stiffness
    return OneStage(_sparse(matrix), damping.shapes, to_v * damping.weights, weight=share, reach=1.0, tau=h)


def static_stage(model: Model, blocks: Blocks, drag: float, pull: Array, penalty: float) -> OneStage:
    """Equilibrium, with a drag of that share of the elastic stiffness so that a mechanism still has one answer."""
    elastic = tangent_matrix(model, blocks, blocks.tangents) + _sparse(model.stiffness)
    matrix = _sparse(model.stiffness) + drag * elastic
    if len(pull):
        column = _sparse(pull[:, None])
        matrix = matrix + penalty * (column @ column.T)
    return OneStage(_sparse(matrix), np.zeros((len(model.dofs), 0)), np.zeros(0), weight=1.0, reach=1.0, tau=1.0,
                    pull=pull)


def _sparse(matrix: Any) -> Any:
    from scipy import sparse

    return sparse.csr_array(matrix)


def softest(model: Model, blocks: Blocks, tau: float) -> Array:
    """Lower bound of the springs' tangents, everything slipping: in the layout of T."""
    return blocks.filled({kind: group.law.softest(group, blocks.by_group[kind], tau)
                          for kind, group in model.laws.items()}, model)


def tangent_matrix(model: Model, blocks: Blocks, T: Array) -> Any:
    """B T Bᵀ."""
    from scipy import sparse

    springs = len(model.springs)
    left, right, entry = blocks.pairs()
    b = _sparse(model.compatibility)
    return b @ sparse.csr_array((T[entry], (left, right)), shape=(springs, springs)) @ b.T


def check_convex(model: Model, blocks: Blocks, stage: Callable[[float], OneStage], h: float, who: str) -> None:
    """Refuse a step at which the potential is not strictly convex, and name the admissible one."""
    if _weakest(model, blocks, stage(h)) is None:
        return
    low = h
    while low > 1e-9 * h and _weakest(model, blocks, stage(low)) is not None:
        low *= 0.5
    weak = _weakest(model, blocks, stage(low))
    if weak is not None:
        raise ModelError(
            f"nothing resists {model.dofs[weak]!r} once its springs slip: it has no mass, and its springs neither "
            "viscosity nor hardening. Give it mass, or a spring there viscosity, hardening or a higher yield force")
    high = min(2 * low, h)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _weakest(model, blocks, stage(middle)) is None else (low, middle)
    raise SchemeError(f"{who}: with the negative stiffness of this model the step must be below {low:.6g} s, "
                      f"got {h:g} s")


def _weakest(model: Model, blocks: Blocks, stage: OneStage) -> int | None:
    """None if S + weight·reach · B T Bᵀ is positive definite in the softest state; else a dof that shows it is not."""
    factor = stage.weight * stage.reach
    matrix = stage.matrix + factor * tangent_matrix(model, blocks, softest(model, blocks, stage.tau))
    size = matrix.shape[0]
    stiff = tangent_matrix(model, blocks, blocks.tangents)
    scale = np.abs(stage.matrix.diagonal()) + factor * stiff.diagonal()
    if np.any(scale <= 0):
        return int(np.argmin(scale))
    unit = 1 / np.sqrt(scale)
    if size <= 400:
        full = unit[:, None] * matrix.toarray() * unit
        try:
            np.linalg.cholesky(full - _ZERO * np.eye(size))
        except np.linalg.LinAlgError:
            # Only a model that is refused pays for the eigenvector that names the dof.
            return int(np.abs(np.linalg.eigh(full)[1][:, 0]).argmax())
        return None
    return _weakest_pivot(matrix, unit)


def _weakest_pivot(matrix: Any, unit: Array) -> int | None:
    from scipy import sparse
    from scipy.sparse.linalg import splu

    scaling = sparse.diags_array(unit)
    # A shift below what counts as zero, so that a row of zeros is a small pivot with a place and not a failure.
    scaled = sparse.csc_array(scaling @ matrix @ scaling + 1e-14 * sparse.eye_array(matrix.shape[0]))
    try:
        # Symmetric ordering and diagonal pivots: the pivots are those of L D Lᵀ, their signs the inertia.
        factors = splu(scaled, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:
        return 0
    pivots = factors.U.diagonal()
    worst = int(np.argmin(pivots))
    return None if pivots[worst] > _ZERO else int(np.flatnonzero(factors.perm_c == worst)[0])
