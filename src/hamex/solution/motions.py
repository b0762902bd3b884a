"""Motions of the dofs of a body at some instants, and those that are given: of supports, and of the ground."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.model.solids.body import Body
from hamex.solution.outline import Answers

Array = NDArray[Any]


def at_instants(solution: Answers, of: str, instants: Array, shares: Any = None) -> Array:
    """(instant, dof) of displacement, velocity or acceleration; or (instant, place) with ``shares`` (place, dof). Dofs
    without mass, which a structure on a body may have, show no velocity here.

    Velocities of a few places in many instants are found the other way round: with W = M⁻¹ sharesᵀ they are p W, one
    solution per place instead of one per instant.
    """
    what = "acceleration" if of == "absolute_acceleration" else of
    kept = solution.histories
    if of == "absolute_acceleration" and of in kept:
        return _shared(kept[of], instants, shares)
    if what == "displacement" or what in kept:
        return _shared(_history(solution, what), instants, shares) + _ride(solution, of, instants, shares)
    if what == "acceleration":
        if solution.extent.every > 1:
            raise InputError(
                f"{of} needs two nodes in a row, and every {solution.extent.every}th was kept; keep its history: "
                f"keep=hx.Keep(every={solution.extent.every}, results=('displacement', 'momentum', '{of}'))"
            )
        ends = at_instants(solution, "velocity", np.concatenate([instants, instants + 1]), shares)
        rate = (ends[len(instants) :] - ends[: len(instants)]) / solution.step
        return rate + _ride(solution, of, instants, shares)
    momentum, model = _history(solution, "momentum"), solution.model
    if shares is not None and shares.shape[0] < len(instants):
        return np.asarray(momentum[instants] @ model.velocity(shares.toarray()).T)
    velocity = model.velocity(momentum[instants])
    return velocity if shares is None else np.asarray((shares @ velocity.T).T)


def _history(solution: Answers, name: str) -> Array:
    if name not in solution.histories:
        raise InputError(f"the run kept no {name}; add it to keep=, or leave keep= without names")
    return solution.histories[name]


def _shared(history: Array, instants: Array, shares: Any) -> Array:
    if shares is None:
        return history[instants]
    columns = np.unique(shares.indices)  # of a long history of many dofs only these are touched
    return np.asarray((shares[:, columns] @ history[np.ix_(instants, columns)].T).T)


def _ride(solution: Answers, of: str, instants: Array, shares: Any) -> Any:
    """Acceleration of the ground that the dofs ride on, where the absolute one is asked for."""
    if of != "absolute_acceleration":
        return 0.0
    ground = solution.loading.ground
    return solution.loading.means[instants] @ (ground if shares is None else shares @ ground).T


def ground_share(solution: Answers, body: Body) -> Array:
    """(node · dimension, channel): acceleration of the ground at the nodes that move with it, which are no dofs."""
    layout, ground = solution.layout, solution.loading.ground
    out = np.zeros((body.motion.shape[0], ground.shape[1]))
    held = body.held
    for column, way in enumerate(layout.directions):
        own = np.flatnonzero(layout.influence[:, column])
        if own.size:
            axis = "xyz".index(way)
            out.reshape(*held.shape, -1)[held[:, axis], axis] = ground[own[0]]
    return out
