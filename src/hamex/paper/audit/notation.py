"""The letters of the paper as symbols, the statements and equations encoded with them, and the LaTeX of the print.

An integral is its integrand times a mark: ``over`` stands for ∫ … dτ, ``ends`` for the bracket [ … ] at the two ends,
and so on. Marks make a functional a plain expression in which every coefficient, dot and sign can be compared.
"""

# ruff: noqa: N816  (the letters are the paper's)
from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.jets import t as t
from hamex.principle.stepform import h as h

m, k, c, a, Fy, eta, rho = sp.symbols("m k c a F_y eta rho", positive=True)
u, J, f, u1, phat = (sp.Function(name)(t) for name in ("u", "J", "f", "u1", "phat"))
du, dJ = sp.Function("delta_u")(t), sp.Function("delta_J")(t)
du_hat = sp.Symbol("deltahat_u", real=True)
A, dA, dA_new, L_name, T_name, U_name, phi_name, F_name = sp.symbols("A dA dA_NEW L T U phi F", real=True)

# One step: what is known at t_(r−1), what is sought at t_r, and the virtual values. The engine's own letters.
u_o, u_r, J_o, J_r, p_o, p_r = sp.symbols("u_0 u_1 J_0 J_1 P_u_0 P_u_1", real=True)
s_o, s_r, P_J_o, P_J_r, f_r = sp.symbols("s_0 s_1 P_J_0 P_J_1 f_u", real=True)
vu_o, vu_r, vJ_o, vJ_r, vh_o, vh_r = sp.symbols("vu_0 vu_1 vJ_0 vJ_1 vuhat_0 vuhat_1", real=True)
t_o = sp.Symbol("t_old", real=True)
half = sp.Rational(1, 2)


def dot(expression: sp.Expr, times: int = 1) -> sp.Expr:
    """A dot over a letter."""
    return (
        sp.Derivative(expression, (t, times)) if isinstance(expression, AppliedUndef) else sp.diff(expression, t, times)
    )


@dataclass(frozen=True)
class Interval:
    """A time interval by name, with the marks of its integral and of its bracket."""

    name: str

    @property
    def over(self) -> sp.Symbol:
        """∫ … dτ."""
        return sp.Symbol(f"int[{self.name}]")

    @property
    def ends(self) -> sp.Symbol:
        """[ … ], end minus start."""
        return sp.Symbol(f"end[{self.name}]")


WINDOW, DURATION, STEP, PAST = Interval("t0,t1"), Interval("0,T"), Interval("t_r-1,t_r"), Interval("-oo,0")


@dataclass(frozen=True)
class Statement:
    """``left = right``."""

    left: sp.Expr
    right: sp.Expr

    @property
    def difference(self) -> sp.Expr:
        """Left minus right."""
        return self.left - self.right

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"


@dataclass(frozen=True)
class NumberedEquation:
    """One numbered equation as statements; a correction also says how it reads, in LaTeX and in plain text."""

    number: str
    kind: str
    statements: tuple[Statement, ...]
    latex: str = ""
    plain: str = ""

    def with_statements(self, statements: tuple[Statement, ...]) -> NumberedEquation:
        """The same number with other statements."""
        return replace(self, statements=statements)


def says(left: sp.Expr, right: sp.Expr | int = 0) -> Statement:
    """``left = right``; without a right side, ``left = 0``."""
    return Statement(sp.sympify(left), sp.sympify(right))


def entries(name: str, matrix: sp.Matrix) -> tuple[Statement, ...]:
    """A matrix, entry by entry."""
    return tuple(
        says(sp.Symbol(f"{name}[{i + 1},{j + 1}]"), matrix[i, j])
        for i in range(matrix.rows)
        for j in range(matrix.cols)
    )


def rows(B: sp.Matrix, y: sp.Matrix, D: sp.Matrix, x: sp.Matrix, z: sp.Matrix) -> tuple[Statement, ...]:
    """``B y = D x + z``, row by row."""
    left, right = B * y, D * x + z
    return tuple(says(left[i], right[i]) for i in range(B.rows))


def book(*equations: NumberedEquation) -> dict[str, NumberedEquation]:
    """Equations by number."""
    return {e.number: e for e in equations}


def definition(number: str, *statements: Statement, latex: str = "", plain: str = "") -> NumberedEquation:
    """A definition."""
    return NumberedEquation(number, "definition", statements, latex, plain)


def derived(number: str, *statements: Statement, latex: str = "", plain: str = "") -> NumberedEquation:
    """A consequence of earlier equations."""
    return NumberedEquation(number, "derived", statements, latex, plain)


_SAMPLES = (-4, -2, -half, half, 2, 4)


def sampled(name: str, law: sp.Expr, rate: sp.Symbol) -> tuple[Statement, ...]:
    """A function with kinks at ±F_y only, quadratic at most, fixed by values on each side of both kinks."""
    extra = (-6, 6, sp.S.Zero)
    return tuple(says(sp.Symbol(f"{name}({n}F_y)"), law.subs(rate, n * Fy)) for n in (*_SAMPLES, *extra))


@cache
def printed_latex() -> dict[str, str]:
    """LaTeX of the printed equations by number, letter by letter."""
    text = resources.files("hamex.paper.audit").joinpath("equations.tex").read_text(encoding="utf-8")
    parts = re.split(r"^%% \((\d+)\)\n", text, flags=re.MULTILINE)[1:]
    return {number: body.strip() for number, body in zip(parts[::2], parts[1::2], strict=True)}


def printed_lines(number: str) -> list[str]:
    """The displayed lines of one equation."""
    return printed_latex()[number].split("\n\n")
