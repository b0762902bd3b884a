"""Whether a symmetric matrix is positive definite, and the largest natural frequency: full or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
ZERO = 1e-13  # of a unit diagonal: what counts as no resistance
DENSE = 400  # rows up to which matrices are full


def weakest_dense(full: Array, shift: float) -> int | None:
    """None if a full matrix, with ``shift`` added to its diagonal, is positive definite; else a row that shows it."""
    try:
        np.linalg.cholesky(full + shift * np.eye(len(full)))
    except np.linalg.LinAlgError:
        # Only a model that is refused pays for the eigenvector that names the dof.
        return int(np.abs(np.linalg.eigh(full)[1][:, 0]).argmax())
    return None


def weakest_sparse(matrix: Any, low: tuple[Array, Array] | None, shift: float) -> int | None:
    """The same for a sparse matrix P + L diag(w) Lᵀ, with low = (L, w)."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    # Where zero does not count, a shift below what does keeps a row of zeros a small pivot with a place.
    scaled = sparse.csc_array(matrix + (shift if shift > 0 else 0.1 * ZERO) * sparse.eye_array(matrix.shape[0]))
    try:
        # Symmetric ordering and diagonal pivots: the pivots are those of L D Lᵀ, their signs the inertia.
        factors = splu(scaled, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:
        return 0
    pivots = factors.U.diagonal()
    worst = int(np.argmin(pivots))
    weak = pivots <= max(-shift, 0.0)
    if not weak.any():
        return None
    if low is not None and not np.any(np.abs(pivots) <= ZERO):
        # Haynsworth: P + L W Lᵀ has as many negative eigenvalues less than P as W⁻¹ + LᵀP⁻¹L has.
        shapes, weights = low[0][:, low[1] > 0], low[1][low[1] > 0]
        small = np.diag(1 / weights) + shapes.T @ factors.solve(shapes)
        if np.count_nonzero(np.linalg.eigvalsh(0.5 * (small + small.T)) < 0) == np.count_nonzero(weak):
            return None
    return int(np.flatnonzero(factors.perm_c == worst)[0])


def fastest(mass: Any, stiffness: Any) -> float:
    """Largest natural frequency [rad/s]; dofs without mass follow the others."""
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    from hamex.model.algebra import eigen

    if mass.shape[0] <= DENSE:
        return float(eigen(mass, stiffness)[0][-1])
    M, K = sparse.csc_array(mass), sparse.csc_array(stiffness)
    heavy = M.diagonal() > 0
    M, light = M[heavy][:, heavy], K[~heavy][:, ~heavy]
    across, own = K[~heavy][:, heavy], K[heavy][:, heavy]
    if heavy.all():
        follow = own
    else:
        factors = splu(sparse.csc_array(light))
        follow = LinearOperator(own.shape, lambda x: own @ x - across.T @ factors.solve(across @ x), dtype=float)
    start = np.random.default_rng(1).standard_normal(own.shape[0])
    return float(np.sqrt(eigsh(follow, 1, M, which="LM", v0=start, return_eigenvectors=False)[0]))
