"""Structures through time: the drivers around the convex step, for the linear time element, for schemes that balance
at nodes, and for slow loading.

Letters as in :mod:`hamex.march.oscillator`, with one entry per dof or spring; row r of a history is node r, and z is
the flat state of all springs. A driver takes any number of steps from the state in row 0 and leaves the next state in
its last row, so that a run may be cut anywhere. The step itself is called through its address and compiled once for all
drivers. Tables as in :mod:`hamex.march.newton`, with more slots behind those of the step.

One step of a structure whose springs, if any, are elastic: one linear solve, and nothing to decide.

    S x + weight · B F(e₀ + reach · dx) = r,    F linear,

so that the tangent at the start of the step is that of its end: what is left of r at dx = 0, solved with it, is x."""

from __future__ import annotations

from typing import Any

from hamex.march import tables as t
from hamex.march.matrices import added, copied, filled, product, times
from hamex.march.newton import against, asked, constrain, gradient, placed, renewed, sizes, stretch
from hamex.march.run import at, invoke
from hamex.march.springs import BROKEN, commit

Array = Any


def pushed(N: Array, R: Array, row: int, factor: float, out: Array) -> None:
    """out += factor · load, the sum of the patterns times their channels."""
    n, channels, values, patterns = N[t.HEAD][t.DOFS], N[t.HEAD][t.CHANNELS], R[t.VALUES], R[t.PATTERNS]
    for a in range(channels):
        value = factor * values[channels * row + a]
        for i in range(n):
            out[i] += patterns[n * a + i] * value


def prepared(N: Array, J: Array, R: Array, k: int) -> None:
    """What the springs of step k see: deformation at its start, what supports add, and the measure of round-off."""
    head, e0, moved, imposed, u = (
        N[t.HEAD],
        R[t.E0],
        R[t.MOVED],
        R[t.IMPOSED],
        at(R[t.DISPLACEMENT], k * N[t.HEAD][t.DOFS]),
    )
    stretch(N, J, R, u, e0)
    here, there = (
        min(k, head[t.IMPOSED_ROWS] - 1) * head[t.SPRINGS],
        min(k + 1, head[t.IMPOSED_ROWS] - 1) * head[t.SPRINGS],
    )
    for j in range(head[t.SPRINGS]):
        e0[j] += imposed[here + j]
        moved[j] = imposed[there + j] - imposed[here + j]
    sizes(N, J, R, u, at(R[t.STATE], k * head[t.STATES]))


def advanced(N: Array, J: Array, R: Array, k: int, node: int, length: float) -> bool:
    """Take step k from the guess in x: displacements and springs at its end; False when it could not be solved, or is
    to be cut where a spring breaks.

    ``node`` is 1 where forces belong to the end of a step, 0 where they are its means; ``length`` is that of the step
    in units of τ.
    """
    head, count, last, n, states = N[t.HEAD], N[t.COUNT], R[t.LAST], N[t.HEAD][t.DOFS], N[t.HEAD][t.STATES]
    before, looked = count[t.SOLVES], count[t.SEARCHES]
    prepared(N, J, R, k)
    left = invoke(N[t.CALL][t.STEP], (N, J, R, k, node))
    if left < 0.0 or left > 1.0:
        last[1] = left
        return False
    if head[t.CUTS] != 0 and breaks(head[t.SPRINGS], N[t.BRANCH]):
        last[1] = 0.0
        return False
    last[0] = max(last[0], left)
    if count[t.UNCERTAIN] != 0 and last[2] == 0.0:
        last[2] = k + 1.0
    commit(N[t.GROUPS], N[t.LAWS], length, at(R[t.STATE], k * states), R[t.DZ], at(R[t.STATE], (k + 1) * states))
    added(n, at(R[t.DISPLACEMENT], k * n), R[t.X], at(R[t.DISPLACEMENT], (k + 1) * n))
    N[t.SOLVED][k] = count[t.SOLVES] - before
    N[t.SEARCHED][k] = count[t.SEARCHES] - looked
    return True


def breaks(n: int, branch: Array) -> bool:
    """True where the force of a followed spring jumps on the path of the step."""
    found = False
    for j in range(n):
        found = found or branch[j] == BROKEN
    return found


def galerkin(N: Array, J: Array, R: Array) -> int:
    """March the linear time element; returns 0, or the number of the step that could not be taken."""
    head, h, x, r, n = N[t.HEAD], R[t.NUMBERS][t.H], R[t.X], R[t.RIGHT], N[t.HEAD][t.DOFS]
    for k in range(head[t.ROWS]):
        p, after = at(R[t.MOMENTUM], k * n), at(R[t.MOMENTUM], (k + 1) * n)
        copied(n, p, r)
        pushed(N, R, k, 0.5 * h, r)
        times(N, J, R, t.BESIDE, n, at(R[t.DISPLACEMENT], k * n), -0.5 * h, r)
        if head[t.LIGHTS] > 0:
            balanced(N, J, R, k)
        filled(n, 0.0, x)
        if not advanced(N, J, R, k, 0, 2.0):
            return k + 1
        for a in range(head[t.LIGHTS]):
            R[t.JOINT][k] += 0.5 * R[t.CARRIED][N[t.LIGHT][a]] * x[N[t.LIGHT][a]]
        against(n, p, after)
        times(N, J, R, t.MASS, n, x, 2.0 / h, after)  # eq. (79)
        if head[t.FOLLOWS] != 0:
            reflected(n, x, 2.0 / h, at(R[t.VELOCITY], k * n), at(R[t.VELOCITY], (k + 1) * n))
    return 0


def balanced(N: Array, J: Array, R: Array, k: int) -> None:
    """Add half of what light dofs are out of balance at the start of step k to the right side.

    Without it the mean of a step is in balance there and its ends are not: what an event leaves, Ku + BF − f, changes
    its sign from step to step and stays for ever. With it the end of every step without an event is in balance.
    """
    head, n, g, e0, elastic, slip = N[t.HEAD], N[t.HEAD][t.DOFS], R[t.G], R[t.E0], R[t.ED], N[t.SLIP]
    z, light, lights = at(R[t.STATE], k * head[t.STATES]), N[t.LIGHT], head[t.LIGHTS]
    prepared(N, J, R, k)
    for j in range(head[t.SPRINGS]):
        elastic[j] = e0[j] - z[slip[j]]
    filled(n, 0.0, g)
    times(N, J, R, t.BESIDE, n, at(R[t.DISPLACEMENT], k * n), 1.0, g)
    times(N, J, R, t.TENSION, n, elastic, 1.0, g)
    for a in range(lights):
        i = light[a]
        R[t.CARRIED][i] = g[i] - R[t.JOINTS][k * lights + a]
        R[t.RIGHT][i] += 0.25 * R[t.NUMBERS][t.H] * R[t.CARRIED][i]


def reflected(n: int, x: Array, factor: float, v: Array, out: Array) -> None:
    """out = factor · x − v: the velocity at the end of a step, by M⁻¹ times eq. (79)."""
    for i in range(n):
        out[i] = factor * x[i] - v[i]


def nodal(N: Array, J: Array, R: Array) -> int:
    """Newmark's family and generalised-α, the springs returned to their limit at the end of the step; loads at the
    nodes.

    Forces belong to nodes; those of node 0 are given. CARRIED holds velocity and acceleration by rows, then their
    values with the displacement held, then what inertia and damping are weighed with.
    """
    head, rule, n, r, x = N[t.HEAD], R[t.NUMBERS], N[t.HEAD][t.DOFS], R[t.RIGHT], R[t.X]
    v, a, v1, a1 = R[t.CARRIED], at(R[t.CARRIED], n), at(R[t.CARRIED], 2 * n), at(R[t.CARRIED], 3 * n)
    inertia, damping = at(R[t.CARRIED], 4 * n), at(R[t.CARRIED], 5 * n)
    for k in range(head[t.ROWS] - 1):
        filled(n, 0.0, r)
        pushed(N, R, k + 1, 1.0 - rule[t.OLD_FORCE], r)
        if rule[t.OLD_FORCE] != 0.0:
            pushed(N, R, k, rule[t.OLD_FORCE], r)
            gathered(N, J, R, at(R[t.FORCE], k * head[t.SPRINGS]), -rule[t.OLD_FORCE], r)
        foreseen(n, rule, v, a, v1, a1, inertia, damping)
        times(N, J, R, t.MASS, n, inertia, -1.0, r)
        times(N, J, R, t.DAMPING, n, damping, -1.0, r)
        times(N, J, R, t.BESIDE, n, at(R[t.DISPLACEMENT], k * n), -1.0, r)
        filled(n, 0.0, x)
        if not advanced(N, J, R, k, 1, 1.0):
            return k + 1
        moved(n, v1, rule[t.TO_V], x, v)
        moved(n, a1, rule[t.TO_A], x, a)
        filled(n, 0.0, at(R[t.MOMENTUM], (k + 1) * n))
        times(N, J, R, t.MASS, n, v, 1.0, at(R[t.MOMENTUM], (k + 1) * n))
        if head[t.FOLLOWS] != 0:
            copied(n, v, at(R[t.VELOCITY], (k + 1) * n))
    return 0


def foreseen(n: int, rule: Array, v: Array, a: Array, v1: Array, a1: Array, inertia: Array, damping: Array) -> None:
    """Velocity and acceleration with the displacement held, and what inertia and damping are weighed with."""
    m, f = rule[t.OLD_INERTIA], rule[t.OLD_FORCE]
    for i in range(n):
        v1[i] = rule[t.V_V] * v[i] + rule[t.V_A] * a[i]
        a1[i] = rule[t.A_V] * v[i] + rule[t.A_A] * a[i]
        inertia[i] = (1.0 - m) * a1[i] + m * a[i]
        damping[i] = (1.0 - f) * v1[i] + f * v[i]


def moved(n: int, x: Array, factor: float, y: Array, out: Array) -> None:
    """out = x + factor · y."""
    for i in range(n):
        out[i] = x[i] + factor * y[i]


def gathered(N: Array, J: Array, R: Array, F: Array, factor: float, out: Array) -> None:
    """out += factor · B F."""
    begin, dof, share = N[t.BEGIN], J[t.DOF], R[t.SHARE]
    for j in range(N[t.HEAD][t.SPRINGS]):
        for m in range(begin[j], begin[j + 1]):
            out[dof[m]] += factor * share[m] * F[j]


def static(N: Array, J: Array, R: Array) -> int:
    """Slow loading: ``values`` hold load factors, or under displacement control values of pull · u.

    The first pattern is what the factor multiplies, the second stays on. Forces belong to nodes, those of node 0 are
    given; FACTOR receives the load factor of each. S contains penalty · pull pullᵀ under displacement control, which
    changes nothing where the constraint holds.
    """
    head, n, x, r, factor = N[t.HEAD], N[t.HEAD][t.DOFS], R[t.X], R[t.RIGHT], R[t.FACTOR]
    for k in range(head[t.ROWS] - 1):
        goal, u = R[t.VALUES][head[t.CHANNELS] * (k + 1)], at(R[t.DISPLACEMENT], k * n)
        copied(n, at(R[t.PATTERNS], n), r)
        times(N, J, R, t.BESIDE, n, u, -1.0, r)
        filled(n, 0.0, x)
        if head[t.CONTROLLED]:
            pulled(n, R[t.PULL], u, goal, R[t.NUMBERS][t.PENALTY], x, r)
            R[t.MULTIPLIER][0] = factor[k]
        else:
            pushed(N, R, k + 1, 1.0, r)
        if not advanced(N, J, R, k, 1, 1.0):
            return k + 1
        filled(n, 0.0, at(R[t.MOMENTUM], (k + 1) * n))
        if head[t.FOLLOWS] != 0:
            filled(n, 0.0, at(R[t.VELOCITY], (k + 1) * n))
        factor[k + 1] = R[t.MULTIPLIER][0] if head[t.CONTROLLED] else goal
    return 0


def pulled(n: int, pull: Array, u: Array, goal: float, penalty: float, x: Array, r: Array) -> None:
    """The shortest increment that brings pull · u to its goal, and what the penalty adds to the right side."""
    reached, size = 0.0, 0.0
    for i in range(n):
        reached += pull[i] * u[i]
        size += pull[i] ** 2
    for i in range(n):
        x[i] = pull[i] * (goal - reached) / size
        r[i] += penalty * (goal - reached) * pull[i]


def linear(N: Array, J: Array, R: Array, k: int, node: int) -> float:
    """Solve one step, like :func:`hamex.march.newton.newton`; returns 0, or −1 − (row of a pivot that is not positive).

    Under displacement control x obeys the constraint on entry, and every correction keeps it.
    """
    head, n, springs, x, d = N[t.HEAD], N[t.HEAD][t.DOFS], N[t.HEAD][t.SPRINGS], R[t.X], R[t.D]
    z, F, controlled = at(R[t.STATE], k * head[t.STATES]), at(R[t.FORCE], (k + node) * springs), head[t.CONTROLLED]
    if not controlled:  # else the increment is the sum of what was given and what is solved for
        filled(springs, 0.0, R[t.EX])
    else:
        product(N, J, R, 0, n, x, R[t.SX])
        stretch(N, J, R, x, R[t.EX])
    placed(N, R, 0.0)
    asked(N, R, z, head[t.YES], F)
    code = renewed(N, J, R)
    if code > 0.0:
        return -code
    if controlled:
        gradient(N, J, R, F)
        against(n, R[t.G], d)
    else:
        copied(n, R[t.RIGHT], d)
        gathered(N, J, R, F, -R[t.NUMBERS][t.WEIGHT], d)
    if invoke(N[t.CALL][t.SOLVE], (N, J, R, t.D)) != 0.0:
        R[t.FACTORED][0] = float("nan")
    N[t.COUNT][t.SOLVES] += 1
    if controlled:
        constrain(n, R[t.PULL], R[t.Z], R[t.MULTIPLIER], d)
        added(n, x, d, x)
    else:
        copied(n, d, x)
    stretch(N, J, R, x, R[t.EX])
    placed(N, R, 0.0)
    asked(N, R, z, head[t.YES], F)
    return 0.0
