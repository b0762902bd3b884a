"""Measures in the time domain: closed forms, exactness inside the steps, the rate at which smooth motions are met."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, signal

import hamex as hx
from hamex.errors import LoadError
from hamex.motion import integrals as im

SAMPLES = st.lists(st.floats(-100, 100).map(lambda x: round(x, 6)), min_size=1, max_size=25).filter(
    lambda a: max(map(abs, a)) > 1e-3
)
MEASURES = {
    "pgv": im.peak_velocity,
    "pgd": im.peak_displacement,
    "arias": lambda a, h: im.arias(a, h, 9.80665, "lines"),
    "cav": lambda a, h: im.cumulative_absolute_velocity(a, h, "lines"),
    "d5-75": lambda a, h: im.significant_duration(a, h, 0.05, 0.75, "lines"),
    "d5-95": lambda a, h: im.significant_duration(a, h, 0.05, 0.95, "lines"),
}


def test_constant_acceleration_in_closed_form():
    """External: a held for nine steps, then a ramp to zero over the tenth."""
    a, h, g = 2.0, 0.1, 10.0
    held = np.full(10, a)
    energy = a * a * (9 * h + h / 3)
    assert im.velocity(held, h)[:10] == pytest.approx(a * np.arange(10) * h, rel=1e-14)
    assert im.peak_velocity(held, h) == pytest.approx(a * 9.5 * h, rel=1e-14)
    assert im.displacement(held, h)[9] == pytest.approx(0.5 * a * 0.9**2, rel=1e-14)
    assert im.peak_displacement(held, h) == pytest.approx(0.5 * a * 0.9**2 + a * 0.9 * h + a * h * h / 3, rel=1e-14)
    assert im.arias(held, h, g, "lines") == pytest.approx(math.pi / (2 * g) * energy, rel=1e-14)
    assert im.cumulative_absolute_velocity(held, h, "lines") == pytest.approx(a * 9.5 * h, rel=1e-14)
    assert im.significant_duration(held, h, 0.05, 0.75, "lines") == pytest.approx(0.70 * energy / a**2, rel=1e-13)
    assert im.significant_duration(held, h, 0.05, 0.95, "lines") == pytest.approx(0.90 * energy / a**2, rel=1e-13)
    # 99.5 % lie on the ramp, where a²h/3 (1 − (1 − s/h)³) have come after s
    s = h * (1 - (1 - (0.995 * energy - 0.9 * a * a) / (a * a * h / 3)) ** (1 / 3))
    assert im.time_of_share(held, h, 0.995, "lines") == pytest.approx(0.9 + s, rel=1e-12)


def test_one_triangle_up_and_down():
    """External: 0 → 1 → −1 → 0 in steps of 1 s. Velocity tops at the crossing, 0.5 + 0.25."""
    a = np.array([0.0, 1.0, -1.0])
    assert im.peak_velocity(a, 1.0) == pytest.approx(0.75)
    assert im.velocity(a, 1.0).tolist() == [0.0, 0.5, 0.5, 0.0]
    assert im.cumulative_absolute_velocity(a, 1.0, "lines") == pytest.approx(0.5 + 0.5 + 0.5)
    assert im.husid(a, 1.0, "lines")[-1] == pytest.approx(1 / 3 + 1 / 3 + 1 / 3)
    assert im.displacement(a, 1.0)[-1] == pytest.approx(1 / 6 + (0.5 + 0.5 - 1 / 3) + (0.5 - 1 / 3))


def test_a_peak_of_displacement_inside_a_step():
    """External: v = 1 − 3t… : a jerk of −6 from 2 makes v = 2t − 3t², zero at 2/3, where d = t² − t³ = 4/27."""
    a = np.array([2.0, -4.0])
    assert im.peak_displacement(a, 1.0) == pytest.approx(max(4 / 27, abs(im.displacement(a, 1.0)[-1])), rel=1e-14)
    inside = np.array([0.0, 3.0, -9.0, 6.0])
    fine = np.interp(np.arange(40_000) / 10_000, np.arange(5), np.append(inside, 0.0))
    assert im.peak_displacement(inside, 1.0) == pytest.approx(np.abs(im.displacement(fine, 1e-4)).max(), rel=1e-7)


@given(SAMPLES, st.sampled_from([2, 3, 7]), st.sampled_from([0.005, 0.02, 1.0]))
def test_no_measure_changes_when_the_same_lines_are_sampled_finer(samples, parts, step):
    motion = hx.GroundMotion(samples, step, "g")
    fine = motion.resampled(step / parts)
    for name, measure in MEASURES.items():
        whole, again = measure(motion.acceleration, step), measure(fine.acceleration, fine.step)
        assert again == pytest.approx(whole, rel=1e-6, abs=1e-9 * step), name


@given(SAMPLES, st.floats(0.1, 10))
def test_how_measures_follow_amplitude_and_sign(samples, factor):
    a = np.array(samples)
    for name, power in (("pgv", 1), ("pgd", 1), ("arias", 2), ("cav", 1), ("d5-75", 0), ("d5-95", 0)):
        measure = MEASURES[name]
        assert measure(-factor * a, 0.01) == pytest.approx(factor**power * measure(a, 0.01), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "exact"),
    [("pgv", 1 / np.pi), ("pgd", 1 / (2 * np.pi)), ("arias", np.pi / (2 * 9.80665) * 0.5), ("cav", 2 / np.pi)],
)
def test_one_sine_of_a_second_is_met_at_second_order(measure, exact):
    """External: a = sin 2πt has PGV 2/ω, PGD T/ω, ∫a² = T/2, ∫|a| = 2T/π."""
    errors = []
    for n in (40, 80, 160):
        t = np.arange(n + 1) / n
        errors.append(abs(MEASURES[measure](np.sin(2 * np.pi * t), 1 / n) - exact))
    rates = [math.log2(errors[i] / errors[i + 1]) for i in range(2)]
    assert all(1.9 < rate < 2.1 for rate in rates), (errors, rates)


@pytest.mark.parametrize(("low", "high"), [(0.05, 0.75), (0.05, 0.95), (0.2, 0.3)])
def test_significant_durations_of_one_sine(low, high):
    """External: the share of ∫sin² reached at t is t − sin(4πt)/(4π); its roots are found apart."""
    begin, end = (
        optimize.brentq(lambda x, share=share: x - np.sin(4 * np.pi * x) / (4 * np.pi) - share, 0, 1, xtol=1e-15)
        for share in (low, high)
    )
    t = np.arange(1001) / 1000
    for rule, close in (("lines", 1e-6), ("trapezoid", 1e-5)):
        found = im.significant_duration(np.sin(2 * np.pi * t), 1e-3, low, high, rule)
        assert found == pytest.approx(end - begin, abs=close)


@pytest.mark.parametrize("rule", im.RULES)
def test_shares_0_and_1_are_the_ends_of_the_motion(rule):
    a = np.array([0.0, 0.0, 1.0, -1.0, 0.0, 0.0])
    assert im.time_of_share(a, 0.1, 0.0, rule) == pytest.approx(0.1, abs=1e-12)
    assert im.time_of_share(a, 0.1, 1.0, rule) == pytest.approx(0.4, abs=1e-6)


@given(SAMPLES, st.sampled_from([0.005, 0.02, 1.0]))
def test_arias_and_cav_follow_the_convention_of_the_field(samples, step):
    """External: the trapezoidal rule on a² and |a| from the first sample to the last, as eqsig, gmprocess and obspy."""
    a = np.array(samples)
    assert im.arias(a, step, 9.80665) == pytest.approx(
        math.pi / (2 * 9.80665) * integrate.trapezoid(a * a, dx=step), rel=1e-12, abs=1e-300
    )
    assert im.cumulative_absolute_velocity(a, step) == pytest.approx(
        integrate.trapezoid(np.abs(a), dx=step), rel=1e-12, abs=1e-300
    )
    rising = integrate.cumulative_trapezoid(a * a, dx=step, initial=0)
    assert im.husid(a, step)[:-1] == pytest.approx(rising, rel=1e-12, abs=1e-300)
    for share in (0.05, 0.75, 0.95):
        reached = im.time_of_share(a, step, share) if rising[-1] > 0 else 0.0
        assert np.interp(reached, step * np.arange(len(a)), rising) == pytest.approx(share * rising[-1], rel=1e-9)


@given(SAMPLES)
def test_straight_lines_hold_less_than_the_trapezoidal_rule_of_the_same_steps(samples):
    """By h/6 (Δa)² a step for ∫a², and by what a crossing cuts off for ∫|a|; a zero at the end makes both end alike."""
    a = np.array([*samples, 0.0])
    cut = np.diff(a)
    excess = im.husid(a, 1.0)[-1] - im.husid(a, 1.0, "lines")[-1]
    assert excess == pytest.approx(float((cut * cut).sum()) / 6, rel=1e-9, abs=1e-9)
    first, last = np.abs(a[:-1]), np.abs(a[1:])
    across = a[:-1] * a[1:] < 0
    lost = (first * last)[across] / (first + last)[across]
    excess = im.cumulative_absolute_velocity(a, 1.0) - im.cumulative_absolute_velocity(a, 1.0, "lines")
    assert excess == pytest.approx(float(lost.sum()), rel=1e-9, abs=1e-9)


def test_silence_measures_zero():
    a = np.zeros(200)
    assert all(measure(a, 0.01) == 0.0 for measure in MEASURES.values())
    assert im.fiv3(a, 0.01, 0.5) == 0.0


def test_el_centro_beside_plain_sums_on_a_fine_grid():
    motion = hx.el_centro()
    a = motion.acceleration * 9.80665
    fine = motion.resampled(0.0002).acceleration * 9.80665
    v = integrate.cumulative_trapezoid(fine, dx=0.0002, initial=0)
    energy = integrate.cumulative_trapezoid(fine**2, dx=0.0002, initial=0)
    t = np.arange(len(fine)) * 0.0002
    assert im.arias(a, 0.02, 9.80665, "lines") == pytest.approx(np.pi / (2 * 9.80665) * energy[-1], rel=1e-4)
    assert im.cumulative_absolute_velocity(a, 0.02, "lines") == pytest.approx(
        integrate.trapezoid(np.abs(fine), dx=0.0002), rel=1e-4
    )
    assert im.peak_velocity(a, 0.02) == pytest.approx(np.abs(v).max(), rel=1e-6)
    assert im.peak_displacement(a, 0.02) == pytest.approx(
        np.abs(integrate.cumulative_trapezoid(v, dx=0.0002)).max(), rel=1e-5
    )
    reached = np.interp([0.05 * energy[-1], 0.95 * energy[-1]], energy, t)
    assert im.significant_duration(a, 0.02, 0.05, 0.95, "lines") == pytest.approx(reached[1] - reached[0], abs=1e-3)


def direct_fiv3(a, step, period):
    """Straight from the words of the definition, window by window on a fine grid."""
    b, c = signal.butter(2, 0.85 / period, fs=1 / step)
    filtered = signal.lfilter(b, c, a)
    window, duration = 0.7 * period, (len(a) - 1) * step
    t = np.arange(len(a)) * step
    values = []
    for start in t[t < duration - window - 1e-9]:
        inside = np.concatenate([[start], t[(t > start) & (t < start + window)], [start + window]])
        values.append(integrate.trapezoid(np.interp(inside, t, filtered), inside))
    v = np.array(values)
    peaks = [v[i] for i in range(1, len(v) - 1) if v[i - 1] < v[i] > v[i + 1] and v[i] > 0]
    troughs = [v[i] for i in range(1, len(v) - 1) if v[i - 1] > v[i] < v[i + 1] and v[i] < 0]
    return max(sum(sorted(peaks)[-3:]), -sum(sorted(troughs)[:3]))


@pytest.mark.parametrize("period", [0.2, 0.5, 1.0, 2.33])
def test_fiv3_by_its_definition(period):
    a = hx.el_centro().acceleration * 9.80665
    assert im.fiv3(a, 0.02, period) == pytest.approx(direct_fiv3(a, 0.02, period), rel=1e-9)
    assert im.fiv3(-2 * a, 0.02, period) == pytest.approx(2 * im.fiv3(a, 0.02, period), rel=1e-12)


def test_fiv3_counts_only_peaks_of_its_own_sign():
    """One push up, then a long wavering pull down: its tops are still below zero and take nothing off the push."""
    t = np.arange(600) * 0.01
    push = 20.0 * np.sin(np.pi * t) ** 2
    a = np.where(t < 1, push, -1.0 + 0.5 * np.sin(2 * np.pi * t))
    assert im.fiv3(a, 0.01, 0.1) == pytest.approx(20.0 * 0.07, rel=0.02)
    assert im.fiv3(a, 0.01, 0.1) == pytest.approx(direct_fiv3(a, 0.01, 0.1), rel=1e-9)


def test_fiv3_of_a_long_wave():
    """External: a wave of 4 s loses 1/√(1 + (f/fc)⁴) in the filter and gains 2 sin(ωαT/2)/ω in each window."""
    period, omega = 1.0, 2 * np.pi / 4
    t = np.arange(8001) * 0.005
    gain = 1 / math.sqrt(1 + (0.25 / 0.85) ** 4)
    expected = 3 * gain * 2 * math.sin(omega * 0.35) / omega
    assert im.fiv3(np.sin(omega * t), 0.005, period) == pytest.approx(expected, rel=2e-3)


def test_fiv3_beyond_the_sampling_rate_takes_the_record_as_it_is():
    a = hx.el_centro().acceleration
    assert im.fiv3(a, 0.02, 0.03) > 0


def test_fiv3_needs_a_record_longer_than_its_window():
    with pytest.raises(LoadError, match=r"FIV3 at 2 s needs a record longer than 1.4 s, this one has 1 s; pad it"):
        im.fiv3(np.ones(101), 0.01, 2.0)
