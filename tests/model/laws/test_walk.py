"""A law is one module and one line: four of them, and every door they then go through."""

import doctest
import importlib.util
import math
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from asked_springs import ask

import hamex as hx
from hamex.errors import LawError, ModelError, SchemeError
from hamex.model.laws import law as registry
from hamex.schemes.springs import prepared_springs, spring_blocks, states

HERE = Path(__file__).parent
GAP = hx.laws.Gap(gap=0.004, hook=0.01, corner=4.0, post_stiffness=900.0)


@pytest.fixture(scope="module")
def laws(tmp_path_factory):
    """The laws of this walk, each a module of its own in a folder that the package does not know."""
    folder = tmp_path_factory.mktemp("walk")
    found = {}
    for name, law in (("overstress_law", "Overstress"), ("peak_law", "PeakOriented"), ("j2_law", "J2")):
        path = Path(shutil.copy(HERE / f"{name}.txt", folder / f"{name}.py"))
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        found[law] = hx.laws.register(getattr(module, law))  # the one line
        assert doctest.testmod(module).failed == 0
    yield found
    for law in found.values():
        registry._registered.pop(law.kind)


def made(laws, kind):
    """A law of each kind for a spring of stiffness 500."""
    return {
        "gap": lambda: GAP,
        "overstress": lambda: laws["Overstress"](2.0, 1.5, 3.0),
        "peak": lambda: laws["PeakOriented"](2.0, 0.03),
        "slider": lambda: hx.Slider(2.0, 0.3, 30.0),
    }[kind]()


def frame(law):
    """Three storeys, one of which has the law, with a link of another kind beside it."""
    return hx.shear_frame(
        [1.0, 0.8, 0.6],
        [500.0, 400.0, 300.0],
        laws=[law, hx.Slider(3.0), None],
        damping=[0.4] * 3,
        heights=3.0,
        links=[hx.power_damper(0, 2, 1.0, 0.5, 2000.0)],
    )


def oscillator(law):
    return hx.oscillator(mass=1.0, stiffness=500.0, damping=1.0, law=law)


def shaken(model, duration=4.0):
    return hx.Problem(model, hx.el_centro().scaled(0.8).on(model, g=9.81), duration)


ONE_STAGE = [hx.Galerkin(0.01), hx.Newmark(0.01, safeguarded=True), hx.schemes.GeneralisedAlpha(0.01)]
STAGES = [hx.Galerkin(0.01, degree=2), hx.DiscontinuousGalerkin(0.01)]


@pytest.mark.parametrize("kind", ["gap", "overstress", "peak"])
@pytest.mark.parametrize("builder", [oscillator, frame])
@pytest.mark.parametrize("scheme", ONE_STAGE + STAGES, ids=lambda s: f"{s.name}{getattr(s, 'degree', '')}")
@pytest.mark.every_value
def test_every_scheme_takes_it_or_refuses_it_by_name(laws, kind, builder, scheme):
    problem = shaken(builder(made(laws, kind)))
    if kind == "peak" and scheme.name in ("Galerkin", "DiscontinuousGalerkin"):
        with pytest.raises(SchemeError, match="PeakOriented"):
            hx.solve(problem, scheme)
        return
    sol = hx.solve(problem, scheme)
    fine = hx.solve(problem, type(scheme)(0.01 / 8, **({"safeguarded": True} if scheme.name == "Newmark" else {})))
    peak, better = (x.peaks["displacement"].value for x in (sol, fine))
    assert peak == pytest.approx(better, rel=0.05)
    assert sol.values("slip").any()


@pytest.mark.parametrize("kind", ["gap", "overstress"])
def test_energy_closes_to_round_off(laws, kind):
    for builder in (oscillator, frame):
        sol = hx.solve(shaken(builder(made(laws, kind))), hx.Galerkin(0.01))
        assert sol.residual < 1e-12
        largest = sol.values("input").max()
        assert np.diff(sol.values("plastic")).min() >= -1e-13 * largest
    assert sol.values("viscous_by_group")[-1].sum() > 0  # the damper's


def test_a_gap_gives_back_what_it_took(laws):
    """Analytic: a mass thrown at a wall leaves it with the speed it came, after half a period of contact."""
    model = hx.oscillator(mass=2.0, stiffness=800.0, law=hx.laws.Gap(gap=0.1003))
    sol = hx.solve(hx.Problem(model, hx.Load(lambda t: 0 * t), 1.0, start=hx.State(momentum=-2.0)), hx.Galerkin(1e-3))
    assert sol.values("momentum")[-1, 0] == pytest.approx(2.0, rel=1e-12)
    contact = np.ptp(sol.times[sol.values("node_force")[:, 0] < 0])
    assert contact == pytest.approx(math.pi * math.sqrt(2.0 / 800.0), abs=3e-3)
    assert sol.residual < 1e-13


@pytest.mark.parametrize("kind", ["gap", "overstress", "peak"])
@pytest.mark.chief("overstress")
def test_restarts_and_blocks_change_no_bit(laws, kind):
    scheme = hx.Newmark(0.01, safeguarded=True) if kind == "peak" else hx.Galerkin(0.01)
    problem = shaken(frame(made(laws, kind)))
    whole = hx.solve(problem, scheme)
    first = hx.solve(problem.replace(duration=1.5), scheme)
    rest = hx.solve(problem.replace(duration=2.5, start=first.final, load=problem.load.after(1.5)), scheme)
    for name in whole.histories:
        if name not in ("force", "solves", "searches", "iterations"):
            assert np.array_equal(whole.values(name)[150:], rest.values(name)), name
    for block in (1, 7):
        again = importlib.import_module("hamex.solve").run(problem, scheme, block=block)
        assert all(np.array_equal(whole.values(name), again.values(name)) for name in whole.histories)
    if kind == "peak":
        assert {"last_force", "largest"} <= set(whole.names)
        assert whole["largest"].dims == ("time", "spring")


@pytest.mark.parametrize("kind", ["gap", "overstress", "peak"])
@pytest.mark.chief("peak")
def test_error_bars_slow_loading_and_files(laws, kind, tmp_path):
    scheme = hx.Newmark(0.01, safeguarded=True) if kind == "peak" else hx.Galerkin(0.01)
    model = frame(made(laws, kind))
    sol = hx.solve(shaken(model), scheme, error=True)
    assert sol.peaks["displacement"].error > 0
    loop = hx.cyclic(model, "floor 3", [0.01, 0.02])
    assert loop.values("slip")[:, 0].any()
    back = hx.read(sol.save(tmp_path / "a.nc"))
    again = hx.solve(back.problem, back.scheme)
    assert np.array_equal(again.values("displacement"), sol.values("displacement"))


def test_the_peak_oriented_spring_follows_its_own_path(laws):
    """Analytic: pushed to twice its yield deformation and back, it comes to the points of its rule."""
    law = laws["PeakOriented"](2.0, 0.1)
    model = hx.shear_frame([1.0], [100.0], laws=law)
    push = hx.solve_path(model, [1.0], [0.04, 0.02, -0.04])
    force = push.values("node_force")[:, 0]
    assert force[1] == pytest.approx(2.0 - 0.1 * 100 * 0.02, rel=1e-5)  # on the falling branch
    assert force[2] == pytest.approx(1.8 - 100 * 0.02, abs=0.2 + 1e-5)  # stops at zero, then reloads
    assert force[3] == pytest.approx(-1.8, rel=1e-5)


def test_softening_needs_a_step_that_is_computed_beforehand(laws):
    """Analytic: 4M/h² − αk > 0 for one mass."""
    model = hx.oscillator(mass=1.0, stiffness=400.0, law=laws["PeakOriented"](2.0, 0.25))
    limit = 2 / math.sqrt(0.25 * 400.0)
    scheme = hx.Newmark(0.1, safeguarded=True)
    assert scheme.longest_step(model) == pytest.approx(limit, rel=1e-6)
    problem = hx.Problem(model, hx.sine(1.0, omega=10.0), 0.44)
    with pytest.raises(SchemeError, match=r"must be below 0\.2 s"):
        hx.solve(problem, hx.Newmark(0.22, safeguarded=True))
    told = hx.solve(problem, hx.Newmark(0.22, safeguarded=True), promise="reported")
    assert told.values("displacement").any()


# --- six stresses in a block -------------------------------------------------------------------------------------


def elastic_six(young=200.0, poisson=0.3):
    flexibility = np.diag(np.r_[np.ones(3) / young, 2 * (1 + poisson) / young * np.ones(3)])
    flexibility[:3, :3] -= poisson / young * (1 - np.eye(3))
    return flexibility


def blocks_model(law, count=3, dofs=9, seed=1):
    rng = np.random.default_rng(seed)
    A = np.kron(np.eye(count), elastic_six())
    group = hx.laws.Group.of(
        law, 6 * np.arange(count), shear_modulus=200 / 2.6, limit=rng.uniform(0.5, 1.0, count), viscosity=0.05
    )
    return hx.structure(np.ones(dofs), 0.2 * np.eye(dofs), A, rng.normal(size=(dofs, 6 * count)), group)


def test_six_stresses_obey_their_surface_and_their_tangent_is_the_derivative(laws):
    model = blocks_model(laws["J2"])
    blocks, size = spring_blocks(model), states(model).size
    springs = prepared_springs(model, blocks, 0.02, "end", "test", compile=False)
    rng = np.random.default_rng(2)

    def asked(e):
        F, T = np.zeros(18), np.zeros(blocks.entries)
        branch = np.zeros(18, dtype=np.int64)
        ask(springs, e, np.zeros(18), 1.0, 0.02, np.zeros(size), F, T, np.zeros(size), branch)
        return F, T

    e = 0.02 * rng.normal(size=18)
    T = asked(e)[1]
    for j in range(6):
        step = 1e-7 * np.eye(18)[j]
        slope = (asked(e + step)[0] - asked(e - step)[0])[:6] / 2e-7
        tangent = T[18:54].reshape(6, 6)
        assert np.allclose(slope, tangent[:, j], atol=1e-5 * np.abs(tangent).max())
        assert np.allclose(tangent, tangent.T, rtol=1e-13)


def test_six_stresses_march_close_their_energy_and_restart(laws):
    model = blocks_model(laws["J2"])
    load = hx.Load(6 * np.random.default_rng(3).normal(size=(60, 9)), step=0.02)
    for scheme in (hx.Galerkin(0.02), hx.Newmark(0.02, safeguarded=True), hx.DiscontinuousGalerkin(0.02)):
        sol = hx.solve(hx.Problem(model, load, 1.2), scheme)
        assert sol.values("slip").any()
        first = hx.solve(hx.Problem(model, load, 0.6), scheme)
        rest = hx.solve(hx.Problem(model, load.after(0.6), 0.6, start=first.final), scheme)
        assert np.array_equal(rest.values("displacement"), sol.values("displacement")[30:])
        assert sol.residual < (1e-12 if scheme.name != "Newmark" else 0.1)
        assert np.diff(sol.values("plastic")).min() > (-1e-12 if scheme.name != "Newmark" else -1.0)


@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.heavy)])
def test_many_blocks_are_arrays(laws, count):
    """Built from arrays; benchmarks tell the seconds."""
    from scipy import sparse

    data = np.broadcast_to(elastic_six(), (count, 6, 6))
    A = sparse.bsr_array((data, np.arange(count), np.arange(count + 1)), shape=(6 * count, 6 * count)).tocsr()
    B = sparse.csr_array((np.ones(6 * count), (np.arange(6 * count) // 60, np.arange(6 * count))))
    group = hx.laws.Group.of(laws["J2"], 6 * np.arange(count), shear_modulus=77.0, limit=np.linspace(1, 2, count))
    model = hx.structure(np.ones(count // 10), 0, A, B, group)
    assert len(model.springs) == 6 * count
    assert model.springs[-1] == f"spring {6 * count}"
    assert model.spring_stiffness["j2"].shape == (count, 6, 6)


# --- refusals ------------------------------------------------------------------------------------------------------


def test_what_a_law_lacks_is_named(laws):
    class Skew(type(GAP)):
        symmetric = False

    with pytest.raises(LawError, match="not symmetric"):
        hx.laws.register(Skew)
    with pytest.raises(ModelError, match="Skew is not symmetric"):
        hx.structure([1.0], 0, [1.0], [[1.0]], Skew(gap=0.1))
    with pytest.raises(LawError, match="both infinite"):
        hx.laws.Gap(gap=math.inf)
    with pytest.raises(LawError, match="must not be negative, got -1; a contact that softens"):
        hx.laws.Gap(post_stiffness=-1.0)
    with pytest.raises(LawError, match=r"block 1 .*limit must be positive"):
        hx.laws.Group.of(laws["J2"], [0, 6], shear_modulus=1.0, limit=[1.0, -1.0])
    with pytest.raises(ModelError, match="couples 6 forces"):
        hx.oscillator(1.0, 1.0, law=laws["J2"](1.0, 1.0))
