"""Demands for loss assessment: a table as pelicun reads it, and EDP JSON as SimCenter's applications write it.

Both name demands event-type-place-direction: PID, RID peak and residual storey drift ratio, PFA peak floor acceleration
[g] (floor 0 is the ground), PFD peak displacement of a floor relative to the ground, and the intensity at floor 0. One
row or event is one run; runs that ran away have no demands and are left out.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.solution.files import check_writable, write_atomically
from hamex.study.ida.curves import PGA
from hamex.study.ida.runs import IdaRuns

Array = NDArray[Any]
_UNITS = {"m": "m", "cm": "cm", "mm": "mm", "in": "inch", "ft": "ft"}


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
    found = [DemandColumn(_intensity_name(runs.im_name), "g", columns[runs.im_name], "intensity", {"floor": "0"})]
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


def _intensity_name(im_name: str) -> str:
    """ "Sa(0.45 s, 5 %) [g]" → "1-SA_0.45-0-1"."""
    period = re.match(r"Sa\(([\d.e+-]+) s", im_name)
    return f"1-SA_{period.group(1)}-0-1" if period else "1-PGA-0-1"
