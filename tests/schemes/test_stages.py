"""Time elements with several stages: amplification, order, balance, complementarity, events."""

import importlib
import itertools
import math

import numpy as np
import pytest
from repetitions import crossed

import hamex as hx
from hamex.errors import SchemeError
from hamex.march import stages as slots
from hamex.march.run import can_compile
from hamex.march.stages import followed, slip_rates
from hamex.schemes.stages import coupling, stage_maps
from hamex.solve import run

CONTINUOUS = [hx.Galerkin(0.1, degree=s) for s in (1, 2, 3, 4)]
JUMPING = [hx.DiscontinuousGalerkin(0.1, degree=s) for s in (0, 1, 2)]
FAMILY = [*CONTINUOUS, *JUMPING]
QUIET = hx.Load([0.0], step=1.0)


def name(scheme):
    return f"{'dG' if isinstance(scheme, hx.DiscontinuousGalerkin) else 'G'}{scheme.degree}"


def pade(scheme, z):
    """Analytic: the Padé approximant of exp(z), continuous (s, s), with jumps (s, s + 1)."""
    s = scheme.degree
    top, bottom = (s, s) if isinstance(scheme, hx.Galerkin) else (s, s + 1)

    def polynomial(n, m, x):
        total, power = np.zeros_like(z), np.eye(2)
        for j in range(n + 1):
            factor = (
                math.factorial(n + m - j)
                * math.factorial(n)
                / (math.factorial(n + m) * math.factorial(j) * math.factorial(n - j))
            )
            total, power = total + factor * power, power @ x
        return total

    return np.linalg.solve(polynomial(bottom, top, -z), polynomial(top, bottom, z))


@pytest.mark.parametrize("scheme", FAMILY, ids=name)
@pytest.mark.parametrize("zeta", [0.0, 0.07, 0.9])
def test_one_step_is_the_pade_approximant_of_the_exponential(scheme, zeta):
    m, k = 2.0, 50.0
    model = hx.oscillator(m, k, damping=hx.ratio(zeta))
    h = scheme.step
    z = h * np.array([[0.0, 1 / m], [-k, -2 * zeta * math.sqrt(k / m)]])
    columns = []
    for start in (hx.State(displacement=[1.0]), hx.State(momentum=[1.0])):
        sol = hx.solve(hx.Problem(model, QUIET, h, start=start), scheme)
        columns.append([sol.values("displacement")[1, 0], sol.values("momentum")[1, 0]])
    exact = pade(scheme, z)
    assert np.abs(np.array(columns).T - exact).max() < 1e-13 * max(1.0, np.abs(exact).max())


@pytest.mark.parametrize(
    ("scheme", "order", "give"),
    [
        *((hx.Galerkin(0.1, degree=s), 2 * s, 0.1) for s in (1, 2, 3)),
        *((hx.DiscontinuousGalerkin(0.1, degree=s), 2 * s + 1, 0.15) for s in (0, 1, 2)),
    ],
    ids=lambda x: name(x) if not isinstance(x, int | float) else None,
)
def test_order_on_a_forced_damped_oscillator(scheme, order, give):
    model = hx.oscillator(1.0, 25.0, damping=1.0)
    load = hx.Load(lambda t: np.cos(3 * t) + 0.5 * np.sin(t))
    steps = {1: (400, 800), 2: (100, 200), 3: (100, 200), 4: (20, 40), 5: (20, 40), 6: (40, 80)}[order]
    fine = hx.solve(hx.Problem(model, load, 4.0), hx.Galerkin(4 / 400, degree=4)).values("displacement")
    errors = []
    for n in steps:
        given = type(scheme)(4 / n, degree=scheme.degree)
        found = hx.solve(hx.Problem(model, load, 4.0), given).values("displacement")
        errors.append(np.abs(found - fine[:: 400 // n] if n <= 400 else found[:: n // 400] - fine).max())
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=give)


@pytest.mark.parametrize(("degree", "percent"), [(1, 3.207), (2, 0.0211), (3, 0.0001)])
def test_period_elongation_at_ten_steps_a_period_and_no_decay(degree, percent):
    """Analytic: the phase of Padé(s, s) on the imaginary axis."""
    omega = 2 * math.pi
    model = hx.oscillator(1.0, omega**2)
    sol = hx.solve(hx.Problem(model, QUIET, 0.1, start=hx.State(displacement=[1.0])), hx.Galerkin(0.1, degree=degree))
    u, v = sol.values("displacement")[1, 0], sol.values("momentum")[1, 0] / omega
    phase = math.atan2(-v, u)
    assert 100 * (0.1 * omega / phase - 1) == pytest.approx(percent, abs=0.6 * 10 ** (-4 if degree > 1 else -3))
    assert u * u + v * v == pytest.approx(1.0, abs=1e-15)


@pytest.mark.heavy
@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.chief("3")
def test_energy_of_the_undamped_oscillator_over_a_hundred_thousand_periods(degree):
    """Own limit: with coefficients beyond double precision what is left is round-off at random; the kernel of degree 1
    has plain doubles and may grow by their last digit in every step."""
    periods, per_period = 100_000, 10
    omega = 2 * math.pi
    model = hx.oscillator(1.0, omega**2)
    h = 1 / per_period
    problem = hx.Problem(model, QUIET, periods * 1.0, start=hx.State(displacement=[1.0]))
    sol = hx.solve(problem, hx.Galerkin(h, degree=degree))
    energy = sol.values("momentum")[:, 0] ** 2 + omega**2 * sol.values("displacement")[:, 0] ** 2
    assert np.abs(energy / energy[0] - 1).max() < (1e-12 if degree > 1 else 3e-16 * periods * per_period)


@pytest.mark.parametrize("scheme", FAMILY, ids=name)
@pytest.mark.parametrize(
    "law",
    [
        hx.Slider(0.27, 1.5),
        hx.Slider(0.27, 0.0),
        hx.Slider(0.27, 0.3, kinematic=20.0),
        hx.Slider(0.27, 0.3, kinematic=5.0, isotropic=9.0),
    ],
    ids=str,
)
def test_energy_balance_at_round_off_for_every_degree(scheme, law):
    model = hx.oscillator(1, 225, damping=1.5, law=law)
    problem = hx.Problem(model, hx.el_centro().scaled(2).on(model, g=1.0), 20.0)
    sol = hx.solve(problem, type(scheme)(0.02, degree=scheme.degree))
    assert sol.residual < 1e-13
    largest = np.abs(sol.values("input")).max()
    assert np.diff(sol.values("plastic")).min() >= -1e-15 * largest
    assert np.diff(sol.values("jumps")).min() >= -1e-15 * largest
    assert (sol.values("jumps")[-1] > 1e-9 * largest) == isinstance(scheme, hx.DiscontinuousGalerkin)


def test_little_viscosity_zigzags_in_the_continuous_element_and_not_in_the_one_with_jumps():
    """A millionth of the paper's viscosity at h = 0.02 s: overstress of node forces in shares of the yield force."""
    model = hx.oscillator(1, 225, damping=1.5, law=hx.Slider(0.27, 1.5e-6))
    problem = hx.Problem(model, hx.el_centro().scaled(2).on(model, g=1.0), 40.0)
    over = {}
    for scheme in (hx.Galerkin(0.02), *(hx.DiscontinuousGalerkin(0.02, degree=s) for s in (0, 1, 2))):
        force = np.abs(hx.solve(problem, scheme).values("node_force"))
        over[name(scheme)] = force.max() / 0.27 - 1
    assert over["G1"] > 0.05
    assert max(over[key] for key in ("dG0", "dG1", "dG2")) < 0.01


def random_slip(rng, springs, stages_, family):
    """A random linear structure with sliders: the complementarity problem of one step and its data."""
    n = springs
    root = rng.normal(size=(n, n))
    mass = root @ root.T + np.eye(n)
    flexibility, compatibility = np.diag(rng.uniform(0.01, 0.1, springs)), rng.normal(size=(n, springs))
    model = hx.structure(mass, np.zeros((n, n)), flexibility, compatibility, [hx.Slider(1.0)] * springs)
    scheme = hx.Galerkin(0.1, degree=stages_) if family else hx.DiscontinuousGalerkin(0.1, degree=stages_ - 1)
    table = scheme.table()
    h = rng.uniform(0.05, 1.0)
    maps = stage_maps(model, table, h, np.eye(n))
    kinematic = rng.choice([0.0, 5.0], springs)
    isotropic = rng.choice([0.0, 3.0], springs)
    rows = stages_ * springs
    return {
        slots.LOSS: coupling(maps, table, h, kinematic),
        slots.ETA: np.tile(rng.choice([0.0, 0.5], springs), stages_),
        slots.LIMIT: np.ones(rows),
        slots.HARD: h * np.kron(table.A, np.diag(isotropic)),
    }, rng.normal(size=rows) * 2


def enumerated(slip, y):
    """All branches, one by one: the slip rates of those that hold."""
    N, eta, limits, hard = slip.values()
    rows, found = len(y), []
    for branch in itertools.product((-1, 0, 1), repeat=rows):
        sign = np.array(branch, dtype=float)
        on = np.flatnonzero(sign)
        g = np.zeros(rows)
        matrix = N + sign[:, None] * sign * hard + np.diag(eta)
        if on.size:
            g[on] = np.linalg.solve(matrix[np.ix_(on, on)], (y - sign * limits)[on])
        rest = np.abs(y - N @ g) - limits - hard @ np.abs(g)
        if np.all(sign * g >= -1e-12) and np.all(rest[sign == 0] <= 1e-12):
            found.append(g)
    return found


@pytest.mark.parametrize("cases", [60, pytest.param(250, marks=pytest.mark.heavy)])
def test_slip_rates_equal_the_enumeration_of_all_branches(cases):
    """Own reference: 3^rows linear systems; Newton from a random guess and the path from zero load both find it."""
    rng = np.random.default_rng(20)
    for case in range(cases):
        stages_, springs = [(1, 3), (2, 2), (3, 1), (4, 1), (2, 1)][case % 5]
        slip, y = random_slip(rng, springs, min(stages_, 4 if case % 2 else 3), bool(case % 2))
        rows = len(y)
        answers = enumerated(slip, y)
        assert answers
        assert all(np.allclose(g, answers[0], atol=1e-9) for g in answers)
        for find in (slip_rates, followed):
            g, sizes = np.zeros(rows), np.array([0, rows, 1])
            N = {slots.SIZES: sizes, slots.BRANCHES: rng.integers(-1, 2, rows), slots.ON: np.empty(rows, dtype=int)}
            R = {slot: x.ravel() for slot, x in slip.items()} | {slots.OVER: y, slots.BOUND: slip[slots.LIMIT]}
            R |= {slots.SYSTEM: np.empty(rows * rows)}
            R |= {slot: np.empty(rows) for slot in (slots.RIGHT, slots.OVER0, slots.BOUND0, slots.G0)}
            assert find(N, R, 0, g) > 0
            assert np.abs(g - answers[0]).max() < 1e-10 * max(1.0, np.abs(g).max())


@pytest.mark.parametrize("scheme", [hx.Galerkin(0.02, degree=2), hx.DiscontinuousGalerkin(0.02, degree=1)], ids=name)
def test_structures_restart_and_rerun_bitwise(scheme):
    frame = hx.shear_frame(
        [1.0] * 3,
        [900.0, 800.0, 700.0],
        damping=[3.0] * 3,
        laws=hx.Slider(6.0, viscosity=0.5, kinematic=40.0, isotropic=5.0),
    )
    load = hx.el_centro().on(frame, g=9.81)
    whole, again = (hx.solve(hx.Problem(frame, load, 8.0), scheme) for _ in range(2))
    first = hx.solve(hx.Problem(frame, load, 3.0), scheme)
    rest = hx.solve(hx.Problem(frame, load.after(3.0), 5.0, start=first.final), scheme)
    for key in ("displacement", "momentum", "slip", "back_force", "accumulated_slip"):
        assert np.array_equal(whole.values(key), again.values(key))
        assert np.array_equal(whole.values(key)[150:], rest.values(key))
    assert whole.residual < 1e-13


class Staged(hx.Galerkin):
    """The element of degree 1 as one of the elements with stages."""

    @property
    def whole(self):
        return False


def test_degree_one_by_stages_is_the_kernel_of_the_linear_element():
    from hamex.schemes.scheme import How
    from hamex.schemes.stage_march import ElementMarch
    from hamex.solve.parts import solution_of, state_of

    frame = hx.shear_frame([1.0] * 3, [900.0, 800.0, 700.0], damping=[3.0] * 3, laws=hx.Slider(6.0, 0.5, 40.0, 5.0))
    problem = hx.Problem(frame, hx.el_centro().on(frame, g=9.81), 10.0)
    one, scheme = hx.solve(problem, hx.Galerkin(0.02)), hx.Galerkin(0.02)
    ran = ElementMarch(problem, Staged(0.02), How(one.steps)).advance(state_of(problem.start), 0, one.steps)
    two = solution_of(problem, scheme, ran)
    for key in ("displacement", "momentum", "slip", "force"):
        scale = np.abs(one.values(key)).max()
        assert np.abs(one.values(key) - two.values(key)).max() < 1e-11 * scale


def test_compiled_and_plain_agree_in_every_bit(monkeypatch):
    frame = hx.shear_frame([1.0] * 2, [900.0, 800.0], damping=[3.0] * 2, laws=hx.Slider(6.0, 0.5, 40.0, 5.0))
    problem = hx.Problem(frame, hx.el_centro().on(frame, g=9.81), 4.0)
    found = []
    for choice in (True, False):
        monkeypatch.setattr(
            importlib.import_module("hamex.schemes.stages"), "worth_compiling", lambda *_, choice=choice: choice
        )
        found.append(hx.solve(problem, hx.Galerkin(0.02, degree=3)))
    assert can_compile()
    assert all(np.array_equal(found[0].values(key), found[1].values(key)) for key in ("displacement", "slip", "force"))


@pytest.mark.heavy
@pytest.mark.parametrize("inside", [{"locate": True}, {"tolerance": 1e-5}], ids=["located", "halved"])
@pytest.mark.parametrize("kind", [hx.Galerkin, hx.DiscontinuousGalerkin])
def test_steps_that_are_not_taken_whole_agree_in_every_bit(monkeypatch, kind, inside):
    frame = hx.shear_frame([1.0] * 2, [900.0, 800.0], damping=hx.modal(0.05), laws=hx.Slider(6.0, 0.5, 40.0))
    problem = hx.Problem(frame, hx.el_centro().on(frame, g=9.81).after(2.0), 0.4)
    found = []
    for choice in (True, False):
        for module in ("located", "stages"):
            monkeypatch.setattr(f"hamex.schemes.{module}.worth_compiling", lambda *_, choice=choice: choice)
        found.append(run(problem, kind(0.02, degree=2, **inside), quiet=True))
    assert np.abs(found[0].values("slip")).max() > 0
    assert all(np.array_equal(found[0].histories[key], found[1].histories[key]) for key in found[0].histories)


@pytest.mark.parametrize(("storeys", "tolerance"), [(2, 1e-6), pytest.param(17, 1e-5, marks=pytest.mark.heavy)])
def test_bits_of_halved_steps_do_not_depend_on_blocks(storeys, tolerance):
    """Small models by one kernel, larger ones step by step; both sum their energies step by step."""
    frame = hx.shear_frame(
        [1.0] * storeys, [900.0] * storeys, damping=[3.0] * storeys, laws=hx.Slider(6.0, kinematic=40.0)
    )
    problem = hx.Problem(frame, hx.el_centro().scaled(2).on(frame, g=9.81).after(2.1), 0.08)
    whole, parts = (run(problem, hx.Galerkin(0.02, tolerance=tolerance), quiet=True, block=block) for block in (4, 3))
    assert whole.values("pieces").max() > 2
    assert all(np.array_equal(whole.histories[key], parts.histories[key]) for key in whole.histories)


LOAD = hx.Load(lambda t: 0.5 * np.sin(7 * t) + 0.3 * np.cos(3 * t))


@pytest.mark.parametrize("law", [hx.Slider(0.72, 1.5), hx.Slider(0.7, kinematic=20.0)], ids=["viscous", "hardening"])
@pytest.mark.parametrize(
    ("duration", "finer"), [(2, (1, 8)), pytest.param(4, (1, 2, 4, 8), marks=pytest.mark.heavy)], ids=["2 s", "4 s"]
)
@pytest.mark.chief("2 s-viscous")
def test_located_events_keep_the_order(law, duration, finer):
    problem = hx.Problem(hx.oscillator(1, 225, 1.5, law), LOAD, float(duration))
    reference = hx.solve(problem, hx.Galerkin(0.08 / 32, degree=3, locate=True)).values("displacement")
    orders = {}
    for locate in (True, False):
        errors = []
        for parts in finer:
            sol = hx.solve(problem, hx.Galerkin(0.08 / parts, degree=2, locate=locate))
            errors.append(np.abs(sol.values("displacement") - reference[:: 32 // parts]).max())
            assert sol.residual < 1e-12
        orders[locate] = math.log2(errors[0] / errors[-1]) / 3
    assert orders[True] > 3.5
    assert orders[False] < 2.5


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("duration", "finer"), [(1.8, (1, 4)), pytest.param(3.0, (1, 2, 4), marks=pytest.mark.heavy)], ids=["1.8 s", "3 s"]
)
def test_located_events_of_several_sliders(duration, finer):
    frame = hx.shear_frame([1.0] * 3, [300.0, 250.0, 200.0], damping=[1.0] * 3, laws=hx.Slider(1.5, viscosity=1.0))
    shaken = hx.Load(lambda t: np.sin(5 * t), patterns=np.ones((3, 1)))
    problem = hx.Problem(frame, shaken, duration)
    reference = hx.solve(problem, hx.Galerkin(0.04 / 16, degree=3, locate=True))
    errors = []
    for parts in finer:
        sol = hx.solve(problem, hx.Galerkin(0.04 / parts, degree=2, locate=True))
        errors.append(np.abs(sol.values("displacement") - reference.values("displacement")[:: 16 // parts]).max())
    assert math.log2(errors[0] / errors[-1]) / 2 > 3
    assert sol.values("events").sum() >= 6
    assert sol.residual < 1e-12


@pytest.mark.parametrize("scheme", [hx.Galerkin(0.1, degree=3), hx.DiscontinuousGalerkin(0.1, degree=2)], ids=name)
def test_the_peak_is_found_inside_the_step(scheme):
    """Analytic: free vibration from a velocity peaks at v/ω a quarter period later, here in the middle of a step."""
    omega = 2 * math.pi / 1.0
    model = hx.oscillator(1.0, omega**2)
    sol = hx.solve(hx.Problem(model, QUIET, 1.0, start=hx.State(momentum=[omega])), scheme)
    peak = sol.peaks["displacement"]
    assert peak.value == pytest.approx(1.0, abs=2e-4)
    assert np.abs(sol.values("displacement")).max() < 0.96
    assert peak.time % 0.5 == pytest.approx(0.25, abs=2e-3)


@pytest.mark.parametrize("family", [hx.Galerkin, hx.DiscontinuousGalerkin])
@pytest.mark.parametrize(("duration", "cut"), [(4.0, 1.5), pytest.param(8.0, 3.0, marks=pytest.mark.heavy)])
@pytest.mark.chief("4.0-1.5-Galerkin")
def test_pieces_follow_the_tolerance_and_repeat_themselves(family, duration, cut):
    model = hx.oscillator(1, 225, 1.5, hx.Slider(0.27, 1.5, kinematic=5.0))
    load = hx.el_centro().scaled(2).on(model, g=1.0)
    problem = hx.Problem(model, load, duration)
    reference = hx.solve(problem, hx.Galerkin(0.02, degree=3, locate=True)).values("displacement")
    found = [hx.solve(problem, family(0.02, degree=1, tolerance=tolerance)) for tolerance in (1e-5, 1e-7)]
    errors = [np.abs(sol.values("displacement") - reference).max() for sol in found]
    assert errors[1] < 0.6 * errors[0]
    assert found[1].values("pieces").sum() > found[0].values("pieces").sum()
    assert all(sol.residual < 1e-12 for sol in found)
    scheme = family(0.02, degree=1, tolerance=1e-7)
    first = hx.solve(hx.Problem(model, load, cut), scheme)
    rest = hx.solve(hx.Problem(model, load.after(cut), duration - cut, start=first.final), scheme)
    assert np.array_equal(rest.values("displacement"), found[1].values("displacement")[first.steps :])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: hx.Galerkin(0.1, degree=2, tolerance=0.0), "tolerance must be"),
        (lambda: hx.Galerkin(0.1, degree=2, tolerance=1e-6, locate=True), "not both"),
        (lambda: hx.Galerkin(0.1, degree=5), "degree must be 1 to 4"),
        (lambda: hx.Galerkin(0.1, degree=2.0), "degree must be"),
        (lambda: hx.Galerkin(0.1, degree=2, load="end"), "degree 1"),
        (lambda: hx.DiscontinuousGalerkin(0.1, degree=3), "degree must be 0 to 2"),
        (lambda: hx.DiscontinuousGalerkin(0.1, load="end"), "average"),
        (lambda: hx.Galerkin(0.1, degree=2, load="mean", locate=True), "locate needs"),
    ],
)
def test_wrong_choices_cannot_be_built(make, message):
    with pytest.raises(SchemeError, match=message):
        make()


def test_locating_events_of_other_laws_is_refused_by_name():
    damped = hx.shear_frame([1.0], [100.0], links=[hx.power_damper(0, 1, 5.0, 0.5, 1000.0)])
    with pytest.raises(SchemeError, match="springs with a Slider only"):
        hx.solve(hx.Problem(damped, QUIET, 1.0), hx.Galerkin(0.1, degree=2, locate=True))


@pytest.mark.parametrize(
    ("scheme", "hardening"),
    crossed(
        [hx.Galerkin(0.02, degree=2, locate=True), hx.DiscontinuousGalerkin(0.02, degree=1, locate=True)], [0.0, 900.0]
    ),
    ids=lambda value: name(value) if isinstance(value, hx.schemes.Scheme) else None,
)
@pytest.mark.chief("G2-0.0")
def test_events_of_member_hinges_are_those_of_the_oscillator(scheme, hardening):
    """Analytic: a column of no mass on a hinge is an oscillator with k = 3EI/L³ that yields at M/L, hardens with H/L².

    Where a hinge stops is seen in its slip rate, which Gauss points carry to the end of a piece with its error.
    """
    length, rigidity, strength = 3.0, 2.0e4, 60.0
    column = hx.Member("A", "B", rigidity, 1e3, 1.0, hinges=(hx.Slider(strength, kinematic=hardening), None))
    frame = hx.frame({"A": (0, 0), "B": (0, length)}, [column], {"A": "fixed", "B": "y"}, {"B": 10.0})
    law = hx.Slider(strength / length, kinematic=hardening / length**2)
    oscillator = hx.oscillator(10.0, 3 * rigidity / length**3, law=law)
    motion = hx.el_centro()
    runs = [hx.solve(hx.Problem(model, motion.on(model, g=9.81), 3.0), scheme) for model in (frame, oscillator)]
    u, alone = runs[0].values("displacement")[:, frame.dofs.index("B.x")], runs[1].values("displacement")[:, 0]
    assert np.abs(u - alone).max() < (1e-5 if scheme.continuous else 1e-9) * np.abs(alone).max()
    events = [run.values("events") for run in runs]
    assert events[0].sum() == events[1].sum() > 3
    assert scheme.continuous or events[0].tolist() == events[1].tolist()
    if not hardening:
        assert np.abs(runs[0].values("node_force")[:, frame.springs.index("A-B.M1")]).max() < strength * (1 + 1e-9)
    assert runs[0].residual < 1e-12


def test_locating_events_of_interacting_hinges_is_refused_by_name():
    column = hx.Member("A", "B", 2e4, 1e3, 1.0, hinges=hx.Surface((100.0, 60.0)))
    frame = hx.frame({"A": (0, 0), "B": (0, 3)}, [column], {"A": "fixed"}, {"B": 10.0})
    with pytest.raises(SchemeError, match="springs with a Slider only"):
        hx.solve(hx.Problem(frame, hx.el_centro().on(frame, g=9.81), 1.0), hx.Galerkin(0.1, degree=2, locate=True))


@pytest.mark.parametrize(
    ("scheme", "remedy"),
    [
        (hx.Galerkin(0.01, degree=1, locate=True), r"use Galerkin\(degree=1\) without locate$"),
        (hx.Galerkin(0.01, degree=1, tolerance=1e-6), r"use Galerkin\(degree=1\) without tolerance$"),
        (hx.Galerkin(0.01, degree=2), r"use Galerkin\(degree=1\)$"),
    ],
    ids=str,
)
def test_what_one_stage_alone_can_do_names_what_to_leave_out(scheme, remedy):
    frame = hx.shear_frame([1.0, 1.0], 100.0, laws=hx.Slider(2.0))
    problem = hx.Problem(frame, hx.el_centro().on(frame, g=9.81), 2.0)
    with pytest.raises(SchemeError, match=remedy):
        hx.solve(problem, scheme, promise="reported")
    assert hx.solve(problem, hx.Galerkin(0.01), promise="reported").steps == 200
