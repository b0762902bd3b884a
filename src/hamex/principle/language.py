"""Actions typed as text: ``m*l^2*theta'^2/2 + m*g*l*cos(theta)``.

A text is cut into tokens and read by a parser of our own; nothing in it is ever run. What it may hold is listed here:
numbers, + − * / ^, brackets, the functions of the grammar, pi, the time t, fields with their rates (``u'`` or
``u_dot``), given functions of time (``f(t)``) and parameters, which are positive. Every multiplication is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import sympy as sp

from hamex.principle.action import Action
from hamex.principle.grammar import FUNCTIONS, Reader, Vocabulary, unusable
from hamex.principle.jets import t
from hamex.principle.tokens import LanguageError, tokens

__all__ = ["FUNCTIONS", "LanguageError", "Vocabulary", "read_action", "read_expression"]

FIELDS = 8


def read_action(
    fields: Sequence[str],
    lagrangian: str,
    dissipation: str = "",
    loads: Mapping[str, str] | None = None,
    meanings: Mapping[str, str] | None = None,
) -> Action:
    """An action from its texts.

    Parameters
    ----------
    fields : names of the unknown functions of time; when empty, every name with a rate in the texts.
    lagrangian, dissipation : L and φ; an empty dissipation is none.
    loads : the force on a field, by the name of the field.
    meanings : what each name stands for, with its unit in brackets, for pages and messages.

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
    return Action(
        tuple(words.fields.values()), found["lagrangian"], found["dissipation"], acting, meanings=dict(meanings or {})
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
