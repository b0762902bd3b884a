"""What results and pictures need to know of a structure, as the solution takes it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.record import Model
from hamex.solution.places import Geometry, Places, Storeys
from hamex.solve.problem import Problem

Array = NDArray[Any]
_ROTATION = re.compile(r".*\.r[xyz]$")
_MOMENT = re.compile(r".*\.(M[yz]?[12]|T)$")


def places_of(problem: Problem, h: float, steps: int) -> Places | None:
    """Places of the problem's model, with the motion of its supports; None for an oscillator."""
    model = problem.model
    if not model.groups:
        return None
    still = still_places(model)
    if problem.supports is None:
        return still
    d = problem.supports.node_values(h, steps, quiet=True)
    if problem.supports.patterns is not None:
        d = d @ problem.supports.patterns.T
    base = np.zeros((steps + 1, len(model.directions)))
    for column, direction in enumerate(model.directions):
        own = [i for i, name in enumerate(model.support_names)
               if name.endswith(f".{direction}") or len(model.directions) == 1]
        if own:
            base[:, column] = d[:, own].mean(axis=1)
    return Places(**{**vars(still), "moving_supports": len(model.support_names), "base": base})


def still_places(model: Model) -> Places:
    """Places of a model whose supports stand still."""
    jointed = model.geometry is not None     # names of frames follow a rule; those of matrices are the user's own
    storeys, geometry = model.storeys, model.geometry
    return Places(
        directions=model.directions, influence=model.influence, groups=model.groups, yields=_yields(model),
        turning_dofs=np.array([jointed and _ROTATION.match(name) is not None for name in model.dofs]),
        turning_springs=np.array([jointed and _MOMENT.match(name) is not None for name in model.springs]),
        storeys=None if storeys is None else Storeys(storeys.names, storeys.heights, storeys.drift, storeys.above),
        geometry=None if geometry is None else Geometry(geometry.nodes, geometry.coordinates, geometry.motion,
                                                        geometry.elements, geometry.names, geometry.springs))


def _yields(model: Model) -> Array:
    out = np.zeros(len(model.springs), dtype=bool)
    for group in model.laws.values():
        out[group.springs] = group.law.yields(group)
    return out
