"""Motions chosen from a suite: against brute force, within their limits, the same every time."""

from itertools import combinations

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError
from hamex.study.spectra.targets.matching import best_mean
from hamex.study.spectra.targets.target import Target, eurocode8, response, scale_to_target

PERIODS = np.geomspace(0.1, 2.0, 20)
FLAT = Target.from_points([0.05, 4.0], [1.0, 1.0])


def distance(ratios):
    return np.sqrt(np.mean(np.log(ratios.mean(axis=0)) ** 2))


def made_up(seed, count=12):
    """Spectra over target of motions that scatter as recorded ones do: 0.5 in ln, periods not independent."""
    rng = np.random.default_rng(seed)
    waves = np.array([np.cos(k * np.linspace(0, np.pi, len(PERIODS))) for k in range(5)])
    return np.exp(rng.normal(0, 0.25, (count, 5)) @ waves)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.chief("1", "3")
def test_the_choice_is_the_best_of_all_choices_or_close_to_it(count):
    found, best, chance = [], [], []
    for seed in range(20):
        ratios = made_up(seed)
        found.append(distance(ratios[best_mean(ratios, count)]))
        best.append(min(distance(ratios[list(each)]) for each in combinations(range(12), count)))
        chance.append(np.mean([distance(ratios[list(each)]) for each in combinations(range(12), count)]))
    found, best = np.array(found), np.array(best)
    assert (found >= best * (1 - 1e-12)).all()
    # Own figures: the best of all 792 choices of five in 19 of 20 suites, within 12 % of it in the other.
    assert np.count_nonzero(found < best * (1 + 1e-9)) >= (20 if count < 5 else 18)
    assert (found / best).max() < 1.2
    assert found.mean() < 0.6 * np.mean(chance)


def test_no_single_exchange_brings_the_mean_closer():
    ratios = made_up(3, 30)
    taken = best_mean(ratios, 7)
    assert len(set(taken)) == 7
    now = distance(ratios[taken])
    for place in range(7):
        for other in set(range(30)) - set(taken):
            changed = [*taken[:place], other, *taken[place + 1 :]]
            assert distance(ratios[changed]) >= now * (1 - 1e-8)


def test_of_records_the_spectra_and_factors_are_those_of_the_motions():
    suite = hx.synthetic_suite(10, seed=4)
    target = eurocode8(0.25, "B")
    found = hx.select_to_target(suite, target, 4, PERIODS, limits=(0.5, 2.0))
    free = scale_to_target(suite, target, PERIODS)
    assert found.chosen == tuple(sorted(found.chosen))
    for place, factor, motion in zip(found.chosen, found.factors, found.motions, strict=True):
        assert factor == pytest.approx(np.clip(free.factors[place], 0.5, 2.0), rel=1e-12)
        assert motion.acceleration == pytest.approx(factor * suite[place].acceleration, rel=1e-12)
    assert response(found.motions, PERIODS, 0.05) == pytest.approx(found.spectra, rel=1e-9)
    assert found.spread == pytest.approx(np.log(found.spectra).std(axis=0, ddof=1))
    assert found.suite_error == pytest.approx(distance(found.spectra / found.wanted))
    again = hx.select_to_target(suite, target, 4, PERIODS, limits=(0.5, 2.0))
    assert again.chosen == found.chosen
    assert again.factors.tobytes() == found.factors.tobytes()


def test_limits_hold_even_where_no_motion_comes_close():
    found = hx.select_to_target(
        [], FLAT, 2, [0.2, 0.5], limits=(0.5, 2.0), spectra=[[0.1, 0.1], [9.0, 9.0], [0.2, 0.3]]
    )
    assert found.factors.min() >= 0.5
    assert found.factors.max() <= 2.0
    assert hx.select_to_target([], FLAT, 1, [0.2, 0.5], spectra=[[0.5, 0.5]]).spread.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"count": 0}, "count must be a whole number"),
        ({"count": 3}, "asks for 3 motions, and there are 2"),
        ({"limits": (2.0, 0.5)}, "smallest and the largest factor"),
        ({"limits": 2.0}, "smallest and the largest factor"),
        ({"limits": (0.0, 1.0)}, "smallest and the largest factor"),
        ({"periods": [0.5, 0.2]}, "rising"),
    ],
)
def test_wrong_options_are_refused(options, says):
    asked = {"count": 1, "periods": [0.2, 0.5], "spectra": [[0.5, 0.5], [1.0, 1.0]]} | options
    with pytest.raises(InputError, match=says):
        hx.select_to_target([], FLAT, **asked)
