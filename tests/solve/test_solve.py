"""The joint: problems that are checked, starts that are not at rest, closed forms, long runs."""

import dataclasses
import math
import re
import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pytest

import hamex as hx
from hamex.errors import CoarseStepWarning, HamexError, ProblemError
from hamex.model.record import swings
from hamex.solve import run

MODEL = hx.oscillator(1, 225, damping=1.5, law=hx.Slider(0.27, 1.5))
QUIET = hx.Load([0.0], step=1.0)


def of(sol, name):
    return sol.values(name)[:, 0]


# Wrong input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"duration": 0}, "duration must be a positive number of seconds, got 0"),
        ({"duration": -1.0}, "duration must be a positive"),
        ({"duration": math.nan}, "duration must be a positive"),
        ({"duration": math.inf}, "duration must be a positive"),
        ({"duration": "40"}, "duration must be a positive"),
        ({"duration": None}, "duration must be a positive"),
        ({"model": "oscillator"}, "model must be a Model, got str"),
        ({"load": [1.0, 2.0]}, "load must be a Load, got list"),
        ({"load": hx.el_centro()}, "load must be a Load, got GroundMotion"),
        ({"load": hx.Load(np.ones((3, 2)), step=0.1)}, "the load acts on 2 degrees of freedom, the model has 1"),
        ({"load": hx.Load([1.0], step=0.1, patterns=[[1.0], [2.0]])}, "acts on 2 degrees of freedom"),
        ({"start": 0.1}, "start must be a State, got float"),
        ({"start": hx.State(displacement=[0.1, 0.2])}, "State: displacement has 2 entries, the model needs 1"),
        ({"start": hx.State(slip=[0.1, 0.2])}, "State: slip has 2 entries"),
        ({"start": hx.State(internal={"back_force": [1, 2, 3]})}, "State: back_force has 3 entries"),
        (
            {"start": hx.State(internal={"damage": 0.1})},
            "State: unknown internal variable 'damage'; known: back_force, accumulated_slip",
        ),
        ({"prior_impulse": math.nan}, "prior_impulse must be finite"),
        ({"prior_impulse": [1.0, 2.0]}, "prior_impulse"),
        ({"prior_impulse": "some"}, "prior_impulse"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_problem_refuses(wrong, message):
    with pytest.raises(ProblemError, match=message):
        hx.Problem(**{"model": MODEL, "load": QUIET, "duration": 1.0} | wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"displacement": math.nan}, "displacement must be finite numbers"),
        ({"momentum": [[1.0]]}, "momentum must be finite numbers, one per component"),
        ({"slip": "much"}, "slip must be numbers, got 'much'"),
        ({"internal": {"impulse": math.inf}}, "impulse must be finite"),
    ],
    ids=str,
)
def test_state_refuses(wrong, message):
    with pytest.raises(ProblemError, match=f"State: {message}"):
        hx.State(**wrong)


def test_an_accumulated_slip_is_never_negative():
    with pytest.raises(ProblemError, match="accumulated_slip"):
        hx.Problem(MODEL, QUIET, 1.0, start=hx.State(internal={"accumulated_slip": -0.1}))


def test_a_dof_without_mass_cannot_start_with_a_momentum():
    massless = dataclasses.replace(MODEL, mass=np.zeros((1, 1)))
    with pytest.raises(ProblemError, match="'mass' has no mass and cannot start with a momentum"):
        hx.Problem(massless, QUIET, 1.0, start=hx.State(momentum=0.1))
    hx.Problem(massless, QUIET, 1.0, start=hx.State(displacement=0.1))


def test_a_problem_keeps_its_own_copy_of_the_start():
    start = hx.State(0.1, 0.2, 0.3, {"accumulated_slip": 0.4})
    held = hx.Problem(MODEL, QUIET, 1.0, start=start).start
    for array in (start.displacement, start.momentum, start.slip, start.internal["accumulated_slip"]):
        array[0] = 7.0
    assert (held.displacement[0], held.momentum[0], held.slip[0]) == (0.1, 0.2, 0.3)
    assert held.internal["accumulated_slip"][0] == 0.4


@pytest.mark.parametrize("scheme", ["galerkin", None, hx.Galerkin], ids=str)
def test_a_scheme_is_an_object(scheme):
    with pytest.raises(ProblemError, match=r"the scheme must be one of hamex\.schemes, such as Galerkin"):
        hx.solve(hx.Problem(MODEL, QUIET, 1.0), scheme)


def test_numbers_too_large_to_march_are_an_error_and_not_a_finished_run():
    """Newmark with β below γ/2 grows without bound at long steps; infinities are never called solved."""
    elastic = hx.oscillator(1, 225)
    with np.errstate(all="ignore"), pytest.raises(HamexError, match=r"finite|overflow|stable"):
        hx.solve(hx.Problem(elastic, hx.constant(1.0), 2000.0), hx.Newmark(0.2, beta=0.01))
    with np.errstate(all="ignore"), pytest.raises(HamexError, match=r"finite|overflow"):
        hx.solve(hx.Problem(elastic, hx.constant(1e308), 20.0), hx.Galerkin(0.2))


# Duration and clock -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("duration", "step", "steps"),
    [
        (40.0, 0.02, 2000),
        (0.3, 0.1, 3),
        (1.0, 1 / 3, 3),
        (31.18, 0.02, 1559),
        (1e-3, 1e-3, 1),
        (4e5, 1e-2, 40_000_000),
        (1.0 + 0.9e-9, 1.0, 1),
        (1.0 - 0.9e-9, 1.0, 1),
        (7 + 0.9e-9, 1.0, 7),
    ],
)
def test_a_duration_is_a_whole_number_of_steps_within_1e_9(duration, step, steps):
    assert hx.Problem(MODEL, QUIET, duration).steps(step) == steps


@pytest.mark.parametrize(
    ("duration", "step"),
    [(1.0, 0.3), (40.01, 0.02), (0.01, 0.02), (1.0 + 1.2e-9, 1.0), (1.0 - 1.2e-9, 1.0), (1e-12, 1.0)],
)
def test_any_other_duration_is_refused_with_two_ways_out(duration, step):
    problem = hx.Problem(MODEL, QUIET, duration)
    with pytest.raises(ProblemError, match="is no whole number of steps") as caught:
        hx.solve(problem, hx.Galerkin(step))
    other_duration, other_step = (
        float(x) for x in re.search(r"take duration=(\S+) or step=(\S+)$", str(caught.value)).groups()
    )
    assert problem.replace(duration=other_duration).steps(step) >= 1
    assert problem.steps(other_step) >= 1


@pytest.mark.parametrize("step", [0.02, 0.1, 1 / 3, 0.007])
def test_times_are_multiples_of_the_step(step):
    steps = 1000
    sol = hx.solve(hx.Problem(MODEL, QUIET, steps * step), hx.Galerkin(step))
    assert sol.times.tolist() == [r * step for r in range(steps + 1)]
    assert np.abs(sol.middles - (sol.times[1:] + sol.times[:-1]) / 2).max() <= 1e-12
    assert sol.steps == steps


def test_replace_is_a_copy():
    problem = hx.Problem(MODEL, QUIET, 1.0, start=hx.State(0.1), prior_impulse=2.0)
    longer = problem.replace(duration=3.0)
    assert (problem.duration, longer.duration) == (1.0, 3.0)
    assert longer.start.displacement == 0.1
    assert longer.prior_impulse == 2.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.duration = 2.0


# Starts that are not at rest --------------------------------------------------------------------------------


@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.7])
def test_free_vibration_converges_to_the_closed_form(zeta):
    """Analytic; the error falls with the square of the step and its size is that of the period error (ωh)²/12."""
    m, k, u0, v0 = 2.0, 50.0, 0.03, -0.2
    w = math.sqrt(k / m)
    wd = w * math.sqrt(1 - zeta**2)
    problem = hx.Problem(hx.oscillator(m, k, damping=hx.ratio(zeta)), QUIET, 4.0, start=hx.State(u0, m * v0))
    errors = []
    for h in (0.01, 0.005, 0.0025):
        sol = hx.solve(problem, hx.Galerkin(h))
        t = sol.times
        exact = np.exp(-zeta * w * t) * (u0 * np.cos(wd * t) + (v0 + zeta * w * u0) / wd * np.sin(wd * t))
        errors.append(np.abs(of(sol, "displacement") - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.05)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.05)
    if zeta == 0:
        late = (w * 0.0025) ** 2 / 12 * w * 4.0 * math.hypot(u0, v0 / w)  # phase lost in 4 s times the amplitude
        assert errors[2] == pytest.approx(late, rel=0.1)


STARTS = {"at rest": hx.State(), "moving": hx.State(0.01, -0.3), "slipped": hx.State(0.01, -0.3, 0.004)}


@pytest.mark.parametrize(
    "scheme",
    [
        hx.Galerkin(0.02),
        hx.Galerkin(0.02, load="end"),
        hx.Galerkin(0.02, load="mean"),
        hx.Newmark(0.02, tolerance=1e-14, max_iterations=40),
    ],
    ids=str,
)
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("prior", [0.0, 0.7])
def test_eqs_54_and_55_hold_at_every_node(start, prior, scheme):
    """p + c u + J = Î + ∫f: the balance of momentum in mixed form, J(0) from the start alone."""
    load = hx.Load(2 * hx.el_centro().acceleration, step=0.02)
    sol = hx.solve(hx.Problem(MODEL, load, 10.0, start=STARTS[start], prior_impulse=prior), scheme)
    u, p, J = of(sol, "displacement"), of(sol, "momentum"), of(sol, "impulse")
    assert J[0] == pytest.approx(prior - p[0] - 1.5 * u[0], rel=1e-15, abs=1e-18)
    applied = prior + 0.02 * np.concatenate([[0.0], np.cumsum(of(sol, "load"))])
    scale = max(np.abs(x).max() for x in (p, 1.5 * u, J, applied))
    exact = isinstance(scheme, hx.Galerkin)
    assert np.abs(p + 1.5 * u + J - applied).max() <= (1e-13 if exact else 1e-11) * scale


def test_the_prior_impulse_moves_nothing_but_j():
    problem = hx.Problem(MODEL, hx.sine(0.5, omega=15.0), 2.0)
    one, other = (hx.solve(problem.replace(prior_impulse=x), hx.Galerkin(0.02)) for x in (0.0, 5.0))
    for name in ("displacement", "momentum", "slip", "force"):
        assert np.array_equal(one.values(name), other.values(name))
    assert np.abs(other.values("impulse") - one.values("impulse") - 5.0).max() <= 1e-14


@pytest.mark.parametrize("scheme", [hx.Galerkin(0.02), hx.Newmark(0.02), hx.PiecewiseExact(0.02)], ids=str)
@pytest.mark.parametrize("slip", [0.1, -0.037])
def test_a_spring_that_has_slipped_rests_where_it_slipped_to(slip, scheme):
    law = hx.Slider() if isinstance(scheme, hx.PiecewiseExact) else hx.Slider(0.27, 1.5, kinematic=3.0)
    model = hx.oscillator(1, 225, damping=1.5, law=law)
    sol = hx.solve(hx.Problem(model, QUIET, 2.0, start=hx.State(slip, 0.0, slip)), scheme)
    limit = 1e-15 if isinstance(scheme, hx.PiecewiseExact) else 0.0
    assert np.abs(of(sol, "displacement") - slip).max() <= limit
    assert np.abs(of(sol, "momentum")).max() <= 15 * limit
    assert np.all(of(sol, "slip") == slip)


def test_a_given_slip_only_moves_the_origin_of_an_elastic_spring():
    model = hx.oscillator(1, 225, damping=1.5)
    free, moved = (
        hx.solve(hx.Problem(model, hx.sine(0.5, omega=15.0), 4.0, start=hx.State(0.02 + s, 0.1, s)), hx.Galerkin(0.02))
        for s in (0.0, 0.25)
    )
    assert np.abs(of(moved, "displacement") - 0.25 - of(free, "displacement")).max() <= 1e-15
    assert np.abs(of(moved, "force") - of(free, "force")).max() <= 1e-12


# Closed forms and invariances -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scheme",
    [lambda h: hx.Galerkin(h), lambda h: hx.Galerkin(h, load="end"), lambda h: hx.Newmark(h)],
    ids=["average", "end", "newmark"],
)
@pytest.mark.parametrize("r", [0.55, 0.6, 0.7, 0.8, 0.9, 0.95])
def test_viscosity_zero_under_a_step_load_reaches_the_ductility_of_the_energy_balance(r, scheme):
    """Analytic: P₀u = Fy(u − uy/2) at the peak of an undamped elastic-perfectly-plastic oscillator, so 1/(2(1−r))."""
    m, k, fy = 2.0, 50.0, 3.0
    period = 2 * math.pi * math.sqrt(m / k)
    model = hx.oscillator(m, k, law=hx.Slider(fy))
    sol = hx.solve(hx.Problem(model, hx.constant(r * fy), 4 * period), scheme(period / 200))
    ductility = of(sol, "displacement").max() / (fy / k)
    assert ductility == pytest.approx(1 / (2 * (1 - r)), rel=0.005)
    # From there it swings elastically about the force it carries: slip = peak − (2 Fy − P₀ …)/k stays.
    assert of(sol, "slip")[-1] == pytest.approx((1 / (2 * (1 - r)) - 1) * fy / k, rel=0.02)


def test_a_large_viscosity_is_an_elastic_spring():
    load = hx.Load(2 * hx.el_centro().acceleration, step=0.02)
    stiff, elastic = (
        hx.solve(hx.Problem(hx.oscillator(1, 225, damping=1.5, law=law), load, 20.0), hx.Galerkin(0.02))
        for law in (hx.Slider(0.27, 1e9), hx.Slider())
    )
    difference = np.abs(of(stiff, "displacement") - of(elastic, "displacement")).max()
    assert 0 < difference <= 1e-7 * np.abs(of(elastic, "displacement")).max()


def test_superposition_in_elasticity():
    """Eqs. (69)-(73): the answer to the sum is the sum of the answers."""
    model = hx.oscillator(1, 225, damping=1.5)
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=(2, 500))
    starts = (hx.State(0.1, -0.2), hx.State(-0.03, 0.5), hx.State(0.1 - 0.03, -0.2 + 0.5))
    one, two, both = (
        hx.solve(hx.Problem(model, hx.Load(f, step=0.02), 10.0, start=s), hx.Galerkin(0.02))
        for f, s in zip((a, b, a + b), starts, strict=True)
    )
    for name in ("displacement", "momentum", "force"):
        total = one.values(name) + two.values(name)
        assert np.abs(total - both.values(name)).max() <= 1e-13 * np.abs(total).max()


@pytest.mark.parametrize("scheme", [hx.Galerkin, hx.Newmark])
def test_other_units_give_the_same_motion(scheme):
    """Forces in another unit (a power of two, so that nothing rounds) change no displacement, time likewise."""
    record = 2 * hx.el_centro().acceleration

    def run(force, time):
        law = hx.Slider(0.27 * force, 1.5 * force * time, 20 * force, 9 * force)
        model = hx.oscillator(force * time**2, 225 * force, damping=1.5 * force * time, law=law)
        problem = hx.Problem(model, hx.Load(force * record, step=0.02 * time), 20.0 * time)
        return hx.solve(problem, scheme(0.02 * time))

    base = run(1.0, 1.0)
    for force, time in ((4.0, 1.0), (1.0, 0.25), (0.5, 8.0)):
        other = run(force, time)
        assert np.array_equal(of(other, "displacement"), of(base, "displacement"))
        assert np.array_equal(of(other, "slip"), of(base, "slip"))
        assert np.array_equal(of(other, "momentum"), of(base, "momentum") * (force * time))


# Long runs --------------------------------------------------------------------------------------------------


def test_three_million_steps():
    steps, h = 3_000_000, 0.01
    problem = hx.Problem(MODEL, hx.sine(0.25, omega=14.0), steps * h)
    tracemalloc.start()
    sol = hx.solve(problem, hx.Galerkin(h))
    _, largest = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sol.steps == steps
    assert largest <= 20 * 8 * steps, "about a dozen numbers a step, never a list of them"
    assert sol.times[-1] == steps * h
    assert sol.residual <= 1e-11
    u = of(sol, "displacement")
    assert np.isfinite(u[-1])
    # Steady state: the last cycles repeat the first ones after the transient, 14·(2π/14) s apart.
    assert 0.9 < np.abs(u[-100_000:]).max() / np.abs(u[100_000:200_000]).max() < 1.1


def test_a_choice_that_is_no_yes_or_no_is_refused():
    problem = hx.Problem(hx.oscillator(1.0, 225.0), hx.sine(0.2, omega=15.0), 1.0)
    with pytest.raises(ProblemError, match="error must be True or False"):
        hx.solve(problem, hx.Galerkin(0.02), error=np.ones(3))


# ---------------------------------------------------------------------------- steps that no mode is followed by
def three_storeys():
    frame = hx.shear_frame([60.0] * 3, 6e4, heights=3.0, units=hx.Units("m", "kN"), damping=hx.ratio(0.05))
    return hx.Problem(frame, hx.el_centro().on(frame), 31.2)


def warned_of(problem, scheme, **options):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        hx.solve(problem, scheme, **options)
    return [one for one in told if one.category is CoarseStepWarning]


def test_a_step_longer_than_a_tenth_of_a_period_is_warned_of_once():
    """Analytic: ω = 2 √(k/m) sin(3π/14) of the second of three modes with 7 % of the mass; the third has 2 %."""
    problem = three_storeys()
    second = 2 * np.pi / (2 * np.sqrt(1000.0) * np.sin(3 * np.pi / 14))
    (told,) = warned_of(problem, hx.Galerkin(0.4, load="mean"))
    assert told.filename == __file__
    for words in ("0.4 s", f"{second:.3g} s", "7%", "0.015 s or less"):
        assert words in str(told.message)
    assert warned_of(problem, hx.Galerkin(0.4, load="mean")) == []
    assert warned_of(three_storeys(), hx.Galerkin(0.015)) == []
    assert len(warned_of(three_storeys(), hx.Galerkin(0.016))) == 1
    assert warned_of(three_storeys(), hx.Galerkin(0.02, degree=2)) == []


def test_directions_without_load_and_modes_without_mass_need_no_step():
    """A portal shaken in x: its columns swing at 0.02 s upwards, in which nothing pushes."""
    part = {"modulus": 30e6, "area": 0.16, "inertia": 2e-3}
    frame = hx.frame(
        {"A": (0, 0), "B": (0, 4), "C": (6, 4), "D": (6, 0)},
        [hx.Member(*ends, **part) for ends in ("AB", "BC", "DC")],
        supports={"A": "fixed", "D": "fixed"},
        masses={"B": 40.0, "C": 40.0},
        damping=hx.modal(0.03),
    )
    assert hx.modes(frame).periods[0] > 0.25
    assert hx.modes(frame).periods[1] < 0.1
    motion = hx.el_centro()
    assert warned_of(hx.Problem(frame, motion.on(frame, g=9.81, direction="x"), 2.0), hx.Galerkin(0.02)) == []
    assert len(warned_of(hx.Problem(frame, motion.on(frame, g=9.81, direction="y"), 2.0), hx.Galerkin(0.02))) == 1


@pytest.mark.parametrize("storeys", [30, 500, 2100])
def test_many_dofs_are_judged_as_few(storeys):
    """Analytic: the first period of a uniform chain, 81 % of whose mass swings in it."""
    first = 2 * np.pi / (2 * np.sin(np.pi / (2 * (2 * storeys + 1))))
    frame = hx.shear_frame([1.0] * storeys, 1.0)
    periods, shares = swings(frame)
    assert periods.max() == pytest.approx(first, rel=0.01)
    assert shares.max() == pytest.approx(0.81, abs=0.03)


def test_what_is_part_of_more_says_nothing():
    problem = three_storeys()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(problem, hx.Galerkin(0.4, load="mean"))
        hx.solve(problem, hx.Galerkin(0.4, load="mean"), error=True)
        hx.batch([problem.model], hx.el_centro(), hx.Galerkin(0.4, load="mean"), ("displacement",), g=9.81)


def test_one_mass_needs_no_scipy_for_it():
    code = (
        "import sys, hamex as hx\n"
        "one = hx.oscillator(1, 225)\n"
        "hx.solve(hx.Problem(one, hx.el_centro().on(one, g=1.0), 31.2), hx.Galerkin(0.02))\n"
        "assert not [name for name in sys.modules if name.startswith('scipy')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
