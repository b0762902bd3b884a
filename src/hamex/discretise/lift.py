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


def coefficient(variable: str, blocks: Mapping[str, float], *rows: Mapping[str, Mapping[str, float]]) -> float:
    """Coefficient of one variable in a row, or in the sum of several.

    Factors are added before they meet their blocks, so that what cancels between rows is zero and not round-off.

    >>> coefficient("du", {"m": 0.1, "c": 4.0}, {"du": {"m": 50.0, "c": 0.5}}, {"du": {"m": -50.0, "c": 0.5}})
    4.0
    """
    total = 0.0
    for scalar, factor in rows[0][variable].items():
        for row in rows[1:]:
            factor += row[variable][scalar]
        total += factor * blocks[scalar] if scalar else factor
    return total
