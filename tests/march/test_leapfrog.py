"""The explicit rival: order 2, its invariant, its stable step, and the plastic flow of an independent integrator."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh, expm

from hamex.march.leapfrog import stable_step
from hamex.schemes.leapfrog import march_row

M = np.array([2.0, 1.5, 1.0])
K = np.array([300.0, 200.0, 120.0])
B = np.eye(3) - np.eye(3, k=1)  # (floor, storey): drifts are Bᵀu
STIFFNESS = B @ np.diag(K) @ B.T
ELASTIC = {"yield_force": np.full(3, np.inf)}
YIELDING = {
    "yield_force": np.array([1.0, 0.7, 0.4]),
    "viscosity": 0.01 * K,
    "kinematic": 0.05 * K,
    "isotropic": 0.02 * K,
}


def march(load, h, dashpots, u0=(0.0, 0.0, 0.0), v0=(0.0, 0.0, 0.0), ahead=0.5, compile=None, **law):
    """Histories of displacement and slip (without the ground), the last half-step velocity, and the return code."""
    law = {"viscosity": np.zeros(3), "kinematic": np.zeros(3), "isotropic": np.zeros(3), **law}
    ground = lambda x: np.concatenate([[0.0], x])  # noqa: E731
    u, s, p = (np.zeros((len(load), 4)) for _ in range(3))
    u[0, 1:] = u0
    v, X, w = np.zeros(4), np.zeros((1, 4)), np.zeros((1, 4))
    v[1:] = v0
    frame = np.stack([ground(x) for x in (1.0 / M, K, dashpots, *(law[name] for name in YIELDING))])
    path = (u, s, p, X, w, v, np.zeros(5))
    code = march_row(frame, load, ground(-M), path, h, ahead, 0, 0, bool(compile))
    return u[:, 1:], s[:, 1:], v[1:], code


def highest(damping_time=0.0):
    """Highest frequency and its damping ratio with dashpots c = damping_time · k."""
    omega = math.sqrt(eigh(STIFFNESS, np.diag(M), eigvals_only=True)[-1])
    return omega, 0.5 * damping_time * omega


def free_vibration_error(h, damping_time, ahead):
    """Displacement error after one second of free elastic vibration, against the matrix exponential."""
    u0 = np.array([0.01, -0.02, 0.03])
    inverse = np.diag(1.0 / M)
    flow = np.block([[np.zeros((3, 3)), np.eye(3)], [-inverse @ STIFFNESS, -damping_time * inverse @ STIFFNESS]])
    exact = (expm(flow) @ np.concatenate([u0, np.zeros(3)]))[:3]
    u, *_ = march(np.zeros(round(1 / h) + 1), h, damping_time * K, u0=u0, ahead=ahead, **ELASTIC)
    return np.abs(u[-1] - exact).max()


@pytest.mark.parametrize(("damping_time", "ahead", "order"), [(0.0, 0.0, 2), (0.02, 0.5, 2), (0.02, 0.0, 1)])
def test_elastic_order(damping_time, ahead, order):
    errors = [free_vibration_error(h, damping_time, ahead) for h in (1 / 200, 1 / 400, 1 / 800)]
    rates = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.abs(rates - order).max() < 0.15


def test_undamped_elastic_chain_keeps_its_staggered_energy():
    h = 0.9 * stable_step(highest()[0], 0.0, 0.0)
    energies = []
    for steps in (2, 20_001):
        u, _, v, _ = march(np.zeros(steps), h, np.zeros(3), u0=(0.1, 0.0, -0.2), v0=(1.0, 2.0, 0.0), **ELASTIC)
        energies.append(0.5 * v @ (M * v) + 0.5 * u[-2] @ STIFFNESS @ u[-1])
    assert energies[1] == pytest.approx(energies[0], rel=1e-11)


@pytest.mark.parametrize("ahead", [0.0, 0.5])
@pytest.mark.parametrize("damping_time", [0.0, 0.01, 0.1])
def test_the_stable_step_is_where_it_is_said_to_be(damping_time, ahead):
    limit = stable_step(*highest(damping_time), ahead)

    def run_at(h):
        return np.abs(march(np.zeros(2001), h, damping_time * K, u0=(0.0, 0.0, 1.0), ahead=ahead, **ELASTIC)[0]).max()

    assert run_at(0.999 * limit) < 20.0
    assert run_at(1.01 * limit) > 1e3


def test_beyond_the_stable_step_the_run_ends_with_the_number_of_the_step():
    u, _, _, code = march(np.zeros(5001), 2 * stable_step(*highest(), 0.0), np.zeros(3), u0=(0.0, 0.0, 1.0), **ELASTIC)
    assert 0 < code < 5001
    assert np.isfinite(u[:code]).all()
    assert not np.isfinite(u[code]).all()


def reference(times, shake, dashpots, law):
    """Displacement and slip by an adaptive Runge-Kutta method on the rate equations, with no return map."""

    def rates(t, y):
        u, v, s, w = y.reshape(4, 3)
        F = K * (B.T @ u - s)
        over = F - law["kinematic"] * s
        flow = np.maximum(np.abs(over) - law["yield_force"] - law["isotropic"] * w, 0.0) / law["viscosity"]
        acceleration = -shake(t) - B @ (F + dashpots * (B.T @ v)) / M
        return np.concatenate([v, acceleration, flow * np.sign(over), flow])

    y = solve_ivp(rates, (0.0, times[-1]), np.zeros(12), t_eval=times, rtol=1e-9, atol=1e-11, max_step=0.01).y
    return y[:3].T, y[6:9].T


def test_yielding_chain_converges_to_the_rate_equations():
    shake = lambda t: 6.0 * np.sin(9.0 * t) + 4.0 * np.cos(23.0 * t)  # noqa: E731
    times = np.arange(0, 401) * 0.01
    u_ref, s_ref = reference(times, shake, 0.01 * K, YIELDING)
    assert (np.abs(s_ref).max(axis=0) > 2 * YIELDING["yield_force"] / K).all(), "every storey is to yield well"
    errors = []
    for split in (10, 20, 40):
        h = 0.01 / split
        u, s, *_ = march(shake(np.arange(400 * split + 1) * h), h, 0.01 * K, **YIELDING)
        errors.append(
            (
                np.abs(u[::split] - u_ref).max() / np.abs(u_ref).max(),
                np.abs(s[::split] - s_ref).max() / np.abs(s_ref).max(),
            )
        )
    assert np.max(errors[-1]) < 2e-3
    # Backward Euler in the slip: the error halves with the step.
    assert np.all(np.divide(errors[:-1], errors[1:]) > 1.8)


def test_compiled_and_plain_agree_in_every_bit():
    load = np.random.default_rng(3).normal(scale=8.0, size=401)
    plain, machine = (march(load, 0.01, 0.01 * K, compile=choice, **YIELDING) for choice in (False, True))
    assert np.abs(plain[1]).max() > 0
    for ours, theirs in zip(plain[:3], machine[:3], strict=True):
        assert ours.tobytes() == theirs.tobytes()
