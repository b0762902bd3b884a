"""Integrals over time: of functions over steps, and of accelerograms, which measure their intensity.

Functions of time over steps: their mean to round-off, and their projection on polynomials.

Section 5.1 of the paper notes that a continuous load needs no sampling: it can stay in the integral. Gauss
points on each step, halved until two levels agree, integrate any Python function, kinks included.

Measures of an accelerogram in the time domain.

All take accelerations (n,) and their step [s]; units follow from the acceleration's. Histories have n + 1 values: at
the samples, and at the zero that follows the last one. Velocities and displacements are exact for samples that are
linear in between and end with that zero. Arias intensity, CAV and the shares of it follow a ``rule``:

- "trapezoid", the convention of the field (gmprocess of the USGS, obspy, eqsig): the trapezoidal rule at the samples
  of a² and of |a|, from the first to the last.
- "lines": exact for straight lines between the samples and the zero after the last, the motion that a solver sees. It
  is the smaller one, since the square of a line lies below its chord.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import LoadError

Array = NDArray[Any]
Function = Callable[..., object]

_EPS = float(np.finfo(float).eps)
_HALVINGS = 60
_CROWD, _COARSEST = 64, 1e-6  # open panels of a step, and the noise of a function in single precision
_BLOCK = 16_384  # steps at a time
_TOO_MANY = 4096  # a function that is rough everywhere gets this many panels a step


class Rule(NamedTuple):
    """Gauss' points and weights on [−1, 1]; both ends and the points of both halves, where the polynomial through the
    points is looked at, and the matrix that evaluates it there."""

    points: Array
    weights: Array
    witnesses: Array
    predict: Array


@cache
def _rule() -> Rule:
    """Made for functions of time alone: samples do without."""
    from numpy.polynomial.legendre import leggauss, legvander

    points, weights = leggauss(8)
    witnesses = np.concatenate([[-1.0, 1.0], (points - 1) / 2, (points + 1) / 2])
    return Rule(points, weights, witnesses, legvander(witnesses, 7) @ np.linalg.inv(legvander(points, 7)))


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
    rule, half, middle = _rule(), 0.5 * (b - a), 0.5 * (a + b)
    coarse = evaluate(function, middle[:, None] + half[:, None] * rule.points)
    times = middle[:, None] + half[:, None] * rule.witnesses
    times[:, 0], times[:, 1] = np.nextafter(a, b), np.nextafter(b, a)  # a jump at an end is not inside
    values = evaluate(function, times)
    gap = np.abs(values - coarse @ rule.predict.T).max(axis=1)
    size = np.abs(coarse).max(axis=1)
    # Round-off of the values, and of the times through the slope; the prediction magnifies both.
    time = np.maximum(np.abs(a), np.abs(b))
    noise = _EPS * (64 * size + 16 * np.ptp(coarse, axis=1) * time / (b - a))
    # A sum in fixed order, point by point: the bits do not depend on how many steps are in the call.
    total = np.zeros_like(half)
    for j, weight in enumerate(rule.weights):
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
    rule = _rule()
    degrees = np.arange(len(nodes))
    moments = np.zeros((steps, len(nodes), channels))
    for point, weight in zip(0.5 * (rule.points + 1), rule.weights, strict=True):
        local = np.clip((cuts[:-1] + point * lengths - edges[step]) / h, 0.0, 1.0)
        basis = np.polynomial.legendre.legvander(2 * local - 1, len(nodes) - 1) * (2 * degrees + 1)
        values = function(cuts[:-1] + point * lengths)
        part = (0.5 * weight * lengths / h)[:, None, None] * basis[:, :, None] * values[:, None, :]
        np.add.at(moments, step, part)
    at_nodes = np.polynomial.legendre.legvander(2 * np.asarray(nodes) - 1, len(nodes) - 1)
    return np.einsum("ij,rjk->rik", at_nodes, moments)


RULES = ("trapezoid", "lines")
ALPHA, BETA = 0.7, 0.85  # FIV3: window over period, cut-off frequency times period (Dávalos and Miranda 2019)


def _ends(a: Array) -> tuple[Array, Array]:
    """Accelerations at the start and at the end of every step."""
    return a, np.append(a[1:], 0.0)


def _rising(parts: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(parts)])


def velocity(a: Array, step: float) -> Array:
    """Velocity from rest, (n + 1,).

    >>> velocity(np.array([1.0, 1.0]), 0.5).tolist()
    [0.0, 0.5, 0.75]
    """
    first, last = _ends(a)
    return _rising(0.5 * step * (first + last))


def displacement(a: Array, step: float) -> Array:
    """Displacement from rest, (n + 1,)."""
    first, last = _ends(a)
    return _rising(step * velocity(a, step)[:-1] + step * step / 6 * (2 * first + last))


def peak_velocity(a: Array, step: float) -> float:
    """Largest absolute velocity, inside the steps too: there the acceleration is zero.

    >>> peak_velocity(np.array([1.0, -1.0]), 1.0)       # up to a half after half a second, down to −½ at the end
    0.5
    """
    first, last = _ends(a)
    v = velocity(a, step)
    inside = first * last < 0
    until = first[inside] / (first[inside] - last[inside])
    tops = v[:-1][inside] + 0.5 * step * first[inside] * until
    return float(max(np.abs(v).max(), np.abs(tops).max(initial=0.0)))


def peak_displacement(a: Array, step: float) -> float:
    """Largest absolute displacement, inside the steps too: there the velocity is zero."""
    first, last = _ends(a)
    v, d = velocity(a, step)[:-1], displacement(a, step)
    # v + first s + (last − first)/(2 step) s² = 0, for times s inside the step
    half_slope = 0.5 * (last - first) / step
    root = first * first - 4 * half_slope * v
    real = root >= 0
    largest = float(np.abs(d).max())
    v, first, last, half_slope, begun = v[real], first[real], last[real], half_slope[real], d[:-1][real]
    q = -0.5 * (first + np.copysign(np.sqrt(root[real]), first))
    for over, under in ((v, q), (q, half_slope)):  # the two roots, without cancellation
        with np.errstate(divide="ignore", invalid="ignore"):
            s = over / under
        inside = np.isfinite(s) & (s > 0) & (s < step)
        s = s[inside]
        tops = begun[inside] + s * (v[inside] + s * (first[inside] / 2 + s * half_slope[inside] / 3))
        largest = max(largest, float(np.abs(tops).max(initial=0.0)))
    return largest


def husid(a: Array, step: float, rule: str = "trapezoid") -> Array:
    """∫a² dt up to every sample, (n + 1,): the Husid curve, before it is divided by its end.

    >>> husid(np.array([0.0, 1.0, 1.0]), 1.0).tolist()
    [0.0, 0.5, 1.5, 1.5]
    >>> husid(np.array([0.0, 1.0, 1.0]), 3.0, "lines").tolist()
    [0.0, 1.0, 4.0, 5.0]
    """
    first, last = _ends(a)
    if rule == "trapezoid":
        return _rising(_to_last_sample(0.5 * step * (first * first + last * last)))
    return _rising(step / 3 * (first * first + first * last + last * last))


def _to_last_sample(parts: Array) -> Array:
    """The trapezoidal rule ends with the last sample: nothing comes with the zero behind it."""
    parts[-1] = 0.0
    return parts


def arias(a: Array, step: float, g: float, rule: str = "trapezoid") -> float:
    """Arias intensity π/(2g) ∫a² dt, with ``g`` one gravity in the unit of the acceleration."""
    return math.pi / (2 * g) * float(husid(a, step, rule)[-1])


def cumulative_absolute_velocity(a: Array, step: float, rule: str = "trapezoid") -> float:
    """CAV, ∫|a| dt."""
    first, last = np.abs(_ends(a))
    total = first + last
    if rule == "trapezoid":
        return float(0.5 * step * _to_last_sample(total).sum())
    crossing = a * _ends(a)[1] < 0
    with np.errstate(divide="ignore", invalid="ignore"):
        triangles = (first * first + last * last) / total
    return float(0.5 * step * np.where(crossing, triangles, total).sum())


def time_of_share(a: Array, step: float, share: float, rule: str = "trapezoid") -> float:
    """Time at which ∫a² dt reaches a share of its end [s]; linear between the samples by the trapezoidal rule."""
    rising = husid(a, step, rule)
    target = share * rising[-1]
    # Share 0 is where the motion starts, share 1 where it ends, not where the record does.
    place = int(np.searchsorted(rising, target, side="right" if share == 0 else "left")) - 1
    place = min(max(place, 0), len(a) - 1)
    wanted = float(target - rising[place])
    if rule == "trapezoid":
        here = float(rising[place + 1] - rising[place])
        return place * step + (step * wanted / here if here > 0 else 0.0)
    first, last = (float(end[place]) for end in _ends(a))
    slope = (last - first) / step
    low, high = 0.0, step
    for _ in range(60):  # ∫(first + slope s)² ds rises with s
        s = 0.5 * (low + high)
        if s * (first * first + s * slope * (first + s * slope / 3)) < wanted:
            low = s
        else:
            high = s
    return place * step + (low if share == 0 else high)


def significant_duration(a: Array, step: float, low: float, high: float, rule: str = "trapezoid") -> float:
    """Time between two shares of the Arias intensity [s]; 0 for a record of zeros."""
    if not husid(a, step, rule)[-1] > 0:
        return 0.0
    return time_of_share(a, step, high, rule) - time_of_share(a, step, low, rule)


def fiv3(a: Array, step: float, period: float) -> float:
    """Filtered incremental velocity FIV3 at a period [s], in the acceleration's unit times seconds.

    The record passes a low-pass Butterworth filter of second order once, forward in time, with its corner at 0.85/T; at
    and beyond half the sampling rate nothing is left to filter. The increments of velocity over windows of 0.7 T that
    lie within the record form a history; FIV3 is the larger of the sum of its three largest positive peaks and the sum
    of its three largest negative ones (fewer if it has fewer). Dávalos and Miranda, Earthquake Engineering & Structural
    Dynamics 48 (2019) 1384-1405; α = 0.7, β = 0.85.
    """
    window = ALPHA * period
    duration = (len(a) - 1) * step
    if not window < duration:
        raise LoadError(
            f"FIV3 at {period:g} s needs a record longer than {window:g} s, this one has {duration:g} s; "
            "pad it with zeros or leave the period out"
        )
    from scipy.signal import butter, find_peaks, sosfilt

    corner = BETA / period
    if corner < 0.5 / step:
        a = sosfilt(butter(2, corner, "lowpass", fs=1 / step, output="sos"), a)
    v = velocity(a, step)
    starts = np.arange(math.ceil((duration - window) / step - 1e-9))  # those with t < duration − window
    increments = _velocity_at(a, v, step, starts * step + window) - v[starts]
    sums = []
    for side in (increments, -increments):
        peaks = np.sort(side[find_peaks(side)[0]])[-3:]
        sums.append(float(peaks[peaks > 0].sum()))
    return max(sums)


def _velocity_at(a: Array, v: Array, step: float, times: Array) -> Array:
    """Velocity between the samples."""
    first, last = _ends(a)
    place = np.minimum((times / step + 1e-9).astype(int), len(a) - 1)
    s = times - place * step
    return v[place] + s * (first[place] + s * (last[place] - first[place]) / (2 * step))
