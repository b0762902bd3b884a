"""What an action says of a motion: what vanishes along it, what holds on the boundary, what quantities are in total.

Along the motion the highest derivatives are eliminated with the equations of motion, one after the other. Constraints
come with their reactions: accelerations and reactions are the solution of one linear system, the equations of motion
with Σ λ A and the constraints differentiated; rates obey A q̇ + b = 0, and places are points at which the constraints
hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.paper.audit.action_letters import SPACE, WHOLE, energies, placed
from hamex.paper.audit.engine import brackets, bulk, weak
from hamex.principle.action import Action
from hamex.principle.edges import Balance
from hamex.principle.jets import Index, Places, indices, is_zero, jet, partial, t

Rules = Mapping[tuple[sp.Expr, Index], sp.Expr]
_ROUNDS = 8  # of eliminating derivatives: enough for the sixth


class Expected:
    """What follows from an action, as far as formulas are compared with it."""

    def __init__(self, action: Action) -> None:
        self.action = action
        self.constraints = () if action.space else action.constrained().constraints

    @cached_property
    def undisturbed(self) -> Expected:
        """The same without dissipation and loads."""
        action = self.action
        free = Action(action.fields, action.lagrangian, space=action.space, constraints=action.constraints)
        return Expected(free)

    def same_motions(self, lagrangian: sp.Expr) -> bool:
        """Whether another Lagrangian has the same equations, without dissipation and loads."""
        action = self.action
        try:
            ours, theirs = (
                Action(action.fields, L, space=action.space).strong_form() for L in (action.lagrangian, lagrangian)
            )
        except Exception:  # an expression that is no Lagrangian of these fields
            return False
        return all(is_zero(theirs[q] - e) for q, e in ours.items())

    # ---- along the motion ----------------------------------------------------------------------------------------

    @cached_property
    def equations(self) -> list[sp.Expr]:
        """What vanishes: the equations of motion and the stated constraints."""
        return [*self.action.strong_form().values(), *self.action.constraints]

    @cached_property
    def rules(self) -> Rules:
        """The equations of motion solved for a highest derivative each, and for reactions."""
        if self.constraints:
            return self._constrained_rules()
        found: dict[tuple[sp.Expr, Index], sp.Expr] = {}
        for q in self.action.fields:
            rest = eliminated(self.action.strong_form()[q], found)
            for p, index in leading(rest, self.action.fields):
                node, symbol = jet(p, index), sp.Dummy()
                flat = sp.expand(rest).xreplace({node: symbol})
                slope = sp.diff(flat, symbol)
                if slope == 0 or slope.has(symbol) or is_zero(slope):
                    continue
                solved = sp.together(-flat.xreplace({symbol: sp.S.Zero}) / slope)
                found = {key: eliminated(e, {(p, index): solved}) for key, e in found.items()}
                found[p, index] = solved
                break
        return found

    def _constrained_rules(self) -> Rules:
        taken = self.action.constrained()
        fields = taken.plain.fields
        reactions = [c.reaction for c in self.constraints]
        nodes = [*(jet(q, (t, t)) for q in fields), *reactions]
        letters = {node: sp.Dummy() for node in nodes}
        rows = [taken.plain.strong_form()[q] - taken.reaction(q) for q in fields]
        rows += [sp.diff(c.rate(fields), t) for c in self.constraints]
        flat = [sp.expand(row).xreplace(letters) for row in rows]
        unknowns = list(letters.values())
        M = sp.Matrix([[sp.diff(row, x) for x in unknowns] for row in flat])
        rest = sp.Matrix([row.xreplace(dict.fromkeys(unknowns, sp.S.Zero)) for row in flat])
        solved = M.LUsolve(-rest, iszerofunc=is_zero)
        keys = [*((q, (t, t)) for q in fields), *(_key(reaction) for reaction in reactions)]
        return {key: sp.cancel(sp.together(value)) for key, value in zip(keys, solved, strict=True)}

    @cached_property
    def rates(self) -> dict[sp.Expr, sp.Expr]:
        """Rates that the constraints fix in terms of the others."""
        fields = self.action.constrained().plain.fields if self.constraints else ()
        if not fields:
            return {}
        rows = sp.Matrix([[*c.row, -c.rest] for c in self.constraints])
        reduced, pivots = rows.rref(iszerofunc=is_zero, simplify=sp.cancel)
        moving = [q.diff(t) for q in fields]
        return {
            moving[p]: reduced[i, len(fields)]
            - sum((reduced[i, j] * moving[j] for j in range(len(fields)) if j != p), sp.S.Zero)
            for i, p in enumerate(pivots)
            if p < len(fields)
        }

    def reduced(self, expression: sp.Expr) -> sp.Expr:
        """What remains of an expression along the motion."""
        return eliminated(expression, self.rules).xreplace(self.rates)

    def vanishes(self, expression: sp.Expr) -> bool:
        """Zero along the motion, and where there are constraints at every place where they hold."""
        return self._holds(self.reduced(expression))

    def is_constraint(self, expression: sp.Expr) -> bool:
        """Zero by the constraints alone, whatever the forces are."""
        return bool(self.constraints) and self._holds(expression.xreplace(self.rates))

    def _holds(self, rest: sp.Expr) -> bool:
        if is_zero(rest):
            return True
        held = [c.expression for c in self.constraints if c.kind == "holonomic"]
        if not held:
            return False
        nodes = {n for e in (*held, rest) for n in e.atoms(sp.Derivative, AppliedUndef)} | set(self.action.fields)
        letters = {node: sp.Dummy(real=True) for node in sorted(nodes, key=sp.default_sort_key)}
        derivatives = {node: x for node, x in letters.items() if isinstance(node, sp.Derivative)}
        flat = [e.xreplace(derivatives).xreplace(letters) for e in (*held, rest)]
        return Places(flat[:-1], [letters[q] for q in self.action.fields if q in letters]).vanishes(flat[-1])

    def reaction_scale(self, gap: sp.Expr) -> tuple[sp.Expr, sp.Expr] | None:
        """A reaction and the constant factor with which a text must mean it, so that a statement holds."""
        stated = [c.reaction for c in self.constraints if c.origin == "stated" and gap.has(c.reaction)]
        if len(stated) != 1:
            return None
        factor = sp.Dummy()
        rest = sp.expand(self.reduced(gap.xreplace({stated[0]: factor * stated[0]})))
        slope = sp.diff(rest, factor)
        if slope == 0 or slope.has(factor):
            return None
        value = sp.cancel(sp.together(-rest.xreplace({factor: sp.S.Zero}) / slope))
        return None if value == 0 or value.has(sp.Derivative, AppliedUndef, t) else (stated[0], value)

    def nearest(self, gap: sp.Expr, equations: list[sp.Expr], shared: int = 3) -> tuple[sp.Expr, sp.Expr] | None:
        """Of equations, the one that shares most terms with what is printed, in its scaling: the difference, and it."""
        best: tuple[int, sp.Expr, sp.Expr] | None = None
        for target in map(sp.expand, equations):
            first = jet(*leading(target, tuple(sorted(target.atoms(AppliedUndef), key=str)))[0])
            for p in terms(gap):
                for d in terms(target):
                    factor = sp.cancel(p / d)
                    if factor.has(sp.Derivative, AppliedUndef):
                        continue
                    rest = sp.expand(gap - factor * target)
                    common = len(terms(gap)) + len(terms(target)) - len(terms(rest)) + d.has(first)
                    if common >= shared and (best is None or common > best[0]):
                        best = common, rest, sp.expand(factor * target)
        return None if best is None else best[1:]

    def is_divergence(self, density: sp.Expr) -> bool:
        """Whether a density is a space derivative of something: Euler's operator in space annihilates it."""
        fields: dict[sp.Expr, sp.Expr] = {}
        for q in self.action.fields:
            for index in indices(density, q):
                name = sp.Function(f"{q.func.__name__}{index.count(t)}")(*q.args)
                fields[jet(q, index)] = jet(name, tuple(x for x in index if x != t))
        flat = density.xreplace(fields)
        for f in {node.expr if isinstance(node, sp.Derivative) else node for node in fields.values()}:
            terms = [
                (-1) ** len(i) * (sp.diff(partial(flat, f, i), *i) if i else partial(flat, f)) for i in indices(flat, f)
            ]
            if not is_zero(sum(terms, sp.S.Zero).doit()):
                return False
        return True

    # ---- the boundary --------------------------------------------------------------------------------------------

    def balances(self, where: set[str]) -> list[Balance]:
        """What the parts at a place say; the place as text."""
        return [
            b
            for b in (self.action.balances() if self.action.parts else [])
            if not isinstance(b.part.where, str) and where & set(map(str, b.part.where.values()))
        ]

    def ends(self) -> list[str]:
        """Ends of a body on a line that the action names, by parts that sit there."""
        parts = [part for part in self.action.parts if part.side in ("start", "end")]
        return [str(value) for part in parts if not isinstance(part.where, str) for value in part.where.values()]

    def forces(self) -> list[tuple[sp.Expr, sp.Expr]]:
        """Motions of a boundary without parts, each with the force that works on it, outward normal 1."""
        found = []
        for condition in self.action.boundary_conditions():
            normals = {n: sp.S.One for n in condition.force.free_symbols if str(n).startswith("n_")}
            found.append((condition.motion, condition.force.xreplace(normals)))
        return found

    # ---- totals --------------------------------------------------------------------------------------------------

    def total(self, claim: str) -> sp.Expr | None:
        """The Lagrangian or an energy of a whole continuum: the integral of the density, and what its parts have."""
        found = SPACE * self._of(claim, self.action.lagrangian)
        for part in self.action.parts:
            if isinstance(part.where, str):
                return None
            (value,) = part.where.values()
            names = {q: placed(q, value) for q in self.action.fields if q not in self.action.lumped}
            found += self._of(claim, part.lagrangian).xreplace(names)
        return sp.expand(found)

    def _of(self, claim: str, lagrangian: sp.Expr) -> sp.Expr:
        kinetic, potential = energies(self.action, lagrangian)
        if claim == "the Lagrangian":
            return lagrangian
        if claim == "the kinetic energy":
            return kinetic
        return potential if claim == "the potential energy" else kinetic + potential  # none where rates are gyroscopic

    def weak_forms(self) -> dict[str, sp.Expr]:
        """The variation as it is written: under the integral, after parts, and with the ends held."""
        found = self.action.variation()
        over = WHOLE.over * (SPACE if self.action.space else 1)
        inside = weak(found, over)
        for part, varied in zip(self.action.parts, found.parts, strict=True):
            if isinstance(part.where, str):
                continue
            (value,) = part.where.values()
            there = part.motions_of(self.action)
            tests = {varied.test(f): found.test(q) for f, (q, across) in there.items() if not across}
            names = {f: placed(f, value) for q in self.action.fields for f in (q, found.test(q))}
            for (f, index), c in varied.weak.items():
                if varied.test(f) in tests:
                    moved = part.body(c, self.action) * jet(tests[varied.test(f)], index)
                    inside += WHOLE.over * moved.xreplace(names)
        return {
            "weak form": sp.expand(inside),
            "weak form after integration by parts": bulk(found, over) + brackets(found, WHOLE.ends),
            "weak form with the ends held": bulk(found, over),
        }


def _key(reaction: sp.Expr) -> tuple[sp.Expr, Index]:
    """λ, or λ̇ of an impulse."""
    return (reaction.expr, (t,)) if isinstance(reaction, sp.Derivative) else (reaction, ())


def terms(expression: sp.Expr) -> tuple[sp.Expr, ...]:
    """The terms of a sum; none of zero."""
    return sp.Add.make_args(expression) if expression != 0 else ()


def leading(expression: sp.Expr, fields: tuple[sp.Expr, ...]) -> list[tuple[sp.Expr, Index]]:
    """Derivatives in an expression, those with most dots first, then the longest."""
    found = [(q, index) for q in fields for index in indices(expression, q)]
    return sorted(found, key=lambda item: (-item[1].count(t), -len(item[1])))


def eliminated(expression: sp.Expr, rules: Rules) -> sp.Expr:
    """Derivatives replaced by what the equations say of them, and derivatives of those likewise."""
    for _ in range(_ROUNDS):
        found = {}
        for (q, index), value in rules.items():
            for other in indices(expression, q):
                more = list(other)
                if all(more.count(x) >= index.count(x) for x in index):
                    for x in index:
                        more.remove(x)
                    found[jet(q, other)] = sp.diff(value, *more) if more else value
        if not found:
            return expression
        expression = expression.xreplace(found).doit()
    return expression


def difference(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    """Left minus right; zero may stand for a matrix of zeros."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, sp.MatrixBase) and other == 0:
            return one if one is left else -one
    return left - right
