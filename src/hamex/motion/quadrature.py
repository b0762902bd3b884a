"""Functions of time over steps: their mean to round-off, and their projection on polynomials.

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
_EPS = float(np.finfo(float).eps)
_HALVINGS = 60
_CROWD, _COARSEST = 64, 1e-6  # open panels of a step, and the noise of a function in single precision
_BLOCK = 16_384  # steps at a time
_TOO_MANY = 4096  # a function that is rough everywhere gets this many panels a step
# The polynomial through the points, evaluated at both ends and at the points of both halves.
_WITNESSES = np.concatenate([[-1.0, 1.0], (_POINTS - 1) / 2, (_POINTS + 1) / 2])
_PREDICT = np.polynomial.legendre.legvander(_WITNESSES, 7) @ np.linalg.inv(np.polynomial.legendre.legvander(_POINTS, 7))


def evaluate(function: Function, times: Array) -> Array:
    """Values at the given times; scalar-only functions are called one time after the other."""
    try:
        found = np.asarray(function(times))
        values = np.empty(0) if np.iscomplexobj(found) else found.astype(float)
    except (TypeError, ValueError, OverflowError):
        values = np.empty(0)
    if values.shape != times.shape:
        values = np.array([_number(function, t) for t in times.ravel().tolist()]).reshape(times.shape)
    bad = ~np.isfinite(values)
    if bad.any():
        raise LoadError(f"Load: the function is not finite at t = {times[bad].flat[0]:g} s")
    return values


def _number(function: Function, time: float) -> float:
    value = function(time)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise LoadError(f"Load: the function must return one real number, got {value!r} at t = {time:g} s") from None


def step_means(function: Function, edges: Array, breaks: Sequence[float] = ()) -> Array:
    """Integral over each ``[edges[r], edges[r+1]]`` divided by its length.

    Steps are taken in blocks, so that memory does not grow with the length of a history; no step sees its neighbours.
    """
    blocks = [_block(function, edges[i : i + _BLOCK + 1], breaks) for i in range(0, len(edges) - 1, _BLOCK)]
    return np.concatenate(blocks)


def _block(function: Function, edges: Array, breaks: Sequence[float]) -> Array:
    steps = len(edges) - 1
    inside = np.array([b for b in breaks if edges[0] < b < edges[-1]], dtype=float)
    cuts = np.unique(np.concatenate([edges, inside]))
    a, b = cuts[:-1], cuts[1:]
    owner = np.clip(np.searchsorted(edges, a, side="right") - 1, 0, steps - 1)
    total = np.zeros(steps)
    largest = np.zeros(steps)
    for _ in range(_HALVINGS):
        if a.size == 0:
            break
        fine, gap, noise, size = _panel(function, a, b)
        np.maximum.at(largest, owner, size)
        # Accept at round-off and at the resolution of time itself. Jumps and kinks leave a few panels of a step open;
        # where many stay open with a small gap, the function is noisier than its last digit and halving is in vain.
        done = (gap <= noise) | (b - a <= 4 * _EPS * np.maximum(np.abs(a), np.abs(b)))
        open_panels = np.bincount(owner[~done], minlength=steps)[owner]
        done |= ((open_panels > _CROWD) & (gap <= _COARSEST * largest[owner])) | (open_panels > _TOO_MANY)
        np.add.at(total, owner[done], fine[done])
        a, b, owner = a[~done], b[~done], owner[~done]
        middle = 0.5 * (a + b)
        a, b, owner = np.concatenate([a, middle]), np.concatenate([middle, b]), np.concatenate([owner, owner])
    np.add.at(total, owner, 0.5 * (b - a) * (evaluate(function, a) + evaluate(function, b)) if a.size else 0.0)
    means: Array = total / np.diff(edges)
    return means


def _panel(function: Function, a: Array, b: Array) -> tuple[Array, Array, Array, Array]:
    """Integral over both halves of each [a, b]; how far the function is from one polynomial; its noise; its size.

    Comparing two integrals is not enough: a jump between two points can leave both alike and wrong. So the polynomial
    through the points has to meet the function at the points of both halves and at both ends.
    """
    half, middle = 0.5 * (b - a), 0.5 * (a + b)
    coarse = evaluate(function, middle[:, None] + half[:, None] * _POINTS)
    times = middle[:, None] + half[:, None] * _WITNESSES
    times[:, 0], times[:, 1] = np.nextafter(a, b), np.nextafter(b, a)  # a jump at an end is not inside
    values = evaluate(function, times)
    gap = np.abs(values - coarse @ _PREDICT.T).max(axis=1)
    size = np.abs(coarse).max(axis=1)
    # Round-off of the values, and of the times through the slope; the prediction magnifies both.
    time = np.maximum(np.abs(a), np.abs(b))
    noise = _EPS * (64 * size + 16 * np.ptp(coarse, axis=1) * time / (b - a))
    # A sum in fixed order, point by point: the bits do not depend on how many steps are in the call.
    total = np.zeros_like(half)
    for j, weight in enumerate(_WEIGHTS):
        total += weight * (values[:, 2 + j] + values[:, 10 + j])
    return 0.5 * half * total, gap, noise, size


def projected(
    function: Callable[[Array], Array],
    channels: int,
    corners: Array,
    base: float,
    first: int,
    h: float,
    steps: int,
    nodes: Array,
) -> Array:
    """(steps, stage, k): values at the nodes of the polynomial closest to a function in the mean square.

    What an element of higher degree sees of a coarse step. The polynomials have as many terms as there are nodes.
    ``function`` gives k ``channels`` at each time, (time, k), and has its kinks at ``corners``, where steps are cut;
    the steps of length ``h`` start at ``base`` + ``first`` · h.
    """
    edges = base + (first + np.arange(steps + 1)) * h
    inside = corners[(corners > edges[0]) & (corners < edges[-1])]
    # A corner within round-off of an edge would only make an empty piece.
    places = (inside - base) / h
    far = np.abs(places - np.round(places)) > 1e-9
    cuts = np.unique(np.concatenate([edges, inside[far]]))
    lengths = np.diff(cuts)
    step = np.clip(np.searchsorted(edges, cuts[:-1] + 0.5 * lengths, side="right") - 1, 0, steps - 1)
    # Legendre polynomials on the step are orthogonal: moments give the projection directly.
    degrees = np.arange(len(nodes))
    moments = np.zeros((steps, len(nodes), channels))
    for point, weight in zip(0.5 * (_POINTS + 1), _WEIGHTS, strict=True):
        local = np.clip((cuts[:-1] + point * lengths - edges[step]) / h, 0.0, 1.0)
        basis = np.polynomial.legendre.legvander(2 * local - 1, len(nodes) - 1) * (2 * degrees + 1)
        values = function(cuts[:-1] + point * lengths)
        part = (0.5 * weight * lengths / h)[:, None, None] * basis[:, :, None] * values[:, None, :]
        np.add.at(moments, step, part)
    at_nodes = np.polynomial.legendre.legvander(2 * np.asarray(nodes) - 1, len(nodes) - 1)
    return np.einsum("ij,rjk->rik", at_nodes, moments)
