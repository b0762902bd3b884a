"""Steps halved until their error is small: nodes stay multiples of the step, inside it the element is repeated.

A step is taken with 1, 2, 4 … equal pieces until two results differ by less than the tolerance, and the finer one
stands. The decision depends on the state at its start and on the load alone, so reruns and restarts repeat it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.elements import element
from hamex.discretise.schemes import DiscontinuousGalerkin, Galerkin
from hamex.errors import ConvergenceError
from hamex.problem import Problem
from hamex.problem.loads import loading
from hamex.solution.energy import energy_entries
from hamex.solution.solution import Solution
from hamex.solution.stages import stage_balance
from hamex.solve.gather import solution
from hamex.solve.stages import Pieces

Array = NDArray[Any]
FINEST = 12          # 4096 pieces a step


def solve_adaptive(problem: Problem, scheme: Galerkin | DiscontinuousGalerkin, quiet: bool) -> Solution:
    """March with pieces chosen by the scheme's tolerance; counts them as ``pieces``."""
    assert scheme.tolerance is not None
    h, steps, start = scheme.step, problem.steps(scheme.step), problem.start
    table = element(scheme)
    values = problem.load.stage_values(h, steps, table.c.tolist(), scheme.load, quiet)
    loads = loading(problem, values, np.einsum("i,rik->rk", table.b, values))

    @cache
    def level(k: int) -> tuple[Pieces, Array]:
        parts = 2**k
        given = values if k == 0 else problem.load.stage_values(h / parts, steps * parts, table.c.tolist(), scheme.load,
                                                                True)
        return Pieces(problem.model, table, h / parts, loads.patterns, parts), given

    states = [(start.displacement, start.momentum, start.slip, start.internal["back_force"],
               start.internal["accumulated_slip"])]
    force, pieces, spent = [], np.zeros(steps, dtype=np.int64), np.zeros((steps + 1, 4))
    for r in range(steps):
        coarse = None
        for k in range(FINEST + 1):
            run, given = level(k)
            parts = 2**k
            done = run.march(states[-1], given[r * parts:(r + 1) * parts])
            if coarse is not None and np.abs(done.u[-1] - coarse.u[-1]).max() <= scheme.tolerance:
                break
            coarse = done
        else:
            raise ConvergenceError(f"{type(scheme).__name__}: step {r + 1} (t = {(r + 1) * h:g} s) misses the "
                                   f"tolerance {scheme.tolerance:g} even with {2**FINEST} pieces; give a larger one")
        states.append((done.u[-1], done.p[-1], done.slip[-1], done.X[-1], done.w[-1]))
        force.append(done.mean.mean(axis=0))
        pieces[r] = parts
        found = stage_balance(problem.model, h / parts, done.inside, loads.patterns, {
            "displacement": done.u, "momentum": done.p, "slip": done.slip, "back_force": done.X,
            "accumulated_slip": done.w})
        grown = found["hardening"][-1] - found["hardening"][0]
        spent[r + 1] = spent[r] + [found["viscous"][-1], found["plastic"][-1] + grown, found["jumps"][-1],
                                   found["input"][-1]]
    u, p, slip, X, w = (np.array(column) for column in zip(*states, strict=True))
    nodes = {"displacement": u, "momentum": p, "slip": slip, "back_force": X, "accumulated_slip": w}
    more = energy_entries(problem.model, h, nodes, np.array(force), spent)
    histories = {"displacement": u, "momentum": p, "slip": slip, "force": np.array(force), "pieces": pieces,
                 "back_force": X, "accumulated_slip": w, **more}
    return solution(problem, scheme, histories, loads,
                    {"back_force": X[-1].copy(), "accumulated_slip": w[-1].copy()})
