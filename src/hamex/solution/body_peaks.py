"""Peaks of bodies: how far and how fast any node moved, and where it was; how far it flowed; the largest stress."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.solids.body import Body
from hamex.solution.fields import FIELDS, at_points, body_of
from hamex.solution.outline import Answers, Peak
from hamex.solution.peaks import OF_STRUCTURES, largest
from hamex.solution.schema import unit

Array = NDArray[Any]
OF_NODES = ("displacement", "velocity")
_AT_ONCE = 1 << 21  # numbers of a history that are looked at together
_CHEAP = 1 << 22  # points of stress times instants up to which the largest stress is looked for unasked


class BodyPeaks(Mapping[str, Peak]):
    """Peaks of a body by name; each is found when asked for.

    ``displacement`` and ``velocity`` are lengths of vectors at nodes of the body, ``equivalent_plastic_strain`` is
    there where the material can yield. ``von_mises`` is taken of the instants that were kept; where that takes long (a
    large body in many instants) it is found when asked for by its name, and not listed.
    """

    def __init__(self, solution: Answers, found: dict[str, Peak]) -> None:
        self._solution, self._found = solution, found
        self._body = body_of(solution, "peaks")
        known = dict(solution.extent.peaks or {})
        found.update({name: peak for name, peak in known.items() if name not in found})
        names = list(known) or [name for name in OF_NODES if _has(solution, name)]
        if not known:  # of a structure that stands on the body
            names += [name for name in OF_STRUCTURES if name in solution.names and name != "absolute_acceleration"]
        yields = bool(np.any(self._body.slipping >= 0)) and "slip" in solution.histories
        if yields and "equivalent_plastic_strain" not in names:
            names.append("equivalent_plastic_strain")
        # Parts of a run that is thinned, which begin with what was spent before, have no time for stresses.
        self._stressed = _has(solution, "displacement") and not solution.extent.spent
        work = self._body.slipping.size * (solution.steps + 1)
        self._names = (*names, *(("von_mises",) if self._stressed and work <= _CHEAP else ()))

    def __getitem__(self, name: str) -> Peak:
        if name not in self:
            raise KeyError(name)
        if name not in self._found:
            own = self._solution, self._body, name
            self._found[name] = largest(self._solution, name) if name in OF_STRUCTURES else peak_of(*own)
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names or (name == "von_mises" and self._stressed)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __str__(self) -> str:
        width = max((len(name) for name in self._names), default=0)
        return "\n".join(f"{name:{width}}  {peak}" for name, peak in self.items()) or "no peaks"


def _has(solution: Answers, name: str) -> bool:
    return name in solution.histories or name in solution.names


def peak_of(solution: Answers, body: Body, name: str) -> Peak:
    """One peak, with where it is."""
    if name in OF_NODES:
        value, instant, node = largest_size(solution, body, name)
        where = f"node {node + 1} at {_place(body.nodes[node])}"
    else:
        value, instant, place = _largest_of_points(solution, body, name)
        cell, point = np.unravel_index(place, body.slipping.shape)
        where = f"cell {cell + 1} at {_place(body.places[cell, point])}"
        if solution.extent.every > 1:
            where += f", of every {solution.extent.every}th step"
    label = unit(FIELDS[name].kind, solution.units.length, solution.units.force)
    return Peak(value, float(solution.times[instant]), where, label, solution.error_of(name))


def _place(point: Array) -> str:
    return f"({', '.join(f'{x:.6g}' for x in point)})"


def largest_size(solution: Answers, body: Body, name: str) -> tuple[float, int, int]:
    """Largest length of a vector at a node, with its instant and node."""
    best = (-1.0, 0, 0)
    for first, size in sizes(solution, body, name):
        place = int(size.argmax())
        instant, node = divmod(place, size.shape[1])
        if size.flat[place] > best[0]:
            best = (float(size.flat[place]), first + instant, node)
    return best


def sizes(solution: Answers, body: Body, name: str) -> Iterator[tuple[int, Array]]:
    """Lengths of the vectors at the nodes, (instant, node), some instants at a time, with the first of them."""
    history = solution.values(name)
    driven = None if solution.driven is None else solution.driven.at(name)
    together = max(_AT_ONCE // max(body.nodes.size, 1), 1)
    for first in range(0, len(history), together):
        some = slice(first, first + together)
        moved = body.displacement(history[some], None if driven is None else driven[some])
        yield first, np.linalg.norm(moved, axis=-1)


def _largest_of_points(solution: Answers, body: Body, name: str) -> tuple[float, int, int]:
    """Largest value at a point of stress at the instants that were kept, with its instant and point."""
    what = FIELDS[name]
    best = (-1.0, 0, 0)
    for instant in range(solution.steps + 1):
        found = at_points(solution, body, what.of, instant)
        size = found if what.made is None else what.made(body.components, found)
        place = int(size.argmax())
        if size.flat[place] > best[0]:
            best = (float(size.flat[place]), instant, place)
    return best


def most_moved(solution: Answers) -> int:
    """The dof that moved farthest at the instants that were kept."""
    u = solution.histories["displacement"]
    farthest = np.maximum(np.abs(u.max(axis=0)), np.abs(u.min(axis=0)))
    return int(np.where(solution.layout.turning_dofs, -1.0, farthest).argmax())
