"""Measured order of convergence: RMS error over the nodes, slope fitted over at least six halvings from T/80 on."""

import math

import numpy as np
import pytest

import hamex as hx

M, K = 1.0, 225.0
PERIOD = 2 * math.pi / 15
COARSEST = PERIOD / 80
HALVINGS = 2 ** np.arange(7)  # six halvings
DURATION = 5 * PERIOD
OMEGA = 11.0  # smooth, off resonance


def slope(problem, scheme, exact):
    """Order in h; ``exact`` gives (u, p) at the nodes of the coarsest run. Returns the worse of u and p."""
    errors = []
    for parts in HALVINGS.tolist():
        sol = hx.solve(problem, scheme(COARSEST / parts))
        errors.append(
            [
                np.sqrt(np.mean((sol.values(name)[::parts, 0] - reference) ** 2))
                for name, reference in zip(("displacement", "momentum"), exact, strict=True)
            ]
        )
    assert np.all(np.diff(errors, axis=0) < 0), "each halving must help"
    return np.polyfit(np.log(1 / HALVINGS), np.log(errors), 1)[0]


def rule(name):
    return lambda step: hx.Galerkin(step, load=name)


def forced_vibration(t, c, amplitude, omega):
    """Analytic: m ü + c u̇ + k u = amplitude · sin(omega t) from rest, underdamped."""
    z = amplitude / (K - M * omega**2 + 1j * c * omega)
    steady, steady_rate = np.imag(z * np.exp(1j * omega * t)), np.real(omega * z * np.exp(1j * omega * t))
    decay, wd = c / (2 * M), math.sqrt(K / M - (c / (2 * M)) ** 2)
    a, b = -z.imag, (-omega * z.real - decay * z.imag) / wd
    cos, sin, e = np.cos(wd * t), np.sin(wd * t), np.exp(-decay * t)
    u = steady + e * (a * cos + b * sin)
    return u, M * (steady_rate + e * ((b * wd - decay * a) * cos - (a * wd + decay * b) * sin))


ORDERS = {
    "average": (rule("average"), 2),
    "mean": (rule("mean"), 2),
    "end": (rule("end"), 1),
    "newmark": (hx.Newmark, 2),
}


@pytest.mark.parametrize("damping", [0.0, 1.5])
@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.every_value
def test_elastic_order_against_the_closed_form(name, damping):
    scheme, order = ORDERS[name]
    problem = hx.Problem(hx.oscillator(M, K, damping=damping), hx.sine(0.2, omega=OMEGA), DURATION)
    nodes = np.arange(round(DURATION / COARSEST) + 1) * COARSEST
    exact = forced_vibration(nodes, damping, 0.2, OMEGA)
    assert slope(problem, scheme, exact) == pytest.approx([order, order], abs=0.1)


@pytest.fixture(scope="module", params=[0.3, 1.5])
def viscoplastic(request):
    """A spring that yields both ways, and its solution by Richardson's rule from two very fine runs (own reference)."""
    eta = request.param
    model = hx.oscillator(M, K, damping=1.5, law=hx.Slider(0.27, eta))
    problem = hx.Problem(model, hx.sine(0.6, omega=OMEGA), DURATION)
    parts = 1024
    fine, finer = (hx.solve(problem, hx.Galerkin(COARSEST / n)) for n in (parts, 2 * parts))
    slips = np.sign(np.diff(finer.values("slip")[:, 0]))
    assert {-1.0, 0.0, 1.0} <= set(slips.tolist())
    reference = [
        (4 * finer.values(name)[:: 2 * parts, 0] - fine.values(name)[::parts, 0]) / 3
        for name in ("displacement", "momentum")
    ]
    return problem, reference


@pytest.mark.parametrize("name", ["average", "mean", "end"])
@pytest.mark.every_value
def test_viscoplastic_order(viscoplastic, name):
    problem, reference = viscoplastic
    scheme, order = ORDERS[name]
    assert slope(problem, scheme, reference) == pytest.approx([order, order], abs=0.2)


def test_the_printed_load_is_the_solution_half_a_step_early():
    """Why "end" is first order: it loads the midpoint with what comes half a step later."""
    problem = hx.Problem(hx.oscillator(M, K, damping=1.5), hx.sine(0.2, omega=OMEGA), DURATION)
    nodes = np.arange(round(DURATION / COARSEST) + 1) * COARSEST
    exact, early = (forced_vibration(nodes + shift, 1.5, 0.2, OMEGA)[0] for shift in (0.0, COARSEST / 2))
    u = hx.solve(problem, hx.Galerkin(COARSEST, load="end")).values("displacement")[:, 0]
    assert np.abs(u - early).max() < 0.2 * np.abs(u - exact).max()
