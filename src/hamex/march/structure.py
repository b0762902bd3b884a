"""Structures through time: the drivers around the convex step, for the linear time element, for schemes that balance
at nodes, and for slow loading.

Letters as in :mod:`hamex.march.oscillator`, with one entry per dof or spring; row r of a history is node r, and z is
the flat state of all springs. A driver takes any number of steps from the state in row 0 and leaves the next state in
its last row, so that a run may be cut anywhere. The step itself is called through its address and compiled once for all
drivers; the loops over dofs stand in small functions of their own, so that a driver can also run as plain Python around
a sparse solver.

One step of a structure whose springs, if any, are elastic: one linear solve, and nothing to decide.

    S x + weight · B F(e₀ + reach · dx) = r,    F linear,

so that the tangent at the start of the step is that of its end: what is left of r at dx = 0, solved with it, is x."""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.matrices import Rows, added, copied, filled, product, times
from hamex.march.newton import (
    SEARCHES,
    SOLVES,
    UNCERTAIN,
    Matrix,
    Scratch,
    StepEquation,
    against,
    constrain,
    gradient,
    placed,
    renewed,
    sizes,
    stretch,
)
from hamex.march.run import invoke
from hamex.march.run import invoke as call_matrix  # its own name: a sparse solver takes its place
from hamex.march.springs import BROKEN, SpringGroups, commit, evaluate

Array = Any


class Stepper(NamedTuple):
    """A step ready to be taken: its solver (an address, or a number uncompiled), and what it works on."""

    solver: int
    step: StepEquation
    matrix: Matrix
    scratch: Scratch
    springs: SpringGroups


class StructureMatrices(NamedTuple):
    """Matrices that a driver multiplies with; ``beside`` is K, the stiffness outside the springs, ``elastic`` B A⁻¹;
    ``light`` are the dofs that have neither mass nor damping, where the element is to bring them back into balance."""

    mass: Rows
    damping: Rows
    beside: Rows
    elastic: Rows
    light: Array


class Push(NamedTuple):
    """What acts: channel values, one row per step or per node; patterns (channel, dof); deformation that moving
    supports impose at the nodes (node, spring), one row where they stand still; load on the light dofs at the start of
    each step (step, light dof)."""

    values: Array
    patterns: Array
    imposed: Array
    joints: Array


class Path(NamedTuple):
    """Histories of some steps; row 0 of u, p, v and z is the start. ``carried`` goes on from step to step.

    ``v`` has one row where velocities are not followed: M⁻¹p then tells them.
    """

    u: Array
    p: Array
    v: Array
    z: Array
    F: Array
    branch: Array
    carried: Array
    solves: Array
    searches: Array
    count: Array
    joint: Array  # work of what brings light dofs back into balance, one entry where there are none
    last: Array  # worst relative residual; on failure why, 0 for a spring that breaks; first step that may have several


class Nodal(NamedTuple):
    """Newmark's interpolation, and the weights of the old node in inertia (m) and in all other forces (f)."""

    to_v: float
    to_a: float
    v_v: float
    v_a: float
    a_v: float
    a_a: float
    m: float
    f: float


def pushed(channels: Array, patterns: Array, factor: float, out: Array) -> None:
    """out += factor · load, the sum of the patterns times their channels."""
    for a in range(len(channels)):
        value = factor * channels[a]
        for i in range(len(out)):
            out[i] += patterns[a, i] * value


def prepared(k: int, step: StepEquation, s: Scratch, push: Push, path: Path) -> None:
    """What the springs of step k see: deformation at its start, what supports add, and the measure of round-off."""
    stretch(step, path.u[k], s.e0)
    here, there = push.imposed[min(k, len(push.imposed) - 1)], push.imposed[min(k + 1, len(push.imposed) - 1)]
    for j in range(len(s.e0)):
        s.e0[j] += here[j]
        s.moved[j] = there[j] - here[j]
    sizes(step, path.u[k], path.z[k], s.noise)


def advanced(k: int, node: int, length: float, by: Stepper, push: Push, path: Path) -> bool:
    """Take step k from the guess in x: displacements and springs at its end; False when it could not be solved, or is
    to be cut where a spring breaks.

    ``node`` is 1 where forces belong to the end of a step, 0 where they are its means; ``length`` is that of the step
    in units of τ.
    """
    s, count = by.scratch, path.count
    before, looked = count[SOLVES], count[SEARCHES]
    prepared(k, by.step, s, push, path)
    left = invoke(by.solver, (by.step, by.matrix, s, by.springs, path.z[k], path.branch, path.F[k + node], count))
    if left < 0.0 or left > 1.0:
        path.last[1] = left
        return False
    if by.step.cuts and breaks(path.branch):
        path.last[1] = 0.0
        return False
    path.last[0] = max(path.last[0], left)
    if count[UNCERTAIN] != 0 and path.last[2] == 0.0:
        path.last[2] = k + 1.0
    commit(by.springs, length, path.z[k], s.dz, path.z[k + 1])
    added(path.u[k], s.x, path.u[k + 1])
    path.solves[k] = count[SOLVES] - before
    path.searches[k] = count[SEARCHES] - looked
    return True


def breaks(branch: Array) -> bool:
    """True where the force of a followed spring jumps on the path of the step."""
    found = False
    for j in range(len(branch)):
        found = found or branch[j] == BROKEN
    return found


def galerkin(by: Stepper, system: StructureMatrices, push: Push, path: Path, h: float) -> int:
    """March the linear time element; returns 0, or the number of the step that could not be taken."""
    s = by.scratch
    for k in range(len(push.values)):
        copied(path.p[k], s.r)
        pushed(push.values[k], push.patterns, 0.5 * h, s.r)
        times(system.beside, path.u[k], -0.5 * h, s.r)
        if len(system.light) > 0:
            balanced(k, h, by, system, push, path)
        filled(0.0, s.x)
        if not advanced(k, 0, 2.0, by, push, path):
            return k + 1
        for i in system.light:
            path.joint[k] += 0.5 * path.carried[0, i] * s.x[i]
        against(path.p[k], path.p[k + 1])
        times(system.mass, s.x, 2.0 / h, path.p[k + 1])  # eq. (79)
        if len(path.v) > 1:
            reflected(s.x, 2.0 / h, path.v[k], path.v[k + 1])
    return 0


def balanced(k: int, h: float, by: Stepper, system: StructureMatrices, push: Push, path: Path) -> None:
    """Add half of what light dofs are out of balance at the start of step k to the right side.

    Without it the mean of a step is in balance there and its ends are not: what an event leaves, Ku + BF − f, changes
    its sign from step to step and stays for ever. With it the end of every step without an event is in balance.
    """
    s, z = by.scratch, path.z[k]
    prepared(k, by.step, s, push, path)
    for j in range(len(s.ed)):
        s.ed[j] = s.e0[j] - z[by.step.slip[j]]
    filled(0.0, s.g)
    times(system.beside, path.u[k], 1.0, s.g)
    times(system.elastic, s.ed, 1.0, s.g)
    for a in range(len(system.light)):
        i = system.light[a]
        path.carried[0, i] = s.g[i] - push.joints[k, a]
        s.r[i] += 0.25 * h * path.carried[0, i]


def reflected(x: Array, factor: float, v: Array, out: Array) -> None:
    """out = factor · x − v: the velocity at the end of a step, by M⁻¹ times eq. (79)."""
    for i in range(len(out)):
        out[i] = factor * x[i] - v[i]


def nodal(by: Stepper, system: StructureMatrices, push: Push, path: Path, n: Nodal) -> int:
    """Newmark's family and generalised-α, the springs returned to their limit at the end of the step; loads at the
    nodes.

    F[k] is the force at node k; entry 0 is given. ``carried`` holds velocity and acceleration by rows, then their
    values with the displacement held, then what inertia and damping are weighed with.
    """
    s, v, a, v1, a1 = by.scratch, path.carried[0], path.carried[1], path.carried[2], path.carried[3]
    for k in range(len(push.values) - 1):
        filled(0.0, s.r)
        pushed(push.values[k + 1], push.patterns, 1.0 - n.f, s.r)
        if n.f != 0.0:
            pushed(push.values[k], push.patterns, n.f, s.r)
            gathered(by.step, path.F[k], -n.f, s.r)
        foreseen(n, v, a, v1, a1, path.carried[4], path.carried[5])
        times(system.mass, path.carried[4], -1.0, s.r)
        times(system.damping, path.carried[5], -1.0, s.r)
        times(system.beside, path.u[k], -1.0, s.r)
        filled(0.0, s.x)
        if not advanced(k, 1, 1.0, by, push, path):
            return k + 1
        moved(v1, n.to_v, s.x, v)
        moved(a1, n.to_a, s.x, a)
        filled(0.0, path.p[k + 1])
        times(system.mass, v, 1.0, path.p[k + 1])
        if len(path.v) > 1:
            copied(v, path.v[k + 1])
    return 0


def foreseen(n: Nodal, v: Array, a: Array, v1: Array, a1: Array, inertia: Array, damping: Array) -> None:
    """Velocity and acceleration with the displacement held, and what inertia and damping are weighed with."""
    for i in range(len(v)):
        v1[i] = n.v_v * v[i] + n.v_a * a[i]
        a1[i] = n.a_v * v[i] + n.a_a * a[i]
        inertia[i] = (1.0 - n.m) * a1[i] + n.m * a[i]
        damping[i] = (1.0 - n.f) * v1[i] + n.f * v[i]


def moved(x: Array, factor: float, y: Array, out: Array) -> None:
    """out = x + factor · y."""
    for i in range(len(out)):
        out[i] = x[i] + factor * y[i]


def gathered(step: StepEquation, F: Array, factor: float, out: Array) -> None:
    """out += factor · B F."""
    for j in range(len(F)):
        for m in range(step.begin[j], step.begin[j + 1]):
            out[step.dof[m]] += factor * step.share[m] * F[j]


def static(by: Stepper, system: StructureMatrices, push: Push, path: Path, penalty: float, factor: Array) -> int:
    """Slow loading: ``values`` hold load factors, or under displacement control values of pull · u.

    The first pattern is what the factor multiplies, the second stays on. F[k] is the force at node k, entry 0 is given;
    ``factor[k]`` receives the load factor. S contains penalty · pull pullᵀ under displacement control, which changes
    nothing where the constraint holds.
    """
    s, pull = by.scratch, by.step.pull
    for k in range(len(push.values) - 1):
        goal = push.values[k + 1, 0]
        copied(push.patterns[1], s.r)
        times(system.beside, path.u[k], -1.0, s.r)
        filled(0.0, s.x)
        if len(pull) > 0:
            pulled(pull, path.u[k], goal, penalty, s.x, s.r)
            s.factor[0] = factor[k]
        else:
            pushed(push.values[k + 1], push.patterns, 1.0, s.r)
        if not advanced(k, 1, 1.0, by, push, path):
            return k + 1
        filled(0.0, path.p[k + 1])
        if len(path.v) > 1:
            filled(0.0, path.v[k + 1])
        factor[k + 1] = s.factor[0] if len(pull) > 0 else goal
    return 0


def pulled(pull: Array, u: Array, goal: float, penalty: float, x: Array, r: Array) -> None:
    """The shortest increment that brings pull · u to its goal, and what the penalty adds to the right side."""
    reached, size = 0.0, 0.0
    for i in range(len(r)):
        reached += pull[i] * u[i]
        size += pull[i] ** 2
    for i in range(len(r)):
        x[i] = pull[i] * (goal - reached) / size
        r[i] += penalty * (goal - reached) * pull[i]


def linear(
    step: StepEquation,
    matrix: Matrix,
    s: Scratch,
    springs: SpringGroups,
    z: Array,
    branch: Array,
    F: Array,
    count: Array,
) -> float:
    """Solve one step, like :func:`hamex.march.newton.newton`; returns 0, or −1 − (row of a pivot that is not positive).

    Under displacement control s.x obeys the constraint on entry, and every correction keeps it.
    """
    controlled = len(step.pull) > 0  # the increment is the sum of what was given and what is solved for
    if not controlled:
        filled(0.0, s.ex)
    else:
        product(step.S, s.x, s.Sx)
        stretch(step, s.x, s.ex)
    placed(step, s, 0.0)
    held = step.tau > 0.0  # true
    evaluate(springs, s.e0, s.dx, step.reach, step.tau, z, held, F, s.T, s.dz, branch, s.block)
    code = renewed(step, matrix, s, count)
    if code > 0.0:
        return -code
    if controlled:
        gradient(step, s, F)
        against(s.g, s.d)
    else:
        left_over(step, s, F)
    call_matrix(matrix.solve, (matrix.data, s.d, s.small))
    count[SOLVES] += 1
    if controlled:
        constrain(step.pull, s.z, s.factor, s.d)
        added(s.x, s.d, s.x)
    else:
        copied(s.d, s.x)
    stretch(step, s.x, s.ex)
    placed(step, s, 0.0)
    evaluate(springs, s.e0, s.dx, step.reach, step.tau, z, held, F, s.T, s.dz, branch, s.block)
    return 0.0


def left_over(step: StepEquation, s: Scratch, F: Array) -> None:
    """d = r − weight B F."""
    copied(s.r, s.d)
    for j in range(len(F)):
        for m in range(step.begin[j], step.begin[j + 1]):
            s.d[step.dof[m]] -= step.weight * step.share[m] * F[j]
