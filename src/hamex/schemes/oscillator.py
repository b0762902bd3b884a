"""One mass on one spring with a slider: the paper's oscillator, with a kernel of its own for each scheme; and the
scheme that is for an elastic oscillator alone, its exact solution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError
from hamex.march.oscillator import (
    BLOCK,
    Clock,
    NewmarkRule,
    SpringLimit,
    galerkin,
    galerkin_record,
    newmark,
    recurrence,
)
from hamex.march.run import march
from hamex.problem import Problem
from hamex.problem.loads import loads_between
from hamex.schemes.prepare import exact_recurrence, linear_element, scalars
from hamex.schemes.scheme import How, Ran, Scheme, check_step, on_dof

if TYPE_CHECKING:
    from hamex.schemes.families import ElementScheme
    from hamex.schemes.scheme import March

Array = NDArray[Any]
_PAGE = 1 << 21  # bytes


class _Oscillator:
    """What the marches of one oscillator share: its numbers, and node arrays with the start in entry 0."""

    def __init__(self, problem: Problem, scheme: Scheme, how: How) -> None:
        self.problem, self.h, self.how = problem, scheme.step, how
        self.x = scalars(problem.model, scheme.name)
        self.stride = int(self.x.hardens)

    def _nodes(self, now: Mapping[str, Array], steps: int) -> tuple[tuple[Array, ...], Array]:
        """u, p, slip, X and w, the last two in full only where a spring hardens, and F; all in one block of memory."""
        n = steps + 1
        block = _fresh((3 + 2 * self.stride) * n + steps)
        u, p, s, F = block[:n], block[n : 2 * n], block[2 * n : 3 * n], block[3 * n : 4 * n - 1]
        rest = block[4 * n - 1 :] if self.stride else np.empty(2)
        arrays = (u, p, s, rest[: rest.size // 2], rest[rest.size // 2 :])
        names = ("displacement", "momentum", "slip", "back_force", "accumulated_slip")
        for array, name in zip(arrays, names, strict=True):
            array[0] = now[name][0]
        return arrays, F

    def _ran(
        self, arrays: tuple[Array, ...], steps: dict[str, Array], carried: Mapping[str, Array] | None = None
    ) -> Ran:
        u, p, s, X, w = arrays
        nodes = {"displacement": u[:, None], "momentum": p[:, None], "slip": s[:, None]}
        if self.stride:
            nodes |= {"back_force": X[:, None], "accumulated_slip": w[:, None]}
        end = {
            "displacement": u[-1:].copy(),
            "momentum": p[-1:].copy(),
            "slip": s[-1:].copy(),
            "back_force": X[-1:].copy(),
            "accumulated_slip": w[-1:].copy(),
            **(carried or {}),
        }
        return Ran(nodes, steps, end)


class GalerkinOscillator(_Oscillator):
    """The linear time element: one pass of eqs. (66)-(68) per step, nothing iterates."""

    def __init__(self, problem: Problem, scheme: ElementScheme, how: How) -> None:
        super().__init__(problem, scheme, how)
        self.scheme = scheme
        self.rows = linear_element(self.x, scheme.step).rows

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps; a record is read by the kernel itself, so that no step's load is stored."""
        arrays, F = self._nodes(now, steps)
        x = self.x
        law = (self.rows, SpringLimit(x.yield_force, x.kinematic, x.isotropic), self.stride)
        load = self.problem.acting if first == 0 else self.problem.acting.after(first * self.h)
        reading = load.reading(self.h, self.scheme.load, self.how.quiet or first > 0)
        if reading is None:
            values, _ = self.scheme.loads(load, steps, self.how.quiet or first > 0)
            pushed = np.ascontiguousarray(on_dof(self.problem, values))
            march(galerkin, (pushed, pushed, 1.0, *law), (*arrays, F), self.how.steps)
        else:
            work = np.empty(min(BLOCK, steps) + 1)
            clock = Clock(reading.base, reading.first, reading.ratio, reading.rule)
            march(galerkin_record, (reading.samples, clock, reading.scale, *law), (work, *arrays, F), self.how.steps)
        return self._ran(arrays, {"force": F[:, None]})


class NewmarkOscillator(_Oscillator):
    """Newmark's method with Newton-Raphson, as section 6 of the paper has it."""

    def __init__(self, problem: Problem, scheme: Scheme, how: How, rule: NewmarkRule) -> None:
        super().__init__(problem, scheme, how)
        self.scheme, self.rule = scheme, rule

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps; acceleration and tangent go on from step to step."""
        x, rule = self.x, self.rule
        at_nodes = on_dof(
            self.problem, loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0).entered
        )
        arrays, _ = self._nodes(now, steps)
        if "acceleration" in now and "tangent" in now:
            carried = np.array([now["acceleration"][0], now["tangent"][0]])
        else:
            carried = np.array([self._acceleration(now, float(at_nodes[0])), 1 / x.a])
        iterations, worst = np.zeros(steps, dtype=np.int64), np.zeros(1)
        failed = march(newmark, (at_nodes, rule, x, self.stride), (*arrays, carried, iterations, worst), self.how.steps)
        if failed:
            failed += first
            raise ConvergenceError(
                f"Newmark: step {failed} (t = {failed * self.h:g} s) did not converge in {rule.max_iterations} "
                f"iterations: last increment {worst[0]:.3g}, tolerance {rule.tolerance:g}. Take a shorter step, more "
                "iterations, or Galerkin, which needs none"
            )
        node_force = (x.b * arrays[0] - arrays[2]) / x.a
        force = 0.5 * (node_force[:-1] + node_force[1:])
        return self._ran(
            arrays,
            {"force": force[:, None], "iterations": iterations},
            {"acceleration": carried[:1], "tangent": carried[1:]},
        )

    def _acceleration(self, now: Mapping[str, Array], load: float) -> float:
        x, u, p, s = self.x, now["displacement"][0], now["momentum"][0], now["slip"][0]
        return float((load - x.c * p / x.m - x.K * u - x.b * (x.b * u - s) / x.a) / x.m)


class ExactOscillator(_Oscillator):
    """The exponential of the elastic system, with the load linear between the nodes."""

    def __init__(self, problem: Problem, scheme: Scheme, how: How) -> None:
        super().__init__(problem, scheme, how)
        self.scheme = scheme
        self.coefficients = exact_recurrence(self.x, scheme.step)

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps; a given slip only moves the spring's origin."""
        x = self.x
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        arrays, _ = self._nodes(now, steps)
        u, p, s = arrays[:3]
        origin = x.b / x.a * s[0]
        march(recurrence, (on_dof(self.problem, loads.entered) + origin, *self.coefficients), (u, p), self.how.steps)
        s[:] = s[0]
        if self.stride:
            arrays[3][:], arrays[4][:] = arrays[3][0], arrays[4][0]
        # Momentum balance of the step gives the mean of all restoring forces; stiffness shares it out.
        resisting = on_dof(self.problem, loads.means) - (x.c * np.diff(u) + np.diff(p)) / self.h
        mean = (resisting + origin) / (x.b**2 / x.a + x.K)
        return self._ran(arrays, {"force": ((x.b * mean - s[0]) / x.a)[:, None], "mean_displacement": mean[:, None]})


def _fresh(count: int) -> Array:
    """Memory for histories; a long one begins on the border of a large page.

    The system clears memory as it is first written. In pages of 2 MB, which NumPy asks for from 4 MB on, that costs
    0.6 ns a number, in small ones 4; the ends of a block that fill no large page come in small ones.
    """
    if 8 * count < 2 * _PAGE:
        return np.empty(count)
    block = np.empty(count + _PAGE // 8)
    skip = -block.__array_interface__["data"][0] % _PAGE // 8
    return block[skip : skip + count]


@dataclass(frozen=True)
class PiecewiseExact(Scheme):
    """Exact solution of an elastic oscillator under a load that is linear between nodes.

    Exact for sampled records when the step divides the record's; refused for springs that can slip.

    Examples
    --------
    >>> PiecewiseExact(step=0.02).step
    0.02
    """

    step: float

    def __post_init__(self) -> None:
        check_step("PiecewiseExact", self.step)

    def prepare(self, problem: Problem, how: How) -> March:
        """One elastic mass on one spring."""
        return ExactOscillator(problem, self, how)
