"""Tables of bodies: ``[model]`` with ``kind = "solid"``, its mesh and its materials."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from numpy.typing import NDArray
from pydantic import Discriminator, Field, Tag, model_validator

from hamex.errors import ModelError
from hamex.model.laws.law import find, known
from hamex.model.laws.stress import StressLaw
from hamex.model.record import Model
from hamex.model.solids import meshes
from hamex.model.solids.material import Material
from hamex.model.solids.solid import solid
from hamex.model.units import Units
from hamex.spec.base import Numbers, Table, inside
from hamex.spec.derived import ProportionalTable, TableByKind, damping, law, table_of

Array = NDArray[Any]
_GENERATORS = {
    each.__name__: each
    for each in (meshes.rectangle, meshes.box, meshes.ring, meshes.half_space, meshes.plate_with_hole)
}
REST = "rest"  # name of the region of cells that are in no other
_FILLED_IN = ("components", "volume")  # of a law of stresses, by the body
Ways = Annotated[
    Annotated[str, Tag("·one")] | Annotated[list[str], Tag("·list")] | Annotated[dict[str, str], Tag("·table")],
    Discriminator(lambda value: {dict: "·table", list: "·list"}.get(type(value), "·one")),
]

Names = Annotated[
    Annotated[str, Tag("·one")] | Annotated[list[str], Tag("·list")],
    Discriminator(lambda value: "·list" if isinstance(value, list) else "·one"),
]


class FileMeshTable(Table):
    """``[model.mesh]`` with ``kind = "file"``: a mesh that meshio reads (Gmsh, VTU, Abaqus, Nastran, MED …); physical
    groups of Gmsh are boundaries and regions."""

    kind: Literal["file"]
    file: str = Field(description="mesh file, sought from the folder of this file; its ending tells the format")

    def build(self, folder: Path | None = None) -> Any:
        if folder is None:
            raise ModelError("file is read from problem files only; take one of the other kinds of meshes")
        return meshes.read(folder / self.file)


class MeshTable(TableByKind):
    """``[model.mesh]``: a simple shape, or a file."""

    @classmethod
    def kinds(cls) -> Iterable[str]:
        """One for each generator of :mod:`hamex.meshes`, and that of files."""
        return (*_GENERATORS, "file")

    @classmethod
    def table(cls, kind: str) -> type[Table] | None:
        """The table of a generator, or of files."""
        if kind == "file":
            return FileMeshTable
        return table_of(_GENERATORS[kind], kind) if kind in _GENERATORS else None


class StressLawTable(TableByKind):
    """``law`` of a material: how it yields."""

    @classmethod
    def kinds(cls) -> Iterable[str]:
        """Every law; those of springs have no table here."""
        return known()

    @classmethod
    def table(cls, kind: str) -> type[Table] | None:
        """The table of a law of stresses."""
        law = find(kind)
        return None if law is None or not issubclass(law, StressLaw) else table_of(law, kind, without=_FILLED_IN)


class RangesTable(Table):
    """``[model.boundaries.NAME]``: outer sides of cells by where their middles are; a number, or from and to."""

    x: Numbers | None = Field(None, description="coordinate, or from and to [length]")
    y: Numbers | None = Field(None, description="coordinate, or from and to [length]")
    z: Numbers | None = Field(None, description="coordinate, or from and to [length]")

    def ranges(self) -> dict[str, Any]:
        """As :func:`hamex.meshes.named` takes them."""
        return self.given("x", "y", "z")


class MaterialTable(Table):
    """``[model.material]``: what the body is made of, or what of it has no other material."""

    density: float = Field(description="mass per volume [force·time²/length⁴]")
    modulus: float | None = Field(None, description="Young's modulus [force/length²]")
    poisson: float | None = Field(None, description="Poisson's ratio, between −1 and 0.5 [1]")
    shear_speed: float | None = Field(None, description="of shear waves [length/time], instead of modulus and poisson")
    pressure_speed: float | None = Field(None, description="of pressure waves [length/time], beside shear_speed")
    elasticity: list[list[float]] | None = Field(
        None, description="stresses over strains, 6 × 6 in the order xx, yy, zz, xy, yz, zx [force/length²]"
    )
    law: StressLawTable | None = None

    @model_validator(mode="after")
    def _choices(self) -> MaterialTable:
        if (self.shear_speed is None) != (self.pressure_speed is None):
            raise ValueError("give shear_speed and pressure_speed together, or modulus and poisson")
        self.one_of("modulus", "shear_speed", "elasticity")
        if (self.modulus is None) != (self.poisson is None):
            raise ValueError("give modulus and poisson together; speeds and elasticity tell both by themselves")
        return self

    def build(self) -> Material:
        flow = law(self.law, "law")
        if self.shear_speed is not None and self.pressure_speed is not None:
            return Material.of_waves(self.density, self.shear_speed, self.pressure_speed, flow)
        return Material(law=flow, **self.given("density", "modulus", "poisson", "elasticity"))


class RegionTable(MaterialTable, RangesTable):
    """``[model.materials.NAME]``: material of a region: one of the mesh file by its name, or cells whose middles lie in
    ranges of coordinates."""


class PinTable(Table):
    """``[[model.fixed_points]]``: a node that is held by itself."""

    at: list[float] = Field(description="where it is [length]")
    directions: str = Field(description='in which it does not move, as in directions = "xy"')


class SolidTable(Table):
    """``[model]`` with ``kind = "solid"``: a body in the plane, around an axis, or in space."""

    kind: Literal["solid"]
    mesh: MeshTable
    material: MaterialTable | None = None
    materials: dict[str, RegionTable] | None = Field(None, description="materials of regions, by name")
    boundaries: dict[str, RangesTable] | None = Field(None, description="further boundaries by name, of ranges")
    fixed: Ways | None = None
    fixed_points: list[PinTable] = Field(default_factory=list, description="single nodes that are held")
    moving: Ways | None = Field(
        None, description='boundaries whose displacement [[support]] gives, each direction as one support: "left.x"'
    )
    absorbing: Names | None = None
    plane: Literal["strain", "stress", "axisymmetric"] | None = None
    thickness: float | None = None
    degree: Literal[1, 2] | None = None
    mass: Literal["consistent", "lumped"] | None = None
    mean_dilatation: bool | None = None
    damping: ProportionalTable | None = None

    @model_validator(mode="after")
    def _choices(self) -> SolidTable:
        if self.material is None and not self.materials:
            raise ValueError("give [model.material], or [model.materials.NAME] for each region")
        if self.material is not None and REST in (self.materials or {}):
            raise ValueError(f"[model.material] is that of the rest; call [model.materials.{REST}] otherwise")
        return self

    def build(self, units: Units, gravity: float, folder: Path | None = None) -> Model:
        table: Any = self.mesh
        with inside("mesh", table):
            built = table.build(folder) if isinstance(table, FileMeshTable) else table.build()
        mesh = self._named(built)
        return solid(
            mesh, self._materials(mesh), damping=damping(self.damping), units=units, **self.conditions(), **self.form()
        )

    def names(self) -> dict[str, Any]:
        """Regions and boundaries by ranges, as :func:`hamex.meshes.named` takes them."""
        regions = {name: table.ranges() for name, table in (self.materials or {}).items() if table.ranges()}
        sides = {name: table.ranges() for name, table in (self.boundaries or {}).items()}
        rest = REST if self.material is not None and self.materials else None
        return {key: found for key, found in (("regions", regions), ("boundaries", sides), ("rest", rest)) if found}

    def _named(self, mesh: Any) -> Any:
        """The mesh with the names that the file gives."""
        for name, table in (self.boundaries or {}).items():
            if not table.ranges():
                raise ModelError(f"boundaries.{name} needs one of x, y and z, as in x = 0.0 or y = [0.0, 1.0]")
        for name, region in (self.materials or {}).items():
            if not region.ranges() and name not in (mesh.subdomains or {}):
                there = ", ".join(mesh.subdomains or {}) or "none"
                raise ModelError(
                    f"materials.{name} has no region of that name in the mesh (it has {there}); give ranges, as in "
                    "y = [0.0, 1.0]"
                )
        return meshes.named(mesh, **self.names()) if self.names() else mesh

    def _materials(self, mesh: Any) -> Material | dict[str, Material]:
        """One for all, or by region; what has no other is of :attr:`material`."""
        rest = None
        if self.material is not None:
            with inside("material", self.material):
                rest = self.material.build()
        found: dict[str, Material] = {}
        for name, table in (self.materials or {}).items():
            with inside(f"materials.{name}", table):
                found[name] = table.build()
        if rest is None:
            return found
        return found | {name: rest for name in mesh.subdomains if name not in found} if found else rest

    def conditions(self) -> dict[str, Any]:
        """What is held, moves or absorbs, as :func:`hamex.solid` takes it."""
        found = self.given("fixed", "moving", "absorbing")
        if self.fixed_points:
            held = found.get("fixed", {})
            names = [held] if isinstance(held, str) else held
            held = held if isinstance(held, dict) else dict.fromkeys(names, "xyz")
            found["fixed"] = held | {tuple(pin.at): pin.directions for pin in self.fixed_points}
        return found

    def form(self) -> dict[str, Any]:
        """What kind of body and of elements it is."""
        return self.given("plane", "thickness", "degree", "mass", "mean_dilatation")
