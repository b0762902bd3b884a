"""Stability for every c ≥ 0 and h > 0, elastic and plastic, by two independent proofs."""

import numpy as np
import pytest
import sympy as sp

from hamex.principle.library import action
from hamex.principle.stability import certificate, dashpot_square, jury, sign, verdict
from hamex.principle.stepform import step_form

m, c, a, Fy, eta, k = sp.symbols("m c a F_y eta k", positive=True)
x, y = sp.symbols("x y", positive=True)


# What pulls and what pushes is one matrix.
BRANCHES = ["elastic", "plus", pytest.param("minus", marks=pytest.mark.heavy)]


@pytest.fixture(scope="module")
def form():
    return step_form(action("viscoplastic"))


@pytest.mark.parametrize("branch", BRANCHES)
@pytest.mark.chief("plus")
def test_jury_holds_for_all_parameters(form, branch):
    found = verdict(form.amplification(branch))
    assert found.stable is True
    assert sum(n for _, n in found.factors) == 3  # λ = 1 twice (gauge and slip), one quadratic
    assert found.semisimple


@pytest.mark.parametrize("branch", BRANCHES)
def test_jury_holds_without_damping_too(form, branch):
    assert verdict(form.amplification(branch, {c: 0})).stable is True


@pytest.mark.parametrize("s", [1, 2, pytest.param(3, marks=pytest.mark.heavy)])
@pytest.mark.chief("1")
def test_every_degree_is_stable(s):
    G = step_form(action("forced"), s).amplification(values={m: 1, a: 1}).extract([0, 2], [0, 2])
    assert verdict(G).stable is True


def energy():
    p, e = sp.Matrix([[0, 0, 1, 0]]), sp.Matrix([[1, 0, 0, 1]])  # e = u − u₁ = u + P_J
    return (p.T * p / m + e.T * e / a) / 2


@pytest.mark.parametrize(
    ("branch", "losses"),
    [
        ("elastic", [(0, c)]),
        ("plus", [(0, c), (3, eta)]),
        pytest.param("minus", [(0, c), (3, eta)], marks=pytest.mark.heavy),
    ],
)
@pytest.mark.chief("elastic-losses0")
def test_energy_certificate(form, branch, losses):
    """Q − GᵀQG = (c/h)ΔuᵀΔu + (η/h)Δu₁ᵀΔu₁: a sum of squares, exactly."""
    squares = tuple(dashpot_square(form, branch, row, weight) for row, weight in losses)
    assert certificate(form, energy(), branch, squares).exact


def test_a_wrong_certificate_is_refused(form):
    squares = (dashpot_square(form, "plus", 0, c),)  # the slider's loss is missing
    assert not certificate(form, energy(), "plus", squares).exact


def test_an_unstable_matrix_is_called_unstable():
    assert verdict(sp.Matrix([[1 + x, 0], [0, sp.S.Half]])).stable is False
    assert verdict(sp.Matrix([[1, x], [0, 1]])).stable is False  # Jordan block: grows linearly


def test_what_cannot_be_decided_is_not_called_stable():
    assert verdict(sp.diag(x - y, sp.S.Half)).stable is not True


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (x + y, 1),
        (-x * y, -1),
        ((x - y) ** 2, 1),
        (x - y, None),
        (x / (x + 1), 1),
        (x - x, 0),
        (-(x + y) / (x * y), -1),
    ],
)
def test_signs(expression, expected):
    assert sign(expression) == expected


def random_polynomial(source, degree, radius):
    """Real, with all roots within a radius: pairs and single ones."""
    roots = []
    while len(roots) < degree:
        size = radius * np.sqrt(source.uniform())
        if degree - len(roots) >= 2:
            root = size * np.exp(1j * source.uniform(0, np.pi))
            roots += [root, root.conjugate()]
        else:
            roots.append(source.choice([-1, 1]) * size)
    return np.poly(roots).real


@pytest.mark.parametrize("degree", [4, 5, 6, 7, 8])
def test_roots_in_the_disc_are_told_from_roots_outside(degree):
    """Against numerical roots, away from the circle by more than their error."""
    source = np.random.default_rng(degree)
    lam = sp.Symbol("lambda")
    seen = set()
    for radius in (0.7, 0.98, 1.02, 1.3) * 4:
        coefficients = random_polynomial(source, degree, radius)
        rational = [sp.Rational(round(1e6 * float(c)), 10**6) for c in coefficients]
        largest = np.abs(np.roots([float(c) for c in rational])).max()
        if abs(largest - 1) > 1e-4:
            holds = all(i.holds for i in jury(sp.Poly(rational, lam)))
            assert holds == (largest < 1)
            seen.add(holds)
    assert seen == {True, False}


@pytest.mark.parametrize("turn", [sp.Rational(3, 5), sp.Rational(-7, 5)])
def test_roots_on_the_circle_are_those_of_an_even_polynomial(turn):
    """(λ² − 2aλ + 1)(λ² − 2bλ + 1) as one quartic: on the circle for |a|, |b| < 1, and off it beyond."""
    lam = sp.Symbol("lambda")
    together = sp.Poly(sp.expand((lam**2 - 2 * turn * lam + 1) * (lam**2 + lam / 2 + 1)), lam)
    assert all(i.holds for i in jury(together)) == (abs(turn) < 1)


def test_two_storeys_in_one_quartic():
    """Two masses on two springs, all different: the quartic does not factor, and is decided for all parameters."""
    from hamex.principle import Action, t

    u, v = (sp.Function(name)(t) for name in "uv")
    m_2, k_2 = sp.symbols("m_2 k_2", positive=True)
    energy = (m * u.diff(t) ** 2 + m_2 * v.diff(t) ** 2 - k * u**2 - k_2 * (v - u) ** 2) / 2
    storeys = Action((u, v), energy, c * u.diff(t) ** 2 / 2)
    G = step_form(storeys).amplification(values={m: 1, k: 1})
    found = verdict(G)
    assert max(sp.degree(factor, sp.Symbol("lambda")) for factor, _ in found.factors) == 4
    assert found.stable is True
    undamped = verdict(G.subs(c, 0))
    assert undamped.stable is True


def test_a_quartic_that_can_leave_the_disc_is_refuted():
    lam = sp.Symbol("lambda")
    found = jury(sp.Poly(lam**4 + x * lam + y / 2, lam))
    assert False in [i.holds for i in found]


def test_a_repeated_pair_on_the_circle_must_be_semisimple():
    turn = sp.Matrix([[sp.Rational(3, 5), sp.Rational(-4, 5)], [sp.Rational(4, 5), sp.Rational(3, 5)]])
    assert verdict(sp.diag(turn, turn)).stable is True
    chained = sp.diag(turn, turn)
    chained[0, 2] = chained[1, 3] = 1
    assert verdict(chained).stable is False
    half = chained / 2  # inside, a chain dies out
    assert verdict(half).stable is True


def test_where_eigenvalues_may_meet_nothing_is_claimed():
    """Analytic: the rotating mass has a double eigenvalue 1 where k = mΩ², and no proof of two eigenvectors."""
    m, k, Omega = sp.symbols("m k Omega", positive=True)
    found = verdict(step_form(action("gyroscopic")).amplification())
    assert found.stable is None
    assert any(sp.rem(f, k - m * Omega**2, k) == 0 for f in found.exceptions)
