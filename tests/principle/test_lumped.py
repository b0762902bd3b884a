"""From L and φ alone: sections 2 to 4.2 of the paper, exactly."""

import pytest
import sympy as sp

from hamex.principle.action import Action, ActionError
from hamex.principle.conditions import T
from hamex.principle.jets import partial, t
from hamex.principle.library import action
from hamex.principle.variation import Variation

m, k, c, a = sp.symbols("m k c a", positive=True)
u, J, f = (sp.Function(name)(t) for name in "uJf")


def same(one, other):
    return sp.simplify(sp.expand(one - other)) == 0


def test_equations_6_to_8_weak_form_and_bracket():
    variation = action("harmonic").variation()
    assert variation.weak == {(u, ()): k * u, (u, (t,)): -m * u.diff(t)}  # (7)
    assert same(variation.bulk[u], m * u.diff(t, 2) + k * u)  # (8)
    assert same(variation.ends[u], m * u.diff(t))


def test_equation_9_and_24_end_point_constraints():
    names = [str(e.lhs) for e in action("mixed").classical().constraints]
    assert names == ["delta_u(0)", "delta_u(T)", "delta_J(0)", "delta_J(T)"]
    assert all(e.rhs == 0 for e in action("harmonic").classical().constraints)
    assert T.is_positive


def test_equations_10_to_12():
    system = action("harmonic")
    euler = sp.diff(partial(system.lagrangian, u, (t,)), t) - partial(system.lagrangian, u)
    assert same(system.strong_form()[u], euler)  # (12)
    assert same(euler, m * u.diff(t, 2) + k * u)  # (11)


def test_equation_15_rayleigh_damping():
    assert same(action("damped").strong_form()[u], m * u.diff(t, 2) + c * u.diff(t) + k * u)


def test_equations_22_to_26_mixed_form():
    variation = action("mixed").variation()
    assert variation.weak == {(u, ()): J.diff(t), (u, (t,)): -m * u.diff(t), (J, (t,)): u - a * J.diff(t)}  # (22)
    assert same(variation.ends[J], a * J.diff(t) - u)  # (23): +[(u − aJ̇)δJ]
    assert same(variation.bulk[u], m * u.diff(t, 2) + J.diff(t))  # (26)
    assert same(variation.bulk[J], a * J.diff(t, 2) - u.diff(t))


def test_equations_30_to_33_momentum_first_then_place():
    first, second = action("particle").initial_conditions()
    assert (first.order, first.kind) == (1, "momentum")
    assert first.equation.lhs == m * sp.Subs(u.diff(t), t, 0)  # (31)-(32)
    assert (second.order, second.kind, second.equation.lhs) == (2, "value", u.subs(t, 0))


def test_equation_54_is_the_charge_of_a_quasi_symmetry():
    balance, compatibility = action("forced").charges()
    assert same(balance.value, m * u.diff(t) + c * u + J - sp.Integral(f, t))
    assert balance.source == compatibility.source == 0
    assert same(compatibility.value, a * J.diff(t) - u)  # (18)


def test_the_impulse_is_a_gauge_and_the_rest_are_data():
    roles = {(x.field, x.kind): x.role for x in action("forced").initial_conditions()}
    assert roles == {(u, "momentum"): "data", (J, "momentum"): "data", (u, "value"): "data", (J, "value"): "gauge"}


def test_equation_57_slip_rate_on_every_branch():
    F, Fy, eta = sp.Symbol("F", real=True), *sp.symbols("F_y eta", positive=True)
    rate = action("viscoplastic").dissipative_force(J).subs(J.diff(t), F)
    for value, expected in ((3, 1), (-3, -1), (1, 0), (-1, 0)):
        assert rate.subs({F: value, Fy: 2, eta: 1}).doit() == expected


def test_equation_59_slip_is_minus_the_momentum_of_the_impulse():
    """P_J = aJ̇ − u and u = aJ̇ + u₁: the slip that (60) adds by hand is −P_J."""
    assert same(-action("viscoplastic").momentum(J), u - a * J.diff(t))


def test_hamiltonian_and_its_rate():
    from hamex.principle.variation import energy_rate

    assert same(action("harmonic").hamiltonian(), m * u.diff(t) ** 2 / 2 + k * u**2 / 2)
    assert same(energy_rate(action("forced")), f * u.diff(t) - c * u.diff(t) ** 2)


def test_a_shift_that_is_no_symmetry_is_refused():
    assert action("harmonic").charges() == []
    with pytest.raises(ValueError, match="not invariant"):
        action("harmonic").charges([{u: sp.S.One}])


def test_the_certificate_of_integration_by_parts_can_fail():
    good = action("mixed").variation()
    wrong = Variation(good.action, good.weak, {**good.bulk, u: good.bulk[u] + k * u}, good.ends, good.fluxes)
    with pytest.raises(ArithmeticError, match="identity"):
        wrong.certify()
    wrong = Variation(good.action, good.weak, good.bulk, {**good.ends, J: -good.ends[J]}, good.fluxes)
    with pytest.raises(ArithmeticError, match="identity"):
        wrong.certify()


def test_second_time_derivatives_are_refused():
    with pytest.raises(ActionError, match="not covered"):
        Action((u,), u.diff(t, 2) ** 2)


def test_the_four_steps_in_order():
    lagrangian, functional, stationary, given = action("mixed").steps()
    assert [s.number for s in (lagrangian, functional, stationary, given)] == [1, 2, 3, 4]
    assert functional.result == sp.Integral(lagrangian.result, (t, 0, T))
    du, dJ = (sp.Function(f"delta_{n}")(t) for n in "uJ")
    weak = J.diff(t) * du - m * u.diff(t) * du.diff(t) + (u - a * J.diff(t)) * dJ.diff(t)
    rest = sp.expand(stationary.result - sp.Integral(weak, (t, 0, T)))
    pu, pJ = sp.Function("phat_u"), sp.Function("phat_J")
    assert (
        sp.expand(
            rest - (pu(T) * du.subs(t, T) - pu(0) * du.subs(t, 0) + pJ(T) * dJ.subs(t, T) - pJ(0) * dJ.subs(t, 0))
        )
        == 0
    )
    assert [c.kind for c in given.result] == ["momentum", "momentum", "value", "value"]
