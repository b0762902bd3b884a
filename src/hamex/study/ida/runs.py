"""Incremental dynamic analyses in files: a table of runs, one JSON file with all that a fragility needs, and demands
for loss assessment, as a table that pelicun reads and as EDP JSON of SimCenter's applications.

Demands are named event-type-place-direction: PID, RID peak and residual storey drift ratio, PFA peak floor acceleration
[g] (floor 0 is the ground), PFD peak displacement of a floor relative to the ground, and the intensity at floor 0. One
row or event is one run; runs that collapsed or ran away have no demands and are left out.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.checks import is_positive
from hamex.errors import FileError, InputError
from hamex.files import (
    ROOM,
    TABLE,
    check_file,
    check_writable,
    is_whole,
    json_of,
    read_bytes,
    stamped,
    write_atomically,
)
from hamex.model.units import Units
from hamex.solution.files import pairs, write_sheets
from hamex.study.axes import RECORD, SCALE
from hamex.study.ida.curves import PGA, IdaCurves, curves_of
from hamex.study.ida.estimation import STEEP, SeparationError
from hamex.study.ida.fragility import Fragility
from hamex.study.ida.probability import link_of
from hamex.study.table import RATIOS, in_words, polars_for, read_table, with_units, write_table

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[Any]
MOTIONS, STATUS = "motions", "status"
ENDS = "collapse drift ratio"  # in what a file tells about its runs: where they ended
_KINDS = {"title": str, "im_name": str, "motions": str, "demand": str, "stripes": bool, "link": str}
_FIXED = (RECORD, SCALE, PGA, STATUS, MOTIONS)
_INFINITE = "inf"
_TABLES = "tables of runs (.csv, .parquet)"
_UNITS = {"m": "m", "cm": "cm", "mm": "mm", "in": "inch", "ft": "ft"}


@dataclass(frozen=True, eq=False)
class IdaRuns:
    """All runs of an analysis with their names: what files hold, and what curves and fragilities are made from.

    Attributes
    ----------
    title : of the study.
    columns : by name, one entry a run.
    parameters : columns that tell the models apart.
    im_name : column of the intensity, with its unit.
    motions : "recorded", "synthetic", "matched" or several of them.
    words : demand → its name in words, and its unit.
    demand, limit : what counts as exceeding.
    stripes, modelling, seed, resamples, link : of the fragility.
    hunted : measure and limit up to which records were hunted; None where scales or levels were given.
    about : what else the file tells: scheme, version, model.
    """

    title: str
    columns: Mapping[str, Array]
    parameters: tuple[str, ...]
    im_name: str
    motions: str
    words: Mapping[str, tuple[str, str]]
    demand: str
    limit: float
    stripes: bool = False
    modelling: float = 0.0
    seed: int = 0
    resamples: int = Fragility.resamples
    link: str = "probit"
    hunted: tuple[str, float] | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            if not isinstance(getattr(self, name), kind):
                raise InputError(f"runs: {name} must be {kind.__name__}, got {getattr(self, name)!r:.60}")
        if not all(isinstance(name, str) for pair in self.words.items() for name in (pair[0], *pair[1])):
            raise InputError(f"runs: measures have their words and units as text, got {dict(self.words)!r:.60}")
        link_of(self.link)
        if self.demand not in self.words:
            raise InputError(f"{self.title}: no measure is called {self.demand!r}; there are {', '.join(self.words)}")
        if not is_positive(self.limit):
            raise InputError(f"{self.title}: the limit must be a positive number, got {self.limit!r}")
        for name in (RECORD, SCALE, STATUS, self.im_name, self.demand, *self.parameters):
            if name not in self.columns:
                raise InputError(f"{self.title}: there is no column {name!r}; there are {', '.join(self.columns)}")
        count = len(self.columns[RECORD])
        if not count or any(column.shape != (count,) for column in self.columns.values()):
            raise InputError(f"{self.title}: every column must have one entry a run, and there must be a run")
        for name in (RECORD, STATUS):
            wrong = [value for value in self.columns[name].tolist() if not isinstance(value, str)]
            if wrong:
                raise InputError(f"{self.title}: the column {name!r} must be text, but has {wrong[0]!r:.40}")
        # Scales and intensities are there in every run, demands in those that finished.
        finished = self.columns[STATUS].astype(str) == "finished"
        for name in (SCALE, self.im_name, self.demand):
            column = self.columns[name]
            numbers = column.astype(float) if column.dtype.kind in "iuf" else np.full(len(column), np.nan)
            missing = np.flatnonzero(~np.isfinite(numbers) & (finished | (name != self.demand)))
            if missing.size:
                row = int(missing[0])
                raise InputError(f"{self.title}: run {row + 1}, column {name!r}: {column[row]!r:.40} is not a number")

    def replace(self, **changes: Any) -> IdaRuns:
        """A copy with changes."""
        return replace(self, **changes)

    def curves(self) -> tuple[IdaCurves, ...]:
        """Curves of every model."""
        words, ends = self.words[self.demand], self.about.get(ENDS)
        return curves_of(
            self.columns, self.parameters, self.demand, self.limit, self.im_name, words, self.motions, ends
        )

    def fragility(self, curves: IdaCurves) -> Fragility | str:
        """The fragility of one model, or why there is none."""
        hidden = int(np.isinf(curves.capacities).sum())
        if hidden and self.hunted is not None and (self.demand != self.hunted[0] or self.limit > self.hunted[1]):
            # A bound that depends on the response itself is no bound the likelihood can take: it would be biased.
            return (
                f"{hidden} of {len(curves.labels)} records do not pass {curves.limit_name} before their hunt for "
                f"{self.words[self.hunted[0]][0]} > {self.hunted[1]:g} ends; run the study with this limit"
            )
        try:
            return curves.fragility(self.modelling, self.seed, self.resamples, stripes=self.stripes, link=self.link)
        except SeparationError as problem:
            why = str(problem).partition(": ")[2]
            other = '; or fit the capacities of the records (method = "capacities")'
            return why + other * (self.stripes and STEEP in why)

    def frame(self) -> pl.DataFrame:
        """The table of runs; every row says what its motions are."""
        pl = polars_for(_TABLES)
        frame = pl.DataFrame({name: np.ascontiguousarray(values) for name, values in self.columns.items()})
        return frame.with_columns(pl.lit(self.motions).alias(MOTIONS))

    def save_table(self, path: Path) -> Path:
        """Write ``.parquet`` or ``.csv``; :func:`write_tables` writes Excel."""
        check_writable(path, (".parquet", ".csv"))
        pl, frame = polars_for(_TABLES), self.frame()
        if path.suffix.lower() == ".parquet":
            return write_atomically(path, lambda part: write_table(frame, part))
        said = frame.with_columns(pl.Series(STATUS, in_words(self.columns)[STATUS]))
        return write_atomically(path, lambda part: part.write_text(said.write_csv(), encoding="utf-8"))

    def to_dict(self) -> dict[str, Any]:
        """Everything that :func:`read_runs` needs, as JSON knows it; a run without numbers has null."""
        kept = (*self.parameters, SCALE, self.im_name, PGA, *self.words, STATUS)
        labels = list(dict.fromkeys(self.columns[RECORD].tolist()))
        place = {label: number for number, label in enumerate(labels)}
        runs: dict[str, list[Any]] = {RECORD: [place[label] for label in self.columns[RECORD].tolist()]}
        runs |= {name: [_to_json(value) for value in self.columns[name].tolist()] for name in kept}
        return {
            "hamex": __version__,
            "kind": "ida",
            "title": self.title,
            "motions": self.motions,
            "limit": {"measure": self.demand, "value": self.limit},
            "intensity": self.im_name,
            "parameters": list(self.parameters),
            "measures": {name: list(said) for name, said in self.words.items()},
            "fragility": {
                "stripes": self.stripes,
                "modelling": self.modelling,
                "seed": self.seed,
                "resamples": self.resamples,
                "link": self.link,
                "hunted": self.hunted,
            },
            "about": dict(self.about),
            "records": labels,
            "runs": runs,
        }


def read_runs(path: str | Path, demand: str | None = None, limit: float | None = None) -> IdaRuns:
    """Runs from the folder that ``hamex ida`` wrote, its ``result.json``, or a table of runs (.csv, .parquet).

    A table tells no limit, and its ``demand`` only where it has one measure.
    """
    path = Path(path)
    if os.path.isdir(path):  # False, without a word, where a name is too long
        path = path / "result.json"
    check_file(path, TABLE, "; `hamex ida STUDY.toml -o FOLDER` writes one")
    if path.suffix.lower() == ".json":
        found = _from_json(path)
        return found.replace(demand=demand or found.demand, limit=found.limit if limit is None else limit)
    return _from_table(path, demand, limit)


def _to_json(value: Any) -> Any:
    """JSON has no infinity, as the swing of a run that fell has, and no NaN."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else _INFINITE


def _from_json_value(value: Any) -> Any:
    return np.nan if value is None else np.inf if value == _INFINITE else value


def write_runs(runs: IdaRuns, path: Path, more: Mapping[str, Any]) -> Path:
    """All of the runs and ``more`` as the JSON that :func:`read_runs` reads, with its checksum."""
    data = runs.to_dict() | dict(more) | {"checksum": ROOM}
    text = json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n"
    return write_atomically(path, lambda part: part.write_bytes(stamped(text.encode())))


def _from_json(path: Path) -> IdaRuns:
    content = read_bytes(path, TABLE)
    if is_whole(content) is False:
        raise FileError(
            f"cannot read {path}: it does not match its checksum, so it is damaged or was changed; "
            'if the change was meant, take its last entry, "checksum", out'
        )
    try:
        data = json_of(content.decode())
        runs, fit = data["runs"], data["fragility"]
        hunted = None if fit["hunted"] is None else tuple(fit["hunted"])
        columns = {name: np.array([_from_json_value(value) for value in values]) for name, values in runs.items()}
        columns[RECORD] = np.array([data["records"][number] for number in runs[RECORD]])
        return IdaRuns(
            data["title"],
            columns,
            tuple(data["parameters"]),
            data["intensity"],
            data["motions"],
            {name: (said[0], said[1]) for name, said in data["measures"].items()},
            data["limit"]["measure"],
            data["limit"]["value"],
            about=data["about"],
            **fit | {"hunted": hunted},
        )
    except InputError as problem:
        raise InputError(f"{path}: {problem}") from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as problem:
        raise FileError(
            f"cannot read {path}: not a result of `hamex ida` ({type(problem).__name__}: {problem})"
        ) from None


def _from_table(path: Path, demand: str | None, limit: float | None) -> IdaRuns:
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise FileError(f"cannot read {path}: the ending must be .json, .csv or .parquet")
    pl = polars_for(_TABLES)
    data = read_bytes(path, TABLE)
    try:
        frame = pl.read_csv(data) if path.suffix.lower() == ".csv" else read_table(path)
    except FileError:
        raise
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        raise FileError(f"cannot read {path}: {str(problem).splitlines()[0]}") from None
    im_name = next((name for name in frame.columns if name.endswith("]")), None)
    missing = [name for name in (RECORD, SCALE, STATUS, MOTIONS) if name not in frame.columns]
    if missing or im_name is None:
        raise FileError(
            f"cannot read {path}: it has no column {missing[0] if missing else 'of an intensity [unit]'}; "
            "a table of runs is one that `hamex ida` wrote"
        )
    columns = {name: np.asarray(frame[name].to_numpy()) for name in frame.columns if name != MOTIONS}
    front = frame.columns[: frame.columns.index(SCALE)]
    measures = [
        name
        for name in frame.columns
        if name not in (*_FIXED, *front, im_name) and not name.rpartition("_")[2].isdigit()
    ]
    if not frame.height:
        raise InputError(f"{path}: no runs")
    if limit is None:
        raise InputError(f"{path}: a table tells no limit; say it: --limit 0.03")
    if demand is None and len(measures) > 1:
        raise InputError(f"{path}: say which measure the limit is of: --measure, one of {', '.join(measures)}")
    return IdaRuns(
        path.stem,
        columns,
        tuple(name for name in front if name != RECORD),
        im_name,
        frame[MOTIONS][0],
        {name: (name.replace("_", " "), "") for name in measures},
        demand or measures[0],
        limit,
    )


def measures_in(columns: Mapping[str, Array]) -> list[str]:
    """Measures of runs, those of single storeys left out; drift ratios before drifts."""
    names = [
        name
        for name in columns
        if name not in _FIXED and not name.endswith("]") and not name.rpartition("_")[2].isdigit()
    ]
    return sorted(names, key=lambda name: name not in RATIOS.values())


# Demands ---------------------------------------------------------------------------------------------------


class DemandColumn(NamedTuple):
    """One column: its name, unit, numbers, and what SimCenter calls it."""

    name: str
    unit: str
    values: Array
    kind: str
    floors: dict[str, str]


def demands_of(runs: IdaRuns, gravity: float, length: str) -> list[DemandColumn]:
    """What the runs tell of intensity, floors and storeys."""
    columns = runs.columns
    period = re.match(r"Sa\(([\d.e+-]+) s", runs.im_name)  # "Sa(0.45 s, 5 %) [g]" → "1-SA_0.45-0-1"
    name = f"1-SA_{period.group(1)}-0-1" if period else "1-PGA-0-1"
    found = [DemandColumn(name, "g", columns[runs.im_name], "intensity", {"floor": "0"})]
    found.append(DemandColumn("1-PFA-0-1", "g", columns[PGA], "max_abs_acceleration", {"floor": "0"}))
    for measure, code, unit, kind, factor in (
        ("absolute_acceleration", "PFA", "g", "max_abs_acceleration", 1 / gravity),
        ("displacement", "PFD", _UNITS.get(length, length), "max_rel_disp", 1.0),
        ("drift_ratio", "PID", "rad", "max_drift", 1.0),
        ("residual_drift_ratio", "RID", "rad", "residual_drift", 1.0),
    ):
        places = [name for name in columns if re.fullmatch(rf"{measure}_\d+", name)] or [
            name for name in (measure,) if name in columns
        ]
        for number, name in enumerate(places, start=1):
            storey = code in ("PID", "RID")
            floors = {"floor1": str(number - 1), "floor2": str(number)} if storey else {"floor": str(number)}
            found.append(DemandColumn(f"1-{code}-{number}-1", unit, factor * np.abs(columns[name]), kind, floors))
    return found


def write_demands(runs: IdaRuns, demands: list[DemandColumn], path: Path) -> Path:
    """The table: names, a row of units, then one row a run. The corner says what the motions are."""
    check_writable(path, (".csv",))
    rows = _finished(runs)

    def write(part: Path) -> None:
        with part.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([f"motions: {runs.motions}", *(demand.name for demand in demands)])
            writer.writerow(["Units", *(demand.unit for demand in demands)])
            table = np.stack([demand.values for demand in demands], axis=1)[rows]
            writer.writerows([number, *row] for number, row in zip(rows.tolist(), table.tolist(), strict=True))

    return write_atomically(path, write)


def write_tables(runs: IdaRuns, demands: list[DemandColumn], fits: Sequence[tuple[Any, Any]], path: Path) -> Path:
    """Excel: runs, demands, and for every model that has one its fragility."""
    check_writable(path, (".xlsx",))
    units = Units(runs.about["length"], runs.about["force"])
    rows = _finished(runs)
    columns = {f"{PGA} [g]" if name == PGA else name: values for name, values in in_words(runs.columns).items()}
    sheets: dict[str, Any] = {
        "runs": {**with_units(columns, units), MOTIONS: [runs.motions] * len(runs.columns[STATUS])},
        "demands": {"run": rows, **{f"{each.name} [{each.unit}]": each.values[rows] for each in demands}},
    }
    for number, (_, found) in enumerate(fits, start=1):
        if isinstance(found, Fragility):
            more = f" {number}" if len(fits) > 1 else ""
            sheets |= {f"fragility{more}": found.curve(), f"about fragility{more}": pairs(found.table())}
    return write_sheets(path, sheets | {"about": pairs({"title": runs.title, **runs.about})})


def write_edp(runs: IdaRuns, demands: list[DemandColumn], path: Path) -> Path:
    """EngineeringDemandParameters, one event a run; responses of one direction."""
    check_writable(path, (".json",))
    said = [demand for demand in demands if demand.kind != "intensity"]
    events = []
    for row in _finished(runs).tolist():
        cell = "".join(f", {name} = {runs.columns[name][row]}" for name in runs.parameters)
        events.append(
            {
                "name": f"{runs.columns['record'][row]} × {runs.columns['scale'][row]:.6g}{cell}",
                "intensity": {"name": runs.im_name, "value": float(runs.columns[runs.im_name][row])},
                "motions": runs.motions,
                "responses": [
                    {
                        "type": demand.kind,
                        "cline": "1",
                        **demand.floors,
                        "dofs": [1],
                        "unit": demand.unit,
                        "scalar_data": [float(demand.values[row])],
                    }
                    for demand in said
                ],
            }
        )
    data = {
        "RandomVariables": [],
        "total_number_edp": len(said) * len(events),
        "motions": runs.motions,
        "generator": f"hamex {__version__}",
        "EngineeringDemandParameters": events,
    }
    return write_atomically(
        path,
        lambda part: part.write_text(json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"),
    )


def _finished(runs: IdaRuns) -> Array:
    return np.flatnonzero(runs.columns["status"].astype(str) == "finished")
