"""Dimensions in force, length and time: a sum of unlike terms is wrong before anything is derived."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp
from sympy.core.function import AppliedUndef

_RAISED, _DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"
_LIKE = (sp.Add, sp.Abs, sp.Max, sp.Min)  # all arguments have the dimension of the whole


class UnknownDimensionError(ValueError):
    """A unit is missing or not understood."""


class MixedDimensionError(ValueError):
    """Terms of different dimensions are added; ``whole`` is their sum, ``found`` the dimensions."""

    def __init__(self, message: str, whole: sp.Expr | None = None, found: Iterable[Dimension] = ()) -> None:
        super().__init__(message)
        self.whole, self.found = whole, tuple(found)


@dataclass(frozen=True, order=True)
class Dimension:
    """Exponents of force, length and time."""

    force: Fraction = Fraction(0)
    length: Fraction = Fraction(0)
    time: Fraction = Fraction(0)

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(self.force + other.force, self.length + other.length, self.time + other.time)

    def __pow__(self, power: Fraction | int) -> Dimension:
        return Dimension(self.force * power, self.length * power, self.time * power)

    def __str__(self) -> str:
        """``force·length·time^-1`` and the like."""
        powers = (("force", self.force), ("length", self.length), ("time", self.time))
        return "·".join(name if power == 1 else f"{name}^{power}" for name, power in powers if power) or "1"

    @property
    def unit(self) -> str:
        """As a unit in words, which :func:`read_unit` reads: force length/s."""
        powers = (("force", self.force), ("length", self.length), ("s", self.time))
        raised = str.maketrans(_DIGITS, _RAISED)
        shown = [(base if abs(n) == 1 else f"{base}{str(abs(n)).translate(raised)}", n) for base, n in powers if n]
        above = " ".join(word for word, n in shown if n > 0) or "1"
        return "/".join([above, *(word for word, n in shown if n < 0)])


def dimension(force: int = 0, length: int = 0, time: int = 0) -> Dimension:
    """A dimension by whole exponents."""
    return Dimension(Fraction(force), Fraction(length), Fraction(time))


NONE, FORCE, LENGTH, TIME = dimension(), dimension(1), dimension(0, 1), dimension(0, 0, 1)
_BASES = {"force": FORCE, "length": LENGTH, "s": TIME, "1": NONE, "rad": NONE}


def read_unit(unit: str) -> Dimension:
    """A unit in words; a slash divides by the next factor alone.

    >>> str(read_unit("force s²/length"))
    'force·length^-1·time^2'
    """
    found, rest = _read_product(re.findall(r"[A-Za-z]+|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+|\d+|[()/^]", unit))
    if rest:
        raise UnknownDimensionError(unit)
    return found


def _read_product(tokens: list[str]) -> tuple[Dimension, list[str]]:
    total, sign = NONE, 1
    last = NONE  # what a raised number belongs to, once taken already
    while tokens and tokens[0] != ")":
        token, *tokens = tokens
        if token == "/":
            sign = -1
        elif token == "(":
            inside, tokens = _read_product(tokens)
            total, tokens, sign = total * inside**sign, tokens[1:], 1
        elif token in ("1", "rad"):
            last = NONE
        elif token in _BASES:
            last = _BASES[token] ** sign
            total, sign = total * last, 1
        elif token[0] in _RAISED:
            total *= last ** (int(token.translate(str.maketrans(_RAISED, _DIGITS))) - 1)
        else:
            raise UnknownDimensionError(token)
    return total, tokens


Given = Callable[[sp.Expr], Dimension | None]  # the dimension of a symbol or a field; None where it may be anything


def dimension_of(expression: sp.Expr, given: Given) -> Dimension | None:
    """Dimension of an expression; None when something of no known dimension decides it, or for zero, which has any."""
    if expression.is_number:
        return None if expression == 0 else NONE
    if isinstance(expression, sp.Symbol | AppliedUndef):
        return given(expression)
    if isinstance(expression, _LIKE):
        return alike([dimension_of(part, given) for part in expression.args], expression)
    if isinstance(expression, sp.Piecewise):
        return alike([dimension_of(value, given) for value, _ in expression.args], expression)
    if isinstance(expression, sp.Mul):
        return _product(dimension_of(factor, given) for factor in expression.args)
    if isinstance(expression, sp.Pow) and expression.exp.is_Rational:
        base = dimension_of(expression.base, given)
        return None if base is None else base ** Fraction(int(expression.exp.p), int(expression.exp.q))
    if isinstance(expression, sp.Derivative):
        steps = ((dimension_of(v, given), int(count)) for v, count in expression.variable_count)
        return _product([dimension_of(expression.expr, given), *(None if s is None else s**-n for s, n in steps)])
    if isinstance(expression, sp.Subs):  # a rate at an instant
        return dimension_of(expression.expr, given)
    if isinstance(expression, sp.Integral):
        return _product([dimension_of(expression.function, given), dimension_of(expression.limits[0][0], given)])
    inside = [dimension_of(argument, given) for argument in expression.args]
    if any(found not in (None, NONE) for found in inside):
        raise MixedDimensionError(f"{type(expression).__name__} of a quantity with a dimension", expression)
    return None if None in inside else NONE


def alike(found: Iterable[Dimension | None], whole: sp.Expr | None = None) -> Dimension | None:
    """The one dimension of things that are added or compared, as far as it is known."""
    known = sorted({one for one in found if one is not None})
    if len(known) > 1:
        raise MixedDimensionError(str(whole), whole, known)
    return known[0] if known else None


def _product(found: Iterable[Dimension | None]) -> Dimension | None:
    total = NONE
    for one in found:
        if one is None:
            return None
        total *= one
    return total
