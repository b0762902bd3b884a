"""Expressions of fields: partial derivatives by fields and their derivatives, and whether an expression is zero.

SymPy differentiates by symbols; a Lagrangian depends on ``u``, ``u̇``, ``∂u/∂x`` … as if they were independent.
Each of them (a *jet coordinate*) is exchanged for a symbol, the derivative is taken, and the exchange undone. The same
exchange decides whether an expression vanishes identically: expansion first, then exact values at random places; no
open-ended search.
"""

from __future__ import annotations

import random
from functools import lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef

Index = tuple[sp.Symbol, ...]
t = sp.Symbol("t", real=True)
_PLACES, _PLACES_WITH_BRANCHES, _DIGITS = 3, 40, 60


def jet(field: AppliedUndef, index: Index) -> sp.Expr:
    """The derivative of a field by the variables in ``index``; the field itself for an empty one."""
    return sp.Derivative(field, *index) if index else field


def indices(expression: sp.Expr, field: AppliedUndef) -> list[Index]:
    """Which derivatives of a field occur in an expression, in a fixed order."""
    return list(_indices(expression, field))


@lru_cache(maxsize=2048)
def _indices(expression: sp.Expr, field: AppliedUndef) -> tuple[Index, ...]:
    """Asked again and again of one Lagrangian, with every field in turn."""
    found: set[Index] = set()
    for node in sp.preorder_traversal(expression):
        if isinstance(node, sp.Derivative) and node.expr == field:
            found.add(tuple(v for v, count in node.variable_count for _ in range(count)))
    bare = expression.xreplace({jet(field, i): sp.Dummy() for i in found})
    if bare.has(field):
        found.add(())
    return tuple(sorted(found, key=lambda i: (len(i), [v.name for v in i])))


def partial(expression: sp.Expr, field: AppliedUndef, index: Index = ()) -> sp.Expr:
    """∂expression/∂(∂^index field), every other jet coordinate held fixed."""
    symbols: dict[sp.Basic, sp.Dummy] = {}
    for function in expression.atoms(AppliedUndef) | {field}:
        for i in [*indices(expression, function), *([index] if function == field else [])]:
            symbols.setdefault(jet(function, i), sp.Dummy(real=True))
    back = {dummy: node for node, dummy in symbols.items()}
    return sp.diff(expression.xreplace(symbols), symbols[jet(field, index)]).xreplace(back)


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
