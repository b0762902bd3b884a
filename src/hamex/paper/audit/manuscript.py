r"""The displayed formulas of a LaTeX file, with their numbers and lines; text, comments and all else are passed over.

Read are equation, align, gather, multline, eqnarray and flalign (with and without a star), ``\[ … \]`` and ``$$ … $$``;
each row of an alignment that does not go on from the one above is a formula of its own. Macros of the file's own
(``\newcommand``, ``\renewcommand``, ``\def``, with arguments) are written out. A comment ``% letters: x_1=u, \ell=l``
says which letters of the text stand for which of the action.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hamex.errors import InputError

_WORLDS = "equation|align|gather|multline|eqnarray|flalign|displaymath|alignat"
_DISPLAY = re.compile(
    rf"\\begin\{{(?P<world>{_WORLDS})(?P<star>\*?)\}}(?P<inside>.*?)\\end\{{(?P=world)(?P=star)\}}"
    r"|\\\[(?P<square>.*?)\\\]|\$\$(?P<dollars>.*?)\$\$",
    re.DOTALL,
)
_OPENED = re.compile(rf"\\begin\{{(?:{_WORLDS})\*?\}}|\\\[|\$\$")
_MACRO = re.compile(
    r"\\(?:(?:re)?newcommand\*?\s*\{?\\(?P<name>[A-Za-z]+)\}?\s*(?:\[(?P<count>\d)\])?"
    r"|def\s*\\(?P<defined>[A-Za-z]+)(?P<marks>(?:#\d)*)"
    r"|DeclareMathOperator\*?\s*\{\\(?P<operator>[A-Za-z]+)\})\s*(?=\{)"
)
_LETTERS = re.compile(r"^\s*%+\s*letters:\s*(.+)$", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\\)%.*")
_UNNUMBERED = r"\\(?:nonumber|notag)(?![A-Za-z])"
_DEPTH = 20  # macros within macros


@dataclass(frozen=True)
class Displayed:
    """One formula: its number or label, its LaTeX with macros written out, and the line of the file it begins in."""

    name: str
    latex: str
    line: int


@dataclass(frozen=True)
class Manuscript:
    """What a file displays, and the letters that it explains in comments."""

    formulas: tuple[Displayed, ...]
    letters: dict[str, str]


def read_manuscript(text: str, path: str = "") -> Manuscript:
    """All displayed formulas of a LaTeX text, in order."""
    letters: dict[str, str] = {}
    for found in _LETTERS.findall(text):
        letters |= letters_of(found, f"{path}, the comment on letters")
    plain = _COMMENT.sub("", text)
    macros, plain = _macros(plain)
    formulas: list[Displayed] = []
    number, end = 0, 0
    for display in _DISPLAY.finditer(plain):
        _refuse_open(plain[end : display.start()], plain, end, path)
        end = display.end()
        world = (display["world"] or "") + (display["star"] or "")
        inside = next(part for part in (display["inside"], display["square"], display["dollars"]) if part is not None)
        start = plain.count("\n", 0, display.start()) + 1
        counts = bool(display["world"]) and not world.endswith("*") and world != "displaymath"
        for row, line in _rows(inside, display["world"] or "", start):
            tag, label = re.search(r"\\tag\*?\{([^}]*)\}", row), re.search(r"\\label\{([^}]*)\}", row)
            bare = re.sub(rf"\\(?:tag\*?|label)\{{[^}}]*\}}|{_UNNUMBERED}", "", row)
            parts = _cut(row) if display["world"] not in ("equation", "multline") else [row]
            own = sum(not re.search(rf"{_UNNUMBERED}|\\tag", part) for part in parts) if counts else 0
            number += own  # of several rows that are one formula, the last number
            name = f"({tag[1]})" if tag else f"({number})" if own else f"line {line}"
            if label and not tag:
                name = f"{name} {label[1]}"
            if bare.strip().strip("&"):
                formulas.append(Displayed(name, _written_out(bare, macros, path, line).strip(), line))
    _refuse_open(plain[end:], plain, end, path)
    return Manuscript(tuple(formulas), letters)


def letters_of(text: str, where: str) -> dict[str, str]:
    """``x_1=u, \\ell=l`` as a table: a letter of the text, a name of the action."""
    found = {}
    for pair in re.split(r"[,;]\s*(?![^{]*\})", text.strip()):
        written, sign, meant = pair.partition("=")
        if not sign or not written.strip() or not meant.strip():
            raise InputError(f"{where}: {pair.strip()!r} is not of the form letter=name, as in x_1=u")
        found[written.strip()] = meant.strip()
    return found


def _refuse_open(between: str, text: str, start: int, path: str) -> None:
    """A display that is opened and not closed swallows what follows: said, with its line."""
    opened = _OPENED.search(between)
    if opened:
        line = text.count("\n", 0, start + opened.start()) + 1
        raise InputError(f"{path}, line {line}: {opened[0]} is never closed")


def _rows(inside: str, world: str, line: int) -> list[tuple[str, int]]:
    """The formulas of a display with their lines: a row that begins with a sign or a relation goes on."""
    if world in ("", "equation", "multline", "displaymath"):
        return [(inside, line)]
    rows: list[tuple[str, int]] = []
    at = line
    for row in _cut(inside):
        first = at + row[: len(row) - len(row.lstrip())].count("\n")
        at += row.count("\n")
        if rows and re.match(r"(?:\\q?quad|\\[;,]|\s|&|\{\})*[-+=<>]", row):
            rows[-1] = (rows[-1][0] + r" \\ " + row, rows[-1][1])
        elif row.strip():
            rows.append((row, first))
    return rows


def _cut(inside: str) -> list[str]:
    r"""Rows between \\ that stand in no matrix."""
    rows, depth, start = [], 0, 0
    for token in re.finditer(r"\\begin\b|\\end\b|\\\\(?:\[[^\]]*\])?", inside):
        depth += (token[0] == r"\begin") - (token[0] == r"\end")
        if depth == 0 and token[0].startswith("\\\\"):
            rows.append(inside[start : token.start()])
            start = token.end()
    return [*rows, inside[start:]]


def _macros(text: str) -> tuple[dict[str, tuple[int, str]], str]:
    """The file's own commands, and the text without their definitions (line feeds stay)."""
    found: dict[str, tuple[int, str]] = {}
    while match := _MACRO.search(text):
        end = _group_end(text, match.end())
        name = match["name"] or match["defined"] or match["operator"]
        body = text[match.end() + 1 : end - 1]
        if match["operator"]:
            body = rf"\operatorname{{{body}}}"
        count = int(match["count"] or 0) if match["name"] else (match["marks"] or "").count("#")
        found[name] = (count, body)
        text = text[: match.start()] + "\n" * text.count("\n", match.start(), end) + text[end:]
    return found, text


def _group_end(text: str, at: int) -> int:
    """Behind the brace that closes the one at ``at``; the end of the text where none does."""
    depth = 0
    for i in range(at, len(text)):
        if text[i - 1 : i] != "\\":
            depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i + 1
    return len(text)


def _written_out(latex: str, macros: dict[str, tuple[int, str]], path: str, line: int) -> str:
    """A formula with the file's own commands replaced by what they stand for."""
    if not macros:
        return latex
    used = re.compile(rf"\\({'|'.join(sorted(macros, key=len, reverse=True))})(?![A-Za-z])")
    for _ in range(_DEPTH):
        match = used.search(latex)
        if match is None:
            return latex
        while match is not None:
            count, body = macros[match[1]]
            at, given = match.end(), []
            for _ in range(count):
                at += len(latex[at:]) - len(latex[at:].lstrip())
                end = _group_end(latex, at) if latex[at : at + 1] == "{" else at + 1
                given.append(latex[at + 1 : end - 1] if latex[at : at + 1] == "{" else latex[at:end])
                at = end
            for i, argument in enumerate(given, 1):
                body = body.replace(f"#{i}", argument)
            latex = f"{latex[: match.start()]}{body} {latex[at:]}"
            match = used.search(latex, match.start() + len(body) + 1)
    raise InputError(f"{path}, line {line}: the macros of this formula stand for one another without end")
