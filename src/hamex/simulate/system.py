"""An action with numbers in it, and the elements in time over which it is asked.

An element is what a step's polynomials are at the points where the action is asked.

Continuous elements of degree s: trial functions of degree s through the start, s Gauss points; fields without momentum
are tested with degree s − 1. Order 2s.

Elements with jumps, of degree s: with the lifted rates of :mod:`hamex.principle.stepform` the rate at the s + 1 right
Radau points is the slope of the polynomial of degree s + 1 through the old value and the values at the points, and by
parts the momentum follows the same rule. The step is the Radau IIA method for places and momenta alike, order 2s + 1,
and hands over the momentum of its last point, the end. Its arrays differ from those of the continuous element; nothing
else does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite
from hamex.errors import LoadError, ProblemError
from hamex.principle.numeric import Functions, Ledger

Array = NDArray[Any]
Parameters = Mapping[str, float | Callable[[float], float]]
ITERATIONS = 50  # of Newton's method


class NumericAction:
    """An action with numbers: functions of (q, q̇, t) alone."""

    def __init__(self, f: Functions, parameters: Parameters, step: float, ledger: Ledger | None = None) -> None:
        self.ledger = ledger
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
        self.offsets = np.zeros(len(f.held))

    def start_bonds(self, q: Array) -> None:
        """Take the constants of constraints in rates that are those of a place from the start."""
        here = self.bonds(q, 0.0, self.given_at(0.0))[:, -1]
        self.offsets = np.where(self.f.floating, here, 0.0)

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

    def energy(self, q: Array, v: Array, time: float, given: list[float], r: Array) -> Array:
        """H, power, loads, with the friction r of the contacts."""
        return self.call(self.f.energy, q, v, time, given, *self.rates_of_given(time, given), *r.tolist())

    def rates_of_given(self, time: float, given: list[float]) -> list[float]:
        """Slopes of the given functions, by differences, where they are needed."""
        if not self.f.explicit:
            return [0.0] * len(given)
        e = 1e-4 * self.step
        return list(((np.array(self.given_at(time + e)) - self.given_at(time - e)) / (2 * e)).tolist())

    def bonds(self, q: Array, time: float, given: list[float]) -> Array:
        """A, b and g of the constraints, a row for each; a constant that only the start knows is taken from g."""
        found = self.call(self.f.bonds, q, q, time, given, *self.rates_of_given(time, given))
        found = found.reshape(len(self.f.held), self.n + 2)
        found[:, -1] -= self.offsets
        return found

    def bends(
        self, q: Array, time: float, given: list[float], forces: Array, v: Array | None = None
    ) -> tuple[Array, Array]:
        """Slopes by the fields of the reactions Aᵀλ and of the rates A q̇ + b."""
        more = *self.rates_of_given(time, given), *forces.tolist()
        found = self.call(self.f.bends, q, q if v is None else v, time, given, *more).reshape(-1, self.n)
        return found[: self.n], found[self.n :]

    def charges(self, q: Array, v: Array, time: float) -> Array:
        """Every charge in the ledger."""
        return np.zeros(0) if self.ledger is None else self.call(self.ledger.values, q, v, time, self.given_at(time))

    def sources(self, q: Array, v: Array, time: float, given: list[float], G: Array) -> Array:
        """Rate of every charge: the work of loads, dissipation and friction, −(G + L_q), on its change of fields."""
        if self.ledger is None:
            return np.zeros(0)
        found, n, m = self.call(self.ledger.changes, q, v, time, given), self.n, len(self.ledger.names)
        return found[n * m + n :] - found[: n * m].reshape(m, n) @ (G + found[n * m : n * m + n])

    def rates(self, q: Array, guess: Array, p: Array, chosen: Array, time: float) -> Array:
        """The rates that belong to given momenta of the chosen fields, the other rates held."""
        v, given = guess.copy(), self.given_at(time)
        for _ in range(ITERATIONS):
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


@dataclass(frozen=True, eq=False)
class StepElement:
    """Polynomials on [0, 1] at the points of a rule; rows are points.

    Attributes
    ----------
    points, weights : of the rule.
    N, D : values and slopes of the trial functions of the new nodes.
    nodes : where they sit.
    test, slope : values and slopes of the tests, times the weights, for each field; what the end of the step hands on
        within the rows is taken from the slopes.
    first : values of the tests at the start, where they meet the old momentum.
    last, last_slope : the row that yields the new momentum, last_slope·P − h last·G.
    end : slopes of the trial functions at the end.
    start : weights with which values at the points make up the value behind the jump; empty without jumps.
    """

    points: Array
    weights: Array
    N: Array
    D: Array
    nodes: Array
    test: Array
    slope: Array
    first: Array
    last: Array
    last_slope: Array
    end: Array
    start: Array

    @property
    def jumps(self) -> bool:
        """True for elements that jump at the start of a step."""
        return self.start.size > 0


def gauss_element(s: int, carriers: Array) -> StepElement:
    """The continuous element of degree s; ``carriers`` tells which fields have a momentum."""
    points, weights = np.polynomial.legendre.leggauss(s)
    points, weights = (points + 1) / 2, weights / 2
    nodes = np.linspace(0, 1, s + 1)
    N, D = lagrange(nodes, points)
    fewer = lagrange(np.linspace(0, 1, s) if s > 1 else np.zeros(1), points)
    test, slope = (
        np.where(carriers, full[:, :s, None], less[:, :, None]) * weights[:, None, None]
        for full, less in zip((N, D), fewer, strict=True)
    )
    return StepElement(
        points=points,
        weights=weights,
        N=N[:, 1:],
        D=D[:, 1:],
        nodes=np.arange(1, s + 1) / s,
        test=test,
        slope=slope,
        first=np.eye(s)[0],
        last=weights * N[:, -1],
        last_slope=weights * D[:, -1],
        end=lagrange(nodes, np.ones(1))[1][0, 1:],
        start=np.zeros(0),
    )


def radau_element(s: int, carriers: Array) -> StepElement:
    """The element of degree s with a jump at its start, its nodes the s + 1 right Radau points."""
    points, weights = radau_rule(s + 1)
    slopes = lagrange(points, points)[1]
    D = lagrange(np.concatenate([[0.0], points]), points)[1][:, 1:]
    unit = np.eye(s + 1)
    handed = np.outer(unit[-1], unit[-1])  # + P(t_r) δq(t_r), the bracket at the end
    first = lagrange(points, np.zeros(1))[0][0]
    every = np.ones(len(carriers))
    return StepElement(
        points=points,
        weights=weights,
        N=unit,
        D=D,
        nodes=points,
        test=(unit * weights[:, None])[:, :, None] * every,
        slope=(slopes * weights[:, None] - handed)[:, :, None] * every,
        first=first,
        last=np.zeros(s + 1),
        last_slope=unit[-1],
        end=D[-1],
        start=first,
    )


def radau_rule(points: int) -> tuple[Array, Array]:
    """Right Radau points and weights on [0, 1]: the end of the step, and the roots of P_n − P_{n−1} inside."""
    legendre = np.polynomial.legendre
    series = legendre.Legendre([0.0] * (points - 1) + [-1.0, 1.0])
    inside = np.sort(series.roots().real)[:-1]
    for _ in range(2):  # the eigenvalues that NumPy starts from are good to ten digits or so
        inside = inside - series(inside) / series.deriv()(inside)
    x = np.append(inside, 1.0)
    # Exact for P_0 … P_{n−1}: ∫P_0 = 2, ∫P_k = 0.
    weights = np.linalg.solve(legendre.legvander(x, points - 1).T, 2.0 * np.eye(points)[0])
    return (x + 1) / 2, weights / 2


def lobatto_rule(points: int) -> tuple[Array, Array]:
    """Lobatto points and weights on [0, 1]: both ends, and the roots of P′_{n−1} inside."""
    legendre = np.polynomial.legendre
    series = legendre.Legendre.basis(points - 1).deriv()
    inside = np.sort(series.roots().real)
    for _ in range(2):
        inside = inside - series(inside) / series.deriv()(inside)
    x = np.concatenate([[-1.0], inside, [1.0]])
    weights = np.linalg.solve(legendre.legvander(x, points - 1).T, 2.0 * np.eye(points)[0])
    return (x + 1) / 2, weights / 2


def lagrange(nodes: Array, places: Array) -> tuple[Array, Array]:
    """Values and slopes of the Lagrange polynomials through the nodes."""
    values, slopes = [], []
    for i, node in enumerate(nodes):
        others = np.delete(nodes, i)
        polynomial = np.polynomial.Polynomial.fromroots(others) if len(others) else np.polynomial.Polynomial([1.0])
        values.append(polynomial(places) / np.prod(node - others))
        slopes.append(polynomial.deriv()(places) / np.prod(node - others))
    return np.array(values).T, np.array(slopes).T
