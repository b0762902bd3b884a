"""Matrices in bands that are not symmetric: elimination with row exchanges, and a low-rank part on top.

Row i of the band holds the columns i − low … i + 2·low (``low`` below the diagonal, as many above, and what exchanges
bring in). The low-rank part U X Uᵀ, which modal damping brings, is handled by Woodbury's identity and never fills it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Array = Any


class Wide(NamedTuple):
    """Matrix and factors. ``base`` is what does not change; the list behind it adds the springs' tangents."""

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
