"""Springs in elements of several stages: what each stage sees, and the tangent that ties the stages together.

A state variable flows with the rate g, and collocation asks (A⁻¹/h)(z_i − z₀) = g_i at the stages. The diagonal of A⁻¹
is positive, so stage i sees its law as one step of length τ_i = h/(A⁻¹)_ii from the shifted start

    z₀ − Σ_{j≠i} c_ij Y_j,     c_ij = (A⁻¹)_ij/(A⁻¹)_ii,     Y_j = z_j − z₀,

and it must satisfy R_i = Y_i + Σ_{j≠i} c_ij Y_j − dz_i = 0, dz_i the law's own increment within τ_i. Newton takes
R along with the equations of motion: block by block dY follows from the deformations, and the forces of a block at
all stages from its deformations at all stages. The laws give dF/de; how they answer to their start is found by moving
one variable at a time, on the branch held, which is exact for laws that are straight there."""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.matrices import backsolve_small, eliminate
from hamex.march.run import invoke

Array = Any


class StageLaws(NamedTuple):
    """All laws of a model."""

    tau: Array  # (stage,)
    law: Array  # addresses (compiled) or numbers of functions (not compiled)
    begin: Array  # (group,)
    row: Array  # (stage, group)
    I: Array
    P: Array
    block: Array  # work space of the laws


def at_stage(
    laws: StageLaws, i: int, e0: Array, dx: Array, z: Array, forced: bool, F: Array, T: Array, dz: Array, branch: Array
) -> bool:
    """All springs at e₀ + dx, after the time of stage i, from the state z: force, tangent, increment of the state.

    ``forced`` keeps to the branches given; else they are filled, and True returned when one changed.
    """
    changed = False
    for g in range(len(laws.law)):
        if (
            invoke(
                laws.law[g],
                (
                    laws.I,
                    laws.begin[g],
                    laws.P,
                    laws.row[i, g],
                    e0,
                    dx,
                    1.0,
                    laws.tau[i],
                    z,
                    forced,
                    F,
                    T,
                    dz,
                    branch,
                    laws.block,
                ),
            )
            != 0.0
        ):
            changed = True
    return changed


class Local(NamedTuple):
    """Blocks of springs: m components with a few variables each, d = m · variables entries in z."""

    first: Array  # first spring
    size: Array  # m
    begin: Array  # first entry in z
    many: Array  # d
    tangent: Array  # first entry in the laws' T
    place: Array  # first entry in the coupled tangents, (stage, component) squared
    gain: Array  # first entry of dY/de, (stage, entry) × (stage, component)
    slope: Array  # first entry of ∂dz/∂z, (stage, entry, entry)
    press: Array  # first entry of ∂F/∂z, (stage, component, entry)
    fine: Array  # (entry of z,) share of its size by which a variable is moved
    follows: Array  # entries of z that do not flow but follow the deformation: slip of elastic laws
    widest: int  # largest d


class StageSprings(NamedTuple):
    """All springs at all stages: what the laws answered, and what follows from it."""

    F: Array  # (stage, spring)
    T: Array  # (stage, entry)
    dz: Array  # (stage, entry of z)
    branch: Array  # (stage, spring)
    R: Array  # (stage, entry of z)
    fixed: Array  # (stage, entry of z): dY at the deformations held
    held: Array  # (stage, spring): force then
    coupled: Array  # tangents between stages
    gain: Array
    slope: Array
    press: Array
    z: Array  # shifted start of one stage
    Fp: Array  # answers to a moved variable
    Tp: Array
    dzp: Array
    branchp: Array
    moved: Array
    matrix: Array  # of one block
    right: Array
    order: Array


def shifted(cross: Array, i: int, z0: Array, Y: Array, out: Array) -> None:
    """The start that stage i sees."""
    for v in range(len(z0)):
        total = 0.0
        for j in range(len(cross)):
            if j != i:
                total += cross[i, j] * Y[j, v]
        out[v] = z0[v] - total


def followed_state(laws: StageLaws, i: int, e0: Array, dx: Array, z: Array, s: StageSprings) -> float:
    """All springs at one deformation: Fp, Tp, dzp and branchp, for the state that follows it."""
    at_stage(laws, i, e0, dx, z, i < 0, s.Fp, s.Tp, s.dzp, s.branchp)
    return 0.0


def respond(
    laws: StageLaws, cross: Array, e0: Array, ex: Array, z0: Array, Y: Array, forced: bool, s: StageSprings
) -> float:
    """All stages: F, T, dz and branch of the springs, and R; 1 when a branch changed."""
    changed = 0.0
    for i in range(len(cross)):
        shifted(cross, i, z0, Y, s.z)
        if at_stage(laws, i, e0, ex[i], s.z, forced, s.F[i], s.T[i], s.dz[i], s.branch[i]):
            changed = 1.0
        for v in range(len(z0)):
            total = Y[i, v] - s.dz[i, v]
            for j in range(len(cross)):
                if j != i:
                    total += cross[i, j] * Y[j, v]
            s.R[i, v] = total
    return changed


def linearised(
    laws: StageLaws, local: Local, cross: Array, e0: Array, ex: Array, z0: Array, Y: Array, s: StageSprings
) -> float:
    """What Newton needs of the springs at a place where they have answered."""
    slopes(laws, local, cross, e0, ex, z0, Y, s)
    condense(local, cross, s)
    return 0.0


def slopes(
    laws: StageLaws, local: Local, cross: Array, e0: Array, ex: Array, z0: Array, Y: Array, s: StageSprings
) -> None:
    """How dz and F answer to the start, for the blocks whose state moves; one entry of every block at a time."""
    held = len(cross) > 0  # true; the compiler makes a copy of a function for every literal
    for i in range(len(cross)):
        clear(local, i, s)
        shifted(cross, i, z0, Y, s.z)
        for p in range(local.widest):
            if not move(local, i, p, e0, ex, s):
                continue
            for j in range(len(e0)):
                s.branchp[j] = s.branch[i, j]
            at_stage(laws, i, e0, ex[i], s.z, held, s.Fp, s.Tp, s.dzp, s.branchp)
            for b in range(len(local.first)):
                d, m, at = local.many[b], local.size[b], local.begin[b]
                if p >= d or s.moved[b] == 0.0:
                    continue
                into = local.slope[b] + i * d * d
                for v in range(d):
                    s.slope[into + v * d + p] = (s.dzp[at + v] - s.dz[i, at + v]) / s.moved[b]
                if p % (d // m) != 0:  # to its slip the force answers by −T
                    into = local.press[b] + i * m * d
                    for a in range(m):
                        s.press[into + a * d + p] = (s.Fp[local.first[b] + a] - s.F[i, local.first[b] + a]) / s.moved[b]
            shifted(cross, i, z0, Y, s.z)


def clear(local: Local, i: int, s: StageSprings) -> None:
    """Slopes of stage i of springs that do not flow: the force answers to slip alone."""
    for b in range(len(local.first)):
        d, m = local.many[b], local.size[b]
        for v in range(d * d):
            s.slope[local.slope[b] + i * d * d + v] = 0.0
        for a in range(m):
            for v in range(d):
                out = 0.0
                if v % (d // m) == 0:
                    out = -s.T[i, local.tangent[b] + a * m + v // (d // m)]
                s.press[local.press[b] + (i * m + a) * d + v] = out


def move(local: Local, i: int, p: int, e0: Array, ex: Array, s: StageSprings) -> bool:
    """Move entry p of every block that flows at stage i; False when there is none."""
    some = False
    for b in range(len(local.first)):
        d, m, at = local.many[b], local.size[b], local.begin[b]
        s.moved[b] = 0.0
        if p >= d or not flows(b, i, local, s):
            continue
        size = abs(s.z[at + p]) + abs(s.dz[i, at + p])
        if p % (d // m) == 0 or size == 0.0:
            for a in range(m):
                size = max(size, abs(e0[local.first[b] + a]) + abs(ex[i, local.first[b] + a]))
        before = s.z[at + p]
        s.z[at + p] = before + local.fine[at + p] * (size if size > 0.0 else 1.0)
        s.moved[b] = s.z[at + p] - before
        some = some or s.moved[b] != 0.0
    return some


def flows(b: int, i: int, local: Local, s: StageSprings) -> bool:
    """True when the state of a block moves at stage i, or is on a branch where it may."""
    for a in range(local.first[b], local.first[b] + local.size[b]):
        if s.branch[i, a] != 0:
            return True
    moves = False
    for v in range(local.begin[b], local.begin[b] + local.many[b]):
        moves = moves or s.dz[i, v] != 0.0
    return moves


def condense(local: Local, cross: Array, s: StageSprings) -> None:
    """Block by block: dY = fixed + gain · de, forces held and tangents between the stages."""
    for b in range(len(local.first)):
        d, q = local.many[b], len(cross)
        busy = False
        for i in range(q):
            busy = busy or flows(b, i, local, s)
            for v in range(local.begin[b], local.begin[b] + d):
                if s.R[i, v] != 0.0:
                    busy = True
        if d == 0 or not busy:
            rest(b, local, q, s)
            continue
        for row in range(q * d):
            i, v = row // d, row % d
            for column in range(q * d):
                j, c = column // d, column % d
                if i == j:
                    s.matrix[row, column] = 1.0 if v == c else 0.0
                else:
                    own = 1.0 if v == c else 0.0
                    s.matrix[row, column] = cross[i, j] * (own + s.slope[local.slope[b] + (i * d + v) * d + c])
        eliminate(s.matrix, q * d, s.order)
        solved(b, local, q, s)
        tied(b, local, cross, s)


def rest(b: int, local: Local, q: int, s: StageSprings) -> None:
    """A block that does not flow at any stage."""
    d, m, first = local.many[b], local.size[b], local.first[b]
    for i in range(q):
        for v in range(local.begin[b], local.begin[b] + d):
            s.fixed[i, v] = 0.0
        for a in range(m):
            s.held[i, first + a] = s.F[i, first + a]
            for column in range(q * m):
                j, c = column // m, column % m
                tangent = s.T[i, local.tangent[b] + a * m + c] if i == j else 0.0
                s.coupled[local.place[b] + (i * m + a) * q * m + column] = tangent
    for entry in range(local.gain[b], local.gain[b] + q * d * q * m):
        s.gain[entry] = 0.0


def solved(b: int, local: Local, q: int, s: StageSprings) -> None:
    """Fill ``fixed`` and ``gain`` of a block from its factored matrix."""
    d, m, at = local.many[b], local.size[b], local.begin[b]
    for row in range(q * d):
        s.right[row] = -s.R[row // d, at + row % d]
    backsolve_small(s.matrix, q * d, s.order, s.right)
    for row in range(q * d):
        s.fixed[row // d, at + row % d] = s.right[row]
    for column in range(q * m):
        j, c = column // m, column % m
        for row in range(q * d):
            s.right[row] = 0.0
        for v in range(d):  # to a deformation the law answers as to a slip the other way
            s.right[j * d + v] = -s.slope[local.slope[b] + (j * d + v) * d + c * (d // m)]
        backsolve_small(s.matrix, q * d, s.order, s.right)
        for row in range(q * d):
            s.gain[local.gain[b] + row * q * m + column] = s.right[row]


def tied(b: int, local: Local, cross: Array, s: StageSprings) -> None:
    """Fill ``held`` and ``coupled`` of a block: F at a stage answers to the states of the others."""
    d, m, at, first, q = local.many[b], local.size[b], local.begin[b], local.first[b], len(cross)
    for i in range(q):
        for a in range(m):
            press = local.press[b] + (i * m + a) * d
            force = s.F[i, first + a]
            for j in range(q):
                if j != i:
                    for v in range(d):
                        force -= cross[i, j] * s.press[press + v] * s.fixed[j, at + v]
            s.held[i, first + a] = force
            for column in range(q * m):
                total = s.T[i, local.tangent[b] + a * m + column % m] if column // m == i else 0.0
                for j in range(q):
                    if j != i:
                        for v in range(d):
                            total -= (
                                cross[i, j] * s.press[press + v] * s.gain[local.gain[b] + (j * d + v) * q * m + column]
                            )
                s.coupled[local.place[b] + (i * m + a) * q * m + column] = total


def carried(local: Local, q: int, ed: Array, s: StageSprings, out: Array) -> None:
    """out = dY, for increments ``ed`` of the deformations (stage, spring)."""
    for b in range(len(local.first)):
        d, m, at, first = local.many[b], local.size[b], local.begin[b], local.first[b]
        for row in range(q * d):
            total = s.fixed[row // d, at + row % d]
            for column in range(q * m):
                total += s.gain[local.gain[b] + row * q * m + column] * ed[column // m, first + column % m]
            out[row // d, at + row % d] = total
