"""The extended variation of an action, and Helmholtz's test of whether equations are the variation of anything.

Forwards: weak form, integration by parts in time and space, each certified by an identity. Backwards: equations
E_a[q] = 0 come from a functional, as they stand, exactly when their linearisation is its own adjoint. Written out for
one equation of second order, ∂E/∂q̇ = d/dt ∂E/∂q̈: a dashpot fails, and that is why (14) is no variation of anything. A
factor such as e^{ct/m} may repair it (Caldirola, Kanai), because it changes the equations. Olver, Applications of Lie
Groups to Differential Equations, theorem 5.92.

Conserved quantities: charges of shifts, quasi-symmetries included, and the energy."""

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
        for q, force in action.reactions().items():  # Lagrange and d'Alembert: λ A δq, not a variation of λ A q̇
            weak[q, ()] = weak.get((q, ()), sp.S.Zero) - force
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
    constraints: tuple[sp.Expr, ...] = ()

    def reactions(self) -> dict[AppliedUndef, sp.Expr]:
        """Forces Σ λ A of the stated constraints, for the fields they act on."""
        from hamex.principle.constraints import stated_rows

        found: dict[AppliedUndef, sp.Expr] = {}
        for multiplier, row, _ in stated_rows(self) if self.constraints else ():
            for q, entry in zip(self.fields, row, strict=True):
                if entry != 0:
                    found[q] = found.get(q, sp.S.Zero) + multiplier * entry
        return found

    def reaction_power(self) -> sp.Expr:
        """Σ λ b, what constraints A q̇ + b = 0 take out where they move by themselves."""
        from hamex.principle.constraints import stated_rows

        return sum((x * rest for x, _, rest in stated_rows(self)), sp.S.Zero) if self.constraints else sp.S.Zero

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
    work -= action.reaction_power()
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
        source += s * action.reactions().get(q, sp.S.Zero)
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
