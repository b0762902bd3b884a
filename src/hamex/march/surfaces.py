"""Blocks of springs that yield together: the local map of forces with a common flexibility and up to two ellipsoids.

The question is that of :mod:`hamex.march.laws`, for a block: A F + τ g(F) ∋ e. ``work`` holds, by rows, the trial from
the back force, the multipliers θ, the slip s, the distances ξ of both surfaces (3, 4), the factors of I + N Y (5 to
10), H v of both surfaces (11, 12), a column of the tangent (13) and k H v of both surfaces (14, 15).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

Array = Any

WIDEST = 6              # components of a block: the end forces of a beam in space
_NEWTON = 100           # far more than the quadratic iterations below ever need


class Surfaces(NamedTuple):
    """Blocks of forces that yield on ellipsoids; see hamex.model.law.Surfaces. ``kappa`` is (η + τ Hi)/(τ r²)."""

    first: Array
    size: Array
    begin: Array
    place: Array     # first entry of the block's tangent in T
    k: Array         # (block, size, size): inverse of the flexibility
    weight: Array
    center: Array
    reference: Array
    isotropic: Array
    primary: Array
    kinematic: Array
    kappa: Array


def surface_block(i: int, e: Array, X: Array, w: Array, tau: float, surfaces: Surfaces, work: Array, branch: Array,
                  F: Array, T: Array, slip: Array, grown: Array) -> bool:
    """One block of coupled forces with any elastic flexibility and at most two ellipsoids.

    The slip of the step is s = Σθⱼ Pⱼ ξⱼ with ξⱼ = F − X − cⱼ and multipliers θⱼ ≥ 0, which maximise a concave dual
    function; its derivative vanishes where ρⱼ/nⱼ = 1 − κⱼθⱼ, an equation that is straight in θ for a circle. With
    two surfaces the second multiplier is eliminated inside the first equation, which stays monotone.
    """
    first, m = surfaces.first[i], surfaces.size[i]
    begin, count = surfaces.begin[i], surfaces.begin[i + 1] - surfaces.begin[i]
    k, trial = surfaces.k[i], work[0]
    for a in range(m):
        total = 0.0
        for b in range(m):
            total += k[a, b] * e[first + b]
        F[first + a] = total
        trial[a] = total - X[first + a]
        slip[first + a] = 0.0
        grown[first + a] = 0.0
    if elastic(i, m, begin, count, w, trial, surfaces):
        changed = False
        for j in range(count):
            changed |= branch[surfaces.primary[begin + j]] != 0
            branch[surfaces.primary[begin + j]] = 0
        for a in range(m):
            for b in range(m):
                T[surfaces.place[i] + a * m + b] = k[a, b]
        return changed
    multipliers(i, m, begin, count, w, trial, surfaces, work)
    flow(i, m, begin, count, trial, surfaces, work)
    theta, s = work[1], work[2]
    for a in range(m):
        slip[first + a] = s[a]
        for b in range(m):
            F[first + a] -= k[a, b] * s[b]
    changed = False
    for j in range(count):
        sign = 1 if theta[j] > 0.0 else 0
        place = surfaces.primary[begin + j]
        if branch[place] != sign:
            branch[place] = sign
            changed = True
        if sign == 1:
            n = norm(begin + j, m, j, surfaces, work)
            grown[place] = theta[j] * n / surfaces.reference[begin + j]
    tangent(i, m, begin, count, w, trial, surfaces, work, T)
    return changed


def multipliers(i: int, m: int, begin: int, count: int, w: Array, trial: Array, surfaces: Surfaces,
                work: Array) -> None:
    """Both multipliers of a block that yields: one surface alone, then the other alone, then both."""
    theta, holds = work[1], False
    for j in range(count):
        theta[0] = 0.0
        theta[1] = 0.0
        multiplier(i, m, begin, j, j, w, trial, surfaces, work)
        holds = count == 1 or residual_of(i, m, begin, 1 - j, w, trial, surfaces, work) >= 0.0
        if holds and theta[j] > 0.0:
            return
    if not holds:
        theta[0] = 0.0
        theta[1] = 0.0
        multiplier(i, m, begin, count - 2, count - 1, w, trial, surfaces, work)


def elastic(i: int, m: int, begin: int, count: int, w: Array, trial: Array, surfaces: Surfaces) -> bool:
    """True when the elastic trial violates no surface."""
    for j in range(begin, begin + count):
        total = 0.0
        for a in range(m):
            off = trial[a] - surfaces.center[j, a]
            total += surfaces.weight[j, a] * (off * off)
        limit = 1.0 + surfaces.isotropic[j] * w[surfaces.primary[j]] / surfaces.reference[j]
        if total > limit * limit:
            return False
    return True


def flow(i: int, m: int, begin: int, count: int, trial: Array, surfaces: Surfaces, work: Array) -> None:
    """Slip s and distances ξ for given multipliers: (I + N Y) s = Σθⱼ Pⱼ (trial − cⱼ), N = Σθⱼ Pⱼ, Y = k + Hk."""
    theta, s, k, hard = work[1], work[2], surfaces.k[i], surfaces.kinematic[i]
    for a in range(m):
        s[a] = 0.0
        n = 0.0
        for j in range(count):
            n += theta[j] * surfaces.weight[begin + j, a]
            s[a] += theta[j] * surfaces.weight[begin + j, a] * (trial[a] - surfaces.center[begin + j, a])
        for b in range(m):
            work[5 + a, b] = n * (k[a, b] + (hard[a] if a == b else 0.0)) + (1.0 if a == b else 0.0)
    # Elimination without pivoting: every leading minor of I + N Y is positive.
    for a in range(m):
        for b in range(a + 1, m):
            factor = work[5 + b, a] / work[5 + a, a]
            work[5 + b, a] = factor
            for d in range(a + 1, m):
                work[5 + b, d] -= factor * work[5 + a, d]
    eliminate(m, s, work)
    for j in range(count):
        for a in range(m):
            total = trial[a] - surfaces.center[begin + j, a] - hard[a] * s[a]
            for b in range(m):
                total -= k[a, b] * s[b]
            work[3 + j, a] = total


def eliminate(m: int, x: Array, work: Array) -> None:
    """Solve (I + N Y) x = x in place with the factors that :func:`flow` left."""
    for a in range(m):
        for b in range(a):
            x[a] -= work[5 + a, b] * x[b]
    for a in range(m - 1, -1, -1):
        for b in range(a + 1, m):
            x[a] -= work[5 + a, b] * x[b]
        x[a] /= work[5 + a, a]


def norm(surface: int, m: int, j: int, surfaces: Surfaces, work: Array) -> float:
    """n = √(ξᵀPξ) of surface j of the block."""
    total = 0.0
    for a in range(m):
        total += surfaces.weight[surface, a] * (work[3 + j, a] * work[3 + j, a])
    return math.sqrt(total)


def residual_of(i: int, m: int, begin: int, j: int, w: Array, trial: Array, surfaces: Surfaces, work: Array) -> float:
    """ρ/n − 1 + κθ of surface j: negative where θ must grow."""
    flow(i, m, begin, surfaces.begin[i + 1] - begin, trial, surfaces, work)
    n = norm(begin + j, m, j, surfaces, work)
    if n == 0.0:
        return np.inf
    rho = 1.0 + surfaces.isotropic[begin + j] * w[surfaces.primary[begin + j]] / surfaces.reference[begin + j]
    return rho / n - 1.0 + surfaces.kappa[begin + j] * work[1, j]


def coupling(i: int, m: int, begin: int, j: int, other: int, surfaces: Surfaces, work: Array) -> float:
    """vⱼᵀ Y H v_other with v = Pξ and H = (I + N Y)⁻¹; leaves H v_other in a row of the work space."""
    q, k, hard = work[11 + other], surfaces.k[i], surfaces.kinematic[i]
    for a in range(m):
        q[a] = surfaces.weight[begin + other, a] * work[3 + other, a]
    eliminate(m, q, work)
    total = 0.0
    for a in range(m):
        y = hard[a] * q[a]
        for b in range(m):
            y += k[a, b] * q[b]
        total += surfaces.weight[begin + j, a] * work[3 + j, a] * y
    return total


def multiplier(i: int, m: int, begin: int, j: int, inner: int, w: Array, trial: Array, surfaces: Surfaces,
               work: Array) -> None:
    """Multiplier θⱼ ≥ 0 by Newton in a bracket; ``inner`` is the surface eliminated meanwhile, or j itself for none.

    Numbers of surfaces come as variables: the compiler makes a copy of a function for every literal.
    """
    theta = work[1]
    low, high = 0.0, np.inf
    theta[j] = 0.0
    for _ in range(_NEWTON):
        if inner != j:
            inner_multiplier(i, m, begin, inner, w, trial, surfaces, work)
        r = residual_of(i, m, begin, j, w, trial, surfaces, work)
        if r >= 0.0 and theta[j] == 0.0:
            break                              # inside the surface: no slip
        slope = slope_of(i, m, begin, j, w, surfaces, work)
        if inner != j and theta[inner] > 0.0:
            across = coupling(i, m, begin, j, inner, surfaces, work)
            slope -= (across * rho_over(begin + j, j, m, w, surfaces, work)
                      * across * rho_over(begin + inner, inner, m, w, surfaces, work)
                      / slope_of(i, m, begin, inner, w, surfaces, work))
        settled, low, high, theta[j] = narrowed(theta[j], r, slope, low, high)
        if settled:
            break
    if inner != j:
        inner_multiplier(i, m, begin, inner, w, trial, surfaces, work)


def inner_multiplier(i: int, m: int, begin: int, j: int, w: Array, trial: Array, surfaces: Surfaces,
                     work: Array) -> None:
    """Multiplier θⱼ ≥ 0 while the other one is held."""
    theta = work[1]
    low, high = 0.0, np.inf
    theta[j] = 0.0
    for _ in range(_NEWTON):
        r = residual_of(i, m, begin, j, w, trial, surfaces, work)
        if r >= 0.0 and theta[j] == 0.0:
            break                              # inside the surface: no slip
        slope = slope_of(i, m, begin, j, w, surfaces, work)
        settled, low, high, theta[j] = narrowed(theta[j], r, slope, low, high)
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


def rho_over(surface: int, j: int, m: int, w: Array, surfaces: Surfaces, work: Array) -> float:
    """ρ/n³ of a surface."""
    rho = 1.0 + surfaces.isotropic[surface] * w[surfaces.primary[surface]] / surfaces.reference[surface]
    n = norm(surface, m, j, surfaces, work)
    return rho / (n * n * n)      # a power is not the same in every bit when compiled


def slope_of(i: int, m: int, begin: int, j: int, w: Array, surfaces: Surfaces, work: Array) -> float:
    """Derivative of :func:`residual_of` with respect to its own multiplier."""
    return (rho_over(begin + j, j, m, w, surfaces, work) * coupling(i, m, begin, j, j, surfaces, work)
            + surfaces.kappa[begin + j])


def tangent(i: int, m: int, begin: int, count: int, w: Array, trial: Array, surfaces: Surfaces, work: Array,
            T: Array) -> None:
    """dF/de = k − k H N k − Σ k qᵢ (Mθ⁻¹)ᵢⱼ qⱼᵀ k over the active surfaces, q = H v."""
    place, k, theta = surfaces.place[i], surfaces.k[i], work[1]
    for b in range(m):
        column = work[13]
        for a in range(m):
            n = 0.0
            for j in range(count):
                n += theta[j] * surfaces.weight[begin + j, a]
            column[a] = n * k[a, b]
        eliminate(m, column, work)
        for a in range(m):
            total = k[a, b]
            for d in range(m):
                total -= k[a, d] * column[d]
            T[place + a * m + b] = total
    first = count > 0 and theta[0] > 0.0
    second = count > 1 and theta[1] > 0.0
    if not (first or second):
        return
    g00, g11, g01 = 1.0, 1.0, 0.0
    for j in range(count):
        if theta[j] > 0.0:
            g = coupling(i, m, begin, j, j, surfaces, work) + surfaces.kappa[begin + j] / rho_over(
                begin + j, j, m, w, surfaces, work)
            if j == 0:
                g00 = g
            else:
                g11 = g
    if first and second:
        g01 = coupling(i, m, begin, count - 2, count - 1, surfaces, work)
    det = g00 * g11 - g01 * g01
    for j in range(count):
        if theta[j] > 0.0:
            for a in range(m):
                total = 0.0
                for b in range(m):
                    total += k[a, b] * work[11 + j, b]
                work[14 + j, a] = total
    for a in range(m):
        for b in range(m):
            out = 0.0
            if first:
                out += g11 * work[14, a] * work[14, b]
            if second:
                out += g00 * work[15, a] * work[15, b]
            if first and second:
                out -= g01 * (work[14, a] * work[15, b] + work[15, a] * work[14, b])
            T[place + a * m + b] -= out / det
