"""The list of the library, and the words and shorthands its entries share."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import TypeVar

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.action import Action, ActionError
from hamex.principle.jets import t

LIBRARY: dict[str, Callable[[], Action]] = {}
Builder = TypeVar("Builder", bound=Callable[..., Action])

KIM = "J. Kim, Extended Hamilton's principle"
DISPLACEMENT, LOAD = "displacement [length]", "applied force [force]"
IMPULSE = "impulse of the spring force [force s]"
MASS, STIFFNESS, DAMPING = "mass [force s²/length]", "stiffness [force/length]", "damping coefficient [force s/length]"
FLEXIBILITY, VISCOSITY = "flexibility 1/k [length/force]", "viscosity beside the slider [force s/length]"
YIELD = "yield force [force]"


def entry(build: Builder) -> Builder:
    """Put a builder on the list under its own name, with hyphens; it must work without arguments."""
    LIBRARY[build.__name__.replace("_", "-")] = build
    return build


def action(name: str) -> Action:
    """An action of the library by name.

    >>> action("harmonic").name
    'harmonic'
    """
    if name not in LIBRARY:
        near = get_close_matches(name, LIBRARY, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ActionError(f"no action is called {name!r}; {hint}known: {', '.join(sorted(LIBRARY))}")
    return LIBRARY[name]()


def function(name: str) -> AppliedUndef:
    """A field of time."""
    return sp.Function(name)(t)


def positive(names: str) -> list[sp.Symbol]:
    """Positive parameters."""
    return list(sp.symbols(names, positive=True, seq=True))
