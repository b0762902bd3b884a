"""Shear frames: storey i between floors i − 1 and i, one slider each; the linear time element in tridiagonal form.

The step is that of :mod:`hamex.march.newton` and has the same unique solution. Nearly always the branches of the last
step still hold, and one pair of sweeps with the factors at hand is the whole step. Otherwise ``mended`` finds the
branches by Newton with a line search. Letters as in :mod:`hamex.march.oscillator`; q is the branch of a storey, and
on it F = T e + κ(X + qY), Y = Fy + Hi w.

Frame and work space are one table each, a row per quantity and a column per storey: a call that hands over twenty
arrays costs more than the arithmetic of twenty storeys.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hamex.march.matrices import Softened, soften, softened

Array = Any

SETTLED = 0.1  # a line search ends where the slope has fallen to this share
_MOST = 500  # Newton steps; hard frames need about 10
_TRIES = 20  # full steps of a frame with modal damping, before others search along them
_AT_YIELD = 8e-15  # of the terms that cancel: a storey this close to its limit is on both branches

# Rows of the frame c.
MAIN = 0  # M̂ = M/h + C/2 + (h/4)K
SIDE = 1  # entry (i, i − 1) of M̂; zero for i = 0
BESIDE = 2  # K, outside the springs
BESIDE_SIDE = 3
MASS = 4  # 2m/h, eq. (79)
STIFF = 5  # k
YIELD = 6
KINEMATIC = 7
ISOTROPIC = 8
RATE = 9  # 1/(η + (h/2)(k + Hk + Hi))
KAPPA = 10  # (h/2) k rate
FREE = 11  # 1 − κ, what slip leaves of the stiffness
ALONE = 12  # sums of the rows of M̂ where a step is long for some storey, hω ≫ 1; else zero

# Rows of the work space s; those from T on belong to the branches held.
GUESS = 0
NOW = 1  # x, the increment of the displacements
Y = 2
R = 3
E = 4  # e₀ = drift − slip at the start of the step
T = 5  # times h/2, as it enters the step
OFFSET = 6  # (h/2) κ(X + qY), so that (h/2) F = T e + offset
SHARE = 7  # κ where the storey slips, else 0
FLOW = 8  # h·rate where it slips, else 0
LIMIT = 9  # X + qY
LOW = 10  # bounds of the elastic trial between which the storey stays on its branch
HIGH = 11
LOWER = 12  # L
PIVOT = 13  # 1/D
ROWS = 14


class FrameHistory(NamedTuple):
    """What a march fills, (node or step, storey); row 0 at the nodes and the branches are given.

    Back force X and accumulated slip w have a row per node, or one row for all where nothing hardens.
    """

    u: Array
    p: Array
    slip: Array
    X: Array
    w: Array
    F: Array
    branch: Array  # (storey,)
    solves: Array  # (step,)
    searches: Array


def shear_frame(
    c: Array,
    s: Array,
    h: float,
    load: Array,
    patterns: Array,
    hardens: int,
    softens: int,
    out: FrameHistory,
    count: Array,
) -> int:
    """March; returns 0, or the number of the step that was not solved. ``softens``: K is not zero."""
    u, p, slip, X, w, F, branch, solves, searches = out
    n, half = len(branch), 0.5 * h
    many = softens or len(patterns) > 1
    last = n - 1
    for i in range(n):
        hold(c, s, h, i, branch[i], X[0, i], w[0, i])
    factorise(c, s, 0, n)
    for k in range(len(load)):
        now, then = hardens * k, hardens * (k + 1)
        if hardens:
            for i in range(n):
                hold(c, s, h, i, branch[i], X[now, i], w[now, i])
        push = half * load[k, 0]
        # Right side and forward sweep; a floor needs the storey above, so it is finished one storey later.
        below = u[k, 0]
        here = below - slip[k, 0]
        s[E, 0] = here
        force = s[T, 0] * here + s[OFFSET, 0]
        row = p[k, 0] + push * patterns[0, 0]
        sweep = 0.0
        for i in range(1, n):
            floor = u[k, i]
            here = floor - below - slip[k, i]
            below = floor
            s[E, i] = here
            above = s[T, i] * here + s[OFFSET, i]
            s[R, i - 1] = row
            sweep = row - (force - above) - s[LOWER, i - 1] * sweep
            s[Y, i - 1] = sweep
            force = above
            row = p[k, i] + push * patterns[0, i]
        s[R, last] = row
        s[Y, last] = row - force - s[LOWER, last] * sweep
        if many:
            # More channels and K u are seldom there: the sweep is repeated rather than slowed down.
            more(c, s, half, load[k], patterns, u[k])
        # Backward sweep; on the way the state at the end of the step, if the branches hold.
        step = s[Y, last] * s[PIVOT, last]
        first, final = n, -1  # storeys that are not on their branches
        for i in range(last, 0, -1):
            below = s[Y, i - 1] * s[PIVOT, i - 1] - s[LOWER, i] * step
            s[NOW, i] = step
            trial = c[STIFF, i] * (s[E, i] + 0.5 * (step - below))
            if (trial < s[LOW, i]) | (trial > s[HIGH, i]):
                first, final = i, max(final, i)
            excess = trial - s[LIMIT, i]
            slide = s[FLOW, i] * excess
            F[k, i] = trial - s[SHARE, i] * excess
            u[k + 1, i] = u[k, i] + step
            p[k + 1, i] = c[MASS, i] * step - p[k, i]
            slip[k + 1, i] = slip[k, i] + slide
            if hardens:
                X[then, i] = X[now, i] + c[KINEMATIC, i] * slide
                w[then, i] = w[now, i] + abs(slide)
            step = below
        s[NOW, 0] = step
        trial = c[STIFF, 0] * (s[E, 0] + 0.5 * step)
        if (trial < s[LOW, 0]) | (trial > s[HIGH, 0]):
            first, final = 0, max(final, 0)
        solves[k] = 1
        begin, end = 0, 1  # storeys to be written still: the first, then those that were mended
        for part in range(2):
            for i in range(begin, end):
                step = s[NOW, i]
                trial = c[STIFF, i] * (s[E, i] + 0.5 * (step - (s[NOW, i - 1] if i > 0 else 0.0)))
                excess = trial - s[LIMIT, i]
                slide = s[FLOW, i] * excess
                F[k, i] = trial - s[SHARE, i] * excess
                u[k + 1, i] = u[k, i] + step
                p[k + 1, i] = c[MASS, i] * step - p[k, i]
                slip[k + 1, i] = slip[k, i] + slide
                if hardens:
                    X[then, i] = X[now, i] + c[KINEMATIC, i] * slide
                    w[then, i] = w[now, i] + abs(slide)
            if part == 1 or final < 0:
                break
            before, looked = count[0], count[1]
            begin, end = mended(c, s, h, first, final, u[k], slip[k], X[now], w[now], branch, count)
            if begin < 0:
                return k + 1
            solves[k] += count[0] - before
            searches[k] = count[1] - looked
        if not hardens:
            for i in range(n):  # nothing depends on it, but a restart hands it on
                w[0, i] += abs(slip[k + 1, i] - slip[k, i])
    return 0


def modal_frame(
    c: Array,
    s: Array,
    h: float,
    load: Array,
    patterns: Array,
    hardens: int,
    matrix: Softened,
    small: Array,
    out: FrameHistory,
) -> int:
    """March a frame whose modes are damped one by one, which fills the matrix of a step: the inverse at rest is known,
    and storeys that slip soften it. Returns 0, or the number of the step whose branches full steps do not find."""
    u, p, slip, X, w, F, branch, solves, _ = out
    n, half = len(branch), 0.5 * h
    for i in range(n):
        hold(c, s, h, i, branch[i], X[0, i], w[0, i])
    lost = soften(matrix, s[T])
    for k in range(len(load)):
        now, then = hardens * k, hardens * (k + 1)
        for i in range(n):
            s[E, i] = u[k, i] - (u[k, i - 1] if i > 0 else 0.0) - slip[k, i]
            s[R, i] = p[k, i]
            for a in range(len(patterns)):
                s[R, i] += half * load[k, a] * patterns[a, i]
            s[R, i] -= half * c[BESIDE, i] * u[k, i]
            if i > 0:
                s[R, i] -= half * c[BESIDE_SIDE, i] * u[k, i - 1]
            if i + 1 < n:
                s[R, i] -= half * c[BESIDE_SIDE, i + 1] * u[k, i + 1]
            if hardens:
                hold(c, s, h, i, branch[i], X[now, i], w[now, i])
        found = False
        while not found and solves[k] < _TRIES:
            if solves[k] > 0:
                on_branches(c, s, h, X[now], w[now], branch)
                lost = soften(matrix, s[T])
            if lost > 0.0:
                return k + 1
            force = s[T, 0] * s[E, 0] + s[OFFSET, 0]
            for i in range(n):
                above = s[T, i + 1] * s[E, i + 1] + s[OFFSET, i + 1] if i + 1 < n else 0.0
                s[Y, i] = s[R, i] - (force - above)
                force = above
            softened(matrix, s[Y], small)
            solves[k] += 1
            found = agrees(c, s, u[k], slip[k], X[now], w[now], branch)
        if not found:
            return k + 1
        below = 0.0
        for i in range(n):
            step = s[Y, i]
            trial = c[STIFF, i] * (s[E, i] + 0.5 * (step - below))
            below = step
            excess = trial - s[LIMIT, i]
            slide = s[FLOW, i] * excess
            F[k, i] = trial - s[SHARE, i] * excess
            u[k + 1, i] = u[k, i] + step
            p[k + 1, i] = c[MASS, i] * step - p[k, i]
            slip[k + 1, i] = slip[k, i] + slide
            w[then, i] = w[now, i] + abs(slip[k + 1, i] - slip[k, i] if hardens == 0 else slide)
            if hardens:
                X[then, i] = X[now, i] + c[KINEMATIC, i] * slide
    return 0


def on_branches(c: Array, s: Array, h: float, X: Array, w: Array, branch: Array) -> None:
    """Put every storey on its branch at y."""
    below = 0.0
    for i in range(len(branch)):
        from_back = c[STIFF, i] * (s[E, i] + 0.5 * (s[Y, i] - below)) - X[i]
        below = s[Y, i]
        limit = c[YIELD, i] + c[ISOTROPIC, i] * w[i]
        branch[i] = (1 if from_back > limit else 0) - (1 if from_back < -limit else 0)
        hold(c, s, h, i, branch[i], X[i], w[i])


def mended(
    c: Array,
    s: Array,
    h: float,
    first: int,
    final: int,
    u: Array,
    slip: Array,
    X: Array,
    w: Array,
    branch: Array,
    count: Array,
) -> tuple[int, int]:
    """Find the branches of the step; returns the range of storeys whose state must be written again, or −1.

    One Newton step from the guess mends most misses. Factors and sweeps forget a change after some floors, to the
    last bit, so it costs as much as the storeys around the miss and not as the frame.
    """
    n = len(branch)
    top = changed(c, s, h, first, final, X, w, branch)
    step = 0.0 if top >= n else s[NOW, top]
    start = min(top, n) - 1
    outside = 0
    bottom = 0
    for i in range(start, -1, -1):
        above = step
        step = s[Y, i] * s[PIVOT, i] - (s[LOWER, i + 1] * above if i + 1 < n else 0.0)
        if i + 1 < n:
            trial = c[STIFF, i + 1] * (s[E, i + 1] + 0.5 * (above - step))
            outside += (trial < s[LOW, i + 1]) | (trial > s[HIGH, i + 1])
        if i < first - 1 and step == s[NOW, i]:
            bottom = i + 1
            break
        s[GUESS, i] = s[NOW, i]
        s[NOW, i] = step
    if bottom == 0:
        trial = c[STIFF, 0] * (s[E, 0] + 0.5 * step)
        outside += (trial < s[LOW, 0]) | (trial > s[HIGH, 0])
    count[0] += 1
    if outside == 0:
        return bottom, min(top + 1, n)
    for i in range(bottom, start + 1):
        s[Y, i] = s[NOW, i]  # the guess back in its place, the Newton step beside it
        s[NOW, i] = s[GUESS, i]
    for i in range(bottom):
        s[Y, i] = s[NOW, i]
    for i in range(start + 1, n):
        s[Y, i] = s[NOW, i]
    if settle(c, s, h, u, slip, X, w, branch, count):
        return -1, 0
    return 0, n


def changed(c: Array, s: Array, h: float, first: int, final: int, X: Array, w: Array, branch: Array) -> int:
    """Put the storeys from ``first`` to ``final`` on their branches at x and redo what depends on them.

    Returns the floor from which to sweep back. Factors and sweep forget a change after some floors, to the last bit;
    from there on the old ones stand.
    """
    below = s[NOW, first - 1] if first > 0 else 0.0
    for i in range(first, final + 1):
        trial = c[STIFF, i] * (s[E, i] + 0.5 * (s[NOW, i] - below))
        below = s[NOW, i]
        if trial < s[LOW, i] or trial > s[HIGH, i]:
            limit = c[YIELD, i] + c[ISOTROPIC, i] * w[i]
            branch[i] = (1 if trial - X[i] > limit else 0) - (1 if trial - X[i] < -limit else 0)
            hold(c, s, h, i, branch[i], X[i], w[i])
    start = max(first - 1, 0)
    return sweep_forward(s, start, factorise(c, s, start, final))


def hold(c: Array, s: Array, h: float, i: int, q: int, X: float, w: float) -> None:
    """Put storey i on branch q."""
    limit, half = c[YIELD, i] + c[ISOTROPIC, i] * w, 0.5 * h
    if q == 0:
        s[T, i] = half * c[STIFF, i]
        s[OFFSET, i] = 0.0
        s[SHARE, i] = 0.0
        s[FLOW, i] = 0.0
        s[LIMIT, i] = X
        s[LOW, i] = X - limit
        s[HIGH, i] = X + limit
    else:
        s[T, i] = half * (c[STIFF, i] * c[FREE, i])
        s[LIMIT, i] = X + q * limit
        s[OFFSET, i] = half * (c[KAPPA, i] * s[LIMIT, i])
        s[SHARE, i] = c[KAPPA, i]
        s[FLOW, i] = h * c[RATE, i]
        s[LOW, i] = s[LIMIT, i] if q > 0 else -math.inf
        s[HIGH, i] = math.inf if q > 0 else s[LIMIT, i]


def factorise(c: Array, s: Array, first: int, final: int) -> int:
    """L D Lᵀ of M̂ + (h/4) B T Bᵀ from row ``first`` on; rows change up to storey ``final``.

    Returns the row at which, beyond ``final``, the old pivot comes out again, or the number of rows.
    """
    n = s.shape[1]
    if c[ALONE, n - 1] > 0.0:
        return long_factors(c, s)
    pivot = s[PIVOT, first - 1] if first > 0 else 0.0
    for i in range(first, n):
        here = 0.5 * s[T, i]
        main = c[MAIN, i] + here
        if i + 1 < n:
            main += 0.5 * s[T, i + 1]
        side = c[SIDE, i] - here
        lower = side * pivot if i > 0 else 0.0
        pivot = 1.0 / (main - lower * side)
        s[LOWER, i] = lower
        if i > final and pivot == s[PIVOT, i]:
            return i
        s[PIVOT, i] = pivot
    return n


def long_factors(c: Array, s: Array) -> int:
    """The same where springs outweigh masses by far: a sum M̂ + T would keep few digits of the mass, and floors that
    move together on a storey that slips have nothing else. Sums and products of positive numbers alone keep them all.
    """
    n = s.shape[1]
    rest, pivot = c[ALONE, 0] + 0.5 * s[T, 0], 0.0
    s[LOWER, 0] = 0.0
    for i in range(n):
        if i > 0:
            link = 0.5 * s[T, i] - c[SIDE, i]
            s[LOWER, i] = -link * pivot
            rest = c[ALONE, i] + link * pivot * rest
        pivot = 1.0 / (rest + (0.5 * s[T, i + 1] - c[SIDE, i + 1]) if i + 1 < n else rest)
        s[PIVOT, i] = pivot
    return n


def more(c: Array, s: Array, half: float, load: Array, patterns: Array, u: Array) -> None:
    """Add the other channels and K u to the right side and sweep forward again."""
    n = len(u)
    for a in range(1, len(patterns)):
        push = half * load[a]
        for i in range(n):
            s[R, i] += push * patterns[a, i]
    for i in range(n):
        stiff = c[BESIDE, i] * u[i]
        if i > 0:
            stiff += c[BESIDE_SIDE, i] * u[i - 1]
        if i + 1 < n:
            stiff += c[BESIDE_SIDE, i + 1] * u[i + 1]
        s[R, i] -= half * stiff
    sweep_forward(s, 0, n)


def sweep_forward(s: Array, first: int, end: int) -> int:
    """y from r and the branches' forces at x = 0, from row ``first`` on.

    Returns the row at which, beyond ``end``, the old y comes out again, or the number of rows.
    """
    n = s.shape[1]
    force = s[T, first] * s[E, first] + s[OFFSET, first]
    y = s[Y, first - 1] if first > 0 else 0.0
    for i in range(first, n):
        above = s[T, i + 1] * s[E, i + 1] + s[OFFSET, i + 1] if i + 1 < n else 0.0
        y = s[R, i] - (force - above) - s[LOWER, i] * y
        if i > end and y == s[Y, i]:
            return i
        s[Y, i] = y
        force = above
    return n


def settle(c: Array, s: Array, h: float, u: Array, slip: Array, X: Array, w: Array, branch: Array, count: Array) -> int:
    """Newton with a line search from the guess in row NOW; the solution is left there, its branches held.

    Row Y holds the first Newton step from the guess. Returns 0, or 1 on failure.
    """
    n, half = len(branch), 0.5 * h
    for _ in range(_MOST):
        if agrees(c, s, u, slip, X, w, branch):
            for i in range(n):
                s[NOW, i] = s[Y, i]
            return 0
        alpha = search(c, s, half, X, w, count)
        for i in range(n):
            s[NOW, i] += alpha * (s[Y, i] - s[NOW, i])
        # Branches at x, and the minimum if they were all there is.
        below = 0.0
        for i in range(n):
            from_back = c[STIFF, i] * (s[E, i] + 0.5 * (s[NOW, i] - below)) - X[i]
            below = s[NOW, i]
            limit = c[YIELD, i] + c[ISOTROPIC, i] * w[i]
            branch[i] = (1 if from_back > limit else 0) - (1 if from_back < -limit else 0)
            hold(c, s, h, i, branch[i], X[i], w[i])
        factorise(c, s, 0, n)
        sweep_forward(s, 0, n)
        y = 0.0
        for i in range(n - 1, -1, -1):
            y = s[Y, i] * s[PIVOT, i] - (s[LOWER, i + 1] * y if i + 1 < n else 0.0)
            s[Y, i] = y
        count[0] += 1
    return 1


def agrees(c: Array, s: Array, u: Array, slip: Array, X: Array, w: Array, branch: Array) -> bool:
    """True when y lies on the branches it was computed for; a storey at its limit up to round-off lies on both."""
    below = 0.0
    floor = 0.0
    for i in range(len(branch)):
        from_back = c[STIFF, i] * (s[E, i] + 0.5 * (s[Y, i] - below)) - X[i]
        limit = c[YIELD, i] + c[ISOTROPIC, i] * w[i]
        q = (1 if from_back > limit else 0) - (1 if from_back < -limit else 0)
        if q != branch[i]:
            if q * branch[i] < 0:
                return False
            lengths = abs(u[i]) + abs(floor) + abs(slip[i]) + abs(s[Y, i]) + abs(below)
            if abs(abs(from_back) - limit) > _AT_YIELD * (c[STIFF, i] * lengths + abs(X[i]) + limit):
                return False
        below = s[Y, i]
        floor = u[i]
    return True


def search(c: Array, s: Array, half: float, X: Array, w: Array, count: Array) -> float:
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
        slope_here = slope(c, s, half, X, w, alpha)
        count[1] += 1
        if slope_here > 0.0:
            high, high_slope = alpha, slope_here
            low_slope *= 0.5
        else:
            low, low_slope = alpha, slope_here
            if slope_here >= SETTLED * first:
                break
    return low if low > 0.0 else alpha


def slope(c: Array, s: Array, half: float, X: Array, w: Array, alpha: float) -> float:
    """dΦ/dα on the way from x to y."""
    total = 0.0
    d_below = 0.0
    z_below = 0.0
    for i in range(s.shape[1]):
        d = s[Y, i] - s[NOW, i]
        z = s[NOW, i] + alpha * d
        trial = c[STIFF, i] * (s[E, i] + 0.5 * (z - z_below))
        excess = abs(trial - X[i]) - (c[YIELD, i] + c[ISOTROPIC, i] * w[i])
        force = trial
        if excess > 0.0:
            force -= c[KAPPA, i] * (excess if trial > X[i] else -excess)
        total += d * (c[MAIN, i] * z + c[SIDE, i] * z_below - s[R, i]) + d_below * c[SIDE, i] * z
        total += half * force * (d - d_below)
        d_below = d
        z_below = z
    return total
