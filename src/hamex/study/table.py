"""Tables of runs: the table of a study, drift ratios beside its drifts, and its measures in words; tables as Parquet
files that carry their checksum, and a key where one belongs to them."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import FileError, InputError, MissingPackageError, OverflowRunError
from hamex.files import ROOM, is_whole, stamped
from hamex.model.layout import ratios
from hamex.model.oscillator import Oscillators
from hamex.model.shear_frames import ShearFrames
from hamex.names import Shown
from hamex.solution.batch import MEASURES
from hamex.solution.outline import unit
from hamex.study.axes import Axes, Systems

if TYPE_CHECKING:
    import polars as pl
    import xarray as xr

Array = NDArray[Any]
RAN_AWAY = "ran away"  # status in words of a run whose numbers left what the machine can hold
_SEAL = "hamex_checksum"  # among what Parquet lets a file tell of itself
# Drift over height of the storey.
RATIOS = {
    "drift": "drift_ratio",
    "residual_drift": "residual_drift_ratio",
    "settled_drift": "settled_drift_ratio",
    "swing": "swing_ratio",
}


def polars_for(what: str) -> Any:
    """The package polars, for ``what`` cannot do without."""
    try:
        import polars
    except ImportError:
        raise MissingPackageError(f"{what} need polars: pip install 'hamex[tables]'") from None
    return polars


@dataclass(frozen=True, eq=False)
class StudyTable(Shown):
    """Result of a study.

    Attributes
    ----------
    axes : what was varied.
    columns : by name, one entry per cell; axes first, then measures and ``status``.
    units : names of the units of length and force.
    provenance : version, scheme, hash of the study, and what kind of motions it rests on.
    ran, found : parts that were run, and parts that were finished before.
    kernel_seconds, seconds : spent in computation by all workers, and in all by the clock.
    """

    axes: Axes
    columns: Mapping[str, Array]
    units: Any
    provenance: Mapping[str, str]
    ran: int
    found: int
    kernel_seconds: float
    seconds: float

    def __repr__(self) -> str:
        size = " × ".join(f"{length} {name}s" for name, length in zip(self.axes.names, self.axes.shape, strict=True))
        return f"<StudyTable: {size}, {', '.join(self.measures)}, {self.provenance['motions']} motions>"

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return tuple(name for name in self.columns if name not in (*self.axes.names, "scale", "status"))

    @property
    def failed(self) -> int:
        """Number of cells that have no result."""
        return int(np.count_nonzero(~np.isin(self.columns["status"], ("finished", "collapsed"))))

    @property
    def collapsed(self) -> int:
        """Number of runs that ended at their limit."""
        return int(np.count_nonzero(self.columns["status"] == "collapsed"))

    def values(self, name: str) -> Array:
        """A measure or the status in the shape of the axes."""
        if name not in self.columns:
            raise InputError(f"the table has no {name!r}; it has {', '.join(self.columns)}")
        return self.columns[name].reshape(self.axes.shape)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The table as a polars frame."""
        pl = polars_for("frames of studies")
        return pl.DataFrame({name: np.ascontiguousarray(values) for name, values in self.columns.items()})

    @property
    def dataset(self) -> xr.Dataset:
        """The measures as a labelled dataset."""
        import xarray as xr

        coordinates = {name: self.axes.values(name) for name in self.axes.names}
        return xr.Dataset(
            {name: (self.axes.names, self.values(name)) for name in (*self.measures, "status")},
            coords=coordinates,
            attrs=dict(self.provenance),
        )

    def save(self, path: str | Path) -> Path:
        """Write ``.parquet``, ``.csv``, ``.xlsx`` (Excel, with units) or ``.nc``, atomically; every row of a table says
        what kind its motions are."""
        from hamex.files import check_writable, write_atomically
        from hamex.solution.containers import write_dataset
        from hamex.solution.files import pairs, write_sheets

        target = Path(path)
        check_writable(target, (".parquet", ".csv", ".xlsx", ".nc"))
        if target.suffix.lower() == ".nc":
            return write_atomically(target, lambda part: write_dataset(part, self.dataset))
        if target.suffix.lower() == ".xlsx":
            motions = {"motions": [self.provenance["motions"]] * len(self.columns["status"])}
            runs: dict[str, Any] = {**with_units(in_words(self.columns), self.units), **motions}
            return write_sheets(target, {"runs": runs, "about": pairs(self.provenance)})
        pl = polars_for("tables as .csv and .parquet")
        frame = self.frame.with_columns(pl.lit(self.provenance["motions"]).alias("motions"))
        if target.suffix.lower() == ".csv":
            said = frame.with_columns(pl.Series("status", in_words(self.columns)["status"]))
            return write_atomically(target, lambda part: part.write_text(said.write_csv(), encoding="utf-8"))
        return write_atomically(target, lambda part: write_table(frame, part, self.provenance))


def heights_of(built: Systems) -> Array | None:
    """Heights of storeys, (model, storey); None where some are unknown."""
    if isinstance(built, Oscillators):
        return None
    if isinstance(built, ShearFrames):
        found = built.heights
    else:
        rows = [model.storeys.heights if model.storeys is not None else np.full(1, np.nan) for model in built]
        if len({len(row) for row in rows}) > 1:
            return None
        found = np.array(rows)
    return found if np.all(np.isfinite(found)) else None


def with_ratios(columns: Mapping[str, Array], heights: Array | None) -> dict[str, Array]:
    """Columns, and behind each drift the drift ratio of the worst storey and of every storey.

    ``heights`` is (row, storey).
    """
    found: dict[str, Array] = {}
    storeys = 0 if heights is None else heights.shape[1]
    for name, values in columns.items():
        if name not in RATIOS or heights is None or f"{name}_{storeys}" not in columns:
            found[name] = values
            continue
        each = ratios(np.stack([columns[f"{name}_{i + 1}"] for i in range(storeys)], axis=1), heights)
        worst = np.where(np.isnan(each), -1.0, np.abs(each)).argmax(axis=1)
        found[RATIOS[name]] = each[np.arange(len(each)), worst]
        found |= {f"{RATIOS[name]}_{i + 1}": each[:, i].copy() for i in range(storeys)}
        found[name] = values
    return found


def in_words(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Columns for people: a status tells in words what Python has a name of an error for.

    >>> status = np.array(["finished", "OverflowRunError: the drift is no number", "InputError: no such measure"])
    >>> in_words({"status": status})["status"].tolist()
    ['finished', 'ran away: the drift is no number', 'no result: no such measure']
    """
    statuses = [str(status) for status in columns["status"]]
    away = ran_away(columns["status"])
    said = [
        status if reason(status) == status else f"{RAN_AWAY if runs else 'no result'}: {reason(status)}"
        for status, runs in zip(statuses, away, strict=True)
    ]
    return {**columns, "status": np.array(said)}


def reason(status: str) -> str:
    """Why a run has no result, without the name that Python has for it."""
    return re.sub(r"^[A-Za-z]+Error: ", "", str(status))


def ran_away(status: Array) -> Array:
    """Which runs ended because their numbers grew without end, as the library or a table in words tells it."""
    statuses = status.astype(str)
    found: Array = np.char.startswith(statuses, OverflowRunError.__name__) | np.char.startswith(statuses, RAN_AWAY)
    return found


def base_measure(demand: str) -> str:
    """The measure of a batch that a demand is made from: "drift" for "drift_ratio".

    >>> base_measure("drift_ratio"), base_measure("ductility")
    ('drift', 'ductility')
    """
    return {ratio: name for name, ratio in RATIOS.items()}.get(demand, demand)


def words_of(demand: str, units: Any, storeys: bool) -> tuple[str, str]:
    """A demand in words, and its unit; "" for a pure number."""
    base = base_measure(demand)
    if base not in MEASURES:
        raise InputError(f"no measure is called {demand!r}; there are {', '.join((*MEASURES, *RATIOS.values()))}")
    place = "storey " if storeys and "drift" in demand else "floor " if storeys and "accel" in demand else ""
    said = unit(MEASURES[base].kind, units.length, units.force)
    return f"{place}{demand.replace('_', ' ')}", "" if demand in RATIOS.values() or said == "1" else said


def with_units(columns: Mapping[str, Array], units: Any) -> dict[str, Array]:
    """Columns whose names tell the unit, where they are measures: "drift_1" becomes "drift_1 [m]".

    >>> from hamex.model.units import Units
    >>> list(with_units({"scale": np.ones(1), "drift_1": np.ones(1)}, Units("m", "kN")))
    ['scale', 'drift_1 [m]']
    """
    found = {}
    for name, values in columns.items():
        base = base_measure(re.sub(r"_\d+$", "", name))
        said = unit(MEASURES[base].kind, units.length, units.force) if base in MEASURES else ""
        said = "1" if base_measure(name) != name or re.sub(r"_\d+$", "", name) in RATIOS.values() else said
        found[f"{name} [{said}]" if said else name] = values
    return found


def write_table(frame: pl.DataFrame, path: Path, about: Mapping[str, str] | None = None, key: str = "") -> None:
    """A frame with words on it; made in memory, so that a full disk is met by Python's own file."""
    content = io.BytesIO()
    frame.write_parquet(content, compression="lz4", metadata={**(about or {}), _SEAL: f"{key} {ROOM}"})
    path.write_bytes(stamped(content.getvalue()))


def read_table(path: Path, key: str | None = None) -> pl.DataFrame:
    """The frame, if the file verifies; with a ``key`` only what was written under it. A file of others, or of before
    there were checksums, is read where no key is asked for."""
    pl = polars_for("Parquet files")
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise FileError(f"cannot read {path}: {problem.strerror}") from None
    whole = is_whole(content)
    if whole is False or (key is not None and not whole):
        raise FileError(f"cannot read {path}: it does not match its checksum, so it is damaged or was changed")
    if key is not None and f"{key} {ROOM[:-64]}".encode() not in content:
        raise FileError(f"cannot read {path}: it holds something else than its name says")
    try:
        return pl.read_parquet(io.BytesIO(content))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as problem:
        raise FileError(f"cannot read {path}: not a table in Parquet ({str(problem).partition(chr(10))[0]})") from None
