"""The extended variation: weak form, integration by parts in time and space, each certified by an identity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.identity import is_zero
from hamex.principle.jets import Index, indices, jet, partial, t


@dataclass(frozen=True, eq=False)
class Variation:
    """δA_NEW of an action.

    ``weak`` maps (field, index) to the coefficient of ∂^index δq under the integral; ``bulk`` is what
    multiplies δq after all parts; ``ends`` the momentum P_q, whose bracket −[P_q δq] the hatted counterpart
    +[P̂_q δq̂] meets; ``fluxes`` maps (field, index of the test function) to the flux through the boundary,
    one entry per space coordinate, with −flux·n ∂^index δq on the boundary.
    """

    action: StatedAction
    weak: dict[tuple[AppliedUndef, Index], sp.Expr]
    bulk: dict[AppliedUndef, sp.Expr]
    ends: dict[AppliedUndef, sp.Expr]
    fluxes: dict[tuple[AppliedUndef, Index], tuple[sp.Expr, ...]]

    @classmethod
    def of(cls, action: StatedAction) -> Variation:
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
        whole = cls(
            action,
            weak,
            {q: _tidy(e) for q, e in bulk.items()},
            {q: _tidy(e) for q, e in ends.items()},
            {key: tuple(_tidy(e) for e in flux) for key, flux in fluxes.items() if any(flux)},
        )
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


def _by_parts(
    action: StatedAction,
    q: AppliedUndef,
    index: Index,
    coefficient: sp.Expr,
    bulk: dict[AppliedUndef, sp.Expr],
    ends: dict[AppliedUndef, sp.Expr],
    fluxes: dict[tuple[AppliedUndef, Index], list[sp.Expr]],
) -> None:
    """Move the derivatives of δq over to the coefficient, one at a time: c ∂δ = ∂(c δ) − (∂c) δ."""
    if not index:
        bulk[q] += coefficient
        return
    variable, rest = index[0], index[1:]
    if variable == t:
        ends[q] -= coefficient  # the bracket is −[P δq]
    else:
        flux = fluxes.setdefault((q, rest), [sp.S.Zero] * len(action.space))
        flux[action.space.index(variable)] -= coefficient
    _by_parts(action, q, rest, -sp.diff(coefficient, variable), bulk, ends, fluxes)


def _tidy(expression: sp.Expr) -> sp.Expr:
    return sp.expand(expression.doit()) if not expression.has(sp.Piecewise) else expression.doit()


@dataclass(frozen=True, eq=False)
class StatedAction:
    """What an action states, and its variation: all that conditions, charges and steps are derived from."""

    fields: tuple[AppliedUndef, ...]
    lagrangian: sp.Expr
    dissipation: sp.Expr = sp.S.Zero
    loads: Mapping[AppliedUndef, sp.Expr] = field(default_factory=dict)
    space: tuple[sp.Symbol, ...] = ()
    name: str = ""
    citation: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)

    def momentum(self, q: AppliedUndef) -> sp.Expr:
        """P_q = ∂L/∂q̇."""
        return partial(self.lagrangian, q, (t,))

    def dissipative_force(self, q: AppliedUndef) -> sp.Expr:
        """φ_q̇ = ∂φ/∂q̇."""
        return partial(self.dissipation, q, (t,))

    @cached_property
    def has_momentum(self) -> dict[AppliedUndef, bool]:
        """Which fields have a momentum; the others need a smaller test space."""
        return {q: not is_zero(self.momentum(q)) for q in self.fields}

    def variation(self) -> Variation:
        """δA_NEW, weak and after integration by parts, with its end and boundary terms."""
        return self._variation

    @cached_property
    def _variation(self) -> Variation:
        return Variation.of(self)

    def strong_form(self) -> dict[AppliedUndef, sp.Expr]:
        """The equations of motion, one left-hand side per field, equal to zero."""
        return self.variation().bulk

    def hamiltonian(self) -> sp.Expr:
        """H = Σ P_q q̇ − L."""
        total = sum((self.momentum(q) * q.diff(t) for q in self.fields), sp.S.Zero)
        return sp.expand(total - self.lagrangian)
