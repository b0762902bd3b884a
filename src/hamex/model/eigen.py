"""Natural frequencies and shapes of a mass and a stiffness matrix; massless motions are condensed statically."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError

Array = NDArray[Any]
DENSE = 400  # dofs up to which the full problem is solved even if only some modes are wanted
ALL = 4000  # dofs up to which all modes may be asked for
_MASSLESS = 1e-12  # eigenvalue of the scaled mass below which a motion counts as massless
_STILL = 1e-14  # ω² relative to the largest one below which a motion counts as free


def eigen(mass: Any, stiffness: Any, count: int | None = None) -> tuple[Array, Array]:
    """Frequencies [rad/time], lowest first, and mass-normalised shapes (dof, mode); all modes if ``count`` is None.

    A shape's largest entry is positive (the first of several equal ones).
    """
    size = mass.shape[0]
    if count is None and size > ALL:
        raise ModelError(f"modes: all modes of {size} dofs are too many; say how many are wanted")
    few = count is not None and size > DENSE and count < size // 4
    squares, shapes = _some(mass, stiffness, count or 0) if few else _all(mass, stiffness)
    available = squares.size
    if count is not None and count > available:
        raise ModelError(
            f"modes: {count} asked for, but the masses allow {available} mode{'s' if available != 1 else ''}"
        )
    squares, shapes = squares[:count], shapes[:, :count]
    if squares.size and squares.min() < -1e-9 * abs(squares).max():
        raise ModelError("modes: the stiffness is negative for some motion, so that it has no natural frequency")
    squares = np.where(squares < _STILL * abs(squares).max(initial=0.0), 0.0, squares)
    return np.sqrt(squares), _signed(shapes)


def _signed(shapes: Array) -> Array:
    size = abs(shapes)
    first = np.argmax(size > (1 - 1e-6) * size.max(axis=0, initial=0.0), axis=0)
    return np.asarray(shapes * np.sign(shapes[first, np.arange(shapes.shape[1])]))


def _all(mass: Any, stiffness: Any) -> tuple[Array, Array]:
    from scipy.linalg import eigh

    M, K = _plain(mass), _plain(stiffness)
    heavy, light = _by_mass(M)
    if light.shape[1]:
        soft = light.T @ K @ light
        try:
            heavy = heavy - light @ np.linalg.solve(soft, light.T @ K @ heavy)
        except np.linalg.LinAlgError:
            raise ModelError(
                "modes: a massless motion has no stiffness at rest, so that it cannot be condensed"
            ) from None
    if heavy.shape[1] == 0:
        raise ModelError("modes: the model has no mass")
    squares, shapes = eigh(heavy.T @ K @ heavy, heavy.T @ M @ heavy)
    return squares, heavy @ shapes


def _by_mass(M: Array) -> tuple[Array, Array]:
    """Two sets of motions that span all: those with mass, and those without."""
    diagonal = np.diag(M)
    massive = diagonal > 0
    one = np.eye(M.shape[0])
    if not np.any(M - np.diag(diagonal)):
        return one[:, massive], one[:, ~massive]
    # Constraints can tie several dofs to one mass: the matrix then lacks rank without a zero on its diagonal.
    scale = np.where(massive, 1 / np.sqrt(np.where(massive, diagonal, 1.0)), 1.0)
    values, vectors = np.linalg.eigh(scale[:, None] * M * scale)
    vectors = scale[:, None] * vectors
    return vectors[:, values > _MASSLESS], vectors[:, values <= _MASSLESS]


def _some(mass: Any, stiffness: Any, count: int) -> tuple[Array, Array]:
    from scipy import sparse
    from scipy.sparse.linalg import eigsh

    M, K = sparse.csc_array(mass), sparse.csc_array(stiffness)
    # A shift far below the first mode keeps the factor regular where a motion has no stiffness at rest.
    shift = -1e-9 * K.diagonal().sum() / M.diagonal().sum()
    start = np.random.default_rng(1).standard_normal(K.shape[0])
    squares, shapes = eigsh(K, count, M, sigma=shift, v0=start)
    order = np.argsort(squares)
    shapes = shapes[:, order]
    return squares[order], shapes / np.sqrt(np.sum(shapes * (M @ shapes), axis=0))


def _plain(matrix: Any) -> Array:
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())
