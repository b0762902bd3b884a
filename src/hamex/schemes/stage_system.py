"""Elements of several stages on any structure: the arrays of a step, in the order of dofs that suits the solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory
from hamex.march.matrices import Rows, Wide
from hamex.march.stage_newton import Motion, StageNumbers, Work
from hamex.march.stage_springs import Local, StageSprings
from hamex.model.record import Model
from hamex.schemes.prepare import kernel_rows
from hamex.schemes.stages import StageTable

Array = NDArray[Any]

WIDEST_BAND = 96  # below the diagonal; beyond it a sparse factorisation takes less work
_FINE = 1e-7  # by which share a variable of a curved law is moved to find its slope
_COARSE = 0.5  # the same for laws that are straight on the branch held: exact, so the longer the better


@dataclass(frozen=True, eq=False)
class StageLayout:
    """Blocks of springs with their state: what a stage must know of laws beside their kernels.

    Attributes
    ----------
    first, size : (block,) first spring and number of components.
    stiffness : (block,) of (m, m) arrays, elastic.
    begin, variables : (block,) first entry in the state z, and variables per spring (0: no state).
    tangent : (block,) first entry of the block in the tangents T that the laws fill.
    straight : (block,) piecewise linear laws that can be held on a branch.
    follows : entries of z that do not flow but follow the deformation.
    entries, tangents : length of z and of T.
    """

    first: Array
    size: Array
    stiffness: list[Array]
    begin: Array
    variables: Array
    tangent: Array
    straight: Array
    follows: Array
    entries: int
    tangents: int


def element_numbers(table: StageTable, h: float) -> tuple[StageNumbers, Array, Array]:
    """The march's numbers, W = A⁻¹, and what the stages see of one another; with the low parts of the table."""
    from hamex.schemes.stages import solve_small

    A, b = table.A.astype(np.longdouble) + table.A_low, table.b.astype(np.longdouble) + table.b_low
    q = len(b)
    W = solve_small(A, np.eye(q, dtype=np.longdouble))
    end = b @ W
    if table.c[-1] == 1:  # stiffly accurate: the last stage is the end of the step
        end = np.eye(q, dtype=np.longdouble)[-1]
    own = np.diag(W)
    cross = W / own[:, None] - np.eye(q)
    np.fill_diagonal(cross, 0.0)
    tau, start, weights, last, push = (
        np.ascontiguousarray(x, dtype=float) for x in (h / own, W.sum(axis=1) / h, b, end, end @ W / h)
    )
    numbers = StageNumbers(float(h), tau, start, weights, last, push, float(np.round(1 - end.sum(), 12)))
    return numbers, np.asarray(W, dtype=float), np.ascontiguousarray(cross, dtype=float)


def local_blocks(layout: StageLayout, q: int) -> Local:
    """Where the blocks stand in the arrays of the stages."""
    m, d = layout.size.astype(np.int64), (layout.size * layout.variables).astype(np.int64)

    def places(many: Array) -> Array:
        return np.concatenate([[0], np.cumsum(many)[:-1]]).astype(np.int64) if len(many) else np.zeros(0, np.int64)

    fine = np.full(layout.entries, _FINE)
    for i in np.flatnonzero(layout.straight):
        fine[layout.begin[i] : layout.begin[i] + d[i]] = _COARSE
    return Local(
        layout.first.astype(np.int64),
        m,
        layout.begin.astype(np.int64),
        d,
        layout.tangent.astype(np.int64),
        places((q * m) ** 2),
        places(q * d * q * m),
        places(q * d * d),
        places(q * m * d),
        fine,
        layout.follows.astype(np.int64),
        int(d.max(initial=0)),
    )


class StageSystem:
    """Matrices of a step of length h; ``order[i]`` is the model's dof of the kernels' dof i."""

    def __init__(self, model: Model, layout: StageLayout, table: StageTable, h: float) -> None:
        from scipy import sparse

        self.layout, self.q = layout, len(table.c)
        self.element, W, self.cross = element_numbers(table, h)
        M, C, K = (sparse.csr_array(x) for x in (model.mass, model.damping.matrix, model.stiffness))
        self.order = _order(M, C, K, model.compatibility, layout)
        M, C, K = (sparse.csr_array(x[self.order][:, self.order]) for x in (M, C, K))
        self.mass, self.beside = _rows(M), _rows(K)
        self.B = sparse.csc_array(sparse.csr_array(model.compatibility)[self.order])
        self.B.sort_indices()
        base = sparse.kron(M, W @ W / h**2) + sparse.kron(C, W / h) + sparse.kron(K, np.eye(self.q))
        self.base = sparse.csr_array(base)
        self.base.sum_duplicates()
        held = model.damping.weights > 0
        self.low = np.ascontiguousarray(model.damping.shapes[self.order][:, held].T)
        self.damp = np.ascontiguousarray(model.damping.weights[held][:, None, None] * (W / h))
        self.local = local_blocks(layout, self.q)
        self.row, self.column, self.source, self.share = self._contributions()

    def _contributions(self) -> tuple[Array, Array, Array, Array]:
        """All products b_ia T b_jb at all pairs of stages: row, column, entry of the coupled tangents, factor."""
        q, B = self.q, self.B
        pairs = []
        for m in np.unique(self.layout.size):
            chosen = np.flatnonzero(self.layout.size == m)
            i, a, j, b = (x.ravel() for x in np.indices((q, m, q, m)))
            first, place = self.layout.first[chosen][:, None], self.local.place[chosen][:, None]
            entry = (i * m + a) * q * m + j * m + b
            pairs.append([x.ravel() for x in np.broadcast_arrays(first + a, first + b, i, j, place + entry)])
        left, right, i, j, entry = (
            (np.concatenate(x) for x in zip(*pairs, strict=True))
            if pairs
            else (np.zeros(0, dtype=np.int64) for _ in range(5))
        )
        counts = np.diff(B.indptr)
        many = counts[left] * counts[right]
        check_memory(
            "solve",
            6.0 * float(many.sum()),
            f"the tangents of {B.shape[1]:,} springs at {q} stages",
            "take Galerkin(degree=1), which gathers them element by element, or a coarser mesh",
        )
        which = np.repeat(np.arange(len(left)), many)
        within = np.arange(len(which)) - np.repeat(np.cumsum(many) - many, many)
        at = B.indptr[left[which]] + within // counts[right[which]]
        to = B.indptr[right[which]] + within % counts[right[which]]
        return (
            B.indices[at].astype(np.int64) * q + i[which],
            B.indices[to].astype(np.int64) * q + j[which],
            entry[which].astype(np.int64),
            B.data[at] * B.data[to],
        )

    @property
    def width(self) -> int:
        """Entries below the diagonal of the band."""
        base = self.base.tocoo()
        return int(max(np.abs(base.row - base.col).max(initial=0), np.abs(self.row - self.column).max(initial=0)))

    def motion(self) -> Motion:
        """Arrays of the equations of motion."""
        diagonals = [np.diag(k) for k in self.layout.stiffness]
        stiff = np.zeros(self.B.shape[1])
        for first, k in zip(self.layout.first, diagonals, strict=True):
            stiff[first : first + len(k)] = k
        elastic = np.asarray(self.B.multiply(self.B) @ stiff)
        scale = np.abs(self.base.diagonal()) + np.repeat(elastic, self.q)
        B = self.B
        base = self.base
        return Motion(
            np.zeros(5, dtype=np.int64),
            base.indptr.astype(np.int64),
            base.indices.astype(np.int64),
            base.data,
            self.low,
            self.damp,
            B.indptr.astype(np.int64),
            B.indices.astype(np.int64),
            B.data,
            stiff,
            1 / np.sqrt(np.where(scale > 0, scale, 1.0)),
            self.cross,
            bool(np.all(self.layout.straight)),
        )

    def low_rank(self) -> tuple[Array, Array]:
        """U (rank, unknown) and X⁻¹ of modal damping, U X Uᵀ."""
        q, rank = self.q, len(self.low)
        U = np.zeros((rank * q, self.order.size * q))
        inner = np.zeros((rank * q, rank * q))
        for a in range(rank):
            for i in range(q):
                U[a * q + i, i::q] = self.low[a]
            inner[a * q : a * q + q, a * q : a * q + q] = np.linalg.inv(self.damp[a])
        return U, inner

    def band(self) -> Wide:
        """The matrix in a band."""
        n, below = self.base.shape[0], self.width
        base = np.zeros((n, 3 * below + 1))
        entries = self.base.tocoo()
        np.add.at(base, (entries.row, entries.col - entries.row + below), entries.data)
        U, inner = self.low_rank()
        return Wide(
            base,
            self.row,
            self.column - self.row + below,
            self.source,
            self.share,
            U,
            inner,
            np.zeros_like(base),
            np.zeros(n, dtype=np.int64),
            np.zeros_like(U),
            np.zeros_like(inner),
            np.zeros(len(U), dtype=np.int64),
        )

    def springs(self) -> StageSprings:
        """Room for what the springs answer."""
        q, springs, entries, local = self.q, self.B.shape[1], self.layout.entries, self.local
        d, m = local.many, local.size
        widest = q * local.widest
        return StageSprings(
            np.zeros((q, springs)),
            np.zeros((q, self.layout.tangents)),
            np.zeros((q, entries)),
            np.zeros((q, springs), dtype=np.int64),
            np.zeros((q, entries)),
            np.zeros((q, entries)),
            np.zeros((q, springs)),
            np.zeros(self._coupled()),
            np.zeros(int((q * d * q * m).sum())),
            np.zeros(int((q * d * d).sum())),
            np.zeros(int((q * m * d).sum())),
            np.zeros(entries),
            np.zeros(springs),
            np.zeros(self.layout.tangents),
            np.zeros(entries),
            np.zeros(springs, dtype=np.int64),
            np.zeros(len(m)),
            np.zeros((widest, widest)),
            np.zeros(widest),
            np.zeros(widest, dtype=np.int64),
        )

    def _coupled(self) -> int:
        """Entries of the tangents between the stages; one that no spring fills where there are none, so that what is
        factored is told apart from nothing."""
        return max(int(((self.q * self.local.size) ** 2).sum()), 1)

    def work(self) -> Work:
        """Room for a step."""
        q, n, springs, entries = self.q, self.base.shape[0], self.B.shape[1], self.layout.entries
        shapes = {"x": (n,), "Y": (q, entries), "e": (q, springs)}
        return Work._make(
            [
                *(np.zeros(shapes[kind]) for kind in "xYexYexeYxxxxxYxY"),
                np.zeros(springs),
                np.full(self._coupled(), np.nan),
                np.zeros(q * len(self.low)),
                np.zeros(2),
                np.zeros(3, dtype=np.int64),
            ]
        )


def _rows(matrix: Any) -> Rows:
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return kernel_rows(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int64),
        matrix.data.astype(float),
        np.zeros((matrix.shape[0], 0)),
        np.zeros(0),
    )


def _order(M: Any, C: Any, K: Any, compatibility: Any, layout: StageLayout) -> Array:
    """Dofs in an order with a narrow band."""
    from scipy import sparse
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    B = sparse.csc_array(compatibility)
    owner = np.repeat(np.arange(len(layout.first)), layout.size)
    springs = (
        np.concatenate([np.arange(f, f + m) for f, m in zip(layout.first, layout.size, strict=True)])
        if len(layout.first)
        else np.zeros(0, dtype=int)
    )
    merge = sparse.csc_array((np.ones(len(owner)), (springs, owner)), shape=(B.shape[1], len(layout.first)))
    cells = abs(B) @ merge
    touching = cells @ cells.T + abs(M) + abs(C) + abs(K)
    return np.asarray(reverse_cuthill_mckee(sparse.csr_matrix(touching), symmetric_mode=True), dtype=np.intp)
