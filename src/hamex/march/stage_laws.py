"""The laws as the stages of an element see them: one question for all springs, at one stage.

Parameters that belong to the length of a stage come with the stage as their first index.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.laws import Powers, Sliders, evaluate
from hamex.march.surfaces import Surfaces

Array = Any

VARIABLES = 3            # slip, back force, accumulated slip


class StageLaws(NamedTuple):
    """All laws of a model."""

    tau: Array               # (stage,)
    sliders: Sliders         # rate and κ are those of the first stage
    rate: Array              # (stage, slider)
    kappa: Array
    powers: Powers
    surfaces: Surfaces | None
    surface_kappa: Array     # (stage, surface)
    kinematic: Array         # (spring,)
    place: Array             # (spring,) first entry of the spring in z
    room: Array              # (5, spring): deformation, back force, accumulated slip, slip, growth
    block: Array             # (16, 6)


def at_stage(laws: StageLaws, i: int, e0: Array, dx: Array, z: Array, forced: bool, F: Array, T: Array, dz: Array,
             branch: Array) -> bool:
    """All springs at e₀ + dx, after the time of stage i, from the state z: force, tangent, increment of the state.

    ``forced`` keeps to the branches given; else they are filled, and True returned when one changed.
    """
    e, X, w, slip, grown = laws.room[0], laws.room[1], laws.room[2], laws.room[3], laws.room[4]
    for j in range(len(e0)):
        at = laws.place[j]
        e[j] = e0[j] + dx[j] - z[at]
        X[j] = z[at + 1]
        w[j] = z[at + 2]
    given = laws.sliders
    sliders = Sliders(given.spring, given.k, given.yield_force, given.kinematic, given.isotropic, laws.rate[i],
                      laws.kappa[i])
    changed = evaluate(e, X, w, laws.tau[i], sliders, laws.powers, staged(laws.surfaces, laws.surface_kappa[i]),
                       laws.block, forced, branch, F, T, slip, grown)
    for j in range(len(e0)):
        at = laws.place[j]
        dz[at] = slip[j]
        dz[at + 1] = laws.kinematic[j] * slip[j]
        dz[at + 2] = grown[j]
    return changed


def staged(s: Surfaces | None, kappa: Array) -> Surfaces | None:
    """The surfaces with the κ of a stage."""
    if s is None:
        return None
    return Surfaces(s.first, s.size, s.begin, s.place, s.k, s.weight, s.center, s.reference, s.isotropic, s.primary,
                    s.kinematic, kappa)
