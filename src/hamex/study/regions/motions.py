"""MotionGrid: ground motions at stations, and which of them shakes a building, by how much.

``read_motions`` takes them from a table of stations, a record, or "el-centro".
"""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.checks import floats
from hamex.errors import FileError, HamexError, InputError
from hamex.files import RECORD, read_bytes
from hamex.model.units import STANDARD_GRAVITY
from hamex.motion.ground import GroundMotion, el_centro, kinds_of
from hamex.motion.records import read_record

Array = NDArray[Any]
EARTH = 6371.0088  # km, mean radius (IUGG)
EL_CENTRO = "el-centro"
TABLE = "stations.csv"
_NEEDED = ("longitude", "latitude", "file")
COLUMNS = ("id", *_NEEDED, "unit", "step", "component", "scale")
NEIGHBOURS = 4  # stations that are interpolated between
_PERIODS = np.geomspace(0.05, 5.0, 61)
_DAMPING = 0.05
_NEAR = 1e-6  # km: a building at a station takes its motion as it is


class Shaking(NamedTuple):
    """Which motion, times what, shakes each building, and how far away its station is [km] (NaN: everywhere)."""

    station: Array
    factor: Array
    distance: Array


@dataclass(frozen=True, eq=False)
class MotionGrid:
    """Ground motions at stations; each building takes that of the nearest, or one that is interpolated.

    An interpolated motion is the record of the nearest station, scaled so that its spectral acceleration at the
    building's period (5 % damping) is that of the region around: the mean over the four nearest stations of its
    logarithm, weighted by one over distance squared. Records themselves are never mixed, which would cancel peaks that
    do not arrive together; at a station the record stays as it is.

    Parameters
    ----------
    motions : one per station.
    longitude, latitude : of the stations [degrees]; none for a single motion that acts everywhere.
    id : names of the stations; numbered from 1 by default.
    interpolated : between stations, instead of the nearest.

    Examples
    --------
    >>> import hamex as hx
    >>> grid = hx.MotionGrid([hx.el_centro(), hx.el_centro().scaled(2)], [-115.5, -115.3], [32.8, 32.8])
    >>> grid.shaking(np.array([-115.45, -115.31]), np.array([32.8, 32.8]), np.array([0.5, 0.5])).station.tolist()
    [0, 1]
    """

    motions: tuple[GroundMotion, ...]
    longitude: Any = None
    latitude: Any = None
    id: Any = None
    interpolated: bool = False

    def __post_init__(self) -> None:
        motions = (self.motions,) if isinstance(self.motions, GroundMotion) else tuple(self.motions)
        if not motions or not all(isinstance(motion, GroundMotion) for motion in motions):
            raise InputError("MotionGrid: motions must be ground motions, at least one")
        object.__setattr__(self, "motions", motions)
        names = range(1, len(motions) + 1) if self.id is None else self.id
        object.__setattr__(self, "id", tuple(str(name) for name in names))
        if len(self.id) != len(motions) or len(set(self.id)) != len(motions):
            raise InputError(f"MotionGrid: {len(motions)} motions need as many different ids, got {len(self.id)}")
        if self.longitude is None and self.latitude is None:
            if len(motions) > 1:
                raise InputError(
                    f"MotionGrid: {len(motions)} motions need the longitudes and latitudes of their stations"
                )
            return
        for name, far in (("longitude", 180.0), ("latitude", 90.0)):
            values = floats(getattr(self, name), f"MotionGrid: {name} must be numbers of degrees")
            if values.shape != (len(motions),) or not (np.abs(values) <= far).all():
                raise InputError(
                    f"MotionGrid: {name} must be {len(motions)} numbers of degrees from −{far:g} to "
                    f"{far:g}, one a station"
                )
            object.__setattr__(self, name, values)
        still = [name for name, motion in zip(self.id, motions, strict=True) if self.interpolated and motion.peak == 0]
        if still:
            raise InputError(
                f"MotionGrid: the motion of station {still[0]} is zero throughout, which has no logarithm "
                "to interpolate; leave the station out, or take the nearest"
            )

    def __len__(self) -> int:
        return len(self.motions)

    @property
    def everywhere(self) -> bool:
        """Whether one motion acts everywhere."""
        return self.longitude is None

    @property
    def kind(self) -> str:
        """What the motions are: recorded, synthetic, matched, or several of them."""
        return kinds_of(self.motions)

    @property
    def rule(self) -> str:
        """How a building gets its motion, in words."""
        if self.everywhere:
            return "one motion everywhere"
        return f"nearest of {len(self)} stations" + (
            f", scaled to Sa(T1) interpolated between the nearest {min(NEIGHBOURS, len(self))}"
            if self.interpolated
            else ""
        )

    def shaking(self, longitude: Array, latitude: Array, period: Array) -> Shaking:
        """Station and factor of each building."""
        count = len(longitude)
        if self.everywhere:
            return Shaking(np.zeros(count, dtype=np.int64), np.ones(count), np.full(count, np.nan))
        from scipy.spatial import cKDTree

        # Nearest in space is nearest over ground; no seam at ±180°.
        tree = cKDTree(unit_vectors(self.longitude, self.latitude))
        chords, found = tree.query(unit_vectors(longitude, latitude), k=min(NEIGHBOURS, len(self)))
        distances = great_circle(chords).reshape(count, -1)
        stations = found.reshape(count, -1).astype(np.int64)
        factor = self._factor(stations, distances, period) if self.interpolated else np.ones(count)
        return Shaking(stations[:, 0], factor, distances[:, 0])

    def _factor(self, stations: Array, distances: Array, period: Array) -> Array:
        from hamex.study.spectra import spectrum

        found = spectrum(self.motions, _PERIODS, _DAMPING, g=STANDARD_GRAVITY).values("pseudo_acceleration")
        table = np.log(found.reshape(len(self), -1, len(_PERIODS))[:, 0])
        place = np.clip(np.interp(np.log(period), np.log(_PERIODS), np.arange(len(_PERIODS))), 0, len(_PERIODS) - 1)
        left = np.minimum(place.astype(np.int64), len(_PERIODS) - 2)[:, None]
        right = place[:, None] - left
        logs = table[stations, left] * (1 - right) + table[stations, left + 1] * right
        weights = 1 / np.maximum(distances, _NEAR) ** 2
        weights[distances[:, 0] <= _NEAR, 1:] = 0.0
        return np.asarray(np.exp((weights * logs).sum(axis=1) / weights.sum(axis=1) - logs[:, 0]))


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


def read_motions(
    path: str | Path,
    *,
    unit: str | None = None,
    step: float | None = None,
    interpolated: bool = False,
    raw: bool = False,
) -> MotionGrid:
    """Motions of a region.

    Parameters
    ----------
    path : a table of stations (``.csv`` with columns longitude, latitude and file, and where needed id, unit, step,
        component and scale; files are sought beside the table), a folder with such a ``stations.csv``, a record of any
        format that :func:`hamex.read_record` knows, for all buildings alike, or "el-centro".
    unit, step : of records that do not tell.
    interpolated : between stations, see :class:`MotionGrid`.
    raw : whether records of K-NET and KiK-net keep the instrument's offset, see :func:`hamex.read_record`.

    Examples
    --------
    >>> grid = read_motions("el-centro")
    >>> grid.interpolated
    False
    """
    if str(path) == EL_CENTRO:
        return MotionGrid((el_centro(),), id=("El Centro",))
    path = Path(path)
    if os.path.isdir(path):
        if not (path / TABLE).is_file():
            raise FileError(f"cannot read {path}: the folder has no {TABLE} with the columns {', '.join(_NEEDED)}")
        path = path / TABLE
    rows = _rows(path)
    if rows is None:
        return MotionGrid((read_record(path, unit=unit, step=step, raw=raw),), id=(path.stem,))
    return _grid(path, rows, unit, step, interpolated, raw)


def _rows(path: Path) -> list[dict[str, str]] | None:
    """Rows of a table of stations; None if the file is something else."""
    if path.suffix.lower() != ".csv":
        return None
    try:
        text = read_bytes(path, RECORD).decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    try:
        head, *rows = csv.reader(io.StringIO(text, newline=""))
    except (csv.Error, ValueError):  # fields beyond what a table has, or nothing at all
        return None
    names = [name.strip().lower() for name in head]
    if not {"longitude", "latitude"} & set(names):
        return None
    for name in _NEEDED:
        if name not in names:
            raise InputError(
                f"{path}: there is no column {name}; a table of stations has the columns "
                f"{', '.join(COLUMNS)}, of which {', '.join(_NEEDED)} are needed"
            )
    return [dict(zip_longest(names, map(str.strip, row[: len(names)]), fillvalue="")) for row in rows if row]


def _grid(
    path: Path, rows: list[dict[str, str]], unit: str | None, step: float | None, interpolated: bool, raw: bool
) -> MotionGrid:
    if not rows:
        raise InputError(f"{path}: no stations")
    motions, places, names = [], [], []
    read: dict[tuple[str, ...], GroundMotion] = {}  # stations may share a file
    for number, row in enumerate(rows, start=1):
        where = f"{path}, row {number}"
        places.append([_number(where, name, row[name]) for name in ("longitude", "latitude")])
        names.append(row.get("id") or str(number))
        if not row["file"]:
            raise InputError(f"{where}, column file: no record is given")
        key = tuple(row.get(name, "") for name in ("file", "unit", "step", "component"))
        if key not in read:
            own = _number(where, "step", row["step"]) if row.get("step") else step
            try:
                read[key] = read_record(
                    path.parent / row["file"],
                    unit=row.get("unit") or unit,
                    step=own,
                    component=row.get("component") or None,
                    raw=raw,
                )
            except HamexError as problem:
                raise InputError(f"{where}, column file: {problem}") from None
        factor = row.get("scale")
        motions.append(read[key].scaled(_number(where, "scale", factor)) if factor else read[key])
    longitude, latitude = zip(*places, strict=True)
    try:
        return MotionGrid(tuple(motions), longitude, latitude, tuple(names), interpolated)
    except InputError as problem:
        raise InputError(f"{path}: {problem}") from None


def _number(where: str, column: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{where}, column {column}: {text!r} is not a number") from None
