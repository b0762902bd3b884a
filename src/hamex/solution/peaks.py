"""The numbers an engineer reads first: peaks of a solution, the first passing of a physical limit, and the share of
viscous damping; of bodies the farthest and fastest node, the largest stress and plastic strain, and where.

That share is its largest force beside the largest spring force, with a warning where it is large. Damping stands for
what the springs leave out, and a few per cent of critical should carry a few per cent of the force. In a structure that
yields, spring forces stop growing while velocities do not; damping proportional to the initial stiffness may then carry
a large part of the shear, or of the moment at a joint, and make the structure look stronger than it is (Hall 2006;
Charney 2008; Chopra & McKenna 2016). Beyond ``IMPLAUSIBLE`` a warning names the place. Plain dashpots among the
elements are meant to carry force: with them there is a report, but no warning."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import DampingWarning, InputError, UnknownNameError
from hamex.model.solids.body import Body
from hamex.solution.outline import MOVING, TURNING, Answers, Exceedance, Peak, unit, variable
from hamex.solution.results import has_slipped

if TYPE_CHECKING:
    from hamex.schemes.stages import StageHistory

Array = NDArray[Any]
PEAKS = ("displacement", "velocity", "force", "node_force", "slip")
OF_STRUCTURES = (
    "absolute_acceleration",
    "base_shear",
    "hinge_rotation",
    "storey_drift",
    "drift_ratio",
    "storey_shear",
    "overturning_moment",
)
WORDS = {  # of those whose name does not tell what they are
    "force": "spring force, step mean",
    "node_force": "spring force, at nodes",
    "base_shear": "base shear of the springs",
    "residual_slip": "residual slip (signed)",
    "residual_drift": "residual drift (signed)",
    "ductility": "ductility of a spring",
}
RESIDUALS = {"residual_slip": "slip", "residual_drift": "storey_drift"}  # the last values of these
IMPLAUSIBLE = 0.2  # share of damping in the largest spring force beyond which a warning names the place
_SMALL = 0.01  # joints whose damping moment is below this share of the largest spring moment do not count


class PeaksByName(Mapping[str, Peak]):
    """Names of peaks, listed and printed; each peak is found when asked for."""

    _names: tuple[str, ...]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _check(self, name: object) -> None:
        if name not in self._names:
            raise UnknownNameError(f"peaks: there is no {name!r:.40}; there are {', '.join(self._names)}")

    def __repr__(self) -> str:
        return repr(dict(self))

    def __str__(self) -> str:
        width = max((len(name) for name in self._names), default=0)
        return "\n".join(f"{name:{width}}  {peak}" for name, peak in self.items()) or "no peaks"


class Peaks(PeaksByName):
    """Peaks by name, node values at nodes and step means at the middle of their step; each is found when asked for.

    Elements of several stages know the displacement inside their steps; its peak is sought there too.
    """

    def __init__(self, solution: Answers, found: dict[str, Peak]) -> None:
        self._solution, self._found = solution, found
        kept = [name for name in candidates(solution) if components(solution, name).size]
        self._names = (*kept, *(residual for residual, name in RESIDUALS.items() if name in kept))

    def __getitem__(self, name: str) -> Peak:
        self._check(name)
        if name not in self._found:
            self._found[name] = _residual(self._solution, name) if name in RESIDUALS else largest(self._solution, name)
        return self._found[name]


def candidates(solution: Answers) -> list[str]:
    """Results that peaks are taken of."""
    names = (*PEAKS, *OF_STRUCTURES, "ductility") if solution.layout.is_structure else (*PEAKS, "ductility")
    return [name for name in names if name in solution.names and not (solution.at_ends and name in MOVING)]


def components(solution: Answers, name: str) -> Array:
    """Numbers of the components of a result that compete for its peak: not rotations, not what has no yield limit."""
    layout = solution.layout
    if name == "ductility":
        return np.flatnonzero(np.isfinite(solution.values("yield_deformation")))
    dim = variable(name).dims[1]
    if dim == "dof":
        straight = ~layout.turning_dofs
        return np.flatnonzero(straight | ~straight.any())  # of an action all may be angles
    if dim == "spring":
        return np.flatnonzero(~layout.turning_springs)
    return np.arange(layout.horizontal if dim == "direction" else len(solution.labels(dim)))


def histories(solution: Answers, name: str) -> tuple[Array, Sequence[str]]:
    """What a peak is taken of: a history of comparable components, and the names of these."""
    own = components(solution, name)
    if name == "ductility":
        demand = solution.values("deformation")[:, own] / solution.values("yield_deformation")[own]
        return demand, Chosen(solution.springs, own)
    values, labels = solution.values(name), solution.labels(variable(name).dims[1])
    return (values, labels) if own.size == len(labels) else (values[:, own], Chosen(labels, own))


class Chosen(Sequence[str]):
    """Some of many names, made when they are asked for."""

    def __init__(self, names: Sequence[str], places: Array) -> None:
        self.names, self.places = names, places

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, place: Any) -> Any:
        return self.names[self.places[place]]


def largest(solution: Answers, name: str) -> Peak:
    """The peak of a result."""
    values, labels = histories(solution, name)
    found = _largest(solution, name, values, labels)
    if name != "displacement" or solution.inside is None:
        return found
    return _inside(solution, solution.inside, found, labels)


def _residual(solution: Answers, name: str) -> Peak:
    values, labels = histories(solution, RESIDUALS[name])
    last = values[-1]
    worst = int(np.abs(last).argmax())
    last, time, slow = float(last[worst]), float(solution.times[-1]), solution.at_ends
    return Peak(last, time, labels[worst], solution.units.length, solution.error_of(name), slow)


def _largest(solution: Answers, name: str, values: Array, labels: Sequence[str]) -> Peak:
    size = np.abs(values)
    row, column = (int(place) for place in np.unravel_index(int(size.argmax()), size.shape))
    clock = solution.times if at_nodes(name) else solution.middles
    kind, turning = variable(name).kind, solution.layout.turning_dofs
    kind = TURNING[kind] if variable(name).dims[-1] == "dof" and turning.all() and kind in TURNING else kind
    label = unit(kind, solution.units.length, solution.units.force)
    return Peak(
        float(size[row, column]), float(clock[row]), labels[column], label, solution.error_of(name), solution.at_ends
    )


def _inside(solution: Answers, inside: StageHistory, at_a_node: Peak, labels: Sequence[str]) -> Peak:
    """The peak displacement inside the steps, if it is larger than at the nodes."""
    u = solution.histories["displacement"]
    columns = components(solution, "displacement")
    stage = inside.displacement(u)[:, :, columns]
    value, place, column = inside.largest(u[:, columns], stage)
    if value <= at_a_node.value:
        return at_a_node
    return replace(at_a_node, value=value, time=(solution.extent.first + place) * solution.step, where=labels[column])


def at_nodes(name: str) -> bool:
    """True for histories at nodes, False for step means."""
    return variable(name).dims[0] != "interval"


def exceedance(solution: Answers) -> Exceedance | None:
    """The limit that was passed first, or None."""
    passed = []
    for name, limit in (("drift_ratio", solution.limit.drift_ratio), ("storey_drift", solution.limit.drift)):
        if limit is None or name not in solution.names:
            continue
        size = np.abs(solution.values(name))
        rows = np.flatnonzero((size > limit).any(axis=1))
        if rows.size:
            row, own = int(rows[0]), int((size[rows[0]] > limit).argmax())
            before, after = size[max(row - 1, 0), own], size[row, own]
            time = float(solution.times[row])
            back = solution.step * float((after - limit) / (after - before)) if row else 0.0
            passed.append(Exceedance(name, solution.labels("storey")[own], time, limit, time - back))
    return min(passed, key=lambda found: (found.time, found.crossing), default=None)


@dataclass(frozen=True)
class DampingShare:
    """Largest damping force and largest spring force at the place where their ratio is largest.

    Places are storeys where the model knows them (forces are storey shears), else the base by direction (base
    shears), and the joints of frames (moments: the damping moment beside the sum of the moments of all springs).

    Attributes
    ----------
    share : largest damping force over largest spring force [1]; the two need not happen at one time.
    where : storey, direction or dof.
    damping, spring : the two forces, in ``unit``.
    """

    share: float
    where: str
    damping: float
    spring: float
    unit: str


def damping_share(solution: Answers) -> DampingShare:
    """The place where damping carries most, relative to the springs; warns where that is implausible."""
    if solution.layout.body is not None:
        raise InputError("damping_share: a body has no storeys; its viscous energy tells what damping takes")
    found = max(_shares_by_place(solution), key=lambda each: each.share)
    if found.share > IMPLAUSIBLE and has_slipped(solution).any() and not solution.layout.has_dashpots:
        warnings.warn(
            f"damping carries {100 * found.share:.0f} % of the largest spring force at {found.where!r} "
            f"({found.damping:.4g} beside {found.spring:.4g} {found.unit}) while springs yield; "
            "take less damping, modal damping, or damping without the initial stiffness of what yields",
            DampingWarning,
            stacklevel=3,
        )
    return found


def _shares_by_place(solution: Answers) -> list[DampingShare]:
    force, moment = (unit(kind, solution.units.length, solution.units.force) for kind in ("force", "moment"))
    if not solution.layout.is_structure:
        return _shares(solution.dofs, solution.values("damping_peak"), solution.values("spring_peak"), force)
    by_storey = "storey_shear" in solution.names
    names = ("storey_damping", "storey_shear") if by_storey else ("base_damping", "base_shear")
    labels = solution.labels("storey" if by_storey else "direction")
    # What happens after a collapse says nothing about damping.
    end = solution.steps if solution.exceeded is None else max(round(solution.exceeded.time / solution.step), 1)
    damping, spring = (np.abs(solution.values(name)[:end]).max(axis=0) for name in names)
    if not by_storey:
        damping, spring = damping[: solution.layout.horizontal], spring[: solution.layout.horizontal]
    found = _shares(labels[: damping.size], damping, spring, force)
    turning = solution.layout.turning_dofs
    if turning.any() and end == solution.steps:
        damping, spring = (solution.values(name)[turning] for name in ("damping_peak", "spring_peak"))
        joints = [name for name, turns in zip(solution.dofs, turning, strict=True) if turns]
        found += [each for each in _shares(joints, damping, spring, moment) if each.damping > _SMALL * spring.max()]
    return found


def _shares(labels: Any, damping: Array, spring: Array, label: str) -> list[DampingShare]:
    return [
        DampingShare(float(d / f) if f > 0 else 0.0, str(where), float(d), float(f), label)
        for where, d, f in zip(labels, damping, spring, strict=True)
    ]


OF_NODES = ("displacement", "velocity")
_AT_ONCE = 1 << 21  # numbers of a history that are looked at together
_CHEAP = 1 << 22  # points of stress times instants up to which the largest stress is looked for unasked


class BodyPeaks(PeaksByName):
    """Peaks of a body by name; each is found when asked for.

    ``displacement`` and ``velocity`` are lengths of vectors at nodes of the body, ``equivalent_plastic_strain`` is
    there where the material can yield. ``von_mises`` is taken of the instants that were kept; where that takes long (a
    large body in many instants) it is found when asked for by its name, and not listed.
    """

    def __init__(self, solution: Answers, found: dict[str, Peak]) -> None:
        self._solution, self._found = solution, found
        from hamex.solution.fields import body_of

        self._body = body_of(solution, "peaks")
        known = dict(solution.extent.peaks or {})
        found.update({name: peak for name, peak in known.items() if name not in found})
        names = list(known) or [
            name for name in OF_NODES if _has(solution, name) and not (solution.at_ends and name in MOVING)
        ]
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
            self._check(name)
        if name not in self._found:
            own = self._solution, self._body, name
            self._found[name] = largest(self._solution, name) if name in OF_STRUCTURES else peak_of(*own)
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names or (name == "von_mises" and self._stressed)


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
    from hamex.solution.fields import FIELDS

    label = unit(FIELDS[name].kind, solution.units.length, solution.units.force)
    return Peak(value, float(solution.times[instant]), where, label, solution.error_of(name), solution.at_ends)


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
    from hamex.solution.fields import FIELDS, at_points

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
