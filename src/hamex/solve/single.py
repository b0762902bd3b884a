"""Measures of a batch read off a single solution: the definition that the kernels of many are tested against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.solution.solution import Solution

Array = NDArray[Any]


def _peak(name: str) -> Callable[[Solution], Array]:
    return lambda solution: np.asarray(np.abs(solution.values(name)).max(axis=0))


def _last(name: str) -> Callable[[Solution], Array]:
    return lambda solution: np.asarray(solution.values(name)[-1])


def _plastic(solution: Solution) -> Array:
    return np.asarray((solution.split.plastic + solution.split.viscous).sum(axis=0))


def _cycles(solution: Solution) -> Array:
    ways = np.sign(np.diff(solution.values("slip"), axis=0))
    counts = []
    for column in ways.T:
        moving = column[column != 0]
        counts.append((np.count_nonzero(np.diff(moving)) + (moving.size > 0)) / 2)
    return np.array(counts)


_OF_OSCILLATORS: Mapping[str, Callable[[Solution], Array]] = {
    "displacement": _peak("displacement"), "velocity": _peak("velocity"),
    "absolute_acceleration": _peak("absolute_acceleration"), "force": _peak("force"),
    "ductility": lambda solution: solution.values("ductility"), "residual_slip": _last("slip"),
    "residual_displacement": _last("displacement"), "plastic_work": _plastic,
    "input_work": lambda solution: solution.values("input")[-1:], "cycles": _cycles}
_OF_STOREYS: Mapping[str, Callable[[Solution], Array]] = {
    "displacement": _peak("displacement"), "velocity": _peak("velocity"),
    "absolute_acceleration": _peak("absolute_acceleration"), "drift": _peak("storey_drift"),
    "force": _peak("storey_shear"), "residual_displacement": _last("displacement"),
    "residual_drift": _last("storey_drift")}


def measures_of(storeys: int) -> Mapping[str, Callable[[Solution], Array]]:
    """Measures that a single solution gives, for an oscillator (0) or a structure with storeys."""
    return _OF_STOREYS if storeys else _OF_OSCILLATORS


def measure(solution: Solution, name: str) -> Array:
    """One measure: a number of an oscillator, one per storey or floor of a structure."""
    storeys = len(solution.labels("storey")) if "storey_drift" in solution.names else 0
    values = measures_of(storeys)[name](solution)
    return values if storeys else values[0]
