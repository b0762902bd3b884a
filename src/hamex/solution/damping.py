"""The share of viscous damping: its largest force beside the largest spring force, and a warning where it is large.

Damping stands for what the springs leave out, and a few per cent of critical should carry a few per cent of the
force. In a structure that yields, spring forces stop growing while velocities do not; damping proportional to the
initial stiffness may then carry a large part of the shear, or of the moment at a joint, and make the structure look
stronger than it is (Hall 2006; Charney 2008; Chopra & McKenna 2016). Beyond ``IMPLAUSIBLE`` a warning names the place.
Plain dashpots among the elements are meant to carry force: with them there is a report, but no warning.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import DampingWarning
from hamex.solution.schema import unit

if TYPE_CHECKING:
    from hamex.solution.outline import Answers

Array = NDArray[Any]
IMPLAUSIBLE = 0.2
_SMALL = 0.01  # joints whose damping moment is below this share of the largest spring moment do not count


@dataclass(frozen=True)
class DampingShare:
    """Largest damping force and largest spring force at the place where their ratio is largest.

    Places are storeys where the model knows them (forces are storey shears), else the base by direction (base
    shears), and the joints of frames (moments: the damping moment beside the sum of the moments of all springs).

    Attributes
    ----------
    share : largest damping force over largest spring force [1]; the two need not happen at one time.
    where : storey, direction or dof.
    damping, spring : the two forces, in ``unit``.
    """

    share: float
    where: str
    damping: float
    spring: float
    unit: str


def damping_share(solution: Answers) -> DampingShare:
    """The place where damping carries most, relative to the springs; warns where that is implausible."""
    found = max(_candidates(solution), key=lambda each: each.share)
    yielded = bool(solution.values("slip").size) and bool(np.abs(np.diff(solution.values("slip"), axis=0)).any())
    if found.share > IMPLAUSIBLE and yielded and not solution.layout.has_dashpots:
        warnings.warn(
            f"damping carries {100 * found.share:.0f} % of the largest spring force at {found.where!r} "
            f"({found.damping:.4g} beside {found.spring:.4g} {found.unit}) while springs yield; "
            "take less damping, modal damping, or damping without the initial stiffness of what yields",
            DampingWarning,
            stacklevel=3,
        )
    return found


def _candidates(solution: Answers) -> list[DampingShare]:
    force, moment = (unit(kind, solution.units.length, solution.units.force) for kind in ("force", "moment"))
    if not solution.layout.is_structure:
        return _shares(solution.dofs, solution.values("damping_peak"), solution.values("spring_peak"), force)
    by_storey = "storey_shear" in solution.names
    names = ("storey_damping", "storey_shear") if by_storey else ("base_damping", "base_shear")
    labels = solution.labels("storey" if by_storey else "direction")
    # What happens after a collapse says nothing about damping.
    end = solution.steps if solution.exceeded is None else max(round(solution.exceeded.time / solution.step), 1)
    damping, spring = (np.abs(solution.values(name)[:end]).max(axis=0) for name in names)
    if not by_storey:
        damping, spring = damping[: solution.layout.horizontal], spring[: solution.layout.horizontal]
    found = _shares(labels[: damping.size], damping, spring, force)
    turning = solution.layout.turning_dofs
    if turning.any() and end == solution.steps:
        damping, spring = (solution.values(name)[turning] for name in ("damping_peak", "spring_peak"))
        joints = [name for name, turns in zip(solution.dofs, turning, strict=True) if turns]
        found += [each for each in _shares(joints, damping, spring, moment) if each.damping > _SMALL * spring.max()]
    return found


def _shares(labels: Any, damping: Array, spring: Array, label: str) -> list[DampingShare]:
    return [
        DampingShare(float(d / f) if f > 0 else 0.0, str(where), float(d), float(f), label)
        for where, d, f in zip(labels, damping, spring, strict=True)
    ]
