"""Elastic stiffness of a model: springs that have not slipped, in parallel with the linear stiffness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


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
    rows, columns, values = [], [], []
    for size in np.unique(sizes):  # all blocks of one size at once
        members = order[start[sizes == size][:, None] + np.arange(size)]
        row = np.repeat(members, size, axis=1)
        column = np.tile(members, size)
        blocks = np.asarray(a[row.ravel(), column.ravel()]).reshape(-1, size, size)
        rows.append(row.ravel())
        columns.append(column.ravel())
        values.append(np.linalg.inv(blocks).ravel())
    return sparse.csr_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=a.shape)


def group_stiffness(flexibility: Any, laws: Mapping[str, Any]) -> dict[str, Any]:
    """Stiffness of the springs of every group of laws: (spring,), or (block, m, m) padded to the widest block."""
    if not isinstance(flexibility, np.ndarray):  # one oscillator needs no SciPy
        from scipy import sparse

        flexibility = sparse.csr_array(flexibility)
    diagonal = flexibility.diagonal()
    return {
        kind: _inverted(flexibility, group.first, group.sizes) if group.blocked else 1 / diagonal[group.first]
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
