"""Values at points of stress: carried to nodes without loss where they are linear, and numbers free of the axes."""

import numpy as np
import pytest

import hamex as hx
from hamex.model.solids import skin

RUBBER = hx.Material(density=1.0, modulus=10.0, poisson=0.25)
MESHES = {
    "tri": lambda: hx.meshes.rectangle(2.0, 1.0, (3, 2), cells="triangles"),
    "quad": lambda: hx.meshes.rectangle(2.0, 1.0, (3, 2)),
    "tet": lambda: hx.meshes.box(2.0, 1.0, 1.0, (2, 1, 1), cells="tetrahedra"),
    "hex": lambda: hx.meshes.box(2.0, 1.0, 1.0, (2, 1, 1)),
}


@pytest.mark.parametrize("cell", MESHES)
def test_strains_of_a_quadratic_field_are_exact_at_every_node(cell):
    """Analytic: u_x = x², u_y = x y has the strains 2x, x and γ = y; nodes at the boundary included."""
    body = hx.solid(MESHES[cell](), RUBBER, degree=2).body
    x, y = body.nodes[:, 0], body.nodes[:, 1]
    moved = np.zeros_like(body.nodes)
    moved[:, 0], moved[:, 1] = x**2, x * y
    strain = body.at_nodes(body.strain(moved))
    for name, exact in (("xx", 2 * x), ("yy", x), ("zz", 0 * x), ("xy", y)):
        assert strain[:, body.components.index(name)] == pytest.approx(exact, abs=1e-12), name


def test_means_of_cells_are_means_by_volume():
    body = hx.solid(hx.meshes.ring(1.0, 2.0, (2, 3)), RUBBER, plane="axisymmetric").body
    x = body.places[..., 0]
    assert (body.in_cells(x) * body.volumes.sum(axis=1)).sum() == pytest.approx((x * body.volumes).sum(), rel=1e-13)
    assert body.in_cells(np.ones_like(x)) == pytest.approx(1.0, rel=1e-14)


def test_numbers_that_do_not_depend_on_the_axes():
    """A turned stress has the same von Mises, mean and principal stresses."""
    noise = np.random.default_rng(3)
    turn, _ = np.linalg.qr(noise.normal(size=(3, 3)))
    stress = noise.normal(size=(3, 3))
    stress = stress + stress.T

    def vector(s):
        return np.array([s[0, 0], s[1, 1], s[2, 2], s[0, 1], s[1, 2], s[2, 0]])

    one, other = vector(stress), vector(turn @ stress @ turn.T)
    for number in (skin.von_mises, skin.mean_stress, skin.principal):
        assert number(skin.TENSOR, one) == pytest.approx(number(skin.TENSOR, other), rel=1e-12)
    low, middle, high = np.sort(np.linalg.eigvalsh(stress))
    apart = (high - middle) ** 2 + (middle - low) ** 2 + (low - high) ** 2
    assert skin.von_mises(skin.TENSOR, one) == pytest.approx(np.sqrt(apart / 2), rel=1e-12)  # analytic


def test_plastic_strain_of_plane_stress_keeps_the_volume():
    pulled = skin.equivalent_strain(("xx", "yy", "xy"), np.array([0.02, -0.01, 0.0]))
    sheared = skin.equivalent_strain(("xx", "yy", "xy"), np.array([0.0, 0.0, 0.03]))
    assert (pulled, sheared) == pytest.approx((0.02, 0.03 / np.sqrt(3)), rel=1e-12)  # analytic
