"""Text in two dimensions, for a terminal: boxes of lines that are set beside each other on one line of writing."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


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
