"""Largest distance between the distribution of a sample and a fitted normal one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.study.fragility.links import PROBIT

Array = NDArray[Any]
DRAWS = 999     # samples behind a p-value


def kaplan_meier(values: Array, censored: Array, mean: Array, deviation: Array) -> Array:
    """Kolmogorov and Smirnov's distance of each row to its normal distribution.

    The distribution of the row is that of Kaplan and Meier (1958), which gives the weight of a censored value to those
    above it; without censoring it is the usual staircase. Rows without a fit give NaN.

    >>> kaplan_meier(np.array([[0.0]]), np.array([[False]]), np.zeros(1), np.ones(1)).tolist()
    [0.5]
    """
    order = np.argsort(np.where(censored, np.nextafter(values, np.inf), values), axis=1)     # seen before censored
    y, hidden = np.take_along_axis(values, order, 1), np.take_along_axis(censored, order, 1)
    size = y.shape[1]
    left = size - np.arange(size)
    above = 1 - np.cumprod(np.where(hidden, 1.0, 1 - 1 / left), axis=1)
    below = np.concatenate([np.zeros((len(y), 1)), above[:, :-1]], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        fitted = PROBIT.probability((y - mean[:, None]) / deviation[:, None])
    apart = np.maximum(np.abs(above - fitted), np.abs(fitted - below))
    return np.where(hidden, 0.0, apart).max(axis=1)


def p_value(found: float, drawn: Array) -> float:
    """Share of draws that lie at least as far off, the sample itself among them."""
    good = drawn[np.isfinite(drawn)]
    return float((1 + np.sum(good >= found)) / (1 + len(good)))
