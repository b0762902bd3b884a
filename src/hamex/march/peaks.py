"""Largest displacements of many oscillators, nothing else: the fastest way through a record.

The step of :mod:`hamex.march.oscillators` with the same halves, but in units of the free motion per unit of the load,
so that the load needs no product; instead of q the free motion of the next step is carried, which sees two loads:

    y     = t − β (t − clip t),  t = e + free
    Δu    = free − ρ y
    e'    = κ y − e
    free' = μ Δu + (f + f' − free)

Five groups of lanes are in flight (six for peaks inside the steps), what one step hands to the next in registers, the
rest beside them. Setting up and reading off are compiled too: in NumPy they cost a tenth of the march.

*Peaks inside the steps.* Since q + q' = μ Δu, the motion of a step that has the velocities of its ends is a parabola.
Its tangents at the ends meet at 2c = μ u + q, and c' = c + q': no vertex lies beyond the largest |c|, which costs one
sum more than the largest |u|. A first pass keeps the largest |c| of every stretch, and the state at its start; a second
one goes back to the few stretches whose |c| lies beyond what is known of the peak, and looks for vertices, of which

    μ u/2 = c + q q'/(2 (q − q')),  where q changes its sign.
"""

from __future__ import annotations

import math
from typing import Any

from hamex.march.lanes import align, choose, maximum, minimum, put, size, some, spread
from hamex.march.lanes import take_fusing as take

Array = Any
Lanes = Any

LANES = 4  # doubles; one vector of AVX2
TILE = 5 * LANES
TILE_INSIDE = 6 * LANES  # where peaks are sought inside the steps
STRETCH = 16  # steps between two states that are kept
STRETCHES = 128  # of a record; beyond, they are longer
INSIDE = False  # settled before compiling: peaks inside the steps, or at the nodes only

# Rows of a tile; the first four change.
U = 0  # or c, for peaks inside the steps
E = 1
FREE = 2  # of the first step before, q after the last
LARGEST = 3  # |u|, or μ|u|/2
LIMIT = 4
LOW = 5  # −limit
BETA = 6
RHO = 7
KAPPA = 8
MU = 9
UNIT = 10  # what half a displacement is in; not for the march
ROWS = 11

# Rows of what is kept of the stretches: first the largest |c| of every one, then three for every state at its start.
KEPT = 4


# Factors of the generated step form, see hamex.solve.oscillators.
OF_MASS = 0  # in M̂
OF_DAMPING = 1
OF_FORCE = 2  # impulse of the spring in the first row
OF_FLEXIBILITY = 3
OF_MOTION = 4  # Δu in the row of the spring
OF_SLIP = 5  # slip rate in the row of the spring
OF_LOAD = 6
OF_MOMENTUM = 7  # 2m/h per mass
FACTORS = 8


def largest(
    mass: Array,
    damping: Array,
    stiffness: Array,
    yield_force: Array,
    viscosity: Array,
    push: Array,
    factors: Array,
    load: Array,
    pairs: Array,
    s: Array,
    kept: Array,
    top: Array,
    last: Array,
) -> int:
    """Largest and last displacements of oscillators that start at rest; returns the number of the first that is not
    finite, counted from 1, or 0.

    ``push`` is the force per unit of the load, ``load`` ends with the zero that follows the record, ``pairs`` are
    f + f' of each step. ``s`` is room for one tile, (row, place), and ``kept``, where peaks are sought inside steps,
    for its stretches, (KEPT · stretches, place).
    """
    align()
    lost = 0
    width = TILE_INSIDE if INSIDE else TILE
    for first in range(0, len(mass), width):
        count = min(width, len(mass) - first)
        for place in range(count):
            i = first + place
            enter(s, place, mass[i], damping[i], stiffness[i], yield_force[i], viscosity[i], push[i], factors)
        for place in range(width):
            s[U, place] = 0.0
            s[E, place] = 0.0
            s[FREE, place] = load[0]  # of padding too: its q is zero and stays so
            s[LARGEST, place] = 0.0
        if INSIDE:
            march_inside(load, pairs, s, kept)
        else:
            march(pairs, s)
        for place in range(count):
            i, scale, u = first + place, 2.0 * s[UNIT, place], s[U, place]
            if INSIDE:
                scale = 2.0 * scale / s[MU, place]
                u = u - 0.5 * s[FREE, place]
            top[i] = abs(scale) * s[LARGEST, place]
            last[i] = scale * u
            if lost == 0 and not (math.isfinite(last[i]) and math.isfinite(s[FREE, place])):
                lost = i + 1
    return lost


def enter(
    s: Array,
    place: int,
    mass: float,
    damping: float,
    stiffness: float,
    yield_force: float,
    viscosity: float,
    push: float,
    factors: Array,
) -> None:
    """Coefficients of an oscillator; divisions are what they cost."""
    light = 1.0 / (factors[OF_MASS] * mass + factors[OF_DAMPING] * damping)
    soft, recoil = 1.0 / stiffness, factors[OF_FORCE] * light
    flexibility = factors[OF_FLEXIBILITY] * soft - factors[OF_MOTION] * recoil
    firm = 1.0 / flexibility
    unit = 0.5 * factors[OF_LOAD] * push * light
    beta, limit = 0.0, math.inf
    if yield_force < math.inf:
        beta = factors[OF_SLIP] * firm / (viscosity + factors[OF_SLIP] * firm)
        if unit != 0.0:
            limit = flexibility * yield_force / abs(unit)
    s[UNIT, place] = unit
    s[LIMIT, place] = limit
    s[LOW, place] = -limit
    s[BETA, place] = beta
    s[RHO, place] = 0.5 * recoil * firm
    s[KAPPA, place] = 2.0 * soft * firm
    s[MU, place] = factors[OF_MOMENTUM] * mass * light


def march(pairs: Array, s: Array) -> None:
    """March a tile through the record."""
    align()
    a, b, c, d, e = (held(s, 0), held(s, LANES), held(s, 2 * LANES), held(s, 3 * LANES), held(s, 4 * LANES))
    u, v, w, x, y = (begun(s, 0), begun(s, LANES), begun(s, 2 * LANES), begun(s, 3 * LANES), begun(s, 4 * LANES))
    for r in range(len(pairs)):
        pair = pairs[r]
        u, v, w = step(pair, a, u), step(pair, b, v), step(pair, c, w)
        x, y = step(pair, d, x), step(pair, e, y)
    ended(s, 0, u)
    ended(s, LANES, v)
    ended(s, 2 * LANES, w)
    ended(s, 3 * LANES, x)
    ended(s, 4 * LANES, y)


def step(pair: float, coefficients: tuple[Lanes, ...], state: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """One step of one group."""
    limit, low, beta, rho, kappa, mu = coefficients
    u, e, free, top = state
    t = e + free
    y = t - beta * (t - maximum(minimum(t, limit), low))
    du = free - rho * y
    u = u + du
    return u, kappa * y - e, mu * du + (pair - free), maximum(size(u), top)


def held(s: Array, i: int) -> tuple[Lanes, ...]:
    """Coefficients of a group."""
    return (
        take(s, LIMIT, i, LANES),
        take(s, LOW, i, LANES),
        take(s, BETA, i, LANES),
        take(s, RHO, i, LANES),
        take(s, KAPPA, i, LANES),
        take(s, MU, i, LANES),
    )


def begun(s: Array, i: int) -> tuple[Lanes, ...]:
    """State of a group at the start."""
    return take(s, U, i, LANES), take(s, E, i, LANES), take(s, FREE, i, LANES), take(s, LARGEST, i, LANES)


def ended(s: Array, i: int, state: tuple[Lanes, ...]) -> None:
    """State of a group at the end."""
    u, e, free, top = state
    put(s, U, i, u)
    put(s, E, i, e)
    put(s, FREE, i, free)
    put(s, LARGEST, i, top)


# Peaks inside the steps -----------------------------------------------------------------------------------------


def stretch_of(steps: int) -> int:
    """Steps of a stretch."""
    return max(STRETCH, -(-steps // STRETCHES))


def march_inside(load: Array, pairs: Array, s: Array, kept: Array) -> None:
    """March a tile through the record, and look for peaks inside the steps."""
    align()
    steps, row = len(pairs), len(kept) // KEPT
    stretch = stretch_of(steps)
    a, b, c = held(s, 0), held(s, LANES), held(s, 2 * LANES)
    d, e, f = held(s, 3 * LANES), held(s, 4 * LANES), held(s, 5 * LANES)
    u, v, w = entered(s, 0), entered(s, LANES), entered(s, 2 * LANES)
    x, y, z = entered(s, 3 * LANES), entered(s, 4 * LANES), entered(s, 5 * LANES)
    for first in range(0, steps, stretch):
        u, v, w = anew(kept, row, 0, u), anew(kept, row, LANES, v), anew(kept, row, 2 * LANES, w)
        x, y, z = anew(kept, row, 3 * LANES, x), anew(kept, row, 4 * LANES, y), anew(kept, row, 5 * LANES, z)
        for r in range(first, min(first + stretch, steps)):
            pair, after = pairs[r], load[r + 1]
            u, v, w = bounded(pair, after, a, u), bounded(pair, after, b, v), bounded(pair, after, c, w)
            x, y, z = bounded(pair, after, d, x), bounded(pair, after, e, y), bounded(pair, after, f, z)
        put(kept, first // stretch, 0, u[3])
        put(kept, first // stretch, LANES, v[3])
        put(kept, first // stretch, 2 * LANES, w[3])
        put(kept, first // stretch, 3 * LANES, x[3])
        put(kept, first // stretch, 4 * LANES, y[3])
        put(kept, first // stretch, 5 * LANES, z[3])
        row += 3
    left(s, 0, u)
    left(s, LANES, v)
    left(s, 2 * LANES, w)
    left(s, 3 * LANES, x)
    left(s, 4 * LANES, y)
    left(s, 5 * LANES, z)
    for i in range(0, TILE_INSIDE, LANES):
        search(load, pairs, s, kept, i)


def entered(s: Array, i: int) -> tuple[Lanes, ...]:
    """State of a group at the start: c, e, free, the largest |c| of the stretch and that of all before."""
    c, e, free, top = begun(s, i)
    return c, e, free, top, top


def anew(kept: Array, row: int, i: int, state: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Keep the state of a group at the start of a stretch, whose largest |c| is still to come."""
    c, e, free, top, far = state
    put(kept, row, i, c)
    put(kept, row + 1, i, e)
    put(kept, row + 2, i, free)
    return c, e, free, spread(0.0, top), maximum(top, far)


def bounded(pair: float, after: float, coefficients: tuple[Lanes, ...], state: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """One step of one group, which no vertex leaves beyond the |c| at its start."""
    limit, low, beta, rho, kappa, mu = coefficients
    c, e, free, top, far = state
    t = e + free
    y = t - beta * (t - maximum(minimum(t, limit), low))
    ahead = mu * (free - rho * y) + (pair - free)
    return c + (ahead - after), kappa * y - e, ahead, maximum(size(c), top), far


def left(s: Array, i: int, state: tuple[Lanes, ...]) -> None:
    """State of a group at the end, and the largest |c|."""
    c, e, free, top, far = state
    ended(s, i, (c, e, free, maximum(top, far)))


def search(load: Array, pairs: Array, s: Array, kept: Array, i: int) -> None:
    """Second pass of one group: what is known of the peak is the last node, then the stretch that reaches farthest,
    then those that reach beyond it. A lane takes only what it asked for, so that its neighbours change nothing."""
    steps = len(pairs)
    stretch = stretch_of(steps)
    count = len(kept) // KEPT
    farthest = take(s, LARGEST, i, LANES)
    peak = size(take(s, U, i, LANES) - 0.5 * take(s, FREE, i, LANES))
    for k in range(count):
        suspect = (take(kept, k, i, LANES) >= farthest) & (farthest > peak)  # of padding nothing
        if some(suspect):
            peak = revisited(
                load, pairs, k * stretch, min((k + 1) * stretch, steps), s, kept, count + 3 * k, i, suspect, peak
            )
            put(kept, k, i, choose(suspect, spread(0.0, peak), take(kept, k, i, LANES)))
    for k in range(count):
        suspect = take(kept, k, i, LANES) > peak
        if some(suspect):
            peak = revisited(
                load, pairs, k * stretch, min((k + 1) * stretch, steps), s, kept, count + 3 * k, i, suspect, peak
            )
    put(s, LARGEST, i, peak)


def revisited(
    load: Array, pairs: Array, first: int, last: int, s: Array, kept: Array, row: int, i: int, suspect: Any, peak: Lanes
) -> Lanes:
    """March a group through a stretch again; returns the peak with the vertices that were found there."""
    limit, low, beta, rho, kappa, mu = held(s, i)
    c, e, free = take(kept, row, i, LANES), take(kept, row + 1, i, LANES), take(kept, row + 2, i, LANES)
    for r in range(first, last):
        t = e + free
        y = t - beta * (t - maximum(minimum(t, limit), low))
        e = kappa * y - e
        q = free - load[r]
        free = mu * (free - rho * y) + (pairs[r] - free)
        ahead = free - load[r + 1]
        product = q * ahead
        turns = (product < 0.0) & suspect
        vertex = c + product / choose(turns, 2.0 * (q - ahead), spread(1.0, q))
        peak = choose(turns, maximum(size(vertex), peak), peak)
        c = c + ahead
    return peak
