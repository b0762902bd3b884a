"""Conjugate gradients on a symmetric matrix of node blocks: the three dofs of a node stand together, of a pair of nodes
one block is kept, and the diagonal is scaled to one.

What a product costs is the way of its numbers from memory: half of the blocks, and one index for nine of them. The
search direction is renewed while the rows are passed, and its curvature summed on the way, so that an iteration reads
the matrix once and every vector about twice. Sums go in one order, whatever the machine.
"""

from __future__ import annotations

import math
from typing import Any

from hamex.march.matrices import sorted_place

Array = Any


# A symmetric matrix by nodes. Slots of N: number of nodes, components of each, and dofs; where the blocks of each node
# begin (node + 1,); the place of each dof among the nodes' components. One of J: the other node of each block, which
# stands before. Slots of R: diagonal blocks, then those to nodes before, row by row; and the vectors of the iteration,
# in the order of the nodes; 1/√ of the diagonal; the relative residual, as it was left.
HEAD, BEGIN, SLOT = range(3)
BEFORE = 0
DATA, X, LEFT, P, Y, SCALE, RESIDUAL = range(7)


def blocked(
    row: Array,
    column: Array,
    value: Array,
    factor: float,
    node: Array,
    way: Array,
    width: int,
    begin: Array,
    before: Array,
    data: Array,
) -> None:
    """data += factor · a matrix by rows; ``node`` and ``way`` are those of the dofs."""
    for i in range(len(node)):
        for m in range(row[i], row[i + 1]):
            to = place_of(node[i], node[column[m]], width, begin, before)
            if to >= 0:
                data[(to + way[i]) * width + way[column[m]]] += factor * value[m]


def place_of(node: int, other: int, width: int, begin: Array, before: Array) -> int:
    """First row of the block of two nodes, diagonal blocks first; −1 for the mirrored half. ``before`` is sorted."""
    if other == node:
        return node * width
    if other > node:
        return -1
    return (len(begin) - 1 + sorted_place(before, begin[node], begin[node + 1], other)) * width


def placed_blocks(
    table: Array,
    many: Array,
    dofs: Array,
    owner: Array,
    node: Array,
    way: Array,
    width: int,
    begin: Array,
    before: Array,
    place: Array,
) -> None:
    """Places of all pairs of dofs of all cells; −1 for the mirrored half."""
    for c in range(len(many)):
        d = many[c]
        for i in range(d):
            here = dofs[owner[c] + i]
            for j in range(d):
                there = dofs[owner[c] + j]
                to = place_of(node[here], node[there], width, begin, before)
                place[table[c] + i * d + j] = (to + way[here]) * width + way[there] if to >= 0 else -1


def scaled(N: Array, J: Array, R: Array) -> int:
    """Scale a matrix to a unit diagonal; returns 0, or 1 + the first place whose diagonal is not positive."""
    nodes, w, begin, before, V, scale = N[HEAD][0], N[HEAD][1], N[BEGIN], J[BEFORE], R[DATA], R[SCALE]
    for node in range(nodes):
        for a in range(w):
            diagonal = V[(node * w + a) * w + a]
            if not diagonal > 0.0:
                return node * w + a + 1
            scale[node * w + a] = 1.0 / math.sqrt(diagonal)
        for a in range(w):
            for b in range(w):
                V[(node * w + a) * w + b] *= scale[node * w + a] * scale[node * w + b]
        for m in range(begin[node], begin[node + 1]):
            other = before[m]
            for a in range(w):
                for b in range(w):
                    V[((nodes + m) * w + a) * w + b] *= scale[node * w + a] * scale[other * w + b]
    return 0


def forward(N: Array, J: Array, R: Array, beta: float) -> float:
    """p = r + β p and y = A p in one pass; returns pᵀA p."""
    nodes, width, begin, before, V = N[HEAD][0], N[HEAD][1], N[BEGIN], J[BEFORE], R[DATA]
    r, p, y = R[LEFT], R[P], R[Y]
    if width == 3:
        return forward_3(nodes, begin, before, V, r, beta, p, y)
    if width == 2:
        return forward_2(nodes, begin, before, V, r, beta, p, y)
    return forward_1(nodes, begin, before, V, r, beta, p, y)


def forward_3(nodes: int, begin: Array, before: Array, V: Array, r: Array, beta: float, p: Array, y: Array) -> float:
    """The same with three components a node."""
    total = 0.0
    for node in range(nodes):
        i, o = 3 * node, 9 * node
        p0, p1, p2 = r[i] + beta * p[i], r[i + 1] + beta * p[i + 1], r[i + 2] + beta * p[i + 2]
        p[i] = p0
        p[i + 1] = p1
        p[i + 2] = p2
        y0, y1, y2 = 0.0, 0.0, 0.0
        for m in range(begin[node], begin[node + 1]):
            j, v = 3 * before[m], 9 * (nodes + m)
            q0, q1, q2 = p[j], p[j + 1], p[j + 2]
            v00, v01, v02 = V[v], V[v + 1], V[v + 2]
            v10, v11, v12 = V[v + 3], V[v + 4], V[v + 5]
            v20, v21, v22 = V[v + 6], V[v + 7], V[v + 8]
            y0 += v00 * q0 + v01 * q1 + v02 * q2
            y1 += v10 * q0 + v11 * q1 + v12 * q2
            y2 += v20 * q0 + v21 * q1 + v22 * q2
            y[j] += v00 * p0 + v10 * p1 + v20 * p2
            y[j + 1] += v01 * p0 + v11 * p1 + v21 * p2
            y[j + 2] += v02 * p0 + v12 * p1 + v22 * p2
        d0 = V[o] * p0 + V[o + 1] * p1 + V[o + 2] * p2
        d1 = V[o + 3] * p0 + V[o + 4] * p1 + V[o + 5] * p2
        d2 = V[o + 6] * p0 + V[o + 7] * p1 + V[o + 8] * p2
        total += p0 * (2.0 * y0 + d0) + p1 * (2.0 * y1 + d1) + p2 * (2.0 * y2 + d2)
        y[i] = y0 + d0
        y[i + 1] = y1 + d1
        y[i + 2] = y2 + d2
    return total


def forward_2(nodes: int, begin: Array, before: Array, V: Array, r: Array, beta: float, p: Array, y: Array) -> float:
    """The same with two."""
    total = 0.0
    for node in range(nodes):
        i, o = 2 * node, 4 * node
        p0, p1 = r[i] + beta * p[i], r[i + 1] + beta * p[i + 1]
        p[i] = p0
        p[i + 1] = p1
        y0, y1 = 0.0, 0.0
        for m in range(begin[node], begin[node + 1]):
            j, v = 2 * before[m], 4 * (nodes + m)
            q0, q1 = p[j], p[j + 1]
            v00, v01, v10, v11 = V[v], V[v + 1], V[v + 2], V[v + 3]
            y0 += v00 * q0 + v01 * q1
            y1 += v10 * q0 + v11 * q1
            y[j] += v00 * p0 + v10 * p1
            y[j + 1] += v01 * p0 + v11 * p1
        d0 = V[o] * p0 + V[o + 1] * p1
        d1 = V[o + 2] * p0 + V[o + 3] * p1
        total += p0 * (2.0 * y0 + d0) + p1 * (2.0 * y1 + d1)
        y[i] = y0 + d0
        y[i + 1] = y1 + d1
    return total


def forward_1(nodes: int, begin: Array, before: Array, V: Array, r: Array, beta: float, p: Array, y: Array) -> float:
    """The same with one."""
    total = 0.0
    for i in range(nodes):
        here = r[i] + beta * p[i]
        p[i] = here
        sum_before = 0.0
        for m in range(begin[i], begin[i + 1]):
            j, v = before[m], V[nodes + m]
            sum_before += v * p[j]
            y[j] += v * here
        own = V[i] * here
        total += here * (2.0 * sum_before + own)
        y[i] = sum_before + own
    return total


def conjugate_gradients(N: Array, J: Array, R: Array, b: Array, tolerance: float, most: int) -> int:
    """b ← A⁻¹ b from zero, until the scaled residual is below ``tolerance`` of the scaled right side; returns how many
    iterations it took, or −1 where ``most`` are not enough.

    The residual r would do work xᵀr on x that an energy balance misses. From zero that is nothing but rounding, since r
    is orthogonal to all directions so far; a last line search along x itself, x += x · xᵀr/xᵀAx with A x = b − r, takes
    even that away.
    """
    n, dofs, slot = N[HEAD][0] * N[HEAD][1], N[HEAD][2], N[SLOT]
    x, r, p, y, scale, size = R[X], R[LEFT], R[P], R[Y], R[SCALE], 0.0
    for i in range(n):
        x[i] = r[i] = p[i] = 0.0
    for i in range(dofs):
        value = b[i] * scale[slot[i]]
        r[slot[i]] = value
        size += value * value
    rr, beta, count = size, 0.0, 0
    limit = tolerance * tolerance * size
    while rr > limit:
        if count == most:
            R[RESIDUAL][0] = math.sqrt(rr / size)
            return -1
        alpha, fresh = rr / forward(N, J, R, beta), 0.0
        for i in range(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * y[i]
            fresh += r[i] * r[i]
        beta = fresh / rr
        rr = fresh
        count += 1
    work, own = 0.0, 0.0
    for i in range(dofs):
        here = slot[i]
        work += x[here] * r[here]
        own += x[here] * (b[i] * scale[here] - r[here])
    longer = work / own if own > 0.0 else 0.0
    for i in range(dofs):
        here = slot[i]
        b[i] = (x[here] + longer * x[here]) * scale[here]
    R[RESIDUAL][0] = math.sqrt(rr / size) if size > 0.0 else 0.0
    return count
