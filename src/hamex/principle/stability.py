"""Stability for all admissible parameters, decided symbolically.

Two independent verdicts: Jury's conditions on the characteristic polynomial, with signs decided from the signs of the
coefficients of expanded rational functions of positive parameters; and an energy certificate, a matrix Q with
Q − GᵀQG equal to a sum of squares.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from hamex.principle.stepform import StepForm, h

_lam = sp.Symbol("lambda")


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
        """True when proved for all positive parameters, False when refuted, None when undecided."""
        answers = [i.holds for i in self.inequalities] + [self.semisimple]
        return False if False in answers else (None if None in answers else True)


def sign(expression: sp.Expr) -> int | None:
    """Sign of a rational function of positive symbols: 1, −1 or 0; None when it is not decided."""
    numerator, denominator = (sp.expand(part) for part in sp.fraction(sp.cancel(sp.together(expression))))
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
        return _one_symbol(sp.Poly(polynomial, symbols[0]))
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


def _one_symbol(polynomial: sp.Poly) -> bool:
    """No sign change on (0, ∞): exact, by counting real roots of the factors of odd order."""
    _, factors = polynomial.sqf_list()
    crossings = sum(factor.count_roots(0, None) - (factor.eval(0) == 0) for factor, power in factors if power % 2)
    return crossings == 0 and bool(polynomial.eval(1) >= 0)


def verdict(G: sp.Matrix) -> Verdict:
    """Jury's conditions for each factor of the characteristic polynomial of an amplification matrix."""
    polynomial = sp.fraction(sp.together(sp.factor(G.charpoly(_lam).as_expr())))[0]
    factors = tuple((f, n) for f, n in sp.factor_list(polynomial, _lam)[1] if f.has(_lam))
    inequalities: list[Inequality] = []
    semisimple = True
    for factor, count in factors:
        inequalities += jury(sp.Poly(factor, _lam))
        if count > 1:
            root = sp.solve(factor, _lam)
            rank = (G - root[0] * sp.eye(G.rows)).rank(simplify=True) if len(root) == 1 else -1
            semisimple = semisimple and rank == G.rows - count
    return Verdict(factors, tuple(inequalities), semisimple)


def jury(polynomial: sp.Poly) -> list[Inequality]:
    """Conditions for all roots in the closed unit disc, degrees 1 to 3, leading coefficient made 1; else undecided."""
    a = [c / polynomial.LC() for c in polynomial.all_coeffs()][::-1]
    p = polynomial.monic().as_expr()
    n = polynomial.degree()
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
    found = [Inequality(f"degree {n}: not decided", p, None)] if n > 3 else []
    for name, expression in wanted.items():
        decided = sign(expression)
        found.append(Inequality(name, sp.factor(expression), None if decided is None else decided >= 0))
    return found


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
