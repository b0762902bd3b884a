"""Runs that go on until their motion has died down: how much longer, and whether it has.

A tail is a quarter of the run, then a half, one, two … of its length. The motion is looked at where a tail ends, so
that the end depends on the run itself and on nothing else.

Oscillators and shear frames of a batch at rest: where each comes to rest, how far it still swings, and marches that
go on until it does not. As :mod:`hamex.solution.shaking` has it, for many at once; company changes no bit."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_positive
from hamex.errors import ProblemError, ShortRunWarning, StepWarning, SwingWarning, warn
from hamex.march import shear_frames as place
from hamex.march.lanes import padded
from hamex.model.inputs import few
from hamex.model.oscillator import Oscillators
from hamex.model.record import dense
from hamex.model.shear_frames import ShearFrames, diagonals
from hamex.motion.ground import GroundMotion
from hamex.motion.load import Load
from hamex.problem import Problem
from hamex.problem.loads import left_over, standing
from hamex.schemes.scheme import Ran, Scheme
from hamex.solution.shaking import places_of, rest_of
from hamex.solve.frame_tables import FramesUnderWay, march_to_limits

Array = NDArray[Any]
LONGEST = 32  # a tail at most, in lengths of the run


def check_settle(who: str, settle: object) -> None:
    """Refuse what is no share."""
    if not is_positive(settle) or not float(settle) < 1:  # type: ignore[arg-type]
        raise ProblemError(
            f"{who}: settle is the share of the largest drift below which the motion counts as died down, "
            f"between 0 and 1, e.g. 0.001; got {settle!r}"
        )


def tails(steps: int, every: int = 1) -> Iterator[int]:
    """Lengths of a run in steps, one tail longer each, multiples of ``every``.

    >>> list(tails(100))
    [125, 150, 200, 300, 500, 900, 1700, 3300]
    """
    tail = max(-(-steps // 4), 1)
    while tail <= LONGEST * steps:
        yield steps + -(-tail // every) * every
        tail *= 2


def look_at_the_ends(motions: Sequence[Any], ends: Sequence[float], settle: float | None) -> None:
    """Say which runs of a batch end before their motion does [s]; refuse to let them settle then."""
    loads = (Load(each.acceleration, each.step) if isinstance(each, GroundMotion) else each for each in motions)
    early = [left_over(load, end) for load, end in zip(loads, ends, strict=True)]
    if not any(early):
        return
    count = sum(seconds > 0 for seconds in early)
    message = f"{count} of {len(early)} motions go on after the end of their runs, by up to {max(early):g} s"
    if settle is not None:
        raise ProblemError(
            f"batch: settle goes on without load, but {message}; leave duration out, or take a longer one"
        )
    warnings.warn(f"batch: {message}; what comes later is not seen", ShortRunWarning, stacklevel=4)


def say_skipped(who: str, motions: Iterable[Any], scheme: Scheme) -> None:
    """Warn, once for all, of motions whose samples lie closer than a step of a scheme that reads them at instants."""
    every = list(motions)
    skipped = [each for each in every if (getattr(each, "step", None) or math.inf) * (1 + 1e-9) < scheme.step]
    if skipped and getattr(scheme, "load", None) != "mean":
        names = few([each.source or "no source" for each in skipped], count=3)
        warn(
            f"{who}: the step of {scheme.step:g} s is longer than that of {len(skipped)} of {len(every)} "
            f"motions ({names}), the shortest {min(each.step for each in skipped):g} s, so samples are skipped; use "
            'load="mean" or a shorter step',
            StepWarning,
        )


def say_swinging(at_rest: Array) -> None:
    """Warn where some runs of a batch have not come to rest."""
    if not at_rest.all():
        warnings.warn(
            f"batch: {np.count_nonzero(~at_rest)} of {at_rest.size} runs have not come to rest; what is left of their "
            "drifts is that of an instant, the measure settled_drift tells where they come to rest",
            SwingWarning,
            stacklevel=4,
        )


class Waiting:
    """Sees the steps of a run, and says whether it must go on.

    Attributes
    ----------
    steps : of the run, tails so far included.
    settled : whether the motion had died down at the end of them.
    """

    def __init__(self, problem: Problem, settle: float, steps: int, every: int) -> None:
        self.model, self.settle, self.steps, self.settled = problem.model, settle, steps, False
        force = None if problem.supports is not None else standing(problem.acting, problem.duration)
        if force is None:
            raise ProblemError("solve: settle needs a load that ends or stays, and supports that stand still")
        for group in problem.model.laws.values():
            if group.law.form != "flow":
                raise ProblemError(f"solve: settle: where a spring of {group.law.__name__} comes to rest is not known")
        self.force, self.tails = force, tails(steps, every)
        storeys = problem.model.storeys
        self.drifts = None if storeys is None else dense(storeys.drift)
        self.largest = np.zeros(len(problem.model.dofs) if storeys is None else len(self.drifts))  # type: ignore[arg-type]

    def goes_on(self, ran: Ran, done: int) -> bool:
        """Look at some more steps; True where the run is over and must go on."""
        u = ran.nodes["displacement"]
        moved = np.abs(u if self.drifts is None else u @ self.drifts.T).max(axis=0)
        if self.drifts is None:
            moved = np.where(self.model.turning_dofs, 0.0, moved)
        self.largest = np.maximum(self.largest, moved)
        if done < self.steps:
            return False
        places = places_of(self.model, int(self.largest.argmax()))
        rest = rest_of(self.model, ran.end, self.force, places, float(self.largest.max()))
        self.settled = rest is not None and rest.share <= self.settle
        longer = None if self.settled or rest is None else next(self.tails, None)
        if longer is None:
            return False
        self.steps = longer
        return True


class RestOfMany(NamedTuple):
    """Displacement and drift at rest, and how far each drift may still swing about it; NaN and ∞ where nothing
    holds the structure."""

    displacement: Array
    drift: Array
    swing: Array


def rest_of_oscillators(x: Oscillators, displacement: Array, momentum: Array, slip: Array) -> RestOfMany:
    """Oscillators at rest; one whose spring flows under any force is left to what stands beside it."""
    flows = x.yield_force == 0
    stiff = np.where(flows, 0.0, x.stiffness) + x.geometric
    holds = (stiff > 0) & ~(flows & (x.kinematic + x.isotropic > 0))
    pull = np.where(flows, 0.0, x.stiffness * slip)
    with np.errstate(divide="ignore", invalid="ignore"):
        settled = np.where(holds, np.where((x.geometric == 0) & ~flows, slip, pull / stiff), np.nan)
        carried = np.where(flows, x.stiffness * (displacement - slip) ** 2, 0.0)
        twice = momentum**2 / x.mass + stiff * (displacement - settled) ** 2 + carried
        swing = np.where(holds, np.sqrt(twice / stiff), np.inf)
    return RestOfMany(settled, settled, swing)


def rest_of_frames(m: FramesUnderWay) -> RestOfMany:
    """Shear frames at rest: a storey without P-Delta carries no force, and its drift is its slip."""
    f, drift, slip = m.frames, m.drift(), m.row(place.S)
    k, p = f.stiffness, m.momentum()
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        kinetic = _total(p**2 / f.mass)
        # Storeys that slip under any force do not stay where they are.
        slip = np.where(np.any(f.yield_force == 0, axis=1)[:, None], np.nan, slip)
        if not m.softer:
            twice = kinetic + _total(k * (drift - slip) ** 2)
            return RestOfMany(np.cumsum(slip, axis=1), slip, _or_endless(np.sqrt(twice[:, None] / k)))
        main, side = _stiffness(f)
        force = k * slip
        force[:, :-1] -= force[:, 1:]
        units = np.zeros((*k.shape, f.storeys))  # pairs of forces on a storey, one after the other
        for i in range(f.storeys):
            units[:, i, i] = 1.0
            if i:
                units[:, i - 1, i] = -1.0
        solved = _solved(main, side, np.concatenate([force[:, :, None], units], axis=2))
        settled = solved[:, :, 0]
        moved = np.diff(solved[:, :, 1:], axis=1, prepend=0.0)
        reach = np.stack([moved[:, i, i] for i in range(f.storeys)], axis=1)
        away = np.cumsum(drift, axis=1) - settled
        pull = main * away**2
        pull[:, 1:] += 2 * side[:, 1:] * away[:, 1:] * away[:, :-1]
        swing = np.sqrt(np.maximum(kinetic + _total(pull), 0.0)[:, None] * reach)
    return RestOfMany(settled, np.diff(settled, axis=1, prepend=0.0), _or_endless(swing))


def _total(values: Array) -> Array:
    """Sums over the storeys, in their order whatever the layout of the array."""
    total = np.zeros(len(values))
    for column in values.T:
        total = total + column
    return total


def _or_endless(swing: Array) -> Array:
    return np.where(np.isnan(swing), np.inf, swing)


def _stiffness(f: ShearFrames) -> tuple[Array, Array]:
    """Main and side diagonal of the stiffness, P-Delta included."""
    main, side = diagonals(f.stiffness)
    return main + f.geometric_main, side + f.geometric_side


def _solved(main: Array, side: Array, right: Array) -> Array:
    """Solutions of tridiagonal systems, (frame, floor, right side); NaN where one is not positive definite."""
    floors = main.shape[1]
    x, pivot = right.copy(), main.copy()
    for i in range(1, floors):
        share = side[:, i] / pivot[:, i - 1]
        pivot[:, i] -= share * side[:, i]
        x[:, i] -= share[:, None] * x[:, i - 1]
    x[:, -1] /= pivot[:, -1, None]
    for i in range(floors - 2, -1, -1):
        x[:, i] = (x[:, i] - side[:, i + 1, None] * x[:, i + 1]) / pivot[:, i, None]
    x[np.any(pivot <= 0, axis=1)] = np.nan
    return x


def settle_frames(
    m: FramesUnderWay, passed: Array, settle: float, wanted: Sequence[int], floors: bool, bounds: Array | None
) -> Array:
    """Let the frames go on in free vibration, each until its swing is below a share of its largest drift; ``passed``
    tells which have come to an end, and is told of those that do on the way. Returns which have settled."""
    settled = np.zeros(len(m.frames), dtype=bool)
    which = np.flatnonzero((passed == 0) & (m.failed == 0) & m.finite())
    lengths = tails(m.taken)
    while which.size:
        live = m.chosen(which)
        still = (passed[which] == 0) & (live.failed == 0) & live.finite()
        swings = still & ~(rest_of_frames(live).swing.max(axis=1) <= settle * live.largest_drift().max(axis=1))
        settled[which] = still & ~swings
        which, steps = which[swings], next(lengths, None)
        if steps is None or not which.size:
            break
        live = live.chosen(np.flatnonzero(swings))
        nothing = np.zeros(steps - live.taken)
        passed[which] = march_to_limits(live, nothing, wanted, floors, None if bounds is None else bounds[which])
        m.put(which, live)
    return settled


class Tiles:
    """A table of rows over oscillators that lies in memory tile by tile; padding is zero and stays so."""

    def __init__(self, count: int, width: int, kind: Any, rows: int) -> None:
        self.count, self.whole = count, count // width
        self.tiles = np.zeros((padded(count, width) // width, rows, width), dtype=kind)

    def __getitem__(self, row: int) -> Array:
        return self.tiles[:, row].reshape(-1)[: self.count].astype(float, copy=False)

    def __setitem__(self, row: int, values: Array) -> None:
        whole, width = self.whole, self.tiles.shape[2]
        self.tiles[:whole, row] = values[: whole * width].reshape(whole, width)
        if whole < len(self.tiles):
            self.tiles[whole, row, : self.count - whole * width] = values[whole * width :]

    def chosen(self, which: Array) -> Tiles:
        """Some of the oscillators, as they stand; a copy."""
        width = self.tiles.shape[2]
        found = Tiles(len(which), width, self.tiles.dtype, self.tiles.shape[1])
        numbers = np.arange(len(which))
        found.tiles[numbers // width, :, numbers % width] = self.tiles[which // width, :, which % width]
        return found

    def put(self, which: Array, other: Tiles) -> None:
        """Take over some oscillators of another table."""
        width, numbers = self.tiles.shape[2], np.arange(len(which))
        self.tiles[which // width, :, which % width] = other.tiles[numbers // width, :, numbers % width]


def settle_oscillators(
    table: Tiles, steps: int, swings: Callable[[Tiles, Array], Array], march: Callable[[Tiles, int], None]
) -> Array:
    """Let oscillators go on in free vibration, each until it ``swings`` no longer; ``march`` lets some of them go on
    for so many steps. Returns which have settled."""
    which, taken, lengths = np.arange(table.count), steps, tails(steps)
    live = table
    while which.size:
        left = np.flatnonzero(swings(live, which))
        which, longer = which[left], next(lengths, None)
        if longer is None or not which.size:
            break
        live = live.chosen(left)
        march(live, longer - taken)
        table.put(which, live)
        taken = longer
    settled = np.ones(table.count, dtype=bool)
    settled[which] = False
    return settled
