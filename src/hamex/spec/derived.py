"""Tables that are read off what they build: a law, a scheme or a mesh is its own row in problem files.

Fields, defaults and types come from the dataclass or the function, meanings from its docstring. Which kinds there are
is asked when a file is read, so that what was registered meanwhile is among them.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, create_model
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from hamex.errors import HamexError, InputError
from hamex.spec.base import Numbers, Table

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
    def tables(cls) -> dict[str, type[Table]]:
        """The classes by kind."""
        raise NotImplementedError

    def build(self) -> Any:
        """What the table describes."""
        raise NotImplementedError

    @classmethod
    def _chosen(cls, value: Any) -> Table:
        tables = cls.tables()
        if isinstance(value, tuple(tables.values())):
            return value  # type: ignore[return-value]
        kind = value.get("kind", cls.usual) if isinstance(value, dict) else cls.usual
        if kind is None and isinstance(value, dict):
            raise PydanticKnownError("union_tag_not_found", {"discriminator": "'kind'"})
        if not isinstance(value, dict):
            raise PydanticKnownError("model_type", {"class_name": cls.__name__})
        if not isinstance(kind, str) or kind not in tables:
            raise PydanticKnownError(
                "union_tag_invalid",
                {"discriminator": "'kind'", "tag": str(kind), "expected_tags": ", ".join(map(repr, tables))},
            )
        return tables[kind].model_validate(value)

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
        try:
            return self.made(**{name: _frozen(value) for name, value in self.arguments().items()})
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
    hints = _hints(made)
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


def meanings_of(made: Made) -> dict[str, str]:
    """Words for the parameters, from the docstring of a function, or of a class and its bases.

    >>> from hamex.model.laws.power import PowerLaw
    >>> meanings_of(PowerLaw)["exponent"]
    'of the velocity, α > 0 [1]'
    """
    found: dict[str, str] = {}
    for base in reversed(made.__mro__[:-1]) if isinstance(made, type) else (made,):
        section = re.search(
            r"^(?:Parameters|Attributes)\n-+\n(.*?)(?:\n\n|\Z)",
            inspect.cleandoc(base.__doc__ or ""),
            re.DOTALL | re.MULTILINE,
        )
        entries = re.findall(r"^(\w[\w, ]*?) : (.*(?:\n +.*)*)", section[1], re.MULTILINE) if section else ()
        for names, words in entries:
            said = " ".join(words.split()).removesuffix(".")
            found |= dict.fromkeys(names.split(", "), said)
    return found


def _hints(made: Made) -> dict[str, Any]:
    try:
        return get_type_hints(made)
    except (NameError, TypeError):  # names that only its own module knows: its constructor judges alone
        return {}


def _key(hint: Any) -> Any:
    """What a file may hold for a parameter of this type; Any where its constructor must judge alone."""
    if hint in _PLAIN or get_origin(hint) is Literal:
        return hint
    if isinstance(get_origin(hint), type) and issubclass(get_origin(hint), Sequence):
        return list[_key(get_args(hint)[0])]  # type: ignore[misc]
    if get_origin(hint) in (UnionType, Union):
        kinds = [_key(part) for part in get_args(hint) if part is not NoneType]
        if len(kinds) == 1:
            return kinds[0]
        if set(map(str, kinds)) == {str(float), str(list[float])}:
            return Numbers
    return Any


def _frozen(value: Any) -> Any:
    """Lists of a file as the tuples that frozen objects hold."""
    return tuple(_frozen(entry) for entry in value) if isinstance(value, list) else value
