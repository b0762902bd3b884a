"""Structures through time: the drivers around the convex step, for the linear time element and for Newmark.

Letters as in :mod:`hamex.march.oscillator`, with one entry per dof or spring; row r of a history is node r. The loops
over dofs stand in small functions of their own, so that a driver can also run as plain Python around a sparse solver.
"""

from __future__ import annotations

from typing import Any

from hamex.march.band import Band
from hamex.march.laws import Powers, Sliders
from hamex.march.newton import Scratch, Step, newton, sizes, stretch
from hamex.march.rows import Rows, added, copied, filled, times
from hamex.march.surfaces import Surfaces

Array = Any


def pushed(channels: Array, patterns: Array, factor: float, out: Array) -> None:
    """out += factor · load, the sum of the patterns times their channels."""
    for a in range(len(channels)):
        value = factor * channels[a]
        for i in range(len(out)):
            out[i] += patterns[a, i] * value


def deformed(step: Step, u: Array, slip: Array, imposed: Array, out: Array) -> None:
    """out = Bᵀu + imposed − slip, what the springs see before the increment."""
    stretch(step, u, out)
    for j in range(len(out)):
        out[j] += imposed[j] - slip[j]


def slipped(times_tau: float, kinematic: Array, slip: Array, grown: Array, s0: Array, X0: Array, w0: Array, s1: Array,
            X1: Array, w1: Array) -> None:
    """Carry slip, back force and accumulated slip over the step, which is ``times_tau`` times τ long."""
    for j in range(len(slip)):
        ds = times_tau * slip[j]
        s1[j] = s0[j] + ds
        X1[j] = X0[j] + kinematic[j] * ds
        w1[j] = w0[j] + times_tau * grown[j]


def advanced(k: int, node: int, length: float, step: Step, band: Band, s: Scratch, sliders: Sliders, powers: Powers,
             surfaces: Surfaces | None, kinematic: Array, imposed: Array, stride: int, u: Array, slip: Array, X: Array,
             w: Array, F: Array, branch: Array, solves: Array, searches: Array, count: Array, last: Array, r: Array,
             e0: Array, ds: Array, grown: Array) -> bool:
    """Take step k from the guess in s.x: displacements and springs at its end; False when it could not be solved.

    ``node`` is 1 where forces and imposed deformations belong to the end of a step, 0 where they are its means;
    ``length`` is that of the step in units of τ.
    """
    now, then = stride * k, stride * (k + 1)
    before, looked = count[0], count[2]
    deformed(step, u[k], slip[k], imposed[min(k + node, len(imposed) - 1)], e0)
    sizes(step, u[k], slip[k], s.noise)
    left = newton(step, band, s, sliders, powers, surfaces, r, e0, X[now], w[now], branch, F[k + node], ds, grown,
                  count)
    if left < 0.0 or left > 1.0:
        last[1] = left
        return False
    last[0] = max(last[0], left)
    slipped(length, kinematic, ds, grown, slip[k], X[now], w[now], slip[k + 1], X[then], w[then])
    added(u[k], s.x, u[k + 1])
    solves[k] = count[0] - before
    searches[k] = count[2] - looked
    return True


def galerkin(step: Step, band: Band, s: Scratch, sliders: Sliders, powers: Powers, surfaces: Surfaces | None,
             kinematic: Array, mass: Rows, beside: Rows, h: float, load: Array, patterns: Array, imposed: Array,
             stride: int, u: Array, p: Array, slip: Array, X: Array, w: Array, F: Array, branch: Array, solves: Array,
             searches: Array, count: Array, last: Array, r: Array, e0: Array, ds: Array, grown: Array) -> int:
    """March the linear time element; returns 0, or the number of the step that could not be taken.

    ``last`` receives the worst relative residual and, on failure, the row of a pivot that is not positive.
    """
    for k in range(len(load)):
        copied(p[k], r)
        pushed(load[k], patterns, 0.5 * h, r)
        times(beside, u[k], -0.5 * h, r)
        filled(0.0, s.x)
        if not advanced(k, 0, 2.0, step, band, s, sliders, powers, surfaces, kinematic, imposed, stride, u, slip, X, w,
                        F, branch, solves, searches, count, last, r, e0, ds, grown):
            return k + 1
        for i in range(len(r)):
            p[k + 1, i] = -p[k, i]
        times(mass, s.x, 2.0 / h, p[k + 1])                  # eq. (79)
    return 0


def newmark(step: Step, band: Band, s: Scratch, sliders: Sliders, powers: Powers, surfaces: Surfaces | None,
            kinematic: Array, mass: Rows, beside: Rows, damping: Rows, h: float, beta: float, gamma: float, load: Array,
            patterns: Array, imposed: Array, stride: int, u: Array, p: Array, slip: Array, X: Array, w: Array,
            F: Array, branch: Array, solves: Array, searches: Array, count: Array, last: Array, r: Array, e0: Array,
            ds: Array, grown: Array, v: Array, a: Array) -> int:
    """Newmark's family with the springs returned to their limit at the end of the step; loads at the nodes.

    F[k] is the force at node k; entry 0 is given. ``v`` and ``a`` hold velocity and acceleration and are carried on.
    """
    to_a, to_v = 1.0 / (beta * h * h), gamma / (beta * h)
    for k in range(len(load) - 1):
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
        filled(0.0, s.x)
        if not advanced(k, 1, 1.0, step, band, s, sliders, powers, surfaces, kinematic, imposed, stride, u, slip, X, w,
                        F, branch, solves, searches, count, last, r, e0, ds, grown):
            return k + 1
        for i in range(len(v)):
            v[i] += to_v * s.x[i]
            a[i] += to_a * s.x[i]
        filled(0.0, p[k + 1])
        times(mass, v, 1.0, p[k + 1])
    return 0


def static(step: Step, band: Band, s: Scratch, sliders: Sliders, powers: Powers, surfaces: Surfaces | None,
           kinematic: Array, mass: Rows, beside: Rows, path: Array, pattern: Array, constant: Array, penalty: float,
           imposed: Array, stride: int, u: Array, p: Array, slip: Array, X: Array, w: Array, F: Array, branch: Array,
           solves: Array, searches: Array, count: Array, last: Array, r: Array, e0: Array, ds: Array, grown: Array,
           factor: Array) -> int:
    """Quasi-static path: ``path`` holds load factors, or under displacement control values of pull · u.

    F[k] is the force at node k, entry 0 is given; ``factor[k]`` receives the load factor. S contains
    penalty · pull pullᵀ under displacement control, which changes nothing where the constraint holds.
    """
    for k in range(len(path) - 1):
        copied(constant, r)
        times(beside, u[k], -1.0, r)
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
        if not advanced(k, 1, 1.0, step, band, s, sliders, powers, surfaces, kinematic, imposed, stride, u, slip, X, w,
                        F, branch, solves, searches, count, last, r, e0, ds, grown):
            return k + 1
        filled(0.0, p[k + 1])
        factor[k + 1] = s.factor[0] if len(step.pull) > 0 else path[k + 1]
    return 0
