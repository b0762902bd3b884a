"""Tables of many shear frames as :mod:`hamex.march.shear_frames` marches them: begun, marched on, and cut.

A march may stop at any step and go on: the table is all there is, so that no bit depends on where it was stopped.
Frames that pass a limit are marched again from where the stretch began, and end at the first node beyond.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.march import shear_frame as one
from hamex.march import shear_frames as place
from hamex.march.lanes import padded
from hamex.march.run import compiled, settled
from hamex.march.run import place as placed
from hamex.model.shear_frames import ShearFrames
from hamex.schemes.shear_frame import settles, shear_frame_rows
from hamex.solution.batch import STATE

Array = NDArray[Any]

_CACHE = 24 * 1024  # bytes that a tile may fill, so that it stays in the nearest cache of any machine
_EVERY_STEP = 16  # quantities of a storey that every step needs
_HARDENING = 8  # and those that hardening adds
_PIECE = 64  # steps after which frames that near their limit are looked at


class FramesUnderWay:
    """Some frames of one kind in the midst of a march.

    Attributes
    ----------
    frames : as given, without the padding.
    table : (group, storey, quantity, building); the last frame again where lanes are left over.
    numbers : of the step, (frame, row, storey).
    taken : steps so far.
    failed : first step of each frame that was not solved, or 0.
    """

    def __init__(
        self, frames: ShearFrames, table: Array, numbers: Array, h: float, hardens: bool, softer: bool, taken: int = 0
    ) -> None:
        self.frames, self.table, self.numbers, self.h = frames, table, numbers, h
        self.hardens, self.softer, self.taken = hardens, softer, taken
        self.failed = np.zeros(len(frames), dtype=np.int64)

    @classmethod
    def begun(
        cls, frames: ShearFrames, scale: Array, h: float, start: Mapping[str, Array], hardens: bool, softer: bool
    ) -> FramesUnderWay:
        """Frames at the start of their march."""
        spread = _spread(len(frames))
        full = frames.chosen(spread) if len(spread) > len(frames) else frames
        numbers = shear_frames_numbers(full, h)
        table = _table(full, numbers, scale[spread], h, {name: array[spread] for name, array in start.items()})
        return cls(frames, table, numbers, h, hardens, softer)

    def advance(self, record: Array, wanted: Sequence[int], floors: bool) -> None:
        """March on through some values of the record; ``wanted`` are the peaks and sums to keep."""
        n, groups = self.frames.storeys, len(self.table)
        wants = np.array([at in wanted for at in place.WANTS] if wanted else [], dtype=np.int64)
        tile = max(_CACHE // (8 * n * (_EVERY_STEP + _HARDENING * self.hardens) * place.LANES), 1)
        failed, todo, branch, counts = (np.zeros(size, dtype=np.int64) for size in (groups * place.LANES, tile, n, 2))
        frames, space, state = self.numbers.reshape(-1), np.zeros(one.ROWS * n), np.zeros(4 * n)
        search = settles(True)
        solver = placed(place.newton, 0, frames, space, 0.0, state, branch, counts, search, compile=True)
        kernel = compiled(settled(place.shear_frames, HARDENS=True) if self.hardens else place.shear_frames)
        kernel(
            self.table.reshape(groups, -1),
            frames,
            n,
            self.h,
            record,
            int(self.softer),
            int(floors),
            tile,
            wants,
            failed,
            todo,
            space,
            state,
            branch,
            counts,
            solver,
            search,
        )
        if len(record) % 2:
            self._turn()
        new = failed[: len(self.frames)]
        self.failed = np.where((self.failed == 0) & (new > 0), self.taken + new, self.failed)
        self.taken += len(record)

    def _turn(self) -> None:
        """Put the state at the end of an odd number of steps where one at the start of a step stands."""
        twice = [(at, place.STATE) for at in (place.E, place.S, place.V)]
        if self.hardens:
            twice += [(at, place.MEMORY) for at in (place.X, place.W)]
        if self.softer:
            twice.append((place.U, place.LANES))
        for at, apart in twice:
            here, there = at // place.LANES, (at + apart) // place.LANES
            self.table[:, :, [here, there]] = self.table[:, :, [there, here]]

    def row(self, at: int) -> Array:
        """A quantity, (building, storey)."""
        lanes = self.table[:, :, at // place.LANES]
        return lanes.transpose(0, 2, 1).reshape(-1, self.frames.storeys)[: len(self.frames)]

    def drift(self) -> Array:
        """At the end."""
        return np.asarray(self.row(place.E) + self.row(place.S))

    def momentum(self) -> Array:
        """At the end."""
        return np.asarray(self.row(place.MASS) * self.row(place.V))

    def largest_drift(self) -> Array:
        """At any node so far."""
        return np.maximum(self.row(place.DRIFT), np.abs(self.drift()))

    def finite(self) -> Array:
        """Which frames still have numbers."""
        return np.asarray(np.all(np.isfinite(self.drift()) & np.isfinite(self.momentum()), axis=1))

    def chosen(self, which: Array) -> FramesUnderWay:
        """Some of the frames, as they stand; a copy."""
        spread = which[_spread(len(which))]
        groups, n, rows, lanes = self.table.shape
        by_frame = self.table.transpose(0, 3, 1, 2).reshape(groups * lanes, n, rows)[spread]
        table = _aligned((len(spread) // lanes, n, rows, lanes))
        table[:] = by_frame.reshape(-1, lanes, n, rows).transpose(0, 2, 3, 1)
        found = FramesUnderWay(
            self.frames.chosen(which), table, self.numbers[spread], self.h, self.hardens, self.softer, self.taken
        )
        found.failed = self.failed[which]
        return found

    def put(self, which: Array, other: FramesUnderWay) -> None:
        """Take over some frames of another table."""
        groups, lanes = which // place.LANES, which % place.LANES
        rows = np.arange(len(which))
        self.table[groups, :, :, lanes] = other.table[rows // place.LANES, :, :, rows % place.LANES]
        self.failed[which] = other.failed


def march_to_limits(
    table: FramesUnderWay, record: Array, wanted: Sequence[int], floors: bool, bounds: Array | None
) -> Array:
    """March on through a record; frames whose drift passes its bound (frame, storey) end at the first node beyond.

    Returns the step at which each frame did, counted from the start of its march; 0 where it did not.
    """
    passed = np.zeros(len(table.frames), dtype=np.int64)
    if bounds is None or not np.isfinite(bounds).any():
        table.advance(record, wanted, floors)
        return passed
    before = table.chosen(np.arange(len(table.frames)))
    table.advance(record, wanted, floors)
    with np.errstate(over="ignore", invalid="ignore"):
        fine = np.all(table.largest_drift() <= bounds, axis=1) & table.finite() & (table.failed == 0)
    which = np.flatnonzero(~fine & np.isfinite(bounds).any(axis=1))
    begun = before.taken
    live = before.chosen(which) if which.size else None
    while live is not None and which.size and live.taken - begun < len(record):
        at = live.taken - begun
        piece, held = record[at : at + _PIECE], live.chosen(np.arange(which.size))
        live.advance(piece, wanted, floors)
        with np.errstate(over="ignore", invalid="ignore"):
            fine = np.all(live.largest_drift() <= bounds[which], axis=1) & live.finite() & (live.failed == 0)
        near = np.flatnonzero(~fine)
        if near.size:
            _step_by_step(held.chosen(near), piece, wanted, floors, bounds, which[near], table, passed)
            left = np.flatnonzero(fine)
            which, live = which[left], live.chosen(left) if left.size else None
    if live is not None and which.size:
        table.put(which, live)
    return passed


def _step_by_step(
    live: FramesUnderWay,
    piece: Array,
    wanted: Sequence[int],
    floors: bool,
    bounds: Array,
    which: Array,
    table: FramesUnderWay,
    passed: Array,
) -> None:
    """March frames to the very node beyond their bounds, and put them into ``table`` as they stand there."""
    for value in piece:
        live.advance(np.array([value]), wanted, floors)
        over = np.any(live.largest_drift() > bounds[which], axis=1) & (live.failed == 0)
        if over.any():
            gone, left = np.flatnonzero(over), np.flatnonzero(~over)
            passed[which[gone]] = live.taken
            table.put(which[gone], live.chosen(gone))
            which = which[left]
            if not left.size:
                return
            live = live.chosen(left)
    table.put(which, live)  # failed, or lost, without passing anything


def _spread(count: int) -> Array:
    """Numbers of the frames in lanes: padding repeats the last frame, and does what that one does."""
    return np.minimum(np.arange(padded(count, place.LANES)), count - 1)


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
