"""Newton's method for many concave functions of two variables at once: one row for each resample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Value = Callable[[Array, Array, Array], Array]                      # rows, x, y → values of these rows
Derivatives = Callable[[Array, Array, Array], tuple[Array, ...]]    # the same → first (x, y) and second (xx, xy, yy)

ITERATIONS = 100
HALVINGS = 60
_CLOSE = 1e-12      # twice the gain still expected; the step that follows squares the error and ends below round-off
_SLACK = 1e-13      # round-off of a value, relative


def maximise(value: Value, derivatives: Derivatives, x: Array, y: Array) -> tuple[Array, Array]:
    """Arguments of the maxima, from a start (x, y) at which every function is finite; NaN where none was found.

    A step is halved until the value grows, so that every strictly concave function that has a maximum gets there.

    >>> bowl = lambda rows, x, y: -(x - 1)**2 - (y - 2)**2
    >>> slopes = lambda rows, x, y: (-2 * (x - 1), -2 * (y - 2), -2 + 0 * x, 0 * x, -2 + 0 * x)
    >>> [float(found[0]) for found in maximise(bowl, slopes, np.zeros(1), np.zeros(1))]
    [1.0, 2.0]
    """
    x, y = x.copy(), y.copy()
    rows = np.arange(len(x))
    for _ in range(ITERATIONS):
        if not rows.size:
            break
        gx, gy, xx, xy, yy = derivatives(rows, x[rows], y[rows])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            determinant = xx * yy - xy**2
            dx, dy = (xy * gy - yy * gx) / determinant, (xy * gx - xx * gy) / determinant
            gain = gx * dx + gy * dy
        lost = ~np.isfinite(gain) | (gain < 0)
        close = ~lost & (gain < _CLOSE)
        x[rows[lost]] = y[rows[lost]] = np.nan
        x[rows[close]] += dx[close]
        y[rows[close]] += dy[close]
        going = ~lost & ~close
        rows, gain, dx, dy = rows[going], gain[going], dx[going], dy[going]
        share = _shares(value, rows, (x[rows], y[rows]), (dx, dy), gain)
        x[rows] += share * dx
        y[rows] += share * dy
    x[rows] = y[rows] = np.nan
    return x, y


def _shares(value: Value, rows: Array, start: tuple[Array, Array], step: tuple[Array, Array], gain: Array) -> Array:
    """Share of each step that makes its function grow enough (Armijo's rule)."""
    old = value(rows, *start)
    share = np.ones(len(rows))
    trying = np.arange(len(rows))
    for _ in range(HALVINGS):
        if not trying.size:
            break
        part = share[trying]
        new = value(rows[trying], start[0][trying] + part * step[0][trying], start[1][trying] + part * step[1][trying])
        enough = old[trying] + 1e-4 * part * gain[trying] - _SLACK * (1 + np.abs(old[trying]))
        with np.errstate(invalid="ignore"):
            grown = new >= enough
        trying = trying[~grown]
        share[trying] /= 2
    return share
