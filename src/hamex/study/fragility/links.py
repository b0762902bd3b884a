"""Distributions of the logarithm of a capacity: normal (probit) and logistic (logit), both of unit standard deviation.

With z = ln(im/θ)/β the probability of exceedance is F(scale · z); β is the standard deviation of ln capacity under
either link, so that dispersions compare and combine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError

Array = NDArray[Any]


@dataclass(frozen=True)
class Link:
    """A distribution function F, symmetric about 0.

    Attributes
    ----------
    name : "probit" or "logit".
    scale : argument of F per standard deviation.
    log_probability : ln F(η), exact in both tails.
    slopes : first and second derivative of ln F(η); the second is negative, so that likelihoods are concave.
    """

    name: str
    scale: float
    log_probability: Callable[[Array], Array]
    slopes: Callable[[Array], tuple[Array, Array]]

    def probability(self, z: Array) -> Array:
        """F at z standard deviations.

        >>> link("probit").probability(np.array([0.0, 1.0])).round(4).tolist()
        [0.5, 0.8413]
        """
        return np.exp(self.log_probability(self.scale * z))


def _normal(eta: Array) -> Array:
    from scipy.special import log_ndtr

    return np.asarray(log_ndtr(eta))


def _normal_slopes(eta: Array) -> tuple[Array, Array]:
    """φ/Φ and −φ/Φ (η + φ/Φ)."""
    ratio = np.exp(-0.5 * eta**2 - 0.5 * math.log(2 * math.pi) - _normal(eta))
    return ratio, -ratio * (eta + ratio)


def _logistic(eta: Array) -> Array:
    return np.minimum(eta, 0.0) - np.log1p(np.exp(-np.abs(eta)))


def _logistic_slopes(eta: Array) -> tuple[Array, Array]:
    small = np.exp(-np.abs(eta))
    other = np.where(eta > 0, small, 1.0) / (1 + small)     # 1 − F, without cancellation
    return other, -small / (1 + small) ** 2


PROBIT = Link("probit", 1.0, _normal, _normal_slopes)
LOGIT = Link("logit", math.pi / math.sqrt(3), _logistic, _logistic_slopes)
_LINKS = {one.name: one for one in (PROBIT, LOGIT)}


def link(name: str) -> Link:
    """The link of this name."""
    if name not in _LINKS:
        raise InputError(f"Fragility: the link must be one of {', '.join(_LINKS)}, got {name!r}")
    return _LINKS[name]
