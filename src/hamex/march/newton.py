"""One step of a structure: the minimum of a strictly convex potential, by semismooth Newton with a line search.

Every scheme of one stage asks for the increment x of the displacements in

    S x + weight · B F(e₀ + reach · Bᵀx) = r

where F is the springs' local map. S + weight·reach · B T Bᵀ is positive definite (``discretise`` sees to it), so the
left side is the gradient of a strictly convex potential Φ. Full Newton steps can cycle; a step that goes no further
than Φ falls along the line cannot. Where all laws are straight on each branch, the step ends when the signed branches
repeat, which is exact; else when the residual is at round-off.

Under displacement control the increment also obeys ``pull · x = given``. The start obeys it, every direction keeps it,
and Φ falls on what is left; the multiplier of the constraint is the load factor.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.band import Band, backsolve, factorise
from hamex.march.laws import Powers, Sliders, evaluate
from hamex.march.rows import Rows, product
from hamex.march.surfaces import Surfaces

Array = Any

SETTLED = 0.1            # a line search ends where the slope has fallen to this share
ROUND_OFF = 2e-14        # of the terms of a row: the residual that arithmetic leaves
_CANCELLED = 0.05        # and of terms that cancel before they enter the row, which leave a few bits only
_MOST = 500              # Newton steps; hard frames need about 10


class Step(NamedTuple):
    """What every step shares: S, B by springs, and the scheme's three numbers."""

    S: Rows
    begin: Array
    dof: Array
    share: Array             # B, compressed columns: deformation of spring j is Σ share·u[dof]
    stiff: Array             # elastic stiffness of each spring by itself
    unit: Array              # 1/√ of the elastic diagonal: makes rows of forces and of moments comparable
    pull: Array              # the constrained combination of increments; empty: none
    weight: float
    reach: float
    tau: float
    straight: bool           # every law is piecewise linear
    safeguarded: bool        # False: plain Newton-Raphson with the tolerance below
    tolerance: float
    most: int


class Scratch(NamedTuple):
    """Work space of a step; nothing in it outlives the step but the factored tangent."""

    x: Array
    d: Array
    g: Array
    Sx: Array
    Sd: Array
    size: Array
    z: Array                 # A⁻¹ pull
    e: Array
    ex: Array
    ed: Array
    noise: Array             # per spring: force that cancels in its deformation, the measure of round-off
    T: Array
    factored: Array          # tangents of the last factorisation
    small: Array
    factor: Array            # multiplier of the constraint, one entry
    block: Array


def stretch(step: Step, x: Array, out: Array) -> None:
    """out = Bᵀ x."""
    for j in range(len(out)):
        total = 0.0
        for m in range(step.begin[j], step.begin[j + 1]):
            total += step.share[m] * x[step.dof[m]]
        out[j] = total


def gradient(step: Step, r: Array, Sx: Array, F: Array, noise: Array, factor: float, g: Array, size: Array) -> float:
    """g = S x + weight B F − r − factor·pull; returns the largest |g| relative to the terms of the rows.

    A row that vanishes by symmetry has terms of round-off only, so the largest row is the measure of all.
    """
    for i in range(len(g)):
        g[i] = Sx[i] - r[i]
        size[i] = abs(Sx[i]) + abs(r[i])
    for i in range(len(step.pull)):
        g[i] -= factor * step.pull[i]
        size[i] += abs(factor * step.pull[i])
    for j in range(len(F)):
        for m in range(step.begin[j], step.begin[j + 1]):
            share = step.weight * step.share[m]
            g[step.dof[m]] += share * F[j]
            size[step.dof[m]] += abs(share) * (abs(F[j]) + noise[j])
    worst, largest = 0.0, 0.0
    for i in range(len(g)):
        worst = max(worst, abs(g[i]) * step.unit[i])
        largest = max(largest, size[i] * step.unit[i])
    return worst / largest if largest > 0.0 else 0.0


def sizes(step: Step, u: Array, slip: Array, noise: Array) -> None:
    """noise = k (|B|ᵀ|u| + |slip|), spring by spring, weighed as what cancels."""
    for j in range(len(slip)):
        total = abs(slip[j])
        for m in range(step.begin[j], step.begin[j + 1]):
            total += abs(step.share[m] * u[step.dof[m]])
        noise[j] = _CANCELLED * step.stiff[j] * total


def newton(step: Step, band: Band, s: Scratch, sliders: Sliders, powers: Powers, surfaces: Surfaces | None,
           r: Array, e0: Array, X: Array, w: Array, branch: Array, F: Array, slip: Array, grown: Array,
           count: Array) -> float:
    """Solve one step: s.x, F, slip, grown and branch are filled; s.x and branch hold the guess on entry.

    ``count`` gathers linear solves, factorisations and line-search points. Returns the relative residual that is
    left (0 where the branches repeated), or −1 − (row of a pivot that is not positive), or infinity on failure.
    """
    n, springs = len(r), len(e0)
    x, d, g, T, factored = s.x, s.d, s.g, s.T, s.factored
    product(step.S, x, s.Sx)
    stretch(step, x, s.ex)
    for j in range(springs):
        s.e[j] = e0[j] + step.reach * s.ex[j]
    guess = step.safeguarded
    evaluate(s.e, X, w, step.tau, sliders, powers, surfaces, s.block, True, branch, F, T, slip, grown)
    worst = gradient(step, r, s.Sx, F, s.noise, s.factor[0], g, s.size)
    before = worst
    for iteration in range(_MOST):
        same = True
        for i in range(len(T)):
            if T[i] != factored[i]:
                same = False
                break
        if not same:
            for i in range(len(T)):
                factored[i] = T[i]
            code = factorise(band, T)
            count[1] += 1
            if code > 0:
                factored[0] = -1.0
                return -float(code)
            if len(step.pull) > 0:
                for i in range(n):
                    s.z[i] = step.pull[i]
                backsolve(band, s.z, s.small)
        for i in range(n):
            d[i] = -g[i]
        backsolve(band, d, s.small)
        count[0] += 1
        if len(step.pull) > 0:
            constrain(step.pull, s.z, s.factor, d)
        slope0 = 0.0
        for i in range(n):
            slope0 += d[i] * g[i]
        product(step.S, d, s.Sd)
        stretch(step, d, s.ed)
        # The full step first.
        for j in range(springs):
            s.e[j] = e0[j] + step.reach * (s.ex[j] + s.ed[j])
        changed = evaluate(s.e, X, w, step.tau, sliders, powers, surfaces, s.block, False, branch, F, T, slip, grown)
        alpha = 1.0
        if not step.safeguarded:
            size = 0.0
            for i in range(n):
                size = max(size, abs(d[i]))
            advance(x, s.Sx, s.ex, d, s.Sd, s.ed, alpha)
            worst = gradient(step, r, s.Sx, F, s.noise, s.factor[0], g, s.size)
            if size <= step.tolerance:
                return worst
            if iteration + 1 == step.most:
                return float("inf")
            continue
        if step.straight and not changed:
            advance(x, s.Sx, s.ex, d, s.Sd, s.ed, 1.0)
            return 0.0
        if not guess:
            alpha = search(step, s, sliders, powers, surfaces, r, e0, X, w, branch, F, slip, grown, slope0, count)
        guess = False
        advance(x, s.Sx, s.ex, d, s.Sd, s.ed, alpha)
        worst = gradient(step, r, s.Sx, F, s.noise, s.factor[0], g, s.size)
        # At round-off, or stuck just above it: nothing more can be gained.
        if worst <= ROUND_OFF or (worst <= 1e3 * ROUND_OFF and worst >= 0.5 * before):
            return worst
        before = worst
    return float("inf")


def constrain(pull: Array, z: Array, factor: Array, d: Array) -> None:
    """Take the constrained combination out of d, and put the multiplier that does it into ``factor``."""
    along, across = 0.0, 0.0
    for i in range(len(d)):
        along += pull[i] * d[i]
        across += pull[i] * z[i]
    for i in range(len(d)):
        d[i] -= along / across * z[i]
    factor[0] -= along / across


def advance(x: Array, Sx: Array, ex: Array, d: Array, Sd: Array, ed: Array, alpha: float) -> None:
    """x += α d, with S x and Bᵀx."""
    for i in range(len(x)):
        x[i] += alpha * d[i]
        Sx[i] += alpha * Sd[i]
    for j in range(len(ex)):
        ex[j] += alpha * ed[j]


def search(step: Step, s: Scratch, sliders: Sliders, powers: Powers, surfaces: Surfaces | None, r: Array,
           e0: Array, X: Array, w: Array, branch: Array, F: Array, slip: Array, grown: Array, slope0: float,
           count: Array) -> float:
    """Length of the step along d: the slope of Φ there is at most a tenth of the first, and Φ is lower.

    The springs are evaluated at the point returned.
    """
    low, high, alpha = 0.0, 1.0, 1.0
    slope_low, slope_high = slope0, slope(step, s, r, F, 1.0)
    count[2] += 1
    if slope_high <= 0.0:
        return 1.0
    weight_low = slope_low
    for trial in range(60):
        # Regula falsi (Illinois) towards a slope of half the limit, on the falling side; halving keeps it honest.
        aim = 0.5 * SETTLED * slope0
        if trial % 3 == 2:
            alpha = 0.5 * (low + high)
        else:
            alpha = low + (high - low) * (aim - weight_low) / (slope_high - weight_low)
        if not low < alpha < high:
            alpha = 0.5 * (low + high)
        for j in range(len(e0)):
            s.e[j] = e0[j] + step.reach * (s.ex[j] + alpha * s.ed[j])
        evaluate(s.e, X, w, step.tau, sliders, powers, surfaces, s.block, False, branch, F, s.T, slip, grown)
        found = slope(step, s, r, F, alpha)
        count[2] += 1
        if found > 0.0:
            high, slope_high = alpha, found
            weight_low = 0.5 * weight_low if trial > 0 else weight_low
        else:
            low, slope_low, weight_low = alpha, found, found
            if found >= SETTLED * slope0:
                # Φ has fallen by α·|found| at least. The rising end is better where it is flatter and Φ falls there
                # too: full steps that overshoot a little then stay quadratic.
                if slope_high < -found and (high - alpha) * slope_high < -alpha * found:
                    low = high
                    break
                return alpha
    if low == 0.0:
        low = alpha
    for j in range(len(e0)):
        s.e[j] = e0[j] + step.reach * (s.ex[j] + low * s.ed[j])
    evaluate(s.e, X, w, step.tau, sliders, powers, surfaces, s.block, False, branch, F, s.T, slip, grown)
    return low


def slope(step: Step, s: Scratch, r: Array, F: Array, alpha: float) -> float:
    """dΦ/dα along d."""
    total = 0.0
    for i in range(len(r)):
        total += s.d[i] * (s.Sx[i] + alpha * s.Sd[i] - r[i])
    for j in range(len(F)):
        total += step.weight * s.ed[j] * F[j]
    return total
