"""Shear frames: storey i between floors i − 1 and i, one slider each; the linear time element in tridiagonal form.

The step is that of :mod:`hamex.march.newton` and has the same unique solution. Nearly always the branches of the last
step still hold, and one pair of sweeps with the factors at hand is the whole step. Otherwise ``mended`` finds the
branches by Newton with a line search. Letters as in :mod:`hamex.march.oscillator`; q is the branch of a storey, and
on it F = T e + κ(X + qY), Y = Fy + Hi w.

Frame and work space are one table each, c and s, a row per quantity: of storey i it stands at row · n + i.
"""

from __future__ import annotations

import math
from typing import Any

from hamex.march.matrices import gained
from hamex.march.run import at, invoke

Array = Any

SETTLED = 0.1  # a line search ends where the slope has fallen to this share
_MOST = 500  # Newton steps; hard frames need about 10
_TRIES = 20  # full steps of a frame with modal damping, before others search along them
_AT_YIELD = 8e-15  # of the terms that cancel: a storey this close to its limit is on both branches
_AT_REST = 1.0 - 1e-13  # of the tangent at rest: what is closer to it is rounding

# Slots of N: header; branches, solves and searches of each step, counts of both, storeys that have softened.
HEAD, BRANCH, SOLVES, SEARCHES, COUNT, SOFT = range(6)
# Header: sizes; whether storeys harden and K is not zero; where ``mended`` and ``settle`` are; 0, as the compiler would
# make a copy of a function for every literal.
STOREYS, STEPS, CHANNELS, HARDENS, SOFTENS, MENDED, SETTLE, NONE = range(8)
# Slots of R: frame and work space; means of the load (step, channel) and where they act (channel, storey); histories
# (node or step, storey), which begin with the state at the start: back force X and accumulated slip w have a row per
# node, or one row for all where nothing hardens. With modal damping G, the inverse at rest (storey, storey), the
# springs' tangents there, (G B)ᵀ, BᵀG B, and room for a factor of that size.
FRAME, WORK, LOAD, PATTERNS, U, P, SLIP, BACK, PATH, FORCE, INVERSE, REST, SPREAD, BETWEEN, CAP = range(15)

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
NUMBERS = 13

# Rows of the work space s; those from T on belong to the branches held.
GUESS = 0  # with modal damping: what is solved for
NOW = 1  # x, the increment of the displacements; with modal damping: room for softened springs
Y = 2
RIGHT = 3
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


def shear_frame(N: Array, R: Array, h: float) -> int:
    """March; returns 0, or the number of the step that was not solved."""
    head, branch, c, s, load, patterns = N[HEAD], N[BRANCH], R[FRAME], R[WORK], R[LOAD], R[PATTERNS]
    n, none, half, hardens, channels = head[STOREYS], head[NONE], 0.5 * h, head[HARDENS], head[CHANNELS]
    x, y, right, start, t = at(s, NOW * n), at(s, Y * n), at(s, RIGHT * n), at(s, E * n), at(s, T * n)
    offset, low, high, lower, pivot = (
        at(s, OFFSET * n),
        at(s, LOW * n),
        at(s, HIGH * n),
        at(s, LOWER * n),
        at(s, PIVOT * n),
    )
    mass, stiff, kinematic, ahead = at(c, MASS * n), at(c, STIFF * n), at(c, KINEMATIC * n), hardens * n
    share, flow, limit = at(s, SHARE * n), at(s, FLOW * n), at(s, LIMIT * n)
    held(n, c, s, h, n, R[BACK], R[PATH], branch)
    factorise(n, c, s, none, n)
    for k in range(head[STEPS]):
        u, p, slip, F = at(R[U], k * n), at(R[P], k * n), at(R[SLIP], k * n), at(R[FORCE], k * n)
        X, w = at(R[BACK], k * ahead), at(R[PATH], k * ahead)
        if hardens:
            held(n, c, s, h, none, X, w, branch)
        # Right side and forward sweep; a floor needs the storey above, so it is finished one storey later.
        push, below, sweep = half * load[k * channels], u[0], 0.0
        start[0] = below - slip[0]
        force, row = t[0] * start[0] + offset[0], p[0] + push * patterns[0]
        for i in range(1, n):
            floor = u[i]
            here = floor - below - slip[i]
            below = floor
            start[i] = here
            above = t[i] * here + offset[i]
            right[i - 1] = row
            sweep = row - (force - above) - lower[i - 1] * sweep
            y[i - 1] = sweep
            force = above
            row = p[i] + push * patterns[i]
        right[n - 1] = row
        y[n - 1] = row - force - lower[n - 1] * sweep
        if head[SOFTENS] or channels > 1:
            # More channels and K u are seldom there: the sweep is repeated rather than slowed down.
            more(n, c, s, half, channels, at(load, k * channels), patterns, u)
            sweep_forward(n, s, none, n)
        # Backward sweep; on the way the state at the end of the step, if the branches hold.
        step, first, final = y[n - 1] * pivot[n - 1], n, -1  # storeys that are not on their branches
        for i in range(n - 1, -1, -1):
            below = y[i - 1] * pivot[i - 1] - lower[i] * step if i > 0 else 0.0
            x[i] = step
            trial = stiff[i] * (start[i] + 0.5 * (step - below))
            if trial < low[i] or trial > high[i]:
                first, final = i, final if final > i else i
            excess = trial - limit[i]
            slide = flow[i] * excess
            F[i] = trial - share[i] * excess
            u[n + i] = u[i] + step
            p[n + i] = mass[i] * step - p[i]
            slip[n + i] = slip[i] + slide
            if hardens:
                X[n + i] = X[i] + kinematic[i] * slide
                w[n + i] = w[i] + abs(slide)
            step = below
        N[SOLVES][k] = 1
        if final >= 0:
            if invoke(head[MENDED], (N, R, h, k, first, final)) != 0.0:
                return k + 1
        elif not hardens:
            for i in range(n):  # nothing depends on it, but a restart hands it on
                w[i] += abs(slip[n + i] - slip[i])
    return 0


def more(n: int, c: Array, s: Array, half: float, channels: int, load: Array, patterns: Array, u: Array) -> None:
    """Add the other channels and K u to the right side."""
    right, beside, side = at(s, RIGHT * n), at(c, BESIDE * n), at(c, BESIDE_SIDE * n)
    for a in range(1, channels):
        push = half * load[a]
        for i in range(n):
            right[i] += push * patterns[a * n + i]
    for i in range(n):
        force = beside[i] * u[i]
        if i > 0:
            force += side[i] * u[i - 1]
        if i + 1 < n:
            force += side[i + 1] * u[i + 1]
        right[i] -= half * force


def modal_frame(N: Array, R: Array, h: float) -> int:
    """March a frame whose modes are damped one by one, which fills the matrix of a step: the inverse at rest is known,
    and storeys that slip soften it. Returns 0, or the number of the step whose branches full steps do not find."""
    head, branch, solves, c, s = N[HEAD], N[BRANCH], N[SOLVES], R[FRAME], R[WORK]
    n, none, half, hardens = head[STOREYS], head[NONE], 0.5 * h, head[HARDENS]
    beside, side = at(c, BESIDE * n), at(c, BESIDE_SIDE * n)
    y, right, start, t, offset = at(s, Y * n), at(s, RIGHT * n), at(s, E * n), at(s, T * n), at(s, OFFSET * n)
    held(n, c, s, h, n, R[BACK], R[PATH], branch)
    many = soften(N, R)
    for k in range(head[STEPS]):
        u, X, w = at(R[U], k * n), at(R[BACK], hardens * k * n), at(R[PATH], hardens * k * n)
        if hardens:
            held(n, c, s, h, none, X, w, branch)
        pushed(N, R, h, k)
        for i in range(n):
            right[i] -= half * beside[i] * u[i]
            if i > 0:
                right[i] -= half * side[i] * u[i - 1]
            if i + 1 < n:
                right[i] -= half * side[i + 1] * u[i + 1]
        found = False
        while not found and solves[k] < _TRIES:
            if solves[k] > 0:
                on_branches(n, c, s, h, y, X, w, branch)
                many = soften(N, R)
            if many < 0:
                return k + 1
            force = t[0] * start[0] + offset[0]
            for i in range(n):
                above = t[i + 1] * start[i + 1] + offset[i + 1] if i + 1 < n else 0.0
                y[i] = right[i] - (force - above)
                force = above
            softened(N, R, many)
            solves[k] += 1
            found = agrees(n, c, s, u, at(R[SLIP], k * n), X, w, branch)
        if not found:
            return k + 1
        written(N, R, k, y)
    return 0


def pushed(N: Array, R: Array, h: float, k: int) -> None:
    """What step k begins with: momentum and load on the right side, elastic deformations."""
    head, s, load, patterns, half = N[HEAD], R[WORK], R[LOAD], R[PATTERNS], 0.5 * h
    n, channels, below = head[STOREYS], head[CHANNELS], 0.0
    u, p, slip, right, start = at(R[U], k * n), at(R[P], k * n), at(R[SLIP], k * n), at(s, RIGHT * n), at(s, E * n)
    push = half * load[k * channels]
    for i in range(n):
        right[i] = p[i] + push * patterns[i]
        start[i] = u[i] - below - slip[i]
        below = u[i]
    for a in range(1, channels):
        push = half * load[k * channels + a]
        for i in range(n):
            right[i] += push * patterns[a * n + i]


def written(N: Array, R: Array, k: int, x: Array) -> None:
    """The state at the end of step k from its increments, on the branches held."""
    head, c, s, below = N[HEAD], R[FRAME], R[WORK], 0.0
    n, hardens, ahead = head[STOREYS], head[HARDENS], head[HARDENS] * head[STOREYS]
    u, p, slip, F = at(R[U], k * n), at(R[P], k * n), at(R[SLIP], k * n), at(R[FORCE], k * n)
    X, w = at(R[BACK], k * ahead), at(R[PATH], k * ahead)
    mass, stiff, kinematic, start = at(c, MASS * n), at(c, STIFF * n), at(c, KINEMATIC * n), at(s, E * n)
    share, flow, limit = at(s, SHARE * n), at(s, FLOW * n), at(s, LIMIT * n)
    for i in range(n):
        step = x[i]
        trial = stiff[i] * (start[i] + 0.5 * (step - below))
        below = step
        excess = trial - limit[i]
        slide = flow[i] * excess
        F[i] = trial - share[i] * excess
        u[n + i] = u[i] + step
        p[n + i] = mass[i] * step - p[i]
        slip[n + i] = slip[i] + slide
        X[ahead + i] = X[i] + kinematic[i] * slide
        w[ahead + i] = w[i] + abs(slide if hardens else slip[n + i] - slip[i])


def soften(N: Array, R: Array) -> int:
    """Take the tangents held: a matrix that is known with all springs at rest, of which some have softened, by
    Woodbury's identity. Returns how many have, or −1 where the matrix is not positive definite.

    The factor is the transposed Cholesky factor of D⁻¹ − BᵀGB for them.
    """
    n, soft, rest, between, cap, s, many = N[HEAD][STOREYS], N[SOFT], R[REST], R[BETWEEN], R[CAP], R[WORK], 0
    t, pivot = at(s, T * n), at(s, NOW * n)
    for j in range(n):
        if t[j] < _AT_REST * rest[j]:
            soft[many] = j
            for b in range(many + 1):
                total = -between[soft[b] * n + j]
                if b == many:
                    total += 1.0 / (0.5 * (rest[j] - t[j]))
                for m in range(b):
                    total -= cap[m * n + b] * cap[m * n + many]
                if b == many:
                    if not total > 0.0:
                        return -1
                    pivot[b] = 1.0 / math.sqrt(total)
                cap[b * n + many] = total * pivot[b]
            many += 1
    return many


def softened(N: Array, R: Array, many: int) -> None:
    """y ← A⁻¹ y, where so many springs have softened."""
    n, soft, inverse, spread, cap, s = N[HEAD][STOREYS], N[SOFT], R[INVERSE], R[SPREAD], R[CAP], R[WORK]
    y, given, small = at(s, Y * n), at(s, GUESS * n), at(s, NOW * n)
    for i in range(n):
        given[i] = y[i]
        y[i] = 0.0
    for i in range(n):
        gained(n, given[i], at(inverse, i * n), y)
    for a in range(many):
        j = soft[a]
        total = y[j] - y[j - 1] if j > 0 else y[j]
        for b in range(a):
            total -= cap[b * n + a] * small[b]
        small[a] = total / cap[a * n + a]
    for a in range(many - 1, -1, -1):
        total = small[a]
        for b in range(a + 1, many):
            total -= cap[a * n + b] * small[b]
        small[a] = total / cap[a * n + a]
    for a in range(many):
        gained(n, small[a], at(spread, soft[a] * n), y)


def held(n: int, c: Array, s: Array, h: float, every: int, X: Array, w: Array, branch: Array) -> None:
    """Put storeys on their branches as they are; those that did not slip in the last step are, unless ``every``."""
    for i in range(n):
        if every or branch[i] != 0:
            hold(n, c, s, h, i, branch[i], X[i], w[i])


def on_branches(n: int, c: Array, s: Array, h: float, x: Array, X: Array, w: Array, branch: Array) -> None:
    """Put every storey on its branch at x."""
    below = 0.0
    for i in range(n):
        from_back = c[STIFF * n + i] * (s[E * n + i] + 0.5 * (x[i] - below)) - X[i]
        below = x[i]
        limit = c[YIELD * n + i] + c[ISOTROPIC * n + i] * w[i]
        branch[i] = (1 if from_back > limit else 0) - (1 if from_back < -limit else 0)
        hold(n, c, s, h, i, branch[i], X[i], w[i])


def mended(N: Array, R: Array, h: float, k: int, first: int, final: int) -> int:
    """Find the branches of step k, where storeys from ``first`` to ``final`` are not on theirs, and write its end anew;
    returns 0, or 1 on failure.

    One Newton step from the guess mends most misses. Factors and sweeps forget a change after some floors, to the
    last bit, so it costs as much as the storeys around the miss and not as the frame.
    """
    head, branch, count, c, s = N[HEAD], N[BRANCH], N[COUNT], R[FRAME], R[WORK]
    n, back = head[STOREYS], head[HARDENS] * k * head[STOREYS]
    X, w, before, looked = at(R[BACK], back), at(R[PATH], back), count[0], count[1]
    stiff, start, low, high = at(c, STIFF * n), at(s, E * n), at(s, LOW * n), at(s, HIGH * n)
    x, y, guess, lower, pivot = at(s, NOW * n), at(s, Y * n), at(s, GUESS * n), at(s, LOWER * n), at(s, PIVOT * n)
    top = changed(n, c, s, h, first, final, X, w, branch)
    step, bottom, outside = x[top] if top < n else 0.0, 0, False
    top = top if top < n else n
    for i in range(top - 1, -1, -1):
        above = step
        step = y[i] * pivot[i] - (lower[i + 1] * above if i + 1 < n else 0.0)
        if i + 1 < n:
            trial = stiff[i + 1] * (start[i + 1] + 0.5 * (above - step))
            outside = outside or trial < low[i + 1] or trial > high[i + 1]
        if i < first - 1 and step == x[i]:
            bottom = i + 1
            break
        guess[i] = x[i]
        x[i] = step
    if bottom == 0:
        trial = stiff[0] * (start[0] + 0.5 * step)
        outside = outside or trial < low[0] or trial > high[0]
    count[0] += 1
    if outside:
        for i in range(n):
            y[i] = x[i]  # the Newton step, and the guess back in its place
            if bottom <= i < top:
                x[i] = guess[i]
        u, slip = at(R[U], k * n), at(R[SLIP], k * n)
        if invoke(head[SETTLE], (n, c, s, h, u, slip, X, w, branch, count)) != 0.0:
            return 1
    written(N, R, k, x)
    N[SOLVES][k] += count[0] - before
    N[SEARCHES][k] = count[1] - looked
    return 0


def changed(n: int, c: Array, s: Array, h: float, first: int, final: int, X: Array, w: Array, branch: Array) -> int:
    """Put the storeys from ``first`` to ``final`` on their branches at x and redo what depends on them.

    Returns the floor from which to sweep back. Factors and sweep forget a change after some floors, to the last bit;
    from there on the old ones stand.
    """
    x = at(s, NOW * n)
    below = x[first - 1] if first > 0 else 0.0
    for i in range(first, final + 1):
        trial = c[STIFF * n + i] * (s[E * n + i] + 0.5 * (x[i] - below))
        below = x[i]
        if trial < s[LOW * n + i] or trial > s[HIGH * n + i]:
            limit = c[YIELD * n + i] + c[ISOTROPIC * n + i] * w[i]
            branch[i] = (1 if trial - X[i] > limit else 0) - (1 if trial - X[i] < -limit else 0)
            hold(n, c, s, h, i, branch[i], X[i], w[i])
    start = max(first - 1, 0)
    return sweep_forward(n, s, start, factorise(n, c, s, start, final))


def hold(n: int, c: Array, s: Array, h: float, i: int, q: int, X: float, w: float) -> None:
    """Put storey i on branch q."""
    c, s, half = at(c, i), at(s, i), 0.5 * h
    limit = c[YIELD * n] + c[ISOTROPIC * n] * w
    if q == 0:
        s[T * n] = half * c[STIFF * n]
        s[OFFSET * n] = 0.0
        s[SHARE * n] = 0.0
        s[FLOW * n] = 0.0
        s[LIMIT * n] = X
        s[LOW * n] = X - limit
        s[HIGH * n] = X + limit
    else:
        bound = X + q * limit
        s[T * n] = half * (c[STIFF * n] * c[FREE * n])
        s[OFFSET * n] = half * (c[KAPPA * n] * bound)
        s[SHARE * n] = c[KAPPA * n]
        s[FLOW * n] = h * c[RATE * n]
        s[LIMIT * n] = bound
        s[LOW * n] = bound if q > 0 else -math.inf
        s[HIGH * n] = math.inf if q > 0 else bound


def factorise(n: int, c: Array, s: Array, first: int, final: int) -> int:
    """L D Lᵀ of M̂ + (h/4) B T Bᵀ from row ``first`` on; rows change up to storey ``final``.

    Returns the row at which, beyond ``final``, the old pivot comes out again, or the number of rows.
    """
    if c[ALONE * n + n - 1] > 0.0:
        return long_factors(n, c, s)
    main, side, t, lower, pivots = at(c, MAIN * n), at(c, SIDE * n), at(s, T * n), at(s, LOWER * n), at(s, PIVOT * n)
    pivot = pivots[first - 1] if first > 0 else 0.0
    for i in range(first, n):
        here = 0.5 * t[i]
        total = main[i] + here
        if i + 1 < n:
            total += 0.5 * t[i + 1]
        beside = side[i] - here
        factor = beside * pivot if i > 0 else 0.0
        pivot = 1.0 / (total - factor * beside)
        lower[i] = factor
        if i > final and pivot == pivots[i]:
            return i
        pivots[i] = pivot
    return n


def long_factors(n: int, c: Array, s: Array) -> int:
    """The same where springs outweigh masses by far: a sum M̂ + T would keep few digits of the mass, and floors that
    move together on a storey that slips have nothing else. Sums and products of positive numbers alone keep them all.
    """
    alone, side, t = at(c, ALONE * n), at(c, SIDE * n), at(s, T * n)
    rest, pivot = alone[0] + 0.5 * t[0], 0.0
    s[LOWER * n] = 0.0
    for i in range(n):
        if i > 0:
            link = 0.5 * t[i] - side[i]
            s[LOWER * n + i] = -link * pivot
            rest = alone[i] + link * pivot * rest
        pivot = 1.0 / (rest + (0.5 * t[i + 1] - side[i + 1]) if i + 1 < n else rest)
        s[PIVOT * n + i] = pivot
    return n


def sweep_forward(n: int, s: Array, first: int, end: int) -> int:
    """y from r and the branches' forces at x = 0, from row ``first`` on.

    Returns the row at which, beyond ``end``, the old y comes out again, or the number of rows.
    """
    y, right, start, t = at(s, Y * n), at(s, RIGHT * n), at(s, E * n), at(s, T * n)
    offset, lower = at(s, OFFSET * n), at(s, LOWER * n)
    force = t[first] * start[first] + offset[first]
    swept = y[first - 1] if first > 0 else 0.0
    for i in range(first, n):
        above = t[i + 1] * start[i + 1] + offset[i + 1] if i + 1 < n else 0.0
        swept = right[i] - (force - above) - lower[i] * swept
        if i > end and swept == y[i]:
            return i
        y[i] = swept
        force = above
    return n


def solved(n: int, c: Array, s: Array) -> None:
    """y, the minimum if the branches held were all there is."""
    none = n - n  # the compiler would make a copy of a function for every literal
    factorise(n, c, s, none, n)
    sweep_forward(n, s, none, n)
    y, lower, pivot, above = at(s, Y * n), at(s, LOWER * n), at(s, PIVOT * n), 0.0
    for i in range(n - 1, -1, -1):
        above = y[i] * pivot[i] - (lower[i + 1] * above if i + 1 < n else 0.0)
        y[i] = above


def settle(
    n: int, c: Array, s: Array, h: float, u: Array, slip: Array, X: Array, w: Array, branch: Array, count: Array
) -> int:
    """Newton with a line search from the guess in row NOW; the solution is left there, its branches held.

    Row Y holds the first Newton step from the guess. Returns 0, or 1 on failure.
    """
    x, y = at(s, NOW * n), at(s, Y * n)
    for _ in range(_MOST):
        if agrees(n, c, s, u, slip, X, w, branch):
            for i in range(n):
                x[i] = y[i]
            return 0
        alpha = search(n, c, s, 0.5 * h, X, w, count)
        for i in range(n):
            x[i] += alpha * (y[i] - x[i])
        on_branches(n, c, s, h, x, X, w, branch)
        solved(n, c, s)
        count[0] += 1
    return 1


def agrees(n: int, c: Array, s: Array, u: Array, slip: Array, X: Array, w: Array, branch: Array) -> bool:
    """True when y lies on the branches it was computed for; a storey at its limit up to round-off lies on both."""
    y, start, stiff = at(s, Y * n), at(s, E * n), at(c, STIFF * n)
    below = 0.0
    floor = 0.0
    for i in range(n):
        from_back = stiff[i] * (start[i] + 0.5 * (y[i] - below)) - X[i]
        limit = c[YIELD * n + i] + c[ISOTROPIC * n + i] * w[i]
        q = (1 if from_back > limit else 0) - (1 if from_back < -limit else 0)
        if q != branch[i]:
            if q * branch[i] < 0:
                return False
            lengths = abs(u[i]) + abs(floor) + abs(slip[i]) + abs(y[i]) + abs(below)
            if abs(abs(from_back) - limit) > _AT_YIELD * (stiff[i] * lengths + abs(X[i]) + limit):
                return False
        below = y[i]
        floor = u[i]
    return True


def search(n: int, c: Array, s: Array, half: float, X: Array, w: Array, count: Array) -> float:
    """Share of the way from x to y: the slope of Φ there is negative and at most a tenth of the first."""
    first = slope(n, c, s, half, X, w, 0.0)
    high_slope = slope(n, c, s, half, X, w, 1.0)
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
        slope_here = slope(n, c, s, half, X, w, alpha)
        count[1] += 1
        if slope_here > 0.0:
            high, high_slope = alpha, slope_here
            low_slope *= 0.5
        else:
            low, low_slope = alpha, slope_here
            if slope_here >= SETTLED * first:
                break
    return low if low > 0.0 else alpha


def slope(n: int, c: Array, s: Array, half: float, X: Array, w: Array, alpha: float) -> float:
    """dΦ/dα on the way from x to y."""
    x, y, right, start, stiff = at(s, NOW * n), at(s, Y * n), at(s, RIGHT * n), at(s, E * n), at(c, STIFF * n)
    main, side = at(c, MAIN * n), at(c, SIDE * n)
    total = 0.0
    d_below = 0.0
    z_below = 0.0
    for i in range(n):
        d = y[i] - x[i]
        z = x[i] + alpha * d
        trial = stiff[i] * (start[i] + 0.5 * (z - z_below))
        excess = abs(trial - X[i]) - (c[YIELD * n + i] + c[ISOTROPIC * n + i] * w[i])
        force = trial
        if excess > 0.0:
            force -= c[KAPPA * n + i] * (excess if trial > X[i] else -excess)
        total += d * (main[i] * z + side[i] * z_below - right[i]) + d_below * side[i] * z
        total += half * force * (d - d_below)
        d_below = d
        z_below = z
    return total
