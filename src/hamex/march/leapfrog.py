"""Explicit leap-frog with a return map for storeys in a row: one pass a step. Others: :mod:`hamex.march.lumped`.

Storey i (1 … N) lies between floors i − 1 and i; floor 0 is the ground, at rest in relative coordinates. Displacement
stands on the nodes of time, velocity half-way between them; every spring is returned to its yield limit at the node
(backward Euler in the slip, as in Newmark's method). Nothing is solved and nothing iterates, but the step is stable
only up to :func:`stable_step`, and every floor needs a mass.

The storey dashpots see a velocity that is known already: that of the last half step plus ``ahead`` times its last
change. 0 is the usual lagged velocity, first order in the damping; 0.5 extrapolates to the node and keeps the order 2,
for a shorter stable step.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

Numbers = Any
Out = Any
Rows = Any


def stable_step(frequency: float, ratio: float, ahead: float) -> float:
    """Longest stable step of an elastic mode: ``2/ω · (√(1 + z²) − z)`` with ``z = (1 + 2·ahead)·ratio``.

    The mode of the highest frequency rules where dashpots are in proportion to the springs; for others see
    :mod:`hamex.schemes.stable`. It flips its sign at every step there, and so does its velocity, which the dashpots
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

    u: Rows
    s: Rows
    p: Rows
    v: Out
    X: Rows
    w: Rows
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
