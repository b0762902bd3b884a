"""The step of one stage on a structure: its equation, and where the springs' tangents go in its matrix.

One step of any scheme with one stage is ``S x + weight · B F(e₀ + reach · Bᵀx) = r`` with the springs' slip over the
time τ inside F; see :mod:`hamex.march.newton`. Here stand the numbers, an order of the dofs, and a list of
contributions: which entry of T goes, times which factor, to which place, so that assembling inside the march is one
loop without searching. Places are those of a band or of a compressed sparse matrix, whichever suits the structure.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.algebra import diagonal
from hamex.model.record import Model, dense
from hamex.schemes._generated import linear_element as linear_element_form
from hamex.schemes.prepare import lift
from hamex.schemes.springs import Blocks

Array = NDArray[Any]
LONG = 1024.0  # springs over masses in the step's matrix: beyond it sums of both lose more than three digits
WIDEST_BAND = 192  # beyond it a sparse factorisation takes less work; measured in benchmarks/structures.py


@dataclass(frozen=True, eq=False)
class OneStage:
    """The equation of a step: S = Σ factor · matrix of the ``parts``, plus low · diag(low_weight) · lowᵀ; its three
    numbers, and what displacement control holds (dof,), empty for none."""

    parts: tuple[tuple[float, Any], ...]
    low: Array
    low_weight: Array
    weight: float
    reach: float
    tau: float
    pull: Array = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def matrix(self) -> Any:
        """S without its low-rank part, by rows."""
        return by_rows(sum(factor * matrix for factor, matrix in self.parts))

    def gathered(self) -> OneStage:
        """The same with the low-rank part inside the matrix, which it fills."""
        full = dense(self.matrix) + (self.low * self.low_weight) @ self.low.T
        return replace(self, parts=((1.0, by_rows(full)),), low=self.low[:, :0], low_weight=self.low_weight[:0])


def is_long(model: Model, h: float) -> bool:
    """True where springs on some mass outweigh it by far in a step of h seconds: hω is beyond some sixty."""
    b, mass = model.compatibility, diagonal(model.mass)
    squares = b * b if isinstance(b, np.ndarray) else b.multiply(b)
    stiff = squares @ (1 / diagonal(model.flexibility)) + np.abs(diagonal(model.stiffness))
    return bool(np.any(0.25 * h * h * stiff[mass > 0] > LONG * mass[mass > 0]))


def galerkin_stage(model: Model, h: float) -> OneStage:
    """The linear time element, from the generated step form: rows "motion" and "spring" at the start of the step."""
    form = linear_element_form(h)
    damping = model.damping
    blocks = {"m": model.mass, "c": damping.matrix, "k": model.stiffness}
    motion, spring = form["motion_start"], lift(form["spring_start"], {"a": 1.0, "b": 1.0})
    half = motion["du"]["c"]
    return OneStage(
        tuple((factor, blocks[scalar]) for scalar, factor in motion["du"].items()),
        damping.shapes,
        half * damping.weights,
        weight=lift({"F": motion["F"]}, {"b": 1.0})["F"],
        reach=-spring["du"],
        tau=spring["g"],
    )


def nodal_stage(
    model: Model, h: float, beta: float, gamma: float, alpha_m: float = 0.0, alpha_f: float = 0.0
) -> OneStage:
    """Newmark's family: M/(βh²) + γC/(βh) + K, with the shares of the new node; springs returned at its end."""
    to_a, to_v, share = (1 - alpha_m) / (beta * h * h), (1 - alpha_f) * gamma / (beta * h), 1 - alpha_f
    damping = model.damping
    parts = ((to_a, model.mass), (to_v, damping.matrix), (share, model.stiffness))
    return OneStage(parts, damping.shapes, to_v * damping.weights, weight=share, reach=1.0, tau=h)


def static_stage(model: Model, blocks: Blocks, drag: float, pull: Array, penalty: float) -> OneStage:
    """Equilibrium, with a drag of that share of the elastic stiffness so that a mechanism still has one answer."""
    elastic = tangent_matrix(model, blocks, blocks.tangents) + by_rows(model.stiffness)
    matrix = by_rows(model.stiffness) + drag * elastic
    if len(pull) and penalty:
        column = by_rows(pull[:, None])
        matrix = matrix + penalty * (column @ column.T)
    parts = ((1.0, by_rows(matrix)),)
    return OneStage(parts, np.zeros((len(model.dofs), 0)), np.zeros(0), weight=1.0, reach=1.0, tau=1.0, pull=pull)


def by_rows(matrix: Any) -> Any:
    """A plain or sparse matrix by rows."""
    from scipy import sparse

    return sparse.csr_array(matrix)


def between_springs(blocks: Blocks, T: Array) -> Any:
    """Tangents of the springs as a sparse matrix, so that B T Bᵀ need not be formed."""
    from scipy import sparse

    left, right, entry = blocks.pairs()
    return sparse.csr_array((T[entry], (left, right)), shape=(len(blocks.stiffness),) * 2)


def tangent_matrix(model: Model, blocks: Blocks, T: Array) -> Any:
    """B T Bᵀ."""
    b = by_rows(model.compatibility)
    return b @ between_springs(blocks, T) @ b.T


@dataclass(frozen=True, eq=False)
class Assembly:
    """S and B with their dofs in a better order, and the list of contributions; ``order[i]`` is the model's dof."""

    order: Array
    S: Any  # compressed rows; None where it stays in the order of the model
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


def in_model_order(stage: OneStage, compatibility: Any) -> Assembly:
    """S and B in the order of the model, without a list of contributions: for matrices that gather springs cell by
    cell."""
    from scipy import sparse

    B = sparse.csc_array(compatibility)
    B.sort_indices()
    none = np.zeros(0, dtype=np.int64)
    order = np.arange(B.shape[0], dtype=np.intp)
    return Assembly(order, None, B, np.ascontiguousarray(stage.low), none, none, none, np.zeros(0))


def narrow(stage: OneStage, compatibility: Any, blocks: Blocks) -> tuple[Array, int]:
    """An order of the dofs with a narrow band, and the half width of that."""
    from scipy import sparse
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    B = sparse.csc_array(compatibility)
    cells = sparse.csc_array(B) if not len(blocks.first) else _merged(B, blocks)
    touching = abs(cells) @ abs(cells).T + abs(stage.matrix)
    order = np.asarray(reverse_cuthill_mckee(sparse.csr_matrix(touching), symmetric_mode=True), dtype=np.intp)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    width = 0
    for entries in (touching.tocoo(), stage.matrix.tocoo()):  # which may hold zeros that the sum has not
        width = max(width, int(np.abs(rank[entries.row] - rank[entries.col]).max(initial=0)))
    return order, width


def assemble(stage: OneStage, compatibility: Any, blocks: Blocks, order: Array | None = None) -> Assembly:
    """Number the dofs for a narrow band and list the contributions of the springs."""
    from scipy import sparse

    order = narrow(stage, compatibility, blocks)[0] if order is None else order
    B = sparse.csc_array(compatibility)
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
