"""Lift: put the numbers of a structure into a generated row."""

from __future__ import annotations

from collections.abc import Mapping


def lift(row: Mapping[str, Mapping[str, float]], blocks: Mapping[str, float]) -> dict[str, float]:
    """Coefficient of every variable of a row: the sum of its factors times the blocks m, c, k, a, b they belong to.

    >>> lift({"du": {"m": 50.0, "c": 0.5}, "p": {"": -1.0}}, {"m": 2.0, "c": 4.0})
    {'du': 102.0, 'p': -1.0}
    """
    return {variable: sum(factor * blocks[scalar] if scalar else factor for scalar, factor in parts.items())
            for variable, parts in row.items()}
