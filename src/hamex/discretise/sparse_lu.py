"""The matrix of a step of several stages as a sparse one, factored by SuperLU: where its band would be too wide.

It answers the same call as :mod:`hamex.march.lu`, which the step makes without knowing which it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.stage_system import System

Array = NDArray[Any]


class SparseLU:
    """base + Σ share·tangent in compressed columns with a fixed pattern, its factors, and a low-rank part."""

    def __init__(self, system: System) -> None:
        n, base = system.base.shape[0], system.base.tocoo()
        key = np.concatenate([base.col, system.column]).astype(np.int64) * n + np.concatenate([base.row, system.row])
        places, target = np.unique(key, return_inverse=True)
        self.indices = (places % n).astype(np.int32)
        self.indptr = np.concatenate([[0], np.cumsum(np.bincount(places // n, minlength=n))]).astype(np.int32)
        self.base = np.bincount(target[:base.nnz], weights=base.data, minlength=places.size)
        self.target, self.source, self.share = target[base.nnz:], system.source, system.share
        self.shape = (n, n)
        self.U, self.inner = system.low_rank()
        self.factors: Any = None


def lu_solved(matrix: SparseLU, tangents: Array, fresh: bool, x: Array, small: Array) -> float:
    """x ← A⁻¹ x, with new factors where the tangents are ``fresh``; returns 0, or 1 when the matrix is singular."""
    if fresh and not lu_factorise(matrix, tangents):
        return 1.0
    lu_backsolve(matrix, x)
    return 0.0


def lu_factorise(matrix: SparseLU, tangents: Array) -> bool:
    """Assemble and factor; False when the matrix is singular."""
    from scipy.linalg import lu_factor
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    if not np.all(np.isfinite(tangents)):
        return False
    data = matrix.base + np.bincount(matrix.target, weights=matrix.share * tangents[matrix.source],
                                     minlength=len(matrix.base))
    try:
        lu = splu(csc_array((data, matrix.indices, matrix.indptr), shape=matrix.shape), permc_spec="COLAMD")
    except RuntimeError:
        return False
    spread = cap = None
    if len(matrix.U):
        spread = lu.solve(np.ascontiguousarray(matrix.U.T))
        cap = lu_factor(matrix.inner + matrix.U @ spread)
    matrix.factors = (lu, spread, cap)
    return True


def lu_backsolve(matrix: SparseLU, x: Array) -> None:
    """x ← A⁻¹ x with the low-rank part."""
    from scipy.linalg import lu_solve

    lu, spread, cap = matrix.factors
    x[:] = lu.solve(x)
    if spread is not None:
        x -= spread @ lu_solve(cap, matrix.U @ x)
