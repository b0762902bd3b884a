"""The end-point problem: position given at both ends. When has it no solution, or infinitely many?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hamex.principle.jets import indices, jet, partial, t
from hamex.principle.stepform import h
from hamex.report.derivation.blocks import math
from hamex.report.derivation.latex import latex
from hamex.report.derivation.system import System
from hamex.report.derivation.tree import Expr, is_field, walk

_ZERO, _HALF = h * 0, h / (2 * h)
OMEGA, KAPPA = h.func("omega", positive=True), h.func("kappa", positive=True)


@dataclass(frozen=True)
class EndPoints:
    """What is known about the end-point problem of a system.

    ``kind``: ``single`` (ω² and decay in symbols), ``free`` (always solvable), ``modes`` (a determinant whose roots are
    the frequencies), ``numbers`` (failing lengths T found with all parameters 1), ``waves`` (a dispersion relation),
    ``first-order``, or ``unknown``.
    """

    kind: str
    square: Expr = None
    decay: Expr = None
    determinant: Expr = None
    failing: tuple[float, ...] = ()
    linearised: bool = False


def frequency(found: EndPoints) -> str:
    """ω² of the one oscillator, in running text."""
    return math(r"\omega^{2} = " + latex(found.square))


@cache
def end_points(system: System) -> EndPoints:
    """Classify the end-point problem of an action, for small motion where it is nonlinear."""
    if not system.lumped:
        return _waves(system)
    M, C, K = (_coefficients(system, (t,) * n) for n in (2, 1, 0))
    if not _at_rest(system):
        return EndPoints("unknown")
    small = not system.linear
    if len(M) == 1:
        return _single(M[0][0], C[0][0], K[0][0], small)
    if any(entry.has(t) for matrix in (M, C, K) for row in matrix for entry in row):
        return EndPoints("unknown")
    if all(entry == 0 for row in C for entry in row) and _det(M) != 0:
        difference = [[k - OMEGA**2 * m for k, m in zip(*pair, strict=True)] for pair in zip(K, M, strict=True)]
        return EndPoints("modes", determinant=_det(difference).factor(), linearised=small)
    return _numbers(M, C, K, small)


def _coefficients(system: System, index: tuple[Any, ...]) -> list[list[Expr]]:
    """∂E_i/∂(∂^index q_j) about rest; of several fields without losses, as Hamilton's principle has none."""
    several = len(system.fields) > 1
    lost = {q: system.action.dissipative_force(q) if several else _ZERO for q in system.fields}
    return [[_rest(system, partial(e - lost[r], q, index)) for q in system.fields]
            for r, e in system.variation.bulk.items()]


def _rest(system: System, expression: Expr) -> Expr:
    """An expression with all fields, and all loads, at zero."""
    functions = {node for node in walk(expression) if is_field(node)}
    for function in functions:
        for index in indices(expression, function)[::-1]:
            expression = expression.xreplace({jet(function, index): _ZERO})
    return expression.doit()


def _at_rest(system: System) -> bool:
    return all(_rest(system, e) == 0 for e in system.variation.bulk.values())


def _single(m: Expr, c: Expr, k: Expr, small: bool) -> EndPoints:
    if m == 0:
        return EndPoints("first-order")
    decay, square = (c / m).cancel(), (k / m).cancel()
    if decay.has(t) or square.has(t):
        return EndPoints("unknown")
    if square == 0:
        return EndPoints("free", decay=decay)
    return EndPoints("single", square=(square - decay**2 / 4).expand(), decay=decay, linearised=small)


def _det(matrix: list[list[Expr]]) -> Expr:
    if len(matrix) == 1:
        return matrix[0][0]
    total = _ZERO
    for j, entry in enumerate(matrix[0]):
        if entry != 0:
            total += (-1) ** j * entry * _det([[*row[:j], *row[j + 1:]] for row in matrix[1:]])
    return total.expand()


def _numbers(M: list[list[Expr]], C: list[list[Expr]], K: list[list[Expr]], small: bool) -> EndPoints:
    """All parameters 1: where is the map from the start rates to the end positions singular?"""
    from scipy.linalg import expm
    from scipy.optimize import minimize_scalar

    mass, damping, stiffness = (
        np.array([[float(e.xreplace({s: _ZERO + 1 for s in e.free_symbols})) for e in row] for row in matrix])
        for matrix in (M, C, K))
    n = len(mass)
    if abs(np.linalg.det(mass)) < 1e-12:
        return EndPoints("unknown")
    flow = np.block([[np.zeros((n, n)), np.eye(n)],
                     [-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, damping)]])

    def reach(T: float) -> float:
        return float(abs(np.linalg.det(expm(flow * T)[:n, n:])))

    step = 0.02
    advance, now, found = expm(flow * step), np.eye(2 * n), [0.0]
    for _ in range(700):
        now = advance @ now
        found.append(float(abs(np.linalg.det(now[:n, n:]))))
    values = np.array(found)
    lows = [i for i in range(2, 700) if values[i] < min(values[i - 1], values[i + 1])]
    failing = []
    for i in lows:
        best = minimize_scalar(reach, bounds=(step * (i - 1), step * (i + 1)), method="bounded",
                               options={"xatol": 1e-10})
        if best.fun < 1e-7 * values[:i + 2].max():
            failing.append(float(best.x))
    return EndPoints("numbers", failing=tuple(failing[:3]), linearised=small)


def _waves(system: System) -> EndPoints:
    """A wave e^{i(κx − ωt)} along the one space coordinate: its determinant is the dispersion relation."""
    if len(system.action.space) != 1 or not system.linear or system.explicit_time:
        return EndPoints("waves")
    i = (_ZERO - 1) ** _HALF
    matrix = []
    for e in system.variation.bulk.values():
        row = []
        for q in system.fields:
            entry = _ZERO
            for index in indices(e, q):
                times = sum(1 for v in index if v == t)
                entry += partial(e, q, index) * (-i * OMEGA) ** times * (i * KAPPA) ** (len(index) - times)
            row.append(entry)
        matrix.append(row)
    return EndPoints("waves", determinant=_det(matrix).factor())
