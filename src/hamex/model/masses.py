"""M⁻¹: masses factored once and for all, or, of large bodies in space, by conjugate gradients.

Scaled by its diagonal, a consistent mass matrix has a condition number that depends on the kind of cell alone and not
on the mesh (Wathen, IMA J. Numer. Anal. 7, 1987: 9 for quadrilaterals, 27 for hexahedra of degree 1): some tens of
products give a velocity to the last digits, where the factors of a body in space would fill the memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.algebra import diagonal, solved

Array = NDArray[Any]
Matrix = Any
AT_ONCE = 16  # vectors that are solved for together
_EXACT = 1e-15  # residual of a row over the largest number of its vector
_MOST = 300  # products, far beyond what masses of cells take


class Masses:
    """A mass matrix that is solved with again and again.

    Parameters
    ----------
    matrix : M, plain or sparse.
    of_body : it is sparse like a mesh: pivots stay on the diagonal, in an order that keeps factors small.
    iterates : by conjugate gradients, without factors.
    """

    def __init__(self, matrix: Matrix, of_body: bool = False, iterates: bool = False) -> None:
        self.matrix, self.of_body, self.iterates = matrix, of_body, iterates
        self._factors: Any = None
        main = diagonal(matrix)
        stored = np.count_nonzero(matrix) if isinstance(matrix, np.ndarray) else int((matrix.data != 0).sum())
        self._held = np.flatnonzero(main)
        self._plain = isinstance(matrix, np.ndarray) or stored == len(self._held)

    def __getstate__(self) -> dict[str, Any]:
        """Factors do not travel to other processes: they are found there again."""
        return vars(self) | {"_factors": None}

    def solved(self, x: Array) -> Array:
        """M⁻¹x, row by row; zero where a dof has no mass."""
        if self._plain:
            return solved(self.matrix, x)
        flat = x.reshape(-1, x.shape[-1])
        out = np.zeros_like(flat)
        for first in range(0, len(flat), AT_ONCE):
            some = slice(first, first + AT_ONCE)
            out[some, self._held] = self._some(np.ascontiguousarray(flat[some, self._held].T)).T
        return out.reshape(x.shape)

    def _some(self, x: Array) -> Array:
        """M⁻¹x, column by column, of the dofs with mass."""
        if self._factors is None:
            whole = len(self._held) == self.matrix.shape[0]
            self._factors = self._prepared(self.matrix if whole else self.matrix[self._held][:, self._held])
        return np.asarray(conjugate(self._factors, x) if self.iterates else self._factors.solve(x))

    def _prepared(self, matrix: Matrix) -> Any:
        from scipy.sparse import csc_array, csr_array
        from scipy.sparse.linalg import splu

        if self.iterates:
            return csr_array(matrix)
        if self.of_body:
            return splu(csc_array(matrix), "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        return splu(csc_array(matrix))


def conjugate(matrix: Matrix, b: Array) -> Array:
    """matrix⁻¹ b by conjugate gradients scaled by the diagonal, column by column, to the last digits.

    >>> from scipy.sparse import csr_array
    >>> M = csr_array([[2.0, 1.0], [1.0, 2.0]])
    >>> conjugate(M, np.array([[3.0], [0.0]])).ravel().round(12).tolist()
    [2.0, -1.0]
    """
    scale = 1 / diagonal(matrix)[:, None]
    enough = _EXACT * np.abs(b).max(axis=0, initial=0.0)
    x = scale * b
    r = b - matrix @ x
    z = scale * r
    p, size = z.copy(), (r * z).sum(axis=0)
    for _ in range(_MOST):
        if np.all(np.abs(r).max(axis=0, initial=0.0) <= enough):
            break
        q = matrix @ p
        work = (p * q).sum(axis=0)
        ahead = np.divide(size, work, out=np.zeros_like(size), where=work > 0)
        x += ahead * p
        r -= ahead * q
        z = scale * r
        before, size = size, (r * z).sum(axis=0)
        p *= np.divide(size, before, out=np.zeros_like(size), where=before > 0)
        p += z
    return np.asarray(x)
