"""One step of an element with several stages: stage displacements and states by Newton's method that cannot fail.

With x_i = U_i − u₀ (stage i) and W = A⁻¹, A the element's table,

    (W²/h²) M x + (W/h) C x + K x + B F(e₀ + Bᵀx, state) = r,     r = f − K u₀ + (W1/h) p₀,

and the springs' own equations R = 0 (:mod:`hamex.march.stage_springs`). Where sym(DW)⊗M/h + D⊗C + h sym(DA)⊗K_soft is
positive definite for some positive diagonal D, the left side is one-to-one and its matrix regular on every branch. Full
Newton steps nearly always end at once. Where they do not, steps that make the residual smaller are tried; and if those
stall too, the solution is followed from the guess, for which it would be the solution, to the end: a path that exists,
is single, and along which short Newton steps converge.

And the march of such steps through time, ``stage_march``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.matrices import Rows, Wide
from hamex.march.newton import against
from hamex.march.run import invoke
from hamex.march.stage_springs import Local, StageLaws, StageSprings, carried

Array = Any

ROUND_OFF = 2e-14  # of the terms of a row: the residual that arithmetic leaves
_FULL = 12  # full Newton steps before anything else is tried
_DAMPED = 40
_ALONG = 15  # Newton steps at one place of the path
_HALVINGS = 10  # of a damped step
_PATH = 4000  # places on the path
_CANCELLED = 0.05  # of deformations that cancel before they enter a row, which leave a few bits only
# What is called by its address, and so compiled once by itself: entries of Motion.call.
RESPOND, LINEARISE, MEASURE, SOLVE, FOLLOW_STATE = 0, 1, 2, 3, 4


class Motion(NamedTuple):
    """The equations of motion of a step; unknown (dof, stage) stands at dof · stages + stage."""

    call: Array  # addresses, or numbers of functions uncompiled
    row: Array  # (W²/h²)M + (W/h)C + K, compressed rows
    column: Array
    value: Array
    low: Array  # (rank, dof): shapes of modal damping
    damp: Array  # (rank, stage, stage): its weights times W/h
    begin: Array
    dof: Array
    share: Array  # B, compressed columns
    stiff: Array  # elastic stiffness of each spring by itself
    unit: Array  # 1/√ of the elastic diagonal: makes rows of forces and of moments comparable
    cross: Array  # what stages see of one another's states
    straight: bool  # every law is piecewise linear


class Work(NamedTuple):
    """Work space of a step; nothing in it outlives the step but the factored tangents."""

    x: Array
    Y: Array
    ex: Array
    xt: Array  # the same at a trial
    Yt: Array
    ext: Array
    d: Array
    ed: Array
    step: Array  # dY
    r: Array
    terms: Array  # what cancels in r
    g: Array
    size: Array
    g0: Array  # residual at the start of a path
    R0: Array
    x1: Array  # last place on it
    Y1: Array
    noise: Array
    factored: Array
    small: Array
    merit: Array  # sum of squares; relative residual of the variables beside slip
    mode: Array  # most steps, whether damped, whether the first is on the branches given


def stretched(motion: Motion, q: int, x: Array, out: Array) -> None:
    """out = Bᵀx at every stage."""
    for j in range(len(motion.begin) - 1):
        for i in range(q):
            total = 0.0
            for m in range(motion.begin[j], motion.begin[j + 1]):
                total += motion.share[m] * x[motion.dof[m] * q + i]
            out[i, j] = total


def residual(motion: Motion, q: int, x: Array, F: Array, hold: float, w: Work) -> float:
    """g = left side − r − hold·g₀ for given forces; returns its largest row relative to the terms of the rows."""
    g, size = w.g, w.size
    for i in range(len(g)):
        g[i] = -w.r[i]
        size[i] = w.terms[i]
        for m in range(motion.row[i], motion.row[i + 1]):
            part = motion.value[m] * x[motion.column[m]]
            g[i] += part
            size[i] += abs(part)
    for a in range(len(motion.low)):
        modal(motion.low[a], motion.damp[a], q, x, w)
    for j in range(F.shape[1]):
        for m in range(motion.begin[j], motion.begin[j + 1]):
            for i in range(q):
                to = motion.dof[m] * q + i
                g[to] += motion.share[m] * F[i, j]
                size[to] += abs(motion.share[m]) * (abs(F[i, j]) + w.noise[j])
    worst, largest, merit = 0.0, 0.0, 0.0
    for i in range(len(g)):
        g[i] -= hold * w.g0[i]
        largest = max(largest, size[i] * motion.unit[i])
        weighed = g[i] * motion.unit[i]
        if not abs(weighed) <= worst:
            worst = abs(weighed)
        merit += weighed * weighed
    w.merit[0] = merit
    w.merit[1] = 0.0
    return worst / largest if largest > 0.0 else 0.0


def modal(shape: Array, damp: Array, q: int, x: Array, w: Work) -> None:
    """Add the force of one damped mode to g."""
    for j in range(q):
        along = 0.0
        for n in range(len(shape)):
            along += shape[n] * x[n * q + j]
        for n in range(len(shape)):
            for i in range(q):
                part = damp[i, j] * along * shape[n]
                w.g[n * q + i] += part
                w.size[n * q + i] += abs(part)


def untied(
    motion: Motion, local: Local, e0: Array, z0: Array, hold: float, w: Work, Y: Array, ex: Array, s: StageSprings
) -> float:
    """The springs' own residual, relative to the terms of their rows; takes hold·R₀ from R and adds to the merit.

    That of slip is returned. Other variables may consist of nothing but round-off, so theirs is kept apart.
    """
    worst = 0.0
    for b in range(len(local.first)):
        d, m, at = local.many[b], local.size[b], local.begin[b]
        each, deformed = d // m, 0.0
        for c in range(m):
            for i in range(len(Y)):
                j = local.first[b] + c
                deformed = max(deformed, abs(e0[j]) + abs(ex[i, j]))
                if d > 0:
                    deformed = max(deformed, abs(z0[at + c * each]) + abs(Y[i, at + c * each]))
        for v in range(each):
            off, terms = 0.0, 0.0
            for c in range(m):
                entry = c * each + v
                for i in range(len(Y)):
                    s.R[i, at + entry] -= hold * w.R0[i, at + entry]
                    off = max(off, abs(s.R[i, at + entry]))
                    terms = max(terms, abs(z0[at + entry]) + abs(Y[i, at + entry]))
                    if v == 0:
                        w.merit[0] += motion.stiff[local.first[b] + c] * (s.R[i, at + entry] * s.R[i, at + entry])
            if v == 0 and deformed > 0.0:
                worst = max(worst, off / deformed)
            elif v > 0 and terms > 0.0:
                w.merit[1] = max(w.merit[1], off / terms)
    return worst


def measured(
    motion: Motion,
    local: Local,
    e0: Array,
    z0: Array,
    x: Array,
    F: Array,
    Y: Array,
    ex: Array,
    hold: float,
    s: StageSprings,
    w: Work,
) -> float:
    """Both residuals at a place where the springs have answered, relative to the terms of their rows."""
    worst = residual(motion, len(Y), x, F, hold, w)
    return max(worst, untied(motion, local, e0, z0, hold, w, Y, ex, s))


def tried(
    motion: Motion,
    local: Local,
    laws: StageLaws,
    e0: Array,
    z0: Array,
    alpha: float,
    hold: float,
    s: StageSprings,
    w: Work,
) -> tuple[bool, float]:
    """Go α along the step: whether a branch changed, and the relative residual there."""
    gone(alpha, w)
    changed = invoke(motion.call[RESPOND], (laws, motion.cross, e0, w.ext, z0, w.Yt, False, s)) != 0.0
    worst = invoke(motion.call[MEASURE], (motion, local, e0, z0, w.xt, s.F, w.Yt, w.ext, hold, s, w))
    return changed, worst


def gone(alpha: float, w: Work) -> None:
    """The trial is α along the step."""
    for i in range(len(w.x)):
        w.xt[i] = w.x[i] + alpha * w.d[i]
    for i in range(len(w.Y)):
        for v in range(w.Y.shape[1]):
            w.Yt[i, v] = w.Y[i, v] + alpha * w.step[i, v]
        for j in range(w.ex.shape[1]):
            w.ext[i, j] = w.ex[i, j] + alpha * w.ed[i, j]


def accepted(w: Work) -> None:
    """The trial becomes the place."""
    for i in range(len(w.x)):
        w.x[i] = w.xt[i]
    for i in range(len(w.Y)):
        for v in range(w.Y.shape[1]):
            w.Y[i, v] = w.Yt[i, v]
        for j in range(w.ex.shape[1]):
            w.ex[i, j] = w.ext[i, j]


def relieved(motion: Motion, q: int, s: StageSprings, w: Work) -> None:
    """g at the forces that the springs would have once their own equations are satisfied."""
    for j in range(s.F.shape[1]):
        for i in range(q):
            more = s.held[i, j] - s.F[i, j]
            if more != 0.0:
                for m in range(motion.begin[j], motion.begin[j + 1]):
                    w.g[motion.dof[m] * q + i] += motion.share[m] * more


def known(tangents: Array, factored: Array) -> bool:
    """Whether the tangents are those of the last factors, which they become."""
    same = True
    for i in range(len(tangents)):
        if tangents[i] != factored[i]:
            same = False
            factored[i] = tangents[i]
    return same


def direction(
    motion: Motion,
    local: Local,
    laws: StageLaws,
    matrix: Wide,
    e0: Array,
    z0: Array,
    s: StageSprings,
    w: Work,
    count: Array,
) -> bool:
    """Newton's step from a place that was measured; False when the matrix is singular."""
    q = len(motion.cross)
    invoke(motion.call[LINEARISE], (laws, local, motion.cross, e0, w.ex, z0, w.Y, s))
    relieved(motion, q, s, w)
    same = known(s.coupled, w.factored)
    against(w.g, w.d)
    count[0] += 1
    count[1] += not same
    if invoke(motion.call[SOLVE], (matrix, s.coupled, not same, w.d, w.small)) != 0.0:
        w.factored[0] = float("nan")
        return False
    stretched(motion, q, w.d, w.ed)
    carried(local, q, w.ed, s, w.step)
    return True


def newton(
    motion: Motion,
    local: Local,
    laws: StageLaws,
    matrix: Wide,
    e0: Array,
    z0: Array,
    hold: float,
    s: StageSprings,
    w: Work,
    count: Array,
) -> float:
    """From the guess in w.x and w.Y; returns the relative residual that is left, infinite when the steps do not end.

    ``count`` gathers linear solves, factorisations and tries.
    """
    q, damped = len(motion.cross), w.mode[1] != 0
    stretched(motion, q, w.x, w.ex)
    invoke(motion.call[RESPOND], (laws, motion.cross, e0, w.ex, z0, w.Y, w.mode[2] != 0, s))
    invoke(motion.call[MEASURE], (motion, local, e0, z0, w.x, s.F, w.Y, w.ex, hold, s, w))
    merit, before, others = w.merit[0], float("inf"), float("inf")
    for _ in range(w.mode[0]):
        if not direction(motion, local, laws, matrix, e0, z0, s, w, count):
            return float("inf")
        alpha = 1.0
        for halving in range(_HALVINGS + 1):
            changed, worst = tried(motion, local, laws, e0, z0, alpha, hold, s, w)
            count[2] += 1
            if motion.straight and not changed and halving == 0 and worst <= 1e3 * ROUND_OFF:
                accepted(w)
                return worst
            if not damped or w.merit[0] <= (1.0 - 1e-4 * alpha) * merit:
                break
            if worst <= 1e3 * ROUND_OFF:
                break
            if halving == _HALVINGS:
                return float("inf")
            alpha *= 0.5
        accepted(w)
        # At round-off, or stuck just above it: nothing more can be gained. Other variables have then settled too.
        settled = w.merit[1] <= ROUND_OFF or w.merit[1] >= 0.5 * others
        if settled and (worst <= ROUND_OFF or (worst <= 1e3 * ROUND_OFF and worst >= 0.5 * before)):
            return worst
        if not worst < float("inf"):
            return float("inf")
        before, merit, others = worst, w.merit[0], w.merit[1]
    return float("inf")


def solve_step(
    motion: Motion,
    local: Local,
    laws: StageLaws,
    matrix: Wide,
    e0: Array,
    z0: Array,
    s: StageSprings,
    w: Work,
    count: Array,
) -> float:
    """One step from x = 0 and Y = 0 on the branches in s.branch; returns the relative residual, infinite on failure."""
    restart(w)
    set_mode(w, _FULL, 0, 1)
    left = newton(motion, local, laws, matrix, e0, z0, 0.0, s, w, count)
    if left < float("inf"):
        return left
    restart(w)
    set_mode(w, _DAMPED, 1, 0)
    left = newton(motion, local, laws, matrix, e0, z0, 0.0, s, w, count)
    if left < float("inf"):
        return left
    return follow(motion, local, laws, matrix, e0, z0, s, w, count)


def set_mode(w: Work, most: int, damped: int, forced: int) -> None:
    """How Newton goes; by way of an array, because the compiler makes a copy of a function for every literal."""
    w.mode[0] = most
    w.mode[1] = damped
    w.mode[2] = forced


def restart(w: Work) -> None:
    """Back to the start of the step."""
    for i in range(len(w.x)):
        w.x[i] = 0.0
    for i in range(len(w.Y)):
        for v in range(w.Y.shape[1]):
            w.Y[i, v] = 0.0


def follow(
    motion: Motion,
    local: Local,
    laws: StageLaws,
    matrix: Wide,
    e0: Array,
    z0: Array,
    s: StageSprings,
    w: Work,
    count: Array,
) -> float:
    """Follow the solution of "left side = r + (1 − share)·(its residual at rest)" from share 0, where it is known."""
    q = len(motion.cross)
    restart(w)
    stretched(motion, q, w.x, w.ex)
    invoke(motion.call[RESPOND], (laws, motion.cross, e0, w.ex, z0, w.Y, False, s))
    invoke(motion.call[MEASURE], (motion, local, e0, z0, w.x, s.F, w.Y, w.ex, 0.0, s, w))
    for i in range(len(w.g)):
        w.g0[i] = w.g[i]
        w.x1[i] = 0.0
    for i in range(q):
        for v in range(len(z0)):
            w.R0[i, v] = s.R[i, v]
            w.Y1[i, v] = 0.0
    set_mode(w, _ALONG, 0, 0)
    share, length = 0.0, 0.25
    for _ in range(_PATH):
        aim = min(1.0, share + length)
        left = newton(motion, local, laws, matrix, e0, z0, 1.0 - aim, s, w, count)
        if left < float("inf"):
            if aim == 1.0:
                return left
            share = aim
            length *= 2.0
            keep(w.x, w.Y, w.x1, w.Y1)
        else:
            length *= 0.25
            keep(w.x1, w.Y1, w.x, w.Y)
            if share + length == share:
                break
    return float("inf")


def keep(x: Array, Y: Array, x_out: Array, Y_out: Array) -> None:
    """Copy a place."""
    for i in range(len(x)):
        x_out[i] = x[i]
    for i in range(len(Y)):
        for v in range(Y.shape[1]):
            Y_out[i, v] = Y[i, v]


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
