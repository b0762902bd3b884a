r"""Expressions of the principle in LaTeX, as the paper writes them: \dot u, \delta u, \hat p, u_{,x}.

A walk over the tree rather than SymPy's own printer: fields lose their arguments, the highest derivative stands first,
and long sums come as terms, so that lines can be broken. SymPy itself is not loaded here (it lives in ``principle``).
"""

from __future__ import annotations

from typing import Any

from hamex.principle.conditions import T
from hamex.principle.jets import t
from hamex.principle.stepform import h
from hamex.report.derivation import names

Expr = Any  # a SymPy expression; SymPy has no types and may be imported in `principle` only
_FUNCTIONS = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "exp"}
_RELATIONS = {
    "Eq": "=",
    "Ne": r"\neq",
    "Lt": "<",
    "Le": r"\leq",
    "Gt": ">",
    "Ge": r"\geq",
    "Equality": "=",
    "StrictLessThan": "<",
    "LessThan": r"\leq",
    "StrictGreaterThan": ">",
    "GreaterThan": r"\geq",
    "Unequality": r"\neq",
}
_DOTS = {1: "dot", 2: "ddot"}


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


def latex(expression: Expr) -> str:
    """An expression in LaTeX."""
    kind = type(expression).__name__
    if getattr(expression, "is_Matrix", False):
        return matrix(expression)
    if expression.is_Symbol:
        return names.symbol(expression.name)
    if kind in _RELATIONS:
        return _relation(expression, kind)
    if expression.is_Number or expression.is_NumberSymbol:
        return _number(expression)
    if expression.is_Add:
        return join(terms(expression))
    if expression.is_Mul:
        return _product(expression)
    if expression.is_Pow:
        return _power(expression)
    return _other(expression, kind)


def matrix(entries: Expr) -> str:
    """A matrix in brackets."""
    rows = [" & ".join(latex(entries[i, j]) for j in range(entries.cols)) for i in range(entries.rows)]
    return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"


def terms(expression: Expr) -> list[str]:
    """The terms of a sum with their signs, inertia first: ``["m \\ddot{u}", "+ k u"]``."""
    if not expression.is_Add:
        return [latex(expression)]
    ordered = sorted(expression.as_ordered_terms(), key=rank)
    if _negative(ordered[0]):  # a sum starts with a positive term if it has one
        ordered.sort(key=_negative)
    written = [latex(term) for term in ordered]
    return [written[0]] + [f"- {w[1:].strip()}" if w.startswith("-") else f"+ {w}" for w in written[1:]]


def join(parts: list[str]) -> str:
    """Terms on one line."""
    return " ".join(parts)


def _negative(term: Expr) -> bool:
    return bool(term.as_coeff_Mul()[0].is_negative)


def _number(number: Expr) -> str:
    if number.is_Rational and number.q != 1:
        sign = "-" if number.p < 0 else ""
        return rf"{sign}\frac{{{abs(number.p)}}}{{{number.q}}}"
    known = {"pi": r"\pi", "E": r"\mathrm{e}", "oo": r"\infty", "-oo": r"-\infty"}
    return known.get(str(number), str(number))


def _product(product: Expr) -> str:
    coefficient, _ = product.as_coeff_Mul()
    sign = "-" if coefficient.is_negative else ""
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
    tail = "".join(_bracket(s) for s in sums)
    if not below:
        return f"{sign}{numerator} {tail}".strip()
    if sums and any(getattr(f, "is_Add", False) for f in below):
        top = _factors([*above, *sums])
        return rf"{sign}\frac{{{top}}}{{{denominator}}}"
    if not numerator and len(sums) == 1 and not sums[0].is_Piecewise:
        return rf"{sign}\frac{{{latex(sums[0])}}}{{{denominator}}}"
    symbolic = [f for f in above if not isinstance(f, str)]
    if not [f for f in below if not isinstance(f, str)] and (len(symbolic) > 1 or any(rate(f) for f in symbolic)):
        # ½ m u̇² reads better than m u̇²/2
        count = _factors([f for f in above if isinstance(f, str)]) or "1"
        return rf"{sign}\tfrac{{{count}}}{{{denominator}}} {_factors(symbolic)} {tail}".strip()
    return rf"{sign}\frac{{{numerator or '1'}}}{{{denominator}}} {tail}".strip()


def _factors(factors: list[Any]) -> str:
    ordered = sorted(factors, key=_place)
    single = len(ordered) == 1
    return " ".join(f if isinstance(f, str) else (latex(f) if single else _factor(f)) for f in ordered)


def _place(factor: Any) -> tuple[int, str]:
    """Numbers, the step, parameters, fields, rates, the rest: the order in which formulas are read."""
    if isinstance(factor, str):
        return 0, factor
    if factor.has(h) and not factor.is_Add:
        return 1, ""
    if not factor.has(t) and factor.atoms() == factor.free_symbols | {a for a in factor.atoms() if a.is_Number}:
        heavy = str(factor).startswith(("m", "rho", "M"))  # mass leads: m g l, ρ A
        return (2 if not factor.is_Add else 6), (" " if heavy else "") + str(factor)
    return (3 if not rate(factor) else 4) if not factor.is_Add else 6, str(factor)


def _factor(factor: Expr) -> str:
    return _bracket(factor) if factor.is_Add else latex(factor)


def _bracket(inside: Expr) -> str:
    if inside.is_Piecewise:
        return latex(inside)
    return rf"\left({latex(inside)}\right)"


def _power(power: Expr) -> str:
    base, exponent = power.base, power.exp
    if str(base) == "E":
        return rf"\mathrm{{e}}^{{{latex(exponent)}}}"
    if exponent.could_extract_minus_sign():
        return rf"\frac{{1}}{{{latex(base**-exponent)}}}"
    if exponent.is_Rational and exponent.q == 2:
        inside = latex(base**exponent.p)
        return rf"\sqrt{{{inside}}}"
    name = type(base).__name__
    if name in _FUNCTIONS - {"exp"}:
        return rf"\{name}^{{{latex(exponent)}}}{_argument(base.args[0])}"
    simple = base.is_Symbol or getattr(base, "is_Derivative", False) or (base.is_Function and name not in _FUNCTIONS)
    body = latex(base) if simple or base.is_Integer else rf"\left({latex(base)}\right)"
    return rf"{body}^{{{latex(exponent)}}}"


def _argument(inside: Expr) -> str:
    text = latex(inside)
    return f" {text}" if inside.is_Symbol or is_field(inside) else rf"\left({text}\right)"


def _relation(relation: Expr, kind: str) -> str:
    if kind not in ("Eq", "Equality") and rate(relation.rhs) and not rate(relation.lhs):
        relation = relation.reversed  # J̇ > F_y rather than F_y < J̇
        if relation.lhs.could_extract_minus_sign():
            relation = relation.reversedsign
        kind = type(relation).__name__
    return f"{latex(relation.lhs)} {_RELATIONS[kind]} {latex(relation.rhs)}"


def _other(node: Expr, kind: str) -> str:
    if getattr(node, "is_Derivative", False):
        return _derivative(node)
    if kind == "Subs":
        return _value(node)
    if kind == "Piecewise":
        return _cases(node)
    if kind == "Integral":
        return _integral(node)
    if kind in ("And", "Or"):
        return (r"\;\text{and}\; " if kind == "And" else r"\;\text{or}\; ").join(latex(a) for a in node.args)
    if kind == "BooleanTrue":
        return r"\text{otherwise}"
    if kind == "Abs":
        return rf"\left|{latex(node.args[0])}\right|"
    if kind == "sign":
        return rf"\operatorname{{sgn}}{_argument(node.args[0])}"
    if kind == "exp":
        return rf"\mathrm{{e}}^{{{latex(node.args[0])}}}"
    if kind in _FUNCTIONS:
        return rf"\{kind}{_argument(node.args[0])}"
    if is_field(node):
        return field(node)
    inner = ", ".join(latex(a) for a in node.args)
    return rf"\operatorname{{{kind.lower()}}}\left({inner}\right)"


def field(function: Expr, index: tuple[Any, ...] = ()) -> str:
    """A field or its derivative; arguments show only where they are not the coordinates themselves."""
    name = type(function).__name__
    times = sum(1 for v in index if v == t)
    places = "".join(names.symbol(v.name) for v in index if v != t)
    plain = all(a.is_Symbol and a != T for a in function.args)
    shown = "" if plain else f"({', '.join(latex(a) for a in function.args)})"
    if name.startswith("delta_"):
        return names.variation(_dotted(name.removeprefix("delta_"), times, places)) + shown
    if name.startswith("phat_"):
        return names.momentum(name.removeprefix("phat_")) + shown
    if name.startswith("bar_"):
        return names.accented(name.removeprefix("bar_"), "bar") + shown
    return _dotted(name, times, places) + shown


def _dotted(name: str, times: int, places: str) -> str:
    more = f",{places}" if places else ""
    if times > 2:
        return f"{names.accented(name, '', more)}^{{({times})}}"
    return names.accented(name, _DOTS.get(times, ""), more)


def _derivative(node: Expr) -> str:
    index = tuple(v for v, n in node.variable_count for _ in range(int(n)))
    if is_field(node.expr):
        return field(node.expr, index)
    over = " ".join(rf"\partial {latex(v)}" for v in index)
    power = f"^{{{len(index)}}}" if len(index) > 1 else ""
    return rf"\frac{{\partial{power}}}{{{over}}}\left({latex(node.expr)}\right)"


def _value(node: Expr) -> str:
    """A derivative at an instant: \\dot u(0)."""
    inside, variables, points = node.args
    if getattr(inside, "is_Derivative", False) and is_field(inside.expr):
        arguments = ", ".join(latex(dict(zip(variables, points, strict=True)).get(a, a)) for a in inside.expr.args)
        return f"{_derivative(inside)}({arguments})"
    where = ", ".join(f"{latex(v)} = {latex(p)}" for v, p in zip(variables, points, strict=True))
    return rf"\left.{latex(inside)}\right|_{{{where}}}"


def _cases(node: Expr) -> str:
    rows = []
    for value, condition in node.args:
        otherwise = type(condition).__name__ == "BooleanTrue"
        rows.append(
            f"{latex(value.factor())} & " + (r"\text{otherwise}" if otherwise else rf"\text{{if }} {latex(condition)}")
        )
    return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"


def _integral(node: Expr) -> str:
    variable, *limits = node.args[1].args
    ends = f"_{{{latex(limits[0])}}}^{{{latex(limits[1])}}}" if len(limits) == 2 else ""
    return rf"\int{ends} {latex(node.args[0])}\,\mathrm{{d}}{latex(variable)}"
