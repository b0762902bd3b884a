"""Data that a fragility is fitted to: stripes and capacities; clouds have a module of their own.

Stripes tell how many motions out of how many exceeded a limit at each level of intensity. Capacities are intensities at
which each record reaches a limit, known to be above a bound only for some.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import floats
from hamex.errors import InputError
from hamex.study.ida.estimation import (
    DRAWS,
    SeparationError,
    censored_likelihood,
    exceedance_likelihood,
    fit_censored,
    fit_exceedances,
    kaplan_meier,
    p_value,
    refuse_separated,
)
from hamex.study.ida.probability import PROBIT, FragilityCurve, LinkFunction, Parameters

Array = NDArray[Any]
_ROUND = 1e-9  # a capacity this close above its bound is at it: both were interpolated or scaled


class FragilityData(Protocol):
    """What a fragility was fitted to, and how."""

    @property
    def resampling(self) -> str: ...
    def fit(self) -> tuple[FragilityCurve, ...]: ...
    def resampled(self, generator: np.random.Generator, count: int) -> tuple[tuple[Parameters, ...], Array]: ...
    def goodness(self, curves: tuple[FragilityCurve, ...], seed: int) -> dict[str, float]: ...
    def columns(self) -> dict[str, list[Any]]: ...


@dataclass(frozen=True, eq=False)
class Stripes:
    """Exceedances out of counts at levels of intensity.

    ``exceeded`` (level, record) tells which record exceeded where, if the same records stand at every level: they are
    then resampled as wholes, since a record that is severe at one level is severe at the next.
    """

    who: str
    levels: Array
    exceedances: Array
    counts: Array
    link: LinkFunction
    exceeded: Array | None = None

    @classmethod
    def checked(
        cls, who: str, levels: ArrayLike, exceedances: ArrayLike, counts: ArrayLike | None, link: LinkFunction
    ) -> Stripes:
        """Stripes from what a user gave; ``exceedances`` may be (level, record) of true and false, without counts."""
        x = positive(who, "levels", levels, least=2)
        table = None
        if np.ndim(exceedances) == 2:
            table = np.array(exceedances)
            if counts is not None or len(table) != len(x) or not np.isin(table, (0, 1)).all():
                raise InputError(
                    f"{who}: a table of exceedances is (level, record), here ({len(x)}, n), of true and "
                    f"false, and needs no counts; got shape {table.shape}"
                )
            exceedances, counts = table.sum(axis=1), np.full(len(x), table.shape[1])
        elif counts is None:
            raise InputError(f"{who}: say out of how many motions, counts=…, one number or one for each level")
        k, n = whole(who, "exceedances", exceedances, len(x)), whole(who, "counts", counts, len(x))
        refuse(who, "counts", n, n < 1, "must be at least 1")
        refuse(who, "exceedances", k, k > n, "must not be above the count of its level")
        order = np.argsort(x, kind="stable")
        return cls(
            who,
            numbers(who, "levels", x[order]),
            k[order],
            n[order],
            link,
            None if table is None else table[order].astype(bool),
        )

    @property
    def resampling(self) -> str:
        """What the bootstrap draws again."""
        if self.exceeded is not None:
            return "records, each with its exceedances at all levels"
        return "pairs of level and outcome" if self._pairs else "motions within each level"

    @property
    def _pairs(self) -> bool:
        """One motion a level: within a level there is nothing to draw from."""
        return bool((self.counts == 1).all())

    def fit(self) -> tuple[FragilityCurve, ...]:
        """The curve of largest likelihood."""
        found = fit_exceedances(np.log(self.levels), self.exceedances[None], self.counts[None], self.link)
        refuse_separated(self.who, self.levels, self.exceedances, self.counts, found)
        return (FragilityCurve(float(np.exp(found.log_median[0])), float(found.dispersion[0]), self.link),)

    def resampled(self, generator: np.random.Generator, count: int) -> tuple[tuple[Parameters, ...], Array]:
        """Parameters of fits to resampled data, and which of them are separated."""
        k, n = np.broadcast_to(self.exceedances, (count, len(self.levels))), self.counts
        if self.exceeded is not None:
            records = self.exceeded.shape[1]
            weights = generator.multinomial(records, np.full(records, 1 / records), size=count)
            k, n = (weights @ self.exceeded.T).astype(float), np.broadcast_to(n, k.shape)
        elif self._pairs:
            size = len(self.levels)
            n = generator.multinomial(size, np.full(size, 1 / size), size=count).astype(float)
            k = n * self.exceedances
        else:
            n = np.broadcast_to(n, k.shape)
            k = generator.binomial(n.astype(int), self.exceedances / self.counts).astype(float)
        found = fit_exceedances(np.log(self.levels), k, n, self.link)
        return (Parameters(found.log_median, found.dispersion),), found.separated

    def goodness(self, curves: tuple[FragilityCurve, ...], seed: int) -> dict[str, float]:
        """Deviance and Pearson's χ² with their p-values, which lean on large counts: a level at which hardly any or
        nearly all exceed adds a degree of freedom and hardly any χ², so that p comes out high rather than low."""
        from scipy.special import chdtrc, xlogy

        (curve,), k, n = curves, self.exceedances, self.counts
        z = np.log(self.levels / curve.median) / curve.dispersion
        p, q = self.link.probability(z), self.link.probability(-z)
        deviance = float(2 * np.sum(xlogy(k, k / (n * p)) + xlogy(n - k, (n - k) / (n * q))))
        pearson = float(np.sum((k - n * p) ** 2 / (n * p * q)))
        freedom, likelihood = len(k) - 2, exceedance_likelihood(z, k, n, self.link)
        found = {
            "log likelihood": likelihood,
            "AIC": 4 - 2 * likelihood,
            "deviance": deviance,
            "Pearson": pearson,
            "degrees of freedom": float(freedom),
        }
        if freedom and not self._pairs:  # with one motion a level neither follows a χ² distribution
            found |= {"p (deviance)": float(chdtrc(freedom, deviance)), "p (Pearson)": float(chdtrc(freedom, pearson))}
        return found

    def columns(self) -> dict[str, list[Any]]:
        """The data as columns."""
        return {
            "level": self.levels.tolist(),
            "exceedances": self.exceedances.astype(int).tolist(),
            "counts": self.counts.astype(int).tolist(),
        }


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
            bounds = positive(
                who, "censored_at", np.full(len(x), censored_at) if np.ndim(censored_at) == 0 else censored_at
            )
            if len(bounds) != len(x):
                raise InputError(f"{who}: {len(bounds)} bounds censored_at for {len(x)} capacities")
            refuse(
                who, "capacities", x, ~never & (x > (1 + _ROUND) * bounds), "must not be above its bound censored_at"
            )
        elif never.any():
            raise InputError(
                f"{who}: capacities[{int(np.argmax(never))}] = inf: the record never exceeded the limit; "
                "say up to which intensity it was tried, censored_at=…, one number or one a record"
            )
        return cls(who, np.where(never, bounds, x), never, np.maximum(bounds, np.where(never, 0.0, x)))

    @property
    def resampling(self) -> str:
        """What the bootstrap draws again."""
        return "records"

    def fit(self) -> tuple[FragilityCurve, ...]:
        """The lognormal curve of largest likelihood."""
        mean, deviation = fit_censored(np.log(self.values), self.censored, np.ones((1, len(self.values))))
        if self.censored.all():
            raise SeparationError(f"{self.who}: no record exceeded the limit; scale the motions further")
        if not deviation[0] > 0:
            raise SeparationError(
                f"{self.who}: all capacities are {self.values[~self.censored][0]:g}, so that the "
                "dispersion has no estimate; add records"
            )
        return (FragilityCurve(float(np.exp(mean[0])), float(deviation[0]), PROBIT),)

    def resampled(self, generator: np.random.Generator, count: int) -> tuple[tuple[Parameters, ...], Array]:
        """Parameters of fits to resampled records, and which of them have no spread."""
        size = len(self.values)
        weights = generator.multinomial(size, np.full(size, 1 / size), size=count).astype(float)
        mean, deviation = fit_censored(np.log(self.values), self.censored, weights)
        return (Parameters(mean, deviation),), deviation == 0

    def goodness(self, curves: tuple[FragilityCurve, ...], seed: int) -> dict[str, float]:
        """Distance of Kolmogorov and Smirnov to the Kaplan-Meier estimate of the distribution, with a p-value from
        samples of the fitted curve that are censored and fitted alike (Lilliefors' correction)."""
        (curve,), y = curves, np.log(self.values)
        mean, sigma = np.log(curve.median), curve.dispersion
        likelihood = censored_likelihood(y, self.censored, mean, sigma)
        found = kaplan_meier(y[None], self.censored[None], np.array([mean]), np.array([sigma]))
        draws = np.random.default_rng(seed).normal(mean, sigma, (DRAWS, len(y)))
        bounds = np.log(self.bounds)
        drawn, hidden = np.minimum(draws, bounds), draws > bounds
        again = kaplan_meier(drawn, hidden, *fit_censored(drawn, hidden, np.ones(draws.shape)))
        return {
            "log likelihood": likelihood,
            "AIC": 4 - 2 * likelihood,
            "KS": float(found[0]),
            "p (KS)": p_value(found[0], again),
        }

    def columns(self) -> dict[str, list[Any]]:
        """The data as columns."""
        return {"capacity": self.values.tolist(), "censored": self.censored.tolist()}


def numbers(who: str, name: str, values: ArrayLike, least: int = 1) -> Array:
    """A read-only copy, (n,), of at least ``least`` numbers."""
    array = floats(values, f"{who}: {name} must be numbers")
    if array.ndim != 1 or array.size < least:
        raise InputError(f"{who}: {name} must be (n,) with n ≥ {least}, got shape {array.shape}")
    array.setflags(write=False)
    return array


def positive(who: str, name: str, values: ArrayLike, least: int = 1) -> Array:
    """Numbers that have a logarithm."""
    array = numbers(who, name, values, least)
    refuse(who, name, array, ~(np.isfinite(array) & (array > 0)), "must be positive and finite")
    return array


def whole(who: str, name: str, values: ArrayLike, size: int) -> Array:
    """Counts, one for each of ``size`` levels; a single number serves all."""
    array = numbers(who, name, np.full(size, values) if np.ndim(values) == 0 else values)
    if len(array) != size:
        raise InputError(f"{who}: {len(array)} {name} for {size} levels")
    refuse(
        who,
        name,
        array,
        ~(np.isfinite(array) & (array >= 0) & (array == np.floor(array))),
        "must be a whole number ≥ 0",
    )
    return array


def refuse(who: str, name: str, values: Array, bad: Array, must: str) -> None:
    """Raise for the first bad value."""
    if bad.any():
        first = int(np.argmax(bad))
        raise InputError(f"{who}: {name}[{first}] = {values[first]:g}; it {must}")
