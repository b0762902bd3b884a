"""Mainshock and aftershocks: motions one after the other, each from the state that the last one left."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite
from hamex.errors import InputError
from hamex.motion.ground import GroundMotion, kinds_of
from hamex.names import Shown
from hamex.problem import Limit
from hamex.schemes import Scheme
from hamex.solution.batch import Batch
from hamex.solve.batch import batch

Array = NDArray[Any]
_LAST = ("residual_slip", "residual_displacement", "residual_drift", "settled_displacement", "settled_drift", "swing")
_SUMMED = ("plastic_work", "input_work", "cycles")


@dataclass(frozen=True, eq=False)
class MotionSequence(Shown):
    """Motions in their order, as a record of a study.

    Slip, hardening and what is left of the motion are carried over. A measure of the sequence is the largest of its
    events, the last one for residuals, and the sum for work and cycles; the events stand beside it.

    Parameters
    ----------
    motions : at least two ground motions.
    gap : rest after each motion, in which the structure comes to a stop [s].

    Examples
    --------
    >>> from hamex import el_centro
    >>> MotionSequence((el_centro(), el_centro().scaled(0.5)), gap=10.0).events
    2
    """

    motions: tuple[GroundMotion, ...]
    gap: float = 20.0

    def __post_init__(self) -> None:
        if not isinstance(self.motions, Sequence):
            raise InputError(f"MotionSequence: motions must be a list of ground motions, got {self.motions!r:.60}")
        object.__setattr__(self, "motions", tuple(self.motions))
        if len(self.motions) < 2 or not all(isinstance(motion, GroundMotion) for motion in self.motions):
            raise InputError("MotionSequence: give at least two ground motions")
        if not is_finite(self.gap) or self.gap < 0:
            raise InputError(f"MotionSequence: the gap must be a number of seconds ≥ 0, got {self.gap!r}")

    def __repr__(self) -> str:
        return f"<MotionSequence: {self.events} motions, {self.gap:g} s apart>"

    @property
    def events(self) -> int:
        """Number of motions."""
        return len(self.motions)

    @property
    def source(self) -> str:
        """Sources of the motions."""
        return " → ".join(motion.source or "record" for motion in self.motions)

    @property
    def component(self) -> str:
        """Component of the first."""
        return self.motions[0].component

    @property
    def kind(self) -> str:
        """What the motions are."""
        return kinds_of(self.motions)

    @property
    def duration(self) -> float:
        """Of all motions and gaps [s]."""
        return sum(motion.duration + self.gap for motion in self.motions)


def motions_of(record: GroundMotion | MotionSequence) -> tuple[GroundMotion, ...]:
    """The motions of a record: its own, or those of a sequence."""
    return record.motions if isinstance(record, MotionSequence) else (record,)


def measures_and_ends(found: Batch) -> dict[str, Array]:
    """Measures of a batch, and which runs ``collapsed``, and have ``settled`` where they were to."""
    ends = {"collapsed": found.collapsed} | ({} if found.settled is None else {"settled": found.settled})
    return {**found.measures, **ends}


def march_sequence(
    systems: Any,
    sequence: MotionSequence,
    scheme: Scheme,
    measures: Sequence[str],
    scales: Array,
    g: float,
    *,
    limit: Limit | None = None,
    settle: float | None = None,
) -> dict[str, Array]:
    """Measures of a sequence and of its events, ``name_event_1`` and so on, (model, 1, scale[, storey]); which cells
    ``collapsed`` in one of them, and have ``settled`` after the last where they were to."""
    start: Mapping[str, Array] | None = None
    events: list[dict[str, Array]] = []
    collapsed: Array = np.zeros((), dtype=bool)
    for number, motion in enumerate(sequence.motions):
        steps = math.ceil((motion.duration + max(sequence.gap, motion.step)) / scheme.step - 1e-9)
        found = batch(
            systems,
            motion,
            scheme,
            measures,
            scales=scales,
            g=g,
            duration=steps * scheme.step,
            start=start,
            final=True,
            limit=limit,
            settle=settle if number + 1 == sequence.events else None,
            threads=1,
        )
        collapsed = collapsed | found.collapsed
        events.append({name: found.values(name) for name in measures})
        start = found.final
    ends = measures_and_ends(found) | {"collapsed": collapsed}
    out = {name: values for name, values in ends.items() if name in ("collapsed", "settled")}
    out |= {name: _joined(name, [event[name] for event in events]) for name in measures}
    return out | {f"{name}_event_{number + 1}": event[name] for number, event in enumerate(events) for name in measures}


def _joined(name: str, values: list[Array]) -> Array:
    if name in _LAST:
        return values[-1]
    return np.asarray(np.sum(values, axis=0) if name in _SUMMED else np.max(values, axis=0))
