"""What a derivation is made of: one document, shown as a page, as LaTeX, or as text on a terminal.

Words of a running text are marked up lightly: ``**…**`` is strong, ``*…*`` is emphasis, and a backslash before ``*``
takes its meaning away. Formulas stand between the words as they are. On a terminal there are 80 columns, and Unicode.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from dataclasses import dataclass, field

from hamex import __version__
from hamex.report.derivation.atoms import Entries, width
from hamex.report.derivation.drawing import Drawing
from hamex.report.derivation.formula import Formula, Text, parts

_MARKS = re.compile(r"(\*\*(?:\\.|[^*])+\*\*|\*(?:\\.|[^*])+\*)")


@dataclass(frozen=True)
class Heading:
    """The title of a section, or of a part of one."""

    text: Text
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    text: Text


@dataclass(frozen=True)
class Equation:
    """A displayed equation of one or more rows; ``number`` is that of the paper."""

    rows: tuple[Formula, ...]
    number: str = ""


@dataclass(frozen=True)
class TextTable:
    """Words and formulas in rows."""

    head: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]
    caption: Text = ""


@dataclass(frozen=True)
class Picture:
    """A drawing with its caption."""

    drawing: Drawing
    caption: Text


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: tuple[Text, ...]
    ordered: bool = False


@dataclass(frozen=True)
class Beside:
    """Two columns, one under the other where there is no room."""

    left: tuple[Block, ...]
    right: tuple[Block, ...]


@dataclass(frozen=True)
class Exercise:
    """A question, and an answer that can be kept from sight."""

    question: Text
    answer: tuple[Block, ...]


Block = Heading | Paragraph | Equation | TextTable | Picture | Bullets | Beside | Exercise


@dataclass(frozen=True)
class Document:
    """A whole derivation."""

    title: str
    lead: str
    blocks: tuple[Block, ...] = field(default_factory=tuple)
    foot: str = ""

    @property
    def signed(self) -> str:
        """The foot after the name of the program, where no frame of a page says it."""
        return f"hamex {__version__}. {self.foot}"


def pieces(text: Text) -> list[tuple[str, str] | Formula]:
    """Running text as formulas, and words with their kind: ``strong``, ``emphasis`` or ``words``."""
    found: list[tuple[str, str] | Formula] = []
    for part in parts(text):
        found += [part] if isinstance(part, Formula) else _marked(part)
    return found


def _marked(words: str) -> list[tuple[str, str]]:
    found = []
    for part in _MARKS.split(words.replace(r"\*", "\1")):
        if not part:
            continue
        kind, content = "words", part
        if part.startswith("**") and len(part) > 3:
            kind, content = "strong", part[2:-2]
        elif part.startswith("*") and len(part) > 1:
            kind, content = "emphasis", part[1:-1]
        found.append((kind, content.replace("\1", "*")))
    return found


def quoted(text: str) -> str:
    """Somebody else's text, with nothing in it read as markup."""
    return text.replace("*", r"\*")


def unmarked(text: Text) -> str:
    """Running text without its marks, on one line."""
    return "".join(piece.text if isinstance(piece, Formula) else piece[1] for piece in pieces(text))


COLUMNS = 78


def text(document: Document) -> str:
    """The whole derivation; exercises keep their answers for the end."""
    answers: list[Exercise] = []
    lines = [
        unmarked(document.title),
        "=" * min(COLUMNS, width(unmarked(document.title))),
        "",
        *_wrapped(document.lead),
        "",
    ]
    for block in document.blocks:
        lines += _block(block, answers)
    if answers:
        lines += _block(Heading("Answers"), answers)
        for number, exercise in enumerate(answers, 1):
            lines += [f"{number}.", *(line for b in exercise.answer for line in _block(b, []))]
    lines += ["", *_wrapped(document.signed)]
    # Composed letters where there are any: not every terminal puts an accent on its letter.
    return unicodedata.normalize("NFC", "\n".join(line.rstrip() for line in lines).rstrip() + "\n")


def _wrapped(marked: Text, first: str = "", rest: str = "") -> list[str]:
    # Accents count as columns here, which keeps lines within 80 however a terminal counts them.
    return textwrap.wrap(
        unmarked(marked), COLUMNS, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    ) or [""]


def _block(block: Block, answers: list[Exercise]) -> list[str]:
    match block:
        case Heading(title, level):
            shown = unmarked(title)
            return ["", shown, ("-" if level == 2 else "·") * min(COLUMNS, width(shown)), ""]
        case Paragraph(marked):
            return [*_wrapped(marked), ""]
        case Equation(rows, number):
            return _equation(rows, number)
        case TextTable(head, rows, caption):
            return [*(_wrapped(caption) if caption else []), *_table(head, rows), ""]
        case Picture(_, caption):
            return [*_wrapped(("[picture, in the page of --html: ", caption, "]")), ""]
        case Bullets(items, ordered):
            lines = []
            for place, item in enumerate(items, 1):
                mark = f"{place}. " if ordered else "- "
                lines += _wrapped(item, mark, " " * len(mark))
            return [*lines, ""]
        case Beside(left, right):
            return [line for b in (*left, *right) for line in _block(b, answers)]
        case Exercise(question, _):
            answers.append(block)
            return [*_wrapped(question, "", "   "), ""]


def _equation(rows: tuple[Formula, ...], number: str) -> list[str]:
    found: list[str] = []
    for i, row in enumerate(rows):
        room = COLUMNS - (8 if i else 4)
        lines = row.lines(room - 2)
        if max(map(len, lines)) > room:  # wider than a terminal: on one line, cut where it must be
            table = next((i for i, atom in enumerate(row.atoms) if isinstance(atom, Entries)), None)
            lines = textwrap.wrap(row.text, room, subsequent_indent="    ") if table is None else _entries(row, table)
        found += [(" " * (8 if i else 4)) + line for line in lines]
    if number and width(found[0]) + len(number) + 2 <= COLUMNS:
        found[0] += " " * (COLUMNS - width(found[0]) - len(number)) + number
    return [*found, ""]


def _entries(row: Formula, place: int) -> list[str]:
    """A matrix too wide for a terminal: entry by entry, zeros left out."""
    before, matrix, after = Formula(row.atoms[:place]), row.atoms[place], Formula(row.atoms[place + 1 :])
    assert isinstance(matrix, Entries)
    lines = [f"{before.text} a matrix, entry by entry (zeros left out):".strip()]
    for i, line in enumerate(matrix.rows, 1):
        for j, entry in enumerate(line, 1):
            if entry.text != "0":
                lines += textwrap.wrap(f"[{i},{j}]  {entry.text}", COLUMNS - 8, subsequent_indent="       ")
    return [*lines, *([after.text] if after.text else [])]


def _table(head: tuple[Text, ...], rows: tuple[tuple[Text, ...], ...]) -> list[str]:
    """Columns as wide as they need, the widest cut to what is left; cells wrap."""
    cells = [[unmarked(cell) for cell in row] for row in (head, *rows)]
    widths = [max(width(row[j]) for row in cells) for j in range(len(head))]
    room = COLUMNS - 2 * (len(head) - 1)
    while sum(widths) > room:
        widest = max(range(len(widths)), key=widths.__getitem__)
        widths[widest] -= 1
    lines: list[str] = []
    for i, row in enumerate(cells):
        wrapped = [textwrap.wrap(cell, w) or [""] for cell, w in zip(row, widths, strict=True)]
        for k in range(max(map(len, wrapped))):
            parts = [w[k] if k < len(w) else "" for w in wrapped]
            lines.append("  ".join(p + " " * (w - width(p)) for p, w in zip(parts, widths, strict=True)))
        if i == 0:
            lines.append("  ".join("─" * w for w in widths))
    return lines
