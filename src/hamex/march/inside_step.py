"""Inside one exact step: the largest |q| between two nodes, and after the last one.

q is the displacement of an oscillator, or any fixed combination αu + γu̇ of displacement and velocity; all of these obey
``q̈ + 2ζω q̇ + ω²q = l`` with l linear in the step, so the two nodes and l at both ends say everything. Letters as in
:mod:`hamex.march.propagator`; time inside the step is x in [0, 1], and derivatives are with respect to x.
"""

from __future__ import annotations

import math
from typing import Any

from hamex.march.propagator import INVERSE, SMALL

Array = Any

TERMS = 24  # of the power series of q; θ ≤ 1 needs 20 at most
SETTLED = 2.0**-28  # of x: the value is off by its square
PATIENCE = 60  # of the search: halving alone would do
CRITICAL = 1e-13  # 1 − ζ² of what counts as critical damping


def ends(
    q0: float, rise: float, l0: float, l1: float, square: float, beta: float, sigma: float, phi0: float, phi1: float
) -> tuple[float, float]:
    """q̇ at both ends of a step that starts at q0 and rises by ``rise``; l times h²."""
    start = (rise + square * phi0 * q0 - (phi1 * l0 + (phi0 - phi1) * l1)) / sigma
    end = (1.0 - square * phi0 - 2.0 * beta * sigma) * start - square * sigma * q0 + (sigma - phi0) * l0 + phi0 * l1
    return start, end


def largest(
    q0: float,
    q1: float,
    start: float,
    end: float,
    l0: float,
    l1: float,
    square: float,
    beta: float,
    margin: float,
    peak: float,
    series: Array,
) -> float:
    """The largest of ``peak`` and |q| where q̇ = 0 in the step; 8 ``margin`` times q̈ at the ends bounds q̈ in between.

    q̈ is a free vibration and changes sign at most once in a step shorter than half a period, so q̇ has at most two
    zeros; each is bracketed before Newton is let loose on it.
    """
    bend = l0 - 2.0 * beta * start - square * q0
    bent = l1 - 2.0 * beta * end - square * q1
    rise = margin * max(abs(bend), abs(bent))
    if max(abs(q0), abs(q1)) + rise <= peak:
        return peak
    twice = start * end >= 0.0
    if twice and (bend * bent >= 0.0 or abs(start + end) >= 8.0 * rise):  # it takes that much to zero and back
        return peak
    terms = expand(q0, start, l0, l1, square, beta, series)
    differentiate(series, terms)
    q, slope, curve = series[0], series[1], series[2]
    low, high, at_low, at_high = 0.0, 1.0, start, end
    if twice:
        high = zero(curve, terms - 2, 0.0, 1.0, bend, bend / (bend - bent))
        at_high = horner(slope, terms - 1, high)[0]
    for _ in range(2):
        if at_low * at_high < 0.0:
            x = zero(slope, terms - 1, low, high, at_low, low + (high - low) * (at_low / (at_low - at_high)))
            peak = max(peak, abs(horner(q, terms, x)[0]))
        low, high, at_low, at_high = high, 1.0, at_high, end
    return peak


def expand(q0: float, start: float, l0: float, l1: float, square: float, beta: float, series: Array) -> int:
    """q as a power series in x, by its differential equation, into row 0; returns how many terms count."""
    for k in range(TERMS):
        series[0, k] = 0.0
    series[0, 0] = q0
    series[0, 1] = start
    series[0, 2] = 0.5 * (l0 - 2.0 * beta * start - square * q0)
    load = l1 - l0
    small = SMALL * (abs(q0) + abs(start))
    for k in range(3, TERMS):
        force = load - square * series[0, k - 2]
        series[0, k] = INVERSE[k] * (INVERSE[k - 1] * force - 2.0 * beta * series[0, k - 1])
        load = 0.0
        if abs(series[0, k]) + abs(series[0, k - 1]) <= small:
            return k + 1
    return TERMS


def differentiate(series: Array, terms: int) -> None:
    """q̇ and q̈ into rows 1 and 2."""
    for k in range(1, terms):
        series[1, k - 1] = k * series[0, k]
    for k in range(1, terms - 1):
        series[2, k - 1] = k * series[1, k]


def horner(row: Array, terms: int, x: float) -> tuple[float, float]:
    """A power series at x, and its slope."""
    total, slope = 0.0, 0.0
    for k in range(terms - 1, -1, -1):
        slope = slope * x + total
        total = total * x + row[k]
    return total, slope


def zero(row: Array, terms: int, low: float, high: float, at_low: float, x: float) -> float:
    """Zero of a power series between low and high, where its signs differ: Newton, halving where that leaves."""
    for _ in range(PATIENCE):
        f, slope = horner(row, terms, x)
        if (f < 0.0) == (at_low < 0.0):
            low = x
        else:
            high = x
        further = x - f / slope if slope != 0.0 else low
        if not low <= further <= high:
            further = 0.5 * (low + high)
        if abs(further - x) <= SETTLED:
            return further
        x = further
    return x


def afterwards(q: float, slope: float, square: float, beta: float, peak: float) -> float:
    """The largest of ``peak`` and |q| at the first turning point of the free vibration after a node.

    All later ones are smaller. Damping is at most critical; next to it, the turning point is the one at critical
    damping, or so late that nothing is left.
    """
    delta = math.sqrt(max(square - beta * beta, 0.0))
    rate = slope + beta * q
    if delta * delta <= CRITICAL * square:
        late = square * q + beta * slope
        x = slope / late if late * slope > 0.0 else 0.0
        return max(peak, abs(math.exp(-beta * x) * (q + rate * x)))
    if delta * delta * q * q + rate * rate <= delta * delta * peak * peak:
        return peak
    phase = math.atan2(slope * delta, square * q + beta * slope)
    if phase <= 0.0:
        phase += math.pi
    return max(peak, abs(math.exp(-beta * phase / delta) * (q * math.cos(phase) + rate / delta * math.sin(phase))))
