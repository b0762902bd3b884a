"""One validated file format for problems: TOML in, a Problem and a Scheme out.

The tables stand in ``hamex.spec.tables``; only this package knows pydantic.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from pydantic import ValidationError

from hamex.errors import HamexError, ModelError, ProblemError, SpecError
from hamex.files import SETTINGS, read_bytes, toml_of
from hamex.model.record import Model
from hamex.motion.load import Load, LoadSum
from hamex.problem import Limit
from hamex.schemes import Scheme
from hamex.schemes.scheme import Promise, QuasiStatic
from hamex.solve import Problem
from hamex.spec.base import CHOOSING, Table, explain, placed
from hamex.spec.derived import TableByKind
from hamex.spec.loads import ON_BODIES, LoadTable, position, supports_load
from hamex.spec.tables import KINDS, ProblemTables, tables_for

if TYPE_CHECKING:
    from hamex.solution.solution import Solution

__all__ = ["ProblemFile", "problem_of", "read_problem"]


@dataclass(frozen=True, eq=False)
class ProblemFile:
    """What a problem file says, ready for :func:`hamex.solve`.

    Attributes
    ----------
    problem : model, load, start and duration.
    scheme : how to march it.
    title : the file's title, or its name.
    load_text : what shakes it, in words.
    kind : of the model, as the file says it.
    limit : storey drift beyond which it counts as collapsed.
    settle : share of the largest drift below which its motion counts as died down; None to end with its duration.
    promise : of one solution per step, as :func:`hamex.solve` takes it.
    slow : what ``[pushover]`` and ``[cyclic]`` say, by name.
    marches : whether there is a history to march; False where the file has slow loading only.
    probes : places whose motion is told, by name: coordinates in a solid, or the name of a dof.
    """

    problem: Problem
    scheme: Scheme
    title: str
    load_text: str
    kind: str = "oscillator"
    limit: Limit = field(default_factory=Limit)
    settle: float | None = None
    promise: Promise | Literal["cut"] = "beforehand"
    slow: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    marches: bool = True
    probes: Mapping[str, str | tuple[float, ...]] = field(default_factory=dict)

    def pushover(self, **changes: Any) -> Solution:
        """Push the model as ``[pushover]`` says, under its ``[gravity]``; ``changes`` are keys of that table."""
        return self._slowly("pushover", "displacement", changes)

    def cyclic(self, **changes: Any) -> Solution:
        """Cycle the model as ``[cyclic]`` says, under its ``[gravity]``; ``changes`` are keys of that table."""
        return self._slowly("cyclic", "amplitudes", changes)

    def _slowly(self, name: str, needed: str, changes: Mapping[str, Any]) -> Solution:
        from hamex.solve import static  # a history does without it

        keys = {"pattern": "mode", **self.slow.get(name, {}), **changes}
        if needed not in keys:
            raise SpecError(f"{self.title}: the file has no table [{name}], and {needed} is not given")
        standing = self.problem.standing
        start = None if standing is None else static.gravity(self.problem.model, standing)
        load: Callable[..., Solution] = getattr(static, name)
        return load(self.problem.model, **keys, constant=standing, start=start)


def read_problem(path: str | os.PathLike[str], *, history: bool = True) -> ProblemFile:
    """Read and check a problem file; record files are found from the folder of the problem file.

    Parameters
    ----------
    path : of the file, in TOML.
    history : False where the model is wanted for its modes or for slow loading, so that what a history needs, a load, a
        scheme and a duration, may be left out.

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
    >>> file.scheme.step
    0.01
    >>> file.problem.model.units.gravity
    9.80665
    """
    path = Path(path)
    return problem_of(_tables(path, history), path)


def problem_of(tables: ProblemTables, path: Path | None = None) -> ProblemFile:
    """What checked tables describe; tables that do not come from a file (no ``path``) read no files."""
    folder = None if path is None else path.parent
    with _named(path, "units", tables.units):
        units = tables.units.build()
    gravity = tables.units.gravity or units.gravity
    with _named(path, "model", tables.model):
        model = tables.model.build(units, gravity, folder)
    scheme: Scheme = QuasiStatic()
    if tables.scheme is not None and tables.marches:
        with _named(path, "scheme", tables.scheme):
            scheme = tables.scheme.build()
    loads, texts = _loads(path, tables, model, gravity)
    start = standing = None
    if tables.start is not None:
        with _named(path, "start", tables.start):
            start = tables.start.build(model)
    if tables.gravity is not None:
        with _named(path, "gravity", tables.gravity):
            standing = tables.gravity.build(model, gravity)
        tables.model.warn_of_gravity(model, standing)
        texts.append("gravity, applied slowly before the start")
    limit = Limit()
    if tables.limit is not None:
        with _named(path, "limit", tables.limit):
            limit = tables.limit.build()
    slow = _slow(path, tables, model)
    duration = tables.duration if tables.marches else 1.0
    with _named(path, "", tables):
        if duration is None:
            duration = _with_tail(loads, tables.tail or 0.0, scheme.step)
        load = loads[0] if len(loads) == 1 else LoadSum(tuple(loads))
        problem = Problem(model, load, duration, start, standing=standing)
        problem.steps(scheme.step)
        if tables.settle is not None:
            from hamex.solve.settling import check_settle

            check_settle("settle", tables.settle)
    if tables.support is not None and tables.marches:
        supports, text = _supports(path, folder, tables, model, duration)
        problem = problem.replace(supports=supports)
        texts.append(text)
    title = tables.title or ("" if path is None else path.stem)
    return ProblemFile(
        problem,
        scheme,
        title,
        "; ".join(texts),
        tables.model.kind,
        limit,
        tables.settle,
        tables.promise or "beforehand",
        slow,
        tables.marches,
        _probes(path, tables, model),
    )


def _probes(path: Path | None, tables: ProblemTables, model: Model) -> dict[str, str | tuple[float, ...]]:
    """Places by name, each of which is there."""
    found: dict[str, str | tuple[float, ...]] = {}
    for name, place in (tables.probes or {}).items():
        with _named(path, f"probes.{name}", tables):
            if isinstance(place, str):
                position(place, model.dofs, name, "dof", model)
            elif model.body is None:
                raise ModelError(f"only solids have places by coordinates; name a dof, as {model.dofs[-1]!r}")
            else:
                model.body.interpolation(np.array([place]))
        found[name] = place if isinstance(place, str) else tuple(place)
    return found


def _slow(path: Path | None, tables: ProblemTables, model: Model) -> dict[str, dict[str, Any]]:
    """How the model is loaded slowly, by the name of the table."""
    found = {}
    for name, table in (("pushover", tables.pushover), ("cyclic", tables.cyclic)):
        if table is not None:
            from hamex.solve.static import check_slow

            with _named(path, name, table):
                found[name] = table.keys(model)
                check_slow(model, name, **found[name])
    return found


def _loads(path: Path | None, tables: ProblemTables, model: Model, gravity: float) -> tuple[list[Load], list[str]]:
    loads, texts = [], []
    folder = None if path is None else path.parent
    for place, table in _each("motion", tables.motion):
        with _named(path, place, table):
            motion = table.build(folder)
            loads.append(motion.on(model, g=gravity, direction=table.direction))
            where = "" if table.direction is None else f" in {table.direction}"
            texts.append(
                f"{motion.source}{where}, peak {motion.peak:.4g} {motion.unit}, "
                f"g = {gravity:.6g} {model.units.length}/s²"
            )
    for place, table in _each("load", tables.load):
        with _named(path, place, table):
            loads.append(table.build(folder, model))
            texts.append(_said(table))
    if not loads:
        loads.append(Load([[0.0] * len(model.dofs)], step=1.0))
    return loads, texts


def _each(name: str, tables: Any) -> list[tuple[str, Any]]:
    """One table, or the tables of an array, with their places in the file."""
    if isinstance(tables, list):
        return [(f"{name}[{number}]", table) for number, table in enumerate(tables)]
    return [] if tables is None else [(name, tables)]


def _supports(
    path: Path | None, folder: Path | None, tables: ProblemTables, model: Model, duration: float
) -> tuple[Load, str]:
    histories = []
    for place, table in _each("support", tables.support):
        with _named(path, place, table):
            histories.append((table.rows(model), *table.samples(folder, model.units.length)))
    with _named(path, "support", tables):
        moved = sorted({row for rows, _, _ in histories for row in rows})
        return (
            supports_load(histories, model, duration),
            "displacements of supports "
            + ", ".join(model.support_names[row] for row in moved[:6])
            + (" …" if len(moved) > 6 else ""),
        )


def _with_tail(loads: list[Load], tail: float, step: float) -> float:
    """From 0 to the end of the last record, and the tail; a whole number of steps."""
    ends = [load.end for load in loads if math.isfinite(load.end)]
    if not ends:
        raise ProblemError("tail follows the end of a record, but no record is given; say duration instead")
    if not math.isfinite(tail) or tail < 0:
        raise ProblemError(f"tail must be a number of seconds ≥ 0, got {tail!r}")
    return math.ceil((max(ends) + tail) / step - 1e-9) * step


def _said(table: LoadTable) -> str:
    """A table on one line: its kind and the keys that stand in the file."""
    keys = {key: getattr(table, key) for key in type(table).model_fields if key in table.model_fields_set}
    words = [keys.pop("kind").replace("_", " ")]
    for key, value in keys.items():
        shown = (
            _where(value)
            if key in ON_BODIES
            else f"{len(value)} values"
            if isinstance(value, list)
            else f"{value:g}"
            if isinstance(value, float | int)
            else value
            if isinstance(value, str)
            else ", ".join(value)
        )
        words.append(f"{key.replace('_', ' ')} {shown}")
    return ", ".join(words)


def _where(value: Any) -> str:
    """Forces on a body: boundaries and vectors."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_where(each)}" for name, each in value.items())
    if isinstance(value, list):
        joined = all(isinstance(each, float | int) for each in value)
        return f"({', '.join(f'{each:g}' for each in value)})" if joined else ", ".join(map(_where, value))
    return f"{value:g}" if isinstance(value, float | int) else f"{_where(value.force)} at {_where(value.at)}"


def _tables(path: Path, history: bool) -> ProblemTables:
    data = _toml(path)
    model = data.get("model")
    kind = model.get("kind") if isinstance(model, Mapping) else None
    tables = tables_for(kind if isinstance(kind, str) and kind in KINDS else None)
    try:
        return tables.model_validate(data, context={"history": history})
    except ValidationError as problem:
        allowed = allowed_keys(tables, data)
        if kind != "solid":  # which alone can use them
            allowed = {
                place: {key: keys[key] for key in keys if key not in ON_BODIES} for place, keys in allowed.items()
            }
        mistakes = explain(problem.errors(include_url=False), data, allowed)
    if len(mistakes) == 1:
        raise SpecError(f"{path}: {mistakes[0]}")
    raise SpecError("\n  ".join([f"{path}: {len(mistakes)} mistakes", *mistakes]))


def _toml(path: Path) -> dict[str, Any]:
    data = read_bytes(path, SETTINGS, "; `hamex init` writes one to start from")
    text = ""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        return toml_of(text)
    except ValueError as problem:
        line = re.search(r"at line (\d+)", str(problem))
        comma = line and re.search(r"=\s*[-+]?\d+,\d", text.split("\n")[int(line[1]) - 1])
        hint = "; numbers have a decimal point, as in 3.2" if comma else ""
        raise SpecError(f"{path}: not a TOML file: {problem}{hint}") from None


def allowed_keys(tables: type[Table], data: Any, place: str = "") -> dict[str, dict[str, str]]:
    """Keys with their meaning: of the top of the file ("") and of each table in it, by the kind that the file chose."""
    keys = sorted(tables.model_fields, key=lambda key: key != "kind")  # the kind comes first
    allowed = {place: {key: tables.model_fields[key].description or "" for key in keys}}
    for name, key in tables.model_fields.items():
        kinds = _kinds(key.annotation)
        given = data.get(name) if isinstance(data, Mapping) else None
        path = f"{place}.{name}" if place else name
        for part, value in _parts(path, given) if kinds else ():
            chosen = kinds.get(_choice(value)) or kinds.get(None, [])
            if not chosen and len(kinds) == 1 and not place:
                chosen = next(iter(kinds.values()))
            if not chosen:
                allowed[part] = {"kind": "one of " + ", ".join(f"'{kind}'" for kind in kinds)}
            for table in chosen:  # several, where another key inside tells them apart: the one that fits knows most
                for where, known in allowed_keys(table, value, part).items():
                    if len(known) > len(allowed.get(where, {})):
                        allowed[where] = known
    return allowed


def _choice(value: Any) -> Any:
    found = [value.get(key) for key in CHOOSING if key in value] if isinstance(value, Mapping) else []
    return found[0] if found and isinstance(found[0], str) else None


def _kinds(annotation: Any) -> dict[str | None, list[type[Table]]]:
    """Table classes of a field by their kind, None for those without or for the kind that may be left out."""
    found: dict[str | None, list[type[Table]]] = {}
    for table in _classes(annotation):
        kind = next((table.model_fields[key] for key in CHOOSING if key in table.model_fields), None)
        for name in get_args(kind.annotation) if kind else [None]:
            found.setdefault(name, []).append(table)
        if kind is not None and not kind.is_required():
            found.setdefault(None, []).append(table)
    return found


def _parts(path: str, given: Any) -> list[tuple[str, Any]]:
    """Where tables of one class may stand: at the path, in its list, or under its names."""
    if isinstance(given, list):
        return [(f"{path}[{number}]", value) for number, value in enumerate(given)]
    if isinstance(given, Mapping) and given and all(isinstance(value, Mapping) for value in given.values()):
        return [(path, given), *((f"{path}.{name}", value) for name, value in given.items())]
    return [(path, given)]


def _classes(annotation: Any) -> list[type[Table]]:
    if isinstance(annotation, type) and issubclass(annotation, TableByKind):
        return list(annotation.tables().values())
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return [annotation]
    return [table for part in get_args(annotation) for table in _classes(part)]


@contextmanager
def _named(path: Path | None, name: str, table: Table) -> Iterator[None]:
    """Tell the file, where there is one, and the key or table in errors of the constructors, which know neither."""
    try:
        yield
    except HamexError as problem:
        said = placed(name, str(problem), table)
        raise type(problem)(said if path is None else f"{path}: {said}") from None
