"""Energy balance of one oscillator in one pass.

The sums of ``hamex.solution.energy``, operation by operation, so that both ways give the same bits. Letters as in
:mod:`hamex.march.oscillator`; e = b u − s is the elastic deformation of the spring.
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from typing import Any

Numbers = Sequence[float]
Out = MutableSequence[float]


def energies(
    histories: Any,
    load: Numbers,
    scale: float,
    h: float,
    oscillator: Any,
    stride: int,
    keep: int,
    out: Any,
    largest: Out,
) -> int:
    """Entries at the nodes, cumulative where energy is lost or given; without ``keep`` no entry is stored.

    ``histories`` are u, p, s, X and w, ``oscillator`` is hamex.schemes.prepare.Scalars; ``out`` takes kinetic,
    stored, viscous, plastic, hardening, input and imbalance. ``largest`` receives the largest size of any entry and
    that of the imbalance. A spring that nothing but a rate resists is a damper: what it loses is viscous.
    """
    u, p, s, X, w = histories
    m, c, K, a, b, yield_force, viscosity, kinematic, isotropic = oscillator
    damps = yield_force == 0.0 and kinematic == 0.0 and isotropic == 0.0
    soft, k = 1.0 / kinematic if kinematic > 0.0 else 0.0, 1.0 / a
    if yield_force == math.inf:  # never slips
        yield_force = 0.0
    kinetic, stored, viscous, plastic, hardening, given, imbalance = out
    lost, slipped, worked, start, most, worst = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    last_u, last_s = u[0], s[0]
    for r in range(len(u)):
        du, ds = u[r] - last_u, abs(s[r] - last_s)
        last_u, last_s = u[r], s[r]
        e = last_u * b - last_s
        moving = 0.5 * (p[r] / m * p[r])
        held = 0.5 * (last_u * K * last_u) + 0.5 * e * (k * e)
        hard = 0.5 * (X[stride * r] * X[stride * r]) * soft + 0.5 * (w[stride * r] * w[stride * r]) * isotropic
        if r > 0:
            slid = ds * (yield_force + viscosity * ds / h)
            lost += du * c * du / h + (slid if damps else 0.0)
            slipped += 0.0 if damps else slid
            worked += du * scale * load[r - 1]
        left = moving + held + lost + slipped + hard - worked
        if r == 0:
            start = left
        left -= start
        for size in (moving, abs(held), lost, slipped, hard, abs(worked)):
            most = size if size > most else most
        worst = worst if abs(left) <= worst else abs(left)  # what is not a number stays so to the end
        if keep:
            kinetic[r], stored[r], viscous[r], plastic[r] = moving, held, lost, slipped
            hardening[r], given[r], imbalance[r] = hard, worked, left
    largest[0], largest[1] = most, worst
    return 0
