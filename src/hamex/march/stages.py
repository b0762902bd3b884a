"""Time elements with several stages: the slip rates of a step as a small complementarity problem.

Row j of the problem is one spring at one stage. y_j is its trial force from the back force, N g the loss by slip:

    g_j = 0 and |y_j − (N g)_j| ≤ Y_j,    or    y_j − (N g)_j = σ_j Y_j + η_j g_j  with  σ_j g_j ≥ 0,

Y_j = Fy + Hi w growing with |g| of the same spring at all stages. The principal minors of N are positive (the tables
of Gauss and Radau see to it), so there is one answer. Newton on the branches finds it nearly always; where it cycles,
the answer is followed from zero load on, one change of branch at a time, which ends.

Steps that are halved until their error is small are taken here too, with the maps of every length behind each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.located import FixedElement, FixedModel, FixedRoom, fixed_energies
from hamex.march.matrices import copied

Array = Any

_NEWTON = 12
_ROUND = 1e-13


class Slip(NamedTuple):
    """The complementarity problem; arrays over rows (stage · springs + spring)."""

    N: Array
    eta: Array
    limit: Array  # Fy
    hard: Array  # h · isotropic · A between rows of one spring: growth of Y_j per |g_l|
    isotropic: Array


class Maps(NamedTuple):
    """Linear maps of one step, see hamex.schemes.stages.StageMaps, with its weights, h and kinematic hardening."""

    trial: Array
    soft: Array
    move: Array
    move_low: Array
    slide: Array
    weights: Array
    h: float
    kinematic: Array


class MappedHistory(NamedTuple):
    """Histories at the nodes, row 0 the start; slip rates g and forces F (step, row), mean forces (step, spring); the
    branches, which hold the guess; and solves."""

    u: Array
    p: Array
    s: Array
    X: Array
    w: Array
    g: Array
    F: Array
    mean: Array
    branch: Array
    solves: Array


class Room(NamedTuple):
    """Work space of a step."""

    inputs: Array
    y: Array
    Y: Array
    matrix: Array
    right: Array
    order: Array


def stages(slip: Slip, maps: Maps, load: Array, walk: MappedHistory, room: Room) -> int:
    """March; returns 0, or the number of the step whose branches were not found."""
    trial, soft, move, move_low, slide, weights, h, kinematic = maps
    u, p, s, X, w, g, F, mean, branch, solves = walk
    inputs, y, Y, matrix, right, order = room
    dofs, springs, rows, many = u.shape[1], s.shape[1], len(y), load.shape[1]
    count = len(weights)
    for r in range(len(load)):
        for i in range(dofs):
            inputs[i] = u[r, i]
            inputs[dofs + i] = p[r, i]
        for i in range(springs):
            inputs[2 * dofs + i] = s[r, i]
        for i in range(many):
            inputs[2 * dofs + springs + i] = load[r, i]
        inside = True
        for j in range(rows):
            spring = j % springs
            total = 0.0
            for i in range(len(inputs)):
                total += trial[j, i] * inputs[i]
            F[r, j] = total
            y[j] = total - X[r, spring]
            Y[j] = slip.limit[j] + slip.isotropic[j] * w[r, spring]
            g[r, j] = 0.0
            if abs(y[j]) > Y[j]:
                inside = False
        # The guess is what the last stage of the last step held: it belongs to the state, and a run may be cut
        # anywhere.
        for j in range(rows):
            branch[j] = 0 if inside else branch[rows - springs + j % springs]
        if not inside:
            solves[r] = slip_rates(slip, y, Y, branch, g[r], matrix, right, order)
            if solves[r] < 0:
                return r + 1
            for j in range(rows):
                total = 0.0
                for i in range(rows):
                    total += soft[j, i] * g[r, i]
                F[r, j] -= total
        for i in range(2 * dofs):
            # The old value and all products are summed with what each operation loses, and rounded once. Rounding
            # errors then have no bias, and the energy of a free oscillator does not drift.
            place = u[r, i] if i < dofs else p[r, i - dofs]
            total, lost = place, 0.0
            for j in range(len(inputs)):
                part, rest = product(move[i, j], inputs[j])
                total, error = added(total, part)
                lost += (rest + error) + move_low[i, j] * inputs[j]
            if not inside:
                for j in range(rows):
                    total, error = added(total, slide[i, j] * g[r, j])
                    lost += error
            if i < dofs:
                u[r + 1, i] = total + lost
            else:
                p[r + 1, i - dofs] = total + lost
        for i in range(springs):
            slid, grown, force = 0.0, 0.0, 0.0
            for k in range(count):
                slid += weights[k] * g[r, k * springs + i]
                grown += weights[k] * abs(g[r, k * springs + i])
                force += weights[k] * F[r, k * springs + i]
            s[r + 1, i] = s[r, i] + h * slid
            X[r + 1, i] = X[r, i] + kinematic[i] * (h * slid)
            w[r + 1, i] = w[r, i] + h * grown
            mean[r, i] = force
    return 0


class Levels(NamedTuple):
    """Steps of h, h/2, h/4 … as :class:`Slip` and :class:`Maps` have them, one level behind the other; ``load`` holds
    the values of the whole run level by level, each from ``begin`` on; ``place`` and ``place_slip`` give the stages."""

    N: Array  # (level, row, row)
    eta: Array
    limit: Array
    hard: Array  # (level, row, row)
    isotropic: Array
    trial: Array  # (level, …)
    soft: Array
    move: Array
    move_low: Array
    slide: Array
    weights: Array
    h: Array  # (level,)
    kinematic: Array
    place: Array  # (level, …)
    place_slip: Array
    load: Array
    begin: Array  # (level,)


class HalvedHistory(NamedTuple):
    """What halved steps fill, row 0 of the nodes and the branches given."""

    u: Array
    p: Array
    slip: Array
    X: Array
    w: Array
    force: Array  # (step, spring)
    pieces: Array  # (step,)
    spent: Array  # (step, 4)


def halved(
    levels: Levels,
    model: FixedModel,
    element: FixedElement,
    tolerance: float,
    clock: int,
    first: int,
    guess: Array,
    out: HalvedHistory,
    walk: MappedHistory,
    room: Room,
    inside: FixedRoom,
) -> int:
    """Steps from number ``first`` on with 1, 2, 4 … equal pieces until two results differ by the tolerance at most.

    Returns the number of steps, or of the step for which the levels do not suffice, or −1 less that of the step whose
    branches were not found; step 0 is number ``clock`` of the run.
    """
    dofs, springs, rows = out.u.shape[1], out.slip.shape[1], len(room.y)
    for r in range(first, len(out.force)):
        done = -1
        for k in range(len(levels.h)):
            parts = 1 << k
            copied(out.u[r], walk.u[0])
            copied(out.p[r], walk.p[0])
            copied(out.slip[r], walk.s[0])
            copied(out.X[r], walk.X[0])
            copied(out.w[r], walk.w[0])
            for j in range(rows):
                walk.branch[j] = guess[j % springs]
            slip = Slip(levels.N[k], levels.eta, levels.limit, levels.hard[k], levels.isotropic)
            maps = Maps(
                levels.trial[k],
                levels.soft[k],
                levels.move[k],
                levels.move_low[k],
                levels.slide[k],
                levels.weights,
                levels.h[k],
                levels.kinematic,
            )
            at = levels.begin[k] + (clock + r) * parts
            if stages(slip, maps, levels.load[at : at + parts], walk, room) > 0:
                return -1 - r
            if k > 0:
                done = k
                for i in range(dofs):
                    if not abs(walk.u[parts, i] - inside.x[i]) <= tolerance:
                        done = -1
                if done > 0:
                    break
            for i in range(dofs):
                inside.x[i] = walk.u[parts, i]
        if done < 0:
            return r
        stored(levels, model, element, clock, r, done, guess, out, walk, room, inside)
    return len(out.force)


def stored(
    levels: Levels,
    model: FixedModel,
    element: FixedElement,
    clock: int,
    r: int,
    k: int,
    guess: Array,
    out: HalvedHistory,
    walk: MappedHistory,
    room: Room,
    inside: FixedRoom,
) -> None:
    """Keep step r as its pieces at level k left it: the state at its end, mean forces and energies."""
    q, parts, dofs, springs = len(element.b), 1 << k, out.u.shape[1], out.slip.shape[1]
    copied(walk.u[parts], out.u[r + 1])
    copied(walk.p[parts], out.p[r + 1])
    copied(walk.s[parts], out.slip[r + 1])
    copied(walk.X[parts], out.X[r + 1])
    copied(walk.w[parts], out.w[r + 1])
    out.pieces[r] = parts
    for a in range(springs):
        guess[a] = walk.branch[len(walk.branch) - springs + a]
        total = 0.0
        for j in range(parts):
            total += walk.mean[j, a]
        out.force[r, a] = total / parts
    for i in range(4):
        out.spent[r, i] = 0.0
    for j in range(parts):
        load = levels.load[levels.begin[k] + (clock + r) * parts + j]
        stage_values(levels, k, load, walk, j, room.inputs, inside)
        for a in range(q):
            for i in range(dofs):
                total = 0.0
                for m in range(q):
                    total += element.inverse[a, m] * inside.x[m * dofs + i]
                inside.v[a, i] = total / levels.h[k]
        fixed_energies(model, element, levels.h[k], load, walk.u[j], inside)
        for i in range(4):
            out.spent[r, i] += inside.energies[i]


def stage_values(
    levels: Levels, k: int, load: Array, walk: MappedHistory, j: int, inputs: Array, inside: FixedRoom
) -> None:
    """Displacements at the stages of piece j relative to its start, slip rates and forces there."""
    dofs, springs = walk.u.shape[1], walk.s.shape[1]
    for i in range(dofs):
        inputs[i] = walk.u[j, i]
        inputs[dofs + i] = walk.p[j, i]
    for a in range(springs):
        inputs[2 * dofs + a] = walk.s[j, a]
    for c in range(len(load)):
        inputs[2 * dofs + springs + c] = load[c]
    for row in range(walk.g.shape[1]):
        inside.rate[row // springs, row % springs] = walk.g[j, row]
        inside.force[row // springs, row % springs] = walk.F[j, row]
    for i in range(len(inside.x)):
        total = 0.0
        for c in range(len(inputs)):
            total += levels.place[k, i, c] * inputs[c]
        for row in range(walk.g.shape[1]):
            total += levels.place_slip[k, i, row] * walk.g[j, row]
        inside.x[i] = total


def product(a: float, b: float) -> tuple[float, float]:
    """a·b rounded, and what rounding lost (Dekker)."""
    c = 134217729.0 * a
    a_high = c - (c - a)
    a_low = a - a_high
    c = 134217729.0 * b
    b_high = c - (c - b)
    b_low = b - b_high
    result = a * b
    return result, ((a_high * b_high - result) + a_high * b_low + a_low * b_high) + a_low * b_low


def added(a: float, b: float) -> tuple[float, float]:
    """a + b rounded, and what rounding lost (Knuth)."""
    result = a + b
    b_seen = result - a
    return result, (a - (result - b_seen)) + (b - b_seen)


def slip_rates(
    slip: Slip, y: Array, Y: Array, branch: Array, g: Array, matrix: Array, right: Array, order: Array
) -> int:
    """Solve for g; ``branch`` holds the guess and the answer. Returns the number of solves, or −1."""
    rows = len(y)
    for attempt in range(_NEWTON):
        on_branches(slip, y, Y, branch, 1.0, g, matrix, right, order)
        same = True
        for j in range(rows):
            value, limit = y[j], Y[j]
            for i in range(rows):
                if g[i] != 0.0:
                    value -= slip.N[j, i] * g[i]
                    limit += slip.hard[j, i] * abs(g[i])
            # On a slipping row the trial without its own viscosity decides, as for one stage.
            sign = 0
            if branch[j] != 0:
                if branch[j] * g[j] >= 0.0:
                    sign = branch[j]
            elif value > limit + _ROUND * abs(y[j]):
                sign = 1
            elif value < -limit - _ROUND * abs(y[j]):
                sign = -1
            if sign != branch[j]:
                same = False
                order[j] = sign
            else:
                order[j] = branch[j]
        if same:
            return attempt + 1
        for j in range(rows):
            branch[j] = order[j]
    return followed(slip, y, Y, branch, g, matrix, right, order)


def on_branches(
    slip: Slip, y: Array, Y: Array, branch: Array, share: float, g: Array, matrix: Array, right: Array, order: Array
) -> None:
    """g on given branches when ``share`` of the trial is there: a linear system over the rows that slip."""
    size = 0
    for j in range(len(y)):
        g[j] = 0.0
        if branch[j] != 0:
            order[size] = j
            size += 1
    for a in range(size):
        j = order[a]
        right[a] = share * y[j] - branch[j] * Y[j]
        for b in range(size):
            i = order[b]
            matrix[a, b] = slip.N[j, i] + branch[j] * branch[i] * slip.hard[j, i] + (slip.eta[j] if i == j else 0.0)
    eliminated(matrix, right, size)
    for a in range(size):
        g[order[a]] = right[a]


def eliminated(matrix: Array, right: Array, size: int) -> None:
    """Gauss with partial pivoting, in place; the solution stands in ``right``."""
    for a in range(size):
        best = a
        for b in range(a + 1, size):
            if abs(matrix[b, a]) > abs(matrix[best, a]):
                best = b
        if best != a:
            for c in range(a, size):
                matrix[a, c], matrix[best, c] = matrix[best, c], matrix[a, c]
            right[a], right[best] = right[best], right[a]
        for b in range(a + 1, size):
            factor = matrix[b, a] / matrix[a, a]
            for c in range(a + 1, size):
                matrix[b, c] -= factor * matrix[a, c]
            right[b] -= factor * right[a]
    for a in range(size - 1, -1, -1):
        for c in range(a + 1, size):
            right[a] -= matrix[a, c] * right[c]
        right[a] /= matrix[a, a]


def followed(slip: Slip, y: Array, Y: Array, branch: Array, g: Array, matrix: Array, right: Array, order: Array) -> int:
    """Follow the answer as the trial grows from nothing: between two changes of branch it is straight.

    Every piece is found from its two ends; the first row to reach its limit, or to come to rest, changes its branch.
    Unique answers make this a path that cannot return, so it ends.
    """
    rows = len(y)
    for j in range(rows):
        branch[j] = 0
    share = 0.0
    for turn in range(40 * rows + 40):
        on_branches(slip, y, Y, branch, share, g, matrix, right, order)
        value0, limit0 = g.copy(), g.copy()
        start = g.copy()
        for j in range(rows):
            value0[j] = share * y[j]
            limit0[j] = Y[j]
            for i in range(rows):
                value0[j] -= slip.N[j, i] * start[i]
                limit0[j] += slip.hard[j, i] * abs(start[i])
        on_branches(slip, y, Y, branch, share + 1.0, g, matrix, right, order)
        step, who, sign = 1.0 - share, -1, 0
        for j in range(rows):
            if branch[j] != 0:
                speed = branch[j] * (g[j] - start[j])
                if speed < 0.0:
                    reach = max(branch[j] * start[j], 0.0) / -speed
                    if reach < step:
                        step, who, sign = reach, j, 0
            else:
                fast, grow = y[j], 0.0
                for i in range(rows):
                    fast -= slip.N[j, i] * (g[i] - start[i])
                    if branch[i] != 0:
                        grow += slip.hard[j, i] * branch[i] * (g[i] - start[i])
                for side in (1, -1):
                    speed = side * fast - grow
                    if speed > 0.0:
                        reach = max(limit0[j] - side * value0[j], 0.0) / speed
                        if reach < step:
                            step, who, sign = reach, j, side
        share += step
        if who < 0:
            on_branches(slip, y, Y, branch, 1.0, g, matrix, right, order)
            return _NEWTON + turn + 1
        branch[who] = sign
    return -1
