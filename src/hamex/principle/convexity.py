"""Is the dissipation convex? Only then does it never feed energy in, and does each step have one solution.

Each piece is decided by the principal minors of its Hessian in the rates, parameters positive. Across the pieces, and
where the minors stay undecided, forces are compared at random pairs of rates: a convex potential has monotone forces,
(g(a) − g(b))·(a − b) ≥ 0, and one pair that breaks this is a proof of the contrary.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.jets import t

if TYPE_CHECKING:
    from hamex.principle.variation import StatedAction

_PAIRS = 200
_MINORS = 4  # 2ⁿ minors: beyond this many rates the pairs decide alone


@dataclass(frozen=True)
class Convexity:
    """``pieces``: every piece proved convex (None: not decided). ``fields``: rates in which φ was refuted."""

    pieces: bool | None
    fields: tuple[AppliedUndef, ...]

    @property
    def refuted(self) -> bool:
        """True when a pair of rates shows forces that are not monotone."""
        return bool(self.fields)


def convexity(action: StatedAction) -> Convexity:
    """Decide the convexity of the dissipation of an action."""
    acting = [q for q in action.fields if action.dissipation.has(q.diff(t))]
    if not acting:
        return Convexity(True, ())
    rates = [sp.Dummy(q.func.__name__, real=True) for q in acting]
    names = {q.diff(t): rate for q, rate in zip(acting, rates, strict=True)}
    potential = action.dissipation.xreplace(names)
    if potential.has(sp.Abs, sp.Max, sp.Min, sp.Heaviside, sp.sign):
        potential = potential.rewrite(sp.Piecewise)
    folded = sp.piecewise_fold(potential)
    pieces = [piece for piece, _ in folded.args] if isinstance(folded, sp.Piecewise) else [folded]
    verdicts = [_positive_hessian(piece, rates) for piece in pieces]
    whole = None if None in verdicts else all(verdicts)
    if whole and len(pieces) == 1:
        return Convexity(True, ())
    return Convexity(whole, tuple(acting[i] for i in _refutation(potential, rates)))


def _positive_hessian(piece: sp.Expr, rates: list[sp.Dummy]) -> bool | None:
    """True when every principal minor is proved nonnegative."""
    if len(rates) > _MINORS:
        return None
    hessian = sp.hessian(piece, rates)
    for size in range(1, len(rates) + 1):
        for chosen in combinations(range(len(rates)), size):
            minor = sp.factor(hessian.extract(chosen, chosen).det())
            if minor.is_nonnegative is None:
                return None
            if not minor.is_nonnegative:
                return False
    return True


def _refutation(potential: sp.Expr, rates: list[sp.Dummy]) -> list[int]:
    """Rates along which two points show falling forces: one rate at a time first, then all together."""
    others = sorted(potential.free_symbols - set(rates), key=lambda s: s.name)
    functions = sorted(potential.atoms(AppliedUndef), key=str)
    dummies = [sp.Dummy() for _ in functions]
    flat = potential.xreplace(dict(zip(functions, dummies, strict=True)))
    gradient = sp.lambdify([rates, [*others, *dummies]], [sp.diff(flat, rate) for rate in rates], "math")
    source = random.Random(1)
    single = [i for i in range(len(rates)) if _falls(gradient, [i], len(rates), len(others) + len(dummies), source)]
    if single:
        return single
    every = list(range(len(rates)))
    return every if len(every) > 1 and _falls(gradient, every, len(rates), len(others) + len(dummies), source) else []


def _falls(gradient: object, moved: list[int], n: int, parameters: int, source: random.Random) -> bool:
    assert callable(gradient)
    for _ in range(_PAIRS):
        values = [math.exp(source.gauss(0, 1)) for _ in range(parameters)]
        one = [source.gauss(0, 3) for _ in range(n)]
        other = [source.gauss(0, 3) if i in moved else x for i, x in enumerate(one)]
        try:
            g, k = gradient(one, values), gradient(other, values)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError):
            continue
        work = [(g[i] - k[i]) * (one[i] - other[i]) for i in moved]
        if sum(work) < -1e-9 * sum(map(abs, work)) - 1e-12:
            return True
    return False
