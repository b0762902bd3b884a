"""Cloud: one run of each motion as it is, the demand regressed on the intensity in logarithms.

Cornell et al. (2002): ln D = a + b ln IM + σ ε gives P(D > d | im) = Φ((a + b ln im − ln d)/σ), which is lognormal in
im with median exp((ln d − a)/b) and dispersion σ/b. Runs that collapsed have no demand; as Jalayer et al. (2017) do,
their probability is a logistic regression of its own, and either of the two events exceeds the limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import is_positive
from hamex.errors import InputError
from hamex.study.fragility import binomial, distance
from hamex.study.fragility.checking import numbers, positive, refuse
from hamex.study.fragility.curve import Curve, Parameters
from hamex.study.fragility.links import LOGIT, PROBIT
from hamex.study.fragility.separation import SeparationError, refuse_separated

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Cloud:
    """Intensity and demand of each run, and which runs collapsed."""

    who: str
    im: Array
    demand: Array
    threshold: float
    collapsed: Array

    @classmethod
    def checked(cls, who: str, im: ArrayLike, demand: ArrayLike, threshold: float,
                collapsed: ArrayLike | None) -> Cloud:
        """A cloud from what a user gave."""
        x, d = positive(who, "im", im, least=3), numbers(who, "demand", demand, least=3)
        fell = np.zeros(len(x), dtype=bool) if collapsed is None else np.array(collapsed)
        if not len(x) == len(d) == len(fell) or fell.dtype != bool:
            raise InputError(f"{who}: im, demand and collapsed (true or false) must have one entry a run; "
                             f"got {len(x)}, {len(d)} and {len(fell)} of {fell.dtype}")
        if not is_positive(threshold):
            raise InputError(f"{who}: the threshold must be a positive demand, got {threshold!r}")
        refuse(who, "demand", d, ~fell & ~(np.isfinite(d) & (d > 0)),
               "must be positive and finite; say collapsed=… for runs that collapsed")
        if np.unique(x[~fell]).size < 3:
            raise InputError(f"{who}: {np.unique(x[~fell]).size} intensities without collapse; a regression with "
                             "scatter needs 3 or more")
        return cls(who, x, np.where(fell, np.nan, d), float(threshold), fell)

    @property
    def resampling(self) -> str:
        """What the bootstrap draws again."""
        return "records"

    def fit(self) -> tuple[Curve, ...]:
        """The curve of the regression, and that of collapse where some runs collapsed."""
        parameters, _ = self._fitted(np.ones((1, len(self.im))))
        if not parameters[0].dispersion[0] > 0:
            raise SeparationError(f"{self.who}: the demand does not grow with the intensity, or has no scatter, so "
                                  "that no fragility fits; widen the range of intensities")
        if self.collapsed.any():
            ones = np.ones(len(self.im))
            refuse_separated(f"{self.who}, collapse", self.im, self.collapsed * ones, ones, self._collapse(ones[None]))
        return tuple(Curve(float(np.exp(one.log_median[0])), float(one.dispersion[0]), link)
                     for one, link in zip(parameters, (PROBIT, LOGIT), strict=False))

    def resampled(self, generator: np.random.Generator, count: int) -> tuple[tuple[Parameters, ...], Array]:
        """Parameters of fits to resampled runs, and which of them separate collapse from survival."""
        size = len(self.im)
        return self._fitted(generator.multinomial(size, np.full(size, 1 / size), size=count).astype(float))

    def goodness(self, curves: tuple[Curve, ...], seed: int) -> dict[str, float]:
        """Of the regression: R², σ, and the distance of Kolmogorov and Smirnov of the residuals to a normal
        distribution, with a p-value from regressions of normal samples; of collapse: its log likelihood."""
        keep = ~self.collapsed
        x, y = np.log(self.im[keep]), np.log(self.demand[keep])
        residual = _residuals(x, y[None])
        draws = _residuals(x, np.random.default_rng(seed).normal(size=(distance.DRAWS, len(x))))
        found, again = _to_normal(residual), _to_normal(draws)
        _, slope, sigma = _regression(x, y, np.ones((1, len(x))))
        out = {"R²": float(1 - np.sum(residual**2) / np.sum((y - y.mean()) ** 2)), "σ of ln demand": float(sigma[0]),
               "slope b": float(slope[0]), "KS": float(found[0]), "p (KS)": distance.p_value(found[0], again)}
        if len(curves) > 1:
            ones = np.ones(len(self.im))
            z = np.log(self.im / curves[1].median) / curves[1].dispersion
            out["log likelihood of collapse"] = binomial.log_likelihood(z, self.collapsed * ones, ones, LOGIT)
        return out

    def columns(self) -> dict[str, list[Any]]:
        """The data as columns; no demand where a run collapsed."""
        return {"im": self.im.tolist(), "demand": [None if math.isnan(d) else d for d in self.demand.tolist()],
                "collapsed": self.collapsed.tolist()}

    def _collapse(self, weights: Array) -> binomial.Fits:
        return binomial.fit(np.log(self.im), weights * self.collapsed, weights, LOGIT)

    def _fitted(self, weights: Array) -> tuple[tuple[Parameters, ...], Array]:
        keep = ~self.collapsed
        a, b, sigma = _regression(np.log(self.im[keep]), np.log(self.demand[keep]), weights[:, keep])
        with np.errstate(invalid="ignore", divide="ignore"):
            rising = b > 0
            demand = Parameters(np.where(rising, (math.log(self.threshold) - a) / b, np.nan),
                                np.where(rising, sigma / b, np.nan))
        if not self.collapsed.any():
            return (demand,), np.zeros(len(weights), dtype=bool)
        found = self._collapse(weights)
        return (demand, Parameters(found.log_median, found.dispersion)), found.separated


def _regression(x: Array, y: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Intercept, slope and scatter (n − 2 in its denominator) of each row of weights; NaN where nothing is left."""
    count = weights.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mx, my = weights @ x / count, weights @ y / count
        dx, dy = x - mx[:, None], y - my[:, None]
        slope = (weights * dx * dy).sum(axis=1) / (weights * dx**2).sum(axis=1)
        rest = (weights * (dy - slope[:, None] * dx) ** 2).sum(axis=1)
        return my - slope * mx, slope, np.sqrt(rest / np.where(count > 2, count - 2, np.nan))


def _residuals(x: Array, y: Array) -> Array:
    dx = x - x.mean()
    dy = y - y.mean(axis=1, keepdims=True)
    return dy - (dy @ dx / (dx @ dx))[:, None] * dx


def _to_normal(residuals: Array) -> Array:
    sigma = np.sqrt((residuals**2).sum(axis=1) / (residuals.shape[1] - 2))
    return distance.kaplan_meier(residuals, np.zeros(residuals.shape, dtype=bool), np.zeros(len(sigma)), sigma)
