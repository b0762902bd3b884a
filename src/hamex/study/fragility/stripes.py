"""Stripes: how many motions out of how many exceeded a limit at each level of intensity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import InputError
from hamex.study.fragility import binomial
from hamex.study.fragility.checking import numbers, positive, refuse, whole
from hamex.study.fragility.curve import Curve, Parameters
from hamex.study.fragility.links import Link
from hamex.study.fragility.separation import refuse_separated

Array = NDArray[Any]


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
    link: Link
    exceeded: Array | None = None

    @classmethod
    def checked(cls, who: str, levels: ArrayLike, exceedances: ArrayLike, counts: ArrayLike | None,
                link: Link) -> Stripes:
        """Stripes from what a user gave; ``exceedances`` may be (level, record) of true and false, without counts."""
        x = positive(who, "levels", levels, least=2)
        table = None
        if np.ndim(exceedances) == 2:
            table = np.array(exceedances)
            if counts is not None or len(table) != len(x) or not np.isin(table, (0, 1)).all():
                raise InputError(f"{who}: a table of exceedances is (level, record), here ({len(x)}, n), of true and "
                                 f"false, and needs no counts; got shape {table.shape}")
            exceedances, counts = table.sum(axis=1), np.full(len(x), table.shape[1])
        elif counts is None:
            raise InputError(f"{who}: say out of how many motions, counts=…, one number or one for each level")
        k, n = whole(who, "exceedances", exceedances, len(x)), whole(who, "counts", counts, len(x))
        refuse(who, "counts", n, n < 1, "must be at least 1")
        refuse(who, "exceedances", k, k > n, "must not be above the count of its level")
        order = np.argsort(x, kind="stable")
        return cls(who, numbers(who, "levels", x[order]), k[order], n[order], link,
                   None if table is None else table[order].astype(bool))

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

    def fit(self) -> tuple[Curve, ...]:
        """The curve of largest likelihood."""
        found = binomial.fit(np.log(self.levels), self.exceedances[None], self.counts[None], self.link)
        refuse_separated(self.who, self.levels, self.exceedances, self.counts, found)
        return (Curve(float(np.exp(found.log_median[0])), float(found.dispersion[0]), self.link),)

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
        found = binomial.fit(np.log(self.levels), k, n, self.link)
        return (Parameters(found.log_median, found.dispersion),), found.separated

    def goodness(self, curves: tuple[Curve, ...], seed: int) -> dict[str, float]:
        """Deviance and Pearson's χ² with their p-values, which lean on large counts: a level at which hardly any or
        nearly all exceed adds a degree of freedom and hardly any χ², so that p comes out high rather than low."""
        from scipy.special import chdtrc, xlogy

        (curve,), k, n = curves, self.exceedances, self.counts
        z = np.log(self.levels / curve.median) / curve.dispersion
        p, q = self.link.probability(z), self.link.probability(-z)
        deviance = float(2 * np.sum(xlogy(k, k / (n * p)) + xlogy(n - k, (n - k) / (n * q))))
        pearson = float(np.sum((k - n * p) ** 2 / (n * p * q)))
        freedom, likelihood = len(k) - 2, binomial.log_likelihood(z, k, n, self.link)
        found = {"log likelihood": likelihood, "AIC": 4 - 2 * likelihood, "deviance": deviance, "Pearson": pearson,
                 "degrees of freedom": float(freedom)}
        if freedom and not self._pairs:      # with one motion a level neither follows a χ² distribution
            found |= {"p (deviance)": float(chdtrc(freedom, deviance)), "p (Pearson)": float(chdtrc(freedom, pearson))}
        return found

    def columns(self) -> dict[str, list[Any]]:
        """The data as columns."""
        return {"level": self.levels.tolist(), "exceedances": self.exceedances.astype(int).tolist(),
                "counts": self.counts.astype(int).tolist()}
