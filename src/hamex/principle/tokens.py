"""The letters of the small language in which actions are typed: numbers, names, signs, each with its column."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from hamex.errors import ActionError

LENGTH = 2000  # characters of one text
NAME = 24  # characters of a name
DIGITS = 24  # of a number

_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))
_SAME = {"−": "-", "–": "-", "·": "*", "×": "*", "⋅": "*", "÷": "/", "′": "'", "’": "'", "[": "(", "]": ")", "ϕ": "φ"}
_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ACUTE_DOT, _TWO_DOTS = "\u0307", "\u0308"


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
