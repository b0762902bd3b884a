"""Loads and ground motions given by a formula; references are the formulas' own integrals."""

import math
import pickle

import numpy as np
import pytest

import hamex as hx
from hamex.errors import LoadError

T = np.linspace(-0.5, 3.0, 36)


def test_sine_is_on_until_its_end_inclusive():
    force = hx.sine(0.2, omega=15.0, duration=2.0, phase=0.3).forces
    assert np.allclose(force(T), np.where((T >= 0) & (T <= 2.0), 0.2 * np.sin(15 * T + 0.3), 0.0), rtol=1e-15, atol=0)
    assert force(2.0) == 0.2 * math.sin(30.3)
    assert force(np.nextafter(2.0, 3.0)) == 0.0


def test_constant_is_exactly_constant():
    force = hx.constant(3.3).forces
    assert np.array_equal(force(T), np.where(T >= 0, 3.3, 0.0))
    assert hx.constant(3.3, duration=1.0).forces(np.array([1.0, 1.001])).tolist() == [3.3, 0.0]


PULSES = {
    "half sine": (hx.half_sine(2.0, 0.83), 2.0 * 2 / math.pi * 0.83),
    "triangle": (hx.triangle(2.0, 0.83), 0.83),
    "skew triangle": (hx.triangle(2.0, 0.83, peak=0.2), 0.83),
    "blast": (hx.triangle(2.0, 0.83, peak=0), 0.83),
    "sawtooth": (hx.triangle(2.0, 0.83, peak=1), 0.83),
    "rectangle": (hx.constant(2.0, 0.83), 2 * 0.83),
}


@pytest.mark.parametrize("name", PULSES)
def test_impulse_of_a_pulse(name):
    """Analytic: the means of all steps times the step are the area of the pulse."""
    load, area = PULSES[name]
    h, steps = 0.1, 12
    assert h * load.step_values(h, steps, "mean").sum() == pytest.approx(area, rel=1e-14)
    assert np.abs(load.forces(T)).max() <= 2.0


@pytest.mark.parametrize(("peak", "at"), [(0.5, 1.0), (0.25, 0.5), (0.0, 0.0), (1.0, 2.0)])
def test_triangle_peaks_where_it_is_told(peak, at):
    force = hx.triangle(4.0, duration=2.0, peak=peak).forces
    assert force(at) == 4.0
    if 0 < at < 2:
        assert [float(force(at / 2)), float(force((at + 2) / 2))] == [2.0, 2.0]
    assert force(-1e-9) == force(2.0 + 1e-9) == 0.0


@pytest.mark.parametrize("name", PULSES)
def test_pulses_pickle_and_compare_by_value(name):
    formula = PULSES[name][0].forces
    assert pickle.loads(pickle.dumps(formula)) == formula


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hx.sine(math.nan, 1.0), "sine: amplitude must be finite"),
        (lambda: hx.sine("1", 1.0), "sine: amplitude must be finite"),
        (lambda: hx.sine(1.0, math.inf), "sine: omega must be finite"),
        (lambda: hx.sine(1.0, 1.0, phase=math.nan), "sine: phase must be finite"),
        (lambda: hx.sine(1.0, 1.0, duration=0), "sine: duration must be a positive"),
        (lambda: hx.constant(1.0, duration=-1), "duration must be a positive"),
        (lambda: hx.constant(1.0, duration=math.nan), "duration must be a positive"),
        (lambda: hx.constant(1.0, duration="long"), "duration must be a positive"),
        (lambda: hx.half_sine(1.0, duration=math.inf), "half_sine: duration must be a positive"),
        (lambda: hx.half_sine(math.nan, duration=1.0), "amplitude must be finite"),
        (lambda: hx.triangle(1.0, duration=0.0), "triangle: duration must be a positive"),
        (lambda: hx.triangle(math.inf, duration=1.0), "triangle: amplitude must be finite"),
        (lambda: hx.triangle(1.0, duration=1.0, peak=1.5), "triangle: peak must lie between 0 and 1"),
        (lambda: hx.triangle(1.0, duration=1.0, peak=math.nan), "triangle: peak must lie between 0 and 1"),
    ],
)
def test_pulses_refuse(call, message):
    with pytest.raises(LoadError, match=message):
        call()


def test_a_sine_is_sampled_at_multiples_of_the_step():
    motion = hx.ground_wave("sine", 0.3, period=0.5, cycles=3, step=0.01, unit="m/s2")
    t = 0.01 * np.arange(151)
    assert motion.acceleration == pytest.approx(0.3 * np.sin(4 * math.pi * t), abs=1e-15)
    assert (motion.unit, motion.step, motion.kind) == ("m/s2", 0.01, "synthetic")
    assert motion.source == "sine of 0.5 s, 3 cycles"


@pytest.mark.parametrize(("shape", "length"), [("half_sine", 0.25), ("triangle", 0.25), ("ricker", 1.5)])
def test_wave_pulses_have_their_length_and_peak(shape, length):
    motion = hx.ground_wave(shape, -0.4, period=0.5, step=0.005)
    assert motion.duration == pytest.approx(length)
    assert motion.peak == pytest.approx(0.4)
    assert abs(motion.acceleration[-1]) < 1e-7
    assert motion.acceleration[len(motion.acceleration) // 2] == pytest.approx(-0.4)


def test_a_wave_that_ends_between_samples_is_cut_where_it_ends():
    motion = hx.ground_wave("sine", 1.0, period=1.0, cycles=0.3, step=0.125)
    assert motion.acceleration == pytest.approx([0.0, math.sin(math.pi / 4), 1.0, 0.0])


def test_a_full_cycle_leaves_the_ground_without_velocity():
    motion = hx.ground_wave("sine", 1.0, period=0.4, cycles=2)
    assert np.trapezoid(motion.acceleration, dx=motion.step) == pytest.approx(0.0, abs=1e-14)


def test_an_oscillator_at_rest_resonates_as_theory_says():
    """Undamped resonance: u grows by π a T²/(4π²) · … per cycle; after n cycles |u| = n π a/ω². Analytic."""
    period, cycles = 0.5, 6
    model = hx.oscillator(mass=1.0, stiffness=(2 * math.pi / period) ** 2, units=hx.Units("m", "kN"))
    motion = hx.ground_wave("sine", 1.0, period, cycles=cycles, step=0.0005, unit="m/s2")
    sol = hx.solve(hx.Problem(model, motion.on(model, g=9.80665), duration=cycles * period), hx.Galerkin(step=0.0005))
    assert sol.peaks["displacement"].value == pytest.approx(cycles * math.pi / (2 * math.pi / period) ** 2, rel=1e-3)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"shape": "saw"}, "shape must be one of sine, half_sine, triangle, ricker, got 'saw'"),
        ({"amplitude": math.nan}, "amplitude must be finite, got nan"),
        ({"period": 0.0}, "period must be a positive number, got 0.0"),
        ({"cycles": -1.0}, "cycles must be a positive number, got -1.0"),
        ({"step": math.inf}, "step must be a positive number, got inf"),
        ({"shape": "ricker", "cycles": 2.0}, "cycles belongs to a sine; a ricker has one, got 2.0"),
        ({"step": 1e-9}, "are more than 1,000,000 samples; give a longer step"),
    ],
)
def test_bad_waves_are_refused(keys, message):
    with pytest.raises(LoadError) as refused:
        hx.ground_wave(**{"shape": "sine", "amplitude": 1.0, "period": 1.0} | keys)
    assert message in str(refused.value)
