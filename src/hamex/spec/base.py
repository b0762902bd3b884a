"""What every table of a problem file shares: strictness, choices, names of nested places, and words for what is
wrong: the key, what was given, what is allowed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from hamex.errors import HamexError
from hamex.model.inputs import near

# pydantic's name of an error → our words; {expected}, {gt} … come with the error.
_WORDS = {
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "string_type": "must be text in quotes",
    "list_type": "must be a list of numbers",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "finite_number": "must be finite",
    "greater_than": "must be greater than {gt:g}",
    "dict_type": "must be a table",
    "bool_type": "must be true or false",
    "literal_error": "must be {expected}",
}


# Keys that other programs have, by a pattern of their path, and what is done here instead.
_INSTEAD = (
    (
        re.compile(r"model\.(members\[\d+\]|sections\.[^.]+)\.(loads?|udl|q|(line|uniform|distributed)_load)"),
        "members carry no loads; divide the beam and load its nodes in [gravity]",
    ),
    (
        re.compile(r"model\..*hinges(\[\d+\])?\.((plastic|yield)_)?(moment|[mM][py])"),
        "the moment at which a hinge yields is its yield_force, as in hinges = {yield_force = 250.0}",
    ),
)


CHOOSING = ("kind", "shape")  # keys that tell which of several tables one is


def explain(
    errors: Sequence[Mapping[str, Any]], data: Mapping[str, Any], allowed: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """One sentence per mistake. ``allowed``: keys and meanings of every table, "" for the top."""
    paths = [path_of(error["loc"], data) for error in errors]
    unknown = {
        path: _meant(path, allowed)
        for error, path in zip(errors, paths, strict=True)
        if error["type"] == "extra_forbidden"
    }
    sentences = []
    for error, path in zip(errors, paths, strict=True):
        if path in unknown:
            sentences.append(_unknown(path, unknown[path], allowed))
        # A key that was only misspelt or misplaced is not missing as well.
        elif not (error["type"] == "missing" and path in unknown.values()):
            sentences.append(_sentence(error, path, allowed))
    return sentences


def _sentence(error: Mapping[str, Any], path: str, allowed: Mapping[str, Mapping[str, str]]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "union_tag_not_found":
        kind, path = "missing", _join(path, "kind")
    if kind == "missing":
        table, _, key = path.rpartition(".")
        meaning = allowed.get(table, {}).get(key)
        if not table and key in allowed:
            return f"the table [{key}] is missing"
        return f"{path} is missing: {meaning}" if meaning else f"{path} is missing"
    if kind == "union_tag_invalid":
        said = f"{path}.kind must be one of {context['expected_tags']}, got {context['tag']!r}"
        module, own, _ = context["tag"].partition(":")
        if own:  # as laws of users are called
            return f"{said}; a law of your own must be made first: import {module}, or hamex --laws {module}.py …"
        return said + _did_you_mean(context["tag"], context["expected_tags"])
    if kind == "value_error":
        return f"[{path}] {context['error']}" if path else str(context["error"])
    words = _WORDS[kind].format(**context) if kind in _WORDS else f"cannot be used: {error['msg']}"
    given = repr(error["input"])
    if kind == "list_type" and isinstance(error["input"], Mapping) and _holds_tables(error["input"]):
        words = f"must be a list of tables, each under [[{path}]] with its name as a key"
    said = f"{path} {words}, got {given if len(given) <= 60 else given[:57] + '...'}"
    if kind == "literal_error":
        return said + _did_you_mean(error["input"], context["expected"])
    return said + (_example(path, error["input"]) if words == _WORDS["model_type"] else "")


def _holds_tables(given: Mapping[str, Any]) -> bool:
    """Whether tables stand under names of their own, as [model.members.beam] would have it."""
    return bool(given) and all(isinstance(each, Mapping) for each in given.values())


def _did_you_mean(given: object, expected: str) -> str:
    """``expected`` is pydantic's list, each name in quotes."""
    meant = near(given, re.findall(r"'([^']*)'", expected))
    return f"; did you mean {meant[0]!r}?" if meant else ""


def _example(path: str, given: object) -> str:
    """How a table is written, where a bare value is a likely guess."""
    if path == "model.damping" and isinstance(given, int | float):
        share = given if 0 < given < 1 else 0.05
        return f'; {100 * share:g} % of critical is damping = {{kind = "ratio", ratio = {share:g}}}'
    if re.search(r"\bhinges(\[\d+\])?$", path):
        return "; an end that stays elastic is {}, as in hinges = [{yield_force = 250.0}, {}]"
    return ""


def _unknown(path: str, meant: str | None, allowed: Mapping[str, Mapping[str, str]]) -> str:
    table, _, key = path.rpartition(".")
    for pattern, instead in _INSTEAD:
        if pattern.fullmatch(path):
            return f"unknown key {path}; {instead}"
    if meant is None:
        where = f"[{table}]" if table else "a problem file"
        return f"unknown key {path}; {where} knows {', '.join(allowed.get(table, {}))}"
    if meant.rpartition(".")[0] == table:
        return f"unknown key {path}; did you mean {meant.rpartition('.')[2]}?"
    if "." in meant:
        return f"unknown key {path}; {key} belongs in [{meant.rpartition('.')[0]}]"
    return f"unknown key {path}; {key} belongs at the top of the file, above the first [table]"


def _meant(path: str, allowed: Mapping[str, Mapping[str, str]]) -> str | None:
    """The path that was probably meant: a similar key of the same table, or the same key elsewhere."""
    table, _, key = path.rpartition(".")
    similar = difflib.get_close_matches(key, allowed.get(table, {}), n=1)
    if similar:
        return _join(table, similar[0])
    elsewhere = [_join(name, key) for name, keys in allowed.items() if key in keys]
    return elsewhere[0] if elsewhere else None


def path_of(location: Sequence[str | int], data: Any) -> str:
    """Dotted path in the file; pydantic also names the kind of a table on the way, which no file spells."""
    path = ""
    for part in location:
        if isinstance(part, str) and (
            part.startswith("·")
            or (isinstance(data, Mapping) and part not in data and part in [data.get(key) for key in CHOOSING])
        ):
            continue
        path = f"{path}[{part}]" if isinstance(part, int) else _join(path, part)
        known = (isinstance(data, Mapping) and part in data) or (isinstance(data, list) and isinstance(part, int))
        data = data[part] if known else None
    return path


def _join(table: str, key: str) -> str:
    return f"{table}.{key}" if table else key


# Limits stand here only for keys that no constructor knows by name.
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


Version = Annotated[int | None, Field(description="of the format of this file; 1, also where it is left out")]
VERSION = 1


def check_version(data: Any) -> Any:
    """Refuse a file in a format that is not known here, by name, before anything else in it is judged."""
    version = data.get("version") if isinstance(data, Mapping) else None
    if isinstance(version, int) and not isinstance(version, bool) and version != VERSION:
        raise ValueError(
            f"version = {version} is a format that this hamex does not know; it reads version {VERSION}: "
            "take a newer hamex, or write the file anew"
        )
    return data


def _shape(value: Any) -> str:
    return "·list" if isinstance(value, list) else "·table" if isinstance(value, dict) else "·one"


# Choices by shape. pydantic puts the tag into the place of a mistake; the dot marks what no file spells.
Numbers = Annotated[
    Annotated[float, Tag("·one")] | Annotated[list[float], Tag("·list")],
    Discriminator(lambda value: "·list" if isinstance(value, list) else "·one"),
]
Named = Annotated[
    Annotated[float, Tag("·one")] | Annotated[list[float], Tag("·list")] | Annotated[dict[str, float], Tag("·table")],
    Discriminator(_shape),
]


class Table(BaseModel):
    """A table of the file: no unknown keys, no text where a number belongs."""

    # Only the whole file is ever validated: the tables' own validators are not worth building.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    def given(self, *names: str) -> dict[str, Any]:
        """Keys that stand in the file, so that a default is said once, in the constructor."""
        return {name: getattr(self, name) for name in names if name in self.model_fields_set}

    def arguments(self, *without: str) -> dict[str, Any]:
        """All keys that stand in the file but ``kind`` and ``without``: what a constructor of the same keys takes."""
        return self.given(*(name for name in type(self).model_fields if name not in ("kind", *without)))

    def warn_of_gravity(self, model: Any, standing: Any) -> None:
        """Models whose P-Delta is not told by their standing loads compare the two."""

    def one_of(self, *names: str, needed: bool = True) -> None:
        """Refuse two of these keys together, and none of them when one is needed."""
        count = sum(name in self.model_fields_set for name in names)
        if count > 1 or (needed and count == 0):
            said = " and ".join((", ".join(names[:-1]), names[-1]))
            got = "none" if count == 0 else "both" if len(names) == 2 else f"{count} of them"
            raise ValueError(f"give {'exactly' if needed else 'at most'} one of {said}, got {got}")


@contextmanager
def inside(place: str, table: Table) -> Iterator[None]:
    """Put the place of a table in front of what a constructor refuses: "Slider: viscosity must …" becomes
    "law.viscosity must …"."""
    try:
        yield
    except HamexError as problem:
        raise type(problem)(placed(place, str(problem), table)) from None


def placed(place: str, message: str, table: Table) -> str:
    """A constructor's message with the place of its table; keys of the table are written as paths."""
    said = re.sub(r"^[\w.]+: ", "", message)
    if not place:
        return said
    inner = re.match(r"\[(\w+)(\S*)\] ", said)
    if inner is not None and inner[1] in type(table).model_fields:  # told of a table in this one
        return f"[{place}.{inner[1]}{inner[2]}] {said[inner.end() :]}"
    first = re.match(r"\w*", said)
    is_key = (
        first is not None
        and first.group() in type(table).model_fields
        and re.match(r"\w+([.\[]\S*)? ", said) is not None
    )
    return f"{place}.{said}" if is_key else f"[{place}] {said}"
