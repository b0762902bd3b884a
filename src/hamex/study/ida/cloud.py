"""Clouds: one run of each motion as it is, the demand regressed on the intensity in logarithms.

Cornell et al. (2002):
ln D = a + b ln IM + σ ε gives P(D > d | im) = Φ((a + b ln im − ln d)/σ), which is lognormal in im with median
exp((ln d − a)/b) and dispersion σ/b. Runs that collapsed have no demand, but it is known to be above a bound: they take
part in the regression as Φ((a + b ln im − ln bound)/σ), the probability of that (Tobin 1958), all by largest
likelihood. Or, as Jalayer et al. (2017) do, the regression leaves them out, their probability is a logistic regression
of its own, and either of the two events exceeds the limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import is_positive
from hamex.errors import InputError
from hamex.study.ida.estimation import (
    DRAWS,
    ExceedanceFits,
    SeparationError,
    censored_likelihood,
    exceedance_likelihood,
    fit_censored_line,
    fit_exceedances,
    kaplan_meier,
    p_value,
    refuse_separated,
    regression,
)
from hamex.study.ida.observations import numbers, positive, refuse
from hamex.study.ida.probability import LOGIT, PROBIT, FragilityCurve, Parameters

Array = NDArray[Any]
METHODS = ("censored", "logistic")


@dataclass(frozen=True, eq=False)
class Cloud:
    """Intensity and demand of each run, and which runs collapsed.

    ``bounds`` holds what each demand is known to be above where the run is censored, ∞ where there is no bound; None
    where collapse has a regression of its own.
    """

    who: str
    im: Array
    demand: Array
    threshold: float
    collapsed: Array
    bounds: Array | None

    @classmethod
    def checked(
        cls,
        who: str,
        im: ArrayLike,
        demand: ArrayLike,
        threshold: float,
        collapsed: ArrayLike | None,
        method: str = "censored",
        censored_at: ArrayLike | None = None,
    ) -> Cloud:
        """A cloud from what a user gave."""
        x, d = positive(who, "im", im, least=3), numbers(who, "demand", demand, least=3)
        fell = np.zeros(len(x), dtype=bool) if collapsed is None else np.array(collapsed)
        if not len(x) == len(d) == len(fell) or fell.dtype != bool:
            raise InputError(
                f"{who}: im, demand and collapsed (true or false) must have one entry a run; "
                f"got {len(x)}, {len(d)} and {len(fell)} of {fell.dtype}"
            )
        if not is_positive(threshold):
            raise InputError(f"{who}: the threshold must be a positive demand, got {threshold!r}")
        bounds = _bounds(who, method, censored_at, fell, threshold)
        beyond = fell | (np.isfinite(bounds) & (d >= bounds))
        refuse(
            who,
            "demand",
            d,
            ~beyond & ~(np.isfinite(d) & (d > 0)),
            "must be positive and finite; say collapsed=… for runs that collapsed",
        )
        if np.unique(x[~beyond]).size < 3:
            raise InputError(
                f"{who}: {np.unique(x[~beyond]).size} intensities without collapse; a regression with "
                "scatter needs 3 or more"
            )
        own = None if method == "logistic" and fell.any() else bounds
        return cls(who, x, np.where(beyond, np.nan, d), float(threshold), beyond, own)

    @property
    def censored(self) -> bool:
        """True where some demands are known to be above a bound only."""
        return self.bounds is not None and bool(self.collapsed.any())

    @property
    def resampling(self) -> str:
        """What the bootstrap draws again."""
        return "records"

    def fit(self) -> tuple[FragilityCurve, ...]:
        """The curve of the regression, and that of collapse where it has one of its own."""
        parameters, _ = self._fitted(np.ones((1, len(self.im))))
        if not parameters[0].dispersion[0] > 0:
            raise SeparationError(
                f"{self.who}: the demand does not grow with the intensity, or has no scatter, so "
                "that no fragility fits; widen the range of intensities"
            )
        if len(parameters) > 1:
            ones = np.ones(len(self.im))
            refuse_separated(f"{self.who}, collapse", self.im, self.collapsed * ones, ones, self._collapse(ones[None]))
        return tuple(
            FragilityCurve(float(np.exp(one.log_median[0])), float(one.dispersion[0]), link)
            for one, link in zip(parameters, (PROBIT, LOGIT), strict=False)
        )

    def resampled(self, generator: np.random.Generator, count: int) -> tuple[tuple[Parameters, ...], Array]:
        """Parameters of fits to resampled runs, and which of them separate collapse from survival."""
        size = len(self.im)
        return self._fitted(generator.multinomial(size, np.full(size, 1 / size), size=count).astype(float))

    def goodness(self, curves: tuple[FragilityCurve, ...], seed: int) -> dict[str, float]:
        """Of the regression: R², σ, and the distance of Kolmogorov and Smirnov of the residuals to a normal
        distribution, with a p-value from regressions of normal samples; of collapse: its log likelihood. A censored
        regression has its likelihood in place of R², and a p-value where every run has a bound."""
        if self.censored:
            return self._censored_goodness(seed)
        keep = ~self.collapsed
        x, y = np.log(self.im[keep]), np.log(self.demand[keep])
        residual = _residuals(x, y[None])
        draws = _residuals(x, np.random.default_rng(seed).normal(size=(DRAWS, len(x))))
        found, again = _to_normal(residual), _to_normal(draws)
        _, slope, sigma = regression(x, y, np.ones((1, len(x))))
        out = {
            "R²": float(1 - np.sum(residual**2) / np.sum((y - y.mean()) ** 2)),
            "σ of ln demand": float(sigma[0]),
            "slope b": float(slope[0]),
            "KS": float(found[0]),
            "p (KS)": p_value(found[0], again),
        }
        if len(curves) > 1:
            ones = np.ones(len(self.im))
            z = np.log(self.im / curves[1].median) / curves[1].dispersion
            out["log likelihood of collapse"] = exceedance_likelihood(z, self.collapsed * ones, ones, LOGIT)
        return out

    def _censored_goodness(self, seed: int) -> dict[str, float]:
        x, y, hidden = np.log(self.im), self._seen(), self.collapsed
        a, b, sigma = (float(one[0]) for one in fit_censored_line(x, y, hidden, np.ones((1, len(x)))))
        likelihood = censored_likelihood(y - (a + b * x), hidden, 0.0, sigma)
        nothing = np.zeros(1)
        found = kaplan_meier((y - (a + b * x))[None], hidden[None], nothing, nothing + sigma)
        out = {
            "σ of ln demand": sigma,
            "slope b": b,
            "log likelihood": likelihood,
            "AIC": 6 - 2 * likelihood,
            "KS": float(found[0]),
        }
        if self.bounds is None or np.isinf(self.bounds).any():
            return out  # where runs are censored that were not is not known
        bounds = np.log(self.bounds)
        draws = np.random.default_rng(seed).normal(a + b * x, sigma, (DRAWS, len(x)))
        drawn = []
        for one in draws:
            values, beyond = np.minimum(one, bounds), one > bounds
            start, slope, scatter = fit_censored_line(x, values, beyond, np.ones((1, len(x))))
            drawn.append(kaplan_meier((values - (start + slope * x))[None], beyond[None], nothing, scatter)[0])
        return out | {"p (KS)": p_value(found[0], np.array(drawn))}

    def columns(self) -> dict[str, list[Any]]:
        """The data as columns; no demand where a run collapsed, or its bound."""
        out = {
            "im": self.im.tolist(),
            "demand": [None if math.isnan(d) else d for d in self.demand.tolist()],
            "collapsed": self.collapsed.tolist(),
        }
        if self.censored and self.bounds is not None:
            known = zip(self.collapsed.tolist(), self.bounds.tolist(), strict=True)
            out["above"] = [bound if hidden else None for hidden, bound in known]
        return out

    def _seen(self) -> Array:
        """ln demand, or ln of its bound."""
        return np.log(self.demand if self.bounds is None else np.where(self.collapsed, self.bounds, self.demand))

    def _collapse(self, weights: Array) -> ExceedanceFits:
        return fit_exceedances(np.log(self.im), weights * self.collapsed, weights, LOGIT)

    def _fitted(self, weights: Array) -> tuple[tuple[Parameters, ...], Array]:
        keep = ~self.collapsed
        if self.censored:
            a, b, sigma = fit_censored_line(np.log(self.im), self._seen(), self.collapsed, weights)
        else:
            a, b, sigma = regression(np.log(self.im[keep]), np.log(self.demand[keep]), weights[:, keep])
        with np.errstate(invalid="ignore", divide="ignore"):
            rising = b > 0
            demand = Parameters(
                np.where(rising, (math.log(self.threshold) - a) / b, np.nan), np.where(rising, sigma / b, np.nan)
            )
        if self.bounds is not None:
            return (demand,), np.zeros(len(weights), dtype=bool)
        found = self._collapse(weights)
        return (demand, Parameters(found.log_median, found.dispersion)), found.separated


def _bounds(who: str, method: str, censored_at: ArrayLike | None, fell: Array, threshold: float) -> Array:
    """What each demand is known to be above if it is not known itself; ∞ where it is."""
    if method not in METHODS:
        raise InputError(f"{who}: the method must be {' or '.join(METHODS)}, got {method!r}")
    if censored_at is None:
        return np.where(fell, threshold, np.inf)
    if method == "logistic":
        raise InputError(f"{who}: censored_at is for the method 'censored'; a logistic regression takes no bounds")
    bounds = positive(who, "censored_at", np.full(len(fell), censored_at) if np.ndim(censored_at) == 0 else censored_at)
    if len(bounds) != len(fell):
        raise InputError(f"{who}: {len(bounds)} bounds censored_at for {len(fell)} runs")
    return bounds


def _residuals(x: Array, y: Array) -> Array:
    dx = x - x.mean()
    dy = y - y.mean(axis=1, keepdims=True)
    return dy - (dy @ dx / (dx @ dx))[:, None] * dx


def _to_normal(residuals: Array) -> Array:
    sigma = np.sqrt((residuals**2).sum(axis=1) / (residuals.shape[1] - 2))
    return kaplan_meier(residuals, np.zeros(residuals.shape, dtype=bool), np.zeros(len(sigma)), sigma)
