"""What a derivation is made of: one document, shown as a page, as LaTeX, or as text.

Words of a running text are marked up lightly: ``**…**`` is strong, ``*…*`` is emphasis, and a backslash before ``*``
takes its meaning away. Formulas stand between the words as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hamex import __version__
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
