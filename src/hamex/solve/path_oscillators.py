"""Many oscillators whose springs are followed along their path: one record after the other, each in closed form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError, OverflowRunError
from hamex.march import followed as kernel
from hamex.march.run import around_law, compiled
from hamex.model.laws.law import Group, Law
from hamex.model.record import Model
from hamex.problem import Limit
from hamex.schemes.families import ElementScheme
from hamex.schemes.oscillator import is_followed, step_of
from hamex.schemes.prepare import damping_of_one
from hamex.schemes.promised import check_promise
from hamex.schemes.springs import can_break
from hamex.solve.runners import BlockResults, Request, SampledMotion, check_finite, known

Array = NDArray[Any]
_WORK = 500_000  # steps of a block
_SAFE = 1e-6  # of the inertia of a step: what counts as positive at sight


def are_followed(models: Sequence[Model]) -> bool:
    """True for oscillators whose springs are followed and share a law; those that break do so at the end of a piece."""
    if not all(is_followed(model) for model in models) or len({law_of(model)[1].law for model in models}) != 1:
        return False
    return law_of(models[0])[1].law.spring_piece is not None or not any(can_break(model) for model in models)


def law_of(model: Model) -> tuple[str, Any]:
    """Kind and group of the one law of a model."""
    return next((kind, group) for kind, group in model.laws.items() if len(group.first))


class FollowedOscillators:
    """What the kernel needs of oscillators as their scheme sees them, one row each."""

    def __init__(self, models: Sequence[Model], scheme: ElementScheme) -> None:
        self.law: type[Law] = law_of(models[0])[1].law
        self.h = scheme.step
        groups = [law_of(model)[1] for model in models]
        own = {name: np.concatenate([group.parameters[name] for group in groups]) for name in self.law.names()}
        self.group = Group(self.law, np.arange(len(models)), 1, own)
        k = np.array([1 / model.flexibility[0, 0] for model in models])
        self.P = np.ascontiguousarray(self.law.prepared(self.group, k, 1.0), dtype=float)
        self.numbers = np.array([[m.mass[0, 0], damping_of_one(m), m.stiffness[0, 0]] for m in models], dtype=float)
        self.at_yield = self.law.first_yield(self.group) / k
        self.heights = np.array([np.nan if m.storeys is None else m.storeys.heights[0] for m in models], dtype=float)
        self._check(models, scheme, self.law.softest(self.group, k, 0.5 * self.h))
        case = around_law(kernel.one_case, "moved_by", step_of(self.law))
        self.kernel = around_law(kernel.many_oscillators, "one_case", case, inlines=True)

    def _check(self, models: Sequence[Model], scheme: ElementScheme, softest: Array) -> None:
        """The promise of one mass on one spring; whoever does not keep it at sight is asked as any model is."""
        (m, c, K), h = self.numbers.T, self.h
        for number in np.flatnonzero((4 * m / h + 2 * c) / h + K + softest <= _SAFE * 4 * m / h**2).tolist():
            check_promise(models[number], scheme)

    def __len__(self) -> int:
        return len(self.P)

    def block(self, steps: int) -> int:
        """Cases of a block."""
        return max(_WORK // steps, 1)

    def march(self, which: Array, push: Array, shake: Array, load: Array, limit: Limit) -> Runs:
        """What the runs of some oscillators leave; ``push`` and ``shake`` are force and ground acceleration per unit of
        the load."""
        numbers = np.empty((len(which), kernel.NUMBERS))
        numbers[:, :3] = self.numbers[which]
        numbers[:, kernel.PUSH], numbers[:, kernel.SHAKE] = push, shake
        numbers[:, kernel.LIMIT] = self._ends(which, limit)
        kept, many = np.empty((len(which), kernel.KEPT)), len(self.law.variables)
        z, dz = np.zeros((len(which), many)), np.zeros(many)
        compiled(self.kernel)(numbers, self.P, which, np.ascontiguousarray(load), float(self.h), z, dz, kept)
        lost = ~np.isfinite(kept).all(axis=1)
        if lost.any():
            raise OverflowRunError(
                f"batch: the numbers of model {int(which[int(lost.argmax())])} are not finite at the end of the run; "
                "loads and units are out of proportion, or it collapsed and ran away: then end the run earlier"
            )
        return Runs(self, which, kept, z)

    def _ends(self, which: Array, limit: Limit) -> Array:
        """Displacement at which each run ends; infinite where nothing ends it."""
        heights = self.heights[which][:, None]
        known = np.isfinite(heights[:, 0])
        ends = np.full(len(which), np.inf)
        if limit.stop and known.any():
            ends[known] = limit.drifts(heights[known, 0])
        return ends


class Runs(NamedTuple):
    """What some oscillators left: which they are, their largest sizes and sums (case, KEPT), the states of their
    springs (case, variable)."""

    many: FollowedOscillators
    which: Array
    kept: Array
    z: Array

    def measure(self, name: str) -> Array:
        """A measure by its name."""
        return MEASURES[name](self)

    @property
    def ended(self) -> Array:
        """Time at which each passed the limit [s], NaN where it did not."""
        steps = self.kept[:, kernel.ENDED]
        return np.where(steps > 0, steps * self.many.h, np.nan)

    def plastic(self) -> Array:
        """Work of the spring that neither it nor its hardening holds at the end."""
        many, states = self.many, {name: self.z[:, v][None] for v, name in enumerate(self.many.law.variables)}
        k, group = many.P[self.which, 0], many.group
        own = {name: values[self.which] for name, values in group.parameters.items()}
        end, nothing = self.kept[:, kernel.LAST_U][None], np.zeros((0, len(k)))
        held = many.law.split(replace(group, first=self.which, parameters=own), k, many.h, end, nothing, states)
        return np.asarray(self.kept[:, kernel.WORK] - (held.stored + held.hardening)[0])


def _kept(row: int) -> Callable[[Runs], Array]:
    return lambda runs: runs.kept[:, row]


MEASURES: Mapping[str, Callable[[Runs], Array]] = {
    "displacement": _kept(kernel.LARGEST),
    "drift": lambda runs: runs.kept[:, [kernel.LARGEST]],
    "velocity": _kept(kernel.FASTEST),
    "absolute_acceleration": _kept(kernel.HARDEST),
    "force": _kept(kernel.STRONGEST),
    "ductility": lambda runs: runs.kept[:, kernel.LARGEST] / runs.many.at_yield[runs.which],
    "residual_slip": lambda runs: runs.z[:, 0],
    "residual_displacement": _kept(kernel.LAST_U),
    "plastic_work": Runs.plastic,
    "input_work": _kept(kernel.INPUT),
}


class ManyFollowed:
    """Oscillators whose springs are followed along their path, one after the other in one compiled loop."""

    kinds = None
    places = 0

    def __init__(self, models: Sequence[Model], scheme: ElementScheme) -> None:
        self.systems = FollowedOscillators(models, scheme)

    def block(self, steps: int) -> int:
        """Cases of a block."""
        return self.systems.block(steps)

    def check(self, request: Request) -> None:
        """Refuse what this kind of run cannot give."""
        self.places = int(any(name.endswith("drift") for name in request.measures))
        known("measures", request.measures, MEASURES)
        known("histories", request.histories, {})
        if request.final or request.settle is not None or request.dtype == np.float32:
            raise InputError(
                "batch: oscillators that are followed along their path give measures in float64 and no final states, "
                "and do not settle; use hamex.solve for those"
            )

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
            raise InputError("batch: oscillators that are followed along their path start at rest; use hamex.solve")
        numbers = np.arange(which.start, which.stop) if isinstance(which, slice) else np.asarray(which)
        mass, ground = self.systems.numbers[numbers, 0], record.gravity is not None
        push = -mass * scales if ground else record.push * scales
        shake = scales if ground else record.shake * scales
        runs = self.systems.march(numbers, push, shake, record.values, request.limit)
        measures = {name: runs.measure(name) for name in request.measures}
        check_finite(measures, first)
        return BlockResults(measures, ends={"collapse": runs.ended})
