"""The tables of a problem file, as pydantic models; each builds the object it describes.

Tables check names and types and then call the constructors, which own every default and every limit on a value.
A new kind of model or load is one more class, so that files that exist stay valid; tables of laws and schemes are read
off their own classes (:mod:`hamex.spec.derived`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Discriminator, Field, Tag, ValidationInfo, create_model, model_validator

from hamex.errors import LoadError, UnitError
from hamex.model.damping import ratio
from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.model.record import Model
from hamex.model.units import UNSTATED_FORCE, UNSTATED_LENGTH, Units
from hamex.problem import Limit
from hamex.schemes.scheme import Scheme, find, kind_of, known
from hamex.spec.base import Positive, Table, Version, check_version
from hamex.spec.derived import LawTable, TableByKind, law, table_of
from hamex.spec.loads import ON_BODIES, BodyForces, LoadTable, MotionTable, StartTable, SupportTable, position


class UnitsTable(Table):
    """``[units]``: length, force and, where it is not the standard one, gravity in length/s²."""

    length: str = Field(description='unit of length, e.g. length = "m"')
    force: str = Field(description='unit of force, e.g. force = "kN"')
    gravity: Positive | None = Field(None, description="in length/s²; the standard one by default")

    def build(self) -> Units:
        if self.length == UNSTATED_LENGTH or self.force == UNSTATED_FORCE:
            raise UnitError('a file states its units, e.g. length = "m" and force = "kN"')
        return Units(self.length, self.force)


class GravityTable(BodyForces):
    """``[gravity]``: forces that act before the start and stay on."""

    forces: dict[str, float] | None = Field(None, description='forces by dof [force], as in forces = {"B.y" = -50.0}')
    direction: str | None = Field(
        None, description='in which the weight of all masses acts, as in direction = "-y"; of frames, give forces'
    )

    @model_validator(mode="after")
    def _choices(self) -> GravityTable:
        if not self.arguments():
            raise ValueError("give forces, or a direction for the weight of the masses")
        return self

    def build(self, model: Model, gravity: float) -> NDArray[Any]:
        """The standing load of a problem, one force per dof."""
        standing = np.zeros(len(model.dofs)) if (forces := self.on_body(model)) is None else forces
        for dof, force in (self.forces or {}).items():
            standing[position(dof, model.dofs, "forces", "dof", model)] += force
        if self.direction is not None:
            way = self.direction.lstrip("+-")
            if way not in model.directions or len(self.direction) - len(way) > 1:
                ways = ", ".join(f'"-{each}"' for each in model.directions)
                raise LoadError(f"direction must be a direction of the model with its sign, as {ways}")
            standing += (-gravity if self.direction.startswith("-") else gravity) * model.inertia(way)
        return standing


Pattern = Annotated[
    Annotated[str, Tag("·name")] | Annotated[list[float], Tag("·list")] | Annotated[dict[str, float], Tag("·table")],
    Discriminator(lambda value: {dict: "·table", list: "·list"}.get(type(value), "·name")),
]


class SlowTable(BodyForces):
    """What slow loadings share: the pattern of the forces."""

    pattern: Pattern | None = Field(
        None,
        description='forces on the dofs: "mode" (mass times mode shape), "mass", a dof, a list, or a table by dof as '
        'in pattern = {"B.x" = 1.0}; "mode" if left out',
    )

    def keys(self, model: Model) -> dict[str, Any]:
        """What the function of the same name takes."""
        forces = self.on_body(model)
        if forces is not None and self.pattern is not None:
            raise LoadError(f"pattern stands for forces on all dofs; give it or {next(iter(self.given(*ON_BODIES)))}")
        pattern = {} if forces is None else {"pattern": forces.tolist()}
        return {"pattern": "mode", **self.arguments(*ON_BODIES), **pattern}


class PushoverTable(SlowTable):
    """``[pushover]``: how the model is pushed slowly, under its ``[gravity]``; see :func:`hamex.pushover`."""

    displacement: float = Field(description="what the controlled displacement reaches [length]")
    steps: int | None = None


class CyclicTable(SlowTable):
    """``[cyclic]``: amplitudes through which the model is cycled slowly, under its ``[gravity]``; see
    :func:`hamex.cyclic`."""

    amplitudes: list[float] = Field(
        description='of the controlled displacement [length], or of the load factor where by = "force"'
    )
    points: int | None = None
    by: Literal["displacement", "force"] | None = Field(None, description="what is controlled")


class LimitTable(Table):
    """``[limit]``: storey drift beyond which the structure counts as collapsed."""

    drift_ratio: float | None = None
    drift: float | None = None
    stop: bool | None = None

    def build(self) -> Limit:
        return Limit(**self.arguments())


class SchemeTable(TableByKind):
    """``[scheme]`` of any kind that is known when the file is read: the name of its class in small letters."""

    step: float

    @classmethod
    def kinds(cls) -> Iterable[str]:
        """Every scheme."""
        return map(kind_of, known().values())

    @classmethod
    def table(cls, kind: str) -> type[Table] | None:
        """The table of a scheme that marches; some only record how a result came about."""
        scheme = find(kind)
        return None if scheme is None or scheme.prepare is Scheme.prepare else table_of(scheme, kind)


Probe = Annotated[
    Annotated[str, Tag("·name")] | Annotated[list[float], Tag("·list")],
    Discriminator(lambda value: "·list" if isinstance(value, list) else "·name"),
]


def _many(value: Any) -> str:
    return "·list" if isinstance(value, list) else "·one"


OneLoad = Annotated[LoadTable, Field(discriminator="kind")]
Motions = Annotated[
    Annotated[MotionTable, Tag("·one")] | Annotated[list[MotionTable], Tag("·list")], Discriminator(_many)
]
Loads = Annotated[Annotated[OneLoad, Tag("·one")] | Annotated[list[OneLoad], Tag("·list")], Discriminator(_many)]
Supports = Annotated[
    Annotated[SupportTable, Tag("·one")] | Annotated[list[SupportTable], Tag("·list")], Discriminator(_many)
]


class OscillatorTable(Table):
    """``[model]`` with ``kind = "oscillator"``: one mass, one spring with its law, one dashpot.

    The keys of a slider may stand beside the mass, or any law of one component in ``[model.law]``.
    """

    kind: Literal["oscillator"]
    mass: float = Field(description="mass [force·s²/length]")
    stiffness: float | None = None
    period: Positive | None = Field(None, description="natural period of the elastic spring [s], instead of stiffness")
    damping: float | None = None
    damping_ratio: float | None = Field(None, description="fraction of critical damping, instead of damping")
    yield_force: float | None = None
    strength_ratio: Positive | None = Field(None, description="yield force over the weight, mass × gravity")
    viscosity: float | None = None
    kinematic: float | None = None
    isotropic: float | None = None
    law: LawTable | None = None

    @model_validator(mode="after")
    def _choices(self) -> OscillatorTable:
        self.one_of("stiffness", "period")
        self.one_of("damping", "damping_ratio", needed=False)
        self.one_of("yield_force", "strength_ratio", needed=False)
        beside = self.given("yield_force", "strength_ratio", "viscosity", "kinematic", "isotropic")
        if self.law is not None and beside:
            raise ValueError(f"{next(iter(beside))} is a slider's, and [model.law] says the law; give one of them")
        return self

    def build(self, units: Units, gravity: float, folder: Path | None = None) -> Model:
        stiffness = self.stiffness if self.period is None else self.mass * (2 * math.pi / self.period) ** 2
        assert stiffness is not None
        damping = ratio(self.damping_ratio) if self.damping_ratio is not None else self.damping or 0.0
        if self.law is not None:
            return oscillator(self.mass, stiffness, damping, law=law(self.law, "law"), units=units)
        keys = self.given("yield_force", "viscosity", "kinematic", "isotropic")
        if self.strength_ratio is not None:
            keys["yield_force"] = self.strength_ratio * self.mass * gravity
        return oscillator(self.mass, stiffness, damping, law=Slider(**keys), units=units)


class ProblemTables(Table):
    """The whole file; ``[model]`` is filled in by :func:`tables_for`."""

    title: str | None = Field(None, description="of the results; the name of the file by default")
    duration: float | None = Field(None, description="length of the history [s], at the top of the file")
    tail: float | None = Field(None, description="time after the end of the load [s], instead of duration")
    settle: float | None = Field(
        None, description="go on until what still swings is below this share of the largest drift, e.g. 0.001"
    )
    promise: Literal["beforehand", "reported", "cut"] | None = Field(
        None,
        description="of one solution per step: beforehand refuses longer steps, cut divides them, reported watches",
    )
    units: UnitsTable
    model: Any
    motion: Motions | None = None
    load: Loads | None = Field(None, description="forces that act; several of them as [[load]]")
    support: Supports | None = None
    gravity: GravityTable | None = None
    pushover: PushoverTable | None = None
    cyclic: CyclicTable | None = None
    start: StartTable | None = None
    limit: LimitTable | None = None
    probes: dict[str, Probe] | None = Field(
        None, description="places whose motion is told: coordinates in a solid, or a dof; by names of your own"
    )
    scheme: SchemeTable | None = Field(None, description="how it is marched; needed unless it is only loaded slowly")
    version: Version = None

    _known = model_validator(mode="before")(check_version)

    @model_validator(mode="after")
    def _choices(self, info: ValidationInfo) -> ProblemTables:
        slow_only = self.is_slow_only or bool(info.context and info.context["history"] is False)
        self.one_of("duration", "tail", needed=not slow_only)
        if self.start is not None and self.gravity is not None:
            raise ValueError("give at most one of [start] and [gravity]; gravity is where the history starts")
        if self.motion is None and self.load is None and self.support is None and not slow_only:
            raise ValueError(
                "give at least one of the tables [motion], [load] and [support], or [pushover] or [cyclic] for slow "
                'loading; kind = "none" in [load] is free vibration'
            )
        if self.scheme is None and not slow_only:
            raise ValueError("the table [scheme] is missing")
        return self

    @property
    def is_slow_only(self) -> bool:
        """Whether the file says how the model is loaded slowly, and nothing of a history."""
        history = (self.motion, self.load, self.support, self.scheme, self.duration, self.tail)
        return (self.pushover is not None or self.cyclic is not None) and all(each is None for each in history)

    @property
    def marches(self) -> bool:
        """Whether the file says all that a history needs."""
        loads, lasts = (self.motion, self.load, self.support), (self.duration, self.tail)
        return self.scheme is not None and any(x is not None for x in loads) and any(x is not None for x in lasts)


ModelKind = Literal["oscillator", "shear_frame", "truss", "frame", "rod", "solid"]
KINDS: tuple[str, ...] = get_args(ModelKind)


class AnyModelTable(Table):
    """``[model]`` without a kind that is known: nothing can be said of its other keys."""

    model_config = ConfigDict(extra="ignore")
    kind: ModelKind


@cache
def tables_for(kind: str | None) -> type[ProblemTables]:
    """The tables of a file whose model is of this kind, None if unknown; the others need not be loaded."""
    model: type[Table] = AnyModelTable if kind is None else OscillatorTable
    if kind in ("shear_frame", "truss", "frame", "rod"):
        from hamex.spec import structures

        tables: dict[str, type[Table]] = {
            "shear_frame": structures.ShearFrameTable,
            "truss": structures.TrussTable,
            "frame": structures.FrameTable,
            "rod": structures.RodTable,
        }
        model = tables[kind]
    if kind == "solid":
        from hamex.spec.solids import SolidTable

        model = SolidTable
    return create_model("ProblemTables", __base__=ProblemTables, model=(model, ...))
