"""Partial derivatives with respect to fields and their derivatives.

SymPy differentiates by symbols; a Lagrangian depends on ``u``, ``u̇``, ``∂u/∂x`` … as if they were independent.
Each of them (a *jet coordinate*) is exchanged for a symbol, the derivative is taken, and the exchange undone.
"""

from __future__ import annotations

import sympy as sp
from sympy.core.function import AppliedUndef

Index = tuple[sp.Symbol, ...]
t = sp.Symbol("t", real=True)


def jet(field: AppliedUndef, index: Index) -> sp.Expr:
    """The derivative of a field by the variables in ``index``; the field itself for an empty one."""
    return sp.Derivative(field, *index) if index else field


def indices(expression: sp.Expr, field: AppliedUndef) -> list[Index]:
    """Which derivatives of a field occur in an expression, in a fixed order."""
    found: set[Index] = set()
    for node in sp.preorder_traversal(expression):
        if isinstance(node, sp.Derivative) and node.expr == field:
            found.add(tuple(v for v, count in node.variable_count for _ in range(count)))
    bare = expression.xreplace({jet(field, i): sp.Dummy() for i in found})
    if bare.has(field):
        found.add(())
    return sorted(found, key=lambda i: (len(i), [v.name for v in i]))


def partial(expression: sp.Expr, field: AppliedUndef, index: Index = ()) -> sp.Expr:
    """∂expression/∂(∂^index field), every other jet coordinate held fixed."""
    symbols: dict[sp.Basic, sp.Dummy] = {}
    for function in expression.atoms(AppliedUndef) | {field}:
        for i in [*indices(expression, function), *([index] if function == field else [])]:
            symbols.setdefault(jet(function, i), sp.Dummy(real=True))
    back = {dummy: node for node, dummy in symbols.items()}
    return sp.diff(expression.xreplace(symbols), symbols[jet(field, index)]).xreplace(back)
