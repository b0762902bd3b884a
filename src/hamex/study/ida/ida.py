"""``ida``: incremental dynamic analysis of every model of a study, with given scales or levels, or by hunting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_positive
from hamex.errors import InputError
from hamex.motion.units import in_gravities
from hamex.study.axes import LEVEL, RECORD, SCALE, Axes, Systems, axes_of, first_of, systems, units_of
from hamex.study.demands import base_measure, heights_of, with_ratios, words_of
from hamex.study.engine import Tell
from hamex.study.ida.curves import PGA, IdaCurves, curves_of
from hamex.study.ida.hunt import Hunt, hunt
from hamex.study.spectra.intensities import Intensity
from hamex.study.study import Study
from hamex.study.table import StudyTable

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Ida:
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

    def __iter__(self) -> Iterator[IdaCurves]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)


def ida(
    study: Study,
    demand: str,
    limit: float,
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
    limit : demand beyond which a run counts as exceeding.
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
    if not is_positive(limit):
        raise InputError(f"ida: the limit must be a positive number, got {limit!r}")
    axes, built = check_ida(study, demand, hunting)
    sizes = np.array([intensity(first_of(record)) for record in axes.records])
    options: dict[str, Any] = {"executor": executor, "workers": workers, "cluster": cluster, "tell": tell}
    where = None if store is None else Path(store)
    im_name = f"{intensity.name} [{intensity.unit}]"
    table = None
    if hunting is not None:
        if not np.all(sizes > 0):
            raise InputError(f"ida: the intensity of record {int(np.argmin(sizes > 0))} is zero; it cannot be scaled")
        runs, done = hunt(study, axes, built, demand, limit, sizes, hunting, where, options)
        ran, found, seconds = done.ran, done.found, done.seconds
    else:
        table = study.run(store=where, **options)
        runs = with_ratios(table.columns, _by_row(heights_of(built), axes))
        ran, found, seconds = table.ran, table.found, table.seconds
    columns = _described(runs, axes, sizes, im_name, study.intensity == intensity)
    name, unit = words_of(demand, units_of(built), heights_of(built) is not None)
    curves = curves_of(columns, tuple(axes.models), demand, limit, im_name, (name, unit), study.kind)
    return Ida(curves, table, columns, ran, found, seconds)


def check_ida(study: Study, demand: str, hunting: Hunt | None) -> tuple[Axes, Systems]:
    """Axes and models of a study that can give these curves."""
    if hunting is not None and {SCALE, LEVEL} & set(study.axes):
        raise InputError('ida: hunting seeks the scales itself; leave the axes "scale" and "level" out')
    if demand not in study.measures and base_measure(demand) not in study.measures:
        raise InputError(f"ida: the demand {demand!r} is none of the study's measures ({', '.join(study.measures)})")
    axes = axes_of(study.axes, study.intensity)
    built = systems(study.template, axes, study.seed, study.scheme)
    if demand != base_measure(demand) and heights_of(built) is None:
        raise InputError(
            f"ida: {demand} needs the heights of all storeys; give them to the model, or take {base_measure(demand)!r}"
        )
    return axes, built


def _by_row(heights: Array | None, axes: Axes) -> Array | None:
    """Heights of the model of every row of a study's table."""
    if heights is None:
        return None
    records, scales = axes.shape[0], axes.shape[-1]
    return np.tile(np.repeat(heights, scales, axis=0), (records, 1))


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
