"""Largest displacements of many oscillators, nothing else: the fastest way through a record.

The step of :mod:`hamex.march.oscillators`, in the same units and halves, in the order that leaves the shortest way
from one step to the next; instead of q the free motion of the next step is carried, which sees the loads of two steps:

    beyond = t − clip t,  t = e + free
    Δu     = (free − ρ t) + ρβ beyond
    e'     = (e − 2β beyond) + 2 Δu
    free'  = μ Δu + (g (f + f') − free)

Six groups of lanes are in flight, their states in registers (or beside them) from the first step to the last. Setting
up and reading off are compiled too: in NumPy they cost a tenth of the march.
"""

from __future__ import annotations

import math
from typing import Any

from hamex.march.lanes import align, maximum, minimum, put, size, take

Array = Any
Lanes = Any

LANES = 4  # doubles; one vector of AVX2
TILE = 6 * LANES

# Rows of a tile; the first four change.
U = 0
E = 1
FREE = 2  # of the first step before, q after the last
LARGEST = 3
PUSH = 4  # g
GIVE = 5  # ρβ
RHO = 6
MU = 7
CREEP = 8  # 2β
ROWS = 9


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


def begin(
    mass: Array,
    damping: Array,
    stiffness: Array,
    yield_force: Array,
    viscosity: Array,
    push: Array,
    factors: Array,
    load: float,
    tiles: Array,
    unit: Array,
) -> int:
    """Fill the tiles, oscillators at rest; ``push`` is the force per unit of the load, ``unit`` becomes Q Fy."""
    width = tiles.shape[2]
    for i in range(len(mass)):
        effective = factors[OF_MASS] * mass[i] + factors[OF_DAMPING] * damping[i]
        recoil = factors[OF_FORCE] / effective
        flexibility = factors[OF_FLEXIBILITY] / stiffness[i] - factors[OF_MOTION] * recoil
        stiff = factors[OF_SLIP] / flexibility
        beta = 0.0
        unit[i] = 1.0  # a spring that never yields has no length of its own
        if yield_force[i] < math.inf:
            beta = stiff / (viscosity[i] + stiff)
            unit[i] = flexibility * yield_force[i]
        rho = 0.5 * recoil / flexibility
        pushed = factors[OF_LOAD] * push[i] / (2.0 * unit[i] * effective)
        s, place = tiles[i // width], i % width
        s[FREE, place] = pushed * load
        s[PUSH, place] = pushed
        s[GIVE, place] = rho * beta
        s[RHO, place] = rho
        s[MU, place] = factors[OF_MOMENTUM] * mass[i] / effective
        s[CREEP, place] = 2.0 * beta
    return 0


def end(tiles: Array, unit: Array, top: Array, last: Array) -> int:
    """Largest and last displacements; returns the number of the first that is not finite, counted from 1, or 0."""
    width = tiles.shape[2]
    lost = 0
    for i in range(len(unit) - 1, -1, -1):
        s, place = tiles[i // width], i % width
        top[i] = 2.0 * unit[i] * s[LARGEST, place]
        last[i] = 2.0 * unit[i] * s[U, place]
        if not (math.isfinite(last[i]) and math.isfinite(s[FREE, place])):
            lost = i + 1
    return lost


def largest(pairs: Array, tiles: Array) -> int:
    """March every tile (tile, row, place); ``pairs`` are f + f' of each step, with f' of the last one zero."""
    align()
    for tile in range(len(tiles)):
        s = tiles[tile]
        a, b, c, d, e, f = (
            held(s, 0),
            held(s, LANES),
            held(s, 2 * LANES),
            held(s, 3 * LANES),
            held(s, 4 * LANES),
            held(s, 5 * LANES),
        )
        t, u, v, w, x, y = (
            begun(s, 0),
            begun(s, LANES),
            begun(s, 2 * LANES),
            begun(s, 3 * LANES),
            begun(s, 4 * LANES),
            begun(s, 5 * LANES),
        )
        for r in range(len(pairs)):
            pair = pairs[r]
            t, u, v = step(pair, a, t), step(pair, b, u), step(pair, c, v)
            w, x, y = step(pair, d, w), step(pair, e, x), step(pair, f, y)
        ended(s, 0, t)
        ended(s, LANES, u)
        ended(s, 2 * LANES, v)
        ended(s, 3 * LANES, w)
        ended(s, 4 * LANES, x)
        ended(s, 5 * LANES, y)
    return 0


def step(pair: float, coefficients: tuple[Lanes, ...], state: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """One step of one group."""
    push, give, rho, mu, creep = coefficients
    u, e, free, top = state
    t = e + free
    beyond = t - maximum(minimum(t, 1.0), -1.0)
    du = (free - rho * t) + give * beyond
    u = u + du
    return u, (e - creep * beyond) + 2.0 * du, mu * du + (push * pair - free), maximum(size(u), top)


def held(s: Array, i: int) -> tuple[Lanes, ...]:
    """Coefficients of a group."""
    return (
        take(s, PUSH, i, LANES),
        take(s, GIVE, i, LANES),
        take(s, RHO, i, LANES),
        take(s, MU, i, LANES),
        take(s, CREEP, i, LANES),
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
