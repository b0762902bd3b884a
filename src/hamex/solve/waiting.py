"""Runs that go on until their motion has died down: how much longer, and whether it has.

A tail is a quarter of the run, then a half, one, two … of its length. The motion is looked at where a tail ends, so
that the end depends on the run itself and on nothing else.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_positive
from hamex.errors import ProblemError, ShortRunWarning, SwingWarning
from hamex.model.record import dense
from hamex.motion.ground import GroundMotion
from hamex.motion.load import Load
from hamex.problem import Problem
from hamex.problem.loads import left_over, standing
from hamex.schemes.scheme import Ran
from hamex.solution.rest import places_of, rest_of

Array = NDArray[Any]
LONGEST = 32  # a tail at most, in lengths of the run


def check_settle(who: str, settle: object) -> None:
    """Refuse what is no share."""
    if not is_positive(settle) or not float(settle) < 1:  # type: ignore[arg-type]
        raise ProblemError(
            f"{who}: settle is the share of the largest drift below which the motion counts as died down, "
            f"between 0 and 1, e.g. 0.001; got {settle!r}"
        )


def tails(steps: int, every: int = 1) -> Iterator[int]:
    """Lengths of a run in steps, one tail longer each, multiples of ``every``.

    >>> list(tails(100))
    [125, 150, 200, 300, 500, 900, 1700, 3300]
    """
    tail = max(-(-steps // 4), 1)
    while tail <= LONGEST * steps:
        yield steps + -(-tail // every) * every
        tail *= 2


def look_at_the_ends(motions: Sequence[Any], ends: Sequence[float], settle: float | None) -> None:
    """Say which runs of a batch end before their motion does [s]; refuse to let them settle then."""
    loads = (Load(each.acceleration, each.step) if isinstance(each, GroundMotion) else each for each in motions)
    early = [left_over(load, end) for load, end in zip(loads, ends, strict=True)]
    if not any(early):
        return
    count = sum(seconds > 0 for seconds in early)
    told = f"{count} of {len(early)} motions go on after the end of their runs, by up to {max(early):g} s"
    if settle is not None:
        raise ProblemError(f"batch: settle goes on without load, but {told}; leave duration out, or take a longer one")
    warnings.warn(f"batch: {told}; what comes later is not seen", ShortRunWarning, stacklevel=4)


def say_swinging(at_rest: Array) -> None:
    """Warn where some runs of a batch have not come to rest."""
    if not at_rest.all():
        warnings.warn(
            f"batch: {np.count_nonzero(~at_rest)} of {at_rest.size} runs have not come to rest; what is left of their "
            "drifts is that of an instant, the measure settled_drift tells where they come to rest",
            SwingWarning,
            stacklevel=4,
        )


class Waiting:
    """Sees the steps of a run, and says whether it must go on.

    Attributes
    ----------
    steps : of the run, tails so far included.
    settled : whether the motion had died down at the end of them.
    """

    def __init__(self, problem: Problem, settle: float, steps: int, every: int) -> None:
        self.model, self.settle, self.steps, self.settled = problem.model, settle, steps, False
        force = None if problem.supports is not None else standing(problem.acting, problem.duration)
        if force is None:
            raise ProblemError("solve: settle needs a load that ends or stays, and supports that stand still")
        for group in problem.model.laws.values():
            if group.law.form != "flow":
                raise ProblemError(f"solve: settle: where a spring of {group.law.__name__} comes to rest is not known")
        self.force, self.tails = force, tails(steps, every)
        storeys = problem.model.storeys
        self.drifts = None if storeys is None else dense(storeys.drift)
        self.largest = np.zeros(len(problem.model.dofs) if storeys is None else len(self.drifts))  # type: ignore[arg-type]

    def goes_on(self, ran: Ran, done: int) -> bool:
        """Look at some more steps; True where the run is over and must go on."""
        u = ran.nodes["displacement"]
        moved = np.abs(u if self.drifts is None else u @ self.drifts.T).max(axis=0)
        if self.drifts is None:
            moved = np.where(self.model.turning_dofs, 0.0, moved)
        self.largest = np.maximum(self.largest, moved)
        if done < self.steps:
            return False
        places = places_of(self.model, int(self.largest.argmax()))
        rest = rest_of(self.model, ran.end, self.force, places, float(self.largest.max()))
        self.settled = rest is not None and rest.share <= self.settle
        longer = None if self.settled or rest is None else next(self.tails, None)
        if longer is None:
            return False
        self.steps = longer
        return True
