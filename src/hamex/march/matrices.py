"""Matrices as the drivers hold them: by rows for products, in bands for solving; each with a low-rank part on top.

The low-rank part, which modal damping brings, is never filled in: products take it factor by factor, solutions handle
it by Woodbury's identity. All is spelled out in loops, because the compiler takes seconds over a slice.

Row i of a symmetric band holds the entries (i, i), (i, i − 1), … (i, i − width); it is factored as ``L D Lᵀ``. Row i of
one that is not symmetric holds the columns i − low … i + 2·low (``low`` below the diagonal, as many above, and what row
exchanges bring in).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

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


class Wide(NamedTuple):
    """A matrix in a band that is not symmetric, and its factors: ``base`` and list as for a symmetric one; U X Uᵀ is
    the low-rank part."""

    base: Array  # (n, 3·below + 1)
    row: Array  # place in the band of each contribution
    offset: Array
    source: Array  # its entry among the tangents
    share: Array  # its factor
    U: Array  # (rank, n)
    inner: Array  # (rank, rank): X⁻¹
    factor: Array  # (n, 3·below + 1)
    pivot: Array  # (n,)
    spread: Array  # (rank, n): rows of (A⁻¹U)ᵀ
    cap: Array  # (rank, rank): factors of X⁻¹ + UᵀA⁻¹U
    order: Array  # (rank,): its row exchanges


def lu_solved(band: Wide, tangents: Array, fresh: bool, x: Array, small: Array) -> float:
    """x ← A⁻¹ x, with new factors where the tangents are ``fresh``; returns 0, or 1 when the matrix is singular."""
    if fresh and not lu_factorise(band, tangents):
        return 1.0
    lu_backsolve(band, x, small)
    return 0.0


def lu_factorise(band: Wide, tangents: Array) -> bool:
    """Assemble base + Σ share·tangent and factor it; False when a pivot is zero or not a number."""
    f = band.factor
    n, columns = f.shape
    for i in range(n):
        for j in range(columns):
            f[i, j] = band.base[i, j]
    for i in range(len(band.row)):
        f[band.row[i], band.offset[i]] += band.share[i] * tangents[band.source[i]]
    if not eliminate_band(f, band.pivot):
        return False
    rank = len(band.U)
    for a in range(rank):
        for i in range(n):
            band.spread[a, i] = band.U[a, i]
        sweep_band(f, band.pivot, band.spread[a])
    for a in range(rank):
        for b in range(rank):
            total = band.inner[a, b]
            for i in range(n):
                total += band.U[a, i] * band.spread[b, i]
            band.cap[a, b] = total
    return rank == 0 or eliminate(band.cap, rank, band.order)


def lu_backsolve(band: Wide, x: Array, small: Array) -> None:
    """x ← A⁻¹ x with the low-rank part; ``small`` is work space, one entry per rank."""
    sweep_band(band.factor, band.pivot, x)
    rank, n = band.U.shape
    for a in range(rank):
        total = 0.0
        for i in range(n):
            total += band.U[a, i] * x[i]
        small[a] = total
    if rank > 0:
        backsolve_small(band.cap, rank, band.order, small)
    for a in range(rank):
        for i in range(n):
            x[i] -= band.spread[a, i] * small[a]


def eliminate_band(f: Array, pivot: Array) -> bool:
    """Factors in place; the multipliers stay in the rows where they were made."""
    n, columns = f.shape
    below = (columns - 1) // 3
    for k in range(n):
        best, last = k, min(n, k + below + 1)
        for i in range(k + 1, last):
            if abs(f[i, k - i + below]) > abs(f[best, k - best + below]):
                best = i
        pivot[k] = best
        end = min(n, k + 2 * below + 1)
        if best != k:
            for j in range(k, end):
                held = f[k, j - k + below]
                f[k, j - k + below] = f[best, j - best + below]
                f[best, j - best + below] = held
        head = f[k, below]
        if not abs(head) > 0.0:
            return False
        for i in range(k + 1, last):
            factor = f[i, k - i + below] / head
            f[i, k - i + below] = factor
            if factor != 0.0:
                for j in range(k + 1, end):
                    f[i, j - i + below] -= factor * f[k, j - k + below]
    return True


def sweep_band(f: Array, pivot: Array, x: Array) -> None:
    """x ← (factors)⁻¹ x."""
    n, columns = f.shape
    below = (columns - 1) // 3
    for k in range(n):
        best = pivot[k]
        if best != k:
            held = x[k]
            x[k] = x[best]
            x[best] = held
        for i in range(k + 1, min(n, k + below + 1)):
            x[i] -= f[i, k - i + below] * x[k]
    for k in range(n - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, min(n, k + 2 * below + 1)):
            total -= f[k, j - k + below] * x[j]
        x[k] = total / f[k, below]


def eliminate(a: Array, n: int, order: Array) -> bool:
    """Factors of a small full matrix in place, with row exchanges; False when a pivot is zero or not a number."""
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        order[k] = best
        if best != k:
            for j in range(n):
                held = a[k, j]
                a[k, j] = a[best, j]
                a[best, j] = held
        if not abs(a[k, k]) > 0.0:
            return False
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k] = factor
            if factor != 0.0:
                for j in range(k + 1, n):
                    a[i, j] -= factor * a[k, j]
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
            x[i] -= a[i, k] * x[k]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= a[i, k] * x[k]
        x[i] /= a[i, i]
