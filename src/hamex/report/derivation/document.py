"""What a derivation is made of: one document, shown as a page, as LaTeX, or as text on a terminal; and its drawings.

Words of a running text are marked up lightly: ``**…**`` is strong, ``*…*`` is emphasis, and a backslash before ``*``
takes its meaning away. Formulas stand between the words as they are. On a terminal there are 80 columns, and Unicode.

Drawings are made from lines, circles and labels: SVG for pages, the picture environment of pict2e for LaTeX. Springs,
dashpots, sliders, masses, walls and arrows are put together from these.
"""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

from hamex import __version__
from hamex.report.derivation.atoms import Entries, width
from hamex.report.derivation.formula import Formula, Text, letter, parts

Point = tuple[float, float]
LEFT = 40.0  # where the wall stands
_DISPLACEMENT = letter("u")
_MARKS = re.compile(r"(\*\*(?:\\.|[^*])+\*\*|\*(?:\\.|[^*])+\*)")


@dataclass(frozen=True)
class Line:
    """A line through points; y grows downwards, as on a screen."""

    points: tuple[Point, ...]
    tone: str = "ink"
    width: float = 1.6
    dashed: bool = False
    arrow: bool = False


@dataclass(frozen=True)
class Circle:
    """A full or an open circle."""

    centre: Point
    radius: float
    tone: str = "ink"
    full: bool = True


@dataclass(frozen=True)
class Label:
    """Words and formulas."""

    at: Point
    text: Text
    anchor: str = "middle"
    tone: str = "ink"
    size: float = 15


@dataclass
class Drawing:
    """A sheet to draw on."""

    width: float
    height: float
    parts: list[Line | Circle | Label] = field(default_factory=list)

    def line(
        self, points: Iterable[Point], tone: str = "ink", width: float = 1.6, dashed: bool = False, arrow: bool = False
    ) -> None:
        self.parts.append(Line(tuple(points), tone, width, dashed, arrow))

    def circle(self, centre: Point, radius: float = 4.5, tone: str = "ink", full: bool = True) -> None:
        self.parts.append(Circle(centre, radius, tone, full))

    def label(self, at: Point, text: Text, anchor: str = "middle", tone: str = "ink", size: float = 15) -> None:
        self.parts.append(Label(at, text, anchor, tone, size))

    def box(self, x: float, y: float, width: float, height: float, tone: str = "ink") -> None:
        self.line([(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)], tone)

    def hatch(self, start: Point, end: Point, depth: float = 8, count: int = 8) -> None:
        """A wall: a line, and strokes on its left side as seen from start to end."""
        self.line([start, end], width=2)
        across, down = end[0] - start[0], end[1] - start[1]
        length = math.hypot(across, down)
        along, side = (across / length, down / length), (down / length, -across / length)
        for i in range(count):
            x, y = start[0] + across * (i + 0.5) / count, start[1] + down * (i + 0.5) / count
            self.line([(x, y), (x + depth * (side[0] - along[0]), y + depth * (side[1] - along[1]))], "soft", 1)


def svg(drawing: Drawing) -> str:
    """The drawing as an SVG element that takes its colours from the page."""
    body = "".join(_svg(part) for part in drawing.parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" viewBox="0 0 {drawing.width:g} '
        f'{drawing.height:g}" style="max-width:{drawing.width / 16:g}em">{body}</svg>'
    )


def _svg(part: Line | Circle | Label) -> str:
    if isinstance(part, Label):
        return (
            f'<text class="{part.tone}" x="{part.at[0]:g}" y="{part.at[1]:g}" text-anchor="{part.anchor}" '
            f'font-size="{part.size:g}">{_lowered(escape(_plain(part.text)))}</text>'
        )
    if isinstance(part, Circle):
        x, y = part.centre
        look = "full" if part.full else "open"
        return f'<circle class="{part.tone} {look}" cx="{x:.4g}" cy="{y:.4g}" r="{part.radius:g}"/>'
    dashes = ' stroke-dasharray="6 5"' if part.dashed else ""
    path = _path(part.points)
    for tip in _tip(part):
        path += _path(tip)
    return f'<path class="{part.tone}" d="{path}" stroke-width="{part.width:g}"{dashes}/>'


def _lowered(text: str) -> str:
    """Indices that Unicode has no small letters for."""
    return re.sub(r"_(\w+)", r'<tspan dy="4" font-size="70%">\1</tspan><tspan dy="-4">&#8203;</tspan>', text)


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x:.4g} {y:.4g}" for x, y in points)


def _tip(line: Line) -> list[tuple[Point, ...]]:
    """The head of an arrow, as one more line."""
    if not line.arrow:
        return []
    (x0, y0), (x, y) = line.points[-2:]
    angle = math.atan2(y - y0, x - x0)
    wings = [(x - 9 * math.cos(angle + turn), y - 9 * math.sin(angle + turn)) for turn in (0.45, -0.45)]
    return [(wings[0], (x, y), wings[1])]


def _plain(text: Text) -> str:
    """A label in Unicode."""
    return "".join(part.text if isinstance(part, Formula) else part for part in parts(text))


def picture(drawing: Drawing) -> list[str]:
    """The drawing as lines of LaTeX; y is turned over, one unit is 0.5 pt."""
    lines = [r"\setlength{\unitlength}{0.5pt}", rf"\begin{{picture}}({drawing.width:g},{drawing.height:g})"]
    for part in drawing.parts:
        lines += _tex(part, drawing.height)
    return [*lines, r"\end{picture}"]


def _tex(part: Line | Circle | Label, height: float) -> list[str]:
    if isinstance(part, Label):
        side = {"middle": "", "start": "[l]", "end": "[r]"}[part.anchor]
        return [
            rf"\put({part.at[0]:.4g},{height - part.at[1] + 5:.4g}){{\makebox(0,0){side}{{\footnotesize "
            + "".join(f"${one.latex}$" if isinstance(one, Formula) else one for one in parts(part.text))
            + "}}"
        ]
    if isinstance(part, Circle):
        star = "*" if part.full else ""
        return [rf"\put({part.centre[0]:.4g},{height - part.centre[1]:.4g}){{\circle{star}{{{2 * part.radius:g}}}}}"]
    found = [rf"\linethickness{{{part.width / 2:g}pt}}"]
    strokes: list[Sequence[Point]] = [part.points]
    if part.dashed:
        dense = _dense(part.points)
        strokes = [dense[i : i + 3] for i in range(0, len(dense) - 2, 4)]
    for points in [*strokes, *_tip(part)]:
        # pict2e reads a polyline of a few dozen points; longer ones are cut.
        for start in range(0, len(points) - 1, 30):
            found.append(r"\polyline" + "".join(f"({x:.4g},{height - y:.4g})" for x, y in points[start : start + 31]))
    return found


def _dense(points: Sequence[Point], step: float = 3.0) -> list[Point]:
    """Points at equal small distances, to be cut into dashes."""
    found: list[Point] = []
    for (x0, y0), (x1, y1) in pairwise(points):
        count = max(1, round(math.hypot(x1 - x0, y1 - y0) / step))
        found += [(x0 + (x1 - x0) * i / count, y0 + (y1 - y0) * i / count) for i in range(count)]
    return [*found, points[-1]]


def spring(d: Drawing, x0: float, x1: float, y: float, label: Text = "", turns: int = 6) -> None:
    """A spring between two places."""
    lead = 14.0
    inner = x1 - x0 - 2 * lead
    zigzag = [(x0 + lead + inner * (i + 0.5) / (2 * turns), y + (9 if i % 2 else -9)) for i in range(2 * turns)]
    d.line([(x0, y), (x0 + lead, y), *zigzag, (x1 - lead, y), (x1, y)])
    d.label(((x0 + x1) / 2, y - 16), label)


def dashpot(d: Drawing, x0: float, x1: float, y: float, label: Text = "") -> None:
    """A dashpot between two places."""
    middle = (x0 + x1) / 2
    d.line([(x0, y), (middle - 16, y)])
    d.line([(middle + 14, y - 11), (middle - 16, y - 11), (middle - 16, y + 11), (middle + 14, y + 11)])
    d.line([(middle + 2, y - 8), (middle + 2, y + 8)], width=2.4)
    d.line([(middle + 2, y), (x1, y)])
    d.label((middle, y - 18), label)


def slider(d: Drawing, x0: float, x1: float, y: float, label: Text = "") -> None:
    """A slider between two places."""
    middle = (x0 + x1) / 2
    d.line([(x0, y), (middle - 4, y)])
    d.line([(middle - 22, y + 4), (middle + 8, y + 4)], width=2.4)
    d.line([(middle - 4, y), (middle - 4, y + 4)])
    d.line([(middle - 22, y + 9), (middle + 22, y + 9), (middle + 22, y), (x1, y)])
    d.label((middle, y - 9), label)


def mass(d: Drawing, x: float, y: float, label: Text, width: float = 62, height: float = 84) -> None:
    """A block with its name, its left side at x."""
    d.box(x, y - height / 2, width, height)
    d.label((x + width / 2, y + 5), label)


def wall(d: Drawing, y: float, height: float = 110) -> None:
    """A wall at the left."""
    d.hatch((LEFT, y - height / 2), (LEFT, y + height / 2))


def motion(d: Drawing, x: float, y: float, label: Text = _DISPLACEMENT) -> None:
    """Where the displacement is counted from."""
    d.line([(x, y), (x, y - 16)], "soft", 1)
    d.line([(x, y - 10), (x + 34, y - 10)], "accent", arrow=True)
    d.label((x + 42, y - 6), label, "start", "accent")


def force(d: Drawing, x: float, y: float) -> None:
    """A load to the right."""
    d.line([(x, y), (x + 46, y)], "bad", 2, arrow=True)
    d.label((x + 54, y + 5), letter("f")("t"), "start", "bad")


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
