"""Misprints planted into LaTeX, token by token: a sign turned, a dot lost, an index moved, a letter exchanged, …

Each is a changed copy of the text that is shown; nothing of the audit is used but the cutting into tokens.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hamex.principle.latex import tokens

OPENING, CLOSING = ("{", "(", "[", "{{", r"\langle"), ("}", ")", "]", "}}", r"\rangle")
# Each letter with one that a tired typesetter could have taken for it; only letters of the same text are exchanged.
SWAPS = {
    "u": "J",
    "J": "u",
    "m": "c",
    "c": "m",
    "k": "m",
    "a": "m",
    "h": "m",
    "i": "j",
    "B": "D",
    "D": "B",
    "x": "z",
    "z": "x",
    "y": "x",
    "X": "Y",
    "Y": "X",
    "p": "f",
    "f": "p",
    "t": "u",
    "n": "u",
    "l": "V",
    "V": "l",
    "A": "L",
    "L": "A",
    "T": "U",
    "U": "T",
    "F": "J",
    "I": "J",
    r"\alpha": r"\gamma",
    r"\beta": r"\alpha",
    r"\gamma": r"\alpha",
    r"\eta": "h",
    r"\rho": "m",
    r"\varphi": "L",
    r"\varepsilon": "J",
    r"\Omega": r"\Gamma",
    r"\Gamma": r"\Omega",
}
WORDS = ("d", "sgn", "N", "NEW")


@dataclass(frozen=True)
class Misprint:
    """A changed text, what was done, and where."""

    kind: str
    column: int
    latex: str

    def __str__(self) -> str:
        return f"{self.kind} at {self.column}: …{self.latex[max(0, self.column - 12) : self.column + 24]}…"


def misprints(latex: str) -> Iterator[Misprint]:
    """Every misprint of every kind at every place."""
    found = tokens(latex)[:-1]
    inside = _scripts(found)

    def change(kind: str, first: int, text: str, last: int | None = None) -> Misprint:
        end = found[first if last is None else last]
        start = found[first].column
        return Misprint(kind, start, latex[:start] + text + latex[end.column + end.length :])

    for i, token in enumerate(found):
        text, after = token.text, found[i + 1].text if i + 1 < len(found) else ""
        if token.kind == "text":
            continue
        if text in "+-" and token.kind == "sign" and not inside[i]:
            yield change("sign", i, "-" if text == "+" else "+")
            end = _term(found, i, inside)
            if end is not None:
                yield change("dropped term", i, "", end)
        if text == r"\dot":
            yield change("lost dot", i, "")
        if text == r"\ddot":
            yield change("lost dot", i, r"\dot")
        if text in ("u", "J") and not inside[i] and (i == 0 or found[i - 1].text not in ("{", "(", ",")):
            yield change("new dot", i, rf"\dot{{{text}}}")
        if text == r"\hat":
            yield change("bar for hat", i, r"\bar")
        if text == r"\bar":
            yield change("hat for bar", i, r"\hat")
        if token.kind == "number" and not inside[i]:
            yield change("number", i, str(int(text) + 1))
        if text == r"\frac" and not inside[i]:
            yield change("factor 2", i, "2" + latex[token.column : token.column + token.length])
        if text == r"\delta" and not inside[i] and after not in (r"\int", "^", "A"):
            yield change("lost variation", i, "")
        if text in ("=", "<") and not inside[i] and after != "0":
            yield change("factor 2", i, f"{text} 2")
            yield change("sign of a side", i, f"{text} -")
        if inside[i] and text == "r" and after == "-":
            yield change("instant", i, "r", i + 2)
        if inside[i] and text == "r" and after != "-" and after != "=":
            yield change("instant", i, "{r-1}")
        if inside[i] and token.kind == "number" and (i == 0 or found[i - 1].text != "-"):
            yield change("index", i, {"0": "1", "1": "0"}.get(text, "1"))
        if inside[i] and text in ("T", "N"):
            yield change("limit", i, "1")
        if text in SWAPS and text not in WORDS and not _is_word(found, i):
            yield change("letter", i, SWAPS[text] + " ")


def _scripts(found: list) -> list[bool]:
    """Whether a token stands in an index or a limit; an exponent is none."""
    inside, depth, open_at = [], 0, None
    for i, token in enumerate(found):
        before = found[i - 1].text if i else ""
        script = before in ("_", "^") and i > 0 and (before == "_" or _is_instant(found, i))
        inside.append(open_at is not None or script)
        depth += (token.text == "{") - (token.text == "}")
        if script and token.text == "{":
            open_at = depth if open_at is None else open_at
        elif token.text == "}" and open_at is not None and depth < open_at:
            open_at = None
    return inside


def _is_instant(found: list, i: int) -> bool:
    """Behind ^: a limit or the index of an instant, not an exponent."""
    nxt = found[i + 1].text if found[i].text == "{" else found[i].text
    return nxt in ("r", "T", "t", "N") or (nxt == "0" and found[i].text != "{")


def _is_word(found: list, i: int) -> bool:
    """A letter of NEW, or an index of integration behind d."""
    around = "".join(token.text for token in found[max(0, i - 2) : i + 3])
    return "NEW" in around or (i > 0 and found[i - 1].text == "d" and found[i].text in ("t", r"\tau"))


def _term(found: list, i: int, inside: list[bool]) -> int | None:
    """The last token of the term behind a sign; none where the sign is that of the only term of its side or bracket."""
    before = found[i - 1].text if i else ""
    if i == 0 or before in (*OPENING, "=", "&", "<", ">", r"\quad") or found[i - 1].kind == "break":
        return None
    depth = 0
    for j in range(i + 1, len(found)):
        text = found[j].text
        if depth == 0 and (
            (text in "+-=;,&<>" and not inside[j] and found[j].kind == "sign")
            or text in (*CLOSING, r"\quad", ":")
            or found[j].kind in ("break", "edge")
        ):
            return j - 1 if j > i + 1 else None
        depth += (text in OPENING) - (text in CLOSING)
        if found[j].kind == "edge":
            return None
    return len(found) - 1
