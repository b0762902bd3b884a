"""An action with numbers in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite
from hamex.errors import LoadError, ProblemError
from hamex.principle.numeric import Functions

Array = NDArray[Any]
Parameters = Mapping[str, float | Callable[[float], float]]
ITERATIONS = 50  # of Newton's method


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
