"""Boxes of text lines, set beside each other on one line of writing."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


def width(text: str) -> int:
    """Columns that a text takes in a terminal: accents stand on their letter."""
    return sum(not unicodedata.combining(c) for c in text)


@dataclass(frozen=True)
class Box:
    """Lines of equal width; ``base`` is the one that stands on the line of writing."""

    lines: tuple[str, ...]
    base: int = 0

    @property
    def width(self) -> int:
        return max(width(line) for line in self.lines)


def beside(boxes: list[Box]) -> Box:
    """Boxes on one line of writing."""
    boxes = boxes or [Box(("",))]
    above = max(b.base for b in boxes)
    below = max(len(b.lines) - b.base for b in boxes)
    lines = []
    for row in range(above + below):
        parts = [b.lines[i] if 0 <= (i := row - above + b.base) < len(b.lines) else "" for b in boxes]
        lines.append("".join(p + " " * (b.width - width(p)) for p, b in zip(parts, boxes, strict=True)))
    return Box(tuple(lines), above)


def centred(box: Box, columns: int) -> list[str]:
    """The lines of a box in the middle of so many columns."""
    left = (columns - box.width) // 2
    return [" " * left + line + " " * (columns - left - width(line)) for line in box.lines]


def fence(sign: str, inside: Box, side: int) -> Box:
    """A bracket as high as what it holds; ``side`` 0 opens, 1 closes."""
    height = len(inside.lines)
    if sign == ".":
        return Box(("",))
    if height == 1:
        return Box((sign,))
    if sign == "{":
        middle = ["⎪"] * (height - 2)
        if middle:
            middle[(height - 2) // 2] = "⎨"
        return Box(("⎧", *middle, "⎩"), inside.base)
    ends = {"(": "⎛⎜⎝", ")": "⎞⎟⎠", "[": "⎡⎢⎣", "]": "⎤⎥⎦", "|": "│││"}.get(sign)
    if ends is None:
        return Box((sign,))
    return Box((ends[0], *ends[1] * (height - 2), ends[2]), inside.base)


def grid(rows: list[list[Box]], centre: bool) -> Box:
    """Cells in rows and columns."""
    columns = max(len(row) for row in rows)
    widths = [max((row[j].width for row in rows if j < len(row)), default=0) for j in range(columns)]
    lines: list[str] = []
    for row in rows:
        cells = []
        for j, cell in enumerate(row):
            padded = centred(cell, widths[j]) if centre else [x + " " * (widths[j] - width(x)) for x in cell.lines]
            cells.append(Box(tuple(padded), cell.base))
            if j < len(row) - 1:
                cells.append(Box(("  ",)))
        lines += beside(cells).lines
    return Box(tuple(lines), len(lines) // 2)
