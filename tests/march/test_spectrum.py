"""Kernels of the elastic spectra against the matrix exponential, dense looking and closed forms."""

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import expm

from hamex.march import oscillator, run
from hamex.march import samples as exact_step
from hamex.march import spectrum as kernels
from hamex.march.samples import propagator

RNG = np.random.default_rng(20)
NOISE = np.append(RNG.normal(size=400), 0.0)
STEP = 0.02
PERIODS = np.geomspace(0.03, 10.0, 29)
KINDS = (kernels.DISPLACEMENT, kernels.VELOCITY, kernels.ABSOLUTE_ACCELERATION)
RATIOS = [0.0, 1e-9, 0.05, 0.7, 0.999999, 1.0, 1.5, 20.0]


def peaks(a, h, periods, zeta, kind=0, inside=True, compiled=True):
    kernel = run.settled(kernels.peaks, INSIDE=inside)
    out = np.empty(len(periods))
    (run.compiled(kernel) if compiled else kernel)(
        a, h, 2 * np.pi / np.asarray(periods), np.full(len(periods), zeta), kind, out
    )
    return out


def looked_at(a, h, period, zeta, parts, longer=1.0):
    """Largest |u|, |v|, |absolute acceleration| of the exact motion, looked at ``parts`` times a step."""
    w, fine = 2 * math.pi / period, h / parts
    after = np.zeros(math.ceil(longer * period / fine))
    dense = np.append(np.interp(np.arange((len(a) - 1) * parts + 1) / parts, np.arange(len(a)), a), after)
    system = np.zeros((4, 4))
    system[0, 1], system[1], system[2, 3] = 1, [-(w**2), -2 * zeta * w, -1, 0], 1 / fine
    flow = expm(system * fine)
    u, v = np.zeros(len(dense)), np.zeros(len(dense))
    rows = [(row[0], row[1], row[2] - row[3], row[3]) for row in flow[:2]]
    run.compiled(oscillator.recurrence)(dense, *rows[0], *rows[1], u, v)
    return np.array([np.abs(x).max() for x in (u, v, w * w * u + 2 * zeta * w * v)])


@pytest.mark.parametrize("zeta", RATIOS)
def test_the_numbers_of_a_step_are_those_of_the_matrix_exponential(zeta):
    """Displacement, h times velocity, and a load with slope and curvature that ride along as states."""
    for theta in (1e-8, 1e-3, 0.05, 0.3, 0.34, 0.9, 1.0, 1.1, math.pi, 7.0, 30.0):
        sigma, phi0, phi1, phi2 = propagator(theta, zeta)
        beta, square = zeta * theta, theta * theta
        flow = expm(
            np.array(
                [[0, 1, 0, 0, 0], [-square, -2 * beta, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
            )
        )
        ours = [
            [1 - square * phi0, sigma, phi0, phi0 - phi1, phi0 / 2 - phi1 + phi2 / 2],
            [-square * sigma, 1 - square * phi0 - 2 * beta * sigma, sigma, phi0, phi0 - phi1],
        ]
        # Loads per unit of h²: their share shrinks with θ², and so do the errors let through.
        scale = np.array(
            [[1, 1 / (1 + theta), *[1 / (1 + square)] * 3], [1 + theta, 1, 1 / (1 + theta), *[1 / (1 + square)] * 2]]
        )
        assert (np.abs(np.array(ours) - flow[:2]) <= 1e-12 * scale * (1 + theta)).all(), theta


def test_slow_oscillators_lose_no_digits():
    """1 − uu and the like would be zero in doubles at θ = 1e-9; the series knows them to the last digit."""
    sigma, phi0, phi1, phi2 = propagator(1e-9, 0.05)
    assert (sigma, phi0, phi1, phi2) == pytest.approx(
        (1 - 0.5e-10, 0.5 - 1e-10 / 6, 1 / 3 - 1e-10 / 8, 1 / 4 - 1e-10 / 10), rel=4e-16
    )


@pytest.mark.parametrize("zeta", RATIOS)
def test_the_numbers_of_a_step_have_the_same_bits_compiled_or_not(zeta):
    for theta in (1e-5, 0.4, 3.0, 200.0):
        assert run.compiled(propagator)(theta, zeta) == propagator(theta, zeta)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("inside", [True, False])
def test_plain_and_compiled_agree(kind, inside):
    """Lanes are NumPy arrays without the compiler; products and sums are fused with it."""
    short, periods = NOISE[-60:], [0.04, 0.5, 3.0]
    plain, machine = (peaks(short, STEP, periods, 0.05, kind, inside, compiled) for compiled in (False, True))
    assert plain == pytest.approx(machine, rel=1e-13)


@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.4, 0.98])
@pytest.mark.parametrize("record", [NOISE, NOISE[-3:], np.array([1.0, 0.0])], ids=["noise", "two samples", "one"])
def test_peaks_inside_the_steps_are_those_of_the_motion_looked_at_closely(record, zeta):
    found = np.array([peaks(record, STEP, PERIODS, zeta, kind) for kind in KINDS]).T
    close = np.array([looked_at(record, STEP, period, zeta, 50) for period in PERIODS])
    assert (found >= close * (1 - 1e-11)).all()
    assert (found <= close * (1 + 2e-3)).all()  # a hundredth of a step beside the peak
    assert (found > close * (1 + 1e-9)).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.9])
def test_peaks_inside_the_steps_do_not_depend_on_where_the_samples_are(kind, zeta):
    """Three samples for one of the same polygon: the same motion, other steps, other parts; equal to round-off."""
    whole = peaks(NOISE, STEP, PERIODS, zeta, kind)
    dense = np.interp(np.arange(3 * (len(NOISE) - 1) + 1) / 3, np.arange(len(NOISE)), NOISE)
    assert peaks(dense, STEP / 3, PERIODS, zeta, kind) == pytest.approx(whole, rel=2e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_peaks_at_samples_are_the_largest_samples(kind):
    found = peaks(NOISE, STEP, PERIODS, 0.05, kind, inside=False)
    close = np.array([looked_at(NOISE, STEP, period, 0.05, 1, longer=0.0)[kind] for period in PERIODS])
    assert found == pytest.approx(close, rel=1e-12)


def test_very_long_periods_keep_their_digits():
    """The displacement tends to that of the ground: a pulse up, one down and a rest, whose double integral is known."""
    h, record = 0.01, np.array([0.0, 1.0, -1.0, -1.0, 1.0, 0.0])
    ground = h * h * (1 / 6 + 1 / 2 + 1 / 6 + 1 / 8)  # where the velocity h/2 is used up, half a step after node 2
    # What is left falls with the frequency: nothing but physics is seen, down to the last digits.
    off = [peaks(record, h, [period], 0.05)[0] / ground - 1 for period in (1e2, 1e4, 1e6)]
    assert off[0] / off[1] == pytest.approx(100, rel=0.01)
    assert off[1] / off[2] == pytest.approx(100, rel=1e-4)
    assert abs(off[2]) < 1e-7


def test_at_samples_slow_oscillators_keep_their_digits_through_long_records():
    """The recurrence of the quick ones would be off by 1e-9 at 300 s."""
    record = np.append(RNG.normal(size=40_000), 0.0)
    for period in (2.0, 60.0, 300.0):
        close = looked_at(record, STEP, period, 0.0, 1, longer=0.0)[0]
        assert peaks(record, STEP, [period], 0.0, inside=False)[0] == pytest.approx(close, rel=5e-12)


def closely(series, terms):
    x = np.linspace(0.0, 1.0, 2001)
    return np.abs(np.polynomial.polynomial.polyval(x, series[0, :terms])).max()


def test_the_peak_of_any_step_is_found_with_one_turning_point_or_two():
    visited = {0: 0, 1: 0, 2: 0}
    for _ in range(1500):
        theta, zeta = RNG.uniform(0.01, 2 * math.pi / kernels.FINEST), RNG.choice([0.0, 0.05, 0.6, 0.95])
        beta, square = zeta * theta, theta * theta
        q0, start, l0, l1 = RNG.normal(size=4) * RNG.choice([1.0, 1e-3, 30.0], size=4)
        if RNG.random() < 0.5:  # a slope that comes to zero and back
            start, l0, l1 = 0.2 * abs(l0), -abs(l0), abs(l0)
        sigma, phi0, phi1, _ = propagator(theta, zeta)
        rise = -square * phi0 * q0 + sigma * start + phi1 * l0 + (phi0 - phi1) * l1
        first, last = exact_step.ends(q0, rise, l0, l1, square, beta, sigma, phi0, phi1)
        assert first == pytest.approx(start, rel=1e-9, abs=1e-10 * (abs(q0) + abs(l0) + abs(l1)))
        space, own = np.zeros((3, exact_step.TERMS)), np.zeros((3, exact_step.TERMS))
        margin = 0.125 * math.exp(beta) / math.cos(0.5 * theta)
        nodes = max(abs(q0), abs(q0 + rise))
        found = exact_step.largest(q0, q0 + rise, first, last, l0, l1, square, beta, margin, nodes, space)
        dense = closely(own, exact_step.expand(q0, first, l0, l1, square, beta, own))
        assert own[0].sum() == pytest.approx(q0 + rise, rel=1e-12, abs=1e-13 * np.abs(own[0]).sum())
        assert dense * (1 - 1e-12) <= found <= dense + 1e-7 * np.abs(own[0]).sum()
        slopes = np.polynomial.polynomial.polyval(np.linspace(0, 1, 201), np.polynomial.polynomial.polyder(own[0]))
        visited[int(np.count_nonzero(np.diff(np.sign(slopes))))] += 1
    assert min(visited.values()) >= 100


@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.7, 0.999])
def test_the_first_swing_after_a_node_is_the_largest(zeta):
    for q, slope in ((1.0, 0.5), (-1.0, 0.5), (0.3, -2.0), (0.0, 1.0), (-0.2, -0.4)):
        theta = 0.3
        beta, square = zeta * theta, theta * theta
        found = exact_step.afterwards(q, slope, square, beta, 0.0)
        d = math.sqrt(square - beta * beta)
        x = np.linspace(1e-9, 1.2 * math.pi / d, 400_001)
        free = np.exp(-beta * x) * (q * np.cos(d * x) + (slope + beta * q) / d * np.sin(d * x))
        size = np.abs(free)
        turns = (size[1:-1] >= size[:-2]) & (size[1:-1] > size[2:])
        assert found == pytest.approx(size[1:-1][turns].max(), rel=1e-7)
        assert exact_step.afterwards(q, slope, square, beta, 10.0) == 10.0


@pytest.mark.parametrize("zeta", [1 - 1e-10, 1 - 3e-14, 1.0])
def test_the_only_swing_next_to_critical_damping(zeta):
    """q = (q₀ + (q̇₀ + ωq₀) t) exp(−ωt)"""
    for q, slope, expected in (
        (0.0, 1.0, math.exp(-1) / 0.3),
        (1.0, 0.3, 2 * math.exp(-0.5)),
        (1.0, -1.0, (0.7 / 0.21 - 1) * math.exp(-0.3 / 0.21)),
    ):
        assert exact_step.afterwards(q, slope, 0.09, zeta * 0.3, 0.0) == pytest.approx(expected, rel=1e-6)
    assert exact_step.afterwards(1.0, -0.1, 0.09, zeta * 0.3, 0.0) <= 1.0  # falls and never turns


@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.5])
def test_input_energy_is_what_is_stored_and_lost(zeta):
    """½v² + ½ω²u² + 2ζω∫v² dt by Gauss points in every step, from the propagator of a fraction of the step."""
    periods = np.array([0.03, 0.3, 2.0, 50.0])
    out = np.empty(len(periods))
    run.compiled(exact_step.input_energy)(NOISE, STEP, 2 * np.pi / periods, np.full(len(periods), zeta), out)
    points, weights = np.polynomial.legendre.leggauss(24)
    for period, energy in zip(periods, out, strict=True):
        w, u, v, lost = 2 * math.pi / period, 0.0, 0.0, 0.0
        maps = [step_map(w, zeta, STEP, 0.5 * (1 + x)) for x in points] + [step_map(w, zeta, STEP, 1.0)]
        for now, after in itertools.pairwise(NOISE):
            inside = [m @ [u, v, -now, -after] for m in maps]
            lost += STEP / 2 * sum(g * state[1] ** 2 for g, state in zip(weights, inside, strict=False))
            u, v = inside[-1]
        balance = 0.5 * v * v + 0.5 * w * w * u * u + 2 * zeta * w * lost
        assert energy == pytest.approx(balance, rel=1e-10)


def step_map(w, zeta, h, x):
    """(u, v, l₀, l₁) at the start of a step to (u, v) at the fraction x of it."""
    sigma, phi0, phi1, _ = propagator(w * h * x, zeta)
    t, beta, square = h * x, zeta * w * h * x, (w * h * x) ** 2
    first, last = t * t * np.array([phi1, phi0 - phi1]), t * np.array([sigma - phi0, phi0])
    there = np.array([[1, 0], [1 - x, x]])  # l at x between its ends
    return np.array(
        [
            [1 - square * phi0, t * sigma, *(first @ there)],
            [-w * w * t * sigma, 1 - square * phi0 - 2 * beta * sigma, *(last @ there)],
        ]
    )
