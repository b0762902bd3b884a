"""What is seen of a body: closed, turned outwards, with the edges of the body."""

import numpy as np
import pytest

import hamex as hx

RUBBER = hx.Material(density=1.0, modulus=10.0, poisson=0.25)
PLANE = {
    "tri": lambda: hx.meshes.rectangle(2.0, 1.0, (3, 2), cells="triangles"),
    "quad": lambda: hx.meshes.rectangle(2.0, 1.0, (3, 2)),
}
SPACE = {
    "tet": lambda: hx.meshes.box(2.0, 1.0, 1.0, (2, 2, 1), cells="tetrahedra"),
    "hex": lambda: hx.meshes.box(2.0, 1.0, 1.0, (2, 2, 1)),
}


def length(body, lines):
    return np.linalg.norm(body.nodes[lines[:, 1]] - body.nodes[lines[:, 0]], axis=1).sum()


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("cell", PLANE)
def test_in_the_plane_every_cell_is_covered_once(cell, degree):
    body = hx.solid(PLANE[cell](), RUBBER, degree=degree).body
    a, b, c = (body.nodes[body.skin.triangles[:, k]] for k in range(3))
    area = np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    assert area.min() > 0
    assert area.sum() == pytest.approx(2.0, rel=1e-12)
    assert length(body, body.skin.outline) == pytest.approx(6.0, rel=1e-12)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("cell", SPACE)
def test_in_space_the_surface_is_closed_and_turned_outwards(cell, degree):
    """By the divergence theorem ∮ x·n dA is three times the volume; ∮ n dA vanishes for a closed surface."""
    body = hx.solid(SPACE[cell](), RUBBER, degree=degree).body
    a, b, c = (body.nodes[body.skin.triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a) / 2
    assert np.linalg.norm(normal, axis=1).sum() == pytest.approx(10.0, rel=1e-12)
    assert normal.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-13)
    assert ((a + b + c) / 3 * normal).sum() == pytest.approx(6.0, rel=1e-12)
    assert length(body, body.skin.outline) == pytest.approx(16.0, rel=1e-12)  # four times 2 + 1 + 1
    assert len(body.skin.triangles) % len(body.skin.faces) == 0


def test_what_is_held_and_what_is_driven():
    mesh = hx.meshes.rectangle(2.0, 1.0, (2, 1))
    body = hx.solid(mesh, RUBBER, fixed={"left": "x"}, moving={"right": "y"}).body
    x = body.nodes[:, 0]
    assert np.array_equal(body.held, np.stack([x == 0, np.zeros(6, dtype=bool)], axis=1))
    assert np.array_equal(body.driven, np.stack([np.zeros(6, dtype=bool), x == 2], axis=1))
