"""Two masses, two sliders, one step: where the elastic trial picks the wrong set of slipping sliders."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Signs = tuple[int, ...]


@dataclass(frozen=True)
class Trial:
    """What the elastic trial predicts, and the set that satisfies all equations of the step."""

    predicted: Signs
    true: tuple[Signs, ...]
    dissipation: float
    evidence: str

    @property
    def wrong(self) -> bool:
        """True when the prediction is not the solution."""
        return self.predicted not in self.true


def wrong_branch() -> Trial:
    """A chain m = 1, 1, k = 100, F_y = 1, η = 0.1, h = 0.5 with momenta (−0.75, 1.25)."""
    h, flexibility, limit, viscosity = 0.5, 0.01, 1.0, 0.1
    momentum = np.array([-0.75, 1.25])
    B = np.array([[1.0, -1.0], [0.0, 1.0]])          # compatibility, dof × spring: stretch = Bᵀu

    def forces(signs: Signs) -> Array:
        """(63) for every mass and spring: (M/h)Δu + (h/2)BF = p, aF + (h/2)u̇1 = BᵀΔu/2."""
        slipping = np.diag([abs(s) for s in signs]) / viscosity
        left = np.block([[np.eye(2) / h, h / 2 * B], [-B.T / 2, flexibility * np.eye(2) + h / 2 * slipping]])
        shift = h / 2 / viscosity * limit * np.array(signs)
        return np.linalg.solve(left, np.concatenate([momentum, shift]))[2:]

    def branch(force: Array) -> Signs:
        return tuple(int(np.sign(f)) if abs(f) > limit else 0 for f in force)

    predicted = branch(forces((0, 0)))
    true = tuple(s for s in product((-1, 0, 1), repeat=2) if branch(forces(s)) == s)
    rate = (forces(predicted) - limit * np.array(predicted)) / viscosity * np.abs(predicted)
    dissipation = float((rate * forces(predicted)).min())
    text = ("chain of two masses and two sliders (m = 1, k = 100, F_y = 1, η = 0.1, h = 0.5, p = (−0.75, 1.25)): "
            f"the elastic trial predicts the branches {_show(predicted)}, the only consistent set is "
            f"{', '.join(map(_show, true))}; taking the prediction, one slider dissipates {dissipation:.2g} < 0")
    return Trial(predicted, true, dissipation, text)


def _show(signs: Signs) -> str:
    return "(" + ", ".join("−0+"[s + 1] for s in signs) + ")"
