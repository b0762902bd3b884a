"""The lumped systems of the paper."""

from __future__ import annotations

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.action import Action
from hamex.principle.jets import t
from hamex.principle.library.entries import (
    DAMPING,
    DISPLACEMENT,
    FLEXIBILITY,
    IMPULSE,
    KIM,
    LOAD,
    MASS,
    STIFFNESS,
    VISCOSITY,
    YIELD,
    entry,
    function,
    positive,
)
from hamex.principle.stepform import slider_potential

MIXED = {"u": DISPLACEMENT, "J": IMPULSE, "m": MASS, "a": FLEXIBILITY}


@entry
def harmonic() -> Action:
    """Mass on a spring, displacement alone, eqs. (1)-(12)."""
    (m, k), u = positive("m k"), function("u")
    return Action(
        (u,),
        m * u.diff(t) ** 2 / 2 - k * u**2 / 2,
        name="harmonic",
        citation=f"{KIM}, eqs. (1)-(12)",
        meanings={"u": DISPLACEMENT, "m": MASS, "k": STIFFNESS},
    )


@entry
def damped() -> Action:
    """Harmonic oscillator with Rayleigh's dissipation, eqs. (13)-(15)."""
    (m, k, c), u = positive("m k c"), function("u")
    return Action(
        (u,),
        m * u.diff(t) ** 2 / 2 - k * u**2 / 2,
        c * u.diff(t) ** 2 / 2,
        name="damped",
        citation=f"{KIM}, eqs. (13)-(15); Rayleigh, The Theory of Sound, 1877",
        meanings={"u": DISPLACEMENT, "m": MASS, "k": STIFFNESS, "c": DAMPING},
    )


@entry
def particle() -> Action:
    """Free particle, eqs. (27)-(33)."""
    (m,), u = positive("m"), function("u")
    return Action(
        (u,),
        m * u.diff(t) ** 2 / 2,
        name="particle",
        citation=f"{KIM}, eqs. (27)-(33)",
        meanings={"u": DISPLACEMENT, "m": MASS},
    )


def mixed_lagrangian(m: sp.Symbol, a: sp.Symbol) -> tuple[AppliedUndef, AppliedUndef, sp.Expr]:
    """u, J and L = ½mu̇² + ½aJ̇² − J̇u, eq. (17)."""
    u, J = function("u"), function("J")
    return u, J, m * u.diff(t) ** 2 / 2 + a * J.diff(t) ** 2 / 2 - J.diff(t) * u


@entry
def mixed() -> Action:
    """Mixed Lagrangian formalism, eqs. (16)-(26)."""
    m, a = positive("m a")
    u, J, lagrangian = mixed_lagrangian(m, a)
    return Action(
        (u, J),
        lagrangian,
        name="mixed",
        citation=f"{KIM}, eqs. (16)-(26); Sivaselvan and Reinhorn 2006",
        meanings=MIXED,
    )


@entry
def forced() -> Action:
    """Forced damped oscillator in mixed form, eqs. (45)-(55)."""
    m, a, c = positive("m a c")
    u, J, lagrangian = mixed_lagrangian(m, a)
    return Action(
        (u, J),
        lagrangian,
        c * u.diff(t) ** 2 / 2,
        {u: function("f")},
        name="forced",
        citation=f"{KIM}, eqs. (45)-(55)",
        meanings={**MIXED, "c": DAMPING, "f": LOAD},
    )


@entry
def viscoplastic() -> Action:
    """Elastic-viscoplastic oscillator, eqs. (56)-(68)."""
    m, a, c, Fy, eta = positive("m a c F_y eta")
    u, J, lagrangian = mixed_lagrangian(m, a)
    dissipation = c * u.diff(t) ** 2 / 2 + slider_potential(J.diff(t), Fy, eta)
    return Action(
        (u, J),
        lagrangian,
        dissipation,
        {u: function("f")},
        name="viscoplastic",
        citation=f"{KIM}, eqs. (56)-(68)",
        meanings={**MIXED, "c": DAMPING, "f": LOAD, "F_y": YIELD, "eta": VISCOSITY},
    )
