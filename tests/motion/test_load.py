"""Loads: samples and functions seen at nodes and averaged over steps; references are exact integrals."""

import math
import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import hamex as hx
from hamex.errors import LoadError, ShortRunWarning, StepWarning
from hamex.march import samples as sampling

EPS = np.finfo(float).eps
RNG = np.random.default_rng(11)
SAMPLES = RNG.normal(size=41)
STEP = 0.02
RATIOS = (1, 1 / 2, 1 / 3, 0.7, 2, 5, 2.5, 7 / 3, 1 / 40, 13)


def exact_integral(samples, step, t):
    """∫₀ᵗ of the polyline with one zero appended, in rational arithmetic; t and step are taken as they are stored."""
    f = [Fraction(x) for x in (*samples, 0.0)]
    x = min(Fraction(t) / Fraction(step), Fraction(len(f) - 1))
    i = min(int(x), len(f) - 2)
    part = x - i
    whole = sum((f[j] + f[j + 1]) / 2 for j in range(i))
    return (whole + f[i] * part + (f[i + 1] - f[i]) * part**2 / 2) * Fraction(step)


def exact_means(samples, step, h, steps):
    edges = [exact_integral(samples, step, Fraction(h) * r) for r in range(steps + 1)]
    return np.array([float((b - a) / Fraction(h)) for a, b in pairwise(edges)])


def polyline(times):
    return np.interp(times, np.arange(42) * STEP, [*SAMPLES, 0.0], right=0.0)


# Samples ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", RATIOS, ids="{:.3g}".format)
def test_mean_of_samples_is_the_integral(ratio):
    h = ratio * STEP
    steps = math.ceil(44 / ratio)  # past the end of the record
    values = hx.Load(SAMPLES, step=STEP).step_values(h, steps, "mean")
    assert values.shape == (steps, 1)
    exact = exact_means(SAMPLES, STEP, h, steps)
    assert np.abs(values[:, 0] - exact).max() <= 1e-14 * np.abs(SAMPLES).max()


@pytest.mark.parametrize("ratio", RATIOS, ids="{:.3g}".format)
@pytest.mark.filterwarnings("ignore::hamex.errors.StepWarning")
def test_average_and_end_look_at_the_interpolated_nodes(ratio):
    h = ratio * STEP
    steps = math.ceil(44 / ratio)
    load = hx.Load(SAMPLES, step=STEP)
    nodes = polyline(np.arange(steps + 1) * h)
    assert np.abs(load.node_values(h, steps)[:, 0] - nodes).max() <= 1e-13
    end, average = (load.step_values(h, steps, rule)[:, 0] for rule in ("end", "average"))
    assert np.array_equal(end, load.node_values(h, steps)[1:, 0])
    assert np.array_equal(average, (load.node_values(h, steps)[1:, 0] + load.node_values(h, steps)[:-1, 0]) / 2)


def test_at_the_record_step_nodes_are_the_samples_themselves():
    load = hx.Load(SAMPLES, step=STEP)
    assert np.array_equal(load.node_values(STEP, 40)[:, 0], SAMPLES)
    assert np.array_equal(load.node_values(STEP / 4, 160)[::4, 0], SAMPLES)


@pytest.mark.parametrize(
    ("h", "step", "nodes", "samples"),
    [(0.3, 0.1, 1, 3), (0.1, 0.3, 3, 1), (0.07, 0.1, 10, 7), (0.013, 0.025, 25, 13), (1.1, 0.1, 1, 11)],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::hamex.errors.StepWarning")
def test_a_node_that_falls_on_a_sample_is_that_sample(h, step, nodes, samples):
    """To the bit, although 0.3/0.1 is not 3 in binary."""
    record = np.random.default_rng(13).normal(size=1000)
    shared = 999 // samples
    values = hx.Load(record, step=step).node_values(h, shared * nodes)[::nodes, 0]
    assert np.array_equal(values, record[: shared * samples + 1 : samples])


@pytest.mark.parametrize("ratio", [math.pi / 12, 1 / math.sqrt(7), math.e])
def test_ratios_that_are_no_fraction_do_not_drift(ratio):
    """After thousands of steps the clock is still right to round-off of the time itself."""
    h, steps = ratio * 0.5, 5000
    samples = np.random.default_rng(12).normal(size=int(ratio * steps) + 2)
    x = np.array([float(Fraction(h) * r / Fraction(0.5)) for r in range(steps + 1)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StepWarning)
        values = hx.Load(samples, step=0.5).node_values(h, steps)[:, 0]
    nodes = np.interp(x, np.arange(len(samples) + 1), [*samples, 0.0])
    assert np.abs(values - nodes).max() <= 1e-11 * np.abs(samples).max()


@pytest.mark.parametrize("ratio", [1e-5, 7e-7, 3e-9])
def test_a_slow_ramp_is_followed_by_small_steps(ratio):
    load = hx.Load([0.0, 1.0], step=1000.0)
    h = ratio * 1000.0
    nodes = np.arange(11) * h / 1000.0
    assert np.allclose(load.node_values(h, 10)[:, 0], nodes, rtol=1e-9, atol=0)
    assert np.allclose(load.step_values(h, 10, "mean")[:, 0], (nodes[1:] + nodes[:-1]) / 2, rtol=1e-9, atol=0)


def test_one_zero_sample_follows_the_record_and_then_nothing():
    load = hx.Load([0.0, 4.0], step=1.0)
    assert load.node_values(0.25, 14)[:, 0].tolist() == [0, 1, 2, 3, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0]
    assert load.step_values(1.0, 4, "mean")[:, 0].tolist() == [2, 2, 0, 0]
    assert load.end == 1.0


def test_channels_and_patterns():
    samples = RNG.normal(size=(9, 2))
    patterns = np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 3.0]])
    load = hx.Load(samples, step=STEP, patterns=patterns)
    assert load.channels == 2
    assert np.array_equal(load.node_values(STEP, 8), samples)
    assert np.array_equal(load.scaled(-2.5).patterns, -2.5 * patterns)
    assert np.array_equal(hx.Load(samples, step=STEP).scaled(3.0).patterns, 3.0 * np.eye(2))


def test_samples_are_kept_as_given_and_cannot_be_written():
    given = np.array([1.0, 2.0])
    load = hx.Load(given, step=STEP)
    given[0] = 7.0
    assert load.forces[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        load.forces[0, 0] = 3.0


@pytest.mark.parametrize(
    ("ratio", "rule", "warns"),
    [
        (2, "average", True),
        (2, "end", True),
        (2, "mean", False),
        (1.001, "average", True),
        (1, "average", False),
        (1 + 1e-12, "average", False),
        (0.5, "end", False),
    ],
)
def test_a_step_longer_than_the_records_warns_unless_the_mean_is_taken(ratio, rule, warns):
    model = hx.oscillator(1, 225)
    problem = hx.Problem(model, hx.Load(SAMPLES, step=STEP), duration=10 * ratio * STEP)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ShortRunWarning)  # ten steps of the record
        hx.solve(problem, hx.Galerkin(step=ratio * STEP, load=rule))
    assert [w.category for w in caught] == [StepWarning] * warns
    if warns:
        assert 'use load="mean"' in str(caught[0].message)
        assert caught[0].filename == __file__


def test_the_reference_schemes_warn_too():
    problem = hx.Problem(hx.oscillator(1, 225), hx.Load(SAMPLES, step=STEP), duration=20 * STEP)
    for scheme in (hx.Newmark, hx.PiecewiseExact):
        with pytest.warns(StepWarning, match=r"longer than the record's 0\.02 s"):
            hx.solve(problem, scheme(step=2 * STEP))


# Functions -------------------------------------------------------------------------------------------------


class Metered:
    """Counts the points a function is asked for, and stops a quadrature that never ends."""

    def __init__(self, function, most=200_000):
        self.function, self.most, self.points = function, most, 0

    def __call__(self, t):
        self.points += np.size(t)
        assert self.points <= self.most, "the quadrature does not come to an end"
        return self.function(t)


@pytest.mark.parametrize("h", [0.001, 0.02, 0.3])
@pytest.mark.parametrize("start", [0.0, 40.0, 3000.0])
def test_mean_of_a_sine_is_exact_to_round_off(start, h):
    omega, steps = 15.0, 20
    r = round(start / h) + np.arange(steps)
    load = hx.Load(Metered(lambda t: np.sin(omega * t))).after(r[0] * h)
    middle = (r + 0.5) * h
    exact = np.sin(omega * middle) * np.sin(omega * h / 2) / (omega * h / 2)  # (cos a − cos b)/(ωh), no cancelling
    noise = EPS * (1 + omega * (middle + h))  # ulp of the argument itself
    assert np.all(np.abs(load.step_values(h, steps, "mean")[:, 0] - exact) <= 4 * noise)


FUNCTIONS = {
    # name: function, antiderivative
    "constant": (lambda t: 3.5 + 0 * t, lambda t: 3.5 * t),
    "scalar constant": (lambda t: 3.5, lambda t: 3.5 * t),
    "line": (lambda t: 2 * t - 1, lambda t: t * t - t),
    "polynomial": (lambda t: t**7, lambda t: t**8 / 8),
    "decay": (lambda t: np.exp(-3 * t), lambda t: -np.exp(-3 * t) / 3),
    "kink": (lambda t: np.abs(t - 0.4321), lambda t: (t - 0.4321) * np.abs(t - 0.4321) / 2),
    "jump": (lambda t: np.where(t < 0.4321, 1.0, -2.0), lambda t: np.where(t < 0.4321, t, 0.4321 - 2 * (t - 0.4321))),
    "scalars only": (lambda t: math.cos(t) if t < 0.4321 else 0.0, lambda t: np.sin(np.minimum(t, 0.4321))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_mean_of_a_function_is_the_integral(name):
    function, primitive = FUNCTIONS[name]
    h, steps = 0.1, 10
    edges = np.arange(steps + 1) * h
    exact = np.diff(primitive(edges)) / h
    values = hx.Load(Metered(function)).step_values(h, steps, "mean")[:, 0]
    assert np.abs(values - exact).max() <= 4e-15 / h


@pytest.mark.parametrize("where", [0.5, 0.501, 0.4901, 0.25, 0.2507, 1 / 3, 0.9999, 1e-6], ids=str)
def test_a_jump_anywhere_in_a_step_is_found(where):
    """Also near the middle, where eight Gauss points and twice eight agree by symmetry and are both wrong."""
    h = 0.1
    for jump in (4 + where) * h * (1 + np.arange(5) * 1e-9):
        load = hx.Load(Metered(lambda t, jump=jump: np.where(t < jump, 1.0, -2.0)))
        mean = load.step_values(h, 10, "mean")[4, 0]
        assert mean == pytest.approx(1 - 3 * (5 - jump / h), abs=1e-13)


def test_a_function_that_knows_only_seven_digits_comes_to_an_end():
    """Single precision, e.g. a table read by another program: halving cannot help beyond its last digit."""
    load = hx.Load(Metered(lambda t: np.sin(15 * t).astype(np.float32), most=1_000_000))
    middle = (np.arange(5) + 0.5) * 0.02
    exact = np.sin(15 * middle) * np.sin(0.15) / 0.15
    assert np.abs(load.step_values(0.02, 5, "mean")[:, 0] - exact).max() <= 1e-7


@pytest.mark.parametrize("size", [1e-14, 1e-12, 1e-8])
def test_noise_is_not_chased_for_ever(size):
    noisy = Metered(lambda t: np.sin(15 * t) + size * np.sin(1e9 * t), most=500_000)
    middle = (np.arange(50) + 0.5) * 0.02
    exact = np.sin(15 * middle) * np.sin(0.15) / 0.15
    assert np.abs(hx.Load(noisy).step_values(0.02, 50, "mean")[:, 0] - exact).max() <= size + 1e-14


def test_many_jumps_and_kinks_in_one_step_are_all_found():
    """A square wave of 37 rad/s over steps of 1 s; its integral is the triangle wave."""
    edges = np.arange(11.0)
    exact = np.diff(np.arccos(np.cos(37 * edges)) / 37)
    means = hx.Load(Metered(lambda t: np.sign(np.sin(37 * t)), most=1_000_000)).step_values(1.0, 10, "mean")[:, 0]
    assert np.abs(means - exact).max() <= 1e-12


def test_naming_the_breaks_saves_work_and_changes_nothing():
    def pulse(t):
        return np.where((t > 0.137) & (t < 0.8214), 1.0 + t, 0.0)

    blind, told = Metered(pulse), Metered(pulse)
    without = hx.Load(blind).step_values(0.1, 10, "mean")
    given = hx.Load(told, breaks=(0.137, 0.8214)).step_values(0.1, 10, "mean")
    assert np.abs(without - given).max() <= 1e-13
    assert told.points <= 500 < blind.points


def test_a_break_belongs_to_the_clock_of_the_function():
    jump = Metered(lambda t: np.where(t < 1.05, 1.0, 0.0))
    load = hx.Load(jump, breaks=(1.05,)).after(1.0)
    assert load.step_values(0.1, 2, "mean")[:, 0] == pytest.approx([0.5, 0.0], abs=1e-14)
    assert jump.points <= 100


@pytest.mark.parametrize("function", [math.sin, np.sin, lambda t: math.sin(t)], ids=["math", "numpy", "lambda"])
def test_functions_of_numbers_and_of_arrays_are_alike(function):
    nodes = hx.Load(function).node_values(0.1, 5)
    assert nodes.shape == (6, 1)
    assert np.allclose(nodes[:, 0], np.sin(np.arange(6) * 0.1), rtol=2e-16, atol=0)


@pytest.mark.parametrize("rule", ["average", "end", "mean"])
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
def test_a_function_that_is_not_finite_is_refused_with_the_time(rule):
    load = hx.Load(lambda t: np.where(t < 0.35, 1.0, math.nan))
    with pytest.raises(LoadError, match=r"the function is not finite at t = 0\.[34]"):
        load.step_values(0.1, 5, rule)


def test_functions_never_warn_about_skipped_samples():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hx.Load(np.sin).step_values(5.0, 3, "average")


# after(): the rest of a load --------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["average", "end", "mean"])
@pytest.mark.parametrize("ratio", [1, 1 / 3, 0.7, 1 / math.pi, 0.03], ids="{:.3g}".format)
def test_the_rest_of_a_record_is_read_with_the_same_bits(ratio, rule):
    h, steps = ratio * STEP, 60
    load = hx.Load(SAMPLES, step=STEP)
    whole = load.step_values(h, steps, rule)
    for cut in range(steps):
        rest = load.after(cut * h).step_values(h, steps - cut, rule)
        assert rest.tobytes() == whole[cut:].tobytes(), cut


def test_the_rest_from_any_time_is_the_shifted_polyline():
    load = hx.Load(SAMPLES, step=STEP)
    for time in (0.0137, 0.1 + 1e-5, 0.5 * math.sqrt(2)):
        nodes = load.after(time).node_values(STEP / 4, 100)[:, 0]
        assert np.abs(nodes - polyline(time + np.arange(101) * STEP / 4)).max() <= 1e-12
    assert not load.after(10.0).node_values(STEP, 5).any()


def test_after_adds_up_off_the_grid():
    load, function = hx.Load(SAMPLES, step=STEP), hx.Load(np.sin)
    times = 0.0137 + 0.0055 + np.arange(31) * STEP
    assert np.abs(load.after(0.0137).after(0.0055).node_values(STEP, 30)[:, 0] - polyline(times)).max() <= 1e-12
    assert np.abs(function.after(0.0137).after(0.0055).node_values(STEP, 30)[:, 0] - np.sin(times)).max() <= 1e-15


def test_after_adds_up():
    load = hx.Load(SAMPLES, step=STEP)
    twice = load.after(7 * STEP).after(5 * STEP)
    assert twice.node_values(STEP, 30).tobytes() == load.after(12 * STEP).node_values(STEP, 30).tobytes()
    assert load.after(0.1).end == pytest.approx(load.end - 0.1, abs=1e-15)


@pytest.mark.parametrize(
    "load", [hx.Load(np.sin), hx.Load(np.arange(200_000.0), step=1.0)], ids=["function", "samples"]
)
def test_after_adds_up_millions_of_steps_later(load):
    h, last = 0.01, 19_999_900
    whole = load.after(last * h).node_values(h, 50)
    assert whole.any()
    for first in (1, 3, 7, 12_345_679):
        rest = load.after(first * h).after((last - first) * h).node_values(h, 50)
        assert rest.tobytes() == whole.tobytes()


# What a kernel reads by itself --------------------------------------------------------------------------------


def test_a_reading_names_the_place_of_the_nodes_among_the_samples():
    load = hx.Load(SAMPLES, step=STEP).after(0.013).after(3 * STEP / 4).scaled(-2.5)
    reading = load.reading(STEP / 4, "end")
    assert np.array_equal(reading.samples, SAMPLES)
    assert (reading.base, reading.first, reading.ratio) == (0.013 / STEP, 3, 0.25)
    assert (reading.rule, reading.scale) == (sampling.END, -2.5)
    assert [load.reading(STEP, rule).rule for rule in ("average", "mean")] == [sampling.AVERAGE, sampling.MEAN]


@pytest.mark.parametrize(
    "load",
    [
        hx.Load(np.sin),
        hx.Load(np.ones((4, 2)), 0.1, patterns=np.ones((1, 2))),
        hx.Load(np.ones(4), 0.1, patterns=np.ones((3, 1))),
        hx.Load(np.ones(4), 0.1) + hx.Load(np.ones(4), 0.1),
    ],
    ids=["function", "two channels", "three dofs", "sum"],
)
def test_what_is_no_single_record_on_one_dof_has_no_reading(load):
    assert load.reading(0.1, "average") is None


def test_a_reading_warns_of_skipped_samples_as_values_do():
    load = hx.Load(SAMPLES, step=STEP)
    for rule in ("average", "end"):
        with pytest.warns(StepWarning):
            load.reading(3 * STEP, rule)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load.reading(3 * STEP, "mean")
        load.reading(3 * STEP, "average", quiet=True)
        load.reading(STEP, "average")


# Wrong input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (([], 0.1), "at least one sample"),
        (([[]], 0.1), "at least one sample"),
        ((5.0, 0.1), "at least one sample"),
        ((np.zeros((2, 2, 2)), 0.1), "at least one sample"),
        (([0.0, math.nan, 1.0], 0.1), r"sample 1 is not finite \(nan\)"),
        (([0.0, 1.0, -math.inf], 0.1), r"sample 2 is not finite \(-inf\)"),
        ((["a", "b"], 0.1), "forces must be numbers"),
        (([1.0],), "samples need their time step"),
        (([1.0], 0), "step must be a positive number of seconds, got 0"),
        (([1.0], -0.1), "step must be a positive number"),
        (([1.0], math.nan), "step must be a positive number"),
        (([1.0], "0.1"), "step must be a positive number"),
        ((math.sin, 0.1), "a function has no sample step"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_load_refuses(args, message):
    with pytest.raises(LoadError, match=f"Load: .*{message}"):
        hx.Load(*args)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"patterns": np.ones((2, 3))}, r"patterns must be finite, \(dof, 1\)"),
        ({"patterns": [[math.nan]]}, "patterns must be finite"),
        ({"patterns": "all"}, "patterns must be"),
        ({"breaks": [math.nan]}, "breaks must be"),
        ({"breaks": ["a"]}, "breaks must be"),
    ],
    ids=str,
)
def test_load_refuses_the_rest(more, message):
    with pytest.raises(LoadError, match=f"Load: .*{message}"):
        hx.Load([1.0, 2.0], step=0.1, **more)


@pytest.mark.parametrize("time", [-0.1, math.nan, math.inf, "later"], ids=repr)
def test_after_refuses(time):
    with pytest.raises(LoadError, match=r"Load\.after: time must be a finite number"):
        hx.Load([1.0], step=0.1).after(time)


@pytest.mark.parametrize("factor", [math.nan, math.inf, "twice"], ids=repr)
def test_scaled_refuses(factor):
    with pytest.raises(LoadError, match=r"Load\.scaled: the factor must be"):
        hx.Load([1.0], step=0.1).scaled(factor)


def test_an_unknown_rule_is_refused():
    with pytest.raises(LoadError, match="rule"):
        hx.Load([1.0], step=0.1).step_values(0.1, 3, "begin")
