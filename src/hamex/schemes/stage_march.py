"""Marches of the time elements with several stages, on any structure with any law: by maps of a whole step where a
model is small (:mod:`hamex.schemes.stages`), else by the equations of the stages.

Prepared once; from a state, n steps and the next state. Steps that are cut at events, or halved to a tolerance, are
made of these in :mod:`hamex.schemes.located`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError, SchemeError
from hamex.march import stage_tables as t
from hamex.march.matrices import lu_solved
from hamex.march.run import Callback, entered, place, worth_compiling
from hamex.march.stage_newton import measured, stage_march
from hamex.march.stage_springs import followed_state, linearised, respond
from hamex.model.laws.ellipsoids import WIDEST
from hamex.model.record import Model
from hamex.problem import Problem
from hamex.problem.loads import loads_between
from hamex.schemes.promised import check_promise
from hamex.schemes.scheme import How, Ran, joined
from hamex.schemes.sparse import SparseLU, places_of
from hamex.schemes.springs import effort_of, is_linear, law_kernels, prepared_springs, spring_blocks, states
from hamex.schemes.stage_system import WIDEST_BAND, StageLayout, StageSystem
from hamex.schemes.stages import MappedSteps, StageHistory, StageTable, is_small

if TYPE_CHECKING:
    from hamex.schemes.families import ElementScheme

Array = NDArray[Any]
_WORK_PER_SPRING = 200  # a spring's stage in units of an oscillator's step, for the choice to compile
_SLIDER = ("slip", "back_force", "accumulated_slip")  # what its state has, in the order of the maps


@dataclass(frozen=True, eq=False)
class Steps:
    """What n steps left.

    Attributes
    ----------
    u, p : (node, dof); z : (node, entry), states of the springs; branch : (spring,) at the end.
    stage : (step, stage, dof), displacements relative to the start of the step.
    force : (step, stage, spring); rate : (step, stage, entry of z), rates of the states.
    solves, tries : (step,) linear solves and trials; left : (step,) relative residuals.
    failed : 0, or the number of the step that was not solved.
    """

    u: Array
    p: Array
    z: Array
    branch: Array
    stage: Array
    force: Array
    rate: Array
    solves: Array
    tries: Array
    left: Array
    failed: int


class StageMarch:
    """Steps of one length, prepared once; ``advance`` takes any number of them, with bits that do not depend on how
    a run is cut. ``most`` is how many to expect, for the choice to compile; ``wide`` forces the sparse solver."""

    def __init__(
        self,
        model: Model,
        table: StageTable,
        h: float,
        patterns: Array,
        most: int = 1000,
        wide: bool | None = None,
        who: str = "element of several stages",
    ) -> None:
        self.layout = layout_of(model)
        self.system = StageSystem(model, self.layout, table, h)
        self.order, N, R = self.system.order, self.system.N, self.system.R
        wide = self.system.width > WIDEST_BAND if wide is None else wide
        dofs, q = len(model.dofs), len(table.c)
        factor = 0 if wide else 4 * q**3 * dofs * self.system.width**2  # of a band
        factors = 1 if is_linear(model) else most
        work = q * most * max(effort_of(model), dofs) * _WORK_PER_SPRING + factors * factor
        laws = law_kernels(model, "end", who)
        pieces = (respond, linearised, measured, followed_state, stage_march)
        machine = worth_compiling(work, *pieces, *(() if wide else (lu_solved,)), *laws)
        self._put_laws(model, R[t.TAU], who, machine)
        x, solver = np.zeros(0), (N, R, R[t.TIED], 0, R[t.D])
        if wide:
            places = places_of(model)
            matrix = SparseLU(self.system, None if places is None else places[self.order])
            self.solver = Callback(matrix.solved, *solver, compile=machine)
        else:
            self.system.put_band()
        N[t.CALL] = np.array(
            [
                place(respond, N, R, x, x, x, 0, compile=machine),
                place(linearised, N, R, x, compile=machine),
                place(measured, N, R, x, x, x, x, 0.0, compile=machine),
                self.solver.address if wide else place(lu_solved, *solver, compile=machine),
                place(followed_state, N, R, x, x, compile=machine),
            ]
        )
        R[t.PATTERNS] = np.ascontiguousarray(patterns[self.order].T, dtype=float)
        N[t.HEAD][t.CHANNELS] = patterns.shape[1]
        self.kernel = entered(stage_march, N, R, 0, compile=machine)

    def _put_laws(self, model: Model, tau: Array, who: str, machine: bool) -> None:
        """Put the laws as stages of lengths τ see them; ``machine``: for compiled code."""
        N, R, blocks = self.system.N, self.system.R, spring_blocks(model)
        each = [prepared_springs(model, blocks, float(length), "end", who, machine) for length in tau]
        groups, at = np.array([x.groups for x in each]), 0
        for of_stage, springs in zip(groups, each, strict=True):
            of_stage[3::3] += at
            at += len(springs.P)
        N[t.GROUPS], N[t.LAWS] = groups, each[0].I
        R[t.LAW], R[t.LAW_WORK] = np.concatenate([x.P for x in each]), np.zeros(16 * WIDEST)

    def advance(self, u: Array, p: Array, z: Array, branch: Array, values: Array) -> Steps:
        """From (u, p, z, branch) under the channels ``values`` (step, stage, channel)."""
        N, R, order, steps = self.system.N, self.system.R, self.order, len(values)
        dofs, springs, q, entries = len(order), len(branch), values.shape[1], self.layout.entries
        nodes = [np.empty((steps + 1, size)) for size in (dofs, dofs, entries)]
        for history, start in zip(nodes, (u[order], p[order], z), strict=True):
            history[0] = start
        inside = [np.empty((steps, q, size)) for size in (dofs, springs, entries)]
        left, solves, tries = np.zeros(steps), np.zeros(steps, dtype=np.int64), np.zeros(steps, dtype=np.int64)
        end = np.array(branch, dtype=np.int64)
        given = *nodes, *inside, left, np.ascontiguousarray(values, dtype=float)
        for slot, array in enumerate(given, t.U):
            R[slot] = array
        N[t.LAST_BRANCH], N[t.SOLVES], N[t.TRIES] = end, solves, tries
        N[t.COUNT][:] = 0
        failed = self.kernel(N, R, steps)
        u, p, x = (self._restored(history) for history in (*nodes[:2], inside[0]))
        return Steps(u, p, nodes[2], end, x, inside[1], inside[2], solves, tries, left, int(failed))

    def _restored(self, x: Array) -> Array:
        """An array with the kernel's dofs last, in the model's order."""
        out = np.empty_like(x)
        out[..., self.order] = x
        return out


def layout_of(model: Model) -> StageLayout:
    """Blocks of springs and their states, group by group; elastic laws have no state that flows."""
    blocks, places = spring_blocks(model), states(model)
    first, size, begin, variables, tangent, straight, stiffness, follows = ([] for _ in range(8))
    block_at = 0
    for kind, group in model.laws.items():
        sizes = np.asarray(group.sizes, dtype=np.int64)
        flows = group.law.form == "flow"
        first.append(group.first)
        size.append(sizes)
        begin.append(places.slip[group.first])
        variables.append(np.full(len(sizes), len(group.law.variables) if flows else 0))
        straight.append(np.full(len(sizes), group.law.straight))
        if group.blocked:
            tangent.append(blocks.place[block_at : block_at + len(sizes)])
            block_at += len(sizes)
            stiffness += [k[:m, :m] for k, m in zip(blocks.by_group[kind], sizes, strict=True)]
        else:
            tangent.append(group.first)
            stiffness += list(blocks.by_group[kind].reshape(-1, 1, 1))
        if not flows:
            follows.append(places.slip[group.springs])
    whole = [
        np.concatenate([np.zeros(0, dtype=np.int64), *x])
        for x in (first, size, begin, variables, tangent, straight, follows)
    ]
    return StageLayout(
        whole[0],
        whole[1],
        stiffness,
        whole[2],
        whole[3],
        whole[4],
        whole[5].astype(bool),
        whole[6],
        places.size,
        blocks.entries,
    )


def check_stages(problem: Problem, scheme: ElementScheme, how: How) -> None:
    """Refuse what an element with several stages cannot do, before any work."""
    model, name = problem.model, scheme.label
    # An element of degree 1 is here for what else was asked of it, and to name its degree alone would help nobody.
    asked = [word for word in ("locate", "tolerance") if getattr(scheme, word, None)]
    one = "Galerkin(degree=1)" + (f" without {' and '.join(asked)}" if asked else "")
    if how.promise == "reported":
        raise SchemeError(f'{name}: promise="reported" is for schemes of one stage, whose step is a descent; use {one}')
    if problem.supports is not None:
        raise SchemeError(f"{name}: moving supports are available with {one} only")
    for group in model.laws.values():
        if group.law.form == "path":
            more = "" if group.law.spring_at is None else ", or Newmark(…, safeguarded=True)"
            raise SchemeError(
                f"{name}: {group.law.__name__} follows its path, and there is none between stages; use {one}{more}"
            )
        if group.law.kind == "surface" and np.any(group.isotropic > 0) and len(scheme.table().c) > 1:
            raise SchemeError(
                f"{name}: surfaces with isotropic hardening have no certain answer where a stage would "
                f"start below no slip; use {one}, or kinematic hardening"
            )
    if scheme.locate and any(group.law.slides(group) is None for group in model.laws.values()):
        raise SchemeError(f"{name}: locate finds the events of springs with a Slider only; leave it out for other laws")
    check_promise(model, scheme)


class ElementMarch:
    """Whole steps of an element."""

    def __init__(self, problem: Problem, scheme: ElementScheme, how: How) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        patterns = loads_between(problem, scheme, 0, 1, True).patterns
        self.pieces = Pieces(problem.model, scheme.table(), scheme.step, patterns, how.steps, scheme.label)

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        values = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0).entered
        ran, failed = self.pieces.march(now, values)
        if failed:
            step = first + failed
            raise ConvergenceError(
                f"{self.scheme.name}: step {step} (t = {step * self.scheme.step:g} s) was not "
                "solved to round-off; loads or parameters are out of proportion (or overflow)"
            )
        return ran


class Pieces:
    """Steps of one length, prepared once; ``march`` takes any number of them.

    A few sliders are marched by maps of a whole step, with sums beyond double precision; everything else, and a step
    whose branches those maps do not find, by the equations of the stages.
    """

    def __init__(self, model: Model, table: StageTable, h: float, patterns: Array, most: int, who: str) -> None:
        self.model, self.table, self.h, self.most, self.patterns, self.who = model, table, h, most, patterns, who
        self.mapped = MappedSteps(model, table, h, patterns, most) if is_small(model, table) else None
        self.states = states(model)

    @cached_property
    def by_stages(self) -> StageMarch:
        """The march by the equations of the stages."""
        return StageMarch(self.model, self.table, self.h, self.patterns, self.most, who=self.who)

    def march(self, now: Mapping[str, Array], values: Array) -> tuple[Ran, int]:
        """From a state by name under stage loads (step, stage, channel); and 0, or the step that was not solved."""
        if self.mapped is None:
            return self._staged(now, values)
        parts: list[Ran] = []
        done = 0
        while done < len(values):
            ran, failed = self._mapped(now, values[done:])
            if failed:
                if failed > 1:
                    ran, _ = self._mapped(now, values[done : done + failed - 1])
                    parts.append(ran)
                    now, done = ran.end, done + failed - 1
                ran, wrong = self._staged({**now, "branch": np.zeros(len(self.model.springs))}, values[done : done + 1])
                if wrong:
                    return ran, done + 1
            parts.append(ran)
            now, done = ran.end, done + len(ran.steps["force"])
        return joined(parts), 0

    def _mapped(self, now: Mapping[str, Array], values: Array) -> tuple[Ran, int]:
        assert self.mapped is not None
        guess = now.get("branch", np.zeros(len(self.model.springs))).astype(np.int64)
        histories, failed = self.mapped.march(
            tuple(now[name] for name in ("displacement", "momentum", *_SLIDER)), guess, values
        )
        nodes = dict(zip(("displacement", "momentum", *_SLIDER), histories[:5], strict=True))
        moved, rates, force, mean, solves, branch = histories[5:]
        inside = self._inside(moved, values, rates, np.abs(rates), force)
        end = {name: value[-1].copy() for name, value in nodes.items()} | {"branch": branch.astype(float)}
        return Ran(nodes, {"force": mean, "solves": solves}, end, inside), failed

    def _staged(self, now: Mapping[str, Array], values: Array) -> tuple[Ran, int]:
        branch = now.get("branch", np.zeros(len(self.model.springs)))
        z = self.states.packed(dict(now))
        steps = self.by_stages.advance(now["displacement"], now["momentum"], z, branch, values)
        nodes = {"displacement": steps.u, "momentum": steps.p}
        nodes |= {name: self.states.unpacked(steps.z, name) for name in self.states.variables}
        rates = self.states.unpacked(steps.rate, "slip")
        growth = self.states.unpacked(steps.rate, "accumulated_slip") if "accumulated_slip" in nodes else 0 * rates
        end = {name: value[-1].copy() for name, value in nodes.items()} | {"branch": steps.branch.astype(float)}
        inside = self._inside(steps.stage, values, rates, growth, steps.force)
        mean = np.einsum("i,rij->rj", self.table.b, steps.force)
        return Ran(nodes, {"force": mean, "solves": steps.solves}, end, inside), steps.failed

    def _inside(self, moved: Array, values: Array, rates: Array, growth: Array, force: Array) -> StageHistory:
        table = self.table
        return StageHistory(table.c, table.A, table.b, moved, values, rates, growth, force, bool(table.c[-1] < 1))
