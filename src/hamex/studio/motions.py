"""Ground motions that come with a request: dropped as files or made here, refused when they would be too long."""

from __future__ import annotations

import math
from typing import Any

from fastapi import APIRouter
from pydantic import Field

from hamex.errors import InputError, LoadError
from hamex.motion.records.read import record_from_bytes
from hamex.motion.synthetic import LEAD, LENGTH, LIMITS, shaking_duration
from hamex.spec.loads import Choice, MotionTable, SyntheticMotionTable
from hamex.studio import limits
from hamex.studio.wire import RequestTable

router = APIRouter(prefix="/api", tags=["records"])
_SCATTER = 5.0  # beyond, exponentials of it leave every meaning behind


def admit_motion(table: MotionTable) -> None:
    """Refuse a motion of too many samples."""
    samples = float(len(table.accelerations or ()))
    if table.wave is not None and table.wave.step != 0:
        samples = abs((table.wave.cycles or 3.0) * table.wave.period / (table.wave.step or 0.005))
    if not samples <= limits.SAMPLES:
        raise InputError(f"motion: {samples:.3g} samples are more than the studio takes ({limits.SAMPLES:,})")
    if table.synthetic is not None:
        admit_synthetic(table.synthetic, 1, "motion.synthetic")


def admit_synthetic(table: SyntheticMotionTable, count: int, place: str) -> None:
    """Refuse motions of too many samples, one by one or all together."""
    if count < 1:
        raise InputError(f"{place}.count must be at least 1, got {count}")
    if table.scatter is not None and table.scatter > _SCATTER:
        raise InputError(f"{place}.scatter must be at most {_SCATTER:g}, got {table.scatter:g}")
    samples = _seconds(table) / (table.step or 0.01)
    if not samples <= limits.SAMPLES:  # also false for what is no number
        raise InputError(
            f"{place}.step must be longer, or {place}.duration shorter: the motion would have more than "
            f"{limits.SAMPLES:,} samples"
        )
    if count * samples > limits.SUITE:
        raise InputError(
            f"{place}.count must be smaller: the studio takes about {int(limits.SUITE / samples)} motions "
            "of this length"
        )


def _seconds(table: SyntheticMotionTable) -> float:
    """Length of a motion [s], at most; its own constructor refuses magnitudes out of range."""
    if table.duration is not None:
        return table.duration
    low, high = LIMITS["magnitude"]
    near, far = LIMITS["distance"]
    magnitude, distance = table.magnitude or 6.5, table.distance or 20.0
    if not (low <= magnitude <= high and near <= distance <= far):
        return 0.0
    return 5.0 * math.ceil((LEAD + 2 * LENGTH * shaking_duration(magnitude, distance)) / 5.0)


class DroppedRecord(RequestTable):
    """A text file, and what it may not tell itself."""

    name: str = Field(max_length=200, description="name of the file; tells the format, is no path")
    content: str = Field(max_length=limits.BODY, description="the text of the file")
    unit: str | None = Field(None, description='of the accelerations, "g", "m/s2" …')
    step: float | None = Field(None, description="time between samples [s]")
    component: Choice | None = Field(None, description="which record of a file with several")
    column: Choice | None = Field(None, description="which column of a file with several")


@router.post("/record")
def record(dropped: DroppedRecord) -> dict[str, Any]:
    """The samples of a record file, as the accelerations of a ``[motion]``."""
    name = dropped.name.replace("\\", "/").rpartition("/")[2].replace("\0", "")
    motion = record_from_bytes(
        dropped.content.encode("utf-8", "replace"), name, **dropped.given("unit", "step", "component", "column")
    )
    if len(motion.acceleration) > limits.SAMPLES:
        raise LoadError(f"{name} holds {len(motion.acceleration):,} samples; the studio takes {limits.SAMPLES:,}")
    return {
        "accelerations": motion.acceleration.tolist(),
        "step": motion.step,
        "unit": motion.unit,
        "source": motion.source,
        "peak": motion.peak,
        "duration": motion.duration,
    }
