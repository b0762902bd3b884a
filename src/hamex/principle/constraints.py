"""Constraints of a lumped action: what kind they are, the forces that keep them, and what a march needs of them.

Three ways lead to a constraint, and all end in the same record: an expression in ``Action(constraints=…)``; a
multiplier in the Lagrangian, λ g(q); and the paper's idiom, an impulse of a rigid member, λ̇ g(q), whose momentum
P_λ = g(q) is the constraint, whose value λ is a gauge and whose rate λ̇ is the reaction.

Without rates a constraint is holonomic. Linear in the rates, A(q, t) q̇ + b(q, t) = 0, it is a Pfaffian form
ω = A dq + b dt, and Frobenius decides: the derived flag I ⊃ I′ ⊃ I″ …, I′ = {ω ∈ I : dω ≡ 0 mod I}, ends in the largest
system that is integrable (Bryant, Chern, Gardner, Goldschmidt, Griffiths, Exterior Differential Systems, 1991, II.4).
What lies in it is a holonomic constraint up to a constant that the start fixes; the rest is nonholonomic.

Nonholonomic constraints are not varied. By Lagrange and d'Alembert the reactions do no work on virtual displacements
with A δq = 0, which adds Σ λ A to the forces (Neimark and Fufaev, Dynamics of Nonholonomic Systems, 1972, ch. III). A
velocity constraint that is multiplied in L, with λ or λ̇, gives other motions, the vakonomic ones: it is refused.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from itertools import combinations

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import ActionError, ConvexityWarning
from hamex.principle.jets import NoPlaceError, Places, UnevenRankError, indices, is_zero, partial, t
from hamex.principle.variation import StatedAction, antiderivative, constraint_row, has_rates, stated_rows


@dataclass(frozen=True)
class Constraint:
    """One constraint, as a march needs it: A q̇ + b = 0, with the force λ A on the fields.

    Attributes
    ----------
    expression : what vanishes: g(q, t), or A q̇ + b.
    kind : ``holonomic`` (no rates), ``integrable`` (rates, but a holonomic one up to a constant), ``nonholonomic``.
    origin : ``stated``, ``multiplier`` (λ g in L) or ``impulse`` (λ̇ g in L).
    reaction : λ: a function of its own, ``lambda_1(t)``, or the user's λ or λ̇; the force on field q is λ A_q.
    row : A, one entry for each field of :attr:`Constrained.plain`: ∂g/∂q, or the coefficients of the rates.
    rest : b: ∂g/∂t, or what stands without rates.
    integral : G(q, t) with dG/dt = expression where that was found; None otherwise.
    """

    expression: sp.Expr
    kind: str
    origin: str
    reaction: sp.Expr
    row: tuple[sp.Expr, ...]
    rest: sp.Expr
    integral: sp.Expr | None = None

    @property
    def place(self) -> sp.Expr | None:
        """g(q, t), constant along the motion; zero for a holonomic one. None for what the rates alone obey."""
        return self.expression if self.kind == "holonomic" else self.integral

    def rate(self, fields: tuple[AppliedUndef, ...]) -> sp.Expr:
        """A q̇ + b: ġ of a holonomic constraint, the constraint itself of one in rates."""
        return sum((a * q.diff(t) for a, q in zip(self.row, fields, strict=True)), self.rest)


@dataclass(frozen=True, eq=False)
class Constrained:
    """An action taken apart: ``plain`` without constraints and without the user's multipliers, and the constraints.

    The equations of motion are those of ``plain`` with Σ λ A added to the forces, and A q̇ + b = 0 for each constraint
    (g = 0 at the start where there is one). ``integrals`` of the constraints are functions of the place: the dimension
    of the largest integrable system among them, holonomic ones included.
    """

    plain: StatedAction
    constraints: tuple[Constraint, ...]
    integrals: int

    def reaction(self, q: AppliedUndef) -> sp.Expr:
        """The force of all constraints on a field."""
        place = self.plain.fields.index(q)
        return sum((c.reaction * c.row[place] for c in self.constraints), sp.S.Zero)


def check_stated(action: StatedAction) -> None:
    """Refuse what cannot be a constraint, by name."""
    for number, expression in enumerate(action.constraints, 1):
        who = f"Action: constraint {number}, {expression} = 0,"
        if action.space:
            raise ActionError(f"{who} in a continuum is not covered; constraints are for lumped actions")
        if not expression.has(*action.fields):
            raise ActionError(f"{who} contains no field; it constrains nothing")
        for q in action.fields:
            for index in indices(expression, q):
                if len(index) > 1:
                    raise ActionError(f"{who} contains accelerations; constraints are on places and rates")
                if index and not is_zero(partial(partial(expression, q, index), q, index)):
                    raise ActionError(
                        f"{who} is not linear in the rates: Lagrange and d'Alembert's rule covers A(q, t) q̇ + b(q, t) "
                        "= 0; what is beyond it (Chetaev's rule) is a postulate of its own"
                    )
        if _flat_where_it_holds(expression, [q for q in action.fields if expression.has(q)]):
            raise ActionError(f"{who} has no slope where it holds, so that no force keeps it; take out the square")
        row, _ = constraint_row(expression, action.fields)
        if any(has_rates(entry, action.fields) for entry in row):
            raise ActionError(
                f"{who} is not linear in the rates: products of rates are not covered, only A(q, t) q̇ + b(q, t) = 0"
            )


def constrained(action: StatedAction) -> Constrained:
    """Take an action apart; see :class:`Constrained`."""
    own = multipliers(action)
    if not own and not action.constraints:
        return Constrained(action, (), 0)
    fields = tuple(q for q in action.fields if q not in own)
    lagrangian = action.lagrangian
    for q, (origin, g) in own.items():
        lagrangian = sp.expand(lagrangian - (q if origin == "multiplier" else q.diff(t)) * g)
    with warnings.catch_warnings():  # said when the action itself was made
        warnings.simplefilter("ignore", ConvexityWarning)
        loads = {q: Q for q, Q in action.loads.items() if q in fields}
        plain = replace(action, fields=fields, lagrangian=lagrangian, loads=loads, constraints=())
    pieces: list[tuple[sp.Expr, str, sp.Expr]] = []
    for q, (origin, g) in own.items():
        pieces.append((sp.expand(g + action.loads.get(q, 0)), origin, q if origin == "multiplier" else q.diff(t)))
    stated = zip(action.constraints, stated_rows(action), strict=True)
    pieces += [(expression, "stated", reaction) for expression, (reaction, _, _) in stated]
    rows = [constraint_row(expression, fields) for expression, _, _ in pieces]
    _check_together([expression for expression, _, _ in pieces], [row for row, _ in rows], fields)
    inside, size = _integrable(rows, fields)
    found = []
    for (expression, origin, reaction), (row, rest), integrable in zip(pieces, rows, inside, strict=True):
        rates = has_rates(expression, fields)
        kind = ("integrable" if integrable else "nonholonomic") if rates else "holonomic"
        integral = antiderivative(expression, fields) if kind == "integrable" else None
        found.append(Constraint(expression, kind, origin, reaction, row, rest, integral))
    return Constrained(plain, tuple(found), size)


def _check_together(
    expressions: list[sp.Expr], rows: list[tuple[sp.Expr, ...]], fields: tuple[AppliedUndef, ...]
) -> None:
    """Refuse constraints that contradict each other, or that say nothing new, by name."""
    nodes = sorted({n for e in expressions for n in e.atoms(sp.Derivative, AppliedUndef)}, key=sp.default_sort_key)
    letters = {node: sp.Dummy(str(node), real=True) for node in (*nodes, *fields)}
    derivatives = {node: x for node, x in letters.items() if isinstance(node, sp.Derivative)}
    flat = [e.xreplace(derivatives).xreplace(letters) for e in expressions]
    table = [[a.xreplace(derivatives).xreplace(letters) for a in row] for row in rows]
    for count in range(1, len(flat) + 1):
        who = f"Action: constraint {expressions[count - 1]} = 0"
        held = [e for e, whole in zip(flat[:count], expressions, strict=False) if not has_rates(whole, fields)]
        try:
            rank = Places(held, [letters[q] for q in fields]).rank(table[:count])
        except NoPlaceError:
            others = f" together with {', '.join(f'{e} = 0' for e in expressions[: count - 1])}" if count > 1 else ""
            raise ActionError(f"{who}: no place was found at which it holds{others}") from None
        except UnevenRankError:
            continue  # independent on a part of the set: the march will meet the other part or not
        if rank < count == 1:
            raise ActionError(
                f"{who}: its slopes vanish where it holds, so that no force keeps it; take out the square"
            )
        if rank < count:
            raise ActionError(f"{who} is redundant: where the constraints before it hold, it follows from them")


def _integrable(
    rows: list[tuple[tuple[sp.Expr, ...], sp.Expr]], fields: tuple[AppliedUndef, ...]
) -> tuple[list[bool], int]:
    """Which forms lie in the last system of the derived flag, and its dimension."""
    letters = {q: sp.Dummy(q.func.__name__, real=True) for q in fields}
    forms = sp.Matrix([[e.xreplace(letters) for e in (*row, rest)] for row, rest in rows])
    # A given function of time is a function of t: its slope is left as it is, dt ∧ dt drops out.
    axes = [*letters.values(), t]
    system = forms
    while system.rows:
        kernel = system.nullspace(iszerofunc=is_zero, simplify=sp.cancel)
        values = []
        for k in range(system.rows):
            curl = sp.Matrix([[sp.diff(entry, axis) for entry in system.row(k)] for axis in axes])
            curl = curl - curl.T
            values.append([sp.expand((one.T * curl * other)[0]) for one, other in combinations(kernel, 2)])
        if not kernel or not values[0] or all(is_zero(e) for line in values for e in line):
            break
        kept = sp.Matrix(values).T.nullspace(iszerofunc=is_zero, simplify=sp.cancel)
        system = (sp.Matrix.hstack(*kept).T * system).applyfunc(sp.cancel) if kept else sp.zeros(0, len(axes))
    if not system.rows:
        return [False] * forms.rows, 0
    rank = system.rank(iszerofunc=is_zero, simplify=sp.cancel)

    def within(k: int) -> bool:
        stacked = sp.Matrix.vstack(system, forms.row(k))
        return bool(stacked.rank(iszerofunc=is_zero, simplify=sp.cancel) == rank)

    return [within(k) for k in range(forms.rows)], int(rank)


def multipliers(action: StatedAction) -> dict[AppliedUndef, tuple[str, sp.Expr]]:
    """Fields of the user that multiply a constraint on places: ``multiplier`` λ g or ``impulse`` λ̇ g, with g."""
    if action.space:
        return {}
    found: dict[AppliedUndef, tuple[str, sp.Expr]] = {}
    for q in action.fields:
        factor = multiplied(action, q)
        if factor is None:
            continue
        origin, g = factor
        others = [f for f in action.fields if f != q and g.has(f)]
        if not others or has_rates(g, action.fields) or any(f in found for f in others):
            continue
        if origin == "impulse" and (q in action.loads or not any(moves(action, f, q) for f in others)):
            continue
        if not _flat_where_it_holds(g, others):
            found[q] = origin, g
    return found


def multiplied(action: StatedAction, q: AppliedUndef) -> tuple[str, sp.Expr] | None:
    """How a field that enters L linearly and nowhere else does so, as λ or as λ̇, and what it multiplies."""
    found = indices(action.lagrangian, q)
    if action.dissipation.has(q) or any(e.has(q) for e in action.constraints) or len(found) != 1:
        return None
    if any(load.has(q) for load in action.loads.values()):
        return None
    (index,) = found
    factor = partial(action.lagrangian, q, index)
    if index not in ((), (t,)) or not is_zero(partial(factor, q, index)):
        return None
    return ("impulse" if index else "multiplier"), factor


def moves(action: StatedAction, f: AppliedUndef, without: AppliedUndef) -> bool:
    """True when a field has a kinetic energy, or a dissipation, of its own once the multiplier is taken away."""
    still = action.lagrangian.xreplace({without.diff(t): sp.S.Zero, without: sp.S.Zero})
    return (t,) in indices(action.dissipation, f) or not is_zero(partial(partial(still, f, (t,)), f, (t,)))


def _flat_where_it_holds(g: sp.Expr, others: list[AppliedUndef]) -> bool:
    """True for g = z²: its slopes vanish with it, so that it holds without a force. It is no constraint but a law."""
    letters = {f: sp.Dummy(real=True) for f in others}
    above = sp.fraction(sp.together(g.xreplace(letters)))[0]  # parameters may stand below
    flat = sp.factor_list(above)[1] if g.is_polynomial(*others) else []
    return any(power > 1 and factor.has(*letters.values()) for factor, power in flat)


@dataclass(frozen=True)
class Relation:
    """What the start must obey, and every later instant: ``expression`` = 0.

    ``generation`` is 0 for a constraint that was stated, 1 for what the equations say themselves (primary), 2 and more
    for what their rates bring (secondary); ``depth`` how often an equation was differentiated for it; ``rates`` whether
    it ties rates or values alone.
    """

    expression: sp.Expr
    generation: int
    depth: int
    rates: bool

    @property
    def origin(self) -> str:
        """In a word."""
        return ("stated", "primary", "secondary")[min(self.generation, 2)]


@dataclass(frozen=True)
class FreeData:
    """What may be given at t = 0, and what follows from it.

    Attributes
    ----------
    hessian_rank, fields : rank of ∂²L/∂q̇∂q̇, of as many as there are fields.
    data : values q and rates q̇ that are free and fix the motion; where a field has a momentum it serves for the rate.
    shifts : values that nothing depends on (gauges): they only set a constant, as that of an impulse J.
    arbitrary : fields that may be any function of time: nothing determines them.
    reached : values and rates that these functions can set to anything; they are no data.
    relations : what the start must obey; ``determined`` names for each of the other values and rates the relation that
        it is found from.
    index : how often the equations must be differentiated until they are an ordinary differential equation, 0 for none;
        None where functions are arbitrary.
    undecided : why the analysis stopped; empty when it did not. Then nothing else is claimed.
    apart : what was taken as not zero, as r in r (θ̇ − z) = 0: all is said of places where that is so.
    """

    fields: tuple[AppliedUndef, ...]
    hessian_rank: int
    data: tuple[sp.Expr, ...]
    shifts: tuple[AppliedUndef, ...] = ()
    arbitrary: tuple[AppliedUndef, ...] = ()
    reached: tuple[sp.Expr, ...] = ()
    relations: tuple[Relation, ...] = ()
    determined: dict[sp.Expr, Relation] = field(default_factory=dict)
    index: int | None = 0
    undecided: str = ""
    apart: tuple[sp.Expr, ...] = ()

    @property
    def count(self) -> int:
        """How many numbers fix a motion, shifts included and arbitrary functions divided out: the textbook's number."""
        return len(self.data) + len(self.shifts)

    @property
    def of(self) -> str:
        """Of what the fields are functions, in words."""
        return "place and time" if len(self.fields[0].args) > 1 else "time"

    def __str__(self) -> str:
        if self.undecided:
            return f"free data not decided: {self.undecided}"

        def listed(nodes: tuple[sp.Expr, ...]) -> str:
            return ", ".join(map(said, nodes))

        lines = [f"free data ({self.count}): {listed(self.data) or 'none'}"]
        if self.shifts:
            lines.append(f"gauges, values that nothing depends on: {listed(self.shifts)}")
        if self.arbitrary:
            lines.append(
                f"arbitrary functions of {self.of}: {listed(self.arbitrary)}; they reach {listed(self.reached)}"
            )
        lines += [f"{relation.origin}: {relation.expression} = 0" for relation in self.relations]
        lines += [f"where {e} is not zero" for e in self.apart]
        unknown = "none: not all functions are determined" if self.arbitrary else "not counted"
        order = unknown if self.index is None else str(self.index)
        lines.append(f"rank of the Hessian: {self.hessian_rank} of {len(self.fields)}; index: {order}")
        return "\n".join(lines)


def said(node: sp.Expr) -> str:
    return f"{node.expr.func.__name__}_dot" if isinstance(node, sp.Derivative) else str(node.func.__name__)
