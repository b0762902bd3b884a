"""One march of a structure: the arrays that the kernels take, in the order of dofs that suits the solver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise import sparse as sparse_route
from hamex.discretise.assembly import WIDEST_BAND, Assembly, assemble, band_of
from hamex.discretise.schemes import Newmark, Scheme
from hamex.discretise.structure import Blocks, OneStage, elastic_tangents
from hamex.errors import ConvergenceError, ModelError
from hamex.march import laws as local
from hamex.march.band import Band
from hamex.march.newton import Scratch, Step
from hamex.march.rows import Rows
from hamex.march.run import Kernel, compiled, interpreted, worth_compiling
from hamex.march.surfaces import WIDEST, Surfaces
from hamex.model.algebra import solved
from hamex.model.law import Powers
from hamex.model.per_spring import per_spring
from hamex.model.record import Model
from hamex.problem import Problem
from hamex.solution.loads import Loading
from hamex.solution.solution import Solution
from hamex.solve.gather import solution

Array = NDArray[Any]
MOST_SURFACES = 2
_WORK_PER_SPRING = 60     # a spring's step in units of an oscillator's, for the choice to compile


class Run:
    """Input tuples and output arrays of one march; ``march`` fills them, ``solution`` hands them out.

    ``at_nodes``: forces belong to nodes, not to steps. ``plain``: Newton-Raphson without a safeguard, as it says.
    """

    def __init__(self, problem: Problem, stage: OneStage, blocks: Blocks, steps: int, *, at_nodes: bool = False,
                 plain: Newmark | None = None) -> None:
        self.problem, self.stage, self.steps = problem, stage, steps
        model = problem.model
        self.assembly = assemble(stage, model.compatibility, blocks)
        self.order = self.assembly.order
        self.mass, self.beside = self._rows(model.mass), self._rows(model.stiffness)
        self.damping = self._rows(model.damping.matrix, model.damping.shapes, model.damping.weights)
        self.laws = _laws(model, blocks, stage.tau)
        self.kinematic = per_spring(model)["kinematic"]
        self.stepping = _step(stage, self.assembly, blocks, set(model.laws) == {"slider"}, plain)
        self.scratch = _scratch(self.assembly, blocks)
        self._outputs(at_nodes)

    def _outputs(self, force_at_nodes: bool) -> None:
        problem, steps = self.problem, self.steps
        dofs, springs = self.order.size, len(problem.model.springs)
        start, laws = problem.start, per_spring(problem.model)
        self.stride = int(np.any(laws["kinematic"] > 0) or np.any(laws["isotropic"] > 0))
        self.at_rest = np.zeros((1, springs))
        self.u, self.p = np.empty((steps + 1, dofs)), np.empty((steps + 1, dofs))
        self.slip = np.empty((steps + 1, springs))
        # Without hardening X and w of two nodes are enough: the kernel reads and writes one row.
        self.X, self.w = (np.empty((steps * self.stride + 1, springs)) for _ in range(2))
        self.F = np.empty((steps + force_at_nodes, springs))
        self.solves, self.searches = np.zeros(steps, dtype=np.int64), np.zeros(steps, dtype=np.int64)
        self.counts, self.last = np.zeros(3, dtype=np.int64), np.zeros(2)
        self.branch = start.internal.get("branch", np.zeros(springs)).astype(np.int64)
        self.u[0], self.p[0], self.slip[0] = start.displacement[self.order], start.momentum[self.order], start.slip
        self.X[0], self.w[0] = start.internal["back_force"], start.internal["accumulated_slip"]
        if force_at_nodes:
            model = problem.model
            self.F[0] = model.elastic_force(model.deformation(start.displacement) - start.slip)

    def _rows(self, matrix: Any, low: Array | None = None, weights: Array | None = None) -> Rows:
        from scipy.sparse import csr_array

        ordered = csr_array(csr_array(matrix)[self.order][:, self.order])
        ordered.sum_duplicates()
        ordered.eliminate_zeros()
        return Rows(ordered.indptr.astype(np.int64), ordered.indices.astype(np.int64), ordered.data.astype(float),
                    np.zeros((self.order.size, 0)) if low is None else np.ascontiguousarray(low[self.order]),
                    np.zeros(0) if weights is None else weights)

    def ordered(self, patterns: Array) -> Array:
        """Load patterns (dof, channel) as the kernels take them, (channel, dof in their order)."""
        return np.ascontiguousarray(patterns[self.order].T)

    def restored(self, x: Array) -> Array:
        """An array with the kernel's dofs last, in the model's order."""
        out = np.empty_like(x)
        out[..., self.order] = x
        return out

    def node_forces(self) -> Array:
        """Forces of the springs at the nodes: from the state alone, so that a restart finds the same bits."""
        model = self.problem.model
        return model.elastic_force(model.deformation(self.restored(self.u)) - self.slip)

    def start_motion(self, load: Array) -> tuple[Array, Array]:
        """Velocity and acceleration at t = 0: as carried, or from the momentum and the equation of motion."""
        model, start = self.problem.model, self.problem.start
        if "velocity" in start.internal and "acceleration" in start.internal:
            return start.internal["velocity"][self.order], start.internal["acceleration"][self.order]
        v = solved(model.mass, start.momentum)
        c = model.damping
        resisting = (c.matrix @ v + c.shapes @ (c.weights * (c.shapes.T @ v)) + model.stiffness @ start.displacement
                     + model.compatibility @ self.F[0])
        a = solved(model.mass, load - resisting)
        return v[self.order], a[self.order]

    def march(self, kernel: Kernel, inputs: tuple[Any, ...], extra: tuple[Array, ...] = ()) -> int:
        """Run the kernel on its band, or around a sparse solver; returns 0 or the number of the step that failed."""
        dofs, springs = self.order.size, len(self.problem.model.springs)
        work = (np.empty(dofs), np.empty(springs), np.empty(springs), np.empty(springs))
        # One layout, so that one compiled kernel serves all.
        inputs = tuple(np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x for x in inputs)
        outputs = (self.u, self.p, self.slip, self.X, self.w, self.F, self.branch, self.solves, self.searches,
                   self.counts, self.last, *work, *extra)
        if self.assembly.width > WIDEST_BAND:
            matrix: Any = sparse_route.SparseMatrix(self.assembly, self.stage.low_weight)
            run = interpreted(kernel, {"factorise": sparse_route.factorise, "backsolve": sparse_route.backsolve})
        else:
            matrix = _band(self.assembly, self.stage)
            run = compiled(kernel) if worth_compiling(self.steps * springs * _WORK_PER_SPRING) else kernel
        return int(run(self.stepping, matrix, self.scratch, *self.laws, self.kinematic, self.mass, self.beside, *inputs,
                       *outputs))

    def check(self, scheme: Scheme, number: int) -> None:
        """Turn the number of a step that failed into a named error."""
        if number == 0:
            return
        name, where = type(scheme).__name__, f"step {number} (t = {number * scheme.step:g} s)"
        left = float(self.last[1])
        if left < 0:
            dof = self.problem.model.dofs[self.order[int(-left) - 1]]
            raise ModelError(f"{name}: the matrix of {where} is not positive definite at {dof!r}; a negative stiffness "
                             "or the scheme's numbers are out of proportion")
        if isinstance(scheme, Newmark) and not scheme.safeguarded:
            raise ConvergenceError(
                f"Newmark: {where} did not converge in {scheme.max_iterations} iterations, tolerance "
                f"{scheme.tolerance:g}. Take a shorter step, safeguarded=True, or Galerkin, which cannot fail")
        raise ConvergenceError(f"{name}: {where} was not solved to round-off; the load or a parameter is out of "
                               "proportion with the rest (or overflows)")

    def solution(self, scheme: Scheme, force: Array, loads: Loading | None, carried: Mapping[str, Array]) -> Solution:
        """The histories in the model's order."""
        histories = {"displacement": self.restored(self.u), "momentum": self.restored(self.p), "slip": self.slip,
                     "force": force, "solves": self.solves, "searches": self.searches}
        if isinstance(scheme, Newmark):
            histories["iterations"] = self.solves
        if self.stride:
            histories |= {"back_force": self.X, "accumulated_slip": self.w}
        internal = {"back_force": self.X[-1].copy(), "accumulated_slip": self.w[-1].copy(),
                    "branch": self.branch.astype(float), **carried}
        return solution(self.problem, scheme, histories, loads, internal)


def _laws(model: Model, blocks: Blocks, tau: float) -> tuple[
        local.Sliders, local.Powers, Surfaces | None]:
    law = model.laws["slider"]
    k = blocks.stiffness[law.springs]
    rate = 1 / (law.viscosity + tau * (k + law.kinematic + law.isotropic))
    sliders = local.Sliders(law.springs, k, law.yield_force, law.kinematic, law.isotropic, rate, tau * k * rate)
    group = model.laws.get("power") or Powers.of([], [])
    powers = local.Powers(group.springs, blocks.stiffness[group.springs], group.coefficient, group.exponent)
    return sliders, powers, _surfaces(model, blocks, tau)


def _surfaces(model: Model, blocks: Blocks, tau: float) -> Surfaces | None:
    if "surface" not in model.laws:
        return None
    group = model.laws["surface"]
    worst = int(np.diff(group.begin).max(initial=0))
    if worst > MOST_SURFACES or int(group.size.max()) > WIDEST:
        raise ModelError(f"a block of springs may have {MOST_SURFACES} surfaces and {WIDEST} components; "
                         f"this model has one with {worst} and {int(group.size.max())}")
    k = np.zeros((len(blocks.full), WIDEST, WIDEST))
    for i, block in enumerate(blocks.full):
        k[i, :len(block), :len(block)] = block
    kappa = (group.viscosity + tau * group.isotropic) / (tau * group.reference**2)
    return Surfaces(group.first, group.size, group.begin, blocks.place, k, group.weight, group.center,
                          np.ascontiguousarray(group.reference), np.ascontiguousarray(group.isotropic), group.primary,
                          group.kinematic, kappa)


def _step(stage: OneStage, assembly: Assembly, blocks: Blocks, straight: bool, plain: Newmark | None) -> Step:
    S, B = assembly.S, assembly.B
    rows = Rows(S.indptr.astype(np.int64), S.indices.astype(np.int64), S.data, assembly.low, stage.low_weight)
    return Step(rows, B.indptr.astype(np.int64), B.indices.astype(np.int64), B.data, blocks.stiffness,
                _unit(stage, assembly, blocks), stage.pull[assembly.order] if len(stage.pull) else stage.pull,
                float(stage.weight), float(stage.reach), float(stage.tau), straight, plain is None,
                0.0 if plain is None else float(plain.tolerance), 0 if plain is None else plain.max_iterations)


def _unit(stage: OneStage, assembly: Assembly, blocks: Blocks) -> Array:
    """1/√ of the diagonal of S + weight·reach · B k Bᵀ."""
    T = elastic_tangents(blocks)
    own = assembly.row == assembly.column
    springs = np.bincount(assembly.row[own], weights=(assembly.share * T[assembly.source])[own],
                          minlength=assembly.order.size)
    return np.asarray(1 / np.sqrt(np.abs(assembly.S.diagonal()) + springs))


def _scratch(assembly: Assembly, blocks: Blocks) -> Scratch:
    dofs, springs, rank = assembly.order.size, blocks.stiffness.size, assembly.low.shape[1]
    on_dofs = [np.zeros(dofs) for _ in range(7)]
    on_springs = [np.zeros(springs) for _ in range(4)]
    T, factored = np.zeros(blocks.entries), np.full(blocks.entries, -1.0)     # −1: nothing factored yet
    return Scratch._make([*on_dofs, *on_springs, T, factored, np.zeros(rank), np.zeros(1),
                          np.zeros((16, WIDEST))])


def _band(assembly: Assembly, stage: OneStage) -> Band:
    base = band_of(assembly)
    dofs, rank = assembly.low.shape
    row = assembly.row.astype(np.int64)
    return Band(base, row, row - assembly.column, assembly.source.astype(np.int64), assembly.share, assembly.low,
                stage.low_weight, np.zeros_like(base), np.zeros((rank, dofs)), np.zeros((rank, rank)))
