r"""Mathematics in LaTeX as a tree: what is displayed can be read, and what is read can be checked.

Tokens → tree. The grammar is that of formulas in mechanics: dots, hats and indices on letters, indices in front
(``{}^{r-1}u``), variations ``\delta u``, integrals with their measures, brackets taken between limits, matrices, cases,
Macaulay's brackets, chains of relations. What a letter means is not known here; the one thing a reader must be told is
which letters take arguments, since ``h(a+b)`` is a product and ``u(t)`` is not. Each node keeps its column.

A library was considered first: SymPy's own reader of LaTeX needs a further package and knows neither dots, variations,
indices in front, brackets between limits nor remarks; it would read ``\dot{u}`` as a letter called dot{u}.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from hamex.principle.grammar import LanguageError, Token

_SKIPPED = "left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|nolimits|nonumber|notag|hfill"  # sizes and places
_FONTS = "mathrm|mathit|mathbf|boldsymbol|bm|mathcal|mathsf|mathbb|rm"
_TOKEN = re.compile(
    r"(?P<blank>%[^\n]*(?:\n|$)|[ \t\r]+|\n(?![ \t]*\n)|\\[,;:! ]|~|\\(?:hspace|vspace|phantom|vphantom)\*?\{[^{}]*\}"
    rf"|\\(?:{_SKIPPED})(?![A-Za-z])\.?|\\(?:{_FONTS})(?![A-Za-z])(?!\s*\{{))"  # \mathrm d without braces
    r"|(?P<break>\n\s*\n\s*|\\\\(?:\[[^\]]*\])?|\\cr(?![A-Za-z]))"
    r"|\\(?:text|textrm|textit|mbox|intertext)\s*\{(?P<text>[^{}]*)\}"
    rf"|\\(?:operatorname|{_FONTS})\*?\s*\{{(?P<word>[A-Za-z]+)\}}"
    r"|(?P<number>\d+(?:\.\d+)?)"
    r"|\\(?P<edge>begin|end)\s*\{(?P<world>[A-Za-z]+\*?)\}(?:\{[lcr|]*\})?"
    r"|(?P<command>\\(?:[A-Za-z]+|[{}|]))"
    r"|(?P<name>sgn(?=\s*(?:\\left)?\()|[A-Za-z])"
    r"|(?P<sign>[^\s\\])"
)
_SAME = {
    r"\tfrac": r"\frac",
    r"\dfrac": r"\frac",
    r"\cfrac": r"\frac",
    r"\{": "{{",
    r"\}": "}}",
    r"\lbrace": "{{",
    r"\rbrace": "}}",
    r"\lbrack": "[",
    r"\rbrack": "]",
    r"\vert": "|",
    r"\lvert": "|",
    r"\rvert": "|",
    r"\mid": "|",
    r"\lt": "<",
    r"\gt": ">",
    r"\leq": r"\le",
    r"\geq": r"\ge",
    r"\leqslant": r"\le",
    r"\geqslant": r"\ge",
    r"\neq": r"\ne",
    r"\coloneqq": "=",
    r"\equiv": "=",
    r"\qquad": r"\quad",
    r"\ast": r"\cdot",
    "*": r"\cdot",
    r"\times": r"\cdot",
    r"\prime": "'",
    r"\iint": r"\int",
    r"\mathrm": "",
    "−": "-",
}
ACCENTS = {r"\dot": ("dot",), r"\ddot": ("dot", "dot"), r"\dddot": ("dot",) * 3, r"\ddddot": ("dot",) * 4} | {
    rf"\{name}": (name,) for name in ("hat", "bar", "vec", "tilde", "check", "mathring")
}
ACCENTS |= {r"\widehat": ("hat",), r"\overline": ("bar",), r"\widetilde": ("tilde",)}
GREEK = re.compile(
    r"\\(?:(?:var)?(?:epsilon|theta|pi|rho|sigma|phi)|alpha|beta|gamma|delta|zeta|eta|iota|kappa|lambda|mu|nu|xi|tau"
    r"|upsilon|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega|ell|hbar|infty|imath|jmath)"
)


@dataclass(frozen=True)
class WrittenLetter:
    """A letter with all that stands on and around it; scripts are kept as text without blanks."""

    name: str
    accents: tuple[str, ...] = ()
    sub: str = ""
    pre: str = ""  # in front and above: the instant r of {}^r u
    low: str = ""  # in front and below
    delta: bool = False
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        shown = self.name
        for accent in self.accents:
            shown = f"\\{accent}{{{shown}}}"
        front = (f"{{}}_{{{self.low}}}" if self.low else "") + (f"{{}}^{{{self.pre}}}" if self.pre else "")
        shown = f"{front}{shown}" + (f"_{{{self.sub}}}" if self.sub else "")
        return rf"\delta {shown}" if self.delta else shown


@dataclass(frozen=True)
class Number:
    """A number as it is written."""

    text: str


@dataclass(frozen=True)
class Add:
    """Terms with their signs."""

    terms: tuple[tuple[int, Node], ...]


@dataclass(frozen=True)
class Multiply:
    """Factors in their order."""

    factors: tuple[Node, ...]


@dataclass(frozen=True)
class Divide:
    """A fraction."""

    above: Node
    below: Node


@dataclass(frozen=True)
class Power:
    """A base with an exponent."""

    base: Node
    exponent: Node


@dataclass(frozen=True)
class Apply:
    """A letter with arguments; ``times`` stand behind a semicolon."""

    letter: Node
    arguments: tuple[Node, ...]
    times: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Function:
    """sin, sqrt, abs, macaulay, …"""

    name: str
    argument: Node


@dataclass(frozen=True)
class Differential:
    """∂ operand / ∂ by …; without an operand it acts on what follows it in a product."""

    operand: Node | None
    by: tuple[tuple[WrittenLetter, int], ...]


@dataclass(frozen=True)
class Varied:
    """δ of an integral or of a bracket."""

    operand: Node


@dataclass(frozen=True)
class Integral:
    """∫ with its limits as text; ``measure`` is the letter behind d."""

    lower: str
    upper: str
    body: Node
    measure: str


@dataclass(frozen=True)
class Summation:
    """Σ with its limits as text."""

    lower: str
    upper: str
    body: Node


@dataclass(frozen=True)
class Between:
    """[ body ] between limits, or with an index: a derivative when it begins with a comma."""

    body: Node
    lower: str
    upper: str = ""
    low: str = ""


@dataclass(frozen=True)
class Array:
    """Entries, row by row."""

    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True)
class WrittenCases:
    """Values, each with its condition; none for «otherwise»."""

    rows: tuple[tuple[Node, WrittenLine | None], ...]


@dataclass(frozen=True)
class WrittenLine:
    """A chain of relations, or one expression alone; ``remark`` is what is said of it in words."""

    sides: tuple[Node, ...]
    relations: tuple[str, ...] = ()
    remark: str = ""
    column: int = field(default=0, compare=False)
    place: tuple[Node, Node] | None = None  # «at x = 0»: a coordinate and its value


Node: TypeAlias = (
    WrittenLetter
    | Number
    | Add
    | Multiply
    | Divide
    | Power
    | Apply
    | Function
    | Differential
    | Varied
    | Integral
    | Summation
    | Between
    | Array
    | WrittenCases
)


def tokens(text: str, place: str = "") -> list[Token]:
    """Cut LaTeX into tokens; blanks and sizes of brackets are dropped, the last token is the end."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise LanguageError(f"{text[at]!r} cannot be read here", place, text, at)
        kind = next(name for name in ("blank", "break", "text", "word", "number", "edge", "command", "name", "sign")
                    if match[name] is not None)  # fmt: skip
        if kind != "blank":
            written = match[kind] if kind != "edge" else f"{match['edge']} {match['world'].rstrip('*')}"
            kind = {"command": "sign", "word": "name"}.get(kind, kind)
            found.append(Token(kind, _SAME.get(written, written), at, match.end() - at))
        at = match.end()
    return [*found, Token("end", "", len(text), 1)]


class LetterReader:
    """Walks over the tokens of one formula and reads letters with what stands on them."""

    def __init__(self, text: str, applies: Callable[[WrittenLetter], bool], place: str = "") -> None:
        self.text, self.applies, self.place = text, applies, place
        self.tokens = tokens(text, place)
        self.at = self.integrals = self.bars = self.rows = 0

    @property
    def now(self) -> Token:
        return self.tokens[self.at]

    def after(self, steps: int = 1) -> Token:
        return self.tokens[min(self.at + steps, len(self.tokens) - 1)]

    def take(self, *texts: str) -> Token | None:
        if self.now.kind in ("sign", "name", "edge") and self.now.text in texts:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise self.wrong(f"{text.replace('}}', '}')} is expected")

    def wrong(self, said: str, token: Token | None = None) -> LanguageError:
        token = token or self.now
        found = "the formula ends here" if token.kind == "end" else f"here stands '{token.text}'"
        return LanguageError(f"{said}; {found}", self.place, self.text, token.column, token.length)

    def script(self) -> str:
        """What stands in an index, as text: a token, or a group without its braces."""
        if not self.take("{"):
            if self.now.kind not in ("name", "number", "sign") or self.now.text in "{}_^&":
                raise self.wrong("an index is expected")
            if self.now.kind == "number":
                return self.digit(one=True).text
            self.at += 1
            return self.tokens[self.at - 1].text
        parts, depth = [], 1
        while depth:
            token = self.now
            if token.kind in ("end", "break"):
                raise self.wrong("an index is not closed: } is missing")
            depth += (token.text == "{") - (token.text == "}")
            parts.append(token.text)
            self.at += 1
        return re.sub(r"_\{(\w)\}", r"_\1", "".join(parts[:-1]))

    def limits(self) -> tuple[str, str]:
        found = {"_": "", "^": ""}
        while self.now.kind == "sign" and self.now.text in found:
            sign = self.now.text
            self.at += 1
            found[sign] = self.script()
        return found["_"], found["^"]

    def signs(self) -> int:
        found = 1
        while sign := self.take("+", "-"):
            found *= -1 if sign.text == "-" else 1
        return found

    def digit(self, one: bool = False) -> Number:
        r"""A number; only its first digit where TeX takes one token, as in \tfrac12 and x^23."""
        token = self.now
        if one and len(token.text) > 1:
            self.tokens[self.at] = Token("number", token.text[1:], token.column + 1, token.length - 1)
            return Number(token.text[0])
        self.at += 1
        return Number(token.text)

    def letter(self) -> WrittenLetter:
        """Accents, the name, an index below, primes."""
        token = self.now
        if token.kind == "sign" and token.text in ACCENTS:
            self.at += 1
            braces = self.take("{")
            inner = self.letter()
            if braces:
                self.expect("}")
            found = WrittenLetter(inner.name, (*inner.accents, *ACCENTS[token.text]), inner.sub, column=token.column)
        elif token.kind == "name" or GREEK.fullmatch(token.text):
            self.at += 1
            found = WrittenLetter(token.text, column=token.column)
        else:
            raise self.wrong("a letter is expected")
        accents, sub = list(found.accents), found.sub
        while True:
            if self.take("'"):
                accents.append("prime")
            elif self.now.text == "_" and self.now.kind == "sign":
                self.at += 1
                sub += self.script()
            elif self.now.text == "^" and self.after().text == "'":
                self.at += 1
            elif self.is_side():
                self.at += 1
                accents.append({"+": "plus", "-": "minus"}[self.script()])
            elif self.now.text == "^" and self.after().text == "{" and self.after(2).text == "'":
                accents += ["prime"] * self.script_of_primes()
            else:
                return WrittenLetter(found.name, tuple(accents), sub, column=found.column)

    def is_side(self) -> bool:
        """a^+ or a^{-}: a place seen from one of its sides."""
        braces = self.after().text == "{"
        sign, behind = self.after(1 + braces).text, self.after(2 + braces).text
        return (
            self.now.text == "^" and sign in ("+", "-") and behind in (("}",) if braces else (",", ")", ";", "}", "]"))
        )

    def script_of_primes(self) -> int:
        self.at += 1
        return self.script().count("'")
