"""Time elements with several stages: continuous ones of higher degree, and those with jumps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.elements import element
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
from hamex.solve.stage_march import StageMarch

Array = NDArray[Any]
_SMALL = 16      # stages times springs up to which maps of a whole step are the faster way


def solve_stages(problem: Problem, scheme: Galerkin | DiscontinuousGalerkin, quiet: bool) -> Solution:
    """March a model with an element of several stages."""
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
         start.internal["accumulated_slip"]), values, start.internal.get("branch"))
    if done.failed:
        raise ConvergenceError(f"{type(scheme).__name__}: step {done.failed} (t = {done.failed * h:g} s) was not "
                               "solved; loads or parameters are out of proportion with the rest, or the step is "
                               "so long that it has several solutions")
    histories = {"displacement": done.u, "momentum": done.p, "slip": done.slip, "force": done.mean,
                 "solves": done.solves}
    law = per_spring(model)
    if np.any(law["kinematic"] > 0) or np.any(law["isotropic"] > 0):
        histories |= {"back_force": done.X, "accumulated_slip": done.w}
    return solution(problem, scheme, histories, loads,
                    {"back_force": done.X[-1].copy(), "accumulated_slip": done.w[-1].copy(),
                     "branch": done.branch.astype(float)}, done.inside)


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
    branch: Array
    inside: StageHistory
    failed: int


class Pieces:
    """Steps of one length, prepared once; ``march`` takes any number of them up to ``most``.

    A few sliders are marched by maps of a whole step, with sums beyond double precision; everything else, and a step
    whose branches those maps do not find, by the equations of the stages.
    """

    def __init__(self, model: Model, table: Table, h: float, patterns: Array, most: int) -> None:
        self.model, self.table, self.h, self.most, self.patterns = model, table, h, most, patterns
        self.small = is_small(model, table)
        if not self.small:
            return
        self.maps = stage_maps(model, table, h, patterns)
        self.slip = slip_problem(model, table, self.maps, h)
        self.kinematic = per_spring(model)["kinematic"]
        rows = len(table.c) * len(model.springs)
        work = most * rows * (2 * len(model.dofs) + rows + 8)
        self.kernel: Kernel = compiled(stages) if worth_compiling(work) else stages

    @cached_property
    def by_stages(self) -> StageMarch:
        """The march by the equations of the stages."""
        return StageMarch(self.model, self.table, self.h, self.patterns, self.most)

    def march(self, start: tuple[Any, ...], values: Array, branch: Array | None = None) -> Done:
        """From (u, p, slip, X, w) under stage loads (step, stage, channel); ``branch`` is the guess."""
        branch = np.zeros(len(self.model.springs)) if branch is None else branch
        if not self.small:
            return self._staged(start, values, branch)
        done = self._mapped(start, values)
        while done.failed:
            r = done.failed - 1
            once = self._staged(tuple(x[r] for x in (done.u, done.p, done.slip, done.X, done.w)), values[r:r + 1],
                                np.zeros(len(self.model.springs)))
            if once.failed:
                return done
            rest = self._mapped(tuple(x[-1] for x in (once.u, once.p, once.slip, once.X, once.w)), values[r + 1:])
            done = _joined(done, r, once, rest)
        return done

    def _mapped(self, start: tuple[Any, ...], values: Array) -> Done:
        steps, n, springs, q = len(values), len(self.model.dofs), len(self.model.springs), len(self.table.c)
        maps, table, rows = self.maps, self.table, len(self.table.c) * len(self.model.springs)
        u, p = np.empty((steps + 1, n)), np.empty((steps + 1, n))
        slip, X, w = (np.empty((steps + 1, springs)) for _ in range(3))
        u[0], p[0], slip[0], X[0], w[0] = start
        g, F = np.zeros((steps, rows)), np.zeros((steps, rows))
        mean, solves, branch = np.zeros((steps, springs)), np.zeros(steps, dtype=np.int64), np.zeros(rows, np.int64)
        failed = self.kernel(
            self.slip, maps.trial, maps.soft, maps.move, maps.move_low, maps.slide, table.b, self.h, self.kinematic,
            np.ascontiguousarray(values.reshape(steps, -1)), u, p, slip, X, w, g, F, mean,
            branch, solves, np.empty(maps.move.shape[1]), np.empty(rows), np.empty(rows),
            np.empty((rows, rows)), np.empty(rows), np.empty(rows, dtype=np.int64))
        inputs = np.hstack([u[:-1], p[:-1], slip[:-1], values.reshape(steps, -1)])
        moved = (inputs @ maps.place.T + g @ maps.place_slip.T).reshape(steps, q, n)
        rate = g.reshape(steps, q, springs)
        inside = StageHistory(table.c, table.A, table.b, moved, values, rate, np.abs(rate), F.reshape(rate.shape),
                              self.continuous)
        return Done(u, p, slip, X, w, mean, solves, branch[-springs:], inside, int(failed))

    def _staged(self, start: tuple[Any, ...], values: Array, branch: Array) -> Done:
        u, p, *state = start
        z = np.stack(state, axis=1).ravel()              # slip, back force and accumulated slip, spring by spring
        run, table = self.by_stages.advance(u, p, z, branch, values), self.table
        inside = StageHistory(table.c, table.A, table.b, run.stage, values, run.rate[..., ::3], run.rate[..., 2::3],
                              run.force, self.continuous)
        return Done(run.u, run.p, run.z[:, ::3], run.z[:, 1::3], run.z[:, 2::3],
                    np.einsum("i,rij->rj", table.b, run.force), run.solves, run.branch, inside, run.failed)

    @property
    def continuous(self) -> bool:
        """Elements without jumps have no stage at the end of the step."""
        return bool(self.table.c[-1] < 1)


def _joined(first: Done, steps: int, once: Done, rest: Done) -> Done:
    """Some steps of ``first``, one of ``once`` and those of ``rest``."""
    nodes = {name: np.concatenate([getattr(first, name)[:steps + 1], getattr(once, name)[1:], getattr(rest, name)[1:]])
             for name in ("u", "p", "slip", "X", "w")}
    parts = {name: np.concatenate([getattr(first, name)[:steps], getattr(once, name), getattr(rest, name)])
             for name in ("mean", "solves")}
    inside: dict[str, Any] = {name: np.concatenate([getattr(first.inside, name)[:steps], getattr(once.inside, name),
                                    getattr(rest.inside, name)])
              for name in ("moved", "loads", "slip_rates", "growth", "force")}
    failed = rest.failed + steps + 1 if rest.failed else 0
    return Done(**nodes, **parts, branch=rest.branch, inside=replace(first.inside, **inside), failed=failed)


def is_small(model: Model, table: Table) -> bool:
    """True where maps of a whole step cost least: a few sliders and nothing else.

    Isotropic hardening goes by the stages, whose law knows what happens where a stage would start below no slip.
    """
    law = model.laws["slider"]
    alone = len(law.springs) == len(model.springs) and not np.any(law.isotropic > 0)
    return bool(alone and len(table.c) * max(len(model.springs), len(model.dofs)) <= _SMALL)


def check(problem: Problem, scheme: Galerkin | DiscontinuousGalerkin) -> None:
    """Refuse what elements of several stages cannot march."""
    name = f"{type(scheme).__name__}(degree={scheme.degree})"
    law = problem.model.laws["slider"]
    if scheme.locate and len(law.springs) < len(problem.model.springs):
        raise SchemeError(f"{name}: locate finds the events of springs with a Slider only; leave it out for surfaces "
                          "and power laws")
    if problem.supports is not None:
        raise SchemeError(f"{name}: moving supports are available with Galerkin(degree=1) only")


def slip_problem(model: Model, table: Table, maps: StageMaps, h: float) -> Slip:
    """The complementarity problem of a step of length h."""
    law, q = per_spring(model), len(table.c)
    limits = np.where(np.isin(np.arange(len(model.springs)), model.laws["slider"].springs), law["yield_force"], np.inf)
    return Slip(coupling(maps, table, h, law["kinematic"]), np.tile(law["viscosity"], q), np.tile(limits, q),
                h * np.kron(table.A, np.diag(law["isotropic"])), np.tile(law["isotropic"], q))
