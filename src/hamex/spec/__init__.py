"""One validated file format for problems: TOML in, a Problem and a Scheme out.

The tables stand in ``hamex.spec.tables``; only this package knows pydantic.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from hamex.discretise.schemes import Scheme
from hamex.errors import FileError, HamexError, SpecError
from hamex.model.record import Model
from hamex.motion.load import Load
from hamex.solve import Problem, State
from hamex.spec.messages import explain
from hamex.spec.tables import LoadTable, ProblemTables, Table

__all__ = ["ProblemFile", "read_problem"]


@dataclass(frozen=True, eq=False)
class ProblemFile:
    """What a problem file says, ready for :func:`hamex.solve`.

    Attributes
    ----------
    problem : model, load, start and duration.
    scheme : how to march it.
    title : the file's title, or its name.
    load_text : what shakes it, in words.
    """

    problem: Problem
    scheme: Scheme
    title: str
    load_text: str


def read_problem(path: str | os.PathLike[str]) -> ProblemFile:
    """Read and check a problem file; record files are found from the folder of the problem file.

    Examples
    --------
    >>> import tempfile
    >>> text = '''
    ... title = "Free vibration"
    ... duration = 2.0
    ... units = {length = "m", force = "kN"}
    ... model = {kind = "oscillator", mass = 1.0, period = 0.5}
    ... load = {kind = "none"}
    ... start = {displacement = 0.01}
    ... scheme = {kind = "galerkin", step = 0.01}
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "free.toml")
    ...     _ = path.write_text(text)
    ...     file = read_problem(path)
    >>> file.scheme
    Galerkin(step=0.01, degree=1, load='average')
    >>> file.problem.model.units.gravity
    9.80665
    """
    path = Path(path)
    tables = _tables(path)
    with _named(path, "units", tables.units):
        units = tables.units.build()
    with _named(path, "model", tables.model):
        model = tables.model.build(units)
    load, text = _load(path, tables, model, tables.units.gravity or units.gravity)
    start = State()
    if tables.start is not None:
        with _named(path, "start", tables.start):
            start = tables.start.build(model)
    with _named(path, "scheme", tables.scheme):
        scheme = tables.scheme.build()
    with _named(path, "", tables):
        problem = Problem(model, load, tables.duration, start)
        problem.steps(scheme.step)
    return ProblemFile(problem, scheme, tables.title or path.stem, text)


def _load(path: Path, tables: ProblemTables, model: Model, gravity: float) -> tuple[Load, str]:
    if tables.motion is not None:
        with _named(path, "motion", tables.motion):
            motion = tables.motion.build(path.parent)
            return motion.on(model, g=gravity), (f"{motion.source}, peak {motion.peak:.4g} {motion.unit}, "
                                                 f"g = {gravity:.6g} {model.units.length}/s²")
    assert tables.load is not None
    with _named(path, "load", tables.load):
        return tables.load.build(path.parent), _said(tables.load)


def _said(table: LoadTable) -> str:
    """A table on one line: its kind and the keys that stand in the file."""
    keys = {key: getattr(table, key) for key in type(table).model_fields if key in table.model_fields_set}
    words = [keys.pop("kind").replace("_", " ")]
    for key, value in keys.items():
        shown = f"{len(value)} values" if isinstance(value, list) else value if isinstance(value, str) else f"{value:g}"
        words.append(f"{key.replace('_', ' ')} {shown}")
    return ", ".join(words)


def _tables(path: Path) -> ProblemTables:
    data = _toml(path)
    try:
        return ProblemTables.model_validate(data)
    except ValidationError as problem:
        mistakes = explain(problem.errors(include_url=False), data, _allowed(data))
    if len(mistakes) == 1:
        raise SpecError(f"{path}: {mistakes[0]}")
    raise SpecError("\n  ".join([f"{path}: {len(mistakes)} mistakes", *mistakes]))


def _toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        raise FileError(f"cannot read {path}: no such file; `hamex init` writes one to start from") from None
    except OSError as problem:
        raise FileError(f"cannot read {path}: {problem.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise SpecError(f"{path}: not a TOML file: {problem}") from None


def _allowed(data: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Keys with their meaning: of the top of the file ("") and of each table, by the kind that the file chose."""
    allowed = {"": _meanings(ProblemTables)}
    for name, field in ProblemTables.model_fields.items():
        kinds = {}
        for table in _classes(field.annotation):
            kind = table.model_fields.get("kind")
            kinds.update(dict.fromkeys(get_args(kind.annotation) if kind else [None], table))
        given = data.get(name)
        chosen = kinds.get(given.get("kind") if isinstance(given, Mapping) else None) or kinds.get(None)
        if chosen:
            allowed[name] = _meanings(chosen)
        elif kinds:
            allowed[name] = {"kind": "one of " + ", ".join(f"'{kind}'" for kind in kinds)}
    return allowed


def _meanings(table: type[Table]) -> dict[str, str]:
    return {key: field.description or "" for key, field in table.model_fields.items()}


def _classes(annotation: Any) -> list[type[Table]]:
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return [annotation]
    return [table for part in get_args(annotation) for table in _classes(part)]


@contextmanager
def _named(path: Path, name: str, table: Table) -> Iterator[None]:
    """Tell the file and the key or table in errors of the constructors, which know neither."""
    try:
        yield
    except HamexError as problem:
        said = re.sub(r"^\w+: ", "", str(problem))      # "oscillator: mass must be …"
        if name:
            said = f"{name}.{said}" if said.split(" ", 1)[0] in type(table).model_fields else f"[{name}] {said}"
        raise type(problem)(f"{path}: {said}") from None
