"""Constraints in the march: order for every element, places and rates kept at the nodes, reactions, energy.

References: analysis, or minimal coordinates by SciPy's DOP853 at 1e-13, which shares nothing with the march.
"""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import hamex as hx
from hamex.errors import ProblemError
from hamex.principle import t
from hamex.principle.noether import kept

m, g, l, J, a = sp.symbols("m g l J a", positive=True)
x, y, theta, lam = (sp.Function(name)(t) for name in ("x", "y", "theta", "lambda"))
dx, dy, turn = (q.diff(t) for q in (x, y, theta))
FREE = m * (dx**2 + dy**2) / 2
CIRCLE = (x**2 + y**2 - l**2) / 2
BLADE = dx * sp.sin(theta) - dy * sp.cos(theta)
# Element, order, and steps at which the error is far from round-off and from the first bend of its curve.
ORDERS = [
    (lambda h: hx.Galerkin(h, 1), 2, 40),
    (lambda h: hx.Galerkin(h, 2), 4, 16),
    (lambda h: hx.Galerkin(h, 3), 6, 10),
    (lambda h: hx.Galerkin(h, 4), 8, 6),
    (lambda h: hx.DiscontinuousGalerkin(h, 0), 1, 60),
    (lambda h: hx.DiscontinuousGalerkin(h, 1), 3, 20),
    (lambda h: hx.DiscontinuousGalerkin(h, 2), 5, 12),
]
# What follows from an action is derived once, for all elements that march it.
PENDULUM = hx.Action((x, y), FREE - m * g * y, constraints=(CIRCLE,))
BY_IMPULSE = hx.Action((x, y, lam), FREE - m * g * y + lam.diff(t) * CIRCLE)
BY_FORCE = hx.Action((x, y, lam), FREE - m * g * y + lam * CIRCLE)
AHEAD = m * a * turn * (dy * sp.cos(theta) - dx * sp.sin(theta)) + (J + m * a**2) * turn**2 / 2
CHAPLYGIN = hx.Action((x, y, theta), FREE + AHEAD, constraints=(BLADE,))
EDGE = hx.Action((x, y, theta), FREE + J * turn**2 / 2 + m * g * x, constraints=(BLADE,))
ANGLE, SPIN = 1.2, 0.7
START = {"x": math.sin(ANGLE), "y": -math.cos(ANGLE), "x_dot": SPIN * math.cos(ANGLE), "y_dot": SPIN * math.sin(ANGLE)}
NUMBERS = {"m": 1.3, "g": 9.81, "l": 1.0}


def pendulum(duration):
    """External: angle and spin of the pendulum in its own coordinate."""

    def rate(_, z):
        return [z[1], -9.81 * math.sin(z[0])]

    return solve_ivp(rate, (0, duration), [ANGLE, SPIN], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]


def sleigh(duration):
    """External: Chaplygin's sleigh, v̇ = aω², (J + ma²)ω̇ = −mavω, in quasi-velocities."""

    def rate(_, z):
        _, _, angle, speed, spin = z
        return [
            speed * math.cos(angle),
            speed * math.sin(angle),
            spin,
            0.6 * spin**2,
            -0.6 * speed * spin / (0.4 + 0.36),
        ]

    return solve_ivp(rate, (0, duration), [0, 0, 0, 0.5, 2.0], method="DOP853", rtol=1e-13, atol=1e-14).y[:3, -1]


def measured(system, numbers, start, duration, exact, element, steps):
    errors = []
    for n in (steps, 2 * steps):
        sol = hx.simulate(system, numbers, start, duration, element(duration / n))
        errors.append(abs(sol.values("displacement")[-1, : len(exact)] - exact).max())
        assert sol.values("constraint").max() < 1e-13
        assert sol.values("constraint_rate").max() < 1e-12
    return math.log2(errors[0] / errors[1])


@pytest.mark.filterwarnings("ignore::hamex.errors.BalanceWarning")
@pytest.mark.parametrize(("element", "order", "steps"), ORDERS)
@pytest.mark.chief("<lambda>-4-16", "<lambda>-8-6", "<lambda>-3-20")
def test_order_of_the_pendulum_on_a_circle(element, order, steps):
    angle, _ = pendulum(1.0)
    exact = [math.sin(angle), -math.cos(angle)]
    assert measured(PENDULUM, NUMBERS, START, 1.0, exact, element, steps) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize(("element", "order", "steps"), ORDERS)
@pytest.mark.heavy  # ten seconds of derivation; the order of a nonholonomic system is in test_orders_of_systems too
def test_order_of_chaplygins_sleigh(element, order, steps):
    """The blade's mass lies ahead of it: nonholonomic, with a mass matrix that turns."""
    start = {"x_dot": 0.5, "theta_dot": 2.0}
    found = measured(CHAPLYGIN, {"m": 1.0, "J": 0.4, "a": 0.6}, start, 1.5, sleigh(1.5), element, steps)
    assert found == pytest.approx(order, abs=0.45)


@pytest.mark.parametrize("element", [ORDERS[1][0], ORDERS[5][0]])
def test_the_knife_edge_on_a_slope_goes_sideways(element):
    """Analysis (Neimark and Fufaev): a cycloid across the slope, not down it; the vakonomic motion is another."""
    spin, pull, end = 1.5, 2.0, 3.0
    sol = hx.simulate(EDGE, {"m": 1.0, "J": 0.5, "g": pull}, {"theta_dot": spin}, end, element(end / 80))
    size = pull / (2 * spin**2)
    exact = [size * math.sin(spin * end) ** 2, size * (spin * end - math.sin(2 * spin * end) / 2), spin * end]
    assert sol.values("displacement")[-1] == pytest.approx(exact, abs=1e-4)
    assert sol.values("constraint_rate").max() < 1e-14
    assert sol.residual < 1e-5


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_the_papers_idiom_keeps_its_place_at_every_degree(degree):
    """λ̇ g, λ g and constraints=(g,) are one motion; λ is the impulse of the rod, and λ̇ its force, per length."""
    ways = (PENDULUM, BY_IMPULSE, BY_FORCE)
    stated, impulse, multiplier = (hx.simulate(way, NUMBERS, START, 1.0, 0.05, degree) for way in ways)
    for sol in (impulse, multiplier):
        assert sol.dofs == ("x", "y", "lambda")
        assert abs(sol.values("displacement")[:, :2] - stated.values("displacement")).max() < 1e-13
        assert sol.values("constraint").max() < 1e-13
    assert impulse.values("velocity")[1:, 2] == pytest.approx(multiplier.values("displacement")[1:, 2], rel=1e-12)

    # Analysis: λ = −m(ω² + g cos θ/l), its integral from DOP853.
    def rate(_, z):
        return [z[1], -9.81 * math.sin(z[0]), -1.3 * (z[1] ** 2 + 9.81 * math.cos(z[0]))]

    exact = solve_ivp(rate, (0, 1), [ANGLE, SPIN, 0.0], method="DOP853", rtol=1e-13, atol=1e-14).y[2, -1]
    assert impulse.values("displacement")[-1, 2] == pytest.approx(
        exact, abs={1: 0.1, 2: 1e-3, 3: 1e-6, 4: 1e-9}[degree]
    )


def test_energy_of_a_constrained_pendulum_stays_bounded():
    """Symplectic: the drift of the second 100 steps is that of the first; 3.7e5 was the old degree 2."""
    off = abs(hx.simulate(PENDULUM, NUMBERS, START, 10.0, 0.05, 2).values("imbalance"))
    assert off[100:].max() < 1.1 * off[:100].max()
    assert off.max() < 1e-4


def test_a_wire_that_turns_does_work():
    """Analysis: a bead on a wire turning at Ω flies out as cosh Ωt; the reaction's power is the energy it gains."""
    system = hx.Action((x, y), FREE, constraints=(x * sp.sin(a * t) - y * sp.cos(a * t),))
    spin = 1.1
    sol = hx.simulate(system, {"m": 1.0, "a": spin}, {"x": 1.0, "y_dot": spin}, 1.0, 0.05, 2)
    out = math.cosh(spin)
    assert sol.values("displacement")[-1] == pytest.approx([out * math.cos(spin), out * math.sin(spin)], abs=1e-7)
    assert sol.values("hamiltonian")[-1] - sol.values("hamiltonian")[0] > 1.0
    assert sol.residual < 1e-6


@pytest.mark.heavy
def test_two_rods_are_the_double_pendulum():
    places = sp.symbols("x_1 y_1 x_2 y_2", cls=sp.Function)
    x1, y1, x2, y2 = (q(t) for q in places)
    L = m * sum(q.diff(t) ** 2 for q in (x1, y1, x2, y2)) / 2 - m * g * (y1 + y2)
    rods = hx.Action((x1, y1, x2, y2), L, constraints=(x1**2 + y1**2 - 1, (x2 - x1) ** 2 + (y2 - y1) ** 2 - 1))

    def rate(_, z):
        one, two, v, w = z
        s, c = math.sin(one - two), math.cos(one - two)
        forces = [-s * w**2 - 2 * 9.81 * math.sin(one), s * v**2 - 9.81 * math.sin(two)]
        return [v, w, *np.linalg.solve([[2, c], [c, 1]], forces)]

    one, two, _, _ = solve_ivp(rate, (0, 1), [1.0, 2.0, 0, 0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    start = {
        "x_1": math.sin(1),
        "y_1": -math.cos(1),
        "x_2": math.sin(1) + math.sin(2),
        "y_2": -math.cos(1) - math.cos(2),
    }
    sol = hx.simulate(rods, {"m": 1.0, "g": 9.81}, start, 1.0, 0.025, 3)
    exact = [math.sin(one), -math.cos(one), math.sin(one) + math.sin(two), -math.cos(one) - math.cos(two)]
    assert sol.values("displacement")[-1] == pytest.approx(exact, abs=1e-7)
    # Analysis: the rods carry both weights and what the masses accelerate with; the mean over all time is no use here,
    # the sum of the reactions is: d(momentum)/dt = reactions + weights.
    gained = sol.values("momentum")[-1] - sol.values("momentum")[0]
    weights = np.array([0.0, -9.81, 0.0, -9.81])
    assert 0.025 * sol.values("reaction").sum(axis=0) + weights == pytest.approx(gained, abs=1e-12)


def test_friction_on_a_slope_that_is_a_constraint():
    """Analysis: up the slope until it stops, and there it stays: μ > mg sin α."""
    mu = sp.Symbol("mu", positive=True)
    along = dx * sp.cos(a) + dy * sp.sin(a)
    system = hx.Action((x, y), FREE - m * g * y, mu * sp.Abs(along), constraints=(y * sp.cos(a) - x * sp.sin(a),))
    numbers = {"m": 1.0, "g": 9.81, "a": 0.3, "mu": 4.0}
    start = {"x_dot": 0.5 * math.cos(0.3), "y_dot": 0.5 * math.sin(0.3)}
    sol = hx.simulate(system, numbers, start, 0.5, 0.02, 2)
    reached = 0.25 / (2 * (9.81 * math.sin(0.3) + 4.0))
    assert np.hypot(*sol.values("displacement")[-1]) == pytest.approx(reached, abs=1e-12)
    assert abs(sol.values("velocity")[-1]).max() < 1e-14
    pull = 9.81 * math.sin(0.3)
    assert sol.values("friction")[-1] == pytest.approx([pull * math.cos(0.3), pull * math.sin(0.3)], rel=1e-9)


def test_a_start_off_the_constraint_is_refused():
    with pytest.raises(ProblemError, match="breaks the relation"):
        hx.simulate(PENDULUM, NUMBERS, {"x": 1.1, "y": 0.5}, 1.0, 0.1)
    with pytest.raises(ProblemError, match="breaks the relation"):
        hx.simulate(PENDULUM, NUMBERS, {"x": 1.0, "y": 0.0, "x_dot": 1.0, "y_dot": 0.0}, 1.0, 0.1)


z = sp.Function("z")(t)
SPHERE = hx.Action((x, y, z), FREE + m * z.diff(t) ** 2 / 2 - m * g * z, constraints=(x**2 + y**2 + z**2 - l**2,))
TIED = hx.Action((x, y), FREE, constraints=(x - y,))
SLEDGE = hx.Action((x, y, theta), FREE + J * turn**2 / 2, constraints=(BLADE,))
# Analysis: reactions do no work on what keeps the constraint. A blade's momentum in the plane is not kept, its spin is.
KEEPS = {
    "spherical pendulum": (SPHERE, {"time: energy": False, "rotation in (x, y)": True}),
    "tied together": (TIED, {"time: energy": True, "shift of x and y": True, "boost of x and y": True}),
}


@pytest.mark.parametrize("name", KEEPS)
def test_symmetries_keep_the_constraints_and_elements_keep_their_charges(name):
    system, expected = KEEPS[name]
    found = system.symmetries()
    assert {s.name: kept(s).holds for s in found} == expected
    start = {"x": 0.6, "y_dot": 0.7, "z": -0.8} if system is SPHERE else {"x": 0.6, "x_dot": 0.7}
    numbers = {"m": 1.3, **({"g": 9.81, "l": 1.0} if system is SPHERE else {})}
    run = hx.simulate(system, numbers, start | ({"y": 0.0} if system is SPHERE else {}), 1.0, 0.02, 2, charges=found)
    drift = dict(zip(run.labels("symmetry"), np.abs(run.values("charge_drift")).max(axis=0), strict=True))
    assert all((drift[word] < 1e-12) == holds for word, holds in expected.items()), drift


def test_reactions_work_on_what_breaks_a_constraint():
    shift = [s for s in hx.Action((x, y), FREE).symmetries() if s.name == "shift of x"]
    assert shift[0].charge.source == 0
    momentum = next(c for c in SLEDGE.charges() if c.shift == {x: 1})
    assert sp.expand(momentum.source - sp.Function("lambda_1")(t) * sp.sin(theta)) == 0
    assert "shift of x" not in [s.name for s in SLEDGE.symmetries()]
    assert any(sp.expand(s.charge.value - J * turn) == 0 for s in SLEDGE.symmetries())


def test_a_rolling_disc_starts_where_its_reactions_have_no_say():
    """Analytic: an upright disc that rolls at θ̇ = 2 and turns at φ̇ = 1 runs along a circle. What says its multipliers
    has no digit left at φ = 0 and binds no motion."""
    x, y, theta, phi = (sp.Function(name)(t) for name in ("x", "y", "theta", "phi"))
    m, I, J, R = sp.symbols("m I J R", positive=True)
    energy = (m * (x.diff(t) ** 2 + y.diff(t) ** 2) + I * theta.diff(t) ** 2 + J * phi.diff(t) ** 2) / 2
    rolls = (x.diff(t) - R * theta.diff(t) * sp.cos(phi), y.diff(t) - R * theta.diff(t) * sp.sin(phi))
    disc = hx.Action((x, y, theta, phi), energy, constraints=rolls)
    numbers = {"m": 1, "I": 0.5, "J": 0.25, "R": 1.0}
    run = hx.simulate(disc, numbers, {"theta_dot": 2.0, "phi_dot": 1.0}, duration=2.0, step=0.01, degree=2)
    s = run.times
    exact = np.stack([2 * np.sin(s), 2 * (1 - np.cos(s)), 2 * s, s], axis=1)
    assert np.abs(run.values("displacement") - exact).max() < 1e-9
    assert np.abs(run.values("constraint_rate")).max() < 1e-12
    with pytest.raises(ProblemError, match="breaks the relation"):
        hx.simulate(disc, numbers, {"theta_dot": 2.0, "phi": 0.0, "y_dot": 1.0}, duration=0.1, step=0.01)
