"""Kernels of schemes for one mass on one spring that can slip: collocation, diagonally implicit and explicit tables.

``load[r][i]`` is the load at the i-th load node of step r; entry 0 of the node arrays u, v, a (displacement, velocity,
acceleration), s (slip) and X (back force, the middle of the elastic range) holds the start. The spring is brought
back to its limit at the end of a step, or of a part of it (backward Euler, Perzyna). One slider makes the balance of a
step piecewise linear, and the elastic trial fixes its branch (section 5.2 of the paper), so nothing iterates.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

Numbers = Sequence[float]
Rows = Sequence[Numbers]
Out = MutableSequence[float]


class Mass(NamedTuple):
    """One mass on one spring: mass, dashpot, stiffness, and the law of its slider."""

    m: float
    c: float
    k: float
    yield_force: float
    viscosity: float
    kinematic: float


def flow(trial: float, yield_force: float, give: float) -> float:
    """Slip that brings a trial force, measured from the centre, back; ``give`` is slip per unit of excess."""
    if trial > yield_force:
        return (trial - yield_force) * give
    if trial < -yield_force:
        return (trial + yield_force) * give
    return 0.0


def acceleration(
    inertia: float,
    weight: float,
    reach: float,
    spring: float,
    rhs: float,
    k: float,
    centre: float,
    yield_force: float,
    give: float,
) -> float:
    """A of inertia·A + weight·F(u + reach·A) = rhs; ``spring`` is the force at u if the spring stayed elastic."""
    A = (rhs - weight * spring) / (inertia + weight * k * reach)
    trial = spring + k * reach * A - centre
    if abs(trial) > yield_force:
        limit = yield_force if trial > 0.0 else -yield_force
        returned = spring - k * give * (spring - centre - limit)
        A = (rhs - weight * returned) / (inertia + weight * k * reach * (1.0 - k * give))
    return A


def collocation(
    load: Rows, h: float, x: Mass, theta: float, beta: float, gamma: float, u: Out, v: Out, a: Out, s: Out, X: Out
) -> int:
    """Balance at t + θh with the load carried on linearly, then back to t + h by Newmark's interpolation: Wilson-θ.

    θ = 1 balances at the end of the step; with β = 0 that needs no solve and is the central difference method.
    """
    m, c, k, far = x.m, x.c, x.k, theta * h
    give, give_far = 1.0 / (k + x.kinematic + x.viscosity / h), 1.0 / (k + x.kinematic + x.viscosity / far)
    inertia = m + c * gamma * far
    ur, vr, ar, sr, middle = u[0], v[0], a[0], s[0], X[0]
    for r in range(len(load)):
        up = ur + far * vr + (0.5 - beta) * far * far * ar
        vp = vr + (1.0 - gamma) * far * ar
        rhs = load[r][0] + theta * (load[r][1] - load[r][0]) - c * vp
        A = acceleration(inertia, 1.0, beta * far * far, k * (up - sr), rhs, k, middle, x.yield_force, give_far)
        old = ar
        ar = old + (A - old) / theta
        ur = ur + h * vr + h * h * ((0.5 - beta) * old + beta * ar)
        vr = vr + h * ((1.0 - gamma) * old + gamma * ar)
        slip = flow(k * (ur - sr) - middle, x.yield_force, give)
        sr += slip
        middle += x.kinematic * slip
        u[r + 1] = ur
        v[r + 1] = vr
        a[r + 1] = ar
        s[r + 1] = sr
        X[r + 1] = middle
    return 0


def diagonal(
    load: Rows,
    h: float,
    x: Mass,
    table: Rows,
    nodes: Numbers,
    by_table: int,
    u: Out,
    v: Out,
    s: Out,
    X: Out,
    us: Out,
    vs: Out,
    As: Out,
    rates: Out,
) -> int:
    """Diagonally implicit table whose first stage is the start and whose last is the end of the step.

    ``by_table`` 0 returns the spring at the end of each part from where the part before left it, as finite element
    programs do; 1 advances the slip by the table like any other state. ``us``, ``vs``, ``As`` and ``rates`` hold the
    stages; ``rates[0]`` is the slip rate at the start, and in the end that of the last node.
    """
    stages, m, c, k = len(nodes), x.m, x.c, x.k
    ur, vr, sr, Xr = u[0], v[0], s[0], X[0]
    for r in range(len(load)):
        us[0] = ur
        vs[0] = vr
        As[0] = (load[r][0] - c * vr - k * (ur - sr)) / m
        part = sr
        for i in range(1, stages):
            d = h * table[i][i]
            ui, vi, start = ur, vr, sr
            for j in range(i):
                ui += h * table[i][j] * vs[j]
                vi += h * table[i][j] * As[j]
                start += h * table[i][j] * rates[j]
            span = d
            if by_table == 0:
                start = part
                span = h * (nodes[i] - nodes[i - 1])
            give = 1.0 / (k + x.kinematic + x.viscosity / span)
            middle = Xr + x.kinematic * (start - sr)
            A = acceleration(
                m + c * d, 1.0, d * d, k * (ui + d * vi - start), load[r][i] - c * vi, k, middle, x.yield_force, give
            )
            vi += d * A
            ui += d * vi
            slip = flow(k * (ui - start) - middle, x.yield_force, give)
            part = start + slip
            us[i] = ui
            vs[i] = vi
            As[i] = A
            rates[i] = slip / span
        Xr += x.kinematic * (part - sr)
        ur, vr, sr = us[stages - 1], vs[stages - 1], part
        rates[0] = rates[stages - 1]
        u[r + 1] = ur
        v[r + 1] = vr
        s[r + 1] = sr
        X[r + 1] = Xr
    return 0


def explicit(
    load: Rows,
    h: float,
    x: Mass,
    table: Rows,
    weights: Numbers,
    u: Out,
    v: Out,
    s: Out,
    X: Out,
    vs: Out,
    As: Out,
    rates: Out,
) -> int:
    """Explicit table. With viscosity the slip is a state; without, each stage returns the spring from the start."""
    stages, m, c, k = len(weights), x.m, x.c, x.k
    give = 1.0 / x.viscosity if x.viscosity > 0.0 else 1.0 / (k + x.kinematic)
    ur, vr, sr, Xr = u[0], v[0], s[0], X[0]
    for r in range(len(load)):
        for i in range(stages):
            ui, vi, si = ur, vr, sr
            for j in range(i):
                ui += h * table[i][j] * vs[j]
                vi += h * table[i][j] * As[j]
                si += h * table[i][j] * rates[j]
            slip = flow(k * (ui - si) - (Xr + x.kinematic * (si - sr)), x.yield_force, give)
            if x.viscosity > 0.0:
                rates[i] = slip
            else:
                si += slip
                rates[i] = 0.0
            vs[i] = vi
            As[i] = (load[r][i] - c * vi - k * (ui - si)) / m
        slipped = 0.0
        for i in range(stages):
            ur += h * weights[i] * vs[i]
            vr += h * weights[i] * As[i]
            slipped += h * weights[i] * rates[i]
        if x.viscosity == 0.0:
            slipped = flow(k * (ur - sr) - Xr, x.yield_force, give)
        sr += slipped
        Xr += x.kinematic * slipped
        u[r + 1] = ur
        v[r + 1] = vr
        s[r + 1] = sr
        X[r + 1] = Xr
    return 0


def linear_map(load: Rows, matrix: Rows, loading: Rows, x: MutableSequence[Out]) -> int:
    """x ← matrix·x + loading·load: any scheme on a linear system; row 0 of ``x`` holds the start."""
    for r in range(len(load)):
        for i in range(len(matrix)):
            total = 0.0
            for j in range(len(matrix)):
                total += matrix[i][j] * x[r][j]
            for j in range(len(loading[i])):
                total += loading[i][j] * load[r][j]
            x[r + 1][i] = total
    return 0


def free_energy(matrix: Rows, stiffness: float, steps: int, x: Out, new: Out, energy: Out) -> int:
    """x₁² + stiffness·x₀² of a free vibration, kept every ``steps`` steps; entry 0 of ``energy`` is the start's."""
    energy[0] = x[1] * x[1] + stiffness * x[0] * x[0]
    for period in range(1, len(energy)):
        for _ in range(steps):
            for i in range(len(x)):
                total = 0.0
                for j in range(len(x)):
                    total += matrix[i][j] * x[j]
                new[i] = total
            for i in range(len(x)):
                x[i] = new[i]
        energy[period] = x[1] * x[1] + stiffness * x[0] * x[0]
        if not energy[period] < 1e200:  # ran away
            return period
    return 0
