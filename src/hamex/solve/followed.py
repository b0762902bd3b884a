"""Many models whose springs are followed along their path, oscillators or shear frames of one height: one case after
the other in one compiled loop, by the steps of :mod:`hamex.march.followed`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError, InputError, OverflowRunError
from hamex.march import followed as kernel
from hamex.march.run import Kernel, around_law, entered
from hamex.march.tables import Table
from hamex.model.algebra import diagonal
from hamex.model.laws.law import Group, Law
from hamex.model.record import Model
from hamex.motion.ground import GroundMotion
from hamex.motion.load import Load
from hamex.problem import Limit
from hamex.schemes.families import ElementScheme
from hamex.schemes.oscillator import is_followed, step_of
from hamex.schemes.prepare import damping_of_one, is_long
from hamex.schemes.promised import check_promise
from hamex.schemes.shear_frame import FollowedStoreys, around_step, is_followed_frame, laws_of
from hamex.schemes.springs import can_break
from hamex.solve.runners import BlockResults, OneByOne, Request, SampledMotion, check_finite, places_of

Array = NDArray[Any]
_WORK = 500_000  # steps of a block, one for each storey
_SAFE = 1e-6  # of the inertia of a step: what counts as positive at sight


def are_followed(models: Sequence[Model], h: float) -> bool:
    """True for oscillators that share a law, or shear frames of one height, whose springs are followed and that
    :func:`hamex.solve` marches by themselves too; of oscillators those that break do so at the end of a piece."""
    if len({len(model.dofs) for model in models}) != 1:
        return False
    if len(models[0].dofs) > 1:
        return all(is_followed_frame(model) and not is_long(model, h) for model in models)
    if not all(is_followed(model) for model in models) or len({*chain(*map(laws_of, models))}) != 1:
        return False
    return laws_of(models[0])[0].spring_piece is not None or not any(can_break(model) for model in models)


class SpringsOfLaw(NamedTuple):
    """All springs of one law in all models: its group, and where each of its springs is, (model, storey)."""

    law: type[Law]
    group: Group
    at: tuple[Array, Array]

    @classmethod
    def of(cls, law: type[Law], models: Sequence[Model]) -> SpringsOfLaw:
        """Those of some models, each from the ground up."""
        groups = [(m, group) for m, model in enumerate(models) for group in model.laws.values() if group.law is law]
        order = np.concatenate([np.argsort(group.first) for _, group in groups])
        many = [len(group.first) for _, group in groups]
        order += np.repeat(np.cumsum(many) - many, many)
        own = {name: np.concatenate([group.parameters[name] for _, group in groups])[order] for name in law.names()}
        model = np.repeat([m for m, _ in groups], many)
        storey = np.concatenate([group.first for _, group in groups])[order]
        return cls(law, Group(law, np.arange(len(model)), 1, own), (model, storey))

    def some(self, numbers: Array) -> Group:
        """The group of some of them."""
        own = {name: values[numbers] for name, values in self.group.parameters.items()}
        return replace(self.group, first=np.arange(len(numbers)), parameters=own)


class FollowedModels:
    """What the kernels need of models as their scheme sees them."""

    def __init__(self, models: Sequence[Model], scheme: ElementScheme) -> None:
        self.h, self.places = scheme.step, len(models[0].dofs)
        self.shape = (len(models), self.places)
        flexibility = np.stack([diagonal(model.flexibility) for model in models])
        self.k = 1 / flexibility
        self.laws = [SpringsOfLaw.of(law, models) for law in dict.fromkeys(chain(*map(laws_of, models)))]
        self.at_yield = self._by_law(lambda springs, _: springs.law.first_yield(springs.group)) * flexibility
        self.heights = np.stack([_heights(model) for model in models])
        self.limited = np.array([model.storeys is not None for model in models])
        # Inertia and influence of the ground, (model, dof): what a motion does to the first direction of a model.
        self.inertia = np.stack([model.inertia(model.directions[0]) for model in models])
        self.influence = np.stack([model.influence[:, 0] for model in models])
        self.slip = np.zeros(self.shape, dtype=np.int64)  # where the variables of a spring begin
        if self.places == 1:
            (springs,) = self.laws
            self.P = np.ascontiguousarray(springs.law.prepared(springs.group, self.k[:, 0], 1.0), dtype=float)[:, None]
            self.numbers = np.array([[m.mass[0, 0], damping_of_one(m), m.stiffness[0, 0]] for m in models], dtype=float)
            self.variables = len(springs.law.variables)
            case = around_law(kernel.one_case, "moved_by", step_of(springs.law))
            self.kernel = around_law(kernel.many_oscillators, "one_case", case, inlines=True)
        else:
            self.storeys = [FollowedStoreys.of(model, self.h) for model in models]
            self.kernels = [_frame_kernel(laws_of(model)) for model in models]
            self.numbers = np.stack([each.table for each in self.storeys])
            self.variables = max(each.states.size for each in self.storeys)
            self.slip = np.stack([each.states.slip for each in self.storeys])
        self._check(models, scheme)

    def _by_law(self, value_of: Callable[[SpringsOfLaw, Array], Array]) -> Array:
        """What each law says of its springs, given their stiffness, (model, storey)."""
        found = np.zeros(self.shape)
        for springs in self.laws:
            found[springs.at] = value_of(springs, self.k[springs.at])
        return found

    def _check(self, models: Sequence[Model], scheme: ElementScheme) -> None:
        """The promise, of all at once: 4M/h² + 2C/h + K + the softest springs by its pivots, from the ground up; who
        does not keep it at sight is asked as any model is."""
        h, soft = self.h, self._by_law(lambda springs, k: springs.law.softest(springs.group, k, 0.5 * self.h))
        if self.places == 1:
            (m, c, K), none = self.numbers.T[:, :, None], np.zeros(self.shape)
            main, side = (4 * m / h + 2 * c) / h + K, none
        else:  # 4/h times M̂ is what is meant
            table = self.numbers
            m, main, side = (table[:, kernel.MASSES], 4 / h * table[:, kernel.MAIN], 4 / h * table[:, kernel.ACROSS])
        pivot = np.full(len(models), np.inf)
        safe = np.ones(len(models), dtype=bool)
        for i in range(self.places):
            above = soft[:, i + 1] if i + 1 < self.places else 0.0
            beside = side[:, i] - soft[:, i] if i else 0.0
            pivot = main[:, i] + soft[:, i] + above - beside**2 / pivot
            safe &= pivot > _SAFE * 4 * m[:, i] / h**2
            pivot = np.where(safe, pivot, np.inf)
        for number in np.flatnonzero(~safe).tolist():
            check_promise(models[number], scheme)

    def __len__(self) -> int:
        return len(self.k)

    def block(self, steps: int) -> int:
        """Cases of a block."""
        return max(_WORK // (steps * self.places), 1)

    def march(self, which: Array, push: Array, shake: Array, load: Array, limit: Limit) -> Runs:
        """What the runs of some models leave; ``push`` and ``shake`` are force and ground acceleration per unit of the
        load, (case, dof)."""
        acts = np.stack([push, shake, self._ends(which, limit)], axis=1)
        kept, z = np.empty((len(which), kernel.KEPT, self.places)), np.zeros((len(which), self.variables))
        if self.places == 1:
            N, R = Table(kernel.WHICH + 1, np.int64), Table(kernel.LEFT + 1)
            N[kernel.HEAD] = np.array([1, len(load), len(which), self.variables, self.P.shape[-1]])
            N[kernel.WHICH], R[kernel.AFTER] = which.astype(np.int64), np.zeros(self.variables)
            R[kernel.NUMBERS], R[kernel.LAW] = self.numbers, self.P
            self._run(self.kernel, N, R, load, acts, z, kept)
        for model in np.unique(which).tolist() if self.places > 1 else ():
            own, storeys = np.flatnonzero(which == model), self.storeys[model]
            left, states = kept[own], np.zeros((len(own), storeys.states.size))
            N, R = storeys.tables(len(load), len(own))
            self._run(self.kernels[model], N, R, load, acts[own], states, left)
            kept[own], z[own, : storeys.states.size] = left, states
        self._refuse(which, kept)
        return Runs(self, which, kept, z)

    def _run(self, march: Kernel, N: Table, R: Table, load: Array, acts: Array, states: Array, left: Array) -> None:
        """Fill what runs leave."""
        R[kernel.LOAD], R[kernel.ACTS], R[kernel.Z], R[kernel.LEFT] = np.ascontiguousarray(load), acts, states, left
        entered(march, N, R, 0.0, compile=True)(N, R, float(self.h))

    def _refuse(self, which: Array, kept: Array) -> None:
        """Say which runs were not solved, or lost their numbers."""
        unsolved = kept[:, kernel.ENDED, 0] < 0
        if unsolved.any():
            case = int(unsolved.argmax())
            step = int(-kept[case, kernel.ENDED, 0])
            raise ConvergenceError(
                f"Galerkin: step {step} (t = {step * self.h:g} s) of model {int(which[case])} was not solved to "
                "round-off; the load or a parameter is out of proportion with the rest (or overflows)"
            )
        lost = ~np.isfinite(kept).all(axis=(1, 2))
        if lost.any():
            raise OverflowRunError(
                f"batch: the numbers of model {int(which[int(lost.argmax())])} are not finite at the end of the run; "
                "loads and units are out of proportion, or it collapsed and ran away: then end the run earlier"
            )

    def _ends(self, which: Array, limit: Limit) -> Array:
        """Drift at which each run ends, (case, storey); infinite where nothing ends it."""
        if not limit.stop:
            return np.full((len(which), self.places), np.inf)
        return np.where(self.limited[which, None], limit.drifts(self.heights[which]), np.inf)


def _frame_kernel(laws: Sequence[type[Law]]) -> Kernel:
    """The cases of a frame; what :func:`around_law` makes is made once."""
    case = around_step(kernel.one_frame_case, laws)
    return around_law(kernel.cases_of_frame, "one_frame_case", case)


def _heights(model: Model) -> Array:
    return np.full(len(model.dofs), np.nan) if model.storeys is None else np.asarray(model.storeys.heights, float)


class Runs(NamedTuple):
    """What some models left: which they are, largest sizes and sums (case, KEPT, storey), and the states of their
    springs (case, variable)."""

    many: FollowedModels
    which: Array
    kept: Array
    z: Array

    def measure(self, name: str) -> Array:
        """A measure by its name, (case, storey)."""
        return MEASURES[name](self)

    @property
    def ended(self) -> Array:
        """Time at which each passed the limit [s], NaN where it did not."""
        steps = self.kept[:, kernel.ENDED, 0]
        return np.where(steps > 0, steps * self.many.h, np.nan)

    def drift(self) -> Array:
        """Deformation of the springs at the end."""
        return np.diff(self.kept[:, kernel.LAST_U], axis=1, prepend=0.0)

    def slip(self) -> Array:
        """What is not elastic in the deformation of the springs at the end."""
        return np.take_along_axis(self.z, self.many.slip[self.which], axis=1)

    def plastic(self) -> Array:
        """Work of the springs that neither they nor their hardening hold at the end."""
        many, end = self.many, self.drift()
        held = np.zeros(end.shape)
        for springs in many.laws:
            number = np.full(many.shape, -1)
            number[springs.at] = np.arange(len(springs.at[0]))
            case, storey = np.nonzero(number[self.which] >= 0)
            group, at = springs.some(number[self.which[case], storey]), many.slip[self.which[case], storey]
            states = {name: self.z[case, at + v][None] for v, name in enumerate(springs.law.variables)}
            k, nothing = many.k[self.which[case], storey], np.zeros((0, len(case)))
            split = springs.law.split(group, k, many.h, end[case, storey][None], nothing, states)
            held[case, storey] = (split.stored + split.hardening)[0]
        return np.asarray(self.kept[:, kernel.WORK] - held)


def _kept(row: int) -> Callable[[Runs], Array]:
    return lambda runs: runs.kept[:, row]


def _unknown(value: float) -> Callable[[Runs], Array]:
    return lambda runs: np.full((len(runs.which), runs.many.places), value)


MEASURES: Mapping[str, Callable[[Runs], Array]] = {
    "displacement": _kept(kernel.FARTHEST),
    "drift": _kept(kernel.WIDEST),
    "velocity": _kept(kernel.FASTEST),
    "absolute_acceleration": _kept(kernel.HARDEST),
    "force": _kept(kernel.STRONGEST),
    "ductility": lambda runs: runs.kept[:, kernel.WIDEST] / runs.many.at_yield[runs.which],
    "residual_slip": Runs.slip,
    "residual_displacement": _kept(kernel.LAST_U),
    "residual_drift": Runs.drift,
    **dict.fromkeys(("settled_displacement", "settled_drift"), _unknown(np.nan)),
    "swing": _unknown(np.inf),
    "plastic_work": Runs.plastic,
    "input_work": _kept(kernel.INPUT),
}


# Where springs that are followed come to rest is not known.
RESTS = frozenset(("settled_displacement", "settled_drift", "swing"))


class ManyFollowed:
    """Models whose springs are followed along their path, one after the other in one compiled loop."""

    kinds = None
    places = 0

    def __init__(self, models: Sequence[Model], scheme: ElementScheme) -> None:
        seen = [scheme.sees(model) for model in models]
        self.models, self.scheme, self.systems = models, scheme, FollowedModels(seen, scheme)

    def block(self, steps: int) -> int:
        """Cases of a block."""
        return self.systems.block(steps)

    def check(self, request: Request) -> None:
        """Refuse what no such run can give."""
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
            raise InputError("batch: models whose springs are followed along their path start at rest; use hamex.solve")
        numbers = np.arange(which.start, which.stop) if isinstance(which, slice) else np.asarray(which)
        push, shake = self._acting(record.motion, numbers)
        scale = scales[:, None]
        runs = self.systems.march(numbers, scale * push, scale * shake, record.values, request.limit)
        measures = {name: runs.measure(name) for name in request.measures}
        measures = {name: values if self.places else values[:, 0] for name, values in measures.items()}
        ends = {"collapse": runs.ended}
        broken = runs.kept[:, kernel.BROKE, 0] > 0
        if broken.any():  # the loop ends there; a step that is cut is that of any structure
            alone = OneByOne(self.models, self.scheme)
            alone.check(request)
            rest = alone.march(kind, numbers[broken], first, scales[broken], record, request, None)
            for kept, single in ((measures, rest.measures), (ends, rest.ends)):
                for name, values in kept.items():
                    kept[name] = np.array(values)
                    kept[name][broken] = single[name]
        check_finite(measures, first)
        return BlockResults(measures, ends=ends)

    def _acting(self, motion: Any, which: Array) -> tuple[Array, Array]:
        """Force and ground acceleration per unit of a motion, as :meth:`hamex.GroundMotion.on` gives them."""
        if isinstance(motion, GroundMotion):
            return -self.systems.inertia[which], self.systems.influence[which]
        assert isinstance(motion, Load)
        push = np.ones(1) if motion.patterns is None else motion.patterns[:, 0]
        shake = np.zeros(len(push)) if motion.ground is None else motion.ground[:, 0]
        return push[None], shake[None]
