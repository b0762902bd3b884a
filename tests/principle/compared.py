"""hamex beside what is known from elsewhere: what differs, in words, or an empty list."""

import warnings
from itertools import permutations

import sympy as sp
from stated import (
    System,
    along,
    eulers_operator,
    holds,
    in_span,
    independent_equations,
    manifold_rank,
    rate_along,
    vanishes,
)

from hamex.principle.variation import energy_rate


def our_own(system: System) -> list[str]:
    """The record against itself: equations by SymPy's own mechanics, charges and power by the equations."""
    wrong = []
    for q, stated, again in zip(system.fields, system.equations, independent_equations(system), strict=True):
        if q.args[:-1] == system.space and not vanishes(stated - again):  # a field of t alone lives in a part
            wrong.append(f"equation of {q}")
    wrong += [f"{c} is not kept" for c in system.charges if not kept(system, c)]
    wrong += [f"{c} is kept" for c in system.no_charges if kept(system, c)]
    known = system.hamiltonian is not None and system.power is not None
    if known and not holds(rate_along(system, system.hamiltonian, -system.power)):
        wrong.append("power")
    wrong += [f"{r} does not vanish" for r in system.relations if not holds(along(system, r))]
    return wrong


def kept(system: System, charge: sp.Expr) -> bool:
    """Whether a quantity is conserved (in a continuum: whether its rate is a divergence, by Euler's operator)."""
    rate = rate_along(system, charge)
    if not system.space:
        return holds(rate)
    return all(holds(e) for e in eulers_operator(system, rate))


def equations(system: System) -> list[str]:
    """The strong form, field by field."""
    ours = system.action().strong_form()
    pairs = zip(system.fields, system.equations, strict=True)
    return [f"equation of {q}: {ours[q]}" for q, e in pairs if not vanishes(ours[q] - e)]


def energy(system: System) -> list[str]:
    """H and its rate."""
    if system.hamiltonian is None:
        return []
    wrong = []
    action = system.action()
    if not vanishes(action.hamiltonian() - system.hamiltonian):
        wrong.append(f"H: {action.hamiltonian()}")
    if system.power is not None and not holds(rate_along(system, 0, energy_rate(action) - system.power)):
        wrong.append(f"dH/dt: {energy_rate(action)}")
    return wrong


def claimed(system: System):
    """All charges that hamex has for a system: of shifts, and of the point symmetries that it finds."""
    action = system.action()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # symmetries that are left undecided are said aloud, and not claimed
        return [*action.charges(), *(symmetry.charge for symmetry in action.symmetries())]


def charges(system: System) -> list[str]:
    """Whatever is claimed holds along the motion; what is known is among it; what is not kept is not."""
    wrong, values = [], []
    for charge in claimed(system):
        flow = sum((sp.diff(f, s) for f, s in zip(charge.flux, system.space, strict=True)), sp.S.Zero)
        if not holds(rate_along(system, charge.value, flow - charge.source)):
            wrong.append(f"claimed, does not hold: {charge}")
        if vanishes(charge.source):
            values.append(charge.value)
    wrong += [f"not found: {c}" for c in system.charges if not in_span(c, values, system.space)]
    wrong += [f"claimed, is not kept: {c}" for c in system.no_charges if in_span(c, values, system.space)]
    return wrong


def _unpaired(expected, found) -> list[str]:
    """Pairs (motion, force) that are in one list and not in the other."""
    if len(expected) != len(found):
        return [f"{len(found)} conditions for {len(expected)}: {found}"]
    for order in permutations(found):
        if all(
            vanishes(e - f) for one, other in zip(expected, order, strict=True) for e, f in zip(one, other, strict=True)
        ):
            return []
    return [f"{found} is not {expected}"]


def boundary(system: System) -> list[str]:
    """Motion and force on edges of every stated direction, the corner, and what holds on the parts."""
    wrong = []
    action = system.action()
    for normal, expected in system.boundary.items():
        found = [(c.motion, c.force) for c in action.boundary_conditions(normal)]
        found = [pair for pair in found if not vanishes(pair[1])]
        wrong += _unpaired([pair for pair in expected if not vanishes(pair[1])], found)
    if system.corner is not None:
        wrong += _unpaired([(system.fields[0], system.corner)], [(c.motion, c.force) for c in action.corners()])
    if system.balances:
        wrong += _unpaired([(e,) for e in system.balances], [(b.equation,) for b in action.balances()])
    return wrong


def data(system: System) -> list[str]:
    """How many data are free, which functions of time are arbitrary, and the relations that hold at all times.

    In a continuum they are functions of place; its roles say the same.
    """
    found = system.action().data()
    wrong = []
    if found.undecided:  # nothing is claimed then
        return [] if system.undecided else [f"undecided: {found.undecided}"]
    if len(found.data) + len(found.shifts) != system.free:
        wrong.append(f"free data for {system.free}: {found.data}, {found.shifts}")
    if system.space:
        roles = [c.role for c in system.action().initial_conditions() if len(c.field.args) > 1 and not c.part]
        gauges = sum(q in found.fields for q in found.reached)
        if sum(role in ("data", "gauge") for role in roles) - gauges != system.free or "undecided" in roles:
            wrong.append(f"free functions for {system.free}: {roles}")
    if len(found.arbitrary) != system.gauges:
        wrong.append(f"arbitrary functions for {system.gauges}: {found.arbitrary}")
    relations = [r.expression for r in found.relations]
    wrong += [f"does not hold: {r}" for r in relations if not holds(along(system, r))]
    among = [r for r in relations if not any(r.has(multiplier) for multiplier in system.multipliers)]
    if system.space:  # ranks of operators: no point of a manifold shows them
        missing = [r for r in system.relations if not any(vanishes(r - s * f) for f in among for s in (1, -1))]
        return [*wrong, *(f"relation {r}, found are {among}" for r in missing)]
    ranks = [manifold_rank(system, rows) for rows in (among, system.relations, [*among, *system.relations])]
    if len(set(ranks)) > 1:
        wrong.append(f"relations {among}, known are {system.relations}: ranks {ranks}")
    return wrong
