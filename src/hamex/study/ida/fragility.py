"""Fragility: the probability that a limit is exceeded as a function of intensity, with what it was made from; and how
often a year that is, by a hazard curve."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex import __version__
from hamex.checks import check_memory, is_finite, is_whole, said
from hamex.errors import InputError
from hamex.files import check_writable, write_atomically
from hamex.names import Shown, options_by_keyword
from hamex.solution.files import pairs, write_sheets
from hamex.study.ida.cloud import Cloud
from hamex.study.ida.observations import Capacities, FragilityData, Stripes, positive, refuse
from hamex.study.ida.probability import PROBIT, FragilityCurve, LinkFunction, Parameters, combined, fractiles, link_of

Array = NDArray[Any]
KINDS = ("recorded", "synthetic", "matched")
UNSTATED = "unstated"
LEVEL = 0.9  # of bands, unless another is asked for
POINTS = 201  # rows of a file
_NODES = 10  # of the integral over a hazard: Gauss-Legendre, on pieces of a quarter of the dispersion near the median
_PIECE = 0.25
_GROWTH = 0.1  # longest piece over its distance from the median
_TAIL = 40.0  # e-folds after which a tail is nothing
_STEEPEST = 700.0  # e-folds that a double holds
_CHUNK = 2_000_000  # probabilities held at once


class Options(TypedDict, total=False):
    """What every way to make a fragility takes; :class:`Fragility` explains them."""

    modelling: float
    limit: str
    intensity: str
    motions: str
    seed: int
    resamples: int


@dataclass(frozen=True, eq=False, repr=False)
class Fragility(Shown):
    """P(limit exceeded | im) = F(ln(im/median)/total dispersion), from stripes, capacities, a cloud or a GLM.

    Make one by :meth:`from_stripes`, :meth:`from_capacities`, :meth:`from_cloud` or :meth:`glm`; they share the options

    modelling : dispersion for what the model leaves out, combined with the fitted one by the square root of the sum
        of squares; the median stays.
    limit : what is exceeded, in words: "storey drift ratio > 0.04".
    intensity : name and unit of the intensity measure: "Sa(1 s) [g]".
    motions : "recorded", "synthetic", "matched", or several joined by " + "; "unstated" unless said.
    seed, resamples : of the bootstrap behind bands and intervals, and of p-values that are drawn.

    Attributes
    ----------
    median : intensity exceeded with probability 1/2, in the unit of the data.
    dispersion : standard deviation of ln capacity as fitted, record to record.
    method, link : how it was fitted; "probit" is lognormal, "logit" log-logistic.
    curves : one curve, or two (demand, collapse) of a cloud with collapses, either of which exceeds the limit. Median
        and dispersion are then those of both together, the dispersion as half of ln(im₈₄/im₁₆).

    Examples
    --------
    >>> found = Fragility.from_stripes([0.2, 0.4, 0.8, 1.6], [1, 8, 21, 29], 30, limit="drift ratio > 0.04")
    >>> round(found.median, 3), round(found.dispersion, 3)
    (0.578, 0.576)
    >>> found.probability([0.4, 0.8]).round(3).tolist()
    [0.261, 0.714]
    """

    median: float
    dispersion: float
    method: str
    link: str
    data: FragilityData
    curves: tuple[FragilityCurve, ...]
    modelling: float = 0.0
    limit: str = ""
    intensity: str = "IM"
    motions: str = UNSTATED
    seed: int = 0
    resamples: int = 1000

    @classmethod
    def from_stripes(
        cls, levels: ArrayLike, exceedances: ArrayLike, counts: ArrayLike | None = None, **options: Unpack[Options]
    ) -> Fragility:
        """Lognormal by maximum likelihood (Baker 2015): ``exceedances`` out of ``counts`` motions at ``levels``.

        Where the same records stand at every level, give ``exceedances`` as (level, record) of true and false, so that
        the bootstrap resamples records.
        """
        data = Stripes.checked("Fragility.from_stripes", levels, exceedances, counts, PROBIT)
        return _fitted(data, "stripes, maximum likelihood", options)

    @classmethod
    def glm(
        cls,
        levels: ArrayLike,
        exceedances: ArrayLike,
        counts: ArrayLike | None = None,
        *,
        link: str = "probit",
        **options: Unpack[Options],
    ) -> Fragility:
        """Generalised linear model of exceedances on ln(level) with a link "probit" or "logit".

        With "probit" it is the lognormal fit to stripes. One motion a level: ``counts=1``.
        """
        data = Stripes.checked("Fragility.glm", levels, exceedances, counts, link_of(link))
        return _fitted(data, f"generalised linear model on ln IM, {link}", options)

    @classmethod
    def from_capacities(
        cls, capacities: ArrayLike, censored_at: ArrayLike | None = None, **options: Unpack[Options]
    ) -> Fragility:
        """Lognormal by maximum likelihood to the capacities of an incremental dynamic analysis, one a record.

        A record that never exceeded the limit has the capacity ``inf`` and counts as "above ``censored_at``", the
        largest intensity it was tried at (one number, or one a record). The dispersion has n in its denominator.

        >>> Fragility.from_capacities([0.5, 1.0, 2.0, np.inf], censored_at=2.5).median > 1.0
        True
        """
        data = Capacities.checked("Fragility.from_capacities", capacities, censored_at)
        return _fitted(data, "capacities, maximum likelihood", options)

    @classmethod
    def from_cloud(
        cls,
        im: ArrayLike,
        demand: ArrayLike,
        threshold: float,
        *,
        collapsed: ArrayLike | None = None,
        method: Literal["censored", "logistic"] = "censored",
        censored_at: ArrayLike | None = None,
        **options: Unpack[Options],
    ) -> Fragility:
        """Regression of ln demand on ln im, one run a motion, exceeded where the demand passes ``threshold``.

        ``collapsed`` marks runs without a demand. By the method "censored" their demand is known to be above a bound
        only, and the regression is that of largest likelihood (its scatter has n in the denominator): above
        ``censored_at``, one number or one a run, beyond which no demand counts as known; above the threshold where that
        is left out. By the method "logistic" the regression leaves them out, and their probability is a logistic
        regression on ln im. Without collapsed runs either is least squares (n − 2 in the denominator).

        >>> im, demand = [0.1, 0.2, 0.3, 0.5, 0.8, 1.0], [0.004, 0.01, 0.011, 0.024, 0.03, np.inf]
        >>> found = Fragility.from_cloud(im, demand, 0.02, collapsed=np.isinf(demand), censored_at=0.1)
        >>> round(found.median, 3), found.method
        (0.393, 'cloud, censored regression of ln demand, maximum likelihood')
        """
        data = Cloud.checked("Fragility.from_cloud", im, demand, threshold, collapsed, method, censored_at)
        options.setdefault("limit", f"demand > {threshold:g}")
        if data.censored:
            said = "cloud, censored regression of ln demand, maximum likelihood"
        else:
            collapse = " and logistic regression of collapse" if data.collapsed.any() else ""
            said = "cloud, regression of ln demand" + collapse
        return _fitted(data, said, options)

    def __post_init__(self) -> None:
        who = "Fragility"
        if not is_finite(self.modelling) or self.modelling < 0:
            raise InputError(f"{who}: the modelling dispersion must be a number ≥ 0, got {self.modelling!r}")
        kinds = self.motions.split(" + ") if isinstance(self.motions, str) else [repr(self.motions)]
        if self.motions != UNSTATED and not set(kinds) <= set(KINDS):
            raise InputError(
                f"{who}: motions must be {', '.join(KINDS)}, several joined by ' + ', or {UNSTATED}; "
                f"got {self.motions!r}"
            )
        for name, least in (("seed", 0), ("resamples", 2)):
            value = getattr(self, name)
            if not is_whole(value, least):
                raise InputError(f"{who}: {name} must be a whole number ≥ {least}, got {value!r:.40}")
        check_memory(who, 100 * self.resamples, f"{said(self.resamples)} resamples", "take fewer")

    @property
    def total_dispersion(self) -> float:
        """√(dispersion² + modelling²)."""
        return math.hypot(self.dispersion, self.modelling)

    def replace(self, **changes: Any) -> Fragility:
        """A copy with other labels, modelling dispersion, seed or number of resamples."""
        return replace(self, **changes)

    def probability(self, im: ArrayLike) -> Array:
        """Probability of exceedance at intensities > 0, modelling dispersion included; of the shape of ``im``."""
        return self._at(_parameters(self.curves), im)[0]

    def margin(self, level: float) -> float:
        """Median over an intensity, such as that of the maximum considered earthquake: the collapse margin ratio where
        the limit is collapse.

        >>> round(Fragility.from_capacities([1.0, 2.0, 4.0]).margin(0.8), 3)
        2.5
        """
        if not is_finite(level) or level <= 0:
            raise InputError(f"Fragility: the intensity of a margin must be a positive number, got {level!r}")
        return self.median / level

    def band(self, im: ArrayLike, level: float = LEVEL) -> tuple[Array, Array]:
        """Lower and upper bootstrap limit of the probability at each intensity, pointwise."""
        return quantiles(self.resampled_probability(im), level)

    def interval(self, level: float = LEVEL) -> dict[str, tuple[float, float]]:
        """Bootstrap limits of median and dispersion (percentiles)."""
        links = _links(self.curves)
        median = np.exp(fractiles(self.resampled, links, 0.5))
        out = {}
        for name, values in (("median", median), ("dispersion", _dispersion(self.resampled, links))):
            low, high = quantiles(values, level)
            out[name] = float(low), float(high)
        return out

    @property
    def resampled(self) -> tuple[Parameters, ...]:
        """ln median and dispersion of each curve, one a resample; NaN where no rising curve fits."""
        return self._bootstrap[0]

    @options_by_keyword
    def resampled_probability(self, im: ArrayLike, begin: int = 0, *, end: int | None = None) -> Array:
        """Probability at intensities of the resamples ``begin`` to ``end``, (resample, im)."""
        return self._at(tuple(Parameters(*(values[begin:end] for values in one)) for one in self.resampled), im)

    @property
    def degenerate(self) -> int:
        """Resamples without a fit of finite slope; they enter the bands as what they tend to, a step."""
        return int(self._bootstrap[1].sum())

    @property
    def lost(self) -> int:
        """Resamples that no rising curve fits; they are left out of the bands."""
        return int(np.isnan([one.dispersion for one in self.resampled]).any(axis=0).sum())

    @cached_property
    def goodness(self) -> dict[str, float]:
        """Goodness of fit: log likelihood and AIC, deviance and Pearson's χ² of stripes, the distance of Kolmogorov and
        Smirnov of capacities and of residuals, each with a p-value where one is known."""
        return self.data.goodness(self.curves, self.seed)

    def table(self) -> dict[str, str | float]:
        """What to print, by name."""
        bounds = self.interval()
        return {
            "limit": self.limit,
            "intensity": self.intensity,
            "motions": self.motions,
            "method": self.method,
            "link": self.link,
            "median": self.median,
            "dispersion": self.dispersion,
            "modelling dispersion": self.modelling,
            "total dispersion": self.total_dispersion,
            **{
                f"{name}, {LEVEL:.0%} {end}": value
                for name, pair in bounds.items()
                for end, value in zip(("from", "to"), pair, strict=True)
            },
            "resampled": self.data.resampling,
            "resamples": self.resamples,
            "seed": self.seed,
            "resamples without finite slope": self.degenerate,
            "resamples left out": self.lost,
            **self.goodness,
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as what JSON knows."""
        curves = [{"median": one.median, "dispersion": one.dispersion, "link": one.link.name} for one in self.curves]
        table = {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in self.table().items()
        }  # JSON has no infinity
        return {"hamex": __version__, "fragility": table, "curves": curves, "data": self.data.columns()}

    def save(self, path: str | Path) -> Path:
        """Write ``.json`` (everything), ``.csv`` (curve and band, labels as comments) or ``.xlsx`` (Excel, labels on a
        sheet of their own), whole or not at all."""
        path = Path(path)
        check_writable(path, (".json", ".csv", ".xlsx"))
        if path.suffix.lower() == ".xlsx":
            return write_sheets(path, {"curve": self.curve(), "about": pairs(self.table())})
        return write_atomically(path, self._json if path.suffix.lower() == ".json" else self._csv)

    def __repr__(self) -> str:
        wider = f" ⊕ {self.modelling:g} for modelling" if self.modelling else ""
        what = f"P({self.limit or 'limit exceeded'})"
        return (
            f"Fragility({what}: median {self.median:.4g} {self.intensity}, dispersion {self.dispersion:.4g}{wider};"
            f" {self.method}; motions: {self.motions})"
        )

    @cached_property
    def _bootstrap(self) -> tuple[tuple[Parameters, ...], Array]:
        return self.data.resampled(np.random.default_rng(self.seed), self.resamples)

    def _at(self, parameters: tuple[Parameters, ...], im: ArrayLike) -> Array:
        x = positive("Fragility", "im", np.ravel(np.asarray(im, dtype=float)), least=0)
        found = combined(parameters, _links(self.curves), self.modelling, np.log(x))
        return found.reshape(len(found), *np.shape(im))

    def _json(self, path: Path) -> None:
        path.write_text(
            json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"
        )

    def curve(self) -> dict[str, Array]:
        """Curve and band as columns: intensity, probability, and the band from and to."""
        reach = 3.5 * self.total_dispersion
        im = self.median * np.exp(np.linspace(-reach, reach, POINTS))
        low, high = self.band(im)
        return {
            self.intensity: im,
            "probability": self.probability(im),
            f"{LEVEL:.0%} from": low,
            f"{LEVEL:.0%} to": high,
        }

    def _csv(self, path: Path) -> None:
        columns = self.curve()
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(f"# {name}: {value}\n" for name, value in self.table().items())
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))


def _fitted(data: FragilityData, method: str, options: Options) -> Fragility:
    curves = data.fit()
    median, dispersion = curves[0].median, curves[0].dispersion
    if len(curves) > 1:
        parameters, links = _parameters(curves), _links(curves)
        median = float(np.exp(fractiles(parameters, links, 0.5)[0]))
        dispersion = float(_dispersion(parameters, links)[0])
    return Fragility(median, dispersion, method, " and ".join(one.link.name for one in curves), data, curves, **options)


def _parameters(curves: tuple[FragilityCurve, ...]) -> tuple[Parameters, ...]:
    return tuple(Parameters(np.log([one.median]), np.array([one.dispersion])) for one in curves)


def _links(curves: tuple[FragilityCurve, ...]) -> list[LinkFunction]:
    return [one.link for one in curves]


def _dispersion(parameters: tuple[Parameters, ...], links: list[LinkFunction]) -> Array:
    """Of one curve its own; of several half the distance in ln im between the 16 % and the 84 % fractile."""
    if len(parameters) == 1:
        return parameters[0].dispersion
    low, high = (fractiles(parameters, links, probability) for probability in (0.158655253931457, 0.841344746068543))
    with np.errstate(invalid="ignore"):
        return 0.5 * (high - low)


def quantiles(values: Array, level: float) -> tuple[Array, Array]:
    if not is_finite(level) or not 0 < level < 1:
        raise InputError(f"Fragility: the level of a band must lie between 0 and 1, got {level!r}")
    ends = (0.5 - level / 2, 0.5 + level / 2)
    # An actual resample, never a mean of two: a step has no fractions and an infinite median no neighbour.
    low, high = np.nanquantile(values, ends, axis=0, method="inverted_cdf")
    return low, high


@dataclass(frozen=True)
class AnnualFrequency:
    """How often a year a limit is exceeded.

    Attributes
    ----------
    rate : ∫ P(im) |dλ(im)| over the intensities of the hazard curve [1/year].
    low, high : bootstrap limits of the rate at ``level``.
    below : what smaller intensities would add if the curve went on with its first slope, an estimate [1/year].
    above : what larger intensities can add at most, the last rate of the curve [1/year].
    limit, motions : labels of the fragility.
    """

    rate: float
    low: float
    high: float
    level: float
    below: float
    above: float
    limit: str
    motions: str

    def __float__(self) -> float:
        return self.rate

    def probability(self, years: float) -> float:
        """Of at least one exceedance in so many years, as a Poisson process.

        >>> AnnualFrequency(2e-4, 1e-4, 3e-4, 0.9, 0.0, 0.0, "", "unstated").probability(50) < 0.01
        True
        """
        return -math.expm1(-self.rate * years)


def annual_frequency(
    fragility: Fragility, hazard_im: ArrayLike, hazard_rate: ArrayLike, *, level: float = LEVEL
) -> AnnualFrequency:
    """Integrate a fragility over a hazard curve, in the logarithm of the intensity.

    Parameters
    ----------
    fragility : P(exceeded | im), modelling dispersion included.
    hazard_im : intensities, rising, in the unit of the fragility.
    hazard_rate : λ, how often a year each is exceeded, not rising. Between two of them λ is a power of the intensity.
    level : of the bootstrap limits.

    Examples
    --------
    λ = k₀ im⁻ᵏ has the closed form k₀ θ⁻ᵏ exp(k²β²/2) (Cornell et al. 2002):

    >>> found = Fragility.from_capacities([0.5, 1.0, 2.0])
    >>> im = np.geomspace(0.001, 1000, 40)
    >>> rate = annual_frequency(found, im, 1e-3 * im**-2.0).rate
    >>> bool(np.isclose(rate, 1e-3 * found.median**-2 * np.exp(2 * found.dispersion**2), rtol=1e-5))
    True
    """
    who = "annual_frequency"
    im, rate = positive(who, "hazard_im", hazard_im, least=2), positive(who, "hazard_rate", hazard_rate, least=2)
    if len(im) != len(rate):
        raise InputError(f"{who}: {len(im)} intensities and {len(rate)} rates")
    refuse(who, "hazard_im", im, np.r_[False, np.diff(im) <= 0], "must be above the one before")
    refuse(who, "hazard_rate", rate, np.r_[False, np.diff(rate) > 0], "must not be above the one before")
    u = np.log(im)
    slopes = -np.diff(np.log(rate)) / np.diff(u)
    breaks = _breaks(fragility, max(abs(end - math.log(one.median)) for one in fragility.curves for end in u[[0, -1]]))
    pieces = [_quadrature(u[i], u[i + 1], rate[i], slopes[i], breaks) for i in np.flatnonzero(slopes > 0)]
    nodes, weights = (np.concatenate([piece[part] for piece in pieces]) if pieces else np.ones(0) for part in (0, 1))
    low, high = _limits(fragility, nodes, weights, level)
    below = _below(fragility, float(u[0]), float(rate[0]), float(slopes[0]))
    return AnnualFrequency(
        float(fragility.probability(nodes) @ weights),
        low,
        high,
        level,
        below,
        float(rate[-1]),
        fragility.limit,
        fragility.motions,
    )


def _breaks(fragility: Fragility, reach: float) -> Array:
    """Ends of pieces in ln im as far as ``reach`` from the medians: short beside them, longer in the tails."""
    ends = []
    for curve in fragility.curves:
        short = _PIECE * math.hypot(curve.dispersion, fragility.modelling)
        distances = [0.0]
        while distances[-1] < reach:
            distances.append(distances[-1] + max(short, _GROWTH * distances[-1]))
        ends += [math.log(curve.median) + np.array(distances), math.log(curve.median) - np.array(distances)]
    return np.concatenate(ends)


def _quadrature(low: float, high: float, rate: float, slope: float, breaks: Array) -> tuple[Array, Array]:
    """Intensities and weights |dλ| of the power law λ = rate · (im/im_low)^−slope between two ln im."""
    even = np.linspace(low, high, 1 + max(1, math.ceil((high - low) * slope)))  # one e-fold of λ at most
    ends = np.unique(np.concatenate([even, breaks[(breaks > low) & (breaks < high)]]))
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    half = 0.5 * np.diff(ends)[:, None]
    u = (ends[:-1, None] + half * (1 + points)).ravel()
    return np.exp(u), (half * weights).ravel() * slope * rate * np.exp(-slope * (u - low))


def _below(fragility: Fragility, first: float, rate: float, slope: float) -> float:
    """The integral from 0 to the first intensity with the first slope; ∞ where it has no end."""
    if slope == 0:
        return 0.0
    reach, tails = 0.0, []
    for curve in fragility.curves:
        beta, distance = math.hypot(curve.dispersion, fragility.modelling), first - math.log(curve.median)
        if curve.link.name == "logit":
            steep = curve.link.scale / beta
            reach = max(reach, distance + _TAIL / steep)
            tails.append((steep, distance))
        else:
            reach = max(reach, distance + slope * beta**2 + beta * math.sqrt(2 * _TAIL))
    away = reach + max(abs(first - math.log(curve.median)) for curve in fragility.curves)
    if slope * reach > _STEEPEST:  # λ falls faster than any probability towards zero
        return math.inf
    im, weights = _quadrature(first - reach, first, rate * math.exp(slope * reach), slope, _breaks(fragility, away))
    found = float(fragility.probability(im) @ weights)
    for steep, distance in tails:  # from there down a logistic curve is (im/θ)^steep, and has to win against λ
        if steep <= slope:
            return math.inf
        found += slope * rate / (steep - slope) * math.exp(steep * (distance - reach) + slope * reach)
    return found


def _limits(fragility: Fragility, nodes: Array, weights: Array, level: float) -> tuple[float, float]:
    """Bootstrap limits of the integral."""
    rates = []
    rows = max(1, _CHUNK // max(1, len(nodes)))
    for begin in range(0, fragility.resamples, rows):
        rates.append(fragility.resampled_probability(nodes, begin, end=begin + rows) @ weights)
    low, high = quantiles(np.concatenate(rates), level)
    return float(low), float(high)
