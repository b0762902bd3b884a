"""Elements of several stages through time: the driver around the step of :mod:`hamex.march.stage_newton`; and pieces of
any length on which no slider changes its branch, for steps that are cut where one does.

On fixed branches the slip rates g of the stages solve a linear system, and so does all else: with x = U − u₀,

    Z x = f − S u₀ + B k (s₀ + h A g) + (A⁻¹1/h) p₀,     Z = (A⁻²/h²) M + (A⁻¹/h) C + S,     S = K + B k Bᵀ.

Z is factored for every length of a piece, what slips is solved for beside it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.matrices import Rows, Wide, backsolve_small, copied, eliminate
from hamex.march.run import invoke
from hamex.march.stage_newton import FOLLOW_STATE, Motion, Work, solve_step
from hamex.march.stage_springs import Local, StageLaws, StageSprings

Array = Any

_CANCELLED = 0.05  # of deformations that cancel before they enter a row, which leave a few bits only


class StageNumbers(NamedTuple):
    """The element's numbers for a step of length h; W = A⁻¹."""

    h: float
    tau: Array  # (stage,) h/W_ii
    start: Array  # (stage,) Σ_j W_ij / h: share of p₀ in the row of a stage
    weights: Array  # b
    end: Array  # bᵀW: u₁ = u₀ + Σ end · x
    push: Array  # bᵀW²/h: p₁ = rest · p₀ + M Σ push · x
    rest: float  # 1 − Σ end


class History(NamedTuple):
    """What a march fills; row 0 of u, p and z is given, and ``branch`` holds that of the last stage before."""

    u: Array  # (node, dof)
    p: Array
    z: Array  # (node, entry of z)
    branch: Array  # (spring,)
    x: Array  # (step, stage, dof): displacements relative to the start of the step
    F: Array  # (step, stage, spring)
    rate: Array  # (step, stage, entry of z)
    solves: Array  # (step,)
    tries: Array
    left: Array  # (step,) relative residual


def stage_march(
    element: StageNumbers,
    motion: Motion,
    local: Local,
    laws: StageLaws,
    matrix: Wide,
    mass: Rows,
    beside: Rows,
    load: Array,
    patterns: Array,
    out: History,
    e0: Array,
    s: StageSprings,
    w: Work,
    count: Array,
) -> int:
    """March; returns 0, or the number of the step that was not solved. ``load`` is (step, stage, channel)."""
    for k in range(len(load)):
        prepared(element, motion, beside, load[k], patterns, out.u[k], out.p[k], out.z[k], local, out.branch, e0, s, w)
        before, looked = count[0], count[2]
        out.left[k] = solve_step(motion, local, laws, matrix, e0, out.z[k], s, w, count)
        out.solves[k] = count[0] - before
        out.tries[k] = count[2] - looked
        if not out.left[k] < float("inf"):
            return k + 1
        finished(element, mass, k, out, s, w)
        if len(local.follows) > 0:
            change(motion, out.u[k], out.u[k + 1], w.ext[0])
            invoke(motion.call[FOLLOW_STATE], (laws, 0, e0, w.ext[0], out.z[k], s))
            for i in range(len(local.follows)):
                out.z[k + 1, local.follows[i]] = s.dzp[local.follows[i]]
                for j in range(len(element.tau)):
                    out.rate[k, j, local.follows[i]] = 0.0
    return 0


def prepared(
    element: StageNumbers,
    motion: Motion,
    beside: Rows,
    load: Array,
    patterns: Array,
    u: Array,
    p: Array,
    z: Array,
    local: Local,
    branch: Array,
    e0: Array,
    s: StageSprings,
    w: Work,
) -> None:
    """Right side, deformations, round-off and first branches of a step: functions of the state alone."""
    q = len(element.tau)
    for n in range(len(u)):
        resisted, size = 0.0, 0.0
        for m in range(beside.row[n], beside.row[n + 1]):
            part = beside.value[m] * u[beside.column[m]]
            resisted += part
            size += abs(part)
        for i in range(q):
            pushed = element.start[i] * p[n]
            w.r[n * q + i] = pushed - resisted
            w.terms[n * q + i] = abs(pushed) + size
            for a in range(len(patterns)):
                w.r[n * q + i] += patterns[a, n] * load[i, a]
                w.terms[n * q + i] += abs(patterns[a, n] * load[i, a])
    for j in range(len(e0)):
        total, size = 0.0, 0.0
        for m in range(motion.begin[j], motion.begin[j + 1]):
            part = motion.share[m] * u[motion.dof[m]]
            total += part
            size += abs(part)
        e0[j] = total
        w.noise[j] = _CANCELLED * motion.stiff[j] * size
        for i in range(q):
            s.branch[i, j] = branch[j]
    for b in range(len(local.first)):
        if local.many[b] > 0:
            for c in range(local.size[b]):
                j = local.first[b] + c
                slip = abs(z[local.begin[b] + c * (local.many[b] // local.size[b])])
                w.noise[j] += _CANCELLED * motion.stiff[j] * slip


def change(motion: Motion, before: Array, after: Array, out: Array) -> None:
    """out = Bᵀ(after − before)."""
    for j in range(len(out)):
        total = 0.0
        for m in range(motion.begin[j], motion.begin[j + 1]):
            total += motion.share[m] * (after[motion.dof[m]] - before[motion.dof[m]])
        out[j] = total


def finished(element: StageNumbers, mass: Rows, k: int, out: History, s: StageSprings, w: Work) -> None:
    """The next node, and what the stages held."""
    q = len(element.tau)
    u, p, z, x = out.u, out.p, out.z, w.x
    for n in range(u.shape[1]):
        total = 0.0
        for i in range(q):
            total += element.end[i] * x[n * q + i]
            out.x[k, i, n] = x[n * q + i]
        u[k + 1, n] = u[k, n] + total
        p[k + 1, n] = element.rest * p[k, n]
        for m in range(mass.row[n], mass.row[n + 1]):
            total = 0.0
            for i in range(q):
                total += element.push[i] * x[mass.column[m] * q + i]
            p[k + 1, n] += mass.value[m] * total
    for v in range(z.shape[1]):
        total = 0.0
        for i in range(q):
            out.rate[k, i, v] = s.dz[i, v] / element.tau[i]
            total += element.weights[i] * out.rate[k, i, v]
        z[k + 1, v] = z[k, v] + element.h * total
    for j in range(len(out.branch)):
        for i in range(q):
            out.F[k, i, j] = s.F[i, j]
        out.branch[j] = s.branch[q - 1, j]


class FixedModel(NamedTuple):
    """A model of sliders as pieces on fixed branches see it, all matrices full."""

    mass: Array  # (dof, dof)
    damping: Array
    beside: Array  # K
    stiff: Array  # K + B k Bᵀ
    compatibility: Array  # B, (dof, spring)
    spread: Array  # B k
    spring: Array  # k, (spring, spring)
    light: Array  # M⁻¹, zero where there is no mass
    speed: Array  # Bᵀ M⁻¹, (spring, dof)
    patterns: Array  # (dof, channel)
    limit: Array  # (spring,)
    viscosity: Array
    kinematic: Array
    isotropic: Array
    back: Array  # (spring, spring): back forces of slips
    shared: Array  # (spring,) 1 where slip is not told by the deformation
    damper: Array  # (spring,) 1 where a spring is a damper


class FixedElement(NamedTuple):
    """The element's numbers; W = A⁻¹."""

    A: Array
    b: Array
    inverse: Array  # W
    twice: Array  # W²
    start: Array  # W 1
    end: Array  # bᵀW
    push: Array  # bᵀW²
    rest: float  # Σ end
    last: Array  # the polynomial through the stages at the end of the piece
    jumps: Array  # (stage, stage), see hamex.schemes.stages; (0, 0) for the continuous elements


class Moment(NamedTuple):
    """State inside a run."""

    u: Array
    p: Array
    slip: Array
    X: Array
    w: Array


class FixedRoom(NamedTuple):
    """What a piece leaves, and room for it; factors stand until length or branches change."""

    matrix: Array  # Z, factored
    order: Array
    x: Array  # (stage · dof)
    slides: Array  # (row, stage · dof): x per slip rate of a row that slips
    cap: Array  # (row, row): the system of the slip rates, factored
    cap_order: Array
    on: Array  # (row,) rows that slip, stage · springs + spring
    right: Array  # (row,)
    rate: Array  # (stage, spring)
    force: Array  # (stage, spring)
    v: Array  # (stage, dof)
    gone: Array  # (stage, dof) rates of the momentum, for jumps
    strained: Array  # (stage, spring) rates of the elastic deformation, for jumps
    held: Array  # (spring,) branches of the factors
    length: Array  # (2,) length of the factors, and of the slip rates' system
    outside: Array  # (stage + 1, spring): positive where the branch does not hold
    near: Array  # (spring,) what counts as zero there
    mean: Array  # (spring,) integral of the forces
    energies: Array  # (4,) viscous, slip work, jumps, input


class FixedHistory(NamedTuple):
    """What whole steps fill, row 0 of the nodes given."""

    u: Array
    p: Array
    slip: Array
    X: Array
    w: Array
    force: Array  # (step, spring) integrals
    spent: Array  # (step, 4)


def fixed_pieces(
    model: FixedModel,
    element: FixedElement,
    h: float,
    load: Array,
    first: int,
    branch: Array,
    close: float,
    now: Moment,
    end: Moment,
    out: FixedHistory,
    room: FixedRoom,
) -> int:
    """Pieces of h from number ``first`` on while every branch holds; returns the piece in which one does not, which is
    left in ``room``, the number of pieces where there is none, or −1 where nothing resists some motion."""
    for r in range(first, len(load)):
        copied(out.u[r], now.u)
        copied(out.p[r], now.p)
        copied(out.slip[r], now.slip)
        copied(out.X[r], now.X)
        copied(out.w[r], now.w)
        if fixed_piece(model, element, h, load[r], branch, close, now, end, room):
            return -1
        for i in range(room.outside.shape[0]):
            for a in range(room.outside.shape[1]):
                if room.outside[i, a] > room.near[a]:
                    return r
        copied(end.u, out.u[r + 1])
        copied(end.p, out.p[r + 1])
        copied(end.slip, out.slip[r + 1])
        copied(end.X, out.X[r + 1])
        copied(end.w, out.w[r + 1])
        copied(room.mean, out.force[r])
        copied(room.energies, out.spent[r])
    return len(load)


def fixed_piece(
    model: FixedModel,
    element: FixedElement,
    h: float,
    load: Array,
    branch: Array,
    close: float,
    now: Moment,
    end: Moment,
    room: FixedRoom,
) -> int:
    """Advance by h with every spring on its branch; returns 0, or 1 where nothing resists some motion.

    ``load`` is (stage · channel); of ``close`` of the yield force, or of a typical speed, a switching function is zero.
    """
    if room.length[0] != h:
        room.length[0] = h
        room.length[1] = 0.0
        step_matrix(model, element, h, room.matrix)
        if not eliminate(room.matrix, len(room.x), room.order):
            room.length[0] = 0.0
            return 1
    n, springs, q, channels = len(now.u), len(branch), len(element.b), model.patterns.shape[1]
    x, rate, force = room.x, room.rate, room.force
    for i in range(n):
        resisted = 0.0
        for j in range(n):
            resisted -= model.stiff[i, j] * now.u[j]
        for a in range(springs):
            resisted += model.spread[i, a] * now.slip[a]
        for k in range(q):
            total = resisted + element.start[k] / h * now.p[i]
            for c in range(channels):
                total += model.patterns[i, c] * load[k * channels + c]
            x[k * n + i] = total
    backsolve_small(room.matrix, len(x), room.order, x)
    for k in range(q):
        for a in range(springs):
            rate[k, a] = 0.0
    spring_forces(model, element, h, now, room)
    slipping = 0
    for a in range(springs):
        if branch[a] != 0:
            slipping += 1
    if slipping > 0:
        if slip_system(model, element, h, branch, room):
            return 1
        for m in range(q * slipping):
            k, a = room.on[m] // springs, room.on[m] % springs
            room.right[m] = force[k, a] - now.X[a] - branch[a] * (model.limit[a] + model.isotropic[a] * now.w[a])
        backsolve_small(room.cap, q * slipping, room.cap_order, room.right)
        for m in range(q * slipping):
            rate[room.on[m] // springs, room.on[m] % springs] = room.right[m]
            for i in range(len(x)):
                x[i] += room.slides[m, i] * room.right[m]
        spring_forces(model, element, h, now, room)
    fixed_end(model, element, h, now, end, room)
    switching(model, element, h, branch, close, now, end, room)
    fixed_energies(model, element, h, load, now.u, room)
    return 0


def step_matrix(model: FixedModel, element: FixedElement, h: float, out: Array) -> None:
    """out = Z, stage by stage."""
    n, q = len(model.mass), len(element.b)
    for k in range(q):
        for m in range(q):
            inertia, drag = element.twice[k, m] / (h * h), element.inverse[k, m] / h
            for i in range(n):
                for j in range(n):
                    value = inertia * model.mass[i, j] + drag * model.damping[i, j]
                    out[k * n + i, m * n + j] = value + model.stiff[i, j] if k == m else value


def slip_system(model: FixedModel, element: FixedElement, h: float, branch: Array, room: FixedRoom) -> int:
    """Factors of the system of the slip rates, where they do not stand yet; returns 1 where it is singular."""
    n, springs, q = len(model.mass), len(branch), len(element.b)
    same = room.length[1] == h
    for a in range(springs):
        if room.held[a] != branch[a]:
            same = False
            room.held[a] = branch[a]
    if same:
        return 0
    room.length[1] = 0.0
    rows = 0
    for k in range(q):
        for a in range(springs):
            if branch[a] != 0:
                room.on[rows] = k * springs + a
                for m in range(q):
                    for i in range(n):
                        room.slides[rows, m * n + i] = h * element.A[m, k] * model.spread[i, a]
                backsolve_small(room.matrix, q * n, room.order, room.slides[rows])
                rows += 1
    for column in range(rows):
        m, b = room.on[column] // springs, room.on[column] % springs
        for row in range(rows):
            k, a = room.on[row] // springs, room.on[row] % springs
            lost = h * element.A[k, m] * model.spring[a, b]
            for i in range(n):
                lost -= model.spread[i, a] * room.slides[column, k * n + i]
            if a == b:
                lost += h * element.A[k, m] * (model.kinematic[a] + model.isotropic[a])
                if k == m:
                    lost += model.viscosity[a]
            room.cap[row, column] = lost
    if not eliminate(room.cap, rows, room.cap_order):
        return 1
    room.length[1] = h
    return 0


def spring_forces(model: FixedModel, element: FixedElement, h: float, now: Moment, room: FixedRoom) -> None:
    """Forces at the stages of displacements u₀ + x and slips s₀ + h A g."""
    n, (q, springs) = len(now.u), room.force.shape
    for k in range(q):
        for a in range(springs):
            total = 0.0
            for i in range(n):
                total += model.spread[i, a] * (now.u[i] + room.x[k * n + i])
            for c in range(springs):
                if model.spring[a, c] != 0.0:
                    slid = 0.0
                    for m in range(q):
                        slid += element.A[k, m] * room.rate[m, c]
                    total -= model.spring[a, c] * (now.slip[c] + h * slid)
            room.force[k, a] = total


def fixed_end(model: FixedModel, element: FixedElement, h: float, now: Moment, end: Moment, room: FixedRoom) -> None:
    """State at the end, velocities at the stages and integrals of the forces."""
    n, (q, springs) = len(now.u), room.force.shape
    for i in range(n):
        moved = 0.0
        for k in range(q):
            moved += element.end[k] * room.x[k * n + i]
            total = 0.0
            for m in range(q):
                total += element.inverse[k, m] * room.x[m * n + i]
            room.v[k, i] = total / h
        end.u[i] = now.u[i] + moved
    for i in range(n):
        pushed = 0.0
        for j in range(n):
            if model.mass[i, j] != 0.0:
                moved = 0.0
                for k in range(q):
                    moved += element.push[k] * room.x[k * n + j]
                pushed += model.mass[i, j] * moved
        end.p[i] = now.p[i] + (pushed / h - element.rest * now.p[i])
    for a in range(springs):
        slid, grown, total = 0.0, 0.0, 0.0
        for k in range(q):
            slid += element.b[k] * room.rate[k, a]
            grown += element.b[k] * abs(room.rate[k, a])
            total += element.b[k] * room.force[k, a]
        end.slip[a] = now.slip[a] + h * slid
        end.X[a] = now.X[a] + model.kinematic[a] * (h * slid)
        end.w[a] = now.w[a] + h * grown
        room.mean[a] = h * total


def switching(
    model: FixedModel,
    element: FixedElement,
    h: float,
    branch: Array,
    close: float,
    now: Moment,
    end: Moment,
    room: FixedRoom,
) -> None:
    """Switching functions at the stages and at the end, positive where the branch is left, and what counts as zero.

    Without viscosity the force stays on its limit; the spring stops when its deformation turns back.
    """
    n, (q, springs) = len(now.u), room.force.shape
    for a in range(springs):
        turns = branch[a] != 0 and model.viscosity[a] == 0.0
        before, after, last, held = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            before += model.speed[a, i] * now.p[i]
            after += model.speed[a, i] * end.p[i]
            held += model.spread[i, a] * end.u[i]
        for c in range(springs):
            held -= model.spring[a, c] * end.slip[c]
        for k in range(q):
            slid, grown = 0.0, 0.0
            for m in range(q):
                slid += element.A[k, m] * room.rate[m, a]
                grown += element.A[k, m] * abs(room.rate[m, a])
            last += element.last[k] * room.rate[k, a]
            above = room.force[k, a] - (now.X[a] + model.kinematic[a] * (h * slid))
            limit = model.limit[a] + model.isotropic[a] * (now.w[a] + h * grown)
            if turns:
                room.outside[k, a] = -branch[a] * room.rate[k, a]
            else:
                room.outside[k, a] = abs(above) - limit if branch[a] == 0 else limit - branch[a] * above
        if turns:
            room.outside[q, a] = -branch[a] * (last if model.shared[a] else after)
            room.near[a] = close * (1.0 + abs(before))
        else:
            above, limit = held - end.X[a], model.limit[a] + model.isotropic[a] * end.w[a]
            room.outside[q, a] = abs(above) - limit if branch[a] == 0 else limit - branch[a] * above
            room.near[a] = close * (model.limit[a] if model.limit[a] < float("inf") else 1.0)


def fixed_energies(model: FixedModel, element: FixedElement, h: float, load: Array, u: Array, room: FixedRoom) -> None:
    """What dashpots and dampers take, what slip takes beyond them, what the jumps lose, and what the load gives."""
    n, (q, springs) = len(u), room.force.shape
    channels, viscous, slipped, given = model.patterns.shape[1], 0.0, 0.0, 0.0
    for k in range(q):
        power, push = 0.0, 0.0
        for i in range(n):
            drag, pushed = 0.0, 0.0
            for j in range(n):
                drag += model.damping[i, j] * room.v[k, j]
            for c in range(channels):
                pushed += model.patterns[i, c] * load[k * channels + c]
            power += drag * room.v[k, i]
            push += pushed * room.v[k, i]
            if len(element.jumps) > 0:
                room.gone[k, i] = pushed - drag
        for a in range(springs):
            spent = room.force[k, a] * room.rate[k, a]
            if model.damper[a]:
                power += spent
            else:
                slipped += element.b[k] * spent
        viscous += element.b[k] * power
        given += element.b[k] * push
    lost, stored = 0.0, 0.0
    if len(element.jumps) > 0:
        lost, stored = jumped(model, element, u, room)
        lost *= 0.5 * h * h
        stored *= 0.5 * h * h
    room.energies[0] = h * viscous
    room.energies[1] = h * slipped - stored
    room.energies[2] = lost + stored
    room.energies[3] = h * given


def jumped(model: FixedModel, element: FixedElement, u: Array, room: FixedRoom) -> tuple[float, float]:
    """Σ m_ij ⟨k_i, k_j⟩ over the rates of the state in the norm of the energy, and of what hardening stores."""
    n, (q, springs) = len(u), room.force.shape
    for k in range(q):
        for i in range(n):
            total = room.gone[k, i]
            for j in range(n):
                total -= model.beside[i, j] * (u[j] + room.x[k * n + j])
            for a in range(springs):
                total -= model.compatibility[i, a] * room.force[k, a]
            room.gone[k, i] = total
        for a in range(springs):
            total = -room.rate[k, a]
            for i in range(n):
                total += model.compatibility[i, a] * room.v[k, i]
            room.strained[k, a] = total
    lost, stored = 0.0, 0.0
    for k in range(q):
        for m in range(q):
            weight, part, held = element.jumps[k, m], 0.0, 0.0
            for i in range(n):
                for j in range(n):
                    part += room.gone[k, i] * model.light[i, j] * room.gone[m, j]
                    part += room.v[k, i] * model.beside[i, j] * room.v[m, j]
            for a in range(springs):
                held += model.isotropic[a] * abs(room.rate[k, a]) * abs(room.rate[m, a])
                for c in range(springs):
                    part += room.strained[k, a] * model.spring[a, c] * room.strained[m, c]
                    held += room.rate[k, a] * model.back[a, c] * room.rate[m, c]
            lost += weight * part
            stored += weight * held
    return lost, stored
