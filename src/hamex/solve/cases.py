"""Cases of a batch: which model meets which motion at which scale, and where its results go; and those of shear frames,
marched together: the numbers of their steps, blocks of groups through the compiled kernel, measures out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import floats
from hamex.errors import ConvergenceError, InputError, LoadError, OverflowRunError, ProblemError, SchemeError
from hamex.march import shear_frames as place
from hamex.march.run import in_threads
from hamex.model.shear_frames import ShearFrames, diagonals
from hamex.motion.ground import GroundMotion
from hamex.motion.load import Load, LoadSum
from hamex.problem import Limit
from hamex.schemes._generated import linear_element as linear_element_form
from hamex.schemes.prepare import lift
from hamex.schemes.promise import ZERO
from hamex.solve.frame_tables import FramesUnderWay, march_to_limits, shear_frames_numbers
from hamex.solve.settling import rest_of_frames, settle_frames

Array = NDArray[Any]
Motion = GroundMotion | Load | LoadSum


@dataclass(frozen=True, eq=False)
class Cases:
    """Arrangement of a batch.

    Attributes
    ----------
    models : number of models.
    motions : the different motions.
    scales : factors; one per case where paired.
    motion_of : motion of each case where paired, else None: then every model meets every motion at every scale.
    """

    models: int
    motions: tuple[Motion, ...]
    scales: Array
    motion_of: Array | None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a result as the user sees it."""
        if self.motion_of is not None:
            return (len(self.motion_of),)
        return self.models, len(self.motions), len(self.scales)

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of its dimensions."""
        return ("case",) if self.motion_of is not None else ("model", "motion", "scale")

    def stored(self, more: tuple[int, ...] = ()) -> Array:
        """An array for a result, (motion, model, scale) or (case,) so that a motion's cases lie together."""
        if self.motion_of is not None:
            return np.empty((*self.shape, *more))
        models, motions, scales = self.shape
        return np.empty((motions, models * scales, *more))

    def shown(self, stored: Array) -> Array:
        """The same as the user sees it; a view."""
        if self.motion_of is not None:
            return stored
        models, motions, scales = self.shape
        return stored.reshape(motions, models, scales, *stored.shape[2:]).swapaxes(0, 1)

    def groups(self, kinds: Array | None = None) -> Iterator[CaseGroup]:
        """Cases that share a motion and a kind of model."""
        for motion in range(len(self.motions)):
            for kind in (0,) if kinds is None else np.flatnonzero(np.bincount(kinds)):
                members = None if kinds is None or np.all(kinds == kind) else np.flatnonzero(kinds == kind)
                group = CaseGroup(self, motion, int(kind), self._members(motion, members))
                if group.size:
                    yield group

    def _members(self, motion: int, members: Array | None) -> Array | None:
        """Models (or cases, where paired) of the group; None for all of them."""
        if self.motion_of is None or len(self.motions) == 1:
            return members
        mine = self.motion_of == motion
        if members is not None:
            chosen = np.zeros(len(mine), dtype=bool)
            chosen[members] = True
            mine &= chosen
        return np.flatnonzero(mine)


@dataclass(frozen=True, eq=False)
class CaseGroup:
    """Cases under one motion whose models are of one kind."""

    cases: Cases
    motion: int
    kind: int
    members: Array | None

    @property
    def size(self) -> int:
        """Number of cases."""
        models = self.cases.models if self.members is None else len(self.members)
        return models if self.cases.motion_of is not None else models * len(self.cases.scales)

    def sample(self, count: int) -> CaseGroup:
        """The cases of at most ``count`` models, evenly spaced."""
        members = np.arange(self.cases.models) if self.members is None else self.members
        chosen = np.unique(np.linspace(0, len(members) - 1, count).astype(np.intp))
        return CaseGroup(self.cases, self.motion, self.kind, members[chosen])

    def block(self, begin: int, end: int) -> tuple[Any, Array, Any]:
        """Models, scales and places of the cases from ``begin`` to ``end``; slices where they can be."""
        scales, paired = self.cases.scales, self.cases.motion_of is not None
        per_model = 1 if paired else len(scales)
        if per_model == 1 and self.members is None:
            here: Any = slice(begin, end)
        else:
            count = np.arange(begin, end)
            model = count // per_model
            here = model if self.members is None else self.members[model]
        if per_model == 1:
            return here, scales[here] if paired else np.broadcast_to(scales, (end - begin,)), here
        return here, scales[count % per_model], here * per_model + count % per_model


def arrange(models: int, loads: object, scales: ArrayLike, paired: bool) -> Cases:
    """Check and arrange; nothing is copied, a motion that occurs many times is one motion."""
    given = _motions(loads)
    factors = _scales(scales)
    if not paired:
        return Cases(models, tuple(given), factors, None)
    sizes = {"models": models, "loads": len(given), "scales": len(factors)}
    count = max(sizes.values())
    wrong = [name for name, size in sizes.items() if size not in (1, count)]
    if wrong or models not in (1, count):
        counts = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise ProblemError(f"batch: paired runs need one of each, or as many; got {counts}")
    if models != count:
        raise ProblemError(
            "batch: paired runs take one model per case; for one model under many motions leave paired out"
        )
    different: dict[int, int] = {}
    number = np.array([different.setdefault(id(motion), len(different)) for motion in given], dtype=np.intp)
    unique = {id(motion): motion for motion in given}
    return Cases(models, tuple(unique.values()), np.broadcast_to(factors, (count,)), np.broadcast_to(number, (count,)))


def _motions(loads: object) -> list[Motion]:
    motions = (
        [loads] if isinstance(loads, Motion) else list(loads) if isinstance(loads, Sequence | np.ndarray) else None
    )
    if motions is None or not all(isinstance(motion, Motion) for motion in motions):
        raise LoadError(f"batch: loads must be a GroundMotion or a Load, or a list of them; got {type(loads).__name__}")
    if not motions:
        raise LoadError("batch: there is no load; give at least one")
    return motions


def _scales(scales: ArrayLike) -> Array:
    factors = np.atleast_1d(floats(scales, "batch: scales must be numbers", LoadError))
    if factors.ndim != 1 or factors.size == 0:
        raise LoadError(f"batch: scales must be a number or (n,), got shape {np.shape(scales)}")
    bad = np.flatnonzero(~np.isfinite(factors))
    if bad.size:
        raise LoadError(f"batch: scales[{bad[0]}] is not finite ({factors[bad[0]]})")
    return factors


def _ductility(m: FramesUnderWay) -> Array:
    """Largest drift over that at first yield; NaN where there is none."""
    f = m.frames
    some = np.isfinite(f.yield_force) & (f.yield_force > 0)
    return np.asarray(
        np.divide(MEASURES["drift"](m) * f.stiffness, f.yield_force, where=some, out=np.full(some.shape, np.nan))
    )


# Largest absolute values over floors or storeys, or values at the end.
MEASURES: Mapping[str, Callable[[FramesUnderWay], Array]] = {
    "drift": FramesUnderWay.largest_drift,
    "ductility": _ductility,
    "displacement": lambda m: np.maximum(m.row(place.DISPLACEMENT), np.abs(np.cumsum(m.drift(), axis=1))),
    "velocity": lambda m: (2 / m.h) * m.row(place.VELOCITY),
    "absolute_acceleration": lambda m: (2 / m.h**2) * m.row(place.ACCELERATION),
    "force": lambda m: 0.5 * m.frames.stiffness * m.row(place.FORCE),
    "slip": lambda m: m.row(place.SLIP),
    "plastic_work": lambda m: m.frames.stiffness * m.row(place.WORK),
    "residual_displacement": lambda m: np.cumsum(m.drift(), axis=1),
    "residual_slip": lambda m: m.row(place.S),
    "residual_drift": FramesUnderWay.drift,
    "settled_displacement": lambda m: rest_of_frames(m).displacement,
    "settled_drift": lambda m: rest_of_frames(m).drift,
    "swing": lambda m: rest_of_frames(m).swing,
}
_FINAL: Mapping[str, Callable[[FramesUnderWay], Array]] = {
    "final_displacement": MEASURES["residual_displacement"],
    "final_momentum": FramesUnderWay.momentum,
    "final_slip": MEASURES["residual_slip"],
    "final_back_force": lambda m: m.frames.stiffness * m.row(place.X),
    "final_accumulated_slip": lambda m: m.row(place.W) if m.hardens else m.row(place.PATH),
}
_SOLVES: Mapping[str, Callable[[FramesUnderWay], Array]] = {
    "solves": lambda m: np.broadcast_to(m.row(place.SOLVES)[:, :1], m.frames.mass.shape)
}
# What the kernel must keep for them, beyond what it always does.
_NEEDS = {
    "velocity": place.VELOCITY,
    "absolute_acceleration": place.ACCELERATION,
    "force": place.FORCE,
    "slip": place.SLIP,
    "plastic_work": place.WORK,
    "final_accumulated_slip": place.PATH,
}


def march_shear_frames(
    frames: ShearFrames,
    values: Array,
    factor: Array,
    h: float,
    measures: Sequence[str],
    start: Mapping[str, Array] | None = None,
    threads: int = 1,
    block: int = 4096,
    *,
    first: int = 0,
    limit: Limit | None = None,
    settle: float | None = None,
) -> dict[str, Array]:
    """March all frames through one record; each measure comes back as an array (frame, storey).

    Parameters
    ----------
    values : ground acceleration of each step, (steps,).
    factor : of the ground acceleration, one per frame.
    h : step [s].
    measures : names from MEASURES; "solves" is the number of solutions of a step beyond one, over the whole run;
        "final" stands for the state at the end, ``final_displacement`` and so on by the names in STATE.
    start : state at t = 0 by the names in STATE, each (frame, storey); at rest where left out.
    threads : number of threads.
    block : frames marched in one go; neither it nor the threads change a bit of the result.
    first : number of the first frame, for messages.
    limit : drift at which a frame's run ends; none by default. Then ``collapse`` is the time of that [s], NaN where
        the run did not end so.
    settle : go on in free vibration until the swing is below this share of the largest drift; ``settled`` is then 1
        where it is.
    """
    names = [name for measure in measures for name in (_FINAL if measure == "final" else (measure,))]
    known = {**MEASURES, **_FINAL, **_SOLVES}
    for name in names:
        if name not in known:
            raise InputError(f"batch: measures: there is no {name!r} here; known are {', '.join(MEASURES)}")
    check_convex(frames, h, first)
    if start is not None and "back_force" in start:
        stray = np.argwhere((start["back_force"] != 0) & (frames.kinematic == 0))
        if len(stray):
            raise ProblemError(
                f"batch: storey {stray[0, 1] + 1} of frame {first + stray[0, 0]} has no kinematic "
                "hardening and cannot start with a back_force"
            )
    record, scale = np.ascontiguousarray(values, dtype=float), np.broadcast_to(factor, (len(frames),))
    out: dict[str, Array] = {name: np.empty((len(frames), frames.storeys)) for name in names}
    if limit is not None:
        out["collapse"] = np.empty(len(frames))
    if settle is not None:
        out["settled"] = np.empty(len(frames))
    failed, finite = np.zeros(len(frames), dtype=np.int64), np.ones(len(frames), dtype=bool)
    wanted, floors = [_NEEDS[name] for name in names if name in _NEEDS], "displacement" in names

    def march(task: tuple[bool, bool, Array]) -> None:
        hard, soft, which = task
        given = {name: array[which] for name, array in (start or {}).items()}
        marched = FramesUnderWay.begun(frames.chosen(which), scale[which], h, given, hard, soft)
        ends = None if limit is None or not limit.stop else limit.drifts(marched.frames.heights)
        passed = march_to_limits(marched, record, wanted, floors, ends)
        if settle is not None:
            out["settled"][which] = settle_frames(marched, passed, settle, wanted, floors, ends)
        failed[which] = marched.failed
        with np.errstate(over="ignore", invalid="ignore"):  # a run that overflows is refused below, by name
            for name in names:
                out[name][which] = known[name](marched)
            finite[which] = marched.finite()
            if limit is not None:
                out["collapse"][which] = np.where(passed > 0, passed * h, np.nan)

    tasks = [
        (hard, soft, order[at : at + block])
        for hard, soft, order in _kinds(frames, scale)
        for at in range(0, len(order), block)
    ]
    in_threads(march, tasks, threads)
    _refuse(failed, finite, h, first)
    return out


def _refuse(failed: Array, finite: Array, h: float, first: int) -> None:
    if failed.any():
        i = int(np.flatnonzero(failed)[0])
        raise ConvergenceError(
            f"Galerkin: step {failed[i]} (t = {failed[i] * h:g} s) of frame {first + i} was not "
            "solved to round-off; the load or a parameter is out of proportion with the rest (or "
            "overflows)"
        )
    if not finite.all():
        raise OverflowRunError(
            f"batch: the numbers of frame {first + int(finite.argmin())} are not finite at the end "
            "of the run; loads and units are out of proportion, or it collapsed and ran away: then "
            "end the run earlier"
        )


def _kinds(frames: ShearFrames, scale: Array) -> list[tuple[bool, bool, Array]]:
    """Frames by the code they need, each by itself and not by its neighbours: hardening, K, and who they are.

    Frames of similar strength and stiffness stand together: their storeys yield at the same time, so that a group is
    swept again less often.
    """
    hard = np.any(frames.kinematic > 0, axis=1) | np.any(frames.isotropic > 0, axis=1)
    soft = softens(frames)
    weight = frames.mass.sum(axis=1)
    with np.errstate(all="ignore"):  # the order is a matter of speed only
        strength = frames.yield_force[:, 0] / (weight * abs(scale))
    rigidity = frames.stiffness[:, 0] / weight
    kinds = []
    for hardens in (False, True):
        for softer in (False, True):
            own = np.flatnonzero((hard == hardens) & (soft == softer))
            if own.size:
                rank = np.empty(own.size, dtype=np.int64)
                rank[np.argsort(strength[own], kind="stable")] = np.arange(own.size)
                bins = rank // max(int(2 * own.size**0.5), 1)
                kinds.append((hardens, softer, own[np.lexsort((rigidity[own], bins))]))
    return kinds


def softens(frames: ShearFrames) -> Array:
    """Which frames have stiffness outside their springs."""
    return np.asarray(np.any(frames.geometric_main != 0, axis=1) | np.any(frames.geometric_side != 0, axis=1))


def check_convex(frames: ShearFrames, h: float, first: int = 0) -> None:
    """Refuse a step at which some frame's potential is not strictly convex; name the frame and the admissible step.

    Frames are counted from ``first``. See :mod:`hamex.schemes.promise`.
    """
    some = np.flatnonzero(softens(frames))
    weak = some[~_is_convex(frames.chosen(some), h)]
    if not weak.size:
        return
    frame = frames.chosen(weak[:1])
    low = h
    while low > 1e-9 * h and not _is_convex(frame, low)[0]:
        low *= 0.5
    high = min(2 * low, h)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _is_convex(frame, middle)[0] else (low, middle)
    raise SchemeError(
        f"Galerkin: with the negative stiffness of frame {first + weak[0]} the step must be below "
        f"{low:.6g} s, got {h:g} s"
    )


def _is_convex(frames: ShearFrames, h: float) -> Array:
    """Whether M̂ + (h/4) B T Bᵀ is positive definite in the softest state, everything slipping."""
    form = linear_element_form(h)
    spring = lift(form["spring_start"], {"a": 1.0, "b": 1.0})
    factor = -form["motion_start"]["F"]["b"] * spring["du"]
    numbers = shear_frames_numbers(frames, h)
    k = frames.stiffness
    held = frames.viscosity + spring["g"] * (frames.kinematic + frames.isotropic)
    soft = np.where(np.isinf(frames.yield_force), k, k * held / (held + spring["g"] * k))
    main, side = (factor * x for x in diagonals(soft))
    scale = 1 / np.sqrt(abs(numbers[:, 0]) + factor * diagonals(k)[0])
    main = (main + numbers[:, 0]) * scale * scale - ZERO
    side = (side + numbers[:, 1])[:, 1:] * scale[:, 1:] * scale[:, :-1]
    pivot, good = main[:, 0], main[:, 0] > 0
    for i in range(1, frames.storeys):
        pivot = main[:, i] - side[:, i - 1] ** 2 / np.where(good, pivot, 1.0)
        good &= pivot > 0
    return np.asarray(good)
