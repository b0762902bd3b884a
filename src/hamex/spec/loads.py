"""Tables of what shakes a model, and of how it starts; and the keys of forces on bodies, which loads in time and
standing loads share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Discriminator, Field, Tag, model_validator

from hamex.errors import HamexError, LoadError, ProblemError, UnitError
from hamex.model.inputs import few
from hamex.model.record import Model, parameter
from hamex.model.units import METRE, unknown
from hamex.motion import artificial
from hamex.motion.artificial import Shape, ground_wave, synthetic_suite
from hamex.motion.ground import GroundMotion, el_centro
from hamex.motion.load import Load
from hamex.solve import State
from hamex.spec.base import Finite, Named, Positive, Table, inside

Array = NDArray[Any]
ON_BODIES = ("traction", "pressure", "body_force", "point_forces")
At = Annotated[
    Annotated[str, Tag("·one")] | Annotated[dict[str, float], Tag("·table")],
    Discriminator(lambda value: "·table" if isinstance(value, dict) else "·one"),
]
NumberOrName = Annotated[
    Annotated[str, Tag("·name")] | Annotated[int, Tag("·one")],
    Discriminator(lambda value: "·name" if isinstance(value, str) else "·one"),
]


def place_of(folder: Path | None, file: str) -> Path:
    """Where a file lies; tables that come from elsewhere than a problem file have no folder and read none."""
    if folder is None:
        raise LoadError("file is read from problem files only; give the samples themselves")
    return folder / file


def samples_in(folder: Path | None, file: str, step: float | None) -> tuple[Array, float]:
    """Samples of a file, and their step."""
    from hamex.motion.records.columns import read_samples

    return read_samples(place_of(folder, file), step)


class SyntheticMotionTable(Table):
    """``synthetic`` of ``[motion]``: the first motion of :func:`hamex.synthetic_suite`."""

    seed: int = Field(description="whole number; the same seed gives the same motions")
    magnitude: float | None = None
    distance: float | None = None
    vs30: float | None = None
    step: float | None = None
    duration: float | None = None
    scatter: float | None = None

    def motions(self, count: int) -> tuple[GroundMotion, ...]:
        return _synthetic(count, tuple(self.arguments("count").items()))


@lru_cache(16)
def _synthetic(count: int, keys: tuple[tuple[str, Any], ...]) -> tuple[GroundMotion, ...]:
    """The same table is often built again with another model; motions are frozen and may be shared."""
    return synthetic_suite(count, **dict(keys))


class WaveTable(Table):
    """``wave`` of ``[motion]``, see :func:`hamex.ground_wave`."""

    shape: Shape = Field(description='form of the wave, as in shape = "sine"')
    amplitude: float = Field(description="largest acceleration, in unit")
    period: float = Field(description="of a full cycle [s]")
    cycles: float | None = None
    step: float | None = None
    unit: str | None = None

    def build(self) -> GroundMotion:
        return ground_wave(**self.arguments())


class MotionTable(Table):
    """``[motion]``: a shipped record, a record file, samples in the file itself, a synthetic motion or a wave;
    ``[[motion]]`` for several directions.

    A unit must stand beside plain numbers, which do not tell it; files of AT2, COSMOS, ESM … tell their own, and so do
    text columns whose names hold it.
    """

    record: Literal["el_centro"] | None = Field(None, description="the record that comes with hamex")
    file: str | None = Field(None, description="record file, sought from the folder of this file")
    accelerations: list[float] | None = Field(None, description="samples from t = 0 on, in unit")
    synthetic: SyntheticMotionTable | None = Field(None, description="a motion made from magnitude and distance")
    wave: WaveTable | None = Field(None, description="a motion of simple waves")
    format: str | None = None
    unit: str | None = None
    step: float | None = None
    component: NumberOrName | None = None
    column: NumberOrName | None = None
    raw: bool | None = None
    source: str | None = None
    scale: Finite = Field(1.0, description="factor on the motion")
    direction: str | None = Field(
        None, description='in which it shakes, where the model has several, as in direction = "x"'
    )

    @model_validator(mode="after")
    def _choices(self) -> MotionTable:
        self.one_of("record", "file", "accelerations", "synthetic", "wave")
        if self.file is None and self.accelerations is None and self.given("unit", "step"):
            raise ValueError("unit and step belong to file and to accelerations; others bring their own")
        if self.file is None and self.given("format", "component", "column", "raw"):
            raise ValueError("format, component, column and raw belong to file")
        if self.accelerations is None and self.given("source"):
            raise ValueError("source belongs to accelerations; others bring their own")
        if self.accelerations is not None and (self.unit is None or self.step is None):
            raise ValueError('unit and step are needed beside accelerations, as in unit = "g", step = 0.01')
        return self

    def build(self, folder: Path | None) -> GroundMotion:
        motion = self._unscaled(folder)
        return motion if self.scale == 1 else motion.scaled(self.scale)

    def _unscaled(self, folder: Path | None) -> GroundMotion:
        if self.file is not None:
            from hamex.motion.records import read_record  # the grammars of all formats

            return read_record(
                place_of(folder, self.file), **self.given("format", "unit", "step", "component", "column", "raw")
            )
        if self.accelerations is not None:
            assert self.step is not None
            assert self.unit is not None
            return GroundMotion(np.array(self.accelerations), self.step, self.unit, self.source or "given samples")
        if self.wave is not None:
            with inside("wave", self.wave):
                return self.wave.build()
        if self.synthetic is not None:
            with inside("synthetic", self.synthetic):
                return self.synthetic.motions(1)[0]
        return el_centro()


class PointForceTable(Table):
    """A force at a point of a body."""

    at: list[float] = Field(description="where it acts [length]")
    force: list[float] = Field(description="in each direction [force]")


class BodyForces(Table):
    """Forces on a body, by place; a load in time multiplies them."""

    traction: dict[str, list[float]] | None = Field(
        None, description="of a solid: force per area in each direction by boundary, as in traction = {top = [0, -1]}"
    )
    pressure: dict[str, float] | None = Field(
        None, description="of a solid: pressure by boundary, positive inwards, as in pressure = {inner = 1.0}"
    )
    body_force: list[float] | None = Field(None, description="of a solid: force per volume in each direction")
    point_forces: list[PointForceTable] | None = Field(
        None, description="of a solid: forces at points, as in point_forces = [{at = [0, 0], force = [0, -1]}]"
    )

    def on_body(self, model: Model) -> Array | None:
        """Forces on the dofs, (dof,); None where the table has none by place."""
        given = self.given(*ON_BODIES)
        if not given:
            return None
        body = model.body
        if body is None:
            raise LoadError(f"{next(iter(given))} acts on solids; other models take forces by dof")
        total = np.zeros(len(model.dofs))
        for boundary, vector in (self.traction or {}).items():
            with _of(f"traction of {boundary!r}"):
                total += body.traction(boundary, vector)
        for boundary, value in (self.pressure or {}).items():
            with _of(f"pressure of {boundary!r}"):
                total += body.pressure(boundary, value)
        if self.body_force is not None:
            with _of("body_force of the solid"):
                total += body.force(self.body_force)
        for number, point in enumerate(self.point_forces or ()):
            with _of(f"point_forces[{number}] of the solid"):
                total += body.point_force(point.at, point.force)
        return total


@contextmanager
def _of(key: str) -> Iterator[None]:
    """Name the key in what the body refuses."""
    try:
        yield
    except HamexError as problem:
        raise type(problem)(f"{key}: {str(problem).removeprefix('traction: ').removeprefix('force: ')}") from None


class ForceTable(BodyForces):
    """What all kinds of ``[load]`` share: what they act on."""

    at: At | None = Field(
        None, description='dof it acts on, or factors by dof, as in at = {"B.x" = 1.0}; needed if there are several'
    )

    def history(self, folder: Path | None) -> Load:
        """The force in time, one channel."""
        raise NotImplementedError

    def build(self, folder: Path | None, model: Model) -> Load:
        load = self.history(folder)
        forces = self.on_body(model)
        if self.at is None and forces is None:
            if len(model.dofs) == 1:
                return load
            if model.body is not None:
                raise LoadError(f"{', '.join(ON_BODIES)} or at is missing: where it acts")
            raise LoadError(f"at is missing: the dof it acts on, one of {few(model.dofs)}; or factors by dof")
        pattern = np.zeros((len(model.dofs), 1)) if forces is None else forces[:, None]
        for dof, factor in ({self.at: 1.0} if isinstance(self.at, str) else self.at or {}).items():
            pattern[position(dof, model.dofs, "at", "dof", model)] += factor
        scale = 1.0 if load.patterns is None else load.patterns[0, 0]
        return Load(load.forces, load.step, patterns=pattern * scale, breaks=load.breaks)


def position(name: str, names: Sequence[str], key: str, what: str, model: Model | None = None) -> int:
    """Place of a name; refuses an unknown one, a dof of a model with what moves instead."""
    if name not in names:
        why = model.why_no_dof(name) if model is not None else None
        raise LoadError(f"{key} names {name!r}, which is no {what}; {why or f'{what}s are {few(names, name)}'}")
    return names.index(name)


class SineTable(ForceTable):
    """``[load]`` with ``kind = "sine"``."""

    kind: Literal["sine"]
    amplitude: float = Field(description="amplitude [force]")
    omega: float | None = Field(None, description="circular frequency [rad/s]; or period")
    period: Positive | None = Field(None, description="of a cycle [s], instead of omega")
    duration: float | None = Field(None, description="end of the force, inclusive [s]; for ever by default")
    phase: float | None = Field(None, description="at t = 0 [rad]")

    @model_validator(mode="after")
    def _choices(self) -> SineTable:
        self.one_of("omega", "period")
        return self

    def history(self, folder: Path | None) -> Load:
        omega = 2 * math.pi / self.period if self.period is not None else self.omega
        assert omega is not None
        return artificial.sine(self.amplitude, omega, **self.given("duration", "phase"))


class ConstantTable(ForceTable):
    """``[load]`` with ``kind = "constant"``: a step load, or a rectangular pulse with a duration."""

    kind: Literal["constant"]
    amplitude: float = Field(description="force from t = 0 on [force]")
    duration: float | None = Field(None, description="end of the force, inclusive [s]; for ever by default")

    def history(self, folder: Path | None) -> Load:
        return artificial.constant(**self.arguments("at", *ON_BODIES))


class HalfSineTable(ForceTable):
    """``[load]`` with ``kind = "half_sine"``."""

    kind: Literal["half_sine"]
    amplitude: float = Field(description="largest force [force]")
    duration: float = Field(description="length of the pulse [s]")

    def history(self, folder: Path | None) -> Load:
        return artificial.half_sine(**self.arguments("at", *ON_BODIES))


class TriangleTable(ForceTable):
    """``[load]`` with ``kind = "triangle"``."""

    kind: Literal["triangle"]
    amplitude: float = Field(description="largest force [force]")
    duration: float = Field(description="length of the pulse [s]")
    peak: float | None = Field(None, description="when it is largest, as a share of the duration; 0 is a blast")

    def history(self, folder: Path | None) -> Load:
        return artificial.triangle(**self.arguments("at", *ON_BODIES))


class SamplesTable(ForceTable):
    """``[load]`` with ``kind = "samples"``: forces in the file itself, or in a text file."""

    kind: Literal["samples"]
    forces: list[float] | None = Field(None, description="samples from t = 0 on [force]")
    file: str | None = Field(None, description="text file with the samples, instead of forces")
    step: float | None = Field(None, description="time between samples [s]")
    scale: Finite = Field(1.0, description="factor on the samples")

    @model_validator(mode="after")
    def _choices(self) -> SamplesTable:
        self.one_of("forces", "file")
        return self

    def history(self, folder: Path | None) -> Load:
        if self.file is None:
            return Load(self.forces or [], self.step).scaled(self.scale)
        return Load(*samples_in(folder, self.file, self.step)).scaled(self.scale)


class NoneTable(Table):
    """``[load]`` with ``kind = "none"``: free vibration from a given start."""

    kind: Literal["none"]

    def build(self, folder: Path | None, model: Model) -> Load:
        zero = artificial.constant(0.0)
        return zero if len(model.dofs) == 1 else Load(zero.forces, patterns=np.zeros((len(model.dofs), 1)))


LoadTable = SineTable | ConstantTable | HalfSineTable | TriangleTable | SamplesTable | NoneTable


class SupportTable(Table):
    """``[[support]]``: the displacement of one support, or of several that move as one."""

    at: Annotated[
        Annotated[str, Tag("·one")] | Annotated[list[str], Tag("·list")],
        Discriminator(lambda value: "·list" if isinstance(value, list) else "·one"),
    ] = Field(description='support that moves, as "A.x", a list of them, or a direction for all')
    file: str | None = Field(None, description="text file with the displacements")
    displacements: list[float] | None = Field(None, description="samples from t = 0 on, in unit, instead of file")
    step: float | None = Field(None, description="time between samples [s]")
    unit: str | None = Field(None, description='of the displacements, as in unit = "mm"')
    scale: Finite = Field(1.0, description="factor on the displacements")

    @model_validator(mode="after")
    def _choices(self) -> SupportTable:
        self.one_of("displacements", "file")
        if self.file is not None and self.unit is None:
            raise ValueError('unit is missing; files do not tell it, so say it: unit = "m", "cm", "mm" …')
        return self

    def rows(self, model: Model) -> list[int]:
        """Numbers of the supports."""
        if isinstance(self.at, str) and self.at in model.directions:
            return [
                i
                for i, name in enumerate(model.support_names)
                if name.endswith(f".{self.at}") or len(model.directions) == 1
            ]
        return [
            position(name, model.support_names, "at", "support")
            for name in ([self.at] if isinstance(self.at, str) else self.at)
        ]

    def samples(self, folder: Path | None, length: str) -> tuple[Array, float]:
        """Displacements in the model's unit of length, and their step."""
        if self.unit is not None and self.unit not in METRE:
            raise UnitError(unknown("length", self.unit, METRE))
        factor = self.scale * (1.0 if self.unit is None else METRE[length] / METRE[self.unit])
        if self.file is not None:
            values, step = samples_in(folder, self.file, self.step)
        elif self.step is None:
            raise LoadError("step is missing: time between the displacements [s]")
        else:
            values, step = np.array(self.displacements), self.step
        return factor * values, step


def supports_load(histories: list[tuple[list[int], Array, float]], model: Model, duration: float) -> Load:
    """One load of displacements; a record that ends holds its last value."""
    steps = {step for _, _, step in histories}
    if len(steps) > 1:
        raise LoadError(f"records of supports must share one step, got {', '.join(f'{s:g}' for s in sorted(steps))} s")
    step = steps.pop()
    count = max(math.ceil(duration / step) + 2, *(len(values) for _, values, _ in histories))
    table = np.stack(
        [np.concatenate([values, np.full(count - len(values), values[-1])]) for _, values, _ in histories], axis=1
    )
    pattern = np.zeros((len(model.support_names), len(histories)))
    for column, (rows, _, _) in enumerate(histories):
        pattern[rows, column] = 1.0
    return Load(table, step, patterns=pattern)


class StartTable(Table):
    """``[start]``: the state at t = 0; what is left out is zero."""

    displacement: Named | None = None
    velocity: Named | None = Field(
        None, description="by dof, or by direction for all, as in {x = -5.0}; instead of momentum [length/s]"
    )
    momentum: Named | None = None
    slip: Named | None = None
    back_force: Named | None = Field(None, description="centre of the yield range of hardening springs [force]")
    accumulated_slip: Named | None = Field(None, description="sum of all slip of hardening springs [length]")

    @model_validator(mode="after")
    def _choices(self) -> StartTable:
        self.one_of("velocity", "momentum", needed=False)
        return self

    def build(self, model: Model) -> State:
        known = {name: self._vector(name, model.dofs, "dof", model) for name in self.given("displacement", "momentum")}
        known |= {name: self._vector(name, model.springs, "spring") for name in self.given("slip")}
        if self.velocity is not None:
            known["momentum"] = model.mass @ self._vector("velocity", model.dofs, "dof", model)
        internal = {
            name: self._vector(name, model.springs, "spring") for name in self.given("back_force", "accumulated_slip")
        }
        if "slip" in known and self.back_force is None:
            back_force = parameter(model, "kinematic") * known["slip"]
            worst = int(np.abs(back_force).argmax())
            if abs(back_force[worst]) > 0:
                raise ProblemError(
                    "back_force is needed beside the slip of a spring with kinematic hardening; "
                    f"kinematic × slip is {back_force[worst]:g}"
                )
        return State(**known, internal=internal)

    def _vector(self, key: str, names: tuple[str, ...], what: str, model: Model | None = None) -> Array:
        value = getattr(self, key)
        if isinstance(value, dict):
            vector = np.zeros(len(names))
            for name, number in value.items():
                if model is not None and name in model.directions and name not in names:
                    vector += number * model.influence[:, model.directions.index(name)]
                else:
                    vector[position(name, names, key, what, model)] = number
            return vector
        if not isinstance(value, list):
            if len(names) > 1:
                raise ProblemError(f'{key} must name its {what}s, as in {key} = {{"{names[0]}" = {value:g}}}')
            return np.array([value])
        if len(value) != len(names):
            raise ProblemError(f"{key} has {len(value)} entries, the model has {len(names)} {what}s")
        return np.array(value)
