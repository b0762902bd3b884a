"""Steps of springs that are followed along their path, below the bound and above it: a slice of the fuzz, what it
found, and that the bound is sharp. All of it: ``python tests/shared/path_fuzz.py``."""

import math

import numpy as np
import pytest
from path_models import LAWS
from path_starts import Step, counted
from path_steps import outcome
from scipy.integrate import solve_ivp

import hamex as hx
from hamex.errors import LawError, SchemeError


@pytest.mark.parametrize("seed", [3, *(pytest.param(seed, marks=pytest.mark.heavy) for seed in range(4, 60))])
def test_random_structures_below_the_bound(seed):
    row = outcome(seed)
    assert not row["bad"], row


@pytest.mark.chief("8")
@pytest.mark.parametrize("first", range(4, 100, 4))
def test_twenty_starts_find_the_one_solution_of_the_package(first):
    """Four structures a time: one alone may run away before a step of it counts."""
    rows = [counted(seed, steps=20) for seed in range(first, first + 4)]
    assert [(row["several"], row["lost"], row["other"]) for row in rows] == 4 * [(0, 0, 0)]
    assert sum(row["steps"] for row in rows) > 0


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [48, 66, 231, 500015, 200093])
def test_what_the_fuzz_found(seed):
    """A law that went on without end, overflow behind a structure that had run away, damping of modes that are
    rounding, a spring that a turn took, one whose force jumped at a level cap, again and again."""
    row = outcome(seed, phases=2)
    assert not row["bad"], row


@pytest.mark.heavy
def test_a_joint_without_mass_goes_to_a_break_in_no_time():
    """Above a floor without mass a storey is stretched beyond its limit at once when another breaks: no piece of the
    step ends at the break, however short. It had been looked for in pieces of 1e-315 (own: seed 335 of the fuzz)."""
    row = outcome(335, phases=2)
    assert not row["bad"], row
    assert row["massless"]
    assert row["breaks"] == 14


def falling(share):
    """A step of ``share`` of the bound, and the state of a mass on a spring at its cap, which falls from there by 20 to
    a third of its force."""
    law = hx.laws.Bilinear(1.0, plastic=0.02, post_cap=0.05, residual_ratio=1 / 3)
    model = hx.oscillator(mass=1.0, stiffness=100.0, law=law)
    h = share * hx.Galerkin(0.1, law="path").longest_step(model)
    step = Step(model, h)
    u, z = np.zeros(1), np.zeros(step.places.size)
    cap = np.array([0.03])
    step.at(u, z, cap)
    return step, cap, step.dz.copy()


@pytest.mark.parametrize(("share", "many"), [(0.95, 1), (1.05, 3), (1.5, 3)])
def test_the_bound_is_sharp(share, many):
    """Analytic: at its cap the mean force falls by 10 for a unit of increment, and 2M/h² resists with less than that
    above the bound: just below the force of the cap the mass may go back, stay behind the cap or run to the plateau."""
    step, u, z = falling(share)
    r = np.array([step.h * (1.0 - 1e-4)])
    starts = [np.array([x]) for x in np.concatenate([-np.geomspace(1e-6, 1, 5), np.geomspace(1e-6, 10, 14)])]
    found, _ = step.solutions(u, z, r, starts)
    assert len(found) == many


def test_a_closed_step_goes_on_outwards_where_a_piece_ends_beyond_the_load():
    """A long step whose first piece ends with more force than the load: the walk must not turn round there. By the
    balance of the step, which is solved for by the route for any structure."""
    law = hx.laws.IMK(5.85, 1.2, 0.094, 0.59, 0.48, reloading="peak")
    model = hx.oscillator(mass=0.37, stiffness=146.0, law=law)
    load = hx.Load([0.0, -8.0, 6.0, -9.0, 3.0, -8.0, 9.0, -3.0, 5.0], step=0.274)
    sol = hx.solve(hx.Problem(model, load, 8 * 0.274), hx.Galerkin(0.274))
    x, p, f = np.diff(sol.values("displacement")[:, 0]), sol.values("momentum")[:-1, 0], sol.values("force")[:, 0]
    left = 2 * 0.37 / 0.274 * x + 0.274 * f - 2 * p - 0.274 * sol.loading.means[:, 0]
    assert np.abs(left).max() < 1e-12
    alone = hx.respond(law, sol.values("displacement")[:, 0], 146.0)
    assert np.abs(alone.force - sol.values("node_force")[:, 0]).max() < 1e-11
    assert np.abs(sol.values("slip")).max() > 0.01
    assert sol.residual < 1e-13


def test_a_correction_that_rounds_to_nothing_ends_the_search_of_one_mass():
    """It had been taken for one beyond the bracket, and the search went on from −1e300."""
    row = outcome(25)
    assert not row["bad"], row
    assert row["steps"] == 1000


def test_a_run_that_overflows_behind_its_limit_ends_at_the_limit():
    """What is looked for in shorter pieces begins anew, without the NaN that the long one left."""
    row = outcome(100015)
    assert not row["bad"], row
    assert row["steps"] == 10


def test_rounding_at_zero_is_no_break():
    """A spring that has slipped and crosses zero deformation with a force that is rounding: nothing jumps there."""
    law = hx.laws.Hysteretic(1.0, 0.01, 1.2, 0.03, 0.5, 0.1, pinchX=0.7, pinchY=0.4)
    frame = hx.shear_frame([1.0, 1.0], [100.0, 90.0], laws=[law, hx.laws.IMK(0.9, 1.1, 0.03, 0.15, 0.2)])
    rng = np.random.default_rng(5)
    load = hx.Load(rng.normal(0.0, 1.5, (401, 2)), step=0.05)
    sol = hx.solve(hx.Problem(frame, load, 20.0), hx.Galerkin(0.05), limit=hx.Limit(None))
    assert sol.residual < 1e-12


@pytest.mark.parametrize("sign", ["", "_negative"])
def test_what_hardens_more_steeply_than_it_is_elastic_is_refused(sign):
    """Named before the run, where the stiffness of the spring is known."""
    given = {"cap_ratio": 1.5, "plastic": 0.2} | {f"cap_ratio{sign}": 1.5, f"plastic{sign}": 0.004}
    model = hx.oscillator(mass=1.0, stiffness=100.0, law=hx.laws.Bilinear(1.0, **given))
    with pytest.raises(LawError, match=f"not less steeply than the elastic spring, 100; raise plastic{sign} or lower"):
        hx.solve(hx.Problem(model, hx.sine(1.0, omega=5.0), 1.0), hx.Galerkin(0.01))


@pytest.mark.parametrize("name", ["imk peak published", "pinching4", "hysteretic", "bilinear"])
def test_node_forces_are_those_of_the_law(name):
    """Along the path no node overshoots: each force is what the law says at that deformation."""
    law = LAWS[name](np.random.default_rng(2), 100.0, 0.01)
    model = hx.oscillator(mass=1.0, stiffness=100.0, damping=0.5, law=law)
    h = min(0.02, 0.9 * hx.Galerkin(0.02).longest_step(model))
    sol = hx.solve(hx.Problem(model, hx.sine(1.2, omega=7.0), 200 * h), hx.Galerkin(h))
    alone = hx.respond(law, sol.values("displacement")[:, 0], 100.0)
    assert np.abs(alone.force - sol.values("node_force")[:, 0]).max() < 1e-10


def test_sliders_along_their_path_do_not_overshoot_and_in_the_mean_do():
    model = hx.oscillator(mass=1.0, stiffness=100.0, damping=0.5, law=hx.Slider(1.0))
    problem = hx.Problem(model, hx.el_centro().on(model, g=9.81), 31.18)
    path, mean = (hx.solve(problem, hx.Galerkin(0.02, law=law)) for law in ("path", "mean"))
    assert np.abs(path.values("node_force")).max() < 1.0 + 1e-12
    assert np.abs(mean.values("node_force")).max() > 1.01
    assert math.isclose(np.abs(path.values("node_force")).max(), 1.0, rel_tol=1e-12)


STEEL = hx.laws.MenegottoPinto(1.0, 0.1, 20.0)


@pytest.mark.parametrize(
    "law",
    [
        hx.laws.Fatigue(STEEL, E0=0.2),
        hx.laws.MinMax(STEEL, min=-0.05, max=0.05),
        hx.laws.ParallelLaws([hx.laws.MinMax(STEEL, min=-0.05, max=0.05), hx.laws.Bilinear(1.0)]),
    ],
)
def test_a_spring_that_hardens_and_may_break_promises_no_more_than_what_is_left(law):
    """Analytic: P-Delta of 5 is all that is left behind the break, so 4/h² = 5. The hardening had been counted on."""
    frame = hx.shear_frame([1.0], [100.0], laws=[law], heights=2.0, weights=10.0)
    assert hx.Galerkin(0.1, law="path").longest_step(frame) == pytest.approx(2 / math.sqrt(5.0), rel=1e-9)


HEAVY = pytest.mark.heavy
WORN = {"deltaA": 0.02, "deltaNu": 0.1, "deltaEta": 0.3}


@pytest.mark.parametrize(
    "wear", [WORN, *(pytest.param(wear, marks=HEAVY) for wear in ({}, {"deltaA": 0.3}, {"deltaNu": 0.5}))]
)
def test_the_way_of_a_smooth_spring_may_be_long(wear):
    """Against Radau's method (external, SciPy) at 1,000 yield deformations; and 1e20 of them are no work."""
    law = hx.laws.BoucWen(0.05, 1.7, 0.4 * 0.01**-1.7, 0.6 * 0.01**-1.7, **wear)

    def rate(_, y):
        energy = 95.0 * y[1]
        A = max(1 - wear.get("deltaA", 0.0) * energy, 1e-3)
        held = abs(100.0 * y[0]) ** 1.7 * (1 + wear.get("deltaNu", 0.0) * energy)
        return [(A - held) / (1 + wear.get("deltaEta", 0.0) * energy), y[0]]

    z = solve_ivp(rate, (0.0, 10.0), [0.0, 0.0], method="Radau", rtol=1e-9, atol=1e-14).y[0, -1]
    assert hx.respond(law, [0.0, 10.0], 100.0).force[-1] == pytest.approx(50.0 + 95.0 * z, abs=1e-8)
    assert np.isfinite(hx.respond(law, [0.0, 1e18, -1e18], 100.0).force).all()


def test_a_step_above_the_bound_is_refused_with_its_length():
    law = hx.laws.Bilinear(1.0, plastic=0.02, post_cap=0.05)
    model = hx.oscillator(mass=1.0, stiffness=100.0, law=law)
    limit = 2 / math.sqrt(20.0)  # analytic: 4/h² = 20, the falling slope
    assert hx.Galerkin(0.1).longest_step(model) == pytest.approx(limit, rel=1e-9)
    with pytest.raises(SchemeError, match=f"the step must be below {limit:.6g}"):
        hx.solve(hx.Problem(model, hx.sine(1.0, omega=5.0), 1.5), hx.Galerkin(0.5))
