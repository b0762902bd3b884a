"""The promise: the longest step at which every step of a scheme has exactly one solution.

Let V be the velocities at the stages of a step. Two solutions of one step differ by δV with δVᵀ P δV ≤ 0, where

    P(h)/h = G ⊗ M/h² + diag(c) ⊗ C/h + Σᵢ μᵢ eᵢeᵢᵀ ⊗ (K + B T(τᵢ) Bᵀ),        τᵢ = μᵢ h,

T(τ) the softest tangents that the springs can show after the time τ. So one solution is certain where P is positive
definite. For collocation with the matrix A and any positive diagonal D the stages are mixed by V with
``VᵀDV = 1``, ``Vᵀ sym(DA) V = diag(μ)``; then ``G = Vᵀ sym(DA⁻¹) V`` and c = 1. A scheme with one stage is the
special case of numbers. Every part but K falls with h and none is negative, so that the admissible steps are all those
below one limit.

What T may count: kinematic hardening and viscosity always; isotropic hardening with one stage only, because the limit
at one stage depends on the slip at the others through |g|, which adds nothing to the form (but takes nothing away
either, as long as no limit at a stage falls below zero).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError, SchemeError
from hamex.model.record import dense

Array = NDArray[Any]
CUT = 'take a shorter one, or let solve cut it: promise="cut"'
ZERO = 1e-13  # of a unit diagonal: what counts as no resistance
DENSE = 400  # rows up to which matrices are full
_CLOSE = 1e-10  # relative width at which the bisection of the limit ends
_SHORTEST = 1e-9  # of the step: a model that needs a shorter one is held by nothing

# D of the collocation methods, by stages: maximises the limit h√κ of a model without damping (own figures; a test
# finds them again). Any positive D gives a valid limit, so that its last digits matter to nobody.
GAUSS = {
    1: (1.0,),
    2: (1.0, 0.07179676972449),
    3: (1.0, 0.17648794637805, 0.01216718581379),
    4: (1.0, 0.28139183309296, 0.04657570222257, 0.00372888053536),
}
RADAU = {
    1: (1.0,),
    2: (1.0, 1 / 9),
    3: (1.0, 0.29076047814128, 0.03804362153708),
    4: (1.0, 0.67922144504248, 0.24324982087840, 0.03487397299464),
}
# hω up to which springs that are elastic but not linear (gaps) leave one solution, ω from the stiffest tangents.
ELASTIC_GAUSS = {1: math.inf, 2: math.inf, 3: math.sqrt(60.0), 4: 8.833677}
ELASTIC_RADAU = {1: math.inf, 2: math.inf, 3: 4.6302958, 4: 6.1777386}


@dataclass(frozen=True, eq=False)
class Form:
    """The numbers of P(h)/h for a scheme.

    Attributes
    ----------
    mass : G, (row, row), beside M/h².
    damping : c, (row,), beside C/h.
    stiffness : μ, (row,), beside K + B T Bᵀ.
    delay : τ/h of the springs in each row.
    isotropic : whether the springs may count isotropic hardening.
    elastic : limit of hω for springs that are elastic but not linear.
    """

    mass: Array
    damping: Array
    stiffness: Array
    delay: Array
    isotropic: bool
    elastic: float = math.inf


def one_stage(mass: float, damping: float, delay: float) -> Form:
    """A step with the matrix ``mass · M/h² + damping · C/h + K + B T(delay · h) Bᵀ``, times any number."""
    return Form(np.array([[mass]]), np.array([damping]), np.ones(1), np.array([delay]), True)


def collocation(A: Array, D: tuple[float, ...], elastic: float = math.inf) -> Form:
    """Collocation with the matrix A (stage, stage) and weights D of the stages."""
    root = 1 / np.sqrt(np.array(D))
    weighted = np.diag(D) @ A
    mu, turn = np.linalg.eigh(root[:, None] * (0.5 * (weighted + weighted.T)) * root)
    if mu[0] <= 0:
        raise SchemeError("collocation: sym(D A) must be positive definite")
    mix = root[:, None] * turn
    inverse = np.diag(D) @ np.linalg.inv(A)
    return Form(mix.T @ (0.5 * (inverse + inverse.T)) @ mix, np.ones(len(mu)), mu, mu, len(mu) == 1, elastic)


@dataclass(frozen=True, eq=False)
class Matrices:
    """What the promise has to know about a model. All matrices are plain arrays, or all of them sparse.

    Attributes
    ----------
    mass, damping, stiffness : M, C without its low-rank part, and K.
    shapes, weights : the low-rank part of C, (dof, shape) and (shape,).
    springs : (τ, isotropic) → B T Bᵀ with the softest tangents after τ (∞: slow loading), with isotropic hardening or
        without.
    elastic : () → B k Bᵀ, nothing slipping.
    dofs : names.
    curved : whether some spring is elastic but not linear.
    softens : whether some spring has a falling branch.
    hinge : dof that shows it → what a hinge of a member does that no step can hold, and what helps; None where it is
        none.
    """

    mass: Any
    damping: Any
    stiffness: Any
    shapes: Array
    weights: Array
    springs: Callable[[float, bool], Any]
    elastic: Callable[[], Any]
    dofs: tuple[str, ...]
    curved: bool = False
    softens: bool = False
    hinge: Callable[[int], tuple[str, str] | None] = lambda dof: None


def longest_step(form: Form, system: Matrices, near: float = 1.0) -> float:
    """Supremum of the admissible steps [s], ∞ where every step is; ``near`` is where the search starts [s].

    Raises ModelError, which names a dof, if no step is short enough.
    """
    curved = _elastic_limit(form, system)
    if _never_softens(system):
        return curved
    _refuse_curved(form, system, "elements of several stages")
    low = _admissible(form, system, near)
    if _only_stiffens(form, system):
        return curved
    high = 2 * low
    while weakest(form, system, high) is None:
        low, high = high, 2 * high
        if high > 1e12 * near:
            return curved
    return min(_bisected(form, system, low, high), curved)


def check(form: Form, system: Matrices, h: float, who: str) -> None:
    """Refuse a step h [s] beyond the promise, with the admissible length; or a model of which nothing holds a dof."""
    curved = _elastic_limit(form, system)
    if h >= curved:
        raise SchemeError(
            f"{who}: springs that are elastic but not linear have one solution in steps below "
            f"{curved:.6g} s, got {h:g} s; use at most two stages for longer ones"
        )
    if _never_softens(system):
        return
    _refuse_curved(form, system, who)
    if weakest(form, system, h) is None:
        return
    low = _admissible(form, system, h)
    limit = _bisected(form, system, low, min(2 * low, h))
    cause = "springs of this model that soften" if system.softens else "the negative stiffness of this model"
    raise SchemeError(f"{who}: with {cause} the step must be below {limit:.6g} s, got {h:g} s; {CUT}")


def weakest(form: Form, system: Matrices, h: float) -> int | None:
    """None if P(h) is positive definite, else the number of a dof that shows it is not."""
    return _weakest(_matrix(form, system, h), _low(form, system, h), form, system, -ZERO, h)


def rests_on_shapes(form: Form, system: Matrices, h: float) -> bool:
    """True where damping by shapes (modal damping) is what keeps the step's matrix positive definite.

    Its factors are then those of the whole: without it the rest has negative pivots, which would be told as a failure.
    """
    if not system.weights.size or _never_softens(system):
        return False
    alone = replace(system, shapes=system.shapes[:, :0], weights=system.weights[:0])
    return weakest(form, alone, h) is not None


def _never_softens(system: Matrices) -> bool:
    """True at first sight: no stiffness beside the springs, and a mass on every dof."""
    if system.softens or _entries(system.stiffness):
        return False
    diagonal = system.mass.diagonal()
    return bool(np.all(diagonal > 0)) and _entries(system.mass) == diagonal.size


def _entries(matrix: Any) -> int:
    """How many entries are not zero."""
    return int(np.count_nonzero(matrix if isinstance(matrix, np.ndarray) else matrix.data))


def _only_stiffens(form: Form, system: Matrices) -> bool:
    """True where no motion has negative stiffness; zero is enough, inertia holds what nothing else does."""
    return _weakest(_matrix(form, system, math.inf), None, form, system, ZERO) is None


def _admissible(form: Form, system: Matrices, h: float) -> float:
    """A step that is short enough: h, or h halved as often as needed."""
    low, weak = h, weakest(form, system, h)
    if weak is None:
        return h
    # Without negative stiffness a shorter step cannot help, unless by what rounding leaves of some damping.
    shortest = h if _only_stiffens(form, system) else _SHORTEST * h
    while weak is not None and low > shortest:
        low *= 0.5
        weak = weakest(form, system, low)
    if weak is not None and system.softens:
        if (hinge := system.hinge(weak)) is not None:
            raise ModelError(
                f"{hinge[0]}: no step is short enough to have one solution for certain. {hinge[1]}; "
                'promise="reported" goes on and tells from when on it is not certain'
            )
        raise ModelError(
            f"{system.dofs[weak]!r} has no mass, and its springs may soften more steeply than what is left there "
            "resists: no step is short enough to have one solution for certain. Give it mass, or its springs a flatter "
            'falling branch; promise="reported" goes on and tells from when on it is not certain'
        )
    if weak is not None:
        more = "" if form.isotropic else " (isotropic hardening does not count with several stages)"
        raise ModelError(
            f"nothing resists {system.dofs[weak]!r} once its springs slip: it has no mass, and its springs neither "
            f"viscosity nor hardening{more}. Give it mass, or a spring there viscosity, hardening or a higher "
            "yield force"
        )
    return low


def _bisected(form: Form, system: Matrices, low: float, high: float) -> float:
    while high - low > _CLOSE * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if weakest(form, system, middle) is None else (low, middle)
    return low


def _matrix(form: Form, system: Matrices, h: float) -> Any:
    """P(h)/h without the low-rank damping; at h = ∞ what stiffness alone makes of it."""
    blocks = [
        mu * (system.stiffness + system.springs(delay * h, form.isotropic))
        for mu, delay in zip(form.stiffness, form.delay, strict=True)
    ]
    if isinstance(system.stiffness, np.ndarray):
        n, whole = len(system.dofs), np.zeros((len(system.dofs) * len(blocks),) * 2)
        for i, block in enumerate(blocks):
            whole[i * n : (i + 1) * n, i * n : (i + 1) * n] = block
        return (
            whole
            if math.isinf(h)
            else (whole + np.kron(form.mass / h**2, system.mass) + np.kron(np.diag(form.damping / h), system.damping))
        )
    from scipy import sparse

    whole = sparse.block_diag(blocks, format="csr") if len(blocks) > 1 else sparse.csr_array(blocks[0])
    if math.isinf(h):
        return whole
    C = sparse.kron(sparse.diags_array(form.damping / h), system.damping)
    return sparse.csr_array(whole + sparse.kron(sparse.csr_array(form.mass / h**2), system.mass) + C)


def _low(form: Form, system: Matrices, h: float) -> tuple[Array, Array] | None:
    """Low-rank part of P(h)/h: shapes and weights."""
    if not system.weights.size:
        return None
    return np.kron(np.eye(len(form.damping)), system.shapes), np.kron(form.damping / h, system.weights)


def _weakest(
    matrix: Any, low: tuple[Array, Array] | None, form: Form, system: Matrices, shift: float, h: float = math.inf
) -> int | None:
    """None if the matrix, scaled to a unit diagonal and with ``shift`` added there, is positive definite."""
    dofs, rows = len(system.dofs), matrix.shape[0]
    scale = np.kron(form.stiffness, system.elastic().diagonal() + np.abs(system.stiffness.diagonal()))
    if not math.isinf(h):
        scale = (
            scale
            + np.kron(np.diag(form.mass) / h**2, system.mass.diagonal())
            + np.kron(form.damping / h, system.damping.diagonal())
        )
    if np.any(scale <= 0):
        if shift > 0:
            scale = np.where(scale > 0, scale, 1.0)
        else:
            return int(np.argmin(scale)) % dofs
    unit = 1 / np.sqrt(scale)
    if rows <= DENSE or isinstance(matrix, np.ndarray):
        full = unit[:, None] * dense(matrix) * unit
        if low is not None:
            shapes = unit[:, None] * low[0]
            full += (shapes * low[1]) @ shapes.T
        weak = weakest_dense(full, shift)
    else:
        from scipy import sparse

        scaling = sparse.diags_array(unit)
        weak = weakest_sparse(
            scaling @ matrix @ scaling, None if low is None else (unit[:, None] * low[0], low[1]), shift
        )
    return None if weak is None else weak % dofs


def _elastic_limit(form: Form, system: Matrices) -> float:
    """Longest step for springs that are elastic but not linear [s]."""
    if not system.curved or math.isinf(form.elastic):
        return math.inf
    return form.elastic / fastest(system.mass, system.elastic() + system.stiffness)


def _refuse_curved(form: Form, system: Matrices, who: str) -> None:
    """Several stages, springs that are elastic but not linear, and a stiffness that may turn negative: no certificate.

    Elastic springs are monotone in the displacements at the stages, sliders in the velocities; with K ≥ 0 both leave
    one solution, with K < 0 steps with two were found at two stages already.
    """
    if not system.curved or len(form.damping) == 1:
        return
    if _weakest(_matrix(form, system, math.inf), None, form, system, ZERO) is not None:
        raise SchemeError(
            f"{who}: springs that are elastic but not linear (gaps, hooks) beside a negative stiffness "
            "have one solution for certain with one stage only; use Galerkin(degree=1)"
        )


def weakest_dense(full: Array, shift: float) -> int | None:
    """None if a full matrix, with ``shift`` added to its diagonal, is positive definite; else a row that shows it."""
    try:
        np.linalg.cholesky(full + shift * np.eye(len(full)))
    except np.linalg.LinAlgError:
        # Only a model that is refused pays for the eigenvector that names the dof.
        return int(np.abs(np.linalg.eigh(full)[1][:, 0]).argmax())
    return None


def weakest_sparse(matrix: Any, low: tuple[Array, Array] | None, shift: float) -> int | None:
    """The same for a sparse matrix P + L diag(w) Lᵀ, with low = (L, w)."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    # Where zero does not count, a shift below what does keeps a row of zeros a small pivot with a place.
    scaled = sparse.csc_array(matrix + (shift if shift > 0 else 0.1 * ZERO) * sparse.eye_array(matrix.shape[0]))
    try:
        # Symmetric ordering and diagonal pivots: the pivots are those of L D Lᵀ, their signs the inertia.
        factors = splu(scaled, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:
        return 0
    pivots = factors.U.diagonal()
    worst = int(np.argmin(pivots))
    weak = pivots <= max(-shift, 0.0)
    if not weak.any():
        return None
    if low is not None and not np.any(np.abs(pivots) <= ZERO):
        # Haynsworth: P + L W Lᵀ has as many negative eigenvalues less than P as W⁻¹ + LᵀP⁻¹L has.
        shapes, weights = low[0][:, low[1] > 0], low[1][low[1] > 0]
        small = np.diag(1 / weights) + shapes.T @ factors.solve(shapes)
        if np.count_nonzero(np.linalg.eigvalsh(0.5 * (small + small.T)) < 0) == np.count_nonzero(weak):
            return None
    return int(np.flatnonzero(factors.perm_c == worst)[0])


def fastest(mass: Any, stiffness: Any) -> float:
    """Largest natural frequency [rad/s]; dofs without mass follow the others."""
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    from hamex.model.algebra import eigen

    if mass.shape[0] <= DENSE:
        return float(eigen(mass, stiffness)[0][-1])
    M, K = sparse.csc_array(mass), sparse.csc_array(stiffness)
    heavy = M.diagonal() > 0
    M, light = M[heavy][:, heavy], K[~heavy][:, ~heavy]
    across, own = K[~heavy][:, heavy], K[heavy][:, heavy]
    if heavy.all():
        follow = own
    else:
        factors = splu(sparse.csc_array(light))
        follow = LinearOperator(own.shape, lambda x: own @ x - across.T @ factors.solve(across @ x), dtype=float)
    start = np.random.default_rng(1).standard_normal(own.shape[0])
    return float(np.sqrt(eigsh(follow, 1, M, which="LM", v0=start, return_eigenvectors=False)[0]))
