"""Axes of a study: records, scales, models and parameters, and the models they make; mainshock and aftershocks as one
entry, each motion from the state that the last one left."""

from __future__ import annotations

import inspect
import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory, floats, is_finite
from hamex.errors import HamexError, InputError
from hamex.model.laws.combined import Combined, ParallelLaws
from hamex.model.laws.law import Law
from hamex.model.oscillator import Oscillators
from hamex.model.record import Model
from hamex.model.shear_frames import ShearFrames
from hamex.motion.ground import GroundMotion, kinds_of
from hamex.names import Shown
from hamex.problem import Limit
from hamex.schemes import Scheme
from hamex.schemes.prepare import is_oscillator
from hamex.schemes.shear_frame import is_one_storey, is_shear_frame, shear_frames_of
from hamex.schemes.time_elements import is_linear
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


Record = GroundMotion | MotionSequence
Systems = Oscillators | ShearFrames | list[Model]
Template = Model | Callable[..., Model] | Oscillators | ShearFrames

RECORD, SCALE, LEVEL, MODEL = "record", "scale", "level", "model"


@dataclass(frozen=True, eq=False)
class Axes:
    """Named axes in their order: record, then model and parameters, then scale or level.

    Attributes
    ----------
    records : ground motions, or sequences of them.
    labels : of the records.
    models : name of the axis → values, for models and parameters.
    scales : factors, (record, n); the same for all records where they were given as factors.
    levels : intensities that the factors bring the records to, (n,); None where factors were given.
    """

    records: tuple[Record, ...]
    labels: tuple[str, ...]
    models: Mapping[str, tuple[Any, ...]]
    scales: Array
    levels: Array | None

    @property
    def names(self) -> tuple[str, ...]:
        """All axes."""
        return RECORD, *self.models, SCALE if self.levels is None else LEVEL

    @property
    def shape(self) -> tuple[int, ...]:
        """Their lengths."""
        return len(self.records), *(len(values) for values in self.models.values()), self.scales.shape[1]

    def values(self, name: str) -> Array:
        """Values of an axis as they stand in a table."""
        if name == RECORD:
            return np.array(self.labels)
        if name == SCALE:
            return np.asarray(self.scales[0])
        if name == LEVEL and self.levels is not None:
            return self.levels
        # What is no word or number, a model say, goes by its place.
        return np.array(
            [
                value if isinstance(value, int | float | str) else f"{name} {place}"
                for place, value in enumerate(self.models[name], 1)
            ]
        )


def axes_of(given: Mapping[str, Any], intensity: Callable[[GroundMotion], float] | None = None) -> Axes:
    """Check axes as the user gives them; ``intensity`` of a record turns levels into factors."""
    if RECORD not in given:
        raise InputError('Study: axes need "record": a list of ground motions')
    records = tuple(_listed(RECORD, given[RECORD]))
    wrong = [record for record in records if not isinstance(record, Record)]
    if wrong:
        raise InputError(f"Study: a record must be a GroundMotion or a MotionSequence, got {wrong[0]!r:.60}")
    models = {
        name: tuple(_listed(name, values)) for name, values in given.items() if name not in (RECORD, SCALE, LEVEL)
    }
    factored = len(_listed(SCALE, given.get(LEVEL, given.get(SCALE))))
    runs = math.prod([len(records), *map(len, models.values()), factored])
    check_memory("Study", 8 * runs, f"the table of {runs:,} runs", "take fewer values on its axes")
    if LEVEL not in given:
        factors = _numbers(SCALE, given.get(SCALE, [1.0]))
        return Axes(records, _labels(records), models, np.tile(factors, (len(records), 1)), None)
    if intensity is None or SCALE in given:
        raise InputError('Study: the axis "level" stands instead of "scale" and needs the intensity it is a level of')
    levels = _numbers(LEVEL, given[LEVEL])
    sizes = np.array([intensity(first_of(record)) for record in records])
    if not np.all(sizes > 0):
        raise InputError(f"Study: the intensity of record {int(np.argmin(sizes > 0))} is zero; it cannot be scaled")
    return Axes(records, _labels(records), models, levels / sizes[:, None], levels)


def units_of(built: Systems) -> Any:
    """Names of the units of the models."""
    return built[0].units if isinstance(built, list) else built.units


def first_of(record: Record) -> GroundMotion:
    """The motion whose intensity counts."""
    return motions_of(record)[0]


def _numbers(name: str, values: Any) -> Array:
    found = floats(_listed(name, values), f"Study: the axis {name!r} must be finite numbers")
    if found.ndim != 1 or not np.all(np.isfinite(found)):
        raise InputError(f"Study: the axis {name!r} must be finite numbers")
    return found


def _listed(name: str, values: Any) -> list[Any]:
    found = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    if not found:
        raise InputError(f"Study: the axis {name!r} is empty")
    return [value.item() if isinstance(value, np.generic) else value for value in found]


def _labels(records: Sequence[Record]) -> tuple[str, ...]:
    """Sources of the records; where they repeat, with a number."""
    names = [" ".join(filter(None, (record.source or "record", record.component))) for record in records]
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if names.count(name) == 1 else f"{name} ({seen[name]})")
    return tuple(out)


def systems(
    template: Template, axes: Axes, seed: int, scheme: Scheme, measures: Sequence[str], *, alone: bool = False
) -> Systems:
    """All models of the study, in the order of the axes; arrays where a kernel takes them, unless ``alone``."""
    cells = list(itertools.product(*axes.models.values()))
    built = [
        _build(template, dict(zip(axes.models, cell, strict=True)), seed, number) for number, cell in enumerate(cells)
    ]
    if alone or not is_linear(scheme):
        return built
    # One storey marches as an oscillator, but only a storey has a drift.
    drifts = any(name.endswith("drift") for name in measures)
    if drifts and all(is_one_storey(model) and model.storeys is not None for model in built):
        return shear_frames_of(built)
    if all(is_oscillator(model) for model in built):
        return Oscillators.of(built)
    if all(is_shear_frame(model) for model in built) and len({len(model.dofs) for model in built}) == 1:
        return shear_frames_of(built)
    return built


def _build(template: Template, values: dict[str, Any], seed: int, number: int) -> Model:
    if callable(template) and not isinstance(template, Model):
        if "seed" in inspect.signature(template).parameters:
            # One stream per cell, whatever else the study holds.
            values["seed"] = int(np.random.SeedSequence(seed, spawn_key=(number,)).generate_state(1)[0])
        model = template(**values)
    else:
        model = values.pop(MODEL, template)
        model = _changed(model, values) if values else model
    if not isinstance(model, Model):
        raise InputError(f"Study: {values or 'the template'} gives {type(model).__name__}, not a Model")
    return model


def _changed(model: Model, values: Mapping[str, float]) -> Model:
    """An oscillator with other parameters."""
    if len(model.dofs) != 1 or len(model.springs) != 1:
        raise InputError(
            f"Study: parameters {', '.join(values)} change an oscillator only; for other models give a "
            "function that builds them"
        )
    group = next(iter(model.laws.values()))
    known = {name: value[0] for name, value in group.parameters.items()}
    one = np.ones((1, 1))
    changes: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for name, value in values.items():
        if np.ndim(known.get(_place(name), 0.0)):
            raise InputError(f"Study: {name} are points of a law; give a function that builds the model")
        if _place(name) in known:
            own[_place(name)] = value
        elif name == "mass":
            changes["mass"] = one * value
        elif name == "stiffness":
            changes["flexibility"] = one / value
        elif name == "damping":
            changes["damping"] = replace(model.damping, matrix=one * value)
        else:
            raise InputError(
                f"Study: an oscillator has no parameter {name!r}; it has mass, stiffness, damping, "
                f"{', '.join(map(_said, known))}"
            )
    laws = {group.law.kind: group.law.grouped([_law_of(group.law, known, own)], [0])} if own else model.laws
    return replace(model, laws=laws, **changes)


def _place(name: str) -> str:
    """The name in its group of a parameter of a part: "part2.part1.E0", of the first part of the second, is E0_0_1."""
    *parts, last = name.split(".")
    if not all(part.startswith("part") and part[4:].isdigit() for part in parts):
        return name
    return "".join([last, *(f"_{int(part[4:]) - 1}" for part in reversed(parts))])


def _said(place: str) -> str:
    """The other way round."""
    name, *parts = re.split(r"_(?=\d+(?:_\d+)*$)", place)
    return ".".join([*(f"part{int(part) + 1}" for part in reversed("_".join(parts).split("_")) if part), name])


def _law_of(law: type[Law], given: Mapping[str, Any], own: Mapping[str, float]) -> Law:
    """A law with the parameters of its group, some of them changed, checked as when it is made."""
    if issubclass(law, Combined):
        parts = []
        for i, kind in enumerate(law.parts):
            of_part = [{x: all_of[f"{x}_{i}"] for x in kind.names() if f"{x}_{i}" in all_of} for all_of in (given, own)]
            parts.append(_law_of(kind, *of_part))
        now = {**given, **own}
        if issubclass(law, ParallelLaws):
            return law(parts, [float(now[f"share_{i}"]) for i in range(len(parts))])
        around: Any = law
        return around(parts[0], **{name: float(now[name]) for name in law.own})
    if any(np.ndim(value) for value in given.values()):
        raise InputError(f"Study: {law.__name__} has points, as a part too; give a function that builds the model")
    known, changed = _arguments(law, given), _arguments(law, own)
    if not any(_NEGATIVE.search(name) for name in own):
        known = _symmetric(law, known)
    return law(**(known | changed))


_NEGATIVE = re.compile(r"_negative$|\dn$|N")  # parameters of the side of negative forces, in any law's own names


def _arguments(law: type[Law], numbers: Mapping[str, Any]) -> dict[str, Any]:
    """What its constructor takes: groups hold words by their places."""
    return {x: law.words[x][int(value)] if x in law.words else float(value) for x, value in numbers.items()}


def _symmetric(law: type[Law], known: dict[str, Any]) -> dict[str, Any]:
    """The numbers without those of the negative side, where these only repeat the positive one: a change is then one
    of both sides."""
    one = {name: value for name, value in known.items() if not _NEGATIVE.search(name)}
    try:
        same, all_of = (law.grouped([law(**numbers)], [0]).parameters for numbers in (one, known))
    except (HamexError, TypeError):  # the negative side must be given
        return known
    return one if all(np.array_equal(same[name], all_of[name], equal_nan=True) for name in same) else known
