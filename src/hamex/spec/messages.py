"""Words for what is wrong in a problem file: the key, what was given, what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

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


def explain(errors: Sequence[Mapping[str, Any]], data: Mapping[str, Any],
            allowed: Mapping[str, Mapping[str, str]]) -> list[str]:
    """One sentence per mistake. ``allowed``: keys and meanings of every table, "" for the top."""
    paths = [path_of(error["loc"], data) for error in errors]
    unknown = {path: _meant(path, allowed) for error, path in zip(errors, paths, strict=True)
               if error["type"] == "extra_forbidden"}
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
        return f"{path}.kind must be one of {context['expected_tags']}, got {context['tag']!r}"
    if kind == "value_error":
        return f"[{path}] {context['error']}" if path else str(context["error"])
    words = _WORDS[kind].format(**context) if kind in _WORDS else f"cannot be used: {error['msg']}"
    given = repr(error["input"])
    return f"{path} {words}, got {given if len(given) <= 60 else given[:57] + '...'}"


def _unknown(path: str, meant: str | None, allowed: Mapping[str, Mapping[str, str]]) -> str:
    table, _, key = path.rpartition(".")
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
        if isinstance(part, str) and (part.startswith("·") or (isinstance(data, Mapping) and part not in data
                                      and part == data.get("kind"))):
            continue
        path = f"{path}[{part}]" if isinstance(part, int) else _join(path, part)
        known = (isinstance(data, Mapping) and part in data) or (isinstance(data, list) and isinstance(part, int))
        data = data[part] if known else None
    return path


def _join(table: str, key: str) -> str:
    return f"{table}.{key}" if table else key
