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
from dataclasses import replace
from itertools import product

import sympy as sp

from hamex.paper.audit.action_letters import SPACE, WHOLE, ActionLetters, OpenMeaning, unplaced
from hamex.paper.audit.expected import Expected, difference, terms
from hamex.paper.audit.judging import (
    CONDITION,
    CONSERVED,
    DEFINITION,
    HOLDS,
    MISPRINT,
    NOT_UNDERSTOOD,
    SKIPPED,
    FormulaVerdict,
    Said,
    zero,
)
from hamex.paper.audit.manuscript import Displayed, Manuscript, freed, part_of, ranged, window
from hamex.principle.action import Action
from hamex.principle.grammar import LanguageError
from hamex.principle.jets import indices, is_zero, jet, t
from hamex.principle.latex import Apply, Integral, Node, Number, Power, Varied, WrittenLetter, WrittenLine
from hamex.principle.latex_grammar import lines
from hamex.report.derivation.expressions import formula_of
from hamex.report.derivation.formula import Formula

_CONSTANT = re.compile(r"\\(?:text|mathrm|textrm|mbox|operatorname)\{\s*(?:const\.?|constant)\s*\}")


class OpenAudit:
    """Judges the formulas of a text one after the other."""

    def __init__(self, action: Action, letters: Mapping[str, str] | None = None) -> None:
        self.action, self.expected = action, Expected(action)
        self.table = ActionLetters.of(action, letters or {})
        self.defined: dict[WrittenLetter, sp.Expr] = {}
        self.scales: dict[sp.Expr, sp.Expr] = {}  # reactions that the text means with a factor
        self.ends = self.expected.ends()
        self.range: tuple[str, tuple[int, ...]] | None = None  # of the index in the formula that is being read

    def judged(self, text: Manuscript) -> Iterator[FormulaVerdict]:
        """All formulas in their order."""
        for shown in text.formulas:
            yield from self.formula(shown)

    def formula(self, shown: Displayed) -> Iterator[FormulaVerdict]:
        if shown.skipped:
            said = Said("", SKIPPED, "left out, as a comment of the text asks")
            yield self._verdict(shown, shown.name, shown.latex, said, "")
            return
        latex = self.table.joined(freed(_CONSTANT.sub(r"\\operatorname{const}", shown.latex)))
        body, self.range = ranged(latex)
        try:
            found = lines(body, OpenMeaning(self.table, self.defined).applies, f"line {shown.line}")
        except LanguageError as problem:
            said = Said("", NOT_UNDERSTOOD, f"cannot be read: {problem.said}", column=problem.column)
            yield self._verdict(shown, shown.name, shown.latex, said, body)
            return
        spoken = self.with_places(found)
        for i, line in enumerate(spoken):
            end = min((other.column for other in found if other.column > line.column), default=len(latex))
            name = shown.name if len(spoken) == 1 else part_of(shown.name, i)
            written = re.sub(
                r"(?:\\q?quad|\\\\|\\end\{(?:aligned|split|gathered)\}|[\s,;.&])+$", "", latex[line.column : end]
            )
            written = written if r"\begin" in written else written.replace("&", "")
            try:
                said = self.line(line)
            except (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError) as problem:
                said = Said("", NOT_UNDERSTOOD, f"is read but makes no sense as mathematics: {problem}")
            yield self._verdict(shown, name, written, said, body)

    def _verdict(self, shown: Displayed, name: str, written: str, said: Said, latex: str) -> FormulaVerdict:
        gap = "" if said.difference is None else self.shown(said.difference).text
        written = self.table.parted(written.replace(r"\operatorname{const}", r"\text{const}"))
        place = "" if said.column is None else window(latex, said.column)
        return FormulaVerdict(
            name,
            shown.line,
            said.claim,
            said.verdict,
            written,
            said.evidence,
            gap,
            self.table.parted(said.correct),
            place,
            shown.file,
        )

    def shown(self, expression: sp.Expr) -> Formula:
        """An expression in the letters of the text."""
        return formula_of(expression.xreplace(self.table.spelling))

    def with_places(self, found: list[WrittenLine]) -> list[WrittenLine]:
        """Lines that say where, «x = 0», belong to those before them in the same formula, or after a colon."""
        spoken: list[WrittenLine] = []
        for line in found:
            if line.relations[:2] == ("=", ":") and self.is_coordinate(line.sides[0]):
                place = line.sides[0], line.sides[1]
                line = WrittenLine(line.sides[2:], line.relations[2:], line.remark, line.column, place)
            if spoken and line.relations == ("=",) and self.is_coordinate(line.sides[0]) and not line.place:
                place = line.sides[0], line.sides[1]
                spoken = [one if one.place else replace(one, place=place) for one in spoken]
                continue
            spoken.append(line)
        last = next((line.place for line in reversed(spoken) if line.place), None)
        if last and len(spoken) > 1:  # «w = 0, w' = 0 at x = 0» and «at x = 0: w = 0, w' = 0»
            spoken = [line if line.place else replace(line, place=last) for line in spoken]
        return spoken

    def is_coordinate(self, side: Node) -> bool:
        return isinstance(side, WrittenLetter) and side in [WrittenLetter(str(x)) for x in (*self.action.space, t)]

    # ---- one line ------------------------------------------------------------------------------------------------

    def line(self, line: WrittenLine) -> Said:
        """The worst of what its relations are, for every value of its indices."""
        if len(line.sides) == 1:
            return Said("", NOT_UNDERSTOOD, "states no relation", column=line.column)
        other = [relation for relation in line.relations if relation != "="]
        if other:
            return Said("", NOT_UNDERSTOOD, f"the relation {other[0]} is not decided here", column=line.column)
        first, *rest = line.sides
        if line.place is not None or (len(rest) > 1 and rest[-1] == Number("0")):  # w = w' = 0: each with the last
            pairs = [(side, rest[-1]) for side in (first, *rest[:-1])]
        else:
            pairs = [(first, side) for side in rest]
        try:
            ranges = self.ranges(line)
        except KeyError as index:
            return Said("", NOT_UNDERSTOOD, f"numbers are given for the index {index}, which no letter here has")
        counts = [dict(zip(ranges, values, strict=True)) for values in product(*ranges.values())]
        return self.worst([self.pair(*pair, count, line.place) for count in counts for pair in pairs])

    def ranges(self, line: WrittenLine) -> dict[str, tuple[int, ...]]:
        """Indices that stand for numbers, with these."""
        reader = OpenMeaning(self.table, self.defined)
        found: dict[str, set[int]] = {}
        for side in line.sides:
            for index, numbers in reader.indexed(side):
                found[index] = found.get(index, numbers) & numbers
        if self.range is not None:
            index, given = self.range
            if index not in found:
                raise KeyError(index)
            found[index] = {n for n in found[index] if n >= given[0]} if len(given) == 1 else set(given)
        return {index: tuple(sorted(numbers)) for index, numbers in found.items()}

    def worst(self, found: list[Said]) -> Said:
        """Of several, the one that stands least."""
        order = (NOT_UNDERSTOOD, MISPRINT, CONDITION, HOLDS, DEFINITION)
        return min(found, key=lambda said: order.index(said.verdict))

    def pair(self, left: Node, right: Node, count: dict[str, int], place: tuple[Node, Node] | None) -> Said:
        reader = OpenMeaning(self.table, self.defined)
        reader.count, reader.ends = count, self.ends
        subject = left.letter if isinstance(left, Apply) else left
        value = reader(right)
        clear = not (reader.unknown_letters or reader.faults or place)
        if isinstance(subject, WrittenLetter) and clear:
            base = reader.split(subject)[0]
            if base == subject and base in self.table.roles and isinstance(value, sp.MatrixBase):  # \mathbf{K}
                self.defined[base] = value
                return Said("definition", DEFINITION, f"{base} is a matrix here; taken as given and known from here on")
            if base == subject and base in self.table.roles and base not in self.defined:
                return self.role(base, value)
        if clear and not reader.places:
            letter, order = (left.base, reader(left.exponent)) if isinstance(left, Power) else (subject, sp.S.One)
            if isinstance(letter, WrittenLetter) and self.is_new(letter, reader) and order.is_Integer and order > 0:
                self.defined[reader.split(letter)[0]] = value if order == 1 else value ** (1 / order)
                return Said("definition", DEFINITION, f"{letter} is new; taken as given and known from here on")
        if isinstance(left, WrittenLetter) and left.delta and self.table.known.get(reader.split(left)[0]) is None:
            if reader.faults or reader.split(left)[0] in self.table.roles:
                evidence = (*reader.faults, f"{left} is not the variation of an action")[0]
                return Said("", NOT_UNDERSTOOD, evidence)
            return (
                self.weak_form(sp.expand(value)) if value != 0 else Said("stationarity", HOLDS, "the principle itself")
            )
        if isinstance(left, Varied) and self.action.space and value == 0 and self.is_action(left.operand):
            return Said("stationarity", HOLDS, "the principle itself")
        whole = reader(left)
        if right == WrittenLetter("const"):
            reader.unknown_letters = [letter for letter in reader.unknown_letters if letter.name != "const"]
            return self.not_known(reader) or self.conserved(whole)
        if reader.faults:
            return Said("", NOT_UNDERSTOOD, reader.faults[0])
        if place is not None:
            axis = place[0] if isinstance(place[0], WrittenLetter) else WrittenLetter("t")
            whole, value = reader.at_value(whole, axis, place[1]), reader.at_value(value, axis, place[1])
        gap = difference(whole, value)
        if reader.faults:
            return Said("", NOT_UNDERSTOOD, reader.faults[0])
        if isinstance(gap, sp.MatrixBase):
            return self.not_known(reader) or self.worst([self.motion(sp.expand(row)) for row in gap])
        if gap.has(WHOLE.over, WHOLE.ends) or any(gap.has(self.test(q)) for q in self.action.fields):
            return self.weak_form(sp.expand(gap.doit()))
        if reader.places:
            return self.data(whole, value, reader)
        if gap.has(SPACE):
            return Said("", NOT_UNDERSTOOD, "an integral over space in an equation is not decided here")
        return self.not_known(reader) or self.motion(sp.expand(gap.doit()))

    def is_action(self, part: Node) -> bool:
        """∫ L dt of a continuum on which nothing else works."""
        still = self.action.dissipation == 0 and not self.action.loads
        still = still and not any(part.loads or part.dissipation != 0 for part in self.action.parts)
        letter = part.body if isinstance(part, Integral) else part
        return (
            still and isinstance(letter, WrittenLetter) and self.table.roles.get(letter, ("",))[0] == "the Lagrangian"
        )

    def not_known(self, reader: OpenMeaning) -> Said | None:
        """What is said of the first letter without a meaning."""
        if not reader.unknown_letters:
            return None
        letter = reader.unknown_letters[0]
        evidence = f"the letter {letter} is not known; {reader.near(letter)}"
        return Said("", NOT_UNDERSTOOD, evidence, column=letter.column)

    def is_new(self, letter: WrittenLetter, reader: OpenMeaning) -> bool:
        """A letter without dots or variation that has no meaning yet."""
        base, along = reader.split(letter)
        return not (
            along or letter.delta or base in self.table.known or base in self.table.roles or base in self.defined
        )

    def test(self, q: sp.Expr) -> sp.Expr:
        return self.action.variation().test(q)

    def role(self, letter: WrittenLetter, value: sp.Expr) -> Said:
        """A letter of mechanics against what the action says it is; of a continuum the density, or the whole."""
        claim, meant = self.table.roles[letter]
        if self.action.space and value.has(SPACE):
            total = self.expected.total(claim)
            if total is None:
                return Said(claim, NOT_UNDERSTOOD, "parts that have names but no places cannot be written in total")
            gap = sp.expand(sp.expand(value) - total)
            if is_zero(gap):
                return Said(claim, HOLDS, "equal to that of the action with its parts, exactly")
            bare = gap.xreplace({SPACE: sp.S.One})
            return Said(claim, MISPRINT, f"is not {claim} of the action", unplaced(bare))
        gap = sp.expand(value - meant)
        if zero(gap) or is_zero(gap):
            return Said(claim, HOLDS, "equal to that of the action, exactly")
        right = f"{letter} = {self.shown(meant).latex}"
        if letter == WrittenLetter("L") and self.expected.same_motions(value):
            text = "differs from the action's by a total derivative: the same equations of motion, other momenta"
            return Said(claim, CONDITION, text, gap, right)
        if is_zero(sp.expand(value + meant)):
            return Said(claim, MISPRINT, "has the opposite sign", gap, right)
        if self.expected.vanishes(gap):
            return Said(claim, CONDITION, "equal along the motion only", gap, right)
        return Said(claim, MISPRINT, f"is not {claim} of the action", gap, right)

    # ---- along the motion ----------------------------------------------------------------------------------------

    def motion(self, gap: sp.Expr) -> Said:
        """Something that is said to vanish: identically, along the motion, or not."""
        if is_zero(gap):
            return Said("identity", HOLDS, "holds identically")
        meant = gap.xreplace({reaction: factor * reaction for reaction, factor in self.scales.items()})
        if self.expected.is_constraint(meant):
            return Said("constraint", HOLDS, "follows from the constraints, exactly")
        if self.expected.vanishes(meant):
            for c in self.expected.constraints:  # the text's sign of a reaction is from now on this one
                if gap.has(c.reaction):
                    self.scales.setdefault(c.reaction, sp.S.One)
            return Said(self.claim_of(gap), HOLDS, "vanishes along the motion, exactly")
        scale = self.expected.reaction_scale(meant)
        if scale is not None and scale[0] not in self.scales:
            reaction, self.scales[scale[0]] = scale[0], scale[1]
            reading = (
                f"with the reaction {self.shown(reaction).text} of the text as {self.shown(scale[1] * reaction).text}"
            )
            return Said(self.claim_of(gap), HOLDS, f"vanishes along the motion, exactly, {reading} of the action")
        without = self._without_dissipation(gap)
        if without:
            return Said(self.claim_of(gap), CONDITION, without, self.expected.reduced(gap))
        evidence = "does not vanish along the motion"
        own = {reaction: reaction / factor for reaction, factor in self.scales.items()}
        near = self.expected.nearest(gap, [e.xreplace(own) for e in self.expected.equations])
        if near is None:
            rest = sp.expand(sp.cancel(sp.together(self.expected.reduced(meant))))
            return Said("statement about the motion", MISPRINT, evidence, rest)
        return Said("equation of motion", MISPRINT, evidence, near[0], f"{self.shown(near[1]).latex} = 0")

    def claim_of(self, gap: sp.Expr) -> str:
        """An equation of motion holds a derivative that the equations of motion determine; a consequence need not."""
        determined = any(index in indices(gap, q) for q, index in self.expected.rules)
        return "equation of motion" if determined else "consequence of the equations of motion"

    def _without_dissipation(self, gap: sp.Expr) -> str:
        if self.action.dissipation == 0 and not self.action.loads:
            return ""
        return "holds without dissipation and loads only" if self.expected.undisturbed.vanishes(gap) else ""

    def conserved(self, value: sp.Expr) -> Said:
        """Its rate along the motion is zero; that of an integral over space at most what flows through the boundary."""
        rate = sp.diff(value, t)
        if value.has(SPACE):
            return self.conserved_integral(sp.expand(value), sp.expand(rate).coeff(SPACE))
        if self.expected.vanishes(rate):
            return Said(CONSERVED, HOLDS, "its rate vanishes along the motion, exactly")
        without = self._without_dissipation(rate)
        rate = sp.expand(sp.cancel(sp.together(self.expected.reduced(rate))))
        if without:
            return Said(CONSERVED, CONDITION, "is conserved without dissipation and loads only", rate)
        return Said(CONSERVED, MISPRINT, "is not conserved; its rate along the motion is the difference", rate)

    def conserved_integral(self, value: sp.Expr, rate: sp.Expr) -> Said:
        if value.coeff(SPACE, 0) != 0:
            return Said(CONSERVED, NOT_UNDERSTOOD, "an integral beside values on the boundary is not decided here")
        text = "its rate is what flows through the boundary: constant where nothing does"
        if self.expected.is_divergence(inside := self.expected.reduced(rate)):
            return Said(CONSERVED, CONDITION, text)
        if self.expected.is_divergence(self.expected.undisturbed.reduced(rate)):
            return Said(CONSERVED, CONDITION, f"without dissipation and loads {text}", inside)
        return Said(CONSERVED, MISPRINT, "is not conserved; the density of its rate is the difference", inside)

    # ---- data and weak forms -------------------------------------------------------------------------------------

    def data(self, left: sp.Expr, right: sp.Expr, reader: OpenMeaning) -> Said:
        """Values at an instant or at a place: data that the principle accepts, or not."""
        where = {place for name, (_, place) in reader.placed.items() if (left - right).has(name)}
        given = [s for s in (left, right) if not any(s.has(f) for f in reader.placed)]
        value = unplaced(left - right if not given else left if right in given else right)
        if self.action.space and where - {None}:
            return self.boundary(unplaced(left - right, sides=True), value, where, reader)
        conditions = self.action.initial_conditions()
        for c in conditions:
            q = c.field
            for kind, datum in (("value", q), ("momentum", jet(q, (t,))), ("momentum", self.action.momentum(q))):
                if c.kind == kind and value != 0 and datum != 0 and sp.cancel(value / datum).is_number:
                    if c.role == "determined":
                        evidence = f"this {kind} is not free: it follows from the other data"
                        return Said("initial condition", CONDITION, evidence, c.relation)
                    return Said("initial condition", HOLDS, f"the principle accepts this {kind} as a datum")
        if value in [jet(q, (t,)) for q in self.action.fields]:
            return Said("initial condition", MISPRINT, "this rate is no datum: the field has no momentum", value)
        return Said("", NOT_UNDERSTOOD, "values at an instant that are no data are not decided here")

    def boundary(self, gap: sp.Expr, value: sp.Expr, where: set[sp.Expr | None], reader: OpenMeaning) -> Said:
        """On the boundary: where a part is, what it says; elsewhere a motion or a force may be given."""
        claim = "boundary condition"
        places = {str(w).removesuffix("_plus").removesuffix("_minus") for w in where}
        if len(places) > 1:
            return Said(claim, NOT_UNDERSTOOD, f"values at {' and '.join(sorted(places))} are not compared here")
        balances = self.expected.balances(places)
        if balances:
            return self.not_known(reader) or self.on_part(gap, [b.equation for b in balances])
        if len(self.action.space) == 1:
            reader.end(*places)
            if reader.faults:
                return Said(claim, NOT_UNDERSTOOD, reader.faults[0])
        for motion, force in self.expected.forces():
            if sp.cancel(value / motion).is_number:
                return Said(claim, HOLDS, "a motion that may be given on the boundary")
            ratio = sp.cancel(value / force) if force != 0 else sp.S.NaN
            if ratio is not sp.S.NaN and not ratio.has(sp.Derivative, *self.action.fields):
                return Said(claim, HOLDS, "a force of the boundary, up to a factor")
        listed = "; ".join(f"{self.shown(m).text} or {self.shown(f).text}" for m, f in self.expected.forces())
        return Said(claim, MISPRINT, f"neither motion nor force of the boundary; these are {listed}")

    def on_part(self, gap: sp.Expr, equations: list[sp.Expr]) -> Said:
        """Against what holds at a place where the action has a part: one of its balances, or what is given there."""
        claim, near = "condition on a part", self.expected.nearest(gap, equations, shared=1)
        if near is not None and is_zero(near[0]):
            return Said(claim, HOLDS, "what the action says of its part at this place, up to a factor")
        listed = "; ".join(f"{self.shown(e).text} = 0" for e in equations)
        evidence = f"is not what the action says of its part at this place: {listed}"
        return Said(claim, MISPRINT, evidence, *((near[0], f"{self.shown(near[1]).latex} = 0") if near else ()))

    def weak_form(self, gap: sp.Expr) -> Said:
        """∫ of the weak integrand, or of the equations times the variations, with or without the bracket."""
        forms = self.expected.weak_forms()
        variation = [s for s in gap.free_symbols if str(s).startswith("delta ")]
        bare = gap.xreplace(dict.fromkeys(variation, sp.S.Zero))
        for claim, form in forms.items():
            if any(is_zero(sp.expand(bare - sign * form)) for sign in (1, -1)):
                return Said(claim, HOLDS, "equal to that of the action, exactly")
        claim, form = min(forms.items(), key=lambda item: len(terms(sp.expand(bare - item[1]))))
        rest = min((sp.expand(bare - sign * form) for sign in (1, -1)), key=lambda e: len(terms(e)))
        rest = unplaced(rest.xreplace({WHOLE.over: sp.S.One, SPACE: sp.S.One}))
        return Said(claim, MISPRINT, "is not that of the action", rest)
