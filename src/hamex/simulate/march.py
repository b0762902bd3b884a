"""An action with numbers in it, its start, and its march: polynomials in time, and Newton's method for each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite
from hamex.errors import ConvergenceError, LoadError, ProblemError
from hamex.principle.numeric import Functions
from hamex.solution.energy import check_energies

Array = NDArray[Any]
Parameters = Mapping[str, float | Callable[[float], float]]
_CONVERGED, _ACCEPTED = 1e-14, 1e-9  # relative residual: where Newton stops, what round-off may leave
_ITERATIONS, _HALVINGS = 50, 30


class NumericAction:
    """An action with numbers: functions of (q, q̇, t) alone."""

    def __init__(self, f: Functions, parameters: Parameters, step: float) -> None:
        wanted = {*f.given, *f.parameters}
        missing, unknown = sorted(wanted - set(parameters)), sorted(set(parameters) - wanted)
        if missing or unknown:
            said = " and ".join(
                f"{word} {', '.join(names)}"
                for word, names in (("lack", missing), ("hold the unknown", unknown))
                if names
            )
            raise ProblemError(f"simulate: the parameters {said}; the action has {', '.join(sorted(wanted)) or 'none'}")
        for name in f.parameters:
            value = parameters[name]
            if not is_finite(value) or (name in f.positive and float(value) < 0):  # type: ignore[arg-type]
                kind = "a positive number" if name in f.positive else "a number"
                raise ProblemError(f"simulate: the parameter {name} must be {kind}, got {value!r}")
        self.f, self.n, self.step = f, len(f.fields), step
        self.constants = [float(parameters[name]) for name in f.parameters]  # type: ignore[arg-type]
        self.given = [parameters[name] for name in f.given]
        self.numbers = dict(zip(f.parameters, self.constants, strict=True))

    def given_at(self, time: float) -> list[float]:
        found = []
        for name, function in zip(self.f.given, self.given, strict=True):
            value = function(time) if callable(function) else function
            if not is_finite(value):
                raise LoadError(
                    f"simulate: {name} must be a number or a function of time with finite values; "
                    f"at t = {time:g} s it is {value!r}"
                )
            found.append(float(value))
        return found

    def call(
        self, function: Callable[..., list[float]], q: Array, v: Array, time: float, given: list[float], *more: float
    ) -> Array:
        return np.array(function(*q.tolist(), *v.tolist(), time, *given, *self.constants, *more), dtype=float)

    def energy(self, q: Array, v: Array, time: float, given: list[float]) -> Array:
        """H, power, loads."""
        rates = [0.0] * len(given)
        if self.f.explicit:
            e = 1e-4 * self.step
            rates = ((np.array(self.given_at(time + e)) - self.given_at(time - e)) / (2 * e)).tolist()
        return self.call(self.f.energy, q, v, time, given, *rates)

    def rates(self, q: Array, guess: Array, p: Array, chosen: Array, time: float) -> Array:
        """The rates that belong to given momenta of the chosen fields, the other rates held."""
        v, given = guess.copy(), self.given_at(time)
        for _ in range(_ITERATIONS):
            found = self.call(self.f.momenta, q, v, time, given)
            gap = (p - found[: self.n])[chosen]
            if not np.any(np.abs(gap) > 4e-16 * np.abs(p[chosen])):
                break
            slope = found[self.n :].reshape(self.n, self.n)[np.ix_(chosen, chosen)]
            change = np.linalg.lstsq(slope, gap, rcond=None)[0]
            v[chosen] += change
            if np.abs(change).max() <= 1e-15 * np.abs(v).max():
                break
        return v


def start_values(system: NumericAction, start: Mapping[str, float]) -> tuple[Array, Array, Array]:
    """Values, rates and momenta at t = 0."""
    f, n = system.f, system.n
    known = {key for name in f.fields for key in (name, f"{name}_dot", f"P_{name}")}
    for key, value in start.items():
        if key not in known:
            raise ProblemError(
                f"simulate: the start holds {key!r}; known: "
                f"{', '.join(f'{name}, {name}_dot, P_{name}' for name in f.fields)}"
            )
        if not is_finite(value):
            raise ProblemError(f"simulate: {key} must be a finite number at the start, got {value!r}")
    q = np.array([start.get(name, 0.0) for name in f.fields], dtype=float)
    v = np.array([start.get(f"{name}_dot", 0.0) for name in f.fields], dtype=float)
    p = np.array([start.get(f"P_{name}", 0.0) for name in f.fields], dtype=float)
    chosen = np.array([f"P_{name}" in start for name in f.fields])
    for i, name in enumerate(f.fields):
        if chosen[i] and f"{name}_dot" in start:
            raise ProblemError(f"simulate: {name} starts with a rate and a momentum; one gives the other")
        if not f.carriers[i] and (chosen[i] or f"{name}_dot" in start):
            raise ProblemError(f"simulate: {name} has no momentum; the principle accepts only its value at the start")
    at_rest = system.call(f.momenta, q, np.zeros(n), 0.0, system.given_at(0.0))[:n]
    for i, name in enumerate(f.fields):
        if f.gauges[i] and at_rest[i] != 0 and not chosen[i] and f"{name}_dot" not in start:
            raise ProblemError(
                f"simulate: say how {name} starts: its momentum is {at_rest[i]:g} when its rate is zero."
                f" Give P_{name} (0 for a spring without slip) or {name}_dot"
            )
    if chosen.any():
        v = system.rates(q, v, p, chosen, 0.0)
    computed = system.call(f.momenta, q, v, 0.0, system.given_at(0.0))[:n]
    return q, v, np.where(chosen, p, computed)


@dataclass(frozen=True, eq=False)
class GaussElement:
    """Polynomials of degree s on [0, 1] at s Gauss points; rows are points.

    ``N`` and ``D`` are values and slopes of the trial functions of the new nodes, ``end`` their slopes at the end.
    ``test`` and ``slope`` are values and slopes of the tests of δq_0 … δq_{s−1}, times the weights, for each field;
    ``last`` and ``last_slope`` the same for δq_s.
    """

    weights: Array
    points: Array
    N: Array
    D: Array
    test: Array
    slope: Array
    last: Array
    last_slope: Array
    end: Array

    @classmethod
    def of(cls, s: int, system: NumericAction) -> GaussElement:
        points, weights = np.polynomial.legendre.leggauss(s)
        points, weights = (points + 1) / 2, weights / 2
        nodes = np.linspace(0, 1, s + 1)
        N, D = _lagrange(nodes, points)
        fewer = _lagrange(np.linspace(0, 1, s) if s > 1 else np.zeros(1), points)
        carriers = np.array(system.f.carriers)
        test, slope = (
            np.where(carriers, full[:, :s, None], less[:, :, None]) * weights[:, None, None]
            for full, less in zip((N, D), fewer, strict=True)
        )
        return cls(
            weights,
            points,
            N[:, 1:],
            D[:, 1:],
            test,
            slope,
            weights * N[:, -1],
            weights * D[:, -1],
            _lagrange(nodes, np.ones(1))[1][0, 1:],
        )


def _lagrange(nodes: Array, places: Array) -> tuple[Array, Array]:
    """Values and slopes of the Lagrange polynomials through the nodes."""
    values, slopes = [], []
    for i, node in enumerate(nodes):
        others = np.delete(nodes, i)
        polynomial = np.polynomial.Polynomial.fromroots(others) if len(others) else np.polynomial.Polynomial([1.0])
        values.append(polynomial(places) / np.prod(node - others))
        slopes.append(polynomial.deriv()(places) / np.prod(node - others))
    return np.array(values).T, np.array(slopes).T


class ActionMarch:
    """All steps of one run; unknowns are the changes Δ of the node values since the start of the step."""

    def __init__(self, system: NumericAction, element: GaussElement, steps: int) -> None:
        self.system, self.element, self.steps = system, element, steps
        self.s, self.n, self.h = len(element.points), system.n, system.step
        self.carriers = np.array(system.f.carriers)
        self.scale = np.zeros(self.n)
        self.q, self.v, self.p = (np.zeros((steps + 1, self.n)) for _ in range(3))
        self.mean, self.load = (np.zeros((steps, self.n)) for _ in range(2))
        self.energy, self.work = np.zeros(steps + 1), np.zeros(steps + 1)
        self.iterations = np.zeros(steps, dtype=np.int64)

    def run(self, q: Array, v: Array, p: Array) -> None:
        """March from the given values, rates and momenta."""
        system, e = self.system, self.element
        self.q[0], self.v[0], self.p[0] = q, v, p
        self.energy[0] = system.energy(q, v, 0.0, system.given_at(0.0))[0]
        for r in range(self.steps):
            times = [(r + x) * self.h for x in e.points.tolist()]
            given = [system.given_at(time) for time in times]
            change = self._solve(r, times, given)
            self.q[r + 1] = self.q[r] + change[-1]
            P, G = self._rest(r, change, times, given)
            ends = e.last_slope @ P - self.h * e.last @ G
            self.p[r + 1] = np.where(self.carriers, ends, 0.0)
            self._record(r, change, times, given)

    def _points(self, r: int, change: Array) -> tuple[Array, Array]:
        return self.q[r] + self.element.N @ change, self.element.D @ change / self.h

    def _rest(self, r: int, change: Array, times: list[float], given: list[list[float]]) -> tuple[Array, Array]:
        """P and φ_q̇ − L_q − Q at the Gauss points."""
        places, rates = self._points(r, change)
        found = np.array(
            [self.system.call(self.system.f.rest, *x) for x in zip(places, rates, times, given, strict=True)]
        )
        return found[:, : self.n], found[:, self.n :]

    def _residual(self, r: int, change: Array, times: list[float], given: list[list[float]]) -> Array:
        """Rows of the virtual values δq_0 … δq_{s−1}; the row of δq_s only yields the new momentum."""
        e = self.element
        P, G = self._rest(r, change, times, given)
        rows = np.einsum("gif,gf->if", self.h * e.test, G) - np.einsum("gif,gf->if", e.slope, P)
        rows[0] -= np.where(self.carriers, self.p[r], 0.0)
        return rows

    def _tangent(self, r: int, change: Array, times: list[float], given: list[list[float]]) -> tuple[Array, Array]:
        """Slopes of the rows, and for each field the size of the terms that make up its rows: what round-off is of."""
        e, n = self.element, self.n
        places, rates = self._points(r, change)
        found = np.array(
            [self.system.call(self.system.f.slopes, *x) for x in zip(places, rates, times, given, strict=True)]
        ).reshape(self.s, 2, n, 2, n)
        by_node = np.einsum("gafk,gj->gafjk", found[:, :, :, 0], e.N)
        by_node += np.einsum("gafk,gj->gafjk", found[:, :, :, 1], e.D / self.h)
        matrix = np.einsum("gif,gfjk->ifjk", self.h * e.test, by_node[:, 1])
        matrix -= np.einsum("gif,gfjk->ifjk", e.slope, by_node[:, 0])
        parts = np.einsum("gafbk,gbk->gaf", np.abs(found), np.abs(np.stack([places, rates], axis=1)))
        terms = np.abs(self.p[r]) + (
            np.abs(e.slope).max(axis=1) * parts[:, 0] + self.h * np.abs(e.test).max(axis=1) * parts[:, 1]
        ).sum(axis=0)
        return matrix.reshape(self.s * n, self.s * n), terms

    def _solve(self, r: int, times: list[float], given: list[list[float]]) -> Array:
        """Newton's method with a line search on the residual, each field's rows measured by the size of their terms."""
        change = np.arange(1, self.s + 1)[:, None] / self.s * self.h * self.v[r]
        rows = self._try(r, change, times, given)
        if rows is None:
            change = np.zeros_like(change)
            rows = self._try(r, change, times, given)
        if rows is None:
            raise self._failure(r, "the action cannot be evaluated at the start of the step")
        size = np.inf
        for count in range(_ITERATIONS):
            self.iterations[r] = count
            try:
                matrix, terms = self._tangent(r, change, times, given)
            except (ZeroDivisionError, OverflowError, ValueError):
                matrix, terms = self._secant(r, change, times, given, rows)
            self.scale = np.maximum(self.scale, terms)
            size = _size(rows, self.scale)
            if size <= _CONVERGED:
                return change
            try:
                correction = np.linalg.solve(matrix, rows.ravel()).reshape(change.shape)
            except np.linalg.LinAlgError:
                raise self._failure(r, "its equations are singular: a field is not determined") from None
            for halving in range(_HALVINGS):
                trial = change - correction * 0.5**halving
                tried = self._try(r, trial, times, given)
                if tried is not None and _size(tried, self.scale) < size:
                    change, rows = trial, tried
                    break
            else:
                break
        if size > _ACCEPTED:
            raise self._failure(r, f"Newton's method stops at a relative residual of {size:.1e}")
        return change

    def _secant(
        self, r: int, change: Array, times: list[float], given: list[list[float]], rows: Array
    ) -> tuple[Array, Array]:
        """Differences instead of slopes, for places where a slope is infinite: |q̇|^(3/2) at rest."""
        columns = []
        for place in np.ndindex(change.shape):
            small = 1e-6 * max(abs(change[place]), 1e-3 * self.h, 1e-3 * abs(self.q[r][place[1]]))
            moved = change.copy()
            moved[place] += small
            beside = self._try(r, moved, times, given)
            columns.append(np.zeros(rows.size) if beside is None else (beside - rows).ravel() / small)
        return np.array(columns).T, np.abs(self.p[r]) + np.abs(rows).max(axis=0)

    def _try(self, r: int, change: Array, times: list[float], given: list[list[float]]) -> Array | None:
        try:
            rows = self._residual(r, change, times, given)
        except (ZeroDivisionError, OverflowError, ValueError):
            return None
        return rows if np.all(np.isfinite(rows)) else None

    def _failure(self, r: int, why: str) -> ConvergenceError:
        return ConvergenceError(
            f"simulate: step {r + 1} (t = {(r + 1) * self.h:g} s) was not solved: {why}. "
            "Take a shorter step, check the parameters, or give sliders some viscosity"
        )

    def _record(self, r: int, change: Array, times: list[float], given: list[list[float]]) -> None:
        """Node rates from the momenta, the Hamiltonian, and the work of all that changes it."""
        system, weights = self.system, self.element.weights
        places, rates = self._points(r, change)
        inside = np.array([system.energy(*x) for x in zip(places, rates, times, given, strict=True)])
        self.mean[r], self.load[r] = weights @ places, weights @ inside[:, 2:]
        self.work[r + 1] = self.work[r] + self.h * (weights @ inside[:, 1])
        end = (r + 1) * self.h
        guess = self.element.end @ change / self.h
        self.v[r + 1] = system.rates(self.q[r + 1], guess, self.p[r + 1], self.carriers, end)
        self.energy[r + 1] = system.energy(self.q[r + 1], self.v[r + 1], end, system.given_at(end))[0]

    def histories(self) -> dict[str, Array]:
        """Results by the names of the schema."""
        check_energies({"hamiltonian": self.energy, "work": self.work}, "simulate", self.h)
        imbalance = self.energy - self.energy[0] - self.work
        kinetic = np.abs(self.p * self.v).sum(axis=1) / 2
        largest = max(float(kinetic.max()), float(np.abs(self.work).max()))
        residual = float(np.abs(imbalance).max()) / largest if largest > 0 else 0.0
        return {
            "displacement": self.q,
            "velocity": self.v,
            "momentum": self.p,
            "mean_displacement": self.mean,
            "load": self.load,
            "iterations": self.iterations,
            "hamiltonian": self.energy,
            "imbalance": imbalance,
            "residual": np.array(residual),
        }


def _size(rows: Array, scale: Array) -> float:
    """Largest residual relative to the terms it is the sum of."""
    return float(np.abs(rows / np.where(scale > 0, scale, 1.0)).max())
