"""Frames of an animation: where the nodes are, and which elements have yielded by then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite
from hamex.errors import InputError
from hamex.model.algebra import rows
from hamex.model.layout import Geometry

if TYPE_CHECKING:
    from hamex.solution.outline import Answers

Array = NDArray[Any]
_SLIPPED = 1e-9  # of the largest deformation: less is no slip


@dataclass(frozen=True, eq=False)
class Frames:
    """Pictures of a structure at some instants.

    Attributes
    ----------
    times : of the frames [s].
    positions : (frame, node, axis), coordinates plus magnified displacements [length].
    yielded : (frame, element), True where some spring of the element has slipped by then.
    slipped : (frame, spring), the same spring by spring.
    geometry : nodes, elements and their springs.
    scale : factor on the displacements.
    """

    times: Array
    positions: Array
    yielded: Array
    slipped: Array
    geometry: Geometry
    scale: float


def frames(solution: Answers, count: int, scale: float) -> Frames:
    """Evenly spaced instants from the start to the end."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"frames: count must be a whole number from 1 on, got {count!r}")
    if not is_finite(scale):
        raise InputError(f"frames: scale must be a finite number, got {scale!r}")
    nodes = (
        np.unique(np.linspace(0, solution.steps, count).round().astype(int))
        if count > 1
        else np.array([solution.steps])
    )
    return at(solution, nodes, scale)


def at(solution: Answers, nodes: Array, scale: float) -> Frames:
    """Frames at chosen nodes of the time axis."""
    layout = solution.layout
    geometry = layout.geometry
    if not layout.is_structure or geometry is None:
        raise InputError("frames: the model has no geometry; builders of frames and trusses give it")
    u = solution.values("displacement")[nodes]
    if solution.base is not None:
        u = u - solution.base[nodes] @ layout.influence.T  # relative to the ground
    moved = rows(u, geometry.motion.T).reshape(len(nodes), *geometry.coordinates.shape)
    slipped = has_slipped(solution)[nodes]
    yielded = np.zeros((len(nodes), len(geometry.names)), dtype=bool)
    for element, springs in enumerate(geometry.springs):
        yielded[:, element] = slipped[:, list(springs)].any(axis=1)
    return Frames(solution.times[nodes], geometry.coordinates + scale * moved, yielded, slipped, geometry, float(scale))


def has_slipped(solution: Answers) -> Array:
    """(node, spring): True from the first slip of a spring with a yield limit on."""
    slip = np.abs(solution.values("slip") - solution.values("slip")[0])
    least = _SLIPPED * np.abs(solution.values("deformation")).max(axis=0)
    return np.asarray(np.logical_or.accumulate((slip > least) & solution.layout.yields, axis=0))
