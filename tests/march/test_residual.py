"""Residual lock: marched states, put into the equations as they are printed, leave nothing but round-off.

The matrices are typed from the paper, eqs. (53) and (65)-(68), and share no code with the kernels. Where the paper
ends (hardening, viscosity 0, stiffness beside the spring) the residual is written from the local law.
"""

import dataclasses

import numpy as np
import pytest

import hamex as hx

ROUND_OFF = 1e-13
RULES = ("average", "end", "mean")


def random_forces(seed, size, n):
    """Noise with some memory, so that the spring is pushed far both ways."""
    noise = np.random.default_rng(seed).normal(size=n)
    return size * np.convolve(noise, [1.0, 1.0, 1.0, 1.0], mode="same")


def step_load(forces, rule, halves):
    """f* of the three rules, by hand; ``halves``: every second sample lies inside a step."""
    forces = np.append(forces, 0.0)
    if rule == "mean" and halves:
        return (forces[:-2:2] + 2 * forces[1:-1:2] + forces[2::2]) / 4
    nodes = forces[::2] if halves else forces
    return nodes[1:] if rule == "end" else (nodes[:-1] + nodes[1:]) / 2


def marched(model, h, rule, seed, size, steps=400, start=None):
    """A run under noise; returns the solution and the hand-made f*."""
    halves = rule == "mean"
    forces = random_forces(seed, size, 2 * steps if halves else steps)
    load = hx.Load(forces, step=h / 2 if halves else h)
    problem = hx.Problem(model, load, duration=steps * h, start=start or hx.State())
    return hx.solve(problem, hx.Galerkin(step=h, load=rule)), step_load(forces, rule, halves)


def relative(B, y, D, x, z):
    """Rows of ``B y − D x − z``, relative to the largest sum of terms in that row over the run."""
    terms = np.abs(B) @ np.abs(y) + np.abs(D) @ np.abs(x) + np.abs(z)
    return np.abs(B @ y - D @ x - z).max(axis=1) / terms.max(axis=1)


def of(sol, name):
    return sol.values(name)[:, 0]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("m", "c", "k", "h"), [(1, 1.5, 225, 0.02), (3.7, 0, 50, 0.1), (0.2, 90, 400, 0.005)])
def test_eq_53_elastic(m, c, k, h, rule):
    sol, f = marched(hx.oscillator(m, k, damping=c), h, rule, seed=1, size=1.0)
    a = 1 / k
    B = np.array([[m / h + c / 2, 0, 1 / 2], [-m / h + c / 2, 1, 1 / 2], [-1 / 2, 0, a / h]])
    D = np.array([[m / h + c / 2, 1, 1 / 2], [-m / h + c / 2, 0, 1 / 2], [1 / 2, 0, a / h]])
    state = np.array([of(sol, "displacement"), of(sol, "momentum"), of(sol, "impulse")])
    z = np.array([h / 2 * f, h / 2 * f, 0 * f])
    assert np.all(relative(B, state[:, 1:], D, state[:, :-1], z) <= ROUND_OFF)
    assert np.ptp(of(sol, "displacement")) > 0
    assert not of(sol, "slip").any()


def printed(m, c, a, h, eta, slipping):
    """Left and right matrix of (66), or of (67) and (68); unknowns u, J, p, u₁."""
    beta = slipping / (2 * eta)
    B = np.array(
        [
            [m / h + c / 2, 1 / 2, 0, 0],
            [-m / h + c / 2, 1 / 2, 1, 0],
            [-1 / 2, a / h + beta, 0, 0],
            [1 / 2, -a / h + beta, 0, -1],
        ]
    )
    D = np.array(
        [
            [m / h + c / 2, 1 / 2, 1, 0],
            [-m / h + c / 2, 1 / 2, 0, 0],
            [1 / 2, a / h + beta, 0, -1],
            [-1 / 2, -a / h + beta, 0, 0],
        ]
    )
    return B, D


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("m", "c", "k", "fy", "eta", "h", "size"),
    [
        (1, 1.5, 225, 0.27, 1.5, 0.02, 0.4),
        (1, 0.3, 225, 0.27, 0.3, 0.02, 0.4),
        (40, 0, 900, 8, 30, 0.1, 20),
        (2, 12, 3000, 1, 500, 0.01, 3),
    ],
)
def test_eqs_66_to_68_on_every_branch(m, c, k, fy, eta, h, size, rule):
    model = hx.oscillator(m, k, damping=c, law=hx.Slider(fy, eta))
    sol, f = marched(model, h, rule, seed=2, size=size)
    a = 1 / k
    state = np.array([of(sol, name) for name in ("displacement", "impulse", "momentum", "slip")])
    x, y = state[:, :-1], state[:, 1:]
    F = (y[1] - x[1]) / h
    alpha, gamma = h / 2 * f, h / (2 * eta) * fy * np.ones_like(f)
    branch = np.sign(F) * (np.abs(F) > fy)
    for sign in (-1, 0, 1):
        on = branch == sign
        assert on.sum() > 10, "the record must visit every branch"
        B, D = printed(m, c, a, h, eta, slipping=abs(sign))
        z = np.array([alpha, alpha, sign * gamma, sign * gamma])
        assert np.all(relative(B, y[:, on], D, x[:, on], z[:, on]) <= ROUND_OFF)
    # Section 5.2: the elastic-assumed solution of (66) names the branch.
    B, D = printed(m, c, a, h, eta, slipping=0)
    trial = np.linalg.solve(B, D @ x + np.array([alpha, alpha, 0 * alpha, 0 * alpha]))[1] - x[1]
    assert np.array_equal(branch, np.sign(trial) * (np.abs(trial) > h * fy))


HARDENING = {
    "none": {},
    "kinematic": {"kinematic": 20.0},
    "isotropic": {"isotropic": 9.0},
    "both": {"kinematic": 20.0, "isotropic": 9.0},
}


@pytest.mark.parametrize(
    "start", [None, hx.State(0.004, -0.02, 0.001, {"accumulated_slip": 0.002})], ids=["at rest", "moving"]
)
@pytest.mark.parametrize(("K", "b"), [(0.0, 1.0), (30.0, 1.0), (-2.0, 1.0), (5.0, -0.6)])
@pytest.mark.parametrize("eta", [0.0, 0.05, 1.5, 1e4])
@pytest.mark.parametrize("hardening", HARDENING)
def test_local_law_and_balance_of_momentum(hardening, eta, K, b, start):
    m, c, k, fy, h = 1.0, 1.5, 225.0, 0.27, 0.02
    law = hx.Slider(fy, eta, **HARDENING[hardening])
    model = dataclasses.replace(
        hx.oscillator(m, k, damping=c, law=law), stiffness=np.array([[K]]), compatibility=np.array([[b]])
    )
    sol, f = marched(model, h, "average", seed=3, size=0.4, start=start)
    u, p, s, F = (of(sol, name) for name in ("displacement", "momentum", "slip", "force"))
    hardens = hardening != "none"
    X = of(sol, "back_force") if hardens else np.zeros_like(u)
    w = of(sol, "accumulated_slip") if hardens else np.zeros_like(u)
    du, dp, ds = np.diff(u), np.diff(p), np.diff(s)
    mid_u, mid_s, mid_X, mid_w = ((q[1:] + q[:-1]) / 2 for q in (u, s, X, w))

    def gone(residual, *terms):
        return np.abs(residual).max() <= ROUND_OFF * max(np.abs(term).max() for term in terms)

    # Momentum over the step, velocity over the step, compatibility of the spring at the middle: (78), (79), (59).
    assert gone(dp + c * du + h * K * mid_u + h * b * F - h * f, p, c * u, h * K * u, h * b * F, h * f)
    assert gone(m * du - h / 2 * (p[1:] + p[:-1]), m * u, h * p)
    assert gone(F / k - (b * mid_u - mid_s), F / k, u, s)
    # Internal variables follow the slip.
    assert gone(np.diff(X) - law.kinematic * ds, X, law.kinematic * s, [1e-300])
    assert gone(np.diff(w) - np.abs(ds), w, s) or not hardens
    # The law at the middle of the step: excess force = viscosity × slip rate, in the direction of F − X.
    slips = ds != 0
    limit = fy + law.isotropic * mid_w
    over = np.abs(F - mid_X) - limit
    assert gone((over - eta * np.abs(ds) / h)[slips], k * u, k * s, X, limit, eta * s / h)
    assert np.array_equal(np.sign(ds[slips]), np.sign((F - mid_X)[slips]))
    assert np.all(over[~slips] <= ROUND_OFF * fy)  # at rest: inside the limit
    if eta < 10:
        assert (ds > 0).sum() > 10
        assert (ds < 0).sum() > 10
    assert slips.sum() < len(slips) - 10


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("eta", [0.0, 1.5])
def test_slip_begins_exactly_at_the_yield_force(eta, sign):
    """One step that would carry 1 ± 1e-12 of the yield force: it slips, or it does not, and by how much is known."""
    h, start = 0.02, sign * 1e-3
    step = hx.Galerkin(h)
    elastic = hx.solve(hx.Problem(hx.oscillator(1, 225), hx.Load([0.0], 1.0), h, start=hx.State(start)), step)
    force = float(of(elastic, "force")[0])
    for off in (-1e-12, 1e-12):
        fy = abs(force) / (1 + off)
        model = hx.oscillator(1, 225, law=hx.Slider(fy, eta))
        sol = hx.solve(hx.Problem(model, hx.Load([0.0], 1.0), h, start=hx.State(start)), step)
        slip = of(sol, "slip")[-1]
        if off < 0:
            assert slip == 0
        else:
            flexibility = 1 / 225 + h * h / 4  # of spring and mass together
            assert slip == pytest.approx(sign * h * fy * off / (eta + h / 2 / flexibility), rel=1e-3, abs=0)


def test_viscosity_zero_keeps_the_mean_force_of_every_step_within_the_yield_force():
    model = hx.oscillator(1, 225, damping=1.5, law=hx.Slider(0.27))
    sol, _ = marched(model, 0.02, "average", seed=4, size=0.5)
    F = np.abs(of(sol, "force"))
    assert F.max() == pytest.approx(0.27, rel=1e-13)
    assert np.abs(of(sol, "node_force")).max() > 0.27 * 1.001  # node forces overshoot: the price of the midpoint
