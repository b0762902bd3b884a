"""Modal analysis against textbook numbers, closed forms and identities."""

import numpy as np
import pytest
from scipy import sparse

import hamex as hx
from hamex.errors import ModelError
from hamex.model.algebra import DENSE, eigen


def test_the_five_storey_frame_of_chopra():
    """External: Chopra, Dynamics of Structures, ch. 13: uniform five-storey shear frame."""
    found = hx.modes(hx.shear_frame([100 / 386.4] * 5, [31.54] * 5))
    assert np.allclose(found.periods, [2.0, 0.6852, 0.4346, 0.3383, 0.2966], atol=5e-4)
    assert np.allclose(found.effective_ratio[:, 0], [0.8795, 0.0872, 0.0242, 0.0075, 0.0016], atol=5e-5)


@pytest.mark.parametrize("count", [1, 2, 7, 60])
def test_a_uniform_chain_has_its_closed_form(count):
    found = hx.modes(hx.shear_frame([2.0] * count, 50.0))
    n = np.arange(1, count + 1)
    assert np.allclose(
        found.frequencies, 2 * np.sqrt(25) * np.sin((2 * n - 1) * np.pi / (2 * (2 * count + 1))), rtol=1e-10
    )


def test_shapes_are_mass_normalised_signed_and_diagonalise():
    model = hx.shear_frame([3.0, 2.0, 1.0], [300.0, 200.0, 100.0])
    found = hx.modes(model)
    assert np.allclose(found.shapes.T @ model.mass @ found.shapes, np.eye(3), atol=1e-13)
    assert (found.shapes.max(axis=0) >= abs(found.shapes).max(axis=0)).all()
    k = model.compatibility @ sparse.diags_array([300.0, 200.0, 100.0]) @ model.compatibility.T
    assert np.allclose(found.shapes.T @ k @ found.shapes, np.diag(found.frequencies**2), atol=1e-10)


def test_effective_masses_add_up_to_the_total():
    found = hx.modes(hx.shear_frame([3.0, 2.0, 1.0], [300.0, 200.0, 100.0]))
    assert found.effective_mass.sum() == pytest.approx(6.0, rel=1e-13)
    assert found.total_mass == pytest.approx([6.0])
    assert found.cumulative_ratio[-1, 0] == pytest.approx(1.0)
    assert np.all(np.diff(found.cumulative_ratio[:, 0]) > 0)


def test_massless_floors_follow_statically():
    """Two springs in series are one of half the stiffness."""
    found = hx.modes(hx.shear_frame([0.0, 2.0], [100.0, 100.0]))
    assert found.frequencies == pytest.approx([5.0], rel=1e-13)
    assert found.shapes[0, 0] / found.shapes[1, 0] == pytest.approx(0.5)


def test_a_mass_matrix_may_lack_rank_without_a_zero_on_its_diagonal():
    """One mass m moving by u1 + 2 u2 on two springs: 1/ω² = m (1/k1 + 4/k2)."""
    b = np.array([[1.0, 2.0]])
    w, shapes = eigen(3.0 * b.T @ b, np.diag([100.0, 200.0]))
    assert w == pytest.approx([1 / np.sqrt(3 * (1 / 100 + 4 / 200))])
    assert 3.0 * (b @ shapes) ** 2 == pytest.approx(1.0)


def test_a_few_modes_of_many_dofs_equal_the_same_of_all():
    rng = np.random.default_rng(3)
    count = DENSE + 50
    model = hx.shear_frame(rng.uniform(1, 2, count) * (np.arange(count) % 3 > 0), rng.uniform(50, 100, count))
    few, all_of_them = hx.modes(model, 4), hx.modes(model)
    assert np.allclose(few.frequencies, all_of_them.frequencies[:4], rtol=1e-8)
    assert np.allclose(few.shapes, all_of_them.shapes[:, :4], rtol=1e-5, atol=1e-7)
    assert np.array_equal(hx.modes(model, 4).shapes, few.shapes)


def test_dampers_do_not_stiffen_a_structure_at_rest():
    plain = hx.shear_frame([2.0, 1.0], [100.0, 80.0])
    damped = hx.shear_frame(
        [2.0, 1.0],
        [100.0, 80.0],
        links=[
            hx.maxwell_damper(0, 2, 3.0, 500.0),
            hx.power_damper(0, 1, 3.0, 0.5, 500.0),
            hx.viscous_damper(0, 1, 3.0),
        ],
    )
    assert np.allclose(hx.modes(plain).frequencies, hx.modes(damped).frequencies, rtol=1e-13)


def test_a_slider_that_yields_at_once_counts_with_its_hardening():
    model = hx.shear_frame([1.0], [100.0], laws=hx.Slider(0.0, kinematic=25.0))
    assert hx.modes(model).frequencies ** 2 == pytest.approx([20.0])  # 100 and 25 in series


def test_p_delta_lengthens_the_period():
    model = hx.shear_frame([1.0], [100.0], heights=4.0, weights=40.0)
    assert hx.modes(model).frequencies ** 2 == pytest.approx([90.0])


def test_a_motion_without_stiffness_has_an_infinite_period():
    found = hx.modes(hx.shear_frame([1.0, 1.0], 10.0, laws=[hx.PowerLaw(1.0, 0.5), None]))
    assert found.frequencies[0] == 0
    assert found.periods[0] == np.inf


def test_the_oscillator_has_one_mode():
    found = hx.modes(hx.oscillator(2.0, 50.0))
    assert found.frequencies == pytest.approx([5.0])
    assert found.effective_ratio[0, 0] == pytest.approx(1.0)


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "all"])
def test_the_count_is_a_whole_number(count):
    with pytest.raises(ModelError, match="count must be a whole number"):
        hx.modes(hx.oscillator(2.0, 50.0), count)


def test_more_modes_than_masses_are_refused():
    with pytest.raises(ModelError, match="3 asked for, but the masses allow 2 modes"):
        hx.modes(hx.shear_frame([1.0, 1.0, 0.0], 10.0), 3)
