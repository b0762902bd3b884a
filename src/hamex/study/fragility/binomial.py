"""Maximum likelihood of exceedances out of counts: P(x) = F(a + b ln x), many resamples at once.

The likelihood is concave in (a, b) under both links. It has a maximum exactly when exceedances and survivals overlap
(Silvapulle 1981): some level with an exceedance lies below some level with a survival, and the other way round.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.study.fragility.links import Link
from hamex.study.fragility.newton import maximise

Array = NDArray[Any]
_FLAT = 1e-9     # a slope that is round-off, with levels scaled to unit standard deviation


class Fits(NamedTuple):
    """One fit a row: ln of the median, dispersion β.

    ``separated`` rows have no maximum; they hold the limit, a step (β = 0) between the last survival and the first
    exceedance, at ±∞ where all or none exceed. NaN: no curve that rises with the level fits.
    """

    log_median: Array
    dispersion: Array
    separated: Array


def fit(log_levels: Array, exceedances: Array, counts: Array, link: Link) -> Fits:
    """Fits of rows of exceedances and counts, both (row, level); a level with a count of 0 says nothing."""
    x = log_levels
    first_exceeded, last_exceeded = _ends(x, exceedances > 0)
    first_survived, last_survived = _ends(x, counts > exceedances)
    separated = last_survived <= first_exceeded
    falls = last_exceeded <= first_survived
    median, beta = np.full(len(counts), np.nan), np.full(len(counts), np.nan)
    # All or none exceeded: one end is infinite and so is the mean. Both ends are equal where one level is mixed.
    step = separated & (~falls | (first_exceeded == np.inf) | (last_survived == -np.inf))
    median[step] = 0.5 * (last_survived[step] + first_exceeded[step])
    beta[step] = 0.0
    rows = np.flatnonzero(~separated & ~falls)
    if rows.size:
        median[rows], beta[rows] = _maxima(x, exceedances[rows], counts[rows], link)
    return Fits(median, beta, step)


def log_likelihood(z: Array, exceedances: Array, counts: Array, link: Link) -> float:
    """Σ ln of the binomial probabilities at z = ln(im/θ)/β, binomial coefficients included."""
    from scipy.special import gammaln

    k, n = exceedances, counts
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    eta = link.scale * z
    # Nothing exceeded at a level of probability 0 is no contradiction: 0 · ln 0 = 0.
    with np.errstate(invalid="ignore"):
        terms = np.where(k > 0, k * link.log_probability(eta), 0) + np.where(n > k, (n - k) *
                                                                             link.log_probability(-eta), 0)
    return float(np.sum(ways + terms))


def _ends(x: Array, there: Array) -> tuple[Array, Array]:
    """Lowest and highest level where something is there; ∞ and −∞ where nothing is."""
    return np.where(there, x, np.inf).min(axis=1), np.where(there, x, -np.inf).max(axis=1)


def _maxima(x: Array, k: Array, n: Array, link: Link) -> tuple[Array, Array]:
    centre, width = x.mean(), x.std()
    u = (x - centre) / width
    # The rows are resamples of one set of data: the fit to their sum is a start close to each.
    start = np.zeros(1), np.zeros(1)
    if len(k) > 1:
        start = _newton(u, k.sum(axis=0, keepdims=True) / len(k), n.sum(axis=0, keepdims=True) / len(k), link, *start)
    a, b = _newton(u, k, n, link, *(np.repeat(one, len(k)) for one in start))
    rising = b > _FLAT
    a, b = np.where(rising, a, np.nan), np.where(rising, b, np.nan)
    return centre - width * a / b, link.scale * width / b


def _newton(u: Array, k: Array, n: Array, link: Link, a: Array, b: Array) -> tuple[Array, Array]:
    def value(rows: Array, a: Array, b: Array) -> Array:
        eta = a[:, None] + b[:, None] * u
        return (k[rows] * link.log_probability(eta) + (n - k)[rows] * link.log_probability(-eta)).sum(axis=1)

    def derivatives(rows: Array, a: Array, b: Array) -> tuple[Array, ...]:
        eta = a[:, None] + b[:, None] * u
        (s, c), (t, d) = link.slopes(eta), link.slopes(-eta)
        up, survived = k[rows], (n - k)[rows]
        slope, bend = up * s - survived * t, up * c + survived * d
        return slope.sum(axis=1), slope @ u, bend.sum(axis=1), bend @ u, bend @ u**2

    return maximise(value, derivatives, a, b)
