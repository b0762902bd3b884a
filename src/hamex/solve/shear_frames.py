"""Batches of shear frames: the numbers of their steps, blocks of groups through the compiled kernel, measures out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError, InputError, OverflowRunError, ProblemError, SchemeError
from hamex.march import shear_frame as one
from hamex.march import shear_frames as place
from hamex.march.lanes import padded
from hamex.march.run import compiled, in_threads, settled
from hamex.model.shear_frames import ShearFrames, diagonals
from hamex.schemes._stepforms import linear_element as linear_element_form
from hamex.schemes.prepare import lift
from hamex.schemes.promise import ZERO
from hamex.schemes.shear_frame import shear_frame_rows
from hamex.solution.batch import STATE

Array = NDArray[Any]

_CACHE = 24 * 1024  # bytes that a tile may fill, so that it stays in the nearest cache of any machine
_EVERY_STEP = 16  # quantities of a storey that every step needs
_HARDENING = 8  # and those that hardening adds


class _Marched:
    """Some buildings after the march: their table, and what its numbers mean."""

    def __init__(self, frames: ShearFrames, table: Array, h: float, steps: int, hardens: bool) -> None:
        self.frames, self.table, self.h, self.hardens = frames, table, h, hardens
        self.odd = steps % 2

    def row(self, at: int) -> Array:
        """A quantity, (building, storey)."""
        lanes = self.table[:, :, at // place.LANES]
        return lanes.transpose(0, 2, 1).reshape(-1, self.frames.storeys)[: len(self.frames)]

    def state(self, at: int) -> Array:
        """A quantity of the state at the end."""
        return self.row(at + self.odd * place.STATE)

    def memory(self, at: int) -> Array:
        """Back force over k, or accumulated slip, at the end."""
        return self.row(at + self.odd * place.MEMORY)

    def drift(self) -> Array:
        """At the end."""
        return np.asarray(self.state(place.E) + self.state(place.S))

    def momentum(self) -> Array:
        """At the end."""
        return np.asarray(self.row(place.MASS) * self.state(place.V))


def _ductility(m: _Marched) -> Array:
    """Largest drift over that at first yield; NaN where there is none."""
    f = m.frames
    some = np.isfinite(f.yield_force) & (f.yield_force > 0)
    return np.asarray(
        np.divide(MEASURES["drift"](m) * f.stiffness, f.yield_force, where=some, out=np.full(some.shape, np.nan))
    )


# Largest absolute values over floors or storeys, or values at the end.
MEASURES: Mapping[str, Callable[[_Marched], Array]] = {
    "drift": lambda m: np.maximum(m.row(place.DRIFT), np.abs(m.drift())),
    "ductility": _ductility,
    "displacement": lambda m: np.maximum(m.row(place.DISPLACEMENT), np.abs(np.cumsum(m.drift(), axis=1))),
    "velocity": lambda m: (2 / m.h) * m.row(place.VELOCITY),
    "absolute_acceleration": lambda m: (2 / m.h**2) * m.row(place.ACCELERATION),
    "force": lambda m: 0.5 * m.frames.stiffness * m.row(place.FORCE),
    "slip": lambda m: m.row(place.SLIP),
    "plastic_work": lambda m: m.frames.stiffness * m.row(place.WORK),
    "residual_displacement": lambda m: np.cumsum(m.drift(), axis=1),
    "residual_slip": lambda m: m.state(place.S),
    "residual_drift": lambda m: m.drift(),
}
_FINAL: Mapping[str, Callable[[_Marched], Array]] = {
    "final_displacement": MEASURES["residual_displacement"],
    "final_momentum": lambda m: m.momentum(),
    "final_slip": MEASURES["residual_slip"],
    "final_back_force": lambda m: m.frames.stiffness * m.memory(place.X),
    "final_accumulated_slip": lambda m: m.memory(place.W) if m.hardens else m.row(place.PATH),
}
_SOLVES: Mapping[str, Callable[[_Marched], Array]] = {
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
    out = {name: np.empty((len(frames), frames.storeys)) for name in names}
    failed, finite = np.zeros(len(frames), dtype=np.int64), np.ones(len(frames), dtype=bool)

    def march(task: tuple[bool, bool, Array]) -> None:
        hard, soft, which = task
        given = {name: array[which] for name, array in (start or {}).items()}
        marched, failed[which] = _march(frames.chosen(which), record, scale[which], h, names, given, hard, soft)
        with np.errstate(over="ignore", invalid="ignore"):  # a run that overflows is refused below, by name
            for name in names:
                out[name][which] = known[name](marched)
            finite[which] = np.all(np.isfinite(marched.drift()) & np.isfinite(marched.momentum()), axis=1)

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


def _march(
    frames: ShearFrames,
    record: Array,
    scale: Array,
    h: float,
    names: Sequence[str],
    start: Mapping[str, Array],
    hardens: bool,
    softer: bool,
) -> tuple[_Marched, Array]:
    """March frames of one kind; the table after it, and the first step of each that was not solved, or 0."""
    n, count = frames.storeys, len(frames)
    # Padding repeats the last frame: it does what that one does.
    groups = padded(count, place.LANES) // place.LANES
    spread = np.minimum(np.arange(groups * place.LANES), count - 1)
    full = frames.chosen(spread) if len(spread) > count else frames
    numbers = shear_frames_numbers(full, h)
    table = _table(full, numbers, scale[spread], h, {name: array[spread] for name, array in start.items()})
    wanted = {_NEEDS[name] for name in names if name in _NEEDS}
    wants = np.array([at in wanted for at in place.WANTS] if wanted else [], dtype=np.int64)
    hot = _EVERY_STEP + _HARDENING * hardens
    tile = max(_CACHE // (8 * n * hot * place.LANES), 1)
    failed, todo, branch, counts = (np.zeros(size, dtype=np.int64) for size in (len(full), tile, n, 2))
    kernel = compiled(settled(place.shear_frames, HARDENS=True) if hardens else place.shear_frames)
    kernel(
        table.reshape(groups, -1),
        numbers,
        n,
        h,
        record,
        int(softer),
        int("displacement" in names),
        tile,
        wants,
        failed,
        todo,
        np.zeros((one.ROWS, n)),
        np.zeros((4, n)),
        branch,
        counts,
    )
    return _Marched(frames, table, h, len(record), hardens), failed[:count]


def _table(frames: ShearFrames, numbers: Array, scale: Array, h: float, start: Mapping[str, Array]) -> Array:
    """The table of :mod:`hamex.march.shear_frames`, (group, storey, quantity, building)."""
    lanes, n = place.LANES, frames.storeys
    table = _aligned((len(frames) // lanes, n, place.ROWS, lanes))

    def fill(at: int, values: Array) -> None:
        table[:, :, at // lanes] = values.reshape(-1, lanes, n).transpose(0, 2, 1)

    k, mass = numbers[:, one.STIFF], numbers[:, one.MASS]
    fill(place.MASS, mass)
    fill(place.MAIN, numbers[:, one.MAIN])
    fill(place.SIDE, numbers[:, one.SIDE])
    fill(place.ELASTIC, 0.5 * h * k)
    fill(place.LOOSE, 2 * numbers[:, one.KAPPA])
    fill(place.YIELD, np.minimum(frames.yield_force / k, place.NEVER))
    fill(place.DRAG, frames.viscosity / (h * k))
    fill(place.KINEMATIC, frames.kinematic / k)
    fill(place.ISOTROPIC, frames.isotropic / k)
    fill(place.BESIDE, 0.5 * h * numbers[:, one.BESIDE])
    fill(place.BESIDE_SIDE, 0.5 * h * numbers[:, one.BESIDE_SIDE])
    table[:, 0, place.SCALE // lanes] = scale.reshape(-1, lanes)
    if start:
        nothing = np.zeros((len(frames), n))
        u, p, slip, back, path = (start.get(name, nothing) for name in STATE)
        v = p / mass
        for at, values in (
            (place.E, np.diff(u, axis=1, prepend=0.0) - slip),
            (place.S, slip),
            (place.V, v),
            (place.U, u),
            (place.X, back / k),
            (place.W, path),
            (place.PATH, path),
            (place.VELOCITY, abs(v)),
            (place.SLIP, abs(slip)),
        ):
            fill(at, values)
    return table


def _aligned(shape: tuple[int, ...]) -> Array:
    """Zeros that begin at a line of the cache, so that no vector lies across two."""
    size = int(np.prod(shape))
    raw = np.zeros(size + 8)
    skip = (-raw.ctypes.data % 64) // 8
    return raw[skip : skip + size].reshape(shape)


def shear_frames_numbers(frames: ShearFrames, h: float) -> Array:
    """The step of every frame from the generated step form, (frame, row, storey): rows as in ``march.shear_frame``."""
    rows = shear_frame_rows(vars(frames), h)
    out = np.empty((len(frames), len(rows), frames.storeys))
    for i, row in enumerate(rows):
        out[:, i] = row
    return out


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
