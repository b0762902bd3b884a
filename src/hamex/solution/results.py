"""Results that are computed from the histories when first asked for: by name, and as frames of an animation, where the
nodes are and which elements have yielded by then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite
from hamex.errors import InputError
from hamex.model.algebra import diagonal, rows
from hamex.model.laws.law import Law
from hamex.model.laws.path import passed
from hamex.model.layout import Geometry, Storeys, ratios
from hamex.model.record import yield_forces
from hamex.problem import Problem
from hamex.schemes.prepare import damping_of_one
from hamex.solution.source import Run

if TYPE_CHECKING:
    from hamex.solution.outline import Answers

Array = NDArray[Any]
Result = Callable[["Answers"], Array]
_SLIPPED = 1e-9  # of the largest deformation, less is no slip; of the yield force, a force so close to it is at it
_NOTHING = 1e-12  # of that of the springs of its unit: less is rounding, as of a hinge at a pin


def _storeys(s: Answers) -> Storeys:
    if s.layout.storeys is None:
        raise InputError("the model has no storeys")
    return s.layout.storeys


# Dofs and springs --------------------------------------------------------------------------------------------


def _load(s: Answers) -> Array:
    if s.scheme.at_ends:
        return s.loading.entered[1:] @ s.loading.patterns.T
    return s.loading.means @ s.loading.patterns.T


def _velocity(s: Answers) -> Array:
    """M⁻¹p; a dof without mass has no momentum, its velocity is the central difference."""
    velocity = s.model.velocity(s.histories["momentum"])
    light = s.model.massless
    if np.any(light):
        u = s.histories["displacement"][:, light]
        velocity[:, light] = np.gradient(u, s.step, axis=0) if len(u) > 1 else 0.0
    return velocity


def _deformation(s: Answers) -> Array:
    deformation = s.model.deformation(s.histories["displacement"])
    return deformation if s.problem.supports is None else deformation + s.loading.moved


def _mean_displacement(s: Answers) -> Array:
    u = s.histories["displacement"]
    return 0.5 * (u[:-1] + u[1:])  # eq. (88)


def _impulse(s: Answers) -> Array:
    start = start_impulse(s.problem)[None, :]
    return np.cumsum(np.vstack([start, s.step * s.values("force")]), axis=0)


def start_impulse(problem: Problem) -> Array:
    """Impulse of the springs at the start: as given, or from p + C u + B J = Î, eq. (54).

    With more springs than dofs eq. (54) leaves J open, and nothing depends on it: then it starts from zero.
    """
    start, model = problem.start, problem.model
    if "impulse" in start.internal:
        return start.internal["impulse"]
    if len(model.dofs) != 1 or len(model.springs) != 1:
        return np.zeros(len(model.springs))
    return np.array(
        [
            (problem.prior_impulse[0] - start.momentum[0] - damping_of_one(model) * start.displacement[0])
            / model.compatibility[0, 0]
        ]
    )


def _damping_force(s: Answers) -> Array:
    """C u̇ of the step; where supports move, damping acts on the motion relative to what they bring about slowly."""
    force, loading = s.model.damping_force(np.diff(s.histories["displacement"], axis=0) / s.step), s.loading
    moving = len(s.model.support_names)
    if s.problem.supports is not None:
        slow = slice(-2 * moving, -moving)  # these channels hold C r, the last ones K r
        force = force - loading.means[:, slow] @ loading.patterns[:, slow].T
    return force


def _yield_deformation(s: Answers) -> Array:
    """Not of hinges in series with a member: their own stiffness is a part of the member's, and a choice."""
    alone = np.asarray(abs(s.model.compatibility).T @ s.model.hinge_dofs) == 0
    return np.where(alone, yield_forces(s.model) * diagonal(s.model.flexibility), np.nan)


# Storeys, base and hinges ------------------------------------------------------------------------------------


def _storey_drift(s: Answers) -> Array:
    storeys = _storeys(s)
    drift = rows(s.histories["displacement"], storeys.drift.T)
    if s.base is not None:
        drift = drift - s.base @ (storeys.drift @ s.layout.influence).T
    return drift


def _overturning_moment(s: Answers) -> Array:
    """Σ shear × height of this storey and all above it that share its direction."""
    storeys = _storeys(s)
    direction = np.abs(storeys.above @ s.layout.influence).argmax(axis=1)
    work = s.values("storey_shear") * storeys.heights
    moment = np.empty_like(work)
    for axis in np.unique(direction):
        own = direction == axis
        moment[:, own] = np.cumsum(work[:, own][:, ::-1], axis=1)[:, ::-1]
    return moment


# Groups ------------------------------------------------------------------------------------------------------


def _summed(s: Answers, lost: Array) -> Array:
    by_group = lost @ s.layout.membership
    return np.vstack([np.zeros(by_group.shape[1]), np.cumsum(by_group, axis=0)])


ALWAYS: dict[str, Result] = {
    "load": _load,
    "velocity": _velocity,
    "acceleration": lambda s: np.diff(s.values("velocity"), axis=0) / s.step,
    "absolute_acceleration": lambda s: s.values("acceleration") + s.loading.means @ s.loading.ground.T,
    "deformation": _deformation,
    "node_force": lambda s: s.model.elastic_force(s.values("deformation") - s.histories["slip"]),
    "mean_displacement": _mean_displacement,
    "impulse": _impulse,
    "damping_force": _damping_force,
    "damping_peak": lambda s: np.asarray(np.abs(s.values("damping_force")).max(axis=0)),
    "spring_peak": lambda s: np.asarray(rows(np.abs(s.values("force")), abs(s.model.compatibility).T).max(axis=0)),
    "yield_deformation": _yield_deformation,
    "ductility": lambda s: np.asarray(np.abs(s.values("deformation")).max(axis=0) / s.values("yield_deformation")),
}
OF_STRUCTURES: dict[str, Result] = {
    "base_shear": lambda s: rows(s.values("force"), (s.model.compatibility.T @ s.layout.influence)),
    "base_damping": lambda s: s.values("damping_force") @ s.layout.influence,
    "plastic_by_group": lambda s: _summed(s, s.split.plastic),
    "viscous_by_group": lambda s: _summed(s, s.split.viscous),
    "hardening_by_group": lambda s: np.asarray(s.split.hardening @ s.layout.membership),
    "stored_by_group": lambda s: np.asarray(s.split.stored @ s.layout.membership),
}
_OF_GROUPS = ("plastic_by_group", "viscous_by_group", "hardening_by_group", "stored_by_group")
_OF_SPRINGS = ("damping_peak", "spring_peak", "yield_deformation", "ductility")
OF_HINGES: dict[str, Result] = {
    "hinge_rotation": lambda s: s.histories["slip"][:, s.layout.hinges],
    "hinge_moment": lambda s: s.values("force")[:, s.layout.hinges],
}
OF_STOREYS: dict[str, Result] = {
    "storey_drift": _storey_drift,
    "storey_shear": lambda s: rows(s.values("force"), (_storeys(s).above @ s.model.compatibility).T),
    "storey_damping": lambda s: rows(s.values("damping_force"), _storeys(s).above.T),
    "residual_drift": lambda s: s.values("storey_drift")[-1].copy(),
}
OF_HEIGHTS: dict[str, Result] = {
    "drift_ratio": lambda s: ratios(s.values("storey_drift"), _storeys(s).heights),
    "overturning_moment": _overturning_moment,
}


# What belongs to one node alone, with the histories it needs: these can be computed where steps were left out.
_AT_A_NODE = {
    "deformation": ("displacement",),
    "node_force": ("displacement", "slip"),
    "velocity": ("momentum",),
    "storey_drift": ("displacement",),
    "drift_ratio": ("displacement",),
    "residual_drift": ("displacement",),
    "hinge_rotation": ("slip",),
    "yield_deformation": (),
}


def derivable(s: Answers) -> dict[str, Result]:
    """What can be computed for this solution, by name."""
    found = _all(s)
    if not s.is_thinned:
        return found
    if not isinstance(s.source, Run) or s.problem.supports is not None:
        return {}
    still = {name: needs for name, needs in _AT_A_NODE.items() if name != "velocity" or not np.any(s.model.massless)}
    return {
        name: result
        for name, result in found.items()
        if name in still and all(need in s.histories for need in still[name])
    }


def _all(s: Answers) -> dict[str, Result]:
    if not isinstance(s.source, Run):
        return {}
    found = dict(ALWAYS)
    groups = {name: OF_STRUCTURES[name] for name in _OF_GROUPS}
    if s.layout.is_body:
        for name in _OF_SPRINGS:
            del found[name]
        return found | (groups if s.layout.is_structure else {})
    if not s.layout.is_structure:
        return found
    found |= OF_STRUCTURES if s.layout.body is None else groups  # stresses of a body are no shear of a base
    if s.layout.hinges.size:
        found |= OF_HINGES
    if s.layout.storeys is not None:
        found |= OF_STOREYS | (OF_HEIGHTS if s.layout.storeys.has_heights else {})
    return found


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
    return frames_at(solution, nodes, scale)


def frames_at(solution: Answers, nodes: Array, scale: float) -> Frames:
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


_SMOOTH = 12  # points of a smooth law on its way to the farthest deformation


def strength_left(solution: Answers, nodes: Array) -> Array:
    """(node, spring): what is left of the strength of springs whose force may fall, on the weaker of their sides; NaN
    for others.

    The strength of a side is the largest force on a push from the present state to the farthest deformation of the
    run, over that of a new spring. A law is followed from turning point to turning point, which is all that it knows.
    """
    model, e = solution.scheme.sees(solution.model), solution.values("deformation")
    left, k, start = np.full((len(nodes), e.shape[1]), np.nan), 1 / diagonal(model.flexibility), solution.problem.start
    for group in model.laws.values():
        if not group.law.softens or group.law.form != "path":
            continue
        table = group.law.prepared(group, k[group.first], 1.0)
        for row, spring in zip(table, group.first.tolist(), strict=True):
            far = float(np.abs(e[:, spring]).max())
            z = np.array([start.internal.get(name, np.zeros(spring + 1))[spring] for name in group.law.variables])
            new = [_pushed(group.law, row, 0.0, way * far, np.zeros_like(z)) for way in (1.0, -1.0)]
            at = float(e[0, spring])
            for node in _turns(e[:, spring], nodes):
                goal = float(e[node, spring])
                passed(group.law, row, at, goal, 1.0, z)
                at = goal
                here = np.flatnonzero(nodes == node)
                if here.size and min(new) > 0:
                    now = [_pushed(group.law, row, at, way * far, z.copy()) for way in (1.0, -1.0)]
                    left[here, spring] = min(1.0, *(a / b for a, b in zip(now, new, strict=True)))
    return left


def _turns(e: Array, nodes: Array) -> list[int]:
    """Nodes at which a history turns, and those given."""
    way = np.sign(np.diff(e))
    way = way[np.maximum.accumulate(np.where(way != 0, np.arange(len(way)), 0))] if len(way) else way
    return np.union1d(np.flatnonzero(np.diff(way)) + 1, nodes).tolist()


def _pushed(law: type[Law], p: Array, e: float, goal: float, z: Array) -> float:
    """Largest force towards the goal on the way there."""
    count = 1 if law.spring_piece is not None else _SMOOTH
    way, points = (1.0 if goal > 0 else -1.0), np.linspace(e, goal, count + 1)
    most = way * float(p[0] * (e - z[0])) if z.any() else 0.0
    for a, b in zip(points[:-1].tolist(), points[1:].tolist(), strict=True):
        most = max([most, *(way * force for _, force, _, _, _ in passed(law, p, a, b, 1.0, z))])
    return most


def has_slipped(solution: Answers) -> Array:
    """(node, spring): True from where a spring with a yield limit is at its yield force, or has slipped, on."""
    slip = np.abs(solution.values("slip") - solution.values("slip")[0])
    most, turning = np.abs(solution.values("deformation")).max(axis=0), solution.layout.turning_springs
    rounding = np.where(turning, most[turning].max(initial=0.0), most[~turning].max(initial=0.0))
    yielded = slip > np.maximum(_SLIPPED * most, _NOTHING * rounding)
    if solution.at_ends and isinstance(solution.source, Run):
        limit = yield_forces(solution.model)
        yielded |= np.abs(np.abs(solution.values("node_force")) - limit) < _SLIPPED * limit
    return np.asarray(np.logical_or.accumulate(yielded & solution.layout.yields, axis=0))
