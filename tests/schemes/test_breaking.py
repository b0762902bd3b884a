"""Springs that break inside a step: the step is cut there, the nodes stay, what the spring held is lost.

Reference values are analytic: closed motions on both sides of the break.
"""

import numpy as np
import pytest
from repetitions import chiefly

import hamex as hx
from hamex.errors import ConvergenceError, ModelError
from hamex.schemes import breaking
from hamex.solve import run

STILL = hx.Load([0.0, 0.0], step=1.0)


def brittle(force=50.0, ultimate=0.1, **more):
    return hx.laws.Bilinear(force, ultimate=ultimate, **more)


def frame(seed=0, storeys=4, law=None, **more):
    rng = np.random.default_rng(seed)
    stiffness = rng.uniform(80.0, 160.0, storeys)
    laws = [law or hx.laws.IMK(1.0, 1.1, 0.02, 0.3, 0.3, u, reloading="peak") for u in rng.uniform(0.02, 0.1, storeys)]
    return hx.shear_frame(rng.uniform(0.8, 1.2, storeys), stiffness, damping=hx.modal(0.03), laws=laws, **more)


def shaken(model, seed=0, size=12.0, duration=6.0):
    rng = np.random.default_rng(seed)
    forces = size * rng.normal(size=(int(duration / 0.05) + 1, 1))
    return hx.Problem(model, hx.Load(forces, step=0.05, patterns=np.ones((len(model.dofs), 1))), duration)


def test_a_brittle_oscillator_flies_on_from_where_it_breaks():
    """u = (v/ω) sin ωt up to the break at sin ωt = ½, then free flight; the error falls with the square of the step."""
    model = hx.oscillator(mass=1.0, stiffness=100.0, law=brittle())
    problem = hx.Problem(model, STILL, 0.2, hx.State(momentum=[2.0]))
    broken = np.arcsin(0.5) / 10.0
    exact = 0.1 + 2.0 * np.cos(10.0 * broken) * (0.2 - broken)
    errors = []
    for step in (0.02, 0.01, 0.005):
        sol = hx.solve(problem, hx.Galerkin(step))
        errors.append(abs(sol.values("displacement")[-1, 0] - exact))
        assert sol.residual < 1e-13
        assert sol.values("plastic")[-1] == pytest.approx(0.5 * 100.0 * 0.1**2, rel=1e-12)  # all that it held
        assert sol.values("kinetic")[-1] == pytest.approx(0.5 * 4.0 - 0.5, rel=1e-12)
        assert sol.values("events").sum() == 1
        assert np.array_equal(sol.times, step * np.arange(round(0.2 / step) + 1))
        assert abs(sol.values("node_force")[-1, 0]) < 1e-14
    assert np.log2(errors[0] / errors[2]) / 2 > 1.8


def test_a_spring_that_comes_back_before_its_break_is_told_and_ends_the_step(monkeypatch):
    """What breaks is gone; the force of a law that jumps and comes back would be cut for ever."""
    found, first = breaking._Cut.next_piece, []

    def no_further(cut, now, gone):
        first.append(now)
        return found(cut, first[0], 0.0)[0], 0.0

    monkeypatch.setattr(breaking._Cut, "next_piece", no_further)
    model = hx.oscillator(mass=1.0, stiffness=100.0, law=brittle())
    with pytest.raises(ConvergenceError, match="broke again and again"):
        hx.solve(hx.Problem(model, STILL, 0.2, hx.State(momentum=[2.0])), hx.Galerkin(0.02))
    assert len(first) < 100


def test_it_breaks_where_its_limit_lies_whatever_the_step():
    """All work up to the break is the law's own, to rounding, also where the step is long."""
    law = brittle(2.0, 0.1)  # yields at 0.02
    model = hx.oscillator(mass=1.0, stiffness=100.0, damping=0.5, law=law)
    for step in (0.1, 0.03, 0.004):
        sol = hx.solve(hx.Problem(model, STILL, 0.3, hx.State(momentum=[3.0])), hx.Galerkin(step))
        assert sol.values("plastic")[-1] == pytest.approx(0.5 * 2.0 * 0.02 + 2.0 * 0.08, rel=1e-13)
        assert sol.residual < 1e-14


def test_several_springs_break_in_one_step_one_after_the_other():
    """Four in parallel: the force falls in four jumps, and the step that sees them all keeps the balance."""
    limits = (0.02, 0.03, 0.03, 0.05)
    model = parallel(limits)
    sol = hx.solve(hx.Problem(model, STILL, 0.1, hx.State(momentum=[2.0])), hx.Galerkin(0.05))
    assert sol.values("events").max() == 4
    assert sol.values("plastic")[-1] == pytest.approx(sum(0.5 * 100.0 * u * u for u in limits), rel=1e-12)
    assert sol.residual < 1e-14
    assert np.abs(sol.values("node_force")[-1]).max() < 1e-14
    assert sol.values("plastic_by_group")[-1].sum() == pytest.approx(sol.values("plastic")[-1], rel=1e-13)


def parallel(limits):
    links = [hx.links.spring_link(0, 1, 100.0, law=brittle(50.0, u)) for u in limits[1:]]
    return hx.shear_frame([1.0], [100.0], laws=[brittle(50.0, limits[0])], links=links)


@pytest.mark.parametrize("seed", chiefly([0, 1], range(4)))
def test_frames_that_lose_storeys_keep_the_balance(seed):
    sol = hx.solve(shaken(frame(seed), seed), hx.Galerkin(0.01), limit=hx.Limit(None))
    assert sol.values("events").sum() >= 1
    assert sol.residual < 1e-12
    assert np.diff(sol.values("plastic")).min() > -1e-12 * sol.values("plastic")[-1]
    gone = np.abs(sol.values("node_force")[-1]) < 1e-12
    assert gone.sum() == sol.values("events").sum()


@pytest.mark.chief("bilinear")
@pytest.mark.parametrize("law", [brittle(1.0, 0.05, hardening=0.05), None], ids=["bilinear", "imk"])
def test_compiled_and_plain_runs_and_runs_that_are_cut_are_the_same_bits(monkeypatch, law):
    problem, scheme = shaken(frame(1, law=law), 1, duration=1.5), hx.Galerkin(0.01)
    results = []
    for compiles in (True, False):
        monkeypatch.setattr("hamex.schemes.onestage.worth_compiling", lambda *_, c=compiles: c)
        results.append(run(problem, scheme, hx.Limit(None)))
    whole = results[0]
    assert whole.values("events").sum() >= 1
    results += [run(problem, scheme, hx.Limit(None), block=block) for block in (7,)]
    for other in results[1:]:
        for name in ("displacement", "momentum", "slip", "force", "events", "event_work"):
            assert np.array_equal(other.values(name), whole.values(name))
    at = int(np.flatnonzero(whole.values("events"))[0])
    for node in (at, at + 1):
        first = run(problem.replace(duration=node * 0.01), scheme, hx.Limit(None), quiet=True)
        rest = run(
            problem.replace(duration=1.5 - node * 0.01, start=first.final, load=problem.load.after(node * 0.01)),
            scheme, hx.Limit(None), quiet=True,
        )  # fmt: skip
        assert np.array_equal(rest.values("displacement"), whole.values("displacement")[node:])


def test_thinned_runs_sum_the_same_energies():
    problem = shaken(frame(2), 2, duration=3.0)
    whole = hx.solve(problem, hx.Galerkin(0.01), limit=hx.Limit(None))
    thin = hx.solve(problem, hx.Galerkin(0.01), limit=hx.Limit(None), keep=10)
    assert whole.values("events").sum() >= 1
    assert thin.values("plastic")[-1] == whole.values("plastic")[-1]
    assert thin.residual < 1e-12


def test_schemes_at_nodes_break_at_the_end_of_the_step_and_come_to_the_same():
    """Newmark and the leap-frog hold a spring to the end of its step: first order, towards the exact flight."""
    model = hx.oscillator(mass=1.0, stiffness=100.0, law=brittle())
    problem = hx.Problem(model, STILL, 0.2, hx.State(momentum=[2.0]))
    broken = np.arcsin(0.5) / 10.0
    exact = 0.1 + 2.0 * np.cos(10.0 * broken) * (0.2 - broken)
    for scheme in (hx.Newmark(0.001, safeguarded=True), hx.schemes.LeapFrog(0.001)):
        assert hx.solve(problem, scheme).values("displacement")[-1, 0] == pytest.approx(exact, rel=0.01)


def test_slow_loading_ends_at_a_break_by_the_name_of_the_spring():
    model = frame(3, law=brittle(2.0, 0.06, hardening=0.05))
    assert hx.pushover(model, "floor 4", displacement=0.01).steps > 0
    with pytest.raises(ModelError, match=r"'storey \d' breaks in increment .* inertia decides"):
        hx.pushover(model, "floor 4", displacement=1.0)


# Between 0.0226 and more its force holds, and its unloading stiffness is used up: a reversal would take it.
USED_UP = hx.laws.IMK(1.5347, 1.0017, 0.00865, 0.00609, 1.0, lambda_s=0.1095, lambda_c=0.5526, lambda_k=0.04802, c_s=2)


def pushed_on(duration):
    """A constant force that is a little stronger than the spring: it goes one way."""
    return hx.Problem(
        hx.oscillator(mass=1.0, stiffness=1000.0, law=USED_UP), hx.Load([0.0, 1.6, 1.6, 1.6], step=1.0), duration
    )


@pytest.mark.parametrize("scheme", [hx.Galerkin(0.002), hx.Newmark(0.002, safeguarded=True)])
def test_a_spring_that_would_not_survive_a_reversal_goes_at_a_node_and_is_told(scheme):
    """Own: whichever way it then moves. hx.respond on the same deformations keeps it."""
    before, after = hx.solve(pushed_on(1.7), scheme), hx.solve(pushed_on(2.0), scheme)
    assert np.all(np.diff(after.values("displacement")[:, 0]) >= 0)
    assert "broken" not in before.message
    assert after.message.endswith("; broken: spring")
    assert (before.values("node_force")[-1, 0], after.values("node_force")[-1, 0]) == (pytest.approx(1.5347), 0.0)
    assert hx.respond(USED_UP, after.values("deformation")[:, 0], 1000.0).force[-1] == pytest.approx(1.5347)


@pytest.mark.parametrize("pushes", [1.0, -1.0])
@pytest.mark.parametrize("scheme", [hx.Galerkin(0.002), hx.Newmark(0.002, safeguarded=True)])
def test_what_slow_loading_kept_is_gone_at_the_first_node_of_a_motion(pushes, scheme):
    """Analytic: nothing but the force moves the mass."""
    model = hx.oscillator(mass=1.0, stiffness=1000.0, law=USED_UP)
    pushed = hx.solve_path(model, [1.0], np.linspace(0.001, 0.029, 29))
    assert pushed.values("force")[-1, 0] == pytest.approx(1.5347)
    load = hx.Load(np.full(3, pushes), step=0.05)
    sol = hx.solve(
        hx.Problem(
            model,
            load,
            0.1,
            hx.State(
                pushed.final.displacement,
                None,
                pushed.final.slip,
                {name: value for name, value in pushed.final.internal.items() if name != "impulse"},
            ),
        ),
        scheme,
    )
    assert sol.values("displacement")[-1, 0] == pytest.approx(0.029 + pushes * 0.1**2 / 2)
    assert sol.message.endswith("broken: spring")
