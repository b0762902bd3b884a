"""Time elements with several stages: the linear maps of one step, computed once.

Given the slip rates g at the stages, everything else in a step is linear. With x_i = U_i − u₀ its rows are

    (A⁻²/h²) M x + (A⁻¹/h) C x + (K + B k Bᵀ) x = f − (K + B k Bᵀ) u₀ + B k (s₀ + h A g) + (A⁻¹1/h) p₀

(A the element's table, k = A⁻¹ the springs' stiffness); forces at the stages and the new u and p follow. What is left
for the march is a small problem in g alone.

What happens inside the steps of an element with several stages: dense output, and the energies of its quadrature.

The balance is that of the quadrature: with weights b and stage values V, F, g,

    Δ(kinetic + stored) + h Σ b VᵀCV + h Σ b Fᵀg + jumps = h Σ b fᵀV,

an identity for any law and step, in which F g splits into what hardening stores and what is dissipated. ``jumps`` is
the energy of the jumps at the start of the steps, (h²/2) Σ m_ij ⟨k_i, k_j⟩ with m_ij = b_i a_ij + b_j a_ji − b_i b_j
over the rates k of the state in the norm of the energy, hardening included; it vanishes for the continuous elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError, SchemeError
from hamex.march.run import entered, worth_compiling
from hamex.march.tables import Table
from hamex.model.algebra import rows
from hamex.model.record import Model, damps, dense, parameter, per_spring

Array = NDArray[Any]
_SMALL = 8  # unknowns up to which the maps are computed in extended precision
_FEW = 16  # stages times springs up to which maps of a whole step are the faster way


@dataclass(frozen=True, eq=False)
class StageTable:
    """A time element: nodes c, matrix A and weights b on [0, 1], with what their doubles leave out."""

    c: Array
    A: Array
    b: Array
    A_low: Array
    b_low: Array


@dataclass(frozen=True, eq=False)
class StageMaps:
    """Linear maps of one step; inputs are (u, p, slip, loads of the stages), stage by stage in the last.

    ``trial``: inputs → forces at the stages if nothing slips; ``soft``: slip rates → loss of force there;
    ``move``: inputs → (Δu, Δp), with its last bits in ``move_low``; ``slide``: slip rates → (Δu, Δp);
    ``place`` and ``place_slip``: inputs and slip rates → displacements at the stages relative to the start.
    """

    trial: Array
    soft: Array
    move: Array
    move_low: Array
    slide: Array
    place: Array
    place_slip: Array


def stage_maps(model: Model, table: StageTable, h: float, patterns: Array) -> StageMaps:
    """Maps for a step of length h under loads ``patterns`` (dof, channel); small ones in extended precision."""
    n, springs, q = len(model.dofs), len(model.springs), len(table.c)
    exact: Any = np.longdouble if q * n <= _SMALL else np.float64
    h = exact(h)  # h² in double would spoil the last digits
    M, C, K, B, P = (
        np.asarray(dense(x), dtype=exact)
        for x in (model.mass, model.damping.dense(), model.stiffness, model.compatibility, patterns)
    )
    flexibility = np.asarray(dense(model.flexibility), dtype=exact)
    k = solve_small(flexibility, np.eye(springs, dtype=exact))
    A, b = table.A.astype(exact) + table.A_low, table.b.astype(exact) + table.b_low
    one, eye = np.ones((q, 1), dtype=exact), np.eye(q, dtype=exact)
    inverse = solve_small(A, eye)
    stiff = K + B @ k @ B.T
    Z = np.kron(inverse @ inverse, M) / h**2 + np.kron(inverse, C) / h + np.kron(eye, stiff)
    from_u = np.kron(one, -stiff)
    from_p = np.kron(inverse @ one, np.eye(n, dtype=exact)) / h
    from_slip, from_load = np.kron(one, B @ k), np.kron(eye, P)
    x = solve_small(Z, np.hstack([from_u, from_p, from_slip, from_load]))
    x_slip = solve_small(Z, h * np.kron(A, B @ k))
    stretch = np.kron(eye, k @ B.T)
    trial = stretch @ x
    trial[:, :n] += np.kron(one, k @ B.T)
    trial[:, 2 * n : 2 * n + springs] -= np.kron(one, k)
    soft = h * np.kron(A, k) - stretch @ x_slip
    beta = b[None, :] @ inverse
    out_u, out_p = np.kron(beta, np.eye(n, dtype=exact)), np.kron(beta @ inverse, M) / h
    move = np.vstack([out_u @ x, out_p @ x])
    move[n:, n : 2 * n] -= beta.sum() * np.eye(n, dtype=exact)
    slide = np.vstack([out_u @ x_slip, out_p @ x_slip])
    high = move.astype(float)
    if not all(np.all(np.isfinite(part)) for part in (high, soft)):
        raise SchemeError("the step's matrix is singular; take another step")
    return StageMaps(
        trial.astype(float),
        soft.astype(float),
        high,
        (move - high).astype(float),
        slide.astype(float),
        x.astype(float),
        x_slip.astype(float),
    )


def solve_small(matrix: Array, right: Array) -> Array:
    """matrix⁻¹ right; in extended precision by elimination with pivoting, which LAPACK does not offer."""
    if matrix.dtype == np.float64:
        try:
            return np.asarray(np.linalg.solve(matrix, right))
        except np.linalg.LinAlgError:
            raise ModelError("nothing resists some motion of this model; the step cannot be solved") from None
    a, x = matrix.copy(), right.copy()
    n = len(a)
    for i in range(n):
        best = i + int(np.argmax(np.abs(a[i:, i])))
        a[[i, best]], x[[i, best]] = a[[best, i]], x[[best, i]]
        if a[i, i] == 0:
            raise ModelError("nothing resists some motion of this model; the step cannot be solved")
        for j in range(i + 1, n):
            factor = a[j, i] / a[i, i]
            a[j, i:] -= factor * a[i, i:]
            x[j] -= factor * x[i]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


def coupling(maps: StageMaps, table: StageTable, h: float, kinematic: Array) -> Array:
    """N: loss of F − X at the stages per slip rate, ``soft`` plus what kinematic hardening adds."""
    return maps.soft + h * np.kron(table.A, np.diag(kinematic))


class MappedSteps:
    """Steps of a few sliders by maps of a whole step, prepared once."""

    def __init__(self, model: Model, table: StageTable, h: float, patterns: Array, most: int) -> None:
        from hamex.march.stages import stages  # every solution names StageHistory, and few are made by this kernel

        self.model, self.table = model, table
        self.maps = stage_maps(model, table, h, patterns)
        self.numbers = step_numbers(model, table, self.maps, h)
        self.N, self.R = mapped_tables(model, table, patterns.shape[1], [self.numbers])
        rows = len(table.c) * len(model.springs)
        work = 2 * most * rows * (2 * len(model.dofs) + rows + 8)
        self.kernel = entered(stages, self.N, self.R, 0, 1, np.zeros(0), compile=worth_compiling(work, stages))

    def march(self, start: tuple[Array, ...], guess: Array, values: Array) -> tuple[tuple[Array, ...], int]:
        """From (u, p, slip, X, w) and the branches under stage loads (step, stage, channel).

        Returns their histories at the nodes, stage displacements relative to the start of the step, slip rates and
        forces at the stages, mean forces, solves and branches; and 0, or the number of the step whose branches were not
        found.
        """
        from hamex.march import stages as slots

        N, R, maps = self.N, self.R, self.maps
        steps, n, springs, q = len(values), len(self.model.dofs), len(self.model.springs), len(self.table.c)
        nodes = [np.empty((steps + 1, len(state))) for state in start]
        for a, (history, state) in enumerate(zip(nodes, start, strict=True)):
            history[0] = state
            R[slots.WALK + a] = history
        g, F, mean = (np.zeros((steps, size)) for size in (q * springs, q * springs, springs))
        R[slots.G], R[slots.F], R[slots.MEANS] = g, F, mean
        N[slots.SOLVES], N[slots.BRANCHES] = np.zeros(steps, dtype=np.int64), np.tile(guess, q)
        loads = np.ascontiguousarray(values.reshape(steps, -1))
        failed = self.kernel(N, R, 0, steps, loads.reshape(-1))
        inputs = np.hstack([nodes[0][:-1], nodes[1][:-1], nodes[2][:-1], loads])
        # Not by BLAS, whose bits depend on how many rows it is given.
        moved = np.einsum("ri,ji->rj", inputs, maps.place) + np.einsum("ri,ji->rj", g, maps.place_slip)
        shape = (steps, q, springs)
        rest = moved.reshape(steps, q, n), g.reshape(shape), F.reshape(shape), mean, N[slots.SOLVES]
        return (*nodes, *rest, N[slots.BRANCHES][-springs:]), int(failed)


def mapped_tables(
    model: Model, table: StageTable, channels: int, levels: Sequence[Mapping[int, Array]]
) -> tuple[Table, Table]:
    """What kernels need for steps of one length or of several, but for loads and histories; see
    :mod:`hamex.march.stages`."""
    from hamex.march import located as fixed
    from hamex.march import stages as slots

    N, R = Table(slots.INTEGERS, np.int64), Table(slots.REALS)
    springs, q, dofs = len(model.springs), len(table.c), len(model.dofs)
    rows, jumps = q * springs, jump_weights(table.A, table.b) is not None
    N[fixed.SIZES] = np.array([dofs, springs, q, channels, jumps, len(levels)])
    N[fixed.WIDTHS] = np.array([dofs, dofs, springs, springs, springs])
    N[slots.ON] = np.zeros(rows, dtype=np.int64)
    for slot in levels[0] if levels else ():
        several = [each[slot].ravel() for each in levels]
        R[slot] = several[0] if len(levels) == 1 else np.concatenate(several)
    R[fixed.WEIGHTS], R[fixed.KINEMATIC] = np.ascontiguousarray(table.b), parameter(model, "kinematic")
    R[slots.INPUTS], R[slots.SYSTEM] = np.zeros(2 * dofs + springs + q * channels), np.zeros((rows, rows))
    for slot in (slots.OVER, slots.BOUND, slots.RIGHT, slots.OVER0, slots.BOUND0, slots.G0):
        R[slot] = np.zeros(rows)
    return N, R


def step_numbers(model: Model, table: StageTable, maps: StageMaps, h: float) -> dict[int, Array]:
    """By slots, the complementarity problem of a step of length h and its maps."""
    from hamex.march import stages as slots

    law, q = per_spring(model), len(table.c)
    return {
        slots.LOSS: coupling(maps, table, h, law["kinematic"]),
        slots.ETA: np.tile(law["viscosity"], q),
        slots.LIMIT: np.tile(law["yield_force"], q),
        slots.HARD: h * np.kron(table.A, np.diag(law["isotropic"])),
        slots.ISOTROPIC: np.tile(law["isotropic"], q),
        slots.TRIAL: maps.trial,
        slots.SOFT: maps.soft,
        slots.MOVE: maps.move,
        slots.MOVE_LOW: maps.move_low,
        slots.SLIDE: maps.slide,
        slots.PLACE: maps.place,
        slots.PLACE_SLIP: maps.place_slip,
        slots.H: np.array([h], dtype=float),
    }


def is_small(model: Model, table: StageTable) -> bool:
    """True where maps of a whole step cost least: a few sliders and nothing else.

    Isotropic hardening goes by the stages, whose law knows what happens where a stage would start below no slip.
    """
    if set(model.laws) != {"slider"} or np.any(model.laws["slider"].isotropic > 0):
        return False
    return len(table.c) * max(len(model.springs), len(model.dofs)) <= _FEW


@dataclass(frozen=True, eq=False)
class StageHistory:
    """Stage values of a run.

    Attributes
    ----------
    nodes, matrix, weights : the element's table c, A, b on [0, 1].
    moved : (step, stage, dof), displacements at the stages relative to the start of the step.
    loads : (step, stage, channel); slip_rates, growth, force : (step, stage, spring), growth that of accumulated slip.
    continuous : False for elements with jumps, whose polynomial does not start at the old value.
    """

    nodes: Array
    matrix: Array
    weights: Array
    moved: Array
    loads: Array
    slip_rates: Array
    growth: Array
    force: Array
    continuous: bool

    def joined(self, parts: Sequence[StageHistory]) -> StageHistory:
        """Several marches in a row as one."""
        names = ("moved", "loads", "slip_rates", "growth", "force")
        whole: Any = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return replace(self, **whole)

    def displacement(self, u: Array) -> Array:
        """Displacements at the stages, (step, stage, dof)."""
        return u[:-1, None, :] + self.moved

    def velocity(self, h: float) -> Array:
        """Velocities at the stages, A⁻¹(U − u₀)/h, (step, stage, dof)."""
        return np.einsum("ij,rjk->rik", self.inverse, self.moved) / h

    @cached_property
    def inverse(self) -> Array:
        """A⁻¹."""
        return np.asarray(np.linalg.inv(self.matrix))

    def inside(self, u: Array, stage: Array, at: Array) -> Array:
        """Values at the places ``at`` on [0, 1] inside every step, (step, place, dof)."""
        known = np.concatenate([[0.0], self.nodes]) if self.continuous else self.nodes
        values = np.concatenate([u[:-1, None, :], stage], axis=1) if self.continuous else stage
        shapes = np.array([[np.prod([(x - b) / (a - b) for b in known if b != a]) for a in known] for x in at])
        return np.einsum("ij,rjk->rik", shapes, values)

    def largest(self, u: Array, stage: Array) -> tuple[float, float, int]:
        """Largest absolute value inside the steps: value, place in steps, and column.

        Nine places a step find the step; the extremes of its polynomial are the roots of a small derivative.
        """
        at = np.linspace(0.0, 1.0, 9)
        size = np.abs(self.inside(u, stage, at))
        r, _, column = (int(i) for i in np.unravel_index(int(size.argmax()), size.shape))
        best, where = float(size[r, :, column].max()), r + float(at[int(size[r, :, column].argmax())])
        known = np.concatenate([[0.0], self.nodes]) if self.continuous else self.nodes
        values = stage[r, :, column] if not self.continuous else np.concatenate([u[r, [column]], stage[r, :, column]])
        curve = np.polynomial.Polynomial.fit(known, values, len(known) - 1)
        for root in np.atleast_1d(curve.deriv().roots()):
            if abs(root.imag) < 1e-9 and 0 <= root.real <= 1 and abs(curve(root.real)) > best:
                best, where = float(abs(curve(root.real))), r + float(root.real)
        return best, where, column


def spent_inside(model: Model, h: float, inside: StageHistory, patterns: Array, u: Array) -> Array:
    """(step, 4): energies that dashpots and dampers take, that slip takes beyond them (what hardening stores included),
    that the jumps lose, and that the load gives; ``u`` are the displacements at the nodes."""
    b, v = inside.weights, inside.velocity(h)
    flat = v.reshape(-1, v.shape[2])
    slipped = h * np.einsum("i,rij->rj", b, inside.force * inside.slip_rates)
    pushed = inside.loads @ patterns.T
    of_hardening = hardening_jumps(model, h, inside.matrix, b, inside.slip_rates, inside.growth)
    lost = jump_form(model, h, inside.matrix, b, v, pushed, inside.displacement(u), inside.force, inside.slip_rates)
    damper = damps(model)
    return np.stack(
        [
            np.einsum("ri,i->r", h * model.damping_power(flat).reshape(v.shape[:2]), b)
            + slipped[:, damper].sum(axis=1),
            slipped[:, ~damper].sum(axis=1) - of_hardening,
            lost + of_hardening,
            np.einsum("ri,i->r", h * (pushed * v).sum(axis=2), b),
        ],
        axis=1,
    )


def jump_form(
    model: Model, h: float, a: Array, b: Array, v: Array, pushed: Array, stage: Array, force: Array, slip_rates: Array
) -> Array:
    """(h²/2) Σ m_ij ⟨k_i, k_j⟩ per step, k the rates of momentum, elastic deformation and displacement."""
    m = jump_weights(a, b)
    if m is None:
        return np.zeros(len(v))
    flat = v.reshape(-1, v.shape[2])
    # By numbers, not by −1: a model without springs has no size to divide by.
    spring = rows(force.reshape(len(flat), force.shape[2]), model.compatibility.T).reshape(v.shape)
    damped = model.damping_force(flat).reshape(v.shape)
    beside = rows(stage.reshape(-1, stage.shape[2]), model.stiffness).reshape(v.shape)
    dp = pushed - damped - beside - spring
    de = model.deformation(flat).reshape(force.shape) - slip_rates
    lost = _form(m, dp, model.velocity(dp.reshape(flat.shape)).reshape(v.shape))
    lost += _form(m, de, model.elastic_force(de.reshape(len(flat), de.shape[2])).reshape(de.shape))
    lost += _form(m, v, rows(flat, model.stiffness).reshape(v.shape))
    return 0.5 * h**2 * lost


def hardening_jumps(model: Model, h: float, a: Array, b: Array, slip_rates: Array, growth: Array) -> Array:
    """The same for the energy that hardening stores, ½Hk[slip]² + ½Hi[w]² per step."""
    m = jump_weights(a, b)
    if m is None:
        return np.zeros(len(slip_rates))
    held = _form(m, growth * parameter(model, "isotropic"), growth)
    for group in model.laws.values():
        own = slip_rates[..., group.springs]
        held += _form(m, group.law.back_force(group, own), own)
    return 0.5 * h**2 * held


def jump_weights(a: Array, b: Array) -> Array | None:
    """m_ij, or None for the continuous elements, where it is round-off."""
    m = b[:, None] * a + (b[:, None] * a).T - np.outer(b, b)
    return None if np.abs(m).max() < 1e-13 else m


def _form(m: Array, x: Array, y: Array) -> Array:
    return np.einsum("ij,rik,rjk->r", m, x, y)
