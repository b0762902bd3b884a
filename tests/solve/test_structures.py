"""Structures as a whole: P-Delta collapse, moving supports, damping, massless dofs, Newmark beside it, hard frames."""

import importlib.util
import math
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ConvergenceError, ModelError
from hamex.march import run as kernels

door = import_module("hamex.schemes.shear_frame")
entrance = import_module("hamex.schemes.prepare")
balance = import_module("hamex.solution.energy")
EL_CENTRO = hx.el_centro()


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)


def same(one, other, tolerance, names=("displacement", "momentum", "slip", "force")):
    """Histories agree, relative to their largest value."""
    for name in names:
        a, b = one.values(name), other.values(name)
        assert np.abs(a - b).max() <= tolerance * max(np.abs(a).max(), np.abs(b).max(), 1e-300), name


def free(model, duration, h, **start):
    """Free vibration."""
    load = hx.Load(np.zeros((1, len(model.dofs))), step=duration)
    problem = hx.Problem(model, load, duration, start=hx.State(**start))
    return hx.solve(problem, hx.Galerkin(h), limit=hx.Limit(stop=False))


# --- P-Delta -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("route", ["oscillator", "structure"])
def test_p_delta_collapse_begins_at_three_omega_u_y(monkeypatch, route):
    """Analytic. θ = P/(k h) = 0.1, u_y = F_y/k, ω² = k/m of the storey without P-Delta; viscosity and damping 0.

    The storey carries k(1 − θ)u up to u_y and F_y − θ k u beyond, which vanishes at u = u_y/θ. The work up to there,
    ½k(1 − θ)u_y² + ½(1 − θ)F_y(u_y/θ − u_y) = ½k u_y²(1 − θ)/θ, is the barrier: ½ m v² at v = ω u_y √((1 − θ)/θ),
    for θ = 0.1 exactly 3 ω u_y.
    """
    theta, m, k, fy = 0.1, 2.0, 50.0, 3.0
    omega, u_y, height = math.sqrt(k / m), fy / k, 4.0
    assert math.sqrt((1 - theta) / theta) == pytest.approx(3.0, rel=1e-15)
    model = hx.shear_frame([m], [k], laws=hx.Slider(fy), heights=[height], weights=[theta * k * height])
    if route == "structure":
        for home in (entrance, balance):
            monkeypatch.setattr(home, "is_oscillator", lambda model: False)
    for share in (0.999, 1.001):
        h = 0.02 / omega
        sol = free(model, 3000 * h, h, momentum=[share * 3 * omega * u_y * m])
        u = sol.values("displacement")[:, 0] / u_y
        assert sol.residual <= 1e-11
        if share < 1:
            assert u.max() < 1 / theta  # turns back before the top of the barrier
            assert np.ptp(u[-1000:]) < 2.1  # and swings about its residual displacement
        else:
            assert u[-1] > 1e3
            assert np.all(np.diff(u) > 0)


def test_elastic_instability_is_refused_by_the_builder():
    with pytest.raises(ModelError, match="storey 1"):
        hx.shear_frame([1.0, 1.0], [100.0, 300.0], heights=3.0, weights=170.0)
    hx.shear_frame([1.0, 1.0], [100.0, 300.0], heights=3.0, weights=149.0)  # P/h = 298/3 < 100


# --- moving supports ---------------------------------------------------------------------------------------------


def ground_of(acceleration, h):
    """Displacement whose velocity takes up h·a* in a step, as the momentum does under the rule "average"."""
    mean = 0.5 * (acceleration[:-1] + acceleration[1:])
    velocity = np.concatenate([[0.0], np.cumsum(h * mean)])
    return np.concatenate([[0.0], np.cumsum(0.5 * h * (velocity[:-1] + velocity[1:]))]), velocity


TWO_SUPPORTS = hx.structure(
    [2.0, 1.0],
    hx.rayleigh(0.03),
    [1 / 400, 1 / 300, 1 / 200],
    [[1, 0, -1], [0, 1, 1]],
    [hx.Slider(6.0, 0.5, kinematic=30.0), hx.Slider(5.0), hx.Slider(4.0, 1.0, isotropic=9.0)],
    supports=[[-1, 0, 0], [0, -1, 0]],
    support_names=("left", "right"),
)
FRAME = hx.shear_frame(
    [2.0, 1.0, 1.0],
    [900.0, 700.0, 500.0],
    damping=hx.ratio(0.05),
    laws=hx.Slider(7.0, 2.0),
    heights=3.0,
    weights=60.0,
    links=[hx.power_damper(0, 2, 4.0, 0.4, 5e3)],
)


@pytest.mark.parametrize("model", [TWO_SUPPORTS, FRAME], ids=["two supports", "frame with P-Delta"])
def test_supports_that_move_as_one_are_a_base_acceleration(model):
    """Exactly so: the ground that belongs to the load rule gives the same steps, up to round-off."""
    h, steps = 0.02, 500
    acceleration = 9.81 * EL_CENTRO.acceleration[: steps + 1]
    ground, velocity = ground_of(acceleration, h)
    mass = model.mass @ np.ones(len(model.dofs))
    base = hx.Load(acceleration[:, None], step=h, patterns=-mass[:, None])
    relative = hx.solve(hx.Problem(model, base, steps * h), hx.Galerkin(h))
    still = hx.Load(np.zeros((1, len(model.dofs))), step=h)
    moving = hx.Load(np.tile(ground[:, None], len(model.support_names)), step=h)
    absolute = hx.solve(hx.Problem(model, still, steps * h, supports=moving), hx.Galerkin(h))
    size = np.abs(ground).max()
    assert (
        np.abs(absolute.values("displacement") - relative.values("displacement") - ground[:, None]).max()
        <= 1e-11 * size
    )
    assert (
        np.abs(absolute.values("momentum") - relative.values("momentum") - velocity[:, None] * mass).max()
        <= 1e-11 * np.abs(velocity[:, None] * mass).max()
    )
    assert np.abs(absolute.values("slip") - relative.values("slip")).max() <= 1e-11 * size
    assert np.abs(absolute.values("force") - relative.values("force")).max() <= 1e-11 * 900 * size
    assert relative.values("slip").any()
    assert max(absolute.residual, relative.residual) <= 1e-11


def test_supports_that_move_apart_balance_their_energy():
    h, steps = 0.02, 400
    t = h * np.arange(steps + 1)
    moving = hx.Load(np.stack([0.05 * np.sin(3 * t), 0.03 * np.sin(5 * t + 0.4 * t**1.5)], axis=1), step=h)
    still = hx.Load(np.zeros((1, 2)), step=h)
    sol = hx.solve(hx.Problem(TWO_SUPPORTS, still, steps * h, supports=moving), hx.Galerkin(h))
    assert sol.residual <= 1e-11
    assert np.all(np.any(np.diff(sol.values("slip"), axis=0) != 0, axis=0))
    assert sol.values("input").max() > 0


def test_a_support_that_moves_slowly_pulls_the_structure_with_it():
    """Analytic: elastic, very slow, so that u = −(B k Bᵀ)⁻¹ B k supportsᵀ d."""
    model = hx.structure(
        [1.0, 1.0],
        1.0 * np.eye(2),
        [1 / 400, 1 / 300, 1 / 200],
        [[1, 0, -1], [0, 1, 1]],
        supports=[[-1, 0, 0], [0, -1, 0]],
        support_names=("left", "right"),
    )
    h, steps = 1.0, 400
    ramp = np.stack([0.1 * np.arange(steps + 1) / steps, np.zeros(steps + 1)], axis=1)
    sol = hx.solve(
        hx.Problem(model, hx.Load(np.zeros((1, 2)), step=h), steps * h, supports=hx.Load(ramp, step=h)), hx.Galerkin(h)
    )
    B, k = np.array([[1, 0, -1], [0, 1, 1]]), np.diag([400.0, 300.0, 200.0])
    expected = np.linalg.solve(B @ k @ B.T, B @ k @ [0.1, 0.0, 0.0])
    assert np.allclose(sol.values("displacement")[-1], expected, rtol=1e-3)


# --- damping -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("modes", [1, 3, None])
@pytest.mark.parametrize("scheme", [hx.Galerkin(0.02), hx.Newmark(0.02, safeguarded=True)], ids=["galerkin", "newmark"])
def test_modal_damping_equals_its_full_matrix(modes, scheme):
    masses, stiffnesses = [2.0, 1.5, 1.0, 1.0, 0.5], [900.0, 800.0, 600.0, 400.0, 300.0]
    low = hx.shear_frame(masses, stiffnesses, hx.modal(0.05, modes=modes), hx.Slider(9.0, 0.5, 20.0))
    full = hx.shear_frame(masses, stiffnesses, low.damping.dense(), hx.Slider(9.0, 0.5, 20.0))
    assert low.damping.weights.size == (modes or 5)
    assert full.damping.weights.size == 0
    load = EL_CENTRO.on(low, g=9.80665)
    one, other = (hx.solve(hx.Problem(model, load, 20.0), scheme) for model in (low, full))
    same(one, other, 1e-11)
    assert one.values("slip").any()
    assert one.values("viscous")[-1] == pytest.approx(other.values("viscous")[-1], rel=1e-11)


# --- massless dofs -----------------------------------------------------------------------------------------------


def test_a_massless_floor_is_its_condensed_model():
    """Analytic: a slider in series with an elastic storey is a slider on the sum of the flexibilities."""
    law = hx.Slider(5.0, 0.7, 30.0, 11.0)
    whole = hx.shear_frame([2.0, 0.0, 1.0], [800.0, 500.0, 700.0], laws=[hx.Slider(9.0), law, None])
    condensed = hx.shear_frame([2.0, 1.0], [800.0, 1 / (1 / 500 + 1 / 700)], laws=[hx.Slider(9.0), law])
    forces = 40 * np.random.default_rng(1).normal(size=(300, 2))
    one = hx.solve(hx.Problem(whole, hx.Load(np.insert(forces, 1, 0.0, axis=1), step=0.02), 6.0), hx.Galerkin(0.02))
    other = hx.solve(hx.Problem(condensed, hx.Load(forces, step=0.02), 6.0), hx.Galerkin(0.02))
    for name, springs in (("displacement", [0, 2]), ("momentum", [0, 2]), ("slip", [0, 1]), ("force", [0, 1])):
        a, b = one.values(name)[:, springs], other.values(name)
        assert np.abs(a - b).max() <= 1e-11 * np.abs(b).max()
    assert not one.values("momentum")[:, 1].any()
    assert not one.values("slip")[:, 2].any()
    assert other.values("slip").any()
    assert one.residual <= 1e-11


def test_massless_joints_that_nothing_resists_are_refused_and_named():
    laws = [None, hx.Slider(1.0), hx.Slider(2.0)]
    load = hx.Load(np.zeros((1, 3)), step=1.0)
    loose = hx.shear_frame([1.0, 0.0, 1.0], 100.0, laws=laws)
    with pytest.raises(ModelError, match="'floor 2'"):
        hx.solve(hx.Problem(loose, load, 1.0), hx.Galerkin(0.1))
    with pytest.raises(ModelError, match="'floor 2'"):
        hx.solve(hx.Problem(loose, load, 1.0), hx.Newmark(0.1, safeguarded=True))
    for cure in (hx.Slider(1.0, viscosity=0.01), hx.Slider(1.0, kinematic=1.0), hx.Slider(1.0, isotropic=1.0), None):
        held = hx.shear_frame([1.0, 0.0, 1.0], 100.0, laws=[None, cure, hx.Slider(2.0)])
        hx.solve(hx.Problem(held, load, 1.0), hx.Galerkin(0.1))
    damped = hx.shear_frame([1.0, 0.0, 1.0], 100.0, damping=[0.0, 0.1, 0.0], laws=laws)
    hx.solve(hx.Problem(damped, load, 1.0), hx.Galerkin(0.1))


# --- Newmark -----------------------------------------------------------------------------------------------------


def test_elastic_newmark_is_the_linear_element():
    """Analytic: average acceleration and the linear element are the same elastic steps under the rule "average"."""
    model = hx.shear_frame([2.0, 1.0, 1.0], [900.0, 700.0, 500.0], damping=hx.ratio(0.05))
    load = EL_CENTRO.on(model, g=9.80665)
    runs = [
        hx.solve(hx.Problem(model, load, 20.0), scheme)
        for scheme in (hx.Galerkin(0.02), hx.Newmark(0.02, safeguarded=True), hx.Newmark(0.02))
    ]
    for other in runs[1:]:
        same(runs[0], other, 1e-12, ("displacement", "momentum"))


@pytest.mark.parametrize(
    "law", [hx.Slider(), hx.Slider(3.0, 0.5), hx.Slider(3.0), hx.Slider(3.0, 0.5, 20.0, 8.0)], ids=str
)
def test_one_storey_by_newmark_is_the_oscillator_by_newmark(monkeypatch, law):
    model = hx.shear_frame([1.0], [300.0], damping=[0.4], laws=law)
    load = EL_CENTRO.on(model, g=9.80665)
    scheme = hx.Newmark(0.02, tolerance=1e-13, max_iterations=50)
    one = hx.solve(hx.Problem(model, load, 20.0), scheme)
    safe = hx.solve(hx.Problem(model, load, 20.0), hx.Newmark(0.02, safeguarded=True))
    for home in (entrance, balance):
        monkeypatch.setattr(home, "is_oscillator", lambda model: False)
    plain = hx.solve(hx.Problem(model, load, 20.0), scheme)
    same(one, plain, 1e-10)
    same(one, safe, 1e-10)
    assert law.is_elastic or one.values("slip").any()


def test_plain_newton_fails_where_the_safeguarded_one_does_not():
    frames = benchmark("frames")
    model = built(frames, frames.frame(20, viscosity=1e-6))
    problem = hx.Problem(model, EL_CENTRO.scaled(10).on(model, g=frames.GRAVITY), duration=frames.DURATION)
    with pytest.warns(hx.errors.StepWarning), pytest.raises(ConvergenceError, match="safeguarded"):
        hx.solve(problem, hx.Newmark(0.1, tolerance=1e-8, max_iterations=10))
    with pytest.warns(hx.errors.StepWarning):
        sol = hx.solve(problem, hx.Newmark(0.1, safeguarded=True))
    assert sol.values("solves").max() <= 15
    assert sol.values("searches").max() > 0


# --- the grid of hard frames --------------------------------------------------------------------------------------


def benchmark(name):
    path = Path(__file__).parents[2] / "benchmarks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"_{name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def built(frames, f):
    laws = [hx.Slider(*row) for row in zip(f.yield_forces, f.viscosities, f.kinematic, f.isotropic, strict=True)]
    return hx.shear_frame(f.masses, f.stiffnesses, f.dashpots, laws)


@pytest.mark.parametrize("route", ["chain", "general"])
@pytest.mark.parametrize("storeys", [5, 20, pytest.param(100, marks=pytest.mark.heavy)])
@pytest.mark.chief("5-general", "5-chain")
def test_hard_frames_take_at_most_ten_solves_a_step(monkeypatch, storeys, route):
    """48 frames of each height: record × 1, 3, 10; viscosity × 1 … 1e-6; steps of 0.02 … 0.2 s."""
    frames = benchmark("frames")
    if route == "general":
        monkeypatch.setattr(door, "is_shear_frame", lambda model: False)
    cases = [case for case in frames.grid() if case[0] == storeys]
    assert len(cases) == 48
    most, searched, worst = 0, 0, 0.0
    for _, scale, viscosity, step in cases[:: 1 if storeys < 100 or route == "chain" else 5]:
        model = built(frames, frames.frame(storeys, viscosity))
        load = EL_CENTRO.scaled(scale).on(model, g=frames.GRAVITY)
        sol = hx.solve(hx.Problem(model, load, duration=frames.DURATION), hx.Galerkin(step, load="mean"))
        most = max(most, int(sol.values("solves").max()))
        searched = max(searched, int(sol.values("searches").max()))
        worst = max(worst, sol.residual)
    assert most <= 10
    assert searched > 0, "hard enough to need the line search"
    assert worst <= 1e-11
