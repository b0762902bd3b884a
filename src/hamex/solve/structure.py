"""Structures: prepare the convex step, march it, and gather the result."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from hamex.discretise.chain import is_chain
from hamex.discretise.schemes import Galerkin, Newmark
from hamex.discretise.structure import check_convex, galerkin_stage, newmark_stage, spring_blocks
from hamex.errors import SchemeError
from hamex.march.structure import galerkin, newmark
from hamex.problem import Problem
from hamex.solution.loads import loading, moving_supports
from hamex.solution.solution import Solution
from hamex.solve.chain import solve_chain
from hamex.solve.run import Run

Array = NDArray[Any]


def solve_structure(problem: Problem, scheme: Galerkin | Newmark, quiet: bool) -> Solution:
    """March any model through its load."""
    if isinstance(scheme, Galerkin):
        if problem.supports is None and is_chain(problem.model):
            return solve_chain(problem, scheme, quiet)
        return _galerkin(problem, scheme, quiet)
    return _newmark(problem, scheme, quiet)


def _galerkin(problem: Problem, scheme: Galerkin, quiet: bool) -> Solution:
    model, h, steps = problem.model, scheme.step, problem.steps(scheme.step)
    blocks = spring_blocks(model)
    check_convex(model, blocks, lambda step: galerkin_stage(model, step), h, "Galerkin")
    values = problem.load.step_values(h, steps, scheme.load, quiet)
    loads = moving_supports(problem, loading(problem, values, values), h, steps)
    run = Run(problem, galerkin_stage(model, h), blocks, steps)
    imposed = run.at_rest if loads.moved is None else 0.5 * (loads.moved[:-1] + loads.moved[1:])
    failed = run.march(galerkin, (h, loads.means, run.ordered(loads.patterns), imposed, run.stride))
    run.check(scheme, failed)
    return run.solution(scheme, run.F, loads, {})


def _newmark(problem: Problem, scheme: Newmark, quiet: bool) -> Solution:
    model, h, steps = problem.model, scheme.step, problem.steps(scheme.step)
    if problem.supports is not None:
        raise SchemeError("Newmark: moving supports are available with Galerkin only")
    blocks = spring_blocks(model)
    check_convex(model, blocks, lambda step: newmark_stage(model, step, scheme.beta, scheme.gamma), h, "Newmark")
    values = problem.load.node_values(h, steps, quiet)
    loads = loading(problem, values, 0.5 * (values[:-1] + values[1:]))
    run = Run(problem, newmark_stage(model, h, scheme.beta, scheme.gamma), blocks, steps, at_nodes=True,
              plain=None if scheme.safeguarded else scheme)
    v, a = run.start_motion(loads.patterns @ values[0])
    failed = run.march(newmark, (run.damping, h, scheme.beta, scheme.gamma, values, run.ordered(loads.patterns),
                                 run.at_rest, run.stride), (v, a))
    run.check(scheme, failed)
    force = run.node_forces()
    force = 0.5 * (force[:-1] + force[1:])
    return run.solution(scheme, force, loads, {"velocity": run.restored(v), "acceleration": run.restored(a)})
