"""Energy balance: an identity of the time element, and the sign of what is dissipated."""

import dataclasses
import warnings

import numpy as np
import pytest
from energy_fuzz import random_problem, residuals

import hamex as hx
from hamex.errors import BalanceWarning, LoadError, OverflowRunError

EL_CENTRO = hx.el_centro().scaled(-2).acceleration  # the paper: f = −m · 2 · a, the record as a bare number


def paper_case(h=0.02, eta=1.5, record=False):
    """Section 6.1, Table 1."""
    model = hx.oscillator(1, 225, damping=eta, law=hx.Slider(0.27, eta))
    load = hx.Load(EL_CENTRO, step=0.02) if record else hx.sine(-0.2, omega=15.0, duration=30.0)
    return hx.Problem(model, load, duration=40.0), h


PAPER = {
    "resonant, h = 0.02": paper_case(h=0.02),
    "resonant, h = 0.01": paper_case(h=0.01),
    "resonant, h = 0.005": paper_case(h=0.005),
    "El Centro, 1.5": paper_case(record=True),
    "El Centro, 0.9": paper_case(eta=0.9, record=True),
    "El Centro, 0.3": paper_case(eta=0.3, record=True),
}


@pytest.mark.parametrize("rule", ["average", "end", "mean"])
@pytest.mark.parametrize("case", PAPER)
def test_every_case_of_the_paper_balances(case, rule):
    problem, h = PAPER[case]
    sol = hx.solve(problem, hx.Galerkin(h, load=rule))
    assert 0 <= sol.residual <= 1e-12
    assert sol.values("plastic")[-1] > 0.1 * sol.values("input").max()


def random_run(seed, eta, kinematic=0.0, isotropic=0.0, K=0.0, start=None):
    rng = np.random.default_rng(seed)
    m, k, c, fy, h = np.exp(rng.normal(size=5)) * [1, 200, 1, 0.3, 0.02]
    law = hx.Slider(fy, eta * c, kinematic * k, isotropic * k)
    model = dataclasses.replace(hx.oscillator(m, k, damping=c, law=law), stiffness=np.array([[K * k]]))
    forces = 3 * fy * np.convolve(rng.normal(size=300), np.ones(4) / 2, mode="same")
    problem = hx.Problem(model, hx.Load(forces, step=h), duration=300 * h, start=start or hx.State())
    return hx.solve(problem, hx.Galerkin(h)), model


HARDENING = {
    "none": {},
    "kinematic": {"kinematic": 0.2},
    "isotropic": {"isotropic": 0.1},
    "both": {"kinematic": 0.2, "isotropic": 0.1},
    "strong": {"kinematic": 3.0, "isotropic": 1.0},
}
MOVING = hx.State(0.01, -0.05, 0.002, {"accumulated_slip": [0.01], "back_force": [0.02]})


@pytest.mark.parametrize("eta", [0.0, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("hardening", HARDENING)
@pytest.mark.parametrize("seed", range(3))
def test_random_runs_balance_and_dissipate(seed, hardening, eta):
    numbers = HARDENING[hardening]
    start = MOVING if hardening == "both" else hx.State(0.01, -0.05, 0.002)
    sol, model = random_run(seed, eta, K=0.1, start=start, **numbers)
    assert sol.residual <= 1e-12
    for name in ("viscous", "plastic"):
        assert sol.values(name)[0] == 0
        assert np.all(np.diff(sol.values(name)) >= 0), name
    if eta <= 1:
        assert sol.values("plastic")[-1] > 0
    # What slip takes from the spring is stored by hardening or lost, written with the force and not with the law.
    law = model.laws["slider"]
    s, F = sol.values("slip")[:, 0], sol.values("force")[:, 0]
    stored = np.zeros_like(s)
    if law.kinematic[0]:
        stored = stored + sol.values("back_force")[:, 0] ** 2 / (2 * law.kinematic[0])
    if law.isotropic[0]:
        stored = stored + (law.isotropic[0] * sol.values("accumulated_slip")[:, 0]) ** 2 / (2 * law.isotropic[0])
    assert np.allclose(sol.values("hardening"), stored, rtol=1e-14, atol=0)
    lost = F * np.diff(s) - np.diff(stored)
    scale = max(np.abs(F * np.diff(s)).max(), stored.max(), sol.values("input").max())
    assert np.all(lost >= -1e-13 * scale)
    assert np.abs(np.cumsum(lost) - sol.values("plastic")[1:]).max() <= 1e-12 * scale


def test_with_hardening_the_spring_gives_back_what_it_stored():
    """F Δu₁ itself can be negative; only the rest of it, the dissipation, cannot."""
    sol, _ = random_run(1, 0.0, kinematic=3.0)
    assert (sol.values("force")[:, 0] * np.diff(sol.values("slip")[:, 0])).min() < 0
    assert np.diff(sol.values("hardening")).min() < 0


def test_entries_are_what_their_names_say():
    sol, model = random_run(3, 0.5, K=0.3)
    m, c, k = model.mass[0, 0], model.damping.dense()[0, 0], 1 / model.flexibility[0, 0]
    u, p, s, f = (sol.values(name)[:, 0] for name in ("displacement", "momentum", "slip", "load"))
    du = np.diff(u)
    assert np.allclose(sol.values("kinetic"), p**2 / (2 * m), rtol=1e-14, atol=0)
    assert np.allclose(sol.values("stored"), k * (u - s) ** 2 / 2 + 0.3 * k * u**2 / 2, rtol=1e-13, atol=0)
    assert np.allclose(sol.values("viscous")[1:], np.cumsum(c * du**2 / sol.step), rtol=1e-13, atol=0)
    assert np.allclose(np.diff(sol.values("input")), f * du, rtol=0, atol=1e-13 * np.abs(sol.values("input")).max())
    total = sum(sol.values(name) for name in ("kinetic", "stored", "viscous", "plastic", "hardening"))
    imbalance = total - total[0] - sol.values("input")
    entries = ("kinetic", "stored", "viscous", "plastic", "hardening", "input")
    largest = max(np.abs(sol.values(name)).max() for name in entries)
    assert np.abs(sol.values("imbalance") - imbalance).max() <= 1e-14 * largest
    assert sol.residual == pytest.approx(np.abs(sol.values("imbalance")).max() / largest, rel=1e-12)


@pytest.mark.parametrize("name", ["displacement", "momentum", "slip", "load"])
@pytest.mark.chief("displacement", "load")
def test_the_balance_notices_a_wrong_history(name):
    sol, _ = random_run(4, 0.5)
    spoiled = (sol.problem.load.forces if name == "load" else sol.values(name)).copy()
    spoiled[150] *= 1 + 1e-6
    if name == "load":
        other = sol.problem.replace(load=hx.Load(spoiled, sol.step))
        changes = {"source": dataclasses.replace(sol.source, problem=other)}
    else:
        changes = {"histories": {**sol.histories, name: spoiled}}
    wrong = dataclasses.replace(sol, **changes, _cache={})
    assert wrong.residual > 1e-10 > 1e3 * sol.residual


def test_a_coarse_run_balances_as_well_as_a_fine_one():
    """The residual checks arithmetic, not accuracy: a peak that is percents off balances to round-off."""
    problem, _ = PAPER["El Centro, 0.3"]
    coarse, fine = (hx.solve(problem, hx.Galerkin(h, load="mean")) for h in (0.1, 0.002))
    assert max(coarse.residual, fine.residual) <= 1e-12
    assert abs(coarse.peaks["displacement"].value / fine.peaks["displacement"].value - 1) > 0.02


def test_nothing_happens_nothing_is_out_of_balance():
    sol = hx.solve(hx.Problem(hx.oscillator(1, 225), hx.Load([0.0], step=1.0), 1.0), hx.Galerkin(0.1))
    assert sol.residual == 0.0


def test_undamped_free_vibration_keeps_its_energy():
    problem = hx.Problem(hx.oscillator(1, 225), hx.Load([0.0], step=1.0), 100.0, start=hx.State(0.1, -0.3))
    sol = hx.solve(problem, hx.Galerkin(0.05))
    energy = sol.values("kinetic") + sol.values("stored")
    assert np.ptp(energy) <= 1e-12 * energy[0]


@pytest.mark.parametrize("h", [0.02, 1.3e-3, 2e-5])
def test_energy_does_not_drift_with_the_number_of_steps(h):
    """Rounded coefficients act like a little damping, or like its opposite, unless they are those of increments."""
    steps = 700_000
    problem = hx.Problem(hx.oscillator(1, 225), hx.Load([0.0], step=1.0), steps * h, start=hx.State(0.01, 0.1))
    sol = hx.solve(problem, hx.Galerkin(h))
    energy = sol.values("momentum")[[0, -1], 0] ** 2 / 2 + 225 * sol.values("displacement")[[0, -1], 0] ** 2 / 2
    assert abs(energy[1] / energy[0] - 1) <= 5e-12
    assert sol.residual <= 5e-12


@pytest.mark.parametrize("law", [hx.Slider(), hx.Slider(0.27, 1.5), hx.Slider(0.27)], ids=str)
def test_two_runs_under_one_load_never_move_apart(law):
    """In the energy of their difference, whatever the damping and the step: the step is a contraction."""
    for damping, h in ((0.0, 0.02), (1.5, 0.3), (90.0, 0.02)):
        model = hx.oscillator(1, 225, damping=damping, law=law)
        problem = hx.Problem(model, hx.Load(EL_CENTRO, step=0.02), duration=600 * h)
        runs = [
            hx.solve(problem.replace(start=start), hx.Galerkin(h, load="mean"))
            for start in (hx.State(), hx.State(0.003, 0.05, -0.001))
        ]
        u, p, s = (
            np.subtract(*(run.values(name)[:, 0] for run in runs)) for name in ("displacement", "momentum", "slip")
        )
        apart = p**2 / 2 + 225 * (u - s) ** 2 / 2
        assert np.all(np.diff(apart) <= 1e-13 * apart[0])
        if damping or not law.is_elastic:
            assert apart[-1] < 0.9 * apart[0]


def test_a_back_force_needs_kinematic_hardening():
    """A slider that keeps no back force cannot start with one: its work would stand in no account."""
    model = hx.oscillator(1, 225, law=hx.Slider(0.27, 1.5, isotropic=3.0))
    start = hx.State(internal={"back_force": 0.1})
    with pytest.raises(hx.errors.ProblemError, match="back_force"):
        hx.solve(hx.Problem(model, hx.sine(0.5, omega=15.0), 2.0, start=start), hx.Galerkin(0.02))


def test_newmark_with_yield_does_not_balance_and_says_by_how_much():
    problem, h = PAPER["El Centro, 1.5"]
    assert 1e-9 < hx.solve(problem, hx.Newmark(h)).residual < 0.5


# Steps that are long beside 1/ω --------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [3.0, 300.0, 3e4, 1e6])
@pytest.mark.parametrize("kind", ["oscillator", "shear frame"])
@pytest.mark.every_value
def test_the_balance_closes_however_long_the_step_is(kind, place):
    """Springs outweigh masses by (hω)²/4 in the matrix of a step, and masses must not lose as many digits."""
    found = list(residuals(kind, "Galerkin 1", range(12), place))
    assert max(left for _, _, left in found) <= 1e-12, found


def test_masses_on_stiff_springs_that_nothing_holds_keep_their_balance():
    """A structure with a free motion, at hω = 5·10³: what moves freely has nothing but its mass."""
    ((_, _, left),) = residuals("structure", "Galerkin 1", [8])
    assert left <= 1e-12


def test_a_promised_balance_that_is_lost_says_so():
    """Perfectly plastic at hω = 6·10⁵: the slip is 10¹² times what the spring gives, and stages tell them apart."""
    problem, h, _ = random_problem(np.random.default_rng(15), "oscillator")
    with pytest.warns(BalanceWarning, match=r"closes to \d.*e-\d+ of the largest work only.*Take a shorter step"):
        assert hx.solve(problem, hx.DiscontinuousGalerkin(h, degree=0)).residual > 1e-10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hx.solve(problem, hx.Galerkin(h))


SCHEMES = {
    "Galerkin": hx.Galerkin(0.02),
    "degree 2": hx.Galerkin(0.02, degree=2),
    "located": hx.Galerkin(0.02, degree=2, locate=True),
    "discontinuous": hx.DiscontinuousGalerkin(0.02),
    "HHT": hx.schemes.HilberHughesTaylor(0.02),
    "leap-frog": hx.LeapFrog(0.005),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("floors", "scheme"), [(1, name) for name in SCHEMES] + [(3, "Galerkin"), (3, "degree 2"), (3, "leap-frog")]
)
def test_a_load_beyond_reason_is_a_named_error(floors, scheme):
    frame = hx.shear_frame([1.0] * floors, [200.0] * floors, laws=hx.Slider(1.0, kinematic=3.0))
    load = hx.Load([1.0] * 10 + [1e300] * 3, step=0.02, patterns=np.ones((floors, 1)))
    problem = hx.Problem(frame, load, duration=0.5)
    with pytest.raises(OverflowRunError, match=r"from step \d+ \(t = 0\.(18|2).*Check loads and units"):
        hx.solve(problem, SCHEMES[scheme]).energy  # noqa: B018
    with pytest.raises(OverflowRunError, match="Check loads and units"):
        hx.solve(problem, SCHEMES[scheme], keep=5)


def test_a_run_that_leaves_the_numbers_names_the_step():
    model = hx.oscillator(1.0, 225.0)
    with pytest.raises(OverflowRunError, match=r"no finite number from step \d+ \(t = .*out of proportion"):
        hx.solve(hx.Problem(model, hx.Load([1e308] * 50, step=20.0), 1000.0), hx.Galerkin(20.0))
    with pytest.raises(OverflowRunError, match=r"batch: the input work of model 0 is beyond"):
        hx.batch([model], [hx.Load([1e300] * 5, 0.02)], hx.Galerkin(0.02), measures=("displacement", "input_work"))
    with pytest.raises(LoadError, match=r"the peak of the motion is 1e\+300; sizes from 1e-50 to 1e\+50"):
        hx.spectrum(hx.GroundMotion([0.0, 1e300, 0.0], 0.02, "g"), [0.1, 1.0], g=9.81).values("input_energy")
