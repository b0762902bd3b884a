"""A millionth of the paper's viscosity: the force at the nodes zigzags around its limit, or does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.schemes import DiscontinuousGalerkin, Galerkin, Scheme
from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.motion.ground import el_centro
from hamex.solve import Problem, solve

Array = NDArray[Any]
YIELD_FORCE, VISCOSITY = 0.27, 1.5e-6
STEP, DURATION = 0.02, 40.0
SCHEMES: dict[str, Scheme] = {
    "Galerkin, degree 1": Galerkin(STEP), "Galerkin, degree 2": Galerkin(STEP, degree=2),
    "Discontinuous, degree 1": DiscontinuousGalerkin(STEP, degree=1),
    "Discontinuous, degree 2": DiscontinuousGalerkin(STEP, degree=2)}


@dataclass(frozen=True, eq=False)
class Overstress:
    """Force at the nodes relative to the yield force."""

    name: str
    times: Array
    force: Array

    @property
    def largest(self) -> float:
        """Largest excess over the limit, relative to it."""
        return float(np.abs(self.force).max() - 1)


def overstress() -> tuple[Overstress, ...]:
    """The paper's oscillator with next to no viscosity under twice the El Centro record, scheme by scheme."""
    model = oscillator(1, 225, 1.5, Slider(YIELD_FORCE, VISCOSITY))
    problem = Problem(model, el_centro().scaled(2).on(model, g=1.0), DURATION)
    found = []
    for name, scheme in SCHEMES.items():
        solution = solve(problem, scheme)
        found.append(Overstress(name, solution.times, solution.values("node_force")[:, 0] / YIELD_FORCE))
    return tuple(found)
