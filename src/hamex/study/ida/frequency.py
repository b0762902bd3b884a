"""Mean annual frequency of exceeding a limit: the fragility integrated over a hazard curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import InputError
from hamex.study.ida.fragility import LEVEL, Fragility, quantiles
from hamex.study.ida.observations import positive, refuse

Array = NDArray[Any]
_NODES = 10  # Gauss-Legendre, on pieces of a quarter of the dispersion near the median
_PIECE = 0.25
_GROWTH = 0.1  # longest piece over its distance from the median
_TAIL = 40.0  # e-folds after which a tail is nothing
_STEEPEST = 700.0  # e-folds that a double holds
_CHUNK = 2_000_000  # probabilities held at once


@dataclass(frozen=True)
class AnnualFrequency:
    """How often a year a limit is exceeded.

    Attributes
    ----------
    rate : ∫ P(im) |dλ(im)| over the intensities of the hazard curve [1/year].
    low, high : bootstrap limits of the rate at ``level``.
    below : what smaller intensities would add if the curve went on with its first slope, an estimate [1/year].
    above : what larger intensities can add at most, the last rate of the curve [1/year].
    limit, motions : labels of the fragility.
    """

    rate: float
    low: float
    high: float
    level: float
    below: float
    above: float
    limit: str
    motions: str

    def __float__(self) -> float:
        return self.rate

    def probability(self, years: float) -> float:
        """Of at least one exceedance in so many years, as a Poisson process.

        >>> AnnualFrequency(2e-4, 1e-4, 3e-4, 0.9, 0.0, 0.0, "", "unstated").probability(50) < 0.01
        True
        """
        return -math.expm1(-self.rate * years)


def annual_frequency(
    fragility: Fragility, hazard_im: ArrayLike, hazard_rate: ArrayLike, *, level: float = LEVEL
) -> AnnualFrequency:
    """Integrate a fragility over a hazard curve, in the logarithm of the intensity.

    Parameters
    ----------
    fragility : P(exceeded | im), modelling dispersion included.
    hazard_im : intensities, rising, in the unit of the fragility.
    hazard_rate : λ, how often a year each is exceeded, not rising. Between two of them λ is a power of the intensity.
    level : of the bootstrap limits.

    Examples
    --------
    λ = k₀ im⁻ᵏ has the closed form k₀ θ⁻ᵏ exp(k²β²/2) (Cornell et al. 2002):

    >>> found = Fragility.from_capacities([0.5, 1.0, 2.0])
    >>> im = np.geomspace(0.001, 1000, 40)
    >>> rate = annual_frequency(found, im, 1e-3 * im**-2.0).rate
    >>> bool(np.isclose(rate, 1e-3 * found.median**-2 * np.exp(2 * found.dispersion**2), rtol=1e-5))
    True
    """
    who = "annual_frequency"
    im, rate = positive(who, "hazard_im", hazard_im, least=2), positive(who, "hazard_rate", hazard_rate, least=2)
    if len(im) != len(rate):
        raise InputError(f"{who}: {len(im)} intensities and {len(rate)} rates")
    refuse(who, "hazard_im", im, np.r_[False, np.diff(im) <= 0], "must be above the one before")
    refuse(who, "hazard_rate", rate, np.r_[False, np.diff(rate) > 0], "must not be above the one before")
    u = np.log(im)
    slopes = -np.diff(np.log(rate)) / np.diff(u)
    breaks = _breaks(fragility, max(abs(end - math.log(one.median)) for one in fragility.curves for end in u[[0, -1]]))
    pieces = [_quadrature(u[i], u[i + 1], rate[i], slopes[i], breaks) for i in np.flatnonzero(slopes > 0)]
    nodes, weights = (np.concatenate([piece[part] for piece in pieces]) if pieces else np.ones(0) for part in (0, 1))
    low, high = _limits(fragility, nodes, weights, level)
    below = _below(fragility, float(u[0]), float(rate[0]), float(slopes[0]))
    return AnnualFrequency(
        float(fragility.probability(nodes) @ weights),
        low,
        high,
        level,
        below,
        float(rate[-1]),
        fragility.limit,
        fragility.motions,
    )


def _breaks(fragility: Fragility, reach: float) -> Array:
    """Ends of pieces in ln im as far as ``reach`` from the medians: short beside them, longer in the tails."""
    ends = []
    for curve in fragility.curves:
        short = _PIECE * math.hypot(curve.dispersion, fragility.modelling)
        distances = [0.0]
        while distances[-1] < reach:
            distances.append(distances[-1] + max(short, _GROWTH * distances[-1]))
        ends += [math.log(curve.median) + np.array(distances), math.log(curve.median) - np.array(distances)]
    return np.concatenate(ends)


def _quadrature(low: float, high: float, rate: float, slope: float, breaks: Array) -> tuple[Array, Array]:
    """Intensities and weights |dλ| of the power law λ = rate · (im/im_low)^−slope between two ln im."""
    even = np.linspace(low, high, 1 + max(1, math.ceil((high - low) * slope)))  # one e-fold of λ at most
    ends = np.unique(np.concatenate([even, breaks[(breaks > low) & (breaks < high)]]))
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    half = 0.5 * np.diff(ends)[:, None]
    u = (ends[:-1, None] + half * (1 + points)).ravel()
    return np.exp(u), (half * weights).ravel() * slope * rate * np.exp(-slope * (u - low))


def _below(fragility: Fragility, first: float, rate: float, slope: float) -> float:
    """The integral from 0 to the first intensity with the first slope; ∞ where it has no end."""
    if slope == 0:
        return 0.0
    reach, tails = 0.0, []
    for curve in fragility.curves:
        beta, distance = math.hypot(curve.dispersion, fragility.modelling), first - math.log(curve.median)
        if curve.link.name == "logit":
            steep = curve.link.scale / beta
            reach = max(reach, distance + _TAIL / steep)
            tails.append((steep, distance))
        else:
            reach = max(reach, distance + slope * beta**2 + beta * math.sqrt(2 * _TAIL))
    away = reach + max(abs(first - math.log(curve.median)) for curve in fragility.curves)
    if slope * reach > _STEEPEST:  # λ falls faster than any probability towards zero
        return math.inf
    im, weights = _quadrature(first - reach, first, rate * math.exp(slope * reach), slope, _breaks(fragility, away))
    found = float(fragility.probability(im) @ weights)
    for steep, distance in tails:  # from there down a logistic curve is (im/θ)^steep, and has to win against λ
        if steep <= slope:
            return math.inf
        found += slope * rate / (steep - slope) * math.exp(steep * (distance - reach) + slope * reach)
    return found


def _limits(fragility: Fragility, nodes: Array, weights: Array, level: float) -> tuple[float, float]:
    """Bootstrap limits of the integral."""
    rates = []
    rows = max(1, _CHUNK // max(1, len(nodes)))
    for begin in range(0, fragility.resamples, rows):
        rates.append(fragility.resampled_probability(nodes, begin, end=begin + rows) @ weights)
    low, high = quantiles(np.concatenate(rates), level)
    return float(low), float(high)
