"""Calls of functions that are chosen at run time: by number uncompiled, by machine address compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FUNCTIONS: list[Callable[..., Any]] = []  # what the numbers mean in uncompiled runs
_NUMBERS: dict[Callable[..., Any], int] = {}


def invoke(address: int, arguments: tuple[Any, ...]) -> Any:
    """Call a function by its number; compiled code calls its address, see :mod:`hamex.march.addresses`."""
    return FUNCTIONS[address](*arguments)


def numbered(function: Callable[..., Any]) -> int:
    """The number of a function in uncompiled runs."""
    if function not in _NUMBERS:
        _NUMBERS[function] = len(FUNCTIONS)
        FUNCTIONS.append(function)
    return _NUMBERS[function]
