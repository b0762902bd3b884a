"""A function of time of which samples are known and nothing else: what a file keeps of a load that was a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import LoadError

Array = NDArray[Any]
_WHOLE = 1e-9      # times this close to a sample are the sample's


@dataclass(frozen=True, eq=False)
class Sampled:
    """Samples from t = 0 on, exact at their times and linear in between; nothing is known after the last one.

    Examples
    --------
    >>> kept = Sampled(np.array([0.0, 1.0, 4.0]), step=0.5)
    >>> kept([0.5, 0.75]).tolist()
    [1.0, 2.5]
    """

    values: Array
    step: float

    @property
    def end(self) -> float:
        """Time of the last sample [s]."""
        return (len(self.values) - 1) * self.step

    def __call__(self, t: ArrayLike) -> Array:
        place = np.asarray(t, dtype=float) / self.step
        last = len(self.values) - 1
        near = np.round(place)
        near = np.where(np.abs(place - near) <= _WHOLE * (1 + np.abs(place)), near, place)
        if np.any(near > last) or np.any(near < 0):
            raise LoadError(f"this load was a function, of which the file keeps samples up to t = {self.end:g} s; give "
                            "the function again: problem.replace(load=hx.Load(function, patterns=problem.load.patterns,"
                            " ground=problem.load.ground))")
        below = np.minimum(np.floor(near).astype(int), last)
        part = near - below
        after = self.values[np.minimum(below + 1, last)]
        return np.asarray(np.where(part == 0, self.values[below], self.values[below] * (1 - part) + after * part))
