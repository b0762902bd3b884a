"""Processing of accelerations: trend, baseline, filter, step, cut, pads, rest. Plain arrays in, plain arrays out.

:class:`hamex.motion.ground.GroundMotion` has a method for most, which checks nothing and remembers what was done.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory, is_finite, is_one_of, is_positive
from hamex.errors import LoadError
from hamex.motion.intensity import husid, time_of_share, velocity

Array = NDArray[Any]
_WHOLE = 1e-9  # a ratio of times this close to a whole number is that number
_ANTI_ALIAS = (0.8, 8)  # corner, as a share of the new Nyquist frequency, and order
_MOST_ORDER, _MOST_DEGREE = 12, 6
TAPER = 0.02  # of the record at either end, for rest


def detrend(a: Array, trend: str) -> Array:
    """Without its mean, or without its line of least squares."""
    if not is_one_of(trend, ("mean", "linear")):
        raise LoadError(f'detrended: trend must be "mean" or "linear", got {trend!r}')
    if trend == "mean" or len(a) < 3:
        return a - a.mean()
    t = np.arange(len(a)) - 0.5 * (len(a) - 1)
    return a - a.mean() - t * (t @ a) / (t @ t)


def correct_baseline(a: Array, step: float, degree: int) -> Array:
    """Minus the slope of the polynomial c₁t + … + c_d t^d of least squares through the velocity.

    The polynomial has no constant, so that the velocity still starts at zero. Up to degree 2 the slope is linear in
    time, and the correction is exact for samples that are linear in between.
    """
    if isinstance(degree, bool) or not isinstance(degree, int) or not 1 <= degree <= _MOST_DEGREE:
        raise LoadError(f"baselined: degree must be a whole number from 1 to {_MOST_DEGREE}, got {degree!r}")
    if len(a) <= degree:
        raise LoadError(f"baselined: {len(a)} samples are too few for a polynomial of degree {degree}")
    s = np.arange(len(a)) / (len(a) - 1)  # time over duration, which keeps the powers well scaled
    powers = np.arange(1, degree + 1)
    coefficients = np.linalg.lstsq(s[:, None] ** powers, velocity(a, step)[:-1], rcond=None)[0]
    return a - (powers * s[:, None] ** (powers - 1)) @ coefficients / (step * (len(a) - 1))


def bandpass(a: Array, step: float, low: float | None, high: float | None, order: int) -> Array:
    """Butterworth of ``order`` per corner, run forward and backward: no shift in time, half the amplitude at corners.

    Zeros stand before and after the record while it is filtered, 1.5·order/corner seconds of them (Boore 2005), and the
    record is cut back to its own length: what the filter spreads beyond the ends is lost. Pad first to keep it.
    """
    nyquist = 0.5 / step
    for name, corner in (("low", low), ("high", high)):
        if corner is not None and not (is_positive(corner) and corner < nyquist):
            raise LoadError(
                f"filtered: {name} must lie between 0 and {nyquist:g} Hz, half the sampling rate; got {corner!r}"
            )
    if low is None and high is None:
        raise LoadError("filtered: give low, high or both [Hz]")
    if low is not None and high is not None and not low < high:
        raise LoadError(f"filtered: low must be below high, got {low:g} and {high:g} Hz")
    if isinstance(order, bool) or not isinstance(order, int) or not 1 <= order <= _MOST_ORDER:
        raise LoadError(f"filtered: order must be a whole number from 1 to {_MOST_ORDER}, got {order!r}")
    corners = [corner for corner in (low, high) if corner is not None]
    pad = _count("filtered", 1.5 * order / min(corners) / step, "a higher corner")
    from scipy.signal import butter, sosfiltfilt

    kind = "bandpass" if len(corners) == 2 else "lowpass" if low is None else "highpass"
    sections = butter(order, corners if len(corners) == 2 else corners[0], kind, fs=1 / step, output="sos")
    wide = np.concatenate([np.zeros(pad), a, np.zeros(pad)])
    return sosfiltfilt(sections, wide, padtype=None)[pad : pad + len(a)]


def resample(a: Array, step: float, new: float, band_limited: bool) -> Array:
    """Samples at multiples of another step, up to the end of the record's last ramp to zero.

    By default linear in between, as everywhere in hamex: a step that divides the record's gives the very same motion.
    A longer step first takes out, without shift in time, what it could not show: all above 0.8 of half its rate.
    ``band_limited`` takes the Fourier series instead, for steps that divide the record's.
    """
    if not is_positive(new):
        raise LoadError(f"resampled: step must be a positive number of seconds, got {new!r}")
    if not isinstance(band_limited, bool | np.bool_):
        raise LoadError(f"resampled: band_limited must be True or False, got {band_limited!r:.60}")
    ratio = step / new
    if abs(ratio - 1) < _WHOLE:
        return a
    if band_limited:
        return _fourier(a, ratio)
    if ratio < 1:
        share, order = _ANTI_ALIAS
        a = bandpass(a, step, None, share * 0.5 / new, order)
    count = max(1, _count("resampled", len(a) * ratio, "a longer step"))
    return np.interp(np.arange(count) * (new / step), np.arange(len(a) + 1), np.append(a, 0.0))


def _count(who: str, samples: float, instead: str) -> int:
    """A whole number of samples, of which there is memory for some copies."""
    check_memory(who, 4 * samples, f"{samples:.3g} samples", f"take {instead}")
    return math.ceil(samples - _WHOLE)


def _fourier(a: Array, ratio: float) -> Array:
    _count("resampled", len(a) * ratio, "a longer step")
    times = round(ratio)
    if times < 1 or abs(ratio - times) > _WHOLE * ratio:
        raise LoadError("resampled: band_limited needs a step that divides the record's, such as a half of it")
    from scipy.signal import resample as fourier

    pad = len(a) // 4 + 16  # zeros, because the series takes the end for the neighbour of the start
    wide = np.concatenate([np.zeros(pad), a, np.zeros(pad)])
    return fourier(wide, len(wide) * times)[pad * times : (pad + len(a)) * times]


def trim(a: Array, step: float, share: tuple[float, float]) -> Array:
    """The samples around the times at which the Arias intensity passes the two shares."""
    pair = isinstance(share, tuple | list) and len(share) == 2 and all(map(is_finite, share))
    if not pair or not 0 <= share[0] < share[1] <= 1:
        raise LoadError(f"trimmed: share must be two numbers with 0 ≤ first < second ≤ 1, got {share!r}")
    if not husid(a, step, "lines")[-1] > 0:
        raise LoadError("trimmed: the record is zero throughout")
    begin, end = (time_of_share(a, step, part, "lines") for part in share)
    return a[math.floor(begin / step + _WHOLE) : math.ceil(end / step - _WHOLE) + 1]


def pad(a: Array, step: float, before: float, after: float) -> Array:
    """With zeros for at least so many seconds at either end."""
    counts = []
    for name, seconds in (("before", before), ("after", after)):
        if not is_finite(seconds) or seconds < 0:
            raise LoadError(f"padded: {name} must be a number of seconds ≥ 0, got {seconds!r}")
        counts.append(_count("padded", seconds / step, "fewer seconds"))
    return np.concatenate([np.zeros(counts[0]), a, np.zeros(counts[1])])


def at_rest(acceleration: Array, step: float) -> Array:
    """Zero velocity and displacement at the end: tapered at both ends, minus a smooth hump and its moment.

    Samples are linear in between, for which velocity and displacement at the end are sums of the samples. The last
    sample is 0.

    >>> a = at_rest(np.sin(np.arange(101.0)), 0.1)
    >>> bool(abs(0.1 * a.sum()) < 1e-14 and a[0] == a[-1] == 0)
    True
    """
    count = len(acceleration)
    edge = np.arange(count) / max(1.0, TAPER * (count - 1))
    rise = np.sin(0.5 * np.pi * np.minimum(edge, 1.0)) ** 2
    a = acceleration * rise * rise[::-1]
    # ∫a dt = h Σ aᵢ and ∫(t_end − t) a dt = h Σ (t_end − tᵢ) aᵢ with zeros at both ends: exact, the second because the
    # hats between samples are symmetric about them.
    s = np.linspace(-1.0, 1.0, count)
    hump = (1 - s**2) ** 2
    shapes = np.stack([hump, s * hump])
    moments = np.stack([np.ones(count), s])
    system = np.array([[np.sum(moment * shape) for shape in shapes] for moment in moments])
    shares = np.linalg.solve(system, [np.sum(moment * a) for moment in moments])
    return a - shares[0] * shapes[0] - shares[1] * shapes[1]
