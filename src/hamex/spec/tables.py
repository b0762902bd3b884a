"""Tables of a problem file, as pydantic models; each builds the object it describes.

Tables check names and types and then call the constructors, which own every default and every limit on a value.
A new kind of model, load or scheme is one more class in its union, so that files that exist stay valid.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hamex.discretise.schemes import Galerkin, LoadRule, Newmark, PiecewiseExact
from hamex.errors import ProblemError, UnitError
from hamex.model.damping import ratio
from hamex.model.law import Slider
from hamex.model.oscillator import oscillator
from hamex.model.record import Model
from hamex.model.units import UNSTATED_FORCE, UNSTATED_LENGTH, Units
from hamex.motion import pulses
from hamex.motion.ground import GroundMotion, el_centro
from hamex.motion.load import Load
from hamex.motion.textfile import read_motion, read_samples
from hamex.solve import State

# Limits stand here only for keys that no constructor knows by name.
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Table(BaseModel):
    """A table of the file: no unknown keys, no text where a number belongs."""

    # Only the whole file is ever validated: the tables' own validators are not worth building.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    def given(self, *names: str) -> dict[str, Any]:
        """Keys that stand in the file, so that a default is said once, in the constructor."""
        return {name: getattr(self, name) for name in names if name in self.model_fields_set}

    def one_of(self, *names: str, needed: bool = True) -> None:
        """Refuse two of these keys together, and none of them when one is needed."""
        count = sum(name in self.model_fields_set for name in names)
        if count > 1 or (needed and count == 0):
            raise ValueError(f"give {'exactly' if needed else 'at most'} one of {' and '.join(names)}, got "
                             f"{'both' if count else 'none'}")


class UnitsTable(Table):
    """``[units]``: length, force and, where it is not the standard one, gravity in length/s²."""

    length: str = Field(description='unit of length, e.g. length = "m"')
    force: str = Field(description='unit of force, e.g. force = "kN"')
    gravity: Positive | None = None

    def build(self) -> Units:
        if self.length == UNSTATED_LENGTH or self.force == UNSTATED_FORCE:
            raise UnitError('a file states its units, e.g. length = "m" and force = "kN"')
        return Units(self.length, self.force)


class OscillatorTable(Table):
    """``[model]`` with ``kind = "oscillator"``: one mass, one spring with its law, one dashpot."""

    kind: Literal["oscillator"]
    mass: float = Field(description="mass [force·s²/length]")
    stiffness: float | None = None
    period: Positive | None = None
    damping: float | None = None
    damping_ratio: float | None = None
    yield_force: float | None = None
    viscosity: float | None = None
    kinematic: float | None = None
    isotropic: float | None = None

    @model_validator(mode="after")
    def _choices(self) -> OscillatorTable:
        self.one_of("stiffness", "period")
        self.one_of("damping", "damping_ratio", needed=False)
        return self

    def build(self, units: Units) -> Model:
        stiffness = self.stiffness if self.period is None else self.mass * (2 * math.pi / self.period) ** 2
        assert stiffness is not None
        damping = ratio(self.damping_ratio) if self.damping_ratio is not None else self.damping or 0.0
        law = Slider(**self.given("yield_force", "viscosity", "kinematic", "isotropic"))
        return oscillator(self.mass, stiffness, damping, law, units)


class MotionTable(Table):
    """``[motion]``: a shipped record, or a text file with its unit."""

    record: Literal["el_centro"] | None = None
    file: str | None = None
    unit: str | None = None
    step: float | None = None
    scale: Finite = 1.0

    @model_validator(mode="after")
    def _choices(self) -> MotionTable:
        self.one_of("record", "file")
        if self.file is None and self.given("unit", "step"):
            raise ValueError("unit and step belong to file; the record brings its own")
        if self.file is not None and self.unit is None:
            raise ValueError('unit is missing; files do not tell it, so say it: unit = "g", "m/s2", "cm/s2" …')
        return self

    def build(self, folder: Path) -> GroundMotion:
        motion = el_centro() if self.file is None else read_motion(folder / self.file, self.unit or "", self.step)
        return motion if self.scale == 1 else motion.scaled(self.scale)


class SineTable(Table):
    """``[load]`` with ``kind = "sine"``."""

    kind: Literal["sine"]
    amplitude: float = Field(description="amplitude [force]")
    omega: float | None = None
    period: Positive | None = None
    duration: float | None = None
    phase: float | None = None

    @model_validator(mode="after")
    def _choices(self) -> SineTable:
        self.one_of("omega", "period")
        return self

    def build(self, folder: Path) -> Load:
        omega = 2 * math.pi / self.period if self.period is not None else self.omega
        assert omega is not None
        return pulses.sine(self.amplitude, omega, **self.given("duration", "phase"))


class ConstantTable(Table):
    """``[load]`` with ``kind = "constant"``: a step load, or a rectangular pulse with a duration."""

    kind: Literal["constant"]
    amplitude: float = Field(description="force from t = 0 on [force]")
    duration: float | None = None

    def build(self, folder: Path) -> Load:
        return pulses.constant(self.amplitude, **self.given("duration"))


class HalfSineTable(Table):
    """``[load]`` with ``kind = "half_sine"``."""

    kind: Literal["half_sine"]
    amplitude: float = Field(description="largest force [force]")
    duration: float = Field(description="length of the pulse [s]")

    def build(self, folder: Path) -> Load:
        return pulses.half_sine(self.amplitude, self.duration)


class TriangleTable(Table):
    """``[load]`` with ``kind = "triangle"``."""

    kind: Literal["triangle"]
    amplitude: float = Field(description="largest force [force]")
    duration: float = Field(description="length of the pulse [s]")
    peak: float | None = None

    def build(self, folder: Path) -> Load:
        return pulses.triangle(self.amplitude, self.duration, **self.given("peak"))


class SamplesTable(Table):
    """``[load]`` with ``kind = "samples"``: forces in the file itself, or in a text file."""

    kind: Literal["samples"]
    forces: list[float] | None = None
    file: str | None = None
    step: float | None = None
    scale: Finite = 1.0

    @model_validator(mode="after")
    def _choices(self) -> SamplesTable:
        self.one_of("forces", "file")
        return self

    def build(self, folder: Path) -> Load:
        if self.file is None:
            return Load(self.forces or [], self.step).scaled(self.scale)
        return Load(*read_samples(folder / self.file, self.step)).scaled(self.scale)


class NoneTable(Table):
    """``[load]`` with ``kind = "none"``: free vibration from a given start."""

    kind: Literal["none"]

    def build(self, folder: Path) -> Load:
        return pulses.constant(0.0)


class StartTable(Table):
    """``[start]``: the state at t = 0; what is left out is zero."""

    displacement: float | None = None
    velocity: float | None = None
    momentum: float | None = None
    slip: float | None = None
    back_force: float | None = None
    accumulated_slip: float | None = None

    @model_validator(mode="after")
    def _choices(self) -> StartTable:
        self.one_of("velocity", "momentum", needed=False)
        return self

    def build(self, model: Model) -> State:
        momentum = self.momentum if self.velocity is None else self.velocity * float(model.mass[0, 0])
        kinematic = float(model.laws["slider"].kinematic[0])
        if self.slip and kinematic and self.back_force is None:
            raise ProblemError("back_force is needed beside the slip of a spring with kinematic hardening; "
                               f"kinematic × slip is {kinematic * self.slip:g}")
        known = self.given("displacement", "slip") | ({} if momentum is None else {"momentum": momentum})
        return State(**known, internal=self.given("back_force", "accumulated_slip"))


class GalerkinTable(Table):
    """``[scheme]`` with ``kind = "galerkin"``."""

    kind: Literal["galerkin"]
    step: float = Field(description="time step [s]")
    degree: int | None = None
    load: LoadRule | None = None

    def build(self) -> Galerkin:
        return Galerkin(**self.given("step", "degree", "load"))


class NewmarkTable(Table):
    """``[scheme]`` with ``kind = "newmark"``."""

    kind: Literal["newmark"]
    step: float = Field(description="time step [s]")
    beta: float | None = None
    gamma: float | None = None
    tolerance: float | None = None
    max_iterations: int | None = None

    def build(self) -> Newmark:
        return Newmark(**self.given("step", "beta", "gamma", "tolerance", "max_iterations"))


class PiecewiseExactTable(Table):
    """``[scheme]`` with ``kind = "piecewise_exact"``."""

    kind: Literal["piecewise_exact"]
    step: float = Field(description="time step [s]")

    def build(self) -> PiecewiseExact:
        return PiecewiseExact(self.step)


LoadTable = SineTable | ConstantTable | HalfSineTable | TriangleTable | SamplesTable | NoneTable
SchemeTable = GalerkinTable | NewmarkTable | PiecewiseExactTable


class ProblemTables(Table):
    """The whole file."""

    title: str | None = None
    duration: float = Field(description="length of the history [s], at the top of the file")
    units: UnitsTable
    model: OscillatorTable
    motion: MotionTable | None = None
    load: Annotated[LoadTable, Field(discriminator="kind")] | None = None
    start: StartTable | None = None
    scheme: Annotated[SchemeTable, Field(discriminator="kind")]

    @model_validator(mode="after")
    def _choices(self) -> ProblemTables:
        if (self.motion is None) == (self.load is None):
            raise ValueError('give exactly one of the tables [motion] and [load]; kind = "none" is free vibration')
        return self
