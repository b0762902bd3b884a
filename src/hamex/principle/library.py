"""A library of actions, each with its citation. ``LIBRARY`` lists them by name."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.action import Action, ActionError
from hamex.principle.jets import t
from hamex.principle.stepform import slider_potential

KIM = "J. Kim, Extended Hamilton's principle"
LIBRARY: dict[str, Callable[[], Action]] = {}


def entry(build: Callable[[], Action]) -> Callable[[], Action]:
    """Put a builder on the list under its own name, with hyphens."""
    LIBRARY[build.__name__.replace("_", "-")] = build
    return build


def action(name: str) -> Action:
    """An action of the library by name.

    >>> action("harmonic").name
    'harmonic'
    """
    if name not in LIBRARY:
        raise ActionError(f"no action is called {name!r}; known: {', '.join(LIBRARY)}")
    return LIBRARY[name]()


def function(name: str) -> AppliedUndef:
    """A field of time."""
    return sp.Function(name)(t)


def positive(names: str) -> list[sp.Symbol]:
    """Positive parameters."""
    return list(sp.symbols(names, positive=True, seq=True))


MASS, STIFFNESS, DAMPING = "mass [force s²/length]", "stiffness [force/length]", "damping coefficient [force s/length]"
FLEXIBILITY, VISCOSITY = "flexibility 1/k [length/force]", "viscosity beside the slider [force s/length]"


@entry
def harmonic() -> Action:
    """Mass on a spring, displacement alone, eqs. (1)-(12)."""
    (m, k), u = positive("m k"), function("u")
    return Action((u,), m * u.diff(t) ** 2 / 2 - k * u**2 / 2, name="harmonic", citation=f"{KIM}, eqs. (1)-(12)",
                  meanings={"u": "displacement [length]", "m": MASS, "k": STIFFNESS})


@entry
def damped() -> Action:
    """Harmonic oscillator with Rayleigh's dissipation, eqs. (13)-(15)."""
    (m, k, c), u = positive("m k c"), function("u")
    return Action((u,), m * u.diff(t) ** 2 / 2 - k * u**2 / 2, c * u.diff(t) ** 2 / 2, name="damped",
                  citation=f"{KIM}, eqs. (13)-(15); Rayleigh 1877",
                  meanings={"u": "displacement [length]", "m": MASS, "k": STIFFNESS, "c": DAMPING})


@entry
def particle() -> Action:
    """Free particle, eqs. (27)-(33)."""
    (m,), u = positive("m"), function("u")
    return Action((u,), m * u.diff(t) ** 2 / 2, name="particle", citation=f"{KIM}, eqs. (27)-(33)",
                  meanings={"u": "displacement [length]", "m": MASS})


def _mixed(m: sp.Symbol, a: sp.Symbol) -> tuple[AppliedUndef, AppliedUndef, sp.Expr]:
    u, J = function("u"), function("J")
    return u, J, m * u.diff(t) ** 2 / 2 + a * J.diff(t) ** 2 / 2 - J.diff(t) * u


_MIXED = {"u": "displacement [length]", "J": "impulse of the spring force [force s]", "m": MASS, "a": FLEXIBILITY}


@entry
def mixed() -> Action:
    """Mixed Lagrangian formalism, eqs. (16)-(26)."""
    m, a = positive("m a")
    u, J, lagrangian = _mixed(m, a)
    return Action((u, J), lagrangian, name="mixed", citation=f"{KIM}, eqs. (16)-(26); Sivaselvan and Reinhorn 2006",
                  meanings=_MIXED)


@entry
def forced() -> Action:
    """Forced damped oscillator in mixed form, eqs. (45)-(55)."""
    m, a, c = positive("m a c")
    u, J, lagrangian = _mixed(m, a)
    return Action((u, J), lagrangian, c * u.diff(t) ** 2 / 2, {u: function("f")}, name="forced",
                  citation=f"{KIM}, eqs. (45)-(55)", meanings={**_MIXED, "c": DAMPING, "f": "applied force [force]"})


@entry
def viscoplastic() -> Action:
    """Elastic-viscoplastic oscillator, eqs. (56)-(68)."""
    m, a, c, Fy, eta = positive("m a c F_y eta")
    u, J, lagrangian = _mixed(m, a)
    dissipation = c * u.diff(t) ** 2 / 2 + slider_potential(J.diff(t), Fy, eta)
    return Action((u, J), lagrangian, dissipation, {u: function("f")}, name="viscoplastic",
                  citation=f"{KIM}, eqs. (56)-(68)",
                  meanings={**_MIXED, "c": DAMPING, "f": "applied force [force]", "F_y": "yield force [force]",
                            "eta": VISCOSITY})
