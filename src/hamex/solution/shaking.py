"""What a place does. Its motion as a ground motion: what a floor, or the surface of a site, hands on to what stands on
it. And where it comes to rest once the motion has died down, and how far it still swings about that place.

With the slips frozen a structure is elastic: static stiffness K, forces of the slips B A⁻¹ s, and what stands on it.
``u∞`` solves ``K u∞ = B A⁻¹ s + f``: the displacement at rest, exactly, unless something slips once more. No waiting is
needed to know it. The energy that is left to vibrate,

    E = ½ u̇ᵀ M u̇ + ½ (u − u∞)ᵀ K (u − u∞) + ½ Fᵀ A F of the dampers,

never grows in free vibration, and bounds how far any drift d = cᵀu can still move: by Cauchy and Schwarz
|cᵀ(u − u∞)| ≤ √(2 E cᵀ K⁻¹ c), the *swing* of that drift. Springs that flow under any force carry none at rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import InputError, UnitError
from hamex.model.algebra import diagonal, inverse, quadratic, rows, static_stiffness
from hamex.model.inputs import few
from hamex.model.record import Model, dense
from hamex.model.units import UNSTATED_LENGTH
from hamex.motion.ground import GroundMotion
from hamex.solution.outline import Answers, Collapse
from hamex.solution.source import Run

Array = NDArray[Any]
GROUND = "ground"


def collapse_of(solution: Answers) -> Collapse | None:
    """Sidesway at the end of a run, or None.

    With R = Ku + BF the structure's own forces less what stands on it, in means of the steps: R·Δu < 0 says that they
    drive the motion on, ΔR·Δu < 0 that the tangent stiffness is negative along it and so indefinite. Both must hold,
    and the largest drift grow, in every step from the instant told to the end.
    """
    if solution.at_ends:
        return None
    if solution.extent.every > 1 or "force" not in solution.histories:
        raise InputError("collapse: not every step was kept; leave keep out")
    model, u = solution.model, solution.histories["displacement"]
    if solution.steps == 1:  # no change of force to tell a stiffness by
        return None
    own = rows(0.5 * (u[1:] + u[:-1]), model.stiffness) + rows(solution.histories["force"], model.compatibility.T)
    if solution.problem.standing is not None:
        own = own - solution.problem.standing
    moved = np.diff(u, axis=0)
    drives = (own * moved).sum(axis=1) < 0
    softens = (np.diff(own, axis=0) * (0.5 * (moved[1:] + moved[:-1]))).sum(axis=1) < 0
    storeys = solution.layout.storeys
    drift, names = (u, solution.dofs) if storeys is None else (solution.values("storey_drift"), storeys.names)
    worst = int(np.abs(drift[-1]).argmax())
    grows = np.diff(np.abs(drift[:, worst])) > 0
    holds = drives & grows & np.append(False, softens)
    first = len(holds) - int(np.argmin(holds[::-1])) if not holds.all() else 0
    if first == len(holds):
        return None
    shape = moved[-1] / moved[-1][int(np.abs(moved[-1]).argmax())]
    return Collapse(float(solution.times[first]), names[worst], float(drift[first, worst]), shape)


def level_dofs(solution: Answers) -> set[str] | None:
    """Dofs that move levels sideways; None where there are no levels."""
    storeys = solution.layout.storeys
    if storeys is None:
        return None
    moved = abs(storeys.drift).sum(axis=0) + (0 if storeys.floors is None else abs(storeys.floors).sum(axis=0))
    return {dof for dof, share in zip(solution.dofs, np.asarray(moved).ravel(), strict=True) if share > 0}


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


# At rest ------------------------------------------------------------------------------------------------------
SWINGS = 0.01  # of the largest drift: a structure that swings by more at the end of its run is not at rest


@dataclass(frozen=True, eq=False)
class Rest:
    """Where a structure comes to rest, if nothing slips once more.

    Attributes
    ----------
    displacement : of the dofs at rest [length].
    drift : of the storeys at rest [length]; where the model has none, of the dof that moved most.
    swing : how far each of these may still swing about it [length].
    share : largest swing over the largest of these drifts so far [1].

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(yield_force=0.27))
    >>> sol = hx.solve(hx.Problem(model, hx.el_centro().on(model, g=1.0), duration=40.0), hx.Galerkin(0.02))
    >>> bool(sol.rest.drift[0] == sol.values("slip")[-1, 0]), sol.rest.share < 0.01
    (True, True)
    """

    displacement: Array
    drift: Array
    swing: Array
    share: float

    @property
    def swings(self) -> bool:
        """True where a drift still swings by more than a hundredth of the largest one so far."""
        return not self.share <= SWINGS


def places_of(model: Model, dof: int) -> Array:
    """(place, dof): drifts of the storeys, or that of one dof where there are none."""
    if model.storeys is not None:
        return dense(model.storeys.drift)
    row = np.zeros((1, len(model.dofs)))
    row[0, dof] = 1.0
    return row


def rest_of(model: Model, end: Mapping[str, Array], force: Array, places: Array, largest: float) -> Rest | None:
    """Where the state ``end`` comes to rest under a ``force`` that stays; None where that is not known: a law whose
    slip does not stay, or a structure that does not stand by itself.

    ``places`` are the drifts that count, (place, dof), and ``largest`` is the largest of them so far.
    """
    if any(group.law.form != "flow" for group in model.laws.values()):
        return None
    u, p, slip = (np.asarray(end[name]) for name in ("displacement", "momentum", "slip"))
    if len(model.dofs) == len(model.springs) == 1:
        return _rest_of_one(model, float(u[0]), float(p[0]), float(slip[0]), float(force[0]), largest)
    from scipy.sparse import csc_array, csr_array
    from scipy.sparse.linalg import splu

    stiffness = csc_array(static_stiffness(model.stiffness, model.flexibility, model.compatibility, model.laws))
    springs, b = inverse(model.flexibility), csr_array(model.compatibility)
    share = np.ones(len(model.springs))
    for group in model.laws.values():
        share[group.springs] = group.law.static_share(group, springs.diagonal()[group.springs])
    stays = share == 1.0
    if np.any(~stays & (share > 0)):
        return None  # it hardens from the first force on, and stays nowhere
    try:  # pivots on the diagonal, so that their signs tell whether it stands
        factors = splu(stiffness, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # singular: nothing holds it
        return None
    settled = factors.solve(b @ (springs @ np.where(stays, slip, 0.0)) + force)
    reach = np.einsum("ij,ji->i", places, factors.solve(np.ascontiguousarray(places.T)))
    if not np.all(np.isfinite(settled)) or np.any(diagonal(factors.U) <= 0):
        return None
    elastic = np.where(stays, 0.0, model.deformation(u[None])[0] - slip)
    away, speed = u - settled, model.velocity(p[None])[0]
    energy = float(speed @ p + quadratic(away[None], stiffness)[0] + elastic @ (springs @ elastic))  # twice E
    swing = np.sqrt(max(energy, 0.0) * reach)
    return Rest(settled, places @ settled, swing, _share(float(swing.max()), largest))


def _rest_of_one(model: Model, u: float, p: float, slip: float, force: float, largest: float) -> Rest | None:
    """The same for an oscillator, without the packages for large ones."""
    (group,) = model.laws.values()
    b, k = float(model.compatibility[0, 0]), 1 / float(model.flexibility[0, 0])
    share = float(group.law.static_share(group, np.array([k]))[0])
    stiff = share * k * b * b + float(model.stiffness[0, 0])
    if 0 < share < 1 or not stiff > 0:
        return None
    settled = (
        b * slip
        if share and b * b == 1 and not model.stiffness[0, 0] and not force
        else ((share * k * b * slip + force) / stiff)
    )
    damper = 0.0 if share else k * (b * u - slip) ** 2
    twice = p * p / float(model.mass[0, 0]) + stiff * (u - settled) ** 2 + damper
    swing = (twice / stiff) ** 0.5
    return Rest(np.array([settled]), np.array([settled]), np.array([swing]), _share(swing, largest))


def _share(swing: float, largest: float) -> float:
    return swing / largest if largest > 0 else (np.inf if swing > 0 else 0.0)
