"""Pendulums: large rotations, two links, a shaken pivot."""

from __future__ import annotations

import sympy as sp

from hamex.principle.action import Action
from hamex.principle.jets import t
from hamex.principle.library.entries import MASS, entry, function, positive

_LENGTH, _GRAVITY, _ANGLE = "length [length]", "gravity [length/s²]", "angle from the vertical [rad]"


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
