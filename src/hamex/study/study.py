"""Study: a template × named axes × measures → one labelled table, on any executor, to be resumed at any time."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex import __version__
from hamex.checks import floats, is_positive, is_whole
from hamex.errors import HamexError, InputError, ShortRunWarning, StepWarning, SwingWarning
from hamex.model.oscillator import Oscillators
from hamex.model.record import Model
from hamex.model.shear_frames import ShearFrames
from hamex.motion.ground import kinds_of
from hamex.problem import Limit, forces_on
from hamex.schemes import Scheme
from hamex.schemes.springs import effort_of
from hamex.solve.batch import batch, check_measures, marched_together
from hamex.solve.settling import check_settle, look_at_the_ends, say_skipped, say_swinging
from hamex.study.axes import (
    MODEL,
    Axes,
    MotionSequence,
    Record,
    Systems,
    Template,
    axes_of,
    march_sequence,
    measures_and_ends,
    motions_of,
    systems,
    units_of,
)
from hamex.study.engine import SECONDS, Columns, StudyPart, Tell, Timing, run_parts, timed
from hamex.study.keys import VERSION, digest
from hamex.study.spectra.intensities import Intensity
from hamex.study.table import StudyTable

Array = NDArray[Any]
FINISHED = "finished"
COLLAPSED = "collapsed"  # status of a run that ended at its limit; its measures are those up to there
_PARTS = 64  # at least about so many, so that an interruption costs little
_WORK = 400_000_000.0  # oscillator-steps of a part at most: about half a second
_RATE = 1.2e9  # oscillator-steps a second on one processor, for the estimate
_SINGLY = 8_000.0  # a step of a model that is solved by itself, in oscillator-steps
_FOLLOWED = 150.0  # a step of a spring that is followed along its path in a batch, by the effort of its law


@dataclass(frozen=True)
class Plan:
    """What a study will do: runs, parts, oscillator-steps and bytes of results.

    ``seconds`` on one processor are a rough guess, several times too short for large models; ``Study.timed()`` runs a
    second of the study and tells how long it takes.
    """

    runs: int
    parts: int
    steps: float
    seconds: float
    size: int

    def __repr__(self) -> str:
        return (
            f"<Plan: {self.runs:,} runs in {self.parts:,} parts, {self.size:,} bytes of results; "
            "study.timed() tells how long they take>"
        )


@dataclass(frozen=True, eq=False)
class Study:
    """Many runs of one template.

    Parameters
    ----------
    template : a model, or a function of a module that builds one from the parameters by name; with a parameter
        ``seed`` it is given one seed per cell.
    axes : "record": ground motions, or sequences of them (:class:`hamex.MotionSequence`); "scale": factors; "model":
        models instead of a template; other names are parameters of the function, or of the oscillator (mass,
        stiffness, damping, yield_force, viscosity …).
    measures : what to keep of each run, see :func:`hamex.batch`.
    scheme : as for :func:`hamex.solve`.
    g : one gravity in the models' units; needed where they do not state them.
    duration : of every run [s]; each record's own by default.
    seed : of the whole study.
    intensity : what an axis "level" is a level of, e.g. ``hx.Sa(0.42)``; the axis then stands instead of "scale".
    limit : storey drift at which a run ends, as for :func:`hamex.batch`; its status is then "collapsed".
    settle : let every run go on until it has come to rest, as for :func:`hamex.batch`. Beside a residual stands the
        measure "swing" either way: how far the drift may still swing.
    standing : forces that act before the start and for the whole run, such as gravity, as for :func:`hamex.batch`;
        by dof name where the models differ in their dofs.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(0.27, 1.5))
    >>> study = hx.Study(model, {"record": [hx.el_centro()], "scale": [1, 2], "viscosity": [0.5, 1.5]},
    ...                  ("ductility",), hx.Galerkin(0.02), g=1.0)
    >>> study.run(workers=1).values("ductility").shape
    (1, 2, 2)
    """

    template: Template
    axes: Mapping[str, Any]
    measures: Sequence[str]
    scheme: Scheme
    g: float | None = None
    duration: float | None = None
    seed: int = 0
    intensity: Intensity | None = None
    limit: Limit | None = None
    settle: float | None = None
    standing: ArrayLike | Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.settle is not None:
            check_settle("Study", self.settle)
        if self.g is not None and not is_positive(self.g):
            raise InputError(f"Study: g must be positive, one gravity in the models' units; got {self.g!r}")
        if self.duration is not None and not is_positive(self.duration):
            raise InputError(f"Study: duration must be a positive number of seconds, got {self.duration!r:.60}")
        if not isinstance(self.scheme, Scheme):
            raise InputError(f"Study: the scheme must be one such as Galerkin(step), got {self.scheme!r:.60}")
        names = self.measures
        if isinstance(names, str) or not isinstance(names, Sequence) or not all(isinstance(x, str) for x in names):
            raise InputError(f"Study: measures must be a list of names, got {names!r:.60}")
        if not is_whole(self.seed):
            raise InputError(f"Study: seed must be a whole number ≥ 0, got {self.seed!r:.60}")
        if not isinstance(self.axes, Mapping):
            raise InputError(f"Study: axes must be lists of values by name, got {self.axes!r:.60}")
        if not isinstance(self.template, Model) and not callable(self.template) and MODEL not in self.axes:
            raise InputError(f"Study: the template must be a Model or a function, got {self.template!r:.60}")
        if self.standing is not None and not isinstance(self.standing, Mapping):
            object.__setattr__(self, "standing", floats(self.standing, "Study: standing must be forces", InputError))
        object.__setattr__(self, "axes", dict(self.axes))
        _ = self.grid  # refuses what cannot be an axis

    @cached_property
    def grid(self) -> Axes:
        """The axes in their order, checked."""
        return axes_of(self.axes, self.intensity)

    @cached_property
    def models(self) -> Systems:
        """All models, in the order of the axes; arrays where a compiled kernel takes them."""
        built = systems(
            self.template, self.grid, self.seed, self.scheme, self.measures, alone=self.standing is not None
        )
        if self.standing is not None and isinstance(built, list):
            for model in built:
                forces_on(model, self.standing, "Study: standing")
        return built

    @cached_property
    def together(self) -> bool:
        """Whether compiled loops march the models, many at once; else they are solved one by one."""
        built = self.models
        if not isinstance(built, list):
            return True
        alone = self.standing is not None or self.settle is not None
        return not alone and marched_together(built, self.scheme, asked_of(self.measures))

    @cached_property
    def gravity(self) -> float:
        """One gravity in the models' units."""
        return float(units_of(self.models).one_gravity(self.g, "Study"))

    def replace(self, **changes: Any) -> Study:
        """A copy with changes."""
        return replace(self, **changes)

    def __repr__(self) -> str:
        axes = " × ".join(f"{len(values)} {name}" for name, values in self.axes.items())
        return f"<Study: {axes}; {', '.join(self.measures)}; {self.scheme!r}>"

    def plan(self) -> Plan:
        """What a run would do, without doing it."""
        parts = self._parts()
        steps, runs = sum(part.weight for part in parts), math.prod(self.grid.shape)
        return Plan(runs, len(parts), steps, steps / _RATE, runs * 8 * (len(self.measures) + 1))

    def timed(self) -> Timing:
        """How long the study takes on one processor, from a second of it that is run; closer than ``plan()``."""
        check_measures(self.models, self.scheme, self.measures)
        parts, grid, built = self._parts(), self.grid, self.models
        total = sum(part.weight for part in parts)
        if not isinstance(built, list):
            return timed(run_part, len(parts), lambda place: (parts[place].payload, parts[place].weight), total)
        shape = (len(grid.records), len(built), grid.scales.shape[1])

        def cell(place: int) -> tuple[Mapping[str, Any], float]:
            record, model, scale = (int(i) for i in np.unravel_index(place, shape))
            payload = {**part_of(self, model, grid.records[record]), "scales": grid.scales[record, scale : scale + 1]}
            return payload, _weight(built, self.together) * self._steps(grid.records[record])

        return timed(run_part, math.prod(shape), cell, total)

    def run(
        self,
        *,
        executor: Executor | None = None,
        workers: int | None = None,
        cluster: str | None = None,
        store: str | Path | None = None,
        tell: Tell | None = None,
    ) -> StudyTable:
        """Run the study, or what of it is not in the ``store`` yet; see :func:`hamex.study.engine.run_parts`.

        The table is the same to the last bit for any executor, number of workers and history of interruptions.
        """
        self.look_at_the_ends()
        check_measures(self.models, self.scheme, self.measures)
        parts = self._parts()
        begun = time.perf_counter()
        done = run_parts(
            run_part,
            parts,
            store=None if store is None else Path(store),
            executor=executor,
            workers=workers,
            cluster=cluster,
            tell=tell,
        )
        columns = _merged(done.tables, self.grid)
        if "settled" in columns:
            say_swinging((columns["settled"] > 0) | (columns["status"] != FINISHED))
        kernel = sum(float(table[SECONDS][0]) for table in done.tables)
        return StudyTable(
            self.grid,
            columns,
            units_of(self.models),
            {
                "hamex": __version__,
                "scheme": repr(self.scheme),
                "study": digest([part.key for part in parts]),
                "motions": self.kind,
            },
            ran=done.ran,
            found=done.found,
            kernel_seconds=kernel,
            seconds=time.perf_counter() - begun,
        )

    @property
    def kind(self) -> str:
        """What the motions are: recorded, synthetic, matched, or several of them."""
        return kinds_of(motion for record in self.axes["record"] for motion in motions_of(record))

    def look_at_the_ends(self) -> None:
        """Say which runs end before their records do, and which skip samples; refuse to let the former settle."""
        records = [motion for record in self.grid.records for motion in motions_of(record)]
        say_skipped("Study", {id(motion): motion for motion in records}.values(), self.scheme)
        if self.duration is not None:
            motions = [record for record in self.grid.records if not isinstance(record, MotionSequence)]
            look_at_the_ends(motions, [self.duration] * len(motions), self.settle)

    def _parts(self) -> list[StudyPart]:
        """Cut by records and models, the same for every executor: resumed parts must be recognised."""
        axes, built = self.grid, self.models
        weight = _weight(built, self.together) * axes.scales.shape[1]
        steps = [self._steps(record) for record in axes.records]
        total = weight * len(built) * sum(steps)
        most = min(total / _PARTS, _WORK)
        ends = self.limit or Limit(), self.settle
        common: tuple[Any, ...] = (self.scheme, tuple(self.measures), self.gravity, self.duration, ends, VERSION)
        common += () if self.standing is None else (self.standing,)
        parts = []
        for record, scales, count in zip(axes.records, axes.scales, steps, strict=True):
            size = max(1, int(most / (weight * count)))
            for begin in range(0, len(built), size):
                payload = {**part_of(self, begin, record, size), "scales": scales}
                chosen = payload["systems"]
                parts.append(StudyPart(digest(chosen, record, scales, common), weight * count * len(chosen), payload))
        return parts

    def _steps(self, record: Record) -> float:
        return max(1.0, (record.duration if self.duration is None else self.duration) / self.scheme.step)


def part_of(study: Study, begin: int, record: Record, size: int = 1) -> dict[str, Any]:
    """What a worker needs of a study to march some of its models through one record."""
    built = study.models
    chosen = built[begin : begin + size] if isinstance(built, list) else built.chosen(slice(begin, begin + size))
    return {
        "systems": chosen,
        "record": record,
        "scheme": study.scheme,
        "measures": tuple(study.measures),
        "g": study.gravity,
        "duration": study.duration,
        "collapse": study.limit or Limit(),
        "settle": study.settle,
    } | ({} if study.standing is None else {"standing": study.standing})


def label_of(axes: Axes, number: int) -> str:
    """A model in words, by the values of its axes; "" where there is one only."""
    names = list(axes.models)
    cell = np.unravel_index(number, [len(axes.models[name]) for name in names]) if names else ()
    return ", ".join(f"{name} = {axes.values(name)[place]}" for name, place in zip(names, cell, strict=True))


def run_part(payload: Mapping[str, Any]) -> Columns:
    """The cells of one part, (model, scale) in order; a cell that fails has its message as status."""
    begun = time.thread_time()
    found, scales = payload["systems"], payload["scales"]
    with warnings.catch_warnings():  # what is to be said of all runs is said once, by the study
        for category in (ShortRunWarning, StepWarning, SwingWarning):
            warnings.simplefilter("ignore", category)
        try:
            columns = _marched(payload, found, scales)
        except HamexError:
            columns = _one_by_one(payload, found, scales)
    seconds = np.zeros(len(columns["status"]))
    seconds[0] = time.thread_time() - begun
    return {**columns, SECONDS: seconds}


def _marched(payload: Mapping[str, Any], found: Systems, scales: Array) -> dict[str, Array]:
    """Measures and status of every cell."""
    measures = asked_of(payload["measures"])
    ends = {"limit": payload["collapse"], "settle": payload["settle"]}
    if isinstance(payload["record"], MotionSequence):
        result = march_sequence(found, payload["record"], payload["scheme"], measures, scales, payload["g"], **ends)
    else:
        result = measures_and_ends(
            batch(
                found,
                payload["record"],
                payload["scheme"],
                measures,
                scales=scales,
                g=payload["g"],
                duration=payload["duration"],
                standing=payload.get("standing"),
                threads=1,
                **ends,
            )
        )
    collapsed = result.pop("collapsed").reshape(-1)
    settled = result.pop("settled", None)
    columns = _flat(result)
    if settled is not None:
        columns["settled"] = settled.reshape(-1).astype(float)
    return {**columns, "status": np.where(collapsed, COLLAPSED, FINISHED)}


def asked_of(measures: Sequence[str]) -> tuple[str, ...]:
    """Measures, and beside a residual how far it may still swing."""
    swings = {"residual_drift", "residual_displacement"} & set(measures)
    return tuple(dict.fromkeys((*measures, "swing"))) if swings else tuple(measures)


def _flat(results: Mapping[str, Array]) -> dict[str, Array]:
    """(model, 1, scale[, storey]) as columns; of storeys the largest too."""
    columns = {}
    for name, values in results.items():
        if values.ndim == 3:
            columns[name] = np.ascontiguousarray(values[:, 0]).reshape(-1)
            continue
        by_storey = np.ascontiguousarray(values[:, 0]).reshape(-1, values.shape[-1])
        largest = np.abs(by_storey).argmax(axis=1)
        columns[name] = by_storey[np.arange(len(by_storey)), largest]
        columns |= {f"{name}_{storey + 1}": by_storey[:, storey].copy() for storey in range(by_storey.shape[1])}
    return columns


def _one_by_one(payload: Mapping[str, Any], found: Systems, scales: Array) -> dict[str, Array]:
    """Some cell failed: find out which, and keep the rest. A number means the same by itself and in company."""
    rows: list[dict[str, Any]] = []
    for number in range(len(found)):
        one = found[number : number + 1] if isinstance(found, list) else found.chosen(slice(number, number + 1))
        for scale in scales:
            try:
                rows.append({name: each[0] for name, each in _marched(payload, one, np.array([scale])).items()})
            except HamexError as problem:
                rows.append({"status": f"{type(problem).__name__}: {problem}"})
    names = max((list(row) for row in rows), key=len)
    names = names if len(names) > 1 else [*payload["measures"], "status"]
    return {
        name: np.array([str(row[name]) if name == "status" else float(row.get(name, np.nan)) for row in rows])
        for name in names
    }


def _merged(tables: Sequence[Columns], axes: Axes) -> dict[str, Array]:
    """Axes as columns, then the measures, in the order of the axes."""
    shape = axes.shape
    columns: dict[str, Array] = {}
    for place, name in enumerate(axes.names):
        values = axes.values(name).reshape([-1 if i == place else 1 for i in range(len(shape))])
        columns[name] = np.broadcast_to(values, shape).reshape(-1)
    if axes.levels is not None:
        models = math.prod(shape[1:-1])
        columns["scale"] = np.broadcast_to(axes.scales[:, None, :], (shape[0], models, shape[-1])).reshape(-1)
    for name in dict.fromkeys(name for table in tables for name in table if name != SECONDS):
        columns[name] = np.concatenate([table.get(name, np.full(len(table["status"]), np.nan)) for table in tables])
    return columns


def _weight(built: Systems, together: bool) -> float:
    """Work of a step of one model, in oscillator-steps; ``together``: models of a list are batched."""
    if isinstance(built, Oscillators):
        return 1.0
    if isinstance(built, ShearFrames):
        return 4.0 * built.storeys
    return _FOLLOWED * effort_of(built[0]) if together else _SINGLY
