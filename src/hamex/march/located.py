"""Pieces of any length on which no slider changes its branch, for steps of several stages that are cut where one does.

On fixed branches the slip rates g of the stages solve a linear system, and so does all else: with x = U − u₀,

    Z x = f − S u₀ + B k (s₀ + h A g) + (A⁻¹1/h) p₀,     Z = (A⁻²/h²) M + (A⁻¹/h) C + S,     S = K + B k Bᵀ.

Z is factored for every length of a piece, what slips is solved for beside it.
"""

from __future__ import annotations

from typing import Any

from hamex.march.matrices import backsolve_small, copied, eliminate
from hamex.march.run import at, invoke

Array = Any

# Integers of a run: sizes, those of the state (u, p, slip, X, w), the function called, branches, row exchanges of Z and
# of the slip rates' system, its rows (stage · springs + spring), and branches of its factors.
SIZES, WIDTHS, CALL, BRANCH, ORDER, CAP_ORDER, ON, HELD, INTEGERS = range(9)
DOFS, SPRINGS, STAGES, CHANNELS, JUMPS = range(5)  # sizes; 0 for the continuous elements, which do not jump
# Reals. A model of sliders, all matrices full:
MASS, DAMPING, BESIDE, STIFF = range(4)  # (dof, dof), K beside, K + B k Bᵀ stiff
COMPATIBILITY, SPREAD = 4, 5  # (dof, spring), B and B k
SPRING, LIGHT, SPEED, PATTERNS = range(6, 10)  # k; M⁻¹, zero where there is no mass; Bᵀ M⁻¹; (dof, channel)
LIMIT, VISCOSITY, KINEMATIC, ISOTROPIC = range(10, 14)  # (spring,)
# (spring, spring) back forces of slips; 1 where slip is not told by the deformation; 1 where a spring is a damper.
BACK, SHARED, DAMPER = range(14, 17)
# The element, W = A⁻¹: A, b, W, W², W 1, bᵀW, bᵀW², (1,) Σ bᵀW, the polynomial through the stages at the end of the
# piece, and what weighs its jumps (stage, stage), see hamex.schemes.stages.
TABLE, WEIGHTS, INVERSE, TWICE, BEGIN, END, PUSH, REST, LAST, JUMP = range(17, 27)
# What a piece leaves, and room for it; factors stand until length or branches change.
Z, X, SLIDES = range(27, 30)  # factored; (stage · dof); (row, stage · dof): x per slip rate of a row that slips
CAP, RIGHT = 30, 31  # (row, row) the system of the slip rates, factored; (row,)
RATE, FORCE, STRAINED = range(32, 35)  # (stage, spring), the last the rates of the elastic deformation, for jumps
VELOCITY, GONE = 35, 36  # (stage, dof), the last the rates of the momentum, for jumps
LENGTH = 37  # (2,) length of the factors, and of the slip rates' system
OUTSIDE, NEAR = 38, 39  # (stage + 1, spring) positive where the branch is left; (spring,) what counts as zero there
MEAN, ENERGIES = 40, 41  # (spring,) integral of the forces; (4,) viscous, slip work, jumps, input
NOW, THEN, NODES = 42, 47, 52  # five each: the state, that at the end of the piece, and histories at the nodes
FORCES, SPENT, LOAD, REALS = range(57, 61)  # (step, spring) integrals, (step, 4), (step, stage · channel)


def fixed_pieces(N: Array, R: Array, steps: int, h: float, first: int, close: float) -> int:
    """Pieces of h from number ``first`` on while every branch holds; returns the piece in which one does not, which is
    left in the room, the number of pieces where there is none, or −1 where nothing resists some motion."""
    widths, springs, outside, near = N[WIDTHS], N[SIZES][SPRINGS], R[OUTSIDE], R[NEAR]
    q, wide = N[SIZES][STAGES], N[SIZES][STAGES] * N[SIZES][CHANNELS]
    for r in range(first, steps):
        for a in range(5):
            copied(widths[a], at(R[NODES + a], r * widths[a]), R[NOW + a])
        if invoke(N[CALL][0], (N, R, h, at(R[LOAD], r * wide), close)) != 0.0:
            return -1
        for i in range((q + 1) * springs):
            if outside[i] > near[i % springs]:
                return r
        for a in range(5):
            copied(widths[a], R[THEN + a], at(R[NODES + a], (r + 1) * widths[a]))
        copied(springs, R[MEAN], at(R[FORCES], r * springs))
        copied(4, R[ENERGIES], at(R[SPENT], r * 4))
    return steps


def fixed_piece(N: Array, R: Array, h: float, load: Array, close: float) -> float:
    """Advance by h with every spring on its branch; returns 0, or 1 where nothing resists some motion.

    ``load`` is (stage · channel); of ``close`` of the yield force, or of a typical speed, a switching function is zero.
    """
    n, springs, q, channels = N[SIZES][DOFS], N[SIZES][SPRINGS], N[SIZES][STAGES], N[SIZES][CHANNELS]
    length, x, rate, force, branch, on, right = R[LENGTH], R[X], R[RATE], R[FORCE], N[BRANCH], N[ON], R[RIGHT]
    u, p, stiff, spread = R[NOW], R[NOW + 1], R[STIFF], R[SPREAD]
    patterns, begin, slides = R[PATTERNS], R[BEGIN], R[SLIDES]
    slip, X0, w, limit, isotropic = R[NOW + 2], R[NOW + 3], R[NOW + 4], R[LIMIT], R[ISOTROPIC]
    size = q * n
    if length[0] != h:
        length[0] = h
        length[1] = 0.0
        step_matrix(N, R, h)
        if not eliminate(R[Z], size, N[ORDER]):
            length[0] = 0.0
            return 1.0
    for i in range(n):
        resisted = 0.0
        for j in range(n):
            resisted -= stiff[i * n + j] * u[j]
        for a in range(springs):
            resisted += spread[i * springs + a] * slip[a]
        for k in range(q):
            total = resisted + begin[k] / h * p[i]
            for c in range(channels):
                total += patterns[i * channels + c] * load[k * channels + c]
            x[k * n + i] = total
    backsolve_small(R[Z], size, N[ORDER], x)
    for m in range(q * springs):
        rate[m] = 0.0
    spring_forces(N, R, h)
    slipping = 0
    for a in range(springs):
        if branch[a] != 0:
            slipping += 1
    if slipping > 0:
        if slip_system(N, R, h):
            return 1.0
        for m in range(q * slipping):
            a = on[m] % springs
            right[m] = force[on[m]] - X0[a] - branch[a] * (limit[a] + isotropic[a] * w[a])
        backsolve_small(R[CAP], q * slipping, N[CAP_ORDER], right)
        for m in range(q * slipping):
            rate[on[m]] = right[m]
            for i in range(size):
                x[i] += slides[m * size + i] * right[m]
        spring_forces(N, R, h)
    fixed_end(N, R, h)
    switching(N, R, h, close)
    fixed_energies(N, R, h, load, u)
    return 0.0


def step_matrix(N: Array, R: Array, h: float) -> None:
    """Z, stage by stage."""
    n, q, mass, damping, stiff, out = N[SIZES][DOFS], N[SIZES][STAGES], R[MASS], R[DAMPING], R[STIFF], R[Z]
    for k in range(q):
        for m in range(q):
            inertia, drag = R[TWICE][k * q + m] / (h * h), R[INVERSE][k * q + m] / h
            for i in range(n):
                to = (k * n + i) * q * n + m * n
                for j in range(n):
                    value = inertia * mass[i * n + j] + drag * damping[i * n + j]
                    out[to + j] = value + stiff[i * n + j] if k == m else value


def slip_system(N: Array, R: Array, h: float) -> bool:
    """Factors of the system of the slip rates, where they do not stand yet; returns True where it is singular."""
    n, springs, q, branch, held, on = N[SIZES][DOFS], N[SIZES][SPRINGS], N[SIZES][STAGES], N[BRANCH], N[HELD], N[ON]
    length, spread, slides, table, cap = R[LENGTH], R[SPREAD], R[SLIDES], R[TABLE], R[CAP]
    same, size = length[1] == h, q * n
    for a in range(springs):
        if held[a] != branch[a]:
            same = False
            held[a] = branch[a]
    if same:
        return False
    length[1] = 0.0
    rows = 0
    for k in range(q):
        for a in range(springs):
            if branch[a] != 0:
                on[rows] = k * springs + a
                slide = at(slides, rows * size)
                for m in range(q):
                    for i in range(n):
                        slide[m * n + i] = h * table[m * q + k] * spread[i * springs + a]
                backsolve_small(R[Z], size, N[ORDER], slide)
                rows += 1
    for column in range(rows):
        m, b = on[column] // springs, on[column] % springs
        for row in range(rows):
            k, a = on[row] // springs, on[row] % springs
            lost = h * table[k * q + m] * R[SPRING][a * springs + b]
            for i in range(n):
                lost -= spread[i * springs + a] * slides[column * size + k * n + i]
            if a == b:
                lost += h * table[k * q + m] * (R[KINEMATIC][a] + R[ISOTROPIC][a])
                if k == m:
                    lost += R[VISCOSITY][a]
            cap[row * rows + column] = lost
    if not eliminate(cap, rows, N[CAP_ORDER]):
        return True
    length[1] = h
    return False


def spring_forces(N: Array, R: Array, h: float) -> None:
    """Forces at the stages of displacements u₀ + x and slips s₀ + h A g."""
    n, springs, q, u, slip, x = N[SIZES][DOFS], N[SIZES][SPRINGS], N[SIZES][STAGES], R[NOW], R[NOW + 2], R[X]
    spread, spring, table, rate, force = R[SPREAD], R[SPRING], R[TABLE], R[RATE], R[FORCE]
    for k in range(q):
        for a in range(springs):
            total = 0.0
            for i in range(n):
                total += spread[i * springs + a] * (u[i] + x[k * n + i])
            for c in range(springs):
                if spring[a * springs + c] != 0.0:
                    slid = 0.0
                    for m in range(q):
                        slid += table[k * q + m] * rate[m * springs + c]
                    total -= spring[a * springs + c] * (slip[c] + h * slid)
            force[k * springs + a] = total


def fixed_end(N: Array, R: Array, h: float) -> None:
    """State at the end, velocities at the stages and integrals of the forces."""
    n, springs, q, x = N[SIZES][DOFS], N[SIZES][SPRINGS], N[SIZES][STAGES], R[X]
    mass, p, b = R[MASS], R[NOW + 1], R[WEIGHTS]
    end, push, inverse, v, rate, force = R[END], R[PUSH], R[INVERSE], R[VELOCITY], R[RATE], R[FORCE]
    for i in range(n):
        moved = 0.0
        for k in range(q):
            moved += end[k] * x[k * n + i]
            total = 0.0
            for m in range(q):
                total += inverse[k * q + m] * x[m * n + i]
            v[k * n + i] = total / h
        R[THEN][i] = R[NOW][i] + moved
    for i in range(n):
        pushed = 0.0
        for j in range(n):
            if mass[i * n + j] != 0.0:
                moved = 0.0
                for k in range(q):
                    moved += push[k] * x[k * n + j]
                pushed += mass[i * n + j] * moved
        R[THEN + 1][i] = p[i] + (pushed / h - R[REST][0] * p[i])
    for a in range(springs):
        slid, grown, total = 0.0, 0.0, 0.0
        for k in range(q):
            slid += b[k] * rate[k * springs + a]
            grown += b[k] * abs(rate[k * springs + a])
            total += b[k] * force[k * springs + a]
        R[THEN + 2][a] = R[NOW + 2][a] + h * slid
        R[THEN + 3][a] = R[NOW + 3][a] + R[KINEMATIC][a] * (h * slid)
        R[THEN + 4][a] = R[NOW + 4][a] + h * grown
        R[MEAN][a] = h * total


def switching(N: Array, R: Array, h: float, close: float) -> None:
    """Switching functions at the stages and at the end, positive where the branch is left, and what counts as zero.

    Without viscosity the force stays on its limit; the spring stops when its deformation turns back.
    """
    n, springs, q, speed, spread = N[SIZES][DOFS], N[SIZES][SPRINGS], N[SIZES][STAGES], R[SPEED], R[SPREAD]
    table, rate = R[TABLE], R[RATE]
    outside, near, kinematic, isotropic, force = R[OUTSIDE], R[NEAR], R[KINEMATIC], R[ISOTROPIC], R[FORCE]
    for a in range(springs):
        way, firm = N[BRANCH][a], R[LIMIT][a]
        turns = way != 0 and R[VISCOSITY][a] == 0.0
        before, after, last, held = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            before += speed[a * n + i] * R[NOW + 1][i]
            after += speed[a * n + i] * R[THEN + 1][i]
            held += spread[i * springs + a] * R[THEN][i]
        for c in range(springs):
            held -= R[SPRING][a * springs + c] * R[THEN + 2][c]
        for k in range(q):
            slid, grown, own = 0.0, 0.0, k * springs + a
            for m in range(q):
                slid += table[k * q + m] * rate[m * springs + a]
                grown += table[k * q + m] * abs(rate[m * springs + a])
            last += R[LAST][k] * rate[own]
            above = force[own] - (R[NOW + 3][a] + kinematic[a] * (h * slid))
            limit = firm + isotropic[a] * (R[NOW + 4][a] + h * grown)
            if turns:
                outside[own] = -way * rate[own]
            else:
                outside[own] = abs(above) - limit if way == 0 else limit - way * above
        if turns:
            outside[q * springs + a] = -way * (last if R[SHARED][a] else after)
            near[a] = close * (1.0 + abs(before))
        else:
            above, limit = held - R[THEN + 3][a], firm + isotropic[a] * R[THEN + 4][a]
            outside[q * springs + a] = abs(above) - limit if way == 0 else limit - way * above
            near[a] = close * (firm if firm < float("inf") else 1.0)


def fixed_energies(N: Array, R: Array, h: float, load: Array, u: Array) -> None:
    """What dashpots and dampers take, what slip takes beyond them, what the jumps lose, and what the load gives."""
    n, springs, q, channels = N[SIZES][DOFS], N[SIZES][SPRINGS], N[SIZES][STAGES], N[SIZES][CHANNELS]
    damping, patterns, v, b, viscous, slipped, given = R[DAMPING], R[PATTERNS], R[VELOCITY], R[WEIGHTS], 0.0, 0.0, 0.0
    for k in range(q):
        power, push = 0.0, 0.0
        for i in range(n):
            drag, pushed = 0.0, 0.0
            for j in range(n):
                drag += damping[i * n + j] * v[k * n + j]
            for c in range(channels):
                pushed += patterns[i * channels + c] * load[k * channels + c]
            power += drag * v[k * n + i]
            push += pushed * v[k * n + i]
            R[GONE][k * n + i] = pushed - drag
        for a in range(springs):
            spent = R[FORCE][k * springs + a] * R[RATE][k * springs + a]
            if R[DAMPER][a]:
                power += spent
            else:
                slipped += b[k] * spent
        viscous += b[k] * power
        given += b[k] * push
    lost, stored = 0.0, 0.0
    if N[SIZES][JUMPS]:
        lost, stored = jumped(N, R, u)
        lost *= 0.5 * h * h
        stored *= 0.5 * h * h
    R[ENERGIES][0] = h * viscous
    R[ENERGIES][1] = h * slipped - stored
    R[ENERGIES][2] = lost + stored
    R[ENERGIES][3] = h * given


def jumped(N: Array, R: Array, u: Array) -> tuple[float, float]:
    """Σ m_ij ⟨k_i, k_j⟩ over the rates of the state in the norm of the energy, and of what hardening stores."""
    n, springs, q = N[SIZES][DOFS], N[SIZES][SPRINGS], N[SIZES][STAGES]
    gone, strained, rate = R[GONE], R[STRAINED], R[RATE]
    beside, x, v, compatibility, light = R[BESIDE], R[X], R[VELOCITY], R[COMPATIBILITY], R[LIGHT]
    for k in range(q):
        for i in range(n):
            total = gone[k * n + i]
            for j in range(n):
                total -= beside[i * n + j] * (u[j] + x[k * n + j])
            for a in range(springs):
                total -= compatibility[i * springs + a] * R[FORCE][k * springs + a]
            gone[k * n + i] = total
        for a in range(springs):
            total = -rate[k * springs + a]
            for i in range(n):
                total += compatibility[i * springs + a] * v[k * n + i]
            strained[k * springs + a] = total
    lost, stored = 0.0, 0.0
    for k in range(q):
        for m in range(q):
            weight, part, held = R[JUMP][k * q + m], 0.0, 0.0
            for i in range(n):
                for j in range(n):
                    part += gone[k * n + i] * light[i * n + j] * gone[m * n + j]
                    part += v[k * n + i] * beside[i * n + j] * v[m * n + j]
            for a in range(springs):
                held += R[ISOTROPIC][a] * abs(rate[k * springs + a]) * abs(rate[m * springs + a])
                for c in range(springs):
                    part += strained[k * springs + a] * R[SPRING][a * springs + c] * strained[m * springs + c]
                    held += rate[k * springs + a] * R[BACK][a * springs + c] * rate[m * springs + c]
            lost += weight * part
            stored += weight * held
    return lost, stored
