"""The extended variation of an action, and Helmholtz's test of whether equations are the variation of anything.

Forwards: weak form, integration by parts in time and space, each certified by an identity. Backwards: equations
E_a[q] = 0 come from a functional, as they stand, exactly when their linearisation is its own adjoint. Written out for
one equation of second order, ∂E/∂q̇ = d/dt ∂E/∂q̈: a dashpot fails, and that is why (14) is no variation of anything. A
factor such as e^{ct/m} may repair it (Caldirola, Kanai), because it changes the equations. Olver, Applications of Lie
Groups to Differential Equations, theorem 5.92.

And the rate of the energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.jets import Index, indices, is_zero, jet, partial, t


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
            for index in indices(action.dissipation, q):  # ∂φ/∂q̇′ is a stress, and works on δq′
                along = tuple(v for v in index if v != t)
                if along:
                    weak[q, along] = weak.get((q, along), sp.S.Zero) + partial(action.dissipation, q, index)
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
        """φ_q̇ = ∂φ/∂q̇; what φ has of space derivatives of rates stands in the variation, as stresses."""
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


@dataclass(frozen=True)
class Failure:
    """One coefficient that differs between the linearisation and its adjoint: of ∂^index v_column in row ``row``."""

    row: AppliedUndef
    column: AppliedUndef
    index: Index
    residual: sp.Expr


@dataclass(frozen=True)
class Helmholtz:
    """The verdict: ``failures`` is empty when a functional exists."""

    failures: tuple[Failure, ...]

    @property
    def holds(self) -> bool:
        """True when the equations are those of a functional."""
        return not self.failures


def helmholtz(
    equations: Mapping[AppliedUndef, sp.Expr] | Sequence[sp.Expr], fields: Sequence[AppliedUndef] | None = None
) -> Helmholtz:
    """Test whether equations, paired with the fields in their order, are those of a functional.

    >>> from hamex.principle.jets import t
    >>> m, c, k = sp.symbols("m c k", positive=True)
    >>> u = sp.Function("u")(t)
    >>> helmholtz({u: m * u.diff(t, 2) + k * u}).holds
    True
    >>> [failure.residual for failure in helmholtz({u: m * u.diff(t, 2) + c * u.diff(t) + k * u}).failures]
    [2*c]
    """
    paired = dict(equations) if isinstance(equations, Mapping) else dict(zip(fields or (), equations, strict=True))
    unknowns = tuple(fields or paired)
    failures = []
    for a, q in enumerate(unknowns):
        for r in unknowns[a:]:  # the pair (r, q) repeats what (q, r) says
            failures += _compare(paired, q, r)
    return Helmholtz(tuple(failures))


def _compare(equations: Mapping[AppliedUndef, sp.Expr], q: AppliedUndef, r: AppliedUndef) -> list[Failure]:
    """Σ ∂E_q/∂(∂^I r) ∂^I v against Σ (−∂)^I (∂E_r/∂(∂^I q) v), coefficient by coefficient of a free function v."""
    v = sp.Function("_virtual")(*q.args)  # a name that no field has
    forward = sum((partial(equations[q], r, i) * jet(v, i) for i in indices(equations[q], r)), sp.S.Zero)
    backward = sp.S.Zero
    for i in indices(equations[r], q):
        moved = partial(equations[r], q, i) * v
        for variable in i:
            moved = -sp.diff(moved, variable)
        backward += moved
    difference = sp.expand((forward - backward).doit())
    found = []
    for i in indices(difference, v):
        residual = partial(difference, v, i)
        if not is_zero(residual):
            found.append(Failure(q, r, i, sp.factor(residual) if not residual.has(sp.Piecewise) else residual))
    return found


def euler(action: StatedAction, q: AppliedUndef) -> sp.Expr:
    """E_q = Σ_I (−D)_I ∂L/∂q_I: what L alone says, without dissipation and loads."""
    total = sp.S.Zero
    for index in indices(action.lagrangian, q):
        term = partial(action.lagrangian, q, index)
        for variable in index:
            term = -sp.diff(term, variable)
        total += term
    return sp.expand(total.doit()) if not total.has(sp.Piecewise) else total.doit()


def energy_rate(action: StatedAction) -> sp.Expr:
    """dH/dt along the motion: −∂L/∂t − Σ φ_q̇ q̇ + Σ Q q̇, whatever φ and Q depend on; in a continuum up to what flows
    through the boundary."""
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
