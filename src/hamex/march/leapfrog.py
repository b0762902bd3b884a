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
from typing import Any

from hamex.march import tables as t
from hamex.march.matrices import filled, times
from hamex.march.newton import asked, stretch
from hamex.march.run import at
from hamex.march.springs import commit
from hamex.march.structure import gathered, pushed

Array = Any


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


# Storeys in a row: entries of the header, of which STRIDE is 0 where nothing hardens, and slots of R. All rows have an
# entry for the ground before those of the storeys: rows of the frame, inverse masses, stiffness, dashpots, yield force,
# viscosity, kinematic and isotropic hardening; load at the nodes, and where it acts; histories by nodes, of which row 0
# holds the start, back force and accumulated slip in one row where nothing hardens. Of the ground only displacement
# and velocity are read, and must be zero. SPEED is the velocity at the start, or half a step before it where a run goes
# on; then HOLDS, with one entry more, has the storey forces at its node, dashpots included.
STOREYS, NODES, GOING, STRIDE = range(4)
FRAME, LOAD, PATTERN, U, SLIP, P, BACK, PATH, SPEED, HOLDS, SPACE = range(11)


def leapfrog(N: Array, R: Array, h: float, ahead: float) -> int:
    """March under ``pattern · load`` at the nodes; returns 0, or the number of the step that left the finite numbers.

    ``GOING`` is 1 where a run goes on from the state that another left, 0 where it starts from velocities at a node.
    The momentum at a node is the mean of the two half steps beside it, from the forces there, so that a last node has
    one too.
    """
    top, nodes, going, stride = N[0][STOREYS], N[0][NODES], N[0][GOING], N[0][STRIDE]
    n, inv_mass, load, pattern = top + 1, R[FRAME], R[LOAD], R[PATTERN]
    k, c, yield_force = at(inv_mass, n), at(inv_mass, 2 * n), at(inv_mass, 3 * n)
    viscosity, kinematic, isotropic = at(inv_mass, 4 * n), at(inv_mass, 5 * n), at(inv_mass, 6 * n)
    u1, s1, v, F, give, rate = R[U], R[SLIP], R[SPEED], R[HOLDS], R[SPACE], at(R[SPACE], n)
    for i in range(1, n):
        give[i] = 1.0 / (k[i] + kinematic[i] + isotropic[i] + viscosity[i] / h)  # slip per unit of excess force
        rate[i] = v[i] - v[i - 1]
        if going == 0:
            F[i] = k[i] * (u1[i] - u1[i - 1] - s1[i]) + c[i] * rate[i]
    F[n] = 0.0  # nothing stands on the roof
    kick = h if going != 0 else 0.5 * h  # from a node to the first half step
    for r in range(1, nodes):
        f = load[r - 1]
        u0, s0, u1, s1, p = u1, s1, at(R[U], n * r), at(R[SLIP], n * r), at(R[P], n * r)
        X0, w0 = at(R[BACK], stride * n * (r - 1)), at(R[PATH], stride * n * (r - 1))
        X1, w1 = at(X0, stride * n), at(w0, stride * n)
        lower, speed = u1[0], v[0]  # of the floor below, already in the new step
        for i in range(1, n):
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
        for i in range(1, n):
            p[i] = v[i] / inv_mass[i] + 0.5 * h * (pattern[i] * load[r] + (F[i + 1] - F[i]))
        kick = h
    return 0


# Tables as in :mod:`hamex.march.tables`, of which these slots take others' places: dofs that have dashpots of one node
# alone, where their rows begin, and their columns; by rows over them Cₐ and (M + ½h Cₐ)⁻¹; masses and their inverses;
# accelerations, loads and extrapolated velocities on dofs; the velocity half a step before, and what resists.
ALONE, ALONE_ROW, ALONE_COLUMN = t.LIGHT, t.SOLVED, t.SEARCHED
ALONE_DAMPING, ALONE_INVERSE, LUMPED, INVERSE = t.BASE, t.OF_T, t.BAND, t.SPREAD
ACCELERATION, ACTING, AHEAD, HALF, RESISTED = t.X, t.D, t.G, t.VELOCITY, t.CARRIED


def lumped(N: Array, J: Array, R: Array, h: float, ahead: float, going: int) -> int:
    """March under channel values at the nodes; returns 0, or the number of the step that left the finite numbers.

    ``going`` is 1 where a run goes on from the state that another left, 0 where it starts from velocities at a node:
    from there the first half step is one of backward Euler to the dashpots of one node. The momentum at a node is the
    mean of the two half steps beside it. Laws are asked at the deformation of the node, not along a step.
    """
    head, n, springs, states = N[t.HEAD], N[t.HEAD][t.DOFS], N[t.HEAD][t.SPRINGS], N[t.HEAD][t.STATES]
    u, z, F, v, a, mass = R[t.DISPLACEMENT], R[t.STATE], R[t.FORCE], R[HALF], R[ACCELERATION], R[LUMPED]
    if going == 0:
        resisted(N, J, R, u, F, v)
    accelerated(N, R, 0)
    kick = h if going != 0 else 0.5 * h
    for r in range(1, head[t.ROWS]):
        if not moved(n, kick, h, ahead, at(u, n * (r - 1)), at(u, n * r), R):
            return r
        here, now, then = at(F, springs * r), at(z, states * (r - 1)), at(z, states * r)
        stretch(N, J, R, at(u, n * r), R[t.E0])
        asked(N, R, now, head[t.NO], here)
        commit(N[t.GROUPS], N[t.LAWS], 1.0, now, R[t.DZ], then)
        resisted(N, J, R, at(u, n * r), here, R[AHEAD])
        accelerated(N, R, r)
        p = at(R[t.MOMENTUM], n * r)
        for i in range(n):
            p[i] = mass[i] * (v[i] + 0.5 * h * a[i])
        kick = h
    return 0


def moved(n: int, kick: float, h: float, ahead: float, u0: Array, u1: Array, R: Array) -> bool:
    """Velocity in the middle of the step, displacement at its end; False where one is no finite number."""
    whole, v, a, seen = True, R[HALF], R[ACCELERATION], R[AHEAD]
    for i in range(n):
        change = kick * a[i]
        v[i] += change
        seen[i] = v[i] + ahead * change
        u1[i] = u0[i] + h * v[i]
        if not abs(u1[i]) < math.inf:
            whole = False
    return whole


def resisted(N: Array, J: Array, R: Array, u: Array, F: Array, v: Array) -> None:
    """R = K u + B F + C v."""
    n, out = N[t.HEAD][t.DOFS], R[RESISTED]
    filled(n, 0.0, out)
    times(N, J, R, t.BESIDE, n, u, 1.0, out)
    gathered(N, J, R, F, 1.0, out)
    if N[t.DAMPING][n] + N[t.HEAD][t.DAMPING] > 0:
        times(N, J, R, t.DAMPING, n, v, 1.0, out)


def accelerated(N: Array, R: Array, r: int) -> None:
    """(v⁺ − v⁻)/h at node r."""
    n, many, dof, row, column = N[t.HEAD][t.DOFS], N[t.HEAD][t.LIGHTS], N[ALONE], N[ALONE_ROW], N[ALONE_COLUMN]
    f, a, v, resisting, inverse = R[ACTING], R[ACCELERATION], R[HALF], R[RESISTED], R[INVERSE]
    damping, solved = R[ALONE_DAMPING], R[ALONE_INVERSE]
    for i in range(n):
        f[i] = -resisting[i]
    pushed(N, R, r, 1.0, f)
    for i in range(n):
        a[i] = inverse[i] * f[i]
    for q in range(many):
        for m in range(row[q], row[q + 1]):
            f[dof[q]] -= damping[m] * v[column[m]]
    for q in range(many):
        total = 0.0
        for m in range(row[q], row[q + 1]):
            total += solved[m] * f[column[m]]
        a[dof[q]] = total
