"""Everything that a user can name, one line each: python tests/shared/manifest.py writes ``tests/manifest.txt``.

Public names with their parameters and defaults, public attributes, results, measures, laws, schemes, commands and
options, fields of problem files and study files, requests of the studio, errors. A line that is gone breaks somebody's
script; a new one is a promise. ``tests/test_manifest.py`` compares.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import hamex as hx

FILE = Path(__file__).parents[1] / "manifest.txt"
KINDS = {
    inspect.Parameter.KEYWORD_ONLY: "*",
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def parameters(name: str, function: Any) -> Iterator[str]:
    """Parameters by place or, of keywords, behind a star, with defaults."""
    for place, one in enumerate(inspect.signature(function).parameters.values()):
        default = "" if one.default is one.empty else f" = {re.sub(' at 0x[0-9a-f]+', '', repr(one.default))[:60]}"
        yield f"{name}({KINDS.get(one.kind, place)} {one.name}{default})"


def public(name: str, thing: Any) -> Iterator[str]:
    """A public name: its parameters, and of a class its attributes and methods."""
    if isinstance(thing, FunctionType):
        yield f"{name}()"
        yield from parameters(name, thing)
    elif isinstance(thing, type):
        yield f"class {name}"
        if thing.__init__ is not object.__init__:
            yield from parameters(name, thing)
        for part in dir(thing):
            if not part.startswith("_"):
                value = inspect.getattr_static(thing, part)
                inner = getattr(value, "__func__", value)
                yield f"{name}.{part}"
                if isinstance(inner, FunctionType):
                    yield from parameters(f"{name}.{part}", inner)
        if dataclasses.is_dataclass(thing):
            yield from (f"{name}.{one.name}" for one in dataclasses.fields(thing) if one.name[0] != "_")
        if issubclass(thing, enum.Enum):
            yield from (f"{name}.{one.name} = {one.value}" for one in thing)
    else:
        yield f"{name}: {type(thing).__name__}"


def names() -> Iterator[str]:
    """The front door and its namespaces."""
    for name in hx.__all__:
        yield from public(f"hx.{name}", getattr(hx, name))
    for space in (name for name in dir(hx) if isinstance(getattr(hx, name), ModuleType)):
        for name in dir(getattr(hx, space)):
            yield from public(f"hx.{space}.{name}", getattr(getattr(hx, space), name))


def vocabulary() -> Iterator[str]:
    """Results of solutions, measures, laws, schemes, errors."""
    from hamex import errors, schemes
    from hamex.model import laws
    from hamex.solution import outline
    from hamex.solution.batch import MEASURES

    yield from (f"result {name} {' '.join(one.dims)}: {one.kind}" for name, one in outline.VARIABLES.items())
    yield from (f"measure {name}" for name in MEASURES)
    yield from (f"law {name}" for name, law in laws.known().items() if law.__module__.startswith("hamex."))
    yield from (f"scheme {name}" for name in schemes.known())
    for name, one in vars(errors).items():
        if isinstance(one, type) and issubclass(one, Exception | Warning):
            yield f"error {name} < {', '.join(base.__name__ for base in one.__mro__[1:-1])}"


def commands() -> Iterator[str]:
    """Commands with their arguments and options."""
    import typer

    from hamex.cli import app

    def below(command: Any, words: str) -> Iterator[str]:
        for parameter in command.params:
            default = "" if callable(parameter.default) or parameter.default is None else f" = {parameter.default}"
            yield f"{words} {'|'.join([*parameter.opts, *parameter.secondary_opts])}{default}"
        for name, inner in getattr(command, "commands", {}).items():
            yield f"{words} {name}"
            yield from below(inner, f"{words} {name}")

    yield from below(typer.main.get_command(app), "hamex")


def fields(schema: dict[str, Any], title: str) -> Iterator[str]:
    """Fields of a JSON schema, table by table."""
    for table, part in {title: schema, **schema.get("$defs", schema.get("schemas", {}))}.items():
        for name, one in part.get("properties", {}).items():
            choices = one.get("enum", [one["const"]] if "const" in one else [])
            default = f" = {one['default']}" if one.get("default") is not None else ""
            required = " (required)" if name in part.get("required", []) else ""
            yield f"field {title} [{table}] {name}{default}{required}"
            yield from (f"field {title} [{table}] {name} = {choice!r}?" for choice in choices)


def files() -> Iterator[str]:
    """Fields of problem files, study files and requests of the studio."""
    from hamex.spec.study import StudyTables
    from hamex.spec.tables import tables_for
    from hamex.studio.app import create_app

    for kind in ("oscillator", "shear_frame", "truss", "frame", "rod", "solid"):
        yield from fields(tables_for(kind).model_json_schema(), f"{kind} file")
    yield from fields(StudyTables.model_json_schema(), "study file")
    api = create_app().openapi()
    yield from (f"request {method} {path}" for path, methods in api["paths"].items() for method in methods)
    yield from fields(api["components"], "request")


def manifest() -> list[str]:
    """Every line, in order."""
    return sorted({" ".join(line.split()) for part in (names, vocabulary, commands, files) for line in part()})


if __name__ == "__main__":
    FILE.write_text("\n".join(manifest()) + "\n", encoding="utf-8")
