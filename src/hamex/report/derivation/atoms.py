"""The pieces of a formula: each knows how it is written in LaTeX, and which box of characters it is on a terminal.

Boxes are lines of text that are set beside each other on one line of writing: fractions stand on a stroke, matrices are
drawn, accents and indices are Unicode.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Protocol

_ACCENTS = {"dot": "\u0307", "ddot": "\u0308", "hat": "\u0302", "bar": "\u0304"}
_UP = dict(zip("0123456789+-=()nTi*r", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿᵀⁱ*ʳ", strict=True))
_DOWN = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))


def width(text: str) -> int:
    """Columns that a text takes in a terminal: accents stand on their letter."""
    return sum(not unicodedata.combining(c) for c in text)


@dataclass(frozen=True)
class TextBox:
    """Lines of equal width; ``base`` is the one that stands on the line of writing."""

    lines: tuple[str, ...]
    base: int = 0

    @property
    def width(self) -> int:
        return max(width(line) for line in self.lines)


def beside(boxes: list[TextBox]) -> TextBox:
    """Boxes on one line of writing."""
    boxes = boxes or [TextBox(("",))]
    above = max(b.base for b in boxes)
    below = max(len(b.lines) - b.base for b in boxes)
    lines = []
    for row in range(above + below):
        parts = [b.lines[i] if 0 <= (i := row - above + b.base) < len(b.lines) else "" for b in boxes]
        lines.append("".join(p + " " * (b.width - width(p)) for p, b in zip(parts, boxes, strict=True)))
    return TextBox(tuple(lines), above)


def centred(box: TextBox, columns: int) -> list[str]:
    """The lines of a box in the middle of so many columns."""
    left = (columns - box.width) // 2
    return [" " * left + line + " " * (columns - left - width(line)) for line in box.lines]


def fence(sign: str, inside: TextBox) -> TextBox:
    """A bracket as high as what it holds."""
    height = len(inside.lines)
    if sign == ".":
        return TextBox(("",))
    if height == 1:
        return TextBox((sign,))
    if sign == "{":
        middle = ["⎪"] * (height - 2)
        if middle:
            middle[(height - 2) // 2] = "⎨"
        return TextBox(("⎧", *middle, "⎩"), inside.base)
    ends = {"(": "⎛⎜⎝", ")": "⎞⎟⎠", "[": "⎡⎢⎣", "]": "⎤⎥⎦", "|": "│││"}[sign]
    return TextBox((ends[0], *ends[1] * (height - 2), ends[2]), inside.base)


def grid(rows: list[list[TextBox]], centre: bool) -> TextBox:
    """Cells in rows and columns."""
    columns = max(len(row) for row in rows)
    widths = [max((row[j].width for row in rows if j < len(row)), default=0) for j in range(columns)]
    lines: list[str] = []
    for row in rows:
        cells = []
        for j, cell in enumerate(row):
            padded = centred(cell, widths[j]) if centre else [x + " " * (widths[j] - width(x)) for x in cell.lines]
            cells.append(TextBox(tuple(padded), cell.base))
            if j < len(row) - 1:
                cells.append(TextBox(("  ",)))
        lines += beside(cells).lines
    return TextBox(tuple(lines), len(lines) // 2)


class Atom(Protocol):
    """One piece of a formula."""

    @property
    def latex(self) -> str: ...

    def box(self, flat: bool) -> TextBox:
        """As it stands on a terminal; ``flat`` on one line."""
        ...


class Row(Atom, Protocol):
    """Atoms beside each other: a formula."""

    @property
    def atoms(self) -> tuple[Atom, ...]: ...

    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class Letter:
    """A letter, a number, a word or a bracket that does not stretch."""

    latex: str
    text: str

    def box(self, flat: bool) -> TextBox:
        return TextBox((self.text,))


@dataclass(frozen=True)
class Sign(Letter):
    """A sign between two things, with room on both sides."""

    def box(self, flat: bool) -> TextBox:
        return TextBox((f" {self.text} ",))


@dataclass(frozen=True)
class Space(Letter):
    """Room of a chosen width."""


@dataclass(frozen=True)
class Blank(Space):
    """What separates two factors; beside a sign, which brings its own room, it shows nothing."""


@dataclass(frozen=True)
class Script:
    """An index or a power of what stands before it."""

    mark: str
    inside: Atom

    @property
    def latex(self) -> str:
        return f"{self.mark}{{{self.inside.latex}}}"

    def box(self, flat: bool) -> TextBox:
        table = _UP if self.mark == "^" else _DOWN
        plain = "".join(self.inside.box(flat=True).lines).replace("−", "-").replace(" ", "")
        head, comma, places = plain.partition(",")
        if comma and places.isalpha() and (head.isdigit() or not head):  # u_{1,x}: the comma is a derivative
            return TextBox(("".join(table[c] for c in head) + "," + places,))
        if all(c in table or unicodedata.combining(c) for c in plain):
            return TextBox(("".join(table.get(c, c) for c in plain),))
        short = len(plain) == 1 or (self.mark == "_" and plain.isalnum())
        return TextBox((f"{self.mark}{plain if short else f'({plain})'}",))


@dataclass(frozen=True)
class Accent:
    """A dot, two dots, a hat or a bar on the first letter."""

    kind: str
    inside: Atom

    @property
    def latex(self) -> str:
        return rf"\{self.kind}{{{self.inside.latex}}}"

    def box(self, flat: bool) -> TextBox:
        inside = "".join(self.inside.box(flat).lines)
        return TextBox((inside[:1] + _ACCENTS[self.kind] + inside[1:],))


@dataclass(frozen=True)
class Fraction:
    """One thing over another; a small one stays on the line of writing."""

    above: Atom
    below: Atom
    small: bool = False

    @property
    def latex(self) -> str:
        return rf"\{'tfrac' if self.small else 'frac'}{{{self.above.latex}}}{{{self.below.latex}}}"

    def box(self, flat: bool) -> TextBox:
        above, below = self.above.box(flat), self.below.box(flat)
        parts = {("1", "2"): "½", ("1", "4"): "¼", ("3", "4"): "¾"}
        pair = (above.lines[0], below.lines[0])
        if self.small and pair in parts:
            return TextBox((parts[pair],))
        if flat or self.small:
            return TextBox((f"{_closed(pair[0])}/{_closed(pair[1], below=True)}",))
        columns = max(above.width, below.width) + 2
        return TextBox((*centred(above, columns), "─" * columns, *centred(below, columns)), len(above.lines))


def _closed(text: str, below: bool = False) -> str:
    simple = not re.search(r"\s[+−]\s", text.strip()) and not (below and " " in text.strip())
    return text if simple else f"({text})"


@dataclass(frozen=True)
class Root:
    """A square root."""

    inside: Atom

    @property
    def latex(self) -> str:
        return rf"\sqrt{{{self.inside.latex}}}"

    def box(self, flat: bool) -> TextBox:
        return beside([TextBox(("√(",)), self.inside.box(flat), TextBox((")",))])


@dataclass(frozen=True)
class Fence:
    """Brackets as high as what they hold; a dot is none."""

    left: str
    inside: Atom
    right: str

    @property
    def latex(self) -> str:
        return rf"\left{self.left}{self.inside.latex}\right{self.right}"

    def box(self, flat: bool) -> TextBox:
        inside = self.inside.box(flat)
        return beside([fence(self.left, inside), inside, fence(self.right, inside)])


@dataclass(frozen=True)
class Entries:
    """Entries in rows, in square brackets."""

    rows: tuple[tuple[Row, ...], ...]

    @property
    def latex(self) -> str:
        return _table("bmatrix", self.rows)

    def box(self, flat: bool) -> TextBox:
        if flat:
            return TextBox((f"[{'; '.join(', '.join(_words(row)) for row in self.rows)}]",))
        table = grid(_cells(self.rows), centre=True)
        return beside([fence("[", table), table, fence("]", table)])


@dataclass(frozen=True)
class Branches:
    """Values with their conditions."""

    rows: tuple[tuple[Row, ...], ...]

    @property
    def latex(self) -> str:
        return _table("cases", self.rows)

    def box(self, flat: bool) -> TextBox:
        if flat:
            return TextBox((f"{{{'; '.join(' '.join(_words(row)) for row in self.rows)}}}",))
        table = grid(_cells(self.rows), centre=False)
        return beside([fence("{", table), TextBox((" ",)), table])


def _table(kind: str, rows: tuple[tuple[Row, ...], ...]) -> str:
    lines = r" \\ ".join(" & ".join(cell.latex for cell in row) for row in rows)
    return rf"\begin{{{kind}}} {lines} \end{{{kind}}}"


def _words(row: tuple[Row, ...]) -> list[str]:
    return [cell.box(flat=True).lines[0].strip() for cell in row]


def _cells(rows: tuple[tuple[Row, ...], ...]) -> list[list[TextBox]]:
    return [[_cell(cell, j == len(row) - 1) for j, cell in enumerate(row)] for row in rows]


def _cell(cell: Row, last: bool) -> TextBox:
    """An entry with room before it, where no sign brings it, and behind the last of a row."""
    box = cell.box(flat=False)
    before = [] if isinstance(cell.atoms[0], Sign) else [TextBox((" ",))]
    return beside([*before, box, *([TextBox((" ",))] if last else [])])


PLUS, MINUS = Sign("+", "+"), Sign("-", "−")
EQUAL, LESS, MORE = Sign("=", "="), Sign("<", "<"), Sign(">", ">")
OPEN, CLOSE = Letter("(", "("), Letter(")", ")")
BLANK, THIN, ROOM, BACK = Blank(" ", " "), Space(r"\,", " "), Space(r"\;", " "), Space(r"\!", "")
PARTIAL, EMPTY = Letter(r"\partial", "∂"), Letter("{}", "")
QUAD, QQUAD = Space(r"\quad", "   "), Space(r"\qquad", "     ")
