"""Structures through time: the drivers around the convex step, for the linear time element and for Newmark.

Letters as in :mod:`hamex.march.oscillator`, with one entry per dof or spring; row r of a history is node r. The loops
over dofs stand in small functions of their own, so that a driver can also run as plain Python around a sparse solver.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.band import Band
from hamex.march.laws import Powers, Sliders, Surfaces
from hamex.march.newton import Scratch, Step, newton, sizes, stretch

Array = Any


class Rows(NamedTuple):
    """A matrix by rows, with an optional low-rank part."""

    row: Array
    column: Array
    value: Array
    low: Array
    low_weight: Array


class Hardening(NamedTuple):
    """Kinematic stiffness per spring."""

    kinematic: Array


def times(matrix: Rows, x: Array, factor: float, out: Array) -> None:
    """out += factor · matrix x."""
    for i in range(len(out)):
        total = 0.0
        for m in range(matrix.row[i], matrix.row[i + 1]):
            total += matrix.value[m] * x[matrix.column[m]]
        out[i] += factor * total
    for a in range(len(matrix.low_weight)):
        total = 0.0
        for i in range(len(out)):
            total += matrix.low[i, a] * x[i]
        total *= factor * matrix.low_weight[a]
        for i in range(len(out)):
            out[i] += matrix.low[i, a] * total


def pushed(channels: Array, patterns: Array, factor: float, out: Array) -> None:
    """out += factor · load, the sum of the patterns times their channels."""
    for a in range(len(channels)):
        value = factor * channels[a]
        for i in range(len(out)):
            out[i] += patterns[a, i] * value


def copied(x: Array, out: Array) -> None:
    """out = x; spelled out, because the compiler takes seconds over a slice."""
    for i in range(len(out)):
        out[i] = x[i]


def filled(x: float, out: Array) -> None:
    """out = x everywhere."""
    for i in range(len(out)):
        out[i] = x


def added(x: Array, y: Array, out: Array) -> None:
    """out = x + y."""
    for i in range(len(out)):
        out[i] = x[i] + y[i]


def deformed(step: Step, u: Array, slip: Array, imposed: Array, out: Array) -> None:
    """out = Bᵀu + imposed − slip, what the springs see before the increment."""
    stretch(step, u, out)
    for j in range(len(out)):
        out[j] += imposed[j] - slip[j]


def slipped(times_tau: float, hard: Hardening, slip: Array, grown: Array, s0: Array, X0: Array, w0: Array, s1: Array,
            X1: Array, w1: Array) -> None:
    """Carry slip, back force and accumulated slip over the step, which is ``times_tau`` times τ long."""
    for j in range(len(slip)):
        ds = times_tau * slip[j]
        s1[j] = s0[j] + ds
        X1[j] = X0[j] + hard.kinematic[j] * ds
        w1[j] = w0[j] + times_tau * grown[j]


def galerkin(step: Step, band: Band, s: Scratch, sliders: Sliders, powers: Powers, surfaces: Surfaces | None,
             hard: Hardening, mass: Rows, beside: Rows, h: float, load: Array, patterns: Array, imposed: Array,
             stride: int, u: Array, p: Array, slip: Array, X: Array, w: Array, F: Array, branch: Array, solves: Array,
             searches: Array, count: Array, last: Array, r: Array, e0: Array, ds: Array, grown: Array) -> int:
    """March the linear time element; returns 0, or the number of the step that could not be taken.

    ``last`` receives the worst relative residual and, on failure, the row of a pivot that is not positive.
    """
    for k in range(len(load)):
        now, then = stride * k, stride * (k + 1)
        before, looked = count[0], count[2]
        copied(p[k], r)
        pushed(load[k], patterns, 0.5 * h, r)
        times(beside, u[k], -0.5 * h, r)
        deformed(step, u[k], slip[k], imposed[min(k, len(imposed) - 1)], e0)
        sizes(step, u[k], slip[k], s.noise)
        filled(0.0, s.x)
        left = newton(step, band, s, sliders, powers, surfaces, r, e0, X[now], w[now], branch, F[k], ds, grown, count)
        if left < 0.0 or left > 1.0:
            last[1] = left
            return k + 1
        last[0] = max(last[0], left)
        slipped(2.0, hard, ds, grown, slip[k], X[now], w[now], slip[k + 1], X[then], w[then])
        added(u[k], s.x, u[k + 1])
        for i in range(len(r)):
            p[k + 1, i] = -p[k, i]
        times(mass, s.x, 2.0 / h, p[k + 1])                  # eq. (79)
        solves[k] = count[0] - before
        searches[k] = count[2] - looked
    return 0


def newmark(step: Step, band: Band, s: Scratch, sliders: Sliders, powers: Powers, surfaces: Surfaces | None,
            hard: Hardening, mass: Rows, beside: Rows, damping: Rows, h: float, beta: float, gamma: float, load: Array,
            patterns: Array, imposed: Array, stride: int, u: Array, p: Array, slip: Array, X: Array, w: Array,
            F: Array, branch: Array, solves: Array, searches: Array, count: Array, last: Array, r: Array, e0: Array,
            ds: Array, grown: Array, v: Array, a: Array) -> int:
    """Newmark's family with the springs returned to their limit at the end of the step; loads at the nodes.

    F[k] is the force at node k; entry 0 is given. ``v`` and ``a`` hold velocity and acceleration and are carried on.
    """
    to_a, to_v = 1.0 / (beta * h * h), gamma / (beta * h)
    for k in range(len(load) - 1):
        now, then = stride * k, stride * (k + 1)
        before, looked = count[0], count[2]
        # With u held: what velocity and acceleration would become.
        for i in range(len(v)):
            v0, a0 = v[i], a[i]
            v[i] = (1.0 - gamma / beta) * v0 + h * (1.0 - 0.5 * gamma / beta) * a0
            a[i] = -v0 / (beta * h) + (1.0 - 0.5 / beta) * a0
        filled(0.0, r)
        pushed(load[k + 1], patterns, 1.0, r)
        times(mass, a, -1.0, r)
        times(damping, v, -1.0, r)
        times(beside, u[k], -1.0, r)
        deformed(step, u[k], slip[k], imposed[min(k + 1, len(imposed) - 1)], e0)
        sizes(step, u[k], slip[k], s.noise)
        filled(0.0, s.x)
        left = newton(step, band, s, sliders, powers, surfaces, r, e0, X[now], w[now], branch, F[k + 1], ds, grown,
                      count)
        if left < 0.0 or left > 1.0:
            last[1] = left
            return k + 1
        last[0] = max(last[0], left)
        slipped(1.0, hard, ds, grown, slip[k], X[now], w[now], slip[k + 1], X[then], w[then])
        added(u[k], s.x, u[k + 1])
        for i in range(len(v)):
            v[i] += to_v * s.x[i]
            a[i] += to_a * s.x[i]
        filled(0.0, p[k + 1])
        times(mass, v, 1.0, p[k + 1])
        solves[k] = count[0] - before
        searches[k] = count[2] - looked
    return 0


def static(step: Step, band: Band, s: Scratch, sliders: Sliders, powers: Powers, surfaces: Surfaces | None,
           hard: Hardening, mass: Rows, beside: Rows, path: Array, pattern: Array, constant: Array, penalty: float,
           imposed: Array, stride: int, u: Array, p: Array, slip: Array, X: Array, w: Array, F: Array, branch: Array,
           solves: Array, searches: Array, count: Array, last: Array, r: Array, e0: Array, ds: Array, grown: Array,
           factor: Array) -> int:
    """Quasi-static path: ``path`` holds load factors, or under displacement control values of pull · u.

    F[k] is the force at node k, entry 0 is given; ``factor[k]`` receives the load factor. S contains
    penalty · pull pullᵀ under displacement control, which changes nothing where the constraint holds.
    """
    for k in range(len(path) - 1):
        now, then = stride * k, stride * (k + 1)
        before, looked = count[0], count[2]
        copied(constant, r)
        times(beside, u[k], -1.0, r)
        deformed(step, u[k], slip[k], imposed[0], e0)
        sizes(step, u[k], slip[k], s.noise)
        filled(0.0, s.x)
        if len(step.pull) > 0:
            reached, size = 0.0, 0.0
            for i in range(len(r)):
                reached += step.pull[i] * u[k, i]
                size += step.pull[i] ** 2
            for i in range(len(r)):
                s.x[i] = step.pull[i] * (path[k + 1] - reached) / size
                r[i] += penalty * (path[k + 1] - reached) * step.pull[i]
            s.factor[0] = factor[k]
        else:
            for i in range(len(r)):
                r[i] += path[k + 1] * pattern[i]
        left = newton(step, band, s, sliders, powers, surfaces, r, e0, X[now], w[now], branch, F[k + 1], ds, grown,
                      count)
        if left < 0.0 or left > 1.0:
            last[1] = left
            return k + 1
        last[0] = max(last[0], left)
        slipped(1.0, hard, ds, grown, slip[k], X[now], w[now], slip[k + 1], X[then], w[then])
        added(u[k], s.x, u[k + 1])
        filled(0.0, p[k + 1])
        factor[k + 1] = s.factor[0] if len(step.pull) > 0 else path[k + 1]
        solves[k] = count[0] - before
        searches[k] = count[2] - looked
    return 0
