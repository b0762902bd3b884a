"""Springs that are asked as a march asks them."""

import numpy as np

from hamex.march.run import entered
from hamex.march.springs import evaluate
from hamex.model.laws.ellipsoids import WIDEST


def ask(springs, e0, dx, reach, tau, z, F, T, dz, branch, compile=False):
    """Fill forces, tangents, changes of state and branches at e0 + reach · dx after the time τ from the state z."""
    z, F, T, dz = (np.asarray(x, dtype=float) for x in (z, F, T, dz))
    room = np.full(16 * WIDEST, np.nan)
    given = (*springs, np.asarray(e0, float), np.asarray(dx, float), reach, tau, z, 0, F, T, dz, branch, room)
    entered(evaluate, *given, compile=compile)(*given)
