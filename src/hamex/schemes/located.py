"""Steps that are not taken whole; nodes stay multiples of the step, inside it the element is repeated.

Cut where a spring starts or stops to slip: on fixed branches the motion is smooth, and an element of degree s keeps its
full order. A step in which a branch changes is cut at the first change, found as a root of the switching function at
the end of a shorter step, and goes on from there.

Halved until their error is small: a step is taken with 1, 2, 4 … equal pieces until two results differ by less than the
tolerance, and the finer one stands.

Both decisions depend on nothing but the state and the load, so reruns and restarts repeat them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError
from hamex.model.record import Model, damps, per_spring, sliding_forces
from hamex.problem import Problem
from hamex.problem.loads import loading, loads_between
from hamex.schemes.scheme import How, Ran
from hamex.schemes.stage_march import Pieces
from hamex.schemes.stages import StageMaps, StageTable, coupling, hardening_jumps, jump_form, spent_inside, stage_maps

if TYPE_CHECKING:
    from hamex.schemes.families import ElementScheme

Array = NDArray[Any]
FINEST = 12  # 4096 pieces a step
Instant = tuple[int, float]  # a step, and the time into it [s]: times of whole steps are never added up
_NAMES = ("displacement", "momentum", "slip", "back_force", "accumulated_slip")
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
        states, force, pieces, spent = [dict(now)], [], np.zeros(steps, dtype=np.int64), np.zeros((steps, 4))
        nodes: dict[str, list[Array]] = {}
        for r in range(steps):
            parts, done = self._step(states[-1], first + r)
            for name, value in done.nodes.items():
                nodes.setdefault(name, [value[0]]).append(value[-1])
            states[-1] = done.end
            force.append(done.steps["force"].mean(axis=0))
            pieces[r] = parts
            spent[r] = spent_inside(
                self.problem.model, self.scheme.step / parts, done.inside, self.patterns, done.nodes["displacement"]
            ).sum(axis=0)
        return Ran(
            {name: np.array(rows) for name, rows in nodes.items()},
            {"force": np.array(force), "pieces": pieces, "spent": spent},
            states[-1],
        )

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
        raise ConvergenceError(
            f"{self.scheme.name}: step {r + 1} (t = {(r + 1) * self.scheme.step:g} s) misses the "
            f"tolerance {tolerance:g} even with {2**FINEST} pieces; give a larger one"
        )


@dataclass(frozen=True, eq=False)
class Moment:
    """State inside a run."""

    u: Array
    p: Array
    slip: Array
    X: Array
    w: Array


@dataclass(frozen=True, eq=False)
class Piece:
    """One smooth piece: its end, what the switching functions say at stages and end, and its energies."""

    end: Moment
    outside: Array  # (stage + 1, spring): positive where the branch does not hold
    force: Array  # integral of the spring forces
    energies: Array  # viscous, slip work, jumps, input


def _shared(model: Model) -> Array:
    """(spring,), True where slip is not told by the deformation: springs that share a flexibility, and those at dofs
    without mass, whose velocity nobody knows."""
    from scipy import sparse

    flexibility = abs(sparse.csr_array(model.flexibility))
    beside = flexibility.sum(axis=1) - flexibility.diagonal() > 0
    light = abs(sparse.csr_array(model.compatibility)).T @ np.asarray(model.massless, dtype=float) > 0
    return np.asarray(beside | light)


class Located:
    """Advance a problem piece by piece on fixed branches."""

    def __init__(self, problem: Problem, scheme: ElementScheme) -> None:
        self.problem, self.model, self.step = problem, problem.model, scheme.step
        self.table: StageTable = scheme.table()
        self.law = per_spring(self.model)
        means = np.zeros((1, problem.acting.channels))
        self.patterns = loading(problem, means, means).patterns
        self.whole = self._maps(scheme.step)
        self.limit = sliding_forces(self.model)
        self.damper = damps(self.model)
        self.inverse = np.linalg.inv(self.table.A)
        self.shared = _shared(self.model)
        # The polynomial through the rates at the stages, at the end of the piece.
        self.last = np.linalg.solve(np.vander(self.table.c, increasing=True).T, np.ones(len(self.table.c)))

    def _maps(self, h: float) -> StageMaps:
        return stage_maps(self.model, self.table, h, self.patterns, extended=False)

    def piece(self, now: Moment, branch: Array, t: Instant, h: float) -> Piece:
        """Advance by h with every spring on its branch."""
        maps = self.whole if h == self.step else self._maps(h)
        table, q, springs = self.table, len(self.table.c), len(branch)
        load = self.problem.acting.values_inside(self.step, t[0], t[1] + table.c * h)
        inputs = np.concatenate([now.u, now.p, now.slip, load.ravel()])
        g = self._rates(maps, inputs, now, branch, h)
        move = maps.move @ inputs + maps.slide @ g
        n = len(now.u)
        rate = g.reshape(q, springs)
        slid, grown = h * table.b @ rate, h * table.b @ np.abs(rate)
        F = (maps.trial @ inputs - maps.soft @ g).reshape(q, springs)
        end = Moment(
            now.u + move[:n], now.p + move[n:], now.slip + slid, now.X + self.law["kinematic"] * slid, now.w + grown
        )
        place = (maps.place @ inputs + maps.place_slip @ g).reshape(q, n)
        v = self.inverse @ place / h
        outside = self._outside(now, end, branch, rate, F, h)
        return Piece(end, outside, h * table.b @ F, self._energies(load, v, F, rate, place + now.u, h))

    def _rates(self, maps: StageMaps, inputs: Array, now: Moment, branch: Array, h: float) -> Array:
        q, springs = len(self.table.c), len(branch)
        sign = np.tile(branch, q).astype(float)
        on = np.flatnonzero(sign)
        g = np.zeros(q * springs)
        if on.size:
            y = maps.trial @ inputs - np.tile(now.X, q)
            Y = np.tile(np.where(branch != 0, self.limit, 0.0) + self.law["isotropic"] * now.w, q)
            N = coupling(maps, self.table, h, self.law["kinematic"])
            grow = h * np.kron(self.table.A, np.diag(self.law["isotropic"]))
            matrix = (N + sign[:, None] * sign * grow)[np.ix_(on, on)] + np.diag(np.tile(self.law["viscosity"], q)[on])
            g[on] = np.linalg.solve(matrix, (y - sign * Y)[on])
        return g

    def _outside(self, now: Moment, end: Moment, branch: Array, rate: Array, F: Array, h: float) -> Array:
        """Switching functions at the stages and at the end: positive where the branch is left."""
        law, A = self.law, self.table.A
        X = now.X + law["kinematic"] * (h * A @ rate)
        Y = self.limit + law["isotropic"] * (now.w + h * A @ np.abs(rate))
        at_end = self.model.elastic_force((self.model.deformation(end.u[None]) - end.slip)[0][None])[0]
        forces = np.vstack([F, at_end]) - np.vstack([X, end.X])
        limits = np.vstack([Y, self.limit + law["isotropic"] * end.w])
        beyond = np.abs(forces) - limits
        speed = self.model.deformation(self.model.velocity(end.p[None]))[0]
        back = np.where(law["viscosity"] > 0, limits - branch * forces, 0.0)
        # Without viscosity the force stays on its limit; the spring stops when its deformation turns back.
        still = law["viscosity"] == 0
        back[:-1, still] = (-branch * rate)[:, still]
        back[-1, still] = (-branch * np.where(self.shared, self.last @ rate, speed))[still]
        return np.where(branch == 0, beyond, back)

    def _energies(self, load: Array, v: Array, F: Array, rate: Array, stage: Array, h: float) -> Array:
        b, pushed = self.table.b, load @ self.patterns.T
        jumps = jump_form(self.model, h, self.table.A, b, v[None], pushed[None], stage[None], F[None], rate[None])[0]
        stored = hardening_jumps(self.model, h, self.table.A, b, rate[None], np.abs(rate[None]))[0]
        slipped = h * b @ (F * rate)
        return np.array(
            [
                h * b @ self.model.damping_power(v) + slipped[self.damper].sum(),
                slipped[~self.damper].sum() - stored,
                jumps + stored,
                h * b @ (pushed * v).sum(axis=1),
            ]
        )

    def scale(self, now: Moment, branch: Array) -> Array:
        """What counts as zero in the switching function of every spring."""
        force = np.where(np.isfinite(self.limit), self.limit, 1.0)
        speed = 1.0 + np.abs(self.model.deformation(self.model.velocity(now.p[None]))[0])
        return _CLOSE * np.where((branch != 0) & (self.law["viscosity"] == 0), speed, force)

    def first_change(self, now: Moment, branch: Array, t: Instant, h: float) -> tuple[float, int, Piece] | None:
        """How far into a step of length h the first branch is left, by which spring, and the piece up to there."""
        piece, near = self.piece(now, branch, t, h), self.scale(now, branch)
        wrong = piece.outside > near
        if not wrong.any():
            return None
        nodes = np.append(self.table.c, 1.0) * h
        order = np.argsort(nodes, kind="stable")
        row = next(i for i in order if wrong[i].any())
        earliest: tuple[float, int, Piece] | None = None
        for spring in np.flatnonzero(wrong[row]):
            length = nodes[row] if earliest is None else min(nodes[row], earliest[0])
            reached = self._reached(now, branch, t, length, int(spring), near[spring])
            if earliest is None or reached[0] < earliest[0]:
                earliest = reached
            if earliest[0] == 0.0:  # nothing comes before that, and there is no piece of no length to ask
                break
        return earliest

    def _reached(
        self, now: Moment, branch: Array, t: Instant, far: float, spring: int, near: float
    ) -> tuple[float, int, Piece]:
        """Root of one switching function at the end of a piece: a bracket from above, then bisection and secant."""
        from scipy.optimize import brentq

        def outside(length: float) -> float:
            return float(self.piece(now, branch, t, length).outside[-1, spring]) - 0.5 * near

        close = far
        for _ in range(50):
            close *= 0.5
            if outside(close) < 0:
                break
            far = close
        else:
            return 0.0, spring, self.piece(now, branch, t, far)
        # A stage may have seen what the end of a shorter piece does not: then the piece ends there.
        root = far if outside(far) <= 0 else float(brentq(outside, close, far, xtol=1e-15 * self.step, rtol=1e-14))
        return root, spring, self.piece(now, branch, t, root)

    def switched(self, now: Moment, branch: Array, spring: int) -> Array:
        """The branches after one spring changed: it stops, or starts in the direction of its force."""
        after = branch.copy()
        force = self.model.elastic_force((self.model.deformation(now.u[None])[0] - now.slip)[None])[0]
        after[spring] = 0 if branch[spring] else np.sign(force[spring] - now.X[spring])
        return after


class LocatedMarch:
    """Steps with every change of branch located; counts them as ``events``."""

    def __init__(self, problem: Problem, scheme: ElementScheme) -> None:
        self.run, self.scheme = Located(problem, scheme), scheme

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        h = self.scheme.step
        moment = Moment(*(now[name] for name in _NAMES))
        springs = len(moment.slip)
        branch = now.get("branch", np.zeros(springs)).astype(int)
        moments, force = [moment], np.empty((steps, springs))
        events, spent = np.zeros(steps, dtype=np.int64), np.zeros((steps, 4))
        for r in range(steps):
            moment, branch, total, spent[r], events[r] = self._step(moments[-1], branch, first + r)
            moments.append(moment)
            force[r] = total / h
        nodes = {
            name: np.array([getattr(each, field.name) for each in moments])
            for name, field in zip(_NAMES, fields(Moment), strict=True)
        }
        end = {name: value[-1].copy() for name, value in nodes.items()} | {"branch": branch.astype(float)}
        return Ran(nodes, {"force": force, "events": events, "spent": spent}, end)

    def _step(self, now: Moment, branch: Array, r: int) -> tuple[Moment, Array, Array, Array, int]:
        """Step r: state and branches at its end, integral of the forces, energies, and changes of branch."""
        run, h = self.run, self.scheme.step
        gone, total, spent, held = 0.0, np.zeros(len(branch)), np.zeros(4), -1
        for events in range(_MOST):
            change = run.first_change(now, branch, (r, gone), h - gone)
            if change is None or (change[0] == 0.0 and change[1] == held):
                piece = run.piece(now, branch, (r, gone), h - gone)
                return piece.end, branch, total + piece.force, spent + piece.energies, events
            length, spring, piece = change
            if length > 0.0:
                now, total, spent = piece.end, total + piece.force, spent + piece.energies
                gone += length
            branch, held = run.switched(now, branch, spring), spring
            if gone >= h:
                return now, branch, total, spent, events + 1
        raise ConvergenceError(f"{self.scheme.name}: branches change more than {_MOST} times in step {r + 1}")
