"""Processing: what each step promises, and that units, labels and sources go with it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hamex as hx
from hamex.errors import LoadError
from hamex.motion.integrals import husid, velocity

STEP = 0.01
T = np.arange(2001) * STEP
MOTION = hx.GroundMotion(
    np.sin(2 * np.pi * T) * np.exp(-(((T - 8) / 3) ** 2)), STEP, "cm/s2", "made up", "NS", "synthetic"
)


def with_samples(a, step=STEP):
    return hx.GroundMotion(a, step, "g", "made up")


@pytest.mark.parametrize(
    ("method", "arguments", "note"),
    [
        ("detrended", {"trend": "mean"}, "detrended (mean)"),
        ("detrended", {}, "detrended (linear)"),
        ("baselined", {"degree": 3}, "baseline corrected (degree 3 in velocity)"),
        ("filtered", {"low": 0.1, "high": 20.0}, "filtered (0.1–20 Hz, order 4, zero phase)"),
        ("filtered", {"high": 20.0, "order": 2}, "filtered (–20 Hz, order 2, zero phase)"),
        ("resampled", {"step": 0.005}, "resampled to 0.005 s (linear)"),
        ("resampled", {"step": 0.02}, "resampled to 0.02 s (anti-aliased)"),
        ("resampled", {"step": 0.005, "band_limited": True}, "resampled to 0.005 s (band-limited)"),
        ("trimmed", {}, "trimmed to 5–95 % of Arias intensity"),
        ("padded", {"before": 1, "after": 2}, "padded by 1 and 2 s"),
    ],
)
def test_every_step_is_a_copy_that_keeps_its_labels_and_says_what_was_done(method, arguments, note):
    before = MOTION.acceleration.copy()
    after = getattr(MOTION, method)(**arguments)
    assert (after.unit, after.component, after.kind) == ("cm/s2", "NS", "synthetic")
    assert after.source == f"made up; {note}"
    assert np.array_equal(MOTION.acceleration, before)
    assert getattr(hx.GroundMotion(before, STEP, "g"), method)(**arguments).source == note


def test_scaling_and_conversion_keep_labels_too():
    assert (MOTION.scaled(2).component, MOTION.scaled(2).kind) == ("NS", "synthetic")
    converted = MOTION.converted("g")
    assert (converted.unit, converted.component, converted.kind, converted.source) == (
        "g",
        "NS",
        "synthetic",
        "made up",
    )
    assert converted.acceleration == pytest.approx(MOTION.acceleration / 980.665, rel=1e-14)


@pytest.mark.parametrize(
    ("unit", "metres"),
    [
        ("g", 9.80665),
        ("m/s2", 1.0),
        ("cm/s2", 0.01),
        ("gal", 0.01),
        ("mm/s2", 0.001),
        ("in/s2", 0.0254),
        ("ft/s2", 0.3048),
    ],
)
def test_conversion_by_definition(unit, metres):
    assert hx.GroundMotion([1.0], STEP, unit).converted("m/s2").acceleration[0] == pytest.approx(metres, rel=1e-15)
    assert hx.GroundMotion([metres], STEP, "m/s2").converted(unit).acceleration[0] == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("kind", ["real", "", None, "Recorded"])
def test_kinds_are_three(kind):
    with pytest.raises(LoadError, match="GroundMotion: kind must be one of recorded, synthetic, matched, got"):
        hx.GroundMotion([0.0], STEP, "g", kind=kind)
    assert hx.GroundMotion([0.0], STEP, "g").kind == "recorded"
    assert hx.GroundMotion([0.0], STEP, "g", "s", "NS", "matched").kind == "matched"


def test_a_trend_is_taken_out_and_what_has_none_stays():
    line = with_samples(3.0 - 0.2 * T)
    assert np.abs(line.detrended().acceleration).max() < 1e-13
    assert line.detrended("mean").acceleration == pytest.approx(line.acceleration - line.acceleration.mean(), abs=1e-13)
    without = line.detrended()
    wave = with_samples(np.sin(T)).detrended()
    assert wave.detrended().acceleration == pytest.approx(wave.acceleration, abs=1e-12)
    assert abs(wave.acceleration.mean()) < 1e-14
    assert without.duration == line.duration
    assert with_samples([2.0]).detrended().acceleration.tolist() == [0.0]
    assert with_samples([2.0, 4.0]).detrended().acceleration.tolist() == [-1.0, 1.0]


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_a_drift_of_the_velocity_is_taken_out(degree):
    """External: a linear acceleration has the velocity bt + ct²/2, which the fit meets exactly."""
    drift = with_samples(0.01 - 0.002 * T)
    corrected = drift.baselined(degree)
    assert np.abs(corrected.acceleration).max() < 1e-12
    both = with_samples(drift.acceleration + MOTION.acceleration).baselined(degree)
    alone = with_samples(MOTION.acceleration).baselined(degree)
    assert both.acceleration == pytest.approx(alone.acceleration, abs=1e-12)


def test_baseline_of_degree_one_leaves_a_velocity_without_slope():
    corrected = with_samples(0.01 - 0.002 * T).baselined(1)
    v = velocity(corrected.acceleration, STEP)[:-1]
    assert abs(v @ T) < 1e-9 * np.abs(v).max() * len(T) * T[-1]
    assert np.abs(v).max() > 1e-3


@pytest.mark.parametrize(("frequency", "expected"), [(0.5, 0.5), (8.0, 0.5), (2.0, 1.0), (0.1, 0.0), (24.0, 0.0)])
def test_gain_and_phase_of_the_band_pass(frequency, expected):
    """External: a Butterworth filter halves the power at its corners, so two runs halve the amplitude."""
    t = np.arange(24001) * STEP
    wave = np.cos(2 * np.pi * frequency * t)
    out = with_samples(wave).filtered(0.5, 8.0).acceleration
    middle = slice(8000, 16000)
    assert out[middle] == pytest.approx(expected * wave[middle], abs=2e-3)


def test_one_sided_filters():
    t = np.arange(12001) * STEP
    slow, fast = np.cos(2 * np.pi * 0.1 * t), np.cos(2 * np.pi * 10 * t)
    middle = slice(4000, 8000)
    assert with_samples(slow + fast).filtered(high=1.0).acceleration[middle] == pytest.approx(slow[middle], abs=1e-3)
    assert with_samples(slow + fast).filtered(low=1.0).acceleration[middle] == pytest.approx(fast[middle], abs=1e-3)


def test_a_filter_is_linear_and_the_same_forward_and_backward():
    a = MOTION.acceleration
    out = MOTION.filtered(0.2, 10).acceleration
    assert with_samples(a[::-1]).filtered(0.2, 10).acceleration == pytest.approx(out[::-1], abs=1e-9)
    assert MOTION.scaled(3).filtered(0.2, 10).acceleration == pytest.approx(3 * out, abs=1e-12)


def test_padding_before_filtering_keeps_what_the_filter_spreads():
    """The zeros are those of the filter's own: a padded record filtered is the filtered record, and more beside it."""
    kick = with_samples(np.r_[1.0, np.zeros(200)])
    wide = kick.padded(20, 20).filtered(0.5, 10)
    assert wide.acceleration[2000:2201] == pytest.approx(kick.filtered(0.5, 10).acceleration, abs=1e-6)
    assert np.abs(wide.acceleration[1950:2000]).max() > 0.01


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=30), st.sampled_from([1, 2, 3, 5, 8]))
def test_a_finer_linear_record_is_the_very_same_motion(samples, parts):
    motion = with_samples(samples, 0.02)
    fine = motion.resampled(0.02 / parts)
    assert len(fine.acceleration) == parts * len(samples)
    assert fine.acceleration[::parts] == pytest.approx(samples, abs=1e-12)
    model = hx.oscillator(1.0, 1.0)
    steps = 3 * len(samples) + 3
    loads = [each.on(model, g=1.0).node_values(0.007, steps, quiet=True) for each in (motion, fine)]
    assert loads[1] == pytest.approx(loads[0], abs=1e-11)


def test_a_coarser_record_shows_no_ghost_of_what_was_too_fast():
    t = np.arange(8001) * 0.005
    slow, fast = np.sin(2 * np.pi * 1.0 * t), np.sin(2 * np.pi * 48.0 * t)  # 48 Hz at 0.02 s looks like 2 Hz
    coarse = with_samples(slow + fast, 0.005).resampled(0.02)
    middle = slice(200, 1800)
    assert coarse.step == 0.02
    assert coarse.acceleration[middle] == pytest.approx(slow[::4][middle], abs=1e-3)
    plain = (slow + fast)[::4]
    assert np.abs(plain[middle] - slow[::4][middle]).max() > 0.9


def test_band_limited_samples_follow_the_wave_where_lines_cut_its_tops():
    t = np.arange(400) * 0.02
    wave = np.sin(2 * np.pi * 8 * t) * np.exp(-(((t - 4) / 1) ** 2))
    fine_t = np.arange(1600) * 0.005
    exact = np.sin(2 * np.pi * 8 * fine_t) * np.exp(-(((fine_t - 4) / 1) ** 2))
    motion = with_samples(wave, 0.02)
    smooth = motion.resampled(0.005, band_limited=True).acceleration
    assert smooth == pytest.approx(exact, abs=1e-6)
    assert smooth[::4] == pytest.approx(wave, abs=1e-12)
    assert np.abs(motion.resampled(0.005).acceleration - exact).max() > 0.1


def test_the_end_of_a_band_limited_record_is_no_neighbour_of_its_start():
    late = with_samples(np.r_[np.zeros(99), 1.0], 0.02).resampled(0.01, band_limited=True).acceleration
    assert np.abs(late[:4]).max() < 0.02
    assert abs(late[197]) > 0.5


def test_the_same_step_changes_nothing():
    assert np.array_equal(MOTION.resampled(STEP).acceleration, MOTION.acceleration)


@given(
    st.lists(st.floats(-10, 10), min_size=2, max_size=40).filter(lambda a: max(map(abs, a)) > 0.1),
    st.floats(0, 0.45),
    st.floats(0.55, 1),
)
def test_what_is_trimmed_held_less_than_the_shares_say(samples, low, high):
    motion = with_samples(samples)
    cut = motion.trimmed((low, high))
    energy, kept = husid(motion.acceleration, STEP, "lines")[-1], cut.acceleration
    place = next(i for i in range(len(samples)) if samples[i : i + len(kept)] == kept.tolist())
    before = husid(motion.acceleration, STEP, "lines")
    assert before[place] <= low * energy + 1e-12 * energy
    assert before[min(place + len(kept), len(samples))] >= high * energy - 1e-12 * energy


def test_trimming_to_all_takes_only_the_silence_off():
    quiet = with_samples([0.0] * 50 + [1.0, -2.0, 3.0] + [0.0] * 70)
    assert quiet.trimmed((0, 1)).acceleration.tolist() == [0.0, 1.0, -2.0, 3.0, 0.0]


def test_pads_are_zeros_of_at_least_the_length():
    padded = with_samples([1.0, 2.0], 0.02).padded(before=0.05, after=0.02)
    assert padded.acceleration.tolist() == [0, 0, 0, 1, 2, 0]
    assert with_samples([1.0, 2.0], 0.1).padded(after=0.3).acceleration.tolist() == [1, 2, 0, 0, 0]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda m: m.detrended("cubic"), 'detrended: trend must be "mean" or "linear", got \'cubic\''),
        (lambda m: m.baselined(0), "baselined: degree must be a whole number from 1 to 6, got 0"),
        (lambda m: m.baselined(2.0), "baselined: degree must be a whole number"),
        (
            lambda m: with_samples([1.0, 2.0]).baselined(2),
            "baselined: 2 samples are too few for a polynomial of degree 2",
        ),
        (lambda m: m.filtered(), "filtered: give low, high or both"),
        (lambda m: m.filtered(5, 2), "filtered: low must be below high, got 5 and 2 Hz"),
        (lambda m: m.filtered(0, 2), "filtered: low must lie between 0 and 50 Hz"),
        (lambda m: m.filtered(1, 50), "filtered: high must lie between 0 and 50 Hz, half the sampling rate; got 50"),
        (lambda m: m.filtered(1, math.nan), "filtered: high must lie between"),
        (lambda m: m.filtered(1, "2"), "filtered: high must lie between"),
        (lambda m: m.filtered(1, 2, order=0), "filtered: order must be a whole number from 1 to 12, got 0"),
        (lambda m: m.resampled(0), "resampled: step must be a positive number of seconds, got 0"),
        (
            lambda m: m.resampled(0.007, band_limited=True),
            "resampled: band_limited needs a step that divides the record's",
        ),
        (
            lambda m: m.resampled(0.02, band_limited=True),
            "resampled: band_limited needs a step that divides the record's",
        ),
        (lambda m: m.trimmed((0.9, 0.1)), "trimmed: share must be two numbers with 0 ≤ first < second ≤ 1"),
        (lambda m: m.trimmed(0.9), "trimmed: share must be two numbers"),
        (lambda m: m.trimmed((0.1, math.nan)), "trimmed: share must be two numbers"),
        (lambda m: with_samples([0.0, 0.0]).trimmed(), "trimmed: the record is zero throughout"),
        (lambda m: m.padded(-1), "padded: before must be a number of seconds ≥ 0, got -1"),
        (lambda m: m.padded(after=math.inf), "padded: after must be a number of seconds ≥ 0, got inf"),
        (lambda m: m.converted("furlong"), "unknown unit of acceleration 'furlong'"),
    ],
)
def test_wrong_arguments_are_named(call, told):
    with pytest.raises(ValueError, match="^" + "".join(f"[{c}]" if c in "()+|?*[" else c for c in told)):
        call(MOTION)


def test_a_way_of_resampling_that_is_no_yes_or_no_is_refused():
    with pytest.raises(LoadError, match="band_limited must be True or False"):
        hx.el_centro().resampled(0.01, band_limited=np.ones(2))
