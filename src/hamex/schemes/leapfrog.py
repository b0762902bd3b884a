"""Explicit leap-frog, which never iterates: for storeys in a row, and for any model with lumped masses; what it
refuses, its arrays, and its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import OverflowRunError, SchemeError
from hamex.march import leapfrog as kernels
from hamex.march import tables as t
from hamex.march.leapfrog import leapfrog, lumped
from hamex.march.run import entered, worth_compiling
from hamex.march.tables import Table
from hamex.model.laws.ellipsoids import WIDEST
from hamex.model.layout import hinge_of
from hamex.model.record import Model, dense, per_spring
from hamex.problem import Problem
from hamex.problem.loads import loads_between
from hamex.schemes.prepare import between_springs, by_rows, is_oscillator, put_matrix
from hamex.schemes.promised import longest, longest_on
from hamex.schemes.scheme import How, LinearMap, March, Ran, Scheme, alpha_map, check_step, room_for
from hamex.schemes.shear_frame import is_shear_frame
from hamex.schemes.springs import Blocks, effort_of, law_kernels, prepared_springs, spring_blocks, states

Array = NDArray[Any]
AHEAD = 0.5  # dashpots see the velocity extrapolated to the node: second order
_ONE_NODE = 3  # dofs that dashpots may tie together and still be those of one node
_WORK_PER_SPRING = 12  # a spring's step in units of an oscillator's, for the choice to compile
_WORK_PER_DOF = 3


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
        if model.hinge_dofs.any():
            hinge = hinge_of(model.dofs[int(np.argmax(model.hinge_dofs))])
            raise SchemeError(
                f"LeapFrog: takes lumped masses at every dof, and the {hinge} turns without; use Galerkin"
            )
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


def node_dashpots(own: Any, mass: Array, h: float) -> tuple[Array, Array, Array, Array, Array]:
    """Dofs, rows, columns, and by rows over them the blocks of Cₐ and of (M + ½h Cₐ)⁻¹."""
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
    return dofs.astype(np.int64), row.astype(np.int64), column, damping, inverse


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
        work = outside.nnz + effort_of(model) * _WORK_PER_SPRING + len(model.dofs) * _WORK_PER_DOF
        laws = law_kernels(model, "end", scheme.name)
        self.compiles = worth_compiling(how.steps * work, lumped, *laws)
        self.states, self.elastic = states(model), between_springs(blocks, blocks.tangents)
        self._put(model, blocks, outside, others, node_dashpots(own, model.mass.diagonal().astype(float), self.h))
        self.run = entered(lumped, self.N, self.J, self.R, 1.0, 1.0, 0, compile=self.compiles)

    def _put(self, model: Model, blocks: Blocks, outside: Any, others: Any, alone: tuple[Array, ...]) -> None:
        """The model and room for a step, where the kernel reads them."""
        from scipy import sparse

        N, J, R = self.N, self.J, self.R = Table(t.SLOTS_N, np.int64), Table(t.SLOTS_J, np.int32), Table(t.SLOTS_R)
        dofs, springs, B = len(model.dofs), len(model.springs), sparse.csc_array(model.compatibility)
        head = N[t.HEAD] = np.zeros(t.SIZES, dtype=np.int64)
        put_matrix(N, J, R, t.BESIDE, outside)
        put_matrix(N, J, R, t.DAMPING, others, model.damping.shapes, model.damping.weights)
        R[kernels.LUMPED] = model.mass.diagonal().astype(float)
        R[kernels.INVERSE] = 1 / R[kernels.LUMPED]
        (
            N[kernels.ALONE],
            N[kernels.ALONE_ROW],
            N[kernels.ALONE_COLUMN],
            R[kernels.ALONE_DAMPING],
            R[kernels.ALONE_INVERSE],
        ) = alone
        N[t.BEGIN], J[t.DOF] = B.indptr.astype(np.int64), B.indices.astype(np.int32, copy=False)
        R[t.SHARE] = B.data.astype(float)
        N[t.GROUPS], N[t.LAWS], R[t.LAW] = prepared_springs(model, blocks, self.h, "end", "LeapFrog", self.compiles)
        for slot in (kernels.ACCELERATION, kernels.ACTING, kernels.AHEAD):
            R[slot] = np.zeros(dofs)
        R[t.E0], R[t.DX], N[t.BRANCH] = np.zeros(springs), np.zeros(springs), np.zeros(springs, dtype=np.int64)
        R[t.T], R[t.DZ], R[t.BLOCK] = np.zeros(blocks.entries), np.zeros(self.states.size), np.zeros(16 * WIDEST)
        R[t.NUMBERS] = np.array([1.0, 1.0, self.h])  # laws are asked at the end of a step, after its time
        head[[t.DOFS, t.SPRINGS, t.STATES, t.LIGHTS]] = dofs, springs, self.states.size, len(alone[0])

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        N, R = self.N, self.R
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        going = all(name in now for name in ("half_velocity", "resisting_force", "end_force"))
        u, p, z, F, v, resisting = self._start(now, steps, going)
        R[t.VALUES], R[t.PATTERNS] = (np.ascontiguousarray(x, dtype=float) for x in (loads.entered, loads.patterns.T))
        N[t.HEAD][[t.ROWS, t.CHANNELS]] = loads.entered.shape
        with np.errstate(over="ignore", invalid="ignore"):  # what runs away is told by name below
            failed = int(self.run(N, self.J, R, self.h, AHEAD, int(going)))
        if failed:
            raise OverflowRunError(f"LeapFrog: step {first + failed} left the finite numbers; take a shorter step")
        nodes = {"displacement": u, "momentum": p}
        nodes |= {name: self.states.unpacked(z, name) for name in self.states.variables}
        nodes.setdefault("slip", np.zeros(F.shape))
        end = {name: history[-1].copy() for name, history in nodes.items()}
        end |= {"half_velocity": v, "resisting_force": resisting, "end_force": F[-1].copy()}
        return Ran(nodes, {"force": 0.5 * (F[:-1] + F[1:])}, end)

    def _start(self, now: Mapping[str, Array], steps: int, going: bool) -> tuple[Array, ...]:
        """Histories with the state at the start in their first rows, and what goes on from step to step."""
        R, (dofs, springs) = self.R, self.N[t.HEAD][[t.DOFS, t.SPRINGS]]
        u, p, z, F = room_for(*((steps + 1, size) for size in (dofs, dofs, self.states.size, springs)))
        u[0], p[0], z[0] = now["displacement"], now["momentum"], self.states.packed(dict(now))
        if going:
            F[0], v, resisting = now["end_force"], now["half_velocity"].copy(), now["resisting_force"].copy()
        else:
            F[0] = self.elastic @ (self.problem.model.deformation(u[0]) - now["slip"])
            v, resisting = p[0] / R[kernels.LUMPED], np.zeros(dofs)
        R[t.DISPLACEMENT], R[t.MOMENTUM], R[t.STATE], R[t.FORCE], R[kernels.HALF], R[kernels.RESISTED] = (
            u,
            p,
            z,
            F,
            v,
            resisting,
        )
        return u, p, z, F, v, resisting


_WORK_PER_STOREY = 6  # a storey's step in units of an oscillator's, for the choice to compile


@dataclass(frozen=True)
class LeapFrog(Scheme):
    """Explicit leap-frog with the springs returned to their limit at the nodes: for waves in solids, and short steps.

    For any model with lumped masses: one positive mass per dof, nothing off the diagonal. Nothing is solved, so a step
    costs least of all, but it is stable only up to a step that the highest frequency sets (the time that a wave takes
    through the smallest element, about); longer ones are refused, and ``longest_step`` tells it. Dashpots between nodes
    shorten it, those of one node alone (absorbing boundaries) do not. Velocities stand between the nodes: its state
    carries the last one and the forces. No energy balance is claimed: without damping and yielding
    ``½ v½ᵀ M v½ + ½ uₙᵀ K uₙ₊₁`` is kept to rounding, and ``sol.residual`` tells how far the energies at the nodes are
    from a balance, of second order in the step.

    Parameters
    ----------
    step : h > 0 [s], up to the stable one.

    Examples
    --------
    >>> import hamex as hx
    >>> rod = hx.rod(length=1.0, elements=10, modulus=4.0, density=1.0, mass="lumped", absorbing="end")
    >>> f"{LeapFrog(step=0.04).longest_step(rod):.4f}"    # an element is 0.1 long, a wave goes 2 in a second
    '0.0502'
    """

    step: float

    def __post_init__(self) -> None:
        check_step("LeapFrog", self.step)

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the undamped linear oscillator: the central difference method."""
        if zeta:
            raise SchemeError("LeapFrog: dashpots see an extrapolated velocity; its linear map is for zeta = 0")
        return alpha_map(Omega, zeta, 0.0, 0.0, 0.0, 0.5)

    def longest_step(self, model: Model) -> float:
        """Longest stable step [s]; nothing is solved, so that every step has one solution."""
        storeys = _storeys(model)
        return longest_step(model) if storeys is None else _stable(*storeys)

    def prepare(self, problem: Problem, how: How) -> March:
        """One pass over the storeys of a shear frame under one load history, the march for any structure else."""
        if problem.supports is not None:
            raise SchemeError("LeapFrog: moving supports are available with Galerkin(degree=1) only")
        storeys = _storeys(problem.model)
        if storeys is not None and problem.acting.channels == 1:
            return LeapFrogMarch(problem, self, how, storeys)
        return LumpedMarch(problem, self, how, together=storeys is not None)


class LeapFrogMarch:
    """Steps of a shear frame; refuses a step beyond the stable one and names it."""

    def __init__(self, problem: Problem, scheme: LeapFrog, how: How, storeys: tuple[Array, Array, Array]) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        k, c, m = storeys
        limit = _stable(k, c, m)
        if scheme.step > limit:
            raise SchemeError(
                f"LeapFrog: the step {scheme.step:g} s is beyond the stable step {limit:.6g} s of this frame"
            )
        laws = per_spring(problem.model)
        self.k, self.m = k, m
        names = ("yield_force", "viscosity", "kinematic", "isotropic")
        self.frame = np.pad(np.stack([1 / m, k, c, *(laws[name] for name in names)]), ((0, 0), (1, 0)))
        self.hardens = bool(np.any(laws["kinematic"] > 0) or np.any(laws["isotropic"] > 0))
        work = how.steps * len(m) * _WORK_PER_STOREY
        self.machine = worth_compiling(work, leapfrog)

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        n, h = len(self.m), self.scheme.step
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        u, slip, p = (np.zeros((steps + 1, n + 1)) for _ in range(3))
        u[0, 1:], slip[0, 1:], p[0, 1:] = now["displacement"], now["slip"], now["momentum"]
        going = "half_velocity" in now and "storey_force" in now
        v = _from_ground(now["half_velocity"] if going else now["momentum"] / self.m)
        stride = int(self.hardens)
        X, w, F = np.zeros((stride * steps + 1, n + 1)), np.zeros((stride * steps + 1, n + 1)), np.zeros(n + 2)
        X[0, 1:], w[0, 1:] = now["back_force"], now["accumulated_slip"]
        if going:
            F[1:-1] = now["storey_force"]
        load, pattern = np.ascontiguousarray(loads.entered[:, 0]), _from_ground(loads.patterns[:, 0])
        path = (u, slip, p, X, w, v, F)
        failed = march_row(self.frame, load, pattern, path, float(h), AHEAD, int(going), stride, self.machine)
        if failed:
            raise OverflowRunError(f"LeapFrog: step {first + failed} left the finite numbers; take a shorter step")
        u, slip, p = (np.ascontiguousarray(x[:, 1:]) for x in (u, slip, p))
        node_force = self.k * (np.diff(u, axis=1, prepend=0.0) - slip)
        nodes = {"displacement": u, "momentum": p, "slip": slip}
        if self.hardens:
            nodes |= {"back_force": np.ascontiguousarray(X[:, 1:]), "accumulated_slip": np.ascontiguousarray(w[:, 1:])}
        end = {
            "displacement": u[-1].copy(),
            "momentum": p[-1].copy(),
            "slip": slip[-1].copy(),
            "back_force": X[-1, 1:].copy(),
            "accumulated_slip": w[-1, 1:].copy(),
            "half_velocity": v[1:],
            "storey_force": F[1:-1],
        }
        return Ran(nodes, {"force": 0.5 * (node_force[:-1] + node_force[1:])}, end)


def march_row(
    frame: Array,
    load: Array,
    pattern: Array,
    path: Sequence[Array],
    h: float,
    ahead: float,
    going: int,
    stride: int,
    machine: bool,
) -> int:
    """Fill histories of storeys in a row, in the order of :mod:`hamex.march.leapfrog`; returns what the march does."""
    N, R = Table(1, np.int64), Table(kernels.SPACE + 1)
    N[0] = np.array([frame.shape[1] - 1, len(load), going, stride])
    for slot, array in enumerate((frame, load, pattern, *path, np.zeros((2, frame.shape[1])))):
        R[slot] = array
    with np.errstate(over="ignore", invalid="ignore"):  # what runs away is told by its step
        return int(entered(leapfrog, N, R, h, ahead, compile=machine)(N, R, h, ahead))


def _storeys(model: Model) -> tuple[Array, Array, Array] | None:
    """Stiffness and dashpot of every storey, and the masses; None for all but sliders and dashpots of storeys."""
    check_lumped(model)
    if model.damping.weights.size or not (is_shear_frame(model) or _is_storey(model)):
        return None
    from scipy.sparse import csr_array

    C, K = csr_array(model.damping.matrix), csr_array(model.stiffness)
    c = -np.concatenate([[0.0], C.diagonal(-1)])
    main = C.diagonal()
    c[0] = main[0] - (c[1] if len(c) > 1 else 0.0)
    rebuilt = c + np.append(c[1:], 0.0)
    if np.any(K.data != 0) or np.abs(rebuilt - main).max() > 1e-9 * np.abs(main).max():
        return None
    return 1 / csr_array(model.flexibility).diagonal(), c, csr_array(model.mass).diagonal()


def _is_storey(model: Model) -> bool:
    """True for an oscillator whose spring is stretched by its displacement as it is."""
    return is_oscillator(model) and float(dense(model.compatibility)[0, 0]) == 1.0


def _stable(k: Array, c: Array, m: Array) -> float:
    """Stable step of storeys in a row, whatever their dashpots."""
    from scipy.linalg import eigh_tridiagonal

    root, last, seen = np.sqrt(m), len(m) - 1, 1.0 + 2.0 * AHEAD

    def highest(stiff: Array) -> float:
        above = np.append(stiff[1:], 0.0)
        side = -stiff[1:] / (root[1:] * root[:-1])
        return float(eigh_tridiagonal((stiff + above) / m, side, True, "i", (last, last))[0])

    return longest(lambda s: highest(k + seen * s * c), seen * highest(c) if c.any() else 0.0)


def _from_ground(x: Array) -> Array:
    return np.concatenate([[0.0], x])
