"""What a factor can be: a letter with arguments, a bracket, a fraction, a root, a matrix, an integral, a derivative."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from hamex.principle.latex import (
    ACCENTS,
    GREEK,
    Apply,
    Array,
    Between,
    Differential,
    Divide,
    Function,
    Integral,
    LetterReader,
    Multiply,
    Node,
    Number,
    Power,
    Varied,
    WrittenCases,
    WrittenLetter,
    WrittenLine,
)

PLAIN = (r"\underline", r"\mathbf", r"\boldsymbol", r"\bm", r"\mathit", r"\mathcal", r"\boxed")
FUNCTIONS = re.compile(r"\\?(sin|cos|tan|sinh|cosh|tanh|exp|log|ln|arcsin|arccos|arctan|sgn|sign|cot)")
_SAME_FUNCTION = {"ln": "log", "sign": "sgn"}
_CLOSING = {"(": ")", "[": "]", "{{": "}}", r"\langle": r"\rangle", r"\lfloor": r"\rfloor"}
_MEASURES = {"t", r"\tau", "x", "y", "z", "s", "r", "V", "A", "S", r"\Omega", r"\Gamma", r"\xi", r"\theta"}
ARRAYS = ("matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "array", "smallmatrix")


class AtomReader(LetterReader, ABC):
    """Reads one factor; sums, products and lines are read above it."""

    @abstractmethod
    def sum(self) -> Node:
        """Terms with their signs."""

    @abstractmethod
    def product(self) -> Node:
        """Factors."""

    @abstractmethod
    def power(self) -> Node:
        """A factor with its exponent."""

    @abstractmethod
    def line(self) -> WrittenLine:
        """A chain of relations."""

    def starts(self) -> bool:
        """Whether the next token begins a factor."""
        token = self.now
        if token.kind in ("number", "name"):
            return True
        if token.kind == "edge":
            return token.text.startswith("begin") and token.text.split()[1] in (*ARRAYS, "cases")
        if token.kind != "sign":
            return False
        if token.text == "|":
            return not self.bars and self.after().text != "_"
        if token.text == "<":  # Macaulay's bracket in the paper's spelling; a relation otherwise
            return self.after().text == "|"
        return (
            token.text in ("(", "[", "{", "{{", r"\langle", r"\frac", r"\sqrt", r"\int", r"\oint", r"\delta", "^", "_")
            or token.text in (r"\partial", r"\nabla", *ACCENTS, *PLAIN)
            or bool(GREEK.fullmatch(token.text))
            or bool(FUNCTIONS.fullmatch(token.text))
        )

    def is_measure(self) -> bool:
        """dτ, dΩ: the end of the integral that is being read."""
        following = self.after()
        return bool(self.integrals) and self.now.text == "d" and following.text in _MEASURES

    def exponent(self) -> Node:
        if self.take("{"):
            found = self.sum()
            self.expect("}")
            return found
        return self.atom() if self.now.kind != "number" else self.digit(one=True)

    def atom(self) -> Node:
        token = self.now
        if token.kind == "number":
            return self.digit()
        if token.kind == "edge":
            return self.world()
        if token.kind == "name" and not FUNCTIONS.fullmatch(token.text):
            return self.named()
        for texts, read in (
            ((r"\frac",), self.fraction),
            ((r"\sqrt",), self.root),
            ((r"\int", r"\oint"), self.integral),
            ((r"\delta",), self.variation),
            (("|",), self.absolute),
            ((r"\langle", "<"), self.macaulay),
            (("(", "[", "{{"), self.bracket),
            ((r"\partial",), self.operator),
            ((r"\nabla",), self.laplacian),
            (("{",), self.group),
            (("^", "_"), self.fronted),
            (PLAIN, self.plain),
        ):
            if token.kind == "sign" and token.text in texts:
                return read()
        if FUNCTIONS.fullmatch(token.text):
            return self.function()
        if token.kind == "sign" and (token.text in ACCENTS or GREEK.fullmatch(token.text)):
            return self.named()
        raise self.wrong("a number, a letter or a bracket is expected")

    def named(self) -> Node:
        """A letter, and its arguments where it takes any."""
        return self.applied(self.letter())

    def applied(self, letter: WrittenLetter) -> Node:
        if self.now.text != "(" or not self.applies(letter):
            return letter
        self.at += 1
        groups: list[list[Node]] = [[self.sum()]]
        while sign := self.take(",", ";"):
            if sign.text == ";":
                groups.append([])
            groups[-1].append(self.sum())
        self.expect(")")
        return Apply(letter, tuple(groups[0]), tuple(groups[1]) if len(groups) > 1 else ())

    def group(self) -> Node:
        """{ … }: nothing, an index for what follows, or an expression."""
        self.expect("{")
        if self.take("}"):
            return self.fronted() if self.now.text in ("^", "_") else self.atom()
        if self.now.text in ("^", "_"):
            sign = self.now.text
            self.at += 1
            said = self.script()
            if self.take("}"):
                return self.front(**{"pre" if sign == "^" else "low": said})
            raise self.wrong("} is expected")
        found = self.sum()
        self.expect("}")
        return found

    def fronted(self) -> Node:
        """An index in front of a letter or of a bracket."""
        sign = self.now.text
        self.at += 1
        return self.front(**{"pre" if sign == "^" else "low": self.script()})

    def front(self, pre: str = "", low: str = "") -> Node:
        if self.now.text == "(":
            found = self.bracket()
            if isinstance(found, Between):
                return Between(found.body, found.lower, found.upper, low or pre)
            raise self.wrong("an index in front belongs to a letter")
        letter = self.letter()
        return self.applied(WrittenLetter(letter.name, letter.accents, letter.sub, pre, low, column=letter.column))

    def variation(self) -> Node:
        r"""\delta of a letter, which keeps the index between them, or of an integral or a bracket."""
        start = self.now.column
        self.at += 1
        pre = ""
        if self.now.text == "^":
            self.at += 1
            pre = self.script()
        if self.now.text in (r"\int", "(", "["):
            return Varied(self.atom())
        if self.now.text == "{" or self.now.text == "^":
            inner = self.atom()
            if not isinstance(inner, WrittenLetter):
                return Varied(inner)
            letter = inner
        else:
            letter = self.letter()
        return self.applied(
            WrittenLetter(letter.name, letter.accents, letter.sub, pre or letter.pre, letter.low, True, column=start)
        )

    def plain(self) -> Node:
        """A line under an expression, bold letters: no meaning of their own."""
        self.at += 1
        self.expect("{")
        found = self.sum()
        self.expect("}")
        return self.applied(found) if isinstance(found, WrittenLetter) else found

    def braced(self) -> Node:
        """The argument of a command: a group, or one token."""
        if self.take("{"):
            found = self.sum()
            self.expect("}")
            return found
        return self.digit(one=True) if self.now.kind == "number" else self.atom()

    def root(self) -> Node:
        self.at += 1
        if self.take("["):
            raise self.wrong("only square roots are read")
        return Function("sqrt", self.braced())

    def function(self) -> Node:
        name = _SAME_FUNCTION.get(self.now.text.lstrip("\\"), self.now.text.lstrip("\\"))
        self.at += 1
        exponent = None
        if self.now.text == "^":
            self.at += 1
            exponent = self.exponent()
        bare = self.now.text not in ("(", "[", "{", "{{")
        found: Node = Function(name, self.bare_argument() if bare else self.atom())
        return found if exponent is None else Power(found, exponent)

    def bare_argument(self) -> Node:
        r"""\sin 2\theta: numbers and letters up to the next function, sign or bracket."""
        factors = [self.power()]
        while self.starts() and not FUNCTIONS.fullmatch(self.now.text) and not self.is_measure():
            before = self.tokens[self.at - 1]
            blank = self.text[before.column + before.length : self.now.column].strip()  # a thin one ends the argument
            if blank or self.now.text in ("(", "[", r"\delta", r"\frac", r"\int", *ACCENTS):
                break
            factors.append(self.power())
        return factors[0] if len(factors) == 1 else Multiply(tuple(factors))

    def absolute(self) -> Node:
        self.expect("|")
        self.bars += 1
        found = self.sum()
        self.bars -= 1
        self.expect("|")
        return Function("abs", found)

    def macaulay(self) -> Node:
        closing = ">" if self.now.text == "<" else r"\rangle"
        self.at += 1
        bars, self.bars = self.bars, 0
        found = self.sum()
        self.bars = bars
        self.expect(closing)
        return Function("macaulay", found)

    def bracket(self) -> Node:
        """( … ), [ … ], { … }; a row when blanks or & stand in it; behind it limits or an index."""
        closing = _CLOSING[self.now.text]
        self.at += 1
        bars, self.bars = self.bars, 0
        integrals, self.integrals = self.integrals, 0
        entries = [self.sum()]
        while self.take(r"\quad", "&", ","):
            entries.append(self.sum())
        self.bars, self.integrals = bars, integrals
        self.expect(closing)
        inside: Node = entries[0] if len(entries) == 1 else Array((tuple(entries),))
        if self.now.text == "_" and self.now.kind == "sign":
            self.at += 1
            lower, upper = self.script(), ""
            if self.now.text == "^":
                self.at += 1
                upper = self.script()
            return Between(inside, lower, upper)
        return inside

    def integral(self) -> Node:
        start = self.now
        self.at += 1
        lower, upper = self.limits()
        self.integrals += 1
        body = self.sum() if not self.is_measure() else Number("1")
        if not self.is_measure():
            raise self.wrong(f"the measure of the integral in column {start.column + 1}, such as dt, is missing")
        self.at += 1
        measure = self.now.text
        self.at += 1
        self.integrals -= 1
        return Integral(lower, upper, body, measure)

    def world(self) -> Node:
        r"""\begin{…}: a matrix or cases."""
        name = self.now.text.split()[1]
        if not self.starts():
            raise self.wrong("this environment cannot stand in a formula")
        self.at += 1
        self.rows += 1
        rows: list[list[Node]] = []
        conditions: list[WrittenLine | None] = []
        while not self.take(f"end {name}"):
            if name == "cases":
                value, condition = self.case()
                rows.append([value])
                conditions.append(condition)
            else:
                rows.append(self.row())
            if self.now.kind == "break":
                self.at += 1
            elif self.now.text != f"end {name}":
                raise self.wrong(rf"\\ or \end{{{name}}} is expected")
        self.rows -= 1
        if name == "cases":
            return WrittenCases(tuple((row[0], condition) for row, condition in zip(rows, conditions, strict=True)))
        if len({len(row) for row in rows}) != 1:
            raise self.wrong("the rows of a matrix differ in length")
        return Array(tuple(map(tuple, rows)))

    def row(self) -> list[Node]:
        entries = [self.sum()]
        while self.take("&"):
            entries.append(self.sum())
        return entries

    def case(self) -> tuple[Node, WrittenLine | None]:
        value = self.sum()
        while self.take("&", ",", r"\quad"):
            pass
        if self.now.kind != "text":
            return value, self.line() if self.starts() else None
        words = self.now.text.strip()
        self.at += 1
        return value, None if words.startswith(("otherwise", "else")) else self.line()

    def fraction(self) -> Node:
        r"""\frac: a quotient, or a derivative when both parts begin with d or ∂."""
        self.at += 1
        if self.differentials():
            found = self.derivative()
            return self.evaluated(found)
        return Divide(self.braced(), self.braced())

    def differentials(self) -> bool:
        """Whether {d … }{d … } or {∂ … }{∂ … } follows."""
        if self.now.text != "{" or self.after().text not in ("d", r"\partial"):
            return False
        depth, at = 0, self.at
        while self.tokens[at].kind != "end":
            depth += (self.tokens[at].text == "{") - (self.tokens[at].text == "}")
            at += 1
            if depth == 0:
                break
        below = self.tokens[at : at + 3]
        return len(below) == 3 and below[0].text == "{" and below[1].text == self.after().text and below[2].text != "}"

    def derivative(self) -> Differential:
        self.expect("{")
        start, sign, order = self.now, self.now.text, "1"
        self.at += 1
        if self.take("^"):
            order = self.script()
        operand = None if self.now.text == "}" else self.product()
        self.expect("}")
        self.expect("{")
        by: list[tuple[WrittenLetter, int]] = []
        while self.take(sign):
            letter, count = self.letter(), 1
            if self.take("^"):
                written = self.script()
                if not written.isdigit():
                    raise self.wrong("the order of a derivative is a number")
                count = int(written)
            by.append((letter, count))
        self.expect("}")
        if order != str(sum(count for _, count in by)):
            raise self.wrong(f"the order {order} of this derivative is not the one below", start)
        return Differential(operand, tuple(by))

    def evaluated(self, found: Differential) -> Node:
        """A derivative taken at an instant, ∂L/∂u̇ (0)."""
        if found.operand is not None and self.now.text == "(" and self.after(2).text == ")":
            self.at += 1
            instant = self.atom()
            self.expect(")")
            return Apply(found, (instant,))
        return found

    def operator(self) -> Node:
        r"""\partial_x w, \partial_t^2 w: an operator on what follows."""
        self.at += 1
        if self.now.text != "_":
            raise self.wrong(r"\partial stands in a fraction, or with an index")
        self.at += 1
        written, count = self.script(), 1
        if self.take("^"):
            raised = self.script()
            count = int(raised) if raised.isdigit() else 1
        names = re.findall(r"\\[A-Za-z]+|[A-Za-z]", written)
        return Differential(self.power(), tuple((WrittenLetter(name), count) for name in names))

    def laplacian(self) -> Node:
        r"""\nabla^2 w, \nabla^4 w."""
        token = self.now
        self.at += 1
        if not self.take("^"):
            raise self.wrong(r"\nabla stands with an even power, as in \nabla^2 w", token)
        raised = self.script()
        if not raised.isdigit() or int(raised) % 2:
            raise self.wrong(r"\nabla stands with an even power, as in \nabla^2 w", token)
        return Differential(self.power(), ((WrittenLetter(token.text), int(raised)),))
