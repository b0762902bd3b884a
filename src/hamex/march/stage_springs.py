"""Springs in elements of several stages: what each stage sees, and the tangent that ties the stages together.

A state variable flows with the rate g, and collocation asks (A⁻¹/h)(z_i − z₀) = g_i at the stages. The diagonal of A⁻¹
is positive, so stage i sees its law as one step of length τ_i = h/(A⁻¹)_ii from the shifted start

    z₀ − Σ_{j≠i} c_ij Y_j,     c_ij = (A⁻¹)_ij/(A⁻¹)_ii,     Y_j = z_j − z₀,

and it must satisfy R_i = Y_i + Σ_{j≠i} c_ij Y_j − dz_i = 0, dz_i the law's own increment within τ_i. Newton takes
R along with the equations of motion: block by block dY follows from the deformations, and the forces of a block at
all stages from its deformations at all stages. The laws give dF/de; how they answer to their start is found by moving
one variable at a time, on the branch held, which is exact for laws that are straight there.

Where everything stands is told in :mod:`hamex.march.stage_tables`; z₀ is the state at the start of the step."""

from __future__ import annotations

from typing import Any

from hamex.march import stage_tables as t
from hamex.march.matrices import backsolve_small, copied, eliminate, filled
from hamex.march.run import at
from hamex.march.springs import evaluate

Array = Any


def at_stage(
    N: Array, R: Array, i: int, dx: Array, z: Array, forced: int, F: Array, T: Array, dz: Array, branch: Array
) -> bool:
    """All springs at e₀ + dx, after the time of stage i, from the state z: force, tangent, increment of the state.

    ``forced`` keeps to the branches given; else they are filled, and True returned when one changed.
    """
    groups = at(N[t.GROUPS], i * (1 + 3 * N[t.GROUPS][0]))
    tau, work = R[t.TAU][i], R[t.LAW_WORK]
    return evaluate(groups, N[t.LAWS], R[t.LAW], R[t.E0], dx, 1.0, tau, z, forced, F, T, dz, branch, work)


def shifted(N: Array, R: Array, i: int, z0: Array, Y: Array) -> None:
    """The start that stage i sees."""
    q, entries, cross, out = N[t.HEAD][t.STAGES], N[t.HEAD][t.ENTRIES], R[t.CROSS], R[t.Z0]
    for v in range(entries):
        total = 0.0
        for j in range(q):
            if j != i:
                total += cross[i * q + j] * Y[j * entries + v]
        out[v] = z0[v] - total


def followed_state(N: Array, R: Array, dx: Array, z0: Array) -> float:
    """All springs at one deformation: answers to a moved variable, for the state that follows the deformation."""
    no = N[t.HEAD][t.NO]
    at_stage(N, R, no, dx, z0, no, R[t.F_M], R[t.T_M], R[t.DZ_M], N[t.BRANCH_M])
    return 0.0


def respond(N: Array, R: Array, ex: Array, z0: Array, Y: Array, forced: int) -> float:
    """All stages: F, T, dz and branch of the springs, and R; 1 when a branch changed."""
    q, springs, entries, changed = N[t.HEAD][t.STAGES], N[t.HEAD][t.SPRINGS], N[t.HEAD][t.ENTRIES], 0.0
    cross, off = R[t.CROSS], R[t.OFF]
    for i in range(q):
        shifted(N, R, i, z0, Y)
        own, first = i * springs, i * entries
        F, T = at(R[t.F], own), at(R[t.T], i * N[t.HEAD][t.TANGENTS])
        dz, branch = at(R[t.DZ], first), at(N[t.BRANCH], own)
        if at_stage(N, R, i, at(ex, own), R[t.Z0], forced, F, T, dz, branch):
            changed = 1.0
        for v in range(entries):
            total = Y[first + v] - dz[v]
            for j in range(q):
                if j != i:
                    total += cross[i * q + j] * Y[j * entries + v]
            off[first + v] = total
    return changed


def linearised(N: Array, R: Array, z0: Array) -> float:
    """What Newton needs of the springs at a place where they have answered."""
    slopes(N, R, z0)
    condense(N, R)
    return 0.0


def slopes(N: Array, R: Array, z0: Array) -> None:
    """How dz and F answer to the start, for the blocks whose state moves; one entry of every block at a time."""
    q, springs, entries, Y = N[t.HEAD][t.STAGES], N[t.HEAD][t.SPRINGS], N[t.HEAD][t.ENTRIES], R[t.Y]
    slope, press, moved, F_m, dz_m, branch_m = R[t.SLOPE], R[t.PRESS], R[t.MOVED], R[t.F_M], R[t.DZ_M], N[t.BRANCH_M]
    for i in range(q):
        F, dz, ex = at(R[t.F], i * springs), at(R[t.DZ], i * entries), at(R[t.EX], i * springs)
        clear(N, R, i)
        shifted(N, R, i, z0, Y)
        for p in range(N[t.HEAD][t.WIDEST]):
            if not move(N, R, i, p):
                continue
            for j in range(springs):
                branch_m[j] = N[t.BRANCH][i * springs + j]
            at_stage(N, R, i, ex, R[t.Z0], N[t.HEAD][t.YES], F_m, R[t.T_M], dz_m, branch_m)
            for b in range(N[t.HEAD][t.BLOCKS]):
                d, m, begin, first = N[t.MANY][b], N[t.SIZE][b], N[t.BEGIN][b], N[t.FIRST][b]
                if p >= d or moved[b] == 0.0:
                    continue
                into = N[t.SLOPE_AT][b] + i * d * d + p
                for v in range(d):
                    slope[into + v * d] = (dz_m[begin + v] - dz[begin + v]) / moved[b]
                if p % (d // m) != 0:  # to its slip the force answers by −T
                    into = N[t.PRESS_AT][b] + i * m * d + p
                    for a in range(m):
                        press[into + a * d] = (F_m[first + a] - F[first + a]) / moved[b]
            shifted(N, R, i, z0, Y)


def clear(N: Array, R: Array, i: int) -> None:
    """Slopes of stage i of springs that do not flow: the force answers to slip alone."""
    T = at(R[t.T], i * N[t.HEAD][t.TANGENTS])
    for b in range(N[t.HEAD][t.BLOCKS]):
        d, m, first = N[t.MANY][b], N[t.SIZE][b], N[t.TANGENT][b]
        press = at(R[t.PRESS], N[t.PRESS_AT][b] + i * m * d)
        filled(d * d, 0.0, at(R[t.SLOPE], N[t.SLOPE_AT][b] + i * d * d))
        for a in range(m):
            for v in range(d):
                press[a * d + v] = -T[first + a * m + v // (d // m)] if v % (d // m) == 0 else 0.0


def move(N: Array, R: Array, i: int, p: int) -> bool:
    """Move entry p of every block that flows at stage i; False when there is none."""
    z, moved, ex, some = R[t.Z0], R[t.MOVED], at(R[t.EX], i * N[t.HEAD][t.SPRINGS]), False
    for b in range(N[t.HEAD][t.BLOCKS]):
        d, m, entry, first = N[t.MANY][b], N[t.SIZE][b], N[t.BEGIN][b] + p, N[t.FIRST][b]
        moved[b] = 0.0
        if p >= d or not flows(N, R, b, i):
            continue
        size = abs(z[entry]) + abs(R[t.DZ][i * N[t.HEAD][t.ENTRIES] + entry])
        if p % (d // m) == 0 or size == 0.0:
            for a in range(m):
                size = max(size, abs(R[t.E0][first + a]) + abs(ex[first + a]))
        before = z[entry]
        z[entry] = before + R[t.FINE][entry] * (size if size > 0.0 else 1.0)
        moved[b] = z[entry] - before
        some = some or moved[b] != 0.0
    return some


def flows(N: Array, R: Array, b: int, i: int) -> bool:
    """True when the state of a block moves at stage i, or is on a branch where it may."""
    branch, dz = at(N[t.BRANCH], i * N[t.HEAD][t.SPRINGS] + N[t.FIRST][b]), i * N[t.HEAD][t.ENTRIES] + N[t.BEGIN][b]
    moves = False
    for a in range(N[t.SIZE][b]):
        moves = moves or branch[a] != 0
    for v in range(dz, dz + N[t.MANY][b]):
        moves = moves or R[t.DZ][v] != 0.0
    return moves


def condense(N: Array, R: Array) -> None:
    """Block by block: dY = fixed + gain · de, forces held and tangents between the stages."""
    q, entries, cross, matrix = N[t.HEAD][t.STAGES], N[t.HEAD][t.ENTRIES], R[t.CROSS], R[t.MATRIX]
    for b in range(N[t.HEAD][t.BLOCKS]):
        d, busy, slope = N[t.MANY][b], False, at(R[t.SLOPE], N[t.SLOPE_AT][b])
        for i in range(q):
            busy = busy or flows(N, R, b, i)
            first = i * entries + N[t.BEGIN][b]
            for v in range(first, first + d):
                busy = busy or R[t.OFF][v] != 0.0
        if d == 0 or not busy:
            rest(N, R, b)
            continue
        for row in range(q * d):
            i, v = row // d, row % d
            for column in range(q * d):
                j, c = column // d, column % d
                own = 1.0 if v == c else 0.0
                matrix[row * q * d + column] = own if i == j else cross[i * q + j] * (own + slope[row * d + c])
        eliminate(matrix, q * d, N[t.ORDER])
        solved(N, R, b)
        tied(N, R, b)


def rest(N: Array, R: Array, b: int) -> None:
    """A block that does not flow at any stage."""
    q, springs, entries = N[t.HEAD][t.STAGES], N[t.HEAD][t.SPRINGS], N[t.HEAD][t.ENTRIES]
    d, m, first, coupled = N[t.MANY][b], N[t.SIZE][b], N[t.FIRST][b], at(R[t.TIED], N[t.PLACE][b])
    for i in range(q):
        T, own = at(R[t.T], i * N[t.HEAD][t.TANGENTS] + N[t.TANGENT][b]), i * springs + first
        filled(d, 0.0, at(R[t.FIXED], i * entries + N[t.BEGIN][b]))
        copied(m, at(R[t.F], own), at(R[t.HELD], own))
        for a in range(m):
            for column in range(q * m):
                coupled[(i * m + a) * q * m + column] = T[a * m + column % m] if i == column // m else 0.0
    filled(q * d * q * m, 0.0, at(R[t.GAIN], N[t.GAIN_AT][b]))


def solved(N: Array, R: Array, b: int) -> None:
    """Fill ``fixed`` and ``gain`` of a block from its factored matrix."""
    d, m, begin, q, entries = N[t.MANY][b], N[t.SIZE][b], N[t.BEGIN][b], N[t.HEAD][t.STAGES], N[t.HEAD][t.ENTRIES]
    right, gain, slope = R[t.RIGHT], at(R[t.GAIN], N[t.GAIN_AT][b]), at(R[t.SLOPE], N[t.SLOPE_AT][b])
    for row in range(q * d):
        right[row] = -R[t.OFF][row // d * entries + begin + row % d]
    backsolve_small(R[t.MATRIX], q * d, N[t.ORDER], right)
    for row in range(q * d):
        R[t.FIXED][row // d * entries + begin + row % d] = right[row]
    for column in range(q * m):
        j, c = column // m, column % m
        filled(q * d, 0.0, right)
        for v in range(d):  # to a deformation the law answers as to a slip the other way
            right[j * d + v] = -slope[(j * d + v) * d + c * (d // m)]
        backsolve_small(R[t.MATRIX], q * d, N[t.ORDER], right)
        for row in range(q * d):
            gain[row * q * m + column] = right[row]


def tied(N: Array, R: Array, b: int) -> None:
    """Fill ``held`` and the tangents between stages of a block: F at a stage answers to the states of the others."""
    d, m, begin, q, entries = N[t.MANY][b], N[t.SIZE][b], N[t.BEGIN][b], N[t.HEAD][t.STAGES], N[t.HEAD][t.ENTRIES]
    gain, coupled, cross = at(R[t.GAIN], N[t.GAIN_AT][b]), at(R[t.TIED], N[t.PLACE][b]), R[t.CROSS]
    for i in range(q):
        T = at(R[t.T], i * N[t.HEAD][t.TANGENTS] + N[t.TANGENT][b])
        for a in range(m):
            own = i * N[t.HEAD][t.SPRINGS] + N[t.FIRST][b] + a
            press = at(R[t.PRESS], N[t.PRESS_AT][b] + (i * m + a) * d)
            force = R[t.F][own]
            for j in range(q):
                if j != i:
                    for v in range(d):
                        force -= cross[i * q + j] * press[v] * R[t.FIXED][j * entries + begin + v]
            R[t.HELD][own] = force
            for column in range(q * m):
                total = T[a * m + column % m] if column // m == i else 0.0
                for j in range(q):
                    if j != i:
                        for v in range(d):
                            total -= cross[i * q + j] * press[v] * gain[(j * d + v) * q * m + column]
                coupled[(i * m + a) * q * m + column] = total


def carried(N: Array, R: Array) -> None:
    """dY, for the increments of the deformations."""
    q, springs, entries, ed = N[t.HEAD][t.STAGES], N[t.HEAD][t.SPRINGS], N[t.HEAD][t.ENTRIES], R[t.ED]
    for b in range(N[t.HEAD][t.BLOCKS]):
        d, m, begin, gain = N[t.MANY][b], N[t.SIZE][b], N[t.BEGIN][b], at(R[t.GAIN], N[t.GAIN_AT][b])
        for row in range(q * d):
            entry = row // d * entries + begin + row % d
            total = R[t.FIXED][entry]
            for column in range(q * m):
                total += gain[row * q * m + column] * ed[column // m * springs + N[t.FIRST][b] + column % m]
            R[t.DY][entry] = total
