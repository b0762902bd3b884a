"""Gather what a march left into a Solution."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.schemes import Scheme
from hamex.errors import OverflowRunError
from hamex.problem import Problem
from hamex.solution.solution import Solution
from hamex.solution.source import Run
from hamex.solution.stages import StageHistory

Array = NDArray[Any]


def solution(problem: Problem, scheme: Scheme, histories: Mapping[str, Array], loads: object,
             internal: Mapping[str, Array], inside: StageHistory | None = None, tally: object = None) -> Solution:
    """Histories by name, the internal variables at the end, and what happened inside steps.

    The load and the energies are computed from problem and scheme when asked for: ``loads`` and ``tally`` are not kept.
    """
    if not (_finite(histories["displacement"][-1]) and _finite(histories["momentum"][-1])):
        raise OverflowRunError(f"{type(scheme).__name__}: the numbers are not finite at the end of the run; the scheme "
                               "is not stable at this step, loads and units are out of proportion, or the structure "
                               "collapsed and ran away: then end the run earlier")
    for array in histories.values():
        array.flags.writeable = False
    return Solution(Run(problem, scheme), histories, internal, inside=inside)


def _finite(row: Array) -> bool:
    return math.isfinite(row[0]) if row.size == 1 else bool(np.isfinite(row).all())
