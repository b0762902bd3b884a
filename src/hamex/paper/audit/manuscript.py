r"""A LaTeX file of anyone's: its displayed formulas with their numbers and lines.

Text, comments and all else are passed over. Read are equation, align, gather, multline, eqnarray and flalign (with and
without a star), ``\[ … \]`` and ``$$ … $$``; each row of an alignment that does not go on from the one above is a
formula of its own. Macros of the file's own (``\newcommand``, ``\renewcommand``, ``\def``, with arguments) are written
out, and so are those of the package physics for derivatives; files that stand in ``\input`` or ``\include`` are read
where they stand. Two comments are heard: ``% letters: x_1=u, \ell=l`` says which letters of the text stand for which of
the action, and ``% audit: skip`` beside a formula says that it is not meant to be judged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from hamex.errors import InputError
from hamex.files import SETTINGS, read_text

_WORLDS = "equation|align|gather|multline|eqnarray|flalign|displaymath|alignat"
_DISPLAY = re.compile(
    rf"\\begin\{{(?P<world>{_WORLDS})(?P<star>\*?)\}}(?P<inside>.*?)\\end\{{(?P=world)(?P=star)\}}"
    r"|\\\[(?P<square>.*?)\\\]|\$\$(?P<dollars>.*?)\$\$",
    re.DOTALL,
)
_GROUP = re.compile(r"\\begin\{subequations\}.*?\\end\{subequations\}", re.DOTALL)
_OPENED = re.compile(rf"\\begin\{{(?:{_WORLDS})\*?\}}|\\\[|\$\$")
_MACRO = re.compile(
    r"\\(?:(?:(?:re)?new|provide)command\*?\s*\{?\\(?P<name>[A-Za-z]+)\}?\s*(?:\[(?P<count>\d)\])?"
    r"(?:\[(?P<default>[^\]]*)\])?"
    r"|def\s*\\(?P<defined>[A-Za-z]+)(?P<marks>(?:#\d)*)"
    r"|DeclareMathOperator\*?\s*\{\\(?P<operator>[A-Za-z]+)\})\s*(?=\{)"
)
_LETTERS = re.compile(r"^\s*%+\s*letters:\s*(.+)$", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\\)%.*")
_SKIP = re.compile(r"(?<!\\)%+\s*audit:\s*skip\b.*")
_SKIPPED = r"\auditskip "  # what such a comment becomes
_INPUT = re.compile(r"\\(?:input|include|subfile)\s*\{([^{}]+)\}")
# Of the package physics; a file's own command of the same name goes first. (arguments, what a missing [ ] means, text)
_PHYSICS = {
    "dd": (0, None, "d"),
    "dv": (3, "", r"\frac{d^{#1} #2}{d #3^{#1}}"),
    "pdv": (3, "", r"\frac{\partial^{#1} #2}{\partial #3^{#1}}"),
    "abs": (1, None, r"|#1|"),
}
_OPERATOR = re.compile(r"\\(p?dv)\s*(?:\[(\d)\])?\s*\{\s*(\\?[A-Za-z]+)\s*\}(?!\s*\{)")  # \dv{t} without an operand
_UNNUMBERED = r"\\(?:nonumber|notag)(?![A-Za-z])"
_DEPTH = 20  # macros within macros


@dataclass(frozen=True)
class Displayed:
    """One formula: its number or label, its LaTeX with macros written out, and the line of the file it begins in."""

    name: str
    latex: str
    line: int
    file: str = ""  # where it is not the one that was asked for
    skipped: bool = False


@dataclass(frozen=True)
class Manuscript:
    """What a file displays, and the letters that it explains in comments."""

    formulas: tuple[Displayed, ...]
    letters: dict[str, str]


def read_manuscript(text: str, path: str = "") -> Manuscript:
    """All displayed formulas of a LaTeX text, in order."""
    whole, origin = _included(text, path, ())
    letters: dict[str, str] = {}
    for found in _LETTERS.findall(whole):
        letters |= letters_of(found, f"{path}, the comment on letters")
    plain = _COMMENT.sub("", _SKIP.sub(lambda _: _SKIPPED, whole))
    macros, plain = _macros(plain)
    formulas: list[Displayed] = []
    number, end = 0, 0
    groups = [found.span() for found in _GROUP.finditer(plain)]
    grouped: tuple[int, int] | None = None  # the subequations that are being counted
    letter = 0
    for display in _DISPLAY.finditer(plain):
        _refuse_open(plain[end : display.start()], plain, end, origin, path)
        end = display.end()
        world = (display["world"] or "") + (display["star"] or "")
        inside = next(part for part in (display["inside"], display["square"], display["dollars"]) if part is not None)
        start = plain.count("\n", 0, display.start()) + 1
        counts = bool(display["world"]) and not world.endswith("*") and world != "displaymath"
        for row, at in _rows(inside, display["world"] or "", start):
            file, line = origin[at - 1]
            tag, label = re.search(r"\\tag\*?\{([^}]*)\}", row), re.search(r"\\label\{([^}]*)\}", row)
            bare = re.sub(rf"\\(?:tag\*?|label)\{{[^}}]*\}}|{_UNNUMBERED}", "", row).replace(_SKIPPED, "")
            parts = _cut(row) if display["world"] not in ("equation", "multline") else [row]
            own = sum(not re.search(rf"{_UNNUMBERED}|\\tag", part) for part in parts) if counts else 0
            group = next(((a, b) for a, b in groups if a <= display.start() < b), None)
            if group is None or group != grouped:
                number += own if group is None else bool(own)  # of several rows of one formula, the last number
                grouped, letter = group if own else None, 0
            letter += own
            shown = f"({number}{chr(ord('a') + (letter - 1) % 26) if group else ''})"
            name = f"({tag[1]})" if tag else shown if own else f"line {line}"
            if label and not tag:
                name = f"{name} {label[1]}"
            if bare.strip().strip("&"):
                latex = _written_out(bare, macros, file or path, line).strip()
                formulas.append(Displayed(name, latex, line, file, _SKIPPED in row))
    _refuse_open(plain[end:], plain, end, origin, path)
    return Manuscript(tuple(formulas), letters)


def _included(text: str, path: str, above: tuple[Path, ...]) -> tuple[str, list[tuple[str, int]]]:
    """A text with what it includes where it stands, and for each of its lines the file (none: the first) and line."""
    lines: list[str] = []
    origin: list[tuple[str, int]] = []
    for number, line in enumerate(text.split("\n"), 1):
        include = _INPUT.search(_COMMENT.sub("", line))
        if include is None:
            lines.append(line)
            origin.append((path if above else "", number))
            continue
        found = (Path(path).parent if path else Path()) / include[1].strip()
        found = found if found.suffix else found.with_suffix(".tex")
        if found in above:
            raise InputError(f"{path}, line {number}: {include[0]} includes itself")
        inner, at = _included(read_text(found, SETTINGS), str(found), (*above, found))
        lines += [line[: include.start()], *inner.split("\n"), line[include.end() :]]
        origin += [(path if above else "", number), *at, (path if above else "", number)]
    return "\n".join(lines), origin


def letters_of(text: str, where: str) -> dict[str, str]:
    """``x_1=u, \\ell=l`` as a table: a letter of the text, a name of the action."""
    found = {}
    for pair in re.split(r"[,;]\s*(?![^{]*\})", text.strip()):
        written, sign, meant = pair.partition("=")
        if not sign or not written.strip() or not meant.strip():
            raise InputError(f"{where}: {pair.strip()!r} is not of the form letter=name, as in x_1=u")
        found[written.strip()] = meant.strip()
    return found


def _refuse_open(between: str, text: str, start: int, origin: list[tuple[str, int]], path: str) -> None:
    """A display that is opened and not closed swallows what follows: said, with its line."""
    opened = _OPENED.search(between)
    if opened:
        file, line = origin[text.count("\n", 0, start + opened.start())]
        raise InputError(f"{file or path}, line {line}: {opened[0]} is never closed")


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


Macro = tuple[int, str | None, str]  # arguments, what the first one is where its [ ] is left out, text


def _macros(text: str) -> tuple[dict[str, Macro], str]:
    """The file's own commands, and the text without their definitions (line feeds stay)."""
    found: dict[str, Macro] = dict(_PHYSICS)
    while match := _MACRO.search(text):
        end = _group_end(text, match.end())
        name = match["name"] or match["defined"] or match["operator"]
        body = text[match.end() + 1 : end - 1]
        if match["operator"]:
            body = rf"\operatorname{{{body}}}"
        count = int(match["count"] or 0) if match["name"] else (match["marks"] or "").count("#")
        found[name] = (count, match["default"] if match["name"] else None, body)
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


def _written_out(latex: str, macros: dict[str, Macro], path: str, line: int) -> str:
    """A formula with the file's own commands replaced by what they stand for."""
    if macros["dv"] is _PHYSICS["dv"]:
        latex = _OPERATOR.sub(lambda found: rf"\{found[1]}[{found[2] or ''}]{{}}{{{found[3]}}}", latex)
    used = re.compile(rf"\\({'|'.join(sorted(macros, key=len, reverse=True))})(?![A-Za-z])")
    for _ in range(_DEPTH):
        match = used.search(latex)
        if match is None:
            return latex
        while match is not None:
            count, default, body = macros[match[1]]
            given, at = _arguments(latex, match.end(), count, default)
            for i, argument in enumerate(given, 1):
                body = body.replace(f"#{i}", argument)
            body = body.replace("^{}", "")
            latex = f"{latex[: match.start()]}{body} {latex[at:]}"
            match = used.search(latex, match.start() + len(body) + 1)
    raise InputError(f"{path}, line {line}: the macros of this formula stand for one another without end")


def _arguments(latex: str, at: int, count: int, default: str | None) -> tuple[list[str], int]:
    """The arguments of a command that ends at ``at``, and where what follows begins."""
    given: list[str] = []
    if default is not None and count:
        optional = re.compile(r"\s*\[([^\]]*)\]").match(latex, at)
        given, at = [optional[1] if optional else default], optional.end() if optional else at
    while len(given) < count:
        at += len(latex[at:]) - len(latex[at:].lstrip())
        end = _group_end(latex, at) if latex[at : at + 1] == "{" else at + 1
        given.append(latex[at + 1 : end - 1] if latex[at : at + 1] == "{" else latex[at:end])
        at = end
    return given, at


# ---- one formula ---------------------------------------------------------------------------------------------------

_TEXT_WITH_FORMULA = re.compile(r"\\(text|textrm|mbox)\{([^{}$]*)\$([^{}$]*)\$([^{}$]*)\}")
_RANGE = re.compile(  # , \quad i = 1, …, n at the end of a formula
    r"(?:[,;(]|\\q?quad|\\[,;:! ]|~|\s|\\text\{\s*(?:for|with|where)?\s*\})*(?<![A-Za-z\\_{])(?P<index>[ijknrs])\s*=\s*"
    r"(?P<first>\d+)\s*,\s*(?:(?:\\[lc]?dots|\.\.\.)\s*,\s*(?P<last>[\w+-]+)|(?P<others>\d+(?:\s*,\s*\d+)*))\s*\)?[.,;]?\s*$"
)
_WINDOW = 60  # characters shown around a place that is not understood


def freed(latex: str) -> str:
    r"""Formulas within words as formulas: \text{at $x=0$} is \text{at } x=0."""
    return _TEXT_WITH_FORMULA.sub(r"\\text{\2} \3 \\text{\4}", latex).replace(r"\text{}", "")


def ranged(latex: str) -> tuple[str, tuple[str, tuple[int, ...]] | None]:
    """A formula without «i = 1, …, n» at its end, and the index with its numbers; the first one where n is a letter."""
    found = _RANGE.search(latex)
    if found is None or found.start() == 0:
        return latex, None
    first = int(found["first"])
    if found["last"]:
        numbers = tuple(range(first, int(found["last"]) + 1)) if found["last"].isdigit() else (first,)
    else:
        numbers = first, *map(int, re.findall(r"\d+", found["others"]))
    if len(set(numbers)) < len(numbers):
        return latex, None
    return latex[: found.start()], (found["index"], numbers)


def window(latex: str, column: int) -> str:
    """The line of a formula in which something is not understood, and a mark below it."""
    start = latex.rfind("\n", 0, column) + 1
    end = latex.find("\n", column)
    line, at = latex[start : end if end >= 0 else len(latex)], column - start
    first = max(0, at - _WINDOW // 2)
    return f"{line[first : first + _WINDOW]}\n{' ' * (at - first)}^"


def part_of(name: str, i: int) -> str:
    """(3) eq:motion → (3b) eq:motion for the second of several lines."""
    letter = chr(ord("a") + i % 26)
    return name.replace(")", f"{letter})", 1) if name.startswith("(") else f"{name}{letter}"
