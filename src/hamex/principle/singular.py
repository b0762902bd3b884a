"""Which data of a lumped action are free: the analysis of singular Lagrangians, with dissipation, loads, constraints.

The equations E(q, q̇, q̈, t) = 0 are linear in the accelerations, E = W q̈ + K. Where W = ∂²L/∂q̇∂q̇ is regular, values and
momenta of all fields are data. Where it is not, combinations without q̈ are relations that the start must obey:
*primary* ones stand in the equations themselves. Each relation holds at all times, so its rate vanishes as well; rates
bring new equations for the accelerations, whose combinations give *secondary* relations, until nothing new comes
(P. A. M. Dirac, Lectures on Quantum Mechanics, 1964, for Hamiltonians; K. Sundermeyer, Constrained Dynamics, 1982,
ch. II, for this form, which needs no Hamiltonian and so bears dashpots and loads). Ranks and zeros are those on the set
that the relations leave, at random points of it (:mod:`hamex.principle.jets`).

Accelerations that nothing determines are arbitrary functions. What they reach from one start, the distribution spanned
by their directions B and the brackets [X, B], [X, [X, B]] … with the motion X, is not data: two starts that differ by
it are the same motion (M. Henneaux and C. Teitelboim, Quantization of Gauge Systems, 1992, ch. 1 and 3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.constraints import FreeData, Relation, multipliers
from hamex.principle.jets import NoPlaceError, Places, UnevenRankError, pivots, pythagoras, t, total
from hamex.principle.variation import StatedAction, is_cyclic, stated_rows

_LONG, _ROUNDS = 300, 12  # operations beyond which a row is not shortened, generations beyond which nobody waits


class UndecidedError(Exception):
    """Why the analysis stops."""


@dataclass(frozen=True)
class _Row:
    """An equation in letters, how often it was differentiated, and from which generation of relations it comes."""

    expression: sp.Expr
    depth: int
    generation: int


class SingularAnalysis:
    """The work: fields and their rates as letters, rows of equations by the highest derivative in them."""

    def __init__(self, action: StatedAction, impulses: bool = True) -> None:
        self.action = action
        self.impulses = impulses  # whether λ̇ g(q) holds g at zero, as an impulse of a constraint does
        forces = [reaction for reaction, _, _ in stated_rows(action)]
        self.all = (*action.fields, *forces)
        self.letters: dict[sp.Basic, sp.Symbol] = {}
        self.q, self.v, self.a = (
            [self._letter(sp.Derivative(f, (t, k)) if k else f) for f in self.all] for k in range(3)
        )
        momenta = [self.flat(action.momentum(q)) for q in action.fields]
        self.hessian = [[total(P, x) for x in self.v[: len(momenta)]] for P in momenta]
        self.operators: set[sp.Symbol] = set()  # letters for space derivatives: D V = 0 does not say V = 0
        self.rows: list[_Row] = []
        self.pieces = False
        self.apart: set[sp.Expr] = set()
        self.relations: list[_Row] = []
        self.known: dict[tuple[sp.Expr, ...], Places] = {}
        self.second: list[
            tuple[_Row, int]
        ] = []  # rows that determine accelerations, each with the one it is solved for

    def state(self) -> None:
        """Take in the equations of motion, and constraints that are stated or the momenta of impulses."""
        equations = [self.flat(e) for e in self.action.strong_form().values()]
        self.pieces = any(e.has(sp.Piecewise) for e in equations)
        self.rows = [_Row(e, 0, 1) for e in equations]
        bonds = multipliers(self.action).values() if self.impulses else ()
        impulses = [g for origin, g in bonds if origin == "impulse"]
        self.rows += [_Row(self.flat(e), 0, 0) for e in (*self.action.constraints, *impulses)]

    def is_shift(self, q: AppliedUndef) -> bool:
        """Whether nothing depends on the value of a field."""
        return is_cyclic(self.action, q)

    def _letter(self, node: sp.Basic) -> sp.Symbol:
        return self.letters.setdefault(node, sp.Dummy(str(node), real=True))

    def flat(self, expression: sp.Expr) -> sp.Expr:
        nodes = sorted(expression.atoms(sp.Derivative), key=sp.default_sort_key)
        whole = expression.xreplace({node: self._letter(node) for node in nodes})
        functions = sorted(whole.atoms(AppliedUndef), key=sp.default_sort_key)
        return whole.xreplace({node: self._letter(node) for node in functions})

    def back(self, expression: sp.Expr) -> sp.Expr:
        return expression.xreplace({letter: node for node, letter in self.letters.items()})

    def rate(self, row: _Row) -> _Row:
        if row.expression.has(sp.Piecewise):  # each branch has its own rate, and its own free data
            raise UndecidedError("a relation in pieces leaves other data free on each of its branches")
        return _Row(self.flat(total(self.back(row.expression), t)), row.depth + 1, max(2, row.generation + 1))

    def shown(self) -> list[sp.Expr]:
        return [self.back(row.expression) for row in self.relations]

    def places(self, rates: bool = True) -> Places:
        """Points of what the relations leave; without ``rates`` of what those among values leave."""
        kept = tuple(r.expression for r in self.relations if rates or not r.expression.has(*self.v))
        key = *kept, *sorted(self.apart, key=sp.default_sort_key)
        if key not in self.known:
            if any(not e.has(*self.q, *self.v) for e in kept):
                raise NoPlaceError
            self.known[key] = Places(kept, [*self.q, *self.v], self.apart)
        return self.known[key]

    def result(self) -> FreeData:
        n = len(self.action.fields)
        rank = self.places().rank(self.hessian)
        if rank == n and not self.action.constraints:
            carried = tuple(q.diff(t) for q in self.action.fields)
            return self._listed(rank, [*self.action.fields, *carried], [], [], {}, 0)
        self.state()
        waiting = list(self.rows)
        for _ in range(_ROUNDS):
            new = self._sort(waiting)
            if not new:
                break
            waiting = [self.rate(row) for row in new]
        else:
            raise UndecidedError(f"relations of more than {_ROUNDS} generations")
        return self._counted(rank)

    def _sort(self, waiting: list[_Row]) -> list[_Row]:
        """Take rows in; what of it is a new relation, and does not follow from the known ones, is returned."""
        new: list[_Row] = []
        while waiting:
            places = self.places()
            row = self._without_accelerations(waiting.pop(0), places)
            if row is None or places.vanishes(row.expression):
                continue
            row = self._without_rates(_Row(self._short(row.expression), row.depth, row.generation))
            if row is None:
                continue
            new.append(row)
            self.relations.append(row)
            # The set is smaller now: what determined an acceleration, or a rate, may no longer do so.
            again, self.second = [r for r, _ in self.second], []
            tied = [r for r in self.relations if r.expression.has(*self.v)]
            if tied and self.places().rank([[total(r.expression, x) for x in self.v] for r in tied]) < len(tied):
                bent = self._rates_put_in(tied) or self._products_out(tied)
                if row in tied and not bent:
                    raise UndecidedError("relations that are not linear in the rates hide one among values")
                loose = list(bent) or tied
                self.relations = [r for r in self.relations if r not in loose]
                again += list(bent.values()) or tied
            waiting = again + waiting
        return new

    def _without_accelerations(self, row: _Row, places: Places) -> _Row | None:
        """The row less the ones that are solved for accelerations; None when it determines one itself."""
        row = self._reduced(row, self.second, self.a)
        entries = {x: total(row.expression, x) for x in self.a if row.expression.has(x)}
        solid = [x for x, entry in entries.items() if not places.vanishes(entry)]
        if solid:
            best = min(solid, key=lambda x: (entries[x].has(*self.q, *self.v), entries[x].count_ops()))
            self.second.append((row, self.a.index(best)))
            return None
        return _Row(row.expression.xreplace(dict.fromkeys(self.a, sp.S.Zero)), row.depth, row.generation)

    def _without_rates(self, row: _Row) -> _Row | None:
        """Relations that are linear in the rates may hide one among values: combined, rates drop out."""
        places = self.places(rates=False)
        solved: list[tuple[_Row, int]] = []
        for known in (*(r for r in self.relations if r.expression.has(*self.v)), row):
            if any(total(known.expression, x).has(*self.v) for x in self.v):
                continue
            less = self._reduced(known, solved, self.v)
            entries = {x: total(less.expression, x) for x in self.v if less.expression.has(x)}
            solid = [x for x, entry in entries.items() if not places.vanishes(entry)]
            if solid:
                best = min(solid, key=lambda x: (entries[x].has(*self.q), entries[x].count_ops()))
                solved.append((less, self.v.index(best)))
            elif known is row:
                bare = less.expression.xreplace(dict.fromkeys(self.v, sp.S.Zero))
                return None if places.vanishes(bare) else _Row(self._short(bare), less.depth, less.generation)
        return row

    def _rates_put_in(self, tied: list[_Row]) -> dict[_Row, _Row]:
        """Relations that are not linear in the rates, with the rates that the linear ones determine."""
        linear = [r for r in tied if not any(total(r.expression, x).has(*self.v) for x in self.v)]
        known = sp.solve([r.expression for r in linear], self.v, dict=True) if linear else []
        if len(known) != 1 or len(linear) == len(tied):
            return {}
        depth, generation = max(r.depth for r in linear), max(r.generation for r in linear)
        changed = {r: r.expression.xreplace(known[0]) for r in tied if r not in linear and r.expression.has(*known[0])}
        return {r: _Row(self._plain(e), max(r.depth, depth), max(r.generation, generation)) for r, e in changed.items()}

    def _products_out(self, tied: list[_Row]) -> dict[_Row, _Row]:
        """The last relation combined with the others such that no product of rates is left."""
        found = without_products([r.expression for r in tied], self.v, self.places(rates=False), self._plain)
        bare, below = found or (None, [])
        factors = {f for e in below for f, _ in sp.factor_list(sp.fraction(sp.together(e))[0])[1]}
        self.apart |= {f for f in factors if f.free_symbols & {*self.q}}
        depth, generation = max(r.depth for r in tied), max(r.generation for r in tied)
        return {} if bare is None else {tied[-1]: _Row(self._short(bare), depth, generation)}

    def _reduced(self, row: _Row, solved: list[tuple[_Row, int]], letters: list[sp.Symbol]) -> _Row:
        expression, depth, generation = row.expression, row.depth, row.generation
        for other, place in solved:
            entry = total(expression, letters[place])
            if entry == 0:
                continue
            pivot = total(other.expression, letters[place])
            expression = expression - entry / pivot * other.expression
            # Over a product like terms meet as they stand; over a sum they must be cancelled.
            product = all(x.as_base_exp()[0].is_Symbol or x.is_Rational for x in sp.Mul.make_args(pivot))
            expression = sp.expand(expression) if product else self._plain(expression)
            # A combination of equations as they stand is primary; with a rate among them it is secondary.
            depth, generation = max(depth, other.depth), max(generation, other.generation)
        return _Row(expression, depth, generation)

    def _plain(self, expression: sp.Expr) -> sp.Expr:
        if expression.has(sp.Piecewise):
            return sp.expand(expression)
        return sp.expand(sp.cancel(expression) if expression.count_ops() < _LONG else expression)

    def _short(self, expression: sp.Expr) -> sp.Expr:
        """The numerator without what cannot vanish, each factor once: z² = 0 says z = 0."""
        if expression.has(sp.Piecewise):
            return expression
        numerator = sp.fraction(sp.together(expression))[0]
        if numerator.count_ops() > _LONG:
            return sp.expand(numerator)
        moving = {*self.q, *self.v, t, *(x for node, x in self.letters.items() if node not in self.all)}
        every = sp.factor_list(numerator)[1]
        factors = [f for f, _ in every if f.free_symbols & moving]
        outer = sp.prod([f**n for f, n in every if not f.free_symbols & moving and f.free_symbols & self.operators])
        carried = {self._letter(q) for q in self.action.fields if self.action.has_momentum[q]}
        lone = [f for f in factors if f in carried or (f.is_Function and f.args[0] in carried)]
        if len(lone) < len(factors):  # r (θ̇ − z) = 0 says θ̇ = z where r ≠ 0
            self.apart |= set(lone)
            factors = [f for f in factors if f not in lone]
        short = pythagoras(sp.expand(outer * sp.prod(factors)) if factors else numerator)
        return -short if short.could_extract_minus_sign() else short

    def _counted(self, hessian: int) -> FreeData:
        places, n = self.places(), len(self.all)
        coordinates = [*self.q, *self.v]
        table = [[total(r.expression, x) for x in coordinates] for r in self.relations]
        points = places.matrices(table)
        preferred = self._preferred()
        dependent = [pivots(point, preferred[::-1]) for point in points]
        if len({len(found) for found in dependent}) > 1:
            raise UnevenRankError
        first = dependent[0] if dependent else []
        if len(first) < len(self.relations):
            raise UndecidedError("the relations are not independent where they hold")
        nodes = [*self.all, *(f.diff(t) for f in self.all)]
        shown = [self._shown(row) for row in self.relations]
        determined = {nodes[column]: shown[r] for r, column in first}
        free = [i for i in preferred if i not in {column for _, column in first}]
        open_fields = n - places.rank([[total(r.expression, x) for x in self.a] for r, _ in self.second] or [[0] * n])
        if not open_fields:
            return self._listed(hessian, [nodes[i] for i in free], [], [], determined, self._index(places))
        solved = {place for _, place in self.second}
        late = sorted(range(2 * n), key=lambda i: (i % n in solved, -preferred.index(i)))
        taken = {column for _, column in pivots(self._reach(places), [i for i in late if i in free])}
        kept, reached = ([nodes[i] for i in free if (i in taken) is wanted] for wanted in (False, True))
        loose = [f for i, f in enumerate(self.all) if i not in solved]
        return self._listed(hessian, kept, loose, reached, determined, None)

    def _preferred(self) -> list[int]:
        """Values before rates, fields with a momentum first, multipliers last."""
        n = len(self.all)
        carries = [self.action.has_momentum.get(f, False) for f in self.all]
        own = multipliers(self.action)
        late = [f not in self.action.fields or f in own for f in self.all]
        return sorted(range(2 * n), key=lambda i: (late[i % n], i >= n, not carries[i % n], i % n))

    def _shown(self, row: _Row) -> Relation:
        return Relation(self.back(row.expression), row.generation, row.depth, row.expression.has(*self.v))

    def _listed(
        self,
        hessian: int,
        free: list[sp.Expr],
        loose: list[AppliedUndef],
        reached: list[sp.Expr],
        determined: dict[sp.Expr, Relation],
        index: int | None,
    ) -> FreeData:
        shifts = tuple(f for f in free if f in self.action.fields and self.is_shift(f))
        data = tuple(f for f in free if f not in shifts)
        tied = tuple(self._shown(row) for row in self.relations)
        given = self.action.fields, hessian, data, shifts
        apart = tuple(sorted(map(self.back, self.apart), key=sp.default_sort_key))
        return FreeData(*given, tuple(loose), tuple(reached), tied, determined, index, apart=apart)

    def _reach(self, places: Places) -> list[list[sp.Expr]]:
        """Directions of values and rates that arbitrary accelerations reach, at one point of the set."""
        unknown = [self.a[place] for _, place in self.second]
        solution = sp.solve([r.expression for r, _ in self.second], unknown, dict=True) if unknown else [{}]
        if len(solution) != 1:
            raise UndecidedError("the accelerations could not be isolated")
        moved = {x: solution[0].get(x, x) for x in self.a}
        loose = [x for x in self.a if x not in solution[0]]
        coordinates = [*self.q, *self.v]
        zero = dict.fromkeys(loose, sp.S.Zero)
        motion = [*self.v, *(moved[x].xreplace(zero) for x in self.a)]
        fields = [[*([sp.S.Zero] * len(self.v)), *(total(moved[x], u) for x in self.a)] for u in loose]

        def along(expression: sp.Expr) -> sp.Expr:
            rate = self.flat(total(self.back(expression), t))
            return rate.xreplace({x: e.xreplace(zero) for x, e in moved.items()})

        def bracket(one: list[sp.Expr] | None, other: list[sp.Expr]) -> list[sp.Expr]:
            first = motion if one is None else one
            there = [along(e) if one is None else slope(e, coordinates, first) for e in other]
            return [self._plain(x - slope(e, coordinates, other)) for x, e in zip(there, first, strict=True)]

        return closure(fields, bracket, places)

    def _index(self, places: Places) -> int:
        """Differentiations until the highest derivative of each field is determined by what is lower."""
        high = [any(row.expression.has(x) for row in self.rows) for x in self.a]
        targets = [x if second else v for x, v, second in zip(self.a, self.v, high, strict=True)]
        others = [x for x, second in zip(self.a, high, strict=True) if not second]
        rows = [*(r for r, _ in self.second), *self.relations]
        for depth in range(max((r.depth for r in rows), default=0) + 1):
            chosen = [r.expression for r in rows if r.depth <= depth]
            both = places.rank([[total(e, x) for x in (*targets, *others)] for e in chosen]) if chosen else 0
            rest = places.rank([[total(e, x) for x in others] for e in chosen]) if chosen and others else 0
            if both - rest == len(targets):
                return depth
        raise UndecidedError("the index was not found")


def slope(expression: sp.Expr, coordinates: list[sp.Symbol], direction: list[sp.Expr]) -> sp.Expr:
    """The derivative of an expression along a direction."""
    return sum((total(expression, x) * d for x, d in zip(coordinates, direction, strict=True)), sp.S.Zero)


def closure(
    fields: list[list[sp.Expr]], bracket: Callable[[list[sp.Expr] | None, list[sp.Expr]], list[sp.Expr]], places: Places
) -> list[list[sp.Expr]]:
    """Brackets with the motion and among themselves, as long as they bring new directions."""
    found: list[list[sp.Expr]] = []
    waiting = list(fields)
    while waiting:
        one = waiting.pop(0)
        if places.rank([*found, one]) == len(found):
            continue
        waiting += [bracket(None, one), *(bracket(other, one) for other in found)]
        found.append(one)
    return places.matrices(found)[0]


def without_products(
    relations: list[sp.Expr], letters: list[sp.Symbol], places: Places, plain: Callable[[sp.Expr], sp.Expr]
) -> tuple[sp.Expr, list[sp.Expr]] | None:
    """The last relation less multiples of the others, if every product of letters drops out; and what it is over."""
    solved: list[tuple[dict[tuple[int, ...], sp.Expr], tuple[int, ...]]] = []
    for relation in relations:
        if not relation.is_polynomial(*letters):
            return None
        terms = dict(sp.Poly(relation, *letters).terms())
        for other, lead in solved:
            if lead in terms:
                ratio = terms[lead] / other[lead]
                both = {*terms, *other}
                terms = {k: plain(terms.get(k, sp.S.Zero) - ratio * other.get(k, sp.S.Zero)) for k in sorted(both)}
        solid = [k for k, c in terms.items() if any(k) and not places.vanishes(c)]
        if solid:
            solved.append((terms, min(solid, key=lambda k: terms[k].count_ops())))
        elif relation is relations[-1]:
            bare = terms.get((0,) * len(letters), sp.S.Zero)
            return None if places.vanishes(bare) else (bare, [other[lead] for other, lead in solved])
    return None
