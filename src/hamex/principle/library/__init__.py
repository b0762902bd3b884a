"""A library of actions, each with its citation: ``LIBRARY`` lists them by name, ``action(name)`` builds one.

Here stand lumped systems beyond the paper: oscillators (many masses, nonlinear, gyroscopic, with explicit time),
pendulums (large rotations, two links, a shaken pivot), and springs, dashpots and sliders (hardening, Maxwell,
Kelvin-Voigt, Zener); the paper's own and continua stand in ``entries``.
"""

from __future__ import annotations

import sympy as sp

from hamex.principle.action import Action, ActionError
from hamex.principle.jets import t
from hamex.principle.library.entries import (
    DAMPING,
    DISPLACEMENT,
    KIM,
    LIBRARY,
    LOAD,
    MASS,
    MIXED,
    STIFFNESS,
    VISCOSITY,
    YIELD,
    action,
    entry,
    function,
    mixed_lagrangian,
    positive,
)

__all__ = ["KIM", "LIBRARY", "action", "chain", "function", "positive"]

_LENGTH, _GRAVITY, _ANGLE = "length [length]", "gravity [length/s²]", "angle from the vertical [rad]"


@entry
def chain(n: int = 3) -> Action:
    """n masses in a row, fixed at the left; spring k_i and dashpot c_i lead from mass i − 1 to mass i, force f_i on it.

    >>> [str(q) for q in chain(2).fields]
    ['u_1(t)', 'u_2(t)']
    """
    if n < 1:
        raise ActionError(f"chain: the number of masses must be at least 1, got {n}")
    u = [function(f"u_{i}") for i in range(1, n + 1)]
    m, k, c = (positive(" ".join(f"{letter}_{i}" for i in range(1, n + 1))) for letter in "mkc")
    stretch = [u[i] - (u[i - 1] if i else 0) for i in range(n)]
    lagrangian = sum(((m[i] * u[i].diff(t) ** 2 - k[i] * stretch[i] ** 2) / 2 for i in range(n)), sp.S.Zero)
    dissipation = sum((c[i] * stretch[i].diff(t) ** 2 / 2 for i in range(n)), sp.S.Zero)
    words = {"u": DISPLACEMENT, "m": MASS, "k": STIFFNESS, "c": DAMPING, "f": LOAD}
    return Action(
        tuple(u),
        lagrangian,
        dissipation,
        {u[i]: function(f"f_{i + 1}") for i in range(n)},
        name="chain",
        citation="J. L. Lagrange, Mécanique analytique, 1788, part II, section VI; "
        "Rayleigh, The Theory of Sound, 1877, ch. IV",
        meanings={
            f"{letter}_{i}": f"{word[: word.index('[')]}{i} {word[word.index('[') :]}"
            for letter, word in words.items()
            for i in range(1, n + 1)
        },
    )


@entry
def duffing() -> Action:
    """Mass on a spring that stiffens with the cube of the displacement, damped and forced."""
    (m, k, k3, c), u = positive("m k k_3 c"), function("u")
    lagrangian = m * u.diff(t) ** 2 / 2 - k * u**2 / 2 - k3 * u**4 / 4
    return Action(
        (u,),
        lagrangian,
        c * u.diff(t) ** 2 / 2,
        {u: function("f")},
        name="duffing",
        citation="G. Duffing, Erzwungene Schwingungen bei veränderlicher Eigenfrequenz, Vieweg 1918",
        meanings={
            "u": DISPLACEMENT,
            "m": MASS,
            "k": STIFFNESS,
            "c": DAMPING,
            "f": LOAD,
            "k_3": "cubic stiffness [force/length³]",
        },
    )


@entry
def gyroscopic() -> Action:
    """Mass on two equal springs in a frame that turns: the momentum is m(ẋ − Ωy), not mẋ."""
    m, k, spin = positive("m k Omega")
    x, y = function("x"), function("y")
    kinetic = m * ((x.diff(t) - spin * y) ** 2 + (y.diff(t) + spin * x) ** 2) / 2
    return Action(
        (x, y),
        sp.expand(kinetic) - k * (x**2 + y**2) / 2,
        name="gyroscopic",
        citation="L. Meirovitch, Methods of Analytical Dynamics, McGraw-Hill 1970, ch. 6",
        meanings={
            "x": "position along the first turning axis [length]",
            "y": "position along the second turning axis [length]",
            "m": MASS,
            "k": STIFFNESS,
            "Omega": "angular velocity of the frame [1/s]",
        },
    )


@entry
def caldirola_kanai() -> Action:
    """Damped oscillator from a Lagrangian that grows with time: its momentum is e^{γt} m u̇, its H is not the energy."""
    (m, k, gamma), u = positive("m k gamma"), function("u")
    lagrangian = sp.exp(gamma * t) * (m * u.diff(t) ** 2 / 2 - k * u**2 / 2)
    return Action(
        (u,),
        lagrangian,
        name="caldirola-kanai",
        citation="P. Caldirola, Nuovo Cimento 18 (1941) 393; E. Kanai, Prog. Theor. Phys. 3 (1948) 440",
        meanings={"u": DISPLACEMENT, "m": MASS, "k": STIFFNESS, "gamma": "damping over mass, c/m [1/s]"},
    )


@entry
def pendulum() -> Action:
    """A point mass on a massless rod, any angle."""
    (m, l, g), theta = positive("m l g"), function("theta")
    return Action(
        (theta,),
        m * l**2 * theta.diff(t) ** 2 / 2 + m * g * l * sp.cos(theta),
        name="pendulum",
        citation="L. D. Landau and E. M. Lifshitz, Mechanics, 3rd ed. 1976, § 5",
        meanings={"theta": _ANGLE, "m": MASS, "l": _LENGTH, "g": _GRAVITY},
    )


@entry
def double_pendulum() -> Action:
    """A pendulum on a pendulum: chaotic, its energy is the check."""
    m1, m2, l1, l2, g = positive("m_1 m_2 l_1 l_2 g")
    a, b = function("theta_1"), function("theta_2")
    kinetic = (m1 + m2) * l1**2 * a.diff(t) ** 2 / 2 + m2 * l2**2 * b.diff(t) ** 2 / 2
    kinetic += m2 * l1 * l2 * a.diff(t) * b.diff(t) * sp.cos(a - b)
    weight = (m1 + m2) * g * l1 * sp.cos(a) + m2 * g * l2 * sp.cos(b)
    return Action(
        (a, b),
        kinetic + weight,
        name="double-pendulum",
        citation="L. D. Landau and E. M. Lifshitz, Mechanics, 3rd ed. 1976, § 5, problem 1",
        meanings={
            "theta_1": f"first {_ANGLE}",
            "theta_2": f"second {_ANGLE}",
            "m_1": f"first {MASS}",
            "m_2": f"second {MASS}",
            "l_1": f"first {_LENGTH}",
            "l_2": f"second {_LENGTH}",
            "g": _GRAVITY,
        },
    )


@entry
def parametric_pendulum() -> Action:
    """A pendulum whose pivot moves up and down by d cos Ωt: L depends on time, so dH/dt = −∂L/∂t."""
    (m, l, g, d, omega), theta = positive("m l g d Omega"), function("theta")
    lagrangian = m * l**2 * theta.diff(t) ** 2 / 2 + m * l * (g - d * omega**2 * sp.cos(omega * t)) * sp.cos(theta)
    return Action(
        (theta,),
        lagrangian,
        name="parametric-pendulum",
        citation="L. D. Landau and E. M. Lifshitz, Mechanics, 3rd ed. 1976, § 5, problem 3c, and § 30",
        meanings={
            "theta": _ANGLE,
            "m": MASS,
            "l": _LENGTH,
            "g": _GRAVITY,
            "d": "amplitude of the pivot [length]",
            "Omega": "circular frequency of the pivot [1/s]",
        },
    )


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
