"""Peaks of a solution: the numbers an engineer reads first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hamex.solution.schema import VARIABLES, unit

if TYPE_CHECKING:
    from hamex.solution.solution import Solution

PEAKS = ("displacement", "velocity", "force", "node_force", "slip")


@dataclass(frozen=True)
class Peak:
    """Largest absolute value of a result over all its components, when and where it occurs.

    ``error`` is half the width of the error bar, None when no estimate was asked for. ``residual_slip`` is
    the signed slip at the end, of the spring where it is largest.
    """

    value: float
    time: float
    where: str
    unit: str
    error: float | None = None


def peaks(solution: Solution) -> dict[str, Peak]:
    """Peaks by name, node values at nodes and step means at the middle of their step."""
    held = [name for name in PEAKS if name in solution.names]
    found = {name: _largest(solution, name) for name in held if solution.values(name).size}
    if not solution.springs:
        return found
    slip = solution.values("slip")[-1]
    worst = int(np.abs(slip).argmax())
    end = float(solution.times[-1])
    found["residual_slip"] = Peak(float(slip[worst]), end, solution.springs[worst], solution.units.length,
                                  solution.error_of("residual_slip"))
    return found


def _largest(solution: Solution, name: str) -> Peak:
    size = np.abs(solution.values(name))
    row, column = np.unravel_index(int(size.argmax()), size.shape)
    variable = VARIABLES[name]
    clock = solution.times if variable.dims[0] == "time" else solution.middles
    names = solution.dofs if variable.dims[1] == "dof" else solution.springs
    label = unit(variable.kind, solution.units.length, solution.units.force)
    return Peak(float(size[row, column]), float(clock[row]), names[column], label, solution.error_of(name))
