"""All springs of a model, group by group: each group of a law is one call of its kernel, whatever the law.

Compiled, a kernel is called through its machine address, so that a march is compiled once for all laws and a new law
compiles nothing but itself; uncompiled it is called as the function it is, with the same bits. All groups stand in two
flat arrays. From ``begin[g]`` on, I holds of group g

    0 number of blocks, 1 width of a row of P, 2 state variables per spring, 3 first entry in the state z, 4 first entry
    in the tangents T (blocks of several springs), 5 whether the state flows, 6 springs,   and from ``HEAD`` on
    the first spring of each block, then what the law adds.

and from ``row[g]`` on, P holds one row per block: its stiffness, then what the law prepared for the time τ. A kernel is

    law(I, begin, P, row, e0, dx, reach, tau, z, forced, F, T, dz, branch, work) → True when a branch changed:

force F and tangent T at the deformation e0 + reach·dx after the time τ from the state z, where e0 is the deformation at
the start of the step and dx its increment over the whole step. dz receives the increment of the state within τ, or the
new state of laws that do not flow.

Tangents of springs into a matrix with a fixed pattern, cell by cell.

Blocks of springs that touch the same dofs, such as the points of one finite element, form a cell. A cell knows once,
for all its blocks, where its entries stand in the matrix; ``Σ B T Bᵀ`` of its blocks is formed in a small full matrix
and added there. No list of products b·b is kept: for one point of a hexahedron it would have thousands of entries."""

from __future__ import annotations

from typing import Any

from hamex.march.matrices import sorted_place
from hamex.march.run import invoke

Array = Any
SpringGroups = Any
HEAD = 8
SPRINGS, FLOWS = 6, 5
LAST, FORCE, WAY = 1, 2, 3  # in the state of springs that are followed: deformation, force, and which way they went
BROKEN = 1 << 16  # piece of a spring whose force jumps on the path of a step
# Of the forces that meet and of what the spring would carry without slip: what is less is rounding. A force near zero
# is a difference of larger numbers, and so is no measure by itself.
JUMP = 1e-9
# Straight pieces on the path of a step; laws have some ten. A spring that does not come to the end with so many has no
# force, and the step is told as one that is not solved.
MOST_PIECES = 1000


def evaluate(
    groups: Array,
    I: Array,
    P: Array,
    e0: Array,
    dx: Array,
    reach: float,
    tau: float,
    z: Array,
    forced: int,
    F: Array,
    T: Array,
    dz: Array,
    branch: Array,
    work: Array,
) -> bool:
    """Fill forces, tangents and changes of state of all springs; returns True when a branch changed.

    ``groups`` holds how many there are, then for each its law (an address, or a number uncompiled) and where it begins
    in I and in P.
    """
    changed = False
    for g in range(1, 3 * groups[0] + 1, 3):
        begin, row = groups[g + 1], groups[g + 2]
        if invoke(groups[g], (I, begin, P, row, e0, dx, reach, tau, z, forced, F, T, dz, branch, work)) != 0.0:
            changed = True
    return changed


def commit(groups: Array, I: Array, length: float, z: Array, dz: Array, after: Array) -> None:
    """The state at the end of a step that is ``length`` times τ long."""
    for g in range(1, 3 * groups[0] + 1, 3):
        begin = groups[g + 1]
        first = I[begin + 3]
        flows = I[begin + FLOWS] != 0
        for o in range(first, first + I[begin + 2] * I[begin + SPRINGS]):
            after[o] = z[o] + length * dz[o] if flows else dz[o]


def spring_at(p: Array, r: int, e: float, tau: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """A law's answer for one spring; every law brings its own."""
    raise NotImplementedError


def spring_along(
    p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array
) -> tuple[float, float, int]:
    """A law's answer for one spring along a straight path; every law that has one brings its own."""
    raise NotImplementedError


def spring_piece(p: Array, r: int, e: float, way: float, z: Array, o: int) -> tuple[float, float, float]:
    """A law's answer for one spring that is followed piece by piece; every such law brings its own."""
    raise NotImplementedError


def spring_in_step(
    p: Array, r: int, e: float, d: float, reach: float, tau: float, z: Array, o: int, many: int, dz: Array
) -> tuple[float, float, int]:
    """How one spring is asked in a step: one of the functions behind :func:`each`, around its law."""
    raise NotImplementedError


def each(
    I: Array,
    begin: int,
    P: Array,
    row: int,
    e0: Array,
    dx: Array,
    reach: float,
    tau: float,
    z: Array,
    forced: int,
    F: Array,
    T: Array,
    dz: Array,
    branch: Array,
    work: Array,
) -> bool:
    """A group of single springs, one by one."""
    changed, many = False, I[begin + 2]
    for i in range(I[begin]):
        j, o, r = I[begin + HEAD + i], I[begin + 3] + many * i, row + I[begin + 1] * i
        F[j], T[j], piece = spring_in_step(P, r, e0[j], dx[j], reach, tau, z, o, many, dz)
        if piece != branch[j]:
            branch[j] = piece
            changed = True
    return changed


def flowing(
    p: Array, r: int, e: float, d: float, reach: float, tau: float, z: Array, o: int, many: int, dz: Array
) -> tuple[float, float, int]:
    """A law that flows, *at* a deformation."""
    return spring_at(p, r, e + reach * d, tau, z, o, dz)


def standing(
    p: Array, r: int, e: float, d: float, reach: float, tau: float, z: Array, o: int, many: int, dz: Array
) -> tuple[float, float, int]:
    """A law that does not flow, *at* a deformation; slip is what is not elastic."""
    force, slope, piece = spring_at(p, r, e + reach * d, tau, z, o, dz)
    dz[o] = (e + reach * d) - force / p[r]
    return force, slope, piece


def along(
    p: Array, r: int, e: float, d: float, reach: float, tau: float, z: Array, o: int, many: int, dz: Array
) -> tuple[float, float, int]:
    """A law *along* the straight path of the step: the mean of the path.

    The step asks for the slope at its evaluation point e + reach·d; the mean's slope in d is reach times that.
    """
    force, slope, piece = spring_along(p, r, e, d, tau / reach, z, o, dz)
    return force, slope / reach, piece


def followed(
    p: Array, r: int, e: float, d: float, reach: float, tau: float, z: Array, o: int, many: int, dz: Array
) -> tuple[float, float, int]:
    """A law whose path is made of straight pieces: the mean of the path of the step.

    By moments: with slope kₘ between the shares σₘ and σₘ₊₁ of the way d, the mean is
    F(e) + d Σ kₘ(σₘ₊₁ − σₘ)(1 − (σₘ + σₘ₊₁)/2) and its slope Σ kₘ(σₘ₊₁² − σₘ²)/2; no difference of two large energies.
    What has not moved shows the slope ahead, and stays as it was.

    Where the force jumps, the spring breaks: the piece before goes on to the end of the path, so that the step keeps
    its one solution, the state is the one behind the jump, and the piece returned is ``BROKEN``: the step is to be cut.
    """
    for v in range(o, o + many):
        dz[v] = z[v]
    way = 1.0 if d > 0.0 or (d == 0.0 and z[o + WAY] >= 0.0) else -1.0
    start, k, edge = spring_piece(p, r, e, way, dz, o)
    here, mean, slope, at, force, piece, pieces = 0.0, 0.0, 0.0, e, start, 0, 0
    size = p[r] * (abs(e) + abs(d) + abs(z[o]))
    while way * (edge - (e + d)) < 0.0 and pieces < MOST_PIECES:
        comes = force + k * (edge - at)
        at, pieces = edge, pieces + 1
        force, ahead, edge = spring_piece(p, r, at, way, dz, o)
        if piece == 0 and abs(force - comes) > JUMP * (abs(force) + abs(comes) + size):
            piece = BROKEN
        if piece == 0:
            there = min(max((at - e) / d, here), 1.0)
            mean += k * (there - here) * (1.0 - 0.5 * (here + there))
            slope += 0.5 * k * (there * there - here * here)
            here, k = there, ahead
    if pieces == MOST_PIECES:
        mean = float("nan")
    mean += k * (1.0 - here) * (0.5 - 0.5 * here)
    slope += 0.5 * k * (1.0 - here * here)
    if d == 0.0:
        for v in range(o, o + many):
            dz[v] = z[v]
    spring_piece(p, r, e + d, 0.0, dz, o)
    dz[o] = (e + d) - dz[o + FORCE] / p[r]  # slip is what is not elastic
    return start + d * mean, slope / reach, piece


def reached(
    p: Array, r: int, e: float, d: float, reach: float, tau: float, z: Array, o: int, many: int, dz: Array
) -> tuple[float, float, int]:
    """The same law at the end of its path, which begins where its state was left. A spring that breaks on the way holds
    to the end of the step, on the piece before."""
    for v in range(o, o + many):
        dz[v] = z[v]
    at, goal = z[o + LAST], e + reach * d
    way = 1.0 if goal > at or (goal == at and z[o + WAY] >= 0.0) else -1.0
    force, k, edge = spring_piece(p, r, at, way, dz, o)
    if goal == at:
        for v in range(o, o + many):
            dz[v] = z[v]
    held, since, piece, pieces = force, at, 0, 0
    size = p[r] * (abs(at) + abs(goal) + abs(z[o]))
    while way * (edge - goal) < 0.0 and pieces < MOST_PIECES:
        comes = force + k * (edge - at)
        at, pieces = edge, pieces + 1
        force, ahead, edge = spring_piece(p, r, at, way, dz, o)
        if piece == 0 and abs(force - comes) > JUMP * (abs(force) + abs(comes) + size):
            held, since, piece = comes, at, BROKEN
        if piece == 0:
            k = ahead
    force, _, _ = spring_piece(p, r, goal, 0.0, dz, o)
    if pieces == MOST_PIECES:
        force = held = float("nan")
    dz[o] = goal - dz[o + FORCE] / p[r]
    return (held + k * (goal - since) if piece == BROKEN else force), k, piece


def pushed(
    p: Array, r: int, e: float, d: float, reach: float, tau: float, z: Array, o: int, many: int, dz: Array
) -> tuple[float, float, int]:
    """The same law at the end of an increment of slow loading, whose path goes on where it ends: a spring that would
    not survive a reversal is lost where it turns, as in :func:`hamex.respond`, and not at the end of an increment.

    One that turns so has broken at once, and one whose force jumps at the very end has, too: what it held is held, on
    its first stiffness and on the piece before.
    """
    for v in range(o, o + many):
        dz[v] = z[v]
    at, goal = z[o + LAST], e + reach * d
    way = 1.0 if goal > at or (goal == at and z[o + WAY] >= 0.0) else -1.0
    force, k, edge = spring_piece(p, r, at, way, dz, o)
    if goal == at:
        for v in range(o, o + many):
            dz[v] = z[v]
        return z[o + FORCE], k, 0
    held, since, piece, pieces = z[o + FORCE], at, 0, 0
    size = p[r] * (abs(at) + abs(goal) + abs(z[o]))
    if abs(force - held) > JUMP * (abs(force) + abs(held) + size):
        piece, slope = BROKEN, p[r]
    else:
        held, slope = force, k
    while way * (edge - goal) < 0.0 and pieces < MOST_PIECES:
        comes = force + k * (edge - at)
        at, pieces = edge, pieces + 1
        force, k, edge = spring_piece(p, r, at, way, dz, o)
        if piece == 0 and abs(force - comes) > JUMP * (abs(force) + abs(comes) + size):
            held, since, piece = comes, at, BROKEN
        if piece == 0:
            slope = k
    comes = force + k * (goal - at)
    spring_piece(p, r, goal, way, dz, o)
    force = dz[o + FORCE]
    if piece == 0 and abs(force - comes) > JUMP * (abs(force) + abs(comes) + size):
        held, since, piece = comes, goal, BROKEN
    if pieces == MOST_PIECES:
        force = held = float("nan")
    dz[o] = goal - force / p[r]
    return (held + slope * (goal - since) if piece == BROKEN else force), slope, piece


def first_break(p: Array, r: int, e: float, d: float, z: Array, o: int) -> float:
    """Deformation at which the force of a followed spring first jumps on the way from e to e + d; z is moved along.
    Infinite where it does not."""
    way, at, size = (1.0 if d > 0.0 else -1.0), e, p[r] * (abs(e) + abs(d) + abs(z[o]))
    force, k, edge = spring_piece(p, r, at, way, z, o)
    pieces = 0
    while way * (edge - (e + d)) < 0.0 and pieces < MOST_PIECES:
        comes = force + k * (edge - at)
        at, pieces = edge, pieces + 1
        force, k, edge = spring_piece(p, r, at, way, z, o)
        if abs(force - comes) > JUMP * (abs(force) + abs(comes) + size):
            return at
    return float("inf")


# Blocks of springs by cells, and where the entries of each cell stand in the matrix. Slots of N: number of cells and
# dofs of the widest; blocks of each cell (cell + 1,); first spring, springs and first entry in T of each block, row by
# row; entries of B by springs (spring + 1,); dofs of each cell, and its first entry in PLACE. Slots of J: for every
# pair of dofs of a cell, row by row, its place in the matrix, −1 for none; the number of each entry's dof within its
# cell. Slots of R: weight · reach of the step; values of B; tangents of a model at rest, which stand in the matrix
# already; T Bᵀ of one block (m, widest) and the matrix of one cell (widest, widest).
CELLS, BLOCKS, FIRST, SIZE, ENTRY, COLUMN, MANY, TABLE = range(8)
PLACE, LOCAL = range(2)
FACTOR, SHARE, ELASTIC, WIDE, FULL = range(5)


def scattered(N: Array, J: Array, R: Array, T: Array, data: Array) -> int:
    """data += factor · Σ B (T − elastic) Bᵀ, over the blocks that slip; their tangents are symmetric."""
    place, full, widest = J[PLACE], R[FULL], N[CELLS][1]
    for c in range(N[CELLS][0]):
        d, slips = N[MANY][c], False
        for block in range(N[BLOCKS][c], N[BLOCKS][c + 1]):
            if not is_elastic(N[ENTRY][block], N[SIZE][block], T, R[ELASTIC]):
                if not slips:
                    for i in range(d):
                        for j in range(i + 1):
                            full[i * widest + j] = 0.0
                slips = True
                tangent_of(N, J, R, block, d, T)
        if slips:
            for i in range(d):
                for j in range(d):
                    to = place[N[TABLE][c] + i * d + j]
                    if to >= 0:
                        data[to] += full[max(i, j) * widest + min(i, j)]
    return 0


def is_elastic(e: int, size: int, T: Array, elastic: Array) -> bool:
    """True when no spring of a block slips."""
    end = e + size * size
    while e < end and T[e] == elastic[e]:
        e += 1
    return e == end


def tangent_of(N: Array, J: Array, R: Array, block: int, d: int, T: Array) -> None:
    """Add one block's B (T − elastic) Bᵀ to the lower half of the matrix of its cell."""
    first, m, entry, widest, column = N[FIRST][block], N[SIZE][block], N[ENTRY][block], N[CELLS][1], N[COLUMN]
    local, share, elastic, wide, full = J[LOCAL], R[SHARE], R[ELASTIC], R[WIDE], R[FULL]
    for a in range(m):
        row = a * widest
        for j in range(d):
            wide[row + j] = 0.0
        for b in range(m):
            t = R[FACTOR][0] * (T[entry + m * a + b] - elastic[entry + m * a + b])
            for e in range(column[first + b], column[first + b + 1]):
                wide[row + local[e]] += t * share[e]
    for a in range(m):
        row = a * widest
        for e in range(column[first + a], column[first + a + 1]):
            i, value = local[e] * widest, share[e]
            for j in range(local[e] + 1):
                full[i + j] += value * wide[row + j]


def found(begin: Array, index: Array, table: Array, many: Array, dofs: Array, owner: Array, place: Array) -> None:
    """Fill the places of all pairs of dofs of all cells in a matrix by columns with sorted rows.

    ``dofs`` holds the dofs of the cells one after the other, ``owner`` where those of a cell begin.
    """
    for c in range(len(many)):
        d = many[c]
        for j in range(d):
            column = dofs[owner[c] + j]
            for i in range(d):
                row = dofs[owner[c] + i]
                to = sorted_place(index, begin[column], begin[column + 1], row)
                there = to < begin[column + 1] and index[to] == row
                place[table[c] + i * d + j] = to if there else -1


def counted(cell: Array, column: Array, index: Array, owner: Array, dofs: Array, local: Array) -> None:
    """Fill the number of every entry's dof within its cell; rows of B and dofs of a cell are both sorted."""
    for j in range(len(cell)):
        at = owner[cell[j]]
        for e in range(column[j], column[j + 1]):
            while dofs[at] < index[e]:
                at += 1
            local[e] = at - owner[cell[j]]


def laid(begin: Array, index: Array, own: Array, row: Array, value: Array, out: Array) -> None:
    """Put the entries of a matrix into a pattern that has all of them; both by columns with sorted rows."""
    for j in range(len(begin) - 1):
        at = begin[j]
        for m in range(own[j], own[j + 1]):
            while index[at] < row[m]:
                at += 1
            out[at] += value[m]
