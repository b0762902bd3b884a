"""The promise for models and schemes: which form a scheme has, and what a model's springs can lose."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Protocol

import numpy as np

from hamex.model.record import Model, dense
from hamex.schemes import promise
from hamex.schemes.solvers import is_certain
from hamex.schemes.springs import Blocks, spring_blocks
from hamex.schemes.structure import by_rows, tangent_matrix


class Promises(Protocol):
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

    def springs(tau: float, isotropic: bool) -> Any:
        softest = {
            kind: group.law.softest(group, blocks.by_group[kind], tau, isotropic) for kind, group in model.laws.items()
        }
        return tangents(softest)

    @cache
    def elastic() -> Any:
        return tangents({kind: group.law.stiffest(group, blocks.by_group[kind]) for kind, group in model.laws.items()})

    def tangents(by_group: dict[str, Any]) -> Any:
        T = blocks.filled(by_group, model)
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
    )


def full_tangents(model: Model, blocks: Blocks, T: Any) -> Any:
    """B T Bᵀ as a plain array."""
    left, right, entry = blocks.pairs()
    between = np.zeros((len(model.springs),) * 2)
    between[left, right] = T[entry]
    b = dense(model.compatibility)
    return b @ between @ b.T


def admissible(model: Model, scheme: Promises) -> float:
    """Longest step [s] at which every step of the scheme has one solution, whatever the load; ∞ if all have."""
    if _by_construction(model):
        return math.inf
    return promise.longest_step(scheme.form(), matrices(model), scheme.step)


def check_promise(model: Model, scheme: Promises) -> None:
    """Refuse a step beyond that length, and a model of which nothing holds a dof."""
    if not _by_construction(model):
        promise.check(scheme.form(), matrices(model), scheme.step, scheme.label)


def _by_construction(model: Model) -> bool:
    """True for bodies of laws that flow, whose stiffness cannot turn negative: no matrix of theirs need be factored."""
    return is_certain(model) and not any(group.law.form == "elastic" for group in model.laws.values())
