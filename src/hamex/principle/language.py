"""Actions as text, read and written: ``m*l^2*theta'^2/2 + m*g*l*cos(theta)``.

A text is cut into tokens and read by a parser of our own; nothing in it is ever run. What it may hold is listed here:
numbers, + − * / ^, brackets, the functions of the grammar, pi, the time t, fields with their rates (``u'`` or
``u_dot``), given functions of time (``f(t)``) and parameters, which are positive. Every multiplication is written.
The way back, from symbols to text, writes in the same language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.action import Action
from hamex.principle.grammar import FUNCTIONS, LanguageError, Reader, Vocabulary, tokens, unusable
from hamex.principle.jets import t
from hamex.principle.stepform import slider_potential

__all__ = ["FUNCTIONS", "LanguageError", "UnwritableError", "Vocabulary", "read_action", "read_expression", "written"]

FIELDS = 8
_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly a text holds together
# A square root is a power and a slider a piece of its own; all other functions are written as they are read.
_WRITTEN = {build: name for name, (_, build) in FUNCTIONS.items() if isinstance(build, sp.FunctionClass)}


def read_action(
    fields: Sequence[str],
    lagrangian: str,
    dissipation: str = "",
    loads: Mapping[str, str] | None = None,
    meanings: Mapping[str, str] | None = None,
    constraints: Sequence[str] = (),
) -> Action:
    """An action from its texts.

    Parameters
    ----------
    fields : names of the unknown functions of time; when empty, every name with a rate in the texts.
    lagrangian, dissipation : L and φ; an empty dissipation is none.
    loads : the force on a field, by the name of the field.
    meanings : what each name stands for, with its unit in brackets, for pages and messages.
    constraints : what vanishes: places, ``x^2 + y^2 - l^2``, or sums of rates, ``x'*sin(theta) - y'*cos(theta)``.

    Examples
    --------
    >>> read_action(["u"], "m*u'^2/2 - k*u^2/2", "c*u'^2/2", {"u": "f(t)"}).strong_form()
    {u(t): c*Derivative(u(t), t) + k*u(t) + m*Derivative(u(t), (t, 2)) - f(t)}
    """
    texts = {"lagrangian": lagrangian, "dissipation": dissipation}
    if not lagrangian.strip():
        raise LanguageError("write the Lagrangian, e.g. m*u'^2/2 - k*u^2/2", "lagrangian")
    names = [str(name) for name in fields] or _with_rate(texts)
    words = Vocabulary({name: sp.Function(_checked(name))(t) for name in names})
    if len(words.fields) != len(names) or len(names) > FIELDS:
        raise LanguageError(f"name each field once, at most {FIELDS} of them", "fields")
    found = {place: read_expression(text, words, place) if text.strip() else sp.S.Zero for place, text in texts.items()}
    acting = {}
    for name, text in (loads or {}).items():
        if name not in words.fields:
            raise LanguageError(
                f"a load acts on a field; {name!r} is none. The fields are {', '.join(words.fields)}", "loads"
            )
        if text.strip():
            acting[words.fields[name]] = read_expression(text, words, f"loads.{name}")
    kept = [read_expression(text, words, f"constraints.{i}") for i, text in enumerate(constraints, 1) if text.strip()]
    return Action(
        tuple(words.fields.values()),
        found["lagrangian"],
        found["dissipation"],
        acting,
        meanings=dict(meanings or {}),
        constraints=tuple(kept),
    )


def read_expression(text: str, words: Vocabulary, place: str = "") -> sp.Expr:
    """One text as an expression."""
    return Reader(text, words, place).whole()


def _with_rate(texts: Mapping[str, str]) -> list[str]:
    """Names that stand before a prime, in the order of their appearance."""
    found: dict[str, None] = {}
    for place, text in texts.items():
        cut = tokens(text, place)
        for token, after in pairwise(cut):
            if token.kind == "name" and after.text.startswith("'"):
                found[token.text] = None
            elif token.kind == "name" and token.text.endswith("_dot") and token.text != "_dot":
                found[token.text.removesuffix("_dot")] = None
    if not found:
        raise LanguageError(
            "no field has a rate; name the unknown functions, e.g. u, or write u' in the Lagrangian", "fields"
        )
    return list(found)


def _checked(name: str) -> str:
    """The name of a field, when it can be one."""
    cut = tokens(name, "fields")
    if len(cut) != 2 or cut[0].kind != "name" or cut[0].text != name:
        raise LanguageError(
            f"{name!r} cannot be the name of a field; take letters and digits, e.g. u, theta_1", "fields"
        )
    why = unusable(name)
    if why or name == "t" or name.endswith("_dot"):
        raise LanguageError(f"{name!r} cannot be the name of a field{': ' if why else ''}{why}", "fields")
    return name


class UnwritableError(ValueError):
    """An expression has no text in the small language."""


def written(expression: sp.Expr, fields: tuple[AppliedUndef, ...]) -> str:
    """An expression as text; fields without their time, given functions with it.

    >>> u, k = sp.Function("u")(t), sp.Symbol("k", positive=True)
    >>> written(-k * u**2 / 2 + u.diff(t) * sp.cos(u), (u,))
    "cos(u)*u' - k*u^2/2"
    """
    return _text(expression, fields)[0]


def _text(node: sp.Expr, fields: tuple[AppliedUndef, ...]) -> tuple[str, int]:
    """A text and how tightly it holds together."""
    if isinstance(node, sp.Add):
        ordered = sorted(
            node.args,
            key=lambda term: (not term.has(sp.Derivative), term.could_extract_minus_sign(), sp.default_sort_key(term)),
        )
        texts = [_text(term, fields)[0] for term in ordered]
        return texts[0] + "".join(f" - {x[1:]}" if x.startswith("-") else f" + {x}" for x in texts[1:]), _SUM
    if isinstance(node, sp.Mul):
        return _product(node, fields), _PRODUCT
    if isinstance(node, sp.Pow):
        return _power(node, fields)
    if node.is_Rational:
        return str(node), _SUM if node.is_negative else _ATOM if node.is_Integer else _PRODUCT
    return _leaf(node, fields), _ATOM


def _leaf(node: sp.Expr, fields: tuple[AppliedUndef, ...]) -> str:
    if node == t:
        return "t"
    if node == sp.pi:
        return "pi"
    if node == sp.E:
        return "exp(1)"
    if isinstance(node, sp.Symbol) and node.is_positive:
        return str(node.name)
    if node in fields and node.args == (t,):
        return str(node.func.__name__)
    if isinstance(node, AppliedUndef) and node.args == (t,):
        return f"{node.func.__name__}(t)"
    if isinstance(node, sp.Derivative) and node.expr in fields and node.variables == (t,):
        return f"{node.expr.func.__name__}'"
    if node.func in _WRITTEN:
        return f"{_WRITTEN[node.func]}({_text(node.args[0], fields)[0]})"
    if isinstance(node, sp.Piecewise):
        return _slider(node, fields)
    raise UnwritableError(f"{node} has no text in the small language")


def _slider(node: sp.Piecewise, fields: tuple[AppliedUndef, ...]) -> str:
    """⟨|F| − F_y⟩²/2η, found by building it again from its own letters."""
    condition = node.args[0][1]
    letters = sorted(node.free_symbols - {t}, key=lambda symbol: str(symbol.name))
    if isinstance(condition, sp.core.relational.Relational) and len(letters) == 2:
        for rate in node.atoms(sp.Derivative):
            for limit, viscosity in (letters, letters[::-1]):
                if slider_potential(rate, limit, viscosity) == node:
                    return f"slider({', '.join(_text(part, fields)[0] for part in (rate, limit, viscosity))})"
    raise UnwritableError("a dissipation in pieces other than a slider has no text in the small language")


def _product(node: sp.Mul, fields: tuple[AppliedUndef, ...]) -> str:
    coefficient, rest = node.as_coeff_Mul()
    above: list[sp.Expr] = []
    below: list[sp.Expr] = []
    for factor in sorted(sp.Mul.make_args(rest), key=_place):
        power = factor.is_Pow and factor.exp.could_extract_minus_sign()
        (below if power else above).append(1 / factor if power else factor)
    top = [str(abs(coefficient.p))] if abs(coefficient.p) != 1 or not above else []
    top += [_held(f, fields, _POWER) for f in above]
    bottom = [str(coefficient.q)] if coefficient.q != 1 else []
    bottom += [_held(f, fields, _POWER) for f in below]
    under = "" if not bottom else f"/{bottom[0]}" if len(bottom) == 1 else f"/({'*'.join(bottom)})"
    return ("-" if coefficient.is_negative else "") + "*".join(top) + under


def _place(factor: sp.Expr) -> tuple[object, ...]:
    """Parameters before fields before rates; mass leads, as in m*g*l."""
    return (
        factor.has(AppliedUndef),
        factor.has(sp.Derivative),
        factor.is_Add,
        not str(factor).startswith("m"),
        sp.default_sort_key(factor),
    )


def _power(node: sp.Pow, fields: tuple[AppliedUndef, ...]) -> tuple[str, int]:
    if node.base == sp.E:
        return f"exp({_text(node.exp, fields)[0]})", _ATOM
    if node.exp.could_extract_minus_sign():
        return f"1/{_held(1 / node, fields, _POWER)}", _PRODUCT
    if node.exp == sp.S.Half:
        return f"sqrt({_text(node.base, fields)[0]})", _ATOM
    return f"{_held(node.base, fields, _ATOM)}^{_held(node.exp, fields, _ATOM)}", _POWER


def _held(node: sp.Expr, fields: tuple[AppliedUndef, ...], tight: int) -> str:
    """A text in brackets when it does not hold together tightly enough."""
    text, holds = _text(node, fields)
    return text if holds >= tight else f"({text})"
