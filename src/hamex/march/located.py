"""Pieces of any length on which no slider changes its branch, for steps of several stages that are cut where one does.

On fixed branches the slip rates g of the stages solve a linear system, and so does all else: with x = U − u₀,

    Z x = f − S u₀ + B k (s₀ + h A g) + (A⁻¹1/h) p₀,     Z = (A⁻²/h²) M + (A⁻¹/h) C + S,     S = K + B k Bᵀ.

Z is factored for every length of a piece, what slips is solved for beside it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.matrices import backsolve_small, copied, eliminate

Array = Any


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
