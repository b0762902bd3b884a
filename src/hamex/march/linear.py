"""Exact recurrence of a linear oscillator under a load that is linear between nodes."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

Numbers = Sequence[float]
Out = MutableSequence[float]


def recurrence(
    load: Numbers,
    uu: float,
    up: float,
    uf: float,
    ug: float,
    pu: float,
    pp: float,
    pf: float,
    pg: float,
    u: Out,
    p: Out,
) -> int:
    """``(u, p)ᵣ = G (u, p)ᵣ₋₁ + H (fᵣ₋₁, fᵣ)`` with G, H from the matrix exponential."""
    ur, pr = u[0], p[0]
    for r in range(1, len(load)):
        f, g = load[r - 1], load[r]
        u[r] = uu * ur + up * pr + (uf * f + ug * g)
        p[r] = pu * ur + pp * pr + (pf * f + pg * g)
        ur, pr = u[r], p[r]
    return 0
