"""The one joint: a problem and a scheme go in, a solution comes out."""

from __future__ import annotations

import dataclasses

from hamex.discretise.prepare import is_oscillator
from hamex.discretise.schemes import Galerkin, Newmark, PiecewiseExact, Scheme
from hamex.errors import ProblemError
from hamex.solution.error import estimate
from hamex.solution.solution import Solution
from hamex.solution.state import State
from hamex.solve.oscillator import exact_oscillator, galerkin_oscillator, newmark_oscillator
from hamex.solve.problem import Problem

__all__ = ["Problem", "State", "solve"]


def solve(problem: Problem, scheme: Scheme, error: bool = False) -> Solution:
    """March a problem through its duration.

    Parameters
    ----------
    problem : model, load, start and duration.
    scheme : :class:`Galerkin`, :class:`Newmark` or :class:`PiecewiseExact`, with its step.
    error : also run with a half and a quarter of the step and put error bars on the peaks and the residual slip.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(yield_force=0.27, viscosity=1.5))
    >>> load = hx.el_centro().scaled(2).on(model, g=1.0)   # the paper uses the record as a bare number
    >>> sol = hx.solve(hx.Problem(model, load, duration=40.0), hx.Galerkin(step=0.02, load="end"))
    >>> f"{1000 * sol.values('slip')[-1, 0]:.4f}"          # Table 2
    '-5.1638'
    """
    solution = _run(problem, scheme)
    if error:
        finer = (_run(problem, dataclasses.replace(scheme, step=scheme.step / parts), quiet=True) for parts in (2, 4))
        solution = dataclasses.replace(solution, error=estimate(solution, *finer))
    return solution


def _run(problem: Problem, scheme: Scheme, quiet: bool = False) -> Solution:
    """One march; ``quiet`` runs do not repeat the warning about a step longer than the record's."""
    if not isinstance(scheme, Galerkin | Newmark | PiecewiseExact):
        raise ProblemError(f"solve: the scheme must be Galerkin, Newmark or PiecewiseExact, got {scheme!r}")
    if isinstance(scheme, PiecewiseExact):
        return exact_oscillator(problem, scheme, quiet)
    if is_oscillator(problem.model) and problem.supports is None and not getattr(scheme, "safeguarded", False):
        if isinstance(scheme, Galerkin):
            return galerkin_oscillator(problem, scheme, quiet)
        return newmark_oscillator(problem, scheme, quiet)
    from hamex.solve.structure import solve_structure

    return solve_structure(problem, scheme, quiet)
