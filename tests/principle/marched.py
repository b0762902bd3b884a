"""Runs of the stated systems against an independent integrator: DOP853 at 1e-13, on equations from elsewhere."""

import math
from functools import cache

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp
from stated import System
from systems import SYSTEMS

import hamex as hx
from hamex.principle import t

TIGHT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}


class Reference:
    """States of a system's own motion, or q and q̇ of all fields, and how fields and their rates follow from them."""

    def __init__(self, system: System) -> None:
        run = system.run
        assert run is not None
        self.system, self.run = system, run
        if run.motion is not None:
            rates, places = dict(run.motion.rates), dict(run.motion.fields)
            self.start = [run.motion.start[s.name] for s in rates]
        else:
            rates, places = self._from_equations()
            self.start = [run.start.get(s.name, 0.0) for s in rates]
        self.states = list(rates)
        self.fields = list(places)
        speeds = {q: self._rate(e, rates) for q, e in places.items()}
        self.rate = self._compiled(list(rates.values()))
        self.place = self._compiled([places[q] for q in self.fields])
        self.speed = self._compiled([speeds[q] for q in self.fields])

    def _rate(self, e, rates):
        return sp.diff(e, t) + sum((sp.diff(e, s) * r for s, r in rates.items()), sp.S.Zero)

    def _from_equations(self):
        names = [q.func.__name__ for q in self.system.fields]
        q = dict(zip(self.system.fields, sp.symbols(names, real=True), strict=True))
        v = {f: sp.Symbol(f"{f.func.__name__}_dot", real=True) for f in self.system.fields}
        flat = {f.diff(t): v[f] for f in q} | q
        rates = {q[f]: v[f] for f in q}
        for acceleration, e in self.system.solved().items():
            rates[v[acceleration.expr]] = e.xreplace(flat)
        return rates, {f: q[f] for f in q}

    def _compiled(self, expressions):
        clean = [sp.sympify(e) for e in expressions]
        numbers = {s: self.run.numbers[s.name] for e in clean for s in e.free_symbols if s.name in self.run.numbers}
        function = sp.lambdify([t, self.states], [e.subs(numbers) for e in clean], "numpy", cse=True)
        return lambda time, state: np.array(function(time, state), dtype=float)

    def at(self, times):
        """Values of the fields at the given times."""
        found = solve_ivp(self.rate, (0.0, times[-1]), self.start, t_eval=times, **TIGHT)
        assert found.success, found.message
        return np.array([self.place(time, state) for time, state in zip(times, found.y.T, strict=True)])

    def given(self) -> dict[str, float]:
        """What `simulate` is given at the start."""
        values = {}
        for q, place, speed in zip(self.fields, self.place(0.0, self.start), self.speed(0.0, self.start), strict=True):
            values[q.func.__name__], values[f"{q.func.__name__}_dot"] = float(place), float(speed)
        wanted = self.run.data if self.run.data is not None else tuple(values)
        return {name: values[name] for name in wanted}


@cache
def reference(name: str) -> Reference:
    """Built once per process."""
    return Reference(SYSTEMS[name])


@cache
def march(name: str, steps: int, degree: int, jumps: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, places and rates of a run with so many steps."""
    own = reference(name)
    step = own.run.duration / steps
    element = hx.DiscontinuousGalerkin(step, degree) if jumps else hx.Galerkin(step, degree)
    sol = hx.simulate(SYSTEMS[name].action(), own.run.numbers, own.given(), own.run.duration, element)
    return sol.times, sol.values("displacement"), sol.values("velocity")


def error(name: str, steps: int, degree: int, jumps: bool = False, of: str = "moving") -> float:
    """Largest distance from the reference at any node, relative to the largest value of each field.

    ``of``: the moving fields, or the "algebraic" ones, which follow from a relation that is not linear.
    """
    own = reference(name)
    _, places, _ = march(name, steps, degree, jumps)
    exact = own.at(np.linspace(0.0, own.run.duration, steps + 1))
    chosen = [i for i, q in enumerate(own.fields) if (q in own.run.algebraic) == (of == "algebraic")]
    columns = [SYSTEMS[name].fields.index(own.fields[i]) for i in chosen]
    ours, exact = places[:, columns], exact[:, chosen]
    return float((abs(ours - exact).max(axis=0) / np.maximum(abs(exact).max(axis=0), 1e-3)).max())


STEPS = {1: 40, 2: 12, 3: 6}  # of the coarser of two runs
RULES = {2: 5e-3, 3: 1e-4, 4: 5e-5, 5: 1e-7, 6: 5e-8}  # errors at which the leading term rules, by order


def order(name: str, degree: int, jumps: bool = False, of: str = "moving") -> tuple[float, float]:
    """Measured order between two runs, and the error of the finer one.

    Steps that are too long for the leading term of the error to rule are halved.
    """
    steps = STEPS[degree]
    errors = [error(name, steps, degree, jumps, of), error(name, 2 * steps, degree, jumps, of)]
    while of == "moving" and errors[-1] > RULES[2 * degree + jumps]:
        steps *= 2
        errors.append(error(name, 2 * steps, degree, jumps, of))
    return math.log2(errors[-2] / errors[-1]), errors[-1]


def drifts(name: str, degree: int) -> dict[str, float]:
    """How far the known charges, H and the relations move in a run, relative to their size along it."""
    system = SYSTEMS[name]
    own = reference(name)
    times, places, rates = march(name, 2 * STEPS[degree], degree)
    moving = [q for q in system.fields if q in own.fields]
    columns = [system.fields.index(q) for q in moving]
    symbols = {q.diff(t): sp.Dummy() for q in moving} | {q: sp.Dummy() for q in moving}
    numbers = {s: own.run.numbers[s.name] for s in _symbols(system) if s.name in own.run.numbers}
    values = [*rates[:, columns].T, *places[:, columns].T]
    found = {}
    for kind, expressions in (("charge", system.charges), ("relation", system.relations)):
        for expression in expressions:
            plain = sp.sympify(expression).doit().subs(numbers).xreplace(symbols)
            if plain.atoms(sp.Derivative) or not plain.free_symbols <= {t, *symbols.values()}:
                continue  # a multiplier's
            history = np.broadcast_to(sp.lambdify([t, *symbols.values()], plain)(times, *values), times.shape)
            size = max(1.0, abs(history).max())
            found[f"{kind}: {expression}"] = float(abs(history - (history[0] if kind == "charge" else 0)).max() / size)
    return found


def _symbols(system: System):
    return set().union(*(sp.sympify(e).free_symbols for e in (*system.charges, *system.relations, system.lagrangian)))
