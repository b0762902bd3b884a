"""Physical limits: a run that passes one is a result with a flag, never a failure of the solver."""

from __future__ import annotations

from dataclasses import dataclass

from hamex.checks import is_positive
from hamex.errors import ProblemError


@dataclass(frozen=True)
class Limit:
    """Storey drift beyond which a structure counts as collapsed; small-displacement results mean little there.

    Parameters
    ----------
    drift_ratio : storey drift over storey height [1], checked where heights are known; None for no limit.
    drift : storey drift [length]; no limit by default.
    stop : end the run at the first node beyond the limit.

    Examples
    --------
    >>> Limit(drift_ratio=0.05)
    Limit(drift_ratio=0.05, drift=None, stop=False)
    """

    drift_ratio: float | None = 0.1
    drift: float | None = None
    stop: bool = False

    def __post_init__(self) -> None:
        for name in ("drift_ratio", "drift"):
            value = getattr(self, name)
            if value is not None and not is_positive(value):
                raise ProblemError(f"Limit: {name} must be a positive number or None, got {value!r}")
