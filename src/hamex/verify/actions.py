"""Systems derived from their actions and run as they stand."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

import hamex as hx
from hamex.principle.library import action
from hamex.verify.case import Pair, chapter

case = chapter("actions")


@case("A1", "Jacobi's elliptic functions", unit="rad", within=1e-9, of="largest")
def pendulum() -> Pair:
    """Pendulum let go at 1.5 rad, elements of degree 3."""
    g, length, angle = 9.81, 0.8, 1.5
    sol = hx.simulate(action("pendulum"), {"m": 1.3, "l": length, "g": g}, {"theta": angle}, 4.0, 0.02, 3)
    k = np.sin(angle / 2)
    sn = ellipj(ellipk(k**2) - np.sqrt(g / length) * sol.times, k**2)[0]
    return sol.values("displacement")[:, 0], 2 * np.arcsin(k * sn)


@case("A2", "1 + cos a cosh a + (M/μl) a (cos a sinh a − sin a cosh a) = 0; Meirovitch 1967", unit="rad/s", within=1e-5)
def tip_mass() -> Pair:
    """Frequencies of a clamped beam with a mass at its tip, from its density on 24 elements."""
    numbers = {"rho": 1.0, "A": 1.0, "E": 1.0, "I_y": 1.0, "q": 0.0, "m": 0.5, "l": 1.0}
    beam = hx.discretise(action("tip-mass"), hx.meshes.line(1.0, 24), numbers)
    roots = [
        brentq(
            lambda a: 1 + np.cos(a) * np.cosh(a) + 0.5 * a * (np.cos(a) * np.sinh(a) - np.sin(a) * np.cosh(a)), *ends
        )
        for ends in ((1, 2), (3, 5), (6, 8))
    ]
    return hx.modes(beam, 3).frequencies, np.array(roots) ** 2
