"""Damage states from the largest storey drift: lognormal thresholds, as Hazus has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def state_probabilities(drift: Array, limits: Array, dispersion: Array) -> Array:
    """Probabilities of none, slight, moderate, extensive and complete damage, (building, 5).

    ``drift`` is the largest drift ratio of any storey, ``limits`` the medians of the thresholds (building, 4). A state
    is reached with probability Φ(ln(drift/limit)/dispersion). NaN where a building has no limits.

    >>> state_probabilities(np.array([0.01]), np.array([[0.005, 0.01, 0.03, 0.08]]), np.array([0.4])).round(3).tolist()
    [[0.042, 0.458, 0.497, 0.003, 0.0]]
    """
    from scipy.special import ndtr

    with np.errstate(divide="ignore"):               # no drift at all: ln 0 = −∞, probability 0
        reached = ndtr(np.log(drift[:, None] / limits) / dispersion[:, None])
    bounds = np.concatenate([np.ones((len(drift), 1)), reached, np.zeros((len(drift), 1))], axis=1)
    return np.asarray(bounds[:, :-1] - bounds[:, 1:])
