"""The letters of the paper with their dimensions, and statements made of them.

An integral is its integrand times a mark: ``over`` stands for ∫ … dτ, ``ends`` for the bracket [ … ] at the two ends,
and so on. Marks make a functional a plain expression in which every coefficient, dot and sign can be compared.
"""

# ruff: noqa: N816  (the letters are the paper's)
from __future__ import annotations

import re
from dataclasses import dataclass, replace

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
dA_r, phi_r, dA_phi, dA_phi_D, u1_hat = sp.symbols("dA_r phi_r dA_phi dA_phi_D uhat")
I0, rate, v_any = sp.symbols("I_hat_0 rate vhat", real=True)
alpha, beta, gamma, X, Y, u_a, F_mean = sp.symbols("alpha beta gamma X Y u_a F_mean")
half = sp.Rational(1, 2)

# The ends of a time window, and data there.
t0, t1 = sp.symbols("t_0 t_1", real=True)
T_end = sp.Symbol("T_end", positive=True)
v0, v_end, du0, du_end, dubar0 = sp.symbols("vhat_0 vhat_1 deltahat_u_0 deltahat_u_1 deltabar_u_0", real=True)
vbar0, ubar0, l_name, V_name = sp.symbols("vbar_0 ubar_0 l V", real=True)

# Matrices by name do not commute.
MATRICES = (
    *("B", "D", "x", "y", "z", "x_1", "x_2", "y_1", "y_2", "y_3", "z_1", "z_2"),
    *("B_e", "D_e", "y_e", "z_e", "B_p", "D_p", "V_p", "y_p", "z_{p_1}", "z_{p_2}"),
)


def matrix(name: str) -> sp.Symbol:
    """A matrix or a column by its name in LaTeX."""
    return sp.Symbol(name, commutative=False)


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


# Potentials of the dashpot and of the slider, eqs. (13) and (56).
RAYLEIGH = half * c * dot(u) ** 2
SLIDER = sp.Max(sp.Abs(dot(J)) - Fy, 0) ** 2 / (2 * eta)


@dataclass(frozen=True)
class Statement:
    """``left = right``, or another relation between them; ``where`` is the part of the boundary it speaks of."""

    left: sp.Expr
    right: sp.Expr
    relation: str = "="
    where: str = ""

    @property
    def difference(self) -> sp.Expr:
        """Left minus right."""
        return self.left - self.right

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"


@dataclass(frozen=True)
class NumberedEquation:
    """One numbered equation as statements, read from its LaTeX; a correction also says in plain text what it changes.

    ``faults`` are what was read but cannot be meant: unknown letters, indices that do not match, wrong arguments.
    """

    number: str
    kind: str
    statements: tuple[Statement, ...]
    latex: str = ""
    plain: str = ""
    faults: tuple[str, ...] = ()

    def with_statements(self, statements: tuple[Statement, ...]) -> NumberedEquation:
        """The same number with other statements."""
        return replace(self, statements=statements)


def says(left: sp.Expr, right: sp.Expr | int = 0) -> Statement:
    """``left = right``; without a right side, ``left = 0``."""
    return Statement(sp.sympify(left), sp.sympify(right))


def rows(B: sp.Matrix, y: sp.Matrix, D: sp.Matrix, x: sp.Matrix, z: sp.Matrix) -> tuple[Statement, ...]:
    """``B y = D x + z``, row by row."""
    left, right = B * y, D * x + z
    return tuple(says(left[i], right[i]) for i in range(B.rows))


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
    "dA_r": ACTION,
    "dA_phi": ACTION,
    "deltabar_u": LENGTH,
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
    "int[Omega]": dimension(0, 3),
    "int[Gamma]": dimension(0, 2),
    "int[Gamma_t]": dimension(0, 2),
    "sum": NONE,
}


def dimension_given(node: sp.Expr) -> Dimension | None:
    """The dimension of a letter; ``S12`` is taken like S, ``vu_0`` like vu, ``int[0,T]`` like int."""
    name = node.func.__name__ if isinstance(node, AppliedUndef) else node.name
    bare = re.sub(r"(\[.*\]|@.*)$", "", name)
    return LETTERS.get(next((key for key in (name, bare) if key in LETTERS), re.sub(r"_?\d+$", "", bare)))


def fault(equation: NumberedEquation) -> str:
    """What is wrong with an equation before anything is derived: read but without sense, or dimensions; or nothing."""
    if equation.faults:
        return equation.faults[0]
    for statement in equation.statements:
        sides = (sp.expand(side) for side in (statement.left, statement.right))
        try:
            alike([dimension_of(side, dimension_given) for side in sides])
        except MixedDimensionError as problem:
            short = problem.whole is not None and problem.whole.count_ops() < 12
            place = f" in {sp.sstr(problem.whole)}" if short else ""
            return f"dimensions differ{place}: {' against '.join(map(str, problem.found)) or problem}"
    return ""
