"""Runge-Kutta tables (A, b, c) by what defines them: a time element, a split of the step, or printed numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise._elements import Element

Array = NDArray[Any]
ThreeArrays = tuple[Array, Array, Array]


def element(table: Element) -> ThreeArrays:
    """A derived time element as a table."""
    return np.array(table.matrix), np.array(table.weights), np.array(table.nodes)


def composite(split: float, rho: float = 0.0) -> ThreeArrays:
    """Trapezoidal rule up to ``split``·h, then three points that leave the share ``rho`` of the fastest motion.

    split = 1/2, rho = 0: Bathe; split = 2 − √2, rho = 0: TR-BDF2; rho > 0: the ρ∞-Bathe method.
    """
    middle = (1 + rho) / (2 * split * (rho - 1) + 4)
    first, last = (split - 1) * middle + 0.5, 0.5 - split * middle
    A = np.array([[0.0, 0.0, 0.0], [split / 2, split / 2, 0.0], [first, middle, last]])
    return A, A[2].copy(), np.array([0.0, split, 1.0])


def equal_parts(rho: float) -> float:
    """The split for which both parts of a composite step have the same effective stiffness; 2 − √2 at ``rho`` = 0."""
    return (2 - math.sqrt(2 + 2 * rho)) / (1 - rho) if rho < 1 else 0.5


def runge_kutta_4() -> ThreeArrays:
    """The classical explicit table of Kutta (1901)."""
    A = np.zeros((4, 4))
    A[1, 0], A[2, 1], A[3, 2] = 0.5, 0.5, 1.0
    return A, np.array([1, 2, 2, 1]) / 6, np.array([0.0, 0.5, 0.5, 1.0])
