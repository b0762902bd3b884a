"""Linear algebra of a model's matrices, plain or sparse: products and solutions with one vector per row; the elastic
stiffness, springs that have not slipped in parallel with the linear stiffness; natural frequencies and shapes, where
massless motions are condensed statically.

M⁻¹: masses factored once and for all, or, of large bodies in space, by conjugate gradients.

Scaled by its diagonal, a consistent mass matrix has a condition number that depends on the kind of cell alone and not
on the mesh (Wathen, IMA J. Numer. Anal. 7, 1987: 9 for quadrilaterals, 27 for hexahedra of degree 1): some tens of
products give a velocity to the last digits, where the factors of a body in space would fill the memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError, PrecisionWarning, warn

Array = NDArray[Any]
Matrix = Any  # a NumPy array or a SciPy sparse array
DENSE = 400  # dofs up to which the full problem is solved even if only some modes are wanted
ALL = 4000  # dofs up to which all modes may be asked for
_MASSLESS = 1e-12  # eigenvalue of the scaled mass below which a motion counts as massless
_ROUNDED = 1e-15  # ω² relative to the stiffness over the mass of a node of a mesh: less is rounding
_APART = 1e-8  # ω² relative to the largest one below which modes are solved for once more by themselves
_ROUNDING = float(np.finfo(float).eps)
# ω² below which a motion counts as free, and what rounding leaves of ω² as a rule, relative to what the entries of the
# stiffness add up to; of many entries it adds up to less.
_STILL, _STILL_OF_MANY, _ERRS = 4 * _ROUNDING, 0.5 * _ROUNDING, 0.1 * _ROUNDING
_LOWERED = 8  # shifts that are tried
_FREE = 6  # free motions of a body
_SURE = 1e-5  # rounding of ω² above which it is said


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


def inverse(flexibility: Any) -> Any:
    """``A⁻¹`` of a block-diagonal flexibility, block by block, as a sparse array."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    a = sparse.csr_array(flexibility)
    count, label = connected_components(a, directed=False)
    if count == a.shape[0]:
        return sparse.diags_array(1 / a.diagonal()).tocsr()
    order = np.argsort(label, kind="stable")
    sizes = np.bincount(label)
    start = np.cumsum(sizes) - sizes
    row_numbers, columns, values = [], [], []
    for size in np.unique(sizes):  # all blocks of one size at once
        members = order[start[sizes == size][:, None] + np.arange(size)]
        row = np.repeat(members, size, axis=1)
        column = np.tile(members, size)
        blocks = np.asarray(a[row.ravel(), column.ravel()]).reshape(-1, size, size)
        row_numbers.append(row.ravel())
        columns.append(column.ravel())
        values.append(np.linalg.inv(blocks).ravel())
    return sparse.csr_array(
        (np.concatenate(values), (np.concatenate(row_numbers), np.concatenate(columns))), shape=a.shape
    )


def group_stiffness(flexibility: Any, laws: Mapping[str, Any]) -> dict[str, Any]:
    """Stiffness of the springs of every group of laws: (spring,), or (block, m, m) padded to the widest block."""
    if not isinstance(flexibility, np.ndarray):  # one oscillator needs no SciPy
        from scipy import sparse

        flexibility = sparse.csr_array(flexibility)
    main = flexibility.diagonal()
    return {
        kind: _inverted(flexibility, group.first, group.sizes) if group.blocked else 1 / main[group.first]
        for kind, group in laws.items()
    }


def _inverted(flexibility: Any, first: Any, sizes: Any) -> Any:
    """(block, m, m): inverses of diagonal blocks, all of one size at once; zeros beyond a block's own size."""
    widest = int(sizes.max())
    out = np.zeros((len(first), widest, widest))
    for m in np.unique(sizes):
        own = np.flatnonzero(sizes == m)
        row = first[own][:, None, None] + np.arange(m)[:, None]
        column = first[own][:, None, None] + np.arange(m)
        row, column = np.broadcast_arrays(row, column)
        k = np.linalg.inv(np.asarray(flexibility[row.ravel(), column.ravel()]).reshape(len(own), m, m))
        out[own, :m, :m] = 0.5 * (k + k.transpose(0, 2, 1))
    return out


def elastic_stiffness(stiffness: Any, flexibility: Any, compatibility: Any) -> Any:
    """``K + B A⁻¹ Bᵀ``: what resists a sudden motion, before anything slips."""
    from scipy import sparse

    b = sparse.csr_array(compatibility)
    return sparse.csr_array(sparse.csr_array(stiffness) + b @ inverse(flexibility) @ b.T)


def static_stiffness(stiffness: Any, flexibility: Any, compatibility: Any, laws: Mapping[str, Any]) -> Any:
    """``K + B A⁻¹ Bᵀ`` without the springs that flow under any force: what resists a slow small motion.

    Each law knows its share: dampers carry no force at rest, an open gap resists nothing.
    """
    from scipy import sparse

    b = sparse.csr_array(compatibility)
    springs = inverse(flexibility)
    share = np.ones(b.shape[1])
    for group in laws.values():
        share[group.springs] = group.law.static_share(group, springs.diagonal()[group.springs])
    root = sparse.diags_array(np.sqrt(share))
    return sparse.csr_array(sparse.csr_array(stiffness) + b @ root @ springs @ root @ b.T)


def eigen(
    mass: Any, stiffness: Any, count: int | None = None, definite: bool = False, who: str = ""
) -> tuple[Array, Array]:
    """Frequencies [rad/time], lowest first, and mass-normalised shapes (dof, mode); all modes if ``count`` is None.

    A shape's largest entry is positive (the first of several equal ones). ``definite`` says that the stiffness of a
    mesh is not negative for any motion: what rounding leaves of a rigid motion is then no frequency. ``who`` warns of
    modes of which rounding of the stiffness leaves few digits.

    Entries of the stiffness are rounded by a share ε each, ω² = φᵀKφ thus by ε|φ|ᵀ|K||φ|: where stiff parts move along
    without deforming this is the rounding of their stiffness, however soft the others are.
    """
    size = mass.shape[0]
    if count is None and size > ALL:
        raise ModelError(f"modes: all modes of {size} dofs are too many; say how many are wanted")
    few = count is not None and size > DENSE and count < size // 4
    squares, shapes = _some(mass, stiffness, count or 0, definite) if few else _all(mass, stiffness)
    available = squares.size
    if count is not None and count > available:
        raise ModelError(
            f"modes: {count} asked for, but the masses allow {available} mode{'s' if available != 1 else ''}"
        )
    squares, shapes = squares[:count], shapes[:, :count]
    gross = np.einsum("ij,ij->j", abs(shapes), abs(stiffness) @ abs(shapes))
    if definite:
        squares = np.where(squares < _ROUNDED * float((diagonal(stiffness) / diagonal(mass)).max()), 0.0, squares)
    if np.any(squares < -1e-9 * gross):
        raise ModelError(
            "modes: the stiffness is negative for some motion, so that it has no natural frequency: P-Delta outweighs "
            "what carries at rest. Take less weight, or what carries more at rest; damping by ratios of modes needs "
            "modes, damping by coefficients does not"
        )
    squares = np.where(squares < (_STILL_OF_MANY if few else _STILL) * gross, 0.0, squares)
    if few and count and not squares.any() and size > 4 * (count + _FREE):  # free, or lost: others tell
        w, shapes = eigen(mass, stiffness, count + _FREE, definite, who)
        return w[:count], shapes[:, :count]
    doubt = np.divide(_ERRS * gross, squares, out=np.zeros_like(squares), where=squares > 0)
    if who and doubt.max(initial=0.0) > _SURE:
        worst = int(np.argmax(doubt))
        digits = round(max(-float(np.log10(doubt[worst])), 0.0))
        lost = "" if squares.all() else " (modes that are found as 0 may be lost, not free)"
        warn(
            f"{who}: rounding of the stiffness leaves about {digits} digit{'s' * (digits != 1)} of ω² of "
            f"mode {worst + 1}{lost}, since much stiffer parts move along in it without deforming; make these less "
            "stiff (1,000 times what they join acts as rigid), tie them by constraints, or take longer elements",
            PrecisionWarning,
        )
    sizes = abs(shapes)
    first = np.argmax(sizes > (1 - 1e-6) * sizes.max(axis=0, initial=0.0), axis=0)
    return np.sqrt(squares), np.asarray(shapes * np.sign(shapes[first, np.arange(shapes.shape[1])]))


def _all(mass: Any, stiffness: Any) -> tuple[Array, Array]:
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
    squares, shapes = _graded(heavy.T @ K @ heavy, heavy.T @ M @ heavy)
    return squares, heavy @ shapes


def _graded(K: Array, M: Array) -> tuple[Array, Array]:
    """ω² and shapes. The error of each ω² is a share of the largest one: those far below are solved for once more
    within the motions that are orthogonal to the others in the stiffness, where the largest is one of theirs."""
    from scipy.linalg import eigh

    squares, shapes = eigh(K, M)
    slow = abs(squares) < _APART * abs(squares).max(initial=0.0)
    if slow.any():
        fast = shapes[:, ~slow]
        own = shapes[:, slow] - fast @ ((fast.T @ K @ shapes[:, slow]) / squares[~slow, None])
        squares[slow], within = _graded(own.T @ K @ own, own.T @ M @ own)
        shapes[:, slow] = own @ within
        order = np.argsort(squares, kind="stable")
        squares, shapes = squares[order], shapes[:, order]
    return squares, shapes


def _by_mass(M: Array) -> tuple[Array, Array]:
    """Two sets of motions that span all: those with mass, and those without."""
    main = np.diag(M)
    massive = main > 0
    one = np.eye(M.shape[0])
    if not np.any(M - np.diag(main)):
        return one[:, massive], one[:, ~massive]
    # Constraints can tie several dofs to one mass: the matrix then lacks rank without a zero on its diagonal.
    scale = np.where(massive, 1 / np.sqrt(np.where(massive, main, 1.0)), 1.0)
    values, vectors = np.linalg.eigh(scale[:, None] * M * scale)
    vectors = scale[:, None] * vectors
    return vectors[:, values > _MASSLESS], vectors[:, values <= _MASSLESS]


def _some(mass: Any, stiffness: Any, count: int, definite: bool) -> tuple[Array, Array]:
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    M, K = sparse.csc_array(mass), sparse.csc_array(stiffness)
    start = np.random.default_rng(1).standard_normal(K.shape[0])
    # A shift far below the first mode keeps the factor regular where a motion has no stiffness at rest. Of fine meshes
    # even a small share of the stiffness is above the first modes, which then hardly differ: it is taken down.
    shift, x = 1e-9 * K.diagonal().sum() / M.diagonal().sum(), start
    for _ in range(_LOWERED):
        shifted = sparse.csc_array(K + shift * M)
        if definite:  # pivots stay on the diagonal, in an order that keeps the factors of a mesh small
            factors = splu(shifted, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        else:
            factors = splu(shifted)
        for _ in range(3):
            x = factors.solve(M @ x)
            x /= np.sqrt(x @ (M @ x))
        least = float(x @ (K @ x))
        if shift <= least or least < 100 * _ROUNDING * float(abs(x) @ (abs(K) @ abs(x))):
            break
        shift = 0.01 * least
    inverted = LinearOperator(K.shape, factors.solve, dtype=float)
    squares, shapes = eigsh(K, count, M, sigma=-shift, v0=start, OPinv=inverted)
    order = np.argsort(squares)
    shapes = shapes[:, order]
    return squares[order], shapes / np.sqrt(np.sum(shapes * (M @ shapes), axis=0))


def _plain(matrix: Any) -> Array:
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


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


def forces_of(k: Array, elastic: Array) -> Array:
    """k e for histories e (node, spring); k is (spring,) or (block, m, m)."""
    if k.ndim == 1:
        return np.asarray(elastic * k)
    blocks = elastic.reshape(len(elastic), len(k), -1)
    return np.asarray(np.einsum("bij,rbj->rbi", k, blocks).reshape(elastic.shape))
