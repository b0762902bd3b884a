"""One oscillator, one spring, for a whole history: the linear time element, Newmark's method, the exact solution
where it is elastic, and the energy balance of any of them.

Letters follow the paper and ``docs/glossary.md``: u displacement, p momentum, s slip u₁, X back force,
w accumulated slip, F = ΔJ/h mean spring force of the step, f* the load of the step; v velocity and A acceleration.
Entry 0 of each node array holds the start; ``stride`` 0 keeps only the last X and w, 1 keeps them all.

The linear time element takes the step of eqs. (66)-(68). A step is as long as the chain of operations from one state to
the next. ``rows``, from ``schemes.prepare.LinearElement``, therefore hold F, Δu and Δp of the elastic step as sums over
the state, so that none of them waits for another; the sums are grouped so that three operations lie between two states.
Increments, not new values, are what the rows hold: their rounding then stays in proportion to the step, and energy does
not drift.

Newmark's method with Newton-Raphson is the iterative reference that the paper compares with. The spring is returned to
its yield limit at the end of the step (backward Euler, Perzyna).

The energy balance has the sums of ``hamex.solution.energy``, operation by operation, so that both ways give the same
bits; e = b u − s is the elastic deformation of the spring.
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from typing import Any, NamedTuple

from hamex.march.samples import END, MEAN, means, nodes

Numbers = Sequence[float]
Out = MutableSequence[float]
Row = tuple[float, float, float, float, float]  # per unit of f*, s, p, u, and of excess force
Rows = tuple[Row, Row, Row, float]  # of F, Δu and Δp; Δs per unit of excess force

BLOCK = 1024  # steps whose load is read at once, small enough to stay in the nearest cache


class SpringLimit(NamedTuple):
    """The limit of the spring, and how it moves and grows with slip."""

    yield_force: float
    kinematic: float
    isotropic: float


class Clock(NamedTuple):
    """How steps read a record: where their nodes stand among its samples, as in :mod:`hamex.march.samples`."""

    base: float
    first: int
    ratio: float
    rule: int


class NewmarkRule(NamedTuple):
    """Newmark's numbers, and when Newton-Raphson ends."""

    h: float
    beta: float
    gamma: float
    tolerance: float
    max_iterations: int


def galerkin(
    opening: Numbers,
    closing: Numbers,
    scale: float,
    rows: Rows,
    limits: SpringLimit,
    stride: int,
    u: Out,
    p: Out,
    s: Out,
    X: Out,
    w: Out,
    F: Out,
) -> int:
    """March the linear time element; f* = scale · (opening + closing)/2 of each step."""
    return _steps(opening, closing, scale, rows, limits, stride, 0, len(F), (u, p, s, X, w, F))


def galerkin_record(
    samples: Numbers,
    clock: Clock,
    scale: float,
    rows: Rows,
    limits: SpringLimit,
    stride: int,
    work: Out,
    u: Out,
    p: Out,
    s: Out,
    X: Out,
    w: Out,
    F: Out,
) -> int:
    """The same under a record, read block by block as :mod:`hamex.march.samples` does; no step's load is stored.

    ``work`` holds a block of loads and one more.
    """
    base, first, ratio, rule = clock
    size, steps, walk = len(work) - 1, len(F), (u, p, s, X, w, F)
    same = base == 0.0 and ratio == 1.0 and rule != MEAN  # nodes are samples
    for begin in range(0, steps, size):
        count = min(size, steps - begin)
        at = first + begin
        if same and at + count < len(samples):
            opening, closing = samples[at : at + count], samples[at + 1 : at + 1 + count]
            _steps(closing if rule == END else opening, closing, scale, rows, limits, stride, begin, count, walk)
        elif rule == MEAN:
            means(samples, base, at, ratio, work)
            _steps(work, work, scale, rows, limits, stride, begin, count, walk)
        else:
            nodes(samples, base, at, ratio, work)
            opening = work[1:] if rule == END else work
            _steps(opening, work[1:], scale, rows, limits, stride, begin, count, walk)
    return 0


def _steps(
    opening: Numbers,
    closing: Numbers,
    scale: float,
    rows: Rows,
    limits: SpringLimit,
    stride: int,
    begin: int,
    count: int,
    walk: Any,
) -> int:
    """``count`` steps from node ``begin`` on.

    The elastic trial fixes the direction of slip (section 5.2), so one pass per step is exact.
    """
    (F_f, F_s, F_p, F_u, F_e), (u_f, u_s, u_p, u_u, u_e), (p_f, p_s, p_p, p_u, p_e), s_e = rows
    yield_force, kinematic, isotropic = limits
    u, p, s, X, w, F = walk
    half = 0.5 * scale
    begin = max(begin, 0)  # lets the compiler see that no index counts from the end
    ur, pr, sr, Xr, wr = u[begin], p[begin], s[begin], X[stride * begin], w[stride * begin]
    limit = yield_force + isotropic * wr
    low, high = Xr - limit, Xr + limit
    for r in range(count):
        f = half * (opening[r] + closing[r])
        Fr = (F_s * sr + F_p * pr) + (F_u * ur + F_f * f)  # elastic trial, eq. (66)
        after = (u_s * sr + u_p * pr) + (u_u * ur + (ur + u_f * f))
        pr = (p_s * sr + p_u * ur) + (p_p * pr + (pr + p_f * f))
        ur = after
        if Fr > high or Fr < low:  # eqs. (67)-(68)
            excess = Fr - high if Fr > high else Fr - low
            slip = s_e * excess
            Fr -= F_e * excess
            ur += u_e * excess
            pr += p_e * excess
            sr += slip
            wr += abs(slip)
            if stride:
                Xr += kinematic * slip
                limit = yield_force + isotropic * wr
                low, high = Xr - limit, Xr + limit
        u[begin + r + 1] = ur
        p[begin + r + 1] = pr
        s[begin + r + 1] = sr
        F[begin + r] = Fr
        if stride:
            X[begin + r + 1] = Xr
            w[begin + r + 1] = wr
    if not stride:
        X[0], w[0] = Xr, wr
    return 0


def newmark(
    load: Numbers,
    rule: NewmarkRule,
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


def recurrence(
    load: Numbers,
    uu: float,
    up: float,
    uf: float,
    ug: float,
    pu: float,
    pp: float,
    pf: float,
    pg: float,
    u: Out,
    p: Out,
) -> int:
    """``(u, p)ᵣ = G (u, p)ᵣ₋₁ + H (fᵣ₋₁, fᵣ)`` with G, H from the matrix exponential."""
    ur, pr = u[0], p[0]
    for r in range(1, len(load)):
        f, g = load[r - 1], load[r]
        u[r] = uu * ur + up * pr + (uf * f + ug * g)
        p[r] = pu * ur + pp * pr + (pf * f + pg * g)
        ur, pr = u[r], p[r]
    return 0


def energies(
    histories: Any,
    load: Numbers,
    scale: float,
    h: float,
    oscillator: Any,
    stride: int,
    keep: int,
    out: Any,
    largest: Out,
) -> int:
    """Entries at the nodes, cumulative where energy is lost or given; without ``keep`` no entry is stored.

    ``histories`` are u, p, s, X and w, ``oscillator`` is hamex.schemes.prepare.Scalars; ``out`` takes kinetic,
    stored, viscous, plastic, hardening, input and imbalance. ``largest`` receives the largest size of any entry and
    that of the imbalance. A spring that nothing but a rate resists is a damper: what it loses is viscous.
    """
    u, p, s, X, w = histories
    m, c, K, a, b, yield_force, viscosity, kinematic, isotropic = oscillator
    damps = yield_force == 0.0 and kinematic == 0.0 and isotropic == 0.0
    soft, k = 1.0 / kinematic if kinematic > 0.0 else 0.0, 1.0 / a
    if yield_force == math.inf:  # never slips
        yield_force = 0.0
    kinetic, stored, viscous, plastic, hardening, given, imbalance = out
    lost, slipped, worked, start, most, worst = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    last_u, last_s = u[0], s[0]
    for r in range(len(u)):
        du, ds = u[r] - last_u, abs(s[r] - last_s)
        last_u, last_s = u[r], s[r]
        e = last_u * b - last_s
        moving = 0.5 * (p[r] / m * p[r])
        held = 0.5 * (last_u * K * last_u) + 0.5 * e * (k * e)
        hard = 0.5 * (X[stride * r] * X[stride * r]) * soft + 0.5 * (w[stride * r] * w[stride * r]) * isotropic
        if r > 0:
            slid = ds * (yield_force + viscosity * ds / h)
            lost += du * c * du / h + (slid if damps else 0.0)
            slipped += 0.0 if damps else slid
            worked += du * scale * load[r - 1]
        left = moving + held + lost + slipped + hard - worked
        if r == 0:
            start = left
        left -= start
        for size in (moving, abs(held), lost, slipped, hard, abs(worked)):
            most = size if size > most else most
        worst = worst if abs(left) <= worst else abs(left)  # what is not a number stays so to the end
        if keep:
            kinetic[r], stored[r], viscous[r], plastic[r] = moving, held, lost, slipped
            hardening[r], given[r], imbalance[r] = hard, worked, left
    largest[0], largest[1] = most, worst
    return 0
