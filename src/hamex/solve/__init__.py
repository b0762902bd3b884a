"""The one joint: a problem and a scheme go in, a solution comes out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from hamex.checks import check_memory, is_one_of
from hamex.errors import ProblemError
from hamex.model.record import Model
from hamex.names import options_by_keyword
from hamex.problem import Limit, Problem, State
from hamex.schemes.scheme import How, Promise, Ran, Scheme, joined
from hamex.solution.error import estimate
from hamex.solution.outline import Extent
from hamex.solution.solution import Solution
from hamex.solve.parts import Keep, Thinned, part_of, solution_of, state_of

__all__ = ["Keep", "Problem", "State", "solve"]

Array = NDArray[Any]
Progress = Callable[[int, int], object]
_BLOCK = 1 << 14  # numbers of a history between two looks at progress and limits


@options_by_keyword
def solve(
    problem: Problem,
    scheme: Scheme,
    error: bool = False,
    *,
    limit: Limit | None = None,
    keep: Keep | int | Sequence[str] | None = None,
    promise: Promise = "beforehand",
    progress: Progress | None = None,
) -> Solution:
    """March a problem through its duration.

    Parameters
    ----------
    problem : model, load, start and duration.
    scheme : :class:`Galerkin`, :class:`DiscontinuousGalerkin`, :class:`Newmark` or another of ``hamex.schemes``, with
        its step.
    error : also run with a half and a quarter of the step and put error bars on the peaks and the residual slip.
    limit : storey drift beyond which the structure counts as collapsed, told by ``sol.status`` and ``sol.exceeded``;
        a drift ratio of 0.1 by default, where heights are known. ``Limit(stop=True)`` ends the run there.
    keep : every how many steps a node is kept, names of results, or :class:`Keep` for both. Peaks, energies and the
        state at the end come from all steps whatever is kept, and memory does not grow with their number.
    promise : "beforehand" refuses a step that might have several solutions and names the admissible one; "reported"
        goes on by descent, checks the tangent at every solution, and ``sol.uncertain`` tells from when on one solution
        was not certain.
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
    if not is_one_of(promise, ("beforehand", "reported")):
        raise ProblemError(f'solve: promise must be "beforehand" or "reported", got {promise!r}')
    kept = Keep.of(keep)
    if error and not kept.whole:
        raise ProblemError("solve: error bars compare whole histories of three runs; leave keep out, or error")
    if error:
        _check_memory(problem.model, scheme, 4 * problem.steps(scheme.step))
    solution = run(problem, scheme, limit, kept, promise, progress)
    if error:
        finer = (
            run(problem, dataclasses.replace(scheme, step=scheme.step / parts), promise=promise, quiet=True)  # type: ignore[type-var]
            for parts in (2, 4)
        )
        solution = dataclasses.replace(solution, error=estimate(solution, *finer))
    return solution


def run(
    problem: Problem,
    scheme: Scheme,
    limit: Limit | None = None,
    keep: Keep | None = None,
    promise: Promise = "beforehand",
    progress: Progress | None = None,
    quiet: bool = False,
    block: int | None = None,
) -> Solution:
    """One march, in blocks of ``block`` steps; no bit of the result depends on them.

    ``quiet`` runs do not repeat the warning about a step longer than the record's.
    """
    keep, limit = keep or Keep(), limit or Limit()
    steps = problem.steps(scheme.step)
    if steps % keep.every:
        raise ProblemError(
            f"solve: keep every {keep.every} steps of {steps}: it must divide them; take another number "
            "of steps, or another duration"
        )
    _check_memory(problem.model, scheme, steps // keep.every, keep.results)
    march = scheme.prepare(problem, How(steps, quiet, promise))
    thinned = None if keep.whole else Thinned(problem, scheme, keep, limit)
    if block is None:
        width = len(problem.model.dofs) + len(problem.model.springs)
        block = steps if thinned is None and progress is None and not limit.stop else max(_BLOCK // width, 8)
    now, done, parts, uncertain, stopped = state_of(problem.start), 0, [], None, False
    while done < steps and not stopped:
        count = min(block, steps - done) if thinned is None else min(block, steps - done, thinned.room())
        ran = march.advance(now, done, count)
        if limit.stop:
            passed = _passed(problem, scheme, ran, now, done, limit)
            if passed is not None and passed < count:
                ran, count, stopped = march.advance(now, done, passed), passed, True
            stopped = stopped or passed is not None
        if ran.uncertain and uncertain is None:
            uncertain = (done + ran.uncertain - 1) * scheme.step
        if thinned is None:
            parts.append(ran)
        else:
            thinned.take(ran)
        now, done = ran.end, done + count
        if progress is not None and progress(done, steps) is False:
            stopped = stopped or done < steps
    ended = stopped and done < steps
    if thinned is not None:
        return thinned.solution(uncertain, ended)
    return solution_of(problem, scheme, joined(parts), Extent(uncertain=uncertain, stopped=ended), limit)


def _check_memory(model: Model, scheme: Scheme, steps: int, results: Sequence[str] | None = None) -> None:
    """Refuse histories that no memory holds: displacement, momentum, slip and forces, or some results, and energies."""
    dofs, springs = len(model.dofs), len(model.springs)
    wide = 5 + (2 * dofs + 2 * springs if results is None else len(results) * max(dofs, springs))
    inside = 0 if scheme.stages == 1 or results is not None else scheme.stages * (dofs + springs)
    check_memory(
        "solve",
        steps * (wide + inside),
        f"the histories of {steps:,} steps",
        "keep fewer of them, as with keep=1000, or take a longer step or a shorter duration",
    )


def _passed(
    problem: Problem, scheme: Scheme, ran: Ran, now: Mapping[str, Array], done: int, limit: Limit
) -> int | None:
    """How many of these steps lead to the first node beyond the limit; None when none does."""
    exceeded = part_of(problem, scheme, ran, now, done, limit).exceeded
    return None if exceeded is None else max(round(exceeded.time / scheme.step) - done, 1)
