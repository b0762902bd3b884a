"""Hunt and fill: step up until a record passes the limit, then fill the largest gaps (Vamvatsikos & Cornell 2002)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.checks import is_finite, is_positive
from hamex.errors import InputError, OverflowRunError
from hamex.study.axes import RECORD, SCALE, Axes, Systems
from hamex.study.demands import heights_of, with_ratios
from hamex.study.digest import digest
from hamex.study.engine import SECONDS, Columns, Outcome, StudyPart, run_parts
from hamex.study.study import FINISHED, Study, part_of, run_part

Array = NDArray[Any]
_STATUS = "status"
_SHORTEST = 1e-6  # step over first


@dataclass(frozen=True)
class Hunt:
    """How to hunt.

    Attributes
    ----------
    first : intensity of the first run.
    step : increment of the first step; each further step is longer by ``growth``.
    growth : added to the increment after each step.
    runs : at most, hunting and filling together.
    largest : intensity beyond which a record is given up and counts as censored.

    Examples
    --------
    >>> Hunt(first=0.1, step=0.1, growth=0.05, runs=12).largest
    inf
    """

    first: float
    step: float
    growth: float = 0.0
    runs: int = 16
    largest: float = np.inf

    def __post_init__(self) -> None:
        for name in ("first", "step"):
            if not is_positive(getattr(self, name)):
                raise InputError(f"Hunt: {name} must be a positive number, got {getattr(self, name)!r}")
        if self.step < _SHORTEST * self.first:
            # Added to first it would change nothing, and the hunt would stay where it is.
            raise InputError(f"Hunt: step must not be below {_SHORTEST:g} of first ({self.first:g}), got {self.step!r}")
        if not is_finite(self.growth) or self.growth < 0:
            raise InputError(f"Hunt: growth must be a number ≥ 0, got {self.growth!r}")
        if not isinstance(self.runs, int) or isinstance(self.runs, bool) or self.runs < 2:
            raise InputError(f"Hunt: runs must be a whole number ≥ 2, got {self.runs!r}")
        if math.isnan(self.largest) or self.largest < self.first:
            raise InputError(f"Hunt: largest must not be below first ({self.first:g}), got {self.largest!r}")


def hunt_parts(
    study: Study, axes: Axes, built: Systems, demand: str, limit: float, sizes: Array, hunting: Hunt
) -> list[StudyPart]:
    """One part for every model and record, models outermost."""
    parts = []
    for number in range(len(built)):
        for record, size in zip(axes.records, sizes, strict=True):
            payload = {
                **part_of(study, built, number, record),
                "demand": demand,
                "limit": float(limit),
                "size": float(size),
                "hunting": hunting,
            }
            parts.append(StudyPart(digest("hunt", __version__, *payload.values()), 1.0, payload))
    return parts


def hunt(
    study: Study,
    axes: Axes,
    built: Systems,
    demand: str,
    limit: float,
    sizes: Array,
    hunting: Hunt,
    store: Path | None,
    options: Mapping[str, Any],
) -> tuple[dict[str, Array], Outcome]:
    """All runs as columns, axes first, and what the engine did."""
    done = run_parts(hunt_part, hunt_parts(study, axes, built, demand, limit, sizes, hunting), store=store, **options)
    names = list(axes.models)
    shape = [len(axes.models[name]) for name in names]
    count = len(axes.records)
    columns: dict[str, list[Any]] = {name: [] for name in (RECORD, *names, SCALE)}
    for number, table in enumerate(done.tables):
        rows = len(table[SCALE])
        cell = np.unravel_index(number // count, shape) if names else ()
        columns[RECORD] += [axes.labels[number % count]] * rows
        for name, place in zip(names, cell, strict=True):
            columns[name] += [axes.values(name)[place]] * rows
        columns[SCALE] += table[SCALE].tolist()
    found = {name: np.array(values) for name, values in columns.items()}
    # A record whose runs all ran away has no storeys to tell of.
    measures = dict.fromkeys(name for table in done.tables for name in table if name not in (SCALE, SECONDS, _STATUS))
    for name in (*measures, _STATUS):
        found[name] = np.concatenate([table.get(name, np.full(len(table[SCALE]), np.nan)) for table in done.tables])
    return found, done


def hunt_part(payload: Mapping[str, Any]) -> Columns:
    """Hunt one record with one model; rows by growing scale."""
    hunting: Hunt = payload["hunting"]
    found: dict[float, float] = {}
    rows: dict[float, Columns] = {}

    def run(im: float) -> float:
        rows[im] = _run(payload, im / payload["size"])
        found[im] = _demand(rows[im], payload["demand"])
        return found[im]

    im, step, number = hunting.first, hunting.step, 0
    while len(found) < hunting.runs - 1 and im <= hunting.largest and run(im) <= payload["limit"]:
        number += 1
        # Multiples, not sums: intensities do not drift, and the largest one is met.
        im = hunting.first + number * step + 0.5 * number * (number - 1) * hunting.growth
    _fill(found, run, hunting.runs, payload["limit"])
    order = sorted(rows)
    names = max((list(rows[im]) for im in order), key=len)
    return {
        SCALE: np.array(order) / payload["size"],
        **{name: np.concatenate([rows[im].get(name, np.full(1, np.nan)) for im in order]) for name in names},
    }


def _fill(found: dict[float, float], run: Callable[[float], float], runs: int, limit: float) -> None:
    """Halve the bracket of the limit or the widest gap below it, until the runs are used up."""
    while len(found) < runs:
        points = sorted(found)
        over = [im for im in points if found[im] > limit]
        top = over[0] if over else points[-1]
        below = [0.0, *(im for im in points if im <= top)]
        gaps = [(high - low, low, high) for low, high in pairwise(below)]
        bracket = gaps[-1]
        widest = max(gaps)
        # The bracket of the limit counts twice: that is where the capacity is read off.
        _, low, high = bracket if over and 2 * bracket[0] >= widest[0] else widest
        run(0.5 * (low + high))


def _run(payload: Mapping[str, Any], scale: float) -> Columns:
    """One run with drift ratios; one that ran away has no numbers, one that failed otherwise ends the hunt."""
    found = run_part({**payload, "scales": np.array([scale])})
    status = str(found[_STATUS][0])
    if status != FINISHED and not status.startswith(OverflowRunError.__name__):
        raise InputError(f"ida: a run has no result: {status}")
    return with_ratios(found, heights_of(payload["systems"]))


def _demand(row: Columns, name: str) -> float:
    """∞ for a run that ran away: beyond every limit."""
    return abs(float(row[name][0])) if str(row[_STATUS][0]) == FINISHED else float("inf")
