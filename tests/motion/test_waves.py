"""Ground motions by a formula."""

import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import LoadError


def test_a_sine_is_sampled_at_multiples_of_the_step():
    motion = hx.ground_wave("sine", 0.3, period=0.5, cycles=3, step=0.01, unit="m/s2")
    t = 0.01 * np.arange(151)
    assert motion.acceleration == pytest.approx(0.3 * np.sin(4 * math.pi * t), abs=1e-15)
    assert (motion.unit, motion.step, motion.kind) == ("m/s2", 0.01, "synthetic")
    assert motion.source == "sine of 0.5 s, 3 cycles"


@pytest.mark.parametrize(("shape", "length"), [("half_sine", 0.25), ("triangle", 0.25), ("ricker", 1.5)])
def test_pulses_have_their_length_and_peak(shape, length):
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
def test_bad_values_are_refused(keys, message):
    with pytest.raises(LoadError) as refused:
        hx.ground_wave(**{"shape": "sine", "amplitude": 1.0, "period": 1.0} | keys)
    assert message in str(refused.value)
