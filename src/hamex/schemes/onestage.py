"""Marches of one stage on any structure: the arrays that the drivers take, in the order of dofs that suits the solver.

Prepared once; ``advance`` takes any number of steps from a state and hands back their histories and the next state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from hamex.errors import SchemeError
from hamex.march import newton as solver
from hamex.march import structure as one_solve
from hamex.march import tables as t
from hamex.march.run import Callback, Kernel, entered, place, worth_compiling
from hamex.march.springs import evaluate
from hamex.march.tables import Table
from hamex.model.algebra import diagonal
from hamex.model.laws.ellipsoids import WIDEST
from hamex.model.record import Model
from hamex.schemes import solvers as iterated_route
from hamex.schemes import sparse as sparse_route
from hamex.schemes.prepare import (
    LONG,
    WIDEST_BAND,
    Assembly,
    OneStage,
    assemble,
    band_of,
    between_springs,
    by_rows,
    in_model_order,
    narrow,
    put_matrix,
)
from hamex.schemes.scheme import Ran, room_for
from hamex.schemes.solvers import ConjugateGradients, Factors, Solver, chosen, is_certain
from hamex.schemes.sparse import places_of
from hamex.schemes.springs import (
    Blocks,
    ForceOf,
    cells_of,
    effort_of,
    is_linear,
    is_straight,
    law_kernels,
    prepared_springs,
    states,
)

Array = NDArray[Any]
_WORK_PER_SPRING = 30  # a spring's step in units of an oscillator's, for the choice to compile
_CARRIED = 6  # rows of what nodal schemes carry along, see hamex.march.structure


@dataclass(frozen=True)
class Newton:
    """How a step is solved: safeguarded descent, or plain Newton-Raphson with its tolerance [length] and its limit of
    iterations; ``reported``: one solution is not promised but watched."""

    tolerance: float | None = None
    most: int = 0
    reported: bool = False


class Walked(NamedTuple):
    """What a walk left: 0 or the number of the step that could not be taken, and why (see hamex.march.newton; 0: a
    spring breaks in it)."""

    ran: Ran
    failed: int
    left: float


@dataclass(eq=False)
class OneStageMarch:
    """Steps of one length on one model.

    ``driver`` is a kernel of :mod:`hamex.march.structure`, and ``numbers`` are those it reads behind the step's;
    ``force_of``: whether laws give the mean force of a step or that at its end; ``carries``: names of (dof,) vectors
    that the driver carries from step to step. N, J and R are its tables (:mod:`hamex.march.tables`).
    """

    model: Model
    stage: OneStage
    blocks: Blocks
    patterns: Array
    driver: Kernel
    numbers: tuple[Any, ...]
    force_of: ForceOf
    who: str
    steps: int  # how many will be taken in all, for the choice to compile
    newton: Newton = field(default_factory=Newton)
    carries: tuple[str, ...] = ()
    carries_force: bool = False  # the force at the old node enters the next step
    solver: Solver | None = None  # None: what costs least
    cuts: bool = True  # a step in which a spring breaks is handed back, to be cut there

    def __post_init__(self) -> None:
        model, self.matrix = self.model, cast(Any, None)
        self.solver, self.assembly = self._route()
        self.order, self.sparse = self.assembly.order, self.solver is not None  # else in a band
        self.linear = self.sparse and is_linear(model)
        self.follows = self.sparse and not np.any(model.massless)  # velocities, so that no mass is factored for them
        step = one_solve.linear if self.linear else solver.newton
        band = () if self.sparse else (solver.factorise, solver.solve)
        laws = law_kernels(model, self.force_of, self.who)
        self.compiles = worth_compiling(self._work(), self.driver, step, *band, *laws)
        self.states = states(model)
        self.springs = prepared_springs(model, self.blocks, self.stage.tau, self.force_of, self.who, self.compiles)
        self.N, self.J, self.R = Table(t.SLOTS_N, np.int64), Table(t.SLOTS_J, np.int32), Table(t.SLOTS_R)
        self._put_model()
        self._put_room()
        self.calls: list[Callback] = []  # must stay as long as kernels may call them
        tables = self.N, self.J, self.R
        if self.sparse:
            self._put_wide_matrix()
        else:
            self._put_band()
        self._put_step()
        self.N[t.CALL][t.STEP] = place(step, *tables, 0, 0, compile=self.compiles)
        self.run = entered(self.driver, *tables, compile=self.compiles)

    def _route(self) -> tuple[Solver | None, Assembly]:
        """What solves, and the equation in the order that suits it; no solver: a band."""
        stage, B = self.stage, self.model.compatibility
        solver = self.solver if self.newton.reported else chosen(self.model, self.solver)
        if isinstance(solver, ConjugateGradients):
            if self.newton.reported:
                raise SchemeError(
                    f'{self.who}: promise="reported" watches pivots, and conjugate gradients have none; use Factors()'
                )
            return solver, in_model_order(stage, B)
        order, width = narrow(stage, B, self.blocks)
        if width <= WIDEST_BAND:
            return None, assemble(stage, B, self.blocks, order)
        return Factors(), in_model_order(stage, B)

    def _work(self) -> int:
        """Of all steps and their factorisations, one where no spring slips, in steps of an oscillator."""
        dofs = len(self.model.dofs)
        springs = self.steps * max(effort_of(self.model), dofs) * _WORK_PER_SPRING
        factors = 1 if is_linear(self.model) else self.steps
        return springs + (0 if self.sparse else factors * dofs * self.assembly.width**2)

    @property
    def at_nodes(self) -> bool:
        """True where forces belong to nodes."""
        return self.force_of != "mean"

    def walk(
        self, now: Mapping[str, Array], values: Array, imposed: Array | None = None, starts: Array | None = None
    ) -> Walked:
        """March from a state by name under channel values, one row per step (or per node for nodal schemes).

        ``imposed`` is the deformation by moving supports at the nodes, (node, spring); ``starts`` are channel values at
        the starts of the steps, where those are not the values themselves.
        """
        N, R, head = self.N, self.R, self.N[t.HEAD]
        steps = len(values) - self.at_nodes
        R[t.VALUES], head[[t.ROWS, t.CHANNELS]] = np.ascontiguousarray(values, dtype=float), values.shape
        still = np.zeros((1, len(self.model.springs))) if imposed is None else imposed
        R[t.IMPOSED], head[t.IMPOSED_ROWS] = np.ascontiguousarray(still, dtype=float), len(still)
        R[t.JOINTS] = self._on_joints(values if starts is None else starts)
        path = self._path(now, steps)
        failed = int(self.run(N, self.J, R))
        if failed:  # the first steps alone: nothing was written behind them
            path = {name: history[: failed - 1 + len(history) - steps] for name, history in path.items()}
        ran = self._ran(path)
        ran.steps.update(self._iterations(path["solves"]))
        return Walked(ran, failed, float(R[t.LAST][1]))

    def _put_model(self) -> None:
        """Matrices, springs and patterns, in the kernel's order of the dofs."""
        model, N, J, R, order = self.model, self.N, self.J, self.R, self.order
        dofs, springs, B, damping = order.size, len(model.springs), self.assembly.B, model.damping
        N[t.HEAD] = np.zeros(t.SIZES, dtype=np.int64)
        self._put_rows(t.MASS, model.mass)
        self._put_rows(t.DAMPING, damping.matrix, damping.shapes, damping.weights)
        self._put_rows(t.BESIDE, model.stiffness)
        tension, self.light = self._joints()
        put_matrix(N, J, R, t.TENSION, tension)
        N[t.BEGIN], J[t.DOF], R[t.SHARE] = B.indptr.astype(np.int64), B.indices.astype(np.int32, copy=False), B.data
        N[t.GROUPS], N[t.LAWS], R[t.LAW] = self.springs
        N[t.SLIP], N[t.LIGHT], R[t.STIFF], R[t.ELASTIC] = (
            self.states.slip,
            self.light,
            self.blocks.stiffness,
            self.blocks.tangents if self.blocks.entries else np.zeros(1),
        )
        self.ordered = np.ascontiguousarray(self.patterns[order].T, dtype=float)
        R[t.PATTERNS] = self.ordered
        sizes = {
            t.DOFS: dofs,
            t.SPRINGS: springs,
            t.STATES: self.states.size,
            t.TANGENTS: max(self.blocks.entries, 1),
            t.LIGHTS: len(self.light),
            t.FOLLOWS: self.follows,
            t.YES: 1,
        }
        for entry, size in sizes.items():
            N[t.HEAD][entry] = size

    def _joints(self) -> tuple[Any, Array]:
        """B A⁻¹, and the dofs in the kernel's order that have neither mass nor damping while springs are followed along
        the path of a step; nothing where there are none."""
        model, none = self.model, np.zeros(0, dtype=np.int64)
        follows = any(group.law.form == "path" and len(group.first) for group in model.laws.values())
        if self.force_of != "mean" or not follows or not np.any(model.massless):
            return by_rows(np.zeros((0, 0))), none
        damping = model.damping
        damped = (abs(by_rows(damping.matrix)).sum(axis=1) > 0) | (damping.shapes != 0).any(axis=1)
        light = np.flatnonzero((model.massless & ~damped)[self.order])
        elastic = by_rows(model.compatibility) @ between_springs(self.blocks, self.blocks.tangents)
        return by_rows(elastic[self.order]), light.astype(np.int64)

    def _on_joints(self, values: Array) -> Array:
        """(step, light dof): load on the light dofs; summed channel by channel, whose bits do not know the blocks."""
        light = self.light
        total = np.zeros((len(values), len(light)))
        for channel in range(values.shape[1] if len(light) else 0):
            total += values[:, channel, None] * self.ordered[channel, light]
        return total

    def _iterations(self, solves: Array) -> dict[str, Array]:
        """What conjugate gradients took in each step, and left."""
        if not isinstance(self.matrix, iterated_route.ConjugateMatrix):
            return {}
        count, left = np.array(self.matrix.taken).reshape(-1, 2).T
        self.matrix.taken.clear()
        if len(count) != solves.sum():  # displacement control solves for its pull too
            return {}
        ends = np.cumsum(solves)
        pieces = [slice(end - many, end) for end, many in zip(ends, solves, strict=True)]
        return {
            "cg_iterations": np.array([count[piece].sum() for piece in pieces], dtype=np.int64),
            "cg_residual": np.array([left[piece].max(initial=0.0) for piece in pieces]),
        }

    def _path(self, now: Mapping[str, Array], steps: int) -> dict[str, Array]:
        """Histories of some steps, with the state at the start in their first rows."""
        dofs, springs, N, R = self.order.size, len(self.model.springs), self.N, self.R
        n, F = steps + 1, np.zeros((steps + self.at_nodes, springs))
        u, p, z, v = room_for((n, dofs), (n, dofs), (n, self.states.size), (n, dofs) if self.follows else (1, 1))
        if self.follows:
            v[0] = now["velocity"]
        u[0], p[0] = now["displacement"][self.order], now["momentum"][self.order]
        z[0] = self.states.packed(dict(now))
        if self.carries_force and "end_force" in now:
            F[0] = now["end_force"]
        elif self.at_nodes:
            F[0] = self.model.elastic_force(self.model.deformation(now["displacement"]) - now["slip"])
        carried = np.zeros((_CARRIED, dofs))
        for row, name in enumerate(self.carries):
            carried[row] = now[name][self.order]
        solves, searches = np.zeros((2, steps), dtype=np.int64)
        joint = np.zeros(steps if len(self.light) else 1)
        N[t.BRANCH] = now.get("branch", np.zeros(springs)).astype(np.int64)
        N[t.SOLVED], N[t.SEARCHED], N[t.COUNT] = solves, searches, np.zeros(4, dtype=np.int64)
        R[t.DISPLACEMENT], R[t.MOMENTUM], R[t.VELOCITY], R[t.STATE], R[t.FORCE] = u, p, v, z, F
        R[t.CARRIED], R[t.JOINT], R[t.LAST] = carried, joint, np.zeros(3)
        return {"u": u, "p": p, "v": v, "z": z, "F": F, "solves": solves, "searches": searches, "joint": joint}

    def _ran(self, path: Mapping[str, Array]) -> Ran:
        u, p = self._restored(path["u"]), self._restored(path["p"])
        nodes = {"displacement": u, "momentum": p}
        if self.follows:
            nodes["velocity"] = path["v"]
        nodes |= {name: self.states.unpacked(path["z"], name) for name in self.states.variables}
        end = {name: history[-1].copy() for name, history in nodes.items()}
        end["branch"] = self.N[t.BRANCH].astype(float)
        carried = self.R[t.CARRIED].reshape(_CARRIED, -1)
        end |= {name: self._restored(carried[row]) for row, name in enumerate(self.carries)}
        if self.carries_force:
            end["end_force"] = path["F"][-1].copy()
        per_step = {"solves": path["solves"], "searches": path["searches"], "force": path["F"]}
        if len(self.light):
            per_step["joint_work"] = path["joint"]
        if self.at_nodes:
            # From the state alone, so that a restart finds the same bits.
            force = self.model.elastic_force(self.model.deformation(u) - nodes["slip"])
            per_step["force"] = 0.5 * (force[:-1] + force[1:])
        return Ran(nodes, per_step, end, uncertain=int(self.R[t.LAST][2]))

    def _restored(self, x: Array) -> Array:
        """An array with the kernel's dofs last, in the model's order."""
        if self.sparse:
            return x
        out = np.empty_like(x)
        out[..., self.order] = x
        return out

    def dof_of(self, left: float) -> str:
        """Name of the dof at whose row a pivot was not positive."""
        return self.model.dofs[self.order[int(-left) - 1]]

    def _put_rows(self, m: int, matrix: Any, low: Array | None = None, weights: Array | None = None) -> None:
        own = by_rows(matrix)
        if not self.sparse:  # else as it stands: a large one is not copied
            own = by_rows(own[self.order][:, self.order])
            own.sum_duplicates()
            own.eliminate_zeros()
        put_matrix(self.N, self.J, self.R, m, own, None if low is None else low[self.order], weights)

    def _put_step(self) -> None:
        """S, and the numbers of the step's equation."""
        stage, assembly, plain, N, R = self.stage, self.assembly, self.newton, self.N, self.R
        iterated = isinstance(self.solver, ConjugateGradients)
        S = stage.matrix if self.sparse else assembly.S
        if self.linear and iterated and not len(stage.pull):  # conjugate gradients solve without it
            S = by_rows(S.shape)
        put_matrix(N, self.J, R, t.S, S, assembly.low, stage.low_weight)
        unit = self._unit()
        R[t.UNIT] = unit
        R[t.PULL] = np.ascontiguousarray(stage.pull[assembly.order]) if len(stage.pull) else stage.pull
        enough, wasted = solver.ROUND_OFF, solver.WASTE
        if isinstance(self.solver, ConjugateGradients):
            enough = wasted = 0.01 * self.solver.balance
        scheme = (stage.weight, stage.reach, stage.tau, plain.tolerance or 0.0, enough, wasted, *self.numbers)
        R[t.NUMBERS] = np.array(scheme, dtype=float)
        switches = {
            t.CONTROLLED: len(stage.pull) > 0,
            t.STRAIGHT: is_straight(self.model, self.force_of),
            t.SAFEGUARDED: plain.tolerance is None,
            t.ITERATIONS: plain.most,
            t.REPORTED: plain.reported,
            t.CUTS: self.cuts,
            t.LONG: (iterated and not self.linear) or self._is_long(unit),
        }
        for entry, value in switches.items():
            N[t.HEAD][entry] = value

    def _is_long(self, unit: Array) -> bool:
        """True for the linear element where the springs on some mass outweigh it, and the step is long beside 1/ω."""
        if self.linear or self.force_of != "mean":
            return False
        own = np.abs(diagonal(self.stage.matrix)) if self.sparse else np.abs(self.assembly.S.diagonal())
        heavy = own > 0
        return bool(np.any(1 / unit[heavy] ** 2 > LONG * own[heavy]))

    def _unit(self) -> Array:
        """1/√ of the diagonal of S + weight·reach · B k Bᵀ."""
        assembly = self.assembly
        if self.sparse:
            return np.asarray(1 / np.sqrt(np.abs(self.matrix.diagonal(self.blocks.tangents))))
        own = assembly.row == assembly.column
        springs = np.bincount(
            assembly.row[own],
            weights=(assembly.share * self.blocks.tangents[assembly.source])[own],
            minlength=assembly.order.size,
        )
        return np.asarray(1 / np.sqrt(np.abs(assembly.S.diagonal()) + springs))

    def _put_room(self) -> None:
        """Work space of a step."""
        R, dofs, springs = self.R, self.order.size, len(self.model.springs)
        for slot in (t.X, t.D, t.G, t.SX, t.SD, t.SIZE, t.Z, t.RIGHT):
            R[slot] = np.zeros(dofs)
        for slot in (t.E0, t.MOVED, t.EX, t.ED, t.DX, t.NOISE):
            R[slot] = np.zeros(springs)
        entries = self.N[t.HEAD][t.TANGENTS]  # one that no spring fills tells a model without springs what is factored
        R[t.T], R[t.FACTORED] = np.zeros(entries), np.full(entries, np.nan)  # nothing factored yet
        R[t.DZ], R[t.SMALL] = np.zeros(self.states.size), np.zeros(self.assembly.low.shape[1])
        R[t.MULTIPLIER], R[t.BLOCK] = np.zeros(1), np.zeros(16 * WIDEST)
        self.N[t.CALL] = np.zeros(3, dtype=np.int64)

    def _put_band(self) -> None:
        N, R, assembly, tables = self.N, self.R, self.assembly, (self.N, self.J, self.R)
        base, row = band_of(assembly), assembly.row.astype(np.int64)
        dofs, rank = assembly.low.shape
        N[t.HEAD][[t.COLUMNS, t.CONTRIBUTIONS]] = base.shape[1], len(row)
        N[t.PLACE], N[t.SOURCE] = row * base.shape[1] + row - assembly.column, assembly.source.astype(np.int64)
        R[t.BASE], R[t.OF_T], R[t.BAND] = base, assembly.share, np.zeros_like(base)
        R[t.SPREAD], R[t.CAP] = np.zeros((rank, dofs)), np.zeros((rank, rank))
        N[t.CALL][t.FACTORISE] = place(solver.factorise, *tables, compile=self.compiles)
        N[t.CALL][t.SOLVE] = place(solver.solve, *tables, 0, compile=self.compiles)

    def _put_wide_matrix(self) -> None:
        """By cells of springs: a sparse factor, or what conjugate gradients multiply with."""
        stage, model, B, tables, R = self.stage, self.model, self.assembly.B, (self.N, self.J, self.R), self.R
        cells, rest = cells_of(B, self.blocks) if len(model.springs) else None, self._tangents_at_rest()
        route: Any = iterated_route if isinstance(self.solver, ConjugateGradients) else sparse_route
        if isinstance(self.solver, ConjugateGradients):
            matrix: Any = iterated_route.ConjugateMatrix(stage, model, cells, B, rest, self.solver, self.linear)
        else:
            certain = is_certain(model) and not self.newton.reported
            matrix = sparse_route.SparseMatrix(stage, self.assembly, cells, rest, places_of(model), certain)

        def factorise(*_: Any) -> int:
            return int(route.factorise(matrix, R[t.T]))

        def solve(N: Any, J: Any, addresses: Any, slot: int) -> int:
            return int(route.backsolve(matrix, R[slot], R[t.SMALL]))

        self.matrix = matrix
        self.calls += [
            Callback(factorise, *tables, compile=self.compiles),
            Callback(solve, *tables, 0, compile=self.compiles),
        ]
        self.N[t.CALL][: t.STEP] = [call.address for call in self.calls]

    def _tangents_at_rest(self) -> Array:
        """T as the laws themselves give it in a model at rest: equal to the last bit wherever nothing slips."""
        stage, T, z = self.stage, self.R[t.T].copy(), np.zeros(self.states.size)
        still, branch = np.zeros(len(self.model.springs)), np.zeros(len(self.model.springs), dtype=np.int64)
        numbers = float(stage.reach), float(stage.tau), z, 0, still.copy(), T, z.copy(), branch, self.R[t.BLOCK]
        given = (*self.springs, still, still, *numbers)
        entered(evaluate, *given, compile=self.compiles)(*given)
        return T
