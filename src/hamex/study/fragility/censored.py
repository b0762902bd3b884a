"""Maximum likelihood of a normal sample of which some values are known to be larger than a bound only.

Olsen (1978): in (δ, γ) = (μ/σ, 1/σ) the likelihood of a censored normal sample is concave.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.study.fragility.links import PROBIT
from hamex.study.fragility.newton import maximise

Array = NDArray[Any]


def fit(values: Array, censored: Array, weights: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of each row.

    Parameters
    ----------
    values : (row, record) or (record,), the value, or the bound where censored.
    censored : of the same shape.
    weights : (row, record), how often each record counts.

    A row whose values are all one, none of its bounds above it, gets σ = 0; a row with bounds only gets a mean of ∞.

    >>> mean, deviation = fit(np.array([1.0, 2.0, 3.0]), np.zeros(3, dtype=bool), np.ones((1, 3)))
    >>> float(mean[0]), round(float(deviation[0])**2, 12)
    (2.0, 0.666666666667)
    """
    values, censored = (np.broadcast_to(array, weights.shape) for array in (values, censored))
    seen, bound = np.where(censored, 0.0, weights), np.where(censored, weights, 0.0)
    count = seen.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, (seen * values).sum(axis=1) / count, np.inf)
        deviation = np.where(count > 0, np.sqrt((seen * (values - mean[:, None])**2).sum(axis=1) / count), 0.0)
        alike = np.ptp(np.where(seen > 0, values, mean[:, None]), axis=1) == 0
    deviation[alike] = 0.0     # not the round-off of the mean
    above = (bound > 0) & (values > mean[:, None])
    # Bounds all below the values of a single one say nothing; without bounds the closed form is the maximum.
    rows = np.flatnonzero((count > 0) & (bound.sum(axis=1) > 0) & ((deviation > 0) | above.any(axis=1)))
    if rows.size:
        mean[rows], deviation[rows] = _maxima(values[rows], seen[rows], bound[rows], mean[rows], deviation[rows])
    return mean, deviation


def log_likelihood(values: Array, censored: Array, mean: float, deviation: float) -> float:
    """Σ ln φ of the values seen, Σ ln of the probability to lie above of the bounds."""
    z = (values - mean) / deviation
    density = -0.5 * z**2 - 0.5 * np.log(2 * np.pi) - np.log(deviation)
    return float(np.where(censored, PROBIT.log_probability(-z), density).sum())


def _maxima(y: Array, seen: Array, bound: Array, mean: Array, deviation: Array) -> tuple[Array, Array]:
    centre = mean[:, None]
    width = np.ptp(y, axis=1, keepdims=True)
    y = (y - centre) / width
    count = seen.sum(axis=1)

    def value(rows: Array, delta: Array, gamma: Array) -> Array:
        eta = delta[:, None] - gamma[:, None] * y[rows]
        with np.errstate(invalid="ignore", divide="ignore"):
            inside = np.where(gamma > 0, count[rows] * np.log(gamma), -np.inf)     # σ stays positive
        return inside + (-0.5 * seen[rows] * eta**2 + bound[rows] * PROBIT.log_probability(eta)).sum(axis=1)

    def derivatives(rows: Array, delta: Array, gamma: Array) -> tuple[Array, ...]:
        here, w, c = y[rows], seen[rows], bound[rows]
        eta = delta[:, None] - gamma[:, None] * here
        slope, bend = PROBIT.slopes(eta)
        first, second = -w * eta + c * slope, -w + c * bend
        return (first.sum(axis=1), count[rows] / gamma - (first * here).sum(axis=1), second.sum(axis=1),
                -(second * here).sum(axis=1), -count[rows] / gamma**2 + (second * here**2).sum(axis=1))

    start = 1 / np.maximum(deviation / width[:, 0], 0.1)
    delta, gamma = maximise(value, derivatives, np.zeros(len(y)), start)
    return centre[:, 0] + width[:, 0] * delta / gamma, width[:, 0] / gamma
