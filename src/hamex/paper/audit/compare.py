"""Are two statements the same? Exact algebra; what differs is named."""

from __future__ import annotations

import sympy as sp

from hamex.paper.audit.notation import Statement

_LONG = 60     # terms beyond which a ratio is not worth forming: only the factors 1 and −1 are tried


def zero(expression: sp.Expr) -> bool:
    """Exact test for zero; derivatives are carried out, rational functions brought to one fraction."""
    expanded = sp.expand(expression.doit())
    if expanded == 0:
        return True
    if sp.fraction(sp.together(expanded))[1].free_symbols:
        return bool(sp.cancel(sp.together(expanded)) == 0)
    return bool(sp.simplify(expanded) == 0) if expanded.has(sp.Pow, sp.Max, sp.Abs) and expanded.count_ops() < 200 \
        else False


def same(printed: Statement, derived: Statement) -> bool:
    """The same statement: left − right agree up to a constant factor, which ``= 0`` does not see."""
    p, d = sp.expand(printed.difference.doit()), sp.expand(derived.difference.doit())
    if zero(p - d) or zero(p + d):
        return True
    if p == 0 or d == 0 or len(sp.Add.make_args(p)) > _LONG:
        return False
    return bool(sp.cancel(sp.together(p / d)).is_number)


def opposite(printed: Statement, derived: Statement) -> bool:
    """The same left side, the right side with the other sign."""
    return zero(printed.left - derived.left) and zero(printed.right + derived.right)


def differing(printed: tuple[Statement, ...], derived: tuple[Statement, ...]) -> list[int]:
    """Positions at which the statements differ; a missing one differs too."""
    found = [i for i, (p, d) in enumerate(zip(printed, derived, strict=False)) if not same(p, d)]
    return found + list(range(min(len(printed), len(derived)), max(len(printed), len(derived))))


def residual(printed: Statement, derived: Statement) -> sp.Expr:
    """Printed minus derived, right sides; lefts as well where they differ."""
    left = sp.expand((derived.left - printed.left).doit())
    return sp.expand((printed.right - derived.right).doit()) + left
