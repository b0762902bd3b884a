"""Steps that are known beforehand: the promise for models and schemes (which form a scheme has, what springs can lose),
and the longest stable step of the leap-frog.

For the leap-frog ``4M − 2(1 + 2·ahead) h C − h² K`` is to be positive definite (see :mod:`hamex.march.leapfrog`), with
K at the largest tangents of the springs: yielding only softens. With s = 2/h that is ``s² ≥ λ(s)``, the largest
eigenvalue of ``M⁻¹(K + (1 + 2·ahead) s C)``. Small models have it to round-off. Large ones cost some tens of products:
a Ritz value of Lanczos' method, which comes from below, plus its residual; that is above the highest eigenvalue as
soon as the start, which is random, has grown into its direction.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hamex.model.layout import hinge_of
from hamex.model.record import Model, dense
from hamex.schemes import promise
from hamex.schemes.prepare import between_springs, by_rows, tangent_matrix
from hamex.schemes.solvers import is_certain
from hamex.schemes.springs import Blocks, spring_blocks


class Promising(Protocol):
    """A scheme whose steps are solved for."""

    @property
    def step(self) -> float:
        """Length of a step [s]."""

    @property
    def label(self) -> str:
        """Name in messages."""

    def form(self) -> promise.Form:
        """The numbers of its steps."""


_FULL = 80  # dofs up to which plain arrays are quicker than sparse ones, set-up included


def matrices(model: Model) -> promise.Matrices:
    """What the promise has to know about a model."""
    blocks, damping = spring_blocks(model), model.damping
    as_needed = dense if len(model.dofs) <= _FULL else by_rows

    def softest(tau: float, isotropic: bool) -> Any:
        by_group = {
            kind: group.law.softest(group, blocks.by_group[kind], tau, isotropic) for kind, group in model.laws.items()
        }
        return blocks.filled(by_group, model)

    def springs(tau: float, isotropic: bool) -> Any:
        return tangents(softest(tau, isotropic))

    @cache
    def elastic() -> Any:
        stiffest = {kind: group.law.stiffest(group, blocks.by_group[kind]) for kind, group in model.laws.items()}
        return tangents(blocks.filled(stiffest, model))

    def tangents(T: Any) -> Any:
        return full_tangents(model, blocks, T) if as_needed is dense else tangent_matrix(model, blocks, T)

    return promise.Matrices(
        as_needed(model.mass),
        as_needed(damping.matrix),
        as_needed(model.stiffness),
        damping.shapes,
        damping.weights,
        springs,
        elastic,
        model.dofs,
        curved=any(group.law.form == "elastic" for group in model.laws.values()),
        softens=any(group.law.softens for group in model.laws.values()),
        hinge=lambda dof: _hinge(model, blocks, softest(math.inf, True), dof),
    )


def _hinge(model: Model, blocks: Blocks, T: Any, dof: int) -> tuple[str, str] | None:
    """The worst hinge in series with its member that softens by more than its member, unloading, gives way: nothing
    else holds its rotation, so that neither mass nor a short step can help. Else the one whose rotation is the dof,
    with its joint. ``T`` are the softest tangents."""
    from scipy.linalg import eigh

    turns = np.flatnonzero(model.hinge_dofs)
    if not turns.size:
        return None
    left = dense(by_rows(tangent_matrix(model, blocks, T))[turns][:, turns])
    places = {name: spring for spring, name in enumerate(model.springs)}
    members = [model.dofs[turn].rpartition(".r") for turn in turns]
    hinges = [places.get(f"{name}.M{end}", places.get(f"{name}.Mz{end}", 0)) for name, _, end in members]
    falls = np.maximum(-T[hinges], 0.0)
    share, shape = eigh(np.diag(falls), left + np.diag(falls), subset_by_index=[len(turns) - 1] * 2)
    if share[0] < 1:
        if not model.hinge_dofs[dof]:
            return None
        return (
            f"the {hinge_of(model.dofs[dof])} and those around its joint may soften more steeply than what is left "
            "there resists",
            "Give the joint rotary mass, or its hinges a flatter falling branch",
        )
    worst = int((falls * np.abs(shape[:, 0])).argmax())
    both = " with the hinge at its other end" if np.count_nonzero(shape[:, 0] * falls * left[worst]) > 1 else ""
    return (
        f"the {hinge_of(model.dofs[turns[worst]])} softens by up to {falls[worst]:.6g}{both}, while its member unloads "
        f"with {falls[worst] / share[0]:.6g}, and may snap back",
        "Give it a flatter falling branch, or a shorter member",
    )


def full_tangents(model: Model, blocks: Blocks, T: Any) -> Any:
    """B T Bᵀ as a plain array."""
    left, right, entry = blocks.pairs()
    between = np.zeros((len(model.springs),) * 2)
    between[left, right] = T[entry]
    b = dense(model.compatibility)
    return b @ between @ b.T


def admissible(model: Model, scheme: Promising) -> float:
    """Longest step [s] at which every step of the scheme has one solution, whatever the load; ∞ if all have."""
    if _by_construction(model):
        return math.inf
    return promise.longest_step(scheme.form(), matrices(model), scheme.step)


def check_promise(model: Model, scheme: Promising) -> None:
    """Refuse a step beyond that length, and a model of which nothing holds a dof."""
    if not _by_construction(model):
        promise.check(scheme.form(), matrices(model), scheme.step, scheme.label)


def _by_construction(model: Model) -> bool:
    """True for bodies of laws that flow, whose stiffness cannot turn negative: no matrix of theirs need be factored."""
    return is_certain(model) and not any(group.law.form == "elastic" for group in model.laws.values())


Array = NDArray[Any]
Largest = Callable[[float], float]  # s → largest eigenvalue of M⁻¹(K + (1 + 2·ahead) s C), or what is above it
DENSE = 400  # dofs up to which all is done with plain arrays
_LEFT = 2e-3  # of the Ritz value: a residual below it costs a thousandth of the step
_LEAST, _MOST = 40, 120  # products of one Lanczos run; the first let a motion of one element alone grow out of the rest
_LOOK = 5  # products between two looks at it
_TURNS = 60


def longest(largest: Largest, damping: float, tolerance: float = 1e-13) -> float:
    """2/s for the largest s with s² = λ(s), from above: what ends early is on the safe side.

    ``damping`` is the largest eigenvalue of (1 + 2·ahead) M⁻¹C; λ(s) is convex and grows by no more than that.
    """
    stiff = max(largest(0.0), 0.0)
    s = 0.5 * (damping + math.sqrt(damping * damping + 4.0 * stiff))
    for _ in range(_TURNS if damping > 0.0 else 0):
        below = math.sqrt(max(largest(s), 0.0))
        if below >= (1.0 - tolerance) * s:
            break
        s = below
    return 2.0 / s if s > 0.0 else math.inf


def longest_on(model: Model, blocks: Blocks, damping: Any, ahead: float) -> float:
    """Longest stable step of a model with lumped masses [s]; ``damping`` is C without the dashpots of one node."""
    root, seen = 1 / np.sqrt(model.mass.diagonal()), 1.0 + 2.0 * ahead
    stiffest = {kind: group.law.stiffest(group, blocks.by_group[kind]) for kind, group in model.laws.items()}
    T = blocks.filled(stiffest, model)
    low, weights = model.damping.shapes, model.damping.weights
    damps = damping.nnz > 0 or weights.size > 0
    if len(model.dofs) <= DENSE:
        K = root[:, None] * (dense(model.stiffness) + dense(tangent_matrix(model, blocks, T))) * root
        C = seen * root[:, None] * (dense(damping) + (low * weights) @ low.T) * root
        return longest(lambda s: _top(K + s * C), _top(C) if damps else 0.0)

    outside, B, springs = by_rows(model.stiffness), by_rows(model.compatibility), between_springs(blocks, T)

    def stiff(x: Array) -> Array:
        return np.asarray(outside @ x + B @ (springs @ (B.T @ x)) if len(T) else outside @ x)

    def damped(x: Array) -> Array:
        return np.asarray(seen * (damping @ x + low @ (weights * (low.T @ x))))

    def largest(s: float) -> float:
        return lanczos(
            lambda x: root * (stiff(root * x) + s * damped(root * x) if s else stiff(root * x)), len(model.dofs)
        )

    most = lanczos(lambda x: root * damped(root * x), len(model.dofs)) if damps else 0.0
    return longest(largest, most, tolerance=_LEFT)


def _top(matrix: Array) -> float:
    from scipy.linalg import eigh

    last = len(matrix) - 1
    return float(eigh(matrix, eigvals_only=True, subset_by_index=(last, last))[0])


def lanczos(times: Callable[[Array], Array], size: int) -> float:
    """Largest eigenvalue of a symmetric matrix that is known by its products, plus the residual that is left.

    Examples
    --------
    >>> entries = np.linspace(1.0, 3.0, 500)
    >>> round(lanczos(lambda x: entries * x, 500), 1)
    3.0
    """
    from scipy.linalg import eigh_tridiagonal

    q = np.random.default_rng(1).standard_normal(size)
    q /= np.linalg.norm(q)
    before, beta = np.zeros(size), 0.0
    main, side = list[float](), list[float]()
    bound = math.inf
    for turn in range(1, _MOST + 1):
        y = times(q) - beta * before
        main.append(float(q @ y))
        y -= main[-1] * q
        beta = float(np.linalg.norm(y))
        if turn % _LOOK == 0 or turn in (size, _MOST) or beta == 0.0:
            theta, shape = eigh_tridiagonal(main, side, select="i", select_range=(turn - 1, turn - 1))
            left = beta * abs(float(shape[-1, 0]))
            bound = float(theta[0]) + left
            if beta == 0.0 or (turn >= min(_LEAST, size) and left <= _LEFT * abs(float(theta[0]))):
                break
        side.append(beta)
        before, q = q, y / beta
    return bound
