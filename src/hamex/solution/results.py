"""Results that are computed from the histories when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.solution.energy import slip_dissipation, stored_by_hardening
from hamex.solution.places import Places, Storeys
from hamex.solution.system import System, diagonal, rows

if TYPE_CHECKING:
    from hamex.solution.solution import Loading, Solution

Array = NDArray[Any]
Result = Callable[["Solution"], Array]


def _parts(s: Solution) -> tuple[System, Loading]:
    assert s.system is not None
    assert s.loading is not None
    return s.system, s.loading


def _places(s: Solution) -> Places:
    assert s.places is not None
    return s.places


def _storeys(s: Solution) -> Storeys:
    storeys = _places(s).storeys
    assert storeys is not None
    return storeys


# Dofs and springs --------------------------------------------------------------------------------------------


def _load(s: Solution) -> Array:
    return _parts(s)[1].means @ _parts(s)[1].patterns.T


def _velocity(s: Solution) -> Array:
    """M⁻¹p; a dof without mass has no momentum, its velocity is the central difference."""
    system, _ = _parts(s)
    velocity = system.velocity(s.histories["momentum"])
    light = system.massless
    if np.any(light):
        u = s.histories["displacement"][:, light]
        velocity[:, light] = np.gradient(u, s.step, axis=0) if len(u) > 1 else 0.0
    return velocity


def _acceleration(s: Solution) -> Array:
    return np.diff(s.values("velocity"), axis=0) / s.step


def _absolute_acceleration(s: Solution) -> Array:
    _, loading = _parts(s)
    return s.values("acceleration") + loading.means @ loading.ground.T


def _deformation(s: Solution) -> Array:
    system, loading = _parts(s)
    return system.deformation(s.histories["displacement"]) + (0.0 if loading.moved is None else loading.moved)


def _node_force(s: Solution) -> Array:
    return _parts(s)[0].force(s.values("deformation") - s.histories["slip"])


def _mean_displacement(s: Solution) -> Array:
    u = s.histories["displacement"]
    return 0.5 * (u[:-1] + u[1:])                                                        # eq. (88)


def _impulse(s: Solution) -> Array:
    start = s.internal["start_impulse"][None, :]
    return np.cumsum(np.vstack([start, s.step * s.values("force")]), axis=0)


def _damping_force(s: Solution) -> Array:
    """C u̇ of the step; where supports move, damping acts on the motion relative to what they bring about slowly."""
    system, loading = _parts(s)
    force = system.damping_force(np.diff(s.histories["displacement"], axis=0) / s.step)
    moving = 0 if s.places is None else s.places.moving_supports
    if moving:
        slow = slice(-2 * moving, -moving)       # these channels hold C r, the last ones K r
        force = force - loading.means[:, slow] @ loading.patterns[:, slow].T
    return force


def _damping_peak(s: Solution) -> Array:
    return np.asarray(np.abs(s.values("damping_force")).max(axis=0))


def _spring_peak(s: Solution) -> Array:
    return np.asarray(rows(np.abs(s.values("force")), abs(_parts(s)[0].compatibility).T).max(axis=0))


def _yield_deformation(s: Solution) -> Array:
    system, _ = _parts(s)
    limited = np.isfinite(system.yield_force) & (system.yield_force > 0) & ~system.blocked
    return np.where(limited, np.where(limited, system.yield_force, 0.0) * diagonal(system.flexibility), np.nan)


def _ductility(s: Solution) -> Array:
    return np.asarray(np.abs(s.values("deformation")).max(axis=0) / s.values("yield_deformation"))


# Storeys, base and hinges ------------------------------------------------------------------------------------


def _storey_drift(s: Solution) -> Array:
    storeys, places = _storeys(s), _places(s)
    drift = rows(s.histories["displacement"], storeys.drift.T)
    if places.base is not None:
        drift = drift - places.base @ (storeys.drift @ places.influence).T
    return drift


def _drift_ratio(s: Solution) -> Array:
    return s.values("storey_drift") / _storeys(s).heights


def _storey_shear(s: Solution) -> Array:
    return rows(s.values("force"), (_storeys(s).above @ _parts(s)[0].compatibility).T)


def _storey_damping(s: Solution) -> Array:
    return rows(s.values("damping_force"), _storeys(s).above.T)


def _overturning_moment(s: Solution) -> Array:
    """Σ shear × height of this storey and all above it that share its direction."""
    storeys = _storeys(s)
    direction = np.abs(storeys.above @ _places(s).influence).argmax(axis=1)
    work = s.values("storey_shear") * storeys.heights
    moment = np.empty_like(work)
    for axis in np.unique(direction):
        own = direction == axis
        moment[:, own] = np.cumsum(work[:, own][:, ::-1], axis=1)[:, ::-1]
    return moment


def _residual_drift(s: Solution) -> Array:
    return s.values("storey_drift")[-1].copy()


def _base_shear(s: Solution) -> Array:
    return rows(s.values("force"), (_parts(s)[0].compatibility.T @ _places(s).influence))


def _base_damping(s: Solution) -> Array:
    return s.values("damping_force") @ _places(s).influence


def _hinge_rotation(s: Solution) -> Array:
    return s.histories["slip"][:, _places(s).hinges]


def _hinge_moment(s: Solution) -> Array:
    return s.values("force")[:, _places(s).hinges]


# Groups ------------------------------------------------------------------------------------------------------


def _plastic_by_group(s: Solution) -> Array:
    lost = slip_dissipation(_parts(s)[0], s.step, s.values("force"), np.diff(s.histories["slip"], axis=0),
                            s.histories.get("back_force"), s.histories.get("accumulated_slip"))
    by_group = lost @ _places(s).membership
    return np.vstack([np.zeros(by_group.shape[1]), np.cumsum(by_group, axis=0)])


def _hardening_by_group(s: Solution) -> Array:
    stored = stored_by_hardening(_parts(s)[0], s.histories.get("back_force"), s.histories.get("accumulated_slip"),
                                 s.steps + 1)
    return stored @ _places(s).membership


def _stored_by_group(s: Solution) -> Array:
    elastic = s.values("deformation") - s.histories["slip"]
    return 0.5 * (s.values("node_force") * elastic) @ _places(s).membership


ALWAYS: dict[str, Result] = {
    "load": _load, "velocity": _velocity, "acceleration": _acceleration,
    "absolute_acceleration": _absolute_acceleration, "deformation": _deformation, "node_force": _node_force,
    "mean_displacement": _mean_displacement, "impulse": _impulse, "damping_force": _damping_force,
    "damping_peak": _damping_peak, "spring_peak": _spring_peak,
    "yield_deformation": _yield_deformation, "ductility": _ductility,
}
OF_STRUCTURES: dict[str, Result] = {
    "base_shear": _base_shear, "base_damping": _base_damping, "plastic_by_group": _plastic_by_group,
    "hardening_by_group": _hardening_by_group, "stored_by_group": _stored_by_group,
}
OF_HINGES: dict[str, Result] = {"hinge_rotation": _hinge_rotation, "hinge_moment": _hinge_moment}
OF_STOREYS: dict[str, Result] = {
    "storey_drift": _storey_drift, "storey_shear": _storey_shear, "storey_damping": _storey_damping,
    "residual_drift": _residual_drift,
}
OF_HEIGHTS: dict[str, Result] = {"drift_ratio": _drift_ratio, "overturning_moment": _overturning_moment}


def derivable(s: Solution) -> dict[str, Result]:
    """What can be computed for this solution, by name."""
    if s.system is None:
        return {}
    found = dict(ALWAYS)
    if s.places is None:
        return found
    found |= OF_STRUCTURES
    if s.places.hinges.size:
        found |= OF_HINGES
    if s.places.storeys is not None:
        found |= OF_STOREYS | (OF_HEIGHTS if s.places.storeys.has_heights else {})
    return found
