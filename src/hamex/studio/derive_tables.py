"""What a derivation and a run of it are asked with."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from hamex.spec.base import Finite, Positive, Table
from hamex.studio import limits
from hamex.studio.asked import Asked

_Name = Annotated[str, Field(max_length=24)]
_Words = Annotated[str, Field(max_length=120)]
_Text = Annotated[str, Field(max_length=limits.TEXT)]


class SystemTable(Asked):
    """A system of the library by its name, or one that is typed."""

    system: str = Field("", max_length=40, description="name in the library; empty for a typed one")
    fields: list[_Name] = Field([], max_length=8, description="unknown functions of time; when empty, names with a "
                                                              "rate")
    lagrangian: _Text = Field("", description="L in the small language, as m*u'^2/2 - k*u^2/2")
    dissipation: _Text = Field("", description="φ of the rates, as c*u'^2/2")
    loads: dict[_Name, _Text] = Field({}, max_length=8, description="force on a field, as f(t)")
    meanings: dict[_Name, _Words] = Field({}, max_length=60, description="what a name stands for, its unit in brackets")

    @model_validator(mode="after")
    def _one_of_both(self) -> SystemTable:
        if self.system and (self.lagrangian or self.dissipation or self.fields or self.loads or self.meanings):
            raise ValueError("give a system of the library or a typed one, not both")
        return self


class ZeroTable(Table):
    """Nothing acts."""

    shape: Literal["zero"]


class ConstantTable(Table):
    """The same at all times."""

    shape: Literal["constant"]
    amplitude: Finite


class SineTable(Table):
    """A sine from t = 0 on."""

    shape: Literal["sine"]
    amplitude: Finite
    period: Annotated[Positive, Field(description="[s]")]


class PulseTable(Table):
    """Half a sine, then nothing."""

    shape: Literal["pulse"]
    amplitude: Finite
    length: Annotated[Positive, Field(description="[s]")]


Shape = Annotated[ZeroTable | ConstantTable | SineTable | PulseTable, Field(discriminator="shape")]


class RunTable(SystemTable):
    """A system with numbers in it."""

    parameters: dict[_Name, Finite] = Field({}, max_length=60, description="a number for every parameter")
    shapes: dict[_Name, Shape] = Field({}, max_length=40, description="history of a given function of time; zero when "
                                                                      "left out")
    start: dict[Annotated[str, Field(max_length=30)], Finite] = Field(
        {}, max_length=24, description="u, u_dot or P_u at t = 0; zero when left out")
    duration: Positive = Field(10.0, le=1e6, description="[s]")
    step: Positive = Field(0.01, description="[s]")
    degree: int = Field(1, ge=1, le=4, description="of the polynomials in time")

    @model_validator(mode="after")
    def _few_steps(self) -> RunTable:
        if self.duration / self.step * self.degree > limits.SLOW_STEPS:
            raise ValueError(f"duration / step times the degree must be at most {limits.SLOW_STEPS}: "
                             "take a longer step or a shorter duration")
        return self
