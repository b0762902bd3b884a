"""How long a history will take, roughly and rather too much: what takes longer than its limit is refused beforehand.

The figures are from histories of yielding oscillators and frames of 2 to 200 storeys on one core of a common computer.
A wrong guess costs patience, not correctness.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamex.errors import InputError
from hamex.model.damping import Damping
from hamex.spec import ProblemFile
from hamex.studio import limits

_CELL = 7e-7            # seconds per step and storey: the march, its energies, its way to the page
_PAIR = 1.3e-7          # per step and pair of storeys (and stages) that are coupled by full matrices
_LOCATED = 6e-3         # per step and spring when the instants of yield are sought, in Python
_HALVINGS = 7           # an error bar costs runs at half and at a quarter of the step


def seconds_of(file: ProblemFile, scheme: Any, error: bool = False) -> float:
    """Time for one run [s]."""
    model = file.problem.model
    steps, storeys = file.problem.steps(scheme.step), len(model.dofs)
    stages = scheme.stages
    full = stages > 1 or _is_full(model.damping) or getattr(scheme, "locate", False)
    cost = steps * storeys * _CELL
    if full:
        cost += steps * (storeys * stages) ** 2 * _PAIR
    if getattr(scheme, "locate", False):
        cost += steps * len(model.springs) * _LOCATED
    return cost * (_HALVINGS if error else 1)


def _is_full(damping: Damping) -> bool:
    """True where damping couples storeys that do not touch: modal damping, or a matrix of its own."""
    matrix = damping.matrix
    entries = matrix.nnz if hasattr(matrix, "nnz") else int(np.count_nonzero(matrix))
    return damping.weights.size > 0 or entries > 3 * matrix.shape[0]


def admit_effort(file: ProblemFile, schemes: list[Any], error: bool = False) -> None:
    """Refuse histories that take longer than a request may."""
    seconds = sum(seconds_of(file, scheme, error) for scheme in schemes)
    if seconds > limits.HISTORY:
        raise InputError(f"scheme.step: this would take about {seconds:.0f} s, and the studio has {limits.HISTORY:g} s "
                         "for it; take a longer step, fewer storeys or Rayleigh damping, or `hamex run`")
