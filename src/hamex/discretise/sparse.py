"""The matrix of a step as a sparse one, factored by SuperLU: for structures whose band would be too wide.

It answers the same two calls as :mod:`hamex.march.band`, which the Newton step makes without knowing which it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.assembly import Assembly

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
