"""Which data the principle accepts: initial conditions in their order, and the classical rival;
and the four steps of section 4.1, which end in the assignment of the initial values.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.jets import Index, is_zero, jet, partial, t
from hamex.principle.variation import StatedAction

T = sp.Symbol("T", positive=True)


@dataclass(frozen=True)
class InitialCondition:
    """One datum at t = 0.

    ``order`` is the place in the sequence in which the principle assigns it: the momentum first, eq. (32), then the
    value, eq. (33), whose variation is thereby zero. ``role`` says whether the datum is free to be given (``data``) or
    only fixes a constant that nothing depends on (``gauge``).
    """

    order: int
    field: AppliedUndef
    kind: str
    equation: sp.Eq
    role: str


@dataclass(frozen=True)
class EndPointConstraints:
    """Hamilton's principle as it was: both ends known, eqs. (9) and (24)."""

    equations: tuple[sp.Expr, ...]
    constraints: tuple[sp.Eq, ...]
    brackets: tuple[sp.Expr, ...]


def at(expression: sp.Expr, instant: sp.Expr) -> sp.Expr:
    """An expression at an instant, derivatives taken first."""
    return expression.subs(t, instant)


def hat(name: str, q: AppliedUndef, instant: sp.Expr) -> sp.Expr:
    """A reserved value of the extended principle: unique, unspecified until it is assigned."""
    return sp.Function(f"{name}_{q.func.__name__}")(*(instant if x == t else x for x in q.args))


def initial_conditions(action: StatedAction) -> list[InitialCondition]:
    """The data at t = 0 in the order of their assignment."""
    zero = sp.S.Zero
    found: list[InitialCondition] = []
    for q in action.fields:
        if action.has_momentum[q]:
            equation = sp.Eq(at(action.momentum(q), zero), hat("phat", q, zero), evaluate=False)
            found.append(InitialCondition(len(found) + 1, q, "momentum", equation, "data"))
    for q in action.fields:
        equation = sp.Eq(at(q, zero), hat("bar", q, zero), evaluate=False)
        role = "gauge" if is_cyclic(action, q) else "data"
        found.append(InitialCondition(len(found) + 1, q, "value", equation, role))
    return found


def is_cyclic(action: StatedAction, q: AppliedUndef) -> bool:
    """True when only the rate of the field enters: its value is a gauge."""
    if q in action.lumped:
        return not any((q, ()) in varied.weak for varied in action.variation().parts)
    spatial: list[Index] = [i for (f, i) in action.variation().weak if f == q and t not in i]
    return is_zero(partial(action.lagrangian, q)) and not [i for i in spatial if i]


def classical(action: StatedAction, start: sp.Expr = sp.S.Zero, end: sp.Expr = T) -> EndPointConstraints:
    """Hamilton's own principle for the same Lagrangian: end-point constraints instead of initial conditions."""
    variation = action.variation()
    constraints, brackets = [], []
    for q in action.fields:
        delta = variation.test(q)
        constraints += [sp.Eq(at(delta, instant), 0, evaluate=False) for instant in (start, end)]
        brackets.append(-variation.ends[q] * delta)
    return EndPointConstraints(tuple(variation.bulk.values()), tuple(constraints), tuple(brackets))


@dataclass(frozen=True)
class FrameworkStep:
    """One step of the extension framework: its number, what is done, and the result."""

    number: int
    title: str
    result: sp.Expr | tuple[InitialCondition, ...]


def steps(action: StatedAction) -> tuple[FrameworkStep, ...]:
    """Lagrangian, action, stationarity with the reserved end values, assignment of the given initial values."""
    window = (t, 0, T)
    space = tuple(action.space)
    functional = sp.Integral(action.lagrangian, *space, window)
    return (
        FrameworkStep(1, "Define the Lagrangian", action.lagrangian),
        FrameworkStep(2, "Define the action over a fixed time window", functional),
        FrameworkStep(
            3,
            "Make the extended action stationary: one reserved value of each momentum and place at both ends",
            new_variation(action),
        ),
        FrameworkStep(
            4, "Assign the given initial values: momentum first, then place", tuple(initial_conditions(action))
        ),
    )


def new_variation(action: StatedAction) -> sp.Expr:
    """δA_NEW: the weak form and the hatted brackets, eqs. (29), (37), (45), (60)."""
    variation = action.variation()
    weak = sum(
        (coefficient * jet(variation.test(q), index) for (q, index), coefficient in variation.weak.items()), sp.S.Zero
    )
    brackets = sp.S.Zero
    for q in action.fields:
        if action.has_momentum[q]:
            for instant, sign in ((T, 1), (sp.S.Zero, -1)):
                brackets += sign * hat("phat", q, instant) * at(variation.test(q), instant)
    whole = sp.Integral(weak, *action.space, (t, 0, T))
    return whole + (sp.Integral(brackets, *action.space) if action.space and brackets != 0 else brackets)
