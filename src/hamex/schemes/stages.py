"""Time elements with several stages: the linear maps of one step, computed once.

Given the slip rates g at the stages, everything else in a step is linear. With x_i = U_i − u₀ its rows are

    (A⁻²/h²) M x + (A⁻¹/h) C x + (K + B k Bᵀ) x = f − (K + B k Bᵀ) u₀ + B k (s₀ + h A g) + (A⁻¹1/h) p₀

(A the element's table, k = A⁻¹ the springs' stiffness); forces at the stages and the new u and p follow. What is left
for the march is a small problem in g alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError, SchemeError
from hamex.march.run import Kernel, compiled, worth_compiling
from hamex.march.stages import MappedHistory, Maps, Room, Slip, stages
from hamex.model.record import Model, dense, parameter, per_spring

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


def stage_maps(model: Model, table: StageTable, h: float, patterns: Array, extended: bool = True) -> StageMaps:
    """Maps for a step of length h under loads ``patterns`` (dof, channel); small ones in extended precision."""
    n, springs, q = len(model.dofs), len(model.springs), len(table.c)
    exact: Any = np.longdouble if extended and q * n <= _SMALL else np.float64
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
        self.model, self.table, self.h = model, table, h
        self.maps = stage_maps(model, table, h, patterns)
        self.slip = slip_problem(model, table, self.maps, h)
        self.kinematic = parameter(model, "kinematic")
        rows = len(table.c) * len(model.springs)
        work = most * rows * (2 * len(model.dofs) + rows + 8)
        self.kernel: Kernel = compiled(stages) if worth_compiling(work) else stages

    def march(self, start: tuple[Array, ...], guess: Array, values: Array) -> tuple[tuple[Array, ...], int]:
        """From (u, p, slip, X, w) and the branches under stage loads (step, stage, channel).

        Returns their histories at the nodes, stage displacements relative to the start of the step, slip rates and
        forces at the stages, mean forces, solves and branches; and 0, or the number of the step whose branches were not
        found.
        """
        steps, n, springs, q = len(values), len(self.model.dofs), len(self.model.springs), len(self.table.c)
        maps, table, rows = self.maps, self.table, q * springs
        u, p = np.empty((steps + 1, n)), np.empty((steps + 1, n))
        slip, X, w = (np.empty((steps + 1, springs)) for _ in range(3))
        u[0], p[0], slip[0], X[0], w[0] = start
        g, F = np.zeros((steps, rows)), np.zeros((steps, rows))
        mean, solves, branch = np.zeros((steps, springs)), np.zeros(steps, dtype=np.int64), np.tile(guess, q)
        numbers = Maps(
            maps.trial, maps.soft, maps.move, maps.move_low, maps.slide, table.b, float(self.h), self.kinematic
        )
        walk = MappedHistory(u, p, slip, X, w, g, F, mean, branch, solves)
        room = Room(
            np.empty(maps.move.shape[1]),
            np.empty(rows),
            np.empty(rows),
            np.empty((rows, rows)),
            np.empty(rows),
            np.empty(rows, dtype=np.int64),
        )
        failed = self.kernel(self.slip, numbers, np.ascontiguousarray(values.reshape(steps, -1)), walk, room)
        inputs = np.hstack([u[:-1], p[:-1], slip[:-1], values.reshape(steps, -1)])
        # Not by BLAS, whose bits depend on how many rows it is given.
        moved = np.einsum("ri,ji->rj", inputs, maps.place) + np.einsum("ri,ji->rj", g, maps.place_slip)
        shape = (steps, q, springs)
        return (
            u,
            p,
            slip,
            X,
            w,
            moved.reshape(steps, q, n),
            g.reshape(shape),
            F.reshape(shape),
            mean,
            solves,
            branch[-springs:],
        ), int(failed)


def is_small(model: Model, table: StageTable) -> bool:
    """True where maps of a whole step cost least: a few sliders and nothing else.

    Isotropic hardening goes by the stages, whose law knows what happens where a stage would start below no slip.
    """
    if set(model.laws) != {"slider"} or np.any(model.laws["slider"].isotropic > 0):
        return False
    return len(table.c) * max(len(model.springs), len(model.dofs)) <= _FEW


def slip_problem(model: Model, table: StageTable, maps: StageMaps, h: float) -> Slip:
    """The complementarity problem of a step of length h."""
    law, q = per_spring(model), len(table.c)
    return Slip(
        coupling(maps, table, h, law["kinematic"]),
        np.tile(law["viscosity"], q),
        np.tile(law["yield_force"], q),
        h * np.kron(table.A, np.diag(law["isotropic"])),
        np.tile(law["isotropic"], q),
    )
