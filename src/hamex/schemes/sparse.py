"""The matrix of a step as a sparse one, factored by SuperLU: for structures whose band would be too wide.

For one stage it answers the same two calls as :mod:`hamex.march.matrices`, for several the same call as
:mod:`hamex.march.matrices`; the step makes them without knowing which it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.schemes.stage_system import StageSystem
from hamex.schemes.structure import Assembly

Array = NDArray[Any]


class SparseMatrix:
    """base + Σ share·T in compressed columns with a fixed pattern, and its factors."""

    def __init__(self, assembly: Assembly, low_weight: Array) -> None:
        from scipy import sparse

        n = assembly.S.shape[0]
        S = sparse.coo_array(assembly.S)
        # Contributions below the diagonal stand for their mirror images too.
        off = assembly.row != assembly.column
        row = np.concatenate([S.row, assembly.row, assembly.column[off]])
        column = np.concatenate([S.col, assembly.column, assembly.row[off]])
        key = column.astype(np.int64) * n + row
        places, target = np.unique(key, return_inverse=True)
        self.indices = (places % n).astype(np.int32)
        self.indptr = np.concatenate([[0], np.cumsum(np.bincount(places // n, minlength=n))]).astype(np.int32)
        stored = S.row.size
        self.base = np.bincount(target[:stored], weights=S.data, minlength=places.size)
        self.target = target[stored:]
        self.source = np.concatenate([assembly.source, assembly.source[off]])
        self.share = np.concatenate([assembly.share, assembly.share[off]])
        self.shape = (n, n)
        self.low, self.low_weight = assembly.low, low_weight
        self.factors: Any = None


def factorise(matrix: SparseMatrix, T: Array) -> int:
    """Assemble and factor; returns 0, or 1 + the row whose pivot is not positive."""
    from scipy.linalg import cho_factor
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    data = matrix.base + np.bincount(matrix.target, weights=matrix.share * T[matrix.source], minlength=len(matrix.base))
    full = csc_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    try:
        # Diagonal pivots in a symmetric order: positive definite matrices need no others.
        lu = splu(full, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:
        return 1
    pivots = lu.U.diagonal()
    code = 0 if np.all(pivots > 0) else 1 + int(np.flatnonzero(lu.perm_c == int(np.argmin(pivots)))[0])
    matrix.factors = (lu, None, None)
    if code:
        return code
    spread = cap = None
    if matrix.low.shape[1]:
        spread = lu.solve(matrix.low)
        cap = cho_factor(np.diag(1 / matrix.low_weight) + matrix.low.T @ spread)
    matrix.factors = (lu, spread, cap)
    return 0


def backsolve(matrix: SparseMatrix, x: Array, small: Array) -> int:
    """x ← A⁻¹ x with the low-rank part."""
    from scipy.linalg import cho_solve

    lu, spread, cap = matrix.factors
    x[:] = lu.solve(x)
    if spread is not None:
        x -= spread @ cho_solve(cap, matrix.low.T @ x)
    return 0


class SparseLU:
    """base + Σ share·tangent in compressed columns with a fixed pattern, its factors, and a low-rank part."""

    def __init__(self, system: StageSystem) -> None:
        n, base = system.base.shape[0], system.base.tocoo()
        key = np.concatenate([base.col, system.column]).astype(np.int64) * n + np.concatenate([base.row, system.row])
        places, target = np.unique(key, return_inverse=True)
        self.indices = (places % n).astype(np.int32)
        self.indptr = np.concatenate([[0], np.cumsum(np.bincount(places // n, minlength=n))]).astype(np.int32)
        self.base = np.bincount(target[: base.nnz], weights=base.data, minlength=places.size)
        self.target, self.source, self.share = target[base.nnz :], system.source, system.share
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
    data = matrix.base + np.bincount(
        matrix.target, weights=matrix.share * tangents[matrix.source], minlength=len(matrix.base)
    )
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
