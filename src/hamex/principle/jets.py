"""Expressions of fields: partial derivatives by fields and their derivatives, and whether an expression is zero.

SymPy differentiates by symbols; a Lagrangian depends on ``u``, ``u̇``, ``∂u/∂x`` … as if they were independent.
Each of them (a *jet coordinate*) is exchanged for a symbol, the derivative is taken, and the exchange undone. The same
exchange decides whether an expression vanishes identically. Expansion and the rational normal form prove what they
reach; the rest is evaluated at random places of several sizes. A value is zero only when no digit of it stands out
from the round-off of the terms it is the sum of, however small it is: x·exp(−1000x²) has all its digits at x = 3, and
10^{−3908} is not zero. No open-ended search.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef

Index = tuple[sp.Symbol, ...]
t = sp.Symbol("t", real=True)
_KEPT = 4096  # the same derivatives of one Lagrangian are asked for by everyone
_BLANK = sp.Dummy()
_SIZES = (0, 0, -2, 2, -4, 1)  # powers of ten of the places: near one first, where most things show
_BRANCHES, _SPREAD = 40, 12  # places, and their sizes, where a Piecewise may hide something
_DIGITS, _MOST = 15, 120  # digits wanted of a value, and those spent on finding them
_PROVABLE = 400  # operations up to which the rational normal form is tried
_LARGEST = 10**6 + 3


def jet(field: AppliedUndef, index: Index) -> sp.Expr:
    """The derivative of a field by the variables in ``index``; the field itself for an empty one."""
    return sp.Derivative(field, *index) if index else field


def indices(expression: sp.Expr, field: AppliedUndef) -> list[Index]:
    """Which derivatives of a field occur in an expression, in a fixed order."""
    return list(_indices(expression, field))


@lru_cache(maxsize=_KEPT)
def _indices(expression: sp.Expr, field: AppliedUndef) -> tuple[Index, ...]:
    nodes = [node for node in expression.atoms(sp.Derivative) if node.expr == field]
    found: set[Index] = {tuple(v for v, count in node.variable_count for _ in range(count)) for node in nodes}
    if expression.xreplace({node: _BLANK for node in nodes}).has(field):
        found.add(())
    return tuple(sorted(found, key=lambda i: (len(i), [v.name for v in i])))


@lru_cache(maxsize=_KEPT)
def partial(expression: sp.Expr, field: AppliedUndef, index: Index = ()) -> sp.Expr:
    """∂expression/∂(∂^index field), every other jet coordinate held fixed."""
    wanted = jet(field, index)
    nodes = sorted(expression.atoms(sp.Derivative, AppliedUndef) | {wanted}, key=sp.default_sort_key)
    symbols = {node: sp.Dummy(real=True) for node in nodes}
    back = {dummy: node for node, dummy in symbols.items()}
    return sp.diff(expression.xreplace(symbols), symbols[wanted]).xreplace(back)


def is_zero(expression: sp.Expr) -> bool:
    """True when the expression vanishes identically; fields and their derivatives are independent.

    "False" is proved by a value that is not zero. "True" is proved by expansion or by the rational normal form in what
    occurs (sines, exponentials and roots as letters of their own, squares of sines replaced); where these do not reach,
    the values at random places are zero to 120 digits, and a function that is not zero does that with probability nil.

    >>> x = sp.Symbol("x", real=True)
    >>> is_zero(x * sp.exp(-1000 * x**2)), is_zero(sp.sin(2 * x) - 2 * sp.sin(x) * sp.cos(x))
    (False, True)
    """
    flat = flattened(sp.expand(expression))
    if not isinstance(flat, sp.Expr) or flat.is_Rational:
        return bool(flat == 0)
    if flat.has(sp.Piecewise):
        # A branch may be far away: places of every size, so that each condition is met somewhere.
        sources = [random.Random(seed) for seed in range(_BRANCHES)]
        return not any(_stands_out(flat, s, [s.randint(-_SPREAD, _SPREAD) for _ in flat.free_symbols]) for s in sources)
    if _stands_out(flat, random.Random(0)):
        return False
    if _normal_form_vanishes(flat):
        return True
    return not any(
        _stands_out(flat, random.Random(seed), [size] * len(flat.free_symbols)) for seed, size in enumerate(_SIZES, 1)
    )


def flattened(expression: sp.Expr) -> sp.Expr:
    """The expression with every field and every derivative as a symbol of its own."""
    nodes = sorted(expression.atoms(sp.Derivative) | expression.atoms(AppliedUndef), key=sp.default_sort_key)
    return expression.xreplace({node: sp.Dummy(real=True) for node in nodes})


def random_place(
    symbols: Iterable[sp.Symbol], source: random.Random, sizes: Sequence[int] = ()
) -> dict[sp.Symbol, sp.Rational]:
    """Rational values between a third and three, times powers of ten, with signs that the assumptions allow."""
    places: dict[sp.Symbol, sp.Rational] = {}
    for i, symbol in enumerate(sorted(symbols, key=sp.default_sort_key)):
        size = sizes[i] if i < len(sizes) else 0
        value = sp.Rational(source.randint(_LARGEST // 3, 3 * _LARGEST), _LARGEST) * sp.Integer(10) ** size
        places[symbol] = value if symbol.is_nonnegative or source.random() < 0.5 else -value
    return places


def _stands_out(flat: sp.Expr, source: random.Random, sizes: Sequence[int] = ()) -> bool:
    """True when the value at a random place is proved not to be zero."""
    value = flat.xreplace(random_place(flat.free_symbols, source, sizes)).doit()
    if value.is_Rational:
        return bool(value != 0)
    if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        return False  # a pole: this place says nothing
    # evalf follows the error of every sum and takes more digits while terms cancel; a number without one sure digit
    # has precision 1. It knows no underflow: exponents are integers.
    return any(
        part.is_Float and part._prec > 1 and part != 0 for part in value.evalf(_DIGITS, maxn=_MOST).as_real_imag()
    )


def _normal_form_vanishes(flat: sp.Expr) -> bool:
    """True when the numerator over a common denominator is the zero polynomial in the letters and functions."""
    if flat.count_ops() > _PROVABLE:
        return False
    numerator = sp.expand(sp.fraction(sp.together(flat))[0], power_exp=True)
    squares = {node: 1 - sp.cos(node.args[0]) ** 2 for node in numerator.atoms(sp.sin)}
    for sine, rest in squares.items():
        letter = sp.Dummy()
        numerator = sp.expand(numerator.xreplace({sine: letter}))
        powers = sp.collect(numerator, letter, evaluate=False)
        numerator = sum(
            (c * rest ** (sp.degree(p, letter) // 2) * sine ** (sp.degree(p, letter) % 2) for p, c in powers.items()),
            sp.S.Zero,
        )
    return bool(sp.expand(numerator) == 0)


def pythagoras(expression: sp.Expr) -> sp.Expr:
    """sin² + cos² = 1, where that makes it shorter."""
    for sine in sorted(expression.atoms(sp.sin), key=sp.default_sort_key):
        trial = sp.expand(expression.xreplace({sine**2: 1 - sp.cos(sine.args[0]) ** 2}))
        expression = min(expression, trial, key=lambda e: e.count_ops())
    return expression
