"""Error bars cover the error, are not much longer than it, and shrink as it does.

The truth is the exact solution under the interpolated record or the given function, in continuous time: here a run
with 64 times the steps. The seed is not among those the estimate was calibrated with (11 and 12).
"""

import dataclasses
import math
import warnings

import bar_trial
import numba  # noqa: F401  kernels run compiled once it is loaded: same bits, 50 times faster
import numpy as np
import pytest

import hamex as hx
from hamex.errors import StepWarning
from hamex.solution.peaks import PEAKS
from hamex.solution.source import HistoriesOnly, KeptLayout

SEED, CASES, FINER = 2024, (80, 200), 64
NAMES = (*PEAKS, "residual_slip")
MOST, LONGEST = 0.97, 3.0  # share of the errors that bars must cover; median length, in errors


def random_case(rng):
    """Any oscillator, load, start, scheme and step that the estimate is meant for."""
    period = 10 ** rng.uniform(-1, math.log10(3))
    mass, omega = 10 ** rng.uniform(-1, 1), 2 * math.pi / period
    k, damping = mass * omega**2, hx.ratio(rng.choice([0.0, 0.02, 0.05, 0.1]))
    model = hx.oscillator(mass, k, damping)
    h = period * 10 ** rng.uniform(-math.log10(200), -math.log10(8))
    push = mass * 10 ** rng.uniform(-1, 1)
    kind = rng.choice(["record"] * 4 + ["sine", "pulse", "blast", "jump", "free"])
    if kind == "record":
        h = rng.choice([x for x in (0.02, 0.01, 0.005) if x <= period / 8] + [min(h, 0.04)])
        load, time = hx.el_centro().on(model, g=rng.choice([1.0, 9.81])), rng.choice([10.0, 20.0, 35.0])
    else:
        load = {
            "sine": hx.sine(push, omega * rng.uniform(0.4, 1.6)),
            "pulse": hx.half_sine(push, period * rng.uniform(0.2, 3)),
            "blast": hx.triangle(push, period * rng.uniform(0.2, 3), peak=0),
            "jump": hx.constant(push, period * rng.uniform(0.2, 3)),
            "free": hx.constant(0.0),
        }[kind]
        time = period * rng.uniform(3, 20)
    start = hx.State()
    if kind == "free" or rng.random() < 0.2:
        start = hx.State(push / k * rng.standard_normal(), push / omega * rng.standard_normal())
    problem = hx.Problem(model, load, round(time / h) * h, start)
    rule = rng.choice(["average"] * 4 + ["end", "mean", "newmark", "exact"])
    if rule == "exact":
        return problem, hx.PiecewiseExact(h)
    elastic = hx.solve(problem, hx.Galerkin(h, load="mean"))
    # A rate-independent spring cannot start beyond its yield force, so no spring does here.
    strength = max(elastic.peaks["node_force"].value / rng.uniform(0.9, 8), abs(elastic.values("node_force")[0, 0]))
    law = {
        "elastic": {},
        "viscous": {"viscosity": k * period * 10 ** rng.uniform(-4, 0.5)},
        "plastic": {},
        "kinematic": {"kinematic": k * 10 ** rng.uniform(-2.5, 0)},
        "isotropic": {"isotropic": k * 10 ** rng.uniform(-2.5, 0)},
    }
    choice = rng.choice(["elastic", "viscous", "viscous", "plastic", "kinematic", "isotropic"])
    if choice != "elastic":
        problem = problem.replace(model=hx.oscillator(mass, k, damping, hx.Slider(strength, **law[choice])))
    if rule == "newmark":
        return problem, hx.Newmark(h, tolerance=1e-9 * elastic.peaks["displacement"].value, max_iterations=50)
    return problem, hx.Galerkin(h, load=rule)


def converged(problem, scheme):
    """Peaks and residual slip of the exact solution; the peak of a step mean is that of the force itself."""
    model, step = problem.model, scheme.step / FINER
    law = model.laws["slider"]
    fine = hx.solve(problem, hx.Galerkin(step, load="mean"))
    if math.isfinite(law.yield_force[0]) and law.viscosity[0] * model.flexibility[0, 0] < step:
        # Node forces of the midpoint rule zig-zag here; the end-point return map does not.
        fine = hx.solve(
            problem, hx.Newmark(step, tolerance=1e-11 * fine.peaks["displacement"].value, max_iterations=100)
        )
    true = {name: fine.peaks[name].value for name in NAMES}
    return true | {"force": true["node_force"]}


@pytest.fixture(scope="module", params=[CASES[0], pytest.param(CASES[1], marks=pytest.mark.heavy)])
def cases(request):
    """(true error, bar, peak) of every name, one row a case."""
    rng = np.random.default_rng(SEED)
    rows = {name: [] for name in NAMES}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StepWarning)
        for _ in range(request.param):
            problem, scheme = random_case(rng)
            peaks, true = hx.solve(problem, scheme, error=True).peaks, converged(problem, scheme)
            for name in NAMES:
                rows[name].append((abs(peaks[name].value - true[name]), peaks[name].error, abs(peaks[name].value)))
    return {name: np.array(found) for name, found in rows.items()}


@pytest.mark.parametrize("name", NAMES)
def test_bars_cover_the_error_and_are_not_much_longer(cases, name):
    error, bar, peak = cases[name].T
    covered = np.mean(error <= bar + 1e-14 * peak)  # the truth has its own round-off
    wrong = error > 1e-12 * peak
    length = np.median(bar[wrong] / error[wrong])
    print(f"{name}: covers {100 * covered:.1f} %, median length {length:.2f} over {wrong.sum()} errors")
    assert np.isfinite(bar).all()
    assert wrong.sum() > len(error) / 4
    assert covered >= MOST
    assert 1 < length < LONGEST


def test_nothing_happens_without_error():
    model = hx.oscillator(1, 225, 1.5, hx.Slider(0.27, 1.5))
    for scheme in (hx.Galerkin(0.02), hx.Newmark(0.02)):
        error = hx.solve(hx.Problem(model, hx.constant(0.0), 1.0), scheme, error=True).error
        assert error == dict.fromkeys((*NAMES, "ductility"), 0.0)


def test_an_elastic_spring_has_no_slip_and_no_error_of_it():
    model = hx.oscillator(1, 225, 1.5)
    sol = hx.solve(hx.Problem(model, hx.el_centro().on(model, g=1.0), 10.0), hx.Galerkin(0.02), error=True)
    assert sol.peaks["slip"].error == sol.peaks["residual_slip"].error == 0
    assert sol.peaks["displacement"].error > 0


def test_exact_peak_at_the_start_has_a_bar_of_round_off():
    problem = hx.Problem(hx.oscillator(1, 225, hx.ratio(0.05)), hx.constant(0.0), 2.0, hx.State(displacement=0.1))
    bar = hx.solve(problem, hx.PiecewiseExact(0.02), error=True).error["displacement"]
    assert 0 < bar < 1e-13


@pytest.mark.parametrize("steps", [1, 2])
def test_the_shortest_histories_have_bars(steps):
    problem = hx.Problem(hx.oscillator(1, 225, law=hx.Slider(0.1)), hx.constant(1.0), steps * 0.02)
    error = hx.solve(problem, hx.Galerkin(0.02), error=True).error
    assert all(0 <= bar < math.inf for bar in error.values())


@pytest.mark.parametrize(("rule", "order"), [("average", 2), ("mean", 2), ("end", 1)])
def test_bars_shrink_with_the_order_of_the_scheme(rule, order):
    """Geometric mean over periods, since a single peak falls on a node or between two by chance.

    The load starts with a jump: where it starts from zero, the rule "end" only delays the motion by h/2, and peaks
    do not mind.
    """

    def bars(step):
        problems = [
            hx.Problem(hx.oscillator(1, k, hx.ratio(0.02)), hx.sine(1.0, omega=7.0, phase=0.8), 2.0)
            for k in np.linspace(60, 300, 25)
        ]
        return [hx.solve(p, hx.Galerkin(step, load=rule), error=True).error["displacement"] for p in problems]

    measured = np.mean(np.log2(np.divide(bars(0.01), bars(0.00125)))) / 3
    assert abs(measured - order) < 0.15


def test_overstress_at_the_start_counts_for_the_force():
    """The spring relaxes within a tenth of a step: no step mean sees the force it starts with."""
    model = hx.oscillator(1, 225, law=hx.Slider(1.0, viscosity=225 * 0.002))
    sol = hx.solve(hx.Problem(model, hx.constant(0.0), 1.0, hx.State(displacement=0.1)), hx.Galerkin(0.02), error=True)
    peak = sol.peaks["force"]
    assert peak.value + peak.error >= 22.5


def test_a_step_longer_than_the_records_is_said_once():
    model = hx.oscillator(1, 9)
    problem = hx.Problem(model, hx.el_centro().on(model, g=1.0), 8.0)
    with pytest.warns(StepWarning) as said:
        hx.solve(problem, hx.Galerkin(0.08), error=True)
    steps = [str(each.message) for each in said if each.category is StepWarning]
    assert len(steps) == 1
    assert "0.08" in steps[0]


def test_two_components_keep_their_own_place():
    """The bar follows the component with the peak, whichever it is."""
    model = hx.oscillator(1, 225, 1.5, hx.Slider(0.27, 1.5))
    problem = hx.Problem(model, hx.el_centro().scaled(2).on(model, g=1.0), 10.0)
    alone = hx.solve(problem, hx.Galerkin(0.02), error=True).error
    runs = [hx.solve(problem, hx.Galerkin(0.02 / parts)) for parts in (1, 2, 4)]
    from hamex.solution.error import estimate

    def beside(run, names):
        pairs = {n: np.hstack([0.5 * run.values(n), run.values(n)]) for n in names}
        two = KeptLayout(("first", "second"), ("one", "two"))
        return dataclasses.replace(
            run, source=HistoriesOnly("", two, run.units, run.step, {}), histories=pairs, _cache={}
        )

    both = estimate(
        *(beside(run, ("displacement", "velocity", "force", "node_force", "slip", "deformation")) for run in runs)
    )
    del alone["ductility"]  # the second column has no yield deformation of its own
    assert both == pytest.approx(alone, rel=1e-12)


# Value and bar of one peak; what hides between shared nodes ---------------------------------------------------

EVERY = [
    hx.Galerkin(0.05),
    hx.Galerkin(0.05, load="end"),
    *(hx.Galerkin(0.05, degree=degree) for degree in (2, 3, 4)),
    *(hx.DiscontinuousGalerkin(0.05, degree=degree) for degree in (0, 1, 2)),
    hx.Galerkin(0.05, degree=2, tolerance=1e-5),
    hx.Newmark(0.05, max_iterations=50),
    hx.schemes.HilberHughesTaylor(0.05),
    hx.schemes.TrBdf2(0.05),
]


@pytest.mark.parametrize("scheme", EVERY, ids=repr)
def test_a_bar_belongs_to_the_value_beside_it(scheme):
    """No bar is shorter than the distance of its value to what the finest run shows for the same peak."""
    for k in (60.0, 100.0, 150.0):
        model = hx.oscillator(1, k, hx.ratio(0.05), hx.Slider(3.0, viscosity=0.5))
        problem = hx.Problem(model, hx.sine(8.0, omega=9.0), 2.0)
        peaks = hx.solve(problem, scheme, error=True).peaks
        finest = hx.solve(problem, scheme.finer(4)).peaks
        for name, peak in peaks.items():
            assert abs(peak.value - finest[name].value) <= peak.error, (k, name)


@pytest.mark.parametrize("scheme", [hx.Galerkin(0.02, load="end"), hx.Galerkin(0.02), hx.DiscontinuousGalerkin(0.02)])
def test_a_jump_of_the_load_does_not_hide_behind_a_shared_node(scheme):
    model = hx.oscillator(1, 100.0, hx.ratio(0.02))
    for place in np.linspace(0.01, 0.99, 33):
        problem = hx.Problem(model, hx.constant(1.0, 0.02 * (10 + place)), 0.8)
        peak = hx.solve(problem, scheme, error=True).peaks["velocity"]
        true = hx.solve(problem, dataclasses.replace(scheme, step=0.02 / 32)).peaks["velocity"].value
        assert abs(peak.value - true) <= peak.error, place


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.chief("1")
def test_the_instant_of_yield_does_not_hide_behind_a_shared_node(degree):
    """One spring yields once, at any place inside a step; only the first part of a step can hide it."""
    h, elastic = 0.02, hx.oscillator(1, 100.0)
    fine = hx.solve(hx.Problem(elastic, hx.constant(1.0), 0.2), hx.Galerkin(h / 256)).values("node_force")[:, 0]
    for place in range(1, 256, 5):
        model = hx.oscillator(1, 100.0, law=hx.Slider(float(fine[6 * 256 + place])))
        problem = hx.Problem(model, hx.constant(1.0), 0.4)
        scheme = hx.DiscontinuousGalerkin(h, degree=degree)
        sol, true = hx.solve(problem, scheme, error=True), hx.solve(problem, hx.DiscontinuousGalerkin(h / 32, degree))
        for name in ("displacement", "slip", "residual_slip"):
            assert abs(sol.peaks[name].value - true.peaks[name].value) <= sol.peaks[name].error, (place, name)


@pytest.mark.parametrize("scheme", [hx.Galerkin(0.02), hx.DiscontinuousGalerkin(0.033, degree=2)])
def test_a_run_that_stops_at_its_limit_has_no_bar_on_what_grows_there(scheme):
    """Where it stops depends on the step, which runs up to the same instant do not show: the drift was 0.3194 ± 6e-6 of
    0.3002 with a step of h/32. The instant of the limit is one."""
    model = hx.shear_frame([1.0, 1.0], [300.0, 200.0], heights=3.0, damping=hx.ratio(0.02))
    w = hx.modes(model).frequencies[0]
    load = hx.Load(lambda t: 8.0 * np.sin(w * t), patterns=[[1.0], [1.0]])
    problem = hx.Problem(model, load, 9.9)
    sol = hx.solve(problem, scheme, True)
    fine = hx.solve(problem, dataclasses.replace(scheme, step=scheme.step / 30))
    assert sol.extent.stopped
    assert sol.exceeded.time == sol.times[-1]
    assert sol.times[-2] < sol.exceeded.crossing <= sol.times[-1]
    assert abs(sol.exceeded.crossing - fine.exceeded.crossing) < 0.3 * scheme.step
    assert f"crossed at {sol.exceeded.crossing:.5g} s" in sol.message
    for name in ("displacement", "storey_drift", "drift_ratio", "residual_drift", "storey_shear", "base_shear"):
        assert sol.peaks[name].error is None, name
    assert abs(sol.peaks["velocity"].value - fine.peaks["velocity"].value) <= sol.peaks["velocity"].error
    whole = hx.solve(problem, scheme, True, limit=hx.Limit(None, stop=False))
    assert whole.peaks["displacement"].error > 0


def test_a_peak_that_a_shorter_step_would_not_reach_has_no_bar():
    """A shorter step passes the limit half a swing earlier: the velocity was 6.11 ± 0.03 m/s of 5.89."""
    model = hx.shear_frame([1.0, 1.0], [400.0, 400.0], heights=3.0, damping=hx.ratio(0.02))
    w = hx.modes(model).frequencies[0]
    load = hx.GroundMotion(4 * np.sin(w * np.arange(0, 20, 0.005)), 0.005, "m/s2").on(model, g=9.81)
    problem, scheme = hx.Problem(model, load, 19.8), hx.DiscontinuousGalerkin(0.033, degree=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        sol, fine = (hx.solve(problem, scheme, True), hx.solve(problem, scheme.finer(16)))
    assert fine.exceeded.crossing < sol.exceeded.crossing - 0.2
    assert sol.peaks["velocity"].error is None


def test_a_peak_just_before_the_end_is_not_taken_at_its_word():
    """The run ends a little behind the peak, closer to it than any other node."""
    model = hx.oscillator(1, 100.0)
    for behind in np.linspace(0.0005, 0.0024, 9):  # a finest step is 0.005 s
        h = (math.pi / 20 + behind) / 8
        problem = hx.Problem(model, hx.constant(0.0), 8 * h, hx.State(momentum=1.0))
        peak = hx.solve(problem, hx.PiecewiseExact(h), error=True).peaks["displacement"]
        assert abs(peak.value - 0.1) <= peak.error, behind


# The trial ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Galerkin 1", "jumps 1", "HHT-α", "Bathe"])
@pytest.mark.chief("Galerkin 1", "Bathe")
def test_bars_cover_random_problems(name):
    trial(name, 14, 0.9)


@pytest.mark.heavy
@pytest.mark.parametrize("name", [name for name in bar_trial.SCHEMES if "located" not in name])
def test_bars_cover_many_random_problems(name):
    trial(name, 175, 0.96)


def trial(name, count, share):
    """Bars cover this share of every quantity and 98 % of all, and are at most five times as long in the median."""
    by_quantity = {}
    for _, quantity, *numbers in bar_trial.run(name, range(1000, 1000 + count)):
        by_quantity.setdefault(quantity, []).append(numbers)
    assert len(by_quantity) > 5
    covered, length, *_ = bar_trial.judged([row for found in by_quantity.values() for row in found])
    assert covered >= 0.98
    assert 1 < length < 5
    for quantity, found in by_quantity.items():
        covered, length, _, wrong = bar_trial.judged(found)
        assert covered >= share - 1.5 / len(found), quantity
        assert wrong < 50 or 1 < length < 5, quantity
