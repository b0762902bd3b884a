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
from hamex.report.derivation import names
from hamex.report.derivation.latex import Expr, field, latex, terms, walk
from hamex.report.derivation.plain import flat, width

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
    def letter(self) -> str:
        """The letter of the first field, for pictures."""
        return names.split(name(self.fields[0]))[0]

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

    def integral(self, inside: str) -> str:
        """∫ inside dt, over the domain too in a continuum."""
        if self.lumped:
            return rf"\int_{{0}}^{{T}} {inside}\,\mathrm{{d}}t"
        return rf"\int_{{0}}^{{T}}\!\int_{{\Omega}} {inside}\,\mathrm{{d}}\Omega\,\mathrm{{d}}t"

    def bracket(self, inside: str) -> str:
        """[inside] between 0 and T, over the domain too in a continuum."""
        ends = rf"\left[{inside}\right]_{{0}}^{{T}}"
        return ends if self.lumped else rf"\int_{{\Omega}}{ends}\,\mathrm{{d}}\Omega"


def enclosed(around: str, parts: Sequence[str], head: str = "") -> tuple[str, ...]:
    """A sum inside ``around``, where ``@`` stands for it; braces that span rows cannot stretch, so they stay small."""
    before, _, after = around.partition("@")
    if len(parts) == 1:
        return (f"{head} {before} {parts[0]} {after}".strip(),)
    whole = rf"{head} {before} \left({' '.join(parts)}\right) {after}".strip()
    if width(flat(whole)) <= ROW:
        return (whole,)
    return rows(rf"{head} {before} \{{".strip(), parts, rf"\}} {after}")


def name(q: Expr) -> str:
    """The name of a field."""
    return str(q.func.__name__)


def delta(q: Expr, index: Index = ()) -> str:
    """δq or a derivative of it."""
    return names.variation(field(q, index))


def hat_momentum(q: Expr, instant: str = "") -> str:
    """The reserved momentum of a field."""
    return names.momentum(name(q), more=f",{instant}" if instant else "")


def hat(q: Expr) -> str:
    """The reserved value of a field at an end."""
    return names.accented(name(q), "hat")


def spread(expression: Expr, tail: str) -> list[str]:
    """(a + b + …) tail, in pieces between which a row may end when it is long."""
    parts = terms(expression)
    whole = rf"\left({' '.join(parts)}\right) {tail}"
    if width(flat(whole)) <= ROW or len(parts) < 2:
        return [whole]
    return [f"( {parts[0]}", *parts[1:-1], f"{parts[-1]} ) {tail}"]


def times(coefficient: Expr, factor: str) -> str:
    """A coefficient before a factor, bracketed when it is a sum."""
    if coefficient == 1:
        return factor
    if coefficient == -1:
        return f"- {factor}"
    body = latex(coefficient)
    if coefficient.is_Add or type(coefficient).__name__ == "Piecewise":
        return rf"\left({body}\right) {factor}"
    return rf"{body}\,{factor}"


def signed(parts: Sequence[str]) -> list[str]:
    """Terms to be added up: every one but the first gets its sign in front."""
    return [
        p if not i or p.startswith("+") else (f"- {p[1:].strip()}" if p.startswith("-") else f"+ {p}")
        for i, p in enumerate(parts)
    ]


def rows(head: str, parts: Sequence[str], tail: str = "", limit: int = ROW) -> tuple[str, ...]:
    """``head`` and terms in rows that fit a page; matrices and cases stay whole."""
    found, line = [], head
    for part in parts:
        if line != head and width(flat(line)) + width(flat(part)) > limit:
            found.append(line.strip())
            line = ""
        line += f" {part}"
    return (*found, (line + tail).strip())


def sum_rows(head: str, expression: Expr, tail: str = "") -> tuple[str, ...]:
    """An equation whose right side may be a long sum."""
    return rows(head, terms(expression), tail)
