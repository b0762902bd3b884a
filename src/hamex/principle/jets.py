"""Expressions of fields: partial derivatives by fields and their derivatives, and whether an expression is zero,
everywhere or where relations hold.

SymPy differentiates by symbols; a Lagrangian depends on ``u``, ``u̇``, ``∂u/∂x`` … as if they were independent.
Each of them (a *jet coordinate*) is exchanged for a symbol, the derivative is taken, and the exchange undone. The same
exchange decides whether an expression vanishes identically. Expansion and the rational normal form prove what they
reach; the rest is evaluated at random places of several sizes. A value is zero only when no digit of it stands out
from the round-off of the terms it is the sum of, however small it is: x·exp(−1000x²) has all its digits at x = 3, and
10^{−3908} is not zero. No open-ended search.

Whether an expression vanishes *on a set*, or a matrix loses rank *on it*, is not what holds identically. Algebra would
need a normal form modulo the relations (a Gröbner basis, with sines and roots as further letters); a random point of
the set decides it with probability one, if it is known to enough digits. Points are found by Newton's method from
random starts, real ones first and complex ones where no real point is near: generic ranks are the same. A value is zero
when it does not stand out from its own error: round-off of its terms, and its slope times the error of the point.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.printing.numpy import NumPyPrinter

Index = tuple[sp.Symbol, ...]
t = sp.Symbol("t", real=True)
_KEPT = 4096  # the same derivatives of one Lagrangian are asked for by everyone
_BLANK = sp.Dummy()
_SIZES = (0, 0, -2, 2, -4, 1)  # powers of ten of the places: near one first, where most things show
_BRANCHES, _SPREAD = 40, 12  # places, and their sizes, where a Piecewise may hide something
_DIGITS, _MOST = 15, 120  # digits wanted of a value, and those spent on finding them
_PROVABLE = 400  # operations up to which the rational normal form is tried
_LARGEST = 10**6 + 3


def jet(field: AppliedUndef, index: Index) -> sp.Expr:
    """The derivative of a field by the variables in ``index``; the field itself for an empty one."""
    return sp.Derivative(field, *index) if index else field


def indices(expression: sp.Expr, field: AppliedUndef) -> list[Index]:
    """Which derivatives of a field occur in an expression, in a fixed order."""
    return list(_indices(expression, field))


@lru_cache(maxsize=_KEPT)
def _indices(expression: sp.Expr, field: AppliedUndef) -> tuple[Index, ...]:
    nodes = [node for node in expression.atoms(sp.Derivative) if node.expr == field]
    found: set[Index] = {tuple(v for v, count in node.variable_count for _ in range(count)) for node in nodes}
    if expression.xreplace({node: _BLANK for node in nodes}).has(field):
        found.add(())
    return tuple(sorted(found, key=lambda i: (len(i), [v.name for v in i])))


@lru_cache(maxsize=_KEPT)
def partial(expression: sp.Expr, field: AppliedUndef, index: Index = ()) -> sp.Expr:
    """∂expression/∂(∂^index field), every other jet coordinate held fixed."""
    wanted = jet(field, index)
    terms = [term for term in sp.Add.make_args(expression) if term.has(wanted)]  # SymPy would look into all of them
    pieces = [_of_pieces(term, wanted, field, index) for term in terms]
    expression = sp.Add(*(term for term, piece in zip(terms, pieces, strict=True) if piece is None))
    nodes = sorted(expression.atoms(sp.Derivative, AppliedUndef) | {wanted}, key=sp.default_sort_key)
    symbols = {node: sp.Dummy(real=True) for node in nodes}
    back = {dummy: node for node, dummy in symbols.items()}
    smooth = sp.diff(expression.xreplace(symbols), symbols[wanted]).xreplace(back)
    return sp.Add(smooth, *(piece for piece in pieces if piece is not None))


def _of_pieces(term: sp.Expr, wanted: sp.Expr, field: AppliedUndef, index: Index) -> sp.Expr | None:
    """The same for a Piecewise with a factor: piece by piece, so that its conditions are built anew only once."""
    factor, moving = term.as_independent(wanted, as_Add=False)
    if not isinstance(moving, sp.Piecewise):
        return None
    return factor * sp.Piecewise(*((partial(e, field, index), condition) for e, condition in moving.args))


def total(expression: sp.Expr, by: sp.Symbol) -> sp.Expr:
    """D_by of an expression of fields, or ∂_by of one of letters, by Leibniz; factors that come again are looked up."""
    found = []
    for term in sp.Add.make_args(expression):
        factors = sp.Mul.make_args(term)
        for i, factor in enumerate(factors):
            rate = total(factor, by) if factor.is_Add else _rate(factor, by)
            if rate != 0:
                found.append(sp.Mul(*factors[:i], rate, *factors[i + 1 :]))
    return sp.Add(*found)


@lru_cache(maxsize=_KEPT)
def _rate(factor: sp.Expr, by: sp.Symbol) -> sp.Expr:
    return sp.diff(factor, by)


def is_zero(expression: sp.Expr) -> bool:
    """True when the expression vanishes identically; fields and their derivatives are independent.

    "False" is proved by a value that is not zero. "True" is proved by expansion or by the rational normal form in what
    occurs (sines, exponentials and roots as letters of their own, squares of sines replaced); where these do not reach,
    the values at random places are zero to 120 digits, and a function that is not zero does that with probability nil.

    >>> x = sp.Symbol("x", real=True)
    >>> is_zero(x * sp.exp(-1000 * x**2)), is_zero(sp.sin(2 * x) - 2 * sp.sin(x) * sp.cos(x))
    (False, True)
    """
    flat = flattened(sp.expand(expression))
    if not isinstance(flat, sp.Expr) or flat.is_Rational:
        return bool(flat == 0)
    if flat.has(sp.Piecewise):
        # A branch may be far away: places of every size, so that each condition is met somewhere.
        sources = [random.Random(seed) for seed in range(_BRANCHES)]
        return not any(_stands_out(flat, s, [s.randint(-_SPREAD, _SPREAD) for _ in flat.free_symbols]) for s in sources)
    if _stands_out(flat, random.Random(0)):
        return False
    if _normal_form_vanishes(flat):
        return True
    return not any(
        _stands_out(flat, random.Random(seed), [size] * len(flat.free_symbols)) for seed, size in enumerate(_SIZES, 1)
    )


def flattened(expression: sp.Expr) -> sp.Expr:
    """The expression with every field and every derivative as a symbol of its own."""
    nodes = sorted(expression.atoms(sp.Derivative) | expression.atoms(AppliedUndef), key=sp.default_sort_key)
    return expression.xreplace({node: sp.Dummy(real=True) for node in nodes})


def compiled(arguments: Sequence[Any], expressions: Any, modules: str, cse: bool = False) -> Callable[..., Any]:
    """``sp.lambdify``, which rewrites all expressions once for each argument that is a dummy: renamed at one go here.

    ``arguments`` are symbols or lists of them, ``expressions`` an expression or lists of them.
    """
    names: dict[sp.Basic, sp.Symbol] = {}

    def renamed(thing: Any) -> Any:
        if isinstance(thing, (list, tuple)):
            return [renamed(x) for x in thing]
        return thing.xreplace(names) if isinstance(thing, sp.Basic) else thing

    for symbol in sp.utilities.iterables.flatten(arguments):
        names[symbol] = sp.Symbol(f"x{len(names)}", **symbol.assumptions0)
    given = renamed(arguments), renamed(expressions)
    if modules != "numpy":
        return sp.lambdify(*given, modules=modules, cse=cse)
    # SymPy would import all of NumPy's names, and with them its compilers and testing tools.
    printer = NumPyPrinter({"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True})
    return sp.lambdify(*given, modules=[vars(np)], printer=printer, cse=cse)


def random_place(
    symbols: Iterable[sp.Symbol], source: random.Random, sizes: Sequence[int] = ()
) -> dict[sp.Symbol, sp.Rational]:
    """Rational values between a third and three, times powers of ten, with signs that the assumptions allow."""
    places: dict[sp.Symbol, sp.Rational] = {}
    for i, symbol in enumerate(sorted(symbols, key=sp.default_sort_key)):
        size = sizes[i] if i < len(sizes) else 0
        value = sp.Rational(source.randint(_LARGEST // 3, 3 * _LARGEST), _LARGEST) * sp.Integer(10) ** size
        places[symbol] = value if symbol.is_nonnegative or source.random() < 0.5 else -value
    return places


def _stands_out(flat: sp.Expr, source: random.Random, sizes: Sequence[int] = ()) -> bool:
    """True when the value at a random place is proved not to be zero."""
    value = flat.xreplace(random_place(flat.free_symbols, source, sizes)).doit()
    if value.is_Rational:
        return bool(value != 0)
    if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        return False  # a pole: this place says nothing
    # evalf follows the error of every sum and takes more digits while terms cancel; a number without one sure digit
    # has precision 1. It knows no underflow: exponents are integers.
    return any(
        part.is_Float and part._prec > 1 and part != 0 for part in value.evalf(_DIGITS, maxn=_MOST).as_real_imag()
    )


def _normal_form_vanishes(flat: sp.Expr) -> bool:
    """True when the numerator over a common denominator is the zero polynomial in the letters and functions."""
    if flat.count_ops() > _PROVABLE:
        return False
    numerator = sp.expand(sp.fraction(sp.together(flat))[0], power_exp=True)
    squares = {node: 1 - sp.cos(node.args[0]) ** 2 for node in numerator.atoms(sp.sin)}
    for sine, rest in squares.items():
        letter = sp.Dummy()
        numerator = sp.expand(numerator.xreplace({sine: letter}))
        powers = sp.collect(numerator, letter, evaluate=False)
        numerator = sum(
            (c * rest ** (sp.degree(p, letter) // 2) * sine ** (sp.degree(p, letter) % 2) for p, c in powers.items()),
            sp.S.Zero,
        )
    return bool(sp.expand(numerator) == 0)


def pythagoras(expression: sp.Expr) -> sp.Expr:
    """sin² + cos² = 1, where that makes it shorter."""
    for sine in sorted(expression.atoms(sp.sin), key=sp.default_sort_key):
        trial = sp.expand(expression.xreplace({sine**2: 1 - sp.cos(sine.args[0]) ** 2}))
        expression = min(expression, trial, key=lambda e: e.count_ops())
    return expression


_PLACE_DIGITS, _SURE = 60, 20  # digits of points, and how far beyond its error a value must stand out
_POINTS, _TRIES, _ITERATIONS = 3, 8, 80
_TROUBLE = (ZeroDivisionError, ValueError, OverflowError, TypeError)
Number = Any  # mpmath's real or complex


class NoPlaceError(Exception):
    """No point was found at which the relations hold."""


class UnevenRankError(Exception):
    """A matrix has different ranks on different parts of the set."""


class Places:
    """A few random points of the set on which relations vanish.

    >>> x, y = sp.symbols("x y", real=True)
    >>> circle = Places([x**2 + y**2 - 1], [x, y])
    >>> circle.vanishes(x**4 - (1 - y**2) ** 2), circle.vanishes(x - y), circle.rank([[x, y], [2 * x, 2 * y]])
    (True, False, 1)
    """

    def __init__(
        self, relations: Sequence[sp.Expr], variables: Sequence[sp.Symbol], apart: Iterable[sp.Expr] = ()
    ) -> None:
        self.variables = list(variables)
        self.exact = not relations
        self._points: list[dict[sp.Symbol, Number]] = []
        seeds = iter(range(2 * _TRIES))
        slopes = [[total(r, x) for x in self.variables] for r in relations]
        while len(self._points) < _POINTS:
            seed = next(seeds, None)
            if seed is None:
                raise NoPlaceError
            with mpmath.workdps(_PLACE_DIGITS):
                point = _found(list(relations), slopes, self.variables, random.Random(seed), seed >= _TRIES)
            if point is not None and not any(_is_near(e, point) for e in apart):
                self._points.append(point)

    def vanishes(self, expression: sp.Expr) -> bool:
        """True when the expression is zero at every point."""
        return not any(value for (value,) in self.values([expression]))

    def rank(self, matrix: Sequence[Sequence[sp.Expr]]) -> int:
        """The rank at the points; refused when they do not agree."""
        found = {rank(point) for point in self.matrices(matrix)}
        if len(found) > 1:
            raise UnevenRankError
        return found.pop() if found else 0

    def matrices(self, matrix: Sequence[Sequence[sp.Expr]]) -> list[list[list[Number]]]:
        """The matrix at each point, entries that vanish there as exact zeros."""
        columns = len(matrix[0]) if matrix else 0
        flat = self.values([entry for row in matrix for entry in row])
        return [[list(v[i : i + columns]) for i in range(0, len(v), columns)] if columns else [] for v in flat]

    def values(self, expressions: Sequence[sp.Expr]) -> list[list[Number]]:
        """Values at each point; what does not stand out from its error is zero."""
        terms = [sp.Add.make_args(sp.expand(sp.sympify(e))) for e in expressions]
        symbols = sorted({s for parts in terms for e in parts for s in e.free_symbols}, key=sp.default_sort_key)
        with mpmath.workdps(_PLACE_DIGITS):
            return [self._sure(terms, symbols, point, seed) for seed, point in enumerate(self._points)]

    def _sure(
        self, terms: list[tuple[sp.Expr, ...]], symbols: list[sp.Symbol], point: dict[sp.Symbol, Number], seed: int
    ) -> list[Number]:
        new = [s for s in symbols if s not in point]
        point.update(_numbers(random_place(new, random.Random(1000 + seed + 7 * len(point)))))
        beside = dict(point)  # a little off: the change of a value there shows its slope, and so its error
        source, little = random.Random(seed), mpmath.mpf(10) ** (_SURE - _PLACE_DIGITS)
        for x in () if self.exact else self.variables:
            beside[x] = point[x] + little * source.choice((-1, 1)) * source.uniform(0.5, 1)
        known: tuple[dict[sp.Expr, Number], dict[sp.Expr, Number]] = {}, {}
        found = []
        try:
            for parts in terms:
                here = [_evaluated(e, point, known[0]) for e in parts]
                value = sum(here, mpmath.mpf(0))
                error = sum(map(abs, here), mpmath.mpf(0)) * little
                if not self.exact:
                    error += 10**5 * abs(sum((_evaluated(e, beside, known[1]) for e in parts), mpmath.mpf(0)) - value)
                found.append(value if abs(value) > error else mpmath.mpf(0))
        except _TROUBLE:
            raise NoPlaceError from None
        return found


def _evaluated(e: sp.Expr, point: dict[sp.Symbol, Number], known: dict[sp.Expr, Number]) -> Number:
    """An expression at a point: sums, products and powers as they stand, each once; the rest compiled."""
    if e in known:
        return known[e]
    if e.is_Symbol:
        value = point[e]
    elif e.is_Rational:
        value = mpmath.mpf(int(e.p)) / int(e.q)
    elif e.is_Add:
        value = sum((_evaluated(x, point, known) for x in e.args), mpmath.mpf(0))
    elif e.is_Mul:
        value = mpmath.mpf(1)
        for x in e.args:
            value *= _evaluated(x, point, known)
    elif e.is_Pow and e.exp.is_Integer:
        value = _evaluated(e.base, point, known) ** int(e.exp)
    else:
        symbols, function = _other(e)
        value = function(*(point[s] for s in symbols))
    known[e] = value
    return value


@lru_cache(maxsize=_KEPT)
def _other(e: sp.Expr) -> tuple[list[sp.Symbol], Callable[..., Number]]:
    symbols = sorted(e.free_symbols, key=sp.default_sort_key)
    return symbols, compiled(symbols, e, "mpmath")


def rank(matrix: list[list[Number]]) -> int:
    """Rank of a matrix of long numbers, by elimination."""
    return len(pivots(matrix))


def pivots(matrix: list[list[Number]], order: Sequence[int] | None = None) -> list[tuple[int, int]]:
    """(row, column) of each pivot; columns are tried in the given order, the earlier the better."""
    with mpmath.workdps(_PLACE_DIGITS):
        rows = [_scaled(list(row)) for row in matrix]
        free, found = list(range(len(rows))), []
        for column in order if order is not None else range(len(rows[0]) if rows else 0):
            best = max(free, key=lambda i: abs(rows[i][column]), default=None)
            if best is None or abs(rows[best][column]) < mpmath.mpf(10) ** (_SURE - _PLACE_DIGITS):
                continue
            free.remove(best)
            found.append((best, column))
            for i in free:
                ratio = rows[i][column] / rows[best][column]
                rows[i] = [a - ratio * b for a, b in zip(rows[i], rows[best], strict=True)]
                rows[i][column] = mpmath.mpf(0)
        return found


def _is_near(expression: sp.Expr, point: dict[sp.Symbol, Number]) -> bool:
    """Whether a point lies where an expression vanishes that is to be kept apart from zero."""
    with mpmath.workdps(_DIGITS):
        value = _evaluated(expression, point, {})
        return bool(abs(value) < mpmath.mpf(10) ** -_SURE)


def _scaled(row: list[Number]) -> list[Number]:
    largest = max(map(abs, row), default=0)
    return [x / largest for x in row] if largest else row


def _numbers(places: dict[sp.Symbol, sp.Rational]) -> dict[sp.Symbol, Number]:
    return {s: mpmath.mpf(int(value.p)) / int(value.q) for s, value in places.items()}


def _found(
    relations: list[sp.Expr],
    slopes: list[list[sp.Expr]],
    variables: list[sp.Symbol],
    source: random.Random,
    complex_: bool,
) -> dict[sp.Symbol, Number] | None:
    """Newton's method from a random start. Slopes in machine numbers gain fifteen digits at each step."""
    symbols = sorted({*variables, *(s for r in relations for s in r.free_symbols)}, key=sp.default_sort_key)
    point = _numbers(random_place(symbols, source))
    if not relations:
        return point
    if complex_:
        point |= {x: mpmath.mpc(point[x], source.uniform(0.3, 1)) for x in variables}
    kind = complex if complex_ else float
    for _ in range(_ITERATIONS):
        try:
            known: dict[sp.Expr, Number] = {}
            gaps = [_evaluated(r, point, known) for r in relations]
            size = max(map(abs, gaps))
            if size < mpmath.mpf(10) ** (8 - _PLACE_DIGITS):
                return point
            matrix = np.array([[kind(_evaluated(x, point, known)) for x in row] for row in slopes])
            step = np.linalg.lstsq(matrix, np.array([kind(g / size) for g in gaps]), rcond=1e-9)[0]
        except (*_TROUBLE, np.linalg.LinAlgError):
            return None
        length = min(size, 1 / max(1e-300, float(np.abs(step).max())))  # no step is longer than one
        for x, change in zip(variables, step.tolist(), strict=True):
            point[x] = point[x] - length * change
    return None
