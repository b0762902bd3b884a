"""Mean of a function of time over each step, to round-off.

Section 5.1 of the paper notes that a continuous load needs no sampling: it can stay in the integral. Gauss
points on each step, halved until two levels agree, integrate any Python function, kinks included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import LoadError

Array = NDArray[Any]
Function = Callable[..., object]

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_ROUND_OFF = 4 * np.finfo(float).eps
_HALVINGS = 50  # a jump inside a step is then located to 1e-15 of the step


def evaluate(function: Function, times: Array) -> Array:
    """Values at the given times; scalar-only functions are called one time after the other."""
    try:
        values = np.asarray(function(times), dtype=float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != times.shape:
        values = np.array([float(function(t)) for t in times.ravel().tolist()])  # type: ignore[arg-type]
        values = values.reshape(times.shape)
    bad = ~np.isfinite(values)
    if bad.any():
        raise LoadError(f"Load: the function is not finite at t = {times[bad].flat[0]:g} s")
    return values


def step_means(function: Function, edges: Array, breaks: Sequence[float] = ()) -> Array:
    """Integral over each ``[edges[r], edges[r+1]]`` divided by its length."""
    steps = len(edges) - 1
    inside = np.array([b for b in breaks if edges[0] < b < edges[-1]], dtype=float)
    cuts = np.unique(np.concatenate([edges, inside]))
    a, b = cuts[:-1], cuts[1:]
    owner = np.clip(np.searchsorted(edges, a, side="right") - 1, 0, steps - 1)
    total = np.zeros(steps)
    for level in range(_HALVINGS):
        if a.size == 0:
            break
        middle = 0.5 * (a + b)
        whole, size = _gauss(function, a, b)
        left, _ = _gauss(function, a, middle)
        right, _ = _gauss(function, middle, b)
        fine = left + right
        done = (np.abs(fine - whole) <= _ROUND_OFF * size * (b - a)) | (level == _HALVINGS - 1)
        np.add.at(total, owner[done], fine[done])
        a, middle, b, owner = a[~done], middle[~done], b[~done], owner[~done]
        a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
        owner = np.concatenate([owner, owner])
    means: Array = total / np.diff(edges)
    return means


def _gauss(function: Function, a: Array, b: Array) -> tuple[Array, Array]:
    half = 0.5 * (b - a)
    times = 0.5 * (a + b)[:, None] + half[:, None] * _POINTS
    values = evaluate(function, times)
    # A sum in fixed order, point by point: the bits do not depend on how many steps are in the call.
    total = np.zeros_like(half)
    for j, weight in enumerate(_WEIGHTS):
        total += weight * values[:, j]
    return half * total, np.abs(values).max(axis=1)
