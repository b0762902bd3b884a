"""GroundMotion: a record of ground acceleration with its step, unit and source.

Processing (trend, baseline, filter, step, cut, pads, rest) takes and gives plain arrays; the motion has a method for
most, which checks nothing and remembers what was done."""

from __future__ import annotations

import csv
import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory, check_range, floats, is_finite, is_one_of, is_positive
from hamex.errors import ImplausibleWarning, LoadError
from hamex.model.record import Model
from hamex.model.units import METRE, STANDARD_GRAVITY, acceleration_unit, in_gravities
from hamex.motion.integrals import husid, time_of_share, velocity
from hamex.motion.load import Load
from hamex.names import Shown, options_by_keyword

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


KINDS = ("recorded", "synthetic", "matched")
_VIOLENT = 10.0  # g; records come near 4


@dataclass(frozen=True, eq=False)
class GroundMotion(Shown):
    """Ground acceleration, sampled from t = 0 on, linear in between, followed by one zero sample.

    Parameters
    ----------
    acceleration : samples, (n,), in ``unit``.
    step : time between samples [s].
    unit : "g", "m/s2", "cm/s2" (also "gal"), "mm/s2", "in/s2" or "ft/s2".
    source : where the numbers come from, and what was done to them.
    component : direction or channel, as the record names it.
    kind : "recorded", "synthetic" or "matched" to a spectrum; a label that all processing keeps.

    Examples
    --------
    >>> GroundMotion([0.0, 0.1, -0.2], step=0.01, unit="g").peak
    0.2
    >>> GroundMotion([0.0, 0.1, -0.2], step=0.01, unit="g", source="noise", kind="synthetic").scaled(2).kind
    'synthetic'
    """

    acceleration: Array
    step: float
    unit: str
    source: str = ""
    component: str = ""
    kind: str = "recorded"

    def __post_init__(self) -> None:
        a = floats(self.acceleration, "GroundMotion: acceleration must be numbers", LoadError)
        if a.ndim != 1 or a.size == 0:
            raise LoadError(f"GroundMotion: acceleration must be (n,) with at least one sample, got shape {a.shape}")
        bad = np.flatnonzero(~np.isfinite(a))
        if bad.size:
            raise LoadError(f"GroundMotion: sample {bad[0]} is not finite ({a[bad[0]]}); mend or cut the record")
        if not is_positive(self.step):
            raise LoadError(f"GroundMotion: step must be a positive number of seconds, got {self.step!r}")
        check_range("GroundMotion", "step", self.step, LoadError)
        if not is_one_of(self.kind, KINDS):
            raise LoadError(f"GroundMotion: kind must be one of {', '.join(KINDS)}, got {self.kind!r}")
        a.setflags(write=False)
        object.__setattr__(self, "acceleration", a)
        object.__setattr__(self, "step", float(self.step))
        object.__setattr__(self, "unit", acceleration_unit(self.unit))

    @property
    def _named(self) -> str:
        """Source and component, which the source may end with, as the second line of an AT2 file does."""
        said = self.source.replace(",", " ").split()[-1:] == [self.component]
        return " ".join(word for word in (self.source, "" if said else self.component) if word)

    def __repr__(self) -> str:
        name = self._named or "no source"
        samples = f"{len(self.acceleration)} samples of {self.step:g} s"
        return f"<GroundMotion: {name}; {samples}, peak {self.peak:.4g} {self.unit}, {self.kind}>"

    @property
    def peak(self) -> float:
        """Largest absolute sample, in the motion's unit."""
        return float(np.abs(self.acceleration).max())

    @property
    def duration(self) -> float:
        """Time of the last sample [s]."""
        return (len(self.acceleration) - 1) * self.step

    def scaled(self, factor: float) -> GroundMotion:
        """The motion times a factor; the source remembers it.

        >>> el_centro().scaled(2).peak == 2 * el_centro().peak
        True
        """
        if not is_finite(factor):
            raise LoadError(f"GroundMotion.scaled: the factor must be finite, got {factor!r}")
        return replace(self, acceleration=factor * self.acceleration, source=f"{self.source} × {factor:g}")

    def converted(self, unit: str) -> GroundMotion:
        """The same motion in another unit, through 9.80665 m/s² where one of the two is "g".

        >>> GroundMotion([0.0, 25.0], 0.01, "cm/s2").converted("m/s2").acceleration.tolist()
        [0.0, 0.25]
        """
        new = acceleration_unit(unit)
        if new == self.unit:
            return self
        return replace(self, acceleration=self.acceleration * (_per_metre(new) / _per_metre(self.unit)), unit=new)

    def detrended(self, trend: str = "linear") -> GroundMotion:
        """Without its "mean", or without its "linear" trend of least squares."""
        return self._processed(detrend(self.acceleration, trend), f"detrended ({trend})")

    def baselined(self, degree: int = 2) -> GroundMotion:
        """Minus the slope of the polynomial c₁t + … + c_d t^d of least squares through the velocity.

        The polynomial starts at zero, as the velocity does. Up to degree 2 the correction is exact for samples that are
        linear in between.
        """
        return self._processed(
            correct_baseline(self.acceleration, self.step, degree), f"baseline corrected (degree {degree} in velocity)"
        )

    @options_by_keyword
    def filtered(self, low: float | None = None, *, high: float | None = None, order: int = 4) -> GroundMotion:
        """Through a Butterworth filter with corners ``low`` and ``high`` [Hz]; leave one out for a one-sided filter.

        It runs forward and backward, so that nothing shifts in time and corners pass half the amplitude; ``order`` is
        that of one run per corner. While it runs, zeros stand before and after the record, 1.5·order/corner seconds of
        them (Boore 2005); then the record is cut back to its own length. Pad it first to keep what spreads beyond.
        """
        samples = bandpass(self.acceleration, self.step, low, high, order)
        band = "–".join("" if corner is None else f"{corner:g}" for corner in (low, high))
        return self._processed(samples, f"filtered ({band} Hz, order {order}, zero phase)")

    def resampled(self, step: float, band_limited: bool = False) -> GroundMotion:
        """At another step [s], linear between samples; a step that divides the record's gives the very same motion.

        A longer step first takes out what it could not show, above 0.8 of half its rate, without shift in time.
        ``band_limited`` takes the Fourier series in between instead, for steps that divide the record's.

        >>> GroundMotion([0.0, 1.0], 0.02, "g").resampled(0.01).acceleration.tolist()
        [0.0, 0.5, 1.0, 0.5]
        """
        samples = resample(self.acceleration, self.step, step, band_limited)
        how = "band-limited" if band_limited else "anti-aliased" if step > self.step else "linear"
        note = f"resampled to {step:g} s ({how})"
        return replace(self, acceleration=samples, step=step, source=_noted(self.source, note))

    def trimmed(self, share: tuple[float, float] = (0.05, 0.95)) -> GroundMotion:
        """Only the samples around the times at which the Arias intensity passes two shares; the clock starts anew."""
        samples = trim(self.acceleration, self.step, share)
        return self._processed(samples, f"trimmed to {100 * share[0]:g}–{100 * share[1]:g} % of Arias intensity")

    @options_by_keyword
    def padded(self, before: float = 0.0, *, after: float = 0.0) -> GroundMotion:
        """With zeros for at least so many seconds before and after.

        >>> GroundMotion([1.0], 0.02, "g").padded(before=0.05).acceleration.tolist()
        [0.0, 0.0, 0.0, 1.0]
        """
        return self._processed(
            pad(self.acceleration, self.step, before, after), f"padded by {before:g} and {after:g} s"
        )

    def warn_if_violent(self) -> None:
        """Warn of a ground acceleration that no record has come near: the unit is likely another."""
        peak = self.peak * in_gravities(self.unit)
        if peak > _VIOLENT:
            warnings.warn(
                f"{self.source or 'the motion'} shakes with {peak:.3g} g; the largest ever recorded are near 4 g: are "
                f"its samples in {self.unit}?",
                ImplausibleWarning,
                stacklevel=3,
            )

    def _processed(self, samples: Array, note: str) -> GroundMotion:
        return replace(self, acceleration=samples, source=_noted(self.source, note))

    def on(self, model: Model, *, g: float | None = None, direction: str | None = None) -> Load:
        """Effective forces ``f = −M ι a`` on a model that moves with the ground.

        ``g`` is one gravity in the model's units, e.g. 9.80665 for metres or 386.0886 for inches; it is needed only
        where the model does not state its units.
        """
        if not isinstance(model, Model):
            raise LoadError(f"GroundMotion.on: the model must be a Model, got {type(model).__name__}")
        g = model.units.one_gravity(g, "GroundMotion.on")
        self.warn_if_violent()
        name = model.directions[0] if direction is None else direction
        if not is_one_of(name, model.directions):
            raise LoadError(
                f"GroundMotion.on: the model has no direction {name!r}; it has {', '.join(model.directions)}"
            )
        column = model.influence[:, [model.directions.index(name)]]
        samples = (in_gravities(self.unit) * g) * self.acceleration
        source = self._named
        return Load(samples, self.step, patterns=-model.inertia(name)[:, None], ground=column, source=source)


def _noted(source: str, note: str) -> str:
    return f"{source}; {note}" if source else note


def _per_metre(unit: str) -> float:
    """How many of a unit are 1 m/s²."""
    return 1 / STANDARD_GRAVITY if unit == "g" else METRE["cm" if unit == "gal" else unit.removesuffix("/s2")]


def kinds_of(motions: Iterable[GroundMotion]) -> str:
    """What the motions are, in one label: recorded, synthetic, matched, or several of them."""
    return " + ".join(sorted({motion.kind for motion in motions}))


@cache
def el_centro() -> GroundMotion:
    """El Centro 1940, north-south: 1560 samples at 0.02 s in g, peak 0.319 g, as printed in Chopra's appendix.

    >>> el_centro().acceleration.size, el_centro().step
    (1560, 0.02)
    """
    text = resources.files("hamex.motion").joinpath("data/el_centro_1940_ns.csv").read_text()
    rows = csv.reader(line for line in text.splitlines() if not line.startswith("#"))
    next(rows)
    samples = np.array([float(a) for _, a in rows])
    return GroundMotion(
        samples, step=0.02, unit="g", component="NS", source="El Centro 1940 NS (USC&GS; Chopra, appendix 6)"
    )
