"""A scheme of the laboratory is its data: a family, its numbers, and from them one linear step and one yielding run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.linear import LinearMap, alpha_map, collocation_map, table_map
from hamex.discretise.prepare import scalars
from hamex.discretise.schemes import Scheme
from hamex.errors import ModelError
from hamex.march import reference
from hamex.march.run import march
from hamex.solve import Problem, solve

Array = NDArray[Any]


@dataclass(frozen=True)
class History:
    """Displacement [length] and slip [length] at the nodes of one run."""

    displacement: Array
    slip: Array


class Method(Protocol):
    """What the experiments need of a scheme."""

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the linear oscillator, Ω = ωh."""
        ...

    def run(self, problem: Problem, step: float) -> History:
        """March one oscillator whose spring can slip; ``step`` in s."""
        ...


@dataclass(frozen=True)
class Alpha:
    """Newmark's interpolation (β, γ) with the balance weighted by α_m and α_f: Newmark, HHT-α, generalised-α.

    >>> Alpha.hht(0.0) == Alpha.newmark(beta=0.25, gamma=0.5)
    True
    """

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float

    @classmethod
    def newmark(cls, beta: float, gamma: float) -> Alpha:
        """Newmark's family; (0, 1/2) is the central difference method."""
        return cls(0.0, 0.0, beta, gamma)

    @classmethod
    def hht(cls, alpha: float) -> Alpha:
        """Hilber, Hughes and Taylor: −1/3 ≤ α ≤ 0, and β, γ that keep second order."""
        return cls(0.0, -alpha, (1 - alpha) ** 2 / 4, 0.5 - alpha)

    @classmethod
    def generalised(cls, rho: float) -> Alpha:
        """Chung and Hulbert: the share ``rho`` of the fastest motion that a step leaves."""
        alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        return cls(alpha_m, alpha_f, (1 - alpha_m + alpha_f) ** 2 / 4, 0.5 - alpha_m + alpha_f)

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        return alpha_map(Omega, zeta, self.alpha_m, self.alpha_f, self.beta, self.gamma)

    def run(self, problem: Problem, step: float) -> History:
        data = (self.alpha_m, self.alpha_f, self.beta, self.gamma)
        return _marched(reference.alpha, problem, step, (0.0, 1.0), data, carries_acceleration=True)


@dataclass(frozen=True)
class Collocation:
    """Balance at t + θh: Wilson-θ with β = 1/6, γ = 1/2; θ = 1 is Newmark."""

    theta: float
    beta: float = 1 / 6
    gamma: float = 0.5

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        return collocation_map(Omega, zeta, self.theta, self.beta, self.gamma)

    def run(self, problem: Problem, step: float) -> History:
        data = (self.theta, self.beta, self.gamma)
        return _marched(reference.collocation, problem, step, (0.0, 1.0), data, carries_acceleration=True)


@dataclass(frozen=True, eq=False)
class Table:
    """A Runge-Kutta table, explicit or diagonally implicit.

    ``slip_by_table``: the slip is one more state of the table, as a general ODE program would have it; otherwise the
    spring is returned at the end of each part of the step, as finite element programs do.
    """

    A: Array
    b: Array
    c: Array
    slip_by_table: bool = False

    @property
    def is_explicit(self) -> bool:
        """True when no stage needs a solve."""
        return not np.triu(self.A).any()

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        return table_map(Omega, zeta, self.A, self.b, self.c)

    def run(self, problem: Problem, step: float) -> History:
        stages = len(self.c)
        if self.is_explicit:
            return _marched(reference.explicit, problem, step, self.c, (self.A, self.b), scratch=3, stages=stages)
        data = (self.A, self.c, int(self.slip_by_table))
        return _marched(reference.diagonal, problem, step, self.c, data, scratch=4, stages=stages)


@dataclass(frozen=True, eq=False)
class Published:
    """A scheme of this package: its step on the linear oscillator as a table, its runs by :func:`hamex.solve`.

    ``make`` takes a step [s] and returns the scheme. ``ends``: the load of a step is the average of its ends, as the
    public element of degree 1 has it, instead of the load at the stages.
    """

    make: Callable[[float], Scheme]
    A: Array
    b: Array
    c: Array
    ends: bool = False

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        found = table_map(Omega, zeta, self.A, self.b, self.c)
        if not self.ends:
            return found
        total = found.loading.sum(axis=-1, keepdims=True)
        return LinearMap(found.matrix, total * [0.5, 0.5], np.array([0.0, 1.0]))

    def run(self, problem: Problem, step: float) -> History:
        solution = solve(problem, self.make(step))
        return History(solution.values("displacement")[:, 0], solution.values("slip")[:, 0])


def _marched(kernel: Callable[..., int], problem: Problem, step: float, nodes: Sequence[float] | Array,
             data: tuple[Any, ...], *, carries_acceleration: bool = False, scratch: int = 0,
             stages: int = 0) -> History:
    """Run a reference kernel on a problem with one mass on one spring."""
    x, steps = scalars(problem.model), problem.steps(step)
    if x.K or x.isotropic or x.b != 1:
        raise ModelError("the reference schemes run one mass on one spring without isotropic hardening")
    state = problem.start
    assert state.displacement is not None
    assert state.momentum is not None
    assert state.slip is not None
    load = load_at(problem, step, steps, nodes)
    k = 1 / x.a
    u, v, s = (np.empty(steps + 1) for _ in range(3))
    u[0], v[0], s[0] = state.displacement[0], state.momentum[0] / x.m, state.slip[0]
    centre = float(state.internal["back_force"][0]) - x.kinematic * s[0]
    inputs = (load, step, x.m, x.c, k, centre, x.yield_force, x.viscosity, x.kinematic, *data)
    if carries_acceleration:
        a = np.empty(steps + 1)
        a[0] = (load[0, 0] - x.c * v[0] - k * (u[0] - s[0])) / x.m
        march(kernel, inputs, (u, v, a, s), steps)
    else:
        rooms = [np.zeros(stages) for _ in range(scratch)]
        if x.viscosity:      # the rate at which the spring slips already
            rooms[-1][0] = reference.flow(k * (u[0] - s[0]) - centre - x.kinematic * s[0], x.yield_force,
                                          1 / x.viscosity)
        march(kernel, inputs, (u, v, s, *rooms), steps)
    return History(u, s)


def load_at(problem: Problem, step: float, steps: int, nodes: Sequence[float] | Array) -> Array:
    """The load (steps, k) at the given fractions of each step."""
    patterns = problem.load.patterns
    columns = []
    for node in nodes:
        rest = problem.load if node == 0 else problem.load.after(float(node) * step)
        values = rest.node_values(step, steps - 1, quiet=True)
        columns.append(values[:, 0] if patterns is None else values @ patterns[0])
    return np.stack(columns, axis=1)
