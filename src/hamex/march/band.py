"""Symmetric positive definite matrices in bands: ``L D Lᵀ`` and its two sweeps, with a low-rank part on top.

Row i of the band holds the entries (i, i), (i, i − 1), … (i, i − width). A low-rank part U W Uᵀ, which modal damping
brings, is handled by Woodbury's identity and never fills the band.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

Array = Any


class Band(NamedTuple):
    """Matrix and factors. ``base`` is what does not change; ``scatter`` adds the springs' tangents to it."""

    base: Array  # (n, width + 1)
    row: Array  # place in the band of each contribution
    offset: Array
    source: Array  # its entry in T
    share: Array  # its factor
    low: Array  # U, (n, rank)
    low_weight: Array  # W, (rank,)
    factor: Array  # (n, width + 1): D and L
    spread: Array  # (rank, n): rows of (A⁻¹U)ᵀ
    cap: Array  # (rank, rank): Cholesky factor of W⁻¹ + UᵀA⁻¹U


def factorise(band: Band, T: Array) -> int:
    """Assemble base + Σ share·T and factor it; returns 0, or 1 + the first row whose pivot is not positive.

    The factors are complete all the same: a matrix that is not positive definite still has a solution.
    """
    f, bad = band.factor, 0
    n, columns = f.shape
    for i in range(n):
        for j in range(columns):
            f[i, j] = band.base[i, j]
    for i in range(len(band.row)):
        f[band.row[i], band.offset[i]] += band.share[i] * T[band.source[i]]
    for i in range(n):
        # Row i of L, left to right: L_ij = (A_ij − Σ_m L_im D_m L_jm) / D_j.
        for j in range(max(0, i - columns + 1), i):
            total = f[i, i - j]
            for m in range(max(0, i - columns + 1, j - columns + 1), j):
                total -= f[i, i - m] * f[j, j - m]  # here row i still holds L_im D_m
            f[i, i - j] = total
        pivot = f[i, 0]
        for j in range(max(0, i - columns + 1), i):
            product = f[i, i - j]
            f[i, i - j] = product * f[j, 0]
            pivot -= product * f[i, i - j]
        if not pivot > 0.0 and bad == 0:
            bad = i + 1
        f[i, 0] = 1.0 / pivot if pivot != 0.0 else 0.0
    rank = band.low.shape[1]
    for a in range(rank):
        for i in range(n):
            band.spread[a, i] = band.low[i, a]
        sweep(band, band.spread[a])
    for a in range(rank):
        for b in range(a + 1):
            total = 1.0 / band.low_weight[a] if a == b else 0.0
            for i in range(n):
                total += band.low[i, a] * band.spread[b, i]
            for m in range(b):
                total -= band.cap[a, m] * band.cap[b, m]
            band.cap[a, b] = math.sqrt(abs(total)) if a == b else total / band.cap[b, b]
            if a == b and not total > 0.0 and bad == 0:
                bad = n
    return bad


def sweep(band: Band, x: Array) -> None:
    """x ← (L D Lᵀ)⁻¹ x."""
    f = band.factor
    n, columns = f.shape
    for i in range(n):
        total = x[i]
        for j in range(max(0, i - columns + 1), i):
            total -= f[i, i - j] * x[j]
        x[i] = total
    for i in range(n - 1, -1, -1):
        total = x[i] * f[i, 0]
        for j in range(i + 1, min(n, i + columns)):
            total -= f[j, j - i] * x[j]
        x[i] = total


def backsolve(band: Band, x: Array, small: Array) -> int:
    """x ← A⁻¹ x with the low-rank part; ``small`` is work space, one entry per rank."""
    sweep(band, x)
    n, rank = band.low.shape
    for a in range(rank):
        total = 0.0
        for i in range(n):
            total += band.low[i, a] * x[i]
        for b in range(a):
            total -= band.cap[a, b] * small[b]
        small[a] = total / band.cap[a, a]
    for a in range(rank - 1, -1, -1):
        total = small[a]
        for b in range(a + 1, rank):
            total -= band.cap[b, a] * small[b]
        small[a] = total / band.cap[a, a]
    for a in range(rank):
        for i in range(n):
            x[i] -= band.spread[a, i] * small[a]
    return 0
