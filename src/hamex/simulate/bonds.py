"""Steps of an action with constraints: places and rates are kept at every node, at round-off.

Continuous elements of degree s: the reactions act as impulses at the s + 1 Lobatto points of a step, everything else at
its s Gauss points. λ at the first s of them keeps g = 0 at the last s (nonholonomic constraints: A q̇ + b = 0 at the s
Gauss points), λ at the end takes from the momentum what would leave the constraint, A v + b = 0. These are the
Gauss-Lobatto SPARK methods of L. O. Jay (2007; nonholonomic 2009), s = 1 the midpoint rule's RATTLE: the reactions of
two steps at their common node are halves of one impulse, and symmetry and symplecticity stay. Testing λ̇ g as a field
like any other is collocation of an index 3 problem instead, with the amplification (−1)^s: it blows up for even s.

Elements with jumps: constraint and its rate at every Radau point, with one more multiplier μ for the rates of place,
q̇ = v + Aᵀμ (Gear, Gupta and Leimkuhler 1985): index 2, where Radau IIA keeps its order. Nonholonomic constraints are of
index 2 as they stand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ProblemError
from hamex.simulate.steps import StepSolver, Taken, Window
from hamex.simulate.system import ITERATIONS, NumericAction, StepElement, lagrange, lobatto_rule

Array = NDArray[Any]


class BoundSolver(StepSolver):
    """The steps of one element for an action with constraints; unknowns are Δ, r, then λ at the knots and μ."""

    def __init__(self, system: NumericAction, element: StepElement) -> None:
        super().__init__(system, element)
        self.c = len(system.f.held)
        self.held = np.array(system.f.held)
        s = self.nodes
        if element.jumps:
            self.knots, weights = element.points, element.weights
            self.at_knots, tests = element.N, np.eye(s)
            self.mu = self.points * int(self.held.sum())
        else:
            self.knots, weights = lobatto_rule(s + 1)
            every = lagrange(np.linspace(0, 1, s + 1), self.knots)[0]
            self.at_knots, tests = every[:, 1:], every
            self.at_knots[0], self.at_knots[-1] = 0.0, np.eye(s)[-1]  # the ends are nodes, to the last bit
            self.mu = 0
        self.weights = weights
        self.pulls = weights[:, None] * tests
        self.free = s  # knots whose λ the rows determine
        self.base = self.values + self.points * self.m
        self.extra = self.free * self.c + self.mu

    def bonds(self, q: Array, time: float, given: list[float]) -> tuple[Array, Array, Array]:
        """A, b and g of every constraint."""
        found = self.system.bonds(q, time, given)
        return found[:, : self.n], found[:, self.n], found[:, self.n + 1]

    def _parts(self, x: Array) -> tuple[Array, Array]:
        return super()._parts(x[: self.base])

    def _multipliers(self, x: Array) -> tuple[Array, Array]:
        """λ at the free knots, and μ at the points, zero for what is not held."""
        rest = x[self.base :]
        forces = rest[: self.free * self.c].reshape(self.free, self.c)
        shifts = np.zeros((self.points, self.c))
        if self.mu:
            shifts[:, self.held] = rest[self.free * self.c :].reshape(self.points, -1)
        return forces, shifts

    def _points(self, w: Window, x: Array) -> tuple[Array, Array]:
        places, rates = super()._points(w, x)
        if self.mu:
            shifts = self._multipliers(x)[1]
            for g in range(self.points):
                rates[g] -= shifts[g] @ self.bonds(places[g], w.times[g], w.given[g])[0]
        return places, rates

    def _knots(self, w: Window, x: Array) -> list[tuple[Array, float, list[float]]]:
        """Place, time and what is given at every knot."""
        places = w.q + self.at_knots @ self._parts(x)[0]
        if self.element.jumps:
            return list(zip(places, w.times, w.given, strict=True))
        times = [w.time + w.h * c for c in self.knots.tolist()]
        return [(q, time, self.system.given_at(time)) for q, time in zip(places, times, strict=True)]

    def _sizes(self, w: Window) -> Array:
        """What a constraint is compared with: its slopes times the size of places and of a step's way."""
        A, b, _ = self.bonds(w.q, w.time, self.system.given_at(w.time))
        found = np.abs(A) @ (np.abs(w.q) + w.h * np.abs(w.v)) + w.h * np.abs(b)
        return np.where(found > 0, found, 1.0)

    def _residual(self, w: Window, x: Array) -> Array:
        rows = super()._residual(w, x)
        forces, _ = self._multipliers(x)
        knots = self._knots(w, x)
        bonds = [self.bonds(*knot) for knot in knots]
        pull = np.zeros((self.nodes, self.n))
        for j in range(self.free):
            pull += np.outer(self.pulls[j, : self.nodes], forces[j] @ bonds[j][0])
        rows[: self.values] -= w.h * pull.ravel()
        places, rates = self._points(w, x)
        drift = np.zeros((self.points, self.c))
        for g in range(self.points):
            A, b, _ = bonds[g] if self.element.jumps else self.bonds(places[g], w.times[g], w.given[g])
            drift[g] = w.h * (A @ rates[g] + b)
        off = np.array([g for _, _, g in bonds])
        sizes = self._sizes(w)
        if self.element.jumps:
            kept = np.concatenate([(drift / sizes).ravel(), (off / sizes)[:, self.held].ravel()])
        else:
            kept = np.where(self.held, off[1:], drift).ravel() / np.tile(sizes, self.points)
        return np.concatenate([rows, kept])

    def _tangent(self, w: Window, x: Array, first: bool) -> tuple[Array, Array]:
        """Slopes of all rows by all unknowns, by the chain of places and rates."""
        matrix, terms = super()._tangent(w, x, first)
        whole = np.zeros((self.base + self.extra, self.base + self.extra))
        whole[: self.base, : self.base] = matrix
        forces = self._multipliers(x)[0]
        knots = self._knots(w, x)
        for j in range(self.free):
            A = self.bonds(*knots[j])[0]
            bend, _ = self.system.bends(*knots[j], forces[j])
            self._add_pull(w, whole, j, A, bend)
            terms = terms + w.h * self.weights[j] * np.abs(forces[j]) @ np.abs(A)
        places, rates = self._points(w, x)
        dq, dv = self._chain(w, x)
        if self.mu:
            whole[: self.base] += self._by_shift(w, x, dv)
        self._add_kept(w, whole, (places, rates, dq, dv), knots)
        return whole, terms

    def _add_pull(self, w: Window, whole: Array, j: int, A: Array, bend: Array) -> None:
        """The slopes of the reaction at a knot, in the rows of motion."""
        for i in range(self.nodes):
            pull = w.h * self.pulls[j, i]
            if pull == 0.0:
                continue
            rows = slice(i * self.n, (i + 1) * self.n)
            whole[rows, self.base + j * self.c : self.base + (j + 1) * self.c] -= pull * A.T
            for k in range(self.nodes):
                whole[rows, k * self.n : (k + 1) * self.n] -= pull * self.at_knots[j, k] * bend

    def _chain(self, w: Window, x: Array) -> tuple[Array, Array]:
        """Slopes of places and rates at the points by all unknowns."""
        size = self.base + self.extra
        dq, dv = (np.zeros((self.points, self.n, size)) for _ in range(2))
        unit = np.eye(self.n)
        for g in range(self.points):
            dq[g, :, : self.values] = np.kron(self.element.N[g], unit)
            dv[g, :, : self.values] = np.kron(self.element.D[g] / w.h, unit)
        if self.mu:
            places = w.q + self.element.N @ self._parts(x)[0]
            shifts, held = self._multipliers(x)[1], int(self.held.sum())
            for g in range(self.points):
                A = self.bonds(places[g], w.times[g], w.given[g])[0]
                bend, _ = self.system.bends(places[g], w.times[g], w.given[g], shifts[g])
                dv[g] -= bend @ dq[g]
                at = self.base + self.free * self.c + g * held
                dv[g, :, at : at + held] -= A[self.held].T
        return dq, dv

    def _by_shift(self, w: Window, x: Array, dv: Array) -> Array:
        """What μ adds to the slopes of the rows of motion and contact: through the rates at the points."""
        e, n = self.element, self.n
        plain = np.zeros_like(dv)
        for g in range(self.points):
            plain[g, :, : self.values] = np.kron(e.D[g] / w.h, np.eye(n))
        more = dv - plain
        found = np.zeros((self.base, dv.shape[2]))
        slopes = self._ask(self.system.f.slopes, w, x, True).reshape(self.points, 2, n, 2, n)[:, :, :, 1]
        moved = np.einsum("gafk,gkx->gafx", slopes, more)
        rows = np.einsum("gif,gfx->ifx", w.h * e.test, moved[:, 1]) - np.einsum("gif,gfx->ifx", e.slope, moved[:, 0])
        found[: self.values] = rows.reshape(self.values, -1)
        if self.m:
            r = self._parts(x)[1]
            answer = self._ask(self.system.f.slips, w, x)
            slips, by = answer[:, : self.m], answer[:, self.m :].reshape(self.points, self.m, 2, n)[:, :, 1]
            inside = np.abs(r + self.rho * slips) < 1.0
            clips = np.where(inside[:, :, None], -self.rho[:, :, None] * np.einsum("gak,gkx->gax", by, more), 0.0)
            found[self.values :] = clips.reshape(self.points * self.m, -1)
        return found

    def _add_kept(self, w: Window, whole: Array, points: tuple[Array, ...], knots: list[Any]) -> None:
        """The slopes of the constraints themselves."""
        places, rates, dq, dv = points
        sizes, held = self._sizes(w), int(self.held.sum())
        nothing = np.zeros(self.c)
        for g in range(self.points):
            A = self.bonds(places[g], w.times[g], w.given[g])[0]
            _, bend = self.system.bends(places[g], w.times[g], w.given[g], nothing, rates[g])
            slope = w.h * (bend @ dq[g] + A @ dv[g]) / sizes[:, None]
            at = self.base + g * self.c
            if self.element.jumps:
                whole[at : at + self.c] += slope
                at = self.base + self.points * self.c + g * held
                whole[at : at + held] += ((A @ dq[g]) / sizes[:, None])[self.held]
            else:
                A = self.bonds(*knots[g + 1])[0]
                by_place = np.zeros_like(slope)
                by_place[:, : self.values] = A @ np.kron(self.at_knots[g + 1], np.eye(self.n)) / sizes[:, None]
                whole[at : at + self.c] += np.where(self.held[:, None], by_place, slope)

    def _read(self, w: Window, x: Array, count: int) -> Taken:
        """The end of the step with the reactions, and the last of them, which keeps the rates."""
        taken = super()._read(w, x, count)
        forces, _ = self._multipliers(x)
        knots = self._knots(w, x)
        bonds = [self.bonds(*knot) for knot in knots]
        if not self.element.jumps:
            p = taken.p + w.h * sum(self.pulls[j, -1] * (forces[j] @ bonds[j][0]) for j in range(self.free))
            p, v, last = self._projected(w, taken, p, bonds[-1])
            forces = np.vstack([forces, last])
            energy = self.system.energy(taken.q, v, w.end, self.system.given_at(w.end), np.zeros(self.m))[0]
            taken = replace(taken, p=p, v=v, energy=energy)
        reaction = sum(b * (f @ bond[0]) for b, f, bond in zip(self.weights, forces, bonds, strict=True))
        power = sum(b * (f @ bond[1]) for b, f, bond in zip(self.weights, forces, bonds, strict=True))
        A, b, off = bonds[-1]
        return replace(
            taken,
            loss=taken.loss + (self._returned(w, x) if self.mu else 0.0),
            work=taken.work - w.h * power,
            reaction=np.array(reaction),
            multiplier=self.weights @ forces,
            off=float(np.abs(off).max()),
            drift=float(np.abs(A @ taken.v + b).max()),
        )

    def _returned(self, w: Window, x: Array) -> float:
        """What the way back to the constraint takes, h Σ w L_q·Aᵀμ: the forces work on it, and no rate does."""
        places, shifts = self._points(w, x)[0], self._multipliers(x)[1]
        slopes = self._ask(self.system.f.traces, w, x)[:, 1 + self.n :]
        ways = [s @ self.bonds(*y)[0] for s, *y in zip(shifts, places, w.times, w.given, strict=True)]
        return float(w.h * self.element.weights @ np.einsum("gf,gf->g", slopes, np.array(ways)))

    def _projected(
        self, w: Window, taken: Taken, p: Array, bond: tuple[Array, Array, Array]
    ) -> tuple[Array, Array, Array]:
        """Momentum, rates and λ at the end: P(q, v) = p + h w λA with A v + b = 0."""
        A, b, _ = bond
        pull, chosen = w.h * self.weights[-1], np.flatnonzero(self.carriers)
        given, v, last = self.system.given_at(w.end), taken.v.copy(), np.zeros(self.c)
        n = len(chosen)
        for _ in range(ITERATIONS):
            found = self.system.call(self.system.f.momenta, taken.q, v, w.end, given)
            slope = found[self.n :].reshape(self.n, self.n)[np.ix_(chosen, chosen)]
            gap = np.concatenate([(p + pull * (last @ A) - found[: self.n])[chosen], -(A @ v + b)])
            near = A[:, chosen]
            matrix = np.block([[slope, -pull * near.T], [near, np.zeros((self.c, self.c))]])
            change = np.linalg.lstsq(matrix, gap, rcond=None)[0]
            v[chosen] += change[:n]
            last = last + change[n:]
            if np.abs(change[:n]).max() <= 1e-15 * np.abs(v).max():
                break
        found = self.system.call(self.system.f.momenta, taken.q, v, w.end, given)[: self.n]
        return np.where(self.carriers, found, 0.0), v, last


def check_bonds(system: NumericAction, q: Array, v: Array) -> None:
    """Refuse a start that breaks a constraint, and constraints on what has no momentum."""
    found = system.bonds(q, 0.0, system.given_at(0.0))
    A, b, off = found[:, : system.n], found[:, system.n], found[:, system.n + 1]
    idle = ~np.array(system.f.carriers)
    for k in range(len(A)):
        if A[k, idle].any():
            name = system.f.fields[int(np.flatnonzero(idle & (A[k] != 0))[0])]
            raise ProblemError(
                f"simulate: constraint {k + 1} holds {name}, which has no momentum: no impulse can keep it. "
                "Give it a mass, or coordinates that satisfy the constraint"
            )
        place, rate = float(np.abs(A[k]) @ np.abs(q)), float(np.abs(A[k]) @ np.abs(v) + abs(b[k]))
        if system.f.held[k] and abs(off[k]) > 1e-9 * max(place, 1e-300):
            raise ProblemError(f"simulate: the start breaks constraint {k + 1}: its value there is {off[k]:g}, not 0")
        if abs(A[k] @ v + b[k]) > 1e-9 * max(rate, 1e-300):
            raise ProblemError(
                f"simulate: the start breaks the rate of constraint {k + 1}: it is {A[k] @ v + b[k]:g}, not 0; "
                "rates must be along the constraint"
            )
