"""Layout: where the dofs and springs of a structure are and what they are, for results and pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.inputs import few
from hamex.model.solids.body import Body

Array = NDArray[Any]
Matrix = Any  # a NumPy array or a SciPy sparse array; both know shape, @ and .T
_ROTATION = re.compile(r".*\.r[xyz12]$")  # of nodes about axes, and of hinges at the ends 1 and 2
_HINGE = re.compile(r".*\.r[12]$")
_MOMENT = re.compile(r".*\.(M[yz]?[12]e?|T)$")


@dataclass(frozen=True, eq=False)
class Storeys:
    """Storeys from the ground up.

    Attributes
    ----------
    names : of the storeys.
    heights : of the storeys [length]; NaN where unknown, 0 for a level of isolators, which has no drift ratio.
    drift : (storey, dof): storey drift is ``drift @ u``.
    above : (storey, dof): storey shear is ``above @ (B F)``, the spring forces on everything above its base.
    floors : (storey, dof): motion of the level on top of a storey is ``floors @ u``; None in files from before it.
    """

    names: tuple[str, ...]
    heights: Array
    drift: Matrix
    above: Matrix
    floors: Matrix | None = None

    @property
    def has_heights(self) -> bool:
        """True when every height is known."""
        return bool(np.all(np.isfinite(self.heights)))

    @property
    def drawn(self) -> Array:
        """Heights for pictures: a level of isolators can be seen, and storeys of unknown height are one high."""
        return drawn_heights(self.heights) if self.has_heights else np.ones(len(self.names))


def ratios(drift: Array, heights: Array) -> Array:
    """Drifts over heights, (…, storey); 0 where a level has no height.

    >>> ratios(np.array([0.3, 1.5]), np.array([0.0, 3.0])).tolist()
    [0.0, 0.5]
    """
    there = np.broadcast_to(heights != 0, np.broadcast_shapes(drift.shape, heights.shape))
    return np.asarray(np.divide(drift, heights, out=np.zeros(there.shape), where=there))


def drawn_heights(heights: Array) -> Array:
    """Heights for pictures, in which a level of isolators can be seen."""
    high = heights[heights > 0]
    return np.where(heights > 0, heights, 0.2 * high.min() if high.size else 1.0)


@dataclass(frozen=True, eq=False)
class Geometry:
    """Where things are, for plots and animation.

    Attributes
    ----------
    nodes : names.
    coordinates : (node, 2 or 3) [length].
    motion : (node · components, dof): all nodal displacements are ``motion @ u``, constraints included.
    elements : (element, 2) node numbers.
    names : of the elements.
    springs : per element, the numbers of its springs.
    """

    nodes: tuple[str, ...]
    coordinates: Array
    motion: Matrix
    elements: Array
    names: tuple[str, ...]
    springs: tuple[tuple[int, ...], ...]


def hinge_of(label: str) -> str:
    """What the rotation "B1.r1" belongs to, in words."""
    name, _, part = label.rpartition(".")
    return f"hinge at the {'start' if part[-1] == '1' else 'end'} of member {name!r}"


class Layout:
    """What a model, or a file that kept no model, tells of its dofs and springs.

    Attributes
    ----------
    dofs, springs, directions : names, in the order of the arrays.
    influence : (dof, direction): rigid motion of the dofs with the ground.
    groups : springs by what they belong to (storey, element, device), as spring numbers; none for an oscillator.
    storeys, geometry : where known.
    body : of a solid.
    yields : (spring,), True where a spring has a yield limit; dampers flow from the start and have none.
    together : (spring,), True where a spring yields together with others on one surface, as N and M of a hinge.
    """

    dofs: tuple[str, ...]
    springs: tuple[str, ...]
    directions: tuple[str, ...]
    influence: Array
    groups: Mapping[str, tuple[int, ...]]
    storeys: Storeys | None
    geometry: Geometry | None
    body: Body | None
    yields: Any
    together: Any

    @property
    def is_structure(self) -> bool:
        """False for an oscillator, whose springs belong to nothing."""
        return bool(self.groups)

    @property
    def is_body(self) -> bool:
        """True for a body that no structure stands on: its springs are strains and stresses at points."""
        return self.body is not None and self.geometry is None

    @cached_property
    def turning_dofs(self) -> Array:
        """(dof,), True for rotations, whose unit differs."""
        return self._named(_ROTATION, self.dofs)

    @cached_property
    def hinge_dofs(self) -> Array:
        """(dof,), True for rotations of hinges that are dofs of their own."""
        return self._named(_HINGE, self.dofs)

    @cached_property
    def turning_springs(self) -> Array:
        """(spring,), True for moments, whose unit differs."""
        return self._named(_MOMENT, self.springs)

    def _named(self, rule: re.Pattern[str], names: tuple[str, ...]) -> Array:
        # Names of frames follow a rule; those of matrices are the user's own.
        if not self.is_structure or self.geometry is None:
            return np.zeros(len(names), dtype=bool)
        return np.array([rule.match(name) is not None for name in names], dtype=bool)

    @cached_property
    def hinges(self) -> Array:
        """Numbers of the springs that are plastic hinges: moments with a yield limit."""
        return np.flatnonzero(self.turning_springs & self.yields)

    def why_no_dof(self, name: str) -> str | None:
        """What moves instead of a node that has no dof of this name, or that there is no such node; None where the
        name tells nothing."""
        node, _, way = name.rpartition(".")
        if not node or self.geometry is None or way not in self.directions:
            return None
        nodes = self.geometry.nodes
        if node not in nodes:
            return f"there is no node {node!r}; nodes are {few(nodes, node)}"
        width = self.geometry.coordinates.shape[1]
        moved = np.zeros(len(nodes) * width)
        moved[nodes.index(node) * width + self.directions.index(way)] = 1.0
        masters = [self.dofs[dof] for dof in np.flatnonzero(self.geometry.motion.T @ moved)]
        if not masters:
            return f"a support holds {name}"
        owner = masters[0].rpartition(".")[0]
        owner = f"{'node' if owner in nodes else 'diaphragm'} {owner}" if owner else masters[0]
        return f"{name} moves with {owner}: use {' and '.join(masters)}"

    @property
    def horizontal(self) -> int:
        """Number of horizontal directions; the last of several is up."""
        return max(len(self.directions) - 1, 1)

    @cached_property
    def membership(self) -> Array:
        """(spring, group), 1 where a spring belongs to a group."""
        table = np.zeros((len(self.springs), len(self.groups)))
        for column, springs in enumerate(self.groups.values()):
            table[list(springs), column] = 1.0
        return table

    @cached_property
    def has_dashpots(self) -> bool:
        """True when some element is a plain dashpot, meant to carry force."""
        return self.geometry is not None and any(not springs for springs in self.geometry.springs)
