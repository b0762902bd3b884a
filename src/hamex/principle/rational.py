"""Matrices of rational functions: solved, inverted, over a common denominator, and their characteristic polynomials.

All in the field of fractions of polynomials with whole coefficients, where each entry is kept cancelled; as expressions
they come out as ``cancel`` writes them. Converting to and fro, not elimination, is what takes time.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.polys.matrices import DomainMatrix


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
