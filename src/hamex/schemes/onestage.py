"""Marches of one stage on any structure: the arrays that the drivers take, in the order of dofs that suits the solver.

Prepared once; ``advance`` takes any number of steps from a state and hands back their histories and the next state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import SchemeError
from hamex.march import matrices as band_route
from hamex.march import newton as solver
from hamex.march import structure as one_solve
from hamex.march.matrices import Band, Rows
from hamex.march.newton import Matrix, Scratch, StepEquation
from hamex.march.run import Kernel, as_it_is, compiled, held, interpreted, invoke, numbered, place, worth_compiling
from hamex.march.springs import evaluate
from hamex.march.structure import Path, Push, Stepper, StructureMatrices
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
    kernel_rows,
    narrow,
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
_WORK_PER_SPRING = 60  # a spring's step in units of an oscillator's, for the choice to compile
_CARRIED = 6  # rows of what nodal schemes carry along, see hamex.march.structure


@cache
def _around_solver(step: Kernel) -> Kernel:
    """The step around a sparse solver: plain Python, but for what does not factor or solve."""
    return interpreted(step, {"call_matrix": invoke})


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

    ``driver(stepper, system, push, path, *numbers)`` is a kernel of :mod:`hamex.march.structure`; ``force_of``: whether
    laws give the mean force of a step or that at its end; ``carries``: names of (dof,) vectors that the driver carries
    from step to step.
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
        model = self.model
        self.solver, self.assembly = self._route()
        self.order = self.assembly.order
        self.sparse = self.solver is not None  # else in a band
        self.linear = self.sparse and is_linear(model)
        self.follows = self.sparse and not np.any(model.massless)  # velocities, so that no mass is factored for them
        kernels = (self.driver, solver.newton, band_route.factorise, band_route.backsolve)
        laws = law_kernels(model, self.force_of, self.who)
        self.compiles = self.sparse or worth_compiling(self._work(), *kernels, *laws)
        self.hand = held if self.compiles else as_it_is
        damping = model.damping
        self.system = StructureMatrices(
            self._rows(model.mass),
            self._rows(damping.matrix, damping.shapes, damping.weights),
            self._rows(model.stiffness),
            *self._joints(),
        )
        self.states = states(model)
        self.springs = prepared_springs(model, self.blocks, self.stage.tau, self.force_of, self.who, self.compiles)
        self.scratch = self._scratch()
        self.matrix = self._matrix()
        self.step = self._step()
        self.ordered = np.ascontiguousarray(self.patterns[self.order].T)
        self.run: Callable[..., int] | None = None

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
        factors = 1 if is_linear(self.model) else self.steps
        springs = self.steps * max(effort_of(self.model), dofs) * _WORK_PER_SPRING
        return springs + factors * dofs * self.assembly.width**2

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
        steps = len(values) - self.at_nodes
        path = self._path(now, steps)
        still = np.zeros((1, len(self.model.springs)))
        # One layout, so that one compiled driver serves all.
        push = Push(
            np.require(values, float, ("C", "W")),
            self.ordered,
            np.require(still if imposed is None else imposed, float, ("C", "W")),
            self._on_joints(values if starts is None else starts),
        )
        if self.run is None:
            self.run, self.given = self._ready(path)
        by, system, *numbers = self.given
        failed = int(self.run(by, system, self.hand(push), self.hand(path), *numbers))
        if failed:
            path = self._cut(path, failed - 1)
        ran = self._ran(path)
        ran.steps.update(self._iterations(path.solves))
        return Walked(ran, failed, float(path.last[1]))

    def _joints(self) -> tuple[Rows, Array]:
        """B A⁻¹, and the dofs in the kernel's order that have neither mass nor damping while springs are followed along
        the path of a step; nothing where there are none."""
        model, none = self.model, np.zeros(0, dtype=np.int64)
        follows = any(group.law.form == "path" and len(group.first) for group in model.laws.values())
        if self.force_of != "mean" or not follows or not np.any(model.massless):
            empty = np.zeros((0, 0))
            return kernel_rows(none, none, np.zeros(0), empty, np.zeros(0)), none
        damping = model.damping
        damped = (abs(by_rows(damping.matrix)).sum(axis=1) > 0) | (damping.shapes != 0).any(axis=1)
        light = np.flatnonzero((model.massless & ~damped)[self.order])
        elastic = by_rows(model.compatibility) @ between_springs(self.blocks, self.blocks.tangents)
        held = by_rows(elastic[self.order])
        low = np.zeros((self.order.size, 0))
        return kernel_rows(
            held.indptr.astype(np.int64), held.indices.astype(np.int64), held.data, low, np.zeros(0)
        ), light

    def _on_joints(self, values: Array) -> Array:
        """(step, light dof): load on the light dofs; summed channel by channel, whose bits do not know the blocks."""
        light = self.system.light
        total = np.zeros((len(values), len(light)))
        for channel in range(values.shape[1] if len(light) else 0):
            total += values[:, channel, None] * self.ordered[channel, light]
        return total

    def _iterations(self, solves: Array) -> dict[str, Array]:
        """What conjugate gradients took in each step, and left."""
        if not isinstance(self.matrix.data, iterated_route.ConjugateMatrix):
            return {}
        count, left = np.array(self.matrix.data.taken).reshape(-1, 2).T
        self.matrix.data.taken.clear()
        if len(count) != solves.sum():  # displacement control solves for its pull too
            return {}
        ends = np.cumsum(solves)
        pieces = [slice(end - many, end) for end, many in zip(ends, solves, strict=True)]
        return {
            "cg_iterations": np.array([count[piece].sum() for piece in pieces], dtype=np.int64),
            "cg_residual": np.array([left[piece].max(initial=0.0) for piece in pieces]),
        }

    def _cut(self, path: Path, steps: int) -> Path:
        """The first steps alone: nothing was written behind them."""
        return path._replace(
            u=path.u[: steps + 1],
            p=path.p[: steps + 1],
            v=path.v[: steps + 1],
            z=path.z[: steps + 1],
            F=path.F[: steps + self.at_nodes],
            solves=path.solves[:steps],
            searches=path.searches[:steps],
            joint=path.joint[: steps if len(self.system.light) else 1],
        )

    def _ready(self, path: Path) -> tuple[Callable[..., int], tuple[Any, ...]]:
        """The driver, and what all its runs share."""
        by = Stepper(0, self.step, self.matrix, self.scratch, self.springs)
        if self.sparse:
            step = one_solve.linear if self.linear else solver.newton
            driver, number = interpreted(self.driver, {"invoke": invoke}), numbered(_around_solver(step))
        else:
            driver = compiled(self.driver) if self.compiles else self.driver
            given = (by.step, by.matrix, by.scratch, by.springs, path.z[0], path.branch, path.F[0], path.count)
            number = place(solver.newton, *given, compile=self.compiles)
        return driver, tuple(map(self.hand, (by._replace(solver=number), self.system, *self.numbers)))

    def _path(self, now: Mapping[str, Array], steps: int) -> Path:
        dofs, springs = self.order.size, len(self.model.springs)
        n = steps + 1
        u, p, z, v = room_for((n, dofs), (n, dofs), (n, self.states.size), (n, dofs) if self.follows else (1, 1))
        if self.follows:
            v[0] = now["velocity"]
        F = np.zeros((steps + self.at_nodes, springs))
        u[0], p[0] = now["displacement"][self.order], now["momentum"][self.order]
        z[0] = self.states.packed(dict(now))
        if self.carries_force and "end_force" in now:
            F[0] = now["end_force"]
        elif self.at_nodes:
            F[0] = self.model.elastic_force(self.model.deformation(now["displacement"]) - now["slip"])
        carried = np.zeros((_CARRIED, dofs))
        for row, name in enumerate(self.carries):
            carried[row] = now[name][self.order]
        branch = now.get("branch", np.zeros(springs)).astype(np.int64)
        return Path(
            u,
            p,
            v,
            z,
            F,
            branch,
            carried,
            np.zeros(steps, dtype=np.int64),
            np.zeros(steps, dtype=np.int64),
            np.zeros(4, dtype=np.int64),
            np.zeros(steps if len(self.system.light) else 1),
            np.zeros(3),
        )

    def _ran(self, path: Path) -> Ran:
        u, p = self._restored(path.u), self._restored(path.p)
        nodes = {"displacement": u, "momentum": p}
        if self.follows:
            nodes["velocity"] = path.v
        nodes |= {name: self.states.unpacked(path.z, name) for name in self.states.variables}
        end = {name: history[-1].copy() for name, history in nodes.items()}
        end["branch"] = path.branch.astype(float)
        end |= {name: self._restored(path.carried[row]) for row, name in enumerate(self.carries)}
        if self.carries_force:
            end["end_force"] = path.F[-1].copy()
        per_step = {"solves": path.solves, "searches": path.searches, "force": path.F}
        if len(self.system.light):
            per_step["joint_work"] = path.joint
        if self.at_nodes:
            # From the state alone, so that a restart finds the same bits.
            force = self.model.elastic_force(self.model.deformation(u) - nodes["slip"])
            per_step["force"] = 0.5 * (force[:-1] + force[1:])
        return Ran(nodes, per_step, end, uncertain=int(path.last[2]))

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

    def _rows(self, matrix: Any, low: Array | None = None, weights: Array | None = None) -> Rows:
        from scipy.sparse import csr_array

        shapes = np.zeros((self.order.size, 0)) if low is None else np.ascontiguousarray(low[self.order])
        factors = np.zeros(0) if weights is None else np.array(weights, dtype=float)
        if self.sparse:  # as it stands: a large one is not copied
            own = csr_array(matrix)
            return kernel_rows(own.indptr, own.indices, own.data, shapes, factors)
        ordered = csr_array(csr_array(matrix)[self.order][:, self.order])
        ordered.sum_duplicates()
        ordered.eliminate_zeros()
        return kernel_rows(
            ordered.indptr.astype(np.int64),
            ordered.indices.astype(np.int64),
            ordered.data.astype(float),
            shapes,
            factors,
        )

    def _step(self) -> StepEquation:
        stage, assembly, plain = self.stage, self.assembly, self.newton
        whole = np.int64 if not self.sparse else assembly.B.indices.dtype
        B, unit = assembly.B, self._unit()
        iterated = isinstance(self.solver, ConjugateGradients)
        return StepEquation(
            self._own_rows(),
            B.indptr.astype(np.int64),
            B.indices.astype(whole, copy=False),
            B.data,
            self.states.slip,
            self.blocks.stiffness,
            self.blocks.tangents,
            unit,
            np.ascontiguousarray(stage.pull[assembly.order]) if len(stage.pull) else stage.pull,
            float(stage.weight),
            float(stage.reach),
            float(stage.tau),
            is_straight(self.model, self.force_of),
            plain.tolerance is None,
            plain.reported,
            self.cuts,
            (iterated and not self.linear) or self._is_long(unit),
            plain.tolerance or 0.0,
            plain.most,
            0.01 * self.solver.balance if isinstance(self.solver, ConjugateGradients) else solver.ROUND_OFF,
            0.01 * self.solver.balance if isinstance(self.solver, ConjugateGradients) else solver.WASTE,
        )

    def _own_rows(self) -> Rows:
        """S as the step multiplies with it; nothing where conjugate gradients solve without it."""
        assembly, weights = self.assembly, self.stage.low_weight
        if self.linear and isinstance(self.solver, ConjugateGradients) and not len(self.stage.pull):
            none = np.zeros(self.order.size + 1, dtype=np.int64)
            return kernel_rows(none, none[:0], np.zeros(0), assembly.low, weights)
        S = self.stage.matrix if self.sparse else assembly.S
        if self.sparse:
            return kernel_rows(S.indptr, S.indices, S.data, assembly.low, weights)
        return kernel_rows(S.indptr.astype(np.int64), S.indices.astype(np.int64), S.data, assembly.low, weights)

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
            return np.asarray(1 / np.sqrt(np.abs(self.matrix.data.diagonal(self.blocks.tangents))))
        own = assembly.row == assembly.column
        springs = np.bincount(
            assembly.row[own],
            weights=(assembly.share * self.blocks.tangents[assembly.source])[own],
            minlength=assembly.order.size,
        )
        return np.asarray(1 / np.sqrt(np.abs(assembly.S.diagonal()) + springs))

    def _scratch(self) -> Scratch:
        dofs, springs, rank = self.order.size, self.blocks.stiffness.size, self.assembly.low.shape[1]
        on_dofs = [np.zeros(dofs) for _ in range(8)]
        on_springs = [np.zeros(springs) for _ in range(6)]
        entries = max(self.blocks.entries, 1)  # one that no spring fills tells a model without springs what is factored
        T, factored = np.zeros(entries), np.full(entries, np.nan)  # nothing factored yet
        return Scratch._make(
            [
                *on_dofs,
                *on_springs,
                np.zeros(self.states.size),
                T,
                factored,
                np.zeros(rank),
                np.zeros(1),
                np.zeros((16, WIDEST)),
            ]
        )

    def _matrix(self) -> Matrix:
        """The band, or a sparse factor where the band would be too wide."""
        if self.sparse:
            return self._wide_matrix()
        band = self._band()
        return Matrix(
            place(band_route.factorise, band, self.scratch.T, compile=self.compiles),
            place(band_route.backsolve, band, self.scratch.d, self.scratch.small, compile=self.compiles),
            band,
        )

    def _wide_matrix(self) -> Matrix:
        """By cells of springs: a sparse factor, or what conjugate gradients multiply with."""
        stage, model, B = self.stage, self.model, self.assembly.B
        cells = cells_of(B, self.blocks) if len(model.springs) else None
        if isinstance(self.solver, ConjugateGradients):
            return Matrix(
                numbered(iterated_route.factorise),
                numbered(iterated_route.backsolve),
                iterated_route.ConjugateMatrix(
                    stage, model, cells, B, self._tangents_at_rest(), self.solver, self.linear
                ),
            )
        certain = is_certain(model) and not self.newton.reported
        return Matrix(
            numbered(sparse_route.factorise),
            numbered(sparse_route.backsolve),
            sparse_route.SparseMatrix(stage, self.assembly, cells, self._tangents_at_rest(), places_of(model), certain),
        )

    def _tangents_at_rest(self) -> Array:
        """T as the laws themselves give it in a model at rest: equal to the last bit wherever nothing slips."""
        s, stage = self.scratch, self.stage
        still, z, T = np.zeros(len(self.model.springs)), np.zeros(self.states.size), s.T.copy()
        branch = np.zeros(len(still), dtype=np.int64)
        compiled(evaluate)(
            held(self.springs),
            still,
            still,
            float(stage.reach),
            float(stage.tau),
            z,
            False,
            still.copy(),
            T,
            z.copy(),
            branch,
            s.block,
        )
        return T

    def _band(self) -> Band:
        base, assembly = band_of(self.assembly), self.assembly
        dofs, rank = assembly.low.shape
        row = assembly.row.astype(np.int64)
        return Band(
            base,
            row,
            row - assembly.column,
            assembly.source.astype(np.int64),
            assembly.share,
            assembly.low,
            self.stage.low_weight,
            np.zeros_like(base),
            np.zeros((rank, dofs)),
            np.zeros((rank, rank)),
        )
