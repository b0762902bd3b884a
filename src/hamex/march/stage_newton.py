"""One step of an element with several stages: stage displacements and states by Newton's method that cannot fail.

With x_i = U_i − u₀ (stage i) and W = A⁻¹, A the element's table,

    (W²/h²) M x + (W/h) C x + K x + B F(e₀ + Bᵀx, state) = r,     r = f − K u₀ + (W1/h) p₀,

and the springs' own equations R = 0 (:mod:`hamex.march.stage_springs`). Where sym(DW)⊗M/h + D⊗C + h sym(DA)⊗K_soft is
positive definite for some positive diagonal D, the left side is one-to-one and its matrix regular on every branch. Full
Newton steps nearly always end at once. Where they do not, steps that make the residual smaller are tried; and if those
stall too, the solution is followed from the guess, for which it would be the solution, to the end: a path that exists,
is single, and along which short Newton steps converge.

And the march of such steps through time, ``stage_march``. Where everything stands is told in
:mod:`hamex.march.stage_tables`; z₀ is the state at the start of the step.
"""

from __future__ import annotations

from typing import Any

from hamex.march import stage_tables as t
from hamex.march.matrices import copied, filled
from hamex.march.newton import against
from hamex.march.run import at, invoke
from hamex.march.stage_springs import carried

Array = Any

ROUND_OFF = 2e-14  # of the terms of a row: the residual that arithmetic leaves
_FULL = 12  # full Newton steps before anything else is tried
_DAMPED = 40
_ALONG = 15  # Newton steps at one place of the path
_HALVINGS = 10  # of a damped step
_PATH = 4000  # places on the path
_CANCELLED = 0.05  # of deformations that cancel before they enter a row, which leave a few bits only


def stretched(N: Array, R: Array, x: Array, out: Array) -> None:
    """out = Bᵀx at every stage."""
    q, springs, begin, dof, share = N[t.HEAD][t.STAGES], N[t.HEAD][t.SPRINGS], N[t.B_BEGIN], N[t.B_DOF], R[t.SHARE]
    for j in range(springs):
        for i in range(q):
            total = 0.0
            for m in range(begin[j], begin[j + 1]):
                total += share[m] * x[dof[m] * q + i]
            out[i * springs + j] = total


def residual(N: Array, R: Array, x: Array, hold: float) -> float:
    """g = left side − r − hold·g₀ for the springs' forces; returns its largest row relative to the rows' terms."""
    n, q, springs, g, size = N[t.HEAD][t.DOFS], N[t.HEAD][t.STAGES], N[t.HEAD][t.SPRINGS], R[t.G], R[t.TERM]
    row, column, value, unit, begin, dof = N[t.ROW], N[t.COLUMN], R[t.VALUE], R[t.UNIT], N[t.B_BEGIN], N[t.B_DOF]
    share, F, noise = R[t.SHARE], R[t.F], R[t.NOISE]
    for i in range(n * q):
        pushed, terms = -R[t.RHS][i], R[t.TERMS][i]
        for m in range(row[i], row[i + 1]):
            part = value[m] * x[column[m]]
            pushed += part
            terms += abs(part)
        g[i] = pushed
        size[i] = terms
    for a in range(N[t.HEAD][t.RANK]):
        modal(n, q, at(R[t.LOW], a * n), at(R[t.DAMP], a * q * q), x, g, size)
    for j in range(springs):
        for m in range(begin[j], begin[j + 1]):
            for i in range(q):
                to, force = dof[m] * q + i, F[i * springs + j]
                g[to] += share[m] * force
                size[to] += abs(share[m]) * (abs(force) + noise[j])
    worst, largest, merit = 0.0, 0.0, 0.0
    for i in range(n * q):
        g[i] -= hold * R[t.G0][i]
        largest = max(largest, size[i] * unit[i])
        weighed = g[i] * unit[i]
        if not abs(weighed) <= worst:
            worst = abs(weighed)
        merit += weighed * weighed
    R[t.MERIT][0] = merit
    R[t.MERIT][1] = 0.0
    return worst / largest if largest > 0.0 else 0.0


def modal(n: int, q: int, shape: Array, damp: Array, x: Array, g: Array, size: Array) -> None:
    """Add the force of one damped mode to g."""
    for j in range(q):
        along = 0.0
        for k in range(n):
            along += shape[k] * x[k * q + j]
        for k in range(n):
            for i in range(q):
                part = damp[i * q + j] * along * shape[k]
                g[k * q + i] += part
                size[k * q + i] += abs(part)


def untied(N: Array, R: Array, z0: Array, Y: Array, ex: Array, hold: float) -> float:
    """The springs' own residual, relative to the terms of their rows; takes hold·R₀ from R and adds to the merit.

    That of slip is returned. Other variables may consist of nothing but round-off, so theirs is kept apart.
    """
    q, springs, entries, worst = N[t.HEAD][t.STAGES], N[t.HEAD][t.SPRINGS], N[t.HEAD][t.ENTRIES], 0.0
    residuals, e0, merit = R[t.OFF], R[t.E0], R[t.MERIT]
    for b in range(N[t.HEAD][t.BLOCKS]):
        d, m, begin, first = N[t.MANY][b], N[t.SIZE][b], N[t.BEGIN][b], N[t.FIRST][b]
        each, deformed = d // m, 0.0
        for c in range(m):
            for i in range(q):
                deformed = max(deformed, abs(e0[first + c]) + abs(ex[i * springs + first + c]))
                if d > 0:
                    slip = begin + c * each
                    deformed = max(deformed, abs(z0[slip]) + abs(Y[i * entries + slip]))
        for v in range(each):
            off, terms = 0.0, 0.0
            for c in range(m):
                entry = begin + c * each + v
                for i in range(q):
                    own = i * entries + entry
                    residuals[own] -= hold * R[t.OFF0][own]
                    left = residuals[own]
                    off = max(off, abs(left))
                    terms = max(terms, abs(z0[entry]) + abs(Y[own]))
                    if v == 0:
                        merit[0] += R[t.STIFF][first + c] * (left * left)
            if v == 0 and deformed > 0.0:
                worst = max(worst, off / deformed)
            elif v > 0 and terms > 0.0:
                merit[1] = max(merit[1], off / terms)
    return worst


def measured(N: Array, R: Array, x: Array, z0: Array, Y: Array, ex: Array, hold: float) -> float:
    """Both residuals at a place where the springs have answered, relative to the terms of their rows."""
    worst = residual(N, R, x, hold)
    return max(worst, untied(N, R, z0, Y, ex, hold))


def tried(N: Array, R: Array, z0: Array, alpha: float, hold: float) -> tuple[bool, float]:
    """Go α along the step: whether a branch changed, and the relative residual there."""
    n, states = N[t.HEAD][t.DOFS] * N[t.HEAD][t.STAGES], N[t.HEAD][t.STAGES] * N[t.HEAD][t.ENTRIES]
    gone(n, R[t.X], alpha, R[t.D], R[t.X_T])
    gone(states, R[t.Y], alpha, R[t.DY], R[t.Y_T])
    gone(N[t.HEAD][t.STAGES] * N[t.HEAD][t.SPRINGS], R[t.EX], alpha, R[t.ED], R[t.EX_T])
    changed = invoke(N[t.CALL][t.RESPOND], (N, R, R[t.EX_T], z0, R[t.Y_T], N[t.HEAD][t.NO])) != 0.0
    return changed, invoke(N[t.CALL][t.MEASURE], (N, R, R[t.X_T], z0, R[t.Y_T], R[t.EX_T], hold))


def gone(n: int, x: Array, alpha: float, d: Array, out: Array) -> None:
    """out = x + α d."""
    for i in range(n):
        out[i] = x[i] + alpha * d[i]


def accepted(N: Array, R: Array) -> None:
    """The trial becomes the place."""
    q = N[t.HEAD][t.STAGES]
    copied(q * N[t.HEAD][t.DOFS], R[t.X_T], R[t.X])
    copied(q * N[t.HEAD][t.ENTRIES], R[t.Y_T], R[t.Y])
    copied(q * N[t.HEAD][t.SPRINGS], R[t.EX_T], R[t.EX])


def relieved(N: Array, R: Array) -> None:
    """g at the forces that the springs would have once their own equations are satisfied."""
    q, springs, begin, g = N[t.HEAD][t.STAGES], N[t.HEAD][t.SPRINGS], N[t.B_BEGIN], R[t.G]
    for j in range(springs):
        for i in range(q):
            more = R[t.HELD][i * springs + j] - R[t.F][i * springs + j]
            if more != 0.0:
                for m in range(begin[j], begin[j + 1]):
                    g[N[t.B_DOF][m] * q + i] += R[t.SHARE][m] * more


def known(n: int, tangents: Array, factored: Array) -> bool:
    """Whether the tangents are those of the last factors, which they become."""
    same = True
    for i in range(n):
        if tangents[i] != factored[i]:
            same = False
            factored[i] = tangents[i]
    return same


def direction(N: Array, R: Array, z0: Array) -> bool:
    """Newton's step from a place that was measured; False when the matrix is singular."""
    count, d = N[t.COUNT], R[t.D]
    invoke(N[t.CALL][t.LINEARISE], (N, R, z0))
    relieved(N, R)
    fresh = 0 if known(N[t.HEAD][t.COUPLED], R[t.TIED], R[t.FACTORED]) else 1
    against(N[t.HEAD][t.DOFS] * N[t.HEAD][t.STAGES], R[t.G], d)
    count[0] += 1
    count[1] += fresh
    if invoke(N[t.CALL][t.SOLVE], (N, R, R[t.TIED], fresh, d)) != 0.0:
        R[t.FACTORED][0] = float("nan")
        return False
    stretched(N, R, d, R[t.ED])
    carried(N, R)
    return True


def newton(N: Array, R: Array, z0: Array, hold: float) -> float:
    """From the guess in X and Y; returns the relative residual that is left, infinite when the steps do not end.

    The mode tells how; linear solves, factorisations and tries are counted.
    """
    mode, merits = N[t.MODE], R[t.MERIT]
    damped = mode[1] != 0
    stretched(N, R, R[t.X], R[t.EX])
    invoke(N[t.CALL][t.RESPOND], (N, R, R[t.EX], z0, R[t.Y], mode[2]))
    invoke(N[t.CALL][t.MEASURE], (N, R, R[t.X], z0, R[t.Y], R[t.EX], hold))
    merit, before, others = merits[0], float("inf"), float("inf")
    for _ in range(mode[0]):
        if not direction(N, R, z0):
            return float("inf")
        alpha = 1.0
        for halving in range(_HALVINGS + 1):
            changed, worst = tried(N, R, z0, alpha, hold)
            N[t.COUNT][2] += 1
            if N[t.HEAD][t.STRAIGHT] and not changed and halving == 0 and worst <= 1e3 * ROUND_OFF:
                accepted(N, R)
                return worst
            if not damped or merits[0] <= (1.0 - 1e-4 * alpha) * merit:
                break
            if worst <= 1e3 * ROUND_OFF:
                break
            if halving == _HALVINGS:
                return float("inf")
            alpha *= 0.5
        accepted(N, R)
        # At round-off, or stuck just above it: nothing more can be gained. Other variables have then settled too.
        settled = merits[1] <= ROUND_OFF or merits[1] >= 0.5 * others
        if settled and (worst <= ROUND_OFF or (worst <= 1e3 * ROUND_OFF and worst >= 0.5 * before)):
            return worst
        if not worst < float("inf"):
            return float("inf")
        before, merit, others = worst, merits[0], merits[1]
    return float("inf")


def solve_step(N: Array, R: Array, z0: Array) -> float:
    """One step from x = 0 and Y = 0 on the branches that stand; returns the relative residual, infinite on failure."""
    mode = N[t.MODE]
    restart(N, R)
    mode[0], mode[1], mode[2] = _FULL, 0, 1
    left = newton(N, R, z0, 0.0)
    if left < float("inf"):
        return left
    restart(N, R)
    mode[0], mode[1], mode[2] = _DAMPED, 1, 0
    left = newton(N, R, z0, 0.0)
    if left < float("inf"):
        return left
    return follow(N, R, z0)


def restart(N: Array, R: Array) -> None:
    """Back to the start of the step."""
    filled(N[t.HEAD][t.STAGES] * N[t.HEAD][t.DOFS], 0.0, R[t.X])
    filled(N[t.HEAD][t.STAGES] * N[t.HEAD][t.ENTRIES], 0.0, R[t.Y])


def follow(N: Array, R: Array, z0: Array) -> float:
    """Follow the solution of "left side = r + (1 − share)·(its residual at rest)" from share 0, where it is known."""
    n, states = N[t.HEAD][t.DOFS] * N[t.HEAD][t.STAGES], N[t.HEAD][t.STAGES] * N[t.HEAD][t.ENTRIES]
    restart(N, R)
    stretched(N, R, R[t.X], R[t.EX])
    invoke(N[t.CALL][t.RESPOND], (N, R, R[t.EX], z0, R[t.Y], N[t.HEAD][t.NO]))
    invoke(N[t.CALL][t.MEASURE], (N, R, R[t.X], z0, R[t.Y], R[t.EX], 0.0))
    copied(n, R[t.G], R[t.G0])
    copied(states, R[t.OFF], R[t.OFF0])
    filled(n, 0.0, R[t.X1])
    filled(states, 0.0, R[t.Y1])
    N[t.MODE][0], N[t.MODE][1], N[t.MODE][2] = _ALONG, 0, 0
    share, length = 0.0, 0.25
    for _ in range(_PATH):
        aim = min(1.0, share + length)
        left = newton(N, R, z0, 1.0 - aim)
        if left < float("inf"):
            if aim == 1.0:
                return left
            share = aim
            length *= 2.0
            copied(n, R[t.X], R[t.X1])
            copied(states, R[t.Y], R[t.Y1])
        else:
            length *= 0.25
            copied(n, R[t.X1], R[t.X])
            copied(states, R[t.Y1], R[t.Y])
            if share + length == share:
                break
    return float("inf")


def stage_march(N: Array, R: Array, steps: int) -> int:
    """March; returns 0, or the number of the step that was not solved."""
    n, q, entries, count = N[t.HEAD][t.DOFS], N[t.HEAD][t.STAGES], N[t.HEAD][t.ENTRIES], N[t.COUNT]
    for k in range(steps):
        z, before, looked = at(R[t.STATE], k * entries), count[0], count[2]
        prepared(N, R, k)
        left = solve_step(N, R, z)
        R[t.LEFT][k] = left
        N[t.SOLVES][k] = count[0] - before
        N[t.TRIES][k] = count[2] - looked
        if not left < float("inf"):
            return k + 1
        finished(N, R, k)
        if N[t.HEAD][t.FOLLOWS] > 0:
            change(N, R, at(R[t.U], k * n), at(R[t.U], (k + 1) * n), R[t.EX_T])
            invoke(N[t.CALL][t.FOLLOW_STATE], (N, R, R[t.EX_T], z))
            for i in range(N[t.HEAD][t.FOLLOWS]):
                entry = N[t.FOLLOWERS][i]
                z[entries + entry] = R[t.DZ_M][entry]
                for j in range(q):
                    R[t.RATES][(k * q + j) * entries + entry] = 0.0
    return 0


def prepared(N: Array, R: Array, k: int) -> None:
    """Right side, deformations, round-off and first branches of a step: functions of the state alone."""
    n, q, springs, channels = N[t.HEAD][t.DOFS], N[t.HEAD][t.STAGES], N[t.HEAD][t.SPRINGS], N[t.HEAD][t.CHANNELS]
    u, z, load = at(R[t.U], k * n), at(R[t.STATE], k * N[t.HEAD][t.ENTRIES]), at(R[t.LOAD], k * q * channels)
    r, terms, patterns, noise, begin, dof = R[t.RHS], R[t.TERMS], R[t.PATTERNS], R[t.NOISE], N[t.B_BEGIN], N[t.B_DOF]
    for i in range(n):
        resisted, size = 0.0, 0.0
        for m in range(N[t.BESIDE_ROW][i], N[t.BESIDE_ROW][i + 1]):
            part = R[t.BESIDE][m] * u[N[t.BESIDE_COLUMN][m]]
            resisted += part
            size += abs(part)
        for j in range(q):
            pushed = R[t.START][j] * R[t.P][k * n + i]
            total, sizes = pushed - resisted, abs(pushed) + size
            for a in range(channels):
                total += patterns[a * n + i] * load[j * channels + a]
                sizes += abs(patterns[a * n + i] * load[j * channels + a])
            r[i * q + j] = total
            terms[i * q + j] = sizes
    for j in range(springs):
        total, size = 0.0, 0.0
        for m in range(begin[j], begin[j + 1]):
            part = R[t.SHARE][m] * u[dof[m]]
            total += part
            size += abs(part)
        R[t.E0][j] = total
        noise[j] = _CANCELLED * R[t.STIFF][j] * size
        for i in range(q):
            N[t.BRANCH][i * springs + j] = N[t.LAST_BRANCH][j]
    for b in range(N[t.HEAD][t.BLOCKS]):
        if N[t.MANY][b] > 0:
            for c in range(N[t.SIZE][b]):
                j = N[t.FIRST][b] + c
                slip = abs(z[N[t.BEGIN][b] + c * (N[t.MANY][b] // N[t.SIZE][b])])
                noise[j] += _CANCELLED * R[t.STIFF][j] * slip


def change(N: Array, R: Array, before: Array, after: Array, out: Array) -> None:
    """out = Bᵀ(after − before)."""
    for j in range(N[t.HEAD][t.SPRINGS]):
        total = 0.0
        for m in range(N[t.B_BEGIN][j], N[t.B_BEGIN][j + 1]):
            total += R[t.SHARE][m] * (after[N[t.B_DOF][m]] - before[N[t.B_DOF][m]])
        out[j] = total


def finished(N: Array, R: Array, k: int) -> None:
    """The next node, and what the stages held."""
    n, q, springs, entries = N[t.HEAD][t.DOFS], N[t.HEAD][t.STAGES], N[t.HEAD][t.SPRINGS], N[t.HEAD][t.ENTRIES]
    u, p, z, x, h = at(R[t.U], k * n), at(R[t.P], k * n), at(R[t.STATE], k * entries), R[t.X], R[t.NUMBERS][0]
    moves, rates = at(R[t.MOVES], k * q * n), at(R[t.RATES], k * q * entries)
    for i in range(n):
        total = 0.0
        for j in range(q):
            total += R[t.END][j] * x[i * q + j]
            moves[j * n + i] = x[i * q + j]
        u[n + i] = u[i] + total
        momentum = R[t.NUMBERS][1] * p[i]
        for m in range(N[t.MASS_ROW][i], N[t.MASS_ROW][i + 1]):
            total = 0.0
            for j in range(q):
                total += R[t.PUSH][j] * x[N[t.MASS_COLUMN][m] * q + j]
            momentum += R[t.MASS][m] * total
        p[n + i] = momentum
    for v in range(entries):
        total = 0.0
        for j in range(q):
            rates[j * entries + v] = R[t.DZ][j * entries + v] / R[t.TAU][j]
            total += R[t.WEIGHTS][j] * rates[j * entries + v]
        z[entries + v] = z[v] + h * total
    copied(q * springs, R[t.F], at(R[t.FORCES], k * q * springs))
    for j in range(springs):
        N[t.LAST_BRANCH][j] = N[t.BRANCH][(q - 1) * springs + j]
