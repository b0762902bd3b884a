"""The leap-frog on any model with lumped masses: what it refuses, its arrays, and its steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import OverflowRunError, SchemeError
from hamex.march.lumped import LumpedHistory, LumpedScratch, LumpedStructure, NodeDashpots, lumped
from hamex.march.matrices import Rows
from hamex.march.run import Kernel, as_it_is, compiled, held, worth_compiling
from hamex.model.laws.ellipsoids import WIDEST
from hamex.model.record import Model
from hamex.problem import Problem
from hamex.problem.loads import loads_between
from hamex.schemes.scheme import How, Ran, Scheme
from hamex.schemes.springs import prepared_springs, spring_blocks, states
from hamex.schemes.stable import between_springs, longest_on
from hamex.schemes.structure import by_rows

Array = NDArray[Any]
AHEAD = 0.5  # dashpots see the velocity extrapolated to the node: second order
_ONE_NODE = 3  # dofs that dashpots may tie together and still be those of one node
_WORK_PER_SPRING = 30  # a spring's step in units of an oscillator's, for the choice to compile
_WORK_PER_DOF = 6


def check_lumped(model: Model) -> None:
    """Refuse masses that are not one positive number per dof."""
    mass = by_rows(model.mass)
    main = mass.diagonal()
    if int(np.count_nonzero(mass.data)) > int(np.count_nonzero(main)):
        raise SchemeError(
            "LeapFrog: takes lumped masses, and the mass matrix of this model ties dofs together; build it with "
            'mass="lumped", or use Galerkin'
        )
    if np.any(main <= 0):
        raise SchemeError(
            f"LeapFrog: takes lumped masses at every dof, and {model.dofs[int(np.argmin(main))]!r} has none; build the "
            'model with mass="lumped" or give it a mass, or use Galerkin'
        )


def split_damping(model: Model) -> tuple[Any, Any]:
    """C without its low-rank part as (dashpots of one node alone, dashpots between nodes), both by rows."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    C = by_rows(model.damping.matrix)
    none = sparse.csr_array(C.shape)
    if not C.data.all():
        C = C.copy()
        C.eliminate_zeros()
    _, label = connected_components(C, directed=False)
    alone = np.bincount(label)[label] <= _ONE_NODE
    if not np.any(alone & (np.diff(C.indptr) > 0)):
        return none, C
    own, others = (sparse.csr_array(sparse.diags_array(part.astype(float)) @ C) for part in (alone, ~alone))
    for part in (own, others):
        part.eliminate_zeros()
    return own, others


def node_dashpots(own: Any, mass: Array, h: float) -> NodeDashpots:
    """Blocks of Cₐ and of (M + ½h Cₐ)⁻¹, row by row."""
    from scipy.sparse.csgraph import connected_components

    dofs = np.flatnonzero(np.diff(own.indptr))
    _, label = connected_components(own[dofs][:, dofs], directed=False)
    dofs = dofs[np.argsort(label, kind="stable")]
    sizes = np.bincount(label)
    starts = np.cumsum(sizes) - sizes
    width = np.repeat(sizes, sizes)  # of the row of every dof
    row = np.concatenate([[0], np.cumsum(width)])
    column, damping, inverse = np.zeros(row[-1], dtype=np.int64), np.zeros(row[-1]), np.zeros(row[-1])
    for m in np.unique(sizes):
        first = starts[sizes == m]
        group = dofs[first[:, None] + np.arange(m)]
        left, right = (np.broadcast_to(x, (len(first), m, m)) for x in (group[:, :, None], group[:, None, :]))
        C = np.asarray(own[left.ravel(), right.ravel()]).reshape(left.shape)
        places = row[first][:, None] + np.arange(m * m)
        column[places] = right.reshape(len(first), -1)
        damping[places] = C.reshape(len(first), -1)
        M = mass[group][:, :, None] * np.eye(m)
        inverse[places] = np.linalg.inv(M + 0.5 * h * C).reshape(len(first), -1)
    return NodeDashpots(dofs.astype(np.int64), row.astype(np.int64), column, damping, inverse)


def longest_step(model: Model) -> float:
    """Longest stable step of a model with lumped masses [s]."""
    check_lumped(model)
    return longest_on(model, spring_blocks(model), split_damping(model)[1], AHEAD)


class LumpedMarch:
    """Steps on any model with lumped masses; refuses a step beyond the stable one and names it.

    ``together``: all dashpots see the velocity ahead, those of one node too, as for storeys in a row.
    """

    def __init__(self, problem: Problem, scheme: Scheme, how: How, together: bool = False) -> None:
        from scipy import sparse

        self.problem, self.scheme, self.how = problem, scheme, how
        model, self.h = problem.model, float(scheme.step)
        check_lumped(model)
        blocks = spring_blocks(model)
        own, others = split_damping(model)
        if together:
            own, others = sparse.csr_array(own.shape), sparse.csr_array(own + others)
        limit = longest_on(model, blocks, others, AHEAD)
        if self.h > limit:
            raise SchemeError(f"LeapFrog: the step {self.h:g} s is beyond the stable step {limit:.6g} s of this model")
        outside = by_rows(model.stiffness)
        work = outside.nnz + len(model.springs) * _WORK_PER_SPRING + len(model.dofs) * _WORK_PER_DOF
        self.compiles = worth_compiling(how.steps * work)
        self.states, self.elastic = states(model), between_springs(blocks, blocks.tangents)
        self.springs = prepared_springs(model, blocks, self.h, "end", scheme.name, self.compiles)
        mass = model.mass.diagonal().astype(float)
        B = sparse.csc_array(model.compatibility)
        self.structure = LumpedStructure(
            mass,
            1 / mass,
            _rows(outside),
            _rows(others, model.damping.shapes, model.damping.weights),
            node_dashpots(own, mass, self.h),
            B.indptr.astype(np.uint64),
            _places(B.indices),
            B.data.astype(float),
        )
        dofs, springs = len(model.dofs), len(model.springs)
        self.scratch = LumpedScratch._make(
            [
                *(np.zeros(dofs) for _ in range(3)),
                *(np.zeros(springs) for _ in range(2)),
                np.zeros(blocks.entries),
                np.zeros(self.states.size),
                np.zeros(springs, dtype=np.int64),
                np.zeros((16, WIDEST)),
            ]
        )
        hand = held if self.compiles else as_it_is
        self.shared = tuple(map(hand, (self.structure, self.springs)))
        self.space = hand(self.scratch)
        self.hand = hand
        self.kernel: Kernel = compiled(lumped) if self.compiles else lumped

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        going = all(name in now for name in ("half_velocity", "resisting_force", "end_force"))
        path = self._path(now, steps, going)
        with np.errstate(over="ignore", invalid="ignore"):  # what runs away is told by name below
            failed = self.kernel(
                np.require(loads.entered, float, ("C", "W")),
                np.require(loads.patterns.T, float, ("C", "W")),
                self.h,
                AHEAD,
                int(going),
                *self.shared,
                self.hand(path),
                self.space,
            )
        if failed:
            raise OverflowRunError(f"LeapFrog: step {first + failed} left the finite numbers; take a shorter step")
        nodes = {"displacement": path.u, "momentum": path.p}
        nodes |= {name: self.states.unpacked(path.z, name) for name in self.states.variables}
        nodes.setdefault("slip", np.zeros(path.F.shape))
        end = {name: history[-1].copy() for name, history in nodes.items()}
        end |= {"half_velocity": path.v, "resisting_force": path.R, "end_force": path.F[-1].copy()}
        return Ran(nodes, {"force": 0.5 * (path.F[:-1] + path.F[1:])}, end)

    def _path(self, now: Mapping[str, Array], steps: int, going: bool) -> LumpedHistory:
        dofs, springs = len(self.structure.mass), len(self.scratch.e)
        u, p, z, F = (np.empty((steps + 1, size)) for size in (dofs, dofs, self.states.size, springs))
        u[0], p[0], z[0] = now["displacement"], now["momentum"], self.states.packed(dict(now))
        if going:
            F[0], v, R = now["end_force"], now["half_velocity"].copy(), now["resisting_force"].copy()
        else:
            F[0] = self.elastic @ (self.problem.model.deformation(u[0]) - now["slip"])
            v, R = p[0] / self.structure.mass, np.zeros(dofs)
        return LumpedHistory(u, p, z, F, v, R)


def _rows(matrix: Any, low: Array | None = None, weights: Array | None = None) -> Rows:
    """A matrix by rows as kernels take it, without a copy: that of a million dofs in space is a gigabyte."""
    return Rows(
        matrix.indptr.astype(np.uint64),
        _places(matrix.indices),
        np.require(matrix.data, float, ("C",)),
        np.zeros((matrix.shape[0], 0)) if low is None else np.ascontiguousarray(low, dtype=float),
        np.zeros(0) if weights is None else np.array(weights, dtype=float),
    )


def _places(numbers: Array) -> Array:
    """Without sign: compiled code need not look whether an index counts from the end, a quarter of a product's time."""
    return numbers.astype(np.int32, copy=False).view(np.uint32)
