"""Fragility against published numbers, an independent GLM, known distributions and its own limits."""

import json
import math

import numpy as np
import pytest
from scipy import optimize, stats

from hamex.errors import FileError, InputError
from hamex.study.ida.estimation import SeparationError
from hamex.study.ida.fragility import Fragility

# 45 motions at sixteen levels of Sa [g]; the lognormal fit of largest likelihood is published with them.
LEVELS = [0.178, 0.274, 0.444, 0.56, 0.652, 0.79, 0.982, 1.246, 1.564, 2.014, 2.417, 3.021, 3.625, 4.028, 4.431, 5.035]
EXCEEDED = [0, 0, 0, 0, 0, 4, 13, 23, 38, 41, 44, 45, 45, 45, 45, 45]
COUNT = 45


@pytest.fixture(scope="module")
def published():
    return Fragility.from_stripes(
        LEVELS, EXCEEDED, COUNT, limit="storey drift ratio > 0.04", intensity="Sa [g]", motions="recorded"
    )


def test_the_published_stripes_give_the_published_median_and_dispersion(published):
    assert round(published.median, 4) == 1.2194
    assert round(published.dispersion, 4) == 0.3101


def direct(link, levels, exceeded, count):
    """An independent fit: the likelihood written in (ln θ, ln β) and handed to a simplex, no derivatives."""
    x, k, n = (np.asarray(a, dtype=float) for a in (levels, exceeded, np.broadcast_to(count, np.shape(levels))))
    law = stats.norm() if link == "probit" else stats.logistic(scale=math.sqrt(3) / math.pi)

    def lost(parameters):
        z = (np.log(x) - parameters[0]) * np.exp(-parameters[1])
        return -np.sum(k * law.logcdf(z) + (n - k) * law.logsf(z))

    best = (0.0, math.log(0.5))
    for _ in range(3):  # a simplex started afresh from where the last one stopped
        best = optimize.minimize(
            lost, best, method="Nelder-Mead", options={"xatol": 1e-11, "fatol": 1e-15, "maxiter": 4000}
        ).x
    return math.exp(best[0]), math.exp(best[1])


@pytest.mark.parametrize("link", ["probit", "logit"])
@pytest.mark.parametrize(
    ("levels", "exceeded", "count"),
    [(LEVELS, EXCEEDED, COUNT), ([0.1, 0.2, 0.4], [3, 4, 9], [10, 9, 12]), ([1, 2, 2, 3, 5, 8], [0, 0, 1, 0, 1, 1], 1)],
)
@pytest.mark.every_value
def test_an_independently_written_likelihood_agrees(link, levels, exceeded, count):
    found = Fragility.glm(levels, exceeded, count, link=link)
    assert (found.median, found.dispersion) == pytest.approx(direct(link, levels, exceeded, count), rel=1e-6)


@pytest.mark.parametrize("link", ["probit", "logit"])
def test_statsmodels_agrees(link):
    sm = pytest.importorskip("statsmodels.api")
    family = sm.families.Binomial(link=sm.families.links.Probit() if link == "probit" else sm.families.links.Logit())
    k = np.array(EXCEEDED)
    fit = sm.GLM(np.column_stack([k, COUNT - k]), sm.add_constant(np.log(LEVELS)), family=family).fit(tol=1e-14)
    a, b = fit.params
    found = Fragility.glm(LEVELS, EXCEEDED, COUNT, link=link)
    scale = 1.0 if link == "probit" else math.pi / math.sqrt(3)
    assert (found.median, found.dispersion) == pytest.approx((math.exp(-a / b), scale / b), rel=1e-6)
    assert found.goodness["deviance"] == pytest.approx(fit.deviance, rel=1e-6)
    assert found.goodness["Pearson"] == pytest.approx(fit.pearson_chi2, rel=1e-6)
    assert found.goodness["log likelihood"] == pytest.approx(fit.llf, rel=1e-6)
    assert found.goodness["degrees of freedom"] == fit.df_resid


def test_stripes_and_probit_are_one_estimator(published):
    glm = Fragility.glm(LEVELS, EXCEEDED, COUNT)
    assert (glm.median, glm.dispersion) == (published.median, published.dispersion)


def test_the_dispersion_of_a_logit_is_a_standard_deviation_too():
    """Drawn from a logistic distribution of ln capacity, the fit returns the standard deviation it was drawn with."""
    levels = np.geomspace(0.2, 5, 200)
    share = stats.logistic(scale=0.4 * math.sqrt(3) / math.pi).cdf(np.log(levels))
    found = Fragility.glm(levels, np.round(1e6 * share), 10**6, link="logit")
    assert (found.median, found.dispersion) == pytest.approx((1.0, 0.4), rel=1e-3)


def test_neither_the_order_of_levels_nor_the_unit_of_intensity_matters(published):
    order = np.random.default_rng(3).permutation(len(LEVELS))
    mixed = Fragility.from_stripes(np.array(LEVELS)[order], np.array(EXCEEDED)[order], COUNT)
    assert (mixed.median, mixed.dispersion) == pytest.approx((published.median, published.dispersion), rel=1e-12)
    metres = Fragility.from_stripes(9.80665 * np.array(LEVELS), EXCEEDED, COUNT)
    assert (metres.median / 9.80665, metres.dispersion) == pytest.approx(
        (published.median, published.dispersion), rel=1e-12
    )


# Known distributions


def stripes(seed, median=0.8, dispersion=0.45, motions=40):
    generator = np.random.default_rng(seed)
    levels = np.geomspace(0.2, 3.0, 12)
    p = stats.norm.cdf(np.log(levels / median) / dispersion)
    return Fragility.from_stripes(levels, generator.binomial(motions, p), motions, resamples=300)


def capacities(seed, median=0.8, dispersion=0.45, bound=1.1, motions=60):
    drawn = median * np.exp(np.random.default_rng(seed).normal(0, dispersion, motions))
    return Fragility.from_capacities(np.where(drawn > bound, np.inf, drawn), censored_at=bound, resamples=300)


@pytest.mark.parametrize("make", [stripes, capacities])
@pytest.mark.chief("capacities")
def test_a_known_fragility_lies_within_its_bootstrap_band(make):
    """A 90 % band that holds the truth in about 90 of 100 samples; percentiles of small samples fall a little short."""
    inside = {"median": 0, "dispersion": 0}
    for seed in range(60):
        bands = make(seed).interval(0.9)
        inside["median"] += bands["median"][0] <= 0.8 <= bands["median"][1]
        inside["dispersion"] += bands["dispersion"][0] <= 0.45 <= bands["dispersion"][1]
    assert 46 <= inside["median"] <= 59
    assert 44 <= inside["dispersion"] <= 59


def test_censored_records_are_not_dropped():
    """With a quarter of the records above the bound, leaving them out would move the median by a fifth."""
    drawn = 0.8 * np.exp(np.random.default_rng(0).normal(0, 0.45, 4000))
    found = Fragility.from_capacities(np.where(drawn > 1.1, np.inf, drawn), censored_at=1.1)
    assert (found.median, found.dispersion) == pytest.approx((0.8, 0.45), rel=0.03)
    assert np.exp(np.log(drawn[drawn <= 1.1]).mean()) < 0.68


def test_censoring_by_an_independent_likelihood():
    rng = np.random.default_rng(5)
    drawn, bound = np.exp(rng.normal(0, 0.5, 30)), np.exp(rng.normal(0.3, 0.2, 30))
    hidden = drawn > bound
    assert 5 < hidden.sum() < 20
    y = np.log(np.minimum(drawn, bound))

    def lost(p):
        law = stats.norm(p[0], math.exp(p[1]))
        return -law.logpdf(y[~hidden]).sum() - law.logsf(y[hidden]).sum()

    best = optimize.minimize(lost, (0.0, 0.0), method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14}).x
    found = Fragility.from_capacities(np.where(hidden, np.inf, drawn), censored_at=bound)
    assert (found.median, found.dispersion) == pytest.approx((math.exp(best[0]), math.exp(best[1])), rel=1e-6)
    assert found.goodness["log likelihood"] == pytest.approx(-lost(best), rel=1e-9)


def test_without_censoring_capacities_are_mean_and_deviation_of_the_logarithms():
    x = np.array([0.3, 0.9, 1.4, 2.2, 0.7])
    found = Fragility.from_capacities(x)
    assert found.median == pytest.approx(stats.gmean(x), rel=1e-14)
    assert found.dispersion == pytest.approx(np.log(x).std(), rel=1e-14)
    assert Fragility.from_capacities(x, censored_at=5).dispersion == found.dispersion
    assert Fragility.from_capacities(x, censored_at=x * (1 - 1e-15)).dispersion == found.dispersion


def test_stripes_of_many_levels_tend_to_the_capacities():
    """Which record exceeds at which level is all that stripes know: with fine levels it is the capacities."""
    x = np.exp(np.random.default_rng(2).normal(0, 0.4, 50))
    levels = np.geomspace(0.05, 20, 2000)
    by_record = Fragility.from_stripes(levels, levels[:, None] >= x)
    known = Fragility.from_capacities(x)
    # The two likelihoods weigh records differently; only the median and the size of the dispersion are shared.
    assert by_record.median == pytest.approx(known.median, rel=0.03)
    assert by_record.dispersion == pytest.approx(known.dispersion, rel=0.1)


def test_records_at_all_levels_are_resampled_as_wholes():
    """The same records at every level say less than fresh ones, and the band must be wider."""
    x = np.exp(np.random.default_rng(4).normal(0, 0.4, 40))
    levels = np.geomspace(0.3, 3, 15)
    table = levels[:, None] >= x
    same = Fragility.from_stripes(levels, table).interval()["median"]
    fresh = Fragility.from_stripes(levels, table.sum(axis=1), 40).interval()["median"]
    assert same[1] - same[0] > 1.5 * (fresh[1] - fresh[0])
    # The spread of a median of n records is about β √(π/2 n) at most, and β/√n at least.
    assert 2 * 1.645 * 0.4 / math.sqrt(40) * 0.6 < same[1] - same[0] < 2 * 1.645 * 0.4 * math.sqrt(math.pi / 80) * 1.6


# Cloud


def cloud(seed=0, size=400):
    generator = np.random.default_rng(seed)
    im = np.exp(generator.normal(-1, 0.7, size))
    return im, 0.02 * im**1.2 * np.exp(generator.normal(0, 0.3, size))


def test_a_cloud_is_the_regression_of_its_logarithms():
    im, demand = cloud()
    line = stats.linregress(np.log(im), np.log(demand))
    rest = np.log(demand) - line.intercept - line.slope * np.log(im)
    sigma = math.sqrt(np.sum(rest**2) / (len(im) - 2))
    found = Fragility.from_cloud(im, demand, 0.03)
    assert found.median == pytest.approx(math.exp((math.log(0.03) - line.intercept) / line.slope), rel=1e-12)
    assert found.dispersion == pytest.approx(sigma / line.slope, rel=1e-12)
    assert found.goodness["R²"] == pytest.approx(line.rvalue**2, rel=1e-12)
    truth = (0.03 / 0.02) ** (1 / 1.2), 0.3 / 1.2
    for value, (low, high) in zip(truth, found.interval(0.99).values(), strict=True):
        assert low < value < high


def test_collapse_adds_to_the_exceedance_of_a_cloud():
    im, demand = cloud()
    fell = np.random.default_rng(9).random(len(im)) < stats.norm.cdf(np.log(im / 0.9) / 0.4)
    demand[fell] = np.inf
    found = Fragility.from_cloud(im, demand, 0.03, collapsed=fell, method="logistic")
    assert found.method == "cloud, regression of ln demand and logistic regression of collapse"
    alone = Fragility.from_cloud(im[~fell], demand[~fell], 0.03)
    collapse = Fragility.glm(im, fell.astype(int), 1, link="logit")
    x = np.geomspace(0.05, 5, 30)
    assert found.probability(x) == pytest.approx(
        1 - (1 - alone.probability(x)) * (1 - collapse.probability(x)), abs=1e-13
    )
    assert found.median < min(alone.median, collapse.median)
    assert found.probability(found.median) == pytest.approx(0.5, abs=1e-12)
    assert found.probability(found.median * math.exp(found.dispersion)) == pytest.approx(0.84, abs=0.03)
    low, high = found.interval()["median"]
    assert low < found.median < high


def censored_by_scipy(im, demand, bound):
    """Median and dispersion of the cloud whose demands beyond a bound are only known to be there, by other means:
    the likelihood as it is written in the books, climbed without derivatives."""
    x, y, hidden = np.log(im), np.log(np.minimum(demand, bound)), demand >= bound

    def lost(parameters):
        a, b, sigma = parameters[0], parameters[1], math.exp(parameters[2])
        rest = y - a - b * x
        return -stats.norm.logpdf(rest[~hidden], 0, sigma).sum() - stats.norm.logsf(rest[hidden], 0, sigma).sum()

    line = stats.linregress(x, y)
    found = optimize.minimize(
        lost,
        [line.intercept, line.slope, math.log(0.3)],
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000, "maxfev": 4000},
    )
    a, b, sigma = found.x[0], found.x[1], math.exp(found.x[2])
    return a, b, sigma, -found.fun


def test_collapsed_runs_of_a_cloud_are_known_to_be_above_a_bound():
    im, demand = cloud(size=150)
    fell = demand > 0.01
    assert 30 < fell.sum() < 120
    a, b, sigma, likelihood = censored_by_scipy(im, demand, 0.01)
    found = Fragility.from_cloud(im, np.where(fell, np.nan, demand), 0.008, collapsed=fell, censored_at=0.01)
    assert found.method == "cloud, censored regression of ln demand, maximum likelihood"
    assert found.median == pytest.approx(math.exp((math.log(0.008) - a) / b), rel=1e-7)
    assert found.dispersion == pytest.approx(sigma / b, rel=1e-6)
    assert found.goodness["log likelihood"] == pytest.approx(likelihood, rel=1e-10)
    assert found.goodness["p (KS)"] > 0.05
    # Where no bound is given, they are above the threshold: that is what they exceed.
    plain = Fragility.from_cloud(im, np.where(fell, np.nan, demand), 0.01, collapsed=fell)
    assert plain.median == pytest.approx(math.exp((math.log(0.01) - a) / b), rel=1e-7)
    # Demands beyond the bound are known no better, whether they are called collapsed or not.
    same = Fragility.from_cloud(im, demand, 0.008, censored_at=0.01)
    assert (same.median, same.dispersion) == (found.median, found.dispersion)
    low, high = found.interval(0.99)["median"]
    assert low < found.median < high
    assert found.lost == 0


def test_a_censored_cloud_has_no_bias_where_leaving_runs_out_has():
    """Half of the runs collapse, over 60 clouds whose truth is known; the regression of the rest is far off."""
    truth = (0.012 / 0.02) ** (1 / 1.2), 0.3 / 1.2
    fits, left = [], []
    for seed in range(60):
        im, demand = cloud(seed, 200)
        fell = demand > 0.009
        one = Fragility.from_cloud(im, demand, 0.012, collapsed=fell, censored_at=0.009)
        rest = Fragility.from_cloud(im[~fell], demand[~fell], 0.012)
        fits.append([one.median, one.dispersion])
        left.append([rest.median, rest.dispersion])
    for place, true in enumerate(truth):
        mean, spread = np.mean(fits, axis=0)[place], np.std(fits, axis=0)[place] / math.sqrt(60)
        assert mean == pytest.approx(true, abs=3 * spread + 0.01 * true)
    assert np.mean(left, axis=0)[0] > 1.1 * truth[0]


def test_a_censored_cloud_without_censored_runs_is_least_squares():
    im, demand = cloud(size=60)
    one, other = (Fragility.from_cloud(im, demand, 0.03, **more) for more in ({}, {"censored_at": 1e6}))
    assert (one.median, one.dispersion, one.method) == (other.median, other.dispersion, other.method)


# What a fragility says


def test_the_modelling_dispersion_widens_and_moves_no_median(published):
    wide = published.replace(modelling=0.4)
    assert wide.total_dispersion == pytest.approx(math.hypot(published.dispersion, 0.4), rel=1e-15)
    assert (wide.median, wide.dispersion) == (published.median, published.dispersion)
    assert wide.probability(wide.median) == pytest.approx(0.5, abs=1e-15)
    x = [0.5, 1.0, 2.0]
    assert wide.probability(x) == pytest.approx(
        stats.norm.cdf(np.log(np.array(x) / wide.median) / wide.total_dispersion), rel=1e-13
    )
    low, high = wide.band(2.0)
    assert low < wide.probability(2.0) < high < published.probability(2.0)


def test_bands_are_seeded_and_hold_the_curve(published):
    x = np.geomspace(0.5, 3, 20)
    low, high = published.band(x, 0.95)
    assert (low <= published.probability(x)).all()
    assert (published.probability(x) <= high).all()
    assert np.array_equal(low, published.replace(resamples=1000).band(x, 0.95)[0])
    assert not np.array_equal(low, published.replace(seed=1).band(x, 0.95)[0])
    narrow = published.band(x, 0.5)
    assert (narrow[1] - narrow[0] <= high - low).all()


def test_a_resample_without_a_fit_is_counted_and_enters_as_a_step():
    found = Fragility.from_stripes([0.5, 1.0, 2.0, 4.0], [0, 1, 5, 6], 6, resamples=400)
    assert found.degenerate > 20
    assert found.lost == 0
    assert found.table()["resamples without finite slope"] == found.degenerate
    assert found.interval()["dispersion"][0] == 0
    assert np.isfinite(found.band([0.7, 1.0, 1.5])).all()


def test_goodness_of_fit_tells_a_good_sample_from_a_bad_one():
    rng = np.random.default_rng(11)
    good = Fragility.from_capacities(np.exp(rng.normal(0, 0.4, 100)))
    bad = Fragility.from_capacities(np.exp(np.r_[rng.normal(-1, 0.05, 50), rng.normal(1, 0.05, 50)]))
    assert good.goodness["p (KS)"] > 0.05
    assert bad.goodness["p (KS)"] < 0.01
    wavy = Fragility.from_stripes([1, 2, 3, 4, 5, 6], [0, 30, 5, 35, 10, 40], 40)
    assert wavy.goodness["p (deviance)"] < 1e-6
    assert wavy.goodness["p (Pearson)"] < 1e-6


def test_the_distance_of_kolmogorov_and_smirnov():
    x = np.exp(np.random.default_rng(1).normal(0, 0.5, 25))
    found = Fragility.from_capacities(x)
    expected = stats.kstest(np.log(x), stats.norm(math.log(found.median), found.dispersion).cdf).statistic
    assert found.goodness["KS"] == pytest.approx(expected, rel=1e-12)


def test_labels_stand_in_repr_table_and_files(published, tmp_path):
    for text in (
        repr(published),
        str(published.table()),
        published.save(tmp_path / "a.csv").read_text(),
        published.save(tmp_path / "a.json").read_text(),
    ):
        assert "storey drift ratio > 0.04" in text
        assert "recorded" in text
        assert "Sa [g]" in text
    synthetic = published.replace(motions="synthetic", modelling=0.3)
    assert "motions: synthetic" in repr(synthetic)
    assert "0.3 for modelling" in repr(synthetic)
    read = json.loads((tmp_path / "a.json").read_text())
    assert read["data"]["exceedances"] == EXCEEDED
    assert read["fragility"]["median"] == published.median
    rows = [line.split(",") for line in (tmp_path / "a.csv").read_text().splitlines() if not line.startswith("#")]
    numbers = np.array(rows[1:], dtype=float)
    assert numbers[:, 1] == pytest.approx(published.probability(numbers[:, 0]), rel=1e-12)
    assert (numbers[:, 2] <= numbers[:, 3]).all()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.json"]
    with pytest.raises(FileError, match=r"\.json, \.csv"):
        published.save(tmp_path / "a.txt")


def test_files_of_censored_and_collapsed_data_are_strict_json(tmp_path):
    censored = Fragility.from_capacities([0.5, 0.8, np.inf], censored_at=1.0)
    im, demand = cloud(size=100)
    demand[im > 0.6] = np.where(np.arange((im > 0.6).sum()) % 2, np.nan, demand[im > 0.6])
    fallen = Fragility.from_cloud(im, demand, 0.03, collapsed=np.isnan(demand))
    fell = np.isnan(demand)
    logistic = Fragility.from_cloud(im, demand, 0.03, collapsed=fell, method="logistic")
    for name, found in (("a.json", censored), ("b.json", fallen), ("c.json", logistic)):
        json.loads(found.save(tmp_path / name).read_text(), parse_constant=lambda word: pytest.fail(word))


# What cannot be fitted


@pytest.mark.parametrize(
    ("exceeded", "says"),
    [
        ([0, 0, 5, 5], "everything up to level 2 survives and everything from 3 on exceeds"),
        ([0, 2, 5, 5], "only level 2 has both"),
        ([0, 0, 0, 0], "nothing exceeds the limit at any level; go higher"),
        ([5, 5, 5, 5], "everything exceeds the limit at every level; go lower"),
        ([5, 4, 2, 1], "do not become more frequent"),
        ([5, 5, 0, 0], "do not become more frequent"),
        ([2, 2, 2, 2], "do not become more frequent"),
    ],
)
@pytest.mark.parametrize("link", ["probit", "logit"])
def test_data_without_a_largest_likelihood_are_named(exceeded, says, link):
    with pytest.raises(SeparationError, match=says):
        Fragility.glm([1, 2, 3, 4], exceeded, 5, link=link)


def test_capacities_and_clouds_without_a_fit_are_named():
    with pytest.raises(SeparationError, match="no record exceeded the limit; scale the motions further"):
        Fragility.from_capacities([np.inf, np.inf], censored_at=2.0)
    with pytest.raises(SeparationError, match=r"all capacities are 0\.7"):
        Fragility.from_capacities([0.7, 0.7, 0.7])
    with pytest.raises(SeparationError, match="does not grow with the intensity"):
        Fragility.from_cloud([1, 2, 3, 4], [4, 3.1, 2, 1], 2.0)
    with pytest.raises(SeparationError, match="collapse: everything up to level 3 survives"):
        Fragility.from_cloud(
            [1, 2, 3, 4], [1, 2.1, 3, np.nan], 2.0, collapsed=[False, False, False, True], method="logistic"
        )
    with pytest.raises(SeparationError, match="has no scatter"):
        Fragility.from_cloud([1, 2, 4, 8], [1, 2, 4, np.nan], 2.0, collapsed=[False, False, False, True])


def test_one_capacity_below_a_censored_one_still_has_a_fit():
    found = Fragility.from_capacities([0.5, np.inf], censored_at=1.0)
    assert 0.5 < found.median < 5
    assert found.dispersion > 0.1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([0.1, -0.2], [0, 1], 2), r"levels\[1\] = -0\.2; it must be positive"),
        (([0.1, 0.2], [0, 3], 2), r"exceedances\[1\] = 3; it must not be above the count"),
        (([0.1, 0.2], [0, 0.5], 2), r"exceedances\[1\] = 0\.5; it must be a whole number"),
        (([0.1, 0.2], [0, 1], [2, 0]), r"counts\[1\] = 0; it must be at least 1"),
        (([0.1, 0.2], [0, 1, 1], 2), "3 exceedances for 2 levels"),
        (([0.1, 0.2], [0, 1]), "say out of how many motions"),
        (([0.1, 0.2], [[0, 1]]), r"\(level, record\)"),
        (([0.1], [0], 2), "n ≥ 2"),
        ((["a", 2], [0, 1], 2), "levels must be numbers"),
    ],
)
def test_wrong_stripes_are_refused_with_their_place(arguments, says):
    with pytest.raises(InputError, match=says):
        Fragility.from_stripes(*arguments)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([0.5, np.nan],), r"capacities\[1\] = nan"),
        (([0.5, np.inf],), r"capacities\[1\] = inf: .* censored_at"),
        (([0.5, 3.0], 2.0), r"capacities\[1\] = 3; it must not be above its bound"),
        (([0.5, 1.0], [2.0]), "1 bounds censored_at for 2 capacities"),
    ],
)
def test_wrong_capacities_are_refused_with_their_place(arguments, says):
    with pytest.raises(InputError, match=says):
        Fragility.from_capacities(*arguments)


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        (([1, 2, 3], [1, np.inf, 3], 2.0), {}, r"demand\[1\] = inf; .*collapsed"),
        (([1, 2, 3, 4], [1, 2, 3], 2.0), {}, "one entry a run"),
        (([1, 2, 3], [1, 2, 3], 0.0), {}, "threshold must be a positive"),
        (([1, 1, 2], [1, 2, 3], 2.0), {}, "2 intensities without collapse"),
        (([1, 2, 3], [1, 2, 4], 2.0), {"method": "tobit"}, "method must be censored or logistic, got 'tobit'"),
        (([1, 2, 3], [1, 2, 4], 2.0), {"method": "logistic", "censored_at": 3.0}, "takes no bounds"),
        (([1, 2, 3], [1, 2, 4], 2.0), {"censored_at": [3.0, 3.0]}, "2 bounds censored_at for 3 runs"),
        (([1, 2, 3], [1, 2, 4], 2.0), {"censored_at": -3.0}, r"censored_at\[0\] = -3; it must be positive"),
        (([1, 2, 3], [1, 2, 4], 2.0), {"modelling": -1}, "modelling dispersion"),
        (([1, 2, 3], [1, 2, 4], 2.0), {"motions": "simulated"}, "motions must be recorded, synthetic, matched"),
        (([1, 2, 3], [1, 2, 4], 2.0), {"seed": 0.5}, "seed must be a whole number"),
        (([1, 2, 3], [1, 2, 4], 2.0), {"resamples": 1}, "resamples must be a whole number"),
    ],
)
def test_wrong_clouds_and_options_are_refused(arguments, options, says):
    with pytest.raises(InputError, match=says):
        Fragility.from_cloud(*arguments, **options)


def test_wrong_questions_are_refused(published):
    with pytest.raises(InputError, match=r"im\[1\] = 0"):
        published.probability([1.0, 0.0])
    with pytest.raises(InputError, match="level of a band"):
        published.band(1.0, 90)
    with pytest.raises(InputError, match="link must be one of probit, logit"):
        Fragility.glm(LEVELS, EXCEEDED, COUNT, link="cauchit")
