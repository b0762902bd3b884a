"""A formula, written once as a tree: LaTeX for pages and documents, Unicode for a terminal.

A formula is a row of atoms; fractions, indices, brackets and matrices hold formulas of their own. Each atom knows how
it is written in LaTeX and which box of characters it is on a terminal, so nothing is ever read back. Formulas are put
together by operators, in the letters of the paper: ``equal(T, pi / omega)``, ``u.dot ** 2``, ``p.hat["u"]``, ``u(0)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from typing import TypeAlias

from hamex.report.derivation.atoms import (
    BLANK,
    CLOSE,
    EQUAL,
    LESS,
    MINUS,
    MORE,
    OPEN,
    PARTIAL,
    PLUS,
    THIN,
    Accent,
    Atom,
    Blank,
    Branches,
    Entries,
    Fence,
    Fraction,
    Letter,
    Root,
    Script,
    Sign,
    TextBox,
    beside,
)

_NAMES = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
GREEK = dict(zip(_NAMES.split(), "αβγδεεζηθϑικλμνξπρστυφφχψωΓΔΘΛΞΠΣΥΦΨΩ", strict=True))
_RELATIONS = ("=", "<", ">", "≤", "≥", "≠")
_BREAKS = ("+", "−", "=")  # a displayed row may go on below before one of these


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


DOTS = Letter(r"\dots", "…")
SUM = tight(Letter(r"\sum", "Σ"))


def thin(*parts: Part) -> Formula:
    """Factors with a little room in between."""
    return joined(parts, THIN)


def upright(word: str) -> Formula:
    """A word as the name of something: the d of an integral, e."""
    return Formula((Letter(rf"\mathrm{{{word}}}", word),))


def words(text: str) -> Formula:
    """Words inside a formula."""
    return Formula((Letter(rf"\text{{{text}}}", text),))


def equal(*sides: Part) -> Formula:
    """One side equals the next.

    >>> equal(letter("T"), letter("pi") / letter("omega")).text
    'T = π/ω'
    """
    return joined(sides, BLANK, EQUAL, BLANK)


def fraction(above: Part, below: Part) -> Formula:
    """A fraction on a stroke."""
    return tight(Fraction(tight(above), tight(below)))


def small_fraction(above: Part, below: Part) -> Formula:
    """A fraction as a factor: ½ m u̇² reads better than m u̇²/2."""
    return tight(Fraction(tight(above), tight(below), small=True))


def root(inside: Part) -> Formula:
    """A square root."""
    return tight(Root(tight(inside)))


def bracket(inside: Part, pair: str = "()") -> Formula:
    """Brackets as high as what they hold."""
    return tight(Fence(pair[0], tight(inside), pair[1]))


def small_bracket(inside: Part) -> Formula:
    """Round brackets of one line."""
    return tight(OPEN, inside, CLOSE)


def sin(argument: Part) -> Formula:
    """The sine."""
    return spaced(Letter(r"\sin", "sin"), argument)


def cos(argument: Part) -> Formula:
    """The cosine."""
    return spaced(Letter(r"\cos", "cos"), argument)


def exp(power: Part) -> Formula:
    """e to a power."""
    return upright("e") ** power


def matrix(rows: Sequence[Sequence[Formula]]) -> Formula:
    """A matrix in brackets."""
    return tight(Entries(tuple(tuple(row) for row in rows)))


def cases(rows: Sequence[tuple[Formula, Formula]]) -> Formula:
    """A function by its values and their conditions."""
    return tight(Branches(tuple(rows)))


def integral(start: Part = "", end: Part = "") -> Formula:
    """The sign of an integral, between ends where they are given."""
    sign = tight(Letter(r"\int", "∫"))
    return sign if start == "" else sign[start] ** end if end != "" else sign[start]


def measure(variable: Part) -> Formula:
    """The end of an integral: dt with a little room before it."""
    return tight(THIN, upright("d"), variable)


def total(of: Part = "", by: Part = "t") -> Formula:
    """A total derivative; alone it is d/dt."""
    return fraction(tight(upright("d"), of), tight(upright("d"), by))


def partial(of: Part = "", by: Part = "t") -> Formula:
    """A partial derivative; without ``of`` it is the operator alone."""
    return fraction(spaced(PARTIAL, of), spaced(PARTIAL, by))


def virtual(of: Part) -> Formula:
    """δ before a field or its derivative."""
    return tight(Letter(r"\delta ", "δ"), of)


class _Letters:
    """Letters by their names: ``sym.omega``, ``sym.T``."""

    def __getattr__(self, name: str) -> Formula:
        if name not in GREEK and len(name) != 1:
            raise AttributeError(f"{name} is no letter")
        return letter(name)


sym = _Letters()
HALF = small_fraction(1, 2)
NEW_ACTION = virtual("A")[upright("NEW")]
HALF_PERIOD = equal(sym.T, sym.pi / sym.omega)

Text: TypeAlias = "str | Formula | tuple[Text, ...]"  # running text: words and formulas in the order of reading


def parts(text: Text) -> list[str | Formula]:
    """Words and formulas of a running text in one row."""
    return [part for inner in text for part in parts(inner)] if isinstance(text, tuple) else [text]


def enumerated(items: Iterable[Text]) -> Text:
    """Formulas in running text, with commas between them."""
    return tuple(part for item in items for part in (", ", item))[1:]


def say(sentence: str, *formulas: Text) -> Text:
    """A sentence with formulas in it: ``{omega}`` is that letter, ``{}`` takes the next of ``formulas``.

    >>> say("At {}, half a period, {b} drops out.", HALF_PERIOD)[1].text
    'T = π/ω'
    """
    found: list[Text] = []
    waiting = list(formulas)
    for before, name, _, _ in Formatter().parse(sentence):
        found.append(before)
        if name is not None:
            found.append(getattr(sym, name) if name else waiting.pop(0))
    if waiting:
        raise ValueError(f"{len(waiting)} formulas too many for: {sentence}")
    return tuple(found)
