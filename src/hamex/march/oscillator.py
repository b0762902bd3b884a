"""One oscillator, one spring: the step of eqs. (66)-(68) for a whole history.

Letters follow the paper and ``docs/glossary.md``: u displacement, p momentum, s slip u₁, X back force,
w accumulated slip, F = ΔJ/h mean spring force of the step, f* the load of the step.
Entry 0 of each node array holds the start; ``stride`` 0 keeps only the last X and w, 1 keeps them all.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

Numbers = Sequence[float]
Out = MutableSequence[float]


def galerkin(load: Numbers, inv_mass: float, impulse: float, beside: float, b: float, half_b: float, inv_flex: float,
             recoil: float, momentum: float, back: float, step: float, rate: float, yield_force: float,
             kinematic: float, isotropic: float, stride: int,
             u: Out, p: Out, s: Out, X: Out, w: Out, F: Out) -> int:
    """March the linear time element; the coefficients are those of ``discretise.prepare.LinearElement``.

    The elastic trial fixes the direction of slip (section 5.2), so one pass per step is exact.
    """
    ur, pr, sr, Xr, wr = u[0], p[0], s[0], X[0], w[0]
    for r in range(len(load)):
        free = inv_mass * (pr + impulse * load[r] - beside * ur)  # Δu if the spring were cut
        Fr = inv_flex * (b * ur - sr + half_b * free)             # elastic trial, eq. (66)
        trial = Fr - Xr
        excess = abs(trial) - (yield_force + isotropic * wr)
        if excess > 0.0:                                          # eqs. (67)-(68)
            slip_rate = excess * rate
            wr += step * slip_rate
            if trial < 0.0:
                slip_rate = -slip_rate
            Fr -= back * slip_rate
            slip = step * slip_rate
            sr += slip
            Xr += kinematic * slip
        du = free - recoil * Fr
        ur += du
        pr = momentum * du - pr                                   # eq. (79)
        u[r + 1] = ur
        p[r + 1] = pr
        s[r + 1] = sr
        X[stride * (r + 1)] = Xr
        w[stride * (r + 1)] = wr
        F[r] = Fr
    return 0
