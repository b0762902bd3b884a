"""Tables of structures: ``[model]`` with ``kind = "shear_frame"``, ``"truss"``, ``"frame"`` or ``"rod"``."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Discriminator, Field, Tag, model_validator

from hamex.checks import is_finite
from hamex.errors import ImplausibleWarning, ModelError, warn
from hamex.model.record import Model
from hamex.model.shear_frame import shear_frame
from hamex.model.units import Units
from hamex.spec.base import Numbers, Table, inside
from hamex.spec.derived import DampingTable, LawTable, LinkTable, ProportionalTable, damping, law, link_list

if TYPE_CHECKING:
    from hamex.model.frame import Member
    from hamex.model.truss import Bar

_APART = 0.25  # of the gravity above a storey, by which the compression of its columns may differ from it


class ShearFrameTable(Table):
    """``[model]`` with ``kind = "shear_frame"``: floors from the ground up on storeys that shear."""

    kind: Literal["shear_frame"]
    masses: list[float] = Field(description="masses of the floors from the ground up [force·s²/length]")
    stiffnesses: Numbers | None = None
    damping: DampingTable | None = None
    law: LawTable | None = Field(None, description="of all storeys; or laws, one each")
    laws: list[LawTable] | None = None
    heights: Numbers | None = None
    weights: Numbers | None = None
    names: list[str] | None = None
    links: list[LinkTable] = Field(default_factory=list)

    @model_validator(mode="after")
    def _choices(self) -> ShearFrameTable:
        self.one_of("law", "laws", needed=False)
        return self

    def build(self, units: Units, gravity: float, folder: Path | None = None) -> Model:
        laws = (
            law(self.law, "law")
            if self.laws is None
            else [law(each, f"laws[{place}]") for place, each in enumerate(self.laws)]
        )
        viscous = damping(self.damping)
        if is_finite(viscous) and viscous != 0:
            viscous = [viscous] * len(self.masses)
            said = f"[{', '.join(f'{c:g}' for c in viscous)}]"
            warn(
                f'damping with kind = "coefficients": one number counts for each storey [{units.force}·s/'
                f'{units.length}]; write storeys = {said}, or for ratios of critical kind = "ratio"',
                ImplausibleWarning,
            )
        return shear_frame(
            self.masses,
            self.stiffnesses,
            viscous,
            laws=laws,
            links=link_list(self.links),
            units=units,
            **self.given("heights", "weights", "names"),
        )


Levels = Annotated[
    Annotated[float, Tag("·one")]
    | Annotated[list[list[str]], Tag("·list")]
    | Annotated[dict[str, list[str]], Tag("·table")],
    Discriminator(
        lambda value: "·list" if isinstance(value, list) else "·table" if isinstance(value, dict) else "·one"
    ),
]
Tie = Annotated[
    Annotated[str, Tag("·one")] | Annotated[dict[str, float], Tag("·table")],
    Discriminator(lambda value: "·table" if isinstance(value, dict) else "·one"),
]
Held = Annotated[
    Annotated[str, Tag("·one")] | Annotated[list[str], Tag("·list")],
    Discriminator(lambda value: "·list" if isinstance(value, list) else "·one"),
]


class RodTable(Table):
    """``[model]`` with ``kind = "rod"``: a rod from x = 0 to x = length in equal elements."""

    kind: Literal["rod"]
    length: float
    elements: int
    modulus: Numbers
    density: Numbers
    area: Numbers | None = None
    law: LawTable | None = Field(None, description="of one element, for all; or laws, one each")
    laws: list[LawTable] | None = Field(None, description="of the elements, from x = 0 on, as layers of soil have them")
    fixed: Literal["start", "end", "both", "none"] | None = None
    absorbing: Literal["start", "end", "both", "none"] | None = None
    mass: Literal["consistent", "lumped"] | None = None
    damping: DampingTable | None = None
    links: list[LinkTable] = Field(default_factory=list)

    @model_validator(mode="after")
    def _choices(self) -> RodTable:
        self.one_of("law", "laws", needed=False)
        return self

    def build(self, units: Units, gravity: float, folder: Path | None = None) -> Model:
        from hamex.model.rod import rod

        return rod(
            self.length,
            self.elements,
            self.modulus,
            self.density,
            law=law(self.law, "law")
            if self.laws is None
            else [law(each, f"laws[{place}]") for place, each in enumerate(self.laws)],
            damping=damping(self.damping),
            links=link_list(self.links),
            units=units,
            **self.given("area", "fixed", "absorbing", "mass"),
        )


class SkeletonTable(Table):
    """Keys that trusses and frames share."""

    nodes: dict[str, list[float]] = Field(description="coordinates by node, as in [model.nodes] A = [0, 0]")
    supports: dict[str, Held] = Field(description='what cannot move, as in [model.supports] A = "pinned"')
    masses: dict[str, Numbers] = Field(description="masses by node, as in [model.masses] B = 2.0")
    damping: ProportionalTable | None = None
    constraints: dict[str, Tie] | None = None
    diaphragms: dict[str, list[str]] | None = None
    links: list[LinkTable] = Field(default_factory=list)
    levels: Levels | None = None

    def shared(self, units: Units) -> dict[str, Any]:
        """Arguments that both builders take."""
        return {
            "damping": damping(self.damping),
            "links": link_list(self.links),
            "units": units,
            **self.given("constraints", "diaphragms", "levels"),
        }


class BarTable(Table):
    """``[[model.bars]]``."""

    start: str = Field(description="node where it starts")
    end: str = Field(description="node where it ends")
    name: str | None = Field(None, description="of the bar, in results")
    rigidity: float | None = None
    stiffness: float | None = None
    law: LawTable | None = None

    def build(self, place: str) -> Bar:
        from hamex.model.truss import Bar

        with inside(place, self):
            return Bar(self.start, self.end, law=law(self.law, "law"), **self.given("rigidity", "stiffness"))


class TrussTable(SkeletonTable):
    """``[model]`` with ``kind = "truss"``."""

    kind: Literal["truss"]
    bars: list[BarTable] = Field(description="bars, each with start and end")
    rigidity: float | None = None
    law: LawTable | None = None

    def build(self, units: Units, gravity: float, folder: Path | None = None) -> Model:
        from hamex.model.truss import truss

        bars = _by_name(self.bars, "bars")
        return truss(
            self.nodes,  # type: ignore[arg-type]
            bars,
            self.supports,  # type: ignore[arg-type]
            self.masses,  # type: ignore[arg-type]
            law=law(self.law, "law"),
            **self.given("rigidity"),
            **self.shared(units),
        )


Hinges = Annotated[
    Annotated[LawTable, Tag("·table")] | Annotated[list[LawTable], Tag("·list")],
    Discriminator(lambda value: "·list" if isinstance(value, list) else "·table"),
]


class SectionTable(Table):
    """``[model.sections.NAME]``: what members have in common; a member may say it otherwise."""

    modulus: float | None = None
    area: float | None = None
    inertia: float | None = None
    inertia_y: float | None = None
    shear_modulus: float | None = None
    torsion: float | None = None
    shear_area: float | None = None
    shear_area_y: float | None = None
    hinges: Hinges | None = None
    hinge_stiffness: Numbers | None = None
    axial: LawTable | None = None
    compression: float | None = None
    release: str | None = None
    up: list[float] | None = None

    def values(self, place: str) -> dict[str, Any]:
        """Arguments of a Member that stand in this table."""
        found = self.given(*(name for name in SectionTable.model_fields if name not in ("hinges", "axial")))
        if self.axial is not None:
            found["axial"] = law(self.axial, f"{place}.axial")
        if isinstance(self.hinges, list):
            found["hinges"] = tuple(law(each, f"{place}.hinges[{end}]") for end, each in enumerate(self.hinges))
        elif self.hinges is not None:
            found["hinges"] = law(self.hinges, f"{place}.hinges")
        if isinstance(self.hinge_stiffness, list):
            found["hinge_stiffness"] = tuple(self.hinge_stiffness)
        return found


class MemberTable(SectionTable):
    """``[[model.members]]``."""

    start: str = Field(description="node where it starts")
    end: str = Field(description="node where it ends")
    name: str | None = Field(None, description="of the member, in results")
    section: str | None = Field(None, description="name of a table in [model.sections], whose keys it takes over")

    def build(self, place: str, sections: dict[str, dict[str, Any]]) -> Member:
        if self.section is not None and self.section not in sections:
            known = f"sections are {', '.join(sections)}" if sections else "there are no [model.sections]"
            raise ModelError(f"frame: {place}.section: there is no {self.section!r}; {known}")
        values = (sections[self.section] if self.section is not None else {}) | self.values(place)
        missing = [name for name in ("modulus", "area", "inertia") if name not in values]
        if missing:
            raise ModelError(f"frame: {place} has no {missing[0]}; give it, or a section that has it")
        from hamex.model.frame import Member

        return Member(self.start, self.end, **values)


class FrameTable(SkeletonTable):
    """``[model]`` with ``kind = "frame"``."""

    kind: Literal["frame"]
    members: list[MemberTable] = Field(description="members, each with start, end and a section")
    sections: dict[str, SectionTable] = Field(
        default_factory=dict, description="properties that members share, by name"
    )

    def build(self, units: Units, gravity: float, folder: Path | None = None) -> Model:
        from hamex.model.frame import frame

        sections = {name: table.values(f"sections.{name}") for name, table in self.sections.items()}
        members = _by_name(self.members, "members", sections)
        return frame(self.nodes, members, self.supports, self.masses, **self.shared(units))  # type: ignore[arg-type]

    def warn_of_gravity(self, model: Model, standing: NDArray[Any]) -> None:
        """Warn where the compression of the columns, which P-Delta knows, is not what ``[gravity]`` puts on them."""
        up = {node: place[-1] for node, place in self.nodes.items()}
        vertical = {
            dof: force
            for dof, force in zip(model.dofs, standing, strict=True)
            if force != 0 and dof.endswith(f".{model.directions[-1]}")
        }
        compression = [(each, self._compression(each)) for each in self.members]
        pressed = [force for _, force in compression if force != 0]
        if model.storeys is None:
            return
        if sum(vertical.values()) > 0:
            _implausible("the forces of [gravity] point upwards in sum; downwards is negative")
        if not pressed or max(pressed) < 0:  # no P-Delta, or what the frame has told itself
            return
        count = len(model.storeys.names) // model.horizontal
        heights = model.storeys.heights[:count]
        tops = min((up[node] for node in self.supports), default=min(up.values())) + np.cumsum(heights)
        apart = []
        for storey, (top, height) in enumerate(zip(tops, heights, strict=True), 1):
            cut = top - height / 2
            above = -sum(force for dof, force in vertical.items() if up[dof.rpartition(".")[0]] > cut)
            carried = sum(
                force * abs(up[each.end] - up[each.start]) / math.dist(self.nodes[each.start], self.nodes[each.end])
                for each, force in compression
                if (up[each.start] > cut) != (up[each.end] > cut)
            )
            if height > 0 and above > 0 and abs(carried - above) > _APART * above:
                apart.append((storey, carried, above))
        if apart:
            storey, carried, above = apart[0]
            others = ", ".join(str(each[0]) for each in apart[1:])
            more = f" (and so in storey{'s' if len(apart) > 2 else ''} {others})" if others else ""
            _implausible(
                f"the columns of storey {storey} have {_force(carried, model.units)} of compression, the gravity above "
                f"them is {_force(above, model.units)}{more}; P-Delta is that of the former: make compression fit "
                "[gravity]"
            )

    def _compression(self, member: MemberTable) -> float:
        own = member.compression
        shared = self.sections[member.section].compression if member.section in self.sections else None
        return own if own is not None else shared or 0.0


def _force(value: float, units: Units) -> str:
    return f"{value:,.0f} {units.force}" if abs(value) >= 1000 else f"{value:.4g} {units.force}"


def _implausible(said: str) -> None:
    warnings.warn(f"frame: {said}", ImplausibleWarning, stacklevel=5)


def _by_name(tables: list[Any], what: str, *context: Any) -> dict[str, Any]:
    """Bars or members by their names, or "A-B" after their nodes."""
    found: dict[str, Any] = {}
    for number, table in enumerate(tables):
        place = f"{what}[{number}]"
        name = table.name or f"{table.start}-{table.end}"
        if name in found:
            raise ModelError(f"model: {place}: another of the {what} is named {name!r}; give it a name of its own")
        found[name] = table.build(place, *context)
    return found
