"""Matrices as the drivers hold them: by rows for products, in bands for solving; each with a low-rank part on top.

The low-rank part, which modal damping brings, is never filled in: products take it factor by factor, solutions handle
it by Woodbury's identity. All is spelled out in loops, because the compiler takes seconds over a slice.

Row i of a symmetric band holds the entries (i, i), (i, i − 1), … (i, i − width); it is factored as ``L D Lᵀ``. Row i of
one that is not symmetric holds the columns i − low … i + 2·low (``low`` below the diagonal, as many above, and what row
exchanges bring in).
"""

from __future__ import annotations

import math
from typing import Any

from hamex.march import tables as t
from hamex.march.run import at

Array = Any


def sorted_place(index: Array, low: int, high: int, wanted: int) -> int:
    """First place from ``low`` on, below ``high``, whose number is not below the wanted one; ``high`` where none is."""
    while low < high:
        middle = (low + high) // 2
        if index[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def times(N: Array, J: Array, R: Array, m: int, n: int, x: Array, factor: float, out: Array) -> None:
    """out += factor · matrix x, for matrix m of n rows."""
    begin, column, value, rank = N[m], J[m], R[t.PARTS * m], N[t.HEAD][m]
    for i in range(n):
        total = 0.0
        for e in range(begin[i], begin[i + 1]):
            total += value[e] * x[column[e]]
        out[i] += factor * total
    if rank > 0:
        part = t.PARTS * m
        low, weight, across, room = R[part + t.LOW], R[part + t.LOW_WEIGHT], R[part + t.ACROSS], R[part + t.ROOM]
        filled(rank, 0.0, room)
        for i in range(n):
            gained(rank, x[i], at(low, rank * i), room)
        for a in range(rank):
            gained(n, room[a] * (factor * weight[a]), at(across, n * a), out)


def product(N: Array, J: Array, R: Array, m: int, n: int, x: Array, out: Array) -> None:
    """out = matrix x; nothing is multiplied where x is zero, as at the start of a step."""
    filled(n, 0.0, out)
    for i in range(n):
        if x[i] != 0.0:
            times(N, J, R, m, n, x, 1.0, out)
            return


def gained(n: int, factor: float, x: Array, out: Array) -> None:
    """out += factor · x, entry by entry, which is what compilers make vectors of."""
    for i in range(n):
        out[i] += factor * x[i]


def copied(n: int, x: Array, out: Array) -> None:
    """out = x."""
    for i in range(n):
        out[i] = x[i]


def filled(n: int, x: float, out: Array) -> None:
    """out = x everywhere."""
    for i in range(n):
        out[i] = x


def added(n: int, x: Array, y: Array, out: Array) -> None:
    """out = x + y."""
    for i in range(n):
        out[i] = x[i] + y[i]


def factorise(
    n: int, columns: int, base: Array, count: int, place: Array, source: Array, share: Array, T: Array, f: Array
) -> int:
    """Assemble base + Σ share·T in a band and factor it into f; returns 0, or 1 + the first row whose pivot is
    not positive. ``place`` and ``source`` are those of the contributions in the band and in T.

    The factors are complete all the same: a matrix that is not positive definite still has a solution.
    """
    bad = 0
    copied(n * columns, base, f)
    for e in range(count):
        f[place[e]] += share[e] * T[source[e]]
    for i in range(n):
        # Row i of L, left to right: L_ij = (A_ij − Σ_m L_im D_m L_jm) / D_j. Entry (i, j) stands at own + i − j.
        own, first = i * columns, max(0, i - columns + 1)
        for j in range(first, i):
            other = j * columns
            total = f[own + i - j]
            for m in range(max(first, j - columns + 1), j):
                total -= f[own + i - m] * f[other + j - m]  # here row i still holds L_im D_m
            f[own + i - j] = total
        pivot = f[own]
        for j in range(first, i):
            product = f[own + i - j]
            f[own + i - j] = product * f[j * columns]
            pivot -= product * f[own + i - j]
        if not pivot > 0.0 and bad == 0:
            bad = i + 1
        f[own] = 1.0 / pivot if pivot != 0.0 else 0.0
    return bad


def capped(n: int, columns: int, f: Array, rank: int, low: Array, weight: Array, spread: Array, cap: Array) -> int:
    """Rows of (A⁻¹U)ᵀ, and the Cholesky factor of W⁻¹ + UᵀA⁻¹U; returns 0, or n where that is not positive definite."""
    bad = 0
    for a in range(rank):
        for i in range(n):
            spread[a * n + i] = low[i * rank + a]
        sweep(n, columns, f, at(spread, a * n))
    for a in range(rank):
        for b in range(a + 1):
            total = 1.0 / weight[a] if a == b else 0.0
            for i in range(n):
                total += low[i * rank + a] * spread[b * n + i]
            for m in range(b):
                total -= cap[a * rank + m] * cap[b * rank + m]
            cap[a * rank + b] = math.sqrt(abs(total)) if a == b else total / cap[b * rank + b]
            if a == b and not total > 0.0 and bad == 0:
                bad = n
    return bad


def sweep(n: int, columns: int, f: Array, x: Array) -> None:
    """x ← (L D Lᵀ)⁻¹ x."""
    for i in range(n):
        total, own = x[i], i * columns + i
        for j in range(max(0, i - columns + 1), i):
            total -= f[own - j] * x[j]
        x[i] = total
    for i in range(n - 1, -1, -1):
        total = x[i] * f[i * columns]
        for j in range(i + 1, min(n, i + columns)):
            total -= f[j * columns + j - i] * x[j]
        x[i] = total


def backsolve(
    n: int, columns: int, f: Array, rank: int, low: Array, spread: Array, cap: Array, x: Array, small: Array
) -> None:
    """x ← A⁻¹ x with the low-rank part; ``small`` is work space, one entry per rank."""
    sweep(n, columns, f, x)
    for a in range(rank):
        total = 0.0
        for i in range(n):
            total += low[i * rank + a] * x[i]
        for b in range(a):
            total -= cap[a * rank + b] * small[b]
        small[a] = total / cap[a * rank + a]
    for a in range(rank - 1, -1, -1):
        total = small[a]
        for b in range(a + 1, rank):
            total -= cap[b * rank + a] * small[b]
        small[a] = total / cap[a * rank + a]
    for a in range(rank):
        for i in range(n):
            x[i] -= spread[a * n + i] * small[a]


# A matrix in a band that is not symmetric, and its factors; U X Uᵀ is the low-rank part. Slots of N:
# n, entries below the diagonal, contributions of springs and rank; place in the band of each contribution, and its
# entry among the tangents; row exchanges of the band, and of what the low-rank part needs.
LU_SIZES, LU_PLACE, LU_SOURCE, LU_PIVOT, LU_ORDER, LU_INTEGERS = range(6)
# Slots of R: what does not change (n, 3·below + 1), factors of the contributions, U (rank, n), X⁻¹ (rank, rank),
# the factors (n, 3·below + 1), rows of (A⁻¹U)ᵀ (rank, n), factors of X⁻¹ + UᵀA⁻¹U (rank, rank), room (rank,).
LU_BASE, LU_SHARE, LU_U, LU_INNER, LU_FACTOR, LU_SPREAD, LU_CAP, LU_SMALL, LU_REALS = range(9)


def lu_solved(N: Array, R: Array, tangents: Array, fresh: int, x: Array) -> float:
    """x ← A⁻¹ x, with new factors where the tangents are ``fresh``; returns 0, or 1 when the matrix is singular."""
    if fresh and not lu_factorise(N, R, tangents):
        return 1.0
    n, rank, U, spread, small = N[LU_SIZES][0], N[LU_SIZES][3], R[LU_U], R[LU_SPREAD], R[LU_SMALL]
    sweep_band(n, N[LU_SIZES][1], R[LU_FACTOR], N[LU_PIVOT], x)
    for a in range(rank):
        total = 0.0
        for i in range(n):
            total += U[a * n + i] * x[i]
        small[a] = total
    if rank > 0:
        backsolve_small(R[LU_CAP], rank, N[LU_ORDER], small)
    for a in range(rank):
        for i in range(n):
            x[i] -= spread[a * n + i] * small[a]
    return 0.0


def lu_factorise(N: Array, R: Array, tangents: Array) -> bool:
    """Assemble base + Σ share·tangent and factor it; False when a pivot is zero or not a number."""
    n, below, many, rank = N[LU_SIZES][0], N[LU_SIZES][1], N[LU_SIZES][2], N[LU_SIZES][3]
    f, place, source, share = R[LU_FACTOR], N[LU_PLACE], N[LU_SOURCE], R[LU_SHARE]
    copied(n * (3 * below + 1), R[LU_BASE], f)
    for i in range(many):
        f[place[i]] += share[i] * tangents[source[i]]
    if not eliminate_band(n, below, f, N[LU_PIVOT]):
        return False
    U, spread, cap, inner = R[LU_U], R[LU_SPREAD], R[LU_CAP], R[LU_INNER]
    copied(rank * n, U, spread)
    for a in range(rank):
        sweep_band(n, below, f, N[LU_PIVOT], at(spread, a * n))
    for a in range(rank):
        for b in range(rank):
            total = inner[a * rank + b]
            for i in range(n):
                total += U[a * n + i] * spread[b * n + i]
            cap[a * rank + b] = total
    return rank == 0 or eliminate(cap, rank, N[LU_ORDER])


def eliminate_band(n: int, below: int, f: Array, pivot: Array) -> bool:
    """Factors in place; the multipliers stay in the rows where they were made."""
    step = 3 * below  # of a column of the matrix, row by row: entry (i, j) stands at below + step · i + j
    for k in range(n):
        best, last, column = k, min(n, k + below + 1), below + k
        for i in range(k + 1, last):
            if abs(f[column + step * i]) > abs(f[column + step * best]):
                best = i
        pivot[k] = best
        end = min(n, k + 2 * below + 1)
        own, other = below + step * k, below + step * best
        if best != k:
            for j in range(k, end):
                held = f[own + j]
                f[own + j] = f[other + j]
                f[other + j] = held
        head = f[own + k]
        if not abs(head) > 0.0:
            return False
        for i in range(k + 1, last):
            other = below + step * i
            factor = f[other + k] / head
            f[other + k] = factor
            if factor != 0.0:
                for j in range(k + 1, end):
                    f[other + j] -= factor * f[own + j]
    return True


def sweep_band(n: int, below: int, f: Array, pivot: Array, x: Array) -> None:
    """x ← (factors)⁻¹ x."""
    step = 3 * below
    for k in range(n):
        best = pivot[k]
        if best != k:
            held = x[k]
            x[k] = x[best]
            x[best] = held
        for i in range(k + 1, min(n, k + below + 1)):
            x[i] -= f[below + step * i + k] * x[k]
    for k in range(n - 1, -1, -1):
        total, own = x[k], below + step * k
        for j in range(k + 1, min(n, k + 2 * below + 1)):
            total -= f[own + j] * x[j]
        x[k] = total / f[own + k]


def eliminate(a: Array, n: int, order: Array) -> bool:
    """Factors of a small full matrix in place, with row exchanges; False when a pivot is zero or not a number."""
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i * n + k]) > abs(a[best * n + k]):
                best = i
        order[k] = best
        if best != k:
            for j in range(n):
                held = a[k * n + j]
                a[k * n + j] = a[best * n + j]
                a[best * n + j] = held
        if not abs(a[k * n + k]) > 0.0:
            return False
        for i in range(k + 1, n):
            factor = a[i * n + k] / a[k * n + k]
            a[i * n + k] = factor
            if factor != 0.0:
                for j in range(k + 1, n):
                    a[i * n + j] -= factor * a[k * n + j]
    return True


def backsolve_small(a: Array, n: int, order: Array, x: Array) -> None:
    """x ← (factors)⁻¹ x."""
    for k in range(n):
        best = order[k]
        if best != k:
            held = x[k]
            x[k] = x[best]
            x[best] = held
    for i in range(n):
        for k in range(i):
            x[i] -= a[i * n + k] * x[k]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= a[i * n + k] * x[k]
        x[i] /= a[i * n + i]
