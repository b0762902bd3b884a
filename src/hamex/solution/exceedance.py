"""The first passing of a physical limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hamex.solution.solution import Solution


@dataclass(frozen=True)
class Exceedance:
    """The first passing of a limit: what, where, when [s], and the limit."""

    quantity: str
    where: str
    time: float
    limit: float

    def __str__(self) -> str:
        return f"{self.where} passed {self.quantity.replace('_', ' ')} {self.limit:g} at t = {self.time:g} s"


def exceedance(solution: Solution) -> Exceedance | None:
    """The limit that was passed first, or None."""
    passed = []
    for name, limit in (("drift_ratio", solution.limit.drift_ratio), ("storey_drift", solution.limit.drift)):
        if limit is None or name not in solution.names:
            continue
        beyond = np.abs(solution.values(name)) > limit
        rows = np.flatnonzero(beyond.any(axis=1))
        if rows.size:
            where = solution.labels("storey")[int(beyond[rows[0]].argmax())]
            passed.append(Exceedance(name, where, float(solution.times[rows[0]]), limit))
    return min(passed, key=lambda found: found.time, default=None)
