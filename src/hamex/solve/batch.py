"""Batches: arrays of models × motions × scales in one call, on compiled kernels where there are any for the models."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex import __version__
from hamex.checks import check_memory, is_one_of, is_positive, whole_steps
from hamex.errors import InputError, LoadError, ModelError, ProblemError
from hamex.march.run import in_threads, processors
from hamex.model.oscillator import Oscillators
from hamex.model.record import Model
from hamex.model.shear_frames import ShearFrames
from hamex.model.units import UNSTATED_LENGTH, in_gravities
from hamex.motion.ground import GroundMotion
from hamex.motion.load import Load, LoadSum
from hamex.problem import Limit
from hamex.schemes import Scheme
from hamex.schemes.prepare import is_oscillator
from hamex.schemes.shear_frame import is_shear_frame, shear_frames_of
from hamex.schemes.time_elements import Galerkin, is_linear
from hamex.solution.batch import STATE, Batch
from hamex.solution.source import model_numbers, named_bytes
from hamex.solve.cases import CaseGroup, Cases, Motion, arrange
from hamex.solve.followed import MEASURES as FOLLOWED
from hamex.solve.followed import RESTS, ManyFollowed, are_followed
from hamex.solve.oscillators import KINDS
from hamex.solve.runners import BlockResults, ManyFrames, ManyOscillators, OneByOne, Request, SampledMotion, Standing
from hamex.solve.settling import check_settle, look_at_the_ends, say_skipped, say_swinging

Array = NDArray[Any]
Systems = Oscillators | ShearFrames | list[Model]
Runner = ManyOscillators | ManyFollowed | ManyFrames | OneByOne
_SAMPLE = 64  # cases that are run in float64 too when float32 is asked for


def batch(
    models: Oscillators | ShearFrames | Model | Sequence[Model],
    loads: Motion | Sequence[Motion],
    scheme: Scheme,
    measures: Sequence[str] = ("displacement",),
    *,
    scales: ArrayLike = 1.0,
    g: float | None = None,
    paired: bool = False,
    duration: float | None = None,
    start: Mapping[str, ArrayLike] | None = None,
    standing: ArrayLike | Mapping[str, float] | None = None,
    histories: Sequence[str] = (),
    final: bool = False,
    limit: Limit | None = None,
    settle: float | None = None,
    peaks: str = "nodes",
    threads: int | None = None,
    block: int | None = None,
    dtype: str = "float64",
) -> Batch:
    """March many models through many motions at many scales, and keep what was asked for.

    Every model meets every motion at every scale; results have dimensions (model, motion, scale). Oscillators, and
    shear frames under ground motions, take compiled kernels that work on many at once when the scheme is Galerkin of
    degree 1; anything else is solved one by one. Results are the same bits for any number of threads, block size,
    order and company.

    Parameters
    ----------
    models : :func:`hamex.oscillators`, :func:`hamex.shear_frames`, one model, or a list of models of one kind.
    loads : a ground motion or a load, or a list of them; lengths and sample steps may differ. A ground motion acts on
        the masses of each model; a load is forces, the same for every model.
    scheme : as for :func:`hamex.solve`.
    measures : what to keep of each run; ``hamex.solution.batch.MEASURES`` lists them all.
    scales : factors of the motions.
    g : one gravity in the models' units, for ground motions; needed where the models do not state their units.
    paired : model i meets load i at scale i instead; one load or one scale serves all. Dimension (case,).
    duration : length of every run [s]; by default each motion's own, to its last sample.
    start : displacement, momentum, slip, back_force and accumulated_slip at t = 0, in the shape of the results (or one
        that spreads to it); ``final`` of another batch. At rest where left out.
    standing : forces that act before the start and for the whole run, such as gravity, as for :class:`hamex.Problem`:
        one per dof, or by dof name [force], the same on every model. Models are then solved one by one.
    histories : "displacement", "velocity", "slip" or "force" of oscillators, step by step.
    final : keep the state at the end.
    limit : storey drift at which a run ends, as for :func:`hamex.solve`: a drift ratio of 0.1 where heights are known.
        ``result.collapse`` tells when; measures are those up to there.
    settle : go on after the motion until each model has come to rest, as for :func:`hamex.solve`.
    peaks : where largest displacements and ductilities of oscillators are sought: at the "nodes", or "inside" the steps
        too, each a parabola with the velocities of its ends.
    threads : number of threads; all processors by default.
    block : cases marched in one go; chosen by the work by default.
    dtype : "float64"; "float32" for oscillators is faster, and ``rounding`` of the result says how far off.

    Examples
    --------
    >>> import hamex as hx
    >>> many = hx.oscillators(period=[0.5, 1.0, 2.0], damping_ratio=0.05, yield_force=1.0)
    >>> result = hx.batch(many, hx.el_centro(), hx.Galerkin(0.02), ("ductility",), scales=[1, 2], g=9.80665)
    >>> result.values("ductility").shape
    (3, 1, 2)
    """
    systems = _systems(models)
    cases = arrange(len(systems), loads, scales, paired)
    request = Request(
        _names("measures", measures),
        _names("histories", histories),
        bool(final),
        _dtype(dtype),
        limit or Limit(),
        settle,
        _inside(peaks),
    )
    if settle is not None:
        check_settle("batch", settle)
        if request.histories:
            raise InputError("batch: runs that settle have histories of different length; leave one of the two out")
    run = _runner(systems, cases, scheme, standing, request)
    run.check(request)
    if request.inside and not isinstance(run, ManyOscillators):
        raise InputError('batch: peaks="inside" is for oscillators with sliders that are marched together')
    units = systems[0].units if isinstance(systems, list) else systems.units
    if any(isinstance(motion, GroundMotion) for motion in cases.motions):
        if not is_positive(g) and (g is not None or units.length == UNSTATED_LENGTH):
            raise LoadError(f"batch: ground motions need g, one gravity in the models' units; got {g!r}")
        g = units.one_gravity(g, "batch")
    for motion in cases.motions:
        if isinstance(motion, GroundMotion):
            motion.warn_if_violent()
    say_skipped("batch", cases.motions, scheme)
    single = isinstance(run, OneByOne)
    records = [sampled(motion, scheme, duration, g, single) for motion in cases.motions]
    _check_memory(cases, records, request, run.places)
    if duration is not None:
        look_at_the_ends(cases.motions, [record.steps * record.h for record in records], settle)
    given = None if start is None else _start(start, cases, run.places)
    if request.histories and len({record.steps for record in records}) > 1:
        raise ProblemError("batch: motions of different length have histories of different length; give a duration")
    out, workers = _Out(cases), _threads(threads)
    tasks = [
        (group, begin, min(begin + size, group.size))
        for group in cases.groups(run.kinds)
        for size in [_block(block) or _even(group.size, run.block(records[group.motion].steps), workers)]
        for begin in range(0, group.size, size)
    ]

    def go(task: tuple[CaseGroup, int, int]) -> None:
        places, results = _march(run, *task, records, request, given)
        out.put(task[0].motion, places, results)

    in_threads(go, tasks, workers)
    ends = {name: cases.shown(array) for (kind, name), array in out.arrays.items() if kind == "end"}
    settled = ends["settled"] > 0 if "settled" in ends else None
    if settled is not None:
        say_swinging(settled | (np.isfinite(ends["collapse"]) if "collapse" in ends else False))
    rounding = _rounding(run, cases, records, request, given, out) if request.dtype == np.float32 else {}
    return Batch(
        {name: cases.shown(out.arrays["measure", name]) for name in request.measures},
        cases.dims,
        _labels(cases, run.places),
        units,
        scheme.step,
        tuple(record.steps for record in records),
        lambda: _provenance(systems, cases, records, scheme, request, (given or {}) | _forces(run)),
        {name: cases.shown(out.arrays["history", name]) for name in request.histories},
        {name: cases.shown(out.arrays["final", name]) for name in STATE} if request.final else None,
        rounding,
        collapse=ends.get("collapse"),
        settled=settled,
    )


def march_each(
    systems: Oscillators,
    records: Sequence[SampledMotion],
    record_of: Array,
    measures: Sequence[str],
    threads: int | None = None,
) -> dict[str, Array]:
    """Measures of oscillators that each meet one record of several, whose steps may differ, in one go.

    Parameters
    ----------
    systems : the oscillators.
    records : motions, as :func:`sampled` has them.
    record_of : number of the record of each oscillator.
    measures, threads : as for :func:`batch`.
    """
    run, request = ManyOscillators(systems), Request(tuple(measures), (), False, _dtype("float64"), Limit())
    run.check(request)
    out = {name: np.empty(len(systems)) for name in request.measures}
    group, workers = KINDS * record_of + (0 if run.kinds is None else run.kinds), _threads(threads)
    tasks = []
    for key in np.unique(group):
        members, record = np.flatnonzero(group == key), records[key // KINDS]
        size = _even(len(members), run.block(record.steps), workers)
        tasks += [
            (size * record.steps, int(key % KINDS), record, members[at : at + size])
            for at in range(0, len(members), size)
        ]
    tasks.sort(key=lambda task: -task[0])  # the longest first, so that threads end together

    def go(task: tuple[int, int, SampledMotion, Array]) -> None:
        _, kind, record, members = task
        ones = np.broadcast_to(1.0, members.shape)
        found = run.march(kind, members, int(members[0]), ones, record, request, None)
        for name, values in found.measures.items():
            out[name][members] = values

    in_threads(go, tasks, workers)
    return out


def _check_memory(cases: Cases, records: Sequence[SampledMotion], request: Request, places: int) -> None:
    count = math.prod(cases.shape)
    rows = records[0].steps + 1 if request.histories else 0
    check_memory(
        "batch",
        count * max(places, 1) * (len(request.measures) + 4 * request.final + rows * len(request.histories)),
        f"what is kept of {count:,} runs" + (f" with histories of {rows - 1:,} steps" if rows else ""),
        "leave histories out, or batch fewer runs at once" if rows else "batch fewer runs at once",
    )


class _Out:
    """Results of all cases, made when the first block tells their shape."""

    def __init__(self, cases: Cases) -> None:
        self.cases = cases
        self.arrays: dict[tuple[str, str], Array] = {}

    def put(self, motion: int, places: Any, block: BlockResults) -> None:
        """Write the results of a block into their places."""
        for kind, results in (
            ("measure", block.measures),
            ("history", block.histories),
            ("final", block.final),
            ("end", block.ends),
        ):
            for name, values in results.items():
                # setdefault is atomic: two threads that come first agree on one array.
                array = self.arrays.get((kind, name))
                if array is None:
                    array = self.arrays.setdefault((kind, name), self.cases.stored(values.shape[1:]))
                (array if self.cases.motion_of is not None else array[motion])[places] = values


def _march(
    run: Runner,
    group: CaseGroup,
    begin: int,
    end: int,
    records: Sequence[SampledMotion],
    request: Request,
    given: Mapping[str, Array] | None,
) -> tuple[Any, BlockResults]:
    which, scales, places = group.block(begin, end)
    first = which.start if isinstance(which, slice) else int(which[0])
    start = None
    if given is not None:
        start = {
            name: (array if group.cases.motion_of is not None else array[group.motion])[places]
            for name, array in given.items()
        }
    return places, run.march(group.kind, which, first, scales, records[group.motion], request, start)


# What was given ----------------------------------------------------------------------------------------------


def check_measures(systems: Systems, scheme: Scheme, measures: Sequence[str]) -> None:
    """Refuse measures that runs of these models do not give, before any of them."""
    request = Request(tuple(measures), (), False, _dtype("float64"), Limit())
    if isinstance(systems, Oscillators):
        ManyOscillators(systems).check(request)
    elif isinstance(systems, ShearFrames):
        ManyFrames(systems).check(request)
    else:
        OneByOne(systems[:1], scheme).check(request)


def _systems(models: object) -> Systems:
    if isinstance(models, Oscillators | ShearFrames):
        return models
    given = [models] if isinstance(models, Model) else list(models) if isinstance(models, Sequence | np.ndarray) else []
    if not given or not all(isinstance(model, Model) for model in given):
        raise ModelError(
            "batch: models must be made by oscillators(…) or shear_frames(…), or be a Model or a list of "
            f"Models, at least one; got {type(models).__name__}"
        )
    return given


def _runner(systems: Systems, cases: Cases, scheme: object, standing: Standing, request: Request) -> Runner:
    if not isinstance(scheme, Scheme):
        raise ProblemError(f"batch: the scheme must be one such as Galerkin(step), got {scheme!r}")
    linear = is_linear(scheme)
    if standing is not None and not isinstance(systems, list):
        raise ProblemError("batch: a standing load acts on models that are solved one by one; give a list of models")
    if isinstance(systems, list):
        plain = standing is None and request.settle is None and _single(cases, len(systems[0].dofs))
        if plain and marched_together(systems, scheme, request.measures):
            assert isinstance(scheme, Galerkin)
            return ManyFollowed(systems, scheme)
        linear = linear and standing is None
        if linear and all(is_oscillator(model) for model in systems) and _single(cases):
            return ManyOscillators(Oscillators.of(systems))
        shaken = all(isinstance(motion, GroundMotion) for motion in cases.motions)
        if linear and shaken and all(is_shear_frame(model) for model in systems):
            return ManyFrames(shear_frames_of(systems))
        if len({len(model.dofs) for model in systems}) > 1:
            raise ModelError("batch: the models have different numbers of degrees of freedom; batch those of one size")
        return OneByOne(systems, scheme, standing)
    if not linear:
        raise ProblemError(
            "batch: arrays of models are marched by Galerkin of degree 1; for other schemes give a list "
            "of models, which are solved one by one"
        )
    if isinstance(systems, ShearFrames):
        if not all(isinstance(motion, GroundMotion) for motion in cases.motions):
            raise LoadError("batch: shear frames are shaken by ground motions; for forces give a list of models")
        return ManyFrames(systems)
    if not _single(cases):
        raise LoadError("batch: a load on oscillators has one channel")
    return ManyOscillators(systems)


def marched_together(models: Sequence[Model], scheme: object, measures: Sequence[str]) -> bool:
    """True where a batch of these models that keeps these measures is one compiled loop."""
    if not isinstance(scheme, Galerkin) or not scheme.whole or not set(measures) <= set(FOLLOWED):
        return False
    if not RESTS.isdisjoint(measures) and any(_flows(model) for model in models):
        return False  # sliders along their path come to rest as others do
    return are_followed([scheme.sees(model) for model in models], scheme.step)


def _flows(model: Model) -> bool:
    return all(group.law.form == "flow" for group in model.laws.values())


def _single(cases: Cases, dofs: int = 1) -> bool:
    """Whether all motions have one channel, on so many dofs."""
    return all(
        isinstance(motion, GroundMotion) or (isinstance(motion, Load) and (motion.width, motion.channels) == (dofs, 1))
        for motion in cases.motions
    )


def sampled(
    motion: Motion, scheme: Scheme, duration: float | None, g: float | None, one_by_one: bool = False
) -> SampledMotion:
    """A motion in the steps of a scheme, for runs of this duration [s], or of its own; ``g`` is one gravity. Models
    that are solved one by one take the motion as it is."""
    if isinstance(motion, GroundMotion):
        assert g is not None
        load: Load | LoadSum = Load((in_gravities(motion.unit) * g) * motion.acceleration, motion.step)
    else:
        load = motion
    h = scheme.step
    if duration is None:
        if not math.isfinite(load.end):
            raise ProblemError("batch: a load that is a function has no end; give a duration")
        steps = max(1, math.ceil(min(load.end / h, 2.0**62) - 1e-9))
    elif not is_positive(duration):
        raise ProblemError(f"batch: duration must be a positive number of seconds, got {duration!r}")
    else:
        steps = whole_steps("batch", duration, h)
    if one_by_one:
        return SampledMotion(motion, np.zeros(0), h, steps, g)
    check_memory("batch", 6 * steps, f"a motion in {steps:,} steps", "take a longer step or a shorter duration")
    assert isinstance(scheme, Galerkin)
    values = np.ascontiguousarray(load.step_values(h, steps, scheme.load, quiet=True)[:, 0])
    if isinstance(motion, GroundMotion):
        return SampledMotion(motion, values, h, steps, g)
    assert isinstance(motion, Load)
    push = 1.0 if motion.patterns is None else float(motion.patterns[0, 0])
    return SampledMotion(
        motion, values, h, steps, None, push, 0.0 if motion.ground is None else float(motion.ground[0, 0])
    )


def _start(start: Mapping[str, ArrayLike], cases: Cases, places: int) -> dict[str, Array]:
    shape = (*cases.shape, places) if places else cases.shape
    state = {}
    for name, values in start.items():
        if name not in STATE:
            raise ProblemError(f"batch: start has no {name!r}; it may have {', '.join(STATE)}")
        try:
            array = np.broadcast_to(np.asarray(values, dtype=float), shape)
        except (TypeError, ValueError, OverflowError):
            raise ProblemError(
                f"batch: start {name!r} must be numbers of shape {shape}, got {np.shape(values)}"
            ) from None
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            raise ProblemError(f"batch: start {name!r} at {tuple(int(i) for i in bad[0])} is not finite")
        if cases.motion_of is None:
            models, motions, scales = cases.shape
            array = array.swapaxes(0, 1).reshape(motions, models * scales, *shape[3:])
        state[name] = array
    return state


def _names(what: str, names: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(names, str) and not (isinstance(names, Sequence) and all(isinstance(x, str) for x in names)):
        raise InputError(f"batch: {what} must be a list of names, got {names!r:.60}")
    chosen = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
    if what == "measures" and not chosen:
        raise InputError('batch: no measures; ask for at least one, e.g. measures=("displacement",)')
    return chosen


def _dtype(name: Any) -> Any:
    if not is_one_of(name, ("float64", "float32")) and name is not np.float64 and name is not np.float32:
        raise InputError(f'batch: dtype must be "float64" or "float32", got {name!r}')
    return np.dtype(name)


def _inside(peaks: Any) -> bool:
    if not is_one_of(peaks, ("nodes", "inside")):
        raise InputError(f'batch: peaks must be "nodes" or "inside", got {peaks!r}')
    return bool(peaks == "inside")


def _block(block: int | None) -> int | None:
    if block is not None and (not isinstance(block, int) or block < 1):
        raise InputError(f"batch: block must be a whole number of cases, at least 1; got {block!r}")
    return block


def _even(cases: int, most: int, threads: int) -> int:
    """Cases of a block, at most ``most``: all blocks alike and as many for each thread, but none for a thread that
    would have less than an eighth of a block to do."""
    blocks = max(-(-cases // most), min(threads, 8 * cases // most))
    if blocks > threads:
        blocks = -(-blocks // threads) * threads
    return -(-cases // blocks)


def _threads(threads: int | None) -> int:
    if threads is None:
        return processors()
    if not isinstance(threads, int) or threads < 1:
        raise InputError(f"batch: threads must be a whole number, at least 1; got {threads!r}")
    return threads


# What comes out ----------------------------------------------------------------------------------------------


def _labels(cases: Cases, places: int) -> dict[str, Any]:
    floors = {"storey": np.arange(1, places + 1), "floor": np.arange(1, places + 1)} if places else {}
    if cases.motion_of is not None:
        return {"case": np.arange(len(cases.motion_of)), **floors}
    sources = [getattr(motion, "source", "") or f"motion {i}" for i, motion in enumerate(cases.motions)]
    return {"model": np.arange(cases.models), "motion": np.array(sources), "scale": cases.scales, **floors}


def _rounding(
    run: Runner,
    cases: Cases,
    records: Sequence[SampledMotion],
    request: Request,
    given: Mapping[str, Array] | None,
    out: _Out,
) -> dict[str, float]:
    """Largest deviation from float64 in a sample of each motion, relative to the largest value there."""
    exact = replace(request, histories=(), final=False, dtype=np.dtype(np.float64))
    worst = dict.fromkeys(request.measures, 0.0)
    for group in cases.groups(run.kinds):
        sample = group.sample(_SAMPLE)
        places, results = _march(run, sample, 0, sample.size, records, exact, given)
        for name, values in results.measures.items():
            rough = out.arrays["measure", name]
            rough = (rough if cases.motion_of is not None else rough[group.motion])[places]
            scale = float(np.nanmax(np.abs(values), initial=0.0))
            if scale > 0:
                worst[name] = max(worst[name], float(np.nanmax(np.abs(rough - values)) / scale))
    return worst


def _provenance(
    systems: Systems,
    cases: Cases,
    records: Sequence[SampledMotion],
    scheme: Scheme,
    request: Request,
    given: Mapping[str, Array],
) -> dict[str, str]:
    """What a reader needs to repeat the batch. The hash covers every number that enters it."""
    settings = (scheme, request.measures, str(request.dtype), request.limit, request.settle, cases.shape)
    digest = hashlib.sha256(repr((*settings, "inside") if request.inside else settings).encode())
    models = (
        [model_numbers(model) for model in systems]
        if isinstance(systems, list)
        else [{name: values for name, values in vars(systems).items() if isinstance(values, np.ndarray)}]
    )
    for numbers in (
        *models,
        *(_motion_numbers(record) for record in records),
        given,
        {"scales": cases.scales, "motion_of": cases.motion_of},
    ):
        for part in named_bytes(numbers):
            digest.update(part)
    return {"hamex": __version__, "scheme": repr(scheme), "batch": digest.hexdigest()}


def _forces(run: Runner) -> dict[str, Array]:
    """Standing forces, model after model; {} where there are none."""
    at_rest = run.at_rest if isinstance(run, OneByOne) else None
    return {} if at_rest is None else {"standing": np.concatenate([forces for forces, _ in at_rest])}


def _motion_numbers(record: SampledMotion) -> dict[str, Any]:
    """The numbers of a motion: as the kernels take it, or at the nodes where models are solved one by one."""
    more = {"h": record.h, "steps": record.steps, "gravity": record.gravity, "push": record.push, "shake": record.shake}
    motion = record.motion
    if record.values.size:
        found: dict[str, Any] = {"values": record.values, **more}
        if not isinstance(motion, GroundMotion) and motion.width > 1:
            found |= {"patterns": motion.patterns, "ground": motion.ground}
        return found
    if isinstance(motion, GroundMotion):
        return {"values": in_gravities(motion.unit) * motion.acceleration, "every": motion.step, **more}
    return {
        "values": motion.node_values(record.h, record.steps, quiet=True),
        "patterns": motion.patterns,
        "ground": motion.ground,
        **more,
    }
