"""Energy balance of one oscillator in one pass.

The sums of ``hamex.solution.energy``, operation by operation, so that both ways give the same bits. Letters as in
:mod:`hamex.march.oscillator`; e = b u − s is the elastic deformation of the spring.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

Numbers = Sequence[float]
Out = MutableSequence[float]


def energies(u: Numbers, p: Numbers, s: Numbers, X: Numbers, w: Numbers, load: Numbers, scale: float, h: float,
             m: float, c: float, K: float, a: float, b: float, yield_force: float, viscosity: float, soft: float,
             isotropic: float, stride: int, keep: int, kinetic: Out, stored: Out, viscous: Out, plastic: Out,
             hardening: Out, given: Out, imbalance: Out, largest: Out) -> int:
    """Entries at the nodes, cumulative where energy is lost or given; without ``keep`` no entry is stored.

    ``soft`` is 1/Hk (0 without kinematic hardening); ``yield_force`` 0 stands for a spring that never slips.
    ``largest`` receives the largest size of any entry and that of the imbalance.
    """
    lost, slipped, worked, start, most, worst = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    last_u, last_s = u[0], s[0]
    for r in range(len(u)):
        du, ds = u[r] - last_u, abs(s[r] - last_s)
        last_u, last_s = u[r], s[r]
        e = last_u * b - last_s
        moving = 0.5 * (p[r] / m * p[r])
        held = 0.5 * (last_u * K * last_u + e / a * e)
        hard = 0.5 * (X[stride * r] * X[stride * r]) * soft + 0.5 * (w[stride * r] * w[stride * r]) * isotropic
        if r > 0:
            lost += du * c * du / h
            worked += du * scale * load[r - 1]
        if ds > 0.0:
            slipped += ds * (yield_force + viscosity * ds / h)
        left = moving + held + lost + slipped + hard - worked
        if r == 0:
            start = left
        left -= start
        for size in (moving, abs(held), lost, slipped, hard, abs(worked)):
            most = size if size > most else most
        worst = worst if abs(left) <= worst else abs(left)      # what is not a number stays so to the end
        if keep:
            kinetic[r], stored[r], viscous[r], plastic[r] = moving, held, lost, slipped
            hardening[r], given[r], imbalance[r] = hard, worked, left
    largest[0], largest[1] = most, worst
    return 0
