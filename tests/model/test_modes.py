"""Modal analysis against textbook numbers, closed forms and identities."""

import numpy as np
import pytest
from scipy import sparse

import hamex as hx
from hamex.errors import ModelError, PrecisionWarning
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


# ------------------------------------------------------------------------ frequencies that are far apart
def portal(small, damping=0.0):
    """A portal with nodal masses in x, and small ones upwards and in rotation."""
    column, beam = {"area": 0.16, "inertia": 2.13e-3}, {"area": 0.18, "inertia": 5.4e-3}
    return hx.frame(
        {"A": (0, 0), "B": (0, 4), "C": (6, 4), "D": (6, 0)},
        [
            hx.Member("A", "B", modulus=30e6, **column),
            hx.Member("B", "C", modulus=30e6, **beam),
            hx.Member("D", "C", modulus=30e6, **column),
        ],
        supports={"A": "fixed", "D": "fixed"},
        masses={node: (20.0, small, small) for node in "BC"},
        damping=damping,
    )


DAMPINGS = [hx.ratio(0.05), hx.rayleigh(0.05), hx.modal(0.05)]


@pytest.mark.parametrize("damping", [0.0, *DAMPINGS])
def test_a_stiff_link_leaves_the_low_modes_what_they_are(damping):
    """Analytic: rigid, the link leaves two masses of 1 on springs of 100: ω² = 50 (3 ∓ √5); it adds 1e-8 of itself."""
    found = hx.modes(hx.shear_frame([1.0, 1e-6, 1.0], [100.0, 1e10, 100.0], damping=damping))
    assert found.frequencies[:2] == pytest.approx(np.sqrt(50 * (3 + np.array([-1, 1]) * np.sqrt(5))), rel=1e-6)
    assert found.shapes[:, 0] == pytest.approx(found.shapes[2, 0] * np.array([0.618034, 0.618034, 1]), rel=1e-5)


@pytest.mark.parametrize("small", [1e-6, 1e-9, 1e-12, 1e-15])
def test_vanishing_masses_leave_the_modes_of_none(small):
    """Own, by the static condensation of dofs without mass; their digits are those of the stiffness."""
    low = hx.modes(portal(0.0))
    found = hx.modes(portal(small))
    assert found.frequencies[:2] == pytest.approx(low.frequencies, rel=1e-5 * small**0.5 + 1e-9)
    assert np.allclose(found.shapes[:, :2], low.shapes, atol=1e-6)
    damped = [portal(mass, hx.modal(0.05, modes=1)).damping.dense() for mass in (small, 0.0)]
    assert np.allclose(*damped, atol=1e-5 * damped[1].max())


def test_modal_damping_of_all_modes_acts_in_the_lowest_beside_vanishing_masses():
    peaks = []
    for model in (portal(1e-12, hx.modal(0.05)), portal(0.0, hx.modal(0.05))):
        run = hx.solve(hx.Problem(model, hx.el_centro().on(model, g=9.81), 5.0), hx.Galerkin(0.01))
        peaks.append(float(abs(run["displacement"]).max()))
    assert peaks[0] == pytest.approx(peaks[1], rel=1e-6)


@pytest.mark.parametrize("fine", [0, 30, 100])
def test_a_cantilever_graded_from_short_elements_has_its_first_frequency(fine):
    """Analytic: ω1 = (1.8751/L)² √(EI/ρA); lumped masses on long elements miss some per cent."""
    ends = np.cumsum([0.0, *[0.01] * fine, *(0.01 * 1.2 ** np.arange(1, 60))])
    ends = np.append(ends[ends < 5.0], 6.0)
    modulus, area, inertia, density = 30e6, 0.18, 5.4e-3, 2.5
    own = density * area * np.convolve(np.diff(ends), [0.5, 0.5])
    model = hx.frame(
        {f"P{i}": (x, 0.0) for i, x in enumerate(ends)},
        [hx.Member(f"P{i}", f"P{i + 1}", modulus, area, inertia) for i in range(ends.size - 1)],
        supports={"P0": "fixed"},
        masses={f"P{i}": (m, m, 1e-9 * m) for i, m in enumerate(own)},
    )
    exact = (1.87510407 / 6.0) ** 2 * np.sqrt(modulus * inertia / (density * area))
    assert hx.modes(model).frequencies[0] == pytest.approx(exact, rel=0.03)


def test_digits_that_rounding_takes_are_said():
    with pytest.warns(PrecisionWarning, match="digits") as caught:
        found = hx.modes(hx.shear_frame([1.0, 1e-6, 1.0], [100.0, 1e14, 100.0]))
    assert caught[0].filename == __file__
    assert found.frequencies[0] == pytest.approx(np.sqrt(50 * (3 - np.sqrt(5))), rel=1e-3)


def test_free_motions_keep_no_frequency_beside_very_fast_ones():
    rng = np.random.default_rng(5)
    k = rng.uniform(1.0, 2.0, 6) * 10.0 ** np.arange(0, 12, 2)
    stiffness = np.diag(np.append(k, 0.0)) + np.diag(np.append(0.0, k)) - np.diag(k, 1) - np.diag(k, -1)
    w, shapes = eigen(np.diag(10.0 ** -np.arange(7.0)), stiffness)
    assert w[0] == 0
    assert np.all(w[1:] > 0)
    assert np.allclose(shapes[:, 0], shapes[0, 0], rtol=1e-6)


@pytest.mark.parametrize("count", [600, 3000])
def test_a_fine_mesh_has_its_modes_and_says_their_digits(count):
    """Analytic: ω_n = n² π² √(EI/ρA)/L². A share of the stiffness as shift was 10⁶ times the first ω² of 10,000
    elements: the search took half a minute."""
    modulus, area, inertia, density, length = 30e6, 0.18, 5.4e-3, 2.5, 10.0
    beam = hx.frame(
        {f"P{i}": (x, 0.0) for i, x in enumerate(np.linspace(0.0, length, count + 1))},
        [hx.Member(f"P{i}", f"P{i + 1}", modulus, area, inertia) for i in range(count)],
        supports={"P0": "pinned", f"P{count}": "y"},
        masses={f"P{i}": density * area * length / count for i in range(1, count)},
    )
    exact = np.arange(1, 4) ** 2 * np.pi**2 / length**2 * np.sqrt(modulus * inertia / (density * area))
    if count == 600:
        assert hx.modes(beam, 3).frequencies == pytest.approx(exact, rel=1e-5)
        return
    with pytest.warns(PrecisionWarning, match="leaves about 3 digits of ω² of mode 1"):
        found = hx.modes(beam, 3).frequencies
    assert found == pytest.approx(exact, rel=2e-3)
    assert found[2] == pytest.approx(exact[2], rel=1e-4)


def test_a_mode_that_rounding_takes_is_not_passed_off_as_free():
    """Own: ω1² of a cantilever of 8,000 elements is below the rounding of its stiffness."""
    count = 8000
    beam = hx.frame(
        {f"P{i}": (x, 0.0) for i, x in enumerate(np.linspace(0.0, 10.0, count + 1))},
        [hx.Member(f"P{i}", f"P{i + 1}", 200e6, 0.01, 1e-4) for i in range(count)],
        supports={"P0": "fixed"},
        masses={f"P{i}": 10.0 / count for i in range(1, count + 1)},
    )
    for wanted in (1, 3):
        with pytest.warns(PrecisionWarning, match="found as 0 may be lost"):
            assert hx.modes(beam, wanted).frequencies[0] == 0
