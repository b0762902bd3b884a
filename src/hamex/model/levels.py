"""Storeys of a frame or truss: levels by lists of nodes or by elevation."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite
from hamex.errors import ModelError
from hamex.model.joints import Joints
from hamex.model.layout import Storeys

Array = NDArray[Any]
_FLAT = 1e-9  # of the height of a structure: nodes closer than this are at one level
# Nodes by floor from the first above the ground up, with or without names; or the tolerance of elevation [length].
Levels = Mapping[str, Sequence[Hashable]] | Sequence[Sequence[Hashable]] | float


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
