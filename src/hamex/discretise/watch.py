"""The promise kept step by step: where a model softens too much for a promise beforehand, each accepted step is judged.

A step whose matrix is positive definite with the tangents that the springs have *there* is a strict minimum: no other
solution is near it, and it follows the load continuously. The first step of which this cannot be said is where one
solution stops being certain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.promise import Form, Matrices, weakest

Array = NDArray[Any]


@dataclass(eq=False)
class Watch:
    """Judges the steps of one run, of length h [s].

    Attributes
    ----------
    form, system, h : scheme, model and step.
    assemble : tangents T of the springs, in the layout of the march → B T Bᵀ.
    since : start of the first step without a definite matrix [s]; None while there is none.
    """

    form: Form
    system: Matrices
    h: float
    assemble: Callable[[Array], Any]
    since: float | None = None
    _judged: dict[bytes, bool] = field(default_factory=dict)

    def see(self, tangents: Array, start: float) -> float | None:
        """Judge accepted steps by their tangents (step, entry), the first of them from ``start`` [s] on; ``since``.

        With several stages the tangents of a step are the least of its stages. Springs keep their branches for many
        steps, so that few of them cost a factorisation; after the first doubt nothing is looked at any more.
        """
        if self.since is None:
            for step, T in enumerate(tangents):
                if not self.certain(T):
                    self.since = start + step * self.h
                    break
        return self.since

    def certain(self, T: Array) -> bool:
        """True where the step's matrix with these tangents is positive definite."""
        key = np.ascontiguousarray(T).tobytes()
        if key not in self._judged:
            springs = self.assemble(T)
            here = replace(self.system, springs=lambda tau, isotropic: springs)
            self._judged[key] = weakest(self.form, here, self.h) is None
        return self._judged[key]
