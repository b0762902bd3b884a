r"""Expressions of the principle as formulas, as the paper writes them: u̇, δu, p̂, u,x.

A walk over the tree rather than SymPy's own printers, which write strings: fields lose their arguments, the highest
derivative stands first, and long sums come as terms, so that lines can be broken.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from hamex.principle.conditions import T
from hamex.principle.jets import t
from hamex.principle.stepform import h
from hamex.report.derivation.atoms import BLANK, EQUAL, LESS, MINUS, MORE, PARTIAL, PLUS, ROOM, Fence, Letter, Sign
from hamex.report.derivation.formula import (
    GREEK,
    Formula,
    Part,
    bracket,
    cases,
    exp,
    fraction,
    integral,
    joined,
    letter,
    listed,
    matrix,
    measure,
    root,
    small_fraction,
    spaced,
    tight,
    upright,
    virtual,
    words,
)

Expr = Any  # a SymPy expression, which has no types
_FUNCTIONS = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "exp"}
_LEAST, _MOST, _OTHER = Sign(r"\geq", "≥"), Sign(r"\leq", "≤"), Sign(r"\neq", "≠")
_RELATIONS = {
    "Equality": EQUAL,
    "StrictLessThan": LESS,
    "LessThan": _MOST,
    "StrictGreaterThan": MORE,
    "GreaterThan": _LEAST,
    "Unequality": _OTHER,
}
_DOTS = {1: "dot", 2: "ddot"}


# Names: ``theta_1`` is θ with an index, ``phat_u`` a reserved momentum.


@cache
def _split(name: str) -> tuple[Formula, Formula]:
    """Base and index of a name: ``J_xx`` → (J, xx), ``u1`` → (u, 1), ``F_y`` → (F, y)."""
    base, _, index = name.strip("_").partition("_")
    if not index:
        found = re.fullmatch(r"([A-Za-z]+?)(\d+)", base)
        if found:
            base, index = found.groups()
    return _word(base), joined((_word(part, index=True) for part in index.split("_") if part), ",")


def _word(word: str, index: bool = False) -> Formula:
    if word in GREEK or len(word) <= 1 or word.isdigit() or (index and len(word) <= 3):
        return tight(word)
    found = re.fullmatch(r"([A-Za-z]+?)(\d+)", word)
    if found and index:
        return tight(_word(found[1]), found[2])
    return upright(re.sub("[^A-Za-z0-9]", "", word))


def accented(name: str, accent: str = "", *more: Part) -> Formula:
    """A name with an accent on its base (``dot``, ``hat`` …) and further indices behind its own."""
    base, index = _split(name)
    body: Formula = getattr(base, accent) if accent else base
    indices = tight(index, *more)
    return body[indices] if indices else body


def symbol(name: str) -> Formula:
    """A parameter; ``slope_J`` is ∂φ/∂J̇ where its pieces would be in the way."""
    if name.startswith("slope_"):
        rate = accented(name.removeprefix("slope_"), "dot")
        return fraction(tight(PARTIAL, letter("varphi")), spaced(PARTIAL, rate))
    return accented(name)


def letter_of(name: str) -> Formula:
    """The letter of a name without its index."""
    return _split(name)[0]


def momentum(name: str, accent: str = "hat", *more: Part) -> Formula:
    """The momentum of a field; with a hat while it is reserved and not yet assigned."""
    p = letter("p")
    return (getattr(p, accent) if accent else p)[tight(accented(name), *more)]


# Trees


def rate(expression: Expr) -> int:
    """The highest order of a time derivative inside an expression."""
    orders = [
        sum(int(n) for v, n in node.variable_count if v == t)
        for node in walk(expression)
        if getattr(node, "is_Derivative", False)
    ]
    return max(orders, default=0)


def walk(expression: Expr) -> list[Any]:
    """Every node of a tree, the root first."""
    found = [expression]
    for node in found:
        found.extend(node.args)
    return found


def is_field(node: Expr) -> bool:
    """True for an unknown or given function of time, false for sin and its like."""
    return bool(getattr(node, "is_Function", False) and hasattr(type(node), "name"))


def rank(term: Expr) -> tuple[Any, ...]:
    """Inertia first, loads last; among equals small letters before capitals (u before J), low powers of h first."""
    nodes = walk(term)
    load = not rate(term) and any(is_field(node) and type(node).__name__[0] in "fFqQ" for node in nodes)
    fields = [type(node).__name__.swapcase() for node in nodes if is_field(node)]
    power = float(term.as_coeff_exponent(h)[1]) if not fields and term.has(h) else 0.0
    integral = any(type(node).__name__ == "Integral" for node in nodes)
    return -rate(term), integral or load, max(fields, default=""), power


def formula_of(expression: Expr) -> Formula:
    """An expression as a formula."""
    kind = type(expression).__name__
    if getattr(expression, "is_Matrix", False):
        return matrix([[formula_of(expression[i, j]) for j in range(expression.cols)] for i in range(expression.rows)])
    if expression.is_Symbol:
        return symbol(expression.name)
    if kind in _RELATIONS:
        return _relation(expression, kind)
    if expression.is_Number or expression.is_NumberSymbol:
        return _number(expression)
    if expression.is_Add:
        return spaced(*terms(expression))
    if expression.is_Mul:
        return _product(expression)
    if expression.is_Pow:
        return _power(expression)
    return _other(expression, kind)


def terms(expression: Expr) -> list[Formula]:
    """The terms of a sum with their signs, inertia first: m ü, + k u."""
    if not expression.is_Add:
        return [formula_of(expression)]
    ordered = sorted(expression.as_ordered_terms(), key=rank)
    if _negative(ordered[0]):  # a sum starts with a positive term if it has one
        ordered.sort(key=_negative)
    first, *others = (formula_of(term) for term in ordered)
    return [first, *(other.continued for other in others)]


def _negative(term: Expr) -> bool:
    return bool(term.as_coeff_Mul()[0].is_negative)


def _number(number: Expr) -> Formula:
    if number.is_Rational and number.q != 1:
        found = fraction(abs(int(number.p)), int(number.q))
        return -found if number.p < 0 else found
    infinity = tight(Letter(r"\infty", "∞"))
    known = {"pi": letter("pi"), "E": upright("e"), "oo": infinity, "-oo": -infinity}
    digits = str(number)
    return known.get(digits) or (-letter(digits[1:]) if digits.startswith("-") else letter(digits))


def _product(product: Expr) -> Formula:
    coefficient, _ = product.as_coeff_Mul()
    sign = tight(MINUS) if coefficient.is_negative else Formula()
    above: list[Any] = []
    below: list[Any] = []
    sums: list[Any] = []
    for factor in product.args:
        if factor.is_Rational:
            above += [str(abs(factor.p))] if abs(factor.p) != 1 else []
            below += [str(factor.q)] if factor.q != 1 else []
        elif factor.is_Pow and factor.exp.could_extract_minus_sign() and factor.base != 0 and str(factor.base) != "E":
            below.append(factor.base**-factor.exp)
        else:
            (sums if factor.is_Add or factor.is_Piecewise else above).append(factor)
    numerator, denominator = _factors(above), _factors(below)
    tail = tight(*(_bracketed(s) for s in sums))
    if not below:
        return spaced(tight(sign, numerator), tail)
    if sums and any(getattr(f, "is_Add", False) for f in below):
        return tight(sign, fraction(_factors([*above, *sums]), denominator))
    if not numerator and len(sums) == 1 and not sums[0].is_Piecewise:
        return tight(sign, fraction(formula_of(sums[0]), denominator))
    symbolic = [f for f in above if not isinstance(f, str)]
    if not [f for f in below if not isinstance(f, str)] and (len(symbolic) > 1 or any(rate(f) for f in symbolic)):
        # ½ m u̇² reads better than m u̇²/2
        count = _factors([f for f in above if isinstance(f, str)]) or 1
        return spaced(tight(sign, small_fraction(count, denominator)), _factors(symbolic), tail)
    return spaced(tight(sign, fraction(numerator or 1, denominator)), tail)


def _factors(factors: list[Any]) -> Formula:
    ordered = sorted(factors, key=_place)
    single = len(ordered) == 1
    return spaced(*(f if isinstance(f, str) else (formula_of(f) if single else _factor(f)) for f in ordered))


def _place(factor: Any) -> tuple[int, str]:
    """Numbers, the step, parameters, fields, rates, the rest: the order in which formulas are read."""
    if isinstance(factor, str):
        return 0, factor
    if factor.has(h) and not factor.is_Add:
        return 1, ""
    if not factor.has(t) and factor.atoms() == factor.free_symbols | {a for a in factor.atoms() if a.is_Number}:
        heavy = str(factor).startswith(("m", "rho", "M"))  # mass leads: m g l, ρ A
        return (2 if not factor.is_Add else 6), (" " if heavy else "") + str(factor)
    base = factor.base if factor.is_Pow else factor
    late = "" if is_field(base) else "~"  # λ cos θ, since cos θ λ could be the cosine of a product
    return (3 if not rate(factor) else 4) if not factor.is_Add else 6, late + str(factor)


def _factor(factor: Expr) -> Formula:
    return _bracketed(factor) if factor.is_Add else formula_of(factor)


def _bracketed(inside: Expr) -> Formula:
    return formula_of(inside) if inside.is_Piecewise else bracket(formula_of(inside))


def _power(power: Expr) -> Formula:
    base, exponent = power.base, power.exp
    if str(base) == "E":
        return exp(formula_of(exponent))
    if exponent.could_extract_minus_sign():
        return fraction(1, formula_of(base**-exponent))
    if exponent.is_Rational and exponent.q == 2:
        return root(formula_of(base**exponent.p))
    name = type(base).__name__
    if name in _FUNCTIONS - {"exp"}:
        return _applied(_function(name) ** formula_of(exponent), base.args[0])
    simple = base.is_Symbol or getattr(base, "is_Derivative", False) or (base.is_Function and name not in _FUNCTIONS)
    body = formula_of(base) if simple or base.is_Integer else bracket(formula_of(base))
    return body ** formula_of(exponent)


def _function(name: str) -> Formula:
    return tight(Letter(rf"\{name}", name))


def _applied(function: Formula, argument: Expr) -> Formula:
    inside = formula_of(argument)
    bare = argument.is_Symbol or is_field(argument)
    return function * inside if bare else tight(function, bracket(inside))


def _relation(relation: Expr, kind: str) -> Formula:
    if kind != "Equality" and rate(relation.rhs) and not rate(relation.lhs):
        relation = relation.reversed  # J̇ > F_y rather than F_y < J̇
        if relation.lhs.could_extract_minus_sign():
            relation = relation.reversedsign
        kind = type(relation).__name__
    return spaced(formula_of(relation.lhs), _RELATIONS[kind], formula_of(relation.rhs))


def _other(node: Expr, kind: str) -> Formula:
    if getattr(node, "is_Derivative", False):
        return _derivative(node)
    if kind == "Subs":
        return _value(node)
    if kind == "Piecewise":
        return _cases(node)
    if kind == "Integral":
        return _integral(node)
    if kind in ("And", "Or"):
        return joined(map(formula_of, node.args), ROOM, words(kind.lower()), ROOM, BLANK)
    if kind == "BooleanTrue":
        return words("otherwise")
    if kind == "Abs":
        return bracket(formula_of(node.args[0]), "||")
    if kind == "sign":
        return _applied(_operator("sgn"), node.args[0])
    if kind == "exp":
        return exp(formula_of(node.args[0]))
    if kind in _FUNCTIONS:
        return _applied(_function(kind), node.args[0])
    if is_field(node):
        return field(node)
    return tight(_operator(kind.lower()), bracket(listed(map(formula_of, node.args))))


def _operator(name: str) -> Formula:
    return tight(Letter(rf"\operatorname{{{name}}}", name))


def field(function: Expr, index: tuple[Any, ...] = ()) -> Formula:
    """A field or its derivative; arguments show only where they are not the coordinates themselves."""
    name = type(function).__name__
    times = sum(1 for v in index if v == t)
    places = tight(*(symbol(v.name) for v in index if v != t))
    if name.startswith("delta_"):
        found = virtual(_dotted(name.removeprefix("delta_"), times, places))
    elif name.startswith("phat_"):
        found = momentum(name.removeprefix("phat_"))
    elif name.startswith("bar_"):
        found = accented(name.removeprefix("bar_"), "bar")
    elif name.endswith(("_minus", "_plus")):  # on the two sides of an interface
        base, _, side = name.rpartition("_")
        found = _dotted(base, times, places) ** tight(MINUS if side == "minus" else PLUS)
    else:
        found = _dotted(name, times, places)
    plain = all(a.is_Symbol and a != T for a in function.args)
    return found if plain else found(*map(formula_of, function.args))


def _dotted(name: str, times: int, places: Formula) -> Formula:
    more = (",", places) if places else ()
    if times > 2:
        return accented(name, "", *more) ** f"({times})"
    return accented(name, _DOTS.get(times, ""), *more)


def _derivative(node: Expr) -> Formula:
    index = tuple(v for v, n in node.variable_count for _ in range(int(n)))
    if is_field(node.expr):
        return field(node.expr, index)
    over = spaced(*(spaced(PARTIAL, formula_of(v)) for v in index))
    sign = tight(PARTIAL) ** len(index) if len(index) > 1 else tight(PARTIAL)
    return tight(fraction(sign, over), bracket(formula_of(node.expr)))


def _value(node: Expr) -> Formula:
    """A derivative at an instant: u̇(0)."""
    inside, variables, points = node.args
    if getattr(inside, "is_Derivative", False) and is_field(inside.expr):
        at = dict(zip(variables, points, strict=True))
        return _derivative(inside)(*(formula_of(at.get(a, a)) for a in inside.expr.args))
    where = listed(spaced(formula_of(v), EQUAL, formula_of(p)) for v, p in zip(variables, points, strict=True))
    return tight(Fence(".", formula_of(inside), "|"))[where]


def _cases(node: Expr) -> Formula:
    rows = []
    for value, condition in node.args:
        otherwise = type(condition).__name__ == "BooleanTrue"
        rows.append(
            (formula_of(value.factor()), words("otherwise") if otherwise else words("if ") * formula_of(condition))
        )
    return cases(rows)


def _integral(node: Expr) -> Formula:
    variable, *limits = node.args[1].args
    sign = integral(*map(formula_of, limits)) if len(limits) == 2 else integral()
    return tight(sign * formula_of(node.args[0]), measure(formula_of(variable)))
