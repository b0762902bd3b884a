"""Schemes as data: special cases coincide, and the maps are those of the textbooks."""

import math

import numpy as np
import pytest
from textbook import gauss, radau

import hamex as hx
from hamex.lab.catalogue import CATALOGUE, find
from hamex.lab.free_vibration import load_at, oscillator_history
from hamex.schemes import (
    CentralDifference,
    GeneralisedAlpha,
    HilberHughesTaylor,
    Newmark,
    RhoBathe,
    RungeKutta4,
    WilsonTheta,
)
from hamex.schemes.implicit import composite, equal_parts
from hamex.schemes.prepare import scalars
from hamex.schemes.scheme import alpha_map, collocation_map, table_map

OMEGAS = np.array([0.1, 0.7, 2.5, 40.0])
ZETA = 0.07
NOISE = np.random.default_rng(3).normal(size=200)


def same(one, other, tolerance=1e-13):
    scale = np.abs(one.matrix).max()
    np.testing.assert_allclose(one.matrix, other.matrix, atol=tolerance * scale)
    np.testing.assert_allclose(one.loading, other.loading, atol=tolerance * scale)


def complex_factor(A, b, z):
    """Stability function of a table from its definition."""
    return 1 + z * b @ np.linalg.solve(np.eye(len(b)) - z * A, np.ones(len(b)))


def test_hht_with_alpha_zero_and_generalised_alpha_with_rho_one_are_newmark():
    newmark, one = Newmark(1.0), GeneralisedAlpha(1.0, rho=1.0)
    assert HilberHughesTaylor(1.0, alpha=0.0).numbers() == newmark.numbers()
    assert one.numbers() == (0.25, 0.5, 0.5, 0.5)
    # Balance at the middle instead of the ends: the same motion of u, by another row for the acceleration.
    for Omega in OMEGAS:
        found, wanted = (np.sort_complex(np.linalg.eigvals(m.linear(Omega, ZETA).matrix)) for m in (one, newmark))
        pairs = [values[np.abs(values.imag) > 1e-6] for values in (found, wanted)]
        np.testing.assert_allclose(*pairs, atol=1e-12)


def test_generalised_alpha_contains_hht():
    """α_m = 0 in the general formulas (Chung & Hulbert 1993) gives HHT's β and γ."""
    beta, gamma, alpha_m, alpha_f = HilberHughesTaylor(1.0, alpha=-0.2).numbers()
    assert beta == pytest.approx((1 - alpha_m + alpha_f) ** 2 / 4, abs=1e-15)
    assert gamma == pytest.approx(0.5 - alpha_m + alpha_f, abs=1e-15)


def test_newmark_average_acceleration_is_the_linear_time_element():
    """In u and u̇, once the acceleration that Newmark carries is written by the balance at the start."""
    newmark, element = (find(key).scheme.linear(OMEGAS, ZETA) for key in ("newmark-average", "galerkin-1"))
    for G, L, wanted, load, Omega in zip(
        newmark.matrix, newmark.loading, element.matrix, element.loading, OMEGAS, strict=True
    ):
        balance = np.vstack([np.eye(2), [-(Omega**2), -2 * ZETA * Omega]])
        np.testing.assert_allclose((G @ balance)[:2], wanted, atol=1e-12)
        carried = L[:2] + G[:2, 2:] * [1.0, 0.0]  # q₀ acts through the acceleration of the start
        np.testing.assert_allclose(carried, load, atol=1e-12)


def test_wilson_with_theta_one_is_newmark_linear_acceleration():
    same(collocation_map(OMEGAS, ZETA, 1.0, 1 / 6, 0.5), alpha_map(OMEGAS, ZETA, 0.0, 0.0, 1 / 6, 0.5))


def test_wilson_matrix_is_that_of_bathe_and_wilson():
    """K. J. Bathe & E. L. Wilson, EESD 1 (1973) 283-291; also Bathe, Finite Element Procedures, chapter 9."""
    theta, xi = 1.4, ZETA
    for Omega in OMEGAS:
        beta = 1 / (theta / Omega**2 + xi * theta**2 / Omega + theta**3 / 6)
        kappa = xi * beta / Omega
        printed = np.array(
            [  # (ü, u̇, u) with h = 1
                [1 - beta * theta**2 / 3 - 1 / theta - kappa * theta, -beta * theta - 2 * kappa, -beta],
                [
                    1 - 1 / (2 * theta) - beta * theta**2 / 6 - kappa * theta / 2,
                    1 - beta * theta / 2 - kappa,
                    -beta / 2,
                ],
                [
                    1 / 2 - 1 / (6 * theta) - beta * theta**2 / 18 - kappa * theta / 6,
                    1 - beta * theta / 6 - kappa / 3,
                    1 - beta / 6,
                ],
            ]
        )
        found = WilsonTheta(1.0, theta).linear(Omega, xi).matrix
        np.testing.assert_allclose(found[::-1, ::-1], printed, atol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, -0.1, -1 / 3])
def test_hht_invariants_are_those_of_the_paper(alpha):
    """λ³ − 2A₁λ² + A₂λ − A₃ = 0, undamped, in the form of Hilber, Hughes & Taylor, EESD 5 (1977) 283-292.

    It follows from Newmark's u₁ − 2u₀ + u₋₁ = h²(β ü₁ + (½ − 2β + γ) ü₀ + (½ + β − γ) ü₋₁) and
    ü₁ = −ω²((1 + α) u₁ − α u₀).
    """
    scheme = HilberHughesTaylor(1.0, alpha)
    beta, gamma, *_ = scheme.numbers()
    for Omega in OMEGAS:
        D = 1 + (1 + alpha) * beta * Omega**2
        G = scheme.linear(Omega).matrix
        minors = (np.trace(G) ** 2 - np.trace(G @ G)) / 2
        assert np.trace(G) / 2 == pytest.approx(
            1 - Omega**2 * ((1 + alpha) * (gamma + 0.5) - alpha * beta) / (2 * D), abs=1e-12
        )
        assert minors == pytest.approx(1 - Omega**2 * (gamma - 0.5 + 2 * alpha * (gamma - beta)) / D, abs=1e-11)
        assert np.linalg.det(G) == pytest.approx(alpha * Omega**2 * (beta - gamma + 0.5) / D, abs=1e-11)


@pytest.mark.parametrize("split", [0.5, 2 - math.sqrt(2), 0.3])
def test_composite_scheme_is_the_trapezoidal_rule_and_bdf2(split):
    """Stability function of TR-BDF2 for any split: Hosea & Shampine (1996)."""
    A, b, _ = composite(split)
    for z in (0.3j, -2.0, -0.5 + 3j, 10j):
        wanted = (2 * (2 - split) + (1 + (1 - split) ** 2) * z) / ((2 - split * z) * (2 - split - (1 - split) * z))
        assert complex_factor(A, b, z) == pytest.approx(wanted, abs=1e-13)


def test_bathe_is_second_order_and_l_stable():
    A, b, c = composite(0.5)
    np.testing.assert_allclose(b, 1 / 3, atol=1e-15)  # Bathe (2007): 3 u̇₁ = 4 u̇½ − u̇₀ + h ü₁, rearranged
    assert b.sum() == pytest.approx(1, abs=1e-15)
    assert b @ c == pytest.approx(0.5, abs=1e-15)
    assert b @ c**2 != pytest.approx(1 / 3, abs=1e-3)
    assert abs(complex_factor(A, b, 1e8j)) < 1e-7
    assert max(abs(complex_factor(A, b, 1j * y)) for y in np.geomspace(1e-3, 1e5, 200)) <= 1 + 1e-12


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.8, 1.0])
def test_composite_scheme_leaves_the_share_it_is_told(rho):
    for split in (0.5, equal_parts(rho)):
        A, b, _ = composite(split, rho)
        assert abs(complex_factor(A, b, 1e9j)) == pytest.approx(rho, abs=1e-6)
    if rho < 1:
        assert A[1, 1] == pytest.approx(A[2, 2], abs=1e-14), "equal effective stiffness in both parts"


def test_tr_bdf2_splits_at_two_minus_root_two():
    assert equal_parts(0.0) == pytest.approx(2 - math.sqrt(2), abs=1e-15)


def test_runge_kutta_4_is_the_exponential_cut_off():
    A, b, _ = RungeKutta4(1.0).table()
    for z in (0.4j, -1.3, 2j, -0.5 + 1j):
        assert complex_factor(A, b, z) == pytest.approx(sum(z**k / math.factorial(k) for k in range(5)), abs=1e-13)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_continuous_elements_are_gauss_collocation(degree):
    table = find(f"galerkin-{degree}").scheme.table()
    same(table_map(OMEGAS, ZETA, table.A, table.b, table.c), table_map(OMEGAS, ZETA, *gauss(degree)))


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_elements_with_jumps_are_radau_collocation(degree):
    same(find(f"discontinuous-{degree}").scheme.linear(OMEGAS, ZETA), table_map(OMEGAS, ZETA, *radau(degree + 1)))


def pade(numerator, denominator, z):
    """Padé approximant of the exponential, from its closed form."""

    def half(m, n, z):
        return sum(
            math.factorial(m + n - j)
            * math.factorial(m)
            * z**j
            / (math.factorial(m + n) * math.factorial(j) * math.factorial(m - j))
            for j in range(m + 1)
        )

    return half(numerator, denominator, z) / half(denominator, numerator, -z)


@pytest.mark.parametrize("z", [0.3j, 5j, -0.4 + 2j])
def test_elements_are_pade_approximants_with_damping(z):
    for entry in CATALOGUE:
        if entry.family in ("element", "jump"):
            table = entry.scheme.table()
            stages = len(table.b)
            top = stages if entry.family == "element" else stages - 1
            found = complex_factor(table.A, table.b, z)
            assert found == pytest.approx(pade(top, stages, z), abs=1e-13)


def problem(eta=0.0, kinematic=0.0, limit=0.27, **start):
    model = hx.oscillator(1.0, 225.0, 1.5, hx.Slider(limit, eta, kinematic))
    return hx.Problem(model, hx.Load(NOISE, step=0.02), duration=4.0, start=hx.State(**start))


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.key)
def test_elastic_runs_follow_the_linear_map(entry):
    """The kernels and the matrices share no code."""
    case = problem(limit=math.inf, displacement=1e-3, momentum=2e-2)
    x = scalars(case.model)
    load = load_at(case, 0.02, 200, entry.scheme.linear(1.0).nodes)
    wanted = oscillator_history(entry.scheme, 15.0, x.c / 30, 0.02, load, u=1e-3, v=2e-2)[:, 0]
    found = hx.solve(case, entry.make(0.02)).values("displacement")[:, 0]
    np.testing.assert_allclose(found, wanted, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize(("eta", "kinematic"), [(0.0, 0.0), (1.5, 0.0), (0.3, 25.0), (0.0, 25.0)])
def test_yielding_special_cases_coincide(eta, kinematic):
    start = {"displacement": 1e-3, "slip": 2e-4} | ({"internal": {"back_force": 0.02}} if kinematic else {})
    case = problem(eta, kinematic, **start)

    def run(scheme):
        found = hx.solve(case, scheme)
        return np.hstack([found.values("displacement"), found.values("slip")])

    linear = run(Newmark(0.02, beta=1 / 6, safeguarded=True))
    assert np.abs(np.diff(linear[:, 1])).max() > 1e-4
    np.testing.assert_allclose(run(WilsonTheta(0.02, theta=1.0)), linear, atol=1e-13)
    halves = run(Newmark(0.01, safeguarded=True))
    np.testing.assert_allclose(run(RhoBathe(0.02, rho=1.0)), halves[::2], atol=1e-13)  # two trapezoidal halves
    almost = run(Newmark(0.01, beta=1e-6, safeguarded=True))
    np.testing.assert_allclose(run(CentralDifference(0.01)), almost, atol=1e-6 * np.abs(almost).max())


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.key)
@pytest.mark.parametrize("eta", [0.0, 1.5])
@pytest.mark.every_value
def test_every_scheme_comes_to_the_same_yielding_motion(entry, eta):
    case = problem(eta, 9.0)
    exact = hx.solve(case, hx.Galerkin(0.02 / 256)).values("displacement")[::256, 0]
    found = hx.solve(case, entry.make(0.02 / 64)).values("displacement")[::64, 0]
    first_order = entry.order == 1
    assert np.abs(found - exact).max() < (0.1 if first_order else 0.01) * np.abs(exact).max()
