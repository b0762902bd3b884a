"""What sketches are put together from: springs, dashpots, sliders, masses, walls and arrows."""

from __future__ import annotations

from hamex.report.derivation.drawing import Drawing

LEFT = 40.0        # where the wall stands


def spring(d: Drawing, x0: float, x1: float, y: float, label: str = "", turns: int = 6) -> None:
    """A spring between two places."""
    lead = 14.0
    inner = x1 - x0 - 2 * lead
    zigzag = [(x0 + lead + inner * (i + 0.5) / (2 * turns), y + (9 if i % 2 else -9)) for i in range(2 * turns)]
    d.line([(x0, y), (x0 + lead, y), *zigzag, (x1 - lead, y), (x1, y)])
    d.label(((x0 + x1) / 2, y - 16), label)


def dashpot(d: Drawing, x0: float, x1: float, y: float, label: str = "") -> None:
    """A dashpot between two places."""
    middle = (x0 + x1) / 2
    d.line([(x0, y), (middle - 16, y)])
    d.line([(middle + 14, y - 11), (middle - 16, y - 11), (middle - 16, y + 11), (middle + 14, y + 11)])
    d.line([(middle + 2, y - 8), (middle + 2, y + 8)], width=2.4)
    d.line([(middle + 2, y), (x1, y)])
    d.label((middle, y - 18), label)


def slider(d: Drawing, x0: float, x1: float, y: float, label: str = "") -> None:
    """A slider between two places."""
    middle = (x0 + x1) / 2
    d.line([(x0, y), (middle - 4, y)])
    d.line([(middle - 22, y + 4), (middle + 8, y + 4)], width=2.4)
    d.line([(middle - 4, y), (middle - 4, y + 4)])
    d.line([(middle - 22, y + 9), (middle + 22, y + 9), (middle + 22, y), (x1, y)])
    d.label((middle, y - 9), label)


def mass(d: Drawing, x: float, y: float, label: str, width: float = 62, height: float = 84) -> None:
    """A block with its name, its left side at x."""
    d.box(x, y - height / 2, width, height)
    d.label((x + width / 2, y + 5), label)


def wall(d: Drawing, y: float, height: float = 110) -> None:
    """A wall at the left."""
    d.hatch((LEFT, y - height / 2), (LEFT, y + height / 2))


def motion(d: Drawing, x: float, y: float, label: str = "$u$") -> None:
    """Where the displacement is counted from."""
    d.line([(x, y), (x, y - 16)], "soft", 1)
    d.line([(x, y - 10), (x + 34, y - 10)], "accent", arrow=True)
    d.label((x + 42, y - 6), label, "start", "accent")


def force(d: Drawing, x: float, y: float) -> None:
    """A load to the right."""
    d.line([(x, y), (x + 46, y)], "bad", 2, arrow=True)
    d.label((x + 54, y + 5), "$f(t)$", "start", "bad")
