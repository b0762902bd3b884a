"""The laws of a model with one entry per spring, whatever group they come from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.record import Model

Array = NDArray[Any]


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
            if name in group.parameters and not group.blocked:
                out[name][group.springs] = group.parameters[name]
    return out
