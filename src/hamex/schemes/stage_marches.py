"""Marches of the time elements with several stages: by maps of a whole step where a model is small, else by the
equations of the stages; with steps cut at events, or halved to a tolerance, where that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError, SchemeError
from hamex.model.record import Model
from hamex.problem import Problem
from hamex.problem.loads import loads_between
from hamex.schemes.promised import check_promise
from hamex.schemes.scheme import How, Ran, joined
from hamex.schemes.springs import states
from hamex.schemes.stage_history import StageHistory
from hamex.schemes.stage_march import StageMarch
from hamex.schemes.stages import MappedSteps, Table, is_small

if TYPE_CHECKING:
    from hamex.schemes.families import ElementScheme

Array = NDArray[Any]
_SLIDER = ("slip", "back_force", "accumulated_slip")


def check_stages(problem: Problem, scheme: ElementScheme, how: How) -> None:
    """Refuse what an element with several stages cannot do, before any work."""
    model, name = problem.model, scheme.label
    if how.promise == "reported":
        raise SchemeError(
            f'{name}: promise="reported" is for schemes of one stage, whose step is a descent; use Galerkin(degree=1)'
        )
    if problem.supports is not None:
        raise SchemeError(f"{name}: moving supports are available with Galerkin(degree=1) only")
    for group in model.laws.values():
        if group.law.form == "path":
            raise SchemeError(
                f"{name}: {group.law.__name__} follows its path, and there is none between stages; use "
                "Newmark(…, safeguarded=True)"
            )
        if group.law.kind == "surface" and np.any(group.isotropic > 0) and len(scheme.table().c) > 1:
            raise SchemeError(
                f"{name}: surfaces with isotropic hardening have no certain answer where a stage would "
                "start below no slip; use Galerkin(degree=1), or kinematic hardening"
            )
    others = [group for kind, group in model.laws.items() if kind != "slider"]
    if scheme.locate and any(
        group.law.form != "flow" or np.any(group.law.yields(group) | group.law.damps(group)) for group in others
    ):
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

    def __init__(self, model: Model, table: Table, h: float, patterns: Array, most: int, who: str) -> None:
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
        found, failed = self.mapped.march(
            tuple(now[name] for name in ("displacement", "momentum", *_SLIDER)), guess, values
        )
        nodes = dict(zip(("displacement", "momentum", *_SLIDER), found[:5], strict=True))
        moved, rates, force, mean, solves, branch = found[5:]
        inside = self._inside(moved, values, rates, np.abs(rates), force)
        end = {name: value[-1].copy() for name, value in nodes.items()} | {"branch": branch.astype(float)}
        return Ran(nodes, {"force": mean, "solves": solves}, end, inside), failed

    def _staged(self, now: Mapping[str, Array], values: Array) -> tuple[Ran, int]:
        branch = now.get("branch", np.zeros(len(self.model.springs)))
        z = self.states.packed(dict(now))
        found = self.by_stages.advance(now["displacement"], now["momentum"], z, branch, values)
        nodes = {"displacement": found.u, "momentum": found.p}
        nodes |= {name: self.states.unpacked(found.z, name) for name in self.states.variables}
        rates = self.states.unpacked(found.rate, "slip")
        growth = self.states.unpacked(found.rate, "accumulated_slip") if "accumulated_slip" in nodes else 0 * rates
        end = {name: value[-1].copy() for name, value in nodes.items()} | {"branch": found.branch.astype(float)}
        inside = self._inside(found.stage, values, rates, growth, found.force)
        mean = np.einsum("i,rij->rj", self.table.b, found.force)
        return Ran(nodes, {"force": mean, "solves": found.solves}, end, inside), found.failed

    def _inside(self, moved: Array, values: Array, rates: Array, growth: Array, force: Array) -> StageHistory:
        table = self.table
        return StageHistory(table.c, table.A, table.b, moved, values, rates, growth, force, bool(table.c[-1] < 1))
