"""Inelastic spectra: points are what direct runs give, the strength is the largest, error bars hold."""

import bar_trial
import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError
from hamex.study.spectra.yielding import YieldingOscillators, parts_of

G = 9.80665
MOTION = hx.el_centro()
PERIODS = np.array([0.08, 0.3, 0.616, 1.298, 2.2, 5.0])


def ductility_of(period, strength, step, hardening=0.0, viscosity=0.0, motion=MOTION, damping=0.05):
    """Ductility and residual displacement of one run by ``solve``."""
    k = (2 * np.pi / period) ** 2
    law = hx.Slider(strength * G, viscosity=viscosity * k, kinematic=k * hardening / (1 - hardening))
    model = hx.oscillator(1, k, hx.ratio(damping), law)
    steps = round(40.0 / step)
    sol = hx.solve(hx.Problem(model, motion.on(model, g=G), steps * step), hx.Galerkin(step))
    return sol.peaks["ductility"].value


@pytest.fixture(scope="module")
def spec():
    return hx.spectrum(MOTION, PERIODS, 0.05, g=G, ductility=[2, 4, 8])


def test_every_point_reaches_its_ductility_in_a_run_of_its_own(spec):
    strength, steps = spec.values("strength")[0], spec.values("step")
    assert spec["strength"].dims == ("damping", "ductility", "period")
    for target, row in zip((2, 4, 8), strength, strict=True):
        for period, value, step in zip(PERIODS, row, steps, strict=True):
            assert ductility_of(period, value, step) == pytest.approx(target, rel=1e-4)
    assert spec.values("reached_ductility")[0] == pytest.approx(np.array([[2], [4], [8]]) * np.ones(6), rel=1e-4)


def test_no_larger_strength_gives_the_ductility(spec):
    yielding = YieldingOscillators(MOTION, PERIODS, 0.05, 0.0, 0.0, G)
    elastic = spec.values("strength_reduction")[0] * spec.values("strength")[0] * G
    for target, row, top in zip((2, 4, 8), spec.values("strength")[0] * G, elastic, strict=True):
        for i in range(len(PERIODS)):
            stronger = np.geomspace(row[i] * (1 + 1e-5), top[i], 400)
            found = yielding.run(np.full(400, i), stronger, ("ductility",))["ductility"]
            assert found.max() < target, (target, PERIODS[i])


def test_other_branches_are_given_on_request(spec):
    every = hx.spectrum(MOTION, PERIODS, 0.05, g=G, ductility=[2, 4, 8], branches=True)
    strength = every.values("strength")
    assert every["strength"].dims == ("damping", "ductility", "branch", "period")
    assert strength.shape[2] > 1  # at 2.2 s the curve turns back
    assert strength[:, :, 0] == pytest.approx(spec.values("strength"), rel=1e-5)
    there = ~np.isnan(strength)
    reached = every.values("reached_ductility") / np.array([2, 4, 8])[None, :, None, None]
    assert reached[there] == pytest.approx(1.0, rel=1e-3)
    assert np.isnan(reached[~there]).all()
    assert not (np.diff(strength, axis=2)[~np.isnan(np.diff(strength, axis=2))] > 0).any()


def test_a_strength_gives_what_a_run_gives():
    found = hx.spectrum(MOTION, PERIODS, [0.02, 0.05], g=G, strength=[0.05, 0.2], hardening=0.05, viscosity=0.002)
    assert found["displacement"].dims == ("damping", "strength", "period")
    for i, damping in enumerate((0.02, 0.05)):
        for j, strength in enumerate((0.05, 0.2)):
            for period, value, step in zip(
                PERIODS, found.values("reached_ductility")[i, j], found.values("step"), strict=True
            ):
                assert value == pytest.approx(
                    ductility_of(period, strength, step, 0.05, 0.002, damping=damping), rel=1e-9
                )
    uy = found.values("yield_displacement")
    assert found.values("displacement") == pytest.approx(found.values("reached_ductility") * uy, rel=1e-12)
    assert uy == pytest.approx(found.values("strength") * G / (2 * np.pi / PERIODS) ** 2, rel=1e-12)


def test_error_bars_cover_what_a_much_finer_run_says():
    found = hx.spectrum(MOTION, PERIODS, 0.05, g=G, strength=[0.1])
    fine = YieldingOscillators(MOTION, PERIODS, 0.05, 0.0, 0.0, G, finer=8)
    exact = fine.run(np.arange(6), np.full(6, 0.1 * G), ("displacement",))["displacement"]
    off = np.abs(found.values("displacement")[0, 0] - exact)
    assert (off <= 2 * found.values("displacement_error")[0, 0] + 1e-9).all()
    assert (off < 2e-3 * exact).all()
    assert (found.values("displacement_error") > 0).all()


def test_long_periods_follow_the_equal_displacement_rule():
    long = hx.spectrum(MOTION, [30.0], 0.05, g=G, ductility=[2, 4])
    assert long.values("strength_reduction")[0, :, 0] == pytest.approx([2, 4], rel=0.15)


def test_several_motions_stand_in_front():
    found = hx.spectrum([MOTION, MOTION.scaled(2)], [0.5, 1.0], g=G, ductility=[4])
    strength = found.values("strength")
    assert found["strength"].dims == ("motion", "damping", "ductility", "period")
    assert strength[1] == pytest.approx(2 * strength[0], rel=1e-5)


def test_results_do_not_depend_on_threads_or_company(spec):
    alone = hx.spectrum(MOTION, PERIODS[2:3], 0.05, g=G, ductility=[4], threads=1)
    assert alone.values("strength")[0, 0, 0] == spec.values("strength")[0, 1, 2]


def test_a_motion_that_does_not_move_is_refused():
    with pytest.raises(InputError, match="motion 0 is zero throughout"):
        hx.spectrum(hx.GroundMotion([0.0, 0.0], 0.01, "g"), [1.0], g=G, ductility=[2])


def test_the_kind_of_the_motions_is_told():
    synthetic = hx.GroundMotion(MOTION.acceleration, MOTION.step, "g", kind="synthetic")
    assert hx.spectrum([MOTION, synthetic], [1.0], g=G).attributes["motions"] == "recorded + synthetic"
    assert hx.spectrum(synthetic, [1.0], g=G, strength=[0.1]).attributes["motions"] == "synthetic"


def test_conventions_are_stated_and_saved(spec, tmp_path):
    assert "200 steps a period" in spec.attributes["steps"]
    assert "largest strength" in spec.attributes["search"]
    text = spec.save(tmp_path / "s.csv").read_text()
    assert "# steps: the record's step" in text
    assert text.count("\n") > 18
    assert [parts_of(T, 0.02) for T in (5.0, 1.0, 0.9, 0.5, 0.05)] == [4, 4, 6, 8, 96]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ductility": [2, 1.0]}, r"ductility\[1\] is 1"),
        ({"ductility": [np.nan]}, r"ductility\[0\] is nan"),
        ({"ductility": []}, "ductility must be a number or"),
        ({"strength": [0.0]}, r"strength\[0\] is 0"),
        ({"strength": [0.1], "ductility": [2]}, "either ductility or strength"),
        ({"strength": [0.1], "branches": True}, "branches are of a ductility"),
        ({"ductility": [2], "hardening": 1.0}, "hardening must be a number ≥ 0 and < 1"),
        ({"ductility": [2], "viscosity": -1.0}, "viscosity must be"),
        ({"ductility": [2], "across": MOTION}, "across is for elastic spectra"),
        ({"ductility": [2], "interpolation": "band-limited"}, "interpolation is for elastic spectra"),
        ({"ductility": [2], "peaks": "samples"}, "peaks is for elastic spectra"),
        ({"ductility": [2], "periods": [1.0, 0.0]}, r"periods\[1\] is 0"),
        ({"ductility": [2], "periods": [1e-5]}, "far below the record's step"),
    ],
)
def test_bad_input_is_refused(given, message):
    given = {"periods": [1.0], "g": G} | given
    with pytest.raises(InputError, match=message):
        hx.spectrum(MOTION, given.pop("periods"), **given)


@pytest.mark.heavy
def test_bars_cover_the_same_oscillators_at_a_32nd_of_the_step():
    """Random motions, dampings, hardenings, viscosities and strengths; half of the step alone covers 1 in 5."""
    rows = bar_trial.run("spectra", range(1001, 1009))
    for name in ("displacement", "residual_displacement"):
        covered, length, count, wrong = bar_trial.judged([numbers for _, each, *numbers in rows if each == name])
        assert wrong > 20, name
        assert covered >= 1 - 1.5 / count, name
        assert 1 < length < 5, name


class Known:
    """Oscillators whose ductility is a given function of their share of the elastic strength, which is 1."""

    periods = np.array([2 * np.pi])

    def __init__(self, curve):
        self.curve, self.asked = curve, 0

    def run(self, which, yields, measures):
        self.asked += len(which)
        return {measures[0]: np.ones(len(which)) if np.isinf(yields[0]) else self.curve(yields)}


def hump(share):
    """Falls with strength but for a hump at 0.8, which reaches 2.0008 and 1.979 at the points of the first scan."""
    return 1 / share + 0.75 * np.exp(-((np.log(share / 0.8) / 0.04) ** 2))


def wall(share):
    """Rises in a ten-thousandth of the strength, where no chord is a good guess."""
    return 1 / share**0.1 + 1.5 * (1 - np.tanh((share - 0.37) / 2e-5))


@pytest.mark.parametrize(
    ("curve", "target", "most"), [(hump, 1.99, 300), (wall, 3.5, 300), (lambda x: 1 / x, 8.0, 200)]
)
def test_the_search_finds_the_largest_root_of_a_known_curve(curve, target, most):
    from hamex.study.spectra.yielding import strengths

    known = Known(curve)
    found = strengths(known, np.array([target]), branches=False).yields[0, 0, 0]
    fine = np.geomspace(1.0, 0.1, 2_000_001)
    exact = fine[np.argmax(curve(fine) >= target)]
    assert found == pytest.approx(exact, rel=3e-6)
    assert known.asked < most
