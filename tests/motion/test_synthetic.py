"""Synthetic motions: the right size and length, at rest in the end, the same from the same seed."""

import hashlib
import math
import subprocess
import sys

import numpy as np
import pytest

import hamex as hx
from hamex.errors import LoadError
from hamex.motion import artificial
from hamex.motion.artificial import _bands, envelope, synthetic_suite
from hamex.motion.ground import at_rest
from hamex.motion.integrals import displacement, peak_displacement, peak_velocity, significant_duration, velocity

G = 9.80665


def gm(values):
    return math.exp(np.log(values).mean())


@pytest.fixture(scope="module")
def suite():
    return synthetic_suite(40, seed=7)


def test_they_say_what_they_are(suite):
    for place, motion in enumerate(suite):
        assert motion.kind == "synthetic"
        assert motion.unit == "g"
        assert motion.step == 0.01
        assert f"M 6.5, 20 km, vs30 400 m/s, scatter 1, seed 7, motion {place}" in motion.source
        assert motion.duration == suite[0].duration


def test_a_motion_does_not_depend_on_how_many_are_asked_for(suite):
    few = synthetic_suite(3, seed=7)
    for a, b in zip(few, suite, strict=False):
        assert a.acceleration.tobytes() == b.acceleration.tobytes()
    assert not np.array_equal(suite[0].acceleration, suite[1].acceleration)
    assert not np.array_equal(suite[0].acceleration, synthetic_suite(1, seed=8)[0].acceleration)


def test_another_process_gives_the_same_bits(suite):
    code = (
        "import hashlib, hamex as hx; print(hashlib.sha256(hx.synthetic_suite(5, seed=7)[4].acceleration).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == hashlib.sha256(suite[4].acceleration).hexdigest()


def test_they_start_and_end_at_rest(suite):
    for motion in suite:
        a = motion.acceleration
        v, d = velocity(a, motion.step), displacement(a, motion.step)
        assert a[0] == a[-1] == 0
        assert abs(v[-1]) < 1e-12 * np.abs(v).max()
        assert abs(d[-1]) < 1e-10 * np.abs(d).max()
        # The correction that does it is small: nothing drifts on the way, so that the last tenth is quiet.
        assert np.abs(v[-len(v) // 10 :]).max() < 0.1 * np.abs(v).max()
        assert np.abs(a[:150]).max() < 0.05 * motion.peak


def test_sizes_are_those_of_real_earthquakes(suite):
    """M 6.5 at 20 km on stiff soil: ground-motion models have medians near 0.18 g, 17 cm/s and 13 s (D5-95), with
    deviations of about 0.6, 0.6 and 0.4; a teaching tool lies within a factor of 1.5."""
    pga = [motion.peak for motion in suite]
    pgv = [100 * G * peak_velocity(motion.acceleration, 0.01) for motion in suite]
    long = [significant_duration(motion.acceleration, 0.01, 0.05, 0.95) for motion in suite]
    assert 0.12 < gm(pga) < 0.27
    assert 11 < gm(pgv) < 26
    assert 9 < gm(long) < 20
    assert 3 < gm([100 * G * peak_displacement(motion.acceleration, 0.01) for motion in suite]) < 20
    assert 0.25 < np.log(pga).std() < 0.6


def test_magnitude_distance_and_site_act_as_they_should():
    def peaks(**parameters):
        return gm([motion.peak for motion in synthetic_suite(12, seed=5, **parameters)])

    base = peaks()
    assert 1.05 < peaks(magnitude=7.5) / base < 2.5
    assert 0.2 < peaks(magnitude=5.5) / base < 0.7
    assert 0.05 < peaks(distance=100.0) / base < 0.3
    assert 1.3 < peaks(vs30=200.0) / base < 2.2
    longer = gm(
        [
            significant_duration(motion.acceleration, 0.01, 0.05, 0.95)
            for motion in synthetic_suite(6, seed=5, magnitude=7.5)
        ]
    )
    assert 20 < longer < 45


def test_without_scatter_only_the_noise_differs():
    pga, same = (np.log([motion.peak for motion in synthetic_suite(30, seed=2, scatter=scatter)]) for scatter in (1, 0))
    assert same.std() < 0.6 * pga.std()


def test_the_expected_fourier_amplitude_is_that_of_the_seismology():
    """Mean square over many motions without scatter, smoothed over half an octave, against the formula."""
    motions = synthetic_suite(150, seed=4, scatter=0.0, duration=40.0)
    a = np.array([motion.acceleration for motion in motions]) * G
    size = 8192
    f = np.fft.rfftfreq(size, 0.01)
    power = np.mean(np.abs(np.fft.rfft(a, size) * 0.01) ** 2, axis=0)
    for centre in (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0):
        near = (f > centre / 1.19) & (f < centre * 1.19)
        expected = artificial.fourier_amplitude(f[near], 6.5, 20.0, 400.0)
        assert np.sqrt(power[near].mean() / np.mean(expected**2)) == pytest.approx(1.0, abs=0.06), centre


def test_high_frequencies_come_first():
    """The time at which half of the energy has passed, above 5 Hz and below 0.5 Hz."""
    middle = {"high": [], "low": []}
    for motion in synthetic_suite(20, seed=6, scatter=0.0):
        spectrum, f = np.fft.rfft(motion.acceleration), np.fft.rfftfreq(len(motion.acceleration), 0.01)
        for name, band in (("high", f > 5), ("low", f < 0.5)):
            energy = np.cumsum(np.fft.irfft(np.where(band, spectrum, 0), len(motion.acceleration)) ** 2)
            middle[name].append(0.01 * np.searchsorted(energy, 0.5 * energy[-1]))
    assert np.mean(middle["low"]) > 1.2 * np.mean(middle["high"])


def test_the_source_spectrum_has_its_two_plateaus():
    """Displacement below the corner is constant (moment), acceleration above it too (stress drop): ω²."""
    f = np.array([1e-3, 1e-2, 1e-1]) * artificial.corner_frequency(6.0, 8e6)
    flat = artificial.fourier_amplitude(f, 6.0, 20.0, 2000.0, kappa=0.0)
    fall = flat * np.sqrt(1 + (f / artificial.LOW_CUT) ** -8)  # without the low cut
    assert fall[1] / fall[0] == pytest.approx(100, rel=0.1)
    small, large = (
        artificial.fourier_amplitude(np.array([3.0]), 6.0, 20.0, 400.0, stress_drop=s)[0] for s in (4e6, 32e6)
    )
    assert large / small == pytest.approx(8 ** (2 / 3), rel=0.03)
    assert artificial.corner_frequency(7.0, 8e6) / artificial.corner_frequency(6.0, 8e6) == pytest.approx(
        10**-0.5, rel=1e-12
    )


def test_bands_add_up_and_the_envelope_is_the_one_described():
    f = np.fft.rfftfreq(4096, 0.01)
    assert sum(share for _, share in _bands(f)) == pytest.approx(np.ones(len(f)), abs=1e-12)
    t = np.linspace(0, 30, 3001)
    window = envelope(t, 20.0)
    assert t[np.argmax(window)] == pytest.approx(4.0, abs=0.01)
    assert window.max() == pytest.approx(1.0, rel=1e-6)
    assert np.interp(20.0, t, window) == pytest.approx(0.05, rel=1e-6)


def test_the_ending_is_exact_for_samples_linear_in_between():
    a = at_rest(np.random.default_rng(0).normal(size=500), 0.02)
    v, d = velocity(a, 0.02), displacement(a, 0.02)
    assert abs(v[-1]) < 1e-13
    assert abs(d[-1]) < 1e-12


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"count": 0}, "count must be a whole number ≥ 1"),
        ({"count": 2.0}, "count must be a whole number"),
        ({"seed": -1}, "seed must be a whole number ≥ 0"),
        ({"seed": None}, "seed must be a whole number"),
        ({"magnitude": 9.5}, "magnitude must lie between 4 and 8.5"),
        ({"distance": 0}, "distance must lie between 1 and"),
        ({"vs30": math.nan}, "vs30 must lie between"),
        ({"step": 0.1}, "step must lie between"),
        ({"scatter": -1}, "scatter must be a number ≥ 0"),
        ({"duration": 5.0}, "duration must be at least 29"),
        ({"duration": math.inf}, "duration must be at least"),
    ],
)
def test_wrong_parameters_are_refused(changes, says):
    with pytest.raises(LoadError, match=says):
        synthetic_suite(**{"count": 1, "seed": 0} | changes)


def test_the_seed_must_be_said():
    with pytest.raises(TypeError, match="seed"):
        hx.synthetic_suite(3)
