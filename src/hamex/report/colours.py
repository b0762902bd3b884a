"""Every colour of pages and figures, said once: as it stands on white paper, and on dark."""

from __future__ import annotations

import re

# The six colours of curves are those of Okabe & Ito, "Color Universal Design" (2008), which colour-blind readers can
# tell apart; on dark the two blues change places, so that the blue of most curves is the brighter one.
COLOURS: dict[str, tuple[str, str]] = {
    "ink": ("#1d2330", "#e8eaee"), "soft": ("#5b6474", "#a4adba"), "grey": ("#929ba8", "#848e9c"),
    "faint": ("#c4c9d2", "#4a525f"), "line": ("#d9dde4", "#3a414d"), "paper": ("#ffffff", "#161a20"),
    "wash": ("#f5f7fa", "#1f242c"), "accent": ("#0072b2", "#56b4e9"), "good": ("#00714f", "#4fd1a5"),
    "bad": ("#b3400b", "#ff9a62"), "blue": ("#0072b2", "#56b4e9"), "orange": ("#e69f00", "#e69f00"),
    "green": ("#009e73", "#009e73"), "pink": ("#cc79a7", "#cc79a7"), "sky": ("#56b4e9", "#0072b2"),
    "red": ("#d55e00", "#d55e00"), "brown": ("#8a4b00", "#e8a860"), "pine": ("#00583f", "#62c9a3"),
    # Five steps away from the paper, which differ in lightness too (after Crameri's batlow).
    "step-1": ("#e9e4d8", "#3b424c"), "step-2": ("#f9b48f", "#80604f"), "step-3": ("#c59045", "#c08d45"),
    "step-4": ("#4d734d", "#93c293"), "step-5": ("#0b2c5c", "#d3e6ff"),
}
INK, SOFT, GREY, FAINT, LINE, PAPER, BLUE, ORANGE, GREEN, PINK, SKY, RED, BROWN, PINE = (COLOURS[name][0] for name in (
    "ink", "soft", "grey", "faint", "line", "paper", "blue", "orange", "green", "pink", "sky", "red", "brown", "pine"))
# The parts of an energy balance, from what is lost to what moves, under the words that results, reports and studio use.
ENERGIES = {"plastic": RED, "viscous": ORANGE, "jumps": PINK, "hardening": GREEN, "stored": BLUE, "kinetic": SKY,
            "input": INK}
STEPS = tuple(COLOURS[f"step-{number}"][0] for number in range(1, 6))
_NAMES = {light: name for name, (light, _) in COLOURS.items()}


def variable(colour: str) -> str:
    """A colour on white as the variable that follows the theme of the page; others stay as they are."""
    name = _NAMES.get(colour.lower())
    return f"var(--{name})" if name else colour


def themed(drawing: str) -> str:
    """An SVG whose lines and areas take their colours from the page."""
    return re.sub(r"\b(fill|stroke): (#[0-9a-f]{6})\b", lambda found: f"{found[1]}: {variable(found[2])}", drawing)


def variables(dark: bool = False) -> str:
    """The colours as declarations of a stylesheet."""
    energies = (f"--{name}: {variable(colour)};" for name, colour in ENERGIES.items())
    return " ".join([*(f"--{name}: {both[dark]};" for name, both in COLOURS.items()), *energies])
