"""From numbers to symbols: a null space reduced, its numbers as fractions, its parameters as powers; names for
symmetries; and the ansatz in which they are sought, with functions of time that solve linear equations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef
from sympy.polys.matrices import DomainMatrix

from hamex.principle.jets import Index, indices, partial, t
from hamex.principle.variation import StatedAction

Array = NDArray[Any]
Change = Mapping[AppliedUndef, sp.Expr]

Term = tuple[Any, ...]  # letters of one product, in order, each as often as it occurs
Polynomial = dict[Term, Fraction]

_WIDE = 3  # fields up to which modes are looked for in the characteristic polynomial
_NULL = 1e-9  # singular values below, relative to the largest: the null space
SAME = 1e-7  # entries of one null vector at different parameters


def null_space(A: Array) -> Array:
    """Rows that A sends to zero, reduced: every leading one alone in its column."""
    size = np.linalg.norm(A, axis=0)
    scale = np.where(size > 1e-12 * size.max(), size, 1.0)  # a column of zeros is a solution as it stands
    _, sizes, right = np.linalg.svd(A / scale)
    basis = right[int(np.sum(sizes > _NULL * max(sizes[0], 1e-300))) :] / scale
    basis /= np.abs(basis).max(axis=1, keepdims=True)
    row = 0
    for j in range(basis.shape[1]):
        if row == len(basis):
            break
        best = row + int(np.argmax(np.abs(basis[row:, j])))
        if abs(basis[best, j]) > SAME:
            basis[[row, best]] = basis[[best, row]]
            basis[row] /= basis[row, j]
            others = np.arange(len(basis)) != row
            basis[others] -= np.outer(basis[others, j], basis[row])
            row += 1
    return basis


def fraction(x: float) -> sp.Rational | None:
    near = Fraction(x).limit_denominator(144)
    return sp.Rational(near.numerator, near.denominator) if abs(x - near) < SAME * max(1.0, abs(x)) else None


def power(numbers: list[dict[sp.Symbol, float]], values: Array) -> sp.Expr | None:
    """r Π θ^e through values at several parameters, with whole or half exponents; None where it is no such power."""
    if len(values) != len(numbers) or np.any(values == 0) or len(set(np.sign(values))) > 1:
        return None
    names = list(numbers[0])
    logs = np.array([[1.0, *(np.log(n[s]) for s in names)] for n in numbers])
    solved = np.linalg.lstsq(logs, np.log(np.abs(values)), rcond=None)[0]
    exponents = [Fraction(float(e)).limit_denominator(2) for e in solved[1:]]
    if any(abs(float(e) - x) > 1e-4 for e, x in zip(exponents, solved[1:], strict=True)):
        return None
    shape = np.array([np.prod([n[s] ** float(e) for s, e in zip(names, exponents, strict=True)]) for n in numbers])
    ratio = values / shape
    constant = fraction(float(ratio[0]))
    if constant is None or np.ptp(ratio) > SAME * abs(ratio[0]):
        return None
    powers = (s ** sp.Rational(e.numerator, e.denominator) for s, e in zip(names, exponents, strict=True))
    return constant * sp.prod(powers)


def power_beside_one(numbers: list[dict[sp.Symbol, float]], values: Array) -> sp.Expr | None:
    """A power of parameters, or one beside 1 or −1, as ratios of masses have it about their centre."""
    tried = ((beside, power(numbers, values - beside)) for beside in (0, 1, -1))
    return next((found + beside for beside, found in tried if found is not None), None)


@dataclass(frozen=True)
class TimeFunction:
    """A function of time beside its powers: cos ωt and the like; ``rate`` its derivative as a polynomial of letters."""

    value: sp.Expr
    rate: Polynomial
    frequency: sp.Expr


def time_functions(action: StatedAction, E: list[sp.Expr]) -> dict[str, TimeFunction]:
    """Functions of time that solve linear equations with constant coefficients, and their squares.

    The roots of det(Σ ∂E/∂q⁽ᵏ⁾ λᵏ) are taken from factors λ + c and λ² + c; other factors have no short roots.
    """
    if action.space or len(action.fields) > _WIDE:
        return {}
    lam = sp.Symbol("lambda")
    moving = {node for e in E for node in e.atoms(AppliedUndef, sp.Derivative)} | {t}
    rows = []
    for e in E:
        slopes = [(q, i, partial(e, q, i)) for q in action.fields for i in indices(e, q)]
        if any(c.has(*moving) for _, _, c in slopes):
            return {}
        rows.append([sum((c * lam ** len(i) for f, i, c in slopes if f == q), sp.S.Zero) for q in action.fields])
    found: dict[str, TimeFunction] = {}
    for factor, _ in sp.factor_list(sp.Matrix(rows).det(method="berkowitz"), lam)[1]:
        p = sp.Poly(factor, lam)
        if p.degree() == 1 and not p.nth(0).is_zero:
            root = sp.factor(-p.nth(0) / p.nth(1))
            _add(found, root, (("exp", 1),))
        elif p.degree() == 2 and p.nth(1).is_zero:
            square = sp.factor(p.nth(0) / p.nth(2))
            if square.is_negative:
                _add(found, sp.sqrt(-square), (("exp", 1), ("exp", -1), ("exp", 2), ("exp", -2)))
            else:  # 1/C(L − M) has no sign of its own: the functions are those of its positive side
                _add(found, sp.sqrt(square), (("cos", 1), ("sin", 1), ("cos", 2), ("sin", 2)))
    return found


def _add(found: dict[str, TimeFunction], rate: sp.Expr, wanted: tuple[tuple[str, int], ...]) -> None:
    for word, times in wanted:
        w = times * rate
        letter = f"rate {w}"
        value = getattr(sp, word)(w * t)
        beside = {"exp": (f"exp {w}", 1), "cos": (f"sin {w}", -1), "sin": (f"cos {w}", 1)}[word]
        found[f"{word} {w}"] = TimeFunction(value, {tuple(sorted((beside[0], letter))): Fraction(beside[1])}, w)


# Letters are the coordinates and parameters of an ansatz: t and places as symbols, jets as (field, index), functions of
# time and their frequencies as strings.


def letter_rate(letter: Any, by: sp.Symbol, functions: dict[str, TimeFunction]) -> Polynomial:
    if isinstance(letter, sp.Symbol):
        return {(): Fraction(1)} if letter == by else {}
    if isinstance(letter, str):
        return functions[letter].rate if by == t and letter in functions else {}
    q, index = letter
    return {((q, sorted_index((*index, by))),): Fraction(1)}


@cache
def _text(letter: Any) -> str:
    return str(letter)


def sorted_index(index: Index) -> Index:
    return tuple(sorted(index, key=lambda v: v.name))


def letter_total(p: Polynomial, by: sp.Symbol, functions: dict[str, TimeFunction]) -> Polynomial:
    """D_by of a polynomial of letters, by Leibniz."""
    out: Polynomial = {}
    for term, c in p.items():
        for i, letter in enumerate(term):
            rest = term[:i] + term[i + 1 :]
            for more, d in letter_rate(letter, by, functions).items():
                key = tuple(sorted(rest + more, key=_text))
                out[key] = out.get(key, Fraction(0)) + c * d
    return {term: c for term, c in out.items() if c}


def by_letter(p: Polynomial, letter: Any) -> Polynomial:
    out: Polynomial = {}
    for term, c in p.items():
        n = term.count(letter)
        if n:
            i = term.index(letter)
            key = term[:i] + term[i + 1 :]
            out[key] = out.get(key, Fraction(0)) + n * c
    return out


@dataclass(frozen=True)
class Column:
    """One unknown of the ansatz: ``term`` is the component of ``along``, a coordinate (ξ) or a field (η)."""

    along: Any
    term: Term

    def characteristic(self, q: AppliedUndef) -> Polynomial:
        if self.along == q:
            return {self.term: Fraction(1)}
        if isinstance(self.along, sp.Symbol):
            return {tuple(sorted((*self.term, (q, (self.along,))), key=_text)): Fraction(-1)}
        return {}

    @property
    def order(self) -> tuple[Any, ...]:
        """Simplest first: those of low degree, powers before other functions of time, shifts before moves."""
        odd = sum(isinstance(x, str) for x in self.term)
        fields = sum(isinstance(x, tuple) for x in self.term)
        return odd, len(self.term) - odd, isinstance(self.along, sp.Symbol), fields


def ansatz(action: StatedAction, functions: dict[str, TimeFunction]) -> list[Column]:
    q = [(f, ()) for f in action.fields]
    columns: list[Column] = []
    if not action.space:
        letters: list[Any] = [t, *q]
        terms: list[Term] = [()]
        for degree in (1, 2):
            terms += [tuple(sorted(c, key=_text)) for c in combinations_with_replacement(letters, degree)]
        for name in functions:
            terms += [(name,), *(tuple(sorted((name, x), key=_text)) for x in q)]
        if not any(action.has_momentum.values()):  # statics: every change of time would do
            terms = [()]
        columns = [Column(along, term) for along in action.fields for term in terms]
        columns += [Column(t, term) for term in terms if _suits_time(term)]
    else:
        affine: list[Term] = [(), *((x,) for x in (*action.space, t))]
        columns = [Column(along, term) for along in (*action.space, t) for term in affine]
        for f in action.fields:
            # The rate alone enters: a shift that differs from place to place then changes nothing either.
            local = indices(action.lagrangian, f) == [(t,)]
            columns += [Column(f, term) for term in affine if not (local and term and term != (t,))]
            columns += [Column(f, (x,)) for x in q]
    return sorted(columns, key=lambda c: c.order)


def _suits_time(term: Term) -> bool:
    """ξ is at most linear in the fields, and other functions of time stand in it alone."""
    fields = sum(isinstance(x, tuple) for x in term)
    return fields <= (0 if any(isinstance(x, str) for x in term) else 1)


KINDS = ("time", "translation", "shift", "rotation", "boost", "scaling", "projective", "mode", "other")


def described(
    action: StatedAction, time: sp.Expr, space: tuple[sp.Expr, ...], change: dict[AppliedUndef, sp.Expr]
) -> tuple[str, str, int]:
    """Kind, name and sign of a generator."""
    moves = {x: xi for x, xi in zip((*action.space, t), (*space, time), strict=True) if xi != 0}
    if not moves:
        return _described_change(action, change)
    x, first = next(iter(moves.items()))
    beside = f", with {_described_change(action, change)[1]}" if change else ""
    all_of = listed([*moves, *change])
    if not any(xi.has(t, *action.space, *action.fields) for xi in moves.values()):
        if list(moves) == [t]:
            return "time", "time" + (beside or ": energy"), -_sign(time)
        return "translation", f"translation along {listed(moves)}{beside}", _sign(first)
    if time.has(sp.sin, sp.cos, sp.exp):
        return "mode", f"mode of {all_of}, {_functions(time)}", _sign(time)
    if all(not (xi / y).expand().has(t, *action.space, *action.fields) for y, xi in moves.items()):
        return "scaling", f"scaling of {all_of}", _sign(first)
    if list(moves) == [t]:
        if time.diff(t, 2) != 0 and not time.has(*action.fields):
            return "projective", f"projective change of {all_of}", _sign(time)
        turned = [q for q in change if time.has(q) and change[q].has(t)]
        if turned and len(change) == 1:
            return "boost", f"Lorentz boost of {listed(turned)}", _sign(change[turned[0]])
    elif len(moves) == 2 and not first.has(x):
        y = list(moves)[1]
        if y == t:
            return "boost", f"Lorentz boost in ({x}, t){beside}", _sign(first)
        return "rotation", f"rotation in ({x}, {y}){beside}", -_sign(first)
    return "other", f"change of {all_of}", 1


def _described_change(action: StatedAction, change: Change) -> tuple[str, str, int]:
    """Kind, name and sign of a generator that leaves coordinates alone."""
    of = listed(change)
    first = next(iter(change.values()))
    if not any(c.has(*action.fields) for c in change.values()):
        free = set().union(*(c.free_symbols for c in change.values())) & {t, *action.space}
        if not free:
            return "shift", f"shift of {of}", _sign(first)
        if any(c.has(sp.sin, sp.cos, sp.exp) for c in change.values()):
            return "mode", f"mode of {of}, {_functions(first)}", _sign(first.as_coeff_Mul()[0])
        if free == {t} and not any((c / t).has(t) for c in change.values()):
            return "boost", f"boost of {of}", _sign(first)
        if not free & {t} and _is_turn(action, change):
            return "rotation", f"rigid rotation of ({of.replace(' and ', ', ')})", -_sign(first)
        by = ", ".join(f"{q.func.__name__} by {c}" for q, c in change.items())
        return "shift", f"shift of {by}", 1
    slopes = {(q, r): c.diff(r) for q, c in change.items() for r in action.fields if c.has(r)}
    if any(s.has(*action.fields, t) for s in slopes.values()):
        return "other", f"change of {of}", 1
    if all(q == r for q, r in slopes):
        return "scaling", f"scaling of {of}", _sign(first)
    rank = action.fields.index
    planes = sorted({tuple(sorted(pair, key=rank)) for pair in slopes}, key=lambda pair: [rank(q) for q in pair])
    both = [slopes.get((p, q), sp.S.Zero) * slopes.get((q, p), sp.S.Zero) for p, q in planes]
    if all(product.is_nonzero and _sign(product) == -1 for product in both) and all(p != q for p, q in planes):
        words = ", ".join(f"({p.func.__name__}, {q.func.__name__})" for p, q in planes)
        return "rotation", f"rotation in {words}", -_sign(slopes[planes[0]])
    return "other", f"linear change of {of}", 1


def _is_turn(action: StatedAction, change: Change) -> bool:
    """Whether fields in the order of the axes shift by an antisymmetric matrix times the place."""
    if len(change) != 2:
        return False
    a, b = change.values()
    slopes = [(c.diff(x), x) for c in (a, b) for x in action.space if c.has(x)]
    return len(slopes) == 2 and slopes[0][1] != slopes[1][1] and slopes[0][0] == -slopes[1][0]


def _sign(c: sp.Expr) -> int:
    return -1 if c.could_extract_minus_sign() else 1


def listed(things: Iterable[sp.Expr]) -> str:
    """Names in words: x, y and z."""
    names = [x.func.__name__ if isinstance(x, AppliedUndef) else str(x) for x in things]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _functions(c: sp.Expr) -> str:
    return ", ".join(sorted(f.func.__name__ for f in c.atoms(sp.sin, sp.cos, sp.exp)))


# Matrices of rational functions, in the field of fractions of polynomials with whole coefficients, where each entry is
# kept cancelled; as expressions they come out as ``cancel`` writes them. Converting to and fro is what takes time.


def _over_field(*matrices: sp.Matrix) -> list[Any]:
    """The matrices in one field: fractions of polynomials over the integers where the entries are such."""
    found = [DomainMatrix.from_Matrix(matrix) for matrix in matrices]
    first, *others = found
    domain = first.domain
    for other in others:
        domain = domain.unify(other.domain)
    domain = domain.get_field()
    if domain.is_FractionField and domain.domain.is_QQ:
        domain = sp.ZZ.frac_field(*domain.symbols)
    return [matrix.convert_to(domain).to_dense() for matrix in found]


def _shown(matrix: Any) -> sp.Matrix:
    domain, whole = matrix.domain, matrix.to_Matrix()
    plain = domain.is_FractionField and domain.domain.is_ZZ
    return whole if plain else whole.applyfunc(sp.cancel)


def solve(B: sp.Matrix, D: sp.Matrix) -> sp.Matrix:
    """B⁻¹D."""
    left, right = _over_field(B, D)
    return _shown(left.lu_solve(right))


def inverse(B: sp.Matrix) -> sp.Matrix | None:
    """B⁻¹, or None where there is none.

    >>> a = sp.Symbol("a")
    >>> inverse(sp.Matrix([[a, 1], [0, a + 1]]))
    Matrix([
    [1/a, -1/(a**2 + a)],
    [  0,     1/(a + 1)]])
    """
    (matrix,) = _over_field(B)
    return _shown(matrix.inv()) if matrix.rank() == B.rows else None


def over_common(matrix: sp.Matrix) -> tuple[sp.Expr, sp.Matrix]:
    """The least common denominator of the entries, and the entries times it."""
    (entries,) = _over_field(matrix)
    below, above = _cleared(entries.to_list_flat(), entries.domain)
    return below, sp.Matrix(*matrix.shape, above)


def characteristic_factors(G: sp.Matrix, letter: sp.Symbol) -> tuple[tuple[sp.Expr, int], ...]:
    """Irreducible factors of the characteristic polynomial, denominators cleared, and how often each stands there."""
    (A,) = _over_field(G)
    _, coefficients = _cleared(A.charpoly(), A.domain)
    whole = sum((c * letter**k for k, c in enumerate(reversed(coefficients))), sp.S.Zero)
    letters = sorted(whole.free_symbols - {letter}, key=lambda s: s.name)
    return tuple((f, n) for f, n in sp.factor_list(sp.expand(whole), letter, *letters)[1] if f.has(letter))


def _cleared(entries: list[Any], K: Any) -> tuple[sp.Expr, list[sp.Expr]]:
    if not K.is_FractionField:
        return sp.S.One, [K.to_sympy(entry) for entry in entries]
    below = K.field.ring.one
    for entry in entries:
        below = below.lcm(entry.denom)
    return below.as_expr(), [(entry.numer * below.exquo(entry.denom)).as_expr() for entry in entries]
