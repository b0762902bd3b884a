"""All springs of a model, group by group: each group of a law is one call of its kernel, whatever the law.

Compiled, a kernel is called through its machine address, so that a march is compiled once for all laws and a new law
compiles nothing but itself; uncompiled it is called as the function it is, with the same bits. All groups stand in two
flat arrays. From ``begin[g]`` on, I holds of group g

    0 number of blocks, 1 width of a row of P, 2 state variables per spring, 3 first entry in the state z, 4 first entry
    in the tangents T (blocks of several springs), 5 whether the state flows, 6 springs,   and from ``HEAD`` on
    the first spring of each block, then what the law adds.

and from ``row[g]`` on, P holds one row per block: its stiffness, then what the law prepared for the time τ. A kernel is

    law(I, begin, P, row, e0, dx, reach, tau, z, forced, F, T, dz, branch, work) → True when a branch changed:

force F and tangent T at the deformation e0 + reach·dx after the time τ from the state z, where e0 is the deformation at
the start of the step and dx its increment over the whole step. dz receives the increment of the state within τ, or the
new state of laws that do not flow.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.run import invoke

Array = Any
HEAD = 8
SPRINGS, FLOWS = 6, 5


class SpringGroups(NamedTuple):
    """Groups of springs as the march takes them."""

    law: Array  # addresses (compiled) or numbers of functions (not compiled)
    begin: Array
    row: Array
    I: Array
    P: Array


def evaluate(
    springs: SpringGroups,
    e0: Array,
    dx: Array,
    reach: float,
    tau: float,
    z: Array,
    forced: bool,
    F: Array,
    T: Array,
    dz: Array,
    branch: Array,
    work: Array,
) -> bool:
    """Fill forces, tangents and changes of state of all springs; returns True when a branch changed."""
    changed = False
    for g in range(len(springs.law)):
        if (
            invoke(
                springs.law[g],
                (
                    springs.I,
                    springs.begin[g],
                    springs.P,
                    springs.row[g],
                    e0,
                    dx,
                    reach,
                    tau,
                    z,
                    forced,
                    F,
                    T,
                    dz,
                    branch,
                    work,
                ),
            )
            != 0.0
        ):
            changed = True
    return changed


def commit(springs: SpringGroups, length: float, z: Array, dz: Array, after: Array) -> None:
    """The state at the end of a step that is ``length`` times τ long."""
    for g in range(len(springs.law)):
        begin = springs.begin[g]
        first = springs.I[begin + 3]
        flows = springs.I[begin + FLOWS] != 0
        for o in range(first, first + springs.I[begin + 2] * springs.I[begin + SPRINGS]):
            after[o] = z[o] + length * dz[o] if flows else dz[o]


def spring_at(p: Array, r: int, e: float, tau: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """A law's answer for one spring; every law brings its own."""
    raise NotImplementedError


def spring_along(
    p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array
) -> tuple[float, float, int]:
    """A law's answer for one spring along a straight path; every law that has one brings its own."""
    raise NotImplementedError


def each_at(
    I: Array,
    begin: int,
    P: Array,
    row: int,
    e0: Array,
    dx: Array,
    reach: float,
    tau: float,
    z: Array,
    forced: bool,
    F: Array,
    T: Array,
    dz: Array,
    branch: Array,
    work: Array,
) -> bool:
    """A group of single springs, each by its law *at* a deformation."""
    changed = False
    for i in range(I[begin]):
        j = I[begin + HEAD + i]
        o = I[begin + 3] + I[begin + 2] * i
        r = row + I[begin + 1] * i
        e = e0[j] + reach * dx[j]
        F[j], T[j], piece = spring_at(P, r, e, tau, z, o, dz)
        if I[begin + FLOWS] == 0:
            dz[o] = e - F[j] / P[r]  # slip is what is not elastic
        if piece != branch[j]:
            branch[j] = piece
            changed = True
    return changed


def each_along(
    I: Array,
    begin: int,
    P: Array,
    row: int,
    e0: Array,
    dx: Array,
    reach: float,
    tau: float,
    z: Array,
    forced: bool,
    F: Array,
    T: Array,
    dz: Array,
    branch: Array,
    work: Array,
) -> bool:
    """A group of single springs, each by its law *along* the straight path of the step; F is the mean of the path.

    The step asks for the slope at its evaluation point e0 + reach·dx; the mean's slope in dx is reach times that.
    """
    changed = False
    for i in range(I[begin]):
        j = I[begin + HEAD + i]
        o = I[begin + 3] + I[begin + 2] * i
        F[j], slope, piece = spring_along(P, row + I[begin + 1] * i, e0[j], dx[j], tau / reach, z, o, dz)
        T[j] = slope / reach
        if piece != branch[j]:
            branch[j] = piece
            changed = True
    return changed
