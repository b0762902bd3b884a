"""What others ask of the laws of a model: parameters spring by spring, who yields, state variables, plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import LawError, ModelError
from hamex.model.laws import by_kind
from hamex.model.laws.law import Group
from hamex.model.laws.surface import Surfaces

if TYPE_CHECKING:
    from hamex.model.record import Model

Array = NDArray[Any]


def parameter(model: Model, name: str) -> Array:
    """(spring,), a parameter of the laws by name; zero where a spring's law has none of that name."""
    out = np.zeros(len(model.springs))
    for group in model.laws.values():
        out[group.springs] = group.law.per_spring(group, name)
    return out


def per_spring(model: Model) -> dict[str, Array]:
    """The parameters of sliders, spring by spring: for the routes that know no other law."""
    return {name: parameter(model, name) for name in ("yield_force", "viscosity", "kinematic", "isotropic")}


def yields(model: Model) -> Array:
    """(spring,), True where a spring has a yield limit; dampers flow from the start and have none."""
    out = np.zeros(len(model.springs), dtype=bool)
    for group in model.laws.values():
        out[group.springs] = group.law.yields(group)
    return out


def damps(model: Model) -> Array:
    """(spring,), True where a spring is a damper."""
    out = np.zeros(len(model.springs), dtype=bool)
    for group in model.laws.values():
        out[group.springs] = group.law.damps(group)
    return out


def yield_forces(model: Model) -> Array:
    """(spring,), force at first yield; NaN where a spring has none of its own."""
    out = np.full(len(model.springs), np.nan)
    for group in model.laws.values():
        out[group.springs] = group.law.first_yield(group)
    return out


def law_variables(model: Model) -> tuple[str, ...]:
    """Names of the state variables of the model's laws beside slip, one value per spring each."""
    names = ("back_force", "accumulated_slip", *(name for group in model.laws.values() for name in group.law.variables))
    return tuple(name for name in dict.fromkeys(names) if name != "slip")


def recorded(model: Model) -> tuple[str, ...]:
    """State variables that become histories, beside slip."""
    return tuple(dict.fromkeys(name for group in model.laws.values() for name in group.law.recorded(group)))


def law_arrays(model: Model) -> dict[str, dict[str, Array]]:
    """The laws as plain arrays by kind and parameter: what a file keeps and a hash covers."""
    return {kind: dict(group.numbers) for kind, group in model.laws.items()}


def laws_of(arrays: Mapping[str, Mapping[str, Array]]) -> dict[str, Any]:
    """The laws of a model from what :func:`law_arrays` gave."""
    return {kind: _group(kind, dict(numbers)) for kind, numbers in arrays.items()}


def _group(kind: str, numbers: dict[str, Array]) -> Any:
    if kind == "surface":
        return Surfaces(**numbers)
    try:
        law = by_kind(kind.split(" ")[0])
    except LawError as problem:
        raise ModelError(str(problem)) from None
    first, components = numbers.pop("first").astype(np.intp), int(numbers.pop("components", np.array(1)))
    return Group(law, first, components, numbers)
