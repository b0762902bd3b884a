"""Samples, linear in between: seen at the nodes of another clock or averaged over its steps; and
the exact step of a linear oscillator under them.

Node r stands at ``base + (first + r)·ratio`` samples: a formula of the node's whole number on the clock of the first
run, so that a run that is split anywhere reads the same bits as the whole run. One zero sample follows the last one,
and all beyond it is zero.

*The exact step* of ``ü + 2ζω u̇ + ω²u = l(t)`` with l linear in time; what happens inside it; and the energy that it
takes in. With g the response to a unit impulse, all that a step of length h needs is

    σ = g(h)/h   and the moments   φₖ = ∫ (τ/h)ᵏ g dτ / h²,   k = 0, 1, 2,

which tend to 1 and 1/(k + 2) for slow oscillators. With θ = ωh and β = ζθ, displacement and h times the velocity go

    u  ←  (1 − θ²φ₀) u + σ hv              + h² (φ₁ l₀ + (φ₀ − φ₁) l₁)
    hv ←  (1 − θ²φ₀ − 2βσ) hv − θ²σ u      + h² ((σ − φ₀) l₀ + φ₀ l₁).

The numbers come from a power series for a step so short that it converges at once, and from two steps making one as
often as it takes: no sines, no cases for under-, critical and over-damping, no difference of nearly equal numbers.

*Inside the step.* q is the displacement, or any fixed combination αu + γu̇ of displacement and velocity; all of these
obey ``q̈ + 2ζω q̇ + ω²q = l`` with l linear in the step, so the two nodes and l at both ends say everything. Time
inside the step is x in [0, 1], and derivatives are with respect to x.

*Energy* that a record puts in, per unit mass: ``−∫ a u̇ dt`` over a step is ``−a₀ Δu − (a₁ − a₀) m`` with the moment
m = ∫ x u̇ dt of the velocity; Δu and m are known from the state at the start.
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from typing import Any

import numpy as np

from hamex.march.lanes import put, take

Numbers = Sequence[float]
Out = MutableSequence[float]

AVERAGE, END, MEAN = 0, 1, 2  # what a step takes of its load
CLOSE = 1e-9  # positions this near to a sample are that sample
FEW = 0.05  # steps of so few samples have a loop of their own


def nodes(samples: Numbers, base: float, first: int, ratio: float, out: Out) -> int:
    """Interpolated value at each node."""
    if ratio < FEW:
        return _short_steps(samples, base, first, ratio, out)
    value, slope, whole = 0.0, 0.0, -1.0
    for r in range(len(out)):
        position = base + (first + r) * ratio
        if position + CLOSE >= whole + 1.0:
            i = max(int(position + CLOSE), 0)  # lets the compiler see that no index counts from the end
            value = samples[i] if i < len(samples) else 0.0
            slope = (samples[i + 1] if i + 1 < len(samples) else 0.0) - value
            whole = float(i)
        inside = position - whole
        out[r] = value + slope * (inside if inside > 0.0 else 0.0)
    return 0


def _short_steps(samples: Numbers, base: float, first: int, ratio: float, out: Out) -> int:
    """The same, one loop for all nodes between two samples: half the time where there are many."""
    r = 0
    while r < len(out):
        position = base + (first + r) * ratio
        i = max(int(position + CLOSE), 0)
        value = samples[i] if i < len(samples) else 0.0
        slope = (samples[i + 1] if i + 1 < len(samples) else 0.0) - value
        count = min(max(int((i + 1 - position) / ratio), 1), len(out) - r)
        while count > 1 and base + (first + r + count - 1) * ratio + CLOSE >= i + 1:
            count -= 1
        for j in range(r, r + count):
            inside = base + (first + j) * ratio - i
            out[j] = value + slope * (inside if inside > 0.0 else 0.0)
        r += count
    return 0


def averages(samples: Numbers, base: float, first: int, ratio: float, out: Out) -> int:
    """Half the sum of the values at the ends of each step; ``out`` has one entry more, for the last node."""
    nodes(samples, base, first, ratio, out)
    for r in range(len(out) - 1):
        out[r] = 0.5 * (out[r] + out[r + 1])
    return 0


def means(samples: Numbers, base: float, first: int, ratio: float, out: Out) -> int:
    """Integral over each step divided by its length: the sum of the trapezoids inside it."""
    for r in range(len(out)):
        begin = base + (first + r) * ratio
        end = base + (first + r + 1) * ratio
        length = end - begin
        total = 0.0
        i = int(begin)
        while i < len(samples) and begin < end:
            stop = min(end, i + 1.0)
            value = samples[i]
            slope = (samples[i + 1] if i + 1 < len(samples) else 0.0) - value
            # Value at the middle of the piece times its length: exact for a straight line.
            middle = 0.5 * ((begin - i) + (stop - i))
            total += (value + slope * middle) * (stop - begin)
            begin = stop
            i += 1
        out[r] = total / length
    return 0


Array = Any

TERMS = 24  # of a power series; it ends before: θ ≤ 1 needs 20 at most
SHORT = 1.0  # θ + 2β of a step that is short
SMALL = 2.0**-60
INVERSE = (0.0, *(1.0 / k for k in range(1, 32)))
SETTLED = 2.0**-28  # of x: the value is off by its square
PATIENCE = 60  # of the search: halving alone would do
CRITICAL = 1e-13  # 1 − ζ² of what counts as critical damping

LANES = 8
# Rows of the table of energies: what Δu, hv at the end and the moment take from u, hv and a at both ends of the step.
DU = 0
V = 4
MOMENT = 8
WORK = 12
ROWS = 13


def propagator(theta: float, zeta: float) -> tuple[float, float, float, float]:
    """σ, φ₀, φ₁, φ₂ of a step, for any damping ratio ζ ≥ 0.

    >>> propagator(1e-9, 0.05)[:2]
    (0.99999999995, 0.49999999998333333)
    """
    beta = zeta * theta
    halvings = 0
    while theta + 2.0 * beta > SHORT:
        theta *= 0.5
        beta *= 0.5
        halvings += 1
    # g(xh)/h = Σ pₖ xᵏ, by the differential equation; its end and its moments.
    before, term = 0.0, 1.0
    sigma, phi0, phi1, phi2 = 1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0
    for k in range(2, TERMS):
        # Products of constants first: they do not wait for the last term.
        after = -((2.0 * beta * INVERSE[k]) * term + (theta * theta * INVERSE[k] * INVERSE[k - 1]) * before)
        before, term = term, after
        sigma += term
        phi0 += INVERSE[k + 1] * term
        phi1 += INVERSE[k + 2] * term
        phi2 += INVERSE[k + 3] * term
        if abs(term) + abs(before) < SMALL:
            break
    for _ in range(halvings):
        # In the second step the impulse response starts at σ with the slope vv: the parts of it and their moments.
        vv = 1.0 - theta * theta * phi0 - 2.0 * beta * sigma
        moment0 = sigma * (sigma + 2.0 * beta * phi0) + vv * phi0
        moment1 = sigma * (sigma - phi0 + 2.0 * beta * phi1) + vv * phi1
        moment2 = sigma * (sigma - 2.0 * phi1 + 2.0 * beta * phi2) + vv * phi2
        sigma *= vv + beta * sigma
        phi2 = 0.0625 * (phi2 + moment0 + 2.0 * moment1 + moment2)
        phi1 = 0.125 * (phi1 + moment0 + moment1)
        phi0 = 0.25 * (phi0 + moment0)
        theta *= 2.0
        beta *= 2.0
    return sigma, phi0, phi1, phi2


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


def input_energy(a: Array, step: float, omega: Array, zeta: Array, out: Array) -> int:
    """Work of the ground on the relative motion up to the end of the record."""
    table = np.empty((ROWS, LANES))
    for first in range(0, len(omega), LANES):
        count = min(LANES, len(omega) - first)
        for lane in range(LANES):
            i = first + min(lane, count - 1)
            enter_energy(table, lane, omega[i] * step, zeta[i], step)
        march_energy(a, table)
        for lane in range(count):
            out[first + lane] = table[WORK, lane]
    return 0


def enter_energy(table: Array, lane: int, theta: float, zeta: float, step: float) -> None:
    """Coefficients of an oscillator, the load being −a."""
    sigma, phi0, phi1, phi2 = propagator(theta, zeta)
    beta, square, push = zeta * theta, theta * theta, -step * step
    table[DU, lane] = -square * phi0
    table[DU + 1, lane] = sigma
    table[DU + 2, lane] = push * phi1
    table[DU + 3, lane] = push * (phi0 - phi1)
    table[V, lane] = -square * sigma
    table[V + 1, lane] = 1.0 - square * phi0 - 2.0 * beta * sigma
    table[V + 2, lane] = push * (sigma - phi0)
    table[V + 3, lane] = push * phi0
    table[MOMENT, lane] = -square * phi1
    table[MOMENT + 1, lane] = sigma - phi0
    table[MOMENT + 2, lane] = push * (phi1 - 0.5 * (phi0 - phi2))
    table[MOMENT + 3, lane] = push * (0.5 * (phi0 - phi2))


def march_energy(a: Array, table: Array) -> None:
    """March a block from rest and add up."""
    uu, uv = take(table, DU, 0, LANES), take(table, DU + 1, 0, LANES)
    ua, ub = take(table, DU + 2, 0, LANES), take(table, DU + 3, 0, LANES)
    vu, vv = take(table, V, 0, LANES), take(table, V + 1, 0, LANES)
    va, vb = take(table, V + 2, 0, LANES), take(table, V + 3, 0, LANES)
    mu, mv = take(table, MOMENT, 0, LANES), take(table, MOMENT + 1, 0, LANES)
    ma, mb = take(table, MOMENT + 2, 0, LANES), take(table, MOMENT + 3, 0, LANES)
    u = 0.0 * uu
    v = u
    total = u
    for r in range(len(a) - 1):
        now, after = a[r], a[r + 1]
        du = uu * u + (uv * v + (ua * now + ub * after))
        moment = mu * u + (mv * v + (ma * now + mb * after))
        v = vv * v + (vu * u + (va * now + vb * after))
        u = u + du
        total = total - (now * du + (after - now) * moment)
    put(table, WORK, 0, total)
