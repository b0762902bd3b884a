"""Newmark's method with Newton-Raphson: the iterative reference the paper compares with.

The spring is returned to its yield limit at the end of the step (backward Euler, Perzyna); the letters are
those of :mod:`hamex.march.oscillator`, with v velocity and A acceleration.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, NamedTuple

Numbers = Sequence[float]
Out = MutableSequence[float]


class Rule(NamedTuple):
    """Newmark's numbers, and when Newton-Raphson ends."""

    h: float
    beta: float
    gamma: float
    tolerance: float
    max_iterations: int


def newmark(
    load: Numbers,
    rule: Rule,
    oscillator: Any,
    stride: int,
    u: Out,
    p: Out,
    s: Out,
    X: Out,
    w: Out,
    last: Out,
    iterations: MutableSequence[int],
    worst: Out,
) -> int:
    """March under nodal loads; returns 0, or the number of the step that did not converge.

    A step starts from the last displacement and stops when the displacement increment is below
    ``tolerance``, the test of section 6.1. ``last`` holds the acceleration and the tangent stiffness
    that a step hands to the next; ``oscillator`` is hamex.schemes.prepare.Scalars.
    """
    h, beta, gamma, tolerance, max_iterations = rule
    m, c, K, a, b, yield_force, viscosity, kinematic, isotropic = oscillator
    k = 1.0 / a
    to_a = 1.0 / (beta * h * h)
    to_v = gamma / (beta * h)
    inertia = m * to_a + c * to_v + K
    give = 1.0 / (k + kinematic + isotropic + viscosity / h)  # slip per unit of excess force
    ur, pr, sr, Xr, wr, Ar, tangent = u[0], p[0], s[0], X[0], w[0], last[0], last[1]
    slip = 0.0
    growth = 0.0
    for r in range(1, len(load)):
        v0, a0 = pr / m, Ar  # momentum is the state: restart is bitwise
        # Constant displacement predicts velocity and acceleration.
        vr = (1.0 - gamma / beta) * v0 + h * (1.0 - 0.5 * gamma / beta) * a0
        Ar = -v0 / (beta * h) + (1.0 - 0.5 / beta) * a0
        # The first increment uses the force and the tangent in which the last step ended, as OpenSees does.
        Fr = k * (b * ur - sr)
        size = tolerance + 1.0
        count = 0
        while size > tolerance:
            if count == max_iterations:
                worst[0] = size
                return r
            step = (load[r] - m * Ar - c * vr - K * ur - b * Fr) / (inertia + b * tangent * b)
            ur += step
            vr += to_v * step
            Ar += to_a * step
            size = abs(step)
            count += 1
            slip = 0.0
            growth = 0.0
            tangent = k
            Fr = k * (b * ur - sr)
            trial = Fr - Xr
            excess = abs(trial) - (yield_force + isotropic * wr)
            if excess > 0.0:
                growth = excess * give
                slip = growth if trial > 0.0 else -growth
                Fr -= k * slip
                tangent = k - k * k * give
        sr += slip
        Xr += kinematic * slip
        wr += growth
        pr = m * vr
        u[r] = ur
        p[r] = pr
        s[r] = sr
        X[stride * r] = Xr
        w[stride * r] = wr
        iterations[r - 1] = count
    last[0] = Ar
    last[1] = tangent
    return 0
