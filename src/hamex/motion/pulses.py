"""Forces and ground motions by a formula: sine, constant, rectangle, triangle, half sine, Ricker's wavelet; and what a
file keeps of any other function.

Each function of a load is a small frozen record that can be called, so that loads pickle, print and compare by value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import is_finite, is_one_of, is_positive
from hamex.errors import LoadError
from hamex.motion.ground import GroundMotion
from hamex.motion.load import Load
from hamex.names import options_by_keyword

Array = NDArray[Any]
_WHOLE = 1e-9  # times this close to a sample are the sample's
Shape = Literal["sine", "half_sine", "triangle", "ricker"]
SHAPES: tuple[str, ...] = get_args(Shape)
_LONGEST = 1_000_000  # samples: more is a mistake in the step or in the number of cycles
_RICKER = 3.0  # periods that the wavelet lasts: 1e-8 of its peak is cut off at either end


@dataclass(frozen=True)
class Sine:
    """``amplitude · sin(omega t + phase)`` while 0 ≤ t ≤ duration."""

    amplitude: float
    omega: float
    phase: float
    duration: float

    def __call__(self, t: ArrayLike) -> Array:
        time = np.asarray(t, dtype=float)
        on = (time >= 0) & (time <= self.duration)
        return np.where(on, self.amplitude * np.sin(self.omega * time + self.phase), 0.0)


@dataclass(frozen=True)
class Polyline:
    """Straight lines between ``(times, values)``, zero outside."""

    times: tuple[float, ...]
    values: tuple[float, ...]

    def __call__(self, t: ArrayLike) -> Array:
        return np.interp(np.asarray(t, dtype=float), self.times, self.values, left=0.0, right=0.0)


@dataclass(frozen=True, eq=False)
class Sampled:
    """What a file keeps of any other function: samples from t = 0 on, exact at their times and linear in between.

    Nothing is known after the last one.

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
            raise LoadError(
                f"this load was a function, of which the file keeps samples up to t = {self.end:g} s; give "
                "the function again: problem.replace(load=hx.Load(function, patterns=problem.load.patterns,"
                " ground=problem.load.ground))"
            )
        below = np.minimum(np.floor(near).astype(int), last)
        part = near - below
        after = self.values[np.minimum(below + 1, last)]
        return np.asarray(np.where(part == 0, self.values[below], self.values[below] * (1 - part) + after * part))


FORMULAS: dict[str, Any] = {"Sine": Sine, "Polyline": Polyline}  # by the names that files keep


@options_by_keyword
def sine(amplitude: float, omega: float, duration: float = math.inf, *, phase: float = 0.0) -> Load:
    """Harmonic force, ``amplitude`` [force], ``omega`` [rad/s], on until ``duration`` [s] inclusive.

    >>> float(sine(2.0, omega=math.pi).forces(0.5))
    2.0
    """
    _finite("sine", amplitude=amplitude, omega=omega, phase=phase)
    _duration("sine", duration)
    breaks = (duration,) if math.isfinite(duration) else ()
    return Load(Sine(amplitude, omega, phase, duration), breaks=breaks)


def constant(amplitude: float, duration: float = math.inf) -> Load:
    """Force switched on at t = 0 and kept until ``duration`` [s] inclusive: a step load.

    >>> float(constant(3.0).forces(10.0))
    3.0
    """
    _finite("constant", amplitude=amplitude)
    _duration("constant", duration)
    return sine(amplitude, omega=0.0, duration=duration, phase=math.pi / 2)


def half_sine(amplitude: float, duration: float) -> Load:
    """One half wave of ``duration`` [s].

    Examples
    --------
    >>> half_sine(2.0, duration=0.5).node_values(0.25, 3).ravel().round(12).tolist()
    [0.0, 2.0, 0.0, 0.0]
    """
    _duration("half_sine", duration, finite=True)
    return sine(amplitude, omega=math.pi / duration, duration=duration)


def triangle(amplitude: float, duration: float, peak: float = 0.5) -> Load:
    """Rise to ``amplitude`` at ``peak · duration``, back to zero at ``duration`` [s]; peak=0 is a blast.

    >>> float(triangle(4.0, duration=2.0).forces(0.5))
    2.0
    """
    _finite("triangle", amplitude=amplitude)
    _duration("triangle", duration, finite=True)
    if not (is_finite(peak) and 0 <= peak <= 1):
        raise LoadError(f"triangle: peak must lie between 0 and 1, got {peak!r}")
    top = peak * duration
    corners = [(0.0, 0.0)] * (peak > 0) + [(top, amplitude)] + [(duration, 0.0)] * (peak < 1)
    times, values = zip(*corners, strict=True)
    return Load(Polyline(times, values), breaks=times)


def _finite(who: str, **values: float) -> None:
    for name, value in values.items():
        if not is_finite(value):
            raise LoadError(f"{who}: {name} must be finite, got {value!r}")


def _duration(who: str, duration: float, finite: bool = False) -> None:
    endless = isinstance(duration, float) and duration == math.inf and not finite
    if not is_positive(duration) and not endless:
        raise LoadError(f"{who}: duration must be a positive number of seconds, got {duration!r:.60}")


def ground_wave(
    shape: Shape, amplitude: float, period: float, *, cycles: float = 1.0, step: float = 0.005, unit: str = "g"
) -> GroundMotion:
    """A ground motion by a formula, sampled; between samples it is linear, as every ground motion.

    Parameters
    ----------
    shape : "sine", so many cycles of it; "half_sine" or "triangle", one pulse of half a period; "ricker", the wavelet
        (1 − 2a) exp(−a), a = (π (t − t₀) / period)², with its peak at t₀ = 1.5 periods.
    amplitude : largest acceleration, in ``unit``.
    period : of a full cycle [s].
    cycles : of the sine, need not be whole; other shapes have one.
    step : time between samples [s].
    unit : of the amplitude, "g", "m/s2" …

    Examples
    --------
    >>> motion = ground_wave("sine", 0.3, period=0.5, cycles=4)
    >>> motion.peak, motion.duration, motion.kind
    (0.3, 2.0, 'synthetic')
    """
    if not is_one_of(shape, SHAPES):
        raise LoadError(f"ground_wave: shape must be one of {', '.join(SHAPES)}, got {shape!r}")
    if not is_finite(amplitude):
        raise LoadError(f"ground_wave: amplitude must be finite, got {amplitude!r}")
    for name, value in (("period", period), ("cycles", cycles), ("step", step)):
        if not is_positive(value):
            raise LoadError(f"ground_wave: {name} must be a positive number, got {value!r}")
    if shape != "sine" and cycles != 1:
        raise LoadError(f"ground_wave: cycles belongs to a sine; a {shape} has one, got {cycles!r}")
    length = period * {"sine": cycles, "half_sine": 0.5, "triangle": 0.5, "ricker": _RICKER}[shape]
    if not length / step < _LONGEST:
        raise LoadError(
            f"ground_wave: {length:g} s in steps of {step:g} s are more than {_LONGEST:,} samples; give a longer step"
        )
    t = step * np.arange(math.ceil(length / step - 1e-9) + 1)
    a = np.where(t <= length * (1 + 1e-12), amplitude * _unit_wave(shape, t / period), 0.0)
    words = f"{shape.replace('_', ' ')} of {period:g} s" + (f", {cycles:g} cycles" if shape == "sine" else "")
    return GroundMotion(a, step, unit, words, kind="synthetic")


def _unit_wave(shape: str, x: NDArray[Any]) -> NDArray[Any]:
    """Amplitude 1, in periods."""
    if shape == "triangle":
        return np.interp(x, (0.0, 0.25, 0.5), (0.0, 1.0, 0.0))
    if shape == "ricker":
        a = (math.pi * (x - _RICKER / 2)) ** 2
        return (1 - 2 * a) * np.exp(-a)
    return np.sin(2 * math.pi * x)
