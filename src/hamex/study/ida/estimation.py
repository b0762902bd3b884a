"""Maximum likelihood and goodness of fit, many resamples at once.

Exceedances out of counts: P(x) = F(a + b ln x). The likelihood is concave in (a, b) under both links. It has a maximum
exactly when exceedances and survivals overlap (Silvapulle 1981): some level with an exceedance lies below some level
with a survival, and the other way round.

Normal samples of which some values are known to be larger than a bound only: in (δ, γ) = (μ/σ, 1/σ) the likelihood is
concave (Olsen 1978). So it is for a straight line a + b x with such samples around it (Tobin 1958), in
(a/σ, b/σ, 1/σ).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.study.ida.probability import PROBIT, LinkFunction

Array = NDArray[Any]
Value = Callable[[Array, Array], Array]  # rows, and their arguments (row, variable) → values of these rows
Derivatives = Callable[[Array, Array], tuple[Array, Array]]  # the same → first (row, i) and second (row, i, j)

ITERATIONS, HALVINGS = 100, 60  # of Newton's method, and of one of its steps
DRAWS = 999  # samples behind a p-value
_CLOSE = 1e-12  # twice the gain still expected; the step that follows squares the error and ends below round-off
_SLACK = 1e-13  # round-off of a value, relative
_FLAT = 1e-9  # a slope that is round-off, with levels scaled to unit standard deviation


# Exceedances ------------------------------------------------------------------------------------------------


class ExceedanceFits(NamedTuple):
    """One fit a row: ln of the median, dispersion β.

    ``separated`` rows have no maximum; they hold the limit, a step (β = 0) between the last survival and the first
    exceedance, at ±∞ where all or none exceed. NaN: no curve that rises with the level fits.
    """

    log_median: Array
    dispersion: Array
    separated: Array


def fit_exceedances(log_levels: Array, exceedances: Array, counts: Array, link: LinkFunction) -> ExceedanceFits:
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
        median[rows], beta[rows] = _exceedance_maxima(x, exceedances[rows], counts[rows], link)
    return ExceedanceFits(median, beta, step)


def exceedance_likelihood(z: Array, exceedances: Array, counts: Array, link: LinkFunction) -> float:
    """Σ ln of the binomial probabilities at z = ln(im/θ)/β, binomial coefficients included."""
    from scipy.special import gammaln

    k, n = exceedances, counts
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    eta = link.scale * z
    # Nothing exceeded at a level of probability 0 is no contradiction: 0 · ln 0 = 0.
    with np.errstate(invalid="ignore"):
        terms = np.where(k > 0, k * link.log_probability(eta), 0) + np.where(
            n > k, (n - k) * link.log_probability(-eta), 0
        )
    return float(np.sum(ways + terms))


def _ends(x: Array, there: Array) -> tuple[Array, Array]:
    """Lowest and highest level where something is there; ∞ and −∞ where nothing is."""
    return np.where(there, x, np.inf).min(axis=1), np.where(there, x, -np.inf).max(axis=1)


def _exceedance_maxima(x: Array, k: Array, n: Array, link: LinkFunction) -> tuple[Array, Array]:
    centre, width = x.mean(), x.std()
    u = (x - centre) / width
    # The rows are resamples of one set of data: the fit to their sum is a start close to each.
    start = np.zeros(1), np.zeros(1)
    if len(k) > 1:
        mean_k, mean_n = (array.sum(axis=0, keepdims=True) / len(k) for array in (k, n))
        start = _exceedance_newton(u, mean_k, mean_n, link, *start)
    a, b = _exceedance_newton(u, k, n, link, *(np.repeat(one, len(k)) for one in start))
    rising = b > _FLAT
    a, b = np.where(rising, a, np.nan), np.where(rising, b, np.nan)
    return centre - width * a / b, link.scale * width / b


def _exceedance_newton(u: Array, k: Array, n: Array, link: LinkFunction, a: Array, b: Array) -> tuple[Array, Array]:
    powers = np.stack([np.ones_like(u), u], axis=1)

    def value(rows: Array, x: Array) -> Array:
        eta = x[:, :1] + x[:, 1:] * u
        return (k[rows] * link.log_probability(eta) + (n - k)[rows] * link.log_probability(-eta)).sum(axis=1)

    def derivatives(rows: Array, x: Array) -> tuple[Array, Array]:
        eta = x[:, :1] + x[:, 1:] * u
        (s, c), (t, d) = link.slopes(eta), link.slopes(-eta)
        up, survived = k[rows], (n - k)[rows]
        slope, bend = up * s - survived * t, up * c + survived * d
        return slope @ powers, _curvature(bend, powers)

    a, b = maximise(value, derivatives, np.stack([a, b], axis=1)).T
    return a, b


STEEP = "any curve steep enough fits and the dispersion has no estimate"


class SeparationError(InputError):
    """Exceedances and survivals do not overlap, or fall with the level: no fragility of largest likelihood exists."""


def refuse_separated(who: str, levels: Array, exceedances: Array, counts: Array, found: ExceedanceFits) -> None:
    """Raise if the fit of the first row is a step or does not rise."""
    if found.separated[0]:
        raise SeparationError(f"{who}: {_picture(levels, exceedances, counts)}")
    if np.isnan(found.dispersion[0]):
        raise SeparationError(
            f"{who}: exceedances do not become more frequent as the level grows, so that no "
            "fragility fits; check the order of levels and exceedances, or add levels"
        )


def _picture(levels: Array, exceedances: Array, counts: Array) -> str:
    if not exceedances.any():
        return "nothing exceeds the limit at any level; go higher"
    if (exceedances == counts).all():
        return "everything exceeds the limit at every level; go lower"
    last = int(np.flatnonzero(exceedances < counts)[-1])
    first = int(np.flatnonzero(exceedances > 0)[0])
    what = (
        f"only level {levels[first]:g} has both exceedances and survivals"
        if levels[first] == levels[last]
        else f"everything up to level {levels[last]:g} survives and everything from {levels[first]:g} on exceeds"
    )
    return f"{what}, so that {STEEP}; add levels, or motions, between the two"


# Censored samples -------------------------------------------------------------------------------------------


def fit_censored(values: Array, censored: Array, weights: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of each row.

    Parameters
    ----------
    values : (row, record) or (record,), the value, or the bound where censored.
    censored : of the same shape.
    weights : (row, record), how often each record counts.

    A row whose values are all one, none of its bounds above it, gets σ = 0; a row with bounds only gets a mean of ∞.

    >>> mean, deviation = fit_censored(np.array([1.0, 2.0, 3.0]), np.zeros(3, dtype=bool), np.ones((1, 3)))
    >>> float(mean[0]), round(float(deviation[0])**2, 12)
    (2.0, 0.666666666667)
    """
    values, censored = (np.broadcast_to(array, weights.shape) for array in (values, censored))
    seen, bound = np.where(censored, 0.0, weights), np.where(censored, weights, 0.0)
    count = seen.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, (seen * values).sum(axis=1) / count, np.inf)
        deviation = np.where(count > 0, np.sqrt((seen * (values - mean[:, None]) ** 2).sum(axis=1) / count), 0.0)
        alike = np.ptp(np.where(seen > 0, values, mean[:, None]), axis=1) == 0
    deviation[alike] = 0.0  # not the round-off of the mean
    above = (bound > 0) & (values > mean[:, None])
    # Bounds all below the values of a single one say nothing; without bounds the closed form is the maximum.
    rows = np.flatnonzero((count > 0) & (bound.sum(axis=1) > 0) & ((deviation > 0) | above.any(axis=1)))
    if rows.size:
        given = (array[rows] for array in (values, seen, bound, mean, deviation))
        mean[rows], deviation[rows] = _censored_maxima(*given)
    return mean, deviation


def censored_likelihood(values: Array, censored: Array, mean: float, deviation: float) -> float:
    """Σ ln φ of the values seen, Σ ln of the probability to lie above of the bounds."""
    z = (values - mean) / deviation
    density = -0.5 * z**2 - 0.5 * np.log(2 * np.pi) - np.log(deviation)
    return float(np.where(censored, PROBIT.log_probability(-z), density).sum())


def _censored_maxima(y: Array, seen: Array, bound: Array, mean: Array, deviation: Array) -> tuple[Array, Array]:
    centre = mean[:, None]
    width = np.ptp(y, axis=1, keepdims=True)
    start = 1 / np.maximum(deviation / width[:, 0], 0.1)
    powers = np.stack([np.ones_like(y), -(y - centre) / width], axis=2)
    delta, gamma = _tobit_maxima(powers, seen, bound, np.stack([np.zeros(len(y)), start], axis=1)).T
    return centre[:, 0] + width[:, 0] * delta / gamma, width[:, 0] / gamma


def fit_censored_line(x: Array, y: Array, censored: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Intercept a, slope b and scatter σ of largest likelihood of y = a + b x + σ ε, for each row of weights.

    Parameters
    ----------
    x, y : (run,); y is the value, or the bound that it is known to be above where censored.
    censored : (run,).
    weights : (row, run), how often each run counts.

    NaN where the values seen lie on one straight line, or at one x: then the likelihood has no bound.

    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> a, b, sigma = fit_censored_line(x, x + [0.1, -0.1, -0.1, 0.1], np.zeros(4, dtype=bool), np.ones((1, 4)))
    >>> abs(round(float(a[0]), 9)), round(float(b[0]), 9), round(float(sigma[0]), 9)
    (0.0, 1.0, 0.1)
    """
    seen, bound = np.where(censored, 0.0, weights), np.where(censored, weights, 0.0)
    (x0, y0), (dx, dy) = (x.mean(), y.mean()), (x.std(), y.std())
    u, w = (x - x0) / dx, (y - y0) / dy
    a, b, sigma = regression(u, w, seen)
    out = np.full((3, len(weights)), np.nan)
    rows = np.flatnonzero(sigma > _FLAT)
    if rows.size:
        gamma = 1 / np.maximum(sigma[rows], 0.1)
        start = np.stack([gamma * a[rows], gamma * b[rows], gamma], axis=1)
        powers = np.broadcast_to(np.stack([np.ones_like(u), u, -w], axis=1), (rows.size, len(u), 3))
        alpha, beta, gamma = _tobit_maxima(powers, seen[rows], bound[rows], start).T
        slope = dy * beta / (dx * gamma)
        out[:, rows] = y0 + dy * alpha / gamma - slope * x0, slope, dy / gamma
    a, b, sigma = out
    return a, b, sigma


def regression(x: Array, y: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Intercept, slope and scatter (n − 2 in its denominator) of each row of weights; NaN where nothing is left."""
    count = weights.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mx, my = weights @ x / count, weights @ y / count
        dx, dy = x - mx[:, None], y - my[:, None]
        slope = (weights * dx * dy).sum(axis=1) / (weights * dx**2).sum(axis=1)
        rest = (weights * (dy - slope[:, None] * dx) ** 2).sum(axis=1)
        return my - slope * mx, slope, np.sqrt(rest / np.where(count > 2, count - 2, np.nan))


def _tobit_maxima(powers: Array, seen: Array, bound: Array, start: Array) -> Array:
    """Arguments (…, γ) of the maxima of Σ seen (ln γ − η²/2) + Σ bound ln Φ(η), η = powers · arguments; the last
    of ``powers`` (row, run, variable) is −y."""
    count = seen.sum(axis=1)

    def eta(rows: Array, x: Array) -> Array:
        return np.asarray((powers[rows] @ x[:, :, None])[:, :, 0])

    def value(rows: Array, x: Array) -> Array:
        z, gamma = eta(rows, x), x[:, -1]
        with np.errstate(invalid="ignore", divide="ignore"):
            inside = np.where(gamma > 0, count[rows] * np.log(gamma), -np.inf)  # σ stays positive
        return inside + (-0.5 * seen[rows] * z**2 + bound[rows] * PROBIT.log_probability(z)).sum(axis=1)

    def derivatives(rows: Array, x: Array) -> tuple[Array, Array]:
        z, gamma, w, c = eta(rows, x), x[:, -1], seen[rows], bound[rows]
        slope, bend = PROBIT.slopes(z)
        first = ((-w * z + c * slope)[:, None, :] @ powers[rows])[:, 0]
        second = _curvature(-w + c * bend, powers[rows])
        first[:, -1] += count[rows] / gamma
        second[:, -1, -1] -= count[rows] / gamma**2
        return first, second

    return maximise(value, derivatives, start)


def _curvature(bend: Array, powers: Array) -> Array:
    """Σ bend · powers ⊗ powers over the runs, (row, i, j)."""
    return np.swapaxes(bend[:, :, None] * powers, 1, 2) @ powers


# Newton's method for many concave functions of a few variables at once, one row for each resample -----------


def maximise(value: Value, derivatives: Derivatives, start: Array) -> Array:
    """Arguments of the maxima, (row, variable), from a start at which every function is finite; NaN where none was
    found.

    A step is halved until the value grows, so that every strictly concave function that has a maximum gets there.

    >>> bowl = lambda rows, x: -((x - [1, 2])**2).sum(axis=1)
    >>> slopes = lambda rows, x: (-2 * (x - [1, 2]), np.broadcast_to(-2 * np.eye(2), (len(x), 2, 2)))
    >>> maximise(bowl, slopes, np.zeros((1, 2))).tolist()
    [[1.0, 2.0]]
    """
    x = start.copy()
    rows = np.arange(len(x))
    for _ in range(ITERATIONS):
        if not rows.size:
            break
        first, second = derivatives(rows, x[rows])
        step = _newton(first, second)
        with np.errstate(over="ignore", invalid="ignore"):
            gain = (first * step).sum(axis=1)
        lost = ~np.isfinite(gain) | (gain < 0)
        close = ~lost & (gain < _CLOSE)
        x[rows[lost]] = np.nan
        x[rows[close]] += step[close]
        going = ~lost & ~close
        rows, gain, step = rows[going], gain[going], step[going]
        x[rows] += _shares(value, rows, x[rows], step, gain)[:, None] * step
    x[rows] = np.nan
    return x


def _newton(first: Array, second: Array) -> Array:
    """−second⁻¹ first of each row; NaN where there is none."""
    step = np.full(first.shape, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        good = np.isfinite(second).all(axis=(1, 2)) & (np.linalg.det(second) != 0)
    step[good] = -np.linalg.solve(second[good], first[good][:, :, None])[:, :, 0]
    return step


def _shares(value: Value, rows: Array, start: Array, step: Array, gain: Array) -> Array:
    """Share of each step that makes its function grow enough (Armijo's rule)."""
    old = value(rows, start)
    share = np.ones(len(rows))
    trying = np.arange(len(rows))
    for _ in range(HALVINGS):
        if not trying.size:
            break
        part = share[trying]
        new = value(rows[trying], start[trying] + part[:, None] * step[trying])
        enough = old[trying] + 1e-4 * part * gain[trying] - _SLACK * (1 + np.abs(old[trying]))
        with np.errstate(invalid="ignore"):
            grown = new >= enough
        trying = trying[~grown]
        share[trying] /= 2
    return share


# Goodness of fit --------------------------------------------------------------------------------------------


def kaplan_meier(values: Array, censored: Array, mean: Array, deviation: Array) -> Array:
    """Kolmogorov and Smirnov's distance of each row to its normal distribution.

    The distribution of the row is that of Kaplan and Meier (1958), which gives the weight of a censored value to those
    above it; without censoring it is the usual staircase. Rows without a fit give NaN.

    >>> kaplan_meier(np.array([[0.0]]), np.array([[False]]), np.zeros(1), np.ones(1)).tolist()
    [0.5]
    """
    order = np.argsort(np.where(censored, np.nextafter(values, np.inf), values), axis=1)  # seen before censored
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
