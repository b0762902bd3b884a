"""Conserved quantities: charges of shifts, quasi-symmetries included, and the energy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.jets import indices, jet, partial, t
from hamex.principle.variation import StatedAction


@dataclass(frozen=True)
class Charge:
    """A quantity whose rate is known: d(value)/dt = source, in a continuum d(density)/dt + div(flux) = source.

    A shift that changes L by a total derivative dK/dt (a quasi-symmetry) has the charge Σ P_q s_q − K. Dissipation
    and loads that are rates themselves are taken into ``value``: the momentum balance (54) is a charge with source 0.
    """

    shift: dict[AppliedUndef, sp.Expr]
    value: sp.Expr
    source: sp.Expr
    flux: tuple[sp.Expr, ...] = ()


def charges(action: StatedAction, shifts: list[Mapping[AppliedUndef, sp.Expr]] | None = None) -> list[Charge]:
    """Charges of the given constant shifts, or of all that the Lagrangian allows."""
    wanted = [dict(s) for s in shifts] if shifts is not None else _allowed_shifts(action)
    return [_charge(action, shift) for shift in wanted]


def energy_rate(action: StatedAction) -> sp.Expr:
    """dH/dt along the motion: −∂L/∂t − Σ φ_q̇ q̇ + Σ Q q̇; in a continuum up to what flows through the boundary."""
    nodes = [jet(q, i) for q in action.fields for i in indices(action.lagrangian, q)]
    frozen = {node: sp.Dummy(real=True) for node in nodes}
    explicit = sp.diff(action.lagrangian.xreplace(frozen), t).xreplace({x: node for node, x in frozen.items()})
    work = sum(
        ((action.loads.get(q, sp.S.Zero) - action.dissipative_force(q)) * q.diff(t) for q in action.fields), sp.S.Zero
    )
    for q in action.fields:
        slopes = [i for i in indices(action.dissipation, q) if len(i) > 1]
        work -= sum((partial(action.dissipation, q, i) * jet(q, i) for i in slopes), sp.S.Zero)
    return sp.expand(work - explicit)


def antiderivative(expression: sp.Expr, fields: tuple[AppliedUndef, ...]) -> sp.Expr | None:
    """K(q, t) with dK/dt = expression, or None when there is none."""
    rest, found = sp.expand(expression), sp.S.Zero
    for q in fields:
        slope = partial(rest, q, (t,))
        if slope.has(sp.Derivative):
            return None
        symbol = sp.Dummy(real=True)
        piece = sp.integrate(slope.xreplace({q: symbol}), symbol).xreplace({symbol: q})
        found += piece
        rest = sp.expand(rest - sp.diff(piece, t))
    if rest.has(*fields):
        return None
    return found + (sp.integrate(rest, t) if rest != 0 else 0)


def _charge(action: StatedAction, shift: dict[AppliedUndef, sp.Expr]) -> Charge:
    change = sum((partial(action.lagrangian, q) * s for q, s in shift.items()), sp.S.Zero)
    K = antiderivative(change, action.fields)
    if K is None:
        raise ValueError(f"the Lagrangian is not invariant under the shift {shift}, not even up to a total derivative")
    value = sum((action.momentum(q) * s for q, s in shift.items()), sp.S.Zero) - K
    source = sp.S.Zero
    for q, s in shift.items():
        for force, sign in ((action.dissipative_force(q), -1), (action.loads.get(q, sp.S.Zero), 1)):
            stored = antiderivative(force * s, action.fields) if not force.has(sp.Piecewise) else None
            if stored is None:
                source += sign * force * s
            else:
                value -= sign * stored
    nothing = (sp.S.Zero,) * len(action.space)
    # Constant shifts meet only the bracket of δq itself on the boundary, not those of its slopes.
    through = [tuple(s * f for f in action.variation().fluxes.get((q, ()), nothing)) for q, s in shift.items()]
    flux = tuple(sp.expand(sum(parts)) for parts in zip(*through, strict=True))
    return Charge(shift, sp.expand(value), source, flux)


def _allowed_shifts(action: StatedAction) -> list[dict[AppliedUndef, sp.Expr]]:
    """Constant shifts s with Σ s_q ∂L/∂q a total derivative: its Euler expressions vanish, linear equations in s."""
    s = sp.symbols(f"s_0:{len(action.fields)}", real=True)
    change = sum((a * partial(action.lagrangian, q) for a, q in zip(s, action.fields, strict=True)), sp.S.Zero)
    equations: list[sp.Expr] = []
    for q in action.fields:
        euler = sp.expand((sp.diff(partial(change, q, (t,)), t) - partial(change, q)).doit())
        coordinates = [jet(f, i) for f in action.fields for i in indices(euler, f)]
        symbols = {c: sp.Dummy(real=True) for c in sorted(coordinates, key=sp.default_sort_key, reverse=True)}
        equations += _coefficients(euler.xreplace(symbols), [*symbols.values(), t])
    matrix = sp.Matrix([[sp.diff(e, a) for a in s] for e in equations]) if equations else sp.zeros(1, len(s))
    return [
        {q: sp.cancel(a) for q, a in zip(action.fields, vector, strict=True) if a != 0} for vector in matrix.nullspace()
    ]


def _coefficients(flat: sp.Expr, variables: list[sp.Symbol]) -> list[sp.Expr]:
    """What multiplies the different functions of the variables: all of it must vanish for the whole to vanish."""
    grouped: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(flat, trig=True)):
        constant, function = term.as_independent(*variables, as_Add=False)
        grouped[function] = grouped.get(function, sp.S.Zero) + constant
    return [e for e in grouped.values() if e != 0]
