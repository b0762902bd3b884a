"""Springs, dashpots and sliders: hardening, Maxwell, Kelvin-Voigt, Zener."""

from __future__ import annotations

import sympy as sp

from hamex.principle.action import Action
from hamex.principle.jets import t
from hamex.principle.library.entries import (
    DAMPING,
    DISPLACEMENT,
    LOAD,
    STIFFNESS,
    VISCOSITY,
    YIELD,
    entry,
    function,
    positive,
)
from hamex.principle.library.paper import MIXED, mixed_lagrangian


@entry
def hardening_slider() -> Action:
    """Viscoplastic oscillator with kinematic and isotropic hardening: back force X and growth R of the yield force.

    Both are rates of impulses, X = J̇_X and R = J̇_R, with the energies X²/2H_k and R²/2H_i; φ = ⟨|F−X| − F_y − R⟩²/2η
    then yields Ẋ = H_k u̇₁ and Ṙ = H_i |u̇₁|.
    """
    m, a, c, Fy, eta, Hk, Hi = positive("m a c F_y eta H_k H_i")
    u, J, lagrangian = mixed_lagrangian(m, a)
    JX, JR = function("J_X"), function("J_R")
    lagrangian += JX.diff(t) ** 2 / (2 * Hk) + JR.diff(t) ** 2 / (2 * Hi)
    over, limit = J.diff(t) - JX.diff(t), Fy + JR.diff(t)
    # Not `slider_potential`: the limit contains a rate, and φ must stay convex where it is negative.
    slider = sp.Piecewise(
        ((over - limit) ** 2 / (2 * eta), (over > limit) & (over >= 0)),
        ((over + limit) ** 2 / (2 * eta), over < -limit),
        (0, True),
    )
    return Action(
        (u, J, JX, JR),
        lagrangian,
        c * u.diff(t) ** 2 / 2 + slider,
        {u: function("f")},
        name="hardening-slider",
        citation="J. C. Simo and T. J. R. Hughes, Computational Inelasticity, Springer 1998, ch. 1",
        meanings={
            **MIXED,
            "J_X": "impulse of the back force [force s]",
            "J_R": "impulse of the growth of the yield force [force s]",
            "c": DAMPING,
            "f": LOAD,
            "F_y": YIELD,
            "eta": VISCOSITY,
            "H_k": "kinematic hardening stiffness [force/length]",
            "H_i": "isotropic hardening stiffness [force/length]",
        },
    )


@entry
def maxwell() -> Action:
    """Mass on a Maxwell element, spring and dashpot in series: the slider with zero yield force."""
    m, a, eta = positive("m a eta")
    u, J, lagrangian = mixed_lagrangian(m, a)
    return Action(
        (u, J),
        lagrangian,
        J.diff(t) ** 2 / (2 * eta),
        {u: function("f")},
        name="maxwell",
        citation="J. C. Maxwell, Phil. Trans. R. Soc. 157 (1867) 49",
        meanings={**MIXED, "f": LOAD, "eta": "viscosity of the dashpot in series [force s/length]"},
    )


@entry
def kelvin_voigt() -> Action:
    """Spring and dashpot side by side, no mass: a field without momentum, first order in time."""
    (k, c), u = positive("k c"), function("u")
    return Action(
        (u,),
        -k * u**2 / 2,
        c * u.diff(t) ** 2 / 2,
        {u: function("f")},
        name="kelvin-voigt",
        citation="W. Voigt, Annalen der Physik 283 (1892) 671",
        meanings={"u": DISPLACEMENT, "k": STIFFNESS, "c": DAMPING, "f": LOAD},
    )


@entry
def zener() -> Action:
    """Mass on a standard linear solid: a spring k beside a Maxwell arm."""
    m, a, k, eta = positive("m a k eta")
    u, J, lagrangian = mixed_lagrangian(m, a)
    return Action(
        (u, J),
        lagrangian - k * u**2 / 2,
        J.diff(t) ** 2 / (2 * eta),
        {u: function("f")},
        name="zener",
        citation="C. Zener, Elasticity and Anelasticity of Metals, University of Chicago Press 1948",
        meanings={
            **MIXED,
            "k": "stiffness of the spring beside the arm [force/length]",
            "f": LOAD,
            "eta": "viscosity of the dashpot in the arm [force s/length]",
        },
    )
