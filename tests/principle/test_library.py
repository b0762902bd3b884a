"""The library: every entry explains itself and derives; the continuum and the beams against the textbook."""

import pytest
import sympy as sp
from sympy.core.function import AppliedUndef

import hamex as hx
from hamex.errors import ActionError
from hamex.principle.action import Action
from hamex.principle.jets import t
from hamex.principle.library import LIBRARY, action, chain, entries
from hamex.principle.stepform import h, step_form, t_0
from hamex.principle.variation import energy_rate

LUMPED_LINEAR = [
    "harmonic",
    "damped",
    "particle",
    "mixed",
    "forced",
    "viscoplastic",
    "hardening-slider",
    "maxwell",
    "kelvin-voigt",
    "zener",
    "chain",
    "gyroscopic",
]
x, y, z = entries.SPACE


def same(one, other):
    return sp.expand(one - other) == 0


def field(name, *space):
    return sp.Function(name)(*space, t)


def test_the_list_holds_the_paper_and_what_lies_beyond():
    wanted = {
        *LUMPED_LINEAR,
        "pendulum",
        "double-pendulum",
        "parametric-pendulum",
        "duffing",
        "caldirola-kanai",
        "elastic-1d",
        "elastic-2d",
        "elastic-3d",
        "string",
        "membrane",
        "euler-bernoulli",
        "timoshenko",
        "rayleigh-beam",
        "tip-mass",
        "plate",
    }
    assert set(LIBRARY) == wanted


@pytest.mark.parametrize("name", LIBRARY)
def test_an_entry_explains_itself(name):
    system = action(name)
    assert system.name == name
    assert system.citation
    assert LIBRARY[name].__doc__
    whole = sum((system.lagrangian, system.dissipation, *system.loads.values()), sp.S.Zero)
    for part in system.parts:
        whole += sum((part.lagrangian, part.dissipation, *part.loads.values(), *part.where.values()), sp.S.Zero)
    used = {s.name for s in whole.free_symbols - {t, *system.space}}
    used |= {f.func.__name__ for f in whole.atoms(AppliedUndef)}
    assert used == set(system.meanings)
    assert all(meaning.endswith("]") and " [" in meaning for meaning in system.meanings.values()), "a unit is missing"


# Seconds of algebra; elastic-2d and viscoplastic stand for them.
LONG = {"elastic-3d", "hardening-slider"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.heavy) if name in LONG else name for name in LIBRARY]
)
@pytest.mark.chief("euler-bernoulli", "viscoplastic", "damped", "forced", "caldirola-kanai")
def test_the_whole_library_derives(name):
    system = action(name)
    assert len(system.strong_form()) == len(system.fields)
    of_fields = [c for c in system.initial_conditions() if c.part is None]  # others sit on parts and edges
    assert len(of_fields) == len(system.fields) + sum(system.has_momentum.values())
    assert bool(system.boundary_conditions()) == bool(system.space)
    assert system.hamiltonian() != 0
    if name in LUMPED_LINEAR:
        for branch in (form := step_form(system)).branches:
            B, _, _ = form.matrices(branch)
            assert B.rows == B.cols
    if not system.space:
        system.charges()


@pytest.mark.parametrize("dimensions", [1, 2, pytest.param(3, marks=pytest.mark.heavy)])
def test_elastic_continuum_corrected_equations_38_to_44(dimensions):
    """Indices written out by hand: nothing here is taken from the library but its names."""
    system, space, axes = action(f"elastic-{dimensions}d"), (x, y, z)[:dimensions], range(dimensions)
    rho = sp.Symbol("rho", positive=True)
    u = [field(f"u_{i + 1}", *space) for i in axes]
    J = [[field(f"J_{min(i, j) + 1}{max(i, j) + 1}", *space) for j in axes] for i in axes]
    strain = [[(u[i].diff(space[j]) + u[j].diff(space[i])) / 2 for j in axes] for i in axes]
    A = entries.compliance
    variation = system.variation()
    for i in axes:
        stress = sum(J[i][j].diff(t, space[j]) for j in axes)
        assert same(variation.bulk[u[i]], rho * u[i].diff(t, 2) - stress - field(f"f_{i + 1}", *space))  # (40), first
        assert same(variation.ends[u[i]], rho * u[i].diff(t))  # (41)
        for j in range(i, dimensions):
            once = 1 if i == j else 2
            sigma = sum(A(i, j, k, m) * J[k][m].diff(t) for k in axes for m in axes)
            assert same(variation.bulk[J[i][j]], once * (sigma.diff(t) - strain[i][j].diff(t)))  # second
            assert same(variation.ends[J[i][j]], once * (sigma - strain[i][j]))  # third line
    normal = sp.symbols([f"n_{a}" for a in space], real=True)
    tractions = {b.field: b.force for b in system.boundary_conditions()}
    assert tractions.keys() == set(u)
    for i in axes:
        assert same(tractions[u[i]], sum(J[i][j].diff(t) * normal[j] for j in axes))  # (43)
    roles = {(c.field, c.kind): c.role for c in system.initial_conditions()}
    assert all(roles[v, "value"] == "data" for v in u)  # (42)
    assert all(roles[q, "value"] == "gauge" for row in J for q in row)


def test_compliance_has_21_constants_in_three_dimensions_and_its_symmetries():
    names = [name for name in action("elastic-3d").meanings if name.startswith("A_")]
    assert len(names) == 21
    A = entries.compliance
    assert A(0, 1, 2, 2) == A(1, 0, 2, 2) == A(2, 2, 0, 1) == A(2, 2, 1, 0)


def test_a_string_has_the_wave_equation_and_its_slope_carries_the_tension_across():
    system, w = action("string"), field("w", x)
    mu, N, n = *sp.symbols("mu N", positive=True), sp.Symbol("n_x", real=True)
    assert same(system.strong_form()[w], mu * w.diff(t, 2) - N * w.diff(x, 2) - field("q", x))
    assert same(next(b.force for b in system.boundary_conditions() if b.motion == w), N * w.diff(x) * n)


def test_a_membrane_has_the_damped_wave_equation_and_pulls_across_its_edge():
    system, w = action("membrane"), field("w", x, y)
    mu, N, c = *sp.symbols("mu N", positive=True), sp.Symbol("c", nonnegative=True)
    inside = mu * w.diff(t, 2) + c * w.diff(t) - N * (w.diff(x, 2) + w.diff(y, 2)) - field("q", x, y)
    assert same(system.strong_form()[w], inside)
    force = next(b.force for b in system.boundary_conditions() if b.motion == w)
    normal = sp.symbols("n_x n_y", real=True)
    assert same(force, N * (w.diff(x) * normal[0] + w.diff(y) * normal[1]))


def test_euler_bernoulli_moment_and_shear_are_natural():
    system, w = action("euler-bernoulli"), field("w", x)
    rho, A, E, inertia, n = *sp.symbols("rho A E I_y", positive=True), sp.Symbol("n_x", real=True)
    assert same(system.strong_form()[w], rho * A * w.diff(t, 2) + E * inertia * w.diff(x, 4) - field("q", x))
    forces = {b.motion: b.force for b in system.boundary_conditions()}
    assert same(forces[w.diff(x)], E * inertia * w.diff(x, 2) * n)  # moment, conjugate to the rotation
    assert same(forces[w], -E * inertia * w.diff(x, 3) * n)  # shear, conjugate to the deflection


def test_timoshenko_moment_and_shear_are_natural():
    system, w, psi = action("timoshenko"), field("w", x), field("psi", x)
    rho, A, E, inertia, kappa, G = sp.symbols("rho A E I_y kappa G", positive=True)
    n = sp.Symbol("n_x", real=True)
    shear = kappa * G * A * (w.diff(x) - psi)
    assert same(system.strong_form()[w], rho * A * w.diff(t, 2) - shear.diff(x) - field("q", x))
    assert same(system.strong_form()[psi], rho * inertia * psi.diff(t, 2) - E * inertia * psi.diff(x, 2) - shear)
    forces = {b.motion: b.force for b in system.boundary_conditions()}
    assert same(forces[w], shear * n)
    assert same(forces[psi], E * inertia * psi.diff(x) * n)


def test_hardening_follows_from_two_more_impulses():
    system = action("hardening-slider")
    u, J, JX, JR = system.fields
    Hk, Hi, eta, Fy, a = sp.symbols("H_k H_i eta F_y a", positive=True)
    forward = {J.diff(t): 5, JX.diff(t): 1, JR.diff(t): 1, Fy: 1, eta: 2}  # over = 4, limit = 2: λ = 1
    backward = {**forward, J.diff(t): -3}  # over = −4
    inside = {**forward, J.diff(t): 2}
    for rates, slip, accumulated in ((forward, 1, 1), (backward, -1, 1), (inside, 0, 0)):
        assert system.dissipative_force(J).xreplace(rates).doit() == slip  # u̇₁
        assert system.dissipative_force(JX).xreplace(rates).doit() == -slip  # Ẋ/Hk − u̇₁ = 0
        assert system.dissipative_force(JR).xreplace(rates).doit() == -accumulated  # Ṙ/Hi − |u̇₁| = 0
    assert same(system.momentum(JX), JX.diff(t) / Hk)
    assert same(system.momentum(JR), JR.diff(t) / Hi)
    assert same(system.momentum(J), a * J.diff(t) - u)


def test_maxwell_is_the_slider_with_zero_yield_force():
    Fy, F = sp.symbols("F_y F", positive=True)
    J = field("J")
    slider = action("viscoplastic").dissipative_force(J).subs(Fy, 0).subs(J.diff(t), F).doit()
    assert same(slider, action("maxwell").dissipative_force(J).subs(J.diff(t), F))


def test_explicit_time_changes_the_hamiltonian():
    system = action("parametric-pendulum")
    (theta,) = system.fields
    m, l, d, W = sp.symbols("m l d Omega", positive=True)
    assert same(energy_rate(system), -m * l * d * W**3 * sp.sin(W * t) * sp.cos(theta))


def test_caldirola_kanai_is_the_damped_oscillator_with_another_momentum():
    system, u = action("caldirola-kanai"), field("u")
    m, k, gamma = sp.symbols("m k gamma", positive=True)
    assert same(system.momentum(u), sp.exp(gamma * t) * m * u.diff(t))
    assert same(system.strong_form()[u] * sp.exp(-gamma * t), m * u.diff(t, 2) + m * gamma * u.diff(t) + k * u)


def test_gyroscopic_momentum_and_coriolis_force():
    system = action("gyroscopic")
    u, v = system.fields
    m, k, W = sp.symbols("m k Omega", positive=True)
    assert same(system.momentum(u), m * (u.diff(t) - W * v))
    assert same(system.strong_form()[u], m * (u.diff(t, 2) - 2 * W * v.diff(t) - W**2 * u) + k * u)


@pytest.mark.parametrize("n", [1, 2, 4, pytest.param(6, marks=pytest.mark.heavy)])
def test_chain_of_n_masses(n):
    system = chain(n)
    assert len(system.fields) == n
    equations = [system.strong_form()[q] for q in system.fields]
    stiffness = sp.Matrix([[sp.diff(e, q) for q in system.fields] for e in equations])
    assert stiffness.is_symmetric()
    assert stiffness.det().expand() == sp.prod(sp.symbols(f"k_1:{n + 1}", positive=True))


def test_a_chain_without_masses_is_refused():
    with pytest.raises(ActionError, match="at least 1"):
        chain(0)


@pytest.mark.parametrize("degree", [1, 2])
def test_a_field_without_momentum_gets_tests_of_one_degree_less(degree):
    """Kelvin-Voigt: s rows for s unknowns, and a step that is Padé(s, s) of exp(−kh/c)."""
    system = action("kelvin-voigt")
    form = step_form(system, degree)
    assert form.unknowns == tuple(form.new[system.fields[0]])
    assert len(form.branches["smooth"]) == degree
    k, c = sp.symbols("k c", positive=True)
    w = k * h / c
    pade = {1: (1 - w / 2) / (1 + w / 2), 2: (1 - w / 2 + w**2 / 12) / (1 + w / 2 + w**2 / 12)}[degree]
    assert sp.cancel(form.amplification()[0, 0] - pade) == 0


def test_a_massless_joint_between_spring_and_dashpot_steps():
    """Mass on a spring, then a joint v without mass, then a dashpot to the ground: c v̇ = k(u − v)."""
    m, k, c = sp.symbols("m k c", positive=True)
    u, v = field("u"), field("v")
    system = Action((u, v), m * u.diff(t) ** 2 / 2 - k * (u - v) ** 2 / 2, c * v.diff(t) ** 2 / 2)
    assert list(system.has_momentum.values()) == [True, False]
    form = step_form(system)
    u0, v0, u1, v1 = form.old[u], form.old[v], form.new[u][0], form.new[v][0]
    row = form.branches["smooth"][-1]
    assert same(row, c * (v1 - v0) - h * k * (u0 + u1 - v0 - v1) / 2)
    B, _, _ = form.matrices()
    assert (B.rows, B.cols) == (3, 3)
    assert sp.factor(B.det()) != 0


@pytest.mark.parametrize(
    ("name", "degree"),
    [
        *((name, 1) for name in ("pendulum", "caldirola-kanai", "duffing", "zener")),
        *((name, 2) for name in ("pendulum", "zener")),
        *(pytest.param(name, 2, marks=pytest.mark.heavy) for name in ("caldirola-kanai", "duffing")),
    ],
)
def test_symbolic_rows_vanish_on_the_simulated_step(name, degree):
    """Two roads from one action: rows in symbols at the Gauss points, and Newton on lambdified pieces."""
    system = action(name)
    q = system.fields[0]
    numbers = {"m": 1.5, "k": 30.0, "k_3": 9.0, "c": 0.4, "l": 0.7, "g": 9.81, "gamma": 0.3, "a": 0.02, "eta": 2.0}
    parameters = {s.name: s for s in (system.lagrangian + system.dissipation).free_symbols - {t}}
    values = {symbol: numbers[symbol_name] for symbol_name, symbol in parameters.items()}
    given = {f.func.__name__: 0.8 for f in system.loads.values()}
    start = {q.func.__name__: 0.9, f"P_{q.func.__name__}": 0.2}
    start |= {f"P_{p.func.__name__}": 0.0 for p in system.fields[1:]}
    sol = hx.simulate(system, {**{s: numbers[s] for s in parameters}, **given}, start, 0.2, 0.1, degree)
    form = step_form(system, degree)
    old, new = sol.values("displacement")[1:3], sol.values("momentum")[1:3]
    known = {h: 0.1, t_0: 0.1, **values, **{s: 0.8 for row in form.load_symbols.values() for s in row}}
    for i, p in enumerate(system.fields):
        known |= {
            form.old[p]: old[0, i],
            form.new[p][-1]: old[1, i],
            form.momentum_old[p]: new[0, i],
            form.momentum_new[p]: new[1, i],
        }
    rows = [row.subs(known) for row in form.branches["smooth"]]
    inner = [form.new[p][0] for p in system.fields] if degree == 2 else []
    if inner:  # nodes inside the step are not published: solve for them
        found = sp.nsolve(
            rows[: len(inner)] if len(system.fields) == 1 else [rows[0], rows[3]],
            inner,
            [float(x) for x in old.mean(axis=0)],
        )
        rows = [row.subs(dict(zip(inner, found, strict=True))) for row in rows]
    assert max(abs(float(row)) for row in rows) < 1e-12
