"""Intensity measures of a motion: units, definitions, and what other parts of the package say of the same motion."""

import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError, LoadError, UnitError
from hamex.motion import integrals as im
from hamex.study.spectra.intensities import HOUSNER, PERIODS, histories, intensities

G = 9.80665
MOTION = hx.el_centro()


@pytest.fixture(scope="module")
def measured():
    return intensities(MOTION, G, periods=[0.2, 0.5, 1.0], length="m")


def exact_sa(motion, period, damping=0.05):
    """Pseudo-acceleration [g] by the exact piecewise-linear run of one oscillator, at a fine step to meet the peak."""
    omega = 2 * math.pi / period
    model = hx.oscillator(1.0, omega**2, damping=hx.ratio(damping))
    step = motion.step / 20
    steps = round((motion.duration + 1.0 + period) / step)
    solution = hx.solve(hx.Problem(model, motion.on(model, g=1.0), duration=steps * step), hx.PiecewiseExact(step))
    return omega**2 * float(np.abs(solution.values("displacement")).max())


@pytest.mark.parametrize("place", range(3))
def test_sa_is_what_an_oscillator_feels(measured, place):
    assert measured["Sa"][place] == pytest.approx(exact_sa(MOTION, measured.periods[place]), rel=2e-3)


def test_average_sa_is_the_geometric_mean_over_the_periods(measured):
    assert measured["Sa_avg"] == pytest.approx(float(np.prod(measured["Sa"])) ** (1 / 3), rel=1e-12)


def test_housner_integrates_pseudo_velocity_from_a_tenth_to_two_and_a_half_seconds(measured):
    assert (HOUSNER[0], HOUSNER[-1], len(HOUSNER)) == (0.1, 2.5, 241)
    coarse = np.linspace(0.1, 2.5, 61)
    sa = intensities(MOTION, G, periods=coarse)["Sa"]
    expected = np.trapezoid(sa * G * coarse / (2 * np.pi), coarse)
    assert measured["Housner"] == pytest.approx(expected, rel=0.01)


def test_time_domain_measures_are_those_of_the_motion_layer(measured):
    a = MOTION.acceleration * G
    assert measured["PGA"] == pytest.approx(MOTION.peak, rel=1e-14)
    assert measured["PGV"] == im.peak_velocity(a, 0.02)
    assert measured["PGD"] == im.peak_displacement(a, 0.02)
    assert measured["Arias"] == im.arias(a, 0.02, G)
    assert measured["CAV"] == im.cumulative_absolute_velocity(a, 0.02)
    assert measured["D5-75"] == im.significant_duration(a, 0.02, 0.05, 0.75)
    assert measured["D5-95"] == im.significant_duration(a, 0.02, 0.05, 0.95)
    assert measured["FIV3"].tolist() == [im.fiv3(a, 0.02, T) for T in (0.2, 0.5, 1.0)]


def test_the_rule_of_the_integrals_is_named_and_the_other_is_offered(measured):
    assert measured.rule == "trapezoid"
    assert all("trapezoidal rule" in measured.meanings[name] for name in ("Arias", "CAV"))
    lines = intensities(MOTION, G, periods=[0.2], rule="lines")
    a = MOTION.acceleration * G
    assert (lines.rule, lines["Arias"]) == ("lines", im.arias(a, 0.02, G, "lines"))
    assert lines["CAV"] == im.cumulative_absolute_velocity(a, 0.02, "lines")
    assert lines["D5-95"] == im.significant_duration(a, 0.02, 0.05, 0.95, "lines")
    assert all("straight lines" in lines.meanings[name] for name in ("Arias", "CAV"))
    with pytest.raises(InputError, match="rule must be one of trapezoid, lines, got 'simpson'"):
        intensities(MOTION, G, rule="simpson")


def test_every_measure_has_a_unit_and_a_meaning(measured):
    assert list(measured) == ["PGA", "PGV", "PGD", "Arias", "CAV", "D5-75", "D5-95", "Sa", "Sa_avg", "Housner", "FIV3"]
    assert set(measured.units) == set(measured.meanings) == set(measured)
    assert {name: measured.units[name] for name in ("PGA", "PGV", "PGD", "Arias", "D5-95", "Housner")} == {
        "PGA": "g",
        "PGV": "m/s",
        "PGD": "m",
        "Arias": "m/s",
        "D5-95": "s",
        "Housner": "m",
    }
    assert intensities(MOTION, G, periods=[1.0]).units["PGV"] == "length/s"
    assert len(measured) == 11


@pytest.mark.parametrize(
    ("unit", "g", "length", "factor"), [("g", 386.0885826771654, "in", 1 / 0.0254), ("cm/s2", G, "m", 1.0)]
)
def test_measures_do_not_depend_on_the_units_of_the_record_or_of_the_user(measured, unit, g, length, factor):
    found = intensities(MOTION.converted(unit), g, periods=[0.2, 0.5, 1.0], length=length)
    for name in measured:
        scale = 1.0 if measured.units[name] in ("g", "s") else factor
        assert np.asarray(found[name]) == pytest.approx(scale * np.asarray(measured[name]), rel=1e-9), name


def test_default_periods_are_those_that_the_record_is_long_enough_for():
    assert intensities(MOTION, G).periods.tolist() == list(PERIODS)
    short = hx.GroundMotion(MOTION.acceleration[:50], 0.02, "g")
    assert intensities(short, G).periods.tolist() == [T for T in PERIODS if 0.7 * T < 0.98]


def test_silence_has_no_intensity():
    found = intensities(hx.GroundMotion(np.zeros(300), 0.01, "g"), G, periods=[0.5, 1.0])
    assert all(np.all(np.asarray(found[name]) == 0) for name in found)


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"g": 0}, LoadError, "intensities: g must be positive"),
        ({"g": "si"}, LoadError, "intensities: g must be positive"),
        ({"g": G, "periods": []}, LoadError, "intensities: periods must be positive"),
        ({"g": G, "periods": [0.5, -1]}, LoadError, "intensities: periods must be positive"),
        ({"g": G, "periods": "one"}, LoadError, "intensities: periods must be positive"),
        ({"g": G, "periods": [math.nan]}, LoadError, "intensities: periods must be positive"),
        ({"g": G, "periods": [60.0]}, LoadError, "FIV3 at 60 s needs a record longer"),
        ({"g": G, "length": "furlong"}, UnitError, "unknown unit of length 'furlong'"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, told):
    with pytest.raises(error, match=told):
        intensities(MOTION, **arguments)


def test_histories_for_a_picture_agree_with_the_measures(measured):
    found = histories(MOTION, G)
    assert len(found.times) == len(found.velocity) == len(found.displacement) == len(found.husid) == 1561
    assert np.abs(found.acceleration).max() == pytest.approx(measured["PGA"], rel=1e-14)
    assert found.peaks["velocity"] == measured["PGV"]
    assert found.peaks["velocity"] >= np.abs(found.velocity).max()
    assert (found.husid[0], found.husid[-1]) == (0.0, 1.0)
    assert np.all(np.diff(found.husid) >= 0)
    some = slice(40, 44)
    assert found.pseudo_acceleration[some] == pytest.approx(
        intensities(MOTION, G, found.periods[some])["Sa"], rel=1e-12
    )
