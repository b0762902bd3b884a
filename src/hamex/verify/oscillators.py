"""One mass on one spring."""

from __future__ import annotations

import numpy as np

import hamex as hx
from hamex.paper import opensees
from hamex.verify.case import Pair, chapter

case = chapter("oscillators")
M, K = 2.0, 50.0
OMEGA = np.sqrt(K / M)
PERIOD = 2 * np.pi / OMEGA
CHOPRA = "Chopra, Dynamics of Structures"


def at(u: float, v: float = 0.0) -> hx.State:
    """A start from a displacement and a velocity."""
    return hx.State(np.array([u]), np.array([M * v]))


@case("O1", f"{CHOPRA}, § 2.2", unit="m", within=1e-10, of="largest")
def damped_free_vibration() -> Pair:
    """Free vibration with 5 % damping, elements of degree 4."""
    u, v, zeta = 0.1, 0.3, 0.05
    problem = hx.Problem(hx.oscillator(M, K, hx.ratio(zeta)), hx.constant(0.0), 20.0, at(u, v))
    sol = hx.solve(problem, hx.Galerkin(0.05, degree=4))
    damped = OMEGA * np.sqrt(1 - zeta**2)
    swing = u * np.cos(damped * sol.times) + (v + zeta * OMEGA * u) / damped * np.sin(damped * sol.times)
    return sol.values("displacement"), np.exp(-zeta * OMEGA * sol.times) * swing


@case("O2", f"{CHOPRA}, § 4.3", unit="m", within=1e-12, of="largest")
def step_force() -> Pair:
    """Step force with 10 % damping, piecewise exact."""
    force, zeta = 3.0, 0.1
    sol = hx.solve(hx.Problem(hx.oscillator(M, K, hx.ratio(zeta)), hx.constant(force), 10.0), hx.PiecewiseExact(0.1))
    root, t = np.sqrt(1 - zeta**2), OMEGA * sol.times
    decay = np.exp(-zeta * t) * (np.cos(root * t) + zeta / root * np.sin(root * t))
    return sol.values("displacement"), force / K * (1 - decay)


@case("O3", f"{CHOPRA}, § 3.1", unit="m", within=1e-9, of="largest")
def resonance() -> Pair:
    """Sine force at resonance without damping, elements of degree 4."""
    force = 3.0
    load = hx.sine(force, float(OMEGA))
    sol = hx.solve(hx.Problem(hx.oscillator(M, K), load, 20.0), hx.Galerkin(0.05, degree=4))
    t = OMEGA * sol.times
    return sol.values("displacement"), force / (2 * K) * (np.sin(t) - t * np.cos(t))


@case("O4", "Hughes, The Finite Element Method, chapter 9", unit="m", within=1e-11, of="largest")
def average_acceleration() -> Pair:
    """Steps of average acceleration: tan(Ω̄/2) = Ω/2 at ten steps a period."""
    step = float(PERIOD / 10)
    problem = hx.Problem(hx.oscillator(M, K), hx.constant(0.0), 1000 * step, at(0.1))
    angle = 2 * np.arctan(OMEGA * step / 2)
    both = [hx.solve(problem, scheme) for scheme in (hx.Galerkin(step), hx.Newmark(step))]
    return [sol.values("displacement") for sol in both], 2 * [0.1 * np.cos(angle * np.arange(1001))]


@case("O5", "energy balance, P u = Fy (u − uy/2)", unit="1", within=1e-6)
def ductility_under_a_step_force() -> Pair:
    """Ductility of a perfectly plastic spring under a step force, 1/(2(1 − P/Fy))."""
    ratios = np.array([0.6, 0.7, 0.8, 0.9])
    model = hx.oscillator(M, K, law=hx.Slider(3.0))
    runs = [hx.Problem(model, hx.constant(3.0 * ratio), 10.0) for ratio in ratios]
    scheme = hx.Galerkin(0.005, locate=True)
    return [hx.solve(problem, scheme).peaks["ductility"].value for problem in runs], 1 / (2 * (1 - ratios))


@case("O6", "Perzyna: u̇ = (F − Fy)/η", unit="m", within=1e-11, of="largest")
def viscoplastic_creep() -> Pair:
    """Creep of a viscoplastic spring under a constant force."""
    force, limit, eta = 5.0, 3.0, 4.0
    pace = (force - limit) / eta
    model = hx.oscillator(M, K, law=hx.Slider(limit, viscosity=eta))
    problem = hx.Problem(model, hx.constant(force), 10.0, at(force / K, pace))
    sol = hx.solve(problem, hx.Galerkin(0.01))
    return sol.values("displacement"), force / K + pace * sol.times


@case("O7", "OpenSees, Hardening and Newmark", "live", "in", within=1e-10, of="largest")
def viscoplastic_record() -> Pair:
    """Viscoplastic oscillator under El Centro, average acceleration."""
    model = hx.oscillator(1.0, 225.0, 1.5, law=hx.Slider(0.27, viscosity=1.5))
    load = hx.el_centro().scaled(2.0).on(model, g=1.0)
    ours = hx.solve(hx.Problem(model, load, 31.18), hx.Newmark(0.02)).values("displacement")
    asked = {"name": "a", "mass": 1.0, "stiffness": 225.0, "damping": 1.5, "yield_force": 0.27, "viscosity": 1.5}
    asked |= {"step": 0.02, "forces": -2.0 * hx.el_centro().acceleration}
    return ours, opensees.run([asked])["cases"]["a"]["displacement"]
