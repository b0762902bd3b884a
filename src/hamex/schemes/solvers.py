"""How the linear systems of a step are solved: by factors, or by conjugate gradients, and which of them costs less; and
the matrix by nodes that conjugate gradients take, with the same two calls as a band or a sparse factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_positive, is_whole
from hamex.errors import ConvergenceError, SchemeError
from hamex.march import conjugate as kernels
from hamex.march.run import compiled, entered
from hamex.march.tables import Table
from hamex.model.record import Model
from hamex.schemes.prepare import OneStage
from hamex.schemes.springs import CellDofs

Array = NDArray[Any]
_FEW = 3000  # dofs up to which factors are quick whatever the shape of a body
# Squared width of the narrowest band over the number of dofs: about 2 to 8 in the plane, 40 and more in a body as deep
# as it is long. Beyond it factors fill, and a solution costs more than some tens of products.
_DEEP = 25.0


class Solver:
    """Base of what solves the linear systems of a step.

    Examples
    --------
    >>> import hamex as hx
    >>> isinstance(hx.Factors(), Solver)
    True
    """


@dataclass(frozen=True)
class Factors(Solver):
    """Factor the matrix of a step, once as long as no spring yields: for frames, rods and bodies in the plane.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.shear_frame(masses=[2.0, 1.0], stiffnesses=[300.0, 200.0])
    >>> problem = hx.Problem(model, hx.el_centro().on(model, g=1.0), duration=2.0)
    >>> hx.solve(problem, hx.Galerkin(0.02), solver=hx.Factors()).residual < 1e-12
    True
    """


@dataclass(frozen=True)
class ConjugateGradients(Solver):
    """Solve the matrix of a step by conjugate gradients: for bodies in space, whose factors would fill the memory.

    Steps near the time of a wave through one element take some tens of products with the matrix, whatever the mesh.
    ``sol.values("cg_iterations")`` tells them step by step, ``cg_residual`` what they left.

    Parameters
    ----------
    balance : share of the largest work that the energy balance may miss. What is left in each step, measured against
        its right side, is at most this; a last line search along the increment takes its work away.
    most : iterations in one solution; more is a ConvergenceError.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.solid(hx.meshes.box(1.0, 1.0, 1.0, (4, 4, 4)), hx.Material(1.0, 1000.0, 0.25), fixed=["left"])
    >>> pull = hx.Load(hx.half_sine(1.0, 0.5).forces, patterns=model.body.traction("right", (1.0, 0.0, 0.0)))
    >>> sol = hx.solve(hx.Problem(model, pull, duration=0.5), hx.Galerkin(0.01), solver=hx.ConjugateGradients())
    >>> sol.residual < 1e-10, int(sol.values("cg_iterations").max()) < 40
    (True, True)
    >>> sol.provenance["solver"]
    'ConjugateGradients(balance=1e-10, most=10000)'
    """

    balance: float = 1e-10
    most: int = 10_000

    def __post_init__(self) -> None:
        if not is_positive(self.balance) or self.balance >= 1:
            raise SchemeError(f"ConjugateGradients: balance must be a number between 0 and 1, got {self.balance!r}")
        if not is_whole(self.most, 1):
            raise SchemeError(f"ConjugateGradients: most must be a whole number ≥ 1, got {self.most!r}")


def chosen(model: Model, given: Solver | None) -> Solver | None:
    """The solver asked for; of none, conjugate gradients where a body is large and deep, else None: factors, in a band
    where that is narrow."""
    if given is not None or model.body is None or len(model.dofs) <= _FEW or softens(model):
        return given
    return ConjugateGradients() if _width(model.body) ** 2 > _DEEP * len(model.dofs) else None


def softens(model: Model) -> bool:
    """True where some spring has a falling branch."""
    return any(group.law.softens for group in model.laws.values())


def is_certain(model: Model) -> bool:
    """True for bodies, whose K is positive semidefinite by construction, with springs that never soften and a mass on
    every dof: every step has one solution, and its matrix is positive definite."""
    return model.body is not None and not softens(model) and not bool(np.any(model.massless))


def _width(body: Any) -> int:
    """Half width of the band of a body's dofs in the best order found, from the vertices of its cells."""
    from scipy import sparse
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    cells, corners = body.corners.shape
    ends = sparse.csr_array(
        (np.ones(cells * corners, dtype=np.int8), body.corners.ravel(), np.arange(cells + 1) * corners),
        shape=(cells, len(body.vertices)),
    )
    graph = sparse.csr_matrix(ends.T @ ends)
    rank = np.empty(len(body.vertices), dtype=np.int64)
    rank[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(len(rank))
    entries = graph.tocoo()
    width = int(np.abs(rank[entries.row] - rank[entries.col]).max(initial=0))
    return width * int(body.dimension) * int(body.degree) ** int(body.dimension - 1)


_ROUND_OFF = 1e-15
_INSIDE = 1e-6  # of the right side: what a solution inside a Newton step leaves


class Nodes:
    """Which node each dof belongs to, and which of its components it is.

    Dofs without a node of the body, such as those of a frame on it, are nodes of one component.
    """

    def __init__(self, model: Any) -> None:
        from hamex.schemes.sparse import first_rows

        body, n = model.body, len(model.dofs)
        self.width = 1 if body is None else int(body.dimension)
        row = first_rows(model) if body is not None else np.full(n, -1)
        own = row >= 0
        names = np.where(own, row // self.width, -1)
        _, node = np.unique(np.where(own, names, len(row) * self.width + np.arange(n)), return_inverse=True)
        self.node = node.ravel().astype(np.int32)
        self.way = np.where(own, row % self.width, 0).astype(np.int32)
        # Two dofs at one place of a node would share an entry; tied nodes may do that.
        slot = self.slots
        if len(np.unique(slot)) < n:
            self.width, self.node, self.way = 1, np.arange(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
        self.count = int(self.node.max(initial=-1)) + 1

    @property
    def slots(self) -> Array:
        """(dof,), its place among the components of all nodes."""
        return self.node.astype(np.int64) * self.width + self.way


class ConjugateMatrix:
    """S + Σ B T Bᵀ by nodes, scaled; and the vectors of the iteration."""

    def __init__(
        self,
        stage: OneStage,
        model: Any,
        cells: CellDofs | None,
        B: Any,
        elastic: Array,
        solver: ConjugateGradients,
        linear: bool,
    ) -> None:
        nodes, self.solver, self.linear = Nodes(model), solver, linear
        width = nodes.width
        begin, before = _pattern(stage, nodes, cells)
        total = (nodes.count + len(before)) * width * width
        self.base = np.zeros(total)
        self.node, self.way = nodes.node, nodes.way
        for factor, matrix in stage.parts:
            rows = _by_rows(matrix)
            compiled(kernels.blocked)(
                rows.indptr, rows.indices, rows.data, factor, nodes.node, nodes.way, width, begin, before, self.base
            )
        # Components that no dof has are held: one on the diagonal.
        free = np.zeros(nodes.count * width, dtype=bool)
        free[nodes.slots] = True
        empty = np.flatnonzero(~free)
        self.base[empty * width + empty % width] = 1.0
        self.cells = None
        data = self.base
        if cells is not None:
            squares = cells.many**2
            table = np.cumsum(squares) - squares
            place = np.empty(int(squares.sum()), dtype=np.int32 if total < 2**31 else np.int64)
            compiled(kernels.placed_blocks)(
                table, cells.many, cells.dofs, cells.owner, nodes.node, nodes.way, width, begin, before, place
            )
            self.cells = cells.kernel(B, table, place, stage.weight * stage.reach, elastic, self.base)
            data = np.empty(total)
        self.data, self.width, size = data, width, nodes.count * width
        self.slots = nodes.slots
        N, J, R = Table(kernels.SLOT + 1, np.int64), Table(1, np.int32), Table(kernels.RESIDUAL + 1)
        N[kernels.HEAD], J[kernels.BEFORE] = np.array([nodes.count, width, len(self.slots)]), before
        N[kernels.BEGIN], N[kernels.SLOT], R[kernels.DATA] = begin, self.slots, data
        for vector in (kernels.X, kernels.LEFT, kernels.P, kernels.Y, kernels.SCALE):
            R[vector] = np.zeros(size)
        R[kernels.RESIDUAL] = np.zeros(1)
        self.tables = N, J, R
        self.scale = entered(kernels.scaled, *self.tables, compile=True)
        self.iterate = entered(kernels.conjugate_gradients, *self.tables, data, 1.0, 1, compile=True)
        self.low, self.low_weight = stage.low, stage.low_weight  # modal damping
        self.spread: Any = None
        self.cap: Any = None
        self.taken: list[tuple[int, float]] = []
        self.is_scaled = False

    def diagonal(self, T: Array) -> Array:
        """(dof,), of S + Σ B T Bᵀ; before anything is factored."""
        data = self.base
        if self.cells is not None:
            data = self.base.copy()
            self.cells(T, data)
        return data[self.slots * self.width + self.slots % self.width]


def _by_rows(matrix: Any) -> Any:
    from scipy import sparse

    return matrix if isinstance(matrix, sparse.csr_array) else sparse.csr_array(matrix)


def _pattern(stage: OneStage, nodes: Nodes, cells: CellDofs | None) -> tuple[Array, Array]:
    """Which nodes before it each node is coupled to."""
    from scipy import sparse

    n = len(nodes.node)
    move = sparse.csr_array((np.ones(n, dtype=np.int8), nodes.node, np.arange(n + 1)), shape=(n, nodes.count))
    graph: Any = sparse.csr_array((nodes.count, nodes.count), dtype=np.int8)
    for _, matrix in stage.parts:
        rows = _by_rows(matrix)
        ones = sparse.csr_array((np.ones(len(rows.indices), dtype=np.int8), rows.indices, rows.indptr), rows.shape)
        graph = graph + ((move.T @ ones @ move) != 0)
    if cells is not None:
        touched = sparse.csr_array(
            (np.ones(len(cells.dofs), dtype=np.int32), nodes.node[cells.dofs], cells.owner),
            shape=(len(cells.many), nodes.count),
        )
        graph = graph + ((touched.T @ touched) != 0)
    lower = sparse.csr_array(sparse.tril(graph, -1))
    lower.sort_indices()
    return lower.indptr.astype(np.int64), lower.indices.astype(np.int32)


def factorise(matrix: ConjugateMatrix, T: Array) -> int:
    """Assemble and scale; returns 0, or 1 + the dof whose diagonal is not positive."""
    if matrix.cells is not None:
        matrix.data[:] = matrix.base
        matrix.cells(T, matrix.data)
    elif matrix.is_scaled:
        return 0
    matrix.is_scaled = True
    bad = int(matrix.scale(*matrix.tables))
    if bad:
        return 1 + int(np.flatnonzero(matrix.slots == bad - 1)[0])
    if matrix.low.shape[1]:
        from scipy.linalg import cho_factor

        columns = np.ascontiguousarray(matrix.low.T)
        for column in columns:
            _iterate(matrix, column, _ROUND_OFF)
        matrix.spread = columns.T
        matrix.cap = cho_factor(np.diag(1 / matrix.low_weight) + matrix.low.T @ matrix.spread)
    return 0


def backsolve(matrix: ConjugateMatrix, x: Array, small: Array) -> int:
    """x ← A⁻¹ x, as far as is asked for."""
    matrix.taken.append(_iterate(matrix, x, matrix.solver.balance if matrix.linear else _INSIDE))
    if matrix.cap is not None:
        from scipy.linalg import cho_solve

        x -= matrix.spread @ cho_solve(matrix.cap, matrix.low.T @ x)
    return 0


def _iterate(matrix: ConjugateMatrix, x: Array, tolerance: float) -> tuple[int, float]:
    """x ← (A without its low-rank part)⁻¹ x; iterations, and the residual that is left."""
    solver = matrix.solver
    count = int(matrix.iterate(*matrix.tables, x, float(tolerance), solver.most))
    left = float(matrix.tables[2][kernels.RESIDUAL][0])
    if count < 0:
        raise ConvergenceError(
            f"ConjugateGradients: {solver.most} iterations left a residual of {left:.1e}, where "
            f"{tolerance:g} is asked for. The step is long beside the time of a wave through an element, or the "
            "material is nearly incompressible: take a shorter step, more iterations (most=…), or Factors()"
        )
    return count, left


def mass_solved(model: Any, p: Array) -> Array:
    """M⁻¹p by conjugate gradients, to rounding: masses are so well conditioned that factors would be waste."""
    if not p.any():
        return np.zeros_like(p)
    nothing = np.zeros((len(p), 0))
    stage = OneStage(((1.0, model.mass),), nothing, nothing[0], weight=0.0, reach=0.0, tau=0.0)
    matrix = ConjugateMatrix(stage, model, None, None, nothing[0], ConjugateGradients(_ROUND_OFF), True)
    out = np.array(p, dtype=float)
    factorise(matrix, out)
    backsolve(matrix, out, nothing[0])
    return out
