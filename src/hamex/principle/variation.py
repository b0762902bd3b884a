"""The extended variation: weak form, integration by parts in time and space, each certified by an identity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.identity import is_zero
from hamex.principle.jets import Index, indices, jet, partial, t

if TYPE_CHECKING:
    from hamex.principle.action import Action


@dataclass(frozen=True, eq=False)
class Variation:
    """δA_NEW of an action.

    ``weak`` maps (field, index) to the coefficient of ∂^index δq under the integral; ``bulk`` is what
    multiplies δq after all parts; ``ends`` the momentum P_q, whose bracket −[P_q δq] the hatted counterpart
    +[P̂_q δq̂] meets; ``fluxes`` maps (field, index of the test function) to the flux through the boundary,
    one entry per space coordinate, with −flux·n ∂^index δq on the boundary.
    """

    action: Action
    weak: dict[tuple[AppliedUndef, Index], sp.Expr]
    bulk: dict[AppliedUndef, sp.Expr]
    ends: dict[AppliedUndef, sp.Expr]
    fluxes: dict[tuple[AppliedUndef, Index], tuple[sp.Expr, ...]]

    @classmethod
    def of(cls, action: Action) -> Variation:
        """Vary, integrate by parts in time and space, and certify the result by an identity."""
        weak: dict[tuple[AppliedUndef, Index], sp.Expr] = {}
        for q in action.fields:
            for index in indices(action.lagrangian, q):
                weak[q, index] = -partial(action.lagrangian, q, index)
            extra = action.dissipative_force(q) - action.loads.get(q, sp.S.Zero)
            if extra != 0:
                weak[q, ()] = weak.get((q, ()), sp.S.Zero) + extra
        bulk = {q: sp.S.Zero for q in action.fields}
        ends = {q: sp.S.Zero for q in action.fields}
        fluxes: dict[tuple[AppliedUndef, Index], list[sp.Expr]] = {}
        for (q, index), coefficient in weak.items():
            _by_parts(action, q, index, coefficient, bulk, ends, fluxes)
        whole = cls(action, weak, {q: _tidy(e) for q, e in bulk.items()}, {q: _tidy(e) for q, e in ends.items()},
                    {key: tuple(_tidy(e) for e in flux) for key, flux in fluxes.items() if any(flux)})
        whole.certify()
        return whole

    def test(self, q: AppliedUndef) -> AppliedUndef:
        """The variation δq as a free function."""
        return sp.Function(f"delta_{q.func.__name__}")(*q.args)

    def certify(self) -> None:
        """Weak integrand = bulk·δq − d/dt(P δq) − div(flux δq…), identically; no integral is trusted unchecked."""
        weak = sum((c * jet(self.test(q), i) for (q, i), c in self.weak.items()), sp.S.Zero)
        strong = sum((e * self.test(q) for q, e in self.bulk.items()), sp.S.Zero)
        strong -= sum((sp.diff(p * self.test(q), t) for q, p in self.ends.items()), sp.S.Zero)
        for (q, index), flux in self.fluxes.items():
            for x, component in zip(self.action.space, flux, strict=True):
                strong -= sp.diff(component * jet(self.test(q), index), x)
        if not is_zero((weak - strong).doit()):
            raise ArithmeticError("integration by parts does not satisfy its identity")


def _by_parts(action: Action, q: AppliedUndef, index: Index, coefficient: sp.Expr, bulk: dict[AppliedUndef, sp.Expr],
              ends: dict[AppliedUndef, sp.Expr], fluxes: dict[tuple[AppliedUndef, Index], list[sp.Expr]]) -> None:
    """Move the derivatives of δq over to the coefficient, one at a time: c ∂δ = ∂(c δ) − (∂c) δ."""
    if not index:
        bulk[q] += coefficient
        return
    variable, rest = index[0], index[1:]
    if variable == t:
        ends[q] -= coefficient           # the bracket is −[P δq]
    else:
        flux = fluxes.setdefault((q, rest), [sp.S.Zero] * len(action.space))
        flux[action.space.index(variable)] -= coefficient
    _by_parts(action, q, rest, -sp.diff(coefficient, variable), bulk, ends, fluxes)


def _tidy(expression: sp.Expr) -> sp.Expr:
    return sp.expand(expression.doit()) if not expression.has(sp.Piecewise) else expression.doit()
