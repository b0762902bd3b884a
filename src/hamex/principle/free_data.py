"""Which data are free at t = 0: of a lumped action by its equations, of a density by those of one wave.

A density with constant coefficients, quadratic in its fields, moves each wave by itself: with ∂_x as a letter D_x its
equations are those of a lumped system over the field of rational functions of D, and what is singular in it, primary
and secondary relations, gauges and free data, is found as in one (:mod:`hamex.principle.singular`). Ranks over that
field are those at a generic wave vector, D = i k, where operators of place alone, as the Laplacian in ΔV = …, have an
inverse. Data are then functions of place, and relations come back with their space
derivatives: Gauss's law of Maxwell's potentials.

Other densities are decided where the Hessian by the rates is regular, or where each field without a rate is fixed by
its own equation at each instant and the waves of the frozen equations (coefficients as numbers, at a random place) have
as many data as that leaves, by the degree of their determinant. Else nothing is claimed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import ActionError
from hamex.principle.constraints import FreeData, Relation, said
from hamex.principle.jets import NoPlaceError, Places, UnevenRankError, indices, is_zero, jet, partial, t
from hamex.principle.singular import SingularAnalysis, UndecidedError
from hamex.principle.variation import StatedAction, has_rates, is_cyclic

__all__ = ["FreeData", "Relation", "free_data"]

_LONG = 60  # digits of numbers that are not rational


@lru_cache(maxsize=32)
def free_data(action: StatedAction) -> FreeData:
    """Analyse an action: a lumped one by its equations, a density by those of one wave."""
    if action.space:
        return _in_space(action)
    return _analysed(SingularAnalysis(action))


def _analysed(analysis: SingularAnalysis) -> FreeData:
    """The result, or why there is none; equations of a lumped action that contradict each other are refused."""
    action = analysis.action
    try:
        return analysis.result()
    except UnevenRankError:
        why = "the rank of the equations is not the same on all parts of what the relations leave"
    except NoPlaceError:
        if not analysis.relations:
            why = "the equations could not be evaluated"
        else:
            shown = [action.in_space(e) if isinstance(action, _Wave) else e for e in analysis.shown()]
            why = "no place was found at which " + ", ".join(f"{e} = 0" for e in shown) + " hold together"
            alone = [e for e in shown if isinstance(action, _Wave) and not e.has(*action.there.values())]
            if alone:
                why = f"there are motions only under loads with {alone[0]} = 0"
            elif not analysis.pieces and not isinstance(action, _Wave):
                raise ActionError(f"Action: {why}: the equations contradict each other") from None
    except UndecidedError as problem:
        why = str(problem)
        if analysis.pieces and not isinstance(action, _Wave):
            why += _by_branch(action)
    carried = tuple(q.diff(t) for q in action.fields if action.has_momentum[q])
    return FreeData(action.fields, -1, (*action.fields, *carried), index=None, undecided=why)


def _by_branch(action: StatedAction) -> str:
    """What each branch of a dissipation in pieces leaves free, in words."""
    whole = sp.piecewise_fold(action.dissipation)
    if not isinstance(whole, sp.Piecewise):
        return ""
    given = action.fields, action.lagrangian
    alone = [StatedAction(*given, piece, action.loads, constraints=action.constraints) for piece, _ in whole.args]
    found = [_analysed(SingularAnalysis(branch, impulses=False)) for branch in alone]
    if any(branch.undecided for branch in found):
        return ""
    met = ("otherwise" if condition == sp.true else f"where {condition}" for _, condition in whole.args)
    free = (", ".join(map(said, (*branch.shifts, *branch.data))) or "none" for branch in found)
    return ": " + "; ".join(f"{words}, {branch}" for words, branch in zip(free, met, strict=True))


def _in_space(action: StatedAction) -> FreeData:
    """Data of a density, as functions of place; fields of t alone live in its parts, and are left out."""
    wave = _Wave.of(action)
    if wave.exact:
        analysis = SingularAnalysis(wave)
        analysis.operators = set(wave.operators.values())
        analysis.is_shift = lambda q: is_cyclic(action, wave.there[q])  # type: ignore[method-assign]
        return wave.unfolded(_analysed(analysis))
    return _by_place(action, wave)


@dataclass(frozen=True, eq=False)
class _Wave(StatedAction):
    """The equations of a density for one wave: fields of t, with D for each space derivative.

    ``there`` are the fields and given functions of place, by those of t that stand for them; ``operators`` the letters
    D by their coordinates; ``rests`` what the equations have without fields; ``exact`` whether the coefficients are
    constant. Where they are not, they stand frozen at a random place.
    """

    body: StatedAction = field(kw_only=True)
    there: dict[AppliedUndef, AppliedUndef] = field(kw_only=True)
    operators: dict[sp.Symbol, sp.Symbol] = field(kw_only=True)
    equations: dict[AppliedUndef, sp.Expr] = field(kw_only=True)
    rests: dict[AppliedUndef, sp.Expr] = field(kw_only=True)
    exact: bool = field(kw_only=True)

    @classmethod
    def of(cls, body: StatedAction) -> _Wave:
        fields = [q for q in body.fields if q not in body.lumped]
        here = {q: sp.Function(q.func.__name__)(t) for q in fields}
        operators = {x: sp.Symbol(f"D_{x.name}", real=True) for x in body.space}
        equations, rests, exact = {}, {}, True
        moving = {*body.space, t}
        for q in fields:
            whole = body.strong_form()[q]
            slopes = [(f, i, partial(whole, f, i)) for f in fields for i in indices(whole, f)]
            constant = not any(c.free_symbols & moving or c.atoms(AppliedUndef) for _, _, c in slopes)
            exact = exact and constant
            linear = sum((_frozen(c, body.space) * _lowered(here[f], i, operators) for f, i, c in slopes), sp.S.Zero)
            rest = whole - sum((c * jet(f, i) for f, i, c in slopes), sp.S.Zero)
            given = sp.Function(f"given_{q.func.__name__}")(t)
            rests[given] = sp.expand(rest) if constant else sp.S.Zero
            equations[here[q]] = linear + (given if rests[given] != 0 else 0)
        there = {letter: q for q, letter in here.items()}
        names = tuple(here.values())
        return cls(
            names, sp.S.Zero, body=body, there=there, operators=operators, equations=equations, rests=rests, exact=exact
        )

    def strong_form(self) -> dict[AppliedUndef, sp.Expr]:
        """The equations of the wave."""
        return self.equations

    def momentum(self, q: AppliedUndef) -> sp.Expr:
        """What the momentum of the density has of rates and values, with D."""
        whole = self.body.momentum(self.there[q])
        found = [(f, i, partial(whole, self.there[f], i)) for f in self.fields for i in indices(whole, self.there[f])]
        return sum((_frozen(c, self.body.space) * _lowered(f, i, self.operators) for f, i, c in found), sp.S.Zero)

    @cached_property
    def has_momentum(self) -> dict[AppliedUndef, bool]:
        """As of the density."""
        return {q: self.body.has_momentum[self.there[q]] for q in self.fields}

    def unfolded(self, found: FreeData) -> FreeData:
        """The same said of functions of place."""

        def nodes(some: Sequence[sp.Expr]) -> tuple[sp.Expr, ...]:
            return tuple(self._node(n) for n in some)

        def tied(r: Relation) -> Relation:
            return Relation(self.in_space(r.expression), r.generation, r.depth, r.rates)

        return FreeData(
            nodes(found.fields),
            found.hessian_rank,
            nodes(found.data),
            nodes(found.shifts),
            nodes(found.arbitrary),
            nodes(found.reached),
            tuple(map(tied, found.relations)),
            {self._node(n): tied(r) for n, r in found.determined.items()},
            found.index,
            found.undecided,
            found.apart,
        )

    def _node(self, node: sp.Expr) -> sp.Expr:
        return sp.Derivative(self.there[node.expr], t) if isinstance(node, sp.Derivative) else self.there[node]

    def in_space(self, expression: sp.Expr) -> sp.Expr:
        """D as derivatives again; the expression is linear in what is a function of place."""
        total = sp.S.Zero
        for powers, c in sp.Poly(expression, *self.operators.values()).terms():
            along = [(x, n) for x, n in zip(self.operators, powers, strict=True) if n]
            spread = c.xreplace(self.there | self.rests).doit()
            total += sp.diff(spread, *along) if along else spread
        return sp.expand(total.doit())


def _lowered(f: AppliedUndef, index: tuple[sp.Symbol, ...], operators: dict[sp.Symbol, sp.Symbol]) -> sp.Expr:
    """∂^index of a field as D… times its rates."""
    return sp.prod([operators[x] for x in index if x != t]) * jet(f, tuple(x for x in index if x == t))


def _frozen(c: sp.Expr, space: tuple[sp.Symbol, ...]) -> sp.Expr:
    """A coefficient at a random place, the same for all: fields, derivatives and coordinates as numbers."""
    for kind in (sp.Derivative, AppliedUndef):
        c = c.xreplace({node: _number(node) for node in c.atoms(kind)})
    return c.xreplace({x: _number(x) for x in (*space, t)})


def _number(node: sp.Expr) -> sp.Integer:
    return sp.Integer(random.Random(str(node)).randint(2, 97))


def _by_place(action: StatedAction, wave: _Wave) -> FreeData:
    """What a density that is not linear, or not the same everywhere, says at a place, where its waves agree."""
    fields = tuple(wave.there.values())
    momenta = [wave.momentum(q) for q in wave.fields]
    rates = [sp.Derivative(q, t) for q in wave.fields]
    letters = {rate: sp.Dummy(real=True) for rate in rates}
    hessian = Places([], []).rank([[sp.diff(P.xreplace(letters), v) for v in letters.values()] for P in momenta])
    fixed = {q: Relation(action.strong_form()[q], 1, 0, False) for q in fields if _is_fixed(action, q)}
    moved = [q.diff(t) for q in fields if has_rates(action.momentum(q), fields)]
    shifts = tuple(q for q in fields if is_cyclic(action, q))
    data = *(q for q in fields if q not in fixed and q not in shifts), *moved
    found = FreeData(fields, hessian, data, shifts, relations=tuple(fixed.values()), determined=dict(fixed), index=None)
    if hessian == len(fields):
        return replace(found, index=0)
    if _degree(wave) != found.count:
        why = "not all rates have momenta of their own, and the equations are not linear with constant coefficients"
        return FreeData(fields, -1, (*fields, *moved), index=None, undecided=why)
    return found


def _degree(wave: _Wave) -> int:
    """Degree in λ of the determinant of the frozen equations for motions e^{λt}: how many data they have; −1 where it
    vanishes, and functions are arbitrary."""
    lam = sp.Symbol("lambda")
    whole = sp.Tuple(*wave.equations.values())
    numbers = {s: _number(s) for s in whole.free_symbols - {t}}

    def entry(equation: sp.Expr, q: AppliedUndef) -> sp.Expr:
        slopes = [(len(i), partial(equation, q, i).xreplace(numbers)) for i in indices(equation, q)]
        return sum((sp.Rational(c.evalf(_LONG)) * lam**n for n, c in slopes), sp.S.Zero)

    rows = [[entry(e, q) for q in wave.fields] for e in wave.equations.values()]
    coefficients = sp.Matrix(rows).to_DM().convert_to(sp.QQ[lam]).charpoly()[-1]
    powers = dict(sp.Poly(sp.QQ[lam].to_sympy(coefficients), lam).terms())
    largest = max(map(abs, powers.values()))
    return (
        max((n for (n,), c in powers.items() if abs(c) > largest / 10 ** (_LONG // 2)), default=-1) if largest else -1
    )


def _is_fixed(action: StatedAction, q: AppliedUndef) -> bool:
    """True when the equation of a field without rates fixes it from the others at one instant: it is solved for it at
    each place, or elliptic in it (its second derivatives in space have a definite matrix of coefficients)."""
    equation = action.strong_form()[q]
    own = indices(equation, q)
    if action.has_momentum[q] or action.dissipation.has(q) or any(t in i for i in own):
        return False
    if own == [()]:
        return not is_zero(partial(equation, q))
    if max(map(len, own), default=0) != 2:
        return False
    principal = sp.zeros(len(action.space), len(action.space))
    for i in own:
        if len(i) == 2:
            a, b = (action.space.index(x) for x in i)
            principal[a, b] += partial(equation, q, i) / 2
            principal[b, a] += partial(equation, q, i) / 2
    return bool(principal.is_positive_definite or (-principal).is_positive_definite)
