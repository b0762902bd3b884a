"""Springs that are followed along their path: steps of the linear time element for one mass on one of them, in closed
form, and for floors in a row, by Newton's steps.

With A = 2m/h² + c/h + K/2 and R = 2p/h + f − Ku the step asks for the increment d in

    A d + G(d) = R,        d G(d) = W(d) = ∫ F along the path,

whose left side grows with d (the promise). On the first straight piece of the law G = F + ½kd, on each later one W is a
parabola from where the piece begins, s: with d = s + y

    (A + ½k) y² + (2As + F − R) y + (As² + W − Rs) = 0.

So the pieces are walked outwards, without iteration and without going back, until the root lies on the one at hand.
Where the force jumps at s instead, the spring breaks there, and the time τ at which it does is as closed,

    (½Ks + G + Ku − f) τ² + (cs − 2p) τ + 2ms = 0;

what is left of the step follows without it. A law that knows its mean along a path in closed form, and no pieces, is
asked for the root by Newton steps between bounds.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from hamex.march.run import at
from hamex.march.springs import (
    BROKEN,
    FORCE,
    JUMP,
    MOST_PIECES,
    commit,
    evaluate,
    spring_along,
    spring_in_step,
    spring_piece,
)

Array = Any

_MOST = 100  # Newton steps; some five are needed
_ENOUGH = 4e-16  # of the terms of the balance
_ULP = 2.0**-53  # half the distance between neighbouring numbers, over the larger ones
# Slots of N: header, the model of each case, solves of each step; groups of springs of several laws, the integers of
# their laws, and the pieces they are on.
HEAD, WHICH, SOLVED, GROUPS, LAWS, BRANCH = range(6)
PLACES, STEPS, CASES, STATES, WIDTH = range(5)  # header: floors, sizes, state variables of all springs, a row of LAW
# Slots of R: numbers of the masses (rows of a frame; for each oscillator its own), what the laws of the springs
# prepared; load on the floors in each step, or of each step; work space of a frame; states at the end of a step;
# histories (node or step, place), row 0 is the start; of many cases what acts on each and what a run leaves of it
# (case, row, place), and the states (case, variable); increments of drifts and room for laws of groups.
NUMBERS, LAW, LOAD, SPACE, AFTER, U, P, Z, FORCES, ACTS, LEFT, STRETCH, BLOCK = range(13)
# Numbers of an oscillator: mass, damping and stiffness beside the spring.
MASS, DAMPING, BESIDE = range(3)
# What acts on a case, for each mass: force and ground acceleration per unit of load, and the drift at which runs end.
PUSH, SHAKE, LIMIT = range(3)
# What a run leaves of each mass: largest drift, displacement, velocity, acceleration and force, works of spring and
# load, the displacement at its end; the number of the step that passed the limit, or less than zero that of one that
# was not solved; and the number of the step in which a storey broke, with which the run ends.
WIDEST, FARTHEST, FASTEST, HARDEST, STRONGEST, WORK, INPUT, LAST_U, ENDED, BROKE = range(10)
KEPT = 10


def forces_on_path(n: int, P: Array, deformations: Array, z: Array, forces: Array) -> int:
    """Forces of one spring of straight pieces, new before the first deformation, on its way from point to point."""
    e = 0.0
    for i in range(n):
        goal = deformations[i]
        if goal != e:
            way = 1.0 if goal > e else -1.0
            _, _, edge = spring_piece(P, 0, e, way, z, 0)
            pieces = 0
            while way * (edge - goal) < 0.0 and pieces < MOST_PIECES:
                _, _, edge = spring_piece(P, 0, edge, way, z, 0)
                pieces += 1
            spring_piece(P, 0, goal, way, z, 0)
            if pieces == MOST_PIECES:
                z[FORCE] = float("nan")
            e = goal
        forces[i] = z[FORCE]
    return 0


def moved_by(
    P: Array, r: int, m: float, c: float, K: float, f: float, h: float, u: float, p: float, n: int, z: Array, dz: Array
) -> tuple[float, float, float]:
    """A step from u with the momentum p: time that it takes, increment d and mean force G; the n variables in z are
    moved along.

    Less time than h: the spring breaks there.
    """
    raise NotImplementedError


def by_pieces(
    P: Array, r: int, m: float, c: float, K: float, f: float, h: float, u: float, p: float, n: int, z: Array, dz: Array
) -> tuple[float, float, float]:
    """The step of a law of straight pieces."""
    A = (2.0 * m / h + c) / h + 0.5 * K
    R = 2.0 * p / h + f - K * u
    taken, d, G = h, 0.0, R
    at, s, W, comes = u, 0.0, 0.0, z[FORCE]
    way, begins = (1.0 if comes < R else -1.0), comes != R
    walks, pieces = begins, 0
    while walks:
        pieces += 1
        F, k, edge = spring_piece(P, r, at, way, z, 0)
        if begins and way * (R - F) < 0.0:  # it was gone before it moved
            way, begins = -way, False
            continue
        begins = False
        if at != u and abs(F - comes) > JUMP * (abs(F) + abs(comes) + P[r] * (abs(u) + abs(at) + abs(z[0]))):
            taken, d, G = until(way, 0.5 * K * s + W / s + K * u - f, c * s - 2.0 * p, 2.0 * m * s), s, W / s
            break
        a, b, rest = A + 0.5 * k, way * (2.0 * A * s + F - R), s * (A * s - R) + W
        root = sqrt(max(b * b - 4.0 * a * rest, 0.0))
        y = way * max(-2.0 * rest / (b + root) if b > 0.0 else (root - b) / (2.0 * a), 0.0)
        d = s + y
        G = (W + (F + 0.5 * k * y) * y) / d if s != 0.0 else F + 0.5 * k * y
        walks = way * (edge - (u + d)) < 0.0
        if pieces == MOST_PIECES:
            d, walks = float("nan"), False  # told as numbers that are lost
        if walks:
            t = edge - u
            W += (F + 0.5 * k * (t - s)) * (t - s)
            comes = F + k * (t - s)
            at, s = edge, t
    spring_piece(P, r, u + d, 0.0, z, 0)
    z[0] = (u + d) - z[FORCE] / P[r]
    return taken, d, G


def until(way: float, a: float, b: float, c: float) -> float:
    """The first positive root of aτ² + bτ + c, in which way · c is positive and a root is known to be."""
    a, b, c = way * a, way * b, way * c
    root = sqrt(max(b * b - 4.0 * a * c, 0.0))
    return 2.0 * c / (root - b) if b <= 0.0 else (-b - root) / (2.0 * a)


def by_means(
    P: Array, r: int, m: float, c: float, K: float, f: float, h: float, u: float, p: float, n: int, z: Array, dz: Array
) -> tuple[float, float, float]:
    """The step of a law that knows its mean along a path."""
    A = (2.0 * m / h + c) / h + 0.5 * K
    R = 2.0 * p / h + f - K * u
    low, high = -1e300, 1e300
    d = (R - P[r] * (u - z[0])) / (A + 0.5 * P[r])
    G, slope, _ = spring_along(P, r, u, d, h, z, 0, dz)
    for _ in range(_MOST):
        left = (A * d + G) - R
        if abs(left) <= _ENOUGH * (abs(A * d) + abs(G) + abs(R)):
            break
        if left < 0.0:
            low = d
        else:
            high = d
        further = d - left / (A + slope)
        if abs(further - d) <= _ULP * abs(u) or further == d:  # the place u + d, which the law is asked at, is the same
            break
        if not low < further < high:
            further = 0.5 * (low + high)
        if not low < further < high:
            break
        d = further
        G, slope, _ = spring_along(P, r, u, d, h, z, 0, dz)
    else:
        d = float("nan")  # told as numbers that are lost
    for v in range(n):
        z[v] = dz[v]
    return h, d, G


def one_oscillator(N: Array, R: Array, h: float) -> int:
    """March one oscillator whose spring does not break; the load is the force on the mass in each step, forces are the
    mean of a step."""
    m, c, K = R[NUMBERS][MASS], R[NUMBERS][DAMPING], R[NUMBERS][BESIDE]
    n, load, u, p, F = N[HEAD][STATES], R[LOAD], R[U], R[P], R[FORCES]
    for k in range(N[HEAD][STEPS]):
        z = at(R[Z], k * n)
        for v in range(n):
            z[n + v] = z[v]
        _, d, F[k] = moved_by(R[LAW], 0, m, c, K, load[k], h, u[k], p[k], n, at(z, n), R[AFTER])
        u[k + 1] = u[k] + d
        p[k + 1] = 2.0 * m / h * d - p[k]  # eq. (79)
    return 0


def many_oscillators(N: Array, R: Array, h: float) -> int:
    """March oscillators through one record, one after the other. They begin at rest."""
    head, which = N[HEAD], N[WHICH]
    n = head[STATES]
    for i in range(head[CASES]):
        number, law = at(R[NUMBERS], 3 * which[i]), at(R[LAW], head[WIDTH] * which[i])
        acts, left = at(R[ACTS], 3 * i), at(R[LEFT], KEPT * i)
        one_case(head[STEPS], number, law, acts, R[LOAD], h, n, at(R[Z], n * i), R[AFTER], left)
    return 0


def one_case(
    steps: int, number: Array, P: Array, acts: Array, load: Array, h: float, n: int, z: Array, dz: Array, kept: Array
) -> None:
    """One of them."""
    m, c, K, push, shake, limit = number[MASS], number[DAMPING], number[BESIDE], acts[PUSH], acts[SHAKE], acts[LIMIT]
    for v in range(n):
        z[v] = 0.0
    u, p, most, fast, hard, strong, work, given, ended = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    for k in range(steps):
        f, before, place, left, impulse = push * load[k], p, u, h, 0.0
        while left > 0.0:
            taken, d, G = moved_by(P, 0, m, c, K, f, left, u, p, n, z, dz)
            u += d
            p = 2.0 * m / taken * d - p
            work += G * d
            impulse += G * taken
            left = left - taken if taken < left else 0.0
        most, fast, strong = max(most, abs(u)), max(fast, abs(p)), max(strong, abs(impulse))
        hard = max(hard, abs((p - before) / (h * m) + shake * load[k]))
        given += f * (u - place)
        if abs(u) > limit:
            ended = k + 1
            break
    kept[WIDEST], kept[FARTHEST], kept[FASTEST], kept[HARDEST], kept[STRONGEST] = most, most, fast / m, hard, strong / h
    kept[WORK], kept[INPUT], kept[LAST_U], kept[ENDED], kept[BROKE] = work, given, u, ended, 0


# Shear frames ------------------------------------------------------------------------------------------------

# Rows of a frame: M̂ = M/h + C/2 + (h/4)K and K, main and side diagonals, 2m/h, the stiffness of the storeys, and m.
MAIN, ACROSS, GEOMETRIC, GEOMETRIC_ACROSS, INERTIA, STIFF, MASSES = range(7)
# Rows of its work space: right side (before a step: the load on the floors), drift at the start, increment x and
# direction d of the floors, gradient, tangent and force of the storeys, the factors, what the terms of a row amount to,
# which storeys break; and where the floors of one of many are, with their momenta.
RIGHT, DRIFT, X, D, GRADIENT, TANGENT, MEAN, LOWER, PIVOT, SIZE, BREAKS, AT, MOMENTUM = range(13)
ROOM = 13
UNSOLVED, BREAKING = -1, -2  # in place of the number of solves of a step
_ROUND_OFF, _STUCK = 2e-14, 2e-11  # of the terms of a row, as in hamex.march.newton
_CANCELLED = 0.05
_SETTLED = 0.1
_TRIALS = 60


def one_frame(N: Array, R: Array, h: float) -> int:
    """March floors in a row; returns 0, or the number of a step that was not solved, or in which a storey breaks."""
    n, many, solves, s, dz = N[HEAD][PLACES], N[HEAD][STATES], N[SOLVED], R[SPACE], R[AFTER]
    right, x, mean, inertia = at(s, RIGHT * n), at(s, X * n), at(s, MEAN * n), at(R[NUMBERS], INERTIA * n)
    for k in range(N[HEAD][STEPS]):
        u, p, z, load, F = (
            at(R[U], k * n),
            at(R[P], k * n),
            at(R[Z], k * many),
            at(R[LOAD], k * n),
            at(R[FORCES], k * n),
        )
        for i in range(n):
            right[i] = load[i]
        solves[k] = stepped_frame(N, R, h, u, p, z)
        if solves[k] < 0:
            return k + 1
        for v in range(many):
            z[many + v] = dz[v]
        for i in range(n):
            F[i] = mean[i]
            u[n + i] = u[i] + x[i]
            p[n + i] = inertia[i] * x[i] - p[i]  # eq. (79)
    return 0


def cases_of_frame(N: Array, R: Array, h: float) -> int:
    """March one frame through a record so often as there are rows of what acts on it, as :func:`many_oscillators` does
    oscillators."""
    n, many = N[HEAD][PLACES], N[HEAD][STATES]
    for i in range(N[HEAD][CASES]):
        one_frame_case(N, R, h, at(R[ACTS], 3 * n * i), at(R[Z], many * i), at(R[LEFT], KEPT * n * i))
    return 0


def one_frame_case(N: Array, R: Array, h: float, acts: Array, z: Array, kept: Array) -> None:
    """One of them; the same steps as :func:`one_frame`, of which the largest is kept."""
    n, many, load, s, dz = N[HEAD][PLACES], N[HEAD][STATES], R[LOAD], R[SPACE], R[AFTER]
    right, u, p = at(s, RIGHT * n), at(s, AT * n), at(s, MOMENTUM * n)
    for v in range(many):
        z[v] = 0.0
    for i in range(n):
        u[i] = p[i] = 0.0
    for i in range(KEPT * n):
        kept[i] = 0.0
    for k in range(N[HEAD][STEPS]):
        for i in range(n):
            right[i] = load[k] * acts[PUSH * n + i]
        solves = stepped_frame(N, R, h, u, p, z)
        if solves < 0:
            kept[ENDED * n], kept[BROKE * n] = (-(k + 1), 0) if solves == UNSOLVED else (0, k + 1)
            return
        for v in range(many):
            z[v] = dz[v]
        if taken_in(n, R[NUMBERS], acts, load[k], h, s, kept):
            kept[ENDED * n] = k + 1
            return


def taken_in(n: int, c: Array, acts: Array, load: float, h: float, s: Array, kept: Array) -> bool:
    """Move the floors, and keep what is larger than before; True when a storey has passed its limit."""
    passed, below, shorter = False, 0.0, 0.0
    for i in range(n):
        x, m, before, mean = s[X * n + i], c[MASSES * n + i], s[MOMENTUM * n + i], s[MEAN * n + i]
        p = c[INERTIA * n + i] * x - before  # eq. (79)
        u = s[AT * n + i] + x
        s[MOMENTUM * n + i], s[AT * n + i] = p, u
        drift, left = u - below, at(kept, i)
        left[WIDEST * n] = max(left[WIDEST * n], abs(drift))
        left[FARTHEST * n] = max(left[FARTHEST * n], abs(u))
        left[FASTEST * n] = max(left[FASTEST * n], abs(p / m))
        left[HARDEST * n] = max(left[HARDEST * n], abs((p / m - before / m) / h + load * acts[SHAKE * n + i]))
        left[STRONGEST * n] = max(left[STRONGEST * n], abs(mean))
        left[WORK * n] += mean * (x - shorter)
        left[INPUT * n] += load * acts[PUSH * n + i] * x
        left[LAST_U * n] = u
        passed = passed or abs(drift) > acts[LIMIT * n + i]
        below, shorter = u, x
    return passed


def stepped_frame(N: Array, R: Array, h: float, u: Array, p: Array, z: Array) -> int:
    """One step from u with the momenta p under the load in the work space; its solves, or what kept it from being
    taken. There are then the increments of the floors and the mean forces of the storeys, in AFTER their states."""
    n, half, below, c, s = N[HEAD][PLACES], 0.5 * h, 0.0, R[NUMBERS], R[SPACE]
    right, x, d, geometric, across = (
        at(s, RIGHT * n),
        at(s, X * n),
        at(s, D * n),
        at(c, GEOMETRIC * n),
        GEOMETRIC_ACROSS * n,
    )
    for i in range(n):
        beside = geometric[i] * u[i] + c[across + i] * below
        if i + 1 < n:
            beside += c[across + i + 1] * u[i + 1]
        right[i] = p[i] + half * (right[i] - beside)
        s[DRIFT * n + i] = u[i] - below
        s[SIZE * n + i] = _CANCELLED * half * c[STIFF * n + i] * (abs(u[i]) + abs(below))
        x[i] = d[i] = 0.0
        below = u[i]
    solves = solved_frame(N, R, h, z)
    for i in range(n):
        if solves > 0 and s[BREAKS * n + i] == BROKEN:
            solves = BREAKING
    return solves


def stepped_groups(N: Array, R: Array, h: float, u: Array, p: Array, z: Array) -> int:
    """The same of storeys of several laws."""
    solves = stepped_frame(N, R, h, u, p, z)
    commit(N[GROUPS], N[LAWS], 2.0, z, R[AFTER], R[AFTER])
    return solves


def solved_frame(N: Array, R: Array, h: float, z: Array) -> int:
    """One step by Newton with a line search, as in :mod:`hamex.march.newton`; its solves, or UNSOLVED."""
    n, c, s = N[HEAD][PLACES], R[NUMBERS], R[SPACE]
    x, d, g = at(s, X * n), at(s, D * n), at(s, GRADIENT * n)
    storeys_at(N, R, h, 0.0, z)
    worst = frame_gradient(n, c, h, 0.0, s)
    for solves in range(1, _MOST):
        before = worst
        if not frame_direction(n, c, h, s):
            return UNSOLVED
        slope = 0.0
        for i in range(n):
            slope += d[i] * g[i]
        storeys_at(N, R, h, 1.0, z)
        worst = frame_gradient(n, c, h, 1.0, s)
        alpha = 1.0 if solves == 1 else frame_search(N, R, h, z, slope)
        if alpha != 1.0:
            worst = frame_gradient(n, c, h, alpha, s)
        for i in range(n):
            x[i] += alpha * d[i]
            d[i] = 0.0
        if worst <= _ROUND_OFF or (worst <= _STUCK and worst >= 0.5 * before):
            return solves
    return UNSOLVED


def storeys_at(N: Array, R: Array, h: float, alpha: float, z: Array) -> None:
    """Forces and tangents of the storeys at x + αd, and their states at the end of the step; all share a law."""
    n, width, s, law = N[HEAD][PLACES], N[HEAD][WIDTH], R[SPACE], R[LAW]
    many, below = N[HEAD][STATES] // n, 0.0
    for i in range(n):
        here = at(s, i)
        floor = here[X * n] + alpha * here[D * n]
        here[MEAN * n], here[TANGENT * n], here[BREAKS * n] = spring_in_step(
            law, width * i, here[DRIFT * n], floor - below, 0.5, 0.5 * h, z, many * i, many, R[AFTER]
        )
        below = floor


def groups_at(N: Array, R: Array, h: float, alpha: float, z: Array) -> None:
    """The same of storeys of several laws; some of these tell the change of their state in half a step."""
    n, s, stretch, branch, below = N[HEAD][PLACES], R[SPACE], R[STRETCH], N[BRANCH], 0.0
    x, d, drift, mean, tangent = at(s, X * n), at(s, D * n), at(s, DRIFT * n), at(s, MEAN * n), at(s, TANGENT * n)
    for i in range(n):
        floor = x[i] + alpha * d[i]
        stretch[i] = floor - below
        below = floor
    tau, laws, block = 0.5 * h, R[LAW], R[BLOCK]
    evaluate(N[GROUPS], N[LAWS], laws, drift, stretch, 0.5, tau, z, 0, mean, tangent, R[AFTER], branch, block)
    for i in range(n):
        s[BREAKS * n + i] = branch[i]


def frame_gradient(n: int, c: Array, h: float, alpha: float, s: Array) -> float:
    """The gradient at x + αd; returns its largest entry relative to the terms of the rows."""
    x, d, mean, main, across = at(s, X * n), at(s, D * n), at(s, MEAN * n), at(c, MAIN * n), at(c, ACROSS * n)
    right, gradient, half, worst, largest = at(s, RIGHT * n), at(s, GRADIENT * n), 0.5 * h, 0.0, 0.0
    for i in range(n):
        g = main[i] * (x[i] + alpha * d[i])
        if i > 0:
            g += across[i] * (x[i - 1] + alpha * d[i - 1])
        if i + 1 < n:
            g += across[i + 1] * (x[i + 1] + alpha * d[i + 1])
        above = mean[i + 1] if i + 1 < n else 0.0
        size = abs(g) + abs(right[i]) + half * (abs(mean[i]) + abs(above)) + s[SIZE * n + i]
        gradient[i] = g + half * (mean[i] - above) - right[i]
        worst, largest = max(worst, abs(gradient[i])), max(largest, size)
    return worst / largest if largest > 0.0 else 0.0


def frame_direction(n: int, c: Array, h: float, s: Array) -> bool:
    """Newton's direction by two sweeps; False where a pivot is not positive."""
    tangent, lower, pivots, d = at(s, TANGENT * n), at(s, LOWER * n), at(s, PIVOT * n), at(s, D * n)
    quarter, swept = 0.25 * h, 0.0
    for i in range(n):
        above = tangent[i + 1] if i + 1 < n else 0.0
        pivot, row = c[MAIN * n + i] + quarter * (tangent[i] + above), -s[GRADIENT * n + i]
        if i > 0:
            side = c[ACROSS * n + i] - quarter * tangent[i]
            lower[i] = side / pivots[i - 1]
            pivot -= lower[i] * side
            row -= lower[i] * swept
        if not pivot > 0.0:
            return False
        pivots[i], d[i], swept = pivot, row, row
    for i in range(n - 1, -1, -1):
        d[i] /= pivots[i]
        if i + 1 < n:
            d[i] -= lower[i + 1] * d[i + 1]
    return True


def frame_search(N: Array, R: Array, h: float, z: Array, slope: float) -> float:
    """Length along d at which the potential falls no more: its slope is at most a tenth of the first. The storeys are
    asked there."""
    n, c, s, low, high, at_low, alpha = N[HEAD][PLACES], R[NUMBERS], R[SPACE], 0.0, 1.0, slope, 1.0
    d, g, at_high = at(s, D * n), at(s, GRADIENT * n), 0.0
    for i in range(n):
        at_high += d[i] * g[i]
    if at_high <= -_SETTLED * slope:
        return 1.0
    for trial in range(_TRIALS):
        alpha = low + (high - low) * (0.5 if trial % 3 == 2 else at_low / (at_low - at_high))
        if not low < alpha < high:
            break
        storeys_at(N, R, h, alpha, z)
        frame_gradient(n, c, h, alpha, s)
        here = 0.0
        for i in range(n):
            here += d[i] * g[i]
        if abs(here) <= -_SETTLED * slope:
            return alpha
        if here > 0.0:
            high, at_high = alpha, here
        else:
            low, at_low = alpha, here
    return alpha
