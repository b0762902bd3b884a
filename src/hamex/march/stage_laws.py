"""The laws as the stages of an element see them: one question for all springs, at one stage.

The groups are those of :mod:`hamex.march.springs`; what a law prepared for the length of a stage stands in rows of its
own for every stage.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.calls import invoke

Array = Any


class StageLaws(NamedTuple):
    """All laws of a model."""

    tau: Array               # (stage,)
    law: Array               # addresses (compiled) or numbers of functions (not compiled)
    begin: Array             # (group,)
    row: Array               # (stage, group)
    I: Array
    P: Array
    block: Array             # work space of the laws


def at_stage(laws: StageLaws, i: int, e0: Array, dx: Array, z: Array, forced: bool, F: Array, T: Array, dz: Array,
             branch: Array) -> bool:
    """All springs at e₀ + dx, after the time of stage i, from the state z: force, tangent, increment of the state.

    ``forced`` keeps to the branches given; else they are filled, and True returned when one changed.
    """
    changed = False
    for g in range(len(laws.law)):
        if invoke(laws.law[g], (laws.I, laws.begin[g], laws.P, laws.row[i, g], e0, dx, 1.0, laws.tau[i], z, forced, F,
                                T, dz, branch, laws.block)) != 0.0:
            changed = True
    return changed
