"""A formula, written once as a tree: LaTeX for pages and documents, Unicode for a terminal.

A formula is a row of atoms; fractions, indices, brackets and matrices hold formulas of their own. Each atom knows how
it is written in LaTeX and which box of characters it is on a terminal, so nothing is ever read back. Formulas are put
together by operators, in the letters of the paper: ``equal(T, pi / omega)``, ``u.dot ** 2``, ``p.hat["u"]``, ``u(0)``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

from hamex.report.derivation.boxes import TextBox, beside, centred, fence, grid

_NAMES = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
GREEK = dict(zip(_NAMES.split(), "αβγδεεζηθϑικλμνξπρστυφφχψωΓΔΘΛΞΠΣΥΦΨΩ", strict=True))
_ACCENTS = {"dot": "\u0307", "ddot": "\u0308", "hat": "\u0302", "bar": "\u0304"}
_UP = dict(zip("0123456789+-=()nTi*r", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿᵀⁱ*ʳ", strict=True))
_DOWN = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_RELATIONS = ("=", "<", ">", "≤", "≥", "≠")
_BREAKS = ("+", "−", "=")  # a displayed row may go on below before one of these


class Atom(Protocol):
    """One piece of a formula."""

    @property
    def latex(self) -> str: ...

    def box(self, flat: bool) -> TextBox:
        """As it stands on a terminal; ``flat`` on one line."""
        ...


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
    inside: Formula

    @property
    def latex(self) -> str:
        return f"{self.mark}{{{self.inside.latex}}}"

    def box(self, flat: bool) -> TextBox:
        table = _UP if self.mark == "^" else _DOWN
        plain = "".join(self.inside.box(flat).lines).replace("−", "-").replace(" ", "")
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
    inside: Formula

    @property
    def latex(self) -> str:
        return rf"\{self.kind}{{{self.inside.latex}}}"

    def box(self, flat: bool) -> TextBox:
        inside = "".join(self.inside.box(flat).lines)
        return TextBox((inside[:1] + _ACCENTS[self.kind] + inside[1:],))


@dataclass(frozen=True)
class Fraction:
    """One thing over another; a small one stays on the line of writing."""

    above: Formula
    below: Formula
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

    inside: Formula

    @property
    def latex(self) -> str:
        return rf"\sqrt{{{self.inside.latex}}}"

    def box(self, flat: bool) -> TextBox:
        return beside([TextBox(("√(",)), self.inside.box(flat), TextBox((")",))])


@dataclass(frozen=True)
class Fence:
    """Brackets as high as what they hold; a dot is none."""

    left: str
    inside: Formula
    right: str

    @property
    def latex(self) -> str:
        return rf"\left{self.left}{self.inside.latex}\right{self.right}"

    def box(self, flat: bool) -> TextBox:
        inside = self.inside.box(flat)
        return beside([fence(self.left, inside), inside, fence(self.right, inside)])


@dataclass(frozen=True)
class Matrix:
    """Entries in rows, in square brackets."""

    rows: tuple[tuple[Formula, ...], ...]

    @property
    def latex(self) -> str:
        return _table("bmatrix", self.rows)

    def box(self, flat: bool) -> TextBox:
        if flat:
            return TextBox((f"[{'; '.join(', '.join(_words(row)) for row in self.rows)}]",))
        table = grid(_cells(self.rows), centre=True)
        return beside([fence("[", table), table, fence("]", table)])


@dataclass(frozen=True)
class Cases:
    """Values with their conditions."""

    rows: tuple[tuple[Formula, ...], ...]

    @property
    def latex(self) -> str:
        return _table("cases", self.rows)

    def box(self, flat: bool) -> TextBox:
        if flat:
            return TextBox((f"{{{'; '.join(' '.join(_words(row)) for row in self.rows)}}}",))
        table = grid(_cells(self.rows), centre=False)
        return beside([fence("{", table), TextBox((" ",)), table])


def _table(kind: str, rows: tuple[tuple[Formula, ...], ...]) -> str:
    lines = r" \\ ".join(" & ".join(cell.latex for cell in row) for row in rows)
    return rf"\begin{{{kind}}} {lines} \end{{{kind}}}"


def _words(row: tuple[Formula, ...]) -> list[str]:
    return [cell.box(flat=True).lines[0].strip() for cell in row]


def _cells(rows: tuple[tuple[Formula, ...], ...]) -> list[list[TextBox]]:
    return [[_cell(cell, j == len(row) - 1) for j, cell in enumerate(row)] for row in rows]


def _cell(cell: Formula, last: bool) -> TextBox:
    """An entry with room before it, where no sign brings it, and behind the last of a row."""
    box = cell.box(flat=False)
    before = [] if isinstance(cell.atoms[0], Sign) else [TextBox((" ",))]
    return beside([*before, box, *([TextBox((" ",))] if last else [])])


@dataclass(frozen=True)
class Formula:
    """A row of atoms, with the operators that put formulas together."""

    atoms: tuple[Atom, ...] = ()

    @cached_property
    def latex(self) -> str:
        """The formula in LaTeX."""
        found = ""
        for atom in self.atoms:
            written = atom.latex
            glued = re.search(r"\\[A-Za-z]+$", found) and written[:1].isalpha()  # \omega T, not \omegaT
            found += f" {written}" if glued else written
        return found

    @cached_property
    def text(self) -> str:
        """The formula on one line of text."""
        text = "".join(box.lines[0] for box in self._boxes(flat=True))
        return re.sub(r"^ − ", "−", re.sub(r"([([{]) − ", r"\1−", re.sub(r" +", " ", text))).strip()

    def lines(self, columns: int = 76) -> list[str]:
        """The formula as lines of text, broken between top-level terms where it is too wide."""
        boxes = self._boxes(flat=False)
        starts = [i for i, box in enumerate(boxes) if _breaks(box)]
        lines: list[str] = []
        row: list[TextBox] = []
        for i, box in enumerate(boxes):
            end = next((j for j in starts if j > i), len(boxes))
            if row and _breaks(box) and beside([*row, *boxes[i:end]]).width > columns:
                lines += beside(row).lines
                row = [TextBox(("    ",))]
            row.append(box)
        lines += beside(row).lines
        return [re.sub(r"^ − ", "−", line).rstrip() for line in lines]

    def box(self, flat: bool) -> TextBox:
        """All atoms on one line of writing."""
        return beside(self._boxes(flat))

    def _boxes(self, flat: bool) -> list[TextBox]:
        found: list[TextBox] = []
        for i, atom in enumerate(self.atoms):
            before = self.atoms[i - 1] if i else None
            after = self.atoms[i + 1] if i + 1 < len(self.atoms) else None
            if isinstance(atom, Blank) and _hides_blank(before, after):
                continue
            box = atom.box(flat)
            last = next((b.lines[0].strip() for b in reversed(found) if b.lines != ("",)), "=")
            if atom == MINUS and last in _RELATIONS:
                box = TextBox(("−",))  # of a number, not between two
            elif box.lines == (" ",) and found and found[-1].lines[found[-1].base].endswith(" "):
                continue
            found.append(box)
        return found

    def __bool__(self) -> bool:
        return bool(self.atoms)

    def __add__(self, other: Part) -> Formula:
        return spaced(self, PLUS, other)

    def __sub__(self, other: Part) -> Formula:
        return spaced(self, MINUS, other)

    def __neg__(self) -> Formula:
        return tight(MINUS, self)

    def __mul__(self, other: Part) -> Formula:
        return spaced(self, other)

    def __truediv__(self, other: Part) -> Formula:
        """On the line of writing; see :func:`fraction` for one that stands on a stroke."""
        return tight(self, "/", other)

    def __pow__(self, power: Part) -> Formula:
        return tight(self, Script("^", tight(power)))

    def __getitem__(self, index: Part) -> Formula:
        return tight(self, Script("_", tight(index)))

    def __call__(self, *arguments: Part) -> Formula:
        return tight(self, OPEN, listed(arguments), CLOSE)

    def __lt__(self, other: Part) -> Formula:
        return spaced(self, LESS, other)

    def __gt__(self, other: Part) -> Formula:
        return spaced(self, MORE, other)

    @property
    def dot(self) -> Formula:
        return tight(Accent("dot", self))

    @property
    def ddot(self) -> Formula:
        return tight(Accent("ddot", self))

    @property
    def hat(self) -> Formula:
        return tight(Accent("hat", self))

    @property
    def bar(self) -> Formula:
        return tight(Accent("bar", self))

    @property
    def negative(self) -> bool:
        """Whether it starts with a minus."""
        return self.atoms[:1] == (MINUS,)

    @property
    def continued(self) -> Formula:
        """As a further term of a sum, with its sign and room behind it."""
        if self.atoms[:1] == (PLUS,):
            return self
        if not self.negative:
            return spaced(PLUS, self)
        rest = self.atoms[1:]
        return spaced(MINUS, Formula(rest[1:] if isinstance(rest[0], Blank) else rest))


Part = Formula | Atom | str | int  # what formulas are put together from; a string is one letter, word or number

PLUS, MINUS = Sign("+", "+"), Sign("-", "−")
EQUAL, LESS, MORE = Sign("=", "="), Sign("<", "<"), Sign(">", ">")
OPEN, CLOSE = Letter("(", "("), Letter(")", ")")
BLANK, THIN, ROOM, BACK = Blank(" ", " "), Space(r"\,", " "), Space(r"\;", " "), Space(r"\!", "")
PARTIAL, EMPTY = Letter(r"\partial", "∂"), Letter("{}", "")
QUAD, QQUAD = Space(r"\quad", "   "), Space(r"\qquad", "     ")


def _breaks(box: TextBox) -> bool:
    return "".join(box.lines).strip() in _BREAKS


def _hides_blank(before: Atom | None, after: Atom | None) -> bool:
    """Ends of a row, signs and brackets need no room beside them, an index none before it."""
    opens = before is None or isinstance(before, Sign) or before == OPEN
    return opens or after is None or isinstance(after, Sign | Script) or after == CLOSE


def letter(name: str) -> Formula:
    """A letter by its name, or a number.

    >>> letter("omega").latex, letter("omega").text
    ('\\\\omega', 'ω')
    """
    return Formula((Letter(rf"\{name}", GREEK[name]) if name in GREEK else Letter(name, name),))


def tight(*parts: Part) -> Formula:
    """Parts beside each other."""
    atoms: list[Atom] = []
    for part in parts:
        if isinstance(part, Formula):
            atoms += part.atoms
        elif isinstance(part, str | int):
            atoms += letter(str(part)).atoms if part != "" else ()
        else:
            atoms.append(part)
    return Formula(tuple(atoms))


def joined(parts: Iterable[Part], *between: Part) -> Formula:
    """Parts with something in between; empty ones are left out."""
    found = Formula()
    for whole in map(tight, parts):
        found = tight(found, *between, whole) if found and whole else found or whole
    return found


def spaced(*parts: Part) -> Formula:
    """Factors, or terms with their signs."""
    return joined(parts, BLANK)


def listed(parts: Iterable[Part]) -> Formula:
    """Parts with commas."""
    return joined(parts, ",", BLANK)


Text: TypeAlias = "str | Formula | tuple[Text, ...]"  # running text: words and formulas in the order of reading


def parts(text: Text) -> list[str | Formula]:
    """Words and formulas of a running text in one row."""
    return [part for inner in text for part in parts(inner)] if isinstance(text, tuple) else [text]


def enumerated(items: Iterable[Text]) -> Text:
    """Formulas in running text, with commas between them."""
    return tuple(part for item in items for part in (", ", item))[1:]
