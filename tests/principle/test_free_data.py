"""Which data are free: singular Lagrangians with the numbers of textbooks, and laws that need no textbook."""

import random

import pytest
import sympy as sp

from hamex.errors import ActionError
from hamex.principle.action import Action
from hamex.principle.jets import is_zero, t
from hamex.principle.library import action

m, k, c, B, g, l, R, e_ = sp.symbols("m k c B g l R epsilon", positive=True)
x, y, z, u, v, p, J, N, theta, phi, lam = (
    sp.Function(name)(t) for name in ("x", "y", "z", "u", "v", "p", "J", "N", "theta", "phi", "lambda")
)


def d(q):
    return q.diff(t)


PLANE = m * (d(x) ** 2 + d(y) ** 2) / 2
SPACE = PLANE + m * d(z) ** 2 / 2
BLADE = d(x) * sp.sin(theta) - d(y) * sp.cos(theta)
TURNING = PLANE + d(theta) ** 2 / 2

# name: (action, rank of the Hessian, number of data, arbitrary functions, index); by whom, where it is not plain
KNOWN = {
    # External: A. M. Bloch, Nonholonomic Mechanics and Control, § 1.4: four places and two rates.
    "upright rolling disk": (
        lambda: Action(
            (x, y, theta, phi),
            TURNING + d(phi) ** 2 / 2,
            constraints=(d(x) - R * sp.cos(phi) * d(theta), d(y) - R * sp.sin(phi) * d(theta)),
        ),
        *(4, 6, 0, 2),
    ),
    # External: N. H. Christ and T. D. Lee, Phys. Rev. D 22 (1980) 939: the radius alone moves, where it is not zero.
    "Christ and Lee, polar": (
        lambda: Action((u, theta, z), d(u) ** 2 / 2 + u**2 * (d(theta) - z) ** 2 / 2 - k * u**2 / 2),
        *(2, 2, 1, None),
    ),
    # Analysis: one freedom, and λ(0); a parameter may stand below.
    "bead on a parabola": (lambda: Action((x, y, lam), PLANE - m * g * y + d(lam) * (y - x**2 / (2 * R))), 2, 3, 0, 1),
    # Analysis: y = x/2 follows at every instant.
    "massless middle": (lambda: Action((x, y), m * d(x) ** 2 / 2 - k * (x - y) ** 2 / 2 - k * y**2 / 2), 1, 2, 0, 1),
    # External: L. Faddeev and R. Jackiw, Phys. Rev. Lett. 60 (1988) 1692: first order in time, as many data as fields.
    "phase space": (lambda: Action((x, p), p * d(x) - p**2 / (2 * m) - k * x**2 / 2), 0, 2, 0, 0),
    "first-order pair": (lambda: Action((u, v), (v * d(u) - u * d(v)) / 2 - (u**2 + v**2) ** 2 / 4), 0, 2, 0, 0),
    # External: G. Dunne, R. Jackiw, C. Trugenberger, Phys. Rev. D 41 (1990) 661: the plane becomes a phase space.
    "strong magnetic field": (lambda: Action((x, y), B * x * d(y) - k * (x**2 + y**2) / 2), 0, 2, 0, 0),
    # Analysis: c ẋ + k x = 0.
    "dashpot and spring": (lambda: Action((x,), -k * x**2 / 2, c * d(x) ** 2 / 2), 0, 1, 0, 0),
    "massless joint": (lambda: Action((u, v), m * d(u) ** 2 / 2 - k * (u - v) ** 2 / 2, c * d(v) ** 2 / 2), 1, 3, 0, 0),
    # Analysis: φ = −e x/ε at every instant, an electric potential.
    "piezo": (lambda: Action((x, phi), m * d(x) ** 2 / 2 - k * x**2 / 2 + c * x * phi + e_ * phi**2 / 2), 1, 2, 0, 1),
    # External: E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, VII.1: index 3; two data.
    "pendulum, multiplier": (lambda: Action((x, y, lam), PLANE - m * g * y + lam * (x**2 + y**2 - l**2)), 2, 2, 0, 3),
    "pendulum, stated": (lambda: Action((x, y), PLANE - m * g * y, constraints=(x**2 + y**2 - l**2,)), 2, 2, 0, 3),
    # The same with an impulse: its value is one more constant, and the multiplier's rate lowers the index by two.
    "pendulum, impulse": (lambda: Action((x, y, lam), PLANE - m * g * y + d(lam) * (x**2 + y**2 - l**2)), 2, 3, 0, 1),
    "sphere": (lambda: Action((x, y, z, lam), SPACE - m * g * z + lam * (x**2 + y**2 + z**2 - 1)), 3, 4, 0, 3),
    # External: J. Neimark and N. Fufaev, Dynamics of Nonholonomic Systems (1972): places free, rates less one.
    "blade": (lambda: Action((x, y, theta), TURNING, constraints=(BLADE,)), 3, 5, 0, 2),
    "rolling on a line": (
        lambda: Action((x, theta), (m * d(x) ** 2 + d(theta) ** 2) / 2, constraints=(d(x) - R * d(theta),)),
        2,
        3,
        0,
        2,
    ),
    # External: N. Christ and T. D. Lee, Phys. Rev. D 22 (1980) 939: the angle is a gauge, the radius and its rate stay.
    "Christ-Lee": (
        lambda: Action((x, y, z), (d(x) + y * z) ** 2 / 2 + (d(y) - x * z) ** 2 / 2 - k * (x**2 + y**2) / 2),
        2,
        2,
        1,
        None,
    ),
    # External: M. Henneaux and C. Teitelboim, Quantization of Gauge Systems (1992): 2n − 2·(first class) − (second).
    "pure gauge": (lambda: Action((x, y), (d(x) - y) ** 2 / 2), 1, 0, 1, None),  # 4 − 2·2, § 1.6
    "parametrised particle": (lambda: Action((x, y), m * d(x) ** 2 / (2 * d(y)) - k * x**2 * d(y) / 2), 1, 2, 1, None),
    "relativistic particle": (lambda: Action((x, y), -m * sp.sqrt(d(y) ** 2 - d(x) ** 2)), 1, 2, 1, None),  # § 4.2
    "einbein": (lambda: Action((x, y, N), (d(x) ** 2 - d(y) ** 2) / (2 * N) - N * m**2 / 2), 2, 2, 1, None),
    # External: R. Cawley, Phys. Rev. Lett. 42 (1979) 413. The solutions are z = 0, ẍ = 0, y anything: two data, though
    # counting each constraint as first class, after Dirac's conjecture, would leave none.
    "Cawley": (lambda: Action((x, y, z), d(x) * d(z) + y * z**2 / 2), 2, 2, 1, None),
    # Analysis: a Proca field in one mode, y = ẋ/(1 + k).
    "Proca": (lambda: Action((x, y), (d(x) - y) ** 2 / 2 - k * x**2 / 2 - k * y**2 / 2), 1, 2, 0, 1),
    # Analysis: W = [[1, 1], [1, 1]]; the difference of the equations is x = y.
    "one mass, two names": (lambda: Action((x, y), m * (d(x) + d(y)) ** 2 / 2 - k * (x - y) ** 2 / 2), 1, 2, 0, 2),
    # The paper's own: u, P_u, P_J, and J, whose value is a gauge.
    "mixed": (lambda: action("mixed"), 2, 4, 0, 0),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.chief(
    "massless middle",
    "phase space",
    "strong magnetic field",
    "dashpot and spring",
    "blade",
    "pure gauge",
    "Cawley",
    "mixed",
)
def test_the_number_of_free_data_is_the_textbooks(name):
    build, rank, count, functions, index = KNOWN[name]
    found = build().data()
    assert not found.undecided
    assert (found.hessian_rank, found.count, len(found.arbitrary), found.index) == (rank, count, functions, index)


def linear(seed):
    """L = ½ẋᵀMẋ + ẋᵀGx − ½xᵀKx, φ = ½ẋᵀCẋ with small integers and ranks from 0 on, and its operator."""
    source, n = random.Random(seed), 3

    def square(rank):
        rows = [[source.randint(-2, 2) for _ in range(n)] for _ in range(rank)]
        return sp.Matrix(rows).T * sp.Matrix(rows) if rank else sp.zeros(n)

    M, C, K = square(source.randint(0, 2)), square(source.choice((0, 0, 1, 2))), square(3)
    G = sp.Matrix(n, n, lambda i, j: source.choice((0, 0, 1)))
    q = sp.Matrix([x, y, z])
    L = (d(q).T * M * d(q) / 2 + d(q).T * G * q - q.T * K * q / 2)[0]
    phi = (d(q).T * C * d(q) / 2)[0]
    s = sp.Symbol("s")
    return (sp.expand(L), sp.expand(phi)), (M * s**2 + (G - G.T + C) * s + K).det(method="berkowitz"), s


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.chief("0", "5")
def test_of_linear_systems_it_is_the_degree_of_the_determinant(seed):
    """Analysis: det(Ms² + (G − Gᵀ + C)s + K) of degree r has r exponential solutions, whatever the ranks."""
    (L, phi), determinant, s = linear(seed)
    if not all(L.has(q) or phi.has(q) for q in (x, y, z)) or sp.expand(determinant) == 0:
        pytest.skip("a field that occurs nowhere, or a determinant that is zero")
    found = Action((x, y, z), L, phi).data()
    assert (found.count, found.arbitrary) == (sp.Poly(determinant, s).degree(), ())


def test_the_relations_and_what_follows_from_them():
    system = Action((x, y), m * d(x) ** 2 / 2 - k * (x - y) ** 2 / 2 - k * y**2 / 2)
    found = system.data()
    assert [(r.expression, r.origin, r.depth) for r in found.relations] == [
        (x - 2 * y, "primary", 0),
        (d(x) - 2 * d(y), "secondary", 1),
    ]
    assert (found.data, set(found.determined)) == ((x, d(x)), {y, d(y)})
    roles = {(c.field, c.kind): (c.role, c.relation) for c in system.initial_conditions()}
    assert roles == {
        (x, "momentum"): ("data", None),
        (x, "value"): ("data", None),
        (y, "value"): ("determined", x - 2 * y),
    }
    assert str(found).splitlines()[0] == "free data (2): x, x_dot"


def test_the_order_of_the_fields_does_not_matter():
    for order in ((x, y), (y, x)):
        found = Action(order, m * d(x) ** 2 / 2 - k * (x - y) ** 2 / 2 - k * y**2 / 2).data()
        assert found.data == (x, d(x))


def test_momenta_of_first_order_systems_are_values_under_another_name():
    roles = {(c.field, c.kind): c for c in KNOWN["first-order pair"][0]().initial_conditions()}
    assert [roles[q, "value"].role for q in (u, v)] == ["data", "data"]
    assert roles[u, "momentum"].role == "determined"
    assert is_zero(roles[u, "momentum"].relation - v / 2 + sp.Function("P_u")(t))


def test_the_impulse_of_a_rigid_rod_is_a_gauge_and_its_rate_the_reaction():
    found = KNOWN["pendulum, impulse"][0]().data()
    assert found.shifts == (lam,)
    assert d(lam) in found.determined


def test_ranks_are_taken_where_the_relations_hold():
    """∂²L/∂ẏ² = y is regular almost everywhere, but not on y = 0, where the multiplier holds it."""
    system = Action((x, y, lam), d(x) ** 2 / 2 + y * d(y) ** 2 / 2 - k * x**2 / 2 + lam * y)
    found = system.data()
    assert (found.undecided, found.count, found.arbitrary, found.data) == ("", 2, (), (x, d(x)))
    assert lam in [r.expression for r in found.relations]  # ẏ²/2 = λ and ẏ = 0: one more, among values


def test_loads_and_dissipation_take_part():
    f = sp.Function("f")(t)
    found = Action((x, y), m * d(x) ** 2 / 2 - k * (x - y) ** 2 / 2, loads={y: f}).data()
    first, second = (r.expression for r in found.relations)
    assert is_zero(first - (f + k * x - k * y))
    assert is_zero(second - d(first))
    assert found.count == 2


def test_equations_that_contradict_each_other_are_refused():
    with pytest.raises(ActionError, match="contradict each other"):
        Action((x, y), m * (d(x) + d(y)) ** 2 / 2 + k * x).data()


def test_what_enters_a_density_without_rates_follows_from_the_others():
    s, a, b = sp.Symbol("s", real=True), *sp.symbols("a b", positive=True)
    w, V = sp.Function("w")(s, t), sp.Function("V")(s, t)
    bar = Action(
        (w, V),
        m * d(w) ** 2 / 2 - a * w.diff(s) ** 2 / 2 + c * w.diff(s) * V.diff(s) + b * V.diff(s) ** 2 / 2,
        space=(s,),
    )
    roles = {(i.field, i.kind): i for i in bar.initial_conditions()}
    assert roles[V, "value"].role == "determined"
    relation = roles[V, "value"].relation
    assert is_zero(relation - bar.strong_form()[V]) or is_zero(relation + bar.strong_form()[V])
    assert roles[w, "value"].role == roles[w, "momentum"].role == "data"
    assert (bar.data().data, bar.data().hessian_rank) == ((w, d(w)), 1)
    wave = Action((w, V), (V * d(w) - w * d(V)) / 2 - (w.diff(s) ** 2 + V.diff(s) ** 2) / 2, space=(s,))
    assert [i.role for i in wave.initial_conditions()] == ["determined", "determined", "data", "data"]
    assert wave.data().count == 2


X1, X2, X3 = PLACE = sp.symbols("x_1 x_2 x_3", real=True)
A1, A2, A3, V = POTENTIALS = [sp.Function(name)(*PLACE, t) for name in ("A_1", "A_2", "A_3", "V")]
ELECTRIC = [-d(A) - V.diff(s) for A, s in zip(POTENTIALS[:3], PLACE, strict=True)]
MAGNETIC = [A3.diff(X2) - A2.diff(X3), A1.diff(X3) - A3.diff(X1), A2.diff(X1) - A1.diff(X2)]
MAXWELL = sum(e**2 - b**2 for e, b in zip(ELECTRIC, MAGNETIC, strict=True)) / 2
GAUSS = sum(e.diff(s) for e, s in zip(ELECTRIC, PLACE, strict=True))


def test_maxwells_field_has_two_polarisations_one_gauge_and_gausss_law():
    """External: K. Sundermeyer, Constrained Dynamics, ch. III: two pairs of functions of place, one gauge."""
    found = Action(tuple(POTENTIALS), MAXWELL, space=PLACE).data()
    assert (found.count, len(found.arbitrary), found.hessian_rank) == (4, 1, 3)
    assert [is_zero(r.expression - GAUSS) or is_zero(r.expression + GAUSS) for r in found.relations] == [True]
    assert "arbitrary functions of place and time: V" in str(found)


def test_a_mass_of_the_field_takes_the_gauge_away():
    """External: Sundermeyer, ch. III (Proca): three pairs; Lorenz's condition is the secondary relation."""
    mass = m**2 * (V**2 - A1**2 - A2**2 - A3**2) / 2
    found = Action(tuple(POTENTIALS), MAXWELL + mass, space=PLACE).data()
    assert (found.count, len(found.arbitrary), found.index) == (6, 0, 1)
    assert [r.origin for r in found.relations] == ["primary", "secondary"]
    lorenz = d(V) + sum(A.diff(s) for A, s in zip(POTENTIALS[:3], PLACE, strict=True))
    assert is_zero(found.relations[1].expression - lorenz) or is_zero(found.relations[1].expression + lorenz)


def test_charges_that_appear_from_nothing_leave_no_motion():
    rho, j = sp.Function("rho")(*PLACE, t), sp.Function("j")(*PLACE, t)
    found = Action(tuple(POTENTIALS), MAXWELL, space=PLACE, loads={V: -rho, A1: j}).data()
    assert "only under loads with" in found.undecided
    assert str(d(rho)) in found.undecided
    assert str(j.diff(X1)) in found.undecided


def test_a_density_that_is_not_linear_is_free_where_its_hessian_is_regular_and_else_undecided():
    s = X1
    w, q = sp.Function("w")(s, t), sp.Function("q")(s, t)
    wave = Action((w,), d(w) ** 2 * (1 + w**2) / 2 - w.diff(s) ** 4 / 4, space=(s,))
    assert [c.role for c in wave.initial_conditions()] == ["data", "data"]
    bent = Action((w, q), (d(w) + q.diff(s)) ** 2 * (1 + (d(w) + q.diff(s)) ** 2) / 2, space=(s,))  # a gauge
    assert bent.data().undecided
    assert {c.role for c in bent.initial_conditions()} == {"undecided", "gauge"}  # only the rate of w enters
    # Analytic: where it multiplies its own square alone, q is a function of w at each place.
    fixed = Action((w, q), d(w) ** 2 / 2 - (q**2 - q * w) * (1 + w**2), space=(s,))
    assert [c.role for c in fixed.initial_conditions()] == ["data", "data", "determined"]


def test_branches_of_a_slider_say_each_what_is_free():
    F = sp.Symbol("F", positive=True)
    pieces = sp.Piecewise(((d(J) - F) ** 2, d(J) > F), ((d(J) + F) ** 2, d(J) < -F), (0, True))
    found = Action((u, J), m * d(u) ** 2 / 2 - d(J) * u, pieces).data()
    assert found.undecided.count("J, u, u_dot, where") == 2  # slipping either way
    assert found.undecided.endswith("J, u, otherwise")  # sticking: at rest anywhere


def test_narrow_wells_and_narrow_masses_are_not_zero():
    """Samples far from one saw exp(−1000x²) as zero: the well was a gauge, the mass had no momentum."""
    assert not is_zero(x * sp.exp(-1000 * x**2))
    assert not is_zero(sp.exp(-(10**6) * (x - 5) ** 2))
    assert not is_zero(sp.log(sp.exp(x) + sp.exp(-1000 * x**2)) - x)
    assert not is_zero(10 ** (-sp.Integer(50)) * x)
    well = Action((x,), m * d(x) ** 2 / 2 - sp.exp(-1000 * x**2))
    assert [i.role for i in well.initial_conditions()] == ["data", "data"]
    heavy = Action((x, y), sp.exp(-1000 * x**2) * d(x) ** 2 / 2 + d(y) ** 2 / 2 - k * (x - y) ** 2)
    assert heavy.has_momentum[x]
    assert (heavy.data().hessian_rank, heavy.data().count) == (2, 4)


@pytest.mark.parametrize(
    "zero",
    [
        sp.sin(2 * x) - 2 * sp.sin(x) * sp.cos(x),
        (x**2 - y**2) / (x - y) - x - y,
        sp.cosh(d(x)) ** 2 - sp.sinh(d(x)) ** 2 - 1,
        sp.sqrt(x**2 + 2 * x * y + y**2) - sp.Abs(x + y),
        sp.exp(x + y) - sp.exp(x) * sp.exp(y),
    ],
)
def test_what_is_zero_is_found_zero_and_its_neighbour_is_not(zero):
    assert is_zero(zero)
    assert not is_zero(zero + sp.Rational(1, 10**30) * x)


def test_relations_in_pieces_claim_nothing():
    """Analytic: a rigid block sticks with J̇ free within ±F, and slips with u̇ free: no relation holds on both."""
    slip = sp.Piecewise(
        ((d(J) - g) ** 2 / (2 * c), d(J) > g), ((d(J) + g) ** 2 / (2 * c), d(J) < -g), (sp.S.Zero, True)
    )
    found = Action((u, J), m * d(u) ** 2 / 2 - d(J) * u, slip).data()
    assert "in pieces" in found.undecided
    assert not found.relations


def test_what_holds_apart_from_a_place_says_so():
    """Analytic: r²(θ̇ − z) = 0 says θ̇ = z where r ≠ 0, and nothing at r = 0."""
    found = Action((u, theta, z), d(u) ** 2 / 2 + u**2 * (d(theta) - z) ** 2 / 2 - k * u**2 / 2).data()
    assert found.apart == (u,)
    assert "where u(t) is not zero" in str(found)
    assert [is_zero(r.expression - (d(theta) - z)) for r in found.relations] == [True]
