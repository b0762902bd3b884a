"""read_inventory: buildings from CSV or GeoJSON; what is wrong is told by file, row and column."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hamex.errors import FileError, InputError
from hamex.files import TABLE, json_of, read_text
from hamex.study.regions.inventory import COLUMNS, LIMITS, NUMBERS, Inventory
from hamex.study.regions.types import LEVELS, STATES

if TYPE_CHECKING:
    import polars as pl

# Other names of columns, without case, blanks and signs; among them those of SimCenter's inventories.
_ALIASES = {
    "id": "id",
    "buildingid": "id",
    "assetid": "id",
    "name": "id",
    "longitude": "longitude",
    "lon": "longitude",
    "lng": "longitude",
    "x": "longitude",
    "latitude": "latitude",
    "lat": "latitude",
    "y": "latitude",
    "storeys": "storeys",
    "stories": "storeys",
    "numberofstories": "storeys",
    "numstories": "storeys",
    "nstories": "storeys",
    "type": "type",
    "structuretype": "type",
    "buildingtype": "type",
    "hazustype": "type",
    "structtyp": "type",
    "design": "design",
    "designlevel": "design",
    "codelevel": "design",
    "period": "period",
    "periods": "period",
    "t1": "period",
    "strength": "strength",
    "yieldcoefficient": "strength",
    "damping": "damping",
    "dampingratio": "damping",
    "hardening": "hardening",
    "hardeningratio": "hardening",
    "relaxation": "relaxation",
    "relaxations": "relaxation",
    "height": "height",
    "storeyheight": "height",
    "storyheight": "height",
    "heightm": "height",
    "dispersion": "dispersion",
    "beta": "dispersion",
    **{f"drift{state}": f"drift_{state}" for state in STATES},
}
_LEVELS = {**{level: level for level in LEVELS}, "hc": "high", "mc": "moderate", "lc": "low", "pc": "pre"}
_NEEDED = ("longitude", "latitude", "storeys", "type")


def read_inventory(path: str | Path) -> Inventory:
    """The buildings of a ``.csv`` file with a header, or of the points of a ``.geojson`` file.

    Columns (properties) are longitude and latitude [degrees] (the point, in GeoJSON), storeys and type; and as far as
    they differ from the type's defaults id, design, period [s], strength [1], damping [1], hardening [1], relaxation
    [s], height [m], dispersion [1], drift_slight, drift_moderate, drift_extensive and drift_complete [1]. Case, blanks
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
    import polars as pl

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
    import polars as pl

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
    for name in ("longitude", "latitude", "storeys", *NUMBERS, *LIMITS):
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
