"""Ways to say how much viscous damping a model has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite
from hamex.errors import ModelError

Array = NDArray[Any]


@dataclass(frozen=True)
class Ratio:
    """Fraction of critical damping; build it with :func:`ratio`."""

    value: float


def ratio(value: float) -> Ratio:
    """Damping as a fraction of critical, e.g. ``damping=ratio(0.05)`` for 5 %.

    Examples
    --------
    >>> ratio(0.05).value
    0.05
    """
    if not is_finite(value) or value < 0:
        raise ModelError(f"ratio: the damping ratio must be a finite number ≥ 0, got {value!r} (0.05 is 5 %)")
    return Ratio(float(value))


@dataclass(frozen=True, eq=False)
class Damping:
    """Damping matrix ``C = matrix + shapes · diag(weights) · shapesᵀ``.

    Modal damping of a few modes is the low-rank part, so that it never fills a sparse ``C``.
    """

    matrix: Any    # plain or sparse
    shapes: Array
    weights: Array

    @classmethod
    def full(cls, matrix: Any) -> Damping:
        """A damping matrix with no low-rank part."""
        return cls(matrix, np.zeros((matrix.shape[0], 0)), np.zeros(0))

    def dense(self) -> Array:
        """``C`` as one full matrix."""
        matrix = self.matrix if isinstance(self.matrix, np.ndarray) else self.matrix.toarray()
        return np.asarray(matrix + (self.shapes * self.weights) @ self.shapes.T)
