"""Slow loading, as the scheme of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hamex.schemes.scheme import Array, Histories, Scheme

_NOTHING: Mapping[str, Array] = {}


@dataclass(frozen=True)
class QuasiStatic(Scheme):
    """Slow loading in increments, which count as time: what :func:`hamex.pushover` and its kin record as scheme.

    Examples
    --------
    >>> QuasiStatic(by="force").step
    1.0
    """

    by: Literal["displacement", "force"] = "displacement"
    step: float = 1.0

    def loads(
        self, load: Histories, steps: int, quiet: bool = True, histories: Mapping[str, Array] = _NOTHING
    ) -> tuple[Array, Array]:
        """The run found the factor of the first channel itself, and keeps it; the second is there all the time."""
        factor = histories["load_factor"]
        values = np.column_stack([factor, np.ones_like(factor)])
        return values, 0.5 * (values[:-1] + values[1:])
