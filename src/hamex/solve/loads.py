"""The load of a problem as the march and the solution take it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ProblemError
from hamex.model.elastic import static_stiffness
from hamex.model.record import Model
from hamex.solution.solution import Loading
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
    """r, (dof, support): displacements when one support moves slowly, held by the springs that carry force at rest.

    K has no part in it: P-Delta acts on the motion relative to the supports, so that all moving as one give r = ι.
    """
    from scipy import sparse
    from scipy.sparse.linalg import splu

    dofs, supports = len(model.dofs), len(model.support_names)
    ends = sparse.vstack([sparse.csr_array(model.compatibility), sparse.csr_array(model.supports)])
    nothing = sparse.csr_array((dofs + supports, dofs + supports))
    whole = static_stiffness(nothing, model.flexibility, ends, model.laws)
    pull = -whole[:dofs, dofs:].toarray()
    try:
        return np.asarray(splu(sparse.csc_array(whole[:dofs, :dofs])).solve(pull))
    except RuntimeError:
        raise ProblemError("Problem: the supports move, but no spring holds the structure to them") from None
