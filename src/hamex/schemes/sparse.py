"""The matrix of a step as a sparse one, factored by SuperLU: for structures whose band would be too wide.

It answers the same calls as :mod:`hamex.march.matrices`, for one stage and for several; the step makes them without
knowing which it is.

Bodies are numbered by nested dissection: a body is cut in two across its longest side; what lies on the cut is numbered
last, and the two halves are cut again. In two dimensions the factors then have about two thirds of the entries that
minimum degree leaves, and take a third of the time (measured with SuperLU on quadrilaterals, 300,000 dofs).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.march import stage_tables as t
from hamex.march.run import compiled
from hamex.march.springs import laid
from hamex.schemes.prepare import Assembly, OneStage
from hamex.schemes.springs import CellDofs

if TYPE_CHECKING:
    from hamex.schemes.stage_system import StageSystem

Array = NDArray[Any]
_LEAF = 8  # points that are not cut again


def first_rows(model: Any) -> Array:
    """(dof,), the first component of a node of the body that each dof moves; −1 where it moves none, as those of a
    frame that stands on it."""
    from scipy import sparse

    motion = sparse.csc_array(model.body.motion)
    motion.sort_indices()
    out = np.full(len(model.dofs), -1, dtype=np.int64)
    there = np.flatnonzero(np.diff(motion.indptr))
    out[there] = motion.indices[motion.indptr[there]]
    return out


def places_of(model: Any) -> Array | None:
    """(dof, axis), where the dofs of a body are; NaN for those of no node of it. None for models without a body."""
    if model.body is None:
        return None
    rows = first_rows(model)
    places = np.array(model.body.nodes[np.maximum(rows, 0) // model.body.dimension])
    places[rows < 0] = np.nan
    return places


def dissected(matrix: Any, places: Array) -> Array:
    """The dofs of a matrix by rows in the order in which to eliminate them; ``places`` are their coordinates (dof,
    axis). Dofs at one place stay together, those without a place come last."""
    from scipy import sparse

    known = np.isfinite(places).all(axis=1)
    if not known.all():
        inner = dissected(sparse.csr_array(matrix)[known][:, known], places[known])
        return np.concatenate([np.flatnonzero(known)[inner], np.flatnonzero(~known)])

    points, point = np.unique(places, axis=0, return_inverse=True)
    point = point.ravel()
    count = len(points)
    move = sparse.csr_array((np.ones(len(point), dtype=np.int8), (np.arange(len(point)), point)), (len(point), count))
    pattern = sparse.csr_array(
        (np.ones(len(matrix.indices), dtype=np.int8), matrix.indices, matrix.indptr), shape=matrix.shape
    )
    graph = sparse.coo_array(sparse.csr_array((move.T @ pattern) @ move))
    apart = graph.row != graph.col
    rank = _positions(points, graph.row[apart], graph.col[apart])
    return np.argsort(rank[point], kind="stable")


def _positions(points: Array, left: Array, right: Array) -> Array:
    """Where each point comes in the order; ``left`` and ``right`` are the ends of all edges, both ways.

    All parts of one size are cut together. A part owns a range of positions, and gives its end to what it is cut by.
    """
    count = len(points)
    part, start = np.zeros(count, dtype=np.int64), np.zeros(1, dtype=np.int64)  # of each point; of each part
    position, open_points = np.full(count, -1), np.arange(count)
    while open_points.size:
        own = part[open_points]
        sizes = np.bincount(own, minlength=len(start))
        small = sizes <= _LEAF
        done = open_points[small[own]]
        position[done] = start[part[done]] + _within(part[done])
        open_points = open_points[~small[own]]
        if not open_points.size:
            break
        own = part[open_points]
        upper, cut = _halves(points, open_points, own, sizes, left, right, part)
        lower = ~upper & ~cut
        below, above = (np.bincount(own[each], minlength=len(start)) for each in (lower, upper))
        position[open_points[cut]] = (start + below + above)[own[cut]] + _within(own[cut])
        # The lower half keeps the start of its part; the upper one begins behind it.
        part[open_points[lower]] = 2 * own[lower]
        part[open_points[upper]] = 2 * own[upper] + 1
        start = np.stack([start, start + below], axis=1).ravel()
        held = ~cut
        open_points = open_points[held]
        # Parts that are left, numbered anew, so that their number does not grow with the levels.
        names, part_of = np.unique(part[open_points], return_inverse=True)
        part[open_points], start = part_of, start[names]
        alive = (position[left] < 0) & (position[right] < 0)
        left, right = left[alive], right[alive]
        same = part[left] == part[right]
        left, right = left[same], right[same]
    return position


def _halves(
    points: Array, chosen: Array, own: Array, sizes: Array, left: Array, right: Array, part: Array
) -> tuple[Array, Array]:
    """Which of the chosen points lie in the upper half of their part, and which of the lower ones touch it."""
    parts = len(sizes)
    low, high = np.full((parts, points.shape[1]), np.inf), np.full((parts, points.shape[1]), -np.inf)
    np.minimum.at(low, own, points[chosen])
    np.maximum.at(high, own, points[chosen])
    axis = np.argmax(high - low, axis=1)
    along = points[chosen, axis[own]]
    order = np.lexsort((along, own))
    wanted = sizes > _LEAF
    middle = np.full(parts, np.inf)
    # Points are sorted by parts, of which only those that are cut are among the chosen.
    begin = np.cumsum(np.where(wanted, sizes, 0)) - np.where(wanted, sizes, 0)
    middle[wanted] = along[order[begin[wanted] + (sizes[wanted] - 1) // 2]]
    upper = along > middle[own]
    # All in one plane but for what lies below it: the plane itself is then the upper half.
    flat = np.bincount(own[upper], minlength=parts) == 0
    upper |= flat[own] & (along == middle[own])
    is_upper = np.zeros(len(points), dtype=bool)
    is_upper[chosen[upper]] = True
    touching = np.zeros(len(points), dtype=bool)
    crossing = is_upper[right] & ~is_upper[left] & (part[left] == part[right])
    touching[left[crossing]] = True
    return upper, touching[chosen] & ~upper


def _within(part: Array) -> Array:
    """0, 1, 2 … within each part, in the order given."""
    order = np.argsort(part, kind="stable")
    sorted_parts = part[order]
    begin = np.concatenate([[0], np.flatnonzero(np.diff(sorted_parts)) + 1]) if len(part) else np.zeros(0, dtype=int)
    counts = np.diff(np.append(begin, len(part)))
    out = np.empty(len(part), dtype=np.int64)
    out[order] = np.arange(len(part)) - np.repeat(begin, counts)
    return out


_PREFERRED = 0.1  # of the largest entry below it: a diagonal entry that is a pivot without exchanging rows


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
            self.cells(T, data)
        return csc_array((data, self.indices, self.indptr), shape=self.shape)

    def diagonal(self, T: Array) -> Array:
        """(dof,), that of the matrix at some tangents."""
        found = self.assembled(T).diagonal()
        if self.order is None:
            return np.asarray(found)
        out = np.empty_like(found)
        out[self.order] = found
        return out


def solved_in(order: Array | None, lu: Any, x: Array) -> Array:
    """A⁻¹x by factors of a matrix whose rows and columns stand in another order."""
    if order is None:
        return np.asarray(lu.solve(x))
    out = np.empty_like(x)
    out[order] = lu.solve(x[order])
    return out


def _by_places(row: Array, column: Array, places: Array, q: int) -> Array:
    """An order of the unknowns (dof, stage) from the pattern of the dofs."""
    from scipy import sparse

    n = len(places)
    pattern = sparse.csr_array(sparse.coo_array((np.ones(len(row), dtype=bool), (row, column)), shape=(n, n)))
    return np.asarray((dissected(pattern, places)[:, None] * q + np.arange(q)).ravel())


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
        spread = solved_in(matrix.order, lu, matrix.low)
        cap = cho_factor(np.diag(1 / matrix.low_weight) + matrix.low.T @ spread)
    matrix.factors = (lu, spread, cap)
    return 0


def backsolve(matrix: SparseMatrix, x: Array, small: Array) -> int:
    """x ← A⁻¹ x with the low-rank part."""
    from scipy.linalg import cho_solve

    lu, spread, cap = matrix.factors
    x[:] = solved_in(matrix.order, lu, x)
    if spread is not None:
        x -= spread @ cho_solve(cap, matrix.low.T @ x)
    return 0


class SparseLU:
    """base + Σ share·tangent in compressed columns with a fixed pattern, its factors, and a low-rank part.

    ``places`` are coordinates of the dofs in the order of the system, by which they are eliminated; their stages
    together. The matrix is symmetric in its pattern, and its diagonal large enough to be preferred as pivots.
    """

    def __init__(self, system: StageSystem, places: Array | None = None) -> None:
        n, base = system.base.shape[0], system.base.tocoo()
        row, column = np.concatenate([base.row, system.row]), np.concatenate([base.col, system.column])
        self.order = None if places is None else _by_places(row // system.q, column // system.q, places, system.q)
        if self.order is not None:
            rank = np.empty(n, dtype=np.int64)
            rank[self.order] = np.arange(n)
            row, column = rank[row], rank[column]
        key = column.astype(np.int64) * n + row
        entries, target = np.unique(key, return_inverse=True)
        self.indices = (entries % n).astype(np.int32)
        self.indptr = np.concatenate([[0], np.cumsum(np.bincount(entries // n, minlength=n))]).astype(np.int32)
        self.base = np.bincount(target[: base.nnz], weights=base.data, minlength=entries.size)
        self.target, self.source, self.share = target[base.nnz :], system.source, system.share
        self.shape = (n, n)
        self.U, self.inner = system.low_rank()
        self.factors: Any = None
        self.tangents, self.x = system.R[t.TIED], system.R[t.D]

    def solved(self, *given: Any) -> float:
        """x ← A⁻¹ x with the low-rank part, with new factors where the tangents are fresh; see
        :func:`hamex.march.matrices.lu_solved`. Returns 0, or 1 when the matrix is singular."""
        from scipy.linalg import lu_solve

        if given[3] and not self._factorise():
            return 1.0
        lu, spread, cap = self.factors
        self.x[:] = solved_in(self.order, lu, self.x)
        if spread is not None:
            self.x -= spread @ lu_solve(cap, self.U @ self.x)
        return 0.0

    def _factorise(self) -> bool:
        """Assemble and factor; False when the matrix is singular."""
        from scipy.linalg import lu_factor
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        if not np.all(np.isfinite(self.tangents)):
            return False
        weights = self.share * self.tangents[self.source]
        data = self.base + np.bincount(self.target, weights=weights, minlength=len(self.base))
        by: dict[str, Any] = {"permc_spec": "COLAMD"}
        if self.order is not None:
            by = {"permc_spec": "NATURAL", "diag_pivot_thresh": _PREFERRED, "options": {"SymmetricMode": True}}
        try:
            lu = splu(csc_array((data, self.indices, self.indptr), shape=self.shape), **by)
        except RuntimeError:
            return False
        spread = cap = None
        if len(self.U):
            spread = solved_in(self.order, lu, np.ascontiguousarray(self.U.T))
            cap = lu_factor(self.inner + self.U @ spread)
        self.factors = (lu, spread, cap)
        return True
