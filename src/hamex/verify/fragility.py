"""Fragility functions and mean annual frequencies."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

import hamex as hx
from hamex.verify.case import Pair, chapter

case = chapter("fragility")


@case("P1", "largest likelihood: both probits are met", within=1e-10)
def two_stripes() -> Pair:
    """Median [g] and dispersion of two stripes, 3 and 14 of 20 motions above the limit."""
    (low, high), (p, q) = np.log([0.3, 0.8]), norm.ppf([3 / 20, 14 / 20])
    found = hx.Fragility.from_stripes([0.3, 0.8], [3, 14], 20)
    beta = (high - low) / (q - p)
    return [found.median, found.dispersion], [np.exp(low - p * beta), beta]


@case("P2", "k₀ θ^−k exp(k²β²/2); Jalayer and Cornell 2003", within=1e-9)
def annual_frequency() -> Pair:
    """Median [g], dispersion and annual frequency [1/yr] of capacities under a hazard that is a power."""
    capacities, k0, k = np.array([0.5, 0.8, 1.0, 1.3, 2.2]), 3e-4, 2.5
    found, im = hx.Fragility.from_capacities(capacities), np.geomspace(1e-4, 1e4, 50)
    theta, beta = np.exp(np.log(capacities).mean()), np.log(capacities).std()
    rate = hx.annual_frequency(found, im, k0 * im**-k).rate
    return [found.median, found.dispersion, rate], [theta, beta, k0 * theta**-k * np.exp(k**2 * beta**2 / 2)]
