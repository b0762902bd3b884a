"""Work and precision: CPU time against error, the paper's oscillator under El Centro.

Elastic, every scheme runs as the matrix of its step in one and the same compiled loop. Yielding, all run by
:func:`hamex.solve`, as a user would: Newmark, HHT-α and generalised-α by the march for any structure, the others by
kernels for one mass, which cost a hundredth of that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.prepare import scalars
from hamex.discretise.schemes import Galerkin, PiecewiseExact
from hamex.errors import SchemeError
from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.motion.ground import el_centro
from hamex.solve import Problem, solve
from hamex.study.lab.catalogue import Entry
from hamex.study.lab.marching import load_at, oscillator_history, return_map

Array = NDArray[Any]
LAWS = {"elastic": Slider(), "viscous": Slider(0.27, 1.5), "rate-independent": Slider(0.27, 0.0)}
DURATION, COARSEST = 32.0, 0.02
MOST_HALVINGS = {"elastic": 9, "viscous": 7, "rate-independent": 7}
ENOUGH = {"elastic": 1e-8, "viscous": 1e-6, "rate-independent": 1e-6}       # errors below need no more halvings
REPEATS, LONG = 3, 0.25                        # s: longer runs are timed once
_FINER = 2048


@dataclass(frozen=True)
class WorkPrecision:
    """Steps [s], CPU times [s] (least of three, of long runs one) and errors: the largest of |u|, relative to the
    largest |u|."""

    steps: Array
    cpu: Array
    errors: Array

    def cpu_for(self, error: float) -> float:
        """CPU time [s] at which this error is reached, between runs by straight lines in logarithms; NaN if never."""
        reached = np.flatnonzero(self.errors <= error)
        if not len(reached):
            return float("nan")
        i = int(reached[0])
        if i == 0:
            return float(self.cpu[0])
        x, y = np.log(self.errors[[i, i - 1]]), np.log(self.cpu[[i, i - 1]])
        return float(np.exp(np.interp(np.log(error), x, y)))


def work_precision(entry: Entry, case: str, halvings: int | None = None) -> WorkPrecision:
    """Halve the step until the error is small enough."""
    exact = solution(case)
    scale = np.abs(exact).max()
    steps, times, errors = [], [], []
    for power in range((MOST_HALVINGS[case] if halvings is None else halvings) + 1):
        part = 2**power
        step = COARSEST / part
        run = _elastic(entry, step) if case == "elastic" else _yielding(entry, case, step)
        try:
            cpu, u = least_time(run)
        except SchemeError:             # beyond the stable step of an explicit scheme
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            error = float(np.abs(u[::part] - exact).max() / scale)
        steps.append(step)
        times.append(cpu)
        errors.append(error if np.isfinite(error) else np.inf)
        if error < ENOUGH[case]:
            break
    return WorkPrecision(np.array(steps), np.array(times), np.array(errors))


def least_time(run: Callable[[], Array]) -> tuple[float, Array]:
    """CPU time [s] of the fastest of some runs, or of one long run, and what the last returned."""
    least, found = float("inf"), np.empty(0)
    for _ in range(REPEATS):
        before = time.thread_time()
        found = run()
        least = min(least, time.thread_time() - before)
        if least > LONG:
            break
    return least, found


@cache
def problem_of(case: str) -> Problem:
    """The paper's oscillator under twice the El Centro record, used as a bare number as in the paper."""
    model = oscillator(1.0, 225.0, 1.5, LAWS[case])
    return Problem(model, el_centro().scaled(2).on(model, g=1.0), DURATION)


def _elastic(entry: Entry, step: float) -> Callable[[], Array]:
    problem = problem_of("elastic")
    x, steps = scalars(problem.model), problem.steps(step)
    omega, nodes = (1 / (x.a * x.m)) ** 0.5, entry.scheme.linear(1.0).nodes

    def run() -> Array:
        load = load_at(problem, step, steps, nodes) / x.m
        return oscillator_history(entry.scheme, omega, x.c / (2 * x.m * omega), step, load)[:, 0]

    return run


def _yielding(entry: Entry, case: str, step: float) -> Callable[[], Array]:
    problem = problem_of(case)
    return lambda: np.asarray(solve(problem, entry.make(step)).values("displacement")[:, 0])


@cache
def solution(case: str) -> Array:
    """Displacement every 0.02 s: exact if elastic, otherwise from a run 2048 times finer."""
    problem = problem_of(case)
    if case == "elastic":
        return np.asarray(solve(problem, PiecewiseExact(COARSEST)).values("displacement")[:, 0])
    if case == "rate-independent":
        return np.asarray(solve(problem, return_map(COARSEST / _FINER)).values("displacement")[::_FINER, 0])
    fine, finer = (solve(problem, Galerkin(COARSEST / n)).values("displacement")[::n, 0] for n in (_FINER // 2, _FINER))
    return np.asarray((4 * finer - fine) / 3)
