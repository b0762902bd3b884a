"""What the rule does not cover is refused by name, before anything is derived from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import ActionError
from hamex.principle.identity import is_zero
from hamex.principle.jets import indices, jet, partial, t

if TYPE_CHECKING:
    from hamex.principle.variation import StatedAction


def check(action: StatedAction) -> None:
    """Raise an ActionError that says what is not covered and what to write instead."""
    if not action.fields:
        raise ActionError("Action: no fields; give the unknown functions, e.g. Function('u')(t)")
    for q in action.fields:
        _field(action, q)
    _dissipation(action)
    _loads(action)
    for q in action.fields:
        _multiplier(action, q)


def _field(action: StatedAction, q: AppliedUndef) -> None:
    if not isinstance(q, AppliedUndef) or t not in q.args:
        raise ActionError(
            f"Action: the field {q} must be a function of t, e.g. Function('u')(t), with the t of "
            "hamex.principle, which is real"
        )
    if set(q.args) != {t, *action.space}:
        raise ActionError(
            f"Action: the field {q} must be a function of {', '.join(map(str, [*action.space, t]))}; "
            "name the coordinates of a density in space=(x, …)"
        )
    if not action.lagrangian.has(q) and not action.dissipation.has(q):
        raise ActionError(f"Action: the field {q} occurs neither in the Lagrangian nor in the dissipation")
    for index in indices(action.lagrangian, q):
        times, places = index.count(t), len(index) - index.count(t)
        if times > 1 or places > 2 or (times and places):
            raise ActionError(
                f"Action: the derivative {jet(q, index)} in the Lagrangian is not covered; "
                "rates enter once, space derivatives up to the second"
            )


def _dissipation(action: StatedAction) -> None:
    """φ is a function of the rates of the fields and of nothing else that moves."""
    rates = {q.diff(t) for q in action.fields}
    for node in action.dissipation.atoms(sp.Derivative):
        if node.expr in action.fields and node not in rates:
            raise ActionError(f"Action: the dissipation must be a function of rates, but contains {node}")
    for q in action.fields:
        if () in indices(action.dissipation, q):
            raise ActionError(
                f"Action: the dissipation must be a function of rates, but contains {q} itself; friction "
                "whose limit depends on a place is non-associated: it has no potential φ(q̇)"
            )
    if action.dissipation != 0 and not action.dissipation.has(*rates):
        raise ActionError(
            f"Action: the dissipation must be a function of rates, but {action.dissipation} contains "
            "none of the fields' rates"
        )
    for size in action.dissipation.atoms(sp.Abs):
        limit = sp.expand(action.dissipation).coeff(size)
        others = rates - size.atoms(sp.Derivative)
        if size.has(*rates) and limit.has(*others):
            raise ActionError(
                f"Action: non-associated friction: the limit {limit} of {size} depends on another rate. "
                "No potential φ(q̇) yields it without a spurious motion of the normal force; "
                "give a constant limit, or an associated law ⟨|F| − μN⟩²/2η in the impulses"
            )


def _loads(action: StatedAction) -> None:
    """Loads are functions of place and time; the rest of the machinery relies on it."""
    for q, load in action.loads.items():
        if q not in action.fields:
            raise ActionError(
                f"Action: the load on {q} acts on no field; the fields are {', '.join(map(str, action.fields))}"
            )
        moving = [f for f in action.fields if load.has(f)]
        if moving and any(node.expr in moving and t in node.variables for node in load.atoms(sp.Derivative)):
            raise ActionError(
                f"Action: the load on {q} depends on rates; dampers belong in the dissipation, and "
                "friction that depends on other forces is non-associated: it has no potential φ(q̇)"
            )
        if moving:
            raise ActionError(
                f"Action: the load on {q} depends on {moving[0]}; a load is a function of time, "
                "springs and weights belong in the Lagrangian"
            )


def _multiplier(action: StatedAction, q: AppliedUndef) -> None:
    """A field that enters L linearly, without its rate and nowhere else, enforces a constraint on the others."""
    found = indices(action.lagrangian, q)
    if action.dissipation.has(q) or found != [()]:
        return
    constraint = partial(action.lagrangian, q)
    if not is_zero(partial(constraint, q)):
        return
    others = [f for f in action.fields if f != q]
    if any(t in index for f in others for index in indices(constraint, f)):
        # Rates in exact form under a load are a balance of forces at a massless joint, J̇ = f: covered.
        if q in action.loads and _is_exact(constraint, action):
            return
        raise ActionError(
            f"Action: {q} multiplies the velocity constraint {constraint} = 0. Varied like this it is "
            "vakonomic, not nonholonomic: its forces are not those of rolling or of a blade. Use "
            "coordinates that satisfy it, or give dampers in the dissipation"
        )
    if constraint.has(*others):
        raise ActionError(
            f"Action: {q} multiplies the constraint {constraint} = 0 on positions: a multiplier of "
            "index 3, whose step is not determined by the rule. Use coordinates that satisfy it, or a "
            "stiff spring"
        )
    raise ActionError(f"Action: {q} enters the Lagrangian only as {constraint}·{q}: no equation determines it")


def _is_exact(expression: sp.Expr, action: StatedAction) -> bool:
    from hamex.principle.charges import antiderivative

    return antiderivative(expression, action.fields) is not None
