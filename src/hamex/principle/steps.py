"""The four steps of section 4.1, in order, as values."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from hamex.principle.conditions import InitialCondition, T, at, hat, initial_conditions
from hamex.principle.jets import jet, t
from hamex.principle.variation import StatedAction


@dataclass(frozen=True)
class Step:
    """One step of the extension framework: its number, what is done, and the result."""

    number: int
    title: str
    result: sp.Expr | tuple[InitialCondition, ...]


def steps(action: StatedAction) -> tuple[Step, ...]:
    """Lagrangian, action, stationarity with the reserved end values, assignment of the given initial values."""
    window = (t, 0, T)
    space = tuple(action.space)
    functional = sp.Integral(action.lagrangian, *space, window)
    return (
        Step(1, "Define the Lagrangian", action.lagrangian),
        Step(2, "Define the action over a fixed time window", functional),
        Step(
            3,
            "Make the extended action stationary: one reserved value of each momentum and place at both ends",
            new_variation(action),
        ),
        Step(4, "Assign the given initial values: momentum first, then place", tuple(initial_conditions(action))),
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
