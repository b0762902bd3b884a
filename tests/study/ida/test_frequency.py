"""Mean annual frequency against its closed form, with what a finite hazard curve leaves out."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from hamex.errors import InputError
from hamex.study.ida.fragility import Fragility, annual_frequency

FOUND = Fragility.from_capacities(
    [0.5, 0.8, 1.0, 1.3, 2.2], limit="drift ratio > 0.04", motions="synthetic", modelling=0.2, resamples=200
)


def closed_form(k0, k, fragility):
    return k0 * fragility.median**-k * math.exp(0.5 * k**2 * fragility.total_dispersion**2)


@pytest.mark.parametrize("k", [0.5, 1.0, 2.5, 4.0])
@pytest.mark.parametrize("points", [2, 7, 200])
@pytest.mark.every_value
def test_a_power_law_hazard_gives_the_closed_form(k, points):
    """Between hazard points λ is a power, so that even two points are exact; the rest is what the ends leave out."""
    im = np.geomspace(1e-4, 1e4, points)
    rate = annual_frequency(FOUND, im, 3e-4 * im**-k)
    exact = closed_form(3e-4, k, FOUND)
    assert rate.rate + rate.below <= exact * (1 + 1e-12)
    assert exact - rate.rate - rate.below <= rate.above * (1 + 1e-9) + 1e-12 * exact
    if k >= 2.5:
        assert rate.rate == pytest.approx(exact, rel=2e-10)


def test_what_lies_outside_the_curve_is_stated():
    im = np.geomspace(0.4, 3.0, 10)
    part = annual_frequency(FOUND, im, 3e-4 * im**-2.0)
    exact = closed_form(3e-4, 2.0, FOUND)
    assert part.rate < 0.85 * exact
    assert part.above == pytest.approx(3e-4 * 3.0**-2, rel=1e-15)
    assert part.rate + part.below < exact < part.rate + part.below + part.above
    # Above the last intensity the fragility is nearly 1, so that the bound is nearly what is missing.
    assert exact - part.rate - part.below == pytest.approx(part.above, rel=0.02)


@pytest.mark.parametrize("spread", [1e-3, 0.02, 0.3, 1.5])
def test_a_steep_fragility_is_seen_by_the_quadrature(spread):
    """Far above the median P is 1, so that the bound ``above`` is what is missing, to the last digits."""
    steep = Fragility.from_capacities(np.exp([-spread, 0, spread]), resamples=20)
    whole = annual_frequency(steep, [1e-6, 1e6], [3e2, 3e-10])
    assert whole.rate + whole.below + whole.above == pytest.approx(closed_form(3e-4, 1.0, steep), rel=1e-11)


@pytest.mark.parametrize("make", ["logit", "cloud"])
def test_other_fragilities_agree_with_adaptive_quadrature(make):
    if make == "logit":
        found = Fragility.glm([0.3, 0.6, 1.2, 2.4], [1, 8, 15, 19], 20, link="logit", resamples=50)
    else:
        rng = np.random.default_rng(0)
        im = np.exp(rng.normal(-0.5, 0.7, 120))
        fell = rng.random(120) < stats.norm.cdf(np.log(im / 1.2) / 0.5)
        demand = 0.02 * im * np.exp(rng.normal(0, 0.3, 120))
        found = Fragility.from_cloud(im, demand, 0.03, collapsed=fell, resamples=50)
    x, rate = np.array([0.05, 0.3, 1.0, 6.0]), np.array([0.2, 0.02, 1e-3, 1e-6])
    k = -np.diff(np.log(rate)) / np.diff(np.log(x))
    expected = sum(
        integrate.quad(
            lambda u, i=i: (
                float(found.probability(math.exp(u))) * k[i] * rate[i] * math.exp(-k[i] * (u - math.log(x[i])))
            ),
            math.log(x[i]),
            math.log(x[i + 1]),
            epsabs=0,
            epsrel=1e-11,
        )[0]
        for i in range(3)
    )
    answer = annual_frequency(found, x, rate)
    assert answer.rate == pytest.approx(expected, rel=1e-9)
    assert answer.low < answer.rate < answer.high
    # The part below, with the first slope.
    below = integrate.quad(
        lambda u: float(found.probability(math.exp(u))) * k[0] * rate[0] * math.exp(-k[0] * (u - math.log(x[0]))),
        math.log(x[0]) - 60,
        math.log(x[0]),
        epsabs=0,
        epsrel=1e-9,
        limit=500,
    )[0]
    assert answer.below == pytest.approx(below, rel=1e-6)


def test_a_log_logistic_tail_that_never_ends_is_said_to_be_infinite():
    """im^(π/√3β) against im^−k: with k above the first exponent, small intensities never stop adding up."""
    found = Fragility.glm([0.3, 0.6, 1.2, 2.4], [4, 8, 13, 15], 20, link="logit", resamples=50)
    assert math.pi / math.sqrt(3) / found.dispersion < 3
    assert annual_frequency(found, [0.1, 1.0], [1.0, 1e-3]).below == math.inf
    # Just short of that, it is finite and grows without bound: Γ(1 + k/s) Γ(1 − k/s) in all, s = π/√3β.
    steep = math.pi / math.sqrt(3) / found.dispersion
    for share in (0.5, 0.99, 0.999):
        k = share * steep
        some = annual_frequency(found, [0.1, 1e8], [0.1**-k, 1e-8**k])
        exact = found.median**-k * math.gamma(1 + share) * math.gamma(1 - share)
        assert some.rate + some.below + some.above == pytest.approx(exact, rel=1e-9)


def test_a_flat_piece_of_hazard_adds_nothing():
    flat = annual_frequency(FOUND, [0.1, 0.5, 0.9, 5.0], [0.1, 0.01, 0.01, 1e-4])
    left = annual_frequency(FOUND, [0.1, 0.5], [0.1, 0.01])
    right = annual_frequency(FOUND, [0.9, 5.0], [0.01, 1e-4])
    assert flat.rate == pytest.approx(left.rate + right.rate, rel=1e-14)


def test_labels_and_probability_in_years():
    rate = annual_frequency(FOUND, [0.1, 10.0], [0.1, 1e-5])
    assert (rate.limit, rate.motions) == ("drift ratio > 0.04", "synthetic")
    assert float(rate) == rate.rate
    assert rate.probability(50) == pytest.approx(1 - math.exp(-50 * rate.rate), rel=1e-12)


@pytest.mark.parametrize(
    ("im", "rate", "says"),
    [
        ([1.0, 0.5], [0.1, 0.01], r"hazard_im\[1\] = 0\.5; it must be above the one before"),
        ([0.5, 1.0], [0.1, 0.2], r"hazard_rate\[1\] = 0\.2; it must not be above"),
        ([0.5, 1.0], [0.1, 0.0], r"hazard_rate\[1\] = 0"),
        ([0.5, 1.0, 2.0], [0.1, 0.01], "3 intensities and 2 rates"),
        ([0.5], [0.1], "n ≥ 2"),
    ],
)
def test_wrong_hazard_curves_are_refused(im, rate, says):
    with pytest.raises(InputError, match=says):
        annual_frequency(FOUND, im, rate)
