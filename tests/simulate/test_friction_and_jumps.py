"""Elements with jumps, dry friction as a set-valued law, and steps that are cut: against closed forms and SciPy."""

import math
import warnings

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import hamex as hx
from hamex.errors import ConvexityWarning, ProblemError
from hamex.principle import t
from hamex.principle.library import action

m, M, k, c, mu, nu, g, V = sp.symbols("m M k c mu nu g V", positive=True)
x, y, f = (sp.Function(name)(t) for name in "xyf")
v, w = x.diff(t), y.diff(t)
MASS = m * v**2 / 2
PENDULUM = {"m": 1.3, "l": 0.8, "g": 9.81}
ELEMENTS = [
    lambda h: hx.Galerkin(h, 1),
    lambda h: hx.Galerkin(h, 2),
    lambda h: hx.DiscontinuousGalerkin(h, 0),
    lambda h: hx.DiscontinuousGalerkin(h, 2),
]


@pytest.mark.parametrize(("degree", "steps"), [(0, 80), (1, 20), (2, 10)])
def test_with_jumps_the_order_is_twice_the_degree_and_one(degree, steps):
    """Reference: SciPy's DOP853 at 1e-13."""

    def rate(_, z):
        return [z[1], -9.81 / 0.8 * math.sin(z[0])]

    exact = solve_ivp(rate, (0, 0.5), [1.5, 0.0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    errors = []
    for n in (steps, 2 * steps):
        sol = hx.simulate(action("pendulum"), PENDULUM, {"theta": 1.5}, 0.5, hx.DiscontinuousGalerkin(0.5 / n, degree))
        errors.append(abs(sol.values("displacement")[-1, 0] - exact[0]))
        assert np.diff(sol.values("jumps")).min() > 0  # the part of H beyond its tangent, H convex here
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2 * degree + 1, abs=0.15)


def test_jumps_take_a_stiff_dashpot_at_once_and_their_loss_is_booked():
    """Analysis: e^{−ct/m} with c/m = 1e6. The continuous element leaves most of the velocity after a second."""
    system = hx.Action((x,), MASS, c * v**2 / 2)
    numbers, start = {"m": 1.0, "c": 1e6}, {"x_dot": 1.0}
    rings = hx.simulate(system, numbers, start, 1.0, 0.01)
    assert abs(rings.values("velocity")[-1, 0]) > 0.9
    for degree in (0, 1, 2):
        sol = hx.simulate(system, numbers, start, 0.1, hx.DiscontinuousGalerkin(0.01, degree))
        assert abs(sol.values("velocity")[1, 0]) < 1e-3
        assert abs(sol.values("velocity")[2, 0]) < 1e-6
        assert sol.residual < 1e-14  # with what the jumps take, the balance of a quadratic L closes


def test_jumps_carry_fields_without_momentum():
    """Kelvin-Voigt creep: analysis; order 3 at degree 1."""
    errors = []
    for h in (0.1, 0.05):
        sol = hx.simulate(
            action("kelvin-voigt"), {"k": 2.0, "c": 1.0, "f": 1.0}, {}, 1.0, hx.DiscontinuousGalerkin(h, 1)
        )
        errors.append(abs(sol.values("displacement")[-1, 0] - 0.5 * (1 - math.exp(-2.0))))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(3, abs=0.1)


def test_a_galerkin_scheme_is_what_a_number_stands_for():
    one = hx.simulate(action("pendulum"), PENDULUM, {"theta": 1.0}, 0.2, 0.02, 2)
    other = hx.simulate(action("pendulum"), PENDULUM, {"theta": 1.0}, 0.2, hx.Galerkin(0.02, 2))
    assert abs(one.values("displacement") - other.values("displacement")).max() < 1e-14
    assert one.provenance["scheme"] == other.provenance["scheme"]


@pytest.mark.parametrize(
    ("scheme", "degree", "says"),
    [
        (hx.Galerkin(0.1, load="end"), 1, "Galerkin: load='end' has no meaning here"),
        (hx.DiscontinuousGalerkin(0.1, locate=True), 1, "locate=True has no meaning here"),
        (hx.Galerkin(0.1, 2), 3, "has a degree of its own"),
        (hx.Newmark(0.1), 1, "Newmark is a scheme for structures"),
    ],
)
def test_schemes_and_options_without_a_meaning_are_refused(scheme, degree, says):
    with pytest.raises(ProblemError, match=says):
        hx.simulate(action("pendulum"), PENDULUM, {"theta": 1.0}, 1.0, scheme, degree)


OSCILLATOR = hx.Action((x,), MASS - k * x**2 / 2, mu * sp.Abs(v))


@pytest.mark.parametrize("element", [ELEMENTS[1], ELEMENTS[3]])
@pytest.mark.chief("<lambda>0")
def test_the_coulomb_oscillator_loses_four_limits_over_the_stiffness_in_a_cycle(element):
    """Analysis; the period is 1, the half cycles end between nodes. It sticks in the end, exactly and for ever."""
    stiffness = 4 * math.pi**2
    sol = hx.simulate(OSCILLATOR, {"m": 1.0, "k": stiffness, "mu": 1.0}, {"x": 0.25}, 2.7, element(2.7 / 80))
    turns = sol.values("events").sum()
    assert turns == 5  # half a cycle each: 0.25 → −0.199 → 0.149 → −0.098 → 0.047 → inside the limit
    rest = 0.25 - 5 * 2.0 / stiffness
    assert -sol.values("displacement")[-1, 0] == pytest.approx(rest, abs=3e-4)
    assert abs(sol.values("velocity")[-5:]).max() < 1e-14
    force = sol.values("friction")[-1, 0]
    assert force == pytest.approx(stiffness * sol.values("displacement")[-1, 0], rel=1e-9)
    assert abs(force) < 1.0
    assert sol.residual < 1e-12


@pytest.mark.parametrize(("degree", "steps"), [(1, 50), (2, 25)])
@pytest.mark.chief("2-25")
def test_the_order_survives_where_friction_turns(degree, steps):
    """A limit that grows outwards, μx²|ẋ|; reference: SciPy from turn to turn, each found as an event."""
    q, start, sign = 2.0, 0.0, -1
    while start < 3.0:

        def turn(_, z):
            return z[1]

        turn.terminal, turn.direction = True, -sign
        path = solve_ivp(
            lambda _, z, sign=sign: [z[1], -9 * z[0] - sign * z[0] ** 2],
            (start, 3.0),
            [q, sign * 1e-14],
            events=turn,
            method="DOP853",
            rtol=1e-12,
            atol=1e-13,
        )
        q, start, sign = path.y[0, -1], path.t[-1], -sign
    system = hx.Action((x,), MASS - k * x**2 / 2, mu * x**2 * sp.Abs(v))
    errors = []
    for n in (steps, 2 * steps):
        sol = hx.simulate(system, {"m": 1.0, "k": 9.0, "mu": 1.0}, {"x": 2.0}, 3.0, 3.0 / n, degree)
        errors.append(abs(sol.values("displacement")[-1, 0] - q))
        assert sol.values("events").sum() == 2
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2 * degree, abs=0.3)


@pytest.mark.parametrize("element", ELEMENTS)
def test_a_block_on_a_slope_sticks_for_ever_or_slides_as_it_must(element):
    """Analysis: it sticks when μ ≥ mg sin α, its friction then balances the weight; else a = g sin α − μ/m."""
    slope = hx.Action((x,), MASS + m * g * sp.sin(V) * x, mu * sp.Abs(v))
    pull = 9.81 * math.sin(0.3)
    numbers = {"m": 1.0, "g": 9.81, "V": 0.3}
    sticks = hx.simulate(slope, {**numbers, "mu": 3.0}, {}, 1.0, element(0.05))
    assert not np.abs(sticks.values("displacement")).max() > 1e-15
    assert sticks.values("friction")[:, 0] == pytest.approx(-pull, rel=1e-12)
    slides = hx.simulate(slope, {**numbers, "mu": 2.0}, {}, 1.0, element(0.05))
    assert slides.values("velocity")[-1, 0] == pytest.approx(pull - 2.0, rel=1e-12)


@pytest.mark.parametrize("element", ELEMENTS[1:])
@pytest.mark.chief("<lambda>0", "<lambda>1")
def test_two_blocks_meet_and_stop_together(element):
    """Analysis: the upper one slows by μ, the lower gains (μ − ν)/2; at 0.8 s both have 0.2, and stop at 2.0 s."""
    system = hx.Action((x, y), MASS + M * w**2 / 2, mu * sp.Abs(v - w) + nu * sp.Abs(w))
    sol = hx.simulate(system, {"m": 1.0, "M": 2.0, "mu": 1.0, "nu": 0.5}, {"x_dot": 1.0}, 2.5, element(0.02))
    if isinstance(element(1.0), hx.DiscontinuousGalerkin) and element(1.0).degree == 0:
        assert sol.values("displacement")[-1] == pytest.approx([0.6, 0.2], abs=0.02)  # first order
    else:
        assert sol.values("displacement")[-1] == pytest.approx([0.6, 0.2], abs=1e-10)
    assert abs(sol.values("velocity")[-1]).max() < 1e-14


def test_stick_and_slip_on_a_belt():
    """Analysis: carried along until kx = μ; then harmonic about μ/k with the belt's speed, up to μ/k + V√(m/k)."""
    system = hx.Action((x,), MASS - k * x**2 / 2, mu * sp.Abs(v - V))
    sol = hx.simulate(system, {"m": 1.0, "k": 4.0, "mu": 1.0, "V": 0.2}, {"x_dot": 0.2}, 4.0, 0.02, 2)
    carried = sol.times < 1.25
    assert sol.values("displacement")[carried, 0] == pytest.approx(0.2 * sol.times[carried], abs=1e-13)
    assert sol.values("friction")[:61, 0] == pytest.approx(4.0 * 0.2 * (sol.times[:61] + 0.01), abs=1e-12)
    assert sol.values("displacement").max() == pytest.approx(0.25 + 0.2 / 2, abs=1e-4)


def test_friction_under_a_changing_pressure_is_a_load():
    """Non-associated: −μ N sign(ẋ) with N = ky ≥ 0 of an oscillator y = cos 3t; analysis: ẋ = 1 − μk sin(3t)/3m."""
    system = hx.Action((x, y), m * (v**2 + w**2) / 2 - k * y**2 / 2, loads={x: -mu * k * y * sp.sign(v)})
    sol = hx.simulate(system, {"m": 1.0, "k": 9.0, "mu": 0.1}, {"x_dot": 1.0, "y": 1.0}, 0.4, 0.02, 2)
    assert sol.values("velocity")[-1, 0] == pytest.approx(1 - 0.3 * math.sin(1.2), abs=1e-6)
    assert np.abs(sol.values("friction")[:, 1]).max() == 0.0  # nothing moves the normal force
    assert sol.residual < 1e-13


@pytest.mark.parametrize("stiffness", [1e6, 1e8])
def test_a_stiff_contact_gives_back_what_it_got(stiffness):
    """Analysis: without damping the ball comes back to its height. Whole steps of 0.01 s throw it ten times as high."""
    system = hx.Action((x,), MASS - m * g * x - k * sp.Max(0, -x) ** 2 / 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sol = hx.simulate(system, {"m": 1.0, "g": 9.81, "k": stiffness}, {"x": 1.0}, 2.0, 0.01)
    assert sol.values("displacement")[60:, 0].max() == pytest.approx(1.0, abs=5e-3)
    cuts = sol.values("cuts")
    assert 0 < np.count_nonzero(cuts) <= 4  # two contacts, nowhere else
    assert sol.residual < 0.01


def test_ordinary_coarse_runs_are_not_cut():
    for degree, h in ((1, 0.1), (2, 0.2)):
        sol = hx.simulate(action("pendulum"), PENDULUM, {"theta": 2.5}, 4.0, h, degree)
        assert not sol.values("cuts").any()


def test_van_der_pol_against_scipy():
    """Dissipation of place and rate; reference: DOP853. Order 4 at degree 2."""
    with pytest.warns(ConvexityWarning, match=r"not convex in dx\(t\)/dt, at some values of x"):
        system = hx.Action((x,), MASS - k * x**2 / 2, c * (x**2 - 1) * v**2 / 2)

    def rate(_, z):
        return [z[1], -z[0] - (z[0] ** 2 - 1) * z[1]]

    exact = solve_ivp(rate, (0, 5), [0.5, 0.0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    errors = []
    for n in (50, 100):
        sol = hx.simulate(system, {"m": 1.0, "k": 1.0, "c": 1.0}, {"x": 0.5}, 5.0, 5.0 / n, 2)
        errors.append(abs(sol.values("displacement")[-1, 0] - exact[0]))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.3)
    assert sol.residual < 1e-12  # L is quadratic: the work of φ_ẋ closes the balance


def test_loads_of_places_and_rates_against_scipy():
    """Circulatory, gyroscopic and aerodynamic forces, driven in time; power and balance with them."""
    P, b = sp.symbols("P b", positive=True)
    system = hx.Action(
        (x, y),
        m * (v**2 + w**2) / 2 - k * (x**2 + y**2) / 2,
        loads={x: f - P * y + b * w, y: P * x - b * v - c * w * sp.Abs(w)},
    )
    numbers = {"m": 1.0, "k": 4.0, "P": 0.5, "b": 0.7, "c": 0.3, "f": math.sin}

    def rate(time, z):
        return [
            z[2],
            z[3],
            math.sin(time) - 0.5 * z[1] + 0.7 * z[3] - 4 * z[0],
            0.5 * z[0] - 0.7 * z[2] - 0.3 * z[3] * abs(z[3]) - 4 * z[1],
        ]

    exact = solve_ivp(rate, (0, 3), [0.5, 0, 0, 0.2], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    sol = hx.simulate(system, numbers, {"x": 0.5, "y_dot": 0.2}, 3.0, 0.03, 2)
    assert sol.values("displacement")[-1] == pytest.approx(exact[:2], abs=1e-6)
    assert sol.residual < 1e-12
