"""Step matrices of sections 5.1 to 5.4 from the action, and the Padé family of higher degrees."""

from math import factorial

import pytest
import sympy as sp

from hamex.principle.library import action
from hamex.principle.stepform import gauss, h, shapes, step_form

m, c, a, Fy, eta, k = sp.symbols("m c a F_y eta k", positive=True)
tau = sp.Symbol("tau", real=True)
X = h**2 + 2 * a * c * h + 4 * a * m  # (75)
Y = 4 * m * a - 2 * a * c * h - h**2  # (77)
PAPER = sp.diag(1, 1, 1, -1)  # û₁ = −P̂_J


@pytest.fixture(scope="module")
def elastic():
    return step_form(action("forced"))


@pytest.fixture(scope="module")
def plastic():
    return step_form(action("viscoplastic"))


def equal(one, other):
    return (sp.Matrix(one) - sp.Matrix(other)).applyfunc(sp.cancel) == sp.zeros(*sp.Matrix(one).shape)


def test_equations_51_and_52_rows_of_the_virtual_values(elastic):
    u0, J0, p0, P0 = elastic.knowns
    u1, J1, p1, P1 = elastic.unknowns
    load = elastic.load_symbols[elastic.action.fields[0]][0]
    du, dJ = u1 - u0, J1 - J0
    expected = [
        (m / h + c / 2) * du + dJ / 2 - load * h / 2 - p0,
        (-m / h + c / 2) * du + dJ / 2 - load * h / 2 + p1,
        a / h * dJ - (u0 + u1) / 2 - P0,
        -a / h * dJ + (u0 + u1) / 2 + P1,
    ]
    for row, printed in zip(elastic.branches["smooth"], expected, strict=True):
        assert sp.expand(row - printed) == 0


def test_equation_53(elastic):
    B, D, z = elastic.matrices()
    f = elastic.load_symbols[elastic.action.fields[0]][0]
    keep, order = [0, 1, 2], [0, 2, 1]  # rows; columns (u, p, J)
    assert equal(
        B.extract(keep, order), [[m / h + c / 2, 0, sp.S.Half], [-m / h + c / 2, 1, sp.S.Half], [-sp.S.Half, 0, a / h]]
    )
    assert equal(
        D.extract(keep, order), [[m / h + c / 2, 1, sp.S.Half], [-m / h + c / 2, 0, sp.S.Half], [sp.S.Half, 0, a / h]]
    )
    assert equal(z.extract(keep, [0]), [[h * f / 2], [h * f / 2], [0]])


def printed(b, d, z):
    """(66)-(68): columns u, J, p, u₁."""
    s = sp.S.Half
    B = [[m / h + c / 2, s, 0, 0], [-m / h + c / 2, s, 1, 0], [-s, a / h + b, 0, 0], [s, -a / h + b, 0, -1]]
    D = [[m / h + c / 2, s, 1, 0], [-m / h + c / 2, s, 0, 0], [s, a / h + d, 0, -1], [-s, -a / h + d, 0, 0]]
    return sp.Matrix(B), sp.Matrix(D), z


@pytest.mark.parametrize(
    ("branch", "beta", "gamma"),
    [("elastic", 0, 0), ("plus", 1 / (2 * eta), h / (2 * eta) * Fy), ("minus", 1 / (2 * eta), -h / (2 * eta) * Fy)],
)
def test_equations_62_to_68(plastic, branch, beta, gamma):
    B, D, z = plastic.matrices(branch)
    B0, D0, _ = printed(beta, beta, None)
    f = plastic.load_symbols[plastic.action.fields[0]][0]
    assert equal(B * PAPER, B0)
    assert equal(D * PAPER, D0)
    assert equal(z, [[h * f / 2], [h * f / 2], [gamma], [gamma]])


@pytest.mark.parametrize(("branch", "sign"), [("plus", 1), ("minus", -1), ("elastic", 0)])
def test_equations_62_and_63_rows_of_the_virtual_impulse(plastic, branch, sign):
    """±(a/h ΔJ − ū) with û₁ and the discrete dissipation Dφ of (64)."""
    u0, J0, _, P0 = plastic.knowns
    u1, J1, _, P1 = plastic.unknowns
    slip = (h / (2 * eta) * ((J1 - J0) / h - sign * Fy)) if sign else 0  # (64)
    compatibility = a / h * (J1 - J0) - (u0 + u1) / 2
    first, second = plastic.branches[branch][2:]
    assert sp.expand(first - (compatibility + -P0 + slip)) == 0  # û₁ = −P̂_J
    assert sp.expand(second - (-compatibility + P1 + slip)) == 0


def test_the_branches_meet_the_algorithm_of_5_2(plastic):
    """Conditions on ΔJ/h: above Fy, below −Fy, otherwise."""
    _, J0, *_ = plastic.knowns
    _, J1, *_ = plastic.unknowns
    values = {J0: 1, h: sp.Rational(1, 2), Fy: 2}
    for new, expected in ((3, "plus"), (-1, "minus"), (sp.Rational(3, 2), "elastic")):
        met = [name for name, condition in plastic.conditions.items() if condition.subs({**values, J1: new}) == sp.true]
        assert met[0] == expected


def test_equations_74_to_77_inverse_and_amplification(elastic):
    B, _, _ = elastic.matrices()
    inverse = B.extract([0, 1, 2], [0, 2, 1]).inv()
    expected = [
        [4 * a * h / X, 0, -2 * h**2 / X],
        [-(h**2 + 2 * a * c * h - 4 * a * m) / X, 1, -4 * m * h / X],
        [2 * h**2 / X, 0, 2 * (2 * m + c * h) * h / X],
    ]
    assert equal(inverse, expected)
    G = elastic.amplification().extract([0, 2, 1], [0, 2, 1])
    assert equal(
        G,
        sp.Matrix(
            [
                [4 * m * a + 2 * a * c * h - h**2, 4 * a * h, 0],
                [-4 * m * h, Y, 0],
                [2 * (2 * m + c * h) * h, 2 * h**2, X],
            ]
        )
        / X,
    )


def test_equations_78_and_79_balance_and_velocity(elastic):
    """Sum and difference of the first two rows."""
    first, second = elastic.branches["smooth"][:2]
    u0, J0, p0, _ = elastic.knowns
    u1, J1, p1, _ = elastic.unknowns
    f = elastic.load_symbols[elastic.action.fields[0]][0]
    assert sp.expand(first + second - (p1 - p0 + c * (u1 - u0) + (J1 - J0) - h * f)) == 0
    assert sp.expand(first - second - (2 * m / h * (u1 - u0) - (p1 + p0))) == 0


def test_equations_85_and_86_inverses(plastic):
    Be = plastic.matrices("elastic")[0] * PAPER
    assert equal(
        Be.inv(),
        [
            [4 * a * h / X, 0, -2 * h**2 / X, 0],
            [2 * h**2 / X, 0, 2 * h * (2 * m + c * h) / X, 0],
            [Y / X, 1, -4 * m * h / X, 0],
            [0, 0, -1, -1],
        ],
    )
    Z = eta * X + 2 * h * m + c * h**2
    Bp = plastic.matrices("plus")[0] * PAPER
    assert equal(
        Bp.inv(),
        [
            [2 * h * (h + 2 * a * eta) / Z, 0, -2 * h**2 * eta / Z, 0],
            [2 * h**2 * eta / Z, 0, 2 * h * eta * (2 * m + c * h) / Z, 0],
            [(eta * Y - c * h**2 + 2 * h * m) / Z, 1, -4 * h * m * eta / Z, 0],
            [2 * h**2 / Z, 0, (-eta * X + 2 * h * m + c * h**2) / Z, -1],
        ],
    )


@pytest.mark.parametrize("s", [1, 2, 3])
@pytest.mark.chief("1", "2")
def test_degree_s_is_pade_s_s_with_damping(s):
    """Analytic reference: the diagonal Padé approximant of the exponential of the state matrix."""
    G = step_form(action("forced"), s).amplification(values={m: 1, a: 1}).extract([0, 2], [0, 2])
    A = h * sp.Matrix([[0, 1], [-1, -c]])
    weights = [
        sp.Rational(factorial(2 * s - j) * factorial(s), factorial(2 * s) * factorial(j) * factorial(s - j))
        for j in range(s + 1)
    ]
    numerator = sum((w * A**j for j, w in enumerate(weights)), sp.zeros(2))
    denominator = sum((w * (-A) ** j for j, w in enumerate(weights)), sp.zeros(2))
    assert equal(denominator * G, numerator)


@pytest.mark.parametrize("s", [1, 2, pytest.param(3, marks=pytest.mark.heavy)])
def test_displacement_alone_with_s_gauss_points_is_the_same_step(s):
    """Under-integration makes (½ku²) as stable as the mixed form: the same amplification of (u, p)."""
    mixed = step_form(action("mixed"), s).amplification(values={m: 1, a: 1}).extract([0, 2], [0, 2])
    alone = step_form(action("harmonic"), s).amplification(values={m: 1, k: 1})
    assert equal(mixed, alone)


@pytest.mark.parametrize("points", [1, 2, 3, 4])
def test_gauss_without_its_points(points):
    """Exact below degree 2·points, and the rule's own value beyond (reference: numpy's points)."""
    import numpy as np

    x, w = np.polynomial.legendre.leggauss(points)
    for degree in range(2 * points + 3):
        mine = float(gauss(tau**degree, points))
        assert mine == pytest.approx(float(np.sum(w / 2 * ((x + 1) / 2) ** degree)), abs=1e-14)
        if degree < 2 * points:
            assert mine == pytest.approx(1 / (degree + 1), abs=1e-15)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_shape_functions_sum_to_one_and_hit_their_nodes(degree):
    N = shapes(degree)
    assert sp.expand(sum(N)) == 1
    for i, n in enumerate(N):
        for j in range(degree + 1):
            node = sp.Rational(j, degree) if degree else 0
            assert n.subs(tau, node) == (1 if i == j else 0)
