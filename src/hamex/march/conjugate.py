"""Conjugate gradients on a symmetric matrix of node blocks: the three dofs of a node stand together, of a pair of nodes
one block is kept, and the diagonal is scaled to one.

What a product costs is the way of its numbers from memory: half of the blocks, and one index for nine of them. The
search direction is renewed while the rows are passed, and its curvature summed on the way, so that an iteration reads
the matrix once and every vector about twice. Sums go in one order, whatever the machine.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hamex.march.matrices import sorted_place

Array = Any


class NodeBlocks(NamedTuple):
    """A symmetric matrix by nodes: blocks on the diagonal, and those to nodes before."""

    begin: Array  # (node + 1,)
    before: Array  # (block,): the other node
    data: Array  # diagonal blocks, then the others, row by row
    width: int


class Iteration(NamedTuple):
    """Vectors of the iteration, in the order of the nodes."""

    x: Array
    r: Array
    p: Array
    y: Array
    scale: Array  # 1/√ of the diagonal
    slot: Array  # (dof,): place of each dof among the nodes' components
    residual: Array  # relative, as it was left


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


def scaled(matrix: NodeBlocks, scale: Array) -> int:
    """Scale a matrix to a unit diagonal; returns 0, or 1 + the first place whose diagonal is not positive."""
    w, V, nodes = matrix.width, matrix.data, len(matrix.begin) - 1
    for node in range(nodes):
        for a in range(w):
            diagonal = V[(node * w + a) * w + a]
            if not diagonal > 0.0:
                return node * w + a + 1
            scale[node * w + a] = 1.0 / math.sqrt(diagonal)
        for a in range(w):
            for b in range(w):
                V[(node * w + a) * w + b] *= scale[node * w + a] * scale[node * w + b]
        for m in range(matrix.begin[node], matrix.begin[node + 1]):
            other = matrix.before[m]
            for a in range(w):
                for b in range(w):
                    V[((nodes + m) * w + a) * w + b] *= scale[node * w + a] * scale[other * w + b]
    return 0


def forward(matrix: NodeBlocks, r: Array, beta: float, p: Array, y: Array) -> float:
    """p = r + β p and y = A p in one pass; returns pᵀA p."""
    if matrix.width == 3:
        return forward_3(matrix, r, beta, p, y)
    if matrix.width == 2:
        return forward_2(matrix, r, beta, p, y)
    return forward_1(matrix, r, beta, p, y)


def forward_3(matrix: NodeBlocks, r: Array, beta: float, p: Array, y: Array) -> float:
    """The same with three components a node."""
    total, V, nodes = 0.0, matrix.data, len(matrix.begin) - 1
    for node in range(nodes):
        i, o = 3 * node, 9 * node
        p0, p1, p2 = r[i] + beta * p[i], r[i + 1] + beta * p[i + 1], r[i + 2] + beta * p[i + 2]
        p[i] = p0
        p[i + 1] = p1
        p[i + 2] = p2
        y0, y1, y2 = 0.0, 0.0, 0.0
        for m in range(matrix.begin[node], matrix.begin[node + 1]):
            j, v = 3 * matrix.before[m], 9 * (nodes + m)
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


def forward_2(matrix: NodeBlocks, r: Array, beta: float, p: Array, y: Array) -> float:
    """The same with two."""
    total, V, nodes = 0.0, matrix.data, len(matrix.begin) - 1
    for node in range(nodes):
        i, o = 2 * node, 4 * node
        p0, p1 = r[i] + beta * p[i], r[i + 1] + beta * p[i + 1]
        p[i] = p0
        p[i + 1] = p1
        y0, y1 = 0.0, 0.0
        for m in range(matrix.begin[node], matrix.begin[node + 1]):
            j, v = 2 * matrix.before[m], 4 * (nodes + m)
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


def forward_1(matrix: NodeBlocks, r: Array, beta: float, p: Array, y: Array) -> float:
    """The same with one."""
    total, V, nodes = 0.0, matrix.data, len(matrix.begin) - 1
    for i in range(nodes):
        here = r[i] + beta * p[i]
        p[i] = here
        sum_before = 0.0
        for m in range(matrix.begin[i], matrix.begin[i + 1]):
            j, v = matrix.before[m], V[nodes + m]
            sum_before += v * p[j]
            y[j] += v * here
        own = V[i] * here
        total += here * (2.0 * sum_before + own)
        y[i] = sum_before + own
    return total


def stepped(alpha: float, it: Iteration) -> float:
    """x += α p, r −= α y; returns rᵀr."""
    total = 0.0
    for i in range(len(it.x)):
        it.x[i] += alpha * it.p[i]
        it.r[i] -= alpha * it.y[i]
        total += it.r[i] * it.r[i]
    return total


def started(it: Iteration, b: Array) -> float:
    """x = 0, and the scaled right side as r; returns its square."""
    size = 0.0
    for i in range(len(it.x)):
        it.x[i] = 0.0
        it.r[i] = 0.0
        it.p[i] = 0.0
    for i in range(len(b)):
        value = b[i] * it.scale[it.slot[i]]
        it.r[it.slot[i]] = value
        size += value * value
    return size


def conjugate_gradients(matrix: NodeBlocks, it: Iteration, b: Array, tolerance: float, most: int) -> int:
    """b ← A⁻¹ b from zero, until the scaled residual is below ``tolerance`` of the scaled right side; returns how many
    iterations it took, or −1 where ``most`` are not enough.

    The residual r would do work xᵀr on x that an energy balance misses. From zero that is nothing but rounding, since r
    is orthogonal to all directions so far; a last line search along x itself, x += x · xᵀr/xᵀAx with A x = b − r, takes
    even that away.
    """
    size = started(it, b)
    rr, beta, count = size, 0.0, 0
    limit = tolerance * tolerance * size
    while rr > limit:
        if count == most:
            it.residual[0] = math.sqrt(rr / size)
            return -1
        curvature = forward(matrix, it.r, beta, it.p, it.y)
        fresh = stepped(rr / curvature, it)
        beta = fresh / rr
        rr = fresh
        count += 1
    work, own = 0.0, 0.0
    for i in range(len(b)):
        here = it.slot[i]
        work += it.x[here] * it.r[here]
        own += it.x[here] * (b[i] * it.scale[here] - it.r[here])
    longer = work / own if own > 0.0 else 0.0
    for i in range(len(b)):
        here = it.slot[i]
        b[i] = (it.x[here] + longer * it.x[here]) * it.scale[here]
    it.residual[0] = math.sqrt(rr / size) if size > 0.0 else 0.0
    return count
