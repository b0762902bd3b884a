"""Time elements with several stages: the slip rates of a step as a small complementarity problem.

Row j of the problem is one spring at one stage. y_j is its trial force from the back force, N g the loss by slip:

    g_j = 0 and |y_j − (N g)_j| ≤ Y_j,    or    y_j − (N g)_j = σ_j Y_j + η_j g_j  with  σ_j g_j ≥ 0,

Y_j = Fy + Hi w growing with |g| of the same spring at all stages. The principal minors of N are positive (the tables
of Gauss and Radau see to it), so there is one answer. Newton on the branches finds it nearly always; where it cycles,
the answer is followed from zero load on, one change of branch at a time, which ends.

Steps that are halved until their error is small are taken here too, with the maps of every length behind each other.
"""

from __future__ import annotations

from typing import Any

from hamex.march import located as fixed
from hamex.march.located import CHANNELS, DOFS, SIZES, SPRINGS, STAGES, fixed_energies
from hamex.march.matrices import copied
from hamex.march.run import at, invoke

Array = Any

_NEWTON = 12
_ROUND = 1e-13
LEVELS = 5  # one more size
# Slots behind those of pieces on fixed branches. Rows are stage · springs + spring; of steps of h, h/2, h/4 …, and for
# each of those arrays that depend on it, one level behind the other.
# Branches by rows, which hold the guess; rows that slip; solves of each step; pieces of each step; where the loads of
# each level begin.
BRANCHES, ON, SOLVES, PIECES, FROM, INTEGERS = range(fixed.INTEGERS, fixed.INTEGERS + 6)
# The complementarity problem: N (level, row, row), η, Fy, growth of Y_j per |g_l| between rows of one spring
# h · isotropic · A (level, row, row), isotropic hardening.
LOSS, ETA, LIMIT, HARD, ISOTROPIC = range(fixed.REALS, fixed.REALS + 5)
# Linear maps of one step (level, …), see hamex.schemes.stages.StageMaps, and lengths of the steps.
TRIAL, SOFT, MOVE, MOVE_LOW, SLIDE, PLACE, PLACE_SLIP, H = range(ISOTROPIC + 1, ISOTROPIC + 9)
# Histories of whole steps or of the pieces of one, row 0 the start: five at the nodes, slip rates g and forces F
# (step, row), mean forces (step, spring); and the loads of a whole run, level by level.
WALK, G, F, MEANS, LOADS = H + 1, H + 6, H + 7, H + 8, H + 9
# Work space of a step: inputs of the maps; y, Y; a system of the rows that slip and its right side; what stands at the
# begin of a piece of a path: y − N g, Y and g.
INPUTS, OVER, BOUND, SYSTEM, RIGHT, OVER0, BOUND0, G0, REALS = range(LOADS + 1, LOADS + 10)


def stages(N: Array, R: Array, level: int, steps: int, load: Array) -> int:
    """March under loads (step, stage · channel); returns 0, or the number of the step whose branches were not found."""
    dofs, springs, q, many = N[SIZES][DOFS], N[SIZES][SPRINGS], N[SIZES][STAGES], N[SIZES][STAGES] * N[SIZES][CHANNELS]
    rows, count = q * springs, 2 * dofs + springs + many
    trial, soft = at(R[TRIAL], level * rows * count), at(R[SOFT], level * rows * rows)
    move, move_low = at(R[MOVE], level * 2 * dofs * count), at(R[MOVE_LOW], level * 2 * dofs * count)
    slide, h = at(R[SLIDE], level * 2 * dofs * rows), R[H][level]
    weights, kinematic = R[fixed.WEIGHTS], R[fixed.KINEMATIC]
    inputs, y, Y, branch, limit, isotropic = R[INPUTS], R[OVER], R[BOUND], N[BRANCHES], R[LIMIT], R[ISOTROPIC]
    for r in range(steps):
        u, p, s = at(R[WALK], r * dofs), at(R[WALK + 1], r * dofs), at(R[WALK + 2], r * springs)
        X0, w = at(R[WALK + 3], r * springs), at(R[WALK + 4], r * springs)
        g, force = at(R[G], r * rows), at(R[F], r * rows)
        copied(dofs, u, inputs)
        copied(dofs, p, at(inputs, dofs))
        copied(springs, s, at(inputs, 2 * dofs))
        copied(many, at(load, r * many), at(inputs, 2 * dofs + springs))
        inside = True
        for j in range(rows):
            total = 0.0
            for i in range(count):
                total += trial[j * count + i] * inputs[i]
            force[j] = total
            y[j] = total - X0[j % springs]
            Y[j] = limit[j] + isotropic[j] * w[j % springs]
            g[j] = 0.0
            if abs(y[j]) > Y[j]:
                inside = False
        # The guess is what the last stage of the last step held: it belongs to the state, and a run may be cut
        # anywhere.
        for j in range(rows):
            branch[j] = 0 if inside else branch[rows - springs + j % springs]
        if not inside:
            N[SOLVES][r] = slip_rates(N, R, level, g)
            if N[SOLVES][r] < 0:
                return r + 1
            for j in range(rows):
                total = 0.0
                for i in range(rows):
                    total += soft[j * rows + i] * g[i]
                force[j] -= total
        for i in range(2 * dofs):
            # The old value and all products are summed with what each operation loses, and rounded once. Rounding
            # errors then have no bias, and the energy of a free oscillator does not drift.
            total, lost = inputs[i], 0.0
            for j in range(count):
                part, rest = product(move[i * count + j], inputs[j])
                total, error = added(total, part)
                lost += (rest + error) + move_low[i * count + j] * inputs[j]
            if not inside:
                for j in range(rows):
                    total, error = added(total, slide[i * rows + j] * g[j])
                    lost += error
            if i < dofs:
                u[dofs + i] = total + lost
            else:
                p[i] = total + lost  # of the next node: i − dofs stands dofs further on
        for i in range(springs):
            slid, grown, mean = 0.0, 0.0, 0.0
            for k in range(q):
                slid += weights[k] * g[k * springs + i]
                grown += weights[k] * abs(g[k * springs + i])
                mean += weights[k] * force[k * springs + i]
            s[springs + i] = s[i] + h * slid
            X0[springs + i] = X0[i] + kinematic[i] * (h * slid)
            w[springs + i] = w[i] + h * grown
            R[MEANS][r * springs + i] = mean
    return 0


def halved(N: Array, R: Array, tolerance: float, clock: int, first: int, steps: int) -> int:
    """Steps from number ``first`` on with 1, 2, 4 … equal pieces until two results differ by the tolerance at most.

    Returns the number of steps, or of the step for which the levels do not suffice, or −1 less that of the step whose
    branches were not found; step 0 is number ``clock`` of the run.
    """
    dofs, springs, q, widths, x = N[SIZES][DOFS], N[SIZES][SPRINGS], N[SIZES][STAGES], N[fixed.WIDTHS], R[fixed.X]
    for r in range(first, steps):
        done = -1
        for k in range(N[SIZES][LEVELS]):
            parts = 1 << k
            for a in range(5):
                copied(widths[a], at(R[fixed.NODES + a], r * widths[a]), R[WALK + a])
            for j in range(q * springs):
                N[BRANCHES][j] = N[fixed.BRANCH][j % springs]
            load = at(R[LOADS], (N[FROM][k] + (clock + r) * parts) * q * N[SIZES][CHANNELS])
            if invoke(N[fixed.CALL][0], (N, R, k, parts, load)) > 0.0:
                return -1 - r
            reached = at(R[WALK], parts * dofs)
            if k > 0:
                done = k
                for i in range(dofs):
                    if not abs(reached[i] - x[i]) <= tolerance:
                        done = -1
                if done > 0:
                    break
            copied(dofs, reached, x)
        if done < 0:
            return r
        stored(N, R, clock, r, done)
    return steps


def stored(N: Array, R: Array, clock: int, r: int, k: int) -> None:
    """Keep step r as its pieces at level k left it: the state at its end, mean forces and energies."""
    dofs, springs, q, wide = N[SIZES][DOFS], N[SIZES][SPRINGS], N[SIZES][STAGES], N[SIZES][STAGES] * N[SIZES][CHANNELS]
    parts, widths, x, h, spent = 1 << k, N[fixed.WIDTHS], R[fixed.X], R[H][k], at(R[fixed.SPENT], 4 * r)
    for a in range(5):
        copied(widths[a], at(R[WALK + a], parts * widths[a]), at(R[fixed.NODES + a], (r + 1) * widths[a]))
    N[PIECES][r] = parts
    for a in range(springs):
        N[fixed.BRANCH][a] = N[BRANCHES][(q - 1) * springs + a]
        total = 0.0
        for j in range(parts):
            total += R[MEANS][j * springs + a]
        R[fixed.FORCES][r * springs + a] = total / parts
    for i in range(4):
        spent[i] = 0.0
    for j in range(parts):
        load = at(R[LOADS], (N[FROM][k] + (clock + r) * parts + j) * wide)
        stage_values(N, R, k, load, j)
        for a in range(q):
            for i in range(dofs):
                total = 0.0
                for m in range(q):
                    total += R[fixed.INVERSE][a * q + m] * x[m * dofs + i]
                R[fixed.VELOCITY][a * dofs + i] = total / h
        fixed_energies(N, R, h, load, at(R[WALK], j * dofs))
        for i in range(4):
            spent[i] += R[fixed.ENERGIES][i]


def stage_values(N: Array, R: Array, k: int, load: Array, j: int) -> None:
    """Displacements at the stages of piece j relative to its start, slip rates and forces there."""
    dofs, springs, q, many = N[SIZES][DOFS], N[SIZES][SPRINGS], N[SIZES][STAGES], N[SIZES][STAGES] * N[SIZES][CHANNELS]
    rows, count, inputs, g = q * springs, 2 * dofs + springs + many, R[INPUTS], at(R[G], j * q * springs)
    place, place_slip = at(R[PLACE], k * q * dofs * count), at(R[PLACE_SLIP], k * q * dofs * rows)
    copied(dofs, at(R[WALK], j * dofs), inputs)
    copied(dofs, at(R[WALK + 1], j * dofs), at(inputs, dofs))
    copied(springs, at(R[WALK + 2], j * springs), at(inputs, 2 * dofs))
    copied(many, load, at(inputs, 2 * dofs + springs))
    copied(rows, g, R[fixed.RATE])
    copied(rows, at(R[F], j * rows), R[fixed.FORCE])
    for i in range(q * dofs):
        total = 0.0
        for c in range(count):
            total += place[i * count + c] * inputs[c]
        for row in range(rows):
            total += place_slip[i * rows + row] * g[row]
        R[fixed.X][i] = total


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


def slip_rates(N: Array, R: Array, level: int, g: Array) -> int:
    """Solve for g; the branches hold the guess and the answer. Returns the number of solves, or −1."""
    rows, y, Y, branch, order = N[SIZES][STAGES] * N[SIZES][SPRINGS], R[OVER], R[BOUND], N[BRANCHES], N[ON]
    loss, hard = at(R[LOSS], level * rows * rows), at(R[HARD], level * rows * rows)
    for attempt in range(_NEWTON):
        on_branches(N, R, level, 1.0, g)
        same = True
        for j in range(rows):
            value, limit = y[j], Y[j]
            for i in range(rows):
                if g[i] != 0.0:
                    value -= loss[j * rows + i] * g[i]
                    limit += hard[j * rows + i] * abs(g[i])
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
        if same:
            return attempt + 1
        for j in range(rows):
            branch[j] = order[j]
    return followed(N, R, level, g)


def on_branches(N: Array, R: Array, level: int, share: float, g: Array) -> None:
    """g on given branches when ``share`` of the trial is there: a linear system over the rows that slip."""
    rows, y, Y, branch, order = N[SIZES][STAGES] * N[SIZES][SPRINGS], R[OVER], R[BOUND], N[BRANCHES], N[ON]
    loss, hard = at(R[LOSS], level * rows * rows), at(R[HARD], level * rows * rows)
    matrix, right, size = R[SYSTEM], R[RIGHT], 0
    for j in range(rows):
        g[j] = 0.0
        if branch[j] != 0:
            order[size] = j
            size += 1
    for a in range(size):
        j = order[a]
        right[a] = share * y[j] - branch[j] * Y[j]
        for b in range(size):
            i = order[b]
            own = R[ETA][j] if i == j else 0.0
            matrix[a * size + b] = loss[j * rows + i] + branch[j] * branch[i] * hard[j * rows + i] + own
    eliminated(matrix, right, size)
    for a in range(size):
        g[order[a]] = right[a]


def eliminated(matrix: Array, right: Array, size: int) -> None:
    """Gauss with partial pivoting, in place; the solution stands in ``right``."""
    for a in range(size):
        best = a
        for b in range(a + 1, size):
            if abs(matrix[b * size + a]) > abs(matrix[best * size + a]):
                best = b
        if best != a:
            for c in range(a, size):
                held = matrix[a * size + c]
                matrix[a * size + c] = matrix[best * size + c]
                matrix[best * size + c] = held
            right[a], right[best] = right[best], right[a]
        for b in range(a + 1, size):
            factor = matrix[b * size + a] / matrix[a * size + a]
            for c in range(a + 1, size):
                matrix[b * size + c] -= factor * matrix[a * size + c]
            right[b] -= factor * right[a]
    for a in range(size - 1, -1, -1):
        for c in range(a + 1, size):
            right[a] -= matrix[a * size + c] * right[c]
        right[a] /= matrix[a * size + a]


def followed(N: Array, R: Array, level: int, g: Array) -> int:
    """Follow the answer as the trial grows from nothing: between two changes of branch it is straight.

    Every piece is found from its two ends; the first row to reach its limit, or to come to rest, changes its branch.
    Unique answers make this a path that cannot return, so it ends.
    """
    rows, y, Y, branch = N[SIZES][STAGES] * N[SIZES][SPRINGS], R[OVER], R[BOUND], N[BRANCHES]
    loss, hard = at(R[LOSS], level * rows * rows), at(R[HARD], level * rows * rows)
    value0, limit0, start = R[OVER0], R[BOUND0], R[G0]
    for j in range(rows):
        branch[j] = 0
    share = 0.0
    for turn in range(40 * rows + 40):
        on_branches(N, R, level, share, g)
        copied(rows, g, start)
        for j in range(rows):
            value0[j] = share * y[j]
            limit0[j] = Y[j]
            for i in range(rows):
                value0[j] -= loss[j * rows + i] * start[i]
                limit0[j] += hard[j * rows + i] * abs(start[i])
        on_branches(N, R, level, share + 1.0, g)
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
                    fast -= loss[j * rows + i] * (g[i] - start[i])
                    if branch[i] != 0:
                        grow += hard[j * rows + i] * branch[i] * (g[i] - start[i])
                for side in (1, -1):
                    speed = side * fast - grow
                    if speed > 0.0:
                        reach = max(limit0[j] - side * value0[j], 0.0) / speed
                        if reach < step:
                            step, who, sign = reach, j, side
        share += step
        if who < 0:
            on_branches(N, R, level, 1.0, g)
            return _NEWTON + turn + 1
        branch[who] = sign
    return -1
