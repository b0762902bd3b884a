"""Stability for all admissible parameters, decided symbolically.

Two independent verdicts: Jury's conditions on the characteristic polynomial (above the third degree those of Routh and
Hurwitz after λ = (1 + z)/(1 − z), which maps the unit disc to the left half plane), with signs decided from the signs
of the coefficients of expanded rational functions of positive parameters; and an energy certificate, a matrix Q with
Q − GᵀQG equal to a sum of squares.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp

from hamex.principle.readable import characteristic_factors
from hamex.principle.stepform import StepForm, h

_lam = sp.Symbol("lambda")
_TRIES = 200  # of random parameters, to refute what stays undecided


@dataclass(frozen=True)
class Inequality:
    """``expression`` ≥ 0, and whether that holds for all positive parameters (None: not decided)."""

    name: str
    expression: sp.Expr
    holds: bool | None


@dataclass(frozen=True)
class Verdict:
    """Stability of one branch: every eigenvalue within the unit circle, those on it simple."""

    factors: tuple[tuple[sp.Expr, int], ...]
    inequalities: tuple[Inequality, ...]
    semisimple: bool

    @property
    def stable(self) -> bool | None:
        """True when proved for all positive parameters, False when refuted, None when undecided.

        Undecided as well where proved apart from ``exceptions`` alone: see there.
        """
        answers = [i.holds for i in self.inequalities] + [self.semisimple]
        return False if False in answers else (None if None in answers or self.exceptions else True)

    @cached_property
    def exceptions(self) -> tuple[sp.Expr, ...]:
        """What vanishes at some positive parameters, with a condition that holds: there eigenvalues meet on the circle.

        They stay within it, as they move continuously; whether those that meet are semisimple is not decided.
        """
        held = [sp.fraction(sp.together(i.expression))[0] for i in self.inequalities if i.holds and i.expression != 0]
        factors = {f for numerator in held for f, power in sp.factor_list(numerator)[1] if power % 2 == 0}
        return tuple(sorted((f for f in factors if sign(f) is None), key=sp.default_sort_key))


def sign(expression: sp.Expr) -> int | None:
    """Sign of a rational function of positive symbols: 1, −1 or 0; None when it is not decided."""
    return _sign_of_cancelled(sp.cancel(sp.together(expression)))


def _sign_of_cancelled(expression: sp.Expr) -> int | None:
    numerator, denominator = (sp.expand(part) for part in sp.fraction(expression))
    if numerator == 0:
        return 0
    signs = []
    for part in (numerator, denominator):
        if nonnegative(part):
            signs.append(1)
        elif nonnegative(sp.expand(-part)):
            signs.append(-1)
        else:
            return None
    return signs[0] * signs[1]


def nonnegative(polynomial: sp.Expr) -> bool:
    """True when a polynomial of positive symbols is proved to be nowhere negative.

    Positive coefficients prove it; so do nonnegative coefficients seen as a polynomial in one of the symbols, a
    negative discriminant of a quadratic in one of them, and, for one symbol, the absence of roots of odd order.
    """
    symbols = sorted(polynomial.free_symbols, key=lambda s: s.name)
    if not symbols:
        return bool(polynomial >= 0)
    if all(coefficient > 0 for coefficient in sp.Poly(polynomial, *symbols).coeffs()):
        return True
    if len(symbols) == 1:
        # No sign change on (0, ∞): exact, by counting real roots of the factors of odd order.
        p = sp.Poly(polynomial, symbols[0])
        odd = [factor for factor, power in p.sqf_list()[1] if power % 2]
        crossings = sum(factor.count_roots(0, None) - (factor.eval(0) == 0) for factor in odd)
        return crossings == 0 and bool(p.eval(1) >= 0)
    for symbol in symbols:
        coefficients = sp.Poly(polynomial, symbol).all_coeffs()
        if all(nonnegative(sp.expand(coefficient)) for coefficient in coefficients):
            return True
        if len(coefficients) == 3:
            A, B, C = coefficients
            if all(nonnegative(sp.expand(x)) for x in (A, C, 4 * A * C - B**2)):
                return True
    constant, factors = sp.factor_list(polynomial)
    odd = [factor for factor, power in factors if power % 2]
    return len(odd) < len(factors) and nonnegative(sp.expand(constant * sp.prod(odd)))


def verdict(G: sp.Matrix) -> Verdict:
    """Conditions for each factor of the characteristic polynomial of an amplification matrix."""
    factors = characteristic_factors(G, _lam)
    inequalities: list[Inequality] = []
    semisimple = True
    for factor, count in factors:
        p = sp.Poly(factor, _lam)
        inequalities += jury(p)
        if count > 1 and _is_on_circle(p):
            semisimple = semisimple and _kernel(p, G) == count * p.degree()
    return Verdict(factors, tuple(inequalities), semisimple)


def _is_on_circle(p: sp.Poly) -> bool:
    """Whether an irreducible factor has roots on the circle, apart from exceptional parameters.

    1/λ is then a root beside λ, so that the coefficients read the same from both ends, up to a sign.
    """
    forwards, backwards = p.all_coeffs(), p.all_coeffs()[::-1]
    return any(all(sp.cancel(a - s * b) == 0 for a, b in zip(forwards, backwards, strict=True)) for s in (1, -1))


def _kernel(p: sp.Poly, G: sp.Matrix) -> int:
    """Dimension of the kernel of p(G): count × degree exactly when the roots of p are semisimple."""
    A = G.to_DM(field=True)
    total = A.zeros(A.shape, A.domain)
    for coefficient in p.all_coeffs():
        scalar = A.domain.unify(sp.Matrix([[coefficient]]).to_DM(field=True).domain)
        A, total = A.convert_to(scalar), total.convert_to(scalar)
        total = total * A + A.eye(A.shape[0], scalar) * scalar.from_sympy(coefficient)
    return int(G.rows - total.rank())


def jury(polynomial: sp.Poly) -> list[Inequality]:
    """Conditions for all roots in the closed unit disc: Jury's up to degree 3, those of Routh and Hurwitz beyond."""
    n = polynomial.degree()
    if n > 3:
        return _hurwitz(polynomial)
    a = [c / polynomial.LC() for c in polynomial.all_coeffs()][::-1]
    p = polynomial.monic().as_expr()
    wanted = {"p(1) ≥ 0": p.subs(_lam, 1), "(−1)ⁿp(−1) ≥ 0": (-1) ** n * p.subs(_lam, -1)}
    if n == 2:
        wanted |= {"1 − a₀ ≥ 0": 1 - a[0], "1 + a₀ ≥ 0": 1 + a[0]}
    elif n == 3:
        wanted |= {
            "1 − a₀ ≥ 0": 1 - a[0],
            "1 + a₀ ≥ 0": 1 + a[0],
            "1 − a₀² ≥ |a₁ − a₀a₂| (+)": 1 - a[0] ** 2 - (a[1] - a[0] * a[2]),
            "1 − a₀² ≥ |a₁ − a₀a₂| (−)": 1 - a[0] ** 2 + (a[1] - a[0] * a[2]),
        }
    found = []
    for name, expression in wanted.items():
        short = sp.factor(expression)
        decided = _sign_of_cancelled(short)
        found.append(Inequality(name, short, None if decided is None else decided >= 0))
    return found


def _hurwitz(polynomial: sp.Poly) -> list[Inequality]:
    """Hurwitz's determinants of q(z) = (1 − z)ⁿ p((1 + z)/(1 − z)), first coefficient first.

    Where they are positive except at exceptional parameters, roots stay in the closed disc everywhere, because they
    move continuously. An even q, whose roots on the circle come with their reciprocals, has E(z²) replaced by
    E(z²) + z E′(z²): these are Hurwitz's for E with distinct negative roots (Gantmacher, The Theory of Matrices,
    vol. 2, ch. XV). What no sign decides is tried at numbers: one root outside refutes it.
    """
    z = sp.Symbol("z")
    n, coefficients = polynomial.degree(), polynomial.all_coeffs()
    moved = sum(
        (c * sp.Poly(1 + z, z) ** (n - i) * sp.Poly(1 - z, z) ** i for i, c in enumerate(coefficients)), sp.Poly(0, z)
    )
    q = [sp.cancel(c) for c in moved.all_coeffs()]
    q = [sp.S.Zero] * (n + 1 - len(q)) + q
    if all(c == 0 for c in q[1::2]):
        E = q[::2]
        slopes = [(len(E) - 1 - i) * c for i, c in enumerate(E[:-1])]
        q = [c for pair in zip(E, [*slopes, sp.S.Zero], strict=True) for c in pair][:-1]
    q = [sp.cancel(c / q[0]) for c in q] if q[0] != 0 else q
    size = len(q) - 1
    rows = [[q[2 * j - i + 1] if 0 <= 2 * j - i + 1 <= size else sp.S.Zero for j in range(size)] for i in range(size)]
    whole = sp.Matrix(rows).to_DM(field=True)
    found = []
    for k in range(1, size + 1):
        minor = whole.extract(range(k), range(k))
        expression = sp.factor(minor.domain.to_sympy(minor.charpoly()[-1] * (-1) ** k))
        decided = sign(expression)
        # A determinant that vanishes for all parameters says nothing of the roots.
        found.append(Inequality(f"degree {n}: Δ{_lowered(k)} ≥ 0", expression, decided > 0 if decided else None))
    if None in [i.holds for i in found] and _has_root_outside(polynomial):
        found.append(Inequality(f"degree {n}: no root outside, at numbers", polynomial.as_expr(), False))
    return found


def _lowered(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _has_root_outside(polynomial: sp.Poly) -> bool:
    """True when numbers for the parameters are found with a root clearly outside the disc."""
    symbols = sorted(polynomial.free_symbols_in_domain, key=lambda s: s.name)
    values = sp.lambdify(symbols, polynomial.all_coeffs(), "math")
    source = random.Random(5)
    for _ in range(_TRIES):
        found = np.roots(values(*(math.exp(source.gauss(0, 1.5)) for _ in symbols)))
        if np.abs(found).max() > 1 + 1e-4:
            return True
    return False


@dataclass(frozen=True)
class Certificate:
    """``Q − GᵀQG = Σ weight · vᵀv`` exactly: energy never grows, whatever the parameters."""

    Q: sp.Matrix
    squares: tuple[tuple[sp.Expr, sp.Matrix], ...]
    exact: bool


def certificate(
    form: StepForm, Q: sp.Matrix, branch: str, squares: tuple[tuple[sp.Expr, sp.Matrix], ...]
) -> Certificate:
    """Check a claimed decomposition of the energy loss of one step; rows v act on the old state."""
    G = form.amplification(branch)
    loss = Q - G.T * Q * G
    claimed = sum((w * v.T * v for w, v in squares), sp.zeros(*Q.shape))
    exact = (loss - claimed).applyfunc(sp.cancel) == sp.zeros(*Q.shape)
    return Certificate(Q, squares, exact and all(sign(w) in (0, 1) for w, _ in squares))


def change(form: StepForm, branch: str, row: int) -> sp.Matrix:
    """New minus old value of one entry of the state, as a row on the old state."""
    G = form.amplification(branch)
    return (G.row(row) - sp.eye(G.rows).row(row)).applyfunc(sp.cancel)


def dashpot_square(form: StepForm, branch: str, row: int, coefficient: sp.Expr) -> tuple[sp.Expr, sp.Matrix]:
    """c Δq²/h, what a dashpot takes out in one step."""
    return coefficient / h, change(form, branch, row)
