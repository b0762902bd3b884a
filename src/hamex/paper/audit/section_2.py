"""The principle: sections 2 and 3, eqs. (1)-(26), derived; claims of sections 2 to 4, decided by the engine; and claims
of novelty, compared with what is older.

The page ``docs/what-is-not-new.md`` tells the last story in words.
"""

from __future__ import annotations

import sympy as sp

from hamex.paper.audit.engine import (
    GENERIC,
    GENERIC_MIXED,
    Solid,
    amplification,
    brackets,
    bulk,
    continuum,
    known,
    step,
    variation,
    weak,
)
from hamex.paper.audit.judging import (
    Claim,
    Judged,
    Rule,
    against,
    corrected,
    decide,
    judged,
    printed_equation,
    printed_latex,
    readable,
    sign_free,
    zero,
)
from hamex.paper.audit.notation import (
    DURATION,
    WINDOW,
    A,
    F_name,
    J,
    J_o,
    L_name,
    Statement,
    T_name,
    U_name,
    a,
    c,
    dA,
    dimension_given,
    dot,
    du,
    eta,
    h,
    k,
    m,
    phi_name,
    says,
    t,
    t0,
    t1,
    u,
    varied,
)
from hamex.principle.action import Action
from hamex.principle.conditions import TIME, classical, dimension_of
from hamex.principle.jets import indices
from hamex.principle.variation import energy_rate

OVER, ENDS = WINDOW.over, WINDOW.ends
BOTH = (u, J)


def stationary(value: sp.Expr) -> tuple[Statement, ...]:
    """δA is this, and vanishes."""
    return says(dA, value), says(dA)


def _parts(name: str) -> tuple[sp.Expr, sp.Expr]:
    """Kinetic energy, and minus the rest, of a library Lagrangian."""
    lagrangian = known(name).lagrangian
    kinetic = lagrangian.subs(k, 0) if lagrangian.has(k) else lagrangian
    return kinetic, sp.expand(kinetic - lagrangian)


def _two() -> tuple[Statement, ...]:
    """(2) with the engine's Lagrangian: its kinetic part stands for T, the rest for U, as (3) and (4) print them."""
    kinetic, potential = (printed_equation(number).statements[0].right for number in ("3", "4"))
    remainder = sp.expand(known("harmonic").lagrangian - kinetic + potential)
    return (says(L_name, T_name - U_name + remainder),)


def _action(name: str) -> tuple[Statement, ...]:
    """An action whose variation is the weak form of the engine, with the sign of (1)."""
    lagrangian = known(name).lagrangian
    missing = sp.expand(varied(lagrangian, BOTH) * OVER + weak(variation(name), OVER))  # 0: −δA is the engine's δA
    return (says(A, OVER * lagrangian + missing),)


def _other_sign(name: str) -> tuple[Statement, ...]:
    """The action whose variation is the weak form of the engine itself."""
    return tuple(says(s.left, -s.right) for s in _action(name))


def _rayleigh() -> tuple[Statement, ...]:
    """The potential of the force that separates the damped from the undamped equation of motion."""
    force = variation("damped").bulk[u] - variation("harmonic").bulk[u]
    rate = sp.Dummy()
    return (says(phi_name, sp.integrate(sp.expand(force).xreplace({dot(u): rate}), (rate, 0, dot(u)))),)


def _legendre() -> tuple[Statement, ...]:
    """Mixed form of (2): U(u) = max over F of F u − U*(F), with U* from the strain energy, F = J̇ and k = 1/a."""
    kinetic, potential = _parts("harmonic")
    force, place = sp.Dummy("F"), sp.Dummy("u")
    slope = sp.solve(sp.diff(potential.xreplace({u: place}), place) - force, place)[0]
    complementary = sp.expand((force * place - potential.xreplace({u: place})).xreplace({place: slope}))
    mixed = kinetic - force * u + complementary
    return (says(L_name, mixed.xreplace({force: dot(J)}).subs(k, 1 / a)),)


def _hooke() -> tuple[Statement, ...]:
    """∂U/∂u = F with F = J̇ and k = 1/a."""
    slope = sp.diff(_parts("harmonic")[1].xreplace({u: (x := sp.Dummy())}), x).xreplace({x: u}).subs(k, 1 / a)
    return (says(a * (slope - dot(J))),)


def _constraints(name: str) -> tuple[Statement, ...]:
    """End-point constraints: the brackets that would otherwise remain."""
    found = classical(known(name), t0, t1)
    return tuple(says(e.lhs, e.rhs) for e in found.constraints)


def _generic(lagrangian: sp.Expr, fields: tuple[sp.Expr, ...]) -> tuple[Statement, ...]:
    return stationary(-OVER * varied(lagrangian, fields))


RULES: dict[str, Rule] = {
    "1": against(lambda: _action("harmonic"), "its variation is minus the engine's weak form"),
    "2": against(_two, "(3) and (4) put in; compared with the engine's Lagrangian"),
    "3": against(lambda: (says(T_name, _parts("harmonic")[0]),), "the engine's Lagrangian at k = 0"),
    "4": against(lambda: (says(U_name, _parts("harmonic")[1]),), "kinetic energy minus the engine's Lagrangian"),
    "5": sign_free(
        lambda: stationary(OVER * varied(known("harmonic").lagrangian, BOTH)),
        lambda: _other_sign("harmonic"),
        "A of (1) varied by Gateaux's definition",
        "δA here is minus the variation of A in (1); stationarity does not see the sign",
    ),
    "6": against(lambda: _generic(GENERIC, (u,)), "Gateaux derivative of a cubic L(u, u̇) with free coefficients"),
    "7": against(lambda: stationary(weak(variation("harmonic"), OVER)), "weak form of the engine"),
    "8": against(
        lambda: stationary(bulk(variation("harmonic"), OVER) + brackets(variation("harmonic"), ENDS)),
        "integration by parts, certified by the engine",
    ),
    "9": against(lambda: _constraints("harmonic"), "the bracket of (8) at both ends"),
    "10": against(lambda: stationary(bulk(variation("harmonic"), OVER)), "(8) without its bracket"),
    "11": against(lambda: (says(variation("harmonic").bulk[u]),), "strong form of the engine"),
    "12": against(lambda: (says(Action((u,), GENERIC).strong_form()[u]),), "strong form of a generic cubic L(u, u̇)"),
    "13": against(_rayleigh, "potential of the damping force"),
    "14": against(lambda: stationary(weak(variation("damped"), OVER)), "weak form of the damped oscillator"),
    "15": against(lambda: stationary(bulk(variation("damped"), OVER)), "strong form of the damped oscillator"),
    "16": against(_legendre, "Legendre transform of the strain energy (4)"),
    "17": against(
        lambda: (says(F_name, variation("mixed").bulk[u] - m * dot(u, 2)),),
        "what balances m ü in the engine's equation of motion",
    ),
    "18": against(_hooke, "F = ∂U/∂u with k = 1/a"),
    "19": against(lambda: _action("mixed"), "its variation is minus the engine's weak form"),
    "20": sign_free(
        lambda: stationary(OVER * varied(known("mixed").lagrangian, BOTH)),
        lambda: _other_sign("mixed"),
        "A of (19) varied by Gateaux's definition",
        "δA here is minus the variation of A in (19); stationarity does not see the sign",
    ),
    "21": against(lambda: _generic(GENERIC_MIXED, (u, J)), "Gateaux derivative of a generic cubic L(u, u̇, J̇)"),
    "22": against(lambda: stationary(weak(variation("mixed"), OVER)), "weak form of the engine"),
    "23": against(
        lambda: stationary(bulk(variation("mixed"), OVER) + brackets(variation("mixed"), ENDS)),
        "integration by parts, certified by the engine",
    ),
    "24": against(lambda: _constraints("mixed"), "the brackets of (23) at both ends"),
    "25": against(lambda: stationary(bulk(variation("mixed"), OVER)), "(23) without its brackets"),
    "26": against(lambda: tuple(says(e) for e in variation("mixed").bulk.values()), "strong form of the engine"),
}


def _energy_rate_dimension() -> Judged:
    L = dimension_of(printed_equation("16").statements[0].right, dimension_given)
    phi = dimension_of(printed_equation("13").statements[0].right, dimension_given)
    assert L is not None
    return judged(decide(phi == L * TIME**-1), f"dimensions of the encoded (13) and (16): {phi} against {L}")


def _no_action_with_damping() -> Judged:
    """Caldirola-Kanai: a factor e^(ct/m) turns the damped equation into an Euler equation."""
    factor = sp.exp(c * t / m)
    lagrangian = factor * (m * dot(u) ** 2 / 2 - k * u**2 / 2)
    euler = Action((u,), lagrangian).strong_form()[u]
    exists = zero(sp.expand(euler / factor - variation("damped").bulk[u]))
    # Helmholtz: as it stands, the operator must be self-adjoint, ∂E/∂u̇ = d/dt ∂E/∂ü, i.e. c = 0.
    adjoint = sp.diff(variation("damped").bulk[u], dot(u))
    return judged(
        decide(not exists, adjoint != 0),
        "L = e^(ct/m)(½m u̇² − ½k u²) has the Euler equation e^(ct/m)(m ü + c u̇ + k u), residual 0: an "
        f"explicit action exists. Without the factor Helmholtz's condition fails, ∂E/∂u̇ = {adjoint}",
        "the equation m ü + c u̇ + k u = 0 has no action as it stands; with the factor e^(ct/m) it has one",
    )


def _noether() -> Judged:
    """dQ/dt along the motion for the oscillator of section 2 and for the free particle."""
    rates = {}
    for name in ("harmonic", "particle"):
        rates[name] = sp.expand(variation(name).ends[u].diff(t) - variation(name).bulk[u])
    return judged(
        decide(zero(rates["harmonic"]), zero(rates["particle"])),
        f"dQ/dt along the motion: particle {rates['particle']}, oscillator {readable(rates['harmonic'])}",
        "Q = ∂L/∂u̇ is conserved when a shift of u leaves L unchanged (free particle); the oscillator of "
        "section 2 does not conserve it",
    )


def _hamiltonian() -> Judged:
    autonomous = energy_rate(known("harmonic"))
    damped = energy_rate(known("damped"))
    stiffness = sp.Function("k")(t)
    driven = energy_rate(Action((u,), m * dot(u) ** 2 / 2 - stiffness * u**2 / 2))
    formula = zero(
        known("harmonic").hamiltonian() - (variation("harmonic").ends[u] * dot(u) - known("harmonic").lagrangian)
    )
    everywhere = zero(autonomous) and zero(damped) and zero(driven)
    return judged(
        decide(formula and everywhere, formula and zero(autonomous)),
        f"dH/dt: oscillator {autonomous}, with k(t) {readable(driven)}, with damping {readable(damped)}; "
        f"formula H = ∂L/∂u̇ u̇ − L {'holds' if formula else 'fails'}",
        "H is conserved when L does not contain t explicitly and nothing dissipates",
    )


def _compatibility_at_ends() -> Judged:
    bracket = -variation("mixed").ends[J]
    inside = variation("mixed").bulk[J]
    rate_only = zero(inside + (u - a * dot(J)).diff(t))
    return judged(
        decide(zero(bracket - (u - a * dot(J))) and rate_only),
        f"the bracket of δJ is {readable(bracket)}; the integral contains only minus its rate: residual 0 for both",
    )


def _all_counterparts() -> Judged:
    body = Solid(1)
    ends = continuum(1).ends
    left_out = [q for q in ends if q != body.u(0) and not zero(ends[q])]
    return judged(
        decide(
            not left_out, all(zero(ends[q] - (body.A(0, 0, 0, 0) * q.diff(t) - body.strain(0, 0))) for q in left_out)
        ),
        f"the engine has {len(ends)} end brackets in 1D, (37) one counterpart: [P̂_J δĴ] is left out. Its "
        "momentum P_J = A J̇ − ε is zero exactly when the data at the ends are compatible",
        "all counterparts are ρ û̇ δû and P̂_J δĴ; the second may be left out when ε = A σ holds at the "
        "ends. (60) needs it: û1 = −P̂_J",
    )


def _initial_value_problem() -> Judged:
    form = step("particle")
    determinant = sp.simplify(form.matrices()[0].det())
    G = form.amplification()
    exact = sp.Matrix([[1, h / m], [0, 1]]) == G
    return judged(
        decide(determinant != 0 and exact),
        f"one step of (29) with u(0) and m u̇(0) given: determinant {determinant} ≠ 0, and the step "
        "u + h p/m, p is the exact free motion",
    )


def _lines_of_forty() -> Judged:
    found = printed_latex()["40"].split("\n\n")
    fourth, last = found[3], found[-1]
    good = r"\Gamma_t" in fourth and r"\hat{\dot{u}}_i" in last and r"\Gamma" not in last
    return judged(
        decide(good), f"(40) has {len(found)} lines; line 4 carries Γ and Γ_t, line {len(found)} the velocities"
    )


def _highest(expression: sp.Expr) -> int:
    """Highest time derivative of any field."""
    return max(
        (index.count(t) for q in expression.atoms(sp.core.function.AppliedUndef) for index in indices(expression, q)),
        default=0,
    )


def _continuity() -> Judged:
    right = _highest(corrected()["47"].statements[1].right)
    slipping = _highest(corrected()["60"].statements[0].right)
    printed = _highest(printed_equation("60").statements[0].right)
    return judged(
        decide(right == 1 and slipping == 1),
        f"highest rate in the corrected (47): {right}, in the corrected (60): {slipping}; (60) as printed "
        f"has {printed} (m ü δu̇), which linear shape functions would annihilate",
    )


CLAIMS = (
    Claim(
        "dimension of the dissipation function",
        "2.3: (13) is an energy rate, unlike the Lagrangian",
        _energy_rate_dimension,
    ),
    Claim(
        "no explicit action with damping",
        "2.3 and 7: with damping the action cannot be written in explicit form",
        _no_action_with_damping,
    ),
    Claim("Noether charge is conserved", "3.1: Q = ∂L/∂u̇ is a conserved quantity, from symmetry in space", _noether),
    Claim(
        "Hamiltonian is conserved",
        "3.1: H = ∂L/∂u̇ u̇ − L is a conserved quantity, from invariance in time",
        _hamiltonian,
    ),
    Claim(
        "compatibility stands in the end bracket",
        "3.2: without end-point constraints (23) contains (18)",
        _compatibility_at_ends,
    ),
    Claim(
        "initial value problem",
        "4.2: (29) with (32)-(33) accounts for the initial value problem",
        _initial_value_problem,
    ),
    Claim("all counterparts in (37)", "4.3: (37) adds all the counterparts of the end terms", _all_counterparts),
    Claim(
        "lines of (40)",
        "4.3: the last line of (40) uses the initial conditions, the fourth the boundary conditions",
        _lines_of_forty,
    ),
    Claim("C⁰ continuity suffices", "5.1, 5.2: linear shape functions suffice for u and J", _continuity),
)


def _varying_action() -> Judged:
    """Hamilton's law of varying action, ∫(δL + δW) dt − [Σ ∂L/∂q̇ δq] = 0, against δA_NEW with P̂ read as P."""
    action, found = known("forced"), variation("forced")
    work = (action.loads[u] - c * dot(u)) * du
    law = DURATION.over * (varied(action.lagrangian, (u, J)) + work) - DURATION.ends * sum(
        (found.ends[q] * found.test(q) for q in (u, J)), sp.S.Zero
    )
    extended = weak(found, DURATION.over) + DURATION.ends * sum(
        (found.ends[q] * found.test(q) for q in (u, J)), sp.S.Zero
    )
    identical = zero(law + extended)
    return judged(
        decide(not identical, identical),
        "forced damped oscillator: δA_NEW with the reserved momenta read as ∂L/∂q̇ plus Hamilton's law of "
        f"varying action (Bailey 1975) is {0 if identical else 'not 0'}: the same identity with the other "
        "sign",
        "the identity is Hamilton's law of varying action; reserved end values and their order of "
        "assignment are the paper's",
    )


def midpoint(slipping: bool) -> sp.Matrix:
    """(1 − hA/2)⁻¹(1 + hA/2) for u̇ = p/m, ṗ = −c p/m − F, u̇1 = F/η or 0, F = (u − u1)/a."""
    A = sp.Matrix([[0, 1 / m, 0], [-1 / a, -c / m, 1 / a], [0, 0, 0]])
    if slipping:
        A[2, :] = sp.Matrix([[1 / (a * eta), 0, -1 / (a * eta)]])
    return ((sp.eye(3) - h / 2 * A).inv() * (sp.eye(3) + h / 2 * A)).applyfunc(sp.cancel)


def _known_step() -> Judged:
    """The engine's amplification of (u, p, u1 = −P_J) beside the implicit midpoint rule."""
    turn = sp.diag(1, 1, -1)
    same = {}
    for branch, slipping in (("elastic", False), ("plus", True)):
        G = amplification("viscoplastic", branch)
        ours = turn * G.extract([0, 2, 3], [0, 2, 3]) * turn
        gauge = G.extract([0, 2, 3], [1]).is_zero_matrix
        same[branch] = gauge and (ours - midpoint(slipping)).applyfunc(sp.cancel).is_zero_matrix
    return judged(
        decide(not any(same.values()), all(same.values())),
        "amplification of (u, p̂, û1): equal to the implicit midpoint rule (Gauss collocation with one "
        f"stage) entry by entry on the branches {', '.join(b for b, yes in same.items() if yes)}; {J_o} "
        "does not enter",
        "a new derivation; the step itself is the implicit midpoint rule with an exact choice of branch",
    )


NOVELTY = (
    Claim("new action variation", "4, 7: the action variation is newly defined", _varying_action),
    Claim("new numerical method", "5, 7: the numerical method is newly developed", _known_step),
)
