"""Tables of springs' laws, of damping and of links."""

from __future__ import annotations

from inspect import signature
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from hamex.model import links
from hamex.model.assembly import SpringLaw
from hamex.model.backbone import backbone
from hamex.model.damping import modal, ratio, rayleigh
from hamex.model.laws import known
from hamex.model.laws.stress import StressLaw
from hamex.spec.base import Numbers, Table, inside
from hamex.spec.derived import TableByKind, table_of


class BackboneTable(Table):
    """A law with ``kind = "backbone"``: points of a multilinear curve."""

    kind: Literal["backbone"]
    points: list[list[float]] = Field(description="points [deformation, force] of the curve")
    final_slope: float | None = None
    viscosity: float | None = None

    def build(self) -> SpringLaw:
        return backbone(
            [tuple(point) for point in self.points],  # type: ignore[misc]
            **self.given("final_slope", "viscosity"),
        )


class LawTable(TableByKind):
    """A law of any kind that is known when the file is read; ``kind = "slider"`` may be left out."""

    usual = "slider"

    @classmethod
    def tables(cls) -> dict[str, type[Table]]:
        """Every law of springs, and the backbone, which is several side by side."""
        laws: dict[str, type[Table]] = {
            kind: table_of(each, kind, kind == cls.usual)
            for kind, each in known().items()
            if not issubclass(each, StressLaw)
        }
        return laws | {"backbone": BackboneTable}


def law(table: Any, place: str) -> Any:
    """The law that a table describes, or None."""
    if table is None:
        return None
    with inside(place, table):
        return table.build()


class RatioTable(Table):
    """Damping with ``kind = "ratio"``."""

    kind: Literal["ratio"]
    ratio: float = Field(description="fraction of critical damping")
    mode: int | None = None

    def build(self) -> Any:
        return ratio(self.ratio, **self.given("mode"))


class RayleighTable(Table):
    """Damping with ``kind = "rayleigh"``."""

    kind: Literal["rayleigh"]
    ratio: Numbers | None = None
    modes: list[int] | None = None
    alpha: float | None = None
    beta: float | None = None

    def build(self) -> Any:
        modes: dict[str, Any] = {} if self.modes is None else {"modes": tuple(self.modes)}
        return rayleigh(**self.given("ratio", "alpha", "beta"), **modes)


class ModalTable(Table):
    """Damping with ``kind = "modal"``."""

    kind: Literal["modal"]
    ratio: Numbers = Field(description="fraction of critical damping: of all modes, or one per mode")
    modes: (
        Annotated[
            Annotated[int, Tag("·one")] | Annotated[list[int], Tag("·list")],
            Discriminator(lambda value: "·list" if isinstance(value, list) else "·one"),
        ]
        | None
    ) = None

    def build(self) -> Any:
        return modal(**self.arguments())


class CoefficientsTable(Table):
    """Damping with ``kind = "coefficients"``: dashpots of the storeys."""

    kind: Literal["coefficients"]
    storeys: Numbers = Field(description="dashpot coefficient of the storeys [force·s/length]")

    def build(self) -> Any:
        return self.storeys


class MatrixTable(Table):
    """Damping with ``kind = "matrix"``."""

    kind: Literal["matrix"]
    rows: list[list[float]] = Field(description="rows of the damping matrix [force·s/length]")

    def build(self) -> Any:
        return self.rows


ProportionalTable = Annotated[RatioTable | RayleighTable | ModalTable | MatrixTable, Field(discriminator="kind")]
DampingTable = Annotated[
    RatioTable | RayleighTable | ModalTable | CoefficientsTable | MatrixTable, Field(discriminator="kind")
]


def damping(table: Any) -> Any:
    """The damping that a table names; 0 where there is none."""
    if table is None:
        return 0.0
    with inside("damping", table):
        return table.build()


End = Annotated[
    Annotated[str, Tag("·one")] | Annotated[int, Tag("·number")],
    Discriminator(lambda value: "·number" if isinstance(value, int) else "·one"),
]


class LinkTable(Table):
    """``[[model.links]]``: a damper, isolator or spring between two points."""

    kind: Literal[
        "viscous_damper",
        "power_damper",
        "maxwell_damper",
        "friction_slider",
        "bilinear_isolator",
        "plan_isolator",
        "elastic_link",
        "spring_link",
    ]
    start: End = Field(description='node or floor; "ground", or 0 in a shear frame, is the ground')
    end: End = Field(description='node or floor; "ground", or 0 in a shear frame, is the ground')
    coefficient: float | None = None
    exponent: float | None = None
    force: float | None = Field(None, description="at which it slips [force]")
    stiffness: float | None = None
    yield_force: float | None = None
    post_stiffness: float | None = None
    viscosity: float | None = None
    law: LawTable | None = None
    direction: str | None = None
    directions: list[str] | None = Field(None, description="the two directions in plan")
    name: str | None = None

    @model_validator(mode="after")
    def _keys(self) -> LinkTable:
        taken = signature(getattr(links, self.kind)).parameters
        needs = [name for name, key in taken.items() if key.default is key.empty and name not in ("start", "end")]
        known = {"kind", *taken}
        for name in needs:
            if name not in self.model_fields_set:
                raise ValueError(f"{name} is missing; {self.kind} needs {', '.join(needs)}")
        for name in self.model_fields_set - known:
            raise ValueError(f"{self.kind} has no {name}; it knows {', '.join(sorted(known))}")
        return self

    def build(self) -> links.Link:
        values = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self.arguments("start", "end").items()
        }
        if self.law is not None:
            values["law"] = law(self.law, "law")
        return getattr(links, self.kind)(self.start, self.end, **values)


def link_list(tables: list[LinkTable]) -> list[links.Link]:
    """The links of a model, each error with its place."""
    found = []
    for place, table in enumerate(tables):
        with inside(f"links[{place}]", table):
            found.append(table.build())
    return found
