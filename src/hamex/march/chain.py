"""Shear frames: storey i between floors i − 1 and i, one slider each; the linear time element in tridiagonal form.

The step is that of :mod:`hamex.march.newton` and has the same unique solution. Nearly always the branches of the last
step still hold, and one pair of sweeps with the factors at hand is the whole step. Otherwise ``settle`` finds the
branches by Newton with a line search. Letters as in :mod:`hamex.march.oscillator`; q is the branch of a storey, and
on it F = T e + κ(X + qY), Y = Fy + Hi w.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

Array = Any

SETTLED = 0.1            # a line search ends where the slope has fallen to this share
_MOST = 500              # Newton steps; hard frames need about 10
_AT_YIELD = 8e-15        # of the terms that cancel: a storey this close to its limit is on both branches


class Chain(NamedTuple):
    """A frame and its step; every array has one entry per storey."""

    main: Array          # M̂ = M/h + C/2 + (h/4)K
    side: Array          # entry (i, i − 1) of M̂; side[0] = 0
    beside: Array        # K, outside the springs
    beside_side: Array
    mass: Array          # 2m/h, eq. (79)
    k: Array
    yield_force: Array
    kinematic: Array
    isotropic: Array
    rate: Array          # 1/(η + (h/2)(k + Hk + Hi))
    kappa: Array         # (h/2) k rate


class Scratch(NamedTuple):
    """Work space; T and all below it belong to the branches held."""

    guess: Array
    x: Array
    y: Array
    r: Array
    e: Array             # e₀ = drift − slip at the start of the step
    T: Array
    offset: Array        # κ(X + qY), so that F = T e + offset
    share: Array         # κ where the storey slips, else 0
    flow: Array          # h·rate where it slips, else 0
    limit: Array         # qY
    low: Array           # F − X + … between these bounds keeps the storey on its branch
    high: Array
    lower: Array
    pivot: Array         # inverse pivots


def chain(c: Chain, s: Scratch, h: float, load: Array, patterns: Array, hardens: int, softens: int,
          u: Array, p: Array, slip: Array, X: Array, w: Array, F: Array, branch: Array, solves: Array,
          searches: Array, count: Array) -> int:
    """March; returns 0, or the number of the step that was not solved. ``softens``: K is not zero."""
    n, half = len(branch), 0.5 * h
    # Plain local arrays: a view of a row costs more than the arithmetic of a storey.
    x, y, r, e, T, offset, share, flow, limit, low, high, lower, pivot = s[1:]
    k_elastic, mass, kinematic = c.k, c.mass, c.kinematic
    many = softens or len(patterns) > 1
    last = n - 1
    for i in range(n):
        hold(c, s, h, i, branch[i], X[0, i], w[0, i])
    factorise(c, s, h, 0)
    for k in range(len(load)):
        now, then = hardens * k, hardens * (k + 1)
        if hardens:
            for i in range(n):
                hold(c, s, h, i, branch[i], X[now, i], w[now, i])
        push = half * load[k, 0]
        # Right side and forward sweep; a floor needs the storey above, so it is finished one storey later.
        below = u[k, 0]
        here = below - slip[k, 0]
        e[0] = here
        force = T[0] * here + offset[0]
        row = p[k, 0] + push * patterns[0, 0]
        sweep = 0.0
        for i in range(1, n):
            floor = u[k, i]
            here = floor - below - slip[k, i]
            below = floor
            e[i] = here
            above = T[i] * here + offset[i]
            r[i - 1] = row
            sweep = row - half * (force - above) - lower[i - 1] * sweep
            y[i - 1] = sweep
            force = above
            row = p[k, i] + push * patterns[0, i]
        r[last] = row
        y[last] = row - half * force - lower[last] * sweep
        if many:
            # More channels and K u are seldom there: the sweep is repeated rather than slowed down.
            more(c, s, half, load[k], patterns, u[k])
        for attempt in range(3):
            if attempt < 2:
                back = y[last] * pivot[last]
                x[last] = back
                for i in range(last - 1, -1, -1):
                    back = y[i] * pivot[i] - lower[i + 1] * back
                    x[i] = back
                count[0] += 1
                solves[k] += 1
            # The state at the end of the step, if the branches hold.
            outside = 0
            below = 0.0
            for i in range(n):
                step = x[i]
                trial = k_elastic[i] * (e[i] + 0.5 * (step - below))
                below = step
                from_back = trial - X[now, i]
                outside += (from_back < low[i]) | (from_back > high[i])
                excess = from_back - limit[i]
                slide = flow[i] * excess
                F[k, i] = trial - share[i] * excess
                u[k + 1, i] = u[k, i] + step
                p[k + 1, i] = mass[i] * step - p[k, i]
                slip[k + 1, i] = slip[k, i] + slide
                if hardens:
                    X[then, i] = X[now, i] + kinematic[i] * slide
                    w[then, i] = w[now, i] + abs(slide)
            if outside == 0 or attempt == 2:
                break
            if attempt == 0:
                # One Newton step from the guess mends most misses; the guess is kept for the line search.
                changed(c, s, h, X[now], w[now], branch)
            else:
                before, looked = count[0], count[1]
                if settle(c, s, h, u[k], slip[k], X[now], w[now], branch, count):
                    return k + 1
                solves[k] += count[0] - before
                searches[k] = count[1] - looked
    return 0


def changed(c: Chain, s: Scratch, h: float, X: Array, w: Array, branch: Array) -> None:
    """Put the storeys on their branches at x, keep x as the guess, and redo the factors and the forward sweep."""
    first = len(branch)
    below = 0.0
    for i in range(len(branch)):
        s.guess[i] = s.x[i]
        from_back = c.k[i] * (s.e[i] + 0.5 * (s.x[i] - below)) - X[i]
        below = s.x[i]
        if from_back < s.low[i] or from_back > s.high[i]:
            limit = c.yield_force[i] + c.isotropic[i] * w[i]
            branch[i] = (1 if from_back > limit else 0) - (1 if from_back < -limit else 0)
            hold(c, s, h, i, branch[i], X[i], w[i])
            first = min(first, i)
    factorise(c, s, h, max(first - 1, 0))
    sweep_forward(s, 0.5 * h, max(first - 1, 0))


def hold(c: Chain, s: Scratch, h: float, i: int, q: int, X: float, w: float) -> None:
    """Put storey i on branch q."""
    limit = c.yield_force[i] + c.isotropic[i] * w
    if q == 0:
        s.T[i] = c.k[i]
        s.offset[i] = 0.0
        s.share[i] = 0.0
        s.flow[i] = 0.0
        s.limit[i] = 0.0
        s.low[i] = -limit
        s.high[i] = limit
    else:
        s.T[i] = c.k[i] * (1.0 - c.kappa[i])
        s.offset[i] = c.kappa[i] * (X + q * limit)
        s.share[i] = c.kappa[i]
        s.flow[i] = h * c.rate[i]
        s.limit[i] = q * limit
        s.low[i] = limit if q > 0 else -math.inf
        s.high[i] = math.inf if q > 0 else -limit


def factorise(c: Chain, s: Scratch, h: float, first: int) -> None:
    """L D Lᵀ of M̂ + (h/4) B T Bᵀ from row ``first`` on; the rows before it have not changed."""
    n, quarter = len(s.T), 0.25 * h
    pivot = s.pivot[first - 1] if first > 0 else 0.0
    for i in range(first, n):
        here = quarter * s.T[i]
        main = c.main[i] + here
        if i + 1 < n:
            main += quarter * s.T[i + 1]
        side = c.side[i] - here
        lower = side * pivot if i > 0 else 0.0
        pivot = 1.0 / (main - lower * side)
        s.lower[i] = lower
        s.pivot[i] = pivot


def more(c: Chain, s: Scratch, half: float, load: Array, patterns: Array, u: Array) -> None:
    """Add the other channels and K u to the right side and sweep forward again."""
    n = len(u)
    for a in range(1, len(patterns)):
        push = half * load[a]
        for i in range(n):
            s.r[i] += push * patterns[a, i]
    for i in range(n):
        stiff = c.beside[i] * u[i]
        if i > 0:
            stiff += c.beside_side[i] * u[i - 1]
        if i + 1 < n:
            stiff += c.beside_side[i + 1] * u[i + 1]
        s.r[i] -= half * stiff
    sweep_forward(s, half, 0)


def sweep_forward(s: Scratch, half: float, first: int) -> None:
    """y from r and the branches' forces at x = 0, from row ``first`` on."""
    n = len(s.y)
    force = s.T[first] * s.e[first] + s.offset[first]
    y = s.y[first - 1] if first > 0 else 0.0
    for i in range(first, n):
        above = s.T[i + 1] * s.e[i + 1] + s.offset[i + 1] if i + 1 < n else 0.0
        y = s.r[i] - half * (force - above) - s.lower[i] * y
        s.y[i] = y
        force = above


def settle(c: Chain, s: Scratch, h: float, u: Array, slip: Array, X: Array, w: Array, branch: Array,
           count: Array) -> int:
    """Newton with a line search from the guess; leaves the solution in s.x and its branches held.

    The first Newton step from the guess stands in s.x already. Returns 0, or 1 on failure.
    """
    n, half = len(branch), 0.5 * h
    for i in range(n):
        s.y[i] = s.x[i]
        s.x[i] = s.guess[i]
    for _ in range(_MOST):
        if agrees(c, s, u, slip, X, w, branch):
            for i in range(n):
                s.x[i] = s.y[i]
            return 0
        alpha = search(c, s, half, X, w, count)
        for i in range(n):
            s.x[i] += alpha * (s.y[i] - s.x[i])
        # Branches at x, and the minimum if they were all there is.
        below = 0.0
        for i in range(n):
            from_back = c.k[i] * (s.e[i] + 0.5 * (s.x[i] - below)) - X[i]
            below = s.x[i]
            limit = c.yield_force[i] + c.isotropic[i] * w[i]
            q = (1 if from_back > limit else 0) - (1 if from_back < -limit else 0)
            branch[i] = q
            hold(c, s, h, i, q, X[i], w[i])
        factorise(c, s, h, 0)
        sweep_forward(s, half, 0)
        y = 0.0
        for i in range(n - 1, -1, -1):
            y = s.y[i] * s.pivot[i] - (s.lower[i + 1] * y if i + 1 < n else 0.0)
            s.y[i] = y
        count[0] += 1
    return 1


def agrees(c: Chain, s: Scratch, u: Array, slip: Array, X: Array, w: Array, branch: Array) -> bool:
    """True when y lies on the branches it was computed for; a storey at its limit up to round-off lies on both."""
    below = 0.0
    floor = 0.0
    for i in range(len(branch)):
        from_back = c.k[i] * (s.e[i] + 0.5 * (s.y[i] - below)) - X[i]
        limit = c.yield_force[i] + c.isotropic[i] * w[i]
        q = (1 if from_back > limit else 0) - (1 if from_back < -limit else 0)
        if q != branch[i]:
            if q * branch[i] < 0:
                return False
            terms = c.k[i] * (abs(u[i]) + abs(floor) + abs(slip[i]) + abs(s.y[i]) + abs(below)) + abs(X[i]) + limit
            if abs(abs(from_back) - limit) > _AT_YIELD * terms:
                return False
        below = s.y[i]
        floor = u[i]
    return True


def search(c: Chain, s: Scratch, half: float, X: Array, w: Array, count: Array) -> float:
    """Share of the way from x to y: the slope of Φ there is negative and at most a tenth of the first."""
    first = slope(c, s, half, X, w, 0.0)
    high_slope = slope(c, s, half, X, w, 1.0)
    count[1] += 2
    if high_slope <= 0.0:
        return 1.0
    low, high, low_slope = 0.0, 1.0, first
    alpha = 0.5
    for trial in range(60):
        # Regula falsi (Illinois) towards a slope of half the limit, on the falling side; halving keeps it honest.
        if trial % 3 == 2:
            alpha = 0.5 * (low + high)
        else:
            alpha = low + (high - low) * (0.5 * SETTLED * first - low_slope) / (high_slope - low_slope)
        if not low < alpha < high:
            alpha = 0.5 * (low + high)
        found = slope(c, s, half, X, w, alpha)
        count[1] += 1
        if found > 0.0:
            high, high_slope = alpha, found
            low_slope *= 0.5
        else:
            low, low_slope = alpha, found
            if found >= SETTLED * first:
                break
    return low if low > 0.0 else alpha


def slope(c: Chain, s: Scratch, half: float, X: Array, w: Array, alpha: float) -> float:
    """dΦ/dα on the way from x to y."""
    total = 0.0
    d_below = 0.0
    z_below = 0.0
    for i in range(len(s.x)):
        d = s.y[i] - s.x[i]
        z = s.x[i] + alpha * d
        trial = c.k[i] * (s.e[i] + 0.5 * (z - z_below))
        excess = abs(trial - X[i]) - (c.yield_force[i] + c.isotropic[i] * w[i])
        force = trial
        if excess > 0.0:
            force -= c.kappa[i] * (excess if trial > X[i] else -excess)
        total += d * (c.main[i] * z + c.side[i] * z_below - s.r[i]) + d_below * c.side[i] * z
        total += half * force * (d - d_below)
        d_below = d
        z_below = z
    return total
