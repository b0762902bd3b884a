"""The start of a run: values, rates and momenta at t = 0, completed from those that were given.

What is given is kept. What is not given is zero, unless a relation of the action (:meth:`hamex.Action.data`) says
otherwise: then as few numbers as the relations need are computed from the others, by Newton's method at machine
precision, those first that the analysis calls determined. A start that breaks a relation is refused with the relation,
one that leaves a choice with the choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite
from hamex.errors import ProblemError
from hamex.principle.action import Action
from hamex.principle.numeric import StartFunctions, start_functions
from hamex.simulate.system import ITERATIONS, NumericAction

Array = NDArray[Any]
_KEPT = 1e-9  # of the terms of a relation: what a start that was typed may leave
_STARTS, _APART = 16, 1e-6  # guesses of Newton's method, and the distance of two different solutions
_TROUBLE = (ZeroDivisionError, OverflowError, ValueError)


def start_values(
    action: Action, system: NumericAction, start: Mapping[str, float], near: Mapping[str, float]
) -> tuple[Array, Array, Array]:
    """Values, rates and momenta at t = 0; of several that fit, those nearest to what ``near`` says."""
    f, n = system.f, system.n
    _check(action, system, start)
    _check_near(system, near)
    q = np.array([start.get(name, 0.0) for name in f.fields], dtype=float)
    v = np.array([start.get(f"{name}_dot", 0.0) for name in f.fields], dtype=float)
    p = np.array([start.get(f"P_{name}", 0.0) for name in f.fields], dtype=float)
    chosen = np.array([f"P_{name}" in start for name in f.fields])
    relations = start_functions(action)
    if relations is not None:
        q, v = _Completion(relations, system, start, near).values()
    at_rest = system.call(f.momenta, q, np.zeros(n), 0.0, system.given_at(0.0))[:n]
    follows = {str(node) for node in action.data().determined}
    for i, name in enumerate(f.fields):
        stated = chosen[i] or f"{name}_dot" in start or f"Derivative({name}(t), t)" in follows
        if f.gauges[i] and at_rest[i] != 0 and not stated:
            raise ProblemError(
                f"simulate: say how {name} starts: its momentum is {at_rest[i]:g} when its rate is zero."
                f" Give P_{name} (0 for a spring without slip) or {name}_dot"
            )
    if chosen.any() and relations is None:
        v = system.rates(q, v, p, chosen, 0.0)
    computed = system.call(f.momenta, q, v, 0.0, system.given_at(0.0))[:n]
    return q, v, np.where(chosen, p, computed)


def _check(action: Action, system: NumericAction, start: Mapping[str, float]) -> None:
    f = system.f
    known = {key for name in f.fields for key in (name, f"{name}_dot", f"P_{name}")}
    for key, value in start.items():
        if key not in known:
            raise ProblemError(
                f"simulate: the start holds {key!r}; known: "
                f"{', '.join(f'{name}, {name}_dot, P_{name}' for name in f.fields)}"
            )
        if not is_finite(value):
            raise ProblemError(f"simulate: {key} must be a finite number at the start, got {value!r}")
    for i, name in enumerate(f.fields):
        if f"P_{name}" in start and f"{name}_dot" in start:
            raise ProblemError(f"simulate: {name} starts with a rate and a momentum; one gives the other")
        if not f.carriers[i] and (f"P_{name}" in start or f"{name}_dot" in start):
            raise ProblemError(f"simulate: {name} has no momentum; the principle accepts only its value at the start")
    loose = [str(q.func.__name__) for q in action.data().arbitrary]
    if loose:
        raise ProblemError(
            f"simulate: nothing determines {', '.join(loose)}: the action leaves an arbitrary function of time. "
            "State what it should be, as in constraints=(…,), or give it an energy"
        )


def _check_near(system: NumericAction, near: Mapping[str, float]) -> None:
    known = [key for name in system.f.fields for key in (name, f"{name}_dot")]
    for key, value in near.items():
        if key not in known:
            raise ProblemError(f"simulate: near holds {key!r:.40}; it may hold {', '.join(known)}")
        if not is_finite(value):
            raise ProblemError(f"simulate: {key} in near must be a finite number, got {value!r:.40}")


class _Completion:
    """Newton's method for what the relations and the given momenta determine."""

    def __init__(
        self, f: StartFunctions, system: NumericAction, start: Mapping[str, float], near: Mapping[str, float]
    ) -> None:
        self.f, self.system, self.start = f, system, start
        self.near = {f.coordinates.index(name): float(value) for name, value in near.items() if name not in start}
        self.held = np.array([name in start for name in f.coordinates])
        self.x = np.array([float(start.get(name, 0.0)) for name in f.coordinates])
        numbers = [system.numbers[name] for name in f.parameters]
        self.more = [0.0, *(self._given(name, order) for name, order in f.given), *numbers]
        self.rows = [*range(len(f.relations))]
        self.rows += [len(f.relations) + i for i, name in enumerate(f.momenta) if f"P_{name}" in start]
        wanted = [start[f"P_{name}"] for name in f.momenta if f"P_{name}" in start]
        self.wanted = np.array([*([0.0] * len(f.relations)), *wanted])

    def _given(self, name: str, order: int) -> float:
        """A given function of time at the start, or its derivative: by differences, from t = 0 on."""
        place = self.system.f.given.index(name)
        if order == 0:
            return self.system.given_at(0.0)[place]
        if not callable(self.system.given[place]):
            return 0.0
        spacing = self.system.step * (0.05 if order == 1 else 0.1)
        values = [self.system.given_at(k * spacing)[place] for k in range(7)]
        return float(np.polynomial.Polynomial.fit(np.arange(7.0), values, 6).deriv(order)(0.0) / spacing**order)

    def rest(self, x: Array) -> Array:
        found = self.f.rest(*x.tolist(), *self.more)
        return np.array([float(found[i]) for i in self.rows]) - self.wanted

    def slopes(self, x: Array) -> Array:
        found = np.array(self.f.slopes(*x.tolist(), *self.more), dtype=float)
        return found.reshape(-1, len(x))[self.rows]

    def values(self) -> tuple[Array, Array]:
        n, system = self.system.n, self.system
        x = self._solved()
        places = [self.f.coordinates.index(name) for name in system.f.fields]
        rates = [self.f.coordinates.index(f"{name}_dot") for name in system.f.fields]
        return x[places].reshape(n), x[rates].reshape(n)

    def _solved(self) -> Array:
        source = np.random.default_rng(1)
        size = max(1.0, float(np.abs(self.x).max()))

        def guess(spread: float) -> Array:
            return np.where(self.held, self.x, self.x + spread * size * source.standard_normal(len(self.x)))

        near = guess(0.3)
        moved = self._dependent(near)
        one, other = self._safely(self.slopes, near), self._safely(self.slopes, guess(1.0))
        linear = one is not None and other is not None and np.allclose(one[:, moved], other[:, moved], 1e-12, 0)
        found: list[Array] = []
        best: Array | None = None
        for k in range(1 if linear else _STARTS):
            trial = self._newton(np.where(np.isin(np.arange(len(self.x)), moved), guess(float(k)), self.x), moved)
            if trial is None:
                continue
            if self._gap(trial).max() > _KEPT:
                best = trial if best is None or self._gap(trial).max() < self._gap(best).max() else best
            elif not any(np.abs(trial - other).max() <= _APART * size for other in found):
                found.append(trial)
        if not found:
            raise self._broken(self.x if best is None else best, moved)
        if len(found) > 1 and self.near:
            apart = [sum((x[i] - value) ** 2 for i, value in self.near.items()) for x in found]
            if sorted(apart)[1] > (1 + _APART) * min(apart):
                found = [found[int(np.argmin(apart))]]
        if len(found) > 1:
            raise self._several(found, moved)
        if moved and np.linalg.matrix_rank(self.slopes(found[0])[:, moved], tol=1e-8) < len(moved):
            raise self._several(found, moved)
        return found[0]

    def _safely(self, function: Any, x: Array) -> Array | None:
        try:
            values: Array = function(x)
        except _TROUBLE:
            return None
        return values if np.all(np.isfinite(values)) else None

    def _dependent(self, x: Array) -> list[int]:
        """As few coordinates as the relations need, none of the given, in the order of the analysis."""
        matrix = self._safely(self.slopes, x)
        if matrix is None:
            raise ProblemError("simulate: the relations of the start cannot be evaluated near what was given")
        scale = np.abs(matrix).max(axis=1, keepdims=True)
        left = matrix / np.where(scale > 0, scale, 1.0)
        # A given momentum speaks for the rate of its field before it speaks for anything else.
        first = [self.f.coordinates.index(f"{k[2:]}_dot") for k in self.start if k.startswith("P_")]
        chosen = []
        for column in dict.fromkeys([*first, *self.f.order]):
            if self.held[column] or not left.size:
                continue
            row = int(np.abs(left[:, column]).argmax())
            if abs(left[row, column]) < 1e-9:
                continue
            chosen.append(column)
            left = left - np.outer(left[:, column] / left[row, column], left[row])
            left = np.delete(left, row, axis=0)
        return chosen

    def _newton(self, x: Array, moved: list[int]) -> Array | None:
        x = x.copy()
        for _ in range(ITERATIONS if moved else 0):
            rest, slopes = self._safely(self.rest, x), self._safely(self.slopes, x)
            if rest is None or slopes is None:
                return None
            change = np.linalg.lstsq(slopes[:, moved], rest, rcond=1e-13)[0]
            x[moved] -= change
            if np.abs(change).max() <= 1e-15 * max(1e-300, float(np.abs(x[moved]).max())):
                break
        x[np.abs(x) < 1e-20 * np.abs(x).max()] = 0.0  # round-off of zero
        return x if self._safely(self.rest, x) is not None else None

    def _gap(self, x: Array) -> Array:
        """Residuals relative to the terms they are the sums of."""
        still = self._safely(self.rest, np.zeros_like(x))
        least = 1e-6 * np.abs(x).max()  # what is zero but for round-off is compared with the others
        terms = np.abs(self.slopes(x)) @ np.maximum(np.abs(x), least) + (0.0 if still is None else np.abs(still))
        return np.abs(self.rest(x)) / np.where(terms > 0, terms, 1.0)

    def _broken(self, x: Array, moved: list[int]) -> ProblemError:
        """Contradictory: the relation that is left open most, with the numbers in it."""
        worst = int(self._gap(x).argmax())
        value = self.rest(x)[worst]
        acting = [
            f"{name} = {x[i]:.6g}"
            for i, name in enumerate(self.f.coordinates)
            if self.slopes(x)[worst, i] or self.held[i]
        ]
        if worst >= len(self.f.relations):
            name = self.f.momenta[self.rows[worst] - len(self.f.relations)]
            said = f"P_{name} = {self.start[f'P_{name}']:g}"
            return ProblemError(
                f"simulate: the start contradicts itself: {said} is off by {abs(value):.3g} with {', '.join(acting)}"
            )
        return ProblemError(
            f"simulate: the start breaks the relation {self.f.relations[worst]} = 0 ({self.f.origins[worst]}): it is "
            f"{value:.3g} there, with {', '.join(acting)}. Give fewer of them, and the others follow"
        )

    def _several(self, found: list[Array], moved: list[int]) -> ProblemError:
        """Ambiguous: what differs between the solutions is what to give."""
        spread = np.ptp(np.array(found), axis=0)
        names = [self.f.coordinates[i] for i in moved if len(found) == 1 or spread[i] > _APART]
        own = [n for n in names if n in self.system.f.fields] or names
        if len(found) == 1:
            return ProblemError(
                f"simulate: the start is singular: its relations do not determine {', '.join(own)} there. "
                f"Give {' and '.join(own)}"
            )
        shown = " or ".join(
            "(" + ", ".join(f"{n} = {x[self.f.coordinates.index(n)]:.6g}" for n in own) + ")" for x in found[:4]
        )
        return ProblemError(f"simulate: several starts fit: {shown}. Give {own[0]} as well, or near={{{own[0]!r}: …}}")
