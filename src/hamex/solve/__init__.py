"""The one joint: a problem and a scheme go in, a solution comes out."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory, is_one_of
from hamex.errors import (
    BalanceWarning,
    CoarseStepWarning,
    ConvergenceError,
    OverflowRunError,
    ProblemError,
    SchemeError,
    ShortLoadWarning,
    ShortRunWarning,
    SwingWarning,
    warn,
)
from hamex.march import run as kernels
from hamex.model.algebra import rows
from hamex.model.record import Model, swings
from hamex.names import options_by_keyword
from hamex.problem import Limit, Problem, State
from hamex.problem.loads import base_motion, breaks_off, left_over, pushed_in, warn_of_coarse_waves
from hamex.schemes.families import StructureMarch
from hamex.schemes.prepare import is_long
from hamex.schemes.scheme import How, March, Promise, Ran, Scheme, joined
from hamex.schemes.solvers import ConjugateGradients, Solver
from hamex.solution.energy import CLOSED
from hamex.solution.outline import Extent
from hamex.solution.solution import Solution
from hamex.solve.parts import Keep, Thinned, check_finite, solution_of, state_of

__all__ = ["Keep", "Problem", "State", "solve"]

Array = NDArray[Any]
Progress = Callable[[int, int], object]
_PER_PERIOD = 10  # steps that a period should have
_CARRIED = 0.05  # of the mass: modes with less need no steps of their own
_BLOCK = 1 << 14  # numbers of a history between two looks at progress and limits


@options_by_keyword
def solve(
    problem: Problem,
    scheme: Scheme,
    error: bool = False,
    *,
    limit: Limit | None = None,
    settle: float | None = None,
    keep: Keep | int | Sequence[str] | None = None,
    promise: Promise | Literal["cut"] = "beforehand",
    solver: Solver | None = None,
    progress: Progress | None = None,
) -> Solution:
    """March a problem through its duration.

    Parameters
    ----------
    problem : model, load, start and duration.
    scheme : :class:`Galerkin`, :class:`DiscontinuousGalerkin`, :class:`Newmark` or another of ``hamex.schemes``, with
        its step.
    error : also run with a half and a quarter of the step, seven times the work in all, and put error bars on the
        peaks and on residual slip and drift.
    limit : storey drift beyond which the structure counts as collapsed, told by ``sol.status`` and ``sol.exceeded``;
        a drift ratio of 0.1 by default, where heights are known. The run ends there: peaks, energies and histories are
        those up to the first node beyond. ``Limit(stop=False)`` goes on.
    settle : go on after the duration, without load, until the motion has died down: until what a storey drift (or the
        dof that moved most) can still swing by is below this share of the largest drift, e.g. 0.001. The tail is a
        quarter of the duration, then a half, one, two … and 32 of them at most; ``sol.problem`` has the whole duration.
        Where that is not enough ``sol.status`` says so, with a warning. ``sol.rest`` tells where the structure comes to
        rest without waiting for it.
    keep : every how many steps a node is kept, names of results, or :class:`Keep` for both. Peaks, energies and the
        state at the end come from all steps whatever is kept, and memory does not grow with their number.
    promise : "beforehand" refuses a step that might have several solutions and names the admissible one; "reported"
        goes on by descent, checks the tangent at every solution, and ``sol.uncertain`` tells from when on one solution
        was not certain; "cut" takes steps of an equal part of the scheme's, as long as the promise allows.
        ``sol.promises`` says what held.
    solver : of the linear systems of a step: :class:`hamex.Factors`, :class:`hamex.ConjugateGradients`, or None, what
        costs less: factors but for large bodies in space. ``sol.provenance["solver"]`` names it where it is a choice.
    progress : called with the steps done and their number after each block; False ends the run there.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(yield_force=0.27, viscosity=1.5))
    >>> load = hx.el_centro().scaled(2).on(model, g=1.0)   # the paper uses the record as a bare number
    >>> sol = hx.solve(hx.Problem(model, load, duration=40.0), hx.Galerkin(step=0.02, load="end"))
    >>> f"{1000 * sol.values('slip')[-1, 0]:.4f}"          # Table 2
    '-5.1638'
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"solve: the problem must be a Problem, got {type(problem).__name__}")
    if limit is not None and not isinstance(limit, Limit):
        raise ProblemError(f"solve: limit must be a Limit, such as Limit(drift_ratio=0.05), got {limit!r:.60}")
    if not isinstance(scheme, Scheme):
        raise ProblemError(
            f"solve: the scheme must be one of hamex.schemes, such as Galerkin(step=0.02), got {scheme!r}"
        )
    if not is_one_of(promise, ("beforehand", "reported", "cut")):
        raise ProblemError(f'solve: promise must be "beforehand", "reported" or "cut", got {promise!r}')
    if solver is not None and not isinstance(solver, Solver):
        raise ProblemError(f"solve: solver must be Factors() or ConjugateGradients(…), got {solver!r:.60}")
    if problem.rests:
        from hamex.solve.static import at_rest

        problem = at_rest(problem)
    if promise == "cut":
        scheme, promise = shortened(problem.model, scheme), "beforehand"
    kept = Keep.of(keep)
    if not isinstance(error, bool | np.bool_):
        raise ProblemError(f"solve: error must be True or False, got {error!r:.60}")
    if error and not kept.whole:
        raise ProblemError("solve: error bars compare whole histories of three runs; leave keep out, or error")
    if error:
        _check_memory(problem.model, scheme, 4 * problem.steps(scheme.step))
    if settle is not None:
        from hamex.solve.settling import check_settle

        check_settle("solve", settle)
    early = left_over(problem.load, problem.duration)
    if early:
        _say_early(early, settle)
    ended = breaks_off(problem.load, problem.duration)
    if ended:
        warnings.warn(
            f"solve: a load ends at {ended[0]:g} s with {ended[1]:.0%} of its largest value and is zero one sample "
            f"later, but the run goes on to {problem.duration:g} s; what stays, such as gravity, is the standing load "
            "of a problem",
            ShortLoadWarning,
            stacklevel=2,
        )
    warn_of_coarse_waves(problem, scheme.step)
    with kernels.told(None if progress is None else _nothing):
        solution = run(problem, scheme, limit, kept, promise, progress, settle=settle, solver=solver)
    if not error:  # error bars tell it better
        _warn_of_coarse_step(problem, scheme)
    if solution.extent.settled is False:
        warnings.warn(
            f"solve: the motion has not died down after {solution.all_steps * scheme.step:g} s; what is left of drifts "
            "is that of an instant, and not where they come to rest; add damping, or take a larger settle",
            SwingWarning,
            stacklevel=3,
        )
    if error:
        from hamex.solution.error import estimate

        # Those of shorter steps go as far as this one, wherever they would end themselves.
        own = solution.problem.replace(duration=solution.steps * scheme.step)
        on = dataclasses.replace(solution.limit, stop=False)
        finer = (run(own, scheme.finer(parts), on, promise=promise, quiet=True, solver=solver) for parts in (2, 4))
        solution = dataclasses.replace(
            solution, error=estimate(solution, *finer, order=scheme.order, unresolved=scheme.unresolved)
        )
    return solution


def shortened(model: Model, scheme: Scheme) -> Scheme:
    """The scheme with its step cut into the fewest equal parts at which every step has one solution."""
    parts = math.floor(scheme.step / scheme.longest_step(model)) + 1
    return scheme if parts == 1 else dataclasses.replace(scheme, step=scheme.step / parts)  # type: ignore[type-var]


def _nothing(seconds: float) -> None:
    """Stay silent where a kernel is compiled: whoever hands in ``progress`` shows the time."""


def _say_early(early: float, settle: float | None) -> None:
    if settle is not None:
        raise ProblemError(
            f"solve: settle goes on without load, but the load goes on for {early:g} s after the duration; "
            "take a duration to its end"
        )
    warnings.warn(
        f"solve: the run ends {early:g} s before its load; what comes later is not seen", ShortRunWarning, stacklevel=4
    )


def _warn_of_coarse_step(problem: Problem, scheme: Scheme) -> None:
    """Warn, once of a model, where ten steps are longer than a period that carries a part of the mass in a direction
    that the load pushes in; of schemes of higher order fewer make one."""
    model = problem.model
    if model.body is not None or problem.supports is not None or "coarse step" in vars(model):
        return
    periods, shares = swings(model)
    shares = shares[:, pushed_in(problem)].max(axis=1, initial=0.0)
    periods, shares = periods[shares > _CARRIED], shares[shares > _CARRIED]
    last = int(np.argmin(periods)) if periods.size else 0
    longest = periods[last] / _PER_PERIOD * max(float(scheme.order) / 2, 1.0) if periods.size else math.inf
    if scheme.step > longest * (1 + 1e-9):
        vars(model)["coarse step"] = True
        digit = 10.0 ** (math.floor(math.log10(longest)) - 1)
        warn(
            f"solve: steps of {scheme.step:g} s are too long for the period of {periods[last]:.3g} s, whose mode "
            f"carries {shares[last]:.0%} of the mass: {periods[last] / scheme.step:.2g} steps per period where "
            f"{periods[last] / longest:.2g} are needed, so that peaks may be far off; take "
            f"{digit * math.floor(longest / digit * (1 + 1e-9)):.2g} s or less",
            CoarseStepWarning,
        )


def run(
    problem: Problem,
    scheme: Scheme,
    limit: Limit | None = None,
    keep: Keep | None = None,
    promise: Promise = "beforehand",
    progress: Progress | None = None,
    quiet: bool = False,
    told: bool = False,
    block: int | None = None,
    settle: float | None = None,
    solver: Solver | None = None,
) -> Solution:
    """One march, in blocks of ``block`` steps; no bit of the result depends on them.

    ``told`` runs do not repeat the warning about a step longer than the record's; ``quiet`` ones warn of nothing.
    """
    keep, limit = keep or Keep(), limit or Limit()
    steps = problem.steps(scheme.step)
    if steps % keep.every:
        raise ProblemError(
            f"solve: keep every {keep.every} steps of {steps}: it must divide them; take another number "
            "of steps, or another duration"
        )
    _check_memory(problem.model, scheme, steps // keep.every, keep.results)
    march = scheme.prepare(problem, How(steps, quiet or told, promise, solver))
    if isinstance(solver, ConjugateGradients) and not isinstance(march, StructureMarch):
        raise SchemeError(
            f"{scheme.name}: conjugate gradients solve steps of one stage, Galerkin(degree=1), Newmark and their kin, "
            "on structures and bodies; what is smaller has its own way: leave solver out"
        )
    thinned = None if keep.whole else Thinned(problem, scheme, keep, limit)
    waiting = None
    if settle is not None:
        from hamex.solve.settling import Waiting

        waiting = Waiting(problem, settle, steps, keep.every)
    first = _passing(problem, limit, scheme.step, steps)
    if block is None:
        width = len(problem.model.dofs) + len(problem.model.springs)
        looks = thinned is not None or progress is not None or first is not None
        block = max(_BLOCK // width, 8) if looks else steps
    now, done, parts, uncertain, stopped = _at_node(problem), 0, [], None, False
    while done < steps and not stopped:
        count = min(block, steps - done) if thinned is None else min(block, steps - done, thinned.room())
        if first is not None:
            ran, count, stopped = _to_the_limit(march, scheme, now, done, count, first)
        else:
            ran = march.advance(now, done, count)
        if ran.uncertain and uncertain is None:
            uncertain = (done + ran.uncertain - 1) * scheme.step
        if thinned is None:
            parts.append(ran)
        else:
            thinned.take(ran)
        now, done = ran.end, done + count
        if progress is not None and progress(done, steps) is False:
            stopped = stopped or done < steps
        if waiting is not None and not stopped and waiting.goes_on(ran, done):
            steps = waiting.steps
            problem = problem.replace(duration=steps * scheme.step)
            first = _passing(problem, limit, scheme.step, steps)
            march = scheme.prepare(problem, How(steps, True, promise, solver))
    extent = Extent(
        promise=promise,
        uncertain=uncertain,
        stopped=stopped and done < steps,
        settled=None if waiting is None or stopped else waiting.settled,
        solver=repr(march.solver) if isinstance(march, StructureMarch) and march.solver is not None else "",
    )
    solution = (
        thinned.solution(problem, extent)
        if thinned is not None
        else solution_of(problem, scheme, joined(parts), extent, limit)
    )
    if not quiet:
        _warn_of_balance(solution)
    return solution


def _at_node(problem: Problem) -> dict[str, Array]:
    """The state that a motion starts from."""
    model, now = problem.model, state_of(problem.start)
    if not np.any(now.get("last_force", 0.0)):
        return now
    from hamex.model.laws.path import at_node

    return at_node(model.laws, model.spring_stiffness, now)


def _warn_of_balance(solution: Solution) -> None:
    """Say where a balance that the scheme promises is lost: rounding grows with (hω)², so short steps are not asked."""
    model, scheme = solution.model, solution.scheme
    if not scheme.balances(model):
        return
    if "residual" in solution.histories or is_long(model, scheme.step):
        residual = solution.residual
        if residual > CLOSED:
            warnings.warn(
                f"{scheme.name}: the energy balance closes to {residual:.1e} of the largest work only, not to "
                f"round-off: a step of {scheme.step:g} s is so long beside the fastest motion of the model that "
                "rounding grows with its square. Take a shorter step, or soften what is far stiffer than the rest",
                BalanceWarning,
                stacklevel=4,
            )


def _check_memory(model: Model, scheme: Scheme, steps: int, results: Sequence[str] | None = None) -> None:
    """Refuse histories that no memory holds: displacement, momentum, slip and forces, or some results, and energies."""
    dofs, springs = len(model.dofs), len(model.springs)
    nodal = 2 if model.body is None else 3  # displacement, momentum, and the velocity of bodies
    wide = 5 + (nodal * dofs + 2 * springs if results is None else len(results) * max(dofs, springs))
    inside = 0 if scheme.stages == 1 or results is not None else scheme.stages * (dofs + springs)
    check_memory(
        "solve",
        steps * (wide + inside),
        f"the histories of {steps:,} steps",
        "take a longer step or a shorter duration, or keep fewer of them",
    )


def _passing(problem: Problem, limit: Limit, step: float, steps: int) -> Callable[[Array, int], int | None] | None:
    """A function that finds the first of some nodes beyond the limit; None where no drift ends the run."""
    storeys = problem.model.storeys
    if not limit.stop or storeys is None or not np.isfinite(limit.drifts(storeys.heights)).any():
        return None
    base = base_motion(problem, step, steps)
    moved = None if base is None else base @ (storeys.drift @ problem.model.influence).T

    def first(displacement: Array, done: int) -> int | None:
        drift = rows(displacement, storeys.drift.T)
        if moved is not None:
            drift = drift - moved[done : done + len(drift)]
        beyond = limit.passed(drift, storeys.heights).any(axis=1)
        return int(beyond.argmax()) if beyond.any() else None

    return first


def _to_the_limit(
    march: March, scheme: Scheme, now: Mapping[str, Array], done: int, count: int, first: Callable[..., int | None]
) -> tuple[Ran, int, bool]:
    """Some steps, at most so many, how many they are, and whether they end at the first node beyond the limit."""
    try:
        ran = march.advance(now, done, count)
    except (ConvergenceError, OverflowRunError):
        # What fails after the limit was passed is no failure: look whether it was, in shorter pieces.
        if count == 1:
            raise
        return _to_the_limit(march, scheme, now, done, count // 2, first)
    beyond = first(ran.nodes["displacement"], done)
    if beyond is None:
        if not np.isfinite(ran.end["displacement"]).all():
            check_finite(scheme, ran, done)
        return ran, count, False
    passed = max(beyond, 1)
    return (ran if passed == count else march.advance(now, done, passed)), passed, True
