"""What a derivation and a run of it are asked with, and that run as a script: the same numbers without the studio."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from hamex.spec.base import Finite, Positive, Table
from hamex.studio import limits
from hamex.studio.wire import RequestTable

_Name = Annotated[str, Field(max_length=24)]
_Words = Annotated[str, Field(max_length=120)]
_Text = Annotated[str, Field(max_length=limits.TEXT)]


class SystemTable(RequestTable):
    """A system of the library by its name, or one that is typed."""

    system: str = Field("", max_length=40, description="name in the library; empty for a typed one")
    fields: list[_Name] = Field(
        [], max_length=8, description="unknown functions of time; when empty, names with a rate"
    )
    lagrangian: _Text = Field("", description="L in the small language, as m*u'^2/2 - k*u^2/2")
    dissipation: _Text = Field("", description="φ of the rates, as c*u'^2/2")
    loads: dict[_Name, _Text] = Field({}, max_length=8, description="force on a field, as f(t)")
    meanings: dict[_Name, _Words] = Field({}, max_length=60, description="what a name stands for, its unit in brackets")

    @model_validator(mode="after")
    def _one_of_both(self) -> SystemTable:
        if self.system and (self.lagrangian or self.dissipation or self.fields or self.loads or self.meanings):
            raise ValueError("give a system of the library or a typed one, not both")
        return self


class ZeroShape(Table):
    """Nothing acts."""

    shape: Literal["zero"]


class ConstantShape(Table):
    """The same at all times."""

    shape: Literal["constant"]
    amplitude: Finite


class SineShape(Table):
    """A sine from t = 0 on."""

    shape: Literal["sine"]
    amplitude: Finite
    period: Annotated[Positive, Field(description="[s]")]


class PulseShape(Table):
    """Half a sine, then nothing."""

    shape: Literal["pulse"]
    amplitude: Finite
    length: Annotated[Positive, Field(description="[s]")]


Shape = Annotated[ZeroShape | ConstantShape | SineShape | PulseShape, Field(discriminator="shape")]


class RunTable(SystemTable):
    """A system with numbers in it."""

    parameters: dict[_Name, Finite] = Field({}, max_length=60, description="a number for every parameter")
    shapes: dict[_Name, Shape] = Field(
        {}, max_length=40, description="history of a given function of time; zero when left out"
    )
    start: dict[Annotated[str, Field(max_length=30)], Finite] = Field(
        {}, max_length=24, description="u, u_dot or P_u at t = 0; zero when left out"
    )
    duration: Positive = Field(10.0, le=1e6, description="[s]")
    step: Positive = Field(0.01, description="[s]")
    degree: int = Field(1, ge=1, le=4, description="of the polynomials in time")

    @model_validator(mode="after")
    def _few_steps(self) -> RunTable:
        if self.duration / self.step * self.degree > limits.SLOW_STEPS:
            raise ValueError(
                f"duration / step times the degree must be at most {limits.SLOW_STEPS}: "
                "take a longer step or a shorter duration"
            )
        return self


def script(run: RunTable) -> str:
    """Python that gives the numbers of a run. All that came with the request stands in it as literals."""
    numbers = [f"    {name!r}: {value!r}," for name, value in run.parameters.items()]
    numbers += [f"    {name!r}: {_history(shape)}," for name, shape in run.shapes.items()]
    lines = ['"""A motion from hamex studio."""', ""]
    curved = any(isinstance(shape, SineShape | PulseShape) for shape in run.shapes.values())
    lines += ["import math", ""] if curved else []
    lines += [
        "import hamex as hx",
        *_system(run),
        "numbers = {",
        *numbers,
        "}",
        f"sol = hx.simulate(system, numbers, {dict(run.start)!r}, duration={run.duration!r}, step={run.step!r}, "
        f"degree={run.degree!r})",
        "",
        "print(sol)",
        'print(f"energy unaccounted for: {sol.residual:.3e}")',
        "",
    ]
    return "\n".join(lines)


def _system(run: RunTable) -> list[str]:
    if run.system:
        return ["from hamex.principle.library import action", "", f"system = action({run.system!r})"]
    given: dict[str, Any] = {
        "fields": list(run.fields),
        "lagrangian": run.lagrangian,
        "dissipation": run.dissipation,
        "loads": dict(run.loads),
        "meanings": dict(run.meanings),
    }
    said = [f"    {name}={value!r}," for name, value in given.items() if value or name == "fields"]
    return ["from hamex.principle.language import read_action", "", "system = read_action(", *said, ")"]


def _history(shape: Shape) -> str:
    if isinstance(shape, ConstantShape):
        return repr(shape.amplitude)
    if isinstance(shape, SineShape):
        return f"lambda time: {shape.amplitude!r} * math.sin(2 * math.pi * time / {shape.period!r})"
    if isinstance(shape, PulseShape):
        return (
            f"lambda time: {shape.amplitude!r} * math.sin(math.pi * time / {shape.length!r}) "
            f"if 0 <= time <= {shape.length!r} else 0.0"
        )
    return "0.0"
