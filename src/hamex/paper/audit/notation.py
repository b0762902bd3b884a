"""The letters of the paper with their dimensions, statements and equations encoded with them, the LaTeX of the print.

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

from hamex.principle.dimensions import (
    FORCE,
    LENGTH,
    NONE,
    TIME,
    Dimension,
    MixedDimensionError,
    alike,
    dimension,
    dimension_of,
)
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


ENERGY, ACTION, IMPULSE = dimension(1, 1), dimension(1, 1, 1), dimension(1, 0, 1)

# By the letters above; indices and hats are stripped first. What is not listed may be anything.
LETTERS: dict[str, Dimension] = {
    "m": dimension(1, -1, 2),
    "k": dimension(1, -1),
    "c": dimension(1, -1, 1),
    "a": dimension(-1, 1),
    "eta": dimension(1, -1, 1),
    "F_y": FORCE,
    "F": FORCE,
    "f": FORCE,
    "f_u": FORCE,
    "u": LENGTH,
    "J": IMPULSE,
    "u1": LENGTH,
    "phat": IMPULSE,
    "P_u": IMPULSE,
    "P_J": LENGTH,
    "s": LENGTH,
    "t": TIME,
    "h": TIME,
    "t_old": TIME,
    "vu": LENGTH,
    "vuhat": LENGTH,
    "vJ": IMPULSE,
    "delta_u": LENGTH,
    "deltahat_u": LENGTH,
    "delta_J": IMPULSE,
    "A": ACTION,
    "dA": ACTION,
    "dA_NEW": ACTION,
    "L": ENERGY,
    "T": ENERGY,
    "U": ENERGY,
    "phi": dimension(1, 1, -1),
    "vhat": dimension(0, 1, -1),
    "vbar": dimension(0, 1, -1),
    "uhat": LENGTH,
    "ubar": LENGTH,
    "I_hat": IMPULSE,
    "alpha": IMPULSE,
    "beta": dimension(-1, 1, -1),
    "gamma": LENGTH,
    "u_a": LENGTH,
    "F_mean": FORCE,
    "rho": dimension(1, -4, 2),
    "flex": dimension(-1, 2),
    "S": dimension(1, -2, 1),
    "delta_S": dimension(1, -2, 1),
    "b": dimension(1, -3),
    "that": dimension(1, -2),
    "tbar": dimension(1, -2),
    "n_x": NONE,
    "n_y": NONE,
    "n_z": NONE,
    "x": LENGTH,
    "y": LENGTH,
    "z": LENGTH,
    "l": dimension(1, -2),
    "V": ENERGY,
    "X": dimension(0, 0, 2),
    "Y": dimension(0, 0, 2),
    "int": TIME,
    "end": NONE,
    "volume": dimension(0, 3),
    "volume-time": dimension(0, 3, 1),
    "volume-end": dimension(0, 3),
    "surface-time": dimension(0, 2, 1),
    "part-time": dimension(0, 2, 1),
    "part": dimension(0, 2),
    "W": ACTION,
}


def dimension_given(node: sp.Expr) -> Dimension | None:
    """The dimension of a letter; ``S12`` is taken like S, ``vu_0`` like vu, ``int[0,T]`` like int."""
    name = node.func.__name__ if isinstance(node, AppliedUndef) else node.name
    bare = re.sub(r"\[.*\]$", "", name)
    return LETTERS.get(bare if bare in LETTERS else re.sub(r"_?\d+$", "", bare))


def fault(equation: NumberedEquation) -> str:
    """What is dimensionally wrong with an equation, or nothing."""
    for statement in equation.statements:
        sides = (sp.expand(side) for side in (statement.left, statement.right))
        try:
            alike([dimension_of(side, dimension_given) for side in sides])
        except MixedDimensionError as problem:
            short = problem.whole is not None and problem.whole.count_ops() < 12
            place = f" in {sp.sstr(problem.whole)}" if short else ""
            return f"dimensions differ{place}: {' against '.join(map(str, problem.found)) or problem}"
    return ""


@cache
def printed_latex() -> dict[str, str]:
    """LaTeX of the printed equations by number, letter by letter."""
    text = resources.files("hamex.paper.audit").joinpath("equations.tex").read_text(encoding="utf-8")
    parts = re.split(r"^%% \((\d+)\)\n", text, flags=re.MULTILINE)[1:]
    return {number: body.strip() for number, body in zip(parts[::2], parts[1::2], strict=True)}


def printed_lines(number: str) -> list[str]:
    """The displayed lines of one equation."""
    return printed_latex()[number].split("\n\n")
