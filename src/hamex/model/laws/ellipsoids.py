"""Local map of :class:`hamex.model.laws.surface.Surface`: forces with a common flexibility and up to two ellipsoids.

The question is ``A F + τ g(F) ∋ e`` for a block. P from place i on holds the block's stiffness k (row by row), the
kinematic hardening of its components, and for each surface its weights 1/yield², centre, reference force, isotropic
hardening and κ = (η + τ Hi)/(τ r²). ``work`` holds, by rows: the trial from the back force (0); the multipliers θ and
the radii ρ = 1 + Hi w/r (1); the slip s (2); the distances ξ of both surfaces (3, 4); the factors of I + N Y (5 to 10);
H v of both surfaces (11, 12); a column of the tangent (13); and k H v of both surfaces (14, 15).
"""

from __future__ import annotations

import math

import numpy as np

from hamex.model.laws.law import Array

WIDEST = 6  # components of a block: the end forces of a beam in space
MOST = 2  # surfaces of a block
HARD = WIDEST * WIDEST  # columns of P: stiffness first, then kinematic hardening
FIRST = HARD + WIDEST  # then the surfaces, each with
CENTER = WIDEST  # weights, centre,
REFERENCE = 2 * WIDEST  # reference force,
ISOTROPIC = REFERENCE + 1
KAPPA = REFERENCE + 2
WIDTH = REFERENCE + 3  # columns per surface
RADIUS = 2  # place of ρ behind θ in row 1 of the work space
_NEWTON = 100  # far more than the quadratic iterations below ever need


def block_map(P: Array, i: int, m: int, count: int, work: Array) -> bool:
    """Slip s of a block for the trial in row 0 and the radii in row 1; False when the trial violates no surface.

    The slip of the step is s = Σθⱼ Pⱼ ξⱼ with ξⱼ = F − X − cⱼ and multipliers θⱼ ≥ 0, which maximise a concave dual
    function; its derivative vanishes where ρⱼ/nⱼ = 1 − κⱼθⱼ, an equation that is straight in θ for a circle. With
    two surfaces the second multiplier is eliminated inside the first equation, which stays monotone.
    """
    if inside(P, i, m, count, work):
        return False
    multipliers(P, i, m, count, work)
    flow(P, i, m, count, work)
    return True


def inside(P: Array, i: int, m: int, count: int, work: Array) -> bool:
    """True when the elastic trial violates no surface."""
    for j in range(count):
        at, total = FIRST + WIDTH * j, 0.0
        for a in range(m):
            off = work[a] - P[i + at + CENTER + a]
            total += P[i + at + a] * (off * off)
        if total > work[WIDEST + RADIUS + j] * work[WIDEST + RADIUS + j]:
            return False
    return True


def multipliers(P: Array, i: int, m: int, count: int, work: Array) -> None:
    """Both multipliers of a block that yields: one surface alone, then the other alone, then both."""
    holds = False
    for j in range(count):
        work[WIDEST] = 0.0
        work[WIDEST + 1] = 0.0
        multiplier(P, i, m, count, j, j, work)
        holds = count == 1 or residual_of(P, i, m, count, 1 - j, work) >= 0.0
        if holds and work[WIDEST + j] > 0.0:
            return
    if not holds:
        work[WIDEST] = 0.0
        work[WIDEST + 1] = 0.0
        multiplier(P, i, m, count, count - 2, count - 1, work)


def flow(P: Array, i: int, m: int, count: int, work: Array) -> None:
    """Slip s and distances ξ for given multipliers: (I + N Y) s = Σθⱼ Pⱼ (trial − cⱼ), N = Σθⱼ Pⱼ, Y = k + Hk."""
    for a in range(m):
        s, n = 0.0, 0.0
        for j in range(count):
            at = FIRST + WIDTH * j
            share = work[WIDEST + j] * P[i + at + a]
            n += share
            s += share * (work[a] - P[i + at + CENTER + a])
        work[2 * WIDEST + a] = s
        for b in range(m):
            work[(5 + a) * WIDEST + b] = n * (P[i + m * a + b] + (P[i + HARD + a] if a == b else 0.0)) + (
                1.0 if a == b else 0.0
            )
    # Elimination without pivoting: every leading minor of I + N Y is positive.
    for a in range(m):
        for b in range(a + 1, m):
            factor = work[(5 + b) * WIDEST + a] / work[(5 + a) * WIDEST + a]
            work[(5 + b) * WIDEST + a] = factor
            for d in range(a + 1, m):
                work[(5 + b) * WIDEST + d] -= factor * work[(5 + a) * WIDEST + d]
    eliminate(m, 2, work)
    for a in range(m):
        left = work[a] - P[i + HARD + a] * work[2 * WIDEST + a]
        for b in range(m):
            left -= P[i + m * a + b] * work[2 * WIDEST + b]
        for j in range(count):
            work[(3 + j) * WIDEST + a] = left - P[i + FIRST + WIDTH * j + CENTER + a]


def eliminate(m: int, row: int, work: Array) -> None:
    """Solve (I + N Y) x = x for a row of the work space, with the factors that :func:`flow` left."""
    for a in range(m):
        for b in range(a):
            work[row * WIDEST + a] -= work[(5 + a) * WIDEST + b] * work[row * WIDEST + b]
    for a in range(m - 1, -1, -1):
        for b in range(a + 1, m):
            work[row * WIDEST + a] -= work[(5 + a) * WIDEST + b] * work[row * WIDEST + b]
        work[row * WIDEST + a] /= work[(5 + a) * WIDEST + a]


def norm(P: Array, i: int, m: int, j: int, work: Array) -> float:
    """n = √(ξᵀPξ) of surface j of the block."""
    total = 0.0
    for a in range(m):
        total += P[i + FIRST + WIDTH * j + a] * (work[(3 + j) * WIDEST + a] * work[(3 + j) * WIDEST + a])
    return math.sqrt(total)


def residual_of(P: Array, i: int, m: int, count: int, j: int, work: Array) -> float:
    """ρ/n − 1 + κθ of surface j: negative where θ must grow."""
    flow(P, i, m, count, work)
    n = norm(P, i, m, j, work)
    if n == 0.0:
        return np.inf
    return work[WIDEST + RADIUS + j] / n - 1.0 + P[i + FIRST + WIDTH * j + KAPPA] * work[WIDEST + j]


def coupling(P: Array, i: int, m: int, j: int, other: int, work: Array) -> float:
    """vⱼᵀ Y H v_other with v = Pξ and H = (I + N Y)⁻¹; leaves H v_other in a row of the work space."""
    q = 11 + other
    for a in range(m):
        work[q * WIDEST + a] = P[i + FIRST + WIDTH * other + a] * work[(3 + other) * WIDEST + a]
    eliminate(m, q, work)
    total = 0.0
    for a in range(m):
        y = P[i + HARD + a] * work[q * WIDEST + a]
        for b in range(m):
            y += P[i + m * a + b] * work[q * WIDEST + b]
        total += P[i + FIRST + WIDTH * j + a] * work[(3 + j) * WIDEST + a] * y
    return total


def multiplier(P: Array, i: int, m: int, count: int, j: int, inner: int, work: Array) -> None:
    """Multiplier θⱼ ≥ 0 by Newton in a bracket; ``inner`` is the surface eliminated meanwhile, or j itself for none.

    Numbers of surfaces come as variables: the compiler makes a copy of a function for every literal.
    """
    low, high = 0.0, np.inf
    work[WIDEST + j] = 0.0
    for _ in range(_NEWTON):
        if inner != j:
            inner_multiplier(P, i, m, count, inner, work)
        r = residual_of(P, i, m, count, j, work)
        if r >= 0.0 and work[WIDEST + j] == 0.0:
            break  # inside the surface: no slip
        slope = slope_of(P, i, m, j, work)
        if inner != j and work[WIDEST + inner] > 0.0:
            across = coupling(P, i, m, j, inner, work)
            slope -= (
                across
                * rho_over(P, i, m, j, work)
                * across
                * rho_over(P, i, m, inner, work)
                / slope_of(P, i, m, inner, work)
            )
        settled, low, high, work[WIDEST + j] = narrowed(work[WIDEST + j], r, slope, low, high)
        if settled:
            break
    if inner != j:
        inner_multiplier(P, i, m, count, inner, work)


def inner_multiplier(P: Array, i: int, m: int, count: int, j: int, work: Array) -> None:
    """Multiplier θⱼ ≥ 0 while the other one is held."""
    low, high = 0.0, np.inf
    work[WIDEST + j] = 0.0
    for _ in range(_NEWTON):
        r = residual_of(P, i, m, count, j, work)
        if r >= 0.0 and work[WIDEST + j] == 0.0:
            break  # inside the surface: no slip
        settled, low, high, work[WIDEST + j] = narrowed(work[WIDEST + j], r, slope_of(P, i, m, j, work), low, high)
        if settled:
            break


def narrowed(theta: float, r: float, slope: float, low: float, high: float) -> tuple[bool, float, float, float]:
    """Newton's step for an increasing r(θ) in a bracket: whether θ is settled, the narrower bracket, and the new θ."""
    if r >= 0.0:
        high = theta
    else:
        low = theta
    new = theta - r / slope
    if not low <= new <= high:
        new = 0.5 * (low + high)
    if abs(r) <= 4e-16 or abs(new - theta) <= 2e-16 * new or not low < new < high:
        return True, low, high, theta
    return False, low, high, new


def rho_over(P: Array, i: int, m: int, j: int, work: Array) -> float:
    """ρ/n³ of a surface."""
    n = norm(P, i, m, j, work)
    return work[WIDEST + RADIUS + j] / (n * n * n)  # a power is not the same in every bit when compiled


def slope_of(P: Array, i: int, m: int, j: int, work: Array) -> float:
    """Derivative of :func:`residual_of` with respect to its own multiplier."""
    return rho_over(P, i, m, j, work) * coupling(P, i, m, j, j, work) + P[i + FIRST + WIDTH * j + KAPPA]


def tangent(P: Array, i: int, m: int, count: int, place: int, work: Array, T: Array) -> None:
    """dF/de = k − k H N k − Σ k qᵢ (Mθ⁻¹)ᵢⱼ qⱼᵀ k over the active surfaces, q = H v; into T from ``place`` on."""
    for b in range(m):
        for a in range(m):
            n = 0.0
            for j in range(count):
                n += work[WIDEST + j] * P[i + FIRST + WIDTH * j + a]
            work[13 * WIDEST + a] = n * P[i + m * a + b]
        eliminate(m, 13, work)
        for a in range(m):
            total = P[i + m * a + b]
            for d in range(m):
                total -= P[i + m * a + d] * work[13 * WIDEST + d]
            T[place + a * m + b] = total
    first = count > 0 and work[WIDEST] > 0.0
    second = count > 1 and work[WIDEST + 1] > 0.0
    if not (first or second):
        return
    g00, g11, g01 = 1.0, 1.0, 0.0
    for j in range(count):
        if work[WIDEST + j] > 0.0:
            g = coupling(P, i, m, j, j, work) + P[i + FIRST + WIDTH * j + KAPPA] / rho_over(P, i, m, j, work)
            if j == 0:
                g00 = g
            else:
                g11 = g
    if first and second:
        g01 = coupling(P, i, m, count - 2, count - 1, work)
    det = g00 * g11 - g01 * g01
    for j in range(count):
        if work[WIDEST + j] > 0.0:
            for a in range(m):
                total = 0.0
                for b in range(m):
                    total += P[i + m * a + b] * work[(11 + j) * WIDEST + b]
                work[(14 + j) * WIDEST + a] = total
    for a in range(m):
        for b in range(m):
            out = 0.0
            if first:
                out += g11 * work[14 * WIDEST + a] * work[14 * WIDEST + b]
            if second:
                out += g00 * work[15 * WIDEST + a] * work[15 * WIDEST + b]
            if first and second:
                out -= g01 * (
                    work[14 * WIDEST + a] * work[15 * WIDEST + b] + work[15 * WIDEST + a] * work[14 * WIDEST + b]
                )
            T[place + a * m + b] -= out / det
