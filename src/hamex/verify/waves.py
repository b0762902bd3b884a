"""Waves in rods."""

from __future__ import annotations

import numpy as np
from scipy.special import i0

import hamex as hx
from hamex.verify.case import Pair, chapter

case = chapter("waves")


@case("W1", "linear elements: ω² = 6c²(1 − cos kl)/(l²(2 + cos kl)), k = (2n − 1)π/2L", unit="rad/s", within=1e-12)
def fixed_free_rod() -> Pair:
    """Frequencies of a rod of 20 elements, fixed and free, as its mesh has them."""
    length, n, c = 2.0, 20, 5.0
    step = length / n
    kl = (2 * np.arange(1, n + 1) - 1) * np.pi / (2 * length) * step
    exact = c / step * np.sqrt(6 * (1 - np.cos(kl)) / (2 + np.cos(kl)))
    return hx.modes(hx.rod(length, n, modulus=50.0, density=2.0)).frequencies, exact


@case("W2", "d'Alembert", unit="m", within=1e-11, of="largest")
def step_wave() -> Pair:
    """Free end of a rod that a force pulls at once: leap-frog at the step of a wave through an element."""
    force, model = 4.5, hx.rod(2.0, 200, 9.0, 1.0, mass="lumped")
    load = hx.Load([1.0, 1.0], step=16 / 3, patterns=force * np.eye(200)[:, -1:])
    sol = hx.solve(hx.Problem(model, load, 16 / 3), hx.LeapFrog(0.01 / 3))
    way = np.mod(3.0 * sol.times, 8.0)
    return sol.values("displacement")[:, -1], force / 9.0 * np.where(way < 4, way, 8 - way)


@case("W3", "Malvern 1951: σy + (ρcv − σy) exp(−t/2τ) I₀(√(t² − x²/c²)/2τ)", unit="kN", within=5e-3)
def viscoplastic_wave() -> Pair:
    """Stress behind the front in a viscoplastic bar whose end is moved at once; 200 elements."""
    size, tau, limit, speed = 200, 0.2, 1.0, 3.0
    model = hx.rod(1.0, size, 1.0, 1.0, law=hx.Slider(limit, viscosity=tau * size))
    load = hx.Load([0.0], step=1.0, patterns=np.zeros((size, 1)))
    problem = hx.Problem(model, load, 0.9, supports=hx.Load([0.0, -speed * 0.9], step=0.9))
    sol = hx.solve(problem, hx.Galerkin(0.5 / size))
    x, t = (np.arange(size) + 0.5) / size, (sol.steps - 0.5) * sol.step
    behind = x < 0.8 * t
    over = np.exp(-t / 2 / tau) * i0(np.sqrt(t * t - x[behind] ** 2) / 2 / tau)
    return sol.values("force")[-1, behind], limit + (speed - limit) * over
