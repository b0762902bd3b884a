"""Peaks of many elastic oscillators under one record that is linear between samples: exact, oscillators in lanes.

q is the displacement, or another combination αu + γu̇. Its nodes obey a recurrence of their own, from which the velocity
is eliminated (Cayley-Hamilton on the exact step); written for the increment d it keeps its digits however slow the
oscillator is:

    d ← B d + E q + K a[r] + k₀ (a[r+1] − a[r]) − k₂ (a[r] − a[r−1]),    q ← q + d.

Peaks at the samples need no more. For peaks inside the steps, steps are cut into a power of two of parts until there
are :data:`FINEST` to a period: the curvature then bounds how far |q| can rise between nodes. A first pass in lanes
keeps the largest node value of every stretch of a few parts, and the state at its start; a second one goes back,
oscillator by oscillator, to the few stretches where the peak can be, and looks inside.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hamex.march.lanes import Lane, maximum, put, size, some, take
from hamex.march.samples import TERMS, afterwards, ends, largest, propagator

Array = Any

LANES = 8
INSIDE = True  # settled before compiling: peaks inside the steps too, or at the samples only
FINEST = 6.0  # parts of a step to a period, at least
STRETCH = 16  # parts between two states that are kept
QUICK = 0.1  # θ from which the simpler recurrence loses nothing that counts

# Rows of the table of a block of oscillators. States of the stretches stand behind the coefficients: as the compiler
# cannot tell them apart, it leaves the coefficients of the record in memory, from where they cost nothing, and the
# registers to the state.
B = 0
E = 1
K = 2
K0 = 3
K2 = 4
FIRST = 5  # of a[0] in the first part, which starts at rest
SQUARE = 6  # θ² and what else the second pass needs
BETA = 7
SIGMA = 8
PHI0 = 9
PHI1 = 10
ALPHA = 11
GAMMA = 12
LIMIT = 13  # no part whose nodes stay below it can hold the peak
MARGIN = 14
LAST = 15  # q at the end
BEFORE = 16  # d at the end
PEAK = 17
ROWS = 18
# Kept of a stretch, from row ROWS on: state at its start, largest |q| at its nodes.
STATE = 0
INCREMENT = 1
TOP = 2
KEPT = 3

DISPLACEMENT = 0
VELOCITY = 1
ABSOLUTE_ACCELERATION = 2


def peaks(a: Array, step: float, omega: Array, zeta: Array, kind: int, out: Array) -> int:
    """Largest |q| of every oscillator; ``a`` ends with the zero sample."""
    # Work space is made here: what the compiler makes begins on a whole vector.
    steps, most = len(a) - 1, 1
    shake, tilt = 0.0, 0.0
    for r in range(steps):
        shake = max(shake, abs(a[r]))
        tilt = max(tilt, abs(a[r + 1] - a[r]) / step)
    for i in range(len(omega)):
        most = max(most, group(omega[i] * step))
    table = np.empty((ROWS + KEPT * stretches(most, steps), LANES))
    slope, series, members = np.empty(steps), np.empty((3, TERMS)), np.empty(len(omega), dtype=np.intp)
    for level in range(levels(most)):
        parts = 1 << level if INSIDE else 1
        for r in range(steps):
            slope[r] = (a[r + 1] - a[r]) / parts
        count = select(omega, step, 1 << level, members)
        for first in range(0, count, LANES):
            own = min(LANES, count - first)
            for lane in range(LANES):
                i = members[first + min(lane, own - 1)]
                enter(table, lane, omega[i], zeta[i], step / parts, kind)
            if INSIDE:
                march(a, slope, parts, table)
                for lane in range(own):
                    bound(table, lane, step / parts, shake, tilt)
                search(a, slope, parts, step / parts, own, table, series)
            elif level == 0:
                sample(a, slope, table)
            else:
                sample_quick(a, slope, table)
            for lane in range(own):
                out[members[first + lane]] = table[PEAK, lane]
    return 0


def group(theta: float) -> int:
    """Oscillators of a group share a block: a power of two.

    For peaks inside the steps, the parts of a step: the least power of two that makes them fine enough. For peaks at
    the samples 1, and 2 for those that are quick enough for a simpler recurrence.
    """
    parts = 1
    if INSIDE:
        while FINEST * theta > 2.0 * math.pi * parts:
            parts *= 2
    elif theta >= QUICK:
        parts = 2
    return parts


def levels(most: int) -> int:
    """How many powers of two there are up to the largest."""
    count = 1
    while most > 1:
        most //= 2
        count += 1
    return count


def select(omega: Array, step: float, wanted: int, members: Array) -> int:
    """The oscillators of a group; returns how many there are."""
    count = 0
    for i in range(len(omega)):
        if group(omega[i] * step) == wanted:
            members[count] = i
            count += 1
    return count


def stretches(parts: int, steps: int) -> int:
    """Number of stretches; the first step is one of its own, for it starts otherwise than the rest."""
    return 2 + (steps - 2) // max(1, STRETCH // parts)


def start_of(stretch: int, parts: int, steps: int) -> int:
    """The step at which a stretch begins; that after the last one is the end."""
    return min(max(0, 1 + (stretch - 1) * max(1, STRETCH // parts)), steps)


def enter(table: Array, lane: int, omega: float, zeta: float, h: float, kind: int) -> None:
    """Coefficients of an oscillator."""
    theta = omega * h
    beta = zeta * theta
    square = theta * theta
    sigma, phi0, phi1, _ = propagator(theta, zeta)
    uu = 1.0 - square * phi0
    vv = uu - 2.0 * beta * sigma
    stiff = phi0 * (2.0 * beta * sigma + square * phi0) + sigma * sigma  # det(1 − G)/θ²
    alpha, gamma = 1.0, 0.0
    if kind == VELOCITY:
        alpha, gamma = 0.0, 1.0
    if kind == ABSOLUTE_ACCELERATION:
        alpha, gamma = -omega * omega, -2.0 * zeta * omega
    table[B, lane] = uu * vv + square * sigma * sigma
    table[E, lane] = -square * stiff
    table[K, lane] = -alpha * h * h * stiff
    table[K0, lane] = -alpha * h * h * (phi0 - phi1) - gamma * h * phi0
    table[K2, lane] = alpha * h * h * (vv * phi1 - sigma * (sigma - phi0)) + gamma * h * (
        square * sigma * phi1 + uu * (sigma - phi0)
    )
    table[FIRST, lane] = -alpha * h * h * phi1 - gamma * h * (sigma - phi0)
    table[SQUARE, lane] = square
    table[BETA, lane] = beta
    table[SIGMA, lane] = sigma
    table[PHI0, lane] = phi0
    table[PHI1, lane] = phi1
    table[ALPHA, lane] = alpha
    table[GAMMA, lane] = gamma


def sample(a: Array, slope: Array, table: Array) -> None:
    """Peaks at the samples."""
    b, e = take(table, B, 0, LANES), take(table, E, 0, LANES)
    q = take(table, K0, 0, LANES) * a[1] + take(table, FIRST, 0, LANES) * a[0]
    d = q
    top = size(q)
    for r in range(1, len(slope)):
        d = e * q + (b * d + kick(a, slope, r, table))
        q = q + d
        top = maximum(size(q), top)
        put(table, len(table) - 1, 0, top)
    put(table, PEAK, 0, top)


def sample_quick(a: Array, slope: Array, table: Array) -> None:
    """The same without d, q ← (1 + B + E) q − B q before + …: one product less to wait for, N/θ units of round-off."""
    b = take(table, B, 0, LANES)
    both = 1.0 + b + take(table, E, 0, LANES)
    q = take(table, K0, 0, LANES) * a[1] + take(table, FIRST, 0, LANES) * a[0]
    before = 0.0 * q
    top = size(q)
    for r in range(1, len(slope)):
        after = both * q + (kick(a, slope, r, table) - b * before)
        before = q
        q = after
        top = maximum(size(q), top)
        put(table, len(table) - 1, 0, top)
    put(table, PEAK, 0, top)


def kick(a: Array, slope: Array, r: int, table: Array) -> Lane:
    """What the record adds to d at sample r."""
    bend = take(table, K0, 0, LANES) * slope[r] - take(table, K2, 0, LANES) * slope[r - 1]
    return take(table, K, 0, LANES) * a[r] + bend


def march(a: Array, slope: Array, parts: int, table: Array) -> None:
    """First pass: largest node values of every stretch, and the states they start from."""
    b, e = take(table, B, 0, LANES), take(table, E, 0, LANES)
    k, k0, k2 = take(table, K, 0, LANES), take(table, K0, 0, LANES), take(table, K2, 0, LANES)
    peak = 0.0 * b
    q, d = peak, peak
    for stretch in range(stretches(parts, len(slope))):
        row = ROWS + KEPT * stretch
        put(table, row + STATE, 0, q)
        put(table, row + INCREMENT, 0, d)
        top = size(q)
        for r in range(start_of(stretch, parts, len(slope)), start_of(stretch + 1, parts, len(slope))):
            if r > 0:
                d = e * q + (b * d + kick(a, slope, r, table))
            else:
                d = k0 * (a[0] + slope[0]) + take(table, FIRST, 0, LANES) * a[0]
            q = q + d
            top = maximum(size(q), top)
            if parts > 1:
                g = k * a[r] + (k0 - k2) * slope[r]
                more = k * slope[r]
                for _ in range(1, parts):
                    g = g + more
                    d = e * q + (b * d + g)
                    q = q + d
                    top = maximum(size(q), top)
            put(table, row + TOP, 0, top)
        peak = maximum(top, peak)
    put(table, LAST, 0, q)
    put(table, BEFORE, 0, d)
    put(table, PEAK, 0, peak)


def bound(table: Array, lane: int, h: float, shake: float, tilt: float) -> None:
    """Node values that are at least as large as this stand beside a peak inside a part that exceeds all nodes.

    Between nodes |q| exceeds their larger value by h²/8 of the largest |q̈| at most; q̈ is a free vibration, bounded by
    its values at the nodes, and these by |q| and |l|.
    """
    peak, square, beta = table[PEAK, lane], table[SQUARE, lane], table[BETA, lane]
    sigma, phi0 = table[SIGMA, lane], table[PHI0, lane]
    push = h * h * (abs(table[ALPHA, lane]) * shake + abs(table[GAMMA, lane]) * tilt)
    slope = (2.0 * peak + phi0 * (square * peak + push)) / sigma
    bend = push + 2.0 * beta * slope + square * peak
    table[MARGIN, lane] = 0.125 * math.exp(beta) / math.cos(0.5 * math.sqrt(square))
    table[LIMIT, lane] = peak - table[MARGIN, lane] * bend


def search(a: Array, slope: Array, parts: int, h: float, count: int, table: Array, series: Array) -> None:
    """Second pass: stretches whose nodes come near the peak, then the free vibration after the record."""
    limit = take(table, LIMIT, 0, LANES)
    for stretch in range(stretches(parts, len(slope))):
        row = ROWS + KEPT * stretch + TOP
        if some(take(table, row, 0, LANES) > limit):
            for lane in range(count):
                if table[row, lane] > table[LIMIT, lane]:
                    revisit(a, slope, parts, h, stretch, lane, table, series)
    for lane in range(count):
        q, after = final(slope, h, lane, table)
        table[PEAK, lane] = afterwards(q, after, table[SQUARE, lane], table[BETA, lane], table[PEAK, lane])


def revisit(a: Array, slope: Array, parts: int, h: float, stretch: int, lane: int, table: Array, series: Array) -> None:
    """March one oscillator through a stretch again, and look inside the parts whose nodes come near the peak."""
    peak, limit, margin = table[PEAK, lane], table[LIMIT, lane], table[MARGIN, lane]
    square, beta = table[SQUARE, lane], table[BETA, lane]
    row = ROWS + KEPT * stretch
    q, d = table[row + STATE, lane], table[row + INCREMENT, lane]
    for r in range(start_of(stretch, parts, len(slope)), start_of(stretch + 1, parts, len(slope))):
        for j in range(parts):
            d = increment(a, slope, r, j, lane, table, q, d)
            if max(abs(q), abs(q + d)) > limit:
                l0, l1 = load(a, slope, r, j, h, lane, table)
                first, last = ends(q, d, l0, l1, square, beta, table[SIGMA, lane], table[PHI0, lane], table[PHI1, lane])
                peak = largest(q, q + d, first, last, l0, l1, square, beta, margin, peak, series)
            q = q + d
    table[PEAK, lane] = peak


def increment(a: Array, slope: Array, r: int, j: int, lane: int, table: Array, q: float, d: float) -> float:
    """The next d of one oscillator, in part j of step r."""
    if r + j == 0:
        return table[K0, lane] * (a[0] + slope[0]) + table[FIRST, lane] * a[0]
    bend = table[K0, lane] * slope[r] - table[K2, lane] * slope[r if j > 0 else r - 1]
    return table[E, lane] * q + (table[B, lane] * d + (table[K, lane] * (a[r] + j * slope[r]) + bend))


def load(a: Array, slope: Array, r: int, j: int, h: float, lane: int, table: Array) -> tuple[float, float]:
    """l at both ends of a part, times h²."""
    alpha = h * h * table[ALPHA, lane]
    start = -(alpha * (a[r] + j * slope[r]) + h * table[GAMMA, lane] * slope[r])
    return start, start - alpha * slope[r]


def final(slope: Array, h: float, lane: int, table: Array) -> tuple[float, float]:
    """q and its slope at the end of the record, which has come down to zero."""
    q, d = table[LAST, lane], table[BEFORE, lane]
    tilt = slope[len(slope) - 1]
    l0 = h * h * table[ALPHA, lane] * tilt - h * table[GAMMA, lane] * tilt
    l1 = -h * table[GAMMA, lane] * tilt
    _, after = ends(
        q - d,
        d,
        l0,
        l1,
        table[SQUARE, lane],
        table[BETA, lane],
        table[SIGMA, lane],
        table[PHI0, lane],
        table[PHI1, lane],
    )
    return q, after
