"""Elements of several stages through time: the driver around the step of :mod:`hamex.march.stage_newton`."""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.matrices import Rows, Wide
from hamex.march.run import invoke
from hamex.march.stage_newton import FOLLOW_STATE, Motion, Work, solve_step
from hamex.march.stage_springs import Local, StageLaws, StageSprings

Array = Any

_CANCELLED = 0.05  # of deformations that cancel before they enter a row, which leave a few bits only


class StageNumbers(NamedTuple):
    """The element's numbers for a step of length h; W = A⁻¹."""

    h: float
    tau: Array  # (stage,) h/W_ii
    start: Array  # (stage,) Σ_j W_ij / h: share of p₀ in the row of a stage
    weights: Array  # b
    end: Array  # bᵀW: u₁ = u₀ + Σ end · x
    push: Array  # bᵀW²/h: p₁ = rest · p₀ + M Σ push · x
    rest: float  # 1 − Σ end


class History(NamedTuple):
    """What a march fills; row 0 of u, p and z is given, and ``branch`` holds that of the last stage before."""

    u: Array  # (node, dof)
    p: Array
    z: Array  # (node, entry of z)
    branch: Array  # (spring,)
    x: Array  # (step, stage, dof): displacements relative to the start of the step
    F: Array  # (step, stage, spring)
    rate: Array  # (step, stage, entry of z)
    solves: Array  # (step,)
    tries: Array
    left: Array  # (step,) relative residual


def stage_march(
    element: StageNumbers,
    motion: Motion,
    local: Local,
    laws: StageLaws,
    matrix: Wide,
    mass: Rows,
    beside: Rows,
    load: Array,
    patterns: Array,
    out: History,
    e0: Array,
    s: StageSprings,
    w: Work,
    count: Array,
) -> int:
    """March; returns 0, or the number of the step that was not solved. ``load`` is (step, stage, channel)."""
    for k in range(len(load)):
        prepared(element, motion, beside, load[k], patterns, out.u[k], out.p[k], out.z[k], local, out.branch, e0, s, w)
        before, looked = count[0], count[2]
        out.left[k] = solve_step(motion, local, laws, matrix, e0, out.z[k], s, w, count)
        out.solves[k] = count[0] - before
        out.tries[k] = count[2] - looked
        if not out.left[k] < float("inf"):
            return k + 1
        finished(element, mass, k, out, s, w)
        if len(local.follows) > 0:
            change(motion, out.u[k], out.u[k + 1], w.ext[0])
            invoke(motion.call[FOLLOW_STATE], (laws, 0, e0, w.ext[0], out.z[k], s))
            for i in range(len(local.follows)):
                out.z[k + 1, local.follows[i]] = s.dzp[local.follows[i]]
                for j in range(len(element.tau)):
                    out.rate[k, j, local.follows[i]] = 0.0
    return 0


def prepared(
    element: StageNumbers,
    motion: Motion,
    beside: Rows,
    load: Array,
    patterns: Array,
    u: Array,
    p: Array,
    z: Array,
    local: Local,
    branch: Array,
    e0: Array,
    s: StageSprings,
    w: Work,
) -> None:
    """Right side, deformations, round-off and first branches of a step: functions of the state alone."""
    q = len(element.tau)
    for n in range(len(u)):
        resisted, size = 0.0, 0.0
        for m in range(beside.row[n], beside.row[n + 1]):
            part = beside.value[m] * u[beside.column[m]]
            resisted += part
            size += abs(part)
        for i in range(q):
            pushed = element.start[i] * p[n]
            w.r[n * q + i] = pushed - resisted
            w.terms[n * q + i] = abs(pushed) + size
            for a in range(len(patterns)):
                w.r[n * q + i] += patterns[a, n] * load[i, a]
                w.terms[n * q + i] += abs(patterns[a, n] * load[i, a])
    for j in range(len(e0)):
        total, size = 0.0, 0.0
        for m in range(motion.begin[j], motion.begin[j + 1]):
            part = motion.share[m] * u[motion.dof[m]]
            total += part
            size += abs(part)
        e0[j] = total
        w.noise[j] = _CANCELLED * motion.stiff[j] * size
        for i in range(q):
            s.branch[i, j] = branch[j]
    for b in range(len(local.first)):
        if local.many[b] > 0:
            for c in range(local.size[b]):
                j = local.first[b] + c
                slip = abs(z[local.begin[b] + c * (local.many[b] // local.size[b])])
                w.noise[j] += _CANCELLED * motion.stiff[j] * slip


def change(motion: Motion, before: Array, after: Array, out: Array) -> None:
    """out = Bᵀ(after − before)."""
    for j in range(len(out)):
        total = 0.0
        for m in range(motion.begin[j], motion.begin[j + 1]):
            total += motion.share[m] * (after[motion.dof[m]] - before[motion.dof[m]])
        out[j] = total


def finished(element: StageNumbers, mass: Rows, k: int, out: History, s: StageSprings, w: Work) -> None:
    """The next node, and what the stages held."""
    q = len(element.tau)
    u, p, z, x = out.u, out.p, out.z, w.x
    for n in range(u.shape[1]):
        total = 0.0
        for i in range(q):
            total += element.end[i] * x[n * q + i]
            out.x[k, i, n] = x[n * q + i]
        u[k + 1, n] = u[k, n] + total
        p[k + 1, n] = element.rest * p[k, n]
        for m in range(mass.row[n], mass.row[n + 1]):
            total = 0.0
            for i in range(q):
                total += element.push[i] * x[mass.column[m] * q + i]
            p[k + 1, n] += mass.value[m] * total
    for v in range(z.shape[1]):
        total = 0.0
        for i in range(q):
            out.rate[k, i, v] = s.dz[i, v] / element.tau[i]
            total += element.weights[i] * out.rate[k, i, v]
        z[k + 1, v] = z[k, v] + element.h * total
    for j in range(len(out.branch)):
        for i in range(q):
            out.F[k, i, j] = s.F[i, j]
        out.branch[j] = s.branch[q - 1, j]
