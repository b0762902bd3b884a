"""Explicit leap-frog with a return map: for storeys in a row, one pass a step, and for any structure with lumped
masses.

In a row, storey i (1 … N) lies between floors i − 1 and i; floor 0 is the ground, at rest in relative coordinates.
Displacement stands on the nodes of time, velocity half-way between them; every spring is returned to its yield limit
at the node (backward Euler in the slip, as in Newmark's method). Nothing is solved and nothing iterates, but the step
is stable only up to :func:`stable_step`, and every floor needs a mass.

The storey dashpots see a velocity that is known already: that of the last half step plus ``ahead`` times its last
change. 0 is the usual lagged velocity, first order in the damping; 0.5 extrapolates to the node and keeps the order 2,
for a shorter stable step.

Any structure with lumped masses: solids, trusses, frames with mass at every dof. With f the load and R what resists,

    M (v⁺ − v⁻)/h + Cₐ (v⁺ + v⁻)/2 = f − R,    R = K u + B F(Bᵀu) + C ṽ,    ṽ = v⁻ + ahead · (v⁻ − v⁻⁻)

where M is diagonal and springs are returned to their limit at the node (backward Euler in the slip). Dashpots between
nodes (C) see a velocity that is known already, extrapolated to the node with ``ahead`` = ½; those of one node alone
(Cₐ), such as absorbing boundaries, see the mean of both, which couples nothing and does not bound the step. Both are
second order. A motion u = μⁿφ obeys, with m = φ*Mφ, c, cₐ and k likewise, all of them real,

    (μ − 1)² μ m + h² μ² k + h (μ − 1)(1.5 μ − 0.5) c + ½ h (μ² − 1) μ cₐ = 0    (ahead = ½),

whose roots stay in the unit circle exactly while ``4 m > 4 h c + h² k`` (Jury): the step is stable while
4M − 4hC − h²K is positive definite, whatever motions C couples.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hamex.march.matrices import Rows, filled, times
from hamex.march.newton import stretch
from hamex.march.springs import SpringGroups, commit, evaluate
from hamex.march.structure import gathered, pushed

Numbers = Any
Out = Any
Histories = Any


def stable_step(frequency: float, ratio: float, ahead: float) -> float:
    """Longest stable step of an elastic mode: ``2/ω · (√(1 + z²) − z)`` with ``z = (1 + 2·ahead)·ratio``.

    The mode of the highest frequency rules where dashpots are in proportion to the springs; for others see
    :mod:`hamex.schemes.promised`. It flips its sign at every step there, and so does its velocity, which the dashpots
    then see (1 + 2·ahead) times too large. Yielding only softens.

    Parameters
    ----------
    frequency : circular frequency ω of the mode [1/time].
    ratio : its damping ratio [1].
    ahead : as in :func:`leapfrog`.

    Examples
    --------
    >>> stable_step(10.0, 0.0, 0.0)
    0.2
    """
    z = (1.0 + 2.0 * ahead) * ratio
    return 2.0 / frequency * (math.sqrt(1.0 + z * z) - z)


class Frame(NamedTuple):
    """A shear frame; arrays have N + 1 entries, the first for the ground, which is not read."""

    inv_mass: Numbers
    k: Numbers
    c: Numbers
    yield_force: Numbers
    viscosity: Numbers
    kinematic: Numbers
    isotropic: Numbers


class LeapFrogHistory(NamedTuple):
    """Histories by rows, and what goes on from step to step.

    Row 0 of the displacements u, the slips s and the momenta p holds the start; of the ground only u and v are read,
    and must be zero. v is the velocity at the start, or half a step before it where a run goes on; then F (N + 2
    entries) holds the storey forces at its node, dashpots included. Back force X and accumulated slip w have a row per
    node, or one row for all where nothing hardens (``stride`` 0).
    """

    u: Histories
    s: Histories
    p: Histories
    v: Out
    X: Histories
    w: Histories
    F: Out
    give: Out
    rate: Out


def leapfrog(
    load: Numbers, pattern: Numbers, h: float, ahead: float, going: int, stride: int, frame: Frame, out: LeapFrogHistory
) -> int:
    """March under ``pattern · load`` at the nodes; returns 0, or the number of the step that left the finite numbers.

    ``going`` is 1 where a run goes on from the state that another left, 0 where it starts from velocities at a node.
    The momentum at a node is the mean of the two half steps beside it, from the forces there, so that a last node has
    one too.
    """
    inv_mass, k, c, yield_force, viscosity, kinematic, isotropic = frame
    u, s, p, v, X, w, F, give, rate = out
    top = len(inv_mass) - 1
    u1, s1 = u[0], s[0]
    for i in range(1, top + 1):
        give[i] = 1.0 / (k[i] + kinematic[i] + isotropic[i] + viscosity[i] / h)  # slip per unit of excess force
        rate[i] = v[i] - v[i - 1]
        if going == 0:
            F[i] = k[i] * (u1[i] - u1[i - 1] - s1[i]) + c[i] * rate[i]
    F[top + 1] = 0.0  # nothing stands on the roof
    kick = h if going != 0 else 0.5 * h  # from a node to the first half step
    for r in range(1, len(load)):
        f = load[r - 1]
        u0, s0, u1, s1 = u1, s1, u[r], s[r]
        X0, X1, w0, w1 = X[stride * (r - 1)], X[stride * r], w[stride * (r - 1)], w[stride * r]
        lower, speed = u1[0], v[0]  # of the floor below, already in the new step
        for i in range(1, top + 1):
            # F[i + 1] is still the old one, F[i] is read before it is replaced: one pass serves floors and storeys.
            vi = v[i] + kick * (inv_mass[i] * (pattern[i] * f + (F[i + 1] - F[i])))
            ui = u0[i] + h * vi
            si = s0[i]
            Fi = k[i] * (ui - lower - si)
            Xi, wi = X0[i], w0[i]
            trial = Fi - Xi
            excess = abs(trial) - (yield_force[i] + isotropic[i] * wi)
            if excess > 0.0:
                slip = excess * give[i]
                wi += slip
                if trial < 0.0:
                    slip = -slip
                si += slip
                Fi -= k[i] * slip
                Xi += kinematic[i] * slip
            X1[i] = Xi
            w1[i] = wi
            new = vi - speed
            F[i] = Fi + c[i] * (new + ahead * (new - rate[i]))
            rate[i] = new
            v[i] = vi
            u1[i] = ui
            s1[i] = si
            lower, speed = ui, vi
        if not abs(lower) < math.inf:
            return r
        for i in range(1, top + 1):
            p[r][i] = v[i] / inv_mass[i] + 0.5 * h * (pattern[i] * load[r] + (F[i + 1] - F[i]))
        kick = h
    return 0


Array = Any


class NodeDashpots(NamedTuple):
    """Dashpots of one node alone: the dofs that have any, by compressed rows over them Cₐ and (M + ½h Cₐ)⁻¹."""

    dof: Array
    row: Array
    column: Array
    damping: Array
    inverse: Array


class LumpedStructure(NamedTuple):
    """Masses and their inverses, what resists outside the springs, and B by springs."""

    mass: Array
    inverse: Array
    stiffness: Rows
    damping: Rows
    alone: NodeDashpots
    begin: Array
    dof: Array
    share: Array


class LumpedHistory(NamedTuple):
    """Histories by rows, and what goes on from step to step.

    Row 0 of the displacements u, the momenta p, the spring states z and the spring forces F holds the start. v is the
    velocity at the start, or half a step before it where a run goes on; then R is what resists at its node.
    """

    u: Array
    p: Array
    z: Array
    F: Array
    v: Array
    R: Array


class LumpedScratch(NamedTuple):
    """Work space: accelerations, loads and extrapolated velocities on dofs; what the springs' laws fill. ``still`` is
    zero: laws are asked at the deformation of the node, not along a step."""

    a: Array
    f: Array
    ahead: Array
    e: Array
    still: Array
    T: Array
    dz: Array
    branch: Array
    work: Array


def lumped(
    values: Array,
    patterns: Array,
    h: float,
    ahead: float,
    going: int,
    x: LumpedStructure,
    springs: SpringGroups,
    out: LumpedHistory,
    s: LumpedScratch,
) -> int:
    """March under channel values at the nodes; returns 0, or the number of the step that left the finite numbers.

    ``going`` is 1 where a run goes on from the state that another left, 0 where it starts from velocities at a node:
    from there the first half step is one of backward Euler to the dashpots of one node. The momentum at a node is the
    mean of the two half steps beside it.
    """
    if going == 0:
        resisted(x, out.u[0], out.F[0], out.v, out.R)
    accelerated(values[0], patterns, x, out, s)
    kick = h if going != 0 else 0.5 * h
    for r in range(1, len(values)):
        if not moved(kick, h, ahead, out.u[r - 1], out.u[r], out.v, s):
            return r
        stretch(x, out.u[r], s.e)  # type: ignore[arg-type]  # it reads begin, dof and share alone, as gathered does
        evaluate(springs, s.e, s.still, 1.0, h, out.z[r - 1], False, out.F[r], s.T, s.dz, s.branch, s.work)
        commit(springs, 1.0, out.z[r - 1], s.dz, out.z[r])
        resisted(x, out.u[r], out.F[r], s.ahead, out.R)
        accelerated(values[r], patterns, x, out, s)
        for i in range(len(out.v)):
            out.p[r, i] = x.mass[i] * (out.v[i] + 0.5 * h * s.a[i])
        kick = h
    return 0


def moved(kick: float, h: float, ahead: float, u0: Array, u1: Array, v: Array, s: LumpedScratch) -> bool:
    """Velocity in the middle of the step, displacement at its end; False where one is no finite number."""
    whole = True
    for i in range(len(v)):
        change = kick * s.a[i]
        v[i] += change
        s.ahead[i] = v[i] + ahead * change
        u1[i] = u0[i] + h * v[i]
        if not abs(u1[i]) < math.inf:
            whole = False
    return whole


def resisted(x: LumpedStructure, u: Array, F: Array, v: Array, R: Array) -> None:
    """R = K u + B F + C v."""
    filled(0.0, R)
    times(x.stiffness, u, 1.0, R)
    gathered(x, F, 1.0, R)  # type: ignore[arg-type]
    if len(x.damping.value) + len(x.damping.low_weight) > 0:
        times(x.damping, v, 1.0, R)


def accelerated(channels: Array, patterns: Array, x: LumpedStructure, out: LumpedHistory, s: LumpedScratch) -> None:
    """(v⁺ − v⁻)/h at a node."""
    f, alone = s.f, x.alone
    for i in range(len(f)):
        f[i] = -out.R[i]
    pushed(channels, patterns, 1.0, f)
    for i in range(len(f)):
        s.a[i] = x.inverse[i] * f[i]
    for q in range(len(alone.dof)):
        for m in range(alone.row[q], alone.row[q + 1]):
            f[alone.dof[q]] -= alone.damping[m] * out.v[alone.column[m]]
    for q in range(len(alone.dof)):
        total = 0.0
        for m in range(alone.row[q], alone.row[q + 1]):
            total += alone.inverse[m] * f[alone.column[m]]
        s.a[alone.dof[q]] = total
