"""The load of a problem as the march and the solution take it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ProblemError
from hamex.model.record import Model
from hamex.solution.solution import Loading
from hamex.solution.system import solved
from hamex.solve.problem import Problem

Array = NDArray[Any]


def loading(problem: Problem, entered: Array, means: Array) -> Loading:
    """The load values that entered the march (at nodes or one per step) and their step means, by channel."""
    load = problem.load
    patterns = np.eye(load.width) if load.patterns is None else load.patterns
    ground = np.zeros_like(patterns) if load.ground is None else load.ground
    return Loading(entered, means, patterns, ground)


def moving_supports(problem: Problem, loads: Loading, h: float, steps: int) -> Loading:
    """The same load with what the supports impose: a deformation of the springs, and forces of C and K.

    Damping and the stiffness outside the springs act on the motion relative to r d, the slow motion of the dofs with
    the supports. For supports that move as one this is the relative motion that a base acceleration gives.
    """
    if problem.supports is None:
        return loads
    model = problem.model
    at_nodes = problem.supports.node_values(h, steps, quiet=True)
    if problem.supports.patterns is not None:
        at_nodes = at_nodes @ problem.supports.patterns.T
    slow = slow_motion(model)
    c = model.damping
    damped = c.matrix @ slow + c.shapes @ (c.weights[:, None] * (c.shapes.T @ slow))
    patterns = np.hstack([loads.patterns, damped, model.stiffness @ slow])
    means = np.hstack([loads.means, np.diff(at_nodes, axis=0) / h, 0.5 * (at_nodes[:-1] + at_nodes[1:])])
    ground = np.hstack([loads.ground, np.zeros((len(slow), 2 * slow.shape[1]))])
    return Loading(means, means, patterns, ground, np.asarray((model.supports.T @ at_nodes.T).T))


def slow_motion(model: Model) -> Array:
    """r, (dof, support): displacements when one support moves slowly, from the elastic stiffness."""
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    force = solved(model.flexibility, np.asarray(model.compatibility.toarray() if hasattr(
        model.compatibility, "toarray") else model.compatibility))
    stiffness = force @ model.compatibility.T + model.stiffness
    pull = -(force @ model.supports.T)
    try:
        return np.asarray(splu(csc_array(stiffness)).solve(np.ascontiguousarray(pull)))
    except RuntimeError:
        raise ProblemError("Problem: the supports move, but the structure is not held by them") from None
