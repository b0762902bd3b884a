"""Quasi-static loading: pushover, cyclic protocols and gravity, by the same convex step without inertia."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory, is_finite, is_one_of, is_positive, is_whole, said
from hamex.errors import ModelError, ProblemError
from hamex.march import structure as drivers
from hamex.march import tables as t
from hamex.march.springs import BROKEN
from hamex.model.algebra import DENSE
from hamex.model.damping import Damping
from hamex.model.inputs import few
from hamex.model.laws.law import Group
from hamex.model.record import Model, modes
from hamex.motion.load import Load
from hamex.problem import Problem, State, forces_on
from hamex.schemes.onestage import OneStageMarch, Walked
from hamex.schemes.prepare import static_stage, tangent_matrix
from hamex.schemes.scheme import QuasiStatic, Ran, joined
from hamex.schemes.springs import Blocks, spring_blocks
from hamex.solution.solution import Solution
from hamex.solve.parts import solution_of, state_of

Array = NDArray[Any]
Control = Literal["displacement", "force"]
STEPS, POINTS = 100, 40  # increments of a push, and of a cycle
_ITERATIONS = 8  # of an increment, for the choice to compile
_SHORTEST = 2.0**-14  # of an increment: what is not solved then has no equilibrium close by
_FALLS = (
    "it falls more steeply than the rest unloads, or several reach their largest force at once and nothing decides "
    "which goes on falling; then make one weaker by a little"
)
_MODES = 12  # of large models: among them is the one that moves most mass
DRAG = 1e-6  # of the elastic stiffness: a mechanism then moves at 1e6 times the elastic pace, and has one answer
_DRAGGED = 0.01  # of the forces that stand on a structure: where the drag carries more, it is not at rest


def pushover(
    model: Model,
    pattern: Array | Sequence[float] | Mapping[str, float] | str,
    displacement: float,
    *,
    steps: int = STEPS,
    constant: Array | None = None,
    start: State | None = None,
) -> Solution:
    """Push a structure slowly until its displacement under the pattern reaches ``displacement``.

    Parameters
    ----------
    model : what is pushed. Viscosity and dampers carry nothing in slow loading.
    pattern : forces on the dofs: an array, forces by dof name, or a dof name for a unit force there. "mode" is mass
        times the shape of the mode that moves most mass in the first direction of the model, "mass" the masses
        themselves; "mode y" and "mass y" are those in direction y. Both add up to one, so that the load factor is the
        base shear [force].
    displacement : what the controlled displacement reaches [length]. Controlled is the displacement on which the
        pattern does its work, ``Σ pattern·u / Σ|pattern|``: that of the dof itself for a single force, else their
        mean weighted by the pattern. Under this control the answer is unique.
    steps : number of equal increments.
    constant : forces that stay on all the time, e.g. gravity, (dof,) [force].
    start : state to start from; ``gravity`` gives one.

    Returns
    -------
    A Solution whose ``time`` counts increments. ``load_factor`` multiplies the pattern [1]; it has one entry more than
    there are increments, the first for the start. ``force``, ``base_shear``, ``hinge_moment`` and the like have one
    entry per increment, at its end: what is in equilibrium with the load factor there.

    Examples
    --------
    >>> from hamex import Slider, shear_frame
    >>> frame = shear_frame([1.0, 1.0], [300.0, 200.0], laws=Slider(yield_force=2.0))
    >>> push = pushover(frame, "floor 2", displacement=0.1)
    >>> round(float(push.values("load_factor").max()), 3)
    2.0
    >>> push.values("base_shear")[-1].round(3).tolist(), push["force"].interval.values[-1]
    ([2.0], np.float64(100.0))
    >>> by_mode = pushover(frame, "mode", displacement=0.1)  # the load factor is the base shear
    >>> round(float(by_mode.values("load_factor").max()), 3)
    2.0
    """
    _check_pushover(model, displacement, steps)
    path = float(displacement) * np.arange(1, steps + 1) / steps
    return solve_path(model, pattern, path, constant=constant, start=start)


def cyclic(
    model: Model,
    pattern: Array | Sequence[float] | Mapping[str, float] | str,
    amplitudes: Sequence[float],
    *,
    points: int = POINTS,
    by: Control = "displacement",
    constant: Array | None = None,
    start: State | None = None,
) -> Solution:
    """Cycle a structure slowly through amplitudes: from 0 to +a, −a and back to 0 for each of them.

    Parameters
    ----------
    amplitudes : of the controlled displacement [length], or of the load factor when ``by="force"``.
    points : increments per cycle, a multiple of 4.

    The other parameters are those of :func:`pushover`.

    Examples
    --------
    >>> from hamex import Slider, shear_frame
    >>> frame = shear_frame([1.0, 1.0], [300.0, 200.0], laws=Slider(yield_force=2.0, kinematic=20.0))
    >>> loop = cyclic(frame, "floor 2", [0.02, 0.04])
    >>> loop.steps
    80
    """
    sizes = _check_cyclic(model, amplitudes, points)
    quarter = np.arange(1, points // 4 + 1) / (points // 4)
    cycle = np.concatenate([quarter, 1 - quarter, -quarter, quarter - 1])
    return solve_path(model, pattern, np.concatenate([a * cycle for a in sizes]), by=by, constant=constant, start=start)


def gravity(model: Model, forces: Array | Sequence[float] | Mapping[str, float], *, steps: int = 10) -> State:
    """State under constant forces, applied slowly from rest: the start of a history in which they stay on.

    A problem with these forces as ``standing`` finds it by itself: ``hx.Problem(model, load, 40.0, standing=forces)``.

    Examples
    --------
    >>> from hamex import shear_frame
    >>> state = gravity(shear_frame([1.0], [50.0]), [2.0])
    >>> round(float(state.displacement[0]), 6)
    0.04
    """
    if not is_whole(steps, 1):
        raise ProblemError(f"gravity: steps must be a whole number ≥ 1, got {steps!r:.40}")
    _check_increments("gravity", model, steps)
    standing = forces_on(model, forces, "gravity")
    pushed = solve_path(model, standing, np.arange(1, steps + 1) / steps, by="force")
    dragged = np.abs(pushed.problem.model.damping.matrix @ np.diff(pushed.values("displacement")[-2:], axis=0)[0])
    if dragged.max() > _DRAGGED * np.abs(standing).max():
        raise ModelError(
            f"gravity: there is no state at rest: nothing carries the forces on {model.dofs[int(dragged.argmax())]!r}, "
            "whose springs slip, are open or have lost their force. Give smaller forces, stronger springs or a start"
        )
    final = pushed.final
    kept = {name: value for name, value in final.internal.items() if name != "impulse"}
    return State(final.displacement, None, final.slip, kept)


def check_slow(model: Model, kind: str, pattern: Any, **keys: Any) -> None:
    """Refuse what :func:`pushover` or :func:`cyclic` would, before anything is pushed."""
    _pattern(model, pattern)
    if kind == "pushover":
        _check_pushover(model, **keys)
    else:
        _check_cyclic(model, keys["amplitudes"], keys.get("points", POINTS))


def _check_pushover(model: Model, displacement: float, steps: int = STEPS) -> None:
    if not is_finite(displacement) or displacement == 0:
        raise ProblemError(f"pushover: displacement must be a finite number and not zero, got {displacement!r}")
    if not is_whole(steps, 1):
        raise ProblemError(f"pushover: steps must be a whole number ≥ 1, got {steps!r:.40}")
    _check_increments("pushover", model, steps)


def _check_cyclic(model: Model, amplitudes: Sequence[float], points: int) -> list[float]:
    """The amplitudes as a list."""
    if not is_whole(points, 4) or points % 4:
        raise ProblemError(f"cyclic: points must be a multiple of 4, got {points!r:.40}")
    sizes: list[float] = np.ravel(np.asarray(amplitudes, dtype=object)).tolist()
    if not sizes or not all(is_positive(a) for a in sizes):
        raise ProblemError(f"cyclic: amplitudes must be positive numbers, got {amplitudes!r:.60}")
    _check_increments("cyclic", model, points * len(sizes))
    return sizes


def _check_increments(who: str, model: Model, steps: int) -> None:
    if not isinstance(model, Model):
        raise ModelError(f"{who}: the model must be a Model, got {type(model).__name__}")
    wide = 2 * len(model.dofs) + 2 * len(model.springs) + 5
    check_memory(who, steps * wide, f"the histories of {said(steps)} increments", "take fewer of them")


def solve_path(
    model: Model,
    pattern: Array | Sequence[float] | Mapping[str, float] | str,
    path: Array | Sequence[float],
    *,
    by: Control = "displacement",
    constant: Array | None = None,
    start: State | None = None,
) -> Solution:
    """Follow a path of controlled displacements, or of load factors (``by="force"``), one increment per entry.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=100, law=hx.Slider(yield_force=2.0))
    >>> sol = hx.solve_path(model, [1.0], [0.01, 0.02, 0.04])
    >>> sol.values("load_factor").ravel().round(4).tolist()
    [0.0, 1.0, 2.0, 2.0]
    """
    if not isinstance(model, Model):
        raise ModelError(f"quasi-static path: the model must be a Model, got {type(model).__name__}")
    forces = _pattern(model, pattern)
    goals = _numbers(path)
    if goals.ndim != 1 or not goals.size or not np.all(np.isfinite(goals)):
        raise ProblemError("quasi-static path: give finite numbers, one per increment")
    if not is_one_of(by, ("displacement", "force")):
        raise ProblemError(f'quasi-static path: by must be "displacement" or "force", got {by!r}')
    slow = _rate_independent(model)
    held = np.zeros(len(model.dofs)) if constant is None else forces_on(model, constant, "constant")
    # The run finds the factor of the first pattern; the second is on all the time.
    load = Load([[0.0, 1.0]], step=1.0, patterns=np.column_stack([forces, held]))
    problem = Problem(slow, load, float(goals.size), start)
    blocks = spring_blocks(slow)
    pull = forces / np.abs(forces).sum() if by == "displacement" else np.zeros(0)
    penalty = _penalty(slow, blocks, pull) if by == "displacement" else 0.0
    stage = static_stage(slow, blocks, DRAG, pull, penalty)
    first = float(pull @ problem.start.displacement) if by == "displacement" else 0.0
    factor = np.zeros(goals.size + 1)
    scheme = QuasiStatic(by=by)
    march = OneStageMarch(
        slow,
        stage,
        blocks,
        np.column_stack([forces, held]),
        drivers.static,
        (penalty,),
        "slow",
        "slow loading",
        goals.size * _ITERATIONS,
    )
    march.R[t.FACTOR] = factor
    now = {"velocity": np.zeros(len(slow.dofs)), **state_of(problem.start)}
    ran = _Increments(march, by, goals, factor).walked(now, first)
    if by == "displacement":
        factor /= np.abs(forces).sum()
    # A static result belongs to its load: the force of an increment is the one at its end.
    elastic = slow.deformation(ran.nodes["displacement"]) - ran.nodes["slip"]
    ran.steps["force"] = slow.elastic_force(elastic)[1:]
    pushed = solution_of(problem, scheme, ran)
    factor.flags.writeable = False
    return dataclasses.replace(pushed, histories={**pushed.histories, "load_factor": factor})


class _Increments:
    """Increments of slow loading; ``factor`` is where the march leaves load factors. Where springs soften, an increment
    has a convex potential only close to its start: what is not solved whole is gone in pieces, on the same branch."""

    def __init__(self, march: OneStageMarch, by: Control, goals: Array, factor: Array) -> None:
        self.march, self.by, self.goals, self.factor = march, by, goals, factor

    def walked(self, now: Mapping[str, Array], first: float) -> Ran:
        """All increments from a state on."""
        parts, done, found = list[Ran](), 0, self.factor.copy()
        while done < len(self.goals):
            ran, failed, left = self._tried(now, [first, *self.goals[done:]], found[done])
            taken = failed - 1 if failed else len(self.goals) - done
            found[done : done + taken + 1] = self.factor[: taken + 1]
            parts += [ran] if taken else []
            done += taken
            if failed:
                self._refuse_break(ran, done, left)
                first = self.goals[done - 1] if taken else first
                ran, found[done + 1] = self._in_pieces(ran.end, first, done, found[done])
                parts.append(ran)
                done += 1
            now, first = ran.end, self.goals[done - 1]
        self.factor[:] = found
        return joined(parts)

    def _tried(self, now: Mapping[str, Array], places: Sequence[float], factor: float) -> Walked:
        self.factor[0] = factor
        return self.march.walk(now, np.array(places, dtype=float)[:, None])

    def _in_pieces(self, now: Mapping[str, Array], here: float, place: int, factor: float) -> tuple[Ran, float]:
        """One increment, and the load factor at its end; pieces are halved until each is solved."""
        goal, way, share, pieces = self.goals[place], self.goals[place] - here, 0.5, list[Ran]()
        while here != goal:
            to = goal if abs(goal - here) <= 1.5 * share * abs(way) else here + share * way
            ran, failed, left = self._tried(now, [here, to], factor)
            if failed:
                self._refuse_break(ran, place, left)
                share *= 0.5
                if share < _SHORTEST:
                    raise self._no_equilibrium(place)
                continue
            pieces.append(ran)
            now, here, factor, share = ran.end, to, float(self.factor[1]), min(2.0 * share, 0.5)
        last = pieces[-1]
        nodes = {name: np.stack([rows[0], last.nodes[name][-1]]) for name, rows in pieces[0].nodes.items()}
        names: list[str] = [name for name in ("solves", "searches") if name in last.steps]
        counts = {name: np.sum([one.steps[name] for one in pieces], axis=0) for name in names}
        return dataclasses.replace(last, nodes=nodes, steps={**last.steps, **counts}), factor

    def _refuse_break(self, ran: Ran, place: int, left: float) -> None:
        if left == 0.0:
            broken = self.march.model.springs[int(np.argmax(ran.end["branch"] == BROKEN))]
            raise ModelError(
                f"{broken!r} breaks in increment {place + 1} ({self.by} {self.goals[place]:g}), and slow loading ends "
                "there: what it held is thrown onto the rest, and inertia decides. Push less far, or run the dynamics"
            )

    def _no_equilibrium(self, place: int) -> ModelError:
        springs = self.march.model.springs
        falling = [springs[i] for i in np.flatnonzero(self.march.R[t.T][: len(springs)] < 0)]
        falls = f" ({few(tuple(falling), '', 4)}: {_FALLS})" if falling and self.by == "displacement" else ""
        load = "; beyond the largest load only displacements can be controlled" if self.by == "force" else ""
        return ModelError(
            f"the structure has no unique equilibrium at increment {place + 1} ({self.by} {self.goals[place]:g}): "
            f"P-Delta or springs that soften outweigh what is left of its stiffness{falls}{load}. Push less far, or "
            "run the dynamics, where inertia decides"
        )


def at_rest(problem: Problem) -> Problem:
    """The same problem from the state at rest under its standing load, where no start was given."""
    if not problem.rests:
        return problem
    assert problem.standing is not None
    return problem.replace(start=gravity(problem.model, problem.standing) if problem.standing.any() else State())


def _pattern(model: Model, given: Array | Sequence[float] | Mapping[str, float] | str) -> Array:
    """Forces on the dofs from an array, from forces by name, or from the name of one dof."""
    named = [given] if isinstance(given, str) else list(given) if isinstance(given, Mapping) else []
    for name in named:
        why = model.why_no_dof(str(name)) if name not in model.dofs else None
        if why is not None:
            raise ProblemError(f"pattern: {name!r} is no dof; {why}")
    if isinstance(given, str):
        return _inertial(model, given) if given not in model.dofs else forces_on(model, {given: 1.0}, "pattern")
    forces = forces_on(model, given, "pattern")
    if not forces.any():
        raise ProblemError("pattern: give numbers that are not all zero")
    return forces


def _inertial(model: Model, name: str) -> Array:
    """Forces as of masses that accelerate alike ("mass") or as in a mode ("mode"), in one direction; their sum is 1."""
    word, _, way = name.partition(" ")
    direction = way or (model.directions or ("",))[0]
    if word not in ("mode", "mass") or direction not in model.directions:
        known = [f"{each} {way}" for each in ("mode", "mass") for way in model.directions]
        raise ProblemError(f"pattern: {name!r} is no dof ({few(model.dofs, name, 6)}) and none of {', '.join(known)}")
    along = model.influence[:, model.directions.index(direction)]
    shape = along
    if word == "mode":
        found = modes(model, None if len(model.dofs) <= DENSE else _MODES)
        part = found.participation[:, model.directions.index(direction)]
        if found.participation.size == 0 or not part.any():
            raise ProblemError(f"pattern: no mode moves mass in {direction}; take {name.replace('mode', 'mass')!r}")
        most = int(np.abs(part).argmax())
        shape = found.shapes[:, most] * np.sign(part[most])
    # Turning masses and those that move across take no part: the controlled displacement is one of the direction.
    forces = np.where(along != 0, model.mass @ shape, 0.0)
    if not forces @ along > 0:
        raise ProblemError(f"pattern: {name!r} has no mass to act on; give forces by dof")
    return np.asarray(forces / (forces @ along))


def _numbers(given: object) -> Array:
    """As an array; NaN, which is refused, for what is none."""
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return np.array([np.nan])


def _rate_independent(model: Model) -> Model:
    """The model in slow loading: no viscosity, dampers without force, and the drag in place of damping."""
    laws: dict[str, Any] = {}
    for name, group in model.laws.items():
        slow_group = group.law.slow(group)
        kind = slow_group.law.kind
        if kind in laws and laws[kind].components != slow_group.components:
            kind = name  # blocks of another size stay by themselves
        laws[kind] = _joined(laws[kind], slow_group) if kind in laws else slow_group
    slow = dataclasses.replace(model, laws=laws)
    return dataclasses.replace(slow, damping=Damping.full(DRAG * _elastic(slow, spring_blocks(slow))))


def _joined(one: Group, other: Group) -> Group:
    """Two groups of one law as one: a damper in slow loading is a slider among sliders."""
    return Group(
        one.law,
        np.concatenate([one.first, other.first]),
        one.components,
        {name: np.concatenate([value, other.parameters[name]]) for name, value in one.parameters.items()},
    )


def _elastic(model: Model, blocks: Blocks) -> Any:
    return tangent_matrix(model, blocks, blocks.tangents) + model.stiffness


def _penalty(model: Model, blocks: Blocks, pull: Array) -> float:
    """Elastic stiffness along the pull, ten times: enough to hold a structure that P-Delta would tip over. Nothing for
    a body, which stands by itself, and whose matrix a pull on all of it would fill."""
    if model.body is not None:
        return 0.0
    along = pull / (pull @ pull)
    return 10.0 * float(along @ (_elastic(model, blocks) @ along))
