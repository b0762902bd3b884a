"""The two families of schemes for structures as their marches see them: all but ``prepare``, which chooses a march; and
the march of one stage on any structure: loads in, the walk of :mod:`hamex.schemes.onestage`, words for what went wrong.
That walk is loaded for structures alone: oscillators and most shear frames have marches of their own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from hamex.errors import ConvergenceError, ModelError, SchemeError
from hamex.model.algebra import solved
from hamex.model.laws.path import at_start
from hamex.model.record import Model
from hamex.problem import Problem
from hamex.problem.loads import loads_between, support_motion
from hamex.schemes import promise
from hamex.schemes.prepare import OneStage, galerkin_stage, nodal_stage
from hamex.schemes.promised import matrices
from hamex.schemes.scheme import Array, Histories, How, LinearMap, March, Ran, Scheme, alpha_map, joined, table_map
from hamex.schemes.solvers import Solver, is_certain, mass_solved
from hamex.schemes.springs import can_break, spring_blocks

if TYPE_CHECKING:
    from hamex.schemes.onestage import Newton, OneStageMarch
    from hamex.schemes.promise import Form
    from hamex.schemes.stages import StageTable

LoadRule = Literal["average", "end", "mean"]
LOAD_RULES: tuple[str, ...] = get_args(LoadRule)
LawForm = Literal["path", "mean"]
LAW_FORMS: tuple[str, ...] = get_args(LawForm)
_NOTHING: Mapping[str, Array] = {}


class ElementScheme(Scheme):
    """A time element reads one load a step, or one for each of its stages."""

    step: float
    degree: int
    load: LoadRule
    locate: bool
    tolerance: float | None
    means = True

    @property
    def whole(self) -> bool:
        """True for the element of one stage, whose steps are neither cut nor halved."""
        return False

    @property
    def label(self) -> str:
        """Name with its degree, for messages; the paper's element is known by its name alone."""
        return self.name if self.whole else f"{self.name}(degree={self.degree})"

    @property
    def stages(self) -> int:
        """Unknown nodes of the shape functions."""
        return self.degree if self.continuous else self.degree + 1

    @property
    def halves(self) -> bool:
        """True with a tolerance."""
        return self.tolerance is not None

    @property
    def unresolved(self) -> float:
        """Nothing where steps are cut at yields, the tolerance where they are halved."""
        return 0.0 if self.locate else self.tolerance or math.inf

    def finer(self, parts: int) -> Scheme:
        """Shorter steps that see the whole load: a jump between nodes may hide from a load read at h, h/2 and h/4.

        A tolerance falls with the square of the step, else the pieces of a step would be as long as before.
        """
        load = self.load if self.locate else "mean"
        tolerance = None if self.tolerance is None else self.tolerance / parts**2
        return replace(self, step=self.step / parts, load=load, tolerance=tolerance)  # type: ignore[type-var]

    def balances(self, model: Model) -> bool:
        """True for laws that flow, where jumps dissipate what they are said to; of others one stage alone knows the
        mean force."""
        return all(
            group.law.form == "flow" or (self.whole and (group.law.spring_along or group.law.spring_piece) is not None)
            for group in model.laws.values()
            if len(group.springs)
        )

    def table(self) -> StageTable:
        """Nodes, matrix and weights of the element on [0, 1]; what doubles leave out stands in its ``low`` parts."""
        from hamex.schemes._generated import CONTINUOUS, DISCONTINUOUS
        from hamex.schemes.stages import StageTable

        element = (CONTINUOUS if self.continuous else DISCONTINUOUS)[self.degree]
        return StageTable(
            *(
                np.array(x)
                for x in (element.nodes, element.matrix, element.weights, element.matrix_low, element.weights_low)
            )
        )

    def loads(
        self, load: Histories, steps: int, quiet: bool = True, *, histories: Mapping[str, Array] = _NOTHING
    ) -> tuple[Array, Array]:
        """The values that enter the march, and their mean in each step (steps, k); ``quiet`` warns of nothing."""
        if self.whole:
            values = load.step_values(self.step, steps, self.load, quiet)
            return values, values
        table = self.table()
        values = load.stage_values(self.step, steps, table.c.tolist(), self.load, quiet)
        return values, np.einsum("i,rik->rk", table.b, values)

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the linear oscillator; the element of one stage takes the average of its ends as load."""
        table = self.table()
        whole = table_map(Omega, zeta, table.A, table.b, table.c)
        if not (self.whole and self.load == "average"):
            return whole
        total = whole.loading.sum(axis=-1, keepdims=True)
        return LinearMap(whole.matrix, total * [0.5, 0.5], np.array([0.0, 1.0]))

    def longest_step(self, model: Model) -> float:
        """Longest step with exactly one solution whatever the springs do [s]."""
        from hamex.schemes.promised import admissible

        return admissible(self.sees(model), self)

    def form(self) -> Form:
        """The numbers of the step's promise, see :mod:`hamex.schemes.promise`."""
        from hamex.schemes import promise

        A = self.table().A
        D, elastic = (
            (promise.GAUSS, promise.ELASTIC_GAUSS) if self.continuous else (promise.RADAU, promise.ELASTIC_RADAU)
        )
        return promise.collocation(A, D[len(A)], elastic[len(A)])


class NodeScheme(Scheme):
    """``M[(1−α_m)a₁ + α_m a₀] + C[(1−α_f)v₁ + α_f v₀] + … = (1−α_f)f₁ + α_f f₀`` with Newmark's β and γ, the springs
    returned to their limit at the end of the step (backward Euler). A scheme of this family is its numbers."""

    step: float

    def numbers(self) -> tuple[float, float, float, float]:
        """β, γ, α_m and α_f."""
        raise NotImplementedError

    def newton(self) -> Newton:
        """How a step is solved: it is the minimum of a convex potential, found by descent."""
        from hamex.schemes.onestage import Newton

        return Newton()

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the linear oscillator."""
        beta, gamma, alpha_m, alpha_f = self.numbers()
        return alpha_map(Omega, zeta, alpha_m, alpha_f, beta, gamma)

    def longest_step(self, model: Model) -> float:
        """Longest step with exactly one solution whatever the springs do [s]."""
        from hamex.schemes.promised import admissible

        return admissible(model, self)

    @property
    def label(self) -> str:
        """Name in messages."""
        return self.name

    def form(self) -> Form:
        """The numbers of the step's promise, see :mod:`hamex.schemes.promise`."""
        from hamex.schemes.promise import one_stage

        beta, gamma, alpha_m, alpha_f = self.numbers()
        return one_stage((1 - alpha_m) / ((1 - alpha_f) * beta), gamma / beta, 1.0)


_SAME = 1e-9  # of the largest momentum: what a velocity may be off to count as that of the momentum


class StructureMarch:
    """A one-stage scheme on a problem: reads its load, walks, and says what went wrong where a step was not solved."""

    def __init__(self, problem: Problem, scheme: Scheme, how: How, walk: OneStageMarch, starts: bool) -> None:
        self.problem, self.scheme, self.how, self.walk, self.starts = problem, scheme, how, walk, starts

    @property
    def solver(self) -> Solver | None:
        """What solves the linear systems of its steps; None for what fits into a band."""
        return self.walk.solver

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        values = loads.entered if self.walk.at_nodes else loads.means
        if self.starts and not ("velocity" in now and "acceleration" in now):
            now = {**now, **self._start_motion(now, loads.patterns @ values[0])}
        if first == 0:
            where = self._deformation(now), self.problem.model.spans(now["displacement"])
            now = {**now, **at_start(self.walk.model.laws, self.walk.blocks.by_group, *where, now)}
        if self.walk.follows and first == 0:
            now = {**now, "velocity": self._velocity(now)}
        starts = self._starts(first, steps) if len(self.walk.light) else None
        ran = self._taken(now, first, values, loads.moved, starts)
        if self.walk.newton.tolerance is not None:
            ran.steps["iterations"] = ran.steps["solves"]
        return ran

    def _starts(self, first: int, steps: int) -> Array:
        """Channel values at the starts of the steps, in the order of their patterns."""
        late = first * self.scheme.step
        acting, supports = self.problem.acting.after(late) if first else self.problem.acting, self.problem.supports
        nodes = acting.node_values(self.scheme.step, steps, True)[:-1]
        if supports is None:
            return nodes
        moved = support_motion(supports.after(late) if first else supports, self.scheme.step, steps)[:-1]
        return np.hstack([nodes, np.zeros_like(moved), moved])

    def _taken(
        self, now: Mapping[str, Array], first: int, values: Array, moved: Array | None, starts: Array | None
    ) -> Ran:
        """Steps under channel values; those in which a spring breaks are cut there."""
        from hamex.schemes.breaking import cut_step, whole_steps

        parts, at, may_break = list[Ran](), 0, self.walk.cuts and can_break(self.walk.model)
        while at < len(values) or not parts:
            supports = None if moved is None else moved[at:]
            on = None if starts is None else starts[at:]
            ran, failed, left = self.walk.walk(now, values[at:], supports, on)
            if failed and left != 0.0:
                raise self._failure(first + at + failed, left)
            parts.append(whole_steps(self.walk, ran) if may_break else ran)
            if not failed:
                break
            at += failed - 1
            cut = cut_step(
                self.walk,
                ran.end,
                values[at],
                None if moved is None else moved[at : at + 2],
                None if starts is None else starts[at],
            )
            parts.append(cut)
            now, at = parts[-1].end, at + 1
        return joined(parts)

    def _deformation(self, now: Mapping[str, Array]) -> Array:
        """Of the springs at the start; moving supports start where they are."""
        moved = loads_between(self.problem, self.scheme, 0, 1, True).moved
        deformation = self.problem.model.deformation(now["displacement"])
        return deformation if moved is None else deformation + moved[0]

    def _velocity(self, now: Mapping[str, Array]) -> Array:
        """The velocity of a start: what it brings along, if that is its momentum's: so a run goes on bit by bit."""
        model, p = self.problem.model, now["momentum"]
        if "velocity" in now:
            v = now["velocity"]
            if np.abs(model.mass @ v - p).max() <= _SAME * np.abs(p).max(initial=0.0):
                return v
        return mass_solved(model, p)

    def _start_motion(self, now: Mapping[str, Array], load: Array) -> dict[str, Array]:
        """Velocity and acceleration at t = 0 from the momentum and the equation of motion."""
        model = self.problem.model
        by_mass = mass_solved if self.walk.follows else _by_factors
        v = by_mass(model, now["momentum"])
        force = model.elastic_force(model.deformation(now["displacement"]) - now["slip"])
        resisting = model.damping_force(v) + model.stiffness @ now["displacement"] + model.compatibility @ force
        return {"velocity": v, "acceleration": by_mass(model, load - resisting)}

    def _failure(self, step: int, left: float) -> Exception:
        name, where = self.scheme.name, f"step {step} (t = {step * self.scheme.step:g} s)"
        if left < 0:
            return ModelError(
                f"{name}: the matrix of {where} is not positive definite at {self.walk.dof_of(left)!r}; "
                "a negative stiffness or the scheme's numbers are out of proportion"
            )
        plain = self.walk.newton
        if plain.tolerance is not None:
            return ConvergenceError(
                f"{name}: {where} did not converge in {plain.most} iterations, tolerance {plain.tolerance:g}. Take a "
                "shorter step, safeguarded=True, or Galerkin, which cannot fail"
            )
        return ConvergenceError(
            f"{name}: {where} was not solved to round-off; the load or a parameter is out of "
            "proportion with the rest (or overflows)"
        )


def _by_factors(model: Model, p: Array) -> Array:
    return solved(model.mass, p)


def _convex(model: Model, scheme: ElementScheme | NodeScheme, how: How, stage: OneStage) -> OneStage:
    """The stage as its factors show that it is convex; refuses a step that is not, where one solution is promised."""
    if is_certain(model):
        return stage
    system, form = matrices(model), scheme.form()
    if how.promise == "beforehand":
        promise.check(form, system, scheme.step, scheme.label)
    return stage.gathered() if promise.rests_on_shapes(form, system, scheme.step) else stage


def galerkin_march(problem: Problem, scheme: ElementScheme, how: How) -> March:
    """The linear time element on any structure."""
    from hamex.march.structure import galerkin
    from hamex.schemes.onestage import Newton, OneStageMarch

    model, h = scheme.sees(problem.model), scheme.step
    blocks = spring_blocks(model)
    stage = _convex(model, scheme, how, galerkin_stage(model, h))
    patterns = loads_between(problem, scheme, 0, 1, True).patterns
    walk = OneStageMarch(
        model,
        stage,
        blocks,
        patterns,
        galerkin,
        (h,),
        "mean",
        scheme.name,
        how.steps,
        Newton(reported=how.promise == "reported"),
        solver=how.solver,
    )
    return StructureMarch(problem, scheme, how, walk, starts=False)


def nodal_march(problem: Problem, scheme: NodeScheme, how: How) -> March:
    """Newmark's family and generalised-α on any structure."""
    from hamex.march.structure import nodal
    from hamex.schemes.onestage import OneStageMarch

    model, h = problem.model, scheme.step
    if problem.supports is not None:
        raise SchemeError(f"{scheme.name}: moving supports are available with Galerkin only")
    beta, gamma, m, f = scheme.numbers()
    blocks = spring_blocks(model)
    stage = _convex(model, scheme, how, nodal_stage(model, h, beta, gamma, m, f))
    numbers = (
        gamma / (beta * h),
        1 / (beta * h * h),
        1 - gamma / beta,
        h * (1 - 0.5 * gamma / beta),
        -1 / (beta * h),
        1 - 0.5 / beta,
        m,
        f,
    )
    patterns = loads_between(problem, scheme, 0, 1, True).patterns
    walk = OneStageMarch(
        model,
        stage,
        blocks,
        patterns,
        nodal,
        numbers,
        "end",
        scheme.name,
        how.steps,
        replace(scheme.newton(), reported=how.promise == "reported"),
        ("velocity", "acceleration"),
        carries_force=f != 0,
        solver=how.solver,
        cuts=False,  # at nodes a spring holds to the end of the step in which it breaks
    )
    return StructureMarch(problem, scheme, how, walk, starts=True)
