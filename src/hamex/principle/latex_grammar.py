"""The grammar of displayed formulas: lines of relations between sums of products, by precedence; nothing is guessed.

What cannot be read is named with its column.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hamex.principle.latex import (
    Add,
    Between,
    Divide,
    Multiply,
    Node,
    Number,
    Power,
    Summation,
    WrittenLetter,
    WrittenLine,
)
from hamex.principle.latex_atoms import AtomReader

_RELATIONS = ("=", "<", ">", r"\le", r"\ge", r"\ne", r"\approx", ":")
_ALIGNED = ("aligned", "align", "split", "gathered", "gather", "equation", "multline", "alignedat", "eqnarray")
_WHERE = ("on", "at", "for", "when", "if")
_JOINING = re.compile(r"\s*(or|and|where|with)\b")


def lines(text: str, applies: Callable[[WrittenLetter], bool], place: str = "") -> list[WrittenLine]:
    """All that a displayed formula says, line by line.

    >>> [str(side) for side in lines(r"\\dot{u}_1 = v", lambda letter: False)[0].sides]
    ['\\\\dot{u}_{1}', 'v']
    """
    return LatexReader(text, applies, place).whole()


class LatexReader(AtomReader):
    """Reads one displayed formula; ``held_at`` is where the line that is being read is said to hold."""

    held_at: tuple[Node, Node] | None = None

    def whole(self) -> list[WrittenLine]:
        """Lines until the end."""
        found: list[WrittenLine] = []
        self.between()
        while self.now.kind != "end":
            line = self.line()
            before, self.at = self.at, self.at
            self.between()
            if self.at == before and self.now.kind != "end":
                raise self.wrong("a sign or a relation is expected")
            found.append(line)
        if not found:
            raise self.wrong("a formula is expected")
        return found

    def between(self) -> None:
        """What separates lines: breaks, blanks, commas, semicolons, full stops, «or», edges of an alignment."""
        while (
            self.now.kind == "break"
            or self.now.text in (r"\quad", "&", ";", ",", ".")
            or (self.now.kind == "text" and _JOINING.match(self.now.text))
            or (self.now.kind == "edge" and self.now.text.split()[1] in _ALIGNED)
        ):
            self.at += 1

    def goes_on(self, *signs: str) -> bool:
        """Whether the line goes on below, behind a break, with one of these signs; then the break is taken."""
        start = self.at
        while not self.rows and (
            self.now.kind == "break" or self.now.text == "&" or (self.at > start and self.now.text == r"\quad")
        ):
            self.at += 1
        if self.now.text in signs and self.now.kind == "sign":
            return True
        self.at = start
        return False

    def line(self) -> WrittenLine:
        column = self.now.column
        self.held_at = None
        if self.now.kind == "text" and self.now.text.strip().lower() in _WHERE:  # at x = 0: …
            self.at += 1
            self.held_at = self.coordinate()
            self.take(":", ",")
            while self.take(r"\quad"):
                pass
        sides, relations, remark = [self.sum()], [], ""
        while self.now.kind == "text" or self.goes_on(*_RELATIONS) or self.is_where():
            if self.now.kind == "text" or self.is_where():
                said = self.remark()
                if not said:
                    if self.held_at is not None:
                        continue
                    break
                remark = f"{remark} {said}".strip()
                continue
            relations.append(self.now.text)
            self.at += 1
            while self.take("&", r"\quad"):
                pass
            sides.append(self.sum())
        return WrittenLine(tuple(sides), tuple(relations), remark, column, self.held_at)

    def is_where(self) -> bool:
        """A remark behind a wide blank: on Γ_t."""
        steps = 0
        while self.after(steps).text == r"\quad":
            steps += 1
        text = self.after(steps)
        return bool(steps) and text.kind == "text" and not _JOINING.match(text.text)

    def remark(self) -> str:
        """Words, and for «on» the place that follows."""
        while self.take(r"\quad"):
            pass
        if _JOINING.match(self.now.text):
            return ""
        words = self.now.text.strip()
        self.at += 1
        if words in _WHERE and self.after().text == "=":
            self.held_at = self.coordinate()
            return ""
        if words == "on" or words == "at":
            return f"{words} {self.letter()}"
        return words

    def coordinate(self) -> tuple[Node, Node]:
        """x = 0."""
        letter = self.letter()
        self.expect("=")
        return letter, self.sum()

    def sum(self) -> Node:
        terms = [(self.signs(), self.product())]
        while self.goes_on("+", "-"):
            terms.append((self.signs(), self.product()))
        return terms[0][1] if len(terms) == 1 and terms[0][0] == 1 else Add(tuple(terms))

    def product(self) -> Node:
        if self.take(r"\sum"):
            lower, upper = self.limits()
            sign, body = self.signs(), self.product()
            return Summation(lower, upper, Add(((sign, body),)))
        factors = [self.power()]
        while True:
            if self.take(r"\cdot"):
                factors.append(self.power())
            elif self.take("/"):
                factors.append(Divide(Number("1"), self.power()))
            elif self.now.text == r"\sum" and self.now.kind == "sign":
                factors.append(self.product())
            elif self.starts() and not self.is_measure():
                factors.append(self.power())
            else:
                break
        return factors[0] if len(factors) == 1 else Multiply(tuple(factors))

    def power(self) -> Node:
        """An atom with its exponent; e^x is a function."""
        base = self.at_place(self.atom())
        while self.now.text == "^" and self.now.kind == "sign":
            if self.at and self.after().text == "{" and self.after(2).text == "}":
                self.at += 3
                continue
            self.at += 1
            exponent = self.exponent()
            if isinstance(base, WrittenLetter) and self.is_listing():  # w^2(l, t)
                base = self.applied(base)
            base = self.at_place(Power(base, exponent))
        return base

    def at_place(self, base: Node) -> Node:
        """… |_{x=0}: a factor where a coordinate has a value."""
        if self.now.text != "|" or self.after().text != "_" or self.bars:
            return base
        self.at += 2
        return Between(base, self.script())

    def is_listing(self) -> bool:
        """Whether a bracket with commas follows."""
        depth, at = 0, self.at
        while self.now.text == "(" and self.tokens[at].kind != "end":
            depth += (self.tokens[at].text in "([{") - (self.tokens[at].text in ")]}")
            if depth == 0:
                return False
            if depth == 1 and self.tokens[at].text == ",":
                return True
            at += 1
        return False
