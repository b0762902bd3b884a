"""Keys of parts of studies: hashes of a versioned description of what determines a part.

Results that are kept in a folder are recognised by their key for good, so a key does not follow the classes:
``keys.toml`` says which fields of a class enter it.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hamex.errors import InputError

_DESCRIPTION = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
VERSION: str = _DESCRIPTION["version"]  # a new one computes every part of every study again
DESCRIBED: dict[str, str] = _DESCRIPTION["fields"]


def digest(*things: Any) -> str:
    """Hexadecimal hash; equal content gives equal hashes, on any machine.

    >>> digest(1.0, "a") == digest(1.0, "a") != digest(1.0, "b")
    True
    """
    hasher = hashlib.sha256()
    for thing in things:
        _hash(hasher.update, thing)
    return hasher.hexdigest()[:32]


def _hash(update: Callable[[bytes], object], thing: Any) -> None:
    if isinstance(thing, np.ndarray):
        update(f"array{thing.dtype.str}{thing.shape}".encode())
        update(np.ascontiguousarray(thing).tobytes())
    elif hasattr(thing, "tocsr"):
        matrix = thing.tocsr().sorted_indices()
        for part in (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data):
            _hash(update, part)
    elif thing is None or isinstance(thing, bool | int | float | str | np.generic):
        update(f"{type(thing).__name__}:{thing!r};".encode())
    elif is_dataclass(thing) and not isinstance(thing, type):
        update(type(thing).__name__.encode())
        for name in _entering(thing):
            update(name.encode())
            _hash(update, getattr(thing, name))
    elif isinstance(thing, type):  # the law of a group of springs
        update(f"{thing.__module__}.{thing.__qualname__};".encode())
    elif isinstance(thing, Mapping):
        for name in sorted(thing):
            update(str(name).encode())
            _hash(update, thing[name])
    elif isinstance(thing, tuple | list):
        update(f"{len(thing)}:".encode())
        for entry in thing:
            _hash(update, entry)
    else:
        raise InputError(f"study: {thing!r:.60} cannot be hashed, so its results could not be recognised again")


def _entering(thing: Any) -> list[str]:
    """Names of the fields that enter the key: those described, and later ones that differ from their default."""
    all_fields = {one.name: one for one in fields(thing)}
    if type(thing).__name__ not in DESCRIBED or not type(thing).__module__.startswith("hamex."):
        return list(all_fields)
    described = DESCRIBED[type(thing).__name__].split()
    later = [one for name, one in all_fields.items() if name not in described and _differs(thing, one)]
    return described + [one.name for one in later]


def _differs(thing: Any, one: Field[Any]) -> bool:
    default = one.default_factory() if one.default_factory is not MISSING else one.default
    return default is MISSING or digest(default) != digest(getattr(thing, one.name))
