"""An action with what every section of its derivation asks for, worked out once; and how its rows are set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.principle.action import Action
from hamex.principle.jets import Index, indices, jet, partial, t
from hamex.principle.stepform import StepForm, h, step_form
from hamex.principle.variation import Variation
from hamex.report.derivation.atoms import BACK, BLANK, CLOSE, EQUAL, OPEN, Letter, width
from hamex.report.derivation.expressions import (
    Expr,
    accented,
    field,
    formula_of,
    is_field,
    letter_of,
    momentum,
    terms,
    walk,
)
from hamex.report.derivation.formula import Formula, Part, bracket, integral, measure, spaced, thin, tight, virtual

ROW = 84  # columns of text that a displayed row may take before it is broken
Array = NDArray[Any]
_KINKS = frozenset({"Abs", "sign", "Max", "Min", "Heaviside"})
_ZERO, _HALF = h * 0, h / (2 * h)
OMEGA, KAPPA = h.func("omega", positive=True), h.func("kappa", positive=True)


@dataclass(frozen=True, eq=False)
class DerivedSystem:
    """An action and what follows from it."""

    action: Action

    @cached_property
    def variation(self) -> Variation:
        return self.action.variation()

    @property
    def fields(self) -> tuple[Any, ...]:
        return self.action.fields

    @property
    def carriers(self) -> list[Any]:
        """Fields with a momentum."""
        return [q for q in self.fields if self.action.has_momentum[q]]

    @property
    def lumped(self) -> bool:
        return not self.action.space

    @property
    def letter(self) -> Formula:
        """The letter of the first field, for pictures."""
        return letter_of(name(self.fields[0]))

    @property
    def dissipative(self) -> bool:
        return bool(self.action.dissipation != 0)

    @cached_property
    def piecewise(self) -> bool:
        return any(type(node).__name__ == "Piecewise" for node in walk(self.action.dissipation))

    @cached_property
    def kinked(self) -> bool:
        """Whether a force jumps where a rate is zero, as dry friction does: there is no linearisation at rest."""
        laws = (self.action.dissipation, *self.action.loads.values())
        return any(type(node).__name__ in _KINKS for law in laws for node in walk(law))

    @cached_property
    def first_order(self) -> bool:
        """Whether momenta are tied to values, as in L = (v u̇ − u v̇)/2 − H: they are no data of their own."""
        conditions = self.action.initial_conditions() if self.lumped else ()
        return any(c.kind == "momentum" and c.role == "determined" for c in conditions)

    @cached_property
    def explicit_time(self) -> bool:
        """Whether L depends on time by itself, not through its fields."""
        found = self.action.lagrangian
        for q in self.fields:
            found = found.xreplace({jet(q, i): t.func(f"jet{n}") for n, i in enumerate(indices(found, q)[::-1])})
        return bool(found.has(t))

    @cached_property
    def linear(self) -> bool:
        """Whether L is of second degree in the fields, so that the equations are linear, branch by branch."""
        flat, generators = self.action.lagrangian, []
        for q in self.fields:
            for n, index in enumerate(indices(flat, q)[::-1]):
                generators.append(t.func(f"{name(q)} {n}"))
                flat = flat.xreplace({jet(q, index): generators[-1]})
        polynomial = flat.as_poly(*generators)
        return polynomial is not None and polynomial.total_degree() <= 2

    @cached_property
    def form(self) -> StepForm | None:
        """The step form of degree 1 where it has matrices; None for a continuum or a nonlinear system."""
        if not self.lumped or not self.linear or self.explicit_time:
            return None
        try:
            form = step_form(self.action, 1)
            for branch in form.branches:
                form.matrices(branch)
        except Exception:  # whatever a step form refuses, the page shows the residual instead
            return None
        return form

    @cached_property
    def slopes(self) -> dict[Any, Any]:
        """Piecewise slopes of the dissipation, each with a short symbol: in a sum their pieces are in the way."""
        found = {}
        for q in self.fields:
            for node in walk(self.action.dissipative_force(q)):
                if type(node).__name__ == "Piecewise":
                    found[node] = t.func(f"slope_{name(q)}")
        return found

    def short(self, expression: Expr) -> Expr:
        """An expression with piecewise slopes as symbols, also where they come expanded."""
        found: dict[Any, Any] = {}
        for node in walk(expression):
            if type(node).__name__ == "Piecewise":
                same = [
                    symbol
                    for slope, symbol in self.slopes.items()
                    if len(slope.args) == len(node.args)
                    and all((a[0] - b[0]).expand() == 0 for a, b in zip(slope.args, node.args, strict=True))
                ]
                found |= {node: same[0]} if same else {}
        return expression.xreplace(found)

    @cached_property
    def amplifications(self) -> dict[str, Any]:
        """Amplification matrices by branch; branches with equal matrices share one."""
        found: dict[str, Any] = {}
        if self.form is not None:
            for branch in self.form.branches:
                same = self.same_matrices(branch)
                found[branch] = found[same] if same else self.form.amplification(branch)
        return found

    def same_matrices(self, branch: str) -> str:
        """An earlier branch with the same B and D, or nothing."""
        if self.form is None:
            return ""
        mine = self.form.matrices(branch)[:2]
        for other in self.form.branches:
            if other == branch:
                break
            if self.form.matrices(other)[:2] == mine:
                return other
        return ""

    @property
    def ends_of_integral(self) -> tuple[Formula, Formula]:
        """What stands before and behind something integrated over time, and over the domain in a continuum."""
        if self.lumped:
            return integral(0, "T"), measure("t")
        return tight(integral(0, "T"), BACK, integral("Omega")), tight(measure("Omega"), measure("t"))

    def integral(self, inside: Part) -> Formula:
        """∫ inside dt, over the domain too in a continuum."""
        before, after = self.ends_of_integral
        return tight(before * inside, after)

    def bracket(self, inside: Part) -> Formula:
        """[inside] between 0 and T, over the domain too in a continuum."""
        ends = bracket(inside, "[]")[0] ** "T"
        return ends if self.lumped else tight(integral("Omega"), ends, measure("Omega"))


@dataclass(frozen=True)
class EndPoints:
    """What is known about the end-point problem of a system.

    ``kind``: ``single`` (ω² and decay in symbols), ``free`` (always solvable), ``modes`` (a determinant whose roots are
    the frequencies), ``numbers`` (failing lengths T found with all parameters 1), ``waves`` (a dispersion relation),
    ``first-order``, or ``unknown``.
    """

    kind: str
    square: Expr = None
    decay: Expr = None
    determinant: Expr = None
    failing: tuple[float, ...] = ()
    linearised: bool = False


@cache
def end_points(system: DerivedSystem) -> EndPoints:
    """Classify the end-point problem of an action, for small motion where it is nonlinear."""
    if not system.lumped:
        return _dispersion(system)
    if system.kinked or not _at_rest(system):
        return EndPoints("unknown")
    M, C, K = (_coefficients(system, (t,) * n) for n in (2, 1, 0))
    small = not system.linear or _bends(system)
    if len(M) == 1:
        return _single(M[0][0], C[0][0], K[0][0], small)
    if any(entry.has(t) for matrix in (M, C, K) for row in matrix for entry in row):
        return EndPoints("unknown")
    if all(entry == 0 for row in C for entry in row) and _det(M) != 0:
        difference = [[k - OMEGA**2 * m for k, m in zip(*pair, strict=True)] for pair in zip(K, M, strict=True)]
        return EndPoints("modes", determinant=_det(difference).factor(), linearised=small)
    return _numbers(M, C, K, small)


def _coefficients(system: DerivedSystem, index: tuple[Any, ...]) -> list[list[Expr]]:
    """∂E_i/∂(∂^index q_j) about rest; of several fields without losses, as Hamilton's principle has none."""
    several = len(system.fields) > 1
    lost = {q: system.action.dissipative_force(q) if several else _ZERO for q in system.fields}
    return [
        [_rest(system, partial(e - lost[r], q, index)) for q in system.fields] for r, e in system.variation.bulk.items()
    ]


def _bends(system: DerivedSystem) -> bool:
    """Whether the losses of the one field are not linear: its damping at rest is not that of large motion."""
    slopes = [partial(system.action.dissipative_force(q), q, i) for q in system.fields for i in ((t,), ())]
    return len(system.fields) == 1 and any(is_field(node) for slope in slopes for node in walk(slope))


def _rest(system: DerivedSystem, expression: Expr) -> Expr:
    """An expression with all fields, and all loads, at zero."""
    functions = {node for node in walk(expression) if is_field(node)}
    for function in functions:
        for index in indices(expression, function)[::-1]:
            expression = expression.xreplace({jet(function, index): _ZERO})
    return expression.doit()


def _at_rest(system: DerivedSystem) -> bool:
    return all(_rest(system, e) == 0 for e in system.variation.bulk.values())


def _single(m: Expr, c: Expr, k: Expr, small: bool) -> EndPoints:
    if m == 0:
        return EndPoints("first-order")
    decay, square = (c / m).cancel(), (k / m).cancel()
    if decay.has(t) or square.has(t):
        return EndPoints("unknown")
    if square == 0:
        return EndPoints("free", decay=decay)
    return EndPoints("single", square=(square - decay**2 / 4).expand(), decay=decay, linearised=small)


def _det(matrix: list[list[Expr]]) -> Expr:
    if len(matrix) == 1:
        return matrix[0][0]
    total = _ZERO
    for j, entry in enumerate(matrix[0]):
        if entry != 0:
            total += (-1) ** j * entry * _det([[*row[:j], *row[j + 1 :]] for row in matrix[1:]])
    return total.expand()


def _numbers(M: list[list[Expr]], C: list[list[Expr]], K: list[list[Expr]], small: bool) -> EndPoints:
    """All parameters 1: where is the map from the start rates to the end positions singular?"""
    mass, damping, stiffness = (
        np.array([[float(e.xreplace({s: _ZERO + 1 for s in e.free_symbols})) for e in row] for row in matrix])
        for matrix in (M, C, K)
    )
    n = len(mass)
    if abs(np.linalg.det(mass)) < 1e-12:
        return EndPoints("unknown")
    flow = np.block(
        [[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, damping)]]
    )
    step = 0.02
    advance, flows = _exponential(flow * step), [np.eye(2 * n)]
    for _ in range(700):
        flows.append(advance @ flows[-1])
    values = np.array([abs(np.linalg.det(now[:n, n:])) for now in flows])
    failing = []
    for i in range(2, 700):
        if values[i] < min(values[i - 1], values[i + 1]):
            places = np.linspace(0.0, 2 * step, 9)
            for _ in range(14):  # on finer and finer grids
                near = [abs(np.linalg.det((_exponential(flow * s) @ flows[i - 1])[:n, n:])) for s in places]
                low = int(np.argmin(near))
                places = np.linspace(places[max(low - 1, 0)], places[min(low + 1, 8)], 9)
            if min(near) < 1e-7 * values[: i + 2].max():
                failing.append(step * (i - 1) + float(places[4]))
    return EndPoints("numbers", failing=tuple(failing[:3]), linearised=small)


def _exponential(A: Array) -> Array:
    """e^A of a small matrix by its series: what SciPy has for it takes half a second to load."""
    term = total = np.eye(len(A))
    for k in range(1, 14):
        term = term @ A / (8 * k)
        total = total + term
    return np.linalg.matrix_power(total, 8)


def _dispersion(system: DerivedSystem) -> EndPoints:
    """A wave e^{i(κx − ωt)} along the one space coordinate: its determinant is the dispersion relation."""
    if len(system.action.space) != 1 or not system.linear or system.explicit_time or system.action.lumped:
        return EndPoints("waves")
    i = (_ZERO - 1) ** _HALF
    matrix = []
    for e in system.variation.bulk.values():
        row = []
        for q in system.fields:
            entry = _ZERO
            for index in indices(e, q):
                times = sum(1 for v in index if v == t)
                entry += partial(e, q, index) * (-i * OMEGA) ** times * (i * KAPPA) ** (len(index) - times)
            row.append(entry)
        matrix.append(row)
    return EndPoints("waves", determinant=_det(matrix).factor())


def enclosed(around: tuple[Formula, Formula], parts: Sequence[Formula], head: Part) -> tuple[Formula, ...]:
    """A sum inside an integral; braces that span rows cannot stretch, so they stay small."""
    before, after = around
    if len(parts) == 1:
        return (spaced(head, before, parts[0], after),)
    whole = spaced(head, before, bracket(spaced(*parts)), after)
    if width(whole.text) <= ROW:
        return (whole,)
    return rows(spaced(head, before, Letter(r"\{", "{")), parts, spaced(Letter(r"\}", "}"), after))


def name(q: Expr) -> str:
    """The name of a field."""
    return str(q.func.__name__)


def delta(q: Expr, index: Index = ()) -> Formula:
    """δq or a derivative of it."""
    return virtual(field(q, index))


def hat_momentum(q: Expr) -> Formula:
    """The reserved momentum of a field."""
    return momentum(name(q))


def hat(q: Expr) -> Formula:
    """The reserved value of a field at an end."""
    return accented(name(q), "hat")


def spread(expression: Expr, tail: Formula) -> list[Formula]:
    """(a + b + …) tail, in pieces between which a row may end when it is long."""
    parts = terms(expression)
    whole = bracket(spaced(*parts)) * tail
    if width(whole.text) <= ROW or len(parts) < 2:
        return [whole]
    return [spaced(OPEN, parts[0]), *parts[1:-1], spaced(parts[-1], CLOSE, tail)]


def times(coefficient: Expr, factor: Formula) -> Formula:
    """A coefficient before a factor, bracketed when it is a sum."""
    if coefficient == 1:
        return factor
    if coefficient == -1:
        return -factor
    body = formula_of(coefficient)
    if coefficient.is_Add or type(coefficient).__name__ == "Piecewise":
        return bracket(body) * factor
    return thin(body, factor)


def signed(parts: Sequence[Formula]) -> list[Formula]:
    """Terms to be added up: every one but the first gets its sign in front."""
    return [part.continued if i else part for i, part in enumerate(parts)]


def rows(head: Formula, parts: Sequence[Formula], tail: Part = "", limit: int = ROW) -> tuple[Formula, ...]:
    """``head`` and terms in rows that fit a page; matrices and cases stay whole."""
    found, line = [], head
    for part in parts:
        if line != head and width(line.text) + width(part.text) > limit:
            found.append(line)
            line = Formula()
        line = spaced(line, part)
    return (*found, tight(line, tail))


def sum_rows(left: Formula, expression: Expr) -> tuple[Formula, ...]:
    """An equation whose right side may be a long sum."""
    return rows(spaced(left, EQUAL), terms(expression))


def zero_rows(expression: Expr) -> tuple[Formula, ...]:
    """A sum, which may be long, that vanishes."""
    return rows(Formula(), terms(expression), tight(BLANK, EQUAL, BLANK, 0))
