"""The energy balance of elements with several stages: that of their quadrature, see
:mod:`hamex.discretise.stage_history`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.stage_history import StageHistory, spent_inside
from hamex.model.record import Model
from hamex.solution.energy import energy_entries

Array = NDArray[Any]


def stage_balance(model: Model, h: float, inside: StageHistory, patterns: Array, nodes: Mapping[str, Array],
                  before: Mapping[str, float]) -> dict[str, Array]:
    """All entries of the balance, with what the jumps lose.

    Springs without flow (elastic laws) give back what they store at the nodes; the quadrature of their work is not
    exact, and the imbalance says by how much.
    """
    start = [before.get(name, 0.0) for name in ("viscous", "plastic", "jumps", "input")]
    spent = np.cumsum(np.vstack([start, spent_inside(model, h, inside, patterns, nodes["displacement"])]), axis=0)
    return energy_entries(model, h, nodes, np.einsum("i,rij->rj", inside.weights, inside.force), spent)
