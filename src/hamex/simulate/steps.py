"""One step of any action: its rows, their slopes, Newton's method, and what the step leaves.

Unknowns are the changes Δ of the node values since the start of the step and, where there is friction, its forces as
parts r of their limits at every point. r ∈ Sgn(e) is the equation r = clip(r + ρe, −1, 1), whatever ρ > 0: nothing is
made smooth, a contact that sticks has e = 0 at round-off and a force inside its limit. Newton's method takes each clip
on the branch it is on (Alart and Curnier, 1991); ρ is one over the change of slip per change of r, from the slopes at
the start of each step, with which one contact alone is on the right branch at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ConvergenceError
from hamex.simulate.system import ITERATIONS, NumericAction, StepElement

Array = NDArray[Any]
_CONVERGED, _ACCEPTED = 1e-14, 1e-9  # relative residual: where Newton stops, what round-off may leave
_HALVINGS, _FEW = 30, 2
_WORSE = 8  # steps of Newton's method with friction that may go uphill: branches change before sizes fall
_AT_LIMIT = 1e-9  # of the limit of friction: what counts as there
STILL = 1e-12  # of the largest slip seen: what counts as none


def _nothing() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Window:
    """One step, or a piece of it: its number, its start and length, and the state and energy there."""

    number: int
    time: float
    h: float
    end: float
    times: list[float]
    given: list[list[float]]
    q: Array
    v: Array
    p: Array
    energy: float


@dataclass(frozen=True, eq=False)
class Taken:
    """What a step leaves: its end; over the step the mean place, load and friction, the work, the jump's loss, and what
    each charge gained from its source.

    With constraints also the mean reactions and their multipliers, and by how much the end breaks a constraint or its
    rate.
    """

    q: Array
    v: Array
    p: Array
    energy: float
    mean: Array
    load: Array
    friction: Array
    work: float
    loss: float
    iterations: int
    gained: Array
    cuts: int = 0
    events: int = 0
    reaction: Array = field(default_factory=_nothing)
    multiplier: Array = field(default_factory=_nothing)
    off: float = 0.0
    drift: float = 0.0


class StepSolver:
    """The steps of one element for one action."""

    def __init__(self, system: NumericAction, element: StepElement) -> None:
        self.system, self.element = system, element
        self.n, self.m = system.n, len(system.f.contacts)
        self.points, self.nodes = len(element.points), len(element.nodes)
        self.values = self.nodes * self.n  # how many of the unknowns are Δ
        self.carriers = np.array(system.f.carriers)
        self.rho = np.zeros((self.points, self.m))
        self.path: tuple[Array, Array] = self.rho, self.rho  # places and rates at the points of the last step
        self.rubbed: Array = self.rho  # and r
        self.extra = 0  # further unknowns, behind those of friction

    def take(self, w: Window, scale: Array) -> tuple[Taken, Array]:
        """Solve the step and read its end; ``scale`` is the size of the terms of each field so far, and grows."""
        x, count, scale = self._solve(w, scale)
        return self._read(w, x, count), scale

    def contacts(self, w: Window, taken: Taken, largest: Array) -> tuple[Array, bool]:
        """How far each contact that slipped at the start still slips at the end, in its own direction, NaN if it turned
        before (infinity for the others); and whether each contact did one thing all through the step.

        ``largest`` is the largest slip seen at each contact, and grows.
        """
        start = self.slips(w.q, w.v, w.time)
        end = self.slips(taken.q, taken.v, w.end)
        np.maximum(largest, np.maximum(np.abs(start), np.abs(end)), out=largest)
        still = STILL * largest
        places, rates = self.path
        inside = np.array([self.slips(*y) for y in zip(places, rates, w.times, strict=True)])
        sign = np.where(np.abs(start) > still, np.sign(start), 0.0)
        # A last point that sticks has no slip either: that the force is at its limit tells them apart.
        same = np.all((sign * inside > -still) & (sign * self.rubbed > 1 - _AT_LIMIT), axis=0)
        left = np.where(sign != 0, np.where(same, sign * end, np.nan), np.inf)
        up, down = (np.all(way * inside > 0, axis=0) & (way * end >= -still) for way in (1, -1))
        sticks = (np.abs(end) <= still) & np.all(np.abs(inside) <= still, axis=0)
        one = np.where(sign != 0, same & (sign * end >= -still), up | down | sticks)
        return left, bool(np.all(one))

    def slips(self, q: Array, v: Array, time: float) -> Array:
        """e of every contact."""
        return self.system.call(self.system.f.slips, q, v, time, self.system.given_at(time))[: self.m]

    def _parts(self, x: Array) -> tuple[Array, Array]:
        return x[: self.values].reshape(self.nodes, self.n), x[self.values :].reshape(self.points, self.m)

    def _points(self, w: Window, x: Array) -> tuple[Array, Array]:
        """Places and rates at the points."""
        change = x[: self.values].reshape(self.nodes, self.n)
        return w.q + self.element.N @ change, self.element.D @ change / w.h

    def _ask(self, function: Any, w: Window, x: Array, rubbed: bool = False) -> Array:
        """A function of the action at the points of the step, ``rubbed`` by the friction there."""
        places, rates = self._points(w, x)
        constants = self.system.constants
        more = self._parts(x)[1].tolist() if rubbed and self.m else []
        return np.array(
            [
                function(*q, *v, time, *given, *constants, *(more[g] if more else ()))
                for g, (q, v, time, given) in enumerate(
                    zip(places.tolist(), rates.tolist(), w.times, w.given, strict=True)
                )
            ],
            dtype=float,
        )

    def _residual(self, w: Window, x: Array) -> Array:
        """Rows of the virtual values, then of the contacts; the row of δq at the end only yields the new momentum."""
        e = self.element
        found = self._ask(self.system.f.rest, w, x, True)
        P, G = found[:, : self.n], found[:, self.n :]
        rows = np.einsum("gif,gf->if", w.h * e.test, G) - np.einsum("gif,gf->if", e.slope, P)
        rows -= e.first[:, None] * np.where(self.carriers, w.p, 0.0)
        if not self.m:
            return rows.ravel()
        r = self._parts(x)[1]
        slips = self._ask(self.system.f.slips, w, x)[:, : self.m]
        return np.concatenate([rows.ravel(), (r - np.clip(r + self.rho * slips, -1.0, 1.0)).ravel()])

    def _tangent(self, w: Window, x: Array, first: bool) -> tuple[Array, Array]:
        """Slopes of the rows, and for each field the size of the terms that make up its rows: what round-off is of."""
        e, n = self.element, self.n
        places, rates = self._points(w, x)
        found = self._ask(self.system.f.slopes, w, x, True).reshape(self.points, 2, n, 2, n)
        by_node = np.einsum("gafk,gj->gafjk", found[:, :, :, 0], e.N)
        by_node += np.einsum("gafk,gj->gafjk", found[:, :, :, 1], e.D / w.h)
        matrix = np.einsum("gif,gfjk->ifjk", w.h * e.test, by_node[:, 1])
        matrix -= np.einsum("gif,gfjk->ifjk", e.slope, by_node[:, 0])
        parts = np.einsum("gafbk,gbk->gaf", np.abs(found), np.abs(np.stack([places, rates], axis=1)))
        terms = np.abs(w.p) + (
            np.abs(e.slope).max(axis=1) * parts[:, 0] + w.h * np.abs(e.test).max(axis=1) * parts[:, 1]
        ).sum(axis=0)
        matrix = matrix.reshape(self.values, self.values)
        return (self._with_contacts(w, matrix, x, first) if self.m else matrix), terms

    def _with_contacts(self, w: Window, matrix: Array, x: Array, first: bool) -> Array:
        """The slopes with those by r and of the clips beside them."""
        e, n, m = self.element, self.n, self.m
        r = self._parts(x)[1]
        grip = self._ask(self.system.f.grip, w, x).reshape(self.points, n, m)
        by_point = np.zeros((self.nodes, n, self.points, m))
        for g in range(self.points):
            by_point[:, :, g] = w.h * e.test[g, :, :, None] * grip[g]
        by_r = by_point.reshape(self.values, -1)
        found = self._ask(self.system.f.slips, w, x)
        slips, slopes = found[:, :m], found[:, m:].reshape(self.points, m, 2, n)
        by_node = np.einsum("gak,gj->gajk", slopes[:, :, 0], e.N) + np.einsum(
            "gak,gj->gajk", slopes[:, :, 1], e.D / w.h
        )
        by_node = by_node.reshape(self.points * m, self.values)
        if first:
            try:
                yielding = np.abs(np.einsum("ij,ji->i", by_node, np.linalg.solve(matrix, by_r)))
            except np.linalg.LinAlgError:
                yielding = np.zeros(self.points * m)
            self.rho = np.where(yielding > 0, 1 / np.where(yielding > 0, yielding, 1.0), 1.0).reshape(self.points, m)
        inside = (np.abs(r + self.rho * slips) < 1.0).ravel()
        by_clip = np.where(inside[:, None], -self.rho.reshape(-1, 1) * by_node, 0.0)
        return np.block([[matrix, by_r], [by_clip, np.diag(np.where(inside, 0.0, 1.0))]])

    def _solve(self, w: Window, scale: Array) -> tuple[Array, int, Array]:
        """Newton's method with a line search on the residual, each field's rows measured by the size of their terms."""
        x = np.zeros(self.values + self.points * self.m + self.extra)
        x[: self.values] = (self.element.nodes[:, None] * w.h * w.v).ravel()
        if self.m:
            self._parts(x)[1][:] = np.sign(self.slips(w.q, w.v, w.time))
        rows = self._try(w, x)
        if rows is None:
            x[: self.values] = 0.0
            rows = self._try(w, x)
        if rows is None:
            raise failure(w, "the action cannot be evaluated at the start of the step")
        size, count, worse = np.inf, 0, 0
        for count in range(ITERATIONS):
            try:
                matrix, terms = self._tangent(w, x, count == 0)
            except (ZeroDivisionError, OverflowError, ValueError):
                matrix, terms = self._secant(w, x, rows)
            if self.m and count == 0:
                again = self._try(w, x)  # with the ρ that the slopes have given
                rows = rows if again is None else again
            scale = np.maximum(scale, terms)
            size = self._size(rows, scale)
            if size <= _CONVERGED:
                return x, count, scale
            try:
                correction = np.linalg.solve(matrix, rows)
            except np.linalg.LinAlgError:
                raise failure(w, "its equations are singular: a field is not determined") from None
            # Beside friction and constraints nobody waits for the last bit once round-off is reached.
            tries = _FEW if len(x) > self.values and size <= _ACCEPTED else _HALVINGS
            for halving in range(tries):
                trial = x - correction * 0.5**halving
                tried = self._try(w, trial)
                if tried is not None and self._size(tried, scale) < size:
                    x, rows = trial, tried
                    break
            else:
                trial = x - correction
                tried = self._try(w, trial) if self.m and worse < _WORSE and size > _ACCEPTED else None
                if tried is None:
                    break
                x, rows, worse = trial, tried, worse + 1
        if size > _ACCEPTED:
            raise failure(w, f"Newton's method stops at a relative residual of {size:.1e}")
        return x, count, scale

    def _size(self, rows: Array, scale: Array) -> float:
        """Largest residual relative to the terms it is the sum of."""
        size = float(np.abs(rows[: self.values].reshape(self.nodes, self.n) / np.where(scale > 0, scale, 1.0)).max())
        return max(size, float(np.abs(rows[self.values :]).max())) if len(rows) > self.values else size

    def _secant(self, w: Window, x: Array, rows: Array) -> tuple[Array, Array]:
        """Differences instead of slopes, for places where a slope is infinite: |q̇|^(3/2) at rest."""
        columns = []
        for i in range(x.size):
            least = max(1e-3 * w.h, 1e-3 * abs(w.q[i % self.n])) if i < self.values else 1.0
            small = 1e-6 * max(abs(x[i]), least)
            moved = x.copy()
            moved[i] += small
            beside = self._try(w, moved)
            columns.append(np.zeros(rows.size) if beside is None else (beside - rows) / small)
        terms = np.abs(rows[: self.values].reshape(self.nodes, self.n)).max(axis=0)
        return np.array(columns).T, np.abs(w.p) + terms

    def _try(self, w: Window, x: Array) -> Array | None:
        try:
            rows = self._residual(w, x)
        except (ZeroDivisionError, OverflowError, ValueError):
            return None
        return rows if np.all(np.isfinite(rows)) else None

    def _read(self, w: Window, x: Array, count: int) -> Taken:
        """Node rates from the momenta, the Hamiltonian, and the work of all that changes it."""
        system, e = self.system, self.element
        change, r = self._parts(x)
        q = w.q + change[-1]
        found = self._ask(system.f.rest, w, x, True)
        ends = e.last_slope @ found[:, : self.n] - w.h * e.last @ found[:, self.n :]
        p = np.where(self.carriers, ends, 0.0)
        places, rates = self.path = self._points(w, x)
        self.rubbed = r
        inside = np.array([system.energy(*y) for y in zip(places, rates, w.times, w.given, r, strict=True)])
        v = system.rates(q, rates[-1] if e.jumps else e.end @ change / w.h, p, self.carriers, w.end)
        energy = system.energy(q, v, w.end, system.given_at(w.end), np.zeros(self.m))[0]
        friction = np.zeros(self.n)
        if self.m:
            grip = self._ask(system.f.grip, w, x).reshape(self.points, self.n, self.m)
            friction = -np.einsum("g,gfm,gm->f", e.weights, grip, r)
        work = w.h * (e.weights @ inside[:, 1])
        loss = self._loss(w, places, rates) if e.jumps else 0.0
        points = zip(places, rates, w.times, w.given, found[:, self.n :], strict=True)
        gained = w.h * (e.weights @ np.array([system.sources(*x) for x in points]))
        mean, load = e.weights @ places, e.weights @ inside[:, 2:]
        return Taken(q, v, p, energy, mean, load, friction, work, loss, count, gained)

    def _loss(self, w: Window, places: Array, rates: Array) -> float:
        """What the jump takes: H₋ − H₊ − ∇H₊·(z₋ − z₊) with z = (q, p), the part of H beyond its tangent.

        Where H is quadratic this is H([q], [v]), and the balance of the step closes; never negative where H is convex.
        """
        q, v = self.element.start @ places, self.element.start @ rates
        H, *rest = self.system.call(self.system.f.traces, q, v, w.time, self.system.given_at(w.time))
        P, slope = np.array(rest[: self.n]), np.array(rest[self.n :])
        return float(w.energy - H + np.where(self.carriers, P - w.p, 0.0) @ v - slope @ (q - w.q))


def failure(w: Window, why: str) -> ConvergenceError:
    """A step that was not solved, with its time."""
    return ConvergenceError(
        f"simulate: step {w.number + 1} (t = {w.end:g} s) was not solved: {why}. "
        "Take a shorter step, check the parameters, or give sliders some viscosity"
    )
