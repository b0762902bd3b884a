"""A hash of everything that determines a result: arrays, numbers, words and the records that hold them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from hamex.errors import InputError


def digest(*things: Any) -> str:
    """Hexadecimal hash; equal content gives equal hashes, on any machine.

    >>> digest(1.0, "a") == digest(1.0, "a") != digest(1.0, "b")
    True
    """
    hasher = hashlib.sha256()
    for thing in things:
        _feed(hasher.update, thing)
    return hasher.hexdigest()[:32]


def _feed(update: Callable[[bytes], object], thing: Any) -> None:
    if isinstance(thing, np.ndarray):
        update(f"array{thing.dtype.str}{thing.shape}".encode())
        update(np.ascontiguousarray(thing).tobytes())
    elif hasattr(thing, "tocsr"):
        matrix = thing.tocsr().sorted_indices()
        for part in (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data):
            _feed(update, part)
    elif thing is None or isinstance(thing, bool | int | float | str | np.generic):
        update(f"{type(thing).__name__}:{thing!r};".encode())
    elif is_dataclass(thing) and not isinstance(thing, type):
        update(type(thing).__name__.encode())
        for field in fields(thing):
            update(field.name.encode())
            _feed(update, getattr(thing, field.name))
    elif isinstance(thing, type):  # the law of a group of springs
        update(f"{thing.__module__}.{thing.__qualname__};".encode())
    elif isinstance(thing, Mapping):
        for name in sorted(thing):
            update(str(name).encode())
            _feed(update, thing[name])
    elif isinstance(thing, tuple | list):
        update(f"{len(thing)}:".encode())
        for entry in thing:
            _feed(update, entry)
    else:
        raise InputError(f"study: {thing!r:.60} cannot be hashed, so its results could not be recognised again")
