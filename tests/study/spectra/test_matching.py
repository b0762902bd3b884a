"""Motions matched to a target: close to it, labelled, at rest in the end, the same every time."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError, MatchWarning
from hamex.motion.integrals import displacement, significant_duration, velocity
from hamex.study.spectra.targets.matching import match_to_target, matched_suite
from hamex.study.spectra.targets.target import Target, asce7, eurocode8, response

TARGET = eurocode8(0.3, "B")


@pytest.fixture(scope="module")
def match():
    with pytest.warns(MatchWarning):  # 5 % at every one of 100 periods is more than this method reaches
        return match_to_target(hx.el_centro(), TARGET)


def test_a_record_follows_the_target_within_a_few_per_cent(match):
    assert match.history[0] > 0.15
    assert match.deviation < 0.04
    assert match.largest < 0.15
    assert match.deviation == pytest.approx(match.history.min(), rel=1e-12)


def test_the_deviation_said_is_that_of_the_motion(match):
    again = response([match.motion], match.periods, TARGET.damping)[0]
    assert again == pytest.approx(match.spectrum, rel=1e-12)
    assert match.wanted == pytest.approx(TARGET.acceleration(match.periods), rel=1e-15)
    assert f"deviation {100 * match.deviation:.1f} % rms" in match.motion.source


def test_between_the_periods_it_follows_too(match):
    periods = np.geomspace(0.06, 3.9, 173)
    off = np.log(response([match.motion], periods, TARGET.damping)[0] / TARGET.acceleration(periods))
    assert np.sqrt(np.mean(off**2)) < 0.05


def test_it_is_labelled_and_keeps_unit_step_and_length(match):
    motion, start = match.motion, hx.el_centro()
    assert motion.kind == "matched"
    assert motion.source.startswith(start.source)
    assert "EN 1998-1 type 1" in motion.source
    assert (motion.unit, motion.step, len(motion.acceleration)) == (start.unit, start.step, len(start.acceleration))


def test_it_ends_at_rest_and_is_still_the_same_earthquake(match):
    a, step = match.motion.acceleration, match.motion.step
    v, d = velocity(a, step), displacement(a, step)
    assert abs(v[-1]) < 1e-12 * np.abs(v).max()
    assert abs(d[-1]) < 1e-10 * np.abs(d).max()
    start = hx.el_centro().acceleration
    assert np.corrcoef(a, start)[0, 1] > 0.7
    assert significant_duration(a, step, 0.05, 0.95) == pytest.approx(
        significant_duration(start, step, 0.05, 0.95), rel=0.25
    )


@pytest.mark.filterwarnings("ignore::hamex.errors.MatchWarning")
def test_the_same_motion_in_another_unit_gives_the_same_match(match):
    other = match_to_target(hx.el_centro().converted("m/s2"), TARGET, iterations=5)
    same = match_to_target(hx.el_centro(), TARGET, iterations=5)
    assert other.deviation == pytest.approx(same.deviation, rel=1e-6)
    assert other.motion.acceleration == pytest.approx(9.80665 * same.motion.acceleration, abs=1e-6)
    assert (
        same.motion.acceleration.tobytes()
        == match_to_target(hx.el_centro(), TARGET, iterations=5).motion.acceleration.tobytes()
    )


@pytest.mark.filterwarnings("ignore::hamex.errors.MatchWarning")
def test_a_suite_by_target_spectrum():
    target = asce7(1.0, 0.6)
    suite = matched_suite(2, target, seed=1, magnitude=7.0, iterations=12)
    assert [motion.kind for motion in suite] == ["matched", "matched"]
    assert (
        suite[0].acceleration.tobytes()
        == matched_suite(1, target, seed=1, magnitude=7.0, iterations=12)[0].acceleration.tobytes()
    )
    periods = np.geomspace(0.1, 3.0, 40)
    for row in response(suite, periods, 0.05):
        assert np.sqrt(np.mean(np.log(row / target.acceleration(periods)) ** 2)) < 0.06
    assert "seed 1, motion 1; matched to ASCE 7" in suite[1].source


def test_it_stops_at_its_tolerance_and_looks_only_where_asked():
    early = match_to_target(hx.el_centro(), TARGET, np.geomspace(0.2, 2.0, 20), tolerance=0.15)
    assert early.largest <= 0.15
    assert len(early.history) < 10
    assert early.periods[0] == 0.2
    # By default a target through points is matched where it is defined.
    short = match_to_target(hx.el_centro(), Target.from_points([0.1, 0.3, 1.0], [0.5, 0.8, 0.3]), tolerance=0.5)
    assert short.periods[0] == pytest.approx(0.1)
    assert short.periods[-1] == pytest.approx(1.0)


def test_a_missed_tolerance_is_said_and_kept(match):
    with pytest.warns(MatchWarning, match="the tolerance is 5 %") as said:
        short = match_to_target(hx.el_centro(), TARGET, iterations=3)
    worst = np.abs(np.log(short.spectrum / short.wanted)).argmax()
    assert f"by up to {100 * short.largest:.1f} %, at {short.periods[worst]:.3g} s" in str(said[0].message)
    assert (short.reached, short.tolerance, match.reached) == (False, 0.05, False)
    assert match_to_target(hx.el_centro(), TARGET, tolerance=1.001 * short.largest).reached


def test_a_suite_says_once_how_many_of_it_missed():
    with pytest.warns(MatchWarning, match=r"matched_suite: 3 of 3 motions .* 0\.1 %") as said:
        matched_suite(3, TARGET, seed=1, iterations=2, tolerance=0.001)
    assert len(said) == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"iterations": 0}, "iterations must be a whole number"),
        ({"tolerance": 0.0}, "tolerance must be a positive"),
        ({"periods": [1.0, 0.5]}, "periods must be two or more"),
        ({"periods": [0.5, 5.0]}, "defined from 0 to 4 s"),
    ],
)
def test_wrong_options_are_refused(options, says):
    with pytest.raises(InputError, match=says):
        match_to_target(hx.el_centro(), TARGET, **options)


def test_nothing_cannot_be_matched():
    with pytest.raises(InputError, match="zero throughout"):
        match_to_target(hx.GroundMotion(np.zeros(100), 0.01, "g"), TARGET)
