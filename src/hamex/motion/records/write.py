"""Records as text, in the formats that tell what they hold; every one is read back to the last bit."""

from __future__ import annotations

import json

from hamex.errors import LoadError, UnitError
from hamex.motion.ground import GroundMotion
from hamex.motion.records.columns import OWN

ENDINGS = (".csv", ".at2", ".json", ".txt")


def record_text(motion: GroundMotion, ending: str) -> str:
    """The text of a file with this ending: ``.csv`` time and acceleration, ``.at2`` PEER, ``.json`` SimCenter EVENT,
    ``.txt`` bare numbers as OpenSees reads them, without step and unit.

    >>> print(record_text(GroundMotion([0.0, 0.5], 0.01, "g", "made up"), ".csv"))
    # hamex record
    # component:
    # kind: recorded
    # source: made up
    time_s,acceleration_g
    0.0,0.0
    0.01,0.5
    <BLANKLINE>
    """
    writers = {".csv": _csv, ".at2": _at2, ".json": _json, ".txt": _path}
    if ending.lower() not in writers:
        raise LoadError(f"records are written with the endings {', '.join(ENDINGS)}; got {ending!r}")
    return writers[ending.lower()](motion)


def _csv(motion: GroundMotion) -> str:
    notes = [
        f"# {key}: {_line(value)}".rstrip()
        for key, value in (("component", motion.component), ("kind", motion.kind), ("source", motion.source))
    ]
    rows = [f"{i * motion.step!r},{a!r}" for i, a in enumerate(motion.acceleration.tolist())]
    return "\n".join([OWN, *notes, f"time_s,acceleration_{motion.unit}", *rows, ""])


def _at2(motion: GroundMotion) -> str:
    if motion.unit != "g":
        raise UnitError(f"AT2 files are in g, this motion is in {motion.unit}; convert it first")
    values = [f" {a!r:>24}" for a in motion.acceleration.tolist()]
    rows = ["".join(values[i : i + 5]) for i in range(0, len(values), 5)]
    about = _line(motion.source).replace(",", ";")
    return "\n".join(
        [
            "PEER FORMAT, WRITTEN BY HAMEX, NO RECORD OF THE PEER DATABASE",
            f"{about}, {_line(motion.component).replace(',', ';')}",
            "ACCELERATION TIME SERIES IN UNITS OF G",
            f"NPTS= {len(values)}, DT= {motion.step!r} SEC,",
            *rows,
            "",
        ]
    )


def _json(motion: GroundMotion) -> str:
    name = motion.component or "accel_x"
    event = {
        "name": motion.source,
        "type": "Seismic",
        "units": {"acceleration": motion.unit},
        "dT": motion.step,
        "numSteps": len(motion.acceleration),
        "timeSeries": [{"name": name, "type": "Value", "dT": motion.step, "data": motion.acceleration.tolist()}],
        "pattern": [{"type": "UniformAcceleration", "timeSeries": name, "dof": 1}],
    }
    return json.dumps({"Events": [event]}, indent=1, ensure_ascii=False) + "\n"


def _path(motion: GroundMotion) -> str:
    return "\n".join([*(repr(a) for a in motion.acceleration.tolist()), ""])


def _line(words: str) -> str:
    """On one line, whatever a source has in it."""
    return " ".join(words.split())
