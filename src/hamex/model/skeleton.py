"""What trusses and frames share: elements by name, masses of nodes, links, levels, and the way to the Model."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ImplausibleWarning, ModelError
from hamex.model.algebra import elastic_stiffness
from hamex.model.assembly import Block, Column, DampingLike, Dashpot, assemble, matrix_of, spring
from hamex.model.inputs import number, unique
from hamex.model.joints import GROUND, Joints, Levels, storeys_of
from hamex.model.layout import Geometry, Storeys
from hamex.model.links import Link, named
from hamex.model.record import Model
from hamex.model.units import Units

Array = NDArray[Any]
Masses = Mapping[Hashable, float | Sequence[float]]
_SMALL = 2000  # dofs up to which one more solution costs next to nothing


@dataclass(frozen=True)
class PlacedElement:
    """One bar or member on its nodes: springs by motion, and columns that gravity makes softer.

    ``softened`` are pairs (column, weight) of geometric stiffness ``weight · b bᵀ``.
    """

    name: str
    start: int
    end: int
    blocks: tuple[Block, ...]
    softened: tuple[tuple[Column, float], ...] = ()


def listed(who: str, what: str, given: Any, links: Sequence[Link]) -> list[tuple[str, Any]]:
    """Elements with their names: those of a mapping, or "A-B" after the nodes; none where links hold everything."""
    if not isinstance(given, Mapping | Sequence) or isinstance(given, str) or not (len(given) or links):
        raise ModelError(f"{who}: {what} must be a list or a mapping of names, at least one or a link; got {given!r}")
    if isinstance(given, Mapping):
        pairs = [(str(name), element) for name, element in given.items()]
    else:
        pairs = [(_ends(who, what, element), element) for element in given]
    unique(who, what, [name for name, _ in pairs])
    return pairs


def _ends(who: str, what: str, element: Any) -> str:
    if hasattr(element, "start"):
        return f"{element.start}-{element.end}"
    if isinstance(element, Sequence) and not isinstance(element, str) and len(element) == 2:
        return f"{element[0]}-{element[1]}"
    raise ModelError(f"{who}: {what}: {element!r} is no pair of nodes")


def span(points: Joints, name: str, start: object, end: object) -> tuple[int, int, float, Array]:
    """Nodes of an element, its length and its direction."""
    a, b = points.node(start, name), points.node(end, name)
    if len(points.names) in (a, b):
        raise ModelError(f"{points.who}: {name}: an element joins two nodes; to reach the ground, support one of them")
    line = points.coordinates[b] - points.coordinates[a]
    length = float(np.linalg.norm(line))
    if length <= 1e-12 * np.ptp(points.coordinates, axis=0).max():
        raise ModelError(
            f"{points.who}: {name} has zero length: nodes {points.names[a]!r} and {points.names[b]!r} coincide"
        )
    return a, b, length, line / length


def relative(points: Joints, a: int, b: int, vector: Array) -> dict[int, float]:
    """Column of ``vector · (u_b − u_a)`` by motion."""
    column: dict[int, float] = {}
    for axis, x in zip(points.translations, vector, strict=True):
        if x != 0:
            column[points.motion(b, axis)] = float(x)
            column[points.motion(a, axis)] = -float(x)
    return column


def horizontal_masses(who: str, masses: Masses) -> dict[str, float]:
    """Mass in the first direction by node, to find the centre of a diaphragm."""
    if not isinstance(masses, Mapping):
        raise ModelError(f"{who}: masses must map nodes to numbers, got {masses!r}")
    found = {}
    for name, value in masses.items():
        first = next(iter(value), 0.0) if isinstance(value, Sequence | np.ndarray) and np.ndim(value) else value
        found[str(name)] = number(who, f"mass of {str(name)!r}", first)
    return found


def _mass(points: Joints, masses: Masses) -> Any:
    """``Tᵀ M T`` of the masses at the nodes and diaphragms."""
    from scipy import sparse

    diagonal = np.zeros(len(points.labels))
    by_name: dict[str, list[int]] = {}
    for motion, label in enumerate(points.labels[: points.unhinged]):
        by_name.setdefault(label.rpartition(".")[0], []).append(motion)
    for name, value in masses.items():
        if str(name) not in by_name or (str(name) == GROUND and GROUND not in points.names):
            raise ModelError(f"{points.who}: masses: there is no node {name!r}")
        motions = by_name[str(name)]
        moves = [m for m in motions if points.labels[m].rpartition(".")[2] in points.translations]
        row = list(value) if np.ndim(value) else [value] * len(moves)  # type: ignore[arg-type]
        if len(row) not in (len(moves), len(motions)):
            parts = ", ".join(points.labels[m].rpartition(".")[2] for m in motions)
            raise ModelError(
                f"{points.who}: mass of {str(name)!r}: {len(row)} numbers for directions {parts}; give "
                f"one for all translations, {len(moves)} for each, or {len(motions)} with rotary masses"
            )
        for motion, x in zip(motions, row, strict=False):
            diagonal[motion] = number(points.who, f"mass of {points.labels[motion]!r}", x)
    transformation = points.transformation()
    mass = sparse.csr_array(transformation.T @ sparse.diags_array(diagonal) @ transformation)
    mass.eliminate_zeros()
    if mass.nnz == 0:
        raise ModelError(f"{points.who}: no free dof has a mass")
    return mass


def complete(
    points: Joints,
    elements: Sequence[PlacedElement],
    masses: Masses,
    damping: DampingLike,
    links: Sequence[Link],
    levels: Levels | None,
    units: Units | None,
) -> Model:
    """Add links and masses, eliminate what is constrained, and fill the record."""
    who = points.who
    devices = [_device(points, name, link) for name, link in named(who, links, [each.name for each in elements])]
    parts = [*elements, *(element for element, _ in devices)]
    _refuse_loose(points, parts)
    dashpots = [dashpot for _, dashpot in devices if dashpot is not None]
    softened = [pair for each in elements for pair in each.softened]
    blocks, columns, support_names = points.reduce(
        [block for each in parts for block in each.blocks],
        [*(dashpot.column for dashpot in dashpots), *(column for column, _ in softened)],
    )
    dofs = points.dofs
    rows = points.transformation()
    width = len(points.components)
    moves = [node * width + axis for node in range(len(points.names)) for axis in range(len(points.translations))]
    fixed = len(points.names)  # a link to the ground is drawn as a point
    ends = [(a if a != fixed else b, b if b != fixed else a) for a, b in ((each.start, each.end) for each in parts)]
    phrases = points.phrases()
    model = assemble(
        who,
        dofs=dofs,
        motions=phrases,
        mass=_mass(points, masses),
        blocks=blocks,
        dashpots=[Dashpot(column, each.coefficient) for column, each in zip(columns, dashpots, strict=False)],
        geometric=matrix_of(columns[len(dashpots) :], [weight for _, weight in softened], len(dofs)),
        damping=damping,
        influence=points.influence(),
        directions=points.translations,
        support_names=support_names,
        units=units,
        storeys=storeys_of(points, rows, levels) if levels is not None else None,
        geometry=Geometry(
            points.names,
            points.coordinates,
            rows[moves],
            np.array(ends, dtype=np.intp).reshape(-1, 2),
            tuple(each.name for each in parts),
            (),
        ),
        critical=lambda shape: phrases[int(np.argmax(abs(shape[: len(dofs) - len(points.hinged)])))],
        hinged=len(points.hinged),
    )
    if model.storeys is not None:
        _warn_of_masses(who, model, model.storeys)
    return model


def _warn_of_masses(who: str, model: Model, storeys: Storeys) -> None:
    """Warn of levels without mass among others that have some, and of a first period that no building has; Rayleigh's
    quotient of the shape under the weight pushed sideways bounds it from below."""
    from scipy import sparse
    from scipy.sparse.linalg import spsolve

    count = len(storeys.names) // model.horizontal
    moved = model.mass @ model.influence[:, : model.horizontal]
    above = np.array([storeys.above[[i]] @ moved[:, i // count] for i in range(len(storeys.names))])
    own = np.max(-np.diff(above.reshape(-1, count), axis=1, append=0.0), axis=0)
    levels = [name.removesuffix(" x") if model.horizontal > 1 else name for name in storeys.names[:count]]
    empty = [levels[i] for i in np.flatnonzero((own == 0) & (storeys.heights[:count] > 0))]
    if empty and own.any():
        names, one = ", ".join(map(repr, empty)), len(empty) == 1
        warnings.warn(
            f"{who}: level{'' if one else 's'} {names} {'has' if one else 'have'} no mass, and the others have; "
            f"give {'its' if one else 'their'} nodes masses, or leave {'it' if one else 'them'} out of the levels",
            ImplausibleWarning,
            stacklevel=4,
        )
    if model.units.are_stated and moved.any() and len(model.dofs) <= _SMALL:
        elastic = elastic_stiffness(0 * model.stiffness, model.flexibility, model.compatibility)
        shape = np.asarray(spsolve(sparse.csc_array(elastic), moved[:, 0]))
        work = float(shape @ moved[:, 0])
        period = 2 * np.pi * np.sqrt(float(shape @ (model.mass @ shape)) / work) if work > 0 else 0.0
        beside = "the moduli in {0}/{1}²" if who == "frame" else "the rigidities in {0}"
        model.units.warn_if_slow(who, period, count, beside.format(model.units.force, model.units.length), 5)


def _device(points: Joints, name: str, link: Link) -> tuple[PlacedElement, Dashpot | None]:
    a, b = points.node(link.start, name), points.node(link.end, name)
    if a == b:
        raise ModelError(f"{points.who}: {name} begins and ends at the same point")
    if link.plan:
        columns = tuple(_along(points, name, a, b, part) for part in link.plan)
        law = link.law
        block = Block(
            tuple(f"{name}.{part}" for part in link.plan),
            columns,
            np.eye(len(columns)) / number(points.who, f"stiffness of {name}", link.stiffness, positive=True),
            ((tuple(range(len(columns))), law),),  # type: ignore[arg-type]
            name,
        )
        return PlacedElement(name, a, b, (block,)), None
    column = _along(points, name, a, b, link.direction)
    if link.law is None and link.stiffness is None:
        return PlacedElement(name, a, b, ()), Dashpot(column, link.coefficient)
    return PlacedElement(name, a, b, tuple(spring(points.who, name, column, link.stiffness, link.law, name))), None


def _along(points: Joints, name: str, a: int, b: int, direction: str | None) -> dict[int, float]:
    if direction is None:
        if len(points.names) in (a, b):
            raise ModelError(
                f"{points.who}: {name} goes to the ground and needs a direction, one of {', '.join(points.components)}"
            )
        line = points.coordinates[b] - points.coordinates[a]
        length = float(np.linalg.norm(line))
        if length <= 1e-12 * np.ptp(points.coordinates, axis=0).max():
            raise ModelError(
                f"{points.who}: {name} has zero length and needs a direction, one of {', '.join(points.components)}"
            )
        return relative(points, a, b, line / length)
    if direction not in points.components:
        raise ModelError(
            f"{points.who}: {name}: {direction!r} is no direction; take one of {', '.join(points.components)}"
        )
    return {points.motion(b, direction): 1.0, points.motion(a, direction): -1.0}


def _refuse_loose(points: Joints, parts: Sequence[PlacedElement]) -> None:
    """Refuse nodes that no element holds, and groups of nodes without a support."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    count = len(points.names)
    touched = {node for each in parts for node in (each.start, each.end)}
    width = len(points.components)
    pairs = [(each.start, each.end) for each in parts]
    # Ties join nodes; a diaphragm is a point of its own beyond the ground.
    floors = {
        label: count + 1 + i
        for i, label in enumerate(
            dict.fromkeys(label.rpartition(".")[0] for label in points.labels[(count + 1) * width : points.unhinged])
        )
    }

    def point(motion: int) -> int:
        name = points.labels[motion].rpartition(".")[0]
        return motion // width if motion < (count + 1) * width else floors[name]

    pairs += [(point(motion), point(master)) for motion, tie in points.ties.items() for master in tie]
    known = {*points.free, *points.ties}
    pairs += [(node, count) for node in range(count) if any(node * width + part not in known for part in range(width))]
    row, column = np.array(pairs).T
    size = count + 1 + len(floors)
    _, label = connected_components(
        sparse.csr_array((np.ones(len(pairs)), (row, column)), shape=(size, size)), directed=False
    )
    tied = {point(motion) for motion in points.ties}
    for node, name in enumerate(points.names):
        if node not in touched and node not in tied:
            raise ModelError(f"{points.who}: node {name!r} is attached to no element")
        if label[node] != label[count]:
            group = [other for i, other in enumerate(points.names) if label[i] == label[node]]
            raise ModelError(
                f"{points.who}: node {name!r} is not connected to any support"
                + (f", nor are {', '.join(map(repr, group[1:6]))}" if len(group) > 1 else "")
            )
