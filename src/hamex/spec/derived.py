"""Tables that are read off what they build: a law, a scheme or a mesh is its own row in problem files; and the tables
of springs' laws, damping and links.

Fields, defaults and types come from the dataclass or the function, meanings from its docstring. Which kinds there are
is asked when a file is read, so that what was registered meanwhile is among them.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import signature
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import (
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Tag,
    create_model,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from hamex.errors import HamexError, InputError
from hamex.model.damping import modal, ratio, rayleigh
from hamex.model.laws.law import Law, find, known
from hamex.names import meanings_of
from hamex.spec.base import Numbers, Table, inside

if TYPE_CHECKING:
    from hamex.model.assembly import SpringLaw
    from hamex.model.links import Link

_PLAIN = (float, int, bool, str)


class TableByKind(Table):
    """A table whose class is chosen by its kind, among those known at that moment.

    Attributes
    ----------
    usual : the kind that may be left out; None where it must be said.
    """

    usual: ClassVar[str | None] = None
    kind: str

    @classmethod
    def kinds(cls) -> Iterable[str]:
        """Every kind."""
        raise NotImplementedError

    @classmethod
    def table(cls, kind: str) -> type[Table] | None:
        """The class of a kind, None where there is none: a file needs few, and what they build is loaded for them."""
        raise NotImplementedError

    @classmethod
    def tables(cls) -> dict[str, type[Table]]:
        """The classes by kind."""
        return {kind: table for kind in cls.kinds() if (table := cls.table(kind)) is not None}

    def build(self) -> Any:
        """What the table describes."""
        raise NotImplementedError

    @classmethod
    def _chosen(cls, value: Any) -> Table:
        if isinstance(value, Table) and isinstance(value, tuple(cls.tables().values())):
            return value
        kind = value.get("kind", cls.usual) if isinstance(value, dict) else cls.usual
        if kind is None and isinstance(value, dict):
            raise PydanticKnownError("union_tag_not_found", {"discriminator": "'kind'"})
        if not isinstance(value, dict):
            raise PydanticKnownError("model_type", {"class_name": cls.__name__})
        table = cls.table(kind) if isinstance(kind, str) else None
        if table is None:
            raise PydanticKnownError(
                "union_tag_invalid",
                {"discriminator": "'kind'", "tag": str(kind), "expected_tags": ", ".join(map(repr, cls.tables()))},
            )
        return table.model_validate(value)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(cls._chosen)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        tables = list(dict.fromkeys(cls.tables().values()))
        for table in tables:
            table.model_rebuild()  # their own building was put off
        return {"oneOf": [handler(table.__pydantic_core_schema__) for table in tables]}


class DerivedTable(Table):
    """A table that was read off a class or a function."""

    made: ClassVar[Any]
    kind: str

    def build(self) -> Any:
        """An object of the class, or what the function returns, from the keys that stand in the file."""
        keys = {name: _built(value, name) for name, value in self.arguments().items()}
        try:
            return self.made(**keys)
        except HamexError:
            raise
        except (TypeError, ValueError) as problem:  # a class of a user need not know our errors
            raise InputError(f"{self.made.__name__}: {problem}") from None


Made = type | Callable[..., Any]
_found: dict[tuple[Made, str, bool, tuple[str, ...]], type[DerivedTable]] = {}


def table_of(made: Made, kind: str, usual: bool = False, without: tuple[str, ...] = ()) -> type[DerivedTable]:
    """The table of a dataclass or a function; ``usual``: its kind may be left out; ``without``: what no file says."""
    which = (made, kind, usual, without)
    if which not in _found:
        _found[which] = _derived(made, kind, usual, without)
    return _found[which]


def _derived(made: Any, kind: str, usual: bool, without: tuple[str, ...]) -> type[DerivedTable]:
    meanings = meanings_of(made)
    keys: dict[str, Any] = {"kind": (Literal[kind], kind if usual else ...)}
    try:
        hints = get_type_hints(made)
    except (NameError, TypeError):  # names that only its own module knows: its constructor judges alone
        hints = {}
    for name, needed in _parameters(made):
        if name not in without:
            type_, meaning = _key(hints.get(name, Any)), meanings.get(name)
            keys[name] = (
                (type_, Field(description=meaning))
                if needed
                else (type_ | None if type_ is not Any else Any, Field(None, description=meaning))
            )
    said = inspect.cleandoc(made.__doc__ or made.__name__).partition("\n\n")[0]
    table = create_model(
        f"{made.__name__}Table",
        __base__=DerivedTable,
        __module__=__name__,
        __doc__=f'``kind = "{kind}"``: {said}',
        **keys,
    )
    table.made = made if isinstance(made, type) else staticmethod(made)
    return table


def _parameters(made: Any) -> Iterator[tuple[str, bool]]:
    """Names of the parameters, and whether each is needed."""
    if dataclasses.is_dataclass(made):
        for field in dataclasses.fields(made):
            if field.init:
                yield field.name, field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        return
    for parameter in inspect.signature(made).parameters.values():
        yield parameter.name, parameter.default is parameter.empty


def _key(hint: Any) -> Any:
    """What a file may hold for a parameter of this type; Any where its constructor must judge alone."""
    if hint in _PLAIN or get_origin(hint) is Literal:
        return hint
    if hint is Law:
        return PartTable
    if isinstance(get_origin(hint), type) and issubclass(get_origin(hint), Sequence):
        return list[_key(get_args(hint)[0])]  # type: ignore[misc]
    if get_origin(hint) in (UnionType, Union):
        kinds = [_key(part) for part in get_args(hint) if part is not NoneType]
        if len(kinds) == 1:
            return kinds[0]
        if set(map(str, kinds)) == {str(float), str(list[float])}:
            return Numbers
    return Any


def _built(value: Any, place: str) -> Any:
    """Lists of a file as the tuples that frozen objects hold, tables in it as what they describe."""
    if isinstance(value, list):
        return tuple(_built(entry, f"{place}[{i}]") for i, entry in enumerate(value))
    return law(value, place) if isinstance(value, Table) else value


class BackboneTable(Table):
    """A law with ``kind = "backbone"``: points of a multilinear curve."""

    kind: Literal["backbone"]
    points: list[list[float]] = Field(description="points [deformation, force] of the curve")
    final_slope: float | None = None
    viscosity: float | None = None

    def build(self) -> SpringLaw:
        from hamex.model.backbone import backbone

        return backbone(
            [tuple(point) for point in self.points],  # type: ignore[misc]
            **self.given("final_slope", "viscosity"),
        )


class LawTable(TableByKind):
    """A law of any kind that is known when the file is read; ``kind = "slider"`` may be left out."""

    usual = "slider"

    @classmethod
    def kinds(cls) -> Iterable[str]:
        """Every law of springs, and the backbone, which is several side by side."""
        return (*known(), "backbone")

    @classmethod
    def table(cls, kind: str) -> type[Table] | None:
        """The table of a law of springs."""
        if kind == "backbone":
            return BackboneTable
        from hamex.model.laws.stress import StressLaw

        law = find(kind)
        return None if law is None or issubclass(law, StressLaw) else table_of(law, kind, kind == cls.usual)


class PartTable(LawTable):
    """A law inside a law: any of them again, so that a schema names it and does not go on for ever."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "object", "description": "a law, told by its kind"}


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
        from hamex.model import links

        taken = signature(getattr(links, self.kind)).parameters
        needs = [name for name, key in taken.items() if key.default is key.empty and name not in ("start", "end")]
        known = {"kind", *taken}
        for name in needs:
            if name not in self.model_fields_set:
                raise ValueError(f"{name} is missing; {self.kind} needs {', '.join(needs)}")
        for name in self.model_fields_set - known:
            raise ValueError(f"{self.kind} has no {name}; it knows {', '.join(sorted(known))}")
        return self

    def build(self) -> Link:
        from hamex.model import links

        values = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self.arguments("start", "end").items()
        }
        if self.law is not None:
            values["law"] = law(self.law, "law")
        return getattr(links, self.kind)(self.start, self.end, **values)


def link_list(tables: list[LinkTable]) -> list[Link]:
    """The links of a model, each error with its place."""
    found = []
    for place, table in enumerate(tables):
        with inside(f"links[{place}]", table):
            found.append(table.build())
    return found
