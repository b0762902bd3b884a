"""Measures of an accelerogram in the time domain.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import LoadError

Array = NDArray[Any]
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
