"""Parts of a continuum: masses, springs, dashpots and loads at its ends, edges, interfaces and on its surface.

References: *analytic* (equations by hand, waves, Green's identity), *external* (Meirovitch, Analytical Methods in
Vibrations, 1967; Timoshenko and Woinowsky-Krieger, Theory of Plates and Shells, 1959).
"""

import pytest
import sympy as sp
from scipy.optimize import brentq

from hamex.errors import ActionError, ConvexityWarning
from hamex.principle import Action, Part, t
from hamex.principle.jets import is_zero
from hamex.principle.library import action

x, y = sp.symbols("x y", real=True)
l, M, K, c = sp.symbols("l M K c", positive=True)
N, mu, EI, m = sp.symbols("N mu EI m", positive=True)
w, X = sp.Function("w")(x, t), sp.Function("X")(t)
F, g = sp.Function("F")(t), sp.Function("g")(t)
STRING = mu * w.diff(t) ** 2 / 2 - N * w.diff(x) ** 2 / 2
BEAM = m * w.diff(t) ** 2 / 2 - EI * w.diff(x, 2) ** 2 / 2
left, right = sp.Function("w_minus")(x, t), sp.Function("w_plus")(x, t)


def body(density, *parts, fields=(w,), space=(x,), **more):
    return Action(fields, density, space=space, parts=parts, **more)


def holds(system, *expected):
    """The equations of all balances, in their order."""
    found = [b.equation for b in system.balances()]
    assert len(found) == len(expected)
    assert all(is_zero(a - b) for a, b in zip(found, expected, strict=True))


def test_a_mass_at_the_tip_of_a_beam():
    """External, Meirovitch § 5-8: EI w‴ = M ẅ and EI w″ = −J ẅ′ at the free end."""
    J = sp.Symbol("J", positive=True)
    tip = Part({x: l}, "end", M * w.diff(t) ** 2 / 2 + J * w.diff(x, t) ** 2 / 2)
    system = body(BEAM, tip, Part({x: 0}, "start", motions={w: 0, w.diff(x): 0}))
    holds(system, M * w.diff(t, 2) - EI * w.diff(x, 3), EI * w.diff(x, 2) + J * w.diff(x, t, t), w, w.diff(x))
    assert is_zero(system.strong_form()[w] - m * w.diff(t, 2) - EI * w.diff(x, 4))
    assert [b.momentum for b in system.balances()] == [M * w.diff(t), J * w.diff(x, t), 0, 0]
    assert [b.given for b in system.balances()] == [False, False, True, True]


def test_the_frequencies_of_a_beam_with_a_mass_at_its_tip():
    """External, Meirovitch: 1 + cos λ cosh λ + (M/ml) λ (cos λ sinh λ − sin λ cosh λ) = 0 is what the balances say."""
    system = body(BEAM, Part({x: l}, "end", M * w.diff(t) ** 2 / 2))
    lam, a, b = sp.symbols("lambda a b", positive=True)
    shape = a * (sp.cos(lam * x) - sp.cosh(lam * x)) + b * (sp.sin(lam * x) - sp.sinh(lam * x))
    motion = shape * sp.cos(lam**2 * t)  # EI = m = l = 1
    rows = [e.equation.subs({EI: 1, m: 1}).subs(w, motion).doit().subs({x: 1, t: 0}) for e in system.balances()]
    matrix = sp.Matrix([[sp.diff(row, free) for free in (a, b)] for row in rows])
    for heavy in (0.5, 3.0):
        numeric = sp.lambdify(lam, matrix.det().subs(M, heavy))
        textbook = sp.lambdify(
            lam,
            1 + sp.cos(lam) * sp.cosh(lam) + heavy * lam * (sp.cos(lam) * sp.sinh(lam) - sp.sin(lam) * sp.cosh(lam)),
        )
        root = brentq(textbook, 0.5, 1.8, xtol=1e-14)
        assert abs(numeric(root)) < 1e-11 * abs(numeric(1.1 * root))


def test_a_mass_on_a_string_makes_its_slope_jump():
    system = body(STRING, Part({x: l / 2}, "inside", M * w.diff(t) ** 2 / 2, loads={w: F}))
    holds(system, N * left.diff(x) - N * right.diff(x) + M * w.diff(t, 2) - F)


def test_a_dashpot_of_the_right_impedance_swallows_every_wave():
    """c = √(Nμ): the balance holds for any f(x − vt), and for no other c."""
    f, speed = sp.Function("f"), sp.sqrt(N / mu)
    for end, way in (("end", 1), ("start", -1)):
        system = body(STRING, Part({x: l}, end, dissipation=c * w.diff(t) ** 2 / 2))
        (balance,) = system.balances()
        passing = balance.equation.subs(w, f(x - way * speed * t)).doit()
        assert is_zero(passing.subs(c, sp.sqrt(N * mu)).doit())
        assert not is_zero(passing.subs(c, 2 * sp.sqrt(N * mu)).doit())


def test_springs_at_the_ends_of_a_beam():
    k = sp.Symbol("k", positive=True)
    ends = (Part({x: 0}, "start", -K * w**2 / 2 - k * w.diff(x) ** 2 / 2), Part({x: l}, "end", -K * w**2 / 2))
    holds(
        body(BEAM, *ends),
        EI * w.diff(x, 3) + K * w,
        -EI * w.diff(x, 2) + k * w.diff(x),
        -EI * w.diff(x, 3) + K * w,
        EI * w.diff(x, 2),
    )


def test_two_bars_in_a_row():
    """E_1 A_1 u′ goes over into E_2 A_2 u′."""
    E1, E2 = sp.symbols("E_1 E_2", positive=True)
    one, other = (body(-E * w.diff(x) ** 2 / 2) for E in (E1, E2))
    (jump,) = one.interface(other, normal=(1,))
    assert is_zero(jump.force - E1 * left.diff(x) + E2 * right.diff(x))


def test_an_oscillator_that_hangs_on_a_string():
    """A field of t alone: its own equation, momentum and data, and its spring in the jump of the string."""
    hung = Part({x: l / 2}, "inside", M * X.diff(t) ** 2 / 2 - K * (X - w) ** 2 / 2, c * (X - w).diff(t) ** 2 / 2)
    system = body(STRING, hung, fields=(w, X), loads={X: F})
    there = w.subs(x, l / 2)
    spring = K * (X - there) + c * (X - there).diff(t)
    assert is_zero(system.strong_form()[X] - M * X.diff(t, 2) - spring + F)
    assert is_zero(system.strong_form()[w] - mu * w.diff(t, 2) + N * w.diff(x, 2))
    (balance,) = system.balances()
    assert is_zero(balance.equation - N * left.diff(x) + N * right.diff(x) - K * (w - X) - c * (w - X).diff(t))
    assert system.momentum(X) == M * X.diff(t)
    assert [list(charge.shift) for charge in system.charges()] == [[w]]  # its spring holds X, and no density says so
    assert [(d.field, d.kind, d.role) for d in system.initial_conditions()] == [
        (w, "momentum", "data"),
        (X, "momentum", "data"),
        (w, "value", "data"),
        (X, "value", "data"),
    ]


def test_momenta_that_sit_on_parts_and_edges_are_data():
    """A mass and its rotary inertia at a tip; what Rayleigh's rotary inertia leaves at the ends, ρI ẇ′ n."""
    S = sp.Symbol("S", positive=True)
    tip = Part({x: l}, "end", (M * w.diff(t) ** 2 + S * w.diff(t, x) ** 2) / 2)
    beam = body((mu * w.diff(t) ** 2 - K * w.diff(x, 2) ** 2) / 2, tip)
    first, *there, last = beam.initial_conditions()
    assert (first.kind, last.kind) == ("momentum", "value")
    assert [(c.kind, c.role, c.part, c.motion) for c in there] == [
        ("momentum there", "data", tip, w),
        ("momentum there", "data", tip, w.diff(x)),
    ]
    at_tip = [M * w.diff(t), S * w.diff(t, x)]
    assert [c.equation.lhs for c in there] == [e.subs(x, l).subs(t, 0) for e in at_tip]
    assert len({c.equation.rhs for c in (first, *there)}) == 3
    held = body(STRING, Part({x: l}, "end", M * w.diff(t) ** 2 / 2, motions={w: 0}))
    assert [c.kind for c in held.initial_conditions()] == ["momentum", "value"]  # its motion is given
    (edge,) = (c for c in action("rayleigh-beam").initial_conditions() if c.part is not None)
    assert (edge.part, edge.role) == ("boundary", "data")


def test_a_part_may_be_written_at_its_place():
    at_end = w.subs(x, l)
    one = body(STRING, Part({x: l}, "end", M * at_end.diff(t) ** 2 / 2 - K * at_end**2 / 2))
    holds(one, N * w.diff(x) + M * w.diff(t, 2) + K * w)


def test_traction_on_the_surface_of_an_elastic_body():
    """Eq. (35) with its surface term, and (43): J̇_ij n_j = t̂_i on Γ_t."""
    known = action("elastic-2d")
    u = known.fields[:2]
    traction = {v: sp.Function(f"that_{i}")(x, y, t) for i, v in enumerate(u, 1)}
    solid = Action(
        known.fields, known.lagrangian, loads=known.loads, space=known.space, parts=(Part("Gamma_t", loads=traction),)
    )
    assert all(is_zero(solid.strong_form()[q] - e) for q, e in known.strong_form().items())
    for condition, balance in zip(known.boundary_conditions(), solid.balances(), strict=True):
        assert is_zero(balance.equation - condition.force + traction[condition.field])


def test_a_beam_along_the_edge_of_a_plate():
    """External, T. and W.-K., art. 22, eq. (117): B w_yyyy = D ∂(w_xx + (2 − ν) w_yy)/∂x; its torsion by hand."""
    D, nu, B, C = sp.symbols("D nu B C", positive=True)
    v = sp.Function("w")(x, y, t)
    bent = (v.diff(x, 2) + v.diff(y, 2)) ** 2 - 2 * (1 - nu) * (v.diff(x, 2) * v.diff(y, 2) - v.diff(x, y) ** 2)
    for side, sign in (("end", 1), ("start", -1)):
        rib = Part({x: l}, side, -B * v.diff(y, 2) ** 2 / 2 - C * v.diff(x, y) ** 2 / 2)
        plate = body(-D * bent / 2, rib, fields=(v,), space=(x, y))
        holds(
            plate,
            B * v.diff(y, 4) - sign * D * (v.diff(x, 3) + (2 - nu) * v.diff(x, y, y)),
            sign * D * (v.diff(x, 2) + nu * v.diff(y, 2)) - C * v.diff(x, y, y),
        )


def test_energy_goes_where_the_parts_take_it():
    """Σ (equation − force)·rate = dH/dt − rate of each part, identically; a given motion is driven by its reaction."""
    tip = Part(
        {x: l},
        "end",
        M * w.diff(t) ** 2 / 2 - K * (w - X) ** 2 / 2 + M * X.diff(t) ** 2,
        c * w.diff(t) ** 2 / 2,
        {w: F},
    )
    system = body(STRING, tip, Part({x: 0}, "start", motions={w: g}), fields=(w, X))
    energy, driven = system.part_energies()
    (balance, shaken) = system.balances()
    local = system.strong_form()[X].subs(w.subs(x, l), w)
    work = (balance.equation - balance.force) * w.diff(t) + local * X.diff(t)
    assert is_zero(work - energy.hamiltonian.diff(t).doit() + energy.rate)
    assert is_zero(energy.rate - F * w.diff(t) + c * w.diff(t) ** 2)
    assert is_zero(driven.rate + N * w.diff(x) * g.diff(t))
    assert is_zero(shaken.equation - w + g)


def test_rayleighs_beam_has_momentum_at_its_tip():
    inertia = sp.Symbol("I", positive=True)
    system = body(BEAM + inertia * w.diff(x, t) ** 2 / 2, Part({x: l}, "end", M * w.diff(t) ** 2 / 2))
    shear, moment = system.balances()
    assert is_zero(shear.momentum - M * w.diff(t) - inertia * w.diff(x, t))
    assert is_zero(shear.equation - M * w.diff(t, 2) - inertia * w.diff(x, t, t) + EI * w.diff(x, 3))
    assert (moment.momentum, is_zero(moment.equation - EI * w.diff(x, 2))) == (0, True)


def refused(*parts, says, density=STRING, fields=(w,)):
    with pytest.raises(ActionError, match=says):
        body(density, *parts, fields=fields)


def test_what_a_part_cannot_be():
    mass = M * w.diff(t) ** 2 / 2
    refused(mass, says="parts must be")
    refused(Part({x: l}, lagrangian=mass), says="say on which side the body is")
    refused(Part({y: l}, "end", mass), says="say where one of x has a value")
    refused(Part("tip", "end", mass), says='"boundary" or "inside"')
    refused(Part({x: l}, "end", -K * w.diff(x) ** 2 / 2), says="nothing resists")
    refused(Part({x: l}, "end", -K * w.diff(x, 2) ** 2 / 2), says="a derivative of w", density=BEAM)
    refused(Part("tip", lagrangian=-K * w.diff(x) ** 2 / 2), says="a derivative of w", density=BEAM)
    refused(Part({x: l}, "end", motions={w.diff(x): 0}), says="cannot be given")
    refused(Part("tip", lagrangian=-K * (X - w) ** 2 / 2), fields=(w, X), says="joins at a point")
    refused(Part({x: l}, "end", mass), fields=(w, X), says="needs a part that holds it")
    refused(Part({x: l}, "end", dissipation=c * w), says="function of rates")
    with pytest.raises(ActionError, match="the coordinates of a density"):
        Action((X,), M * X.diff(t) ** 2 / 2, parts=(Part({x: l}, "end"),))
    with pytest.warns(ConvexityWarning):
        body(STRING, Part({x: l}, "end", dissipation=-c * w.diff(t) ** 2 / 2))
