"""Dimensions in force, length and time: a sum of unlike terms is a misprint that needs no derivation."""

from __future__ import annotations

import re
from fractions import Fraction

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.paper.audit.notation import NumberedEquation

Dimension = tuple[Fraction, Fraction, Fraction]


class DimensionError(ValueError):
    """A sum of unlike terms, or two sides that differ."""


def dimension(force: int = 0, length: int = 0, time: int = 0) -> Dimension:
    """Exponents of force, length and time."""
    return Fraction(force), Fraction(length), Fraction(time)


FORCE, LENGTH, TIME, NONE = dimension(1), dimension(0, 1), dimension(0, 0, 1), dimension()
ENERGY, ACTION, IMPULSE = dimension(1, 1), dimension(1, 1, 1), dimension(1, 0, 1)

# By the letters of `notation`; indices and hats are stripped first. What is not listed may be anything.
LETTERS: dict[str, Dimension] = {
    "m": dimension(1, -1, 2),
    "k": dimension(1, -1),
    "c": dimension(1, -1, 1),
    "a": dimension(-1, 1),
    "eta": dimension(1, -1, 1),
    "F_y": FORCE,
    "F": FORCE,
    "f": FORCE,
    "f_u": FORCE,
    "u": LENGTH,
    "J": IMPULSE,
    "u1": LENGTH,
    "phat": IMPULSE,
    "P_u": IMPULSE,
    "P_J": LENGTH,
    "s": LENGTH,
    "t": TIME,
    "h": TIME,
    "t_old": TIME,
    "vu": LENGTH,
    "vuhat": LENGTH,
    "vJ": IMPULSE,
    "delta_u": LENGTH,
    "deltahat_u": LENGTH,
    "delta_J": IMPULSE,
    "A": ACTION,
    "dA": ACTION,
    "dA_NEW": ACTION,
    "L": ENERGY,
    "T": ENERGY,
    "U": ENERGY,
    "phi": dimension(1, 1, -1),
    "vhat": dimension(0, 1, -1),
    "vbar": dimension(0, 1, -1),
    "uhat": LENGTH,
    "ubar": LENGTH,
    "I_hat": IMPULSE,
    "alpha": IMPULSE,
    "beta": dimension(-1, 1, -1),
    "gamma": LENGTH,
    "u_a": LENGTH,
    "F_mean": FORCE,
    "rho": dimension(1, -4, 2),
    "flex": dimension(-1, 2),
    "S": dimension(1, -2, 1),
    "delta_S": dimension(1, -2, 1),
    "b": dimension(1, -3),
    "that": dimension(1, -2),
    "tbar": dimension(1, -2),
    "n_x": NONE,
    "n_y": NONE,
    "n_z": NONE,
    "x": LENGTH,
    "y": LENGTH,
    "z": LENGTH,
    "l": dimension(1, -2),
    "V": ENERGY,
    "X": dimension(0, 0, 2),
    "Y": dimension(0, 0, 2),
    "int": TIME,
    "end": NONE,
    "volume": dimension(0, 3),
    "volume-time": dimension(0, 3, 1),
    "volume-end": dimension(0, 3),
    "surface-time": dimension(0, 2, 1),
    "part-time": dimension(0, 2, 1),
    "part": dimension(0, 2),
    "W": ACTION,
}


def of(expression: sp.Expr) -> Dimension | None:
    """Dimension of an expression; None when a letter without a listed dimension decides it."""
    if expression.is_number:
        return None if expression == 0 else NONE
    if isinstance(expression, sp.Add):
        return _alike([of(term) for term in expression.args], expression)
    if isinstance(expression, sp.Mul):
        return _product([of(factor) for factor in expression.args])
    if isinstance(expression, sp.Pow):
        base = of(expression.base)
        power = expression.exp
        return None if base is None or not power.is_Rational else _scaled(base, Fraction(int(power.p), int(power.q)))
    if isinstance(expression, sp.Derivative):
        inner = of(expression.expr)
        for variable, count in expression.variable_count:
            step = of(variable)
            inner = None if inner is None or step is None else _product([inner, _scaled(step, Fraction(-int(count)))])
        return inner
    if isinstance(expression, sp.Abs | sp.Max):
        return _alike([of(argument) for argument in expression.args], expression)
    if isinstance(expression, sp.Symbol | AppliedUndef):
        return LETTERS.get(
            _letter(expression.func.__name__ if isinstance(expression, AppliedUndef) else expression.name)
        )
    return None


def fault(equation: NumberedEquation) -> str:
    """What is dimensionally wrong with an equation, or nothing."""
    for statement in equation.statements:
        try:
            _alike([of(sp.expand(statement.left)), of(sp.expand(statement.right))], None)
        except DimensionError as problem:
            return str(problem)
    return ""


def text(found: Dimension) -> str:
    """``force·length·s²`` and the like."""
    parts = [
        name if power == 1 else f"{name}^{power}"
        for name, power in zip(("force", "length", "time"), found, strict=True)
        if power
    ]
    return "·".join(parts) or "1"


def _letter(name: str) -> str:
    """``S12`` → S, ``vu_0`` → vu, ``int[0,T]`` → int; names that are listed as they are stay."""
    bare = re.sub(r"\[.*\]$", "", name)
    if bare in LETTERS:
        return bare
    return re.sub(r"_?\d+$", "", bare)


def _alike(found: list[Dimension | None], whole: sp.Expr | None) -> Dimension | None:
    known = sorted({one for one in found if one is not None})
    if len(known) > 1:
        place = f" in {sp.sstr(whole)}" if whole is not None and whole.count_ops() < 12 else ""
        raise DimensionError(f"dimensions differ{place}: {' against '.join(text(one) for one in known)}")
    return known[0] if known else None


def _product(found: list[Dimension | None]) -> Dimension | None:
    total = [Fraction(0)] * 3
    for one in found:
        if one is None:
            return None
        total = [x + y for x, y in zip(total, one, strict=True)]
    return total[0], total[1], total[2]


def _scaled(one: Dimension, power: Fraction) -> Dimension:
    return one[0] * power, one[1] * power, one[2] * power
