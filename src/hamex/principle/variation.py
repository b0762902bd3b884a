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

from hamex.principle.jets import Index, indices, is_zero, jet, partial, t, total
from hamex.principle.parts import Part


@dataclass(frozen=True, eq=False)
class Variation:
    """δA_NEW of an action.

    ``weak`` maps (field, index) to the coefficient of ∂^index δq under the integral; ``bulk`` is what
    multiplies δq after all parts; ``ends`` the momentum P_q, whose bracket −[P_q δq] the hatted counterpart
    +[P̂_q δq̂] meets; ``fluxes`` maps (field, index of the test function) to the flux through the boundary,
    one entry per space coordinate, with −flux·n ∂^index δq on the boundary. ``rims`` are the fluxes of the momenta,
    where rates stand with space derivatives: +[rim·n ∂^index δq] on the boundary at both ends of the window.
    ``parts`` are the variations of the action's parts, in their order, each in the fields at its own place.
    """

    action: StatedAction
    weak: dict[tuple[AppliedUndef, Index], sp.Expr]
    bulk: dict[AppliedUndef, sp.Expr]
    ends: dict[AppliedUndef, sp.Expr]
    fluxes: dict[tuple[AppliedUndef, Index], tuple[sp.Expr, ...]]
    rims: dict[tuple[AppliedUndef, Index], tuple[sp.Expr, ...]] = field(default_factory=dict)
    parts: tuple[Variation, ...] = ()

    @classmethod
    def of(cls, action: StatedAction) -> Variation:
        """Vary, integrate by parts in time and space, and certify the result by an identity."""
        weak = _weak(action)
        # In time first: c ∂ₜ∂^I δ = d/dt(c ∂^I δ) − ċ ∂^I δ. What stays under the integral, and the brackets at the
        # ends, are then both forms in space derivatives of δ.
        inside: dict[tuple[AppliedUndef, Index], sp.Expr] = {}
        bracket: dict[tuple[AppliedUndef, Index], sp.Expr] = {}
        for (q, index), coefficient in weak.items():
            key = q, tuple(v for v in index if v != t)
            moved = -total(coefficient, t) if t in index else coefficient
            inside[key] = inside.get(key, sp.S.Zero) + moved
            if t in index:
                bracket[key] = bracket.get(key, sp.S.Zero) - coefficient
        bulk, fluxes = _in_space(action, inside)
        ends, rims = _in_space(action, bracket)
        whole = cls(action, weak, bulk, ends, fluxes, rims)
        whole.certify()
        if not action.parts:
            return whole
        parts = tuple(action.of_part(part).variation() for part in action.parts)
        for q in action.lumped:  # all that such a field has stands in parts, and in its load
            for part, varied in zip(action.parts, parts, strict=True):
                if q in varied.bulk:
                    bulk[q] += part.placed(part.body(varied.bulk[q], action))
                    ends[q] += part.placed(part.body(varied.ends[q], action))
        return cls(action, weak, bulk, ends, fluxes, rims, parts)

    def test(self, q: AppliedUndef) -> AppliedUndef:
        """The variation δq as a free function."""
        return sp.Function(f"delta_{q.func.__name__}")(*q.args)

    def certify(self) -> None:
        """Weak integrand = bulk·δq − d/dt(P δq − div(rim δq…)) − div(flux δq…), identically; nothing is trusted."""
        space = self.action.space
        weak = sum((c * jet(self.test(q), i) for (q, i), c in self.weak.items()), sp.S.Zero)
        strong = sum((e * self.test(q) for q, e in self.bulk.items()), sp.S.Zero)
        strong -= sum((total(p * self.test(q), t) for q, p in self.ends.items()), sp.S.Zero)
        for fluxes, by in ((self.fluxes, ()), (self.rims, (t,))):
            for (q, index), flux in fluxes.items():
                for x, component in zip(space, flux, strict=True):
                    moved = total(component * jet(self.test(q), index), x)
                    moved = total(moved, t) if by else moved
                    strong += moved if by else -moved
        if not is_zero((weak - strong).doit()):
            raise ArithmeticError("integration by parts does not satisfy its identity")


def _weak(action: StatedAction) -> dict[tuple[AppliedUndef, Index], sp.Expr]:
    """−L_q… ∂^… δq + (φ_q̇ − Q) δq, with the stresses ∂φ/∂q̇′ that work on δq′."""
    weak: dict[tuple[AppliedUndef, Index], sp.Expr] = {}
    for q in action.fields:
        for index in indices(action.lagrangian, q):
            weak[q, index] = -partial(action.lagrangian, q, index)
        extra = action.dissipative_force(q) - action.loads.get(q, sp.S.Zero)
        if extra != 0:
            weak[q, ()] = weak.get((q, ()), sp.S.Zero) + extra
        for index in indices(action.dissipation, q):
            along = tuple(v for v in index if v != t)
            if along and t in index:
                weak[q, along] = weak.get((q, along), sp.S.Zero) + partial(action.dissipation, q, index)
    for q, force in action.reactions().items():  # Lagrange and d'Alembert: λ A δq, not a variation of λ A q̇
        weak[q, ()] = weak.get((q, ()), sp.S.Zero) - force
    return weak


def _in_space(
    action: StatedAction, form: Mapping[tuple[AppliedUndef, Index], sp.Expr]
) -> tuple[dict[AppliedUndef, sp.Expr], dict[tuple[AppliedUndef, Index], tuple[sp.Expr, ...]]]:
    """Move space derivatives of δq over to their coefficients: Σ c ∂^I δ = bulk·δ − div(flux ∂^I′ δ).

    A second derivative leaves one on the boundary. Which one is a choice, and only the even one, M_ij = M_ji, makes the
    flux a tensor: c ∂ₓ∂ᵧδ is ½c ∂ₓ∂ᵧδ + ½c ∂ᵧ∂ₓδ, each moved in its own order. The result is then the same in every
    frame of axes.
    """
    bulk = {q: sp.S.Zero for q in action.fields}
    fluxes: dict[tuple[AppliedUndef, Index], list[sp.Expr]] = {}

    def through(q: AppliedUndef, index: Index, x: sp.Symbol, value: sp.Expr) -> None:
        flux = fluxes.setdefault((q, index), [sp.S.Zero] * len(action.space))
        flux[action.space.index(x)] += value

    for (q, along), c in form.items():
        moved = c
        for x in along:
            moved = -total(moved, x)
        bulk[q] += moved
        if len(along) == 1:
            through(q, (), along[0], -c)
        elif len(along) == 2:
            for one, other in (along, along[::-1]):
                through(q, (one,), other, -c / 2)
                through(q, (), one, total(c, other) / 2)
    found = {key: tuple(_tidy(e) for e in flux) for key, flux in fluxes.items()}
    return {q: _tidy(e) for q, e in bulk.items()}, {key: flux for key, flux in found.items() if any(flux)}


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
    parts: tuple[Part, ...] = field(default=(), kw_only=True)

    @cached_property
    def lumped(self) -> tuple[AppliedUndef, ...]:
        """Fields of t alone beside fields of space: they live in parts."""
        return tuple(q for q in self.fields if self.space and q.args == (t,))

    def reactions(self) -> dict[AppliedUndef, sp.Expr]:
        """Forces Σ λ A of the stated constraints, for the fields they act on."""
        found: dict[AppliedUndef, sp.Expr] = {}
        for multiplier, row, _ in stated_rows(self):
            for q, entry in zip(self.fields, row, strict=True):
                if entry != 0:
                    found[q] = found.get(q, sp.S.Zero) + multiplier * entry
        return found

    def reaction_power(self) -> sp.Expr:
        """Σ λ b, what constraints A q̇ + b = 0 take out where they move by themselves."""
        return sum((x * rest for x, _, rest in stated_rows(self)), sp.S.Zero)

    def momentum(self, q: AppliedUndef) -> sp.Expr:
        """P_q = ∂L/∂q̇; with space derivatives of rates ∂L/∂q̇ − (∂L/∂q̇′)′ + …, what stands before δq at an end."""
        if q in self.lumped:
            return self.variation().ends[q]
        total = partial(self.lagrangian, q, (t,))
        for index in indices(self.lagrangian, q):
            along = tuple(v for v in index if v != t)
            if along and t in index:
                total += (-1) ** len(along) * sp.diff(partial(self.lagrangian, q, index), *along).doit()
        return total

    def dissipative_force(self, q: AppliedUndef) -> sp.Expr:
        """φ_q̇ = ∂φ/∂q̇; what φ has of space derivatives of rates stands in the variation, as stresses."""
        return partial(self.dissipation, q, (t,))

    @cached_property
    def has_momentum(self) -> dict[AppliedUndef, bool]:
        """Which fields have a momentum; the others need a smaller test space."""
        return {q: not is_zero(self.momentum(q)) for q in self.fields}

    def of_part(self, part: Part) -> StatedAction:
        """A part as an action of its own: in the fields and slopes at its place, over what is left of space."""
        lagrangian, dissipation = (part.local(e, self) for e in (part.lagrangian, part.dissipation))
        loads = {part.local(q, self): Q for q, Q in part.loads.items()}
        there = part.motions_of(self)
        used = tuple(f for f in there if lagrangian.has(f) or dissipation.has(f) or f in loads)
        return StatedAction(used, lagrangian, dissipation, loads, part.rest(self))

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
        """H = Σ P_q q̇ − L, with ∂L/∂q̇′ q̇′ where rates have space derivatives; a density in a continuum."""
        rates = [(q, i) for q in self.fields for i in indices(self.lagrangian, q) if t in i]
        total = sum((partial(self.lagrangian, q, i) * jet(q, i) for q, i in rates), sp.S.Zero)
        return sp.expand(total - self.lagrangian)


def stated_rows(action: StatedAction) -> tuple[tuple[sp.Expr, tuple[sp.Expr, ...], sp.Expr], ...]:
    """λ, A and b for each of ``action.constraints``; names of multipliers avoid those of the action."""
    if not action.constraints:
        return ()
    whole = sum((action.lagrangian, action.dissipation, *action.loads.values(), *action.constraints), sp.S.Zero)
    taken = {f.func.__name__ for f in (*whole.atoms(AppliedUndef), *action.fields)}
    taken |= {s.name for s in whole.free_symbols}
    names = (f"lambda_{i}" for i in range(1, len(taken) + len(action.constraints) + 1))
    free = [name for name in names if name not in taken]
    found = []
    for name, expression in zip(free, action.constraints, strict=False):
        found.append((sp.Function(name)(t), *constraint_row(expression, action.fields)))
    return tuple(found)


def constraint_row(expression: sp.Expr, fields: tuple[AppliedUndef, ...]) -> tuple[tuple[sp.Expr, ...], sp.Expr]:
    """A and b: from the rates where there are any, else from the slopes of g."""
    holonomic = not has_rates(expression, fields)
    index = () if holonomic else (t,)
    row = tuple(partial(expression, q, index) for q in fields)
    rate = sp.diff(expression, t) if holonomic else expression
    moved = sum((a * q.diff(t) for a, q in zip(row, fields, strict=True)), sp.S.Zero)
    return row, sp.expand(rate - moved)


def has_rates(expression: sp.Expr, fields: tuple[AppliedUndef, ...]) -> bool:
    return any(t in index for q in fields for index in indices(expression, q))


def is_cyclic(action: StatedAction, q: AppliedUndef) -> bool:
    """True when only the rate of the field enters, in dissipation, loads and constraints too: its value is a gauge."""
    if q in action.lumped:
        return not any((q, ()) in varied.weak for varied in action.variation().parts)
    if any(() in indices(e, q) for e in (action.dissipation, *action.loads.values(), *action.constraints)):
        return False
    if not is_zero(partial(action.lagrangian, q)):
        return False
    return not any(f == q and i and t not in i for f, i in action.variation().weak) if action.space else True


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
            moved = -total(moved, variable)
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
    found = sp.S.Zero
    for index in indices(action.lagrangian, q):
        term = partial(action.lagrangian, q, index)
        for variable in index:
            term = -total(term, variable)
        found += term
    return _tidy(found)


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
        piece = _integrated(slope.xreplace({q: symbol}), symbol).xreplace({symbol: q})
        found += piece
        rest = sp.expand(rest - sp.diff(piece, t))
    if rest.has(*fields):
        return None
    return found + _integrated(rest, t)


def _integrated(expression: sp.Expr, x: sp.Symbol) -> sp.Expr:
    """∫ dx, at once where the terms are powers or unknown functions of x; SymPy's search for the others."""
    total = sp.S.Zero
    for term in sp.Add.make_args(sp.expand(expression)):
        fixed, moving = term.as_independent(x, as_Add=False)
        base, exponent = moving.as_base_exp()
        if base == x and exponent.is_Integer and exponent > 0:
            total += fixed * x ** (exponent + 1) / (exponent + 1)
        elif moving == 1:
            total += fixed * x
        elif isinstance(moving, AppliedUndef) and x in moving.args:
            total += fixed * sp.Integral(moving, x)
        else:
            return sp.integrate(expression, x)
    return total
