"""Peaks of elastic oscillators in every direction, under two components of a record.

The response in the direction φ is ``x cos φ + y sin φ``, so two marches serve all directions. The first pass is that of
:mod:`hamex.march.spectrum`, once for each component. The second goes to the stretches that reach beyond the circle
inside which nothing can exceed any direction's peak, the far ones first, now with directions in lanes; where a
direction's peak may lie inside a part it is sought there, as for one component. Where peaks at the samples are asked
for, nothing rises between nodes, and the second pass looks at these alone.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hamex.march.lanes import Lane, Mask, choose, maximum, minimum, put, size, some, spread, take
from hamex.march.samples import PATIENCE, SETTLED, TERMS, afterwards, differentiate, ends, expand, largest
from hamex.march.spectrum import (
    BETA,
    INCREMENT,
    INSIDE,
    KEPT,
    LANES,
    LIMIT,
    MARGIN,
    PEAK,
    PHI0,
    PHI1,
    ROWS,
    SIGMA,
    SQUARE,
    STATE,
    TOP,
    bound,
    enter,
    final,
    group,
    increment,
    levels,
    load,
    march,
    select,
    start_of,
    stretches,
)

Array = Any

FAR = 0.5  # of the largest distance: what is farther goes first
COS = 0
SIN = 1
LEAST = 2  # work space


class Component(NamedTuple):
    """One component of the record with its work space, as in :func:`hamex.march.spectrum.peaks`."""

    a: Array
    slope: Array
    table: Array
    series: Array


class StepPart(NamedTuple):
    """One component in a part of a step: q at its start and its increment, slope and load at both ends."""

    q: float
    rise: float
    start: float
    end: float
    l0: float
    l1: float


def rotated(
    first: Array, across: Array, step: float, omega: Array, zeta: Array, kind: int, directions: Array, out: Array
) -> int:
    """Largest |q| of every oscillator in every direction, (oscillator, direction); a whole number of lanes of these.

    ``first`` is the component in the direction 0°, ``across`` that in 90°; a row of ``directions`` is work space.
    """
    steps, most = len(first) - 1, 1
    shake, tilt = 0.0, 0.0
    for r in range(steps):
        shake = max(shake, math.hypot(first[r], across[r]))
        tilt = max(tilt, math.hypot(first[r + 1] - first[r], across[r + 1] - across[r]) / step)
    for i in range(len(omega)):
        most = max(most, group(omega[i] * step))
    x, y = component(first, stretches(most, steps)), component(across, stretches(most, steps))
    spare, members = np.empty((3, TERMS)), np.empty(len(omega), dtype=np.intp)
    for level in range(levels(most)):
        parts = 1 << level if INSIDE else 1
        for r in range(steps):
            x.slope[r] = (first[r + 1] - first[r]) / parts
            y.slope[r] = (across[r + 1] - across[r]) / parts
        count = select(omega, step, 1 << level, members)
        for begin in range(0, count, LANES):
            own = min(LANES, count - begin)
            for lane in range(LANES):
                i = members[begin + min(lane, own - 1)]
                enter(x.table, lane, omega[i], zeta[i], step / parts, kind)
                for row in range(ROWS):
                    y.table[row, lane] = x.table[row, lane]
            march(first, x.slope, parts, x.table)
            march(across, y.slope, parts, y.table)
            for lane in range(own):
                x.table[PEAK, lane] = math.hypot(x.table[PEAK, lane], y.table[PEAK, lane])
                x.table[LIMIT, lane] = x.table[PEAK, lane]
                if INSIDE:
                    bound(x.table, lane, step / parts, shake, tilt)
                turn(x, y, parts, step / parts, lane, directions, out, members[begin + lane], spare)
    return 0


def component(a: Array, count: int) -> Component:
    """A component with room for so many stretches."""
    return Component(a, np.empty(len(a) - 1), np.empty((ROWS + KEPT * count, LANES)), np.empty((3, TERMS)))


def turn(
    x: Component, y: Component, parts: int, h: float, lane: int, directions: Array, out: Array, item: int, spare: Array
) -> None:
    """Second pass of one oscillator: all directions."""
    for k in range(out.shape[1]):
        out[item, k] = 0.0
    xt, yt = x.table, y.table
    farthest = xt[PEAK, lane]
    rise = farthest - xt[LIMIT, lane]  # of the distance between nodes, at most
    reach = 0.0
    for near in range(2):
        for stretch in range(stretches(parts, len(x.slope))):
            row = ROWS + KEPT * stretch + TOP
            distance = math.sqrt(xt[row, lane] ** 2 + yt[row, lane] ** 2)
            if (distance <= FAR * farthest) == (near == 1) and distance + rise > reach:
                revisit(x, y, parts, h, stretch, lane, reach - rise, directions, out, item, spare)
                reach = least(directions, out, item)
    if INSIDE:
        p, pv = final(x.slope, h, lane, xt)
        q, qv = final(y.slope, h, lane, yt)
        for k in range(out.shape[1]):
            c, s = directions[COS, k], directions[SIN, k]
            out[item, k] = afterwards(c * p + s * q, c * pv + s * qv, xt[SQUARE, lane], xt[BETA, lane], out[item, k])


def least(directions: Array, out: Array, item: int) -> float:
    """The smallest peak of all directions."""
    low = take(out, item, 0, LANES)
    for i in range(LANES, out.shape[1], LANES):
        low = minimum(take(out, item, i, LANES), low)
    put(directions, LEAST, 0, low)
    smallest = directions[LEAST, 0]
    for k in range(1, LANES):
        smallest = min(smallest, directions[LEAST, k])
    return smallest


def revisit(
    x: Component,
    y: Component,
    parts: int,
    h: float,
    stretch: int,
    lane: int,
    limit: float,
    directions: Array,
    out: Array,
    item: int,
    spare: Array,
) -> None:
    """March one oscillator through a stretch again; parts with a node beyond ``limit`` may raise some direction."""
    xt, yt, xs, ys, xa, ya = x.table, y.table, x.slope, y.slope, x.a, y.a
    square, beta = xt[SQUARE, lane], xt[BETA, lane]
    sigma, phi0, phi1 = xt[SIGMA, lane], xt[PHI0, lane], xt[PHI1, lane]
    margin = xt[MARGIN, lane]
    row = ROWS + KEPT * stretch
    p, dp = xt[row + STATE, lane], xt[row + INCREMENT, lane]
    q, dq = yt[row + STATE, lane], yt[row + INCREMENT, lane]
    xseries, yseries = x.series, y.series
    for r in range(start_of(stretch, parts, len(xs)), start_of(stretch + 1, parts, len(xs))):
        for j in range(parts):
            dp = increment(xa, xs, r, j, lane, xt, p, dp)
            dq = increment(ya, ys, r, j, lane, yt, q, dq)
            if limit < 0.0 or max(p * p + q * q, (p + dp) * (p + dp) + (q + dq) * (q + dq)) > limit * limit:
                if INSIDE:
                    l0, l1 = load(xa, xs, r, j, h, lane, xt)
                    m0, m1 = load(ya, ys, r, j, h, lane, yt)
                    p0, p1 = ends(p, dp, l0, l1, square, beta, sigma, phi0, phi1)
                    q0, q1 = ends(q, dq, m0, m1, square, beta, sigma, phi0, phi1)
                    px, py = StepPart(p, dp, p0, p1, l0, l1), StepPart(q, dq, q0, q1, m0, m1)
                    sweep(px, py, square, beta, margin, directions, out, item, xseries, yseries, spare)
                else:
                    look(p + dp, q + dq, directions, out, item)
            p, q = p + dp, q + dq


def look(p: float, q: float, directions: Array, out: Array, item: int) -> None:
    """Raise the peaks of all directions by one node."""
    for i in range(0, out.shape[1], LANES):
        c, s = take(directions, COS, i, LANES), take(directions, SIN, i, LANES)
        put(out, item, i, maximum(size(c * p + s * q), take(out, item, i, LANES)))


def sweep(
    x: StepPart,
    y: StepPart,
    square: float,
    beta: float,
    margin: float,
    directions: Array,
    out: Array,
    item: int,
    xs: Array,
    ys: Array,
    spare: Array,
) -> None:
    """Raise the peaks of all directions by one part: at its nodes, and where the velocity changes sign inside."""
    p, dp, p0, p1, l0, l1 = x
    q, dq, q0, q1, m0, m1 = y
    terms = 0
    bx, by = l0 - 2.0 * beta * p0 - square * p, m0 - 2.0 * beta * q0 - square * q
    ex, ey = l1 - 2.0 * beta * p1 - square * (p + dp), m1 - 2.0 * beta * q1 - square * (q + dq)
    rise = margin * math.sqrt(max(bx * bx + by * by, ex * ex + ey * ey))
    for i in range(0, out.shape[1], LANES):
        c, s = take(directions, COS, i, LANES), take(directions, SIN, i, LANES)
        node = maximum(size(c * p + s * q), size(c * (p + dp) + s * (q + dq)))
        top = maximum(node, take(out, item, i, LANES))
        put(out, item, i, top)
        if some(node + rise > top):
            start, end = c * p0 + s * q0, c * p1 + s * q1
            once = (node + rise > top) & (start * end < 0.0)
            if some(once):
                if terms == 0:
                    terms = max(expand(p, p0, l0, l1, square, beta, xs), expand(q, q0, m0, m1, square, beta, ys))
                    differentiate(xs, terms)
                    differentiate(ys, terms)
                at = turning_points(c, s, start, end, once, terms, xs, ys)
                put(out, item, i, choose(once, maximum(size(along(c, s, at, terms, xs, ys)), top), top))
            # Two zeros of the velocity in one part: seldom, and as for one component.
            bends = (c * bx + s * by) * (c * ex + s * ey) < 0.0
            if some((node + rise > top) & (start * end >= 0.0) & bends & (size(start + end) < 8.0 * rise)):
                for k in range(i, i + LANES):
                    cos, sin = directions[COS, k], directions[SIN, k]
                    first, last = cos * p0 + sin * q0, cos * p1 + sin * q1
                    if first * last >= 0.0:
                        out[item, k] = largest(
                            cos * p + sin * q,
                            cos * (p + dp) + sin * (q + dq),
                            first,
                            last,
                            cos * l0 + sin * m0,
                            cos * l1 + sin * m1,
                            square,
                            beta,
                            margin,
                            out[item, k],
                            spare,
                        )


def turning_points(c: Lane, s: Lane, start: Lane, end: Lane, wanted: Mask, terms: int, xs: Array, ys: Array) -> Lane:
    """Where the velocity is zero in each direction wanted: Newton, halving where that leaves the bracket."""
    x = choose(wanted, start / (start - end), spread(0.5, start))
    low, high = spread(0.0, x), spread(1.0, x)
    for _ in range(PATIENCE):
        f, slope = spread(0.0, x), spread(0.0, x)
        for k in range(terms - 2, -1, -1):
            slope = slope * x + f
            f = f * x + (c * xs[1, k] + s * ys[1, k])
        before = f * start > 0.0
        low, high = choose(before, x, low), choose(before, high, x)
        further = x - f / slope
        further = choose((further >= low) & (further <= high), further, 0.5 * (low + high))
        moved = wanted & (size(further - x) > SETTLED)
        x = further
        if not some(moved):
            break
    return x


def along(c: Lane, s: Lane, x: Lane, terms: int, xs: Array, ys: Array) -> Lane:
    """q at x in each direction."""
    total = spread(0.0, x)
    for k in range(terms - 1, -1, -1):
        total = total * x + (c * xs[0, k] + s * ys[0, k])
    return total
