"""An action as functions of numbers: momenta, forces and their slopes, for those who march it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import ActionError
from hamex.principle.action import Action
from hamex.principle.jets import t

_KINKS = (sp.Abs, sp.Max, sp.Min, sp.sign, sp.Heaviside)


@dataclass(frozen=True, eq=False)
class Functions:
    """The pieces of the weak form at one instant, from a flat list of arguments.

    Arguments are the fields, their rates, the time, the given functions of time and the parameters, in this order.

    Attributes
    ----------
    fields, carriers : names of the fields, and of those with a momentum.
    given, parameters : names of the functions of time and of the constants that numbers are needed for.
    positive : parameters that were declared positive.
    rest : P = ∂L/∂q̇, then φ_q̇ − L_q − Q, each for every field, in one list.
    slopes : their derivatives by the fields and then by the rates, row by row in one list.
    momenta : P, then ∂P/∂q̇ row by row.
    energy : H, the power Σ(Q − φ_q̇)q̇ − ∂L/∂t, and Q for every field; further arguments are the rates of the given
        functions, which the power needs when ``explicit``.
    gauges : which fields enter with their rate alone.
    """

    fields: tuple[str, ...]
    carriers: tuple[bool, ...]
    gauges: tuple[bool, ...]
    given: tuple[str, ...]
    parameters: tuple[str, ...]
    positive: frozenset[str]
    rest: Callable[..., list[float]]
    slopes: Callable[..., list[float]]
    momenta: Callable[..., list[float]]
    energy: Callable[..., list[float]]
    explicit: bool


@lru_cache(maxsize=32)
def functions(action: Action) -> Functions:
    """Compile an action; the result is kept as long as few others follow."""
    from hamex.principle.conditions import is_cyclic

    if action.space:
        raise ActionError(f"{action.name or 'this action'} is a density in space; only lumped actions can be simulated")
    if action.constrained().constraints:
        raise ActionError(f"{action.name or 'this action'} has constraints, which the march does not keep yet")
    fields = action.fields
    q = [sp.Dummy(f.func.__name__, real=True) for f in fields]
    v = [sp.Dummy(f"{f.func.__name__}_dot", real=True) for f in fields]
    flat = {**{f.diff(t): x for f, x in zip(fields, v, strict=True)}, **dict(zip(fields, q, strict=True))}
    L, phi, *loads = (
        _smooth(e.xreplace(flat))
        for e in (action.lagrangian, action.dissipation, *(action.loads.get(f, sp.S.Zero) for f in fields))
    )
    given = _given(sum((L, phi, *loads), sp.S.Zero))
    constants = sorted(set().union(*(e.free_symbols for e in (L, phi, *loads))) - {t, *q, *v}, key=lambda s: s.name)
    P = [sp.diff(L, x) for x in v]
    G = [sp.diff(phi, x) - sp.diff(L, y) - Q for x, y, Q in zip(v, q, loads, strict=True)]
    power = sum(((Q - sp.diff(phi, x)) * x for x, Q in zip(v, loads, strict=True)), sp.S.Zero) - sp.diff(L, t)
    H = sum((p * x for p, x in zip(P, v, strict=True)), -L)
    hidden = {function: sp.Dummy(function.func.__name__) for function in given}
    rates = {sp.Derivative(function, t): sp.Dummy(f"{function.func.__name__}_dot") for function in given}
    arguments = [*q, *v, t, *hidden.values(), *constants]

    def compiled(expressions: list[sp.Expr], more: tuple[sp.Dummy, ...] = ()) -> Callable[..., list[float]]:
        known = [e.xreplace(rates).xreplace(hidden) for e in expressions]
        return sp.lambdify([*arguments, *more], known, modules=_module(known), cse=True)

    return Functions(
        fields=tuple(f.func.__name__ for f in fields),
        carriers=tuple(action.has_momentum[f] for f in fields),
        gauges=tuple(is_cyclic(action, f) for f in fields),
        given=tuple(f.func.__name__ for f in given),
        parameters=tuple(s.name for s in constants),
        positive=frozenset(s.name for s in constants if s.is_positive),
        rest=compiled([*P, *G]),
        slopes=compiled([sp.diff(e, x) for e in (*P, *G) for x in (*q, *v)]),
        momenta=compiled([*P, *(sp.diff(p, x) for p in P for x in v)]),
        energy=compiled([H, power, *loads], tuple(rates.values())),
        explicit=power.has(*rates) if rates else False,
    )


def _smooth(expression: sp.Expr) -> sp.Expr:
    """Kinks as pieces: their slopes are then defined everywhere but at the kink."""
    return expression.rewrite(sp.Piecewise) if expression.has(*_KINKS) else expression


def _given(whole: sp.Expr) -> list[AppliedUndef]:
    found = sorted(whole.atoms(AppliedUndef), key=str)
    for function in found:
        if function.args != (t,):
            raise ActionError(f"{function} cannot be given as a function of time")
    rates = whole.atoms(sp.Derivative)
    if rates:
        raise ActionError(f"{min(map(str, rates))} is the rate of a given function: name it as a function of its own")
    return found


def _module(expressions: list[sp.Expr]) -> str:
    """Python's own mathematics is the fastest for single numbers; special functions come from SciPy."""
    used = {f.func.__name__ for e in expressions for f in e.atoms(sp.Function) if not isinstance(f, sp.Piecewise)}
    return "math" if all(hasattr(math, name.lower()) for name in used) else "scipy"
