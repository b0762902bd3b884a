"""Inventory: the buildings of a region as columns; what is left out is filled in by type. Or made up from a seed: any
size, and building i is the same in all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import check_memory, is_finite, is_positive, is_whole, said
from hamex.errors import InputError
from hamex.model.inputs import beyond
from hamex.study.regions import types
from hamex.study.regions.motions import EARTH
from hamex.study.table import polars_for

Array = NDArray[Any]
BUILDINGS = "inventories of buildings"
Column = Any  # anything like an array when given, an array from then on

LIMITS = tuple(f"drift_{state}" for state in types.STATES)
# Columns with numbers that may be left out, and what is allowed in them.
NUMBERS: dict[str, tuple[Callable[[Array], Array], str]] = {
    "period": (lambda x: x > 0, "a positive number of seconds"),
    "strength": (lambda x: x > 0, "positive, base shear at yield over weight"),
    "damping": (lambda x: (x >= 0) & (x < 1), "a ratio of critical damping from 0 to below 1 (0.05 is 5 %)"),
    "hardening": (lambda x: (x >= 0) & (x < 1), "stiffness after yield over stiffness before, from 0 to below 1"),
    "relaxation": (lambda x: x >= 0, "a number of seconds, 0 or more"),
    "height": (lambda x: x > 0, "a positive number of metres, one storey"),
    "dispersion": (lambda x: x > 0, "a positive standard deviation of the logarithm"),
}
# The same of buildings that degrade, see hamex.study.regions.shear_frames.
DEGRADING: dict[str, tuple[Callable[[Array], Array], str]] = {
    "ductility": (lambda x: x > 1, "above 1, deformation at the largest force over that at yield"),
    "softening": (lambda x: x > 0, "a positive drift ratio, from the largest force down to none"),
    "residual": (lambda x: (x >= 0) & (x < 1), "a share of the yield force from 0 to below 1"),
    "loops": (lambda x: (x > 0) & (x <= 1), "a share above 0 and up to 1, area of loops over that of bilinear ones"),
}
COLUMNS: tuple[str, ...] = ("id", "longitude", "latitude", "storeys", "type", "design", *NUMBERS, *LIMITS, *DEGRADING)


@dataclass(frozen=True, eq=False)
class Inventory:
    """Buildings as columns, one entry each; NaN, or "" in words, is what the type's default fills in.

    Parameters
    ----------
    longitude, latitude : of each building [degrees].
    storeys : whole numbers from 1 on.
    type : Hazus building types such as "C1" (the storeys decide on the class of height), "C1M", "W1"; "" for a building
        that brings all its numbers.
    design : seismic design level, "high", "moderate", "low" or "pre"; "" takes moderate, or low where there is no
        better.
    period : first natural period [s].
    strength : base shear at yield over weight.
    damping : ratio of critical damping of the first mode and the second.
    hardening : stiffness after yield over stiffness before.
    relaxation : viscosity over stiffness of the storeys [s]; 0, as it is by default, is rate independent.
    height : of a storey [m].
    dispersion : standard deviation of the logarithm of the drift limits.
    limits : drift ratios at the thresholds slight, moderate, extensive and complete, (building, 4).
    id : names of the buildings; numbered from 1 by default.
    source : where it comes from, for messages.
    ignored : columns of the file that mean nothing here.
    ductility : deformation of a storey at its largest force over that at yield; this and what follows is used where
        buildings degrade.
    softening : drift ratio that the falling branch takes from the largest force to none.
    residual : force that is left in the end, over the yield force.
    loops : area of the loops over that of bilinear ones: 1 full, 0.5 peak oriented, less pinched.

    Examples
    --------
    >>> few = Inventory([-115.5, -115.4], [32.8, 32.7], storeys=[1, 5], type=["W1", "C1"], period=[np.nan, 0.8])
    >>> few.filled().period.tolist(), few.filled().strength.round(4).tolist()
    ([0.35, 0.8], [0.225, 0.0838])
    """

    longitude: Array
    latitude: Array
    storeys: Array
    type: Array
    design: Column = None
    period: Column = None
    strength: Column = None
    damping: Column = None
    hardening: Column = None
    relaxation: Column = None
    height: Column = None
    dispersion: Column = None
    limits: Column = None
    id: Column = None
    source: str = "Inventory"
    ignored: tuple[str, ...] = ()
    ductility: Column = None
    softening: Column = None
    residual: Column = None
    loops: Column = None

    def __post_init__(self) -> None:
        count = np.size(self.longitude)
        if not count:
            raise InputError(f"{self.source}: no buildings")
        ids = np.arange(1, count + 1).astype(str) if self.id is None else self._words("id", self.id, count)
        object.__setattr__(self, "id", ids)
        for name in ("longitude", "latitude", *NUMBERS, *DEGRADING):
            object.__setattr__(self, name, self._numbers(name, getattr(self, name), (count,)))
        object.__setattr__(self, "limits", self._numbers("limits", self.limits, (count, len(types.STATES))))
        object.__setattr__(self, "storeys", self._storeys(count))
        for name in ("type", "design"):
            object.__setattr__(self, name, self._words(name, getattr(self, name), count))
        self._check()

    def __len__(self) -> int:
        return len(self.longitude)

    def __repr__(self) -> str:
        return f"<Inventory: {len(self):,} buildings of {self.storeys.min()} to {self.storeys.max()} storeys>"

    def chosen(self, which: Any) -> Inventory:
        """Some of the buildings, by index array or slice."""
        return replace(self, **{name: getattr(self, name)[which] for name in _ARRAYS})

    def filled(self, degrading: bool = False) -> Inventory:
        """With every default in place; a building without a type must bring its numbers (drift limits aside), and
        those of degradation where it degrades."""
        names, levels = _codes(self.type, types.NAMES), _codes(self.design, types.LEVELS)
        typed = np.flatnonzero(names >= 0)
        levels = np.where(levels < 0, types.usual_level(names), levels)
        found = types.defaults(names[typed], self.storeys[typed], levels[typed])
        changes: dict[str, Any] = {}
        for name in (*NUMBERS, *DEGRADING, "limits"):
            given = getattr(self, name)
            missing = np.isnan(given)
            if missing.any():
                default = np.full(given.shape, np.nan)
                default[typed] = found[name]
                changes[name] = np.where(missing, default, given)
        for name, usual in (("relaxation", 0.0), ("dispersion", types.DISPERSION)):  # of no type in particular
            if name in changes:
                changes[name] = np.nan_to_num(changes[name], nan=usual)
        done = replace(self, **changes, design=np.where(names < 0, "", np.array(types.LEVELS)[levels]))
        for name in (*NUMBERS, *DEGRADING) if degrading else NUMBERS:
            lost = np.isnan(getattr(done, name))
            if lost.any():
                raise self._error(lost, name, "is missing, and the building has no type to take it from")
        if degrading and (done.relaxation > 0).any():
            raise self._error(
                done.relaxation > 0, "relaxation", "storeys that degrade have no viscosity; leave one of the two out"
            )
        return done

    def save(self, path: str | Path) -> Path:
        """Write ``.csv`` that :func:`read_inventory` reads; columns without any number are left out."""
        import polars as pl

        from hamex.files import check_writable, write_atomically

        target = Path(path)
        check_writable(target, (".csv",))
        columns: dict[str, Any] = {name: getattr(self, name) for name in COLUMNS if name not in LIMITS}
        columns |= {name: self.limits[:, i] for i, name in enumerate(LIMITS)}
        kept = {
            name: values
            for name, values in columns.items()
            if name in _NEEDED or np.any(values != "" if values.dtype.kind == "U" else ~np.isnan(values))
        }
        frame = pl.DataFrame(kept).with_columns(pl.col(pl.Float64).fill_nan(None))
        return write_atomically(target, lambda part: part.write_text(frame.write_csv(), encoding="utf-8"))

    # What was given ------------------------------------------------------------------------------------------

    def _numbers(self, name: str, values: ArrayLike | None, shape: tuple[int, ...]) -> Array:
        try:
            array = (
                np.full(shape, np.nan)
                if values is None
                else np.array(np.broadcast_to(np.asarray(values, dtype=float), shape))
            )
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{self.source}: {name} must be numbers of shape {shape}") from None
        array.setflags(write=False)
        return array

    def _words(self, name: str, values: ArrayLike | None, count: int) -> Array:
        array = np.asarray("" if values is None else values)
        if array.dtype.kind != "U":
            array = array.astype(str)
        if array.ndim > 1 or array.size not in (1, count):
            raise InputError(f"{self.source}: {name} must be {count} words, one a building, got {array.shape}")
        return np.broadcast_to(array.reshape(-1), (count,))

    def _storeys(self, count: int) -> Array:
        given = self._numbers("storeys", self.storeys, (count,))
        good = (given >= 1) & (given <= types.TALLEST) & (given == np.round(given))
        if not good.all():
            raise self._error(
                ~good,
                "storeys",
                f"must be a whole number from 1 to {types.TALLEST}, got {given[~good][0]:g}".replace(
                    "got nan", "nothing is given"
                ),
            )
        return np.asarray(given.astype(np.int64))

    def _check(self) -> None:
        for name, far in (("longitude", 180.0), ("latitude", 90.0)):
            values = getattr(self, name)
            bad = ~(np.abs(values) <= far)
            if bad.any():
                got = "nothing is given" if np.isnan(values[bad][0]) else f"got {values[bad][0]:g}"
                raise self._error(bad, name, f"must be degrees from −{far:g} to {far:g}, {got}")
        for name, (fits, meaning) in (NUMBERS | DEGRADING).items():
            values = getattr(self, name)
            bad = ~np.isnan(values) & ~(fits(values) & np.isfinite(values))
            if bad.any():
                raise self._error(bad, name, f"must be {meaning}; got {values[bad][0]:g}")
            bad = beyond(values)
            if bad.any():
                raise self._error(bad, name, f"{values[bad][0]:g} is no size that can be computed with; mend it")
        names, levels = _codes(self.type, types.NAMES), _codes(self.design, types.LEVELS)
        for name, codes, words in (("type", names, types.NAMES), ("design", levels, types.LEVELS)):
            bad = codes < -1
            if bad.any():
                raise self._error(
                    bad, name, f"{str(getattr(self, name)[bad][0])!r} is not known; known are {', '.join(words)}"
                )
        both = (names >= 0) & (levels >= 0)
        bad = np.zeros(len(self), dtype=bool)
        bad[both] = ~types.has_level(names[both], levels[both])
        if bad.any():
            raise self._error(
                bad,
                "design",
                f"Hazus knows {self.type[bad][0]} at low and pre design only, got {str(self.design[bad][0])!r}",
            )
        for i, name in enumerate(LIMITS):
            values = self.limits[:, i]
            bad = ~np.isnan(values) & ~((values > 0) & np.isfinite(values))
            if bad.any():
                raise self._error(bad, name, f"must be a positive drift ratio, got {values[bad][0]:g}")
            if i:
                bad = values <= self.limits[:, i - 1]
                if bad.any():
                    raise self._error(bad, name, f"{values[bad][0]:g} is not above {LIMITS[i - 1]}")

    def _error(self, bad: Array, column: str, reason: str) -> InputError:
        row = int(bad.argmax())
        return InputError(f"{self.source}, row {row + 1} (id {self.id[row]}), column {column}: {reason}")


_NEEDED = ("id", "longitude", "latitude", "storeys", "type")
_ARRAYS = ("longitude", "latitude", "storeys", "type", "design", *NUMBERS, *DEGRADING, "limits", "id")


def _codes(words: Array, known: tuple[str, ...]) -> Array:
    """Place of each word among those known; −1 for "", −2 for others."""
    pl = polars_for(BUILDINGS)
    places = {"": -1, **{word: place for place, word in enumerate(known)}}
    if words.strides == (0,):
        return np.full(len(words), places.get(str(words[0]), -2))
    return pl.Series(words).replace_strict(places, default=-2, return_dtype=pl.Int64).to_numpy()


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
