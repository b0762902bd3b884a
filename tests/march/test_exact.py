"""The exact recurrence against closed forms: reference values are analytic."""

import dataclasses
import math

import numpy as np
import pytest

import hamex as hx

M, K = 2.0, 50.0
OMEGA = math.sqrt(K / M)


def closed_form(t, zeta, u0, v0, f0=0.0, slope=0.0, m=M, k=K):
    """m ü + c u̇ + k u = f0 + slope·t: particular solution plus free vibration."""
    w = math.sqrt(k / m)
    c = 2 * zeta * w * m
    resting, drift = f0 / k - c * slope / k**2, slope / k
    a, b = u0 - resting, v0 - drift
    if zeta < 1:
        wd = w * math.sqrt(1 - zeta**2)
        B = (b + zeta * w * a) / wd
        cos, sin, decay = np.cos(wd * t), np.sin(wd * t), np.exp(-zeta * w * t)
        free = decay * (a * cos + B * sin)
        rate = decay * ((B * wd - zeta * w * a) * cos - (a * wd + zeta * w * B) * sin)
    elif zeta == 1:
        free, rate = (a + (b + w * a) * t) * np.exp(-w * t), (b - w * (b + w * a) * t) * np.exp(-w * t)
    else:
        root = w * math.sqrt(zeta**2 - 1)
        r1, r2 = -zeta * w + root, -zeta * w - root
        A1, A2 = (b - r2 * a) / (r1 - r2), (r1 * a - b) / (r1 - r2)
        free, rate = A1 * np.exp(r1 * t) + A2 * np.exp(r2 * t), A1 * r1 * np.exp(r1 * t) + A2 * r2 * np.exp(r2 * t)
    return resting + drift * t + free, m * (drift + rate)


LOADS = {"free": (0.0, 0.0), "step": (3.0, 0.0), "ramp": (0.0, -1.5), "both": (3.0, -1.5)}


@pytest.mark.parametrize("step", [0.01, 0.25, 2.0])
@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.999, 1.0, 4.0])
@pytest.mark.parametrize("load", LOADS)
def test_exact_for_any_step(load, zeta, step):
    f0, slope = LOADS[load]
    model = hx.oscillator(M, K, damping=hx.ratio(zeta))
    problem = hx.Problem(model, hx.Load(lambda t: f0 + slope * t), duration=8.0, start=hx.State(0.03, -0.2 * M))
    sol = hx.solve(problem, hx.PiecewiseExact(step=step))
    u, p = closed_form(sol.times, zeta, 0.03, -0.2, f0, slope)
    assert np.abs(sol.values("displacement")[:, 0] - u).max() <= 1e-11 * np.abs(u).max()
    assert np.abs(sol.values("momentum")[:, 0] - p).max() <= 1e-11 * np.abs(p).max()


@pytest.mark.parametrize("zeta", [0.05, 2.0])
def test_mean_force_and_displacement_of_a_step_are_the_exact_means(zeta):
    """∫u dt from the closed form by Gauss points; the spring's mean force is k times the mean displacement."""
    model = hx.oscillator(M, K, damping=hx.ratio(zeta))
    problem = hx.Problem(model, hx.Load(lambda t: 3.0 - 1.5 * t), duration=4.0, start=hx.State(0.03, -0.4))
    sol = hx.solve(problem, hx.PiecewiseExact(step=0.2))
    points, weights = np.polynomial.legendre.leggauss(12)
    u, _ = closed_form(sol.middles[:, None] + 0.1 * points, zeta, 0.03, -0.2, 3.0, -1.5)
    mean = u @ weights / 2
    assert np.abs(sol.values("mean_displacement")[:, 0] - mean).max() <= 1e-12
    assert np.abs(sol.values("force")[:, 0] - K * mean).max() <= 1e-12 * K


def test_a_given_slip_and_a_stiffness_beside_the_spring():
    model = dataclasses.replace(hx.oscillator(M, 30.0, damping=hx.ratio(0.0)), stiffness=np.array([[20.0]]))
    problem = hx.Problem(model, hx.Load(lambda t: 0.5 * t), duration=8.0, start=hx.State(0.03, 0.0, slip=0.1))
    sol = hx.solve(problem, hx.PiecewiseExact(step=0.4))
    u, p = closed_form(sol.times, 0.0, 0.03, 0.0, 30.0 * 0.1, 0.5)  # the slip pulls with k·slip
    assert np.abs(sol.values("displacement")[:, 0] - u).max() <= 1e-12
    assert np.abs(sol.values("momentum")[:, 0] - p).max() <= 1e-11
    assert np.all(sol.values("slip") == 0.1)


def test_a_record_is_met_exactly_whatever_divides_its_step():
    """Samples are linear in between, so a fifth of the step changes nothing but round-off."""
    model = hx.oscillator(1, 225, damping=hx.ratio(0.02))
    problem = hx.Problem(model, hx.el_centro().on(model, g=386.4), duration=32.0)
    whole = hx.solve(problem, hx.PiecewiseExact(step=0.02)).values("displacement")
    fifth = hx.solve(problem, hx.PiecewiseExact(step=0.004)).values("displacement")[::5]
    assert np.abs(whole - fifth).max() <= 1e-12 * np.abs(whole).max()


def test_newmark_converges_to_it_with_order_two():
    model = hx.oscillator(1, 225, damping=hx.ratio(0.05))
    problem = hx.Problem(model, hx.el_centro().on(model, g=386.4), duration=12.0)
    exact = hx.solve(problem, hx.PiecewiseExact(step=0.02)).values("displacement")
    parts = 2 ** np.arange(1, 8)
    errors = [
        np.sqrt(np.mean((hx.solve(problem, hx.Newmark(step=0.02 / n)).values("displacement")[::n] - exact) ** 2))
        for n in parts.tolist()
    ]
    slope = -np.polyfit(np.log(parts), np.log(errors), 1)[0]
    assert slope == pytest.approx(2.0, abs=0.05)
    assert errors[-1] <= 1e-5 * np.abs(exact).max()


def test_a_spring_that_can_slip_is_refused():
    model = hx.oscillator(1, 225, law=hx.Slider(0.27))
    with pytest.raises(hx.errors.SchemeError, match="PiecewiseExact: the spring can slip"):
        hx.solve(hx.Problem(model, hx.constant(1.0), 1.0), hx.PiecewiseExact(step=0.1))
