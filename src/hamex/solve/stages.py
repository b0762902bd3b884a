"""Time elements with several stages: continuous ones of higher degree, and those with jumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.elements import element
from hamex.discretise.promised import check_promise
from hamex.discretise.schemes import DiscontinuousGalerkin, Galerkin
from hamex.discretise.stages import StageMaps, Table, coupling, stage_maps
from hamex.errors import ConvergenceError, SchemeError
from hamex.march.run import Kernel, compiled, worth_compiling
from hamex.march.stages import Slip, stages
from hamex.model.record import Model
from hamex.solution.solution import Solution
from hamex.solution.stages import StageHistory
from hamex.solve.gather import solution
from hamex.solve.laws import per_spring
from hamex.solve.loads import loading
from hamex.solve.problem import Problem

Array = NDArray[Any]


def solve_stages(problem: Problem, scheme: Galerkin | DiscontinuousGalerkin, quiet: bool) -> Solution:
    """March a model whose springs have sliders with an element of several stages."""
    model, h, steps = problem.model, scheme.step, problem.steps(scheme.step)
    check(problem, scheme)
    if scheme.locate:
        from hamex.solve.located import solve_located

        return solve_located(problem, scheme)
    if scheme.tolerance is not None:
        from hamex.solve.adaptive import solve_adaptive

        return solve_adaptive(problem, scheme, quiet)
    table = element(scheme)
    values = problem.load.stage_values(h, steps, table.c.tolist(), scheme.load, quiet)
    loads = loading(problem, values, np.einsum("i,rik->rk", table.b, values))
    start = problem.start
    done = Pieces(model, table, h, loads.patterns, steps).march(
        (start.displacement, start.momentum, start.slip, start.internal["back_force"],
         start.internal["accumulated_slip"]), values)
    if done.failed:
        raise ConvergenceError(f"{type(scheme).__name__}: the branches of step {done.failed} "
                               f"(t = {done.failed * h:g} s) were not found; loads or parameters are out of "
                               "proportion with the rest")
    histories = {"displacement": done.u, "momentum": done.p, "slip": done.slip, "force": done.mean,
                 "solves": done.solves}
    law = per_spring(model)
    if np.any(law["kinematic"] > 0) or np.any(law["isotropic"] > 0):
        histories |= {"back_force": done.X, "accumulated_slip": done.w}
    return solution(problem, scheme, histories, loads,
                    {"back_force": done.X[-1].copy(), "accumulated_slip": done.w[-1].copy()}, done.inside)


@dataclass(frozen=True, eq=False)
class Done:
    """What a march of several steps left; ``failed`` is 0 or the number of the step without an answer."""

    u: Array
    p: Array
    slip: Array
    X: Array
    w: Array
    mean: Array
    solves: Array
    inside: StageHistory
    failed: int


class Pieces:
    """Steps of one length, prepared once; ``march`` takes any number of them up to ``most``."""

    def __init__(self, model: Model, table: Table, h: float, patterns: Array, most: int) -> None:
        self.model, self.table, self.h = model, table, h
        self.maps = stage_maps(model, table, h, patterns)
        self.slip = slip_problem(model, table, self.maps, h)
        self.kinematic = per_spring(model)["kinematic"]
        rows = len(table.c) * len(model.springs)
        work = most * rows * (2 * len(model.dofs) + rows + 8)
        self.kernel: Kernel = compiled(stages) if worth_compiling(work) else stages

    def march(self, start: tuple[Any, ...], values: Array) -> Done:
        """From (u, p, slip, X, w) under stage loads (step, stage, channel)."""
        steps, n, springs, q = len(values), len(self.model.dofs), len(self.model.springs), len(self.table.c)
        maps, table, rows = self.maps, self.table, len(self.table.c) * len(self.model.springs)
        u, p = np.empty((steps + 1, n)), np.empty((steps + 1, n))
        slip, X, w = (np.empty((steps + 1, springs)) for _ in range(3))
        u[0], p[0], slip[0], X[0], w[0] = start
        g, F = np.zeros((steps, rows)), np.empty((steps, rows))
        mean, solves = np.empty((steps, springs)), np.zeros(steps, dtype=np.int64)
        failed = self.kernel(
            self.slip, maps.trial, maps.soft, maps.move, maps.move_low, maps.slide, table.b, self.h, self.kinematic,
            np.ascontiguousarray(values.reshape(steps, -1)), u, p, slip, X, w, g, F, mean,
            np.zeros(rows, dtype=np.int64), solves, np.empty(maps.move.shape[1]), np.empty(rows), np.empty(rows),
            np.empty((rows, rows)), np.empty(rows), np.empty(rows, dtype=np.int64))
        inside = StageHistory(table.c, table.A, table.b, maps.place, maps.place_slip, values,
                              g.reshape(steps, q, springs), F.reshape(steps, q, springs), self.continuous)
        return Done(u, p, slip, X, w, mean, solves, inside, int(failed))

    @property
    def continuous(self) -> bool:
        """Elements without jumps have no stage at the end of the step."""
        return bool(self.table.c[-1] < 1)


def check(problem: Problem, scheme: Galerkin | DiscontinuousGalerkin) -> None:
    """Refuse what elements of several stages cannot march."""
    name = f"{type(scheme).__name__}(degree={scheme.degree})"
    kinds = set(problem.model.laws) - {"slider"}
    surface = problem.model.laws.get("surface")
    if "power" in kinds or (surface is not None and len(surface.weight)):
        raise SchemeError(f"{name}: only springs with a Slider; use Galerkin(degree=1) for surfaces and power laws")
    if problem.supports is not None:
        raise SchemeError(f"{name}: moving supports are available with Galerkin(degree=1) only")
    check_promise(problem.model, scheme)


def slip_problem(model: Model, table: Table, maps: StageMaps, h: float) -> Slip:
    """The complementarity problem of a step of length h."""
    law, q = per_spring(model), len(table.c)
    limits = np.where(np.isin(np.arange(len(model.springs)), model.laws["slider"].springs), law["yield_force"], np.inf)
    return Slip(coupling(maps, table, h, law["kinematic"]), np.tile(law["viscosity"], q), np.tile(limits, q),
                h * np.kron(table.A, np.diag(law["isotropic"])), np.tile(law["isotropic"], q))
