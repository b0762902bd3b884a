"""Products and solutions with matrices that are plain or sparse, one vector per row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Matrix = Any  # a NumPy array or a SciPy sparse array


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
    if stored == np.count_nonzero(main):  # diagonal
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
