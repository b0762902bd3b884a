"""What others ask of the laws of a model: parameters spring by spring, who yields, state variables, plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError
from hamex.model.law import Powers, Sliders, Surfaces

if TYPE_CHECKING:
    from hamex.model.record import Group, Model

Array = NDArray[Any]
_GROUPS = {"slider": Sliders, "power": Powers, "surface": Surfaces}


def per_spring(model: Model) -> dict[str, Array]:
    """Law parameters by name, zeros where a spring has none, in the order of the springs."""
    springs = len(model.springs)
    names = ("yield_force", "viscosity", "kinematic", "isotropic", "coefficient", "exponent")
    out = {name: np.zeros(springs) for name in names}
    out["blocked"] = np.zeros(springs, dtype=bool)
    for kind, group in model.laws.items():
        if kind == "surface":
            for i, (first, size) in enumerate(zip(group.first, group.size, strict=True)):
                out["kinematic"][first:first + size] = group.kinematic[i, :size]
                out["blocked"][first:first + size] = True
            out["isotropic"][group.primary] = group.isotropic
            continue
        for name in names:
            if hasattr(group, name):
                out[name][group.springs] = getattr(group, name)
    return out


def yields(model: Model) -> Array:
    """(spring,), True where a spring has a yield limit; dampers flow from the start and have none."""
    out = np.zeros(len(model.springs), dtype=bool)
    slider = model.laws["slider"]
    out[slider.springs] = np.isfinite(slider.yield_force) & (slider.yield_force > 0)
    if "surface" in model.laws:
        group = model.laws["surface"]
        for i, (first, size) in enumerate(zip(group.first, group.size, strict=True)):
            out[first:first + size] = (group.weight[group.begin[i]:group.begin[i + 1], :size] > 0).any(axis=0)
    return out


def law_variables(model: Model) -> tuple[str, ...]:
    """Names of the state variables of the model's laws beside slip, one value per spring each."""
    return ("back_force", "accumulated_slip")


def law_arrays(model: Model) -> dict[str, dict[str, Array]]:
    """The laws as plain arrays by kind and parameter: what a file keeps and a hash covers."""
    return {kind: dict(vars(group)) for kind, group in model.laws.items()}


def laws_of(arrays: Mapping[str, Mapping[str, Array]]) -> dict[str, Group]:
    """The laws of a model from what :func:`law_arrays` gave."""
    unknown = [kind for kind in arrays if kind not in _GROUPS]
    if unknown:
        raise ModelError(f"there is no law of kind {unknown[0]!r}; known: {', '.join(_GROUPS)}")
    return {kind: _GROUPS[kind](**parameters) for kind, parameters in arrays.items()}
