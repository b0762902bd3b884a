"""RotD00, RotD50, RotD100 and the geometric mean: identities of rotation, and each direction by itself."""

import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError, LoadError
from hamex.march import rotated as kernels
from hamex.study.spectra import elastic
from hamex.study.spectra.elastic import Accelerogram, accelerogram

G = 9.80665
RNG = np.random.default_rng(8)
X = hx.el_centro()
NOISE = 0.02 * RNG.normal(size=X.acceleration.size)
Y = hx.GroundMotion(0.7 * np.roll(X.acceleration, 40) + NOISE, 0.02, "g", "across")
PERIODS = np.array([0.03, 0.07, 0.15, 0.5, 1.7, 6.0])
NAMES = ("displacement", "velocity", "absolute_acceleration")


def turned(degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y = X.acceleration, Y.acceleration
    return (hx.GroundMotion(c * x + s * y, 0.02, "g"), hx.GroundMotion(-s * x + c * y, 0.02, "g"))


def of(name, first=X, across=Y, periods=PERIODS, **more):
    return hx.spectrum(first, periods, g=G, across=across, **more)[name]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("zeta", [0.0, 0.05])
def test_each_direction_is_the_spectrum_of_the_motion_in_that_direction(name, zeta):
    kind = elastic.KINDS[name]
    pair = accelerogram(X, G, "linear"), accelerogram(Y, G, "linear")
    found = elastic.all_directions(*pair, 2 * np.pi / PERIODS, np.full(len(PERIODS), zeta), kind)
    for degree in (0, 1, 45, 90, 133, 179):
        alone = hx.spectrum(turned(degree)[0], PERIODS, zeta, g=G).values(name)[0]
        assert found[:, degree] == pytest.approx(alone, rel=1e-11)


def test_a_motion_that_goes_round_has_its_peaks_at_many_times():
    """All directions come near the circle inside which nothing counts."""
    t = np.arange(900) * 0.02
    size = 1 - np.cos(2 * np.pi * t / 18)
    x, y = (size * wave(2 * np.pi * t / 0.5) + 0.3 * RNG.normal(size=900) for wave in (np.cos, np.sin))
    pair = [accelerogram(hx.GroundMotion(a, 0.02, "m/s2"), G, "linear") for a in (x, y)]
    periods = np.array([0.1, 0.3, 0.5, 0.8, 3.0])
    found = elastic.all_directions(*pair, 2 * np.pi / periods, np.full(5, 0.05), 0)
    for degree in range(3, 180, 12):
        c, s = math.cos(math.radians(degree)), math.sin(math.radians(degree))
        alone = hx.spectrum(hx.GroundMotion(c * x + s * y, 0.02, "m/s2"), periods, g=G).values("displacement")[0]
        assert found[:, degree] == pytest.approx(alone, rel=1e-11)


@pytest.mark.parametrize("seed", [4, 8, 9])
def test_strong_damping_under_noise_where_a_velocity_comes_to_zero_and_back_within_a_step(seed):
    x, y = np.hstack([np.random.default_rng(seed).normal(size=(2, 30)), np.zeros((2, 1))])
    omega, zeta = 2 * np.pi / np.array([0.05, 0.13, 0.3, 1.0, 4.0]), np.full(5, 0.9)
    found = elastic.all_directions(Accelerogram(x, 0.02), Accelerogram(y, 0.02), omega, zeta, 0)
    for degree in range(0, 180, 5):
        c, s = math.cos(math.radians(degree)), math.sin(math.radians(degree))
        alone = elastic.peaks(Accelerogram(c * x + s * y, 0.02), omega, zeta, 0, "inside")
        assert found[:, degree] == pytest.approx(alone, rel=1e-11)


def test_the_kernel_does_the_same_without_the_compiler(monkeypatch):
    x, y = (accelerogram(hx.GroundMotion(m.acceleration[60:85], 0.02, "g"), G, "linear") for m in (X, Y))
    given = x, y, 2 * np.pi / np.array([0.05, 0.9]), np.full(2, 0.05), 0
    machine, at_samples = elastic.all_directions(*given), elastic.all_directions(*given, "samples")
    monkeypatch.setattr(elastic, "compiled", lambda kernel: kernel)
    with np.errstate(divide="ignore", invalid="ignore"):  # lanes that are not wanted
        assert elastic.all_directions(*given) == pytest.approx(machine, rel=1e-12)
        assert elastic.all_directions(*given, "samples") == pytest.approx(at_samples, rel=1e-12)
    assert kernels.rotated.__module__ == "hamex.march.rotated"


@pytest.mark.parametrize("name", NAMES)
def test_equal_components_are_one_motion_at_45_degrees(name):
    alone = hx.spectrum(X, PERIODS, g=G).values(name)[0]
    both = of(name, X, X).sel(damping=0.05)
    assert both.sel(combination="RotD100").values == pytest.approx(math.sqrt(2) * alone, rel=1e-12)
    assert both.sel(combination="RotD00").values == pytest.approx(0 * alone, abs=1e-14 * alone.max())
    assert both.sel(combination="RotD50").values == pytest.approx(alone, rel=1e-12)  # √2 cos 45°
    assert both.sel(combination="geometric mean").values == pytest.approx(alone, rel=1e-12)


@pytest.mark.parametrize("degrees", [1, 37, 90])
@pytest.mark.parametrize("name", NAMES)
def test_sensors_turned_by_whole_degrees_measure_the_same(name, degrees):
    here, there = of(name), of(name, *turned(degrees))
    for combination in ("RotD00", "RotD50", "RotD100"):
        assert there.sel(combination=combination).values == pytest.approx(
            here.sel(combination=combination).values, rel=1e-12
        )


def test_a_component_alone():
    nothing = hx.GroundMotion([0.0], 0.02, "g")
    alone = hx.spectrum(X, PERIODS, g=G).values("displacement")[0]
    found = of("displacement", X, nothing).sel(damping=0.05)
    assert found.sel(combination="RotD100").values == pytest.approx(alone, rel=1e-12)
    assert np.abs(found.sel(combination="RotD00").values).max() <= 1e-15
    assert np.abs(found.sel(combination="geometric mean").values).max() == 0


def test_order_of_the_combinations_and_the_circle_around_them():
    found = hx.spectrum(X, PERIODS, [0.02, 0.05], g=G, across=Y)
    low, middle, high, mean = (found["pseudo_acceleration"].sel(combination=word) for word in elastic.COMBINATIONS)
    assert found["pseudo_acceleration"].dims == ("combination", "damping", "period")
    assert (low < middle).all()
    assert (middle < high).all()
    x, y = (hx.spectrum(m, PERIODS, [0.02, 0.05], g=G).values("pseudo_acceleration") for m in (X, Y))
    assert mean.values == pytest.approx(np.sqrt(x * y), rel=1e-12)
    assert (high.values <= np.hypot(x, y)).all()
    assert (high.values >= np.maximum(x, y) * (1 - 1e-12)).all()
    assert found.names == (
        "displacement",
        "pseudo_velocity",
        "pseudo_acceleration",
        "velocity",
        "absolute_acceleration",
    )
    assert "one degree apart" in found.attributes["combination"]
    assert found.attributes["across"] == "across"


def test_the_free_vibration_after_the_record_counts_in_every_direction():
    first, across = (hx.GroundMotion(samples, 0.01, "m/s2") for samples in ([1.0], [0.0, 0.5]))
    found = of("displacement", first, across, [2.0], damping=0.0).sel(damping=0.0, combination="RotD100").item()
    w = math.pi
    # Impulses of 0.005 and 0.005 m/s at 90°, a hundredth of a second apart.
    assert found == pytest.approx(0.005 * math.sqrt(2) / w, rel=2e-3)


def at_samples(motion, period, zeta):
    """Displacements at the samples by scipy's own exact step for loads that are linear in between, zero at last."""
    from scipy.signal import cont2discrete, lfilter, ss2tf

    w = 2 * np.pi / period
    system = ([[0.0, 1.0], [-(w**2), -2 * zeta * w]], [[0.0], [-1.0]], [[1.0, 0.0]], [[0.0]])
    a, b, c, d, _ = cont2discrete([np.array(part) for part in system], motion.step, method="foh")
    above, below = ss2tf(a, b, c, d)
    # The hold of first order starts from where it stands: a first sample that is not zero would ramp up before it.
    assert motion.acceleration[0] == 0
    return lfilter(above[0], below, np.append(G * motion.acceleration, 0.0))


def from_rest(motion):
    return hx.GroundMotion(np.append(0.0, motion.acceleration), motion.step, motion.unit)


def test_peaks_at_the_samples_are_those_of_every_rotated_history():
    x, y = from_rest(X), from_rest(Y)
    found = of("displacement", x, y, peaks="samples").sel(damping=0.05)
    for i, period in enumerate(PERIODS):
        p, q = (at_samples(motion, period, 0.05) for motion in (x, y))
        angles = np.radians(np.arange(180))
        peaks = np.abs(np.outer(np.cos(angles), p) + np.outer(np.sin(angles), q)).max(axis=1)
        expected = [peaks.min(), np.median(peaks), peaks.max(), math.sqrt(np.abs(p).max() * np.abs(q).max())]
        assert found.values[:, i] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_peaks_at_the_samples_direction_by_direction(name):
    pair = accelerogram(X, G, "linear"), accelerogram(Y, G, "linear")
    given = 2 * np.pi / PERIODS, np.full(len(PERIODS), 0.05), elastic.KINDS[name]
    found = elastic.all_directions(*pair, *given, "samples")
    inside = elastic.all_directions(*pair, *given)
    assert (found <= inside).all()
    assert (found[0] < 0.99 * inside[0]).any()  # a period of 1.5 samples
    for degree in (0, 1, 45, 90, 133, 179):
        alone = hx.spectrum(turned(degree)[0], PERIODS, g=G, peaks="samples").values(name)[0]
        assert found[:, degree] == pytest.approx(alone, rel=1e-11)
    said = hx.spectrum(X, PERIODS, g=G, across=Y, peaks="samples").attributes
    assert said["peaks"] == "largest value at the samples of the record"


def test_neighbours_threads_and_several_pairs_change_no_bit():
    whole = of("displacement").values
    assert of("displacement", periods=PERIODS[[4, 1]]).values.tobytes() == whole[:, :, [4, 1]].tobytes()
    assert of("displacement", threads=2).values.tobytes() == whole.tobytes()
    pairs = of("displacement", [X, Y], [Y, X])
    assert pairs.dims == ("motion", "combination", "damping", "period")
    assert pairs.values[0].tobytes() == whole.tobytes()


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"across": hx.GroundMotion([1.0], 0.01, "g")}, LoadError, "have steps 0.02 s and 0.01 s"),
        ({"across": [Y, Y]}, LoadError, "1 motions and 2 across them"),
        ({"across": "Y"}, LoadError, "across must be a GroundMotion"),
        ({"across": Y, "measures": ("input_energy",)}, InputError, "unknown measure 'input_energy'"),
    ],
)
def test_bad_pairs_are_refused(arguments, error, told):
    with pytest.raises(error, match=told):
        hx.spectrum(X, PERIODS, g=G, **arguments)
