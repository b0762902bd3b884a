"""Any lumped action, marched as it stands: against analysis, SciPy, hx.solve, and its own energy."""

import math
import warnings
from importlib import import_module

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import hamex as hx
from hamex.errors import ActionError, BalanceWarning, ConvergenceError, LoadError, ProblemError
from hamex.principle import t
from hamex.principle.library import action

PENDULUM = {"m": 1.3, "l": 0.8, "g": 9.81}


def swing(times, angle, g=9.81, length=0.8):
    """Analysis: the pendulum released at rest, by Jacobi's elliptic functions."""
    k = math.sin(angle / 2)
    sn = ellipj(ellipk(k**2) - math.sqrt(g / length) * times, k**2)[0]
    return 2 * np.arcsin(k * sn)


def rk4(rate, state, h, steps):
    """The classical Runge-Kutta method, for comparison."""
    states = [np.array(state, dtype=float)]
    for _ in range(steps):
        x = states[-1]
        a = rate(x)
        b = rate(x + h / 2 * a)
        c = rate(x + h / 2 * b)
        d = rate(x + h * c)
        states.append(x + h / 6 * (a + 2 * b + 2 * c + d))
    return np.array(states)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_the_order_is_twice_the_degree(degree):
    """Reference: analysis. Halving the step divides the error by 2^{2s}."""
    errors = []
    for steps in (20, 40) if degree == 3 else (80, 160):
        sol = hx.simulate(action("pendulum"), PENDULUM, {"theta": 1.5}, 2.0, 2.0 / steps, degree)
        errors.append(abs(sol.values("displacement")[:, 0] - swing(sol.times, 1.5)).max())
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2 * degree, abs=0.25)


@pytest.mark.heavy
def test_pendulum_energy_stays_within_a_bound_while_runge_kutta_drifts():
    h, steps, ratio = 0.05, 600, PENDULUM["g"] / PENDULUM["l"]
    sol = hx.simulate(action("pendulum"), PENDULUM, {"theta": 2.5}, h * steps, h)
    ours = abs(sol.values("hamiltonian") - sol.values("hamiltonian")[0])
    assert ours[steps // 2 :].max() < 1.02 * ours[: steps // 2].max()  # bounded, not growing
    states = rk4(lambda x: np.array([x[1], -ratio * math.sin(x[0])]), [2.5, 0.0], h, steps)
    inertia = PENDULUM["m"] * PENDULUM["l"] ** 2
    theirs = inertia * (states[:, 1] ** 2 / 2 - ratio * np.cos(states[:, 0]))
    theirs = abs(theirs - theirs[0])
    assert theirs[steps // 2 :].max() > 1.8 * theirs[: steps // 2].max()  # grows with time
    # At the same step the fourth-order method starts better; with as many evaluations ours wins by decades.
    fourth = hx.simulate(action("pendulum"), PENDULUM, {"theta": 2.5}, h * steps, h, 2)
    assert abs(fourth.values("imbalance")).max() < 0.05 * theirs.max()


@pytest.mark.heavy
def test_double_pendulum_against_scipy_and_its_drift_against_runge_kutta():
    numbers = {"m_1": 1.0, "m_2": 0.7, "l_1": 1.0, "l_2": 0.6, "g": 9.81}
    m1, m2, l1, l2, g = numbers.values()

    def rate(x):
        """Textbook equations, solved for the accelerations by hand."""
        a, b, va, vb = x
        s, c = math.sin(a - b), math.cos(a - b)
        M = np.array([[(m1 + m2) * l1**2, m2 * l1 * l2 * c], [m2 * l1 * l2 * c, m2 * l2**2]])
        f = [
            -m2 * l1 * l2 * s * vb**2 - (m1 + m2) * g * l1 * math.sin(a),
            m2 * l1 * l2 * s * va**2 - m2 * g * l2 * math.sin(b),
        ]
        return np.concatenate([[va, vb], np.linalg.solve(M, f)])

    start = {"theta_1": 1.0, "theta_2": 2.0, "theta_1_dot": 0.3, "theta_2_dot": -0.4}
    sol = hx.simulate(action("double-pendulum"), numbers, start, 2.0, 0.01, 3)
    exact = solve_ivp(lambda _, x: rate(x), (0, 2), [1.0, 2.0, 0.3, -0.4], rtol=1e-12, atol=1e-12).y[:, -1]
    assert sol.values("displacement")[-1] == pytest.approx(exact[:2], abs=1e-8)
    assert sol.values("velocity")[-1] == pytest.approx(exact[2:], abs=1e-7)

    long = hx.simulate(action("double-pendulum"), numbers, start, 20.0, 0.02, 2)
    states = rk4(rate, [1.0, 2.0, 0.3, -0.4], 0.02, 1000)
    a, b, va, vb = states.T
    H = ((m1 + m2) * l1**2 * va**2 + m2 * l2**2 * vb**2) / 2 + m2 * l1 * l2 * va * vb * np.cos(a - b)
    H -= (m1 + m2) * g * l1 * np.cos(a) + m2 * g * l2 * np.cos(b)
    assert long.values("hamiltonian")[0] == pytest.approx(H[0], rel=1e-14)
    assert abs(long.values("imbalance")[-1]) < 0.1 * abs(H[-1] - H[0])


@pytest.mark.parametrize(
    ("name", "numbers", "start"),
    [
        ("harmonic", {"m": 2.0, "k": 50.0}, {"u": 0.1, "u_dot": 0.3}),
        ("mixed", {"m": 2.0, "a": 1 / 50}, {"u": 0.1, "u_dot": 0.3, "P_J": 0.0}),
        ("damped", {"m": 2.0, "k": 50.0, "c": 0.0}, {"u": 0.1, "P_u": 0.6}),
    ],
)
@pytest.mark.chief("mixed-numbers1-start1", "damped-numbers2-start2")
def test_linear_systems_are_those_of_solve(name, numbers, start):
    sol = hx.simulate(action(name), numbers, start, 10.0, 0.02)
    model = hx.oscillator(mass=2.0, stiffness=50.0)
    state = hx.State(displacement=0.1, momentum=0.6)
    ref = hx.solve(hx.Problem(model, hx.constant(0.0), duration=10.0, start=state), hx.Galerkin(step=0.02))
    for quantity in ("displacement", "momentum"):
        assert abs(sol.values(quantity)[:, :1] - ref.values(quantity)).max() < 1e-13
    assert sol.residual < 1e-13


@pytest.mark.parametrize("hardening", [False, True])
@pytest.mark.chief("True")
def test_sliders_are_those_of_solve(hardening):
    """Piecewise dissipation, slip both ways: the compiled kernel is the reference.

    The load is linear between samples, so that its mean over a step, its average of both ends and its value at the
    Gauss point are the same number.
    """
    nodes = 0.02 * np.arange(201)
    samples = 0.1 + 0.3 * np.sin(12 * nodes)
    law = hx.Slider(yield_force=0.27, viscosity=1.5, kinematic=20.0 * hardening, isotropic=3.0 * hardening)
    model = hx.oscillator(mass=1.0, stiffness=225.0, damping=0.2, law=law)
    numbers = {
        "m": 1.0,
        "a": 1 / 225,
        "c": 0.2,
        "F_y": 0.27,
        "eta": 1.5,
        "f": lambda time: np.interp(time, nodes, samples),
    }
    if hardening:
        numbers |= {"H_k": 20.0, "H_i": 3.0}
    sol = hx.simulate(action("hardening-slider" if hardening else "viscoplastic"), numbers, {"u_dot": 0.5}, 4.0, 0.02)
    ref = hx.solve(
        hx.Problem(model, hx.Load(samples, step=0.02), duration=4.0, start=hx.State(momentum=0.5)),
        hx.Galerkin(step=0.02, load="mean"),
    )
    assert abs(sol.values("displacement")[:, :1] - ref.values("displacement")).max() < 1e-10
    assert abs(-sol.values("momentum")[:, 1:2] - ref.values("slip")).max() < 1e-10  # û₁ = −P̂_J, eq. (59)
    assert np.diff(ref.values("slip")[:, 0]).max() > 1e-6
    assert np.diff(ref.values("slip")[:, 0]).min() < -1e-6
    assert sol.residual < 1e-13
    if hardening:
        assert abs(20.0 * sol.values("momentum")[:, 2:3] - ref.values("back_force")).max() < 1e-10
        assert abs(sol.values("momentum")[:, 3:] - ref.values("accumulated_slip")).max() < 1e-10


def test_caldirola_kanai_decays_like_the_damped_oscillator():
    """Reference: analysis, u = e^{−γt/2}(cos ωt + γ/2ω sin ωt). Its momentum is e^{γt}mu̇."""
    m, k, gamma = 2.0, 50.0, 0.4
    omega = math.sqrt(k / m - gamma**2 / 4)
    sol = hx.simulate(action("caldirola-kanai"), {"m": m, "k": k, "gamma": gamma}, {"u": 1.0}, 8.0, 0.02, 2)
    x = omega * sol.times
    exact = np.exp(-gamma * sol.times / 2) * (np.cos(x) + gamma / (2 * omega) * np.sin(x))
    assert abs(sol.values("displacement")[:, 0] - exact).max() < 2e-6
    factor = np.exp(gamma * sol.times) * m
    assert sol.values("momentum")[:, 0] == pytest.approx(factor * sol.values("velocity")[:, 0], rel=1e-12, abs=1e-12)


def test_parametric_pendulum_gains_what_explicit_time_puts_in():
    """dH/dt = −∂L/∂t; reference: SciPy's integral of it along SciPy's own motion."""
    numbers = {"m": 1.0, "l": 1.0, "g": 9.81, "d": 0.1, "Omega": 6.3}

    def rate(time, x):
        lift = 9.81 - 0.1 * 6.3**2 * math.cos(6.3 * time)
        return [x[1], -lift * math.sin(x[0]), -0.1 * 6.3**3 * math.sin(6.3 * time) * math.cos(x[0])]

    exact = solve_ivp(rate, (0, 5), [0.2, 0.0, 0.0], rtol=1e-11, atol=1e-11).y[:, -1]
    sol = hx.simulate(action("parametric-pendulum"), numbers, {"theta": 0.2}, 5.0, 0.01, 2)
    assert sol.values("displacement")[-1, 0] == pytest.approx(exact[0], abs=1e-7)
    gained = sol.values("hamiltonian")[-1] - sol.values("hamiltonian")[0]
    assert gained == pytest.approx(exact[2], abs=1e-6)
    assert abs(gained) > 0.1
    assert sol.residual < 1e-7


def test_fields_without_momentum_march():
    """Kelvin-Voigt creep under a constant force: analysis."""
    sol = hx.simulate(action("kelvin-voigt"), {"k": 2.0, "c": 1.0, "f": 1.0}, {}, 2.0, 0.05, 2)
    assert sol.values("displacement")[:, 0] == pytest.approx(0.5 * (1 - np.exp(-2 * sol.times)), abs=1e-7)
    assert not sol.values("momentum").any()


def test_a_massless_joint_marches_like_its_condensed_equation():
    """Mass, spring, massless joint v, dashpot to the ground; reference: SciPy on c v̇ = k(u − v)."""
    m, k, c = sp.symbols("m k c", positive=True)
    u, v = sp.Function("u")(t), sp.Function("v")(t)
    system = hx.Action((u, v), m * u.diff(t) ** 2 / 2 - k * (u - v) ** 2 / 2, c * v.diff(t) ** 2 / 2)
    sol = hx.simulate(system, {"m": 1.0, "k": 30.0, "c": 4.0}, {"u": 1.0}, 3.0, 0.01, 2)
    exact = solve_ivp(
        lambda _, x: [x[1], -30 * (x[0] - x[2]), 7.5 * (x[0] - x[2])], (0, 3), [1.0, 0.0, 0.0], rtol=1e-11, atol=1e-12
    ).y[:, -1]
    assert sol.values("displacement")[-1] == pytest.approx(exact[[0, 2]], abs=1e-7)


def test_a_new_system_in_a_few_lines():
    """Two masses, a cubic spring and a dashpot between them, pushed; reference: SciPy."""
    m, M, k, c = sp.symbols("m M k c", positive=True)
    u, v, f = (sp.Function(name)(t) for name in "uvf")
    L = m * u.diff(t) ** 2 / 2 + M * v.diff(t) ** 2 / 2 - k * (u - v) ** 4 / 4
    system = hx.Action((u, v), L, c * (u - v).diff(t) ** 2 / 2, {u: f})
    sol = hx.simulate(system, {"m": 1, "M": 2, "k": 5, "c": 0.3, "f": math.sin}, {"v_dot": 0.5}, 6.0, 0.01, 2)

    def rate(time, x):
        force = 5 * (x[0] - x[1]) ** 3 + 0.3 * (x[2] - x[3])
        return [x[2], x[3], math.sin(time) - force, force / 2]

    exact = solve_ivp(rate, (0, 6), [0, 0, 0, 0.5], rtol=1e-11, atol=1e-12).y[:, -1]
    assert sol.values("displacement")[-1] == pytest.approx(exact[:2], abs=1e-7)
    balance = system.charges()[0]  # m u̇ + M v̇ − ∫f
    assert sp.expand(balance.value - (m * u.diff(t) + M * v.diff(t) - sp.Integral(f, t))) == 0
    assert sol.values("momentum")[-1].sum() == pytest.approx(1.0 + 1 - math.cos(6.0), abs=1e-8)


def test_kinks_and_given_functions_in_the_lagrangian():
    """A stiffness given in time and |u̇|^{3/2} damping: the balance closes with the square of the step."""
    m, c = sp.symbols("m c", positive=True)
    u, k = sp.Function("u")(t), sp.Function("k")(t)
    system = hx.Action((u,), m * u.diff(t) ** 2 / 2 - k * u**2 / 2, c * sp.Abs(u.diff(t)) ** sp.Rational(3, 2))
    numbers = {"m": 1.0, "c": 0.1, "k": lambda time: 9 + math.sin(time)}
    residuals = [hx.simulate(system, numbers, {"u": 1.0}, 2.0, h).residual for h in (0.02, 0.01)]
    assert residuals[0] / residuals[1] == pytest.approx(4, rel=0.2)

    def rate(time, x):
        return [x[1], -(9 + math.sin(time)) * x[0] - 0.15 * math.copysign(abs(x[1]) ** 0.5, x[1])]

    exact = solve_ivp(rate, (0, 2), [1.0, 0.0], rtol=1e-10, atol=1e-12).y[:, -1]
    sol = hx.simulate(system, numbers, {"u": 1.0}, 2.0, 0.0025)
    assert sol.values("displacement")[-1, 0] == pytest.approx(exact[0], abs=1e-4)


def test_the_result_is_a_solution_like_any_other(tmp_path):
    numbers = {"m_1": 1, "m_2": 1, "l_1": 1, "l_2": 1, "g": 9.81}
    sol = hx.simulate(action("double-pendulum"), numbers, {"theta_1": 0.5}, 1.0, 0.1)
    assert sol.dofs == ("theta_1", "theta_2")
    assert sol["displacement"].dims == ("time", "dof")
    assert sol["hamiltonian"].dims == ("time",)
    assert sol.values("slip").shape == (11, 0)
    assert sol.values("force").shape == (10, 0)
    assert set(sol.peaks) == {"displacement", "velocity"}
    assert "10 steps" in repr(sol)
    assert sol.final.displacement == pytest.approx(sol.values("displacement")[-1], abs=0)
    assert sol.provenance["scheme"] == "simulate(step=0.1, degree=1)"
    back = hx.read(sol.save(tmp_path / "swing.nc"))
    assert np.array_equal(back.values("hamiltonian"), sol.values("hamiltonian"))
    assert sol.save(tmp_path / "swing.csv").read_text().count("\n") == 12
    with pytest.raises(ValueError, match="read-only"):
        sol.values("momentum")[0] = 1.0


HARMONIC = {"m": 1.0, "k": 4.0}


@pytest.mark.parametrize(
    ("numbers", "start", "duration", "step", "degree", "error", "says"),
    [
        ({"m": 1.0}, {}, 1.0, 0.1, 1, ProblemError, "lack k; the action has k, m"),
        ({**HARMONIC, "b": 1}, {}, 1.0, 0.1, 1, ProblemError, "hold the unknown b"),
        (
            {"m": "heavy", "k": 4.0},
            {},
            1.0,
            0.1,
            1,
            ProblemError,
            "the parameter m must be a positive number, got 'heavy'",
        ),
        ({"m": 1.0, "k": -4.0}, {}, 1.0, 0.1, 1, ProblemError, "k must be a positive number"),
        (HARMONIC, {"w": 1.0}, 1.0, 0.1, 1, ProblemError, "the start holds 'w'; known: u, u_dot, P_u"),
        (HARMONIC, {"u": float("nan")}, 1.0, 0.1, 1, ProblemError, "finite"),
        (HARMONIC, {"u_dot": 1.0, "P_u": 1.0}, 1.0, 0.1, 1, ProblemError, "one gives the other"),
        (HARMONIC, {}, 1.0, 0.3, 1, ProblemError, "no whole number of steps"),
        (HARMONIC, {}, -1.0, 0.1, 1, ProblemError, "duration must be a positive"),
        (HARMONIC, {}, 1.0, 0.1, 0, ProblemError, "degree"),
        ({"m": 0.0, "k": 0.0}, {"u": 1.0}, 1.0, 0.1, 1, ConvergenceError, None),
    ],
)
def test_wrong_input_is_a_named_error(numbers, start, duration, step, degree, error, says):
    if says is None:  # nothing determines u: the step says so, with its time
        with pytest.raises(error, match=r"step 1 \(t = 0.1 s\).*singular"):
            hx.simulate(action("harmonic"), numbers, {"u": 1.0, "P_u": 1.0}, duration, step, degree)
        return
    with pytest.raises(error, match=says):
        hx.simulate(action("harmonic"), numbers, start, duration, step, degree)


def test_more_named_errors():
    with pytest.raises(ProblemError, match=r"say how J starts: its momentum is -0\.1"):
        hx.simulate(action("mixed"), {"m": 1.0, "a": 0.1}, {"u": 0.1}, 1.0, 0.1)
    with pytest.raises(ProblemError, match="u has no momentum"):
        hx.simulate(action("kelvin-voigt"), {"k": 1.0, "c": 1.0, "f": 0.0}, {"u_dot": 1.0}, 1.0, 0.1)
    with pytest.raises(LoadError, match=r"f must be a number or a function of time.*t = 0\.05"):
        hx.simulate(action("kelvin-voigt"), {"k": 1.0, "c": 1.0, "f": lambda time: None if time else 0.0}, {}, 1.0, 0.1)
    with pytest.raises(ActionError, match="density in space"):
        hx.simulate(action("elastic-1d"), {}, {}, 1.0, 0.1)
    with pytest.raises(ProblemError, match="must be an Action"):
        hx.simulate("pendulum", {}, {}, 1.0, 0.1)


def test_a_step_that_newton_cannot_solve_names_itself(monkeypatch):
    """Friction of the size of a vector, √(u̇² + v̇²), is no law of one slip: its force at rest is not found."""
    monkeypatch.setattr(import_module("hamex.simulate.march"), "_DEPTH", 6)  # the halves are as hopeless
    m, mu = sp.symbols("m mu", positive=True)
    u, v = sp.Function("u")(t), sp.Function("v")(t)
    rates = u.diff(t) ** 2 + v.diff(t) ** 2
    system = hx.Action((u, v), m * rates / 2, mu * sp.sqrt(rates))
    with pytest.raises(ConvergenceError, match=r"simulate: step \d+ \(t = .*not solved"):
        hx.simulate(system, {"m": 1.0, "mu": 1.0}, {"u_dot": 0.23, "v_dot": 0.1}, 1.0, 0.1)


def bouncing():
    """A mass that falls on a stiff contact, u^4 below the ground: nothing quadratic about it."""
    m, g, k = sp.symbols("m g k", positive=True)
    u = sp.Function("u")(t)
    return hx.Action((u,), m * u.diff(t) ** 2 / 2 - m * g * u - k * (sp.Abs(u) - u) ** 4 / 64, name="bounce")


def test_a_run_far_from_its_balance_says_so():
    """A wall of potential that nothing resolves: the step over it gains or loses what the wall is high."""
    m, w = sp.symbols("m w", positive=True)
    u = sp.Function("u")(t)
    wall = hx.Action((u,), m * u.diff(t) ** 2 / 2 - w * sp.Heaviside(u))
    with pytest.warns(BalanceWarning, match=r"off by \d.* of the largest kinetic energy or work.*shorter than 0.01 s"):
        wild = hx.simulate(wall, {"m": 1.0, "w": 0.3}, {"u": -0.5, "u_dot": 1.0}, duration=1.0, step=0.01)
    assert wild.residual > 0.01
    assert 0 < wild.values("cuts").max() < 100  # it was tried, and given up
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calm = hx.simulate(bouncing(), {"m": 1.0, "g": 9.81, "k": 1e3}, {"u": 1.0}, duration=0.6, step=0.002)
    assert calm.residual < 0.01
    assert not calm.values("cuts").any()


def test_a_run_of_an_action_has_pictures_energies_and_angles(tmp_path):
    swing = hx.simulate(action("pendulum"), {"m": 1, "l": 1, "g": 9.81}, {"theta": 2.0}, duration=2.0, step=0.01)
    assert set(swing.energy.data_vars) == {"hamiltonian", "imbalance", "residual"}
    assert float(swing.energy["hamiltonian"][0]) == pytest.approx(-9.81 * np.cos(2.0))
    assert (swing.peaks["displacement"].unit, swing.peaks["velocity"].unit) == ("rad", "rad/s")
    assert swing["displacement"].attrs["units_where_turning"] == "rad"
    assert bool(swing["displacement"]["dof_turns"].all())
    again = hx.read(swing.save(tmp_path / "swing.nc"))
    assert (again.peaks["displacement"].unit, again.peaks["velocity"].unit) == ("rad", "rad/s")
    labels = [label for axes in swing.plot().axes for label in (axes.get_xlabel(), axes.get_ylabel())]
    assert {"[rad]", "theta [rad]", "rate of theta [rad/s]"} <= set(labels)
    assert len(swing.plot(interactive=True).data) >= 4
    assert swing.animate(tmp_path / "x.gif", seconds=0.2).stat().st_size > 1000
    top = hx.simulate(action("gyroscopic"), {"m": 1, "k": 9, "Omega": 2}, {"x": 1.0}, duration=1.0, step=0.1)
    assert top.peaks["displacement"].unit == "length"
    assert len(top.plot().axes) == 3
