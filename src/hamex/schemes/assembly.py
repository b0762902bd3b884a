"""Where the springs' tangents go in the matrix of a step: an order of the dofs, and a list of contributions.

The list says which entry of T goes, times which factor, to which place, so that assembling inside the march is one
loop without searching. Places are those of a band or of a compressed sparse matrix, whichever suits the structure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.schemes.springs import Blocks
from hamex.schemes.structure import OneStage

Array = NDArray[Any]

WIDEST_BAND = 192  # beyond it a sparse factorisation takes less work; measured in benchmarks/structures.py


@dataclass(frozen=True, eq=False)
class Assembly:
    """S and B with their dofs in a better order, and the list of contributions; ``order[i]`` is the model's dof."""

    order: Array
    S: Any  # compressed rows
    B: Any  # compressed columns
    low: Array
    row: Array  # of each contribution, row ≥ column
    column: Array
    source: Array  # entry of T
    share: Array  # weight · reach · b · b

    @property
    def width(self) -> int:
        """Half width of the band."""
        S = self.S.tocoo()
        widths = [int(np.abs(S.row - S.col).max(initial=0)), int((self.row - self.column).max(initial=0))]
        return max(widths)


def assemble(stage: OneStage, compatibility: Any, blocks: Blocks) -> Assembly:
    """Number the dofs for a narrow band and list the contributions of the springs."""
    from scipy import sparse
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    B = sparse.csc_array(compatibility)
    cells = sparse.csc_array(B) if not len(blocks.first) else _merged(B, blocks)
    touching = abs(cells) @ abs(cells).T + abs(stage.matrix)
    order = np.asarray(reverse_cuthill_mckee(sparse.csr_matrix(touching), symmetric_mode=True), dtype=np.intp)
    S = sparse.csr_array(stage.matrix[order][:, order])
    B = sparse.csc_array(sparse.csr_array(B)[order])
    S.sort_indices()
    B.sort_indices()
    row, column, source, share = _contributions(B, blocks)
    keep = row >= column
    return Assembly(
        order,
        S,
        B,
        np.ascontiguousarray(stage.low[order]),
        row[keep],
        column[keep],
        source[keep],
        stage.weight * stage.reach * share[keep],
    )


def _merged(B: Any, blocks: Blocks) -> Any:
    """B with the columns of each block added up in pattern, so that all its dofs touch."""
    from scipy import sparse

    owner = np.arange(B.shape[1])
    inside = np.arange(int(blocks.size.sum())) - np.repeat(np.cumsum(blocks.size) - blocks.size, blocks.size)
    first = np.repeat(blocks.first, blocks.size)
    owner[first + inside] = first
    merge = sparse.csc_array((np.ones(len(owner)), (np.arange(len(owner)), owner)), shape=(len(owner),) * 2)
    return sparse.csc_array(abs(B) @ merge)


def _contributions(B: Any, blocks: Blocks) -> tuple[Array, Array, Array, Array]:
    """All products b_ia T_ab b_jb as (i, j, entry of T, b_ia b_jb)."""
    left, right, entry = blocks.pairs()
    counts = np.diff(B.indptr)
    many = counts[left] * counts[right]
    which = np.repeat(np.arange(len(left)), many)
    within = np.arange(len(which)) - np.repeat(np.cumsum(many) - many, many)
    i = B.indptr[left[which]] + within // counts[right[which]]
    j = B.indptr[right[which]] + within % counts[right[which]]
    return B.indices[i], B.indices[j], entry[which], B.data[i] * B.data[j]


def band_of(assembly: Assembly) -> Array:
    """S as a band (n, width + 1): entry (i, d) stands for (i, i − d)."""
    width = assembly.width
    n = assembly.S.shape[0]
    S = assembly.S.tocoo()
    band = np.zeros((n, width + 1))
    lower = S.row >= S.col
    np.add.at(band, (S.row[lower], (S.row - S.col)[lower]), S.data[lower])
    return band
