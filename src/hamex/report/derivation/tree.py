"""Walks over the tree of an expression, without loading SymPy."""

from __future__ import annotations

from typing import Any

from hamex.principle.jets import t
from hamex.principle.stepform import h

Expr = Any      # a SymPy expression; SymPy has no types and may be imported in `principle` only


def rate(expression: Expr) -> int:
    """The highest order of a time derivative inside an expression."""
    orders = [sum(int(n) for v, n in node.variable_count if v == t) for node in walk(expression)
              if getattr(node, "is_Derivative", False)]
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
