"""Files of VTK: nodes stand where VTK's own cells have them, for every cell and degree, and values at their nodes."""

import numpy as np
import pytest

import hamex as hx
from hamex.solution.containers import cells_of, write_vtu

meshio = pytest.importorskip("meshio")
RUBBER = hx.Material(density=1.0, modulus=10.0, poisson=0.25)
MESHES = {
    "triangle": lambda: hx.meshes.rectangle(2.0, 1.0, (3, 2), cells="triangles"),
    "quad": lambda: hx.meshes.ring(1.0, 2.0, (2, 3)),
    "tetra": lambda: hx.meshes.box(2.0, 1.0, 1.0, (2, 2, 1), cells="tetrahedra"),
    "hexahedron": lambda: hx.meshes.box(2.0, 1.0, 1.0, (2, 2, 1)),
}
# External: the class descriptions of vtkQuadraticTriangle, vtkBiQuadraticQuad, vtkQuadraticTetra and (its picture)
# vtkTriQuadraticHexahedron, Kitware, VTK 9. Corners between which the nodes behind the corners lie.
SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0)]
BETWEEN = {
    "triangle6": (3, [(0, 1), (1, 2), (2, 0)]),
    "quad9": (4, [*SQUARE, (0, 1, 2, 3)]),
    "tetra10": (4, [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]),
    "hexahedron27": (
        8,
        [
            *SQUARE,
            *[(4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)],
            *[(0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7), range(8)],
        ],
    ),
}


def field(x):
    return x[:, 0] ** 2 - 3 * x[:, 0] * x[:, 1] + x[:, -1] ** 2


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("cell", MESHES)
def test_a_quadratic_field_stands_at_its_places(cell, degree, tmp_path):
    body = hx.solid(MESHES[cell](), RUBBER, degree=degree).body
    points = {"field": field(body.nodes), "moved": body.nodes.copy()}
    means = {"number": np.arange(len(body.corners))}
    write_vtu(tmp_path / "body.vtu", body, cells_of(body), points, means)
    read = meshio.read(tmp_path / "body.vtu")
    (block,) = read.cells
    assert block.type == ({1: cell} | {2: next(name for name in BETWEEN if name.startswith(cell))})[degree]
    assert read.point_data["field"] == pytest.approx(field(read.points[:, : body.dimension]), abs=1e-6)
    assert read.point_data["moved"][:, : body.dimension] == pytest.approx(body.nodes, abs=1e-6)
    assert read.point_data["moved"].shape[1] == 3
    assert read.cell_data["number"][0].tolist() == list(range(len(body.corners)))
    if degree == 2:
        corners, between = BETWEEN[block.type]
        own = read.points[block.data]
        for place, some in enumerate(between):
            assert own[:, corners + place] == pytest.approx(own[:, list(some)].mean(axis=1), abs=1e-12), some


@pytest.mark.parametrize("cell", MESHES)
def test_cells_are_not_turned_inside_out(cell):
    """Scikit-fem numbers the corners of half of all simplices the other way round."""
    body = hx.solid(MESHES[cell](), RUBBER).body
    corner = body.nodes[cells_of(body)]
    last = {"triangle": (1, 2), "quad": (1, 3), "tetra": (1, 2, 3), "hexahedron": (1, 3, 4)}[cell]
    edges = np.stack([corner[:, k] - corner[:, 0] for k in last], axis=1)
    assert np.linalg.det(edges).min() > 0
