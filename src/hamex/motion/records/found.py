"""What a reader finds in a file, before the user's choices are put to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Found:
    """One record of a file. What the file does not tell is None.

    Attributes
    ----------
    samples : accelerations, (n,), in ``unit``.
    step : time between samples [s].
    unit : as :func:`hamex.motion.units.acceleration_unit` spells it.
    component : direction, channel or name, as the file spells it.
    origin : event and station, as the file spells them; or what made the record.
    kind : "recorded", "synthetic" or "matched".
    unit_line : line of the file that tells the unit.
    step_line : line of the file that tells the step.
    """

    samples: Array
    step: float | None
    unit: str | None
    component: str = ""
    origin: str = ""
    kind: str = "recorded"
    unit_line: int | None = None
    step_line: int | None = None
