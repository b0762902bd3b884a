"""Nodes, supports, diaphragms and constraints: from what a user names to the free dofs, by elimination. And storeys, of
a frame or truss: levels by lists of nodes or by elevation."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite
from hamex.errors import ModelError
from hamex.model.assembly import Block, Column
from hamex.model.inputs import few, number, unique
from hamex.model.layout import Storeys, hinge_of

Array = NDArray[Any]
Constraints = Mapping[str, str | Mapping[str, float]]
Diaphragms = Mapping[Hashable, Sequence[Hashable]]
GROUND = "ground"
AXES = ("x", "y", "z")
_HOLDS = 1e-9  # by how much a constraint may fail a rigid translation
_FLAT = 1e-9  # of the height of a structure: nodes closer than this are at one level
# Nodes by floor from the first above the ground up, with or without names; or the tolerance of elevation [length].
Levels = Mapping[str, Sequence[Hashable]] | Sequence[Sequence[Hashable]] | float


@dataclass(frozen=True, eq=False)
class Joints:
    """Points of a structure and what their motions are in terms of the free dofs.

    A *motion* is a number: node · components + component; after the nodes come those of a point fixed to the ground,
    then those of the diaphragms and the rotations of hinges. ``u_all = T u`` plus the motion of the supports.

    Attributes
    ----------
    who : builder, for messages.
    names, coordinates : of the nodes.
    components : of a node's motion: "x", "y" …, "rz".
    labels : of the motions, "A.x".
    free : the motions that are dofs, in their order.
    ties : motions that follow others, ``{motion: {free motion: factor}}``.
    hinged : labels of the rotations of hinges, "B1.r1"; the last of all labels, each of them free.
    """

    who: str
    names: tuple[str, ...]
    coordinates: Array
    components: tuple[str, ...]
    labels: tuple[str, ...]
    free: tuple[int, ...]
    ties: Mapping[int, Column]
    hinged: tuple[str, ...] = ()

    def with_hinges(self, labels: Sequence[str]) -> Joints:
        """The same points, and rotations of hinges behind all other motions."""
        first = len(self.labels)
        free = (*self.free, *range(first, first + len(labels)))
        return replace(self, labels=(*self.labels, *labels), free=free, hinged=tuple(labels))

    @property
    def unhinged(self) -> int:
        """How many motions are not of hinges."""
        return len(self.labels) - len(self.hinged)

    @cached_property
    def turns(self) -> dict[str, int]:
        """Motions of the hinges by label."""
        return {label: self.unhinged + place for place, label in enumerate(self.hinged)}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Numbers of the nodes by name."""
        return {name: number for number, name in enumerate(self.names)}

    def node(self, name: object, element: str) -> int:
        """Number of a node; None or "ground" is the fixed point, unless a node is called so."""
        if name is not None and str(name) in self.numbers:
            return self.numbers[str(name)]
        if name is None or name == GROUND:
            return len(self.names)
        raise ModelError(
            f"{self.who}: {element}: there is no node {name!r}; nodes are {few(self.names, name, show=repr)}"
        )

    def motion(self, node: int, component: str) -> int:
        """Number of a node's motion."""
        return node * len(self.components) + self.components.index(component)

    @property
    def translations(self) -> tuple[str, ...]:
        """Directions of the ground."""
        return AXES[: self.coordinates.shape[1]]

    @property
    def dofs(self) -> tuple[str, ...]:
        """Names of the free dofs."""
        return tuple(self.labels[motion] for motion in self.free)

    def transformation(self) -> Any:
        """T, (motion, dof), sparse; rows of supports are empty."""
        from scipy import sparse

        place = {motion: dof for dof, motion in enumerate(self.free)}
        entries = [(motion, dof, 1.0) for motion, dof in place.items()]
        entries += [
            (motion, place[master], factor) for motion, tie in self.ties.items() for master, factor in tie.items()
        ]
        row, column, value = zip(*entries, strict=True) if entries else ((), (), ())
        return sparse.csr_array((np.array(value, dtype=float), (row, column)), shape=(len(self.labels), len(self.free)))

    def phrases(self) -> list[str]:
        """Per free dof, what would move if nothing held it."""
        nodes = len(self.names) * len(self.components)
        return [
            _phrase(self.labels[motion], "node" if motion < nodes else "diaphragm")
            if motion < self.unhinged
            else f"the {hinge_of(self.labels[motion])} can turn"
            for motion in self.free
        ]

    def influence(self) -> Array:
        """Rigid motion of the dofs with the ground, (dof, direction)."""
        kinds = np.array([self.labels[motion].rpartition(".")[2] for motion in self.free])
        return np.stack([kinds == axis for axis in self.translations], axis=1).astype(float)

    def reduce(
        self, blocks: Sequence[Block], dashpots: Sequence[Column]
    ) -> tuple[list[Block], list[Column], tuple[str, ...]]:
        """Columns by motion → columns by dof and by support; and the names of the supports that springs feel."""
        place = {motion: dof for dof, motion in enumerate(self.free)}
        split = [[self._split(column, place) for column in block.columns] for block in blocks]
        felt = sorted({motion for block in split for _, fixed in block for motion in fixed})
        support = {motion: index for index, motion in enumerate(felt)}
        reduced = [
            replace(
                block,
                columns=tuple(moving for moving, _ in parts),
                supports=tuple({support[m]: x for m, x in fixed.items()} for _, fixed in parts),
            )
            for block, parts in zip(blocks, split, strict=True)
        ]
        return reduced, [self._split(column, place)[0] for column in dashpots], tuple(self.labels[m] for m in felt)

    def _split(self, column: Column, place: Mapping[int, int]) -> tuple[dict[int, float], dict[int, float]]:
        moving: dict[int, float] = {}
        fixed: dict[int, float] = {}
        for motion, factor in column.items():
            if factor == 0:
                continue
            for master, share in self.ties.get(motion, {motion: 1.0}).items():
                if master in place:
                    moving[place[master]] = moving.get(place[master], 0.0) + factor * share
                else:
                    fixed[master] = fixed.get(master, 0.0) + factor * share
        return moving, fixed


def joints(
    who: str,
    nodes: Mapping[Hashable, Sequence[float]],
    supports: Mapping[Hashable, str | Sequence[str]],
    rotations: bool,
    constraints: Constraints | None,
    diaphragms: Diaphragms | None,
    weights: Mapping[str, float],
) -> Joints:
    """Check and number everything. ``weights`` are the horizontal masses, which place the centre of a diaphragm."""
    names, places = _nodes(who, nodes)
    dimension = places.shape[1]
    components = AXES[:dimension] + ((("rz",) if dimension == 2 else ("rx", "ry", "rz")) if rotations else ())
    plane = ("x",) if dimension == 2 else ("x", "y", "rz")
    floors = unique(who, "diaphragms", [str(name) for name in diaphragms or {}])
    for floor in floors:
        if floor in names or floor == GROUND:
            raise ModelError(f"{who}: diaphragm {floor!r} has the name of a node")
    labels = [f"{name}.{part}" for name in (*names, GROUND) for part in components]
    masters = {
        floor: {part: len(labels) + place * len(plane) + i for i, part in enumerate(plane)}
        for place, floor in enumerate(floors)
    }
    labels += [f"{floor}.{part}" for floor in floors for part in plane]
    start = Joints(who, names, places, components, tuple(labels), (), {})
    held = _held(start, supports)
    ties: dict[int, Column] = {}
    for floor, members in zip(floors, (diaphragms or {}).values(), strict=True):
        for motion, tie in _diaphragm(start, floor, members, masters[floor], weights).items():
            _tie(start, motion, tie, held, ties, f"diaphragm {floor!r}")
    for name, leaders in (constraints or {}).items():
        motion, tie = _constraint(start, name, leaders)
        _tie(start, motion, tie, held, ties, f"the constraint of {name!r}")
    for motion, tie in ties.items():
        for master in tie:
            if master in ties or master in held:
                raise ModelError(
                    f"{who}: {labels[motion]!r} follows {labels[master]!r}, which is itself "
                    f"{'constrained' if master in ties else 'supported'}; name a free dof instead"
                )
    free = tuple(m for m in range(len(labels)) if m not in held and m not in ties)
    if not free:
        raise ModelError(f"{who}: every node is fully supported, so nothing can move")
    return replace(start, free=free, ties=ties)


def _nodes(who: str, nodes: Mapping[Hashable, Sequence[float]]) -> tuple[tuple[str, ...], Array]:
    if not isinstance(nodes, Mapping) or not nodes:
        raise ModelError(f"{who}: nodes must map names to coordinates, at least one; got {nodes!r}")
    names = unique(who, "nodes", [str(name) for name in nodes])
    rows: list[list[float]] = []
    for name, place in zip(names, nodes.values(), strict=True):
        if not hasattr(place, "__iter__"):
            raise ModelError(f"{who}: node {name!r} must be given by its coordinates, got {place!r:.60}")
        row = [number(who, f"coordinate of node {name!r}", x, signed=True) for x in place]
        if len(row) not in (2, 3) or (rows and len(row) != len(rows[0])):
            raise ModelError(f"{who}: node {name!r} has {len(row)} coordinates; all nodes have 2, or all have 3")
        rows.append(row)
    return names, np.array(rows)


def _held(points: Joints, supports: Mapping[Hashable, str | Sequence[str]]) -> set[int]:
    """Motions of the supports and of the ground."""
    who, parts = points.who, points.components
    if not isinstance(supports, Mapping):
        raise ModelError(f"{who}: supports must map nodes to directions, got {supports!r}")
    held = {points.motion(len(points.names), part) for part in parts}
    for name, directions in supports.items():
        if str(name) not in points.numbers:
            raise ModelError(
                f"{who}: supports: there is no node {name!r}; nodes are {few(points.names, name, show=repr)}"
            )
        for word in _directions(points, directions):
            if word not in parts:
                raise ModelError(
                    f'{who}: support of node {str(name)!r}: {word!r} is no direction; take "fixed", '
                    f'"pinned" or some of {", ".join(parts)}'
                )
            held.add(points.motion(points.numbers[str(name)], word))
    return held


def _directions(points: Joints, directions: str | Sequence[str]) -> Sequence[str]:
    if not isinstance(directions, str):
        if not isinstance(directions, Sequence) or not all(isinstance(word, str) for word in directions):
            raise ModelError(f"{points.who}: a support is named by directions as text, got {directions!r:.60}")
        return directions
    words = {"fixed": points.components, "pinned": points.translations}
    if directions in words:
        return words[directions]
    return re.findall(r"r?[xyz]", directions) if re.fullmatch(r"(r?[xyz][ ,]*)+", directions) else [directions]


def _diaphragm(
    points: Joints, floor: str, members: Sequence[Hashable], master: Mapping[str, int], weights: Mapping[str, float]
) -> dict[int, Column]:
    """Rigid motion of the floor about its centre of mass, or of its nodes where they have no mass."""
    if isinstance(members, str) or not isinstance(members, Sequence) or len(members) < 2:
        raise ModelError(f"{points.who}: diaphragm {floor!r} needs a list of at least two nodes, got {members!r}")
    for name in members:
        if str(name) not in points.numbers:
            raise ModelError(
                f"{points.who}: diaphragm {floor!r}: there is no node {name!r}; "
                f"nodes are {few(points.names, name, show=repr)}"
            )
    numbers = [points.numbers[str(name)] for name in members]
    places = points.coordinates[numbers]
    load = np.array([weights.get(points.names[node], 0.0) for node in numbers])
    x0, y0 = (np.average(places, axis=0, weights=load) if load.any() else places.mean(axis=0))[:2]
    ties: dict[int, Column] = {}
    for node, place in zip(numbers, places, strict=True):
        if "rz" not in master:
            ties[points.motion(node, "x")] = {master["x"]: 1.0}
            continue
        ties[points.motion(node, "x")] = {master["x"]: 1.0, master["rz"]: -float(place[1] - y0)}
        ties[points.motion(node, "y")] = {master["y"]: 1.0, master["rz"]: float(place[0] - x0)}
        if "rz" in points.components:
            ties[points.motion(node, "rz")] = {master["rz"]: 1.0}
    return ties


def _constraint(points: Joints, name: str, leaders: str | Mapping[str, float]) -> tuple[int, Column]:
    tie = {leaders: 1.0} if isinstance(leaders, str) else dict(leaders)
    for label in (name, *tie):
        if label not in points.labels or str(label).rpartition(".")[0] == GROUND:
            raise ModelError(
                f"{points.who}: constraint: there is no {label!r}; write node and direction, as in {points.labels[0]!r}"
            )
    part = name.rpartition(".")[2]
    factors = {
        label: number(points.who, f"factor of {label!r} in the constraint of {name!r}", x, signed=True)
        for label, x in tie.items()
    }
    for axis in points.translations:
        moved = sum(x for label, x in factors.items() if label.rpartition(".")[2] == axis)
        if abs(moved - (part == axis)) > _HOLDS:
            raise ModelError(
                f"{points.who}: the constraint of {name!r} does not hold when everything moves with the "
                f"ground in direction {axis}; its factors of {axis} must add up to {int(part == axis)}"
            )
    return points.labels.index(name), {points.labels.index(label): x for label, x in factors.items()}


def _tie(points: Joints, motion: int, tie: Column, held: set[int], ties: dict[int, Column], what: str) -> None:
    if motion in held or motion in ties:
        raise ModelError(
            f"{points.who}: {what} moves {points.labels[motion]!r}, which is already "
            f"{'supported' if motion in held else 'constrained'}"
        )
    ties[motion] = tie


def _phrase(label: str, what: str) -> str:
    name, _, part = label.rpartition(".")
    verb = "rotate about" if part.startswith("r") else "move in direction"
    return f"{what} {name!r} can {verb} {part[-1]}"


def storeys_of(points: Joints, transformation: Any, levels: Levels) -> Storeys:
    """Drift of a storey: mean motion of its upper level's nodes less that of its lower level's.

    In three dimensions each storey counts twice, for x and for y. Where nothing but links holds the lowest nodes
    sideways, the first level may be theirs: its drift is that of the isolators, and it has no height. Left out, the
    first storey's drift is relative to them all the same.
    """
    from scipy import sparse

    up = points.coordinates[:, -1]
    names, floors = _floors(points, levels)
    height = np.array([up[nodes].mean() for nodes in floors])
    base = _base(points)
    below = np.concatenate([[base], height[:-1]])
    axes = points.translations[:-1]
    feet = {axis: _loose_feet(points, base, axis) for axis in axes}
    isolated = all(set(floors[0]) <= set(feet[axis]) for axis in axes)
    if isolated:
        height[0] = base
    wrong = height <= below
    wrong[0] &= not isolated
    if wrong.any():
        bad = int(np.flatnonzero(wrong)[0])
        raise ModelError(f"{points.who}: levels go from the ground up, but {names[bad]} is not above what is below it")
    influence = points.influence()
    heights = _elevations(points)
    drift, above, means = [], [], []
    for axis_number, axis in enumerate(axes):
        mean = [_mean(points, transformation, floor, axis) for floor in floors]
        foot = _mean(points, transformation, feet[axis], axis) if feet[axis] and not isolated else 0 * mean[0]
        means += mean
        drift += [high - low for low, high in pairwise([foot, *mean])]
        for name, low, top in zip(names, below, height, strict=True):
            # Everything higher than the middle of the storey moves as one with the level above it.
            higher = heights > (low + top) / 2 if top > low else heights >= low - _FLAT * np.ptp(up)
            row = influence[:, axis_number] * higher[list(points.free)]
            _refuse_torn(points, transformation @ row, higher, axis, name)
            above.append(sparse.csr_array(row[None, :]))
    labels = tuple(f"{name} {axis}" for axis in axes for name in names) if len(axes) > 1 else names
    return Storeys(
        labels,
        np.tile(height - below, len(axes)),
        sparse.csr_array(sparse.vstack(drift)),
        sparse.csr_array(sparse.vstack(above)),
        sparse.csr_array(sparse.vstack(means)),
    )


def _mean(points: Joints, transformation: Any, nodes: Sequence[int], axis: str) -> Any:
    """Mean motion of some nodes, a row by dof."""
    return sum(transformation[[points.motion(node, axis)]] for node in nodes) / len(nodes)


def _loose_feet(points: Joints, base: float, axis: str) -> list[int]:
    """The lowest nodes, where no support holds any of them in a direction; else none."""
    up, known = points.coordinates[:, -1], {*points.free, *points.ties}
    lowest = np.flatnonzero(np.abs(up - base) <= _FLAT * float(np.ptp(up))).tolist()
    return lowest if all(points.motion(node, axis) in known for node in lowest) else []


def _floors(points: Joints, levels: Levels) -> tuple[tuple[str, ...], list[list[int]]]:
    if isinstance(levels, Mapping):
        named = {str(name): list(nodes) for name, nodes in levels.items()}
    elif is_finite(levels):
        return _by_elevation(points, float(levels))  # type: ignore[arg-type]
    else:
        named = {f"storey {place}": list(nodes) for place, nodes in enumerate(levels, 1)}  # type: ignore[arg-type]
    floors = []
    for name, nodes in named.items():
        if not nodes:
            raise ModelError(f"{points.who}: level {name!r} has no nodes")
        floors.append([points.node(node, f"level {name!r}") for node in nodes])
        if len(points.names) in floors[-1]:
            raise ModelError(f"{points.who}: level {name!r} holds the ground; levels begin above it")
    if not floors:
        raise ModelError(f"{points.who}: no levels")
    return tuple(named), floors


def _by_elevation(points: Joints, tolerance: float) -> tuple[tuple[str, ...], list[list[int]]]:
    up = points.coordinates[:, -1]
    order = np.argsort(up, kind="stable")
    floors: list[list[int]] = []
    last = _base(points)
    for node in order[up[order] > last + tolerance]:
        if not floors or up[node] > last + tolerance:
            floors.append([])
        floors[-1].append(int(node))
        last = up[node]
    if not floors:
        raise ModelError(f"{points.who}: no node is higher than the lowest support")
    return tuple(f"storey {place}" for place in range(1, len(floors) + 1)), floors


def _base(points: Joints) -> float:
    known = {*points.free, *points.ties}
    width = len(points.components)
    return float(
        min(
            (
                points.coordinates[node, -1]
                for node in range(len(points.names))
                if any(node * width + part not in known for part in range(width))
            ),
            default=points.coordinates[:, -1].min(),  # held by links to the ground alone
        )
    )


def _elevations(points: Joints) -> Array:
    """Of every motion; a diaphragm is where its nodes are, the ground is below all."""
    width = len(points.components)
    known = np.repeat(points.coordinates[:, -1], width)
    heights = np.concatenate([known, np.full(len(points.labels) - known.size, -np.inf)])
    for motion, tie in points.ties.items():
        for master in tie:
            if master >= known.size:
                heights[master] = heights[motion]
    return heights


def _refuse_torn(points: Joints, moved: Array, higher: Array, axis: str, name: str) -> None:
    for motion in points.ties:
        if points.labels[motion].endswith(f".{axis}") and abs(moved[motion] - higher[motion]) > 1e-9:
            raise ModelError(
                f"{points.who}: levels: {points.labels[motion]!r} is tied to a node on the other side of "
                f"{name}, so that its shear is not defined"
            )
