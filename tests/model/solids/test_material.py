"""Materials: elasticity under each hypothesis, waves, fields, and numbers that are refused."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ModelError
from hamex.model.solids.material import STRAINS

HERE = np.zeros((3, 1))


def test_isotropic_elasticity_under_every_hypothesis():
    """Reference: analytic, Hooke's law."""
    E, nu = 210.0, 0.3
    steel = hx.Material(density=1.0, modulus=E, poisson=nu)
    compliance = np.linalg.inv(steel.stiffness("space", HERE)[0])
    assert compliance[:3, :3] == pytest.approx((np.eye(3) * (1 + nu) - nu) / E)
    assert compliance[3:, 3:] == pytest.approx(np.eye(3) * 2 * (1 + nu) / E)
    assert compliance[:3, 3:] == pytest.approx(np.zeros((3, 3)), abs=1e-18)
    plane = steel.stiffness("stress", HERE)[0]
    assert plane == pytest.approx(E / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]]))
    for hypothesis in ("strain", "axisymmetric"):
        assert np.array_equal(steel.stiffness(hypothesis, HERE)[0], steel.stiffness("space", HERE)[0][:4, :4])
    assert [len(STRAINS[each]) for each in ("space", "strain", "axisymmetric", "stress")] == [6, 4, 4, 3]


def test_plane_stress_of_an_orthotropic_material_is_its_compliance():
    """Reference: analytic, stresses that are zero leave the rows of the compliance that stay."""
    S = np.diag([1 / 10.0, 1 / 2.0, 1 / 5.0, 1 / 3.0, 1 / 0.7, 1 / 0.9])
    S[0, 1] = S[1, 0] = -0.02
    S[0, 2] = S[2, 0] = -0.01
    S[1, 2] = S[2, 1] = -0.03
    wood = hx.Material(density=1.0, elasticity=np.linalg.inv(S))
    assert np.linalg.inv(wood.stiffness("stress", HERE)[0]) == pytest.approx(S[np.ix_([0, 1, 3], [0, 1, 3])])


def test_speeds_of_waves_and_back():
    """Reference: analytic, ρ c_P² = λ + 2G, ρ c_S² = G."""
    soil = hx.Material.of_waves(density=1.8, shear=200.0, pressure=410.0)
    pressure, shear = soil.speeds(HERE)
    assert (pressure.item(), shear.item()) == pytest.approx((410.0, 200.0), rel=1e-12)
    wood = hx.Material(2.0, elasticity=np.diag([8.0, 2.0, 3.0, 0.5, 0.6, 0.9]))
    assert np.concatenate(wood.speeds(HERE)) == pytest.approx(np.sqrt([4.0, 0.45]))
    steel = hx.Material(density=2.0, modulus=30.0, poisson=0.25)
    assert np.concatenate(steel.speeds(HERE)) == pytest.approx(np.sqrt([36.0 / 2, 12.0 / 2]))
    with pytest.raises(ModelError, match=r"faster than √\(4/3\) times"):
        hx.Material.of_waves(density=1.8, shear=200.0, pressure=210.0)


def test_fields_give_one_number_for_each_point():
    graded = hx.Material(density=lambda x: 1 + x[0], modulus=lambda x: 10 + x[1], poisson=0.25)
    x = np.array([[0.0, 1.0, 2.0], [0.0, 5.0, 0.0]])
    assert graded.weight(x).tolist() == [1.0, 2.0, 3.0]
    assert graded.stiffness("strain", x).shape == (3, 4, 4)
    assert graded.stiffness("strain", x)[:, 3, 3] == pytest.approx(np.array([10.0, 15.0, 10.0]) / 2.5)
    assert not graded.uniform
    assert graded.with_law(hx.laws.J2(1.0)).law == hx.laws.J2(1.0)
    assert hx.Material(1.0, 2.0, 0.3).uniform


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give modulus and poisson, or elasticity"),
        ({"modulus": 1.0}, "give modulus and poisson, or elasticity"),
        ({"modulus": 1.0, "poisson": 0.3, "elasticity": np.eye(6)}, "give modulus and poisson, or elasticity"),
        ({"modulus": -1.0, "poisson": 0.3}, "modulus must be positive"),
        ({"modulus": [1.0, 2.0], "poisson": 0.3}, "a number or a function of the place, got 2 numbers"),
        ({"modulus": "soft", "poisson": 0.3}, "modulus must be a number"),
        ({"modulus": 1.0, "poisson": 0.5}, "poisson must be between −1 and 0.5; nearly incompressible is 0.499"),
        ({"modulus": 1.0, "poisson": -1.0}, "poisson must be between"),
        ({"modulus": 1.0, "poisson": 0.3, "density": 0.0}, "density must be positive"),
        ({"modulus": 1.0, "poisson": 0.3, "density": np.nan}, "density must be positive"),
        ({"modulus": 1.0, "poisson": 0.3, "law": "J2"}, "law must be one of hamex.laws"),
        ({"elasticity": np.eye(3)}, r"finite 6 × 6 matrix, got shape \(3, 3\)"),
        ({"elasticity": np.diag([1.0] * 5 + [np.inf])}, "finite 6 × 6 matrix"),
        ({"elasticity": np.eye(6) + np.eye(6, k=1)}, "must be symmetric"),
        ({"elasticity": np.eye(6) - 0.3 * np.ones((6, 6))}, "positive definite, its least eigenvalue is -0.8"),
    ],
)
def test_numbers_of_no_material_are_refused(given, message):
    with pytest.raises(ModelError, match=message):
        hx.Material(**{"density": 1.0} | given)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (lambda x: x[0] - 10.0, "modulus must be positive"),
        (lambda x: np.ones(3), r"modulus returned shape \(3,\) for points of shape"),
        (lambda x: "soft", "modulus must return numbers"),
    ],
)
def test_fields_of_no_material_are_refused_by_the_builder(field, message):
    with pytest.raises(ModelError, match=message):
        hx.solid(hx.meshes.rectangle(1.0, 1.0, (2, 2)), hx.Material(1.0, field, 0.3))
