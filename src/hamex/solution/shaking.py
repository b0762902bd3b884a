"""The motion of a place as a ground motion: what a floor, or the surface of a site, hands on to what stands on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import InputError, UnitError
from hamex.model.algebra import rows
from hamex.model.inputs import few
from hamex.model.units import UNSTATED_LENGTH
from hamex.motion.ground import GroundMotion
from hamex.solution.outline import Answers
from hamex.solution.source import Run

Array = NDArray[Any]
GROUND = "ground"


def check_accelerations(who: str, solution: Answers) -> None:
    """Refuse runs that do not hold an acceleration for every step."""
    if solution.at_ends or "absolute_acceleration" not in solution.names or solution.extent.every > 1:
        why = "slow loading has no accelerations" if solution.at_ends else "not every step was kept; leave keep out"
        raise InputError(f"{who}: {why}")


def motion(solution: Answers, at: str | ArrayLike, direction: str | None) -> GroundMotion:
    """What :meth:`hamex.Solution.motion` says."""
    check_accelerations("motion", solution)
    length = solution.units.length
    if length == UNSTATED_LENGTH:
        raise UnitError(
            "motion: the unit of its acceleration is not known; the model must state its units of length and force"
        )
    if isinstance(at, str):
        samples, where = _of_name(solution, at, direction), at
    else:
        way = direction or _shaken(solution)
        samples = _of_place(solution, at, way)
        where = f"({', '.join(f'{x:g}' for x in np.ravel(at))}) in {way}"
    load = solution.problem.load.source if isinstance(solution.source, Run) else ""
    model = f"{len(solution.dofs)} dofs, {solution.source.by}, step {solution.step:g} s"
    source = f"motion of {where} in a model of {model}" + (f", under {load}" if load else "")
    return GroundMotion(samples, solution.step, f"{length}/s2", source, where, "synthetic")


def ground_accelerations(solution: Answers) -> Array:
    """(step, direction): mean acceleration of the ground in every step [length/time²]; zeros where it stands still."""
    loading = solution.loading
    if not np.any(loading.ground):
        return np.zeros((solution.steps, len(solution.layout.directions)))
    felt = np.linalg.lstsq(solution.layout.influence, loading.ground)[0]
    return np.asarray(loading.means @ felt.T)


def _shaken(solution: Answers) -> str:
    """The direction in which the ground shakes most, or the only one."""
    ways = solution.layout.directions
    most = np.abs(ground_accelerations(solution)).max(axis=0)
    if len(ways) > 1 and not most.any():
        raise InputError(f"motion: say the direction, one of {', '.join(ways)}; the ground stands still")
    return ways[int(most.argmax())]


def _of_name(solution: Answers, name: str, direction: str | None) -> Array:
    layout = solution.layout
    if name == GROUND:
        way = direction or _shaken(solution)
        if way not in layout.directions:
            raise InputError(f"motion: there is no direction {way!r}; there are {', '.join(layout.directions)}")
        return ground_accelerations(solution)[:, layout.directions.index(way)]
    if direction is not None:
        raise InputError(f"motion: {name!r} tells its direction; leave direction out, or give coordinates in a solid")
    absolute = solution.values("absolute_acceleration")
    if layout.storeys is not None and layout.storeys.floors is not None and name in layout.storeys.names:
        return rows(absolute, layout.storeys.floors[[layout.storeys.names.index(name)]].T)[:, 0]
    if name not in layout.dofs:
        storeys = () if layout.storeys is None else layout.storeys.names
        raise InputError(f"motion: there is no {name!r}; there are {few((*storeys, *layout.dofs[:50]), name)}")
    return np.asarray(absolute[:, layout.dofs.index(name)])


def _of_place(solution: Answers, at: ArrayLike, way: str) -> Array:
    body = solution.layout.body
    if body is None:
        raise InputError("motion: only solids have places by coordinates; name a dof or a storey")
    if way not in tuple("xyz"[: body.dimension]):
        raise InputError(f"motion: there is no direction {way!r}; there are {', '.join('xyz'[: body.dimension])}")
    from hamex.solution.fields import probe  # xarray, which a motion by name does without

    return np.asarray(probe(solution, at, "absolute_acceleration").sel(component=way))[:, 0]
