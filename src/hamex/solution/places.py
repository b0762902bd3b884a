"""Places: where the springs and dofs of a structure are, as plain arrays: storeys, groups, hinges, geometry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Matrix = Any     # a NumPy array or a SciPy sparse array


@dataclass(frozen=True, eq=False)
class Storeys:
    """Storeys from the ground up: names, heights (NaN where unknown), and the rows that give drift and shear.

    Drift is ``drift @ u``, shear ``above @ (forces on the dofs)``.
    """

    names: tuple[str, ...]
    heights: Array
    drift: Matrix
    above: Matrix

    @property
    def has_heights(self) -> bool:
        """True when every height is known."""
        return bool(np.all(np.isfinite(self.heights)))


@dataclass(frozen=True, eq=False)
class Geometry:
    """Nodes with coordinates (node, axis), elements (element, 2) with their springs; all displacements of the nodes
    are ``motion @ u``, (node · axis)."""

    nodes: tuple[str, ...]
    coordinates: Array
    motion: Matrix
    elements: Array
    names: tuple[str, ...]
    springs: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Places:
    """What a structure is made of, for results and pictures.

    Attributes
    ----------
    directions, influence : names of the ground's directions, and the dofs' motion with it, (dof, direction).
    groups : springs by what they belong to (storey, element, device), as spring numbers.
    yields : (spring,), True where a spring has a yield limit; dampers flow from the start and have none.
    turning_dofs, turning_springs : True for rotations and for moments, whose units differ.
    storeys, geometry : where known.
    moving_supports : number of supports that move; 0 when all stand still.
    base : (node, direction), mean displacement of the moving supports [length]; None when they stand still.
    """

    directions: tuple[str, ...]
    influence: Array
    groups: Mapping[str, tuple[int, ...]]
    yields: Array
    turning_dofs: Array
    turning_springs: Array
    storeys: Storeys | None = None
    geometry: Geometry | None = None
    moving_supports: int = 0
    base: Array | None = None

    @cached_property
    def hinges(self) -> Array:
        """Numbers of the springs that are plastic hinges: moments with a yield limit."""
        return np.flatnonzero(self.turning_springs & self.yields)

    @property
    def horizontal(self) -> int:
        """Number of horizontal directions; the last of several is up."""
        return max(len(self.directions) - 1, 1)

    @cached_property
    def membership(self) -> Array:
        """(spring, group), 1 where a spring belongs to a group."""
        table = np.zeros((self.yields.size, len(self.groups)))
        for column, springs in enumerate(self.groups.values()):
            table[list(springs), column] = 1.0
        return table

    @cached_property
    def has_dashpots(self) -> bool:
        """True when some element is a plain dashpot, meant to carry force."""
        return self.geometry is not None and any(not springs for springs in self.geometry.springs)
