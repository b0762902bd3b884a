"""Bodies in files of VTK, as ParaView opens them: nodes of cells of degree 2 in VTK's own order.

The orders are those of vtkQuadraticTriangle, vtkBiQuadraticQuad, vtkQuadraticTetra and vtkTriQuadraticHexahedron,
written as places in the reference cell: those of scikit-fem are found by their coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import MissingPackageError
from hamex.model.solids.body import Body

Array = NDArray[Any]
_NAMES = {("tri", 1): "triangle", ("quad", 1): "quad", ("tet", 1): "tetra", ("hex", 1): "hexahedron"}
_NAMES |= {("tri", 2): "triangle6", ("quad", 2): "quad9", ("tet", 2): "tetra10", ("hex", 2): "hexahedron27"}
_SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
_CORNERS: dict[str, list[tuple[int, ...]]] = {
    "tri": [(0, 0), (1, 0), (0, 1)],
    "quad": [*_SQUARE],
    "tet": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "hex": [(*corner, z) for z in (0, 1) for corner in _SQUARE],
}
# Corners between which the further nodes of degree 2 lie: sides, then faces, then the middle.
_RING = [(0, 1), (1, 2), (2, 3), (3, 0)]
_BETWEEN: dict[str, list[tuple[int, ...]]] = {
    "tri": [(0, 1), (1, 2), (2, 0)],
    "quad": [*_RING, (0, 1, 2, 3)],
    "tet": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
    "hex": [
        *_RING,
        *((a + 4, b + 4) for a, b in _RING),
        *((a, a + 4) for a in range(4)),
        *((0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7)),
        (0, 1, 2, 3, 4, 5, 6, 7),
    ],
}


def spots(cell: str, degree: int) -> Array:
    """(node, dimension): nodes of VTK's reference cell, in its order.

    >>> spots("tri", 2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]]
    """
    corners = np.array(_CORNERS[cell], dtype=float)
    if degree == 1:
        return corners
    return np.vstack([corners, *(corners[list(some)].mean(axis=0) for some in _BETWEEN[cell])])


def cells_of(body: Body) -> Array:
    """(cell, node), nodes of the cells in VTK's order; cells that scikit-fem turns inside out are turned back."""
    elements = body.elements
    own, theirs = elements.element.doflocs, spots(body.cell, body.degree)
    found = elements.nodes[:, _places(own, theirs)]
    middle = own.mean(axis=0)[:, None]
    inverted = np.asarray(elements.mapping.detDF(middle)).ravel() < 0
    swapped = theirs.copy()
    swapped[:, :2] = theirs[:, 1::-1]  # every reference cell is its own image when x and y change places
    found[inverted] = elements.nodes[inverted][:, _places(own, swapped)]
    return found


def _places(own: Array, theirs: Array) -> Array:
    """Which of our nodes of the reference cell each of theirs is."""
    return np.asarray(np.abs(own[None] - theirs[:, None]).max(axis=2).argmin(axis=1))


def check_meshio() -> None:
    """Refuse to start without the package that writes."""
    try:
        import meshio  # noqa: F401
    except ImportError:
        raise MissingPackageError("files of VTK need meshio: pip install 'hamex[fem]'") from None


def write_vtu(path: Path, body: Body, cells: Array, points: Mapping[str, Array], means: Mapping[str, Array]) -> None:
    """Write a body with values at its nodes and means of its cells, packed; ``cells`` are those of :func:`cells_of`."""
    import meshio

    places = np.zeros((len(body.nodes), 3))
    places[:, : body.dimension] = body.nodes
    mesh = meshio.Mesh(
        places,
        [(_NAMES[body.cell, body.degree], cells)],
        point_data={name: _vector(values) for name, values in points.items()},
        cell_data={name: [_single(values)] for name, values in means.items()},
    )
    meshio.vtu.write(path, mesh)


def _vector(values: Array) -> Array:
    """Vectors of the plane have a third component, as VTK wants them."""
    if values.ndim == 2 and values.shape[1] == 2:
        values = np.hstack([values, np.zeros((len(values), 1))])
    return _single(values)


def _single(values: Array) -> Array:
    """Numbers for eyes: half the size, seven digits."""
    return np.ascontiguousarray(values, dtype=np.float32 if values.dtype.kind == "f" else values.dtype)
