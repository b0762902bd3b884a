"""Expected Fourier amplitude and duration of shaking by magnitude, distance and site: a point source, for teaching.

The stochastic method of Boore (2003, Pure and Applied Geophysics 160:635-676) in SI units: the ω² source of Brune
(1970) × geometrical spreading and anelastic attenuation × amplification by a soil whose velocity grows with depth ×
loss near the surface (κ). Values are typical of active crustal regions and round. Nothing here replaces a ground-motion
model: there is no fault, no direction, no nonlinear soil.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
VELOCITY = 3500.0  # of shear waves at the source [m/s]
DENSITY = 2800.0  # there [kg/m³]
SOIL_DENSITY = 2000.0  # [kg/m³]
RADIATION = 0.55 / math.sqrt(2) * 2  # mean radiation of S waves, one of two components, free surface (Boore 2003)
STRESS_DROP = 10e6  # [Pa]
KAPPA = 0.04  # [s]; Anderson and Hough (1984)
SPREADING = 40e3  # 1/R up to this distance [m], 1/√R beyond; with Q = 180 f^0.45 of Raoof et al. (1999)
STIFFENING = 0.25  # exponent of the mean velocity down to a depth, vs30 (depth/30 m)^STIFFENING
LOW_CUT = 0.05  # [Hz]: below, the amplitude falls fast, as in a processed record


def moment(magnitude: float) -> float:
    """Seismic moment [N m] (Hanks and Kanamori 1979).

    >>> f"{moment(6.5):.2g}"
    '6.3e+18'
    """
    return 10 ** (1.5 * magnitude + 9.05)


def corner(magnitude: float, stress_drop: float) -> float:
    """Corner frequency of the source [Hz]: Brune's circle, 2.34/2π (16/7)^⅓ β (Δσ/M₀)^⅓; stress drop [Pa].

    >>> round(corner(6.5, 10e6), 2)
    0.2
    """
    return 2.34 / (2 * math.pi) * (16 / 7) ** (1 / 3) * VELOCITY * (stress_drop / moment(magnitude)) ** (1 / 3)


def effective_distance(magnitude: float, distance: float) -> float:
    """Distance of a point [m] that shakes like a fault as far away as ``distance`` [km] (Yenier and Atkinson 2014)."""
    return 1e3 * math.hypot(distance, 10 ** (-1.72 + 0.43 * magnitude))


def amplitude(
    f: Array, magnitude: float, distance: float, vs30: float, stress_drop: float = STRESS_DROP, kappa: float = KAPPA
) -> Array:
    """Fourier amplitude of the ground acceleration [m/s] at frequencies f ≥ 0 [Hz].

    ``distance`` in km, ``vs30`` in m/s, ``stress_drop`` in Pa, ``kappa`` in s.
    """
    R = effective_distance(magnitude, distance)
    source = (
        RADIATION
        * moment(magnitude)
        / (4 * math.pi * DENSITY * VELOCITY**3)
        * (2 * np.pi * f) ** 2
        / (1 + (f / corner(magnitude, stress_drop)) ** 2)
    )
    spread = 1 / min(R, SPREADING) * math.sqrt(min(1.0, SPREADING / R))
    # f/Q(f) = f^0.55/180; low frequencies are cut as by a Butterworth filter of fourth order, once.
    path = spread * np.exp(-np.pi * R / VELOCITY * f**0.55 / 180)
    ratio = (f / LOW_CUT) ** 4
    return source * path * amplification(f, vs30) * np.exp(-np.pi * kappa * f) * ratio / np.sqrt(1 + ratio**2)


def amplification(f: Array, vs30: float) -> Array:
    """Square root of impedances, source over soil down to a quarter of a wavelength (Joyner et al. 1981).

    With the mean velocity v = vs30 (z/30 m)^p down to a depth z, and z = v/(4f), it is v^(1−p) = vs30 (120 m f)^−p.

    >>> amplification(np.array([400 / 120]), 400.0).round(2).tolist()     # a quarter of a wavelength is 30 m
    [3.5]
    """
    p = STIFFENING
    with np.errstate(divide="ignore"):
        v = np.minimum((vs30 * (120.0 * f) ** -p) ** (1 / (1 - p)), VELOCITY)
    return np.sqrt(np.maximum(DENSITY * VELOCITY / (SOIL_DENSITY * v), 1.0))


def duration(magnitude: float, distance: float, stress_drop: float = STRESS_DROP) -> float:
    """Duration of strong shaking [s]: that of the source, 1/corner, and that of the path, 0.2 s/km up to 40 km and
    0.05 s/km beyond, close to what Boore and Thompson (2014) found."""
    return 1 / corner(magnitude, stress_drop) + 0.2 * min(distance, 40.0) + 0.05 * max(distance - 40.0, 0.0)
