r"""Anyone's equations against anyone's action: what each claims, whether it follows, and what should stand there.

A formula is judged by what it says: the Lagrangian and its parts, momenta, the dissipation; an equation that must hold
along the motion, in any scaling or combination (the highest derivatives are eliminated with the equations of motion,
and what remains must vanish identically), conserved quantities among them; data at an instant or on the boundary; the
weak form. A letter that is new is a definition, taken as given and known from there on. Nothing is passed in silence:
what cannot be read, or says nothing that can be decided, is named with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from hamex.paper.audit.action_letters import WHOLE, ActionLetters, OpenMeaning
from hamex.paper.audit.engine import brackets, bulk, weak
from hamex.paper.audit.judging import CONDITION, HOLDS, MISPRINT, zero
from hamex.paper.audit.manuscript import Displayed, Manuscript
from hamex.principle.action import Action
from hamex.principle.conditions import initial_conditions
from hamex.principle.edges import boundary_conditions
from hamex.principle.jets import Index, indices, is_zero, jet, t
from hamex.principle.latex import Letter, Line, Node, Power
from hamex.principle.latex_grammar import lines
from hamex.principle.tokens import LanguageError
from hamex.report.derivation.expressions import formula_of
from hamex.report.derivation.formula import Formula

DEFINITION, NOT_UNDERSTOOD = "definition", "not understood"
CONSERVED = "conserved quantity"
OPEN_VERDICTS = (HOLDS, MISPRINT, CONDITION, DEFINITION, NOT_UNDERSTOOD)
_ROUNDS = 8  # of eliminating derivatives: enough for the sixth
_CONSTANT = re.compile(r"\\(?:text|mathrm|textrm|mbox|operatorname)\{\s*(?:const\.?|constant)\s*\}")


@dataclass(frozen=True)
class Verdict:
    """What is said of one formula; ``difference`` is printed minus derived, ``correct`` the right formula in LaTeX."""

    equation: str
    line: int
    claim: str
    verdict: str
    printed: str
    evidence: str
    difference: str = ""
    correct: str = ""

    @property
    def gap(self) -> str:
        """The difference with what it is the difference of."""
        if not self.difference:
            return ""
        what = "rate along the motion" if self.claim == CONSERVED else "printed − derived"
        return f"{what} = {self.difference}"

    def as_json(self) -> dict[str, str | int]:
        """The contract of ``hamex audit FILE.tex --action FILE.py --json``."""
        return dict(vars(self))


@dataclass(frozen=True)
class _Said:
    claim: str
    verdict: str
    evidence: str
    difference: sp.Expr | None = None
    correct: str = ""


class OpenAudit:
    """Judges the formulas of a text one after the other."""

    def __init__(self, action: Action, letters: Mapping[str, str] | None = None) -> None:
        self.action = action
        self.table = ActionLetters.of(action, letters or {})
        self.defined: dict[Letter, sp.Expr] = {}

    def judged(self, text: Manuscript) -> Iterator[Verdict]:
        """All formulas in their order."""
        for shown in text.formulas:
            yield from self.formula(shown)

    def formula(self, shown: Displayed) -> Iterator[Verdict]:
        latex = _CONSTANT.sub(r"\\operatorname{const}", shown.latex)
        reader = OpenMeaning(self.table, self.defined)
        try:
            found = lines(latex, reader.applies, f"line {shown.line}")
        except LanguageError as problem:
            said = _Said("", NOT_UNDERSTOOD, f"cannot be read: {problem.said}; reading stopped at {_rest(problem)}")
            yield self._verdict(shown, shown.name, shown.latex, said)
            return
        for i, line in enumerate(found):
            end = found[i + 1].column if i + 1 < len(found) else len(latex)
            name = shown.name if len(found) == 1 else _part(shown.name, i)
            written = re.sub(r"(?:\\quad|\\\\|[\s,;.&])+$", "", latex[line.column : end]).replace("&", "")
            try:
                said = self.line(line)
            except (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError) as problem:
                said = _Said("", NOT_UNDERSTOOD, f"is read but makes no sense as mathematics: {problem}")
            yield self._verdict(shown, name, written, said)

    def _verdict(self, shown: Displayed, name: str, written: str, said: _Said) -> Verdict:
        gap = "" if said.difference is None else self.shown(said.difference).text
        written = written.replace(r"\operatorname{const}", r"\text{const}")
        return Verdict(name, shown.line, said.claim, said.verdict, written, said.evidence, gap, said.correct)

    def shown(self, expression: sp.Expr) -> Formula:
        """An expression in the letters of the text."""
        return formula_of(expression.xreplace(self.table.spelling))

    # ---- one line ------------------------------------------------------------------------------------------------

    def line(self, line: Line) -> _Said:
        """The worst of what its relations are."""
        if len(line.sides) == 1:
            return _Said("", NOT_UNDERSTOOD, "states no relation")
        other = [relation for relation in line.relations if relation != "="]
        if other:
            return _Said("", NOT_UNDERSTOOD, f"the relation {other[0]} is not decided here")
        return self.worst([self.pair(line.sides[0], side) for side in line.sides[1:]])

    def worst(self, found: list[_Said]) -> _Said:
        """Of several, the one that stands least."""
        order = (NOT_UNDERSTOOD, MISPRINT, CONDITION, HOLDS, DEFINITION)
        return min(found, key=lambda said: order.index(said.verdict))

    def pair(self, left: Node, right: Node) -> _Said:
        reader = OpenMeaning(self.table, self.defined)
        subject = left.letter if hasattr(left, "letter") else left
        value = reader(right)
        missing = list(reader.unknown_letters)
        if isinstance(subject, Letter) and not missing and not reader.places and not reader.faults:
            base = reader.split(subject)[0]
            if base == subject and base in self.table.roles and base not in self.defined:
                return self.role(base, value)
        if not missing and not reader.places and not reader.faults:
            letter, order = (left.base, reader(left.exponent)) if isinstance(left, Power) else (subject, sp.S.One)
            if isinstance(letter, Letter) and self.is_new(letter, reader) and order.is_Integer and order > 0:
                self.defined[reader.split(letter)[0]] = value ** (1 / order)
                return _Said("definition", DEFINITION, f"{letter} is new; taken as given and known from here on")
        if isinstance(left, Letter) and left.delta and self.table.known.get(reader.split(left)[0]) is None:
            return (
                self.weak_form(sp.expand(value)) if value != 0 else _Said("stationarity", HOLDS, "the principle itself")
            )
        whole = reader(left)
        if right == Letter("const"):
            return self.conserved(whole, [u for u in reader.unknown_letters if u.name != "const"], reader)
        if reader.faults:
            return _Said("", NOT_UNDERSTOOD, reader.faults[0])
        if reader.places:
            return self.data(whole, value, reader)
        if reader.unknown_letters:
            letter = reader.unknown_letters[0]
            return _Said("", NOT_UNDERSTOOD, f"the letter {letter} is not known; {reader.near(letter)}")
        if isinstance(whole, sp.MatrixBase):
            return self.worst([self.motion(sp.expand(row)) for row in whole - value])
        gap = sp.expand((whole - value).doit())
        if gap.has(WHOLE.over, WHOLE.ends) or any(gap.has(self.test(q)) for q in self.action.fields):
            return self.weak_form(gap)
        return self.motion(gap)

    def is_new(self, letter: Letter, reader: OpenMeaning) -> bool:
        """A letter without dots or variation that has no meaning yet."""
        base, along = reader.split(letter)
        return not (
            along or letter.delta or base in self.table.known or base in self.table.roles or base in self.defined
        )

    def test(self, q: sp.Expr) -> sp.Expr:
        return self.action.variation().test(q)

    def role(self, letter: Letter, value: sp.Expr) -> _Said:
        """A letter of mechanics against what the action says it is."""
        claim, meant = self.table.roles[letter]
        gap = sp.expand(value - meant)
        if zero(gap) or is_zero(gap):
            return _Said(claim, HOLDS, "equal to that of the action, exactly")
        right = f"{letter} = {self.shown(meant).latex}"
        if letter == Letter("L"):
            moved = self._equations(value)
            if moved is not None and all(is_zero(moved[q] - e) for q, e in self.equations.items()):
                text = "differs from the action's by a total derivative: the same equations of motion, other momenta"
                return _Said(claim, CONDITION, text, gap, right)
        if is_zero(sp.expand(value + meant)):
            return _Said(claim, MISPRINT, "has the opposite sign", gap, right)
        reduced = self.reduced(gap)
        if is_zero(reduced):
            return _Said(claim, CONDITION, "equal along the motion only", gap, right)
        return _Said(claim, MISPRINT, f"is not {claim} of the action", gap, right)

    def _equations(self, lagrangian: sp.Expr) -> dict[sp.Expr, sp.Expr] | None:
        try:
            return Action(self.action.fields, lagrangian, space=self.action.space).strong_form()
        except Exception:  # an expression that is no Lagrangian of these fields
            return None

    @cached_property
    def equations(self) -> dict[sp.Expr, sp.Expr]:
        """Euler's equations of the Lagrangian alone."""
        return Action(self.action.fields, self.action.lagrangian, space=self.action.space).strong_form()

    # ---- along the motion ----------------------------------------------------------------------------------------

    @cached_property
    def rules(self) -> dict[tuple[sp.Expr, Index], sp.Expr]:
        """The equations of motion solved, one after the other, for a highest derivative each."""
        found: dict[tuple[sp.Expr, Index], sp.Expr] = {}
        for q in self.action.fields:
            rest = _eliminated(self.action.strong_form()[q], found)
            for p, index in _leading(rest, self.action.fields):
                node, symbol = jet(p, index), sp.Dummy()
                flat = sp.expand(rest).xreplace({node: symbol})
                slope = sp.diff(flat, symbol)
                if slope == 0 or slope.has(symbol) or is_zero(slope):
                    continue
                solved = sp.together(-flat.xreplace({symbol: sp.S.Zero}) / slope)
                found = {key: _eliminated(e, {(p, index): solved}) for key, e in found.items()}
                found[p, index] = solved
                break
        return found

    def reduced(self, expression: sp.Expr) -> sp.Expr:
        """What remains of an expression along the motion."""
        return _eliminated(expression, self.rules)

    def motion(self, gap: sp.Expr) -> _Said:
        """Something that is said to vanish: identically, along the motion, or not."""
        if is_zero(gap):
            return _Said("identity", HOLDS, "holds identically")
        rest = self.reduced(gap)
        if is_zero(rest):
            return _Said(self.claim_of(gap), HOLDS, "vanishes along the motion, exactly")
        without = self._without_dissipation(gap)
        if without:
            return _Said(self.claim_of(gap), CONDITION, without, rest)
        claim, correct, nearest = self.nearest(gap)
        return _Said(claim, MISPRINT, "does not vanish along the motion", nearest, correct)

    def claim_of(self, gap: sp.Expr) -> str:
        """An equation of motion holds a derivative that the equations of motion determine; a consequence need not."""
        determined = any(index in indices(gap, q) for q, index in self.rules)
        return "equation of motion" if determined else "consequence of the equations of motion"

    def _without_dissipation(self, gap: sp.Expr) -> str:
        if self.action.dissipation == 0 and not self.action.loads:
            return ""
        free = OpenAudit(Action(self.action.fields, self.action.lagrangian, space=self.action.space))
        if is_zero(free.reduced(gap)):
            return "holds without dissipation and loads only"
        return ""

    def nearest(self, gap: sp.Expr) -> tuple[str, str, sp.Expr]:
        """The equation of motion that shares most terms with what is printed, in its scaling; else the rest."""
        best: tuple[int, sp.Expr, sp.Expr] | None = None
        for e in self.action.strong_form().values():
            target = sp.expand(e)
            leading = jet(*_leading(target, self.action.fields)[0])
            for p in _terms(gap):
                for d in _terms(target):
                    factor = sp.cancel(p / d)
                    if factor.has(sp.Derivative, *self.action.fields):
                        continue
                    rest = sp.expand(gap - factor * target)
                    shared = len(_terms(gap)) + len(_terms(target)) - len(_terms(rest)) + d.has(leading)
                    if shared > 2 and (best is None or shared > best[0]):
                        best = (shared, sp.expand(factor * target), rest)
        if best is None:
            return "statement about the motion", "", sp.expand(sp.cancel(sp.together(self.reduced(gap))))
        return "equation of motion", f"{self.shown(best[1]).latex} = 0", best[2]

    def conserved(self, value: sp.Expr, missing: list[Letter], reader: OpenMeaning) -> _Said:
        """Its rate along the motion is zero."""
        if missing:
            return _Said("", NOT_UNDERSTOOD, f"the letter {missing[0]} is not known; {reader.near(missing[0])}")
        rate = self.reduced(sp.diff(value, t))
        if is_zero(rate):
            return _Said(CONSERVED, HOLDS, "its rate vanishes along the motion, exactly")
        without = self._without_dissipation(sp.diff(value, t))
        rate = sp.expand(sp.cancel(sp.together(rate)))
        if without:
            return _Said(CONSERVED, CONDITION, "is conserved without dissipation and loads only", rate)
        return _Said(CONSERVED, MISPRINT, "is not conserved; its rate along the motion is the difference", rate)

    # ---- data and weak forms -------------------------------------------------------------------------------------

    def data(self, left: sp.Expr, right: sp.Expr, reader: OpenMeaning) -> _Said:
        """Values at an instant or at a place: data that the principle accepts, or not."""
        last = {place[-1] for place in reader.places}
        on_boundary = self.action.space and all(place in (Letter("t"), Letter(r"\tau")) for place in last)
        known = any(left.has(q) for q in self.action.fields)
        value = left if known else right
        if on_boundary:
            return self.boundary(value)
        kinds = {(c.field, c.kind) for c in initial_conditions(self.action)}
        for q in self.action.fields:
            for kind, datum in (("value", q), ("momentum", jet(q, (t,))), ("momentum", self.action.momentum(q))):
                if (q, kind) in kinds and value != 0 and sp.cancel(value / datum).is_number:
                    return _Said("initial condition", HOLDS, f"the principle accepts this {kind} as a datum")
        if value in [jet(q, (t,)) for q in self.action.fields]:
            return _Said("initial condition", MISPRINT, "this rate is no datum: the field has no momentum", value)
        return _Said("", NOT_UNDERSTOOD, "values at an instant that are no data are not decided here")

    def boundary(self, value: sp.Expr) -> _Said:
        conditions = boundary_conditions(self.action)
        for condition in conditions:
            if sp.cancel(value / condition.motion).is_number:
                return _Said("boundary condition", HOLDS, "a motion that may be given on the boundary")
            normals = {n: sp.S.One for n in condition.force.free_symbols if str(n).startswith("n_")}
            force = condition.force.xreplace(normals)
            ratio = sp.cancel(value / force) if force != 0 else sp.S.NaN
            if ratio is not sp.S.NaN and not ratio.has(sp.Derivative, *self.action.fields):
                return _Said("boundary condition", HOLDS, "a force of the boundary, up to a factor")
        listed = "; ".join(f"{self.shown(c.motion).text} or {self.shown(c.force).text}" for c in conditions)
        return _Said("boundary condition", MISPRINT, f"neither motion nor force of the boundary; these are {listed}")

    def weak_form(self, gap: sp.Expr) -> _Said:
        """∫ of the weak integrand, or of the equations times the variations, with or without the bracket."""
        found = self.action.variation()
        over = WHOLE.over * (sp.Symbol("int[space]") if self.action.space else 1)
        forms = {
            "weak form": weak(found, over),
            "weak form after integration by parts": bulk(found, over) + brackets(found, WHOLE.ends),
            "weak form with the ends held": bulk(found, over),
        }
        variation = [s for s in gap.free_symbols if str(s).startswith("delta ")]
        bare = gap.xreplace(dict.fromkeys(variation, sp.S.Zero))
        for claim, form in forms.items():
            if any(is_zero(sp.expand(bare - sign * form)) for sign in (1, -1)):
                return _Said(claim, HOLDS, "equal to that of the action, exactly")
        claim, form = min(forms.items(), key=lambda item: len(_terms(sp.expand(bare - item[1]))))
        rest = min((sp.expand(bare - sign * form) for sign in (1, -1)), key=lambda e: len(_terms(e)))
        return _Said(claim, MISPRINT, "is not that of the action", rest.xreplace({WHOLE.over: sp.S.One}))


def _terms(expression: sp.Expr) -> tuple[sp.Expr, ...]:
    return sp.Add.make_args(expression) if expression != 0 else ()


def _leading(expression: sp.Expr, fields: tuple[sp.Expr, ...]) -> list[tuple[sp.Expr, Index]]:
    """Derivatives in an expression, those with most dots first, then the longest."""
    found = [(q, index) for q in fields for index in indices(expression, q)]
    return sorted(found, key=lambda item: (-item[1].count(t), -len(item[1])))


def _eliminated(expression: sp.Expr, rules: Mapping[tuple[sp.Expr, Index], sp.Expr]) -> sp.Expr:
    """Derivatives replaced by what the equations say of them, and derivatives of those likewise."""
    for _ in range(_ROUNDS):
        found = {}
        for (q, index), value in rules.items():
            for other in indices(expression, q):
                more = list(other)
                if all(more.count(x) >= index.count(x) for x in index):
                    for x in index:
                        more.remove(x)
                    found[jet(q, other)] = sp.diff(value, *more) if more else value
        if not found:
            return expression
        expression = expression.xreplace(found).doit()
    return expression


def _part(name: str, i: int) -> str:
    """(3) eq:motion → (3b) eq:motion for the second of several lines."""
    letter = chr(ord("a") + i % 26)
    return name.replace(")", f"{letter})", 1) if name.startswith("(") else f"{name}{letter}"


def _rest(problem: LanguageError) -> str:
    """Where reading stopped, a few characters on."""
    text = problem.text[problem.column : problem.column + 20]
    return f"column {problem.column + 1}, «{text.splitlines()[0] if text.strip() else 'the end'}»"
