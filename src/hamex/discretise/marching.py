"""What a scheme prepares: a march, which takes any number of steps from a state and hands back the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
# "beforehand": a step has one solution, or the run is refused; "reported": it is watched, and the result says until
# when.
Promise = Literal["beforehand", "reported"]


@dataclass(frozen=True, eq=False)
class Ran:
    """What some steps left.

    Attributes
    ----------
    nodes : histories at the nodes, the start included, by name, (node, …), in the model's order.
    steps : histories of the steps, (step, …).
    end : the next state by name: everything a restart needs.
    inside : stage values of elements with several stages, (step, …) by name, or None.
    uncertain : 0, or the number of the first of these steps whose solution may be one of several.
    """

    nodes: dict[str, Array]
    steps: dict[str, Array]
    end: dict[str, Array]
    inside: Any = None
    uncertain: int = 0


class March(Protocol):
    """Steps of one length on one problem, prepared once."""

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """``steps`` steps from the state ``now`` at the node ``first`` on; bits do not depend on how a run is cut."""


@dataclass(frozen=True)
class How:
    """How a march is to be run.

    Attributes
    ----------
    steps : how many will be taken in all, for the choice to compile.
    quiet : no warnings about the load.
    promise : of one solution per step.
    """

    steps: int
    quiet: bool = False
    promise: Promise = field(default="beforehand")


def joined(parts: list[Ran]) -> Ran:
    """Several marches in a row as one."""
    if len(parts) == 1:
        return parts[0]
    nodes = {name: np.concatenate([parts[0].nodes[name], *(part.nodes[name][1:] for part in parts[1:])])
             for name in parts[0].nodes}
    steps = {name: np.concatenate([part.steps[name] for part in parts]) for name in parts[0].steps}
    inside = None if parts[0].inside is None else parts[0].inside.joined([part.inside for part in parts])
    return Ran(nodes, steps, parts[-1].end, inside)
