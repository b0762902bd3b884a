"""The promise for models and schemes: which form a scheme has, and what a model's springs can lose."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from hamex.discretise import promise
from hamex.discretise._elements import CONTINUOUS, DISCONTINUOUS
from hamex.discretise.schemes import DiscontinuousGalerkin, Galerkin, Newmark
from hamex.discretise.structure import elastic_tangents, softest, spring_blocks, tangent_matrix
from hamex.model.record import Model

Implicit = Galerkin | DiscontinuousGalerkin | Newmark


def form_of(scheme: Implicit) -> promise.Form:
    """The numbers of the scheme's steps."""
    if isinstance(scheme, Newmark):
        return promise.one_stage(1 / scheme.beta, scheme.gamma / scheme.beta, 1.0)
    if isinstance(scheme, Galerkin):
        A, D, elastic = CONTINUOUS[scheme.degree].matrix, promise.GAUSS, promise.ELASTIC_GAUSS
    else:
        A, D, elastic = DISCONTINUOUS[scheme.degree].matrix, promise.RADAU, promise.ELASTIC_RADAU
    return promise.collocation(np.array(A), D[len(A)], elastic[len(A)])


def matrices(model: Model) -> promise.Matrices:
    """What the promise has to know about a model."""
    blocks = spring_blocks(model)
    variants = {(slow, isotropic): _variant(model, slow, isotropic) for slow in (False, True)
                for isotropic in (False, True)}

    def springs(tau: float, isotropic: bool) -> Any:
        slow = math.isinf(tau)
        chosen = variants[slow, isotropic]
        return tangent_matrix(chosen, blocks, softest(chosen, blocks, 1.0 if slow else tau))

    damping = model.damping
    return promise.Matrices(model.mass, damping.matrix, model.stiffness, damping.shapes, damping.weights, springs,
                            tangent_matrix(model, blocks, elastic_tangents(blocks)), model.dofs)


def admissible(model: Model, scheme: Implicit) -> float:
    """Longest step [s] at which every step of the scheme has one solution, whatever the load; ∞ if all have."""
    return promise.longest_step(form_of(scheme), matrices(model), scheme.step)


def check_promise(model: Model, scheme: Implicit) -> None:
    """Refuse a step beyond that length, and a model of which nothing holds a dof."""
    promise.check(form_of(scheme), matrices(model), scheme.step, _name(scheme))


def _name(scheme: Implicit) -> str:
    return "Newmark" if isinstance(scheme, Newmark) else f"{type(scheme).__name__}(degree={scheme.degree})"


def _variant(model: Model, slow: bool, isotropic: bool) -> Model:
    """The model without viscosity or isotropic hardening, for the softest tangents."""
    laws = dict(model.laws)
    for kind in ("slider", "surface"):
        if kind in laws:
            group = laws[kind]
            none = np.zeros_like(group.viscosity)
            laws[kind] = dataclasses.replace(group, viscosity=none if slow else group.viscosity,
                                             isotropic=group.isotropic if isotropic else none)
    return dataclasses.replace(model, laws=laws)
