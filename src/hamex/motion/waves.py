"""Ground motions by a formula: sine waves, half a sine, a triangle, Ricker's wavelet."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite, is_positive
from hamex.errors import LoadError
from hamex.motion.ground import GroundMotion

Shape = Literal["sine", "half_sine", "triangle", "ricker"]
SHAPES: tuple[str, ...] = get_args(Shape)
_LONGEST = 1_000_000  # samples: more is a mistake in the step or in the number of cycles
_RICKER = 3.0  # periods that the wavelet lasts: 1e-8 of its peak is cut off at either end


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
    if shape not in SHAPES:
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
