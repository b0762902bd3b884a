"""region: an inventory × a grid of motions → demands and damage states of every building; and read_inventory, which
begins it: buildings from CSV or GeoJSON; what is wrong is told by file, row and column.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.checks import is_positive
from hamex.errors import FileError, InputError
from hamex.files import TABLE, json_of, read_text
from hamex.motion.ground import GroundMotion
from hamex.solve.settling import check_settle
from hamex.study.engine import SECONDS, Columns, Tell, Timing, run_parts, timed
from hamex.study.keys import digest
from hamex.study.regions.inventory import BUILDINGS, COLUMNS, DEGRADING, LIMITS, NUMBERS, Inventory
from hamex.study.regions.motions import MotionGrid, Shaking
from hamex.study.regions.result import Region, StepCheck
from hamex.study.regions.shear_frames import MEASURES, region_parts, run_part, steps_for
from hamex.study.regions.types import LEVELS
from hamex.study.table import polars_for

if TYPE_CHECKING:
    import polars as pl


# Other names of columns, without case, blanks and signs; among them those of SimCenter's inventories.
_ALIASES = {
    **{name.replace("_", ""): name for name in COLUMNS},
    **dict.fromkeys(("buildingid", "assetid", "name"), "id"),
    **dict.fromkeys(("lon", "lng", "x"), "longitude"),
    **dict.fromkeys(("lat", "y"), "latitude"),
    **dict.fromkeys(("stories", "numberofstories", "numstories", "nstories"), "storeys"),
    **dict.fromkeys(("structuretype", "buildingtype", "hazustype", "structtyp"), "type"),
    **dict.fromkeys(("designlevel", "codelevel"), "design"),
    **dict.fromkeys(("periods", "t1"), "period"),
    "yieldcoefficient": "strength",
    "dampingratio": "damping",
    "hardeningratio": "hardening",
    "relaxations": "relaxation",
    **dict.fromkeys(("storeyheight", "storyheight", "heightm"), "height"),
    "beta": "dispersion",
}
_LEVELS = {**{level: level for level in LEVELS}, "hc": "high", "mc": "moderate", "lc": "low", "pc": "pre"}
_NEEDED = ("longitude", "latitude", "storeys", "type")


def read_inventory(path: str | Path) -> Inventory:
    """The buildings of a ``.csv`` file with a header, or of the points of a ``.geojson`` file.

    Columns (properties) are longitude and latitude [degrees] (the point, in GeoJSON), storeys and type; and as far as
    they differ from the type's defaults id, design, period [s], strength [1], damping [1], hardening [1], relaxation
    [s], height [m], dispersion [1], drift_slight, drift_moderate, drift_extensive and drift_complete [1]; of buildings
    that degrade ductility, softening, residual and loops [1], see :class:`Inventory`. Case, blanks
    and underscores do not matter; NumberOfStories, StructureType, DesignLevel and the like are understood. Columns
    that mean nothing here are listed in ``ignored``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "town.csv")
    ...     _ = path.write_text("longitude,latitude,storeys,type\\n-122.3,37.8,2,W1\\n-122.2,37.9,5,C1\\n")
    ...     town = read_inventory(path)
    >>> len(town)
    2
    """
    path = Path(path)
    if path.suffix.lower() == ".csv":
        frame = _read_csv(path)
    elif path.suffix.lower() in (".geojson", ".json"):
        frame = _read_geojson(path)
    else:
        raise FileError(f"cannot read {path}: an inventory ends in .csv or .geojson")
    if not frame.height:
        raise InputError(f"{path}: no buildings")
    return _inventory(path, frame)


def _read_csv(path: Path) -> pl.DataFrame:
    pl = polars_for(BUILDINGS)
    text = read_text(path, TABLE)
    try:
        # Everything as words: what is no number is then told by row and column.
        return pl.read_csv(text.encode(), infer_schema=False)
    except pl.exceptions.NoDataError:
        raise InputError(f"{path}: the file is empty") from None
    except pl.exceptions.PolarsError as problem:
        raise InputError(
            f"{path}: not a table of comma-separated values with a header: {str(problem).splitlines()[0]}"
        ) from None


def _read_geojson(path: Path) -> pl.DataFrame:
    pl = polars_for(BUILDINGS)
    text = read_text(path, TABLE)
    try:
        data = json_of(text)
    except ValueError as problem:
        raise InputError(f"{path}: not JSON: {problem}") from None
    features = data.get("features") if isinstance(data, dict) else None
    if not isinstance(features, list):
        raise InputError(f"{path}: not a FeatureCollection, it has no list of features")
    rows = []
    for number, feature in enumerate(features, start=1):
        feature = _object(path, number, "the building", feature)
        geometry = _object(path, number, "geometry", feature.get("geometry") or {})
        place = geometry.get("coordinates")
        if geometry.get("type") != "Point" or not isinstance(place, list) or len(place) < 2:
            raise InputError(
                f"{path}, row {number}, column geometry: buildings are points, got "
                f"{geometry.get('type') or 'nothing'}; give the centre"
            )
        properties = _object(path, number, "properties", feature.get("properties") or {})
        words = {key: "" if value is None else str(value) for key, value in properties.items()}
        about = {"id": str(feature["id"])} if "id" in feature else {}
        words = {key: value for key, value in words.items() if _meaning(key) not in ("longitude", "latitude")}
        rows.append(about | words | {"longitude": str(place[0]), "latitude": str(place[1])})
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pl.DataFrame(
        [[row.get(name, "") for row in rows] for name in names], schema=dict.fromkeys(names, pl.String), orient="col"
    )


def _object(path: Path, row: int, what: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{path}, row {row}: {what} must be an object, got {value!r:.60}")
    return value


def _meaning(name: str) -> str | None:
    plain = re.sub(r"\[.*?\]|\(.*?\)", "", name).lower()
    return _ALIASES.get(re.sub(r"[^a-z0-9]", "", plain))


def _inventory(path: Path, frame: pl.DataFrame) -> Inventory:
    import polars as pl

    named: dict[str, str] = {}
    ignored = []
    for name in frame.columns:
        meaning = _meaning(name)
        if meaning is None:
            ignored.append(name)
        elif meaning in named:
            raise InputError(f"{path}: columns {named[meaning]!r} and {name!r} both mean {meaning}; keep one")
        else:
            named[meaning] = name
    for name in _NEEDED:
        if name not in named:
            raise InputError(
                f"{path}: there is no column {name}; it has {', '.join(frame.columns)}. An inventory has "
                f"the columns {', '.join(COLUMNS)}, of which {', '.join(_NEEDED)} are needed"
            )
    words = {name: frame[column].fill_null("").str.strip_chars() for name, column in named.items()}
    numbers: dict[str, Any] = {}
    for name in ("longitude", "latitude", "storeys", *NUMBERS, *LIMITS, *DEGRADING):
        if name in words:
            found = words[name].cast(pl.Float64, strict=False)
            bad = (found.is_null() & (words[name] != "") | found.is_nan().fill_null(False)).arg_true()
            if len(bad):
                row = int(bad[0])
                raise InputError(f"{path}, row {row + 1}, column {named[name]}: {words[name][row]!r} is not a number")
            numbers[name] = found.to_numpy()
    limits = np.stack([numbers.pop(name, np.full(frame.height, np.nan)) for name in LIMITS], axis=1)
    texts: dict[str, Any] = {"type": words["type"].str.to_uppercase()}
    if "design" in words:
        plain = words["design"].str.to_lowercase().str.replace(r"[-_ ]*code$", "")
        texts["design"] = plain.replace(_LEVELS)
    if "id" in words:
        texts["id"] = words["id"]
    return Inventory(
        **numbers,
        limits=limits,
        source=str(path),
        ignored=tuple(ignored),
        **{name: column.to_numpy().astype(str) for name, column in texts.items()},
    )


Array = NDArray[Any]
SAMPLE, FINER = 500, 8  # buildings that are run again, at a step so many times shorter
_RATE, _DEGRADING = 3e8, 1.5e6  # storey-steps a second on one processor, for the estimate
_BYTES = 3 * 8  # results of a storey


@dataclass(frozen=True)
class RegionPlan:
    """What a region will do: buildings, storeys, parts, storey-steps, seconds on one processor, bytes of results."""

    buildings: int
    storeys: int
    parts: int
    steps: float
    seconds: float
    size: int


def region(
    inventory: Inventory,
    motions: MotionGrid | GroundMotion,
    *,
    step: float | None = None,
    settle: float | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    degrading: bool = False,
    executor: Executor | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    store: str | Path | None = None,
    tell: Tell | None = None,
) -> Region:
    """Largest drifts, floor accelerations and residual drifts of every storey of every building, and damage states.

    Each building is a bilinear or viscoplastic shear model with all its storeys (no pinching, no degradation, no
    P-Delta unless ``degrading``), see :mod:`hamex.study.regions.shear_frames`. Buildings of equal height run as one
    batch; nothing keeps histories. The result is the same to the last bit for any executor, number of workers and
    history of interruptions.

    Parameters
    ----------
    inventory : the buildings; what they leave out comes from their types.
    motions : ground motions at stations, or one for all.
    step : of all buildings [s]. By default the record's, halved until it is at most 0.01 s and a fortieth of the
        building's first period.
    settle : let every building go on until its motion has died down, as for :func:`hamex.batch`. The residual drift is
        that at rest either way; only what yields after the record is then seen too.
    sample : buildings that are run again at an eighth of the step, to tell what the step costs; 0 for none.
    seed : which buildings these are.
    degrading : let storeys pinch and lose their strength beyond their largest force, under P-Delta, by the inventory's
        ductility, softening, residual and loops; a building whose storey goes down sideways has the status "collapsed".
    executor, workers, cluster, store, tell : see :func:`hamex.study.engine.run_parts`.

    Examples
    --------
    >>> import hamex as hx
    >>> town = hx.generate_inventory(20, seed=1, storeys=(1, 2))
    >>> found = hx.region(town, hx.el_centro(), workers=1, sample=0)
    >>> found.values("peak_drift_ratio").shape, found.motions
    ((20,), 'recorded')
    """
    begun = time.perf_counter()
    full, grid, shaking, steps = _prepared(inventory, motions, step, degrading)
    if settle is not None:
        check_settle("region", settle)
        if degrading:
            raise InputError("region: buildings that degrade do not settle; leave settle or degrading out")
    rows = _sample(len(full), sample, seed)
    parts = region_parts(full, grid, shaking, steps, None, False, settle, degrading)
    checks = region_parts(full, grid, shaking, steps / FINER, rows, True, settle, degrading) if rows.size else []
    done = run_parts(
        run_part,
        [*parts, *checks],
        store=None if store is None else Path(store),
        executor=executor,
        workers=workers,
        cluster=cluster,
        tell=tell,
    )
    columns, by_storey = _merged(full, done.tables[: len(parts)])
    kernel = sum(float(table[SECONDS][0]) for table in done.tables)
    provenance = {
        "hamex": __version__,
        "scheme": "Galerkin of degree 1",
        "region": digest([p.key for p in parts]),
        "inventory": inventory.source,
        "motions": grid.kind,
        "stations": grid.rule,
    }
    return Region(
        full,
        grid,
        shaking,
        steps,
        columns,
        by_storey,
        _check(columns, rows, done.tables[len(parts) :]),
        provenance,
        done.ran,
        done.found,
        kernel,
        time.perf_counter() - begun,
        degrading,
    )


def plan_region(
    inventory: Inventory,
    motions: MotionGrid | GroundMotion,
    *,
    step: float | None = None,
    sample: int = SAMPLE,
    degrading: bool = False,
) -> RegionPlan:
    """What a run would do, without doing it."""
    full, grid, shaking, steps = _prepared(inventory, motions, step, degrading)
    parts = region_parts(full, grid, shaking, steps)
    total = sum(part.weight for part in parts)
    total += total / len(full) * min(sample, len(full)) * FINER
    storeys = int(full.storeys.sum())
    return RegionPlan(
        len(full),
        storeys,
        len(parts),
        total,
        total / (_DEGRADING if degrading else _RATE),
        _BYTES * storeys + 200 * len(full),
    )


def timed_region(
    inventory: Inventory,
    motions: MotionGrid | GroundMotion,
    *,
    step: float | None = None,
    sample: int = SAMPLE,
    degrading: bool = False,
) -> Timing:
    """How long a run takes on one processor, from a second of it that is run: closer than that of the plan."""
    full, grid, shaking, steps = _prepared(inventory, motions, step, degrading)
    rows = _sample(len(full), sample, 0)
    parts = region_parts(full, grid, shaking, steps, degrades=degrading)
    if rows.size:
        parts += region_parts(full, grid, shaking, steps / FINER, rows, True, degrades=degrading)
    total = sum(part.weight for part in parts)
    return timed(run_part, len(parts), lambda place: (parts[place].payload, parts[place].weight), total)


def _prepared(
    inventory: Inventory, motions: MotionGrid | GroundMotion, step: float | None, degrading: bool
) -> tuple[Inventory, MotionGrid, Shaking, Array]:
    grid = MotionGrid((motions,)) if isinstance(motions, GroundMotion) else motions
    if not isinstance(inventory, Inventory) or not isinstance(grid, MotionGrid):
        raise InputError(
            "region: give an Inventory and a MotionGrid or a GroundMotion, got "
            f"{type(inventory).__name__} and {type(motions).__name__}"
        )
    if step is not None and not is_positive(step):
        raise InputError(f"region: step must be a positive number of seconds, got {step!r}")
    full = inventory.filled(degrading)
    shaking = grid.shaking(full.longitude, full.latitude, full.period)
    return full, grid, shaking, steps_for(full.period, shaking.station, grid, step)


def _sample(count: int, sample: int, seed: int) -> Array:
    for name, value in (("sample", sample), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputError(f"region: {name} must be a whole number ≥ 0, got {value!r}")
    return np.sort(np.random.default_rng(seed).choice(count, min(sample, count), replace=False))


def _merged(full: Inventory, tables: Sequence[Columns]) -> tuple[dict[str, Array], dict[str, Array]]:
    """Columns in the order of the inventory; what each storey has one after the other."""
    begin = np.concatenate([[0], np.cumsum(full.storeys)])
    columns: dict[str, Array] = {}
    by_storey = {name: np.empty(int(begin[-1])) for name in MEASURES}
    for table in tables:
        row = table["row"]
        for name, values in table.items():
            if name in MEASURES:
                by_storey[name][begin[row][:, None] + np.arange(values.shape[1])] = values
            elif name not in ("row", SECONDS):
                wide = np.dtype(object) if values.dtype.kind in "UO" else values.dtype
                columns.setdefault(name, np.empty(len(full), dtype=wide))[row] = values
    return columns, by_storey


def _check(columns: dict[str, Array], rows: Array, tables: Sequence[Columns]) -> StepCheck | None:
    if not rows.size:
        return None
    place = np.concatenate([table["row"] for table in tables])
    errors = {}
    for name in ("peak_drift_ratio", "peak_floor_acceleration"):
        finer = np.concatenate([table[name] for table in tables])
        with np.errstate(invalid="ignore", divide="ignore"):
            errors[name] = np.abs(columns[name][place] / finer - 1.0)
    return StepCheck(place, FINER, errors)
