"""Steps that are not taken whole; nodes stay multiples of the step, inside it the element is repeated.

Cut where a spring starts or stops to slip: on fixed branches the motion is smooth, and an element of degree s keeps its
full order. A step in which a branch changes is cut at the first change, found as a root of the switching function at
the end of a shorter step, and goes on from there.

Halved until their error is small: a step is taken with 1, 2, 4 … equal pieces until two results differ by less than the
tolerance, and the finer one stands.

Both decisions depend on nothing but the state and the load, so reruns and restarts repeat them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError, ModelError
from hamex.march import located as fixed
from hamex.march import stages as slots
from hamex.march.located import fixed_piece, fixed_pieces
from hamex.march.run import entered, place, worth_compiling
from hamex.march.stages import halved, stages
from hamex.march.tables import Table
from hamex.model.record import Model, damps, dense, per_spring, sliding_forces
from hamex.problem import Problem
from hamex.problem.loads import loading, loads_between
from hamex.schemes.scheme import How, Ran
from hamex.schemes.stage_march import Pieces
from hamex.schemes.stages import StageTable, jump_weights, mapped_tables, spent_inside

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
        springs, tolerance = len(self.problem.model.springs), float(self.scheme.tolerance or 0.0)
        nodes, force, spent = histories(now, steps, springs)
        pieces, branch = np.zeros(steps, dtype=np.int64), now.get("branch", np.zeros(springs)).astype(np.int64)
        at = 0
        while at < steps:
            at = self.levels(tolerance, first, at, steps, branch, [*nodes.values(), force, spent], pieces)
            if 0 <= at < steps:
                if self.levels.many > FINEST:
                    raise self._missed(first + at)
                self.levels = self._levels(self.levels.many + 1)
            elif at < 0:
                r = -1 - at
                state = {name: history[r] for name, history in nodes.items()} | {"branch": branch.astype(float)}
                pieces[r], done = self._step(state, first + r)
                for name, history in nodes.items():
                    history[r + 1] = done.end[name]
                branch[:] = done.end["branch"]
                force[r], spent[r] = done.steps["force"].mean(axis=0), self._spent(pieces[[r]], [done])[0]
                at = r + 1
        end = {name: value[-1].copy() for name, value in nodes.items()} | {"branch": branch.astype(float)}
        return Ran(nodes, {"force": force, "pieces": pieces, "spent": spent}, end)

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
        numbers = [pieces.mapped.numbers for pieces, _ in levels if pieces.mapped]
        values = [loads.reshape(len(loads), -1) for _, loads in levels]
        n, springs, parts = len(problem.model.dofs), len(problem.model.springs), 2 ** (self.many - 1)
        rows = len(table.c) * springs
        work = 2 * most * 3 * rows * (2 * n + rows + 8)
        machine = worth_compiling(work, halved, stages)
        self.N, self.R = N, R = piece_tables(problem, table, numbers)
        R[slots.LOADS] = np.ascontiguousarray(np.concatenate(values))  # one stage, many channels: channel by channel
        N[slots.FROM] = np.cumsum([0, *(len(loads) for loads in values[:-1])])
        for a, size in enumerate((n, n, springs, springs, springs)):
            R[slots.WALK + a] = np.zeros((parts + 1, size))
        R[slots.G], R[slots.F], R[slots.MEANS] = (np.zeros((parts, size)) for size in (rows, rows, springs))
        N[slots.BRANCHES], N[slots.SOLVES] = np.zeros(rows, dtype=np.int64), np.zeros(parts, dtype=np.int64)
        N[fixed.CALL] = np.array([place(stages, N, R, 0, 1, np.zeros(0), compile=machine)])
        self.kernel = entered(halved, N, R, 0.0, 0, 0, 0, compile=machine)

    def __call__(
        self, tolerance: float, clock: int, at: int, steps: int, guess: Array, out: Sequence[Array], pieces: Array
    ) -> int:
        """Steps from number ``at`` on; see :func:`hamex.march.stages.halved`."""
        put_histories(self.R, out)
        self.N[fixed.BRANCH], self.N[slots.PIECES] = guess, pieces
        return int(self.kernel(self.N, self.R, tolerance, clock, at, steps))


def _shared(model: Model) -> Array:
    """(spring,), True where slip is not told by the deformation: springs that share a flexibility, and those at dofs
    without mass, whose velocity nobody knows."""
    from scipy import sparse

    flexibility = abs(sparse.csr_array(model.flexibility))
    beside = flexibility.sum(axis=1) - flexibility.diagonal() > 0
    light = abs(sparse.csr_array(model.compatibility)).T @ np.asarray(model.massless, dtype=float) > 0
    return np.asarray(beside | light)


def piece_tables(problem: Problem, table: StageTable, levels: Sequence[Mapping[int, Array]]) -> tuple[Table, Table]:
    """Tables with a model of sliders, its matrices full, an element, and room for a piece on fixed branches, in which
    no factors stand yet; and the numbers of steps that are halved, level by level."""
    N, R = mapped_tables(problem.model, table, problem.acting.channels, levels)
    model, springs, n, q = problem.model, len(problem.model.springs), len(problem.model.dofs), len(table.c)
    law, still, x, rows = per_spring(model), np.zeros((1, problem.acting.channels)), q * n, q * springs
    B, K = dense(model.compatibility), dense(model.stiffness)
    spring, light = model.elastic_force(np.eye(springs)), model.velocity(np.eye(n))
    back = np.zeros((springs, springs))
    for group in model.laws.values():
        own = group.springs
        back[np.ix_(own, own)] = group.law.back_force(group, np.eye(len(own)))
    inverse, jumps = np.linalg.inv(table.A), jump_weights(table.A, table.b)
    end = table.b @ inverse
    # The polynomial through the rates at the stages, at the end of the piece.
    last = np.linalg.solve(np.vander(table.c, increasing=True).T, np.ones(q))
    matrices = (
        dense(model.mass),
        model.damping.dense(),
        K,
        K + B @ spring @ B.T,
        B,
        B @ spring,
        spring,
        light,
        B.T @ light,
    )
    patterns = loading(problem, still, still).patterns
    limits = sliding_forces(model), law["viscosity"], law["kinematic"], law["isotropic"]
    numbers = table.A, table.b, inverse, inverse @ inverse, inverse.sum(axis=1), end, end @ inverse, end.sum(), last
    given = *matrices, patterns, *limits, back, _shared(model), damps(model), *numbers, 0.0 if jumps is None else jumps
    room = x * x, x, rows * x, rows * rows, rows, rows, rows, rows, x, x, 2, rows + springs, springs, springs, 4
    for slot, array in enumerate([*given, *map(np.zeros, room)]):
        R[slot] = np.ascontiguousarray(array, dtype=float)
    for slot, size in zip((fixed.ORDER, fixed.CAP_ORDER, fixed.ON, fixed.HELD), (x, rows, rows, springs), strict=True):
        N[slot] = np.zeros(size, dtype=np.int64)
    return N, R


def histories(now: Mapping[str, Array], steps: int, springs: int) -> tuple[dict[str, Array], Array, Array]:
    """Room for some steps from a state: the nodes by name, forces of the springs and energies."""
    nodes = {name: np.empty((steps + 1, len(now[name]))) for name in _NAMES}
    for name, history in nodes.items():
        history[0] = now[name]
    return nodes, np.empty((steps, springs)), np.zeros((steps, 4))


def put_histories(R: Table, out: Sequence[Array]) -> None:
    """Put the nodes, the forces and the energies of some steps into the table."""
    for slot, history in zip((*range(fixed.NODES, fixed.NODES + 5), fixed.FORCES, fixed.SPENT), out, strict=True):
        R[slot] = history


class Located:
    """A problem piece by piece on fixed branches: from the state ``now`` to ``end``, which the table tells of."""

    def __init__(self, problem: Problem, scheme: ElementScheme, most: int) -> None:
        self.problem, self.step, table = problem, scheme.step, scheme.table()
        self.nodes, n, springs = table.c, len(problem.model.dofs), len(problem.model.springs)
        self.N, self.R = N, R = piece_tables(problem, table, [])
        machine = worth_compiling(
            5 * most * len(table.c) ** 2 * (n * n + springs * springs + _WORK_PER_PIECE), fixed_pieces, fixed_piece
        )
        sizes = (n, n, springs, springs, springs)
        self.now, self.end = ([np.zeros(size) for size in sizes] for _ in range(2))
        for a in range(5):
            R[fixed.NOW + a], R[fixed.THEN + a] = self.now[a], self.end[a]
        self.branch, self.outside = np.zeros(springs, dtype=np.int64), R[fixed.OUTSIDE].reshape(-1, springs)
        N[fixed.BRANCH] = self.branch
        example = N, R, 0.0, np.zeros(0), 0.0
        N[fixed.CALL] = np.array([place(fixed_piece, *example, compile=machine)])
        self.alone = entered(fixed_piece, *example, compile=machine)
        self.several = entered(fixed_pieces, N, R, 0, 0.0, 0, 0.0, compile=machine)

    def whole(self, load: Array, first: int) -> int:
        """Whole steps from number ``first`` on; returns the step in which a branch is left, or their number."""
        at = int(self.several(self.N, self.R, len(load), self.step, first, _CLOSE))
        self._check(at < 0)
        return at

    def piece(self, r: int, gone: float, h: float) -> None:
        """Advance by h from ``gone`` seconds into step r on, with every spring on its branch."""
        load = self.problem.acting.values_inside(self.step, r, gone + self.nodes * h)
        self._check(
            self.alone(self.N, self.R, float(h), np.ascontiguousarray(load, dtype=float).reshape(-1), _CLOSE) != 0
        )

    def _check(self, failed: bool) -> None:
        if failed:
            raise ModelError("nothing resists some motion of this model; the step cannot be solved")

    def first_change(self, r: int, gone: float, h: float) -> tuple[float, int] | None:
        """How far into a piece of length h the first branch is left, and by which spring; None where none is.

        The piece up to there, or the whole one, is what was advanced by last.
        """
        self.piece(r, gone, h)
        wrong, near = self.outside > self.R[fixed.NEAR], self.R[fixed.NEAR].copy()
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
            return float(self.outside[-1, spring]) - 0.5 * near

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

    def go(self, moment: Iterable[Array]) -> None:
        """Stand in a state from now on."""
        for mine, given in zip(self.now, moment, strict=True):
            mine[:] = given

    def switch(self, spring: int) -> None:
        """One spring changes its branch: it stops, or starts in the direction of its force."""
        u, _, slip, X, _ = self.now
        force = (
            self.R[fixed.SPREAD][spring :: len(slip)] @ u - self.R[fixed.SPRING].reshape(-1, len(slip))[spring] @ slip
        )
        self.branch[spring] = 0 if self.branch[spring] else np.sign(force - X[spring])


class LocatedMarch:
    """Steps with every change of branch located; counts them as ``events``."""

    def __init__(self, problem: Problem, scheme: ElementScheme, how: How) -> None:
        self.problem, self.run, self.scheme = problem, Located(problem, scheme, how.steps), scheme

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        h, run = self.scheme.step, self.run
        nodes, force, spent = histories(now, steps, len(run.branch))
        run.branch[:] = now.get("branch", 0)
        events, numbers = np.zeros(steps, dtype=np.int64), np.arange(first, first + steps)
        load = np.ascontiguousarray(self.problem.acting.values_inside(h, numbers, run.nodes * h).reshape(steps, -1))
        put_histories(run.R, [*nodes.values(), force, spent])
        run.R[fixed.LOAD] = load
        r = run.whole(load, 0)
        while r < steps:
            run.go(history[r] for history in nodes.values())
            events[r] = self._step(first + r, force[r], spent[r])
            for history, value in zip(nodes.values(), run.now, strict=True):
                history[r + 1] = value
            r = run.whole(load, r + 1)
        end = {name: value[-1].copy() for name, value in nodes.items()} | {"branch": run.branch.astype(float)}
        return Ran(nodes, {"force": force / h, "events": events, "spent": spent}, end)

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
                total += run.R[fixed.MEAN]
                spent += run.R[fixed.ENERGIES]
                run.go(run.end)
            if change is None:
                return events
            length, held = change
            gone += length
            run.switch(held)
            if gone >= h:
                return events + 1
        raise ConvergenceError(f"{self.scheme.name}: branches change more than {_MOST} times in step {r + 1}")
