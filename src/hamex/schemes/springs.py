"""Springs of a model as the march takes them: stiffness by blocks, places of states and tangents, kernels by law; and
cells, blocks of springs that touch the same dofs, with the places of their entries in a matrix of fixed pattern."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory
from hamex.errors import LawError, ModelError, SchemeError
from hamex.march import springs as loops
from hamex.march.run import Kernel, around_law, compiled, entered, place
from hamex.march.springs import HEAD, counted, found, scattered
from hamex.march.tables import Table
from hamex.model.record import Model

Array = NDArray[Any]
# How a scheme asks the laws: "mean" of a step (flowing laws at half of it, others along its path), or at its "end";
# "slow": at the end of an increment of slow loading, behind which the path goes on.
ForceOf = Literal["mean", "end", "slow"]
_FOLLOWED = {"mean": loops.followed, "end": loops.reached, "slow": loops.pushed}


@dataclass(frozen=True, eq=False)
class Blocks:
    """Stiffness of the springs, and where their tangents stand: one entry of T per spring, then the blocks row by row.

    Attributes
    ----------
    stiffness : (spring,), 1/a of springs that stand alone, the diagonal of k for those in blocks.
    tangents : T when nothing slips.
    first, size, place : of the blocks: first spring, springs, first entry in T.
    by_group : stiffness of every group of laws, (spring,) or (block, m, m) padded to the widest block.
    """

    stiffness: Array
    tangents: Array
    first: Array
    size: Array
    place: Array
    by_group: dict[str, Array]

    @property
    def entries(self) -> int:
        """Length of T."""
        return self.tangents.size

    def pairs(self) -> tuple[Array, Array, Array]:
        """Springs (left, right) and the entry of T between them, for all entries that are in use."""
        alone = np.ones(len(self.stiffness), dtype=bool)
        in_blocks = []
        for m in np.unique(self.size):
            own = self.size == m
            a, b = (x.ravel() for x in np.indices((m, m)))
            first, place = self.first[own][:, None], self.place[own][:, None]
            in_blocks.append(np.stack([(first + a).ravel(), (first + b).ravel(), (place + m * a + b).ravel()]))
            alone[(first + np.arange(m)).ravel()] = False
        single = np.flatnonzero(alone)
        left, right, entry = np.concatenate([np.stack([single] * 3), *in_blocks], axis=1)
        return left, right, entry

    def filled(self, by_group: dict[str, Array], model: Model) -> Array:
        """T from the tangents of every group, in the shape of ``by_group``."""
        T, at = np.zeros(self.entries), 0
        for kind, group in model.laws.items():
            if not group.blocked:
                T[group.first] = by_group[kind]
                continue
            for m in np.unique(group.sizes):
                own = np.flatnonzero(group.sizes == m)
                places = self.place[at + own][:, None] + np.arange(m * m)
                T[places] = by_group[kind][own, :m, :m].reshape(len(own), -1)
            at += len(group.first)
        return T


def spring_blocks(model: Model) -> Blocks:
    """Invert the flexibility block by block."""
    from scipy import sparse

    flexibility = sparse.csr_array(model.flexibility)
    diagonal = flexibility.diagonal()
    if np.any(diagonal <= 0):
        raise ModelError(f"spring {model.springs[int(np.argmin(diagonal))]!r} needs a positive flexibility")
    stiffness, at = 1 / diagonal, len(diagonal)
    by_group = model.spring_stiffness
    firsts, sizes, places = [], [], []
    for kind, group in model.laws.items():
        if not group.blocked:
            continue
        k = by_group[kind]
        squares = group.sizes**2
        firsts.append(group.first)
        sizes.append(group.sizes)
        places.append(at + np.cumsum(squares) - squares)
        at += int(squares.sum())
        for m in np.unique(group.sizes):
            own = np.flatnonzero(group.sizes == m)
            stiffness[group.first[own][:, None] + np.arange(m)] = np.diagonal(k[own, :m, :m], axis1=1, axis2=2)
    first, size, place = (np.concatenate([np.zeros(0, dtype=np.int64), *x]) for x in (firsts, sizes, places))
    blocks = Blocks(stiffness, np.concatenate([stiffness, np.zeros(at - len(stiffness))]), first, size, place, by_group)
    blocks.tangents[:] = blocks.filled(by_group, model)
    return blocks


@dataclass(frozen=True, eq=False)
class States:
    """The flat state of all springs: where each variable of each law stands.

    Attributes
    ----------
    size : length of z.
    slip : (spring,), place of its slip.
    variables : name → (springs that have it, their places in z).
    """

    size: int
    slip: Array
    variables: dict[str, tuple[Array, Array]]

    def packed(self, values: Mapping[str, Array]) -> Array:
        """z from (spring,) arrays by name; what is missing is zero."""
        z = np.zeros(self.size)
        for name, (springs, places) in self.variables.items():
            if name in values:
                z[places] = values[name][springs]
        return z

    def unpacked(self, z: Array, name: str) -> Array:
        """A variable (…, spring) out of z (…, entry), zero for springs that have none."""
        springs, places = self.variables[name]
        out = np.zeros((*z.shape[:-1], len(self.slip)))
        out[..., springs] = z[..., places]
        return out


def states(model: Model) -> States:
    """Places of all state variables: group by group, spring by spring, in the order of the law's variables."""
    at, slip = 0, np.zeros(len(model.springs), dtype=np.int64)
    nothing = np.zeros(0, dtype=np.intp)
    places: dict[str, list[tuple[Array, Array]]] = {"slip": [(nothing, nothing)]}  # a model without springs has it too
    for group in model.laws.values():
        springs, count = group.springs, len(group.law.variables)
        base = at + count * np.arange(len(springs))
        slip[springs] = base
        for v, name in enumerate(group.law.variables):
            places.setdefault(name, []).append((springs, base + v))
        at += count * len(springs)
    return States(
        at,
        slip,
        {
            name: (np.concatenate([s for s, _ in parts]), np.concatenate([p for _, p in parts]))
            for name, parts in places.items()
        },
    )


class SpringGroups(NamedTuple):
    """All springs as :func:`hamex.march.springs.evaluate` takes them: groups, integers and numbers of their laws."""

    groups: Array
    I: Array
    P: Array


def prepared_springs(
    model: Model, blocks: Blocks, tau: float, force_of: ForceOf, who: str, compile: bool
) -> SpringGroups:
    """All groups of a model for steps that ask after the time τ; refuses laws that the scheme cannot ask."""
    I, P, groups = list[Array](), list[Array](), list[int]()
    z_at, block_at = 0, 0
    held = [(kind, group) for kind, group in model.laws.items() if len(group.springs)]
    for (kind, group), kernel in zip(held, law_kernels(model, force_of, who), strict=True):
        springs = len(group.springs)
        numbers = np.ascontiguousarray(group.law.prepared(group, blocks.by_group[kind], tau), dtype=float)
        place = int(blocks.place[block_at]) if group.blocked else 0
        flows = int(group.law.form == "flow")
        groups += [_place(kernel, model, compile), sum(map(len, I)), sum(map(len, P))]
        first = [len(group.first), numbers.shape[1], len(group.law.variables), z_at, place, flows, springs, 0]
        I.append(np.concatenate([first, group.first, group.head()]).astype(np.int64))
        P.append(numbers.ravel())
        z_at += len(group.law.variables) * springs
        block_at += len(group.first) if group.blocked else 0
    whole = np.concatenate([np.zeros(0, dtype=np.int64), *I])
    return SpringGroups(np.array([len(held), *groups], dtype=np.int64), whole, np.concatenate([np.zeros(0), *P]))


_REALS, _WHOLE = np.zeros(1), np.zeros(HEAD, dtype=np.int64)
# Arguments of a law's kernel by their types: I, begin, P, row, e0, dx, reach, tau, z, forced, F, T, dz, branch, work.
_EXAMPLE = (_WHOLE, 0, _REALS, 0, _REALS, _REALS, 1.0, 1.0, _REALS, 0, _REALS, _REALS, _REALS, _WHOLE, _REALS)


def _place(kernel: Kernel, model: Model, compile: bool) -> int:
    """What a law's kernel is called by; what the compiler refuses in a law of the user's own is named."""
    try:
        return place(kernel, *_EXAMPLE, compile=compile)
    except Exception as problem:
        own = [group.law.__name__ for group in model.laws.values() if group.law.source]
        if not own or not type(problem).__module__.startswith("numba"):
            raise
        said = next((line for line in str(problem).splitlines() if line.strip()), "")
        raise LawError(f"{' or '.join(own)}: Numba cannot compile it: {said}") from None


def law_kernels(model: Model, force_of: ForceOf, who: str) -> list[Kernel]:
    """How the laws of a model answer a scheme: what a march calls by address."""
    return [kernel_of(group.law, force_of, who) for group in model.laws.values() if len(group.springs)]


_COUPLED = 2  # a spring of a block that is solved for all its components at once


def effort_of(model: Model) -> int:
    """Of all springs in a step as plain Python, in springs with a slider: for the choice to compile."""
    groups = model.laws.values()
    return sum(len(group.springs) * group.law.effort * (_COUPLED if group.blocked else 1) for group in groups)


def kernel_of(law: Any, force_of: ForceOf, who: str) -> Kernel:
    """How a law answers a scheme; a SchemeError where it cannot."""
    if law.spring_piece is not None:
        return _each(_FOLLOWED[force_of], "spring_piece", law.spring_piece)
    if force_of == "mean" and law.form != "flow":
        if law.spring_along is None:
            raise SchemeError(
                f"{who}: {law.__name__} follows its path and has no form along a step; use "
                "Newmark(…, safeguarded=True), which asks it at the nodes"
            )
        return _each(loops.along, "spring_along", law.spring_along)
    if force_of == "slow" and (told := getattr(law, "spring_slow", None)) is not None:
        return _each(loops.standing, "spring_at", told)
    if law.group_at is not None:
        return law.group_at
    if law.spring_at is None:
        raise SchemeError(f"{who}: {law.__name__} cannot be asked at a deformation, only along a path; use Galerkin")
    return _each(loops.flowing if law.form == "flow" else loops.standing, "spring_at", law.spring_at)


def _each(in_step: Kernel, name: str, law: Kernel) -> Kernel:
    """The loop over the springs of a group, each asked in one way, around the law that this knows as ``name``."""
    return around_law(loops.each, "spring_in_step", around_law(in_step, name, law))


def is_straight(model: Model, force_of: ForceOf) -> bool:
    """True when every law is piecewise linear in the form in which it is asked."""
    return all(group.law.straight and (force_of != "mean" or group.law.form == "flow") for group in model.laws.values())


def can_break(model: Model) -> bool:
    """True where the force of some spring may jump."""
    return any(bool(np.any(group.law.jumps(group))) for group in model.laws.values())


def is_linear(model: Model) -> bool:
    """True when no spring can leave its straight line: all are elastic, or there are none."""
    return all(group.law.stays(group) for group in model.laws.values())


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

    def kernel(self, B: Any, table: Array, place: Array, factor: float, elastic: Array, base: Array) -> Scattering:
        """What the march scatters with, B by columns; elastic tangents are put into the matrix ``base`` at once."""
        widest, most = int(self.many.max(initial=0)), int(self.size.max(initial=0))
        N, J, R = Table(loops.TABLE + 1, np.int64), Table(loops.LOCAL + 1, place.dtype), Table(loops.FULL + 1)
        whole = ([len(self.many), widest], self.begin, self.first, self.size, self.entry, B.indptr, self.many, table)
        for slot, numbers in enumerate(whole):
            N[slot] = np.array(numbers, dtype=np.int64)
        J[loops.PLACE], J[loops.LOCAL] = place, self.local.astype(place.dtype, copy=False)
        R[loops.FACTOR], R[loops.SHARE], R[loops.ELASTIC] = np.array([float(factor)]), B.data, np.zeros_like(elastic)
        R[loops.WIDE], R[loops.FULL] = np.zeros((most, widest)), np.zeros((widest, widest))
        cells = Scattering(N, J, R)
        cells(elastic, base)
        R[loops.ELASTIC] = elastic
        return cells


class Scattering:
    """Tangents into the entries of a matrix of fixed pattern, see :func:`hamex.march.springs.scattered`."""

    def __init__(self, N: Table, J: Table, R: Table) -> None:
        self.tables = N, J, R
        self.run = entered(scattered, *self.tables, np.zeros(0), np.zeros(0), compile=True)

    def __call__(self, T: Array, data: Array) -> None:
        """Add those that differ from the elastic ones."""
        self.run(*self.tables, T, data)


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
    local = np.empty(len(B.indices), dtype=np.int32)
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
