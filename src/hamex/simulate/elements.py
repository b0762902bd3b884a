"""Elements in time for any action: what a step's polynomials are at the points where the action is asked.

Continuous elements of degree s: trial functions of degree s through the start, s Gauss points; fields without momentum
are tested with degree s − 1. Order 2s.

Elements with jumps, of degree s: with the lifted rates of :mod:`hamex.principle.stepform` the rate at the s + 1 right
Radau points is the slope of the polynomial of degree s + 1 through the old value and the values at the points, and by
parts the momentum follows the same rule. The step is the Radau IIA method for places and momenta alike, order 2s + 1,
and hands over the momentum of its last point, the end. Its arrays differ from those of the continuous element; nothing
else does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


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
