"""Oscillators beyond the paper: many masses, nonlinear, gyroscopic, with explicit time."""

from __future__ import annotations

import sympy as sp

from hamex.principle.action import Action, ActionError
from hamex.principle.jets import t
from hamex.principle.library.entries import DAMPING, DISPLACEMENT, LOAD, MASS, STIFFNESS, entry, function, positive


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
