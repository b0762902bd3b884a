"""What a derivation is made of: one document, shown as a page, as LaTeX, or as text.

Running text is marked up lightly: ``$…$`` is mathematics in LaTeX, ``**…**`` is strong, ``*…*`` is emphasis, and a
backslash before ``$`` or ``*`` takes their meaning away.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hamex import __version__
from hamex.report.derivation.drawing import Drawing

_MARKS = re.compile(r"(\$[^$]+\$|\*\*(?:\\.|[^*])+\*\*|\*(?:\\.|[^*])+\*)")


@dataclass(frozen=True)
class Heading:
    """The title of a section, or of a part of one."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True)
class Equation:
    """A displayed equation of one or more rows; ``number`` is that of the paper."""

    rows: tuple[str, ...]
    number: str = ""


@dataclass(frozen=True)
class TextTable:
    """Words and formulas in rows."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


@dataclass(frozen=True)
class Picture:
    """A drawing with its caption."""

    drawing: Drawing
    caption: str


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: tuple[str, ...]
    ordered: bool = False


@dataclass(frozen=True)
class Beside:
    """Two columns, one under the other where there is no room."""

    left: tuple[Block, ...]
    right: tuple[Block, ...]


@dataclass(frozen=True)
class Exercise:
    """A question, and an answer that can be kept from sight."""

    question: str
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


def pieces(text: str) -> list[tuple[str, str]]:
    """Running text as (kind, content): ``math``, ``strong``, ``emphasis`` or ``words``."""
    found = []
    for part in _MARKS.split(text.replace(r"\$", "\0").replace(r"\*", "\1")):
        if not part:
            continue
        kind, content = "words", part
        if part.startswith("$") and len(part) > 1:
            kind, content = "math", part[1:-1]
        elif part.startswith("**") and len(part) > 3:
            kind, content = "strong", part[2:-2]
        elif part.startswith("*") and len(part) > 1:
            kind, content = "emphasis", part[1:-1]
        found.append((kind, content.replace("\0", "$").replace("\1", "*")))
    return found


def quoted(text: str) -> str:
    """Somebody else's text, with nothing in it read as markup."""
    return text.replace("$", r"\$").replace("*", r"\*")


def math(latex: str) -> str:
    """Mathematics inside running text."""
    return f"${latex}$"
