"""Shear frames: the tridiagonal route of the linear time element."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.chain import chain_numbers
from hamex.discretise.schemes import Galerkin
from hamex.discretise.springs import spring_blocks
from hamex.discretise.structure import check_convex, galerkin_stage
from hamex.errors import ConvergenceError
from hamex.march.chain import ISOTROPIC, KINEMATIC, ROWS, chain
from hamex.march.run import compiled, worth_compiling
from hamex.problem import Problem
from hamex.solution.loads import loading
from hamex.solution.solution import Solution
from hamex.solve.gather import solution

Array = NDArray[Any]
_WORK_PER_STOREY = 12     # a storey's step in units of an oscillator's, for the choice to compile


def solve_chain(problem: Problem, scheme: Galerkin, quiet: bool) -> Solution:
    """March a shear frame with one slider per storey."""
    model, h, steps = problem.model, scheme.step, problem.steps(scheme.step)
    numbers = chain_numbers(model, h)
    if numbers.softens:
        check_convex(model, spring_blocks(model), lambda step: galerkin_stage(model, step), h, "Galerkin")
    values = problem.load.step_values(h, steps, scheme.load, quiet)
    loads = loading(problem, values, values)
    n, start = len(model.dofs), problem.start
    table = np.stack(numbers.arrays)
    hardens = int(np.any(table[[KINEMATIC, ISOTROPIC]] > 0))
    u, p, slip = (np.empty((steps + 1, n)) for _ in range(3))
    X, w = (np.empty((hardens * steps + 1, n)) for _ in range(2))
    F, branch = np.empty((steps, n)), start.internal.get("branch", np.zeros(n)).astype(np.int64)
    u[0], p[0], slip[0] = start.displacement, start.momentum, start.slip
    X[0], w[0] = start.internal["back_force"], start.internal["accumulated_slip"]
    solves, searches, count = (np.zeros(size, dtype=np.int64) for size in (steps, steps, 2))
    kernel = compiled(chain) if worth_compiling(steps * n * _WORK_PER_STOREY) else chain
    failed = kernel(table, np.zeros((ROWS, n)), h, np.ascontiguousarray(values),
                    np.ascontiguousarray(loads.patterns.T), hardens, int(numbers.softens), u, p, slip, X, w, F, branch,
                    solves, searches, count)
    if failed:
        raise ConvergenceError(f"Galerkin: step {failed} (t = {failed * h:g} s) was not solved to round-off; the load "
                               "or a parameter is out of proportion with the rest (or overflows)")
    histories = {"displacement": u, "momentum": p, "slip": slip, "force": F, "solves": solves, "searches": searches}
    if hardens:
        histories |= {"back_force": X, "accumulated_slip": w}
    internal = {"back_force": X[-1].copy(), "accumulated_slip": w[-1].copy(), "branch": branch.astype(float)}
    return solution(problem, scheme, histories, loads, internal)
