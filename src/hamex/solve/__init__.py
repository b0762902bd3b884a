"""The one joint: a problem and a scheme go in, a solution comes out."""

from __future__ import annotations

import dataclasses

from hamex.discretise.prepare import is_oscillator
from hamex.discretise.schemes import DiscontinuousGalerkin, Galerkin, LeapFrog, Newmark, PiecewiseExact, Scheme
from hamex.errors import ProblemError
from hamex.problem import Limit, Problem, State
from hamex.solution.error import estimate
from hamex.solution.solution import Solution
from hamex.solve.oscillator import exact_oscillator, galerkin_oscillator, newmark_oscillator

__all__ = ["Problem", "State", "solve"]


def solve(problem: Problem, scheme: Scheme, error: bool = False, limit: Limit | None = None) -> Solution:
    """March a problem through its duration.

    Parameters
    ----------
    problem : model, load, start and duration.
    scheme : :class:`Galerkin`, :class:`DiscontinuousGalerkin`, :class:`Newmark`, :class:`PiecewiseExact` or
        :class:`LeapFrog`, with its step.
    error : also run with a half and a quarter of the step and put error bars on the peaks and the residual slip.
    limit : storey drift beyond which the structure counts as collapsed, told by ``sol.status`` and ``sol.exceeded``;
        a drift ratio of 0.1 by default, where heights are known.

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
    return solution if limit is None else dataclasses.replace(solution, limit=limit)


def _run(problem: Problem, scheme: Scheme, quiet: bool = False) -> Solution:
    """One march; ``quiet`` runs do not repeat the warning about a step longer than the record's."""
    if not isinstance(scheme, Galerkin | DiscontinuousGalerkin | Newmark | PiecewiseExact | LeapFrog):
        raise ProblemError("solve: the scheme must be Galerkin, DiscontinuousGalerkin, Newmark, PiecewiseExact or "
                           f"LeapFrog, got {scheme!r}")
    if isinstance(scheme, DiscontinuousGalerkin) or (isinstance(scheme, Galerkin) and (
            scheme.degree > 1 or scheme.locate or scheme.tolerance is not None)):
        from hamex.solve.stages import solve_stages

        return solve_stages(problem, scheme, quiet)
    if isinstance(scheme, LeapFrog):
        from hamex.solve.leapfrog import solve_leapfrog

        return solve_leapfrog(problem, scheme, quiet)
    if isinstance(scheme, PiecewiseExact):
        return exact_oscillator(problem, scheme, quiet)
    if is_oscillator(problem.model) and problem.supports is None and not getattr(scheme, "safeguarded", False):
        if isinstance(scheme, Galerkin):
            return galerkin_oscillator(problem, scheme, quiet)
        return newmark_oscillator(problem, scheme, quiet)
    from hamex.solve.structure import solve_structure

    return solve_structure(problem, scheme, quiet)
