"""Record files that are dropped into the page: read in memory, never stored."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import Field

from hamex.errors import LoadError
from hamex.motion.records.read import record_from_bytes
from hamex.spec.loads import Choice
from hamex.studio import limits
from hamex.studio.asked import Asked

router = APIRouter(prefix="/api", tags=["records"])


class Dropped(Asked):
    """A text file, and what it may not tell itself."""

    name: str = Field(max_length=200, description="name of the file; tells the format, is no path")
    content: str = Field(max_length=limits.BODY, description="the text of the file")
    unit: str | None = Field(None, description='of the accelerations, "g", "m/s2" …')
    step: float | None = Field(None, description="time between samples [s]")
    component: Choice | None = Field(None, description="which record of a file with several")
    column: Choice | None = Field(None, description="which column of a file with several")


@router.post("/record")
def record(dropped: Dropped) -> dict[str, Any]:
    """The samples of a record file, as the accelerations of a ``[motion]``."""
    name = dropped.name.replace("\\", "/").rpartition("/")[2].replace("\0", "")
    motion = record_from_bytes(dropped.content.encode("utf-8", "replace"), name,
                               **dropped.given("unit", "step", "component", "column"))
    if len(motion.acceleration) > limits.SAMPLES:
        raise LoadError(f"{name} holds {len(motion.acceleration):,} samples; the studio takes {limits.SAMPLES:,}")
    return {"accelerations": motion.acceleration.tolist(), "step": motion.step, "unit": motion.unit,
            "source": motion.source, "peak": motion.peak, "duration": motion.duration}
