"""Shear frames with one slider per storey: the tridiagonal route of the linear time element."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.chain import chain_numbers
from hamex.discretise.marching import How, Ran
from hamex.discretise.promised import check_promise
from hamex.errors import ConvergenceError
from hamex.march.chain import ISOTROPIC, KINEMATIC, ROWS, chain
from hamex.march.run import Kernel, compiled, worth_compiling
from hamex.problem import Problem
from hamex.problem.loads import loads_between

if TYPE_CHECKING:
    from hamex.discretise.time_elements import TimeElement

Array = NDArray[Any]
_WORK_PER_STOREY = 12     # a storey's step in units of an oscillator's, for the choice to compile


class ShearFrameMarch:
    """Nearly always the branches of the last step still hold, and one pair of sweeps is the whole step."""

    def __init__(self, problem: Problem, scheme: TimeElement, how: How) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        model, h = problem.model, scheme.step
        numbers = chain_numbers(model, h)
        if numbers.softens:
            check_promise(model, scheme)
        self.softens = int(numbers.softens)
        self.table = np.stack(numbers.arrays)
        self.hardens = int(np.any(self.table[[KINEMATIC, ISOTROPIC]] > 0))
        work = how.steps * len(model.dofs) * _WORK_PER_STOREY
        self.kernel: Kernel = compiled(chain) if worth_compiling(work) else chain

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        n, hardens, h = len(self.problem.model.dofs), self.hardens, self.scheme.step
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        u, p, slip = (np.empty((steps + 1, n)) for _ in range(3))
        X, w = (np.empty((hardens * steps + 1, n)) for _ in range(2))
        F, branch = np.empty((steps, n)), now.get("branch", np.zeros(n)).astype(np.int64)
        u[0], p[0], slip[0] = now["displacement"], now["momentum"], now["slip"]
        X[0], w[0] = now["back_force"], now["accumulated_slip"]
        solves, searches, count = (np.zeros(size, dtype=np.int64) for size in (steps, steps, 2))
        failed = self.kernel(self.table, np.zeros((ROWS, n)), h, np.ascontiguousarray(loads.means),
                             np.ascontiguousarray(loads.patterns.T), hardens, self.softens, u, p, slip, X, w, F, branch,
                             solves, searches, count)
        if failed:
            failed += first
            raise ConvergenceError(f"Galerkin: step {failed} (t = {failed * h:g} s) was not solved to round-off; the "
                                   "load or a parameter is out of proportion with the rest (or overflows)")
        nodes = {"displacement": u, "momentum": p, "slip": slip}
        if hardens:
            nodes |= {"back_force": X, "accumulated_slip": w}
        end = {"displacement": u[-1].copy(), "momentum": p[-1].copy(), "slip": slip[-1].copy(),
               "back_force": X[-1].copy(), "accumulated_slip": w[-1].copy(), "branch": branch.astype(float)}
        return Ran(nodes, {"force": F, "solves": solves, "searches": searches}, end)
