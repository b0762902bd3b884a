"""Inventories made up from a seed: any size, and building i is the same in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory, is_finite, is_positive, is_whole, said
from hamex.errors import InputError
from hamex.study.regions import types
from hamex.study.regions.inventory import Inventory
from hamex.study.regions.motions import EARTH

Array = NDArray[Any]

# Storeys that a type is made with.
_RANGE = {
    "W1": (1, 2),
    "W2": (1, 4),
    "S1": (1, 12),
    "S2": (1, 12),
    "S3": (1, 1),
    "S4": (1, 12),
    "S5": (2, 12),
    "C1": (1, 12),
    "C2": (1, 12),
    "C3": (2, 12),
    "PC1": (1, 2),
    "PC2": (1, 12),
    "RM1": (1, 6),
    "RM2": (1, 12),
    "URM": (1, 5),
    "MH": (1, 1),
}
_LEVELS = (0.3, 0.7, 0.9, 1.0)  # up to high, moderate, low, pre
_NUMBERS = 8  # random numbers of a building, some to spare
SCATTER_PERIOD, SCATTER_STRENGTH = 0.2, 0.3


def generate_inventory(
    count: int,
    seed: int = 0,
    *,
    centre: tuple[float, float] = (-115.5, 32.8),
    extent: float = 40.0,
    storeys: tuple[int, int] = (1, 12),
    names: Sequence[str] | None = None,
) -> Inventory:
    """Buildings at random places in a square, of random height, type and design level.

    Storeys are equally likely, and so are the types that have them. Periods and strengths scatter around the type's
    defaults, lognormal with 0.2 and 0.3. Building i depends on the seed and i only, not on the count.

    Parameters
    ----------
    count : how many.
    seed : of the random numbers.
    centre : longitude and latitude [degrees].
    extent : side of the square [km].
    storeys : fewest and most.
    names : types to choose from; all of Hazus by default.

    Examples
    --------
    >>> few = generate_inventory(3, seed=1)
    >>> few.storeys.tolist() == generate_inventory(1000, seed=1).storeys[:3].tolist()
    True
    """
    who = "generate_inventory"
    for name, value, least in (("count", count, 1), ("seed", seed, 0)):
        if not is_whole(value, least):
            raise InputError(f"{who}: {name} must be a whole number ≥ {least}, got {value!r:.40}")
    check_memory(who, 40 * count, f"{said(count)} buildings", "take fewer")
    longitude, latitude = centre
    if not (is_finite(longitude) and is_finite(latitude) and abs(latitude) < 85):
        raise InputError(f"{who}: centre must be a longitude and a latitude below 85°, got {centre!r}")
    if not is_positive(extent):
        raise InputError(f"{who}: extent must be a positive number of kilometres, got {extent!r}")
    low, high = storeys
    tables = _tables(who, low, high, tuple(_RANGE if names is None else names))
    # One row of the stream per building, so that the count does not matter.
    u = np.random.Generator(np.random.Philox(seed)).random((count, _NUMBERS))
    floors = low + (u[:, 0] * (high - low + 1)).astype(np.int64)
    sizes = np.array([len(tables[n]) for n in range(low, high + 1)])
    padded = np.array([np.resize(tables[n], sizes.max()) for n in range(low, high + 1)])
    kind = padded[floors - low, (u[:, 1] * sizes[floors - low]).astype(np.int64)]
    level = np.searchsorted(_LEVELS, u[:, 2], side="right")
    level = np.where(types.has_level(kind, level), level, np.where(u[:, 2] < 0.6, 2, 3))
    usual = types.defaults(kind, floors, level)
    half = 0.5 * extent / EARTH
    return Inventory(
        longitude=longitude + np.degrees(half * (2 * u[:, 3] - 1) / np.cos(np.radians(latitude))),
        latitude=latitude + np.degrees(half * (2 * u[:, 4] - 1)),
        storeys=floors,
        type=np.array(types.NAMES)[kind],
        design=np.array(types.LEVELS)[level],
        period=usual["period"] * np.exp(SCATTER_PERIOD * _normal(u[:, 5])),
        strength=usual["strength"] * np.exp(SCATTER_STRENGTH * _normal(u[:, 6])),
        source=f"generated, seed {seed}",
    )


def _tables(who: str, low: int, high: int, names: tuple[str, ...]) -> dict[int, Array]:
    """Types, as numbers in NAMES, by storeys."""
    if not (isinstance(low, int) and isinstance(high, int) and 1 <= low <= high):
        raise InputError(
            f"{who}: storeys must be two whole numbers from 1 on, the first not above the second; got {(low, high)!r}"
        )
    for name in names:
        if name not in _RANGE:
            raise InputError(f"{who}: {name!r} is no type; known are {', '.join(_RANGE)}")
    found = {}
    for count in range(low, high + 1):
        # Beyond twelve storeys the types that reach twelve go on.
        fitting = [types.NAMES.index(name) for name in names if _RANGE[name][0] <= min(count, 12) <= _RANGE[name][1]]
        if not fitting:
            raise InputError(f"{who}: none of {', '.join(names)} is made with {count} storeys")
        found[count] = np.array(fitting)
    return found


def _normal(u: Array) -> Array:
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(u, 1e-12, 1 - 1e-12)))
