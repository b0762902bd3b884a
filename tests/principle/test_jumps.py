"""Elements with jumps from the action: the Radau family, L-stable, and what a jump costs."""

from functools import lru_cache
from math import factorial

import pytest
import sympy as sp

from hamex.errors import ActionError
from hamex.principle import emit
from hamex.principle.library import action
from hamex.principle.stability import verdict
from hamex.principle.stepform import h, histories, jump_balance, jump_form, lifting, radau_rule, step_form, tau

m, c, k, a, b, x, r, Fy, eta = sp.symbols("m c k a b x r F_y eta", positive=True)
DEGREES = [0, 1, 2]
QUICK = [0, 1, pytest.param(2, marks=pytest.mark.heavy)]  # where degree 2 is seconds of algebra


def equal(one, other):
    return (sp.Matrix(one) - sp.Matrix(other)).applyfunc(sp.cancel) == sp.zeros(*sp.Matrix(one).shape)


@lru_cache
def forced(degree):
    return jump_form(action("forced"), degree)


@lru_cache
def amplification(degree):
    return forced(degree).amplification(values={m: 1, a: 1}).extract([0, 2], [0, 2])


def pade(Z, j, n):
    """Numerator of degree j and denominator of degree n of the Padé approximant of exp Z, from their definition."""

    def part(order, other, W):
        weights = [
            sp.Rational(factorial(j + n - i) * factorial(order), factorial(j + n) * factorial(i) * factorial(order - i))
            for i in range(order + 1)
        ]
        return sum((w * W**i for i, w in enumerate(weights)), sp.zeros(Z.rows))

    return part(j, n, Z), part(n, j, -Z)


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.chief("0", "1")
def test_the_lifting_sees_the_start(degree):
    for n in range(degree + 1):
        assert sp.integrate(sp.expand(lifting(degree) * tau**n), (tau, 0, 1)) == (1 if n == 0 else 0)


@pytest.mark.parametrize("points", [1, 2, 3])
def test_radau_points_hold_the_end_and_are_exact_to_degree_2s(points):
    rule = radau_rule(points)
    assert rule.roots[-1] == 1
    for n in range(2 * points + 1):
        exact = sp.nsimplify(rule.integral(tau**n) - sp.Rational(1, n + 1)) == 0
        assert exact == (n <= 2 * points - 2)


def test_degree_0_by_hand():
    """p₁ − p₀ + h(cv + ku₁ + bF − f) = 0 with v = (u₁ − u₀)/h: all forces at the end of the step."""
    form = jump_form(emit.structure(), 0)
    u, J, X, R = form.action.fields
    p0, p1, load = form.momentum_old, form.momentum_new, {q: form.load_symbols[q][0] for q in form.action.fields}
    rate = {q: (form.new[q][0] - form.old[q]) / h for q in form.action.fields}
    place = form.new[u][0]
    by_hand = [
        p1[u] - p0[u] + h * (c * rate[u] + k * place + b * rate[J] - load[u]),
        p1[J] - p0[J] - h * load[J],
        p1[X] - p0[X] - h * load[X],
        p1[R] - p0[R] - h * load[R],
        p1[u] - m * rate[u],
        p1[J] - (a * rate[J] - b * place),
        p1[X] - x * rate[X],
        p1[R] - r * rate[R],
    ]
    for row, expected in zip(form.branches["smooth"], by_hand, strict=True):
        assert sp.expand(row - expected) == 0


@pytest.mark.parametrize("degree", QUICK)
@pytest.mark.chief("0")
def test_by_parts_the_jumps_work_on_the_virtual_values(degree):
    """∫ (Ṗ − L_q + φ_v − Q) δq dt + [P] δq(0₊) = 0: the same rows, derived the other way round."""
    form = forced(degree)
    system = form.action
    trial = histories(system, degree, form.old, form.new)
    u, J = system.fields
    t = sp.Symbol("t", real=True)
    v, F = trial[u.diff(t)], trial[J.diff(t)]
    handed = {form.momentum_new[u]: (m * v).subs(tau, 1), form.momentum_new[J]: (a * F - trial[u]).subs(tau, 1)}
    for i in range(degree + 1):
        nodes = [sp.Rational(n, degree) for n in range(degree + 1)] if degree else [sp.S.Zero]
        test = sp.interpolate([(node, int(n == i)) for n, node in enumerate(nodes)], tau)
        expected = [
            sp.integrate(sp.expand((sp.diff(P, tau) + h * force) * test), (tau, 0, 1))
            + (P.subs(tau, 0) - form.momentum_old[q]) * test.subs(tau, 0)
            for q, P, force in ((u, m * v, c * v + F), (J, a * F - trial[u], sp.S.Zero))
        ]
        values = {f: 0 for f in form.load_symbols[u]}
        for j, row in enumerate(expected):
            mine = form.branches["smooth"][j * (degree + 1) + i].xreplace(values).xreplace(handed)
            assert sp.expand(mine - row) == 0


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.chief("0", "1")
def test_degree_s_is_pade_s_below_s_plus_1_with_damping(degree):
    numerator, denominator = pade(h * sp.Matrix([[0, 1], [-1, -c]]), degree, degree + 1)
    assert equal(denominator * amplification(degree), numerator)


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("damping", [0, c])
@pytest.mark.chief("damping1-1", "0-1", "damping1-0")
def test_long_steps_forget_everything_and_no_step_grows(degree, damping):
    """L-stable: |R(∞)| = 0, and Jury's conditions for every h."""
    G = amplification(degree).subs(c, damping)
    assert all(sp.limit(entry, h, sp.oo) == 0 for entry in G)
    assert verdict(G).stable is True


@pytest.mark.parametrize("degree", DEGREES)
def test_a_massless_field_takes_the_same_family(degree):
    """Kelvin-Voigt without mass: Padé(s, s + 1) of exp(−kh/c), with no special test space."""
    form = jump_form(action("kelvin-voigt"), degree)
    numerator, denominator = pade(sp.Matrix([[-k * h / c]]), degree, degree + 1)
    assert not form.momentum_new
    assert equal(denominator * form.amplification(), numerator)


def elastic_force(form):
    """F at the end per F at the start of a step that slips, as the viscosity goes to zero."""
    numbers = {m: 1, a: sp.Rational(1, 100), c: sp.Rational(1, 3), h: sp.Rational(1, 10)}
    G = form.amplification("plus", numbers)
    force = sp.Matrix([[1, 0, 0, 1]]) / numbers[a] * G  # F = (u − u₁)/a = (u + P_J)/a
    return sp.limit(force[3] * numbers[a], eta, 0)


@pytest.mark.parametrize("degree", QUICK)
def test_at_viscosity_zero_the_overstress_is_gone_at_the_end_of_the_step(degree):
    assert elastic_force(jump_form(action("viscoplastic"), degree)) == 0


def test_where_the_continuous_element_zigzags():
    assert elastic_force(step_form(action("viscoplastic"), 1)) == -1


@pytest.mark.parametrize("degree", QUICK)
@pytest.mark.chief("0")
def test_a_jump_costs_the_energy_of_the_jump(degree):
    """The identity of the structure for any forces at the Radau points, in symbols, against its printed squares."""
    form = jump_form(emit.structure(), degree)
    found = jump_balance(form)
    assert found.rest == 0
    u, J, X, R = form.action.fields
    t = sp.Symbol("t", real=True)
    trial = histories(form.action, degree, form.old, form.new)
    rate = {q: trial[q.diff(t)] for q in form.action.fields}
    place = trial[u]

    def energy(v, w, F, back, iso):
        return (m * v**2 + k * w**2 + a * F**2 + x * back**2 + r * iso**2) / 2

    fields = (u, J, X, R)
    one, zero = ({q: rate[q].subs(tau, instant) for q in fields} for instant in (1, 0))
    old = found.rates
    gained = energy(one[u], place.subs(tau, 1), one[J], one[X], one[R]) - energy(
        old[u], form.old[u], old[J], old[X], old[R]
    )
    jumps = energy(zero[u] - old[u], place.subs(tau, 0) - form.old[u], *(zero[q] - old[q] for q in (J, X, R)))
    points = list(zip(form.rule.roots, form.rule.weighted(), strict=True))
    viscous = h * sum(w * c * rate[u].subs(tau, at) ** 2 for at, w in points)
    # g, −g and −w are loads −f_J, −f_X, −f_R of the structure's action: their work is g(F − X) − wR with its sign.
    work = h * sum(
        w * form.load_symbols[q][i] * rate[q].subs(tau, at) for q in fields for i, (at, w) in enumerate(points)
    )
    for mine, printed in (
        (found.gained, gained),
        (found.jumps, jumps),
        (found.dissipated, viscous),
        (found.supplied, work),
    ):
        assert sp.expand(mine - printed) == 0


@pytest.mark.parametrize(
    ("name", "degree"),
    [
        ("viscoplastic", 0),
        ("viscoplastic", 1),
        ("gyroscopic", 1),
        pytest.param("zener", 1, marks=pytest.mark.heavy),
        ("kelvin-voigt", 2),
        pytest.param("hardening-slider", 0, marks=pytest.mark.heavy),
    ],
)
@pytest.mark.chief("viscoplastic-1", "gyroscopic-1")
def test_the_identity_holds_for_every_quadratic_lagrangian_and_branch(name, degree):
    form = jump_form(action(name), degree)
    for branch in form.branches:
        assert jump_balance(form, branch).rest == 0


def test_a_wrong_row_breaks_the_identity():
    form = jump_form(emit.structure(), 1)
    u = form.action.fields[0]
    rows = (form.branches["smooth"][0] + form.momentum_old[u], *form.branches["smooth"][1:])
    object.__setattr__(form, "branches", {"smooth": rows})
    assert jump_balance(form).rest != 0


@pytest.mark.parametrize("name", ["pendulum", "caldirola-kanai"])  # a sine; a mass that grows with time
def test_no_identity_is_claimed_where_there_is_none(name):
    with pytest.raises(ActionError, match="not quadratic"):
        jump_balance(jump_form(action(name), 0))


def test_stationarity_of_the_summed_action_would_be_another_scheme():
    """Σ h L(q_r, (q_r − q_{r−1})/h) is symplectic and stable up to ωh = 2; the assignment (32)-(33) is what differs."""
    q0, q1, q2 = sp.symbols("q_0:3")

    def lagrangian(one, two):
        return h * (m * ((two - one) / h) ** 2 / 2 - k * two**2 / 2)

    new = sp.solve(sp.diff(lagrangian(q0, q1) + lagrangian(q1, q2), q1), q2)[0]
    G = sp.Matrix([[0, 1], [sp.diff(new, q0), sp.diff(new, q1)]])
    assert sp.simplify(G.det()) == 1
    assert sp.simplify(G.trace() - (2 - k * h**2 / m)) == 0


@pytest.mark.parametrize(("name", "degree", "why"), [("forced", -1, "negative"), ("elastic-1d", 0, "continuum")])
def test_refusals(name, degree, why):
    with pytest.raises(ActionError, match=why):
        jump_form(action(name), degree)
