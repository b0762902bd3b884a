"""What letters mean: any text's, with repeated indices summed over the axes of a body by Einstein's convention; and the
paper's own, with their dimensions, and statements made of them.

An integral is its integrand times a mark: ``over`` stands for ∫ … dτ, ``ends`` for the bracket [ … ] at the two ends,
and so on. Marks make a functional a plain expression in which every coefficient, dot and sign can be compared.
"""

# ruff: noqa: N816  (the letters are the paper's)
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache, cached_property
from itertools import product

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.conditions import (
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
from hamex.principle.jets import indices, jet
from hamex.principle.jets import t as t
from hamex.principle.latex import Add, Between, Multiply, Node, Number, WrittenLetter, WrittenLine
from hamex.principle.latex_grammar import lines
from hamex.principle.stepform import h as h

Tensor = Callable[..., sp.Expr]
INDICES = frozenset("ijkl")


@dataclass(frozen=True)
class Letters:
    """What the letters of a formula mean.

    ``names`` are letters as they stand, also with arguments; ``fields`` take dots and δ; ``functionals`` have a name,
    which is what a definition defines, and a meaning, which is what other formulas use. ``tensors`` are functions of
    their indices, which run over ``space``.
    """

    names: Mapping[Node, sp.Expr] = field(default_factory=dict)
    fields: Mapping[str, AppliedUndef] = field(default_factory=dict)
    functionals: Mapping[WrittenLetter, tuple[sp.Symbol, sp.Expr | None]] = field(default_factory=dict)
    intervals: Mapping[tuple[str, str], Interval] = field(default_factory=dict)
    regions: Mapping[tuple[str, str], sp.Symbol] = field(default_factory=dict)
    instants: Mapping[Node, sp.Expr] = field(default_factory=dict)
    tensors: Mapping[WrittenLetter, Tensor] = field(default_factory=dict)
    space: tuple[sp.Symbol, ...] = ()
    edge: tuple[sp.Symbol, ...] = ()  # the same at a point of the boundary
    words: frozenset[str] = frozenset()  # names that take arguments

    def applies(self, letter: WrittenLetter) -> bool:
        """Whether a letter takes arguments."""
        return letter.name in self.words

    def test(self, q: AppliedUndef) -> AppliedUndef:
        """δq."""
        return sp.Function(f"delta_{q.func.__name__}")(*q.args)


@cache
def node(latex: str, words: str = "") -> Node:
    """One letter or one expression as a key."""
    return lines(latex, lambda letter: letter.name in words.split())[0].sides[0]


def undotted(letter: WrittenLetter) -> tuple[WrittenLetter, int]:
    """A letter without its first dots, and how many they were."""
    dots = next((i for i, accent in enumerate(letter.accents) if accent != "dot"), len(letter.accents))
    return replace(letter, accents=letter.accents[dots:]), dots


class Indexed:
    """A formula whose letters may have indices; ``faults`` collects what cannot be meant."""

    def __init__(self, letters: Letters) -> None:
        self.letters = letters
        self.faults: list[str] = []
        self.index: dict[str, int] = {}

    def free_indices(self, line: WrittenLine) -> list[str]:
        """Indices that stand once on every side; zero has none of its own."""
        sides = [self.open_indices(side) for side in line.sides if side != Number("0")]
        found = set(sides[0])
        if any(set(side) != found for side in sides):
            self.faults.append("an index stands alone on one side only")
            found = set().union(*sides)
        return sorted(found)

    def own_indices(self, letter: WrittenLetter) -> list[str]:
        """The indices of a tensor, derivatives behind a comma included."""
        found = letter.sub.replace(",", "")
        tensor = self.letters.tensors and self.tensor(letter) is not None
        return list(found) if tensor and found and set(found) <= INDICES else []

    def open_indices(self, part: Node) -> list[str]:
        """Indices that are not summed within a part."""
        if isinstance(part, Add):
            terms = [set(self.open_indices(term)) for _, term in part.terms if term != Number("0")]
            if any(term != terms[0] for term in terms):
                self.faults.append("terms differ in their free indices")
            return sorted(set().union(*terms))
        return [i for i, times in Counter(self.all_indices(part)).items() if times == 1]

    def all_indices(self, part: Node) -> list[str]:
        """Indices of the factors of a part, as often as they stand there."""
        if not self.letters.space:
            return []
        if isinstance(part, WrittenLetter):
            return self.own_indices(part)
        if isinstance(part, Multiply):
            return [i for factor in part.factors for i in self.open_indices(factor)]
        if isinstance(part, Between):
            return [*self.open_indices(part.body), *(part.lower[1:] if part.lower.startswith(",") else "")]
        if isinstance(part, Add):
            return self.open_indices(part)
        return [i for child in children(part) for i in self.open_indices(child)]

    def summed(self, part: Node, value: Callable[[], sp.Expr]) -> sp.Expr:
        """Einstein's sum over the indices that stand twice in a part."""
        counts = Counter(self.all_indices(part))
        if any(times > 2 for times in counts.values()):
            self.faults.append("an index stands three times in one term")
        repeated = [i for i, times in counts.items() if times >= 2 and i not in self.index]
        if not repeated:
            return value()
        before, total = self.index, sp.S.Zero
        for values in product(range(len(self.letters.space)), repeat=len(repeated)):
            self.index = {**before, **dict(zip(repeated, values, strict=True))}
            total += value()
        self.index = before
        return total

    def tensor(self, letter: WrittenLetter) -> tuple[Tensor, int] | None:
        """What stands for a letter with indices, and how many dots are left on it."""
        bare = replace(letter, sub="", column=0)
        if bare in self.letters.tensors:
            return self.letters.tensors[bare], 0
        below, dots = undotted(bare)
        return (self.letters.tensors[below], dots) if below in self.letters.tensors else None


def children(part: object) -> list[Node]:
    """The nodes directly below one."""
    found: list[Node] = []
    if not is_dataclass(part):
        return found
    for one in fields(part):
        value = getattr(part, one.name)
        stack = [value]
        while stack:
            item = stack.pop(0)
            if isinstance(item, tuple):
                stack = [*item, *stack]
            elif is_dataclass(item):
                found.append(item)  # type: ignore[arg-type]
    return found


def varied(expression: sp.Expr, fields: tuple[AppliedUndef, ...]) -> sp.Expr:
    """δ of an expression by Gateaux's definition, d/dε at q + ε δq and ε = 0."""
    eps = sp.Dummy("eps")
    moved = {
        node: node + eps * jet(sp.Function(f"delta_{q.func.__name__}")(*q.args), index)
        for q in fields
        for index in indices(expression, q)
        for node in [jet(q, index)]
    }
    return sp.expand(sp.diff(expression.xreplace(moved), eps).xreplace({eps: sp.S.Zero}))


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

    @cached_property
    def flat(self) -> sp.Expr:
        """The same with derivatives carried out, multiplied out."""
        return sp.expand(self.difference.doit())

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
