"""How a scheme is drawn and called: one colour a family, one dash a member."""

from __future__ import annotations

import math
from typing import Any

from hamex.lab.catalogue import CATALOGUE, Entry
from hamex.report.colours import BLUE, GREEN, INK, ORANGE, PINK, RED

COLOURS = {"element": BLUE, "jump": GREEN, "alpha": ORANGE, "collocation": PINK, "composite": RED, "explicit": INK}
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1, 1.2)), (0, (5, 1.4, 1, 1.4)), (0, (2.5, 1)))
MARKERS = ("o", "s", "^", "D", "v")
SHORT = {"newmark-average": "Newmark 1/4", "newmark-linear": "Newmark 1/6", "newmark-damped": "Newmark γ = 0.6",
         "generalised-alpha": "Generalised-α", "hht": "HHT-α", "central": "Central difference",
         "runge-kutta-4": "Runge-Kutta 4", "wilson": "Wilson-θ", "bathe-rho": "ρ∞-Bathe"}


def short(entry: Entry) -> str:
    """A name for legends."""
    return SHORT.get(entry.key, entry.name.replace(", degree", ""))


def member(entry: Entry) -> int:
    """Which one of its family."""
    family = [other.key for other in CATALOGUE if other.family == entry.family]
    return family.index(entry.key) if entry.key in family else 0


def line(entry: Entry) -> dict[str, Any]:
    """Options of a curve."""
    return {"color": COLOURS[entry.family], "ls": DASHES[member(entry) % len(DASHES)], "label": short(entry),
            "lw": 1.7 if entry.family in ("element", "jump") else 1.1}


def marked(entry: Entry) -> dict[str, Any]:
    """Options of a curve through points."""
    return line(entry) | {"marker": MARKERS[member(entry) % len(MARKERS)], "ms": 3.6}


def number(value: float | None, digits: int = 3) -> str:
    """A number for a table: plain, or with a power of ten; a dash for none."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    if value != 0 and not 1e-3 <= abs(value) < 1e4:
        mantissa, power = f"{value:.{max(digits - 2, 0)}e}".split("e")
        factor = "" if float(mantissa) == 1 else f"{mantissa}·"
        return f"{factor}10{str(int(power)).translate(_RAISED)}".replace("-", "−")
    text = f"{value:.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"
    return text.replace("-", "−")


def percent(value: float, places: int = 3) -> str:
    """A share in per cent with a fixed number of decimals; round-off is nothing."""
    if math.isnan(value):
        return "–"
    rounded = round(100 * value, places)
    return f"{abs(rounded) if rounded == 0 else rounded:.{places}f}".replace("-", "−")


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
