"""Structures: prepare the convex step, march it, and gather the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.chain import is_chain
from hamex.discretise.onestage import Newton, OneStageMarch, Ran
from hamex.discretise.schemes import Galerkin, Newmark, Scheme
from hamex.discretise.springs import spring_blocks
from hamex.discretise.structure import check_convex, galerkin_stage, newmark_stage
from hamex.errors import ConvergenceError, ModelError, SchemeError
from hamex.march import structure as drivers
from hamex.model.algebra import solved
from hamex.model.per_spring import recorded
from hamex.problem import Problem
from hamex.solution.loads import Loading, loading, moving_supports
from hamex.solution.solution import Solution
from hamex.solve.chain import solve_chain
from hamex.solve.gather import solution

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
    march = OneStageMarch(model, galerkin_stage(model, h), blocks, loads.patterns, drivers.galerkin, (h,), "mean",
                          "Galerkin", steps)
    ran = march.advance(start_of(problem, loads), loads.means, loads.moved)
    check(march, ran, scheme)
    return gathered(problem, scheme, ran, ran.steps["law_force"])


def _newmark(problem: Problem, scheme: Newmark, quiet: bool) -> Solution:
    model, h, steps = problem.model, scheme.step, problem.steps(scheme.step)
    if problem.supports is not None:
        raise SchemeError("Newmark: moving supports are available with Galerkin only")
    blocks = spring_blocks(model)
    check_convex(model, blocks, lambda step: newmark_stage(model, step, scheme.beta, scheme.gamma), h, "Newmark")
    values = problem.load.node_values(h, steps, quiet)
    loads = loading(problem, values, 0.5 * (values[:-1] + values[1:]))
    beta, gamma = scheme.beta, scheme.gamma
    numbers = drivers.Nodal(gamma / (beta * h), 1 / (beta * h * h), 1 - gamma / beta, h * (1 - 0.5 * gamma / beta),
                            -1 / (beta * h), 1 - 0.5 / beta, 0.0, 0.0)
    newton = Newton() if scheme.safeguarded else Newton(scheme.tolerance, scheme.max_iterations)
    march = OneStageMarch(model, newmark_stage(model, h, beta, gamma), blocks, loads.patterns, drivers.nodal, (numbers,),
                          "end", "Newmark", steps, newton, ("velocity", "acceleration"))
    start = start_of(problem, loads)
    ran = march.advance(start | start_motion(problem, start, loads.patterns @ values[0]), values)
    check(march, ran, scheme)
    force = model.elastic_force(model.deformation(ran.nodes["displacement"]) - ran.nodes["slip"])
    ran.steps["iterations"] = ran.steps["solves"]
    return gathered(problem, scheme, ran, 0.5 * (force[:-1] + force[1:]))


def start_of(problem: Problem, loads: Loading) -> dict[str, Array]:
    """The state at t = 0 by name."""
    start = problem.start
    deformation = problem.model.deformation(start.displacement) + (0.0 if loads.moved is None else loads.moved[0])
    return {"displacement": start.displacement, "momentum": start.momentum, "slip": start.slip,
            "deformation": deformation, **start.internal}


def start_motion(problem: Problem, start: Mapping[str, Array], load: Array) -> dict[str, Array]:
    """Velocity and acceleration at t = 0: as carried, or from the momentum and the equation of motion."""
    model = problem.model
    if "velocity" in start and "acceleration" in start:
        return {}
    v = model.velocity(start["momentum"])
    force = model.elastic_force(start["deformation"] - start["slip"])
    resisting = (model.damping_force(v) + model.stiffness @ start["displacement"] + model.compatibility @ force)
    return {"velocity": v, "acceleration": solved(model.mass, load - resisting)}


def check(march: OneStageMarch, ran: Ran, scheme: Scheme) -> None:
    """Say what went wrong in a step that was not solved."""
    if not ran.failed:
        return
    name, where = type(scheme).__name__, f"step {ran.failed} (t = {ran.failed * scheme.step:g} s)"
    if ran.left < 0:
        raise ModelError(f"{name}: the matrix of {where} is not positive definite at {march.dof_of(ran.left)!r}; a "
                         "negative stiffness or the scheme's numbers are out of proportion")
    if isinstance(scheme, Newmark) and not scheme.safeguarded:
        raise ConvergenceError(
            f"Newmark: {where} did not converge in {scheme.max_iterations} iterations, tolerance "
            f"{scheme.tolerance:g}. Take a shorter step, safeguarded=True, or Galerkin, which cannot fail")
    raise ConvergenceError(f"{name}: {where} was not solved to round-off; the load or a parameter is out of "
                           "proportion with the rest (or overflows)")


def gathered(problem: Problem, scheme: Scheme, ran: Ran, force: Array) -> Solution:
    """The histories that are worth keeping, and the state at the end."""
    kept = {"displacement", "momentum", "slip", *recorded(problem.model)}
    histories = {name: value for name, value in ran.nodes.items() if name in kept}
    histories |= {"force": force} | {name: value for name, value in ran.steps.items() if name != "law_force"}
    internal = {name: value for name, value in ran.end.items() if name not in ("displacement", "momentum", "slip")}
    still = np.zeros(len(problem.model.springs))
    internal = {"back_force": still, "accumulated_slip": still} | internal
    return solution(problem, scheme, histories, None, internal)

