"""Region: what came out, building by building and in sum, and as GeoJSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.names import Shown
from hamex.study.regions.inventory import DEGRADING as DEGRADED
from hamex.study.regions.inventory import Inventory
from hamex.study.regions.motions import MotionGrid, Shaking
from hamex.study.regions.shear_frames import COLLAPSED, FINISHED, MEASURES, PROBABILITIES
from hamex.study.regions.types import SOURCE

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[Any]
LABEL = "demands of {} shear models: no pinching, no degradation, no P-Delta"
DEGRADING = "demands of shear models that pinch and lose their strength, with P-Delta"
WITHIN = 0.02
MANY = 200_000  # buildings beyond which GeoJSON, a kilobyte each, is written only when asked for
_PIECE = 20_000
_DIGITS = 6  # significant ones, of places nine: a decimetre; Parquet has them all
_DEMANDS = ("peak_drift_ratio", "peak_floor_acceleration", "peak_residual_drift_ratio")


@dataclass(frozen=True, eq=False)
class StepCheck:
    """What the step costs, seen in a sample.

    Attributes
    ----------
    rows : buildings that were run again.
    finer : how many times shorter the step was.
    errors : relative differences of ``peak_drift_ratio`` and ``peak_floor_acceleration`` from those runs.
    """

    rows: Array
    finer: int
    errors: Mapping[str, Array]

    def share(self, name: str = "peak_drift_ratio", within: float = WITHIN) -> float:
        """Share of the buildings whose difference is below a bound."""
        return float(np.mean(self.errors[name] <= within))

    @property
    def summary(self) -> dict[str, Any]:
        """Shares within 2 % and percentiles."""
        found: dict[str, Any] = {"buildings": len(self.rows), "step": f"h/{self.finer}"}
        for name, errors in self.errors.items():
            good = errors[np.isfinite(errors)]
            found[name] = {
                "share_within_2_percent": self.share(name),
                "median": float(np.median(good)) if good.size else None,
                "percentile_95": float(np.percentile(good, 95)) if good.size else None,
            }
        return found


@dataclass(frozen=True, eq=False)
class Region(Shown):
    """Result of :func:`hamex.region`, in the order of the inventory.

    Attributes
    ----------
    inventory : with every default in place.
    grid, shaking : the motions, and which of them shook each building.
    step : of each building [s].
    columns : one number per building: ``peak_drift_ratio`` (largest of any storey), ``peak_storey`` (which one),
        ``peak_floor_acceleration`` [g], ``peak_residual_drift_ratio``, the probabilities ``p_none`` … ``p_complete``
        and ``status``.
    by_storey : ``drift_ratio``, ``floor_acceleration`` [g, ground included] and ``residual_drift_ratio`` of all storeys
        of all buildings one after the other.
    check : what the step costs; None if it was not asked for.
    provenance : version, hash, source and kind of the motions.
    ran, found : parts that were run, and parts that were finished before.
    kernel_seconds, seconds : spent in computation by all workers, and in all by the clock.
    degrading : whether storeys could lose their strength; status "collapsed" is then sidesway.

    Examples
    --------
    >>> import hamex as hx
    >>> found = hx.region(hx.generate_inventory(4, seed=1, storeys=(1, 2)), hx.el_centro(), workers=1, sample=0)
    >>> sorted(set(found.columns["status"]))
    ['finished']
    """

    inventory: Inventory
    grid: MotionGrid
    shaking: Shaking
    step: Array
    columns: Mapping[str, Array]
    by_storey: Mapping[str, Array]
    check: StepCheck | None
    provenance: Mapping[str, str]
    ran: int
    found: int
    kernel_seconds: float
    seconds: float
    degrading: bool = False

    def __len__(self) -> int:
        return len(self.inventory)

    def __repr__(self) -> str:
        return f"<Region: {len(self):,} buildings, {self.motions} motions, {self.failed} failed>"

    @property
    def motions(self) -> str:
        """Kind of the motions: recorded, synthetic, matched, or several of them."""
        return self.grid.kind

    @property
    def label(self) -> str:
        """What the numbers are."""
        if self.degrading:
            return DEGRADING
        viscous = self.inventory.relaxation > 0
        return LABEL.format(
            "viscoplastic" if viscous.all() else "bilinear and viscoplastic" if viscous.any() else "bilinear"
        )

    @property
    def failed(self) -> int:
        """Number of buildings without a result."""
        return int(np.count_nonzero(~self.good))

    @property
    def good(self) -> Array:
        """Which buildings have a result."""
        return np.isin(self.columns["status"], (FINISHED, COLLAPSED))

    @property
    def collapsed(self) -> int:
        """Number of buildings that went down sideways; 0 where none could."""
        return int(np.count_nonzero(self.columns["status"] == COLLAPSED))

    @cached_property
    def begin(self) -> Array:
        """Where the storeys of each building begin in ``by_storey``; one entry more for the end."""
        return np.concatenate([[0], np.cumsum(self.inventory.storeys)])

    def values(self, name: str) -> Array:
        """A column."""
        if name not in self.columns:
            raise InputError(
                f"the region has no {name!r}; it has {', '.join(self.columns)}, and by_storey "
                f"{', '.join(self.by_storey)}"
            )
        return self.columns[name]

    def building(self, number: int) -> dict[str, Any]:
        """Everything about one building: what is known of it, what shook it, what it did."""
        if not -len(self) <= number < len(self):
            raise InputError(f"the region has buildings 0 to {len(self) - 1}, not {number}")
        number %= len(self)
        storeys = slice(self.begin[number], self.begin[number + 1])
        found = {name: values[number] for name, values in self._about().items()}
        found |= {name: values[number] for name, values in self.columns.items()}
        return found | {name: values[storeys] for name, values in self.by_storey.items()}

    def _about(self) -> dict[str, Array]:
        x, shaking = self.inventory, self.shaking
        known = (
            "id",
            "longitude",
            "latitude",
            "storeys",
            "type",
            "design",
            "period",
            "strength",
            "damping",
            "hardening",
            "relaxation",
            "height",
            *(DEGRADED if self.degrading else ()),
        )
        return {
            **{name: getattr(x, name) for name in known},
            "station": np.array(self.grid.id)[shaking.station],
            "distance_km": shaking.distance,
            "factor": shaking.factor,
            "step": self.step,
        }

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per building as a polars frame; what each storey has are lists."""
        import polars as pl

        plain = {name: np.ascontiguousarray(values) for name, values in (self._about() | dict(self.columns)).items()}
        frame = pl.DataFrame(plain).with_columns(
            pl.when(self.degrading)
            .then(pl.lit("degrading shear"))
            .when(pl.col("relaxation") > 0)
            .then(pl.lit("viscoplastic shear"))
            .otherwise(pl.lit("bilinear shear"))
            .alias("model"),
            pl.lit(self.motions).alias("motions"),
        )
        row = np.repeat(np.arange(len(self)), self.inventory.storeys)
        lists = pl.DataFrame({"row": row, **self.by_storey}).group_by("row", maintain_order=True).agg(pl.all())
        return pl.concat([frame, lists.select(*MEASURES)], how="horizontal")

    @cached_property
    def summary(self) -> dict[str, Any]:
        """In sum: demands, expected damage by type and by storeys, what the step costs, where the numbers are from."""
        import polars as pl

        distances = self.shaking.distance
        # Percentiles of the demands and expected numbers in each damage state, of all that have a result.
        whole = _demands(self).select(pl.len().alias("buildings"), *_sums()).row(0, named=True)
        return {
            "label": self.label,
            "motions": self.motions,
            "buildings": len(self),
            "storeys": int(self.inventory.storeys.sum()),
            "failed": self.failed,
            **({"collapsed": self.collapsed} if self.degrading else {}),
            "all": _named(whole),
            "by_type": _grouped(self, "type"),
            "by_storeys": _grouped(self, "storeys"),
            "step": {
                "longest": float(self.step.max()),
                "shortest": float(self.step.min()),
                "error": None if self.check is None else self.check.summary,
            },
            "stations": {
                "number": len(self.grid),
                "rule": self.grid.rule,
                "farthest_km": None if self.grid.everywhere else float(distances.max()),
            },
            "defaults": SOURCE,
            "ignored_columns": list(self.inventory.ignored),
            "provenance": dict(self.provenance),
            "parts_run": self.ran,
            "parts_found": self.found,
            "kernel_seconds": self.kernel_seconds,
            "seconds": self.seconds,
        }

    def save(self, path: str | Path) -> Path:
        """Write ``.parquet`` or ``.geojson``, atomically; both say what the numbers are."""
        from hamex.files import check_writable, write_atomically
        from hamex.study.table import write_table

        target = Path(path)
        check_writable(target, (".parquet", ".geojson"))
        if target.suffix.lower() == ".geojson":
            return write_atomically(target, lambda part: _write_geojson(self, part))
        about = {"label": self.label, **self.provenance}
        return write_atomically(target, lambda part: write_table(self.frame, part, about))


def _grouped(region: Region, column: str) -> list[dict[str, Any]]:
    """The same of the buildings that share a type, or a number of storeys."""
    import polars as pl

    rows = _demands(region, column).group_by(column).agg(pl.len().alias("buildings"), *_sums()).sort(column)
    return [{column: row[column]} | _named(row) for row in rows.iter_rows(named=True)]


def _demands(region: Region, column: str | None = None) -> Any:
    import polars as pl

    columns: dict[str, Any] = {name: region.columns[name] for name in (*_DEMANDS, *PROBABILITIES)}
    if column is not None:
        columns[column] = np.ascontiguousarray(getattr(region.inventory, column))
    good = region.good
    return pl.DataFrame({name: values[good] for name, values in columns.items()}).with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )


def _sums() -> list[Any]:
    import polars as pl

    found: list[Any] = []
    for name in _DEMANDS:
        found += [pl.col(name).median().alias(f"{name}_median"), pl.col(name).quantile(0.95).alias(f"{name}_95")]
    return found + [pl.col(name).sum() for name in PROBABILITIES]


def _named(row: dict[str, Any]) -> dict[str, Any]:
    demands = {name: {"median": row[f"{name}_median"], "percentile_95": row[f"{name}_95"]} for name in _DEMANDS}
    states = {name.removeprefix("p_"): row[name] for name in PROBABILITIES}
    return {"buildings": row["buildings"], **demands, "expected_buildings": states}


def _write_geojson(region: Region, path: Path) -> None:
    """One point per building; what each storey has are lists. Accelerations in g, periods and steps in s.

    Written in pieces: a million points never stand in memory as text.
    """
    about = {"label": region.label, **region.provenance}
    with path.open("wb") as file:
        file.write(
            b'{"type":"FeatureCollection","hamex":'
            + json.dumps(about, ensure_ascii=False).encode()
            + b',"features":[\n'
        )
        for begin in range(0, len(region), _PIECE):
            lines = _features(region.frame.slice(begin, _PIECE)).write_ndjson().encode()
            file.write((b",\n" if begin else b"") + lines.rstrip(b"\n").replace(b"\n", b",\n"))
        file.write(b"\n]}\n")


def _features(frame: pl.DataFrame) -> pl.DataFrame:
    """A row per feature; what is not a number is null, as JSON wants it."""
    import polars as pl
    import polars.selectors as of

    number, each = of.float(), pl.element()
    short = frame.with_columns(
        of.by_name("longitude", "latitude").round_sig_figs(9),
        (number - of.by_name("longitude", "latitude")).fill_nan(None).round_sig_figs(_DIGITS),
        of.by_name(*MEASURES).list.eval(each.fill_nan(None).round_sig_figs(_DIGITS)),
        pl.col("status").str.replace("^[A-Za-z]+Error: ", "no result: "),
    )
    place = pl.struct(pl.lit("Point").alias("type"), pl.concat_list("longitude", "latitude").alias("coordinates"))
    return short.select(
        pl.lit("Feature").alias("type"),
        place.alias("geometry"),
        pl.struct(pl.exclude("longitude", "latitude")).alias("properties"),
    )
