"""Steps that are not taken whole; nodes stay multiples of the step, inside it the element is repeated.

Cut where a spring starts or stops to slip: on fixed branches the motion is smooth, and an element of degree s keeps its
full order. A step in which a branch changes is cut at the first change, found as a root of the switching function at
the end of a shorter step, and goes on from there.

Halved until their error is small: a step is taken with 1, 2, 4 … equal pieces until two results differ by less than the
tolerance, and the finer one stands.

Both decisions depend on nothing but the state and the load, so reruns and restarts repeat them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError, ModelError
from hamex.march.located import FixedElement, FixedHistory, FixedModel, FixedRoom, Moment, fixed_pieces
from hamex.march.run import Kernel, as_it_is, compiled, held, worth_compiling
from hamex.march.stages import HalvedHistory, Levels, MappedHistory, Room, halved
from hamex.model.record import Model, damps, dense, parameter, per_spring, sliding_forces
from hamex.problem import Problem
from hamex.problem.loads import loading, loads_between
from hamex.schemes.scheme import How, Ran
from hamex.schemes.stage_march import Pieces
from hamex.schemes.stages import StageMaps, StageTable, jump_weights, spent_inside

if TYPE_CHECKING:
    from hamex.schemes.families import ElementScheme

Array = NDArray[Any]
FINEST = 12  # 4096 pieces a step
_NAMES = ("displacement", "momentum", "slip", "back_force", "accumulated_slip")
_WORK_PER_PIECE = 20  # beside its matrices, for the choice to compile
_MOST = 1000  # changes of branch in one step
_CLOSE = 1e-12  # of the yield force or of a typical speed: a switching function this small is zero


class AdaptiveMarch:
    """Steps with pieces chosen by the scheme's tolerance; counts them as ``pieces``."""

    def __init__(self, problem: Problem, scheme: ElementScheme, how: How) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        self.patterns = loads_between(problem, scheme, 0, 1, True).patterns
        self.level = cache(self._level)

    def _level(self, k: int) -> tuple[Pieces, Array]:
        """Pieces of h/2ᵏ and their loads, for the whole run."""
        parts, scheme = 2**k, self.scheme
        values = self.problem.acting.stage_values(
            scheme.step / parts, self.how.steps * parts, scheme.table().c.tolist(), scheme.load, self.how.quiet or k > 0
        )
        run = Pieces(self.problem.model, scheme.table(), scheme.step / parts, self.patterns, parts, scheme.label)
        return run, values

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        if self.level(0)[0].mapped is not None:
            return self._mapped(now, first, steps)
        state, all_done, pieces = now, list[Ran](), np.zeros(steps, dtype=np.int64)
        nodes: dict[str, list[Array]] = {}
        for r in range(steps):
            pieces[r], done = self._step(state, first + r)
            for name, value in done.nodes.items():
                nodes.setdefault(name, [value[0]]).append(value[-1])
            state = done.end
            all_done.append(done)
        force = np.array([done.steps["force"].mean(axis=0) for done in all_done])
        return Ran(
            {name: np.array(rows) for name, rows in nodes.items()},
            {"force": force, "pieces": pieces, "spent": self._spent(pieces, all_done)},
            dict(state),
        )

    def _spent(self, pieces: Array, done: Sequence[Ran]) -> Array:
        """(step, 4), energies of steps of so many pieces."""
        out = np.empty((len(done), 4))
        for parts in np.unique(pieces).tolist():
            at = np.flatnonzero(pieces == parts)
            # Sums of BLAS depend on how many rows they are given; where there are none, all steps are taken at once.
            alone = not self.scheme.continuous or self.problem.model.damping.weights.size
            for some in at[:, None] if alone else [at]:
                runs = [done[r] for r in some.tolist()]
                inside = runs[0].inside.joined([run.inside for run in runs])
                # Nodes behind each other, each step with its own first one; the last stands for no stage.
                u = np.concatenate(
                    [*(run.nodes["displacement"][:-1] for run in runs), np.zeros((1, len(self.patterns)))]
                )
                spent = spent_inside(self.problem.model, self.scheme.step / parts, inside, self.patterns, u)
                out[some] = spent.reshape(len(some), parts, 4).sum(axis=1)
        return out

    def _mapped(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """The same by one kernel; a step whose branches it does not find is taken by itself."""
        dofs, springs = len(self.problem.model.dofs), len(self.problem.model.springs)
        sizes, tolerance = (dofs, dofs, springs, springs, springs), float(self.scheme.tolerance or 0.0)
        out = HalvedHistory._make(
            [
                *(np.empty((steps + 1, size)) for size in sizes),
                np.empty((steps, springs)),
                np.zeros(steps, dtype=np.int64),
                np.zeros((steps, 4)),
            ]
        )
        nodes = dict(zip(_NAMES, out, strict=False))
        for name, history in nodes.items():
            history[0] = now[name]
        branch, at = now.get("branch", np.zeros(springs)).astype(np.int64), 0
        while at < steps:
            at = self.levels(tolerance, first, at, branch, out)
            if 0 <= at < steps:
                if self.levels.many > FINEST:
                    raise self._missed(first + at)
                self.levels = self._levels(self.levels.many + 1)
            elif at < 0:
                r = -1 - at
                state = {name: history[r] for name, history in nodes.items()} | {"branch": branch.astype(float)}
                out.pieces[r], done = self._step(state, first + r)
                for name, history in nodes.items():
                    history[r + 1] = done.end[name]
                branch[:] = done.end["branch"]
                out.force[r], out.spent[r] = done.steps["force"].mean(axis=0), self._spent(out.pieces[[r]], [done])[0]
                at = r + 1
        end = {name: value[-1].copy() for name, value in nodes.items()} | {"branch": branch.astype(float)}
        return Ran(nodes, {"force": out.force, "pieces": out.pieces, "spent": out.spent}, end)

    @cached_property
    def levels(self) -> HalvedSteps:
        """The levels that steps have needed so far, one behind the other."""
        return self._levels(2)

    def _levels(self, many: int) -> HalvedSteps:
        return HalvedSteps(self.problem, self.scheme, [self.level(k) for k in range(many)], self.how.steps)

    def _step(self, now: Mapping[str, Array], r: int) -> tuple[int, Ran]:
        """Step r: the number of its pieces, and what they left."""
        tolerance, coarse = self.scheme.tolerance or 0.0, None
        for k in range(FINEST + 1):
            run, values = self.level(k)
            parts = 2**k
            done, failed = run.march(now, values[r * parts : (r + 1) * parts])
            if failed:
                continue
            if coarse is not None and np.abs(done.end["displacement"] - coarse).max() <= tolerance:
                return parts, done
            coarse = done.end["displacement"]
        raise self._missed(r)

    def _missed(self, r: int) -> ConvergenceError:
        return ConvergenceError(
            f"{self.scheme.name}: step {r + 1} (t = {(r + 1) * self.scheme.step:g} s) misses the "
            f"tolerance {self.scheme.tolerance:g} even with {2**FINEST} pieces; give a larger one"
        )


class HalvedSteps:
    """Maps and loads of some levels of a small model of sliders, and the kernel that halves steps with them."""

    def __init__(
        self, problem: Problem, scheme: ElementScheme, levels: Sequence[tuple[Pieces, Array]], most: int
    ) -> None:
        self.many, table = len(levels), scheme.table()
        steps = [pieces.mapped for pieces, _ in levels]
        maps, slips = [each.maps for each in steps if each], [each.slip for each in steps if each]
        values = [loads.reshape(len(loads), -1) for _, loads in levels]
        first, q, parts = slips[0], len(table.c), 2 ** (self.many - 1)
        n, springs = len(problem.model.dofs), len(problem.model.springs)
        rows, inputs = q * springs, maps[0].move.shape[1]
        work = 2 * most * 3 * rows * (2 * n + rows + 8)
        machine = worth_compiling(work, halved)
        self.hand = held if machine else as_it_is
        self.kernel: Kernel = compiled(halved) if machine else halved
        stack = {name: np.stack([getattr(each, name) for each in maps]) for name in StageMaps.__dataclass_fields__}
        given = Levels(
            N=np.stack([each.N for each in slips]),
            eta=first.eta,
            limit=first.limit,
            hard=np.stack([each.hard for each in slips]),
            isotropic=first.isotropic,
            weights=table.b,
            h=np.array([scheme.step / 2**k for k in range(self.many)]),
            kinematic=parameter(problem.model, "kinematic"),
            load=np.ascontiguousarray(np.concatenate(values)),  # one stage, many channels: channel by channel
            begin=np.cumsum([0, *(len(loads) for loads in values[:-1])]),
            **stack,
        )
        self.given = tuple(map(self.hand, (given, fixed_model(problem), fixed_element(table))))
        self.walk = MappedHistory._make(
            [
                *(np.zeros((parts + 1, size)) for size in (n, n, springs, springs, springs)),
                *(np.zeros((parts, size)) for size in (rows, rows, springs)),
                np.zeros(rows, dtype=np.int64),
                np.zeros(parts, dtype=np.int64),
            ]
        )
        shapes = ((inputs,), (rows,), (rows,), (rows, rows), (rows,))
        room = Room._make([*(np.zeros(shape) for shape in shapes), np.zeros(rows, dtype=np.int64)])
        self.room = room, self.hand(fixed_room(n, springs, q))

    def __call__(self, tolerance: float, clock: int, at: int, guess: Array, out: HalvedHistory) -> int:
        """Steps from number ``at`` on; see :func:`hamex.march.stages.halved`."""
        return int(self.kernel(*self.given, tolerance, clock, at, guess, self.hand(out), self.walk, *self.room))


def _shared(model: Model) -> Array:
    """(spring,), True where slip is not told by the deformation: springs that share a flexibility, and those at dofs
    without mass, whose velocity nobody knows."""
    from scipy import sparse

    flexibility = abs(sparse.csr_array(model.flexibility))
    beside = flexibility.sum(axis=1) - flexibility.diagonal() > 0
    light = abs(sparse.csr_array(model.compatibility)).T @ np.asarray(model.massless, dtype=float) > 0
    return np.asarray(beside | light)


def fixed_model(problem: Problem) -> FixedModel:
    """A model of sliders with full matrices, for pieces on fixed branches."""
    model, springs = problem.model, len(problem.model.springs)
    law, still = per_spring(model), np.zeros((1, problem.acting.channels))
    B, K = dense(model.compatibility), dense(model.stiffness)
    spring, light = model.elastic_force(np.eye(springs)), model.velocity(np.eye(len(model.dofs)))
    back = np.zeros((springs, springs))
    for group in model.laws.values():
        own = group.springs
        back[np.ix_(own, own)] = group.law.back_force(group, np.eye(len(own)))
    arrays = (
        dense(model.mass),
        model.damping.dense(),
        K,
        K + B @ spring @ B.T,
        B,
        B @ spring,
        spring,
        light,
        B.T @ light,
        loading(problem, still, still).patterns,
        sliding_forces(model),
        law["viscosity"],
        law["kinematic"],
        law["isotropic"],
        back,
        _shared(model),
        damps(model),
    )
    return FixedModel(*(np.ascontiguousarray(x, dtype=float) for x in arrays))


def fixed_element(table: StageTable) -> FixedElement:
    """The numbers of an element for pieces on fixed branches."""
    inverse, jumps = np.linalg.inv(table.A), jump_weights(table.A, table.b)
    end = table.b @ inverse
    # The polynomial through the rates at the stages, at the end of the piece.
    last = np.linalg.solve(np.vander(table.c, increasing=True).T, np.ones(len(table.c)))
    numbers = (table.A, table.b, inverse, inverse @ inverse, inverse.sum(axis=1), end, end @ inverse)
    return FixedElement(*numbers, float(end.sum()), last, np.zeros((0, 0)) if jumps is None else jumps)


def fixed_room(dofs: int, springs: int, stages: int) -> FixedRoom:
    """Room for a piece; no factors stand in it yet."""
    x, rows = stages * dofs, stages * springs
    return FixedRoom._make(
        [
            np.zeros((x, x)),
            np.zeros(x, dtype=np.int64),
            np.zeros(x),
            np.zeros((rows, x)),
            np.zeros((rows, rows)),
            *(np.zeros(rows, dtype=np.int64) for _ in range(2)),
            np.zeros(rows),
            *(np.zeros((stages, springs)) for _ in range(2)),
            *(np.zeros((stages, dofs)) for _ in range(2)),
            np.zeros((stages, springs)),
            np.zeros(springs, dtype=np.int64),
            np.zeros(2),
            np.zeros((stages + 1, springs)),
            *(np.zeros(springs) for _ in range(2)),
            np.zeros(4),
        ]
    )


def fixed_history(dofs: int, springs: int, steps: int) -> FixedHistory:
    """Room for the histories of some steps."""
    sizes = (dofs, dofs, springs, springs, springs)
    nodes = (np.empty((steps + 1, size)) for size in sizes)
    return FixedHistory._make([*nodes, np.empty((steps, springs)), np.empty((steps, 4))])


class Located:
    """A problem piece by piece on fixed branches: from the state ``now`` to ``end``, which ``room`` tells of."""

    def __init__(self, problem: Problem, scheme: ElementScheme, most: int) -> None:
        self.problem, self.step, table = problem, scheme.step, scheme.table()
        self.nodes, n, springs = table.c, len(problem.model.dofs), len(problem.model.springs)
        self.model, self.room = fixed_model(problem), fixed_room(n, springs, len(table.c))
        self.branch = np.zeros(springs, dtype=np.int64)
        self.now, self.end = (Moment(*(np.zeros(size) for size in (n, n, springs, springs, springs))) for _ in range(2))
        self.one = fixed_history(n, springs, 1)  # the state stands in its row 0
        work = 5 * most * len(table.c) ** 2 * (n * n + springs * springs + _WORK_PER_PIECE)
        machine = worth_compiling(work, fixed_pieces)
        self.hand = held if machine else as_it_is
        self.kernel: Kernel = compiled(fixed_pieces) if machine else fixed_pieces
        self.given = self.hand(self.model), self.hand(fixed_element(table))
        self.moments, self.left = tuple(map(self.hand, (self.now, self.end))), self.hand(self.room)
        self.alone = self.hand(self.one)

    def whole(self, load: Array, first: int, out: FixedHistory) -> int:
        """Whole steps from number ``first`` on; returns the step in which a branch is left, or their number."""
        return self._pieces(self.step, load, first, self.hand(out))

    def piece(self, r: int, gone: float, h: float) -> None:
        """Advance by h from ``gone`` seconds into step r on, with every spring on its branch."""
        load = self.problem.acting.values_inside(self.step, r, gone + self.nodes * h)
        self._pieces(float(h), load.reshape(1, -1), 0, self.alone)

    def _pieces(self, h: float, load: Array, first: int, out: Any) -> int:
        at = self.kernel(*self.given, h, load, first, self.branch, _CLOSE, *self.moments, out, self.left)
        if at < 0:
            raise ModelError("nothing resists some motion of this model; the step cannot be solved")
        return int(at)

    def first_change(self, r: int, gone: float, h: float) -> tuple[float, int] | None:
        """How far into a piece of length h the first branch is left, and by which spring; None where none is.

        The piece up to there, or the whole one, is what was advanced by last.
        """
        self.piece(r, gone, h)
        wrong, near = self.room.outside > self.room.near, self.room.near.copy()
        if not wrong.any():
            return None
        nodes = np.append(self.nodes, 1.0) * h
        order = np.argsort(nodes, kind="stable")
        row = next(i for i in order if wrong[i].any())
        earliest: tuple[float, int] | None = None
        for spring in np.flatnonzero(wrong[row]).tolist():
            length = float(nodes[row] if earliest is None else min(nodes[row], earliest[0]))
            root = self._reached(r, gone, length, spring, float(near[spring]))
            if earliest is None or root < earliest[0]:
                earliest = root, spring
            if earliest[0] == 0.0:  # nothing comes before that, and there is no piece of no length to ask
                break
        assert earliest is not None
        if earliest[0] > 0.0:
            self.piece(r, gone, earliest[0])
        return earliest

    def _reached(self, r: int, gone: float, far: float, spring: int, near: float) -> float:
        """Root of one switching function at the end of a piece: a bracket from above, then bisection and secant."""
        from scipy.optimize import brentq

        def outside(length: float) -> float:
            self.piece(r, gone, length)
            return float(self.room.outside[-1, spring]) - 0.5 * near

        close = far
        for _ in range(50):
            close *= 0.5
            if outside(close) < 0:
                break
            far = close
        else:
            return 0.0
        # A stage may have seen what the end of a shorter piece does not: then the piece ends there.
        return far if outside(far) <= 0 else float(brentq(outside, close, far, xtol=1e-15 * self.step, rtol=1e-14))

    def go(self, moment: Moment) -> None:
        """Stand in a state from now on."""
        for mine, given in zip(self.one[: len(moment)], moment, strict=True):
            mine[0] = given

    def switch(self, spring: int) -> None:
        """One spring changes its branch: it stops, or starts in the direction of its force."""
        u, slip, X = self.one.u[0], self.one.slip[0], self.one.X[0]
        force = self.model.spread[:, spring] @ u - self.model.spring[spring] @ slip
        self.branch[spring] = 0 if self.branch[spring] else np.sign(force - X[spring])


class LocatedMarch:
    """Steps with every change of branch located; counts them as ``events``."""

    def __init__(self, problem: Problem, scheme: ElementScheme, how: How) -> None:
        self.problem, self.run, self.scheme = problem, Located(problem, scheme, how.steps), scheme

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        h, run = self.scheme.step, self.run
        out = fixed_history(len(run.now.u), len(run.branch), steps)
        nodes = dict(zip(_NAMES, out, strict=False))
        for name, history in nodes.items():
            history[0] = now[name]
        run.branch[:] = now.get("branch", 0)
        events, numbers = np.zeros(steps, dtype=np.int64), np.arange(first, first + steps)
        load = self.problem.acting.values_inside(h, numbers, run.nodes * h).reshape(steps, -1)
        r = run.whole(load, 0, out)
        while r < steps:
            run.go(Moment(*(history[r] for history in nodes.values())))
            events[r] = self._step(first + r, out.force[r], out.spent[r])
            for history, value in zip(nodes.values(), run.one, strict=False):
                history[r + 1] = value[0]
            r = run.whole(load, r + 1, out)
        end = {name: value[-1].copy() for name, value in nodes.items()} | {"branch": run.branch.astype(float)}
        return Ran(nodes, {"force": out.force / h, "events": events, "spent": out.spent}, end)

    def _step(self, r: int, total: Array, spent: Array) -> int:
        """Step r from the state at hand, which then is that at its end; adds up integrals of the forces and energies,
        and returns the number of changes of branch."""
        run, h, gone, held = self.run, self.scheme.step, 0.0, -1
        total[:], spent[:] = 0.0, 0.0
        for events in range(_MOST):
            change = run.first_change(r, gone, h - gone)
            if change is not None and change[0] == 0.0 and change[1] == held:
                change = None
                run.piece(r, gone, h - gone)
            if change is None or change[0] > 0.0:
                total += run.room.mean
                spent += run.room.energies
                run.go(run.end)
            if change is None:
                return events
            length, held = change
            gone += length
            run.switch(held)
            if gone >= h:
                return events + 1
        raise ConvergenceError(f"{self.scheme.name}: branches change more than {_MOST} times in step {r + 1}")
