"""Stability for every c ≥ 0 and h > 0, elastic and plastic, by two independent proofs."""

import pytest
import sympy as sp

from hamex.principle.library import action
from hamex.principle.stability import certificate, dashpot_square, sign, verdict
from hamex.principle.stepform import step_form

m, c, a, Fy, eta, k = sp.symbols("m c a F_y eta k", positive=True)
x, y = sp.symbols("x y", positive=True)


# What pulls and what pushes is one matrix.
BRANCHES = ["elastic", "plus", pytest.param("minus", marks=pytest.mark.heavy)]


@pytest.fixture(scope="module")
def form():
    return step_form(action("viscoplastic"))


@pytest.mark.parametrize("branch", BRANCHES)
def test_jury_holds_for_all_parameters(form, branch):
    found = verdict(form.amplification(branch))
    assert found.stable is True
    assert sum(n for _, n in found.factors) == 3  # λ = 1 twice (gauge and slip), one quadratic
    assert found.semisimple


@pytest.mark.parametrize("branch", BRANCHES)
def test_jury_holds_without_damping_too(form, branch):
    assert verdict(form.amplification(branch, {c: 0})).stable is True


@pytest.mark.parametrize("s", [1, 2, pytest.param(3, marks=pytest.mark.heavy)])
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
