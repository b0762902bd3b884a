"""Curves of probability over intensity: links, single curves, and what several of them make together.

A link is the distribution of the logarithm of a capacity: normal (probit) or logistic (logit), both of unit standard
deviation. With z = ln(im/θ)/β the probability of exceedance is F(scale · z); β is the standard deviation of ln capacity
under either link, so that dispersions compare and combine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_one_of
from hamex.errors import InputError

Array = NDArray[Any]
_BISECTIONS = 50  # of a range of a few units of ln im


@dataclass(frozen=True)
class LinkFunction:
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

        >>> link_of("probit").probability(np.array([0.0, 1.0])).round(4).tolist()
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
    other = np.where(eta > 0, small, 1.0) / (1 + small)  # 1 − F, without cancellation
    return other, -small / (1 + small) ** 2


PROBIT = LinkFunction("probit", 1.0, _normal, _normal_slopes)
LOGIT = LinkFunction("logit", math.pi / math.sqrt(3), _logistic, _logistic_slopes)
_LINKS = {one.name: one for one in (PROBIT, LOGIT)}


def link_of(name: str) -> LinkFunction:
    """The link of this name."""
    if not is_one_of(name, _LINKS):
        raise InputError(f"Fragility: the link must be one of {', '.join(_LINKS)}, got {name!r}")
    return _LINKS[name]


@dataclass(frozen=True)
class FragilityCurve:
    """F(ln(im/median)/dispersion) under a link."""

    median: float
    dispersion: float
    link: LinkFunction


class Parameters(NamedTuple):
    """ln median and dispersion of one curve, one a resample, (row,)."""

    log_median: Array
    dispersion: Array


def combined(curves: Sequence[Parameters], links: Sequence[LinkFunction], modelling: float, log_im: Array) -> Array:
    """Probability that at least one of the independent curves is exceeded, (row, im); ``log_im`` is (im,), or
    (row, im) where every row has intensities of its own.

    The modelling dispersion widens each curve by the square root of the sum of squares and moves no median. A curve of
    no dispersion is a step, 1/2 at its median.
    """
    survived = np.zeros(())
    for (median, beta), link in zip(curves, links, strict=True):
        total = np.sqrt(beta**2 + modelling**2)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (log_im - median[:, None]) / total
        z = np.where((total == 0) & (log_im == median[:, None]), 0.0, z)
        survived = survived + link.log_probability(-link.scale * z)
    return -np.expm1(survived)


def fractiles(curves: Sequence[Parameters], links: Sequence[LinkFunction], probability: float) -> Array:
    """ln of the intensity at which each row reaches a probability; modelling dispersion left out."""
    if len(curves) == 1:
        return curves[0].log_median + curves[0].dispersion * _quantile(links[0], probability)
    # Together they lie above each curve: the answer is below the smallest of theirs, and above where each has a share.
    share = 1 - (1 - probability) ** (1 / len(curves))
    high = np.min(
        [
            one.log_median + one.dispersion * _quantile(link, probability)
            for one, link in zip(curves, links, strict=True)
        ],
        axis=0,
    )
    low = np.min(
        [one.log_median + one.dispersion * _quantile(link, share) for one, link in zip(curves, links, strict=True)],
        axis=0,
    )
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        above = combined(curves, links, 0.0, middle[:, None])[:, 0] >= probability
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return 0.5 * (low + high)


def _quantile(link: LinkFunction, probability: float) -> float:
    """Standard deviations from the median at a probability."""
    if link.name == "logit":
        return math.log(probability / (1 - probability)) / link.scale
    from scipy.special import ndtri

    return float(ndtri(probability))
