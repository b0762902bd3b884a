"""Physical limits: a run that passes one is a result with a flag, never a failure of the solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hamex.checks import is_positive
from hamex.errors import ProblemError

if TYPE_CHECKING:
    from hamex.solution.solution import Solution


@dataclass(frozen=True)
class Limit:
    """Storey drift beyond which a structure counts as collapsed; small-displacement results mean little there.

    Parameters
    ----------
    drift_ratio : storey drift over storey height [1], checked where heights are known; None for no limit.
    drift : storey drift [length]; no limit by default.

    Examples
    --------
    >>> Limit(drift_ratio=0.05)
    Limit(drift_ratio=0.05, drift=None)
    """

    drift_ratio: float | None = 0.1
    drift: float | None = None

    def __post_init__(self) -> None:
        for name in ("drift_ratio", "drift"):
            value = getattr(self, name)
            if value is not None and not is_positive(value):
                raise ProblemError(f"Limit: {name} must be a positive number or None, got {value!r}")


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
