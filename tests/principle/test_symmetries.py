"""Point symmetries: what is found against what textbooks list, charges certified and compared by algebra.

References: analytic, from the Lie algebras named with each system."""

import pytest
import sympy as sp

from hamex.errors import UndecidedWarning
from hamex.principle import Action, symmetries, t
from hamex.principle.jets import is_zero
from hamex.principle.library import action
from hamex.principle.noether import Symmetry, kept
from hamex.principle.variation import euler

m, k, g, c, a, B, M = sp.symbols("m k g c a B M", positive=True)
x, y, z, r, theta, phi = (sp.Function(name)(t) for name in ("x", "y", "z", "r", "theta", "phi"))
X, Y = sp.symbols("x y", real=True)


def d(q, by=t):
    return q.diff(by)


def kinetic(*fields):
    return m * sum(d(q) ** 2 for q in fields) / 2


SL2 = ["projective change of t, x and y"]
LUMPED = {
    "kepler": (Action((x, y), kinetic(x, y) + k / sp.sqrt(x**2 + y**2)), ["time: energy", "rotation in (x, y)"]),
    "kepler, polar": (
        Action((r, phi), m * (d(r) ** 2 + r**2 * d(phi) ** 2) / 2 + k / r),
        ["time: energy", "shift of phi"],
    ),
    # The Schrödinger algebra in one dimension (Niederer 1972): 6 generators less the centre.
    "free": (
        Action((x,), kinetic(x)),
        ["time: energy", "shift of x", "boost of x", "scaling of t and x", "projective change of t and x"],
    ),
    "oscillator": (
        Action((x,), kinetic(x) - k * x**2 / 2),
        ["time: energy", "mode of x, cos", "mode of x, sin", "mode of t and x, cos", "mode of t and x, sin"],
    ),
    "magnetic": (
        Action((x, y), kinetic(x, y) + B * (x * d(y) - y * d(x)) / 2),
        ["time: energy", "shift of x", "shift of y", "rotation in (x, y)"]
        + [f"mode of {of}, {w}" for of in ("x and y", "t, x and y") for w in ("cos", "sin")],
    ),
    "toda": (
        Action((x, y), kinetic(x, y) - k * sp.exp(x - y)),
        ["time: energy", "shift of x and y", "boost of x and y"],
    ),
    # Calogero's inverse square: sl(2) beside the centre of mass.
    "calogero": (
        Action((x, y), kinetic(x, y) - k / (x - y) ** 2),
        ["time: energy", "shift of x and y", "boost of x and y", "scaling of t, x and y", *SL2],
    ),
    "relativistic": (
        Action((x,), -m * c**2 * sp.sqrt(1 - d(x) ** 2 / c**2)),
        ["time: energy", "shift of x", "Lorentz boost of x"],
    ),
    "spherical": (
        Action((theta, phi), m * (d(theta) ** 2 + sp.sin(theta) ** 2 * d(phi) ** 2) / 2 + g * sp.cos(theta)),
        ["time: energy", "shift of phi"],
    ),
    "sum of masses": (
        Action((x, y), ((m + M) * d(x) ** 2 + a * d(y) ** 2) / 2 - k * (x**2 * (m + M) + a * y**2) ** 2 / 4),
        ["time: energy", "rotation in (x, y)"],
    ),
    "time and scaling": (action("caldirola-kanai"), ["time, with scaling of u"]),
    "pendulum": (action("pendulum"), ["time: energy"]),
    "shaken": (action("parametric-pendulum"), []),
    "statics": (action("kelvin-voigt"), ["time: energy"]),
}


@pytest.mark.parametrize("name", LUMPED)
@pytest.mark.chief("kepler", "free", "magnetic", "toda", "time and scaling", "shaken", "statics")
def test_what_is_found_is_what_is_known(name):
    system, names = LUMPED[name]
    assert [s.name for s in system.symmetries()] == names
    for symmetry in system.symmetries()[-1:]:  # each certifies itself; the last and longest here once more
        work = sum(symmetry.characteristic(q) * euler(system, q) for q in system.fields)
        rate = sp.diff(symmetry.balance.value, t) + work  # D_t I = −Σ E_a Q_a, identically
        assert is_zero(rate.doit())


def test_three_dimensions_have_the_galilean_and_the_conformal_generators():
    found = [s.kind for s in Action((x, y, z), kinetic(x, y, z)).symmetries()]
    expected = {"time": 1, "shift": 3, "rotation": 3, "boost": 3, "scaling": 1, "projective": 1}
    assert {kind: found.count(kind) for kind in found} == expected


def test_values_are_those_of_textbooks():
    rotation = LUMPED["kepler"][0].symmetries()[1].charge
    assert sp.expand(rotation.value - m * (x * d(y) - y * d(x))) == 0
    scaling = LUMPED["calogero"][0].symmetries()[3].charge.value
    H = LUMPED["calogero"][0].hamiltonian()
    assert is_zero(scaling - (m * (x * d(x) + y * d(y)) - 2 * t * H))
    turned = LUMPED["sum of masses"][0].symmetries()[1].change
    assert is_zero(turned[y] / x + turned[x] / y * (m + M) / a)
    energy = LUMPED["relativistic"][0].symmetries()[0].charge.value
    assert is_zero(energy - m * c**2 / sp.sqrt(1 - d(x) ** 2 / c**2))


def test_a_change_of_names_has_no_charge():
    twins = Action((x, y), (d(x) - d(y)) ** 2 / 2 - k * (x - y) ** 4)
    gauges = [s for s in twins.symmetries() if s.is_gauge]
    assert {"shift of x and y", "boost of x and y"} <= {s.name for s in gauges}
    assert {s.name for s in twins.symmetries() if not s.is_gauge} == {"time: energy"}


def test_what_is_no_symmetry_has_no_charge():
    system = Action((x,), kinetic(x) - k * x**2 / 2)
    with pytest.raises(ValueError, match="not invariant"):
        _ = Symmetry(system, sp.S.Zero, (), {x: sp.S.One}, "shift", "shift of x").charge
    with pytest.raises(ValueError, match="not invariant"):
        _ = Symmetry(system, t, (), {x: x}, "scaling", "scaling").charge


@pytest.mark.heavy
def test_dissipation_and_loads_make_a_balance_law():
    f = sp.Function("f")(t)
    damped = Action((x, y), kinetic(x, y) - k * (x**2 + y**2) / 2, c * (d(x) ** 2 + d(y) ** 2) / 2, {x: f})
    rotation = next(s for s in damped.symmetries() if s.kind == "rotation").charge
    assert is_zero(rotation.source - (c * (y * d(x) - x * d(y)) - f * y))
    forced = action("forced")
    shift = next(s for s in forced.symmetries() if s.name == "shift of u").charge
    assert shift == forced.charges()[0]
    assert shift.source == 0  # the momentum balance (54): all of it is a rate


def local_balance(symmetry):
    """∂ρ/∂t + div j + Σ E Q, which vanishes identically without dissipation and loads."""
    system, charge = symmetry.action, symmetry.balance
    total = sp.diff(charge.value, t) + sum(sp.diff(f, s) for f, s in zip(charge.flux, system.space, strict=True))
    return (total + sum(symmetry.characteristic(q) * euler(system, q) for q in system.fields)).doit()


@pytest.mark.heavy
def test_isotropic_plane_has_rotations_and_rigid_motions():
    u, v = (sp.Function(name)(X, Y, t) for name in "uv")
    rho, lam, mu = sp.symbols("rho lambda mu", positive=True)
    xx, yy, xy = d(u, X), d(v, Y), (d(u, Y) + d(v, X)) / 2
    density = rho * (d(u) ** 2 + d(v) ** 2) / 2 - lam * (xx + yy) ** 2 / 2 - mu * (xx**2 + yy**2 + 2 * xy**2)
    found = {s.name: s for s in Action((u, v), density, space=(X, Y)).symmetries()}
    assert {"time: energy", "translation along x", "translation along y", "shift of u", "shift of v"} <= set(found)
    turned = found["rotation in (x, y), with rotation in (u, v)"]
    assert turned.space == (-Y, X)
    assert turned.change == {u: -v, v: u}
    for name in ("time: energy", "translation along x", turned.name, "shift of v by x", "boost of u"):
        assert is_zero(local_balance(found[name])), name
    stress = (-(lam * (xx + yy) + 2 * mu * xx), -2 * mu * xy)
    assert all(is_zero(f - s) for f, s in zip(found["shift of u"].charge.flux, stress, strict=True))


def test_fields_on_a_line():
    f, h = (sp.Function(name)(X, t) for name in "fh")
    wave = (d(f) ** 2 + d(h) ** 2 - d(f, X) ** 2 - d(h, X) ** 2) / 2
    pair = Action((f, h), wave - k * (f**2 + h**2) ** 2 / 4, space=(X,))
    found = {s.name: s for s in pair.symmetries()}
    assert set(found) == {"time: energy", "translation along x", "rotation in (f, h)", "Lorentz boost in (x, t)"}
    charge = found["rotation in (f, h)"].charge
    assert is_zero(charge.value - (f * d(h) - h * d(f)))
    assert is_zero(charge.flux[0] - (h * d(f, X) - f * d(h, X)))
    assert all(is_zero(local_balance(s)) for s in found.values())


def test_the_elastic_bar_holds_its_charges_at_every_place():
    """The shift of the impulse has no flux: aJ̇ − u′ is constant at each place by itself, not only in total."""
    bar = action("elastic-1d")
    found = {s.name: s for s in bar.symmetries()}
    _, J = bar.fields
    here = found["shift of J_11"].charge
    assert here.flux == (0,)
    assert here.source == 0
    momentum = found["shift of u_1"].charge
    assert is_zero(momentum.flux[0] + J.diff(t))
    assert momentum.source == 0
    assert "shift of J_11 by x" not in found  # it holds with any function of place


@pytest.mark.parametrize(
    ("name", "verdicts", "jumping"),
    [
        ("kepler", [False, True], [False, False]),
        ("magnetic", [True] * 4 + [False] * 4, [False, True, True] + [False] * 5),
        ("free", [True] * 5, [True] * 5),
        ("toda", [False, True, True], [False, True, True]),
        ("relativistic", [False, True, False], [False, True, False]),
        ("pendulum", [False], [False]),
    ],
)
def test_which_elements_keep_what(name, verdicts, jumping):
    found = LUMPED[name][0].symmetries()
    assert [kept(s).holds for s in found] == verdicts
    assert [kept(s, jumps=True).holds for s in found] == jumping


def test_a_narrow_well_is_no_free_particle():
    """Analytic: the force 2000 a x exp(−1000 x²) is felt near x = 0.03 alone; nothing but time is a symmetry."""
    well = Action((x,), kinetic(x) + a * sp.exp(-1000 * x**2))
    assert [s.name for s in well.symmetries()] == ["time: energy"]
    bare = Action((x,), sp.exp(-1000 * x**2) * d(x) ** 2 / 2)  # and no parameters
    assert [s.name for s in bare.symmetries()] == ["time: energy"]


@pytest.mark.heavy
def test_coupled_circuits_have_the_mode_of_equal_currents():
    """Analytic: q₁ + q₂ turns with 1/√(C(L + M)); its phase and amplitude are kept."""
    L, M, C = sp.symbols("L M C", positive=True)
    circuits = Action((x, y), L * (d(x) ** 2 + d(y) ** 2) / 2 + M * d(x) * d(y) - (x**2 + y**2) / (2 * C))
    modes = {s.name: s.charge for s in circuits.symmetries() if s.kind == "mode"}
    w = 1 / sp.sqrt(C * (L + M))
    together = d(x) + d(y), x + y
    expected = (L + M) * (sp.cos(w * t) * together[0] + w * sp.sin(w * t) * together[1])
    assert is_zero(modes["mode of x and y, cos"].value - expected)


@pytest.mark.heavy
def test_two_bodies_in_the_plane():
    """Analytic: Galilei's group, and beside it the rotation about the centre of mass, with that of the centre."""
    q = u1, v1, u2, v2 = tuple(sp.Function(name)(t) for name in ("u1", "v1", "u2", "v2"))
    kinetic_ = m * (d(u1) ** 2 + d(v1) ** 2) / 2 + M * (d(u2) ** 2 + d(v2) ** 2) / 2
    found = Action(q, kinetic_ + k / sp.sqrt((u1 - u2) ** 2 + (v1 - v2) ** 2)).symmetries()
    assert [s.kind for s in found] == ["time", "shift", "shift", "rotation", "boost", "boost", "other"]
    assert all(s.charge.source == 0 for s in found)
    # Of the two angular momenta every combination is kept: m₁ x₂ − … is one with the ratio of masses in it.
    assert found[-1].change[u2].has(m / M)


def test_a_blade_keeps_its_spin_on_a_slope():
    """Analytic (Bloch, Nonholonomic Mechanics and Control, § 1.6): I φ̇ is kept, m ẏ is not: the edge pushes."""
    edge = Action(
        (x, y, phi),
        kinetic(x, y) + a * d(phi) ** 2 / 2 - m * g * x,
        constraints=(d(x) * sp.sin(phi) - d(y) * sp.cos(phi),),
    )
    assert [s.name for s in edge.symmetries()] == ["time: energy", "shift of phi", "boost of phi"]


def test_what_is_not_certified_is_not_listed_but_named(monkeypatch):
    """Planted: with places of one size alone the narrow well looks flat."""
    monkeypatch.setattr(symmetries, "_SIZES", ((1.0,),))
    well = Action((x,), kinetic(x) + a * sp.exp(-1000 * x**2))
    with pytest.warns(UndecidedWarning, match="shift of x"):
        found = well.symmetries()
    assert [s.name for s in found] == ["time: energy"]
    assert "shift of x" in well.undecided_symmetries()


@pytest.mark.heavy
def test_modes_whose_frequency_is_a_sum_are_found_whatever_its_sign():
    """Analytic: two coupled circuits swing at 1/√(C(L ± M)), and √((k ∓ K)/m) has all five symmetries of one spring."""
    L, M, C = sp.symbols("L M C", positive=True)
    q = sp.Function("q_1")(t), sp.Function("q_2")(t)
    coupled = L * (d(q[0]) ** 2 + d(q[1]) ** 2) / 2 + M * d(q[0]) * d(q[1]) - (q[0] ** 2 + q[1] ** 2) / (2 * C)
    modes = [s.change for s in Action(q, coupled).symmetries() if s.kind == "mode"]
    squares = {(sp.diff(c[q[0]], t, 2) / c[q[0]]).simplify(): sp.cancel(c[q[1]] / c[q[0]]) for c in modes}
    assert {sp.cancel(-1 / s): side for s, side in squares.items()} == {C * L + C * M: 1, C * L - C * M: -1}
    for stiffness in (k + a, k - a):
        found = Action((x,), kinetic(x) - stiffness * x**2 / 2)
        assert [s.kind for s in found.symmetries()] == ["time", *["mode"] * 4]
        assert found.undecided_symmetries() == []
