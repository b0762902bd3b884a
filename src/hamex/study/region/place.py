"""Distances on a sphere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
EARTH = 6371.0088     # km, mean radius (IUGG)


def unit_vectors(longitude: Array, latitude: Array) -> Array:
    """Places in degrees as points on the unit sphere, (place, 3)."""
    east, north = np.radians(longitude), np.radians(latitude)
    return np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], axis=-1)


def great_circle(chord: Array) -> Array:
    """Distance over ground [km] from the straight one on the unit sphere.

    >>> a, b = unit_vectors(np.array([0.0, 90.0]), np.array([0.0, 0.0]))
    >>> round(float(great_circle(np.linalg.norm(a - b))) / EARTH, 6)
    1.570796
    """
    return np.asarray(2 * EARTH * np.arcsin(np.clip(0.5 * np.asarray(chord), 0.0, 1.0)))
