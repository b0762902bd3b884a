"""Many oscillators, one record: the step of :mod:`hamex.march.oscillator` in lanes, for whole histories.

Oscillators lie in tiles of :data:`TILE`, one table of coefficients and one of states per tile, so that a tile stays
next to the processor for the whole record. Letters as in :mod:`hamex.march.oscillator`. Lengths are in units of the
oscillator's yield deformation Q Fy, so that its slider clips at ±1; u, Δu and q = p/M̂ are halved, which saves products:

    free = q + g f*             Δu if the spring were cut
    t    = e + free             elastic trial of Q F, e = u − s
    y    = t − β (t − clip t)   Q F, eqs. (67)-(68)
    Δu   = free − ρ y
    e'   = κ y − e              twice the mean elastic deformation a F, less e
    q'   = μ Δu − q             eq. (79)

Memory, not arithmetic, limits the speed: a step reads five coefficients and four states; where only the largest
displacement is wanted, :mod:`hamex.march.peaks` keeps them in registers. Names in capitals are settled before a kernel
is compiled, and what is not asked for costs nothing.
"""

from __future__ import annotations

from typing import Any

from hamex.march.lanes import align, choose, maximum, minimum, put, size, some, spread
from hamex.march.lanes import take_fusing as take

Array = Any

LANES = 8  # two vectors of AVX2, one of AVX-512
TILE = 32  # enough independent chains to hide the latency of a step, small enough for the first cache

LIMITS = False  # the limit is a row of its own and may move and grow
SOFTENS = False  # stiffness outside the spring (P-Delta)
SLIPS = False  # slip itself; otherwise u − e, good to round-off of u
RATES = False  # peaks of velocity and absolute acceleration
FORCES = False  # peak of the spring force
WORK = False  # plastic work and work of the load
CYCLES = False  # excursions into slip
INSIDE = False  # the largest displacement inside the steps, see hamex.march.peaks
HISTORY = False  # u, e, q, y of every step

# Rows of a tile: those that every step needs come first and lie within one page of memory, where no two of them can
# be mistaken for each other by the processor.
U = 0
E = 1
Q = 2
LARGEST = 3  # |u|
PUSH = 4  # g: free motion per unit of the load
BETA = 5
RHO = 6
KAPPA = 7
MU = 8
SLIP = 9
BACK = 10  # x
ACCUMULATED = 11
FASTEST = 12  # |q|
HARDEST = 13  # |q' − q + shake f|
STRONGEST = 14  # |y|
PLASTIC = 15
INPUT = 16
WAY = 17  # of the last slip
EXCURSIONS = 18
SHAKE = 19  # ground acceleration per unit of the load, on the scale of q' − q
BESIDE = 20  # free motion per displacement, by the stiffness outside the spring
LIMIT = 21
SHIFT = 22  # x per slip, kinematic hardening
GROW = 23  # limit per accumulated slip, isotropic hardening
ROWS = 24

KEPT = 4  # rows of a history: u, e, q at the end of the step, y of the step


def oscillators(load: Array, tiles: Array, history: Array) -> int:
    """March every tile (tile, row, place) through the record; the history is (tile, 4·step + row, place)."""
    align()
    for tile in range(len(tiles)):
        march_tile(load, tiles[tile], history[tile])
    return 0


def march_tile(load: Array, s: Array, history: Array) -> None:
    """March one tile."""
    align()
    for r in range(len(load)):
        f = load[r]
        for i in range(0, TILE, LANES):
            e = take(s, E, i, LANES)
            q = take(s, Q, i, LANES)
            u = take(s, U, i, LANES)
            free = q + take(s, PUSH, i, LANES) * f
            if SOFTENS:
                free = free - take(s, BESIDE, i, LANES) * u
            t = e + free
            if LIMITS:
                back = take(s, BACK, i, LANES)
                grown = take(s, GROW, i, LANES) * take(s, ACCUMULATED, i, LANES)
                limit = take(s, LIMIT, i, LANES) + grown
                trial = t - back
                beyond = trial - maximum(minimum(trial, limit), -limit)
            else:
                beyond = t - maximum(minimum(t, 1.0), -1.0)
            y = t - take(s, BETA, i, LANES) * beyond
            du = free - take(s, RHO, i, LANES) * y
            after = take(s, MU, i, LANES) * du - q
            if INSIDE:
                # No vertex lies beyond the point where the tangents at the ends meet: few steps need the division.
                suspect = size(take(s, MU, i, LANES) * u + q) > take(s, MU, i, LANES) * take(s, LARGEST, i, LANES)
                if some(suspect):
                    turns = (q * after < 0.0) & suspect
                    bend = choose(turns, take(s, MU, i, LANES) * (q - after), spread(1.0, q))
                    vertex = choose(turns, size(u + q * q / bend), spread(0.0, q))
                    put(s, LARGEST, i, maximum(vertex, take(s, LARGEST, i, LANES)))
            u = u + du
            put(s, U, i, u)
            put(s, E, i, take(s, KAPPA, i, LANES) * y - e)
            put(s, Q, i, after)
            put(s, LARGEST, i, maximum(size(u), take(s, LARGEST, i, LANES)))
            if LIMITS or SLIPS or WORK or CYCLES:
                z = t - y  # half the slip of the step
            if SLIPS:
                put(s, SLIP, i, take(s, SLIP, i, LANES) + 2.0 * z)
            if LIMITS:
                moved = take(s, SHIFT, i, LANES) * z  # half of what x moves by
                put(s, BACK, i, back + 2.0 * moved)
                put(s, ACCUMULATED, i, take(s, ACCUMULATED, i, LANES) + 2.0 * size(z))
            if RATES:
                put(s, FASTEST, i, maximum(size(after), take(s, FASTEST, i, LANES)))
                shaken = (after - q) + take(s, SHAKE, i, LANES) * f
                put(s, HARDEST, i, maximum(size(shaken), take(s, HARDEST, i, LANES)))
            if FORCES:
                put(s, STRONGEST, i, maximum(size(y), take(s, STRONGEST, i, LANES)))
            if WORK:
                put(s, INPUT, i, take(s, INPUT, i, LANES) + f * du)
                lost = y * z
                if LIMITS:
                    # What hardening stores is not lost: F less the means of the back force and of the limit's growth.
                    lost = (y - (back + moved)) * z - (grown + take(s, GROW, i, LANES) * size(z)) * size(z)
                put(s, PLASTIC, i, take(s, PLASTIC, i, LANES) + lost)
            if CYCLES:
                way = take(s, WAY, i, LANES)
                here = choose(z > 0.0, spread(1.0, z), choose(z < 0.0, spread(-1.0, z), way))
                put(
                    s,
                    EXCURSIONS,
                    i,
                    take(s, EXCURSIONS, i, LANES) + choose(here == way, spread(0.0, z), spread(1.0, z)),
                )
                put(s, WAY, i, here)
            if HISTORY:
                put(history, KEPT * r, i, u)
                put(history, KEPT * r + 1, i, take(s, E, i, LANES))
                put(history, KEPT * r + 2, i, after)
                put(history, KEPT * r + 3, i, y)
