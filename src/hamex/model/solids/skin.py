"""What is seen of a body: the triangles and lines of its cells in the plane, of its surface in space; and values at the
points of stress, carried to nodes and places.

Nodes on sides and faces of cells of degree 2 are corners of smaller triangles, so that a bent side looks bent.

Stresses are (…, m) in the order of :data:`hamex.model.solids.material.STRAINS`; what a plane leaves out is zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.solids.material import Elements

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


TENSOR = ("xx", "yy", "zz", "xy", "yz", "zx")


def carried(points: Array, places: Array) -> Array:
    """(place, point): weights that carry values at points of the reference cell (dimension, point) to other places of
    it (dimension, place).

    They are those of the linear function nearest to the values in the least squares; of a single point, its value.
    More would follow the noise between the points of one cell.

    >>> square = np.array([[0.2, 0.8, 0.2, 0.8], [0.2, 0.2, 0.8, 0.8]])
    >>> weights = carried(square, np.array([[0.0, 1.0], [0.0, 0.5]]))
    >>> (weights @ (1 + 2 * square[0] - square[1])).round(12).tolist()
    [1.0, 2.5]
    """
    count = points.shape[1]
    if count <= len(points):
        return np.full((places.shape[1], count), 1 / count)
    linear = np.vstack([np.ones(count), points]).T
    return np.asarray(np.vstack([np.ones(places.shape[1]), places]).T @ np.linalg.pinv(linear))


def tensor(components: Sequence[str], values: Array, shear: float = 1.0) -> Array:
    """(…, 6) in the order xx, yy, zz, xy, yz, zx; shear components times ``shear`` (½ makes strains a tensor).

    >>> tensor(("xx", "yy", "xy"), np.array([3.0, 1.0, 2.0])).tolist()
    [3.0, 1.0, 0.0, 2.0, 0.0, 0.0]
    """
    out = np.zeros((*values.shape[:-1], 6))
    for place, name in enumerate(components):
        out[..., TENSOR.index(name)] = values[..., place] * (1.0 if name[0] == name[1] else shear)
    return out


def von_mises(components: Sequence[str], stress: Array) -> Array:
    """√(3/2 s:s), s the deviator: the uniaxial stress that distorts as much.

    >>> von_mises(("xx", "yy", "xy"), np.array([[5.0, 0.0, 0.0], [0.0, 0.0, 1.0]])).round(6).tolist()
    [5.0, 1.732051]
    """
    xx, yy, zz, xy, yz, zx = np.moveaxis(tensor(components, stress), -1, 0)
    apart = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    return np.asarray(np.sqrt(0.5 * apart + 3 * (xy**2 + yz**2 + zx**2)))


def mean_stress(components: Sequence[str], stress: Array) -> Array:
    """(xx + yy + zz)/3; positive in tension."""
    return np.asarray(tensor(components, stress)[..., :3].sum(axis=-1) / 3)


def principal(components: Sequence[str], stress: Array) -> Array:
    """(…, 3), principal stresses, largest first.

    >>> principal(("xx", "yy", "xy"), np.array([0.0, 0.0, 2.0])).round(12).tolist()
    [2.0, 0.0, -2.0]
    """
    full = tensor(components, stress)
    return np.asarray(np.linalg.eigvalsh(full[..., [[0, 3, 5], [3, 1, 4], [5, 4, 2]]])[..., ::-1])


def equivalent_strain(components: Sequence[str], strain: Array) -> Array:
    """√(2/3 ε:ε) of plastic strains, the uniaxial one in a straight pull; in plane stress with εzz = −(εxx + εyy).

    >>> equivalent_strain(("xx", "yy", "zz", "xy"), np.array([0.02, -0.01, -0.01, 0.0])).round(12).tolist()
    0.02
    """
    full = tensor(components, strain, shear=0.5)
    if "zz" not in components:
        full[..., 2] = -(full[..., 0] + full[..., 1])
    return np.asarray(np.sqrt(2 / 3 * ((full[..., :3] ** 2).sum(axis=-1) + 2 * (full[..., 3:] ** 2).sum(axis=-1))))
