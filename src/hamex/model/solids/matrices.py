"""Matrices of a body: stiffness of its elastic points, masses, and the points that are springs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory
from hamex.errors import ModelError
from hamex.model.inputs import Numbered
from hamex.model.laws.law import Group
from hamex.model.laws.stress import StressLaw, moduli
from hamex.model.solids.cells import WHO, Cells
from hamex.model.solids.elements import Pattern
from hamex.model.solids.material import STRAINS, Material

Array = NDArray[Any]


def stiffness(cells: Cells, pattern: Pattern, which: Array) -> Any:
    """K of the cells whose stress impulse is eliminated: Σ Bᵀ D B · volume."""

    def of(some: Array) -> Array:
        B, volumes = cells.elements.strains(some)
        stress = (cells.stiffness(some) * volumes[..., None, None]) @ B
        n = B.shape[-1]
        return np.asarray(B.reshape(len(B), -1, n).transpose(0, 2, 1) @ stress.reshape(len(B), -1, n))

    d = cells.elements.dimension
    data = np.zeros((len(pattern.indices), d, d))
    for some, matrices in cells.matrices(np.flatnonzero(which), of):
        pattern.added(data, some, 0.5 * (matrices + matrices.transpose(0, 2, 1)))
    K = pattern.matrix(data)
    if not which.all():
        K.eliminate_zeros()
    return K


def mass(cells: Cells, pattern: Pattern, kind: str, lumped: Array) -> Any:
    """M of all nodes: consistent, or lumped everywhere or in some cells."""
    from scipy import sparse

    e = cells.elements
    X, W = e.mass_rule
    shapes, _ = e.shapes(X)

    def of(some: Array) -> Array:
        weight = cells.density(some, X) * e.volumes(some, X, W)
        return np.asarray(np.einsum("eq,aq,bq->eab", weight, shapes, shapes, optimize=True))

    data = np.zeros((len(pattern.indices), 1, 1))
    diagonal = np.zeros(len(e.points))
    for some, matrices in cells.matrices(np.arange(len(cells.kind)), of):
        lump = np.ones(len(some), dtype=bool) if kind == "lumped" else lumped[some]
        if lump.any():
            np.add.at(diagonal, e.nodes[some[lump]], _lumped(matrices[lump], e.degree))
        if not lump.all():
            pattern.added(data, some[~lump], matrices[~lump])
    scalar = sparse.diags_array(diagonal) if kind == "lumped" else pattern.matrix(data) + sparse.diags_array(diagonal)
    return sparse.csr_array(sparse.kron(scalar, sparse.eye_array(e.dimension), format="csr"))


def _lumped(matrices: Array, degree: int) -> Array:
    """(cell, node): row sums, or diagonals scaled to the whole mass (HRZ), which stay positive at degree 2."""
    if degree == 1:
        return np.asarray(matrices.sum(axis=2))
    own = np.einsum("eaa->ea", matrices)
    return own * (matrices.sum(axis=(1, 2)) / own.sum(axis=1))[:, None]


@dataclass(frozen=True, eq=False)
class PointSprings:
    """The points that are springs."""

    names: Numbered
    flexibility: Any
    compatibility: Any
    groups: list[Any]
    first: Array  # (cell, point), first spring of a point that can yield, −1 elsewhere


def point_springs(cells: Cells, which: Array) -> PointSprings:
    """Blocks of springs of the points of some cells; elastic ones as single springs along the principal directions of
    their elasticity, each a column of B."""
    from scipy import sparse

    e = cells.elements
    m, points, n = e.size, e.rule[0].shape[1], e.nodes.shape[1] * e.dimension
    count = len(which) * points * m
    check_memory(WHO, 3.0 * count * n, f"{len(which) * points:,} points that can yield", "take a coarser mesh")
    yields = cells.yields
    flexibility, entries, volumes = [], [], []
    for some in e.chunks(which):
        B, volume = e.strains(some)
        D = cells.stiffness(some) * volume[..., None, None]
        elastic = ~yields[some]
        A = np.linalg.inv(D)
        if elastic.any():
            stiff, turn = np.linalg.eigh(D[elastic])
            B[elastic] = np.swapaxes(turn, -1, -2) @ B[elastic]
            A[elastic] = np.eye(m) / stiff[..., None]
        flexibility.append(A.reshape(-1, m, m))
        entries.append(B.reshape(-1, n))
        volumes.append(volume)
    first = np.full((len(cells.kind), points), -1, dtype=np.int64)
    start = np.arange(len(which) * points).reshape(-1, points) * m
    first[which] = np.where(yields[which][:, None], start, -1)
    dofs = (e.nodes[which][:, :, None] * e.dimension + np.arange(e.dimension)).reshape(len(which), 1, 1, n)
    rows = np.array(np.broadcast_to(dofs, (len(which), points, m, n))).ravel()
    values = np.concatenate(entries).ravel() if entries else np.zeros(0)
    B = sparse.csc_array((values, rows, np.arange(count + 1) * n), shape=(e.points.size, count))
    B.eliminate_zeros()
    A = np.concatenate(flexibility) if flexibility else np.zeros((0, m, m))
    inside = np.arange(count).reshape(-1, 1, m) + np.zeros((1, m, 1), dtype=np.int64)
    flexible = sparse.csr_array((A.ravel(), inside.ravel(), np.arange(count + 1) * m), shape=(count, count))
    flexible.eliminate_zeros()
    volume = np.concatenate(volumes) if volumes else np.zeros((0, points))
    groups = [
        of_points(material, e.plane, start[own].ravel(), volume[own].ravel())
        for place, material in enumerate(cells.materials)
        for own in [(cells.kind[which] == place) & yields[which]]
        if material.law is not None and own.any()
    ]
    return PointSprings(Numbered("spring", count), flexible, sparse.csr_array(B), groups, first)


def of_points(material: Material, plane: str, first: Array, volume: Array) -> Group:
    """A group of blocks from the law of a material; refuses laws of springs, and elasticity that a law cannot have."""
    law = material.law
    if not isinstance(law, StressLaw):
        raise ModelError(
            f"{WHO}: {type(law).__name__} is a law of springs, not of stresses; take J2 or DruckerPrager of hamex.laws"
        )
    own = {name: getattr(law, name) for name in law.names()}
    group = Group.of(type(law), first, **own | {"volume": volume, "components": len(STRAINS[plane])})
    if material.elasticity is not None:
        moduli(group, material.stiffness(plane, np.zeros((3, 1))) * volume[:, None, None])
    return group
