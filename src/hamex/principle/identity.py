"""Is an expression zero, identically? Expansion first, then exact values at random places; no open-ended search."""

from __future__ import annotations

import random

import sympy as sp
from sympy.core.function import AppliedUndef

_PLACES, _PLACES_WITH_BRANCHES, _DIGITS = 3, 40, 60


def is_zero(expression: sp.Expr) -> bool:
    """True when the expression vanishes identically.

    Fields and their derivatives are independent. What expansion does not settle is evaluated at random rational
    places: exactly when it is rational, with 60 digits when it contains sines or roots. A function that is not zero
    vanishes at such places with probability nil.
    """
    expanded = sp.expand(expression)
    if not expanded.free_symbols or not isinstance(expanded, sp.Expr):
        return bool(expanded == 0)
    flat = flattened(expanded)
    if not flat.has(sp.Piecewise):
        return all(_vanishes(flat, random.Random(seed)) for seed in range(_PLACES))
    # A branch may be far away: places of every size, so that each condition is met somewhere.
    return all(_vanishes(flat, random.Random(seed), spread=12) for seed in range(_PLACES_WITH_BRANCHES))


def flattened(expression: sp.Expr) -> sp.Expr:
    """The expression with every field and every derivative as a symbol of its own."""
    nodes = sorted(expression.atoms(sp.Derivative) | expression.atoms(AppliedUndef), key=sp.default_sort_key)
    return expression.xreplace({node: sp.Dummy(real=True) for node in nodes})


def rational(symbol: sp.Symbol, source: random.Random) -> sp.Rational:
    """A random value that the assumptions of a symbol allow."""
    value = sp.Rational(source.randint(1, 997), source.randint(1, 97))
    return value if symbol.is_positive or source.random() < 0.5 else -value


def _vanishes(flat: sp.Expr, source: random.Random, spread: int = 0) -> bool:
    places = {
        symbol: rational(symbol, source) * sp.Integer(10) ** source.randint(-spread, spread)
        for symbol in sorted(flat.free_symbols, key=sp.default_sort_key)
    }
    value = flat.xreplace(places).doit()
    if value.is_Rational:
        return bool(value == 0)
    number = sp.N(value, _DIGITS)
    # Cancellation to about all of the digits: the terms are of order one to 1e6 at these places.
    return bool(abs(number) < sp.Float(10) ** (20 - _DIGITS))
