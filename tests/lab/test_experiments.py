"""The experiments give the numbers of theory and of the textbooks."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from hamex.lab import convergence, free_vibration
from hamex.lab.catalogue import CATALOGUE, find
from hamex.schemes import CentralDifference, Newmark, WilsonTheta

KEYS = [entry.key for entry in CATALOGUE]


def at_tenth(key):
    found = free_vibration.spectral_properties(find(key).scheme, 0.1)
    return 100 * found.elongation[0], 100 * found.damping[0]


@pytest.mark.parametrize(("degree", "elongation", "digits"), [(1, 3.207, 5e-4), (2, 0.0211, 5e-5), (3, 0.0001, 5e-5)])
def test_elements_lengthen_the_period_by_so_much_and_damp_nothing(degree, elongation, digits):
    found, damping = at_tenth(f"galerkin-{degree}")
    assert found == pytest.approx(elongation, abs=digits)
    assert damping == pytest.approx(0, abs=1e-11)


def test_phase_error_of_the_elements_is_that_of_theory():
    """(s!)²/((2s)!(2s + 1)!)·Ω^2s: Hairer, Lubich & Wanner, Geometric Numerical Integration, for Gauss methods."""
    for s in (1, 2, 3):
        Omega = (0.02, 0.1, 0.4)[s - 1]
        leading = math.factorial(s) ** 2 / (math.factorial(2 * s) * math.factorial(2 * s + 1)) * Omega ** (2 * s)
        found = free_vibration.spectral_properties(find(f"galerkin-{s}").scheme, Omega / (2 * np.pi)).elongation[0]
        assert found == pytest.approx(leading, rel=0.03)


@pytest.mark.parametrize("beta", [0.25, 1 / 6, 0.0])
def test_newmark_lengthens_the_period_as_goudreau_and_taylor_say(beta):
    """γ = 1/2: T̄/T − 1 = (β − 1/12)Ω²/2 + O(Ω⁴), Goudreau & Taylor (1972); Hughes (1987), chapter 9: 4th order at
    β = 1/12 (Fox-Goodwin)."""
    Omega = 0.05
    scheme = Newmark(1.0, beta=beta) if beta else CentralDifference(1.0)
    found = free_vibration.spectral_properties(scheme, Omega / (2 * np.pi)).elongation[0]
    assert found == pytest.approx(0.5 * (beta - 1 / 12) * Omega**2, rel=2e-3)
    fox_goodwin = free_vibration.spectral_properties(Newmark(1.0, beta=1 / 12), Omega / (2 * np.pi)).elongation[0]
    assert abs(fox_goodwin) < 1e-7


@pytest.mark.parametrize(
    ("key", "elongation", "damping"),
    [
        # Closed forms: tan(Ω̄/2)² = Ω²/4 / (1 + (β − 1/4)Ω²) for γ = 1/2 (Hughes 1987, chapter 9).
        ("newmark-average", 100 * (math.pi / 10 / math.atan(math.pi / 10) - 1), 0.0),
        ("newmark-linear", 100 * (math.pi / 10 / math.atan(math.pi / 10 / math.sqrt(1 - math.pi**2 / 300)) - 1), 0.0),
        ("central", 100 * (math.pi / 10 / math.asin(math.pi / 10) - 1), 0.0),
        # Backward Euler: λ = 1/(1 − iΩ).
        (
            "discontinuous-0",
            100 * (math.pi / 5 / math.atan(math.pi / 5) - 1),
            50 * math.log(1 + (math.pi / 5) ** 2) / math.atan(math.pi / 5),
        ),
    ],
)
def test_closed_forms_at_a_tenth_of_the_period(key, elongation, damping):
    assert at_tenth(key) == pytest.approx((elongation, damping), abs=1e-9)


def test_newmark_with_gamma_above_one_half_damps_to_first_order():
    """ζ̄ = (γ − 1/2)Ω/2 + O(Ω²): Hughes (1987), chapter 9."""
    found = free_vibration.spectral_properties(find("newmark-damped").scheme, 0.001).damping[0]
    assert found == pytest.approx(0.1 * 0.002 * math.pi / 2, rel=0.01)


def test_physical_damping_is_seen_as_it_is():
    found = free_vibration.spectral_properties(find("galerkin-3").scheme, 0.05, zeta=0.1)
    assert found.damping[0] == pytest.approx(0.1 / math.sqrt(1 - 0.1**2), rel=1e-6)
    assert found.elongation[0] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("entry", CATALOGUE, ids=KEYS)
def test_stability_is_as_listed(entry):
    limit = free_vibration.stability_limit(entry.scheme)
    assert limit == pytest.approx(entry.limit, rel=1e-3)
    if math.isinf(limit):
        assert free_vibration.remains(entry.scheme) == pytest.approx(entry.remains, abs=5e-4)


def test_wilson_needs_theta_above_1_37():
    """Bathe & Wilson (1973): unconditionally stable for θ ≥ 1.37."""
    assert math.isinf(free_vibration.stability_limit(WilsonTheta(1.0, theta=1.37)))
    assert free_vibration.stability_limit(WilsonTheta(1.0, theta=1.36)) < 1000


def test_overshoot_is_where_the_literature_finds_it():
    """Hilber & Hughes (1978): Wilson-θ in displacement, as Ω²; the α-method in velocity, not in displacement."""
    shots = {entry.key: free_vibration.overshoot(entry.scheme) for entry in CATALOGUE}
    assert shots["wilson"].from_displacement[0] > 100
    assert shots["hht"].from_displacement == pytest.approx((1.0, 1.28), abs=0.01)
    for key in ("galerkin-1", "galerkin-2", "galerkin-3", "discontinuous-1", "bathe", "tr-bdf2"):
        assert max(*shots[key].from_displacement, *shots[key].from_velocity) <= 1 + 1e-9
    assert [key for key, shot in shots.items() if shot is None] == ["newmark-linear", "central", "runge-kutta-4"]


@pytest.mark.parametrize("key", KEYS)
def test_energy_is_kept_by_the_conservative_schemes_only(key):
    found = free_vibration.drift(find(key).make, periods=500)
    if key.startswith("galerkin") or key == "newmark-average":
        assert found.largest < 1e-10
    elif key in ("newmark-linear", "central"):
        assert 1e-4 < found.largest < 0.05, "a neighbour of the energy is kept"
    else:
        assert found.end < 1 - 1e-3


@pytest.mark.parametrize("entry", CATALOGUE, ids=KEYS)
def test_measured_order_on_a_smooth_problem(entry):
    found = convergence.measured_order(entry, "smooth")
    assert found.order == pytest.approx(entry.order, abs=0.1)


# One of each family here, all in `make test-all`; the order of all on a smooth problem stands above.
FAMILIES = {
    "galerkin-1",
    "galerkin-2",
    "discontinuous-1",
    "newmark-average",
    "generalised-alpha",
    "bathe",
    "central",
    "runge-kutta-4",
}


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=entry.key, marks=[] if entry.key in FAMILIES else [pytest.mark.heavy])
        for entry in CATALOGUE
        if entry.order > 1
    ],
)
@pytest.mark.chief("galerkin-1", "newmark-average")
def test_order_on_yielding_problems(entry):
    """End-point return maps are first order with viscosity; nothing passes second order by much."""
    returns = entry.family in ("alpha", "collocation") or entry.key in ("bathe", "bathe-rho", "central")
    viscous = convergence.measured_order(entry, "viscous").order
    assert viscous == pytest.approx(1 if returns else 2, abs=0.1 if returns else 0.4)
    assert convergence.measured_order(entry, "rate-independent").order == pytest.approx(2, abs=0.4)


def test_stiff_and_soft():
    """Bathe & Noh (2012): the trapezoidal rule carries the stiff motion along, Bathe's method does not."""
    found = {entry.key: free_vibration.stiff_soft(entry.scheme) for entry in CATALOGUE}
    assert found["newmark-average"].stiff_velocity > 0.5
    assert found["newmark-average"].reaction > 10
    for key in ("bathe", "tr-bdf2", "discontinuous-1", "discontinuous-2"):
        assert found[key].stiff_velocity < 0.02
        assert found[key].reaction < 0.1
    assert math.isinf(found["central"].reaction)
    assert found["galerkin-3"].soft_displacement < 1e-6


def test_wave_front():
    exact = free_vibration.front(find("central").scheme)
    assert exact.overshoot == pytest.approx(0, abs=1e-10)
    assert exact.ringing == pytest.approx(0, abs=1e-10)
    ringing = free_vibration.front(find("galerkin-1").scheme).ringing
    assert free_vibration.front(find("discontinuous-1").scheme).ringing < 0.3 * ringing
    assert free_vibration.front(find("central").scheme, 2.0) is None
    assert free_vibration.exact_front(np.array([0.0, 1.0, 1.9])).tolist() == [0, 1, 2]


def test_work_and_precision_finds_the_time_of_an_error():
    found = convergence.work_precision(find("galerkin-3"), "elastic", halvings=3)
    assert found.errors[-1] < 1e-8
    assert np.all(found.cpu > 0)
    made_up = convergence.WorkPrecision(np.array([2.0, 1.0]), np.array([1.0, 4.0]), np.array([1e-2, 1e-4]))
    assert made_up.cpu_for(1e-3) == pytest.approx(2.0)
    assert made_up.cpu_for(0.1) == 1.0
    assert math.isnan(made_up.cpu_for(1e-5))


@pytest.mark.heavy
def test_degree_three_needs_a_third_of_the_time_of_degree_one():
    one, three = (convergence.work_precision(find(f"galerkin-{s}"), "elastic") for s in (1, 3))
    assert three.cpu_for(1e-6) < one.cpu_for(1e-6) / 3


@pytest.mark.heavy
def test_peaks_of_rate_independent_oscillators():
    """Newmark with its return map is off by about half a per cent (median) and 4 % (90th percentile)."""
    assert len(convergence.oscillators()) == 72
    found = {
        name: convergence.peak_errors(name, make)
        for name, make in convergence.SCHEMES
        if name in ("Newmark, return map", "Galerkin, degree 1", "Discontinuous, degree 2")
    }
    newmark, element, jumps = found.values()
    assert 0.002 < newmark.median < 0.008
    assert 0.02 < newmark.ninety < 0.06
    assert element.median > newmark.median
    assert jumps.median < newmark.median
    assert jumps.ninety < newmark.ninety
    assert newmark.overstress_median == pytest.approx(0, abs=1e-6)
    assert jumps.overstress_median == pytest.approx(0, abs=1e-6)
    assert 0.05 < element.overstress_median < 0.3, "the midpoint rule overshoots at the nodes"


def test_bilinear_oscillators_keep_so_much_of_their_stiffness():
    problem = convergence.oscillators(0.05)[0]
    hardening, stiffness = problem.model.laws["slider"].kinematic[0], 1 / problem.model.flexibility[0, 0]
    assert hardening * stiffness / (hardening + stiffness) == pytest.approx(0.05 * stiffness)


@pytest.mark.heavy
def test_the_table_in_the_docs_is_the_measured_one():
    text = (Path(__file__).parents[2] / "docs" / "which-scheme.md").read_text(encoding="utf-8")
    rows = [
        re.sub(r"[*`]", "", row).strip("| ").split(" | ")
        for row in text.splitlines()
        if re.match(r"\|[^|]+\|( \**[\d.]+\** \|){7}$", row)
    ]
    perfect, bilinear = convergence.compare(), convergence.compare(0.05)
    assert len(rows) == len(perfect)
    for row, one, two in zip(rows, perfect, bilinear, strict=True):
        assert row[0].split(",")[0].startswith(one.name.split(",")[0])
        measured = (
            one.median,
            one.ninety,
            one.peaks.max(),
            one.slip_median,
            one.overstress_median,
            two.median,
            two.ninety,
        )
        assert [float(cell) for cell in row[1:]] == pytest.approx([100 * value for value in measured], abs=0.06)


def test_overstress_stays_in_the_continuous_elements_and_not_in_those_with_jumps():
    """The must of the laboratory: below 1 % of the yield force with jumps, where degree 1 zigzags."""
    found = {run.name: run for run in convergence.overstress()}
    assert found["Galerkin, degree 1"].largest > 0.1
    assert max(found[f"Discontinuous, degree {s}"].largest for s in (1, 2)) < 0.01
    flips = np.diff(np.sign(np.diff(found["Galerkin, degree 1"].force))) != 0
    calm = np.diff(np.sign(np.diff(found["Discontinuous, degree 1"].force))) != 0
    assert flips.sum() > 1.3 * calm.sum()
