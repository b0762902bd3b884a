"""Capacity curve of slow loading: what is controlled, and the bilinear line that takes as much work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.solution.solution import Solution

Array = NDArray[Any]
_SECANT = 0.6  # of the yield force: where the elastic line of ASCE 41 crosses the curve


@dataclass(frozen=True)
class BilinearFit:
    """Two straight lines up to the largest force: the first through the curve at 0.6 of yield, the areas below equal.

    Attributes
    ----------
    yield_displacement, yield_factor : where the lines meet.
    last_displacement, last_factor : the end of the second line, at the largest load factor.
    """

    yield_displacement: float
    yield_factor: float
    last_displacement: float
    last_factor: float

    @property
    def corners(self) -> tuple[list[float], list[float]]:
        """Displacements and load factors of the three corners."""
        return ([0.0, self.yield_displacement, self.last_displacement], [0.0, self.yield_factor, self.last_factor])


def controlled(solution: Solution) -> Array:
    """Displacement on which the pattern does its work, at the nodes [length]; see :func:`hamex.pushover`."""
    pattern = solution.problem.load.patterns
    assert pattern is not None
    return np.asarray(solution.values("displacement") @ (pattern[:, 0] / np.abs(pattern[:, 0]).sum()))


def bilinear(displacement: Array, factor: Array) -> BilinearFit | None:
    """The fit of ASCE 41 up to the largest load factor; None where the curve does not bend, or goes to and fro.

    >>> u = np.linspace(0.0, 4.0, 401)
    >>> fit = bilinear(u, np.minimum(u, 1.0))
    >>> round(fit.yield_displacement, 6), round(fit.yield_factor, 6)
    (1.0, 1.0)
    """
    sign = np.sign(displacement[-1] - displacement[0])
    u, f = sign * (displacement - displacement[0]), sign * factor
    last = int(np.argmax(f > f.max() * (1 - 1e-6)))  # where the plateau begins at the latest
    last = len(f) - 1 if f[-1] > f.max() * (1 - 1e-6) else last
    u, f = u[: last + 1], f[: last + 1]
    if len(u) < 3 or np.any(np.diff(u) <= 0) or f[-1] <= 0:
        return None
    area = float(np.sum(np.diff(u) * (f[1:] + f[:-1])) / 2)

    def elastic(level: float) -> float:
        """Displacement at yield: the line from the origin through the curve at 0.6 of this force."""
        at = int(np.argmax(f >= _SECANT * level))
        share = (_SECANT * level - f[at - 1]) / (f[at] - f[at - 1])
        return float(u[at - 1] + share * (u[at] - u[at - 1])) / _SECANT

    def excess(level: float) -> float:
        bend = elastic(level)
        return level * bend / 2 + (level + f[-1]) * (u[-1] - bend) / 2 - area

    low, high = 0.05 * float(f[-1]), float(f[-1])
    straight = np.abs(f - f[-1] * u / u[-1]).max() < 1e-6 * f[-1]
    if straight or excess(low) > 0 or excess(high) < -1e-9 * area:
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    bend = elastic(high)
    if bend >= u[-1]:
        return None
    return BilinearFit(float(sign) * bend, float(sign) * high, float(sign) * float(u[-1]), float(sign) * float(f[-1]))
