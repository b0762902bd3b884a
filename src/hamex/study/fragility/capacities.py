"""Capacities: the intensity at which each record reaches a limit, known to be above a bound only for some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import InputError
from hamex.study.fragility import censored, distance
from hamex.study.fragility.checking import numbers, positive, refuse
from hamex.study.fragility.curve import Curve, Parameters
from hamex.study.fragility.links import PROBIT
from hamex.study.fragility.separation import SeparationError

Array = NDArray[Any]
_ROUND = 1e-9     # a capacity this close above its bound is at it: both were interpolated or scaled


@dataclass(frozen=True, eq=False)
class Capacities:
    """One intensity a record: its capacity, or the largest one tried where it never exceeded the limit.

    ``bounds`` holds the largest intensity tried with each record, ∞ where unknown.
    """

    who: str
    values: Array
    censored: Array
    bounds: Array

    @classmethod
    def checked(cls, who: str, capacities: ArrayLike, censored_at: ArrayLike | None) -> Capacities:
        """Capacities from what a user gave."""
        x = numbers(who, "capacities", capacities, least=2)
        never = x == np.inf
        refuse(who, "capacities", x, ~(x > 0), "must be positive, or inf for a record that never exceeded the limit")
        bounds = np.full(len(x), np.inf)
        if censored_at is not None:
            bounds = positive(who, "censored_at", np.full(len(x), censored_at) if np.ndim(censored_at) == 0
                              else censored_at)
            if len(bounds) != len(x):
                raise InputError(f"{who}: {len(bounds)} bounds censored_at for {len(x)} capacities")
            refuse(who, "capacities", x, ~never & (x > (1 + _ROUND) * bounds),
                   "must not be above its bound censored_at")
        elif never.any():
            raise InputError(f"{who}: capacities[{int(np.argmax(never))}] = inf: the record never exceeded the limit; "
                             "say up to which intensity it was tried, censored_at=…, one number or one a record")
        return cls(who, np.where(never, bounds, x), never, np.maximum(bounds, np.where(never, 0.0, x)))

    @property
    def resampling(self) -> str:
        """What the bootstrap draws again."""
        return "records"

    def fit(self) -> tuple[Curve, ...]:
        """The lognormal curve of largest likelihood."""
        mean, deviation = censored.fit(np.log(self.values), self.censored, np.ones((1, len(self.values))))
        if self.censored.all():
            raise SeparationError(f"{self.who}: no record exceeded the limit; scale the motions further")
        if not deviation[0] > 0:
            raise SeparationError(f"{self.who}: all capacities are {self.values[~self.censored][0]:g}, so that the "
                                  "dispersion has no estimate; add records")
        return (Curve(float(np.exp(mean[0])), float(deviation[0]), PROBIT),)

    def resampled(self, generator: np.random.Generator, count: int) -> tuple[tuple[Parameters, ...], Array]:
        """Parameters of fits to resampled records, and which of them have no spread."""
        size = len(self.values)
        weights = generator.multinomial(size, np.full(size, 1 / size), size=count).astype(float)
        mean, deviation = censored.fit(np.log(self.values), self.censored, weights)
        return (Parameters(mean, deviation),), deviation == 0

    def goodness(self, curves: tuple[Curve, ...], seed: int) -> dict[str, float]:
        """Distance of Kolmogorov and Smirnov to the Kaplan-Meier estimate of the distribution, with a p-value from
        samples of the fitted curve that are censored and fitted alike (Lilliefors' correction)."""
        (curve,), y = curves, np.log(self.values)
        mean, sigma = np.log(curve.median), curve.dispersion
        likelihood = censored.log_likelihood(y, self.censored, mean, sigma)
        found = distance.kaplan_meier(y[None], self.censored[None], np.array([mean]), np.array([sigma]))
        draws = np.random.default_rng(seed).normal(mean, sigma, (distance.DRAWS, len(y)))
        bounds = np.log(self.bounds)
        drawn, hidden = np.minimum(draws, bounds), draws > bounds
        again = distance.kaplan_meier(drawn, hidden, *censored.fit(drawn, hidden, np.ones(draws.shape)))
        return {"log likelihood": likelihood, "AIC": 4 - 2 * likelihood, "KS": float(found[0]),
                "p (KS)": distance.p_value(found[0], again)}

    def columns(self) -> dict[str, list[Any]]:
        """The data as columns."""
        return {"capacity": self.values.tolist(), "censored": self.censored.tolist()}
