"""What an action may not state, refused by name before anything is derived from it; each says what to write instead."""

from __future__ import annotations

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import ActionError
from hamex.principle.constraints import check_stated, moves, multiplied
from hamex.principle.jets import indices, jet, t
from hamex.principle.variation import StatedAction


def refuse_uncovered(action: StatedAction) -> None:
    """Raise an ActionError that says what is not covered and what to write instead."""
    if not action.fields:
        raise ActionError("Action: no fields; give the unknown functions, e.g. Function('u')(t)")
    for q in action.fields:
        _refuse_field(action, q)
    _refuse_dissipation(action)
    _refuse_loads(action)
    check_stated(action)
    for q in action.fields:
        _refuse_multiplier(action, q)
    for part in action.parts:
        from hamex.principle.edges import refuse_part

        refuse_part(part, action)
        _refuse_dissipation(action.of_part(part))


def _refuse_field(action: StatedAction, q: AppliedUndef) -> None:
    if not isinstance(q, AppliedUndef) or t not in q.args:
        raise ActionError(
            f"Action: the field {q} must be a function of t, e.g. Function('u')(t), with the t of "
            "hamex.principle, which is real"
        )
    inside = [(part.lagrangian, part.dissipation, *part.loads) for part in action.parts]
    if q in action.lumped and any(sp.sympify(e).has(q) for part in inside for e in part):
        return
    if set(q.args) != {t, *action.space}:
        raise ActionError(
            f"Action: the field {q} must be a function of {', '.join(map(str, [*action.space, t]))}; "
            "name the coordinates of a density in space=(x, …); a field of t alone needs a part that holds it"
        )
    if not any(e.has(q) for e in (action.lagrangian, action.dissipation, *action.constraints)):
        raise ActionError(f"Action: the field {q} occurs neither in the Lagrangian nor in the dissipation")
    for index in indices(action.lagrangian, q):
        times, places = index.count(t), len(index) - index.count(t)
        if times > 1 or places > 2:
            raise ActionError(
                f"Action: the derivative {jet(q, index)} in the Lagrangian is not covered; "
                "rates enter once, space derivatives up to the second"
            )


def _refuse_dissipation(action: StatedAction) -> None:
    """φ is a function of rates; in a lumped system also of places, which its forces φ_q̇ take as they are."""
    rates = {q.diff(t) for q in action.fields}
    for node in action.dissipation.atoms(sp.Derivative):
        if node.expr not in action.fields:
            continue
        if node.variables.count(t) != 1 or len(node.variables) > 3:
            raise ActionError(f"Action: the dissipation must be a function of rates, but contains {node}")
        rates.add(node)
    for q in action.fields:
        if action.space and () in indices(action.dissipation, q):
            raise ActionError(
                f"Action: the dissipation of a density must be a function of rates, but contains {q} itself; "
                "places enter the dissipation of lumped systems only"
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
                f"give it as a load, −({limit})·sign({size.args[0]}), which works on the slip alone, or an "
                "associated law ⟨|F| − μN⟩²/2η in the impulses"
            )


def _refuse_loads(action: StatedAction) -> None:
    """Loads Q(q, q̇, t) of lumped systems; those of a density are functions of place and time."""
    for q, load in action.loads.items():
        if q not in action.fields:
            raise ActionError(
                f"Action: the load on {q} acts on no field; the fields are {', '.join(map(str, action.fields))}"
            )
        for node in load.atoms(sp.Derivative):
            if node.expr in action.fields and node.variables.count(t) > 1:
                raise ActionError(
                    f"Action: the load on {q} contains {node}; what depends on accelerations is inertia, "
                    "and belongs in the Lagrangian"
                )
        moving = [f for f in action.fields if load.has(f)]
        if moving and action.space:
            raise ActionError(
                f"Action: the load on {q} depends on {moving[0]}; a load per volume is a function of place and "
                "time, springs and weights belong in the Lagrangian, dampers in the dissipation"
            )


def _refuse_multiplier(action: StatedAction, q: AppliedUndef) -> None:
    """A field that enters L linearly, and nowhere else, constrains the others: places it may, rates it may not."""
    found = multiplied(action, q)
    if found is None:
        return
    origin, constraint = found
    moving = [f for f in action.fields if f != q and any(t in index for index in indices(constraint, f))]
    if any(moves(action, f, q) for f in moving):
        # Rates in exact form under a load are a balance of forces at a massless joint, J̇ = f: covered.
        if origin == "multiplier" and q in action.loads and _is_exact(constraint, action):
            return
        name = q if origin == "multiplier" else q.diff(t)
        raise ActionError(
            f"Action: {name} multiplies the velocity constraint {constraint} = 0. Varied like this it is "
            "vakonomic, not nonholonomic: its forces are not those of rolling or of a blade. Take it out of the "
            f"Lagrangian and state it, constraints=({constraint},): it is then kept by Lagrange and d'Alembert's rule"
        )
    if origin == "multiplier" and action.space and constraint.has(*(f for f in action.fields if f != q)):
        raise ActionError(
            f"Action: {q} multiplies the constraint {constraint} = 0 at every place: a multiplier of index 3, which in "
            "a continuum is not covered. Use fields that satisfy it, or a stiff energy"
        )
    if origin == "multiplier" and not constraint.has(*(f for f in action.fields if f != q)):
        raise ActionError(f"Action: {q} enters the Lagrangian only as {constraint}·{q}: no equation determines it")


def _is_exact(expression: sp.Expr, action: StatedAction) -> bool:
    from hamex.principle.variation import antiderivative

    return antiderivative(expression, action.fields) is not None
