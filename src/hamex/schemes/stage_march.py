"""Elements of several stages on any structure with any law: from a state, n steps and the next state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.march.calls import invoke, numbered
from hamex.march.lu import lu_solved
from hamex.march.run import Kernel, address, as_it_is, compiled, held, interpreted, worth_compiling
from hamex.march.stage_march import History, stage_march
from hamex.march.stage_newton import measured
from hamex.march.stage_springs import StageLaws, asked, linearised, respond
from hamex.model.laws.ellipsoids import WIDEST
from hamex.model.record import Model
from hamex.schemes.sparse import SparseLU
from hamex.schemes.sparse import lu_solved as sparse_solved
from hamex.schemes.springs import prepared_springs, spring_blocks, states
from hamex.schemes.stage_system import WIDEST_BAND, Layout, System
from hamex.schemes.stages import Table

Array = NDArray[Any]
_WORK_PER_SPRING = 600  # a spring's stage in units of an oscillator's step, for the choice to compile


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
        table: Table,
        h: float,
        patterns: Array,
        most: int = 1000,
        wide: bool | None = None,
        who: str = "element of several stages",
    ) -> None:
        self.layout = layout_of(model)
        self.system = System(model, self.layout, table, h)
        self.q, self.order = len(table.c), self.system.order
        self.motion, self.patterns = self.system.motion(), np.ascontiguousarray(patterns[self.order].T, dtype=float)
        self.wide = self.system.width > WIDEST_BAND if wide is None else wide
        self.springs, self.work = self.system.springs(), self.system.work()
        self.matrix: Any = SparseLU(self.system) if self.wide else self.system.band()
        machine = self.wide or worth_compiling(most * self.q * len(model.springs) * _WORK_PER_SPRING)
        self.laws = laws_of(model, self.system.element.tau, who, machine)
        self.kernel = self._compiled() if machine else self._plain()
        self.hand = held if machine else as_it_is
        system = self.system
        self.given = tuple(
            map(
                self.hand,
                (system.element, self.motion, system.local, self.laws, self.matrix, system.mass, system.beside),
            )
        )
        self.room = tuple(map(self.hand, (self.springs, self.work)))

    def _plain(self) -> Kernel:
        """Nothing compiled; the same bits."""
        self.motion.call[:] = [numbered(f) for f in (respond, linearised, measured, lu_solved, asked)]
        return stage_march

    def _compiled(self) -> Kernel:
        """The march as machine code; around a sparse solver the pieces alone."""
        m, w, s, local = self.motion, self.work, self.springs, self.system.local
        e0, z0 = np.zeros(s.F.shape[1]), np.zeros(s.dz.shape[1])
        if self.wide:
            self.motion.call[:] = [
                numbered(f)
                for f in (compiled(respond), compiled(linearised), compiled(measured), sparse_solved, compiled(asked))
            ]
            return interpreted(stage_march, {"invoke": invoke})
        self.motion.call[:] = [
            address(respond, self.laws, m.cross, e0, w.ex, z0, w.Y, True, s),
            address(linearised, self.laws, local, m.cross, e0, w.ex, z0, w.Y, s),
            address(measured, m, local, e0, z0, w.x, s.F, w.Y, w.ex, 0.0, s, w),
            address(lu_solved, self.matrix, s.coupled, True, w.d, w.small),
            address(asked, self.laws, 0, e0, w.ex[0], z0, s),
        ]
        return compiled(stage_march)

    def advance(self, u: Array, p: Array, z: Array, branch: Array, values: Array) -> Steps:
        """From (u, p, z, branch) under the channels ``values`` (step, stage, channel)."""
        n, q, dofs, springs = len(values), self.q, len(u), len(branch)
        order = self.order
        out = History(
            np.empty((n + 1, dofs)),
            np.empty((n + 1, dofs)),
            np.empty((n + 1, len(z))),
            np.array(branch, dtype=np.int64),
            np.empty((n, q, dofs)),
            np.empty((n, q, springs)),
            np.empty((n, q, len(z))),
            np.zeros(n, dtype=np.int64),
            np.zeros(n, dtype=np.int64),
            np.zeros(n),
        )
        out.u[0], out.p[0], out.z[0] = u[order], p[order], z
        failed = self.kernel(
            *self.given,
            np.ascontiguousarray(values, dtype=float),
            self.patterns,
            self.hand(out),
            np.zeros(springs),
            *self.room,
            np.zeros(3, dtype=np.int64),
        )
        return Steps(
            self._restored(out.u),
            self._restored(out.p),
            out.z,
            out.branch,
            self._restored(out.x),
            out.F,
            out.rate,
            out.solves,
            out.tries,
            out.left,
            int(failed),
        )

    def _restored(self, x: Array) -> Array:
        """An array with the kernel's dofs last, in the model's order."""
        out = np.empty_like(x)
        out[..., self.order] = x
        return out


def layout_of(model: Model) -> Layout:
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
    return Layout(
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


def laws_of(model: Model, tau: Array, who: str, machine: bool) -> StageLaws:
    """The laws as stages of lengths τ see them; ``machine``: for compiled code."""
    blocks = spring_blocks(model)
    each = [prepared_springs(model, blocks, float(t), "end", who, machine) for t in tau]
    shift = np.cumsum([0, *(len(x.P) for x in each)])[:-1]
    row = np.array([x.row + at for x, at in zip(each, shift, strict=True)], dtype=np.int64).reshape(len(each), -1)
    return StageLaws(
        np.ascontiguousarray(tau),
        each[0].law,
        each[0].begin,
        row,
        each[0].I,
        np.concatenate([x.P for x in each]),
        np.zeros((16, WIDEST)),
    )
