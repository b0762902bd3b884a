"""One mass on one spring with a slider: the paper's oscillator, with a kernel of its own for each scheme, what schemes
for it refuse and what their marches share; and the scheme for an elastic oscillator alone, its exact solution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError, SchemeError
from hamex.march import followed as t
from hamex.march.followed import by_means, by_pieces, one_oscillator
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
from hamex.march.reference import Mass, collocation
from hamex.march.run import Kernel, around_law, entered, march, worth_compiling
from hamex.march.tables import Table
from hamex.model.laws.path import at_start
from hamex.model.record import Model
from hamex.problem import Problem
from hamex.problem.loads import Loading, loads_between
from hamex.schemes.prepare import damping_of_one, exact_recurrence, linear_element, scalars
from hamex.schemes.promised import check_promise
from hamex.schemes.scheme import How, Ran, Scheme, check_step, on_dof, room_for

if TYPE_CHECKING:
    from hamex.schemes.families import ElementScheme
    from hamex.schemes.scheme import March

Array = NDArray[Any]
_FOLLOWED = (
    10  # a step of a followed spring in units of a slider's, by the effort of its law: for the choice to compile
)
_INSTEAD = "use GeneralisedAlpha, Newmark or Galerkin"


def one_mass(model: Model, who: str) -> Mass:
    """The numbers of one mass on one spring; refuses every other model by name and says what to use."""
    x = scalars(model, who)
    if x.K:
        raise SchemeError(f"{who}: stiffness beside the spring (P-Delta) is not available; {_INSTEAD}")
    if x.isotropic:
        raise SchemeError(f"{who}: isotropic hardening is not available; {_INSTEAD}, or kinematic hardening")
    if x.b != 1:
        raise SchemeError(
            f"{who}: the spring must follow the mass one to one, its compatibility is {x.b:g}; {_INSTEAD}"
        )
    return Mass(x.m, x.c, 1 / x.a, x.yield_force, x.viscosity, x.kinematic)


class OneMassMarch:
    """What the marches of one mass share: its numbers, node arrays with the start in entry 0, and the next state.

    Velocity and whatever else a kernel carries go on in the state as they are, so that no restart rounds them.
    """

    def __init__(self, problem: Problem, scheme: Scheme, how: How) -> None:
        if problem.supports is not None:
            raise SchemeError(f"{scheme.name}: moving supports are available with Galerkin only")
        self.problem, self.how, self.h, self.reads = problem, how, scheme.step, scheme
        self.x = one_mass(problem.model, scheme.name)

    def _loads(self, first: int, steps: int) -> Loading:
        return loads_between(self.problem, self.reads, first, steps, self.how.quiet or first > 0)

    def _at_stages(self, values: Array) -> Array:
        """Load on the mass at the stages, (step, stage), from channels (step, stage, k)."""
        steps, stages, channels = values.shape
        return np.ascontiguousarray(on_dof(self.problem, values.reshape(-1, channels)).reshape(steps, stages))

    def _nodes(self, now: Mapping[str, Array], steps: int) -> tuple[Array, ...]:
        """Displacement, velocity, slip and back force, the start in entry 0."""
        u, v, s, X = np.empty((4, steps + 1))
        u[0], s[0], X[0] = (now[name][0] for name in ("displacement", "slip", "back_force"))
        v[0] = now["velocity"][0] if "velocity" in now else now["momentum"][0] / self.x.m
        return u, v, s, X

    def _balanced(self, u: Array, v: Array, load: Array, weights: Array) -> Array:
        """Mean spring force of the steps from their balance of momentum, which Runge-Kutta tables keep.

        ``load`` at the stages is summed stage by stage: a product of matrices rounds one row in another way than many.
        """
        mean = sum(weight * load[:, i] for i, weight in enumerate(weights.tolist()))
        return np.asarray(mean - (self.x.c * np.diff(u) + self.x.m * np.diff(v)) / self.h)

    def _ran(
        self, now: Mapping[str, Array], arrays: tuple[Array, ...], force: Array, carried: Mapping[str, Array]
    ) -> Ran:
        """Histories, mean spring force of the steps and the next state, with what the kernel carries on."""
        u, v, s, X = arrays
        p = self.x.m * v
        p[0] = now["momentum"][0]
        nodes = {"displacement": u, "momentum": p, "slip": s}
        end = {"accumulated_slip": now["accumulated_slip"].copy(), "back_force": X[-1:].copy()}
        if self.x.kinematic:
            slipped = np.cumsum(np.concatenate([now["accumulated_slip"], np.abs(np.diff(s))]))
            nodes |= {"back_force": X, "accumulated_slip": slipped}
        end |= {name: value[-1:].copy() for name, value in nodes.items()} | {"velocity": v[-1:].copy(), **carried}
        return Ran({name: value[:, None] for name, value in nodes.items()}, {"force": force[:, None]}, end)


def is_followed(model: Model) -> bool:
    """True for one mass on one spring that is followed along its path and does not break."""
    groups = [group for group in model.laws.values() if len(group.first)]
    if len(model.dofs) != 1 or len(model.springs) != 1 or len(groups) != 1 or groups[0].law.form != "path":
        return False
    kernel = groups[0].law.spring_piece or groups[0].law.spring_along
    return kernel is not None and float(model.compatibility[0, 0]) == 1.0 and not np.any(model.massless)


def step_of(law: Any) -> Kernel:
    """The step of an oscillator around the law of its spring."""
    if law.spring_piece is not None:
        return around_law(by_pieces, "spring_piece", law.spring_piece)
    return around_law(by_means, "spring_along", law.spring_along)


class FollowedOscillator:
    """The linear time element on one mass whose spring is followed along its path, in closed form."""

    def __init__(self, problem: Problem, scheme: ElementScheme, how: How) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        self.model = scheme.sees(problem.model)
        check_promise(self.model, scheme)
        (kind, group), *_ = [(kind, group) for kind, group in self.model.laws.items() if len(group.first)]
        self.law, self.stiffness = group.law, self.model.spring_stiffness
        self.N, self.R, model = Table(t.HEAD + 1, np.int64), Table(t.FORCES + 1), self.model
        self.R[t.NUMBERS] = np.array([model.mass[0, 0], damping_of_one(model), model.stiffness[0, 0]], float)
        self.R[t.LAW] = np.ascontiguousarray(group.law.prepared(group, self.stiffness[kind], 1.0)[0], dtype=float)
        self.R[t.AFTER] = np.empty(len(group.law.variables))
        kernel = around_law(one_oscillator, "moved_by", step_of(group.law))
        work = _FOLLOWED * group.law.effort * how.steps
        self.run = entered(kernel, self.N, self.R, 0.0, compile=worth_compiling(work, kernel))

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        if first == 0:
            start = self.model.deformation(now["displacement"])
            now = {**now, **at_start(self.model.laws, self.stiffness, start, np.abs(start), now)}
        names = self.law.variables
        u, p, z, F = room_for((steps + 1,), (steps + 1,), (steps + 1, len(names)), (steps,))
        u[0], p[0] = now["displacement"][0], now["momentum"][0]
        z[0] = [now[name][0] if name in now else 0.0 for name in names]
        self.N[t.HEAD] = np.array([1, steps, 1, len(names), 0])
        self.R[t.LOAD] = np.ascontiguousarray(on_dof(self.problem, loads.means))
        self.R[t.U], self.R[t.P], self.R[t.Z], self.R[t.FORCES] = u, p, z, F
        self.run(self.N, self.R, float(self.scheme.step))
        nodes = {"displacement": u[:, None], "momentum": p[:, None]}
        nodes |= {name: z[:, [v]] for v, name in enumerate(names)}
        return Ran(nodes, {"force": F[:, None]}, {name: history[-1].copy() for name, history in nodes.items()})


class CollocationMarch(OneMassMarch):
    """Balance at t + θh with Newmark's β and γ; the acceleration goes on from step to step."""

    def __init__(self, problem: Problem, scheme: Scheme, how: How, numbers: tuple[float, float, float]) -> None:
        super().__init__(problem, scheme, how)
        self.numbers = numbers

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        x, at_nodes = self.x, on_dof(self.problem, self._loads(first, steps).entered)
        u, v, s, X = self._nodes(now, steps)
        a = np.empty(steps + 1)
        going = "velocity" in now and "acceleration" in now
        a[0] = now["acceleration"][0] if going else (at_nodes[0] - x.c * v[0] - x.k * (u[0] - s[0])) / x.m
        load = np.stack([at_nodes[:-1], at_nodes[1:]], axis=1)
        march(collocation, (load, self.h, x, *self.numbers), (u, v, a, s, X), self.how.steps)
        force = x.k * (u - s)
        return self._ran(now, (u, v, s, X), 0.5 * (force[:-1] + force[1:]), {"acceleration": a[-1:].copy()})


class _Oscillator:
    """What the marches of one oscillator share: its numbers, and node arrays with the start in entry 0."""

    def __init__(self, problem: Problem, scheme: Scheme, how: How) -> None:
        self.problem, self.h, self.how = problem, scheme.step, how
        self.x = scalars(problem.model, scheme.name)
        self.stride = int(self.x.hardens)

    def _nodes(self, now: Mapping[str, Array], steps: int) -> tuple[tuple[Array, ...], Array]:
        """u, p, slip, X and w, the last two in full only where a spring hardens, and F; all in one block of memory."""
        n, more = steps + 1, self.stride * steps + 1
        *arrays, F = room_for((n,), (n,), (n,), (more,), (more,), (steps,))
        names = ("displacement", "momentum", "slip", "back_force", "accumulated_slip")
        for array, name in zip(arrays, names, strict=True):
            array[0] = now[name][0]
        return tuple(arrays), F

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
