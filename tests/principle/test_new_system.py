"""A system that nobody prepared: derived, emitted and marched."""

import inspect

import numpy as np
import pytest
import sympy as sp

import hamex as hx
from hamex.principle import t
from hamex.principle.emit import program
from hamex.principle.library import action


def two_masses():
    """All that a user writes: two masses on springs and dashpots, set in motion, 400 steps."""
    m, k, c = sp.symbols("m k c", positive=True)
    u, v = sp.Function("u")(t), sp.Function("v")(t)
    kinetic = m * (u.diff(t) ** 2 + v.diff(t) ** 2) / 2
    system = hx.Action((u, v), kinetic - k * (u**2 + (v - u) ** 2) / 2, c * (u.diff(t) ** 2 + v.diff(t) ** 2) / 2)
    scope = {}
    exec(program(system), scope)
    B, D, z = scope["smooth"](h=0.01, m=2.0, k=50.0, c=0.3)
    states = [np.array([0.1, 0.0, 0.0, 0.0])]
    for _ in range(400):
        states.append(np.linalg.solve(B, D @ states[-1] + z))
    return system, np.array(states)


def test_it_takes_fewer_than_twenty_lines():
    assert len(inspect.getsource(two_masses).splitlines()) < 20


def test_the_emitted_step_is_the_one_that_simulate_marches():
    system, states = two_masses()
    sol = hx.simulate(system, {"m": 2.0, "k": 50.0, "c": 0.3}, {"u": 0.1}, duration=4.0, step=0.01)
    assert np.abs(states[:, :2] - sol.values("displacement")).max() < 1e-12
    assert np.abs(states[:, 2:] - sol.values("momentum")).max() < 1e-11


def test_the_emitted_step_converges_to_the_exponential():
    """Analytic reference: the matrix exponential of the state matrix."""
    from scipy.linalg import expm

    _, states = two_masses()
    K = np.array([[100.0, -50.0], [-50.0, 50.0]])
    A = np.block([[np.zeros((2, 2)), np.eye(2) / 2.0], [-K, -0.3 / 2.0 * np.eye(2)]])
    assert np.abs(expm(4.0 * A) @ states[0] - states[-1])[:2].max() < 2e-3


@pytest.mark.parametrize("branch", ["plus", "minus", "elastic"])
def test_the_emitted_branches_are_equations_66_to_68(branch):
    scope = {}
    exec(program(action("viscoplastic")), scope)
    given = {"h": 0.02, "m": 1.0, "c": 1.5, "a": 1 / 225, "F_y": 0.27, "eta": 1.5, "f_u": 0.4}
    wanted = inspect.signature(scope[branch]).parameters
    B, D, z = scope[branch](**{name: given[name] for name in wanted})
    beta = 0 if branch == "elastic" else 1 / (2 * 1.5)
    gamma = {"plus": 1, "minus": -1, "elastic": 0}[branch] * 0.02 / 3 * 0.27
    assert B[2].tolist() == pytest.approx([-0.5, 1 / 225 / 0.02 + beta, 0, 0])
    assert D[2].tolist() == pytest.approx([0.5, 1 / 225 / 0.02 + beta, 0, 1])
    assert z.tolist() == pytest.approx([0.004, 0.004, gamma, gamma])
