"""One mass on one spring that is followed along its path: steps of the linear time element in closed form.

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

from hamex.march.springs import FORCE, JUMP, spring_along, spring_piece

Array = Any

_MOST = 100  # Newton steps; some five are needed
_ENOUGH = 4e-16  # of the terms of the balance
# Numbers of an oscillator: mass, damping, stiffness beside the spring, force and ground acceleration per unit of load,
# and the displacement at which its run ends.
MASS, DAMPING, BESIDE, PUSH, SHAKE, LIMIT = range(6)
NUMBERS = 6
# What a run leaves: largest sizes, works of spring and load, its end, and the number of the step that passed the limit.
LARGEST, FASTEST, HARDEST, STRONGEST, WORK, INPUT, LAST_U, LAST_P, ENDED = range(9)
KEPT = 9


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
    walks = begins
    while walks:
        F, k, edge = spring_piece(P, r, at, way, z, 0)
        if begins and way * (R - F) < 0.0:  # it was gone before it moved
            way, begins = -way, False
            continue
        if at != u and abs(F - comes) > JUMP * (abs(F) + abs(comes) + P[r] * abs(at)):
            taken, d, G = until(way, 0.5 * K * s + W / s + K * u - f, c * s - 2.0 * p, 2.0 * m * s), s, W / s
            break
        a, b, rest = A + 0.5 * k, way * (2.0 * A * s + F - R), s * (A * s - R) + W
        root = sqrt(max(b * b - 4.0 * a * rest, 0.0))
        y = way * max(-2.0 * rest / (b + root) if b > 0.0 else (root - b) / (2.0 * a), 0.0)
        d = s + y
        G = (W + (F + 0.5 * k * y) * y) / d if s != 0.0 else F + 0.5 * k * y
        walks = way * (edge - (u + d)) < 0.0
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
        if not low < further < high:
            further = 0.5 * (low + high)
        if further == d or not low < further < high:
            break
        d = further
        G, slope, _ = spring_along(P, r, u, d, h, z, 0, dz)
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
    numbers: Array, P: Array, which: Array, load: Array, h: float, z: Array, dz: Array, kept: Array
) -> int:
    """March oscillators through one record, one after the other; case i is the oscillator of row ``which[i]`` of P
    with the numbers in row i. They begin at rest. ``kept`` (case, KEPT) receives what is asked of a run, and z (case,
    variable) the state of the spring at its end."""
    for i in range(len(numbers)):
        one_case(numbers[i], P[which[i]], load, h, z[i], dz, kept[i])
    return 0


def one_case(number: Array, P: Array, load: Array, h: float, z: Array, dz: Array, kept: Array) -> None:
    """One of them."""
    m, c, K, push, shake, limit = number[0], number[1], number[2], number[3], number[4], number[5]
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
    kept[LARGEST], kept[FASTEST], kept[HARDEST], kept[STRONGEST] = most, fast / m, hard, strong / h
    kept[WORK], kept[INPUT], kept[LAST_U], kept[LAST_P], kept[ENDED] = work, given, u, p, ended
