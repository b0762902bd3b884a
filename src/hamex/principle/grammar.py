"""The letters and the grammar of the small language in which actions are typed.

A text becomes tokens: numbers, names, signs, each with its column. A parser by precedence makes an expression of them,
sums of products of signed powers, within bounds on what its expansion costs. It only ever builds the expressions that
are named here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from math import comb

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import ActionError
from hamex.principle.jets import t
from hamex.principle.stepform import slider_potential

LENGTH = 2000  # characters of one text
NAME = 24  # characters of a name
DIGITS = 24  # of a number

_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))
_SAME = {"−": "-", "–": "-", "·": "*", "×": "*", "⋅": "*", "÷": "/", "′": "'", "’": "'", "[": "(", "]": ")", "ϕ": "φ"}
_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ACUTE_DOT, _TWO_DOTS = "\u0307", "\u0308"
DEPTH = 40  # brackets within brackets
POWER = 12  # of a number as exponent; denominators of roots likewise
DEGREE = 24  # of powers of powers and of products of them
TERMS = 400  # after multiplying out
INNER = 2  # functions within functions
NAMES = 40

FUNCTIONS: dict[str, tuple[int, Callable[..., sp.Expr]]] = {
    "sin": (1, sp.sin),
    "cos": (1, sp.cos),
    "tan": (1, sp.tan),
    "asin": (1, sp.asin),
    "acos": (1, sp.acos),
    "atan": (1, sp.atan),
    "sinh": (1, sp.sinh),
    "cosh": (1, sp.cosh),
    "tanh": (1, sp.tanh),
    "exp": (1, sp.exp),
    "log": (1, sp.log),
    "sqrt": (1, sp.sqrt),
    "abs": (1, sp.Abs),
    # ⟨|F| − F_y⟩²/2η, the slider of the paper: slider(J', F_y, eta)
    "slider": (3, slider_potential),
}
_OTHERS = {
    "ln": "log",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "Abs": "abs",
    "sine": "sin",
    "cosine": "cos",
    "tangent": "tan",
    "root": "sqrt",
}
# Letters that the derivation itself uses for something else.
_TAKEN = {
    "h": "h is the length of a time step",
    "T": "T is the end of the time-window",
    "t_0": "t_0 is the start of a time step",
    "e": "write exp(x) for powers of Euler's number",
}
_MARKS = ("delta_", "phat_", "slope_")
_NOT_REAL = (sp.I, sp.nan, sp.zoo, sp.oo, -sp.oo)


class LanguageError(ActionError):
    """A typed action cannot be read.

    Attributes
    ----------
    place : which text it stands in: ``lagrangian``, ``dissipation``, ``loads.u``, ``fields``.
    said : the message alone.
    column, length : where the text is wrong, counted from 0, and how much of it.
    """

    def __init__(self, said: str, place: str = "", text: str = "", column: int = 0, length: int = 1) -> None:
        self.said, self.place, self.text, self.column, self.length = said, place, text, column, length
        start = max(0, column - 60)
        shown = f"\n    {text[start : column + 20]}\n    {' ' * (column - start)}{'^' * max(1, length)}" if text else ""
        where = f"{place}, column {column + 1}: " if text else f"{place}: " if place else ""
        super().__init__(f"{where}{said}{shown}")


@dataclass(frozen=True)
class Token:
    """``kind`` is number, name, sign or end."""

    kind: str
    text: str
    column: int
    length: int


def tokens(text: str, place: str) -> list[Token]:
    """Cut a text into tokens; the last one is the end."""
    if len(text) > LENGTH:
        raise LanguageError(f"at most {LENGTH} characters are read, got {len(text)}", place)
    found: list[Token] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        new = _next(text, at, place)
        found += new
        at = new[-1].column + new[-1].length
    return [*found, Token("end", "", len(text), 1)]


def _next(text: str, at: int, place: str) -> list[Token]:
    letter = _SAME.get(text[at], text[at])
    number = _NUMBER.match(text, at)
    if number:
        return [_number(number[0], text, at, place)]
    if _WORD.match(letter) or _greek(letter):
        return [_name(text, at, place)]
    if letter in _RAISED:
        return [Token("sign", "^", at, 1), Token("number", _RAISED[letter], at, 1)]
    if letter in (_ACUTE_DOT, _TWO_DOTS):  # u̇ as it comes from a keyboard or a paper
        return [Token("sign", "'" if letter == _ACUTE_DOT else "''", at, 1)]
    if letter == "*" and text[at + 1 : at + 2] == "*":
        return [Token("sign", "^", at, 2)]
    if letter in "+-*/^(),'":
        return [Token("sign", letter, at, 1)]
    hint = {
        "=": "; write the right-hand side alone",
        "½": "; write 1/2",
        "{": "; write (",
        "}": "; write )",
        ".": "; a rate is written u'",
    }.get(letter, "")
    shown = letter if letter.isprintable() else f"U+{ord(letter):04X}"
    raise LanguageError(f"{shown!r} is not a sign of the language{hint}", place, text, at)


def _number(found: str, text: str, at: int, place: str) -> Token:
    _, _, power = found.lower().partition("e")
    if len(found) > DIGITS or (power and abs(int(power)) > DIGITS):
        raise LanguageError(
            f"this number is too long or too large: at most {DIGITS} digits", place, text, at, len(found)
        )
    return Token("number", found, at, len(found))


def _name(text: str, at: int, place: str) -> Token:
    """A name; Greek letters are read by their names, so that θ is theta."""
    end, parts = at, []
    while end < len(text):
        letter = _SAME.get(text[end], text[end])
        if _greek(letter):
            parts.append(_greek(letter))
        elif letter.isascii() and (letter.isalnum() or letter == "_"):
            parts.append(letter)
        else:
            break
        end += 1
    name = "".join(parts)
    if len(name) > NAME:
        raise LanguageError(f"a name has at most {NAME} characters", place, text, at, end - at)
    return Token("name", name, at, end - at)


def _greek(letter: str) -> str:
    """theta for θ, Omega for Ω; nothing for all else."""
    words = unicodedata.name(letter, "").split()
    if words[:1] != ["GREEK"] or words[2:3] != ["LETTER"] or len(words) != 4:
        return ""
    name = {"LAMDA": "LAMBDA"}.get(words[3], words[3])
    return name.capitalize() if words[1] == "CAPITAL" else name.lower()


@dataclass(frozen=True)
class BoundedExpression:
    """An expression with bounds on what its expansion costs."""

    value: sp.Expr
    terms: int = 1
    degree: int = 0
    inner: int = 0


@dataclass
class Vocabulary:
    """Names met so far, shared by the texts of one action: a name means the same in all of them."""

    fields: dict[str, AppliedUndef]
    given: dict[str, AppliedUndef] = field(default_factory=dict)
    parameters: dict[str, sp.Symbol] = field(default_factory=dict)


def unusable(name: str) -> str:
    """Why a name can be neither a field nor a parameter; nothing when it can."""
    if name in _TAKEN:
        return _TAKEN[name]
    if name in FUNCTIONS or name == "pi":
        return f"{name} is a function" if name in FUNCTIONS else "pi is a number"
    if name.startswith(_MARKS):
        return f"names with {name.partition('_')[0]}_ are those of the derivation"
    return ""


class Reader:
    """Reads one text; names that it meets go to the vocabulary."""

    def __init__(self, text: str, words: Vocabulary, place: str) -> None:
        self.text, self.words, self.place = text, words, place
        self.tokens = tokens(text, place)
        self.at = self.depth = 0

    def whole(self) -> sp.Expr:
        """The whole text as one expression."""
        found = self.sum()
        if self.now.kind != "end":
            raise self.unexpected()
        return found.value

    @property
    def now(self) -> Token:
        return self.tokens[self.at]

    def take(self, *signs: str) -> Token | None:
        """The next token if it is one of these signs."""
        token = self.now
        if token.kind == "sign" and token.text in signs:
            self.at += 1
            return token
        return None

    def wrong(self, said: str, token: Token) -> LanguageError:
        return LanguageError(said, self.place, self.text, token.column, token.length)

    def unexpected(self) -> LanguageError:
        token, before = self.now, self.tokens[self.at - 1] if self.at else None
        if before is not None and (before.kind in ("number", "name") or before.text in (")", "'")):
            if token.kind in ("number", "name") or token.text == "(":
                return self.wrong(
                    f"a sign is missing before {token.text!r}: every multiplication is written, as in 2*u", token
                )
            if token.text == ")":
                return self.wrong("this bracket was never opened", token)
            if token.text == ",":
                return self.wrong(
                    "a comma stands only between the arguments of a function; a decimal point is a dot", token
                )
            return self.wrong("a bracket is not closed: ) is missing", token)
        what = "the text ends" if token.kind == "end" else f"{token.text!r} stands"
        return self.wrong(f"{what} where a number, a name or a bracket is expected", token)

    def sum(self) -> BoundedExpression:
        parts = [self.product()]
        while sign := self.take("+", "-"):
            part = self.product()
            parts.append(
                part if sign.text == "+" else BoundedExpression(-part.value, part.terms, part.degree, part.inner)
            )
        if len(parts) == 1:
            return parts[0]
        return self.bounded(
            sp.Add(*(p.value for p in parts)),
            sum(p.terms for p in parts),
            max(p.degree for p in parts),
            max(p.inner for p in parts),
        )

    def product(self) -> BoundedExpression:
        parts = [self.signed()]
        terms = parts[0].terms
        while sign := self.take("*", "/"):
            part = self.signed()
            if sign.text == "/":
                if part.value.is_zero:
                    raise self.wrong("division by zero", sign)
                part = BoundedExpression(1 / part.value, 1, part.degree, part.inner)
            parts.append(part)
            terms *= part.terms
        if len(parts) == 1:
            return parts[0]
        return self.bounded(
            sp.Mul(*(p.value for p in parts)), terms, sum(p.degree for p in parts), max(p.inner for p in parts)
        )

    def signed(self) -> BoundedExpression:
        negative = False
        while sign := self.take("+", "-"):
            negative ^= sign.text == "-"
        part = self.power()
        return BoundedExpression(-part.value, part.terms, part.degree, part.inner) if negative else part

    def power(self) -> BoundedExpression:
        base, start = self.atom(), self.now
        if not self.take("^"):
            return base
        self.deeper(start)
        raised = self.signed()
        self.depth -= 1
        return self.raised(base, raised.value, start)

    def raised(self, base: BoundedExpression, exponent: sp.Expr, sign: Token) -> BoundedExpression:
        """A power whose exponent is a number within bounds, or a parameter."""
        if exponent.is_Rational:
            if abs(exponent.p) > POWER * exponent.q or exponent.q > POWER:
                raise self.wrong(f"exponents are numbers up to {POWER}", sign)
            size = -(-abs(exponent.p) // exponent.q)
        elif exponent.as_coeff_Mul()[1] in self.words.parameters.values() and exponent.as_coeff_Mul()[0] in (1, -1):
            size = 4
        else:
            raise self.wrong("an exponent is a number or a parameter; write exp(…) for others", sign)
        if base.value.is_Rational and exponent.is_Rational:
            size = max(size, 1)
            if max(abs(base.value.p), base.value.q).bit_length() * size > 400:
                raise self.wrong("this power is too large a number", sign)
        if base.value.is_zero and not exponent.is_positive:
            raise self.wrong("zero has no such power", sign)
        terms = comb(base.terms + size - 1, size) if exponent.is_positive and exponent.is_Integer else 1
        found = self.bounded(base.value**exponent, terms, max(base.degree, 1) * max(size, 1), base.inner, sign)
        if found.value.has(*_NOT_REAL):
            raise self.wrong("this power is not a real number", sign)
        return found

    def bounded(
        self, value: sp.Expr, terms: int, degree: int, inner: int, sign: Token | None = None
    ) -> BoundedExpression:
        if terms > TERMS or degree > DEGREE:
            raise self.wrong(
                f"this grows too large: at most {TERMS} terms when multiplied out, and powers up to {DEGREE} in all",
                sign or self.tokens[max(0, self.at - 1)],
            )
        return BoundedExpression(value, terms, degree, inner)

    def deeper(self, token: Token) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            raise self.wrong(f"brackets and powers within each other: at most {DEPTH}", token)

    def atom(self) -> BoundedExpression:
        token = self.now
        if token.kind == "number":
            self.at += 1
            return BoundedExpression(sp.Rational(Fraction(token.text)))
        if token.kind == "name":
            self.at += 1
            return self.called(token) if self.now.text == "(" else self.named(token)
        if self.take("("):
            self.deeper(token)
            inside = self.sum()
            self.close()
            return inside
        raise self.unexpected()

    def close(self) -> None:
        if not self.take(")"):
            raise self.unexpected()
        if self.now.text.startswith("'"):
            raise self.wrong("a prime stands behind a field, as in u'; take the rate of each field", self.now)
        self.depth -= 1

    def named(self, token: Token) -> BoundedExpression:
        """A field, its rate, the time, pi, or a parameter."""
        name = token.text
        if name in self.words.fields:
            return self.rate(self.words.fields[name])
        if name.removesuffix("_dot") in self.words.fields:
            return BoundedExpression(self.words.fields[name.removesuffix("_dot")].diff(t), degree=1)
        if self.now.text.startswith("'"):
            raise self.wrong(f"{name!r} has a rate but is not among the fields ({', '.join(self.words.fields)})", token)
        if name == "t":
            return BoundedExpression(t, degree=1)
        if name == "pi":
            return BoundedExpression(sp.pi)
        if name in self.words.given:
            raise self.wrong(f"{name!r} is a function of time elsewhere; write {name}(t)", token)
        why = unusable(name)
        if why:
            raise self.wrong(f"{name!r} cannot be a parameter: {why}", token)
        if name.endswith("_dot"):
            raise self.wrong(f"{name!r} is the rate of no field; the fields are {', '.join(self.words.fields)}", token)
        self.room(token)
        return BoundedExpression(self.words.parameters.setdefault(name, sp.Symbol(name, positive=True)), degree=1)

    def rate(self, q: AppliedUndef) -> BoundedExpression:
        """A field or, behind it, one prime."""
        prime = self.take("'", "''")
        if prime and (prime.text == "''" or self.now.text.startswith("'")):
            raise self.wrong("a Lagrangian and a dissipation hold first rates only, u' and no u''", prime)
        return BoundedExpression(q.diff(t) if prime else q, degree=1)

    def room(self, token: Token) -> None:
        if len(self.words.parameters) + len(self.words.given) >= NAMES:
            raise self.wrong(f"at most {NAMES} names", token)

    def called(self, token: Token) -> BoundedExpression:
        """A function with its arguments, a field written u(t), or a given function of time."""
        name = token.text
        opening = self.now
        self.at += 1
        if self.now.text == "t" and self.tokens[self.at + 1].text == ")" and name not in FUNCTIONS:
            self.at += 2
            return self.of_time(token)
        if name not in FUNCTIONS:
            raise self.wrong(self.no_function(name), token)
        self.deeper(opening)
        parts = [self.sum()]
        while self.take(","):
            parts.append(self.sum())
        count, build = FUNCTIONS[name]
        if len(parts) != count:
            raise self.wrong(f"{name} takes {count} argument{'s' if count > 1 else ''}, got {len(parts)}", token)
        self.close()
        inner = max(p.inner for p in parts) + 1
        if inner > INNER:
            raise self.wrong(f"functions within functions: at most {INNER}", token)
        if name == "slider" and not parts[0].value.has(sp.Derivative):
            raise self.wrong("slider takes a rate first, as in slider(J', F_y, eta)", token)
        try:
            value = build(*(p.value for p in parts))
        except (TypeError, ValueError, ArithmeticError):
            raise self.wrong(f"{name} cannot be taken of this", token) from None
        if value.has(*_NOT_REAL):
            raise self.wrong(f"{name} of this is not a real number", token)
        return self.bounded(value, 1, max(1, *(p.degree for p in parts)), inner, token)

    def of_time(self, token: Token) -> BoundedExpression:
        name = token.text
        if name in self.words.fields:
            return self.rate(self.words.fields[name])
        why = unusable(name)
        if why or name in self.words.parameters:
            raise self.wrong(why or f"{name!r} is a parameter elsewhere; write {name} or {name}(t), not both", token)
        if self.now.text.startswith("'"):
            raise self.wrong(
                f"{name}(t) has a rate but is not among the fields ({', '.join(self.words.fields)})", token
            )
        self.room(token)
        return BoundedExpression(self.words.given.setdefault(name, sp.Function(name)(t)), degree=1)

    def no_function(self, name: str) -> str:
        near = [_OTHERS[name]] if name in _OTHERS else get_close_matches(name, FUNCTIONS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"a product is written {name}*(…), a given function {name}(t)."
        return f"{name!r} is not a function; {hint} Known: {', '.join(FUNCTIONS)}"
