"""Sections 2 and 3, eqs. (1)-(26), derived."""

from __future__ import annotations

import sympy as sp

from hamex.paper.audit.engine import GENERIC, GENERIC_MIXED, brackets, bulk, known, variation, weak
from hamex.paper.audit.judging import Rule, against, sign_free
from hamex.paper.audit.notation import (
    WINDOW,
    A,
    F_name,
    J,
    L_name,
    Statement,
    T_name,
    U_name,
    a,
    dA,
    dot,
    k,
    m,
    phi_name,
    says,
    t0,
    t1,
    u,
)
from hamex.paper.audit.printed import printed_equation
from hamex.paper.audit.vocabulary import varied
from hamex.principle.action import Action
from hamex.principle.conditions import classical

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


def _spring_force() -> tuple[Statement, ...]:
    """The spring force is what stands beside m ü in the engine's equation of motion."""
    return (says(F_name, variation("mixed").bulk[u] - m * dot(u, 2)),)


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
    "17": against(_spring_force, "what balances m ü in the engine's equation of motion"),
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
