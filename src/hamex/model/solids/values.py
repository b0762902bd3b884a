"""Values at the points of stress: carried to nodes and places, and numbers that do not depend on the axes.

Stresses are (…, m) in the order of :data:`hamex.model.solids.material.STRAINS`; what a plane leaves out is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
TENSOR = ("xx", "yy", "zz", "xy", "yz", "zx")


def carried(points: Array, places: Array) -> Array:
    """(place, point): weights that carry values at points of the reference cell (dimension, point) to other places of
    it (dimension, place).

    They are those of the linear function nearest to the values in the least squares; of a single point, its value.
    More would follow the noise between the points of one cell.

    >>> square = np.array([[0.2, 0.8, 0.2, 0.8], [0.2, 0.2, 0.8, 0.8]])
    >>> weights = carried(square, np.array([[0.0, 1.0], [0.0, 0.5]]))
    >>> (weights @ (1 + 2 * square[0] - square[1])).round(12).tolist()
    [1.0, 2.5]
    """
    count = points.shape[1]
    if count <= len(points):
        return np.full((places.shape[1], count), 1 / count)
    linear = np.vstack([np.ones(count), points]).T
    return np.asarray(np.vstack([np.ones(places.shape[1]), places]).T @ np.linalg.pinv(linear))


def tensor(components: Sequence[str], values: Array, shear: float = 1.0) -> Array:
    """(…, 6) in the order xx, yy, zz, xy, yz, zx; shear components times ``shear`` (½ makes strains a tensor).

    >>> tensor(("xx", "yy", "xy"), np.array([3.0, 1.0, 2.0])).tolist()
    [3.0, 1.0, 0.0, 2.0, 0.0, 0.0]
    """
    out = np.zeros((*values.shape[:-1], 6))
    for place, name in enumerate(components):
        out[..., TENSOR.index(name)] = values[..., place] * (1.0 if name[0] == name[1] else shear)
    return out


def von_mises(components: Sequence[str], stress: Array) -> Array:
    """√(3/2 s:s), s the deviator: the uniaxial stress that distorts as much.

    >>> von_mises(("xx", "yy", "xy"), np.array([[5.0, 0.0, 0.0], [0.0, 0.0, 1.0]])).round(6).tolist()
    [5.0, 1.732051]
    """
    xx, yy, zz, xy, yz, zx = np.moveaxis(tensor(components, stress), -1, 0)
    apart = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    return np.asarray(np.sqrt(0.5 * apart + 3 * (xy**2 + yz**2 + zx**2)))


def mean_stress(components: Sequence[str], stress: Array) -> Array:
    """(xx + yy + zz)/3; positive in tension."""
    return np.asarray(tensor(components, stress)[..., :3].sum(axis=-1) / 3)


def principal(components: Sequence[str], stress: Array) -> Array:
    """(…, 3), principal stresses, largest first.

    >>> principal(("xx", "yy", "xy"), np.array([0.0, 0.0, 2.0])).round(12).tolist()
    [2.0, 0.0, -2.0]
    """
    full = tensor(components, stress)
    return np.asarray(np.linalg.eigvalsh(full[..., [[0, 3, 5], [3, 1, 4], [5, 4, 2]]])[..., ::-1])


def equivalent_strain(components: Sequence[str], strain: Array) -> Array:
    """√(2/3 ε:ε) of plastic strains, the uniaxial one in a straight pull; in plane stress with εzz = −(εxx + εyy).

    >>> equivalent_strain(("xx", "yy", "zz", "xy"), np.array([0.02, -0.01, -0.01, 0.0])).round(12).tolist()
    0.02
    """
    full = tensor(components, strain, shear=0.5)
    if "zz" not in components:
        full[..., 2] = -(full[..., 0] + full[..., 1])
    return np.asarray(np.sqrt(2 / 3 * ((full[..., :3] ** 2).sum(axis=-1) + 2 * (full[..., 3:] ** 2).sum(axis=-1))))
