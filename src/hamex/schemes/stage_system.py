"""Elements of several stages on any structure: the arrays of a step, in the order of dofs that suits the solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory
from hamex.march import matrices
from hamex.march import stage_tables as t
from hamex.march.tables import Table
from hamex.model.record import Model
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


def element_numbers(table: StageTable, h: float) -> tuple[dict[int, Array], Array]:
    """The march's numbers by slots, and W = A⁻¹; with the low parts of the table."""
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
    rest = np.round(1 - end.sum(), 12)
    numbers = {
        t.TAU: h / own,
        t.START: W.sum(axis=1) / h,
        t.WEIGHTS: b,
        t.END: end,
        t.PUSH: end @ W / h,
        t.CROSS: cross,
    }
    numbers[t.NUMBERS] = np.array([h, rest])
    return {slot: np.ascontiguousarray(x, dtype=float) for slot, x in numbers.items()}, np.asarray(W, dtype=float)


class StageSystem:
    """Matrices of a step of length h; ``order[i]`` is the model's dof of the kernels' dof i."""

    def __init__(self, model: Model, layout: StageLayout, table: StageTable, h: float) -> None:
        from scipy import sparse

        self.layout, self.q = layout, len(table.c)
        self.element, W = element_numbers(table, h)
        M, C, K = (sparse.csr_array(x) for x in (model.mass, model.damping.matrix, model.stiffness))
        self.order = _order(M, C, K, model.compatibility, layout)
        M, C, K = (sparse.csr_array(x[self.order][:, self.order]) for x in (M, C, K))
        self.mass, self.beside = _clean(M), _clean(K)
        self.B = sparse.csc_array(sparse.csr_array(model.compatibility)[self.order])
        self.B.sort_indices()
        base = sparse.kron(M, W @ W / h**2) + sparse.kron(C, W / h) + sparse.kron(K, np.eye(self.q))
        self.base = sparse.csr_array(base)
        self.base.sum_duplicates()
        held = model.damping.weights > 0
        self.low = np.ascontiguousarray(model.damping.shapes[self.order][:, held].T)
        self.damp = np.ascontiguousarray(model.damping.weights[held][:, None, None] * (W / h))
        q, m, d = self.q, layout.size.astype(np.int64), (layout.size * layout.variables).astype(np.int64)
        self.place = _places((q * m) ** 2)
        # Entries of the tangents between the stages; one that no spring fills where there are none, so that what is
        # factored is told apart from nothing.
        self.coupled = max(int(((q * m) ** 2).sum()), 1)
        self.row, self.column, self.source, self.share = self._contributions()
        self.N, self.R = Table(t.INTEGERS, np.int64), Table(t.REALS)
        self._put_equations()
        self._put_blocks(m, d)

    def _contributions(self) -> tuple[Array, Array, Array, Array]:
        """All products b_ia T b_jb at all pairs of stages: row, column, entry of the coupled tangents, factor."""
        q, B = self.q, self.B
        pairs = []
        for m in np.unique(self.layout.size):
            chosen = np.flatnonzero(self.layout.size == m)
            i, a, j, b = (x.ravel() for x in np.indices((q, m, q, m)))
            first, place = self.layout.first[chosen][:, None], self.place[chosen][:, None]
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

    def _put_equations(self) -> None:
        """Put the equations of motion into the tables, and room for a step."""
        N, R, B, base, layout = self.N, self.R, self.B, self.base, self.layout
        q, n, springs, entries = self.q, base.shape[0], B.shape[1], layout.entries
        stiff = np.zeros(springs)
        for first, k in zip(layout.first, layout.stiffness, strict=True):
            stiff[first : first + len(k)] = np.diag(k)
        elastic = np.asarray(B.multiply(B) @ stiff)
        scale = np.abs(base.diagonal()) + np.repeat(elastic, q)
        rows = (base, t.ROW, t.COLUMN, t.VALUE), (self.mass, t.MASS_ROW, t.MASS_COLUMN, t.MASS)
        for matrix, begin, index, value in (
            *rows,
            (self.beside, t.BESIDE_ROW, t.BESIDE_COLUMN, t.BESIDE),
            (B, t.B_BEGIN, t.B_DOF, t.SHARE),
        ):
            N[begin], N[index] = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
            R[value] = matrix.data.astype(float)
        for slot, array in self.element.items():
            R[slot] = array
        R[t.LOW], R[t.DAMP], R[t.STIFF], R[t.UNIT] = (
            self.low,
            self.damp,
            stiff,
            1 / np.sqrt(np.where(scale > 0, scale, 1.0)),
        )
        sizes = {"x": n, "Y": q * entries, "e": q * springs}
        room = [*(sizes[kind] for kind in "xYexYexYe"), springs, *(sizes[kind] for kind in "xxxxxYxY"), springs]
        for slot, size in zip(range(t.X, t.FACTORED), room, strict=True):
            R[slot] = np.zeros(size)
        R[t.FACTORED], R[t.MERIT] = np.full(self.coupled, np.nan), np.zeros(2)
        N[t.MODE], N[t.COUNT] = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)

    def _put_blocks(self, m: Array, d: Array) -> None:
        """Put the blocks of springs into the tables: where they stand, and room for what they answer."""
        N, R, layout, q, springs = self.N, self.R, self.layout, self.q, self.B.shape[1]
        entries, tangents, widest = layout.entries, layout.tangents, q * int(d.max(initial=0))
        straight, fine = bool(np.all(layout.straight)), np.full(entries, _FINE)
        for i in np.flatnonzero(layout.straight):
            fine[layout.begin[i] : layout.begin[i] + d[i]] = _COARSE
        sizes = len(self.order), q, springs, entries, tangents, 0, len(self.low), len(m), int(d.max(initial=0))
        N[t.HEAD] = np.array([*sizes, self.coupled, len(layout.follows), straight, 0, 1], dtype=np.int64)
        places = self.place, _places(q * d * q * m), _places(q * d * d), _places(q * m * d)
        blocks = layout.first, m, layout.begin, d, layout.tangent, *places, layout.follows
        room = np.zeros(q * springs), np.zeros(springs), np.zeros(widest)
        for slot, numbers in zip(range(t.FIRST, t.ORDER + 1), (*blocks, *room), strict=True):
            N[slot] = numbers.astype(np.int64)
        R[t.FINE] = fine
        of_stages = q * springs, q * tangents, q * entries, q * entries, q * entries, q * springs, self.coupled
        of_blocks = (int(x.sum()) for x in (q * d * q * m, q * d * d, q * m * d))
        of_one = entries, springs, tangents, entries, len(m), widest * widest, widest
        for slot, size in zip(range(t.F, t.RIGHT + 1), (*of_stages, *of_blocks, *of_one), strict=True):
            R[slot] = np.zeros(size)

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

    def put_band(self) -> None:
        """Put the matrix in a band into the tables."""
        N, R, n, below = self.N, self.R, self.base.shape[0], self.width
        base = np.zeros((n, 3 * below + 1))
        entries = self.base.tocoo()
        np.add.at(base, (entries.row, entries.col - entries.row + below), entries.data)
        U, inner = self.low_rank()
        N[matrices.LU_SIZES] = np.array([n, below, len(self.row), len(U)])
        N[matrices.LU_PLACE] = self.row * (3 * below + 1) + self.column - self.row + below
        N[matrices.LU_SOURCE] = self.source
        for slot, size in (matrices.LU_PIVOT, n), (matrices.LU_ORDER, len(U)):
            N[slot] = np.zeros(size, dtype=np.int64)
        room = np.zeros_like(base), np.zeros_like(U), np.zeros_like(inner), np.zeros(len(U))
        for slot, array in enumerate((base, self.share, U, inner, *room)):
            R[slot] = array


def _places(many: Array) -> Array:
    """Where each begins that has so many entries."""
    return np.cumsum(many) - many


def _clean(matrix: Any) -> Any:
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


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
