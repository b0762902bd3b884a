"""The promise for models and schemes: which form a scheme has, and what a model's springs can lose."""

from __future__ import annotations

from typing import Any, Protocol

from hamex.discretise import promise
from hamex.discretise.springs import spring_blocks
from hamex.discretise.structure import tangent_matrix
from hamex.model.record import Model


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


def matrices(model: Model) -> promise.Matrices:
    """What the promise has to know about a model."""
    blocks, damping = spring_blocks(model), model.damping

    def springs(tau: float, isotropic: bool) -> Any:
        softest = {kind: group.law.softest(group, blocks.by_group[kind], tau, isotropic)
                   for kind, group in model.laws.items()}
        return tangent_matrix(model, blocks, blocks.filled(softest, model))

    stiffest = {kind: group.law.stiffest(group, blocks.by_group[kind]) for kind, group in model.laws.items()}
    return promise.Matrices(model.mass, damping.matrix, model.stiffness, damping.shapes, damping.weights, springs,
                            tangent_matrix(model, blocks, blocks.filled(stiffest, model)), model.dofs,
                            curved=any(group.law.form == "elastic" for group in model.laws.values()),
                            softens=any(group.law.softens for group in model.laws.values()))


def admissible(model: Model, scheme: Promises) -> float:
    """Longest step [s] at which every step of the scheme has one solution, whatever the load; ∞ if all have."""
    return promise.longest_step(scheme.form(), matrices(model), scheme.step)


def check_promise(model: Model, scheme: Promises) -> None:
    """Refuse a step beyond that length, and a model of which nothing holds a dof."""
    promise.check(scheme.form(), matrices(model), scheme.step, scheme.label)
