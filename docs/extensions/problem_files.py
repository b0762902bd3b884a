"""The keys of problem and study files, from the tables that read them and the constructors that they call.

Tables know names, types and which keys must be there; meanings and defaults are the constructors', as in the program.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import hamex as hx
from extensions import names
from extensions.docstrings import meanings
from extensions.text import markdown, table

WORDS = {float: "number", int: "whole number", bool: "true or false", str: "text", Any: "as its constructor takes it"}
# Tables whose constructor has another name than they: the public name.
CALLED = {
    "Start": ("State",),
    "Motion": ("read_record", "GroundMotion"),
    "Records": ("read_record",),
    "Section": ("Member",),
    "Oscillator": ("oscillator", "Slider"),
    "StudyTables": ("Study",),
    "Fragility": ("Fragility", "ida"),
    "Coefficients": (),
    "Support": (),
    "Region": ("Material",),
}


def problem(text: str) -> str:
    """All tables of a problem file."""
    module = sys.modules[hx.read_problem.__module__]
    return _file({kind: module.tables_for(kind) for kind in module.KINDS})


def study(text: str) -> str:
    """The tables of a study file that problem files do not have."""
    module = sys.modules[hx.read_study.__module__]
    known = {made for made, _ in _walk(_problem_tables())}
    return _file({kind: module.study_tables_for(kind) for kind in module.KINDS}, known, "study")


def _problem_tables() -> dict[str, Any]:
    module = sys.modules[hx.read_problem.__module__]
    return {kind: module.tables_for(kind) for kind in module.KINDS}


def _file(tops: dict[str, Any], told: set[type] = frozenset(), word: str = "problem") -> str:  # type: ignore[assignment]
    found = list(_walk(tops))
    first = next(iter(tops.values()))
    links = {made: _anchor(made) for made, _ in found} | {made: _anchor(made) for made in told}
    made = [f"({word}-top)=", "## The top of the file", "", _keys(first, links, skip=("model",))]
    for each, path in sorted(found, key=lambda pair: (pair[1].split(".")[0], pair[1].count("."))):
        if each not in told:
            made += [f"({_anchor(each)})=", f"## {_title(each, path)}", "", _said(each), ""]
            made += [_keys(each, links), *_by_kind(each)]
    return "\n".join(made)


def _walk(tops: dict[str, Any]) -> Iterator[tuple[Any, str]]:
    """Each table once, with the place where it is met first."""
    seen: set[type] = set()
    queue = [(top, "") for top in tops.values()]
    while queue:
        made, path = queue.pop(0)
        for name, key in made.model_fields.items():
            place = f"{path}.{name}" if path else name
            for inner in _tables(key.annotation):
                if inner not in seen:
                    seen.add(inner)
                    queue.append((inner, place))
                    yield inner, place


def _tables(annotation: Any) -> list[Any]:
    """Table classes within a type; of a choice, all that the package has: examples make laws of their own."""
    found = []
    for each in _classes(annotation):
        ours = each.tables() if hasattr(each, "tables") else {"": each}
        found += [table for kind, table in ours.items() if ":" not in kind]
    return list(dict.fromkeys(found))


def _classes(annotation: Any) -> list[Any]:
    """Classes of tables, and of choices of tables, within a type."""
    if isinstance(annotation, type) and hasattr(annotation, "model_fields"):
        return [annotation]
    return [found for part in get_args(annotation) for found in _classes(part)]


def _kind(made: Any) -> str | None:
    key = made.model_fields.get("kind")
    values = get_args(key.annotation) if key else ()
    return values[0] if len(values) == 1 else None


def _anchor(made: Any) -> str:
    return "file-" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", made.__name__.removesuffix("Table")).lower()


def _title(made: Any, path: str) -> str:
    kind = _kind(made)
    return f"`[{path}]`" + (f' with `kind = "{kind}"`' if kind else "")


def _said(made: Any) -> str:
    """Words of a table without the place, which is its title."""
    text = inspect.cleandoc(made.__doc__ or "")
    place = r"^(?:A law with |Damping with )?``[^`]*``(?: (?:with|of) ``[^`]*``)?(?:: |, see | |\.)"
    text = re.sub(place, "", text)
    if not text and constructors(made):
        return names.summary(constructors(made)[0]) + "."
    return markdown(text[:1].upper() + text[1:])


def constructors(made: Any) -> list[Any]:
    """What a table calls."""
    word = made.__name__.removesuffix("Table")
    if hasattr(made, "made"):
        return [made.made]
    if word in CALLED:
        return [getattr(hx, name) for name in CALLED[word]]
    key = made.model_fields.get("kind")
    called = [*(get_args(key.annotation) if key else ()), word, *re.findall(r"hamex\.(\w+)`", made.__doc__ or "")]
    return [getattr(hx, name) for name in called if name in hx.__all__]


def _keys(made: Any, links: dict[Any, str], skip: tuple[str, ...] = ()) -> str:
    """The keys of a table as a list of definitions."""
    rows = []
    for name, key in made.model_fields.items():
        if name in skip or (name == "kind" and _kind(made)):
            continue
        meaning, default = key.description or "", None
        for each in constructors(made):
            said, usual = _parameter(each, name)
            meaning, default = meaning or said, usual if default is None else default
        if default is None and not key.is_required() and key.default_factory is None:
            default = repr(key.default)
        meaning = markdown(meaning) or _of_tables(key.annotation)
        usual = (
            ", **needed**"
            if key.is_required()
            else ""
            if default in (None, "None")
            else ", infinite by default"
            if default == "inf"
            else f", by default `{default}`"
        )
        rows += [f"`{name}` ({_type(key, links)}{usual})", f": {meaning}", ""]
    return "\n".join(rows) if rows else "No further keys.\n"


def _of_tables(annotation: Any) -> str:
    """What a key means that takes a table: the first sentence of the table, or of the choice of tables."""
    classes = list(dict.fromkeys(_classes(annotation)))
    said = _said(classes[0]).partition("\n\n")[0].partition(". ")[0].rstrip(".") if classes else ""
    return said[:1].lower() + said[1:]


def _parameter(called: Any, name: str) -> tuple[str, str | None]:
    """Meaning and default of a parameter."""
    found = inspect.signature(called).parameters.get(name)
    default = None if found is None or found.default is inspect.Parameter.empty else repr(found.default)
    plain = default is not None and not default.startswith("<")
    return meanings(called).get(name, ""), default if plain else None


def _type(key: Any, links: dict[Any, str]) -> str:
    single, several = [], []
    for word in dict.fromkeys(_words(key.annotation, links)):
        (several if word.startswith("list of ") else single).append(word)
    if single and [f"list of {word}" for word in single] == several:
        several = ["a list of them"]
    return " or ".join([*single, *several])


def _words(annotation: Any, links: dict[Any, str]) -> list[str]:
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation in (type(None), None):
        return []
    if origin is list:
        return [f"list of {' or '.join(_words(parts[0], links))}"]
    if origin is dict:
        return [f"{' or '.join(_words(parts[1], links))} by name"]
    if origin is Literal:
        return [" or ".join(f'`"{value}"`' for value in parts)]
    if origin in (Union, types.UnionType, Annotated):
        parts = parts[:1] if origin is Annotated else parts
        if all(_is_table(part) for part in parts):
            return [_choice(annotation, links)]
        return [word for part in parts for word in _words(part, links)]
    return [_choice(annotation, links)] if _tables(annotation) else [WORDS.get(annotation, str(annotation))]


def _is_table(annotation: Any) -> bool:
    """Whether a type is a table, and no list or union with something else."""
    return isinstance(annotation, type) and hasattr(annotation, "model_fields")


def _choice(annotation: Any, links: dict[Any, str]) -> str:
    """Links to the tables that may stand there."""
    inner = [each for each in _tables(annotation) if each in links]
    if len(inner) == 1 and not _kind(inner[0]):
        return f"[table](#{links[inner[0]]})"
    return "table of kind " + ", ".join(f"[{_kind(each)}](#{links[each]})" for each in inner)


def _by_kind(made: Any) -> list[str]:
    """Where one table serves several constructors: which keys each of them takes."""
    key = made.model_fields.get("kind")
    kinds = [kind for kind in (get_args(key.annotation) if key else ()) if kind in hx.__all__]
    if len(kinds) < 2:
        return []
    rows = []
    for kind in kinds:
        keys = inspect.signature(getattr(hx, kind)).parameters.values()
        needed = [f"`{each.name}`" for each in keys if each.default is inspect.Parameter.empty]
        more = [f"`{each.name}`" for each in keys if each.default is not inspect.Parameter.empty]
        rows.append((f'[`"{kind}"`](#{names.anchor(kind)})', ", ".join(needed), ", ".join(more)))
    return ["", table(("kind", "needs", "may have"), rows)]
