"""System: the matrices and law parameters that results are computed from, plain or sparse."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Matrix = Any     # a NumPy array or a SciPy sparse array


@dataclass(frozen=True, eq=False)
class System:
    """Matrices by name, and the laws with one entry per spring (zeros where a spring has no such parameter).

    ``yield_force`` is infinite for elastic springs; ``blocked`` marks springs that yield together on a surface;
    ``damping`` is a matrix plus ``shapes · diag(weights) · shapesᵀ``.
    """

    mass: Matrix
    damping: Matrix
    shapes: Array
    weights: Array
    stiffness: Matrix
    flexibility: Matrix
    compatibility: Matrix
    yield_force: Array
    viscosity: Array
    kinematic: Array
    isotropic: Array
    coefficient: Array
    exponent: Array
    blocked: Array

    def deformation(self, u: Array) -> Array:
        """Bᵀu, row by row."""
        return rows(u, self.compatibility)

    def velocity(self, p: Array) -> Array:
        """M⁻¹p, row by row; zero where a dof has no mass."""
        return solved(self.mass, p)

    def force(self, elastic: Array) -> Array:
        """A⁻¹ times elastic deformations, row by row."""
        return solved(self.flexibility, elastic)

    def damping_force(self, rate: Array) -> Array:
        """C times rates, row by row."""
        return np.asarray(rows(rate, self.damping) + ((rate @ self.shapes) * self.weights) @ self.shapes.T)

    def damping_power(self, rate: Array) -> Array:
        """rateᵀ C rate, row by row."""
        return quadratic(rate, self.damping) + ((rate @ self.shapes) ** 2 @ self.weights)

    @cached_property
    def massless(self) -> Array:
        """True for dofs without mass."""
        return np.asarray(diagonal(self.mass) == 0)


def rows(x: Array, matrix: Matrix) -> Array:
    """x @ matrix for a plain x with one vector per row."""
    return x @ matrix if isinstance(matrix, np.ndarray) else np.asarray((matrix.T @ x.T).T)


def quadratic(x: Array, matrix: Matrix) -> Array:
    """xᵀ matrix x, row by row."""
    return np.asarray((rows(x, matrix) * x).sum(axis=-1))


def diagonal(matrix: Matrix) -> Array:
    """The diagonal of a plain or sparse matrix."""
    return np.asarray(np.diagonal(matrix) if isinstance(matrix, np.ndarray) else matrix.diagonal())


def solved(matrix: Matrix, x: Array) -> Array:
    """matrix⁻¹ x, row by row; a row and column of zeros gives zero."""
    main = diagonal(matrix)
    stored = np.count_nonzero(matrix) if isinstance(matrix, np.ndarray) else int((matrix.data != 0).sum())
    if stored == np.count_nonzero(main):     # diagonal
        return np.divide(x, main, out=np.zeros_like(x), where=main != 0)
    held = np.flatnonzero(main)
    out = np.zeros_like(x)
    if isinstance(matrix, np.ndarray):
        out[..., held] = np.linalg.solve(matrix[np.ix_(held, held)], x[..., held].T).T
    else:
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        out[..., held] = splu(csc_array(matrix[held][:, held])).solve(np.ascontiguousarray(x[..., held].T)).T
    return out
