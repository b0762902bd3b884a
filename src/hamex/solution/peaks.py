"""Peaks of a solution: the numbers an engineer reads first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.solution.schema import VARIABLES, unit

if TYPE_CHECKING:
    from hamex.solution.solution import Solution

Array = NDArray[Any]
PEAKS = ("displacement", "velocity", "force", "node_force", "slip")
OF_STRUCTURES = ("absolute_acceleration", "base_shear", "hinge_rotation", "storey_drift", "drift_ratio",
                 "storey_shear", "overturning_moment")


@dataclass(frozen=True)
class Peak:
    """Largest absolute value of a result over all its components, when and where it occurs.

    ``error`` is half the width of the error bar, None when no estimate was asked for. ``residual_slip`` and
    ``residual_drift`` are the signed values at the end, where they are largest; ``ductility`` is the largest
    deformation of a spring relative to its deformation at first yield. Rotations and moments do not compete with
    displacements and forces.
    """

    value: float
    time: float
    where: str
    unit: str
    error: float | None = None


def histories(solution: Solution) -> dict[str, tuple[Array, Sequence[str]]]:
    """What peaks are taken of: histories of comparable components, and the names of these."""
    names = PEAKS if solution.places is None else (*PEAKS, *OF_STRUCTURES)
    found = {name: _comparable(solution, name) for name in names if name in solution.names}
    if "ductility" in solution.names:
        limit = solution.values("yield_deformation")
        own = np.flatnonzero(np.isfinite(limit))
        demand = solution.values("deformation")[:, own] / limit[own]
        found["ductility"] = demand, [solution.springs[number] for number in own]
    return {name: pair for name, pair in found.items() if pair[0].size}


def _comparable(solution: Solution, name: str) -> tuple[Array, Sequence[str]]:
    values, dim = solution.values(name), VARIABLES[name].dims[1]
    labels = solution.labels(dim)
    if solution.places is None:
        return values, labels
    if dim == "direction":
        return values[:, :solution.places.horizontal], labels
    if dim in ("dof", "spring"):
        straight = ~(solution.places.turning_dofs if dim == "dof" else solution.places.turning_springs)
        return values[:, straight], [label for label, kept in zip(labels, straight, strict=True) if kept]
    return values, labels


def peaks(solution: Solution) -> dict[str, Peak]:
    """Peaks by name, node values at nodes and step means at the middle of their step.

    Elements of several stages know the displacement inside their steps; its peak is sought there too.
    """
    chosen = histories(solution)
    found = {name: _largest(solution, name, *pair) for name, pair in chosen.items()}
    if solution.inside is not None:
        found["displacement"] = _inside(solution, found["displacement"], chosen["displacement"][1])
    for residual, name in (("residual_slip", "slip"), ("residual_drift", "storey_drift")):
        if name in chosen:
            last = chosen[name][0][-1]
            worst = int(np.abs(last).argmax())
            found[residual] = Peak(float(last[worst]), float(solution.times[-1]), chosen[name][1][worst],
                                   solution.units.length, solution.error_of(residual))
    return found


def _largest(solution: Solution, name: str, values: Array, labels: Sequence[str]) -> Peak:
    size = np.abs(values)
    row, column = (int(place) for place in np.unravel_index(int(size.argmax()), size.shape))
    clock = solution.times if at_nodes(name) else solution.middles
    label = unit(VARIABLES[name].kind, solution.units.length, solution.units.force)
    return Peak(float(size[row, column]), float(clock[row]), labels[column], label, solution.error_of(name))


def _inside(solution: Solution, at_a_node: Peak, labels: Sequence[str]) -> Peak:
    """The peak displacement inside the steps, if it is larger than at the nodes."""
    assert solution.inside is not None
    u = solution.histories["displacement"]
    columns = [solution.dofs.index(label) for label in labels]
    stage = solution.inside.displacement(u)[:, :, columns]
    value, place, column = solution.inside.largest(u[:, columns], stage)
    if value <= at_a_node.value:
        return at_a_node
    return replace(at_a_node, value=value, time=place * solution.step, where=labels[column])


def at_nodes(name: str) -> bool:
    """True for histories at nodes, False for step means."""
    return VARIABLES[name].dims[0] != "interval"
