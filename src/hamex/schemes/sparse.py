"""The matrix of a step as a sparse one, factored by SuperLU: for structures whose band would be too wide.

For one stage it answers the same two calls as :mod:`hamex.march.matrices`, for several the same call as
:mod:`hamex.march.matrices`; the step makes them without knowing which it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.march.cells import laid, scattered
from hamex.march.run import compiled
from hamex.schemes.cells import CellDofs
from hamex.schemes.ordering import dissected
from hamex.schemes.stage_system import StageSystem
from hamex.schemes.structure import Assembly, OneStage

Array = NDArray[Any]


class SparseMatrix:
    """S + Σ B T Bᵀ in compressed columns with a fixed pattern, and its factors.

    ``elastic`` are the tangents of a model at rest; ``places`` are coordinates of the dofs, by which they are ordered:
    without them SuperLU orders by degrees. ``certain``: the matrix is positive definite, and
    its pivots need not be looked at.
    """

    def __init__(
        self,
        stage: OneStage,
        assembly: Assembly,
        cells: CellDofs | None,
        elastic: Array,
        places: Array | None = None,
        certain: bool = False,
    ) -> None:
        from scipy import sparse

        S = stage.matrix
        n = S.shape[0]
        pattern = S if cells is None else _union(S, cells.pattern(n))
        self.order = None if places is None else dissected(pattern, places)
        rank = np.arange(n)
        if self.order is not None:
            rank[self.order] = np.arange(n)
        S = sparse.csr_array(S if self.order is None else S[self.order][:, self.order])
        S.sort_indices()  # symmetric, so that its rows are its columns
        self.cells = None
        if cells is None:
            self.indptr, self.indices, self.base = S.indptr, S.indices, S.data
        else:
            moved = replace(cells, dofs=rank[cells.dofs])
            whole = _union(S, moved.pattern(n))
            whole.sort_indices()
            self.indptr, self.indices, self.base = whole.indptr, whole.indices, np.zeros(len(whole.indices))
            compiled(laid)(whole.indptr, whole.indices, S.indptr, S.indices, S.data, self.base)
            table, place = moved.placed(whole.indptr, whole.indices)
            self.cells = cells.kernel(assembly.B, table, place, stage.weight * stage.reach, elastic, self.base)
        self.shape = (n, n)
        self.low, self.low_weight = assembly.low, stage.low_weight
        self.certain = certain
        self.factors: Any = None

    def assembled(self, T: Array) -> Any:
        """The matrix at some tangents, in the order of elimination."""
        from scipy.sparse import csc_array

        data = self.base
        if self.cells is not None:
            data = self.base.copy()
            compiled(scattered)(self.cells, T, data)
        return csc_array((data, self.indices, self.indptr), shape=self.shape)

    def diagonal(self, T: Array) -> Array:
        """(dof,), that of the matrix at some tangents."""
        found = self.assembled(T).diagonal()
        if self.order is None:
            return np.asarray(found)
        out = np.empty_like(found)
        out[self.order] = found
        return out

    def solve(self, lu: Any, x: Array) -> Array:
        """A⁻¹x by factors."""
        if self.order is None:
            return np.asarray(lu.solve(x))
        out = np.empty_like(x)
        out[self.order] = lu.solve(x[self.order])
        return out


def _union(S: Any, pattern: Any) -> Any:
    """All places of two matrices, as ones."""
    from scipy import sparse

    one, other = (
        sparse.csr_array((np.ones(len(x.indices), dtype=bool), x.indices, x.indptr), shape=x.shape)
        for x in (S, pattern)
    )
    return sparse.csr_array(one + other)


def factorise(matrix: SparseMatrix, T: Array) -> int:
    """Assemble and factor; returns 0, or 1 + the row whose pivot is not positive."""
    from scipy.linalg import cho_factor
    from scipy.sparse.linalg import splu

    order = "MMD_AT_PLUS_A" if matrix.order is None else "NATURAL"
    try:
        # Diagonal pivots in a symmetric order: positive definite matrices need no others.
        lu = splu(matrix.assembled(T), permc_spec=order, diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:
        return 1
    code = 0
    if not matrix.certain:
        pivots = lu.U.diagonal()
        if not np.all(pivots > 0):
            row = int(np.flatnonzero(lu.perm_c == int(np.argmin(pivots)))[0])
            code = 1 + (row if matrix.order is None else int(matrix.order[row]))
    matrix.factors = (lu, None, None)
    if code:
        return code
    spread = cap = None
    if matrix.low.shape[1]:
        spread = matrix.solve(lu, matrix.low)
        cap = cho_factor(np.diag(1 / matrix.low_weight) + matrix.low.T @ spread)
    matrix.factors = (lu, spread, cap)
    return 0


def backsolve(matrix: SparseMatrix, x: Array, small: Array) -> int:
    """x ← A⁻¹ x with the low-rank part."""
    from scipy.linalg import cho_solve

    lu, spread, cap = matrix.factors
    x[:] = matrix.solve(lu, x)
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
