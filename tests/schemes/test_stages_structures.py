"""Elements of several stages on structures: every law, sparse models, long steps; against maps, against equations."""

import importlib
import math

import numpy as np
import pytest
from stage_problems import SCHEMES, has_one_solution, random_problem, table_of, violation

import hamex as hx
from hamex.schemes.springs import states
from hamex.schemes.stage_march import Pieces, StageMarch

FAMILY = [
    hx.Galerkin(0.02, degree=2),
    hx.Galerkin(0.02, degree=3),
    hx.Galerkin(0.02, degree=4),
    hx.DiscontinuousGalerkin(0.02, degree=0),
    hx.DiscontinuousGalerkin(0.02, degree=1),
    hx.DiscontinuousGalerkin(0.02, degree=2),
]


def name(scheme):
    return f"{'dG' if isinstance(scheme, hx.DiscontinuousGalerkin) else 'G'}{scheme.degree}"


def at_rest(model):
    """u, p, z and branch of a model at rest."""
    n, springs = len(model.dofs), len(model.springs)
    return np.zeros(n), np.zeros(n), np.zeros(states(model).size), np.zeros(springs)


def everything(isotropic=0.0):
    """A frame with hardening, P-Delta, modal damping and a power damper."""
    law = hx.Slider(4.0, viscosity=0.2, kinematic=20.0, isotropic=isotropic)
    return hx.shear_frame(
        [1.0] * 5,
        [900.0] * 5,
        laws=law,
        damping=hx.modal(0.03),
        heights=[3.0] * 5,
        weights=[9.0] * 5,
        links=[hx.power_damper(0, 3, 4.0, 0.4, 800.0)],
    )


@pytest.mark.parametrize(("family", "stages"), SCHEMES)
def test_stage_equations_agree_with_maps_of_a_whole_step(family, stages):
    frame = hx.shear_frame([1.0] * 3, [900.0, 800.0, 700.0], damping=[3.0] * 3, laws=hx.Slider(6.0, 0.5, 40.0))
    table, values = table_of(family, stages), 8 * np.random.default_rng(1).normal(size=(200, stages, 1))
    run = Pieces(frame, table, 0.02, np.ones((3, 1)), 200, "test")
    start = dict.fromkeys(("displacement", "momentum", "slip", "back_force", "accumulated_slip"), np.zeros(3))
    (one, _), (two, _) = run._mapped(start, values), run._staged(start, values)
    for key, mine in one.nodes.items():
        assert np.abs(mine - two.nodes[key]).max() <= 1e-12 * np.abs(mine).max()
    assert np.abs(one.steps["force"] - two.steps["force"]).max() <= 1e-12 * np.abs(one.steps["force"]).max()
    assert np.abs(one.inside.moved - two.inside.moved).max() < 1e-12 * np.abs(one.nodes["displacement"]).max()


@pytest.mark.parametrize(
    ("family", "stages", "order", "steps"), [("G", 2, 4, 40), ("G", 3, 6, 20), ("D", 2, 3, 80), ("D", 3, 5, 30)]
)
def test_order_on_an_elastic_frame(family, stages, order, steps):
    frame = hx.shear_frame([1.0] * 4, [60.0, 50.0, 40.0, 30.0], damping=hx.modal(0.05))
    ends = []
    for n in (steps, 2 * steps, 16 * steps):
        table, h = table_of(family, stages), 4.0 / n
        t = h * (np.arange(n)[:, None] + table.c)
        run = StageMarch(frame, table, h, np.ones((4, 1)))
        ends.append(run.advance(*at_rest(frame), (np.cos(3 * t) + 0.5 * np.sin(t))[:, :, None]).u[-1])
    first, second = (np.abs(end - ends[2]).max() for end in ends[:2])
    assert math.log2(first / second) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize("scheme", FAMILY, ids=name)
def test_balance_closes_for_every_law(scheme):
    frame = everything(isotropic=5.0)
    sol = hx.solve(hx.Problem(frame, hx.el_centro().on(frame, g=9.81), 8.0), scheme)
    assert sol.residual < 3e-13
    largest = np.abs(sol.values("input")).max()
    for entry in ("plastic", "viscous", "jumps"):
        assert np.diff(sol.values(entry)).min() >= -1e-13 * largest
    damper = frame.laws["power"].springs[0]
    assert np.ptp(sol.values("slip")[:, damper]) > 0
    assert sol.values("viscous")[-1] > 0.05 * sol.values("input")[-1]


@pytest.mark.parametrize("scheme", FAMILY[::2], ids=name)
def test_restarts_are_bitwise_with_every_law(scheme):
    frame = everything()
    load = hx.el_centro().on(frame, g=9.81)
    whole = hx.solve(hx.Problem(frame, load, 6.0), scheme)
    first = hx.solve(hx.Problem(frame, load, 2.6), scheme)
    rest = hx.solve(hx.Problem(frame, load.after(2.6), 3.4, start=first.final), scheme)
    for key in ("displacement", "momentum", "slip", "back_force"):
        assert np.array_equal(whole.values(key)[130:], rest.values(key))


@pytest.mark.parametrize("wide", [False, True])
def test_bits_depend_neither_on_blocks_nor_on_the_compiler(monkeypatch, wide):
    frame = everything(isotropic=5.0)
    table, values = table_of("G", 3), 6 * np.random.default_rng(2).normal(size=(60, 3, 1))
    whole = StageMarch(frame, table, 0.02, np.ones((5, 1)), wide=wide).advance(*at_rest(frame), values)
    for block in (1, 7):
        run, state, u = StageMarch(frame, table, 0.02, np.ones((5, 1)), wide=wide), at_rest(frame), []
        for r in range(0, 60, block):
            done = run.advance(*state, values[r : r + block])
            state = done.u[-1], done.p[-1], done.z[-1], done.branch
            u.extend(done.u[1:])
        assert np.array_equal(np.array(u), whole.u[1:])
    monkeypatch.setattr(importlib.import_module("hamex.schemes.stage_march"), "worth_compiling", lambda *_: False)
    plain = StageMarch(frame, table, 0.02, np.ones((5, 1)), wide=wide).advance(*at_rest(frame), values[:10])
    assert np.array_equal(plain.u, whole.u[:11])
    assert np.array_equal(plain.force, whole.force[:10])


@pytest.mark.heavy
@pytest.mark.parametrize("steps", [8, pytest.param(40, marks=pytest.mark.heavy)])
def test_sparse_factors_and_the_band_agree(steps):
    frame = everything()
    table, values = table_of("D", 3), 6 * np.random.default_rng(3).normal(size=(steps, 3, 1))
    band, wide = (
        StageMarch(frame, table, 0.02, np.ones((5, 1)), wide=wide).advance(*at_rest(frame), values)
        for wide in (False, True)
    )
    assert wide.failed == 0
    assert np.abs(band.u - wide.u).max() < 1e-11 * np.abs(band.u).max()


def test_surfaces_obey_their_limit_at_the_stages():
    """Two springs on a circle under one mass in plan, rate independent."""
    model = hx.structure(np.eye(2), np.zeros((2, 2)), np.eye(2) / 100.0, np.eye(2), {(0, 1): hx.Surface((1.0, 1.0))})
    values = np.random.default_rng(4).normal(size=(100, 3, 2)) * 3
    done = StageMarch(model, table_of("D", 3), 0.05, np.eye(2)).advance(*at_rest(model), values)
    size = np.hypot(done.force[..., 0], done.force[..., 1])
    assert done.failed == 0
    assert size.max() == pytest.approx(1.0, abs=1e-12)
    assert violation(model, table_of("D", 3), 0.05, values, done) < 1e-12


@pytest.mark.parametrize(("family", "stages"), SCHEMES)
def test_two_falling_storeys_are_solved_at_every_step_that_has_one_solution(family, stages):
    """Storeys of stiffness 100 that slip at 1 under weights of 15: P-Delta without any hardening."""
    frame = hx.shear_frame([1.0, 1.0], [100.0, 100.0], laws=hx.Slider(1.0), heights=[3.0, 3.0], weights=[15.0, 15.0])
    low, high = 0.01, 10.0
    for _ in range(40):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if has_one_solution(frame, family, stages, middle) else (low, middle)
    for share in (0.3, 0.99):
        table, values = table_of(family, stages), np.random.default_rng(5).uniform(-5, 5, (30, stages, 2))
        done = StageMarch(frame, table, share * low, np.eye(2)).advance(*at_rest(frame), values)
        assert done.failed == 0
        assert violation(frame, table, share * low, values, done) < 1e-11


def fuzzed(seeds):
    """Random problems at steps with one solution: all are solved, and restart at the bits of the whole run."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        problem = random_problem(rng)
        if problem is None:
            continue
        model, family, stages, h, force = problem
        n, table = len(model.dofs), table_of(family, stages)
        values = rng.normal(size=(5, stages, n)) * force
        run = StageMarch(model, table, h, np.eye(n))
        done = run.advance(*at_rest(model), values)
        assert done.failed == 0, seed
        assert violation(model, table, h, values, done) < 1e-9, seed
        first = run.advance(*at_rest(model), values[:2])
        rest = run.advance(first.u[-1], first.p[-1], first.z[-1], first.branch, values[2:])
        assert np.array_equal(rest.u, done.u[2:]), seed


def test_random_problems_are_solved():
    fuzzed(range(100_000, 100_060))


@pytest.mark.heavy
def test_many_random_problems_are_solved():
    fuzzed(range(3000))
