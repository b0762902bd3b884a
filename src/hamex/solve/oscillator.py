"""One mass on one spring: the paper's oscillator, with a kernel of its own for each scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.prepare import Scalars, exact_recurrence, linear_element, scalars
from hamex.discretise.schemes import Galerkin, Newmark, PiecewiseExact, Scheme
from hamex.errors import ConvergenceError
from hamex.march.linear import recurrence
from hamex.march.newmark import newmark
from hamex.march.oscillator import BLOCK, galerkin, galerkin_record
from hamex.march.run import march
from hamex.problem import FilledState, Problem
from hamex.solution.solution import Solution
from hamex.solve.gather import solution

Array = NDArray[Any]
_PAGE = 1 << 21     # bytes


def galerkin_oscillator(problem: Problem, scheme: Galerkin, quiet: bool) -> Solution:
    x, steps, h = scalars(problem.model), problem.steps(scheme.step), scheme.step
    rows = linear_element(x, scheme).rows
    nodes = _Nodes(problem.start, x, steps)
    law = (rows, x.yield_force, x.kinematic, x.isotropic, nodes.stride)
    reading = problem.load.reading(h, scheme.load, quiet)
    if reading is None:
        values, _ = scheme.loads(problem.load, steps, quiet)
        load = np.ascontiguousarray(_on_dof(problem, values))
        march(galerkin, (load, load, 1.0, *law), (*nodes.arrays, nodes.F), steps)
    else:
        work = np.empty(min(BLOCK, steps) + 1)
        march(galerkin_record, (*reading, *law), (work, *nodes.arrays, nodes.F), steps)
    return _solution(problem, scheme, x, nodes, {"force": nodes.F[:, None]})


def newmark_oscillator(problem: Problem, scheme: Newmark, quiet: bool) -> Solution:
    x, steps = scalars(problem.model), problem.steps(scheme.step)
    values, _ = scheme.loads(problem.load, steps, quiet)
    at_nodes = _on_dof(problem, values)
    nodes = _Nodes(problem.start, x, steps)
    start = problem.start.internal
    carried = np.array([_start_acceleration(problem, x, at_nodes), 1 / x.a])
    if "acceleration" in start and "tangent" in start:
        carried = np.array([start["acceleration"][0], start["tangent"][0]])
    iterations, worst = np.zeros(steps, dtype=np.int64), np.zeros(1)
    inputs = (at_nodes, scheme.step, x.m, x.c, x.K, x.b, 1 / x.a, scheme.beta, scheme.gamma, scheme.tolerance,
              scheme.max_iterations, x.yield_force, x.viscosity, x.kinematic, x.isotropic, nodes.stride)
    failed = march(newmark, inputs, (*nodes.arrays, carried, iterations, worst), steps)
    if failed:
        raise ConvergenceError(
            f"Newmark: step {failed} (t = {failed * scheme.step:g} s) did not converge in {scheme.max_iterations} "
            f"iterations: last increment {worst[0]:.3g}, tolerance {scheme.tolerance:g}. Take a shorter step, more "
            "iterations, or Galerkin, which needs none")
    node_force = (x.b * nodes.u - nodes.s) / x.a
    force = 0.5 * (node_force[:-1] + node_force[1:])
    extra = {"force": force[:, None], "iterations": iterations}
    return _solution(problem, scheme, x, nodes, extra, {"acceleration": carried[:1], "tangent": carried[1:]})


def exact_oscillator(problem: Problem, scheme: PiecewiseExact, quiet: bool) -> Solution:
    x, steps = scalars(problem.model), problem.steps(scheme.step)
    coefficients = exact_recurrence(x, scheme.step)
    values, means = scheme.loads(problem.load, steps, quiet)
    at_nodes = _on_dof(problem, values)
    nodes = _Nodes(problem.start, x, steps)
    # A given slip only moves the spring's origin; the recurrence works from there.
    origin = x.b / x.a * nodes.s[0]
    march(recurrence, (at_nodes + origin, *coefficients), (nodes.u, nodes.p), steps)
    nodes.s[:] = nodes.s[0]
    # Momentum balance of the step gives the mean of all restoring forces; stiffness shares it out.
    resisting = _on_dof(problem, means) - (x.c * np.diff(nodes.u) + np.diff(nodes.p)) / scheme.step
    mean = (resisting + origin) / (x.b**2 / x.a + x.K)
    extra = {"force": ((x.b * mean - nodes.s[0]) / x.a)[:, None], "mean_displacement": mean[:, None]}
    return _solution(problem, scheme, x, nodes, extra)


class _Nodes:
    """Node arrays of one oscillator with the start in entry 0; X and w in full only where a spring hardens.

    All lie in one block of memory, see :func:`_fresh`.
    """

    def __init__(self, start: FilledState, x: Scalars, steps: int) -> None:
        self.stride = stride = int(x.hardens)
        n = steps + 1
        block = _fresh((3 + 2 * stride) * n + steps)
        self.u, self.p, self.s, self.F = block[:n], block[n:2 * n], block[2 * n:3 * n], block[3 * n:4 * n - 1]
        rest = block[4 * n - 1:] if stride else np.empty(2)
        self.X, self.w = rest[:rest.size // 2], rest[rest.size // 2:]
        first = (start.displacement, start.momentum, start.slip, start.internal["back_force"],
                 start.internal["accumulated_slip"])
        for array, value in zip(self.arrays, first, strict=True):
            array[0] = value[0]

    @property
    def arrays(self) -> tuple[Array, ...]:
        return self.u, self.p, self.s, self.X, self.w


def _fresh(count: int) -> Array:
    """Memory for histories; a long one begins on the border of a large page.

    The system clears memory as it is first written. In pages of 2 MB, which NumPy asks for from 4 MB on, that costs
    0.6 ns a number, in small ones 4; the ends of a block that fill no large page come in small ones.
    """
    if 8 * count < 2 * _PAGE:
        return np.empty(count)
    block = np.empty(count + _PAGE // 8)
    skip = -block.__array_interface__["data"][0] % _PAGE // 8
    return block[skip:skip + count]


def _on_dof(problem: Problem, channels: Array) -> Array:
    patterns = problem.load.patterns
    return channels[:, 0] if patterns is None else channels @ patterns[0]


def _start_acceleration(problem: Problem, x: Scalars, at_nodes: Array) -> float:
    u, p, s = problem.start.displacement, problem.start.momentum, problem.start.slip
    spring = x.b * (x.b * u[0] - s[0]) / x.a
    return float((at_nodes[0] - x.c * p[0] / x.m - x.K * u[0] - spring) / x.m)


def _solution(problem: Problem, scheme: Scheme, x: Scalars, nodes: _Nodes, extra: Mapping[str, Array],
              carried: Mapping[str, Array] | None = None) -> Solution:
    histories = {"displacement": nodes.u[:, None], "momentum": nodes.p[:, None], "slip": nodes.s[:, None], **extra}
    if x.hardens:
        histories |= {"back_force": nodes.X[:, None], "accumulated_slip": nodes.w[:, None]}
    internal = {"back_force": nodes.X[-1:].copy(), "accumulated_slip": nodes.w[-1:].copy(), **(carried or {})}
    return solution(problem, scheme, histories, None, internal)
