"""Dimensions from the units in the meanings: every term of L must have the same one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from hamex.principle.action import Action
from hamex.principle.jets import t
from hamex.report.derivation.tree import Expr, is_field

Dimension = dict[str, Fraction]
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_BASES = ("force", "length", "s")


class UnknownDimensionError(ValueError):
    """A unit is missing or not understood."""


class MixedDimensionError(ValueError):
    """Terms of different dimensions are added."""


def read(unit: str) -> Dimension:
    """A unit in words: ``force s²/length``; a slash divides by the next factor alone.

    >>> read("force s²/length")
    {'force': Fraction(1, 1), 's': Fraction(2, 1), 'length': Fraction(-1, 1)}
    """
    tokens = re.findall(r"[A-Za-z]+|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+|\d+|[()/^]", unit)
    found, rest = _product(tokens)
    if rest:
        raise UnknownDimensionError(unit)
    return found


def _product(tokens: list[str]) -> tuple[Dimension, list[str]]:
    total: Dimension = {}
    sign, last = 1, Fraction(1)
    before: Dimension = {}
    while tokens and tokens[0] != ")":
        token, *tokens = tokens
        if token == "/":
            sign = -1
        elif token == "(":
            inside, tokens = _product(tokens)
            total, tokens, sign = times(total, inside, sign), tokens[1:], 1
        elif token in _BASES:
            before, last = {token: Fraction(1)}, Fraction(sign)
            total, sign = times(total, before, int(last)), 1
        elif token[0] in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻":
            total = times(total, before, last * (int(token.translate(_RAISED)) - 1))
        elif token in ("1", "rad"):
            before, sign = {}, sign
        else:
            raise UnknownDimensionError(token)
    return total, tokens


def times(first: Mapping[str, Fraction], second: Mapping[str, Fraction], power: Fraction | int = 1) -> Dimension:
    """The dimension of a product."""
    total = {b: first.get(b, Fraction(0)) + power * second.get(b, Fraction(0)) for b in (*first, *second)}
    return {b: n for b, n in total.items() if n}


def of(expression: Expr, action: Action) -> Dimension:
    """The dimension of an expression; an error when terms do not agree or a unit is not known."""
    kind = type(expression).__name__
    if expression.is_Number or expression.is_NumberSymbol:
        return {}
    if expression == t:
        return {"s": Fraction(1)}
    if expression in action.space:
        return {"length": Fraction(1)}
    if expression.is_Symbol or is_field(expression):
        return _given(expression.name if expression.is_Symbol else kind, action)
    if expression.is_Mul:
        total: Dimension = {}
        for factor in expression.args:
            total = times(total, of(factor, action))
        return total
    if expression.is_Pow and expression.exp.is_Rational:
        return times({}, of(expression.base, action), Fraction(int(expression.exp.p), int(expression.exp.q)))
    if getattr(expression, "is_Derivative", False):
        total = of(expression.expr, action)
        for variable, count in expression.variable_count:
            total = times(total, of(variable, action), -int(count))
        return total
    return _several(expression, kind, action)


def _several(expression: Any, kind: str, action: Action) -> Dimension:
    if expression.is_Add or kind == "Piecewise":
        parts = expression.args if expression.is_Add else [value for value, _ in expression.args]
        found = [of(part, action) for part in parts if part != 0]
        if any(other != found[0] for other in found[1:]):
            raise MixedDimensionError(str(expression))
        return found[0] if found else {}
    if kind == "Integral":
        return times(of(expression.args[0], action), of(expression.args[1].args[0], action))
    if any(of(argument, action) for argument in expression.args):
        raise MixedDimensionError(f"{kind} of a quantity with a dimension")
    return {}


def _given(letter: str, action: Action) -> Dimension:
    meaning = action.meanings.get(letter, "")
    if "[" not in meaning:
        raise UnknownDimensionError(f"the meaning of {letter} names no unit")
    return read(meaning[meaning.index("[") + 1:].rstrip("] "))


def words(dimension: Dimension) -> str:
    """A dimension in words: force length/s."""
    raised = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

    def power(base: str, n: Fraction) -> str:
        return base if n == 1 else f"{base}{str(n).translate(raised)}"

    above = [power(b, dimension[b]) for b in _BASES if dimension.get(b, 0) > 0]
    below = [power(b, -dimension[b]) for b in _BASES if dimension.get(b, 0) < 0]
    return "/".join([" ".join(above) or "1", *below])
