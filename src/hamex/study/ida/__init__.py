"""Incremental dynamic analysis: curves of demand against intensity, and the fragility that they or other data give.

``ida`` is that of every model of a study, with given scales or levels, or by hunting.
Hunt and fill: step up until a record passes the limit, then fill the largest gaps (Vamvatsikos & Cornell 2002).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite, is_positive
from hamex.errors import InputError
from hamex.model.units import in_gravities
from hamex.names import Shown
from hamex.problem import Limit
from hamex.solve.batch import check_measures
from hamex.study.axes import LEVEL, RECORD, SCALE, Axes, first_of, units_of
from hamex.study.engine import SECONDS, Columns, Outcome, StudyPart, Tell, Timing, run_parts, timed
from hamex.study.ida.curves import PGA, IdaCurves, curves_of
from hamex.study.keys import VERSION, digest
from hamex.study.spectra.intensities import Intensity
from hamex.study.study import COLLAPSED, FINISHED, Study, part_of, run_part
from hamex.study.table import StudyTable, base_measure, heights_of, ran_away, reason, with_ratios, words_of

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
    tolerance : once the limit is passed, halve its bracket until that is narrower than this share of its upper end,
        and fill no gaps: the shortest way to the capacity of a record, such as its collapse.

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
    tolerance: float | None = None

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
        if self.tolerance is not None and not (is_positive(self.tolerance) and self.tolerance < 1):
            raise InputError(f"Hunt: tolerance must be a share between 0 and 1, or None, got {self.tolerance!r}")


@dataclass(frozen=True, eq=False)
class Ida(Shown):
    """Result of :func:`ida`.

    Attributes
    ----------
    curves : of every model.
    table : the study's table; None for a hunt.
    columns : all runs, one entry each: record, parameters, scale, intensity, PGA [g], measures, status.
    ran, found : parts that were run, and parts that were finished before.
    seconds : by the clock.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(0.27, 1.5))
    >>> study = hx.Study(model, {"record": [hx.el_centro()], "scale": [0.5, 1, 2]}, ("ductility",),
    ...                  hx.Galerkin(0.02), g=1.0)
    >>> found = hx.ida(study, "ductility", limit=2.0, intensity=hx.Pga(), workers=1)
    >>> len(found.columns["ductility"]), found.ran
    (3, 1)
    """

    curves: tuple[IdaCurves, ...]
    table: StudyTable | None
    columns: Mapping[str, Array]
    ran: int = 0
    found: int = 0
    seconds: float = 0.0

    def __repr__(self) -> str:
        first = self.curves[0]
        return (
            f"<Ida: {len(self.curves)} models × {len(first.labels)} records, {len(self.columns['status'])} runs; "
            f"{first.demand_name} against {first.im_name}, limit {first.limit:g} {first.unit}>"
        )

    def __iter__(self) -> Iterator[IdaCurves]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)


def ida(
    study: Study,
    demand: str,
    limit: float | None,
    *,
    intensity: Intensity,
    hunting: Hunt | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    store: str | Path | None = None,
    tell: Tell | None = None,
) -> Ida:
    """Curves of demand against intensity for every model of a study.

    Parameters
    ----------
    study : with an axis "scale" (factors), "level" (stripes), or neither and ``hunting``. One scale is a cloud.
    demand : a measure of the study; with "drift" and known heights of storeys also "drift_ratio".
    limit : demand beyond which a run counts as exceeding; None: collapse, the storey drift ratio at which the study's
        runs end (0.1 unless it has a limit of its own). With ``Hunt(…, tolerance=0.01)`` each record is followed to its
        collapse by halving; ``curves.fragility()`` is then that of collapse, and its ``margin`` the collapse margin.
    intensity : of a record, e.g. ``hx.Sa(0.42)``.
    hunting : seek the limit record by record, then fill the gaps.
    executor, workers, cluster, store, tell : as for :meth:`Study.run`.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(0.27, 1.5))
    >>> study = hx.Study(model, {"record": [hx.el_centro()], "scale": [0.5, 1, 2]}, ("ductility",),
    ...                  hx.Galerkin(0.02), g=1.0)
    >>> curves, = hx.ida(study, "ductility", limit=2.0, intensity=hx.Pga(), workers=1)
    >>> curves.im.round(3).tolist()
    [[0.159, 0.319, 0.638]]
    """
    limit = collapse_ratio(study, demand) if limit is None else limit
    if not is_positive(limit):
        raise InputError(f"ida: the limit must be a positive number, got {limit!r}")
    check_ida(study, demand, hunting)
    axes, heights = study.grid, heights_of(study.models)
    sizes = np.array([intensity(first_of(record)) for record in axes.records])
    options: dict[str, Any] = {"executor": executor, "workers": workers, "cluster": cluster, "tell": tell}
    where = None if store is None else Path(store)
    im_name = f"{intensity.name} [{intensity.unit}]"
    table = None
    if hunting is not None:
        if not np.all(sizes > 0):
            raise InputError(f"ida: the intensity of record {int(np.argmin(sizes > 0))} is zero; it cannot be scaled")
        runs, done = hunt(study, demand, limit, sizes, hunting, where, options)
        ran, found, seconds = done.ran, done.found, done.seconds
    else:
        table = study.run(store=where, **options)
        records, scales = axes.shape[0], axes.shape[-1]
        by_row = None if heights is None else np.tile(np.repeat(heights, scales, axis=0), (records, 1))
        runs = with_ratios(table.columns, by_row)
        ran, found, seconds = table.ran, table.found, table.seconds
    columns = _described(runs, axes, sizes, im_name, study.intensity == intensity)
    name, unit = words_of(demand, units_of(study.models), heights is not None)
    curves = curves_of(columns, tuple(axes.models), demand, limit, im_name, (name, unit), study.kind, study_ends(study))
    return Ida(curves, table, columns, ran, found, seconds)


def study_ends(study: Study) -> float | None:
    """Storey drift ratio at which the runs of a study end; None where none does."""
    ends = study.limit or Limit()
    return ends.drift_ratio if ends.stop else None


def collapse_ratio(study: Study, demand: str) -> float:
    """Storey drift ratio at which the runs of a study end and count as collapsed."""
    ratio = study_ends(study)
    if demand != "drift_ratio" or ratio is None:
        raise InputError(
            "ida: collapse is the storey drift ratio at which runs end; take the demand 'drift_ratio', and leave the "
            f"study a limit that ends them (it has {study.limit or Limit()})"
        )
    return ratio


def check_ida(study: Study, demand: str, hunting: Hunt | None) -> None:
    """Refuse a study that cannot give these curves."""
    if hunting is not None and {SCALE, LEVEL} & set(study.axes):
        raise InputError('ida: hunting seeks the scales itself; leave the axes "scale" and "level" out')
    if demand not in study.measures and base_measure(demand) not in study.measures:
        raise InputError(f"ida: the demand {demand!r} is none of the study's measures ({', '.join(study.measures)})")
    heights = heights_of(study.models)  # built for every demand: what cannot be built is refused before any run
    if demand != base_measure(demand) and heights is None:
        raise InputError(
            f"ida: {demand} needs the heights of all storeys; give them to the model, or take {base_measure(demand)!r}"
        )
    check_measures(study.models, study.scheme, study.measures)


def _described(runs: Mapping[str, Array], axes: Axes, sizes: Array, im_name: str, same: bool) -> dict[str, Array]:
    """Runs with their intensity and PGA behind the scale, axes in front."""
    place = {label: i for i, label in enumerate(axes.labels)}
    record = np.array([place[label] for label in runs[RECORD].tolist()])
    scale = np.abs(runs[SCALE])
    # A level is what it was asked to be, not its factor times the record's intensity, a rounding away.
    im = runs[LEVEL] if same and LEVEL in runs else scale * sizes[record]
    firsts = [first_of(record) for record in axes.records]
    peaks = np.array([motion.peak * in_gravities(motion.unit) for motion in firsts])
    front = {name: runs[name] for name in (RECORD, *axes.models, SCALE)}
    front |= {im_name: im, PGA: scale * peaks[record]}
    return front | {name: values for name, values in runs.items() if name not in (*front, LEVEL)}


# Hunting ---------------------------------------------------------------------------------------------------


def hunt_parts(study: Study, demand: str, limit: float, sizes: Array, hunting: Hunt) -> list[StudyPart]:
    """One part for every model and record, models outermost."""
    parts = []
    for number in range(len(study.models)):
        for record, size in zip(study.grid.records, sizes, strict=True):
            payload = {
                **part_of(study, number, record),
                "demand": demand,
                "limit": float(limit),
                "size": float(size),
                "hunting": hunting,
            }
            parts.append(StudyPart(digest("hunt", VERSION, *payload.values()), 1.0, payload))
    return parts


def timed_hunts(study: Study, demand: str, limit: float, intensity: Intensity, hunting: Hunt) -> Timing:
    """How long the hunts take on one processor, from some of them that are run."""
    sizes = np.array([intensity(first_of(record)) for record in study.grid.records])
    parts = hunt_parts(study, demand, limit, sizes, hunting)
    return timed(hunt_part, len(parts), lambda place: (parts[place].payload, 1.0), len(parts))


def hunt(
    study: Study, demand: str, limit: float, sizes: Array, hunting: Hunt, store: Path | None, options: Mapping[str, Any]
) -> tuple[dict[str, Array], Outcome]:
    """All runs as columns, axes first, and what the engine did."""
    study.look_at_the_ends()
    done = run_parts(hunt_part, hunt_parts(study, demand, limit, sizes, hunting), store=store, **options)
    axes = study.grid
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
    if hunting.tolerance is None:
        _fill(found, run, hunting.runs, payload["limit"])
    else:
        _halve(found, run, hunting, payload["limit"])
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


def _halve(found: dict[float, float], run: Callable[[float], float], hunting: Hunt, limit: float) -> None:
    """Halve the bracket of the limit until it is narrow, or the runs are used up."""
    over = [im for im in found if found[im] > limit]
    if not over:
        return
    high = min(over)
    low = max((im for im in found if im < high), default=0.0)
    while high - low > (hunting.tolerance or 0.0) * high and len(found) < hunting.runs:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if run(middle) > limit else (middle, high)


def _run(payload: Mapping[str, Any], scale: float) -> Columns:
    """One run with drift ratios; one that ran away has no numbers, one that failed otherwise ends the hunt."""
    found = run_part({**payload, "scales": np.array([scale])})
    if str(found[_STATUS][0]) not in (FINISHED, COLLAPSED) and not ran_away(found[_STATUS])[0]:
        raise InputError(f"ida: a run has no result: {reason(found[_STATUS][0])}")
    return with_ratios(found, heights_of(payload["systems"]))


def _demand(row: Columns, name: str) -> float:
    """∞ for a run that collapsed or ran away: beyond every limit."""
    return abs(float(row[name][0])) if str(row[_STATUS][0]) == FINISHED else float("inf")
