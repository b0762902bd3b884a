"""What is computed once before the march."""

import dataclasses
import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ModelError, SchemeError
from hamex.schemes.prepare import exact_recurrence, linear_element, scalars

MODEL = hx.oscillator(2, 50, damping=3, law=hx.Slider(4, 0.7, 5, 6))


def with_stiffness(K, **kwargs):
    return dataclasses.replace(hx.oscillator(2, 50, **kwargs), stiffness=np.array([[K]]))


def test_the_numbers_of_the_model_keep_their_letters():
    x = scalars(MODEL)
    assert (x.m, x.c, x.K, x.a, x.b) == (2, 3, 0, 1 / 50, 1)
    assert (x.yield_force, x.viscosity, x.kinematic, x.isotropic) == (4, 0.7, 5, 6)


def test_coefficients_are_those_of_the_eliminated_system():
    """Solve the four equations of the step with a dense solver and compare with F of an elastic step."""
    h, u0, p0, s0, f = 0.1, 0.3, -0.2, 0.05, 1.7
    x = scalars(with_stiffness(12.0, damping=3))
    element = linear_element(x, h)
    M_hat = x.m / h + x.c / 2 + h / 4 * x.K
    du, F = np.linalg.solve([[M_hat, h / 2 * x.b], [-x.b / 2, x.a]], [p0 + h / 2 * (f - x.K * u0), x.b * u0 - s0])
    free = element.inv_mass * (p0 + h / 2 * (f - x.K * u0))
    assert element.inv_flex * (x.b * u0 - s0 + x.b / 2 * free) == pytest.approx(F, rel=1e-14)
    assert free - element.recoil * F == pytest.approx(du, rel=1e-14)


@pytest.mark.parametrize(("K", "b"), [(0.0, 1.0), (12.0, 1.0), (-3.0, -0.6)])
def test_rows_are_the_step_solved_for_force_and_increments(K, b):
    """The four equations of the step by a dense solver, elastic and with a slip rate that the excess sets."""
    h, c, k, eta, hk, hi = 0.1, 3.0, 50.0, 0.7, 5.0, 6.0
    model = dataclasses.replace(MODEL, stiffness=np.array([[K]]), compatibility=np.array([[b]]))
    element = linear_element(scalars(model), h)
    *rows, s_e = element.rows
    f, s, p, u = 1.7, 0.05, -0.2, 0.3
    left = np.array(
        [
            [2 / h + c / 2 + h * K / 4, h * b / 2, 0, 0],
            [-2 / h + c / 2 + h * K / 4, h * b / 2, 1, 0],
            [-b / 2, 1 / k, 0, h / 2],
        ]
    )
    right = np.array([p + h / 2 * (f - K * u), h / 2 * (f - K * u), b * u - s])

    def step(law, excess):
        du, F, p_new, rate = np.linalg.solve(np.vstack([left, law]), [*right, excess])
        return F, du, p_new - p, rate

    trial = step([0, 0, 0, 1], 0.0)
    assert [np.dot(row[:4], (f, s, p, u)) for row in rows] == pytest.approx(trial[:3], rel=1e-13)
    # Slip under a limit that the trial force exceeds: F − (Hk + Hi) h/2 g − η g = limit, the law at mid-step.
    excess = 0.4 * abs(trial[0])
    slipping = step([0, 1, 0, -(eta + h / 2 * (hk + hi))], trial[0] - excess)
    changes = [row[4] * excess for row in rows]
    assert [-changes[0], changes[1], changes[2]] == pytest.approx(np.subtract(slipping, trial)[:3], rel=1e-12)
    assert s_e * excess == pytest.approx(h * slipping[3], rel=1e-12)


def test_masses_cancel_from_the_balance_of_momentum():
    """m/h is 1e12 times c: a difference of the two rows would keep nothing of c."""
    x = scalars(hx.oscillator(1e6, 50, damping=1e-3))
    element = linear_element(x, 1e-3)
    assert element.drag == 1e-3
    assert (element.pull, element.push, element.weight) == pytest.approx((1e-3, 1e-3, 0.0), rel=1e-15)


@pytest.mark.parametrize("damping", [0.0, 4.0])
def test_negative_stiffness_limits_the_step_and_the_message_names_the_limit(damping):
    model = with_stiffness(-30.0, damping=damping)
    problem = hx.Problem(model, hx.constant(1.0), duration=10.0)
    with pytest.raises(SchemeError, match="negative stiffness -30") as caught:
        hx.solve(problem, hx.Galerkin(step=10.0))
    limit = float(str(caught.value).split("below ")[1].split(" s")[0])
    assert 2 / limit + damping / 2 + limit / 4 * -30 == pytest.approx(0, abs=1e-4)  # M̂ = 0 there
    x = scalars(model)
    linear_element(x, 0.9999 * limit)
    with pytest.raises(SchemeError):
        linear_element(x, 1.0001 * limit)


@pytest.mark.parametrize("h", [1e-6, 0.3, 40.0])
@pytest.mark.parametrize("zeta", [0.0, 0.05, 1.0, 5.0])
def test_exact_recurrence_keeps_a_static_state_and_the_area_of_phase_space(zeta, h):
    """Under a constant force f/k stays; the determinant of the free part is exp(−c h/m) (Liouville)."""
    model = hx.oscillator(2, 50, damping=hx.ratio(zeta))
    c = 2 * zeta * math.sqrt(50 * 2)
    uu, up, uf, ug, pu, pp, pf, pg = exact_recurrence(scalars(model), h)
    assert uu / 50 + uf + ug == pytest.approx(1 / 50, rel=1e-10)
    assert pu / 50 + pf + pg == pytest.approx(0, abs=1e-10)
    assert uu * pp - up * pu == pytest.approx(math.exp(-c * h / 2), rel=1e-9, abs=1e-12)


def test_models_with_more_than_one_spring_are_refused_by_name():
    two = hx.Model(
        mass=np.eye(2),
        damping=dataclasses.replace(MODEL.damping, matrix=np.zeros((2, 2)), shapes=np.zeros((2, 0))),
        stiffness=np.zeros((2, 2)),
        flexibility=np.eye(2),
        compatibility=np.eye(2),
        laws=MODEL.laws,
        influence=np.ones((2, 1)),
        supports=np.zeros((0, 2)),
        dofs=("1", "2"),
        springs=("1", "2"),
    )
    with pytest.raises(SchemeError, match="2 degrees of freedom and 2 springs"):
        scalars(two)


@pytest.mark.parametrize("part", ["mass", "flexibility"])
@pytest.mark.parametrize("value", [0.0, -1.0])
def test_a_hand_made_model_needs_positive_mass_and_flexibility(part, value):
    model = dataclasses.replace(MODEL, **{part: np.array([[value]])})
    with pytest.raises(ModelError, match="positive mass and flexibility"):
        scalars(model)
