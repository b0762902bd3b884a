"""Energy that a record puts into elastic oscillators, per unit mass: exact for a record linear between samples.

``−∫ a u̇ dt`` over a step is ``−a₀ Δu − (a₁ − a₀) m`` with the moment m = ∫ x u̇ dt of the velocity, x running from 0
to 1; Δu and m are known from the state at the start. Letters as in :mod:`hamex.march.propagator`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamex.march.lanes import put, take
from hamex.march.propagator import propagator

Array = Any

LANES = 8
# Rows of the table of a block: what Δu, hv at the end and the moment take from u, hv and a at both ends of the step.
DU = 0
V = 4
MOMENT = 8
WORK = 12
ROWS = 13


def input_energy(a: Array, step: float, omega: Array, zeta: Array, out: Array) -> int:
    """Work of the ground on the relative motion up to the end of the record."""
    table = np.empty((ROWS, LANES))
    for first in range(0, len(omega), LANES):
        count = min(LANES, len(omega) - first)
        for lane in range(LANES):
            i = first + min(lane, count - 1)
            enter(table, lane, omega[i] * step, zeta[i], step)
        work(a, table)
        for lane in range(count):
            out[first + lane] = table[WORK, lane]
    return 0


def enter(table: Array, lane: int, theta: float, zeta: float, step: float) -> None:
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


def work(a: Array, table: Array) -> None:
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
