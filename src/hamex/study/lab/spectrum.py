"""Spectral radius, period elongation and algorithmic damping of a scheme against h/T."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.schemes import Scheme

Array = NDArray[Any]
_REAL = 1e-9      # |Im λ| below this: the pair has become real and no longer swings
_ROUND_OFF = 1e-7      # of the modulus of a double eigenvalue


@dataclass(frozen=True)
class Spectrum:
    """Arrays over ``step`` = h/T: spectral radius; (T̄ − T)/T; ζ̄; the last two NaN where the motion does not swing."""

    step: Array
    radius: Array
    elongation: Array
    damping: Array


def spectrum(scheme: Scheme, step: Array | float, zeta: float = 0.0) -> Spectrum:
    """Numbers of the free vibration that the scheme computes for step/period ratios ``step``.

    The principal pair λ = exp((−ζ̄ ± i) Ω̄) is the one nearest to the exact exp(iΩ), from small steps on.
    """
    step = np.atleast_1d(np.asarray(step, dtype=float))
    Omega = 2 * np.pi * step
    values = np.linalg.eigvals(scheme.linear(Omega, zeta).matrix).astype(complex)
    exact = np.exp((-zeta + 1j * np.sqrt(1 - zeta**2)) * Omega)
    swinging = np.where(values.imag > _REAL, values, np.nan)
    distance = np.abs(swinging - exact[:, None])
    nearest = np.argmin(np.where(np.isnan(distance), np.inf, distance), axis=1)
    principal = swinging[np.arange(len(step)), nearest]
    with np.errstate(invalid="ignore"):
        angle, decay = np.angle(principal), -np.log(np.abs(principal))
    damped = Omega * np.sqrt(1 - zeta**2)
    return Spectrum(step, np.abs(values).max(axis=1), damped / angle - 1, decay / angle)


def stability_limit(scheme: Scheme, largest: float = 1e3) -> float:
    """Largest ωh up to which an undamped vibration stays bounded; infinite if that is beyond ``largest``."""
    scan = np.geomspace(0.1, largest, 400)
    grows = radius(scheme, scan) > 1 + _ROUND_OFF
    if not grows.any():
        return float("inf")
    first = int(np.argmax(grows))
    low, high = scan[first - 1] if first else 0.0, scan[first]
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if radius(scheme, middle)[0] > 1 + _ROUND_OFF else (middle, high)
    return float(low)


def radius(scheme: Scheme, Omega: Array | float) -> Array:
    """Spectral radius at Ω = ωh, undamped."""
    values = np.linalg.eigvals(scheme.linear(np.atleast_1d(Omega)).matrix)
    return np.asarray(np.abs(values).max(axis=1))


def remains(scheme: Scheme) -> float:
    """ρ∞: the share of an infinitely fast undamped motion that one step leaves."""
    return float(radius(scheme, 1e5)[0])
