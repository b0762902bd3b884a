"""Many shear buildings of equal height, one record: the step of :mod:`hamex.march.shear_frame` in lanes.

Floors are eliminated from the roof down, so that the first storey is left with one equation of its own, whose branch
the elastic trial fixes; nothing above depends on that branch. The other storeys keep the branches of the last step,
and one pair of sweeps with the factors at hand is nearly always the whole step. Groups of buildings in which a storey
left its branch are swept again on the new branches; what a few rounds do not settle goes, building by building, to
Newton with a line search.

A sweep is a function of a building's own state and branches: one that keeps its branches while a neighbour is swept
again gets the same bits again. Hence no masks, and no influence of neighbours, order or padding.

The state is e = drift − slip, s = slip and v = p/(2m/h), by storeys and floors; deformations stand for forces, limits
are over k. So a step reads the fewest numbers, and reading is what limits the speed. Other letters as in
:mod:`hamex.march.shear_frame`. Frames lie in groups of :data:`LANES`; a group is a row of the table ``t``, storey
after storey and quantity after quantity, so that one address serves a storey.
"""

from __future__ import annotations

from typing import Any

from hamex.march import shear_frame as one
from hamex.march.lanes import Lane, choose, maximum, minimum, put, size, some, spread
from hamex.march.lanes import take_fusing as take
from hamex.march.run import at as from_entry
from hamex.march.run import invoke
from hamex.march.shear_frame import on_branches, solved

Array = Any

LANES = 8  # two vectors of AVX2, one of AVX-512
HARDENS = False  # settled before compiling: back forces, and limits that grow
PATIENCE = 3  # rounds in lanes before the line search

# Places of a storey's quantities. First those that every step needs: state at the start of the step and at its end,
# which change places every step; then what the branch settles.
E = 0 * LANES
S = 1 * LANES
V = 2 * LANES
STATE = 3 * LANES
DRIFT = 6 * LANES  # largest |e + s| at the starts of steps
SWEPT = 7 * LANES  # y/D
T = 8 * LANES  # tangent times h/2
OFFSET = 9 * LANES  # (h/2)F = T e + offset; with HARDENS per unit of the limit
FLOW = 10 * LANES  # slip per deformation beyond the limit; 0 where elastic
LOW = 11 * LANES  # bounds of the elastic trial between which the storey stays on its branch
HIGH = 12 * LANES
LOWER = 13 * LANES  # L
PIVOT = 14 * LANES  # 1/D
MASS = 15 * LANES  # 2m/h
YIELD = 16 * LANES  # Fy/k
X = 17 * LANES  # back force over k, and accumulated slip; the same at the end of the step behind them
W = 18 * LANES
MEMORY = 2 * LANES
BRANCH = 21 * LANES  # −1, 0, 1
KINEMATIC = 22 * LANES  # Hk/k
ISOTROPIC = 23 * LANES  # Hi/k
U = 24 * LANES  # displacement, only where K is; the same at the end of the step behind it
BESIDE = 26 * LANES  # (h/2)K, main and side diagonal
BESIDE_SIDE = 27 * LANES
MAIN = 28 * LANES  # M̂, main and side diagonal
SIDE = 29 * LANES
ELASTIC = 30 * LANES  # (h/2)k
LOOSE = 31 * LANES  # flow once it slips
DRAG = 32 * LANES  # η/(h k)
SOLVES = 33 * LANES  # of the building, beyond one a step
# Peaks and sums; only those asked for are touched.
DISPLACEMENT = 34 * LANES  # like DRIFT at the starts of steps
VELOCITY = 35 * LANES  # |v|
FORCE = 36 * LANES  # |e + e'|: twice the mean force over k
ACCELERATION = 37 * LANES  # |v' − v| in absolute motion
SLIP = 38 * LANES
WORK = 39 * LANES  # over k
PATH = 40 * LANES  # |slip| accumulated
ROWS = 41
STOREY = ROWS * LANES
# The first storey has neither L nor y: there stand numbers of the building.
SCALE = LOWER  # of the record
MISSED = SWEPT  # 1 where a storey is not on its branch

NEVER = 1e300  # yield deformation of an elastic storey: unlike ∞, nothing times it is nothing
WANTS = (VELOCITY, FORCE, ACCELERATION, SLIP, WORK, PATH)


def shear_frames(
    t: Array,
    frames: Array,
    n: int,
    h: float,
    record: Array,
    softens: int,
    floors: int,
    tile: int,
    wants: Array,
    failed: Array,
    todo: Array,
    space: Array,
    state: Array,
    branch: Array,
    count: Array,
    solver: int,
    settle: int,
) -> int:
    """March all groups of ``t`` through the record, ``tile`` groups at a time; returns how many steps failed.

    ``frames`` holds the same buildings as flat tables of one. ``softens``: K is there; ``floors``: keep the largest
    displacements. ``wants`` says for each of WANTS whether to keep it, empty for none; ``failed`` receives the first
    unsolved step of a building, counted from 1. Then work space: a list of groups, and one building for the line
    search; and where :func:`newton` and :func:`hamex.march.shear_frame.settle` are: seldom called, and the longest to
    compile.
    """
    lost = 0
    for first in range(0, len(t), tile):
        last = min(first + tile, len(t))
        for k in range(len(record)):
            odd = k % 2
            push = -0.25 * h * h * record[k]
            left = last - first
            for j in range(left):
                todo[j] = first + j
            for turn in range(PATIENCE + 2):
                if turn > 0 or k == 0:
                    reopen(t, todo, left, n, odd)
                left = sweep(t, todo, left, n, push, softens, floors, odd)
                if left == 0 or turn > PATIENCE:
                    break
                if turn == PATIENCE:
                    for j in range(left):
                        v = todo[j]
                        lost += resolve(
                            t, frames, v, n, h, push, k, failed, space, state, branch, count, solver, settle
                        )
            if len(wants):
                observe(t, first, last, n, push, wants, odd)
    return lost


def sweep(t: Array, todo: Array, groups: int, n: int, push: float, softens: int, floors: int, odd: int) -> int:
    """The step on the branches held; returns how many groups have a storey off its branch, now first in the list.

    Ordered so that storey waits for storey through one product and one sum only.
    """
    old, new = STATE * odd, STATE * (1 - odd)
    past = MEMORY * odd
    left = 0
    for j in range(groups):
        v = todo[j]
        shake = push * take(t, v, SCALE, LANES)
        carry = spread(0.0, shake)
        for i in range(n - 1, 0, -1):
            at = i * STOREY
            offset = take(t, v, at + OFFSET, LANES)
            if HARDENS:
                limit = take(t, v, at + YIELD, LANES) + take(t, v, at + ISOTROPIC, LANES) * take(
                    t, v, at + W + past, LANES
                )
                offset = offset * (take(t, v, at + X + past, LANES) + take(t, v, at + BRANCH, LANES) * limit)
            force = take(t, v, at + T, LANES) * take(t, v, at + E + old, LANES) + offset
            row = take(t, v, at + MASS, LANES) * (take(t, v, at + V + old, LANES) + shake) - force
            if softens:
                row = row - beside(t, v, i, n, odd)
            lower = take(t, v, at + LOWER, LANES)
            put(t, v, at + SWEPT, take(t, v, at + PIVOT, LANES) * (row + carry))
            carry = (force - lower * row) - lower * carry
        # The first storey, as an oscillator.
        e, s, speed = take(t, v, E + old, LANES), take(t, v, S + old, LANES), take(t, v, V + old, LANES)
        row = take(t, v, MASS, LANES) * (speed + shake) - take(t, v, T, LANES) * e
        if softens:
            row = row - beside(t, v, 0, n, odd)
        pivot = take(t, v, PIVOT, LANES)
        x = pivot * row + pivot * carry
        limit = take(t, v, YIELD, LANES)
        trial = e
        if HARDENS:
            limit = limit + take(t, v, ISOTROPIC, LANES) * take(t, v, W + past, LANES)
            trial = trial - take(t, v, X + past, LANES)
        trial = trial + 0.5 * x
        beyond = trial - maximum(minimum(trial, limit), -limit)
        x = x + take(t, v, OFFSET, LANES) * beyond
        slide = take(t, v, FLOW, LANES) * beyond
        put(t, v, E + new, (e + x) - slide)
        put(t, v, S + new, s + slide)
        put(t, v, V + new, x - speed)
        floor = e + s
        put(t, v, DRIFT, maximum(size(floor), take(t, v, DRIFT, LANES)))
        if floors:
            put(t, v, DISPLACEMENT, maximum(size(floor), take(t, v, DISPLACEMENT, LANES)))
        if HARDENS:
            remember(t, v, 0, slide, odd)
        if softens:
            put(t, v, U + (1 - odd) * LANES, take(t, v, U + odd * LANES, LANES) + x)
        worst = spread(0.0, x)
        for i in range(1, n):
            at = i * STOREY
            below = x
            x = take(t, v, at + SWEPT, LANES) - take(t, v, at + LOWER, LANES) * below
            e, s = take(t, v, at + E + old, LANES), take(t, v, at + S + old, LANES)
            moved = x - below
            trial = e + 0.5 * moved
            if HARDENS:
                trial = trial - take(t, v, at + X + past, LANES)
                limit = take(t, v, at + YIELD, LANES) + take(t, v, at + ISOTROPIC, LANES) * take(
                    t, v, at + W + past, LANES
                )
                q = take(t, v, at + BRANCH, LANES)
                slide = take(t, v, at + FLOW, LANES) * (trial - q * limit)
                worst = maximum(choose(q == 0.0, size(trial) - limit, limit - q * trial), worst)
            else:
                low, high = take(t, v, at + LOW, LANES), take(t, v, at + HIGH, LANES)
                # The bound nearer to zero is the limit; where elastic it is zero and does not count.
                slide = take(t, v, at + FLOW, LANES) * (trial - minimum(maximum(low, 0.0), high))
                worst = maximum(maximum(low - trial, trial - high), worst)
            put(t, v, at + E + new, (e + moved) - slide)
            put(t, v, at + S + new, s + slide)
            put(t, v, at + V + new, x - take(t, v, at + V + old, LANES))
            drift = e + s
            put(t, v, at + DRIFT, maximum(size(drift), take(t, v, at + DRIFT, LANES)))
            if floors:
                floor = floor + drift
                put(t, v, at + DISPLACEMENT, maximum(size(floor), take(t, v, at + DISPLACEMENT, LANES)))
            if HARDENS:
                remember(t, v, at, slide, odd)
            if softens:
                put(t, v, at + U + (1 - odd) * LANES, take(t, v, at + U + odd * LANES, LANES) + x)
        missed = worst > 0.0
        put(t, v, MISSED, choose(missed, spread(1.0, x), 0.0))
        todo[left] = v
        left += some(missed)
    return left


def beside(t: Array, v: int, i: int, n: int, odd: int) -> Lane:
    """(h/2)K u of floor i."""
    at = i * STOREY
    u = U + odd * LANES
    force = take(t, v, at + BESIDE, LANES) * take(t, v, at + u, LANES)
    if i > 0:
        force = force + take(t, v, at + BESIDE_SIDE, LANES) * take(t, v, at - STOREY + u, LANES)
    if i + 1 < n:
        force = force + take(t, v, at + STOREY + BESIDE_SIDE, LANES) * take(t, v, at + STOREY + u, LANES)
    return force


def remember(t: Array, v: int, at: int, slide: Lane, odd: int) -> None:
    """Back force and accumulated slip at the end of the step."""
    past, next = MEMORY * odd, MEMORY * (1 - odd)
    put(t, v, at + X + next, take(t, v, at + X + past, LANES) + take(t, v, at + KINEMATIC, LANES) * slide)
    put(t, v, at + W + next, take(t, v, at + W + past, LANES) + size(slide))


def reopen(t: Array, todo: Array, groups: int, n: int, odd: int) -> None:
    """Put the buildings that missed on the branches of their last sweep, and factorise.

    Their neighbours keep their branches, and their factors come out as they were.
    """
    old, new = STATE * odd, STATE * (1 - odd)
    past = MEMORY * odd
    for j in range(groups):
        v = todo[j]
        missed = take(t, v, MISSED, LANES)
        put(t, v, SOLVES, take(t, v, SOLVES, LANES) + missed)
        one = spread(1.0, missed)
        above = spread(0.0, missed)
        carry = above
        for i in range(n - 1, 0, -1):
            at = i * STOREY
            e, s = take(t, v, at + E + old, LANES), take(t, v, at + S + old, LANES)
            trial = e + 0.5 * ((take(t, v, at + E + new, LANES) - e) + (take(t, v, at + S + new, LANES) - s))
            limit = take(t, v, at + YIELD, LANES)
            if HARDENS:
                limit = limit + take(t, v, at + ISOTROPIC, LANES) * take(t, v, at + W + past, LANES)
                trial = trial - take(t, v, at + X + past, LANES)
            q = take(t, v, at + BRANCH, LANES)
            q = q + missed * (choose(trial > limit, one, choose(trial < -limit, -one, 0.0)) - q)
            flow = choose(q == 0.0, 0.0, take(t, v, at + LOOSE, LANES))
            elastic = take(t, v, at + ELASTIC, LANES)
            offset = elastic * (0.5 * flow)
            tangent = elastic * (1.0 - 0.5 * flow)
            if not HARDENS:
                offset = offset * (q * limit)
                put(t, v, at + LOW, choose(q > 0.0, limit, choose(q < 0.0, -NEVER * one, -limit)))
                put(t, v, at + HIGH, choose(q < 0.0, -limit, choose(q > 0.0, NEVER * one, limit)))
            put(t, v, at + BRANCH, q)
            put(t, v, at + FLOW, flow)
            put(t, v, at + T, tangent)
            put(t, v, at + OFFSET, offset)
            here = 0.5 * tangent
            pivot = 1.0 / (take(t, v, at + MAIN, LANES) + here + above - carry)
            side = take(t, v, at + SIDE, LANES) - here
            lower = side * pivot
            put(t, v, at + PIVOT, pivot)
            put(t, v, at + LOWER, lower)
            carry = lower * side
            above = here
        # The first storey: elastic, then what a unit beyond the limit adds to x and to the slip, eqs. (66)-(68).
        rest = take(t, v, MAIN, LANES) + above - carry
        elastic = take(t, v, ELASTIC, LANES)
        loose = take(t, v, LOOSE, LANES)
        gain = elastic * (0.5 * loose) / (rest + 0.5 * (elastic * (1.0 - 0.5 * loose)))
        put(t, v, T, elastic)
        put(t, v, PIVOT, 1.0 / (rest + 0.5 * elastic))
        put(t, v, OFFSET, gain)
        put(t, v, FLOW, loose * (1.0 + 0.5 * gain))


def observe(t: Array, first: int, last: int, n: int, push: float, wants: Array, odd: int) -> None:
    """Peaks and sums after a step."""
    old, new = STATE * odd, STATE * (1 - odd)
    for v in range(first, last):
        ground = (2.0 * push) * take(t, v, SCALE, LANES)
        for i in range(n):
            at = i * STOREY
            if wants[0]:
                speed = take(t, v, at + V + new, LANES)
                put(t, v, at + VELOCITY, maximum(size(speed), take(t, v, at + VELOCITY, LANES)))
            if wants[1]:
                twice = take(t, v, at + E + old, LANES) + take(t, v, at + E + new, LANES)
                put(t, v, at + FORCE, maximum(size(twice), take(t, v, at + FORCE, LANES)))
            if wants[2]:
                change = (take(t, v, at + V + new, LANES) - take(t, v, at + V + old, LANES)) - ground
                put(t, v, at + ACCELERATION, maximum(size(change), take(t, v, at + ACCELERATION, LANES)))
            if wants[3]:
                slip = take(t, v, at + S + new, LANES)
                put(t, v, at + SLIP, maximum(size(slip), take(t, v, at + SLIP, LANES)))
            if wants[4]:
                slide = size(take(t, v, at + S + new, LANES) - take(t, v, at + S + old, LANES))
                lost = slide * (take(t, v, at + YIELD, LANES) + take(t, v, at + DRAG, LANES) * slide)
                put(t, v, at + WORK, take(t, v, at + WORK, LANES) + lost)
            if wants[5]:
                slide = size(take(t, v, at + S + new, LANES) - take(t, v, at + S + old, LANES))
                put(t, v, at + PATH, take(t, v, at + PATH, LANES) + slide)


def resolve(
    t: Array,
    frames: Array,
    v: int,
    n: int,
    h: float,
    push: float,
    k: int,
    failed: Array,
    s: Array,
    state: Array,
    branch: Array,
    count: Array,
    solver: int,
    settle: int,
) -> int:
    """Find the branches of those buildings of a group that still miss; returns how many failed."""
    lost = 0
    for lane in range(LANES):
        if t[v, MISSED + lane] != 0.0:
            building = v * LANES + lane
            c, before = from_entry(frames, one.NUMBERS * n * building), count[0]
            gather(t, c, v, lane, n, h, push, k % 2, s, state)
            flat = from_entry(s, 0), h, from_entry(state, 0), from_entry(branch, 0), from_entry(count, 0)
            if invoke(solver, (n, c, *flat, settle)) != 0.0:
                lost += 1
                if failed[building] == 0:
                    failed[building] = k + 1
            for i in range(n):
                t[v, i * STOREY + BRANCH + lane] = branch[i]
            t[v, SOLVES + lane] += count[0] - before
            t[v, MISSED + lane] = 0.0  # so that the next sweep takes these branches
    return lost


def gather(
    t: Array, c: Array, v: int, lane: int, n: int, h: float, push: float, odd: int, s: Array, state: Array
) -> None:
    """One building as chain wants it: work space s with right side and guess, state rows u, slip, X, w."""
    old, new = STATE * odd, STATE * (1 - odd)
    shake = push * t[v, SCALE + lane]
    floor, x = 0.0, 0.0
    for i in range(n):
        at = i * STOREY + lane
        e, slip = t[v, at + E + old], t[v, at + S + old]
        x += (t[v, at + E + new] - e) + (t[v, at + S + new] - slip)
        floor += e + slip
        state[i] = floor
        state[n + i] = slip
        state[2 * n + i] = c[one.STIFF * n + i] * t[v, at + X + MEMORY * odd] if HARDENS else 0.0
        state[3 * n + i] = t[v, at + W + MEMORY * odd] if HARDENS else 0.0
        s[one.E * n + i] = e
        s[one.NOW * n + i] = x
        s[one.RIGHT * n + i] = c[one.MASS * n + i] * (t[v, at + V + old] + shake)
    for i in range(n):
        stiff = c[one.BESIDE * n + i] * state[i]
        if i > 0:
            stiff += c[one.BESIDE_SIDE * n + i] * state[i - 1]
        if i + 1 < n:
            stiff += c[one.BESIDE_SIDE * n + i + 1] * state[i + 1]
        s[one.RIGHT * n + i] -= 0.5 * h * stiff


def newton(n: int, c: Array, s: Array, h: float, state: Array, branch: Array, count: Array, settle: int) -> float:
    """The first Newton step from the guess in row NOW, then the line searches of chain; 0, or 1 on failure."""
    X, w = from_entry(state, 2 * n), from_entry(state, 3 * n)
    on_branches(n, c, s, h, from_entry(s, one.NOW * n), X, w, branch)
    solved(n, c, s)
    count[0] += 1
    return invoke(settle, (n, c, s, h, state, from_entry(state, n), X, w, branch, count))
