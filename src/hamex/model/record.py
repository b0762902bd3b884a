"""Model: one record of arrays for oscillator, frame and solid alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError
from hamex.model.damping import Damping
from hamex.model.law import Sliders
from hamex.model.units import Units

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Model:
    """What is shaken: ``L = ½u̇ᵀMu̇ − ½uᵀKu + ½J̇ᵀAJ̇ − J̇ᵀBᵀu``, ``φ = ½u̇ᵀCu̇ + Σφₑ(J̇ₑ)``.

    Builders such as :func:`hamex.oscillator` return it; nobody has to fill it by hand.

    Attributes
    ----------
    mass : M, (dof, dof) [force·time²/length].
    damping : C as a matrix plus a low-rank part [force·time/length].
    stiffness : K, linear stiffness outside the springs (P-Delta), may be negative [force/length].
    flexibility : A, (spring, spring), block diagonal [length/force].
    compatibility : B, (dof, spring): deformation of the springs is ``Bᵀu``.
    laws : parameter arrays of the springs' laws, grouped by kind.
    influence : ι, (dof, direction): rigid motion of the dofs with the ground.
    supports : (dof, support): quasi-static motion of the dofs with each moving support.
    dofs, springs, directions : names, in the order of the arrays.
    units : names of the units of length and force.
    """

    mass: Array
    damping: Damping
    stiffness: Array
    flexibility: Array
    compatibility: Array
    laws: Mapping[str, Sliders]
    influence: Array
    supports: Array
    dofs: tuple[str, ...]
    springs: tuple[str, ...]
    directions: tuple[str, ...] = ("x",)
    units: Units = field(default_factory=Units)

    def __post_init__(self) -> None:
        dof, spring = len(self.dofs), len(self.springs)
        shapes = {"mass": (dof, dof), "stiffness": (dof, dof), "flexibility": (spring, spring),
                  "compatibility": (dof, spring), "influence": (dof, len(self.directions)),
                  "supports": (dof, self.supports.shape[-1])}
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise ModelError(f"Model: {name} has shape {array.shape}, expected {shape}")
            if not np.all(np.isfinite(array)):
                raise ModelError(f"Model: {name} holds a value that is not finite")
        damping = self.damping
        if damping.matrix.shape != (dof, dof) or damping.shapes.shape != (dof, damping.weights.size):
            raise ModelError(f"Model: damping has shape {damping.matrix.shape} and mode shapes {damping.shapes.shape}, "
                             f"expected {(dof, dof)} and {(dof, damping.weights.size)}")
        if not np.all(np.isfinite(damping.dense())):
            raise ModelError("Model: damping holds a value that is not finite")
