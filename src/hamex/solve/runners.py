"""How a batch marches its models: many oscillators at once, many shear frames at once, or one by one, where measures
are read off a single solution: the definition that the kernels of many are tested against."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import InputError, ModelError, OverflowRunError
from hamex.model.algebra import rows
from hamex.model.oscillator import Oscillators
from hamex.model.record import Model, dense
from hamex.model.shear_frames import ShearFrames
from hamex.motion.ground import GroundMotion
from hamex.motion.load import Load, LoadSum
from hamex.problem import Limit, Problem, State, forces_on
from hamex.schemes import Scheme
from hamex.solution.batch import HISTORIES, STATE
from hamex.solution.solution import Solution
from hamex.solve import run
from hamex.solve.cases import MEASURES as OF_BUILDINGS
from hamex.solve.cases import march_shear_frames
from hamex.solve.oscillators import NEEDS, DisplacementPeaks, OscillatorBlock, flags_of, kinds, march_oscillators
from hamex.solve.static import gravity

Array = NDArray[Any]
Standing = ArrayLike | Mapping[str, float] | None
_WORK = 64_000_000  # oscillator-steps of a block


def _last(name: str) -> Callable[[Solution], Array]:
    return lambda solution: np.asarray(solution.values(name)[-1])


def _rest(name: str, unknown: float = np.nan) -> Callable[[Solution], Array]:
    def read(solution: Solution) -> Array:
        places = (
            len(solution.dofs) if name == "displacement" else max(len(getattr(solution.model.storeys, "names", ())), 1)
        )
        return np.full(places, unknown) if solution.rest is None else np.asarray(getattr(solution.rest, name))

    return read


def _floors(read: Callable[[Solution], Array]) -> Callable[[Solution], Array]:
    """The levels of a frame move as their nodes do on the mean; of a shear frame the floors are the dofs."""

    def of_floors(solution: Solution) -> Array:
        storeys, values = solution.layout.storeys, read(solution)
        if storeys is None or storeys.floors is None:
            return values
        return rows(values.reshape(-1, values.shape[-1]), storeys.floors.T).reshape(*values.shape[:-1], -1)

    return of_floors


def _largest(read: Callable[[Solution], Array]) -> Callable[[Solution], Array]:
    return lambda solution: np.asarray(np.abs(read(solution)).max(axis=0))


def _all(name: str) -> Callable[[Solution], Array]:
    return lambda solution: solution.values(name)


def _plastic(solution: Solution) -> Array:
    return np.asarray((solution.split.plastic + solution.split.viscous).sum(axis=0))


def _cycles(solution: Solution) -> Array:
    ways = np.sign(np.diff(solution.values("slip"), axis=0))
    counts = []
    for column in ways.T:
        moving = column[column != 0]
        counts.append((np.count_nonzero(np.diff(moving)) + (moving.size > 0)) / 2)
    return np.array(counts)


def _slip_of_storeys(solution: Solution) -> Array:
    if solution.springs != solution.labels("storey"):
        raise InputError("batch: residual_slip is that of shear frames, one spring a storey; take residual_drift")
    return solution.values("slip")


_OF_OSCILLATORS: Mapping[str, Callable[[Solution], Array]] = {
    "displacement": _largest(_all("displacement")),
    "velocity": _largest(_all("velocity")),
    "absolute_acceleration": _largest(_all("absolute_acceleration")),
    "force": _largest(_all("force")),
    "ductility": lambda solution: solution.values("ductility"),
    "residual_slip": _last("slip"),
    "residual_displacement": _last("displacement"),
    "settled_displacement": _rest("displacement"),
    "swing": _rest("swing", np.inf),
    "plastic_work": _plastic,
    "input_work": lambda solution: solution.values("input")[-1:],
    "cycles": _cycles,
}
_OF_STOREYS: Mapping[str, Callable[[Solution], Array]] = {
    "displacement": _largest(_floors(_all("displacement"))),
    "velocity": _largest(_floors(_all("velocity"))),
    "absolute_acceleration": _largest(_floors(_all("absolute_acceleration"))),
    "drift": _largest(_all("storey_drift")),
    "force": _largest(_all("storey_shear")),
    "residual_slip": lambda solution: _slip_of_storeys(solution)[-1],
    "residual_displacement": _floors(_last("displacement")),
    "residual_drift": _last("storey_drift"),
    "settled_displacement": _floors(_rest("displacement")),
    "settled_drift": _rest("drift"),
    "swing": _rest("swing", np.inf),
}


# Where the springs are the storeys, each storey has one of its own.
_OF_STOREY_SPRINGS: Mapping[str, Callable[[Solution], Array]] = {
    **_OF_STOREYS,
    **{name: _OF_OSCILLATORS[name] for name in ("ductility", "residual_slip", "plastic_work")},
}


def measures_of(model: Model, storeys: int) -> Mapping[str, Callable[[Solution], Array]]:
    """Measures that a single solution gives, for an oscillator (0 storeys) or a structure with storeys."""
    if not storeys:
        return _OF_OSCILLATORS
    return _OF_STOREY_SPRINGS if _springs_are_storeys(model) else _OF_STOREYS


def _springs_are_storeys(model: Model) -> bool:
    if model.storeys is None or len(model.springs) != len(model.storeys.names):
        return False
    return np.array_equal(dense(model.storeys.drift), dense(model.compatibility).T)


def measure(solution: Solution, name: str, storeys: int | None = None) -> Array:
    """One measure: a number of an oscillator, one per storey or floor of a structure."""
    if storeys is None:
        storeys = len(solution.labels("storey")) if "storey_drift" in solution.names else 0
    values = measures_of(solution.model, storeys)[name](solution)
    return values if storeys else values[0]


@dataclass(frozen=True, eq=False)
class SampledMotion:
    """A motion as the kernels take it.

    Attributes
    ----------
    motion : as given.
    values : load of each step, (steps,); accelerations for a ground motion.
    h : step [s].
    steps : their number.
    gravity : one gravity in the models' units; None for forces.
    push, shake : force and ground acceleration on a single mass per unit of a load; unused for ground motions.
    """

    motion: GroundMotion | Load | LoadSum
    values: Array
    h: float
    steps: int
    gravity: float | None
    push: float = 0.0
    shake: float = 0.0


@dataclass(frozen=True)
class Request:
    """What to keep of each run."""

    measures: tuple[str, ...]
    histories: tuple[str, ...]
    final: bool
    dtype: Any
    limit: Limit
    settle: float | None = None
    inside: bool = False  # peaks of the displacement inside the steps


@dataclass(frozen=True, eq=False)
class BlockResults:
    """What a block gave, each (case, …); of ``ends`` the time at which each passed the limit, NaN where it did not, and
    whether its motion died down."""

    measures: dict[str, Array]
    histories: dict[str, Array] = field(default_factory=dict)
    final: dict[str, Array] = field(default_factory=dict)
    ends: dict[str, Array] = field(default_factory=dict)


_MAY_LACK = ("ductility", "settled", "swing")  # elastic springs, and structures that do not stand by themselves


def check_finite(measures: Mapping[str, Array], first: int) -> None:
    """Refuse measures that are no numbers, works above all, whose squares overflow first; some may have none."""
    for name, values in measures.items():
        finite = np.isfinite(values)
        if not (finite.all() or name.startswith(_MAY_LACK)):
            model = first + int(np.argwhere(~finite)[0][0])
            raise OverflowRunError(
                f"batch: the {name.replace('_', ' ')} of model {model} is beyond what "
                "numbers hold; loads and units are out of proportion, or it collapsed and ran away: then end the run "
                "earlier"
            )


class ManyOscillators:
    """Lanes across oscillators."""

    places = 0  # storeys

    def block(self, steps: int) -> int:
        """Cases of a block: some ten milliseconds of work, so that setting it up does not count."""
        return min(max(_WORK // steps, 1), 1 << 16)

    def __init__(self, systems: Oscillators) -> None:
        self.systems = systems
        self.kinds = kinds(systems)

    def check(self, request: Request) -> None:
        """Refuse what this kind of run cannot give."""
        known("measures", request.measures, NEEDS)
        known("histories", request.histories, HISTORIES)

    def march(
        self,
        kind: int,
        which: Any,
        first: int,
        scales: Array,
        record: SampledMotion,
        request: Request,
        start: Mapping[str, Array] | None,
    ) -> BlockResults:
        """March some of them; ``first`` is the number of the first for messages."""
        x = self.systems.chosen(which)
        ground = record.gravity is not None
        block = OscillatorBlock(
            x,
            first,
            record.values,
            -x.mass * scales if ground else record.push * scales,
            scales if ground else record.shake * scales,
            record.h,
            start,
            request.settle,
        )
        flags = flags_of(kind).union(*(NEEDS[name] for name in request.measures))
        if request.final or request.settle is not None:
            flags |= {"SLIPS"}
        if request.histories:
            flags |= {"HISTORY"}
        if request.inside:
            flags |= {"INSIDE"}
        done = march_oscillators(block, flags, request.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            measures = {name: done.measure(name) for name in request.measures}
        check_finite(measures, first)
        if isinstance(done, DisplacementPeaks):
            return BlockResults(measures)
        return BlockResults(
            measures,
            {name: done.kept(name) for name in request.histories},
            {name: done.final(name) for name in STATE} if request.final else {},
            {} if done.settled is None else {"settled": done.settled.astype(float)},
        )


class ManyFrames:
    """Lanes across shear frames of equal height."""

    kinds = None

    def __init__(self, systems: ShearFrames) -> None:
        self.systems = systems
        self.places = systems.storeys

    def block(self, steps: int) -> int:
        """Cases of a block: enough to put similar frames together."""
        return 4096

    def check(self, request: Request) -> None:
        """Refuse what this kind of run cannot give."""
        known("measures", request.measures, OF_BUILDINGS)
        known("histories", request.histories, {})
        if request.dtype == np.float32:
            raise InputError("batch: shear frames are marched in float64")

    def march(
        self,
        kind: int,
        which: Any,
        first: int,
        scales: Array,
        record: SampledMotion,
        request: Request,
        start: Mapping[str, Array] | None,
    ) -> BlockResults:
        """March some of them; ``first`` is the number of the first for messages."""
        measures = (*request.measures, "final") if request.final else request.measures
        results = march_shear_frames(
            self.systems.chosen(which),
            record.values,
            scales,
            record.h,
            measures,
            start,
            first=first,
            limit=request.limit,
            settle=request.settle,
        )
        final = {name: results.pop(f"final_{name}") for name in STATE} if request.final else {}
        ends: dict[str, Array] = {name: results.pop(name) for name in ("collapse", "settled") if name in results}
        check_finite(results, first)
        return BlockResults(results, {}, final, ends)


class OneByOne:
    """Any model and scheme, through :func:`hamex.solve`."""

    kinds = None

    def block(self, steps: int) -> int:
        """Cases of a block: each is work enough by itself."""
        return 1

    def __init__(self, models: Sequence[Model], scheme: Scheme, standing: Standing = None) -> None:
        self.models, self.scheme = models, scheme
        # Found once for each model, whatever shakes it then: forces on its dofs and the state at rest under them.
        self.at_rest = None if standing is None else [_at_rest(model, standing) for model in models]
        self.places = 0

    def check(self, request: Request) -> None:
        """Refuse what this kind of run cannot give."""
        self.places = places_of(self.models[0], request)

    def march(
        self,
        kind: int,
        which: Any,
        first: int,
        scales: Array,
        record: SampledMotion,
        request: Request,
        start: Mapping[str, Array] | None,
    ) -> BlockResults:
        """March some of them; ``first`` is the number of the first for messages."""
        if start is not None:
            raise InputError("batch: models that are solved one by one start at rest; use hamex.solve")
        numbers = np.arange(which.start, which.stop) if isinstance(which, slice) else which
        rows: dict[str, list[Any]] = {name: [] for name in request.measures}
        ended, settled = list[float](), list[bool]()
        for number, scale in zip(numbers, scales, strict=True):
            model = self.models[number]
            load = (
                record.motion.on(model, g=record.gravity)
                if isinstance(record.motion, GroundMotion) and record.gravity is not None
                else record.motion
            )
            assert isinstance(load, Load | LoadSum)
            forces, rest = (None, State()) if self.at_rest is None else self.at_rest[number]
            problem = Problem(model, load.scaled(float(scale)), record.steps * record.h, rest, standing=forces)
            solution = run(problem, self.scheme, request.limit, settle=request.settle, told=True)
            for name in request.measures:
                rows[name].append(measure(solution, name, self.places))
            stopped = request.limit.stop and solution.exceeded is not None
            ended.append(solution.all_steps * solution.step if stopped else np.nan)
            settled.append(solution.extent.settled is True)
        ends = {"collapse": np.array(ended)} | ({} if request.settle is None else {"settled": np.array(settled, float)})
        return BlockResults({name: np.array(values) for name, values in rows.items()}, ends=ends)


def places_of(model: Model, request: Request) -> int:
    """Storeys of the models of a batch, 0 for oscillators; refuses what neither single runs nor those of models that
    are followed along their path can give."""
    places = len(getattr(model.storeys, "names", ()))
    if len(model.dofs) == 1 and not any(name.endswith("drift") for name in request.measures):
        places = 0  # one storey is an oscillator, but only a storey has a drift
    if not places and len(model.dofs) > 1:
        raise ModelError(
            f"batch: measures belong to storeys, and a model of {len(model.dofs)} dofs without levels has "
            "none; give the frame its levels (levels=…), or use hamex.solve, which keeps all histories"
        )
    known("measures", request.measures, measures_of(model, places))
    known("histories", request.histories, {})
    if request.final or request.dtype == np.float32:
        raise InputError(
            "batch: models that are solved one by one, or followed along their path, give measures in float64 and no "
            "final states; use hamex.solve for those"
        )
    return places


def _at_rest(model: Model, standing: Standing) -> tuple[Array, State]:
    assert standing is not None
    forces = forces_on(model, standing, "batch: standing")
    return forces, gravity(model, forces) if forces.any() else State()


def known(what: str, names: Sequence[str], there: Any) -> None:
    """Refuse names that are not there."""
    for name in names:
        if name not in there:
            raise InputError(f"batch: {what}: there is no {name!r} here; known are {', '.join(there) or 'none'}")
