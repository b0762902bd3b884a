"""Explicit leap-frog for shear frames: the rival that never iterates, and its stable step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.chain import is_chain
from hamex.discretise.prepare import is_oscillator
from hamex.discretise.schemes import LeapFrog
from hamex.errors import OverflowRunError, SchemeError
from hamex.march.leapfrog import leapfrog, stable_step
from hamex.march.run import Kernel, compiled, worth_compiling
from hamex.model.per_spring import per_spring
from hamex.model.record import Model
from hamex.problem import Problem
from hamex.solution.loads import loading
from hamex.solution.solution import Solution
from hamex.solve.gather import solution

Array = NDArray[Any]
_AHEAD = 0.5                # dashpots see the velocity extrapolated to the node: second order
_WORK_PER_STOREY = 6        # a storey's step in units of an oscillator's, for the choice to compile


def solve_leapfrog(problem: Problem, scheme: LeapFrog, quiet: bool) -> Solution:
    """March a shear frame explicitly; refuses a step beyond the stable one and names it."""
    model, h, steps = problem.model, scheme.step, problem.steps(scheme.step)
    k, c, m = _chain(model, problem)
    limit = _stable(k, c, m)
    if h > limit:
        raise SchemeError(f"LeapFrog: the step {h:g} s is beyond the stable step {limit:.6g} s of this frame")
    values = problem.load.node_values(h, steps, quiet)
    loads = loading(problem, values, 0.5 * (values[:-1] + values[1:]))
    if loads.patterns.shape[1] != 1:
        raise SchemeError("LeapFrog: takes one load history; use Galerkin for several")
    n, start, laws = len(m), problem.start, per_spring(model)
    u, slip = np.zeros((steps + 1, n + 1)), np.zeros((steps + 1, n + 1))
    u[0, 1:], slip[0, 1:] = start.displacement, start.slip
    v, X, w = _from_ground(start.momentum / m), _from_ground(start.internal["back_force"]), _from_ground(
        start.internal["accumulated_slip"])
    kernel: Kernel = compiled(leapfrog) if worth_compiling(steps * n * _WORK_PER_STOREY) else leapfrog
    failed = kernel(np.ascontiguousarray(values[:, 0]), _from_ground(loads.patterns[:, 0]), h, _from_ground(1 / m),
                    _from_ground(k), _from_ground(c), _AHEAD,
                    *(_from_ground(laws[name]) for name in ("yield_force", "viscosity", "kinematic", "isotropic")),
                    u, slip, v, X, w, np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 2))
    if failed:
        raise OverflowRunError(f"LeapFrog: step {failed} left the finite numbers; take a shorter step")
    u, slip = u[:, 1:].copy(), slip[:, 1:].copy()
    node_force = k * (np.diff(u, axis=1, prepend=0.0) - slip)
    histories = {"displacement": u, "momentum": m * _velocity(u, start.momentum / m, h), "slip": slip,
                 "force": 0.5 * (node_force[:-1] + node_force[1:])}
    if np.any(laws["kinematic"] > 0) or np.any(laws["isotropic"] > 0):
        travelled = np.abs(np.diff(slip, axis=0, prepend=slip[:1]))
        histories["back_force"] = start.internal["back_force"] + laws["kinematic"] * (slip - slip[0])
        histories["accumulated_slip"] = start.internal["accumulated_slip"] + np.cumsum(travelled, axis=0)
    return solution(problem, scheme, histories, loads,
                    {"back_force": X[1:].copy(), "accumulated_slip": w[1:].copy()})


def _chain(model: Model, problem: Problem) -> tuple[Array, Array, Array]:
    """Stiffness and dashpot of every storey, and the masses; refuses what the rival cannot march."""
    if not (is_chain(model) or is_oscillator(model)) or problem.supports is not None:
        raise SchemeError("LeapFrog: only shear frames with one slider per storey, storey dashpots and lumped masses")
    from scipy.sparse import csr_array

    C, K = csr_array(model.damping.matrix), csr_array(model.stiffness)
    c = -np.concatenate([[0.0], C.diagonal(-1)])
    main = C.diagonal()
    c[0] = main[0] - (c[1] if len(c) > 1 else 0.0)
    rebuilt = c + np.append(c[1:], 0.0)
    if np.any(K.data != 0) or np.abs(rebuilt - main).max() > 1e-9 * np.abs(main).max():
        raise SchemeError("LeapFrog: P-Delta and damping other than storey dashpots are not available; use Galerkin")
    return 1 / csr_array(model.flexibility).diagonal(), c, csr_array(model.mass).diagonal()


def _stable(k: Array, c: Array, m: Array) -> float:
    """Stable step of the mode of the highest frequency."""
    from scipy.linalg import eigh_tridiagonal

    above, root = np.append(k[1:], 0.0), np.sqrt(m)
    squares, shapes = eigh_tridiagonal((k + above) / m, -k[1:] / (root[1:] * root[:-1]), select="i",
                                       select_range=(len(m) - 1, len(m) - 1))
    shape = shapes[:, 0] / root
    omega = float(np.sqrt(squares[0]))
    ratio = float(c @ np.diff(shape, prepend=0.0) ** 2) / (2 * omega)
    return stable_step(omega, ratio, _AHEAD)


def _velocity(u: Array, first: Array, h: float) -> Array:
    """Velocity at the nodes by differences of second order; the first one is given."""
    v = np.gradient(u, h, axis=0, edge_order=2 if len(u) > 2 else 1)
    v[0] = first
    return np.asarray(v)


def _from_ground(x: Array) -> Array:
    return np.concatenate([[0.0], x])
