"""hx.spectrum: against solve, against closed forms, and against itself in another order."""

import math
import pickle

import numpy as np
import pytest
import xarray as xr

import hamex as hx
from hamex.errors import FileError, InputError, LoadError, UnitError
from hamex.study.spectra.elastic import FINER, Accelerogram, finer

G = 9.80665
MOTION = hx.el_centro()
PERIODS = np.geomspace(0.03, 10.0, 53)
ALL = ("displacement", "pseudo_velocity", "pseudo_acceleration", "velocity", "absolute_acceleration", "input_energy")


def motion(samples, step=0.01):
    return hx.GroundMotion(samples, step, "m/s2", "made up")


def peak(samples, period, damping=0.0, step=0.01, name="displacement", **more):
    return hx.spectrum(motion(samples, step), [period], damping, g=G, **more).values(name)[0, 0]


# Against solve -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("period", [0.03, 0.05, 0.11, 0.4, 1.3, 6.0])
def test_inside_the_step_it_is_the_exact_solution_looked_at_200_times_a_step(period):
    w = 2 * math.pi / period
    model = hx.oscillator(mass=1, stiffness=w * w, damping=hx.ratio(0.05))
    problem = hx.Problem(model, MOTION.on(model, g=G), duration=31.2 + math.ceil(period))
    sol = hx.solve(problem, hx.PiecewiseExact(0.02 / 200))
    u, v = sol.values("displacement")[:, 0], sol.values("momentum")[:, 0]
    close = {"displacement": u, "velocity": v, "absolute_acceleration": w * w * u + 0.1 * w * v}
    spec = hx.spectrum(MOTION, [period], damping=0.05, g=G)
    for name, history in close.items():
        ratio = spec.values(name)[0, 0] / np.abs(history).max()
        assert 1 - 1e-12 <= ratio <= 1 + 1e-4, name
    assert spec.values("input_energy")[0, 0] == pytest.approx(sol.energy["input"].values[312_000], rel=1e-4)


def test_at_samples_it_is_the_exact_solution_at_the_samples():
    model = hx.oscillator(mass=1, stiffness=(2 * math.pi / 0.05) ** 2, damping=hx.ratio(0.05))
    sol = hx.solve(hx.Problem(model, MOTION.on(model, g=G), duration=31.2), hx.PiecewiseExact(0.02))
    samples = hx.spectrum(MOTION, [0.05], g=G, peaks="samples").values("displacement")[0, 0]
    assert samples == pytest.approx(np.abs(sol.values("displacement")).max(), rel=1e-12)
    assert samples < 0.95 * hx.spectrum(MOTION, [0.05], g=G).values("displacement")[0, 0]


# Against closed forms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.3, 0.9])
def test_a_step_doubles_what_damping_leaves(zeta):
    """Constant, then slowly down to zero: static displacement × (1 + exp(−ζπ/√(1 − ζ²))), wherever T/2 falls."""
    record = motion(np.append(np.full(201, 3.0), np.linspace(3.0, 0.0, 2000)))
    for period in (0.117, 0.4, 0.83):
        w, root = 2 * math.pi / period, math.sqrt(1 - zeta**2)
        over = math.exp(-zeta * math.pi / root)
        found = hx.spectrum(record, [period], zeta, g=G)
        assert found.values("displacement")[0, 0] == pytest.approx(3.0 / w**2 * (1 + over), rel=2e-13)
        # The velocity is an impulse response; its peak is where tan ω_d t = √(1 − ζ²)/ζ.
        fastest = 3.0 / w * math.exp(-zeta / root * math.acos(zeta))
        if zeta > 0:
            assert found.values("velocity")[0, 0] == pytest.approx(fastest, rel=2e-13)
        else:
            assert found.values("absolute_acceleration")[0, 0] == pytest.approx(6.0, rel=2e-13)


@pytest.mark.parametrize("rise", [0.07, 0.3, 0.86])
def test_a_ramp_that_stays(rise):
    """Undamped: static × (1 + |sin(ω t/2)|/(ω t/2)) for the rise time t."""
    period = 0.4
    ramp = np.minimum(np.arange(300) * 0.01 / rise, 1.0)
    half = math.pi * rise / period
    static = (period / (2 * math.pi)) ** 2
    assert peak(ramp, period) == pytest.approx(static * (1 + abs(math.sin(half)) / half), rel=1e-12)


@pytest.mark.parametrize("ratio", [0.1, 0.25, 0.4])
def test_a_short_half_sine_has_its_peak_in_free_vibration(ratio):
    """Undamped, pulse of ``ratio`` periods: static × (1/r) cos(πr)/((1/2r)² − 1), after the record."""
    count, period = 4000, 1.0
    step = ratio * period / count
    pulse = np.sin(np.pi * np.arange(count) / count)
    static = (period / (2 * math.pi)) ** 2
    expected = static * math.cos(math.pi * ratio) / ratio / ((0.5 / ratio) ** 2 - 1)
    assert peak(pulse, period, step=step) == pytest.approx(expected, rel=1e-6)
    assert peak(pulse, period, step=step, peaks="samples") < 0.99 * expected


@pytest.mark.parametrize("ratio", [0.8, 1.2])
def test_a_long_half_sine_has_its_peak_under_way(ratio):
    """Undamped: the displacement is (sin pt − (p/ω) sin ωt) static/(1 − (p/ω)²), its largest in the pulse."""
    count, period = 4000, 1.0
    step = ratio * period / count
    t = np.linspace(0, ratio * period, 400_001)
    p, w = math.pi / (ratio * period), 2 * math.pi / period
    inside = np.abs((np.sin(p * t) - p / w * np.sin(w * t)) / (1 - (p / w) ** 2) / w**2).max()
    assert peak(np.sin(np.pi * np.arange(count) / count), period, step=step) == pytest.approx(inside, rel=1e-6)


@pytest.mark.parametrize("zeta", [0.0, 0.1])
def test_free_vibration_after_an_impulse(zeta):
    """One sample is a triangle of half its step; a slow oscillator swings out long after: u = J/ω_d e^(−ζωt) sin."""
    h, period = 1e-6, 2.0
    w, root = 2 * math.pi / period, math.sqrt(1 - zeta**2)
    expected = 0.5 * h / w * math.exp(-zeta / root * math.acos(zeta))
    assert peak([1.0], period, zeta, step=h) == pytest.approx(expected, rel=3e-6)


def test_an_undamped_oscillator_keeps_the_energy_it_is_given():
    found = hx.spectrum(motion([1.0, -2.0, 0.5, 3.0]), [0.02, 0.3, 2.0], 0.0, g=G)
    w = 2 * np.pi / found.periods
    slow = found.values("pseudo_velocity")[0, 2]  # its peak comes after the record
    assert found.values("input_energy")[0, 2] == pytest.approx(0.5 * slow**2, rel=1e-12)
    assert (found.values("input_energy")[0] <= 0.5 * (w * found.values("displacement")[0]) ** 2 * (1 + 1e-12)).all()


def test_limits_of_short_and_long_periods():
    found = hx.spectrum(MOTION, [0.001, 0.02, 3000.0], damping=0.05, g=G)
    assert found.values("pseudo_acceleration")[0, 0] == pytest.approx(MOTION.peak * G, rel=0.02)
    assert found.values("absolute_acceleration")[0, 0] == pytest.approx(MOTION.peak * G, rel=0.02)
    v = np.concatenate([[0], np.cumsum(0.02 * 0.5 * G * (MOTION.acceleration[1:] + MOTION.acceleration[:-1]))])
    assert found.values("velocity")[0, 2] == pytest.approx(np.abs(v).max(), rel=0.02)


def test_pseudo_values_are_displacement_times_frequency():
    found = hx.spectrum(MOTION, PERIODS, damping=[0.0, 0.05], g=G)
    w = 2 * np.pi / PERIODS
    assert found.values("pseudo_velocity") == pytest.approx(w * found.values("displacement"), rel=1e-15)
    assert found.values("pseudo_acceleration") == pytest.approx(w**2 * found.values("displacement"), rel=1e-15)
    # Without damping the spring is all there is.
    assert found.values("absolute_acceleration")[0] == pytest.approx(found.values("pseudo_acceleration")[0], rel=1e-11)
    assert (np.diff(found.values("displacement"), axis=0) < 0).all()


# Against itself ----------------------------------------------------------------------------------------------


def bits(spec, name):
    return spec.values(name).tobytes()


@pytest.mark.parametrize("peaks", ["inside", "samples"])
@pytest.mark.parametrize("name", ALL)
def test_neighbours_order_threads_and_tails_change_no_bit(name, peaks):
    def values(periods, damping=0.05, **more):
        return hx.spectrum(MOTION, periods, damping, g=G, peaks=peaks, **more).values(name)

    whole = values(PERIODS)
    order = np.random.default_rng(4).permutation(len(PERIODS))
    assert values(PERIODS[order]).tobytes() == whole[:, order].tobytes()
    assert values(PERIODS[5:18]).tobytes() == whole[:, 5:18].tobytes()
    assert values(PERIODS[30]).tobytes() == whole[:, 30].tobytes()
    both = values(PERIODS, [0.02, 0.05])
    assert both[1].tobytes() == whole[0].tobytes()
    many = np.tile(PERIODS, 8)
    assert values(many, threads=3).tobytes() == values(many, threads=1).tobytes()
    assert values(many)[:, : len(PERIODS)].tobytes() == whole.tobytes()


def test_a_motion_twice_as_strong_does_exactly_twice_as_much():
    once, twice = (hx.spectrum(MOTION.scaled(f), PERIODS, g=G) for f in (1, 2))
    for name in ALL[:5]:
        assert bits(twice, name) == (2 * once.values(name)).tobytes()
    assert bits(twice, "input_energy") == (4 * once.values("input_energy")).tobytes()


def test_asked_for_at_once_or_later_it_is_the_same():
    later = hx.spectrum(MOTION, PERIODS, g=G)
    at_once = hx.spectrum(MOTION, PERIODS, g=G, measures=ALL)
    back = pickle.loads(pickle.dumps(later))
    for name in reversed(ALL):
        assert bits(at_once, name) == bits(later, name) == bits(back, name)
    assert later.values("velocity") is later.values("velocity")
    with pytest.raises(ValueError, match="read-only"):
        later.values("velocity")[0, 0] = 1.0


def test_units_and_gravity_only_scale():
    metres = hx.spectrum(MOTION, PERIODS, g=G).values("displacement")
    inches = hx.spectrum(MOTION, PERIODS, g=G / 0.0254, units=hx.Units("in", "kip"))
    assert inches.values("displacement") == pytest.approx(metres / 0.0254, rel=1e-13)
    assert inches["pseudo_acceleration"].attrs["units"] == "in/s²"
    centimetres = hx.GroundMotion(MOTION.acceleration * 980.665, 0.02, "cm/s2")
    assert hx.spectrum(centimetres, PERIODS, g=G).values("displacement") == pytest.approx(metres, rel=1e-13)


# Interpolation -----------------------------------------------------------------------------------------------


def test_band_limited_restores_a_sine_near_nyquist():
    """0.9 of the Nyquist frequency under a smooth envelope: straight lines between samples halve it."""
    step, frequency = 0.02, 0.9 * 25.0
    wave = lambda t: np.sin(2 * np.pi * frequency * t) * np.exp(-(((t - 2.0) / 0.5) ** 2))  # noqa: E731
    coarse, dense = np.arange(200) * step, np.arange(200 * 64) * step / 64
    periods = [0.03, 1 / frequency, 0.1, 0.5]
    truth = hx.spectrum(motion(wave(dense), step / 64), periods, g=G).values("displacement")
    restored = hx.spectrum(motion(wave(coarse), step), periods, g=G, interpolation="band-limited")
    straight = hx.spectrum(motion(wave(coarse), step), periods, g=G)
    assert restored.values("displacement") == pytest.approx(truth, rel=2e-3)
    assert straight.values("displacement")[0, 1] < 0.7 * truth[0, 1]
    assert restored.attributes["interpolation"].startswith("band-limited: 32 samples")
    assert straight.attributes["interpolation"].startswith("linear between samples")


def test_band_limited_and_linear_agree_where_the_record_is_smooth():
    t = np.arange(400) * 0.02
    smooth = motion(np.sin(2 * np.pi * 0.8 * t) * np.exp(-(((t - 4) / 1.2) ** 2)), 0.02)
    both = [
        hx.spectrum(smooth, [0.2, 1.0, 3.0], g=G, interpolation=word).values("displacement")
        for word in ("linear", "band-limited")
    ]
    assert both[0] == pytest.approx(both[1], rel=2e-3)


def test_band_limited_between_samples_one_sample_is_the_kernel_of_the_series():
    """sin(πx)/(L tan(πx/L)) for L samples, an even number: half of the Nyquist term on either side."""
    a = np.zeros(51)
    a[20] = 1.0
    dense = finer(Accelerogram(a, 0.02))
    assert dense.step == 0.02 / FINER
    assert dense.a[::FINER].tolist() == a.tolist()
    x = np.arange(dense.a.size) / FINER - 20
    between = np.arange(dense.a.size) % FINER != 0
    kernel = np.sin(np.pi * x[between]) / (128 * np.tan(np.pi * x[between] / 128))
    assert dense.a[between] == pytest.approx(kernel, abs=1e-14)


def test_band_limited_the_end_of_the_record_does_not_ring_into_its_beginning():
    a = np.zeros(101)
    a[-2] = 1.0
    assert np.abs(finer(Accelerogram(a, 0.02)).a[:FINER]).max() < 0.005


# What comes out ----------------------------------------------------------------------------------------------


def test_labels_dimensions_and_conventions():
    one = hx.spectrum(MOTION, 0.5, g=G)
    assert one["displacement"].dims == ("damping", "period")
    assert one["displacement"].shape == (1, 1)
    several = hx.spectrum([MOTION, motion([1.0])], [0.1, 0.5, 2.0], [0.02, 0.05], g=G, units=hx.Units("m", "kN"))
    assert several.names == ALL
    assert several.dims == ("motion", "damping", "period")
    assert several["velocity"].sizes == {"motion": 2, "damping": 2, "period": 3}
    assert list(several["velocity"]["motion"].values) == [MOTION.source, "made up"]
    alone = hx.spectrum(MOTION, [0.1, 0.5, 2.0], [0.02, 0.05], g=G)
    for name in ALL:
        assert several.values(name)[0].tobytes() == alone.values(name).tobytes()
    assert hx.spectrum([MOTION], 0.5, g=G).values("displacement").shape == (1, 1, 1)
    units = {name: several[name].attrs["units"] for name in ALL}
    assert units == {
        "displacement": "m",
        "pseudo_velocity": "m/s",
        "pseudo_acceleration": "m/s²",
        "velocity": "m/s",
        "absolute_acceleration": "m/s²",
        "input_energy": "m²/s²",
    }
    assert several["velocity"]["period"].attrs["units"] == "s"
    said = several.attributes
    assert said["g"] == G
    assert said["hamex"] == hx.__version__
    assert "free vibration after the record" in said["peaks"]
    assert "power of two" in said["parts_of_steps"]
    assert "Chopra" in said["source"]
    assert "samples of the record" in hx.spectrum(MOTION, 0.5, g=G, peaks="samples").attributes["peaks"]
    assert "damping 2, period 3" in repr(several)


def test_saved_as_netcdf_and_as_csv(tmp_path):
    spec = hx.spectrum([MOTION, motion([1.0])], [0.1, 0.5, 2.0], [0.02, 0.05], g=G)
    with xr.open_dataset(spec.save(tmp_path / "s.nc"), engine="h5netcdf") as back:
        for name in ALL:
            assert back[name].values.tobytes() == spec.values(name).tobytes()
            assert back[name].attrs["units"] == spec.unit(name)
        assert back.attrs["interpolation"] == spec.attributes["interpolation"]
    lines = spec.save(tmp_path / "s.csv").read_text(encoding="utf-8").splitlines()
    comments = [line for line in lines if line.startswith("#")]
    assert comments[0] == f"# interpolation: {spec.attributes['interpolation']}"
    table = [line for line in lines if not line.startswith("#")]
    assert table[0].startswith("motion,damping [1],period [s],displacement [length]")
    assert len(table) == 1 + 2 * 2 * 3
    last = table[-1].split(",")
    assert last[:3] == ["made up", "0.05", "2.0"]
    assert [float(x) for x in last[3:]] == [spec.values(name)[1, 1, 2] for name in ALL]
    with pytest.raises(FileError, match="must be one of"):
        spec.save(tmp_path / "s.txt")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.csv", "s.nc"]


# Bad input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"periods": [0.1, 0.0]}, InputError, r"positive seconds, but periods\[1\] is 0"),
        ({"periods": [0.1, 0.2, math.nan]}, InputError, r"periods\[2\] is nan"),
        ({"periods": [-1.0]}, InputError, r"periods\[0\] is -1"),
        ({"periods": [0.1, math.inf]}, InputError, r"periods\[1\] is inf"),
        ({"periods": []}, InputError, r"got shape \(0,\)"),
        ({"periods": [[0.1, 0.2]]}, InputError, r"got shape \(1, 2\)"),
        ({"periods": "short"}, InputError, "periods must be numbers"),
        ({"periods": None}, InputError, r"periods\[0\] is nan"),
        ({"periods": [1e-6]}, InputError, r"periods\[0\] is 1e-06 s, far below the record's step"),
        ({"periods": [1e-310], "peaks": "samples"}, InputError, "far below .* 0.02 s; take at least 2e-08 s"),
        ({"periods": [1e12]}, InputError, r"periods\[0\] is 1e\+12 s; take at most"),
        ({"damping": 1.0}, InputError, r"0 ≤ ζ < 1 \(0.05 for 5 %\), but damping\[0\] is 1"),
        ({"damping": [0.05, -0.01]}, InputError, r"damping\[1\] is -0.01"),
        ({"damping": 5}, InputError, r"damping\[0\] is 5"),
        ({"damping": math.nan}, InputError, r"damping\[0\] is nan"),
        ({"damping": []}, InputError, "damping must be a number or"),
        ({"damping": [[0.05]]}, InputError, r"got shape \(1, 1\)"),
        ({"g": 0.0}, InputError, "g must be positive"),
        ({"g": math.nan}, InputError, "g must be positive"),
        ({"g": "g"}, InputError, "g must be positive"),
        ({"units": "m"}, UnitError, "units must be Units"),
        ({"units": hx.Units("in", "kip")}, UnitError, "one gravity is 386.089 in/s², but g is 9.80665"),
        ({"motion": [1.0, 2.0]}, LoadError, "must be a GroundMotion or a list of them"),
        ({"motion": []}, LoadError, "motion is empty"),
        ({"motion": 3}, LoadError, "got int"),
        ({"peaks": "all"}, InputError, "peaks must be one of 'inside', 'samples'; got 'all'"),
        ({"interpolation": "cubic"}, InputError, "interpolation must be one of 'linear', 'band-limited'"),
        ({"measures": ("displacment",)}, InputError, "unknown measure 'displacment'"),
        ({"threads": 0}, InputError, "threads must be a whole number, at least 1"),
        ({"threads": 1.5}, InputError, "threads must be a whole number"),
    ],
)
def test_bad_input_is_refused_by_name_before_any_work(arguments, error, told, monkeypatch):
    def never(*_):
        raise AssertionError("work began")

    monkeypatch.setattr("hamex.study.spectra.elastic.peaks", never)
    given = {"motion": MOTION, "periods": [0.1, 0.5], "g": G} | arguments
    with pytest.raises(error, match=told):
        hx.spectrum(**given)


def test_an_unknown_name_is_told_what_there_is():
    with pytest.raises(InputError, match="holds no 'Sa'; it has displacement, pseudo_velocity"):
        hx.spectrum(MOTION, [0.1], g=G)["Sa"]
    with pytest.raises(TypeError, match="g"):
        hx.spectrum(MOTION, [0.1])
