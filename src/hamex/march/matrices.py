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

from hamex.march.run import at

Array = Any

_AT_REST = 1.0 - 1e-13  # of the tangent at rest: what is closer to it is rounding


class Rows(NamedTuple):
    """A matrix in compressed rows plus low · diag(low_weight) · lowᵀ."""

    row: Array
    column: Array
    value: Array
    low: Array  # (n, rank)
    low_weight: Array
    across: Array  # (rank, n): lowᵀ, so that both of its products run along the memory
    room: Array  # (rank,)


def sorted_place(index: Array, low: int, high: int, wanted: int) -> int:
    """First place from ``low`` on, below ``high``, whose number is not below the wanted one; ``high`` where none is."""
    while low < high:
        middle = (low + high) // 2
        if index[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def times(matrix: Rows, x: Array, factor: float, out: Array) -> None:
    """out += factor · matrix x."""
    for i in range(len(out)):
        total = 0.0
        for m in range(matrix.row[i], matrix.row[i + 1]):
            total += matrix.value[m] * x[matrix.column[m]]
        out[i] += factor * total
    if len(matrix.room) > 0:
        filled(0.0, matrix.room)
        for i in range(len(out)):
            gained(x[i], matrix.low[i], matrix.room)
        for a in range(len(matrix.room)):
            gained(matrix.room[a] * (factor * matrix.low_weight[a]), matrix.across[a], out)


def product(matrix: Rows, x: Array, out: Array) -> None:
    """out = matrix x; nothing is multiplied where x is zero, as at the start of a step."""
    filled(0.0, out)
    for i in range(len(x)):
        if x[i] != 0.0:
            times(matrix, x, 1.0, out)
            return


def gained(factor: float, x: Array, out: Array) -> None:
    """out += factor · x, entry by entry, which is what compilers make vectors of."""
    for i in range(len(out)):
        out[i] += factor * x[i]


def copied(n: int, x: Array, out: Array) -> None:
    """out = x."""
    for i in range(n):
        out[i] = x[i]


def filled(x: float, out: Array) -> None:
    """out = x everywhere."""
    for i in range(len(out)):
        out[i] = x


def added(x: Array, y: Array, out: Array) -> None:
    """out = x + y."""
    for i in range(len(out)):
        out[i] = x[i] + y[i]


class Band(NamedTuple):
    """A symmetric positive definite matrix in a band, and its factors: ``base`` is what does not change, the list
    behind it adds the springs' tangents; U W Uᵀ is the low-rank part."""

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


class Softened(NamedTuple):
    """A matrix that is known with all springs at rest, of which some have softened: its inverse is full, because modal
    damping is, and what softens is handled by Woodbury's identity."""

    inverse: Array  # G, (n, n): with the tangents of rest
    rest: Array  # (spring,) those tangents
    gain: float  # of a tangent in the matrix
    begin: Array  # B by springs, see hamex.march.newton
    dof: Array
    share: Array
    spread: Array  # (spring, n): rows of (G B)ᵀ
    between: Array  # (spring, spring): Bᵀ G B
    soft: Array  # (spring,) numbers of those that have softened
    many: Array  # (1,) how many they are
    cap: Array  # (spring, spring): Cholesky factor of D⁻¹ − BᵀGB for them, transposed
    room: Array  # (n,)


def soften(matrix: Softened, T: Array) -> float:
    """Take these tangents; returns 0, or 1 where the matrix is not positive definite."""
    many = 0
    for j in range(len(matrix.rest)):
        if T[j] < _AT_REST * matrix.rest[j]:
            matrix.soft[many] = j
            many += 1
    matrix.many[0] = many
    cap = matrix.cap
    for a in range(many):
        j = matrix.soft[a]
        for b in range(a, many):
            cap[a, b] = -matrix.between[j, matrix.soft[b]]
        cap[a, a] += 1.0 / (matrix.gain * (matrix.rest[j] - T[j]))
    for a in range(many):
        if not cap[a, a] > 0.0:
            return 1.0
        pivot = 1.0 / math.sqrt(cap[a, a])
        for b in range(a, many):
            cap[a, b] *= pivot
        for b in range(a + 1, many):
            for c in range(b, many):
                cap[b, c] -= cap[a, b] * cap[a, c]
    return 0.0


def softened(matrix: Softened, x: Array, small: Array) -> int:
    """x ← A⁻¹ x; ``small`` is work space, one entry per spring."""
    many, cap = matrix.many[0], matrix.cap
    copied(x, matrix.room)
    filled(0.0, x)
    for i in range(len(x)):
        gained(matrix.room[i], matrix.inverse[i], x)
    for a in range(many):
        j = matrix.soft[a]
        total = 0.0
        for m in range(matrix.begin[j], matrix.begin[j + 1]):
            total += matrix.share[m] * x[matrix.dof[m]]
        small[a] = total
    for a in range(many):
        small[a] /= cap[a, a]
        for b in range(a + 1, many):
            small[b] -= cap[a, b] * small[a]
    for a in range(many - 1, -1, -1):
        total = small[a]
        for b in range(a + 1, many):
            total -= cap[a, b] * small[b]
        small[a] = total / cap[a, a]
    for a in range(many):
        gained(small[a], matrix.spread[matrix.soft[a]], x)
    return 0


# A matrix in a band that is not symmetric, and its factors; U X Uᵀ is the low-rank part. Slots of N:
# n, entries below the diagonal, contributions of springs and rank; place in the band of each contribution, and its
# entry among the tangents; row exchanges of the band, and of what the low-rank part needs.
LU_SIZES, LU_ROW, LU_OFFSET, LU_SOURCE, LU_PIVOT, LU_ORDER, LU_INTEGERS = range(7)
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
    f, base, row, offset, source, share = R[LU_FACTOR], R[LU_BASE], N[LU_ROW], N[LU_OFFSET], N[LU_SOURCE], R[LU_SHARE]
    columns = 3 * below + 1
    for i in range(n * columns):
        f[i] = base[i]
    for i in range(many):
        f[row[i] * columns + offset[i]] += share[i] * tangents[source[i]]
    if not eliminate_band(n, below, f, N[LU_PIVOT]):
        return False
    U, spread, cap, inner = R[LU_U], R[LU_SPREAD], R[LU_CAP], R[LU_INNER]
    for a in range(rank):
        for i in range(n):
            spread[a * n + i] = U[a * n + i]
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
