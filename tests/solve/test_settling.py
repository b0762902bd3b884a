"""Residual drift: where a structure comes to rest, how far it still swings, runs that go on until it does not, and runs
that end before their load."""

import warnings
from importlib import import_module

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ProblemError, ShortLoadWarning, ShortRunWarning, SwingWarning
from hamex.solution.solution import Status
from hamex.solve.settling import tails

run = import_module("hamex.solve").run
STILL = hx.Load(np.zeros((1, 3)), 1.0)


def storeys(kinematic=0.0, **options):
    laws = [hx.Slider(fy, kinematic=kinematic) for fy in (300, 260, 180)]
    return hx.shear_frame(
        [60.0] * 3, [60e3, 55e3, 48e3], laws=laws, heights=3.2, **{"damping": hx.modal(0.02)} | options
    )


MODELS = {
    "oscillator": hx.oscillator(1.0, 40.0, 0.5, hx.Slider(1.0)),
    "shear frame": storeys(),
    "P-Delta": storeys(3e3, weights=600.0),
    "dampers": storeys(3e3, weights=300.0, links=[hx.power_damper(0, 2, 50.0, 0.5, 1e4)]),
}


def shaken(name, duration=31.5, scale=1.5):
    """To the end of the record, where it still swings."""
    model = MODELS[name]
    return hx.Problem(model, hx.el_centro().scaled(scale).on(model, g=9.80665), duration=duration)


@pytest.fixture(scope="module", params=MODELS)
def case(request):
    problem = shaken(request.param)
    return problem, hx.solve(problem, hx.Galerkin(0.02))


def drifts(sol):
    return sol.values("storey_drift" if sol.model.storeys is not None else "displacement")


def test_rest_is_where_the_free_vibration_ends(case):
    """The whole free vibration stays within the swing, and its end is the drift at rest."""
    problem, sol = case
    rest = sol.rest
    late = hx.solve(problem.replace(duration=400.0), hx.Galerkin(0.02))
    slips = late.values("slip")[sol.steps :][:, sol.model.yields]
    assert np.array_equal(slips, np.broadcast_to(slips[0], slips.shape)), "something slipped: the bound is not for that"
    after = drifts(late)[sol.steps :] - rest.drift
    assert (np.abs(after).max(axis=0) <= rest.swing * (1 + 1e-12)).all()
    assert (np.abs(after).max(axis=0) > 0.02 * rest.swing).all()  # sharp enough to tell anything
    assert np.abs(after[-1]).max() < 1e-7 * np.abs(drifts(sol)).max()
    assert np.abs(drifts(sol)[-1] - rest.drift).max() > 1e-4 * np.abs(drifts(sol)).max()  # an instant's is another


def test_a_run_goes_on_until_the_motion_has_died_down(case):
    problem, sol = case
    share = 0.001
    on = hx.solve(problem, hx.Galerkin(0.02), settle=share)
    assert on.rest.share <= share < sol.rest.share
    assert on.status is Status.FINISHED
    assert on.extent.settled is True
    assert on.steps in tails(sol.steps)
    assert on.problem.duration == pytest.approx(on.steps * 0.02)
    whole = hx.solve(problem.replace(duration=on.problem.duration), hx.Galerkin(0.02))
    for name in ("displacement", "momentum", "slip"):
        assert on.values(name).tobytes() == whole.values(name).tobytes()
    assert on.residual < 1e-10
    for block in (1000, 7919):
        again = run(problem, hx.Galerkin(0.02), block=block, settle=share)
        assert again.values("displacement").tobytes() == whole.values("displacement").tobytes()
    thin = hx.solve(problem, hx.Galerkin(0.02), settle=share, keep=15)
    assert thin.all_steps in tails(sol.steps, 15)
    assert thin.rest.share <= 1.1 * share
    assert not on.rest.swings


def test_files_keep_whether_it_died_down(tmp_path):
    problem = shaken("shear frame")
    sol = hx.solve(problem, hx.Galerkin(0.02), settle=0.005)
    back = hx.read(sol.save(tmp_path / "a.nc"))
    assert back.extent.settled is True
    assert back.rest.drift.tobytes() == sol.rest.drift.tobytes()
    assert back.status is sol.status
    assert hx.read(sol.save(tmp_path / "b.nc", problem=False)).rest is None


def test_what_never_dies_down_is_said():
    model = hx.oscillator(1.0, 40.0)
    problem = hx.Problem(model, hx.Load([0.0, 1.0, 0.0], 0.5), duration=2.0)
    with pytest.warns(SwingWarning, match="has not died down after 66 s"):
        sol = hx.solve(problem, hx.Galerkin(0.02), settle=0.01)
    assert sol.status is Status.SWINGS
    assert sol.rest.swings
    assert hx.solve(problem, hx.Galerkin(0.02)).status is Status.FINISHED


def test_gravity_stays():
    """What stands on the structure belongs to its rest."""
    model = hx.oscillator(1.0, 40.0, 4.0, hx.Slider(50.0))
    push = hx.Load([0.0, 3.0, 0.0], 0.5) + hx.constant(2.0)
    sol = hx.solve(hx.Problem(model, push, duration=4.0), hx.Galerkin(0.02), settle=0.001)
    assert sol.rest.drift[0] == pytest.approx(2.0 / 40.0, rel=1e-12)
    assert sol.values("displacement")[-1, 0] == pytest.approx(0.05, abs=1.1e-3 * sol.peaks["displacement"].value)


def test_what_nothing_brings_back_has_no_rest():
    model = hx.oscillator(1.0, 100.0, law=hx.Slider(0.0, viscosity=1.0))
    start = hx.State(momentum=[0.01])
    assert hx.solve(hx.Problem(model, hx.Load([0.0], 1.0), 0.5, start), hx.Galerkin(0.01)).rest is None


@pytest.mark.parametrize(
    ("settle", "problem", "told"),
    [
        (0.0, shaken("oscillator"), "between 0 and 1"),
        (1.0, shaken("oscillator"), "between 0 and 1"),
        ("yes", shaken("oscillator"), "between 0 and 1"),
        (0.01, shaken("oscillator", 10.0), "the load goes on for 21.1"),
        (0.01, shaken("oscillator").replace(load=hx.sine(1.0, omega=3.0)), "a load that ends or stays"),
        (
            0.01,
            hx.Problem(hx.oscillator(1.0, 40.0, law=hx.laws.Gap(0.1)), hx.Load([0.0], 1.0), 1.0),
            "spring of Gap comes to rest",
        ),
    ],
)
def test_what_cannot_be_waited_for_is_named(settle, problem, told):
    with pytest.raises(ProblemError, match=told):
        hx.solve(problem, hx.Galerkin(0.02), settle=settle)


def test_a_run_that_ends_before_its_record_says_so(tmp_path):
    with pytest.warns(ShortRunWarning, match=r"the run ends 21\.16 s before its load"):
        sol = hx.solve(shaken("oscillator", 10.0), hx.Galerkin(0.02))
    assert sol.status is Status.EARLY
    assert sol.left_over == pytest.approx(21.16)
    assert sol.rest is None
    assert hx.read(sol.save(tmp_path / "a.nc")).status is Status.EARLY
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = hx.solve(shaken("oscillator", hx.el_centro().duration), hx.Galerkin(0.02))
        assert whole.status is Status.FINISHED  # to the last sample
        rest = shaken("oscillator", 22.0)
        on = rest.replace(start=sol.final, load=rest.load.after(10.0))
        assert hx.solve(on, hx.Galerkin(0.02)).status is Status.FINISHED
        quiet = hx.Load(np.append(np.ones(5), np.zeros(500)), 0.1)
        assert hx.solve(hx.Problem(hx.oscillator(1.0, 40.0), quiet, 1.0), hx.Galerkin(0.02)).left_over == 0


def test_a_load_that_breaks_off_before_the_run_ends_says_so():
    """Gravity as one sample fades to zero within a second; what stays, what dies down and formulas are silent."""
    model, scheme = MODELS["shear frame"], hx.Galerkin(0.02)
    ground = hx.el_centro().on(model, g=9.80665)
    once = hx.Load(np.full((1, 3), -5.0), step=1.0)
    with pytest.warns(ShortLoadWarning, match=r"ends at 0 s with 100% of its largest value .* run goes on to 33 s"):
        hx.solve(hx.Problem(model, ground + once, 33.0), scheme)
    with pytest.warns(ShortLoadWarning, match=r"ends at 1\.5 s with 40%"):
        hx.solve(hx.Problem(hx.oscillator(1.0, 40.0), hx.Load([0.0, -1.0, 0.5, 0.4], 0.5), 3.0), scheme)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ShortLoadWarning)
        hx.solve(hx.Problem(model, ground, 33.0, standing=np.full(3, -5.0)), scheme)
        hx.solve(hx.Problem(model, once, 1.0), scheme)
        hx.solve(hx.Problem(model, once.after(5.0), 1.0), scheme)
