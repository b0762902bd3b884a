"""Cells: blocks of springs that touch the same dofs, and where their entries stand in a matrix with a fixed pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory
from hamex.march.cells import Cells, counted, found, scattered
from hamex.march.run import compiled, held
from hamex.schemes.springs import Blocks

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class CellDofs:
    """Blocks sorted by cells, and the dofs of the cells.

    Attributes
    ----------
    first, size, entry : of the blocks, cell by cell: first spring, springs, first entry in T.
    begin : (cell + 1,), blocks of the cells.
    owner : (cell + 1,), where the dofs of the cells begin.
    dofs : of the cells, sorted within each.
    local : of every entry of B by columns, the number of its dof within its cell.
    """

    first: Array
    size: Array
    entry: Array
    begin: Array
    owner: Array
    dofs: Array
    local: Array

    @property
    def many(self) -> Array:
        """(cell,), dofs of each."""
        return np.diff(self.owner)

    def pattern(self, dofs: int) -> Any:
        """All pairs of dofs that some cell couples, as a matrix by columns."""
        from scipy import sparse

        touched = sparse.csc_array((np.ones(len(self.dofs)), self.dofs, self.owner), shape=(dofs, len(self.many)))
        return sparse.csc_array(touched @ touched.T)

    def placed(self, begin: Array, index: Array) -> tuple[Array, Array]:
        """Places of the pairs of every cell in a matrix by columns, and where those of a cell begin."""
        squares = self.many.astype(np.int64) ** 2
        total = int(squares.sum())
        check_memory("solve", total, f"the tangents of {len(squares):,} cells", "take fewer elements")
        table = np.cumsum(squares) - squares
        place = np.empty(total, dtype=np.int64 if len(index) > np.iinfo(np.int32).max else np.int32)
        compiled(found)(begin, index, table, self.many, self.dofs, self.owner, place)
        return table, place

    def kernel(self, B: Any, table: Array, place: Array, factor: float, elastic: Array, base: Array) -> Any:
        """What the march scatters with, B by columns; elastic tangents are put into the matrix ``base`` at once."""
        widest, most = int(self.many.max(initial=0)), int(self.size.max(initial=0))
        cells = Cells(
            self.begin,
            self.first,
            self.size,
            self.entry,
            B.indptr,
            B.data,
            self.local,
            self.many,
            table,
            place,
            float(factor),
            np.zeros_like(elastic),
            np.zeros((most, widest)),
            np.zeros((widest, widest)),
        )
        compiled(scattered)(held(cells), elastic, base)
        return held(cells._replace(elastic=elastic))


def cells_of(B: Any, blocks: Blocks) -> CellDofs:
    """Sort the blocks of springs by the dofs that they touch; B by columns with sorted rows."""
    from scipy import sparse

    first, size, entry = all_blocks(blocks)
    owner = np.empty(B.shape[1], dtype=np.int64)  # block of each spring
    springs = np.repeat(first, size) + np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    owner[springs] = np.repeat(np.arange(len(first)), size)
    ones = sparse.csc_array((np.ones(len(B.indices), dtype=bool), B.indices, B.indptr), shape=B.shape)
    merge = sparse.csc_array((np.ones(len(owner), dtype=bool), (np.arange(len(owner)), owner)))
    touched = sparse.csc_array(ones @ merge) if len(owner) else sparse.csc_array((B.shape[0], 0))
    touched.sort_indices()
    cell, example = _alike(touched)
    order = np.argsort(cell, kind="stable")
    begin = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=len(example)))]).astype(np.int64)
    chosen = sparse.csc_array(touched[:, example])
    chosen.sort_indices()
    dofs, starts = chosen.indices.astype(np.int64), chosen.indptr.astype(np.int64)
    local = np.empty(len(B.indices), dtype=np.int16 if np.diff(starts).max(initial=0) < 1 << 15 else np.int64)
    compiled(counted)(cell[owner], B.indptr, B.indices, starts, dofs, local)
    return CellDofs(first[order], size[order], entry[order], begin, starts, dofs, local)


def all_blocks(blocks: Blocks) -> tuple[Array, Array, Array]:
    """First spring, springs and first entry in T of all blocks, springs by themselves included."""
    alone = np.ones(len(blocks.stiffness), dtype=bool)
    for m in np.unique(blocks.size):
        alone[(blocks.first[blocks.size == m][:, None] + np.arange(m)).ravel()] = False
    single = np.flatnonzero(alone)
    return (
        np.concatenate([single, blocks.first]).astype(np.int64),
        np.concatenate([np.ones(len(single), dtype=np.int64), blocks.size]).astype(np.int64),
        np.concatenate([single, blocks.place]).astype(np.int64),
    )


def _alike(touched: Any) -> tuple[Array, Array]:
    """Cell of every column, columns with equal rows in one, and one column of each cell."""
    columns = touched.shape[1]
    counts, cell, example, at = np.diff(touched.indptr), np.empty(columns, dtype=np.int64), [np.zeros(0, int)], 0
    for many in np.unique(counts):
        own = np.flatnonzero(counts == many)
        rows = touched.indices[touched.indptr[own][:, None] + np.arange(many)]
        if many == 0:
            example.append(own[:1])
            cell[own] = at
            at += 1
            continue
        _, one, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        example.append(own[one])
        cell[own] = at + which.ravel()
        at += len(one)
    return cell, np.concatenate(example)
