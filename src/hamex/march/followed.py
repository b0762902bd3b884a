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
from typing import Any, NamedTuple

from hamex.march.springs import (
    BROKEN,
    FORCE,
    JUMP,
    MOST_PIECES,
    SpringGroups,
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
# Numbers of an oscillator: mass, damping and stiffness beside the spring.
MASS, DAMPING, BESIDE = range(3)
# What acts on a case, for each mass: force and ground acceleration per unit of load, and the drift at which runs end.
PUSH, SHAKE, LIMIT = range(3)
# What a run leaves of each mass: largest drift, displacement, velocity, acceleration and force, works of spring and
# load, the displacement at its end; the number of the step that passed the limit, or less than zero that of one that
# was not solved; and the number of the step in which a storey broke, with which the run ends.
WIDEST, FARTHEST, FASTEST, HARDEST, STRONGEST, WORK, INPUT, LAST_U, ENDED, BROKE = range(10)
KEPT = 10


def forces_on_path(P: Array, deformations: Array, z: Array, forces: Array) -> None:
    """Forces of one spring of straight pieces, new before the first deformation, on its way from point to point."""
    e = 0.0
    for i in range(len(deformations)):
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


def moved_by(
    P: Array, r: int, m: float, c: float, K: float, f: float, h: float, u: float, p: float, z: Array, dz: Array
) -> tuple[float, float, float]:
    """A step from u with the momentum p: time that it takes, increment d and mean force G; z is moved along.

    Less time than h: the spring breaks there.
    """
    raise NotImplementedError


def by_pieces(
    P: Array, r: int, m: float, c: float, K: float, f: float, h: float, u: float, p: float, z: Array, dz: Array
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
    P: Array, r: int, m: float, c: float, K: float, f: float, h: float, u: float, p: float, z: Array, dz: Array
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
    for v in range(len(z)):
        z[v] = dz[v]
    return h, d, G


def one_oscillator(
    numbers: Array, P: Array, load: Array, h: float, dz: Array, u: Array, p: Array, z: Array, F: Array
) -> int:
    """March one oscillator whose spring does not break; ``load`` is the force on the mass in each step. Row 0 of u, p
    and z is the start; F is the mean force of a step."""
    m, c, K = numbers[MASS], numbers[DAMPING], numbers[BESIDE]
    for k in range(len(load)):
        for v in range(len(dz)):
            z[k + 1, v] = z[k, v]
        _, d, F[k] = moved_by(P, 0, m, c, K, load[k], h, u[k], p[k], z[k + 1], dz)
        u[k + 1] = u[k] + d
        p[k + 1] = 2.0 * m / h * d - p[k]  # eq. (79)
    return 0


def many_oscillators(
    c: Array, P: Array, which: Array, acts: Array, load: Array, h: float, z: Array, dz: Array, kept: Array
) -> int:
    """March oscillators through one record, one after the other; case i is the oscillator of row ``which[i]`` of its
    numbers and P. They begin at rest. ``acts`` (case, 3, 1) is what acts on each, ``kept`` (case, KEPT, 1) receives
    what is asked of a run, and z (case, variable) the state of the spring at its end."""
    for i in range(len(which)):
        one_case(c[which[i]], P[which[i], 0], acts[i, :, 0], load, h, z[i], dz, kept[i, :, 0])
    return 0


def one_case(number: Array, P: Array, acts: Array, load: Array, h: float, z: Array, dz: Array, kept: Array) -> None:
    """One of them."""
    m, c, K, push, shake, limit = number[MASS], number[DAMPING], number[BESIDE], acts[PUSH], acts[SHAKE], acts[LIMIT]
    for v in range(len(z)):
        z[v] = 0.0
    u, p, most, fast, hard, strong, work, given, ended = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    for k in range(len(load)):
        f, before, place, left, impulse = push * load[k], p, u, h, 0.0
        while left > 0.0:
            taken, d, G = moved_by(P, 0, m, c, K, f, left, u, p, z, dz)
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


class StoreyGroups(NamedTuple):
    """Storeys of several laws, which are called by their address, and room for one run; they stand where the rows P of
    one law do, which is a part of its loop."""

    springs: SpringGroups
    stretch: Array  # increment of each storey's drift
    branch: Array  # pieces, as integers
    work: Array  # room of the laws


_ROUND_OFF, _STUCK = 2e-14, 2e-11  # of the terms of a row, as in hamex.march.newton
_CANCELLED = 0.05
_SETTLED = 0.1
_TRIALS = 60


def one_frame(
    c: Array, P: Any, load: Array, h: float, s: Array, dz: Array, u: Array, p: Array, z: Array, F: Array, solves: Array
) -> int:
    """March floors in a row; returns 0, or the number of a step that was not solved, or in which a storey breaks. Row 0
    of u, p and z is the start; ``load`` acts on the floors, P are the storeys."""
    n = len(c[0])
    for k in range(len(load)):
        for i in range(n):
            s[RIGHT, i] = load[k, i]
        solves[k] = stepped_frame(c, P, h, s, u[k], p[k], z[k], dz)
        if solves[k] < 0:
            return k + 1
        for v in range(len(dz)):
            z[k + 1, v] = dz[v]
        for i in range(n):
            F[k, i] = s[MEAN, i]
            u[k + 1, i] = u[k, i] + s[X, i]
            p[k + 1, i] = c[INERTIA, i] * s[X, i] - p[k, i]  # eq. (79)
    return 0


def cases_of_frame(
    c: Array, P: Any, acts: Array, load: Array, h: float, s: Array, z: Array, dz: Array, kept: Array
) -> int:
    """March one frame through a record so often as there are rows of what acts on it, as :func:`many_oscillators` does
    oscillators; the last axis of ``acts`` and ``kept`` are storeys, a row of z has the variables of all springs."""
    for i in range(len(acts)):
        one_frame_case(c, P, acts[i], load, h, s, z[i], dz, kept[i])
    return 0


def one_frame_case(
    c: Array, P: Any, acts: Array, load: Array, h: float, s: Array, z: Array, dz: Array, kept: Array
) -> None:
    """One of them; the same steps as :func:`one_frame`, of which the largest is kept."""
    n = len(c[0])
    for v in range(len(dz)):
        z[v] = 0.0
    for i in range(n):
        s[AT, i] = s[MOMENTUM, i] = 0.0
        for row in range(KEPT):
            kept[row, i] = 0.0
    for k in range(len(load)):
        for i in range(n):
            s[RIGHT, i] = load[k] * acts[PUSH, i]
        solves = stepped_frame(c, P, h, s, s[AT], s[MOMENTUM], z, dz)
        if solves < 0:
            kept[ENDED, 0], kept[BROKE, 0] = (-(k + 1), 0) if solves == UNSOLVED else (0, k + 1)
            return
        for v in range(len(dz)):
            z[v] = dz[v]
        if taken_in(c, acts, load[k], h, s, kept):
            kept[ENDED, 0] = k + 1
            return


def taken_in(c: Array, acts: Array, load: float, h: float, s: Array, kept: Array) -> bool:
    """Move the floors, and keep what is larger than before; True when a storey has passed its limit."""
    passed, below, shorter = False, 0.0, 0.0
    for i in range(len(c[0])):
        x, m, before = s[X, i], c[MASSES, i], s[MOMENTUM, i]
        s[MOMENTUM, i] = c[INERTIA, i] * x - before  # eq. (79)
        s[AT, i] += x
        drift, v, v0 = s[AT, i] - below, s[MOMENTUM, i] / m, before / m
        kept[WIDEST, i] = max(kept[WIDEST, i], abs(drift))
        kept[FARTHEST, i] = max(kept[FARTHEST, i], abs(s[AT, i]))
        kept[FASTEST, i] = max(kept[FASTEST, i], abs(v))
        kept[HARDEST, i] = max(kept[HARDEST, i], abs((v - v0) / h + load * acts[SHAKE, i]))
        kept[STRONGEST, i] = max(kept[STRONGEST, i], abs(s[MEAN, i]))
        kept[WORK, i] += s[MEAN, i] * (x - shorter)
        kept[INPUT, i] += load * acts[PUSH, i] * x
        kept[LAST_U, i] = s[AT, i]
        passed = passed or abs(drift) > acts[LIMIT, i]
        below, shorter = s[AT, i], x
    return passed


def stepped_frame(c: Array, P: Any, h: float, s: Array, u: Array, p: Array, z: Array, dz: Array) -> int:
    """One step from u with the momenta p under the load in s; its solves, or what kept it from being taken. In s are
    then the increments of the floors and the mean forces of the storeys, in dz their states."""
    n, half, below = len(c[0]), 0.5 * h, 0.0
    for i in range(n):
        beside = c[GEOMETRIC, i] * u[i] + c[GEOMETRIC_ACROSS, i] * below
        if i + 1 < n:
            beside += c[GEOMETRIC_ACROSS, i + 1] * u[i + 1]
        s[RIGHT, i] = p[i] + half * (s[RIGHT, i] - beside)
        s[DRIFT, i] = u[i] - below
        s[SIZE, i] = _CANCELLED * half * c[STIFF, i] * (abs(u[i]) + abs(below))
        s[X, i] = s[D, i] = 0.0
        below = u[i]
    solves = solved_frame(c, P, h, s, z, dz)
    for i in range(n):
        if solves > 0 and s[BREAKS, i] == BROKEN:
            solves = BREAKING
    return solves


def stepped_groups(c: Array, P: StoreyGroups, h: float, s: Array, u: Array, p: Array, z: Array, dz: Array) -> int:
    """The same of storeys of several laws."""
    solves = stepped_frame(c, P, h, s, u, p, z, dz)
    commit(P.springs, 2.0, z, dz, dz)
    return solves


def solved_frame(c: Array, P: Any, h: float, s: Array, z: Array, dz: Array) -> int:
    """One step by Newton with a line search, as in :mod:`hamex.march.newton`; its solves, or UNSOLVED."""
    n = len(c[0])
    storeys_at(P, h, 0.0, s, z, dz)
    worst = frame_gradient(c, h, 0.0, s)
    for solves in range(1, _MOST):
        before = worst
        if not frame_direction(c, h, s):
            return UNSOLVED
        slope = 0.0
        for i in range(n):
            slope += s[D, i] * s[GRADIENT, i]
        storeys_at(P, h, 1.0, s, z, dz)
        worst = frame_gradient(c, h, 1.0, s)
        alpha = 1.0 if solves == 1 else frame_search(c, P, h, s, z, dz, slope)
        if alpha != 1.0:
            worst = frame_gradient(c, h, alpha, s)
        for i in range(n):
            s[X, i] += alpha * s[D, i]
            s[D, i] = 0.0
        if worst <= _ROUND_OFF or (worst <= _STUCK and worst >= 0.5 * before):
            return solves
    return UNSOLVED


def storeys_at(P: Array, h: float, alpha: float, s: Array, z: Array, dz: Array) -> None:
    """Forces and tangents of the storeys at x + αd, and their states at the end of the step; row i of P belongs to
    storey i, and all share a law."""
    n = len(P)
    many, below = len(dz) // n, 0.0
    for i in range(n):
        floor = s[X, i] + alpha * s[D, i]
        s[MEAN, i], s[TANGENT, i], s[BREAKS, i] = spring_in_step(
            P[i], 0, s[DRIFT, i], floor - below, 0.5, 0.5 * h, z, many * i, many, dz
        )
        below = floor


def groups_at(P: StoreyGroups, h: float, alpha: float, s: Array, z: Array, dz: Array) -> None:
    """The same of storeys of several laws; some of these tell the change of their state in half a step."""
    below = 0.0
    for i in range(len(P.stretch)):
        floor = s[X, i] + alpha * s[D, i]
        P.stretch[i] = floor - below
        below = floor
    evaluate(P.springs, s[DRIFT], P.stretch, 0.5, 0.5 * h, z, False, s[MEAN], s[TANGENT], dz, P.branch, P.work)
    for i in range(len(P.branch)):
        s[BREAKS, i] = P.branch[i]


def frame_gradient(c: Array, h: float, alpha: float, s: Array) -> float:
    """The gradient at x + αd; returns its largest entry relative to the terms of the rows."""
    n, half, worst, largest = len(c[0]), 0.5 * h, 0.0, 0.0
    for i in range(n):
        g = c[MAIN, i] * (s[X, i] + alpha * s[D, i])
        if i > 0:
            g += c[ACROSS, i] * (s[X, i - 1] + alpha * s[D, i - 1])
        if i + 1 < n:
            g += c[ACROSS, i + 1] * (s[X, i + 1] + alpha * s[D, i + 1])
        above = s[MEAN, i + 1] if i + 1 < n else 0.0
        size = abs(g) + abs(s[RIGHT, i]) + half * (abs(s[MEAN, i]) + abs(above)) + s[SIZE, i]
        s[GRADIENT, i] = g + half * (s[MEAN, i] - above) - s[RIGHT, i]
        worst, largest = max(worst, abs(s[GRADIENT, i])), max(largest, size)
    return worst / largest if largest > 0.0 else 0.0


def frame_direction(c: Array, h: float, s: Array) -> bool:
    """Newton's direction by two sweeps; False where a pivot is not positive."""
    n, quarter, swept = len(c[0]), 0.25 * h, 0.0
    for i in range(n):
        above = s[TANGENT, i + 1] if i + 1 < n else 0.0
        pivot, row = c[MAIN, i] + quarter * (s[TANGENT, i] + above), -s[GRADIENT, i]
        if i > 0:
            side = c[ACROSS, i] - quarter * s[TANGENT, i]
            s[LOWER, i] = side / s[PIVOT, i - 1]
            pivot -= s[LOWER, i] * side
            row -= s[LOWER, i] * swept
        if not pivot > 0.0:
            return False
        s[PIVOT, i], s[D, i], swept = pivot, row, row
    for i in range(n - 1, -1, -1):
        s[D, i] /= s[PIVOT, i]
        if i + 1 < n:
            s[D, i] -= s[LOWER, i + 1] * s[D, i + 1]
    return True


def frame_search(c: Array, P: Any, h: float, s: Array, z: Array, dz: Array, slope: float) -> float:
    """Length along d at which the potential falls no more: its slope is at most a tenth of the first. The storeys are
    asked there."""
    n, low, high, at_low, alpha = len(c[0]), 0.0, 1.0, slope, 1.0
    at_high = 0.0
    for i in range(n):
        at_high += s[D, i] * s[GRADIENT, i]
    if at_high <= -_SETTLED * slope:
        return 1.0
    for trial in range(_TRIALS):
        alpha = low + (high - low) * (0.5 if trial % 3 == 2 else at_low / (at_low - at_high))
        if not low < alpha < high:
            break
        storeys_at(P, h, alpha, s, z, dz)
        frame_gradient(c, h, alpha, s)
        here = 0.0
        for i in range(n):
            here += s[D, i] * s[GRADIENT, i]
        if abs(here) <= -_SETTLED * slope:
            return alpha
        if here > 0.0:
            high, at_high = alpha, here
        else:
            low, at_low = alpha, here
    return alpha
