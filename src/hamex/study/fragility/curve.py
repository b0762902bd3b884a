"""Curve: a probability that rises with the intensity, and what several of them make together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.study.fragility.links import Link

Array = NDArray[Any]
_BISECTIONS = 50     # of a range of a few units of ln im


@dataclass(frozen=True)
class Curve:
    """F(ln(im/median)/dispersion) under a link."""

    median: float
    dispersion: float
    link: Link


class Parameters(NamedTuple):
    """ln median and dispersion of one curve, one a resample, (row,)."""

    log_median: Array
    dispersion: Array


def combined(curves: Sequence[Parameters], links: Sequence[Link], modelling: float, log_im: Array) -> Array:
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


def fractiles(curves: Sequence[Parameters], links: Sequence[Link], probability: float) -> Array:
    """ln of the intensity at which each row reaches a probability; modelling dispersion left out."""
    if len(curves) == 1:
        return curves[0].log_median + curves[0].dispersion * _quantile(links[0], probability)
    # Together they lie above each curve: the answer is below the smallest of theirs, and above where each has a share.
    share = 1 - (1 - probability) ** (1 / len(curves))
    high = np.min([one.log_median + one.dispersion * _quantile(link, probability)
                   for one, link in zip(curves, links, strict=True)], axis=0)
    low = np.min([one.log_median + one.dispersion * _quantile(link, share)
                  for one, link in zip(curves, links, strict=True)], axis=0)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        above = combined(curves, links, 0.0, middle[:, None])[:, 0] >= probability
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return 0.5 * (low + high)


def _quantile(link: Link, probability: float) -> float:
    """Standard deviations from the median at a probability."""
    if link.name == "logit":
        return math.log(probability / (1 - probability)) / link.scale
    from scipy.special import ndtri

    return float(ndtri(probability))
