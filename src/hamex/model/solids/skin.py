"""What is seen of a body: the triangles and lines of its cells in the plane, of its surface in space.

Nodes on sides and faces of cells of degree 2 are corners of smaller triangles, so that a bent side looks bent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.solids.elements import Elements

Array = NDArray[Any]
_SHARP = np.cos(np.radians(30.0))  # between the normals of two faces: more is an edge of the body
# Corners of the sides of the reference cells in space, turned outwards.
_TET = [[(0, 0, 0), (0, 0, 1), (0, 1, 0)], [(0, 0, 0), (1, 0, 0), (0, 0, 1)]]
_TET += [[(0, 0, 0), (0, 1, 0), (1, 0, 0)], [(1, 0, 0), (0, 1, 0), (0, 0, 1)]]
_HEX = [[(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0)], [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)]]
_HEX += [[(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)], [(0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0)]]
_HEX += [[(0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0)], [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]]
_FACES: dict[str, Any] = {
    "tri": [[(0, 0), (1, 0), (0, 1)]],
    "quad": [[(0, 0), (1, 0), (1, 1), (0, 1)]],
    "tet": _TET,
    "hex": _HEX,
}


@dataclass(frozen=True, eq=False)
class Skin:
    """What is seen of a body, by numbers of its nodes.

    Attributes
    ----------
    faces : (face, corner), cells in the plane, their outer sides in space.
    triangles : (triangle, 3), those of one face after those of another; in space turned outwards.
    lines : (line, 2), sides of the cells.
    outline : (line, 2), those at the boundary of a body in the plane, and at sharp edges of one in space.
    """

    faces: Array
    triangles: Array
    lines: Array
    outline: Array


def skin_of(elements: Elements) -> Skin:
    """The skin of a body."""
    in_space = elements.dimension == 3
    rings, middles = _rings(elements)
    if in_space:
        rings, middles = _outer(elements, rings, middles)
    else:
        rings, middles = rings[:, 0], middles[:, 0]
    faces, triangles = rings[:, :: elements.degree], _split(elements.degree, rings, middles)
    sides = np.stack([rings, np.roll(rings, -1, axis=1)], axis=2)  # (face, side, 2)
    lines, which = _once(sides.reshape(-1, 2))
    if not in_space:
        return Skin(faces, triangles, lines, lines[np.bincount(which) == 1])
    return Skin(faces, triangles, lines, lines[_sharp(elements.points, rings, which, len(lines))])


def _rings(elements: Elements) -> tuple[Array, Array]:
    """Nodes around each face of each cell (cell, face, node), and the one in its middle (cell, face, 0 or 1)."""
    spots = elements.element.doflocs
    rings, middles = [], []
    for corners in np.array(_FACES[elements.cell], dtype=float):
        around = corners
        if elements.degree == 2:
            half = 0.5 * (corners + np.roll(corners, -1, axis=0))
            around = np.stack([corners, half], axis=1).reshape(-1, elements.dimension)
        rings.append([_at(spots, point) for point in around])
        inside = elements.degree == 2 and len(corners) == 4
        middles.append([_at(spots, corners.mean(axis=0))] if inside else [])
    return elements.nodes[:, np.array(rings)], elements.nodes[:, np.array(middles, dtype=np.int64)]


def _at(spots: Array, point: Array) -> int:
    """Number of the node of the reference cell at a point."""
    return int(np.abs(spots - point).max(axis=1).argmin())


def _outer(elements: Elements, rings: Array, middles: Array) -> tuple[Array, Array]:
    """Faces that belong to one cell only, turned outwards."""
    corner = rings[..., :: elements.degree]
    ordered = np.sort(corner.reshape(-1, corner.shape[-1]), axis=1).astype(np.int64)
    count = len(elements.points)
    key = (ordered[:, 0] * count + ordered[:, 1]) * count + ordered[:, 2]  # three corners tell a face
    _, where, often = np.unique(key, return_inverse=True, return_counts=True)
    alone = np.flatnonzero(often[where] == 1)
    cell = alone // rings.shape[1]
    faces = rings.shape[0] * rings.shape[1]
    rings, middles = (part.reshape(faces, part.shape[2])[alone] for part in (rings, middles))
    inside_out = np.asarray(elements.mapping.detDF(elements.rule[0][:, :1], tind=cell)).ravel() < 0
    rings[inside_out] = np.roll(rings[inside_out][:, ::-1], 1, axis=1)  # corners stay in even places
    return rings, middles


def _split(degree: int, rings: Array, middles: Array) -> Array:
    """(triangle, 3) of faces with nodes around them (face, node), and in their middle where there is one."""
    n = rings.shape[1]
    if degree == 1:
        inside = [(0, k, k + 1) for k in range(1, n - 1)]
    elif middles.shape[1]:
        rings = np.hstack([rings, middles])
        inside = [(n, k, (k + 1) % n) for k in range(n)]
    else:
        inside = [(0, 1, 5), (1, 2, 3), (5, 3, 4), (1, 3, 5)]
    return rings[:, np.array(inside)].reshape(-1, 3)


def _once(pairs: Array) -> tuple[Array, Array]:
    """Each pair of nodes once, whichever way it is written, and which of them each is."""
    ordered = np.sort(pairs, axis=1).astype(np.int64)
    size = int(ordered.max()) + 1
    found, which = np.unique(ordered[:, 0] * size + ordered[:, 1], return_inverse=True)
    return np.stack(np.divmod(found, size), axis=1), which


def _sharp(points: Array, rings: Array, which: Array, count: int) -> Array:
    """(line,), True where the faces on both sides of a line meet at an edge of the body."""
    corner = points[rings]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, -1] - corner[:, 0])
    normal = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    owner = np.repeat(np.arange(len(rings)), rings.shape[1])
    total = np.zeros((count, 3))
    np.add.at(total, which, normal[owner])
    # |n₁ + n₂|² = 2 + 2 n₁·n₂ of two faces.
    return np.asarray((total**2).sum(axis=1) < 2 + 2 * _SHARP)
