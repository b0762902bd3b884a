"""An action with what every section of its derivation asks for, worked out once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hamex.principle.action import Action
from hamex.principle.jets import Index, indices, jet, t
from hamex.principle.stepform import StepForm, step_form
from hamex.principle.variation import Variation
from hamex.report.derivation.boxes import width
from hamex.report.derivation.expressions import Expr, field, formula_of, terms, walk
from hamex.report.derivation.formula import BACK, BLANK, CLOSE, EQUAL, OPEN, Formula, Letter, Part, spaced, tight
from hamex.report.derivation.notation import accented, bracket, integral, letter_of, measure, momentum, thin, virtual

ROW = 84  # columns of text that a displayed row may take before it is broken


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
