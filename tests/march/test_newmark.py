"""Newmark with Newton-Raphson: equal to the paper's element where theory says so, to a plain solver elsewhere."""

import re

import numpy as np
import pytest
from scipy.optimize import brentq

import hamex as hx

H = 0.02


def of(sol, name):
    return sol.values(name)[:, 0]


def yielding(**law):
    return hx.oscillator(1, 225, damping=1.5, law=hx.Slider(0.27, **{"viscosity": 1.5} | law))


def el_centro_problem(model, duration=40.0, **more):
    return hx.Problem(model, hx.el_centro().scaled(2).on(model, g=1.0), duration=duration, **more)


@pytest.mark.parametrize("step", [0.02, 0.005])
@pytest.mark.parametrize("damping", [0.0, 0.05, 1.0, 3.0], ids=["undamped", "5 %", "critical", "over"])
def test_elastic_element_with_average_load_is_newmark_average_acceleration(damping, step):
    problem = el_centro_problem(hx.oscillator(1, 225, damping=hx.ratio(damping)), start=hx.State(1e-3, -2e-2))
    ours, theirs = hx.solve(problem, hx.Galerkin(step=step)), hx.solve(problem, hx.Newmark(step=step))
    for name in ("displacement", "momentum", "node_force", "force"):
        difference = np.abs(of(ours, name) - of(theirs, name)).max()
        assert difference <= 1e-12 * np.abs(of(ours, name)).max(), name


def end_slip(u, h, k, fy, eta, hk, hi, s, X, w):
    """Slip increment of the law at the end of a step that stretches the spring to u, by bracketing."""

    def excess(ds):
        return abs(k * (u - s - ds) - X - hk * ds) - fy - hi * (w + abs(ds)) - eta * abs(ds) / h

    all_of_it = (k * (u - s) - X) / (k + hk)  # slip that would leave no effective force at all
    return brentq(excess, 0.0, all_of_it, xtol=1e-17) if excess(0.0) > 0 else 0.0


def plain_newmark(forces, h, beta, gamma, m, c, law, u, v):
    """Newmark's formulas with the law at the end of the step; acceleration and slip bracketed, no tangent."""
    k = law[0]
    inner = (0.0, 0.0, 0.0)  # s, X, w
    A = (forces[0] - c * v - k * u) / m
    out = [(u, m * v, 0.0)]
    for f in forces[1:]:
        u_guess, v_guess = u + h * v + h * h * (0.5 - beta) * A, v + h * (1 - gamma) * A

        def out_of_balance(a, f=f, u_guess=u_guess, v_guess=v_guess, inner=inner):
            end = u_guess + beta * h * h * a
            force = k * (end - inner[0] - end_slip(end, h, *law, *inner))
            return m * a + c * (v_guess + gamma * h * a) + force - f

        A = brentq(out_of_balance, -1e4, 1e4, xtol=1e-15, rtol=1e-15)
        u, v = u_guess + beta * h * h * A, v_guess + gamma * h * A
        ds = end_slip(u, h, *law, *inner)
        inner = (inner[0] + ds, inner[1] + law[3] * ds, inner[2] + abs(ds))
        out.append((u, m * v, inner[0]))
    return np.array(out).T


@pytest.mark.parametrize(("beta", "gamma"), [(1 / 4, 1 / 2), (1 / 6, 1 / 2), (0.3025, 0.6)])
@pytest.mark.parametrize(
    "law",
    [
        {"viscosity": 1.5},
        {"viscosity": 0.0},
        {"kinematic": 20.0},
        {"isotropic": 9.0},
        {"viscosity": 0.1, "kinematic": 20.0, "isotropic": 9.0},
    ],
    ids=["viscous", "rate independent", "kinematic", "isotropic", "both"],
)
def test_yielding_newmark_agrees_with_a_solver_that_brackets_each_step(law, beta, gamma):
    law = {"viscosity": 1.5, "kinematic": 0.0, "isotropic": 0.0} | law
    steps = 250
    load = hx.el_centro().scaled(2).on(yielding(), g=1.0)
    problem = hx.Problem(yielding(**law), load, duration=steps * H, start=hx.State(2e-4, -1e-2))
    sol = hx.solve(problem, hx.Newmark(H, beta, gamma, tolerance=1e-14, max_iterations=50))
    forces = -2 * hx.el_centro().acceleration[: steps + 1]
    numbers = (225.0, 0.27, law["viscosity"], law["kinematic"], law["isotropic"])
    u, p, s = plain_newmark(forces, H, beta, gamma, 1.0, 1.5, numbers, 2e-4, -1e-2)
    assert np.ptp(s) > 1e-3
    assert (np.diff(s) > 0).any()
    assert (np.diff(s) < 0).any()
    for name, plain in (("displacement", u), ("momentum", p), ("slip", s)):
        assert np.abs(of(sol, name) - plain).max() <= 1e-10 * np.abs(plain).max(), name


def test_the_default_tolerance_of_the_paper_is_kept():
    """Section 6.1: increment of displacement at most 1e-7, at most 10 iterations."""
    scheme = hx.Newmark(step=H)
    assert (scheme.tolerance, scheme.max_iterations, scheme.beta, scheme.gamma) == (1e-7, 10, 0.25, 0.5)


def test_iterations_are_counted():
    elastic = hx.solve(el_centro_problem(hx.oscillator(1, 225)), hx.Newmark(step=H))
    counts = elastic.values("iterations")
    moves = np.abs(np.diff(of(elastic, "displacement"))) > 1e-7
    assert np.array_equal(counts, np.where(moves, 2, 1))  # one solves, the next finds nothing left
    counts = hx.solve(el_centro_problem(yielding()), hx.Newmark(step=H)).values("iterations")
    assert counts.min() >= 1
    assert 2 < counts.max() <= 10


@pytest.mark.parametrize(
    "law", [{}, {"viscosity": 0.0}, {"viscosity": 0.1, "kinematic": 20.0, "isotropic": 9.0}], ids=str
)
def test_newton_with_the_right_tangent_is_done_once_it_knows_the_branch(law):
    """The law is piecewise linear: a wrong guess, a right one, a check. A wrong tangent would creep to 1e-13."""
    counts = hx.solve(el_centro_problem(yielding(**law)), hx.Newmark(H, tolerance=1e-13)).values("iterations")
    assert counts.max() <= 5


@pytest.mark.parametrize("hard", [{"max_iterations": 1}, {"max_iterations": 2}, {"tolerance": 1e-300}], ids=str)
def test_no_convergence_names_the_first_step_that_fails(hard):
    problem = el_centro_problem(yielding())
    scheme = hx.Newmark(step=H, **hard)
    with pytest.raises(hx.errors.ConvergenceError, match="did not converge") as caught:
        hx.solve(problem, scheme)
    step, time = re.search(r"step (\d+) \(t = (\S+) s\)", str(caught.value)).groups()
    assert float(time) == pytest.approx(int(step) * H, rel=1e-5)
    assert f"in {scheme.max_iterations} iterations" in str(caught.value)
    assert f"tolerance {scheme.tolerance:g}" in str(caught.value)
    if int(step) > 1:
        hx.solve(problem.replace(duration=(int(step) - 1) * H), scheme)  # all before it went well
    with pytest.raises(hx.errors.ConvergenceError, match=f"step {step} "):
        hx.solve(problem.replace(duration=int(step) * H), scheme)


def test_newmark_starts_from_equilibrium_under_the_first_load():
    """u₀ = f/k under a constant force stays: the acceleration at the start comes from the equation of motion."""
    problem = hx.Problem(hx.oscillator(2, 50, damping=3), hx.constant(5.0), 1.0, start=hx.State(0.1))
    sol = hx.solve(problem, hx.Newmark(step=0.1))
    assert np.abs(of(sol, "displacement") - 0.1).max() <= 1e-16
    assert np.abs(of(sol, "momentum")).max() <= 1e-15
